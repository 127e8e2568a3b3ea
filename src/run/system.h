// SPDX-License-Identifier: MIT
// A bound system: its terms are resolved to a world's storages, which costs more than a loop over a
// hundred entities, so that is kept; and with it what its runs left behind: what it has seen of
// changes, how many handles it takes, what a piece of it costs. A step of a workload has one, its
// conditions have one each; those that are run by themselves are found by their address.
#pragma once
#include "run/context.h"

enum { KEELI_LOOKS = 3 };

struct keeli_bound {
    const keel_system *system;
    keeli_view *view;       // its terms; NULL: to be bound
    keeli_reader *reader;   // what it has seen of changes; NULL: it did not ask yet
    keeli_handles reserved; // for what it creates, in a workload
    keeli_cost piece_cost;  // when it is split
    bool is_loop;           // over entities, so that it may have nothing to do
    bool is_mere;           // and there is nothing that must be checked before it is left out
    // What must be there, and whose changes it asks for, NULL: nobody knows it. The first ones will
    // do to find out that there is nothing to do.
    uint32_t must_count, change_count;
    const keeli_storage *must[KEELI_LOOKS], *changes[KEELI_LOOKS];
};

// Bind the terms; `name` is for messages.
keel_result keeli_bound_bind(keeli_bound *bound, keel_world *world, const keel_system *system,
                             const char *name);
// What its terms are bound to is not so any more; what it knows of its runs stays.
void keeli_bound_unbind(keeli_bound *bound);
void keeli_bound_free(keel_world *world, keeli_bound *bound); // one of a step

// Something that the view demands is nowhere, so that a loop over it does nothing.
bool keeli_loop_is_empty(const keeli_view *view);
// A component of which there is none, so that the loop does nothing; or NULL.
const keeli_storage *keeli_bound_lacks(const keeli_bound *bound);
// It asks for changes, and there were none since its last run.
bool keeli_bound_sees_nothing(const keel_world *world, const keeli_bound *bound);

// Is it a system that can be run as a system, or as a condition? KEEL_OK, KEEL_ERROR_ARGUMENT.
keel_result keeli_check_system(keel_world *world, const keel_system *system, bool is_condition);
// Those that were run by themselves.
void keeli_systems_deinit(keel_world *world);
