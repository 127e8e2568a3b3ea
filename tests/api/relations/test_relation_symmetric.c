// SPDX-License-Identifier: MIT
// Symmetric relations: what relates both ways comes and goes together, with one value; to many and
// to one, in copies, systems, deaths, with hooks and snapshots. Random edits are in tests/random.
#include "support/api_types.h"

#include <keel/snapshot.h>
#include <string.h>

typedef struct Bond {
    uint32_t strength;
} Bond;
typedef struct Pact {
    uint32_t since;
} Pact;
typedef struct Deed {
    Owned thing;
} Deed;
typedef struct Seat {
    uint32_t value;
} Seat;
KEEL_COMPONENT(Seat, .no_padding = true);
KEEL_RELATION(Knows, .symmetric = true);
KEEL_RELATION(Married, .exclusive = true, .symmetric = true, .tracking = KEEL_TRACK_ALL);
KEEL_VALUED_RELATION(Bond, .symmetric = true, .no_padding = true, .tracking = KEEL_TRACK_ALL);
KEEL_VALUED_RELATION(Pact, .exclusive = true, .symmetric = true, .no_padding = true);
KEEL_VALUED_RELATION(Deed, .symmetric = true, .drop = owned_drop, .copy = owned_copy,
                     .move = owned_move);
KEEL_RELATION(Chained, .symmetric = true, .on_delete = KEEL_DELETE_SOURCES);
KEEL_RELATION(Guards, .symmetric = true, .on_delete = KEEL_REFUSE);

enum { ENTITIES = 100 };
static api_fixture f;
static keel_entity e[ENTITIES];
static void begin(void) {
    api_begin(&f);
    owned_begin();
    for (uint32_t i = 0; i < ENTITIES; ++i)
        e[i] = keel_add_entity(f.world);
}

static uint64_t hash_now(void) {
    uint64_t hash = 0;
    assert_int_equal(keel_world_hash(f.world, &hash), KEEL_OK);
    return hash;
}

// ------------------------------------------------------------------ the verbs
static void both_know_each_other(void **state) {
    (void)state;
    begin();
    assert_int_equal(keel_relate(f.world, e[0], Knows, e[1]), KEEL_OK);
    assert_true(keel_is_related(f.world, e[0], Knows, e[1]));
    assert_true(keel_is_related(f.world, e[1], Knows, e[0]));
    assert_true(keel_has(f.world, e[1], Knows));
    assert_int_equal(keel_relate(f.world, e[1], Knows, e[0]), KEEL_OK); // they do already
    assert_int_equal(keel_target_count(f.world, e[1], Knows), 1);
    assert_int_equal(keel_source_count(f.world, e[1], Knows), 1);
    assert_int_equal(keel_relate(f.world, e[2], Knows, e[0]), KEEL_OK);
    uint32_t n = 0;
    KEEL_EACH_TARGET(f.world, e[0], Knows, other) assert_true(keel_is_same(other, e[++n]));
    assert_int_equal(n, 2);
    n = 0;
    KEEL_EACH_SOURCE(f.world, e[0], Knows, other) assert_true(keel_is_same(other, e[++n]));
    assert_int_equal(keel_unrelate(f.world, e[1], Knows, e[0]), KEEL_OK);
    assert_false(keel_is_related(f.world, e[0], Knows, e[1]));
    assert_false(keel_has(f.world, e[1], Knows));
    assert_int_equal(keel_unrelate(f.world, e[0], Knows, e[1]), KEEL_ABSENT);
    assert_int_equal(keel_relate(f.world, e[0], Knows, e[0]), KEEL_OK);
    assert_int_equal(keel_target_count(f.world, e[0], Knows), 2);
    assert_int_equal(keel_unrelate_sources(f.world, Knows, e[0]), KEEL_OK);
    assert_int_equal(keel_component_count(f.world, KEEL_OF(Knows)), 0);
    api_end(&f);
}

