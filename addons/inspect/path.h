// SPDX-License-Identifier: MIT
// Finds a field of a component by one path: "Health.points".
#pragma once
#include "inspect.h"

// Finds the component and the field. NULL: `error` says which of the two does not exist.
const keel_component *keeli_path_find(const keel_world *world, const char *path,
                                      keel_field_place *place, keel_error *error);
