// SPDX-License-Identifier: MIT
// One component on many entities at once, over all three storages: lists and what a view matches.
#include "support/group_fixture.h"

#include <string.h>

typedef struct Side {
    uint32_t value;
} Side;
KEEL_COMPONENT(Side, .storage = KEEL_ARCHETYPE);
KEEL_TAG(Marked);

enum { KINDS = 3, COUNT = 4096 + 900 };
static const keel_component *const plain[KINDS] = { KEEL_OF(Number), KEEL_OF(Indexed),
                                                    KEEL_OF(Row) };
#define WITH_OWNER(text, kind)                                                                     \
    {                                                                                              \
        .name = text, .size = sizeof(Owned), .align = 4, .storage = kind, .drop = owned_drop,      \
        .copy = owned_copy, .move = owned_move                                                     \
    }
static const keel_component with_owner[KINDS] = { WITH_OWNER("owned set", KEEL_SPARSE_SET),
                                                  WITH_OWNER("owned indexed", KEEL_INDEXED),
                                                  WITH_OWNER("owned row", KEEL_ARCHETYPE) };

static keel_entity e[COUNT], list[COUNT * 2];
static uint32_t values[COUNT * 2];

static uint32_t next(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

// Entities in several archetypes, some without a row; each third has a Position.
static void fill(keel_world *world, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        e[i] = keel_add_entity(world);
        if (i % 4) keel_add(world, e[i], Side, { i });
        if (i % 4 == 2) keel_add(world, e[i], Third, { i });
        if (i % 3 == 0) keel_add(world, e[i], Position, { (float)i, 1 });
    }
}

static void assert_sides(keel_world *world, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        if (!keel_is_alive(world, e[i])) continue;
        const Side *side = keel_get(world, e[i], Side);
        assert_int_equal(side != NULL, i % 4 != 0);
        if (side) assert_int_equal(side->value, i);
    }
}

static uint32_t value_at(keel_world *world, keel_entity entity, const keel_component *c) {
    const uint32_t *value = keel_get_component(world, entity, c);
    return value ? *value : UINT32_MAX;
}

// ------------------------------------------------------------------ as many single edits
enum { ALL, BACKWARDS, EVERY_SECOND, SHUFFLED, WITH_TWINS, ONE_TABLE, ORDERS };
static uint32_t order_list(uint32_t order) {
    uint32_t count = 0, seed = 5;
    for (uint32_t i = 0; i < COUNT; ++i)
        if (order == BACKWARDS) list[count++] = e[COUNT - 1 - i];
        else if (order == EVERY_SECOND && i % 2) list[count++] = e[i];
        else if (order == ALL || order == SHUFFLED || (order == ONE_TABLE && i % 4))
            list[count++] = e[i];
        else if (order == WITH_TWINS) list[count++] = e[next(&seed) % COUNT];
    for (uint32_t i = count; order == SHUFFLED && i > 1; --i) {
        const uint32_t other = next(&seed) % i;
        const keel_entity kept = list[i - 1];
        list[i - 1] = list[other];
        list[other] = kept;
    }
    for (uint32_t i = 0; i < 100 && order == WITH_TWINS; ++i) { // side by side, and again
        list[count++] = e[200 + i];
        list[count++] = e[200 + i];
        list[count++] = e[200 + i / 2];
    }
    return count;
}

static uint32_t expected[COUNT]; // what each entity must have
static void assert_expected(keel_world *world, const keel_component *c) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < COUNT; ++i) {
        count += expected[i] != UINT32_MAX;
        assert_int_equal(value_at(world, e[i], c), expected[i]);
    }
    assert_int_equal(keel_component_count(world, c), count);
    assert_sides(world, COUNT);
    keel_error error;
    assert_true(keel_world_check(world, &error));
}

