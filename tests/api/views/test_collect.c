// SPDX-License-Identifier: MIT
// Reactive sets: tags that the world fills.
#include "support/api_types.h"

#include <string.h>

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
// Tags in other storages.
typedef struct Moved Moved;
typedef struct RowTag RowTag;
static uint32_t moved_slot, row_tag_slot, bound_tag_slot;
static const keel_component KEEL_COMPONENT_Moved = {
    .name = "Moved", .align = 1, .storage = KEEL_INDEXED, .slot = &moved_slot
};
static const keel_component KEEL_COMPONENT_RowTag = {
    .name = "RowTag", .align = 1, .storage = KEEL_ARCHETYPE, .slot = &row_tag_slot
};

static const keel_component KEEL_COMPONENT_BoundTag = {
    .name = "BoundTag", .align = 1, .threads = KEEL_THREADS_OWNER_ONLY, .slot = &bound_tag_slot
};

enum { ALL_KINDS = KEEL_ON_INSERTED | KEEL_ON_MODIFIED | KEEL_ON_DELETED | KEEL_ON_REMOVED };

static api_fixture f;

static void begin(uint32_t kinds) {
    api_begin(&f);
    assert_int_equal(keel_collect(f.world, Dirty, Position, kinds), KEEL_OK);
}

// Was this entity collected, and nobody else? Then the set is emptied.
#define ASSERT_COLLECTED(e, expected)                                                              \
    do {                                                                                           \
        assert_int_equal(keel_has(f.world, e, Dirty), expected);                                   \
        assert_int_equal(keel_count(f.world, Dirty), (expected) ? 1 : 0);                          \
        assert_int_equal(keel_clear(f.world, Dirty), (expected) ? KEEL_OK : KEEL_ABSENT);          \
    } while (0)

static void push(void *value, void *data) {
    (void)data;
    ++((Position *)value)->x;
}

static void what_it_collects(void **state) {
    (void)state;
    for (uint32_t kinds = 1; kinds <= ALL_KINDS; ++kinds) {
        begin(kinds);
        const keel_entity e = keel_add_entity(f.world);
        ASSERT_COLLECTED(e, false);
        assert_int_equal(keel_add(f.world, e, Position, { 1, 2 }), KEEL_OK);
        ASSERT_COLLECTED(e, (kinds & KEEL_ON_INSERTED) != 0);
        const bool modified = kinds & KEEL_ON_MODIFIED;
        assert_int_equal(keel_add(f.world, e, Position, { 3, 4 }), KEEL_OK);
        ASSERT_COLLECTED(e, modified);
        assert_int_equal(keel_patch(f.world, e, Position, push, NULL), KEEL_OK);
        ASSERT_COLLECTED(e, modified);
        assert_int_equal(keel_replace(f.world, e, Position, { 5, 6 }), KEEL_OK);
        ASSERT_COLLECTED(e, modified);
        assert_int_equal(keel_mark(f.world, e, Position), KEEL_OK);
        ASSERT_COLLECTED(e, modified);
        assert_int_equal(keel_remove(f.world, e, Position), KEEL_OK);
        ASSERT_COLLECTED(e, (kinds & KEEL_ON_REMOVED) != 0);
        assert_non_null(keel_get_or_add(f.world, e, Position));
        ASSERT_COLLECTED(e, (kinds & KEEL_ON_INSERTED) != 0);
        assert_int_equal(keel_delete(f.world, e, Position), KEEL_OK);
        ASSERT_COLLECTED(e, (kinds & KEEL_ON_DELETED) != 0);
        assert_int_equal(keel_add(f.world, e, Position), KEEL_OK);
        (void)keel_clear(f.world, Dirty);
        assert_int_equal(keel_strip(f.world, e), KEEL_OK);
        ASSERT_COLLECTED(e, (kinds & KEEL_ON_DELETED) != 0);
        assert_int_equal(keel_add(f.world, e, Position), KEEL_OK);
        assert_int_equal(keel_delete_entity(f.world, e), KEEL_OK);
        assert_int_equal(keel_count(f.world, Dirty), 0); // the dead are in no set
        api_end(&f);
    }
}

