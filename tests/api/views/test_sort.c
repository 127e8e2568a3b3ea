// SPDX-License-Identifier: MIT
// Sorting sparse sets by values, by entities and in the order of another one; sorting groups.
#include "support/group_fixture.h"

#include <string.h>

static keel_entity e(uint32_t index) { return handle_at(index, 0); }

static uint32_t compared;

static int ascending(const void *a, const void *b, void *data) {
    const uint32_t x = ((const Number *)a)->value, y = ((const Number *)b)->value;
    const int sign = data ? *(const int *)data : 1;
    ++compared;
    return x < y ? -sign : x > y ? sign : 0;
}
static int by_tens(const void *a, const void *b, void *data) {
    (void)data;
    return (int)(((const Number *)a)->value / 10) - (int)(((const Number *)b)->value / 10);
}
static int by_index(const keel_world *world, keel_entity a, keel_entity b, void *data) {
    (void)world, (void)data;
    return (int)keel_entity_index(a) - (int)keel_entity_index(b);
}

static void begin(api_fixture *f, uint32_t entities) {
    api_begin(f);
    assert_int_equal(keel_add_entity_columns(f->world, entities, NULL, NULL), KEEL_OK);
}

// Entity i gets numbers[i], in this order.
static void add_numbers(api_fixture *f, const uint32_t *numbers, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        assert_int_equal(keel_add(f->world, e(i), Number, { numbers[i] }), KEEL_OK);
}

// ------------------------------------------------------------------ one set
static void values_come_in_order(void **state) {
    (void)state;
    static const uint32_t numbers[] = { 5, 3, 9, 1, 7 };
    api_fixture f;
    int backwards = -1;
    begin(&f, 8);
    add_numbers(&f, numbers, 5);
    assert_int_equal(keel_sort(f.world, Number, ascending, NULL), KEEL_OK);
    assert_packed(f.world, KEEL_OF(Number), "3 1 0 4 2");
    assert_int_equal(keel_sort(f.world, Number, ascending, &backwards), KEEL_OK);
    assert_packed(f.world, KEEL_OF(Number), "2 4 0 1 3");
    for (uint32_t i = 0; i < 5; ++i)
        assert_int_equal(keel_get(f.world, e(i), Number)->value, numbers[i]);
    assert_int_equal(keel_sort_with(f.world, .component = KEEL_OF(Number),
                                    .compare_entities = by_index, .data = NULL),
                     KEEL_OK);
    assert_packed(f.world, KEEL_OF(Number), "0 1 2 3 4");
    api_end(&f);
}

static void equal_values_keep_their_order(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 1000);
    uint32_t last[100] = { 0 };
    for (uint32_t i = 0; i < 1000; ++i)
        assert_int_equal(keel_add(f.world, e(i), Number, { i * 7919 % 1000 }), KEEL_OK);
    assert_int_equal(keel_sort(f.world, Number, by_tens, NULL), KEEL_OK);
    uint32_t count, tens = 0;
    keel_entity *list = packed_order(f.world, KEEL_OF(Number), &count);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t now = keel_get(f.world, list[i], Number)->value / 10;
        assert_true(now >= tens);
        tens = now;
        assert_true(last[now] <= keel_entity_index(list[i]));
        last[now] = keel_entity_index(list[i]);
    }
    assert_int_equal(count, 1000);
    free(list);
    api_end(&f);
}

// Every size to 70, and some beyond a page, in random, sorted, reversed and nearly sorted order.
static uint32_t number_at(uint32_t shape, uint32_t i, uint32_t count) {
    return shape == 0   ? (i * 2654435761u) >> 20
           : shape == 1 ? i
           : shape == 2 ? count - i
           : shape == 3 ? (i % 97 == 5 ? 0 : i)
                        : i % 3;
}

