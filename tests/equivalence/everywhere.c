// SPDX-License-Identifier: MIT
// Components with a storage chosen at run time, and their values.
#include "equivalence/everywhere.h"

#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------ components
static bool placed_copy(void *to, const void *from, void *hook_data) {
    const Placed *source = from;
    (void)hook_data;
    if (source->self && source->self != source) return false; // moved behind its back
    *(Placed *)to = (Placed){ source->self ? to : NULL, source->value };
    return true;
}

static void placed_move(void *to, void *from, void *hook_data) {
    Placed *source = from;
    (void)hook_data;
    assert_true(!source->self || source->self == source);
    *(Placed *)to = (Placed){ source->self ? to : NULL, source->value };
    memset(from, 0xDD, sizeof *source);
}

#define COMPONENT(T, bytes, alignment, ...)                                                        \
    static uint32_t T##_slot;                                                                      \
    keel_component KEEL_COMPONENT_##T = { .type = #T,                                              \
                                          .size = bytes,                                           \
                                          .align = alignment,                                      \
                                          .file = "everywhere.c",                                  \
                                          .line = __LINE__,                                        \
                                          .slot = &T##_slot,                                       \
                                          __VA_ARGS__ }
#define PLAIN(T) COMPONENT(T, sizeof(T), _Alignof(T), .name = NULL)
PLAIN(Byte);
PLAIN(Half);
PLAIN(Number);
PLAIN(Position);
PLAIN(Velocity);
PLAIN(Vector);
PLAIN(Matrix);
PLAIN(Line);
PLAIN(Sheet);
PLAIN(Kilo);
PLAIN(Apart);
PLAIN(Huge);
PLAIN(N1);
PLAIN(N2);
PLAIN(N3);
PLAIN(N4);
PLAIN(N5);
PLAIN(N6);
PLAIN(N7);
PLAIN(N8);
COMPONENT(Placed, sizeof(Placed), _Alignof(Placed), .copy = placed_copy, .move = placed_move);
COMPONENT(Owned, sizeof(Owned), _Alignof(Owned), .drop = owned_drop, .copy = owned_copy,
          .move = owned_move);
COMPONENT(Frozen, 0, 1, .name = NULL);
COMPONENT(Dead, 0, 1, .name = NULL);

#define LIST_COMPONENT(T) &KEEL_COMPONENT_##T,
keel_component *const every_component[COMPONENTS] = { EVERY_COMPONENT(LIST_COMPONENT) };

// ------------------------------------------------------------------ configurations
// Three storages by themselves, then mixes by seed.
enum { MIXES = 3, CONFIGURATIONS = 3 + MIXES };
static uint32_t configuration;

static const char *kind_name(uint32_t number) {
    static const char *const names[] = { "sparse", "indexed", "archetype" };
    return number < 3 ? names[number] : "mixed";
}

const char *configuration_name(void) {
    static char name[32];
    if (configuration < 3) return kind_name(configuration);
    snprintf(name, sizeof name, "mixed %u", (unsigned)(configuration - 2));
    return name;
}

static void configure(uint32_t number) {
    numbers seed = { number * 977u };
    configuration = number;
    for (uint32_t i = 0; i < COMPONENTS; ++i) {
        const uint32_t mixed = next_below(&seed, 3);
        every_component[i]->storage = (keel_storage)(number < 3 ? number : mixed);
        *every_component[i]->slot = 0; // another storage is another component
    }
}

bool next_configuration(uint32_t *at, int count, char **arguments) {
    for (; *at < CONFIGURATIONS; ++*at) {
        bool named = count < 2;
        for (int i = 1; i < count; ++i)
            named = named || strcmp(arguments[i], kind_name(*at)) == 0;
        if (!named) continue;
        configure((*at)++);
        return true;
    }
    return false;
}

bool all_are(keel_storage storage) { return configuration == (uint32_t)storage; }

// ------------------------------------------------------------------ numbers
uint32_t next_number(numbers *n) {
    uint64_t x = n->state += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return (uint32_t)(x >> 32);
}
uint32_t next_below(numbers *n, uint32_t limit) { return next_number(n) % limit; }

// ------------------------------------------------------------------ values
static uint32_t word_of(const keel_component *c, keel_entity e, uint32_t salt) {
    numbers n = { keel_entity_index(e) * 2654435761u + c->size * 97u + salt };
    return next_number(&n) | 1;
}

void fill_value(void *value, const keel_component *c, keel_entity e, uint32_t salt) {
    const uint32_t word = word_of(c, e, salt);
    unsigned char *byte = value;
    for (uint32_t i = 0; i < c->size; ++i)
        byte[i] = (unsigned char)((word >> (i % 4 * 8)) + i / 4);
}

static union {
    _Alignas(4096) unsigned char bytes[LARGEST];
    Owned owned;
    Placed placed;
} scratch;

void assert_value(const void *value, const keel_component *c, keel_entity e, uint32_t salt) {
    assert_non_null(value);
    if (c == KEEL_OF(Owned)) {
        const Owned *o = value;
        assert_int_not_equal(o->token, 0);
        assert_int_equal(o->inverse, ~o->token);
        assert_true(owned.alive[o->token]);
    } else if (c == KEEL_OF(Placed)) {
        const Placed *p = value;
        assert_ptr_equal(p->self, value);
        assert_int_equal(p->value, word_of(c, e, salt));
    } else {
        fill_value(&scratch, c, e, salt);
        assert_memory_equal(value, &scratch, c->size);
    }
    if (c->size) assert_int_equal((uintptr_t)value % c->align, 0);
}

void give(keel_world *world, keel_entity e, const keel_component *c, uint32_t salt) {
    if (c == KEEL_OF(Owned)) scratch.owned = owned_make();
    else if (c == KEEL_OF(Placed))
        scratch.placed = (Placed){ &scratch.placed, word_of(c, e, salt) };
    else fill_value(&scratch, c, e, salt);
    assert_int_equal(keel_add_component(world, e, c, &scratch), KEEL_OK);
}

void assert_given(keel_world *world, keel_entity e, const keel_component *c, uint32_t salt) {
    assert_true(keel_has_component(world, e, c));
    if (c->size) assert_value(keel_get_component(world, e, c), c, e, salt);
    else assert_non_null(keel_get_component(world, e, c));
}
