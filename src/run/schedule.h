// SPDX-License-Identifier: MIT
// A schedule: a workload prepared for running, as a flat list of nodes in linear order and the
// edges between them. A schedule is made once, and cached until something changes that it was made
// from. The workloads and steps themselves belong to the user or are stored by workload.c.
// workload.c runs schedules; tell/ and rewind/ read them.
//
//   schedule.c  steps, nested ones too, become nodes and sections; the cache
//   key.c       copies of the descriptions that a schedule was made from, to notice changes
//   order.c     edges for .after, .before, barriers and sequential sections, and a stable sort
//   graph.c     the storages that each node accesses, and an edge between nodes that conflict
//   execute.c   running a schedule, node by node
//   cost.c      whether it runs on one thread or on several
//   waiting.c   the state of steps whose schedule is not made yet
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

// The condition that left a step out when conditions were last asked, for keel_step_why.
typedef enum keeli_left_out {
    KEELI_LEFT_OUT_BY_NONE, // no condition, or one that can be told from the world at any time
    KEELI_LEFT_OUT_BY_RUN_IF,
    KEELI_LEFT_OUT_BY_SKIP_IF,
    KEELI_LEFT_OUT_BY_EVERY
} keeli_left_out;

// A node of a schedule. Kinds in capitals: members that only nodes of these kinds use.
typedef struct keeli_node {
    uint64_t serial; // unique in the world; a new schedule's node for the same step takes it over
    keel_node_kind kind;
    bool everything; // the node may edit everything
    bool is_alone;   // no other node runs beside it: it may edit everything, or observed components
    bool creates;    // the node records commands that may create entities
    bool has_conditions;
    uint32_t section; // index of the section that the node is in
    uint32_t place;   // SYSTEM: its number in list order; BEGIN: index of the section that it opens
    uint32_t of;    // COMMANDS: the node of the system; SYSTEM, BEGIN: the node that applies their
                    // commands. KEEL_NO_NODE: none
    keel_step step; // SYSTEM, BEGIN: a copy of the step; names and components are the user's
    const keel_step *asked;            // the step itself, to see whether it is disabled
    const char *name;                  // name of the system or workload
    uint64_t called;                   // hash of the name, for rewind/runs.c; 0: not computed yet
    const char *workload;              // name of the workload around the node
    uint32_t first_touch, touch_count; // range in the schedule's `touches`
    uint32_t first_edge, edge_count; // range in its `edges`: those to nodes that wait for this one
    uint32_t waits_for;              // number of nodes that this one waits for
    // State of the current run, and results of earlier runs.
    uint32_t pending; // number of nodes that this one waits for and that have not ended
    uint32_t runs;    // number of runs so far that did not fail, for step.times (atomic)
    uint64_t passed; // step.every: nanoseconds since the step was last due (atomic). It wraps below
                     // 0 if the step ran up to a microsecond early (execute.c)
    bool is_counting; // a system with step.times is running; under the world's lock
    bool is_removed;  // keel_remove_step removed the step, or a nested workload around it
    keeli_left_out left_out;
    bool is_skipped; // the step is disabled, a condition said no, or its section is skipped
    bool is_blocked; // a node that it depends on failed
    bool has_ended;
    bool has_failed; // the node failed, or was blocked
    uint64_t ready; // time when the last node that it waits for ended, if the world records timings
    bool is_main;   // runs on the calling thread only
    bool is_measured;
    uint64_t cost;  // nanoseconds, smoothed (cost.c)
    uint64_t after; // nanoseconds of the longest chain of nodes before this one (cost.c)
    keeli_bound *bound[KEELI_STEP_SYSTEMS]; // made at the first run
    keeli_view *editor; // COMMANDS: holds the storages that they edit; made at the first run
    KEELI_ARRAY(keel_commands *) lists; // commands that the node's system recorded, in order
} keeli_node;

