// SPDX-License-Identifier: MIT
// Entities are made through commands in a system, not through its context.
// gcc: '_Generic' selector of type 'keel_context *' is not compatible with any association
// clang: controlling expression type 'keel_context *' (aka 'struct keel_context *') not compatible
// with any generic association type
#include "game.h"

keel_entity use(keel_context *context) { return keel_add_entity(context, KEEL_INIT(Position)); }
