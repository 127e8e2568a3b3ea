// SPDX-License-Identifier: MIT
// Reactive sets of new entities.
#include "support/api_types.h"

typedef struct Body {
    float x, y;
} Body;
typedef struct Row {
    int points;
} Row;
KEEL_COMPONENT(Body, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE);
KEEL_TAG(Dirty);
KEEL_TAG(Seen);

static api_fixture f;

// Was this entity collected, and nobody else? Then the set is emptied.
#define ASSERT_COLLECTED(e, expected)                                                              \
    do {                                                                                           \
        assert_int_equal(keel_has(f.world, e, Dirty), expected);                                   \
        assert_int_equal(keel_count(f.world, Dirty), (expected) ? 1 : 0);                          \
        assert_int_equal(keel_clear(f.world, Dirty), (expected) ? KEEL_OK : KEEL_ABSENT);          \
    } while (0)

static void new_entities(void **state) {
    (void)state;
    keel_entity e[70], first;
    api_begin(&f);
    (void)keel_add_entity(f.world);
    assert_int_equal(
        keel_collect_component(f.world, KEEL_OF(Dirty), &keel_entities, KEEL_ON_CREATED), KEEL_OK);
    assert_int_equal(keel_collect(f.world, Seen, Dirty, KEEL_ON_INSERTED), KEEL_OK); // a chain
    assert_int_equal(keel_collected_kinds(f.world, KEEL_OF(Dirty), &keel_entities),
                     KEEL_ON_CREATED);
    assert_int_equal(keel_count(f.world, Dirty), 0); // who is there is not collected
    first = keel_add_entity(f.world);
    ASSERT_COLLECTED(first, true);
    first = keel_add_entity(f.world, KEEL_INIT(Position), KEEL_INIT(Row));
    ASSERT_COLLECTED(first, true);
    assert_int_equal(keel_add(f.world, first, Velocity), KEEL_OK);
    ASSERT_COLLECTED(first, false);
    first = keel_add_child(f.world, first);
    ASSERT_COLLECTED(first, true);
    assert_int_equal(keel_add_entity_at(f.world, handle_at(9000, 3)), KEEL_OK);
    ASSERT_COLLECTED(handle_at(9000, 3), true);
    keel_world_commands(f.world);
    first = keel_add_entity(keel_world_commands(f.world), KEEL_INIT(Position));
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    ASSERT_COLLECTED(first, true);
    first = keel_clone_entity(f.world, first);
    ASSERT_COLLECTED(first, true);
    assert_int_equal(keel_add_entities(f.world, 70, e, KEEL_FILL(Body, { 1, 1 })), KEEL_OK);
    assert_int_equal(keel_count(f.world, Dirty), 70);
    assert_int_equal(keel_count(f.world, Seen), 76);
    assert_int_equal(keel_delete_entity(f.world, e[3]), KEEL_OK);
    assert_int_equal(keel_count(f.world, Dirty), 69);
    assert_true(keel_world_check(f.world, NULL));
    assert_int_equal(keel_stop_collecting_component(f.world, KEEL_OF(Dirty), &keel_entities),
                     KEEL_OK);
    assert_int_equal(keel_stop_collecting_component(f.world, KEEL_OF(Dirty), &keel_entities),
                     KEEL_ABSENT);
    assert_int_equal(keel_collected(f.world, Dirty, keel_entities), 0);
    (void)keel_add_entity(f.world);
    assert_int_equal(keel_count(f.world, Dirty), 69);
    api_end(&f);
}

static void entities_that_are_refused(void **state) {
    (void)state;
    api_begin(&f);
    keel_world *w = f.world;
    assert_int_equal(keel_collect_component(w, KEEL_OF(Dirty), &keel_entities, KEEL_ON_DESTROYED),
                     KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT,
                 "a deleted entity can be in no set; observe keel_entities");
    assert_int_equal(keel_collect_component(w, KEEL_OF(Dirty), &keel_entities, KEEL_ON_INSERTED),
                     KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT, "KEEL_ON_CREATED");
    assert_int_equal(keel_collect(w, Dirty, Position, KEEL_ON_CREATED), KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT, "'Dirty' collects");
    assert_int_equal(keel_collect_component(w, KEEL_OF(Position), &keel_entities, KEEL_ON_CREATED),
                     KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT, "has a value");
    assert_int_equal(keel_collect_component(w, NULL, &keel_entities, KEEL_ON_CREATED),
                     KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT, NULL);
    assert_int_equal(keel_stop_collecting_component(w, NULL, &keel_entities), KEEL_ABSENT);
    assert_int_equal(keel_collect_component(w, KEEL_OF(Dirty), &keel_entities, KEEL_ON_CREATED),
                     KEEL_OK);
    KEEL_EACH(w, KEEL_WITHOUT(Dirty))
        (void)0; // nobody
    keel_view view;
    assert_int_equal(keel_view_begin(&view, w, KEEL_TERMS(KEEL_WITH(Dirty)), "a look"), KEEL_OK);
    assert_true(keel_is_null(keel_add_entity(w)));
    assert_error(w, KEEL_ERROR_BORROWED, "cannot collect into 'Dirty': a look");
    keel_view_end(&view);
    assert_int_equal(keel_unregister_component(w, KEEL_OF(Dirty)), KEEL_OK);
    assert_false(keel_is_null(keel_add_entity(w)));
    api_end(&f);
}

