// SPDX-License-Identifier: MIT
// A tag has no value to write; the first error says so.
// gcc: error: field 'keeli_a_tag_has_no_value_use_KEEL_WITH' has incomplete type
// clang: field has incomplete type 'Frozen'
#include "game.h"

KEEL_SYSTEM(thaw, KEEL_WRITE(Frozen, frozen)) { (void)frozen; }
