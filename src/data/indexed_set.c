// SPDX-License-Identifier: MIT
// The indexed set: allocation of its pages, and operations on the whole set. See the header for the
// layout and the invariant; adding and removing values is inline there.
#include "data/indexed_set.h"

#include <string.h>

enum { colour_step = 320, colours = 2048 }; // bytes

static char tag_value[1]; // the place that is returned as the value of any tag
static void *const tag_pages[2] = { tag_value, tag_value };

void keeli_indexed_set_init(keeli_indexed_set *set, uint32_t size, uint32_t align) {
    const uint32_t shift = keeli_indexed_shift(size);
    *set = (keeli_indexed_set){ .size = size, .align = align };
    set->root = (struct keeli_set_root){ .kind = KEEL_INDEXED, .shift = shift };
    set->root.mask = ((uint32_t)1 << shift) - 1;
    if (!size)
        set->root.pages = tag_pages;
}

static size_t value_bytes(const keeli_indexed_set *set) {
    return (size_t)set->size << set->root.shift;
}
static size_t indexed_page_align(const keeli_indexed_set *set) {
    return set->align > 64 ? set->align : 64;
}
// Returns the distance of the page from the start of its memory. Only pages of many values have a
// colour.
static size_t colour(const keeli_indexed_set *set, uint32_t page) {
    if (set->root.shift < 6 || set->align > 64)
        return 0;
    // each component has a set at another address, so that their colours differ at the same index
    const size_t own = (uintptr_t)set / 64 % 13;
    return ((page + own) * colour_step & (colours - 1)) & ~(size_t)63;
}
static size_t indexed_page_bytes(const keeli_indexed_set *set) {
    return value_bytes(set) + (set->root.shift >= 6 && set->align <= 64 ? colours : 0);
}

// Makes room for `need` pages in both tables; false when out of memory.
static bool grow_tables(keeli_indexed_set *set, keeli_heap *heap, uint32_t need) {
    uint32_t capacity = set->capacity ? set->capacity : KEELI_SIZE(8, 1);
    while (capacity < need)
        capacity = capacity < UINT32_MAX / 2 ? capacity * 2 : UINT32_MAX;
    const bool is_too_large = (uint64_t)capacity * sizeof *set->pages > SIZE_MAX / 2;
    if (is_too_large)
        return false; // possible with 32-bit addresses

    void **pages = keeli_new_zeroed(heap, capacity * sizeof *pages, 64);
    uint32_t *counts = keeli_new_zeroed(heap, capacity * sizeof *counts, 64);
    if (!pages || !counts) {
        keeli_free(heap, pages, capacity * sizeof *pages, 64);
        keeli_free(heap, counts, capacity * sizeof *counts, 64);
        return false;
    }

    void **const old_pages = set->pages;
    uint32_t *const old_counts = set->page_counts, old = set->capacity;
    if (old) {
        memcpy(pages, old_pages, set->page_count * sizeof *pages);
        memcpy(counts, old_counts, set->page_count * sizeof *counts);
    }
    set->bytes += (capacity - old) * (sizeof *pages + sizeof *counts);
    set->pages = pages;
    set->root.pages = pages; // before the allocator is called again: it may look values up
    set->page_counts = counts;
    set->capacity = capacity;
    keeli_free(heap, old_pages, old * sizeof *pages, 64);
    keeli_free(heap, old_counts, old * sizeof *counts, 64);
    return true;
}

void *keeli_indexed_set_memory(const keeli_indexed_set *set, uint32_t page) {
    char *at = set->pages[page];
    return at ? at - colour(set, page) : NULL;
}

// Removes the memory from the first spare page and returns it. NULL if no page is spare.
static char *remove_spare(keeli_indexed_set *set) {
    if (!set->spare_count)
        return NULL;
    while (set->page_counts[set->first_spare] != KEELI_SPARE_PAGE)
        ++set->first_spare;
    char *memory = keeli_indexed_set_memory(set, set->first_spare);
    keeli_indexed_set_unmark_spare(set, set->first_spare);
    set->pages[set->first_spare] = NULL;
    return memory;
}

bool keeli_indexed_set_add_page(keeli_indexed_set *set, keeli_heap *heap, uint32_t index) {
    const uint32_t page = index >> set->root.shift;
    if (page >= set->capacity && !grow_tables(set, heap, page + 1))
        return false;
    if (page >= set->page_count)
        set->page_count = page + 1;
    if (set->pages[page])
        return true;

    char *memory = remove_spare(set);
    if (!memory) {
        memory = keeli_new(heap, indexed_page_bytes(set), indexed_page_align(set));
        if (!memory)
            return false;
        set->bytes += indexed_page_bytes(set);
    }
    set->pages[page] = memory + colour(set, page);
    return true;
}

