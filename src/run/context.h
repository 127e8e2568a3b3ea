// SPDX-License-Identifier: MIT
// Types and functions of running systems: what a system is bound to (keeli_bound), its context
// while it runs (keel_context), and the functions of call.c, system.c, events.c, custom.c and
// handles.c that other files call. Workloads and schedules are in schedule.h, threads in workers.h.
#pragma once
#include "edit/commands.h"
#include "find/view.h"

#include <keel/timing.h>
#include <keel/workload.h>

struct keeli_iterator;
struct keeli_loop;
struct keeli_node;

// Handles that are reserved before a system runs, for the entities that it creates, so that the
// handles do not depend on which thread is faster.
typedef struct keeli_handles {
    KEELI_ARRAY(keel_entity) list;
    uint32_t used; // number of handles of `list` that new entities have got
    uint32_t want; // number of handles to reserve for the next run: a quarter more than were used
    uint32_t most; // the most handles that `list` ever had
    uint64_t emptied; // keel_world.emptied at the run that set `want`
} keeli_handles;

// A bound system: its terms are resolved to the storages of a world. That costs more than a loop
// over a hundred entities, so it is cached. The results of earlier runs are cached with it: which
// changes the system has seen, how many handles it uses, what a piece of it costs. A step of a
// workload has a bound system, and one more for each of its conditions. The bound systems of single
// systems are in keel_world.systems, by the address of the system.
enum { KEELI_LOOKS = 3 };
typedef struct keeli_bound {
    const keel_system *system;
    keeli_view *view;       // its terms; NULL: not bound yet
    keeli_reader *reader;   // which changes it has seen; NULL: it never asked for changes
    keeli_reader *parked;   // `reader`, put aside when a snapshot from before its first use was
                            // restored
    keeli_handles reserved; // handles for new entities, in a workload
    keeli_cost loop_cost;   // measured cost of its pieces, when it is split
    bool is_loop;  // runs per entity or span and has no events, so without matches it does nothing
    bool is_mere;  // `is_loop`, and has no uniques, data or custom views, whose errors must be
                   // reported: it may be skipped when nothing matches
    bool is_plain; // its results are the same whether it runs in pieces or as a whole
    // Required storages, and storages whose changes the system filters by; NULL for a storage that
    // the world does not know. Only the first KEELI_LOOKS of each are stored: enough to find out
    // cheaply, in most cases, that there is nothing to do.
    uint8_t must_count, change_count;
    const keeli_storage *must[KEELI_LOOKS], *changes[KEELI_LOOKS];
} keeli_bound;

// The description of a run whose caller passed none.
extern const keel_run_desc keeli_plain_run;

struct keel_context {
    keeli_inside in;
    const keel_system *system;
    keeli_bound *bound;      // the bound system
    keeli_view *view;        // its terms, and the holder of the storages that it may access
    uint64_t tick;           // the tick of its changes
    keeli_worker *worker;    // the worker it runs on
    struct keeli_node *node; // its node in a workload, or NULL
    struct keeli_loop *loop; // when it is split: the loop whose `piece` it runs, else NULL
    uint32_t piece;
    bool has_turn;            // all pieces before this one have ended
    bool splits;              // its loop is split over the workers
    bool is_inner;            // it began in shared mode or inside another run
    keel_commands *commands;  // NULL unless declared
    const keel_run_desc *run; // the data of the run
    uint64_t visited;         // entities that its loop visited on this worker
    void **customs;           // custom views by term, if it has any
    keeli_arena *scratch;     // memory of a custom view; NULL: the worker's
    bool answer;              // a condition's answer
    const void *object;       // given to keel_fail
    char message[200];        // given to keel_fail
};

// Returns the tick of changes that the calling thread makes now, inside a system or outside of
// systems.
uint64_t keeli_tick_inside(keel_world *world);

