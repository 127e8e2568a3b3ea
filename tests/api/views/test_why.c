// SPDX-License-Identifier: MIT
// The reason why a view does not match an entity: each kind of reason with its sentence, and random
// lists of terms of every kind, whose answers are compared with keel_view_contains and with what
// the public functions say about the entity.
#include "support/view_fixture.h"

#include <stdio.h>
#include <string.h>

typedef struct Near {
    uint32_t value;
} Near;
typedef struct Row {
    uint32_t value;
} Row;
KEEL_COMPONENT(Near, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE);
KEEL_TAG(Mark, .storage = KEEL_ARCHETYPE);
KEEL_TAG(Spot, .storage = KEEL_INDEXED);
KEEL_RELATION(Likes);
KEEL_RELATION(Under, .exclusive = true, .acyclic = true);

static api_fixture f;

// ------------------------------------------------------------------ each reason
// Asserts that the view of the terms does not match, for this reason and with this sentence.
static void assert_why(const keel_term *terms, keel_entity e, keel_why_kind kind, uint32_t term,
                       const char *text) {
    keel_why why;
    keel_view view = open_view(f.world, terms);
    assert_false(keel_view_contains(&view, e));
    assert_false(keel_view_why(&view, e, &why));
    assert_false(keel_view_why(&view, e, NULL));
    keel_view_end(&view);
    assert_string_equal(why.text, text);
    assert_int_equal(why.kind, kind);
    assert_int_equal(why.term, term);
    if (term == KEEL_NO_TERM) return;
    assert_int_equal(why.term_kind, terms[term].kind);
    assert_true(why.refusing >> term & 1);
    assert_int_equal(why.refusing & ((1u << term) - 1), 0);
}
#define WHY(e, kind, term, text, ...)                                                              \
    assert_why(KEEL_TERMS(__VA_ARGS__), (e), KEEL_WHY_##kind, (term), (text))

static void a_component_is_missing_disabled_or_excluded(void **state) {
    (void)state;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }), KEEL_INIT(Row, { 2 }));
    keel_register(f.world, Near);
    WHY(e, MISSING, 1, "does not match: has no Near (term 2 of 2, write Near)", KEEL_READ(Row, r),
        KEEL_WRITE(Near, n));
    WHY(e, EXCLUDED, 2, "does not match: has Row (term 3 of 3, without Row)", KEEL_ENTITY(e),
        KEEL_WITH(Number), KEEL_WITHOUT(Row));
    WHY(e, NONE_OF, 0,
        "does not match: has none of Near, Frozen (term 1 of 1, any of Near, Frozen)",
        KEEL_ANY_OF(Near, Frozen));
    keel_disable(f.world, e, Row);
    WHY(e, DISABLED, 0, "does not match: its Row is disabled (term 1 of 1, read Row)",
        KEEL_READ(Row, r));
    assert_no_error(f.world);
    api_end(&f);
}

static void changes_are_old_or_new(void **state) {
    (void)state;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    keel_track(f.world, Number, KEEL_TRACK_ALL);
    WHY(e, INSERTED, 0,
        "does not match: its Number was inserted since the period of the view began "
        "(term 1 of 1, not inserted Number)",
        KEEL_NOT_INSERTED(Number));
    keel_clear_changes(f.world, Number, KEEL_TRACK_ALL, KEEL_NOW);
    WHY(e, NOT_CHANGED, 0,
        "does not match: its Number was neither inserted nor modified since the period of the view "
        "began (term 1 of 1, changed Number)",
        KEEL_CHANGED(Number));
    WHY(e, NOT_INSERTED, 0,
        "does not match: its Number was not inserted since the period of the view began "
        "(term 1 of 1, inserted Number)",
        KEEL_INSERTED(Number));
    keel_mark(f.world, e, Number);
    WHY(e, MODIFIED, 0,
        "does not match: its Number was modified since the period of the view began "
        "(term 1 of 1, not modified Number)",
        KEEL_NOT_MODIFIED(Number));
    WHY(e, CHANGED, 0,
        "does not match: its Number was inserted or modified since the period of the view began "
        "(term 1 of 1, not changed Number)",
        KEEL_NOT_CHANGED(Number));
    WHY(e, MISSING, 0, "does not match: has no Other (term 1 of 1, modified Other)",
        KEEL_MODIFIED(Other));
    api_end(&f);
}

