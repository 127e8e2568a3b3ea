// SPDX-License-Identifier: MIT
// The rules of a session in time: prediction, going back, waiting, pace, delays, pauses, sounds.
#include "net_game.h"

#include <keel_session.h>

static const keel_loopback_desc calm = { .delay_ms = 50 };
static const keel_session_desc usual = { .max_rollback = 8 };

static void two_machines_play_the_same_game(void **unused) {
    (void)unused;
    net_start(
        &(keel_loopback_desc){ .delay_ms = 60, .jitter_ms = 20, .loss = 0.1F, .duplicates = 0.05F },
        2, &usual);
    net_run_wild(900, 1);
    assert_true(assert_same_game(0, 1) > 800);
    assert_true(status_of(0).checked > 700);
    assert_true(status_of(0).replayed > 100);
    assert_non_null(event_of(0, KEEL_SESSION_STARTED));
    net_end();
}

static void eight_machines_play_the_same_game(void **unused) {
    (void)unused;
    net_start(&(keel_loopback_desc){ .delay_ms = 40, .loss = 0.05F, .seed = 3 }, 8, &usual);
    net_run_wild(500, 2);
    for (uint32_t i = 1; i < 8; ++i)
        assert_true(assert_same_game(0, i) > 350);
    assert_true(status_of(7).checked > 300);
    net_end();
}

static void a_prediction_repeats_the_last_known_input(void **unused) {
    (void)unused;
    net_start(&calm, 2, &(keel_session_desc){ .input_delay = KEEL_SESSION_NO_DELAY });
    machines[1].pad = (Pad){ .x = 3 };
    net_run(60);
    const uint64_t now = status_of(0).frame;
    const seen_frame *last = &machines[0].seen[now - 1];
    assert_int_equal(last->state[1], KEEL_INPUT_PREDICTED);
    assert_int_equal(last->pad[1].x, 3);
    assert_int_equal(last->state[0], KEEL_INPUT_CONFIRMED);
    assert_true(status_of(0).confirmed < now);
    net_end();
}

static void a_wrong_prediction_is_played_again_in_the_same_advance(void **unused) {
    (void)unused;
    net_start(&calm, 2, &(keel_session_desc){ .input_delay = KEEL_SESSION_NO_DELAY });
    net_run(60);
    const uint64_t before = status_of(0).replayed, pressed = status_of(1).frame;
    machines[1].pad.x = 1;
    net_run(1);
    assert_int_equal(status_of(0).replayed, before);
    for (uint32_t i = 0; i < 20 && status_of(0).replayed == before; ++i)
        net_run(1);
    assert_true(status_of(0).replayed > before);
    assert_int_equal(machines[0].seen[pressed].pad[1].x, 1);
    assert_int_equal(machines[0].seen[status_of(0).frame - 1].pad[1].x, 1); // up to the present
    assert_true(machines[0].seen[pressed].times == 2);
    net_end();
}

static void a_right_prediction_costs_nothing(void **unused) {
    (void)unused;
    net_start(&calm, 2, &usual);
    net_run(300);
    assert_int_equal(status_of(0).replayed, 0);
    assert_int_equal(machines[0].seen[100].times, 1);
    net_end();
}

static void a_session_waits_when_too_many_frames_are_not_confirmed(void **unused) {
    (void)unused;
    net_start(&calm, 2, &usual);
    net_run(60);
    keel_loopback_set(network, &(keel_loopback_desc){ .delay_ms = 400 });
    for (uint32_t i = 0; i < 120; ++i) {
        net_run(1);
        assert_true(status_of(0).frame <= status_of(0).confirmed + 8);
    }
    assert_non_null(event_of(0, KEEL_SESSION_WAITING));
    assert_int_equal(event_of(0, KEEL_SESSION_WAITING)->player, 1);
    const uint64_t then = status_of(0).frame;
    net_run(120); // it still sends, and gets on
    assert_true(status_of(0).frame > then + 20);
    keel_loopback_set(network, &calm);
    net_run(120);
    assert_non_null(event_of(0, KEEL_SESSION_RESUMED));
    assert_false(status_of(0).is_waiting);
    assert_true(assert_same_game(0, 1) > 100);
    net_end();
}

