// SPDX-License-Identifier: MIT
// Workloads stored in a world.
#pragma once
#include "world.h"

void keeli_workloads_deinit(keel_world *world);
// The stored workload of this name, or NULL.
keeli_stored_workload *keeli_stored_find(const keel_world *world, const char *name);
// KEEL_ERROR_UNKNOWN, with the names there are.
keel_result keeli_unknown_workload(keel_world *world, const char *name);
