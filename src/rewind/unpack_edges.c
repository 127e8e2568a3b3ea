// SPDX-License-Identifier: MIT
// Reads the edges of a relation from the bytes of a snapshot. Chains are built by appending. Lists
// are filled as they are, with their holes: first those of sources, then those of targets, whose
// entries name the places of their twins, so that each pair is checked without a search. unpack.c
// calls this file.
#include "rewind/unpack.h"

#include "world/storage.h"

// Gives an entity the component `targets`.
static bool add_target(keeli_unpack *u, const keeli_relation *r, uint32_t index) {
    if (!keeli_unpack_is_alive(u, index) || !keeli_unpack_is_well(u))
        return false;
    if (keeli_store_has(r->targets, index))
        return keeli_unpack_wrong(u, "a target is listed twice");
    if (!keeli_store_reserve(u->blank, r->targets, index))
        return keeli_unpack_no_memory(u);
    (void)keeli_store_push(u->blank, r->targets, keeli_entity_at(&u->blank->entities, index));
    return true;
}

// True if the entity has the component `sources`; fails otherwise.
static bool is_source(keeli_unpack *u, const keeli_relation *r, uint32_t index) {
    if (!keeli_unpack_is_alive(u, index))
        return false;
    return keeli_store_has(r->sources, index) ||
           keeli_unpack_wrong(u, "the source of an edge lacks the component");
}

// ------------------------------------------------------------------ chains
static bool unpack_chain(keeli_unpack *u, keeli_relation *r) {
    keeli_edges *edges = &r->edges;
    const keeli_entity_index *ix = &u->blank->entities;
    const uint32_t target = keeli_unpack_u32(u);
    const uint32_t count = keeli_unpack_count(u, 4, ix->size);
    if (u->result != KEEL_OK || !add_target(u, r, target))
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t source = keeli_unpack_u32(u);
        if (u->result != KEEL_OK || !is_source(u, r, source))
            return false;
        if (keeli_chains_have_target(&edges->chains, source))
            return keeli_unpack_wrong(u, "the source of an exclusive relation has two targets");
        if (!keeli_edges_reserve(edges, &u->blank->heap, source, target))
            return keeli_unpack_no_memory(u);
        (void)keeli_edges_add(edges, keeli_entity_at(ix, source), keeli_entity_at(ix, target));
    }
    return keeli_unpack_is_well(u);
}

// True if no chain of targets leads back to its beginning. Each search goes up until it meets an
// index of an earlier search, which leads to an end, or one of its own, which is a cycle.
static bool is_acyclic(keeli_unpack *u, const keeli_relation *r) {
    const keeli_chains *chains = &r->edges.chains;
    if (!keeli_unpack_search(u))
        return false;
    const uint32_t first = u->mark;
    KEELI_EACH_BIT(i, &r->sources->presence) {
        uint32_t at = i;
        const uint32_t mark = ++u->mark;
        while (u->marks.items[at] < first && keeli_chains_have_target(chains, at)) {
            u->marks.items[at] = mark;
            at = keeli_index_of(keeli_link_at(chains, at)->target);
        }
        if (u->marks.items[at] == mark)
            return keeli_unpack_wrong(u, "the edges of an acyclic relation lead back");
    }
    return true;
}

static bool unpack_chains(keeli_unpack *u, keeli_relation *r) {
    const uint32_t count = keeli_unpack_count(u, 8, u->blank->entities.size);
    for (uint32_t i = 0; i < count; ++i)
        if (!unpack_chain(u, r))
            return false;
    return !r->is_acyclic || is_acyclic(u, r);
}

// ------------------------------------------------------------------ lists
// The lists of a relation while they are read.
typedef struct edge_lists {
    keeli_unpack *u;
    keeli_relation *r;
    uint32_t *backs; // place of the other direction, for each entry of a source in the order of
                     // reading; NULL: the relation is not symmetric
    uint32_t total;  // entries of all sources that are no holes
} edge_lists;

