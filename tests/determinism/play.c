// SPDX-License-Identifier: MIT
// Playing a plan in a world, and looking at all that can be seen of it.
#include "play.h"

#include "peek.h"

#include "support/counting_allocator.h"
#include "support/executors.h"
#ifdef KEEL_TEST_TBB
#include "support/executor_tbb.h"
#endif

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------ before
static bool is_there(uint64_t h, uint32_t c) {
    const uint64_t bits = c == 5 || c == 8 ? h >> c & 3 : h >> (20 + c) & 1;
    return bits != 0;
}

static void add_entities(keel_world *world, const plan *p) {
    for (uint32_t i = 0; i < p->entities; ++i) {
        const uint64_t h = mix(p->seed ^ p->number, i);
        const keel_entity e = keel_add_entity_values(world, NULL);
        if (now.known_count < KNOWN) now.known[now.known_count++] = e;
        for (uint32_t c = 0; c < COMPONENTS; ++c) {
            any_value v;
            if (is_there(h, c) && !(p->missing >> c & 1) && (c != 7 || h % 8 == 0))
                (void)keel_add_component(world, e, &components[c], value_of(&v, c, h));
        }
        if (i && h >> 40 & 1) (void)keel_attach(world, e, now.known[h % now.known_count]);
    }
    for (uint32_t i = 0; i < p->entities / 8; ++i) // handles that were reused, and stale ones
        (void)keel_delete_entity(world, now.known[mix(p->seed, i) % now.known_count]);
}

static const keel_component *const owned_lists[GROUPS][3] = { { &components[0], &components[2] },
                                                              { &components[1] },
                                                              { NULL } };
static const keel_component *const got_lists[GROUPS][3] = { { NULL },
                                                            { &components[5] },
                                                            { &components[8], &components[5] } };
static const keel_component *const excluded_lists[GROUPS][2] = { { NULL },
                                                                 { &components[4] },
                                                                 { NULL } };

static void prepare(keel_world *world, const plan *p, keel_group **groups) {
    for (uint32_t c = 0; c < COMPONENTS; ++c)
        (void)keel_register_component(world, &components[c]);
    for (uint32_t u = 0; u < UNIQUES - 1; ++u)
        (void)keel_set_unique_value(world, &uniques[u], &(uint64_t){ mix(p->seed, u) });
    for (uint32_t g = 0; g < GROUPS; ++g)
        if (p->groups >> g & 1)
            (void)keel_group_create_of(world,
                                       &(keel_group_desc){ .owned = owned_lists[g],
                                                           .get = got_lists[g],
                                                           .exclude = excluded_lists[g] },
                                       &groups[g]);
    add_entities(world, p);
}

// ------------------------------------------------------------------ after
static uint64_t order_of(keel_world *world, const keel_component *c, uint64_t h) {
    const keel_term terms[] = { { .kind = KEEL_TERM_WITH, .component = c },
                                { .kind = KEEL_TERM_ENTITY },
                                { .kind = KEEL_TERM_END } };
    keel_view view;
    keel_iterator walk;
    keel_span span;
    if (keel_view_begin(&view, world, terms, "the order") < 0 ||
        keel_iterator_begin(&walk, &view) < 0)
        (void)keeli_atomic_add(&now.faults, 1);
    while (keel_iterator_next_span(&walk, &span))
        for (uint32_t i = 0; i < span.count; ++i)
            h = mix(h, span.entities[i].bits);
    keel_view_end(&view);
    return mix(h, 1);
}

static uint64_t all_orders(keel_world *world, keel_group *const *groups) {
    uint64_t h = 0;
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(world, e));)
        h = mix(h, e.bits);
    for (uint32_t c = 0; c < COMPONENTS; ++c)
        h = order_of(world, &components[c], h);
    h = order_of(world, KEEL_OF(keel_parent), order_of(world, KEEL_OF(keel_child), h));
    for (uint32_t g = 0; g < GROUPS; ++g)
        for (uint32_t i = 0; groups[g] && i < keel_group_count(world, groups[g]); ++i)
            h = mix(h, keel_group_entity(world, groups[g], i).bits);
    return h;
}

