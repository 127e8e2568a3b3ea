// SPDX-License-Identifier: MIT
// The hashes of snapshots, with and without the order, in a random game over everything that a
// world can have: they are those of the world when it was taken, whatever came between, and
// whatever part of them is cached.
#include "random_game.h"

enum { SNAPSHOTS = 4, SLOTS = 3 };

typedef struct hashes {
    uint64_t values, order;
    bool is_known;
} hashes;

static hashes of_world(const keel_world *world) {
    hashes h = { .is_known = true };
    assert_int_equal(keel_world_hash_with(world, 0, &h.values), KEEL_OK);
    assert_int_equal(keel_world_hash_with(world, KEEL_HASH_ORDER, &h.order), KEEL_OK);
    return h;
}

static void expect(const hashes *then, hashes now, const char *what) {
    if (then->values != now.values) fail_msg("the hash %s differs", what);
    if (then->order != now.order) fail_msg("the hash of the order %s differs", what);
}

static void check_snapshot(keel_snapshot *snapshot, const hashes *then) {
    if (!then->is_known) {
        uint64_t hash;
        assert_int_equal(keel_snapshot_hash(snapshot, 0, &hash), KEEL_ABSENT);
        return;
    }
    hashes now = { .is_known = true };
    assert_int_equal(keel_snapshot_hash(snapshot, 0, &now.values), KEEL_OK);
    assert_int_equal(keel_snapshot_hash(snapshot, KEEL_HASH_ORDER, &now.order), KEEL_OK);
    expect(then, now, "of a snapshot");
    const keel_world *image;
    assert_int_equal(keel_snapshot_read_begin(snapshot, &image), KEEL_OK);
    expect(then, of_world(image), "of an image");

    keel_world *copy = keel_world_create(&(keel_world_desc){ .name = "copy" }); // it caches nothing
    assert_int_equal(keel_copy_world(image, copy), KEEL_OK);
    keel_hash_part parts[64], others[64];
    const uint32_t count = keel_world_hash_parts(image, parts, 64);
    const uint32_t other_count = keel_world_hash_parts(copy, others, 64);
    uint64_t sum = 0;
    for (uint32_t i = 0, at = 0; i < count; ++i) {
        sum += parts[i].hash;
        if (parts[i].component->is_event) continue; // copies have no events
        assert_true(at < other_count);
        assert_string_equal(parts[i].component->name, others[at].component->name);
        if (parts[i].hash != others[at++].hash)
            fail_msg("the part of '%s' differs", parts[i].component->name);
    }
    assert_true(sum == then->values);
    keel_world_destroy(copy);
    keel_snapshot_read_end(snapshot);
}

static void hashes_stay(uint32_t workers, uint32_t rounds) {
    for (uint32_t round = 1; round <= rounds; ++round) {
        game g = { .reader = NULL };
        keel_snapshot *snapshots[SNAPSHOTS];
        hashes then[SNAPSHOTS] = { { 0 } }, in_ring[SLOTS + 1] = { { 0 } };
        populate(&g, workers);
        for (uint32_t i = 0; i < SNAPSHOTS; ++i)
            snapshots[i] = keel_snapshot_create(g.f.world, NULL);
        keel_ring *ring = keel_ring_create(g.f.world, SLOTS);
        state = round * UINT64_C(0x9E3779B97F4A7C15);
        for (uint64_t frame = 0; frame < 60; ++frame) {
            for (uint32_t i = roll(12); i; --i)
                step(&g);
            const uint32_t at = roll(SNAPSHOTS), what = roll(8);
            if (what < 3) {
                assert_int_equal(keel_snapshot_take(snapshots[at]), KEEL_OK);
                then[at] = of_world(g.f.world);
            } else if (what < 6) {
                check_snapshot(snapshots[at], &then[at]);
            } else if (what == 6 && then[at].is_known) {
                assert_int_equal(keel_snapshot_restore(snapshots[at]), KEEL_OK);
                expect(&then[at], of_world(g.f.world), "of what was restored");
            }
            assert_int_equal(keel_ring_take(ring, frame), KEEL_OK);
            in_ring[frame % SLOTS] = of_world(g.f.world);
            const uint64_t back = frame - (frame < SLOTS ? 0 : roll(SLOTS));
            const uint32_t given = roll(SNAPSHOTS);
            if (roll(3) == 0 && keel_ring_exchange(ring, back, &snapshots[given]) == KEEL_OK)
                then[given] = in_ring[back % SLOTS];
            keel_snapshot *one = keel_ring_snapshot(ring, back);
            if (one && roll(2)) check_snapshot(one, &in_ring[back % SLOTS]);
        }
        check(&g);
        keel_reader_destroy(g.reader);
        for (uint32_t i = 0; i < SNAPSHOTS; ++i)
            check_snapshot(snapshots[i], &then[i]); // the reader has gone
        for (uint32_t i = 0; i < SNAPSHOTS; ++i)
            keel_snapshot_destroy(snapshots[i]);
        keel_ring_destroy(ring);
        api_end(&g.f);
        assert_int_equal(live_texts, 0);
    }
}

static void on_one_thread(void **unused) {
    (void)unused;
    hashes_stay(1, test_rounds(40));
}
static void on_several_threads(void **unused) {
    (void)unused;
    hashes_stay(3, test_rounds(12));
}

static const struct CMUnitTest tests[] = {
    TEST(on_one_thread, "a snapshot has the hashes of the world when it was taken"),
    TEST(on_several_threads, "and when systems ran on several threads"),
};
int main(void) { return RUN(tests); }
