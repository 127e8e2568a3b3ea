// SPDX-License-Identifier: MIT
// Loops over pieces on several threads: systems that are split, and loops and reductions by direct
// call. Each worker of a split system has a copy of its context. Commands are joined in the order
// of the pieces that recorded them. If pieces fail, the failure of the earliest piece is that of
// the system; all pieces run in any case. call.c calls this for systems, users for direct loops.
//
// A loop on a worker of a run is helped by the other workers of that run. Any other thread acquires
// workers for the time of the loop. If one thread is to run the whole loop, and the system cannot
// tell the difference, the loop is not cut into pieces.
#include "run/workers.h"

#include "world/report.h"

#include <keel/parallel.h>

#include <string.h>

// The least time of pieces that a worker acquires at once: acquiring costs 100 ns when other
// threads do it, too.
enum { SHARE_NS = 2000 };

// ------------------------------------------------------------------ loops
// Acquires a loop from the spare ones, or makes a new one. The loop owns `it`, the iterator over
// its view, or NULL. Ends `it` and returns NULL when out of memory (reported).
static keeli_loop *acquire_loop(keeli_workers *workers, const keeli_loop_body *body,
                                keeli_iterator *it) {
    keeli_lock_acquire(&workers->lock);
    keeli_loop *loop = workers->spare_loops;
    if (loop)
        workers->spare_loops = loop->next;
    keeli_lock_release(&workers->lock);
    if (!loop)
        loop = KEELI_NEW(&workers->world->heap, keeli_loop);
    if (!loop) {
        if (it)
            keeli_iterator_end(it);
        (void)keeli_out_of_memory(workers->world, "splitting a loop");
        return NULL;
    }

    loop->workers = workers;
    loop->body = *body;
    loop->it = it;
    loop->partials = NULL;
    loop->records = body->context && keeli_context_records(body->context);
    loop->failed = KEELI_NO_PIECE;
    loop->is_denied = false;
    loop->taken = loop->users = loop->ended_before = 0;
    loop->share = 1;
    loop->lists.count = loop->pieces.list.count = 0;
    return loop;
}

// Ends the iterator of a loop, and adds the loop to the spare ones.
static void release_loop(keeli_loop *loop) {
    keeli_workers *workers = loop->workers;
    if (loop->it)
        keeli_iterator_end(loop->it);
    keeli_lock_acquire(&workers->lock); // from here on another thread may use the loop
    loop->next = workers->spare_loops;
    workers->spare_loops = loop;
    keeli_lock_release(&workers->lock);
}

void keeli_loops_deinit(keeli_workers *workers) {
    keel_world *world = workers->world;
    while (workers->spare_loops) {
        keeli_loop *loop = workers->spare_loops;
        workers->spare_loops = loop->next;
        KEELI_RELEASE(&world->heap, &loop->ended);
        KEELI_RELEASE(&world->heap, &loop->pieces.list);
        KEELI_RELEASE(&world->heap, &loop->lists);
        KEELI_RELEASE(&world->heap, &loop->reserved.list);
        KEELI_FREE(&world->heap, keeli_loop, loop);
    }
}

// Reserves in each loop what the largest one needed, because any spare loop can be the next one to
// be used.
bool keeli_loops_reserve(keeli_workers *workers, uint32_t count) {
    keeli_heap *heap = &workers->world->heap;
    uint32_t pieces = 0, handles = 0, there = 0;
    for (const keeli_loop *loop = workers->spare_loops; loop; loop = loop->next, ++there) {
        if (loop->most > pieces)
            pieces = loop->most;
        if (loop->reserved.most > handles)
            handles = loop->reserved.most;
    }

    for (; there < count; ++there) {
        keeli_loop *loop = KEELI_NEW(heap, keeli_loop);
        if (!loop)
            return false;
        loop->next = workers->spare_loops;
        workers->spare_loops = loop;
    }

    for (keeli_loop *loop = workers->spare_loops; loop; loop = loop->next) {
        loop->ended.count = loop->lists.count = loop->pieces.list.count = 0;
        if (!KEELI_RESERVE(heap, &loop->ended, pieces) ||
            !KEELI_RESERVE(heap, &loop->pieces.list, pieces) ||
            !KEELI_RESERVE(heap, &loop->lists, pieces) ||
            !KEELI_RESERVE(heap, &loop->reserved.list, handles))
            return false;
    }
    return true;
}

