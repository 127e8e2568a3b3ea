// SPDX-License-Identifier: MIT
// Answers at the edges of functions that other tests pass by: found by tools/mutate.
#include "support/api_types.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static api_fixture f;

// ------------------------------------------------------------------ no world
static void values_for_no_world(void **state) {
    (void)state;
    keel_world *none = NULL;
    const keel_value values[] = { { KEEL_OF(Number), NULL }, { NULL, NULL } };
    keel_set_assert_handler(api_go_on);
    assert_true(keel_add_component_values(none, keel_null(), values) < 0);
    assert_true(keel_unlink(none, keel_null()) < 0);
    assert_true(keel_mark(none, keel_null(), Number) < 0);
    assert_true(keel_track_component(none, KEEL_OF(Number), KEEL_TRACK_ALL) < 0);
    assert_true(keel_is_null(keel_add_child_values(none, keel_null(), values)));
    keel_set_assert_handler(NULL);
}

// ------------------------------------------------------------------ nothing to do
static void sorting_nothing(void **state) {
    (void)state;
    api_begin(&f);
    keel_add_entity(f.world, KEEL_INIT(Other, { 1 }));
    assert_int_equal(keel_register(f.world, Number), KEEL_OK);
    assert_int_equal(keel_sort_by(f.world, &(keel_sort_desc){ .component = KEEL_OF(Number),
                                                              .as = KEEL_OF(Other) }),
                     KEEL_OK);
    assert_no_error(f.world);
    api_end(&f);
}

static void kinds_of_no_set(void **state) {
    (void)state;
    api_begin(&f);
    assert_int_equal(keel_collect(f.world, Dead, Number, KEEL_ON_INSERTED), KEEL_OK);
    assert_int_equal(keel_collected_kinds(f.world, NULL, KEEL_OF(Number)), 0);
    assert_int_equal(keel_collected_kinds(f.world, KEEL_OF(Dead), KEEL_OF(Other)), 0);
    assert_int_equal(keel_collected_kinds(f.world, KEEL_OF(Dead), KEEL_OF(Number)),
                     KEEL_ON_INSERTED);
    api_end(&f);
}

static void nothing_is_tracked_of_nothing(void **state) {
    (void)state;
    api_begin(&f);
    assert_int_equal(keel_tracked_kinds(f.world, NULL), KEEL_TRACK_NONE);
    keel_set_assert_handler(api_go_on);
    assert_int_equal(keel_tracked_kinds(NULL, KEEL_OF(Number)), KEEL_TRACK_NONE);
    keel_set_assert_handler(NULL);
    api_end(&f);
}

// ------------------------------------------------------------------ what an observer answers
static void mark_root(const keel_change *event, void *data) {
    (void)data;
    keel_add(event->commands, event->entity, Frozen);
}
static void answers_come_with_the_edit(void **state) {
    (void)state;
    api_begin(&f);
    const keel_entity root = keel_add_entity(f.world), child = keel_add_child(f.world, root);
    const keel_entity below = keel_add_child(f.world, child);
    assert_int_equal(keel_observe(f.world, keel_child, KEEL_ON_DELETED, mark_root, NULL), KEEL_OK);
    assert_int_equal(keel_unlink(f.world, child), KEEL_OK);
    assert_true(keel_has(f.world, child, Frozen));
    assert_true(keel_has(f.world, below, Frozen));
    keel_delete(f.world, child, Frozen);
    assert_int_equal(keel_attach(f.world, child, root), KEEL_OK);
    assert_int_equal(keel_detach(f.world, child), KEEL_OK);
    assert_true(keel_has(f.world, child, Frozen));
    api_end(&f);
}

// The one observer of a component, called in place.
static void of_one_value(void **state) {
    (void)state;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(
        keel_observe(f.world, Number, KEEL_ON_INSERTED | KEEL_ON_MODIFIED, mark_root, NULL),
        KEEL_OK);
    keel_add(f.world, e, Number, { 1 });
    assert_true(keel_has(f.world, e, Frozen));
    keel_delete(f.world, e, Frozen);
    keel_add(f.world, e, Number, { 2 });
    assert_true(keel_has(f.world, e, Frozen));
    keel_delete(f.world, e, Frozen);
    keel_replace(f.world, e, Number, { 3 });
    assert_true(keel_has(f.world, e, Frozen));
    api_end(&f);
}

static void mark_by_the_world(const keel_change *event, void *data) {
    keel_commands *list = keel_world_commands(event->world);
    *(keel_result *)data = keel_add(list, event->entity, Frozen);
}
static void into_the_commands_of_the_world(void **state) {
    (void)state;
    keel_result result = KEEL_ABSENT;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_observe(f.world, Number, KEEL_ON_INSERTED, mark_by_the_world, &result),
                     KEEL_OK);
    keel_add(f.world, e, Number, { 1 });
    assert_int_equal(result, KEEL_OK);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_true(keel_has(f.world, e, Frozen));
    api_end(&f);
}

