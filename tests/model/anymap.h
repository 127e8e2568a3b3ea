// SPDX-License-Identifier: MIT
// AnyMap: at most one value per type. A type is a number that the caller chooses, its values are
// bytes. Slow and obviously right: a list that is searched from the front.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// One value of the map.
typedef struct anymap_entry {
    uint32_t type; ///< the key
    size_t size;   ///< bytes of the value; 0 for a tag
    void *value;   ///< its own allocation, never NULL
} anymap_entry;

/// A map from type to value. Zero is an empty map.
typedef struct anymap {
    anymap_entry *entries; ///< in no order; no two with the same type
    size_t count;          ///< number of `entries`
} anymap;

/// Free all values. The map is empty afterwards and may be used again.
void anymap_deinit(anymap *map);

/// Put a value in; it takes the place of the value of the same type.
/// @param value `size` bytes, copied; NULL: zeros
/// @param size the same for all values of one type
void anymap_insert(anymap *map, uint32_t type, const void *value, size_t size);

/// Take the value of this type out and free it.
/// @return true when there was one
bool anymap_remove(anymap *map, uint32_t type);

/// The value of this type, or NULL. Valid until the type is inserted again or removed.
const void *anymap_get(const anymap *map, uint32_t type);

/// The value of this type to change in place, or NULL.
void *anymap_get_mut(anymap *map, uint32_t type);
