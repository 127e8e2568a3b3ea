// SPDX-License-Identifier: MIT
// Walks: nested, left early, over several pages; and lists of terms that are refused.
#include "support/view_fixture.h"

static void fill(keel_world *world, keel_entity *e, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        e[i] = keel_add_entity(world, KEEL_INIT(Number, { i }));
}

// ------------------------------------------------------------------ nested walks
static void a_view_is_walked_inside_itself(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_entity e[7];
    fill(f.world, e, 7);
    keel_view view = open_view(f.world, KEEL_TERMS(KEEL_WRITE(Number, n), KEEL_ENTITY(x)));
    keel_iterator outer, inner;
    keel_span a, b;
    uint32_t pairs = 0;
    assert_int_equal(keel_iterator_begin(&outer, &view), KEEL_OK);
    while (keel_iterator_next_span(&outer, &a))
        for (uint32_t i = 0; i < a.count; ++i) {
            assert_int_equal(keel_iterator_begin(&inner, &view), KEEL_OK);
            while (keel_iterator_next_span(&inner, &b))
                for (uint32_t k = 0; k < b.count; ++k) {
                    if (keel_entity_index(b.entities[k]) <= keel_entity_index(a.entities[i]))
                        continue;
                    ++pairs;
                    keel_span_write(&a, Number)[i].value += 100;
                }
        }
    keel_view_end(&view);
    assert_int_equal(pairs, 21);
    for (uint32_t i = 0; i < 7; ++i)
        assert_int_equal(keel_get(f.world, e[i], Number)->value, i + 100 * (6 - i));
    api_end(&f);
}

// Questions inside a walk are walks of their own and do not disturb it.
static void questions_do_not_disturb_a_walk(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_entity e[90];
    fill(f.world, e, 90);
    for (uint32_t i = 0; i < 90; i += 2)
        keel_add(f.world, e[i], Other, { i });
    keel_view view =
        open_view(f.world, KEEL_TERMS(KEEL_READ(Number, n), KEEL_OPTIONAL_READ(Other, o),
                                      KEEL_WITHOUT(Frozen)));
    keel_iterator walk;
    keel_span span;
    uint32_t visits = 0;
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
    while (keel_iterator_next_span(&walk, &span)) {
        keel_span one;
        assert_int_equal(keel_view_count(&view), 90);
        assert_same_entity(keel_view_first(&view), e[0]);
        assert_int_equal(keel_view_get_all(&view, e[89], &one), KEEL_OK);
        assert_null(keel_span_read(&one, Other));
        assert_int_equal(keel_span_read(&span, Number)->value, visits);
        assert_null(span.entities); // not asked for, though `first` needs them
        visits += span.count;
    }
    assert_int_equal(visits, 90);
    keel_view_end(&view);
    api_end(&f);
}

static void loops_of_readers_nest(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_entity e[5];
    fill(f.world, e, 5);
    uint32_t visits = 0, inner = 0;
    KEEL_EACH(f.world, KEEL_READ(Number, a)) {
        ++visits;
        KEEL_EACH(f.world, KEEL_READ(Number, b))
            inner += a->value * b->value;
        KEEL_EACH(f.world, KEEL_WRITE(Number, b))
            inner += b->value + 1000; // is refused
    }
    assert_int_equal(visits, 5);
    assert_int_equal(inner, 100);
    assert_error(f.world, KEEL_ERROR_BORROWED, "Number");
    api_end(&f);
}

// ------------------------------------------------------------------ leaving early
static uint32_t find(keel_world *world, uint32_t value) {
    KEEL_EACH(world, KEEL_WRITE(Number, n), KEEL_ENTITY(e)) {
        if (n->value == value) return keel_entity_index(e);
    }
    return UINT32_MAX;
}

