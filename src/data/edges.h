// SPDX-License-Identifier: MIT
// The edges of a relation. Each source has a list of its targets and each target a list of its
// sources, both in the order in which the edges were added. Entities are indices here. This file
// knows no world and calls no hooks: link/ calls it, and drops the value of an edge before it
// removes the edge.
// An exclusive relation (each source has one target at most) that is not symmetric stores a chain
// of sources for each target instead of both lists; see data/chains.h. The rest of this comment is
// about lists. An edge has an entry in both lists. Each entry stores the place of the other one,
// its twin, so that removing an edge takes no search. A removed entry leaves a hole, so that other
// entries keep their places. Holes are closed when more than half of a list are holes, but not
// while keeli_edges.walks is above 0. Invariant: each entry that is no hole has a twin that stores
// its index and its place. Checked by keeli_edges_are_valid. Edges may have values, in slots that
// never move; the entry in the source's list stores the slot. A symmetric edge is two edges, one in
// each direction, which are added and removed together and share one value. So an entity has the
// same targets as sources, mostly at the same places.
#pragma once
#include "data/chains.h"

#define KEELI_HOLE UINT32_MAX

// A list of more than 1 << KEELI_EDGES_PAGED_FROM places consists of pages of that many places.
enum { KEELI_EDGES_PAGED_FROM = KEELI_SIZE(12, 2) };

// A list of entries. An entry has one to three words (keeli_edge_side.stride): the index of the
// other entity, the place of the twin, and the slot of the value. The slot is only in lists of
// sources whose edges have values. In a symmetric exclusive relation without values, lists of
// targets lack the place of the twin: it is 0, because each source has one entry.
typedef struct keeli_edge_list {
    uint32_t used; // number of places in use, holes included
    uint32_t holes : 27;
    uint32_t power : 5; // 0: `few`; up to KEELI_EDGES_PAGED_FROM: `words` has room for 1 << power
                        // places; above: `pages`
    union {
        uint32_t few[2];
        uint32_t *words;
        struct keeli_edge_pages *pages; // growing adds a page and copies no entries
    };
} keeli_edge_list;
struct keeli_edge_pages {
    uint32_t count, capacity;
    uint32_t *at[];
};

// The lists of all sources, or those of all targets.
typedef struct keeli_edge_side {
    keeli_edge_list **pages; // pages of KEELI_PAGE lists, by index; NULL: never used
    uint32_t capacity;       // length of `pages`
    uint32_t stride;         // words of an entry
} keeli_edge_side;

// Values of edges, in slots. A free slot stores the number of the next free one.
typedef struct keeli_edge_values {
    char **pages;
    uint32_t size, align;      // bytes and alignment of a slot; size 0: there are no values
    uint32_t capacity;         // length of `pages`
    uint32_t shift;            // a page has 1 << shift slots
    uint32_t used;             // number of slots used so far, free ones included
    uint32_t free, free_count; // first free slot, or KEELI_NO_EDGE, and number of free slots
    uint32_t written;          // epoch (world->epoch) of the last write of any value
} keeli_edge_values;

typedef struct keeli_edges {
    keeli_edge_side sources, targets; // lists of targets by source, lists of sources by target
    keeli_chains chains;              // instead of both if `is_chained`
    keeli_edge_values values;
    keeli_edge_stamps *stamps; // NULL: no snapshot exists; `chains` has the same pointer
    uint32_t count;            // number of edges; both directions of a symmetric edge are counted
    bool is_symmetric, is_exclusive, is_chained;
    bool keeps_room; // lists that become empty keep their memory, for an edge that the same edit
                     // adds
    uint64_t edits;  // counter of added, removed and reordered edges
    uint32_t walks;  // number of open loops over edges (atomic); above 0, places stay valid: holes
                     // are not closed, and no place is used again
    size_t bytes;    // allocated bytes, without those of `chains`
} keeli_edges;

void keeli_edges_init(keeli_edges *edges, bool is_exclusive, bool is_symmetric);
// The same for edges with values of `size` bytes. The relation must not be chained: the values of a
// chained relation are values of a component of its sources.
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

// Selects one of the two lists of an entity: the list of its targets or that of its sources.
typedef enum keeli_end { KEELI_TARGETS, KEELI_SOURCES } keeli_end;

