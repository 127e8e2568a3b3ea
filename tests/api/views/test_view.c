// SPDX-License-Identifier: MIT
// Views: which entities they visit, in which order, and what they answer about one of them.
#include "support/view_fixture.h"

typedef int16_t Small;
KEEL_COMPONENT(Small);

// u32 on e0 e1 e2 e4, i16 on e0 e2 e3 e4: the world of the seed's own test.
typedef struct basic {
    keel_entity e[5];
} basic;

static basic add_basic(keel_world *world) {
    basic b;
    for (uint32_t i = 0; i < 5; ++i) {
        b.e[i] = keel_add_entity(world);
        if (i != 3) assert_int_equal(keel_add(world, b.e[i], Number, { i }), KEEL_OK);
        if (i != 1) assert_int_equal(keel_add(world, b.e[i], Small, (Small)(10 + i)), KEEL_OK);
    }
    return b;
}

// ------------------------------------------------------------------ which entities
static void one_view_visits_each_value_once(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const basic b = add_basic(f.world);
    ASSERT_VISITS(f.world, KEEL_TERMS(KEEL_READ(Number, n), KEEL_ENTITY(e)), b.e[0], b.e[1], b.e[2],
                  b.e[4]);
    ASSERT_VISITS(f.world, KEEL_TERMS(KEEL_ENTITY(e), KEEL_READ(Small, n)), b.e[0], b.e[2], b.e[3],
                  b.e[4]);
    uint32_t at = 0;
    const uint32_t expected[] = { 0, 1, 2, 4 };
    KEEL_EACH(f.world, KEEL_READ(Number, n))
        assert_int_equal(n->value, expected[at++]);
    assert_int_equal(at, 4);
    api_end(&f);
}

static void several_visit_who_has_all(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const basic b = add_basic(f.world);
    ASSERT_VISITS(f.world, KEEL_TERMS(KEEL_READ(Number, n), KEEL_READ(Small, s), KEEL_ENTITY(e)),
                  b.e[0], b.e[2], b.e[4]);
    ASSERT_VISITS(f.world, KEEL_TERMS(KEEL_READ(Small, s), KEEL_READ(Number, n), KEEL_ENTITY(e)),
                  b.e[0], b.e[2], b.e[4]);
    uint32_t at = 0;
    KEEL_EACH(f.world, KEEL_READ(Small, s), KEEL_READ(Number, n)) {
        assert_int_equal(n->value, at * 2); // (0, 10) (2, 12) (4, 14)
        assert_int_equal(*s, 10 + at * 2);
        ++at;
    }
    assert_int_equal(at, 3);
    api_end(&f);
}

static void terms_may_stand_in_any_order(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_entity e[6];
    for (uint32_t i = 0; i < 6; ++i)
        e[i] = keel_add_entity(f.world, KEEL_INIT(Number, { i }));
    for (uint32_t i = 6; i--;)
        keel_add(f.world, e[i], Other, { i }); // the same set, the other way round
    // equals: the first one named leads, so the order differs and the set does not
    ASSERT_VISITS(f.world, KEEL_TERMS(KEEL_READ(Number, n), KEEL_READ(Other, o), KEEL_ENTITY(x)),
                  e[0], e[1], e[2], e[3], e[4], e[5]);
    ASSERT_VISITS(f.world, KEEL_TERMS(KEEL_READ(Other, o), KEEL_READ(Number, n), KEEL_ENTITY(x)),
                  e[5], e[4], e[3], e[2], e[1], e[0]);
    uint32_t sum = 0;
    KEEL_EACH(f.world, KEEL_READ(Other, o), KEEL_READ(Number, n)) {
        assert_int_equal(o->value, n->value); // never the value of another entity
        sum += n->value;
    }
    assert_int_equal(sum, 15);
    api_end(&f);
}

