// SPDX-License-Identifier: MIT
// The edges of a relation: a list of targets for each source, a list of sources for each target,
// both in the order of relating. Where a source has one target at most and an edge leads one way,
// the sources of a target are a chain (data/chains.h), and what follows is about the others.
// An entry knows the place of its twin in the other list, so that an
// edge goes without a search; what goes leaves a hole, so that order stays, and holes go when they
// are more than half, though not while somebody walks over edges. Entities are indices here.
// Invariant: each entry that is no hole has a twin that names it, and its place. Checked by
// keeli_edges_are_valid. Edges may have values, in slots that never move: the entry of the source
// has the number. Hooks are the owner's: who removes edges drops their values before, and
// keeli_edges_copy copies bytes.
// A symmetric edge is two, one in each direction, which come and go together and have one value. So
// the lists of an entity, of targets and of sources, are the same, and mostly the place in the one
// is that in the other.
#pragma once
#include "data/chains.h"

#define KEELI_HOLE UINT32_MAX

// A list of more than 1 << this many places has pages of so many.
enum { KEELI_EDGES_PAGED_FROM = KEELI_SIZE(12, 2) };

// Entries of one to three words: the other entity, the place of the twin, and of a source whose
// edges have values the slot. A source of a symmetric exclusive relation has one entry, so its
// targets keep no places.
typedef struct keeli_edge_list {
    uint32_t used; // places, with holes
    uint32_t holes : 27;
    uint32_t power : 5; // 0: in place; to 12: 1 << power places; above: pages
    union {
        uint32_t few[2];
        uint32_t *words;
        struct keeli_edge_pages *pages; // nothing long is ever copied
    };
} keeli_edge_list;
struct keeli_edge_pages {
    uint32_t count, capacity;
    uint32_t *at[];
};

typedef struct keeli_edge_side {
    keeli_edge_list **pages; // by index / 4,096; NULL: never used
    uint32_t capacity;
    uint32_t stride; // words of an entry
} keeli_edge_side;

// Values of edges in slots. Free slots are a list: each holds the number of the next.
typedef struct keeli_edge_values {
    char **pages;
    uint32_t size, align; // a slot's; size 0: the edges have no values
    uint32_t capacity;    // length of the table
    uint32_t shift;       // a page has 1 << shift slots
    uint32_t used;        // slots, with those that are free
    uint32_t free, free_count;
    uint32_t written; // the epoch of the world when one was written last
} keeli_edge_values;

typedef struct keeli_edges {
    keeli_edge_side sources, targets; // the lists of sources name targets, and the other way round
    keeli_chains chains;              // instead of both if `is_chained`
    keeli_edge_values values;
    uint32_t count;
    bool is_symmetric, is_exclusive, is_chained;
    bool keeps_room; // a source that loses its last edge gets another one in the same edit
    uint64_t edits;  // goes up with each edge that comes or goes
    uint32_t walks;  // while any is open holes stay and no place is used twice; threads share it
    size_t bytes;
} keeli_edges;

void keeli_edges_init(keeli_edges *edges, bool is_exclusive, bool is_symmetric);
// The same with values of so many bytes, which edges of chains cannot have.
void keeli_edges_init_valued(keeli_edges *edges, bool is_exclusive, bool is_symmetric,
                             uint32_t size, uint32_t align);
void keeli_edges_init_like(keeli_edges *edges, const keeli_edges *other);
void keeli_edges_deinit(keeli_edges *edges, keeli_heap *heap);

static inline bool keeli_edges_have_values(const keeli_edges *edges) {
    return edges->values.size != 0;
}
static inline size_t keeli_edges_bytes(const keeli_edges *edges) {
    return edges->bytes + edges->chains.bytes;
}

// One of the two lists of an entity.
typedef enum keeli_end { KEELI_TARGETS, KEELI_SOURCES } keeli_end;