static void a_relation_leads_nowhere(void **state) {
    (void)state;
    api_begin(&f);
    const keel_entity top = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    const keel_entity low = keel_add_entity(f.world);
    keel_set_name(f.world, top, "top");
    char text[200];
    WHY(low, NO_TARGET, 0,
        "does not match: has no target of keel_child (term 1 of 1, read Number of the target of "
        "keel_child)",
        KEEL_OF_TARGET(keel_child, KEEL_READ(Number, n)));
    keel_attach(f.world, low, top);
    snprintf(text, sizeof text,
             "does not match: its target %uv%u \"top\" of keel_child has no Other (term 1 of 1, "
             "read Other of the target of keel_child)",
             (unsigned)keel_entity_index(top), (unsigned)keel_entity_version(top));
    WHY(low, TARGET_LACKS, 0, text, KEEL_OF_TARGET(keel_child, KEEL_READ(Other, n)));
    WHY(low, ANCESTORS_LACK, 0,
        "does not match: no entity above it by keel_child has Other (term 1 of 1, read Other of "
        "the nearest above by keel_child)",
        KEEL_UP(keel_child, KEEL_READ(Other, n)));
    keel_disable(f.world, top, Number);
    snprintf(text, sizeof text,
             "does not match: its target %uv%u \"top\" of keel_child has its Number disabled "
             "(term 1 of 1, read Number of the target of keel_child)",
             (unsigned)keel_entity_index(top), (unsigned)keel_entity_version(top));
    WHY(low, TARGET_DISABLED, 0, text, KEEL_OF_TARGET(keel_child, KEEL_READ(Number, n)));
    WHY(low, NOT_TARGETED, 0,
        "does not match: is no target of keel_child (term 1 of 1, targeted by keel_child)",
        KEEL_TARGETED(keel_child));
    api_end(&f);
}

static void a_list_and_a_target_choose(void **state) {
    (void)state;
    api_begin(&f);
    const keel_entity a = keel_add_entity(f.world), b = keel_add_entity(f.world);
    char text[200];
    snprintf(text, sizeof text,
             "does not match: has no Likes to %uv%u (term 1 of 1, related by Likes to %uv%u)",
             (unsigned)keel_entity_index(b), (unsigned)keel_entity_version(b),
             (unsigned)keel_entity_index(b), (unsigned)keel_entity_version(b));
    WHY(a, NOT_RELATED, 0, text, KEEL_RELATED(Likes, b));
    WHY(a, NOT_LISTED, 0,
        "does not match: is not in the list of handles (term 1 of 1, among 1 handles)",
        KEEL_AMONG(&b, 1));
    keel_delete_entity(f.world, b);
    snprintf(text, sizeof text,
             "does not match: the target %uv%u is not alive (term 1 of 1, related by Likes to "
             "%uv%u)",
             (unsigned)keel_entity_index(b), (unsigned)keel_entity_version(b),
             (unsigned)keel_entity_index(b), (unsigned)keel_entity_version(b));
    WHY(a, TARGET_DEAD, 0, text, KEEL_RELATED(Likes, b));
    WHY(b, DEAD, KEEL_NO_TERM, "does not match: it is not alive", KEEL_ENTITY(e));
    WHY(keel_null(), DEAD, KEEL_NO_TERM, "does not match: it is not alive", KEEL_ENTITY(e));
    api_end(&f);
}

static void a_change_above_counts(void **state) {
    (void)state;
    api_begin(&f);
    const keel_entity top = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    const keel_entity low = keel_add_entity(f.world);
    keel_attach(f.world, low, top);
    keel_reader *reader = keel_reader_create(f.world, "the test");
    const keel_term *terms = KEEL_TERMS(KEEL_TARGETS_FIRST(keel_child),
                                        KEEL_CHANGED_UP(keel_child, Number), KEEL_ENTITY(e));
    keel_view view = open_view(f.world, terms);
    (void)keel_view_count(&view); // makes the levels
    keel_view_end(&view);
    keel_reader_advance(reader);
    assert_int_equal(keel_view_begin(&view, reader, terms, "changes"), KEEL_OK);
    keel_why why;
    assert_false(keel_view_why(&view, low, &why));
    assert_int_equal(why.kind, KEEL_WHY_UNCHANGED_UP);
    assert_ptr_equal(why.component, keel_find_component(f.world, "Number"));
    assert_string_equal(why.text,
                        "does not match: Number changed neither in it nor above it by keel_child "
                        "since the period began (term 2 of 3, changed Number, or that of one above "
                        "by keel_child)");
    keel_view_end(&view);
    keel_reader_destroy(reader);
    api_end(&f);
}

