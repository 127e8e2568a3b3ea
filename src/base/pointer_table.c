// SPDX-License-Identifier: MIT
#include "base/pointer_table.h"

static void free_items(const keeli_pointer_table *table, keeli_heap *heap) {
    keeli_free(heap, table->items, table->capacity * sizeof *table->items, sizeof(void *));
}

bool keeli_pointer_reserve(keeli_pointer_table *table, keeli_heap *heap) {
    if ((table->count + 1) * 2 <= table->capacity) return true;
    keeli_pointer_table fresh = { .capacity = table->capacity ? table->capacity * 2 : 32 };
    fresh.items = keeli_new_zeroed(heap, fresh.capacity * sizeof *fresh.items, sizeof(void *));
    if (!fresh.items) return false;
    for (uint32_t i = 0; i < table->capacity; ++i)
        if (table->items[i].key)
            keeli_pointer_add(&fresh, table->items[i].key, table->items[i].value);
    free_items(table, heap);
    *table = fresh;
    return true;
}

void keeli_pointer_add(keeli_pointer_table *table, const void *key, void *value) {
    *keeli_pointer_place(table, key) = (struct keeli_pointer_item){ key, value };
    ++table->count;
}

void keeli_pointer_table_deinit(keeli_pointer_table *table, keeli_heap *heap) {
    free_items(table, heap);
    *table = (keeli_pointer_table){ 0 };
}