static void filters_skip_entities(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const basic b = add_basic(f.world);
    ASSERT_VISITS(f.world, KEEL_TERMS(KEEL_READ(Number, n), KEEL_WITHOUT(Small), KEEL_ENTITY(e)),
                  b.e[1]);
    ASSERT_VISITS(f.world, KEEL_TERMS(KEEL_WITHOUT(Number), KEEL_READ(Small, s), KEEL_ENTITY(e)),
                  b.e[3]);
    ASSERT_VISITS(f.world, KEEL_TERMS(KEEL_WITHOUT(Health), KEEL_WITH(Number), KEEL_ENTITY(e)),
                  b.e[0], b.e[1], b.e[2], b.e[4]);
    ASSERT_VISITS_NONE(f.world,
                       KEEL_TERMS(KEEL_WITH(Number), KEEL_WITHOUT(Number), KEEL_ENTITY(e)));
    keel_view view =
        open_view(f.world, KEEL_TERMS(KEEL_WITHOUT(Small), KEEL_ENTITY(e), KEEL_READ(Number, n)));
    keel_span span;
    assert_int_equal(keel_view_get_all(&view, b.e[1], &span), KEEL_OK);
    assert_null(keel_span_read(&span, Small)); // nothing is handed out for it
    keel_view_end(&view);
    api_end(&f);
}

static void empty_storages_match_nothing(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const basic b = add_basic(f.world);
    ASSERT_VISITS_NONE(f.world, KEEL_TERMS(KEEL_READ(Health, h), KEEL_ENTITY(e)));
    ASSERT_VISITS_NONE(f.world,
                       KEEL_TERMS(KEEL_READ(Number, n), KEEL_READ(Health, h), KEEL_ENTITY(e)));
    ASSERT_VISITS_NONE(f.world, KEEL_TERMS(KEEL_ANY_OF(Health, Frozen), KEEL_ENTITY(e)));
    ASSERT_VISITS(f.world,
                  KEEL_TERMS(KEEL_READ(Small, s), KEEL_OPTIONAL_READ(Health, h), KEEL_ENTITY(e)),
                  b.e[0], b.e[2], b.e[3], b.e[4]);
    keel_clear(f.world, Number);
    ASSERT_VISITS_NONE(f.world, KEEL_TERMS(KEEL_READ(Number, n), KEEL_ENTITY(e)));
    api_end(&f);
}

// 100 entities with only the third component are skipped, as in the seed's test of `or`.
static void any_of_needs_one_of_several(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    for (uint32_t i = 0; i < 100; ++i)
        keel_add_entity(f.world, KEEL_INIT(Third, { i }));
    const keel_entity one =
        keel_add_entity(f.world, KEEL_INIT(Number, { 4 }), KEEL_INIT(Third, { 24 }));
    const keel_entity two =
        keel_add_entity(f.world, KEEL_INIT(Small, (Small)15), KEEL_INIT(Third, { 25 }));
    const keel_term *terms =
        KEEL_TERMS(KEEL_ANY_OF(Number, Small), KEEL_READ(Third, t), KEEL_ENTITY(e));
    ASSERT_VISITS(f.world, terms, one, two);
    const keel_entity both = keel_add_entity(f.world, KEEL_INIT(Number), KEEL_INIT(Small));
    ASSERT_VISITS(f.world, terms, one, two);
    ASSERT_VISITS(f.world, KEEL_TERMS(KEEL_ANY_OF(Number, Small), KEEL_ENTITY(e)), one, two, both);
    ASSERT_VISITS(
        f.world, KEEL_TERMS(KEEL_ANY_OF(Number, Small), KEEL_WITHOUT(Third), KEEL_ENTITY(e)), both);
    api_end(&f);
}

