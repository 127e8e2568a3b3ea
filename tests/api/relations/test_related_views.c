// SPDX-License-Identifier: MIT
// Terms over the hierarchy: parents before their children, and values of parents and ancestors; in
// loops, views, systems and split systems, for components of all storages, against a plain model.
//
// The same for an exclusive relation instead: test_related_views_of_relation.c includes this file,
// where the words of the hierarchy stand for those of the relation.
#include "support/api_types.h"

#include <string.h>

#ifdef OVER_RELATION
#define RELATION "PartOf"
KEEL_RELATION(PartOf, .exclusive = true, .acyclic = true);
#define KEEL_COMPONENT_keel_child KEEL_COMPONENT_PartOf
static keel_entity parent_of(keel_world *w, keel_entity e) { return keel_target_of(w, e, PartOf); }
static keel_result attach(keel_world *w, keel_entity e, keel_entity to) {
    return keel_relate(w, e, PartOf, to);
}
static keel_result detach(keel_world *w, keel_entity e) { return keel_unrelate_all(w, e, PartOf); }
static void unlink_both(keel_world *w, keel_entity e) {
    keel_unrelate_all(w, e, PartOf);
    keel_unrelate_sources(w, PartOf, e);
}
static bool is_parent(keel_world *w, keel_entity e) { return keel_source_count(w, e, PartOf) != 0; }
#define EACH_CHILD(w, e, child) KEEL_EACH_SOURCE(w, e, PartOf, child)
static int32_t tree_size(keel_world *w, keel_entity e) {
    int32_t n = 1;
    KEEL_EACH_SOURCE(w, e, PartOf, below) n += tree_size(w, below);
    return n;
}
#else
#define RELATION "keel_child"
static keel_entity parent_of(keel_world *w, keel_entity e) { return keel_parent_of(w, e); }
static keel_result attach(keel_world *w, keel_entity e, keel_entity to) {
    return keel_attach(w, e, to);
}
static keel_result detach(keel_world *w, keel_entity e) { return keel_detach(w, e); }
static void unlink_both(keel_world *w, keel_entity e) { keel_unlink(w, e); }
static bool is_parent(keel_world *w, keel_entity e) { return (keel_child_count(w, e) > 0); }
#define EACH_CHILD(w, e, child) KEEL_EACH_CHILD(w, e, child)
static int32_t tree_size(keel_world *w, keel_entity e) {
    int32_t n = 1;
    KEEL_EACH_DESCENDANT(w, e, below)
        n += !keel_is_null(below);
    return n;
}
#endif

enum { MOST = 400, ROUNDS = 60, LARGE = 30000 };

static uint64_t seed;
static uint32_t roll(uint32_t below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % below;
}

#define VALUE(Name, kind)                                                                          \
    typedef struct Name {                                                                          \
        uint32_t value;                                                                            \
    } Name;                                                                                        \
    KEEL_COMPONENT(Name, .storage = kind, .no_padding = true)
