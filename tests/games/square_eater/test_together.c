// SPDX-License-Identifier: MIT
// Square Eater with others: frames that are played again are the same, machines over a bad network
// have the same world, and players come, leave and pause. ctest runs it.
#include "autoplay.h"
#include "game.h"
#include "support/test.h"
#include "together.h"
#include <stdio.h>
#include <string.h>

enum { MACHINES = 3 };
static keel_loopback *network;
static together machines[MACHINES];

static void play_automatically(void *world, uint64_t frame, uint32_t player, void *input) {
    const Sent sent = { .pad = autoplay_input(world, GOAL_PLAY, (uint32_t)frame, 0).pads[player],
                        .seed = 5 };
    memcpy(input, &sent, sizeof sent);
}

// Begins the session of a machine: the first one is the host of a game that begins with `players`.
static void begin_machine(uint32_t i, uint32_t players, uint32_t frames) {
    char why[256] = "";
    const together_options o = { .join = i ? "0" : NULL,
                                 .players = players,
                                 .seed = 5 + i,
                                 .threads = 1,
                                 .frames = frames,
                                 .transport = keel_loopback_transport(network, i) };
    if (!together_begin(&machines[i], &o, why)) fail_msg("%s", why);
}

static void begin_network(const keel_loopback_desc *weather) {
    keel_loopback_desc desc = *weather;
    desc.peers = MACHINES;
    network = keel_loopback_create(&desc);
    assert_non_null(network);
    memset(machines, 0, sizeof machines);
}

static void end_network(void) {
    for (uint32_t i = 0; i < MACHINES; ++i)
        if (machines[i].world) together_end(&machines[i]);
    keel_loopback_destroy(network);
}

// Lets time pass for all. `presses` are those of each machine in the first step.
static void play_all(uint32_t steps, const uint16_t presses[MACHINES]) {
    for (uint32_t step = 0; step < steps; ++step) {
        keel_loopback_advance(network, 1.0 / 60);
        for (uint32_t i = 0; i < MACHINES; ++i) {
            together *t = &machines[i];
            if (!t->world) continue;
            const uint32_t player = t->status.local_player;
            Pad pad = { 0 };
            if (player < MAX_PLAYERS)
                pad =
                    autoplay_input(t->world, GOAL_PLAY, (uint32_t)t->status.frame, 0).pads[player];
            if (presses) pad.buttons = step == 0 ? presses[i] : 0;
            together_step(t, pad, 1.0 / 60);
        }
    }
}

static uint32_t squares_of(uint32_t machine) {
    uint32_t squares = 0;
    KEEL_EACH(machines[machine].world, KEEL_READ(Player, player))
        squares |= 1u << player->index;
    return squares;
}

static void assert_all_is_well(void) {
    for (uint32_t i = 0; i < MACHINES; ++i) {
        assert_string_equal(machines[i].alarm, "");
        assert_string_equal(machines[i].why, "");
    }
}

static void frames_that_are_played_again_are_the_same(void **state) {
    (void)state;
    together t;
    char why[256];
    network = keel_loopback_create(&(keel_loopback_desc){ .peers = 1 });
    const together_options o = { .players = 2,
                                 .threads = 1,
                                 .transport = keel_loopback_transport(network, 0) };
    assert_true(together_begin(&t, &o, why));
    keel_session_end(t.session); // its world is what all begin with
    t.session = NULL;
    keel_sync_test_report report = { 0 };
    const keel_sync_test_desc test = { .step = KEEL_WORKLOAD_OF(shared_frame),
                                       .input_size = sizeof(Sent),
                                       .players = MAX_PLAYERS,
                                       .frames = 600,
                                       .input = play_automatically,
                                       .data = t.world };
    const keel_result result = keel_session_sync_test(t.world, &test, &report);
    if (result < 0) fail_msg("%s", report.text);
    const Match *match = keel_get_unique(t.world, Match);
    assert_true(match->time > 300 && match->players == MAX_PLAYERS); // a match was played
    together_end(&t);
    keel_loopback_destroy(network);
}

static void machines_over_a_bad_network_have_the_same_world(void **state) {
    (void)state;
    enum { FRAMES = 900 };
    begin_network(&(keel_loopback_desc){
        .seed = 3, .delay_ms = 80, .jitter_ms = 20, .loss = 0.1F, .duplicates = 0.05F });
    for (uint32_t i = 0; i < MACHINES; ++i)
        begin_machine(i, MACHINES, FRAMES);
    bool is_done = false;
    for (int step = 0; step < 4 * FRAMES && !is_done; ++step) {
        play_all(1, NULL);
        is_done = true;
        for (uint32_t i = 0; i < MACHINES; ++i)
            is_done &= together_is_done(&machines[i], FRAMES);
    }
    assert_true(is_done);
    assert_all_is_well();
    const uint64_t hash = game_hash(machines[0].world);
    for (uint32_t i = 1; i < MACHINES; ++i)
        assert_true(game_hash(machines[i].world) == hash);
    assert_true(machines[0].status.replayed > 50); // something was guessed wrong
    assert_true(keel_get_unique(machines[0].world, Match)->time > 500);
    end_network();
}