static void add_in_order(const keel_component *c, uint32_t order, uint32_t had, bool columns) {
    api_fixture f;
    api_begin(&f);
    fill(f.world, COUNT);
    for (uint32_t i = 0; i < COUNT; ++i) {
        expected[i] = UINT32_MAX;
        if (had == 0 || i % had) continue;
        expected[i] = i + 7;
        assert_int_equal(keel_add_component(f.world, e[i], c, &expected[i]), KEEL_OK);
    }
    const uint32_t count = order_list(order), one = 77;
    for (uint32_t i = 0; i < count; ++i) {
        values[i] = i * 2;
        expected[keel_entity_index(list[i])] = columns ? values[i] : one;
    }
    assert_int_equal(keel_add_component_to_many(f.world, list, count, c, columns ? values : &one,
                                                columns ? sizeof *values : 0),
                     KEEL_OK);
    assert_expected(f.world, c);
    const uint32_t half = count / 2;
    for (uint32_t i = 0; i < half; ++i) // and away from half of them
        expected[keel_entity_index(list[i])] = UINT32_MAX;
    assert_int_equal(keel_delete_component_from_many(f.world, list, half, c), KEEL_OK);
    assert_expected(f.world, c);
    assert_int_equal(keel_delete_component_from_many(f.world, list, half, c), KEEL_ABSENT);
    assert_int_equal(keel_delete_component_from_many(f.world, list, count, c), KEEL_OK);
    const bool any = keel_component_count(f.world, c) != 0;
    assert_int_equal(keel_delete_component_from_many(f.world, e, COUNT, c),
                     any ? KEEL_OK : KEEL_ABSENT);
    assert_int_equal(keel_component_count(f.world, c), 0);
    assert_sides(f.world, COUNT);
    assert_no_error(f.world);
    api_end(&f);
}

static void many_edits_are_as_many_single_edits(void **state) {
    (void)state;
    for (uint32_t n = 0; n < test_rounds(KINDS * ORDERS * 4); ++n)
        add_in_order(plain[n % KINDS], n / KINDS % ORDERS, (n / KINDS / ORDERS + n) % 2 * 3,
                     (n / KINDS / ORDERS / 2 + n / 2) % 2);
}

static void the_packed_order_is_that_of_single_adds(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    fill(f.world, 10);
    keel_add(f.world, e[4], Number, { 1 });
    const keel_entity some[] = { e[7], e[2], e[3], e[4], e[5], e[7] };
    assert_int_equal(keel_add_many(f.world, some, 6, Number, { 9 }), KEEL_OK);
    assert_packed(f.world, KEEL_OF(Number), "4 7 2 3 5");
    assert_int_equal(keel_get(f.world, e[4], Number)->value, 9);
    assert_int_equal(keel_delete_many(f.world, some + 3, 2, Number), KEEL_OK);
    assert_packed(f.world, KEEL_OF(Number), "3 7 2");
    api_end(&f);
}

// ------------------------------------------------------------------ small cases
static void nothing_zeros_and_tags(void **state) {
    (void)state;
    for (uint32_t k = 0; k < KINDS; ++k) {
        api_fixture f;
        api_begin(&f);
        fill(f.world, 40);
        assert_int_equal(keel_add_component_to_many(f.world, NULL, 0, plain[k], NULL, 0), KEEL_OK);
        assert_int_equal(keel_delete_component_from_many(f.world, NULL, 0, plain[k]), KEEL_ABSENT);
        keel_add_component(f.world, e[3], plain[k], &values[5]);
        const uint32_t stays = value_at(f.world, e[3], plain[k]);
        assert_int_equal(keel_add_component_to_many(f.world, e, 40, plain[k], NULL, 99), KEEL_OK);
        for (uint32_t i = 0; i < 40; ++i)
            assert_int_equal(value_at(f.world, e[i], plain[k]), i == 3 ? stays : 0);
        assert_int_equal(keel_add_many(f.world, e, 40, Marked), KEEL_OK);
        assert_int_equal(keel_count(f.world, Marked), 40);
        assert_int_equal(keel_delete_many(f.world, e + 1, 39, Marked), KEEL_OK);
        assert_true(keel_has(f.world, e[0], Marked));
        const keel_component tag = { .name = "a tag", .storage = plain[k]->storage };
        assert_int_equal(keel_add_component_to_many(f.world, e, 40, &tag, values, 4), KEEL_OK);
        assert_int_equal(keel_component_count(f.world, &tag), 40);
        assert_int_equal(keel_delete_component_from_many(f.world, e, 20, &tag), KEEL_OK);
        assert_int_equal(keel_component_count(f.world, &tag), 20);
        assert_sides(f.world, 40);
        api_end(&f);
    }
}

