// SPDX-License-Identifier: MIT
// Keel versions of going back in time: entities of 8 + 8 + 64 bytes.
#include "kernel.h"

typedef struct BenchMatrix {
    float value[16];
} BenchMatrix;
KEEL_COMPONENT(BenchMatrix, .storage = BENCH_STORAGE);

typedef enum stage { TAKE, RESTORE, COPY } stage;
// Who is written before, by get_mut: all, nobody, or one in a hundred.
typedef enum writes { ALL, NOBODY, NEIGHBOURS, SCATTERED, SCATTERED_TRACKED } writes;

static void fill(keel_world *world, uint32_t n, keel_entity *list) {
    for (uint32_t i = 0; i < n; ++i)
        list[i] = keel_add_entity(world, KEEL_INIT(Position, { (float)i, 0 }),
                                  KEEL_INIT(Velocity, { 1, 1 }),
                                  KEEL_INIT(BenchMatrix, { { (float)i } }));
}

static void write_all(keel_world *world) {
    KEEL_EACH(world, KEEL_WRITE(Position, p), KEEL_WRITE(Velocity, v), KEEL_WRITE(BenchMatrix, m)) {
        p->x += v->x;
        v->y += 1;
        m->value[3] += 1;
    }
}
static void write_one(keel_world *world, keel_entity e) {
    keel_get_mut(world, e, Position)->x += 1;
    keel_get_mut(world, e, Velocity)->y += 1;
    keel_get_mut(world, e, BenchMatrix)->value[3] += 1;
}

BENCH_SHARED void rewind_world(bench_run *run, stage timed, writes who) {
    const uint32_t n = run->n;
    keel_world *world = bench_world();
    keel_entity *list = bench_touched(n * sizeof *list);
    uint32_t *order = bench_shuffled(n);
    if (who == SCATTERED_TRACKED) {
        bench_expect(keel_track(world, Position, KEEL_TRACK_MODIFICATION));
        bench_expect(keel_track(world, Velocity, KEEL_TRACK_MODIFICATION));
        bench_expect(keel_track(world, BenchMatrix, KEEL_TRACK_MODIFICATION));
    }
    fill(world, n, list);
    keel_snapshot *snapshot = keel_snapshot_create(world, "bench");
    if (!snapshot) bench_expect(KEEL_ERROR_MEMORY);
    bench_expect(keel_snapshot_reserve(snapshot));
    bench_expect(keel_snapshot_take(snapshot));
    run->items = n;
    while (bench_next(run)) {
        keel_world *other = timed == COPY ? bench_world() : NULL;
        if (who == ALL) write_all(world);
        for (uint32_t i = 0; who > NOBODY && i < n / 100; ++i)
            write_one(world, list[who == NEIGHBOURS ? n / 3 + i : order[i]]);
        (void)keel_tick(world); // as each system that is run does
        bench_start(run);
        if (timed == TAKE) bench_expect(keel_snapshot_take(snapshot));
        if (timed == RESTORE) bench_expect(keel_snapshot_restore(snapshot));
        if (timed == COPY) bench_expect(keel_copy_world(world, other));
        bench_stop(run);
        keel_world_destroy(other);
        run->sum = keel_count(world, BenchMatrix);
    }
    free(order);
    free(list);
    keel_snapshot_destroy(snapshot);
    bench_end(run, world);
}

BENCH_WORKLOAD(snapshot_take) { rewind_world(run, TAKE, ALL); }
BENCH_WORKLOAD(snapshot_restore) { rewind_world(run, RESTORE, ALL); }
BENCH_WORKLOAD(snapshot_copy_world) { rewind_world(run, COPY, ALL); }
BENCH_WORKLOAD(snapshot_take_none) { rewind_world(run, TAKE, NOBODY); }
BENCH_WORKLOAD(snapshot_take_side) { rewind_world(run, TAKE, NEIGHBOURS); }
BENCH_WORKLOAD(snapshot_take_rnd) { rewind_world(run, TAKE, SCATTERED); }
BENCH_WORKLOAD(snapshot_take_mark) { rewind_world(run, TAKE, SCATTERED_TRACKED); }
BENCH_WORKLOAD(snapshot_back_side) { rewind_world(run, RESTORE, NEIGHBOURS); }

