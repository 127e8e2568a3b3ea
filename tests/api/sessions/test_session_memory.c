// SPDX-License-Identifier: MIT
// A session runs out of memory at each allocation, one after the other: it does not begin, or it
// ends with an event; nothing is lost, and the other machine plays on.
#include "net_game.h"
#include "support/failing_malloc.h"

#include <keel_session.h>
#include <stdlib.h>

static uint64_t allocations, fail_at; // fail_at 0: never
static bool fails(void) { return ++allocations == fail_at; }

static keel_session *begin_session(keel_world *world, uint32_t number, keel_error *error) {
    const keel_session_desc desc = { .step = KEEL_WORKLOAD_OF(net_frame),
                                     .input_size = sizeof(Pad),
                                     .players = 3,
                                     .start_players = 2,
                                     .check_every = 10,
                                     .seed = 5,
                                     .error = error,
                                     .transport = keel_loopback_transport(network, number) };
    return keel_session_begin(world, &desc);
}

static void begin_fails_with_a_sentence(void **unused) {
    (void)unused;
    net_begin(&(keel_loopback_desc){ .delay_ms = 5 });
    playing = &machines[0];
    for (uint64_t n = 1;; ++n) {
        keel_world *world =
            keel_world_create(&(keel_world_desc){ .worker_count = 1, .log = keel_log_none });
        keel_register(world, Ship, Shot);
        keel_error error = { 0 };
        allocations = 0;
        fail_at = n;
        keel_session *s = begin_session(world, 0, &error);
        fail_at = 0;
        const bool did_fail = allocations >= n;
        if (s) keel_session_end(s);
        else {
            assert_int_equal(error.result, KEEL_ERROR_MEMORY);
            assert_true(error.message[0] != '\0');
        }
        keel_world_destroy(world);
        if (!did_fail) break;
    }
    net_end();
}

// Plays a game of two that a third one joins; the n-th allocation after `from` steps fails.
static bool play_with_failure(uint64_t n) {
    net_begin(&(keel_loopback_desc){ .delay_ms = 5 });
    for (uint32_t i = 0; i < 3; ++i) {
        machine *m = &machines[i];
        m->world = net_world(8);
        m->speed = 1;
        m->session = begin_session(m->world, i, NULL);
        assert_non_null(m->session);
    }
    assert_int_equal(keel_session_listen(machines[0].session, 0), KEEL_OK);
    assert_int_equal(keel_session_connect(machines[1].session, "0", 0), KEEL_OK);
    net_run(20);
    assert_true(status_of(1).is_playing);
    allocations = 0;
    fail_at = n;
    (void)keel_session_connect(machines[2].session, "0", 0);
    net_run_wild(60, 1);
    fail_at = 0;
    const bool did_fail = allocations >= n;
    net_run_wild(30, 2);
    for (uint32_t i = 0; i < 2; ++i) { // each plays on, or has said why not
        const bool plays = status_of(i).is_playing;
        assert_true(plays || event_of(i, KEEL_SESSION_FAILED));
        if (event_of(i, KEEL_SESSION_FAILED))
            assert_true(event_of(i, KEEL_SESSION_FAILED)->text[0] != '\0');
        assert_null(event_of(i, KEEL_SESSION_DIFFERS));
    }
    net_end();
    return did_fail;
}

static void a_running_game_survives_or_says_why_it_ends(void **unused) {
    (void)unused;
    for (uint64_t n = 1; n < 4000; n += n < 400 ? 1 : 37)
        if (!play_with_failure(n)) break;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(begin_fails_with_a_sentence),
        cmocka_unit_test(a_running_game_survives_or_says_why_it_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
