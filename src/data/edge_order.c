// SPDX-License-Identifier: MIT
// The order in which edges can be added again, see the header. The iterator takes the next edge of
// a source. If the edges that are left in the target's list of sources begin with an edge of
// another source, the edges of that source are visited first, and so on. The sources that wait form
// a stack, linked by `waits`.
#include "data/edge_order.h"

#include "data/entity_index.h"

#include <string.h>

#define NOBODY UINT32_MAX // number of an entity that is no node

static uint32_t number_of(const keeli_edge_order *o, uint32_t index) {
    if (!o->nodes)
        return index;
    if (o->numbers)
        return index < o->number_count ? o->numbers[index] - 1 : NOBODY;
    uint32_t i = 0;
    while (i < o->count && keeli_index_of(o->nodes[i]) != index)
        ++i;
    return i < o->count ? i : NOBODY;
}

static uint32_t node_index(const keeli_edge_order *o, uint32_t number) {
    return o->nodes ? keeli_index_of(o->nodes[number]) : number;
}

static keeli_edge_order_entry *entry_of(const keeli_edge_order *o, uint32_t number) {
    return o->nodes ? &o->entries[number] : &o->pages[number / KEELI_PAGE][number % KEELI_PAGE];
}

// ------------------------------------------------------------------ memory
static size_t order_bytes(uint32_t count) { return count * sizeof(keeli_edge_order_entry); }

static keeli_edge_order_entry *new_entries(keeli_heap *heap, uint32_t count) {
    return keeli_new_zeroed(heap, order_bytes(count), _Alignof(keeli_edge_order_entry));
}

// Allocates a page of entries for each page of lists, those of sources or of targets. False when
// out of memory.
static bool new_order_pages(keeli_edge_order *o, keeli_heap *heap) {
    const keeli_edge_side *a = &o->edges->sources, *b = &o->edges->targets;
    o->page_count = a->capacity < b->capacity ? b->capacity : a->capacity;
    const size_t bytes = o->page_count * sizeof *o->pages;
    o->pages = keeli_new_zeroed(heap, bytes, _Alignof(keeli_edge_order_entry *));
    if (!o->pages)
        return false;
    for (uint32_t page = 0; page < o->page_count; ++page) {
        const bool is_used =
            (page < a->capacity && a->pages[page]) || (page < b->capacity && b->pages[page]);
        if (is_used && !(o->pages[page] = new_entries(heap, KEELI_PAGE)))
            return false;
    }
    return true;
}

bool keeli_edge_order_begin(keeli_edge_order *o, keeli_heap *heap) {
    if (o->edges->is_chained)
        return true;
    if (!o->nodes) {
        const bool is_room = !o->edges->count || new_order_pages(o, heap);
        if (!is_room)
            keeli_edge_order_end(o, heap);
        return is_room;
    }
    o->entries = o->count > KEELI_EDGE_ORDER_FEW ? new_entries(heap, o->count) : o->few;
    return o->entries != NULL;
}

void keeli_edge_order_end(keeli_edge_order *o, keeli_heap *heap) {
    if (o->edges->is_chained)
        return;
    if (o->nodes) {
        if (o->entries != o->few)
            keeli_free(heap, o->entries, order_bytes(o->count), _Alignof(keeli_edge_order_entry));
        return;
    }
    if (o->pages) {
        for (uint32_t page = 0; page < o->page_count; ++page)
            keeli_free(heap, o->pages[page], order_bytes(KEELI_PAGE),
                       _Alignof(keeli_edge_order_entry));
    }
    keeli_free(heap, o->pages, o->page_count * sizeof *o->pages,
               _Alignof(keeli_edge_order_entry *));
}

// ------------------------------------------------------------------ walking
// True if the edge at a place of the source's list was visited: the position in its target's list
// of sources is behind the edge. A symmetric edge was also visited if the position in the source's
// own list of sources is behind its other direction.
static bool is_out(const keeli_edge_order *o, uint32_t source, uint32_t place) {
    const uint32_t target = keeli_edge_other(o->edges, KEELI_TARGETS, source, place);
    const uint32_t from = number_of(o, source), to = number_of(o, target);
    const uint32_t twin = keeli_edge_twin(o->edges, KEELI_TARGETS, source, place);
    if (twin < entry_of(o, to)->source)
        return true;
    if (!o->edges->is_symmetric)
        return false;
    const uint32_t back = keeli_edge_back(o->edges, source, place);
    return back != KEELI_NO_EDGE &&
           keeli_edge_twin(o->edges, KEELI_TARGETS, target, back) < entry_of(o, from)->source;
}

