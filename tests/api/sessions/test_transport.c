// SPDX-License-Identifier: MIT
// The transports by themselves: ENet between two sockets of this process, and the simulated one
// over the loopback. Games over them are in tests/session_net. Where Keel is built without ENet,
// only that is tested which does not need it.
#include "support/test.h"

#include <keel_session.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct Count {
    uint32_t value;
} Count;
KEEL_UNIQUE(Count, .no_padding = true);
KEEL_SYSTEM_ONCE(count, KEEL_UNIQUE_WRITE(Count, c)) { ++c->value; }
KEEL_WORKLOAD(transport_frame, KEEL_STEP(count));

static keel_session *begin_session(keel_world *world, keel_session_transport transport) {
    const keel_session_desc desc = { .step = KEEL_WORKLOAD_OF(transport_frame),
                                     .input_size = 4,
                                     .players = 2,
                                     .transport = transport };
    keel_session *s = keel_session_begin(world, &desc);
    assert_non_null(s);
    return s;
}

static void send_text(keel_session_transport *t, uint32_t peer, const char *text) {
    t->send(t->self, peer, text, strlen(text) + 1, true);
}

// Lets a transport and another one run until the first receives something, for five seconds at
// most. Returns its size, or 0.
static size_t wait_for(keel_session_transport *t, keel_session_transport *other, uint32_t *peer,
                       void *bytes, size_t capacity) {
    const time_t end = time(NULL) + 5;
    while (time(NULL) < end) {
        char ignored[64];
        uint32_t from;
        const size_t size = t->receive(t->self, peer, bytes, capacity);
        if (size) return size;
        (void)other->receive(other->self, &from, ignored, sizeof ignored);
        other->flush(other->self);
        t->flush(t->self);
    }
    return 0;
}

static void a_packet_that_is_sent_before_the_connection_stands_arrives(void **unused) {
    (void)unused;
    keel_session_transport host = keel_enet_transport(NULL), guest = keel_enet_transport(NULL);
    if (!host.send) return;
    uint32_t to = 0, from = 0, back = 0;
    uint16_t port = 0;
    char text[64], address[64];
    assert_true(host.listen(host.self, 0));
    assert_true(guest.connect(guest.self, "127.0.0.1", host.port(host.self), &to));
    send_text(&guest, to, "hello");
    assert_int_equal(wait_for(&host, &guest, &from, text, sizeof text), 6);
    assert_string_equal(text, "hello");
    assert_true(host.address(host.self, from, address, sizeof address, &port));
    assert_string_equal(address, "127.0.0.1");
    assert_int_equal(port, guest.port(guest.self));

    send_text(&host, from, "too long");
    send_text(&host, from, "fits");
    assert_int_equal(wait_for(&guest, &host, &back, text, 5), 5);
    assert_string_equal(text, "fits");
    assert_int_equal(back, to);
    guest.close(guest.self);
    host.close(host.self);
}

static void a_number_is_never_given_to_another_machine(void **unused) {
    (void)unused;
    keel_session_transport host = keel_enet_transport(NULL);
    if (!host.send) return;
    uint32_t seen[8], to, from;
    char text[64];
    assert_true(host.listen(host.self, 0));
    for (uint32_t i = 0; i < 8; ++i) {
        keel_session_transport guest = keel_enet_transport(NULL);
        assert_true(guest.connect(guest.self, "127.0.0.1", host.port(host.self), &to));
        send_text(&guest, to, "hello");
        assert_int_equal(wait_for(&host, &guest, &from, text, sizeof text), 6);
        for (uint32_t k = 0; k < i; ++k)
            assert_true(seen[k] != from);
        seen[i] = from;
        host.forget(host.self, from);
        send_text(&host, from, "too late");
        guest.close(guest.self);
    }
    host.close(host.self);
}

// Returns the pages of memory of this process; 0 where nobody tells.
static unsigned long resident_pages(void) {
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%*u %lu", &pages) != 1) pages = 0;
    fclose(file);
    return pages;
}

static void what_is_sent_to_nobody_takes_no_memory(void **unused) {
    (void)unused;
    keel_session_transport first = keel_enet_transport(NULL), second = keel_enet_transport(NULL);
    if (!first.send) return;
    static unsigned char big[60000];
    uint32_t to;
    assert_true(first.listen(first.self, 0));
    assert_true(second.connect(second.self, "127.0.0.1", first.port(first.self), &to));
    first.close(first.self);
    const unsigned long before = resident_pages();
    for (uint32_t i = 0; i < 10000; ++i) // 600 megabytes
        second.send(second.self, to, big, sizeof big, true);
    assert_true(resident_pages() < before + 20000000 / 4096);
    second.send(second.self, to + 1, big, sizeof big, true);
    second.forget(second.self, to + 1);
    second.forget(second.self, to);
    second.forget(second.self, to);
    second.close(second.self);
}

// Tries to connect or listen, and returns the sentence that says why that failed.
static const char *reason(keel_session *s, const char *host, uint16_t port) {
    static keel_session_event event;
    const keel_result result =
        host ? keel_session_connect(s, host, port) : keel_session_listen(s, port);
    assert_int_equal(result, KEEL_ERROR_FILE);
    assert_true(keel_session_next_event(s, &event));
    assert_int_equal(event.kind, KEEL_SESSION_WARNING);
    return event.text;
}