// ------------------------------------------------------------------ values that are handed over
static void values_of_recorded_spawns(void **state) {
    (void)state;
    api_begin(&f);
    owned_begin();
    const keel_prefab box = { keel_add_entity(keel_templates(f.world)) };
    keel_commands *list = keel_world_commands(f.world);
    keel_entity e[3];
    const Owned mine = owned_make();
    assert_int_equal(keel_spawn_many(list, box, 3, e, KEEL_FILL(Owned, mine)), KEEL_OK);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(owned.living, 4); // mine and theirs: the one that was recorded is dropped
    owned_release(mine);
    const uint32_t moves = owned.moves;
    (void)keel_spawn(f.world, box, KEEL_INIT(Owned, owned_make()));
    assert_true(owned.moves > moves);
    assert_int_equal(owned.living, 4); // it was handed over
    api_end(&f);
    assert_owned_end();
}

KEEL_SYSTEM_ONCE(look_at_the_dead, KEEL_MAY_WRITE(Number), KEEL_UNIQUE_READ(Time, time),
                 KEEL_CONTEXT(context)) {
    (void)time;
    (void)keel_get(context, keel_null(), Number);
}
KEEL_WORKLOAD(looks, KEEL_STEP(look_at_the_dead));
static void looking_at_the_dead_says_nothing(void **state) {
    (void)state;
    api_begin(&f);
    keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    keel_set_unique(f.world, Time, { 0, 0 });
    assert_int_equal(keel_run_workload(f.world, looks), KEEL_OK);
    assert_int_equal(f.log.warnings, 0);
    api_end(&f);
}

// ------------------------------------------------------------------ what a relation cannot have
static uint64_t hash_any(const void *value, void *data) {
    (void)value, (void)data;
    return 0;
}
static void hooks_without_values(void **state) {
    (void)state;
    api_begin(&f);
    const keel_component wrong[] = {
        { .name = "a", .is_relation = true, .drop = owned_drop },
        { .name = "b", .is_relation = true, .copy = owned_copy },
        { .name = "c", .is_relation = true, .move = owned_move },
        { .name = "d", .is_relation = true, .hash = hash_any },
    };
    for (uint32_t i = 0; i < 4; ++i) {
        assert_null(keel_register_component(f.world, &wrong[i]));
        assert_error(f.world, KEEL_ERROR_ARGUMENT, "is a relation without values, but has hooks");
    }
    api_end(&f);
}

// ------------------------------------------------------------------ what is wrong, said exactly
// An error names an entity by its name, up to 60 characters of it; dots say that there are more.
static void long_names_end_in_dots(void **state) {
    (void)state;
    char name[62] = { 0 };
    api_fixture g;
    api_begin(&f);
    api_begin(&g);
    for (size_t length = 60; length <= 61; ++length) {
        const keel_entity e = keel_add_entity(f.world), child = keel_add_child(f.world, e);
        memset(name, 'x', length);
        assert_int_equal(keel_set_name(f.world, e, name), KEEL_OK);
        assert_true(keel_is_null(keel_move_entity(f.world, e, g.world)));
        assert_error(f.world, KEEL_ERROR_ARGUMENT,
                     length > 60 ? "xxx...\" to another world" : "xxx\" to another world");
        keel_unlink(f.world, child);
    }
    api_end(&f);
    api_end(&g);
}

static void a_default_alignment_is_said_to_be_one(void **state) {
    (void)state;
    const keel_component bytes = { .name = "bytes", .size = 1 };
    const keel_component more = { .name = "bytes", .size = 2 };
    api_begin(&f);
    assert_non_null(keel_register_component(f.world, &bytes));
    assert_null(keel_register_component(f.world, &more));
    assert_error(f.world, KEEL_ERROR_COMPONENT, "(2 bytes, alignment 1, sparse set)");
    api_end(&f);
}

static void a_unique_is_not_added_to_many(void **state) {
    (void)state;
    api_begin(&f);
    const keel_entity e[2] = { keel_add_entity(f.world), keel_add_entity(f.world) };
    keel_set_unique(f.world, Time, { 1, 2 });
    assert_int_equal(keel_add_component_to_many(f.world, e, 2, KEEL_UNIQUE_OF(Time), NULL, 0),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "unique");
    api_end(&f);
}

