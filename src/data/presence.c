// SPDX-License-Identifier: MIT
#include "data/presence.h"

#include <string.h>

// What pages look like before anything is written to them, which is after a reserve.
const uint64_t keeli_no_bits[KEELI_PAGE_WORDS];

static const size_t page_bytes = KEELI_PAGE_WORDS * sizeof(uint64_t);

static uint32_t summary_words(uint32_t pages) { return pages / 64; }
static uint32_t top_words(uint32_t pages) { return (summary_words(pages) + 63) / 64; }
// All tables in one block: pages, summary, top.
static size_t table_bytes(uint32_t pages) {
    return pages * sizeof(uint64_t *) +
           (summary_words(pages) + top_words(pages)) * sizeof(uint64_t);
}

static void place_tables(keeli_presence *p, void *block, uint32_t pages) {
    p->pages = block;
    p->root.pages = p->pages;
    p->summary = (uint64_t *)(void *)(p->pages + pages);
    p->top = p->summary + summary_words(pages);
}

static bool grow(keeli_presence *p, keeli_heap *heap, uint32_t need) {
    uint32_t capacity = p->capacity ? p->capacity * 2 : 64;
    while (capacity < need)
        capacity *= 2;
    void *block = keeli_new_zeroed(heap, table_bytes(capacity), 64);
    if (!block) return false;
    const keeli_presence old = *p;
    place_tables(p, block, capacity);
    if (old.capacity) {
        memcpy(p->pages, old.pages, old.root.page_count * sizeof *p->pages);
        memcpy(p->summary, old.summary, summary_words(old.capacity) * sizeof *p->summary);
        memcpy(p->top, old.top, top_words(old.capacity) * sizeof *p->top);
        keeli_free(heap, old.pages, table_bytes(old.capacity), 64);
    }
    p->bytes += table_bytes(capacity) - (old.capacity ? table_bytes(old.capacity) : 0);
    p->capacity = capacity;
    return true;
}

bool keeli_presence_add_page(keeli_presence *p, keeli_heap *heap, uint32_t index) {
    const uint32_t page = index / 4096;
    if (page >= p->capacity && !grow(p, heap, page + 1)) return false;
    while (p->root.page_count <= page)
        p->pages[p->root.page_count++] = (uint64_t *)(uintptr_t)keeli_no_bits;
    if (p->pages[page] != keeli_no_bits) return true;
    uint64_t *words = keeli_new_zeroed(heap, page_bytes, 64);
    if (!words) return false;
    p->pages[page] = words;
    p->bytes += page_bytes;
    return true;
}

static bool is_used(const keeli_presence *p, uint32_t page) {
    return p->summary[page / 64] >> (page % 64) & 1;
}

void keeli_presence_ended(keeli_presence *p, uint32_t index) {
    const uint32_t page = index / 4096;
    const uint64_t *words = p->pages[page];
    for (uint32_t w = 0; w < KEELI_PAGE_WORDS; ++w)
        if (words[w]) return;
    p->summary[page / 64] &= ~((uint64_t)1 << (page % 64));
    if (p->summary[page / 64] == 0) p->top[page / 4096] &= ~((uint64_t)1 << (page / 64 % 64));
}

// The first bit at `from` or above in an array of words; UINT32_MAX when there is none.
static uint32_t next_bit(const uint64_t *words, uint32_t word_count, uint32_t from) {
    uint32_t w = from / 64;
    if (w >= word_count) return UINT32_MAX;
    uint64_t bits = words[w] & ~(uint64_t)0 << (from % 64);
    while (!bits) {
        if (++w >= word_count) return UINT32_MAX;
        bits = words[w];
    }
    return w * 64 + (uint32_t)__builtin_ctzll(bits);
}

uint32_t keeli_presence_next_page(const keeli_presence *p, uint32_t page) {
    if (page >= p->root.page_count) return UINT32_MAX;
    const uint32_t s = page / 64;
    const uint64_t here = p->summary[s] & ~(uint64_t)0 << (page % 64);
    if (here) return s * 64 + (uint32_t)__builtin_ctzll(here);
    const uint32_t next = next_bit(p->top, top_words(p->capacity), s + 1);
    if (next == UINT32_MAX) return UINT32_MAX;
    return next * 64 + (uint32_t)__builtin_ctzll(p->summary[next]);
}

