// SPDX-License-Identifier: MIT
// A workload made ready to run: its steps as a flat list of nodes in their final order, and the
// edges between them. Made once, and used again as long as nothing has changed that it was made of.
//
//   schedule.c  steps, nested ones too, become nodes and sections; keeping schedules
//   key.c       what one was made of, kept to notice changes
//   order.c     what .after, barriers and sequential sections ask for, and a stable sort of it all
//   graph.c     what each node touches, and an edge wherever two of them conflict
//   execute.c   running it, node by node
//   cost.c      on one thread or on several
#pragma once
#include "run/context.h"

#include <keel/explain.h>

// What a node touches.
typedef struct keeli_touch {
    keeli_storage *storage;
    keel_access access;
} keeli_touch;

// Who runs for a step.
typedef enum keeli_step_system {
    KEELI_STEP_SYSTEM,
    KEELI_STEP_RUN_IF,
    KEELI_STEP_SKIP_IF,
    KEELI_STEP_SYSTEMS // how many that are
} keeli_step_system;

typedef struct keeli_node {
    uint64_t serial; // of the world's; one that takes its place has the same
    keel_node_kind kind;
    bool everything; // edits all there is
    bool is_alone;   // nobody runs beside it: that, or what it edits is observed
    bool creates;    // records commands that may create entities
    bool has_conditions;
    uint32_t section; // in which it is
    uint32_t place;   // SYSTEM: which one in list order; BEGIN: the section that it opens
    uint32_t of;      // COMMANDS: whose; SYSTEM, BEGIN: the node of its commands, or none
    keel_step step;   // SYSTEM, BEGIN: what was asked for; names and components are the user's
    const keel_step *asked; // where that stands, to see whether it is disabled
    const char *name;       // of the system or workload
    const char *workload;   // in which it is
    uint32_t first_touch, touch_count;
    uint32_t first_edge, edge_count; // nodes that wait for this one
    uint32_t waits_for;              // how many nodes this one waits for
    // running
    uint32_t pending;   // of those it waits for, not ended yet
    uint32_t runs;      // so far that did not fail, for step.times (atomic)
    uint64_t passed;    // step.every: nanoseconds since it was due (atomic); below 0: it was early
    bool is_counting;   // a system with step.times is running; under the world's lock
    bool is_taken_away; // or it is inside of what was: keel_remove_step
    bool is_skipped;    // a condition said no
    bool is_blocked;    // something it depends on failed
    bool has_ended;
    bool has_failed; // or did not run because of another failure
    bool is_main;    // runs on the calling thread only
    bool is_measured;
    uint64_t cost;  // nanoseconds, smoothed (cost.c)
    uint64_t after; // nanoseconds of the longest way to it; while costs are added up
    keeli_bound *bound[KEELI_STEP_SYSTEMS]; // made at the first run
    keeli_view *editor;                 // COMMANDS: what these commands edit; made at the first run
    KEELI_ARRAY(keel_commands *) lists; // recorded, in order
} keeli_node;

// A nested workload, or the outermost one (section 0).
typedef struct keeli_section {
    const char *name;
    const char *label;
    uint32_t outer;       // the section around it; of 0: 0
    uint32_t open, close; // nodes; KEEL_NO_NODE for the outermost
    uint32_t first, end;  // positions in list order
    bool sequential, main_thread;
    uint32_t times;         // that each system in it runs; 0: no limit
    const keel_step *steps; // while it is made: the list, and where in it
    uint32_t step_count, at;
} keeli_section;

typedef struct keeli_node_edge {
    uint32_t from, to;
    bool is_loose; // the order only: a failure does not pass
} keeli_node_edge;

// What the schedule was made of: `count` things of `size` bytes, which were copied to offset `copy`
// of `key_bytes`.
typedef struct keeli_key {
    const void *at;
    uint32_t size, count, copy;
    bool (*is_same)(const void *a, const void *b);
} keeli_key;

// What runs of a schedule take, to know whether several threads gain anything (cost.c).
typedef struct keeli_costs {
    bool are_wanted;     // by this run: several threads could run it
    bool is_timed;       // this run measures its nodes, else only those that are new
    bool is_open;        // this run is one of those that are measured to find the better way
    bool is_wide;        // this run goes to several threads
    bool are_known;      // all nodes that do something were measured
    uint32_t news;       // nodes were measured for the first time (atomic)
    uint32_t nodes;      // that do something
    uint64_t sum, chain; // nanoseconds: of all, and of the longest chain
    uint64_t began;
    keeli_cost run; // of whole runs
} keeli_costs;

