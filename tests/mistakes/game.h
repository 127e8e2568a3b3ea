// SPDX-License-Identifier: MIT
// What the mistakes are made with.
#pragma once
#include <keel/keel.h>

typedef struct Position {
    float x, y;
} Position;
typedef struct Velocity {
    float x, y;
} Velocity;
typedef struct Time {
    float now;
} Time;

KEEL_COMPONENT(Position);
KEEL_COMPONENT(Velocity);
KEEL_TAG(Frozen);
KEEL_UNIQUE(Time);
KEEL_EVENT(Velocity);
KEEL_EVENT(Time);

KEEL_SYSTEM_DECLARE(move);
KEEL_CONDITION_DECLARE(playing);
KEEL_WORKLOAD_DECLARE(frame);
