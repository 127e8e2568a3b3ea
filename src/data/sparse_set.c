// SPDX-License-Identifier: MIT
// The sparse set: everything that allocates, moves or copies. See the header for the layout and the
// invariant; adding one entity and removing a plain value are inline there.
#include "data/sparse_set.h"

#include "base/assert.h"
#include "base/memory.h"

#include <string.h>

// The shared page of cells of all indices that were never reserved.
const uint32_t keeli_no_cells[KEELI_PAGE] = { KEELI_PAGE_TIMES(KEELI_NO_SLOT) };
const keeli_page_kind keeli_cell_pages = { keeli_no_cells, sizeof keeli_no_cells };
enum { value_page_bytes = 65536, own_page_above = 1024, dense_page = 1 << KEELI_DENSE_SHIFT };
static char tag_value[1]; // the place that is returned as the value of any tag
static void *const tag_pages[1] = { tag_value };

// Returns the shift for values of this size: 1 << shift values share a page.
static uint32_t shift_for(uint32_t size) {
    if (size == 0)
        return 31; // tags: all slots are on one page
    if (size > own_page_above)
        return 0;

    uint32_t shift = 0;
    while ((uint64_t)size << (shift + 1) <= value_page_bytes)
        ++shift;
    return keeli_least(shift, KEELI_SIZE(14, 6));
}

void keeli_sparse_set_init(keeli_sparse_set *set, const keel_component *component) {
    const uint32_t shift = shift_for(component->size), align = component->align;
    *set = (keeli_sparse_set){
        .root = { .kind = KEEL_SPARSE_SET, .shift = shift, .mask = ((uint32_t)1 << shift) - 1 },
        .dense = { .shift = KEELI_DENSE_SHIFT, .size = sizeof(keel_entity), .align = 1 },
        .values = { .shift = shift, .size = component->size, .align = align ? align : 1 },
        .size = component->size,
        .drop = component->drop,
        .move = component->move,
        .hook_data = component->hook_data
    };
    if (!component->size)
        set->root.pages = tag_pages;
}

// ------------------------------------------------------------------ packed pages
static size_t packed_page_bytes(const keeli_packed *p, uint32_t page) {
    return (size_t)(page == 0 ? p->first : (uint32_t)1 << p->shift) * p->size;
}

static size_t packed_page_align(const keeli_packed *p) {
    return p->align > 64 ? p->align : 64; // whole cache lines
}

static uint64_t packed_room(const keeli_packed *p) {
    return p->page_count <= 1 ? p->first : (uint64_t)p->page_count << p->shift;
}

// Frees all pages that are not needed for `items` items.
static void trim_packed(keeli_sparse_set *set, keeli_heap *heap, keeli_packed *p, uint64_t items) {
    while (p->page_count && (uint64_t)(p->page_count - 1) << p->shift >= items) {
        const uint32_t page = --p->page_count;
        set->bytes -= packed_page_bytes(p, page);
        keeli_free(heap, p->pages[page], packed_page_bytes(p, page), packed_page_align(p));
        if (page == 0)
            p->first = 0;
    }
}

static void free_packed(keeli_sparse_set *set, keeli_heap *heap, keeli_packed *p) {
    trim_packed(set, heap, p, 0);
    keeli_table_free(heap, p->pages, p->capacity);
}

// Moves items to fresh memory, values with the move hook. keeli_resize cannot do this: it calls no
// hooks.
static void move_items(const keeli_sparse_set *set, const keeli_packed *p, char *to, char *from,
                       uint32_t count) {
    const bool by_hook = set->move && p == &set->values;
    if (by_hook) {
        for (uint32_t i = 0; i < count; ++i)
            set->move(to + (size_t)i * p->size, from + (size_t)i * p->size, set->hook_data);
    } else if (count) {
        memcpy(to, from, (size_t)count * p->size);
    }
}

// Grows the first page so that it has room for `need` items, or to its full size. False when out of
// memory.
static bool grow_first(keeli_sparse_set *set, keeli_heap *heap, keeli_packed *p, uint64_t need) {
    const uint32_t full = (uint32_t)1 << p->shift;
    uint64_t grown = p->first ? p->first : KEELI_SIZE(8, 1);
    while (grown < need && grown < full)
        grown *= 2;
    if (grown > full)
        grown = full;
    if (grown == p->first)
        return true;

    char *fresh = keeli_new(heap, grown * p->size, packed_page_align(p)), *old = p->pages[0];
    if (!fresh)
        return false;

    const size_t old_bytes = p->first * p->size;
    if (old)
        move_items(set, p, fresh, old, keeli_least(set->count, p->first));
    set->bytes += grown * p->size - old_bytes;
    p->pages[0] = fresh;
    p->first = (uint32_t)grown;
    if (!p->page_count)
        p->page_count = 1;
    if (!old)
        return true;

    ++set->moves;
    if (!heap->keeps)
        keeli_bytes_vacate(old, old_bytes);
    keeli_free(heap, old, old_bytes, packed_page_align(p));
    return true;
}

