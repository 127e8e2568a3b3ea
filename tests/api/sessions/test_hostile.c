// SPDX-License-Identifier: MIT
// Machines that lie: what a stranger or a member sends out of place changes nothing, or no more
// than docs/reference/session_protocol.md says. Packets are made by hand; tests/fuzz_session makes
// more.
#include "net_game.h"

#include "schema.h"

#include <keel_session.h>

static const keel_session_desc usual = { .check_every = 10 };
static packet lie;

// Begins a packet in the name of a member of the session of machine `to`.
static packet *begin_lie(uint32_t to, packet_type type) {
    memset(&lie, 0, sizeof lie);
    lie.type = type;
    lie.session = machines[to].session->number;
    lie.frame = status_of(to).frame;
    return &lie;
}
// Sends it, with the number of machine `from`.
static void send_lie(uint32_t from, uint32_t to) {
    static unsigned char bytes[PACKET_BYTES];
    const size_t size = keeli_packet_write(&lie, bytes, sizeof bytes, sizeof(Pad));
    assert_true(size > 0);
    const keel_session_transport t = keel_loopback_transport(network, from);
    t.send(t.self, to, bytes, size, true);
}

static void a_spectator_does_not_enter_at_the_word_of_its_host(void **unused) {
    (void)unused;
    net_start(&(keel_loopback_desc){ .delay_ms = 10 }, 1,
              &(keel_session_desc){ .players = 2, .start_players = 1, .takes_spectators = true });
    machine *m = net_machine(1, &(keel_session_desc){ .players = 2, .spectates = true });
    assert_int_equal(keel_session_connect(m->session, "0", 0), KEEL_OK);
    net_run(60);
    assert_true(status_of(1).frame > 10);
    begin_lie(1, PACKET_ENTERED)->frame = 1000; // no slots: those of a spectator
    send_lie(0, 1);
    net_run(30);
    assert_false(status_of(1).is_playing);
    assert_int_equal(machines[1].session->phase, PHASE_CATCHING_UP);
    net_end();
}

static void a_start_names_no_slots_that_nobody_can_have(void **unused) {
    (void)unused;
    net_start(&(keel_loopback_desc){ .delay_ms = 10 }, 2,
              &(keel_session_desc){ .players = 3, .start_players = 3 });
    keel_session *guest = machines[1].session; // waits for a third player
    assert_int_equal(guest->phase, PHASE_MEETING);
    packet *p = begin_lie(1, PACKET_START);
    p->epoch = 100;
    p->member_count = 3;
    p->members[0].slots = 1;
    p->members[1].slots = 2;
    p->members[2].slots = 64;
    const uint64_t before = status_of(1).refused_packets;
    send_lie(0, 1);
    net_run(5);
    assert_int_equal(status_of(1).refused_packets, before + 1);
    assert_int_equal(guest->members & ~7u, 0);
    net_end();
}

static void a_member_asks_for_no_round_about_itself_or_slots_that_do_not_exist(void **unused) {
    (void)unused;
    net_start(&(keel_loopback_desc){ .delay_ms = 10 }, 3, &usual);
    net_run_wild(30, 1);
    const uint64_t before = status_of(0).refused_packets;
    begin_lie(0, PACKET_ROUND)->slots = 4; // its own
    send_lie(2, 0);
    begin_lie(0, PACKET_ROUND)->slots = 8;
    send_lie(2, 0);
    net_run(10);
    assert_int_equal(status_of(0).refused_packets, before + 2);
    net_run_wild(60, 2);
    assert_null(event_of(0, KEEL_SESSION_LEFT));
    (void)assert_same_game(0, 2);
    net_end();
}

