// SPDX-License-Identifier: MIT
// The target of a relation is asked for a value
// gcc: 'KEEL_OF_TARGET_takes_READ_OPTIONAL_READ_or_WRITE_and_not_KEEL_TERM_WITH' undeclared
// clang: use of undeclared identifier
// 'KEEL_OF_TARGET_takes_READ_OPTIONAL_READ_or_WRITE_and_not_KEEL_TERM_WITH'
#include "game.h"

KEEL_SYSTEM(glide, KEEL_WRITE(Position, p), KEEL_OF_TARGET(keel_child, KEEL_WITH(Frozen))) {
    p->x += 1;
}
