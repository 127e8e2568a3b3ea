// SPDX-License-Identifier: MIT
// Edits of what is tracked or observed go short ways of their own: they do what others do, for
// values of any size in any storage.
#include "support/api_fixture.h"

#include <stdio.h>
#include <string.h>

enum { ENTITIES = 70, MOST = 24 }; // more than a block of 64; bytes

static api_fixture f;
static uint32_t told[4]; // by kind: bit number

static void count_told(const keel_change *event, void *data) {
    (void)data;
    const keel_component *c = event->component;
    assert_ptr_equal(event->value, c->size ? keel_get_component(f.world, event->entity, c) : NULL);
    assert_true(keel_has_component(f.world, event->entity, c));
    ++told[__builtin_ctz(event->kind)];
}

static void assert_value(const keel_component *c, keel_entity e, const void *expected) {
    const void *value = keel_get_component(f.world, e, c);
    assert_non_null(value);
    assert_memory_equal(value, expected, c->size);
}

static void fill(uint8_t *bytes, uint32_t i) { memset(bytes, (int)i + 1, MOST); }

// Half of them are made with it; then all get it, or get it again, and once more.
static void add_to_all(const keel_component *c, keel_entity *e) {
    static const uint8_t zeros[MOST];
    uint8_t bytes[MOST];
    for (uint32_t i = 0; i < ENTITIES; ++i) {
        fill(bytes, i);
        const keel_value with[] = { { c, bytes }, { NULL, NULL } };
        e[i] = keel_add_entity_values(f.world, i % 2 ? NULL : with);
        const void *value = i % 3 ? bytes : i % 2 ? NULL : zeros;
        assert_int_equal(keel_add_component(f.world, e[i], c, value), KEEL_OK);
        assert_value(c, e[i], value ? value : zeros);
        assert_int_equal(keel_add_component(f.world, e[i], c, NULL), KEEL_OK); // nothing changes
        assert_value(c, e[i], value ? value : zeros);
        assert_int_equal(keel_add_component(f.world, e[i], c, bytes), KEEL_OK);
    }
    for (uint32_t i = 0; i < ENTITIES; ++i) {
        fill(bytes, i);
        assert_value(c, e[i], bytes);
    }
}

// A third each: removed, deleted, deleted with its entity.
static void take_from_all(const keel_component *c, const keel_entity *e) {
    uint8_t bytes[MOST], out[MOST];
    for (uint32_t i = 0; i < ENTITIES; ++i) {
        fill(bytes, i);
        if (i % 3 == 0) {
            assert_int_equal(keel_remove_component(f.world, e[i], c, out), KEEL_OK);
            assert_memory_equal(out, bytes, c->size);
            assert_int_equal(keel_remove_component(f.world, e[i], c, out), KEEL_ABSENT);
        } else if (i % 3 == 1) {
            assert_int_equal(keel_delete_component(f.world, e[i], c), KEEL_OK);
            assert_int_equal(keel_delete_component(f.world, e[i], c), KEEL_ABSENT);
        } else {
            assert_int_equal(keel_delete_entity(f.world, e[i]), KEEL_OK);
            assert_int_equal(keel_add_component(f.world, e[i], c, bytes), KEEL_ERROR_DEAD_ENTITY);
        }
    }
    assert_int_equal(keel_component_count(f.world, c), 0);
}

static void assert_told(bool observed) {
    const uint32_t expected[] = { ENTITIES, ENTITIES + ENTITIES / 2, 46, 24 };
    for (uint32_t kind = 0; kind < 4; ++kind)
        assert_int_equal(told[kind], observed ? expected[kind] : 0);
    memset(told, 0, sizeof told);
}

static void assert_removed(const keel_component *c, uint32_t kinds, bool asked) {
    uint32_t count = 0, i = 0;
    uint8_t bytes[MOST];
    keel_removal_walk walk = keel_removals(f.world, c, KEEL_TRACK_DELETION);
    for (; keel_removal_next(&walk); ++count) {
        for (; i % 3 == 0; ++i) // in the order in which they went
            ;
        fill(bytes, i++);
        if (c->size) assert_memory_equal(walk.removal.value, bytes, c->size);
    }
    assert_int_equal(count, asked || kinds & KEEL_TRACK_DELETION ? 46 : 0);
    count = 0;
    walk = keel_removals(f.world, c, KEEL_TRACK_REMOVAL);
    while (keel_removal_next(&walk))
        ++count;
    assert_int_equal(count, asked || kinds & KEEL_TRACK_REMOVAL ? 24 : 0);
}

