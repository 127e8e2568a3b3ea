// SPDX-License-Identifier: MIT
#include "handle_set.h"

#include <stdlib.h>
#include <string.h>

static uint32_t home_of(const handle_set *set, keel_entity e) {
    const uint64_t bits = e.bits;
    return (uint32_t)((bits ^ bits >> 29) * 0x9E3779B97F4A7C15u >> 40) & (set->capacity - 1);
}

// Where the handle is, or the free cell where it would go.
static uint32_t place_of(const handle_set *set, keel_entity e) {
    uint32_t at = home_of(set, e);
    while (!keel_is_null(set->cells[at]) && !keel_is_same(set->cells[at], e))
        at = (at + 1) & (set->capacity - 1);
    return at;
}

static void grow(handle_set *set) {
    handle_set fresh = { .capacity = set->capacity ? set->capacity * 2 : 32, .count = set->count };
    fresh.cells = calloc(fresh.capacity, sizeof *fresh.cells);
    if (!fresh.cells) abort();
    for (uint32_t i = 0; i < set->capacity; ++i)
        if (!keel_is_null(set->cells[i]))
            fresh.cells[place_of(&fresh, set->cells[i])] = set->cells[i];
    free(set->cells);
    *set = fresh;
}

void handle_set_deinit(handle_set *set) {
    free(set->cells);
    *set = (handle_set){ NULL, 0, 0 };
}

void handle_set_clear(handle_set *set) {
    if (set->count) memset(set->cells, 0, set->capacity * sizeof *set->cells);
    set->count = 0;
}

bool handle_set_has(const handle_set *set, keel_entity e) {
    return set->count && !keel_is_null(set->cells[place_of(set, e)]);
}

bool handle_set_add(handle_set *set, keel_entity e) {
    if ((set->count + 1) * 2 > set->capacity) grow(set);
    const uint32_t at = place_of(set, e);
    if (!keel_is_null(set->cells[at])) return false;
    set->cells[at] = e;
    ++set->count;
    return true;
}

// What stands behind the gap and belongs before it is put anew.
bool handle_set_remove(handle_set *set, keel_entity e) {
    if (!handle_set_has(set, e)) return false;
    uint32_t at = place_of(set, e);
    set->cells[at] = keel_null();
    --set->count;
    for (at = (at + 1) & (set->capacity - 1); !keel_is_null(set->cells[at]);
         at = (at + 1) & (set->capacity - 1)) {
        const keel_entity moved = set->cells[at];
        set->cells[at] = keel_null();
        set->cells[place_of(set, moved)] = moved;
    }
    return true;
}