static void a_loop_left_early_gives_all_back(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_entity e[40];
    fill(f.world, e, 40);
    uint32_t visits = 0;
    KEEL_EACH(f.world, KEEL_WRITE(Number, n)) {
        if (n->value % 2) continue; // goes on
        if (++visits == 5) break;
    }
    assert_int_equal(visits, 5);
    assert_int_equal(find(f.world, 17), 17);
    assert_int_equal(find(f.world, 400), UINT32_MAX);
    KEEL_EACH(f.world, KEEL_EDIT(Number, n)) {
        if (n->value == 3) goto out;
    }
out:
    assert_int_equal(keel_add(f.world, e[0], Number, { 1 }), KEEL_OK); // nothing is held
    assert_int_equal(keel_delete_entity(f.world, e[1]), KEEL_OK);
    assert_no_error(f.world);
    api_end(&f);
}

static void an_ended_walk_stays_ended(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_entity e[3];
    fill(f.world, e, 3);
    keel_view view = open_view(f.world, KEEL_TERMS(KEEL_EDIT(Number, n)));
    keel_iterator walk, zeroed = { 0 };
    keel_span span;
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
    keel_iterator copy = walk;
    keel_iterator_end(&walk);
    keel_iterator_end(&walk);
    keel_iterator other;
    assert_int_equal(keel_iterator_begin(&other, &view), KEEL_OK); // has the place of the first
    assert_null(keel_iterator_next(&walk));
    assert_null(keel_iterator_next(&copy));
    assert_false(keel_iterator_next_span(&copy, &span));
    assert_null(keel_iterator_next(&zeroed));
    keel_iterator_end(&copy);
    keel_iterator_end(&zeroed);
    keel_iterator_end(NULL);
    assert_true(keel_iterator_next_span(&other, &span));
    assert_int_equal(span.count, 3);
    keel_view_end(&view); // ends its walks
    assert_false(keel_iterator_next_span(&other, &span));
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_ERROR_ARGUMENT);
    assert_null(keel_iterator_next(&walk));
    assert_int_equal(keel_iterator_begin(NULL, &view), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_remove(f.world, e[0], Number), KEEL_OK);
    api_end(&f);
}

static void a_closed_view_answers_nothing(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_entity e[1], out = handle_at(3, 3);
    fill(f.world, e, 1);
    keel_set_unique(f.world, Time, { 1, 1 });
    keel_view view =
        open_view(f.world, KEEL_TERMS(KEEL_READ(Number, n), KEEL_UNIQUE_WRITE(Time, t)));
    keel_view copy = view;
    keel_span span;
    keel_view_end(&copy); // a copy is the same view
    assert_int_equal(keel_view_count(&view), 0);
    assert_false(keel_view_contains(&view, e[0]));
    assert_true(keel_is_null(keel_view_first(&view)));
    assert_int_equal(keel_view_single(&view, &out), KEEL_ERROR_ARGUMENT);
    assert_null(keel_get(&view, e[0], Number));
    assert_null(keel_get_mut(&view, e[0], Number));
    assert_false(keel_has(&view, e[0], Number));
    assert_int_equal(keel_view_get_all(&view, e[0], &span), KEEL_ERROR_ARGUMENT);
    assert_null(keel_get_unique(&view, Time));
    assert_null(keel_get_unique_mut(&view, Time));
    keel_view_end(&view);
    keel_view_end(NULL);
    api_end(&f);
}

// ------------------------------------------------------------------ many entities
enum { MANY = 3 * 4096 + 5 };

// Runs, single ones and gaps over several pages of entities and of values.
static void walks_cross_pages(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    uint64_t expected = 0, chunks = 0, spans = 0;
    for (uint32_t i = 0; i < MANY; ++i) {
        const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { i }));
        const bool has = (i / 1000) % 2 ? i % 3 == 0 : true; // blocks, then every third
        if (has) keel_add(f.world, e, Other, { i });
        if (has && i % 5) keel_add(f.world, e, Frozen);
        if (has && i % 5) expected += (uint64_t)i * i;
    }
    keel_view view = open_view(
        f.world, KEEL_TERMS(KEEL_READ(Number, n), KEEL_READ(Other, o), KEEL_WITH(Frozen)));
    keel_iterator walk;
    keel_span span;
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
    for (const keel_chunk *c; (c = keel_iterator_next(&walk)) != NULL;)
        for (uint32_t i = 0; i < c->count; ++i)
            if (chunk_has(c, i))
                chunks += (uint64_t)((const Number *)chunk_value(c, 0, i, 4))->value *
                          ((const Other *)chunk_value(c, 1, i, 4))->value;
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
    while (keel_iterator_next_span(&walk, &span))
        for (uint32_t i = 0; i < span.count; ++i)
            spans += (uint64_t)keel_span_read(&span, Number)[i].value *
                     keel_span_read(&span, Other)[i].value;
    keel_view_end(&view);
    assert_true(chunks == expected);
    assert_true(spans == expected);
    api_end(&f);
}