static void lockstep_plays_when_all_inputs_are_there(void **unused) {
    (void)unused;
    net_start(&(keel_loopback_desc){ .delay_ms = 30 }, 2,
              &(keel_session_desc){ .max_rollback = KEEL_SESSION_LOCKSTEP, .input_delay = 3 });
    net_run_wild(300, 3);
    assert_int_equal(status_of(0).replayed, 0);
    assert_true(status_of(0).frame > 250);
    assert_true(assert_same_game(0, 1) > 250);
    assert_true(status_of(0).checked > 200);
    for (uint64_t f = 0; f < status_of(0).frame; ++f)
        assert_int_equal(machines[0].seen[f].state[1], KEEL_INPUT_CONFIRMED);
    net_end();
}

static void clocks_that_drift_stay_together(void **unused) {
    (void)unused;
    net_start(&calm, 2, &usual);
    machines[0].speed = 1.002;
    machines[1].speed = 0.998;
    for (uint32_t i = 0; i < 20; ++i) { // a minute; without pace they would be 14 frames apart
        net_run(180);
        const int64_t apart = (int64_t)status_of(0).frame - (int64_t)status_of(1).frame;
        assert_true(apart > -4 && apart < 4);
    }
    assert_int_equal(status_of(0).waits, 0);
    net_end();
}

static void after_a_pause_two_frames_are_played_at_a_time(void **unused) {
    (void)unused;
    net_start(&calm, 2, &usual);
    net_run(120);
    machines[1].is_stopped = true;
    net_run(180);
    machines[1].is_stopped = false;
    for (uint32_t i = 0; i < 10; ++i) {
        const uint64_t before = status_of(1).frame;
        playing = &machines[1];
        keel_loopback_advance(network, 1.0 / 60);
        (void)keel_session_advance(machines[1].session, i ? 1.0 / 60 : 3.0);
        assert_true(status_of(1).frame <= before + 2);
    }
    net_run(120);
    assert_true(assert_same_game(0, 1) > 200);
    assert_true(status_of(1).is_playing);
    net_end();
}

static void a_delay_may_change_at_any_time(void **unused) {
    (void)unused;
    net_start(&calm, 2, &(keel_session_desc){ .input_delay = 2 });
    net_run(60);
    assert_int_equal(status_of(0).player[0].delay, 2);
    machines[0].pad.x = 5;
    assert_int_equal(keel_session_set_delay(machines[0].session, 0, 6), KEEL_OK);
    const uint64_t now = status_of(0).frame;
    net_run(1);
    for (uint64_t f = now + 3; f <= now + 6; ++f) { // the gap repeats the input
        net_run(1);
        assert_true(status_of(0).player[0].known > f);
    }
    machines[0].pad.x = 7;
    assert_int_equal(keel_session_set_delay(machines[0].session, 0, 0), KEEL_OK);
    net_run(40);
    assert_int_equal(status_of(0).player[0].known, status_of(0).frame);
    assert_int_equal(keel_session_set_delay(machines[0].session, 1, 2), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_session_set_delay(machines[0].session, 0, 33), KEEL_ERROR_ARGUMENT);
    net_run_wild(100, 4);
    assert_true(assert_same_game(0, 1) > 150);
    net_end();
}

