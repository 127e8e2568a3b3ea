// SPDX-License-Identifier: MIT
// Systems that ran before, with their terms bound: binding costs more than a loop over a hundred
// entities. What is kept is used only while nothing has changed that it was made from, in owner
// mode, and by one run at a time; otherwise terms are bound anew.
#pragma once
#include "find/view.h"

#include <keel/workload.h>

typedef struct keeli_prepared {
    const keel_system *system;
    const char *name;
    uint64_t bindings; // of the world, when the terms were bound
    bool busy;         // it runs now
    // what it was, so that it need not be checked again
    keel_system_kind kind;
    void (*run)(const keel_chunk *chunk, keel_context *context);
    keel_result (*function)(keel_context *context);
    keel_term terms[KEEL_MAX_TERMS];
    keeli_view *view;
    uint32_t used_count; // components and uniques that the terms name
    const keeli_storage *used[KEEL_MAX_TERMS];
    const keel_component *used_as[KEEL_MAX_TERMS];
    // what tells that a loop has nothing to do
    bool is_loop, has_data;
    uint32_t must_count, change_count;
    const keeli_storage *must[KEEL_MAX_TERMS], *changes[KEEL_MAX_TERMS]; // that have to be, to have
    keeli_reader *reader; // of its changes; NULL: not asked for yet
} keeli_prepared;

// What is kept for the system, marked as busy, or NULL: bind its terms.
keeli_prepared *keeli_prepared_take(keel_world *world, const keel_system *system);
// Is it a loop over nothing, which can be left out because nobody else could notice? Where nothing
// changed since its last run, time goes on as if it ran.
bool keeli_prepared_is_idle(keel_world *world, keeli_prepared *p);
// Its terms are bound to `view`: keep that for the next time, if it can be kept. False when out of
// memory.
bool keeli_prepared_keep(keel_world *world, const keel_system *system, const keeli_view *view);
// Something that the view demands is nowhere, so that a loop over it does nothing.
bool keeli_loop_is_empty(const keeli_view *view);
void keeli_prepared_deinit(keel_world *world);
