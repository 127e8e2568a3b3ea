// SPDX-License-Identifier: MIT
// A loop needs the world, or the context of a system.
// gcc: '_Generic' selector of type 'keel_commands *' is not compatible with any association
// clang: controlling expression type 'keel_commands *' (aka 'struct keel_commands *') not compatible with any generic association type
#include "game.h"

void use(keel_commands *commands) {
    KEEL_EACH(commands, KEEL_READ(Position, p)) (void)p;
}
