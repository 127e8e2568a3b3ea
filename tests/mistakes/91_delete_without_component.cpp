// SPDX-License-Identifier: MIT
// An entity is deleted by keel_delete_entity.
// g++: 'keeli_keel_delete_needs_a_component_use_keel_delete_entity_for_the_entity' was not declared
// clang++: use of undeclared identifier
// 'keeli_keel_delete_needs_a_component_use_keel_delete_entity_for_the_entity' first:
// keeli_keel_delete_needs_a_component_use_keel_delete_entity_for_the_entity
#include "game.h"

keel_result use(keel_world *world, keel_entity e);
keel_result use(keel_world *world, keel_entity e) { return keel_delete(world, e); }