static inline const keeli_edge_side *keeli_edge_side_of(const keeli_edges *edges, keeli_end end) {
    return end == KEELI_TARGETS ? &edges->sources : &edges->targets;
}
// Returns the list of an entity; NULL if its page has no memory.
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
    if (!list->power)
        return 3 - stride; // `few` has two words
    return list->power <= KEELI_EDGES_PAGED_FROM ? (uint32_t)1 << list->power
                                                 : list->pages->count << KEELI_EDGES_PAGED_FROM;
}
static inline uint32_t keeli_edge_list_count(const keeli_edge_side *side, uint32_t index) {
    const keeli_edge_list *list = keeli_edge_list_of(side, index);
    return list ? list->used - list->holes : 0;
}
static inline uint32_t keeli_edge_count(const keeli_edges *edges, keeli_end end, uint32_t index) {
    if (!edges->is_chained)
        return keeli_edge_list_count(keeli_edge_side_of(edges, end), index);
    return end == KEELI_SOURCES ? keeli_chain_count(&edges->chains, index)
                                : keeli_chains_have_target(&edges->chains, index);
}

// Return a place in a list of the entity `index`: the first one, the one behind `place`, and the
// last one below `below` (KEELI_NO_EDGE: the last one of all). They return KEELI_NO_EDGE if there
// is none. A place is a number that identifies the edge until the edge is removed or holes are
// closed. For a chain, the place of a source is its index and the place of a target is 0; `below`
// is ignored.
uint32_t keeli_edge_first(const keeli_edges *edges, keeli_end end, uint32_t index);
uint32_t keeli_edge_after(const keeli_edges *edges, keeli_end end, uint32_t index, uint32_t place);
uint32_t keeli_edge_last(const keeli_edges *edges, keeli_end end, uint32_t index, uint32_t below);
#define KEELI_EACH_EDGE(place, edges, end, index)                                                  \
    for (uint32_t place = keeli_edge_first(edges, end, index); place != KEELI_NO_EDGE;             \
         place = keeli_edge_after(edges, end, index, place))

// Returns the first place of a list at `place` or above that is no hole, or KEELI_NO_EDGE.
uint32_t keeli_edge_list_next(const keeli_edge_side *side, uint32_t index, uint32_t place);

// Returns the index of the other entity of the edge at a place: its target if `end` is
// KEELI_TARGETS, otherwise its source.
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
    if (edges->is_chained)
        return end == KEELI_SOURCES ? 0 : index;
    const keeli_edge_side *side = keeli_edge_side_of(edges, end);
    return side->stride == 1
               ? 0
               : keeli_edge_entry(keeli_edge_list_of(side, index), side->stride, place)[1];
}
// Returns the value of the edge at a place of the source's list. The relation must have values.
static inline void *keeli_edge_value(const keeli_edges *edges, uint32_t source, uint32_t place) {
    const keeli_edge_values *v = &edges->values;
    const uint32_t slot = keeli_edge_entry(keeli_edge_list_of(&edges->sources, source),
                                           edges->sources.stride, place)[2];
    return v->pages[slot >> v->shift] + (size_t)(slot & ((1u << v->shift) - 1)) * v->size;
}
// Returns the place of the other direction of a symmetric edge: a place in the list of targets of
// the entity that is the target of this direction.
uint32_t keeli_edge_back(const keeli_edges *edges, uint32_t source, uint32_t place);
// False if edges have no values, and for one of the two directions of a symmetric edge: both share
// one value, and a visit of all values must meet it once.
static inline bool keeli_edge_has_value(const keeli_edges *edges, uint32_t source, uint32_t place) {
    return keeli_edges_have_values(edges) &&
           (!edges->is_symmetric ||
            source <= keeli_edge_other(edges, KEELI_TARGETS, source, place));
}
// The position of a loop over all edges, ordered by source, then by place.
typedef struct keeli_edge_walk {
    uint32_t source, place;
} keeli_edge_walk;
// Moves `walk` to the first edge at its position or behind it. False at the end.
bool keeli_edges_next(const keeli_edges *edges, keeli_edge_walk *walk);
// Returns the place of the target in the list of the source, or KEELI_NO_EDGE if there is no edge.
// It searches the shorter one of both lists.
uint32_t keeli_edges_find(const keeli_edges *edges, uint32_t source, uint32_t target);