static void a_tag_like_others(void **state) {
    (void)state;
    begin(KEEL_ON_INSERTED | KEEL_ON_MODIFIED);
    keel_entity e[4];
    assert_int_equal(keel_add_entities(f.world, 4, e, KEEL_FILL(Position, { 1, 1 })), KEEL_OK);
    assert_int_equal(keel_count(f.world, Dirty), 4);
    assert_int_equal(keel_clear(f.world, Dirty), KEEL_OK);
    assert_int_equal(keel_patch(f.world, e[2], Position, push, NULL), KEEL_OK);
    assert_int_equal(keel_add(f.world, e[0], Dirty), KEEL_OK); // by hand
    float sum = 0;
    KEEL_EACH(f.world, KEEL_READ(Position, position), KEEL_WITH(Dirty))
        sum += position->x;
    assert_float_equal(sum, 3, 0);
    uint32_t clean = 0;
    KEEL_EACH(f.world, KEEL_WITHOUT(Dirty), KEEL_ENTITY(other))
        clean += !keel_has(f.world, other, Dirty);
    assert_int_equal(clean, 2);
    assert_int_equal(keel_delete(f.world, e[2], Dirty), KEEL_OK);
    assert_int_equal(keel_mark(f.world, e[2], Position), KEEL_OK);
    assert_true(keel_has(f.world, e[2], Dirty));
    api_end(&f);
}

static void loops_only_mark(void **state) {
    (void)state;
    begin(ALL_KINDS);
    assert_int_equal(keel_track(f.world, Position, KEEL_TRACK_ALL), KEEL_OK);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Position, { 1, 0 }));
    (void)keel_clear(f.world, Dirty);
    KEEL_EACH(f.world, KEEL_WRITE(Position, position))
        ++position->x;
    keel_get_mut(f.world, e, Position)->y = 1;
    assert_int_equal(keel_count(f.world, Dirty), 0);
    uint32_t changed = 0;
    KEEL_EACH(f.world, KEEL_CHANGED(Position))
        ++changed;
    assert_int_equal(changed, 1);
    api_end(&f);
}

// ------------------------------------------------------------------ who fills what
static void sources_and_chains(void **state) {
    (void)state;
    begin(KEEL_ON_INSERTED);
    assert_int_equal(keel_collect(f.world, Dirty, Velocity, KEEL_ON_DELETED), KEEL_OK);
    assert_int_equal(keel_collect(f.world, Moved, Dirty, KEEL_ON_INSERTED), KEEL_OK);
    assert_int_equal(keel_collect(f.world, Seen, Moved, KEEL_ON_INSERTED | KEEL_ON_DELETED),
                     KEEL_OK);
    assert_int_equal(keel_collect(f.world, Dirty, Seen, KEEL_ON_INSERTED), KEEL_ERROR_CYCLE);
    assert_error(f.world, KEEL_ERROR_CYCLE, "'Dirty' cannot collect from 'Seen'");
    assert_int_equal(keel_collect(f.world, Dirty, Dirty, KEEL_ON_INSERTED), KEEL_ERROR_CYCLE);
    keel_clear_errors(f.world);
    const keel_entity a = keel_add_entity(f.world, KEEL_INIT(Position));
    const keel_entity b = keel_add_entity(f.world, KEEL_INIT(Velocity));
    assert_true(keel_has(f.world, a, Dirty) && keel_has(f.world, a, Moved));
    assert_true(keel_has(f.world, a, Seen));
    assert_int_equal(keel_count(f.world, Dirty), 1);
    assert_int_equal(keel_clear(f.world, Seen), KEEL_OK);
    assert_int_equal(keel_clear(f.world, Moved), KEEL_OK);
    assert_int_equal(keel_count(f.world, Seen), 1);
    counting_allocator_fail_after(&f.memory, 0); // it has room in all of them
    assert_int_equal(keel_delete(f.world, b, Velocity), KEEL_OK);
    counting_allocator_never_fail(&f.memory);
    assert_true(keel_has(f.world, b, Dirty) && keel_has(f.world, b, Moved));
    assert_true(keel_has(f.world, b, Seen));
    assert_int_equal(keel_collected_kinds(f.world, &KEEL_COMPONENT_Dirty, &KEEL_COMPONENT_Velocity),
                     KEEL_ON_DELETED);
    api_end(&f);
}

