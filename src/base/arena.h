// SPDX-License-Identifier: MIT
// Memory that is given back all at once: blocks that are filled one after another and kept for the
// next round, so that a warmed-up frame does not allocate.
#pragma once
#include "base/heap.h"

typedef struct keeli_arena_block {
    struct keeli_arena_block *next;
    size_t size, used; // bytes behind this header
} keeli_arena_block;

typedef struct keeli_arena {
    keeli_arena_block *first, *current; // blocks before `current` are full
    size_t bytes;                       // of all blocks, headers included
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
void keeli_arena_deinit(keeli_arena *arena, keeli_heap *heap);