// A group without a name has those of its components, as far as there is room.
static void long_names_of_groups_are_cut(void **state) {
    (void)state;
    char text[3][60];
    const keel_component *c[4] = { NULL };
    api_begin(&f);
    for (int i = 0; i < 3; ++i) {
        memset(text[i], 'a' + i, sizeof text[i]);
        text[i][sizeof text[i] - 1] = 0;
        c[i] = keel_register_component(f.world, &(keel_component){ .name = text[i], .size = 4 });
        assert_non_null(c[i]);
    }
    keel_group *group = NULL;
    const keel_entity e = keel_add_entity(f.world);
    for (int i = 0; i < 3; ++i)
        assert_true(keel_add_component(f.world, e, c[i], &(int32_t){ i }) >= 0);
    assert_int_equal(keel_group_create_of(f.world, &(keel_group_desc){ .get = c }, &group),
                     KEEL_OK);
    const char *name = keel_group_name(f.world, group);
    assert_int_equal(strncmp(name, text[0], 59), 0);
    assert_int_equal(strlen(name), 63);
    assert_true(keel_group_contains(f.world, group, e));
    assert_int_equal(keel_group_destroy(f.world, group), KEEL_OK);
    api_end(&f);
}

// What a prefab has, but the world knows otherwise, cannot be spawned: nothing is.
static void a_prefab_of_other_components(void **state) {
    (void)state;
    api_begin(&f);
    keel_world *templates = keel_templates(f.world);
    const keel_component *two = keel_register_component(
        templates, &(keel_component){ .name = "bytes", .size = 2, .align = 2 });
    assert_non_null(two);
    const keel_prefab box = { keel_add_entity(templates) };
    assert_true(keel_add_component(templates, box.root, two, &(int16_t){ 7 }) >= 0);
    assert_non_null(
        keel_register_component(f.world, &(keel_component){ .name = "bytes", .size = 1 }));
    assert_true(keel_is_null(keel_spawn(f.world, box)));
    assert_error(f.world, KEEL_ERROR_COMPONENT, "bytes");
    assert_int_equal(keel_entity_count(f.world), 0);
    api_end(&f);
}

// ------------------------------------------------------------------ what is told
typedef struct Docked {
    uint32_t berth;
} Docked;
KEEL_VALUED_RELATION(Docked, .exclusive = true);

static void count_calls(const keel_change *event, void *data) {
    (void)event;
    ++*(uint32_t *)data;
}
static void a_new_value_relates_nobody(void **state) {
    (void)state;
    uint32_t calls = 0;
    api_begin(&f);
    const keel_entity ship = keel_add_entity(f.world), port = keel_add_entity(f.world);
    assert_int_equal(keel_observe_component(f.world, KEEL_RELATION_OF(Docked), KEEL_ON_RELATED,
                                            count_calls, &calls),
                     KEEL_OK);
    assert_int_equal(keel_relate(f.world, ship, Docked, port, { 1 }), KEEL_OK);
    assert_int_equal(calls, 1);
    assert_int_equal(keel_relate(f.world, ship, Docked, port, { 2 }), KEEL_OK);
    assert_int_equal(calls, 1);
    api_end(&f);
}

static void observers_of_all_end_with_the_world(void **state) {
    (void)state;
    uint32_t calls = 0;
    api_begin(&f);
    assert_int_equal(keel_register(f.world, Number, keel_name), KEEL_OK);
    const keel_component *all[] = { KEEL_OF(keel_child), KEEL_OF(keel_name), KEEL_OF(Number) };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        assert_int_equal(
            keel_observe_component(f.world, all[i], KEEL_ON_DELETED, count_calls, &calls), KEEL_OK);
    keel_add_child(f.world, keel_add_entity(f.world, KEEL_INIT(Number)));
    api_end(&f); // no byte is left
    assert_int_equal(calls, 2);
}

static void clearing_asks_all_components(void **state) {
    (void)state;
    api_begin(&f);
    keel_add_child(f.world, keel_add_entity(f.world, KEEL_INIT(Number, { 1 }), KEEL_INIT(Other)));
    const keel_component *read[] = { KEEL_OF(keel_child), KEEL_OF(Number), KEEL_OF(Other) };
    for (size_t i = 0; i < sizeof read / sizeof *read; ++i) {
        const keel_term terms[] = { { .kind = KEEL_TERM_READ, .component = read[i] },
                                    { .kind = KEEL_TERM_END } };
        keel_view view;
        assert_int_equal(keel_view_begin(&view, f.world, terms, "a reader"), KEEL_OK);
        assert_int_equal(keel_clear_entities(f.world), KEEL_ERROR_BORROWED);
        keel_view_end(&view);
        keel_clear_errors(f.world);
    }
    assert_int_equal(keel_clear_entities(f.world), KEEL_OK);
    api_end(&f);
}

static keel_entity looked_at;
KEEL_SYSTEM_ONCE(look_twice, KEEL_MAY_WRITE(Number), KEEL_CONTEXT(context)) {
    (void)keel_get(context, looked_at, Other);
    (void)keel_get(context, looked_at, Third);
}
KEEL_WORKLOAD(looking_twice, KEEL_STEP(look_twice));
static void the_first_of_two_errors(void **state) {
    (void)state;
    api_begin(&f);
    looked_at = keel_add_entity(f.world, KEEL_INIT(Number), KEEL_INIT(Other), KEEL_INIT(Third));
    (void)keel_run_workload(f.world, looking_twice);
    assert_non_null(strstr(keel_first_error(f.world)->message, "Other"));
    keel_clear_errors(f.world);
    api_end(&f);
}