// ------------------------------------------------------------------ who runs which pieces
// The pieces that a worker has acquired and not run yet.
typedef struct share {
    uint32_t next, end;
} share;

keeli_loop *keeli_loop_open(const keeli_workers *workers) {
    keeli_loop *loop = workers->loops;
    while (loop && (loop->is_private || keeli_atomic_load(&loop->taken) >= loop->count))
        loop = loop->next;
    return loop;
}

// Calls helpers if the pieces that are left take longer than a helper costs. The time of a piece is
// first that of earlier runs of the loop, if there were any. It is measured when the owner has
// ended 1, 2, 4, 8 and so on pieces. `taken`: number of pieces that were acquired so far.
static void consider_helpers(keeli_loop *loop, uint32_t taken) {
    keeli_workers *workers = loop->workers;
    const uint32_t done = taken - loop->first;
    const bool is_power_of_two = (done & (done - 1)) == 0; // or 0
    if (!is_power_of_two)
        return;
    if (done)
        loop->piece_ns = (keeli_clock_ns() - loop->began) / done + 1;
    const uint64_t piece_ns = loop->piece_ns, left = loop->count - taken;
    const uint64_t all = piece_ns * left, least = keeli_helper_cost(workers->world);
    if (!piece_ns || all < least)
        return;
    loop->has_called = true;
    const uint64_t fair = left / ((uint64_t)workers->world->workers.count * 2);
    const uint64_t few = SHARE_NS / piece_ns;
    const uint64_t smaller = few < fair ? few : fair;
    // atomic, because idle workers may be in the loop already
    keeli_atomic_store(&loop->share, smaller ? (uint32_t)smaller : 1);

    const uint64_t helpers = all / least;
    keeli_lock_acquire(&workers->lock);
    keeli_workers_call(workers, helpers < left ? (uint32_t)helpers : (uint32_t)left);
    keeli_lock_release(&workers->lock);
}

// Returns the next piece for this worker, or KEELI_NO_PIECE. `mine`: the pieces that the worker has
// acquired; zero before the first call.
static uint32_t next_piece(keeli_loop *loop, const keeli_worker *worker, share *mine) {
    keeli_workers *workers = loop->workers;
    if (keeli_atomic_load(&workers->pausing))
        keeli_workers_pause(workers);
    if (mine->next < mine->end)
        return mine->next++;

    const uint32_t taken = keeli_atomic_load(&loop->taken);
    if (taken >= loop->count)
        return KEELI_NO_PIECE;
    const uint32_t left = loop->count - taken;
    const bool is_first = worker == loop->owner && !loop->has_called;
    if (is_first)
        consider_helpers(loop, taken);
    const bool is_alone = is_first && !loop->has_called;
    uint32_t many = 0, least = 1;
    if (is_alone) {
        many = taken - loop->first; // as many as so far: then consider_helpers decides again
    } else if (!is_first) {
        many = left / (workers->world->workers.count * 8); // fewer towards the end
        least = keeli_atomic_load(&loop->share);
    }
    const uint32_t count = many > least ? many : least;

    mine->next = keeli_atomic_fetch_add(&loop->taken, count);
    mine->end = mine->next + count;
    if (mine->next >= loop->count) { // other workers were faster
        mine->next = mine->end = 0;
        return KEELI_NO_PIECE;
    }
    if (mine->end > loop->count)
        mine->end = loop->count;
    return mine->next++;
}