static void a_match_and_a_closed_view_are_told(void **state) {
    (void)state;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    keel_why why;
    keel_view view = open_view(f.world, KEEL_TERMS(KEEL_READ(Number, n)));
    assert_true(keel_view_why(&view, e, &why));
    assert_true(keel_view_why(&view, e, NULL));
    assert_int_equal(why.kind, KEEL_WHY_MATCHES);
    assert_int_equal(why.term, KEEL_NO_TERM);
    assert_int_equal(why.refusing, 0);
    assert_string_equal(why.text, "matches");
    keel_view_end(&view);
    assert_false(keel_view_why(&view, e, &why));
    assert_int_equal(why.kind, KEEL_WHY_CLOSED);
    assert_false(keel_view_why(NULL, e, &why));
    assert_int_equal(why.kind, KEEL_WHY_CLOSED);
    assert_false(keel_view_why(NULL, e, NULL));
    api_end(&f);
}

static void all_terms_that_refuse_are_told(void **state) {
    (void)state;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    keel_why why;
    keel_view view =
        open_view(f.world, KEEL_TERMS(KEEL_READ(Number, n), KEEL_WITH(Frozen), KEEL_ENTITY(e),
                                      KEEL_WITHOUT(Dead), KEEL_READ(Row, r)));
    assert_false(keel_view_why(&view, e, &why));
    assert_int_equal(why.term, 1);
    assert_int_equal(why.refusing, 1u << 1 | 1u << 4);
    keel_view_end(&view);
    api_end(&f);
}

// ------------------------------------------------------------------ counts
static void each_term_leaves_fewer(void **state) {
    (void)state;
    api_begin(&f);
    keel_entity e[10];
    for (uint32_t i = 0; i < 10; ++i) {
        e[i] = keel_add_entity(f.world, KEEL_INIT(Number, { i }));
        if (i % 2) keel_add(f.world, e[i], Row, { i });
        if (i < 4) keel_add(f.world, e[i], Frozen);
    }
    keel_delete_entity(f.world, e[9]);
    e[8] = e[3]; // is listed twice, and counts once
    uint32_t left[6] = { 0, 0, 0, 0, 0, 99 };
    keel_view view =
        open_view(f.world, KEEL_TERMS(KEEL_READ(Number, n), KEEL_ENTITY(e), KEEL_WITH(Row),
                                      KEEL_WITHOUT(Frozen), KEEL_AMONG(&e[3], 7)));
    assert_int_equal(keel_view_counts(&view, NULL, left, 6), 5);
    assert_int_equal(left[0], 9);
    assert_int_equal(left[1], 9);
    assert_int_equal(left[2], 4);
    assert_int_equal(left[3], 2);
    assert_int_equal(left[4], 2);
    assert_int_equal(left[5], 99);
    left[2] = 99;
    assert_int_equal(keel_view_counts(&view, NULL, left, 2), 5);
    assert_int_equal(left[2], 99);
    assert_int_equal(keel_view_counts(&view, NULL, NULL, 0), 5);
    counting_allocator_fail_after(&f.memory, 0);
    assert_int_equal(keel_view_counts(&view, NULL, left, 6), 0);
    counting_allocator_fail_after(&f.memory, SIZE_MAX);
    assert_error(f.world, KEEL_ERROR_MEMORY, "counting what each term");
    keel_view_end(&view);
    assert_int_equal(keel_view_counts(&view, NULL, left, 6), 0);
    assert_int_equal(keel_view_counts(NULL, NULL, left, 6), 0);
    api_end(&f);
}

// ------------------------------------------------------------------ random lists of terms
enum { ENTITIES = 120, TERMS = 5, ROUNDS = 60, LISTS = 12 };

static const keel_component *const some[] = {
    KEEL_OF(Number), KEEL_OF(Other), KEEL_OF(Near), KEEL_OF(Row),
    KEEL_OF(Frozen), KEEL_OF(Mark),  KEEL_OF(Spot),
};
enum { SOME = sizeof some / sizeof *some };
static const keel_component *const exclusive[] = { KEEL_OF(keel_child), KEEL_OF(Under) };

