// SPDX-License-Identifier: MIT
// The hash of a world: the same operations give the same number over every storage.
#include "equivalence/everywhere.h"

#include <string.h>

enum { ENTITIES = 500, OPERATIONS = 4000 };

// Owned and Placed know who and where they are: their values are not the same everywhere.
static bool is_plain(const keel_component *c) { return !c->move; }

static uint64_t nothing(const void *value, void *hook_data) {
    (void)value, (void)hook_data;
    return 0;
}

static void begin(api_fixture *f) {
    owned_begin();
    for (uint32_t i = 0; i < COMPONENTS; ++i) {
        every_component[i]->no_padding = is_plain(every_component[i]);
        every_component[i]->hash = is_plain(every_component[i]) ? NULL : nothing;
    }
    api_begin(f);
}
static void end(api_fixture *f) {
    api_end(f);
    assert_owned_end();
}

static uint64_t hash_of(keel_world *world) {
    uint64_t hash = 0;
    assert_int_equal(keel_world_hash(world, &hash), KEEL_OK);
    return hash;
}

// One of the usual edits, told by numbers.
static void edit(keel_world *world, keel_entity *list, numbers *n) {
    const uint32_t at = next_below(n, ENTITIES), what = next_below(n, 10);
    const keel_component *c = every_component[next_below(n, COMPONENTS)];
    const uint32_t salt = next_number(n);
    if (!keel_is_alive(world, list[at])) list[at] = keel_add_entity(world);
    if (what < 5 && c->size <= sizeof(Kilo)) give(world, list[at], c, salt);
    else if (what < 7) keel_delete_components(world, list[at], ONLY(c));
    else if (what == 7) keel_delete_entity(world, list[at]);
    else if (what == 8)
        (void)keel_attach(world, list[at], list[salt % ENTITIES]); // or not: a cycle, a dead one
    else (void)keel_detach(world, list[at]);
}

// The numbers that the first configuration came to, for the others: one ctest test runs them all in
// one process.
static uint64_t first_hashes[OPERATIONS / 100];

static void the_same_edits_give_the_same_hash(void **state) {
    (void)state;
    api_fixture f;
    keel_entity list[ENTITIES] = { 0 };
    numbers n = { 5 };
    begin(&f);
    for (uint32_t i = 0; i < OPERATIONS; ++i) {
        edit(f.world, list, &n);
        if (i % 100) continue;
        const uint64_t hash = hash_of(f.world);
        if (!first_hashes[i / 100]) first_hashes[i / 100] = hash;
        assert_true(hash == first_hashes[i / 100]);
    }
    keel_clear_entities(f.world);
    assert_true(hash_of(f.world) == 0);
    end(&f);
}

// Every kind of value, the large ones too.
static void every_byte_of_a_value_counts(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    for (uint32_t i = 0; i < COMPONENTS; ++i)
        give(f.world, e, every_component[i], i);
    const uint64_t hash = hash_of(f.world);
    for (uint32_t i = 0; i < COMPONENTS; ++i) {
        const keel_component *c = every_component[i];
        if (!is_plain(c) || !c->size) continue;
        unsigned char *bytes = keel_get_component_mut(f.world, e, c);
        for (uint32_t k = 0; k < c->size; k += 1 + c->size / 32) {
            bytes[k] ^= 0x10;
            assert_true(hash_of(f.world) != hash);
            bytes[k] ^= 0x10;
        }
    }
    assert_true(hash_of(f.world) == hash);
    end(&f);
}

static void a_copied_world_has_the_same_hash(void **state) {
    (void)state;
    api_fixture f, g;
    keel_entity list[ENTITIES] = { 0 };
    numbers n = { 11 };
    begin(&f);
    api_begin(&g);
    for (uint32_t i = 0; i < OPERATIONS / 4; ++i)
        edit(f.world, list, &n);
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK);
    assert_true(hash_of(f.world) == hash_of(g.world));
    api_end(&g);
    end(&f);
}

// Returns the sum of the hashes of blocks of `size` indices, which cover all that are in use.
static uint64_t sum_of_blocks(keel_world *world, const keel_component *c, uint32_t size) {
    enum { MOST = 3 * ENTITIES };
    static uint64_t hashes[MOST];
    const uint32_t count = MOST / size + 1;
    uint64_t sum = 0;
    assert_int_equal(keel_hash_blocks(world, c, 0, size, count < MOST ? count : MOST, hashes),
                     KEEL_OK);
    for (uint32_t i = 0; i < count && i < MOST; ++i)
        sum += hashes[i];
    return sum;
}

static uint64_t hash_of_component(keel_world *world, const keel_component *c) {
    uint64_t hash = 0;
    assert_int_equal(keel_hash_component(world, c, &hash), KEEL_OK);
    return hash;
}