uint32_t keeli_presence_next(const keeli_presence *p, uint32_t from) {
    uint32_t page = keeli_presence_next_page(p, from / 4096), at = from % 4096;
    if (page != from / 4096) at = 0;
    while (page != UINT32_MAX) {
        const uint32_t bit = next_bit(p->pages[page], KEELI_PAGE_WORDS, at);
        if (bit != UINT32_MAX) return page * 4096 + bit;
        page = keeli_presence_next_page(p, page + 1);
        at = 0;
    }
    return UINT32_MAX;
}

static uint32_t last_bit(const uint64_t *words, uint32_t count) {
    while (count--)
        if (words[count]) return count * 64 + 63 - (uint32_t)__builtin_clzll(words[count]);
    return UINT32_MAX;
}

uint32_t keeli_presence_last(const keeli_presence *p) {
    if (!p->count) return UINT32_MAX;
    const uint32_t s = last_bit(p->top, top_words(p->capacity));
    const uint32_t page = s * 64 + last_bit(&p->summary[s], 1);
    return page * 4096 + last_bit(p->pages[page], KEELI_PAGE_WORDS);
}

void keeli_presence_copy(keeli_presence *to, const keeli_presence *from) {
    for (uint32_t page = 0; (page = keeli_presence_next_page(from, page)) != UINT32_MAX; ++page) {
        memcpy(to->pages[page], from->pages[page], page_bytes);
        keeli_presence_began(to, page * 4096);
    }
    to->count = from->count;
}

void keeli_presence_reset(keeli_presence *p) {
    for (uint32_t page = 0; (page = keeli_presence_next_page(p, page)) != UINT32_MAX; ++page)
        memset(p->pages[page], 0, page_bytes);
    if (p->capacity) {
        memset(p->summary, 0, summary_words(p->capacity) * sizeof *p->summary);
        memset(p->top, 0, top_words(p->capacity) * sizeof *p->top);
    }
    p->count = 0;
    ++p->cleared;
}

void keeli_presence_trim(keeli_presence *p, keeli_heap *heap) {
    for (uint32_t page = 0; page < p->root.page_count; ++page) {
        if (is_used(p, page) || p->pages[page] == keeli_no_bits) continue;
        keeli_free(heap, p->pages[page], page_bytes, 64);
        p->pages[page] = (uint64_t *)(uintptr_t)keeli_no_bits;
        p->bytes -= page_bytes;
    }
}

void keeli_presence_deinit(keeli_presence *p, keeli_heap *heap) {
    for (uint32_t page = 0; page < p->root.page_count; ++page)
        if (p->pages[page] != keeli_no_bits) keeli_free(heap, p->pages[page], page_bytes, 64);
    if (p->capacity) keeli_free(heap, p->pages, table_bytes(p->capacity), 64);
    *p = (keeli_presence){ 0 };
}

bool keeli_presence_is_valid(const keeli_presence *p) {
    uint32_t count = 0;
    if (p->root.page_count > p->capacity || p->root.pages != p->pages) return false;
    for (uint32_t page = 0; page < p->root.page_count; ++page) {
        uint32_t in_page = 0;
        if (page && p->pages[page] == keeli_no_bits && p->pages[page - 1] == keeli_no_bits) {
            if (is_used(p, page)) return false;
            continue; // the same zeros again
        }
        for (uint32_t w = 0; w < KEELI_PAGE_WORDS; ++w)
            in_page += (uint32_t)__builtin_popcountll(p->pages[page][w]);
        if (is_used(p, page) != (in_page != 0)) return false;
        count += in_page;
    }
    for (uint32_t page = p->root.page_count; page < p->capacity; ++page)
        if (is_used(p, page)) return false;
    for (uint32_t s = 0; s < summary_words(p->capacity); ++s)
        if ((p->top[s / 64] >> (s % 64) & 1) != (p->summary[s] != 0)) return false;
    return count == p->count;
}

// ------------------------------------------------------------------ components of each block
static const size_t list_page_bytes = 64 * sizeof(keeli_component_list);

static bool grow_list(keeli_component_lists *lists, keeli_heap *heap, keeli_component_list *list) {
    const uint16_t old = list->capacity;
    if (old == UINT16_MAX) return false;
    const uint32_t doubled = old ? old * 2u : 2 * KEELI_LIST_IN_PLACE;
    const uint16_t capacity = doubled < UINT16_MAX ? (uint16_t)doubled : UINT16_MAX;
    uint16_t *fresh = keeli_new(heap, capacity * sizeof *fresh, sizeof(uint16_t));
    if (!fresh) return false;
    memcpy(fresh, keeli_list_numbers(list), list->count * sizeof *fresh);
    if (old) keeli_free(heap, list->numbers.many, old * sizeof *fresh, sizeof(uint16_t));
    list->numbers.many = fresh;
    list->capacity = capacity;
    lists->bytes += (size_t)(capacity - old) * sizeof *fresh;
    return true;
}

