// SPDX-License-Identifier: MIT
// Allocates from the blocks of an arena, and keeps the spare blocks of a heap. arena.h has the
// interface and says who uses arenas. Only the list of spare blocks is locked, since an arena
// belongs to one thread.
#include "base/arena.h"

enum { block_bytes = KEELI_SIZE(16384, 64) };

// Allocates from one block; NULL if it has too little room.
static void *block_allocate(keeli_arena_block *block, size_t size, size_t align) {
    const uintptr_t start = (uintptr_t)(block + 1);
    const uintptr_t at = (start + block->used + align - 1) & ~(uintptr_t)(align - 1);
    if (at < start || at - start > block->size || size > block->size - (at - start))
        return NULL;

    block->used = at - start + size;
    return (void *)at;
}

// ------------------------------------------------------------------ blocks
static void lock(keeli_heap *heap) {
    if (heap->shared)
        keeli_lock_acquire(&heap->lock);
}
static void unlock(keeli_heap *heap) {
    if (heap->shared)
        keeli_lock_release(&heap->lock);
}

static keeli_arena_block *make_block(keeli_heap *heap, size_t size) {
    if (size > SIZE_MAX - sizeof(keeli_arena_block))
        return NULL;
    keeli_arena_block *block = keeli_new(heap, sizeof *block + size, _Alignof(max_align_t));
    if (block)
        *block = (keeli_arena_block){ .size = size };
    return block;
}

static void free_arena_block(keeli_heap *heap, keeli_arena_block *block) {
    keeli_free(heap, block, sizeof *block + block->size, _Alignof(max_align_t));
}

static void make_spare(keeli_heap *heap, keeli_arena_block *block) {
    block->used = 0;
    lock(heap);
    block->next = heap->spare_blocks;
    heap->spare_blocks = block;
    ++heap->spare_block_count;
    unlock(heap);
}

// Removes a block of at least `need` bytes from the spare ones; NULL if there is none.
static keeli_arena_block *acquire_spare(keeli_heap *heap, size_t need) {
    lock(heap);
    keeli_arena_block **at = &heap->spare_blocks;
    while (*at && (*at)->size < need)
        at = &(*at)->next;
    keeli_arena_block *block = *at;
    if (block) {
        *at = block->next;
        block->next = NULL;
        --heap->spare_block_count;
    }
    unlock(heap);
    return block;
}

// Returns a block of at least `need` bytes, a spare one of the heap if possible, and adds its size
// to arena->bytes. The caller inserts it. NULL when out of memory.
static keeli_arena_block *acquire_block(keeli_arena *arena, keeli_heap *heap, size_t need) {
    keeli_arena_block *block = acquire_spare(heap, need);
    if (!block)
        block = make_block(heap, need > block_bytes ? need : block_bytes);
    if (block)
        arena->bytes += sizeof *block + block->size;
    return block;
}

bool keeli_blocks_reserve(keeli_heap *heap, uint32_t count) {
    while (heap->spare_block_count < count) {
        keeli_arena_block *block = make_block(heap, block_bytes);
        if (!block)
            return false;
        make_spare(heap, block);
    }
    return true;
}

size_t keeli_blocks_bytes(const keeli_heap *heap) {
    size_t bytes = 0;
    for (const keeli_arena_block *block = heap->spare_blocks; block; block = block->next)
        bytes += sizeof *block + block->size;
    return bytes;
}

void keeli_blocks_deinit(keeli_heap *heap) {
    for (keeli_arena_block *block; (block = acquire_spare(heap, 0)) != NULL;)
        free_arena_block(heap, block);
}

// ------------------------------------------------------------------ arenas
// Inserts a block behind the current one, or as the first block of an empty arena.
static void insert_block(keeli_arena *arena, keeli_arena_block *block) {
    keeli_arena_block **end = arena->current ? &arena->current->next : &arena->first;
    block->next = *end;
    *end = block;
}

void *keeli_arena_new(keeli_arena *arena, keeli_heap *heap, size_t size, size_t align) {
    for (keeli_arena_block *block = arena->current; block; block = block->next) {
        void *memory = block_allocate(block, size, align);
        if (memory) {
            arena->current = block;
            return memory;
        }
    }

    if (size > SIZE_MAX - align)
        return NULL;
    keeli_arena_block *block = acquire_block(arena, heap, size + align);
    if (!block)
        return NULL;
    insert_block(arena, block);
    arena->current = block;
    return block_allocate(block, size, align);
}

bool keeli_arena_reserve(keeli_arena *arena, keeli_heap *heap, size_t size) {
    for (const keeli_arena_block *block = arena->first; block; block = block->next)
        if (block->size >= size)
            return true;

    keeli_arena_block *block = acquire_block(arena, heap, size);
    if (!block)
        return false;
    insert_block(arena, block);
    if (!arena->current)
        arena->current = block;
    return true;
}

keeli_arena_mark keeli_arena_now(const keeli_arena *arena) {
    return (keeli_arena_mark){ arena->current, arena->current ? arena->current->used : 0 };
}

void keeli_arena_back(keeli_arena *arena, keeli_arena_mark mark) {
    // a mark that was made while the arena had no block means the begin of its first block
    keeli_arena_block *kept = mark.block ? mark.block : arena->first;
    if (!kept)
        return;

    size_t used = 0;
    for (const keeli_arena_block *block = arena->first; block; block = block->next)
        used += block->used;
    if (used > arena->most)
        arena->most = used;

    for (keeli_arena_block *block = kept->next; block; block = block->next)
        block->used = 0;
    kept->used = mark.used;
    arena->current = kept;
}

void keeli_arena_reset(keeli_arena *arena) {
    keeli_arena_back(arena, (keeli_arena_mark){ arena->first, 0 });
}

uint32_t keeli_arena_share(keeli_arena *arena, keeli_heap *heap) {
    keeli_arena_reset(arena);
    keeli_arena_block *first = arena->first;
    if (!first)
        return 0;

    uint32_t shared = 0;
    while (first->next) {
        keeli_arena_block *block = first->next;
        first->next = block->next;
        arena->bytes -= sizeof *block + block->size;
        make_spare(heap, block);
        ++shared;
    }
    return shared;
}

void keeli_arena_deinit(keeli_arena *arena, keeli_heap *heap) {
    for (keeli_arena_block *block = arena->first, *next; block; block = next) {
        next = block->next;
        free_arena_block(heap, block);
    }
    *arena = (keeli_arena){ 0 };
}