static void views_of_handles_visit_the_living_by_index(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const basic b = add_basic(f.world);
    keel_delete_entity(f.world, b.e[1]);
    keel_delete_entity(f.world, b.e[4]);
    const keel_entity again = keel_add_entity(f.world); // index 4, younger
    ASSERT_VISITS(f.world, KEEL_TERMS(KEEL_ENTITY(e)), b.e[0], b.e[2], b.e[3], again);
    ASSERT_VISITS(f.world, KEEL_TERMS(KEEL_WITHOUT(Number), KEEL_ENTITY(e)), b.e[3], again);
    ASSERT_VISITS(f.world, KEEL_TERMS(KEEL_OPTIONAL_READ(Number, n), KEEL_ENTITY(e)), b.e[0],
                  b.e[2], b.e[3], again);
    api_end(&f);
}

// ------------------------------------------------------------------ order
static void a_single_view_walks_the_packed_array(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const basic b = add_basic(f.world);
    keel_remove(f.world, b.e[0], Number); // the last one moves to its place
    ASSERT_VISITS(f.world, KEEL_TERMS(KEEL_READ(Number, n), KEEL_ENTITY(e)), b.e[4], b.e[1],
                  b.e[2]);
    const size_t calls = f.memory.calls; // a view was open before: the next one is free
    keel_view view = open_view(f.world, KEEL_TERMS(KEEL_READ(Number, n)));
    keel_iterator walk;
    keel_span span;
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
    assert_true(keel_iterator_next_span(&walk, &span));
    assert_int_equal(span.count, 3); // the array itself, not copies
    assert_ptr_equal(keel_span_read(&span, Number), keel_get(f.world, b.e[4], Number));
    assert_ptr_equal(keel_span_read(&span, Number) + 2, keel_get(f.world, b.e[2], Number));
    assert_false(keel_iterator_next_span(&walk, &span));
    keel_view_end(&view);
    assert_int_equal(f.memory.calls, calls);
    api_end(&f);
}

// The seed's pools: 4 positions, 3 velocities.
static void the_smallest_storage_leads(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_entity e[8];
    for (uint32_t i = 0; i < 8; ++i)
        e[i] = keel_add_entity(f.world);
    const uint32_t positions[] = { 4, 0, 2, 7 }, velocities[] = { 2, 5, 4 };
    for (uint32_t i = 0; i < 4; ++i)
        keel_add(f.world, e[positions[i]], Position, { 1, 1 });
    for (uint32_t i = 0; i < 3; ++i)
        keel_add(f.world, e[velocities[i]], Velocity, { 1, 1 });
    const keel_term *terms[] = {
        KEEL_TERMS(KEEL_READ(Position, p), KEEL_READ(Velocity, v), KEEL_ENTITY(x)),
        KEEL_TERMS(KEEL_READ(Velocity, v), KEEL_READ(Position, p), KEEL_ENTITY(x)),
        KEEL_TERMS(KEEL_ENTITY(x), KEEL_WITH(Position), KEEL_WITH(Velocity)),
    };
    for (uint32_t i = 0; i < 3; ++i)
        ASSERT_VISITS(f.world, terms[i], e[2], e[4]); // order of velocities, not 4 2
    keel_remove(f.world, e[0], Position);
    keel_remove(f.world, e[7], Position); // now positions are fewer: 4 2
    for (uint32_t i = 0; i < 3; ++i)
        ASSERT_VISITS(f.world, terms[i], e[4], e[2]);
    api_end(&f);
}

static void excluded_and_optional_storages_never_lead(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_entity e[6];
    for (uint32_t i = 0; i < 6; ++i)
        e[i] = keel_add_entity(f.world);
    for (uint32_t i = 6; i--;)
        keel_add(f.world, e[i], Number, { i }); // 5 4 3 2 1 0
    keel_add(f.world, e[2], Other, { 2 });
    keel_add(f.world, e[4], Other, { 4 });
    ASSERT_VISITS(f.world, KEEL_TERMS(KEEL_WITHOUT(Other), KEEL_READ(Number, n), KEEL_ENTITY(x)),
                  e[5], e[3], e[1], e[0]);
    ASSERT_VISITS(f.world,
                  KEEL_TERMS(KEEL_OPTIONAL_READ(Other, o), KEEL_READ(Number, n), KEEL_ENTITY(x)),
                  e[5], e[4], e[3], e[2], e[1], e[0]);
    ASSERT_VISITS(f.world,
                  KEEL_TERMS(KEEL_ANY_OF(Other, Health), KEEL_READ(Number, n), KEEL_ENTITY(x)),
                  e[4], e[2]); // the order of numbers; of others it would be 2 4
    api_end(&f);
}

