// SPDX-License-Identifier: MIT
// Views that a group leads: what they visit, in which order and form, and when something else
// leads.
#include "support/group_fixture.h"

#include <string.h>

static keel_term term_of(keel_term_kind kind, const keel_component *c) {
    return (keel_term){ .kind = kind, .component = c };
}

// What the view of these terms would do contains `part`.
static void assert_explained(api_fixture *f, const keel_term *terms, const char *part) {
    char text[800];
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f->world, terms, "here"), KEEL_OK);
    assert_true(keel_view_explain(&view, text, sizeof text) < sizeof text);
    keel_view_end(&view);
    if (!strstr(text, part)) fail_msg("no '%s' in:\n%s", part, text);
}

// Entities 0 to count - 1; Number is its index on all, Other on odd ones, the rest as said.
static void begin(api_fixture *f, uint32_t count) {
    api_begin(f);
    assert_int_equal(keel_add_entity_columns(f->world, count, NULL, NULL), KEEL_OK);
    for (uint32_t i = 0; i < count; ++i) {
        const keel_entity e = handle_at(i, 0);
        assert_int_equal(keel_add(f->world, e, Number, { i }), KEEL_OK);
        if (i % 2) assert_int_equal(keel_add(f->world, e, Other, { i }), KEEL_OK);
        if (i % 3) assert_int_equal(keel_add(f->world, e, Indexed, { i }), KEEL_OK);
        if (i % 5) assert_int_equal(keel_add(f->world, e, Row, { i }), KEEL_OK);
        if (i % 7 == 0) assert_int_equal(keel_add(f->world, e, Frozen), KEEL_OK);
    }
}

// Walk and compare with keel_has; in the order of the group when given. How many spans.
static uint32_t walk(api_fixture *f, const keel_term *terms, const keel_group *group) {
    keel_view view;
    keel_iterator it;
    keel_span span;
    uint32_t visited = 0, spans = 0, matching = 0, position = 0;
    assert_int_equal(keel_view_begin(&view, f->world, terms, "walk"), KEEL_OK);
    assert_int_equal(keel_iterator_begin(&it, &view), KEEL_OK);
    while (keel_iterator_next_span(&it, &span)) {
        ++spans;
        for (uint32_t t = 0; terms[t].kind != KEEL_TERM_END; ++t) {
            const uint32_t *values = keel_span_read_component(&span, terms[t].component);
            for (uint32_t i = 0; values && terms[t].component->size && i < span.count; ++i)
                assert_int_equal(values[i], keel_entity_index(span.entities[i]));
        }
        for (uint32_t i = 0; i < span.count; ++i) {
            assert_true(keel_view_contains(&view, span.entities[i]));
            if (!group) continue;
            while (!keel_is_same(keel_group_entity(f->world, group, position), span.entities[i]))
                ++position; // who was filtered out
        }
        visited += span.count;
    }
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(f->world, e));)
        matching += keel_view_contains(&view, e);
    assert_int_equal(visited, matching);
    keel_view_end(&view);
    return spans;
}

#define TERMS(...)                                                                                 \
    (const keel_term[]) {                                                                          \
        __VA_ARGS__, { .kind = KEEL_TERM_ENTITY }, { .kind = KEEL_TERM_END }                       \
    }
#define READ(T) term_of(KEEL_TERM_READ, KEEL_OF(T))
#define WITHOUT(T) term_of(KEEL_TERM_WITHOUT, KEEL_OF(T))
#define OPTIONAL_READ(T) term_of(KEEL_TERM_OPTIONAL_READ, KEEL_OF(T))

static void a_full_group_is_walked_as_arrays(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    api_fixture f;
    begin(&f, 20000);
    keel_group *g = keel_group_create(f.world, KEEL_OWNED(Number, Other), .name = "both");
    const keel_term *terms = TERMS(READ(Other), READ(Number));
    assert_explained(&f, terms, "leader: group both");
    assert_explained(&f, terms, "touches: 10000");
    assert_explained(&f, terms, "chunks: spans\n");
    assert_int_equal(walk(&f, terms, g), 3); // pages of 4,096 handles
    // no more than the group's prefix is touched: the tail may be anything
    assert_int_equal(keel_group_count(f.world, g), 10000);
    assert_int_equal(keel_count(f.world, Number), 20000);
    api_end(&f);
}

