// SPDX-License-Identifier: MIT
// Observers of views: who enters and leaves what terms match.
#include "support/api_types.h"

#include <stdio.h>
#include <string.h>

typedef struct Body {
    int number;
} Body;
typedef struct Row {
    int number;
} Row;
KEEL_COMPONENT(Body, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE);
KEEL_TAG(Dirty);

enum { BOTH = KEEL_ON_ENTERED | KEEL_ON_LEFT };

static api_fixture f;
static char trail[400]; // + for who enters, - for who leaves, with the number of its body

static void append(const char *text) {
    assert_true(strlen(trail) + strlen(text) < sizeof trail);
    strcat(trail, text);
}

static void note(const keel_change *event, void *data) {
    char text[40];
    const Body *body = keel_get(event->world, event->entity, Body);
    assert_true(keel_is_alive(event->world, event->entity));
    assert_null(event->component);
    assert_null(event->value);
    snprintf(text, sizeof text, "%s%c%d ", data ? (const char *)data : "",
             event->kind == KEEL_ON_ENTERED ? '+' : '-', body ? body->number : -1);
    append(text);
}

#define ASSERT_TRAIL(expected)                                                                     \
    do {                                                                                           \
        assert_string_equal(trail, expected);                                                      \
        trail[0] = 0;                                                                              \
    } while (0)

static void begin(void) {
    api_begin(&f);
    trail[0] = 0;
    assert_int_equal(keel_observe_view(f.world,
                                       KEEL_TERMS(KEEL_READ(Body, body), KEEL_WITH(Row),
                                                  KEEL_WITHOUT(Frozen), KEEL_ENTITY(e)),
                                       BOTH, note, NULL),
                     KEEL_OK);
}

static void single_edits(void **state) {
    (void)state;
    begin();
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Body, { 1 }));
    ASSERT_TRAIL("");
    assert_int_equal(keel_add(f.world, e, Row), KEEL_OK);
    ASSERT_TRAIL("+1 ");
    assert_int_equal(keel_add(f.world, e, Body, { 2 }), KEEL_OK);
    assert_int_equal(keel_add(f.world, e, Number), KEEL_OK);
    ASSERT_TRAIL("");
    assert_int_equal(keel_add(f.world, e, Frozen), KEEL_OK);
    ASSERT_TRAIL("-2 ");
    assert_int_equal(keel_remove(f.world, e, Body), KEEL_OK);
    assert_int_equal(keel_remove(f.world, e, Frozen), KEEL_OK);
    ASSERT_TRAIL("");
    assert_int_equal(keel_add_values(f.world, e, KEEL_INIT(Body, { 3 }), KEEL_INIT(Row)), KEEL_OK);
    ASSERT_TRAIL("+3 ");
    assert_int_equal(keel_delete(f.world, e, Row, Body), KEEL_OK); // told before the first goes
    ASSERT_TRAIL("-3 ");
    (void)keel_add_entity(f.world, KEEL_INIT(Body, { 4 }), KEEL_INIT(Row), KEEL_INIT(Frozen));
    const keel_entity g = keel_add_entity(f.world, KEEL_INIT(Row), KEEL_INIT(Body, { 5 }));
    assert_int_equal(keel_strip(f.world, g), KEEL_OK);
    ASSERT_TRAIL("+5 -5 ");
    const keel_entity h = keel_add_entity(f.world, KEEL_INIT(Row), KEEL_INIT(Body, { 6 }));
    assert_int_equal(keel_delete_entity(f.world, h), KEEL_OK);
    ASSERT_TRAIL("+6 -6 ");
    api_end(&f);
    ASSERT_TRAIL("");
}