// Marks a piece as ended, and wakes a worker that waits for its turn.
static void end_piece(keeli_loop *loop, uint32_t piece) {
    if (!loop->records)
        return;
    keeli_atomic_store(&loop->ended.items[piece], 1);
    keeli_workers *workers = loop->workers;
    if (!keeli_atomic_load(&workers->waiting))
        return;
    keeli_lock_acquire(&workers->lock);
    keeli_workers_announce(workers);
    keeli_lock_release(&workers->lock);
}

// ------------------------------------------------------------------ pieces
// Runs a piece of a system that is split, and stores what it recorded and its failure.
static void run_system_piece(keeli_loop *loop, keel_context *context, keeli_iterator *it,
                             uint32_t piece) {
    context->piece = piece;
    context->has_turn = context->in.failed = context->in.is_denied = false;
    context->message[0] = 0;

    if (loop->records && !context->commands) {
        if (keeli_context_begin_commands(context) < 0)
            keel_fail(context, NULL, "out of memory");
        else if (!context->is_inner)
            keeli_handles_serve(context->commands, context);
    }
    if (!context->in.failed)
        keeli_run_walk(context, it);

    if (context->in.failed) {
        keeli_world_lock(context->in.world);
        if (piece < loop->failed) {
            loop->failed = piece;
            loop->is_denied = context->in.is_denied;
            loop->object = context->object;
            memcpy(loop->message, context->message, sizeof loop->message);
        }
        keeli_world_unlock(context->in.world);
    }

    keel_commands *list = context->commands;
    if (!list || !list->first)
        return; // the next piece of this worker uses the empty list
    loop->lists.items[piece] = list;
    context->commands = NULL;
}

// Runs one piece. `context`: the worker's copy when a system is split, else NULL.
static void run_piece(keeli_loop *loop, keeli_worker *worker, keel_context *context,
                      keeli_iterator *it, uint32_t number) {
    const keeli_loop_body *body = &loop->body;
    const keeli_arena_mark mark = keeli_arena_now(&worker->scratch);
    const keel_piece piece = { number, worker->number,
                               loop->partials ? loop->partials + number * loop->stride : NULL,
                               loop->workers->world, worker };
    worker->piece = number;
    if (it)
        keeli_iterator_aim(it, &loop->pieces.list.items[number]);
    if (context) {
        run_system_piece(loop, context, it, number);
    } else if (it) {
        for (const keel_chunk *c; (c = keeli_iterator_advance_span(it)) != NULL;)
            body->span(&(keel_span){ c->count, c->entities, c, it->view }, &piece, body->data);
    } else {
        const uint32_t begin = number * body->grain, left = body->range_end - begin;
        body->range(begin, begin + keeli_least(left, body->grain), &piece, body->data);
    }
    keeli_arena_back(&worker->scratch, mark);
}

// Runs pieces until there are no more. Each helper adds an entry to the timings; the owner's time
// is in the entry of the system, which call.c adds.
static void run_shares(keeli_loop *loop, keeli_worker *worker, keel_context *context,
                       keeli_iterator *it) {
    share mine = { 0 };
    uint32_t piece = next_piece(loop, worker, &mine);
    const bool is_timed = context && context->in.world->workloads.timings &&
                          worker != loop->owner && piece != KEELI_NO_PIECE;
    const uint64_t number = is_timed ? keeli_timings_enter(context) : 0;

    for (; piece != KEELI_NO_PIECE; piece = next_piece(loop, worker, &mine)) {
        run_piece(loop, worker, context, it, piece);
        end_piece(loop, piece);
    }
    if (is_timed)
        keeli_timings_leave(context, number);
}

