// SPDX-License-Identifier: MIT
// Views of every kind of term over every storage, compared with asking each entity.
#include "equivalence/everywhere.h"

#include <stdlib.h>
#include <string.h>

// What terms may be about.
static const keel_component *const small[] = {
    &KEEL_COMPONENT_Number, &KEEL_COMPONENT_Position, &KEEL_COMPONENT_Velocity,
    &KEEL_COMPONENT_Byte,   &KEEL_COMPONENT_Vector,   &KEEL_COMPONENT_Matrix,
    &KEEL_COMPONENT_N1,     &KEEL_COMPONENT_N2,       &KEEL_COMPONENT_N3,
    &KEEL_COMPONENT_N4,     &KEEL_COMPONENT_N5,       &KEEL_COMPONENT_N6,
    &KEEL_COMPONENT_N7,     &KEEL_COMPONENT_N8,       &KEEL_COMPONENT_Half,
    &KEEL_COMPONENT_Line,   &KEEL_COMPONENT_Frozen,   &KEEL_COMPONENT_Dead,
    &KEEL_COMPONENT_Apart,  &KEEL_COMPONENT_Placed,
};
enum { SMALL = sizeof small / sizeof *small };

// ------------------------------------------------------------------ populations
// How many of 100 entities have each component, and where the entities are.
typedef struct population {
    uint32_t entities, percent;
    bool holes, far;
} population;

static void populate(api_fixture *f, population p, uint32_t seed) {
    numbers n = { seed };
    owned_begin();
    api_begin(f);
    keel_entity *e = calloc(p.entities, sizeof *e);
    assert_int_equal(keel_add_entity_columns(f->world, p.entities, e, NULL), KEEL_OK);
    // not in the order of the entities: packed storages are then in another order each
    for (uint32_t k = 0; k < SMALL; ++k)
        for (uint32_t i = 0; i < p.entities; ++i) {
            const uint32_t at = k % 3 == 0   ? i
                                : k % 3 == 1 ? p.entities - 1 - i
                                             : (i * 7919u) % p.entities;
            if (small[k]->size > 64 && at % 50) continue;
            if (next_below(&n, 100) < p.percent && !keel_has_component(f->world, e[at], small[k]))
                give(f->world, e[at], small[k], 1);
        }
    for (uint32_t i = 0; p.holes && i < p.entities; ++i)
        if (next_below(&n, 5) == 0) keel_delete_entity(f->world, e[i]);
    for (uint32_t i = 0; p.far && i < 40; ++i) {
        const keel_entity far = handle_at(4096 * (8 + i * 3) + i * 100, 0);
        assert_int_equal(keel_add_entity_at(f->world, far), KEEL_OK);
        for (uint32_t k = 0; k < SMALL; ++k)
            if (next_below(&n, 100) < 60) give(f->world, far, small[k], 2);
    }
    free(e);
}

// ------------------------------------------------------------------ lists of terms
static const keel_term end_of_list = { .kind = KEEL_TERM_END };

static void look(keel_world *world, keel_term a, keel_term b, keel_term c, keel_term d) {
    const keel_term terms[] = { a, b, c, d, end_of_list };
    assert_view(world, terms);
}

static void look_at_all_kinds(keel_world *world) {
    const keel_term none = { .kind = KEEL_TERM_NONE }, handles = { .kind = KEEL_TERM_ENTITY };
    const keel_component *const others[] = { KEEL_OF(Velocity), KEEL_OF(Frozen), NULL };
    const keel_term any = { .kind = KEEL_TERM_ANY_OF, .component = KEEL_OF(N2), .others = others };
#define OF(k, T) ((keel_term){ .kind = KEEL_TERM_##k, .component = KEEL_OF(T) })
    look(world, handles, none, none, none);
    look(world, OF(READ, Number), none, none, none);
    look(world, OF(WITH, Frozen), none, none, none);
    look(world, OF(WITHOUT, Number), none, none, none);
    look(world, OF(OPTIONAL_READ, Number), none, none, none);
    look(world, OF(OPTIONAL_WRITE, Number), OF(OPTIONAL_READ, Apart), none, none);
    look(world, any, none, none, none);
    look(world, OF(READ, Number), OF(WRITE, Position), none, none);
    look(world, OF(READ, Number), OF(WITHOUT, Position), none, none);
    look(world, OF(READ, Number), OF(OPTIONAL_READ, Position), handles, none);
    look(world, OF(WRITE, Velocity), OF(OPTIONAL_WRITE, Number), OF(WITH, Dead), none);
    look(world, OF(EDIT, Byte), OF(READ, Vector), OF(WITHOUT, Frozen), handles);
    look(world, OF(READ, Matrix), any, none, none);
    look(world, OF(READ, N1), any, OF(WITHOUT, N3), OF(OPTIONAL_READ, Placed));
    look(world, OF(READ, Apart), OF(READ, Number), none, none);
    look(world, OF(WITHOUT, Number), OF(WITHOUT, Frozen), OF(OPTIONAL_READ, Byte), none);
    look(world, any, OF(WITHOUT, Number), OF(WITH, N4), none);
    look(world, OF(READ, Huge), OF(OPTIONAL_READ, Number), none, none); // nobody has one
    look(world, OF(READ, Number), OF(OPTIONAL_READ, Huge), OF(WITHOUT, Huge), none);
#undef OF
}

