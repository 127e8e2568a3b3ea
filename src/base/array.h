// SPDX-License-Identifier: MIT
// A growing array of plain values: KEELI_ARRAY(uint32_t) names; ... names.items[i], names.count.
#pragma once
#include "base/heap.h"

#define KEELI_ARRAY(T)                                                                             \
    struct {                                                                                       \
        T *items;                                                                                  \
        uint32_t count, capacity;                                                                  \
    }

// Make room for `extra` more items; false when out of memory.
#define KEELI_RESERVE(heap, array, extra)                                                          \
    keeli_array_reserve((heap), (void **)&(array)->items, &(array)->capacity,                      \
                        (uint64_t)(array)->count + (extra), sizeof *(array)->items)

// Free the memory; the array is empty afterwards.
#define KEELI_RELEASE(heap, array)                                                                 \
    (keeli_free((heap), (array)->items, (size_t)(array)->capacity * sizeof *(array)->items,        \
                _Alignof(max_align_t)),                                                            \
     (array)->items = NULL, (array)->count = 0, (array)->capacity = 0)

bool keeli_array_reserve(keeli_heap *heap, void **items, uint32_t *capacity, uint64_t need,
                         size_t item_size);
