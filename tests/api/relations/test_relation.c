// SPDX-License-Identifier: MIT
// Relations: what each verb does, in each scope, and what becomes of them when entities and worlds
// come and go. One test for each rule of docs/tasks/relations.md.
#include "support/api_fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

KEEL_RELATION(Likes);
KEEL_RELATION(Follows, .exclusive = true);
KEEL_RELATION(PartOf, .exclusive = true, .acyclic = true, .on_delete = KEEL_DELETE_SOURCES);
KEEL_RELATION(Needs, .on_delete = KEEL_REFUSE);
typedef struct Weight {
    int grams;
} Weight;
KEEL_COMPONENT(Weight, .no_padding = true);
typedef struct Berth {
    int number;
} Berth;
KEEL_COMPONENT(Berth, .storage = KEEL_ARCHETYPE);

static api_fixture f;
static keel_entity a, b, c, d;

static void begin(void) {
    api_begin(&f);
    a = keel_add_entity(f.world, KEEL_INIT(Weight, { 1 }));
    b = keel_add_entity(f.world, KEEL_INIT(Weight, { 2 }));
    c = keel_add_entity(f.world, KEEL_INIT(Weight, { 3 }));
    d = keel_add_entity(f.world, KEEL_INIT(Weight, { 4 }));
}

static void end(void) {
    assert_no_error(f.world);
    api_end(&f);
}

// Who is there, in order: "abd".
static char name_of(keel_entity e) {
    return keel_is_same(e, a)   ? 'a'
           : keel_is_same(e, b) ? 'b'
           : keel_is_same(e, c) ? 'c'
           : keel_is_same(e, d) ? 'd'
                                : '?';
}
static void assert_targets(keel_world *world, keel_entity of, const keel_component *relation,
                           const char *expected) {
    char names[16] = "";
    uint32_t n = 0;
    for (keel_entity e = keel_null();
         !keel_is_null(e = keel_next_target_component(world, of, relation, e));)
        names[n++] = name_of(e);
    assert_string_equal(names, expected);
    assert_int_equal(keel_target_count_component(world, of, relation), n);
}
static void assert_sources(keel_world *world, keel_entity of, const keel_component *relation,
                           const char *expected) {
    char names[16] = "";
    uint32_t n = 0;
    for (keel_entity e = keel_null();
         !keel_is_null(e = keel_next_source_component(world, of, relation, e));)
        names[n++] = name_of(e);
    assert_string_equal(names, expected);
    assert_int_equal(keel_source_count_component(world, of, relation), n);
}
#define TARGETS(of, T, expected) assert_targets(f.world, of, KEEL_OF(T), expected)
#define SOURCES(of, T, expected) assert_sources(f.world, of, KEEL_OF(T), expected)

// ------------------------------------------------------------------ verbs
static void both_sides_keep_the_order(void **state) {
    (void)state;
    begin();
    assert_int_equal(keel_relate(f.world, a, Likes, c), KEEL_OK);
    assert_int_equal(keel_relate(f.world, a, Likes, b), KEEL_OK);
    assert_int_equal(keel_relate(f.world, d, Likes, b), KEEL_OK);
    assert_int_equal(keel_relate(f.world, c, Likes, b), KEEL_OK);
    TARGETS(a, Likes, "cb");
    SOURCES(b, Likes, "adc");
    assert_true(keel_is_related(f.world, a, Likes, b));
    assert_false(keel_is_related(f.world, b, Likes, a));
    assert_same_entity(keel_target_of(f.world, a, Likes), c);
    assert_int_equal(keel_target_count(f.world, a, Likes), 2);
    assert_int_equal(keel_source_count(f.world, b, Likes), 3);
    assert_int_equal(keel_unrelate(f.world, d, Likes, b), KEEL_OK);
    assert_int_equal(keel_unrelate(f.world, d, Likes, b), KEEL_ABSENT);
    SOURCES(b, Likes, "ac");
    assert_int_equal(keel_unrelate_all(f.world, a, Likes), KEEL_OK);
    assert_int_equal(keel_unrelate_all(f.world, a, Likes), KEEL_ABSENT);
    SOURCES(b, Likes, "c");
    assert_int_equal(keel_unrelate_sources(f.world, Likes, b), KEEL_OK);
    assert_int_equal(keel_unrelate_sources(f.world, Likes, b), KEEL_ABSENT);
    assert_int_equal(keel_count(f.world, Likes), 0);
    end();
}

static void who_is_related_already_stays_in_its_place(void **state) {
    (void)state;
    begin();
    keel_relate(f.world, a, Likes, b);
    keel_relate(f.world, a, Likes, c);
    assert_int_equal(keel_relate(f.world, a, Likes, b), KEEL_OK);
    TARGETS(a, Likes, "bc");
    SOURCES(b, Likes, "a");
    end();
}

static void an_exclusive_source_leaves_its_old_target(void **state) {
    (void)state;
    begin();
    keel_relate(f.world, a, Follows, d);
    keel_relate(f.world, b, Follows, d);
    keel_relate(f.world, c, Follows, d);
    assert_int_equal(keel_relate(f.world, a, Follows, b), KEEL_OK);
    assert_same_entity(keel_target_of(f.world, a, Follows), b);
    SOURCES(d, Follows, "bc");
    assert_int_equal(keel_relate(f.world, a, Follows, d), KEEL_OK); // the last there
    SOURCES(d, Follows, "bca");
    SOURCES(b, Follows, "");
    end();
}

