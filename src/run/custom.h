// SPDX-License-Identifier: MIT
// Making and dropping custom views. The state of one is that of a view over what it declares; it
// borrows from the system (or custom view) in which it is made, and what its code opens borrows
// from it.
#pragma once
#include "run/context.h"

// Make those that the system takes, in the order of its parameters; when one cannot be made the
// ones before it are for keeli_context_end_inside.
keel_result keeli_customs_begin(keel_context *context);
// Drop or close all that was opened inside and is still open, the last one first. KEEL_OK, or the
// first failure.
keel_result keeli_context_end_inside(keel_context *context);
// Those that are still open when the world ends.
void keeli_customs_deinit(keel_world *world);
