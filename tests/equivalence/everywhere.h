// SPDX-License-Identifier: MIT
// Components whose storage is chosen at run time, so that one test body runs over every storage and
// over mixes of them. The descriptors are what KEEL_COMPONENT makes, but may be changed: all macros
// of typed.h work with them.
#pragma once
#include "support/api_fixture.h"

// ------------------------------------------------------------------ components
typedef struct Byte {
    uint8_t value;
} Byte;
typedef struct Half {
    uint16_t value;
} Half;
typedef struct Number {
    uint32_t value;
} Number;
typedef struct Position {
    float x, y;
} Position;
typedef struct Velocity {
    float x, y;
} Velocity;
typedef struct Vector {
    float x, y, z;
} Vector;
typedef struct Matrix {
    float cell[16];
} Matrix;
typedef struct Line {
    _Alignas(64) uint32_t word[32];
} Line;
typedef struct Sheet {
    _Alignas(4096) uint32_t word[1024];
} Sheet;
typedef struct Kilo {
    uint32_t word[256]; // 1 KiB: the largest that shares pages
} Kilo;
typedef struct Apart {
    uint32_t word[257]; // each value has memory of its own
} Apart;
typedef struct Huge {
    uint32_t word[16384]; // 64 KiB: the largest of all
} Huge;
// A value that knows where it is, which only its hooks keep right.
typedef struct Placed {
    struct Placed *self; // NULL in a zeroed value
    uint32_t value;
} Placed;
// More of the same, for views of many terms.
typedef struct N1 {
    uint32_t value;
} N1;
typedef struct N1 N2, N3, N4, N5, N6, N7, N8;
typedef struct FrozenTag Frozen;
typedef struct DeadTag Dead;

#define EVERY_COMPONENT(X)                                                                         \
    X(Byte)                                                                                        \
    X(Half)                                                                                        \
    X(Number)                                                                                      \
    X(Position)                                                                                    \
    X(Velocity)                                                                                    \
    X(Vector)                                                                                      \
    X(Matrix)                                                                                      \
    X(Line)                                                                                        \
    X(Sheet)                                                                                       \
    X(Kilo)                                                                                        \
    X(Apart)                                                                                       \
    X(Huge)                                                                                        \
    X(Placed)                                                                                      \
    X(Owned)                                                                                       \
    X(N1)                                                                                          \
    X(N2)                                                                                          \
    X(N3)                                                                                          \
    X(N4)                                                                                          \
    X(N5)                                                                                          \
    X(N6)                                                                                          \
    X(N7)                                                                                          \
    X(N8)                                                                                          \
    X(Frozen)                                                                                      \
    X(Dead)
#define DECLARE_COMPONENT(T) extern keel_component KEEL_COMPONENT_##T;
EVERY_COMPONENT(DECLARE_COMPONENT)

// All of them; COMPONENTS of them.
#define COUNT_COMPONENT(T) +1
enum { COMPONENTS = 0 EVERY_COMPONENT(COUNT_COMPONENT), LARGEST = 65536 };
extern keel_component *const every_component[COMPONENTS];

// ------------------------------------------------------------------ configurations
// Goes to the next configuration that the program's arguments name (none: all). False at the end.
// Starts with *at = 0.
bool next_configuration(uint32_t *at, int count, char **arguments);
const char *configuration_name(void);
// Is each component kept in this kind of storage?
bool all_are(keel_storage storage);

#define EVERYWHERE(tests)                                                                          \
    int main(int count, char **arguments) {                                                        \
        int failed = 0;                                                                            \
        for (uint32_t at = 0; next_configuration(&at, count, arguments);)                          \
            failed += cmocka_run_group_tests_name(configuration_name(), tests, NULL, NULL);        \
        return failed;                                                                             \
    }

// ------------------------------------------------------------------ numbers
// A generator: the same numbers for the same seed.
typedef struct numbers {
    uint64_t state;
} numbers;
uint32_t next_number(numbers *n);
uint32_t next_below(numbers *n, uint32_t limit);

// ------------------------------------------------------------------ values
// Fill `size` bytes with what belongs to this entity, component and salt.
void fill_value(void *value, const keel_component *c, keel_entity e, uint32_t salt);
// Are they those bytes?
void assert_value(const void *value, const keel_component *c, keel_entity e, uint32_t salt);
// Give the entity the component with that value (Owned and Placed: a value that is right).
void give(keel_world *world, keel_entity e, const keel_component *c, uint32_t salt);
// Assert that it has it.
void assert_given(keel_world *world, keel_entity e, const keel_component *c, uint32_t salt);
// A list of one component, for keel_delete_components and the like.
#define ONLY(c) ((const keel_component *const[]){ (c), NULL })

// ------------------------------------------------------------------ walks
// Compare everything that a view of these terms says with a walk over all entities that asks for
// each: chunks, spans, count, first, single, contains, get_all. Pointers must be those of keel_get.
void assert_view(keel_world *world, const keel_term *terms);
// Does the entity match the terms, asked one by one?
bool matches_naively(const keel_world *world, keel_entity e, const keel_term *terms);
// The entities that a view visits, in order; free it.
keel_entity *visited_by(keel_world *world, const keel_term *terms, uint32_t *count);