static void the_hash_is_the_sum_of_its_parts(void **state) {
    (void)state;
    api_fixture f;
    keel_entity list[ENTITIES] = { 0 };
    numbers n = { 13 };
    begin(&f);
    for (uint32_t i = 0; i < OPERATIONS / 4; ++i) {
        edit(f.world, list, &n);
        if (i % 7) continue;
        const keel_component *c = every_component[next_below(&n, COMPONENTS)];
        if (keel_is_alive(f.world, list[i % ENTITIES]))
            (void)keel_enable_component(f.world, list[i % ENTITIES], c, false);
    }
    uint64_t sum = hash_of_component(f.world, &keel_entities);
    assert_true(sum == sum_of_blocks(f.world, &keel_entities, 64));
    for (const keel_component *c = NULL; (c = keel_next_component(f.world, c)) != NULL;) {
        const uint64_t hash = hash_of_component(f.world, c);
        assert_true(hash == sum_of_blocks(f.world, c, 64));
        assert_true(hash == sum_of_blocks(f.world, c, 37));
        assert_true(hash == sum_of_blocks(f.world, c, 1));
        assert_true(hash == sum_of_blocks(f.world, c, ENTITIES * 2));
        sum += hash;
    }
    assert_true(sum == hash_of(f.world));
    end(&f);
}

// Sums of blocks are cached while a ring exists. A copy of the world, which has no ring, has none.
static void assert_hash_of_copy(keel_world *world) {
    api_fixture g;
    api_begin(&g);
    assert_int_equal(keel_copy_world(world, g.world), KEEL_OK);
    assert_true(hash_of(world) == hash_of(g.world));
    assert_true(hash_of(world) == hash_of(g.world)); // from the cache
    api_end(&g);
}

static void write_some(keel_world *world, const keel_entity *list, numbers *n) {
    const uint32_t how = next_below(n, 10);
    const keel_entity e = list[next_below(n, ENTITIES / 8)]; // often in a block that was written
    if (how == 0) {
        KEEL_EACH(world, KEEL_WRITE(Position, p), KEEL_READ(Velocity, v)) {
            p->x += v->y + 1;
        }
    } else if (how == 1) {
        KEEL_EACH(world, KEEL_WRITE(Number, number)) {
            if (number->value % 64 == 0) break;
            ++number->value;
        }
    } else if (how == 2) { // one more, one less
        const keel_entity other = list[next_below(n, ENTITIES)];
        if (!keel_has(world, e, Number) || keel_has(world, other, Number)) return;
        (void)keel_delete(world, e, Number);
        (void)keel_add(world, other, Number, { 5 });
    } else if (how < 6) {
        Number *number = keel_get_mut(world, e, Number);
        if (number) number->value += 3;
    } else {
        Position *p = keel_get_mut(world, e, Position);
        if (p) p->y += 1;
    }
}

static void cached_sums_follow_every_edit(void **state) {
    (void)state;
    api_fixture f;
    keel_entity list[ENTITIES] = { 0 };
    numbers n = { 17 };
    begin(&f);
    for (uint32_t i = 0; i < OPERATIONS / 4; ++i)
        edit(f.world, list, &n);
    keel_ring *ring = keel_ring_create(f.world, 4);
    assert_non_null(ring);
    uint64_t frame = 0;
    uint32_t held = 0; // frames in the ring
    for (uint32_t i = 0, rounds = test_rounds(400); i < rounds; ++i) {
        const uint32_t what = next_below(&n, 12);
        if (what < 6) write_some(f.world, list, &n);
        else if (what < 8)
            for (uint32_t k = next_below(&n, 8); k; --k) // some delete what others add
                edit(f.world, list, &n);
        else if (what < 11) {
            assert_int_equal(keel_ring_take(ring, ++frame), KEEL_OK);
            held += held < 4;
        } else if (held) {
            const uint32_t back = next_below(&n, held);
            frame -= back;
            held -= back;
            assert_int_equal(keel_rollback(ring, frame), KEEL_OK);
        }
        if (i % 3 == 0) assert_hash_of_copy(f.world);
        else (void)hash_of(f.world);
    }
    keel_ring_destroy(ring);
    assert_hash_of_copy(f.world);
    end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(the_same_edits_give_the_same_hash, "the same edits give the same hash in every storage"),
    TEST(every_byte_of_a_value_counts, "every byte of a value counts"),
    TEST(a_copied_world_has_the_same_hash, "a copied world has the same hash"),
    TEST(the_hash_is_the_sum_of_its_parts,
         "the hash of a world is the sum of the hashes of its components and their blocks"),
    TEST(cached_sums_follow_every_edit,
         "cached sums of blocks follow every edit, take and restore"),
};
EVERYWHERE(tests)
