// SPDX-License-Identifier: MIT
// Snapshots and rings: what they bring back, what they leave, and what is refused. That a world
// plays on as it did after a restore is tested in tests/rewind/.
#include "support/api_types.h"

#include <string.h>

static api_fixture f;

static int set_up(void **state) {
    (void)state;
    owned_begin();
    api_begin(&f);
    return 0;
}
static int tear_down(void **state) {
    (void)state;
    api_end(&f);
    assert_owned_end();
    return 0;
}
#define WORLD_TEST(function, title)                                                                \
    { title, function, set_up, tear_down, NULL }

// ------------------------------------------------------------------ what comes back
static void handles_and_values(void **state) {
    (void)state;
    keel_snapshot *then = keel_snapshot_create(f.world, "then");
    const keel_entity a =
        keel_add_entity(f.world, KEEL_INIT(Health, { 1 }), KEEL_INIT(Number, { 2 }));
    const keel_entity b = keel_add_entity(f.world, KEEL_INIT(Health, { 3 }));
    assert_int_equal(keel_snapshot_restore(then), KEEL_ABSENT);
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    assert_int_equal(keel_delete_entity(f.world, a), KEEL_OK);
    const keel_entity c = keel_add_entity(f.world, KEEL_INIT(Health, { 9 }));
    keel_get_mut(f.world, b, Health)->points = 5;
    for (int twice = 0; twice < 2; ++twice) {
        assert_int_equal(keel_snapshot_restore(then), KEEL_OK);
        assert_true(keel_is_alive(f.world, a));
        assert_false(keel_is_alive(f.world, c));
        assert_int_equal(keel_get(f.world, a, Health)->points, 1);
        assert_int_equal(keel_get(f.world, b, Health)->points, 3);
        assert_int_equal(keel_entity_count(f.world), 2);
        // and the same handles come next: flecs #620, EnTT #818, bevy_ggrs #81
        assert_true(keel_is_same(keel_add_entity(f.world), keel_entity_make(2, 0)));
    }
    keel_snapshot_destroy(then);
}

static void the_dead_and_their_versions(void **state) { // EnTT #27, #588; bevy_ggrs #29, #90
    (void)state;
    keel_entity list[20];
    keel_snapshot *then = keel_snapshot_create(f.world, NULL);
    for (int i = 0; i < 20; ++i)
        list[i] = keel_add_entity(f.world, KEEL_INIT(Number, { (uint32_t)i }));
    for (int i = 0; i < 20; i += 3)
        assert_int_equal(keel_delete_entity(f.world, list[i]), KEEL_OK);
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    keel_entity next[10];
    for (int i = 0; i < 10; ++i)
        next[i] = keel_add_entity(f.world);
    keel_clear_entities(f.world);
    assert_int_equal(keel_snapshot_restore(then), KEEL_OK);
    for (int i = 0; i < 20; ++i)
        assert_int_equal(keel_is_alive(f.world, list[i]), i % 3 != 0);
    for (int i = 0; i < 10; ++i)
        assert_true(keel_is_same(keel_add_entity(f.world), next[i]));
    keel_snapshot_destroy(then);
}

static void uniques_too(void **state) { // flecs #844
    (void)state;
    keel_snapshot *then = keel_snapshot_create(f.world, NULL);
    keel_set_unique(f.world, Time, { 1, 2 });
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    keel_set_unique(f.world, Time, { 3, 4 });
    assert_int_equal(keel_snapshot_restore(then), KEEL_OK);
    assert_true(keel_get_unique(f.world, Time)->now == 1);
    keel_remove_unique(f.world, Time);
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    keel_set_unique(f.world, Time, { 3, 4 });
    assert_int_equal(keel_snapshot_restore(then), KEEL_OK);
    assert_null(keel_get_unique(f.world, Time));
    keel_snapshot_destroy(then);
}

static void families_and_names(void **state) {
    (void)state;
    keel_snapshot *then = keel_snapshot_create(f.world, NULL);
    const keel_entity ship = keel_add_entity(f.world);
    const keel_entity gun = keel_add_child(f.world, ship, KEEL_INIT(Number, { 1 }));
    keel_set_name(f.world, ship, "ship");
    keel_set_name(f.world, gun, "gun");
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    keel_set_name(f.world, ship, "wreck");
    assert_int_equal(keel_delete_tree(f.world, ship), KEEL_OK);
    const keel_entity other = keel_add_entity(f.world);
    keel_set_name(f.world, other, "ship");
    assert_int_equal(keel_snapshot_restore(then), KEEL_OK);
    assert_true(keel_is_same(keel_find_entity(f.world, keel_null(), "ship/gun"), gun));
    assert_true(keel_is_null(keel_find_entity(f.world, keel_null(), "wreck")));
    assert_string_equal(keel_name_of(f.world, gun), "gun");
    keel_snapshot_destroy(then);
}

