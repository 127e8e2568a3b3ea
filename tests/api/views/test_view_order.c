// SPDX-License-Identifier: MIT
// Views that go through a list of handles, and views backwards, whatever leads otherwise.
#include "support/group_fixture.h"

#include <string.h>

enum { ENTITIES = 700, LISTED = 900, ROUNDS = 60, MOST = LISTED + ENTITIES };

static uint32_t random_state;
static uint32_t next_random(uint32_t limit) {
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % limit;
}

static const keel_component *component(uint32_t i) {
    const keel_component *all[] = { KEEL_OF(Number), KEEL_OF(Other), KEEL_OF(Indexed), KEEL_OF(Row),
                                    KEEL_OF(Frozen) };
    return all[i];
}
enum { COMPONENTS = 5 };

// Entities with some of the components, in other orders; some were deleted. `made` has all.
static void begin(api_fixture *f, keel_entity *made) {
    api_begin(f);
    for (uint32_t i = 0; i < ENTITIES; ++i) {
        made[i] = keel_add_entity(f->world, KEEL_INIT(Number, { i }));
        if (next_random(4) == 0) assert_int_equal(keel_delete(f->world, made[i], Number), KEEL_OK);
    }
    for (uint32_t i = 0; i < 3 * ENTITIES; ++i) {
        const keel_entity e = made[next_random(ENTITIES)];
        const uint32_t value = next_random(1000);
        const keel_component *c = component(1 + next_random(COMPONENTS - 1));
        assert_int_equal(keel_add_component(f->world, e, c, c->size ? &value : NULL), KEEL_OK);
    }
    for (uint32_t i = 0; i < ENTITIES / 10; ++i) {
        const keel_entity e = made[next_random(ENTITIES)];
        if (keel_is_alive(f->world, e)) assert_int_equal(keel_delete_entity(f->world, e), KEEL_OK);
    }
}

// All that a view visits, in its order, with the values that it hands out looked up as well.
static uint32_t walk(keel_world *world, const keel_term *terms, keel_entity *visited) {
    keel_view view;
    keel_iterator it;
    keel_span span;
    uint32_t count = 0;
    assert_int_equal(keel_view_begin(&view, world, terms, "walk"), KEEL_OK);
    assert_int_equal(keel_iterator_begin(&it, &view), KEEL_OK);
    while (keel_iterator_next_span(&it, &span))
        for (uint32_t i = 0; i < span.count; ++i) {
            for (uint32_t t = 0; terms[t].kind != KEEL_TERM_END; ++t) {
                const keel_component *c = terms[t].component;
                const uint32_t *values = c && c->size ? keel_span_read_component(&span, c) : NULL;
                if (!values) continue;
                const uint32_t *there = keel_get_component(KEEL_SCOPE(world), span.entities[i], c);
                assert_non_null(there);
                assert_int_equal(values[i], *there);
            }
            assert_true(count < MOST);
            visited[count++] = span.entities[i];
        }
    assert_int_equal(keel_view_count(&view), count);
    const keel_entity first = keel_view_first(&view);
    if (count) assert_same_entity(first, visited[0]);
    else assert_true(keel_is_null(first));
    keel_view_end(&view);
    return count;
}

// Some terms about some of the components; how many. The first asks for the handles.
static uint32_t choose(keel_term *terms) {
    const keel_term_kind kinds[] = { KEEL_TERM_READ,    KEEL_TERM_WRITE,    KEEL_TERM_OPTIONAL_READ,
                                     KEEL_TERM_WITH,    KEEL_TERM_WITHOUT,  KEEL_TERM_INSERTED,
                                     KEEL_TERM_CHANGED, KEEL_TERM_MODIFIED, KEEL_TERM_NOT_CHANGED };
    uint32_t count = 0;
    terms[count++] = (keel_term){ .kind = KEEL_TERM_ENTITY };
    for (uint32_t c = 0; c < COMPONENTS; ++c) {
        const uint32_t k = next_random(16);
        const uint32_t of = k < 5 ? k : k < 9 && next_random(4) == 0 ? k : UINT32_MAX;
        if (of == UINT32_MAX || (of < 3 && !component(c)->size)) continue;
        terms[count++] = (keel_term){ .kind = kinds[of], .component = component(c) };
    }
    return count;
}

