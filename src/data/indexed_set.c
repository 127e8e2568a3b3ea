// SPDX-License-Identifier: MIT
#include "data/indexed_set.h"

#include <string.h>

enum { colour_step = 320, colours = 2048 };

static char tag_value[1]; // where the values of tags are said to be
static void *const tag_pages[2] = { tag_value, tag_value };

void keeli_indexed_set_init(keeli_indexed_set *set, uint32_t size, uint32_t align) {
    const uint32_t shift = keeli_indexed_shift(size);
    *set = (keeli_indexed_set){ .size = size, .align = align };
    set->root = (struct keeli_set_root){ .kind = KEEL_INDEXED, .shift = shift };
    set->root.mask = ((uint32_t)1 << shift) - 1;
    if (!size) set->root.pages = tag_pages;
}

static size_t value_bytes(const keeli_indexed_set *set) {
    return (size_t)set->size << set->root.shift;
}
static size_t page_align(const keeli_indexed_set *set) { return set->align > 64 ? set->align : 64; }
// How far behind the start of its memory a page begins. Only pages of many values are coloured.
static size_t colour(const keeli_indexed_set *set, uint32_t page) {
    if (set->root.shift < 6 || set->align > 64) return 0;
    // the component's address tells several components apart at the same index
    const size_t own = (uintptr_t)set / 64 % 13;
    return ((page + own) * colour_step & (colours - 1)) & ~(size_t)63;
}
static size_t page_bytes(const keeli_indexed_set *set) {
    return value_bytes(set) + (set->root.shift >= 6 && set->align <= 64 ? colours : 0);
}

static bool grow(keeli_indexed_set *set, keeli_heap *heap, uint32_t need) {
    uint32_t capacity = set->capacity ? set->capacity : KEELI_SIZE(8, 1);
    while (capacity < need)
        capacity = capacity < UINT32_MAX / 2 ? capacity * 2 : UINT32_MAX;
    if ((uint64_t)capacity * sizeof *set->pages > SIZE_MAX / 2) return false; // of 32 bits
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
    set->root.pages = pages; // before the next call: an allocator may look
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

// The memory of a spare page, or NULL.
static char *take_spare(keeli_indexed_set *set) {
    if (!set->spare_count) return NULL;
    while (set->page_counts[set->first_spare] != KEELI_SPARE_PAGE)
        ++set->first_spare;
    char *memory = keeli_indexed_set_memory(set, set->first_spare);
    keeli_indexed_set_keep_page(set, set->first_spare);
    set->pages[set->first_spare] = NULL;
    return memory;
}

bool keeli_indexed_set_add_page(keeli_indexed_set *set, keeli_heap *heap, uint32_t index) {
    const uint32_t page = index >> set->root.shift;
    if (page >= set->capacity && !grow(set, heap, page + 1)) return false;
    if (page >= set->page_count) set->page_count = page + 1;
    if (set->pages[page]) return true;
    char *memory = take_spare(set);
    if (!memory) {
        memory = keeli_new(heap, page_bytes(set), page_align(set));
        if (!memory) return false;
        set->bytes += page_bytes(set);
    }
    set->pages[page] = memory + colour(set, page);
    return true;
}

static void free_page(keeli_indexed_set *set, keeli_heap *heap, uint32_t page) {
    keeli_free(heap, keeli_indexed_set_memory(set, page), page_bytes(set), page_align(set));
    set->pages[page] = NULL;
    set->bytes -= page_bytes(set);
}

void keeli_indexed_set_copy(keeli_indexed_set *to, const keeli_indexed_set *from, uint32_t first,
                            uint64_t bits) {
    if (!to->size) return;
    if (bits == UINT64_MAX && keeli_indexed_set_has_whole_blocks(to)) { // all on one page
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
        if (!count && keeli_indexed_set_count_of(set, page)) keeli_indexed_set_give_page(set, page);
        if (!count) continue;
        keeli_indexed_set_keep_page(set, page);
        set->page_counts[page] = count;
    }
}

void keeli_indexed_set_clear(keeli_indexed_set *set) {
    for (uint32_t page = 0; page < set->page_count; ++page)
        if (keeli_indexed_set_count_of(set, page)) keeli_indexed_set_give_page(set, page);
}

void keeli_indexed_set_trim(keeli_indexed_set *set, keeli_heap *heap) {
    for (uint32_t page = 0; page < set->page_count; ++page) {
        keeli_indexed_set_keep_page(set, page);
        if (set->pages[page] && !set->page_counts[page]) free_page(set, heap, page);
    }
}

void keeli_indexed_set_deinit(keeli_indexed_set *set, keeli_heap *heap) {
    for (uint32_t page = 0; page < set->page_count; ++page)
        if (set->pages[page]) free_page(set, heap, page);
    if (set->capacity) {
        keeli_free(heap, set->pages, set->capacity * sizeof *set->pages, 64);
        keeli_free(heap, set->page_counts, set->capacity * sizeof *set->page_counts, 64);
    }
    *set = (keeli_indexed_set){ 0 };
}

bool keeli_indexed_set_is_valid(const keeli_indexed_set *set) {
    if (!set->size) return set->root.pages == tag_pages && set->page_count == 0;
    size_t bytes = set->capacity * (sizeof *set->pages + sizeof *set->page_counts);
    const uint32_t blocks = (uint32_t)1 << set->root.shift >> 6, most = blocks ? blocks : 1;
    uint32_t spares = 0;
    if (set->root.pages != set->pages || set->page_count > set->capacity) return false;
    for (uint32_t page = 0; page < set->page_count; ++page) {
        const char *start = set->pages[page];
        if (start) bytes += page_bytes(set);
        const bool is_spare = set->page_counts[page] == KEELI_SPARE_PAGE;
        if (is_spare && (!start || page < set->first_spare)) return false;
        spares += is_spare;
        if (keeli_indexed_set_count_of(set, page) > (start ? most : 0)) return false;
        if ((uintptr_t)keeli_indexed_set_memory(set, page) % page_align(set)) return false;
    }
    return bytes == set->bytes && spares == set->spare_count;
}