typedef struct keeli_schedule {
    keel_world *world;
    const keel_run_desc *run;             // what this run was given
    struct keeli_schedule *next;          // of the world
    const keel_workload *table;           // what it was made of, or
    struct keeli_stored_workload *stored; // this
    uint64_t stamp;                       // of the table; 0: compare the keys
    uint64_t bindings;                    // of the world
    bool is_busy;
    bool is_second;                // made while another one of the workload was busy
    bool is_partial;               // a component was unknown in shared mode: made anew next time
    KEELI_ARRAY(keeli_node) nodes; // in linear order
    KEELI_ARRAY(keeli_section) sections;
    KEELI_ARRAY(keeli_node_edge) edges; // by node that they start from
    KEELI_ARRAY(keeli_touch) touches;
    KEELI_ARRAY(keeli_key) keys;
    KEELI_ARRAY(char) key_bytes;
    uint32_t system_count;
    uint32_t created;    // nodes that create, of which
    bool is_wide;        // some two nodes may run at once, or a step is parallel
    uint32_t parallel;   // steps that are
    bool has_limits;     // a step has .times
    bool has_periods;    // a step has .every
    bool is_nested;      // this run of steps with .times is inside of another run
    bool names_stored;   // a nested workload is named, so that bytes tell nothing
    bool is_inner;       // the world was shared when the run began: others may be at work
    bool is_guest;       // that, or views are open: commands wait for later
    uint32_t runs;       // so far
    keeli_costs costs;   // what they take
    uint64_t first_tick; // of this run: each node has one more than the one before
    // By node: the count of a component without which its loop does nothing; or NULL.
    KEELI_ARRAY(const uint32_t *) idle;
    KEELI_ARRAY(uint32_t) ready, ready_main;   // heaps of a run (workers.c), and of order.c
    KEELI_ARRAY(keel_workload_node) described; // by tell/describe.c, when they were first asked for
} keeli_schedule;

// The schedule of a table, or of the stored workload of that name; marked as busy. NULL: see
// `*result`, nothing was kept.
keeli_schedule *keeli_schedule_take(keel_world *world, const keel_workload *table, const char *name,
                                    keel_result *result);
void keeli_schedule_give(keeli_schedule *schedule);
void keeli_schedules_deinit(keel_world *world);
// A stored workload goes, and what its systems knew.
void keeli_schedules_forget(keeli_stored_workload *stored);
// A step of a stored workload goes: no other one takes over what it knows of its runs.
void keeli_schedules_take_away(keel_world *world, uint32_t number);
// All of the tables, or of the stored workload: those of the same one are among them.
keeli_schedule *keeli_schedules_beside(const keeli_schedule *s);
// Run everything: KEEL_OK, or the first failure in linear order.
keel_result keeli_schedule_run(keeli_schedule *s);

// The most seconds between two runs of a step, and that pass with one run: 31 years.
#define KEELI_MAX_SECONDS 1e9

// ------------------------------------------------------------------ making one
// The parts (false: out of memory, reported by the caller; or `*result` is an error).
keel_result keeli_order(keeli_schedule *s);
keel_result keeli_graph(keeli_schedule *s);
// Out of memory while it is made, reported.
keel_result keeli_schedule_no_memory(const keeli_schedule *s);
// A node at the end of the list, or NULL.
keeli_node *keeli_new_node(keeli_schedule *s, keel_node_kind kind, uint32_t section);
// What a system or the beginning of a nested workload touches; behind it comes a node for its
// commands, when it records some. `view` is one to bind terms in.
keel_result keeli_touch_step(keeli_schedule *s, uint32_t index, keeli_view *view);
bool keeli_add_edge(keeli_schedule *s, uint32_t from, uint32_t to, bool is_loose);
// By node, each once; nodes know theirs then.
void keeli_sort_edges(keeli_schedule *s);
// Keep a table with its steps, and what one of them points to. False: out of memory.
bool keeli_key_table(keeli_schedule *s, const keel_workload *table);
bool keeli_key_step(keeli_schedule *s, const keel_step *step);
// Is what it was made of the same as then? Where there is a stamp that is enough.
bool keeli_keys_agree(const keeli_schedule *s);

