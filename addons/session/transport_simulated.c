// SPDX-License-Identifier: MIT
// A transport that sends through another one, and keeps each packet for a while, loses it or sends
// it twice. Its time is that of keel_session_advance, so that a game that is played faster than the
// clock on the wall meets the same network.
#include "way.h"

#include <math.h>
#include <stdlib.h>

enum { ORDERS = 64 }; // machines with the same number modulo this wait for each other

typedef struct simulated {
    keel_session_transport inner;
    way way;
    double in_order[ORDERS]; // when the last reliable packet is sent to a machine
} simulated;

// Sends the packets to a machine, or to all, that are due at a time.
static void simulated_send_due(simulated *sim, uint32_t peer, double end) {
    for (way_packet p; keeli_way_take(&sim->way, peer, end, &p); free(p.bytes))
        sim->inner.send(sim->inner.self, p.to, p.bytes, p.size, p.is_reliable);
}

static bool simulated_listen(void *self, uint16_t port) {
    const simulated *sim = self;
    return !sim->inner.listen || sim->inner.listen(sim->inner.self, port);
}

static bool simulated_connect(void *self, const char *host, uint16_t port, uint32_t *peer) {
    const simulated *sim = self;
    return sim->inner.connect(sim->inner.self, host, port, peer);
}

static void simulated_send(void *self, uint32_t peer, const void *bytes, size_t size,
                           bool reliable) {
    simulated *sim = self;
    double *in_order = reliable ? &sim->in_order[peer % ORDERS] : NULL;
    keeli_way_send(&sim->way, 0, peer, bytes, size, in_order);
}

static size_t simulated_receive(void *self, uint32_t *peer, void *bytes, size_t capacity) {
    const simulated *sim = self;
    return sim->inner.receive(sim->inner.self, peer, bytes, capacity);
}

static bool simulated_address(void *self, uint32_t peer, char *host, size_t capacity,
                              uint16_t *port) {
    const simulated *sim = self;
    return sim->inner.address(sim->inner.self, peer, host, capacity, port);
}

// Lets go of a machine, which still gets what was sent last.
static void simulated_forget(void *self, uint32_t peer) {
    simulated *sim = self;
    simulated_send_due(sim, peer, HUGE_VAL);
    if (sim->inner.forget) sim->inner.forget(sim->inner.self, peer);
}

static void simulated_advance(void *self, double seconds) {
    simulated *sim = self;
    sim->way.now += seconds;
    if (sim->inner.advance) sim->inner.advance(sim->inner.self, seconds);
}

static void simulated_flush(void *self) {
    simulated *sim = self;
    simulated_send_due(sim, UINT32_MAX, sim->way.now);
    if (sim->inner.flush) sim->inner.flush(sim->inner.self);
}

static uint16_t simulated_port(void *self) {
    const simulated *sim = self;
    return sim->inner.port(sim->inner.self);
}

static const char *simulated_problem(void *self) {
    const simulated *sim = self;
    return sim->inner.problem(sim->inner.self);
}

static void simulated_close(void *self) {
    simulated *sim = self;
    if (sim->inner.close) sim->inner.close(sim->inner.self);
    keeli_way_deinit(&sim->way);
    free(sim);
}

keel_session_transport keel_simulated_transport(keel_session_transport inner,
                                                const keel_loopback_desc *desc) {
    simulated *sim = inner.send && inner.receive && desc ? calloc(1, sizeof *sim) : NULL;
    if (!sim) {
        if (inner.close) inner.close(inner.self);
        return (keel_session_transport){ 0 };
    }
    sim->inner = inner;
    sim->way.desc = *desc;
    sim->way.state = desc->seed;
    // A function that the inner one lacks stays away: that means something to a session.
    return (keel_session_transport){ .self = sim,
                                     .listen = simulated_listen,
                                     .connect = inner.connect ? simulated_connect : NULL,
                                     .send = simulated_send,
                                     .receive = simulated_receive,
                                     .address = inner.address ? simulated_address : NULL,
                                     .forget = simulated_forget,
                                     .close = simulated_close,
                                     .advance = simulated_advance,
                                     .flush = simulated_flush,
                                     .port = inner.port ? simulated_port : NULL,
                                     .problem = inner.problem ? simulated_problem : NULL };
}
