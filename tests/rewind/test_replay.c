// SPDX-License-Identifier: MIT
// Random edits, runs and sends over everything that a world can have, with a hash of the whole
// state after each step. A snapshot is taken somewhere, and from there the same steps are played
// again: the hashes must be the same, each time, and also after other steps that were played in
// between.
#include "random_game.h"

// Taken between steps: what was written but not stamped is found by builds that compare it.
static void take_often(game *g) {
    const uint32_t warnings = g->f.log.warnings;
    assert_int_equal(keel_snapshot_take(g->often), KEEL_OK);
    if (g->f.log.warnings != warnings) fail_msg("%s", g->f.log.last);
}

enum { STEPS = 60 };
static void play(game *g, uint64_t *hashes) {
    for (uint32_t i = 0; i < STEPS; ++i) {
        step(g);
        if (i % 3 == 0) take_often(g);
        hashes[i] = keeli_state_hash(g->f.world);
    }
}

static void expect_same(const uint64_t *a, const uint64_t *b, uint32_t round) {
    for (uint32_t i = 0; i < STEPS; ++i)
        if (a[i] != b[i]) fail_msg("round %u: step %u differs", (unsigned)round, (unsigned)i);
}

static void steps_play_again(uint32_t workers, uint32_t rounds) {
    for (uint32_t round = 1; round <= rounds; ++round) {
        game g = { .reader = NULL };
        uint64_t first[STEPS], again[STEPS];
        populate(&g, workers);
        keel_snapshot *snapshot = keel_snapshot_create(g.f.world, "here");
        g.often = keel_snapshot_create(g.f.world, "often");
        state = round * UINT64_C(0x9E3779B97F4A7C15);
        for (uint32_t i = roll(300); i; --i)
            step(&g);
        assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
        const uint64_t from = state, before = keeli_state_hash(g.f.world);
        play(&g, first);
        for (uint32_t times = 0; times < 3; ++times) {
            const uint32_t warnings = g.f.log.warnings;
            assert_int_equal(keel_snapshot_restore(snapshot), KEEL_OK);
            if (g.f.log.warnings != warnings) fail_msg("%s", g.f.log.last);
            check(&g);
            if (keeli_state_hash(g.f.world) != before)
                fail_msg("round %u: what was restored differs", (unsigned)round);
            state = from;
            play(&g, again);
            expect_same(first, again, round);
            state = from + times + 1; // others, from a state that may be far from that
            play(&g, again);
            check(&g);
        }
        keel_snapshot_destroy(snapshot);
        keel_snapshot_destroy(g.often);
        keel_reader_destroy(g.reader);
        api_end(&g.f);
        assert_int_equal(live_texts, 0);
    }
}

static void played_again_it_is_the_same(void **unused) {
    (void)unused;
    steps_play_again(1, test_rounds(60));
}
static void and_on_several_threads(void **unused) {
    (void)unused;
    steps_play_again(3, test_rounds(20));
}

// A game in the middle, a snapshot of it, and the game some steps later.
static keel_snapshot *begin_in_the_middle(game *g, uint64_t *then, uint64_t *now) {
    *g = (game){ .reader = NULL };
    populate(g, 1);
    keel_snapshot *snapshot = keel_snapshot_create(g->f.world, "here");
    state = 12345;
    for (uint32_t i = 0; i < 200; ++i)
        step(g);
    assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
    *then = keeli_state_hash(g->f.world);
    for (uint32_t i = 0; i < 200; ++i)
        step(g);
    *now = keeli_state_hash(g->f.world);
    assert_int_not_equal(*then, *now);
    return snapshot;
}
static void end(game *g, keel_snapshot *snapshot) {
    keel_snapshot_destroy(snapshot);
    keel_reader_destroy(g->reader);
    api_end(&g->f);
    assert_int_equal(live_texts, 0);
}

// Lets the next allocation, or the next copy, fail.
typedef void fail_next(game *g, uint32_t after);
static void fail_memory(game *g, uint32_t after) {
    if (after != UINT32_MAX) counting_allocator_fail_after(&g->f.memory, after);
    else counting_allocator_never_fail(&g->f.memory);
}
static void fail_copy(game *g, uint32_t after) {
    (void)g;
    copies_left = after;
}

static uint32_t fail_each_time(game *g, keel_snapshot *snapshot, bool takes, fail_next *break_it,
                               keel_result error) {
    keel_world *w = g->f.world;
    const uint64_t before = keeli_state_hash(w);
    uint32_t after = 0;
    for (;; after += (uint32_t)test_stride()) {
        break_it(g, after);
        const keel_result result =
            takes ? keel_snapshot_take(snapshot) : keel_snapshot_restore(snapshot);
        break_it(g, UINT32_MAX);
        if (result == KEEL_OK) return after;
        assert_int_equal(result, error);
        assert_int_equal(keeli_state_hash(w), before);
        check(g);
        keel_clear_errors(w);
    }
}

static void what_fails_changes_nothing(void **unused) {
    (void)unused;
    static fail_next *const failing[] = { fail_memory, fail_copy };
    static const keel_result errors[] = { KEEL_ERROR_MEMORY, KEEL_ERROR_COPY };
    for (uint32_t i = 0; i < 2; ++i) {
        uint64_t then, now;
        game g;
        keel_snapshot *snapshot = begin_in_the_middle(&g, &then, &now);
        assert_true(fail_each_time(&g, snapshot, false, failing[i], errors[i]) > 5);
        assert_int_equal(keeli_state_hash(g.f.world), then);
        for (uint32_t k = 0; k < 200; ++k)
            step(&g);
        now = keeli_state_hash(g.f.world);
        assert_true(fail_each_time(&g, snapshot, true, failing[i], errors[i]) > 5);
        for (uint32_t k = 0; k < 50; ++k)
            step(&g);
        assert_int_equal(keel_snapshot_restore(snapshot), KEEL_OK);
        assert_int_equal(keeli_state_hash(g.f.world), now);
        end(&g, snapshot);
    }
}

