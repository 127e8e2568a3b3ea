// SPDX-License-Identifier: MIT
// The hooks of self_value.h. They only count; the tests assert the counts.
#include "support/self_value.h"

static void check(const self_value *v, self_counts *counts) {
    if (v->self != v && (v->self || v->id)) ++counts->faults;
}

static void drop(void *value, void *counts_) {
    self_value *v = value;
    self_counts *counts = counts_;
    check(v, counts);
    ++counts->drops;
    if (v->self) --counts->alive;
    v->self = NULL; // not empty, since the id is set: a second drop is a fault
    v->id = UINT32_MAX;
}

static void move(void *to_, void *from_, void *counts_) {
    self_value *to = to_, *from = from_;
    self_counts *counts = counts_;
    check(from, counts);
    ++counts->moves;
    *to = (self_value){ from->self ? to : NULL, from->id };
    *from = (self_value){ NULL, UINT32_MAX }; // a later use of the moved value is a fault
}

keel_component self_component(self_counts *counts) {
    return (keel_component){ .name = "Self",
                             .size = sizeof(self_value),
                             .align = _Alignof(self_value),
                             .drop = drop,
                             .move = move,
                             .hook_data = counts };
}

void self_make(self_value *at, uint32_t id, self_counts *counts) {
    *at = (self_value){ at, id };
    ++counts->alive;
}

void self_release(self_value *at, self_counts *counts) { drop(at, counts); }