// ------------------------------------------------------------------ values
static void each_yields_the_entity_and_its_values(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_entity e[3];
    for (uint32_t i = 0; i < 3; ++i)
        e[i] = keel_add_entity(f.world, KEEL_INIT(Number, { i }));
    for (uint32_t i = 3; i--;)
        keel_add(f.world, e[i], Other, { i + 100 });
    uint32_t visits = 0;
    KEEL_EACH(f.world, KEEL_ENTITY(x), KEEL_READ(Number, n), KEEL_READ(Other, o)) {
        assert_ptr_equal(n, keel_get(f.world, x, Number));
        assert_ptr_equal(o, keel_get(f.world, x, Other));
        assert_same_entity(x, e[n->value]);
        ++visits;
    }
    assert_int_equal(visits, 3);
    api_end(&f);
}

static void written_values_are_seen_afterwards(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_entity e[50];
    for (uint32_t i = 0; i < 50; ++i) {
        e[i] = keel_add_entity(f.world, KEEL_INIT(Position, { (float)i, 0 }));
        if (i % 3 == 0) keel_add(f.world, e[i], Velocity, { 1000, 1 });
    }
    KEEL_EACH(f.world, KEEL_WRITE(Position, p), KEEL_READ(Velocity, v))
        p->x += v->x;
    for (uint32_t i = 0; i < 50; ++i)
        assert_true(keel_get(f.world, e[i], Position)->x ==
                    (float)i + (i % 3 == 0 ? 1000.0f : 0.0f));
    api_end(&f);
}

static void optional_values_may_be_absent(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const basic b = add_basic(f.world);
    uint32_t with = 0, visits = 0;
    KEEL_EACH(f.world, KEEL_READ(Number, n), KEEL_OPTIONAL_WRITE(Small, s), KEEL_ENTITY(e)) {
        ++visits;
        assert_int_equal(s == NULL, n->value == 1);
        assert_ptr_equal(s, keel_get(f.world, e, Small));
        if (s) *s = 7, ++with;
    }
    assert_int_equal(visits, 4);
    assert_int_equal(with, 3);
    assert_int_equal(*keel_get(f.world, b.e[0], Small), 7);
    assert_int_equal(*keel_get(f.world, b.e[3], Small), 13);
    api_end(&f);
}

KEEL_SYSTEM(add_by_system, KEEL_WRITE(Number, n), KEEL_READ(Other, o)) { n->value += o->value; }

static uint64_t checksum(keel_world *world) {
    uint64_t sum = 0;
    KEEL_EACH(world, KEEL_READ(Number, n), KEEL_ENTITY(e))
        sum = sum * 31 + n->value * (keel_entity_index(e) + 1u);
    return sum;
}

static void add_by_chunks(keel_world *world) {
    keel_view view = open_view(world, KEEL_TERMS(KEEL_WRITE(Number, n), KEEL_READ(Other, o)));
    keel_iterator walk;
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
    for (const keel_chunk *c; (c = keel_iterator_next(&walk)) != NULL;)
        for (uint32_t i = 0; i < c->count; ++i) {
            if (!chunk_has(c, i)) continue;
            Number *n = (Number *)(uintptr_t)chunk_value(c, 0, i, sizeof *n);
            n->value += ((const Other *)chunk_value(c, 1, i, sizeof(Other)))->value;
        }
    keel_view_end(&view);
}

static void add_by_spans(keel_world *world) {
    KEEL_EACH_SPAN(world, KEEL_SPAN_COUNT(count), KEEL_WRITE(Number, n), KEEL_READ(Other, o))
        for (uint32_t i = 0; i < count; ++i)
            n[i].value += o[i].value;
}

