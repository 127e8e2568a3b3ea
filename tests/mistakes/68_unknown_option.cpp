// SPDX-License-Identifier: MIT
// An option that keel_component does not have.
// g++: has no member named 'dorp'; did you mean 'drop'?
// clang++: no member named 'dorp' in 'keel_component'
#include "game.h"

typedef struct Mesh {
    int vertices;
} Mesh;
KEEL_COMPONENT(Mesh, .dorp = NULL);
