// SPDX-License-Identifier: MIT
// Frames that a ring hands over to its user: what both have afterwards, what is refused, and rings
// that lost frames from their middle, against a model of random calls.
#include "support/api_types.h"

#include <string.h>

enum { SLOTS = 5, KEPT = 3 };

static api_fixture f;
static keel_entity e;

static int set_up(void **state) {
    (void)state;
    api_begin(&f);
    e = keel_add_entity(f.world, KEEL_INIT(Number, { 0 }));
    return 0;
}
static int tear_down(void **state) {
    (void)state;
    api_end(&f);
    return 0;
}
#define WORLD_TEST(function, title)                                                                \
    { title, function, set_up, tear_down, NULL }

static void set(uint32_t value) { keel_get_mut(f.world, e, Number)->value = value; }

static uint32_t value_in(keel_snapshot *snapshot) {
    const keel_world *image = NULL;
    assert_int_equal(keel_snapshot_read_begin(snapshot, &image), KEEL_OK);
    const uint32_t value = keel_get(image, e, Number)->value;
    keel_snapshot_read_end(snapshot);
    return value;
}

static void assert_frames(const keel_ring *ring, uint32_t count, const uint64_t *expected) {
    uint64_t frames[8] = { 0 };
    assert_int_equal(keel_ring_frames(ring, frames, 8), count);
    for (uint32_t i = 0; i < count; ++i)
        assert_int_equal(frames[i], expected[i]);
}
#define FRAMES(...)                                                                                \
    sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t), (const uint64_t[]) { __VA_ARGS__ }

// Returns a ring that has the frames 1 to 4, in which the value is ten times the frame.
static keel_ring *ring_of_four(void) {
    keel_ring *ring = keel_ring_create(f.world, 4);
    for (uint64_t frame = 1; frame <= 4; ++frame) {
        set((uint32_t)frame * 10);
        assert_int_equal(keel_ring_take(ring, frame), KEEL_OK);
    }
    return ring;
}

static void both_have_the_others(void **state) {
    (void)state;
    keel_ring *ring = ring_of_four();
    keel_snapshot *kept = keel_snapshot_create(f.world, "kept");
    keel_snapshot *const before = kept, *const frame = keel_ring_snapshot(ring, 2);
    assert_int_equal(keel_ring_exchange(ring, 2, &kept), KEEL_OK);
    assert_ptr_equal(kept, frame);
    assert_frames(ring, FRAMES(1, 3, 4));
    assert_null(keel_ring_snapshot(ring, 2));
    assert_int_equal(keel_rollback(ring, 2), KEEL_ABSENT);
    assert_int_equal(value_in(kept), 20);

    set(50);
    assert_int_equal(keel_ring_take(ring, 5), KEEL_OK); // uses the memory that was given
    assert_ptr_equal(keel_ring_snapshot(ring, 5), before);
    assert_frames(ring, FRAMES(1, 3, 4, 5));
    keel_snapshot_destroy(before);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "belongs to its ring");
    assert_int_equal(value_in(before), 50);

    assert_int_equal(keel_snapshot_restore(kept), KEEL_OK);
    assert_int_equal(keel_get(f.world, e, Number)->value, 20);
    assert_int_equal(keel_rollback(ring, 3), KEEL_OK);
    assert_int_equal(keel_get(f.world, e, Number)->value, 30);
    assert_int_equal(keel_snapshot_take(kept), KEEL_OK); // it is the user's
    keel_ring_destroy(ring);
    assert_int_equal(value_in(kept), 30);
    keel_snapshot_destroy(kept);
}

static void at_both_ends(void **state) {
    (void)state;
    keel_ring *ring = ring_of_four();
    keel_snapshot *kept = keel_snapshot_create(f.world, "kept");
    assert_int_equal(keel_snapshot_take(kept), KEEL_OK); // what it has is lost
    assert_int_equal(keel_ring_exchange(ring, 4, &kept), KEEL_OK);
    assert_frames(ring, FRAMES(1, 2, 3));
    assert_int_equal(keel_ring_exchange(ring, 1, &kept), KEEL_OK); // gives frame 4 back, as memory
    assert_frames(ring, FRAMES(2, 3));
    assert_int_equal(value_in(kept), 10);
    set(40);
    assert_int_equal(keel_ring_take(ring, 4), KEEL_OK); // again, as it is the newest
    assert_int_equal(keel_ring_exchange(ring, 3, &kept), KEEL_OK);
    assert_int_equal(keel_ring_exchange(ring, 2, &kept), KEEL_OK);
    assert_int_equal(keel_ring_exchange(ring, 4, &kept), KEEL_OK);
    assert_int_equal(value_in(kept), 40);
    assert_int_equal(keel_ring_frames(ring, NULL, 0), 0);
    assert_int_equal(keel_ring_exchange(ring, 4, &kept), KEEL_ABSENT);
    assert_int_equal(keel_rollback(ring, 4), KEEL_ABSENT);
    set(5);
    assert_int_equal(keel_ring_take(ring, 0), KEEL_OK); // an empty ring begins anew
    assert_frames(ring, FRAMES(0));
    assert_int_equal(keel_ring_reserve(ring), KEEL_OK);
    keel_ring_destroy(ring);
    keel_snapshot_destroy(kept);
    assert_no_error(f.world);
}