typedef struct Nine {
    char key, rest[8];
} Nine;
KEEL_COMPONENT(Nine);

// ------------------------------------------------------------------ told at once
KEEL_RELATION(Holds, .on_delete = KEEL_DELETE_SOURCES);
KEEL_RELATION(Meets);

static void answers_come_with_relations(void **state) {
    (void)state;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world), other = keel_add_entity(f.world);
    assert_int_equal(
        keel_observe_component(f.world, KEEL_RELATION_OF(Meets), KEEL_ON_RELATED, mark_root, NULL),
        KEEL_OK);
    assert_int_equal(keel_relate(f.world, e, Meets, other), KEEL_OK);
    assert_true(keel_has(f.world, e, Frozen));
    api_end(&f);
}

static void mark_other(const keel_change *event, void *data) {
    keel_add(event->commands, *(keel_entity *)data, Frozen);
}
static void answers_come_with_who_goes(void **state) {
    (void)state;
    api_begin(&f);
    keel_entity other = keel_add_entity(f.world);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number));
    const keel_entity held = keel_add_entity(f.world, KEEL_INIT(Number));
    assert_int_equal(keel_relate(f.world, held, Holds, e), KEEL_OK);
    assert_int_equal(keel_observe(f.world, Number, KEEL_ON_DELETED, mark_other, &other), KEEL_OK);
    assert_int_equal(keel_delete_entity(f.world, e), KEEL_OK);
    assert_false(keel_is_alive(f.world, held));
    assert_true(keel_has(f.world, other, Frozen));
    api_end(&f);
}

static void many_go_with_one_each_once(void **state) {
    (void)state;
    enum { MANY = 300 };
    uint32_t calls = 0;
    api_begin(&f);
    const keel_entity one = keel_add_entity(f.world);
    keel_entity before = one;
    for (uint32_t i = 0; i < MANY; ++i) { // each is come to twice
        const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number));
        assert_int_equal(keel_relate(f.world, e, Holds, one), KEEL_OK);
        assert_int_equal(keel_relate(f.world, e, Holds, before), KEEL_OK);
        before = e;
    }
    assert_int_equal(keel_observe(f.world, Number, KEEL_ON_DELETED, count_calls, &calls), KEEL_OK);
    api_fixture g; // and so it is in a copy
    api_begin(&g);
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK);
    counting_allocator_fail_after(&g.memory, 0);
    assert_int_equal(keel_delete_entity(g.world, one), KEEL_OK);
    counting_allocator_never_fail(&g.memory);
    assert_int_equal(keel_entity_count(g.world), 0);
    api_end(&g);
    assert_int_equal(keel_delete_entity(f.world, one), KEEL_OK);
    assert_int_equal(calls, MANY);
    assert_int_equal(keel_entity_count(f.world), 0);
    api_end(&f);
}

// An observer that takes itself away while it is called leaves the others, however many.
static void go_away(const keel_change *event, void *data) {
    (void)keel_unobserve(event->world, Number, go_away, data);
}
static void observers_that_go_leave_the_others(void **state) {
    (void)state;
    const keel_component *c[] = { KEEL_OF(Position), KEEL_OF(Velocity), KEEL_OF(Health),
                                  KEEL_OF(Other),    KEEL_OF(Third),    KEEL_OF(Large),
                                  KEEL_OF(Frozen),   KEEL_OF(Dead),     KEEL_OF(Nine) };
    for (uint32_t count = 1; count <= 9; ++count) {
        uint32_t calls = 0;
        api_begin(&f);
        const keel_entity e = keel_add_entity(f.world);
        for (uint32_t i = 0; i < count; ++i) {
            assert_int_equal(
                keel_observe_component(f.world, c[i], KEEL_ON_DELETED, count_calls, &calls),
                KEEL_OK);
            assert_true(keel_add_component(f.world, e, c[i], NULL) >= 0);
        }
        size_t before = 0;
        for (uint32_t i = 0; i < 500; ++i) {
            assert_int_equal(keel_observe(f.world, Number, KEEL_ON_INSERTED, go_away, NULL),
                             KEEL_OK);
            keel_add(f.world, e, Number, { i });
            keel_delete(f.world, e, Number);
            if (i == 10) before = keel_world_statistics(f.world).memory.total;
        }
        assert_int_equal(keel_world_statistics(f.world).memory.total, before);
        assert_int_equal(keel_clear_entities(f.world), KEEL_OK);
        assert_int_equal(calls, count);
        api_end(&f);
    }
}