static void values_may_lie_in_the_world(void **state) {
    (void)state;
    for (uint32_t from = 0; from < KINDS; ++from)
        for (uint32_t to = 0; to < KINDS; ++to) {
            api_fixture f;
            api_begin(&f);
            const keel_component other = {
                .name = "other", .size = 4, .align = 4, .storage = plain[to]->storage
            };
            for (uint32_t i = 0; i < 50; ++i) {
                e[i] = keel_add_entity(f.world);
                values[i] = 100 + i;
            }
            keel_add_component_to_many(f.world, e, 50, plain[from], values, sizeof *values);
            const uint32_t *first = keel_get_component(f.world, e[0], plain[from]);
            assert_int_equal(keel_add_component_to_many(f.world, e, 50, &other, first, 4), KEEL_OK);
            for (uint32_t i = 0; i < 50; ++i)
                assert_int_equal(value_at(f.world, e[i], &other), 100 + i);
            assert_int_equal(
                keel_add_component_to_many(f.world, e, 50, plain[from],
                                           keel_get_component(f.world, e[20], plain[from]), 0),
                KEEL_OK);
            assert_int_equal(
                keel_add_component_to_many(f.world, e, 50, &other,
                                           keel_get_component(f.world, e[20], plain[from]), 0),
                KEEL_OK);
            for (uint32_t i = 0; i < 50; ++i) {
                assert_int_equal(value_at(f.world, e[i], plain[from]), 120);
                assert_int_equal(value_at(f.world, e[i], &other), 120);
            }
            api_end(&f);
        }
}

// ------------------------------------------------------------------ hooks
static void values_are_handed_over_or_copied(void **state) {
    (void)state;
    for (uint32_t k = 0; k < KINDS; ++k) {
        const keel_component *c = &with_owner[k];
        api_fixture f;
        Owned given[60];
        owned_begin();
        api_begin(&f);
        fill(f.world, 60);
        for (uint32_t i = 0; i < 60; ++i)
            given[i] = owned_make();
        assert_int_equal(keel_add_component_to_many(f.world, e, 60, c, given, sizeof *given),
                         KEEL_OK);
        assert_int_equal(owned.living, 60);
        assert_int_equal(owned.copies, 0);
        const Owned model = owned_make();
        assert_int_equal(keel_add_component_to_many(f.world, e + 30, 20, c, &model, 0), KEEL_OK);
        assert_int_equal(owned.copies, 20);
        assert_int_equal(owned.drops, 20); // what was overwritten
        assert_int_equal(owned.living, 61);
        const keel_entity twins[] = { e[1], e[1], e[2] };
        assert_int_equal(keel_add_component_to_many(f.world, twins, 3, c, &model, 0), KEEL_OK);
        assert_int_equal(owned.living, 61);
        owned_release(model);
        assert_int_equal(keel_delete_component_from_many(f.world, twins, 3, c), KEEL_OK);
        assert_int_equal(owned.living, 58);
        assert_int_equal(keel_delete_component_from_many(f.world, e, 40, c), KEEL_OK);
        assert_int_equal(owned.living, 20);
        assert_sides(f.world, 60);
        api_end(&f);
        assert_owned_end();
    }
}

static void a_copy_that_fails_changes_nothing(void **state) {
    (void)state;
    for (uint32_t k = 0; k < KINDS; ++k) {
        api_fixture f;
        owned_begin();
        api_begin(&f);
        fill(f.world, 30);
        const Owned model = owned_make();
        assert_int_equal(keel_add_component_to_many(f.world, e + 10, 10, &with_owner[k], &model, 0),
                         KEEL_OK);
        char *before = world_text(f.world, NULL);
        for (uint32_t left = 0; left < 30; ++left) {
            owned.copies_left = left;
            assert_int_equal(keel_add_component_to_many(f.world, e, 30, &with_owner[k], &model, 0),
                             KEEL_ERROR_COPY);
            assert_error(f.world, KEEL_ERROR_COPY, with_owner[k].name);
            assert_int_equal(owned.living, 11);
        }
        assert_same_text(world_text(f.world, NULL), before);
        owned_release(model);
        api_end(&f);
        assert_owned_end();
    }
}

