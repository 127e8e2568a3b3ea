// SPDX-License-Identifier: MIT
// A field that owns memory is described as bytes.
// g++: only what is copied as bytes can be .bytes = true: for name use .transient = true, and .save and .load of the component
// clang++: only what is copied as bytes can be .bytes = true: for name use .transient = true, and .save and .load of the component
// first: only what is copied as bytes can be .bytes = true
#include <string>
#include "game.h"

struct Turret { float angle; std::string name; };
KEEL_FIELDS(Turret, angle, KEEL_FIELD(name, .bytes = true));
