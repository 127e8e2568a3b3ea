// SPDX-License-Identifier: MIT
// The edges of a relation, see the header for the layout and the invariant. This file allocates,
// changes, searches and copies the lists; chained relations are passed on to data/chains.c.
#include "data/edges.h"

#include "base/bytes.h"
#include "base/platform/platform.h"

#include <string.h>

enum { PAGED_FROM = KEELI_EDGES_PAGED_FROM };

// ------------------------------------------------------------------ stamps
static keeli_edge_part part_of(const keeli_edges *edges, const keeli_edge_side *side) {
    return side == &edges->sources ? KEELI_PART_SOURCES : KEELI_PART_TARGETS;
}
// Stamps the list of an index, if snapshots exist.
static inline void stamp_edge_list(const keeli_edges *edges, const keeli_edge_side *side,
                                   uint32_t index) {
    if (edges->stamps)
        keeli_edge_stamp(edges->stamps, part_of(edges, side), index);
}

static __attribute__((noinline)) void stamp_edge(const keeli_edges *edges, uint32_t source,
                                                 uint32_t target) {
    stamp_edge_list(edges, &edges->sources, source);
    stamp_edge_list(edges, &edges->targets, target);
}

enum { PARTS = 3 };
// Returns the number of stamps of one part that has `count` blocks, those of its spans included.
static uint32_t words_of_part(uint32_t count) { return count + count / KEELI_EDGE_SPAN + 1; }
static size_t stamps_bytes(uint32_t count) {
    return (size_t)words_of_part(count) * PARTS * sizeof(uint32_t);
}

// Returns the number of blocks that have memory for lists, records or values.
static uint32_t block_count(const keeli_edges *edges) {
    const keeli_chains *c = &edges->chains;
    const uint32_t lists = edges->sources.capacity > edges->targets.capacity
                               ? edges->sources.capacity
                               : edges->targets.capacity;
    const uint32_t records =
        c->source_capacity > c->target_capacity ? c->source_capacity : c->target_capacity;
    const uint32_t blocks = lists * (KEELI_PAGE / KEELI_EDGE_BLOCK) +
                            records * (KEELI_LINKS / KEELI_EDGE_BLOCK); // `lists` or `records` is 0
    return blocks > edges->values.capacity ? blocks : edges->values.capacity;
}

static void fill_stamps(const keeli_edge_stamps *stamps, uint32_t from) {
    for (uint32_t block = from; block < stamps->count; ++block)
        for (uint32_t part = 0; part < PARTS; ++part)
            keeli_edge_stamp_block(stamps, (keeli_edge_part)part, block);
}

void keeli_edges_stamp_all(const keeli_edges *edges) {
    if (edges->stamps)
        fill_stamps(edges->stamps, 0);
}

static void copy_stamps(const keeli_part_stamps *to, const keeli_part_stamps *from,
                        uint32_t count) {
    for (uint32_t block = 0; block < count; ++block)
        to->blocks[block] = from->blocks[block];
    for (uint32_t span = 0; span * KEELI_EDGE_SPAN < count; ++span)
        to->spans[span] = from->spans[span];
}

bool keeli_edges_reserve_stamps(keeli_edges *edges, keeli_heap *heap, const uint32_t *epoch) {
    const keeli_edge_stamps none = { 0 }, *old = edges->stamps ? edges->stamps : &none;
    const uint32_t need = block_count(edges);
    if (need <= old->count)
        return true;

    const uint32_t count = need > old->count * 2 ? need : old->count * 2;
    uint32_t *items = keeli_new_zeroed(heap, stamps_bytes(count), _Alignof(uint32_t));
    keeli_edge_stamps *stamps = items ? KEELI_NEW(heap, keeli_edge_stamps) : NULL;
    if (!stamps) {
        keeli_free(heap, items, stamps_bytes(count), _Alignof(uint32_t));
        return false;
    }

    *stamps = (keeli_edge_stamps){ .epoch = epoch, .count = count };
    for (uint32_t part = 0; part < PARTS; ++part, items += words_of_part(count)) {
        stamps->parts[part] = (keeli_part_stamps){ items, items + count };
        copy_stamps(&stamps->parts[part], &old->parts[part], old->count);
    }
    fill_stamps(stamps, old->count);
    keeli_edges_release_stamps(edges, heap);
    edges->stamps = stamps;
    edges->chains.stamps = stamps;
    return true;
}

void keeli_edges_release_stamps(keeli_edges *edges, keeli_heap *heap) {
    keeli_edge_stamps *stamps = edges->stamps;
    if (!stamps)
        return;
    keeli_free(heap, stamps->parts[0].blocks, stamps_bytes(stamps->count), _Alignof(uint32_t));
    KEELI_FREE(heap, keeli_edge_stamps, stamps);
    edges->stamps = NULL;
    edges->chains.stamps = NULL;
}

// ------------------------------------------------------------------ memory of a list
static size_t words_bytes(uint32_t stride, uint32_t places) {
    return (size_t)places * stride * sizeof(uint32_t);
}
static size_t pages_bytes(uint32_t capacity) {
    return sizeof(struct keeli_edge_pages) + capacity * sizeof(uint32_t *);
}
static uint32_t *new_words(keeli_edges *edges, keeli_heap *heap, uint32_t stride, uint32_t places) {
    uint32_t *words = keeli_new(heap, words_bytes(stride, places), sizeof(uint32_t));
    if (words)
        edges->bytes += words_bytes(stride, places);
    return words;
}
static void free_words(keeli_edges *edges, keeli_heap *heap, uint32_t *words, uint32_t stride,
                       uint32_t places) {
    edges->bytes -= words_bytes(stride, places);
    keeli_free(heap, words, words_bytes(stride, places), sizeof(uint32_t));
}

