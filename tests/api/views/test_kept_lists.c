// SPDX-License-Identifier: MIT
// A system that runs again visits what a view that is opened anew visits, value by value and in the
// same order, whatever happened to the world between its runs, in components of all storages.
#include "support/api_types.h"

enum { COUNT = 300, ROUNDS = 500, SEEN = 4096 };

#define VALUE(Name, kind)                                                                          \
    typedef struct Name {                                                                          \
        uint64_t value;                                                                            \
    } Name;                                                                                        \
    KEEL_COMPONENT(Name, .storage = kind)
VALUE(SetA, KEEL_SPARSE_SET);
VALUE(SetB, KEEL_SPARSE_SET);
VALUE(IndexA, KEEL_INDEXED);
VALUE(IndexB, KEEL_INDEXED);
VALUE(RowA, KEEL_ARCHETYPE);
VALUE(RowB, KEEL_ARCHETYPE);
typedef struct Tag {
    uint32_t value;
} Tag;
KEEL_COMPONENT(Tag);
typedef struct Never {
    char unused;
} Never;
KEEL_COMPONENT(Never);

// Where the values of an entity are, and whose they are.
typedef struct sight {
    const void *first, *second;
    keel_entity_bits entity;
} sight;
static sight seen[SEEN], expected[SEEN];
static uint32_t seen_count, expected_count;

static void see(sight *list, uint32_t *count, const void *first, const void *second,
                keel_entity e) {
    assert_true(*count < SEEN);
    list[(*count)++] = (sight){ first, second, e.bits };
}
#define SEE(a, b, e) see(seen, &seen_count, a, b, e)

// Each as a system, and as a loop over a view that is opened for it.
#define BOTH(name, First, Second, ...)                                                             \
    KEEL_SYSTEM(name, KEEL_READ(First, a), KEEL_WRITE(Second, b), KEEL_ENTITY(e), __VA_ARGS__) {   \
        SEE(a, b, e);                                                                              \
        ++b->value;                                                                                \
    }                                                                                              \
    KEEL_SYSTEM_SPAN(name##_spans, KEEL_SPAN_COUNT(n), KEEL_READ(First, a), KEEL_WRITE(Second, b), \
                     __VA_ARGS__) {                                                                \
        for (uint32_t i = 0; i < n; ++i)                                                           \
            SEE(a + i, b + i, keel_null());                                                        \
    }                                                                                              \
    static void expect_##name(keel_world *world) {                                                 \
        KEEL_EACH(world, KEEL_READ(First, a), KEEL_WRITE(Second, b), KEEL_ENTITY(e), __VA_ARGS__)  \
            see(expected, &expected_count, a, b, e);                                               \
    }
BOTH(sets, SetA, SetB, KEEL_WITHOUT(Never))
BOTH(set_and_index, SetA, IndexA, KEEL_WITHOUT(Never))
BOTH(set_and_row, RowA, SetB, KEEL_WITHOUT(Tag))
BOTH(index_and_row, IndexA, RowA, KEEL_WITHOUT(Never))
BOTH(rows, RowA, RowB, KEEL_WITHOUT(SetA))
BOTH(tagged, IndexB, RowB, KEEL_ANY_OF(Tag, IndexA))
BOTH(three, SetA, RowA, KEEL_WITH(IndexB))

static const struct {
    const keel_system *system, *spans;
    void (*expect)(keel_world *world);
} walks[] = {
    { &KEEL_SYSTEM_sets, &KEEL_SYSTEM_sets_spans, expect_sets },
    { &KEEL_SYSTEM_set_and_index, &KEEL_SYSTEM_set_and_index_spans, expect_set_and_index },
    { &KEEL_SYSTEM_set_and_row, &KEEL_SYSTEM_set_and_row_spans, expect_set_and_row },
    { &KEEL_SYSTEM_index_and_row, &KEEL_SYSTEM_index_and_row_spans, expect_index_and_row },
    { &KEEL_SYSTEM_rows, &KEEL_SYSTEM_rows_spans, expect_rows },
    { &KEEL_SYSTEM_tagged, &KEEL_SYSTEM_tagged_spans, expect_tagged },
    { &KEEL_SYSTEM_three, &KEEL_SYSTEM_three_spans, expect_three }
};

static void assert_seen(bool with_entities) {
    assert_int_equal(seen_count, expected_count);
    for (uint32_t i = 0; i < seen_count; ++i) {
        assert_ptr_equal(seen[i].first, expected[i].first);
        assert_ptr_equal(seen[i].second, expected[i].second);
        if (with_entities) assert_true(seen[i].entity == expected[i].entity);
    }
}

static void run_all(keel_world *world) {
    for (size_t w = 0; w < sizeof walks / sizeof *walks; ++w)
        for (int form = 0; form < 2; ++form) {
            seen_count = expected_count = 0;
            walks[w].expect(world);
            const keel_system *system = form ? walks[w].spans : walks[w].system;
            assert_int_equal(keel_run_system(world, system, NULL), KEEL_OK);
            assert_seen(!form);
        }
}

static uint32_t random_state;
static uint32_t random_below(uint32_t end) {
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % end;
}

static int by_value(const void *a, const void *b, void *data) {
    (void)data;
    const uint64_t x = ((const SetA *)a)->value, y = ((const SetA *)b)->value;
    return x < y ? -1 : x > y;
}

