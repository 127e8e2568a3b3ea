// SPDX-License-Identifier: MIT
// A world's memory: its allocator, and how many bytes are live.
#pragma once
#include "base/platform/platform.h"

#include <keel/base.h>

typedef struct keeli_heap {
    keel_allocator allocator; // resize NULL: the system's
    size_t live;              // bytes
    bool shared;              // calls may come from several threads: take the lock
    keeli_lock lock;
    uint64_t caller;                          // shared: the thread that has the lock (atomic)
    bool is_calling;                          // the user's allocator
    void (*around)(void *owner, bool begins); // calls of the user's allocator; NULL: nothing
    void *owner;
    struct keeli_arena_block *spare_blocks; // for all arenas (arena.c)
    uint32_t spare_block_count;
} keeli_heap;

void keeli_heap_init(keeli_heap *heap, keel_allocator allocator);
void keeli_heap_deinit(keeli_heap *heap);
// NULL when out of memory, or when `size` is 0.
void *keeli_new(keeli_heap *heap, size_t size, size_t align);
// The same, filled with zeros.
void *keeli_new_zeroed(keeli_heap *heap, size_t size, size_t align);
// NULL when out of memory; `block` is then as before.
void *keeli_resize(keeli_heap *heap, void *block, size_t old_size, size_t new_size, size_t align);
void keeli_free(keeli_heap *heap, void *block, size_t size, size_t align);
// A copy of a string; NULL when out of memory. Free with keeli_free_text.
char *keeli_new_text(keeli_heap *heap, const char *text);
void keeli_free_text(keeli_heap *heap, char *text);

#define KEELI_NEW(heap, T) ((T *)keeli_new_zeroed((heap), sizeof(T), _Alignof(T)))
#define KEELI_FREE(heap, T, pointer) keeli_free((heap), (pointer), sizeof(T), _Alignof(T))
