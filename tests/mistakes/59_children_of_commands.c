// SPDX-License-Identifier: MIT
// Children are found in the world or in a context.
// gcc: called object 'keeli_this_verb_takes_a_world_view_or_context' is not a function
// clang: called object type 'struct keeli_this_verb_takes_a_world_view_or_context' is not a function
#include "game.h"

void use(keel_commands *commands, keel_entity e) {
    KEEL_EACH_CHILD(commands, e, child) (void)child;
}
