// SPDX-License-Identifier: MIT
// The smallest program that uses keel::session: two machines in one process, and a socket if Keel
// was built with ENet.
#include <keel_session.h>
#include <stdio.h>

typedef struct Sum {
    uint32_t value;
} Sum;
KEEL_UNIQUE(Sum, .no_padding = true);

KEEL_SYSTEM_ONCE(add_inputs, KEEL_UNIQUE_READ(keel_inputs, in), KEEL_UNIQUE_WRITE(Sum, sum)) {
    for (uint32_t i = 0; i < in->players; ++i)
        sum->value += *keel_input_of(in, i, uint32_t);
}
KEEL_WORKLOAD(frame, KEEL_STEP(add_inputs));

static keel_session *begin(keel_world *world, keel_session_transport transport) {
    keel_set_unique(world, Sum, { 0 });
    return keel_session_begin(world, &(keel_session_desc){ .step = KEEL_WORKLOAD_OF(frame),
                                                           .input_size = sizeof(uint32_t),
                                                           .players = 2,
                                                           .transport = transport });
}

// Returns whether a session without a transport of its own says what it should.
static bool has_sockets_or_says_so(void) {
    keel_world *world = keel_world_create(NULL);
    keel_session *s = begin(world, (keel_session_transport){ 0 });
    const bool listens = keel_session_listen(s, 0) == KEEL_OK;
    const uint32_t port = keel_session_status_of(s).port;
    keel_session_event event;
    const bool explains = keel_session_next_event(s, &event) && event.text[0];
    printf("session: port %u\n", (unsigned)port);
    keel_session_end(s);
    keel_world_destroy(world);
    return listens ? port != 0 : explains;
}

int main(void) {
    keel_loopback *loopback = keel_loopback_create(&(keel_loopback_desc){ .peers = 2 });
    keel_world *worlds[2] = { keel_world_create(NULL), keel_world_create(NULL) };
    keel_session *sessions[2];
    for (uint32_t i = 0; i < 2; ++i)
        sessions[i] = begin(worlds[i], keel_loopback_transport(loopback, i));
    keel_session_listen(sessions[0], 0);
    keel_session_connect(sessions[1], "0", 0);
    for (uint32_t frame = 0; frame < 100; ++frame) {
        keel_loopback_advance(loopback, 1.0 / 60);
        for (uint32_t i = 0; i < 2; ++i) {
            keel_session_give_input(sessions[i], i, &(uint32_t){ i + 1 });
            keel_session_advance(sessions[i], 1.0 / 60);
        }
    }
    const bool plays = keel_get_unique(worlds[0], Sum)->value > 100 &&
                       keel_session_status_of(sessions[0]).checked > 0;
    for (uint32_t i = 0; i < 2; ++i) {
        keel_session_end(sessions[i]);
        keel_world_destroy(worlds[i]);
    }
    keel_loopback_destroy(loopback);
    const bool is_right = plays && has_sockets_or_says_so();
    puts(is_right ? "session: ok" : "session: wrong");
    return !is_right;
}