static inline const keeli_edge_side *keeli_edge_side_of(const keeli_edges *edges, keeli_end end) {
    return end == KEELI_TARGETS ? &edges->sources : &edges->targets;
}
// NULL: nothing of that page was ever related.
static inline keeli_edge_list *keeli_edge_list_of(const keeli_edge_side *side, uint32_t index) {
    const uint32_t page = index / KEELI_PAGE;
    return page < side->capacity && side->pages[page] ? &side->pages[page][index % KEELI_PAGE]
                                                      : NULL;
}
static inline uint32_t *keeli_edge_entry(keeli_edge_list *list, uint32_t stride, uint32_t place) {
    uint32_t *words = list->power ? list->words : list->few;
    if (list->power > KEELI_EDGES_PAGED_FROM) {
        words = list->pages->at[place >> KEELI_EDGES_PAGED_FROM];
        place %= 1u << KEELI_EDGES_PAGED_FROM;
    }
    return words + (size_t)place * stride;
}
// Returns the number of places that a list has room for.
static inline uint32_t keeli_edge_room(const keeli_edge_list *list, uint32_t stride) {
    if (!list->power) return 3 - stride; // two words in place
    return list->power <= KEELI_EDGES_PAGED_FROM ? (uint32_t)1 << list->power
                                                 : list->pages->count << KEELI_EDGES_PAGED_FROM;
}
static inline uint32_t keeli_edge_list_count(const keeli_edge_side *side, uint32_t index) {
    const keeli_edge_list *list = keeli_edge_list_of(side, index);
    return list ? list->used - list->holes : 0;
}
static inline uint32_t keeli_edge_count(const keeli_edges *edges, keeli_end end, uint32_t index) {
    if (!edges->is_chained) return keeli_edge_list_count(keeli_edge_side_of(edges, end), index);
    return end == KEELI_SOURCES ? keeli_chain_count(&edges->chains, index)
                                : keeli_chains_have_target(&edges->chains, index);
}

// A place in a list is a number that means an edge as long as that is there. These return
// KEELI_NO_EDGE where there is none: the first place of a list, the one behind a place, and the
// last one; `below`: lower than a place whose edge was removed, KEELI_NO_EDGE for the last of all.
uint32_t keeli_edge_first(const keeli_edges *edges, keeli_end end, uint32_t index);
uint32_t keeli_edge_after(const keeli_edges *edges, keeli_end end, uint32_t index, uint32_t place);
uint32_t keeli_edge_last(const keeli_edges *edges, keeli_end end, uint32_t index, uint32_t below);
#define KEELI_EACH_EDGE(place, edges, end, index)                                                  \
    for (uint32_t place = keeli_edge_first(edges, end, index); place != KEELI_NO_EDGE;             \
         place = keeli_edge_after(edges, end, index, place))

// The first place of a list at `place` or above that is no hole.
uint32_t keeli_edge_list_next(const keeli_edge_side *side, uint32_t index, uint32_t place);

