// SPDX-License-Identifier: MIT
// The heap, and the arrays and tables that allocate from it. While the world is shared between
// threads, a lock serialises the calls to the allocator. See memory.h for the interface; this file
// has no allocator of its own (platform/platform.c calls the system's).
#include "base/memory.h"

#include <string.h>

void keeli_heap_init(keeli_heap *heap, keel_allocator allocator) {
    heap->allocator = allocator;
    heap->live = 0;
    heap->shared = false;
    heap->caller = 0;
    heap->is_calling = heap->keeps = false;
    heap->mask = NULL;
    heap->spare_blocks = NULL;
    heap->spare_block_count = 0;
    keeli_lock_init(&heap->lock);
}

void keeli_heap_deinit(keeli_heap *heap) { keeli_lock_deinit(&heap->lock); }

// Calls the user's allocator. A bit in `mask` makes the world refuse edits by the allocator during
// the call.
static void *call_user(keeli_heap *heap, void *block, size_t old_size, size_t new_size,
                       size_t align) {
    const keel_allocator *a = &heap->allocator;
    // other threads may be reading the mask of a shared heap, so it is not written
    uint32_t *mask = heap->shared ? NULL : heap->mask;
    const uint32_t kept = mask ? *mask : 0;
    heap->is_calling = true;
    if (mask)
        *mask |= heap->mask_bit;
    void *fresh = a->resize(a->context, block, old_size, new_size, align);
    if (mask)
        *mask = kept;
    heap->is_calling = false;
    return fresh;
}

// Calls the allocator and counts the bytes. If the user's allocator calls the world and this call
// needs memory, it fails as if memory were full.
static void *call_allocator(keeli_heap *heap, void *block, size_t old_size, size_t new_size,
                            size_t align) {
    void *fresh;
    if (!heap->allocator.resize)
        fresh = keeli_system_resize(block, old_size, new_size, align);
    else if (heap->is_calling && new_size)
        return NULL;
    else
        fresh = call_user(heap, block, old_size, new_size, align);

    if (fresh || new_size == 0)
        keeli_atomic_put(&heap->live, keeli_atomic_peek(&heap->live) + new_size - old_size);
    return fresh;
}

void *keeli_resize(keeli_heap *heap, void *block, size_t old_size, size_t new_size, size_t align) {
    if (old_size == 0 && new_size == 0)
        return NULL;

    // this thread has the lock already if the user's allocator, called by it, calls the world again
    const uint64_t self = heap->shared ? keeli_thread_id() : 0;
    const bool needs_no_lock = !self || keeli_atomic_peek(&heap->caller) == self;
    if (needs_no_lock)
        return call_allocator(heap, block, old_size, new_size, align);

    keeli_lock_acquire(&heap->lock);
    keeli_atomic_put(&heap->caller, self);
    void *fresh = call_allocator(heap, block, old_size, new_size, align);
    keeli_atomic_put(&heap->caller, 0);
    keeli_lock_release(&heap->lock);
    return fresh;
}

void *keeli_new(keeli_heap *heap, size_t size, size_t align) {
    return keeli_resize(heap, NULL, 0, size, align);
}

void *keeli_new_zeroed(keeli_heap *heap, size_t size, size_t align) {
    void *block = keeli_new(heap, size, align);
    if (block)
        memset(block, 0, size);
    return block;
}

void keeli_free(keeli_heap *heap, void *block, size_t size, size_t align) {
    if (block)
        (void)keeli_resize(heap, block, size, 0, align);
}

