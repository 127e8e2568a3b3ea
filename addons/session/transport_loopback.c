// SPDX-License-Identifier: MIT
// Machines in one process: a network with delay, jitter, loss and duplicates from a seed. Reliable
// packets arrive in order: a lost one is sent again after twice the delay, and later ones wait.
#include "keel_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MACHINES_AT_MOST = 64 };

typedef struct loopback_packet {
    double at;       // when it arrives
    uint64_t number; // order of sending, for packets that arrive together
    uint32_t from, to;
    size_t size;
    unsigned char *bytes;
} loopback_packet;

typedef struct loopback_end {
    struct keel_loopback *loopback;
    uint32_t machine;
} loopback_end;

struct keel_loopback {
    keel_loopback_desc desc;
    double now;
    uint64_t state, number;
    loopback_packet *packets; // no order
    size_t count, capacity;
    double in_order[MACHINES_AT_MOST][MACHINES_AT_MOST]; // when the last reliable packet arrives
    bool is_cut[MACHINES_AT_MOST][MACHINES_AT_MOST];
    loopback_end ends[MACHINES_AT_MOST];
};

// Returns a random number from 0 to 1 (splitmix64).
static double loopback_random(keel_loopback *l) {
    uint64_t z = (l->state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

keel_loopback *keel_loopback_create(const keel_loopback_desc *desc) {
    if (!desc || !desc->peers || desc->peers > MACHINES_AT_MOST) return NULL;
    keel_loopback *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    l->desc = *desc;
    l->state = desc->seed;
    for (uint32_t i = 0; i < MACHINES_AT_MOST; ++i)
        l->ends[i] = (loopback_end){ .loopback = l, .machine = i };
    return l;
}

void keel_loopback_destroy(keel_loopback *l) {
    if (!l) return;
    for (size_t i = 0; i < l->count; ++i)
        free(l->packets[i].bytes);
    free(l->packets);
    free(l);
}

void keel_loopback_set(keel_loopback *l, const keel_loopback_desc *desc) {
    if (!l || !desc) return;
    const keel_loopback_desc old = l->desc;
    l->desc = *desc;
    l->desc.peers = old.peers;
    l->desc.seed = old.seed;
}

void keel_loopback_cut(keel_loopback *l, uint32_t a, uint32_t b, bool is_cut) {
    if (!l || a >= l->desc.peers || b >= l->desc.peers) return;
    l->is_cut[a][b] = l->is_cut[b][a] = is_cut;
}

void keel_loopback_advance(keel_loopback *l, double seconds) {
    if (l && seconds > 0) l->now += seconds;
}

// ------------------------------------------------------------------ the transport
static void put_packet(keel_loopback *l, uint32_t from, uint32_t to, const void *bytes, size_t size,
                       double at) {
    if (l->count == l->capacity) {
        const size_t capacity = l->capacity ? l->capacity * 2 : 64;
        loopback_packet *packets = realloc(l->packets, capacity * sizeof *packets);
        if (!packets) return; // lost
        l->packets = packets;
        l->capacity = capacity;
    }
    unsigned char *copy = malloc(size);
    if (!copy) return;
    memcpy(copy, bytes, size);
    l->packets[l->count++] = (loopback_packet){
        .at = at, .number = l->number++, .from = from, .to = to, .size = size, .bytes = copy
    };
}

static double delay_of_packet(keel_loopback *l) {
    return (l->desc.delay_ms + l->desc.jitter_ms * loopback_random(l)) / 1000;
}

static void loopback_send(void *self, uint32_t to, const void *bytes, size_t size, bool reliable) {
    loopback_end *end = self;
    keel_loopback *l = end->loopback;
    if (to >= l->desc.peers || !size) return;
    if (!reliable) {
        const uint32_t copies = 1 + (loopback_random(l) < l->desc.duplicates);
        for (uint32_t i = 0; i < copies; ++i)
            if (loopback_random(l) >= l->desc.loss)
                put_packet(l, end->machine, to, bytes, size, l->now + delay_of_packet(l));
        return;
    }
    double at = l->now + delay_of_packet(l);
    for (uint32_t i = 0; i < 20 && loopback_random(l) < l->desc.loss; ++i)
        at += 2 * l->desc.delay_ms / 1000 + 0.02;
    double *last = &l->in_order[end->machine][to];
    *last = at > *last ? at : *last;
    put_packet(l, end->machine, to, bytes, size, *last);
}

// Returns the packet for a machine that arrives first and is due, or NULL.
static loopback_packet *next_packet(keel_loopback *l, uint32_t machine) {
    loopback_packet *first = NULL;
    for (size_t i = 0; i < l->count; ++i) {
        loopback_packet *p = &l->packets[i];
        if (p->to != machine || p->at > l->now) continue;
        const bool is_before =
            !first || p->at < first->at || (p->at <= first->at && p->number < first->number);
        first = is_before ? p : first;
    }
    return first;
}

static size_t loopback_receive(void *self, uint32_t *peer, void *bytes, size_t capacity) {
    const loopback_end *end = self;
    keel_loopback *l = end->loopback;
    for (loopback_packet *p; (p = next_packet(l, end->machine)) != NULL;) {
        const loopback_packet packet = *p;
        *p = l->packets[--l->count];
        const bool fits = packet.size <= capacity && !l->is_cut[packet.from][packet.to];
        if (fits) {
            memcpy(bytes, packet.bytes, packet.size);
            *peer = packet.from;
        }
        free(packet.bytes);
        if (fits) return packet.size;
    }
    return 0;
}

static bool loopback_connect(void *self, const char *host, uint16_t port, uint32_t *peer) {
    const loopback_end *end = self;
    (void)port;
    char *rest;
    const unsigned long machine = strtoul(host, &rest, 10);
    *peer = (uint32_t)machine;
    return rest != host && !*rest && machine < end->loopback->desc.peers && machine != end->machine;
}

static bool loopback_address(void *self, uint32_t peer, char *host, size_t capacity,
                             uint16_t *port) {
    (void)self;
    *port = 0;
    return snprintf(host, capacity, "%u", (unsigned)peer) > 0;
}

keel_session_transport keel_loopback_transport(keel_loopback *l, uint32_t machine) {
    if (!l || machine >= l->desc.peers) return (keel_session_transport){ 0 };
    return (keel_session_transport){ .self = &l->ends[machine],
                                     .connect = loopback_connect,
                                     .send = loopback_send,
                                     .receive = loopback_receive,
                                     .address = loopback_address };
}