// A helper takes over the system name and the node of the loop meanwhile, so that errors in a piece
// name the system that runs the loop.
void keeli_loop_work(keeli_loop *loop, keeli_worker *worker) {
    const bool is_owner = worker == loop->owner;
    keeli_iterator *it = loop->it;
    if (it && !is_owner) {
        it = keeli_iterator_begin_like(loop->it);
        if (!it)
            return; // out of memory: other workers run the pieces
    }
    const char *outer = worker->running;
    keeli_inside *outer_inside = worker->inside;
    const uint32_t outer_node = worker->node, outer_piece = worker->piece;

    if (!is_owner) {
        worker->running = loop->running;
        worker->node = loop->node;
    }

    if (loop->body.context) {
        keel_context context = *loop->body.context;
        context.worker = worker;
        context.loop = loop;
        context.in.is_split = true;
        worker->inside = &context.in;
        context.commands = NULL;
        context.visited = is_owner ? loop->visited : 0; // a helper has an entry of its own
        keeli_fill_fixed_columns(&context, &it->chunk);
        keeli_fill_fixed_columns(&context, &it->span);
        run_shares(loop, worker, &context, it);
        if (is_owner)
            loop->visited = context.visited;
        if (context.commands)
            keeli_commands_discard(context.in.world, context.commands); // empty
        keeli_context_end(&context);
    } else {
        // without a holder: storages that the owner's system declared are not a helper's
        keeli_inside helper = { .is_denied = false };
        if (!is_owner)
            worker->inside = &helper;
        run_shares(loop, worker, NULL, it);
        if (helper.is_denied)
            keeli_atomic_store(&loop->is_denied, 1);
    }

    worker->inside = outer_inside;
    worker->running = outer;
    worker->node = outer_node;
    worker->piece = outer_piece;
    if (it && !is_owner)
        keeli_iterator_end(it);
}

// ------------------------------------------------------------------ one loop
// Decides between one thread and several. A loop over a component that is bound to a thread stays
// on that thread. A loop that is known to take less time than a helper costs stays on one thread,
// too, and is measured now and then. `view`: the view that the loop iterates over, or NULL.
static keeli_loop_way choose_way(const keel_world *world, keeli_cost *cost, uint32_t range,
                                 const keeli_view *view) {
    const bool is_bound = view && keeli_holder_is_bound(&view->holder);
    if (world->workers.count < 2 || is_bound || range < 2)
        return (keeli_loop_way){ 0 };
    return keeli_cost_decide_loop(cost, range, keeli_helper_cost(world));
}

// Cuts the loop into pieces. False when out of memory.
static bool make_pieces(keeli_loop *loop) {
    const keeli_loop_body *body = &loop->body;
    if (loop->it) {
        if (!keeli_pieces_make(&loop->pieces, loop->it, loop->range))
            return false;
        loop->count = loop->pieces.list.count;
    } else {
        const bool has_rest = body->range_end % body->grain != 0;
        loop->count = body->range_end / body->grain + has_rest;
    }
    if (loop->count > loop->most)
        loop->most = loop->count;

    if (!loop->records || !loop->count)
        return true;
    keeli_heap *heap = &loop->workers->world->heap;
    keeli_node *node = body->context->node; // collect_lists moves the lists of pieces to it
    if (!KEELI_RESERVE(heap, &loop->ended, loop->count))
        return false;
    if (!KEELI_RESERVE(heap, &loop->lists, loop->count))
        return false;
    if (node && !KEELI_RESERVE(heap, &node->lists, loop->count))
        return false;
    loop->lists.count = loop->count;
    memset(loop->ended.items, 0, loop->count);
    memset(loop->lists.items, 0, loop->count * sizeof *loop->lists.items);
    return true;
}

// Waits until no helper is in the loop, and removes it from the loops in work.
static void await_helpers(keeli_loop *loop) {
    keeli_workers *workers = loop->workers;
    keeli_lock_acquire(&workers->lock);
    if (loop->users) {
        --workers->active;
        keeli_workers_announce(workers);
        while (loop->users || workers->pausing)
            keeli_workers_await_change(workers);
        ++workers->active;
    }

    keeli_loop **at = &workers->loops;
    while (*at != loop)
        at = &(*at)->next;
    *at = loop->next;
    keeli_lock_release(&workers->lock);
}

