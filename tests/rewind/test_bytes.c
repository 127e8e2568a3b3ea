// SPDX-License-Identifier: MIT
// Snapshots as bytes: a second world that reads them continues exactly as the first one, with the
// same hash of the whole state after each step of a random game.
#include "random_game.h"

typedef struct bytes {
    unsigned char *data;
    size_t size, room;
} bytes;

static bool keep(void *context, const void *data, size_t size) {
    bytes *b = context;
    if (b->size + size > b->room) {
        b->room = 2 * (b->size + size);
        b->data = realloc(b->data, b->room);
        assert_non_null(b->data);
    }
    memcpy(b->data + b->size, data, size);
    b->size += size;
    return true;
}

static bytes write_snapshot(keel_snapshot *snapshot) {
    bytes b = { NULL, 0, 0 };
    assert_int_equal(keel_snapshot_write(snapshot, (keel_snapshot_sink){ keep, &b }), KEEL_OK);
    return b;
}

static bytes bytes_of(keel_world *world) {
    keel_snapshot *snapshot = keel_snapshot_create(world, "sent");
    assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
    const bytes b = write_snapshot(snapshot);
    keel_snapshot_destroy(snapshot);
    return b;
}

enum { STEPS = 60 };
static void play(game *g, uint64_t *hashes) {
    for (uint32_t i = 0; i < STEPS; ++i) {
        step(g);
        hashes[i] = keeli_state_hash(g->f.world);
    }
}
static void end(game *g) {
    keel_reader_destroy(g->reader);
    api_end(&g->f);
}

// Reads the bytes into a snapshot of a world and restores it; the bytes that this snapshot would
// write must be the same.
static void join(game *g, const bytes *b) {
    keel_snapshot *snapshot = keel_snapshot_create(g->f.world, "received");
    const keel_result result = keel_snapshot_read(snapshot, b->data, b->size, NULL);
    if (result != KEEL_OK) fail_msg("%s", keel_last_error(g->f.world)->message);
    const bytes again = write_snapshot(snapshot);
    assert_int_equal(again.size, b->size);
    assert_memory_equal(again.data, b->data, b->size);
    free(again.data);
    assert_int_equal(keel_snapshot_restore(snapshot), KEEL_OK);
    check(g);
    keel_snapshot_destroy(snapshot);
}

static void play_on(uint32_t workers, uint32_t others, uint32_t rounds) {
    has_texts = false;
    for (uint32_t round = 1; round <= rounds; ++round) {
        game a = { .reader = NULL }, b = { .reader = NULL };
        uint64_t first[STEPS], second[STEPS];
        populate(&a, workers);
        populate(&b, others);
        state = round * UINT64_C(0x9E3779B97F4A7C15);
        for (uint32_t i = round % 3 ? 0 : roll(100); i; --i)
            step(&b); // a world that was used before is like a fresh one
        for (uint32_t i = roll(300); i; --i)
            step(&a);
        const bytes sent = bytes_of(a.f.world);
        const uint64_t from = state, then = keeli_state_hash(a.f.world);
        join(&b, &sent);
        if (keeli_state_hash(b.f.world) != then)
            fail_msg("round %u: what was read differs", (unsigned)round);
        play(&a, first);
        state = from;
        play(&b, second);
        for (uint32_t i = 0; i < STEPS; ++i)
            if (first[i] != second[i])
                fail_msg("round %u: step %u differs", (unsigned)round, (unsigned)i);
        check(&b);
        const bytes one = bytes_of(a.f.world), other = bytes_of(b.f.world);
        assert_int_equal(one.size, other.size);
        assert_memory_equal(one.data, other.data, one.size);
        free(one.data);
        free(other.data);
        free(sent.data);
        end(&a);
        end(&b);
    }
}

static void another_world_plays_on(void **unused) {
    (void)unused;
    play_on(1, 1, test_rounds(60));
}
static void with_any_number_of_workers(void **unused) {
    (void)unused;
    play_on(1, 3, test_rounds(10));
    play_on(4, 1, test_rounds(10));
    play_on(2, 16, test_rounds(10));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_world_plays_on),
        cmocka_unit_test(with_any_number_of_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
