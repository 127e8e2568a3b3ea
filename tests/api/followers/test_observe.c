// SPDX-License-Identifier: MIT
// Observers: who is called for what, in which order, and what they may do.
#include "support/api_types.h"

#include <stdio.h>
#include <string.h>

typedef struct Life {
    int points;
} Life;
typedef struct Shield {
    int points;
} Shield;
typedef struct Row {
    int points;
} Row;
KEEL_COMPONENT(Life);
KEEL_COMPONENT(Shield, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE);
KEEL_TAG(Burning);
KEEL_TAG(NeverSeen); // the world does not know it

enum { OF_COMPONENTS = KEEL_ON_INSERTED | KEEL_ON_MODIFIED | KEEL_ON_DELETED | KEEL_ON_REMOVED };

static api_fixture f;
static char trail[400]; // what happened: i m d r, C D for entities; with the value's number

static void note(const keel_change *event, void *data) {
    static const char letters[] = "imdrCD";
    char text[40];
    uint32_t kind = 0;
    while (!(event->kind >> kind & 1))
        ++kind;
    const int *value = event->value;
    snprintf(text, sizeof text, "%s%c%d ", data ? (const char *)data : "", letters[kind],
             value ? *value : -1);
    assert_true(strlen(trail) + strlen(text) < sizeof trail);
    strcat(trail, text);
    if (event->kind < KEEL_ON_CREATED)
        assert_true(keel_has_component(event->world, event->entity, event->component));
    assert_true(keel_is_alive(event->world, event->entity));
}

#define ASSERT_TRAIL(expected)                                                                     \
    do {                                                                                           \
        assert_string_equal(trail, expected);                                                      \
        trail[0] = 0;                                                                              \
    } while (0)

static void begin(void) {
    api_begin(&f);
    trail[0] = 0;
    assert_int_equal(keel_observe(f.world, Life, OF_COMPONENTS, note, NULL), KEEL_OK);
}

static void double_it(void *value, void *data) {
    (void)data;
    ((Life *)value)->points *= 2;
}

static void single_edits(void **state) {
    (void)state;
    begin();
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Life, { 1 }));
    ASSERT_TRAIL("i1 ");
    assert_int_equal(keel_add(f.world, e, Life, { 2 }), KEEL_OK);
    assert_int_equal(keel_patch(f.world, e, Life, double_it, NULL), KEEL_OK);
    assert_int_equal(keel_replace(f.world, e, Life, { 5 }), KEEL_OK);
    assert_int_equal(keel_mark(f.world, e, Life), KEEL_OK);
    ASSERT_TRAIL("m2 m4 m5 m5 ");
    assert_int_equal(keel_remove(f.world, e, Life), KEEL_OK);
    ASSERT_TRAIL("r5 ");
    keel_get_or_add(f.world, e, Life)->points = 7;
    assert_int_equal(keel_delete(f.world, e, Life, Shield), KEEL_OK);
    ASSERT_TRAIL("i0 d7 ");
    keel_get_or_add(f.world, e, Life, { 8 })->points = 9;
    assert_int_equal(keel_strip(f.world, e), KEEL_OK);
    ASSERT_TRAIL("i8 d9 ");
    assert_int_equal(keel_add_values(f.world, e, KEEL_INIT(Shield, { 1 }), KEEL_INIT(Life, { 3 })),
                     KEEL_OK);
    assert_int_equal(keel_delete_entity(f.world, e), KEEL_OK);
    ASSERT_TRAIL("i3 d3 ");
    api_end(&f);
}

static bool keep_even(keel_entity e, void *value, void *data) {
    (void)e, (void)data;
    return ((const Life *)value)->points % 2 == 0;
}

static bool raise_odd(keel_entity e, void *value, void *data) {
    (void)e, (void)data;
    Life *life = value;
    life->points += life->points % 2;
    return life->points < 5;
}

