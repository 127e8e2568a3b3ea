// SPDX-License-Identifier: MIT
// Exclusive relations with values: the component of the source, by all ways to it; hooks, commands,
// observers and what is refused. Those to many are in test_relation_edge_values.c, random edits in
// test_relation_random.c.
#include "support/api_types.h"

#include <string.h>

typedef struct Docked {
    uint32_t berth;
} Docked;
typedef struct Owns {
    Owned thing;
} Owns;
KEEL_VALUED_RELATION(Docked, .exclusive = true, .no_padding = true);
KEEL_VALUED_RELATION(Owns, .exclusive = true, .storage = KEEL_INDEXED, .drop = owned_drop,
                     .copy = owned_copy, .move = owned_move, .transient = true);
KEEL_RELATION(Likes);

static api_fixture f;
static keel_entity e[5];
static void begin(void) {
    api_begin(&f);
    owned_begin();
    for (uint32_t i = 0; i < 5; ++i)
        e[i] = keel_add_entity(f.world);
}

static void the_value_is_the_component_of_the_source(void **state) {
    (void)state;
    begin();
    assert_int_equal(keel_relate(f.world, e[0], Docked, e[1], { 3 }), KEEL_OK);
    assert_int_equal(keel_get(f.world, e[0], Docked)->berth, 3);
    assert_int_equal(keel_get_related(f.world, e[0], Docked, e[1])->berth, 3);
    assert_null(keel_get_related(f.world, e[0], Docked, e[2]));
    assert_null(keel_get_related_mut(f.world, e[1], Docked, e[0]));
    keel_get_related_mut(f.world, e[0], Docked, e[1])->berth = 4;
    assert_int_equal(keel_get(f.world, e[0], Docked)->berth, 4);
    keel_get_mut(f.world, e[0], Docked)->berth = 5;
    assert_int_equal(keel_relate(f.world, e[0], Docked, e[1]), KEEL_OK); // as before
    assert_int_equal(keel_get(f.world, e[0], Docked)->berth, 5);
    assert_int_equal(keel_relate(f.world, e[0], Docked, e[1], { 6 }), KEEL_OK);
    assert_int_equal(keel_get(f.world, e[0], Docked)->berth, 6);
    assert_int_equal(keel_relate(f.world, e[0], Docked, e[2]), KEEL_OK); // goes along
    assert_int_equal(keel_get_related(f.world, e[0], Docked, e[2])->berth, 6);
    assert_int_equal(keel_source_count(f.world, e[1], Docked), 0);
    assert_int_equal(keel_relate(f.world, e[1], Docked, e[2]), KEEL_OK);
    assert_int_equal(keel_get(f.world, e[1], Docked)->berth, 0);
    keel_delete_entity(f.world, e[2]);
    assert_null(keel_get(f.world, e[0], Docked));
    assert_no_error(f.world);
    api_end(&f);
}

static void a_value_of_the_world_can_be_handed_in(void **state) {
    (void)state;
    begin();
    keel_relate(f.world, e[0], Docked, e[1], { 77 });
    for (uint32_t i = 0; i < 3000; ++i) { // also when the memory of values moves
        const keel_entity ship = keel_add_entity(f.world);
        const Docked *value = keel_get(f.world, e[0], Docked);
        assert_int_equal(
            keel_relate_component(f.world, ship, KEEL_RELATION_OF(Docked), e[1], value), KEEL_OK);
        assert_int_equal(keel_get(f.world, ship, Docked)->berth, 77);
    }
    api_end(&f);
}

// ------------------------------------------------------------------ systems
KEEL_SYSTEM(shift, KEEL_WRITE(Docked, d), KEEL_OF_TARGET(Docked, KEEL_READ(Number, port))) {
    d->berth += port->value;
}
KEEL_SYSTEM(dock, KEEL_READ(Other, o), KEEL_ENTITY(ship), KEEL_COMMANDS(out)) {
    keel_relate(out, ship, Docked, e[4], { o->value });
}
KEEL_SYSTEM_ONCE(look, KEEL_MAY_WRITE(Docked), KEEL_CONTEXT(c)) {
    keel_get_related_mut(c, e[0], Docked, e[4])->berth += 100;
    assert_int_equal(keel_relate(c, e[0], Docked, e[3]), KEEL_ERROR_ACCESS);
}
KEEL_WORKLOAD(frame, KEEL_STEP(dock, .parallel = true), KEEL_STEP(shift, .parallel = true),
              KEEL_STEP(look));

