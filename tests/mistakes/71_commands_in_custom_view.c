// SPDX-License-Identifier: MIT
// Commands belong to systems.
// gcc: Scene: commands, context and data are parameters of systems
// clang: Scene: commands, context and data are parameters of systems
#include "game.h"

typedef struct Scene {
    keel_commands *commands;
} Scene;
KEEL_CUSTOM_VIEW(Scene, KEEL_COMMANDS(commands));