typedef struct random_world {
    uint32_t state;
    keel_entity e[ENTITIES];
    keel_reader *reader;
    keel_entity listed[ENTITIES];
    const keel_component *others[TERMS + 2][3];
    keel_term terms[TERMS + 3];
    uint32_t count;
} random_world;

static uint32_t roll(random_world *r, uint32_t below) {
    r->state = r->state * 1664525u + 1013904223u;
    return (r->state >> 8) % below;
}

// Makes one of the first `kinds` kinds of edits; those from 6 on change a relation.
static void edit_something(random_world *r, uint32_t kinds) {
    const keel_entity e = r->e[roll(r, ENTITIES)], other = r->e[roll(r, ENTITIES)];
    const keel_component *c = some[roll(r, SOME)];
    const uint32_t value = roll(r, 1000);
    switch (roll(r, kinds)) {
    case 0:
    case 1:
    case 2:
        (void)keel_add_component(f.world, e, c, c->size ? &value : NULL);
        break;
    case 3:
        (void)keel_delete_component(f.world, e, c);
        break;
    case 4:
        (void)keel_enable_component(f.world, e, c, roll(r, 2) == 0);
        break;
    case 5:
        (void)keel_mark_component(f.world, e, c);
        break;
    case 6:
        (void)keel_relate_component(f.world, e, KEEL_OF(Likes), other, NULL);
        break;
    case 7:
        (void)keel_relate_component(f.world, e, KEEL_OF(Under), other, NULL);
        break;
    default:
        (void)keel_attach(f.world, e, other);
    }
    keel_clear_errors(f.world); // cycles, missing components and the like
}

// Makes the levels of both relations, so that KEEL_CHANGED_UP can tell old changes from new ones.
static void make_levels(void) {
    for (uint32_t i = 0; i < 2; ++i) {
        const keel_term terms[] = { { .kind = KEEL_TERM_TARGETS_FIRST, .component = exclusive[i] },
                                    { .kind = KEEL_TERM_ENTITY },
                                    { .kind = KEEL_TERM_END } };
        keel_view view = open_view(f.world, terms);
        (void)keel_view_first(&view);
        keel_view_end(&view);
    }
}

static void roll_world(random_world *r) {
    const bool keeps_relations = roll(r, 2);
    for (uint32_t i = 0; i < ENTITIES; ++i)
        r->e[i] = keel_add_entity(f.world);
    for (uint32_t k = 0; k < SOME; ++k)
        if (some[k]->size) (void)keel_track_component(f.world, some[k], KEEL_TRACK_ALL);
    for (uint32_t i = 0; i < ENTITIES * 6; ++i)
        edit_something(r, 9);
    make_levels();
    r->reader = keel_reader_create(f.world, "why");
    keel_reader_advance(r->reader);
    keel_clear_all_changes(f.world, KEEL_TRACK_ALL, KEEL_NOW);
    for (uint32_t i = 0; i < ENTITIES; ++i)
        edit_something(r, keeps_relations ? 6 : 9);
    for (uint32_t i = 0; !keeps_relations && i < 6; ++i)
        keel_delete_entity(f.world, r->e[roll(r, ENTITIES)]);
    keel_clear_errors(f.world);
}

static void put_term(random_world *r, keel_term_kind kind, const keel_component *c,
                     const keel_component *other) {
    const keel_component **others = r->others[r->count];
    others[0] = other;
    others[1] = NULL;
    r->terms[r->count++] =
        (keel_term){ .kind = kind, .component = c, .others = other ? others : NULL };
}