// Runs the pieces from loop->first to before `end`, on any thread. Returns true if helpers were
// called or joined.
static bool run_batch(keeli_loop *loop, keeli_worker *worker, uint32_t end, bool many) {
    const bool is_shared = many && end - loop->first > 1;
    loop->taken = loop->first;
    loop->count = end;
    loop->has_called = loop->is_private = !is_shared;
    loop->is_helped = false;

    if (is_shared) {
        keeli_lock_acquire(&loop->workers->lock);
        loop->next = loop->workers->loops;
        loop->workers->loops = loop;
        keeli_lock_release(&loop->workers->lock);
    }
    keeli_loop_work(loop, worker);
    if (!is_shared)
        return false;

    await_helpers(loop);
    return loop->has_called || loop->is_helped;
}

// Returns the index behind the last piece that may run at the same time as piece `from`. That is
// `count`, unless the loop iterates over the levels of a relation: then only pieces of the same
// level may, since the targets of a level are in the levels before it.
static uint32_t end_of_batch(const keeli_loop *loop, uint32_t from, uint32_t count) {
    const keeli_piece *pieces = loop->pieces.list.items;
    uint32_t end = from + 1;
    if (!loop->it || loop->it->plan->scan != KEELI_SCAN_LEVELS)
        return count;

    while (end < count && pieces[end].match_at == pieces[from].match_at)
        ++end;
    return end;
}

// Runs all pieces on the caller's worker and its helpers, in the chosen way, and adds the measured
// time to `cost`.
static void run_loop(keeli_loop *loop, keeli_worker *worker, keeli_loop_way way, keeli_cost *cost) {
    keel_world *world = loop->workers->world;
    const uint32_t count = loop->count;
    if (!count)
        return;
    const bool begins = keeli_world_go_concurrent(world);
    const bool is_known = cost->one_ns != 0;
    bool went_many = false;

    loop->piece_ns = is_known ? way.one_ns / count + 1 : 0;
    loop->owner = worker;
    loop->running = worker->running;
    loop->node = worker->node;
    loop->visited = 0;

    const uint64_t began = way.is_timed ? keeli_clock_ns() : 0;
    loop->began = began;
    for (loop->first = 0; loop->first < count; loop->first = loop->count) {
        if (loop->first && way.is_timed)
            loop->began = keeli_clock_ns();
        went_many |= run_batch(loop, worker, end_of_batch(loop, loop->first, count), way.is_many);
    }

    if (loop->body.context) // not before: helpers copy the context
        loop->body.context->visited += loop->visited;
    if (loop->is_denied && !loop->body.context && worker->inside)
        worker->inside->failed = worker->inside->is_denied = true;
    if (way.is_timed) {
        const uint64_t ns = keeli_clock_ns() - began;
        if (went_many && !is_known) // the time on one thread, from pieces before helpers joined
            keeli_cost_note_loop(cost, loop->range, false, loop->piece_ns * loop->count);
        keeli_cost_note_loop(cost, loop->range, went_many, ns);
    }

    if (begins)
        keeli_world_end_concurrent(world);
}

// ------------------------------------------------------------------ a system that is split
static keel_result refuse_split(keel_world *world, const keel_system *system, const char *why) {
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                        "system '%s' cannot be split over several threads: %s", system->name, why);
}

static bool writes(keel_term_kind kind) {
    return kind == KEEL_TERM_MAY_EDIT_WORLD || kind == KEEL_TERM_MAY_EDIT_ENTITIES ||
           keeli_term_access(kind) > KEEL_ACCESS_READ;
}

