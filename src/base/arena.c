// SPDX-License-Identifier: MIT
#include "base/arena.h"

enum { block_bytes = 16384 };

static void *take(keeli_arena_block *block, size_t size, size_t align) {
    const uintptr_t start = (uintptr_t)(block + 1);
    const uintptr_t at = (start + block->used + align - 1) & ~(uintptr_t)(align - 1);
    if (at - start + size > block->size) return NULL;
    block->used = at - start + size;
    return (void *)at;
}

static keeli_arena_block *new_block(keeli_arena *arena, keeli_heap *heap, size_t need) {
    const size_t size = need > block_bytes ? need : block_bytes;
    keeli_arena_block *block = keeli_new(heap, sizeof *block + size, _Alignof(max_align_t));
    if (!block) return NULL;
    *block = (keeli_arena_block){ .size = size };
    arena->bytes += sizeof *block + size;
    return block;
}

void *keeli_arena_new(keeli_arena *arena, keeli_heap *heap, size_t size, size_t align) {
    for (keeli_arena_block *block = arena->current; block; block = block->next) {
        void *memory = take(block, size, align);
        if (memory) {
            arena->current = block;
            return memory;
        }
    }
    keeli_arena_block *block = new_block(arena, heap, size + align);
    if (!block) return NULL;
    keeli_arena_block **end = arena->current ? &arena->current->next : &arena->first;
    block->next = *end;
    *end = block;
    arena->current = block;
    return take(block, size, align);
}

keeli_arena_mark keeli_arena_now(const keeli_arena *arena) {
    return (keeli_arena_mark){ arena->current, arena->current ? arena->current->used : 0 };
}

void keeli_arena_back(keeli_arena *arena, keeli_arena_mark mark) {
    keeli_arena_block *kept = mark.block ? mark.block : arena->first;
    if (!kept) return;
    for (keeli_arena_block *block = kept->next; block; block = block->next)
        block->used = 0;
    kept->used = mark.used;
    arena->current = kept;
}

void keeli_arena_reset(keeli_arena *arena) {
    keeli_arena_back(arena, (keeli_arena_mark){ arena->first, 0 });
}

void keeli_arena_deinit(keeli_arena *arena, keeli_heap *heap) {
    for (keeli_arena_block *block = arena->first, *next; block; block = next) {
        next = block->next;
        keeli_free(heap, block, sizeof *block + block->size, _Alignof(max_align_t));
    }
    *arena = (keeli_arena){ 0 };
}