static void a_partial_group_looks_the_rest_up(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 3000);
    keel_group *g = keel_group_create(f.world, KEEL_OWNED(Other), KEEL_GET(Number), .name = "half");
    assert_explained(&f, TERMS(READ(Other), READ(Number)), "group half");
    (void)walk(&f, TERMS(READ(Other), READ(Number)), g);
    assert_int_equal(keel_group_destroy(f.world, g), KEEL_OK);
    g = keel_group_create(f.world, KEEL_OWNED(Other), KEEL_GET(Indexed, Row), .name = "mixed");
    assert_explained(&f, TERMS(READ(Other), READ(Indexed), READ(Row)), "group mixed");
    (void)walk(&f, TERMS(READ(Row), READ(Other), READ(Indexed)), g);
    api_end(&f);
}

// The got set in the order of the group's: both lie side by side.
static void what_is_got_in_the_same_order_makes_spans(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    api_fixture f;
    begin(&f, 3000);
    keel_group *g = keel_group_create(f.world, KEEL_OWNED(Other), KEEL_GET(Number), .name = "half");
    assert_int_equal(keel_sort_as(f.world, Number, Other), KEEL_OK);
    assert_int_equal(walk(&f, TERMS(READ(Other), READ(Number)), g), 1);
    assert_int_equal(keel_group_destroy(f.world, g), KEEL_OK);
    g = keel_group_create(f.world, KEEL_GET(Other, Number), .name = "list");
    assert_explained(&f, TERMS(READ(Other), READ(Number)), "group list");
    assert_int_equal(walk(&f, TERMS(READ(Other), READ(Number)), g), 1);
    api_end(&f);
}

static void further_terms_filter_the_members(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 5000);
    keel_group *g =
        keel_group_create(f.world, KEEL_OWNED(Number, Other), KEEL_EXCLUDE(Frozen), .name = "warm");
    const keel_term *terms = TERMS(READ(Number), READ(Other), WITHOUT(Frozen), READ(Indexed));
    assert_explained(&f, terms, "filter: has Indexed");
    (void)walk(&f, terms, g);
    terms = TERMS(READ(Number), READ(Other), WITHOUT(Frozen), WITHOUT(Row), OPTIONAL_READ(Indexed));
    assert_explained(&f, terms, "leader: group warm");
    assert_explained(&f, terms, "filter: without Row");
    (void)walk(&f, terms, g);
    terms = TERMS(READ(Number), READ(Other), WITHOUT(Frozen), OPTIONAL_READ(Indexed),
                  OPTIONAL_READ(Row));
    (void)walk(&f, terms, g);
    assert_explained(&f, TERMS(READ(Number), READ(Other), WITHOUT(Frozen)), "chunks: spans\n");
    (void)walk(&f, TERMS(READ(Number), READ(Other), WITHOUT(Frozen)), g);
    api_end(&f);
}

static void a_group_leads_only_what_it_covers(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 400);
    keel_group *g = keel_group_create(f.world, KEEL_OWNED(Number, Other), KEEL_EXCLUDE(Frozen));
    assert_explained(&f, TERMS(READ(Number)), "sparse set Number");
    assert_explained(&f, TERMS(READ(Number), READ(Other)), "sparse set Other"); // frozen ones too
    assert_explained(&f, TERMS(READ(Number), WITHOUT(Frozen)), "sparse set Number");
    (void)walk(&f, TERMS(READ(Number), READ(Other)), NULL);
    // something smaller leads
    assert_int_equal(keel_add(f.world, handle_at(1, 0), Third, { 1 }), KEEL_OK);
    assert_explained(&f, TERMS(READ(Number), READ(Other), READ(Third), WITHOUT(Frozen)),
                     "sparse set Third");
    (void)walk(&f, TERMS(READ(Number), READ(Other), READ(Third), WITHOUT(Frozen)), NULL);
    // of two groups the smaller
    keel_group *small = keel_group_create(f.world, KEEL_GET(Number, Other, Row),
                                          KEEL_EXCLUDE(Frozen), .name = "small");
    assert_true(keel_group_count(f.world, small) < keel_group_count(f.world, g));
    assert_explained(&f, TERMS(READ(Number), READ(Other), READ(Row), WITHOUT(Frozen)),
                     "group small");
    (void)walk(&f, TERMS(READ(Number), READ(Other), READ(Row), WITHOUT(Frozen)), small);
    api_end(&f);
}