// What a take that failed leaves is what was taken before.
static void a_failed_take_keeps_the_old_one(void **unused) {
    (void)unused;
    uint64_t then, now;
    game g;
    keel_snapshot *snapshot = begin_in_the_middle(&g, &then, &now);
    copies_left = 3;
    assert_int_equal(keel_snapshot_take(snapshot), KEEL_ERROR_COPY);
    copies_left = UINT32_MAX;
    assert_int_equal(keel_snapshot_restore(snapshot), KEEL_OK);
    assert_int_equal(keeli_state_hash(g.f.world), then);
    end(&g, snapshot);
}

// What is left alone does not count, and what comes with the rows does.
static void the_hash_is_of_what_comes_back(void **unused) {
    (void)unused;
    static const keel_storage kinds[] = { KEEL_SPARSE_SET, KEEL_INDEXED, KEEL_ARCHETYPE };
    for (uint32_t i = 0; i < 3; ++i) {
        api_fixture f;
        api_begin(&f);
        keel_component as = *KEEL_OF(Scratch);
        as.storage = kinds[i];
        assert_non_null(keel_register_component(f.world, &as));
        const keel_entity a = keel_add_entity(f.world, KEEL_INIT(Scratch, { 1 }));
        const keel_entity b = keel_add_entity(f.world);
        keel_snapshot *snapshot = keel_snapshot_create(f.world, NULL);
        assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
        const uint64_t then = keeli_state_hash(f.world);
        assert_int_equal(keel_add(f.world, a, Scratch, { 2 }), KEEL_OK);
        assert_int_equal(keeli_state_hash(f.world) == then, kinds[i] != KEEL_ARCHETYPE);
        assert_int_equal(keel_add(f.world, b, Scratch, { 3 }), KEEL_OK);
        assert_int_equal(keel_snapshot_restore(snapshot), KEEL_OK);
        assert_int_equal(keeli_state_hash(f.world), then);
        keel_snapshot_destroy(snapshot);
        api_end(&f);
    }
}

// A world keeps what it needs for the next run of a system: that is no part of a snapshot, and must
// not be seen.
static void first_runs_are_like_later_ones(void **unused) {
    (void)unused;
    static const keel_system *const systems[] = { &KEEL_SYSTEM_grow, &KEEL_SYSTEM_count_changes,
                                                  &KEEL_SYSTEM_pair, &KEEL_SYSTEM_see_new,
                                                  &KEEL_SYSTEM_climb };
    for (uint32_t parallel = 0; parallel < 2; ++parallel)
        for (uint32_t i = 0; i < sizeof systems / sizeof *systems; ++i) {
            game g = { .reader = NULL };
            uint64_t hashes[3];
            populate(&g, 1 + parallel);
            keel_snapshot *snapshot = keel_snapshot_create(g.f.world, "before");
            assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
            for (uint32_t times = 0; times < 3; ++times) {
                const keel_run_desc desc = { .parallel = parallel && !i };
                assert_int_equal(keel_snapshot_restore(snapshot), KEEL_OK);
                assert_int_equal(keel_run_system(g.f.world, systems[i], &desc), KEEL_OK);
                hashes[times] = keeli_state_hash(g.f.world);
                assert_true(hashes[times] == hashes[0]);
            }
            end(&g, snapshot);
        }
}

// What is cleared of components that only another future knew.
typedef struct Later {
    uint32_t value;
} Later;
typedef struct LaterOne {
    uint32_t value;
} LaterOne;
KEEL_COMPONENT(Later, .tracking = KEEL_TRACK_ALL);
KEEL_UNIQUE(LaterOne);
static uint64_t clear_and_use(keel_world *world) {
    (void)keel_tick(world);
    assert_int_equal(keel_clear_all_changes(world, KEEL_TRACK_ALL, KEEL_NOW), KEEL_OK);
    const uint64_t cleared = keeli_state_hash(world);
    keel_add_entity(world, KEEL_INIT(Later, { 2 }));
    assert_int_equal(keel_set_unique(world, LaterOne, { 3 }), KEEL_OK);
    return cleared * 31 + keeli_state_hash(world);
}
static void clearing_what_only_another_future_knew(void **state_of_test) {
    (void)state_of_test;
    api_fixture f;
    api_begin(&f);
    (void)keel_tick(f.world);
    keel_snapshot *snapshot = keel_snapshot_create(f.world, "before");
    assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
    const uint64_t first = clear_and_use(f.world);
    for (uint32_t times = 0; times < 2; ++times) {
        assert_int_equal(keel_snapshot_restore(snapshot), KEEL_OK);
        assert_true(clear_and_use(f.world) == first);
    }
    keel_snapshot_destroy(snapshot);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(the_hash_is_of_what_comes_back, "the hash of the state is of what comes back"),
    TEST(what_fails_changes_nothing, "each allocation and each copy fails once: nothing changed"),
    TEST(a_failed_take_keeps_the_old_one, "a take that fails leaves what was taken before"),
    TEST(played_again_it_is_the_same, "a world that was restored plays on as it did"),
    TEST(first_runs_are_like_later_ones, "the first run of a system is like later ones"),
    TEST(clearing_what_only_another_future_knew,
         "clearing changes of what only another future knew"),
    TEST(and_on_several_threads, "and on several threads"),
};
int main(void) { return RUN(tests); }
