// SPDX-License-Identifier: MIT
// A workload made ready to run: its steps as a flat list of nodes in their final order, and the
// edges between them. Made once, and used again as long as nothing has changed that it was made of.
//
//   flatten.c   steps, nested ones too, become nodes and groups
//   witness.c   what it was made of, kept to notice changes
//   order.c     what barriers and sequential sections ask for, and a stable sort of it all
//   wishes.c    what .after, .before and the like ask for
//   graph.c     what each node touches, and an edge wherever two of them conflict
//   batches.c   the same as batches, with what kept each system out of the batch before
//   schedule.c  all of it, and keeping it
//   describe.c  telling the user (describe_text.c, describe_graph.c: as text)
#pragma once
#include "find/view.h"
#include "run/context.h"

#include <keel/explain.h>

#define KEELI_NO_NODE UINT32_MAX

typedef enum keeli_node_kind {
    KEELI_NODE_SYSTEM,
    KEELI_NODE_SYNC,    // commands that node `of` recorded are applied
    KEELI_NODE_OPEN,    // a nested workload begins: its conditions are asked here
    KEELI_NODE_CLOSE,   // a nested workload has ended
    KEELI_NODE_BARRIER, // what is before it in its list has ended
    KEELI_NODE_JOIN     // all of a name have ended that several others wait for
} keeli_node_kind;

// Why a node is not in the batch before its own.
typedef struct keeli_reason {
    uint32_t other; // the node there, KEELI_NO_NODE: none
    keel_wait why;
} keeli_reason;

// What a node touches.
typedef struct keeli_touch {
    keeli_storage *storage;
    keel_access access;
} keeli_touch;

// Handles that were promised to a system before it runs, so that they do not depend on time.
typedef struct keeli_stock {
    KEELI_ARRAY(keel_entity) handles;
    uint32_t used; // of `handles`
    uint32_t want; // how many to promise next time: as many as it used at most, and some more
    uint32_t most; // handles that there ever were
} keeli_stock;

typedef struct keeli_node {
    keeli_node_kind kind;
    bool everything; // touches all there is, alone
    bool creates;    // records commands that may create entities
    bool has_conditions;
    uint32_t group;       // in which it is
    uint32_t place;       // SYSTEM: which one in list order
    uint32_t of;          // SYNC: whose commands; SYSTEM, OPEN: its SYNC, or KEELI_NO_NODE
    keel_step step;       // SYSTEM, OPEN: what was asked for; names and components are the user's
    const char *name;     // of the system or workload
    const char *workload; // in which it is
    uint32_t first_touch, touch_count;
    uint32_t first_edge, edge_count; // nodes that wait for this one
    uint32_t waits_for;              // how many nodes this one waits for
    uint32_t batch;
    keeli_reason reason;
    // running
    uint32_t gate;    // the OPEN node whose conditions decide about it, KEELI_NO_NODE: none
    uint32_t pending; // of those it waits for, not ended yet
    uint8_t has_run;  // ever, and did not fail: a startup system is done (atomic)
    bool is_starting; // a startup system is running; under the world's lock
    bool is_skipped;  // a condition said no
    bool is_blocked;  // something it depends on failed
    bool has_ended;
    bool has_failed; // or did not run because of another failure
    bool is_main;    // runs on the calling thread only
    bool is_measured;
    uint64_t cost;            // nanoseconds, smoothed (worth.c)
    uint64_t after;           // nanoseconds of the longest way to it; while costs are added up
    keeli_view *views[3];     // bound terms of system, run_if, skip_if; made at the first run
    keeli_reader *readers[3]; // what they have seen of changes; NULL: they do not ask
    KEELI_ARRAY(keel_commands *) lists; // recorded, in order
    keeli_stock stock;
} keeli_node;

// A nested workload, or the outermost one (group 0).
typedef struct keeli_section {
    const char *name;
    const char *label;
    uint32_t outer; // the group around it; of 0: 0
    uint32_t gate;  // node that opens the innermost group with conditions, KEELI_NO_NODE: none
    uint32_t open, close; // nodes; KEELI_NO_NODE for the outermost
    uint32_t first, end;  // positions in list order
    bool sequential, main_thread, startup;
    const void *steps; // to notice one that contains itself
} keeli_section;

typedef struct keeli_edge_pair {
    uint32_t from, to;
    bool is_loose; // the order only: a failure does not pass
} keeli_edge_pair;

// What the schedule was made of, to notice a change behind a pointer (witness.c).
typedef enum keeli_witness_kind {
    KEELI_WITNESS_BYTES,
    KEELI_WITNESS_WORKLOAD,
    KEELI_WITNESS_STEPS,
    KEELI_WITNESS_SYSTEM,
    KEELI_WITNESS_TERMS,
    KEELI_WITNESS_CUSTOM_VIEW
} keeli_witness_kind;

