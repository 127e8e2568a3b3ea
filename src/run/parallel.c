// SPDX-License-Identifier: MIT
// Loops and reductions by direct call: the pieces of one loop on the lanes of a team. A thread that
// has a lane of a team uses that team; any other gets one for the time of the loop.
#include "find/iterate.h"
#include "run/context.h"
#include "run/team.h"
#include "world/report.h"

#include <keel/parallel.h>

#include <string.h>

// What is looped over: a range, or a view.
typedef struct job {
    keel_world *world;
    keel_range_fn *range;
    uint32_t count, grain;
    keel_span_fn *span;
    keeli_view *view;
    keeli_iterator *it; // of the lane that began it
    void *data;
    const keel_reduction *reduction; // or NULL
    char *partials;                  // one for each piece, `stride` bytes apart
    size_t stride;
    const keeli_loop *loop;
    const char *running; // around it, for messages
    uint32_t node;
} job;

// ------------------------------------------------------------------ pieces
static void run_piece(const job *j, keeli_lane *lane, keeli_iterator *it, uint32_t number) {
    const keeli_arena_mark mark = keeli_arena_now(&lane->scratch);
    const keel_piece piece = { number, lane->number,
                               j->partials ? j->partials + number * j->stride : NULL, j->world,
                               lane };
    lane->piece = number;
    if (it) {
        keeli_iterator_aim(it, &j->loop->pieces.list.items[number]);
        for (const keel_chunk *c; (c = keeli_iterator_advance_span(it)) != NULL;)
            j->span(&(keel_span){ c->count, c->entities, c, it->view }, &piece, j->data);
    } else {
        const uint32_t begin = number * j->grain, left = j->count - begin;
        j->range(begin, begin + (left < j->grain ? left : j->grain), &piece, j->data);
    }
    keeli_arena_back(&lane->scratch, mark);
}

static void work(keeli_loop *loop, keeli_lane *lane) {
    const job *j = loop->user;
    const bool is_owner = lane == loop->owner;
    // a plan that is made while others mark what they visit could be another one
    keeli_iterator *it = !j->view ? NULL : is_owner ? j->it : keeli_iterator_take_like(j->it);
    if (j->view && !it) return; // the owner has one
    const uint32_t outer_piece = lane->piece;
    if (!is_owner) {
        lane->running = j->running;
        lane->node = j->node;
    }
    keeli_share share = { 0 };
    for (uint32_t piece; (piece = keeli_loop_next(loop, lane, &share)) != UINT32_MAX;) {
        run_piece(j, lane, it, piece);
        keeli_loop_ended(loop, piece);
    }
    lane->piece = outer_piece;
    if (is_owner) return;
    lane->running = NULL;
    lane->node = KEELI_NO_NODE;
    if (it) keeli_iterator_give(it);
}

// ------------------------------------------------------------------ reductions
// Lines of the cache are not shared by two pieces.
static bool make_partials(job *j, keeli_lane *lane, uint32_t count) {
    const keel_reduction *r = j->reduction;
    if (!r || !count) return true;
    if (r->size > SIZE_MAX / count - 63) return false;
    j->stride = (r->size + 63) / 64 * 64;
    j->partials = keeli_arena_new(&lane->scratch, &j->world->heap, j->stride * count, 64);
    for (uint32_t i = 0; j->partials && i < count; ++i)
        memcpy(j->partials + i * j->stride, r->total, r->size);
    return j->partials != NULL;
}

static void combine(const job *j, uint32_t count) {
    for (uint32_t i = 0; j->partials && i < count; ++i)
        j->reduction->combine(j->reduction->total, j->partials + i * j->stride, j->data);
}

// ------------------------------------------------------------------ what it costs
// Loops are run again and again: what a piece took the last time tells whether helpers are called
// before the first one has ended. Two loops that share an entry only guess worse.
static keeli_loop_cost *cost_of(const job *j) {
    const uintptr_t code = j->view ? (uintptr_t)j->span : (uintptr_t)j->range;
    const uint64_t hash = ((uint64_t)code + j->grain) * 0x9E3779B97F4A7C15u;
    return &j->world->loop_costs[hash >> 60];
}

static uint64_t known_cost(const job *j) {
    keeli_lock_take(&j->world->lock);
    const keeli_loop_cost *cost = cost_of(j);
    const bool is_this =
        cost->range == j->range && cost->span == j->span && cost->grain == j->grain;
    const uint64_t piece_ns = is_this ? cost->piece_ns : 0;
    keeli_lock_give(&j->world->lock);
    return piece_ns;
}

static void keep_cost(const job *j, uint64_t piece_ns) {
    keeli_lock_take(&j->world->lock);
    *cost_of(j) = (keeli_loop_cost){ j->range, j->span, j->grain, piece_ns };
    keeli_lock_give(&j->world->lock);
}

// ------------------------------------------------------------------ one loop
static bool make_pieces(job *j, keeli_loop *loop) {
    uint32_t count;
    if (j->view) {
        if (!keeli_pieces_make(&loop->pieces, j->it)) return false;
        count = loop->pieces.list.count;
        loop->is_private = keeli_holder_is_bound(&j->view->holder);
    } else count = j->count / j->grain + (j->count % j->grain != 0);
    return keeli_loop_size(loop, count, false);
}

static void run_pieces(const job *j, keeli_loop *loop, keeli_lane *lane) {
    loop->piece_ns = known_cost(j);
    keeli_loop_run(loop, lane);
    keep_cost(j, loop->piece_ns);
}

