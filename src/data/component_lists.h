// SPDX-License-Identifier: MIT
// Which components the entities of each block of 64 indices have, so that deleting an entity costs
// what it and its 63 neighbours own, never what is registered. Invariant: a number is in a list at
// most once. Checked by keeli_component_lists_are_valid.
#pragma once
#include "base/heap.h"

// Up to four numbers in place, more in memory of their own.
typedef struct keeli_component_list {
    union {
        uint16_t few[4];
        uint16_t *many;
    } numbers;
    uint16_t count, capacity; // capacity 0: in place
} keeli_component_list;

enum { KEELI_LIST_IN_PLACE = 4 };

typedef struct keeli_component_lists {
    keeli_component_list *
        *pages; // by block / 64: pages of 64 lists (4,096 indices); NULL: never used
    uint32_t capacity;
    size_t bytes;
} keeli_component_lists;

static inline keeli_component_list *keeli_list_of(const keeli_component_lists *lists,
                                                  uint32_t index) {
    return &lists->pages[index / 4096][index / 64 % 64];
}
// The same; NULL: no component ever was on that page.
static inline keeli_component_list *keeli_list_if_any(const keeli_component_lists *lists,
                                                      uint32_t index) {
    const uint32_t page = index / 4096;
    return page < lists->capacity && lists->pages[page] ? keeli_list_of(lists, index) : NULL;
}
static inline uint16_t *keeli_list_numbers(keeli_component_list *list) {
    return list->capacity ? list->numbers.many : list->numbers.few;
}

bool keeli_component_lists_reserve_slow(keeli_component_lists *lists, keeli_heap *heap,
                                        uint32_t index, uint32_t extra);
// Is there room for `extra` more numbers in the list of this index?
static inline bool keeli_component_lists_has_room(const keeli_component_lists *lists,
                                                  uint32_t index, uint32_t extra) {
    const keeli_component_list *list = keeli_list_if_any(lists, index);
    return list && list->count + extra <= (list->capacity ? list->capacity : KEELI_LIST_IN_PLACE);
}
// Make that room; false when out of memory.
static inline bool keeli_component_lists_reserve(keeli_component_lists *lists, keeli_heap *heap,
                                                 uint32_t index, uint32_t extra) {
    return keeli_component_lists_has_room(lists, index, extra) ||
           keeli_component_lists_reserve_slow(lists, heap, index, extra);
}
// The first entity of the block got the component, after a reserve.
static inline void keeli_component_lists_add(keeli_component_lists *lists, uint32_t index,
                                             uint16_t number) {
    keeli_component_list *list = keeli_list_of(lists, index);
    keeli_list_numbers(list)[list->count++] = number;
}
// The last entity of the block lost the component.
static inline void keeli_component_lists_remove(keeli_component_lists *lists, uint32_t index,
                                                uint16_t number) {
    keeli_component_list *list = keeli_list_of(lists, index);
    uint16_t *numbers = keeli_list_numbers(list), at = 0;
    while (numbers[at] != number) // is there
        ++at;
    numbers[at] = numbers[--list->count];
}
// Is the number in the list of this index?
bool keeli_component_lists_has(const keeli_component_lists *lists, uint32_t index, uint16_t number);
// How many numbers there are in all lists.
uint64_t keeli_component_lists_count(const keeli_component_lists *lists);
// Give memory back that lists do not need now.
void keeli_component_lists_trim(keeli_component_lists *lists, keeli_heap *heap);
bool keeli_component_lists_are_valid(const keeli_component_lists *lists);
void keeli_component_lists_deinit(keeli_component_lists *lists, keeli_heap *heap);
