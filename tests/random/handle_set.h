// SPDX-License-Identifier: MIT
// A set of entity handles: for notes of what was told.
#pragma once
#include <keel/keel.h>

// Zero is an empty set.
typedef struct handle_set {
    keel_entity *cells; // open addressing, null: free; never more than half full
    uint32_t capacity, count;
} handle_set;

void handle_set_deinit(handle_set *set);
void handle_set_clear(handle_set *set);
bool handle_set_has(const handle_set *set, keel_entity e);
// False when it was there (was not there) before.
bool handle_set_add(handle_set *set, keel_entity e);
bool handle_set_remove(handle_set *set, keel_entity e);
