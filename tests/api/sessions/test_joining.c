// SPDX-License-Identifier: MIT
// How machines meet, join a running game, come back and watch; and who is refused, with which
// words.
#include "net_game.h"

#include <keel_session.h>
#include <math.h>

static const keel_loopback_desc calm = { .delay_ms = 40 };

static void join(uint32_t i, const keel_session_desc *desc) {
    machine *m = net_machine(i, desc);
    assert_int_equal(keel_session_connect(m->session, "0", 0), KEEL_OK);
}

static void assert_refused(uint32_t i, const char *part) {
    net_run(60);
    const keel_session_event *e = event_of(i, KEEL_SESSION_REFUSED);
    assert_non_null(e);
    if (!strstr(e->text, part)) fail_msg("'%s' does not have '%s'", e->text, part);
    assert_false(status_of(i).is_playing);
}

static void a_player_joins_a_running_game(void **unused) {
    (void)unused;
    net_start(&calm, 2,
              &(keel_session_desc){ .players = 3, .start_players = 2, .check_every = 10 });
    net_run_wild(200, 1);
    const uint64_t waits = status_of(0).waits;
    join(2, &(keel_session_desc){ .players = 3, .check_every = 10 });
    net_run_wild(150, 2);
    assert_int_equal(status_of(2).local_player, 2);
    assert_true(status_of(2).is_playing);
    const keel_session_event *here = event_of(2, KEEL_SESSION_JOINED),
                             *there = event_of(0, KEEL_SESSION_JOINED);
    assert_non_null(here);
    assert_non_null(there);
    assert_int_equal(here->frame, there->frame);
    assert_int_equal(there->player, 2);
    assert_true(status_of(0).waits <= waits + 2); // nobody waits for who joins
    (void)assert_same_game(0, 1);
    (void)assert_same_game(0, 2);
    assert_int_equal(machines[0].seen[there->frame - 1].state[2], KEEL_INPUT_GONE);
    assert_true(machines[0].seen[there->frame].state[2] != KEEL_INPUT_GONE);
    const uint64_t checked = status_of(2).checked;
    net_run_wild(60, 3);
    assert_true(status_of(2).checked > checked);
    net_end();
}

static void seven_players_join_one_after_the_other(void **unused) {
    (void)unused;
    const keel_session_desc desc = { .players = 8, .start_players = 1, .check_every = 10 };
    net_start(&(keel_loopback_desc){ .delay_ms = 30, .loss = 0.1F }, 1, &desc);
    net_run_wild(60, 4);
    for (uint32_t i = 1; i < 8; ++i) {
        join(i, &desc);
        net_run_wild(150, 5 + i);
    }
    for (uint32_t i = 0; i < 8; ++i) {
        assert_true(status_of(i).is_playing);
        (void)assert_same_game(0, i);
    }
    net_end();
}

static void a_player_comes_back_after_a_crash(void **unused) {
    (void)unused;
    const keel_session_desc desc = { .players = 2, .timeout_ms = 400, .check_every = 10 };
    net_start(&calm, 2, &desc);
    net_run_wild(100, 1);
    machines[1].is_stopped = true;
    net_run_wild(60, 2);
    assert_non_null(event_of(0, KEEL_SESSION_LEFT));
    join(2, &desc);
    net_run_wild(150, 3);
    assert_int_equal(status_of(2).local_player, 1); // the place of before
    assert_true(status_of(2).is_playing);
    (void)assert_same_game(0, 2);
    assert_true(status_of(2).checked > 0);
    net_end();
}

static void a_player_joins_while_another_one_dies(void **unused) {
    (void)unused;
    for (uint32_t moment = 0; moment < 40; moment += 2) {
        const keel_session_desc desc = {
            .players = 4, .start_players = 3, .timeout_ms = 400, .check_every = 10
        };
        net_start(
            &(keel_loopback_desc){ .delay_ms = 40, .jitter_ms = 20, .loss = 0.05F, .seed = moment },
            3, &desc);
        net_run_wild(100, moment);
        join(3, &desc);
        net_run_wild(moment, moment);
        machines[1].is_stopped = true;
        net_run_wild(260, moment);
        (void)assert_same_game(0, 2);
        assert_false(status_of(0).is_waiting);
        if (status_of(3).is_playing) (void)assert_same_game(0, 3);
        else assert_true(event_of(3, KEEL_SESSION_REFUSED) || event_of(3, KEEL_SESSION_DROPPED));
        net_end();
    }
}

