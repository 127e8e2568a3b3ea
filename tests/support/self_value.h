// SPDX-License-Identifier: MIT
// A value that knows its own address, so that a move without its hook, a lost value and a value
// released twice are all noticed. A zeroed value is empty: it owns nothing.
#pragma once
#include <keel/component.h>

typedef struct self_value {
    struct self_value *self; // NULL: empty
    uint32_t id;
} self_value;

// The hooks' data.
typedef struct self_counts {
    uint32_t moves, drops; // of empty values too
    uint32_t alive;        // values made and not yet dropped
    uint32_t faults;       // a value that was not where it thought it was
} self_counts;

// A descriptor with the hooks. `counts` must outlive it.
keel_component self_component(self_counts *counts);
// Make a value at a place.
void self_make(self_value *at, uint32_t id, self_counts *counts);
// Release one that was handed out.
void self_release(self_value *at, self_counts *counts);
