// SPDX-License-Identifier: MIT
// The workloads of keel::transform. Each dimension has two systems: the first adds a global to each
// entity that has got a local, the second recomputes the globals of entities whose local, or that
// of an ancestor, has changed, parents before children. The maps and their arithmetic are in
// keel_transform.h; programs run the workloads.
#include "keel_transform.h"

static KEEL_SYSTEM(keel_complete_2d, KEEL_INSERTED(keel_local_2d), KEEL_WITHOUT(keel_global_2d),
                   KEEL_ENTITY(e), KEEL_COMMANDS(out, keel_global_2d)) {
    keel_add(out, e, keel_global_2d);
}
static KEEL_SYSTEM(keel_place_2d, KEEL_TARGETS_FIRST(keel_child),
                   KEEL_CHANGED_UP(keel_child, keel_local_2d), KEEL_READ(keel_local_2d, local),
                   KEEL_WRITE(keel_global_2d, global),
                   KEEL_UP(keel_child, KEEL_OPTIONAL_READ(keel_global_2d, above))) {
    global->map = above ? keel_affine_2d_mul(above->map, local->map) : local->map;
}
KEEL_WORKLOAD(keel_transform_2d, KEEL_STEP(keel_complete_2d),
              KEEL_STEP(keel_place_2d, .parallel = true));

static KEEL_SYSTEM(keel_complete_3d, KEEL_INSERTED(keel_local_3d), KEEL_WITHOUT(keel_global_3d),
                   KEEL_ENTITY(e), KEEL_COMMANDS(out, keel_global_3d)) {
    keel_add(out, e, keel_global_3d);
}
static KEEL_SYSTEM(keel_place_3d, KEEL_TARGETS_FIRST(keel_child),
                   KEEL_CHANGED_UP(keel_child, keel_local_3d), KEEL_READ(keel_local_3d, local),
                   KEEL_WRITE(keel_global_3d, global),
                   KEEL_UP(keel_child, KEEL_OPTIONAL_READ(keel_global_3d, above))) {
    global->map = above ? keel_affine_3d_mul(above->map, local->map) : local->map;
}
KEEL_WORKLOAD(keel_transform_3d, KEEL_STEP(keel_complete_3d),
              KEEL_STEP(keel_place_3d, .parallel = true));