static void free_value_page(keeli_indexed_set *set, keeli_heap *heap, uint32_t page) {
    keeli_free(heap, keeli_indexed_set_memory(set, page), indexed_page_bytes(set),
               indexed_page_align(set));
    set->pages[page] = NULL;
    set->bytes -= indexed_page_bytes(set);
}

void keeli_indexed_set_copy(keeli_indexed_set *to, const keeli_indexed_set *from, uint32_t first,
                            uint64_t bits) {
    if (!to->size)
        return;
    const bool is_whole_block = bits == UINT64_MAX && keeli_indexed_set_has_whole_blocks(to);
    if (is_whole_block) { // all 64 values are adjacent, on one page
        memcpy(keeli_indexed_set_value(to, first), keeli_indexed_set_value(from, first),
               (size_t)64 * to->size);
        return;
    }
    for (; bits; bits &= bits - 1) {
        const uint32_t index = first + (uint32_t)__builtin_ctzll(bits);
        memcpy(keeli_indexed_set_add(to, index), keeli_indexed_set_value(from, index), to->size);
    }
}

bool keeli_indexed_set_reserve_all(keeli_indexed_set *set, keeli_heap *heap,
                                   const keeli_indexed_set *from) {
    for (uint32_t page = 0; page < from->page_count; ++page)
        if (keeli_indexed_set_count_of(from, page) &&
            !keeli_indexed_set_reserve(set, heap, page << set->root.shift))
            return false;
    return true;
}

void keeli_indexed_set_assign(keeli_indexed_set *set, const keeli_indexed_set *from) {
    for (uint32_t page = 0; page < set->page_count; ++page) {
        const uint32_t count = keeli_indexed_set_count_of(from, page);
        if (count) {
            keeli_indexed_set_unmark_spare(set, page);
            set->page_counts[page] = count;
        } else if (keeli_indexed_set_count_of(set, page)) {
            keeli_indexed_set_mark_spare(set, page);
        }
    }
}

void keeli_indexed_set_clear(keeli_indexed_set *set) {
    for (uint32_t page = 0; page < set->page_count; ++page)
        if (keeli_indexed_set_count_of(set, page))
            keeli_indexed_set_mark_spare(set, page);
}

void keeli_indexed_set_trim(keeli_indexed_set *set, keeli_heap *heap) {
    for (uint32_t page = 0; page < set->page_count; ++page) {
        keeli_indexed_set_unmark_spare(set, page);
        if (set->pages[page] && !set->page_counts[page])
            free_value_page(set, heap, page);
    }
}

void keeli_indexed_set_deinit(keeli_indexed_set *set, keeli_heap *heap) {
    for (uint32_t page = 0; page < set->page_count; ++page)
        if (set->pages[page])
            free_value_page(set, heap, page);
    if (set->capacity) {
        keeli_free(heap, set->pages, set->capacity * sizeof *set->pages, 64);
        keeli_free(heap, set->page_counts, set->capacity * sizeof *set->page_counts, 64);
    }
    *set = (keeli_indexed_set){ 0 };
}

bool keeli_indexed_set_is_valid(const keeli_indexed_set *set) {
    if (!set->size)
        return set->root.pages == tag_pages && set->page_count == 0;
    if (set->root.pages != set->pages || set->page_count > set->capacity)
        return false;

    size_t bytes = set->capacity * (sizeof *set->pages + sizeof *set->page_counts);
    const uint32_t blocks = (uint32_t)1 << set->root.shift >> 6, most = blocks ? blocks : 1;
    uint32_t spares = 0;
    for (uint32_t page = 0; page < set->page_count; ++page) {
        const char *start = set->pages[page];
        if (start)
            bytes += indexed_page_bytes(set);
        const bool is_spare = set->page_counts[page] == KEELI_SPARE_PAGE;
        if (is_spare && (!start || page < set->first_spare))
            return false;
        spares += is_spare;
        if (keeli_indexed_set_count_of(set, page) > (start ? most : 0))
            return false;
        if ((uintptr_t)keeli_indexed_set_memory(set, page) % indexed_page_align(set))
            return false;
    }

    return bytes == set->bytes && spares == set->spare_count;
}