static struct keeli_edge_pages *new_pages(keeli_edges *edges, keeli_heap *heap, uint32_t capacity) {
    struct keeli_edge_pages *pages = keeli_new_zeroed(heap, pages_bytes(capacity), sizeof(void *));
    if (!pages)
        return NULL;
    edges->bytes += pages_bytes(capacity);
    pages->capacity = capacity;
    return pages;
}
static void free_pages(keeli_edges *edges, keeli_heap *heap, struct keeli_edge_pages *pages) {
    edges->bytes -= pages_bytes(pages->capacity);
    keeli_free(heap, pages, pages_bytes(pages->capacity), sizeof(void *));
}

// Frees the pages of a list that have no place below `used`.
static void free_last_pages(keeli_edges *edges, keeli_heap *heap, const keeli_edge_list *list,
                            uint32_t stride) {
    struct keeli_edge_pages *pages = list->pages;
    while (pages->count > (list->used >> PAGED_FROM) + (list->used % (1u << PAGED_FROM) != 0))
        free_words(edges, heap, pages->at[--pages->count], stride, 1u << PAGED_FROM);
}

static void free_list(keeli_edges *edges, keeli_heap *heap, keeli_edge_list *list,
                      uint32_t stride) {
    list->used = 0;
    if (list->power > PAGED_FROM) {
        free_last_pages(edges, heap, list, stride);
        free_pages(edges, heap, list->pages);
    } else if (list->power) {
        free_words(edges, heap, list->words, stride, keeli_edge_room(list, stride));
    }
    *list = (keeli_edge_list){ 0 };
}

// Adds a page to a list that consists of pages. False when out of memory.
static bool add_page(keeli_edges *edges, keeli_heap *heap, keeli_edge_list *list, uint32_t stride) {
    struct keeli_edge_pages *pages = list->pages;
    if (pages->count == pages->capacity) {
        struct keeli_edge_pages *more = new_pages(edges, heap, pages->capacity * 2);
        if (!more)
            return false;
        more->count = pages->count;
        memcpy(more->at, pages->at, pages->count * sizeof *pages->at);
        free_pages(edges, heap, pages);
        list->pages = pages = more;
    }
    uint32_t *words = new_words(edges, heap, stride, 1u << PAGED_FROM);
    if (words)
        pages->at[pages->count++] = words;
    return words != NULL;
}

static bool grow_list(keeli_edges *edges, keeli_heap *heap, keeli_edge_list *list,
                      uint32_t stride) {
    if (list->power > PAGED_FROM)
        return add_page(edges, heap, list, stride);
    if (list->power == PAGED_FROM) {
        struct keeli_edge_pages *pages = new_pages(edges, heap, KEELI_SIZE(4, 1));
        if (!pages)
            return false;
        pages->at[pages->count++] = list->words;
        list->pages = pages;
        list->power = PAGED_FROM + 1;
        return add_page(edges, heap, list, stride);
    }
    const uint32_t power = list->power ? list->power + 1u : 2, old = keeli_edge_room(list, stride);
    uint32_t *words = new_words(edges, heap, stride, (uint32_t)1 << power);
    if (!words)
        return false;
    memcpy(words, keeli_edge_entry(list, stride, 0), words_bytes(stride, list->used));
    if (list->power)
        free_words(edges, heap, list->words, stride, old);
    list->words = words;
    list->power = power & 31;
    return true;
}

// ------------------------------------------------------------------ memory of a side
static bool reserve_page(keeli_edges *edges, keeli_heap *heap, keeli_edge_side *side,
                         uint32_t index) {
    const uint32_t page = index / KEELI_PAGE;
    if (page >= side->capacity) {
        void *table = keeli_table_grow(heap, side->pages, &side->capacity, page + 1, &edges->bytes);
        if (!table)
            return false;
        side->pages = table;
    }
    if (side->pages[page])
        return true;
    const size_t bytes = KEELI_PAGE * sizeof(keeli_edge_list);
    side->pages[page] = keeli_new_zeroed(heap, bytes, _Alignof(keeli_edge_list));
    if (side->pages[page])
        edges->bytes += bytes;
    return side->pages[page] != NULL;
}

static void free_page(keeli_edges *edges, keeli_heap *heap, keeli_edge_side *side, uint32_t page) {
    const size_t bytes = KEELI_PAGE * sizeof(keeli_edge_list);
    for (uint32_t i = 0; i < KEELI_PAGE; ++i) {
        if (side->pages[page][i].used)
            stamp_edge_list(edges, side, page * KEELI_PAGE + i);
        edges->edits += side->pages[page][i].used != 0;
        free_list(edges, heap, &side->pages[page][i], side->stride);
    }
    keeli_free(heap, side->pages[page], bytes, _Alignof(keeli_edge_list));
    edges->bytes -= bytes;
    side->pages[page] = NULL;
}

static void clear_side(keeli_edges *edges, keeli_heap *heap, keeli_edge_side *side) {
    for (uint32_t page = 0; page < side->capacity; ++page)
        if (side->pages[page])
            free_page(edges, heap, side, page);
    keeli_table_free(heap, side->pages, side->capacity);
    side->pages = NULL;
    side->capacity = 0;
}