static void who_reads_goes_on(void **state) {
    (void)state;
    keel_ring *ring = ring_of_four();
    keel_snapshot *kept = keel_snapshot_create(f.world, "kept"), *const read =
                                                                     keel_ring_snapshot(ring, 2);
    const keel_world *image;
    assert_int_equal(keel_snapshot_read_begin(read, &image), KEEL_OK);
    assert_int_equal(keel_ring_exchange(ring, 2, &kept), KEEL_OK);
    for (uint64_t frame = 5; frame < 12; ++frame)
        assert_int_equal(keel_ring_take(ring, frame), KEEL_OK);
    assert_int_equal(keel_get(image, e, Number)->value, 20);
    assert_int_equal(keel_ring_exchange(ring, 9, &kept), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "while it is read");
    assert_ptr_equal(kept, read);
    assert_frames(ring, FRAMES(8, 9, 10, 11));
    keel_snapshot_destroy(kept);
    assert_error(f.world, KEEL_ERROR_BORROWED, "cannot destroy");
    keel_snapshot_read_end(read);
    assert_int_equal(keel_ring_exchange(ring, 9, &kept), KEEL_OK);
    keel_snapshot_destroy(kept);
    keel_ring_destroy(ring);
}

static void ways_to_copy_stay(void **state) {
    (void)state;
    keel_ring *ring = ring_of_four();
    keel_snapshot *kept = keel_snapshot_create(f.world, "kept");
    assert_int_equal(keel_snapshot_set_flags(kept, KEEL_SNAPSHOT_FULL), KEEL_OK);
    assert_int_equal(keel_ring_exchange(ring, 2, &kept), KEEL_OK);
    assert_int_equal(keel_snapshot_take(kept), KEEL_OK);
    assert_int_equal(keel_snapshot_take(kept), KEEL_OK);
    assert_int_equal(keel_snapshot_copied(kept), sizeof(Number)); // all, though nothing was written
    assert_int_equal(keel_ring_take(ring, 5), KEEL_OK);
    assert_int_equal(keel_ring_take(ring, 5), KEEL_OK);
    assert_int_equal(keel_snapshot_copied(keel_ring_snapshot(ring, 5)), 0);
    keel_snapshot_destroy(kept);
    keel_ring_destroy(ring);
}