static void a_sound_starts_once_and_is_undone_if_it_did_not_happen(void **unused) {
    (void)unused;
    net_start(&calm, 2, &(keel_session_desc){ .input_delay = KEEL_SESSION_NO_DELAY });
    net_run(60);
    machines[1].pad.aim = 9; // a sound in each frame
    net_run(30);
    machines[1].pad.aim = 0; // machine 0 goes on to predict it for some frames
    net_run(30);
    uint32_t sounds = 0;
    for (uint64_t f = 0; f < status_of(0).confirmed && f < status_of(0).frame; ++f)
        sounds += machines[0].seen[f].pad[1].aim == 9;
    assert_in_range(sounds, 25, 31);
    assert_true(machines[0].once_undone > 0);
    assert_int_equal(machines[0].once_new - machines[0].once_undone, sounds);
    assert_int_equal(machines[1].once_undone, 0);
    assert_int_equal(machines[1].once_new, sounds);
    net_end();
}

static void two_may_play_at_one_machine(void **unused) {
    (void)unused;
    net_begin(&calm);
    const keel_session_desc desc = { .players = 3, .local_players = 2 };
    machine *a = net_machine(0, &desc), *b = net_machine(1, &(keel_session_desc){ .players = 3 });
    assert_int_equal(keel_session_listen(a->session, 0), KEEL_OK);
    assert_int_equal(keel_session_connect(b->session, "0", 0), KEEL_OK);
    net_run(30);
    assert_int_equal(status_of(1).local_player, 2);
    const Pad second = { .x = 4 };
    assert_int_equal(keel_session_give_input(a->session, 1, &second), KEEL_OK);
    assert_int_equal(keel_session_give_input(a->session, 2, &second), KEEL_ERROR_ARGUMENT);
    net_run(60);
    assert_int_equal(machines[1].seen[60].pad[1].x, 4);
    assert_true(assert_same_game(0, 1) > 60);
    net_end();
}

static void worlds_with_any_number_of_workers_play_the_same(void **unused) {
    (void)unused;
    net_start(&calm, 2, &usual);
    net_run_wild(30, 5);
    net_end();
    for (uint32_t workers = 2; workers <= 16; workers *= 4) {
        net_begin(&calm);
        for (uint32_t i = 0; i < 2; ++i) {
            machine *m = net_machine(i, &(keel_session_desc){ .players = 2 });
            if (!i) continue;
            keel_session_end(m->session); // once more, with more workers
            keel_world_destroy(m->world);
            m->world = keel_world_create(&(keel_world_desc){ .worker_count = workers });
            keel_register(m->world, Ship, Shot);
            for (uint32_t k = 0; k < 8; ++k) {
                char name[16];
                snprintf(name, sizeof name, "ship %u", (unsigned)k);
                keel_set_name(m->world,
                              keel_add_entity(m->world, KEEL_INIT(Ship, { (float)k, 0, k, 0, 0 })),
                              name);
            }
            m->desc.error = NULL;
            m->session = keel_session_begin(m->world, &m->desc);
            assert_non_null(m->session);
        }
        assert_int_equal(keel_session_listen(machines[0].session, 0), KEEL_OK);
        assert_int_equal(keel_session_connect(machines[1].session, "0", 0), KEEL_OK);
        net_run_wild(200, 6);
        assert_true(assert_same_game(0, 1) > 150);
        assert_true(status_of(0).checked > 120);
        net_end();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_machines_play_the_same_game),
        cmocka_unit_test(eight_machines_play_the_same_game),
        cmocka_unit_test(a_prediction_repeats_the_last_known_input),
        cmocka_unit_test(a_wrong_prediction_is_played_again_in_the_same_advance),
        cmocka_unit_test(a_right_prediction_costs_nothing),
        cmocka_unit_test(a_session_waits_when_too_many_frames_are_not_confirmed),
        cmocka_unit_test(lockstep_plays_when_all_inputs_are_there),
        cmocka_unit_test(clocks_that_drift_stay_together),
        cmocka_unit_test(after_a_pause_two_frames_are_played_at_a_time),
        cmocka_unit_test(a_delay_may_change_at_any_time),
        cmocka_unit_test(a_sound_starts_once_and_is_undone_if_it_did_not_happen),
        cmocka_unit_test(two_may_play_at_one_machine),
        cmocka_unit_test(worlds_with_any_number_of_workers_play_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