static void who_comes_late_gets_a_square_and_who_leaves_loses_it(void **state) {
    (void)state;
    static const uint16_t start[MACHINES] = { PRESS_START, 0, 0 }, nothing[MACHINES] = { 0 };
    begin_network(&(keel_loopback_desc){ .seed = 4, .delay_ms = 30 });
    begin_machine(0, 2, 0);
    begin_machine(1, 2, 0);
    play_all(30, nothing);
    play_all(30, start);
    assert_int_equal(game_phase(machines[0].world), PLAYING);
    assert_int_equal(squares_of(0), 3);

    begin_machine(2, 0, 0);
    play_all(120, nothing);
    assert_true(machines[2].status.is_playing);
    for (uint32_t i = 0; i < MACHINES; ++i)
        assert_int_equal(squares_of(i), 7);

    together_end(&machines[1]);
    play_all(60, nothing);
    assert_int_equal(squares_of(0), 5);
    assert_int_equal(squares_of(2), 5);
    const Match *match = keel_get_unique(machines[2].world, Match);
    assert_true(match->players == 3 && match->there == 5);
    assert_all_is_well();
    end_network();
}

static void who_watches_sees_the_same_world(void **state) {
    (void)state;
    enum { FRAMES = 300 };
    begin_network(&(keel_loopback_desc){ .seed = 6, .delay_ms = 40, .loss = 0.05F });
    begin_machine(0, 2, FRAMES);
    begin_machine(1, 2, FRAMES);
    play_all(60, NULL);
    char why[256];
    const together_options o = { .join = "0",
                                 .watches = true,
                                 .threads = 1,
                                 .frames = FRAMES,
                                 .transport = keel_loopback_transport(network, 2) };
    assert_true(together_begin(&machines[2], &o, why));
    play_all(2 * FRAMES, NULL);
    assert_true(together_is_done(&machines[0], FRAMES) && together_is_done(&machines[2], FRAMES));
    assert_true(game_hash(machines[2].world) == game_hash(machines[0].world));
    assert_int_equal(keel_get_unique(machines[2].world, Match)->there, 3);
    assert_all_is_well();

    together_end(&machines[0]);
    together_end(&machines[1]);
    play_all(60, NULL);
    assert_string_equal(machines[2].why, "the host has left");
    end_network();
}

static void the_pause_of_one_is_the_pause_of_all(void **state) {
    (void)state;
    static const uint16_t start[MACHINES] = { PRESS_START },
                          pause[MACHINES] = { 0, PRESS_PAUSE, 0 }, nothing[MACHINES] = { 0 };
    begin_network(&(keel_loopback_desc){ .seed = 5, .delay_ms = 60 });
    begin_machine(0, 2, 0);
    begin_machine(1, 2, 0);
    play_all(30, nothing);
    play_all(60, start);
    play_all(30, pause);
    for (uint32_t i = 0; i < 2; ++i)
        assert_int_equal(game_phase(machines[i].world), PAUSED);
    play_all(60, nothing); // nobody presses again: it stays
    assert_int_equal(game_phase(machines[0].world), PAUSED);
    play_all(30, (const uint16_t[MACHINES]){ PRESS_PAUSE });
    for (uint32_t i = 0; i < 2; ++i)
        assert_int_equal(game_phase(machines[i].world), PLAYING);
    assert_all_is_well();
    end_network();
}

// Returns the state of the dice of a match that two machines began, the second one with another
// seed.
static uint32_t dice_with_host_seed(uint32_t seed) {
    static const uint16_t start[MACHINES] = { 0, PRESS_START, 0 }, nothing[MACHINES] = { 0 };
    begin_network(&(keel_loopback_desc){ .seed = 5, .delay_ms = 10 });
    begin_machine(0, 2, 0);
    begin_machine(1, 2, 0);
    machines[0].seed = seed;
    play_all(30, nothing);
    play_all(60, start);
    play_all(30, (const uint16_t[MACHINES]){ PRESS_PAUSE });
    const uint32_t dice = keel_get_unique(machines[0].world, Dice)->state;
    assert_true(keel_get_unique(machines[1].world, Dice)->state == dice);
    assert_all_is_well();
    end_network();
    return dice;
}

static void the_seed_of_the_host_decides(void **state) {
    (void)state;
    const uint32_t dice = dice_with_host_seed(8);
    assert_true(dice_with_host_seed(8) == dice);
    assert_true(dice_with_host_seed(9) != dice);
}

static const struct CMUnitTest tests[] = {
    TEST(frames_that_are_played_again_are_the_same, "frames that are played again are the same"),
    TEST(machines_over_a_bad_network_have_the_same_world,
         "machines over a bad network have the same world"),
    TEST(who_comes_late_gets_a_square_and_who_leaves_loses_it,
         "who comes late gets a square, and who leaves loses it"),
    TEST(who_watches_sees_the_same_world, "who watches sees the same world"),
    TEST(the_pause_of_one_is_the_pause_of_all, "the pause of one is the pause of all"),
    TEST(the_seed_of_the_host_decides, "the seed of the host decides"),
};
int main(void) { return RUN(tests); }