#define SCENE(S, kind_of_local, kind_of_global)                                                    \
    VALUE(S##Local, kind_of_local);                                                                \
    VALUE(S##Global, kind_of_global);                                                              \
    VALUE(S##Seen, kind_of_local);                                                                 \
    KEEL_SYSTEM(S##_place, KEEL_TARGETS_FIRST(keel_child), KEEL_READ(S##Local, l),                 \
                KEEL_WRITE(S##Global, g),                                                          \
                KEEL_UP(keel_child, KEEL_OPTIONAL_READ(S##Global, above))) {                       \
        g->value = (above ? above->value * 31 : 7) + l->value;                                     \
    }                                                                                              \
    KEEL_SYSTEM_SPAN(S##_place_spans, KEEL_SPAN_COUNT(n), KEEL_TARGETS_FIRST(keel_child),          \
                     KEEL_READ(S##Local, l), KEEL_WRITE(S##Global, g),                             \
                     KEEL_UP(keel_child, KEEL_OPTIONAL_READ(S##Global, above))) {                  \
        for (uint32_t i = 0; i < n; ++i)                                                           \
            g[i].value = (above ? above[i].value * 31 : 7) + l[i].value;                           \
    }                                                                                              \
    KEEL_SYSTEM(S##_look_up, KEEL_WRITE(S##Seen, s),                                               \
                KEEL_UP(keel_child, KEEL_READ(S##Global, above))) {                                \
        s->value = s->value * 3 + above->value;                                                    \
    }                                                                                              \
    KEEL_SYSTEM(S##_look_at_parent, KEEL_WRITE(S##Seen, s),                                        \
                KEEL_OF_TARGET(keel_child, KEEL_OPTIONAL_READ(S##Global, p)),                      \
                KEEL_OF_TARGET(keel_child, KEEL_READ(S##Local, q))) {                              \
        s->value = s->value * 5 + q->value + (p ? p->value : 1);                                   \
    }                                                                                              \
    KEEL_SYSTEM(S##_give_to_parent, KEEL_READ(S##Seen, s),                                         \
                KEEL_OF_TARGET(keel_child, KEEL_WRITE(S##Local, p))) {                             \
        p->value = p->value * 17 + s->value;                                                       \
    }                                                                                              \
    static uint32_t S##_local(keel_world *w, keel_entity e) {                                      \
        return keel_get(w, e, S##Local)->value;                                                    \
    }                                                                                              \
    static uint32_t S##_expected(keel_world *w, keel_entity e) {                                   \
        keel_entity up = parent_of(w, e);                                                          \
        while (!keel_is_null(up) && !keel_has(w, up, S##Global))                                   \
            up = parent_of(w, up);                                                                 \
        if (!keel_has(w, e, S##Local)) return keel_get(w, e, S##Global)->value;                    \
        return (keel_is_null(up) ? 7 : S##_expected(w, up) * 31) + S##_local(w, e);                \
    }                                                                                              \
    static void S##_check_places(keel_world *w) {                                                  \
        KEEL_EACH(w, KEEL_READ(S##Local, l), KEEL_READ(S##Global, g), KEEL_ENTITY(e)) {            \
            assert_int_equal(g->value, S##_expected(w, e));                                        \
            (void)l;                                                                               \
        }                                                                                          \
    }                                                                                              \
    static uint32_t S##_seen(keel_world *w, keel_entity e, bool of_parent) {                       \
        const uint32_t old = keel_get(w, e, S##Seen)->value;                                       \
        keel_entity up = parent_of(w, e);                                                          \
        if (of_parent) {                                                                           \
            if (!keel_has(w, up, S##Local)) return old;                                            \
            const S##Global *g = keel_get(w, up, S##Global);                                       \
            return old * 5 + S##_local(w, up) + (g ? g->value : 1);                                \
        }                                                                                          \
        while (!keel_is_null(up) && !keel_has(w, up, S##Global))                                   \
            up = parent_of(w, up);                                                                 \
        return keel_is_null(up) ? old : old * 3 + keel_get(w, up, S##Global)->value;               \
    }                                                                                              \
    static void S##_check_seen(keel_world *w, const keel_entity *all, uint32_t n, bool parallel) { \
        static uint32_t expected[LARGE];                                                           \
        for (int of_parent = 0; of_parent < 2; ++of_parent) {                                      \
            for (uint32_t i = 0; i < n; ++i)                                                       \
                expected[i] = keel_has(w, all[i], S##Seen) ? S##_seen(w, all[i], of_parent) : 0;   \
            if (of_parent) keel_run(w, S##_look_at_parent, .parallel = parallel);                  \
            else keel_run(w, S##_look_up, .parallel = parallel);                                   \
            for (uint32_t i = 0; i < n; ++i)                                                       \
                if (keel_has(w, all[i], S##Seen))                                                  \
                    assert_int_equal(keel_get(w, all[i], S##Seen)->value, expected[i]);            \
        }                                                                                          \
    }                                                                                              \
    /* in the order of the loop of a system that only looks */                                     \
    static void S##_check_gifts(keel_world *w, const keel_entity *all, uint32_t n) {               \
        static uint32_t expected[LARGE];                                                           \
        for (uint32_t i = 0; i < n; ++i)                                                           \
            expected[i] = keel_has(w, all[i], S##Local) ? S##_local(w, all[i]) : 0;                \
        KEEL_EACH(w, KEEL_READ(S##Seen, s), KEEL_OF_TARGET(keel_child, KEEL_READ(S##Local, p)),    \
                  KEEL_ENTITY(e)) {                                                                \
            uint32_t i = 0;                                                                        \
            while (!keel_is_same(all[i], parent_of(w, e)))                                         \
                ++i;                                                                               \
            expected[i] = expected[i] * 17 + s->value;                                             \
            (void)p;                                                                               \
        }                                                                                          \
        keel_run(w, S##_give_to_parent);                                                           \
        for (uint32_t i = 0; i < n; ++i)                                                           \
            if (keel_has(w, all[i], S##Local))                                                     \
                assert_int_equal(S##_local(w, all[i]), expected[i]);                               \
    }                                                                                              \
    static void S##_change(keel_world *w, keel_entity e) {                                         \
        if (roll(8)) keel_add(w, e, S##Local, { roll(1000) });                                     \
        else keel_delete(w, e, S##Local);                                                          \
        if (roll(5)) keel_add(w, e, S##Global, { roll(1000) });                                    \
        else keel_delete(w, e, S##Global);                                                         \
        if (roll(3)) keel_add(w, e, S##Seen, { roll(1000) });                                      \
        else keel_delete(w, e, S##Seen);                                                           \
    }                                                                                              \
    static void S##_run(keel_world *w, bool spans, bool parallel) {                                \
        if (spans) keel_run(w, S##_place_spans, .parallel = parallel);                             \
        else keel_run(w, S##_place, .parallel = parallel);                                         \
    }
// clang-format off
SCENE(SetSet, KEEL_SPARSE_SET, KEEL_SPARSE_SET)
SCENE(SetIndex, KEEL_SPARSE_SET, KEEL_INDEXED)
SCENE(IndexIndex, KEEL_INDEXED, KEEL_INDEXED)
SCENE(IndexRow, KEEL_INDEXED, KEEL_ARCHETYPE)
SCENE(RowRow, KEEL_ARCHETYPE, KEEL_ARCHETYPE)
SCENE(RowSet, KEEL_ARCHETYPE, KEEL_SPARSE_SET)
#define ALL(DO) DO(SetSet) DO(SetIndex) DO(IndexIndex) DO(IndexRow) DO(RowRow) DO(RowSet)
// clang-format on

typedef struct forest {
    keel_world *world;
    keel_entity all[LARGE];
    uint32_t count;
} forest;
static forest f;

static void change(keel_entity e) {
#define CHANGE(S) S##_change(f.world, e);
    ALL(CHANGE)
}

static void grow(uint32_t count) {
    while (f.count < count) {
        const keel_entity e = keel_add_entity(f.world);
        f.all[f.count] = e;
        change(e);
        if (f.count && roll(4)) attach(f.world, e, f.all[roll(f.count)]);
        ++f.count;
    }
}

static void shuffle(uint32_t edits) {
    for (; edits && f.count; --edits) {
        const uint32_t i = roll(f.count);
        const uint32_t what = roll(6);
        if (what == 0 && !is_parent(f.world, f.all[i])) {
            keel_delete_entity(f.world, f.all[i]);
            f.all[i] = f.all[--f.count];
        } else if (what == 1) {
            detach(f.world, f.all[i]);
        } else if (what == 2) {
            change(f.all[i]);
        } else {
            const keel_entity to = f.all[roll(f.count)];
            bool is_below = false;
            for (keel_entity up = to; !keel_is_null(up); up = parent_of(f.world, up))
                is_below |= keel_is_same(up, f.all[i]);
            if (!is_below) attach(f.world, f.all[i], to);
        }
    }
    grow(MOST);
}

// Level by level: roots by ascending index, then children in the order of their parents.
static uint32_t expect_order(keel_entity *list) {
    uint32_t n = 0;
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(f.world, e));)
        if (keel_is_null(parent_of(f.world, e))) list[n++] = e;
    for (uint32_t i = 0; i < n; ++i)
        EACH_CHILD(f.world, list[i], child)
    list[n++] = child;
    return n;
}

static void check_order(void) {
    static keel_entity expected[LARGE];
    const uint32_t n = expect_order(expected);
    uint32_t i = 0;
    KEEL_EACH(f.world, KEEL_TARGETS_FIRST(keel_child), KEEL_ENTITY(e))
        assert_true(keel_is_same(e, expected[i++]));
    assert_int_equal(i, n);
    KEEL_EACH(f.world, KEEL_TARGETS_FIRST(keel_child), KEEL_ENTITY(e), KEEL_BACKWARDS)
        assert_true(keel_is_same(e, expected[--i]));
    assert_int_equal(i, 0);
    KEEL_EACH(f.world, KEEL_TARGETS_FIRST(keel_child), KEEL_WITH(SetSetLocal), KEEL_ENTITY(e),
              KEEL_WITHOUT(RowRowLocal), KEEL_ANY_OF(IndexRowLocal, RowSetGlobal)) {
        while (!keel_has(f.world, expected[i], SetSetLocal) ||
               keel_has(f.world, expected[i], RowRowLocal) ||
               !keel_has_any(f.world, expected[i], IndexRowLocal, RowSetGlobal))
            ++i;
        assert_true(keel_is_same(e, expected[i++]));
    }
}

static void all_agree_with_the_model(void **state) {
    (void)state;
    api_fixture fixture;
    for (uint32_t workers = 1; workers <= 4; ++workers) {
        api_begin_workers(&fixture, workers);
        seed = workers;
        f = (forest){ .world = fixture.world };
        grow(MOST);
        for (uint32_t round = 0; round < test_rounds(ROUNDS); ++round) {
            shuffle(roll(40));
            check_order();
#define CHECK(S)                                                                                   \
    S##_run(f.world, round % 2, round % 3);                                                        \
    S##_check_places(f.world);                                                                     \
    S##_check_seen(f.world, f.all, f.count, round % 3);                                            \
    S##_check_gifts(f.world, f.all, f.count);
            ALL(CHECK)
            if (round == 30) assert_int_equal(keel_world_trim(f.world), KEEL_OK);
        }
        assert_no_error(f.world);
        api_end(&fixture);
    }
}

static void many_workers_make_the_same(void **state) {
    (void)state;
    api_fixture fixture;
    uint64_t first = 0;
    for (uint32_t workers = 1; workers <= 4; ++workers) {
        api_begin_workers(&fixture, workers);
        seed = 5;
        f = (forest){ .world = fixture.world };
        grow(LARGE);
        for (uint32_t round = 0; round < test_rounds(6); ++round) {
            shuffle(100);
#define RUN_SPLIT(S) S##_run(f.world, round % 2, true);
            ALL(RUN_SPLIT)
        }
#define CHECK_PLACES(S) S##_check_places(f.world);
        ALL(CHECK_PLACES)
        uint64_t hash;
        assert_int_equal(keel_world_hash(f.world, &hash), KEEL_OK);
        if (workers == 1) first = hash;
        assert_int_equal(hash, first);
        assert_no_error(f.world);
        api_end(&fixture);
    }
}

// ------------------------------------------------------------------ below what changed
static int32_t visited; // counted by one worker only
#define CHANGED(S)                                                                                 \
    KEEL_SYSTEM(S##_place_changed, KEEL_TARGETS_FIRST(keel_child),                                 \
                KEEL_CHANGED_UP(keel_child, S##Local), KEEL_READ(S##Local, l),                     \
                KEEL_WRITE(S##Global, g),                                                          \
                KEEL_UP(keel_child, KEEL_OPTIONAL_READ(S##Global, above))) {                       \
        g->value = (above ? above->value * 31 : 7) + l->value;                                     \
    }                                                                                              \
    KEEL_SYSTEM(S##_count_changed, KEEL_TARGETS_FIRST(keel_child),                                 \
                KEEL_CHANGED_UP(keel_child, S##Local), KEEL_WITH(S##Global)) {                     \
        ++visited;                                                                                 \
    }                                                                                              \
    static void S##_start(keel_world *w, keel_entity e) {                                          \
        keel_add(w, e, S##Local, { roll(1000) });                                                  \
        keel_add(w, e, S##Global);                                                                 \
    }                                                                                              \
    static void S##_touch(keel_world *w, keel_entity e) {                                          \
        keel_get_mut(w, e, S##Local)->value = roll(1000);                                          \
    }
// clang-format off
CHANGED(SetSet) CHANGED(SetIndex) CHANGED(IndexIndex) CHANGED(IndexRow) CHANGED(RowRow) CHANGED(RowSet)
    // clang-format on

    static void grow_whole(uint32_t count) {
    while (f.count < count) {
        const keel_entity e = f.all[f.count] = keel_add_entity(f.world);
#define START(S) S##_start(f.world, e);
        ALL(START)
        if (f.count && roll(4)) attach(f.world, e, f.all[roll(f.count)]);
        ++f.count;
    }
}

static void edit_some(void) {
    const uint32_t what = roll(12);
    for (uint32_t n = roll(what == 0 ? 400 : 12); n; --n) {
        const keel_entity e = f.all[roll(f.count)];
#define TOUCH(S) S##_touch(f.world, e);
        ALL(TOUCH)
    }
    const uint32_t i = roll(f.count);
    const keel_entity e = f.all[i];
    if (what == 1) detach(f.world, e);
    if (what == 2) unlink_both(f.world, e);
    if (what == 3) {
        keel_delete_entity(f.world, e);
        f.all[i] = f.all[--f.count];
        grow_whole(f.count + 1);
    }
    if (what == 4) unlink_both(f.world, e), attach(f.world, e, f.all[(i + 1) % f.count]);
    if (what == 5) keel_world_trim(f.world);
}

static void what_changed_is_computed_below(void **state) {
    (void)state;
    api_fixture fixture;
    for (uint32_t workers = 1; workers <= 4; ++workers) {
        api_begin_workers(&fixture, workers);
        seed = workers;
        f = (forest){ .world = fixture.world };
#define TRACK(S) keel_track(f.world, S##Local, KEEL_TRACK_ALL);
        ALL(TRACK)
        grow_whole(workers == 2 ? LARGE : MOST);
        for (uint32_t round = 0; round < test_rounds(workers == 2 ? 10 : 150); ++round) {
            edit_some();
#define RUN_CHANGED(S)                                                                             \
    keel_run(f.world, S##_place_changed, .parallel = round % 2);                                   \
    S##_check_places(f.world);
            ALL(RUN_CHANGED)
        }
        assert_no_error(f.world);
        api_end(&fixture);
    }
}

static void only_what_is_below_a_change_is_visited(void **state) {
    (void)state;
    api_fixture fixture;
    api_begin(&fixture);
    seed = 11;
    f = (forest){ .world = fixture.world };
    keel_run(f.world, SetSet_count_changed); // from here on it is tracked
    grow_whole(MOST);
    for (uint32_t round = 0; round < test_rounds(300); ++round) {
        visited = 0;
        keel_run(f.world, SetSet_count_changed);
        assert_int_equal(visited, round ? 0 : MOST);
        const keel_entity e = f.all[roll(f.count)];
        SetSet_touch(f.world, e);
        keel_run(f.world, SetSet_count_changed);
        assert_int_equal(visited, tree_size(f.world, e) + (round ? 0 : MOST));
    }
    visited = 0;
    for (uint32_t i = 0; i < f.count; ++i)
        if (i != 3) SetSet_touch(f.world, f.all[i]);
    keel_run(f.world, SetSet_count_changed);
    assert_true(visited >= MOST - 1);
    visited = 0;
    (void)detach(f.world, f.all[MOST - 1]), attach(f.world, f.all[MOST - 1], f.all[0]);
    keel_run(f.world, SetSet_count_changed);
    assert_int_equal(visited, MOST);
    keel_view view;
    keel_reader *reader = keel_reader_create(f.world, "looks");
    keel_view_begin(
        &view, reader,
        KEEL_TERMS(KEEL_TARGETS_FIRST(keel_child), KEEL_CHANGED_UP(keel_child, SetSetLocal)),
        "view");
    assert_true(keel_view_contains(&view, f.all[1]));
    char text[1000];
    keel_view_explain(&view, text, sizeof text);
    assert_non_null(strstr(text, "filter: inserted or modified SetSetLocal, or that of one above"));
    keel_view_end(&view);
    keel_reader_destroy(reader);
    KEEL_EACH(f.world, KEEL_CHANGED_UP(keel_child, SetSetLocal))
        fail();
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "needs KEEL_TARGETS_FIRST");
    api_end(&fixture);
}

// ------------------------------------------------------------------ one entity
static keel_entity add_below(keel_world *w, keel_entity above, keel_entity e) {
    attach(w, e, above);
    return e;
}

static void views_answer_for_one_entity(void **state) {
    (void)state;
    api_fixture fixture;
    api_begin(&fixture);
    keel_world *w = fixture.world;
    const keel_entity top = keel_add_entity(w, KEEL_INIT(Number, { 3 }));
    const keel_entity mid = add_below(w, top, keel_add_entity(w, KEEL_INIT(Other, { 4 })));
    const keel_entity low = add_below(w, mid, keel_add_entity(w, KEEL_INIT(Other, { 5 })));
    keel_view view;
    keel_span span;
    assert_int_equal(
        keel_view_begin(&view, w,
                        KEEL_TERMS(KEEL_READ(Other, o), KEEL_UP(keel_child, KEEL_READ(Number, n)),
                                   KEEL_OF_TARGET(keel_child, KEEL_OPTIONAL_READ(Third, t))),
                        "view"),
        KEEL_OK);
    assert_int_equal(keel_view_count(&view), 2);
    assert_true(keel_view_contains(&view, low));
    assert_false(keel_view_contains(&view, top));
    assert_int_equal(keel_view_get_all(&view, low, &span), KEEL_OK);
    assert_int_equal(keel_span_read(&span, Number)->value, 3);
    assert_int_equal(keel_span_read(&span, Other)->value, 5);
    assert_null(keel_span_read(&span, Third));
    keel_view_end(&view);
    assert_int_equal(keel_view_begin(&view, w,
                                     KEEL_TERMS(KEEL_OF_TARGET(keel_child, KEEL_READ(Number, n))),
                                     "v"),
                     KEEL_OK);
    assert_int_equal(keel_view_count(&view), 1);
    assert_true(keel_is_same(keel_view_first(&view), mid));
    keel_view_end(&view);
    assert_no_error(w);
    api_end(&fixture);
}

static void writing_targets_marks_them(void **state) {
    (void)state;
    api_fixture fixture;
    api_begin(&fixture);
    keel_world *w = fixture.world;
    keel_track(w, Number, KEEL_TRACK_ALL);
    const keel_entity top = keel_add_entity(w, KEEL_INIT(Number, { 3 }));
    keel_add_entity(w, KEEL_INIT(Number, { 9 }));
    add_below(w, top, keel_add_entity(w, KEEL_INIT(Other, { 4 })));
    keel_clear_changes(w, Number, KEEL_TRACK_ALL, KEEL_NOW);
    KEEL_EACH(w, KEEL_READ(Other, o), KEEL_OF_TARGET(keel_child, KEEL_WRITE(Number, n)))
        n->value += o->value;
    uint32_t count = 0;
    KEEL_EACH(w, KEEL_MODIFIED(Number), KEEL_ENTITY(e)) {
        assert_true(keel_is_same(e, top));
        ++count;
    }
    assert_int_equal(count, 1);
    assert_int_equal(keel_get(w, top, Number)->value, 7);
    api_end(&fixture);
}

static void nobody_changes_links_meanwhile(void **state) {
    (void)state;
    api_fixture fixture;
    api_begin(&fixture);
    keel_world *w = fixture.world;
    const keel_entity top = keel_add_entity(w), low = add_below(w, top, keel_add_entity(w));
    KEEL_EACH(w, KEEL_TARGETS_FIRST(keel_child), KEEL_ENTITY(e)) {
        (void)e;
        assert_int_equal(detach(w, low), KEEL_ERROR_BORROWED);
    }
    assert_error(w, KEEL_ERROR_BORROWED, RELATION);
    api_end(&fixture);
}

static void explain_names_relations(void **state) {
    (void)state;
    api_fixture fixture;
    api_begin(&fixture);
    keel_view view;
    char text[800];
    keel_view_begin(&view, fixture.world,
                    KEEL_TERMS(KEEL_TARGETS_FIRST(keel_child), KEEL_WRITE(Number, n),
                               KEEL_UP(keel_child, KEEL_OPTIONAL_READ(Number, above)),
                               KEEL_OF_TARGET(keel_child, KEEL_READ(Other, o))),
                    "place");
    assert_true(keel_view_explain(&view, text, sizeof text) < sizeof text);
    assert_string_equal(
        text, "view: place\n"
              "leader: levels of " RELATION ", targets first, by choice\n"
              "touches: 0\n"
              "filter: has Number (sparse set)\n"
              "filter: has " RELATION " (indexed)\n"
              "column: write Number (sparse set)\n"
              "column: maybe read Number (sparse set) of the nearest above by " RELATION "\n"
              "column: read Other (sparse set) of the target of " RELATION "\n"
              "chunks: lists, none of two levels\n");
    keel_view_end(&view);
    api_end(&fixture);
}

// ------------------------------------------------------------------ misuse
KEEL_SYSTEM(unordered, KEEL_WRITE(Number, n), KEEL_UP(keel_child, KEEL_READ(Number, above))) {
    n->value = above->value;
}
KEEL_SYSTEM(gives, KEEL_READ(Number, n), KEEL_OF_TARGET(keel_child, KEEL_WRITE(Number, above))) {
    above->value = n->value;
}
KEEL_SYSTEM(gives_other, KEEL_READ(Number, n), KEEL_OF_TARGET(keel_child, KEEL_WRITE(Other, o))) {
    o->value = n->value;
}
KEEL_SYSTEM(wrong_relation, KEEL_READ(Number, n), KEEL_OF_TARGET(Position, KEEL_READ(Other, o))) {
    (void)n, (void)o;
}
KEEL_WORKLOAD(with_unordered, KEEL_STEP(gives_other), KEEL_STEP(unordered));
KEEL_WORKLOAD(with_split, KEEL_STEP(gives_other, .parallel = true));

static void what_depends_on_the_order_is_refused(void **state) {
    (void)state;
    api_fixture fixture;
    api_begin(&fixture);
    keel_world *w = fixture.world;
    assert_int_equal(keel_run(w, unordered), KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT,
                 "unordered writes 'Number' and reads it through '" RELATION "'");
    assert_int_equal(keel_run_workload(w, with_unordered), KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT,
                 "unordered writes 'Number' and reads it through '" RELATION "'");
    assert_int_equal(keel_run(w, gives), KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT,
                 "gives writes 'Number' through '" RELATION "' and names it again");
    assert_int_equal(keel_run_parallel(w, gives_other), KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT,
                 "'gives_other' cannot be split over several threads: it writes a component of the "
                 "target");
    assert_int_equal(keel_run_workload(w, with_split), KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT, "'gives_other' cannot be split");
    assert_int_equal(keel_run(w, gives_other), KEEL_OK);
    assert_int_equal(keel_run(w, wrong_relation), KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT, "'Position' is no relation");
    KEEL_EACH(w, KEEL_TARGETS_FIRST(keel_child), KEEL_LEADING(Number))
        fail();
    assert_error(w, KEEL_ERROR_ARGUMENT, "more than one");
    KEEL_EACH(w, KEEL_TARGETS_FIRST(keel_child), KEEL_WRITE(Number, n), KEEL_BACKWARDS,
              KEEL_UP(keel_child, KEEL_READ(Number, above)))
        n->value = above->value;
    assert_error(w, KEEL_ERROR_ARGUMENT, "leave out KEEL_BACKWARDS");
    api_end(&fixture);
}

static void exhausted_memory_is_reported(void **state) {
    (void)state;
    api_fixture fixture;
    api_begin(&fixture);
    seed = 3;
    f = (forest){ .world = fixture.world };
    grow(MOST);
    bool is_done = false;
    for (uint32_t allocations = 0; !is_done; ++allocations) {
        keel_world_trim(f.world);
        counting_allocator_fail_after(&fixture.memory, allocations);
        is_done = keel_run(f.world, SetSet_place) == KEEL_OK;
        counting_allocator_never_fail(&fixture.memory);
        if (!is_done) assert_error(f.world, KEEL_ERROR_MEMORY, NULL);
    }
    SetSet_check_places(f.world);
    api_end(&fixture);
}

static const struct CMUnitTest tests[] = {
    TEST(all_agree_with_the_model, "random trees: terms over the hierarchy agree with the model"),
    TEST(many_workers_make_the_same, "an ordered pass gives the same on 1 to 4 workers"),
    TEST(what_changed_is_computed_below, "passes over what changed agree with the model"),
    TEST(only_what_is_below_a_change_is_visited, "what is not below a change is not visited"),
    TEST(views_answer_for_one_entity, "a view answers for one entity through a relation"),
    TEST(writing_targets_marks_them, "parents that are written count as modified, and no other"),
    TEST(nobody_changes_links_meanwhile, "links are borrowed while an ordered pass goes on"),
    TEST(explain_names_relations, "explain names the relations"),
    TEST(what_depends_on_the_order_is_refused, "what would depend on the order is refused"),
    TEST(exhausted_memory_is_reported, "an ordered pass that gets no memory says so"),
};
int main(void) { return RUN(tests); }
