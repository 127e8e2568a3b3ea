// SPDX-License-Identifier: MIT
// Shared by every .c file, the C++ file and the plug-in. One form of declaration, no file that
// defines it once.
#pragma once
#include <keel/keel.h>

typedef struct Position { float x, y; } Position;
typedef struct Velocity { float x, y; } Velocity;
KEEL_COMPONENT(Position);
KEEL_COMPONENT(Velocity);
KEEL_SYSTEM_DECLARE(move);    // defined in physics.c
KEEL_WORKLOAD_DECLARE(frame); // defined in physics.c

#ifdef __cplusplus
extern "C" {
#endif
void draw_all(keel_world *world); // draw.cpp
#ifdef __cplusplus
}
#endif

// What a plug-in exports as plugin_run.
typedef keel_result plugin_function(keel_world *world);
