// SPDX-License-Identifier: MIT
// keel_run_with hands over one pointer.
// gcc: redeclaration of enumerator 'KEEL_SYSTEM_tick_data_parameter'
// clang: redefinition of enumerator 'KEEL_SYSTEM_tick_data_parameter'
#include "game.h"

KEEL_SYSTEM_ONCE(tick, KEEL_DATA(Time, a), KEEL_DATA(Position, b)) {
    a->now += b->x;
}
