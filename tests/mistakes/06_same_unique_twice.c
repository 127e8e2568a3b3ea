// SPDX-License-Identifier: MIT
// One unique through two pointers.
// gcc: redeclaration of enumerator 'KEEL_SYSTEM_tick_unique_Time'
// clang: redefinition of enumerator 'KEEL_SYSTEM_tick_unique_Time'
#include "game.h"

KEEL_SYSTEM_ONCE(tick, KEEL_UNIQUE_WRITE(Time, t), KEEL_UNIQUE_READ(Time, u)) {
    t->now += u->now;
}
