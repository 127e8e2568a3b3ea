// SPDX-License-Identifier: MIT
// A const world is for reading.
// gcc: called object 'keeli_this_verb_takes_a_world_view_commands_or_context_not_const' is not a function
// clang: called object type 'struct keeli_this_verb_takes_a_world_view_commands_or_context_not_const' is not a function
#include "game.h"

void use(const keel_world *world, keel_entity e) {
    (void)keel_add(world, e, Position, { 1, 2 });
}