static void stopping(void **state) {
    (void)state;
    begin(KEEL_ON_INSERTED);
    const keel_entity a = keel_add_entity(f.world, KEEL_INIT(Position));
    assert_int_equal(keel_collect(f.world, Dirty, Position, KEEL_ON_MODIFIED), KEEL_OK);
    assert_int_equal(keel_collected_kinds(f.world, &KEEL_COMPONENT_Dirty, &KEEL_COMPONENT_Position),
                     KEEL_ON_INSERTED | KEEL_ON_MODIFIED);
    assert_int_equal(keel_stop_collecting(f.world, Dirty, Position), KEEL_OK);
    assert_int_equal(keel_stop_collecting(f.world, Dirty, Position), KEEL_ABSENT);
    assert_int_equal(keel_stop_collecting(f.world, Dirty, Other), KEEL_ABSENT);
    const keel_entity b = keel_add_entity(f.world, KEEL_INIT(Position));
    assert_true(keel_has(f.world, a, Dirty) && !keel_has(f.world, b, Dirty));
    assert_int_equal(keel_collect(f.world, Dirty, Position, KEEL_ON_DELETED), KEEL_OK);
    assert_int_equal(keel_unregister_component(f.world, &KEEL_COMPONENT_Position), KEEL_OK);
    assert_true(keel_has(f.world, b, Dirty)); // the last thing that happened to it
    assert_int_equal(keel_collect(f.world, Dirty, Velocity, KEEL_ON_INSERTED), KEEL_OK);
    assert_int_equal(keel_unregister_component(f.world, &KEEL_COMPONENT_Dirty), KEEL_OK);
    assert_int_equal(keel_add(f.world, a, Velocity), KEEL_OK);
    assert_int_equal(keel_count(f.world, Dirty), 0);
    api_end(&f);
}

static void collect_in_observer(const keel_change *event, void *data) {
    (void)data;
    assert_int_equal(keel_collect(event->world, Moved, Position, KEEL_ON_INSERTED),
                     KEEL_ERROR_SHARED);
}

static void misuse(void **state) {
    (void)state;
    begin(KEEL_ON_INSERTED);
    assert_int_equal(keel_collect(f.world, Velocity, Position, KEEL_ON_INSERTED),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "declare a KEEL_TAG");
    assert_int_equal(keel_collect(f.world, RowTag, Position, KEEL_ON_INSERTED),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "use KEEL_SPARSE_SET or KEEL_INDEXED");
    assert_int_equal(keel_collect(f.world, BoundTag, Position, KEEL_ON_INSERTED),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "bound to a thread");
    assert_int_equal(keel_collect(f.world, Moved, Position, 0), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_collect(f.world, Moved, Position, KEEL_ON_CREATED), KEEL_ERROR_ARGUMENT);
    assert_int_equal(
        keel_collect_component(f.world, &KEEL_UNIQUE_Time, &KEEL_COMPONENT_Position, 1),
        KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_collect_component(f.world, &KEEL_COMPONENT_Moved, &KEEL_UNIQUE_Time, 1),
                     KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_collect_component(f.world, NULL, &KEEL_UNIQUE_Time, 1),
                     KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_collect_component(f.world, &KEEL_COMPONENT_Moved, NULL, 1),
                     KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_collected_kinds(f.world, &KEEL_COMPONENT_Moved, &keel_entities), 0);
    assert_int_equal(keel_observe(f.world, Other, KEEL_ON_INSERTED, collect_in_observer, NULL),
                     KEEL_OK);
    (void)keel_add_entity(f.world, KEEL_INIT(Other));
    keel_clear_errors(f.world);
    api_end(&f);
}

// ------------------------------------------------------------------ borrowing
static void views_of_the_set_keep_it(void **state) {
    (void)state;
    begin(KEEL_ON_INSERTED);
    const keel_entity e = keel_add_entity(f.world),
                      with = keel_add_entity(f.world, KEEL_INIT(Dirty));
    keel_commands *commands = keel_world_commands(f.world);
    KEEL_EACH(f.world, KEEL_WITH(Dirty), KEEL_ENTITY(dirty)) {
        assert_true(keel_is_same(dirty, with));
        assert_int_equal(keel_add(f.world, e, Position), KEEL_ERROR_BORROWED);
        assert_error(f.world, KEEL_ERROR_BORROWED, "cannot collect into 'Dirty'");
        assert_true(keel_is_null(keel_add_entity(f.world, KEEL_INIT(Position))));
        keel_clear_errors(f.world);
        assert_int_equal(keel_add(commands, e, Position), KEEL_OK);
        assert_int_equal(keel_collect(f.world, Dirty, Velocity, KEEL_ON_INSERTED),
                         KEEL_ERROR_BORROWED);
        keel_clear_errors(f.world);
    }
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_true(keel_has(f.world, e, Dirty));
    api_end(&f);
}