typedef struct keeli_witness {
    const void *at;
    uint32_t size, copy; // `copy`: offset in `witness_bytes`
    keeli_witness_kind kind;
} keeli_witness;

// What runs of a schedule take, to know whether several threads are worth it (worth.c).
typedef struct keeli_costs {
    bool are_wanted;     // by this run: several threads could run it
    bool is_timed;       // this run measures its nodes, else only those that are new
    bool is_wide;        // this run goes to several threads
    bool are_known;      // all nodes that do something were measured
    bool are_doubtful;   // several threads did not gain anything: the next run is on one
    uint32_t news;       // nodes were measured for the first time (atomic)
    uint32_t nodes;      // that do something
    uint64_t sum, chain; // nanoseconds: of all, and of the longest chain
    uint64_t began;
} keeli_costs;

typedef struct keeli_schedule {
    keel_world *world;
    struct keeli_schedule *next; // of the world
    const keel_workload *table;  // what it was made of, or
    char *stored_name;           // the stored workload of this name
    uint64_t stamp;              // of the table; 0: compare the witnesses
    uint64_t bindings;           // of the world
    bool is_busy;
    bool is_second;                // made while another one of the workload was busy
    bool is_partial;               // a component was unknown in shared mode: made anew next time
    KEELI_ARRAY(keeli_node) nodes; // in linear order
    KEELI_ARRAY(keeli_section) groups;
    KEELI_ARRAY(keeli_edge_pair) pairs; // while it is made
    KEELI_ARRAY(uint32_t) edges;        // successors, by node
    KEELI_ARRAY(bool) loose;            // by edge: see keeli_edge_pair
    KEELI_ARRAY(keeli_touch) touches;
    KEELI_ARRAY(keeli_witness) witnesses;
    KEELI_ARRAY(char) witness_bytes;
    uint32_t batch_count;
    uint32_t system_count;
    uint32_t created;    // nodes that create, of which
    bool is_wide;        // some two nodes may run at once, or a step is parallel
    uint32_t parallel;   // steps that are
    bool has_startup;    // a step is
    bool is_nested;      // this run of startup systems is inside of another run
    bool names_stored;   // a nested workload is named, so that bytes tell nothing
    bool is_inner;       // the world was shared when the run began: others may be at work
    bool is_guest;       // that, or views are open: commands wait for later
    uint32_t runs;       // so far
    keeli_costs costs;   // what they take
    uint64_t first_tick; // of this run: each node has one more than the one before
    // By node: the count of a component without which its loop does nothing; or NULL.
    KEELI_ARRAY(const uint32_t *) idle;
    KEELI_ARRAY(uint32_t) ready, ready_main; // heaps of a run (team.c)
} keeli_schedule;

// The schedule of a table, or of the stored workload of that name; marked as busy. NULL: see
// `*result`, nothing was kept.
keeli_schedule *keeli_schedule_take(keel_world *world, const keel_workload *table, const char *name,
                                    keel_result *result);
void keeli_schedule_give(keeli_schedule *schedule);
void keeli_schedules_deinit(keel_world *world);
// A stored workload is gone, and what its systems knew.
void keeli_schedule_forget(keel_world *world, const char *name);

// The parts (false: out of memory, reported by the caller; or `*result` is an error).
keel_result keeli_flatten(keeli_schedule *s, const keel_workload *table);
keel_result keeli_order(keeli_schedule *s);
keel_result keeli_add_wishes(keeli_schedule *s);
keel_result keeli_graph(keeli_schedule *s);
void keeli_batches(keeli_schedule *s);
// Is it a part of batches, and not only a point in the order?
static inline bool keeli_node_is_work(const keeli_node *node) {
    return node->kind == KEELI_NODE_SYSTEM || node->kind == KEELI_NODE_SYNC;
}
// Why node `to` waits for node `from`, one of those it has an edge from.
keel_wait keeli_why(const keeli_schedule *s, uint32_t from, uint32_t to);
// Out of memory while it is made, reported.
keel_result keeli_schedule_no_memory(const keeli_schedule *s);
// A node at the end of the list, or NULL.
keeli_node *keeli_new_node(keeli_schedule *s, keeli_node_kind kind, uint32_t group);
bool keeli_add_pair(keeli_schedule *s, uint32_t from, uint32_t to);
// Keep a table with its steps, and what one of them points to. False: out of memory.
bool keeli_witness_table(keeli_schedule *s, const keel_workload *table);
bool keeli_witness_step(keeli_schedule *s, const keel_step *step);
// Is what it was made of the same as then? Where there is a stamp that is enough.
bool keeli_witnesses_agree(const keeli_schedule *s);
