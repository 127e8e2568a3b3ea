// SPDX-License-Identifier: MIT
// Players who are gone: all others agree on the last frame, whoever dies, and when.
#include "net_game.h"

#include <keel_session.h>

static const keel_session_desc quick = { .timeout_ms = 400, .check_every = 10 };

// Cuts a machine off and stops it.
static void kill(uint32_t i) {
    machines[i].is_stopped = true;
    for (uint32_t k = 0; k < MACHINES; ++k)
        keel_loopback_cut(network, i, k, true);
}

// Asserts that the machines left play on together, and that they agree on the frame in which `gone`
// left.
static void assert_they_go_on(uint32_t count, uint32_t gone_bits) {
    net_run_wild(60, 77);
    const keel_session_event *first = NULL;
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < count; ++i) {
        if (gone_bits >> i & 1) continue;
        if (least == UINT32_MAX) least = i;
        assert_true(status_of(i).is_playing);
        assert_false(status_of(i).is_waiting);
        (void)assert_same_game(least, i);
        const keel_session_event *left = event_of(i, KEEL_SESSION_LEFT);
        assert_non_null(left);
        if (first && first->player == left->player) assert_int_equal(left->frame, first->frame);
        first = left;
    }
    const uint64_t checked = status_of(least).checked;
    net_run_wild(60, 78);
    if (count - 1 > 1) assert_true(status_of(least).checked > checked); // their worlds are the same
}

static void two_machines_one_dies(void **unused) {
    (void)unused;
    net_start(&(keel_loopback_desc){ .delay_ms = 40 }, 2, &quick);
    net_run_wild(100, 1);
    kill(1);
    net_run(60);
    assert_non_null(event_of(0, KEEL_SESSION_LEFT));
    const uint64_t then = status_of(0).frame;
    net_run(30);
    assert_int_equal(status_of(0).frame, then + 30);
    assert_int_equal(machines[0].seen[then + 10].state[1], KEEL_INPUT_GONE);
    assert_int_equal(machines[0].seen[then + 10].pad[1].x, 0);
    net_end();
}

static void who_leaves_says_so(void **unused) {
    (void)unused;
    net_start(&(keel_loopback_desc){ .delay_ms = 40 }, 3, &quick);
    net_run_wild(100, 2);
    net_end_machine(&machines[1]);
    net_run_wild(15, 3); // less than the timeout
    assert_non_null(event_of(0, KEEL_SESSION_LEFT));
    assert_non_null(event_of(2, KEEL_SESSION_LEFT));
    assert_int_equal(event_of(0, KEEL_SESSION_LEFT)->frame, event_of(2, KEEL_SESSION_LEFT)->frame);
    net_run_wild(60, 4);
    (void)assert_same_game(0, 2);
    net_end();
}

static void a_machine_dies_at_any_moment(void **unused) {
    (void)unused;
    for (uint32_t count = 3; count <= 5; ++count)
        for (uint32_t moment = 0; moment < 24; ++moment) {
            const keel_loopback_desc weather = {
                .delay_ms = 50, .jitter_ms = 30, .loss = 0.1F, .seed = moment
            };
            net_start(&weather, count, &quick);
            net_run_wild(60 + moment, moment);
            const uint32_t who = moment % count;
            kill(who);
            net_run_wild(70, moment);
            assert_they_go_on(count, 1u << who);
            net_end();
        }
}

static void two_die_at_once(void **unused) {
    (void)unused;
    for (uint32_t moment = 0; moment < 20; ++moment) {
        const keel_loopback_desc weather = {
            .delay_ms = 40, .jitter_ms = 30, .loss = 0.05F, .seed = moment
        };
        net_start(&weather, 5, &quick);
        net_run_wild(60 + moment, moment);
        const uint32_t first = moment % 5, second = (moment / 5 + first + 1) % 5;
        kill(first);
        net_run_wild(moment % 4, moment);
        if (second != first) kill(second);
        net_run_wild(110, moment);
        assert_they_go_on(5, 1u << first | 1u << second);
        net_end();
    }
}

// Machine 3 dies, and machine 0, which leads the agreement, some steps after it noticed: before it
// asks, while it waits for answers, and when its decision reached some of the others only.
static void the_leader_dies_while_it_leads(void **unused) {
    (void)unused;
    for (uint32_t wait = 0; wait < 30; ++wait) {
        const keel_loopback_desc weather = {
            .delay_ms = 60, .jitter_ms = 60, .loss = 0.1F, .seed = wait
        };
        net_start(&weather, 5, &quick);
        net_run_wild(60, wait);
        kill(3);
        net_run_wild(18 + wait, wait);
        kill(0);
        net_run_wild(130, wait);
        assert_they_go_on(5, 1u << 3 | 1u);
        net_end();
    }
}

