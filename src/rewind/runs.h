// SPDX-License-Identifier: MIT
// Runs: what a world knows beside its data, and what a restore therefore has to set back. That is
// what readers have seen, what steps of workloads know of their runs, and the order of groups. All
// are identified by the serials of readers, bound systems and groups, which are never reused.
// Called by snapshot.c.
#pragma once
#include "run/schedule.h"

// The last tick that a reader has seen.
typedef struct keeli_kept_reader {
    uint64_t serial, last;
} keeli_kept_reader;

typedef struct keeli_kept_node {
    uint64_t serial, passed;
    uint32_t runs;
    uint32_t want[KEELI_STEP_SYSTEMS], most[KEELI_STEP_SYSTEMS]; // numbers of reserved handles
    const uint32_t *idle; // the node's entry in `idle` of its schedule: whether it is left out
                          // decides what its reader has seen
} keeli_kept_node;

typedef struct keeli_kept_group {
    uint64_t serial;
    uint32_t length;       // number of members of a group that owns a component
    uint32_t first, count; // range in `members` of a group that owns nothing
} keeli_kept_group;

typedef struct keeli_runs {
    KEELI_ARRAY(keeli_kept_reader) readers; // sorted by serial, like the next two
    KEELI_ARRAY(keeli_kept_node) nodes;
    KEELI_ARRAY(keeli_kept_group) groups;
    KEELI_ARRAY(keel_entity) members;
} keeli_runs;

void keeli_runs_deinit(keeli_runs *runs, keeli_heap *heap);
// Makes room for the next copy, and leaves what `runs` has. False when out of memory.
bool keeli_runs_room(keeli_runs *runs, keeli_heap *heap, const keel_world *world);
// Makes room and removes what `runs` has; false when out of memory. Then keeli_runs_take copies
// what the world knows now. Nothing may change between the two.
bool keeli_runs_reserve(keeli_runs *runs, keeli_heap *heap, const keel_world *world);
void keeli_runs_take(keeli_runs *runs, const keel_world *world);
// Makes room for the members of groups; false when out of memory. Then keeli_runs_restore sets
// everything back. Readers, steps and groups that did not exist at the copy become as if new.
bool keeli_runs_reserve_restore(const keeli_runs *runs, keel_world *world);
void keeli_runs_restore(const keeli_runs *runs, keel_world *world);

// True if the reader existed at the copy.
bool keeli_runs_know(const keeli_runs *runs, const keeli_reader *reader);

// Calls `visit` for each reader of the world, in no defined order.
typedef void keeli_reader_visit(void *data, keeli_reader *reader);
void keeli_readers_visit(const keel_world *world, keeli_reader_visit *visit, void *data);
// The same for parked readers: steps had them before a restore, and may get them again.
void keeli_parked_readers_visit(const keel_world *world, keeli_reader_visit *visit, void *data);
// Calls `visit` for each node of each schedule, in no defined order.
typedef void keeli_node_visit(void *data, const keeli_schedule *s, keeli_node *node);
void keeli_nodes_visit(const keel_world *world, keeli_node_visit *visit, void *data);
