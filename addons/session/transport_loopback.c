// SPDX-License-Identifier: MIT
// Machines in one process, and the network between them, whose time the caller hands in. Tests and
// examples use it.
#include "way.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MACHINES_AT_MOST = 64 };

typedef struct loopback_end {
    struct keel_loopback *loopback;
    uint32_t machine;
} loopback_end;

struct keel_loopback {
    way way;
    double in_order[MACHINES_AT_MOST][MACHINES_AT_MOST]; // when the last reliable packet arrives
    bool is_cut[MACHINES_AT_MOST][MACHINES_AT_MOST];
    loopback_end ends[MACHINES_AT_MOST];
};

keel_loopback *keel_loopback_create(const keel_loopback_desc *desc) {
    if (!desc || !desc->peers || desc->peers > MACHINES_AT_MOST) return NULL;
    keel_loopback *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    l->way.desc = *desc;
    l->way.state = desc->seed;
    for (uint32_t i = 0; i < MACHINES_AT_MOST; ++i)
        l->ends[i] = (loopback_end){ .loopback = l, .machine = i };
    return l;
}

void keel_loopback_destroy(keel_loopback *l) {
    if (!l) return;
    keeli_way_deinit(&l->way);
    free(l);
}

void keel_loopback_set(keel_loopback *l, const keel_loopback_desc *desc) {
    if (!l || !desc) return;
    const keel_loopback_desc old = l->way.desc;
    l->way.desc = *desc;
    l->way.desc.peers = old.peers;
    l->way.desc.seed = old.seed;
}

void keel_loopback_cut(keel_loopback *l, uint32_t a, uint32_t b, bool is_cut) {
    if (!l || a >= l->way.desc.peers || b >= l->way.desc.peers) return;
    l->is_cut[a][b] = l->is_cut[b][a] = is_cut;
}

void keel_loopback_advance(keel_loopback *l, double seconds) {
    if (l && seconds > 0) l->way.now += seconds;
}

// ------------------------------------------------------------------ the transport
static void loopback_send(void *self, uint32_t to, const void *bytes, size_t size, bool reliable) {
    loopback_end *end = self;
    keel_loopback *l = end->loopback;
    if (to >= l->way.desc.peers) return;
    double *in_order = reliable ? &l->in_order[end->machine][to] : NULL;
    keeli_way_send(&l->way, end->machine, to, bytes, size, in_order);
}

static size_t loopback_receive(void *self, uint32_t *peer, void *bytes, size_t capacity) {
    const loopback_end *end = self;
    keel_loopback *l = end->loopback;
    for (way_packet p; keeli_way_take(&l->way, end->machine, l->way.now, &p);) {
        const bool fits = p.size <= capacity && !l->is_cut[p.from][p.to];
        if (fits) {
            memcpy(bytes, p.bytes, p.size);
            *peer = p.from;
        }
        free(p.bytes);
        if (fits) return p.size;
    }
    return 0;
}

static bool loopback_connect(void *self, const char *host, uint16_t port, uint32_t *peer) {
    const loopback_end *end = self;
    (void)port;
    char *rest;
    const unsigned long machine = strtoul(host, &rest, 10);
    *peer = (uint32_t)machine;
    return rest != host && !*rest && machine < end->loopback->way.desc.peers &&
           machine != end->machine;
}

static bool loopback_address(void *self, uint32_t peer, char *host, size_t capacity,
                             uint16_t *port) {
    (void)self;
    *port = 0;
    return snprintf(host, capacity, "%u", (unsigned)peer) > 0;
}

keel_session_transport keel_loopback_transport(keel_loopback *l, uint32_t machine) {
    if (!l || machine >= l->way.desc.peers) return (keel_session_transport){ 0 };
    return (keel_session_transport){ .self = &l->ends[machine],
                                     .connect = loopback_connect,
                                     .send = loopback_send,
                                     .receive = loopback_receive,
                                     .address = loopback_address };
}