// A nested workload, or the outermost one (section 0).
typedef struct keeli_section {
    const char *name;
    const char *label;
    uint32_t outer;       // the section around it; 0 for section 0
    uint32_t open, close; // BEGIN and END node; KEEL_NO_NODE for section 0
    uint32_t first, end;  // range of its nodes, in list order
    bool sequential, main_thread;
    uint32_t times;          // most runs of each system in it; 0: no limit
    const keel_step *steps;  // its list of steps, while the schedule is made
    uint32_t step_count, at; // number of these steps, and of those that were added so far
} keeli_section;

typedef struct keeli_node_edge {
    uint32_t from, to;
    bool is_loose; // `to` runs after `from`, but also if `from` failed
} keeli_node_edge;

// A list that the schedule was made from: `count` items of `size` bytes, which were copied to
// offset `copy` of `key_bytes`.
typedef struct keeli_key {
    const void *at;
    uint32_t size, count, copy;
    bool (*is_same)(const void *a, const void *b);
} keeli_key;

// The cost of runs of a schedule, to decide whether several threads gain anything (cost.c).
typedef struct keeli_costs {
    bool are_wanted;     // this run may use several threads, so costs matter
    bool is_timed;       // this run measures all its nodes, else only new ones
    bool is_open;        // one thread or several may be faster: this run is measured as a whole
    bool is_wide;        // this run uses several threads
    bool are_known;      // all nodes that are not idle are measured
    uint32_t news;       // 1: a node was measured for the first time (atomic)
    uint32_t nodes;      // number of nodes that are not idle
    uint64_t sum, chain; // nanoseconds of all nodes, and of the longest chain
    uint64_t began;      // clock time when this run began, if it is measured
    keeli_cost run;      // the cost of whole runs
} keeli_costs;

typedef struct keeli_schedule {
    keel_world *world;
    const keel_run_desc *run;             // the description of this run
    struct keeli_schedule *next;          // in the cache
    const keel_workload *table;           // the table that it was made from, or NULL
    struct keeli_stored_workload *stored; // the stored workload that it was made from, or NULL
    uint64_t stamp;                       // the stamp of the table; 0: compare the keys
    uint64_t bindings;                    // the world's bindings, when the schedule was made
    bool is_busy;                         // a run uses it
    bool is_second;                       // made while another schedule of the workload was busy
    bool is_partial; // made in shared mode with a component still unknown: remake it next time
    KEELI_ARRAY(keeli_node) nodes; // in linear order
    KEELI_ARRAY(keeli_section) sections;
    KEELI_ARRAY(keeli_node_edge) edges; // sorted by `from`
    KEELI_ARRAY(keeli_touch) touches;
    KEELI_ARRAY(keeli_key) keys;
    KEELI_ARRAY(char) key_bytes;
    uint32_t system_count;
    uint32_t created;  // number of nodes that may create entities
    bool is_wide;      // two nodes can run at once, or a step is parallel
    uint32_t parallel; // number of steps with .parallel
    bool has_limits;   // a step has .times
    bool has_periods;  // a step has .every
    bool is_nested;    // this run has steps with .times and is inside another run
    bool names_stored; // a step names a stored workload, whose steps may be freed: see can_move_in
    bool is_inner;     // the run began inside another run or in shared mode
    bool is_guest;     // `is_inner`, or views are open: commands are deferred
    uint32_t runs;     // number of runs so far
    keeli_costs costs; // measured cost of runs
    uint64_t first_tick; // tick of the first node of this run; each next node has the next tick
    // By node: points to the entity count of a required component. While that count is 0 the node's
    // loop does nothing. NULL: unknown.
    KEELI_ARRAY(const uint32_t *) idle;
    KEELI_ARRAY(uint32_t) ready, ready_main;   // heaps of a run (workers.c) and of order.c
    KEELI_ARRAY(keel_workload_node) described; // made by tell/describe.c on demand
} keeli_schedule;

// Returns the schedule of a table or, if `table` is NULL, of the stored workload `name`, and marks
// it as busy. Returns NULL on failure, with the error in `*result`; then nothing was cached.
keeli_schedule *keeli_schedule_acquire(keel_world *world, const keel_workload *table,
                                       const char *name, keel_result *result);