static void an_empty_group_is_walked_at_once(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 100);
    keel_group *g = keel_group_create(f.world, KEEL_OWNED(Number), KEEL_GET(Third));
    assert_explained(&f, TERMS(READ(Number), READ(Third)), "touches: 0");
    assert_int_equal(walk(&f, TERMS(READ(Number), READ(Third)), g), 0);
    api_end(&f);
}

// Values of their own pages, tags, and no handles asked for.
static void members_with_large_values_and_tags_are_visited(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 600);
    for (uint32_t i = 0; i < 600; i += 2)
        assert_int_equal(keel_add(f.world, handle_at(i, 0), Large, { .word = { i } }), KEEL_OK);
    keel_group *g = keel_group_create(f.world, KEEL_OWNED(Number, Large, Frozen));
    uint32_t count = 0, wrong = 0;
    KEEL_EACH(f.world, KEEL_READ(Large, l), KEEL_WRITE(Number, n), KEEL_WITH(Frozen)) {
        wrong += l->word[0] != n->value;
        ++count;
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(count, keel_group_count(f.world, g));
    count = 0;
    KEEL_EACH_SPAN(f.world, KEEL_SPAN_COUNT(n), KEEL_READ(Number, number), KEEL_WITH(Large),
                   KEEL_WITH(Frozen)) {
        assert_non_null(number);
        count += n;
    }
    assert_int_equal(count, keel_group_count(f.world, g));
    api_end(&f);
}

// ------------------------------------------------------------------ what leads by choice
static const keel_component *const kinds[] = { KEEL_OF(Number), KEEL_OF(Other), KEEL_OF(Indexed),
                                               KEEL_OF(Row) };
enum { KINDS = 4 };

static bool has_kinds(const keel_world *world, keel_entity e, uint32_t which, bool large_only) {
    const Number *n = keel_get(world, e, Number);
    if (large_only && (!n || n->value < 300)) return false; // was marked, below
    for (uint32_t c = 0; c < KINDS; ++c)
        if (which >> c & 1 && !keel_has_component(world, e, kinds[c])) return false;
    return true;
}

// Those that `leader` visits by itself and that have the others, in its order. What changed
// filters.
static void assert_led(api_fixture *f, keel_reader *reader, uint32_t leader, uint32_t which,
                       bool changed) {
    keel_term terms[KINDS + 4];
    uint32_t n = 0, count, at = 0;
    for (uint32_t c = 0; c < KINDS; ++c)
        if (which >> c & 1) terms[n++] = term_of(c % 2 ? KEEL_TERM_READ : KEEL_TERM_WITH, kinds[c]);
    terms[n++] = (keel_term){ .kind = KEEL_TERM_WITH, .data_size = 1, .component = kinds[leader] };
    if (changed) terms[n++] = term_of(KEEL_TERM_MODIFIED, KEEL_OF(Number));
    terms[n++] = (keel_term){ .kind = KEEL_TERM_ENTITY };
    terms[n] = (keel_term){ .kind = KEEL_TERM_END };
    keel_entity *list = packed_order(f->world, kinds[leader], &count);
    keel_view view;
    keel_iterator it;
    keel_span span;
    assert_int_equal(keel_view_begin(&view, KEEL_SCOPE(reader), terms, "led"), KEEL_OK);
    assert_int_equal(keel_iterator_begin(&it, &view), KEEL_OK);
    while (keel_iterator_next_span(&it, &span))
        for (uint32_t i = 0; i < span.count; ++i, ++at) {
            while (at < count && !has_kinds(f->world, list[at], which, changed))
                ++at;
            assert_true(at < count);
            assert_same_entity(span.entities[i], list[at]);
        }
    while (at < count)
        assert_false(has_kinds(f->world, list[at++], which, changed));
    keel_view_end(&view);
    free(list);
}