char *keeli_new_text(keeli_heap *heap, const char *text) {
    const size_t size = strlen(text) + 1;
    char *copy = keeli_new(heap, size, 1);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

void keeli_free_text(keeli_heap *heap, char *text) {
    if (text)
        keeli_free(heap, text, strlen(text) + 1, 1);
}

// ------------------------------------------------------------------ arrays
bool keeli_array_reserve(keeli_heap *heap, void **items, uint32_t *capacity, uint64_t need,
                         size_t item_size) {
    if (need <= *capacity)
        return true;
    if (need > UINT32_MAX)
        return false;

    uint64_t grown = *capacity < KEELI_SIZE(8, 64) ? KEELI_SIZE(8, 1) : (uint64_t)*capacity * 2;
    if (grown < need)
        grown = need;
    if (grown > UINT32_MAX)
        grown = UINT32_MAX;

    void *fresh = keeli_resize(heap, *items, *capacity * item_size, (size_t)grown * item_size,
                               _Alignof(max_align_t));
    if (!fresh)
        return false;
    *items = fresh;
    *capacity = (uint32_t)grown;
    return true;
}

void keeli_array_trim(keeli_heap *heap, void **items, uint32_t *capacity, uint32_t count,
                      size_t item_size) {
    void *fresh =
        keeli_resize(heap, *items, *capacity * item_size, count * item_size, _Alignof(max_align_t));
    if (!fresh && count)
        return;
    *items = fresh;
    *capacity = count;
}

void *keeli_table_grow(keeli_heap *heap, void *table, uint32_t *capacity, uint32_t need,
                       size_t *bytes) {
    if (need <= *capacity)
        return table;

    uint32_t grown = *capacity ? *capacity * 2 : KEELI_SIZE(4, 1);
    if (grown < need)
        grown = need;
    const size_t old_size = *capacity * sizeof(void *), more = grown * sizeof(void *) - old_size;
    char *fresh = keeli_resize(heap, table, old_size, old_size + more, sizeof(void *));
    if (!fresh)
        return NULL;

    memset(fresh + old_size, 0, more);
    *bytes += more;
    *capacity = grown;
    return fresh;
}

void keeli_table_free(keeli_heap *heap, void *table, uint32_t capacity) {
    keeli_free(heap, table, capacity * sizeof(void *), sizeof(void *));
}

// ------------------------------------------------------------------ pages
// The table is accessed as bytes, because its pointers have the type of its owner.
static void *page_at(const keeli_pages *pages, uint32_t page) {
    void *at;
    memcpy(&at, (char *)pages->table + page * sizeof at, sizeof at);
    return at;
}
static void set_page(keeli_pages *pages, uint32_t page, const void *at) {
    memcpy((char *)pages->table + page * sizeof at, &at, sizeof at);
}

bool keeli_pages_are_own(const keeli_pages *pages, const keeli_page_kind *kind, uint32_t page) {
    return page_at(pages, page) != kind->empty;
}

bool keeli_pages_own(keeli_pages *pages, keeli_heap *heap, const keeli_page_kind *kind,
                     uint32_t page, size_t *bytes) {
    uint32_t had = pages->capacity;
    if (page < pages->count && keeli_pages_are_own(pages, kind, page))
        return true;

    // allocated before the table grows: owners have copies of the table's address, which they
    // update after this function. An allocator that was called in between could use the freed table
    void *fresh = keeli_new(heap, kind->bytes, 64);
    if (!fresh)
        return false;
    void *table = keeli_table_grow(heap, pages->table, &pages->capacity, page + 1, bytes);
    if (!table) {
        keeli_free(heap, fresh, kind->bytes, 64);
        return false;
    }

    pages->table = table;
    for (; had < pages->capacity; ++had)
        set_page(pages, had, kind->empty);
    if (pages->count <= page)
        pages->count = page + 1;

    memcpy(fresh, kind->empty, kind->bytes);
    set_page(pages, page, fresh);
    *bytes += kind->bytes;
    return true;
}

void keeli_pages_free(keeli_pages *pages, keeli_heap *heap, const keeli_page_kind *kind,
                      uint32_t page, size_t *bytes) {
    if (!keeli_pages_are_own(pages, kind, page))
        return;
    keeli_free(heap, page_at(pages, page), kind->bytes, 64);
    set_page(pages, page, kind->empty);
    *bytes -= kind->bytes;
}

bool keeli_pages_reserve(keeli_pages *pages, keeli_heap *heap, const keeli_page_kind *kind,
                         const keeli_pages *from, size_t *bytes) {
    for (uint32_t page = 0; page < from->count; ++page)
        if (keeli_pages_are_own(from, kind, page) &&
            !keeli_pages_own(pages, heap, kind, page, bytes))
            return false;
    return true;
}

void keeli_pages_assign(const keeli_pages *pages, const keeli_page_kind *kind,
                        const keeli_pages *from) {
    for (uint32_t page = 0; page < pages->count; ++page) {
        if (!keeli_pages_are_own(pages, kind, page))
            continue;
        const void *source = page < from->count ? page_at(from, page) : kind->empty;
        memcpy(page_at(pages, page), source, kind->bytes);
    }
}

void keeli_pages_deinit(keeli_pages *pages, keeli_heap *heap, const keeli_page_kind *kind) {
    size_t bytes = 0;
    for (uint32_t page = 0; page < pages->count; ++page)
        keeli_pages_free(pages, heap, kind, page, &bytes);
    keeli_table_free(heap, pages->table, pages->capacity);
    *pages = (keeli_pages){ 0 };
}

// ------------------------------------------------------------------ addresses
static void free_items(const keeli_pointer_table *table, keeli_heap *heap) {
    keeli_free(heap, table->items, table->capacity * sizeof *table->items, sizeof(void *));
}

bool keeli_pointer_reserve(keeli_pointer_table *table, keeli_heap *heap) {
    if ((table->count + 1) * 2 <= table->capacity)
        return true;

    const uint32_t capacity = table->capacity ? table->capacity * 2 : KEELI_SIZE(32, 2);
    keeli_pointer_table fresh = { .capacity = capacity };
    fresh.items = keeli_new_zeroed(heap, fresh.capacity * sizeof *fresh.items, sizeof(void *));
    if (!fresh.items)
        return false;

    for (uint32_t i = 0; i < table->capacity; ++i)
        if (table->items[i].key)
            keeli_pointer_add(&fresh, table->items[i].key, table->items[i].value);
    free_items(table, heap);
    *table = fresh;
    return true;
}

void keeli_pointer_add(keeli_pointer_table *table, const void *key, void *value) {
    KEELI_ASSERT_ROOM(table->count < table->capacity / 2);
    *keeli_pointer_place(table, key) = (struct keeli_pointer_item){ key, value };
    ++table->count;
}

void keeli_pointer_table_deinit(keeli_pointer_table *table, keeli_heap *heap) {
    free_items(table, heap);
    *table = (keeli_pointer_table){ 0 };
}
