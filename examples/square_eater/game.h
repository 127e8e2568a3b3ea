// SPDX-License-Identifier: MIT
// The rules, without a window: make a world, play a frame, ask for the hash. timeline.c calls it.
#pragma once
#include "components.h"

KEEL_WORKLOAD_DECLARE(frame);

// Returns a world in which the menu is open, or NULL when memory is exhausted. The caller destroys it.
keel_world *game_create(uint32_t seed, int32_t players, uint32_t threads);

// Returns the state of Dice with which the game of a seed begins.
uint32_t game_dice(uint32_t seed);

// Plays one frame, which is a 60th of a second. An error is in keel_last_error.
keel_result game_step(keel_world *world, const Input *input);

// Returns one number for all that is in the world.
uint64_t game_hash(keel_world *world);
Phase game_phase(const keel_world *world);
