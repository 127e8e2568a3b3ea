// SPDX-License-Identifier: MIT
// One system, split over the workers: each takes pieces of its view and runs a copy of its context
// over them. What pieces record is joined in their order; the first piece, in that order, that
// fails is the failure of the system, and all pieces run in any case.
#include "run/stock.h"
#include "run/team.h"
#include "run/timings.h"
#include "world/report.h"

#include <string.h>

static keel_result refuse(keel_world *world, const keel_system *system, const char *why) {
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                        "system '%s' cannot be split over several threads: %s", system->name, why);
}

static bool writes(keel_term_kind kind) {
    return kind == KEEL_TERM_EDIT_WORLD || kind == KEEL_TERM_EDIT_ENTITIES ||
           keeli_term_access(kind) > KEEL_ACCESS_READ;
}

// Several threads run the body at once: nothing that it writes may be shared by them.
keel_result keeli_check_split(keel_world *world, const keel_system *system) {
    if (system->kind != KEEL_PER_ENTITY && system->kind != KEEL_PER_SPAN)
        return refuse(world, system, "it runs once, not per entity or span");
    for (const keel_term *t = system->terms; t->kind != KEEL_TERM_END; ++t) {
        if (t->kind == KEEL_TERM_CUSTOM)
            return refuse(world, system,
                          "all of them would share its custom view; take it with KEEL_CUSTOM_READ");
        if (t->kind == KEEL_TERM_CUSTOM_READ && keeli_custom_has(t->custom, writes))
            return refuse(world, system, "its custom view may write, and all of them share it");
        if (t->kind == KEEL_TERM_UNIQUE_WRITE)
            return refuse(world, system, "it writes a unique, which all of them would share");
        if (t->kind == KEEL_TERM_MAY_WRITE || t->kind == KEEL_TERM_MAY_EDIT ||
            t->kind == KEEL_TERM_EDIT)
            return refuse(world, system,
                          "it may change components of any entity, and two could meet at one");
    }
    return KEEL_OK;
}

typedef struct split {
    keel_context *context; // of the system
    keeli_iterator *it;    // of the lane that began it
    keeli_loop *loop;
    bool records;    // commands: what each piece did is in loop->lists
    uint32_t failed; // under the world's lock, with what follows
    const void *object;
    char message[sizeof((keel_context *)0)->message];
} split;

static void keep_failure(split *s, const keel_context *context) {
    keeli_world_lock(context->world);
    if (context->piece < s->failed) {
        s->failed = context->piece;
        s->object = context->object;
        memcpy(s->message, context->message, sizeof context->message);
    }
    keeli_world_unlock(context->world);
}

static void run_piece(split *s, keel_context *context, keeli_iterator *it, uint32_t piece) {
    const keeli_arena_mark mark = keeli_arena_now(&context->lane->scratch);
    context->piece = context->lane->piece = piece;
    context->has_turn = context->failed = false;
    context->message[0] = 0;
    keel_commands *list = context->commands;
    keeli_iterator_aim(it, &s->loop->pieces.list.items[piece]);
    keeli_run_walk(context, it);
    if (context->failed) keep_failure(s, context);
    if (list && list->first) { // otherwise the next piece has it
        s->loop->lists.items[piece] = list;
        context->commands = NULL;
    }
    keeli_arena_back(&context->lane->scratch, mark);
}

// A list for the pieces of this lane. Out of memory is the failure of the piece.
static bool has_list(split *s, keel_context *context, uint32_t piece) {
    if (!s->records || context->commands) return true;
    if (keeli_context_take_commands(context) == KEEL_OK) {
        if (!context->is_inner) keeli_stock_serve(context->commands, context);
        return true;
    }
    context->piece = piece;
    keel_fail(context, NULL, "out of memory");
    keep_failure(s, context);
    return false;
}