void keeli_edges_init(keeli_edges *edges, bool is_exclusive, bool is_symmetric) {
    *edges = (keeli_edges){ .sources = { .stride = 2 },
                            .targets = { .stride = is_exclusive ? 1 : 2 },
                            .is_exclusive = is_exclusive,
                            .is_symmetric = is_symmetric,
                            .is_chained = is_exclusive && !is_symmetric };
}

void keeli_edges_init_valued(keeli_edges *edges, bool is_exclusive, bool is_symmetric,
                             uint32_t size, uint32_t align) {
    keeli_edge_values *v = &edges->values;
    keeli_edges_init(edges, is_exclusive, is_symmetric);
    edges->sources.stride = 3;
    edges->targets.stride = 2;
    *v = (keeli_edge_values){ .size = size, .align = align, .free = KEELI_NO_EDGE };
    if (v->size < sizeof(uint32_t))
        v->size = sizeof(uint32_t); // a free slot stores a number
    while (v->shift < KEELI_SIZE(6, 1) && v->size << v->shift < 4096)
        ++v->shift;
}

void keeli_edges_init_like(keeli_edges *edges, const keeli_edges *other) {
    const keeli_edge_values *v = &other->values;
    if (v->size)
        keeli_edges_init_valued(edges, other->is_exclusive, other->is_symmetric, v->size, v->align);
    else
        keeli_edges_init(edges, other->is_exclusive, other->is_symmetric);
}

// ------------------------------------------------------------------ memory of values
static size_t value_page_bytes(const keeli_edge_values *v) { return (size_t)v->size << v->shift; }

static char *value_slot_at(const keeli_edge_values *v, uint32_t slot) {
    return v->pages[slot >> v->shift] + (size_t)(slot & ((1u << v->shift) - 1)) * v->size;
}

// Makes room for this many slots; false when out of memory.
static bool reserve_value_slots(keeli_edges *edges, keeli_heap *heap, uint32_t count) {
    keeli_edge_values *v = &edges->values;
    if (count <= v->used)
        return true;
    const uint32_t need = (count - 1) >> v->shift;
    if (need >= v->capacity) {
        void *table = keeli_table_grow(heap, v->pages, &v->capacity, need + 1, &edges->bytes);
        if (!table)
            return false;
        v->pages = table;
    }
    for (uint32_t page = v->used >> v->shift; page <= need; ++page) {
        if (v->pages[page])
            continue;
        if (!(v->pages[page] = keeli_new_zeroed(heap, value_page_bytes(v), v->align)))
            return false;
        edges->bytes += value_page_bytes(v);
    }
    return true;
}

bool keeli_edges_reserve_values(keeli_edges *edges, keeli_heap *heap, uint32_t extra) {
    const keeli_edge_values *v = &edges->values;
    if (extra <= v->free_count || !v->size)
        return true;
    return reserve_value_slots(edges, heap, v->used + extra - v->free_count);
}

// Stamps a page of values, if snapshots exist.
static void stamp_value_page(const keeli_edges *edges, uint32_t page) {
    if (edges->stamps)
        keeli_edge_stamp_block(edges->stamps, KEELI_PART_VALUES, page);
}
static void stamp_slot(const keeli_edges *edges, uint32_t slot) {
    stamp_value_page(edges, slot >> edges->values.shift);
}

void keeli_edges_mark_value(const keeli_edges *edges, uint32_t source, uint32_t place) {
    const keeli_edge_side *side = &edges->sources;
    stamp_slot(edges, keeli_edge_entry(keeli_edge_list_of(side, source), side->stride, place)[2]);
}

static uint32_t acquire_slot(keeli_edge_values *v) {
    const uint32_t slot = v->free;
    if (slot == KEELI_NO_EDGE) {
        KEELI_ASSERT_ROOM(v->used >> v->shift < v->capacity && v->pages[v->used >> v->shift]);
        return v->used++;
    }
    memcpy(&v->free, value_slot_at(v, slot), sizeof v->free);
    --v->free_count;
    return slot;
}

static void release_slot(keeli_edge_values *v, uint32_t slot) {
    keeli_bytes_vacate(value_slot_at(v, slot), v->size);
    memcpy(value_slot_at(v, slot), &v->free, sizeof v->free);
    v->free = slot;
    ++v->free_count;
}

static void clear_values(keeli_heap *heap, keeli_edge_values *v) {
    for (uint32_t page = 0; page < v->capacity; ++page)
        if (v->pages[page])
            keeli_free(heap, v->pages[page], value_page_bytes(v), v->align);
    keeli_table_free(heap, v->pages, v->capacity);
    v->pages = NULL;
    v->capacity = v->used = v->free_count = 0;
    v->free = KEELI_NO_EDGE;
}

void keeli_edges_clear(keeli_edges *edges, keeli_heap *heap) {
    clear_side(edges, heap, &edges->sources);
    clear_side(edges, heap, &edges->targets);
    clear_values(heap, &edges->values);
    keeli_chains_clear(&edges->chains, heap);
    keeli_edges_stamp_all(edges);
    edges->bytes = 0;
    edges->count = 0;
    ++edges->edits;
}

void keeli_edges_deinit(keeli_edges *edges, keeli_heap *heap) {
    keeli_edges_release_stamps(edges, heap);
    keeli_edges_clear(edges, heap);
}

static void trim_side(keeli_edges *edges, keeli_heap *heap, keeli_edge_side *side) {
    for (uint32_t page = 0; page < side->capacity; ++page) {
        uint32_t i = 0;
        while (side->pages[page] && i < KEELI_PAGE &&
               side->pages[page][i].used == side->pages[page][i].holes)
            ++i;
        if (i == KEELI_PAGE)
            free_page(edges, heap, side, page);
    }
}