static int by_bits(const keel_world *world, keel_entity a, keel_entity b, void *data) {
    (void)world, (void)data;
    return (int)(keel_entity_index(a) * 2654435761u >> 8) -
           (int)(keel_entity_index(b) * 2654435761u >> 8);
}

static void anything_leads_by_choice(void **state) {
    (void)state;
    for (uint32_t round = 0; round < 3; ++round) {
        api_fixture f;
        begin(&f, 600);
        keel_reader *reader = keel_reader_create(f.world, "reader");
        keel_track(f.world, Number, KEEL_TRACK_ALL);
        keel_sort_with(f.world, .component = KEEL_OF(Other), .compare_entities = by_bits);
        for (uint32_t i = 0; i < 600; ++i)
            if (i >= 300) keel_mark(f.world, handle_at(i * 7 % 300 + 300, 0), Number);
        if (round == 1) (void)keel_group_create(f.world, KEEL_OWNED(Number, Other));
        if (round == 2)
            (void)keel_group_create(f.world, KEEL_OWNED(Number), KEEL_GET(Indexed, Row));
        for (uint32_t leader = 0; leader < KINDS; ++leader)
            for (uint32_t which = 0; which < 1 << KINDS; ++which) {
                assert_led(&f, reader, leader, which, false);
                assert_led(&f, reader, leader, which, true);
            }
        keel_reader_destroy(reader);
        api_end(&f);
    }
}

static void what_leads_by_choice_is_told(void **state) {
    (void)state;
    api_fixture f;
    begin(&f, 100);
    assert_explained(&f, KEEL_TERMS(KEEL_READ(Other, o), KEEL_LEADING(Number)),
                     "leader: sparse set Number, in packed order, by choice");
    assert_explained(&f, KEEL_TERMS(KEEL_READ(Other, o), KEEL_LEADING(Indexed)),
                     "leader: presence bits of Indexed, by ascending index, by choice");
    assert_explained(&f, KEEL_TERMS(KEEL_READ(Other, o), KEEL_LEADING(Row)),
                     "row by row, by choice");
    assert_explained(&f, KEEL_TERMS(KEEL_READ(Number, n), KEEL_READ(Other, o)),
                     "leader: sparse set Other, in packed order\n");
    uint32_t next = 0;
    KEEL_EACH(f.world, KEEL_LEADING(Number), KEEL_READ(Other, o), KEEL_ENTITY(e)) {
        assert_int_equal(o->value, keel_entity_index(e));
        assert_true(o->value >= next);
        next = o->value + 1;
    }
    assert_int_equal(next, 100);
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world,
                                     KEEL_TERMS(KEEL_LEADING(Number), KEEL_LEADING(Other)), "two"),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "more than one KEEL_LEADING");
    keel_clear_errors(f.world);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    // proves E-G5
    TEST(a_full_group_is_walked_as_arrays, "a walk over a group touches its front only, as arrays"),
    TEST(a_partial_group_looks_the_rest_up, "a partial group looks up what it gets"),
    TEST(what_is_got_in_the_same_order_makes_spans, "a got set in the same order makes spans"),
    TEST(further_terms_filter_the_members, "further terms filter the members"),
    TEST(a_group_leads_only_what_it_covers, "a group leads only the views that it covers"),
    TEST(an_empty_group_is_walked_at_once, "an empty group is walked at once"),
    TEST(anything_leads_by_choice, "any component leads by choice, in its order"),
    TEST(what_leads_by_choice_is_told, "what leads by choice is explained, and is one"),
    TEST(members_with_large_values_and_tags_are_visited, "large values and tags are visited"),
};

int main(void) { return RUN(tests); }
