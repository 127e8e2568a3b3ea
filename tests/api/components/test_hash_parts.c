// SPDX-License-Identifier: MIT
// Parts of hashes by kind of component, hashes that depend on the order, hashes of snapshots, and
// an image that threads hash while its world goes on.
#include "support/api_types.h"

#include <pthread.h>
#include <string.h>

typedef struct Places {
    uint32_t at;
} Places;
typedef struct Near {
    uint32_t at;
} Near;
typedef struct Row {
    uint32_t at;
} Row;
typedef struct Clock {
    uint32_t now;
} Clock;
typedef struct Shot {
    uint32_t at;
} Shot;
typedef struct Owes {
    uint32_t amount;
} Owes;
KEEL_COMPONENT(Places, .no_padding = true);
KEEL_COMPONENT(Near, .storage = KEEL_INDEXED, .no_padding = true);
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE, .no_padding = true);
KEEL_TAG(Asleep);
KEEL_UNIQUE(Clock, .no_padding = true);
KEEL_EVENT(Shot, .no_padding = true);
KEEL_RELATION(Likes);
KEEL_VALUED_RELATION(Owes, .no_padding = true);

static api_fixture f, g; // two worlds that are the same
static keel_entity e, other;
enum { MANY = 200, PARTS = 32 };

static void fill(keel_world *w) {
    for (uint32_t i = 0; i < MANY; ++i)
        keel_add_entity(w, KEEL_INIT(Places, { i }), KEEL_INIT(Near, { i }), KEEL_INIT(Row, { i }));
    e = keel_entity_at(w, 150);
    other = keel_entity_at(w, 10);
    keel_set_unique(w, Clock, { 1 });
    keel_send(w, Shot, { 1 });
    keel_add(w, e, Asleep);
    keel_relate(w, e, Likes, other);
    keel_relate(w, e, Owes, other, { 5 });
    keel_attach(w, e, other);
    keel_attach(w, keel_entity_at(w, 20), other);
    keel_set_name(w, e, "somebody");
}
static int set_up(void **state) {
    (void)state;
    api_begin(&f);
    api_begin(&g);
    fill(f.world);
    fill(g.world);
    return 0;
}
static int tear_down(void **state) {
    (void)state;
    api_end(&f);
    api_end(&g);
    return 0;
}
#define WORLD_TEST(function, title)                                                                \
    { title, function, set_up, tear_down, NULL }

static uint64_t hash_of(const keel_world *world, uint32_t flags) {
    uint64_t hash = 0;
    assert_int_equal(keel_world_hash_with(world, flags, &hash), KEEL_OK);
    return hash;
}

static const keel_hash_part *part_of(const keel_hash_part *parts, uint32_t count,
                                     const char *name) {
    for (uint32_t i = 0; i < count; ++i)
        if (strcmp(parts[i].component->name, name) == 0) return &parts[i];
    return NULL;
}

// Asserts that the worlds differ in one part and there in one block of 64.
static void assert_differs(const char *name, uint32_t block) {
    keel_hash_part a[PARTS], b[PARTS];
    uint64_t blocks_of_a[8], blocks_of_b[8];
    const uint32_t count = keel_world_hash_parts(f.world, a, PARTS);
    const uint32_t other_count = keel_world_hash_parts(g.world, b, PARTS);
    assert_true(count && count <= PARTS && other_count && other_count <= PARTS);
    for (uint32_t i = 0; i < count; ++i) {
        const keel_hash_part *twin = part_of(b, other_count, a[i].component->name);
        const bool is_it = strcmp(a[i].component->name, name) == 0;
        assert_true(twin || is_it);
        if ((twin && twin->hash == a[i].hash) == is_it)
            fail_msg("'%s' when '%s' was changed", a[i].component->name, name);
        if (!is_it) continue;
        assert_in_range(a[i].blocks, block + 1, 8);
        keel_hash_blocks(f.world, a[i].component, 0, 64, a[i].blocks, blocks_of_a);
        keel_hash_blocks(g.world, a[i].component, 0, 64, a[i].blocks, blocks_of_b);
        for (uint32_t k = 0; k < a[i].blocks; ++k)
            assert_int_equal(blocks_of_a[k] != blocks_of_b[k], k == block);
    }
    assert_non_null(part_of(a, count, name));
    assert_true(hash_of(f.world, 0) != hash_of(g.world, 0));
}