static void many_at_once(void **state) {
    (void)state;
    begin();
    keel_entity e[3];
    const Life values[] = { { 1 }, { 2 }, { 3 } };
    assert_int_equal(keel_add_entities(f.world, 3, e, KEEL_COLUMN(Life, values)), KEEL_OK);
    ASSERT_TRAIL("i1 i2 i3 ");
    assert_int_equal(keel_add_many(f.world, e, 2, Life, { 8 }), KEEL_OK);
    ASSERT_TRAIL("m8 m8 ");
    assert_int_equal(keel_delete_many(f.world, e, 1, Life), KEEL_OK);
    assert_int_equal(keel_add_many(f.world, e, 2, Life, { 9 }), KEEL_OK);
    ASSERT_TRAIL("d8 i9 m9 ");
    (void)keel_clone_entity(f.world, e[2]);
    ASSERT_TRAIL("i3 ");
    assert_int_equal(keel_add(f.world, e[1], Life, { 4 }), KEEL_OK);
    ASSERT_TRAIL("m4 ");
    assert_int_equal(keel_retain(f.world, Life, keep_even, NULL), KEEL_OK);
    ASSERT_TRAIL("d3 d9 d3 ");
    assert_int_equal(keel_clear(f.world, Life), KEEL_OK);
    ASSERT_TRAIL("d4 ");
    assert_int_equal(keel_add_many(f.world, e, 2, Life, { 3 }), KEEL_OK);
    assert_int_equal(keel_add(f.world, e[2], Life, { 5 }), KEEL_OK);
    ASSERT_TRAIL("i3 i3 i5 ");
    assert_int_equal(keel_retain(f.world, Life, raise_odd, NULL), KEEL_OK);
    ASSERT_TRAIL("d6 m4 m4 ");
    assert_int_equal(keel_clear(f.world, Life), KEEL_OK);
    ASSERT_TRAIL("d4 d4 ");
    keel_commands *commands = keel_world_commands(f.world);
    keel_add(commands, e[0], Life, { 6 });
    keel_delete_entity(commands, e[0]);
    ASSERT_TRAIL("");
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    ASSERT_TRAIL("i6 d6 ");
    assert_int_equal(keel_add(f.world, e[1], Life, { 1 }), KEEL_OK);
    assert_int_equal(keel_add(f.world, e[2], Life, { 2 }), KEEL_OK);
    assert_int_equal(keel_clear_entities(f.world), KEEL_OK);
    ASSERT_TRAIL("i1 i2 d1 d2 ");
    (void)keel_add_entity(f.world, KEEL_INIT(Life, { 5 }));
    api_end(&f); // the world's end deletes
    ASSERT_TRAIL("i5 d5 ");
}

// Before the first one goes all are told, and each can still read the others.
static void read_all(const keel_change *event, void *data) {
    int *sum = data;
    KEEL_EACH(event->world, KEEL_READ(Life, life))
        *sum += life->points;
}

static void all_are_told_before_the_first_goes(void **state) {
    (void)state;
    int sum = 0;
    api_begin(&f);
    keel_add_entity(f.world, KEEL_INIT(Life, { 1 }));
    keel_add_entity(f.world, KEEL_INIT(Life, { 10 }));
    assert_int_equal(keel_observe(f.world, Life, KEEL_ON_DELETED, read_all, &sum), KEEL_OK);
    assert_int_equal(keel_clear(f.world, Life), KEEL_OK);
    assert_int_equal(sum, 22);
    api_end(&f);
}