// Sets up a context without commands. Only the first byte of the message is cleared, because
// clearing all of it would be most of the cost.
static inline void keeli_context_init(keel_context *context, keel_world *world,
                                      const keel_system *system, keeli_worker *worker) {
    context->in = (keeli_inside){ .scope.kind = KEELI_SCOPE_CONTEXT, .world = world };
    context->system = system;
    context->bound = NULL;
    context->view = NULL;
    context->tick = world->refused ? keeli_tick_inside(world) : world->changes.tick;
    context->worker = worker;
    context->node = NULL;
    context->loop = NULL;
    context->piece = 0;
    context->has_turn = context->splits = false;
    context->is_inner = world->refused > 0;
    context->commands = NULL;
    context->run = &keeli_plain_run;
    context->visited = 0;
    context->scratch = NULL;
    context->answer = false;
    context->object = NULL;
    context->message[0] = 0;
}

// Marks a context as ended when its system has returned. In checked builds a context that is used
// afterwards is reported, as long as its place on the stack is not overwritten.
static inline void keeli_context_end(keel_context *context) {
    if (KEELI_CHECKED)
        *(volatile uint32_t *)&context->in.scope.kind = KEELI_SCOPE_ENDED;
}

// ------------------------------------------------------------------ queries
// True if the system runs per entity or per span.
static inline bool keeli_system_is_loop(const keel_system *system) {
    return system->kind == KEEL_SYSTEM_PER_ENTITY || system->kind == KEEL_SYSTEM_PER_SPAN;
}
// Sets the bound terms of the system. Their holder has the storages that the system may access.
static inline void keeli_context_set_view(keel_context *context, keeli_view *view) {
    context->view = view;
    context->in.holder = &view->holder;
    context->in.kind = view->custom ? "view" : "system";
}
// True if the worker belongs to the calling thread. False in a helper that runs a piece of the loop
// of another worker's system.
static inline bool keeli_worker_is_here(const keel_world *world, const keeli_worker *worker) {
    return !world->access.concurrent || worker->thread == keeli_thread_id();
}
// Reports that a piece of a split loop did something that only the system itself may do. `does`
// names it in the message: "sends an event".
keel_result keeli_context_elsewhere(keel_context *context, const char *does);
// True in the thread that runs the system. Otherwise the misuse is reported.
static inline bool keeli_context_is_here(keel_context *context, const char *does) {
    return keeli_worker_is_here(context->in.world, context->worker) ||
           keeli_context_elsewhere(context, does) == KEEL_OK;
}
// True if the system declared KEEL_WORLD.
static inline bool keeli_context_has_world(const keel_context *context) {
    return context->view->holder.everything;
}

// ------------------------------------------------------------------ call.c
// Runs the system of a context: checks it, opens its holder, calls it, closes the holder. Returns
// KEEL_ERROR_SYSTEM if the system failed.
keel_result keeli_run_bound(keel_context *context, keeli_bound *bound);
// Checks that a system or custom view may have the whole world: no holder may be open. It opens no
// holder itself, so that every call that the world's owner may make works. `kind` and `name` are
// for the message. Returns KEEL_OK, KEEL_ERROR_SHARED or KEEL_ERROR_BORROWED.
keel_result keeli_hold_everything(keel_world *world, const char *kind, const char *name);
// True if the system sends events that are deferred until it has ended.
static inline bool keeli_context_records_events(const keel_context *context) {
    return context->view->facts.sends && (context->splits || context->view->facts.defers_events);
}
// True if the system records commands or deferred events.
static inline bool keeli_context_records(const keel_context *context) {
    return context->view->facts.records || keeli_context_records_events(context);
}
// Sets context->commands to an empty list that may edit what the system declared, if the system
// records anything.
keel_result keeli_context_begin_commands(keel_context *context);
// Fills the columns that are the same in all chunks: uniques, data, events and custom views.
void keeli_fill_fixed_columns(keel_context *context, keel_chunk *chunk);
// Calls the system for all chunks of an iterator, until it fails.
void keeli_run_walk(keel_context *context, struct keeli_iterator *it);
// Runs the whole loop of a system that is not split, and releases the iterator.
void keeli_run_whole(keel_context *context, struct keeli_iterator *it);

