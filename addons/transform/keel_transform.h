// SPDX-License-Identifier: MIT
/// @file keel_transform.h
/// Computes positions in a scene, in two and three dimensions: from an entity's position relative
/// to its parent (local), its position in the world (global). `keel::transform`.
///
/// Add a keel_local_2d to an entity, attach the entity (keel_attach), and run the workload
/// keel_transform_2d once in a frame, by itself or with KEEL_NESTED. Then each entity with a
/// keel_local_2d also has a keel_global_2d: its local, followed by the global of its nearest
/// ancestor that has a global; without such an ancestor, just its local.
///
///     keel_add(world, e, keel_local_2d, { keel_affine_2d_at(2, 0) });
///     keel_attach(world, e, parent);
///     keel_run_workload(world, keel_transform_2d);
///     const keel_affine_2d *map = &keel_get(world, e, keel_global_2d)->map;
///
/// **Cost:** only entities whose local has changed, and those below them, are computed. A local has
/// changed if it was written through keel_get_mut, keel_add, a KEEL_WRITE and so on. After a change
/// of the hierarchy, all entities are computed once. Parents are computed before their children;
/// the entities of a level are split over the world's workers.
///
/// **Removal:** an entity whose local is removed keeps its global. If an ancestor's global is
/// removed, the entities below it are computed when their local, or that of an ancestor, next
/// changes.
///
/// Both dimensions may be used in one world, from C and C++.
#pragma once
#include <keel/keel.h>
#include <math.h>

// ---------------------------------------------------------------- 2-D
/// An affine map of the plane: (x, y) becomes (a x + c y + e, b x + d y + f).
typedef struct keel_affine_2d {
    float a; ///< x of the image of the x axis
    float b; ///< y of the image of the x axis
    float c; ///< x of the image of the y axis
    float d; ///< y of the image of the y axis
    float e; ///< x of the image of the origin
    float f; ///< y of the image of the origin
} keel_affine_2d;
/// The position of an entity relative to its parent, or in the world if it has none.
typedef struct keel_local_2d {
    keel_affine_2d map; ///< from the entity's space to its parent's
} keel_local_2d;
/// The position of an entity in the world. keel_transform_2d adds and writes the component.
typedef struct keel_global_2d {
    keel_affine_2d map; ///< from the entity's space to the world
} keel_global_2d;

// ---------------------------------------------------------------- 3-D
/// An affine map of space: a 3 x 4 matrix in columns, the images of the three axes and of the
/// origin.
typedef struct keel_affine_3d {
    float x[3];  ///< the image of the x axis
    float y[3];  ///< the image of the y axis
    float z[3];  ///< the image of the z axis
    float at[3]; ///< the image of the origin
} keel_affine_3d;
/// The position of an entity relative to its parent, or in the world if it has none.
typedef struct keel_local_3d {
    keel_affine_3d map; ///< from the entity's space to its parent's
} keel_local_3d;
/// The position of an entity in the world. keel_transform_3d adds and writes the component.
typedef struct keel_global_3d {
    keel_affine_3d map; ///< from the entity's space to the world
} keel_global_3d;

KEEL_COMPONENT(keel_local_2d, .storage = KEEL_INDEXED, .no_padding = true);
KEEL_COMPONENT(keel_global_2d, .storage = KEEL_INDEXED, .no_padding = true);
KEEL_COMPONENT(keel_local_3d, .storage = KEEL_INDEXED, .no_padding = true);
KEEL_COMPONENT(keel_global_3d, .storage = KEEL_INDEXED, .no_padding = true);

/// Workload that computes the globals of all entities with a keel_local_2d.
KEEL_WORKLOAD_DECLARE(keel_transform_2d);
/// Workload that computes the globals of all entities with a keel_local_3d.
KEEL_WORKLOAD_DECLARE(keel_transform_3d);

// ---------------------------------------------------------------- maps
/// Returns the map that moves by (x, y).
static inline keel_affine_2d keel_affine_2d_at(float x, float y) {
    const keel_affine_2d map = { 1, 0, 0, 1, x, y };
    return map;
}
/// Returns the map that scales, rotates by `angle` (radians, from the x axis to the y axis), and
/// then moves by (x, y).
static inline keel_affine_2d keel_affine_2d_turned(float angle, float scale, float x, float y) {
    const float along = cosf(angle) * scale, across = sinf(angle) * scale;
    const keel_affine_2d map = { along, across, -across, along, x, y };
    return map;
}
/// Returns the map that applies `inner` first, and then `outer`.
static inline keel_affine_2d keel_affine_2d_mul(keel_affine_2d outer, keel_affine_2d inner) {
    const keel_affine_2d map = { outer.a * inner.a + outer.c * inner.b,
                                 outer.b * inner.a + outer.d * inner.b,
                                 outer.a * inner.c + outer.c * inner.d,
                                 outer.b * inner.c + outer.d * inner.d,
                                 outer.a * inner.e + outer.c * inner.f + outer.e,
                                 outer.b * inner.e + outer.d * inner.f + outer.f };
    return map;
}
/// Returns the map that moves by (x, y, z).
static inline keel_affine_3d keel_affine_3d_at(float x, float y, float z) {
    const keel_affine_3d map = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { x, y, z } };
    return map;
}
/// Returns the map that applies `inner` first, and then `outer`.
static inline keel_affine_3d keel_affine_3d_mul(keel_affine_3d outer, keel_affine_3d inner) {
    keel_affine_3d map;
    for (int i = 0; i < 3; ++i) {
        const float x = outer.x[i], y = outer.y[i], z = outer.z[i];
        map.x[i] = x * inner.x[0] + y * inner.x[1] + z * inner.x[2];
        map.y[i] = x * inner.y[0] + y * inner.y[1] + z * inner.y[2];
        map.z[i] = x * inner.z[0] + y * inner.z[1] + z * inner.z[2];
        map.at[i] = x * inner.at[0] + y * inner.at[1] + z * inner.at[2] + outer.at[i];
    }
    return map;
}