static void in_order_of_registration(void **state) {
    (void)state;
    api_begin(&f);
    trail[0] = 0;
    char a[] = "a", b[] = "b", c[] = "c";
    assert_int_equal(keel_observe(f.world, Life, KEEL_ON_INSERTED, note, b), KEEL_OK);
    assert_int_equal(keel_observe(f.world, Life, KEEL_ON_INSERTED, note, a), KEEL_OK);
    assert_int_equal(keel_observe(f.world, Life, KEEL_ON_INSERTED, note, c), KEEL_OK);
    assert_int_equal(keel_observe(f.world, Life, KEEL_ON_MODIFIED, note, b), KEEL_OK); // also
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Life, { 1 }));
    assert_int_equal(keel_add(f.world, e, Life, { 2 }), KEEL_OK);
    ASSERT_TRAIL("bi1 ai1 ci1 bm2 ");
    assert_int_equal(keel_unobserve(f.world, Life, note, a), KEEL_OK);
    assert_int_equal(keel_unobserve(f.world, Life, note, a), KEEL_ABSENT);
    assert_int_equal(keel_remove(f.world, e, Life), KEEL_OK);
    assert_int_equal(keel_add(f.world, e, Life, { 3 }), KEEL_OK);
    ASSERT_TRAIL("bi3 ci3 ");
    api_end(&f);
}

static void entities(void **state) {
    (void)state;
    begin();
    assert_int_equal(keel_observe_component(f.world, &keel_entities,
                                            KEEL_ON_CREATED | KEEL_ON_DESTROYED, note, NULL),
                     KEEL_OK);
    const keel_entity a = keel_add_entity(f.world);
    const keel_entity b = keel_add_entity(f.world, KEEL_INIT(Life, { 1 }));
    ASSERT_TRAIL("C-1 i1 C-1 ");
    assert_int_equal(keel_delete_entity(f.world, a), KEEL_OK);
    assert_int_equal(keel_delete_entity(f.world, b), KEEL_OK);
    ASSERT_TRAIL("D-1 d1 D-1 ");
    assert_int_equal(keel_add_entities(f.world, 2, NULL), KEEL_OK);
    ASSERT_TRAIL("C-1 C-1 ");
    assert_int_equal(keel_add_entity_at(f.world, keel_null()), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_add_entity_at(f.world, handle_at(50, 1)), KEEL_OK);
    ASSERT_TRAIL("C-1 ");
    assert_int_equal(keel_delete_entity(f.world, handle_at(50, 1)), KEEL_OK);
    ASSERT_TRAIL("D-1 ");
    assert_int_equal(keel_clear_entities(f.world), KEEL_OK);
    ASSERT_TRAIL("D-1 D-1 ");
    const keel_entity parent = keel_add_entity(f.world);
    (void)keel_add_child(f.world, parent, KEEL_INIT(Life, { 2 }));
    assert_int_equal(keel_delete_tree(f.world, parent), KEEL_OK);
    ASSERT_TRAIL("C-1 i2 C-1 d2 D-1 D-1 ");
    assert_int_equal(keel_unobserve_component(f.world, &keel_entities, note, NULL), KEEL_OK);
    (void)keel_add_entity(f.world);
    ASSERT_TRAIL("");
    assert_int_equal(keel_observe_component(f.world, &keel_entities, KEEL_ON_INSERTED, note, NULL),
                     KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_observe(f.world, Life, KEEL_ON_CREATED, note, NULL), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_observe(f.world, Life, KEEL_ON_INSERTED, NULL, NULL),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, NULL);
    api_end(&f);
}

// ------------------------------------------------------------------ what they may do
static void edit_directly(const keel_change *event, void *data) {
    keel_world *world = event->world;
    const keel_entity e = event->entity;
    (void)data;
    assert_int_equal(keel_add(world, e, Shield), KEEL_ERROR_SHARED);
    assert_int_equal(keel_delete_entity(world, e), KEEL_ERROR_SHARED);
    assert_true(keel_is_null(keel_add_entity(world)));
    assert_null(keel_get_mut(world, e, Life));
    assert_int_equal(keel_clear(world, Life), KEEL_ERROR_SHARED);
    assert_int_equal(keel_delete(world, e, NeverSeen), KEEL_ERROR_SHARED); // B14
    assert_int_equal(keel_remove(world, e, NeverSeen), KEEL_ERROR_SHARED);
    assert_int_equal(keel_clear(world, NeverSeen), KEEL_ERROR_SHARED);
    assert_error(world, KEEL_ERROR_SHARED, "event->commands");
    keel_clear_errors(world);
}

