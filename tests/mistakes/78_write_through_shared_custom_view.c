// SPDX-License-Identifier: MIT
// What several threads share is not written.
// gcc: assignment of member 'value' in read-only object
// clang: cannot assign to variable 'seed' with const-qualified type
#include "game.h"

typedef struct Seed {
    int value;
} Seed;
KEEL_CUSTOM_VIEW(Seed);
KEEL_SYSTEM(glide, KEEL_WRITE(Position, p), KEEL_CUSTOM_READ(Seed, seed)) {
    p->x += (float)seed->value;
    seed->value = 5;
}
