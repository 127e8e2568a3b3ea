// SPDX-License-Identifier: MIT
// A schedule: a workload made ready to run, its steps as a flat list of nodes in their final order
// with the edges between them. It is made once, and cached for as long as nothing changes that it
// was made of. Workloads and steps themselves are the user's, or stored by workload.c, which runs
// schedules; tell/ and rewind/ read them.
//
//   schedule.c  steps, nested ones too, become nodes and sections; the cache
//   key.c       what a schedule was made of, to notice changes
//   order.c     what .after, barriers and sequential sections ask for, and a stable sort of it all
//   graph.c     what each node touches, and an edge wherever two nodes conflict
//   execute.c   running a schedule, node by node
//   cost.c      whether it runs on one thread or on several
#pragma once
#include "run/context.h"

#include <keel/explain.h>

// An access of a node to a storage.
typedef struct keeli_touch {
    keeli_storage *storage;
    keel_access access;
} keeli_touch;

// The systems of a step.
typedef enum keeli_step_system {
    KEELI_STEP_SYSTEM,
    KEELI_STEP_RUN_IF,
    KEELI_STEP_SKIP_IF,
    KEELI_STEP_SYSTEMS // the number of these
} keeli_step_system;

// A node of a schedule. Kinds in capitals: members that only nodes of these kinds use.
typedef struct keeli_node {
    uint64_t serial; // unique in the world; its successor in a new schedule has the same
    keel_node_kind kind;
    bool everything; // the node may edit everything
    bool is_alone;   // no other node runs beside it: it may edit everything, or what is observed
    bool creates;    // records commands that may create entities
    bool has_conditions;
    uint32_t section; // its section
    uint32_t place;   // SYSTEM: number in list order; BEGIN: the section that it opens
    uint32_t of;      // COMMANDS: its system; SYSTEM, BEGIN: the node of its commands, or none
    keel_step step;   // SYSTEM, BEGIN: a copy of the step; names and components are the user's
    const keel_step *asked; // the step itself, to see whether it is disabled
    const char *name;       // name of the system or workload
    const char *workload;   // the name of the workload around it
    uint32_t first_touch, touch_count;
    uint32_t first_edge, edge_count; // nodes that wait for this one
    uint32_t waits_for;              // number of nodes that this one waits for
    // state of the current run, and what earlier runs left
    uint32_t pending; // nodes that this one waits for and that have not ended
    uint32_t runs;    // runs so far that did not fail, for step.times (atomic)
    uint64_t passed;  // step.every: nanoseconds since it was due (atomic); below 0: it ran early
    bool is_counting; // a system with step.times is running; under the world's lock
    bool is_removed;  // by keel_remove_step, or with the workload around it
    bool is_skipped;  // a condition said no, or its section is skipped
    bool is_blocked;  // a node that it depends on failed
    bool has_ended;
    bool has_failed; // or did not run because of another failure
    bool is_main;    // runs on the calling thread only
    bool is_measured;
    uint64_t cost;  // nanoseconds, smoothed (cost.c)
    uint64_t after; // while costs are added up: nanoseconds of the longest chain to it
    keeli_bound *bound[KEELI_STEP_SYSTEMS]; // made at the first run
    keeli_view *editor;                 // COMMANDS: what these commands edit; made at the first run
    KEELI_ARRAY(keel_commands *) lists; // commands that were recorded, in order
} keeli_node;

// A nested workload, or the outermost one (section 0).
typedef struct keeli_section {
    const char *name;
    const char *label;
    uint32_t outer;       // the section around it; 0 for section 0
    uint32_t open, close; // its two nodes; KEEL_NO_NODE for the outermost
    uint32_t first, end;  // positions in list order
    bool sequential, main_thread;
    uint32_t times;          // limit of runs of each system in it; 0: no limit
    const keel_step *steps;  // while the schedule is made: the list of steps
    uint32_t step_count, at; // and the position in it
} keeli_section;

typedef struct keeli_node_edge {
    uint32_t from, to;
    bool is_loose; // only an order: a failure does not pass along it
} keeli_node_edge;

// A thing that the schedule was made of: `count` items of `size` bytes, which were copied to offset
// `copy` of `key_bytes`.
typedef struct keeli_key {
    const void *at;
    uint32_t size, count, copy;
    bool (*is_same)(const void *a, const void *b);
} keeli_key;

// The cost of runs of a schedule, to decide whether several threads gain anything (cost.c).
typedef struct keeli_costs {
    bool are_wanted;     // several threads could run this run
    bool is_timed;       // this run measures all its nodes, else only new ones
    bool is_open;        // either way may be better: this run is measured as a whole
    bool is_wide;        // this run uses several threads
    bool are_known;      // all nodes that do something are measured
    uint32_t news;       // set when a node was measured for the first time (atomic)
    uint32_t nodes;      // nodes that do something
    uint64_t sum, chain; // nanoseconds of all nodes, and of the longest chain
    uint64_t began;
    keeli_cost run; // the cost of whole runs
} keeli_costs;

