// SPDX-License-Identifier: MIT
// One queue through two parameters.
// gcc: redeclaration of enumerator 'tick_unique_Time_sender'
// clang: redefinition of enumerator 'tick_unique_Time_sender'
#include "game.h"

KEEL_SYSTEM_ONCE(tick, KEEL_SEND(Time, a), KEEL_SEND(Time, b)) { (void)a, (void)b; }