static void play(keel_storage storage, uint32_t size, uint32_t kinds, bool observed) {
    uint32_t slot = 0;
    char name[60];
    snprintf(name, sizeof name, "Value%u_%d_%u", (unsigned)size, (int)storage, (unsigned)kinds);
    const keel_component c = { .name = name,
                               .type = name,
                               .size = size,
                               .align = 1,
                               .storage = storage,
                               .tracking = kinds,
                               .slot = &slot };
    keel_entity e[ENTITIES];
    assert_non_null(keel_register_component(f.world, &c));
    if (observed)
        assert_int_equal(keel_observe_component(f.world, &c, 15, count_told, NULL), KEEL_OK);
    for (uint32_t round = 0; round < 2; ++round) { // the second where all pages are there
        assert_int_equal(keel_clear_all_changes(f.world, KEEL_TRACK_ALL, KEEL_NOW), KEEL_OK);
        add_to_all(&c, e);
        for (uint32_t i = 0; i < ENTITIES; ++i)
            assert_int_equal(keel_changes_of_component(f.world, e[i], &c),
                             kinds & (KEEL_TRACK_INSERTION | KEEL_TRACK_MODIFICATION));
        take_from_all(&c, e);
        assert_told(observed);
        assert_removed(&c, kinds, round > 0);
    }
    assert_no_error(f.world);
    assert_int_equal(keel_unobserve_component(f.world, &c, count_told, NULL),
                     observed ? KEEL_OK : KEEL_ABSENT);
}

static void of_any_size(keel_storage storage) {
    static const uint32_t sizes[] = { 0, 1, 4, 5, 8, 12, 16, MOST };
    const uint32_t step = test_few() > 1 ? 5 : 1; // none, two, the others, all
    api_begin(&f);
    for (uint32_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
        for (uint32_t kinds = 0; kinds <= KEEL_TRACK_ALL; kinds += step)
            play(storage, sizes[s], kinds, (kinds + s) % 2);
    api_end(&f);
}

static void sparse_sets(void **state) {
    (void)state;
    of_any_size(KEEL_SPARSE_SET);
}
static void indexed(void **state) {
    (void)state;
    of_any_size(KEEL_INDEXED);
}
static void archetypes(void **state) {
    (void)state;
    of_any_size(KEEL_ARCHETYPE);
}

// Observers that answer do so after each edit, whichever way it went.
static void answer(const keel_change *event, void *data) {
    (void)data;
    const keel_component *const list[] = { event->component, NULL };
    keel_delete_components(event->commands, event->entity, list);
}

static void answers_follow_each_edit(void **state) {
    (void)state;
    api_begin(&f);
    static uint32_t slot;
    static const keel_component c = { .name = "Answered",
                                      .type = "Answered",
                                      .size = 4,
                                      .align = 4,
                                      .storage = KEEL_INDEXED,
                                      .tracking = KEEL_TRACK_INSERTION,
                                      .slot = &slot };
    assert_non_null(keel_register_component(f.world, &c));
    const keel_entity keeper = keel_add_entity_values(f.world, NULL);
    const uint32_t one = 1;
    assert_int_equal(keel_add_component(f.world, keeper, &c, &one), KEEL_OK);
    assert_int_equal(keel_observe_component(f.world, &c, KEEL_ON_INSERTED, answer, NULL), KEEL_OK);
    const keel_entity e = keel_add_entity_values(f.world, NULL);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_int_equal(keel_add_component(f.world, e, &c, &one), KEEL_OK);
        assert_false(keel_has_component(f.world, e, &c));
    }
    const keel_entity made =
        keel_add_entity_values(f.world, (keel_value[]){ { &c, &one }, { NULL, NULL } });
    assert_false(keel_has_component(f.world, made, &c));
    assert_true(keel_has_component(f.world, keeper, &c));
    api_end(&f);
}

// A view of another component of archetypes uses the rows of all.
static void rows_in_use_refuse_edits(void **state) {
    (void)state;
    api_begin(&f);
    static uint32_t slots[2];
    static const keel_component c[2] = {
        { .name = "Marked",
          .type = "Marked",
          .size = 4,
          .align = 4,
          .storage = KEEL_ARCHETYPE,
          .tracking = KEEL_TRACK_ALL,
          .slot = &slots[0] },
        { .name = "Read",
          .type = "Read",
          .size = 4,
          .align = 4,
          .storage = KEEL_ARCHETYPE,
          .slot = &slots[1] },
    };
    const keel_term terms[] = { { KEEL_TERM_READ, 0, &c[1], NULL, NULL, NULL },
                                { KEEL_TERM_END, 0, NULL, NULL, NULL, NULL } };
    const uint32_t one = 1;
    const keel_entity e = keel_add_entity_values(
        f.world, (keel_value[]){ { &c[0], &one }, { &c[1], &one }, { NULL, NULL } });
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, terms, "reading"), KEEL_OK);
    assert_int_equal(keel_add_component(f.world, e, &c[0], &one), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_mark_component(f.world, e, &c[0]), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_remove_component(f.world, e, &c[0], NULL), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_delete_component(f.world, e, &c[0]), KEEL_ERROR_BORROWED);
    keel_view_end(&view);
    assert_int_equal(keel_mark_component(f.world, e, &c[0]), KEEL_OK);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(sparse_sets, "sparse sets: tracked and observed edits do what others do, for any size"),
    TEST(indexed, "indexed storage: the same"),
    TEST(archetypes, "archetypes: the same"),
    TEST(answers_follow_each_edit, "observers' answers follow each edit"),
    TEST(rows_in_use_refuse_edits, "rows in use refuse edits of what is tracked"),
};

int main(void) { return RUN(tests); }
