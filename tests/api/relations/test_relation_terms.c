// SPDX-License-Identifier: MIT
// KEEL_RELATED and KEEL_TARGETED over relations and the hierarchy, against what the verbs say;
// terms over several relations in one view; what relations the terms take.
#include "support/api_types.h"

#include <string.h>

KEEL_RELATION(Likes);
KEEL_RELATION(Follows, .exclusive = true);
KEEL_RELATION(PartOf, .exclusive = true, .acyclic = true);
KEEL_RELATION(Unknown, .exclusive = true, .acyclic = true);

enum { COUNT = 300, MANY = 20000 };
static api_fixture f;
static keel_entity all[MANY];
static uint64_t seed;
static uint32_t roll(uint32_t below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % below;
}

// ------------------------------------------------------------------ who is related to one
static void visit(const keel_span *span, const keel_piece *piece, void *data) {
    (void)piece;
    uint32_t *sum = data;
    for (uint32_t i = 0; i < span->count; ++i)
        __atomic_add_fetch(sum, keel_entity_index(span->entities[i]) + 1, __ATOMIC_RELAXED);
}

#define CHECK_RELATED(R, to, EACH)                                                                 \
    do {                                                                                           \
        static keel_entity expected[MANY];                                                         \
        uint32_t n = 0, i = 0, k = 0, sum = 0, total = 0;                                          \
        EACH expected[n++] = e;                                                                    \
        KEEL_EACH(f.world, KEEL_RELATED(R, to), KEEL_ENTITY(e))                                    \
            assert_true(keel_is_same(e, expected[i++]));                                           \
        assert_int_equal(i, n);                                                                    \
        KEEL_EACH(f.world, KEEL_RELATED(R, to), KEEL_ENTITY(e), KEEL_BACKWARDS)                    \
            assert_true(keel_is_same(e, expected[--i]));                                           \
        assert_int_equal(i, 0);                                                                    \
        KEEL_EACH(f.world, KEEL_READ(Number, number), KEEL_RELATED(R, to), KEEL_WITHOUT(Frozen),   \
                  KEEL_OPTIONAL_READ(Other, other), KEEL_ENTITY(e)) {                              \
            while (!keel_has(f.world, expected[k], Number) ||                                      \
                   keel_has(f.world, expected[k], Frozen))                                         \
                ++k;                                                                               \
            assert_true(keel_is_same(e, expected[k++]));                                           \
            assert_ptr_equal(number, keel_get(f.world, e, Number));                                \
            assert_ptr_equal(other, keel_get(f.world, e, Other));                                  \
        }                                                                                          \
        while (k < n) {                                                                            \
            assert_true(!keel_has(f.world, expected[k], Number) ||                                 \
                        keel_has(f.world, expected[k], Frozen));                                   \
            ++k;                                                                                   \
        }                                                                                          \
        keel_view view;                                                                            \
        keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_RELATED(R, to), KEEL_ENTITY(e)), "view");  \
        assert_int_equal(keel_view_count(&view), n);                                               \
        const keel_entity someone = all[roll(COUNT)];                                              \
        bool is_there = false;                                                                     \
        for (k = 0; k < n; ++k) {                                                                  \
            is_there |= keel_is_same(expected[k], someone);                                        \
            sum += keel_entity_index(expected[k]) + 1;                                             \
        }                                                                                          \
        if (keel_is_alive(f.world, someone))                                                       \
            assert_int_equal(keel_view_contains(&view, someone), is_there);                        \
        assert_int_equal(keel_view_parallel_for(&view, visit, &total), KEEL_OK);                   \
        assert_int_equal(total, sum);                                                              \
        keel_view_end(&view);                                                                      \
        keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_RELATED(R, to)), "view of one term");      \
        assert_int_equal(keel_view_count(&view), n);                                               \
        keel_view_end(&view);                                                                      \
    } while (0)