typedef struct keeli_schedule {
    keel_world *world;
    const keel_run_desc *run;             // the description of this run
    struct keeli_schedule *next;          // in the cache
    const keel_workload *table;           // the table that it was made of, or NULL
    struct keeli_stored_workload *stored; // the stored workload that it was made of, or NULL
    uint64_t stamp;                       // the stamp of the table; 0: compare the keys
    uint64_t bindings;                    // the world's bindings, when the schedule was made
    bool is_busy;                         // a run uses it
    bool is_second;                       // made while another schedule of the workload was busy
    bool is_partial;                      // a component was unknown in shared mode: to be made anew
    KEELI_ARRAY(keeli_node) nodes;        // in linear order
    KEELI_ARRAY(keeli_section) sections;
    KEELI_ARRAY(keeli_node_edge) edges; // by the node that they start from
    KEELI_ARRAY(keeli_touch) touches;
    KEELI_ARRAY(keeli_key) keys;
    KEELI_ARRAY(char) key_bytes;
    uint32_t system_count;
    uint32_t created;    // nodes that create entities
    bool is_wide;        // two nodes can run at once, or a step is parallel
    uint32_t parallel;   // steps that are split
    bool has_limits;     // a step has .times
    bool has_periods;    // a step has .every
    bool is_nested;      // this run has steps with .times and is inside another run
    bool names_stored;   // a step names a stored workload: keys cannot be compared
    bool is_inner;       // the run began inside another one or in shared mode
    bool is_guest;       // `is_inner`, or views are open: commands are deferred
    uint32_t runs;       // runs so far
    keeli_costs costs;   // measured cost of runs
    uint64_t first_tick; // the tick of the first node of this run; each later node has one more
    // By node: the count of a component without which its loop does nothing; or NULL.
    KEELI_ARRAY(const uint32_t *) idle;
    KEELI_ARRAY(uint32_t) ready, ready_main;   // heaps of a run (workers.c) and of order.c
    KEELI_ARRAY(keel_workload_node) described; // made by tell/describe.c on demand
} keeli_schedule;

// Returns the schedule of a table, or of the stored workload of that name, marked as busy. NULL:
// see `*result`; then nothing was cached.
keeli_schedule *keeli_schedule_acquire(keel_world *world, const keel_workload *table,
                                       const char *name, keel_result *result);
// Marks a schedule as not busy.
void keeli_schedule_release(keeli_schedule *schedule);
void keeli_schedules_deinit(keel_world *world);
// Frees the schedules of a stored workload, and what its systems know.
void keeli_schedules_forget(keeli_stored_workload *stored);
// Marks a step of a stored workload as removed: no other step gets what it knows of its runs.
void keeli_schedules_remove_step(keel_world *world, uint32_t number);
// Returns the first of the schedules of all tables, or of the stored workload. The schedules of the
// same workload are among them.
keeli_schedule *keeli_schedules_beside(const keeli_schedule *s);
// Runs all nodes. Returns KEEL_OK, or the first failure in linear order.
keel_result keeli_schedule_run(keeli_schedule *s);

// The most seconds between two runs of a step, and of time that passes with one run: 31 years.
#define KEELI_MAX_SECONDS 1e9

// ------------------------------------------------------------------ making a schedule
// Brings the nodes into linear order. Returns KEEL_OK or an error, which is reported.
keel_result keeli_order(keeli_schedule *s);
// Adds edges between nodes that conflict. Returns KEEL_OK, or KEEL_ERROR_MEMORY, which is reported.
keel_result keeli_graph(keeli_schedule *s);
// Reports that memory ran out while the schedule is made.
keel_result keeli_schedule_no_memory(const keeli_schedule *s);
// Adds a node at the end of the list. NULL if out of memory.
keeli_node *keeli_new_node(keeli_schedule *s, keel_node_kind kind, uint32_t section);
// Notes what a system or the beginning of a nested workload touches, and adds a node for its
// commands if it records some. `view` is a view to bind terms in.
keel_result keeli_touch_step(keeli_schedule *s, uint32_t index, keeli_view *view);
// Adds an edge. False if out of memory.
bool keeli_add_edge(keeli_schedule *s, uint32_t from, uint32_t to, bool is_loose);
// Sorts the edges by node, removes double ones, and tells each node which edges it has.
void keeli_sort_edges(keeli_schedule *s);
// Copies a table with its steps, and what a step points to. False if out of memory.
bool keeli_key_table(keeli_schedule *s, const keel_workload *table);
bool keeli_key_step(keeli_schedule *s, const keel_step *step);
// True if everything that the schedule was made of is the same as then. Where there is a stamp,
// nothing is compared.
bool keeli_keys_agree(const keeli_schedule *s);