static void optional_values_come_in_spans(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_entity e[300];
    fill(f.world, e, 300);
    for (uint32_t i = 300; i-- > 100;)
        if (i % 4) keel_add(f.world, e[i], Large, { .word = { i } }); // the other way round
    uint32_t visits = 0, with = 0;
    KEEL_EACH_SPAN(f.world, KEEL_SPAN_COUNT(n), KEEL_OPTIONAL_WRITE(Large, l), KEEL_READ(Number, v),
                   KEEL_SPAN_ENTITIES(x))
        for (uint32_t i = 0; i < n; ++i, ++visits) {
            const bool has = v[i].value >= 100 && v[i].value % 4;
            assert_same_entity(x[i], e[v[i].value]);
            assert_int_equal(l != NULL, has);
            if (!l) continue;
            assert_int_equal(l[i].word[0], v[i].value);
            l[i].word[511] = 7;
            ++with;
        }
    assert_int_equal(visits, 300);
    assert_int_equal(with, 150);
    assert_int_equal(keel_get(f.world, e[299], Large)->word[511], 7);
    api_end(&f);
}

// ------------------------------------------------------------------ terms
static void access_alone_visits_the_living(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_entity e[4];
    fill(f.world, e, 4);
    (void)keel_delete_entity(f.world, e[2]);
    (void)keel_set_unique(f.world, Time, { 1, 1 });
    const keel_term *terms[] = {
        KEEL_TERMS(KEEL_MAY_WRITE(Number)), KEEL_TERMS(KEEL_MAY_EDIT_WORLD),
        (const keel_term[]){ { .kind = KEEL_TERM_END } },
        (const keel_term[]){ { .kind = KEEL_TERM_NONE }, { .kind = KEEL_TERM_END } },
        KEEL_TERMS(KEEL_UNIQUE_READ(Time, t))
    };
    for (uint32_t i = 0; i < 5; ++i) {
        keel_view view = open_view(f.world, terms[i]);
        keel_iterator walk;
        keel_span span;
        uint32_t visited = 0;
        assert_int_equal(keel_view_count(&view), 3);
        assert_true(keel_view_contains(&view, e[0]));
        assert_false(keel_view_contains(&view, e[2]));
        assert_same_entity(keel_view_first(&view), e[0]);
        assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
        while (keel_iterator_next_span(&walk, &span))
            visited += span.count;
        assert_int_equal(visited, 3);
        if (i == 0) assert_int_equal(keel_get_mut(&view, e[1], Number)->value, 1);
        // who only has access does not keep others from making entities
        if (i == 0 || i == 4) {
            const keel_entity more = keel_add_entity(f.world);
            assert_int_equal(keel_delete_entity(f.world, more), KEEL_OK);
        }
        keel_view_end(&view);
    }
    api_end(&f);
}