static void sets_of_all_sizes_are_sorted(void **state) {
    (void)state;
    for (uint32_t count = 0; count < 9000; count = count < 70 ? count + 1 : count * 5)
        for (uint32_t shape = 0; shape < 5; ++shape) {
            api_fixture f;
            begin(&f, count + 1);
            assert_int_equal(keel_register(f.world, Number), KEEL_OK);
            for (uint32_t i = 0; i < count; ++i)
                assert_int_equal(keel_add(f.world, e(i), Number, { number_at(shape, i, count) }),
                                 KEEL_OK);
            compared = 0;
            assert_int_equal(keel_sort(f.world, Number, ascending, NULL), KEEL_OK);
            if (shape == 1 || shape == 2) assert_true(compared <= 2 * count); // one look
            uint32_t n, last = 0;
            keel_entity *list = packed_order(f.world, KEEL_OF(Number), &n);
            assert_int_equal(n, count);
            for (uint32_t i = 0; i < n; ++i) {
                const Number *value = keel_get(f.world, list[i], Number);
                assert_int_equal(value->value, number_at(shape, keel_entity_index(list[i]), count));
                assert_true(value->value >= last);
                last = value->value;
            }
            free(list);
            api_end(&f);
        }
}

static void values_with_hooks_and_tags_are_sorted(void **state) {
    (void)state;
    api_fixture f;
    owned_begin();
    begin(&f, 100);
    for (uint32_t i = 0; i < 100; ++i) {
        const Owned value = owned_make(); // token i + 1
        const keel_entity at = e(i * 37 % 100);
        assert_int_equal(keel_add(f.world, at, Owned, value), KEEL_OK);
        assert_int_equal(keel_add(f.world, at, Frozen), KEEL_OK);
        assert_int_equal(keel_add(f.world, at, Large, { .word = { i } }), KEEL_OK);
    }
    const keel_component *const list[] = { KEEL_OF(Owned), KEEL_OF(Frozen), KEEL_OF(Large) };
    for (int c = 0; c < 3; ++c) {
        assert_int_equal(
            keel_sort_with(f.world, .component = list[c], .compare_entities = by_index), KEEL_OK);
        uint32_t count;
        keel_entity *order = packed_order(f.world, list[c], &count);
        for (uint32_t i = 0; i < 100; ++i)
            assert_same_entity(order[i], e(i));
        free(order);
    }
    for (uint32_t i = 0; i < 100; ++i) {
        assert_int_equal(keel_get(f.world, e(i * 37 % 100), Owned)->token, i + 1);
        assert_int_equal(keel_get(f.world, e(i * 37 % 100), Large)->word[0], i);
    }
    assert_int_equal(owned.drops, 0);
    api_end(&f);
    assert_owned_end();
}

// ------------------------------------------------------------------ as another
static void shared_entities_come_first_in_the_order_of_the_other(void **state) {
    (void)state;
    static const uint32_t numbers[] = { 0, 1, 2, 3, 4, 5, 6 }, others[] = { 9, 5, 1, 8, 3 };
    api_fixture f;
    begin(&f, 12);
    add_numbers(&f, numbers, 7);
    for (uint32_t i = 0; i < 5; ++i)
        assert_int_equal(keel_add(f.world, e(others[i]), Other, { i }), KEEL_OK);
    assert_int_equal(keel_sort_as(f.world, Number, Other), KEEL_OK);
    assert_packed(f.world, KEEL_OF(Number), "5 1 3 0 2 4 6");
    assert_packed(f.world, KEEL_OF(Other), "9 5 1 8 3");
    for (uint32_t i = 0; i < 7; ++i)
        assert_int_equal(keel_get(f.world, e(i), Number)->value, i);
    assert_int_equal(keel_sort_as(f.world, Number, Number), KEEL_OK);
    assert_int_equal(keel_add(f.world, e(6), Indexed, { 1 }), KEEL_OK);
    assert_int_equal(keel_add(f.world, e(1), Indexed, { 1 }), KEEL_OK);
    assert_int_equal(keel_sort_as(f.world, Number, Indexed), KEEL_OK);
    assert_packed(f.world, KEEL_OF(Number), "1 6 5 3 0 2 4");
    assert_int_equal(keel_sort_as(f.world, Number, Third), KEEL_OK); // nobody has it
    assert_packed(f.world, KEEL_OF(Number), "1 6 5 3 0 2 4");
    assert_int_equal(keel_sort_as(f.world, Third, Number), KEEL_ABSENT);
    api_end(&f);
}