// ------------------------------------------------------------------ running a schedule
// True if the node does something. Other nodes are only points in the order.
static inline bool keeli_node_is_work(const keeli_node *node) {
    return node->kind == KEEL_NODE_SYSTEM || node->kind == KEEL_NODE_COMMANDS;
}
// True if the node does nothing, because there is none of a component that it requires.
static inline bool keeli_node_is_idle(const keeli_schedule *s, uint32_t index) {
    const uint32_t *idle = s->idle.items[index];
    return idle && !*idle && !s->is_guest; // a guest may meet a conflict, which must be reported
}
// True if nothing that the node depends on has failed. Commands belong to their system: they are
// applied if the system did not fail.
bool keeli_node_may_run(const keeli_schedule *s, const keeli_node *node);
// Runs a node that may run.
keel_result keeli_node_run(keeli_schedule *s, uint32_t index, keeli_worker *worker);
// A heap of node numbers, the smallest first; the caller has room for all of them (order.c).
void keeli_heap_push(uint32_t *heap, uint32_t *count, uint32_t value);
uint32_t keeli_heap_pop(uint32_t *heap, uint32_t *count);
// Reserves handles for what its systems create, before a run, and returns the unused ones after it
// (handles.c). Returns KEEL_OK, KEEL_ERROR_MEMORY or KEEL_ERROR_FULL.
keel_result keeli_handles_reserve_all(keeli_schedule *s);
void keeli_handles_return_all(keeli_schedule *s);

// True if a unit of work is to go to several threads. The caller measures it for keeli_cost_note.
bool keeli_cost_decide(keeli_cost *cost);
void keeli_cost_note(keeli_cost *cost, bool many, uint64_t ns);
// The way that a loop runs.
typedef struct keeli_loop_way {
    bool is_many;    // on several threads
    bool is_timed;   // it is to be measured
    uint64_t one_ns; // expected time on one thread; 0: not known
} keeli_loop_way;
// Decides the same for a loop over `items` of something, whose number may change. If a helper costs
// more than the whole loop takes on one thread, one thread runs it.
keeli_loop_way keeli_cost_decide_loop(keeli_cost *cost, uint32_t items, uint64_t helper_ns);
void keeli_cost_note_loop(keeli_cost *cost, uint32_t items, bool many, uint64_t ns);
// Called before and after a run. `may_be_wide`: several threads are allowed; whether they are used
// is costs.is_wide.
void keeli_costs_begin(keeli_schedule *s, bool may_be_wide);
void keeli_costs_end(keeli_schedule *s);
// True if this run is to measure the node.
static inline bool keeli_costs_want(const keeli_schedule *s, const keeli_node *node) {
    return s->costs.are_wanted && (s->costs.is_timed || !node->is_measured);
}
// Notes how long a node took.
void keeli_costs_note(keeli_schedule *s, keeli_node *node, uint64_t ns);

// Finds the next of the names in a list, and moves `*list` behind it; false at the end.
bool keeli_next_name(const char **list, const char **name, size_t *length);
// Checks that a step is just one of the four kinds. Returns KEEL_OK or KEEL_ERROR_ARGUMENT.
keel_result keeli_check_step(keel_world *world, const keel_step *step, const char *workload);

// ------------------------------------------------------------------ states (state.c)
// Checks the options of a step about states. Returns KEEL_OK or KEEL_ERROR_ARGUMENT.
keel_result keeli_state_check(keel_world *world, const keel_step *step, const char *workload);
// Checks that there is a transition for each step that waits for one.
keel_result keeli_state_check_all(const keeli_schedule *s);
// Finds the uniques that these options are looked up in. Returns their number: 0 to 2.
uint32_t keeli_state_uniques(const keel_step *step, const keel_component *uniques[2]);
// Clears `*yes` or leaves it, by the options about states. Returns KEEL_OK or
// KEEL_ERROR_MISSING_UNIQUE.
keel_result keeli_state_ask(keeli_schedule *s, const keeli_node *node, bool *yes);

// ------------------------------------------------------------------ stored workloads (workload.c)
void keeli_workloads_deinit(keel_world *world);
// Reports that NULL was passed for a workload. Returns KEEL_ERROR_ARGUMENT.
keel_result keeli_no_workload(keel_world *world);
// Returns the stored workload of this name, or NULL.
keeli_stored_workload *keeli_stored_find(const keel_world *world, const char *name);
// Reports an unknown name, with the names that are known. Returns KEEL_ERROR_UNKNOWN.
keel_result keeli_unknown_workload(keel_world *world, const char *name);
