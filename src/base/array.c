// SPDX-License-Identifier: MIT
#include "base/array.h"

bool keeli_array_reserve(keeli_heap *heap, void **items, uint32_t *capacity, uint64_t need,
                         size_t item_size) {
    if (need <= *capacity) return true;
    if (need > UINT32_MAX) return false;
    uint64_t grown = *capacity < 8 ? 8 : (uint64_t)*capacity * 2;
    if (grown < need) grown = need;
    if (grown > UINT32_MAX) grown = UINT32_MAX;
    void *fresh = keeli_resize(heap, *items, *capacity * item_size, (size_t)grown * item_size,
                               _Alignof(max_align_t));
    if (!fresh) return false;
    *items = fresh;
    *capacity = (uint32_t)grown;
    return true;
}