// Machine 3 dies, and machine 2 answers the round of machine 0 with a lie.
static void what_is_answered_to_a_round_is_checked(void **unused) {
    (void)unused;
    for (uint32_t how = 0; how < 2; ++how) {
        net_start(&(keel_loopback_desc){ .delay_ms = 40 }, 4,
                  &(keel_session_desc){ .check_every = 10, .timeout_ms = 500 });
        net_run_wild(60, 3);
        machines[3].is_stopped = true;
        for (uint32_t i = 0; i < 120 && !machines[0].session->is_asking; ++i)
            net_run(1);
        assert_true(machines[0].session->is_asking);
        const uint64_t before = status_of(0).refused_packets;
        packet *p = begin_lie(0, PACKET_STATE);
        p->epoch = machines[0].session->epoch;
        p->slots = how ? 7 | 32 : 7;
        p->known_count = 4;
        for (uint32_t i = 0; i < 4; ++i)
            p->known[i] = how ? 0 : i == 3 ? PACKET_GONE : 0;
        send_lie(2, 0);
        net_run(60);
        assert_int_equal(status_of(0).refused_packets, before + 1);
        assert_non_null(event_of(0, KEEL_SESSION_LEFT));
        assert_non_null(event_of(1, KEEL_SESSION_LEFT));
        net_run_wild(60, 4);
        (void)assert_same_game(0, 1);
        (void)assert_same_game(0, 2);
        net_end();
    }
}

static void only_who_asked_decides(void **unused) {
    (void)unused;
    net_start(&(keel_loopback_desc){ .delay_ms = 40 }, 3,
              &(keel_session_desc){ .check_every = 10, .timeout_ms = 500 });
    net_run_wild(60, 5);
    const uint64_t before = status_of(1).refused_packets;
    packet *p = begin_lie(1, PACKET_ROUND); // in the name of machine 0
    p->epoch = (machines[1].session->epoch / 8 + 2) * 8;
    p->slots = 1;
    send_lie(2, 1);
    p = begin_lie(1, PACKET_DECIDE);
    p->epoch = machines[1].session->epoch; // of machine 0
    p->slots = 1;
    p->known_count = 3;
    for (uint32_t i = 0; i < 3; ++i)
        p->known[i] = machines[1].session->in.slot[i].known;
    send_lie(2, 1);
    net_run_wild(60, 6);
    assert_int_equal(status_of(1).refused_packets, before + 2);
    assert_null(event_of(1, KEEL_SESSION_LEFT));
    (void)assert_same_game(0, 1);
    net_end();
}

// Machine 2 says of machine 1, which has played all the time, that it never gave an input, or that
// it gave more than anybody can know.
static void nobody_who_played_counts_as_never_entered(void **unused) {
    (void)unused;
    for (uint32_t how = 0; how < 2; ++how) {
        net_start(&(keel_loopback_desc){ .delay_ms = 40 }, 4,
                  &(keel_session_desc){ .check_every = 10, .timeout_ms = 500 });
        net_run_wild(100, 5);
        const uint64_t before = status_of(0).refused_packets;
        packet *p = begin_lie(0, PACKET_ROUND);
        p->epoch = (machines[0].session->epoch / 8 + 2) * 8 + 2;
        p->slots = 2;
        send_lie(2, 0);
        p->type = PACKET_DECIDE;
        p->count = how ? 0 : 2;
        p->known_count = 4;
        for (uint32_t i = 0; i < 4; ++i)
            p->known[i] = how && i == 1 ? p->frame + 1000 : 0;
        send_lie(2, 0);
        net_run_wild(100, 6);
        assert_int_equal(status_of(0).refused_packets, before + 1);
        assert_null(event_of(0, KEEL_SESSION_FAILED));
        assert_true(status_of(0).is_playing);
        net_end();
    }
}

static void what_is_answered_of_who_never_gave_an_input_is_checked(void **unused) {
    (void)unused;
    net_start(&(keel_loopback_desc){ .delay_ms = 40 }, 4,
              &(keel_session_desc){ .check_every = 10, .timeout_ms = 500 });
    net_run_wild(60, 3);
    machines[3].is_stopped = true;
    for (uint32_t i = 0; i < 120 && !machines[0].session->is_asking; ++i)
        net_run(1);
    const uint64_t before = status_of(0).refused_packets;
    packet *p = begin_lie(0, PACKET_STATE);
    p->epoch = machines[0].session->epoch;
    p->slots = 7;
    p->count = 8;
    p->known_count = 4;
    for (uint32_t i = 0; i < 4; ++i)
        p->known[i] = i == 3 ? status_of(0).frame + 30 : 0;
    send_lie(2, 0);
    net_run(60);
    assert_int_equal(status_of(0).refused_packets, before + 1);
    assert_null(event_of(0, KEEL_SESSION_FAILED));
    assert_non_null(event_of(0, KEEL_SESSION_LEFT));
    net_run_wild(60, 4);
    (void)assert_same_game(0, 1);
    net_end();
}