static void a_session_says_why_it_cannot_begin_and_may_try_again(void **unused) {
    (void)unused;
    keel_session_transport other = keel_enet_transport(NULL);
    keel_world *world = keel_world_create(NULL);
    keel_set_unique(world, Count, { 0 });
    keel_session *s = begin_session(world, (keel_session_transport){ 0 });
    if (!other.send) {
        keel_session_event event;
        assert_int_equal(keel_session_listen(s, 0), KEEL_ERROR_ARGUMENT);
        assert_true(keel_session_next_event(s, &event));
        assert_non_null(strstr(event.text, "without ENet"));
        assert_int_equal(keel_session_connect(s, "127.0.0.1", 7791), KEEL_ERROR_ARGUMENT);
    } else {
        char expected[64];
        assert_true(other.listen(other.self, 0));
        const uint16_t port = other.port(other.self);
        snprintf(expected, sizeof expected, "port %u is in use", (unsigned)port);
        assert_non_null(strstr(reason(s, NULL, port), expected));
        assert_non_null(strstr(reason(s, "::1", 7791), "address of IPv6"));
        assert_non_null(strstr(reason(s, "255.255.255.255", 7791), "no machine"));
        assert_non_null(strstr(reason(s, "127.0.0.1", 0), "1 to 65,535"));
        assert_int_equal(keel_session_status_of(s).port, 0);
        assert_int_equal(keel_session_listen(s, 0), KEEL_OK);
        assert_true(keel_session_status_of(s).port != 0);
        other.close(other.self);
    }
    keel_session_end(s);
    keel_world_destroy(world);
}

static uint32_t closed;
static void count_closed(void *self) {
    (void)self;
    ++closed;
}

static void a_simulated_transport_needs_another_one(void **unused) {
    (void)unused;
    const keel_loopback_desc calm = { .delay_ms = 10 };
    keel_session_transport none = { .close = count_closed };
    closed = 0;
    assert_null(keel_simulated_transport(none, &calm).send);
    assert_int_equal(closed, 1);
    keel_loopback *l = keel_loopback_create(&(keel_loopback_desc){ .peers = 2 });
    assert_null(keel_simulated_transport(keel_loopback_transport(l, 0), NULL).send);
    keel_loopback_destroy(l);
    assert_null(keel_enet_transport(&(keel_enet_desc){ .peers = 5000 }).send);
}

static void a_simulated_transport_delays_by_the_time_of_the_session(void **unused) {
    (void)unused;
    const keel_loopback_desc weather = { .delay_ms = 100, .seed = 3 };
    keel_loopback *l = keel_loopback_create(&(keel_loopback_desc){ .peers = 2 });
    keel_session_transport far = keel_simulated_transport(keel_loopback_transport(l, 0), &weather);
    keel_session_transport near = keel_loopback_transport(l, 1);
    assert_null(far.port); // the loopback has none
    char text[16];
    uint32_t from = 9;
    send_text(&far, 1, "one");
    far.advance(far.self, 0.09);
    far.flush(far.self);
    assert_int_equal(near.receive(near.self, &from, text, sizeof text), 0);
    far.advance(far.self, 0.02);
    far.flush(far.self);
    assert_int_equal(near.receive(near.self, &from, text, sizeof text), 4);
    assert_int_equal(from, 0);
    send_text(&far, 1, "two");
    far.forget(far.self, 1); // what was sent last still arrives
    assert_int_equal(near.receive(near.self, &from, text, sizeof text), 4);
    far.close(far.self);
    keel_loopback_destroy(l);
}

static void games_play_over_a_simulated_transport(void **unused) {
    (void)unused;
    const keel_loopback_desc bad = { .delay_ms = 80, .jitter_ms = 20, .loss = 0.1F, .seed = 5 };
    keel_loopback *l = keel_loopback_create(&(keel_loopback_desc){ .peers = 2 });
    keel_world *worlds[2];
    keel_session *sessions[2];
    for (uint32_t i = 0; i < 2; ++i) {
        worlds[i] = keel_world_create(NULL);
        keel_set_unique(worlds[i], Count, { 0 });
        sessions[i] =
            begin_session(worlds[i], keel_simulated_transport(keel_loopback_transport(l, i), &bad));
    }
    assert_int_equal(keel_session_listen(sessions[0], 0), KEEL_OK);
    assert_int_equal(keel_session_connect(sessions[1], "0", 0), KEEL_OK);
    for (uint32_t frame = 0; frame < 400; ++frame) {
        keel_loopback_advance(l, 1.0 / 60);
        for (uint32_t i = 0; i < 2; ++i)
            (void)keel_session_advance(sessions[i], 1.0 / 60);
    }
    assert_true(keel_session_status_of(sessions[0]).checked > 200);
    assert_true(keel_session_status_of(sessions[1]).player[0].loss > 0);
    for (uint32_t i = 0; i < 2; ++i) {
        keel_session_end(sessions[i]);
        keel_world_destroy(worlds[i]);
    }
    keel_loopback_destroy(l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_packet_that_is_sent_before_the_connection_stands_arrives),
        cmocka_unit_test(a_number_is_never_given_to_another_machine),
        cmocka_unit_test(what_is_sent_to_nobody_takes_no_memory),
        cmocka_unit_test(a_session_says_why_it_cannot_begin_and_may_try_again),
        cmocka_unit_test(a_simulated_transport_needs_another_one),
        cmocka_unit_test(a_simulated_transport_delays_by_the_time_of_the_session),
        cmocka_unit_test(games_play_over_a_simulated_transport),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
