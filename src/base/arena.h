// SPDX-License-Identifier: MIT
// Memory that is given back all at once: blocks that are filled one after another and kept for the
// next round, so that a frame like the one before does not allocate. Arenas that take turns, so
// that it depends on time which of them is filled with how much, keep one block each and share the
// others.
#pragma once
#include "base/memory.h"

typedef struct keeli_arena_block {
    struct keeli_arena_block *next;
    size_t size, used; // bytes behind this header
} keeli_arena_block;

typedef struct keeli_arena {
    keeli_arena_block *first, *current; // blocks before `current` are full
    size_t bytes;                       // of all blocks, headers included
    size_t most;                        // bytes in use at once, ever
} keeli_arena;

// NULL when out of memory. `size` 0 gives a pointer that must not be read.
void *keeli_arena_new(keeli_arena *arena, keeli_heap *heap, size_t size, size_t align);
// Where it is filled to; keeli_arena_back forgets everything that came after.
typedef struct keeli_arena_mark {
    keeli_arena_block *block;
    size_t used;
} keeli_arena_mark;
keeli_arena_mark keeli_arena_now(const keeli_arena *arena);
void keeli_arena_back(keeli_arena *arena, keeli_arena_mark mark);
// Forget everything, keep the blocks.
void keeli_arena_reset(keeli_arena *arena);
// The same, but blocks behind the first are for other arenas now. How many.
uint32_t keeli_arena_share(keeli_arena *arena, keeli_heap *heap);
void keeli_arena_deinit(keeli_arena *arena, keeli_heap *heap);
// Have a block that so much fits into at once; false when out of memory.
bool keeli_arena_reserve(keeli_arena *arena, keeli_heap *heap, size_t size);
// Have so many blocks for any arena; false when out of memory.
bool keeli_blocks_reserve(keeli_heap *heap, uint32_t count);
size_t keeli_blocks_bytes(const keeli_heap *heap);
void keeli_blocks_deinit(keeli_heap *heap);