// Adds a term of any kind that can refuse an entity, or hands out what it need not have.
static void roll_term(random_world *r) {
    static const keel_term_kind kinds[] = {
        KEEL_TERM_READ,
        KEEL_TERM_WITH,
        KEEL_TERM_WITHOUT,
        KEEL_TERM_OPTIONAL_READ,
        KEEL_TERM_INSERTED,
        KEEL_TERM_MODIFIED,
        KEEL_TERM_CHANGED,
        KEEL_TERM_NOT_INSERTED,
        KEEL_TERM_NOT_MODIFIED,
        KEEL_TERM_NOT_CHANGED,
        KEEL_TERM_ANY_OF,
        KEEL_TERM_OF_TARGET_READ,
        KEEL_TERM_UP_READ,
        KEEL_TERM_TARGETED,
        KEEL_TERM_OF_TARGET_OPTIONAL_READ,
        KEEL_TERM_UP_OPTIONAL_READ,
    };
    const keel_term_kind kind = kinds[roll(r, sizeof kinds / sizeof *kinds)];
    const bool is_through = kind >= KEEL_TERM_OF_TARGET_READ && kind <= KEEL_TERM_UP_OPTIONAL_READ;
    const bool has_values = kind == KEEL_TERM_READ || kind == KEEL_TERM_OPTIONAL_READ || is_through;
    const keel_component *c = some[roll(r, has_values ? 4 : SOME)];
    const bool is_modified = kind != KEEL_TERM_INSERTED && kind != KEEL_TERM_NOT_INSERTED;
    const bool is_change = kind >= KEEL_TERM_INSERTED && kind <= KEEL_TERM_NOT_CHANGED;
    if (is_change && is_modified) c = some[roll(r, 4)];
    if (kind == KEEL_TERM_TARGETED)
        put_term(r, kind, roll(r, 2) ? KEEL_OF(Likes) : exclusive[roll(r, 2)], NULL);
    else if (is_through) put_term(r, kind, c, exclusive[roll(r, 2)]);
    else put_term(r, kind, c, kind == KEEL_TERM_ANY_OF ? some[roll(r, SOME)] : NULL);
}

static void put_leading(random_world *r) {
    switch (roll(r, 5)) {
    case 0:
        for (uint32_t i = 0; i < ENTITIES; ++i)
            r->listed[i] = r->e[i];
        r->terms[r->count++] = (keel_term){ .kind = KEEL_TERM_AMONG,
                                            .custom = r->listed,
                                            .data_size = roll(r, ENTITIES) };
        return;
    case 1:
        r->terms[r->count++] = (keel_term){ .kind = KEEL_TERM_RELATED,
                                            .component = KEEL_OF(Likes),
                                            .custom = &r->e[roll(r, ENTITIES)] };
        return;
    case 2: {
        const keel_component *relation = exclusive[roll(r, 2)];
        put_term(r, KEEL_TERM_TARGETS_FIRST, relation, NULL);
        put_term(r, KEEL_TERM_CHANGED_UP, some[roll(r, 4)], relation);
        return;
    }
    default:
        return;
    }
}

static void roll_terms(random_world *r) {
    r->count = 0;
    const uint32_t leads_at = roll(r, TERMS), wanted = 1 + roll(r, TERMS);
    for (uint32_t i = 0; i < wanted; ++i) {
        if (i == leads_at) put_leading(r);
        else roll_term(r);
    }
    r->terms[r->count] = (keel_term){ .kind = KEEL_TERM_END };
}

// Asserts what the public functions say about a reason.
static void assert_reason(keel_entity e, const keel_why *why) {
    const bool has = why->component && keel_has_component(f.world, e, why->component);
    const bool is_disabled =
        why->component && keel_is_component_disabled(f.world, e, why->component);
    switch (why->kind) {
    case KEEL_WHY_MISSING:
        assert_true(!has && !is_disabled);
        return;
    case KEEL_WHY_NONE_OF:
        assert_false(has);
        return;
    case KEEL_WHY_DISABLED:
        assert_true(is_disabled);
        return;
    case KEEL_WHY_NO_TARGET:
        assert_true(keel_is_null(keel_target_of_component(f.world, e, why->relation)));
        return;
    case KEEL_WHY_TARGET_LACKS:
    case KEEL_WHY_TARGET_DISABLED:
        assert_same_entity(why->other, keel_target_of_component(f.world, e, why->relation));
        assert_false(keel_has_component(f.world, why->other, why->component));
        assert_int_equal(keel_is_component_disabled(f.world, why->other, why->component),
                         why->kind == KEEL_WHY_TARGET_DISABLED);
        return;
    case KEEL_WHY_ANCESTORS_LACK:
        for (keel_entity up = e;
             !keel_is_null(up = keel_target_of_component(f.world, up, why->relation));)
            assert_false(keel_has_component(f.world, up, why->component));
        return;
    case KEEL_WHY_NOT_TARGETED:
        assert_int_equal(keel_source_count_component(f.world, e, why->relation), 0);
        return;
    case KEEL_WHY_TARGET_DEAD:
        assert_false(keel_is_alive(f.world, why->other));
        return;
    case KEEL_WHY_NOT_RELATED:
        assert_true(keel_is_alive(f.world, why->other));
        assert_null(strstr(why->text, "unknown"));
        return;
    case KEEL_WHY_NOT_LISTED:
    case KEEL_WHY_UNCHANGED_UP:
        return;
    default:
        assert_true(has);
    }
}

