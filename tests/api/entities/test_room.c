// SPDX-License-Identifier: MIT
// Edits at the borders of blocks of 64 indices, where room is made for whatever the edit brings
// along, and lists of a block's components that find no memory.
#include "support/api_types.h"

#include <stdio.h>

static api_fixture f;

enum { KINDS = 12 };
static keel_component kinds[KINDS];
static char names[KINDS][8];

KEEL_RELATION(Knows, .symmetric = true);
KEEL_RELATION(Fears, .symmetric = true);
KEEL_RELATION(Likes);
KEEL_RELATION(Owns, .exclusive = true);
KEEL_TAG(Met);
KEEL_TAG(Seen);

typedef struct Since {
    uint32_t year;
} Since;
KEEL_VALUED_RELATION(Since, .symmetric = true);

static void name_kinds(keel_storage storage) {
    for (uint32_t i = 0; i < KINDS; ++i) {
        snprintf(names[i], sizeof names[i], "Kind%u", (unsigned)i);
        kinds[i] = (keel_component){ .name = names[i], .size = 4, .align = 4, .storage = storage };
    }
}

static void add_kinds(keel_entity e, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        assert_true(keel_add_component(f.world, e, &kinds[i], &i) >= 0);
}

// The next entity that is created begins a block of 64 indices.
static void fill_block(void) {
    while (keel_entity_index(keel_add_entity(f.world, KEEL_INIT(Number))) % 64 != 63) {}
}

static void check_world(void) {
    keel_error why = { 0 };
    if (!keel_world_check(f.world, &why)) print_error("%s\n", why.message);
    assert_true(keel_world_check(f.world, NULL));
}

static void relate_some(keel_entity e, keel_entity to, uint32_t count) {
    if (count > 0) assert_int_equal(keel_relate(f.world, e, Knows, to), KEEL_OK);
    if (count > 1) assert_int_equal(keel_relate(f.world, e, Fears, to), KEEL_OK);
    if (count > 2) assert_int_equal(keel_relate(f.world, e, Likes, to), KEEL_OK);
    if (count > 3) assert_int_equal(keel_relate(f.world, e, Owns, to), KEEL_OK);
    if (count > 4) assert_int_equal(keel_relate(f.world, e, Since, to), KEEL_OK);
}

// ------------------------------------------------------------------ borders of blocks
static void a_related_clone_begins_a_block(void **state) {
    (void)state;
    for (uint32_t storage = KEEL_SPARSE_SET; storage <= KEEL_ARCHETYPE; ++storage)
        for (uint32_t many = 0; many <= 8; ++many)
            for (uint32_t relations = 0; relations <= 5; ++relations) {
                api_begin(&f);
                name_kinds((keel_storage)storage);
                const keel_entity to = keel_add_entity(f.world, KEEL_INIT(Number)),
                                  e = keel_add_entity(f.world);
                add_kinds(e, many);
                relate_some(e, to, relations);
                fill_block();
                const keel_entity copy = keel_clone_entity(f.world, e);
                assert_false(keel_is_null(copy));
                if (relations) assert_true(keel_is_related(f.world, to, Knows, copy));
                check_world();
                keel_entity copies[70];
                assert_int_equal(keel_clone_entities(f.world, e, 70, copies), KEEL_OK);
                check_world();
                api_end(&f);
            }
}

static void a_relation_that_is_collected_begins_a_block(void **state) {
    (void)state;
    for (uint32_t many = 0; many <= 8; ++many) {
        api_begin(&f);
        name_kinds(KEEL_SPARSE_SET);
        assert_int_equal(keel_collect(f.world, Met, Knows, KEEL_ON_INSERTED), KEEL_OK);
        assert_int_equal(keel_collect(f.world, Seen, Met, KEEL_ON_INSERTED), KEEL_OK);
        const keel_entity other = keel_add_entity(f.world, KEEL_INIT(Number));
        fill_block();
        const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number));
        add_kinds(e, many);
        relate_some(other, e, 1);
        assert_true(keel_has(f.world, e, Met));
        assert_true(keel_has(f.world, e, Seen));
        check_world();
        fill_block();
        assert_false(keel_is_null(keel_clone_entity(f.world, e)));
        check_world();
        api_end(&f);
    }
}

// A prefab of two parts that are related to each other, by every kind of relation.
static keel_prefab make_pair(void) {
    keel_world *templates = keel_templates(f.world);
    const keel_prefab pair = { keel_add_entity(templates) };
    const keel_entity a = keel_add_child(templates, pair.root, KEEL_INIT(Number)),
                      b = keel_add_child(templates, pair.root, KEEL_INIT(Number));
    assert_int_equal(keel_set_name(templates, a, "a"), KEEL_OK);
    assert_int_equal(keel_set_name(templates, b, "b"), KEEL_OK);
    assert_int_equal(keel_relate(templates, a, Knows, b), KEEL_OK);
    assert_int_equal(keel_relate(templates, a, Since, b, { 1812 }), KEEL_OK);
    assert_int_equal(keel_relate(templates, a, Likes, b), KEEL_OK);
    assert_int_equal(keel_relate(templates, b, Owns, a), KEEL_OK);
    return pair;
}