static uint64_t sum_in_a_new_world(uint32_t way) {
    api_fixture f;
    api_begin(&f);
    for (uint32_t i = 0; i < 9000; ++i) { // runs, gaps and more than a page
        const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { i }));
        if (i % 7 != 3 || i < 700) keel_add(f.world, e, Other, { i * 5 + 1 });
        if (i % 977 == 0) keel_remove(f.world, e, Number);
    }
    if (way == 0) assert_int_equal(keel_run(f.world, add_by_system), KEEL_OK);
    else if (way == 1) add_by_chunks(f.world);
    else if (way == 2) add_by_spans(f.world);
    else
        KEEL_EACH(f.world, KEEL_WRITE(Number, n), KEEL_READ(Other, o))
            n->value += o->value;
    const uint64_t sum = checksum(f.world);
    api_end(&f);
    return sum;
}

// Here on one thread: every item exactly once, the same result as the plain loop.
static void all_ways_of_walking_visit_the_same(void **state) {
    (void)state;
    const uint64_t plain = sum_in_a_new_world(3);
    for (uint32_t way = 0; way < 3; ++way)
        assert_true(sum_in_a_new_world(way) == plain);
}

// ------------------------------------------------------------------ one entity
static void get_works_on_reading_and_writing_views(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const basic b = add_basic(f.world);
    keel_view view = open_view(f.world, KEEL_TERMS(KEEL_READ(Number, n)));
    assert_int_equal(keel_get(&view, b.e[2], Number)->value, 2);
    assert_true(keel_has(&view, b.e[2], Number));
    assert_null(keel_get_mut(&view, b.e[2], Number)); // reading only
    assert_error(f.world, KEEL_ERROR_ACCESS, "Number");
    assert_null(keel_get(&view, b.e[2], Small)); // not of this view
    assert_error(f.world, KEEL_ERROR_ACCESS, "Small");
    keel_view_end(&view);
    view = open_view(f.world, KEEL_TERMS(KEEL_WRITE(Number, n), KEEL_WITHOUT(Small)));
    assert_int_equal(keel_get(&view, b.e[2], Number)->value, 2); // need not match the filter
    keel_get_mut(&view, b.e[2], Number)->value = 22;
    assert_int_equal(keel_get(f.world, b.e[2], Number)->value, 22);
    assert_true(keel_has(&view, b.e[2], Small)); // named in a filter
    keel_view_end(&view);
    assert_no_error(f.world);
    api_end(&f);
}

static void several_are_got_together(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e =
        keel_add_entity(f.world, KEEL_INIT(Position, { 1, 2 }), KEEL_INIT(Velocity, { 30, 40 }));
    keel_view view =
        open_view(f.world, KEEL_TERMS(KEEL_WRITE(Position, p), KEEL_READ(Velocity, v)));
    keel_span span;
    assert_int_equal(keel_view_get_all(&view, e, &span), KEEL_OK);
    assert_int_equal(span.count, 1);
    assert_null(span.entities); // not asked for
    keel_span_write(&span, Position)->x += keel_span_read(&span, Velocity)->x;
    assert_null(keel_span_write(&span, Velocity)); // reading only
    assert_error(f.world, KEEL_ERROR_ACCESS, "does not write 'Velocity'");
    keel_view_end(&view);
    assert_true(keel_get(f.world, e, Position)->x == 31);
    api_end(&f);
}

static void getting_several_needs_all_of_them(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const basic b = add_basic(f.world);
    keel_view view =
        open_view(f.world, KEEL_TERMS(KEEL_READ(Number, n), KEEL_READ(Small, s), KEEL_ENTITY(x)));
    keel_span span;
    assert_int_equal(keel_view_get_all(&view, b.e[1], &span), KEEL_ABSENT);
    assert_int_equal(keel_view_get_all(&view, b.e[3], &span), KEEL_ABSENT);
    assert_int_equal(keel_view_get_all(&view, keel_null(), &span), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_view_get_all(&view, b.e[4], &span), KEEL_OK);
    assert_same_entity(span.entities[0], b.e[4]);
    assert_int_equal(keel_span_read(&span, Number)->value, 4);
    assert_int_equal(*keel_span_read(&span, Small), 14);
    keel_view_end(&view);
    api_end(&f);
}

