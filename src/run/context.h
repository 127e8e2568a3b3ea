// SPDX-License-Identifier: MIT
// What a running system has in hand.
#pragma once
#include "edit/commands.h"
#include "find/view.h"
#include "run/lane.h"

struct keeli_loop;
struct keeli_node;

struct keel_context {
    keel_world *world;
    const keel_system *system;
    keeli_view *view;        // its terms; its holder is what it may touch
    keeli_reader *reader;    // what it has seen of changes, or NULL
    uint64_t tick;           // of what it changes
    keeli_lane *lane;        // where it runs
    struct keeli_node *node; // of a workload, or NULL
    struct keeli_loop *loop; // of which it runs `piece`, when it is split, or NULL
    uint32_t piece;
    bool has_turn;           // all pieces before this one have ended
    bool splits;             // over the workers
    bool is_inner;           // the world was shared when it began: others may be at work
    keel_commands *commands; // NULL unless declared
    void *data;
    size_t data_size;
    void **customs;       // its custom views by term, when it has any
    keeli_arena *scratch; // of a custom view; NULL: the lane's
    bool failed, answer;
    const void *object; // of keel_fail
    char message[200];  // of keel_fail
};

// A context without commands. The message is not cleared: it would be most of the cost.
static inline void keeli_context_init(keel_context *context, keel_world *world,
                                      const keel_system *system, keeli_lane *lane) {
    context->world = world;
    context->system = system;
    context->view = NULL;
    context->reader = NULL;
    context->tick = world->tick;
    context->lane = lane;
    context->node = NULL;
    context->loop = NULL;
    context->piece = 0;
    context->has_turn = context->splits = false;
    context->is_inner = world->share_depth > 0;
    context->commands = NULL;
    context->data = NULL;
    context->data_size = 0;
    context->scratch = NULL;
    context->failed = context->answer = false;
    context->object = NULL;
    context->message[0] = 0;
}

// In the thread that runs the system? Otherwise that is reported: what a system may do only by
// itself, pieces of its loops may not.
keel_result keeli_context_elsewhere(keel_context *context, const char *does);
static inline bool keeli_context_is_here(keel_context *context, const char *does) {
    return keeli_lane_is_here(context->world, context->lane) ||
           keeli_context_elsewhere(context, does) == KEEL_OK;
}
// Call when no other thread runs anybody's code on behalf of the run (stock.c).
void keeli_context_alone(keel_context *context, void (*call)(void *data), void *data);
// Is it a system that can be run as a system, or as a condition? KEEL_OK, KEEL_ERROR_ARGUMENT.
keel_result keeli_check_system(keel_world *world, const keel_system *system, bool is_condition);
// Run the system of a context whose view is bound: borrow, call, give back. It failed:
// KEEL_ERROR_SYSTEM.
keel_result keeli_run_bound(keel_context *context);
// Does it record anything: commands, or events that wait until it has ended?
static inline bool keeli_context_records_events(const keel_context *context) {
    return context->view->sends && (context->splits || context->view->defers_events);
}
static inline bool keeli_context_records(const keel_context *context) {
    return context->view->records || keeli_context_records_events(context);
}
// An empty list for that, which may edit what the system said; into context->commands.
keel_result keeli_context_take_commands(keel_context *context);
// Columns that do not change from chunk to chunk: uniques, data, events and custom views.
void keeli_fill_fixed_columns(keel_context *context, keel_chunk *chunk);
// Call the system for all chunks of a walk, until it fails.
struct keeli_iterator;
void keeli_run_walk(keel_context *context, struct keeli_iterator *it);
// "system" or "view": for messages.
static inline const char *keeli_context_kind(const keel_context *context) {
    return context->view->custom ? "view" : "system";
}
// split.c: the same for a system that is split over the workers; and can it be?
keel_result keeli_check_split(keel_world *world, const keel_system *system);
keel_result keeli_run_split(keel_context *context);