// Makes room for the `used` places of a list, which was empty, and returns it. NULL on error.
static keeli_edge_list *reserve_list(const edge_lists *l, keeli_end end, uint32_t index,
                                     uint32_t used) {
    keeli_unpack *u = l->u;
    keeli_edges *edges = &l->r->edges;
    const keeli_edge_side *side = keeli_edge_side_of(edges, end);
    const keeli_edge_list *known = keeli_edge_list_of(side, index);
    if ((known && known->used) || !used || used >> 26) {
        keeli_unpack_wrong(u, "a list of edges is empty, or occurs twice");
        return NULL;
    }
    if (!keeli_edge_reserve(edges, &u->blank->heap, end, index, used)) {
        keeli_unpack_no_memory(u);
        return NULL;
    }
    return keeli_unpack_is_well(u) ? keeli_edge_list_of(side, index) : NULL;
}

static void push_hole(keeli_edge_list *list, uint32_t stride) {
    *keeli_edge_entry(list, stride, list->used) = KEELI_HOLE;
    ++list->used;
    ++list->holes;
}

// Reads an entry of a source's list. `most` is the number of entries of all sources.
static bool unpack_target_of(edge_lists *l, keeli_edge_list *list, uint32_t most) {
    keeli_unpack *u = l->u;
    const uint32_t stride = l->r->edges.sources.stride, target = keeli_unpack_u32(u);
    if (u->result == KEEL_OK && target == KEELI_HOLE) {
        push_hole(list, stride);
        return true;
    }
    if (u->result != KEEL_OK || !keeli_unpack_is_alive(u, target))
        return false;
    if (l->total == most || keeli_unpack_is_repeated(u, target))
        return keeli_unpack_wrong(u, "an edge occurs twice, or there are more than were counted");
    if (l->backs)
        l->backs[l->total] = keeli_unpack_u32(u);
    uint32_t *entry = keeli_edge_entry(list, stride, list->used);
    entry[0] = target;
    entry[1] = KEELI_NO_EDGE; // until the list of the target is read
    if (stride == 3)
        entry[2] = KEELI_NO_EDGE;
    ++list->used;
    ++l->total;
    return true;
}

// Reads the values of a source's edges, and gives them slots.
static bool unpack_edge_values(edge_lists *l, uint32_t source) {
    keeli_unpack *u = l->u;
    keeli_edges *edges = &l->r->edges;
    keeli_edge_values *v = &edges->values;
    const uint32_t size = l->r->sources->component.size;
    KEELI_EACH_EDGE(at, edges, KEELI_TARGETS, source) {
        if (!keeli_edge_has_value(edges, source, at))
            continue;
        const unsigned char *value = keeli_unpack_bytes(u, size);
        if (!value)
            return false;
        if (!keeli_edges_reserve_values(edges, &u->blank->heap, 1))
            return keeli_unpack_no_memory(u);
        keeli_edge_entry(keeli_edge_list_of(&edges->sources, source), 3, at)[2] = v->used++;
        memcpy(keeli_edge_value(edges, source, at), value, size);
    }
    return true;
}

static bool unpack_source(edge_lists *l, uint32_t most) {
    keeli_unpack *u = l->u;
    const keeli_edges *edges = &l->r->edges;
    const uint32_t source = keeli_unpack_u32(u), used = keeli_unpack_count(u, 4, UINT32_MAX);
    if (u->result != KEEL_OK || !is_source(u, l->r, source) || !keeli_unpack_search(u))
        return false;
    keeli_edge_list *list = reserve_list(l, KEELI_TARGETS, source, used);
    if (!list)
        return false;
    for (uint32_t i = 0; i < used; ++i)
        if (!unpack_target_of(l, list, most))
            return false;
    const uint32_t count = list->used - list->holes;
    if (!count || (edges->is_exclusive && (count != 1 || list->holes)))
        return keeli_unpack_wrong(u, "a source has no target, or more than it may have");
    return !keeli_edges_have_values(edges) || unpack_edge_values(l, source);
}

// Reads an entry of a target's list, and links it with its twin.
static bool unpack_source_of(const edge_lists *l, keeli_edge_list *list, uint32_t target) {
    keeli_unpack *u = l->u;
    const keeli_edges *edges = &l->r->edges;
    const uint32_t stride = edges->targets.stride, source = keeli_unpack_u32(u);
    if (u->result == KEEL_OK && source == KEELI_HOLE) {
        push_hole(list, stride);
        return true;
    }
    const uint32_t twin = keeli_unpack_u32(u);
    if (u->result != KEEL_OK || !keeli_unpack_is_alive(u, source))
        return false;
    keeli_edge_list *there = keeli_edge_list_of(&edges->sources, source);
    uint32_t *back =
        there && twin < there->used ? keeli_edge_entry(there, edges->sources.stride, twin) : NULL;
    if (!back || back[0] != target || back[1] != KEELI_NO_EDGE)
        return keeli_unpack_wrong(u, "the two directions of an edge disagree");

    uint32_t *entry = keeli_edge_entry(list, stride, list->used);
    entry[0] = source;
    if (stride == 2)
        entry[1] = twin;
    back[1] = list->used++;
    return true;
}

