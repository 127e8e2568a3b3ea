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
    if (old > UINT16_MAX / 2) return false;
    const uint16_t capacity = old ? (uint16_t)(old * 2) : 2 * KEELI_LIST_IN_PLACE;
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

void keeli_component_lists_deinit(keeli_component_lists *lists, keeli_heap *heap) {
    for (uint32_t p = 0; p < lists->capacity; ++p) {
        if (!lists->pages[p]) continue;
        for (uint32_t b = 0; b < 64; ++b) {
            const keeli_component_list *list = &lists->pages[p][b];
            if (list->capacity)
                keeli_free(heap, list->numbers.many, list->capacity * sizeof(uint16_t),
                           sizeof(uint16_t));
        }
        keeli_free(heap, lists->pages[p], page_bytes, 64);
    }
    keeli_free(heap, lists->pages, lists->capacity * sizeof(void *), sizeof(void *));
    *lists = (keeli_component_lists){ 0 };
}