// A frame of a game with a ring of 8: some are written, and the world is taken.
typedef enum pattern { SAME_RUN, OTHER_RUN, SAME_RANDOM, OTHER_RANDOM } pattern;
BENCH_SHARED void ring_frames(bench_run *run, pattern which, uint32_t percent) {
    const uint32_t n = run->n, count = n / 100 * percent;
    keel_world *world = bench_world();
    keel_entity *list = bench_touched(n * sizeof *list);
    uint32_t *order = bench_shuffled(n);
    fill(world, n, list);
    keel_ring *ring = keel_ring_create(world, 8);
    if (!ring) bench_expect(KEEL_ERROR_MEMORY);
    uint64_t frame = 0;
    for (; frame < 16; ++frame)
        bench_expect(keel_ring_take(ring, frame));
    run->items = 1;
    while (bench_next(run)) {
        const bool is_other = which == OTHER_RUN || which == OTHER_RANDOM;
        const uint32_t from = is_other ? (uint32_t)(frame * 7919 % (n - count + 1)) : 0;
        bench_start(run);
        if (percent == 100) write_all(world);
        for (uint32_t i = 0; percent < 100 && i < count; ++i)
            write_one(world, list[which >= SAME_RANDOM ? order[from + i] : from + i]);
        bench_expect(keel_ring_take(ring, frame++));
        bench_stop(run);
        run->sum = keel_count(world, BenchMatrix);
    }
    keel_ring_destroy(ring);
    free(order);
    free(list);
    bench_end(run, world);
}
BENCH_WORKLOAD(ring_same_run_1) { ring_frames(run, SAME_RUN, 1); }
BENCH_WORKLOAD(ring_run_1) { ring_frames(run, OTHER_RUN, 1); }
BENCH_WORKLOAD(ring_same_rnd_1) { ring_frames(run, SAME_RANDOM, 1); }
BENCH_WORKLOAD(ring_rnd_1) { ring_frames(run, OTHER_RANDOM, 1); }
BENCH_WORKLOAD(ring_same_run_10) { ring_frames(run, SAME_RUN, 10); }
BENCH_WORKLOAD(ring_run_10) { ring_frames(run, OTHER_RUN, 10); }
BENCH_WORKLOAD(ring_same_rnd_10) { ring_frames(run, SAME_RANDOM, 10); }
BENCH_WORKLOAD(ring_rnd_10) { ring_frames(run, OTHER_RANDOM, 10); }
BENCH_WORKLOAD(ring_all) { ring_frames(run, SAME_RUN, 100); }

// A frame that changes one edge of n, and a take into a ring of 8. To many: each entity has 4
// targets, and gets a fifth or loses it again. To one: a source gets another target.
KEEL_RELATION(RingKnows);
KEEL_RELATION(RingLeads, .exclusive = true);
typedef struct RingOwes {
    float amount;
} RingOwes;
KEEL_VALUED_RELATION(RingOwes);

typedef enum edge_kind { TO_MANY, TO_ONE, VALUED } edge_kind;
BENCH_SHARED void change_edge(keel_world *world, const keel_entity *list, uint32_t count,
                              uint64_t frame, edge_kind kind) {
    const uint32_t i = (uint32_t)(frame / 2 * 7919 % count), other = (i + 9) % count;
    if (kind == VALUED && frame % 2)
        bench_expect(keel_unrelate(world, list[i], RingOwes, list[other]));
    else if (kind == VALUED)
        bench_expect(keel_relate(world, list[i], RingOwes, list[other], { 1 }));
    else if (kind == TO_ONE)
        bench_expect(keel_relate(world, list[i], RingLeads, list[(frame % 2 ? i : other) / 8]));
    else if (frame % 2) bench_expect(keel_unrelate(world, list[i], RingKnows, list[other]));
    else bench_expect(keel_relate(world, list[i], RingKnows, list[other]));
}

BENCH_SHARED void ring_edges(bench_run *run, edge_kind kind) {
    const uint32_t count = kind == TO_ONE ? run->n : run->n / 4;
    keel_world *world = bench_world();
    keel_entity *list = bench_touched(count * sizeof *list);
    for (uint32_t i = 0; i < count; ++i)
        list[i] = keel_add_entity(world);
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = 1; kind == TO_MANY && k <= 4; ++k)
            bench_expect(keel_relate(world, list[i], RingKnows, list[(i + k) % count]));
        for (uint32_t k = 1; kind == VALUED && k <= 4; ++k)
            bench_expect(keel_relate(world, list[i], RingOwes, list[(i + k) % count], { 2 }));
        if (kind == TO_ONE) bench_expect(keel_relate(world, list[i], RingLeads, list[i / 8]));
    }

    keel_ring *ring = keel_ring_create(world, 8);
    if (!ring) bench_expect(KEEL_ERROR_MEMORY);
    uint64_t frame = 0;
    for (; frame < 16; ++frame)
        bench_expect(keel_ring_take(ring, frame));
    run->items = 1;
    while (bench_next(run)) {
        bench_start(run);
        change_edge(world, list, count, frame, kind);
        bench_expect(keel_ring_take(ring, frame++));
        bench_stop(run);
        run->sum = run->n;
    }
    keel_ring_destroy(ring);
    free(list);
    bench_end(run, world);
}
BENCH_WORKLOAD(ring_relate) { ring_edges(run, TO_MANY); }
BENCH_WORKLOAD(ring_relate_one) { ring_edges(run, TO_ONE); }
BENCH_WORKLOAD(ring_relate_value) { ring_edges(run, VALUED); }

// The hash of a world that a ring takes each frame, as for finding out where two machines differ.
typedef struct HashPlace {
    float x, y;
} HashPlace;
typedef struct HashSpeed {
    float x, y;
} HashSpeed;
typedef struct HashHealth {
    int32_t points;
} HashHealth;
KEEL_COMPONENT(HashPlace, .storage = BENCH_STORAGE, .no_padding = true);
KEEL_COMPONENT(HashSpeed, .storage = BENCH_STORAGE, .no_padding = true);
KEEL_COMPONENT(HashHealth, .storage = BENCH_STORAGE, .no_padding = true);

