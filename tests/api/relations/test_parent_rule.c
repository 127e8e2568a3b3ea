// SPDX-License-Identifier: MIT
// What becomes of children when their parent is deleted, which is chosen for a world:
// keel_world_desc.on_parent_delete. Random edits are in tests/random.
#include "support/api_types.h"

#include <keel/snapshot.h>

KEEL_RELATION(PartOf, .exclusive = true, .acyclic = true, .on_delete = KEEL_DELETE_SOURCES);
KEEL_RELATION(Needs, .on_delete = KEEL_REFUSE);

static api_fixture f;
static keel_entity e[10];

// 0 has 1 and 2, 1 has 3 and 4, 4 has 5.
static void begin(keel_on_delete rule) {
    static const int parents[] = { -1, 0, 0, 1, 1, 4 };
    api_begin_with(&f, (keel_world_desc){ .on_misuse = KEEL_MISUSE_RETURN,
                                          .worker_count = 1,
                                          .on_parent_delete = rule });
    for (uint32_t i = 0; i < 10; ++i)
        e[i] = i && i < 6 ? keel_add_child(f.world, e[parents[i]], KEEL_INIT(Number, { i }))
                          : keel_add_entity(f.world, KEEL_INIT(Number, { i }));
}

static void children_become_roots(void **state) {
    (void)state;
    begin(KEEL_UNRELATE);
    assert_int_equal(keel_delete_entity(f.world, e[1]), KEEL_OK);
    assert_int_equal(keel_entity_count(f.world), 9);
    assert_true(keel_is_null(keel_parent_of(f.world, e[4])));
    api_end(&f);
}

static void they_go_too(void **state) {
    (void)state;
    begin(KEEL_DELETE_SOURCES);
    assert_int_equal(keel_delete_entity(f.world, e[1]), KEEL_OK);
    assert_false(keel_is_alive(f.world, e[5]));
    assert_int_equal(keel_entity_count(f.world), 6);
    assert_int_equal(keel_child_count(f.world, e[0]), 1);
    assert_int_equal(keel_delete_entities(f.world, e, 1), KEEL_OK);
    assert_int_equal(keel_entity_count(f.world), 4);
    api_end(&f);
}

// Trees, relations and back.
static void with_relations(void **state) {
    (void)state;
    begin(KEEL_DELETE_SOURCES);
    keel_relate(f.world, e[6], PartOf, e[5]);
    assert_int_equal(keel_attach(f.world, e[7], e[6]), KEEL_OK);
    keel_relate(f.world, e[8], PartOf, e[7]);
    keel_relate(f.world, e[9], Needs, e[8]);
    assert_int_equal(keel_delete_entity(f.world, e[0]), KEEL_ERROR_RELATED);
    assert_int_equal(keel_entity_count(f.world), 10);
    keel_clear_errors(f.world);
    keel_unrelate_all(f.world, e[9], Needs);
    assert_int_equal(keel_delete_entity(f.world, e[0]), KEEL_OK);
    assert_int_equal(keel_entity_count(f.world), 1);
    api_end(&f);
}

static void a_parent_is_kept(void **state) {
    (void)state;
    begin(KEEL_REFUSE);
    assert_int_equal(keel_delete_entity(f.world, e[1]), KEEL_ERROR_RELATED);
    assert_error(f.world, KEEL_ERROR_RELATED, "on_parent_delete");
    assert_int_equal(keel_delete_entity(f.world, e[5]), KEEL_OK);
    const keel_entity all[] = { e[1], e[3], e[4] };
    assert_int_equal(keel_delete_entities(f.world, all, 3), KEEL_OK);
    assert_int_equal(keel_delete_tree(f.world, e[0]), KEEL_OK);
    assert_int_equal(keel_entity_count(f.world), 4);
    api_end(&f);
}

