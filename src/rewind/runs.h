// SPDX-License-Identifier: MIT
// Runs: the state of a world beside its data, which a snapshot copies and a restore sets back. It
// is the changes that readers have seen, the number of runs of each step of a workload, and the
// order of groups. Readers, nodes and groups are identified by their serials, which are never
// reused. It does not copy entities and values (image.h). The hash of all state (state_hash.c) is
// computed of a copy as of the world, so each record also has a hash of the name. Called by
// snapshot.c.
#pragma once
#include "run/schedule.h"

// The last tick that a reader has seen.
typedef struct keeli_kept_reader {
    uint64_t serial, last, called;
    const keeli_reader *at; // identifies the reader in the queues of the image; may be freed
    const char *name;       // valid until keeli_runs_label returns
    keeli_reader_kind kind;
    bool is_kept;
} keeli_kept_reader;

// A copy of the state that a node (a step in a schedule, run/schedule.h) keeps from run to run: its
// `passed` and `runs`, and the members `want` and `most` of the `reserved` handles of its systems.
typedef struct keeli_kept_node {
    uint64_t serial, passed, called;
    uint32_t runs;
    uint32_t want[KEELI_STEP_SYSTEMS], most[KEELI_STEP_SYSTEMS]; // numbers of reserved handles, by
                                                                 // system of the step
    const uint32_t *idle; // the node's entry in `idle` of its schedule, which tells if the step is
                          // left out, so that its reader sees no changes
    uint32_t idle_slot;   // number of the component that `idle` belongs to; 0: none
    uint32_t place;
    keel_node_kind kind;
    bool is_limited;                                 // the step has .times, so `runs` counts
    const keeli_reader *readers[KEELI_STEP_SYSTEMS]; // NULL: none; may be freed
    const char *name, *workload; // valid until keeli_runs_label returns; the outermost workload
} keeli_kept_node;

typedef struct keeli_kept_group {
    uint64_t serial, called;
    uint32_t length;       // number of members of a group that owns a component
    uint32_t first, count; // range in `members` of a group that owns nothing
    uint32_t first_slot;   // the first of its components in `slots`
    uint32_t owned_count, must_count, storage_count; // as in keel_group
    const char *name;                                // valid until keeli_runs_label returns
} keeli_kept_group;

// The identity of a reader, node or group in another world: names in the text of keeli_runs. The
// copy of names is made anew only when a label differs from those of the last copy.
typedef struct keeli_label {
    uint64_t serial;
    uint32_t place;          // place of a node
    uint32_t name, workload; // offsets in the text
} keeli_label;

typedef struct keeli_runs {
    KEELI_ARRAY(keeli_kept_reader) readers; // sorted by serial, like the next two
    KEELI_ARRAY(keeli_kept_node) nodes;
    KEELI_ARRAY(keeli_kept_group) groups;
    KEELI_ARRAY(keel_entity) members;
    KEELI_ARRAY(uint32_t) slots;     // numbers of the components that groups name
    KEELI_ARRAY(keeli_label) labels; // labels of all readers, then nodes, then groups
    KEELI_ARRAY(char) text;          // names, each with a 0 at its end
} keeli_runs;

void keeli_runs_deinit(keeli_runs *runs, keeli_heap *heap);
// Makes room in `runs` for a copy of the world's present readers, nodes and groups. Does not change
// the copy that `runs` holds. False when out of memory.
bool keeli_runs_room(keeli_runs *runs, keeli_heap *heap, const keel_world *world);
// keeli_runs_reserve empties `runs` and makes room for a copy; false when out of memory. Then
// keeli_runs_take makes the copy. Nothing in the world may change between the two calls.
bool keeli_runs_reserve(keeli_runs *runs, keeli_heap *heap, const keel_world *world);
void keeli_runs_take(keeli_runs *runs, const keel_world *world);
// Appends the record of a group, and its components. The caller appends the `count` members, and
// has made room for all.
void keeli_runs_append_group(keeli_runs *runs, keel_group *g, uint32_t length, uint32_t count);
// Sorts readers, nodes and groups by serial. keeli_runs_take does it.
void keeli_runs_sort(keeli_runs *runs);
// Copies the names of readers, nodes and groups, so that the copy can be written by any thread. The
// caller has made the copy just now. False when out of memory.
bool keeli_runs_label(keeli_runs *runs, keeli_heap *heap);
// keeli_runs_reserve_restore makes room for the members of groups; false when out of memory. Then
// keeli_runs_restore sets readers, nodes and groups back to the copy. The ones that did not exist
// when the copy was made become as if they were new.
bool keeli_runs_reserve_restore(const keeli_runs *runs, keel_world *world);
void keeli_runs_restore(const keeli_runs *runs, keel_world *world);

// Returns the sum of the hashes of all records of a copy; keeli_runs_hash_of that of a world, which
// is the same as of a copy made now. Readers and nodes that have recorded nothing do not count,
// since they are only created when they are used. Nor does the order of members of a group that
// owns a component, which is that of the component.
uint64_t keeli_runs_hash(const keeli_runs *runs);
uint64_t keeli_runs_hash_of(const keel_world *world);

// True if the reader existed when the copy was made.
bool keeli_runs_know(const keeli_runs *runs, const keeli_reader *reader);

// Calls `visit` for each reader of the world, in no defined order.
typedef void keeli_reader_visit(void *data, keeli_reader *reader);
void keeli_readers_visit(const keel_world *world, keeli_reader_visit *visit, void *data);
// Calls `visit` for each parked reader: one that a restore took from its step, because the step had
// no reader when the copy was made, and that a later restore may give back.
void keeli_parked_readers_visit(const keel_world *world, keeli_reader_visit *visit, void *data);
// Calls `visit` for each node of each schedule, in no defined order.
typedef void keeli_node_visit(void *data, const keeli_schedule *s, keeli_node *node);
void keeli_nodes_visit(const keel_world *world, keeli_node_visit *visit, void *data);
