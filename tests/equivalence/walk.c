// SPDX-License-Identifier: MIT
// What a view says, against a walk over all entities that asks for each.
#include "equivalence/everywhere.h"

#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ terms
static uint32_t count_terms(const keel_term *terms) {
    uint32_t count = 0;
    while (terms[count].kind != KEEL_TERM_END)
        ++count;
    return count;
}

static bool has_values(const keel_term *term) {
    const keel_term_kind kind = term->kind;
    return term->component && term->component->size &&
           (kind == KEEL_TERM_READ || kind == KEEL_TERM_WRITE || kind == KEEL_TERM_EDIT ||
            kind == KEEL_TERM_OPTIONAL_READ || kind == KEEL_TERM_OPTIONAL_WRITE);
}
static bool is_written(const keel_term *term) {
    const keel_term_kind kind = term->kind;
    return kind == KEEL_TERM_WRITE || kind == KEEL_TERM_EDIT || kind == KEEL_TERM_OPTIONAL_WRITE;
}

static bool has_any(const keel_world *world, keel_entity e, const keel_term *term) {
    if (keel_has_component(world, e, term->component)) return true;
    for (const keel_component *const *c = term->others; c && *c; ++c)
        if (keel_has_component(world, e, *c)) return true;
    return false;
}

bool matches_naively(const keel_world *world, keel_entity e, const keel_term *terms) {
    for (const keel_term *t = terms; t->kind != KEEL_TERM_END; ++t)
        switch (t->kind) {
        case KEEL_TERM_READ:
        case KEEL_TERM_WRITE:
        case KEEL_TERM_EDIT:
        case KEEL_TERM_WITH:
        case KEEL_TERM_ANY_OF:
            if (!has_any(world, e, t)) return false;
            break;
        case KEEL_TERM_WITHOUT:
            if (has_any(world, e, t)) return false;
            break;
        default:
            break;
        }
    return true;
}

// ------------------------------------------------------------------ one walk
typedef struct walk {
    keel_world *world;
    const keel_term *terms;
    uint32_t count, entity_term; // of terms; KEEL_MAX_TERMS: handles are not known
    uint8_t *seen;               // by index
    uint32_t size;               // of `seen`
    keel_entity *order;
    uint32_t visited;
} walk;

static void visit(walk *w, keel_entity e) {
    const uint32_t index = keel_entity_index(e);
    if (w->entity_term < KEEL_MAX_TERMS) {
        assert_true(keel_is_alive(w->world, e));
        assert_true(index < w->size);
        if (w->seen[index]) fail_msg("index %u is visited twice", (unsigned)index);
        if (!matches_naively(w->world, e, w->terms))
            fail_msg("index %u does not match", (unsigned)index);
        w->seen[index] = 1;
    }
    w->order[w->visited++] = e;
}

// The value of term `t` must be what keel_get says.
static void check_place(const walk *w, keel_entity e, uint32_t t, const void *place) {
    if (w->entity_term == KEEL_MAX_TERMS) return;
    const void *expected = keel_get_component(w->world, e, w->terms[t].component);
    if (place != expected)
        fail_msg("term %u of index %u is at %p, keel_get says %p", (unsigned)t,
                 (unsigned)keel_entity_index(e), place, expected);
}

static void *place_in(const keel_chunk *c, uint32_t t, uint32_t i, uint32_t size) {
    const keel_chunk_column *column = &c->columns[t];
    if (c->form != KEEL_CHUNK_LIST) return column->base ? (char *)column->base + i * size : NULL;
    assert_non_null(column->pages);
    assert_non_null(column->index);
    const uint32_t at = column->index[i], low = at & ((1u << column->shift) - 1);
    if (at == UINT32_MAX) return assert_null(column->base), NULL;
    char *place = (char *)column->pages[at >> column->shift] + low * size;
    if (column->base) assert_ptr_equal((char *)column->base + (size_t)at * size, place);
    return place;
}

static void walk_chunk(walk *w, const keel_chunk *c) {
    assert_true(c->count > 0);
    if (c->form == KEEL_CHUNK_MASK) assert_true(c->count <= 4096);
    for (uint32_t i = 0; i < c->count; ++i) {
        if (c->form == KEEL_CHUNK_MASK && !(c->words[i / 64] >> (i % 64) & 1)) continue;
        const keel_entity e = w->entity_term < KEEL_MAX_TERMS ? c->entities[i] : keel_null();
        for (uint32_t t = 0; t < w->count; ++t)
            if (has_values(&w->terms[t]))
                check_place(w, e, t, place_in(c, t, i, w->terms[t].component->size));
        visit(w, e);
    }
}

static void walk_span(walk *w, const keel_span *span) {
    assert_true(span->count > 0);
    for (uint32_t i = 0; i < span->count; ++i) {
        const keel_entity e = w->entity_term < KEEL_MAX_TERMS ? span->entities[i] : keel_null();
        for (uint32_t t = 0; t < w->count; ++t) {
            const keel_component *c = w->terms[t].component;
            if (!has_values(&w->terms[t])) continue;
            const char *base = keel_span_read_component(span, c);
            if (is_written(&w->terms[t]))
                assert_ptr_equal(base, keel_span_write_component(span, c));
            else assert_null(keel_span_write_component(span, c));
            check_place(w, e, t, base ? base + i * c->size : NULL);
        }
        visit(w, e);
    }
}