// A stale note of an order would pair values of different entities.
static int descending(const void *a, const void *b, void *data) {
    (void)data;
    return ((const Number *)a)->value < ((const Number *)b)->value ? 1 : -1;
}
KEEL_SYSTEM(pair, KEEL_READ(Number, n), KEEL_READ(Other, o)) {
    assert_int_equal(n->value, o->value);
}
static void what_is_kept_of_orders_is_not(void **state) {
    (void)state;
    keel_snapshot *then = keel_snapshot_create(f.world, NULL);
    for (uint32_t i = 0; i < 500; ++i)
        keel_add_entity(f.world, KEEL_INIT(Number, { i }), KEEL_INIT(Other, { i }));
    assert_int_equal(keel_run(f.world, pair), KEEL_OK);
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    assert_int_equal(keel_sort(f.world, Number, descending, NULL), KEEL_OK);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(keel_run(f.world, pair), KEEL_OK);
    assert_int_equal(keel_snapshot_restore(then), KEEL_OK);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(keel_run(f.world, pair), KEEL_OK);
    keel_snapshot_destroy(then);
}

// Who is visited, in which order, and whom values name, is what it was, whatever was spawned and
// deleted in the meantime: bevy_ggrs #29 and #82, in a world that was in use: EnTT #268. A snapshot
// is there after a restore: flecs #301.
typedef struct Leader {
    keel_entity entity;
} Leader;
KEEL_COMPONENT(Leader);
typedef struct sighting {
    uint32_t number;
    keel_entity leader;
} sighting;
static uint32_t sight(keel_world *world, sighting *list) {
    uint32_t count = 0;
    KEEL_EACH(world, KEEL_READ(Number, n), KEEL_READ(Leader, l)) {
        assert_true(keel_is_alive(world, l->entity));
        list[count++] = (sighting){ n->value, l->entity };
    }
    return count;
}
static void the_order_and_who_is_named(void **state) {
    (void)state;
    keel_entity list[40];
    sighting then[40], now[40];
    keel_snapshot *taken = keel_snapshot_create(f.world, NULL);
    for (uint32_t i = 0; i < 40; ++i)
        list[i] = keel_add_entity(f.world, KEEL_INIT(Number, { i }),
                                  KEEL_INIT(Leader, { i ? list[i / 2] : keel_null() }));
    keel_replace(f.world, list[0], Leader, { list[39] });
    assert_int_equal(keel_remove(f.world, list[7], Number), KEEL_OK);
    keel_add(f.world, list[7], Number, { 7 }); // now the last one
    const uint32_t count = sight(f.world, then);
    assert_int_equal(keel_snapshot_take(taken), KEEL_OK);
    for (uint32_t guess = 1; guess < 4; ++guess) {
        for (uint32_t i = guess; i < 40; i += 2 * guess)
            assert_int_equal(keel_delete_entity(f.world, list[i]), KEEL_OK);
        for (uint32_t i = 0; i < 10 * guess; ++i)
            keel_add_entity(f.world, KEEL_INIT(Leader, { list[0] }), KEEL_INIT(Number, { i }));
        assert_int_equal(keel_snapshot_restore(taken), KEEL_OK);
        assert_int_equal(sight(f.world, now), count);
        for (uint32_t i = 0; i < count; ++i) {
            assert_int_equal(now[i].number, then[i].number);
            assert_true(keel_is_same(now[i].leader, then[i].leader));
        }
    }
    keel_snapshot_destroy(taken);
}

// A system that asks for changes switches tracking on, in its first run. Who is taken back before
// that sees the same again: all of it.
KEEL_SYSTEM(move_some, KEEL_WRITE_MARKED(Number, n, touched)) {
    *touched = n->value % 4 == 0;
    n->value += *touched ? 4 : 0;
}
KEEL_SYSTEM(watch, KEEL_CHANGED(Number), KEEL_UNIQUE_WRITE(Time, time)) { time->now += 1; }
KEEL_WORKLOAD(watched, KEEL_STEP(move_some), KEEL_STEP(watch));
static void tracking_that_began_later(void **state) {
    (void)state;
    keel_ring *ring = keel_ring_create(f.world, 4);
    for (uint32_t i = 0; i < 100; ++i)
        keel_add_entity(f.world, KEEL_INIT(Number, { i }));
    keel_set_unique(f.world, Time, { 0, 0 });
    double seen[2][3];
    for (uint32_t round = 0; round < 2; ++round) {
        if (round) assert_int_equal(keel_rollback(ring, 0), KEEL_OK);
        for (uint32_t frame = 0; frame < 3; ++frame) {
            assert_int_equal(keel_ring_take(ring, frame), KEEL_OK);
            assert_int_equal(keel_run_workload(f.world, watched), KEEL_OK);
            seen[round][frame] = keel_get_unique(f.world, Time)->now;
        }
    }
    assert_true(seen[0][0] >= 100 && seen[0][1] <= 125);
    for (uint32_t frame = 0; frame < 3; ++frame)
        assert_true(seen[0][frame] >= seen[1][frame] && seen[0][frame] <= seen[1][frame]);
    keel_ring_destroy(ring);
}

