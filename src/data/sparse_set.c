// SPDX-License-Identifier: MIT
// The sparse set. See the header for the layout and the invariant.
#include "data/sparse_set.h"

#include "base/assert.h"
#include "base/memory.h"

#include <string.h>

// What pages of cells look like before anything is written to them, which is after a reserve.
const uint32_t keeli_no_cells[KEELI_SPARSE_PAGE] = { KEELI_4096_TIMES(KEELI_NO_SLOT) };
static const size_t cell_bytes = KEELI_SPARSE_PAGE * sizeof(uint32_t);
enum { value_page_bytes = 65536, own_page_above = 1024, dense_page = 1 << KEELI_DENSE_SHIFT };
static char tag_value[1]; // where the values of tags are said to be

static uint32_t shift_for(uint32_t size) {
    if (size == 0) return 31; // one page for all
    if (size > own_page_above) return 0;
    uint32_t shift = 0;
    while ((uint64_t)size << (shift + 1) <= value_page_bytes)
        ++shift;
    return shift < 14 ? shift : 14;
}

void keeli_sparse_set_init(keeli_sparse_set *set, const keel_component *component) {
    const uint32_t shift = shift_for(component->size);
    *set = (keeli_sparse_set){
        .root = { .kind = KEEL_SPARSE_SET, .shift = shift, .mask = ((uint32_t)1 << shift) - 1 },
        .size = component->size,
        .align = component->align ? component->align : 1,
        .drop = component->drop,
        .move = component->move,
        .hook_data = component->hook_data
    };
}

static uint32_t per_page(const keeli_sparse_set *set) { return (uint32_t)1 << set->root.shift; }
static size_t page_size(const keeli_sparse_set *set, uint32_t page) {
    return (size_t)(page == 0 ? set->first_values : per_page(set)) * set->size;
}
static size_t page_align(const keeli_sparse_set *set) {
    return set->align > 64 ? set->align : 64; // whole cache lines
}

static void free_value_page(keeli_sparse_set *set, keeli_heap *heap, uint32_t page) {
    if (set->size) keeli_free(heap, set->values[page], page_size(set, page), page_align(set));
    set->bytes -= page_size(set, page);
}
static size_t dense_bytes(const keeli_sparse_set *set, uint32_t page) {
    return (page == 0 ? set->first_dense : dense_page) * sizeof(keel_entity);
}

void keeli_sparse_set_deinit(keeli_sparse_set *set, keeli_heap *heap) {
    if (set->drop)
        for (uint32_t slot = 0; slot < set->count; ++slot)
            keeli_sparse_set_drop(set, slot);
    for (uint32_t p = 0; p < set->root.page_count; ++p)
        if (set->sparse[p] != keeli_no_cells) keeli_free(heap, set->sparse[p], cell_bytes, 64);
    for (uint32_t p = 0; p < set->dense_pages; ++p)
        keeli_free(heap, set->dense[p], dense_bytes(set, p), 64);
    for (uint32_t p = 0; p < set->value_pages; ++p)
        free_value_page(set, heap, p);
    keeli_table_free(heap, set->sparse, set->sparse_capacity);
    keeli_table_free(heap, set->dense, set->dense_capacity);
    keeli_table_free(heap, set->values, set->value_capacity);
    *set = (keeli_sparse_set){ 0 };
}

// ------------------------------------------------------------------ growing
bool keeli_sparse_set_add_cells(keeli_sparse_set *set, keeli_heap *heap, uint32_t index) {
    const uint32_t page = index / KEELI_SPARSE_PAGE;
    if (page >= set->root.page_count) {
        uint32_t had = set->sparse_capacity;
        void *table =
            keeli_table_grow(heap, set->sparse, &set->sparse_capacity, page + 1, &set->bytes);
        if (!table) return false;
        set->sparse = table;
        set->root.sparse = set->sparse;
        set->root.page_count = page + 1;
        for (; had < set->sparse_capacity; ++had)
            set->sparse[had] = (uint32_t *)(uintptr_t)keeli_no_cells;
    }
    if (set->sparse[page] != keeli_no_cells) return true;
    uint32_t *cells = keeli_new(heap, cell_bytes, 64);
    if (!cells) return false;
    memset(cells, 0xFF, cell_bytes);
    set->sparse[page] = cells;
    set->bytes += cell_bytes;
    return true;
}

