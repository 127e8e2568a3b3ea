// SPDX-License-Identifier: MIT
// A tag has no value to read.
// gcc: keeli_a_tag_has_no_value_use_KEEL_WITH
// clang: field has incomplete type 'const Frozen'
#include "game.h"

KEEL_SYSTEM(thaw, KEEL_READ(Frozen, frozen)) {
    (void)frozen;
}