// What is so only in the middle of an edit is not told.
static void nothing_in_between(void **state) {
    (void)state;
    api_begin(&f);
    trail[0] = 0;
    assert_int_equal(keel_collect(f.world, Dirty, Row, KEEL_ON_INSERTED | KEEL_ON_DELETED),
                     KEEL_OK);
    assert_int_equal(keel_observe_view(f.world,
                                       KEEL_TERMS(KEEL_WITH(Body), KEEL_WITHOUT(keel_child)), BOTH,
                                       note, "root"),
                     KEEL_OK);
    assert_int_equal(keel_observe_view(f.world, KEEL_TERMS(KEEL_WITH(Body), KEEL_WITHOUT(Dirty)),
                                       BOTH, note, "clean"),
                     KEEL_OK);
    const keel_entity parent = keel_add_entity(f.world, KEEL_INIT(Body, { 1 }));
    ASSERT_TRAIL("root+1 clean+1 ");
    const keel_entity child =
        keel_add_child(f.world, parent, KEEL_INIT(Body, { 2 }), KEEL_INIT(Row));
    ASSERT_TRAIL(""); // it is a child, and collected
    assert_int_equal(keel_delete(f.world, child, Dirty, Body), KEEL_OK);
    ASSERT_TRAIL("");
    assert_int_equal(keel_add(f.world, child, Body, { 3 }), KEEL_OK);
    ASSERT_TRAIL("clean+3 ");
    const keel_component *const both[] = { &KEEL_COMPONENT_Row, &KEEL_COMPONENT_Dirty, NULL };
    assert_int_equal(keel_delete_components(f.world, child, both), KEEL_OK);
    ASSERT_TRAIL(""); // dirty for a moment
    assert_int_equal(
        keel_observe_view(f.world, KEEL_TERMS(KEEL_WITH(keel_child)), BOTH, note, "child"),
        KEEL_OK);
    assert_int_equal(keel_attach(f.world, child, keel_add_entity(f.world)), KEEL_OK);
    ASSERT_TRAIL(""); // it is a child as before
    assert_int_equal(keel_attach(f.world, child, parent), KEEL_OK);
    assert_int_equal(keel_unobserve_view(f.world, note, "child"), KEEL_OK);
    trail[0] = 0;
    assert_int_equal(keel_delete_entity(f.world, parent), KEEL_OK);
    ASSERT_TRAIL("root-1 clean-1 root+3 ");
    api_end(&f);
    ASSERT_TRAIL("root-3 clean-3 ");
}

static void any_of_several(void **state) {
    (void)state;
    api_begin(&f);
    trail[0] = 0;
    assert_int_equal(keel_observe_view(f.world,
                                       KEEL_TERMS(KEEL_ANY_OF(Body, Row), KEEL_ANY_OF(Frozen, Dead),
                                                  KEEL_OPTIONAL_READ(Number, number)),
                                       BOTH, note, NULL),
                     KEEL_OK);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Body, { 1 }));
    ASSERT_TRAIL("");
    assert_int_equal(keel_add(f.world, e, Frozen), KEEL_OK);
    ASSERT_TRAIL("+1 ");
    assert_int_equal(keel_add(f.world, e, Dead), KEEL_OK);
    assert_int_equal(keel_delete(f.world, e, Frozen), KEEL_OK);
    assert_int_equal(keel_add(f.world, e, Row), KEEL_OK);
    ASSERT_TRAIL("");
    assert_int_equal(keel_delete(f.world, e, Row, Body), KEEL_OK); // the last one leaves
    ASSERT_TRAIL("-1 ");
    api_end(&f);
}