static void names_that_move_are_told(void **state) {
    (void)state;
    uint32_t calls = 0;
    api_fixture g;
    api_begin(&f);
    api_begin(&g);
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_set_name(f.world, e, "e"), KEEL_OK);
    assert_int_equal(keel_observe(g.world, keel_name, KEEL_ON_INSERTED, count_calls, &calls),
                     KEEL_OK);
    const keel_entity moved = keel_move_entity(f.world, e, g.world);
    assert_string_equal(keel_name_of(g.world, moved), "e");
    assert_int_equal(calls, 1);
    api_end(&f);
    api_end(&g);
}

static void links_that_go_are_kept_for_readers(void **state) {
    (void)state;
    api_begin(&f);
    assert_int_equal(keel_track_component(f.world, KEEL_OF(keel_child), KEEL_TRACK_DELETION),
                     KEEL_OK);
    const keel_entity root = keel_add_entity(f.world), child = keel_add_child(f.world, root);
    assert_int_equal(keel_detach(f.world, child), KEEL_OK);
    keel_removal_walk walk = keel_removals(f.world, KEEL_OF(keel_child), KEEL_TRACK_DELETION);
    uint32_t count = 0;
    while (keel_removal_next(&walk))
        ++count;
    assert_int_equal(count, 1);
    api_end(&f);
}

static void sets_of_a_copied_world_are_told(void **state) {
    (void)state;
    uint32_t calls = 0;
    api_fixture g;
    api_begin(&f);
    for (uint32_t i = 0; i < 5; ++i)
        keel_add_entity(f.world, KEEL_INIT(Number), KEEL_INIT(Dead));
    api_begin(&g);
    assert_int_equal(keel_collect(g.world, Dead, Number, KEEL_ON_DELETED), KEEL_OK);
    assert_int_equal(keel_observe(g.world, Dead, KEEL_ON_INSERTED, count_calls, &calls), KEEL_OK);
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK);
    assert_int_equal(calls, 5);
    api_end(&f);
    api_end(&g);
}

// ------------------------------------------------------------------ what is not there any more
static void who_required_is_forgotten(void **state) {
    (void)state;
    const keel_component *needs[] = { KEEL_OF(Other), NULL }, *c[3];
    static const char *const names[] = { "first", "second", "third" };
    api_begin(&f);
    for (uint32_t i = 0; i < 3; ++i)
        c[i] = keel_register_component(
            f.world, &(keel_component){ .name = names[i], .size = 4, .required = needs });
    const keel_entity e = keel_add_entity(f.world);
    assert_true(keel_add_component(f.world, e, c[0], &(uint32_t){ 1 }) >= 0);
    assert_int_equal(keel_unregister_component(f.world, c[2]), KEEL_OK);
    assert_int_equal(keel_unregister_component(f.world, c[1]), KEEL_OK);
    assert_int_equal(keel_delete(f.world, e, Other), KEEL_ERROR_REQUIRED);
    assert_error(f.world, KEEL_ERROR_REQUIRED, "'first' requires it");
    api_end(&f);
}

static void a_reader_leaves_nothing_behind(void **state) {
    (void)state;
    api_begin(&f);
    assert_int_equal(keel_track_component(f.world, KEEL_OF(Number), KEEL_TRACK_ALL), KEEL_OK);
    size_t bytes[2];
    for (uint32_t i = 0; i < 2; ++i) {
        for (uint32_t k = 0; k < 3000; ++k) {
            const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { k }));
            assert_int_equal(keel_delete_entity(f.world, e), KEEL_OK);
            if (k % 100 == 99) keel_clear_all_changes(f.world, KEEL_TRACK_ALL, KEEL_NOW);
        }
        bytes[i] = keel_component_memory(f.world, KEEL_OF(Number));
        keel_reader *reader = keel_reader_create(f.world, "a reader");
        (void)keel_removals(reader, KEEL_OF(Number), KEEL_TRACK_ALL);
        keel_reader_destroy(reader); // nobody waits for what is removed from now on
    }
    assert_true(bytes[1] < bytes[0] + 1024);
    api_end(&f);
}

static void names_end_with_their_component(void **state) {
    (void)state;
    size_t bytes[3];
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number));
    for (uint32_t i = 0; i < 3; ++i) {
        assert_int_equal(keel_set_name(f.world, e, "e"), KEEL_OK);
        assert_int_equal(keel_unregister(f.world, keel_name), KEEL_OK);
        if (i == 1) assert_int_equal(keel_world_trim(f.world), KEEL_OK); // the chains of names, too
        bytes[i] = keel_world_statistics(f.world).memory.total;
    }
    assert_null(keel_name_of(f.world, e));
    assert_int_equal(bytes[2], bytes[1]);
    api_end(&f);
}

