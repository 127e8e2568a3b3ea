// SPDX-License-Identifier: MIT
// Bitmaps of entities, and lists of components by block: the parts that allocate, search or copy.
// See the header for both; setting and clearing bits is inline there.
#include "data/presence.h"

#include "base/assert.h"

#include <string.h>

// The shared page of all indices that were never reserved.
const uint64_t keeli_no_bits[KEELI_PAGE_WORDS];

const keeli_page_kind keeli_bit_pages = { keeli_no_bits, sizeof keeli_no_bits };

bool keeli_presence_add_page(keeli_presence *p, keeli_heap *heap, uint32_t index) {
    const uint32_t page = index / KEELI_PAGE, had = p->summary.count, need = page / 64 + 1;
    const size_t old_bytes = p->summary.capacity * sizeof *p->summary.items;
    if (need > had) {
        if (!KEELI_RESERVE(heap, &p->summary, need - had))
            return false;
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
        if (words[w])
            return;
    p->summary.items[page / 64] &= ~((uint64_t)1 << (page % 64));
}

// Returns the first bit at `from` or above in an array of words; UINT32_MAX if there is none.
static uint32_t next_bit(const uint64_t *words, uint32_t word_count, uint32_t from) {
    uint32_t w = from / 64;
    if (w >= word_count)
        return UINT32_MAX;
    uint64_t bits = words[w] & ~(uint64_t)0 << (from % 64);
    while (!bits) {
        if (++w >= word_count)
            return UINT32_MAX;
        bits = words[w];
    }
    return w * 64 + (uint32_t)__builtin_ctzll(bits);
}

uint32_t keeli_presence_next_page(const keeli_presence *p, uint32_t page) {
    return next_bit(p->summary.items, p->summary.count, page);
}

uint32_t keeli_presence_next(const keeli_presence *p, uint32_t from) {
    uint32_t page = keeli_presence_next_page(p, from / KEELI_PAGE), at = from % KEELI_PAGE;
    if (page != from / KEELI_PAGE)
        at = 0;
    while (page != UINT32_MAX) {
        const uint32_t bit = next_bit(p->root.pages[page], KEELI_PAGE_WORDS, at);
        if (bit != UINT32_MAX)
            return page * KEELI_PAGE + bit;
        page = keeli_presence_next_page(p, page + 1);
        at = 0;
    }
    return UINT32_MAX;
}

static uint32_t last_bit(const uint64_t *words, uint32_t count) {
    while (count--)
        if (words[count])
            return count * 64 + 63 - (uint32_t)__builtin_clzll(words[count]);
    return UINT32_MAX;
}

uint32_t keeli_presence_page_end(const keeli_presence *p) {
    return last_bit(p->summary.items, p->summary.count) + 1;
}

uint32_t keeli_presence_last(const keeli_presence *p) {
    const uint32_t end = keeli_presence_page_end(p), page = end - 1;
    if (!end)
        return UINT32_MAX;
    return page * KEELI_PAGE + last_bit(p->root.pages[page], KEELI_PAGE_WORDS);
}

bool keeli_presence_reserve_all(keeli_presence *p, keeli_heap *heap, const keeli_presence *from) {
    for (uint32_t page = 0; (page = keeli_presence_next_page(from, page)) != UINT32_MAX; ++page)
        if (!keeli_presence_reserve(p, heap, page * KEELI_PAGE))
            return false;
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
        if (!is_used(p, page))
            keeli_pages_free(&p->pages, heap, &keeli_bit_pages, page, &p->bytes);
}

void keeli_presence_deinit(keeli_presence *p, keeli_heap *heap) {
    keeli_pages_deinit(&p->pages, heap, &keeli_bit_pages);
    KEELI_RELEASE(heap, &p->summary);
    *p = (keeli_presence){ 0 };
}

bool keeli_presence_is_valid(const keeli_presence *p) {
    if (p->root.page_count != p->pages.count || p->root.pages != p->pages.table)
        return false;

    uint32_t count = 0;
    for (uint32_t page = 0; page < p->summary.count * 64; ++page) {
        uint32_t in_page = 0;
        if (keeli_presence_has_page(p, page))
            for (uint32_t w = 0; w < KEELI_PAGE_WORDS; ++w)
                in_page += (uint32_t)__builtin_popcountll(p->root.pages[page][w]);
        if (is_used(p, page) != (in_page != 0))
            return false;
        count += in_page;
    }
    return count == p->count;
}

// ------------------------------------------------------------------ components of each block
static const size_t list_page_bytes = KEELI_PAGE_WORDS * sizeof(keeli_component_list);

static uint32_t list_room(const keeli_component_list *list) {
    return list->capacity ? list->capacity : KEELI_LIST_IN_PLACE;
}

bool keeli_component_list_reserve(keeli_component_lists *lists, keeli_heap *heap,
                                  keeli_component_list *list, uint32_t count) {
    if (count <= list_room(list))
        return true;
    if (count > UINT16_MAX)
        return false;

    uint32_t capacity = 2 * list_room(list);
    while (capacity < count)
        capacity *= 2;
    if (capacity > UINT16_MAX)
        capacity = UINT16_MAX;
    uint16_t *fresh = keeli_new(heap, capacity * sizeof *fresh, sizeof *fresh);
    if (!fresh)
        return false;

    const size_t old_bytes = list->capacity * sizeof *fresh;
    memcpy(fresh, keeli_list_numbers(list), list_room(list) * sizeof *fresh);
    if (list->capacity)
        keeli_free(heap, list->numbers.many, old_bytes, sizeof *fresh);
    list->numbers.many = fresh;
    list->capacity = (uint16_t)capacity;
    lists->bytes += capacity * sizeof *fresh - old_bytes;
    return true;
}

static bool reserve_list_page(keeli_component_lists *lists, keeli_heap *heap, uint32_t page) {
    void *table = keeli_table_grow(heap, lists->pages, &lists->capacity, page + 1, &lists->bytes);
    if (!table)
        return false;
    lists->pages = table;
    if (lists->pages[page])
        return true;
    lists->pages[page] = keeli_new_zeroed(heap, list_page_bytes, 64);
    if (!lists->pages[page])
        return false;
    lists->bytes += list_page_bytes;
    return true;
}

// Returns the place of a promised number, or the end of all promised numbers.
static uint32_t find_promised(keeli_component_list *list, uint16_t number) {
    const uint16_t *numbers = keeli_list_numbers(list);
    const uint32_t end = list->count + list->promised;
    uint32_t at = list->count;
    while (at < end && numbers[at] != number)
        ++at;
    return at;
}

bool keeli_component_lists_reserve(keeli_component_lists *lists, keeli_heap *heap, uint32_t index,
                                   uint16_t number) {
    keeli_component_list *list = keeli_list_if_any(lists, index);
    if (!list) {
        if (!reserve_list_page(lists, heap, index / KEELI_PAGE))
            return false;
        list = keeli_list_of(lists, index);
    }

    const uint32_t end = list->count + list->promised;
    if (find_promised(list, number) < end)
        return true;
    if (end + 1 > list_room(list) && !keeli_component_list_reserve(lists, heap, list, end + 1))
        return false;
    KEELI_ASSERT_ROOM(end < list_room(list));
    keeli_list_numbers(list)[end] = number;
    ++list->promised;
    return true;
}

static void make_incomplete(keeli_component_list *list) {
    list->promised = KEELI_INCOMPLETE;
    list->count = 1;
    *keeli_list_numbers(list) = 0;
}

// Writes a number to the place behind the numbers of a list. If a promised number is at that place,
// it moves to the place that was promised to `number`, or to a free place; if there is neither, its
// promise is lost. False if the list is full.
static bool claim_place(keeli_component_list *list, uint16_t number) {
    if (list->count == list_room(list))
        return false;

    uint16_t *numbers = keeli_list_numbers(list);
    const uint32_t end = list->count + list->promised, at = find_promised(list, number);
    if (at < end) {
        numbers[at] = numbers[list->count];
        --list->promised;
    } else if (end < list_room(list)) {
        numbers[end] = numbers[list->count];
    } else {
        --list->promised;
    }
    numbers[list->count] = number;
    return true;
}

void keeli_component_lists_add(keeli_component_lists *lists, uint32_t index, uint16_t number) {
    KEELI_ASSERT_ROOM(keeli_list_if_any(lists, index));
    keeli_component_list *list = keeli_list_of(lists, index);
    if (keeli_list_is_incomplete(list))
        return;

    uint16_t *numbers = keeli_list_numbers(list);
    const bool is_promised_next = list->promised && numbers[list->count] == number;
    if (is_promised_next) { // the usual case
        --list->promised;
    } else if (!claim_place(list, number)) {
        make_incomplete(list);
        return;
    }

    uint16_t at = list->count++;
    for (; at && numbers[at - 1] > number; --at)
        numbers[at] = numbers[at - 1];
    numbers[at] = number;
}

void keeli_component_lists_remove(keeli_component_lists *lists, uint32_t index, uint16_t number) {
    keeli_component_list *list = keeli_list_of(lists, index);
    if (keeli_list_is_incomplete(list))
        return;

    uint16_t *numbers = keeli_list_numbers(list);
    uint32_t at = 0;
    while (at < list->count && numbers[at] != number)
        ++at;
    KEEL_ASSERT_INTERNAL(at < list->count);
    if (at == list->count)
        return;

    for (--list->count; at < (uint32_t)list->count + list->promised; ++at)
        numbers[at] = numbers[at + 1];
}

bool keeli_component_lists_has(const keeli_component_lists *lists, uint32_t index,
                               uint16_t number) {
    keeli_component_list *list = keeli_list_if_any(lists, index);
    if (!list)
        return false;
    if (keeli_list_is_incomplete(list))
        return true;

    for (uint16_t i = 0; i < list->count; ++i)
        if (keeli_list_numbers(list)[i] == number)
            return true;
    return false;
}

bool keeli_component_lists_reserve_all(keeli_component_lists *lists, keeli_heap *heap,
                                       const keeli_component_lists *from, uint32_t extra) {
    for (uint32_t index = 0; index / KEELI_PAGE < from->capacity; index += 64) {
        const keeli_component_list *source = keeli_list_if_any(from, index);
        if (!source || !source->count)
            continue;
        if (!reserve_list_page(lists, heap, index / KEELI_PAGE) ||
            !keeli_component_list_reserve(lists, heap, keeli_list_of(lists, index),
                                          source->count + extra))
            return false;
    }
    return true;
}

void keeli_component_lists_assign(keeli_component_lists *lists, const keeli_component_lists *from) {
    lists->names_sets = from->names_sets;
    for (uint32_t index = 0; index / KEELI_PAGE < lists->capacity; index += 64) {
        keeli_component_list *list = keeli_list_if_any(lists, index);
        keeli_component_list *source = keeli_list_if_any(from, index);
        if (!list)
            continue;

        list->count = source ? source->count : 0;
        list->promised = source && keeli_list_is_incomplete(source) ? KEELI_INCOMPLETE : 0;
        KEELI_ASSERT_ROOM(list->count <= list_room(list));
        if (list->count)
            memcpy(keeli_list_numbers(list), keeli_list_numbers(source),
                   list->count * sizeof(uint16_t));
    }
}

// Moves the numbers of a list in place, if they fit there.
static void trim_list(keeli_component_lists *lists, keeli_heap *heap, keeli_component_list *list) {
    if (!keeli_list_is_incomplete(list))
        list->promised = 0;
    if (!list->capacity || list->count > KEELI_LIST_IN_PLACE)
        return;

    uint16_t *many = list->numbers.many;
    const size_t bytes = list->capacity * sizeof *many;
    memcpy(list->numbers.few, many, list->count * sizeof *many);
    keeli_free(heap, many, bytes, sizeof *many);
    lists->bytes -= bytes;
    list->capacity = 0;
}

void keeli_component_lists_trim(keeli_component_lists *lists, keeli_heap *heap) {
    for (uint32_t p = 0; p < lists->capacity; ++p) {
        if (!lists->pages[p])
            continue;

        uint32_t used = 0;
        for (uint32_t b = 0; b < KEELI_PAGE_WORDS; ++b) {
            trim_list(lists, heap, &lists->pages[p][b]);
            used += lists->pages[p][b].count;
        }
        if (used)
            continue;

        keeli_free(heap, lists->pages[p], list_page_bytes, 64);
        lists->pages[p] = NULL;
        lists->bytes -= list_page_bytes;
    }
}

void keeli_component_lists_deinit(keeli_component_lists *lists, keeli_heap *heap) {
    for (uint32_t p = 0; p < lists->capacity; ++p) {
        keeli_component_list *page = lists->pages[p];
        if (!page)
            continue;
        for (uint32_t b = 0; b < KEELI_PAGE_WORDS; ++b)
            page[b] =
                (keeli_component_list){ .numbers = page[b].numbers, .capacity = page[b].capacity };
    }
    keeli_component_lists_trim(lists, heap); // all lists are empty now
    keeli_table_free(heap, lists->pages, lists->capacity);
    *lists = (keeli_component_lists){ 0 };
}

static bool component_list_is_valid(keeli_component_list *list) {
    const uint16_t *numbers = keeli_list_numbers(list);
    if (keeli_list_is_incomplete(list))
        return list->count == 1 && !*numbers;
    if (list->count + list->promised > list_room(list))
        return false;
    for (uint32_t i = 1; i < list->count; ++i)
        if (numbers[i] <= numbers[i - 1])
            return false;
    return true;
}

bool keeli_component_lists_are_valid(const keeli_component_lists *lists) {
    size_t bytes = lists->capacity * sizeof(void *);
    for (uint32_t p = 0; p < lists->capacity; ++p) {
        if (!lists->pages[p])
            continue;
        bytes += list_page_bytes;
        for (uint32_t b = 0; b < KEELI_PAGE_WORDS; ++b) {
            bytes += lists->pages[p][b].capacity * sizeof(uint16_t);
            if (!component_list_is_valid(&lists->pages[p][b]))
                return false;
        }
    }
    return bytes == lists->bytes;
}