// Marks a schedule as not busy.
void keeli_schedule_release(keeli_schedule *schedule);
void keeli_schedules_deinit(keel_world *world);
// Moves the state of a node, and what its systems are bound to, into a node of another schedule.
void keeli_node_move(keeli_node *node, keeli_node *was);
// Frees the schedules of a stored workload, and the run state of its systems.
void keeli_schedules_forget(keeli_stored_workload *stored);
// Marks a step of a stored workload as removed, so that its run state is not moved to another step
// of the same system.
void keeli_schedules_remove_step(keel_world *world, uint32_t number);
// Returns the first schedule of the list that `s` is in: the schedules of all tables, or those of
// its stored workload. All schedules of the same workload are in that list.
keeli_schedule *keeli_schedules_beside(const keeli_schedule *s);
// Runs all nodes. Returns KEEL_OK, or the first failure in linear order.
keel_result keeli_schedule_run(keeli_schedule *s);

// Limit of .every of a step and of .dt of a run, in seconds: 31 years.
#define KEELI_MAX_SECONDS 1e9

// ------------------------------------------------------------------ steps that wait (waiting.c)
// Returns the name of the outermost workload of a schedule, which identifies the schedule together
// with the kind, place and name of a node.
const char *keeli_schedule_name(const keeli_schedule *s);
// Returns the node of a schedule that was made, or else a node that waits, by its identity; NULL if
// there is none. A node for which `is_taken` returns true is passed over.
keeli_node *keeli_node_find(const keel_world *world, const char *workload, keel_node_kind kind,
                            uint32_t place, const char *name,
                            bool (*is_taken)(const void *data, uint64_t serial), const void *data);
// Adds a node that waits for the schedule of its workload. NULL when out of memory.
keeli_node *keeli_waiting_add(keel_world *world, const char *workload, keel_node_kind kind,
                              uint32_t place, const char *name);
// Makes room for the state of a system of a step that has not run yet; NULL when out of memory.
keeli_bound *keeli_waiting_bound(keel_world *world, keeli_node *node, keeli_step_system which);
// Returns the reader of a system of a step, in use or parked. Makes a parked one if there is none;
// NULL when out of memory. `name` is that of the system.
keeli_reader *keeli_waiting_step_reader(keel_world *world, keeli_node *node,
                                        keeli_step_system which, const char *name);
// Moves the state of nodes that wait into the nodes of a new schedule. The caller has the world's
// lock.
void keeli_waiting_claim(keeli_schedule *s);
void keeli_waiting_deinit(keel_world *world);

// ------------------------------------------------------------------ making a schedule
// Sorts the nodes into linear order. Returns KEEL_OK or an error, which is reported.
keel_result keeli_order(keeli_schedule *s);
// Adds edges between nodes that conflict. Returns KEEL_OK, or KEEL_ERROR_MEMORY, which is reported.
keel_result keeli_graph(keeli_schedule *s);
// Reports that memory ran out while the schedule was made.
keel_result keeli_schedule_no_memory(const keeli_schedule *s);
// Adds a node at the end of the list. NULL if out of memory.
keeli_node *keeli_new_node(keeli_schedule *s, keel_node_kind kind, uint32_t section);
// Records which storages a SYSTEM or BEGIN node accesses, and adds a COMMANDS node behind it if it
// records commands. `view` is a temporary view that the terms are bound in.
keel_result keeli_touch_step(keeli_schedule *s, uint32_t index, keeli_view *view);
// Adds an edge. False if out of memory.
bool keeli_add_edge(keeli_schedule *s, uint32_t from, uint32_t to, bool is_loose);
// Sorts the edges by node, removes duplicates, and sets first_edge, edge_count and waits_for of all
// nodes.
void keeli_sort_edges(keeli_schedule *s);
// Adds keys for a table and its list of steps. False if out of memory.
bool keeli_key_table(keeli_schedule *s, const keel_workload *table);
// Adds keys for the systems, terms and texts that a step points to. False if out of memory.
bool keeli_key_step(keeli_schedule *s, const keel_step *step);
// True if everything that the schedule was made from is unchanged. A schedule with a stamp has no
// keys: the caller compares the stamp.
bool keeli_keys_agree(const keeli_schedule *s);