static void systems_read_write_and_relate(void **state) {
    (void)state;
    api_begin_workers(&f, 3);
    for (uint32_t i = 0; i < 5; ++i)
        e[i] = keel_add_entity(f.world, KEEL_INIT(Number, { 7 }));
    for (uint32_t i = 0; i < 3; ++i)
        keel_add(f.world, e[i], Other, { i });
    assert_int_equal(keel_run_workload(f.world, frame), KEEL_ERROR_ACCESS); // look was refused
    assert_error(f.world, KEEL_ERROR_ACCESS, "Docked");
    assert_int_equal(keel_get(f.world, e[0], Docked)->berth, 107);
    assert_int_equal(keel_get(f.world, e[2], Docked)->berth, 9);
    assert_int_equal(keel_source_count(f.world, e[4], Docked), 3);
    api_end(&f);
}

// ------------------------------------------------------------------ hooks
static keel_result own(keel_scope *scope, keel_entity a, keel_entity b) {
    Owns value = { owned_make() };
    const keel_result result = keel_relate_component(scope, a, KEEL_RELATION_OF(Owns), b, &value);
    if (result < 0) owned_release(value.thing);
    return result;
}

static void values_are_dropped_once(void **state) {
    (void)state;
    begin();
    own(KEEL_SCOPE(f.world), e[0], e[1]);
    own(KEEL_SCOPE(f.world), e[0], e[1]); // overwritten
    assert_int_equal(owned.living, 1);
    own(KEEL_SCOPE(f.world), e[0], e[2]);
    assert_int_equal(owned.living, 1);
    keel_relate(f.world, e[0], Owns, e[1]);
    assert_int_equal(owned.living, 1);
    own(KEEL_SCOPE(f.world), e[1], e[0]);
    own(KEEL_SCOPE(f.world), e[2], e[0]);
    keel_unrelate(f.world, e[1], Owns, e[0]);
    assert_int_equal(owned.living, 2);
    keel_delete_entity(f.world, e[0]); // is source and target
    assert_int_equal(owned.living, 0);
    own(KEEL_SCOPE(f.world), e[1], e[2]);
    keel_strip(f.world, e[1]);
    assert_int_equal(owned.living, 0);
    keel_entity dead = e[0];
    assert_int_equal(own(KEEL_SCOPE(f.world), e[1], dead), KEEL_ERROR_DEAD_ENTITY);
    keel_commands *list = keel_world_commands(f.world);
    assert_int_equal(own(KEEL_SCOPE(list), e[1], e[2]), KEEL_OK);
    assert_int_equal(own(KEEL_SCOPE(list), e[2], e[3]), KEEL_OK);
    keel_delete_entity(f.world, e[3]); // the second one is dropped
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(owned.living, 1);
    own(KEEL_SCOPE(f.world), e[2], e[1]);
    keel_clear_entities(f.world);
    assert_int_equal(owned.living, 0);
    const keel_entity a = keel_add_entity(f.world);
    own(KEEL_SCOPE(f.world), a, a);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Owns)), KEEL_OK);
    assert_int_equal(owned.living, 0);
    own(KEEL_SCOPE(f.world), a, a);
    api_end(&f); // the world's end drops it
    assert_owned_end();
}

static void clones_have_copies(void **state) {
    (void)state;
    begin();
    own(KEEL_SCOPE(f.world), e[0], e[1]);
    keel_relate(f.world, e[0], Docked, e[2], { 8 });
    keel_relate(f.world, e[0], Likes, e[3]);
    keel_entity copies[3];
    assert_int_equal(keel_clone_entities(f.world, e[0], 3, copies), KEEL_OK);
    assert_int_equal(owned.living, 4);
    assert_int_equal(keel_source_count(f.world, e[1], Owns), 4);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_int_equal(keel_get_related(f.world, copies[i], Docked, e[2])->berth, 8);
        assert_true(keel_is_related(f.world, copies[i], Likes, e[3]));
    }
    owned.copies_left = 2;
    const uint32_t count = keel_entity_count(f.world);
    assert_int_equal(keel_clone_entities(f.world, e[0], 3, copies), KEEL_ERROR_COPY);
    assert_int_equal(owned.living, 4);
    assert_int_equal(keel_entity_count(f.world), count);
    assert_int_equal(keel_source_count(f.world, e[1], Owns), 4);
    assert_int_equal(keel_source_count(f.world, e[2], Docked), 4);
    assert_true(keel_world_check(f.world, NULL));
    api_end(&f);
    assert_owned_end();
}