static void after_an_entity_that_never_was(void **state) {
    (void)state;
    api_begin(&f);
    assert_true(keel_is_null(keel_next_free_entity(f.world, handle_at(0, 1))));
    for (uint32_t i = 0; i < 64; ++i) // with pages of 64 a whole one
        (void)keel_add_entity(f.world);
    assert_true(keel_is_null(keel_next_free_entity(f.world, handle_at(64, 1))));
    api_end(&f);
}

// ------------------------------------------------------------------ where values lie
static bool check_run(const keel_value_run *run, void *seen) {
    for (uint32_t i = 0; i < run->count; ++i)
        assert_int_equal(((const Number *)run->values)[i].value, run->index + i);
    *(uint32_t *)seen += run->count;
    return true;
}
static void number(keel_entity e) { keel_add(f.world, e, Number, { keel_entity_index(e) }); }

// Values of 64 indices in slots that follow each other need not be on one page.
static void visiting_across_pages_of_slots(void **state) {
    (void)state;
    enum { PAIRS = 150, MANY = PAIRS * 129 };
    static keel_entity e[MANY];
    uint32_t seen = 0;
    api_begin(&f);
    for (uint32_t i = 0; i < MANY; ++i)
        e[i] = keel_add_entity(f.world);
    for (uint32_t pair = 0; pair < PAIRS; ++pair) { // of 64; the first of the second before all
        const uint32_t from = pair * 128, last = PAIRS * 128 + pair;
        number(e[from + 64]);
        for (uint32_t i = from; i < from + 128; ++i)
            if (i != from + 64) number(e[i]);
        number(e[last]); // so that the next pair begins elsewhere on its page
    }
    assert_int_equal(keel_visit_values(f.world, KEEL_OF(Number), check_run, &seen), KEEL_OK);
    assert_int_equal(seen, MANY);
    api_end(&f);
}

static int by_key(const void *a, const void *b, void *data) {
    (void)data;
    return ((const Nine *)a)->key - ((const Nine *)b)->key;
}
static void sorting_moves_all_bytes(void **state) {
    (void)state;
    keel_entity e[20];
    api_begin(&f);
    for (uint32_t i = 0; i < 20; ++i) {
        const char key = (char)(i * 7 % 20);
        e[i] = keel_add_entity(f.world,
                               KEEL_INIT(Nine, { key, { 0, 0, 0, 0, 0, 0, 0, (char)(key + 1) } }));
    }
    assert_int_equal(keel_sort(f.world, Nine, by_key, NULL), KEEL_OK);
    for (uint32_t i = 0; i < 20; ++i) {
        const Nine *value = keel_get(f.world, e[i], Nine);
        assert_int_equal(value->key, i * 7 % 20);
        assert_int_equal(value->rest[7], value->key + 1);
    }
    api_end(&f);
}

static void groups_move_all_bytes(void **state) {
    (void)state;
    keel_entity e[20];
    keel_group *group = NULL;
    const keel_component *members[] = { KEEL_OF(Nine), KEEL_OF(Number), NULL };
    api_begin(&f);
    for (uint32_t i = 0; i < 20; ++i)
        e[i] = keel_add_entity(
            f.world, KEEL_INIT(Nine, { (char)i, { 0, 0, 0, 0, 0, 0, 0, (char)(i + 1) } }));
    assert_int_equal(keel_group_create_of(f.world, &(keel_group_desc){ .owned = members }, &group),
                     KEEL_OK);
    for (uint32_t i = 20; i--;)
        if (i % 3) keel_add(f.world, e[i], Number, { i });
    for (uint32_t i = 0; i < 20; ++i) {
        const Nine *value = keel_get(f.world, e[i], Nine);
        assert_int_equal(value->key, i);
        assert_int_equal(value->rest[7], i + 1);
    }
    api_end(&f);
}

typedef struct Points {
    keel_entity at;
} Points;
KEEL_FIELDS(Points, at);
KEEL_COMPONENT(Points, KEEL_HAS_FIELDS(Points));

static void a_clone_of_many_components(void **state) {
    (void)state;
    enum { KINDS = 100 };
    static keel_component kinds[KINDS];
    static char names[KINDS][8];
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    for (uint32_t i = 0; i < KINDS; ++i) {
        snprintf(names[i], sizeof names[i], "Kind%u", (unsigned)i);
        kinds[i] = (keel_component){ .name = names[i], .size = 4, .align = 4 };
        assert_int_equal(keel_add_component(f.world, e, &kinds[i], &i), KEEL_OK);
    }
    const keel_entity copy = keel_clone_entity(f.world, e);
    for (uint32_t i = 0; i < KINDS; ++i)
        assert_int_equal(*(const uint32_t *)keel_get_component(f.world, copy, &kinds[i]), i);
    api_end(&f);
}

