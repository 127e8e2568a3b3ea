// SPDX-License-Identifier: MIT
#include "data/component_lists.h"

#include <string.h>

static const size_t page_bytes = 64 * sizeof(keeli_component_list);

static bool grow(keeli_component_lists *lists, keeli_heap *heap, uint32_t need) {
    uint32_t capacity = lists->capacity ? lists->capacity * 2 : 16;
    while (capacity < need)
        capacity *= 2;
    const size_t old_bytes = lists->capacity * sizeof(void *);
    keeli_component_list **fresh =
        keeli_resize(heap, lists->pages, old_bytes, capacity * sizeof(void *), sizeof(void *));
    if (!fresh) return false;
    memset(fresh + lists->capacity, 0, capacity * sizeof(void *) - old_bytes);
    lists->bytes += capacity * sizeof(void *) - old_bytes;
    lists->pages = fresh;
    lists->capacity = capacity;
    return true;
}

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

bool keeli_component_lists_reserve_slow(keeli_component_lists *lists, keeli_heap *heap,
                                        uint32_t index, uint32_t extra) {
    const uint32_t page = index / 4096;
    if (page >= lists->capacity && !grow(lists, heap, page + 1)) return false;
    if (!lists->pages[page]) {
        lists->pages[page] = keeli_new_zeroed(heap, page_bytes, 64);
        if (!lists->pages[page]) return false;
        lists->bytes += page_bytes;
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

// ------------------------------------------------------------------ giving memory back
static void free_list(keeli_component_lists *lists, keeli_heap *heap, keeli_component_list *list) {
    const size_t bytes = list->capacity * sizeof(uint16_t);
    if (!bytes) return;
    keeli_free(heap, list->numbers.many, bytes, sizeof(uint16_t));
    lists->bytes -= bytes;
    list->capacity = 0;
}

static void free_page(keeli_component_lists *lists, keeli_heap *heap, uint32_t page) {
    keeli_free(heap, lists->pages[page], page_bytes, 64);
    lists->pages[page] = NULL;
    lists->bytes -= page_bytes;
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
        if (lists->pages[p] && !used) free_page(lists, heap, p);
    }
}

void keeli_component_lists_deinit(keeli_component_lists *lists, keeli_heap *heap) {
    for (uint32_t p = 0; p < lists->capacity; ++p) {
        for (uint32_t b = 0; lists->pages[p] && b < 64; ++b)
            free_list(lists, heap, &lists->pages[p][b]);
        if (lists->pages[p]) free_page(lists, heap, p);
    }
    keeli_free(heap, lists->pages, lists->capacity * sizeof(void *), sizeof(void *));
    *lists = (keeli_component_lists){ 0 };
}

// ------------------------------------------------------------------ checking
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
        bytes += page_bytes;
        for (uint32_t b = 0; b < 64; ++b) {
            bytes += lists->pages[p][b].capacity * sizeof(uint16_t);
            if (!list_is_valid(&lists->pages[p][b])) return false;
        }
    }
    return bytes == lists->bytes;
}