KEEL_SYSTEM_ONCE(edit_while_it_looks, KEEL_MAY_EDIT(Position), KEEL_MAY_READ(Dirty),
                 KEEL_CONTEXT(context)) {
    KEEL_EACH(context, KEEL_WITH(Dirty), KEEL_ENTITY(e)) {
        assert_int_equal(keel_delete(context, e, Position), KEEL_ERROR_BORROWED);
    }
}

KEEL_SYSTEM(grow, KEEL_READ(Velocity, velocity), KEEL_ENTITY(e),
            KEEL_COMMANDS(commands, Position)) {
    keel_add(commands, e, Position, { velocity->x, 0 });
}
KEEL_SYSTEM(look, KEEL_READ(Position, position), KEEL_WITH(Dirty), KEEL_UNIQUE_WRITE(Time, time)) {
    time->now += position->x;
}
KEEL_SYSTEM_ONCE(take_again, KEEL_MAY_EDIT(Dirty), KEEL_CONTEXT(context),
                 KEEL_DATA(keel_entity, e)) {
    for (uint32_t i = 0; i < 3; ++i)
        (void)keel_delete(context, e[i], Dirty);
}
KEEL_WORKLOAD(frame, KEEL_STEP(grow), KEEL_STEP(look));

static void systems_take_turns(void **state) {
    (void)state;
    for (uint32_t workers = 1; workers <= 4; workers *= 2) {
        api_begin_with(&f, (keel_world_desc){ .worker_count = workers });
        assert_int_equal(keel_set_unique(f.world, Time, { 0, 0 }), KEEL_OK);
        const keel_entity first = keel_add_entity(f.world, KEEL_INIT(Velocity, { 1, 0 }));
        assert_int_equal(keel_run_workload(f.world, frame), KEEL_OK); // before there is a rule
        assert_int_equal(keel_run(f.world, edit_while_it_looks), KEEL_OK);
        assert_int_equal(keel_delete_entity(f.world, first), KEEL_OK);
        assert_int_equal(keel_collect(f.world, Dirty, Position, ALL_KINDS), KEEL_OK);
        keel_entity e[3];
        const Velocity values[] = { { 1, 0 }, { 2, 0 }, { 4, 0 } };
        assert_int_equal(keel_add_entities(f.world, 3, e, KEEL_COLUMN(Velocity, values)), KEEL_OK);
        for (uint32_t i = 0; i < 3; ++i) {
            assert_int_equal(keel_run_workload(f.world, frame), KEEL_OK);
            assert_int_equal(keel_count(f.world, Dirty), 3);
            assert_int_equal(keel_run_with(f.world, take_again, e), KEEL_OK);
            assert_int_equal(keel_count(f.world, Dirty), 0);
        }
        assert_float_equal(keel_get_unique(f.world, Time)->now, 21, 0);
        assert_int_equal(keel_mark(f.world, e[0], Position), KEEL_OK);
        assert_int_equal(keel_run(f.world, edit_while_it_looks), KEEL_OK);
        assert_error(f.world, KEEL_ERROR_BORROWED, "collect into 'Dirty'");
        api_end(&f);
    }
}

