// SPDX-License-Identifier: MIT
#pragma once
#include "edit/edit.h"

#include <keel/prefab.h>

// The world of the templates goes with the world.
void keeli_templates_deinit(keel_world *world);
// What was recorded: `held` handles, so many for each copy, node by node.
keel_result keeli_edit_spawn(keel_world *world, keel_entity root, keeli_entity_list *held,
                             const keel_value_column *columns);
