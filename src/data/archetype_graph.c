// SPDX-License-Identifier: MIT
// Which archetypes there are: found by set of components, and along edges from one to the next.
#include "data/archetype.h"

#include <string.h>

enum { rows_at_most = 1 << KEELI_ROW_SHIFT, block_target = 512 * 1024 };

// ------------------------------------------------------------------ sets
static uint64_t mix(uint64_t x) { // splitmix64
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

// Order does not matter, so that an edge can be followed without sorting.
static uint64_t hash_of(keeli_row_component *const *set, uint32_t count) {
    uint64_t hash = 0;
    for (uint32_t i = 0; i < count; ++i)
        hash ^= mix(set[i]->number);
    return hash;
}

static bool is_same_set(const keeli_archetype *archetype, keeli_row_component *const *set,
                        uint32_t count) {
    return archetype->column_count == count &&
           (count == 0 || memcmp(archetype->columns, set, count * sizeof(void *)) == 0);
}

// The table by set, from the list of all.
static void index_sets(keeli_archetypes *a) {
    memset(a->by_set, 0, a->set_capacity * sizeof(void *));
    for (uint32_t i = 0; i < a->count; ++i) {
        uint32_t at = (uint32_t)a->all[i]->hash & (a->set_capacity - 1);
        while (a->by_set[at])
            at = (at + 1) & (a->set_capacity - 1);
        a->by_set[at] = a->all[i];
    }
}

static bool grow_by_set(keeli_archetypes *a, keeli_heap *heap) {
    if ((a->count + 1) * 2 <= a->set_capacity) return true;
    const uint32_t capacity = a->set_capacity ? a->set_capacity * 2 : 16;
    keeli_archetype **fresh = keeli_new_zeroed(heap, capacity * sizeof *fresh, sizeof(void *));
    if (!fresh) return false;
    keeli_table_free(heap, a->by_set, a->set_capacity);
    a->bytes += (capacity - a->set_capacity) * sizeof *fresh;
    a->by_set = fresh;
    a->set_capacity = capacity;
    index_sets(a);
    return true;
}

static uint32_t rows_per_block(const keeli_archetype *archetype) {
    size_t row = sizeof(keel_entity);
    for (uint32_t c = 0; c < archetype->column_count; ++c)
        row += archetype->columns[c]->size;
    uint32_t rows = rows_at_most;
    while (rows > 1 && rows * row > block_target)
        rows /= 2;
    return rows;
}

static void free_archetype(keeli_archetypes *a, keeli_heap *heap, keeli_archetype *archetype) {
    keeli_table_free(heap, archetype->columns, archetype->column_count);
    keeli_table_free(heap, archetype->blocks, archetype->block_capacity);
    keeli_free(heap, archetype->edges, archetype->edge_capacity * sizeof(keeli_edge),
               sizeof(void *));
    a->bytes -= sizeof *archetype +
                (archetype->column_count + archetype->block_capacity) * sizeof(void *) +
                archetype->edge_capacity * sizeof(keeli_edge);
    KEELI_FREE(heap, keeli_archetype, archetype);
}

static keeli_archetype *new_archetype(keeli_archetypes *a, keeli_heap *heap,
                                      keeli_row_component *const *set, uint32_t count,
                                      uint64_t hash) {
    keeli_archetype *archetype = KEELI_NEW(heap, keeli_archetype);
    if (!archetype) return NULL;
    a->bytes += sizeof *archetype;
    if (count) {
        archetype->columns = keeli_new(heap, count * sizeof(void *), sizeof(void *));
        if (!archetype->columns) {
            free_archetype(a, heap, archetype);
            return NULL;
        }
        memcpy(archetype->columns, set, count * sizeof(void *));
        a->bytes += count * sizeof(void *);
    }
    archetype->column_count = count;
    archetype->hash = hash;
    archetype->rows_per_block = rows_per_block(archetype);
    return archetype;
}

keeli_archetype *keeli_archetypes_find(keeli_archetypes *a, keeli_heap *heap,
                                       keeli_row_component *const *set, uint32_t count) {
    const uint64_t hash = hash_of(set, count);
    if (!grow_by_set(a, heap)) return NULL;
    uint32_t at = (uint32_t)hash & (a->set_capacity - 1);
    for (; a->by_set[at]; at = (at + 1) & (a->set_capacity - 1))
        if (a->by_set[at]->hash == hash && is_same_set(a->by_set[at], set, count))
            return a->by_set[at];
    void *table = keeli_table_grow(heap, a->all, &a->capacity, a->count + 1, &a->bytes);
    if (!table) return NULL;
    a->all = table;
    keeli_archetype *archetype = new_archetype(a, heap, set, count, hash);
    if (!archetype) return NULL;
    archetype->position = a->count;
    a->all[a->count++] = archetype;
    a->by_set[at] = archetype;
    return archetype;
}

uint32_t keeli_archetype_column(const keeli_archetype *archetype, uint32_t number) {
    uint32_t low = 0, high = archetype->column_count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (archetype->columns[middle]->number < number) low = middle + 1;
        else high = middle;
    }
    return low < archetype->column_count && archetype->columns[low]->number == number ? low
                                                                                      : UINT32_MAX;
}