static void an_entity_may_be_related_to_itself(void **state) {
    (void)state;
    begin();
    assert_int_equal(keel_relate(f.world, a, Likes, a), KEEL_OK);
    assert_int_equal(keel_relate(f.world, a, Follows, a), KEEL_OK);
    TARGETS(a, Likes, "a");
    SOURCES(a, Follows, "a");
    keel_relate(f.world, b, Likes, a); // and a circle
    keel_relate(f.world, a, Likes, b);
    assert_true(keel_delete_entity(f.world, a) == KEEL_OK);
    TARGETS(b, Likes, "");
    end();
}

static void a_dead_end_is_refused(void **state) {
    (void)state;
    begin();
    keel_relate(f.world, a, Likes, c);
    const keel_entity dead = b;
    keel_delete_entity(f.world, b);
    assert_int_equal(keel_relate(f.world, a, Likes, dead), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_relate(f.world, dead, Likes, a), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_relate(f.world, a, Likes, keel_null()), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_relate(f.world, keel_null(), Likes, a), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_unrelate(f.world, a, Likes, dead), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_unrelate_all(f.world, dead, Likes), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_unrelate_sources(f.world, Likes, dead), KEEL_ERROR_DEAD_ENTITY);
    assert_true(keel_is_null(keel_target_of(f.world, dead, Likes)));
    assert_int_equal(keel_target_count(f.world, dead, Likes), 0);
    assert_int_equal(keel_source_count(f.world, keel_null(), Likes), 0);
    assert_false(keel_is_related(f.world, dead, Likes, c));
    KEEL_EACH_TARGET(f.world, dead, Likes, e) fail();
    KEEL_EACH_SOURCE(f.world, keel_null(), Likes, e) fail();
    TARGETS(a, Likes, "c");
    end();
}

static void what_is_no_relation_is_refused(void **state) {
    (void)state;
    begin();
    const keel_component *weight = KEEL_OF(Weight);
    assert_int_equal(keel_relate_component(f.world, a, weight, b, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "'Weight' is no relation");
    assert_int_equal(keel_unrelate_all_component(f.world, a, weight), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "'Weight' is no relation");
    assert_true(keel_is_null(keel_target_of_component(f.world, a, weight)));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "'Weight' is no relation");
    assert_int_equal(keel_relate_component(f.world, a, NULL, b, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "NULL");
    end();
}

// ------------------------------------------------------------------ as a component
static void nobody_edits_it_by_hand(void **state) {
    (void)state;
    begin();
    keel_relate(f.world, a, Likes, b);
    assert_int_equal(keel_add_component(f.world, b, KEEL_OF(Likes), NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "use keel_relate, keel_unrelate");
    assert_int_equal(keel_delete(f.world, a, Likes), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "use keel_relate, keel_unrelate");
    assert_int_equal(keel_disable(f.world, a, Likes), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "keel_relate");
    assert_int_equal(keel_clear(f.world, Likes), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "keel_relate");
    keel_commands *list = keel_world_commands(f.world);
    assert_int_equal(keel_delete(list, a, Likes), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "keel_relate");
    TARGETS(a, Likes, "b");
    end();
}

static void sources_are_found_by_terms(void **state) {
    (void)state;
    begin();
    keel_relate(f.world, a, Likes, b);
    keel_relate(f.world, c, Likes, b);
    int sum = 0;
    KEEL_EACH(f.world, KEEL_WITH(Likes), KEEL_READ(Weight, w))
        sum += w->grams;
    assert_int_equal(sum, 1 + 3);
    KEEL_EACH(f.world, KEEL_WITHOUT(Likes), KEEL_READ(Weight, w))
        sum += 10 * w->grams;
    assert_int_equal(sum, 4 + 10 * (2 + 4));
    assert_true(keel_has(f.world, a, Likes));
    assert_false(keel_has(f.world, b, Likes));
    assert_int_equal(keel_count(f.world, Likes), 2);
    end();
}

static void it_is_listed_and_found_by_name(void **state) {
    (void)state;
    begin();
    keel_relate(f.world, a, Likes, b);
    const keel_component *found = keel_find_component(f.world, "Likes");
    assert_non_null(found);
    assert_true(found->is_relation);
    assert_int_equal(keel_relate_component(f.world, a, found, c, NULL), KEEL_OK);
    TARGETS(a, Likes, "bc");
    assert_null(keel_find_component(f.world, "Likes (targets)")); // that is the world's own
    uint32_t relations = 0;
    for (const keel_component *i = NULL; (i = keel_next_component(f.world, i)) != NULL;) {
        relations += i->is_relation;
        assert_null(strstr(i->name, "(targets)"));
    }
    assert_int_equal(relations, 2); // with keel_child
    for (const keel_component *i = NULL; (i = keel_next_component_of(f.world, b, i)) != NULL;)
        assert_string_equal(i->name, "Weight");
    end();
}

static void it_is_made_at_run_time(void **state) {
    (void)state;
    begin();
    const keel_component made = { .name = "owns", .is_relation = true, .exclusive = true };
    const keel_component *owns = keel_register_component(f.world, &made);
    assert_non_null(owns);
    assert_int_equal(keel_relate_component(f.world, a, owns, b, NULL), KEEL_OK);
    assert_int_equal(keel_relate_component(f.world, a, owns, c, NULL), KEEL_OK);
    assert_targets(f.world, a, owns, "c");
    assert_int_equal(keel_unregister_component(f.world, owns), KEEL_OK);
    assert_null(keel_find_component(f.world, "owns"));
    assert_true(keel_world_check(f.world, NULL));
    owns = keel_register_component(f.world, &made); // anew, and nobody is related
    assert_targets(f.world, a, owns, "");
    assert_int_equal(keel_relate_component(f.world, c, owns, b, NULL), KEEL_OK);
    end();
}

static void wrong_options_are_refused(void **state) {
    (void)state;
    begin();
    keel_component wrong = { .name = "wrong", .exclusive = true };
    assert_null(keel_register_component(f.world, &wrong));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "an option of relations");
    wrong = (keel_component){ .name = "wrong", .on_delete = KEEL_REFUSE };
    assert_null(keel_register_component(f.world, &wrong));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "an option of relations");
    wrong = (keel_component){ .name = "wrong", .is_relation = true, .acyclic = true };
    assert_null(keel_register_component(f.world, &wrong));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "only exclusive relations");
    wrong =
        (keel_component){ .name = "wrong", .is_relation = true, .on_delete = (keel_on_delete)9 };
    assert_null(keel_register_component(f.world, &wrong));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "unknown .on_delete");
    wrong = (keel_component){ .name = "wrong", .is_relation = true, .is_unique = true };
    assert_null(keel_register_component(f.world, &wrong));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "a unique cannot be a relation");
    end();
}