static void direct_edits_are_refused(void **state) {
    (void)state;
    begin();
    assert_int_equal(keel_observe(f.world, Life, OF_COMPONENTS, edit_directly, NULL), KEEL_OK);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Life, { 1 }));
    assert_int_equal(keel_delete_entity(f.world, e), KEEL_OK);
    ASSERT_TRAIL("i1 d1 ");
    assert_no_error(f.world);
    api_end(&f);
}

static void answer(const keel_change *event, void *data) {
    int *left = data;
    if ((*left)-- > 0) keel_add(event->commands, event->entity, Shield, { *left });
}

static void edits_come_after_the_running_one(void **state) {
    (void)state;
    begin();
    int left = 2;
    assert_int_equal(keel_observe(f.world, Life, KEEL_ON_INSERTED, answer, &left), KEEL_OK);
    assert_int_equal(keel_observe(f.world, Shield, KEEL_ON_INSERTED, note, NULL), KEEL_OK);
    keel_entity e[2];
    const Life values[] = { { 1 }, { 2 } };
    assert_int_equal(keel_add_entities(f.world, 2, e, KEEL_COLUMN(Life, values)), KEEL_OK);
    ASSERT_TRAIL("i1 i2 i1 i0 "); // both lives, then both shields
    assert_true(keel_has(f.world, e[0], Shield) && keel_has(f.world, e[1], Shield));
    api_end(&f);
}

static void revive(const keel_change *event, void *data) {
    ++*(int *)data;
    keel_add_entity(event->commands, KEEL_INIT(Life, { 1 }));
}

static void deleting_all_that_come_back(void **state) {
    (void)state;
    api_begin(&f);
    int calls = 0;
    for (int i = 0; i < 3; ++i)
        (void)keel_add_entity(f.world, KEEL_INIT(Life, { 1 }));
    assert_int_equal(keel_observe(f.world, Life, KEEL_ON_DELETED, revive, &calls), KEEL_OK);
    assert_int_equal(keel_delete_entities_having(f.world, Life), KEEL_OK);
    assert_int_equal(calls, 3);
    assert_int_equal(keel_count(f.world, Life), 3);
    api_end(&f);
}

static void answer_each_other(const keel_change *event, void *data) {
    (void)data;
    keel_remove(event->commands, event->entity, Shield);
    keel_add(event->commands, event->entity, Shield);
}

static void recursion_is_bounded(void **state) {
    (void)state;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_observe(f.world, Shield, KEEL_ON_INSERTED, answer_each_other, NULL),
                     KEEL_OK);
    assert_int_equal(keel_add(f.world, e, Shield), KEEL_OK);
    assert_error(f.world, KEEL_ERROR_CYCLE, "observers");
    assert_int_equal(keel_remove(f.world, e, Shield), KEEL_OK); // the world is well
    api_end(&f);
}

KEEL_SYSTEM_ONCE(add_in_system, KEEL_MAY_EDIT(Life), KEEL_CONTEXT(context),
                 KEEL_DATA(keel_entity, e)) {
    assert_int_equal(keel_add(context, *e, Life, { 4 }), KEEL_OK);
    assert_false(keel_has(context, *e, Life) && trail[0] == 0);
}

static void in_systems_they_wait_for_the_commands(void **state) {
    (void)state;
    begin();
    int left = 1;
    assert_int_equal(keel_observe(f.world, Life, KEEL_ON_INSERTED, answer, &left), KEEL_OK);
    keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_run_with(f.world, add_in_system, &e), KEEL_OK);
    ASSERT_TRAIL("i4 ");
    assert_true(keel_has(f.world, e, Shield));
    api_end(&f);
}