// ------------------------------------------------------------------ running it
// Does it do something, or is it only a point in the order?
static inline bool keeli_node_is_work(const keeli_node *node) {
    return node->kind == KEEL_NODE_SYSTEM || node->kind == KEEL_NODE_COMMANDS;
}
// Does the node do nothing, because a component that it demands is nowhere?
static inline bool keeli_node_is_idle(const keeli_schedule *s, uint32_t index) {
    const uint32_t *idle = s->idle.items[index];
    return idle && !*idle && !s->is_guest; // a guest may have to hear of a conflict
}
// Has nothing failed that it depends on? Commands are part of their system: they are applied when
// that was well.
bool keeli_node_may_run(const keeli_schedule *s, const keeli_node *node);
// Run one node that may run.
keel_result keeli_node_run(keeli_schedule *s, uint32_t index, keeli_worker *worker);
// A heap of node numbers, the smallest first; the caller has room for all (order.c).
void keeli_heap_push(uint32_t *heap, uint32_t *count, uint32_t value);
uint32_t keeli_heap_pop(uint32_t *heap, uint32_t *count);
// Handles for what its systems create, before a run and after it (handles.c). KEEL_OK,
// KEEL_ERROR_MEMORY, KEEL_ERROR_FULL.
keel_result keeli_handles_reserve_all(keeli_schedule *s);
void keeli_handles_return_all(keeli_schedule *s);

// Is this unit of work to go to several threads? Then note how long it took.
bool keeli_cost_decide(keeli_cost *cost);
void keeli_cost_note(keeli_cost *cost, bool many, uint64_t ns);
// The same for a loop over `items` of something, which may have more of them each time. Where a
// helper costs more than the whole loop takes on one thread, one does it.
typedef struct keeli_loop_way {
    bool is_many;    // to several threads
    bool is_timed;   // measure it
    uint64_t one_ns; // what it will take on one thread; 0: not known
} keeli_loop_way;
keeli_loop_way keeli_cost_decide_loop(keeli_cost *cost, uint32_t items, uint64_t helper_ns);
void keeli_cost_note_loop(keeli_cost *cost, uint32_t items, bool many, uint64_t ns);
// Before and after a run that may go to several threads, or must not. The answer is costs.is_wide.
void keeli_costs_begin(keeli_schedule *s, bool may_be_wide);
void keeli_costs_end(keeli_schedule *s);
// Does this run want to know what the node takes? And it took so long.
static inline bool keeli_costs_want(const keeli_schedule *s, const keeli_node *node) {
    return s->costs.are_wanted && (s->costs.is_timed || !node->is_measured);
}
void keeli_costs_note(keeli_schedule *s, keeli_node *node, uint64_t ns);

// The next of the names in a list, which goes on behind it; false at the end.
bool keeli_next_name(const char **list, const char **name, size_t *length);
// Is it just one of the four kinds of steps? KEEL_OK, KEEL_ERROR_ARGUMENT.
keel_result keeli_check_step(keel_world *world, const keel_step *step, const char *workload);

// ------------------------------------------------------------------ states (state.c)
// Are the options of a step about a state possible? KEEL_OK, KEEL_ERROR_ARGUMENT.
keel_result keeli_state_check(keel_world *world, const keel_step *step, const char *workload);
// And is there a transition for those that wait for one?
keel_result keeli_state_check_all(const keeli_schedule *s);
// The uniques that they are looked up in: 0 to 2.
uint32_t keeli_state_uniques(const keel_step *step, const keel_component *uniques[2]);
// Do they, if it has some, let the step run? KEEL_OK, KEEL_ERROR_MISSING_UNIQUE.
keel_result keeli_state_ask(keeli_schedule *s, const keeli_node *node, bool *yes);

// ------------------------------------------------------------------ stored workloads (workload.c)
void keeli_workloads_deinit(keel_world *world);
// NULL was handed in: KEEL_ERROR_ARGUMENT.
keel_result keeli_no_workload(keel_world *world);
// The stored workload of this name, or NULL.
keeli_stored_workload *keeli_stored_find(const keel_world *world, const char *name);
// KEEL_ERROR_UNKNOWN, with the names there are.
keel_result keeli_unknown_workload(keel_world *world, const char *name);
