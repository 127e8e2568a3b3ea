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
        for (uint32_t c = 0; c < (p->is_wide ? COMPONENTS : NEEDY); ++c) {
            any_value v;
            if (is_there(h, c) && !(p->missing >> c & 1) && (c != 7 || h % 8 == 0))
                (void)keel_add_component(world, e, &components[c], value_of(&v, c, h));
        }
        if (i && h >> 40 & 1) (void)keel_attach(world, e, now.known[h % now.known_count]);
    }
    for (uint32_t i = 0; p->is_wide && i < p->entities; ++i) {
        const uint64_t h = mix(p->number, i), value = h;
        const keel_component *r = &relations[h % RELATIONS];
        const keel_entity e = now.known[i % now.known_count];
        (void)keel_relate_component(world, e, r, now.known[(h >> 8) % now.known_count],
                                    r->size ? &value : NULL);
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

// A root with values of each storage, and below it somebody who likes it and is docked there.
static void make_prefab(keel_world *world) {
    keel_world *t = keel_templates(world);
    any_value v[3];
    const keel_value root[] = { { &components[0], value_of(&v[0], 0, 1) },
                                { &components[9], value_of(&v[1], 9, 2) },
                                { &components[3], value_of(&v[2], 3, 3) },
                                { NULL, NULL } };
    const keel_value own[] = { { &components[NEEDY], NULL }, { NULL, NULL } };
    now.prefab.root = keel_add_entity_values(t, root);
    const keel_entity part = keel_add_child_values(t, now.prefab.root, own);
    (void)keel_relate_component(t, part, &relations[0], now.prefab.root, NULL);
    (void)keel_relate_component(t, part, &relations[1], now.prefab.root, NULL);
    if (keel_is_null(part)) (void)keeli_atomic_add(&now.faults, 1);
}

static void prepare(keel_world *world, const plan *p, keel_group **groups) {
    for (uint32_t c = 0; c < COMPONENTS; ++c)
        (void)keel_register_component(world, &components[c]);
    for (uint32_t r = 0; r < RELATIONS; ++r)
        (void)keel_register_component(world, &relations[r]);
    for (uint32_t e = 0; e < EVENTS; ++e)
        (void)keel_register_component(world, &events[e]);
    (void)keel_register_component(world, KEEL_OF(keel_name)); // or a frame is the first to know it
    if (p->is_wide) make_prefab(world);
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

static uint64_t related(const keel_world *world, const keel_component *r, uint64_t h) {
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(world, e));) {
        keel_entity other = keel_null();
        while (!keel_is_null(other = keel_next_target_component(world, e, r, other)))
            h = mix(h, other.bits);
        while (!keel_is_null(other = keel_next_source_component(world, e, r, other)))
            h = mix(h, other.bits + 1);
    }
    return h;
}

static uint64_t all_orders(keel_world *world, keel_group *const *groups) {
    uint64_t h = 0;
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(world, e));)
        h = mix(h, e.bits);
    for (uint32_t c = 0; c < COMPONENTS; ++c)
        h = order_of(world, &components[c], h);
    for (uint32_t r = 0; r < RELATIONS; ++r)
        h = related(world, &relations[r], order_of(world, &relations[r], h));
    h = related(world, KEEL_OF(keel_child), order_of(world, KEEL_OF(keel_child), h));
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
                 seen *s, char *fault) {
    keel_error broken;
    s->result = result;
    s->error = *keel_first_error(world);
    keel_clear_errors(world);
    if (now.is_nameless) s->error.system[0] = 0;
    if (keel_world_hash(world, &s->hash) < 0)
        snprintf(fault, FAULT, "no hash: %s", keel_last_error(world)->message);
    s->order = all_orders(world, groups);
    s->handles = next_handles(world, last);
    s->dropped = keel_world_statistics(world).dropped_commands;
    for (uint32_t i = 0; i < now.workers; ++i) {
        s->work += now.lanes[i].sum;
        s->lanes += now.lanes[i].sum != 0;
    }
    if (!keel_world_check(world, &broken))
        snprintf(fault, FAULT, "round %u: keel_world_check: %s", (unsigned)now.round,
                 broken.message);
    if (!now.is_nameless) s->state = state_of(world);
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
    edit_world(world, mix(p->number, now.round) ^ now.other, 6);
    if (now.other) (void)keel_set_unique_value(world, &uniques[0], &now.other);
    for (uint32_t i = 0; i < SYSTEMS; ++i) {
        const system_plan *s = &p->systems[i];
        if (!s->is_used || s->fails || s->misuses) continue;
        if (s->parallel)
            (void)keel_run_system(world, &t->systems[i], &(keel_run_desc){ .parallel = true });
        else if (i % 4 == now.round) (void)keel_run_system(world, &t->systems[i], NULL);
    }
    keel_clear_errors(world);
}

// What a plan is played with.
typedef struct played {
    keel_world *world;
    const plan *plan;
    const tables *tables;
    keel_group *groups[GROUPS];
    const keel_system **order;
    manner manner;
} played;