static void who_joins_dies_at_any_moment(void **unused) {
    (void)unused;
    for (uint32_t moment = 0; moment < 60; moment += 3) {
        const keel_session_desc desc = {
            .players = 3, .start_players = 2, .timeout_ms = 400, .check_every = 10
        };
        net_start(&calm, 2, &desc);
        net_run_wild(100, moment);
        join(2, &desc);
        net_run_wild(moment, moment);
        machines[2].is_stopped = true;
        net_run_wild(150, moment);
        (void)assert_same_game(0, 1);
        assert_false(status_of(0).is_waiting);
        const uint64_t then = status_of(0).frame;
        net_run(30);
        assert_true(status_of(0).frame > then + 20);
        net_end();
    }
}

static void spectators_see_confirmed_frames(void **unused) {
    (void)unused;
    const keel_session_desc desc = {
        .players = 2, .takes_spectators = true, .spectator_delay = 30, .check_every = 10
    };
    net_start(&calm, 2, &desc);
    const keel_session_desc watch = { .players = 2, .spectates = true, .check_every = 10 };
    join(2, &watch); // before the game begins
    net_run_wild(200, 1);
    join(3, &watch); // in its middle
    net_run_wild(200, 2);
    for (uint32_t i = 2; i < 4; ++i) {
        assert_true(status_of(i).frame > 300);
        assert_true(status_of(i).frame + 25 < status_of(0).frame); // held back
        assert_int_equal(status_of(i).local_player, KEEL_SESSION_NO_PLAYER);
        assert_int_equal(status_of(i).replayed, 0);
        (void)assert_same_game(0, i);
    }
    assert_int_equal(machines[2].seen[100].times, 1);
    net_end_machine(&machines[2]); // spectators come and go
    net_run_wild(60, 3);
    assert_true(status_of(3).frame > 360);
    assert_null(event_of(0, KEEL_SESSION_LEFT));
    net_end();
}

// ------------------------------------------------------------------ refusals
typedef struct Other {
    uint32_t a, b;
} Other;
KEEL_FIELDS(Other, a, b);
KEEL_COMPONENT(Other, KEEL_HAS_FIELDS(Other));

static void who_does_not_fit_is_told_why(void **unused) {
    (void)unused;
    net_start(&calm, 1, &(keel_session_desc){ .players = 2, .start_players = 2 });
    join(1, &(keel_session_desc){ .players = 2, .input_size = 8 });
    assert_refused(1, "an input has 8 bytes here, 4 there");
    join(2, &(keel_session_desc){ .players = 2, .rate = 30 });
    assert_refused(2, "30 frames a second here, 60 there");

    machine *m = net_machine(3, &(keel_session_desc){ .players = 2 });
    keel_register(m->world, Other);
    assert_int_equal(keel_session_connect(m->session, "0", 0), KEEL_OK);
    assert_refused(3, "component 'Other' is not registered there");

    join(4, &(keel_session_desc){ .players = 2, .spectates = true });
    assert_refused(4, "takes no spectators");
    join(5, &(keel_session_desc){ .players = 2 });
    net_run(60);
    assert_true(status_of(5).is_playing);
    join(6, &(keel_session_desc){ .players = 2 });
    assert_refused(6, "all places are taken");
    net_end();
}

static void a_component_of_another_size_is_named(void **unused) {
    (void)unused;
    net_start(&calm, 1, &(keel_session_desc){ .players = 2 });
    keel_component wide = *KEEL_OF(Other);
    wide.fields = NULL;
    wide.field_count = 0;
    wide.declared = NULL;
    wide.slot = NULL;
    wide.no_padding = true;
    wide.size = 12;
    assert_non_null(keel_register_component(machines[0].world, &wide));
    machine *m = net_machine(1, &(keel_session_desc){ .players = 2 });
    keel_register(m->world, Other);
    assert_int_equal(keel_session_connect(m->session, "0", 0), KEEL_OK);
    assert_refused(1, "component 'Other': 8 bytes here, 12 there");
    net_end();
}

static void other_floats_are_refused(void **unused) {
    (void)unused;
    net_start(&calm, 1, &(keel_session_desc){ .players = 2 });
    machine *m = net_machine(1, &(keel_session_desc){ .players = 2 });
    keel_session_end(m->session);
    m->session = keel_session_begin_with(m->world, &m->desc, 1);
    keel_session_event e;
    assert_true(keel_session_next_event(m->session, &e));
    assert_int_equal(e.kind, KEEL_SESSION_WARNING);
    assert_int_equal(keel_session_connect(m->session, "0", 0), KEEL_OK);
    assert_refused(1, "floating-point numbers are computed in another way there");
    net_end();
}

