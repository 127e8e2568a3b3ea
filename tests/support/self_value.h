// SPDX-License-Identifier: MIT
// A value with its own address in it, by which tests notice a move without its hook, a lost value
// and a double release. A zeroed value is empty and owns nothing. Tests of sparse sets in
// tests/data use it.
#pragma once
#include <keel/component.h>

typedef struct self_value {
    struct self_value *self; // NULL: empty
    uint32_t id;
} self_value;

// The data of the hooks.
typedef struct self_counts {
    uint32_t moves, drops; // calls of the hooks, also with empty values
    uint32_t alive;        // values made and not dropped
    uint32_t faults;       // values that were not at their address
} self_counts;

// Returns a descriptor with the hooks. `counts` must outlive it.
keel_component self_component(self_counts *counts);
// Makes a value at an address.
void self_make(self_value *at, uint32_t id, self_counts *counts);
// Releases a value that Keel moved out to the test.
void self_release(self_value *at, self_counts *counts);