void keeli_edges_trim(keeli_edges *edges, keeli_heap *heap) {
    if (keeli_atomic_load(&edges->walks))
        return;
    if (!edges->count) {
        keeli_edges_clear(edges, heap);
    } else {
        trim_side(edges, heap, &edges->sources);
        trim_side(edges, heap, &edges->targets);
        keeli_chains_trim(&edges->chains, heap);
    }
}

// ------------------------------------------------------------------ looking
uint32_t keeli_edge_list_next(const keeli_edge_side *side, uint32_t index, uint32_t place) {
    keeli_edge_list *list = keeli_edge_list_of(side, index);
    if (!list)
        return KEELI_NO_EDGE;
    while (place < list->used && *keeli_edge_entry(list, side->stride, place) == KEELI_HOLE)
        ++place;
    return place < list->used ? place : KEELI_NO_EDGE;
}

static uint32_t last_in(const keeli_edge_side *side, uint32_t index, uint32_t below) {
    keeli_edge_list *list = keeli_edge_list_of(side, index);
    if (!list)
        return KEELI_NO_EDGE;
    uint32_t place = below < list->used ? below : list->used;
    while (place && *keeli_edge_entry(list, side->stride, place - 1) == KEELI_HOLE)
        --place;
    return place ? place - 1 : KEELI_NO_EDGE;
}

uint32_t keeli_edge_first(const keeli_edges *edges, keeli_end end, uint32_t index) {
    if (!edges->is_chained)
        return keeli_edge_list_next(keeli_edge_side_of(edges, end), index, 0);
    if (!keeli_edge_count(edges, end, index))
        return KEELI_NO_EDGE;
    return end == KEELI_SOURCES ? keeli_chain_at(&edges->chains, index)->first : 0;
}

uint32_t keeli_edge_after(const keeli_edges *edges, keeli_end end, uint32_t index, uint32_t place) {
    if (!edges->is_chained)
        return keeli_edge_list_next(keeli_edge_side_of(edges, end), index, place + 1);
    return end == KEELI_SOURCES ? keeli_link_at(&edges->chains, place)->next : KEELI_NO_EDGE;
}

uint32_t keeli_edge_last(const keeli_edges *edges, keeli_end end, uint32_t index, uint32_t below) {
    if (!edges->is_chained)
        return last_in(keeli_edge_side_of(edges, end), index, below);
    if (!keeli_edge_count(edges, end, index))
        return KEELI_NO_EDGE;
    return end == KEELI_SOURCES ? keeli_chain_at(&edges->chains, index)->last : 0;
}

static uint32_t find_in(const keeli_edge_side *side, uint32_t index, uint32_t other) {
    keeli_edge_list *list = keeli_edge_list_of(side, index);
    for (uint32_t place = 0; place < list->used; ++place)
        if (*keeli_edge_entry(list, side->stride, place) == other)
            return place;
    return KEELI_NO_EDGE;
}

uint32_t keeli_edges_find(const keeli_edges *edges, uint32_t source, uint32_t target) {
    if (edges->is_chained) {
        const keeli_link *link = keeli_link_of(&edges->chains, source);
        return link && link->stamp && keeli_index_of(link->target) == target ? 0 : KEELI_NO_EDGE;
    }
    const uint32_t from = keeli_edge_list_count(&edges->sources, source);
    const uint32_t to = keeli_edge_list_count(&edges->targets, target);
    if (!from || !to)
        return KEELI_NO_EDGE;
    if (from <= to || edges->targets.stride == 1)
        return find_in(&edges->sources, source, target);
    const uint32_t place = find_in(&edges->targets, target, source);
    return place == KEELI_NO_EDGE ? place : keeli_edge_twin(edges, KEELI_SOURCES, target, place);
}

bool keeli_edges_next(const keeli_edges *edges, keeli_edge_walk *walk) {
    if (edges->is_chained) {
        walk->source = keeli_chains_next_source(&edges->chains, walk->source + (walk->place != 0));
        walk->place = 0;
        return walk->source != KEELI_NO_EDGE;
    }
    for (; walk->source / KEELI_PAGE < edges->sources.capacity; ++walk->source) {
        walk->place = keeli_edge_list_next(&edges->sources, walk->source, walk->place);
        if (walk->place != KEELI_NO_EDGE)
            return true;
        walk->place = 0;
    }
    return false;
}

// ------------------------------------------------------------------ changing
// Moves the entries of a list together, so that it has no holes, and stores the new places in their
// twins.
static void compact(keeli_edges *edges, const keeli_edge_side *side, keeli_edge_list *list) {
    const keeli_edge_side *other = side == &edges->sources ? &edges->targets : &edges->sources;
    uint32_t n = 0;
    for (uint32_t place = 0; place < list->used; ++place) {
        const uint32_t *entry = keeli_edge_entry(list, side->stride, place);
        if (entry[0] == KEELI_HOLE)
            continue;
        uint32_t *to = keeli_edge_entry(list, side->stride, n);
        const uint32_t twin = side->stride == 1 ? 0 : entry[1];
        memmove(to, entry, side->stride * sizeof *to);
        if (other->stride != 1)
            keeli_edge_entry(keeli_edge_list_of(other, to[0]), other->stride, twin)[1] = n;
        stamp_edge_list(edges, other, to[0]);
        ++n;
    }
    list->used = n;
    list->holes = 0;
}