static void the_part_that_differs(void **state) {
    (void)state;
    assert_true(hash_of(f.world, 0) == hash_of(g.world, 0));
    keel_get_mut(f.world, e, Places)->at ^= 1;
    assert_differs("Places", 2);
    keel_get_mut(f.world, e, Places)->at ^= 1;
    keel_get_mut(f.world, e, Near)->at ^= 1;
    assert_differs("Near", 2);
    keel_get_mut(f.world, e, Near)->at ^= 1;
    keel_get_mut(f.world, e, Row)->at ^= 1;
    assert_differs("Row", 2);
    keel_get_mut(f.world, e, Row)->at ^= 1;
    keel_add(f.world, other, Asleep);
    assert_differs("Asleep", 0);
    keel_delete(f.world, other, Asleep);
    keel_get_unique_mut(f.world, Clock)->now ^= 1;
    assert_differs("Clock", 0);
    keel_get_unique_mut(f.world, Clock)->now ^= 1;
    keel_relate(f.world, e, Likes, e);
    assert_differs("Likes", 2);
    keel_unrelate(f.world, e, Likes, e);
    keel_get_related_mut(f.world, e, Owes, other)->amount ^= 1;
    assert_differs("Owes", 2);
    keel_get_related_mut(f.world, e, Owes, other)->amount ^= 1;
    keel_attach(f.world, keel_entity_at(f.world, 70), keel_entity_at(f.world, 30));
    assert_differs("keel_child", 1);
    keel_detach(f.world, keel_entity_at(f.world, 70));
    keel_set_name(f.world, e, "nobody");
    assert_differs("keel_name", 2);
    keel_set_name(f.world, e, "somebody");
    keel_disable(f.world, e, Near);
    assert_differs("Near", 2);
    keel_enable(f.world, e, Near);
    assert_true(hash_of(f.world, 0) == hash_of(g.world, 0));
    keel_send(f.world, Shot, { 2 });
    assert_differs("Shot", 0);
    keel_send(g.world, Shot, { 2 });
    keel_add_entity(f.world);
    assert_differs("keel_entities", MANY / 64);
    assert_no_error(f.world);
}

static void parts_are_listed_by_name(void **state) {
    (void)state;
    keel_hash_part all[PARTS], few[PARTS];
    keel_register_component(f.world, KEEL_OF(Health)); // nobody has it: no part
    const uint32_t count = keel_world_hash_parts(f.world, NULL, 0);
    assert_int_equal(count, 11);
    assert_int_equal(keel_world_hash_parts(f.world, all, PARTS), count);
    assert_ptr_equal(all[0].component, &keel_entities);
    uint64_t sum = all[0].hash, hash;
    for (uint32_t i = 1; i < count; ++i) {
        sum += all[i].hash;
        assert_int_equal(keel_hash_component(f.world, all[i].component, &hash), KEEL_OK);
        assert_true(hash == all[i].hash);
        if (i > 1) assert_true(strcmp(all[i - 1].component->name, all[i].component->name) < 0);
    }
    assert_true(sum == hash_of(f.world, 0));
    for (uint32_t room = 1; room < count; ++room) { // the first ones, and nothing behind them
        memset(few, 0, sizeof few);
        assert_int_equal(keel_world_hash_parts(f.world, few, room), count);
        for (uint32_t i = 0; i < room; ++i) {
            assert_ptr_equal(few[i].component, all[i].component);
            assert_true(few[i].hash == all[i].hash && few[i].blocks == all[i].blocks);
        }
        assert_null(few[room].component);
    }
    assert_int_equal(keel_world_hash_parts(f.world, NULL, 3), 0);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "keel_world_hash_parts needs a place");
    const keel_component silent = { .name = "Silent", .size = 4, .align = 4 };
    keel_add_component(f.world, e, &silent, NULL);
    assert_int_equal(keel_world_hash_parts(f.world, all, PARTS), 0);
    assert_error(f.world, KEEL_ERROR_HASH, "'Silent'");
}

// ------------------------------------------------------------------ order
static void assert_order_differs(const char *what) {
    if (hash_of(f.world, 0) != hash_of(g.world, 0)) fail_msg("%s: values differ", what);
    if (hash_of(f.world, KEEL_HASH_ORDER) == hash_of(g.world, KEEL_HASH_ORDER))
        fail_msg("%s: not seen", what);
}