static void one_partner(void **state) {
    (void)state;
    begin();
    keel_relate(f.world, e[0], Married, e[1]);
    keel_relate(f.world, e[2], Married, e[3]);
    assert_int_equal(keel_relate(f.world, e[0], Married, e[2]), KEEL_OK); // both leave another
    assert_true(keel_is_same(keel_target_of(f.world, e[2], Married), e[0]));
    assert_true(keel_is_same(keel_target_of(f.world, e[0], Married), e[2]));
    assert_false(keel_has(f.world, e[1], Married));
    assert_false(keel_has(f.world, e[3], Married));
    assert_int_equal(keel_relate(f.world, e[0], Married, e[0]), KEEL_OK);
    assert_false(keel_has(f.world, e[2], Married));
    assert_int_equal(keel_relate(f.world, e[0], Married, e[1]), KEEL_OK);
    assert_int_equal(keel_component_count(f.world, KEEL_OF(Married)), 2);
    api_end(&f);
}

static void one_value(void **state) {
    (void)state;
    begin();
    keel_relate(f.world, e[0], Bond, e[1], { 3 });
    assert_ptr_equal(keel_get_related(f.world, e[0], Bond, e[1]),
                     keel_get_related(f.world, e[1], Bond, e[0]));
    keel_get_related_mut(f.world, e[1], Bond, e[0])->strength = 4;
    assert_int_equal(keel_get_related(f.world, e[0], Bond, e[1])->strength, 4);
    keel_relate(f.world, e[1], Bond, e[0], { 5 });
    assert_int_equal(keel_get_related(f.world, e[0], Bond, e[1])->strength, 5);
    KEEL_EACH_SOURCE(f.world, e[0], Bond, other, bond) assert_int_equal(bond->strength, 5);

    keel_relate(f.world, e[0], Pact, e[1], { 6 });
    keel_relate(f.world, e[2], Pact, e[1]); // another pact
    assert_int_equal(keel_get_related(f.world, e[1], Pact, e[2])->since, 0);
    assert_null(keel_get_related(f.world, e[0], Pact, e[1]));
    assert_true(keel_is_same(keel_target_of(f.world, e[1], Pact), e[2]));
    api_end(&f);
}

static void hooks_run_once(void **state) {
    (void)state;
    begin();
    for (uint32_t i = 1; i < 20; ++i)
        keel_relate(f.world, e[0], Deed, e[i], { owned_make() });
    keel_relate(f.world, e[1], Deed, e[1], { owned_make() });
    keel_relate(f.world, e[5], Deed, e[0], { owned_make() });
    assert_int_equal(owned.living, 20);
    keel_world *copy = keel_world_create(NULL);
    assert_int_equal(keel_copy_world(f.world, copy), KEEL_OK);
    assert_int_equal(owned.living, 40);
    keel_world_destroy(copy);
    assert_int_equal(owned.living, 20);
    (void)keel_clone_entity(f.world, e[0]);
    assert_int_equal(owned.living, 39);
    keel_delete_entity(f.world, e[0]);
    assert_int_equal(owned.living, 20);
    api_end(&f);
    assert_owned_end();
}

// While a loop is open holes stay, in the lists of either side.
static void loops_may_edit(void **state) {
    (void)state;
    begin();
    uint32_t seen = 0;
    for (uint32_t i = 1; i < 60; ++i)
        keel_relate(f.world, e[0], Bond, e[i], { i });
    KEEL_EACH_SOURCE(f.world, e[0], Bond, other, bond) {
        assert_int_equal(bond->strength, ++seen);
        if (seen % 4) keel_unrelate(f.world, e[0], Bond, other);
        else keel_relate(f.world, e[seen + 40], Bond, other, { 1 });
        assert_true(keel_world_check(f.world, NULL));
    }
    assert_int_equal(seen, 59);
    keel_relate(f.world, e[99], Bond, e[0], { 99 });
    keel_unrelate(f.world, e[4], Bond, e[0]);
    assert_int_equal(keel_target_count(f.world, e[0], Bond), 59 / 4);
    api_end(&f);
}