static void spawned_parts_begin_a_block(void **state) {
    (void)state;
    for (uint32_t before = 0; before < 4; ++before) {
        api_begin(&f);
        assert_int_equal(keel_collect(f.world, Met, Knows, KEEL_ON_INSERTED), KEEL_OK);
        assert_int_equal(keel_collect(f.world, Seen, Number, KEEL_ON_INSERTED), KEEL_OK);
        const keel_prefab pair = make_pair();
        fill_block();
        for (uint32_t i = 0; i < before; ++i)
            keel_add_entity(f.world);
        keel_entity roots[70];
        assert_false(keel_is_null(keel_spawn(f.world, pair)));
        check_world();
        assert_int_equal(keel_spawn_many(f.world, pair, 70, roots), KEEL_OK);
        check_world();
        fill_block();
        const keel_entity plain = keel_add_entity(f.world);
        assert_int_equal(keel_apply_prefab(f.world, plain, pair), KEEL_OK);
        check_world();
        api_end(&f);
    }
}

// A clone that was recorded finds no memory: its handle is promised as before, and it comes later.
static void a_recorded_clone_finds_no_memory(void **state) {
    (void)state;
    bool is_done = false;
    for (size_t allowed = 0; !is_done; ++allowed) {
        api_begin(&f);
        const keel_entity to = keel_add_entity(f.world, KEEL_INIT(Number)),
                          e = keel_add_entity(f.world, KEEL_INIT(Number, { 7 }));
        relate_some(e, to, 5);
        fill_block();
        const keel_entity copy = keel_clone_entity(keel_world_commands(f.world), e);
        assert_false(keel_is_null(copy));
        counting_allocator_fail_after(&f.memory, allowed);
        const keel_result result = keel_apply_commands(f.world);
        counting_allocator_never_fail(&f.memory);
        is_done = result == KEEL_OK;
        check_world();
        if (!is_done) {
            assert_int_equal(result, KEEL_ERROR_MEMORY);
            assert_false(keel_is_alive(f.world, copy));
            assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
        }
        assert_int_equal(keel_get(f.world, copy, Number)->value, 7);
        assert_true(keel_is_related(f.world, copy, Since, to));
        check_world();
        api_end(&f);
    }
}

// ------------------------------------------------------------------ lists without memory
// Edits that find no memory for the list of a block succeed: what reads the list asks all storages.
static void an_edit_needs_no_memory_for_a_list(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    for (uint32_t storage = KEEL_SPARSE_SET; storage <= KEEL_ARCHETYPE; ++storage) {
        api_begin(&f);
        name_kinds((keel_storage)storage);
        const keel_entity elsewhere = keel_add_entity(f.world);
        add_kinds(elsewhere, KINDS);
        fill_block();
        const keel_entity e = keel_add_entity(f.world), last = keel_add_entity(f.world);
        add_kinds(e, 4); // as many as a list has in place
        assert_int_equal(keel_add_component(f.world, elsewhere, &kinds[0], NULL), KEEL_OK);
        size_t failures = 0;
        for (uint32_t i = 4; i < KINDS; ++i) {
            counting_allocator_fail_once(&f.memory, 0);
            const uint32_t value = i;
            const keel_result result = keel_add_component(f.world, e, &kinds[i], &value);
            counting_allocator_never_fail(&f.memory);
            failures += result == KEEL_ERROR_MEMORY;
            if (result < 0) add_kinds(e, i + 1);
            check_world();
        }
        // every component is found, whichever way is gone
        uint32_t count = 0;
        const keel_component *c = NULL;
        while ((c = keel_next_component_of(f.world, e, c)) != NULL)
            ++count;
        assert_int_equal(count, KINDS);
        const keel_entity copy = keel_clone_entity(f.world, e);
        for (uint32_t i = 0; i < KINDS; ++i)
            assert_int_equal(*(const uint32_t *)keel_get_component(f.world, copy, &kinds[i]), i);
        assert_int_equal(keel_delete_entity(f.world, e), KEEL_OK);
        for (uint32_t i = 0; i < KINDS; ++i)
            assert_int_equal(keel_component_count(f.world, &kinds[i]), 2);
        check_world();
        assert_int_equal(keel_strip(f.world, copy), KEEL_OK);
        check_world();
        assert_int_equal(keel_add(f.world, last, Number, { 1 }), KEEL_OK);
        assert_int_equal(keel_delete_entities_having_component(f.world, &kinds[0]), KEEL_OK);
        check_world();
        api_end(&f);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(a_related_clone_begins_a_block, "A related clone begins a block of 64 indices"),
    TEST(a_relation_that_is_collected_begins_a_block,
         "A relation that a reactive set collects begins a block"),
    TEST(spawned_parts_begin_a_block, "Parts of a prefab that are related begin a block"),
    TEST(a_recorded_clone_finds_no_memory, "A recorded clone that finds no memory comes later"),
    TEST(an_edit_needs_no_memory_for_a_list, "An edit needs no memory for the list of a block"),
};
int main(void) { return RUN(tests); }
