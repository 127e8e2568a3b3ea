// SPDX-License-Identifier: MIT
// Systems: what one is bound to, what it has in hand while it runs, and what its call consists of.
#pragma once
#include "edit/commands.h"
#include "find/view.h"

#include <keel/timing.h>
#include <keel/workload.h>

struct keeli_iterator;
struct keeli_loop;
struct keeli_node;

// Handles that are reserved for what a system creates before it runs, so that they do not depend on
// time.
typedef struct keeli_handles {
    KEELI_ARRAY(keel_entity) list;
    uint32_t used;    // of `list`
    uint32_t want;    // how many to reserve next time: as many as it used at most, and some more
    uint32_t most;    // handles that there ever were
    uint64_t emptied; // keel_world.emptied when it used so many
} keeli_handles;

// A bound system: its terms are resolved to a world's storages, which costs more than a loop over a
// hundred entities, so that is kept; and with it what its runs left behind: what it has seen of
// changes, how many handles it takes, what a piece of it costs. A step of a workload has one, its
// conditions have one each; those that are run by themselves are found by their address.
enum { KEELI_LOOKS = 3 };
typedef struct keeli_bound {
    const keel_system *system;
    keeli_view *view;       // its terms; NULL: to be bound
    keeli_reader *reader;   // what it has seen of changes; NULL: it did not ask yet
    keeli_reader *parked;   // the one that it had, before a restore to when it had not asked yet
    keeli_handles reserved; // for what it creates, in a workload
    keeli_cost loop_cost;   // when it is split
    bool is_loop;           // over entities, so that it may have nothing to do
    bool is_mere;           // and there is nothing that must be checked before it is left out
    bool is_plain;          // nothing but time tells whether it ran in pieces or whole
    // What must be there, and whose changes it asks for, NULL: nobody knows it. The first ones will
    // do to find out that there is nothing to do.
    uint8_t must_count, change_count;
    const keeli_storage *must[KEELI_LOOKS], *changes[KEELI_LOOKS];
} keeli_bound;

// What a run is given that is given nothing.
extern const keel_run_desc keeli_plain_run;

struct keel_context {
    keeli_inside in;
    const keel_system *system;
    keeli_bound *bound;      // what it is bound to, with
    keeli_view *view;        // its terms, whose holder is what it may touch
    uint64_t tick;           // of what it changes
    keeli_worker *worker;    // where it runs
    struct keeli_node *node; // of a workload, or NULL
    struct keeli_loop *loop; // of which it runs `piece`, when it is split, or NULL
    uint32_t piece;
    bool has_turn;            // all pieces before this one have ended
    bool splits;              // over the workers
    bool is_inner;            // the world was shared when it began: others may be at work
    keel_commands *commands;  // NULL unless declared
    const keel_run_desc *run; // what the run was given
    void **customs;           // its custom views by term, when it has any
    keeli_arena *scratch;     // of a custom view; NULL: the worker's
    bool answer;              // of a condition
    const void *object;       // of keel_fail
    char message[200];        // of keel_fail
};

// The tick of what the calling thread changes in a system, or of somebody outside of systems.
uint64_t keeli_tick_inside(keel_world *world);

// A context without commands. The message is not cleared: it would be most of the cost.
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
    context->scratch = NULL;
    context->answer = false;
    context->object = NULL;
    context->message[0] = 0;
}

// The system has returned: in checked builds whoever kept the context hears of it, for as long as
// its place on the stack is not used by others.
static inline void keeli_context_end(keel_context *context) {
    if (KEELI_CHECKED) *(volatile uint32_t *)&context->in.scope.kind = KEELI_SCOPE_ENDED;
}

// ------------------------------------------------------------------ who runs
static inline bool keeli_system_is_loop(const keel_system *system) {
    return system->kind == KEEL_SYSTEM_PER_ENTITY || system->kind == KEEL_SYSTEM_PER_SPAN;
}
// It runs with these terms, which say what it may touch.
static inline void keeli_context_set_view(keel_context *context, keeli_view *view) {
    context->view = view;
    context->in.holder = &view->holder;
    context->in.kind = view->custom ? "view" : "system";
}
// Is it the calling thread's, and not that of a system in whose loop it helps?
static inline bool keeli_worker_is_here(const keel_world *world, const keeli_worker *worker) {
    return !world->access.concurrent || worker->thread == keeli_thread_id();
}
// In the thread that runs the system? Otherwise that is reported: what a system may do only by
// itself, pieces of its loops may not.
keel_result keeli_context_elsewhere(keel_context *context, const char *does);
static inline bool keeli_context_is_here(keel_context *context, const char *does) {
    return keeli_worker_is_here(context->in.world, context->worker) ||
           keeli_context_elsewhere(context, does) == KEEL_OK;
}
static inline bool keeli_context_has_world(const keel_context *context) {
    return context->view->holder.everything;
}

