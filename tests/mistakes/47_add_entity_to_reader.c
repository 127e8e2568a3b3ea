// SPDX-License-Identifier: MIT
// A reader looks at changes; its world, commands, a view or a context make entities.
// gcc: '_Generic' selector of type 'keel_reader *'
// clang: controlling expression type 'keel_reader *' (aka 'struct keel_reader *') not compatible with any generic association type
#include "game.h"

keel_entity use(keel_reader *reader) {
    return keel_add_entity(reader, KEEL_INIT(Position));
}