bool keeli_component_lists_grow(keeli_component_lists *lists, keeli_heap *heap, uint32_t index,
                                uint32_t extra) {
    const uint32_t page = index / 4096;
    void *table = keeli_table_grow(heap, lists->pages, &lists->capacity, page + 1, &lists->bytes);
    if (!table) return false;
    lists->pages = table;
    if (!lists->pages[page]) {
        lists->pages[page] = keeli_new_zeroed(heap, list_page_bytes, 64);
        if (!lists->pages[page]) return false;
        lists->bytes += list_page_bytes;
    }
    keeli_component_list *list = keeli_list_of(lists, index);
    while (!keeli_component_lists_has_room(lists, index, extra))
        if (!grow_list(lists, heap, list)) return false;
    return true;
}

bool keeli_component_lists_has(const keeli_component_lists *lists, uint32_t index,
                               uint16_t number) {
    keeli_component_list *list = keeli_list_if_any(lists, index);
    for (uint16_t i = 0; list && i < list->count; ++i)
        if (keeli_list_numbers(list)[i] == number) return true;
    return false;
}

uint64_t keeli_component_lists_count(const keeli_component_lists *lists) {
    uint64_t count = 0;
    for (uint32_t p = 0; p < lists->capacity; ++p)
        for (uint32_t b = 0; lists->pages[p] && b < 64; ++b)
            count += lists->pages[p][b].count;
    return count;
}

static void free_list(keeli_component_lists *lists, keeli_heap *heap, keeli_component_list *list) {
    const size_t bytes = list->capacity * sizeof(uint16_t);
    if (!bytes) return;
    keeli_free(heap, list->numbers.many, bytes, sizeof(uint16_t));
    lists->bytes -= bytes;
    list->capacity = 0;
}

static void free_list_page(keeli_component_lists *lists, keeli_heap *heap, uint32_t page) {
    keeli_free(heap, lists->pages[page], list_page_bytes, 64);
    lists->pages[page] = NULL;
    lists->bytes -= list_page_bytes;
}

// A list that fits in place moves there.
static void trim_list(keeli_component_lists *lists, keeli_heap *heap, keeli_component_list *list) {
    if (!list->capacity || list->count > KEELI_LIST_IN_PLACE) return;
    uint16_t few[KEELI_LIST_IN_PLACE];
    memcpy(few, list->numbers.many, list->count * sizeof *few);
    free_list(lists, heap, list);
    memcpy(list->numbers.few, few, list->count * sizeof *few);
}

void keeli_component_lists_trim(keeli_component_lists *lists, keeli_heap *heap) {
    for (uint32_t p = 0; p < lists->capacity; ++p) {
        uint32_t used = 0;
        for (uint32_t b = 0; lists->pages[p] && b < 64; ++b) {
            trim_list(lists, heap, &lists->pages[p][b]);
            used += lists->pages[p][b].count;
        }
        if (lists->pages[p] && !used) free_list_page(lists, heap, p);
    }
}

void keeli_component_lists_deinit(keeli_component_lists *lists, keeli_heap *heap) {
    for (uint32_t p = 0; p < lists->capacity; ++p) {
        for (uint32_t b = 0; lists->pages[p] && b < 64; ++b)
            free_list(lists, heap, &lists->pages[p][b]);
        if (lists->pages[p]) free_list_page(lists, heap, p);
    }
    keeli_table_free(heap, lists->pages, lists->capacity);
    *lists = (keeli_component_lists){ 0 };
}

static bool list_is_valid(keeli_component_list *list) {
    const uint16_t *numbers = keeli_list_numbers(list);
    if (list->count > (list->capacity ? list->capacity : KEELI_LIST_IN_PLACE)) return false;
    for (uint32_t i = 0; i < list->count; ++i)
        for (uint32_t k = 0; k < i; ++k)
            if (numbers[i] == numbers[k]) return false;
    return true;
}

bool keeli_component_lists_are_valid(const keeli_component_lists *lists) {
    size_t bytes = lists->capacity * sizeof(void *);
    for (uint32_t p = 0; p < lists->capacity; ++p) {
        if (!lists->pages[p]) continue;
        bytes += list_page_bytes;
        for (uint32_t b = 0; b < 64; ++b) {
            bytes += lists->pages[p][b].capacity * sizeof(uint16_t);
            if (!list_is_valid(&lists->pages[p][b])) return false;
        }
    }
    return bytes == lists->bytes;
}