static void assert_reversed(keel_world *world, keel_term *terms, uint32_t count) {
    static keel_entity forwards[MOST], backwards[MOST];
    terms[count] = (keel_term){ .kind = KEEL_TERM_END };
    const uint32_t visited = walk(world, terms, forwards);
    memmove(terms + 1, terms, (count + 1) * sizeof *terms);
    terms[0] = (keel_term){ .kind = KEEL_TERM_BACKWARDS };
    assert_int_equal(walk(world, terms, backwards), visited);
    for (uint32_t i = 0; i < visited; ++i)
        assert_same_entity(backwards[i], forwards[visited - 1 - i]);
    memmove(terms, terms + 1, (count + 1) * sizeof *terms);
}

static void track_all(keel_world *world) {
    for (uint32_t c = 0; c < COMPONENTS; ++c) {
        keel_term terms[] = { { .kind = KEEL_TERM_CHANGED, .component = component(c) },
                              { .kind = KEEL_TERM_END } };
        keel_view view;
        assert_int_equal(keel_view_begin(&view, world, terms, "track"), KEEL_OK);
        keel_view_end(&view);
    }
}

static void a_view_backwards_is_the_reverse(void **state) {
    (void)state;
    static keel_entity made[ENTITIES];
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        api_fixture f;
        keel_term terms[KEEL_MAX_TERMS + 1];
        random_state = round;
        begin(&f, made);
        if (round % 4 == 1)
            assert_non_null(keel_group_create(f.world, KEEL_OWNED(Number, Other), .name = "own"));
        if (round % 4 == 2)
            assert_non_null(keel_group_create(f.world, KEEL_GET(Number, Row), .name = "list"));
        if (round % 2) track_all(f.world);
        for (uint32_t i = 0; round % 2 && i < ENTITIES; ++i)
            if (next_random(3) == 0) (void)keel_get_mut(f.world, made[i], Number);
        keel_clear_errors(f.world);
        for (uint32_t i = 0; i < 10; ++i) {
            uint32_t count = choose(terms);
            if (next_random(4) == 0)
                terms[count++] = (keel_term){ .kind = KEEL_TERM_WITH,
                                              .data_size = 1,
                                              .component = component(next_random(3)) };
            else if (next_random(4) == 0)
                terms[count++] = (keel_term){ .kind = KEEL_TERM_AMONG,
                                              .data_size = next_random(ENTITIES),
                                              .custom = made };
            assert_reversed(f.world, terms, count);
        }
        assert_no_error(f.world);
        api_end(&f);
    }
}

// By keel_has, for terms that are not about changes.
static bool fits(keel_world *world, keel_entity e, const keel_term *terms) {
    if (!keel_is_alive(world, e)) return false;
    for (; terms->kind != KEEL_TERM_END; ++terms) {
        if (terms->kind == KEEL_TERM_OPTIONAL_READ || !terms->component) continue;
        const bool has = keel_has_component(KEEL_SCOPE(world), e, terms->component);
        if (has == (terms->kind == KEEL_TERM_WITHOUT)) return false;
    }
    return true;
}

static void a_list_leads_in_its_order(void **state) {
    (void)state;
    static keel_entity made[ENTITIES], list[LISTED], visited[MOST];
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        api_fixture f;
        keel_term terms[KEEL_MAX_TERMS + 1];
        random_state = round + 1000;
        begin(&f, made);
        for (uint32_t i = 0; i < LISTED; ++i)
            list[i] = next_random(50) ? made[next_random(ENTITIES)] : keel_null();
        for (uint32_t i = 0; i < 10; ++i) {
            uint32_t count;
            bool is_plain;
            do {
                count = choose(terms);
                is_plain = true;
                for (uint32_t t = 0; t < count; ++t)
                    is_plain &= terms[t].kind < KEEL_TERM_INSERTED || !terms[t].component;
            } while (!is_plain);
            const uint32_t length = next_random(LISTED + 1);
            terms[count++] = (keel_term){ .kind = KEEL_TERM_AMONG,
                                          .data_size = length,
                                          .custom = length ? list : NULL };
            terms[count] = (keel_term){ .kind = KEEL_TERM_END };
            const uint32_t found = walk(f.world, terms, visited);
            uint32_t at = 0;
            for (uint32_t k = 0; k < length; ++k) {
                if (!fits(f.world, list[k], terms)) continue;
                assert_true(at < found);
                assert_same_entity(visited[at++], list[k]);
            }
            assert_int_equal(at, found);
        }
        assert_no_error(f.world);
        api_end(&f);
    }
}

