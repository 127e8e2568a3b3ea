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

static const struct CMUnitTest tests[] = {
    TEST(the_same_edits_give_the_same_hash, "the same edits give the same hash in every storage"),
    TEST(every_byte_of_a_value_counts, "every byte of a value counts"),
    TEST(a_copied_world_has_the_same_hash, "a copied world has the same hash"),
};
EVERYWHERE(tests)