// Cuts off the holes at the end of a list, closes the other ones if they are more than half of it,
// and frees memory that the list does not need any more.
static void tidy(keeli_edges *edges, keeli_heap *heap, keeli_edge_side *side,
                 keeli_edge_list *list) {
    const bool is_source = side == &edges->sources;
    const bool has_one = edges->is_exclusive && is_source; // the list gets empty: no place changes
    // a loop is open; a later call of keeli_edge_reserve closes the holes
    if (!has_one && keeli_atomic_load(&edges->walks))
        return;
    if (list->used == list->holes) {
        if (!edges->keeps_room)
            free_list(edges, heap, list, side->stride);
        list->used = list->holes = 0;
        return;
    }
    while (*keeli_edge_entry(list, side->stride, list->used - 1) == KEELI_HOLE) {
        --list->used;
        --list->holes;
    }
    if (list->holes > list->used / 2 && list->used > KEELI_SIZE(8, 1))
        compact(edges, side, list);
    if (list->power > PAGED_FROM)
        free_last_pages(edges, heap, list, side->stride);
}

bool keeli_edge_reserve(keeli_edges *edges, keeli_heap *heap, keeli_end end, uint32_t index,
                        uint32_t extra) {
    if (edges->is_chained)
        return end == KEELI_SOURCES ? keeli_chains_reserve_target(&edges->chains, heap, index)
                                    : keeli_chains_reserve_source(&edges->chains, heap, index);
    keeli_edge_side *side = end == KEELI_TARGETS ? &edges->sources : &edges->targets;
    keeli_edge_list *list = keeli_edge_list_of(side, index);
    if (!list && !reserve_page(edges, heap, side, index))
        return false;
    if (list && list->holes > list->used / 2) {
        stamp_edge_list(edges, side, index);
        ++edges->edits; // places differ from those in snapshots now
        tidy(edges, heap, side, list);
    }
    list = list ? list : keeli_edge_list_of(side, index);
    while (keeli_edge_room(list, side->stride) - list->used < extra)
        if (!grow_list(edges, heap, list, side->stride))
            return false;
    return true;
}

static bool reserve_edge(keeli_edges *edges, keeli_heap *heap, uint32_t source, uint32_t target) {
    // with stride 1 a source has at most one target, and its old edge is removed first: the list
    // needs no more room
    const uint32_t extra = edges->targets.stride == 1 ? 0 : 1;
    return keeli_edge_reserve(edges, heap, KEELI_TARGETS, source, extra) &&
           keeli_edge_reserve(edges, heap, KEELI_SOURCES, target, 1);
}
bool keeli_edges_reserve(keeli_edges *edges, keeli_heap *heap, uint32_t source, uint32_t target) {
    return reserve_edge(edges, heap, source, target) &&
           (!edges->is_symmetric || reserve_edge(edges, heap, target, source)) &&
           (!keeli_edges_have_values(edges) || keeli_edges_reserve_values(edges, heap, 1));
}

// Appends the two entries of an edge to both lists.
static inline void link(keeli_edges *edges, keeli_edge_list *from, keeli_edge_list *to,
                        uint32_t source, uint32_t target) {
    KEELI_ASSERT_ROOM(from && from->used < keeli_edge_room(from, edges->sources.stride) && to &&
                      to->used < keeli_edge_room(to, edges->targets.stride));
    uint32_t *entry = keeli_edge_entry(from, edges->sources.stride, from->used);
    entry[0] = target;
    entry[1] = to->used;
    entry = keeli_edge_entry(to, edges->targets.stride, to->used);
    entry[0] = source;
    if (edges->targets.stride == 2)
        entry[1] = from->used;
    ++from->used;
    ++to->used;
    ++edges->count;
    ++edges->edits;
    if (edges->stamps)
        stamp_edge(edges, source, target);
}
static void add_edge(keeli_edges *edges, uint32_t source, uint32_t target, uint32_t slot) {
    keeli_edge_list *from = keeli_edge_list_of(&edges->sources, source);
    KEELI_ASSERT_ROOM(from && from->used < keeli_edge_room(from, edges->sources.stride));
    if (keeli_edges_have_values(edges))
        keeli_edge_entry(from, 3, from->used)[2] = slot;
    link(edges, from, keeli_edge_list_of(&edges->targets, target), source, target);
}
static void add_link(keeli_edges *edges, keeli_link *link, keeli_chain *chain, keel_entity source,
                     keel_entity target) {
    KEELI_ASSERT_ROOM(link && !link->stamp && chain);
    keeli_chains_append(&edges->chains, link, chain, source, target);
    ++edges->count;
    ++edges->edits;
}

// keeli_edges_add for a chained relation while snapshots exist.
static __attribute__((noinline)) void *add_stamped(keeli_edges *edges, keel_entity source,
                                                   keel_entity target) {
    const uint32_t from = keeli_index_of(source), to = keeli_index_of(target);
    keeli_chains_stamp_append(&edges->chains, from, to);
    add_link(edges, keeli_link_of(&edges->chains, from), keeli_chain_of(&edges->chains, to), source,
             target);
    return NULL;
}

void *keeli_edges_add(keeli_edges *edges, keel_entity source, keel_entity target) {
    const uint32_t from = keeli_index_of(source), to = keeli_index_of(target);
    if (edges->is_chained && edges->stamps)
        return add_stamped(edges, source, target);
    if (edges->is_chained) {
        add_link(edges, keeli_link_of(&edges->chains, from), keeli_chain_of(&edges->chains, to),
                 source, target);
        return NULL;
    }
    const bool has_values = keeli_edges_have_values(edges);
    const uint32_t slot = has_values ? acquire_slot(&edges->values) : 0;
    if (has_values)
        stamp_slot(edges, slot);
    add_edge(edges, from, to, slot);
    if (edges->is_symmetric && from != to)
        add_edge(edges, to, from, slot);
    return has_values ? value_slot_at(&edges->values, slot) : NULL;
}

