// SPDX-License-Identifier: MIT
// AnyMap, see anymap.h. Invariant: no two entries have the same type.
#include "anymap.h"

#include "resize.h"

#include <assert.h>
#include <string.h>

static anymap_entry *entry_of(const anymap *map, uint32_t type) {
    assert(map != NULL);
    for (size_t i = 0; i < map->count; i++)
        if (map->entries[i].type == type) return &map->entries[i];
    return NULL;
}

static anymap_entry *append_entry(anymap *map, uint32_t type, size_t size) {
    map->entries = model_resize(map->entries, map->count + 1, sizeof *map->entries);
    anymap_entry *entry = &map->entries[map->count++];
    *entry = (anymap_entry){ .type = type, .size = size };
    return entry;
}

static void *copy_of(const void *value, size_t size) {
    void *copy = model_resize(NULL, 1, size);
    if (size > 0 && value != NULL) memcpy(copy, value, size);
    if (size > 0 && value == NULL) memset(copy, 0, size);
    return copy;
}

void anymap_deinit(anymap *map) {
    assert(map != NULL);
    for (size_t i = 0; i < map->count; i++)
        free(map->entries[i].value);
    free(map->entries);
    *map = (anymap){ 0 };
}

void anymap_insert(anymap *map, uint32_t type, const void *value, size_t size) {
    anymap_entry *entry = entry_of(map, type);
    if (entry == NULL) entry = append_entry(map, type, size);
    assert(entry->size == size && "all values of one type have the same size");
    void *old = entry->value;
    entry->value = copy_of(value, size); // before the old one is freed: `value` may be the old one
    free(old);
}

bool anymap_remove(anymap *map, uint32_t type) {
    anymap_entry *entry = entry_of(map, type);
    if (entry == NULL) return false;
    free(entry->value);
    *entry = map->entries[--map->count];
    return true;
}

const void *anymap_get(const anymap *map, uint32_t type) {
    const anymap_entry *entry = entry_of(map, type);
    return entry == NULL ? NULL : entry->value;
}

void *anymap_get_mut(anymap *map, uint32_t type) {
    const anymap_entry *entry = entry_of(map, type);
    return entry == NULL ? NULL : entry->value;
}