static void who_plays_does_not_enter_once_more(void **unused) {
    (void)unused;
    net_start(&(keel_loopback_desc){ .delay_ms = 10 }, 3, &usual);
    net_run_wild(100, 7);
    const uint64_t before = status_of(0).refused_packets;
    packet *p = begin_lie(0, PACKET_ENTER);
    p->epoch = machines[0].session->epoch + 16 - machines[0].session->epoch % 8 + 2;
    p->slots = 2; // machine 1, which would lose what it played
    p->frame = status_of(0).frame + 40;
    send_lie(2, 0);
    net_run_wild(100, 8);
    assert_int_equal(status_of(0).refused_packets, before + 1);
    assert_true(assert_same_game(0, 1) > 150);
    net_end();
}

static void nobody_enters_in_a_far_frame(void **unused) {
    (void)unused;
    const keel_session_desc desc = { .players = 4, .start_players = 2, .check_every = 10 };
    net_start(&(keel_loopback_desc){ .delay_ms = 10 }, 2, &desc);
    net_run_wild(100, 9);
    machine *m = net_machine(2, &desc);
    assert_int_equal(keel_session_connect(m->session, "0", 0), KEEL_OK);
    keel_session *leader = machines[0].session;
    for (uint32_t i = 0; i < 200 && !leader->entering; ++i)
        net_run(1);
    assert_int_equal(leader->entering, 4);
    packet *p = begin_lie(0, PACKET_ENTERED);
    p->epoch = leader->entry_number;
    p->slots = 4;
    p->frame = UINT32_MAX;
    send_lie(1, 0);
    net_run_wild(100, 10);
    assert_true(status_of(2).is_playing);
    assert_true(leader->entry_frame < status_of(0).frame);
    (void)assert_same_game(0, 2);
    net_end();
}

static void before_a_player_entered_there_are_zeros(void **unused) {
    (void)unused;
    inputs in;
    const Pad pad = { 3, 4, 1, 0 }, none = { 0 };
    assert_true(keeli_inputs_init(&in, 2, sizeof(Pad)));
    keeli_inputs_enter(&in, 0, 0);
    for (uint64_t f = 0; f < 900; ++f, in.now = f)
        assert_int_equal(keeli_inputs_add(&in, 0, f, &pad), INPUT_TAKEN);
    keeli_inputs_enter(&in, 1, 100000);
    assert_false(keeli_inputs_plays(&in, 1, 890));
    assert_memory_equal(keeli_inputs_find(&in, 1, 890), &none, sizeof none);
    assert_null(keeli_inputs_find(&in, 1, 100000));
    assert_memory_equal(keeli_inputs_find(&in, 0, 890), &pad, sizeof pad);
    assert_null(keeli_inputs_find(&in, 0, 500)); // not kept any more
    keeli_inputs_deinit(&in);
}

// A transport that receives a packet of a new stranger before each of its own.
static size_t (*calm_receive)(void *self, uint32_t *peer, void *bytes, size_t capacity);
static uint32_t strangers;
static size_t receive_in_a_flood(void *self, uint32_t *peer, void *bytes, size_t capacity) {
    if (++strangers % 2) return calm_receive(self, peer, bytes, capacity);
    *peer = 1000 + strangers;
    memcpy(bytes, "\1\0\0\0\0what?", 10);
    return 10;
}

static void strangers_keep_nobody_out(void **unused) {
    (void)unused;
    const keel_session_desc desc = { .players = 3, .start_players = 2, .check_every = 10 };
    net_start(&(keel_loopback_desc){ .delay_ms = 10 }, 2, &desc);
    calm_receive = machines[0].session->desc.transport.receive;
    machines[0].session->desc.transport.receive = receive_in_a_flood;
    net_run_wild(100, 11);
    assert_true(strangers > 200);
    machine *m = net_machine(2, &desc);
    assert_int_equal(keel_session_connect(m->session, "0", 0), KEEL_OK);
    net_run_wild(150, 12);
    assert_true(status_of(2).is_playing);
    (void)assert_same_game(0, 1);
    (void)assert_same_game(0, 2);
    net_end();
}