// ------------------------------------------------------------------ all kinds of edits
static void the_hierarchy(void **state) {
    (void)state;
    api_begin(&f);
    assert_int_equal(keel_collect(f.world, Dirty, keel_child, ALL_KINDS), KEEL_OK);
    assert_int_equal(keel_collect(f.world, Dirty, Position, KEEL_ON_INSERTED), KEEL_OK);
    const keel_entity parent = keel_add_entity(f.world), other = keel_add_entity(f.world);
    const keel_entity a = keel_add_child(f.world, parent, KEEL_INIT(Velocity), KEEL_INIT(Number),
                                         KEEL_INIT(Position), KEEL_INIT(Third));
    ASSERT_COLLECTED(a, true);
    const keel_entity b = keel_add_child(f.world, parent);
    ASSERT_COLLECTED(b, true);
    assert_int_equal(keel_attach(f.world, a, other), KEEL_OK);
    ASSERT_COLLECTED(a, true);
    assert_int_equal(keel_strip(f.world, a), KEEL_OK);
    ASSERT_COLLECTED(a, true);
    counting_allocator_fail_after(&f.memory, 0);
    assert_int_equal(keel_delete_entity(f.world, parent), KEEL_OK);
    counting_allocator_never_fail(&f.memory);
    ASSERT_COLLECTED(b, true); // its child lives on
    api_end(&f);
}

// The list of a block has room for the components of a new child, its sets and its links.
static void room_in_lists(void **state) {
    (void)state;
    api_begin(&f);
    assert_int_equal(keel_collect(f.world, Dirty, Position, KEEL_ON_INSERTED), KEEL_OK);
    assert_int_equal(keel_collect(f.world, Moved, Position, KEEL_ON_INSERTED), KEEL_OK);
    const keel_entity parent = keel_add_entity(f.world);
    const keel_component *const more[] = { &KEEL_COMPONENT_Velocity, &KEEL_COMPONENT_Number,
                                           &KEEL_COMPONENT_Other,    &KEEL_COMPONENT_Third,
                                           &KEEL_COMPONENT_Body,     &KEEL_COMPONENT_Health };
    for (uint32_t count = 0; count <= 6; ++count) {
        keel_value values[8] = { { &KEEL_COMPONENT_Position, NULL } };
        for (uint32_t i = 0; i < count; ++i)
            values[i + 1] = (keel_value){ more[i], NULL };
        assert_int_equal(keel_add_entities(f.world, 127 - keel_entity_count(f.world) % 64, NULL),
                         KEEL_OK);
        const keel_entity child = keel_add_child_values(f.world, parent, values);
        assert_true(keel_has(f.world, child, Dirty) && keel_has(f.world, child, keel_child));
        assert_true(keel_world_check(f.world, NULL));
    }
    api_end(&f);
}

static bool keep_odd(keel_entity e, void *value, void *data) {
    (void)value, (void)data;
    return keel_entity_index(e) % 2;
}

static void bulk_edits(void **state) {
    (void)state;
    begin(ALL_KINDS);
    assert_int_equal(keel_collect(f.world, Dirty, Row, ALL_KINDS), KEEL_OK);
    assert_non_null(keel_group_create(f.world, KEEL_OWNED(Position), KEEL_GET(Dirty)));
    assert_non_null(keel_group_create(f.world, KEEL_GET(Dirty, Row), .name = "led by a set"));
    keel_entity e[100];
    assert_int_equal(
        keel_add_entities(f.world, 100, e, KEEL_FILL(Position, { 1, 0 }), KEEL_FILL(Row, { 0 })),
        KEEL_OK);
    assert_int_equal(keel_count(f.world, Dirty), 100);
    assert_int_equal(keel_clear(f.world, Dirty), KEEL_OK);
    assert_int_equal(keel_add_many(f.world, e + 10, 20, Row, { 1 }), KEEL_OK);
    assert_int_equal(keel_count(f.world, Dirty), 20);
    assert_int_equal(keel_delete_many(f.world, e + 20, 20, Position), KEEL_OK);
    assert_int_equal(keel_count(f.world, Dirty), 30);
    assert_int_equal(keel_retain(f.world, Position, keep_odd, NULL), KEEL_OK);
    assert_int_equal(keel_count(f.world, Position), 40); // although groups reorder it meanwhile
    assert_int_equal(keel_count(f.world, Dirty), 65);
    assert_int_equal(keel_clear(f.world, Row), KEEL_OK);
    assert_int_equal(keel_count(f.world, Dirty), 100);
    assert_int_equal(keel_delete_entities_having(f.world, Position), KEEL_OK);
    assert_int_equal(keel_delete_entities(f.world, e, 10), KEEL_OK);
    assert_int_equal(keel_count(f.world, Dirty), 55);
    assert_int_equal(keel_clear_entities(f.world), KEEL_OK);
    assert_int_equal(keel_count(f.world, Dirty), 0);
    api_end(&f);
}