// Whoever is below a copy without being one of its parts stays what it is.
static void others_below_a_copy(void **state) {
    (void)state;
    api_begin(&f);
    keel_world *templates = keel_templates(f.world);
    const keel_prefab box = { keel_add_entity(templates) };
    keel_add_child(templates, box.root, KEEL_INIT(Number, { 1 }));
    const keel_entity copy = keel_spawn(f.world, box), part = keel_first_child(f.world, copy);
    const keel_entity other = keel_add_child(f.world, copy, KEEL_INIT(Number, { 5 }));
    keel_replace(f.world, part, Number, { 2 });
    assert_int_equal(keel_apply_prefab(f.world, copy, box), KEEL_OK);
    assert_int_equal(keel_get(f.world, part, Number)->value, 2); // it has one
    assert_int_equal(keel_get(f.world, other, Number)->value, 5);
    assert_int_equal(keel_count(f.world, Number), 2);
    api_end(&f);
}

// What a value of a prefab names is one of its parts only while that part lives.
static void parts_that_are_not_there_any_more(void **state) {
    (void)state;
    api_begin(&f);
    keel_world *templates = keel_templates(f.world);
    const keel_prefab box = { keel_add_entity(templates) };
    const keel_entity gone = keel_add_child(templates, box.root);
    assert_int_equal(keel_delete_entity(templates, gone), KEEL_OK);
    for (uint32_t i = 0; i < 100; ++i)
        keel_add_child(templates, box.root); // the first has the index of the one that is gone
    keel_add_child(templates, box.root, KEEL_INIT(Points, { box.root }));
    keel_add(templates, box.root, Points, { gone });
    const keel_entity copy = keel_spawn(f.world, box);
    assert_same_entity(keel_get(f.world, copy, Points)->at, gone);
    const keel_prefab plain = { keel_add_entity(templates, KEEL_INIT(Number, { 3 })) };
    const keel_entity other = keel_spawn_values(f.world, plain, NULL);
    assert_int_equal(keel_get(f.world, other, Number)->value, 3);
    api_end(&f);
}

// ------------------------------------------------------------------ room
// As many as there may be entities is a question of memory; one more is too many.
static void room_for_as_many_as_there_are_handles(void **state) {
    (void)state;
    const uint32_t most = (uint32_t)KEEL_MAX_ENTITY_INDEX + 1;
    api_begin(&f);
    assert_int_equal(keel_register(f.world, Number), KEEL_OK);
    counting_allocator_fail_after(&f.memory, 0);
    assert_int_equal(keel_reserve(f.world, Number, most), KEEL_ERROR_MEMORY);
    keel_clear_errors(f.world);
    assert_int_equal(keel_reserve(f.world, Number, most + 1), KEEL_ERROR_FULL);
    keel_clear_errors(f.world);
    counting_allocator_never_fail(&f.memory);
    api_end(&f);
}

typedef struct Steady {
    Owned owned;
} Steady;
KEEL_COMPONENT(Steady, .storage = KEEL_INDEXED, .drop = owned_drop, .copy = owned_copy,
               .move = owned_move);

// A copy hook that fails leaves no value in the other world that was not copied.
static void indexed_values_whose_copy_fails(void **state) {
    (void)state;
    api_fixture g;
    api_begin(&f);
    owned_begin();
    for (uint32_t i = 0; i < 10; ++i)
        keel_add_entity(f.world, KEEL_INIT(Steady, { owned_make() }));
    api_begin(&g);
    owned.copies_left = 4;
    assert_true(keel_copy_world(f.world, g.world) < 0);
    keel_clear_errors(g.world);
    keel_clear_errors(f.world);
    assert_int_equal(owned.faults, 0);
    api_end(&g); // drops what was copied, and nothing else
    assert_int_equal(owned.living, 10);
    api_end(&f);
    assert_owned_end();
}

// ------------------------------------------------------------------ commands of threads
typedef struct from_thread {
    keel_world *world;
    keel_entity adds_to; // null: it only asks for its commands
    bool is_done;
} from_thread;
static void *record(void *data) {
    from_thread *t = data;
    keel_commands *list = keel_world_commands(t->world);
    t->is_done =
        list && (keel_is_null(t->adds_to) || keel_add(list, t->adds_to, Number, { 1 }) == KEEL_OK);
    return NULL;
}

// A thread that asked for commands and recorded none, after one that did.
static void threads_that_record_nothing(void **state) {
    (void)state;
    api_begin(&f);
    assert_int_equal(keel_register(f.world, Number), KEEL_OK);
    for (uint32_t round = 1; round <= 3; ++round) {
        const keel_entity e[4] = { keel_add_entity(f.world), keel_null(),
                                   keel_add_entity(f.world) };
        assert_int_equal(keel_share_begin(f.world), KEEL_OK);
        for (int i = 0; i < 4; ++i) {
            pthread_t thread;
            from_thread t = { f.world, i == 3 ? keel_null() : e[i], false };
            pthread_create(&thread, NULL, record, &t);
            pthread_join(thread, NULL);
            assert_true(t.is_done);
        }
        assert_int_equal(keel_share_end(f.world), KEEL_OK);
        assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
        assert_int_equal(keel_count(f.world, Number), round * 2);
    }
    api_end(&f);
}