// The size to which a first page that holds `have` grows for `need`: doubling, to `full`.
static uint32_t first_size(uint32_t have, uint64_t need, uint32_t full) {
    uint64_t grown = have ? have : 8;
    while (grown < need && grown < full)
        grown *= 2;
    return grown < full ? (uint32_t)grown : full;
}

static bool grow_first_dense(keeli_sparse_set *set, keeli_heap *heap, uint64_t need) {
    const uint32_t grown = first_size(set->first_dense, need, dense_page);
    if (set->dense_pages && grown == set->first_dense) return true;
    void *fresh =
        keeli_resize(heap, set->dense_pages ? set->dense[0] : NULL,
                     set->first_dense * sizeof(keel_entity), grown * sizeof(keel_entity), 64);
    if (!fresh) return false;
    set->bytes += (grown - set->first_dense) * sizeof(keel_entity);
    set->dense[0] = fresh;
    set->first_dense = grown;
    if (!set->dense_pages) set->dense_pages = 1;
    return true;
}

static bool reserve_dense(keeli_sparse_set *set, keeli_heap *heap, uint64_t need) {
    const uint32_t pages = (uint32_t)((need + dense_page - 1) >> KEELI_DENSE_SHIFT);
    void *table = keeli_table_grow(heap, set->dense, &set->dense_capacity, pages, &set->bytes);
    if (!table) return false;
    set->dense = table;
    if (!grow_first_dense(set, heap, need)) return false;
    while (set->dense_pages < pages) {
        keel_entity *page = keeli_new(heap, dense_page * sizeof *page, 64);
        if (!page) return false;
        set->dense[set->dense_pages++] = page;
        set->bytes += dense_page * sizeof *page;
    }
    return true;
}

// The first page cannot be resized in place when values have a move hook, or an alignment that the
// allocator would have to keep: always move by hand.
static bool grow_first_values(keeli_sparse_set *set, keeli_heap *heap, uint64_t need) {
    const uint32_t have = set->first_values, grown = first_size(have, need, per_page(set));
    if (set->value_pages && grown == have) return true;
    char *fresh = keeli_new(heap, (size_t)grown * set->size, page_align(set));
    if (!fresh) return false;
    if (set->value_pages) {
        const uint32_t live = set->count < have ? set->count : have;
        char *old = set->values[0];
        if (set->move) {
            for (uint32_t i = 0; i < live; ++i)
                set->move(fresh + (size_t)i * set->size, old + (size_t)i * set->size,
                          set->hook_data);
        } else {
            memcpy(fresh, old, (size_t)live * set->size);
        }
        keeli_free(heap, old, (size_t)have * set->size, page_align(set));
    } else {
        set->value_pages = 1;
    }
    set->values[0] = fresh;
    set->first_values = grown;
    set->bytes += (size_t)(grown - have) * set->size;
    return true;
}

static bool reserve_values(keeli_sparse_set *set, keeli_heap *heap, uint64_t need) {
    const uint32_t pages =
        set->size ? (uint32_t)((need + per_page(set) - 1) >> set->root.shift) : 1;
    void *table = keeli_table_grow(heap, set->values, &set->value_capacity, pages, &set->bytes);
    if (!table) return false;
    set->values = table;
    set->root.pages = set->values;
    if (!set->size) {
        set->values[0] = tag_value;
        set->value_pages = 1;
        return true;
    }
    if (!grow_first_values(set, heap, need)) return false;
    while (set->value_pages < pages) {
        void *page = keeli_new(heap, (size_t)per_page(set) * set->size, page_align(set));
        if (!page) return false;
        set->values[set->value_pages++] = page;
        set->bytes += (size_t)per_page(set) * set->size;
    }
    return true;
}

static void set_room(keeli_sparse_set *set) {
    const uint64_t dense =
        set->dense_pages <= 1 ? set->first_dense : (uint64_t)set->dense_pages << KEELI_DENSE_SHIFT;
    uint64_t values =
        set->value_pages <= 1 ? set->first_values : (uint64_t)set->value_pages << set->root.shift;
    if (!set->size) values = set->value_pages ? dense : 0; // a tag has one page that says where
    const uint64_t room = dense < values ? dense : values;
    set->room = room < (uint64_t)1 << 31 ? (uint32_t)room : (uint32_t)1 << 31;
}