// ------------------------------------------------------------------ groups
static void a_group_is_sorted_in_all_that_it_owns(void **state) {
    (void)state;
    static const uint32_t numbers[] = { 50, 30, 90, 10, 70, 20, 40, 60 };
    api_fixture f;
    begin(&f, 12);
    add_numbers(&f, numbers, 8);
    for (uint32_t i = 10; i >= 2; --i)
        assert_int_equal(keel_add(f.world, e(i), Other, { i }), KEEL_OK);
    assert_int_equal(keel_add(f.world, e(2), Third, { 7 }), KEEL_OK);
    keel_group *g = keel_group_create(f.world, KEEL_OWNED(Other, Number), .name = "sorted");
    assert_members(f.world, g, "7 6 5 4 3 2");
    assert_packed(f.world, KEEL_OF(Other), "7 6 5 4 3 2 10 9 8");
    assert_packed(f.world, KEEL_OF(Number), "7 6 5 4 3 2 1 0");
    assert_int_equal(
        keel_sort_with(f.world, .group = g, .by = KEEL_OF(Number), .compare = ascending), KEEL_OK);
    assert_members(f.world, g, "3 5 6 7 4 2");
    assert_packed(f.world, KEEL_OF(Other), "3 5 6 7 4 2 10 9 8"); // the rest stays
    assert_packed(f.world, KEEL_OF(Number), "3 5 6 7 4 2 1 0");
    assert_int_equal(keel_sort_with(f.world, .group = g, .compare_entities = by_index), KEEL_OK);
    assert_members(f.world, g, "2 3 4 5 6 7");
    for (uint32_t i = 0; i < 8; ++i) {
        assert_int_equal(keel_get(f.world, e(i), Number)->value, numbers[i]);
        if (i > 1) assert_int_equal(keel_get(f.world, e(i), Other)->value, i);
    }
    assert_int_equal(keel_sort(f.world, Number, ascending, NULL), KEEL_ERROR_GROUPED);
    assert_error(f.world, KEEL_ERROR_GROUPED, "group 'sorted' owns it; use keel_sort_with");
    assert_int_equal(keel_sort_as(f.world, Number, Third), KEEL_ERROR_GROUPED);
    assert_int_equal(keel_sort_as(f.world, Third, Number), KEEL_OK);
    assert_int_equal(
        keel_sort_with(f.world, .group = g, .by = KEEL_OF(Third), .compare = ascending),
        KEEL_ERROR_ARGUMENT);
    keel_clear_errors(f.world);
    api_end(&f);
}

static void a_group_that_owns_nothing_sorts_its_own_list(void **state) {
    (void)state;
    static const uint32_t numbers[] = { 5, 3, 9, 1, 7 };
    api_fixture f;
    begin(&f, 8);
    add_numbers(&f, numbers, 5);
    for (uint32_t i = 0; i < 5; ++i)
        assert_int_equal(keel_add(f.world, e(4 - i), Row, { i }), KEEL_OK);
    keel_group *g = keel_group_create(f.world, KEEL_GET(Number, Row));
    assert_int_equal(
        keel_sort_with(f.world, .group = g, .by = KEEL_OF(Number), .compare = ascending), KEEL_OK);
    assert_members(f.world, g, "3 1 0 4 2");
    assert_packed(f.world, KEEL_OF(Number), "0 1 2 3 4");
    assert_int_equal(keel_sort_with(f.world, .group = g, .by = KEEL_OF(Row), .compare = ascending),
                     KEEL_OK);
    assert_members(f.world, g, "4 3 2 1 0");
    assert_int_equal(keel_sort(f.world, Number, ascending, NULL), KEEL_OK); // only got
    assert_packed(f.world, KEEL_OF(Number), "3 1 0 4 2");
    api_end(&f);
}

// ------------------------------------------------------------------ refusals
static void what_has_no_order_cannot_be_sorted(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 3);
    assert_int_equal(keel_register(f.world, Number, Indexed, Row, Frozen), KEEL_OK);
    assert_int_equal(keel_sort(f.world, Indexed, ascending, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "only sparse sets");
    assert_int_equal(keel_sort(f.world, Row, ascending, NULL), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_sort(f.world, Frozen, ascending, NULL), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_sort(f.world, Number, NULL, NULL), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_sort_as(f.world, Number, Row), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_sort_with(f.world, .component = KEEL_OF(Number), .as = NULL),
                     KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_sort_with(f.world, .component = NULL, .compare = ascending),
                     KEEL_ERROR_ARGUMENT);
    assert_int_equal(
        keel_sort_with(f.world, .component = KEEL_UNIQUE_OF(Time), .compare = ascending),
        KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_sort(f.world, keel_child, ascending, NULL), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_sort_with(f.world, .group = NULL, .compare_entities = by_index),
                     KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_sort(f.world, Third, ascending, NULL), KEEL_ABSENT);
    keel_clear_errors(f.world);
    api_end(&f);
}

