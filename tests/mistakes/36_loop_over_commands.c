// SPDX-License-Identifier: MIT
// A loop needs the world, or the context of a system.
// gcc: called object 'keeli_loops_are_over_a_world_context_or_reader_not_const' is not a function
// clang: called object type 'struct keeli_loops_are_over_a_world_context_or_reader_not_const' is not a function
#include "game.h"

void use(keel_commands *commands) {
    KEEL_EACH(commands, KEEL_READ(Position, p)) (void)p;
}