static void what_cannot_be_copied_is_refused(void **state) {
    (void)state;
    for (uint32_t k = 0; k < KINDS; ++k) {
        api_fixture f;
        owned_begin();
        api_begin(&f);
        fill(f.world, 5);
        keel_component c = with_owner[k];
        c.name = "single";
        c.copy = NULL;
        const Owned model = owned_make();
        assert_int_equal(keel_add_component_to_many(f.world, e, 5, &c, &model, 0), KEEL_ERROR_COPY);
        assert_error(f.world, KEEL_ERROR_COPY, "single");
        assert_int_equal(keel_component_count(f.world, &c), 0);
        assert_int_equal(keel_add_component_to_many(f.world, e, 5, &c, NULL, 0), KEEL_OK); // zeros
        owned_release(model);
        api_end(&f);
        assert_owned_end();
    }
}

// ------------------------------------------------------------------ misuse
static void a_list_with_the_dead_adds_nothing(void **state) {
    (void)state;
    for (uint32_t k = 0; k < KINDS; ++k) {
        api_fixture f;
        api_begin(&f);
        fill(f.world, 20);
        keel_add_component(f.world, e[5], plain[k], &values[1]);
        keel_delete_entity(f.world, e[9]);
        const keel_entity again = keel_add_entity(f.world, KEEL_INIT(Row, { 1 }));
        assert_int_equal(keel_entity_index(again), keel_entity_index(e[9]));
        char *before = world_text(f.world, NULL);
        const keel_entity bad[] = { keel_null(), e[9], handle_at(100000, 0), handle_at(3, 8) };
        for (uint32_t b = 0; b < 4; ++b) {
            keel_entity some[20];
            memcpy(some, e, sizeof some);
            some[9] = bad[b];
            assert_int_equal(keel_add_component_to_many(f.world, some, 20, plain[k], values, 4),
                             KEEL_ERROR_DEAD_ENTITY);
            assert_error(f.world, KEEL_ERROR_DEAD_ENTITY, "entity 9 of the list");
        }
        assert_same_text(world_text(f.world, NULL), before);
        keel_add_component(f.world, again, plain[k], &values[2]);
        const keel_entity some[] = { bad[0], bad[1], bad[2], bad[3], e[6] };
        assert_int_equal(keel_delete_component_from_many(f.world, some, 5, plain[k]), KEEL_ABSENT);
        assert_true(keel_has_component(f.world, again, plain[k]));
        assert_int_equal(keel_delete_component_from_many(f.world, e, 20, plain[k]), KEEL_OK);
        assert_int_equal(keel_component_count(f.world, plain[k]), 1);
        api_end(&f);
    }
}

static void no_world_is_an_error(void **state) {
    (void)state;
    keel_world *none = NULL;
    keel_set_assert_handler(api_go_on);
    assert_int_equal(keel_add_many(none, e, 1, Number), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_delete_many(none, e, 1, Number), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_add_matching(none, NULL, Number), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_delete_matching(none, NULL, Number), KEEL_ERROR_ARGUMENT);
    keel_set_assert_handler(NULL);
}

static void misuse_is_an_error(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    fill(f.world, 4);
    assert_int_equal(keel_add_component_to_many(f.world, NULL, 3, KEEL_OF(Number), NULL, 0),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "no list");
    assert_int_equal(keel_delete_component_from_many(f.world, NULL, 3, KEEL_OF(Number)),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "no list");
    const Number some[3] = { { 1 } };
    assert_int_equal(keel_add_component_to_many(f.world, e, 3, KEEL_OF(Number), some, 1),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "a stride of 1");
    const keel_value_column columns[] = { { KEEL_OF(Number), some, sizeof(Number) - 1 }, { 0 } };
    assert_int_equal(keel_add_entity_columns(f.world, 3, NULL, columns), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "'Number'");
    const keel_component *const wrong[] = { NULL, KEEL_OF(keel_child), KEEL_UNIQUE_OF(Time) };
    for (uint32_t i = 0; i < 3; ++i) {
        assert_true(keel_add_component_to_many(f.world, e, 3, wrong[i], NULL, 0) < 0);
        assert_true(keel_delete_component_from_many(f.world, e, 3, wrong[i]) < 0);
        assert_true(keel_first_error(f.world)->result < 0);
        keel_clear_errors(f.world);
    }
    assert_int_equal(keel_delete_many(f.world, e, 4, Health), KEEL_ABSENT); // not known
    keel_view view;
    keel_add(f.world, e[0], Number);
    assert_int_equal(keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_READ(Number, n)), "reader"),
                     KEEL_OK);
    assert_int_equal(keel_add_many(f.world, e, 4, Number, { 1 }), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "reader");
    assert_int_equal(keel_delete_many(f.world, e, 4, Number), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "reader");
    assert_int_equal(keel_add_matching(f.world, KEEL_TERMS(KEEL_WITH(Side)), Number),
                     KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "reader");
    keel_view_end(&view);
    assert_int_equal(keel_count(f.world, Number), 1);
    api_end(&f);
}

