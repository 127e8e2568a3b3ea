// SPDX-License-Identifier: MIT
// Memory: a world's allocator with the number of live bytes; arrays that grow; and a table of what
// is known of things by their address.
#pragma once
#include "base/assert.h"
#include "base/platform/platform.h"

#include <keel/base.h>

typedef struct keeli_heap {
    keel_allocator allocator; // resize NULL: the system's
    uint64_t live;            // bytes (atomic: written under the lock, read without)
    bool shared;              // calls may come from several threads: take the lock
    keeli_lock lock;
    uint64_t caller; // shared: the thread that has the lock (atomic)
    bool is_calling; // the user's allocator
    bool keeps;      // what is freed may come back as it was (rewind/journal.h)
    uint32_t *mask;  // has `mask_bit` while the user's allocator is called; NULL: nothing has
    uint32_t mask_bit;
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

// ------------------------------------------------------------------ arrays
// A growing array of plain values: KEELI_ARRAY(uint32_t) names; ... names.items[i], names.count.
#define KEELI_ARRAY(T)                                                                             \
    struct {                                                                                       \
        T *items;                                                                                  \
        uint32_t count, capacity;                                                                  \
    }

// Make room for `extra` more items; false when out of memory.
#define KEELI_RESERVE(heap, array, extra)                                                          \
    keeli_array_reserve((heap), (void **)&(array)->items, &(array)->capacity,                      \
                        (uint64_t)(array)->count + (extra), sizeof *(array)->items)

// The place of one more item, for which room was made: `*KEELI_APPEND(&names) = name;`
#define KEELI_APPEND(array)                                                                        \
    (KEELI_ASSERT_ROOM((array)->count < (array)->capacity), &(array)->items[(array)->count++])

// Free the memory; the array is empty afterwards.
#define KEELI_RELEASE(heap, array)                                                                 \
    (keeli_free((heap), (array)->items, (size_t)(array)->capacity * sizeof *(array)->items,        \
                _Alignof(max_align_t)),                                                            \
     (array)->items = NULL, (array)->count = 0, (array)->capacity = 0)

// Give back what the array has too much; without memory for that it stays as it is.
#define KEELI_TRIM(heap, array)                                                                    \
    keeli_array_trim((heap), (void **)&(array)->items, &(array)->capacity, (array)->count,         \
                     sizeof *(array)->items)

void keeli_array_trim(keeli_heap *heap, void **items, uint32_t *capacity, uint32_t count,
                      size_t item_size);
bool keeli_array_reserve(keeli_heap *heap, void **items, uint32_t *capacity, uint64_t need,
                         size_t item_size);

// A table of pointers with room for `need` of them, at least doubled; those that are new are NULL.
// NULL when out of memory, and then the table is as before. `*bytes` counts it.
void *keeli_table_grow(keeli_heap *heap, void *table, uint32_t *capacity, uint32_t need,
                       size_t *bytes);
void keeli_table_free(keeli_heap *heap, void *table, uint32_t capacity);

// An initialiser with the same value for each index of a page.
#define KEELI_4_TIMES(x) x, x, x, x
#define KEELI_16_TIMES(x) KEELI_4_TIMES(x), KEELI_4_TIMES(x), KEELI_4_TIMES(x), KEELI_4_TIMES(x)
#define KEELI_64_TIMES(x) KEELI_16_TIMES(x), KEELI_16_TIMES(x), KEELI_16_TIMES(x), KEELI_16_TIMES(x)
#define KEELI_256_TIMES(x)                                                                         \
    KEELI_64_TIMES(x), KEELI_64_TIMES(x), KEELI_64_TIMES(x), KEELI_64_TIMES(x)
#define KEELI_1024_TIMES(x)                                                                        \
    KEELI_256_TIMES(x), KEELI_256_TIMES(x), KEELI_256_TIMES(x), KEELI_256_TIMES(x)
#define KEELI_4096_TIMES(x)                                                                        \
    KEELI_1024_TIMES(x), KEELI_1024_TIMES(x), KEELI_1024_TIMES(x), KEELI_1024_TIMES(x)
#define KEELI_PAGE_TIMES(x) KEELI_SIZE(KEELI_4096_TIMES, KEELI_64_TIMES)(x)

// ------------------------------------------------------------------ pages
// A table of pages of one size. Those that were never written are one shared page, which is
// constant, so what is far away costs no memory.
typedef struct keeli_page_kind {
    const void *empty;
    size_t bytes; // of a page
} keeli_page_kind;

typedef struct keeli_pages {
    void *table;              // of pointers to pages; its owner knows their type
    uint32_t count, capacity; // to the last that was asked for; all to the capacity can be read
} keeli_pages;

// Give a page memory of its own, unless it has it; false when out of memory. `*bytes` counts it.
bool keeli_pages_own(keeli_pages *pages, keeli_heap *heap, const keeli_page_kind *kind,
                     uint32_t page, size_t *bytes);
// Has it? It is in the table.
bool keeli_pages_are_own(const keeli_pages *pages, const keeli_page_kind *kind, uint32_t page);
// Forget what a page holds; its memory goes.
void keeli_pages_free(keeli_pages *pages, keeli_heap *heap, const keeli_page_kind *kind,
                      uint32_t page, size_t *bytes);
// Give those pages memory of their own that have it in another table; then all pages become what
// they are there.
bool keeli_pages_reserve(keeli_pages *pages, keeli_heap *heap, const keeli_page_kind *kind,
                         const keeli_pages *from, size_t *bytes);
void keeli_pages_assign(const keeli_pages *pages, const keeli_page_kind *kind,
                        const keeli_pages *from);
void keeli_pages_deinit(keeli_pages *pages, keeli_heap *heap, const keeli_page_kind *kind);

// ------------------------------------------------------------------ by address
// What is known of things by their address: open addressing, never more than half full. Nothing is
// ever taken out.
typedef struct keeli_pointer_table {
    struct keeli_pointer_item {
        const void *key; // NULL: free
        void *value;
    } * items;
    uint32_t count, capacity;
} keeli_pointer_table;

// Where the key is, or would be. There is a free place.
static inline struct keeli_pointer_item *keeli_pointer_place(const keeli_pointer_table *table,
                                                             const void *key) {
    const uint32_t mask = table->capacity - 1;
    uint32_t at = (uint32_t)((uintptr_t)key / 16) & mask;
    while (table->items[at].key && table->items[at].key != key)
        at = (at + 1) & mask;
    return &table->items[at];
}
// NULL: it is not in the table.
static inline void *keeli_pointer_find(const keeli_pointer_table *table, const void *key) {
    return table->capacity ? keeli_pointer_place(table, key)->value : NULL;
}
// Room for one more; false when out of memory.
bool keeli_pointer_reserve(keeli_pointer_table *table, keeli_heap *heap);
// Add a key that is not there, after that.
void keeli_pointer_add(keeli_pointer_table *table, const void *key, void *value);
void keeli_pointer_table_deinit(keeli_pointer_table *table, keeli_heap *heap);

static inline uint32_t keeli_least(uint32_t a, uint32_t b) { return a < b ? a : b; }
