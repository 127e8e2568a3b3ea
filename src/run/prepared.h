// SPDX-License-Identifier: MIT
// Systems that ran before, with their terms bound: binding costs more than a loop over a hundred
// entities. What is kept is used only while nothing has changed that it was made from, in owner
// mode, and by one run at a time; otherwise terms are bound anew.
#pragma once
#include "find/view.h"

typedef struct keeli_prepared {
    const keel_system *system;
    const char *name;
    uint64_t bindings; // of the world, when the terms were bound
    bool busy;         // it runs now
    keel_term terms[KEEL_MAX_TERMS];
    keeli_view *view;
} keeli_prepared;

// What is kept for the system, marked as busy, or NULL: bind its terms.
keeli_prepared *keeli_prepared_take(keel_world *world, const keel_system *system);
// Its terms are bound to `view`: keep that for the next time, if it can be kept. False when out of
// memory.
bool keeli_prepared_keep(keel_world *world, const keel_system *system, const keeli_view *view);
// Something that the view demands is nowhere, so that a loop over it does nothing.
bool keeli_loop_is_empty(const keeli_view *view);
void keeli_prepared_deinit(keel_world *world);
