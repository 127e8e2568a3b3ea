// SPDX-License-Identifier: MIT
// Relations of each kind, random edges between entities, and a comparison of the edges of two
// worlds and their order. Tests of the order of relations in tests/api include it; the copying is
// theirs.
#pragma once
#include "support/api_fixture.h"

#include <string.h>

typedef struct Place {
    uint32_t slot;
} Place;
KEEL_FIELDS(Place, slot);
typedef struct Price {
    uint32_t coins;
} Price;
KEEL_FIELDS(Price, coins);
typedef struct Bond {
    uint32_t strength;
} Bond;
KEEL_FIELDS(Bond, strength);
KEEL_RELATION(Inside, .exclusive = true);
KEEL_RELATION(Likes);
KEEL_RELATION(Knows, .symmetric = true);
KEEL_RELATION(Married, .exclusive = true, .symmetric = true);
KEEL_VALUED_RELATION(Place, .exclusive = true, KEEL_HAS_FIELDS(Place));
KEEL_VALUED_RELATION(Bond, .symmetric = true, KEEL_HAS_FIELDS(Bond));
KEEL_VALUED_RELATION(Price, KEEL_HAS_FIELDS(Price));

enum { ENTITIES = 40, RELATIONS = 7 };
static const keel_component *relations[RELATIONS];
static uint32_t seed;

static inline uint32_t roll(uint32_t below) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static inline void relate(keel_world *world, const keel_component *c, keel_entity a,
                          keel_entity b) {
    const uint32_t value = roll(1000);
    if (roll(4))
        assert_int_equal(keel_relate_component(world, a, c, b, c->size ? &value : NULL), KEEL_OK);
    else (void)keel_unrelate_component(world, a, c, b);
}

// Registers the relations in both worlds, in the same order.
static inline void register_relations(keel_world *world, keel_world *other) {
    for (uint32_t r = 0; r < RELATIONS; ++r)
        assert_true(keel_register_component(world, relations[r]) &&
                    keel_register_component(other, relations[r]));
}

// Adds and removes random edges.
static inline void relate_all(keel_world *world, const keel_entity *e, uint32_t count) {
    for (uint32_t n = 0; n < count * 30; ++n)
        relate(world, relations[roll(RELATIONS)], e[roll(count)], e[roll(count)]);
}

static inline keel_entity number(keel_entity e, const keel_entity *from, const keel_entity *to,
                                 uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        if (keel_is_same(from[i], e)) return to[i];
    return keel_null();
}

// Asserts that each copy has the same targets and sources as its original, in the same order and
// with the same values.
static inline void assert_alike(keel_world *world, const keel_entity *e, keel_world *other,
                                const keel_entity *copies, uint32_t count) {
    for (uint32_t r = 0; r < RELATIONS; ++r) {
        const keel_component *c = relations[r];
        for (uint32_t i = 0; i < count; ++i) {
            keel_entity a = keel_null(), b = keel_null();
            do {
                a = keel_next_target_component(world, e[i], c, a);
                b = keel_next_target_component(other, copies[i], c, b);
                assert_same_entity(number(a, e, copies, count), b);
                const void *value = keel_get_related_component(world, e[i], c, a);
                const void *copy = keel_get_related_component(other, copies[i], c, b);
                if (value) assert_memory_equal(value, copy, c->size);
            } while (!keel_is_null(a));
            do {
                a = keel_next_source_component(world, e[i], c, a);
                b = keel_next_source_component(other, copies[i], c, b);
                assert_same_entity(number(a, e, copies, count), b);
            } while (!keel_is_null(a));
        }
    }
}

static inline void begin_edges(uint32_t from) {
    const keel_component *all[RELATIONS] = { KEEL_OF(Inside),  KEEL_OF(Likes), KEEL_OF(Knows),
                                             KEEL_OF(Married), KEEL_OF(Place), KEEL_OF(Bond),
                                             KEEL_OF(Price) };
    memcpy(relations, all, sizeof all);
    seed = from;
}