static void those_who_match_already(void **state) {
    (void)state;
    api_begin(&f);
    trail[0] = 0;
    const keel_term *terms = KEEL_TERMS(KEEL_WITH(Body));
    const keel_entity a = keel_add_entity(f.world, KEEL_INIT(Body, { 1 }));
    (void)keel_add_entity(f.world, KEEL_INIT(Body, { 2 }));
    assert_int_equal(keel_observe_view(f.world, terms, KEEL_ON_LEFT, note, "a"), KEEL_OK);
    ASSERT_TRAIL("");
    assert_int_equal(keel_observe_view(f.world, terms, BOTH | KEEL_ON_PRESENT, note, "b"), KEEL_OK);
    ASSERT_TRAIL("b+1 b+2 ");
    assert_int_equal(keel_observe_view(f.world, terms, KEEL_ON_ENTERED, note, "a"), KEEL_OK);
    (void)keel_add_entity(f.world, KEEL_INIT(Body, { 3 })); // one observer, with both kinds now
    ASSERT_TRAIL("a+3 b+3 ");
    assert_int_equal(keel_observe_view(f.world, terms, BOTH | KEEL_ON_PRESENT, note, "a"), KEEL_OK);
    ASSERT_TRAIL("a+1 a+2 a+3 ");
    assert_int_equal(keel_unobserve_view(f.world, note, "b"), KEEL_OK);
    assert_int_equal(keel_unobserve_view(f.world, note, "b"), KEEL_ABSENT);
    assert_int_equal(keel_delete(f.world, a, Body), KEEL_OK);
    ASSERT_TRAIL("a-1 ");
    api_end(&f);
    ASSERT_TRAIL("a-2 a-3 ");
}

static void many_at_once(void **state) {
    (void)state;
    begin();
    keel_entity e[3];
    const Body values[] = { { 1 }, { 2 }, { 3 } };
    assert_int_equal(
        keel_add_entities(f.world, 3, e, KEEL_COLUMN(Body, values), KEEL_FILL(Row, { 0 })),
        KEEL_OK);
    ASSERT_TRAIL("+1 +2 +3 ");
    assert_int_equal(keel_add_many(f.world, e, 2, Frozen), KEEL_OK);
    ASSERT_TRAIL("-1 -2 ");
    assert_int_equal(keel_clear(f.world, Frozen), KEEL_OK);
    ASSERT_TRAIL("+1 +2 ");
    assert_int_equal(keel_delete_many(f.world, e, 2, Row), KEEL_OK);
    trail[0] = 0; // in whatever order
    assert_int_equal(keel_add_many(f.world, e, 3, Row), KEEL_OK);
    ASSERT_TRAIL("+1 +2 ");
    (void)keel_clone_entity(f.world, e[2]);
    ASSERT_TRAIL("+3 ");
    assert_int_equal(keel_clear(f.world, Body), KEEL_OK);
    ASSERT_TRAIL("-1 -2 -3 -3 ");
    keel_commands *commands = keel_world_commands(f.world);
    keel_add(commands, e[0], Body, { 7 });
    keel_delete(commands, e[0], Body);
    keel_add(commands, e[0], Body, { 8 });
    keel_delete_entity(commands, e[0]);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    ASSERT_TRAIL("+7 -7 +8 -8 ");
    assert_int_equal(keel_add(f.world, e[1], Body, { 9 }), KEEL_OK);
    assert_int_equal(keel_clear_entities(f.world), KEEL_OK);
    ASSERT_TRAIL("+9 -9 ");
    (void)keel_add_entity(f.world, KEEL_INIT(Body, { 5 }), KEEL_INIT(Row));
    assert_int_equal(keel_unregister_component(f.world, &KEEL_COMPONENT_Row), KEEL_OK);
    ASSERT_TRAIL("+5 -5 "); // it ends with a component that it names
    assert_int_equal(keel_unobserve_view(f.world, note, NULL), KEEL_ABSENT);
    api_end(&f);
}