// ------------------------------------------------------------------ whoever goes
static void whoever_dies_lets_go_of_all(void **state) {
    (void)state;
    begin();
    keel_relate(f.world, a, Likes, b);
    keel_relate(f.world, c, Likes, b);
    keel_relate(f.world, b, Likes, d);
    keel_relate(f.world, b, Follows, a);
    keel_relate(f.world, c, Follows, b);
    keel_delete_entity(f.world, b);
    TARGETS(a, Likes, "");
    SOURCES(d, Likes, "");
    SOURCES(a, Follows, "");
    assert_false(keel_has(f.world, c, Follows));
    assert_int_equal(keel_count(f.world, Likes), 0);
    assert_true(keel_world_check(f.world, NULL));
    end();
}

static void each_way_of_going_lets_go(void **state) {
    (void)state;
    for (uint32_t way = 0; way < 6; ++way) {
        begin();
        keel_relate(f.world, a, Likes, b);
        keel_relate(f.world, b, Likes, c);
        keel_relate(f.world, d, Follows, b);
        if (way == 0) assert_int_equal(keel_strip(f.world, b), KEEL_OK);
        if (way == 1) keel_delete_entities(f.world, &b, 1);
        if (way == 2) keel_delete_tree(f.world, b);
        if (way == 3) keel_delete_entity_unchecked(f.world, b);
        if (way == 4) keel_delete_entities_having(f.world, Likes); // a and b
        if (way == 5) keel_clear_entities(f.world);
        if (way == 4) assert_false(keel_is_alive(f.world, a));
        assert_int_equal(keel_count(f.world, Likes), 0);
        assert_int_equal(keel_count(f.world, Follows), 0);
        assert_int_equal(keel_source_count(f.world, c, Likes), 0);
        assert_true(keel_world_check(f.world, NULL));
        end();
    }
}

static void a_stripped_entity_can_be_related_again(void **state) {
    (void)state;
    begin();
    keel_relate(f.world, a, Likes, b);
    keel_strip(f.world, a);
    assert_true(keel_is_alive(f.world, a));
    SOURCES(b, Likes, "");
    assert_int_equal(keel_relate(f.world, a, Likes, b), KEEL_OK);
    SOURCES(b, Likes, "a");
    end();
}

static void an_unregistered_relation_is_gone(void **state) {
    (void)state;
    begin();
    keel_relate(f.world, a, Likes, b);
    keel_relate(f.world, a, Follows, b);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Likes)), KEEL_OK);
    assert_int_equal(keel_count(f.world, Likes), 0);
    TARGETS(a, Follows, "b");
    assert_int_equal(keel_relate(f.world, a, Likes, c), KEEL_OK); // known again
    TARGETS(a, Likes, "c");
    end();
}

// ------------------------------------------------------------------ rules
static void sources_are_deleted_with_their_target(void **state) {
    (void)state;
    for (uint32_t way = 0; way < 3; ++way) {
        begin();
        keel_relate(f.world, b, PartOf, a);
        keel_relate(f.world, c, PartOf, b); // and so on
        keel_relate(f.world, d, Likes, c);
        if (way == 0) assert_int_equal(keel_delete_entity(f.world, a), KEEL_OK);
        if (way == 1) assert_int_equal(keel_delete_tree(f.world, a), KEEL_OK);
        if (way == 2) {
            keel_commands *list = keel_world_commands(f.world);
            assert_int_equal(keel_delete_entity(list, a), KEEL_OK);
            assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
        }
        assert_int_equal(keel_count(f.world, keel_entities), 1);
        assert_true(keel_is_alive(f.world, d));
        assert_int_equal(keel_count(f.world, Likes), 0);
        end();
    }
}