KEEL_SYSTEM_ONCE(make_two, KEEL_COMMANDS(commands, Position)) {
    (void)keel_add_entity(commands, KEEL_INIT(Position, { 1, 0 }));
    (void)keel_add_entity(commands);
}
KEEL_SYSTEM(look_at_new, KEEL_WITH(Dirty), KEEL_ENTITY(e), KEEL_COMMANDS(commands, Dirty),
            KEEL_UNIQUE_WRITE(Time, time)) {
    time->now += 1;
    (void)keel_delete(commands, e, Dirty);
}
KEEL_WORKLOAD(births, KEEL_STEP(make_two), KEEL_STEP(look_at_new));

static void new_entities_in_workloads(void **state) {
    (void)state;
    for (uint32_t workers = 1; workers <= 4; workers *= 2) {
        api_begin_with(&f, (keel_world_desc){ .worker_count = workers });
        assert_int_equal(keel_set_unique(f.world, Time, { 0, 0 }), KEEL_OK);
        assert_int_equal(keel_run_workload(f.world, births), KEEL_OK); // before there is a rule
        assert_int_equal(
            keel_collect_component(f.world, KEEL_OF(Dirty), &keel_entities, KEEL_ON_CREATED),
            KEEL_OK);
        for (uint32_t i = 1; i <= 100; ++i) {
            assert_int_equal(keel_run_workload(f.world, births), KEEL_OK);
            assert_float_equal(keel_get_unique(f.world, Time)->now, 2 * (float)i, 0);
            assert_int_equal(keel_count(f.world, Dirty), 0);
        }
        api_end(&f);
    }
}

static void new_entities_without_memory(void **state) {
    (void)state;
    uint32_t count = 0;
    for (size_t n = 0; count < 3; n += test_stride()) {
        keel_entity e[66];
        const Velocity values[66] = { { 1, 2 } };
        api_begin(&f);
        assert_int_equal(keel_track(f.world, Dirty, KEEL_TRACK_ALL), KEEL_OK);
        counting_allocator_fail_after(&f.memory, n);
        const bool is_set =
            !keel_collect_component(f.world, KEEL_OF(Dirty), &keel_entities, KEEL_ON_CREATED) &&
            !keel_collect(f.world, Seen, Dirty, KEEL_ON_REMOVED);
        const bool one = !keel_is_null(keel_add_entity(f.world, KEEL_INIT(Position)));
        const bool at = !keel_add_entity_at(f.world, handle_at(70000, 0));
        const bool many = !keel_add_entities(f.world, 66, e, KEEL_COLUMN(Velocity, values));
        counting_allocator_never_fail(&f.memory);
        const uint32_t alive = (one ? 1u : 0) + (at ? 1u : 0) + (many ? 66u : 0);
        assert_int_equal(keel_entity_count(f.world), alive);
        if (is_set) assert_int_equal(keel_count(f.world, Dirty), alive);
        assert_true(keel_world_check(f.world, NULL));
        keel_world *copy = keel_world_create(&(keel_world_desc){ .log = keel_log_none });
        assert_int_equal(
            keel_collect_component(copy, KEEL_OF(Seen), &keel_entities, KEEL_ON_CREATED), KEEL_OK);
        assert_int_equal(keel_copy_world(f.world, copy), KEEL_OK);
        assert_int_equal(keel_count(copy, Seen), alive);
        assert_true(keel_world_check(copy, NULL));
        keel_world_destroy(copy);
        count = (is_set ? 1u : 0) + (one ? 1u : 0) + (many ? 1u : 0);
        api_end(&f);
    }
}

// ------------------------------------------------------------------ keel_entities elsewhere
static void count_call(const keel_change *event, void *data) {
    *(uint32_t *)data += event->kind == KEEL_ON_CREATED;
}