// The handles that come next: which indices are free, in which order.
static uint64_t next_handles(keel_world *world, bool last) {
    keel_entity e[64];
    const uint32_t count = last ? 64 : 3;
    uint64_t h = 0;
    for (uint32_t i = 0; i < count; ++i)
        h = mix(h, (e[i] = keel_add_entity_values(world, NULL)).bits);
    for (uint32_t i = count; i--;)
        (void)keel_delete_entity(world, e[i]);
    return h;
}

static void look(keel_world *world, keel_group *const *groups, bool last, keel_result result,
                 outcome *out) {
    seen *s = &out->rounds[now.round];
    keel_error broken;
    s->result = result;
    s->error = *keel_first_error(world);
    keel_clear_errors(world);
    if (now.is_nameless) s->error.system[0] = 0;
    if (keel_world_hash(world, &s->hash) < 0)
        snprintf(out->fault, sizeof out->fault, "no hash: %s", keel_last_error(world)->message);
    s->order = all_orders(world, groups);
    s->handles = next_handles(world, last);
    s->dropped = keel_world_statistics(world).dropped_commands;
    for (uint32_t i = 0; i < now.workers; ++i) {
        s->work += now.lanes[i].sum;
        s->lanes += now.lanes[i].sum != 0;
    }
    if (!keel_world_check(world, &broken))
        snprintf(out->fault, sizeof out->fault, "round %u: keel_world_check: %s",
                 (unsigned)now.round, broken.message);
}

// ------------------------------------------------------------------ rounds
static keel_result run_one_by_one(keel_world *world, const tables *t, const plan *p,
                                  const keel_system *const *order) {
    for (; *order; ++order) {
        const bool parallel = p->systems[*order - t->systems].parallel;
        const keel_result result =
            parallel ? keel_run_system(world, *order, &(keel_run_desc){ .parallel = true })
                     : keel_run_system(world, *order, NULL);
        if (result < 0) return result;
    }
    return KEEL_OK;
}

// What the owner does between two runs.
static void between(keel_world *world, const plan *p, const tables *t) {
    edit_world(world, mix(p->number, now.round), 6);
    for (uint32_t i = 0; i < SYSTEMS; ++i) {
        const system_plan *s = &p->systems[i];
        if (!s->is_used || s->fails || s->misuses) continue;
        if (s->parallel)
            (void)keel_run_system(world, &t->systems[i], &(keel_run_desc){ .parallel = true });
        else if (i % 4 == now.round) (void)keel_run_system(world, &t->systems[i], NULL);
    }
    keel_clear_errors(world);
}

static void play_rounds(keel_world *world, const plan *p, const tables *t, player who,
                        const keel_system **order, outcome *out) {
    keel_group *groups[GROUPS] = { NULL };
    prepare(world, p, groups);
    keel_clear_errors(world);
    for (now.round = 0; now.round < p->rounds; ++now.round) {
        if (now.round) between(world, p, t);
        const keel_result result = who.manner == ONE_BY_ONE
                                       ? run_one_by_one(world, t, p, order)
                                       : keel_run_workload_of(world, &t->workloads[0], NULL);
        if (who.manner != ONE_BY_ONE) find_order(world, &t->workloads[0], order);
        look(world, groups, now.round + 1 == p->rounds, result, out);
        forget_costs(world);
    }
}

// ------------------------------------------------------------------ worlds
typedef struct executors {
    thread_executor threads;
    delaying_executor delaying;
    refusing_executor refusing;
    keel_executor *tbb;
} executors;