static void a_needed_target_is_not_deleted(void **state) {
    (void)state;
    begin();
    keel_relate(f.world, a, Needs, b);
    keel_relate(f.world, b, PartOf, c);
    assert_int_equal(keel_delete_entity(f.world, b), KEEL_ERROR_RELATED);
    assert_error(f.world, KEEL_ERROR_RELATED, "'Needs'");
    assert_int_equal(keel_delete_entity(f.world, c), KEEL_ERROR_RELATED); // it would take b along
    assert_error(f.world, KEEL_ERROR_RELATED, "'Needs'");
    assert_true(keel_get(f.world, b, Weight)->grams == 2); // nothing has changed
    assert_int_equal(keel_delete_entities(f.world, &b, 1), KEEL_ERROR_RELATED);
    assert_error(f.world, KEEL_ERROR_RELATED, NULL);
    assert_int_equal(keel_delete_entities_having(f.world, PartOf), KEEL_ERROR_RELATED);
    assert_error(f.world, KEEL_ERROR_RELATED, NULL);
    keel_attach(f.world, b, d);
    assert_int_equal(keel_delete_tree(f.world, d), KEEL_ERROR_RELATED);
    assert_error(f.world, KEEL_ERROR_RELATED, NULL);
    TARGETS(a, Needs, "b");
    TARGETS(b, Needs, "");
    const keel_entity both[] = { b, a }; // who needs it goes, too
    assert_int_equal(keel_delete_entities(f.world, both, 2), KEEL_OK);
    assert_true(keel_is_alive(f.world, c));
    end();
}

static void rules_are_not_asked_when_all_are_cleared(void **state) {
    (void)state;
    begin();
    keel_relate(f.world, a, Needs, b);
    keel_relate(f.world, c, PartOf, d);
    assert_int_equal(keel_strip(f.world, b), KEEL_OK); // nor by who lives on
    assert_int_equal(keel_strip(f.world, d), KEEL_OK);
    assert_true(keel_is_alive(f.world, c));
    keel_relate(f.world, a, Needs, b);
    assert_int_equal(keel_clear_entities(f.world), KEEL_OK);
    a = keel_add_entity(f.world);
    b = keel_add_entity(f.world);
    keel_relate(f.world, a, Needs, b);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Needs)), KEEL_OK);
    assert_int_equal(keel_delete_entity(f.world, b), KEEL_OK);
    end();
}

static void an_acyclic_relation_has_no_circles(void **state) {
    (void)state;
    begin();
    keel_relate(f.world, b, PartOf, a);
    keel_relate(f.world, c, PartOf, b);
    assert_int_equal(keel_relate(f.world, a, PartOf, c), KEEL_ERROR_CYCLE);
    assert_error(f.world, KEEL_ERROR_CYCLE,
                 "cannot relate 0v0 to 2v0: 'PartOf' is acyclic and leads from 2v0 to 0v0 already");
    assert_int_equal(keel_relate(f.world, d, PartOf, d), KEEL_ERROR_CYCLE);
    assert_error(f.world, KEEL_ERROR_CYCLE, "cannot relate 3v0 to itself: 'PartOf' is acyclic");
    assert_int_equal(keel_relate(f.world, c, PartOf, a), KEEL_OK);
    assert_int_equal(keel_relate(f.world, b, PartOf, c), KEEL_OK);
    end();
}