// Asserts that the view agrees with views of each of its terms alone about who refuses.
static void assert_first(const random_world *r, const keel_view *view, keel_entity e,
                         uint32_t kinds[KEEL_WHY_NOT_LISTED + 1]) {
    keel_why why;
    const bool match = keel_view_contains(view, e);
    assert_int_equal(keel_view_why(view, e, &why), match);
    assert_int_equal(why.kind == KEEL_WHY_MATCHES, match);
    assert_int_equal(why.refusing == 0, match || why.kind == KEEL_WHY_DEAD);
    assert_int_equal(why.kind == KEEL_WHY_DEAD, !keel_is_alive(f.world, e));
    ++kinds[why.kind];
    if (match || why.kind == KEEL_WHY_DEAD) return;
    assert_true(why.term < r->count);
    assert_int_equal(why.term_kind, r->terms[why.term].kind);
    assert_int_equal(why.refusing & -why.refusing, 1u << why.term);
    assert_reason(e, &why);
}

// Asserts that the numbers of entities that the terms leave agree with the reasons.
static void assert_counts(const keel_view *view, const random_world *r) {
    uint32_t left[TERMS + 2], expected[TERMS + 2] = { 0 };
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(f.world, e));) {
        keel_why why;
        const bool match = keel_view_why(view, e, &why);
        for (uint32_t t = 0; t < (match ? r->count : why.term); ++t)
            ++expected[t];
    }
    assert_int_equal(keel_view_counts(view, NULL, left, TERMS + 2), r->count);
    assert_memory_equal(left, expected, r->count * sizeof *left);
}

// Asserts that the walk visits whom the reasons let pass.
static void assert_walk(const keel_view *view, const random_world *r) {
    uint32_t passing = 0;
    for (uint32_t i = 0; i < ENTITIES; ++i)
        passing += keel_view_why(view, r->e[i], NULL);
    const uint32_t visited = keel_view_count(view);
    bool is_among = false;
    for (uint32_t t = 0; t < r->count; ++t)
        is_among |= r->terms[t].kind == KEEL_TERM_AMONG;
    if (!is_among) assert_int_equal(visited, passing);
}

static void random_reasons_agree(void **state) {
    (void)state;
    uint32_t kinds[KEEL_WHY_NOT_LISTED + 1] = { 0 }, opened = 0;
    random_world r = { .state = 7 };
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        api_begin(&f);
        roll_world(&r);
        for (uint32_t i = 0; i < LISTS; ++i) {
            keel_view view;
            roll_terms(&r);
            const keel_result result = roll(&r, 2)
                                           ? keel_view_begin(&view, f.world, r.terms, "random")
                                           : keel_view_begin(&view, r.reader, r.terms, "random");
            keel_clear_errors(f.world);
            if (result != KEEL_OK) continue; // two terms that lead
            ++opened;
            assert_counts(&view, &r);
            assert_walk(&view, &r); // makes the levels of KEEL_CHANGED_UP, too
            for (uint32_t e = 0; e < ENTITIES; ++e)
                assert_first(&r, &view, r.e[e], kinds);
            keel_view_end(&view);
        }
        api_end(&f);
    }
    assert_true(opened > ROUNDS * LISTS / 2);
    for (uint32_t k = 0; k <= KEEL_WHY_NOT_LISTED; ++k)
        if (k != KEEL_WHY_CLOSED && !kinds[k]) fail_msg("reason %u was never met", (unsigned)k);
}

static const struct CMUnitTest tests[] = {
    TEST(a_component_is_missing_disabled_or_excluded,
         "a component is missing, disabled or excluded"),
    TEST(changes_are_old_or_new, "changes are older than the period, or excluded"),
    TEST(a_relation_leads_nowhere, "a relation leads to no entity with the component"),
    TEST(a_list_and_a_target_choose, "an entity is not in the list, or not a source of the target"),
    TEST(a_change_above_counts, "nothing changed in the entity or above it"),
    TEST(a_match_and_a_closed_view_are_told, "a match and a closed view are told"),
    TEST(all_terms_that_refuse_are_told, "all terms that refuse are told"),
    TEST(each_term_leaves_fewer, "the number of entities that each term leaves"),
    TEST(random_reasons_agree, "reasons agree with keel_view_contains for every kind of term"),
};
int main(void) { return RUN(tests); }