static void other_ways_ask_no_rule(void **state) {
    (void)state;
    begin(KEEL_DELETE_SOURCES);
    keel_strip(f.world, e[1]);
    assert_true(keel_is_null(keel_parent_of(f.world, e[4])));
    assert_int_equal(keel_entity_count(f.world), 10);
    keel_clear_entities(f.world);
    api_end(&f);
    begin(KEEL_REFUSE);
    keel_clear_entities(f.world);
    assert_int_equal(keel_entity_count(f.world), 0);
    api_end(&f);
}

KEEL_SYSTEM(end_all, KEEL_ENTITY(who), KEEL_READ(Number, n), KEEL_COMMANDS(out)) {
    if (n->value == 1) keel_delete_entity(out, who);
}
KEEL_WORKLOAD(frame, KEEL_STEP(end_all));

static void by_systems_and_by_match(void **state) {
    (void)state;
    begin(KEEL_DELETE_SOURCES);
    assert_int_equal(keel_run_workload(f.world, frame), KEEL_OK);
    assert_int_equal(keel_entity_count(f.world), 6);
    keel_add(f.world, e[0], Frozen);
    assert_int_equal(keel_delete_entities_having(f.world, Frozen), KEEL_OK);
    assert_int_equal(keel_entity_count(f.world), 4);
    api_end(&f);
}

// A long chain needs neither memory nor a deep stack; copies and restored worlds have the room.
static void a_chain(keel_world *world) {
    keel_entity last = keel_add_entity(world), first = last;
    for (uint32_t i = 1; i < 100000; ++i)
        last = keel_add_child(world, last);
    keel_snapshot *snapshot = keel_snapshot_create(world, NULL);
    assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
    assert_int_equal(keel_delete_entity(world, first), KEEL_OK);
    assert_int_equal(keel_entity_count(world), 0);
    assert_int_equal(keel_snapshot_restore(snapshot), KEEL_OK);
    keel_world *copy = keel_world_create(
        &(keel_world_desc){ .worker_count = 1, .on_parent_delete = KEEL_DELETE_SOURCES });
    assert_int_equal(keel_snapshot_to_world(snapshot, copy), KEEL_OK);
    counting_allocator_fail_after(&f.memory, 0);
    assert_int_equal(keel_delete_entity(world, first), KEEL_OK);
    counting_allocator_never_fail(&f.memory);
    assert_int_equal(keel_delete_entity(copy, first), KEEL_OK);
    assert_int_equal(keel_entity_count(world) + keel_entity_count(copy), 0);
    keel_snapshot_destroy(snapshot);
    keel_world_destroy(copy);
}
static void chains(void **state) {
    (void)state;
    begin(KEEL_DELETE_SOURCES);
    keel_clear_entities(f.world);
    a_chain(f.world);
    api_end(&f);
}

static void each_allocation_fails(void **state) {
    (void)state;
    for (uint32_t at = 0;; ++at) {
        begin(KEEL_DELETE_SOURCES);
        counting_allocator_fail_once(&f.memory, at);
        const keel_result result = keel_attach(f.world, e[9], e[8]);
        const bool failed = f.memory.failures != 0;
        counting_allocator_never_fail(&f.memory);
        assert_int_equal(result, failed ? KEEL_ERROR_MEMORY : KEEL_OK);
        assert_true(keel_is_null(keel_parent_of(f.world, e[9])) == failed);
        keel_clear_errors(f.world);
        api_end(&f);
        if (!failed) break;
    }
}

static void an_unknown_rule(void **state) {
    (void)state;
    assert_null(keel_world_create(&(keel_world_desc){ .log = keel_log_none,
                                                      .on_misuse = KEEL_MISUSE_RETURN,
                                                      .on_parent_delete = (keel_on_delete)3 }));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_become_roots),
        cmocka_unit_test(they_go_too),
        cmocka_unit_test(with_relations),
        cmocka_unit_test(a_parent_is_kept),
        cmocka_unit_test(other_ways_ask_no_rule),
        cmocka_unit_test(by_systems_and_by_match),
        cmocka_unit_test(chains),
        cmocka_unit_test(each_allocation_fails),
        cmocka_unit_test(an_unknown_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