static void the_order_counts(void **state) {
    (void)state;
    assert_true(hash_of(f.world, KEEL_HASH_ORDER) == hash_of(g.world, KEEL_HASH_ORDER));
    assert_true(hash_of(f.world, KEEL_HASH_ORDER) != hash_of(f.world, 0));
    assert_int_equal(keel_swap_component(f.world, KEEL_OF(Places), e, other), KEEL_OK);
    assert_order_differs("two places of a set");
    assert_int_equal(keel_swap_component(f.world, KEEL_OF(Places), e, other), KEEL_OK);

    keel_delete_entity(f.world, keel_add_entity(f.world)); // a free handle
    assert_order_differs("free handles");
    keel_delete_entity(g.world, keel_add_entity(g.world));
    assert_true(hash_of(f.world, KEEL_HASH_ORDER) == hash_of(g.world, KEEL_HASH_ORDER));

    keel_relate(f.world, e, Likes, keel_entity_at(f.world, 1));
    keel_relate(f.world, e, Likes, keel_entity_at(f.world, 2));
    keel_relate(g.world, e, Likes, keel_entity_at(g.world, 2));
    keel_relate(g.world, e, Likes, keel_entity_at(g.world, 1));
    assert_order_differs("targets");
    keel_unrelate(f.world, e, Likes, keel_entity_at(f.world, 1));
    keel_unrelate(g.world, e, Likes, keel_entity_at(g.world, 1));
    assert_true(hash_of(f.world, KEEL_HASH_ORDER) == hash_of(g.world, KEEL_HASH_ORDER));

    (void)keel_tick(f.world);
    assert_order_differs("ticks");
}

