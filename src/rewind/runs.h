// SPDX-License-Identifier: MIT
// What is known of a world beside its data: what readers have seen, what steps of workloads know of
// their runs, who is in which place of a group. It is known by the numbers of readers, bound
// systems and groups, which are never used twice.
#pragma once
#include "run/schedule.h"

typedef struct keeli_kept_reader {
    uint64_t serial, last;
} keeli_kept_reader;

typedef struct keeli_kept_node {
    uint64_t serial, passed;
    uint32_t runs;
    uint32_t want[KEELI_STEP_SYSTEMS], most[KEELI_STEP_SYSTEMS]; // handles
    const uint32_t *idle; // whether it is left out decides what its reader has seen
} keeli_kept_node;

typedef struct keeli_kept_group {
    uint64_t serial;
    uint32_t length;       // of one that owns something
    uint32_t first, count; // of one that owns nothing: members
} keeli_kept_group;

typedef struct keeli_runs {
    KEELI_ARRAY(keeli_kept_reader) readers; // by serial, as the others
    KEELI_ARRAY(keeli_kept_node) nodes;
    KEELI_ARRAY(keeli_kept_group) groups;
    KEELI_ARRAY(keel_entity) members;
} keeli_runs;

void keeli_runs_deinit(keeli_runs *runs, keeli_heap *heap);
// Make room for what comes next, which keeps what was; false when out of memory.
bool keeli_runs_room(keeli_runs *runs, keeli_heap *heap, const keel_world *world);
// Make room, false when out of memory; then note how it is. Both for the same world.
bool keeli_runs_reserve(keeli_runs *runs, keeli_heap *heap, const keel_world *world);
void keeli_runs_take(keeli_runs *runs, const keel_world *world);
// Room for the members of groups; then all is as it was then. Who is new since then begins anew.
bool keeli_runs_reserve_restore(const keeli_runs *runs, keel_world *world);
void keeli_runs_restore(const keeli_runs *runs, keel_world *world);

// Was the reader there at that time?
bool keeli_runs_know(const keeli_runs *runs, const keeli_reader *reader);

// All readers of a world and all bound systems of steps, in no order that means anything.
typedef void keeli_reader_visit(void *data, keeli_reader *reader);
void keeli_readers_visit(const keel_world *world, keeli_reader_visit *visit, void *data);
// And those that steps had before a restore, and may have again.
void keeli_parked_readers_visit(const keel_world *world, keeli_reader_visit *visit, void *data);
typedef void keeli_node_visit(void *data, const keeli_schedule *s, keeli_node *node);
void keeli_nodes_visit(const keel_world *world, keeli_node_visit *visit, void *data);