// Makes room for `need` items; false when out of memory.
static bool reserve_packed(keeli_sparse_set *set, keeli_heap *heap, keeli_packed *p,
                           uint64_t need) {
    const uint32_t pages = (uint32_t)((need - 1) >> p->shift) + 1;
    void *table = keeli_table_grow(heap, p->pages, &p->capacity, pages, &set->bytes);
    if (!table)
        return false;
    p->pages = table;
    // before the allocator is called again: it may look values up
    if (p == &set->values && set->size)
        set->root.pages = table;

    if (!grow_first(set, heap, p, need))
        return false;
    while (p->page_count < pages) {
        void *page = keeli_new(heap, packed_page_bytes(p, p->page_count), packed_page_align(p));
        if (!page)
            return false;
        set->bytes += packed_page_bytes(p, p->page_count);
        p->pages[p->page_count++] = page;
    }
    return true;
}

// ------------------------------------------------------------------ growing
bool keeli_sparse_set_add_cells(keeli_sparse_set *set, keeli_heap *heap, uint32_t index) {
    const uint32_t page = index / KEELI_PAGE;
    const bool done = keeli_pages_own(&set->cells, heap, &keeli_cell_pages, page, &set->bytes);
    set->root.sparse = set->cells.table;
    set->root.page_count = set->cells.count;
    return done;
}

static void update_room(keeli_sparse_set *set) {
    const uint64_t dense = packed_room(&set->dense), values = packed_room(&set->values);
    const uint64_t room = set->size && values < dense ? values : dense, most = (uint64_t)1 << 31;
    set->room = (uint32_t)(room < most ? room : most);
    if (set->size)
        set->root.pages = set->values.pages;
}

bool keeli_sparse_set_grow(keeli_sparse_set *set, keeli_heap *heap, uint32_t extra) {
    const uint64_t need = (uint64_t)set->count + extra;
    if (need == 0)
        return true;
    if (need >= (uint64_t)1 << 31)
        return false; // slots have 31 bits

    bool done = reserve_packed(set, heap, &set->dense, need);
    if (done && set->size)
        done = reserve_packed(set, heap, &set->values, need);
    update_room(set);
    return done;
}

void keeli_sparse_set_deinit(keeli_sparse_set *set, keeli_heap *heap) {
    if (set->drop)
        for (uint32_t slot = 0; slot < set->count; ++slot)
            keeli_sparse_set_drop(set, slot);
    keeli_pages_deinit(&set->cells, heap, &keeli_cell_pages);
    free_packed(set, heap, &set->dense);
    free_packed(set, heap, &set->values);
    *set = (keeli_sparse_set){ 0 };
}

// ------------------------------------------------------------------ adding and removing
static void move_value(keeli_sparse_set *set, void *to, void *from) {
    if (set->move)
        set->move(to, from, set->hook_data);
    else
        memcpy(to, from, set->size);
}

static void set_cell(keeli_sparse_set *set, keel_entity e, uint32_t slot) {
    const uint32_t index = keeli_index_of(e);
    set->root.sparse[index / KEELI_PAGE][index % KEELI_PAGE] = slot;
}

void keeli_sparse_set_push_range(keeli_sparse_set *set, const keel_entity *entities, uint32_t count,
                                 bool descends) {
    uint32_t index = keeli_index_of(entities[0]), slot = set->count;
    KEELI_ASSERT_ROOM(count <= set->room - slot);
    for (uint32_t left = count; left;) {
        const uint32_t in_page = dense_page - slot % dense_page, cell = index % KEELI_PAGE;
        const uint32_t cells_left = descends ? cell + 1 : KEELI_PAGE - cell;
        uint32_t n = in_page < cells_left ? in_page : cells_left;
        if (n > left)
            n = left;
        KEELI_ASSERT_ROOM(keeli_sparse_set_has_cell(set, index));

        memcpy(keeli_sparse_set_entity(set, slot), entities, n * sizeof *entities);
        uint32_t *cells = &set->root.sparse[index / KEELI_PAGE][descends ? cell + 1 - n : cell];
        for (uint32_t i = 0; i < n; ++i)
            cells[i] = descends ? slot + n - 1 - i : slot + i;

        entities += n;
        slot += n;
        index = descends ? index - n : index + n;
        left -= n;
    }
    set->count = slot;
}

void keeli_sparse_set_remove(keeli_sparse_set *set, uint32_t slot) {
    const uint32_t last = set->count - 1;
    const keel_entity removed = *keeli_sparse_set_entity(set, slot);
    if (slot != last) {
        const keel_entity moved = *keeli_sparse_set_entity(set, last);
        *keeli_sparse_set_entity(set, slot) = moved;
        if (set->size)
            move_value(set, keeli_sparse_set_value(set, slot), keeli_sparse_set_value(set, last));
        set_cell(set, moved, slot);
    }
    if (set->size)
        keeli_bytes_vacate(keeli_sparse_set_value(set, last), set->size);
    set_cell(set, removed, KEELI_NO_SLOT);
    set->count = last;
    ++set->moves;
}

