// SPDX-License-Identifier: MIT
// A component is no type of events.
// gcc: 'Position_event' undeclared
// clang: use of undeclared identifier 'Position_event'
#include "game.h"

void use(keel_world *world) { keel_send(world, Position, { 1, 2 }); }
