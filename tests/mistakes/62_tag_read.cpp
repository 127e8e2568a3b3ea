// SPDX-License-Identifier: MIT
// A tag has no value to read.
// g++: invalid application of 'sizeof' to incomplete type 'const Frozen'
// clang++: invalid application of 'sizeof' to an incomplete type 'const Frozen'
#include "game.h"

KEEL_SYSTEM_SPAN(thaw, KEEL_SPAN_COUNT(n), KEEL_READ(Frozen, frozen)) {
    (void)n, (void)frozen;
}