static void what_is_borrowed_cannot_be_sorted(void **state) {
    (void)state;
    static const uint32_t numbers[] = { 2, 1 };
    api_fixture f;
    begin(&f, 3);
    add_numbers(&f, numbers, 2);
    keel_group *g = keel_group_create(f.world, KEEL_GET(Number, Other));
    const keel_term terms[] = { { .kind = KEEL_TERM_READ, .component = KEEL_OF(Number) },
                                { .kind = KEEL_TERM_END } };
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, terms, "reader"), KEEL_OK);
    assert_int_equal(keel_sort(f.world, Number, ascending, NULL), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "cannot sort 'Number': reader");
    assert_int_equal(keel_sort_with(f.world, .group = g, .compare_entities = by_index),
                     KEEL_ERROR_BORROWED);
    keel_view_end(&view);
    assert_int_equal(keel_share_begin(f.world), KEEL_OK);
    assert_int_equal(keel_sort(f.world, Number, ascending, NULL), KEEL_ERROR_SHARED);
    assert_int_equal(keel_sort_with(f.world, .group = g, .compare_entities = by_index),
                     KEEL_ERROR_SHARED);
    assert_int_equal(keel_share_end(f.world), KEEL_OK);
    keel_clear_errors(f.world);
    api_end(&f);
}

// A comparator that tries to pull the rug away.
typedef struct vandal {
    keel_world *world;
    keel_group *group;
    uint32_t refused;
} vandal;

static int edits_meanwhile(const void *a, const void *b, void *data) {
    vandal *v = data;
    keel_world *world = v->world;
    v->refused += keel_add(world, e(9), Number, { 1 }) == KEEL_ERROR_BORROWED;
    v->refused += keel_remove(world, e(1), Number) == KEEL_ERROR_BORROWED;
    v->refused += keel_delete_entity(world, e(2)) == KEEL_ERROR_BORROWED;
    v->refused += keel_sort(world, Number, ascending, NULL) == KEEL_ERROR_BORROWED;
    v->refused += keel_world_trim(world) == KEEL_ERROR_BORROWED;
    v->refused += keel_clear_entities(world) == KEEL_ERROR_BORROWED;
    v->refused += keel_group_destroy(world, v->group) == KEEL_ERROR_BORROWED;
    v->refused += keel_unregister_component(world, KEEL_OF(Number)) == KEEL_ERROR_BORROWED;
    return ascending(a, b, NULL);
}

static void a_comparator_cannot_edit_what_is_sorted(void **state) {
    (void)state;
    static const uint32_t numbers[] = { 5, 3, 9, 1, 7 };
    api_fixture f;
    begin(&f, 10);
    add_numbers(&f, numbers, 5);
    vandal v = { .world = f.world };
    v.group = keel_group_create(f.world, KEEL_GET(Number, Other));
    compared = 0;
    assert_int_equal(keel_sort(f.world, Number, edits_meanwhile, &v), KEEL_OK);
    assert_int_equal(v.refused, 8 * compared);
    assert_packed(f.world, KEEL_OF(Number), "3 1 0 4 2");
    for (uint32_t i = 0; i < 5; ++i)
        assert_int_equal(keel_add(f.world, e(i), Other, { 1 }), KEEL_OK);
    v.refused = compared = 0;
    keel_entity_compare *const none = NULL;
    assert_int_equal(keel_sort_with(f.world, .group = v.group, .compare_entities = none),
                     KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_sort_with(f.world, .group = v.group, .by = KEEL_OF(Number),
                                    .compare = edits_meanwhile, .data = &v),
                     KEEL_OK);
    assert_int_equal(v.refused, 8 * compared);
    keel_clear_errors(f.world);
    api_end(&f);
}

// Neither transitive nor symmetric: any order may come out, but every value is there once.
static int confused(const void *a, const void *b, void *data) {
    (void)a, (void)b;
    uint32_t *state = data;
    *state = *state * 1664525u + 1013904223u;
    return (int)(*state >> 30) - 1;
}