static void unobserve_self(const keel_change *event, void *data) {
    ++*(int *)data;
    assert_int_equal(keel_unobserve_component(event->world, event->component, unobserve_self, data),
                     KEEL_OK);
}
static int late_calls;
static void late(const keel_change *event, void *data) {
    (void)event, (void)data;
    ++late_calls;
}
static void bring_along(const keel_change *event, void *data) {
    (void)data;
    assert_int_equal(
        keel_observe_component(event->world, event->component, KEEL_ON_INSERTED, late, NULL),
        KEEL_OK);
}

static void lists_change_while_they_run(void **state) {
    (void)state;
    begin();
    int first = 0, second = 0;
    late_calls = 0;
    assert_int_equal(keel_observe(f.world, Life, KEEL_ON_INSERTED, unobserve_self, &first),
                     KEEL_OK);
    assert_int_equal(keel_observe(f.world, Life, KEEL_ON_INSERTED, bring_along, NULL), KEEL_OK);
    assert_int_equal(keel_observe(f.world, Life, KEEL_ON_INSERTED, unobserve_self, &second),
                     KEEL_OK);
    (void)keel_add_entity(f.world, KEEL_INIT(Life, { 1 }));
    assert_int_equal(first, 1);
    assert_int_equal(second, 1);
    assert_int_equal(late_calls, 0); // from the next event on
    (void)keel_add_entity(f.world, KEEL_INIT(Life, { 2 }));
    assert_int_equal(first, 1);
    assert_int_equal(late_calls, 1);
    ASSERT_TRAIL("i1 i2 ");
    api_end(&f);
}

// ------------------------------------------------------------------ groups, memory
static void in_group(const keel_change *event, void *data) {
    (void)data;
    const keel_group *group = keel_find_group(event->world, "both");
    assert_int_equal(keel_group_count(event->world, group), 1);
}

static void groups_have_it_already(void **state) {
    (void)state;
    api_begin(&f);
    assert_non_null(keel_group_create(f.world, KEEL_OWNED(Life), KEEL_GET(Shield), .name = "both"));
    assert_int_equal(
        keel_observe(f.world, Life, KEEL_ON_INSERTED | KEEL_ON_REMOVED, in_group, NULL), KEEL_OK);
    const keel_entity e =
        keel_add_entity(f.world, KEEL_INIT(Life, { 1 }), KEEL_INIT(Shield, { 1 }));
    assert_int_equal(keel_remove(f.world, e, Life), KEEL_OK);
    api_end(&f);
}

static void every_storage(void **state) {
    (void)state;
    begin();
    assert_int_equal(keel_observe(f.world, Shield, OF_COMPONENTS, note, NULL), KEEL_OK);
    assert_int_equal(keel_observe(f.world, Row, OF_COMPONENTS, note, NULL), KEEL_OK);
    assert_int_equal(keel_observe(f.world, Burning, OF_COMPONENTS, note, NULL), KEEL_OK);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Shield, { 1 }), KEEL_INIT(Row, { 2 }),
                                          KEEL_INIT(Burning));
    ASSERT_TRAIL("i1 i2 i-1 ");
    assert_int_equal(keel_add(f.world, e, Row, { 3 }), KEEL_OK);
    assert_int_equal(keel_remove(f.world, e, Row), KEEL_OK);
    assert_int_equal(keel_clear(f.world, Shield), KEEL_OK);
    assert_int_equal(keel_delete(f.world, e, Burning), KEEL_OK);
    ASSERT_TRAIL("m3 r3 d1 d-1 ");
    api_fixture other;
    api_begin(&other);
    assert_int_equal(keel_add(f.world, e, Row, { 4 }), KEEL_OK);
    assert_false(keel_is_null(keel_move_entity(f.world, e, other.world)));
    ASSERT_TRAIL("i4 r-1 "); // its value is in the other world already
    api_end(&other);
    api_end(&f);
}