// The owner's time is that of the system; whoever helps has a timing of its own.
static void take_pieces(split *s, keel_context *context, keeli_iterator *it) {
    keeli_loop *loop = s->loop;
    const keeli_lane *lane = context->lane;
    keeli_share share = { 0 };
    uint32_t piece = keeli_loop_next(loop, lane, &share);
    const bool is_timed = context->world->timings && lane != loop->owner && piece != UINT32_MAX;
    const uint64_t number = is_timed ? keeli_timings_enter(context) : 0;
    for (; piece != UINT32_MAX; piece = keeli_loop_next(loop, lane, &share)) {
        if (has_list(s, context, piece)) run_piece(s, context, it, piece);
        keeli_loop_ended(loop, piece);
    }
    if (is_timed) keeli_timings_leave(context->world, number);
}

static void work(keeli_loop *loop, keeli_lane *lane) {
    split *s = loop->user;
    keeli_iterator *it = lane == loop->owner ? s->it : keeli_iterator_take_like(s->it);
    if (!it) return; // the owner has one
    keel_context context = *s->context;
    const char *outer = lane->running;
    context.lane = lane;
    context.loop = loop;
    context.commands = NULL;
    if (lane != loop->owner) lane->node = loop->owner->node;
    lane->running = context.system->name;
    keeli_fill_fixed_columns(&context, &it->chunk);
    keeli_fill_fixed_columns(&context, &it->span);
    take_pieces(s, &context, it);
    if (context.commands) keeli_commands_discard(context.world, context.commands); // empty
    lane->running = outer;
    lane->piece = 0;
    if (lane == loop->owner) return;
    lane->node = KEELI_NO_NODE;
    keeli_iterator_give(it);
}

// What pieces recorded belongs to the node, or, outside of workloads, waits to be applied.
static void collect(const split *s) {
    const keel_context *context = s->context;
    keel_world *world = context->world;
    for (uint32_t i = 0; i < s->loop->lists.count; ++i) {
        keel_commands *list = s->loop->lists.items[i];
        if (!list) continue;
        keeli_commands_close(list);
        if (context->node) context->node->lists.items[context->node->lists.count++] = list;
        else if (s->failed != UINT32_MAX) keeli_commands_discard(world, list);
        else keeli_commands_submit(world, list);
    }
}

static bool make_room(split *s, const keel_context *context) {
    keeli_heap *heap = &context->world->heap;
    keeli_loop *loop = s->loop;
    if (!keeli_pieces_make(&loop->pieces, s->it)) return false;
    const uint32_t count = loop->pieces.list.count;
    s->records = keeli_context_records(context);
    if (!keeli_loop_size(loop, count, s->records)) return false;
    if (!s->records || !count) return true;
    if (!KEELI_RESERVE(heap, &loop->lists, count)) return false;
    loop->lists.count = count;
    memset(loop->lists.items, 0, count * sizeof *loop->lists.items);
    return !context->node || KEELI_RESERVE(heap, &context->node->lists, count);
}

static keel_result run_pieces(keel_context *context, split *s) {
    keel_world *world = context->world;
    if (!make_room(s, context)) return keeli_out_of_memory(world, "splitting a system");
    s->loop->work = work;
    s->loop->user = s;
    s->loop->is_private = keeli_holder_is_bound(&context->view->holder);
    s->loop->piece_ns = context->view->piece_ns;
    const bool begins = keeli_world_go_concurrent(world);
    if (s->loop->count) keeli_loop_run(s->loop, context->lane);
    if (begins) keeli_world_end_concurrent(world);
    if (!context->is_inner) keeli_stock_return(world, &s->loop->stock);
    context->view->piece_ns = s->loop->piece_ns;
    collect(s);
    return KEEL_OK;
}

keel_result keeli_run_split(keel_context *context) {
    split s = { .context = context, .failed = UINT32_MAX };
    s.it = keeli_iterator_take(context->view);
    s.loop = s.it ? keeli_loop_take(context->lane->team) : NULL;
    const keel_result result = s.loop ? run_pieces(context, &s) : KEEL_ERROR_MEMORY;
    if (s.loop) keeli_loop_give(s.loop);
    if (s.it) keeli_iterator_give(s.it);
    if (s.failed != UINT32_MAX) {
        context->failed = true;
        context->object = s.object;
        memcpy(context->message, s.message, sizeof s.message);
    }
    return result;
}