// A chain of a million, and a target of a million, on a small stack.
enum { MILLION = 1000000 };
static void *delete_many(void *world_of) {
    keel_world *world = world_of;
    keel_entity first = keel_add_entity(world), last = first;
    const uint32_t before = keel_count(world, keel_entities);
    for (uint32_t i = 1; i < MILLION; ++i) {
        const keel_entity next = keel_add_entity(world);
        keel_relate(world, next, PartOf, last);
        last = next;
    }
    keel_delete_entity(world, first);
    first = keel_add_entity(world);
    for (uint32_t i = 1; i < MILLION; ++i)
        keel_relate(world, keel_add_entity(world), Follows, first);
    keel_delete_entity(world, first);
    return keel_count(world, keel_entities) == before + MILLION - 2 ? world : NULL;
}
static void a_million_go_on_a_small_stack(void **state) {
    (void)state;
    begin();
    keel_world *world = f.world;
    pthread_attr_t small;
    pthread_t thread;
    void *result = NULL;
    assert_int_equal(pthread_attr_init(&small), 0);
    assert_int_equal(pthread_attr_setstacksize(&small, (size_t)256 * 1024), 0);
    assert_int_equal(pthread_create(&thread, &small, delete_many, world), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    pthread_attr_destroy(&small);
    assert_ptr_equal(result, world);
    end();
}

// ------------------------------------------------------------------ loops
static void the_current_one_may_leave(void **state) {
    (void)state;
    enum { COUNT = 100 };
    for (uint32_t exclusive = 0; exclusive < 2; ++exclusive) {
        begin();
        const keel_component *r = exclusive ? KEEL_OF(Follows) : KEEL_OF(Likes);
        keel_entity e[COUNT];
        for (uint32_t i = 0; i < COUNT; ++i) {
            e[i] = keel_add_entity(f.world);
            keel_relate_component(f.world, e[i], r, a, NULL);
        }
        uint32_t n = 0;
        keeli_relation_walk walk;
        for (uint32_t pass = 0; pass < 3; ++pass) {
            n = 0;
            keel_entity before = keel_null();
            keeli_relation_walk_begin(&walk, KEEL_SCOPE(f.world), a, r, true, false);
            for (keel_entity s; walk.relation && !keel_is_null(s = keeli_relation_walk_next(&walk));
                 ++n) {
                assert_true(keel_is_null(before) || s.bits > before.bits); // in order
                before = s;
                if (pass == 1 && n % 3) keel_unrelate_component(f.world, s, r, a);
                if (pass == 2) keel_delete_entity(f.world, s);
            }
            assert_int_equal(n, pass < 2 ? COUNT : (COUNT + 2) / 3);
        }
        assert_int_equal(keel_source_count_component(f.world, a, r), 0);
        end();
    }
}

static void targets_are_visited_in_order(void **state) {
    (void)state;
    begin();
    const keel_entity list[] = { c, d, b };
    for (uint32_t i = 0; i < 3; ++i)
        keel_relate(f.world, a, Likes, list[i]);
    uint32_t n = 0;
    KEEL_EACH_TARGET(f.world, a, Likes, target) assert_same_entity(target, list[n++]);
    assert_int_equal(n, 3);
    n = 0;
    KEEL_EACH_TARGET(f.world, a, Likes, target) {
        if (n++) break;
        assert_int_equal(keel_unrelate(f.world, a, Likes, target), KEEL_OK);
    }
    TARGETS(a, Likes, "db");
    KEEL_EACH_SOURCE(f.world, d, Likes, source) assert_same_entity(source, a);
    end();
}

// ------------------------------------------------------------------ scopes
static void commands_relate_later(void **state) {
    (void)state;
    begin();
    keel_commands *list = keel_world_commands(f.world);
    const keel_entity made = keel_add_entity(list, KEEL_INIT(Weight, { 5 }));
    const keel_entity other = keel_add_entity(list);
    assert_int_equal(keel_relate(list, made, Likes, a), KEEL_OK); // a promised handle at one end,
    assert_int_equal(keel_relate(list, a, Likes, made), KEEL_OK); // at the other,
    assert_int_equal(keel_relate(list, made, Likes, other), KEEL_OK); // at both
    assert_int_equal(keel_relate(list, b, Follows, a), KEEL_OK);
    assert_int_equal(keel_relate(list, b, Follows, c), KEEL_OK);
    assert_int_equal(keel_relate(list, c, Likes, d), KEEL_OK);
    assert_int_equal(keel_unrelate(list, c, Likes, d), KEEL_OK);
    assert_int_equal(keel_count(f.world, Likes), 0);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_true(keel_is_related(f.world, made, Likes, a));
    assert_true(keel_is_related(f.world, a, Likes, made));
    assert_true(keel_is_related(f.world, made, Likes, other));
    SOURCES(c, Follows, "b");
    TARGETS(c, Likes, "");
    assert_int_equal(keel_unrelate_all(list, made, Likes), KEEL_OK);
    assert_int_equal(keel_unrelate_sources(list, Follows, c), KEEL_OK);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(keel_target_count(f.world, made, Likes), 0);
    SOURCES(c, Follows, "");
    end();
}

static void a_recorded_edit_of_the_dead_is_dropped(void **state) {
    (void)state;
    begin();
    keel_commands *list = keel_world_commands(f.world);
    keel_relate(list, a, Likes, b);
    keel_relate(list, c, Likes, b);
    keel_relate(list, c, Likes, d);
    keel_delete_entity(f.world, a);
    keel_delete_entity(f.world, b);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(keel_world_statistics(f.world).dropped_commands, 2);
    TARGETS(c, Likes, "d");
    end();
}

static void a_view_edits_what_it_holds(void **state) {
    (void)state;
    begin();
    keel_relate(f.world, a, Likes, b);
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_MAY_EDIT(Likes)), "here"),
                     KEEL_OK);
    assert_int_equal(keel_relate(&view, a, Likes, c), KEEL_OK);
    assert_int_equal(keel_unrelate(&view, a, Likes, b), KEEL_OK);
    assert_same_entity(keel_target_of(&view, a, Likes), c);
    KEEL_EACH_TARGET(&view, a, Likes, target) assert_same_entity(target, c);
    // the world does not edit what a view holds, nor does it delete who is related
    assert_int_equal(keel_relate(f.world, a, Likes, d), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "Likes");
    assert_int_equal(keel_delete_entity(f.world, c), KEEL_ERROR_BORROWED); // only a target
    assert_error(f.world, KEEL_ERROR_BORROWED, NULL);
    // and the view not what it does not hold
    assert_int_equal(keel_relate(&view, a, Follows, d), KEEL_ERROR_ACCESS);
    assert_error(f.world, KEEL_ERROR_ACCESS, "Follows");
    keel_view_end(&view);
    assert_int_equal(keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_MAY_READ(Likes)), "here"),
                     KEEL_OK);
    assert_same_entity(keel_target_of(&view, a, Likes), c);
    assert_int_equal(keel_relate(&view, a, Likes, d), KEEL_ERROR_ACCESS);
    assert_error(f.world, KEEL_ERROR_ACCESS, "Likes");
    assert_int_equal(keel_target_count(&view, a, Follows), 0);
    assert_error(f.world, KEEL_ERROR_ACCESS, NULL);
    keel_view_end(&view);
    TARGETS(a, Likes, "c");
    end();
}

