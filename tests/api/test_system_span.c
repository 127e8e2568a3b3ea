// SPDX-License-Identifier: MIT
// Systems by span, and systems of both kinds compared with a walk by hand: whatever form the values
// come in, each matching entity is visited once with its own values.
#include "support/api_types.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

// ------------------------------------------------------------------ populations
static uint32_t random_state;
static uint32_t random_below(uint32_t limit) {
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % limit;
}

// `count` entities, each with a Number of its own, in the order of their indices.
static keel_entity *add_entities(keel_world *world, uint32_t count) {
    keel_entity *e = malloc(count * sizeof *e);
    Number *numbers = malloc(count * sizeof *numbers);
    assert_true(e && numbers);
    for (uint32_t i = 0; i < count; ++i)
        numbers[i].value = i;
    assert_int_equal(keel_add_entities(world, count, e, KEEL_COLUMN(Number, numbers)), KEEL_OK);
    free(numbers);
    return e;
}

// Other, Third, Frozen for some of them, each in an order of its own; a few are deleted.
static void scatter(keel_world *world, const keel_entity *e, uint32_t count, uint32_t one_in) {
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t i = random_below(count);
        if (i % one_in == 0) (void)keel_add(world, e[i], Other, { i * 3 });
    }
    for (uint32_t i = count; i-- > 0;) {
        if (random_below(4) == 0) (void)keel_add(world, e[i], Third, { i });
        if (random_below(5) == 0) (void)keel_add(world, e[i], Frozen);
        if (random_below(10) == 0) (void)keel_delete_entity(world, e[i]);
    }
}

// ------------------------------------------------------------------ the systems
// What was visited: a sum that depends on which values came together, and how many.
typedef struct tally {
    uint64_t sum;
    uint32_t count, calls;
    uint32_t seen_twice;
} tally;

static void note(tally *t, keel_entity e, const Number *n, Other *o, const Third *third) {
    const uint64_t key = keel_entity_index(e) + 1;
    t->sum += key * (n->value + 3 * (uint64_t)o->value + (third ? third->value + 7 : 1));
    ++t->count;
    o->value ^= 0x80000000u; // a second visit is noticed
    if (!(o->value & 0x80000000u)) ++t->seen_twice;
}

KEEL_SYSTEM(each, KEEL_READ(Number, n), KEEL_WRITE(Other, o), KEEL_MAYBE(Third, third),
            KEEL_WITHOUT(Frozen), KEEL_ENTITY(e), KEEL_DATA(tally, t)) {
    Other copy = *o;
    note(t, e, n, &copy, third);
    *o = copy;
}
KEEL_SPAN_SYSTEM(span, KEEL_COUNT(count), KEEL_READ(Number, n), KEEL_WRITE(Other, o),
                 KEEL_MAYBE(Third, third), KEEL_WITHOUT(Frozen), KEEL_ENTITIES(entities),
                 KEEL_DATA(tally, t)) {
    ++t->calls;
    for (uint32_t i = 0; i < count; ++i)
        note(t, entities[i], &n[i], &o[i], third ? &third[i] : NULL);
}

static tally by_hand(keel_world *world) {
    tally t = { 0 };
    keel_entity e = keel_null();
    while (!keel_is_null(e = keel_next_entity(world, e))) {
        const Number *n = keel_get(world, e, Number);
        Other *o = keel_get_mut(world, e, Other);
        if (n && o && !keel_has(world, e, Frozen)) note(&t, e, n, o, keel_get(world, e, Third));
    }
    return t;
}

static void compare(keel_world *world) {
    const tally expected = by_hand(world); // leaves the marks set
    for (uint32_t i = 0; i < 2; ++i) {
        tally t = { 0 };
        assert_int_equal(i ? keel_run_with(world, span, &t) : keel_run_with(world, each, &t),
                         KEEL_OK);
        // by hand each was marked once, by `each` cleared, by `span` marked again
        const tally again = by_hand(world);
        assert_int_equal(t.count, expected.count);
        assert_int_equal(t.seen_twice, i ? expected.count : 0);
        assert_int_equal(again.count, expected.count);
    }
}