bool keeli_edges_add_beside(keeli_edges *edges, uint32_t from, uint32_t to) {
    keeli_edge_list *targets = keeli_edge_list_of(&edges->sources, from);
    keeli_edge_list *sources = keeli_edge_list_of(&edges->targets, to);
    if (!targets || !sources || targets->used >= keeli_edge_room(targets, edges->sources.stride) ||
        sources->used >= keeli_edge_room(sources, edges->targets.stride) ||
        (targets->used && keeli_edges_find(edges, from, to) != KEELI_NO_EDGE))
        return false;
    link(edges, targets, sources, from, to);
    return true;
}

static void remove_edge(keeli_edges *edges, keeli_heap *heap, uint32_t source, uint32_t place,
                        bool has_values) {
    keeli_edge_list *from = keeli_edge_list_of(&edges->sources, source);
    uint32_t *entry = edges->sources.stride == 3 ? keeli_edge_entry(from, 3, place)
                                                 : keeli_edge_entry(from, 2, place);
    const uint32_t target = entry[0], twin = entry[1];
    keeli_edge_list *to = keeli_edge_list_of(&edges->targets, target);
    if (has_values) {
        stamp_slot(edges, entry[2]);
        release_slot(&edges->values, entry[2]);
    }
    *entry = *keeli_edge_entry(to, edges->targets.stride, twin) = KEELI_HOLE;
    ++from->holes;
    ++to->holes;
    --edges->count;
    ++edges->edits;
    if (edges->stamps)
        stamp_edge(edges, source, target);
    tidy(edges, heap, &edges->sources, from);
    tidy(edges, heap, &edges->targets, to);
}
// Mostly both directions of a symmetric edge have the same places, so the place of the twin is
// tried first. It is wrong if the holes of one list were closed and those of the other were not.
uint32_t keeli_edge_back(const keeli_edges *edges, uint32_t source, uint32_t place) {
    const keeli_edge_side *side = &edges->sources;
    const uint32_t target = keeli_edge_other(edges, KEELI_TARGETS, source, place);
    const uint32_t back =
        edges->targets.stride == 1 ? 0 : keeli_edge_twin(edges, KEELI_TARGETS, source, place);
    return back < keeli_edge_list_of(side, target)->used &&
                   keeli_edge_other(edges, KEELI_TARGETS, target, back) == source
               ? back
               : find_in(side, target, source);
}

void keeli_edges_remove(keeli_edges *edges, keeli_heap *heap, uint32_t source, uint32_t place) {
    if (edges->is_chained) {
        keeli_chains_stamp_remove(&edges->chains, source);
        (void)keeli_chains_remove(&edges->chains, source);
        --edges->count;
        ++edges->edits;
        return;
    }
    const uint32_t target = keeli_edge_other(edges, KEELI_TARGETS, source, place);
    const uint32_t back = edges->is_symmetric ? keeli_edge_back(edges, source, place) : 0;
    remove_edge(edges, heap, source, place, keeli_edges_have_values(edges));
    if (edges->is_symmetric && source != target)
        remove_edge(edges, heap, target, back, false);
}

void keeli_edges_move_last(keeli_edges *edges, uint32_t source) {
    const keel_entity e = keeli_source_at(&edges->chains, source);
    keeli_link *link = keeli_link_at(&edges->chains, source);
    const keel_entity target = link->target;
    keeli_chains_stamp_remove(&edges->chains, source);
    (void)keeli_chains_remove(&edges->chains, source);
    keeli_chains_stamp_append(&edges->chains, source, keeli_index_of(target));
    keeli_chains_append(&edges->chains, link,
                        keeli_chain_at(&edges->chains, keeli_index_of(target)), e, target);
    ++edges->edits;
}

void keeli_edges_relink(keeli_edges *edges, uint32_t target, uint32_t first) {
    keeli_chains_relink(&edges->chains, target, first);
    ++edges->edits;
}

void keeli_edges_remove_sources(keeli_edges *edges, uint32_t target) {
    const uint32_t count = keeli_chain_count(&edges->chains, target);
    edges->count -= count;
    edges->edits += count;
    keeli_chains_remove_all(&edges->chains, target);
}

// Reorders the entries of a list: the i-th entry becomes the one at places[i]. Holes stay where
// they are. Stores the new places in the twins.
static void permute_entries(const keeli_edges *edges, const keeli_edge_side *side, uint32_t index,
                            const uint32_t *places, uint32_t *scratch) {
    const keeli_edge_side *other = side == &edges->sources ? &edges->targets : &edges->sources;
    keeli_edge_list *list = keeli_edge_list_of(side, index);
    stamp_edge_list(edges, side, index);
    const uint32_t stride = side->stride, count = list->used - list->holes;
    for (uint32_t i = 0; i < count; ++i)
        memcpy(scratch + (size_t)i * stride, keeli_edge_entry(list, stride, places[i]),
               stride * sizeof *scratch);
    for (uint32_t place = 0; place < list->used; ++place) {
        uint32_t *entry = keeli_edge_entry(list, stride, place);
        if (entry[0] == KEELI_HOLE)
            continue;
        memcpy(entry, scratch, stride * sizeof *entry);
        scratch += stride;
        if (other->stride == 1)
            continue;
        stamp_edge_list(edges, other, entry[0]);
        const uint32_t twin = stride == 1 ? 0 : entry[1];
        keeli_edge_entry(keeli_edge_list_of(other, entry[0]), other->stride, twin)[1] = place;
    }
}

