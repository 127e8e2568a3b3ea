// SPDX-License-Identifier: MIT
// Memory: the heap of a world (its allocator and the number of live bytes), and three containers
// that allocate from it: growing arrays, tables of pages, and hash tables with addresses as keys.
// It does not know what is stored. All layers above use it.
#pragma once
#include "base/assert.h"
#include "base/platform/platform.h"

#include <keel/base.h>

typedef struct keeli_heap {
    keel_allocator allocator; // `resize` NULL: the system's allocator
    uint64_t live;            // bytes allocated (atomic: written under the lock, read without)
    bool shared;              // several threads may allocate, so the lock is acquired
    keeli_lock lock;
    uint64_t caller; // thread that holds the lock; 0: none (atomic). It allocates without acquiring
                     // the lock again
    bool is_calling; // the user's allocator is running; calls that it makes get no memory
    bool keeps;      // the content of freed blocks must not be overwritten: the allocator is a
                     // journal, which may restore them (rewind/journal.h)
    uint32_t *mask;  // reasons to refuse edits of the world, or NULL. `mask_bit` is set in it while
                     // the user's allocator is running
    uint32_t mask_bit;
    struct keeli_arena_block *spare_blocks; // free blocks for all arenas of the heap (arena.c)
    uint32_t spare_block_count;
} keeli_heap;

void keeli_heap_init(keeli_heap *heap, keel_allocator allocator);
void keeli_heap_deinit(keeli_heap *heap);
// Allocates memory. NULL when out of memory, or when `size` is 0.
void *keeli_new(keeli_heap *heap, size_t size, size_t align);
// Allocates memory like keeli_new, and fills it with zeros.
void *keeli_new_zeroed(keeli_heap *heap, size_t size, size_t align);
// Changes the size of a block, which may move it. NULL when out of memory; `block` is then as
// before.
void *keeli_resize(keeli_heap *heap, void *block, size_t old_size, size_t new_size, size_t align);
void keeli_free(keeli_heap *heap, void *block, size_t size, size_t align);
// Returns a copy of a string; NULL when out of memory. It is freed with keeli_free_text.
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

// Makes room for `extra` more items; false when out of memory.
#define KEELI_RESERVE(heap, array, extra)                                                          \
    keeli_array_reserve((heap), (void **)&(array)->items, &(array)->capacity,                      \
                        (uint64_t)(array)->count + (extra), sizeof *(array)->items)

// Adds an item, for which KEELI_RESERVE has made room, and returns a pointer to it:
// `*KEELI_APPEND(&names) = name;`
#define KEELI_APPEND(array)                                                                        \
    (KEELI_ASSERT_ROOM((array)->count < (array)->capacity), &(array)->items[(array)->count++])

// Frees the memory; the array is empty afterwards.
#define KEELI_RELEASE(heap, array)                                                                 \
    (keeli_free((heap), (array)->items, (size_t)(array)->capacity * sizeof *(array)->items,        \
                _Alignof(max_align_t)),                                                            \
     (array)->items = NULL, (array)->count = 0, (array)->capacity = 0)

// Frees the memory that the items do not need. The array stays as it is if the allocator fails.
#define KEELI_TRIM(heap, array)                                                                    \
    keeli_array_trim((heap), (void **)&(array)->items, &(array)->capacity, (array)->count,         \
                     sizeof *(array)->items)

void keeli_array_trim(keeli_heap *heap, void **items, uint32_t *capacity, uint32_t count,
                      size_t item_size);
bool keeli_array_reserve(keeli_heap *heap, void **items, uint32_t *capacity, uint64_t need,
                         size_t item_size);

// Grows a table of pointers until it has room for `need` of them, and returns it. A table that
// grows at least doubles; its new pointers are NULL, and `*capacity` and `*bytes` grow with it.
// Returns NULL when out of memory; the table is then as before.
void *keeli_table_grow(keeli_heap *heap, void *table, uint32_t *capacity, uint32_t need,
                       size_t *bytes);
void keeli_table_free(keeli_heap *heap, void *table, uint32_t capacity);

// KEELI_PAGE_TIMES repeats a value in an initialiser, once for each index of a page: it fills the
// constant pages of keeli_page_kind. The other macros are its parts.
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
// A table of pages of one size. Pages that were never written have no memory of their own: they all
// point to one shared, constant page. So a table with a few used pages at large indices is small.
typedef struct keeli_page_kind {
    const void *empty; // the shared page
    size_t bytes;      // the size of a page
} keeli_page_kind;

typedef struct keeli_pages {
    void *table;       // pointers to pages; the owner knows their type
    uint32_t count;    // number of the last page that was reserved, plus 1
    uint32_t capacity; // number of pointers in the table; those from `count` on point to the shared
                       // page
} keeli_pages;

// Allocates memory for a page, unless it has its own, and adds its size to `*bytes`. The page
// begins as a copy of the shared page. False when out of memory.
bool keeli_pages_own(keeli_pages *pages, keeli_heap *heap, const keeli_page_kind *kind,
                     uint32_t page, size_t *bytes);
// True if the page has memory of its own. It must be in the table.
bool keeli_pages_are_own(const keeli_pages *pages, const keeli_page_kind *kind, uint32_t page);
// Frees the memory of a page, if it has its own, and subtracts its size from `*bytes`. The table
// points to the shared page instead.
void keeli_pages_free(keeli_pages *pages, keeli_heap *heap, const keeli_page_kind *kind,
                      uint32_t page, size_t *bytes);
// Copy a table in two steps, of which only the first can fail. keeli_pages_reserve allocates memory
// for each page that has its own in `from`; false when out of memory. keeli_pages_assign then
// copies the contents.
bool keeli_pages_reserve(keeli_pages *pages, keeli_heap *heap, const keeli_page_kind *kind,
                         const keeli_pages *from, size_t *bytes);
void keeli_pages_assign(const keeli_pages *pages, const keeli_page_kind *kind,
                        const keeli_pages *from);
void keeli_pages_deinit(keeli_pages *pages, keeli_heap *heap, const keeli_page_kind *kind);

// ------------------------------------------------------------------ addresses
// A hash table from an address to a pointer: open addressing, never more than half full. Keys
// cannot be removed.
typedef struct keeli_pointer_table {
    struct keeli_pointer_item {
        const void *key; // NULL: free
        void *value;
    } * items;
    uint32_t count, capacity;
} keeli_pointer_table;

// Returns the item of a key, or the free item where the key would be added. The table must have a
// free item.
static inline struct keeli_pointer_item *keeli_pointer_place(const keeli_pointer_table *table,
                                                             const void *key) {
    const uint32_t mask = table->capacity - 1;
    uint32_t at = (uint32_t)((uintptr_t)key / 16) & mask;
    while (table->items[at].key && table->items[at].key != key)
        at = (at + 1) & mask;
    return &table->items[at];
}
// Returns the value of a key, NULL if the table does not have it.
static inline void *keeli_pointer_find(const keeli_pointer_table *table, const void *key) {
    return table->capacity ? keeli_pointer_place(table, key)->value : NULL;
}
// Makes room for one more key; false when out of memory.
bool keeli_pointer_reserve(keeli_pointer_table *table, keeli_heap *heap);
// Adds a key that the table does not have, after a reserve.
void keeli_pointer_add(keeli_pointer_table *table, const void *key, void *value);
void keeli_pointer_table_deinit(keeli_pointer_table *table, keeli_heap *heap);

static inline uint32_t keeli_least(uint32_t a, uint32_t b) { return a < b ? a : b; }