static void out_of_memory(void **state) {
    (void)state;
    for (size_t n = 0;; ++n) {
        api_begin(&f);
        counting_allocator_fail_after(&f.memory, n);
        int left = 1;
        const keel_result result = keel_observe(f.world, Life, KEEL_ON_INSERTED, answer, &left);
        const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Life, { 1 }));
        counting_allocator_never_fail(&f.memory);
        const bool has_shield = keel_has(f.world, e, Shield);
        api_end(&f);
        if (result == KEEL_OK && !keel_is_null(e) && has_shield) return;
    }
}

// Who hears in which order when many go at once.
static void note_index(const keel_change *event, void *data) {
    (void)data;
    char text[20];
    snprintf(text, sizeof text, "%u ", (unsigned)keel_entity_index(event->entity));
    strcat(trail, text);
}

static void play_order(const keel_component *c) {
    static const int order[] = { 3, 0, 6, 1, 7, 2, 5, 4 };
    keel_entity e[8];
    api_begin(&f);
    trail[0] = 0;
    const uint32_t gone = KEEL_ON_DELETED | KEEL_ON_REMOVED;
    assert_int_equal(keel_observe_component(f.world, c, gone, note_index, NULL), KEEL_OK);
    for (int i = 0; i < 8; ++i)
        e[i] = keel_add_entity(f.world);
    for (int round = 0; round < 5; ++round) {
        for (int i = 0; round == 2 && i < 8; ++i)
            e[i] = keel_add_entity(f.world);
        for (int i = 0; i < 8; ++i)
            if (keel_is_alive(f.world, e[order[i]]))
                assert_int_equal(keel_add_component(f.world, e[order[i]], c, NULL), KEEL_OK);
        const keel_entity some[] = { e[5], e[2], e[7], e[0] };
        if (round == 0) {
            assert_int_equal(keel_clear_component(f.world, c), KEEL_OK);
            ASSERT_TRAIL("0 1 2 3 4 5 6 7 ");
        } else if (round == 1) {
            assert_int_equal(keel_delete_entities_having_component(f.world, c), KEEL_OK);
            ASSERT_TRAIL("7 6 5 4 3 2 1 0 ");
        } else if (round == 2) {
            char expected[40] = "";
            for (int i = 0; i < 4; ++i)
                snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%u ",
                         (unsigned)keel_entity_index(some[i]));
            assert_int_equal(keel_delete_entities(f.world, some, 4), KEEL_OK);
            ASSERT_TRAIL(expected);
        } else if (round == 3) { // four are left
            assert_int_equal(keel_clear_entities(f.world), KEEL_OK);
            assert_int_equal(strlen(trail), 8);
            assert_true(trail[0] < trail[2] && trail[2] < trail[4] && trail[4] < trail[6]);
            trail[0] = 0;
        }
    }
    assert_string_equal(trail, "");
    api_end(&f);
}

static void the_order_of_many(void **state) {
    (void)state;
    play_order(KEEL_OF(Life));
    play_order(KEEL_OF(Shield));
    play_order(KEEL_OF(Row));
    play_order(KEEL_OF(Burning));
}

// Of a component that nobody observed before, and perhaps the world did not know.
static int told_late;
static void count_late(const keel_change *event, void *data) {
    (void)event, (void)data;
    ++told_late;
}
static void bring_late(const keel_change *event, void *data) {
    const bool of_entities = *(const bool *)data;
    assert_int_equal(of_entities
                         ? keel_observe_component(event->world, &keel_entities, KEEL_ON_CREATED,
                                                  count_late, NULL)
                         : keel_observe(event->world, Shield, KEEL_ON_INSERTED, count_late, NULL),
                     KEEL_OK);
}

