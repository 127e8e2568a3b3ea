// SPDX-License-Identifier: MIT
// From a list of bodies to a world: the entities and their hierarchy.
#pragma once
#include "bodies.h"
#include <keel/keel.h>
#include <stdint.h>

// Add one entity for each body, in the order of the list, and hang the moons on the planets and the
// planets on the centre. The list must outlive the world.
keel_result populate_bodies(keel_world *world, const body_list *list);

// Add asteroids as children of the centre. The same seed adds the same ones.
keel_result populate_belt(keel_world *world, uint32_t count, uint64_t seed);