static void in_and_out_of_sight(void **state) {
    (void)state;
    begin();
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Body, { 1 }), KEEL_INIT(Row));
    ASSERT_TRAIL("+1 ");
    assert_int_equal(keel_disable(f.world, e, Body), KEEL_OK);
    ASSERT_TRAIL("-1 ");
    counting_allocator_fail_after(&f.memory, 0);
    assert_int_equal(keel_enable(f.world, e, Body), KEEL_OK);
    counting_allocator_never_fail(&f.memory);
    ASSERT_TRAIL("+1 ");
    api_fixture other;
    api_begin(&other);
    assert_int_equal(keel_observe_view(other.world, KEEL_TERMS(KEEL_WITH(Body), KEEL_WITH(Row)),
                                       BOTH, note, "other"),
                     KEEL_OK);
    const keel_entity moved = keel_move_entity(f.world, e, other.world);
    assert_false(keel_is_null(moved));
    ASSERT_TRAIL("-1 other+1 "); // its values are there when the old world tells
    assert_int_equal(keel_disable(other.world, moved, Body), KEEL_OK);
    ASSERT_TRAIL("other-1 ");
    assert_int_equal(keel_observe_view(f.world, KEEL_TERMS(KEEL_WITH(Row), KEEL_WITHOUT(Body)),
                                       BOTH, note, "no"),
                     KEEL_OK);
    assert_false(keel_is_null(keel_move_entity(other.world, moved, f.world)));
    ASSERT_TRAIL("no+-1 "); // disabled it came
    assert_int_equal(keel_unobserve_view(f.world, note, "no"), KEEL_OK);
    api_end(&other);
    api_end(&f);
    ASSERT_TRAIL("");
}

static void tell_kind(const keel_change *event, void *data) {
    (void)data;
    append(event->kind == KEEL_ON_INSERTED  ? "inserted "
           : event->kind == KEEL_ON_CREATED ? "created "
                                            : "gone ");
}

static void copied_worlds(void **state) {
    (void)state;
    api_fixture other;
    begin();
    assert_int_equal(
        keel_observe(f.world, Frozen, KEEL_ON_INSERTED | KEEL_ON_DELETED, tell_kind, NULL),
        KEEL_OK);
    assert_int_equal(keel_observe_component(f.world, &keel_entities,
                                            KEEL_ON_CREATED | KEEL_ON_DESTROYED, tell_kind, NULL),
                     KEEL_OK);
    api_begin(&other);
    (void)keel_add_entity(other.world, KEEL_INIT(Body, { 1 }), KEEL_INIT(Row));
    (void)keel_add_entity(other.world, KEEL_INIT(Body, { 2 }), KEEL_INIT(Row), KEEL_INIT(Frozen));
    for (size_t n = 0;; ++n) {
        counting_allocator_fail_after(&f.memory, n);
        const keel_result result = keel_copy_world(other.world, f.world);
        counting_allocator_never_fail(&f.memory);
        if (result == KEEL_OK) break;
        assert_error(f.world, KEEL_ERROR_MEMORY, NULL);
        ASSERT_TRAIL("");
    }
    ASSERT_TRAIL("inserted created created +1 ");
    api_end(&other);
    api_end(&f);
    ASSERT_TRAIL("-1 gone gone gone ");
}

// ------------------------------------------------------------------ what they may do
// A child that commands make is never one of those without a parent.
static void children_by_commands_are_no_roots(void **state) {
    (void)state;
    api_begin(&f);
    trail[0] = 0;
    const keel_entity parent = keel_add_entity(f.world);
    assert_int_equal(keel_observe_view(f.world,
                                       KEEL_TERMS(KEEL_READ(Body, body), KEEL_WITHOUT(keel_child)),
                                       BOTH, note, NULL),
                     KEEL_OK);
    (void)keel_add_child(f.world, parent, KEEL_INIT(Body, { 1 }));
    (void)keel_add_child(keel_world_commands(f.world), parent, KEEL_INIT(Body, { 2 }));
    (void)keel_add_child(keel_world_commands(f.world), parent, KEEL_INIT(Body, { 3 }));
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    ASSERT_TRAIL("");
    api_end(&f);
}

static void freeze(const keel_change *event, void *data) {
    ++*(int *)data;
    assert_int_equal(keel_add(event->world, event->entity, Frozen), KEEL_ERROR_SHARED);
    assert_int_equal(keel_observe_view(event->world, KEEL_TERMS(KEEL_WITH(Dead)), BOTH, note, NULL),
                     KEEL_ERROR_SHARED);
    keel_clear_errors(event->world);
    if (event->kind == KEEL_ON_ENTERED) keel_add(event->commands, event->entity, Frozen);
    else keel_delete(event->commands, event->entity, Frozen);
}

