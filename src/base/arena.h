// SPDX-License-Identifier: MIT
// Arenas: memory that is freed all at once. An arena fills its blocks one after another and reuses
// them after a reset, so that a frame that needs no more than the frame before does not allocate.
// Single allocations cannot be freed. Recorded commands, custom loops and keel_context_scratch use
// arenas. If the timing of threads decides how much each of several arenas needs, each arena keeps
// one block, and they share the other blocks through the heap (keeli_arena_share).
#pragma once
#include "base/memory.h"

typedef struct keeli_arena_block {
    struct keeli_arena_block *next;
    size_t size, used; // bytes behind this header, and how many of them are allocated
} keeli_arena_block;

typedef struct keeli_arena {
    keeli_arena_block *first, *current; // blocks before `current` are full
    size_t bytes;                       // size of all blocks, with their headers
    size_t most;                        // the largest number of bytes that were in use at once
} keeli_arena;

// Allocates from the arena; NULL when out of memory. For `size` 0 it returns a pointer that must
// not be read.
void *keeli_arena_new(keeli_arena *arena, keeli_heap *heap, size_t size, size_t align);
// A point in the sequence of allocations: keeli_arena_now returns the current one, keeli_arena_back
// frees everything that was allocated after it.
typedef struct keeli_arena_mark {
    keeli_arena_block *block;
    size_t used;
} keeli_arena_mark;
keeli_arena_mark keeli_arena_now(const keeli_arena *arena);
void keeli_arena_back(keeli_arena *arena, keeli_arena_mark mark);
// Frees everything that was allocated; the arena keeps its blocks.
void keeli_arena_reset(keeli_arena *arena);
// The same, but all blocks except the first become spare blocks of the heap, for other arenas.
// Returns their number.
uint32_t keeli_arena_share(keeli_arena *arena, keeli_heap *heap);
void keeli_arena_deinit(keeli_arena *arena, keeli_heap *heap);
// Makes sure that the arena has a block of at least `size` bytes; false when out of memory.
bool keeli_arena_reserve(keeli_arena *arena, keeli_heap *heap, size_t size);
// Makes sure that the heap has `count` spare blocks; false when out of memory.
bool keeli_blocks_reserve(keeli_heap *heap, uint32_t count);
// Returns the bytes of all spare blocks.
size_t keeli_blocks_bytes(const keeli_heap *heap);
void keeli_blocks_deinit(keeli_heap *heap);
