// SPDX-License-Identifier: MIT
// Archetype storage, see the header: the table of archetypes by set of components, the cached edges
// between them, and their blocks and rows.
#include "data/archetype.h"

#include "base/assert.h"
#include "base/bytes.h"

#include <string.h>

static char tag_values[1]; // base of every column of a tag, so that no base is NULL

enum { first_rows = KEELI_SIZE(8, 1), rows_at_most = KEELI_PAGE, block_target = 512 * 1024 };

// ------------------------------------------------------------------ sets
// Returns the hash of a set of components. It does not depend on their order.
static uint64_t hash_of(keeli_row_component *const *set, uint32_t count) {
    uint64_t hash = 0;
    for (uint32_t i = 0; i < count; ++i)
        hash ^= keeli_hash_mix(set[i]->number);
    return hash;
}

static bool is_same_set(const keeli_archetype *archetype, keeli_row_component *const *set,
                        uint32_t count) {
    return archetype->column_count == count &&
           (count == 0 || memcmp(archetype->columns, set, count * sizeof(void *)) == 0);
}

// Fills the table by set anew from the list of all archetypes.
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
    if ((a->count + 1) * 2 <= a->set_capacity)
        return true;
    const uint32_t capacity = a->set_capacity ? a->set_capacity * 2 : KEELI_SIZE(16, 2);
    keeli_archetype **fresh = keeli_new_zeroed(heap, capacity * sizeof *fresh, sizeof(void *));
    if (!fresh)
        return false;
    keeli_table_free(heap, a->by_set, a->set_capacity);
    a->bytes += (capacity - a->set_capacity) * sizeof *fresh;
    a->by_set = fresh;
    a->set_capacity = capacity;
    index_sets(a);
    return true;
}

// ------------------------------------------------------------------ bits of `filled`
// Makes room in `filled` for the bit of one more archetype, which has no rows. False when out of
// memory.
static bool reserve_bit(keeli_archetypes *a, keeli_heap *heap) {
    const uint32_t had = a->filled.capacity;
    if (a->count < a->filled.count * 64)
        return true;
    if (!KEELI_RESERVE(heap, &a->filled, 1))
        return false;
    a->bytes += (a->filled.capacity - had) * sizeof *a->filled.items;
    *KEELI_APPEND(&a->filled) = 0;
    return true;
}

// Sets all bits of `filled` anew from the list of all archetypes.
static void index_filled(keeli_archetypes *a) {
    a->filled.count = (a->count + 63) / 64;
    memset(a->filled.items, 0, a->filled.count * sizeof *a->filled.items);
    for (uint32_t i = 0; i < a->count; ++i)
        a->filled.items[i / 64] |= (uint64_t)(a->all[i]->row_count != 0) << i % 64;
    ++a->turns;
}

// ------------------------------------------------------------------ creating and finding
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
    if (!archetype)
        return NULL;
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
    if (!grow_by_set(a, heap))
        return NULL;
    uint32_t at = (uint32_t)hash & (a->set_capacity - 1);
    for (; a->by_set[at]; at = (at + 1) & (a->set_capacity - 1))
        if (a->by_set[at]->hash == hash && is_same_set(a->by_set[at], set, count))
            return a->by_set[at];
    void *table = keeli_table_grow(heap, a->all, &a->capacity, a->count + 1, &a->bytes);
    if (!table)
        return NULL;
    a->all = table;
    if (!reserve_bit(a, heap))
        return NULL;
    keeli_archetype *archetype = new_archetype(a, heap, set, count, hash);
    if (!archetype)
        return NULL;
    archetype->position = a->count;
    a->all[a->count++] = archetype;
    a->by_set[at] = archetype;
    return archetype;
}