// ------------------------------------------------------------------ edges
static keeli_edge *edge_place(const keeli_archetype *archetype, uint32_t number) {
    const uint32_t mask = archetype->edge_capacity - 1;
    uint32_t at = number & mask;
    while (archetype->edges[at].number && archetype->edges[at].number != number)
        at = (at + 1) & mask;
    return &archetype->edges[at];
}

// The edge of a component, made when there is none; NULL when out of memory.
static keeli_edge *edge_of(keeli_archetypes *a, keeli_heap *heap, keeli_archetype *archetype,
                           uint32_t number) {
    if (archetype->edge_capacity) {
        keeli_edge *edge = edge_place(archetype, number);
        if (edge->number) return edge;
    }
    if ((archetype->edge_count + 1) * 2 > archetype->edge_capacity) {
        const uint32_t old_capacity = archetype->edge_capacity;
        const uint32_t capacity = old_capacity ? old_capacity * 2 : 8;
        keeli_edge *old = archetype->edges;
        keeli_edge *fresh = keeli_new_zeroed(heap, capacity * sizeof *fresh, sizeof(void *));
        if (!fresh) return NULL;
        archetype->edges = fresh;
        archetype->edge_capacity = capacity;
        for (uint32_t i = 0; i < old_capacity; ++i)
            if (old[i].number) *edge_place(archetype, old[i].number) = old[i];
        keeli_free(heap, old, old_capacity * sizeof *old, sizeof(void *));
        a->bytes += (capacity - old_capacity) * sizeof *old;
    }
    keeli_edge *edge = edge_place(archetype, number);
    edge->number = number;
    ++archetype->edge_count;
    return edge;
}

// The set of an archetype with one component put in or left out.
static keeli_archetype *neighbour(keeli_archetypes *a, keeli_heap *heap,
                                  const keeli_archetype *from, keeli_row_component *component,
                                  bool with) {
    const uint32_t count = with ? from->column_count + 1 : from->column_count - 1;
    const size_t bytes = (from->column_count + 1) * sizeof(void *);
    keeli_row_component **set = keeli_new(heap, bytes, sizeof(void *));
    if (!set) return NULL;
    uint32_t n = 0;
    bool placed = !with;
    for (uint32_t c = 0; c < from->column_count; ++c) {
        keeli_row_component *column = from->columns[c];
        if (column == component) continue;
        if (!placed && column->number > component->number) {
            set[n++] = component;
            placed = true;
        }
        set[n++] = column;
    }
    if (!placed) set[n++] = component;
    keeli_archetype *found = keeli_archetypes_find(a, heap, set, count);
    keeli_free(heap, set, bytes, sizeof(void *));
    return found;
}

keeli_archetype *keeli_archetype_with(keeli_archetypes *a, keeli_heap *heap, keeli_archetype *from,
                                      keeli_row_component *component) {
    keeli_edge *edge = edge_of(a, heap, from, component->number);
    if (edge && !edge->with) edge->with = neighbour(a, heap, from, component, true);
    return edge ? edge->with : NULL;
}

keeli_archetype *keeli_archetype_without(keeli_archetypes *a, keeli_heap *heap,
                                         keeli_archetype *from, keeli_row_component *component) {
    keeli_edge *edge = edge_of(a, heap, from, component->number);
    if (edge && !edge->without) edge->without = neighbour(a, heap, from, component, false);
    return edge ? edge->without : NULL;
}

// ------------------------------------------------------------------ all of them
bool keeli_archetypes_init(keeli_archetypes *a, keeli_heap *heap) {
    *a = (keeli_archetypes){ 0 };
    return keeli_archetypes_find(a, heap, NULL, 0) != NULL;
}