// The seed's index access ends the process; Keel hands out NULL (DESIGN: results, not crashes).
static void a_missing_component_is_null_not_the_end(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const basic b = add_basic(f.world);
    keel_view view = open_view(f.world, KEEL_TERMS(KEEL_WRITE(Number, n)));
    assert_null(keel_get(&view, b.e[3], Number));
    assert_null(keel_get_mut(&view, b.e[3], Number));
    assert_non_null(keel_get_mut(&view, b.e[4], Number));
    assert_false(keel_has(&view, b.e[3], Number));
    assert_null(keel_get_mut(&view, keel_null(), Number));
    keel_view_end(&view);
    assert_no_error(f.world);
    api_end(&f);
}

// ------------------------------------------------------------------ cost of opening
static void views_may_be_opened_in_hot_loops(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const basic b = add_basic(f.world);
    size_t calls = 0;
    uint32_t sum = 0;
    KEEL_EACH(f.world, KEEL_READ(Number, n)) {
        for (uint32_t i = 0; i < 1000; ++i) {
            keel_view view = open_view(f.world, KEEL_TERMS(KEEL_WRITE(Small, s)));
            sum += (uint32_t)*keel_get(&view, b.e[2], Small) + n->value;
            keel_view_end(&view);
            if (!calls) calls = f.memory.calls; // the first time may need memory
        }
    }
    assert_int_equal(sum, 1000 * (4 * 12 + 7));
    assert_int_equal(f.memory.calls, calls);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    // proves S-41
    TEST(one_view_visits_each_value_once, "one view visits each value of a storage once"),
    // proves S-42
    TEST(several_visit_who_has_all, "several visit exactly the entities that have all"),
    // proves S-43
    TEST(terms_may_stand_in_any_order, "in any order of terms the same set is visited"),
    // proves S-46
    TEST(filters_skip_entities, "without skips entities and hands nothing out"),
    TEST(empty_storages_match_nothing, "empty storages match nothing"),
    TEST(any_of_needs_one_of_several, "any_of needs one of several components"),
    TEST(views_of_handles_visit_the_living_by_index,
         "a view that nothing leads visits the living by index"),
    // proves E-V1
    TEST(a_single_view_walks_the_packed_array,
         "a view of one component walks its packed array, and opening it is free"),
    // proves S-49 E-V2
    TEST(the_smallest_storage_leads, "the smallest storage leads, in its order"),
    // proves E-V3
    TEST(excluded_and_optional_storages_never_lead,
         "excluded storages are tested per entity and never lead"),
    // proves S-45 E-V4
    TEST(each_yields_the_entity_and_its_values, "a loop yields the entity and its own values"),
    // proves S-44
    TEST(written_values_are_seen_afterwards, "written values are seen afterwards"),
    TEST(optional_values_may_be_absent, "optional values are NULL where they are absent"),
    // proves S-47 S-48
    TEST(all_ways_of_walking_visit_the_same,
         "a system, chunks, spans and the plain loop visit each item once"),
    // proves S-36
    TEST(get_works_on_reading_and_writing_views, "get works on reading and writing views"),
    // proves S-37
    TEST(several_are_got_together, "several components are got together and written"),
    // proves S-39
    TEST(getting_several_needs_all_of_them, "getting several needs all of them"),
    // proves S-40
    TEST(a_missing_component_is_null_not_the_end,
         "a missing component is NULL where the seed would abort"),
    // proves S-111
    TEST(views_may_be_opened_in_hot_loops, "a view may be opened in a hot loop, for free"),
};
int main(void) { return RUN(tests); }
