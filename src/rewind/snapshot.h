// SPDX-License-Identifier: MIT
// Snapshots of a world, rings of them, and the hash of all that they hold.
#pragma once
#include "world.h"

#include <keel/snapshot.h>

// The world is about to be destroyed; its snapshots stay.
void keeli_snapshots_deinit(keel_world *world);
// NULL: it was destroyed.
keel_world *keeli_snapshot_world(const keel_snapshot *snapshot);
// A hash of all that decides what happens next: two states are the same exactly when, but for a
// chance of 2^-64, their hashes are. Nothing is open, and no commands are recorded.
uint64_t keeli_state_hash(const keel_world *world);