// ------------------------------------------------------------------ running a schedule
// True if the node runs a system or applies commands. Other nodes are only points in the order.
static inline bool keeli_node_is_work(const keeli_node *node) {
    return node->kind == KEEL_NODE_SYSTEM || node->kind == KEEL_NODE_COMMANDS;
}
// True if running the node would do nothing, because no entity has one of its required components.
static inline bool keeli_node_is_idle(const keeli_schedule *s, uint32_t index) {
    const uint32_t *idle = s->idle.items[index];
    return idle && !*idle && !s->is_guest; // a guest may meet a conflict, which must be reported
}
// True if nothing that the node depends on has failed. Commands belong to their system: they are
// applied if the system did not fail.
bool keeli_node_may_run(const keeli_schedule *s, const keeli_node *node);
// Runs a node that may run.
keel_result keeli_node_run(keeli_schedule *s, uint32_t index, keeli_worker *worker);
// A binary heap of node indices, the smallest first. The caller reserves memory for it (order.c).
void keeli_heap_push(uint32_t *heap, uint32_t *count, uint32_t value);
uint32_t keeli_heap_pop(uint32_t *heap, uint32_t *count);
// Reserve handles for the entities that the systems of a schedule create, before a run, and return
// the unused handles after the run (handles.c). The first returns KEEL_OK, KEEL_ERROR_MEMORY or
// KEEL_ERROR_FULL.
keel_result keeli_handles_reserve_all(keeli_schedule *s);
void keeli_handles_return_all(keeli_schedule *s);

// True if the next run should use several threads. The caller measures the run and passes its time
// to keeli_cost_note.
bool keeli_cost_decide(keeli_cost *cost);
void keeli_cost_note(keeli_cost *cost, bool many, uint64_t ns);
// The choice how to run a loop.
typedef struct keeli_loop_way {
    bool is_many;    // run the loop on several threads
    bool is_timed;   // measure its time
    uint64_t one_ns; // expected time on one thread; 0: not known
} keeli_loop_way;
// Decides the same for a loop over `items` items, whose number may change from run to run. If the
// whole loop takes less time on one thread than a helper costs (`helper_ns`), one thread runs it.
keeli_loop_way keeli_cost_decide_loop(keeli_cost *cost, uint32_t items, uint64_t helper_ns);
void keeli_cost_note_loop(keeli_cost *cost, uint32_t items, bool many, uint64_t ns);
// Begins and ends the measurement of a run. keeli_costs_begin sets costs.is_wide: whether the run
// uses several threads. `may_be_wide`: several threads are allowed.
void keeli_costs_begin(keeli_schedule *s, bool may_be_wide);
void keeli_costs_end(keeli_schedule *s);
// True if this run is to measure the node.
static inline bool keeli_costs_want(const keeli_schedule *s, const keeli_node *node) {
    return s->costs.are_wanted && (s->costs.is_timed || !node->is_measured);
}
// Merges the time that a node took into its smoothed cost.
void keeli_costs_note(keeli_schedule *s, keeli_node *node, uint64_t ns);

// Finds the next of the names in a list, and moves `*list` behind it; false at the end.
bool keeli_next_name(const char **list, const char **name, size_t *length);
// Checks that a step has exactly one of system, workload, workload_name and barrier. Returns
// KEEL_OK or KEEL_ERROR_ARGUMENT.
keel_result keeli_check_step(keel_world *world, const keel_step *step, const char *workload);

// ------------------------------------------------------------------ states (state.c)
// Checks the options of a step about states. Returns KEEL_OK or KEEL_ERROR_ARGUMENT.
keel_result keeli_state_check(keel_world *world, const keel_step *step, const char *workload);
// Checks that there is a transition for each step that waits for one.
keel_result keeli_state_check_all(const keeli_schedule *s);
// Finds the uniques that hold the state and the transition that a step asks about. Returns their
// number: 0 to 2.
uint32_t keeli_state_uniques(const keel_step *step, const keel_component *uniques[2]);
// Sets `*yes` to false if the options about states do not let the step run. Returns KEEL_OK or
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