static void a_confused_comparator_loses_nothing(void **state) {
    (void)state;
    api_fixture f;
    uint32_t seed = 1;
    begin(&f, 500);
    for (uint32_t i = 0; i < 500; ++i)
        assert_int_equal(keel_add(f.world, e(i), Number, { i }), KEEL_OK);
    for (int i = 0; i < 20; ++i)
        assert_int_equal(keel_sort(f.world, Number, confused, &seed), KEEL_OK);
    for (uint32_t i = 0; i < 500; ++i)
        assert_int_equal(keel_get(f.world, e(i), Number)->value, i);
    api_end(&f);
}

static void a_sort_that_finds_no_memory_changes_nothing(void **state) {
    (void)state;
    static const uint32_t numbers[] = { 5, 3, 9, 1, 7 };
    for (uint32_t what = 0; what < 3; ++what)
        for (uint32_t allowed = 0, done = 0; !done; ++allowed) {
            api_fixture f;
            begin(&f, 8);
            add_numbers(&f, numbers, 5);
            for (uint32_t i = 5; i-- > 0;)
                assert_int_equal(keel_add(f.world, e(i), Other, { i }), KEEL_OK);
            keel_group *g =
                what == 2 ? keel_group_create(f.world, KEEL_OWNED(Number), KEEL_GET(Other)) : NULL;
            char *before = world_text(f.world, NULL);
            counting_allocator_fail_after(&f.memory, allowed);
            const keel_result result =
                what == 0   ? keel_sort(f.world, Number, ascending, NULL)
                : what == 1 ? keel_sort_as(f.world, Number, Other)
                            : keel_sort_with(f.world, .group = g, .by = KEEL_OF(Number),
                                             .compare = ascending);
            counting_allocator_never_fail(&f.memory);
            done = result == KEEL_OK;
            if (!done) {
                assert_error(f.world, KEEL_ERROR_MEMORY, "sort");
                assert_same_text(world_text(f.world, NULL), before);
            } else {
                free(before);
            }
            api_end(&f);
        }
}

// ------------------------------------------------------------------ a part, by others, swaps
typedef struct Rank {
    int value;
} Rank;
KEEL_COMPONENT(Rank, .storage = KEEL_INDEXED);

static int by_rank(const void *a, const void *b, void *data) {
    (void)data;
    return *(const int *)a - *(const int *)b;
}

// A slow sort of what `first` says: who is where, by a key that says who comes last.
static void assert_sorted(api_fixture *f, const keel_entity *before, uint32_t count, uint32_t first,
                          const int *keys) {
    keel_entity expected[64];
    uint32_t now_count;
    keel_entity *now = packed_order(f->world, KEEL_OF(Number), &now_count);
    assert_int_equal(now_count, count);
    memcpy(expected, before, count * sizeof *expected);
    for (uint32_t i = 1; i < first; ++i)
        for (uint32_t k = i;
             k && keys[keel_entity_index(expected[k - 1])] > keys[keel_entity_index(expected[k])];
             --k) {
            const keel_entity other = expected[k];
            expected[k] = expected[k - 1];
            expected[k - 1] = other;
        }
    for (uint32_t i = 0; i < count; ++i)
        assert_same_entity(now[i], expected[i]);
    free(now);
}

static void a_part_is_sorted_by_values_of_any_storage(void **state) {
    (void)state;
    enum { COUNT = 40, LAST = 1000 };
    uint32_t seed = 5;
    for (uint32_t round = 0; round < 60; ++round) {
        api_fixture f;
        int ranks[COUNT], rows[COUNT];
        uint32_t count;
        begin(&f, COUNT);
        for (uint32_t i = 0; i < COUNT; ++i) {
            seed = seed * 1664525u + 1013904223u;
            ranks[i] = (seed >> 28) < 3 ? LAST : (int)(seed >> 20 & 15); // LAST: has none
            rows[i] = (seed >> 28) > 12 ? LAST : (int)(seed >> 8 & 31);
            assert_int_equal(keel_add(f.world, e(i * 7 % COUNT), Number, { i }), KEEL_OK);
            if (ranks[i] != LAST) keel_add(f.world, e(i), Rank, { ranks[i] });
            if (rows[i] != LAST) keel_add(f.world, e(i), Row, { (uint32_t)rows[i] });
        }
        const uint32_t asked = seed >> 16 & 63, first = !asked || asked > COUNT ? COUNT : asked;
        keel_entity *before = packed_order(f.world, KEEL_OF(Number), &count);
        assert_int_equal(keel_sort_with(f.world, .component = KEEL_OF(Number), .by = KEEL_OF(Rank),
                                        .compare = by_rank, .first = asked),
                         KEEL_OK);
        assert_sorted(&f, before, count, first, ranks);
        free(before);
        before = packed_order(f.world, KEEL_OF(Number), &count);
        assert_int_equal(keel_sort_with(f.world, .component = KEEL_OF(Number), .by = KEEL_OF(Row),
                                        .compare = by_rank, .first = asked),
                         KEEL_OK);
        assert_sorted(&f, before, count, first, rows);
        free(before);
        api_end(&f);
    }
}