static keel_result run_loop(job *j, keeli_lane *lane) {
    keel_world *world = j->world;
    keeli_loop *loop = keeli_loop_take(lane->team);
    if (!loop) return KEEL_ERROR_MEMORY;
    const keeli_arena_mark mark = keeli_arena_now(&lane->scratch);
    keel_result result = KEEL_OK;
    j->loop = loop;
    j->running = lane->running;
    j->node = lane->node;
    loop->work = work;
    loop->user = j;
    if (make_pieces(j, loop) && make_partials(j, lane, loop->count)) {
        const bool begins = keeli_world_go_concurrent(world);
        if (loop->count) run_pieces(j, loop, lane);
        if (begins) keeli_world_end_concurrent(world);
        combine(j, loop->count);
    } else result = keeli_out_of_memory(world, "splitting a loop");
    keeli_arena_back(&lane->scratch, mark);
    keeli_loop_give(loop);
    return result;
}

static keel_result run_on_lane(job *j, keeli_lane *lane) {
    if (!j->view) return run_loop(j, lane);
    j->it = keeli_iterator_take(j->view);
    if (!j->it) return KEEL_ERROR_MEMORY;
    const keel_result result = run_loop(j, lane);
    keeli_iterator_give(j->it);
    return result;
}

// Errors in its pieces belong to whoever runs around it.
static keel_result run_with_new_team(job *j, const keeli_lane *outer) {
    keeli_team *team = keeli_team_take(j->world);
    if (!team) return KEEL_ERROR_MEMORY;
    keeli_lane *lane = keeli_team_open(team, NULL);
    lane->running = outer ? outer->running : NULL;
    const keel_result result = run_on_lane(j, lane);
    lane->running = NULL;
    keeli_team_close(team);
    keeli_team_give(team);
    return result;
}

static keel_result run(job *j) {
    keeli_lane *lane = keeli_lane_current(j->world);
    return lane && lane->team ? run_on_lane(j, lane) : run_with_new_team(j, lane);
}

// ------------------------------------------------------------------ public
static keel_result check_reduction(keel_world *world, const keel_reduction *r) {
    if (r && r->total && r->size && r->combine) return KEEL_OK;
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                        "a reduction needs a total, its size and a function that combines");
}

static keel_result run_range(keel_world *world, uint32_t count, uint32_t grain, keel_range_fn *fn,
                             void *data, const keel_reduction *reduction) {
    if (!fn) return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "a parallel loop needs a function");
    if (!grain) grain = keeli_grain(count);
    if (count / grain >= KEEL_MAX_PIECES) grain = count / KEEL_MAX_PIECES + 1;
    job j = { .world = world, .range = fn, .count = count, .grain = grain, .data = data };
    j.reduction = reduction;
    return run(&j);
}

static keel_result run_view(const keel_view *view, keel_span_fn *fn, void *data,
                            const keel_reduction *reduction) {
    keeli_view *state = keeli_view_of(view);
    if (!state) return keeli_view_is_closed(view);
    if (!fn)
        return keeli_misuse(state->world, KEEL_ERROR_ARGUMENT, "a parallel loop needs a function");
    job j = { .world = state->world, .view = state, .span = fn, .data = data };
    j.reduction = reduction;
    (void)keeli_atomic_add(&state->loops, 1); // it is not ended meanwhile
    const keel_result result = run(&j);
    (void)keeli_atomic_add(&state->loops, -1);
    return result;
}

keel_result keel_world_parallel_for(keel_world *world, uint32_t count, uint32_t grain,
                                    keel_range_fn *fn, void *data) {
    if (!world) return keeli_no_world();
    return run_range(world, count, grain, fn, data, NULL);
}

keel_result keel_context_parallel_for(keel_context *context, uint32_t count, uint32_t grain,
                                      keel_range_fn *fn, void *data) {
    if (!context) return KEEL_ERROR_ARGUMENT;
    return run_range(context->world, count, grain, fn, data, NULL);
}

keel_result keel_world_parallel_reduce(keel_world *world, uint32_t count, uint32_t grain,
                                       keel_range_fn *fn, void *data,
                                       const keel_reduction *reduction) {
    if (!world) return keeli_no_world();
    KEEL_TRY(check_reduction(world, reduction));
    return run_range(world, count, grain, fn, data, reduction);
}

keel_result keel_context_parallel_reduce(keel_context *context, uint32_t count, uint32_t grain,
                                         keel_range_fn *fn, void *data,
                                         const keel_reduction *reduction) {
    if (!context) return KEEL_ERROR_ARGUMENT;
    return keel_world_parallel_reduce(context->world, count, grain, fn, data, reduction);
}

keel_result keel_view_parallel_for(const keel_view *view, keel_span_fn *fn, void *data) {
    return run_view(view, fn, data, NULL);
}

keel_result keel_view_parallel_reduce(const keel_view *view, keel_span_fn *fn, void *data,
                                      const keel_reduction *reduction) {
    const keeli_view *state = keeli_view_of(view);
    if (!state) return keeli_view_is_closed(view);
    KEEL_TRY(check_reduction(state->world, reduction));
    return run_view(view, fn, data, reduction);
}

void *keel_piece_scratch(const keel_piece *piece, size_t size, size_t align) {
    if (!piece) return NULL;
    if (!align || (align & (align - 1)) != 0) {
        keeli_misuse(piece->world, KEEL_ERROR_ARGUMENT,
                     "a piece asks for scratch memory with an alignment of %zu; it must be a power "
                     "of two",
                     align);
        return NULL;
    }
    void *memory = keeli_arena_new(&piece->self->scratch, &piece->world->heap, size, align);
    if (!memory) keeli_out_of_memory(piece->world, "giving out scratch memory");
    return memory;
}