static void nobody_answers(void **unused) {
    (void)unused;
    net_begin(&calm);
    machine *m = net_machine(0, &(keel_session_desc){ .players = 2, .timeout_ms = 500 });
    assert_int_equal(keel_session_connect(m->session, "5", 0), KEEL_OK);
    assert_refused(0, "nothing is heard of the host");
    net_end();
}

// ------------------------------------------------------------------ arguments
static const char *begin_error(const keel_session_desc *desc) {
    static keel_error error;
    keel_session_desc d = *desc;
    keel_world *w = net_world(2);
    error = (keel_error){ 0 };
    d.error = &error;
    assert_null(keel_session_begin(w, &d));
    assert_true(error.result < 0);
    keel_world_destroy(w);
    return error.message;
}

static void wrong_descriptors_are_refused_with_a_sentence(void **unused) {
    (void)unused;
    const keel_workload *step = KEEL_WORKLOAD_OF(net_frame);
    assert_non_null(
        strstr(begin_error(&(keel_session_desc){ .input_size = 4, .players = 2 }), ".step"));
    assert_non_null(
        strstr(begin_error(&(keel_session_desc){ .step = step, .players = 2 }), ".input_size"));
    assert_non_null(
        strstr(begin_error(&(keel_session_desc){ .step = step, .input_size = 65, .players = 2 }),
               ".input_size"));
    assert_non_null(
        strstr(begin_error(&(keel_session_desc){ .step = step, .input_size = 4, .players = 9 }),
               ".players"));
    assert_non_null(strstr(begin_error(&(keel_session_desc){
                               .step = step, .input_size = 4, .players = 2, .max_rollback = 33 }),
                           ".max_rollback"));
    assert_non_null(strstr(begin_error(&(keel_session_desc){
                               .step = step, .input_size = 4, .players = 2, .input_delay = 33 }),
                           ".input_delay"));
    assert_non_null(strstr(begin_error(&(keel_session_desc){
                               .step = step, .input_size = 4, .players = 2, .rate = 1001 }),
                           ".rate"));
    assert_null(keel_session_begin_with(NULL, NULL, 0));
}

static void calls_in_a_wrong_order_change_nothing(void **unused) {
    (void)unused;
    net_start(&calm, 2, &(keel_session_desc){ .players = 2 });
    assert_int_equal(keel_session_listen(machines[0].session, 0), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_session_connect(machines[0].session, "1", 0), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_session_give_input(machines[0].session, 0, NULL), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_session_give_input(machines[0].session, 1, &machines[0].pad),
                     KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_session_advance(machines[0].session, -1), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_session_advance(machines[0].session, (double)NAN), KEEL_ERROR_ARGUMENT);
    net_run(60);
    assert_true(status_of(0).is_playing);

    keel_session_event e;
    assert_int_equal(keel_session_listen(NULL, 0), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_session_connect(NULL, "0", 0), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_session_give_input(NULL, 0, &e), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_session_advance(NULL, 0), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_session_set_delay(NULL, 0, 1), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_session_drop(NULL, 0), KEEL_ERROR_ARGUMENT);
    assert_false(keel_session_next_event(NULL, &e));
    assert_true(keel_session_once(NULL, 1));
    assert_null(keel_session_snapshot(NULL, 1));
    assert_int_equal(keel_session_status_of(NULL).local_player, KEEL_SESSION_NO_PLAYER);
    keel_session_poll(NULL);
    keel_session_end(NULL);
    net_end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_player_joins_a_running_game),
        cmocka_unit_test(seven_players_join_one_after_the_other),
        cmocka_unit_test(a_player_comes_back_after_a_crash),
        cmocka_unit_test(a_player_joins_while_another_one_dies),
        cmocka_unit_test(who_joins_dies_at_any_moment),
        cmocka_unit_test(spectators_see_confirmed_frames),
        cmocka_unit_test(who_does_not_fit_is_told_why),
        cmocka_unit_test(a_component_of_another_size_is_named),
        cmocka_unit_test(other_floats_are_refused),
        cmocka_unit_test(nobody_answers),
        cmocka_unit_test(wrong_descriptors_are_refused_with_a_sentence),
        cmocka_unit_test(calls_in_a_wrong_order_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