// Refuses each term through which two threads could write the same value at once.
keel_result keeli_check_split(keel_world *world, const keel_system *system) {
    if (!keeli_system_is_loop(system))
        return refuse_split(world, system, "it runs once, not per entity or span");
    for (const keel_term *t = system->terms; t->kind != KEEL_TERM_END; ++t) {
        if (t->kind == KEEL_TERM_CUSTOM)
            return refuse_split(
                world, system,
                "all of them would share its custom view; take it with KEEL_CUSTOM_READ");
        if (t->kind == KEEL_TERM_CUSTOM_READ && keeli_custom_has(t->custom, writes))
            return refuse_split(world, system,
                                "its custom view may write, and all of them share it");
        if (t->kind == KEEL_TERM_UNIQUE_WRITE)
            return refuse_split(world, system, "it writes a unique, which all of them would share");
        if (t->kind == KEEL_TERM_OF_TARGET_WRITE)
            return refuse_split(
                world, system,
                "it writes a component of the target of a relation, and two entities may have "
                "the same target");
        if (t->kind == KEEL_TERM_MAY_WRITE || t->kind == KEEL_TERM_MAY_EDIT ||
            t->kind == KEEL_TERM_EDIT)
            return refuse_split(
                world, system,
                "it may change components of any entity, and two threads could change the same");
    }
    return KEEL_OK;
}

// Moves the lists that pieces recorded to the node, in the order of pieces. Outside of workloads it
// queues them in the world, or discards them if the system failed.
static void collect_lists(const keeli_loop *loop) {
    const keel_context *context = loop->body.context;
    for (uint32_t i = 0; i < loop->lists.count; ++i) {
        keel_commands *list = loop->lists.items[i];
        if (!list)
            continue;
        keeli_commands_close(list);
        const bool has_failed = loop->failed != KEELI_NO_PIECE;
        if (context->node)
            *KEELI_APPEND(&context->node->lists) = list;
        else if (has_failed)
            keeli_commands_discard(context->in.world, list);
        else
            keeli_commands_submit(context->in.world, list);
    }
}

// Acquires workers for the time of a loop, and returns the first, which is the caller's; NULL when
// out of memory. `outer`: the caller's worker around the loop, or NULL.
static keeli_worker *begin_workers(keel_world *world, const keeli_worker *outer) {
    keeli_workers *workers = keeli_workers_acquire(world);
    if (!workers)
        return NULL;
    keeli_worker *worker = keeli_workers_open(workers, NULL);
    if (!outer)
        return worker;

    worker->running = outer->running;
    worker->inside = outer->inside;
    worker->node = outer->node;
    worker->depth = outer->depth;
    if (!outer->first)
        return worker;
    for (uint32_t i = 0; i < workers->count; ++i)
        workers->list[i].first = outer->first;
    return worker;
}

static void end_workers(keeli_worker *worker) {
    keeli_workers *workers = worker->workers;
    worker->running = NULL;
    worker->inside = NULL;
    worker->node = KEEL_NO_NODE;
    keeli_workers_close(workers);
    for (uint32_t i = 0; i < workers->count; ++i)
        workers->list[i].first = &workers->first;
    keeli_workers_release(workers);
}

// Runs a system in pieces, on the workers of its context.
static keel_result run_pieces(keel_context *context, keeli_iterator *it, uint32_t range,
                              keeli_loop_way way) {
    const keeli_loop_body body = { .context = context, .view = context->view };
    keeli_loop *loop = acquire_loop(context->worker->workers, &body, it);
    if (!loop)
        return KEEL_ERROR_MEMORY;
    loop->range = range;

    const bool has_room = make_pieces(loop);
    if (has_room) {
        run_loop(loop, context->worker, way, &context->bound->loop_cost);
        if (!context->is_inner)
            keeli_handles_return(context->in.world, &loop->reserved);
        collect_lists(loop);
        context->in.failed = loop->failed != KEELI_NO_PIECE;
        context->in.is_denied = loop->is_denied;
    }

    if (context->in.failed) {
        context->object = loop->object;
        memcpy(context->message, loop->message, sizeof loop->message);
    }
    release_loop(loop);
    return has_room ? KEEL_OK : keeli_out_of_memory(context->in.world, "splitting a system");
}

