// SPDX-License-Identifier: MIT
// One queue through two parameters.
// gcc: redeclaration of enumerator 'KEEL_SYSTEM_tick_unique_KEEL_SENDER_Time'
// clang: redefinition of enumerator 'KEEL_SYSTEM_tick_unique_KEEL_SENDER_Time'
#include "game.h"

KEEL_SYSTEM_ONCE(tick, KEEL_SEND(Time, a), KEEL_SEND(Time, b)) { (void)a, (void)b; }