static void they_answer_with_commands(void **state) {
    (void)state;
    begin();
    int calls = 0;
    assert_int_equal(keel_observe_view(f.world, KEEL_TERMS(KEEL_WITH(Body)), BOTH, freeze, &calls),
                     KEEL_OK);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Body, { 1 }), KEEL_INIT(Row));
    ASSERT_TRAIL("+1 -1 ");
    assert_int_equal(calls, 1);
    assert_int_equal(keel_delete(f.world, e, Body), KEEL_OK);
    assert_int_equal(calls, 2);
    assert_false(keel_has(f.world, e, Frozen));
    int endless = 0;
    assert_int_equal(keel_observe_view(f.world, KEEL_TERMS(KEEL_WITH(Dead), KEEL_WITHOUT(Frozen)),
                                       BOTH, freeze, &endless),
                     KEEL_OK);
    assert_int_equal(keel_add(f.world, e, Dead), KEEL_OK); // in, frozen, out, thawed, in, ...
    assert_error(f.world, KEEL_ERROR_CYCLE, "observers");
    assert_true(endless > 10);
    api_end(&f);
}

static void unobserve_self(const keel_change *event, void *data) {
    ++*(int *)data;
    assert_int_equal(keel_unobserve_view(event->world, unobserve_self, data), KEEL_OK);
    assert_int_equal(keel_unobserve_view(event->world, unobserve_self, data), KEEL_ABSENT);
}

static void they_end_themselves(void **state) {
    (void)state;
    begin();
    int calls = 0, at_once = 0;
    assert_int_equal(
        keel_observe_view(f.world, KEEL_TERMS(KEEL_WITH(Body)), BOTH, unobserve_self, &calls),
        KEEL_OK);
    assert_int_equal(
        keel_observe_view(f.world, KEEL_TERMS(KEEL_WITH(Row)), BOTH, unobserve_self, &calls),
        KEEL_OK);
    keel_entity e[3];
    assert_int_equal(keel_add_entities(f.world, 3, e, KEEL_FILL(Body, { 1 }), KEEL_FILL(Row)),
                     KEEL_OK);
    assert_int_equal(calls, 1);
    ASSERT_TRAIL("+1 +1 +1 ");
    assert_int_equal(keel_observe_view(f.world, KEEL_TERMS(KEEL_WITH(Body)), BOTH | KEEL_ON_PRESENT,
                                       unobserve_self, &at_once),
                     KEEL_OK);
    assert_int_equal(at_once, 1);
    api_end(&f);
}

static void in_order(const keel_change *event, void *data) {
    (void)data;
    append(event->kind == KEEL_ON_DELETED    ? "deleted "
           : event->kind == KEEL_ON_LEFT     ? "left "
           : event->kind == KEEL_ON_ENTERED  ? "entered "
           : event->kind == KEEL_ON_INSERTED ? "inserted "
                                             : "destroyed ");
    const keel_group *group = keel_find_group(event->world, "both");
    assert_int_equal(keel_group_count(event->world, group), 1);
}

static void among_other_observers(void **state) {
    (void)state;
    begin();
    assert_non_null(keel_group_create(f.world, KEEL_GET(Body, Number), .name = "both"));
    const keel_term *terms = KEEL_TERMS(KEEL_WITH(Body), KEEL_WITH(Number));
    assert_int_equal(keel_observe_view(f.world, terms, BOTH, in_order, NULL), KEEL_OK);
    assert_int_equal(
        keel_observe(f.world, Body, KEEL_ON_INSERTED | KEEL_ON_DELETED, in_order, NULL), KEEL_OK);
    assert_int_equal(
        keel_observe_component(f.world, &keel_entities, KEEL_ON_DESTROYED, in_order, NULL),
        KEEL_OK);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Body), KEEL_INIT(Number));
    ASSERT_TRAIL("inserted entered ");
    assert_int_equal(keel_delete_entity(f.world, e), KEEL_OK);
    ASSERT_TRAIL("deleted left destroyed ");
    api_end(&f);
}

