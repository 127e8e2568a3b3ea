// SPDX-License-Identifier: MIT
// Handles for entities that systems of a workload create. They are promised in linear order before
// anything runs, so that they do not depend on who is faster; a system that needs more than it did
// before waits for its turn. So does one whose commands name a component that the world does not
// know yet.
#pragma once
#include "run/schedule.h"

// Before a run: promise each node that creates as many as it wants. KEEL_OK, KEEL_ERROR_MEMORY,
// KEEL_ERROR_FULL.
keel_result keeli_stocks_fill(keeli_schedule *s);
// After it: what was not used was never seen, and goes back.
void keeli_stocks_return(keeli_schedule *s);
// What is left of one.
void keeli_stock_return(keel_world *world, keeli_stock *stock);
// Commands that the system of this context records take their handles from the stock of its node
// or, outside of workloads, of its loop, until keeli_commands_close.
void keeli_stock_serve(keel_commands *list, keel_context *context);
