// SPDX-License-Identifier: MIT
// Time is a unique, not a component.
// gcc: 'KEEL_COMPONENT_Time' undeclared
// clang: use of undeclared identifier 'KEEL_COMPONENT_Time'
#include "game.h"

KEEL_SYSTEM(glide, KEEL_WRITE(Time, time)) {
    time->now += 1;
}
