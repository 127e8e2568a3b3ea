// SPDX-License-Identifier: MIT
// A world's memory. Calls to the allocator are serialised while the world is shared.
#include "base/heap.h"

#include <string.h>

void keeli_heap_init(keeli_heap *heap, keel_allocator allocator) {
    heap->allocator = allocator;
    heap->live = 0;
    heap->shared = false;
    heap->spare_blocks = NULL;
    heap->spare_block_count = 0;
    keeli_lock_init(&heap->lock);
}

void keeli_heap_deinit(keeli_heap *heap) { keeli_lock_deinit(&heap->lock); }

static void *call(keeli_heap *heap, void *block, size_t old_size, size_t new_size, size_t align) {
    const keel_allocator *a = &heap->allocator;
    void *fresh = a->resize ? a->resize(a->context, block, old_size, new_size, align)
                            : keeli_system_resize(block, old_size, new_size, align);
    if (fresh || new_size == 0) heap->live += new_size - old_size;
    return fresh;
}

void *keeli_resize(keeli_heap *heap, void *block, size_t old_size, size_t new_size, size_t align) {
    if (old_size == 0 && new_size == 0) return NULL;
    if (!heap->shared) return call(heap, block, old_size, new_size, align);
    keeli_lock_take(&heap->lock);
    void *fresh = call(heap, block, old_size, new_size, align);
    keeli_lock_give(&heap->lock);
    return fresh;
}

void *keeli_new(keeli_heap *heap, size_t size, size_t align) {
    return keeli_resize(heap, NULL, 0, size, align);
}

void *keeli_new_zeroed(keeli_heap *heap, size_t size, size_t align) {
    void *block = keeli_new(heap, size, align);
    if (block) memset(block, 0, size);
    return block;
}

void keeli_free(keeli_heap *heap, void *block, size_t size, size_t align) {
    if (block) (void)keeli_resize(heap, block, size, 0, align);
}

char *keeli_new_text(keeli_heap *heap, const char *text) {
    const size_t size = strlen(text) + 1;
    char *copy = keeli_new(heap, size, 1);
    if (copy) memcpy(copy, text, size);
    return copy;
}

void keeli_free_text(keeli_heap *heap, char *text) {
    if (text) keeli_free(heap, text, strlen(text) + 1, 1);
}