#define CHECK_TARGETED(R, is_target)                                                               \
    do {                                                                                           \
        uint32_t n = 0, k = 0;                                                                     \
        KEEL_EACH(f.world, KEEL_TARGETED(R), KEEL_ENTITY(e)) {                                     \
            assert_true(is_target);                                                                \
            ++n;                                                                                   \
        }                                                                                          \
        for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(f.world, e));)        \
            k += (is_target) != 0;                                                                 \
        assert_int_equal(n, k);                                                                    \
        KEEL_EACH(f.world, KEEL_TARGETED(R), KEEL_READ(Number, number), KEEL_ENTITY(e)) {          \
            assert_true(is_target);                                                                \
            assert_ptr_equal(number, keel_get(f.world, e, Number));                                \
        }                                                                                          \
    } while (0)

static void make(uint32_t i) {
    all[i] = keel_add_entity(f.world);
    if (roll(3)) keel_add(f.world, all[i], Number, { i });
    if (roll(2)) keel_add(f.world, all[i], Other, { i });
    if (!roll(4)) keel_add(f.world, all[i], Frozen);
}

static void edit(uint32_t count) {
    const uint32_t a = roll(count), b = roll(10) ? roll(count) : 0;
    switch (roll(9)) {
    case 0:
    case 1:
    case 2:
        keel_relate(f.world, all[a], Likes, all[b]);
        break;
    case 3:
        keel_relate(f.world, all[a], Follows, all[b]);
        break;
    case 4:
        if (b < a) keel_attach(f.world, all[a], all[b]);
        break;
    case 5:
        keel_unrelate(f.world, all[a], Likes, all[b]);
        break;
    case 6:
        keel_unrelate_all(f.world, all[a], Follows);
        break;
    case 7:
        keel_detach(f.world, all[a]);
        break;
    default:
        if (roll(4) || !a) break;
        keel_delete_entity(f.world, all[a]);
        make(a);
    }
}

static void check(keel_entity to) {
    CHECK_RELATED(Likes, to, KEEL_EACH_SOURCE(f.world, to, Likes, e));
    CHECK_RELATED(Follows, to, KEEL_EACH_SOURCE(f.world, to, Follows, e));
    CHECK_RELATED(keel_child, to, KEEL_EACH_CHILD(f.world, to, e));
}

static void views_agree_with_the_verbs(void **state) {
    (void)state;
    for (uint32_t workers = 1; workers <= 4; workers += 3) {
        api_begin_workers(&f, workers);
        seed = workers;
        for (uint32_t i = 0; i < COUNT; ++i)
            make(i);
        for (uint32_t round = 0; round < test_rounds(60); ++round) {
            for (uint32_t i = 0; i < 100; ++i)
                edit(COUNT);
            check(all[0]);
            check(all[roll(COUNT)]);
            CHECK_TARGETED(Likes, keel_source_count(f.world, e, Likes));
            CHECK_TARGETED(Follows, keel_source_count(f.world, e, Follows));
            CHECK_TARGETED(keel_child, (keel_child_count(f.world, e) > 0));
        }
        assert_no_error(f.world);
        api_end(&f);
    }
}

// The list has pages, and holes on most of them.
static void a_long_list_leads(void **state) {
    (void)state;
    api_begin_workers(&f, 2);
    seed = 9;
    const uint32_t count = test_rounds(MANY) < 5000 ? 5000 : MANY;
    for (uint32_t i = 0; i < count; ++i) {
        make(i);
        keel_relate(f.world, all[i], Likes, all[0]);
        keel_relate(f.world, all[i], Follows, all[0]);
        if (i) keel_attach(f.world, all[i], all[0]);
    }
    for (uint32_t i = 0; i < count / 3; ++i) {
        keel_unrelate(f.world, all[roll(count)], Likes, all[0]);
        keel_unrelate(f.world, all[roll(count)], Follows, all[0]);
    }
    check(all[0]);
    assert_no_error(f.world);
    api_end(&f);
}