static bool unpack_target(const edge_lists *l, uint32_t *found) {
    keeli_unpack *u = l->u;
    const uint32_t target = keeli_unpack_u32(u), used = keeli_unpack_count(u, 4, UINT32_MAX);
    if (u->result != KEEL_OK || !add_target(u, l->r, target))
        return false;
    keeli_edge_list *list = reserve_list(l, KEELI_SOURCES, target, used);
    if (!list)
        return false;
    for (uint32_t i = 0; i < used; ++i)
        if (!unpack_source_of(l, list, target))
            return false;
    *found += list->used - list->holes;
    return list->used != list->holes || keeli_unpack_wrong(u, "a target has no source");
}

// Checks both directions of each symmetric edge, and gives them one value.
static bool join_directions(const edge_lists *l) {
    const keeli_edges *edges = &l->r->edges;
    const keeli_edge_side *side = &edges->sources;
    uint32_t number = 0;
    if (!l->backs)
        return true;
    for (keeli_edge_walk at = { 0, 0 }; keeli_edges_next(edges, &at); ++at.place) {
        const uint32_t target = keeli_edge_other(edges, KEELI_TARGETS, at.source, at.place);
        const uint32_t back = l->backs[number++];
        keeli_edge_list *there = keeli_edge_list_of(side, target);
        uint32_t *other =
            there && back < there->used ? keeli_edge_entry(there, side->stride, back) : NULL;
        if (!other || other[0] != at.source)
            return keeli_unpack_wrong(l->u, "an edge of a symmetric relation has one direction");
        if (side->stride == 3 && at.source > target)
            keeli_edge_entry(keeli_edge_list_of(side, at.source), 3, at.place)[2] = other[2];
    }
    return true;
}

static bool unpack_sides(edge_lists *l, uint32_t most) {
    keeli_unpack *u = l->u;
    uint32_t found = 0, last = 0;
    const uint32_t sources = keeli_unpack_count(u, 12, u->blank->entities.size);
    for (uint32_t i = 0; i < sources; ++i) {
        const uint32_t source = u->end - u->at >= 4 ? keeli_unpack_at(u->at, 0) : 0;
        if (i && source <= last) // `backs` has the order of a walk over all edges
            return keeli_unpack_wrong(u, "the sources of edges are not in ascending order");
        last = source;
        if (!unpack_source(l, most))
            return false;
    }
    const uint32_t targets = keeli_unpack_count(u, 12, u->blank->entities.size);
    for (uint32_t i = 0; i < targets; ++i)
        if (!unpack_target(l, &found))
            return false;
    if (u->result != KEEL_OK)
        return false;
    if (found != l->total || l->total != most)
        return keeli_unpack_wrong(u, "the two directions of an edge disagree");
    l->r->edges.count = most;
    return join_directions(l);
}

static bool unpack_lists(keeli_unpack *u, keeli_relation *r) {
    edge_lists l = { .u = u, .r = r };
    const uint32_t most = keeli_unpack_count(u, 8, UINT32_MAX);
    const size_t bytes = r->edges.is_symmetric ? most * sizeof *l.backs : 0;
    if (most && keeli_edges_have_values(&r->edges) && keeli_is_hooked(r->sources))
        return keeli_unpack_fail(u, KEEL_ERROR_SCHEMA,
                                 "component '%.60s': the bytes have values, but here the component "
                                 "has hooks, so a value is more than its bytes",
                                 r->sources->component.name);
    l.backs = keeli_new(&u->blank->heap, bytes, _Alignof(uint32_t));
    if (bytes && !l.backs)
        return keeli_unpack_no_memory(u);
    const bool is_well = unpack_sides(&l, most);
    keeli_free(&u->blank->heap, l.backs, bytes, _Alignof(uint32_t));
    return is_well;
}

bool keeli_unpack_edges(keeli_unpack *u, keeli_relation *r) {
    return r->edges.is_chained ? unpack_chains(u, r) : unpack_lists(u, r);
}