// ------------------------------------------------------------------ out of memory
static void running_out_of_memory_changes_nothing(void **state) {
    (void)state;
    for (uint32_t k = 0; k < KINDS; ++k)
        for (uint32_t way = 0; way < 4; ++way) { // column, copies; away; by a view
            keel_result result = KEEL_ERROR_MEMORY;
            for (uint32_t n = 0; result != KEEL_OK; ++n) {
                const keel_component *c = &with_owner[k];
                api_fixture f;
                Owned given[80];
                owned_begin();
                api_begin(&f);
                fill(f.world, 80);
                for (uint32_t i = 0; i < 80; ++i)
                    given[i] = owned_make();
                const keel_term terms[] = { { .kind = KEEL_TERM_WITH, .component = KEEL_OF(Side) },
                                            { .kind = KEEL_TERM_END } };
                keel_register_component(f.world, c);
                if (way == 2) keel_add_component_to_many(f.world, e, 80, c, given, sizeof *given);
                char *before = world_text(f.world, NULL);
                const uint32_t living = owned.living;
                counting_allocator_fail_after(&f.memory, n);
                result = way == 0   ? keel_add_component_to_many(f.world, e, 80, c, given, 8)
                         : way == 1 ? keel_add_component_to_many(f.world, e, 80, c, given, 0)
                         : way == 2 ? keel_delete_component_from_many(f.world, e, 80, c)
                                    : keel_add_component_to_matching(f.world, terms, c, given);
                counting_allocator_never_fail(&f.memory);
                if (result != KEEL_OK) {
                    assert_int_equal(result, KEEL_ERROR_MEMORY);
                    assert_error(f.world, KEEL_ERROR_MEMORY, NULL);
                    assert_int_equal(owned.living, living);
                    assert_same_text(world_text(f.world, NULL), before);
                } else {
                    assert_int_equal(keel_component_count(f.world, c), way == 2   ? 0
                                                                       : way == 3 ? 60
                                                                                  : 80);
                    free(before);
                }
                for (uint32_t i = 0; i < 80; ++i)
                    if (way != 2 && (way || result != KEEL_OK)) owned_release(given[i]);
                api_end(&f);
                assert_owned_end();
                assert_true(n < 1000);
            }
        }
}

static void enough_room_needs_no_memory_to_overwrite(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    fill(f.world, 100);
    keel_add_column_many(f.world, e, 100, Number, (const Number *)values);
    keel_add_column_many(f.world, e, 100, Indexed, (const Indexed *)values);
    counting_allocator_fail_after(&f.memory, 0);
    assert_int_equal(keel_add_column_many(f.world, e, 100, Number, (const Number *)values),
                     KEEL_OK);
    assert_int_equal(keel_delete_many(f.world, e, 100, Number), KEEL_OK);
    assert_int_equal(keel_delete_many(f.world, e, 100, Indexed), KEEL_OK);
    api_end(&f);
}