// ------------------------------------------------------------------ systems
KEEL_SYSTEM(add_rows, KEEL_WITH(Body), KEEL_ENTITY(e), KEEL_COMMANDS(commands, Row)) {
    keel_add(commands, e, Row);
}
KEEL_SYSTEM_ONCE(freeze_all, KEEL_MAY_EDIT(Frozen), KEEL_CONTEXT(context),
                 KEEL_DATA(keel_entity, e)) {
    for (uint32_t i = 0; i < 3; ++i)
        assert_int_equal(keel_add(context, e[i], Frozen), KEEL_OK);
}
KEEL_SYSTEM(count_up, KEEL_WRITE(Number, number)) { ++number->value; }
KEEL_WORKLOAD(frame, KEEL_STEP(count_up), KEEL_STEP(add_rows));

static void in_systems(void **state) {
    (void)state;
    for (uint32_t workers = 1; workers <= 4; workers *= 2) {
        keel_entity e[3];
        const Body values[] = { { 1 }, { 2 }, { 3 } };
        api_begin_with(&f, (keel_world_desc){ .worker_count = workers });
        trail[0] = 0;
        assert_int_equal(
            keel_observe_view(f.world,
                              KEEL_TERMS(KEEL_WITH(Body), KEEL_WITH(Row), KEEL_WITHOUT(Frozen)),
                              BOTH, note, NULL),
            KEEL_OK);
        assert_int_equal(keel_add_entities(f.world, 3, e, KEEL_COLUMN(Body, values)), KEEL_OK);
        assert_int_equal(keel_run_workload(f.world, frame), KEEL_OK);
        ASSERT_TRAIL("+1 +2 +3 ");
        assert_int_equal(keel_run_with(f.world, freeze_all, e), KEEL_OK);
        ASSERT_TRAIL("-1 -2 -3 ");
        api_end(&f);
    }
}