static void play_round(const played *with, uint32_t round, seen *s, char *fault) {
    keel_world *world = with->world;
    const keel_workload *outermost = &with->tables->workloads[0];
    now.round = round;
    if (round) between(world, with->plan, with->tables);
    const keel_result result = with->manner == ONE_BY_ONE
                                   ? run_one_by_one(world, with->tables, with->plan, with->order)
                                   : keel_run_workload_of(world, outermost, NULL);
    if (with->manner != ONE_BY_ONE) find_order(world, outermost, with->order);
    look(world, with->groups, round + 1 == with->plan->rounds, result, s, fault);
    forget_costs(world);
}

// ------------------------------------------------------------------ taken back
enum { FRAMES = MOST_ROUNDS + 10, TIMES = 3 };

static bool take_frames(const played *with, keel_ring *ring, uint32_t first, uint32_t end,
                        seen *frames, char *fault) {
    for (uint32_t f = first; f < end; ++f) {
        frames[f] = (seen){ 0 };
        if (keel_ring_take(ring, f) < 0)
            snprintf(fault, FAULT, "no take: %s", keel_last_error(with->world)->message);
        else play_round(with, f, &frames[f], fault);
        if (fault[0]) return false;
    }
    return true;
}

static bool take_back(const played *with, keel_ring *ring, uint32_t frame, uint64_t work,
                      char *fault) {
    memset(now.lanes, 0, sizeof now.lanes);
    now.lanes[0].sum = work;
    if (keel_rollback(ring, frame) == KEEL_OK) return true;
    snprintf(fault, FAULT, "no rollback: %s", keel_last_error(with->world)->message);
    return false;
}

// From a frame other inputs lead elsewhere; those of before lead to where they did before.
static bool play_again(const played *with, keel_ring *ring, uint32_t frame, const seen *first,
                       char *fault) {
    seen other[FRAMES], again[FRAMES];
    const uint64_t work = frame ? first[frame - 1].work : 0;
    const uint32_t end = frame + 3 < FRAMES ? frame + 3 : FRAMES;
    if (!take_back(with, ring, frame, work, fault)) return false;
    now.other = mix(with->plan->number, frame) | 1;
    const bool good = take_frames(with, ring, frame, end, other, fault);
    now.other = 0;
    if (!good || !take_back(with, ring, frame, work, fault) ||
        !take_frames(with, ring, frame, FRAMES, again, fault))
        return false;
    for (uint32_t f = frame; f < FRAMES; ++f)
        if (again[f].state != first[f].state || again[f].work != first[f].work) {
            snprintf(fault, FAULT, "frame %u is %s after frame %u was taken back", (unsigned)f,
                     again[f].work == first[f].work ? "in another state" : "seen otherwise",
                     (unsigned)frame);
            return false;
        }
    return true;
}

static void play_and_take_back(const played *with, outcome *out) {
    seen first[FRAMES];
    keel_ring *ring = keel_ring_create(with->world, FRAMES);
    bool good = take_frames(with, ring, 0, FRAMES, first, out->fault);
    for (uint32_t i = 0; good && i < TIMES; ++i) {
        const uint32_t frame = (uint32_t)(mix(with->plan->number, i) % (MOST_ROUNDS + 1));
        good = play_again(with, ring, frame, first, out->fault);
    }
    if (good) memcpy(out->rounds, first, sizeof out->rounds);
    keel_ring_destroy(ring);
}

static void play_rounds(keel_world *world, const plan *p, const tables *t, player who,
                        const keel_system **order, outcome *out) {
    played with = { .world = world, .plan = p, .tables = t, .order = order, .manner = who.manner };
    prepare(world, p, with.groups);
    keel_clear_errors(world);
    if (who.manner == TAKEN_BACK) play_and_take_back(&with, out);
    else
        for (uint32_t r = 0; r < p->rounds; ++r)
            play_round(&with, r, &out->rounds[r], out->fault);
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
        snprintf(out->fault, FAULT, "%zu bytes are left", memory->live_bytes);
    if (now.owned) snprintf(out->fault, FAULT, "%d values were not dropped", (int)now.owned);
    if (now.faults) snprintf(out->fault, FAULT, "%d things that should never be", (int)now.faults);
}

// A write that a take was not shown: builds with KEEL_VALIDATE compare what was not stamped.
static void listen(void *fault, keel_log_level level, const char *line) {
    if (level == KEEL_LOG_WARNING && strstr(line, "kept pointer"))
        snprintf(fault, FAULT, "round %u: %s", (unsigned)now.round, line);
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
                                   .log = { .write = listen, .context = out->fault },
                                   .on_misuse = KEEL_MISUSE_RETURN,
                                   .worker_count = who.workers,
                                   .executor = begin_executor(&x, who, p->number) };
    keel_world *world = keel_world_create(&desc);
    if (world) play_rounds(world, p, t, who, order, out);
    else snprintf(out->fault, FAULT, "no world");
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
        if (x->state && y->state) same &= is_same("state", r, x->state, y->state);
        same &= is_same("what systems saw", r, x->work, y->work);
        if (!same) return false;
    }
    return true;
}