void keeli_edges_order_sources(keeli_edges *edges, uint32_t target, const uint32_t *places,
                               uint32_t *scratch) {
    keeli_edge_list *list = keeli_edge_list_of(&edges->targets, target);
    const uint32_t count = list->used - list->holes;
    if (edges->is_symmetric) {
        for (uint32_t i = 0; i < count; ++i)
            scratch[i] =
                keeli_edge_back(edges, keeli_edge_other(edges, KEELI_SOURCES, target, places[i]),
                                keeli_edge_twin(edges, KEELI_SOURCES, target, places[i]));
    }
    permute_entries(edges, &edges->targets, target, places, scratch + count);
    if (edges->is_symmetric)
        permute_entries(edges, &edges->sources, target, scratch, scratch + count);
    ++edges->edits;
}

// ------------------------------------------------------------------ copying
enum { BLOCKS = KEELI_PAGE / KEELI_EDGE_BLOCK }; // blocks of stamps on a page

static bool reserve_block(keeli_edges *edges, keeli_heap *heap, keeli_edge_side *to,
                          const keeli_edge_side *from, uint32_t block) {
    const uint32_t first = block * KEELI_EDGE_BLOCK;
    for (uint32_t i = first; i < first + KEELI_EDGE_BLOCK; ++i) {
        const keeli_edge_list *list = keeli_edge_list_of(from, i);
        if (!list || !list->used)
            continue;
        if (!reserve_page(edges, heap, to, i))
            return false;
        while (keeli_edge_room(keeli_edge_list_of(to, i), to->stride) < list->used)
            if (!grow_list(edges, heap, keeli_edge_list_of(to, i), to->stride))
                return false;
    }
    return true;
}

static bool reserve_side(keeli_edges *edges, keeli_heap *heap, keeli_edge_side *to,
                         const keeli_edge_side *from, const keeli_edge_changes *changes) {
    const keeli_edge_part part = part_of(edges, to);
    const uint32_t end = from->capacity * BLOCKS;
    for (uint32_t b = 0; (b = keeli_edge_next_changed(changes, part, b, end)) < end; ++b)
        if (from->pages[b / BLOCKS] && !reserve_block(edges, heap, to, from, b))
            return false;
    return true;
}

static void assign_list(keeli_edges *edges, keeli_heap *heap, keeli_edge_list *to,
                        keeli_edge_list *from, uint32_t stride) {
    if (!from || !from->used) {
        free_list(edges, heap, to, stride);
        return;
    }
    for (uint32_t place = 0; place < from->used; ++place)
        memcpy(keeli_edge_entry(to, stride, place), keeli_edge_entry(from, stride, place),
               stride * sizeof(uint32_t));
    to->used = from->used;
    to->holes = from->holes;
    if (to->power > PAGED_FROM)
        free_last_pages(edges, heap, to, stride);
}

static void assign_side(keeli_edges *edges, keeli_heap *heap, const keeli_edge_side *to,
                        const keeli_edge_side *from, const keeli_edge_changes *changes) {
    const keeli_edge_part part = part_of(edges, to);
    const uint32_t end = to->capacity * BLOCKS;
    for (uint32_t b = 0; (b = keeli_edge_next_changed(changes, part, b, end)) < end; ++b) {
        if (!to->pages[b / BLOCKS])
            continue;
        const uint32_t first = b * KEELI_EDGE_BLOCK;
        for (uint32_t i = first; i < first + KEELI_EDGE_BLOCK; ++i)
            assign_list(edges, heap, keeli_edge_list_of(to, i), keeli_edge_list_of(from, i),
                        to->stride);
        stamp_edge_list(edges, to, first);
    }
}

static void assign_value_page(keeli_edges *edges, const keeli_edge_values *from, uint32_t page) {
    const keeli_edge_values *v = &edges->values;
    memcpy(v->pages[page], from->pages[page], value_page_bytes(v));
    stamp_value_page(edges, page);
}

// Copies the pages of values that changed, free slots included, and all pages with slots that
// `edges` does not use. The stamps of the latter say nothing: a restore may have removed their
// slots from `edges`, and it does not stamp them.
static void assign_values(keeli_edges *edges, const keeli_edge_values *from,
                          const keeli_edge_changes *changes) {
    keeli_edge_values *v = &edges->values;
    if (!v->size)
        return;

    const uint32_t end = (from->used + (1u << v->shift) - 1) >> v->shift;
    const uint32_t used = keeli_least(v->used >> v->shift, end);
    for (uint32_t p = 0; (p = keeli_edge_next_changed(changes, KEELI_PART_VALUES, p, used)) < used;
         ++p)
        assign_value_page(edges, from, p);
    for (uint32_t p = used; p < end; ++p)
        assign_value_page(edges, from, p);
    v->used = from->used;
    v->free = from->free;
    v->free_count = from->free_count;
}

bool keeli_edges_reserve_like(keeli_edges *to, const keeli_edges *from, keeli_heap *heap,
                              const keeli_edge_changes *changes) {
    return keeli_chains_reserve_like(&to->chains, &from->chains, heap, changes) &&
           reserve_side(to, heap, &to->sources, &from->sources, changes) &&
           reserve_side(to, heap, &to->targets, &from->targets, changes) &&
           reserve_value_slots(to, heap, from->values.used);
}