static void is_refused(void **state) {
    (void)state;
    keel_ring *ring = ring_of_four(), *other_ring = keel_ring_create(f.world, 2);
    keel_world *other = keel_world_create(&(keel_world_desc){ .log = log_to(&f.log) });
    keel_snapshot *kept = keel_snapshot_create(f.world, "kept"), *none = NULL;
    keel_snapshot *foreign = keel_snapshot_create(other, "foreign");
    assert_int_equal(keel_ring_take(other_ring, 1), KEEL_OK);
    keel_snapshot *of_ring = keel_ring_snapshot(other_ring, 1);
    assert_int_equal(keel_ring_exchange(ring, 7, &kept), KEEL_ABSENT);
    assert_no_error(f.world);
    assert_int_equal(keel_ring_exchange(ring, 2, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "but it is NULL");
    assert_int_equal(keel_ring_exchange(ring, 2, &none), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "but it is NULL");
    assert_int_equal(keel_ring_exchange(ring, 2, &of_ring), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "belongs to a ring");
    assert_int_equal(keel_ring_exchange(ring, 2, &foreign), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "it is of world");
    assert_frames(ring, FRAMES(1, 2, 3, 4));
    assert_int_equal(value_in(keel_ring_snapshot(ring, 2)), 20);
    keel_world_destroy(other);
    assert_int_equal(keel_ring_exchange(ring, 2, &foreign), KEEL_ERROR_SNAPSHOT);
    keel_snapshot_destroy(foreign);
    keel_snapshot_destroy(kept);
    keel_ring_destroy(other_ring);
    keel_ring_destroy(ring);
}

static void outlives_its_world(void **state) {
    (void)state;
    keel_world *world = keel_world_create(&(keel_world_desc){ .log = log_to(&f.log) });
    const keel_entity a = keel_add_entity(world, KEEL_INIT(Number, { 7 }));
    keel_ring *ring = keel_ring_create(world, 2);
    keel_snapshot *kept = keel_snapshot_create(world, "kept");
    assert_int_equal(keel_ring_take(ring, 1), KEEL_OK); // in the first slot
    assert_int_equal(keel_ring_exchange(ring, 1, &kept), KEEL_OK);
    keel_world_destroy(world);
    assert_int_equal(keel_ring_exchange(ring, 1, &kept), KEEL_ERROR_SNAPSHOT);
    const keel_world *image;
    assert_int_equal(keel_snapshot_read_begin(kept, &image), KEEL_OK);
    assert_int_equal(keel_get(image, a, Number)->value, 7);
    keel_snapshot_read_end(kept);
    keel_ring_destroy(ring);
    keel_snapshot_destroy(kept);
}

// ------------------------------------------------------------------ against a model
static uint32_t seed;
static uint32_t roll(uint32_t below) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

// What the ring should have: frames in ascending order, and the value of each.
typedef struct model {
    uint64_t frames[SLOTS];
    uint32_t values[SLOTS], count;
    uint32_t kept[KEPT]; // values of the user's snapshots; 0: empty
} model;

static uint32_t model_find(const model *m, uint64_t frame) {
    uint32_t at = 0;
    while (at < m->count && m->frames[at] != frame)
        ++at;
    return at;
}

static void model_remove(model *m, uint32_t at) {
    for (; at + 1 < m->count; ++at) {
        m->frames[at] = m->frames[at + 1];
        m->values[at] = m->values[at + 1];
    }
    --m->count;
}

static void take_frame(model *m, keel_ring *ring, uint64_t frame, uint32_t value) {
    const uint32_t at = model_find(m, frame);
    set(value);
    const keel_result result = keel_ring_take(ring, frame);
    if (at == m->count && m->count && frame < m->frames[m->count - 1]) {
        assert_int_equal(result, KEEL_ERROR_ARGUMENT);
        return;
    }
    assert_int_equal(result, KEEL_OK);
    if (at < m->count) m->count = at;
    if (m->count == SLOTS) model_remove(m, 0);
    m->frames[m->count] = frame;
    m->values[m->count++] = value;
}

static void exchange_frame(model *m, keel_ring *ring, uint64_t frame, keel_snapshot **kept,
                           uint32_t *value) {
    const uint32_t at = model_find(m, frame);
    assert_int_equal(keel_ring_exchange(ring, frame, kept), at < m->count ? KEEL_OK : KEEL_ABSENT);
    if (at == m->count) return;
    *value = m->values[at];
    model_remove(m, at);
}

static void go_back(model *m, keel_ring *ring, uint64_t frame) {
    const uint32_t at = model_find(m, frame);
    assert_int_equal(keel_rollback(ring, frame), at < m->count ? KEEL_OK : KEEL_ABSENT);
    if (at == m->count) return;
    m->count = at + 1;
    assert_int_equal(keel_get(f.world, e, Number)->value, m->values[at]);
}

static void like_a_list(void **state) {
    (void)state;
    uint32_t gaps = 0;
    for (uint32_t round = 1; round <= 40; ++round) {
        seed = round;
        model m = { .count = 0 };
        keel_ring *ring = keel_ring_create(f.world, SLOTS);
        keel_snapshot *kept[KEPT];
        for (uint32_t i = 0; i < KEPT; ++i)
            kept[i] = keel_snapshot_create(f.world, NULL);
        for (uint32_t step = 1; step <= 120; ++step) {
            const uint64_t newest = m.count ? m.frames[m.count - 1] : 0;
            const uint64_t any = newest < 6 ? roll(8) : newest - 6 + roll(8);
            const uint32_t at = roll(KEPT), kind = roll(8);
            if (kind < 4) take_frame(&m, ring, kind ? newest + 1 : any, step);
            else if (kind < 7) exchange_frame(&m, ring, any, &kept[at], &m.kept[at]);
            else go_back(&m, ring, any);
            assert_frames(ring, m.count, m.frames);
            for (uint32_t i = 0; i < m.count; ++i) {
                assert_int_equal(value_in(keel_ring_snapshot(ring, m.frames[i])), m.values[i]);
                gaps += i && m.frames[i] > m.frames[i - 1] + 1;
            }
            for (uint32_t i = 0; i < KEPT; ++i)
                if (m.kept[i]) assert_int_equal(value_in(kept[i]), m.kept[i]);
        }
        keel_ring_destroy(ring);
        for (uint32_t i = 0; i < KEPT; ++i)
            keel_snapshot_destroy(kept[i]);
        keel_clear_errors(f.world);
    }
    assert_true(gaps > 100);
}

static const struct CMUnitTest tests[] = {
    WORLD_TEST(both_have_the_others, "a frame and a snapshot are exchanged, and nothing is copied"),
    WORLD_TEST(at_both_ends, "the oldest, the newest and the last frame are exchanged"),
    WORLD_TEST(who_reads_goes_on, "who reads a frame goes on, and what is given must not be read"),
    WORLD_TEST(ways_to_copy_stay,
               "flags of a snapshot stay with the user, those of a frame with the ring"),
    WORLD_TEST(is_refused, "what is no snapshot of the user's and of this world is refused"),
    WORLD_TEST(outlives_its_world, "an exchanged frame outlives its world"),
    WORLD_TEST(like_a_list, "a ring that lost frames is like a list of the others"),
};
int main(void) { return RUN(tests); }