// ------------------------------------------------------------------ what is left alone
typedef struct Sprite {
    uint32_t id;
} Sprite;
KEEL_COMPONENT(Sprite, .transient = true);
typedef struct Screen {
    uint32_t width;
} Screen;
KEEL_UNIQUE(Screen, .transient = true);

static void transient_ones_stay(void **state) {
    (void)state;
    keel_snapshot *then = keel_snapshot_create(f.world, NULL);
    const keel_entity a =
        keel_add_entity(f.world, KEEL_INIT(Number, { 1 }), KEEL_INIT(Sprite, { 1 }));
    const keel_entity b = keel_add_entity(f.world, KEEL_INIT(Sprite, { 2 }));
    keel_set_unique(f.world, Screen, { 640 });
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    const keel_entity c = keel_add_entity(f.world, KEEL_INIT(Sprite, { 3 }));
    keel_get_mut(f.world, a, Sprite)->id = 10;
    keel_delete(f.world, b, Sprite);
    keel_set_unique(f.world, Screen, { 800 });
    assert_int_equal(keel_snapshot_restore(then), KEEL_OK);
    assert_int_equal(keel_get(f.world, a, Sprite)->id, 10);
    assert_null(keel_get(f.world, b, Sprite)); // it was taken away, and is not brought back
    assert_false(keel_is_alive(f.world, c));
    assert_int_equal(keel_count(f.world, Sprite), 1);
    assert_int_equal(keel_get_unique(f.world, Screen)->width, 800);
    keel_snapshot_destroy(then);
}

static void components_that_came_later_are_empty(void **state) {
    (void)state;
    keel_snapshot *then = keel_snapshot_create(f.world, NULL);
    const keel_entity a = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    keel_add(f.world, a, Health, { 7 });
    keel_add(f.world, a, Owned, owned_make());
    keel_set_unique(f.world, Time, { 3, 4 });
    assert_int_equal(keel_snapshot_restore(then), KEEL_OK);
    assert_null(keel_get(f.world, a, Health));
    assert_null(keel_get(f.world, a, Owned));
    assert_null(keel_get_unique(f.world, Time));
    keel_snapshot_destroy(then);
}

static uint32_t restores;
static void note_restore(keel_world *world, void *data) {
    assert_ptr_equal(world, f.world);
    restores += *(uint32_t *)data;
}
static void readers_that_are_kept_see_all(void **state) {
    (void)state;
    uint32_t one = 1;
    keel_reader *renderer = keel_reader_create(f.world, "renderer");
    keel_reader *game = keel_reader_create(f.world, "game");
    keel_reader_keep(renderer);
    keel_track(f.world, Number, KEEL_TRACK_ALL);
    assert_int_equal(keel_on_restore(f.world, note_restore, &one), KEEL_OK);
    assert_int_equal(keel_on_restore(f.world, note_restore, &one), KEEL_OK);
    keel_snapshot *then = keel_snapshot_create(f.world, NULL);
    keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    keel_reader_advance(renderer);
    keel_reader_advance(game);
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    assert_int_equal(keel_snapshot_restore(then), KEEL_OK);
    assert_int_equal(restores, 1);
    uint32_t seen = 0;
    KEEL_EACH(renderer, KEEL_INSERTED(Number), KEEL_WITH(Number))
        ++seen;
    assert_int_equal(seen, 1);
    KEEL_EACH(game, KEEL_INSERTED(Number), KEEL_WITH(Number))
        ++seen;
    assert_int_equal(seen, 1);
    keel_reader_destroy(renderer);
    keel_reader_destroy(game);
    keel_snapshot_destroy(then);
}

// ------------------------------------------------------------------ rings
static void a_ring_goes_back(void **state) {
    (void)state;
    keel_ring *ring = keel_ring_create(f.world, 4);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 0 }));
    assert_int_equal(keel_rollback(ring, 0), KEEL_ABSENT);
    for (uint32_t frame = 1; frame <= 10; ++frame) {
        keel_get_mut(f.world, e, Number)->value = frame;
        assert_int_equal(keel_ring_take(ring, frame), KEEL_OK);
    }
    assert_int_equal(keel_rollback(ring, 6), KEEL_ABSENT); // four are kept: 7 to 10
    assert_int_equal(keel_get(f.world, e, Number)->value, 10);
    assert_int_equal(keel_rollback(ring, 8), KEEL_OK);
    assert_int_equal(keel_get(f.world, e, Number)->value, 8);
    assert_int_equal(keel_rollback(ring, 9), KEEL_ABSENT); // later ones are forgotten
    keel_get_mut(f.world, e, Number)->value = 80;
    assert_int_equal(keel_ring_take(ring, 8), KEEL_OK); // in place of what it was
    keel_get_mut(f.world, e, Number)->value = 90;
    assert_int_equal(keel_ring_take(ring, 9), KEEL_OK);
    assert_int_equal(keel_ring_take(ring, 5), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "frame 5 is taken after frame 9");
    assert_int_equal(keel_rollback(ring, 8), KEEL_OK);
    assert_int_equal(keel_get(f.world, e, Number)->value, 80);
    assert_int_equal(keel_rollback(ring, 7), KEEL_OK);
    assert_int_equal(keel_get(f.world, e, Number)->value, 7);
    keel_ring_destroy(ring);
}