uint32_t keeli_archetype_column(const keeli_archetype *archetype, uint32_t number) {
    uint32_t low = 0, high = archetype->column_count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (archetype->columns[middle]->number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < archetype->column_count && archetype->columns[low]->number == number ? low
                                                                                      : UINT32_MAX;
}

// ------------------------------------------------------------------ edges
static bool grow_edges(keeli_archetypes *a, keeli_heap *heap, keeli_archetype *archetype) {
    const uint32_t had = archetype->edge_capacity,
                   capacity = had ? had * 2 : KEELI_SIZE(8, 2); // never full
    keeli_edge *old = archetype->edges;
    keeli_edge *fresh = keeli_new_zeroed(heap, capacity * sizeof *fresh, sizeof(void *));
    if (!fresh)
        return false;
    archetype->edges = fresh;
    archetype->edge_capacity = capacity;
    for (uint32_t i = 0; i < had; ++i)
        if (old[i].number)
            *keeli_edge_place(archetype, old[i].number) = old[i];
    keeli_free(heap, old, had * sizeof *old, sizeof(void *));
    a->bytes += (capacity - had) * sizeof *old;
    return true;
}

// Returns the edge of a component, and creates it if there is none. NULL when out of memory.
static keeli_edge *edge_of(keeli_archetypes *a, keeli_heap *heap, keeli_archetype *archetype,
                           uint32_t number) {
    keeli_edge *edge = keeli_archetype_edge(archetype, number);
    if (edge)
        return edge;
    if ((archetype->edge_count + 1) * 2 > archetype->edge_capacity &&
        !grow_edges(a, heap, archetype))
        return NULL;
    edge = keeli_edge_place(archetype, number);
    edge->number = number;
    ++archetype->edge_count;
    return edge;
}

// Returns the archetype of the set of `from` with one component added or removed. NULL when out of
// memory.
static keeli_archetype *neighbour(keeli_archetypes *a, keeli_heap *heap,
                                  const keeli_archetype *from, keeli_row_component *component,
                                  bool with) {
    const size_t bytes = (from->column_count + 1) * sizeof(void *);
    keeli_row_component **set = keeli_new(heap, bytes, sizeof(void *));
    if (!set)
        return NULL;
    uint32_t count = 0;
    for (uint32_t c = 0; c < from->column_count; ++c)
        if (from->columns[c] != component)
            set[count++] = from->columns[c];
    if (with) {
        uint32_t at = count;
        for (; at && set[at - 1]->number > component->number; --at)
            set[at] = set[at - 1];
        set[at] = component;
    }
    keeli_archetype *found = keeli_archetypes_find(a, heap, set, count + with);
    keeli_free(heap, set, bytes, sizeof(void *));
    return found;
}

keeli_archetype *keeli_archetype_with(keeli_archetypes *a, keeli_heap *heap, keeli_archetype *from,
                                      keeli_row_component *component) {
    keeli_edge *edge = edge_of(a, heap, from, component->number);
    if (edge && !edge->with)
        edge->with = neighbour(a, heap, from, component, true);
    return edge ? edge->with : NULL;
}

keeli_archetype *keeli_archetype_without(keeli_archetypes *a, keeli_heap *heap,
                                         keeli_archetype *from, keeli_row_component *component) {
    keeli_edge *edge = edge_of(a, heap, from, component->number);
    if (edge && !edge->without)
        edge->without = neighbour(a, heap, from, component, false);
    return edge ? edge->without : NULL;
}

// ------------------------------------------------------------------ blocks
static size_t align_up(size_t at, size_t align) { return (at + align - 1) & ~(align - 1); }

// Returns the offset of column `k` in a block of `capacity` rows; with k = column_count: the size
// of the block.
static size_t column_offset(const keeli_archetype *archetype, uint32_t capacity, uint32_t k) {
    size_t at = capacity * sizeof(keel_entity);
    for (uint32_t c = 0; c < archetype->column_count; ++c) {
        const keeli_row_component *column = archetype->columns[c];
        at = align_up(at, column->align > 64 ? column->align : 64);
        if (c == k)
            return at;
        at += (size_t)capacity * column->size;
    }
    return align_up(at, 64);
}

static size_t block_align(const keeli_archetype *archetype) {
    size_t align = 64;
    for (uint32_t c = 0; c < archetype->column_count; ++c)
        if (archetype->columns[c]->align > align)
            align = archetype->columns[c]->align;
    return align;
}

static void set_column_bases(const keeli_archetype *archetype, const keeli_block *block) {
    for (uint32_t c = 0; c < archetype->column_count; ++c) {
        keeli_row_component *column = archetype->columns[c];
        column->bases[block->number] =
            column->size ? (char *)block->entities + column_offset(archetype, block->capacity, c)
                         : tag_values;
    }
}

static bool reserve_bases(keeli_heap *heap, const keeli_archetype *archetype, uint32_t number) {
    for (uint32_t c = 0; c < archetype->column_count; ++c) {
        keeli_row_component *column = archetype->columns[c];
        size_t bytes = 0; // not added to a->bytes: the owner of the component counts them
        void *table =
            keeli_table_grow(heap, column->bases, &column->base_capacity, number + 1, &bytes);
        if (!table)
            return false;
        column->bases = table;
        column->root.pages = column->bases;
    }
    return true;
}

// Returns a block without memory: the first free one, or a new block with the next number. It stays
// first in the list of free blocks until add_block has allocated its memory. NULL when out of
// memory or numbers.
static keeli_block *new_block(keeli_archetypes *a, keeli_heap *heap) {
    if (a->free)
        return a->free;
    if (a->block_count == (1u << (32 - KEELI_ROW_SHIFT)) - 1)
        return NULL;
    void *table =
        keeli_table_grow(heap, a->blocks, &a->block_capacity, a->block_count + 1, &a->bytes);
    if (!table)
        return NULL;
    a->blocks = table;
    keeli_block *block = KEELI_NEW(heap, keeli_block);
    if (!block)
        return NULL;
    a->bytes += sizeof *block;
    block->number = a->block_count;
    a->blocks[a->block_count++] = block;
    a->free = block;
    return block;
}

static bool allocate_block(keeli_archetypes *a, keeli_heap *heap, const keeli_archetype *archetype,
                           keeli_block *block, uint32_t capacity) {
    const size_t bytes = column_offset(archetype, capacity, archetype->column_count);
    const size_t align = block_align(archetype);
    keel_entity *memory = keeli_new(heap, bytes, align);
    if (!memory)
        return false;
    block->entities = memory;
    block->capacity = capacity;
    block->bytes = bytes;
    block->align = align;
    a->bytes += bytes;
    return true;
}

// Allocates the memory of a block and appends it to the blocks of an archetype. False when out of
// memory.
static bool equip(keeli_archetypes *a, keeli_heap *heap, keeli_archetype *archetype,
                  keeli_block *block, uint32_t capacity) {
    void *table = keeli_table_grow(heap, archetype->blocks, &archetype->block_capacity,
                                   archetype->block_count + 1, &a->bytes);
    if (!table)
        return false;
    archetype->blocks = table;
    if (!reserve_bases(heap, archetype, block->number))
        return false;
    if (!allocate_block(a, heap, archetype, block, capacity))
        return false;
    archetype->block_shift = (uint32_t)__builtin_ctz(capacity);
    block->archetype = archetype;
    block->count = 0;
    archetype->blocks[archetype->block_count++] = block;
    return true;
}

static bool add_block(keeli_archetypes *a, keeli_heap *heap, keeli_archetype *archetype,
                      uint32_t capacity) {
    keeli_block *block = new_block(a, heap);
    if (!block || !equip(a, heap, archetype, block, capacity))
        return false;
    a->free = block->next_free;
    set_column_bases(archetype, block);
    return true;
}

static void free_memory(keeli_archetypes *a, keeli_heap *heap, const keeli_block *block) {
    keeli_free(heap, block->entities, block->bytes, block->align);
    a->bytes -= block->bytes;
}

static void free_block(keeli_archetypes *a, keeli_heap *heap, keeli_block *block) {
    free_memory(a, heap, block);
    block->archetype = NULL;
    block->entities = NULL;
    block->next_free = a->free;
    a->free = block;
}

void keeli_archetypes_free_old(keeli_archetypes *a, keeli_heap *heap) {
    if (!a->old.entities)
        return;
    free_memory(a, heap, &a->old);
    a->old.entities = NULL;
}

static void move_values(const keeli_row_component *c, char *to, char *from, uint32_t count) {
    if (!c->move) {
        memcpy(to, from, (size_t)count * c->size);
        return;
    }
    for (uint32_t i = 0; i < count; ++i)
        c->move(to + (size_t)i * c->size, from + (size_t)i * c->size, c->hook_data);
}

// Grows the only block of a small archetype. Its old memory is freed later, see
// keeli_archetypes_free_old.
static bool grow_block(keeli_archetypes *a, keeli_heap *heap, keeli_archetype *archetype,
                       uint32_t capacity) {
    ++a->moves; // the rows keep their places, but their values get other addresses
    keeli_block *block = archetype->blocks[0];
    const keeli_block old = *block;
    if (!allocate_block(a, heap, archetype, block, capacity))
        return false;
    memcpy(block->entities, old.entities, old.count * sizeof(keel_entity));
    for (uint32_t c = 0; c < archetype->column_count; ++c) {
        const keeli_row_component *column = archetype->columns[c];
        if (column->size)
            move_values(column, (char *)block->entities + column_offset(archetype, capacity, c),
                        column->bases[block->number], old.count);
    }
    archetype->block_shift = (uint32_t)__builtin_ctz(capacity);
    set_column_bases(archetype, block);
    keeli_archetypes_free_old(a, heap);
    a->old = old;
    return true;
}

static uint64_t room(const keeli_archetype *archetype) {
    return ((uint64_t)archetype->block_count << archetype->block_shift) - archetype->row_count;
}

bool keeli_archetype_reserve(keeli_archetypes *a, keeli_heap *heap, keeli_archetype *archetype,
                             uint32_t extra) {
    while (room(archetype) < extra) {
        const uint64_t need = (uint64_t)archetype->row_count + extra;
        const uint32_t full = archetype->rows_per_block;
        uint32_t capacity = archetype->block_count ? archetype->blocks[0]->capacity : 0;
        if (archetype->block_count == 0 || capacity == full) {
            uint32_t first = archetype->block_count ? full : first_rows;
            while (first < need && first < full)
                first *= 2;
            if (!add_block(a, heap, archetype, first < full ? first : full))
                return false;
        } else {
            while (capacity < need && capacity < full)
                capacity *= 2;
            if (!grow_block(a, heap, archetype, capacity < full ? capacity : full))
                return false;
        }
    }
    return true;
}

// ------------------------------------------------------------------ rows
// Returns the block that has the last row. The archetype has rows.
static keeli_block *last_block(const keeli_archetype *archetype) {
    return archetype->blocks[(archetype->row_count - 1) >> archetype->block_shift];
}

static void move_one(const keeli_row_component *c, uint32_t to, uint32_t from) {
    if (!c->size)
        return;
    if (c->move)
        c->move(keeli_row_value(c, to), keeli_row_value(c, from), c->hook_data);
    else
        keeli_bytes_copy(keeli_row_value(c, to), keeli_row_value(c, from), c->size);
}

void keeli_archetype_push_many(keeli_archetypes *a, keeli_archetype *archetype,
                               keeli_entity_index *ix, const keel_entity *entities,
                               uint32_t count) {
    const bool turns = count && archetype->row_count == 0;
    while (count) {
        KEELI_ASSERT_ROOM(keeli_archetype_has_room(archetype));
        keeli_block *block = archetype->blocks[archetype->row_count >> archetype->block_shift];
        KEELI_ASSERT_ROOM(block->count < block->capacity);
        const uint32_t room = block->capacity - block->count, n = count < room ? count : room;
        const uint32_t place = block->number << KEELI_ROW_SHIFT | block->count;
        memcpy(block->entities + block->count, entities, n * sizeof *entities);
        for (uint32_t i = 0; i < n; ++i)
            *keeli_row_of(ix, keeli_index_of(entities[i])) = place + i;
        block->count += n;
        archetype->row_count += n;
        entities += n;
        count -= n;
    }
    if (turns)
        keeli_archetype_turn(a, archetype);
}

// Removes the last row. Its values were moved out or dropped.
static void pop_row(keeli_archetypes *a, keeli_archetype *archetype) {
    keeli_block *last = last_block(archetype);
    const uint32_t place = last->number << KEELI_ROW_SHIFT | --last->count;
    if (--archetype->row_count == 0)
        keeli_archetype_turn(a, archetype);
    if (KEELI_CHECKED) {
        for (uint32_t c = 0; c < archetype->column_count; ++c) {
            const keeli_row_component *column = archetype->columns[c];
            if (column->size)
                keeli_bytes_vacate(keeli_row_value(column, place), column->size);
        }
    }
}

void keeli_archetype_remove(keeli_archetypes *a, keeli_entity_index *ix, uint32_t place) {
    keeli_block *block = keeli_block_of(a, place);
    keeli_archetype *archetype = block->archetype;
    keeli_block *last = last_block(archetype);
    const uint32_t from = last->number << KEELI_ROW_SHIFT | (last->count - 1);
    ++a->moves;
    if (from != place) {
        const keel_entity moved = last->entities[last->count - 1];
        block->entities[place & KEELI_ROW_MASK] = moved;
        for (uint32_t c = 0; c < archetype->column_count; ++c)
            move_one(archetype->columns[c], place, from);
        *keeli_row_of(ix, keeli_index_of(moved)) = place;
    }
    pop_row(a, archetype);
}

uint32_t keeli_archetype_copy_row(keeli_archetypes *a, uint32_t place, keeli_archetype *to) {
    const keeli_block *block = keeli_block_of(a, place);
    const keeli_archetype *from = block->archetype;
    const uint32_t target = keeli_archetype_push(a, to, block->entities[place & KEELI_ROW_MASK]);
    for (uint32_t f = 0, t = 0; f < from->column_count && t < to->column_count;) {
        const uint32_t a_number = from->columns[f]->number, b_number = to->columns[t]->number;
        if (a_number == b_number)
            move_one(to->columns[t], target, place);
        f += a_number <= b_number;
        t += b_number <= a_number;
    }
    return target;
}

// Moves the values of `count` adjacent rows for each component that both archetypes have.
static void move_common(const keeli_archetype *from, uint32_t place, const keeli_archetype *to,
                        uint32_t target, uint32_t count) {
    for (uint32_t t = 0; t < to->column_count; ++t) {
        const keeli_row_component *c = to->columns[t];
        if (c->size && keeli_archetype_column(from, c->number) != UINT32_MAX)
            move_values(c, keeli_row_value(c, target), keeli_row_value(c, place), count);
    }
}

void keeli_archetype_copy_rows(keeli_archetypes *a, keeli_entity_index *ix, uint32_t place,
                               uint32_t count, keeli_archetype *to) {
    const keeli_block *old = keeli_block_of(a, place);
    const keel_entity *entities = old->entities + (place & KEELI_ROW_MASK);
    ++a->moves;
    if (to->column_count == 0) {
        for (uint32_t i = 0; i < count; ++i)
            *keeli_row_of(ix, keeli_index_of(entities[i])) = KEELI_NO_ROW;
    }
    if (to->column_count) {
        for (uint32_t n; count; count -= n, place += n, entities += n) {
            KEELI_ASSERT_ROOM(keeli_archetype_has_room(to));
            const keeli_block *block = to->blocks[to->row_count >> to->block_shift];
            const uint32_t left = block->capacity - block->count;
            n = count < left ? count : left;
            move_common(old->archetype, place, to, block->number << KEELI_ROW_SHIFT | block->count,
                        n);
            keeli_archetype_push_many(a, to, ix, entities, n);
        }
    }
}

// True if the last row is an old one: the entity index has another place for its entity.
static bool last_is_left(const keeli_archetype *archetype, const keeli_entity_index *ix) {
    const keeli_block *last = last_block(archetype);
    return *keeli_row_of(ix, keeli_index_of(last->entities[last->count - 1])) !=
           (last->number << KEELI_ROW_SHIFT | (last->count - 1));
}

void keeli_archetype_remove_left(keeli_archetypes *a, keeli_entity_index *ix,
                                 const uint32_t *places, uint32_t count) {
    ++a->moves;
    for (uint32_t i = 0; i < count; ++i) {
        const keeli_block *block = keeli_block_of(a, places[i]);
        keeli_archetype *archetype = block->archetype;
        // keeli_archetype_remove moves the last row, so the last row must be one that stays
        while (archetype->row_count && last_is_left(archetype, ix))
            pop_row(a, archetype);
        if ((places[i] & KEELI_ROW_MASK) < block->count)
            keeli_archetype_remove(a, ix, places[i]);
    }
}

// ------------------------------------------------------------------ clearing
void keeli_archetype_trim(keeli_archetypes *a, keeli_heap *heap, keeli_archetype *archetype) {
    while (archetype->block_count && archetype->blocks[archetype->block_count - 1]->count == 0)
        free_block(a, heap, archetype->blocks[--archetype->block_count]);
}

void keeli_archetype_clear(keeli_archetypes *a, keeli_entity_index *ix,
                           keeli_archetype *archetype) {
    for (uint32_t b = 0; b < archetype->block_count; ++b) {
        keeli_block *block = archetype->blocks[b];
        for (uint32_t c = 0; c < archetype->column_count; ++c) {
            const keeli_row_component *column = archetype->columns[c];
            if (column->drop) {
                for (uint32_t row = 0; row < block->count; ++row)
                    column->drop(keeli_row_value(column, block->number << KEELI_ROW_SHIFT | row),
                                 column->hook_data);
            }
        }
        if (ix) {
            for (uint32_t row = 0; row < block->count; ++row)
                *keeli_row_of(ix, keeli_index_of(block->entities[row])) = KEELI_NO_ROW;
        }
        block->count = 0;
    }
    if (!archetype->row_count)
        return;
    ++a->moves;
    keeli_archetype_turn(a, archetype);
    archetype->row_count = 0;
}

// ------------------------------------------------------------------ all of them
bool keeli_archetypes_init(keeli_archetypes *a, keeli_heap *heap) {
    *a = (keeli_archetypes){ 0 };
    return keeli_archetypes_find(a, heap, NULL, 0) != NULL;
}

void keeli_archetypes_deinit(keeli_archetypes *a, keeli_heap *heap) {
    keeli_archetypes_free_old(a, heap);
    for (uint32_t i = 0; i < a->count; ++i) {
        keeli_archetype_clear(a, NULL, a->all[i]);
        keeli_archetype_trim(a, heap, a->all[i]);
        free_archetype(a, heap, a->all[i]);
    }
    for (uint32_t n = 0; n < a->block_count; ++n)
        KEELI_FREE(heap, keeli_block, a->blocks[n]);
    keeli_table_free(heap, a->blocks, a->block_capacity);
    keeli_table_free(heap, a->all, a->capacity);
    keeli_table_free(heap, a->by_set, a->set_capacity);
    KEELI_RELEASE(heap, &a->filled);
    *a = (keeli_archetypes){ 0 };
}

// ------------------------------------------------------------------ copying
static bool are_alike(const keeli_archetype *a, const keeli_archetype *b) {
    if (a->column_count != b->column_count || a->block_count != b->block_count)
        return false;
    for (uint32_t c = 0; c < a->column_count; ++c)
        if (a->columns[c]->number != b->columns[c]->number)
            return false;
    for (uint32_t i = 0; i < a->block_count; ++i)
        if (a->blocks[i]->number != b->blocks[i]->number ||
            a->blocks[i]->capacity != b->blocks[i]->capacity)
            return false;
    return true;
}

bool keeli_archetypes_are_alike(const keeli_archetypes *a, const keeli_archetypes *b) {
    const keeli_block *free_a = a->free, *free_b = b->free;
    for (; free_a && free_b && free_a->number == free_b->number; free_b = free_b->next_free)
        free_a = free_a->next_free;
    if (a->count != b->count || a->block_count != b->block_count || free_a || free_b)
        return false;
    for (uint32_t i = 0; i < a->count; ++i)
        if (!are_alike(a->all[i], b->all[i]))
            return false;
    return true;
}

// Creates blocks without memory, with the numbers that `from` has, and puts the same numbers into
// the list of free blocks in the same order. False when out of memory.
static bool make_numbers(keeli_archetypes *a, keeli_heap *heap, const keeli_archetypes *from) {
    while (a->block_count < from->block_count) {
        a->free = NULL; // otherwise new_block returns the same block again
        if (!new_block(a, heap))
            return false;
    }
    keeli_block **last = &a->free;
    for (const keeli_block *b = from->free; b; b = b->next_free) {
        *last = a->blocks[b->number];
        last = &(*last)->next_free;
    }
    *last = NULL;
    return true;
}

static keeli_archetype *make_archetype(keeli_archetypes *a, keeli_heap *heap,
                                       const keeli_archetype *like,
                                       keeli_row_component *(*find)(void *data, uint32_t number),
                                       void *data) {
    const size_t bytes = (like->column_count + 1) * sizeof(keeli_row_component *);
    keeli_row_component **set = keeli_new(heap, bytes, sizeof(void *));
    if (!set)
        return NULL;
    for (uint32_t c = 0; c < like->column_count; ++c)
        set[c] = find(data, like->columns[c]->number);
    keeli_archetype *made = keeli_archetypes_find(a, heap, set, like->column_count);
    keeli_free(heap, set, bytes, sizeof(void *));
    return made;
}

bool keeli_archetypes_make_alike(keeli_archetypes *fresh, keeli_heap *heap,
                                 const keeli_archetypes *from,
                                 keeli_row_component *(*find)(void *data, uint32_t number),
                                 void *data) {
    *fresh = (keeli_archetypes){ 0 };
    bool done = make_numbers(fresh, heap, from);
    for (uint32_t i = 0; done && i < from->count; ++i) {
        const keeli_archetype *like = from->all[i];
        keeli_archetype *made = make_archetype(fresh, heap, like, find, data);
        done = made != NULL;
        for (uint32_t b = 0; done && b < like->block_count; ++b)
            done = equip(fresh, heap, made, fresh->blocks[like->blocks[b]->number],
                         like->blocks[b]->capacity);
    }
    if (!done)
        keeli_archetypes_deinit(fresh, heap);
    return done;
}

void keeli_archetypes_replace(keeli_archetypes *a, keeli_heap *heap, keeli_archetypes *fresh) {
    for (uint32_t n = 0; n < a->block_count; ++n)
        a->blocks[n]->count = 0; // the caller has dropped the values
    fresh->moves = a->moves + 1;
    fresh->turns = a->turns + 1;
    fresh->generation = a->generation + 1;
    keeli_archetypes_deinit(a, heap);
    *a = *fresh;
    for (uint32_t n = 0; n < a->block_count; ++n)
        if (a->blocks[n]->archetype)
            set_column_bases(a->blocks[n]->archetype, a->blocks[n]);
}

void keeli_archetypes_assign(keeli_archetypes *a, const keeli_archetypes *from) {
    ++a->moves;
    for (uint32_t i = 0; i < a->count; ++i) {
        keeli_archetype *archetype = a->all[i];
        archetype->row_count = from->all[i]->row_count;
        for (uint32_t b = 0; b < archetype->block_count; ++b) {
            keeli_block *block = archetype->blocks[b];
            const keeli_block *source = from->all[i]->blocks[b];
            block->count = source->count;
            memcpy(block->entities, source->entities, block->count * sizeof *block->entities);
        }
    }
    index_filled(a);
}

// ------------------------------------------------------------------ trimming
// True if trimming frees the archetype: it has no rows and is not the empty set.
static bool is_idle(const keeli_archetypes *a, const keeli_archetype *archetype) {
    return archetype->row_count == 0 && archetype != a->all[0];
}

static void forget_idle(const keeli_archetypes *a, const keeli_archetype *archetype) {
    for (uint32_t e = 0; e < archetype->edge_capacity; ++e) {
        keeli_edge *edge = &archetype->edges[e];
        if (edge->with && is_idle(a, edge->with))
            edge->with = NULL;
        if (edge->without && is_idle(a, edge->without))
            edge->without = NULL;
    }
}

void keeli_archetypes_trim(keeli_archetypes *a, keeli_heap *heap) {
    keeli_archetypes_free_old(a, heap);
    for (uint32_t i = 0; i < a->count; ++i) // before any archetype is freed: is_idle reads them
        if (!is_idle(a, a->all[i]))
            forget_idle(a, a->all[i]);
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
    index_filled(a);
}

// ------------------------------------------------------------------ checking
static bool set_is_listed(const keeli_archetypes *a, const keeli_archetype *archetype) {
    return archetype->position < a->count && a->all[archetype->position] == archetype;
}

// True if `large` has the component and `small` does not, and both have the same other components.
static bool is_one_apart(const keeli_archetype *small, const keeli_archetype *large,
                         uint32_t number) {
    if (small->column_count + 1 != large->column_count)
        return false;
    for (uint32_t s = 0, l = 0; l < large->column_count; ++l) {
        if (large->columns[l]->number == number)
            continue;
        if (s == small->column_count || small->columns[s++] != large->columns[l])
            return false;
    }
    return keeli_archetype_column(small, number) == UINT32_MAX &&
           keeli_archetype_column(large, number) != UINT32_MAX;
}

static bool edges_are_valid(const keeli_archetypes *a, const keeli_archetype *archetype) {
    uint32_t count = 0;
    for (uint32_t e = 0; e < archetype->edge_capacity; ++e) {
        const keeli_edge *edge = &archetype->edges[e];
        if (!edge->number)
            continue;
        ++count;
        if (keeli_archetype_edge(archetype, edge->number) != edge)
            return false;
        if (edge->with &&
            (!set_is_listed(a, edge->with) || !is_one_apart(archetype, edge->with, edge->number)))
            return false;
        if (edge->without && (!set_is_listed(a, edge->without) ||
                              !is_one_apart(edge->without, archetype, edge->number)))
            return false;
    }
    return count == archetype->edge_count;
}

bool keeli_archetype_graph_is_valid(const keeli_archetypes *a) {
    uint32_t filed = 0;
    for (uint32_t at = 0; at < a->set_capacity; ++at)
        filed += a->by_set[at] != NULL;
    if (filed != a->count)
        return false;
    for (uint32_t i = 0; i < a->count; ++i) {
        const keeli_archetype *archetype = a->all[i];
        if (archetype->position != i)
            return false;
        for (uint32_t c = 1; c < archetype->column_count; ++c)
            if (archetype->columns[c - 1]->number >= archetype->columns[c]->number)
                return false;
        uint32_t at = (uint32_t)archetype->hash & (a->set_capacity - 1);
        while (a->by_set[at] && a->by_set[at] != archetype)
            at = (at + 1) & (a->set_capacity - 1);
        if (!a->by_set[at] || !edges_are_valid(a, archetype))
            return false;
    }
    return a->count == 0 || a->all[0]->column_count == 0;
}

static bool block_is_valid(const keeli_entity_index *ix, const keeli_block *block) {
    for (uint32_t row = 0; row < block->count; ++row) {
        const keel_entity e = block->entities[row];
        if (!keeli_entity_is_alive(ix, e) ||
            *keeli_row_of(ix, keeli_index_of(e)) != (block->number << KEELI_ROW_SHIFT | row))
            return false;
    }
    return true;
}

static bool archetype_is_valid(const keeli_archetypes *a, const keeli_entity_index *ix,
                               const keeli_archetype *archetype) {
    uint32_t rows = 0;
    const uint64_t filled = a->filled.items[archetype->position / 64];
    if ((filled >> archetype->position % 64 & 1) != (archetype->row_count != 0))
        return false;
    for (uint32_t b = 0; b < archetype->block_count; ++b) {
        const keeli_block *block = archetype->blocks[b];
        const bool is_partial = block->count < block->capacity;
        if (block->archetype != archetype || a->blocks[block->number] != block)
            return false;
        if (block->capacity != 1u << archetype->block_shift)
            return false;
        if (b + 1 < archetype->block_count && is_partial && archetype->blocks[b + 1]->count)
            return false;
        for (uint32_t c = 0; c < archetype->column_count; ++c) {
            const keeli_row_component *column = archetype->columns[c];
            const char *start =
                (const char *)block->entities + column_offset(archetype, block->capacity, c);
            if (block->number >= column->base_capacity)
                return false;
            if (column->size && column->bases[block->number] != start)
                return false;
        }
        if (!block_is_valid(ix, block))
            return false;
        rows += block->count;
    }
    return rows == archetype->row_count;
}

// True if each block belongs to one archetype or is in the list of free blocks.
static bool blocks_are_valid(const keeli_archetypes *a) {
    uint32_t used = 0, free = 0, owned = 0;
    for (uint32_t n = 0; n < a->block_count; ++n) {
        if (a->blocks[n]->number != n)
            return false;
        used += a->blocks[n]->archetype != NULL;
    }
    for (const keeli_block *block = a->free; block; block = block->next_free)
        if (block->archetype || block->entities || ++free > a->block_count)
            return false;
    for (uint32_t i = 0; i < a->count; ++i)
        owned += a->all[i]->block_count;
    return used == owned && used + free == a->block_count;
}

static uint32_t count_in_rows(const keeli_entity_index *ix) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < ix->size; ++i) {
        const keel_entity e = keeli_entity_index_next(ix, i);
        if (keel_is_null(e))
            break;
        i = keeli_index_of(e);
        count += *keeli_row_of(ix, keeli_index_of(e)) != KEELI_NO_ROW;
    }
    return count;
}

bool keeli_archetypes_are_valid(const keeli_archetypes *a, const keeli_entity_index *ix) {
    if (!keeli_archetype_graph_is_valid(a) || !blocks_are_valid(a))
        return false;
    uint32_t rows = 0;
    for (uint32_t i = 0; i < a->count; ++i) {
        if (!archetype_is_valid(a, ix, a->all[i]))
            return false;
        rows += a->all[i]->row_count;
    }
    return rows == count_in_rows(ix);
}