bool keeli_sparse_set_grow(keeli_sparse_set *set, keeli_heap *heap, uint32_t extra) {
    const uint64_t need = (uint64_t)set->count + extra;
    if (need == 0) return true;
    if (need >= (uint64_t)1 << 31) return false; // slots have 31 bits
    const bool done = reserve_dense(set, heap, need) && reserve_values(set, heap, need);
    set_room(set);
    return done;
}

// ------------------------------------------------------------------ values
static void move_value(keeli_sparse_set *set, void *to, void *from) {
    if (set->move) set->move(to, from, set->hook_data);
    else memcpy(to, from, set->size);
}

// ------------------------------------------------------------------ adding and removing
static void set_cell(keeli_sparse_set *set, keel_entity e, uint32_t slot) {
    const uint32_t index = keel_entity_index(e);
    set->sparse[index / KEELI_SPARSE_PAGE][index % KEELI_SPARSE_PAGE] = slot;
}

uint32_t keeli_sparse_set_push_range(keeli_sparse_set *set, const keel_entity *entities,
                                     uint32_t count) {
    const uint32_t first = set->count;
    uint32_t index = keel_entity_index(entities[0]), slot = first;
    for (uint32_t left = count; left;) {
        const uint32_t in_page = dense_page - slot % dense_page;
        const uint32_t cells_left = KEELI_SPARSE_PAGE - index % KEELI_SPARSE_PAGE;
        uint32_t n = in_page < cells_left ? in_page : cells_left;
        if (n > left) n = left;
        memcpy(keeli_sparse_set_entity(set, slot), entities, n * sizeof *entities);
        uint32_t *cells = &set->sparse[index / KEELI_SPARSE_PAGE][index % KEELI_SPARSE_PAGE];
        for (uint32_t i = 0; i < n; ++i)
            cells[i] = slot + i;
        entities += n;
        slot += n;
        index += n;
        left -= n;
    }
    set->count = slot;
    return first;
}

void keeli_sparse_set_take(keeli_sparse_set *set, uint32_t slot) {
    const uint32_t last = set->count - 1;
    const keel_entity taken = *keeli_sparse_set_entity(set, slot);
    if (slot != last) {
        const keel_entity moved = *keeli_sparse_set_entity(set, last);
        *keeli_sparse_set_entity(set, slot) = moved;
        if (set->size)
            move_value(set, keeli_sparse_set_value(set, slot), keeli_sparse_set_value(set, last));
        set_cell(set, moved, slot);
    }
    set_cell(set, taken, KEELI_NO_SLOT);
    set->count = last;
    ++set->moves;
}

static void swap_bytes(char *a, char *b, size_t size) {
    char between[256];
    for (size_t at = 0; at < size; at += sizeof between) {
        const size_t n = size - at < sizeof between ? size - at : sizeof between;
        memcpy(between, a + at, n);
        memcpy(a + at, b + at, n);
        memcpy(b + at, between, n);
    }
}

void keeli_sparse_set_swap(keeli_sparse_set *set, uint32_t a, uint32_t b, void *scratch) {
    if (a == b) return;
    void *at_a = keeli_sparse_set_value(set, a), *at_b = keeli_sparse_set_value(set, b);
    if (!scratch) {
        if (set->size) move_value(set, at_a, at_b);
    } else if (set->size == 8 && !set->move) {
        uint64_t value_a, value_b;
        memcpy(&value_a, at_a, 8);
        memcpy(&value_b, at_b, 8);
        memcpy(at_a, &value_b, 8);
        memcpy(at_b, &value_a, 8);
    } else if (set->size && set->move) {
        set->move(scratch, at_a, set->hook_data);
        set->move(at_a, at_b, set->hook_data);
        set->move(at_b, scratch, set->hook_data);
    } else {
        swap_bytes(at_a, at_b, set->size);
    }
    keel_entity *entity_a = keeli_sparse_set_entity(set, a),
                *entity_b = keeli_sparse_set_entity(set, b);
    const keel_entity was_a = *entity_a;
    *entity_a = *entity_b;
    *entity_b = was_a;
    set_cell(set, *entity_a, a);
    set_cell(set, *entity_b, b);
    ++set->moves;
}

// Where the value at the start of a cycle waits while the others move up.
static void permute_values(keeli_sparse_set *set, uint32_t first, const uint32_t *order,
                           void *scratch) {
    uint32_t slot = first;
    move_value(set, scratch, keeli_sparse_set_value(set, slot));
    for (; order[slot] != first; slot = order[slot])
        move_value(set, keeli_sparse_set_value(set, slot),
                   keeli_sparse_set_value(set, order[slot]));
    move_value(set, keeli_sparse_set_value(set, slot), scratch);
}

