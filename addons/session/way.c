// SPDX-License-Identifier: MIT
// Packets on their way; see way.h.
#include "way.h"

#include "game.h"

#include <stdlib.h>
#include <string.h>

// Returns a random number from 0 to 1.
static double way_random(way *w) {
    return (double)(keeli_random(&w->state) >> 11) / 9007199254740992.0;
}

static double way_delay(way *w) {
    return (w->desc.delay_ms + w->desc.jitter_ms * way_random(w)) / 1000;
}

static void put_packet(way *w, way_packet packet, const void *bytes) {
    if (w->count == w->capacity) {
        const size_t capacity = w->capacity ? w->capacity * 2 : 64;
        way_packet *packets = realloc(w->packets, capacity * sizeof *packets);
        if (!packets) return; // lost
        w->packets = packets;
        w->capacity = capacity;
    }
    packet.bytes = malloc(packet.size);
    if (!packet.bytes) return;
    memcpy(packet.bytes, bytes, packet.size);
    packet.number = w->number++;
    w->packets[w->count++] = packet;
}

void keeli_way_send(way *w, uint32_t from, uint32_t to, const void *bytes, size_t size,
                    double *in_order) {
    if (!size) return;
    way_packet packet = { .from = from, .to = to, .is_reliable = in_order != NULL, .size = size };
    if (!in_order) {
        const uint32_t copies = 1 + (way_random(w) < w->desc.duplicates);
        for (uint32_t i = 0; i < copies; ++i) {
            if (way_random(w) < w->desc.loss) continue;
            packet.at = w->now + way_delay(w);
            put_packet(w, packet, bytes);
        }
        return;
    }
    packet.at = w->now + way_delay(w);
    for (uint32_t i = 0; i < 20 && way_random(w) < w->desc.loss; ++i)
        packet.at += 2 * w->desc.delay_ms / 1000 + 0.02;
    *in_order = packet.at = packet.at > *in_order ? packet.at : *in_order;
    put_packet(w, packet, bytes);
}

bool keeli_way_take(way *w, uint32_t to, double end, way_packet *packet) {
    way_packet *first = NULL;
    for (size_t i = 0; i < w->count; ++i) {
        way_packet *p = &w->packets[i];
        if ((to != UINT32_MAX && p->to != to) || p->at > end) continue;
        const bool is_before =
            !first || p->at < first->at || (p->at <= first->at && p->number < first->number);
        first = is_before ? p : first;
    }
    if (!first) return false;
    *packet = *first;
    *first = w->packets[--w->count];
    return true;
}

void keeli_way_deinit(way *w) {
    for (size_t i = 0; i < w->count; ++i)
        free(w->packets[i].bytes);
    free(w->packets);
}