// Asserts that the snapshot of a frame has this number as the value of an entity.
static void assert_frame(const keel_ring *ring, uint64_t frame, keel_entity e, uint32_t value) {
    keel_snapshot *snapshot = keel_ring_snapshot(ring, frame);
    const keel_world *image = NULL;
    assert_non_null(snapshot);
    assert_int_equal(keel_snapshot_read_begin(snapshot, &image), KEEL_OK);
    assert_int_equal(keel_get(image, e, Number)->value, value);
    keel_snapshot_read_end(snapshot);
}

static void assert_frames(const keel_ring *ring, uint32_t count, const uint64_t *expected) {
    uint64_t frames[8] = { 0 };
    assert_int_equal(keel_ring_frames(ring, NULL, 0), count);
    assert_int_equal(keel_ring_frames(ring, frames, 8), count);
    for (uint32_t i = 0; i < count; ++i)
        assert_int_equal(frames[i], expected[i]);
    assert_int_equal(frames[count], 0);
}
#define FRAMES(...)                                                                                \
    sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t), (const uint64_t[]) { __VA_ARGS__ }

static void frames_are_read_and_the_world_stays(void **state) {
    (void)state;
    static const uint64_t taken[] = { 1, 5, 6, 90 };
    keel_ring *ring = keel_ring_create(f.world, 4);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 0 }));
    assert_frames(ring, 0, NULL);
    assert_null(keel_ring_snapshot(ring, 0));
    const size_t empty = keel_ring_bytes(ring);
    assert_true(empty > 0);
    for (uint32_t i = 0; i < 4; ++i) {
        keel_get_mut(f.world, e, Number)->value = (uint32_t)taken[i];
        assert_int_equal(keel_ring_take(ring, taken[i]), KEEL_OK);
    }
    assert_true(keel_ring_bytes(ring) > empty);
    keel_get_mut(f.world, e, Number)->value = 7;
    assert_frames(ring, FRAMES(1, 5, 6, 90));
    for (uint32_t i = 0; i < 4; ++i)
        assert_frame(ring, taken[i], e, (uint32_t)taken[i]);
    assert_int_equal(keel_get(f.world, e, Number)->value, 7);
    assert_null(keel_ring_snapshot(ring, 2));
    assert_null(keel_ring_snapshot(ring, 91));
    uint64_t two[2];
    assert_int_equal(keel_ring_frames(ring, two, 2), 4);
    assert_int_equal(two[1], 5);

    assert_int_equal(keel_rollback(ring, 3), KEEL_ABSENT);
    assert_int_equal(keel_rollback(ring, 5), KEEL_OK);
    assert_frames(ring, FRAMES(1, 5));
    assert_null(keel_ring_snapshot(ring, 6));
    assert_int_equal(keel_ring_take(ring, 8), KEEL_OK);
    assert_int_equal(keel_ring_take(ring, 1000), KEEL_OK);
    assert_int_equal(keel_ring_take(ring, UINT64_MAX), KEEL_OK); // the oldest is dropped
    assert_frames(ring, FRAMES(5, 8, 1000, UINT64_MAX));
    assert_no_error(f.world);
    keel_ring_destroy(ring);
}

static void a_frame_that_is_read_stays(void **state) {
    (void)state;
    keel_ring *ring = keel_ring_create(f.world, 2);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    const keel_world *image;
    assert_int_equal(keel_ring_take(ring, 1), KEEL_OK);
    assert_int_equal(keel_ring_take(ring, 2), KEEL_OK);
    keel_snapshot *oldest = keel_ring_snapshot(ring, 1);
    assert_int_equal(keel_snapshot_read_begin(oldest, &image), KEEL_OK);

    keel_get_mut(f.world, e, Number)->value = 3;
    assert_int_equal(keel_ring_take(ring, 3), KEEL_ERROR_BORROWED); // it would reuse the oldest
    assert_error(f.world, KEEL_ERROR_BORROWED, "while frame 1 of it is read");
    assert_int_equal(keel_ring_take(ring, 1), KEEL_ERROR_BORROWED);
    keel_clear_errors(f.world);
    assert_int_equal(keel_ring_reserve(ring), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "cannot reserve a ring");
    keel_ring_destroy(ring);
    assert_error(f.world, KEEL_ERROR_BORROWED, "cannot destroy a ring");
    assert_int_equal(keel_rollback(ring, 1), KEEL_ERROR_BORROWED);
    keel_clear_errors(f.world);
    assert_frames(ring, FRAMES(1, 2));
    assert_int_equal(keel_get(image, e, Number)->value, 1);
    assert_int_equal(keel_ring_take(ring, 2), KEEL_OK); // another frame is not read

    keel_snapshot_read_end(oldest);
    assert_int_equal(keel_ring_take(ring, 3), KEEL_OK);
    assert_frames(ring, FRAMES(2, 3));
    assert_frame(ring, 3, e, 3);
    keel_ring_destroy(ring);
}

