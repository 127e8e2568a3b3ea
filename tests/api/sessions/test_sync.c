// SPDX-License-Identifier: MIT
// The sync test of one machine: it finds state outside of the world, systems that decide by what is
// predicted, and orders that do not come back; it names what differs.
#include "support/test.h"

#include <keel_session.h>

#include <stdio.h>
#include <string.h>

typedef struct Pad {
    uint8_t keys;
} Pad;
typedef struct Ball {
    float x;
    uint32_t hits;
} Ball;
KEEL_FIELDS(Ball, x, hits);
KEEL_COMPONENT(Ball, KEEL_HAS_FIELDS(Ball));
KEEL_TAG(Hot);

typedef enum fault { NO_FAULT, STATIC_COUNTER, DECIDES_BY_PREDICTED, FAILS } fault;
static fault planted;
static uint32_t counter;

KEEL_SYSTEM(roll, KEEL_WRITE(Ball, ball), KEEL_ENTITY(e), KEEL_UNIQUE_READ(keel_inputs, in),
            KEEL_COMMANDS(out)) {
    const Pad *pad = keel_input_of(in, keel_entity_index(e) % 2, Pad);
    ball->x += (float)pad->keys;
    if (pad->keys % 16 == 3) keel_add_entity(out, KEEL_INIT(Ball, { ball->x, 0 }));
    if (pad->keys % 16 == 5 && keel_entity_index(e) > 4) keel_delete_entity(out, e);
    if (planted == STATIC_COUNTER) ball->hits += ++counter % 100 == 0;
    if (planted == DECIDES_BY_PREDICTED) ball->hits += in->state[1] == KEEL_INPUT_PREDICTED;
}
KEEL_SYSTEM_ONCE(fails, KEEL_CONTEXT(context), KEEL_UNIQUE_READ(keel_inputs, in)) {
    if (planted == FAILS && in->frame == 30) keel_fail(context, NULL, "the ball is lost");
}
KEEL_WORKLOAD(table, KEEL_STEP(roll), KEEL_STEP(fails));

static keel_result test(fault f, keel_sync_test_report *report) {
    keel_world *w =
        keel_world_create(&(keel_world_desc){ .worker_count = 1, .log = keel_log_none });
    for (uint32_t i = 0; i < 6; ++i)
        keel_add_entity(w, KEEL_INIT(Ball, { (float)i, 0 }));
    planted = f;
    counter = 0;
    const keel_result result =
        keel_session_sync_test(w,
                               &(keel_sync_test_desc){ .step = KEEL_WORKLOAD_OF(table),
                                                       .input_size = sizeof(Pad),
                                                       .players = 2,
                                                       .frames = 200 },
                               report);
    keel_world_destroy(w);
    return result;
}

static void a_deterministic_game_passes(void **unused) {
    (void)unused;
    keel_sync_test_report report;
    const keel_result result = test(NO_FAULT, &report);
    if (result < 0) fail_msg("%s", report.text);
    assert_string_equal(report.text, "");
}

static void state_outside_of_the_world_is_named(void **unused) {
    (void)unused;
    keel_sync_test_report report;
    assert_int_equal(test(STATIC_COUNTER, &report), KEEL_ERROR_DIFFERS);
    assert_true(report.frame > 0);
    assert_non_null(strstr(report.text, "Ball.hits of "));
    assert_int_equal(test(STATIC_COUNTER, NULL), KEEL_ERROR_DIFFERS);
}

static void a_system_that_decides_by_what_is_predicted_is_found(void **unused) {
    (void)unused;
    keel_sync_test_report report;
    assert_int_equal(test(DECIDES_BY_PREDICTED, &report), KEEL_ERROR_DIFFERS);
    assert_int_equal(report.frame, 1);
    assert_string_equal(report.text, "frame 1, played again: Ball.hits of 0v0: 1 first, 0 again");
}

// ------------------------------------------------------------------ what nobody registered
typedef struct Dice {
    uint32_t state;
} Dice;
typedef struct Bounce {
    uint32_t ball;
} Bounce;
static const Dice first_dice = { 1 };
KEEL_UNIQUE(Dice, .initial = &first_dice, .no_padding = true);
KEEL_EVENT(Bounce, .no_padding = true);
typedef struct Surprise {
    uint32_t size;
} Surprise;
static const Surprise small = { 1 };
KEEL_UNIQUE(Surprise, .initial = &small, .no_padding = true);