static void nobody_is_related_to_the_dead(void **state) {
    (void)state;
    api_begin(&f);
    const keel_entity dead = keel_add_entity(f.world);
    keel_delete_entity(f.world, dead);
    keel_add_entity(f.world);
    KEEL_EACH(f.world, KEEL_RELATED(Likes, dead), KEEL_ENTITY(e))
        assert_true(keel_is_null(e));
    KEEL_EACH(f.world, KEEL_RELATED(Likes, keel_null()), KEEL_ENTITY(e))
        assert_true(keel_is_null(e));
    assert_no_error(f.world);
    api_end(&f);
}

// ------------------------------------------------------------------ systems
KEEL_SYSTEM(count_targets, KEEL_TARGETED(Likes), KEEL_WRITE(Number, n)) { n->value += 1; }
KEEL_SYSTEM_ONCE(look, KEEL_MAY_READ(Likes), KEEL_MAY_WRITE(Other), KEEL_CONTEXT(c)) {
    KEEL_EACH(c, KEEL_TARGETED(Likes), KEEL_ENTITY(b))
        KEEL_EACH(c, KEEL_RELATED(Likes, b), KEEL_WRITE(Other, o))
            o->value += 1;
}
KEEL_WORKLOAD(both, KEEL_STEP(count_targets, .parallel = true), KEEL_STEP(look));

static void systems_and_tasks_take_them(void **state) {
    (void)state;
    api_begin_workers(&f, 2);
    keel_entity e[4];
    for (uint32_t i = 0; i < 4; ++i)
        e[i] = keel_add_entity(f.world, KEEL_INIT(Number, { 0 }), KEEL_INIT(Other, { 0 }));
    keel_relate(f.world, e[0], Likes, e[1]);
    keel_relate(f.world, e[2], Likes, e[1]);
    for (uint32_t round = 1; round <= 3; ++round) {
        assert_int_equal(keel_run_workload(f.world, both), KEEL_OK);
        for (uint32_t i = 0; i < 4; ++i) {
            assert_int_equal(keel_get(f.world, e[i], Number)->value, i == 1 ? round : 0);
            assert_int_equal(keel_get(f.world, e[i], Other)->value, i % 2 ? 0 : round);
        }
    }
    keel_relate(f.world, e[0], Likes, e[3]);
    keel_unrelate_sources(f.world, Likes, e[1]);
    assert_int_equal(keel_run_workload(f.world, both), KEEL_OK);
    assert_int_equal(keel_get(f.world, e[1], Number)->value, 3);
    assert_int_equal(keel_get(f.world, e[3], Number)->value, 1);
    assert_no_error(f.world);
    api_end(&f);
}

static void nobody_relates_meanwhile(void **state) {
    (void)state;
    api_begin(&f);
    const keel_entity a = keel_add_entity(f.world), b = keel_add_entity(f.world);
    keel_relate(f.world, a, Likes, b);
    KEEL_EACH(f.world, KEEL_RELATED(Likes, b), KEEL_ENTITY(e)) {
        assert_int_equal(keel_relate(f.world, b, Likes, e), KEEL_ERROR_BORROWED);
        assert_int_equal(keel_delete_entity(f.world, b), KEEL_ERROR_BORROWED);
    }
    KEEL_EACH(f.world, KEEL_TARGETED(Likes), KEEL_ENTITY(e))
        assert_int_equal(keel_unrelate_all(f.world, e, Likes), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "Likes");
    keel_view view; // an edit through the view that walks
    keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_TARGETED(Likes), KEEL_MAY_EDIT(Likes)),
                    "edits");
    keel_iterator it;
    assert_int_equal(keel_iterator_begin(&it, &view), KEEL_OK);
    assert_int_equal(keel_unrelate_all(&view, a, Likes), KEEL_ERROR_ITERATING);
    keel_iterator_end(&it);
    assert_int_equal(keel_unrelate_all(&view, a, Likes), KEEL_OK);
    keel_view_end(&view);
    api_end(&f);
}

