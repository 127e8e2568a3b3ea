// SPDX-License-Identifier: MIT
// What a system would see if it ran now at its place of a workload: the reason why it would leave
// an entity out, why its step would not run, and how many entities its terms leave. What it says is
// compared with what the system then visits.
#include "support/api_types.h"

#include <stdio.h>
#include <string.h>

typedef struct Row {
    uint32_t value;
} Row;
typedef struct Shot {
    uint32_t value;
} Shot;
typedef enum Phase { MENU, PLAYING } Phase;
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE);
KEEL_EVENT(Shot);
KEEL_STATE(Phase);

static api_fixture f;
static bool is_day;
static uint32_t asked;

enum { ENTITIES = 60, WATCHERS = 4 };
static bool visited[WATCHERS][ENTITIES + 1];

KEEL_CONDITION(day) {
    ++asked;
    return is_day;
}
KEEL_SYSTEM(see_numbers, KEEL_READ(Number, n), KEEL_ENTITY(e)) {
    (void)n;
    visited[0][keel_entity_index(e)] = true;
}
KEEL_SYSTEM(see_changed, KEEL_CHANGED(Number), KEEL_WITHOUT(Frozen), KEEL_ENTITY(e)) {
    visited[1][keel_entity_index(e)] = true;
}
KEEL_SYSTEM(see_modified, KEEL_NOT_MODIFIED(Row), KEEL_ANY_OF(Number, Row), KEEL_ENTITY(e)) {
    visited[2][keel_entity_index(e)] = true;
}
KEEL_SYSTEM(see_inserted, KEEL_INSERTED(Row), KEEL_OPTIONAL_READ(Number, n), KEEL_ENTITY(e)) {
    (void)n;
    visited[3][keel_entity_index(e)] = true;
}
KEEL_WORKLOAD(watch, KEEL_STEP(see_numbers), KEEL_STEP(see_changed), KEEL_STEP(see_modified),
              KEEL_STEP(see_inserted));

