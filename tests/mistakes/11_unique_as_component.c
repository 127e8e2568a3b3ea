// SPDX-License-Identifier: MIT
// Time is a unique, not a component.
// gcc: 'Time_component' undeclared
// clang: use of undeclared identifier 'Time_component'
#include "game.h"

KEEL_SYSTEM(drift, KEEL_WRITE(Time, time)) {
    time->now += 1;
}
