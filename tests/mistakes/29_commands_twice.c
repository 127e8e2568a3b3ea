// SPDX-License-Identifier: MIT
// One list of commands is enough.
// gcc: redeclaration of enumerator 'KEEL_SYSTEM_tick_commands_parameter'
// clang: redefinition of enumerator 'KEEL_SYSTEM_tick_commands_parameter'
#include "game.h"

KEEL_SYSTEM_ONCE(tick, KEEL_COMMANDS(a, Position), KEEL_COMMANDS(b, Velocity)) {
    (void)a, (void)b;
}