static keel_why ask(const keel_workload *workload, uint32_t position, keel_entity e) {
    keel_why why;
    const bool matches = keel_step_why(f.world, workload, position, e, &why);
    assert_int_equal(matches, why.kind == KEEL_WHY_MATCHES);
    assert_int_equal(keel_step_why(f.world, workload, position, e, NULL), matches);
    return why;
}
#define ASSERT_WHY(workload, position, e, reason, part)                                            \
    do {                                                                                           \
        const keel_why why = ask(&KEEL_WORKLOAD_##workload, (position), (e));                      \
        if (!strstr(why.text, part)) fail_msg("'%s' lacks '%s'", why.text, part);                  \
        assert_int_equal(why.kind, KEEL_WHY_##reason);                                             \
    } while (0)

// ------------------------------------------------------------------ changes
static void changes_are_those_since_the_last_run(void **state) {
    (void)state;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    ASSERT_WHY(watch, 1, e, MATCHES, "matches");
    ASSERT_WHY(watch, 1, e, MATCHES, "matches"); // asking is no run
    assert_int_equal(ask(&KEEL_WORKLOAD_watch, 1, e).last_run, 0);
    assert_int_equal(keel_run_workload(f.world, watch), KEEL_OK);
    ASSERT_WHY(watch, 1, e, NOT_CHANGED, "its Number was neither inserted nor modified");
    assert_true(ask(&KEEL_WORKLOAD_watch, 1, e).last_run > 0);
    keel_mark(f.world, e, Number);
    ASSERT_WHY(watch, 1, e, MATCHES, "matches");
    keel_add(f.world, e, Frozen);
    ASSERT_WHY(watch, 1, e, EXCLUDED, "has Frozen (term 2 of 3, without Frozen)");
    ASSERT_WHY(watch, 0, keel_null(), DEAD, "not alive");
    uint32_t left[3];
    assert_int_equal(keel_step_counts(f.world, &KEEL_WORKLOAD_watch, 1, NULL, left, 3), 3);
    assert_int_equal(left[0], 1);
    assert_int_equal(left[1], 0);
    assert_int_equal(left[2], 0);
    assert_no_error(f.world);
    api_end(&f);
}

static uint32_t dice;
static uint32_t roll(uint32_t below) {
    dice = dice * 1664525u + 1013904223u;
    return (dice >> 8) % below;
}

static void edit_something(const keel_entity *all) {
    static const keel_component *const some[] = { KEEL_OF(Number), KEEL_OF(Row), KEEL_OF(Frozen) };
    const keel_entity e = all[roll(ENTITIES)];
    const keel_component *c = some[roll(3)];
    switch (roll(4)) {
    case 0:
        (void)keel_add_component(f.world, e, c, c->size ? &dice : NULL);
        break;
    case 1:
        (void)keel_delete_component(f.world, e, c);
        break;
    case 2:
        (void)keel_enable_component(f.world, e, c, roll(2) == 0);
        break;
    default:
        (void)keel_mark_component(f.world, e, c);
    }
    keel_clear_errors(f.world);
}

static void what_is_told_is_what_is_visited(void **state) {
    (void)state;
    dice = 11;
    api_begin(&f);
    keel_entity all[ENTITIES];
    keel_track(f.world, Row, KEEL_TRACK_ALL);
    for (uint32_t i = 0; i < ENTITIES; ++i)
        all[i] = keel_add_entity(f.world);
    uint32_t matches = 0, refused = 0;
    for (uint32_t round = 0; round < 60; ++round) {
        bool told[WATCHERS][ENTITIES + 1];
        memset(told, 0, sizeof told);
        memset(visited, 0, sizeof visited);
        for (uint32_t i = roll(80); i; --i)
            edit_something(all);
        for (uint32_t w = 0; w < WATCHERS; ++w) {
            uint32_t count = 0, left[3] = { 0 };
            for (uint32_t i = 0; i < ENTITIES; ++i) {
                const bool is_seen = ask(&KEEL_WORKLOAD_watch, w, all[i]).kind == KEEL_WHY_MATCHES;
                told[w][keel_entity_index(all[i])] = is_seen;
                count += is_seen;
            }
            const uint32_t terms =
                keel_step_counts(f.world, &KEEL_WORKLOAD_watch, w, NULL, left, 3);
            assert_int_equal(terms, w ? 3 : 2);
            assert_int_equal(left[terms - 1], count);
            matches += count;
            refused += ENTITIES - count;
        }
        assert_int_equal(keel_run_workload(f.world, watch), KEEL_OK);
        assert_memory_equal(told, visited, sizeof told);
    }
    assert_true(matches > 1000 && refused > 1000);
    api_end(&f);
}

// ------------------------------------------------------------------ steps that are left out
KEEL_SYSTEM(touch, KEEL_READ(Number, n)) { (void)n; }
KEEL_SYSTEM(keeps_time, KEEL_READ(Number, n), KEEL_UNIQUE_READ(Time, time)) { (void)n, (void)time; }
KEEL_SYSTEM_ONCE(at_once, KEEL_MAY_READ(Number)) {}
KEEL_SYSTEM_ONCE(catch_shots, KEEL_RECEIVE(Shot, shots)) {
    KEEL_EACH_EVENT(shots, Shot, shot) {}
}
KEEL_WORKLOAD(inside, KEEL_STEP(touch));
KEEL_WORKLOAD(conditional, KEEL_STEP(touch, .run_if = KEEL_IF(day)),
              KEEL_STEP(touch, .skip_if = KEEL_IF(day)), KEEL_STEP(touch, .every = 1.0),
              KEEL_STEP(touch, .startup = true), KEEL_STEP(touch, .times = 2),
              KEEL_STEP(touch, .skip_if_empty = KEEL_OF(Row)),
              KEEL_STEP(touch, .skip_if_missing = KEEL_UNIQUE_OF(Time)), KEEL_STEP(keeps_time),
              KEEL_STEP(at_once), KEEL_STEP(touch, .disabled = true),
              KEEL_NESTED(inside, .run_if = KEEL_IF(day)));
KEEL_WORKLOAD(stateful, KEEL_TRANSITION(Phase),
              KEEL_STEP(touch, .in_state = KEEL_IN(Phase, PLAYING)),
              KEEL_STEP(touch, .on_enter = KEEL_IN(Phase, PLAYING)));
KEEL_WORKLOAD(shooting, KEEL_STEP(catch_shots));

static void conditions_count_as_they_were_last_asked(void **state) {
    (void)state;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    asked = 0;
    is_day = false;
    ASSERT_WHY(conditional, 0, e, MATCHES, "matches, if the condition 'day' lets it run");
    assert_string_equal(ask(&KEEL_WORKLOAD_conditional, 0, e).name, "day");
    assert_int_equal(asked, 0);                                // conditions run in runs only
    (void)keel_run_workload(f.world, conditional, .dt = 0.25); // keeps_time misses its unique
    keel_clear_errors(f.world);
    const uint32_t before = asked;
    ASSERT_WHY(conditional, 0, e, STEP_CONDITION, "condition 'day' of 'touch' said no");
    ASSERT_WHY(conditional, 1, e, MATCHES, "matches, if the condition 'day'");
    ASSERT_WHY(conditional, 2, e, STEP_EARLY, "runs every 1 seconds");
    ASSERT_WHY(conditional, 10, e, STEP_CONDITION, "condition 'day' of 'inside' said no");
    is_day = true;
    ASSERT_WHY(conditional, 0, e, STEP_CONDITION, "said no");
    assert_int_equal(asked, before);
    (void)keel_run_workload(f.world, conditional, .dt = 2);
    keel_clear_errors(f.world);
    ASSERT_WHY(conditional, 0, e, MATCHES, "matches");
    ASSERT_WHY(conditional, 1, e, STEP_CONDITION, "condition 'day' of 'touch' said yes");
    ASSERT_WHY(conditional, 2, e, MATCHES, "matches");
    ASSERT_WHY(conditional, 10, e, MATCHES, "matches");
    api_end(&f);
}

static void what_leaves_a_step_out_is_told(void **state) {
    (void)state;
    api_begin(&f);
    is_day = true;
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    ASSERT_WHY(conditional, 3, e, MATCHES, "matches");
    ASSERT_WHY(conditional, 4, e, MATCHES, "matches");
    ASSERT_WHY(conditional, 5, e, STEP_EMPTY, "no entity has 'Row' (skip_if_empty of 'touch')");
    ASSERT_WHY(conditional, 6, e, STEP_MISSING, "the unique 'Time' is not set (skip_if_missing");
    ASSERT_WHY(conditional, 7, e, STEP_MISSING, "the unique 'Time' that 'keeps_time' takes");
    assert_int_equal(ask(&KEEL_WORKLOAD_conditional, 7, e).term, 1);
    ASSERT_WHY(conditional, 8, e, STEP_ONCE, "'at_once' runs once");
    ASSERT_WHY(conditional, 9, e, STEP_DISABLED, "'touch' is disabled");
    uint32_t left;
    assert_int_equal(keel_step_counts(f.world, &KEEL_WORKLOAD_conditional, 8, NULL, &left, 1), 0);
    assert_int_equal(keel_step_counts(f.world, &KEEL_WORKLOAD_conditional, 9, NULL, &left, 1), 1);

    keel_set_unique(f.world, Time, { 0, 0 });
    keel_add(f.world, e, Row, { 1 });
    for (uint32_t i = 0; i < 2; ++i)
        assert_int_equal(keel_run_workload(f.world, conditional, .dt = 1), KEEL_OK);
    ASSERT_WHY(conditional, 3, e, STEP_DONE, "'touch' has run 1 times");
    ASSERT_WHY(conditional, 4, e, STEP_DONE, "'touch' has run 2 times");
    for (uint32_t i = 5; i < 8; ++i)
        ASSERT_WHY(conditional, i, e, MATCHES, "matches");
    keel_delete(f.world, e, Number);
    ASSERT_WHY(conditional, 7, e, MISSING, "has no Number (term 1 of 2, read Number)");
    assert_no_error(f.world);
    api_end(&f);
}

static void a_state_leaves_a_step_out(void **state) {
    (void)state;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    ASSERT_WHY(stateful, 1, e, STEP_STATE, "of step 'touch' has no value yet");
    keel_set_state(f.world, Phase, MENU);
    assert_int_equal(keel_run_workload(f.world, stateful), KEEL_OK);
    ASSERT_WHY(stateful, 1, e, STEP_STATE, "is not as the step asks");
    ASSERT_WHY(stateful, 2, e, STEP_STATE, "is not as the step asks");
    keel_set_state(f.world, Phase, PLAYING);
    assert_int_equal(keel_run_workload(f.world, stateful), KEEL_OK);
    ASSERT_WHY(stateful, 1, e, MATCHES, "matches");
    ASSERT_WHY(stateful, 2, e, MATCHES, "matches");
    assert_int_equal(keel_run_workload(f.world, stateful), KEEL_OK);
    ASSERT_WHY(stateful, 2, e, STEP_STATE, "is not as the step asks");
    assert_no_error(f.world);
    api_end(&f);
}

static void waiting_events_are_counted(void **state) {
    (void)state;
    api_begin(&f);
    const keel_workload *w = &KEEL_WORKLOAD_shooting;
    assert_int_equal(ask(w, 0, keel_null()).events, 0);
    assert_int_equal(keel_run_workload(f.world, shooting), KEEL_OK);
    keel_send(f.world, Shot, { 1 });
    keel_send(f.world, Shot, { 2 });
    assert_int_equal(ask(w, 0, keel_null()).events, 2);
    assert_int_equal(ask(w, 0, keel_null()).events, 2);
    assert_int_equal(keel_run_workload(f.world, shooting), KEEL_OK);
    assert_int_equal(ask(w, 0, keel_null()).events, 0);
    api_end(&f);
}

// ------------------------------------------------------------------ workloads and misuse
static void a_stored_workload_is_asked(void **state) {
    (void)state;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    keel_add_workload(f.world, watch);
    const keel_workload *w = keel_find_workload(f.world, "watch");
    assert_int_equal(ask(w, 1, e).kind, KEEL_WHY_MATCHES);
    assert_int_equal(keel_run_named(f.world, "watch"), KEEL_OK);
    assert_int_equal(ask(w, 1, e).kind, KEEL_WHY_NOT_CHANGED);
    assert_int_equal(ask(&KEEL_WORKLOAD_watch, 1, e).kind, KEEL_WHY_MATCHES); // another place
    keel_enable_step(f.world, "watch", "see_changed", false);
    w = keel_find_workload(f.world, "watch");
    assert_int_equal(ask(w, 1, e).kind, KEEL_WHY_STEP_DISABLED);
    api_end(&f);
}

static keel_why told_inside;
KEEL_SYSTEM_ONCE(ask_inside, KEEL_WORLD(world)) {
    (void)keel_step_why(world, &KEEL_WORKLOAD_watch, 0, keel_null(), &told_inside);
}
extern const keel_workload *const itself;
KEEL_SYSTEM_ONCE(ask_itself, KEEL_WORLD(world)) {
    (void)keel_step_why(world, itself, 0, keel_null(), &told_inside);
}
KEEL_WORKLOAD(asks_itself, KEEL_STEP(ask_itself));
const keel_workload *const itself = &KEEL_WORKLOAD_asks_itself;
static keel_result ask_in_run(keel_context *context) {
    (void)context;
    (void)keel_step_why(f.world, &KEEL_WORKLOAD_watch, 0, keel_null(), &told_inside);
    return KEEL_OK;
}
static const keel_system asker = {
    .name = "asker",
    .kind = KEEL_SYSTEM_PER_RUN,
    .function = ask_in_run,
    .terms = (const keel_term[]){ { .kind = KEEL_TERM_END } },
};

static void misuse_is_told(void **state) {
    (void)state;
    api_begin(&f);
    keel_why why;
    uint32_t left;
    assert_false(keel_step_why(f.world, &KEEL_WORKLOAD_watch, 4, keel_null(), &why));
    assert_int_equal(why.kind, KEEL_WHY_NO_STEP);
    assert_non_null(strstr(why.text, "no system at position 4"));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "from 0 to 3");
    assert_int_equal(keel_step_counts(f.world, &KEEL_WORKLOAD_watch, UINT32_MAX, NULL, &left, 1),
                     0);
    keel_clear_errors(f.world);
    assert_false(keel_step_why(f.world, NULL, 0, keel_null(), &why));
    assert_int_equal(why.kind, KEEL_WHY_NO_STEP);
    keel_clear_errors(f.world);

    const keel_step step = { .system = &asker };
    const keel_workload asks = { .name = "asks", .steps = &step, .step_count = 1 };
    told_inside.kind = KEEL_WHY_MATCHES;
    assert_int_equal(keel_run_workload_of(f.world, &asks, NULL), KEEL_OK);
    assert_int_equal(told_inside.kind, KEEL_WHY_NO_STEP);
    assert_error(f.world, KEEL_ERROR_SHARED, NULL);
    assert_int_equal(keel_run(f.world, ask_inside), KEEL_OK); // has the whole world
    assert_int_equal(told_inside.kind, KEEL_WHY_DEAD);
    assert_no_error(f.world);
    assert_int_equal(keel_run_workload(f.world, asks_itself), KEEL_OK);
    assert_int_equal(told_inside.kind, KEEL_WHY_NO_STEP);
    assert_error(f.world, KEEL_ERROR_SHARED, "while it runs");
    assert_int_equal(ask(itself, 0, keel_null()).kind, KEEL_WHY_STEP_ONCE);
    api_end(&f);
}

// ------------------------------------------------------------------ watching steps
typedef struct seen_steps {
    keel_entity e;
    char text[200]; // the names, and the value of the entity after each
} seen_steps;

static void note_step(const keel_world *world, const keel_step_end *end, void *data) {
    seen_steps *seen = data;
    const Number *number = keel_get(world, seen->e, Number);
    const size_t length = strlen(seen->text);
    snprintf(seen->text + length, sizeof seen->text - length, "%s%s@%u=%d ", end->system,
             end->is_commands ? "!" : "", (unsigned)end->position,
             number ? (int)number->value : -1);
}

KEEL_SYSTEM(plus_one, KEEL_WRITE(Number, n)) { n->value += 1; }
KEEL_SYSTEM(times_ten, KEEL_WRITE(Number, n)) { n->value *= 10; }
KEEL_SYSTEM(by_commands, KEEL_READ(Number, n), KEEL_ENTITY(e), KEEL_COMMANDS(c, Number)) {
    keel_add(c, e, Number, { n->value + 5 });
}
KEEL_CONDITION(not_now) { return false; }
KEEL_WORKLOAD(in_order, KEEL_STEP(plus_one), KEEL_STEP(times_ten, .parallel = true),
              KEEL_STEP(plus_one, .run_if = KEEL_IF(not_now)), KEEL_STEP(by_commands));

static void each_part_of_a_workload_is_told_with_the_world_as_it_left_it(void **state) {
    (void)state;
    for (uint32_t workers = 1; workers <= 4; workers *= 2) {
        api_fixture g;
        api_begin_workers(&g, workers);
        seen_steps seen = { .e = keel_add_entity(g.world, KEEL_INIT(Number, 1)) };
        assert_int_equal(keel_watch_steps(g.world, note_step, &seen), KEEL_OK);
        assert_int_equal(keel_run_workload(g.world, in_order), KEEL_OK);
        assert_string_equal(seen.text,
                            "plus_one@0=2 times_ten@1=20 by_commands@3=20 by_commands!@3=25 ");
        assert_int_equal(keel_watch_steps(g.world, NULL, NULL), KEEL_OK);
        assert_int_equal(keel_run_workload(g.world, in_order), KEEL_OK);
        assert_int_equal(keel_get(g.world, seen.e, Number)->value, 265);
        api_end(&g);
    }
}

static void a_count_in_slices_adds_up_to_that_of_all(void **state) {
    (void)state;
    api_fixture g;
    api_begin(&g);
    for (uint32_t i = 0; i < 50; ++i)
        keel_delete_entity(g.world, keel_add_entity(g.world, KEEL_INIT(Number, 1)));
    for (uint32_t i = 0; i < 200; ++i)
        if (i % 3) keel_add_entity(g.world, KEEL_INIT(Number, 1));
        else keel_add_entity(g.world, KEEL_INIT(Other, 1));
    uint32_t all[1], left[1];
    assert_int_equal(keel_step_counts(g.world, &KEEL_WORKLOAD_in_order, 0, NULL, all, 1), 1);
    for (uint32_t most = 1; most < 300; most += most < 10 ? 1 : 50) {
        keel_count_slice slice = { .max_visits = most };
        uint32_t sum = 0, visits = 0;
        while (!slice.is_finished) {
            assert_int_equal(keel_step_counts(g.world, &KEEL_WORKLOAD_in_order, 0, &slice, left, 1),
                             1);
            assert_true(slice.visits <= most);
            sum += left[0];
            visits += slice.visits;
        }
        assert_int_equal(sum, all[0]);
        assert_int_equal(visits, 200);
    }
    api_end(&g);
}

static const struct CMUnitTest tests[] = {
    TEST(each_part_of_a_workload_is_told_with_the_world_as_it_left_it,
         "keel_watch_steps is called after each part, with the values it left"),
    TEST(a_count_in_slices_adds_up_to_that_of_all, "a count can be cut into slices"),
    TEST(changes_are_those_since_the_last_run, "changes are those since the last run"),
    TEST(what_is_told_is_what_is_visited, "what is told is what the system then visits"),
    TEST(conditions_count_as_they_were_last_asked, "conditions count as they were last asked"),
    TEST(what_leaves_a_step_out_is_told, "what leaves a step out is told"),
    TEST(a_state_leaves_a_step_out, "a state leaves a step out"),
    TEST(waiting_events_are_counted, "waiting events are counted, and none is received"),
    TEST(a_stored_workload_is_asked, "a stored workload is asked, with its own periods"),
    TEST(misuse_is_told, "a wrong position and a running workload are told"),
};
int main(void) { return RUN(tests); }
