// SPDX-License-Identifier: MIT
#include "data/presence.h"

#include <string.h>

// What pages look like before anything is written to them, which is after a reserve.
const uint64_t keeli_no_bits[KEELI_PAGE_WORDS];

const keeli_page_kind keeli_bit_pages = { keeli_no_bits, sizeof keeli_no_bits };

bool keeli_presence_add_page(keeli_presence *p, keeli_heap *heap, uint32_t index) {
    const uint32_t page = index / KEELI_PAGE, had = p->summary.count, need = page / 64 + 1;
    const size_t old_bytes = p->summary.capacity * sizeof *p->summary.items;
    if (need > had) {
        if (!KEELI_RESERVE(heap, &p->summary, need - had)) return false;
        memset(p->summary.items + had, 0, (need - had) * sizeof *p->summary.items);
        p->summary.count = need;
        p->bytes += p->summary.capacity * sizeof *p->summary.items - old_bytes;
    }
    const bool done = keeli_pages_own(&p->pages, heap, &keeli_bit_pages, page, &p->bytes);
    p->root.pages = p->pages.table;
    p->root.page_count = p->pages.count;
    return done;
}

static bool is_used(const keeli_presence *p, uint32_t page) {
    return p->summary.items[page / 64] >> (page % 64) & 1;
}

void keeli_presence_ended(keeli_presence *p, uint32_t index) {
    const uint32_t page = index / KEELI_PAGE;
    const uint64_t *words = p->root.pages[page];
    for (uint32_t w = 0; w < KEELI_PAGE_WORDS; ++w)
        if (words[w]) return;
    p->summary.items[page / 64] &= ~((uint64_t)1 << (page % 64));
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
    return next_bit(p->summary.items, p->summary.count, page);
}