static void other_worlds(void **state) {
    (void)state;
    api_fixture other;
    begin(KEEL_ON_INSERTED);
    api_begin(&other);
    assert_int_equal(keel_collect(other.world, Moved, Position, KEEL_ON_INSERTED), KEEL_OK);
    assert_int_equal(keel_collect(other.world, Dirty, Body, KEEL_ON_INSERTED), KEEL_OK);
    const keel_entity a = keel_add_entity(f.world, KEEL_INIT(Position));
    (void)keel_add_entity(f.world, KEEL_INIT(Body), KEEL_INIT(Row));
    const keel_entity moved = keel_move_entity(f.world, a, other.world);
    assert_true(keel_has(other.world, moved, Moved) && keel_has(other.world, moved, Dirty));
    assert_int_equal(keel_clear_entities(other.world), KEEL_OK);
    (void)keel_add_entity(f.world, KEEL_INIT(Position));
    for (size_t n = 0;; ++n) {
        counting_allocator_fail_after(&other.memory, n);
        const keel_result result = keel_copy_world(f.world, other.world);
        counting_allocator_never_fail(&other.memory);
        if (result == KEEL_OK) break;
        assert_error(other.world, KEEL_ERROR_MEMORY, NULL);
        assert_int_equal(keel_count(other.world, Moved) + keel_count(other.world, Dirty), 0);
        assert_true(keel_world_check(other.world, NULL));
    }
    assert_int_equal(keel_count(other.world, Moved), 1);
    assert_int_equal(keel_count(other.world, Dirty), 2); // one was copied, one collected
    api_end(&other);
    api_end(&f);
}

static void hidden_values(void **state) {
    (void)state;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Body), KEEL_INIT(Moved));
    assert_int_equal(keel_disable(f.world, e, Body), KEEL_OK);
    assert_int_equal(keel_collect(f.world, Dirty, Body, ALL_KINDS), KEEL_OK);
    assert_int_equal(keel_collect(f.world, Moved, Body, ALL_KINDS), KEEL_OK);
    assert_int_equal(keel_disable(f.world, e, Moved), KEEL_OK);
    counting_allocator_fail_after(&f.memory, 0);
    assert_int_equal(keel_enable(f.world, e, Body), KEEL_OK); // nothing that is told
    ASSERT_COLLECTED(e, false);
    assert_int_equal(keel_mark(f.world, e, Body), KEEL_OK);
    counting_allocator_never_fail(&f.memory);
    ASSERT_COLLECTED(e, true);
    assert_true(keel_has(f.world, e, Moved)); // collecting brings it back
    api_end(&f);
}

static void is_in_set(const keel_change *event, void *data) {
    assert_true(keel_has(event->world, event->entity, Dirty));
    ++*(int *)data;
}

static void observers_see_it(void **state) {
    (void)state;
    int calls = 0, set_calls = 0;
    begin(ALL_KINDS);
    assert_int_equal(keel_observe(f.world, Position, ALL_KINDS, is_in_set, &calls), KEEL_OK);
    assert_int_equal(keel_observe(f.world, Dirty, ALL_KINDS, is_in_set, &set_calls), KEEL_OK);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Position));
    assert_int_equal(keel_remove(f.world, e, Position), KEEL_OK);
    assert_int_equal(calls, 2);
    assert_int_equal(set_calls, 1);
    api_end(&f);
}

// ------------------------------------------------------------------ memory
// Nobody but the reader looks, and there is no more memory.
static void assert_none_missed(keel_entity e, uint32_t rounds) {
    keel_reader *reader = keel_reader_create(f.world, "reader");
    keel_removal_walk walk = keel_removals(reader, &KEEL_COMPONENT_Dirty, KEEL_TRACK_DELETION);
    uint32_t count = 0;
    keel_reader_advance(reader);
    counting_allocator_fail_after(&f.memory, 0);
    for (uint32_t i = 0; i < rounds; ++i) {
        assert_int_equal(keel_mark(f.world, e, Position), KEEL_OK);
        assert_int_equal(keel_clear(f.world, Dirty), KEEL_OK);
    }
    counting_allocator_never_fail(&f.memory);
    walk = keel_removals(reader, &KEEL_COMPONENT_Dirty, KEEL_TRACK_DELETION);
    while (keel_removal_next(&walk))
        ++count;
    assert_int_equal(count, rounds);
    keel_reader_destroy(reader);
}