// ------------------------------------------------------------------ described fields
typedef struct Inner {
    char kind, unused;
    char label[8];
} Inner;
KEEL_FIELDS(Inner, kind, KEEL_FIELD(unused, .transient = true), label);
typedef struct Outer {
    Inner in[2];
} Outer;
KEEL_FIELDS(Outer, KEEL_FIELD(in, .of = KEEL_TYPE(Inner)));
KEEL_COMPONENT(Outer, KEEL_HAS_FIELDS(Outer));

static uint64_t hash_of(const char *label, char unused) {
    uint64_t hash = 0;
    Outer value = { { { 'a', unused, "first" }, { 'b', unused, "" } } };
    strncpy(value.in[1].label, label, sizeof value.in[1].label - 1);
    api_begin(&f);
    keel_add_component(f.world, keel_add_entity(f.world), KEEL_OF(Outer), &value);
    assert_int_equal(keel_world_hash(f.world, &hash), KEEL_OK);
    api_end(&f);
    return hash;
}
static void fields_of_fields_are_hashed(void **state) {
    (void)state;
    assert_true(hash_of("second", 0) == hash_of("second", 1)); // which is not part of the value
    assert_true(hash_of("second", 0) != hash_of("third", 0));
}

static void small_enums_and_odd_lengths(void **state) {
    (void)state;
    static const keel_named_value names[] = { { "down", -1 }, { "up", 1 } };
    static const keel_type way = { .name = "Way", .size = 1, .values = names, .value_count = 2 };
    static const keel_field small = { .name = "f", .type = KEEL_FIELD_I8, .count = 1, .of = &way };
    static const keel_field odd = {
        .name = "f", .type = KEEL_FIELD_STRUCT, .count = sizeof(Inner) + 1, .of = KEEL_TYPE(Inner)
    };
    api_begin(&f);
    assert_non_null(keel_register_component(
        f.world,
        &(keel_component){ .name = "small", .size = 1, .fields = &small, .field_count = 1 }));
    assert_null(keel_register_component(
        f.world, &(keel_component){ .name = "odd", .size = 64, .fields = &odd, .field_count = 1 }));
    assert_error(f.world, KEEL_ERROR_ARGUMENT,
                 "has a size that is not a multiple of the size of its type");
    api_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_for_no_world),
        cmocka_unit_test(sorting_nothing),
        cmocka_unit_test(kinds_of_no_set),
        cmocka_unit_test(nothing_is_tracked_of_nothing),
        cmocka_unit_test(answers_come_with_the_edit),
        cmocka_unit_test(of_one_value),
        cmocka_unit_test(into_the_commands_of_the_world),
        cmocka_unit_test(values_of_recorded_spawns),
        cmocka_unit_test(looking_at_the_dead_says_nothing),
        cmocka_unit_test(hooks_without_values),
        cmocka_unit_test(long_names_end_in_dots),
        cmocka_unit_test(a_default_alignment_is_said_to_be_one),
        cmocka_unit_test(a_unique_is_not_added_to_many),
        cmocka_unit_test(long_names_of_groups_are_cut),
        cmocka_unit_test(a_prefab_of_other_components),
        cmocka_unit_test(a_new_value_relates_nobody),
        cmocka_unit_test(observers_of_all_end_with_the_world),
        cmocka_unit_test(clearing_asks_all_components),
        cmocka_unit_test(the_first_of_two_errors),
        cmocka_unit_test(answers_come_with_relations),
        cmocka_unit_test(answers_come_with_who_goes),
        cmocka_unit_test(many_go_with_one_each_once),
        cmocka_unit_test(names_that_move_are_told),
        cmocka_unit_test(links_that_go_are_kept_for_readers),
        cmocka_unit_test(sets_of_a_copied_world_are_told),
        cmocka_unit_test(who_required_is_forgotten),
        cmocka_unit_test(a_reader_leaves_nothing_behind),
        cmocka_unit_test(names_end_with_their_component),
        cmocka_unit_test(after_an_entity_that_never_was),
        cmocka_unit_test(visiting_across_pages_of_slots),
        cmocka_unit_test(sorting_moves_all_bytes),
        cmocka_unit_test(groups_move_all_bytes),
        cmocka_unit_test(a_clone_of_many_components),
        cmocka_unit_test(others_below_a_copy),
        cmocka_unit_test(observers_that_go_leave_the_others),
        cmocka_unit_test(parts_that_are_not_there_any_more),
        cmocka_unit_test(room_for_as_many_as_there_are_handles),
        cmocka_unit_test(indexed_values_whose_copy_fails),
        cmocka_unit_test(threads_that_record_nothing),
        cmocka_unit_test(fields_of_fields_are_hashed),
        cmocka_unit_test(small_enums_and_odd_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
