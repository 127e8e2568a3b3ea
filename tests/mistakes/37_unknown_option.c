// SPDX-License-Identifier: MIT
// An option that keel_component does not have.
// gcc: 'keel_component' has no member named 'dorp'; did you mean 'drop'?
// clang: field designator 'dorp' does not refer to any field in type 'const keel_component'
#include "game.h"

typedef struct Mesh {
    int vertices;
} Mesh;
KEEL_COMPONENT(Mesh, .dorp = NULL);
