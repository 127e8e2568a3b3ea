// SPDX-License-Identifier: MIT
// Components for tests of the public interface. It has types only; tests in tests/api and several
// other folders include it.
#pragma once
#include "support/api_fixture.h"

typedef struct Position {
    float x, y;
} Position;
typedef struct Velocity {
    float x, y;
} Velocity;
typedef struct Health {
    int32_t points;
} Health;
typedef struct Number {
    uint32_t value;
} Number;
typedef struct Other {
    uint32_t value;
} Other;
typedef struct Third {
    uint32_t value;
} Third;
// A value above 1 KiB, which gets an allocation of its own.
typedef struct Large {
    uint32_t word[512];
} Large;
typedef struct Time {
    double now, step;
} Time;

KEEL_COMPONENT(Position);
KEEL_COMPONENT(Velocity);
KEEL_COMPONENT(Health);
KEEL_COMPONENT(Number);
KEEL_COMPONENT(Other);
KEEL_COMPONENT(Third);
KEEL_COMPONENT(Large);
KEEL_COMPONENT(Owned, .drop = owned_drop, .copy = owned_copy, .move = owned_move);
KEEL_TAG(Frozen);
KEEL_TAG(Dead);
KEEL_UNIQUE(Time);