void keeli_archetypes_deinit(keeli_archetypes *a, keeli_heap *heap) {
    keeli_archetypes_free_old(a, heap);
    for (uint32_t i = 0; i < a->count; ++i) {
        keeli_archetype_free_rows(a, heap, a->all[i]);
        free_archetype(a, heap, a->all[i]);
    }
    for (uint32_t n = 0; n < a->block_count; ++n)
        KEELI_FREE(heap, keeli_block, a->blocks[n]);
    keeli_table_free(heap, a->blocks, a->block_capacity);
    keeli_table_free(heap, a->all, a->capacity);
    keeli_table_free(heap, a->by_set, a->set_capacity);
    *a = (keeli_archetypes){ 0 };
}

// Trimming frees it: no rows, and not the empty set.
static bool is_idle(const keeli_archetypes *a, const keeli_archetype *archetype) {
    return archetype->row_count == 0 && archetype != a->all[0];
}

static void forget_idle(const keeli_archetypes *a, const keeli_archetype *archetype) {
    for (uint32_t e = 0; e < archetype->edge_capacity; ++e) {
        keeli_edge *edge = &archetype->edges[e];
        if (edge->with && is_idle(a, edge->with)) edge->with = NULL;
        if (edge->without && is_idle(a, edge->without)) edge->without = NULL;
    }
}

void keeli_archetypes_trim(keeli_archetypes *a, keeli_heap *heap) {
    keeli_archetypes_free_old(a, heap);
    for (uint32_t i = 0; i < a->count; ++i) // while what the edges point to is still there
        if (!is_idle(a, a->all[i])) forget_idle(a, a->all[i]);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < a->count; ++i) {
        keeli_archetype *archetype = a->all[i];
        keeli_archetype_trim(a, heap, archetype);
        if (!is_idle(a, archetype)) {
            archetype->position = kept;
            a->all[kept++] = archetype;
            continue;
        }
        free_archetype(a, heap, archetype);
        ++a->generation;
    }
    a->count = kept;
    index_sets(a);
}

// ------------------------------------------------------------------ checking
static bool is_listed(const keeli_archetypes *a, const keeli_archetype *archetype) {
    return archetype->position < a->count && a->all[archetype->position] == archetype;
}

// The other end of an edge has the component more (or less) and is otherwise the same.
static bool is_one_apart(const keeli_archetype *small, const keeli_archetype *large,
                         uint32_t number) {
    if (small->column_count + 1 != large->column_count) return false;
    for (uint32_t s = 0, l = 0; l < large->column_count; ++l) {
        if (large->columns[l]->number == number) continue;
        if (s == small->column_count || small->columns[s++] != large->columns[l]) return false;
    }
    return keeli_archetype_column(small, number) == UINT32_MAX &&
           keeli_archetype_column(large, number) != UINT32_MAX;
}

static bool edges_are_valid(const keeli_archetypes *a, const keeli_archetype *archetype) {
    uint32_t count = 0;
    for (uint32_t e = 0; e < archetype->edge_capacity; ++e) {
        const keeli_edge *edge = &archetype->edges[e];
        if (!edge->number) continue;
        ++count;
        if (keeli_archetype_edge(archetype, edge->number) != edge) return false;
        if (edge->with &&
            (!is_listed(a, edge->with) || !is_one_apart(archetype, edge->with, edge->number)))
            return false;
        if (edge->without &&
            (!is_listed(a, edge->without) || !is_one_apart(edge->without, archetype, edge->number)))
            return false;
    }
    return count == archetype->edge_count;
}

bool keeli_archetype_graph_is_valid(const keeli_archetypes *a) {
    uint32_t filed = 0;
    for (uint32_t at = 0; at < a->set_capacity; ++at)
        filed += a->by_set[at] != NULL;
    if (filed != a->count) return false;
    for (uint32_t i = 0; i < a->count; ++i) {
        const keeli_archetype *archetype = a->all[i];
        if (archetype->position != i) return false;
        for (uint32_t c = 1; c < archetype->column_count; ++c)
            if (archetype->columns[c - 1]->number >= archetype->columns[c]->number) return false;
        uint32_t at = (uint32_t)archetype->hash & (a->set_capacity - 1);
        while (a->by_set[at] && a->by_set[at] != archetype)
            at = (at + 1) & (a->set_capacity - 1);
        if (!a->by_set[at] || !edges_are_valid(a, archetype)) return false;
    }
    return a->count == 0 || a->all[0]->column_count == 0;
}