static void the_first_of_another_component(void **state) {
    (void)state;
    for (int mode = 0; mode < 4; ++mode) {
        bool of_entities = mode & 1;
        told_late = 0;
        api_begin(&f);
        if (mode & 2) assert_non_null(keel_register_component(f.world, KEEL_OF(Shield)));
        assert_int_equal(keel_observe(f.world, Life, KEEL_ON_INSERTED, bring_late, &of_entities),
                         KEEL_OK);
        const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Life));
        assert_true(told_late <= of_entities); // the creation that goes on is told, or not
        told_late = 0;
        if (of_entities) (void)keel_add_entity(f.world);
        else assert_int_equal(keel_add(f.world, e, Shield), KEEL_OK);
        assert_int_equal(told_late, 1);
        if (!of_entities) (void)keel_add_entity(f.world, KEEL_INIT(Shield));
        assert_int_equal(told_late, of_entities ? 1 : 2);
        api_end(&f);
    }
}

// ------------------------------------------------------------------ family, names and relations
KEEL_RELATION(Aims);
static keel_entity seen_parent;
static bool has_name, has_target;
static uint32_t heard;
static void look_around(const keel_change *event, void *data) {
    (void)data;
    ++heard;
    seen_parent = keel_parent_of(event->world, event->entity);
    has_name = keel_name_of(event->world, event->entity) != NULL;
    has_target = keel_target_count(event->world, event->entity, Aims) != 0;
}

static void begin_looking(uint32_t kinds) {
    api_begin(&f);
    heard = 0;
    assert_int_equal(keel_observe(f.world, Life, kinds, look_around, NULL), KEEL_OK);
}

static void a_new_child_has_its_parent(void **state) {
    (void)state;
    begin_looking(KEEL_ON_INSERTED);
    const keel_entity parent = keel_add_entity(f.world);
    for (uint32_t i = 0; i < 3; ++i) { // the first, and beside others
        assert_false(keel_is_null(keel_add_child(f.world, parent, KEEL_INIT(Life, { 1 }))));
        assert_true(keel_is_same(seen_parent, parent));
    }
    seen_parent = keel_null();
    (void)keel_add_child(keel_world_commands(f.world), parent, KEEL_INIT(Life, { 1 }));
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(heard, 4);
    assert_true(keel_is_same(seen_parent, parent));
    // whose parent is dead when it comes becomes a root
    (void)keel_add_child(keel_world_commands(f.world), parent, KEEL_INIT(Life, { 1 }));
    assert_int_equal(keel_delete_entity(f.world, parent), KEEL_OK);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_int_equal(heard, 5);
    assert_true(keel_is_null(seen_parent));
    api_end(&f);
}

static void a_part_has_name_parent_and_targets(void **state) {
    (void)state;
    begin_looking(KEEL_ON_INSERTED);
    keel_world *templates = keel_templates(f.world);
    const keel_prefab ship = { keel_add_entity(templates) };
    const keel_entity gun = keel_add_child(templates, ship.root, KEEL_INIT(Life, { 1 }));
    assert_int_equal(keel_set_name(templates, gun, "gun"), KEEL_OK);
    assert_int_equal(keel_relate(templates, gun, Aims, ship.root), KEEL_OK);
    keel_entity made[3] = { keel_spawn(f.world, ship), keel_add_entity(f.world) };
    for (uint32_t i = 0; i < 4; ++i) {
        if (i == 1) assert_int_equal(keel_apply_prefab(f.world, made[1], ship), KEEL_OK);
        if (i == 2) assert_int_equal(keel_spawn_many(f.world, ship, 1, &made[2]), KEEL_OK);
        if (i == 3) assert_int_equal(keel_merge_world(f.world, templates, NULL), KEEL_OK);
        assert_int_equal(heard, i + 1);
        if (i < 3) assert_true(keel_is_same(seen_parent, made[i]));
        assert_false(keel_is_null(seen_parent));
        assert_true(has_name && has_target);
        seen_parent = keel_null();
        has_name = has_target = false;
    }
    api_end(&f);
}