KEEL_SYSTEM(follow_all, KEEL_ENTITY(e), KEEL_READ(Weight, w), KEEL_COMMANDS(out, Follows)) {
    if (w->grams > 1) keel_relate(out, e, Follows, a);
}
KEEL_SYSTEM_ONCE(count_all, KEEL_MAY_READ(Follows), KEEL_CONTEXT(context)) {
    uint32_t n = 0;
    KEEL_EACH_SOURCE(context, a, Follows, source) n += !keel_is_null(source);
    assert_int_equal(n, 3);
    assert_int_equal(keel_source_count(context, a, Follows), 3);
    assert_int_equal(keel_target_count(context, a, Likes), 0); // was not declared
}
KEEL_SYSTEM_ONCE(edit_all, KEEL_MAY_EDIT(Follows), KEEL_CONTEXT(context)) {
    assert_int_equal(keel_unrelate_sources(context, Follows, a), KEEL_OK);
}
KEEL_WORKLOAD(follow_then_count, KEEL_STEP(follow_all), KEEL_STEP(edit_all));

static void systems_record_and_look(void **state) {
    (void)state;
    begin();
    keel_register(f.world, Likes);
    assert_int_equal(keel_run(f.world, follow_all), KEEL_OK);
    SOURCES(a, Follows, "bcd");
    keel_run(f.world, count_all);
    assert_error(f.world, KEEL_ERROR_ACCESS, "Likes");
    assert_int_equal(keel_run(f.world, edit_all), KEEL_OK);
    SOURCES(a, Follows, "");
    assert_int_equal(keel_run_workload(f.world, follow_then_count), KEEL_OK);
    SOURCES(a, Follows, "");
    end();
}

// ------------------------------------------------------------------ who follows changes
static uint32_t inserted, modified, deleted;
static keel_entity seen_target;
static void on_change(const keel_change *change, void *data) {
    inserted += change->kind == KEEL_ON_INSERTED;
    modified += change->kind == KEEL_ON_MODIFIED;
    deleted += change->kind == KEEL_ON_DELETED;
    seen_target = keel_target_of((keel_world *)data, change->entity, Likes);
}

static void changes_are_those_of_sources(void **state) {
    (void)state;
    begin();
    keel_observe(f.world, Likes, KEEL_ON_INSERTED | KEEL_ON_MODIFIED | KEEL_ON_DELETED, on_change,
                 f.world);
    inserted = modified = deleted = 0;
    keel_relate(f.world, a, Likes, b);   // inserted
    keel_relate(f.world, a, Likes, c);   // modified
    keel_relate(f.world, a, Likes, c);   // nothing
    keel_unrelate(f.world, a, Likes, b); // modified
    assert_same_entity(seen_target, c);
    keel_delete_entity(f.world, c); // deleted, and the target still seen
    assert_same_entity(seen_target, c);
    assert_int_equal(inserted, 1);
    assert_int_equal(modified, 2);
    assert_int_equal(deleted, 1);
    end();
}