static void hash_fill(keel_world *world, uint32_t n, keel_entity *list) {
    for (uint32_t i = 0; i < n; ++i)
        list[i] =
            keel_add_entity(world, KEEL_INIT(HashPlace, { (float)i, 0 }),
                            KEEL_INIT(HashSpeed, { 1, 1 }), KEEL_INIT(HashHealth, { (int32_t)i }));
}
static void hash_write_all(keel_world *world) {
    KEEL_EACH(world, KEEL_WRITE(HashPlace, p), KEEL_WRITE(HashSpeed, v),
              KEEL_WRITE(HashHealth, h)) {
        p->x += v->x;
        v->y += 1;
        --h->points;
    }
}
static void hash_write_one(keel_world *world, keel_entity e) {
    keel_get_mut(world, e, HashPlace)->x += 1;
    keel_get_mut(world, e, HashSpeed)->y += 1;
    --keel_get_mut(world, e, HashHealth)->points;
}

BENCH_SHARED void hash_frames(bench_run *run, bool writes_all) {
    const uint32_t n = run->n;
    keel_world *world = bench_world();
    keel_entity *list = bench_touched(n * sizeof *list);
    hash_fill(world, n, list);
    keel_ring *ring = keel_ring_create(world, 8);
    if (!ring) bench_expect(KEEL_ERROR_MEMORY);
    uint64_t frame = 0, hash = 0;
    for (; frame < 8; ++frame)
        bench_expect(keel_ring_take(ring, frame));
    run->items = n;
    while (bench_next(run)) {
        if (writes_all) hash_write_all(world);
        for (uint32_t i = 0; !writes_all && i < n / 100; ++i)
            hash_write_one(world, list[n / 3 + i]);
        bench_expect(keel_ring_take(ring, frame++));
        bench_start(run);
        bench_expect(keel_world_hash(world, &hash));
        bench_stop(run);
        run->sum = n + (hash == 0);
    }
    keel_ring_destroy(ring);
    free(list);
    bench_end(run, world);
}
BENCH_WORKLOAD(hash_all) { hash_frames(run, true); }
BENCH_WORKLOAD(hash_side) { hash_frames(run, false); }

// A rollback session: a ring takes each frame, and each 30 frames the frame that is 7 frames old is
// exchanged for a kept snapshot and hashed.
enum { KEPT = 4, CHECKED_EVERY = 30, CHECKED_BEHIND = 7, WARM_CHECKS = 40 };
typedef struct checks {
    keel_world *world;
    keel_entity *list;
    keel_ring *ring;
    keel_snapshot *kept[KEPT];
    uint64_t frame, hash;
    uint32_t count;
    bool writes_all;
} checks;

static void checks_begin(checks *c, uint32_t n) {
    c->world = bench_world();
    c->list = bench_touched(n * sizeof *c->list);
    hash_fill(c->world, n, c->list);
    c->ring = keel_ring_create(c->world, 8);
    if (!c->ring) bench_expect(KEEL_ERROR_MEMORY);
    for (uint32_t i = 0; i < KEPT; ++i) {
        c->kept[i] = keel_snapshot_create(c->world, "kept");
        if (!c->kept[i]) bench_expect(KEEL_ERROR_MEMORY);
    }
}
static void checks_play(checks *c, uint32_t n) {
    for (uint32_t k = 0; k < CHECKED_EVERY; ++k) {
        if (c->writes_all) hash_write_all(c->world);
        for (uint32_t i = 0; !c->writes_all && i < n / 100; ++i)
            hash_write_one(c->world, c->list[n / 3 + i]);
        bench_expect(keel_ring_take(c->ring, c->frame++));
    }
}
static void checks_hash(checks *c) {
    keel_snapshot **checked = &c->kept[c->count++ % KEPT];
    bench_expect(keel_ring_exchange(c->ring, c->frame - 1 - CHECKED_BEHIND, checked));
    bench_expect(keel_snapshot_hash(*checked, 0, &c->hash));
}

BENCH_SHARED void hash_checks(bench_run *run, bool writes_all) {
    checks c = { .writes_all = writes_all };
    checks_begin(&c, run->n);
    for (uint32_t i = 0; i < WARM_CHECKS; ++i) { // until each snapshot was hashed and taken again
        checks_play(&c, run->n);
        checks_hash(&c);
    }
    run->items = run->n;
    while (bench_next(run)) {
        checks_play(&c, run->n);
        bench_start(run);
        checks_hash(&c);
        bench_stop(run);
        run->sum = run->n + (c.hash == 0);
    }
    keel_ring_destroy(c.ring);
    for (uint32_t i = 0; i < KEPT; ++i)
        keel_snapshot_destroy(c.kept[i]);
    free(c.list);
    bench_end(run, c.world);
}
BENCH_WORKLOAD(hash_check_all) { hash_checks(run, true); }
BENCH_WORKLOAD(hash_check_side) { hash_checks(run, false); }
