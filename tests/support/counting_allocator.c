// SPDX-License-Identifier: MIT
// The functions of counting_allocator.h. A header before each block has its size and alignment, and
// each call is compared with it. A mismatch is a bug in the library and aborts the program, because
// the library would continue with damaged memory.
#include "support/counting_allocator.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRESH = 0xA5, FREED = 0xDD };
#define MAGIC UINT64_C(0x6B65656C616C6C6F)

typedef struct header {
    uint64_t magic; // cleared when the block is freed
    void *raw;      // the pointer from malloc
    size_t size;
    size_t align;
} header;

static void stop(const char *what, size_t given, size_t expected) {
    fprintf(stderr, "counting_allocator: %s: %zu, expected %zu\n", what, given, expected);
    abort();
}

static void *new_block(size_t size, size_t align) {
    // Room for the header and for alignment. No byte more behind the block, so that the address
    // sanitizer and valgrind notice an overrun.
    const size_t extra = sizeof(header) + align - 1;
    if (size > SIZE_MAX - extra) return NULL;
    unsigned char *raw = malloc(extra + size);
    if (raw == NULL) return NULL;
    const uintptr_t first = (uintptr_t)raw + sizeof(header);
    const uintptr_t aligned = (first + align - 1) & ~(uintptr_t)(align - 1);
    unsigned char *block = raw + (aligned - (uintptr_t)raw);
    const header h = { MAGIC, raw, size, align };
    memcpy(block - sizeof h, &h, sizeof h); // memcpy: the header need not be aligned
    memset(block, FRESH, size);
    return block;
}

static void free_block(void *block, const header *h) {
    memset((unsigned char *)block - sizeof *h, 0, sizeof *h);
    memset(block, FREED, h->size);
    free(h->raw);
}

// Returns the header of a block, after comparing the caller's arguments with it.
static header checked_header(const void *block, size_t old_size, size_t align) {
    header h = { 0 };
    if (block == NULL) {
        if (old_size != 0) stop("old_size of a NULL block", old_size, 0);
        return h;
    }
    memcpy(&h, (const unsigned char *)block - sizeof h, sizeof h);
    if (h.magic != MAGIC) stop("a block that is not alive; bytes claimed", old_size, 0);
    if (h.size != old_size) stop("old_size", old_size, h.size);
    if (h.align != align) stop("align of a living block", align, h.align);
    return h;
}

static bool must_fail(counting_allocator *memory) {
    memory->growing_calls++;
    if (memory->succeed == SIZE_MAX) return false;
    if (memory->succeed > 0) {
        memory->succeed--;
        return false;
    }
    if (memory->fail_once) memory->succeed = SIZE_MAX;
    memory->failures++;
    return true;
}

static void *resize(void *context, void *block, size_t old_size, size_t new_size, size_t align) {
    counting_allocator *memory = context;
    memory->calls++;
    if (align == 0 || (align & (align - 1)) != 0) stop("align is no power of two", align, 1);
    header h = checked_header(block, old_size, align);
    if (new_size > old_size && must_fail(memory)) return NULL;

    void *moved = NULL;
    if (new_size > 0) {
        moved = new_block(new_size, align);
        if (moved == NULL) {
            if (new_size > old_size) return NULL;
            stop("the machine is out of memory; bytes wanted", new_size,
                 0); // shrinking never fails
        }
        if (block != NULL) memcpy(moved, block, old_size < new_size ? old_size : new_size);
        memory->live_blocks++;
    }
    if (block != NULL) {
        free_block(block, &h);
        memory->live_blocks--;
    }
    memory->live_bytes +=
        new_size - old_size; // wraps around when the block shrinks, which is correct
    if (memory->live_bytes > memory->peak_bytes) memory->peak_bytes = memory->live_bytes;
    return moved;
}

void counting_allocator_init(counting_allocator *memory) {
    *memory = (counting_allocator){ .allocator = { resize, memory }, .succeed = SIZE_MAX };
}

void counting_allocator_fail_after(counting_allocator *memory, size_t count) {
    memory->succeed = count;
    memory->fail_once = false;
}

void counting_allocator_fail_once(counting_allocator *memory, size_t count) {
    memory->succeed = count;
    memory->fail_once = true;
}

void counting_allocator_never_fail(counting_allocator *memory) { memory->succeed = SIZE_MAX; }