static void entities_stand_for_a_component_where_that_is_said(void **state) {
    (void)state;
    uint32_t calls = 0;
    api_begin(&f);
    keel_world *w = f.world;
    assert_ptr_equal(KEEL_OF(keel_entities), &keel_entities);
    assert_int_equal(keel_reserve(w, keel_entities, 1000), KEEL_OK);
    assert_int_equal(keel_collect(w, Dirty, keel_entities, KEEL_ON_CREATED), KEEL_OK);
    assert_int_equal(keel_collected(w, Dirty, keel_entities), KEEL_ON_CREATED);
    assert_int_equal(keel_observe(w, keel_entities, KEEL_ON_CREATED, count_call, &calls), KEEL_OK);
    assert_int_equal(keel_add_entities(w, 7, NULL), KEEL_OK);
    assert_int_equal(calls, 7);
    assert_int_equal(keel_count(w, keel_entities), 7);
    assert_int_equal(keel_unobserve(w, keel_entities, count_call, &calls), KEEL_OK);
    assert_int_equal(keel_unobserve(w, keel_entities, count_call, &calls), KEEL_ABSENT);
    assert_int_equal(keel_stop_collecting(w, Dirty, keel_entities), KEEL_OK);
    assert_int_equal(keel_collected(w, Dirty, keel_entities), 0);
    assert_no_error(w);

    const keel_entity e = keel_next_entity(w, keel_null());
    assert_false(keel_has(w, e, keel_entities));
    assert_int_equal(keel_clear(w, keel_entities), KEEL_ABSENT);
    assert_int_equal(keel_add_component(w, e, &keel_entities, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(w, KEEL_ERROR_ARGUMENT, "stands for living entities and is no component");
    assert_null(keel_register_component(w, &keel_entities));
    assert_error(w, KEEL_ERROR_ARGUMENT, "stands for living entities");
    assert_int_equal(keel_track(w, keel_entities, KEEL_TRACK_ALL), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_collect(w, keel_entities, Dirty, KEEL_ON_INSERTED), KEEL_ERROR_ARGUMENT);
    KEEL_EACH(w, KEEL_WITH(keel_entities)) {
        fail();
    }
    assert_error(w, KEEL_ERROR_ARGUMENT, "stands for living entities");
    keel_commands *commands = keel_world_commands(w);
    assert_int_equal(keel_clear(commands, keel_entities), KEEL_ERROR_ARGUMENT);
    assert_null(keel_find_component(w, "keel_entities"));
    api_end(&f);
}

// ------------------------------------------------------------------ other typed forms
static int downwards(const keel_world *world, keel_entity a, keel_entity b, void *data) {
    (void)world, (void)data;
    return keel_entity_index(a) < keel_entity_index(b) ? 1 : -1;
}

static void what_takes_a_descriptor_takes_a_type(void **state) {
    (void)state;
    keel_entity e[3];
    api_begin(&f);
    keel_world *w = f.world;
    assert_int_equal(keel_add_entities(w, 3, e, KEEL_FILL(Position)), KEEL_OK);
    assert_int_equal(keel_tracked(w, Position), KEEL_TRACK_NONE);
    assert_int_equal(keel_track(w, Position, KEEL_TRACK_REMOVAL), KEEL_OK);
    assert_int_equal(keel_tracked(w, Position), KEEL_TRACK_REMOVAL);
    assert_int_equal(keel_set_limit(w, Position, 2), KEEL_OK);
    assert_int_equal(keel_sort_by_entity(w, Position, downwards, NULL), KEEL_OK);
    keel_entity first = keel_null();
    KEEL_EACH(w, KEEL_WITH(Position), KEEL_ENTITY(it))
        if (keel_is_null(first)) first = it;
    assert_true(keel_is_same(first, e[2]));
    for (int i = 0; i < 3; ++i)
        assert_int_equal(keel_remove(w, e[i], Position), KEEL_OK);
    assert_int_equal(keel_missed(w, Position), 1);
    assert_int_equal(keel_unregister(w, Position), KEEL_OK);
    assert_int_equal(keel_unregister(w, Position), KEEL_ABSENT);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(entities_stand_for_a_component_where_that_is_said,
         "keel_entities is no component but where entities are meant"),
    TEST(what_takes_a_descriptor_takes_a_type, "typed forms of what takes a descriptor"),
    TEST(new_entities, "a set collects new entities, however they come"),
    TEST(entities_that_are_refused,
         "of entities only KEEL_ON_CREATED, and not while it is looked at"),
    TEST(new_entities_in_workloads,
         "systems that create entities take turns with users of the set"),
    TEST(new_entities_without_memory, "new entities are all there and in the set, or not there"),
};

int main(void) { return RUN(tests); }