// The record of when systems ran, if the user wants it (keel_timings_begin).
typedef struct keeli_timings {
    keeli_lock lock;
    uint64_t origin;    // time 0 of all entries
    uint64_t count;     // entries so far; entry n is at index n % capacity
    uint64_t frames;    // outermost workloads that have begun
    uint32_t capacity;  // length of `ring`
    keel_timing ring[]; // an entry with `end` 0 is of a system that still runs
} keeli_timings;
// Adds an entry for a system that begins, and returns the number of the entry for
// keeli_timings_leave. May be called only while the world records timings.
uint64_t keeli_timings_enter(const keel_context *context);
// Completes the entry with the entities that the loop visited.
void keeli_timings_leave(const keel_context *context, uint64_t number);
// The same for a node that applies commands: `system` is the node of the system, `edits` the number
// of its commands.
uint64_t keeli_timings_enter_commands(const keel_world *world, const struct keeli_node *node,
                                      const struct keeli_node *system, uint64_t tick,
                                      const keeli_worker *worker);
void keeli_timings_leave_commands(const keel_world *world, uint64_t number, uint64_t edits);
// Returns the time now as entries count it. May be called only while the world records timings.
uint64_t keeli_timings_time(const keel_world *world);

// ------------------------------------------------------------------ system.c
// Binds the terms of the system. `name` is for messages.
keel_result keeli_bound_bind(keeli_bound *bound, keel_world *world, const keel_system *system,
                             const char *name);
// Frees the bound terms, so that the next run binds them again. The results of earlier runs stay.
void keeli_bound_unbind(keeli_bound *bound);
// Frees the bound system of a step.
void keeli_bound_free(keel_world *world, keeli_bound *bound);

// True if no entity has one of the components that the view requires, so that a loop over it does
// nothing.
bool keeli_loop_is_empty(const keeli_view *view);
// Returns a required component that no entity has, so that the loop does nothing; NULL if there is
// no such component.
const keeli_storage *keeli_bound_lacks(const keeli_bound *bound);
// True if the system asks for changes and there were none since its last run.
bool keeli_bound_sees_nothing(const keel_world *world, const keeli_bound *bound);

// Checks the description of a system or, if `is_condition`, of a condition. Returns KEEL_OK or
// KEEL_ERROR_ARGUMENT.
keel_result keeli_check_system(keel_world *world, const keel_system *system, bool is_condition);
// Frees the cached bindings of single systems.
void keeli_systems_deinit(keel_world *world);

// ------------------------------------------------------------------ events.c
// Prepares the event queues for a system that is about to run and holds them. The system begins to
// receive, and the end of each queue that it sends to is marked, so that its events can be removed
// if it fails. Returns KEEL_OK, KEEL_ERROR_MEMORY or KEEL_ERROR_SHARED.
keel_result keeli_context_events_begin(keel_context *context);
// Called when the system has ended and still holds its storages. Moves its readers past the events
// that it received; if it failed, removes the events that it sent.
void keeli_context_events_end(keel_context *context, keel_result result);

// ------------------------------------------------------------------ custom.c
// Makes the custom views that the system takes, in the order of its parameters. If one cannot be
// made, keeli_context_end_inside drops those before it.
keel_result keeli_customs_begin(keel_context *context);
// Drops or closes all views that were opened inside the system and are still open, the last one
// first. Returns KEEL_OK or the first failure.
keel_result keeli_context_end_inside(keel_context *context);
// Drops the custom views that are still open when the world ends.
void keeli_customs_deinit(keel_world *world);

// ------------------------------------------------------------------ handles.c
// Calls `call(data)` when no other thread runs user code for the same run. With `in_turn` it also
// waits until all earlier systems and pieces that may create entities have ended.
void keeli_context_alone(keel_context *context, bool in_turn, void (*call)(void *data), void *data);
// Returns how many handles to reserve. Returns 0 if all entities were deleted at once since the
// last run, so that a world that was emptied and filled again gives the same handles as a new world
// that is filled the same way.
uint32_t keeli_handles_wanted(const keel_world *world, const keeli_handles *reserved);
// Returns the unused handles to the world. No user code has seen these handles.
void keeli_handles_return(keel_world *world, keeli_handles *reserved);
// Makes a command list use reserved handles for the entities that it creates: those of the
// context's step or, outside of workloads, of its loop. This lasts until keeli_commands_close.
void keeli_handles_serve(keel_commands *list, keel_context *context);