// ------------------------------------------------------------------ several relations
// Ordered by one relation, and values through others.
static void relations_go_together(void **state) {
    (void)state;
    api_begin(&f);
    seed = 4;
    for (uint32_t i = 0; i < COUNT; ++i) {
        all[i] = keel_add_entity(f.world, KEEL_INIT(Number, { i }));
        if (roll(3)) keel_add(f.world, all[i], Other, { i });
    }
    for (uint32_t i = 1; i < COUNT; ++i) {
        if (roll(5)) keel_relate(f.world, all[i], PartOf, all[roll(i)]);
        if (roll(5)) keel_attach(f.world, all[COUNT - 1 - i], all[COUNT - 1 - roll(i)]);
        if (roll(2)) keel_relate(f.world, all[i], Follows, all[roll(COUNT)]);
    }
    static bool seen[COUNT];
    memset(seen, 0, sizeof seen);
    KEEL_EACH(f.world, KEEL_TARGETS_FIRST(PartOf), KEEL_READ(Number, n),
              KEEL_UP(keel_child, KEEL_OPTIONAL_READ(Other, up)),
              KEEL_UP(PartOf, KEEL_OPTIONAL_READ(Third, third)),
              KEEL_OF_TARGET(Follows, KEEL_OPTIONAL_READ(Position, leader)),
              KEEL_OF_TARGET(Follows, KEEL_OPTIONAL_READ(Number, followed)), KEEL_ENTITY(e)) {
        const keel_entity whole = keel_target_of(f.world, e, PartOf);
        const keel_entity to = keel_target_of(f.world, e, Follows);
        keel_entity above = keel_parent_of(f.world, e);
        seen[n->value] = true;
        assert_true(keel_is_null(whole) || seen[keel_get(f.world, whole, Number)->value]);
        while (!keel_is_null(above) && !keel_has(f.world, above, Other))
            above = keel_parent_of(f.world, above);
        assert_ptr_equal(up, keel_get(f.world, above, Other));
        assert_ptr_equal(followed, keel_get(f.world, to, Number));
        assert_null(third);
        assert_null(leader);
    }
    for (uint32_t i = 0; i < COUNT; ++i)
        assert_true(seen[i]);
    assert_no_error(f.world);
    api_end(&f);
}

static void share_and_look(void) {
    uint32_t count = 0;
    KEEL_EACH(f.world, KEEL_READ(Number, n),
              KEEL_OF_TARGET(Unknown, KEEL_OPTIONAL_READ(Number, t))) {
        assert_null(t);
        count += n->value;
    }
    assert_int_equal(count, 5);
    KEEL_EACH(f.world, KEEL_READ(Number, n), KEEL_UP(Unknown, KEEL_READ(Number, t)))
        assert_true(!n && !t);
    KEEL_EACH(f.world, KEEL_TARGETED(Unknown), KEEL_ENTITY(e))
        assert_true(keel_is_null(e));
    KEEL_EACH(f.world, KEEL_RELATED(Unknown, all[0]), KEEL_ENTITY(e))
        assert_true(keel_is_null(e));
    KEEL_EACH(f.world, KEEL_TARGETS_FIRST(Unknown), KEEL_READ(Number, n))
        count += n->value;
    assert_int_equal(count, 10);
}

static void what_the_world_does_not_know_relates_nobody(void **state) {
    (void)state;
    api_begin(&f);
    all[0] = keel_add_entity(f.world, KEEL_INIT(Number, { 5 }));
    assert_int_equal(keel_share_begin(f.world), KEEL_OK);
    share_and_look(); // nothing becomes known in shared mode
    assert_int_equal(keel_share_end(f.world), KEEL_OK);
    share_and_look();
    assert_no_error(f.world);
    api_end(&f);
}

// ------------------------------------------------------------------ misuse
#define REFUSED(text, ...)                                                                         \
    do {                                                                                           \
        keel_view refused;                                                                         \
        assert_int_equal(keel_view_begin(&refused, f.world, KEEL_TERMS(__VA_ARGS__), "refused"),   \
                         KEEL_ERROR_ARGUMENT);                                                     \
        assert_error(f.world, KEEL_ERROR_ARGUMENT, text);                                          \
    } while (0)