// Whoever follows the first of them, or hears that it dies: an heir for all who follow.
static char trail[64];
static void say(const keel_change *event, const char *what) {
    const size_t length = strlen(trail);
    const uint32_t sources = keel_source_count(event->world, event->entity, Follows);
    snprintf(trail + length, sizeof trail - length, "%s%c%u ", what, name_of(event->entity),
             (unsigned)sources);
}
static void promote(const keel_change *event, void *data) {
    (void)data;
    say(event, "dies ");
    const keel_entity heir =
        keel_next_source_component(event->world, event->entity, KEEL_OF(Follows), keel_null());
    KEEL_EACH_SOURCE(event->world, event->entity, Follows, e)
    if (!keel_is_same(e, heir)) keel_relate(event->commands, e, Follows, heir);
    keel_relate(event->commands, heir, Follows,
                keel_target_of(event->world, event->entity, Follows));
}
static void lost(const keel_change *event, void *data) {
    (void)data;
    const bool changes = event->kind == KEEL_ON_MODIFIED;
    assert_true(keel_target_count_component(event->world, event->entity, event->component) > 0);
    say(event, changes ? "changes " : "lost ");
}
static void who_dies_is_still_related_for_observers(void **state) {
    (void)state;
    for (uint32_t way = 0; way < 4; ++way) {
        begin();
        keel_entity boss = keel_add_entity(f.world);
        if (way < 3) keel_observe(f.world, keel_entities, KEEL_ON_DESTROYED, promote, NULL);
        else keel_observe(f.world, Weight, KEEL_ON_DELETED, promote, NULL);
        keel_observe(f.world, Follows, KEEL_ON_DELETED, lost, NULL);
        keel_observe(f.world, Likes, KEEL_ON_DELETED | KEEL_ON_MODIFIED, lost, NULL);
        keel_relate(f.world, a, Follows, boss);
        keel_relate(f.world, b, Follows, a);
        keel_relate(f.world, c, Follows, a);
        keel_relate(f.world, d, Follows, a);
        keel_relate(f.world, a, Likes, b); // it loses this once
        keel_relate(f.world, a, Likes, a);
        keel_relate(f.world, a, Likes, c);
        *trail = 0;
        if (way == 0) keel_delete_entity(f.world, a);
        if (way == 1) keel_delete_entities(f.world, &a, 1);
        if (way == 2) keel_delete_tree(f.world, a);
        if (way == 3) keel_strip(f.world, a);
        SOURCES(b, Follows, "cd");
        assert_same_entity(keel_target_of(f.world, b, Follows), boss);
        assert_string_equal(trail, "lost a3 lost a3 dies a3 lost d0 lost c0 lost b0 ");
        assert_true(keel_world_check(f.world, NULL));
        keel_unobserve(f.world, keel_entities, promote, NULL);
        keel_unobserve(f.world, Weight, promote, NULL);
        keel_unobserve(f.world, Follows, lost, NULL);
        keel_unobserve(f.world, Likes, lost, NULL);
        end();
    }
}

static void changes_are_tracked(void **state) {
    (void)state;
    begin();
    keel_track(f.world, Follows, KEEL_TRACK_ALL);
    keel_relate(f.world, a, Follows, b);
    assert_int_equal(keel_changes_of(f.world, a, Follows), KEEL_TRACK_INSERTION);
    keel_clear_changes(f.world, Follows, KEEL_TRACK_ALL, KEEL_NOW);
    keel_relate(f.world, a, Follows, c);
    assert_int_equal(keel_changes_of(f.world, a, Follows), KEEL_TRACK_MODIFICATION);
    keel_delete_entity(f.world, c);
    uint32_t n = 0;
    KEEL_EACH_REMOVED(f.world, Follows, removal) {
        assert_same_entity(removal.entity, a);
        ++n;
    }
    assert_int_equal(n, 1);
    end();
}

// ------------------------------------------------------------------ copies
static void a_clone_points_where_its_prototype_does(void **state) {
    (void)state;
    begin();
    keel_relate(f.world, a, Likes, c);
    keel_relate(f.world, a, Likes, b);
    keel_relate(f.world, d, Likes, a); // stays with the prototype
    keel_relate(f.world, a, Follows, d);
    keel_entity copies[3];
    assert_int_equal(keel_clone_entities(f.world, a, 3, copies), KEEL_OK);
    assert_int_equal(keel_clone_entities(f.world, a, 200, NULL), KEEL_OK);
    for (uint32_t i = 0; i < 3; ++i) {
        TARGETS(copies[i], Likes, "cb");
        TARGETS(copies[i], Follows, "d");
        SOURCES(copies[i], Likes, "");
    }
    assert_int_equal(keel_source_count(f.world, b, Likes), 204);
    keel_commands *list = keel_world_commands(f.world);
    const keel_entity later = keel_clone_entity(list, a);
    keel_apply_commands(f.world);
    TARGETS(later, Likes, "cb");
    end();
}

static void nobody_is_cloned(void **state) {
    (void)state;
    begin();
    keel_add(f.world, a, Berth, { 7 });
    keel_relate(f.world, a, Likes, b);
    assert_int_equal(keel_clone_entities(f.world, a, 0, NULL), KEEL_OK);
    assert_int_equal(keel_entity_count(f.world), 4);
    end();
}

// With and without rules about deletion the highest index goes first, so the lowest is next.
static void deleting_by_component_frees_indices_in_one_order(void **state) {
    (void)state;
    for (uint32_t with_rule = 0; with_rule < 2; ++with_rule) {
        begin();
        if (with_rule) keel_relate(f.world, a, PartOf, b);
        assert_int_equal(keel_delete_entities_having(f.world, Weight), KEEL_OK);
        assert_int_equal(keel_entity_index(keel_add_entity(f.world)), 0);
        end();
    }
}

static void a_copied_world_has_the_same_relations(void **state) {
    (void)state;
    begin();
    for (uint32_t i = 0; i < 3; ++i)
        keel_relate(f.world, a, Likes, i == 0 ? d : i == 1 ? b : c);
    keel_unrelate(f.world, a, Likes, b);
    keel_relate(f.world, b, Follows, c);
    api_fixture g;
    api_begin(&g);
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK);
    assert_targets(g.world, a, KEEL_OF(Likes), "dc");
    assert_sources(g.world, c, KEEL_OF(Follows), "b");
    uint64_t mine, copy;
    assert_int_equal(keel_world_hash(f.world, &mine), KEEL_OK);
    assert_int_equal(keel_world_hash(g.world, &copy), KEEL_OK);
    assert_true(mine == copy);
    keel_relate(g.world, a, Likes, b);
    assert_int_equal(keel_world_hash(g.world, &copy), KEEL_OK);
    assert_true(mine != copy);
    api_end(&g);
    end();
}