static void a_frame_belongs_to_its_ring(void **state) {
    (void)state;
    keel_ring *ring = keel_ring_create(f.world, 2);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    assert_int_equal(keel_ring_take(ring, 1), KEEL_OK);
    keel_get_mut(f.world, e, Number)->value = 2;
    assert_int_equal(keel_ring_take(ring, 2), KEEL_OK);
    keel_snapshot *first = keel_ring_snapshot(ring, 1);
    assert_int_equal(keel_snapshot_take(first), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "cannot take a snapshot that keel_ring_snapshot");
    assert_int_equal(keel_snapshot_reserve(first), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "cannot reserve a snapshot");
    keel_snapshot_destroy(first);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "cannot destroy a snapshot");
    assert_frame(ring, 1, e, 1);
    assert_int_equal(keel_snapshot_restore(first), KEEL_OK);
    assert_int_equal(keel_get(f.world, e, Number)->value, 1);
    assert_frames(ring, FRAMES(1, 2)); // unlike keel_rollback
    assert_int_equal(keel_rollback(ring, 2), KEEL_OK);
    assert_int_equal(keel_get(f.world, e, Number)->value, 2);
    keel_ring_destroy(ring);
}

// ------------------------------------------------------------------ other worlds
static void to_an_empty_world(void **state) {
    (void)state;
    keel_snapshot *then = keel_snapshot_create(f.world, NULL);
    keel_world *other = keel_world_create(&(keel_world_desc){ .log = log_to(&f.log) });
    const keel_entity a =
        keel_add_entity(f.world, KEEL_INIT(Number, { 1 }), KEEL_INIT(Owned, owned_make()));
    assert_int_equal(keel_snapshot_to_world(then, other), KEEL_ABSENT);
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    keel_clear_entities(f.world);
    assert_int_equal(keel_snapshot_to_world(then, other), KEEL_OK);
    assert_int_equal(keel_get(other, a, Number)->value, 1);
    assert_non_null(keel_get(other, a, Owned));
    keel_world_destroy(other);
    keel_snapshot_destroy(then);
}

static void a_snapshot_outlives_its_world(void **state) {
    (void)state;
    keel_world *world = keel_world_create(&(keel_world_desc){ .log = log_to(&f.log) });
    const keel_entity a = keel_add_entity(world, KEEL_INIT(Number, { 1 }));
    keel_snapshot *then = keel_snapshot_create(world, NULL);
    keel_ring *ring = keel_ring_create(world, 2);
    assert_int_equal(keel_ring_take(ring, 1), KEEL_OK);
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    keel_world_destroy(world);
    assert_int_equal(keel_snapshot_take(then), KEEL_ERROR_SNAPSHOT);
    assert_int_equal(keel_snapshot_restore(then), KEEL_ERROR_SNAPSHOT);
    assert_int_equal(keel_rollback(ring, 1), KEEL_ERROR_SNAPSHOT);
    assert_int_equal(keel_ring_take(ring, 2), KEEL_ERROR_SNAPSHOT);
    assert_int_equal(keel_snapshot_to_world(then, f.world), KEEL_OK);
    assert_int_equal(keel_get(f.world, a, Number)->value, 1);
    keel_ring_destroy(ring);
    keel_snapshot_destroy(then);
}

// ------------------------------------------------------------------ what is refused
static keel_snapshot *inside;
KEEL_SYSTEM_ONCE(rewind_in_a_system, KEEL_WORLD(world)) {
    assert_int_equal(keel_snapshot_take(inside), KEEL_ERROR_SHARED);
    assert_int_equal(keel_snapshot_restore(inside), KEEL_ERROR_SHARED);
    keel_clear_errors(world);
}
KEEL_WORKLOAD(rewinding, KEEL_STEP(rewind_in_a_system));

typedef struct Handle {
    int *file;
} Handle;
static void close_handle(void *value, void *data) {
    (void)value;
    (void)data;
}
KEEL_COMPONENT(Handle, .drop = close_handle);

static void what_is_refused(void **state) {
    (void)state;
    keel_snapshot *then = keel_snapshot_create(f.world, "then");
    const keel_entity a = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    keel_add(keel_world_commands(f.world), a, Health, { 1 });
    assert_int_equal(keel_snapshot_take(then), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "commands are recorded");
    assert_int_equal(keel_snapshot_restore(then), KEEL_ERROR_ARGUMENT);
    keel_clear_errors(f.world);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    keel_delete(f.world, a, Health);
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_READ(Number, n)), "open"),
                     KEEL_OK);
    assert_int_equal(keel_snapshot_take(then), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_snapshot_restore(then), KEEL_ERROR_BORROWED);
    keel_view_end(&view);
    keel_clear_errors(f.world);
    inside = then;
    assert_int_equal(keel_run_workload(f.world, rewinding), KEEL_OK);
    keel_clear_errors(f.world);
    keel_add(f.world, a, Handle, { NULL });
    assert_int_equal(keel_snapshot_take(then), KEEL_ERROR_COPY);
    assert_error(f.world, KEEL_ERROR_COPY, "'Handle' has a drop hook but no copy hook");
    assert_int_equal(keel_snapshot_restore(then), KEEL_OK); // what it held before
    assert_int_equal(keel_get(f.world, a, Number)->value, 1);
    assert_null(keel_get(f.world, a, Handle));
    keel_snapshot_destroy(then);
}