void keeli_sparse_set_permute(keeli_sparse_set *set, uint32_t *order, uint32_t count,
                              void *scratch) {
    ++set->moves;
    for (uint32_t first = 0; first < count; ++first) {
        if (order[first] == first) continue;
        if (set->size) permute_values(set, first, order, scratch);
        const keel_entity waits = *keeli_sparse_set_entity(set, first);
        for (uint32_t slot = first, from;; slot = from) {
            from = order[slot];
            order[slot] = slot; // in place: not to be moved again
            const keel_entity e = from == first ? waits : *keeli_sparse_set_entity(set, from);
            *keeli_sparse_set_entity(set, slot) = e;
            set_cell(set, e, slot);
            if (from == first) break;
        }
    }
}

void keeli_sparse_set_copy(keeli_sparse_set *to, const keeli_sparse_set *from) {
    const uint32_t values = per_page(from);
    to->count = from->count;
    for (uint32_t p = 0; p < from->root.page_count; ++p)
        if (from->sparse[p] != keeli_no_cells) memcpy(to->sparse[p], from->sparse[p], cell_bytes);
    for (uint32_t slot = 0, n; slot < from->count; slot += n) {
        n = from->count - slot < dense_page ? from->count - slot : dense_page;
        memcpy(keeli_sparse_set_entity(to, slot), keeli_sparse_set_entity(from, slot),
               n * sizeof(keel_entity));
    }
    for (uint32_t slot = 0, n; from->size && slot < from->count; slot += n) {
        n = from->count - slot < values ? from->count - slot : values;
        memcpy(keeli_sparse_set_value(to, slot), keeli_sparse_set_value(from, slot),
               (size_t)n * from->size);
    }
}

void keeli_sparse_set_clear(keeli_sparse_set *set) {
    for (uint32_t slot = 0; slot < set->count; ++slot) {
        keeli_sparse_set_drop(set, slot);
        set_cell(set, *keeli_sparse_set_entity(set, slot), KEELI_NO_SLOT);
    }
    set->count = 0;
    ++set->moves;
}

// ------------------------------------------------------------------ giving memory back
static void trim_cells(keeli_sparse_set *set, keeli_heap *heap) {
    for (uint32_t p = 0; p < set->root.page_count; ++p) {
        uint32_t *cells = set->sparse[p];
        if (cells == keeli_no_cells || memcmp(cells, keeli_no_cells, cell_bytes) != 0) continue;
        keeli_free(heap, cells, cell_bytes, 64);
        set->sparse[p] = (uint32_t *)(uintptr_t)keeli_no_cells;
        set->bytes -= cell_bytes;
    }
}

void keeli_sparse_set_trim(keeli_sparse_set *set, keeli_heap *heap) {
    trim_cells(set, heap);
    const uint32_t dense_used = (set->count + dense_page - 1) >> KEELI_DENSE_SHIFT;
    while (set->dense_pages > dense_used) {
        const uint32_t p = --set->dense_pages;
        set->bytes -= dense_bytes(set, p);
        keeli_free(heap, set->dense[p], dense_bytes(set, p), 64);
        if (p == 0) set->first_dense = 0;
    }
    set_room(set);
    if (!set->size) return;
    const uint32_t used = (uint32_t)(((uint64_t)set->count + per_page(set) - 1) >> set->root.shift);
    while (set->value_pages > used) {
        free_value_page(set, heap, --set->value_pages);
        if (set->value_pages == 0) set->first_values = 0;
    }
    set_room(set);
}

bool keeli_sparse_set_is_valid(const keeli_sparse_set *set) {
    uint32_t used = 0;
    for (uint32_t p = 0; p < set->root.page_count; ++p)
        for (uint32_t i = 0; set->sparse[p] != keeli_no_cells && i < KEELI_SPARSE_PAGE; ++i) {
            const uint32_t slot = set->sparse[p][i];
            if (slot == KEELI_NO_SLOT) continue;
            ++used;
            if (slot >= set->count) return false;
            const keel_entity e = *keeli_sparse_set_entity(set, slot);
            if (keel_entity_index(e) != p * KEELI_SPARSE_PAGE + i || keel_is_null(e)) return false;
        }
    return used == set->count && set->root.sparse == set->sparse && set->root.pages == set->values;
}