// ------------------------------------------------------------------ changes
static void both_ends_change(void **state) {
    (void)state;
    begin();
    keel_reader *reader = keel_reader_create(f.world, "test");
    keel_relate(f.world, e[0], Bond, e[1], { 3 });
    assert_int_equal(keel_changes_of(reader, e[1], Bond) & KEEL_TRACK_INSERTION,
                     KEEL_TRACK_INSERTION);
    keel_reader_advance(reader);
    keel_get_related_mut(f.world, e[0], Bond, e[1])->strength = 4;
    assert_int_equal(keel_changes_of(reader, e[0], Bond), KEEL_TRACK_MODIFICATION);
    assert_int_equal(keel_changes_of(reader, e[1], Bond), KEEL_TRACK_MODIFICATION);
    keel_reader_advance(reader);
    keel_relate(f.world, e[0], Bond, e[1], { 4 });
    assert_int_equal(keel_changes_of(reader, e[1], Bond), KEEL_TRACK_MODIFICATION);
    keel_unrelate(f.world, e[0], Bond, e[1]);
    uint32_t lost = 0;
    KEEL_EACH_REMOVED(reader, Bond, removal)
        lost += removal.deleted;
    assert_int_equal(lost, 2);
    api_end(&f);
}

typedef struct heard {
    uint32_t related, unrelated;
} heard;
static void hear(const keel_change *event, void *data) {
    heard *h = data;
    h->related += event->kind == KEEL_ON_RELATED;
    h->unrelated += event->kind == KEEL_ON_UNRELATED;
    assert_true(keel_is_related(event->world, event->other, Married, event->entity));
}
static void each_side_is_told(void **state) {
    (void)state;
    heard h = { 0, 0 };
    begin();
    keel_observe(f.world, Married, KEEL_ON_RELATED | KEEL_ON_UNRELATED, hear, &h);
    keel_relate(f.world, e[0], Married, e[1]);
    assert_int_equal(h.related, 2);
    keel_relate(f.world, e[2], Married, e[1]);
    assert_int_equal(h.related, 4);
    assert_int_equal(h.unrelated, 2);
    keel_relate(f.world, e[3], Married, e[3]);
    keel_delete_entity(f.world, e[3]);
    assert_int_equal(h.related, 5);
    assert_int_equal(h.unrelated, 3);
    keel_delete_entity(f.world, e[1]);
    assert_int_equal(h.unrelated, 5);
    api_end(&f);
}

// ------------------------------------------------------------------ copies and deaths
static void who_is_cloned_keeps_the_partner(void **state) {
    (void)state;
    begin();
    keel_relate(f.world, e[0], Married, e[1]);
    keel_relate(f.world, e[0], Knows, e[2]);
    keel_relate(f.world, e[0], Knows, e[0]);
    keel_entity copies[3];
    assert_int_equal(keel_clone_entities(f.world, e[0], 3, copies), KEEL_OK);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_false(keel_has(f.world, copies[i], Married));
        assert_true(keel_is_related(f.world, e[2], Knows, copies[i]));
        assert_true(keel_is_related(f.world, e[0], Knows, copies[i]));
        assert_int_equal(keel_target_count(f.world, copies[i], Knows), 2);
    }
    assert_true(keel_is_same(keel_target_of(f.world, e[1], Married), e[0]));
    api_end(&f);
}

static void rules(void **state) {
    (void)state;
    begin();
    for (uint32_t i = 1; i < 10; ++i)
        keel_relate(f.world, e[i], Chained, e[i - 1]);
    keel_relate(f.world, e[20], Guards, e[21]);
    assert_int_equal(keel_delete_entity(f.world, e[20]), KEEL_ERROR_RELATED);
    assert_int_equal(keel_delete_entity(f.world, e[21]), KEEL_ERROR_RELATED);
    keel_clear_errors(f.world);
    const uint32_t before = keel_entity_count(f.world);
    assert_int_equal(keel_delete_entity(f.world, e[4]), KEEL_OK); // all who hang together
    assert_int_equal(keel_entity_count(f.world), before - 10);
    assert_int_equal(keel_delete_entities(f.world, &e[20], 2), KEEL_OK);
    api_end(&f);
}