#define TOGGLE(T)                                                                                  \
    if (keel_has(world, e, T)) (void)keel_delete(world, e, T);                                     \
    else (void)keel_add(world, e, T, { random_below(1000) })

static void toggle(keel_world *world, keel_entity e, uint32_t which) {
    switch (which) {
    case 0:
        TOGGLE(SetA);
        break;
    case 1:
        TOGGLE(SetB);
        break;
    case 2:
        TOGGLE(IndexA);
        break;
    case 3:
        TOGGLE(IndexB);
        break;
    case 4:
        TOGGLE(RowA);
        break;
    case 5:
        TOGGLE(RowB);
        break;
    default:
        TOGGLE(Tag);
    }
}

static keel_entity add_one(keel_world *world) {
    const keel_entity e = keel_add_entity(world);
    for (uint32_t which = 0; which < 7; ++which)
        if (random_below(8)) toggle(world, e, which);
    return e;
}

// One edit, of a sort that may leave counts as they are.
static void edit(keel_world *world, keel_entity *e) {
    keel_entity *one = &e[random_below(COUNT)], *other = &e[random_below(COUNT)];
    const uint32_t which = random_below(7);
    switch (random_below(8)) {
    case 0:
        (void)keel_delete_entity(world, *one);
        *one = add_one(world);
        break;
    case 1:
        toggle(world, *one, which);
        toggle(world, *one, which);
        break;
    case 2:
        toggle(world, *one, which);
        toggle(world, *other, which);
        break;
    case 3:
        (void)keel_sort(world, SetA, by_value, NULL);
        break;
    case 4:
        (void)keel_disable(world, *one, IndexA);
        break;
    case 5:
        (void)keel_enable(world, *one, IndexA);
        break;
    case 6:
        (void)keel_world_trim(world);
        break;
    default:
        (void)keel_reserve(world, SetB, COUNT + random_below(3000));
    }
}

static void again_is_as_if_anew(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    static keel_entity e[COUNT];
    random_state = 2026;
    for (uint32_t i = 0; i < COUNT; ++i)
        e[i] = add_one(f.world);
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        for (uint32_t i = random_below(3); i; --i)
            edit(f.world, e);
        for (uint32_t again = random_below(5); again; --again)
            run_all(f.world);
    }
    (void)keel_clear_entities(f.world);
    run_all(f.world);
    for (uint32_t i = 0; i < COUNT; ++i)
        e[i] = add_one(f.world);
    for (uint32_t again = 0; again < 3; ++again)
        run_all(f.world);
    api_end(&f);
}

static bool is_enough;
KEEL_SYSTEM(add_up, KEEL_READ(SetA, a), KEEL_READ(RowA, r), KEEL_CONTEXT(context)) {
    seen_count += r != NULL;
    if (is_enough && a->value == 5) keel_fail(context, NULL, "enough");
}

static void left_early(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    for (uint64_t i = 0; i < 3000; ++i) {
        const keel_entity e = keel_add_entity(f.world, KEEL_INIT(SetA, { i == 1501 ? 5 : 1 }));
        if (i % 3) keel_add(f.world, e, RowA, { i });
    }
    for (uint32_t i = 0; i < 12; ++i) {
        is_enough = i % 4 < 2;
        seen_count = 0;
        assert_int_equal(keel_run(f.world, add_up), is_enough ? KEEL_ERROR_SYSTEM : KEEL_OK);
        assert_true(is_enough ? seen_count < 2000 : seen_count == 2000);
    }
    keel_clear_errors(f.world);
    api_end(&f);
}

KEEL_SYSTEM(count_both, KEEL_READ(SetA, a), KEEL_READ(SetB, b)) {
    seen_count += a != NULL && b != NULL;
}

// Lists take a part of the world's memory, which is counted and given back.
static void memory_is_counted_and_given_back(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    static keel_entity e[20000];
    for (uint32_t i = 0; i < 20000; ++i)
        e[i] = keel_add_entity(f.world, KEEL_INIT(SetA, { i }), KEEL_INIT(SetB, { i }));
    for (uint32_t i = 0; i < 20000; i += 5) {
        (void)keel_delete(f.world, e[i], SetA);
        (void)keel_delete(f.world, e[20000 - 1 - i], SetB);
    }
    assert_int_equal(keel_run(f.world, count_both), KEEL_OK);
    const size_t before = keel_world_statistics(f.world).memory.total;
    for (int i = 0; i < 3; ++i) {
        seen_count = 0;
        assert_int_equal(keel_run(f.world, count_both), KEEL_OK);
        assert_int_equal(seen_count, 12000);
    }
    const size_t with = keel_world_statistics(f.world).memory.total;
    assert_true(with > before && with < before + before / 3);
    assert_int_equal(keel_world_trim(f.world), KEEL_OK);
    assert_true(keel_world_statistics(f.world).memory.total < with - (with - before) / 2);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    // proves S-49
    TEST(again_is_as_if_anew, "a system that runs again visits what a new view visits"),
    TEST(left_early, "a loop that ends early keeps nothing"),
    TEST(memory_is_counted_and_given_back, "what systems keep is counted, bounded and given back"),
};

int main(void) { return RUN(tests); }
