// SPDX-License-Identifier: MIT
// A reader looks at changes; its world, commands, a view or a context make entities.
// gcc: called object 'keeli_this_verb_takes_a_world_view_commands_or_context_not_const' is not a function
// clang: called object type 'struct keeli_this_verb_takes_a_world_view_commands_or_context_not_const' is not a function
#include "game.h"

keel_entity use(keel_reader *reader) {
    return keel_add_entity(reader, KEEL_INIT(Position));
}