static void inputs_are_passed_on_between_two_that_do_not_hear_each_other(void **unused) {
    (void)unused;
    net_start(&(keel_loopback_desc){ .delay_ms = 20 }, 3,
              &(keel_session_desc){ .timeout_ms = 3000, .check_every = 10, .max_rollback = 12 });
    net_run_wild(60, 5);
    keel_loopback_cut(network, 1, 2, true);
    net_run_wild(600, 6); // ten seconds
    assert_null(event_of(1, KEEL_SESSION_LEFT));
    assert_null(event_of(2, KEEL_SESSION_LEFT));
    assert_true(assert_same_game(1, 2) > 500);
    net_end();
}

static void a_player_can_be_dropped(void **unused) {
    (void)unused;
    net_start(&(keel_loopback_desc){ .delay_ms = 20 }, 3, &quick);
    net_run_wild(60, 7);
    assert_int_equal(keel_session_drop(machines[0].session, 2), KEEL_OK);
    assert_int_equal(keel_session_drop(machines[0].session, 0), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_session_drop(machines[0].session, 9), KEEL_ERROR_ARGUMENT);
    net_run_wild(60, 8);
    assert_non_null(event_of(0, KEEL_SESSION_LEFT));
    assert_non_null(event_of(1, KEEL_SESSION_LEFT));
    assert_non_null(event_of(2, KEEL_SESSION_DROPPED));
    assert_true(event_of(2, KEEL_SESSION_DROPPED)->text[0] != '\0');
    assert_false(status_of(2).is_playing);
    (void)assert_same_game(0, 1);
    assert_int_equal(keel_session_drop(machines[0].session, 2), KEEL_ABSENT);
    net_end();
}

static void a_machine_that_slept_is_told_that_the_others_went_on(void **unused) {
    (void)unused;
    net_start(&(keel_loopback_desc){ .delay_ms = 20 }, 3, &quick);
    net_run_wild(60, 9);
    machines[1].is_stopped = true;
    net_run_wild(120, 10);
    machines[1].is_stopped = false;
    net_run_wild(30, 11);
    assert_non_null(event_of(1, KEEL_SESSION_DROPPED));
    assert_true(status_of(0).is_playing);
    (void)assert_same_game(0, 2);
    net_end();
}

static void halves_of_a_net_play_on_and_the_lower_one_wins_when_it_mends(void **unused) {
    (void)unused;
    net_start(&(keel_loopback_desc){ .delay_ms = 20 }, 4, &quick);
    net_run_wild(60, 12);
    for (uint32_t a = 0; a < 2; ++a)
        for (uint32_t b = 2; b < 4; ++b)
            keel_loopback_cut(network, a, b, true);
    net_run_wild(120, 13);
    for (uint32_t i = 0; i < 4; ++i)
        assert_true(status_of(i).is_playing);
    (void)assert_same_game(0, 1);
    (void)assert_same_game(2, 3);
    for (uint32_t a = 0; a < 2; ++a)
        for (uint32_t b = 2; b < 4; ++b)
            keel_loopback_cut(network, a, b, false);
    net_run_wild(60, 14);
    assert_true(status_of(0).is_playing && status_of(1).is_playing);
    net_end();
}

static void for_debuggers_nobody_is_dropped(void **unused) {
    (void)unused;
    net_start(&(keel_loopback_desc){ .delay_ms = 20 }, 2,
              &(keel_session_desc){ .timeout_ms = KEEL_SESSION_NEVER });
    net_run_wild(60, 15);
    machines[1].is_stopped = true; // a breakpoint of a minute
    net_run_wild(3600, 16);
    assert_non_null(event_of(0, KEEL_SESSION_SILENT));
    machines[1].is_stopped = false;
    net_run_wild(200, 17);
    assert_non_null(event_of(0, KEEL_SESSION_HEARD));
    assert_null(event_of(0, KEEL_SESSION_LEFT));
    assert_true(assert_same_game(0, 1) > 150);
    net_end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_machines_one_dies),
        cmocka_unit_test(who_leaves_says_so),
        cmocka_unit_test(a_machine_dies_at_any_moment),
        cmocka_unit_test(two_die_at_once),
        cmocka_unit_test(the_leader_dies_while_it_leads),
        cmocka_unit_test(inputs_are_passed_on_between_two_that_do_not_hear_each_other),
        cmocka_unit_test(a_player_can_be_dropped),
        cmocka_unit_test(a_machine_that_slept_is_told_that_the_others_went_on),
        cmocka_unit_test(halves_of_a_net_play_on_and_the_lower_one_wins_when_it_mends),
        cmocka_unit_test(for_debuggers_nobody_is_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
