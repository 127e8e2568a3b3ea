// SPDX-License-Identifier: MIT
#pragma once
#include "edit/edit.h"

#include <keel/prefab.h>

// The world of the templates goes with the world.
void keeli_templates_deinit(keel_world *world);