static void a_part_is_sorted_as_another(void **state) {
    (void)state;
    static const uint32_t numbers[] = { 5, 3, 9, 1, 7 };
    api_fixture f;
    begin(&f, 8);
    add_numbers(&f, numbers, 5); // 0 1 2 3 4
    for (uint32_t i = 5; i-- > 1;)
        keel_add(f.world, e(i), Other, { i }); // 4 3 2 1
    assert_int_equal(
        keel_sort_with(f.world, .component = KEEL_OF(Number), .as = KEEL_OF(Other), .first = 3),
        KEEL_OK);
    assert_packed(f.world, KEEL_OF(Number), "2 1 0 3 4");
    assert_int_equal(
        keel_sort_with(f.world, .component = KEEL_OF(Number), .compare = ascending, .first = 2),
        KEEL_OK);
    assert_packed(f.world, KEEL_OF(Number), "1 2 0 3 4");
    // a group like a set: those who have it come first
    keel_group *g = keel_group_create(f.world, KEEL_OWNED(Number), KEEL_EXCLUDE(Third));
    keel_add(f.world, e(0), Third, { 0 }); // leaves the group
    assert_packed(f.world, KEEL_OF(Number), "1 2 4 3 0");
    assert_int_equal(keel_sort_with(f.world, .group = g, .as = KEEL_OF(Other)), KEEL_OK);
    assert_packed(f.world, KEEL_OF(Number), "4 3 2 1 0");
    assert_int_equal(keel_sort_with(f.world, .group = g, .compare_entities = by_index, .first = 2),
                     KEEL_OK);
    assert_packed(f.world, KEEL_OF(Number), "3 4 2 1 0");
    assert_int_equal(keel_sort_with(f.world, .group = g, .as = KEEL_OF(Number)), KEEL_OK);
    assert_packed(f.world, KEEL_OF(Number), "3 4 2 1 0");
    keel_group *got = keel_group_create(f.world, KEEL_GET(Number, Other));
    assert_int_equal(keel_sort_with(f.world, .group = got, .as = KEEL_OF(Number)), KEEL_OK);
    const uint32_t order[] = { 3, 4, 2, 1 };
    for (uint32_t i = 0; i < 4; ++i)
        assert_same_entity(keel_group_entity(f.world, got, i), e(order[i]));
    api_end(&f);
}

static void what_is_asked_for_twice_is_refused(void **state) {
    (void)state;
    static const uint32_t numbers[] = { 5, 3 };
    api_fixture f;
    begin(&f, 3);
    add_numbers(&f, numbers, 2);
    keel_group *g = keel_group_create(f.world, KEEL_GET(Number, Other));
    const keel_component *number = KEEL_OF(Number);
    const keel_sort_desc wrong[] = {
        { .component = number, .group = g, .compare = ascending },
        { .component = number, .compare = ascending, .compare_entities = by_index },
        { .component = number, .compare = ascending, .as = KEEL_OF(Other) },
        { .component = number, .by = number, .as = KEEL_OF(Other) },
        { .component = number },
        { .component = number, .by = KEEL_UNIQUE_OF(Time), .compare = ascending },
        { .component = number, .as = KEEL_UNIQUE_OF(Time) },
        { .group = g, .compare = ascending },
        { .group = g, .as = KEEL_OF(Row) },
        { .compare = ascending },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        assert_int_equal(keel_sort_by(f.world, &wrong[i]), KEEL_ERROR_ARGUMENT);
        assert_error(f.world, KEEL_ERROR_ARGUMENT, NULL);
    }
    assert_int_equal(keel_sort_by(f.world, NULL), KEEL_ERROR_ARGUMENT);
    keel_clear_errors(f.world);
    assert_packed(f.world, number, "0 1");
    assert_int_equal(
        keel_sort_with(f.world, .component = number, .by = KEEL_OF(Rank), .compare = by_rank),
        KEEL_OK); // nobody has one
    api_end(&f);
}