// ------------------------------------------------------------------ who is told
static uint32_t told[4];
static void tell(const keel_change *event, void *data) {
    (void)data;
    const bool is_docked = keel_is_related(event->world, event->entity, Docked, e[1]) ||
                           keel_is_related(event->world, event->entity, Docked, e[2]);
    assert_true(is_docked);
    assert_non_null(event->value);
    told[event->kind == KEEL_ON_INSERTED   ? 0
         : event->kind == KEEL_ON_MODIFIED ? 1
                                           : 2] += 1 + ((const Docked *)event->value)->berth;
}

static void observers_see_value_and_target(void **state) {
    (void)state;
    begin();
    memset(told, 0, sizeof told);
    assert_int_equal(keel_observe(f.world, Docked,
                                  KEEL_ON_INSERTED | KEEL_ON_MODIFIED | KEEL_ON_DELETED, tell,
                                  NULL),
                     KEEL_OK);
    keel_relate(f.world, e[0], Docked, e[1], { 10 });
    assert_int_equal(told[0], 11);
    keel_relate(f.world, e[0], Docked, e[2]);
    assert_int_equal(told[1], 11);
    keel_relate(f.world, e[0], Docked, e[2], { 20 });
    assert_int_equal(told[1], 32);
    keel_unrelate_all(f.world, e[0], Docked);
    assert_int_equal(told[2], 21);
    keel_relate(f.world, e[0], Docked, e[1], { 30 });
    keel_delete_entity(f.world, e[1]);
    assert_int_equal(told[2], 52);
    assert_no_error(f.world);
    api_end(&f);
}

static void values_count_in_the_hash(void **state) {
    (void)state;
    begin();
    uint64_t first, second;
    keel_relate(f.world, e[0], Docked, e[1], { 1 });
    keel_world_hash(f.world, &first);
    keel_get_mut(f.world, e[0], Docked)->berth = 2;
    keel_world_hash(f.world, &second);
    assert_true(first != second);
    keel_get_mut(f.world, e[0], Docked)->berth = 1;
    keel_relate(f.world, e[0], Docked, e[2]);
    keel_world_hash(f.world, &second);
    assert_true(first != second);
    keel_relate(f.world, e[0], Docked, e[1]);
    keel_world_hash(f.world, &second);
    assert_true(first == second);
    api_end(&f);
}

// ------------------------------------------------------------------ misuse
static void only_the_verbs_relate(void **state) {
    (void)state;
    begin();
    keel_relate(f.world, e[0], Docked, e[1], { 1 });
    assert_int_equal(keel_add(f.world, e[2], Docked, { 1 }), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "keel_relate");
    assert_int_equal(keel_add(f.world, e[0], Docked, { 1 }), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_delete(f.world, e[0], Docked), KEEL_ERROR_ARGUMENT);
    Docked out;
    assert_int_equal(keel_remove_component(f.world, e[0], KEEL_OF(Docked), &out),
                     KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_clear(f.world, Docked), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_disable(f.world, e[0], Docked), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_get(f.world, e[0], Docked)->berth, 1);
    const uint32_t one = 1;
    assert_int_equal(keel_relate_component(f.world, e[0], KEEL_RELATION_OF(Likes), e[1], &one),
                     KEEL_ERROR_ARGUMENT);
    keel_clear_errors(f.world);
    const keel_component rows = { .name = "rows",
                                  .is_relation = true,
                                  .size = 4,
                                  .exclusive = true,
                                  .align = 4,
                                  .storage = KEEL_ARCHETYPE };
    assert_null(keel_register_component(f.world, &rows));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "KEEL_ARCHETYPE");
    assert_true(keel_world_check(f.world, NULL));
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(the_value_is_the_component_of_the_source,
         "the value of an edge is the source's component"),
    TEST(a_value_of_the_world_can_be_handed_in,
         "a value that is handed in may be one of the world"),
    TEST(systems_read_write_and_relate, "systems read and write values of relations"),
    TEST(values_are_dropped_once, "values of relations are dropped once"),
    TEST(clones_have_copies, "copies of a source have copies of its values"),
    TEST(observers_see_value_and_target, "observers see the value and the target of an edge"),
    TEST(values_count_in_the_hash, "values of relations count in the hash"),
    TEST(only_the_verbs_relate, "values come and go with their edges only"),
};
int main(void) { return RUN(tests); }
