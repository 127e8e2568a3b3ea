// SPDX-License-Identifier: MIT
// A hash table of numbers that are not 0, with linear probing: ids to entities, ids to slots.
#include "domain.h"

#include <stdlib.h>

static uint32_t place_of(const mpi_map *map, uint64_t key) {
    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32) & (map->room - 1);
}

// Returns the place of a key, or the free place where it belongs.
static uint32_t search(const mpi_map *map, uint64_t key) {
    uint32_t at = place_of(map, key);
    while (map->keys[at] && map->keys[at] != key)
        at = (at + 1) & (map->room - 1);
    return at;
}

bool keeli_map_reserve(mpi_map *map, uint32_t more) {
    const uint64_t need = 2 * ((uint64_t)map->count + more);
    if (need <= map->room) return true;
    uint64_t room = 1024;
    while (room < need)
        room *= 2;
    if (room > UINT32_MAX) return false;
    mpi_map larger = { .room = (uint32_t)room, .count = map->count };
    larger.keys = calloc(room, sizeof *larger.keys);
    larger.values = malloc(room * sizeof *larger.values);
    if (!larger.keys || !larger.values) {
        keeli_map_free(&larger);
        return false;
    }
    for (uint32_t i = 0; i < map->room; ++i)
        if (map->keys[i]) {
            const uint32_t at = search(&larger, map->keys[i]);
            larger.keys[at] = map->keys[i];
            larger.values[at] = map->values[i];
        }
    keeli_map_free(map);
    *map = larger;
    return true;
}

uint64_t *keeli_map_find(const mpi_map *map, uint64_t key) {
    if (!map->room || !key) return NULL;
    const uint32_t at = search(map, key);
    return map->keys[at] ? &map->values[at] : NULL;
}

uint64_t *keeli_map_add(mpi_map *map, uint64_t key, uint64_t value) {
    const uint32_t at = search(map, key);
    if (map->keys[at]) return &map->values[at];
    map->keys[at] = key;
    map->values[at] = value;
    ++map->count;
    return &map->values[at];
}

void keeli_map_remove(mpi_map *map, uint64_t key) {
    if (!map->room) return;
    uint32_t hole = search(map, key);
    if (!map->keys[hole]) return;
    --map->count;
    map->keys[hole] = 0;
    // keys behind the hole that would not be found any more move into it
    for (uint32_t i = (hole + 1) & (map->room - 1); map->keys[i]; i = (i + 1) & (map->room - 1)) {
        const uint32_t distance = (i - place_of(map, map->keys[i])) & (map->room - 1);
        if (distance < ((i - hole) & (map->room - 1))) continue;
        map->keys[hole] = map->keys[i];
        map->values[hole] = map->values[i];
        map->keys[i] = 0;
        hole = i;
    }
}

void keeli_map_free(mpi_map *map) {
    free(map->keys);
    free(map->values);
    *map = (mpi_map){ .room = 0 };
}
