// SPDX-License-Identifier: MIT
// The workloads of keel::transform, keel_transform_2d and keel_transform_3d. Each has two systems.
// The first adds the component keel_global_* to each entity that got a keel_local_*. The second
// computes the global of an entity again if its own local or the local of an ancestor has changed;
// it visits parents before their children. The affine maps are in keel_transform.h. Programs run
// the workloads.
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
