// SPDX-License-Identifier: MIT
// A tag has no values to read.
// gcc: keeli_a_tag_has_no_value_use_KEEL_WITH
// clang: field has incomplete type 'const Frozen'
#include "game.h"

KEEL_SYSTEM_SPAN(thaw, KEEL_SPAN_COUNT(n), KEEL_READ(Frozen, frozen)) {
    (void)n, (void)frozen;
}
