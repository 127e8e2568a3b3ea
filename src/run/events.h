// SPDX-License-Identifier: MIT
// Events in running systems: what KEEL_SEND and KEEL_RECEIVE do.
#pragma once
#include "run/context.h"

// The storages of a system with such parameters are held: it receives from now on, and what it
// sends can be taken back. KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_SHARED.
keel_result keeli_context_events_begin(keel_context *context);
// It has ended, and holds them still: it has passed what was there; what it sent goes if it failed.
void keeli_context_events_end(keel_context *context, keel_result result);
