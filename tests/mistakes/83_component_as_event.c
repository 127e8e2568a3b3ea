// SPDX-License-Identifier: MIT
// A component is no type of events.
// gcc: 'KEEL_EVENT_Position' undeclared
// clang: use of undeclared identifier 'KEEL_EVENT_Position'
#include "game.h"

void use(keel_world *world) { keel_send(world, Position, { 1, 2 }); }