static void the_order_of_relating_is_not_hashed(void **state) {
    (void)state;
    uint64_t hash[2];
    for (uint32_t i = 0; i < 2; ++i) {
        begin();
        keel_relate(f.world, a, Likes, i ? b : c);
        keel_relate(f.world, a, Likes, i ? c : b);
        assert_int_equal(keel_world_hash(f.world, &hash[i]), KEEL_OK);
        end();
    }
    assert_true(hash[0] == hash[1]);
}

static void who_is_related_stays_in_its_world(void **state) {
    (void)state;
    begin();
    api_fixture g;
    api_begin(&g);
    keel_relate(f.world, a, Likes, b);
    assert_true(keel_is_null(keel_move_entity(f.world, b, g.world)));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "related by 'Likes'");
    keel_unrelate_all(f.world, a, Likes);
    assert_false(keel_is_null(keel_move_entity(f.world, b, g.world)));
    api_end(&g);
    end();
}

static void memory_is_counted_and_given_back(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    begin();
    const size_t before = keel_component_memory(f.world, KEEL_OF(Likes));
    for (uint32_t i = 0; i < 3000; ++i)
        keel_relate(f.world, keel_add_entity(f.world), Likes, a);
    assert_true(keel_component_memory(f.world, KEEL_OF(Likes)) > before + 3000 * 8);
    keel_unrelate_sources(f.world, Likes, a);
    assert_int_equal(keel_world_trim(f.world), KEEL_OK);
    assert_true(keel_component_memory(f.world, KEEL_OF(Likes)) < 200); // tables of pages
    end();
}

static const struct CMUnitTest tests[] = {
    TEST(both_sides_keep_the_order, "targets and sources are in the order of relating"),
    TEST(who_is_related_already_stays_in_its_place, "relating again changes nothing"),
    TEST(an_exclusive_source_leaves_its_old_target, "an exclusive source leaves its old target"),
    TEST(an_entity_may_be_related_to_itself, "an entity may be related to itself, and in circles"),
    TEST(a_dead_end_is_refused, "both ends have to be alive"),
    TEST(what_is_no_relation_is_refused, "a component is no relation"),
    TEST(nobody_edits_it_by_hand, "relations are not added, deleted or disabled by hand"),
    TEST(sources_are_found_by_terms, "terms find those who have a target"),
    TEST(it_is_listed_and_found_by_name, "a relation is listed once and found by name"),
    TEST(it_is_made_at_run_time, "a relation is made at run time, forgotten, and made again"),
    TEST(wrong_options_are_refused, "options of relations are checked"),
    TEST(whoever_dies_lets_go_of_all, "whoever dies lets go of all targets and sources"),
    TEST(each_way_of_going_lets_go, "each way of deleting lets go of all"),
    TEST(a_stripped_entity_can_be_related_again, "a stripped entity can be related again"),
    TEST(an_unregistered_relation_is_gone, "unregistering a relation unrelates all"),
    TEST(sources_are_deleted_with_their_target,
         "sources are deleted with their target, and theirs"),
    TEST(a_needed_target_is_not_deleted, "a target that is needed is not deleted, nor with others"),
    TEST(rules_are_not_asked_when_all_are_cleared, "clear, strip and unregister ask no rules"),
    TEST(an_acyclic_relation_has_no_circles, "an acyclic relation has no circles"),
    TEST(a_million_go_on_a_small_stack,
         "a million sources, or a chain of them, go without recursion"),
    TEST(the_current_one_may_leave, "the current source of a loop may leave or die"),
    TEST(targets_are_visited_in_order, "a loop visits targets in order"),
    TEST(commands_relate_later, "commands relate later, with promised handles at both ends"),
    TEST(a_recorded_edit_of_the_dead_is_dropped, "a recorded edit of the dead is dropped"),
    TEST(a_view_edits_what_it_holds, "views edit and read relations that they hold"),
    TEST(systems_record_and_look, "systems record edits of relations, look and edit"),
    TEST(changes_are_those_of_sources, "observers hear of sources whose targets change"),
    TEST(who_dies_is_still_related_for_observers,
         "observers of who dies see its relations, and can name an heir"),
    TEST(changes_are_tracked, "changes of targets are tracked by source"),
    TEST(a_clone_points_where_its_prototype_does, "clones have the targets of their prototype"),
    TEST(nobody_is_cloned, "no copies of an entity with rows, in a world with relations"),
    TEST(deleting_by_component_frees_indices_in_one_order,
         "rules of relations change nothing about which index is next"),
    TEST(a_copied_world_has_the_same_relations, "a copied world has the same relations"),
    TEST(the_order_of_relating_is_not_hashed, "the order of relating is not hashed"),
    TEST(who_is_related_stays_in_its_world, "who is related cannot go to another world"),
    TEST(memory_is_counted_and_given_back, "memory of relations is counted and given back"),
};
int main(void) { return RUN(tests); }