// Says HELLO as a spectator, from a machine that has no session.
static void hello_from(uint32_t number, uint32_t schema) {
    packet *p = begin_lie(0, PACKET_HELLO);
    p->session = 0;
    keeli_schema_write(machines[0].session, p);
    p->wants = 0;
    p->schema += schema;
    static unsigned char bytes[PACKET_BYTES];
    const size_t size = keeli_packet_write(p, bytes, sizeof bytes, sizeof(Pad));
    memcpy(machines[0].session->received, bytes, size);
    const keel_session_transport t = keel_loopback_transport(network, number);
    t.send(t.self, 0, bytes, size, true);
}

static uint32_t fake_number; // of a machine that sends a packet of machine 7
static size_t receive_from_many(void *self, uint32_t *peer, void *bytes, size_t capacity) {
    const size_t size = calm_receive(self, peer, bytes, capacity);
    if (size && *peer == 7) *peer = 100 + fake_number;
    return size;
}

static uint32_t count_peers(peer_state state) {
    uint32_t count = 0;
    EACH_PEER(machines[0].session, peer)
        count += peer->state == state;
    return count;
}

static void spectators_leave_places_for_players(void **unused) {
    (void)unused;
    net_start(&(keel_loopback_desc){ .delay_ms = 0 }, 2,
              &(keel_session_desc){ .takes_spectators = true, .timeout_ms = KEEL_SESSION_NEVER });
    calm_receive = machines[0].session->desc.transport.receive;
    machines[0].session->desc.transport.receive = receive_from_many;
    for (fake_number = 0; fake_number < 30; ++fake_number) {
        hello_from(7, 0);
        net_run(1);
    }
    assert_int_equal(count_peers(PEER_FEED), KEEL_SESSION_MAX_PEERS - KEEL_SESSION_MAX_PLAYERS + 1);
    net_end();
}

static void one_image_is_sent_at_a_time_and_freed_then(void **unused) {
    (void)unused;
    net_start(&(keel_loopback_desc){ .delay_ms = 0 }, 2,
              &(keel_session_desc){ .takes_spectators = true, .timeout_ms = KEEL_SESSION_NEVER });
    calm_receive = machines[0].session->desc.transport.receive;
    machines[0].session->desc.transport.receive = receive_from_many;
    for (fake_number = 0; fake_number < 3; ++fake_number) {
        hello_from(7, 0);
        keel_loopback_advance(network, 0.001);
        playing = &machines[0];
        keel_session_poll(machines[0].session);
    }
    uint32_t most = 0, done = 0;
    for (uint32_t i = 0; i < 60; ++i) {
        net_run(1);
        uint32_t sending = 0;
        done = 0;
        EACH_PEER(machines[0].session, peer) {
            sending += peer->state == PEER_FEED && peer->image && !peer->has_image;
            done += peer->has_image;
            if (peer->has_image) assert_true(peer->image_room <= 1);
        }
        most = sending > most ? sending : most;
    }
    assert_int_equal(done, 3);
    assert_true(most <= 1);
    net_end();
}

static void a_guest_takes_no_place_of_one_whom_this_machine_lets_join(void **unused) {
    (void)unused;
    const keel_session_desc desc = { .players = 3, .start_players = 2, .check_every = 10 };
    net_start(&(keel_loopback_desc){ .delay_ms = 40 }, 2, &desc);
    net_run_wild(100, 13);
    machine *m = net_machine(2, &desc);
    assert_int_equal(keel_session_connect(m->session, "0", 0), KEEL_OK);
    for (uint32_t i = 0; i < 60 && !count_peers(PEER_FEED); ++i)
        net_run(1);
    assert_int_equal(count_peers(PEER_FEED), 1);
    begin_lie(0, PACKET_MEET)->slots = 4;
    send_lie(6, 0);
    net_run(10);
    assert_int_equal(count_peers(PEER_FEED), 1);
    net_run_wild(100, 14);
    assert_true(status_of(2).is_playing);
    net_end();
}

// What machine 6 received, as a packet.
static bool stranger_receives(packet *p) {
    static unsigned char bytes[PACKET_BYTES];
    uint32_t from;
    const keel_session_transport t = keel_loopback_transport(network, 6);
    const size_t size = t.receive(t.self, &from, bytes, sizeof bytes);
    return size && keeli_packet_read(p, bytes, size, sizeof(Pad), 0);
}

static void a_stranger_who_is_refused_does_not_learn_the_sessions_number(void **unused) {
    (void)unused;
    net_start(&(keel_loopback_desc){ .delay_ms = 10 }, 2, &usual);
    net_run(10);
    hello_from(6, 1);
    net_run(10);
    static packet answer;
    assert_true(stranger_receives(&answer));
    assert_int_equal(answer.type, PACKET_REFUSED);
    assert_int_equal(answer.session, 0);
    assert_true(answer.text[0] != '\0');
    net_end();
}

