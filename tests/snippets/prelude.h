// SPDX-License-Identifier: MIT
// What stands before a documentation snippet that is not a whole program, so that it need not
// repeat it. A snippet that includes keel/keel.h itself gets no prelude. See tools/snippets.
#pragma once
#include <keel/keel.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Position {
    float x, y;
} Position;

typedef struct Velocity {
    float x, y;
} Velocity;

KEEL_COMPONENT(Position);
KEEL_COMPONENT(Velocity);
