// SPDX-License-Identifier: MIT
// What is known of things by their address: open addressing, never more than half full. Nothing is
// ever taken out.
#pragma once
#include "base/heap.h"

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
