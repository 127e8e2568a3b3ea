// SPDX-License-Identifier: MIT
// Commands happen later: there is nothing to read yet.
// gcc: called object 'keeli_this_verb_takes_a_world_view_or_context' is not a function
// clang: called object type 'struct keeli_this_verb_takes_a_world_view_or_context' is not a function
#include "game.h"

const Position * use(keel_commands *commands, keel_entity e) {
    return keel_get(commands, e, Position);
}
