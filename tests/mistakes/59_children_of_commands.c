// SPDX-License-Identifier: MIT
// Children are found in the world or in a context.
// gcc: '_Generic' selector of type 'keel_commands *' is not compatible with any association
// clang: controlling expression type 'keel_commands *' (aka 'struct keel_commands *') not compatible with any generic association type
#include "game.h"

void use(keel_commands *commands, keel_entity e) {
    KEEL_EACH_CHILD(commands, e, child) (void)child;
}