keel_result keeli_run_split(keel_context *context, keeli_iterator *it) {
    keel_world *world = context->in.world;
    keeli_cost *cost = &context->bound->loop_cost;
    const uint32_t range = keeli_iterator_range(it);
    const keeli_loop_way way = choose_way(world, cost, range, context->view);

    if (!way.is_many && context->bound->is_plain) {
        const uint64_t began = way.is_timed ? keeli_clock_ns() : 0;
        context->in.is_split = true; // lookups are refused as they are in pieces
        keeli_run_whole(context, it);
        if (way.is_timed)
            keeli_cost_note_loop(cost, range, false, keeli_clock_ns() - began);
        return KEEL_OK;
    }

    keeli_worker *outer = context->worker;
    if (!outer->workers) {
        context->worker = begin_workers(world, outer);
        if (!context->worker) {
            context->worker = outer;
            keeli_iterator_end(it);
            return KEEL_ERROR_MEMORY;
        }
    }
    const keel_result result = run_pieces(context, it, range, way);
    if (context->worker != outer)
        end_workers(context->worker);
    context->worker = outer;
    return result;
}

// ------------------------------------------------------------------ loops by direct call
// Makes the partial results of a reduction, one for each piece. No two of them share a cache line.
// False when out of memory.
static bool make_partials(keeli_loop *loop, keeli_worker *worker) {
    const keel_reduction *r = loop->body.reduction;
    if (!r || !loop->count)
        return true;
    if (r->size > SIZE_MAX / loop->count - 63)
        return false;
    loop->stride = (r->size + 63) / 64 * 64;
    loop->partials = keeli_arena_new(&worker->scratch, &loop->workers->world->heap,
                                     loop->stride * loop->count, 64);
    if (!loop->partials)
        return false;

    for (uint32_t i = 0; i < loop->count; ++i)
        memcpy(loop->partials + i * loop->stride, r->total, r->size);
    return true;
}

// Runs a loop by direct call, with the cost that earlier runs of the loop measured. A program runs
// few loops many times, so a small table by function and grain is enough. Two loops that share an
// entry overwrite each other's cost, and choose worse.
static void run_known_loop(keeli_loop *loop, keeli_worker *worker) {
    keel_world *world = loop->workers->world;
    const keeli_loop_body *body = &loop->body;
    const uintptr_t code = body->view ? (uintptr_t)body->span : (uintptr_t)body->range;
    const uint64_t hash = ((uint64_t)code + body->grain) * 0x9E3779B97F4A7C15u;
    keeli_loop_cost *kept = &world->workers.loop_costs[hash >> 60];

    keeli_lock_acquire(&world->access.lock);
    const bool is_this =
        kept->range == body->range && kept->span == body->span && kept->grain == body->grain;
    keeli_cost cost = is_this ? kept->cost : (keeli_cost){ 0 };
    keeli_lock_release(&world->access.lock);

    run_loop(loop, worker, choose_way(world, &cost, loop->range, body->view), &cost);
    keeli_lock_acquire(&world->access.lock);
    *kept = (keeli_loop_cost){ body->range, body->span, body->grain, cost };
    keeli_lock_release(&world->access.lock);
}

// Runs a loop by direct call on the workers of `worker`.
static keel_result run_by(const keeli_loop_body *body, keeli_worker *worker) {
    keeli_iterator *it = NULL;
    if (body->view) {
        it = keeli_iterator_begin(body->view);
        if (!it)
            return KEEL_ERROR_MEMORY;
    }
    keeli_loop *loop = acquire_loop(worker->workers, body, it);
    if (!loop)
        return KEEL_ERROR_MEMORY;
    loop->range = it ? keeli_iterator_range(it) : body->range_end;
    const keeli_arena_mark mark = keeli_arena_now(&worker->scratch);
    const bool has_room = make_pieces(loop) && make_partials(loop, worker);
    if (has_room) {
        if (loop->count)
            run_known_loop(loop, worker);
        const keel_reduction *r = body->reduction;
        const uint32_t partials = loop->partials ? loop->count : 0;
        for (uint32_t i = 0; i < partials; ++i)
            r->combine(r->total, loop->partials + i * loop->stride, body->data);
    }
    keeli_arena_back(&worker->scratch, mark);
    release_loop(loop);
    return has_room ? KEEL_OK : keeli_out_of_memory(worker->workers->world, "splitting a loop");
}