static void what_makes_no_sense_is_refused(void **state) {
    (void)state;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    REFUSED("'Likes' is not .exclusive", KEEL_OF_TARGET(Likes, KEEL_READ(Number, n)));
    REFUSED("'Follows' is not .acyclic", KEEL_UP(Follows, KEEL_READ(Number, n)));
    REFUSED("'Follows' is not .acyclic", KEEL_TARGETS_FIRST(Follows), KEEL_READ(Number, n));
    REFUSED(".exclusive = true, .acyclic = true", KEEL_TARGETS_FIRST(Follows));
    REFUSED("'Likes' is not .exclusive and not .acyclic", KEEL_TARGETS_FIRST(Likes));
    REFUSED(".exclusive = true, .acyclic = true", KEEL_TARGETS_FIRST(Likes));
    REFUSED("'Number' is no relation", KEEL_TARGETED(Number), KEEL_READ(Other, n));
    REFUSED("'Number' is no relation", KEEL_RELATED(Number, e), KEEL_READ(Other, n));
    REFUSED("more than one", KEEL_RELATED(Likes, e), KEEL_LEADING(Number));
    REFUSED("more than one", KEEL_RELATED(Likes, e), KEEL_RELATED(Follows, e));
    REFUSED("more than one", KEEL_AMONG(&e, 1), KEEL_RELATED(Follows, e));
    REFUSED("needs KEEL_TARGETS_FIRST of its relation", KEEL_TARGETS_FIRST(keel_child),
            KEEL_CHANGED_UP(PartOf, Number));
    REFUSED("reads it through 'PartOf'", KEEL_TARGETS_FIRST(keel_child), KEEL_WRITE(Number, n),
            KEEL_UP(PartOf, KEEL_OPTIONAL_READ(Number, m)));
    REFUSED("reads it through 'Follows'", KEEL_WRITE(Number, n),
            KEEL_OF_TARGET(Follows, KEEL_OPTIONAL_READ(Number, m)));
    const keel_term none[] = { { .kind = KEEL_TERM_RELATED, .component = KEEL_OF(Likes) },
                               { .kind = KEEL_TERM_END } };
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, none, "none"), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "the target of a KEEL_RELATED is NULL");
    api_end(&f);
}

static void explain_says_what_leads(void **state) {
    (void)state;
    api_begin(&f);
    const keel_entity a = keel_add_entity(f.world), b = keel_add_entity(f.world);
    keel_relate(f.world, a, Likes, b);
    keel_view view;
    char text[800];
    keel_view_begin(
        &view, f.world,
        KEEL_TERMS(KEEL_RELATED(Likes, b), KEEL_TARGETED(Follows), KEEL_READ(Number, n)), "who");
    assert_true(keel_view_explain(&view, text, sizeof text) < sizeof text);
    assert_string_equal(text, "view: who\n"
                              "leader: sources of 1v0 in Likes, in the order of "
                              "relating, by choice\n"
                              "touches: 1\n"
                              "filter: has Follows (targets) (indexed)\n"
                              "filter: has Number (sparse set)\n"
                              "column: read Number (sparse set)\n"
                              "chunks: lists\n");
    keel_view_end(&view);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(views_agree_with_the_verbs, "related, targeted: views agree with the verbs"),
    TEST(a_long_list_leads, "a view is led by thousands of sources, with holes"),
    TEST(nobody_is_related_to_the_dead, "nobody is related to what is not alive"),
    TEST(systems_and_tasks_take_them, "systems and tasks look at who is related"),
    TEST(nobody_relates_meanwhile, "relations are borrowed while a view walks along them"),
    TEST(relations_go_together, "one view has terms over several relations"),
    TEST(what_the_world_does_not_know_relates_nobody,
         "a relation that is not known matches nobody"),
    TEST(what_makes_no_sense_is_refused, "terms refuse relations that they cannot follow"),
    TEST(explain_says_what_leads, "explain names the target whose sources lead"),
};
int main(void) { return RUN(tests); }
