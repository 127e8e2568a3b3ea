// SPDX-License-Identifier: MIT
// The call of prefab.c that ends a world. The verbs of prefabs are in keel/prefab.h.
#pragma once
#include "edit/edit.h"

#include <keel/prefab.h>

// Destroys the world of templates of a world that is about to be destroyed.
void keeli_templates_deinit(keel_world *world);