// 1 to 16 terms over different components.
static void look_at_random(keel_world *world, numbers *n, uint32_t most) {
    static const keel_term_kind kinds[] = {
        KEEL_TERM_READ,          KEEL_TERM_READ,           KEEL_TERM_WRITE, KEEL_TERM_EDIT,
        KEEL_TERM_OPTIONAL_READ, KEEL_TERM_OPTIONAL_WRITE, KEEL_TERM_WITH,  KEEL_TERM_WITHOUT,
    };
    const keel_component *others[4][3];
    keel_term terms[KEEL_MAX_TERMS + 1];
    uint32_t order[SMALL], used = 0, any = 0;
    const uint32_t count = 1 + next_below(n, most);
    for (uint32_t i = 0; i < SMALL; ++i) {
        const uint32_t at = next_below(n, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    for (uint32_t t = 0; t < count; ++t) {
        const keel_component *c = small[order[used++]];
        terms[t] = (keel_term){ .kind = kinds[next_below(n, 8)], .component = c };
        if (!c->size) terms[t].kind = next_below(n, 2) ? KEEL_TERM_WITH : KEEL_TERM_WITHOUT;
        if (any == 2 || used + 2 > SMALL - (count - t) || next_below(n, 6)) continue;
        others[any][0] = small[order[used++]];
        others[any][1] = next_below(n, 2) ? small[order[used]] : NULL;
        used += others[any][1] != NULL;
        others[any][2] = NULL;
        terms[t] = (keel_term){ .kind = KEEL_TERM_ANY_OF, .component = c, .others = others[any++] };
    }
    terms[count] = end_of_list;
    assert_view(world, terms);
}

static void views_agree(population p, uint32_t random_lists) {
    api_fixture f;
    numbers n = { p.entities + p.percent };
    populate(&f, p, p.percent + 1);
    look_at_all_kinds(f.world);
    for (uint32_t i = 0; i < random_lists; ++i)
        look_at_random(f.world, &n, i % 2 ? 4 : KEEL_MAX_TERMS);
    api_end(&f);
    assert_owned_end();
}

static void views_of_nothing(void **state) {
    (void)state;
    views_agree((population){ .entities = 1 }, 10);
    views_agree((population){ .entities = 300 }, 10);
}
static void dense_views(void **state) {
    (void)state;
    views_agree((population){ .entities = 700, .percent = 100 }, 40);
    views_agree((population){ .entities = 500, .percent = 95, .holes = true }, 40);
}
static void half_views(void **state) {
    (void)state;
    views_agree((population){ .entities = 700, .percent = 50 }, 60);
    views_agree((population){ .entities = 65, .percent = 50, .holes = true }, 60);
}
static void sparse_views(void **state) {
    (void)state;
    views_agree((population){ .entities = 900, .percent = 10 }, 40);
    views_agree((population){ .entities = 1500, .percent = 1 }, 20);
}
static void far_views(void **state) {
    (void)state;
    views_agree((population){ .entities = 100, .percent = 60, .far = true }, 40);
}

// Windows of 4,096 and pages are crossed.
static void large_views(void **state) {
    (void)state;
    enum { COUNT = 4096 * 3 + 700 };
    api_fixture f;
    numbers n = { 4 };
    keel_entity *e = calloc(COUNT, sizeof *e);
    api_begin(&f);
    assert_int_equal(keel_add_entity_columns(f.world, COUNT, e, NULL), KEEL_OK);
    for (uint32_t i = 0; i < COUNT; ++i) {
        keel_add(f.world, e[i], Number, { i });
        if (i % 2) keel_add(f.world, e[i], Position, { (float)i, 0 });
        if (next_below(&n, 2)) keel_add(f.world, e[i], Velocity, { 0, (float)i });
        if (i / 500 % 2) keel_add(f.world, e[i], Byte, { 1 }); // long runs
        if (i % 97 == 0) keel_add(f.world, e[i], Frozen);
    }
    for (uint32_t i = 4000; i < 4200; ++i)
        keel_delete_entity(f.world, e[i]);
    for (uint32_t i = 0; i < COUNT; i += 13)
        keel_delete_entity(f.world, e[i]);
#define OF(k, T) ((keel_term){ .kind = KEEL_TERM_##k, .component = KEEL_OF(T) })
    const keel_term none = { .kind = KEEL_TERM_NONE };
    look(f.world, OF(READ, Number), none, none, none);
    look(f.world, OF(WRITE, Number), OF(READ, Byte), none, none);
    look(f.world, OF(READ, Position), OF(READ, Velocity), none, none);
    look(f.world, OF(READ, Number), OF(OPTIONAL_READ, Byte), OF(WITHOUT, Position), none);
    look(f.world, OF(READ, Number), OF(WITHOUT, Frozen), none, none);
    look(f.world, OF(READ, Number), OF(WITH, Frozen), none, none);
#undef OF
    api_end(&f);
    free(e);
}

// ------------------------------------------------------------------ order
// One kind of storage leads: the order is that of the documentation.
static void order_is_that_of_the_storage(void **state) {
    (void)state;
    enum { COUNT = 200 };
    api_fixture f;
    keel_entity e[COUNT];
    uint32_t count, sorted = 0;
    api_begin(&f);
    keel_add_entity_columns(f.world, COUNT, e, NULL);
    for (uint32_t i = COUNT; i-- > 0;) { // the last entity first
        keel_add(f.world, e[i], Number, { i });
        if (i % 3 == 0) keel_add(f.world, e[i], Byte);
    }
    const keel_term one[] = { { .kind = KEEL_TERM_READ, .component = KEEL_OF(Number) },
                              { .kind = KEEL_TERM_ENTITY },
                              end_of_list };
    const keel_term two[] = { { .kind = KEEL_TERM_READ, .component = KEEL_OF(Number) },
                              { .kind = KEEL_TERM_READ, .component = KEEL_OF(Byte) },
                              { .kind = KEEL_TERM_ENTITY },
                              end_of_list };
    const keel_term all[] = { { .kind = KEEL_TERM_ENTITY }, end_of_list };
    keel_entity *list = visited_by(f.world, one, &count);
    assert_int_equal(count, COUNT);
    for (uint32_t i = 1; i < count; ++i)
        sorted += keel_entity_index(list[i - 1]) < keel_entity_index(list[i]);
    if (all_are(KEEL_SPARSE_SET)) assert_int_equal(sorted, 0); // in order of insertion
    if (all_are(KEEL_INDEXED)) assert_int_equal(sorted, COUNT - 1);
    free(list);
    list = visited_by(f.world, two, &count);
    assert_int_equal(count, (COUNT + 2) / 3);
    for (uint32_t i = 1; i < count; ++i) {
        if (all_are(KEEL_SPARSE_SET))
            assert_true(keel_entity_index(list[i - 1]) > keel_entity_index(list[i]));
        if (all_are(KEEL_INDEXED))
            assert_true(keel_entity_index(list[i - 1]) < keel_entity_index(list[i]));
    }
    free(list);
    list = visited_by(f.world, all, &count);
    assert_int_equal(count, COUNT);
    for (uint32_t i = 0; i < count; ++i)
        assert_same_entity(list[i], e[i]);
    free(list);
    api_end(&f);
}

// The same edits, the same order: twice the same.
static void order_depends_on_edits_only(void **state) {
    (void)state;
    keel_entity *lists[2];
    uint32_t counts[2];
    const keel_term terms[] = { { .kind = KEEL_TERM_READ, .component = KEEL_OF(Number) },
                                { .kind = KEEL_TERM_READ, .component = KEEL_OF(Position) },
                                { .kind = KEEL_TERM_WITHOUT, .component = KEEL_OF(N5) },
                                { .kind = KEEL_TERM_ENTITY },
                                end_of_list };
    for (uint32_t i = 0; i < 2; ++i) {
        api_fixture f;
        populate(&f, (population){ .entities = 600, .percent = 40, .holes = true }, 9);
        lists[i] = visited_by(f.world, terms, &counts[i]);
        api_end(&f);
        assert_owned_end();
    }
    assert_int_equal(counts[0], counts[1]);
    assert_memory_equal(lists[0], lists[1], counts[0] * sizeof(keel_entity));
    free(lists[0]);
    free(lists[1]);
}

// ------------------------------------------------------------------ one view twice at a time
static void a_view_can_be_walked_inside_itself(void **state) {
    (void)state;
    api_fixture f;
    keel_view view;
    keel_iterator outer, inner;
    keel_span a, b;
    uint64_t pairs = 0;
    populate(&f, (population){ .entities = 150, .percent = 60 }, 2);
    const keel_term terms[] = { { .kind = KEEL_TERM_WRITE, .component = KEEL_OF(Number) },
                                { .kind = KEEL_TERM_READ, .component = KEEL_OF(N1) },
                                end_of_list };
    assert_int_equal(keel_view_begin(&view, f.world, terms, "pairs"), KEEL_OK);
    const uint64_t count = keel_view_count(&view);
    assert_int_equal(keel_iterator_begin(&outer, &view), KEEL_OK);
    while (keel_iterator_next_span(&outer, &a)) {
        assert_int_equal(keel_iterator_begin(&inner, &view), KEEL_OK);
        while (keel_iterator_next_span(&inner, &b))
            pairs += (uint64_t)a.count * b.count;
    }
    assert_int_equal(pairs, count * count);
    keel_view_end(&view);
    api_end(&f);
    assert_owned_end();
}

// A view that is open follows what is edited through it.
static void views_see_edits_through_them(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[90];
    keel_view view;
    api_begin(&f);
    keel_add_entity_columns(f.world, 90, e, NULL);
    const keel_term terms[] = { { .kind = KEEL_TERM_EDIT, .component = KEEL_OF(Number) },
                                { .kind = KEEL_TERM_WITHOUT, .component = KEEL_OF(Frozen) },
                                { .kind = KEEL_TERM_MAY_EDIT, .component = KEEL_OF(Frozen) },
                                end_of_list };
    assert_int_equal(keel_view_begin(&view, f.world, terms, "an editor"), KEEL_OK);
    for (uint32_t i = 0; i < 90; ++i) {
        assert_int_equal(keel_view_count(&view), i);
        assert_int_equal(keel_add(&view, e[i], Number, { i }), KEEL_OK);
        assert_int_equal(keel_add(f.world, e[i], Number), KEEL_ERROR_BORROWED);
    }
    for (uint32_t i = 0; i < 90; i += 2)
        assert_int_equal(keel_add(&view, e[i], Frozen), KEEL_OK);
    assert_int_equal(keel_view_count(&view), 45);
    for (uint32_t i = 0; i < 90; i += 3)
        assert_int_equal(keel_remove(&view, e[i], Number), KEEL_OK);
    assert_int_equal(keel_view_count(&view), 30);
    keel_view_end(&view);
    keel_clear_errors(f.world);
    assert_view(f.world, terms);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(views_of_nothing, "views of nothing"),
    TEST(dense_views, "all, and nearly all, have each component"),
    TEST(half_views, "a random half has each component"),
    TEST(sparse_views, "a tenth and a hundredth have each component"),
    TEST(far_views, "entities far away"),
    TEST(large_views, "windows and pages are crossed"),
    TEST(order_is_that_of_the_storage, "the order is that of the storage that leads"),
    TEST(order_depends_on_edits_only, "the order depends on the edits only"),
    TEST(a_view_can_be_walked_inside_itself, "a view can be walked inside itself"),
    TEST(views_see_edits_through_them, "a view sees edits through it"),
};

EVERYWHERE(tests)
