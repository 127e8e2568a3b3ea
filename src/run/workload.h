// SPDX-License-Identifier: MIT
// Workloads stored in a world.
#pragma once
#include "world.h"

void keeli_workloads_deinit(keel_world *world);