uint32_t keeli_presence_next(const keeli_presence *p, uint32_t from) {
    uint32_t page = keeli_presence_next_page(p, from / KEELI_PAGE), at = from % KEELI_PAGE;
    if (page != from / KEELI_PAGE) at = 0;
    while (page != UINT32_MAX) {
        const uint32_t bit = next_bit(p->root.pages[page], KEELI_PAGE_WORDS, at);
        if (bit != UINT32_MAX) return page * KEELI_PAGE + bit;
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

uint32_t keeli_presence_page_end(const keeli_presence *p) {
    return last_bit(p->summary.items, p->summary.count) + 1;
}

uint32_t keeli_presence_last(const keeli_presence *p) {
    const uint32_t end = keeli_presence_page_end(p), page = end - 1;
    if (!end) return UINT32_MAX;
    return page * KEELI_PAGE + last_bit(p->root.pages[page], KEELI_PAGE_WORDS);
}

bool keeli_presence_reserve_all(keeli_presence *p, keeli_heap *heap, const keeli_presence *from) {
    for (uint32_t page = 0; (page = keeli_presence_next_page(from, page)) != UINT32_MAX; ++page)
        if (!keeli_presence_reserve(p, heap, page * KEELI_PAGE)) return false;
    return true;
}

void keeli_presence_assign(keeli_presence *p, const keeli_presence *from) {
    const uint32_t words = keeli_least(p->summary.count, from->summary.count);
    keeli_pages_assign(&p->pages, &keeli_bit_pages, &from->pages);
    for (uint32_t w = 0; w < p->summary.count; ++w)
        p->summary.items[w] = w < words ? from->summary.items[w] : 0;
    p->count = from->count;
    ++p->cleared;
}

void keeli_presence_reset(keeli_presence *p) {
    for (uint32_t page = 0; (page = keeli_presence_next_page(p, page)) != UINT32_MAX; ++page) {
        memset(p->root.pages[page], 0, sizeof keeli_no_bits);
        keeli_presence_ended(p, page * KEELI_PAGE);
    }
    p->count = 0;
    ++p->cleared;
}

void keeli_presence_trim(keeli_presence *p, keeli_heap *heap) {
    for (uint32_t page = 0; page < p->root.page_count; ++page)
        if (!is_used(p, page)) keeli_pages_give(&p->pages, heap, &keeli_bit_pages, page, &p->bytes);
}

void keeli_presence_deinit(keeli_presence *p, keeli_heap *heap) {
    keeli_pages_deinit(&p->pages, heap, &keeli_bit_pages);
    KEELI_RELEASE(heap, &p->summary);
    *p = (keeli_presence){ 0 };
}

bool keeli_presence_is_valid(const keeli_presence *p) {
    uint32_t count = 0;
    if (p->root.page_count != p->pages.count || p->root.pages != p->pages.table) return false;
    for (uint32_t page = 0; page < p->summary.count * 64; ++page) {
        uint32_t in_page = 0;
        for (uint32_t w = 0; keeli_presence_has_page(p, page) && w < KEELI_PAGE_WORDS; ++w)
            in_page += (uint32_t)__builtin_popcountll(p->root.pages[page][w]);
        if (is_used(p, page) != (in_page != 0)) return false;
        count += in_page;
    }
    return count == p->count;
}

// ------------------------------------------------------------------ components of each block
static const size_t list_page_bytes = KEELI_PAGE_WORDS * sizeof(keeli_component_list);

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
    const uint32_t page = index / KEELI_PAGE;
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
        for (uint32_t b = 0; lists->pages[p] && b < KEELI_PAGE_WORDS; ++b)
            count += lists->pages[p][b].count;
    return count;
}

bool keeli_component_lists_reserve_all(keeli_component_lists *lists, keeli_heap *heap,
                                       const keeli_component_lists *from, uint32_t extra) {
    for (uint32_t index = 0; index / KEELI_PAGE < from->capacity; index += 64) {
        const keeli_component_list *source = keeli_list_if_any(from, index);
        if (!source || !source->count) continue;
        const keeli_component_list *list = keeli_list_if_any(lists, index);
        const uint32_t need = source->count + extra, has = list ? list->count : 0;
        if (need > has && !keeli_component_lists_reserve(lists, heap, index, need - has))
            return false;
    }
    return true;
}

void keeli_component_lists_assign(keeli_component_lists *lists, const keeli_component_lists *from) {
    for (uint32_t index = 0; index / KEELI_PAGE < lists->capacity; index += 64) {
        keeli_component_list *list = keeli_list_if_any(lists, index);
        keeli_component_list *source = keeli_list_if_any(from, index);
        if (!list) continue;
        list->count = source ? source->count : 0;
        if (list->count)
            memcpy(keeli_list_numbers(list), keeli_list_numbers(source),
                   list->count * sizeof(uint16_t));
    }
}

// A list that fits in place moves there.
static void trim_list(keeli_component_lists *lists, keeli_heap *heap, keeli_component_list *list) {
    uint16_t *many = list->numbers.many;
    const size_t bytes = list->capacity * sizeof *many;
    if (!list->capacity || list->count > KEELI_LIST_IN_PLACE) return;
    memcpy(list->numbers.few, many, list->count * sizeof *many);
    keeli_free(heap, many, bytes, sizeof *many);
    lists->bytes -= bytes;
    list->capacity = 0;
}

void keeli_component_lists_trim(keeli_component_lists *lists, keeli_heap *heap) {
    for (uint32_t p = 0; p < lists->capacity; ++p) {
        uint32_t used = 0;
        if (!lists->pages[p]) continue;
        for (uint32_t b = 0; b < KEELI_PAGE_WORDS; ++b) {
            trim_list(lists, heap, &lists->pages[p][b]);
            used += lists->pages[p][b].count;
        }
        if (used) continue;
        keeli_free(heap, lists->pages[p], list_page_bytes, 64);
        lists->pages[p] = NULL;
        lists->bytes -= list_page_bytes;
    }
}

void keeli_component_lists_deinit(keeli_component_lists *lists, keeli_heap *heap) {
    for (uint32_t p = 0; p < lists->capacity; ++p)
        for (uint32_t b = 0; lists->pages[p] && b < KEELI_PAGE_WORDS; ++b)
            lists->pages[p][b].count = 0;
    keeli_component_lists_trim(lists, heap);
    keeli_table_free(heap, lists->pages, lists->capacity);
    *lists = (keeli_component_lists){ 0 };
}

static bool list_is_valid(keeli_component_list *list) {
    const uint16_t *numbers = keeli_list_numbers(list);
    if (list->count > (list->capacity ? list->capacity : KEELI_LIST_IN_PLACE)) return false;
    for (uint32_t i = 1; i < list->count; ++i)
        if (numbers[i] <= numbers[i - 1]) return false;
    return true;
}

bool keeli_component_lists_are_valid(const keeli_component_lists *lists) {
    size_t bytes = lists->capacity * sizeof(void *);
    for (uint32_t p = 0; p < lists->capacity; ++p) {
        if (!lists->pages[p]) continue;
        bytes += list_page_bytes;
        for (uint32_t b = 0; b < KEELI_PAGE_WORDS; ++b) {
            bytes += lists->pages[p][b].capacity * sizeof(uint16_t);
            if (!list_is_valid(&lists->pages[p][b])) return false;
        }
    }
    return bytes == lists->bytes;
}