static void a_tracked_set_misses_nothing(void **state) {
    (void)state;
    for (int set_first = 0; set_first < 2; ++set_first) {
        api_begin(&f);
        if (!set_first) assert_int_equal(keel_track(f.world, Dirty, KEEL_TRACK_ALL), KEEL_OK);
        assert_int_equal(keel_collect(f.world, Dirty, Position, KEEL_ON_MODIFIED), KEEL_OK);
        const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Position));
        if (set_first) assert_int_equal(keel_track(f.world, Dirty, KEEL_TRACK_ALL), KEEL_OK);
        assert_none_missed(e, 200);
        assert_int_equal(keel_set_limit_of(f.world, &KEEL_COMPONENT_Dirty, 100), KEEL_OK);
        assert_none_missed(e, 100);
        assert_int_equal(keel_set_limit_of(f.world, &KEEL_COMPONENT_Dirty, 300), KEEL_OK);
        assert_none_missed(e, 300);
        api_end(&f);
    }
}

static keel_result make_and_fill(keel_entity *e) {
    KEEL_TRY(keel_collect(f.world, Dirty, Position, ALL_KINDS));
    KEEL_TRY(keel_collect(f.world, Seen, Dirty, KEEL_ON_INSERTED));
    KEEL_TRY(keel_collect(f.world, Moved, Row, KEEL_ON_REMOVED));
    *e = keel_add_entity(f.world, KEEL_INIT(Number), KEEL_INIT(Other), KEEL_INIT(Position),
                         KEEL_INIT(Row), KEEL_INIT(Third));
    return keel_is_null(*e) ? KEEL_ERROR_MEMORY : KEEL_OK;
}

static void out_of_memory(void **state) {
    (void)state;
    bool done = false;
    for (size_t n = 0; !done; ++n) {
        keel_entity e = keel_null();
        api_begin(&f);
        for (uint32_t i = 0; i < 70; ++i) // some have it already
            assert_false(keel_is_null(keel_add_entity(f.world, KEEL_INIT(Position))));
        counting_allocator_fail_after(&f.memory, n);
        done = make_and_fill(&e) == KEEL_OK;
        counting_allocator_never_fail(&f.memory);
        assert_int_equal(keel_entity_count(f.world), done ? 71 : 70);
        assert_int_equal(keel_count(f.world, Dirty), done);
        assert_true(keel_world_check(f.world, NULL));
        counting_allocator_fail_after(&f.memory, 0);
        if (done) assert_int_equal(keel_clear(f.world, Position), KEEL_OK);
        counting_allocator_never_fail(&f.memory);
        assert_int_equal(keel_count(f.world, Seen), done ? 71 : 0);
        api_end(&f);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(what_it_collects, "a set collects what it was made for, of each edit of one entity"),
    TEST(a_tag_like_others, "a set is a tag: loops, has, clear, adding by hand"),
    TEST(loops_only_mark, "loops and keel_get_mut collect nothing; KEEL_CHANGED sees them"),
    TEST(sources_and_chains, "several sources, sets that fill sets, no cycles"),
    TEST(stopping, "it stops when told to, or when either component goes"),
    TEST(misuse, "what cannot be a set or a source is refused"),
    TEST(views_of_the_set_keep_it, "while a view uses the set its sources are not edited"),
    TEST(systems_take_turns, "systems that edit a source take turns with users of the set"),
    TEST(the_hierarchy, "parents and children are sources, too"),
    TEST(room_in_lists, "a new child has room for all that it gets"),
    TEST(bulk_edits, "bulk edits, groups, clear, retain, deleted entities"),
    TEST(other_worlds, "entities that move in, and copied worlds"),
    TEST(hidden_values, "disabled values have room in the set"),
    TEST(observers_see_it, "observers see the entity in the set, and are told of the set"),
    TEST(a_tracked_set_misses_nothing, "what leaves a tracked set is all there to be read"),
    TEST(out_of_memory, "out of memory: all or nothing; afterwards deleting needs none"),
};

int main(void) { return RUN(tests); }
