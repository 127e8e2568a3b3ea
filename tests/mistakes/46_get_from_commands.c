// SPDX-License-Identifier: MIT
// Commands happen later: there is nothing to read yet.
// gcc: '_Generic' selector of type 'keel_commands *' is not compatible with any association
// clang: controlling expression type 'keel_commands *' (aka 'struct keel_commands *') not compatible with any generic association type
#include "game.h"

const Position * use(keel_commands *commands, keel_entity e) {
    return keel_get(commands, e, Position);
}