// ------------------------------------------------------------------ snapshots
static void snapshots_are_hashed(void **state) {
    (void)state;
    keel_snapshot *then = keel_snapshot_create(f.world, "then");
    uint64_t hash = 7;
    assert_int_equal(keel_snapshot_hash(then, 0, &hash), KEEL_ABSENT);
    assert_int_equal(hash, 7);
    for (uint32_t round = 0; round < 5; ++round) {
        if (round == 2) keel_track(f.world, Near, KEEL_TRACK_ALL); // the image tracks nothing
        if (round == 4) keel_delete(f.world, other, Near);
        keel_get_mut(f.world, e, Near)->at += 1;
        assert_int_equal(keel_snapshot_take(then), KEEL_OK);
        const uint64_t values = hash_of(f.world, 0), order = hash_of(f.world, KEEL_HASH_ORDER);
        keel_get_mut(f.world, e, Places)->at += 1;
        assert_int_equal(keel_snapshot_hash(then, 0, &hash), KEEL_OK);
        assert_true(hash == values);
        assert_int_equal(keel_snapshot_hash(then, KEEL_HASH_ORDER, &hash), KEEL_OK);
        assert_true(hash == order);
    }
    assert_int_equal(keel_snapshot_hash(then, 2, &hash), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT,
                 "keel_snapshot_hash takes KEEL_HASH_* bits, not 0x2");
    assert_int_equal(keel_snapshot_hash(then, 0, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "keel_snapshot_hash needs a place");
    assert_int_equal(keel_world_hash_with(f.world, 8, &hash), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "keel_world_hash_with takes");
    const keel_component silent = { .name = "Silent", .size = 4, .align = 4 };
    keel_add_component(f.world, e, &silent, NULL);
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    assert_int_equal(keel_snapshot_hash(then, 0, &hash), KEEL_ERROR_HASH);
    assert_error(f.world, KEEL_ERROR_HASH, "'Silent'");
    assert_int_equal(keel_world_hash_with(f.world, KEEL_HASH_ORDER, &hash), KEEL_ERROR_HASH);
    keel_clear_errors(f.world);
    assert_int_equal(keel_snapshot_take(then), KEEL_OK); // it is not read any more
    keel_snapshot_destroy(then);
}

// A snapshot that was hashed makes room for parts when it is taken, and can do without.
static void without_memory_nothing_is_cached(void **state) {
    (void)state;
    keel_snapshot *then = keel_snapshot_create(f.world, "then");
    uint64_t hash;
    assert_int_equal(keel_snapshot_reserve(then), KEEL_OK);
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    const size_t before = keel_snapshot_bytes(then);
    assert_int_equal(keel_snapshot_hash(then, 0, &hash), KEEL_OK);
    assert_int_equal(keel_snapshot_bytes(then), before); // no memory is allocated by who hashes
    bool was_full = false;
    for (uint32_t after = 0; !was_full; ++after) {
        counting_allocator_fail_after(&f.memory, after);
        const keel_result result = keel_snapshot_take(then);
        counting_allocator_never_fail(&f.memory);
        if (result < 0) continue;
        was_full = keel_snapshot_bytes(then) > before + 3 * 4 * 16;
        assert_int_equal(keel_snapshot_hash(then, 0, &hash), KEEL_OK);
        assert_true(hash == hash_of(f.world, 0));
    }
    keel_snapshot_destroy(then);
}

// ------------------------------------------------------------------ threads
enum { THREADS = 3, FRAMES = 40 };
typedef struct hasher {
    pthread_t thread;
    const keel_world *image;
    keel_snapshot *snapshot;
    uint64_t values, order, of_snapshot, blocks;
    uint32_t edges;
} hasher;

static bool count_edge(keel_entity source, keel_entity target, const void *value, void *data) {
    (void)source, (void)target, (void)value;
    ++*(uint32_t *)data;
    return true;
}

static void *hash_image(void *data) {
    hasher *h = data;
    keel_hash_part parts[PARTS];
    uint64_t blocks[(MANY + FRAMES * 20) / 64 + 1];
    (void)keel_world_hash(h->image, &h->values);
    (void)keel_world_hash_with(h->image, KEEL_HASH_ORDER, &h->order);
    (void)keel_snapshot_hash(h->snapshot, 0, &h->of_snapshot);
    const uint32_t count = keel_world_hash_parts(h->image, parts, PARTS);
    h->blocks = 0;
    for (uint32_t i = 0; i < count; ++i) {
        (void)keel_hash_blocks(h->image, parts[i].component, 0, 64, parts[i].blocks, blocks);
        for (uint32_t k = 0; k < parts[i].blocks; ++k)
            h->blocks += blocks[k];
    }
    h->edges = 0;
    (void)keel_visit_edges(h->image, KEEL_OF(Owes), count_edge, &h->edges);
    return NULL;
}

static void a_world_goes_on_while_its_image_is_hashed(void **state) {
    (void)state;
    keel_ring *ring = keel_ring_create(f.world, 4);
    for (uint64_t frame = 0; frame < FRAMES; ++frame) {
        assert_int_equal(keel_ring_take(ring, frame), KEEL_OK);
        const uint64_t values = hash_of(f.world, 0), order = hash_of(f.world, KEEL_HASH_ORDER);
        hasher hashers[THREADS] = { { .image = NULL } };
        keel_snapshot *snapshot = keel_ring_snapshot(ring, frame);
        for (uint32_t i = 0; i < THREADS; ++i) {
            hashers[i].snapshot = snapshot;
            assert_int_equal(keel_snapshot_read_begin(snapshot, &hashers[i].image), KEEL_OK);
            assert_int_equal(pthread_create(&hashers[i].thread, NULL, hash_image, &hashers[i]), 0);
        }
        for (uint32_t i = 0; i < 20; ++i) {
            const keel_entity any = keel_entity_at(f.world, (uint32_t)(frame * 7 + i) % MANY);
            keel_get_mut(f.world, any, Places)->at += 3;
            keel_get_mut(f.world, any, Row)->at += 5;
            keel_relate(f.world, any, Owes, e, { i });
            (void)keel_add_entity(f.world, KEEL_INIT(Near, { i }));
        }
        (void)keel_world_hash(f.world, &(uint64_t){ 0 });
        for (uint32_t i = 0; i < THREADS; ++i) {
            pthread_join(hashers[i].thread, NULL);
            keel_snapshot_read_end(snapshot);
            assert_true(hashers[i].values == values && hashers[i].order == order);
            assert_true(hashers[i].of_snapshot == values && hashers[i].blocks == values);
            assert_true(hashers[i].edges == (frame ? hashers[0].edges : 1));
        }
    }
    keel_ring_destroy(ring);
}

static const struct CMUnitTest tests[] = {
    WORLD_TEST(the_part_that_differs,
               "of each kind of component, the part and its block are found"),
    WORLD_TEST(parts_are_listed_by_name, "parts are listed by name and sum up to the hash"),
    WORLD_TEST(the_order_counts, "with KEEL_HASH_ORDER the order of all things counts"),
    WORLD_TEST(snapshots_are_hashed, "a snapshot has the hashes of its world"),
    WORLD_TEST(without_memory_nothing_is_cached, "a snapshot is hashed without memory, too"),
    WORLD_TEST(a_world_goes_on_while_its_image_is_hashed,
               "threads hash an image while its world goes on"),
};
int main(void) { return RUN(tests); }