// Runs a loop by direct call. Errors in its pieces belong to the system that runs around it.
static keel_result run_direct(keel_world *world, const keeli_loop_body *body) {
    keeli_worker *outer = keeli_worker_here(world);
    if (outer && outer->workers)
        return run_by(body, outer);
    keeli_worker *worker = begin_workers(world, outer);
    if (!worker)
        return KEEL_ERROR_MEMORY;
    const keel_result result = run_by(body, worker);
    end_workers(worker);
    return result;
}

// ------------------------------------------------------------------ public
static keel_result check_direct_loop(keel_world *world, bool has_function,
                                     const keel_reduction *r) {
    if (r && !(r->total && r->size && r->combine))
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "a reduction needs a total, its size and a function that combines");
    if (has_function)
        return KEEL_OK;
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "a parallel loop needs a function");
}

static keel_result loop_over_range(const keel_scope *scope, uint32_t count, uint32_t grain,
                                   keel_range_fn *fn, void *data, const keel_reduction *reduction) {
    keeli_caller who;
    KEEL_TRY(keeli_caller_must_be(scope, &who));
    KEEL_TRY(check_direct_loop(who.world, fn != NULL, reduction));
    if (!grain)
        grain = keeli_grain(count);
    if (count / grain >= KEEL_MAX_PIECES)
        grain = count / KEEL_MAX_PIECES + 1;

    return run_direct(who.world, &(keeli_loop_body){ .range = fn,
                                                     .range_end = count,
                                                     .grain = grain,
                                                     .data = data,
                                                     .reduction = reduction });
}

static keel_result loop_over_view(const keel_view *view, keel_span_fn *fn, void *data,
                                  const keel_reduction *reduction) {
    keeli_view *state = keeli_view_of(view);
    if (!state)
        return keeli_view_is_closed(view);
    KEEL_TRY(check_direct_loop(state->world, fn != NULL, reduction));
    (void)keeli_atomic_add(&state->loops, 1); // so that the view is not ended meanwhile
    const keel_result result = run_direct(
        state->world,
        &(keeli_loop_body){ .view = state, .span = fn, .data = data, .reduction = reduction });
    (void)keeli_atomic_add(&state->loops, -1);
    return result;
}

// Returns the reduction. For NULL it returns an empty one, which check_direct_loop refuses.
static const keel_reduction *reduction_or_none(const keel_reduction *reduction) {
    static const keel_reduction none = { 0 };
    return reduction ? reduction : &none;
}

keel_result(keel_parallel_for)(keel_scope *scope, uint32_t count, uint32_t grain, keel_range_fn *fn,
                               void *data) {
    return loop_over_range(scope, count, grain, fn, data, NULL);
}

keel_result(keel_parallel_reduce)(keel_scope *scope, uint32_t count, uint32_t grain,
                                  keel_range_fn *fn, void *data, const keel_reduction *reduction) {
    return loop_over_range(scope, count, grain, fn, data, reduction_or_none(reduction));
}

keel_result keel_view_parallel_for(const keel_view *view, keel_span_fn *fn, void *data) {
    return loop_over_view(view, fn, data, NULL);
}

keel_result keel_view_parallel_reduce(const keel_view *view, keel_span_fn *fn, void *data,
                                      const keel_reduction *reduction) {
    return loop_over_view(view, fn, data, reduction_or_none(reduction));
}

void *keel_piece_scratch(const keel_piece *piece, size_t size, size_t align) {
    if (!piece || !piece->self)
        return NULL;
    if (!align || (align & (align - 1)) != 0) {
        keeli_misuse(piece->world, KEEL_ERROR_ARGUMENT,
                     "a piece asks for scratch memory with an alignment of %u; it must be a power "
                     "of two",
                     (unsigned)align);
        return NULL;
    }
    void *memory = keeli_arena_new(&piece->self->scratch, &piece->world->heap, size, align);
    if (!memory)
        keeli_out_of_memory(piece->world, "giving out scratch memory");
    return memory;
}