// ------------------------------------------------------------------ groups, disabled values
static void groups_follow(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    for (uint32_t i = 0; i < 12; ++i)
        e[i] = keel_add_entity(f.world, KEEL_INIT(Number, { i }));
    for (uint32_t i = 0; i < 12; i += 2)
        keel_add(f.world, e[i], Other, { i });
    const keel_group *owning = keel_group_create(f.world, KEEL_OWNED(Number, Other));
    const keel_group *loose =
        keel_group_create(f.world, KEEL_GET(Indexed, Row), KEEL_EXCLUDE(Third));
    assert_non_null(owning);
    assert_non_null(loose);
    assert_members(f.world, owning, "0 2 4 6 8 10");
    const keel_entity some[] = { e[9], e[3], e[4], e[5] };
    assert_int_equal(keel_add_many(f.world, some, 4, Other, { 50 }), KEEL_OK);
    assert_members(f.world, owning, "0 2 4 6 8 10 9 3 5");
    assert_int_equal(keel_delete_many(f.world, some, 4, Number), KEEL_OK);
    assert_int_equal(keel_group_count(f.world, owning), 5);
    assert_int_equal(keel_get(f.world, e[4], Other)->value, 50);
    assert_int_equal(keel_get(f.world, e[6], Number)->value, 6);
    assert_int_equal(keel_add_many(f.world, e, 12, Row, { 1 }), KEEL_OK);
    assert_int_equal(keel_add_many(f.world, e, 12, Indexed, { 2 }), KEEL_OK);
    assert_int_equal(keel_group_count(f.world, loose), 12);
    assert_int_equal(keel_add_many(f.world, e, 6, Third), KEEL_OK);
    assert_members(f.world, loose, "11 10 9 8 7 6");
    assert_int_equal(keel_delete_many(f.world, e + 6, 6, Row), KEEL_OK);
    assert_int_equal(keel_group_count(f.world, loose), 0);
    assert_int_equal(keel_delete_many(f.world, e, 6, Third), KEEL_OK);
    assert_int_equal(keel_group_count(f.world, loose), 6);
    api_end(&f);
}

static void disabled_values_are_replaced_or_dropped(void **state) {
    (void)state;
    const keel_component *c = &with_owner[1];
    api_fixture f;
    owned_begin();
    api_begin(&f);
    fill(f.world, 10);
    const Owned model = owned_make();
    keel_add_component_to_many(f.world, e, 10, c, &model, 0);
    for (uint32_t i = 0; i < 10; i += 2)
        keel_enable_component(f.world, e[i], c, false);
    assert_int_equal(keel_component_count(f.world, c), 5);
    assert_int_equal(keel_add_component_to_many(f.world, e, 6, c, &model, 0), KEEL_OK);
    assert_int_equal(keel_component_count(f.world, c), 8);
    assert_int_equal(owned.living, 11);
    assert_false(keel_is_component_disabled(f.world, e[0], c));
    assert_true(keel_is_component_disabled(f.world, e[8], c));
    const keel_entity kept[] = { e[6], e[8] };
    assert_int_equal(keel_delete_component_from_many(f.world, kept, 1, c), KEEL_ABSENT);
    assert_int_equal(owned.living, 10);
    assert_int_equal(keel_delete_component_from_many(f.world, e, 10, c), KEEL_OK);
    assert_int_equal(owned.living, 1);
    owned_release(model);
    fill(f.world, 200); // plain ones, which go by runs
    keel_add_many(f.world, e, 200, Indexed, { 1 });
    for (uint32_t i = 64; i < 128; ++i)
        keel_disable(f.world, e[i], Indexed);
    assert_int_equal(keel_add_many(f.world, e + 32, 80, Indexed, { 3 }), KEEL_OK);
    assert_int_equal(keel_count(f.world, Indexed), 200 - 16);
    assert_int_equal(keel_get(f.world, e[100], Indexed)->value, 3);
    api_end(&f);
    assert_owned_end();
}

// ------------------------------------------------------------------ what a view matches
static void all_that_match_are_edited(void **state) {
    (void)state;
    for (uint32_t k = 0; k < KINDS; ++k) {
        const keel_component *c = plain[k];
        api_fixture f;
        uint32_t sides = 0, both = 0;
        const uint32_t five = 5, six = 6;
        api_begin(&f);
        fill(f.world, COUNT);
        for (uint32_t i = 0; i < COUNT; ++i) {
            sides += i % 4 != 0;
            both += i % 4 != 0 && i % 3 == 0;
        }
        const keel_term *with_side = KEEL_TERMS(KEEL_WITH(Side));
        assert_int_equal(keel_add_component_to_matching(f.world, with_side, c, &five), KEEL_OK);
        assert_int_equal(keel_component_count(f.world, c), sides);
        const keel_term *with_position = KEEL_TERMS(KEEL_READ(Position, p), KEEL_WITHOUT(Side));
        assert_int_equal(keel_add_component_to_matching(f.world, with_position, c, &six), KEEL_OK);
        for (uint32_t i = 0; i < COUNT; ++i)
            assert_int_equal(value_at(f.world, e[i], c), i % 4 ? 5 : i % 3 ? UINT32_MAX : 6);
        // the component itself may be asked for
        const keel_term itself[] = { { .kind = KEEL_TERM_WRITE, .component = c },
                                     { .kind = KEEL_TERM_WITH, .component = KEEL_OF(Position) },
                                     { .kind = KEEL_TERM_WITH, .component = KEEL_OF(Side) },
                                     { .kind = KEEL_TERM_END } };
        const uint32_t had = keel_component_count(f.world, c);
        assert_int_equal(keel_delete_component_from_matching(f.world, itself, c), KEEL_OK);
        assert_int_equal(keel_component_count(f.world, c), had - both);
        assert_int_equal(keel_delete_component_from_matching(f.world, itself, c), KEEL_ABSENT);
        const keel_term lacks[] = { { .kind = KEEL_TERM_WITHOUT, .component = c },
                                    { .kind = KEEL_TERM_END } };
        assert_int_equal(keel_add_component_to_matching(f.world, lacks, c, &six), KEEL_OK);
        assert_int_equal(keel_component_count(f.world, c), COUNT);
        assert_int_equal(keel_add_component_to_matching(f.world, lacks, c, &six), KEEL_ABSENT);
        const keel_term all[] = { { .kind = KEEL_TERM_WITH, .component = c },
                                  { .kind = KEEL_TERM_END } };
        assert_int_equal(keel_delete_component_from_matching(f.world, all, c), KEEL_OK);
        assert_int_equal(keel_component_count(f.world, c), 0);
        assert_sides(f.world, COUNT);
        assert_no_error(f.world);
        api_end(&f);
    }
}