static void loops_take_both(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[8];
    uint32_t seen = 0, order = 0;
    api_begin(&f);
    for (uint32_t i = 0; i < 8; ++i)
        e[i] = keel_add_entity(f.world, KEEL_INIT(Number, { i }));
    assert_int_equal(keel_delete_entity(f.world, e[2]), KEEL_OK);
    const keel_entity party[] = { e[5], e[2], e[1], e[5], keel_null() };
    KEEL_EACH(f.world, KEEL_AMONG(party, 5), KEEL_WRITE(Number, n))
        n->value += 10;
    assert_int_equal(keel_get(f.world, e[5], Number)->value, 25); // twice in the list
    assert_int_equal(keel_get(f.world, e[1], Number)->value, 11);
    assert_int_equal(keel_get(f.world, e[0], Number)->value, 0);
    KEEL_EACH_SPAN(f.world, KEEL_SPAN_COUNT(n), KEEL_AMONG(e, 8), KEEL_READ(Number, number))
        for (uint32_t i = 0; i < n; ++i)
            seen += number[i].value < 8;
    assert_int_equal(seen, 5);
    KEEL_EACH(f.world, KEEL_BACKWARDS, KEEL_WITH(Number), KEEL_ENTITY(each))
        order = order * 10 + keel_entity_index(each);
    KEEL_EACH(f.world, KEEL_AMONG(NULL, 0), KEEL_ENTITY(each))
        order += keel_entity_index(each);
    // the last one came to the place of the one that was deleted
    assert_int_equal(order, 6543710);
    assert_no_error(f.world);
    api_end(&f);
}

KEEL_SYSTEM_ONCE(heal, KEEL_MAY_WRITE(Number), KEEL_DATA(keel_entity, pair),
                 KEEL_CONTEXT(context)) {
    KEEL_EACH(context, KEEL_AMONG(pair, 1), KEEL_WRITE(Number, n), KEEL_BACKWARDS)
        n->value = 99;
}

static void they_are_for_loops_and_views(void **state) {
    (void)state;
    api_fixture f;
    char text[400];
    keel_view view;
    api_begin(&f);
    keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    const keel_entity other = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    assert_int_equal(keel_run_with(f.world, heal, &e), KEEL_OK);
    assert_int_equal(keel_get(f.world, e, Number)->value, 99);
    assert_int_equal(keel_view_begin(&view, f.world,
                                     KEEL_TERMS(KEEL_AMONG(&e, 1), KEEL_READ(Number, n),
                                                KEEL_WITHOUT(Other), KEEL_BACKWARDS),
                                     "here"),
                     KEEL_OK);
    assert_true(keel_view_contains(&view, e));
    assert_false(keel_view_contains(&view, other));
    assert_true(keel_view_explain(&view, text, sizeof text) < sizeof text);
    assert_non_null(strstr(text, "leader: a list of 1 handles, in its order, by choice; collected, "
                                 "and visited backwards\ntouches: 1\nfilter: has Number"));
    assert_non_null(strstr(text, "chunks: lists"));
    keel_view_end(&view);
    assert_int_equal(
        keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_AMONG(&e, 1), KEEL_LEADING(Number)), "two"),
        KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_AMONG(NULL, 1)), "none"),
                     KEEL_ERROR_ARGUMENT);
    assert_int_equal(
        keel_delete_entities_matching(keel_world_commands(f.world), KEEL_TERMS(KEEL_AMONG(&e, 1))),
        KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_delete_entities_matching(f.world, KEEL_TERMS(KEEL_AMONG(&e, 1))),
                     KEEL_OK);
    assert_false(keel_is_alive(f.world, e));
    assert_true(keel_is_alive(f.world, other));
    keel_clear_errors(f.world);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(a_view_backwards_is_the_reverse, "a view backwards is the reverse of the view"),
    TEST(a_list_leads_in_its_order, "a list of handles leads in its order"),
    TEST(loops_take_both, "loops take lists of handles, and go backwards"),
    TEST(they_are_for_loops_and_views, "lists and backwards are for loops and views"),
};

int main(void) { return RUN(tests); }