// Moves the position in one list of an entity to the first edge that is still to be visited, and
// returns its place; KEELI_NO_EDGE at the end of the list.
static uint32_t first_left(keeli_edge_order *o, uint32_t number, bool of_sources) {
    const keeli_end end = of_sources ? KEELI_SOURCES : KEELI_TARGETS;
    const keeli_edge_side *side = keeli_edge_side_of(o->edges, end);
    const uint32_t index = node_index(o, number);
    uint32_t *at = of_sources ? &entry_of(o, number)->source : &entry_of(o, number)->target;
    for (; (*at = keeli_edge_list_next(side, index, *at)) != KEELI_NO_EDGE; ++*at) {
        const uint32_t other = keeli_edge_other(o->edges, end, index, *at);
        if (number_of(o, other) == NOBODY)
            continue;
        // the position in a list of sources is behind all visited edges, unless they are symmetric
        if (of_sources && !o->edges->is_symmetric)
            return *at;
        const bool out = of_sources ? is_out(o, other, keeli_edge_twin(o->edges, end, index, *at))
                                    : is_out(o, index, *at);
        if (!out)
            return *at;
    }
    return *at;
}

// Visits the first edge that is left in a target's list of sources: writes it to `out`, from the
// lower index if it is symmetric.
static void hand_out_edge(keeli_edge_order *o, uint32_t source, uint32_t target,
                          keeli_edge_walk *out) {
    const uint32_t at = entry_of(o, target)->source++;
    out->source = node_index(o, source);
    out->place = keeli_edge_twin(o->edges, KEELI_SOURCES, node_index(o, target), at);
    if (!o->edges->is_symmetric || out->source <= node_index(o, target))
        return;
    out->place = keeli_edge_back(o->edges, out->source, out->place);
    out->source = node_index(o, target);
}

// True if sources are left to visit, from `base` on. Moves `base` over pages without lists of
// targets.
static bool has_base(keeli_edge_order *o) {
    const keeli_edge_side *side = &o->edges->sources;
    if (o->nodes)
        return o->base < o->count;
    while (o->base / KEELI_PAGE < side->capacity && !side->pages[o->base / KEELI_PAGE])
        o->at = o->base = (o->base / KEELI_PAGE + 1) * KEELI_PAGE;
    return o->base / KEELI_PAGE < side->capacity && o->edges->count;
}

// Visits target by target, each chain in its order: in chains edges cannot wait for each other in a
// cycle. A source that was removed from its chain is skipped, and so is a source that was added to
// a chain after the loop had passed that chain.
static bool next_of_chains(keeli_edge_order *o, keeli_edge_walk *out) {
    const keeli_chains *chains = &o->edges->chains;
    const uint32_t end = o->nodes ? o->count : chains->target_capacity * KEELI_LINKS;
    for (; o->base < end; ++o->base, o->stamp = 0) {
        uint32_t source = keeli_chains_behind(chains, node_index(o, o->base), o->at, o->stamp);
        while (source != KEELI_NO_EDGE && number_of(o, source) == NOBODY)
            source = keeli_link_at(chains, source)->next;
        if (source == KEELI_NO_EDGE)
            continue;

        o->at = source;
        o->stamp = keeli_link_at(chains, source)->stamp;
        *out = (keeli_edge_walk){ source, 0 };
        return true;
    }
    return false;
}

bool keeli_edge_order_next(keeli_edge_order *o, keeli_edge_walk *out) {
    if (o->edges->is_chained)
        return next_of_chains(o, out);
    while (has_base(o)) {
        const uint32_t s = o->at, place = first_left(o, s, false);
        keeli_edge_order_entry *e = entry_of(o, s);
        if (place == KEELI_NO_EDGE) {
            if (s == o->base)
                o->at = ++o->base;
            else
                o->at = e->waits - 1;
            e->waits = 0;
            continue;
        }
        const uint32_t other = keeli_edge_other(o->edges, KEELI_TARGETS, node_index(o, s), place);
        const uint32_t t = number_of(o, other), front = first_left(o, t, true);
        if (front == KEELI_NO_EDGE) { // the list was edited since the last step
            ++e->target;
            continue;
        }
        const uint32_t first =
            number_of(o, keeli_edge_other(o->edges, KEELI_SOURCES, other, front));
        if (first == s && s != o->base) {
            o->at = e->waits - 1;
            e->waits = 0;
        } else if (first != s && first != o->base && !entry_of(o, first)->waits) {
            entry_of(o, first)->waits = s + 1;
            o->at = first;
            continue;
        } // else edges wait for each other in a cycle: visit the front edge out of order
        hand_out_edge(o, first, t, out);
        return true;
    }
    return false;
}
