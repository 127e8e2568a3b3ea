// SPDX-License-Identifier: MIT
// Systems that append their letter to a unique, so that a test of workloads sees which systems ran,
// and in which order. Tests of workloads, steps and states in tests/api include it.
#pragma once
#include "support/api_types.h"

#include <string.h>

typedef struct Trail {
    uint32_t length;
    char text[60];
} Trail;
KEEL_UNIQUE(Trail);
typedef struct Switch {
    bool on, broken;
    uint32_t asked;
} Switch;
KEEL_UNIQUE(Switch);

static inline void leave(Trail *trail, char letter) {
    assert_true(trail->length + 1 < sizeof trail->text);
    trail->text[trail->length++] = letter;
}

KEEL_SYSTEM_ONCE(do_a, KEEL_UNIQUE_WRITE(Trail, trail)) { leave(trail, 'a'); }
KEEL_SYSTEM_ONCE(do_b, KEEL_UNIQUE_WRITE(Trail, trail)) { leave(trail, 'b'); }
KEEL_SYSTEM_ONCE(do_c, KEEL_UNIQUE_WRITE(Trail, trail)) { leave(trail, 'c'); }
KEEL_SYSTEM_ONCE(turn_on, KEEL_UNIQUE_WRITE(Switch, s)) { s->on = true; }
KEEL_CONDITION(is_on, KEEL_UNIQUE_WRITE(Switch, s)) {
    ++s->asked;
    return s->on;
}

static inline void begin(api_fixture *f) {
    api_begin(f);
    assert_int_equal(keel_set_unique(f->world, Trail, { 0 }), KEEL_OK);
    assert_int_equal(keel_set_unique(f->world, Switch, { 0 }), KEEL_OK);
}

// Asserts which systems ran since the last call, and their order.
static inline void assert_trail(keel_world *world, const char *expected) {
    Trail *trail = keel_get_unique_mut(world, Trail);
    assert_non_null(trail);
    assert_string_equal(trail->text, expected);
    memset(trail, 0, sizeof *trail);
}

KEEL_WORKLOAD(abc, KEEL_STEP(do_a), KEEL_STEP(do_b), KEEL_STEP(do_c));
KEEL_WORKLOAD(ba, KEEL_STEP(do_b), KEEL_STEP(do_a));
KEEL_WORKLOAD(outer, KEEL_STEP(do_c), KEEL_NESTED(ba), KEEL_NESTED(abc), KEEL_STEP(do_c));