static const keel_executor *begin_executor(executors *x, player who, uint64_t seed) {
    if (who.manner == THREAD_PER_JOB || who.manner == DELAYED || who.manner == REFUSING)
        thread_executor_init(&x->threads, who.workers);
    switch (who.manner) {
    case THREAD_PER_JOB:
        return &x->threads.executor;
    case DELAYED:
        delaying_executor_init(&x->delaying, x->threads.executor, seed, 60);
        return &x->delaying.executor;
    case REFUSING:
        refusing_executor_init(&x->refusing, x->threads.executor);
        return &x->refusing.executor;
#ifdef KEEL_TEST_TBB
    case ONE_TBB:
        return x->tbb = tbb_executor_create(who.workers);
#endif
    default:
        return NULL;
    }
}

static void end_executor(executors *x, player who) {
    if (who.manner == THREAD_PER_JOB || who.manner == DELAYED || who.manner == REFUSING)
        thread_executor_deinit(&x->threads);
#ifdef KEEL_TEST_TBB
    if (who.manner == ONE_TBB) tbb_executor_destroy(x->tbb);
#endif
}

static void check_end(const counting_allocator *memory, outcome *out) {
    if (memory->live_bytes || memory->live_blocks)
        snprintf(out->fault, sizeof out->fault, "%zu bytes are left", memory->live_bytes);
    if (now.owned)
        snprintf(out->fault, sizeof out->fault, "%d values were not dropped", (int)now.owned);
    if (now.faults)
        snprintf(out->fault, sizeof out->fault, "%d things that should never be", (int)now.faults);
}

void play(const plan *p, const tables *t, player who, const keel_system **order, outcome *out) {
    executors x = { 0 };
    counting_allocator memory;
    counting_allocator_init(&memory);
    memset(out, 0, sizeof *out);
    memset(&now, 0, sizeof now);
    now.plan = p;
    now.workers = who.workers;
    now.delays = who.workers > 1;
    now.is_nameless = who.manner == ONE_BY_ONE;
    now.delays_drawn = p->number + who.workers * 1000;
    const keel_world_desc desc = { .allocator = memory.allocator,
                                   .log = keel_log_none,
                                   .on_misuse = KEEL_MISUSE_RETURN,
                                   .worker_count = who.workers,
                                   .executor = begin_executor(&x, who, p->number) };
    keel_world *world = keel_world_create(&desc);
    if (world) play_rounds(world, p, t, who, order, out);
    else snprintf(out->fault, sizeof out->fault, "no world");
    keel_world_destroy(world);
    end_executor(&x, who);
    check_end(&memory, out);
}

// ------------------------------------------------------------------ comparing
static bool is_same(const char *what, uint32_t round, uint64_t a, uint64_t b) {
    if (a == b) return true;
    printf("round %u: %s: %" PRIx64 ", not %" PRIx64 "\n", (unsigned)round, what, b, a);
    return false;
}

static bool is_same_error(uint32_t round, const keel_error *a, const keel_error *b) {
    if (a->result == b->result && a->object == b->object && strcmp(a->system, b->system) == 0 &&
        strcmp(a->message, b->message) == 0)
        return true;
    printf("round %u: error '%s' of '%s': %s\n  not '%s' of '%s': %s\n", (unsigned)round,
           keel_result_text(b->result), b->system, b->message, keel_result_text(a->result),
           a->system, a->message);
    return false;
}

bool outcome_is_same(const plan *p, const outcome *a, const outcome *b) {
    if (a->fault[0] || b->fault[0]) {
        printf("%s\n", a->fault[0] ? a->fault : b->fault);
        return false;
    }
    for (uint32_t r = 0; r < p->rounds; ++r) {
        const seen *x = &a->rounds[r], *y = &b->rounds[r];
        bool same =
            is_same("result", r, (uint64_t)(int64_t)x->result, (uint64_t)(int64_t)y->result);
        same &= is_same_error(r, &x->error, &y->error);
        same &= is_same("hash", r, x->hash, y->hash);
        same &= is_same("order", r, x->order, y->order);
        same &= is_same("next handles", r, x->handles, y->handles);
        same &= is_same("dropped commands", r, x->dropped, y->dropped);
        same &= is_same("what systems saw", r, x->work, y->work);
        if (!same) return false;
    }
    return true;
}