// reserve makes room for an edge; false when out of memory. add then adds the edge at the end of
// both lists. The edge must not exist. In an exclusive relation the caller first removes the old
// edge of the source, and in a symmetric one also that of the target. add returns the uninitialised
// place of the value; NULL if the relation has no values.
bool keeli_edges_reserve(keeli_edges *edges, keeli_heap *heap, uint32_t source, uint32_t target);
void *keeli_edges_add(keeli_edges *edges, keel_entity source, keel_entity target);
// Moves a source, which has a target, to the end of its chain.
void keeli_edges_move_last(keeli_edges *edges, uint32_t source);
// Adds an edge to lists if both have room and the edge does not exist; otherwise does nothing and
// returns false. The relation must be neither symmetric nor valued nor chained.
bool keeli_edges_add_beside(keeli_edges *edges, uint32_t source, uint32_t target);
// Make room for `extra` more entries in one list, and for `extra` more values. False when out of
// memory.
bool keeli_edge_reserve(keeli_edges *edges, keeli_heap *heap, keeli_end end, uint32_t index,
                        uint32_t extra);
bool keeli_edges_reserve_values(keeli_edges *edges, keeli_heap *heap, uint32_t extra);
// Removes the edge at a place of the source's list, and in a symmetric relation its other
// direction.
void keeli_edges_remove(keeli_edges *edges, keeli_heap *heap, uint32_t source, uint32_t place);
// Removes all edges to a target of a chained relation.
void keeli_edges_remove_sources(keeli_edges *edges, uint32_t target);
// Reorders the sources of a target, and in a symmetric relation its targets in the same way.
// `places` has all places of the list that are no holes, in the new order. `scratch` has room for
// four words for each of them.
void keeli_edges_order_sources(keeli_edges *edges, uint32_t target, const uint32_t *places,
                               uint32_t *scratch);
// Reorders the sources of a chain. `first` is the first source of the new order. The caller has
// stored in the `previous` of each source which source follows it.
void keeli_edges_relink(keeli_edges *edges, uint32_t target, uint32_t first);
// Removes all edges and frees the memory.
void keeli_edges_clear(keeli_edges *edges, keeli_heap *heap);
// Copies all edges, at the same places, and the bytes of their values to `to`, which has no edges.
// False when out of memory; `to` has no edges then.
bool keeli_edges_copy(keeli_edges *to, const keeli_edges *from, keeli_heap *heap);
// Replace the edges of `to` by a copy of those of `from`, at the same places, with the bytes of
// their values. reserve_like makes room; false when out of memory. assign then copies. Blocks that
// did not change must be the same in both, and are not copied.
bool keeli_edges_reserve_like(keeli_edges *to, const keeli_edges *from, keeli_heap *heap,
                              const keeli_edge_changes *changes);
void keeli_edges_assign(keeli_edges *to, const keeli_edges *from, keeli_heap *heap,
                        const keeli_edge_changes *changes);
// Makes room for the stamps of all blocks, and stamps changes from now on. `epoch` is that of the
// world. False when out of memory.
bool keeli_edges_reserve_stamps(keeli_edges *edges, keeli_heap *heap, const uint32_t *epoch);
// Stops stamping, and frees the stamps.
void keeli_edges_release_stamps(keeli_edges *edges, keeli_heap *heap);
// Stamps all blocks.
void keeli_edges_stamp_all(const keeli_edges *edges);
// Stamps the value of the edge at a place as written, if snapshots exist. Several threads may call
// it at once.
void keeli_edges_mark_value(const keeli_edges *edges, uint32_t source, uint32_t place);
// True if both have the same edges at the same places. `has_plain_values`: the edges have values,
// and these have the same bytes.
bool keeli_edges_are_same(const keeli_edges *a, const keeli_edges *b, bool has_plain_values);
// Frees the pages of entities that have no edges. Does nothing while `walks` is above 0.
void keeli_edges_trim(keeli_edges *edges, keeli_heap *heap);
bool keeli_edges_are_valid(const keeli_edges *edges);