static void snapshots_have_them(void **state) {
    (void)state;
    begin();
    for (uint32_t i = 1; i < 50; ++i) {
        keel_relate(f.world, e[i], Bond, e[i / 2], { i });
        keel_relate(f.world, e[i], Married, e[(i * 7) % ENTITIES]);
    }
    const uint64_t hash = hash_now();
    keel_snapshot *snapshot = keel_snapshot_create(f.world, NULL);
    assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
    keel_get_related_mut(f.world, e[2], Bond, e[4])->strength = 1000;
    keel_delete_entity(f.world, e[3]);
    keel_unrelate_all(f.world, e[1], Bond);
    assert_int_equal(keel_snapshot_restore(snapshot), KEEL_OK);
    assert_true(hash == hash_now());
    assert_int_equal(keel_get_related(f.world, e[4], Bond, e[2])->strength, 4);
    keel_snapshot_destroy(snapshot);
    api_end(&f);
}

static void parts_of_prefabs(void **state) {
    (void)state;
    begin();
    keel_world *templates = keel_templates(f.world);
    const keel_prefab door = { keel_add_entity(templates) };
    const keel_entity leaf = keel_add_child(templates, door.root);
    keel_relate(templates, door.root, Bond, leaf, { 7 });
    const keel_entity copy = keel_spawn(f.world, door);
    const keel_entity part = keel_first_child(f.world, copy);
    assert_int_equal(keel_get_related(f.world, part, Bond, copy)->strength, 7);
    assert_int_equal(keel_target_count(f.world, copy, Bond), 1);
    api_end(&f);
}

// ------------------------------------------------------------------ systems and commands
KEEL_SYSTEM(pair_up, KEEL_ENTITY(who), KEEL_READ(Seat, n), KEEL_COMMANDS(out, Married)) {
    keel_relate(out, who, Married, e[ENTITIES - 1 - n->value]);
}
KEEL_WORKLOAD(pairs, KEEL_STEP(pair_up, .parallel = true));

static void from_systems(void **state) {
    (void)state;
    uint64_t hashes[3];
    for (uint32_t workers = 1; workers < 4; ++workers) {
        api_begin_workers(&f, workers);
        for (uint32_t i = 0; i < ENTITIES; ++i)
            e[i] = keel_add_entity(f.world, KEEL_INIT(Seat, { i / 2 }));
        assert_int_equal(keel_run_workload(f.world, pairs), KEEL_OK);
        hashes[workers - 1] = hash_now();
        assert_true(keel_has(f.world, e[ENTITIES - 1], Married));
        api_end(&f);
    }
    assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

static void each_allocation_fails(void **state) {
    (void)state;
    for (uint32_t at = 0;; ++at) {
        begin();
        const uint64_t hash = hash_now();
        counting_allocator_fail_after(&f.memory, at);
        const keel_result result = keel_relate(f.world, e[0], Deed, e[70], { { 0, 0 } });
        const bool failed = f.memory.failures != 0;
        counting_allocator_never_fail(&f.memory);
        if (failed) {
            assert_int_equal(result, KEEL_ERROR_MEMORY);
            assert_true(hash == hash_now());
            assert_int_equal(keel_relate(f.world, e[0], Deed, e[70]), KEEL_OK);
        }
        keel_clear_errors(f.world);
        api_end(&f);
        if (!failed) break;
    }
}

static void no_circle_without_end(void **state) {
    (void)state;
    begin();
    const keel_component wrong = {
        .name = "wrong", .is_relation = true, .exclusive = true, .acyclic = true, .symmetric = true
    };
    assert_null(keel_register_component(f.world, &wrong));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, ".symmetric");
    const keel_component plain = { .name = "plain", .symmetric = true };
    assert_null(keel_register_component(f.world, &plain));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "option of relations");
    api_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_know_each_other),
        cmocka_unit_test(one_partner),
        cmocka_unit_test(one_value),
        cmocka_unit_test(hooks_run_once),
        cmocka_unit_test(loops_may_edit),
        cmocka_unit_test(both_ends_change),
        cmocka_unit_test(each_side_is_told),
        cmocka_unit_test(who_is_cloned_keeps_the_partner),
        cmocka_unit_test(rules),
        cmocka_unit_test(snapshots_have_them),
        cmocka_unit_test(parts_of_prefabs),
        cmocka_unit_test(from_systems),
        cmocka_unit_test(each_allocation_fails),
        cmocka_unit_test(no_circle_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