static void swap_values(char *a, char *b, size_t size) {
    char between[256];
    for (size_t at = 0; at < size; at += sizeof between) {
        const size_t n = size - at < sizeof between ? size - at : sizeof between;
        memcpy(between, a + at, n);
        memcpy(a + at, b + at, n);
        memcpy(b + at, between, n);
    }
}

void keeli_sparse_set_swap(keeli_sparse_set *set, uint32_t a, uint32_t b, void *scratch) {
    if (a == b)
        return;
    void *at_a = keeli_sparse_set_value(set, a), *at_b = keeli_sparse_set_value(set, b);
    if (!scratch) {
        if (set->size)
            move_value(set, at_a, at_b);
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
        swap_values(at_a, at_b, set->size);
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

// Moves the values of one cycle of the permutation. The first value stays in `scratch` while each
// of the others moves to its new slot.
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
        if (order[first] == first)
            continue;

        if (set->size)
            permute_values(set, first, order, scratch);
        const keel_entity waits = *keeli_sparse_set_entity(set, first);
        for (uint32_t slot = first, from;; slot = from) {
            from = order[slot];
            order[slot] = slot; // so that the loop over `first` skips this slot
            const keel_entity e = from == first ? waits : *keeli_sparse_set_entity(set, from);
            *keeli_sparse_set_entity(set, slot) = e;
            set_cell(set, e, slot);
            if (from == first)
                break;
        }
    }
}

bool keeli_sparse_set_reserve_all(keeli_sparse_set *set, keeli_heap *heap,
                                  const keeli_sparse_set *from) {
    const bool done =
        keeli_pages_reserve(&set->cells, heap, &keeli_cell_pages, &from->cells, &set->bytes);
    set->root.sparse = set->cells.table;
    set->root.page_count = set->cells.count;
    if (!done)
        return false;
    return from->count <= set->room || keeli_sparse_set_grow(set, heap, from->count - set->count);
}

// Copies the first `count` items page by page.
static void assign_packed(const keeli_packed *p, const keeli_packed *from, uint32_t count) {
    const uint32_t all = (uint32_t)1 << p->shift;
    for (uint32_t page = 0, n; count; ++page, count -= n) {
        n = keeli_least(count, all);
        memcpy(p->pages[page], from->pages[page], (size_t)n * p->size);
    }
}

void keeli_sparse_set_assign_values(keeli_sparse_set *set, const keeli_sparse_set *from) {
    if (set->size)
        assign_packed(&set->values, &from->values, from->count);
}

void keeli_sparse_set_assign(keeli_sparse_set *set, const keeli_sparse_set *from) {
    keeli_pages_assign(&set->cells, &keeli_cell_pages, &from->cells);
    assign_packed(&set->dense, &from->dense, from->count);
    set->count = from->count;
    ++set->moves;
}

void keeli_sparse_set_clear(keeli_sparse_set *set) {
    for (uint32_t slot = 0; slot < set->count; ++slot) {
        keeli_sparse_set_drop(set, slot);
        set_cell(set, *keeli_sparse_set_entity(set, slot), KEELI_NO_SLOT);
    }
    set->count = 0;
    ++set->moves;
}

void keeli_sparse_set_trim(keeli_sparse_set *set, keeli_heap *heap) {
    for (uint32_t p = 0; p < set->cells.count; ++p)
        if (memcmp(set->root.sparse[p], keeli_no_cells, sizeof keeli_no_cells) == 0)
            keeli_pages_free(&set->cells, heap, &keeli_cell_pages, p, &set->bytes);

    trim_packed(set, heap, &set->dense, set->count);
    trim_packed(set, heap, &set->values, set->count);
    update_room(set);
}

bool keeli_sparse_set_is_valid(const keeli_sparse_set *set) {
    if (set->root.sparse != set->cells.table || set->root.page_count != set->cells.count ||
        set->root.pages != (set->size ? set->values.pages : tag_pages))
        return false;

    uint32_t used = 0;
    for (uint32_t p = 0; p < set->root.page_count; ++p) {
        const uint32_t *cells = set->root.sparse[p];
        if (cells == keeli_no_cells)
            continue;
        for (uint32_t i = 0; i < KEELI_PAGE; ++i) {
            const uint32_t slot = cells[i];
            if (slot == KEELI_NO_SLOT)
                continue;
            ++used;
            if (slot >= set->count)
                return false;
            const keel_entity e = *keeli_sparse_set_entity(set, slot);
            if (keeli_index_of(e) != p * KEELI_PAGE + i || keel_is_null(e))
                return false;
        }
    }
    return used == set->count;
}