KEEL_RELATION(Knows);
// The snapshot's own world forgets it with the next take, both of its storages at once.
static void a_relation_that_was_unregistered(void **state) {
    (void)state;
    keel_snapshot *then = keel_snapshot_create(f.world, "then");
    const keel_entity a = keel_add_entity(f.world), b = keel_add_entity(f.world);
    assert_int_equal(keel_relate(f.world, a, Knows, b), KEEL_OK);
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Knows)), KEEL_OK);
    assert_int_equal(keel_snapshot_restore(then), KEEL_ERROR_SNAPSHOT);
    keel_clear_errors(f.world);
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    assert_int_equal(keel_relate(f.world, a, Knows, b), KEEL_OK);
    assert_int_equal(keel_snapshot_restore(then), KEEL_OK);
    assert_int_equal(keel_target_count(f.world, a, Knows), 0);
    keel_snapshot_destroy(then);
}

typedef struct Row {
    uint32_t value;
} Row;
typedef struct Lost {
    uint32_t value;
} Lost;
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(Lost, .storage = KEEL_ARCHETYPE);
// Where all went and others came, their values lie in the same places.
static void others_in_the_same_places(void **state) {
    (void)state;
    keel_snapshot *then = keel_snapshot_create(f.world, NULL);
    keel_entity list[3];
    for (uint32_t i = 0; i < 3; ++i)
        list[i] = keel_add_entity(f.world, KEEL_INIT(Row, { i }), KEEL_INIT(Number, { i }));
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    assert_int_equal(keel_clear_entities(f.world), KEEL_OK);
    (void)keel_add_entity(f.world, KEEL_INIT(Row, { 7 }), KEEL_INIT(Number, { 8 }));
    assert_int_equal(keel_snapshot_restore(then), KEEL_OK);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_int_equal(keel_get(f.world, list[i], Row)->value, i);
        assert_int_equal(keel_get(f.world, list[i], Number)->value, i);
    }
    assert_int_equal(f.log.warnings, 0); // checked builds say what was written unnoticed
    keel_snapshot_destroy(then);
}

// A take removes from the snapshot what was unregistered: what that moves there is not what moved
// in the world, though it be as much.
static void rows_after_an_unregistered_one(void **state) {
    (void)state;
    keel_snapshot *then = keel_snapshot_create(f.world, NULL);
    const keel_entity a = keel_add_entity(f.world, KEEL_INIT(Row, { 1 }), KEEL_INIT(Lost, { 1 }));
    const keel_entity b = keel_add_entity(f.world, KEEL_INIT(Row, { 2 }), KEEL_INIT(Lost, { 2 }));
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    assert_int_equal(keel_delete_entity(f.world, a), KEEL_OK);
    const keel_entity c = keel_add_entity(f.world, KEEL_INIT(Row, { 3 }));
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Lost)), KEEL_OK);
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    assert_int_equal(keel_delete_entity(f.world, b), KEEL_OK);
    assert_int_equal(keel_snapshot_restore(then), KEEL_OK);
    assert_true(keel_world_check(f.world, NULL));
    assert_int_equal(keel_get(f.world, b, Row)->value, 2);
    assert_int_equal(keel_get(f.world, c, Row)->value, 3);
    keel_snapshot_destroy(then);
}

// Where components that came back have other numbers in the lists of blocks, a take gives them to
// the snapshot; one that fails leaves it as it was.
static void a_failing_take_leaves_the_one_before(void **state) {
    (void)state;
    keel_snapshot *then = keel_snapshot_create(f.world, NULL);
    const keel_entity a = keel_add_entity(f.world, KEEL_INIT(Row, { 1 }), KEEL_INIT(Lost, { 2 }));
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Row)), KEEL_OK);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Lost)), KEEL_OK);
    assert_int_equal(keel_add(f.world, a, Number, { 5 }), KEEL_OK); // has one of their numbers
    assert_int_equal(keel_add(f.world, a, Lost, { 3 }), KEEL_OK);
    assert_int_equal(keel_add(f.world, a, Row, { 4 }), KEEL_OK);
    assert_int_equal(keel_add_entities(f.world, 200, NULL), KEEL_OK);
    keel_result result = KEEL_ERROR_MEMORY;
    for (uint64_t n = 0; result == KEEL_ERROR_MEMORY; ++n) {
        counting_allocator_fail_once(&f.memory, n);
        result = keel_snapshot_take(then);
        counting_allocator_never_fail(&f.memory);
        if (result == KEEL_OK) break;
        assert_int_equal(result, KEEL_ERROR_MEMORY);
        keel_clear_errors(f.world);
        if (n % 2) continue; // the next one finds what this one left
        assert_int_equal(keel_snapshot_restore(then), KEEL_OK);
        assert_true(keel_world_check(f.world, NULL));
        assert_int_equal(keel_get(f.world, a, Row)->value, 1);
        assert_int_equal(keel_get(f.world, a, Lost)->value, 2);
    }
    keel_snapshot_destroy(then);
}