void keeli_edges_assign(keeli_edges *to, const keeli_edges *from, keeli_heap *heap,
                        const keeli_edge_changes *changes) {
    keeli_chains_assign(&to->chains, &from->chains, changes);
    assign_side(to, heap, &to->sources, &from->sources, changes);
    assign_side(to, heap, &to->targets, &from->targets, changes);
    assign_values(to, &from->values, changes);
    to->count = from->count;
    ++to->edits;
}

bool keeli_edges_copy(keeli_edges *to, const keeli_edges *from, keeli_heap *heap) {
    const keeli_edge_changes all = { 0 };
    if (!keeli_edges_reserve_like(to, from, heap, &all)) {
        keeli_edges_clear(to, heap);
        return false;
    }
    keeli_edges_assign(to, from, heap, &all);
    return true;
}

// ------------------------------------------------------------------ checking
// Returns the number of entries of a list, or UINT32_MAX if an entry has no twin that stores its
// index and its place.
static uint32_t list_is_valid(const keeli_edge_side *side, const keeli_edge_side *other,
                              uint32_t index) {
    keeli_edge_list *list = keeli_edge_list_of(side, index);
    uint32_t holes = 0;
    if (!list)
        return 0;
    if (list->used > keeli_edge_room(list, side->stride))
        return UINT32_MAX;
    for (uint32_t place = 0; place < list->used; ++place) {
        const uint32_t *entry = keeli_edge_entry(list, side->stride, place);
        if (entry[0] == KEELI_HOLE) {
            ++holes;
            continue;
        }
        keeli_edge_list *there = keeli_edge_list_of(other, entry[0]);
        const uint32_t twin = side->stride == 1 ? 0 : entry[1];
        if (!there || twin >= there->used)
            return UINT32_MAX;
        const uint32_t *back = keeli_edge_entry(there, other->stride, twin);
        if (back[0] != index || (other->stride != 1 && back[1] != place))
            return UINT32_MAX;
    }
    return holes == list->holes ? list->used - holes : UINT32_MAX;
}

static bool side_is_valid(const keeli_edge_side *side, const keeli_edge_side *other,
                          uint32_t count) {
    for (uint32_t i = 0; i < side->capacity * KEELI_PAGE; ++i) {
        if (!keeli_edge_list_of(side, i))
            i += KEELI_PAGE - 1;
        const uint32_t has = list_is_valid(side, other, i);
        if (has > count)
            return false;
        count -= has;
    }
    return count == 0;
}

bool keeli_edges_are_valid(const keeli_edges *edges) {
    if (edges->is_chained)
        return keeli_chains_are_valid(&edges->chains, edges->count);
    const keeli_edge_values *v = &edges->values;
    uint32_t has_value = 0;
    for (keeli_edge_walk at = { 0, 0 }; keeli_edges_next(edges, &at); ++at.place) {
        has_value += keeli_edge_has_value(edges, at.source, at.place);
        if (!edges->is_symmetric)
            continue;
        const uint32_t target = keeli_edge_other(edges, KEELI_TARGETS, at.source, at.place);
        const bool has_list = keeli_edge_list_of(&edges->sources, target) != NULL;
        const uint32_t back =
            has_list ? keeli_edge_back(edges, at.source, at.place) : KEELI_NO_EDGE;
        if (back == KEELI_NO_EDGE || (v->size && keeli_edge_value(edges, target, back) !=
                                                     keeli_edge_value(edges, at.source, at.place)))
            return false;
    }
    return has_value + v->free_count == v->used &&
           side_is_valid(&edges->sources, &edges->targets, edges->count) &&
           side_is_valid(&edges->targets, &edges->sources, edges->count);
}

static bool lists_are_same(const keeli_edge_side *a, const keeli_edge_side *b, uint32_t index) {
    keeli_edge_list *x = keeli_edge_list_of(a, index), *y = keeli_edge_list_of(b, index);
    const uint32_t used = x ? x->used : 0;
    if (used != (y ? y->used : 0))
        return false;
    for (uint32_t place = 0; place < used; ++place) {
        const uint32_t *entry = keeli_edge_entry(x, a->stride, place);
        const uint32_t *other = keeli_edge_entry(y, b->stride, place);
        const size_t words = entry[0] == KEELI_HOLE ? 1 : a->stride;
        if (memcmp(entry, other, words * sizeof *entry) != 0)
            return false;
    }
    return true;
}

static bool sides_are_same(const keeli_edge_side *a, const keeli_edge_side *b) {
    const uint32_t pages = a->capacity < b->capacity ? b->capacity : a->capacity;
    for (uint32_t i = 0; i < pages * KEELI_PAGE; ++i)
        if (!lists_are_same(a, b, i))
            return false;
    return true;
}

// True if the values of all edges have the same bytes.
static bool values_are_same(const keeli_edges *a, const keeli_edges *b) {
    for (keeli_edge_walk at = { 0, 0 }; keeli_edges_next(a, &at); ++at.place)
        if (memcmp(keeli_edge_value(a, at.source, at.place),
                   keeli_edge_value(b, at.source, at.place), a->values.size) != 0)
            return false;
    return a->values.used == b->values.used && a->values.free == b->values.free;
}

bool keeli_edges_are_same(const keeli_edges *a, const keeli_edges *b, bool has_plain_values) {
    return a->count == b->count && sides_are_same(&a->sources, &b->sources) &&
           sides_are_same(&a->targets, &b->targets) &&
           keeli_chains_are_same(&a->chains, &b->chains) &&
           (!has_plain_values || values_are_same(a, b));
}