static void typed_edits(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    fill(f.world, 12);
    assert_int_equal(keel_add_matching(f.world, KEEL_TERMS(KEEL_WITH(Position)), Marked), KEEL_OK);
    assert_int_equal(keel_count(f.world, Marked), 4);
    assert_int_equal(
        keel_add_matching(f.world, KEEL_TERMS(KEEL_WITH(Marked), KEEL_WITH(Side)), Health, { 8 }),
        KEEL_OK);
    assert_int_equal(keel_count(f.world, Health), 3);
    assert_int_equal(keel_get(f.world, e[3], Health)->points, 8);
    assert_int_equal(keel_delete_matching(f.world, KEEL_TERMS(KEEL_WITH(Health)), Marked), KEEL_OK);
    assert_int_equal(keel_count(f.world, Marked), 1);
    assert_int_equal(keel_delete_matching(f.world, KEEL_TERMS(KEEL_WITH(Marked)), Other),
                     KEEL_ABSENT);
    const keel_term broken[] = { { .kind = KEEL_TERM_WITH }, { .kind = KEEL_TERM_END } };
    assert_int_equal(keel_add_matching(f.world, broken, Other), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "keel_add_component_to_matching");
    assert_int_equal(keel_delete_matching(f.world, broken, Marked), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "keel_delete_component_from_matching");
    const Large large[2] = { { { 1 } }, { { 2 } } };
    assert_int_equal(keel_add_column_many(f.world, e, 2, Large, large), KEEL_OK);
    assert_int_equal(keel_get(f.world, e[1], Large)->word[0], 2);
    api_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(many_edits_are_as_many_single_edits, "many edits at once are as many single edits"),
        TEST(the_packed_order_is_that_of_single_adds, "the packed order is that of single adds"),
        TEST(nothing_zeros_and_tags, "empty lists, zeros and tags"),
        TEST(values_may_lie_in_the_world, "values may lie in the world itself"),
        TEST(values_are_handed_over_or_copied, "values are handed over, or copied and kept"),
        TEST(a_copy_that_fails_changes_nothing, "a copy hook that fails changes nothing"),
        TEST(what_cannot_be_copied_is_refused, "what cannot be copied is refused by name"),
        TEST(a_list_with_the_dead_adds_nothing, "a list with dead entities adds nothing"),
        TEST(no_world_is_an_error, "no world is an error"),
        TEST(misuse_is_an_error, "misuse is an error"),
        TEST(running_out_of_memory_changes_nothing, "running out of memory changes nothing"),
        TEST(enough_room_needs_no_memory_to_overwrite, "overwriting and deleting need no memory"),
        TEST(groups_follow, "groups follow"),
        TEST(disabled_values_are_replaced_or_dropped, "disabled values are replaced or dropped"),
        TEST(all_that_match_are_edited, "all that a view matches are edited"),
        TEST(typed_edits, "typed edits, of what a view matches and of columns"),
    };
    return RUN(tests);
}