// Bits of values in sight have no page where all values are out of sight.
static void what_is_disabled_only(void **state) {
    (void)state;
    keel_snapshot *then = keel_snapshot_create(f.world, NULL);
    for (uint32_t way = 0; way < 3; ++way) {
        const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
        assert_int_equal(keel_disable(f.world, e, Number), KEEL_OK);
        assert_int_equal(keel_world_trim(f.world), KEEL_OK);
        assert_int_equal(keel_snapshot_take(then), KEEL_OK);
        assert_int_equal(keel_delete_entity(f.world, e), KEEL_OK);
        assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Number)), KEEL_OK);
        assert_int_equal(keel_register(f.world, Number), KEEL_OK);
        assert_int_equal(keel_snapshot_restore(then), KEEL_OK);
        assert_true(keel_is_disabled(f.world, e, Number));
        if (way == 1) assert_true(keel_strip(f.world, e) >= 0);
        if (way == 2) assert_false(keel_is_null(keel_clone_entity(f.world, e)));
        assert_int_equal(keel_delete_entities(f.world, &e, 1), KEEL_OK);
        assert_true(keel_world_check(f.world, NULL));
    }
    keel_snapshot_destroy(then);
}

static void what_was_unregistered(void **state) {
    (void)state;
    keel_snapshot *then = keel_snapshot_create(f.world, "then");
    const keel_entity a =
        keel_add_entity(f.world, KEEL_INIT(Number, { 1 }), KEEL_INIT(Health, { 1 }));
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Health)), KEEL_OK);
    assert_int_equal(keel_snapshot_restore(then), KEEL_ERROR_SNAPSHOT);
    assert_error(f.world, KEEL_ERROR_SNAPSHOT, "'Health', which was unregistered");
    keel_get_mut(f.world, a, Number)->value = 2;
    assert_int_equal(keel_snapshot_take(then), KEEL_OK); // without it
    keel_get_mut(f.world, a, Number)->value = 3;
    assert_int_equal(keel_snapshot_restore(then), KEEL_OK);
    assert_int_equal(keel_get(f.world, a, Number)->value, 2);
    keel_snapshot_destroy(then);
}

static void nulls(void **state) {
    (void)state;
    assert_null(keel_ring_create(f.world, 0));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "from 1 to 4096");
    assert_int_equal(keel_on_restore(f.world, NULL, NULL), KEEL_ERROR_ARGUMENT);
    keel_clear_errors(f.world);
    keel_snapshot_destroy(NULL);
    keel_ring_destroy(NULL);
    keel_reader_keep(NULL);
    assert_int_equal(keel_snapshot_bytes(NULL), 0);
}

// ------------------------------------------------------------------ memory
static void taking_again_needs_none(void **state) {
    (void)state;
    keel_snapshot *then = keel_snapshot_create(f.world, "then");
    for (uint32_t i = 0; i < 10000; ++i)
        keel_add_entity(f.world, KEEL_INIT(Number, { i }), KEEL_INIT(Position, { 1, 2 }));
    assert_int_equal(keel_snapshot_reserve(then), KEEL_OK);
    assert_int_equal(keel_snapshot_restore(then), KEEL_ABSENT);
    const size_t bytes = keel_snapshot_bytes(then);
    assert_true(bytes > 10000 * (sizeof(Number) + sizeof(Position)));
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    assert_int_equal(keel_snapshot_bytes(then), bytes);
    keel_snapshot_destroy(then);
}

// A world with values, and with a reader, which a snapshot notes.
static keel_reader *many_values(void) {
    for (uint32_t i = 0; i < 10000; ++i)
        keel_add_entity(f.world, KEEL_INIT(Number, { i }), KEEL_INIT(Position, { 1, 2 }));
    keel_reader *reader = keel_reader_create(f.world, "ui");
    return reader;
}

// It is taken twice: what a snapshot notes of readers lies in one of two places in turn.
static void a_snapshot_with_readers_needs_none(void **state) {
    (void)state;
    keel_snapshot *then = keel_snapshot_create(f.world, "then");
    keel_reader *reader = many_values();
    assert_int_equal(keel_snapshot_reserve(then), KEEL_OK);
    const size_t bytes = f.memory.live_bytes;
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(keel_snapshot_take(then), KEEL_OK);
        assert_int_equal(f.memory.live_bytes, bytes);
    }
    keel_reader_destroy(reader);
    keel_snapshot_destroy(then);
}