// ------------------------------------------------------------------ call.c
// Run the system of a context that is bound: hold, call, give back. It failed: KEEL_ERROR_SYSTEM.
keel_result keeli_run_bound(keel_context *context, keeli_bound *bound);
// Who (`kind` says what it is) has the whole world holds nothing, so that every call of its owner
// works; but nobody else may hold anything: KEEL_OK, KEEL_ERROR_SHARED, KEEL_ERROR_BORROWED.
keel_result keeli_hold_everything(keel_world *world, const char *kind, const char *name);
// Does it record anything: commands, or events that wait until it has ended?
static inline bool keeli_context_records_events(const keel_context *context) {
    return context->view->facts.sends && (context->splits || context->view->facts.defers_events);
}
static inline bool keeli_context_records(const keel_context *context) {
    return context->view->facts.records || keeli_context_records_events(context);
}
// An empty list for that, which may edit what the system said; into context->commands.
keel_result keeli_context_take_commands(keel_context *context);
// Columns that do not change from chunk to chunk: uniques, data, events and custom views.
void keeli_fill_fixed_columns(keel_context *context, keel_chunk *chunk);
// Call the system for all chunks of a walk, until it fails; and for the only walk of its run, whose
// iterator is given back.
void keeli_run_walk(keel_context *context, struct keeli_iterator *it);
void keeli_run_whole(keel_context *context, struct keeli_iterator *it);

// When systems ran, if the user wants it (keel_timings_begin).
typedef struct keeli_timings {
    keeli_lock lock;
    uint64_t origin;    // of all times
    uint64_t count;     // entries that have begun; number n lies at n % capacity
    uint64_t frames;    // outermost workloads that have begun
    uint32_t capacity;  // of `ring`
    keel_timing ring[]; // `end` 0: still running
} keeli_timings;
// The context's system begins, on its worker: a number for keeli_timings_leave. Only while timings
// are kept.
uint64_t keeli_timings_enter(const keel_context *context);
void keeli_timings_leave(keel_world *world, uint64_t number);

// ------------------------------------------------------------------ system.c
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

// ------------------------------------------------------------------ events.c
// The storages of a system with such parameters are held: it receives from now on, and what it
// sends can be taken back. KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_SHARED.
keel_result keeli_context_events_begin(keel_context *context);
// It has ended, and holds them still: it has passed what was there; what it sent goes if it failed.
void keeli_context_events_end(keel_context *context, keel_result result);

// ------------------------------------------------------------------ custom.c
// Make those that the system takes, in the order of its parameters; when one cannot be made the
// ones before it are for keeli_context_end_inside.
keel_result keeli_customs_begin(keel_context *context);
// Drop or close all that was opened inside and is still open, the last one first. KEEL_OK, or the
// first failure.
keel_result keeli_context_end_inside(keel_context *context);
// Those that are still open when the world ends.
void keeli_customs_deinit(keel_world *world);

// ------------------------------------------------------------------ handles.c
// Call when no other thread runs anybody's code on behalf of the run; `in_turn`: and all before
// this system, or piece, that may create entities have ended.
void keeli_context_alone(keel_context *context, bool in_turn, void (*call)(void *data), void *data);
// How many to reserve: none when all entities went at once since the last run, so that a world that
// was emptied and filled goes on as a new one does that was filled with the same.
uint32_t keeli_handles_wanted(const keel_world *world, const keeli_handles *reserved);
// What was not used was never seen, and goes back.
void keeli_handles_return(keel_world *world, keeli_handles *reserved);
// Commands that the system of this context records take their handles from those of its step or,
// outside of workloads, of its loop, until keeli_commands_close.
void keeli_handles_serve(keel_commands *list, keel_context *context);
