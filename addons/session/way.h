// SPDX-License-Identifier: MIT
// Packets on their way over a network that delays, loses and doubles them, by a seed. The loopback
// and the simulated transport keep theirs here. A reliable packet that is lost is sent again after
// twice the delay, and later ones wait for it.
#pragma once
#include "keel_session.h"

typedef struct way_packet {
    double at;       // when it arrives
    uint64_t number; // order of sending, for packets that arrive together
    uint32_t from, to;
    bool is_reliable;
    size_t size;
    unsigned char *bytes;
} way_packet;

typedef struct way {
    keel_loopback_desc desc;
    double now;
    uint64_t state, number;
    way_packet *packets; // no order
    size_t count, capacity;
} way;

// Sends a packet. `in_order` is when the last reliable one arrives there; NULL: it is unreliable.
void keeli_way_send(way *w, uint32_t from, uint32_t to, const void *bytes, size_t size,
                    double *in_order);
// Takes the packet that arrives first, if it arrives before or at the time `end`. The caller frees
// its bytes. `to`: UINT32_MAX for all.
bool keeli_way_take(way *w, uint32_t to, double end, way_packet *packet);
void keeli_way_deinit(way *w);