static void a_reserved_ring_needs_none(void **state) {
    (void)state;
    keel_ring *ring = keel_ring_create(f.world, 4);
    keel_reader *reader = many_values();
    assert_int_equal(keel_ring_take(ring, 7), KEEL_OK);
    assert_int_equal(keel_ring_reserve(ring), KEEL_OK);
    assert_int_equal(keel_rollback(ring, 7), KEEL_ABSENT);
    const size_t bytes = f.memory.live_bytes;
    for (uint32_t frame = 1; frame <= 10; ++frame) { // 1 lies before the one that was kept
        keel_get_mut(f.world, keel_entity_make(frame * 100, 0), Number)->value = frame;
        assert_int_equal(keel_ring_take(ring, frame), KEEL_OK);
        assert_int_equal(f.memory.live_bytes, bytes);
    }
    assert_int_equal(keel_rollback(ring, 6), KEEL_ABSENT);
    assert_int_equal(keel_rollback(ring, 7), KEEL_OK);
    keel_reader_destroy(reader);
    keel_ring_destroy(ring);
}

// Wherever memory ends, what is still kept is right, and the oldest frames went first.
static void a_ring_without_memory(void **state) {
    (void)state;
    keel_ring *ring = keel_ring_create(f.world, 3);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    assert_int_equal(keel_ring_take(ring, 1), KEEL_OK);
    keel_get_mut(f.world, e, Number)->value = 2;
    assert_int_equal(keel_ring_take(ring, 2), KEEL_OK);
    keel_reader *reader = many_values();
    keel_result result = KEEL_ERROR_MEMORY;
    for (size_t count = 0; result != KEEL_OK; ++count) {
        counting_allocator_fail_after(&f.memory, count);
        result = keel_ring_reserve(ring);
        counting_allocator_never_fail(&f.memory);
        assert_true(result == KEEL_OK || result == KEEL_ERROR_MEMORY);
        keel_clear_errors(f.world);
    }
    assert_int_equal(keel_rollback(ring, 2), KEEL_ABSENT);
    keel_reader_destroy(reader);
    keel_ring_destroy(ring);
}

static void a_ring_that_is_refused_keeps_all(void **state) {
    (void)state;
    keel_ring *ring = keel_ring_create(f.world, 2);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    assert_int_equal(keel_ring_take(ring, 1), KEEL_OK);
    assert_int_equal(keel_ring_take(ring, 2), KEEL_OK);
    keel_add(keel_world_commands(f.world), e, Health, { 1 });
    assert_int_equal(keel_ring_reserve(ring), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "commands are recorded");
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(keel_rollback(ring, 1), KEEL_OK);
    assert_int_equal(keel_get(f.world, e, Number)->value, 1);
    keel_ring_destroy(ring);
}

static const struct CMUnitTest tests[] = {
    WORLD_TEST(handles_and_values, "handles and values come back, twice"),
    WORLD_TEST(the_dead_and_their_versions, "the dead, and who comes next"),
    WORLD_TEST(uniques_too, "uniques, set and not set"),
    WORLD_TEST(families_and_names, "families and names"),
    WORLD_TEST(what_is_kept_of_orders_is_not, "what is kept of orders is not taken for current"),
    WORLD_TEST(the_order_and_who_is_named, "the order of visits, and who is named"),
    WORLD_TEST(tracking_that_began_later, "tracking that began after the take"),
    WORLD_TEST(transient_ones_stay, "transient components stay with who is alive in both"),
    WORLD_TEST(components_that_came_later_are_empty, "components known since the take are empty"),
    WORLD_TEST(readers_that_are_kept_see_all,
               "readers that are kept see all; the function is called"),
    WORLD_TEST(a_ring_goes_back, "a ring keeps the last frames, and goes back"),
    WORLD_TEST(frames_are_read_and_the_world_stays,
               "frames with gaps are listed and read, and the world stays"),
    WORLD_TEST(a_frame_that_is_read_stays, "a frame that is read is neither reused nor destroyed"),
    WORLD_TEST(a_frame_belongs_to_its_ring, "the snapshot of a frame belongs to its ring"),
    WORLD_TEST(to_an_empty_world, "to an empty world"),
    WORLD_TEST(a_snapshot_outlives_its_world, "a snapshot and a ring outlive their world"),
    WORLD_TEST(what_is_refused, "commands, views, workloads, values that cannot be copied"),
    WORLD_TEST(what_was_unregistered, "a component that was unregistered"),
    WORLD_TEST(a_relation_that_was_unregistered, "a relation that was unregistered"),
    WORLD_TEST(rows_after_an_unregistered_one, "rows, after a component was unregistered"),
    WORLD_TEST(a_failing_take_leaves_the_one_before, "a failing take leaves what was taken before"),
    WORLD_TEST(what_is_disabled_only, "components of which all values are out of sight"),
    WORLD_TEST(others_in_the_same_places, "others lie where those were that come back"),
    WORLD_TEST(nulls, "nothing handed in"),
    WORLD_TEST(taking_again_needs_none, "after a reserve a take needs no memory"),
    WORLD_TEST(a_snapshot_with_readers_needs_none, "nor does it where there are readers"),
    WORLD_TEST(a_reserved_ring_needs_none, "a reserved ring needs no memory, and holds no frame"),
    WORLD_TEST(a_ring_without_memory, "a ring that is reserved where memory ends"),
    WORLD_TEST(a_ring_that_is_refused_keeps_all, "a ring that cannot be reserved now keeps all"),
};
int main(void) { return RUN(tests); }