// A member raises the numbers of agreements of one machine, or of two, to the end of their range.
static void numbers_of_agreements_begin_anew_behind_the_last(void **unused) {
    (void)unused;
    for (uint32_t how = 0; how < 3; ++how) {
        net_start(&(keel_loopback_desc){ .delay_ms = 20 }, 3,
                  &(keel_session_desc){
                      .players = 4, .start_players = 3, .check_every = 10, .timeout_ms = 500 });
        net_run_wild(60, 15);
        static const uint32_t numbers[] = { 0x7ffffffa, 0xf0000002, 0xfffffffa };
        for (uint32_t i = 0; i < 3; ++i)
            for (uint32_t to = 0; to < 2; ++to) {
                if (how < 2 && how != to) continue;
                packet *p = begin_lie(to, PACKET_ENTER);
                p->epoch = numbers[i];
                p->slots = 8; // nobody
                send_lie(2, to);
            }
        net_run(10);
        if (how != 1) assert_int_equal(machines[0].session->epoch, 0xfffffffa);
        machines[2].is_stopped = true;
        net_run_wild(400, 16);
        assert_non_null(event_of(0, KEEL_SESSION_LEFT));
        assert_non_null(event_of(1, KEEL_SESSION_LEFT));
        assert_true(assert_same_game(0, 1) > 200);
        net_end();
    }
}

// ------------------------------------------------------------------ differences
// Machines 0 and 1 differ, and machine 1 sends what it likes about it.
static void what_another_machine_wrote_has_no_control_characters(void **unused) {
    (void)unused;
    net_start(&(keel_loopback_desc){ .delay_ms = 10 }, 2, &usual);
    net_run(35);
    const uint64_t frame = machines[0].session->next_check;
    packet *p = begin_lie(0, PACKET_HASH);
    p->frame = frame;
    p->hash = 1;
    send_lie(1, 0);
    net_run(20);
    assert_non_null(event_of(0, KEEL_SESSION_DIFFERS));
    const uint32_t events = machines[0].event_count;
    static const char text[] = "Ship\033[2J\t0\n0v1 \"\033\"\tx\t\0337\n";
    for (uint32_t i = 0; i < 3; ++i) {
        p = begin_lie(0, PACKET_DIFFER);
        p->frame = frame;
        p->kind = 3; // values
        p->bytes = (const unsigned char *)text;
        p->size = sizeof text - 1;
        send_lie(1, 0);
    }
    net_run(10);
    assert_int_equal(machines[0].event_count, events + 1); // once
    const keel_session_event *e = &machines[0].events[events];
    assert_int_equal(e->kind, KEEL_SESSION_DIFFERS);
    for (const char *c = e->text; *c; ++c)
        assert_true((unsigned char)*c >= ' ' && *c != 127);
    net_end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spectator_does_not_enter_at_the_word_of_its_host),
        cmocka_unit_test(a_start_names_no_slots_that_nobody_can_have),
        cmocka_unit_test(a_member_asks_for_no_round_about_itself_or_slots_that_do_not_exist),
        cmocka_unit_test(what_is_answered_to_a_round_is_checked),
        cmocka_unit_test(only_who_asked_decides),
        cmocka_unit_test(nobody_who_played_counts_as_never_entered),
        cmocka_unit_test(what_is_answered_of_who_never_gave_an_input_is_checked),
        cmocka_unit_test(who_plays_does_not_enter_once_more),
        cmocka_unit_test(nobody_enters_in_a_far_frame),
        cmocka_unit_test(before_a_player_entered_there_are_zeros),
        cmocka_unit_test(strangers_keep_nobody_out),
        cmocka_unit_test(spectators_leave_places_for_players),
        cmocka_unit_test(one_image_is_sent_at_a_time_and_freed_then),
        cmocka_unit_test(a_guest_takes_no_place_of_one_whom_this_machine_lets_join),
        cmocka_unit_test(a_stranger_who_is_refused_does_not_learn_the_sessions_number),
        cmocka_unit_test(numbers_of_agreements_begin_anew_behind_the_last),
        cmocka_unit_test(what_another_machine_wrote_has_no_control_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