// Returns the entity that the edge at a place leads to, or comes from.
static inline uint32_t keeli_edge_other(const keeli_edges *edges, keeli_end end, uint32_t index,
                                        uint32_t place) {
    if (edges->is_chained)
        return end == KEELI_SOURCES ? place
                                    : keeli_index_of(keeli_link_at(&edges->chains, index)->target);
    const keeli_edge_side *side = keeli_edge_side_of(edges, end);
    return *keeli_edge_entry(keeli_edge_list_of(side, index), side->stride, place);
}
// Returns the place of the same edge in the list of the other entity.
static inline uint32_t keeli_edge_twin(const keeli_edges *edges, keeli_end end, uint32_t index,
                                       uint32_t place) {
    if (edges->is_chained) return end == KEELI_SOURCES ? 0 : index;
    const keeli_edge_side *side = keeli_edge_side_of(edges, end);
    return side->stride == 1
               ? 0
               : keeli_edge_entry(keeli_edge_list_of(side, index), side->stride, place)[1];
}
// The value of the edge at a place of the source's list. They have values.
static inline void *keeli_edge_value(const keeli_edges *edges, uint32_t source, uint32_t place) {
    const keeli_edge_values *v = &edges->values;
    const uint32_t slot = keeli_edge_entry(keeli_edge_list_of(&edges->sources, source),
                                           edges->sources.stride, place)[2];
    return v->pages[slot >> v->shift] + (size_t)(slot & ((1u << v->shift) - 1)) * v->size;
}
uint32_t keeli_edge_back(const keeli_edges *edges, uint32_t source, uint32_t place);
// True if this direction of an edge has the value. A symmetric edge has one value for both
// directions, so that a visit of all values meets it once.
static inline bool keeli_edge_has_value(const keeli_edges *edges, uint32_t source, uint32_t place) {
    return keeli_edges_have_values(edges) &&
           (!edges->is_symmetric ||
            source <= keeli_edge_other(edges, KEELI_TARGETS, source, place));
}
// Walk over all edges, by source: is there one at the place, or behind it? Then `walk` says where.
typedef struct keeli_edge_walk {
    uint32_t source, place;
} keeli_edge_walk;
bool keeli_edges_next(const keeli_edges *edges, keeli_edge_walk *walk);
// The place of the target in the list of the source; KEELI_NO_EDGE: they are not related. It looks
// through the shorter one of both lists.
uint32_t keeli_edges_find(const keeli_edges *edges, uint32_t source, uint32_t target);

// Make room for an edge; false when out of memory. A source of an exclusive relation loses what it
// has first, of a symmetric one both do. Then it comes, the last of both lists. They are not
// related. The place of its value, which holds none yet; NULL: there are no values.
bool keeli_edges_reserve(keeli_edges *edges, keeli_heap *heap, uint32_t source, uint32_t target);
void *keeli_edges_add(keeli_edges *edges, keel_entity source, keel_entity target);
// Makes a source that has a target the last one of its chain.
void keeli_edges_move_last(keeli_edges *edges, uint32_t source);
// Both at once in lists, where there are no values, no second direction, and room. False, with
// nothing done, where that is not so or they are related.
bool keeli_edges_add_beside(keeli_edges *edges, uint32_t source, uint32_t target);
// Make room for so many entries in one list; and for so many values.
bool keeli_edge_reserve(keeli_edges *edges, keeli_heap *heap, keeli_end end, uint32_t index,
                        uint32_t extra);
bool keeli_edges_reserve_values(keeli_edges *edges, keeli_heap *heap, uint32_t extra);
// The edge at a place of the source's list goes, of a symmetric relation in both directions.
void keeli_edges_remove(keeli_edges *edges, keeli_heap *heap, uint32_t source, uint32_t place);
// Removes all edges to a target, which are a chain.
void keeli_edges_remove_sources(keeli_edges *edges, uint32_t target);
// The sources of a target stand in another order: places of its list that are no holes, all of
// them; of a symmetric relation its targets, too. `scratch`: four words for each.
void keeli_edges_order_sources(keeli_edges *edges, uint32_t target, const uint32_t *places,
                               uint32_t *scratch);
// The same for a chain: `first` begins a list that is linked by `previous`.
void keeli_edges_relink(keeli_edges *edges, uint32_t target, uint32_t first);
// All go.
void keeli_edges_clear(keeli_edges *edges, keeli_heap *heap);
// Edges come to where there are none: those of `from`, in their order, in the same places, and the
// bytes of their values. False when out of memory, and then there are none.
bool keeli_edges_copy(keeli_edges *to, const keeli_edges *from, keeli_heap *heap);
// The same where there may be edges, without values: room, which may fail, and then those that are
// the same already stay where they are.
bool keeli_edges_reserve_like(keeli_edges *to, const keeli_edges *from, keeli_heap *heap);
void keeli_edges_assign(keeli_edges *to, const keeli_edges *from, keeli_heap *heap);
// Give back pages of which nobody is related.
void keeli_edges_trim(keeli_edges *edges, keeli_heap *heap);
bool keeli_edges_are_valid(const keeli_edges *edges);