static void writing_twice_in_one_view_is_refused(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_set_unique(f.world, Time, { 1, 1 });
    const keel_term *aliases[] = {
        KEEL_TERMS(KEEL_READ(Number, a), KEEL_WRITE(Number, b)),
        KEEL_TERMS(KEEL_WRITE(Number, a), KEEL_WRITE(Number, b)),
        KEEL_TERMS(KEEL_OPTIONAL_WRITE(Number, a), KEEL_READ(Other, o),
                   KEEL_OPTIONAL_READ(Number, b)),
        KEEL_TERMS(KEEL_WRITE(Number, a), KEEL_MAY_READ(Other, Number)),
        KEEL_TERMS(KEEL_READ(Number, a), KEEL_MAY_EDIT(Third, Number)),
    };
    for (uint32_t i = 0; i < 5; ++i)
        assert_no_view(f.world, aliases[i], KEEL_ERROR_ARGUMENT, "Number");
    const keel_term *fine[] = {
        KEEL_TERMS(KEEL_READ(Number, a), KEEL_READ(Number, b), KEEL_MAY_READ(Number)),
        KEEL_TERMS(KEEL_WITH(Number), KEEL_MAY_WRITE(Number)),
        KEEL_TERMS(KEEL_WRITE(Number, a), KEEL_WITHOUT(Number)),
        KEEL_TERMS(KEEL_MAY_READ(Number), KEEL_MAY_EDIT(Number)),
    };
    for (uint32_t i = 0; i < 4; ++i) {
        keel_view view = open_view(f.world, fine[i]);
        keel_view_end(&view);
    }
    api_end(&f);
}

static void broken_lists_of_terms_are_refused(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_term many[18];
    for (uint32_t i = 0; i < 17; ++i)
        many[i] = (keel_term){ .kind = KEEL_TERM_READ, .component = KEEL_OF(Number) };
    many[17] = (keel_term){ .kind = KEEL_TERM_END };
    assert_no_view(f.world, many, KEEL_ERROR_ARGUMENT, "16");
    keel_view view = open_view(f.world, many + 1);
    keel_view_end(&view);
    const keel_component *const nine[] = { KEEL_OF(Number), KEEL_OF(Number), KEEL_OF(Number),
                                           KEEL_OF(Number), KEEL_OF(Number), KEEL_OF(Number),
                                           KEEL_OF(Number), KEEL_OF(Number), NULL };
    const keel_term broken[] = {
        { .kind = KEEL_TERM_ANY_OF, .component = KEEL_OF(Other), .others = nine },
        { .kind = KEEL_TERM_READ, .component = KEEL_OF(Other), .others = nine + 7 },
        { .kind = KEEL_TERM_WITHOUT, .component = KEEL_OF(Other), .others = nine + 7 },
        { .kind = KEEL_TERM_READ },
        { .kind = KEEL_TERM_UNIQUE_READ },
        { .kind = KEEL_TERM_COMMANDS },
        { .kind = KEEL_TERM_CONTEXT },
        { .kind = KEEL_TERM_DATA, .data_size = 4 },
        { .kind = (keel_term_kind)(KEEL_TERM_DATA + 1) },
        { .kind = KEEL_TERM_WRITE, .component = KEEL_OF(keel_child) },
        { .kind = KEEL_TERM_MAY_EDIT, .component = KEEL_OF(keel_child) },
    };
    for (uint32_t i = 0; i < sizeof broken / sizeof *broken; ++i) {
        const keel_term terms[] = { broken[i], { .kind = KEEL_TERM_END } };
        assert_no_view(f.world, terms, KEEL_ERROR_ARGUMENT, NULL);
    }
    assert_int_equal(keel_set_unique(f.world, Time, { 0, 0 }), KEEL_OK); // nothing is held
    assert_int_equal(keel_clear(f.world, Number), KEEL_ABSENT);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(a_view_is_walked_inside_itself, "a view is walked inside itself, for pairs"),
    TEST(questions_do_not_disturb_a_walk, "questions do not disturb a walk"),
    // proves S-3 S-5
    TEST(loops_of_readers_nest, "loops that read nest, a loop that writes does nothing"),
    TEST(a_loop_left_early_gives_all_back, "a loop left early gives everything back"),
    TEST(an_ended_walk_stays_ended, "an ended walk stays ended"),
    TEST(a_closed_view_answers_nothing, "a closed view answers nothing"),
    // proves S-42
    TEST(walks_cross_pages, "walks cross pages, runs and gaps"),
    TEST(optional_values_come_in_spans, "optional values are whole spans, or NULL"),
    TEST(access_alone_visits_the_living,
         "terms of access or uniques alone, or none at all, visit the living"),
    TEST(writing_twice_in_one_view_is_refused, "two ways to one written value are refused"),
    TEST(broken_lists_of_terms_are_refused, "broken lists of terms are refused"),
};
int main(void) { return RUN(tests); }