KEEL_SYSTEM(throw, KEEL_WRITE(Ball, ball), KEEL_UNIQUE_WRITE(Dice, dice), KEEL_SEND(Bounce, out)) {
    ball->x += (float)(dice->state % 7);
    dice->state = dice->state * 1664525u + 1013904223u;
    if (dice->state >> 30 == 0) keel_send(out, Bounce, { ball->hits });
}
KEEL_SYSTEM_ONCE(surprise, KEEL_WORLD(world), KEEL_UNIQUE_READ(keel_inputs, in)) {
    if (in->frame == 20) keel_get_unique_mut(world, Surprise)->size = 2;
}
KEEL_WORKLOAD(dice_game, KEEL_STEP(throw));
KEEL_WORKLOAD(surprising_game, KEEL_STEP(throw), KEEL_STEP(surprise));

static keel_result test_unregistered(const keel_workload *step, keel_sync_test_report *report) {
    keel_world *w = keel_world_create(NULL);
    (void)keel_add_entity(w, KEEL_INIT(Ball, { 0, 0 }));
    const keel_sync_test_desc desc = { .step = step, .input_size = 1, .players = 1, .frames = 60 };
    const keel_result result = keel_session_sync_test(w, &desc, report);
    assert_non_null(keel_find_component(w, "Dice"));
    assert_non_null(keel_find_component(w, "Bounce"));
    keel_world_destroy(w);
    return result;
}

static void what_the_workload_uses_is_registered_before(void **unused) {
    (void)unused;
    keel_sync_test_report report;
    const keel_result result = test_unregistered(KEEL_WORKLOAD_OF(dice_game), &report);
    if (result < 0) fail_msg("%s", report.text);
}

static void what_becomes_known_in_a_frame_is_named(void **unused) {
    (void)unused;
    keel_sync_test_report report;
    assert_int_equal(test_unregistered(KEEL_WORKLOAD_OF(surprising_game), &report),
                     KEEL_ERROR_DIFFERS);
    assert_string_equal(report.text, "frame 13, played again: 'Surprise' became known while the "
                                     "game was played; register it before");
}

static void a_step_that_fails_ends_the_test(void **unused) {
    (void)unused;
    keel_sync_test_report report;
    assert_int_equal(test(FAILS, &report), KEEL_ERROR_SYSTEM);
    assert_non_null(strstr(report.text, "the ball is lost"));
}

static void wrong_arguments_are_refused(void **unused) {
    (void)unused;
    keel_sync_test_report report;
    assert_int_equal(keel_session_sync_test(NULL, NULL, &report), KEEL_ERROR_ARGUMENT);
    keel_world *w = keel_world_create(NULL);
    keel_sync_test_desc desc = { .step = KEEL_WORKLOAD_OF(table), .input_size = 0, .players = 2 };
    assert_int_equal(keel_session_sync_test(w, &desc, &report), KEEL_ERROR_ARGUMENT);
    desc.input_size = 1;
    desc.players = 9;
    assert_int_equal(keel_session_sync_test(w, &desc, &report), KEEL_ERROR_ARGUMENT);
    desc.players = 2;
    desc.max_rollback = 33;
    assert_int_equal(keel_session_sync_test(w, &desc, &report), KEEL_ERROR_ARGUMENT);
    assert_true(report.text[0] != '\0');
    keel_world_destroy(w);
}

static void press(void *data, uint64_t frame, uint32_t player, void *input) {
    uint32_t *calls = data;
    ++*calls;
    ((Pad *)input)->keys = (uint8_t)(frame + player);
}

static void the_test_plays_the_inputs_that_it_is_given(void **unused) {
    (void)unused;
    keel_world *w = keel_world_create(&(keel_world_desc){ .worker_count = 1 });
    keel_add_entity(w, KEEL_INIT(Ball, { 0, 0 }));
    uint32_t calls = 0;
    planted = NO_FAULT;
    const keel_sync_test_desc desc = { .step = KEEL_WORKLOAD_OF(table),
                                       .input_size = 1,
                                       .players = 2,
                                       .frames = 3,
                                       .input = press,
                                       .data = &calls };
    assert_int_equal(keel_session_sync_test(w, &desc, NULL), KEEL_OK);
    assert_int_equal(calls, 6);
    assert_true(keel_get(w, keel_entity_at(w, 0), Ball)->x == 0 + 1 + 2);
    keel_world_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_deterministic_game_passes),
        cmocka_unit_test(state_outside_of_the_world_is_named),
        cmocka_unit_test(a_system_that_decides_by_what_is_predicted_is_found),
        cmocka_unit_test(what_the_workload_uses_is_registered_before),
        cmocka_unit_test(what_becomes_known_in_a_frame_is_named),
        cmocka_unit_test(a_step_that_fails_ends_the_test),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(the_test_plays_the_inputs_that_it_is_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