// ------------------------------------------------------------------ misuse, memory
static void misuse(void **state) {
    (void)state;
    api_begin(&f);
    const keel_term *ok = KEEL_TERMS(KEEL_WITH(Body));
    assert_int_equal(keel_observe_view(f.world, NULL, BOTH, note, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "nothing that must be there");
    assert_int_equal(keel_observe_view(f.world, KEEL_TERMS(KEEL_WITHOUT(Body)), BOTH, note, NULL),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "observe keel_entities");
    assert_int_equal(keel_observe_view(f.world, KEEL_TERMS(KEEL_MODIFIED(Body)), BOTH, note, NULL),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "changes are notified by keel_observe");
    assert_int_equal(keel_observe_view(f.world,
                                       KEEL_TERMS(KEEL_WITH(Body), KEEL_UNIQUE_READ(Time, time)),
                                       BOTH, note, NULL),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "a unique");
    assert_int_equal(keel_observe_view(f.world, KEEL_TERMS(KEEL_WITH(Body), KEEL_MAY_READ(Row)),
                                       BOTH, note, NULL),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "which components an entity has");
    assert_int_equal(keel_observe_view(f.world, ok, BOTH, NULL, NULL), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_observe_view(f.world, ok, KEEL_ON_PRESENT, note, NULL),
                     KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_observe_view(f.world, ok, KEEL_ON_INSERTED, note, NULL),
                     KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_unobserve_view(f.world, NULL, NULL), KEEL_ABSENT);
    keel_term many[KEEL_MAX_TERMS + 2];
    for (uint32_t i = 0; i <= KEEL_MAX_TERMS; ++i)
        many[i] = ok[0];
    many[KEEL_MAX_TERMS + 1] = (keel_term){ .kind = KEEL_TERM_END };
    assert_int_equal(keel_observe_view(f.world, many, BOTH, note, NULL), KEEL_ERROR_ARGUMENT);
    keel_clear_errors(f.world);
    api_end(&f);
}

static void out_of_memory(void **state) {
    (void)state;
    bool done = false;
    for (size_t n = 0; !done; ++n) {
        api_begin(&f);
        trail[0] = 0;
        (void)keel_add_entity(f.world, KEEL_INIT(Body, { 1 }), KEEL_INIT(Row));
        counting_allocator_fail_after(&f.memory, n);
        const keel_term *terms = KEEL_TERMS(KEEL_ANY_OF(Body, Number), KEEL_WITH(Row));
        const keel_result result =
            keel_observe_view(f.world, terms, BOTH | KEEL_ON_PRESENT, note, NULL);
        if (result < 0) assert_int_equal(result, KEEL_ERROR_MEMORY);
        done = result == KEEL_OK &&
               !keel_is_null(keel_add_entity(f.world, KEEL_INIT(Number), KEEL_INIT(Row)));
        if (done) assert_int_equal(keel_clear_entities(f.world), KEEL_OK);
        counting_allocator_never_fail(&f.memory);
        if (done) ASSERT_TRAIL("+1 +-1 -1 --1 ");
        else assert_string_equal(trail, result == KEEL_OK ? "+1 " : "");
        api_end(&f);
    }
}

// Nobody hears of a restore; from then on the view has the members that the world has again.
static int entered, left;
static void count(const keel_change *event, void *data) {
    (void)data;
    if (event->kind == KEEL_ON_ENTERED) ++entered;
    else ++left;
}

static void members_after_a_restore(void **state) {
    (void)state;
    enum { MANY = 10000 };
    static keel_entity list[MANY];
    const keel_term *terms = KEEL_TERMS(KEEL_WITH(Body), KEEL_WITH(Row));
    for (int when = 0; when < 3; ++when) { // 0: observed all the time, 1: since nobody was there
        api_begin(&f);
        if (when != 1) assert_int_equal(keel_observe_view(f.world, terms, BOTH, count, NULL), 0);
        for (int i = 0; i < MANY; ++i)
            list[i] = keel_add_entity(f.world, KEEL_INIT(Body, { i }), KEEL_INIT(Row));
        keel_snapshot *then = keel_snapshot_create(f.world, NULL);
        assert_int_equal(keel_snapshot_take(then), KEEL_OK);
        keel_clear_entities(f.world);
        if (when == 1) assert_int_equal(keel_observe_view(f.world, terms, BOTH, count, NULL), 0);
        if (when == 2) keel_world_trim(f.world);
        entered = left = 0;
        assert_int_equal(keel_snapshot_restore(then), KEEL_OK);
        assert_int_equal(entered + left, 0);
        keel_delete_entity(f.world, list[9]);
        assert_int_equal(left, 1);
        keel_remove(f.world, list[MANY - 1], Row);
        assert_int_equal(left, 2);
        keel_add(f.world, list[MANY - 1], Row);
        assert_int_equal(entered, 1);
        keel_snapshot_destroy(then);
        assert_int_equal(keel_unobserve_view(f.world, count, NULL), KEEL_OK);
        api_end(&f);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(members_after_a_restore,
         "a restored world has members of observed views, and nobody hears of it"),
    TEST(single_edits, "each edit of one entity: who enters and leaves is told once"),
    TEST(nothing_in_between, "what is so only in the middle of an edit is not told"),
    TEST(any_of_several, "any_of: the first that comes, the last that goes"),
    TEST(those_who_match_already, "who matches already is told if asked for"),
    TEST(many_at_once, "bulk edits, commands, clear, an unregistered component, the world's end"),
    TEST(in_and_out_of_sight, "disabled values, and entities that move between worlds"),
    TEST(copied_worlds, "a copied world: all or nothing"),
    TEST(children_by_commands_are_no_roots, "a child that commands make is never a root"),
    TEST(they_answer_with_commands, "they answer with commands; endless answers end"),
    TEST(they_end_themselves, "they end themselves while they are called"),
    TEST(among_other_observers, "in order with observers of components and entities, and groups"),
    TEST(in_systems, "edits of systems and their commands"),
    TEST(misuse, "terms that say nothing about who has what are refused"),
    TEST(out_of_memory, "out of memory: no leak, nothing half done"),
};

int main(void) { return RUN(tests); }
