// SPDX-License-Identifier: MIT
// Views are parameters of systems and members of custom views; a view has none inside.
// gcc: 'KEEL_VIEW_is_for_systems_and_custom_views' undeclared
// clang: use of undeclared identifier 'KEEL_VIEW_is_for_systems_and_custom_views'
#include "game.h"

keel_result open_it(keel_view *view, keel_world *world) {
    return keel_view_begin(view, world, KEEL_TERMS(KEEL_VIEW(all, KEEL_READ(Position, p))), "all");
}