static void two_entities_change_places(void **state) {
    (void)state;
    static const uint32_t numbers[] = { 5, 3, 9, 1, 7 };
    api_fixture f;
    owned_begin();
    begin(&f, 8);
    add_numbers(&f, numbers, 5);
    assert_int_equal(keel_swap(f.world, Number, e(0), e(3)), KEEL_OK);
    assert_packed(f.world, KEEL_OF(Number), "3 1 2 0 4");
    assert_int_equal(keel_swap(f.world, Number, e(2), e(2)), KEEL_OK);
    assert_int_equal(keel_swap(f.world, Number, e(0), e(6)), KEEL_ABSENT);
    assert_int_equal(keel_swap(f.world, Other, e(0), e(1)), KEEL_ABSENT);
    assert_int_equal(keel_swap(f.world, Number, e(0), keel_null()), KEEL_ERROR_DEAD_ENTITY);
    keel_add(f.world, e(0), Rank, { 1 });
    assert_int_equal(keel_swap(f.world, Rank, e(0), e(0)), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "only sparse sets have an order");
    for (uint32_t i = 0; i < 3; ++i)
        keel_add(f.world, e(i), Owned, owned_make());
    // members change places in all that the group owns
    (void)keel_group_create(f.world, KEEL_OWNED(Number, Owned), .name = "both");
    assert_packed(f.world, KEEL_OF(Number), "1 2 0 3 4");
    assert_packed(f.world, KEEL_OF(Owned), "1 2 0");
    assert_int_equal(keel_swap(f.world, Number, e(1), e(0)), KEEL_OK);
    assert_packed(f.world, KEEL_OF(Number), "0 2 1 3 4");
    assert_packed(f.world, KEEL_OF(Owned), "0 2 1");
    assert_int_equal(keel_swap(f.world, Number, e(3), e(4)), KEEL_OK); // outside
    assert_packed(f.world, KEEL_OF(Number), "0 2 1 4 3");
    assert_int_equal(keel_swap(f.world, Number, e(0), e(4)), KEEL_ERROR_GROUPED);
    assert_error(f.world, KEEL_ERROR_GROUPED, "group 'both' owns it");
    for (uint32_t i = 0; i < 5; ++i)
        assert_int_equal(keel_get(f.world, e(i), Number)->value, numbers[i]);
    KEEL_EACH(f.world, KEEL_READ(Number, n)) {
        (void)n;
        assert_int_equal(keel_swap(f.world, Number, e(0), e(1)), KEEL_ERROR_BORROWED);
        keel_clear_errors(f.world);
    }
    api_end(&f);
    assert_owned_end();
}

static const struct CMUnitTest tests[] = {
    TEST(values_come_in_order, "values come in order"),
    TEST(equal_values_keep_their_order, "equal values keep their order"),
    TEST(sets_of_all_sizes_are_sorted, "sets of all sizes and shapes are sorted"),
    TEST(values_with_hooks_and_tags_are_sorted,
         "values with hooks, large ones and tags are sorted"),
    TEST(shared_entities_come_first_in_the_order_of_the_other,
         "sorting as another: shared entities first, in its order"),
    TEST(a_group_is_sorted_in_all_that_it_owns, "a group is sorted in all that it owns"),
    TEST(a_group_that_owns_nothing_sorts_its_own_list,
         "a group that owns nothing sorts its own list"),
    TEST(what_has_no_order_cannot_be_sorted, "what has no order of its own cannot be sorted"),
    TEST(what_is_borrowed_cannot_be_sorted, "what is borrowed or shared cannot be sorted"),
    TEST(a_comparator_cannot_edit_what_is_sorted, "a comparator cannot edit what is sorted"),
    TEST(a_confused_comparator_loses_nothing, "a comparator that contradicts itself loses nothing"),
    TEST(a_part_is_sorted_by_values_of_any_storage, "a part is sorted, by values of any storage"),
    TEST(a_part_is_sorted_as_another, "a part, or a group, is sorted as another component"),
    TEST(what_is_asked_for_twice_is_refused, "a sort that asks for too much is refused"),
    TEST(two_entities_change_places, "two entities change places"),
    TEST(a_sort_that_finds_no_memory_changes_nothing,
         "a sort that finds no memory changes nothing"),
};

int main(void) { return RUN(tests); }