static void begin(walk *w, keel_world *world, const keel_term *terms) {
    *w = (walk){ .world = world, .terms = terms, .count = count_terms(terms) };
    w->entity_term = KEEL_MAX_TERMS;
    for (uint32_t t = 0; t < w->count; ++t)
        if (terms[t].kind == KEEL_TERM_ENTITY) w->entity_term = t;
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(world, e));)
        w->size = keel_entity_index(e) + 1;
    w->seen = calloc(w->size + 1, 1);
    w->order = calloc(keel_entity_count(world) + 1, sizeof *w->order);
}

static void end(walk *w) {
    free(w->seen);
    free(w->order);
}

// ------------------------------------------------------------------ everything a view says
static void check_chunks(walk *w, const keel_view *view, bool spans) {
    keel_iterator it;
    keel_span span;
    const keel_chunk *chunk;
    memset(w->seen, 0, w->size);
    w->visited = 0;
    assert_int_equal(keel_iterator_begin(&it, view), KEEL_OK);
    if (spans)
        while (keel_iterator_next_span(&it, &span))
            walk_span(w, &span);
    else
        while ((chunk = keel_iterator_next(&it)) != NULL)
            walk_chunk(w, chunk);
}

// Asserts that the reason why a view does not match names the first term that alone says no.
static void check_why(const walk *w, const keel_view *view, keel_entity e, bool match) {
    keel_why why;
    assert_int_equal(keel_view_why(view, e, &why), match);
    uint32_t refusing = 0;
    for (uint32_t t = 0; t < w->count; ++t) {
        const keel_term alone[] = { w->terms[t], { .kind = KEEL_TERM_END } };
        refusing |= (uint32_t)!matches_naively(w->world, e, alone) << t;
    }
    assert_int_equal(why.refusing, refusing);
    if (!match) assert_int_equal(refusing & ((2u << why.term) - 1), 1u << why.term);
}

// Asks about each living entity; how many match.
static uint32_t check_each(const walk *w, const keel_view *view) {
    uint32_t count = 0;
    keel_span span;
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(w->world, e));) {
        const bool match = matches_naively(w->world, e, w->terms);
        assert_int_equal(keel_view_contains(view, e), match);
        check_why(w, view, e, match);
        if (count < 200 || match)
            assert_int_equal(keel_view_get_all(view, e, &span), match ? KEEL_OK : KEEL_ABSENT);
        count += match;
        for (uint32_t t = 0; match && t < w->count; ++t)
            if (has_values(&w->terms[t]))
                check_place(w, e, t, keel_span_read_component(&span, w->terms[t].component));
    }
    return count;
}

static void check_answers(const walk *w, const keel_view *view, uint32_t count) {
    keel_entity only;
    assert_int_equal(keel_view_count(view), count);
    assert_int_equal(w->visited, count);
    const keel_entity first = keel_view_first(view);
    assert_int_equal(keel_is_null(first), count == 0);
    if (count && w->entity_term < KEEL_MAX_TERMS) assert_same_entity(first, w->order[0]);
    assert_int_equal(keel_view_single(view, &only), count == 1 ? KEEL_OK : KEEL_ERROR_COUNT);
    assert_same_entity(only, count == 1 ? first : keel_null());
    keel_clear_errors(w->world); // not exactly one
}

static void check_view(keel_world *world, const keel_term *terms) {
    walk w;
    keel_view view;
    begin(&w, world, terms);
    assert_int_equal(keel_view_begin(&view, world, terms, "a test"), KEEL_OK);
    check_chunks(&w, &view, true);
    const uint32_t in_spans = w.visited;
    check_chunks(&w, &view, false);
    assert_int_equal(w.visited, in_spans);
    check_answers(&w, &view, check_each(&w, &view));
    keel_view_end(&view);
    assert_no_error(world);
    end(&w);
}

// Once as given, and once with the handles when they are not asked for.
void assert_view(keel_world *world, const keel_term *terms) {
    keel_term with[KEEL_MAX_TERMS + 1];
    const uint32_t count = count_terms(terms);
    check_view(world, terms);
    for (uint32_t t = 0; t < count; ++t)
        if (terms[t].kind == KEEL_TERM_ENTITY) return;
    if (count == KEEL_MAX_TERMS) return;
    memcpy(with, terms, count * sizeof *terms);
    with[count] = (keel_term){ .kind = KEEL_TERM_ENTITY };
    with[count + 1] = (keel_term){ .kind = KEEL_TERM_END };
    check_view(world, with);
}

keel_entity *visited_by(keel_world *world, const keel_term *terms, uint32_t *count) {
    walk w;
    keel_view view;
    begin(&w, world, terms);
    assert_true(w.entity_term < KEEL_MAX_TERMS);
    assert_int_equal(keel_view_begin(&view, world, terms, "a test"), KEEL_OK);
    check_chunks(&w, &view, false);
    keel_view_end(&view);
    *count = w.visited;
    free(w.seen);
    return w.order;
}