static void who_goes_has_its_parent(void **state) {
    (void)state;
    for (uint32_t way = 0; way < 6; ++way) {
        begin_looking(KEEL_ON_DELETED);
        const keel_entity parent = keel_add_entity(f.world), target = keel_add_entity(f.world);
        const keel_entity child = keel_add_child(f.world, parent, KEEL_INIT(Life, { 1 }));
        assert_int_equal(keel_set_name(f.world, child, "child"), KEEL_OK);
        assert_int_equal(keel_relate(f.world, child, Aims, target), KEEL_OK);
        if (way == 0) assert_int_equal(keel_delete_entity(f.world, child), KEEL_OK);
        if (way == 1) assert_int_equal(keel_delete_entities(f.world, &child, 1), KEEL_OK);
        if (way == 2) assert_int_equal(keel_delete_entities_having(f.world, Life), KEEL_OK);
        if (way == 3) assert_int_equal(keel_delete_tree(f.world, parent), KEEL_OK);
        if (way == 4) assert_int_equal(keel_strip(f.world, child), KEEL_OK);
        if (way == 5) assert_int_equal(keel_clear_entities(f.world), KEEL_OK);
        assert_int_equal(heard, 1);
        assert_true(keel_is_same(seen_parent, parent));
        assert_true(has_name && has_target);
        api_end(&f);
    }
}

// Those of the links themselves hear once, while the family is whole.
static void observers_of_links_hear_once(void **state) {
    (void)state;
    begin_looking(KEEL_ON_INSERTED);
    assert_int_equal(
        keel_observe_component(f.world, KEEL_OF(keel_child), KEEL_ON_DELETED, look_around, NULL),
        KEEL_OK);
    const keel_entity parent = keel_add_entity(f.world), child = keel_add_child(f.world, parent);
    assert_int_equal(keel_delete_entity(f.world, child), KEEL_OK);
    assert_int_equal(heard, 1);
    assert_true(keel_is_same(seen_parent, parent));
    (void)keel_add_child(f.world, parent);
    assert_int_equal(keel_delete_entity(f.world, parent), KEEL_OK);
    assert_int_equal(heard, 2); // it stays, without a parent
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(single_edits, "observers are called for each edit of one entity"),
    TEST(many_at_once, "bulk edits, clear, commands, world's end call them too (defect 11)"),
    TEST(all_are_told_before_the_first_goes, "all are told before the first one goes"),
    TEST(in_order_of_registration, "several, in order of registration"),
    TEST(entities, "entities that are created and deleted"),
    TEST(direct_edits_are_refused, "an observer cannot edit the world itself"),
    TEST(edits_come_after_the_running_one, "what it records comes after the running edit"),
    TEST(deleting_all_that_come_back, "what comes back while all are deleted stays"),
    TEST(recursion_is_bounded, "observers that answer each other end with an error"),
    TEST(in_systems_they_wait_for_the_commands, "in systems its edits come with the commands"),
    TEST(lists_change_while_they_run, "observers come and go while they are called"),
    TEST(the_first_of_another_component, "one observer brings along the first of another (A2)"),
    TEST(the_order_of_many, "when many go at once observers hear in a known order (A14)"),
    TEST(groups_have_it_already, "after an insertion groups have it, before a removal still"),
    TEST(every_storage, "every storage, tags, and moving to another world"),
    TEST(out_of_memory, "out of memory: no leak, no crash"),
    TEST(a_new_child_has_its_parent, "a new child has its parent when observers hear of it"),
    TEST(a_part_has_name_parent_and_targets, "a part of a prefab has its name and its relations"),
    TEST(who_goes_has_its_parent, "who goes has its parent until all have heard"),
    TEST(observers_of_links_hear_once, "observers of links hear once of who goes"),
};

int main(void) { return RUN(tests); }
