// SPDX-License-Identifier: MIT
// A tag has no value to write; the first error says so.
// g++: thaw: Frozen is a tag, which has no value: use KEEL_WITH(Frozen)
// clang++: thaw: Frozen is a tag, which has no value: use KEEL_WITH(Frozen)
// first: use KEEL_WITH(Frozen)
#include "game.h"

KEEL_SYSTEM(thaw, KEEL_WRITE(Frozen, frozen)) { (void)frozen; }
