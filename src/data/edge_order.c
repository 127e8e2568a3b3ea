// SPDX-License-Identifier: MIT
#include "data/edge_order.h"

#include "data/entity_index.h"

#include <string.h>

enum { NOBODY = UINT32_MAX };

static uint32_t number_of(const keeli_edge_order *o, uint32_t index) {
    if (!o->nodes) return index < o->count ? index : NOBODY;
    if (o->numbers) return index < o->number_count ? o->numbers[index] - 1 : NOBODY;
    uint32_t i = 0;
    while (i < o->count && keeli_index_of(o->nodes[i]) != index)
        ++i;
    return i < o->count ? i : NOBODY;
}

static uint32_t index_of(const keeli_edge_order *o, uint32_t number) {
    return o->nodes ? keeli_index_of(o->nodes[number]) : number;
}

bool keeli_edge_order_begin(keeli_edge_order *o, keeli_heap *heap) {
    const size_t bytes = o->count * sizeof *o->entries;
    o->at = o->base = 0;
    o->entries = o->few;
    if (o->count > KEELI_EDGE_ORDER_FEW)
        o->entries = keeli_new_zeroed(heap, bytes, _Alignof(keeli_edge_order_entry));
    else memset(o->few, 0, bytes);
    return o->entries != NULL;
}

void keeli_edge_order_end(keeli_edge_order *o, keeli_heap *heap) {
    if (o->count > KEELI_EDGE_ORDER_FEW)
        keeli_free(heap, o->entries, o->count * sizeof *o->entries,
                   _Alignof(keeli_edge_order_entry));
}

// Was the edge at a place of the source's list handed out? Then its target went on behind it; of a
// symmetric one, one of both ends did.
static bool is_out(const keeli_edge_order *o, uint32_t source, uint32_t place) {
    const keeli_edge_side *side = &o->edges->sources;
    const uint32_t target = keeli_edge_other(side, source, place);
    const uint32_t from = number_of(o, source), to = number_of(o, target);
    if (keeli_edge_twin(side, source, place) < o->entries[to].source) return true;
    if (!o->edges->is_symmetric) return false;
    const uint32_t back = keeli_edge_back(o->edges, source, place);
    return back != KEELI_NO_EDGE && keeli_edge_twin(side, target, back) < o->entries[from].source;
}

// The place of the first edge of a list that is to be handed out yet. An entry of a list of sources
// is the twin of one of targets.
static uint32_t first_of(keeli_edge_order *o, uint32_t number, bool of_sources) {
    const keeli_edge_side *side = of_sources ? &o->edges->targets : &o->edges->sources;
    const uint32_t index = index_of(o, number);
    uint32_t *at = of_sources ? &o->entries[number].source : &o->entries[number].target;
    for (; (*at = keeli_edge_next(side, index, *at)) != KEELI_NO_EDGE; ++*at) {
        const uint32_t other = keeli_edge_other(side, index, *at);
        if (number_of(o, other) == NOBODY) continue;
        // only then can it be out without the target's list being behind it
        if (of_sources && !o->edges->is_symmetric) return *at;
        const bool out = of_sources ? is_out(o, other, keeli_edge_twin(side, index, *at))
                                    : is_out(o, index, *at);
        if (!out) return *at;
    }
    return *at;
}

// The edge at the front of a target's list is handed out.
static void hand_out(keeli_edge_order *o, uint32_t source, uint32_t target, keeli_edge_walk *out) {
    const uint32_t at = o->entries[target].source++;
    out->source = index_of(o, source);
    out->place = keeli_edge_twin(&o->edges->targets, index_of(o, target), at);
    if (!o->edges->is_symmetric || out->source <= index_of(o, target)) return;
    out->place = keeli_edge_back(o->edges, out->source, out->place);
    out->source = index_of(o, target);
}

bool keeli_edge_order_next(keeli_edge_order *o, keeli_edge_walk *out) {
    while (o->base < o->count) {
        const uint32_t s = o->at, place = first_of(o, s, false);
        keeli_edge_order_entry *e = &o->entries[s];
        if (place == KEELI_NO_EDGE) {
            if (s == o->base) o->at = ++o->base;
            else o->at = e->waits - 1;
            e->waits = 0;
            continue;
        }
        const uint32_t other = keeli_edge_other(&o->edges->sources, index_of(o, s), place);
        const uint32_t t = number_of(o, other), front = first_of(o, t, true);
        if (front == KEELI_NO_EDGE) { // somebody edits the list
            ++e->target;
            continue;
        }
        const uint32_t first = number_of(o, keeli_edge_other(&o->edges->targets, other, front));
        if (first == s && s != o->base) {
            o->at = e->waits - 1;
            e->waits = 0;
        } else if (first != s && first != o->base && !o->entries[first].waits) {
            o->entries[first].waits = s + 1;
            o->at = first;
            continue;
        } // else somebody in a circle waits for itself
        hand_out(o, first, t, out);
        return true;
    }
    return false;
}
