// SPDX-License-Identifier: MIT
// The macro layer gives no warnings, however strict the user's compiler is.
// flags: -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Wundef -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -Wunused -Wdouble-promotion
#include "everything.h"

keel_result use(keel_world *world, keel_entity e);
keel_result use(keel_world *world, keel_entity e) {
    KEEL_TRY(run_all(world));
    KEEL_TRY(edit_all(world, keel_world_commands(world)));
    KEEL_TRY(views_and_uniques(world, e));
    return read_all(world, world, e) > 0 ? KEEL_OK : KEEL_ABSENT;
}
