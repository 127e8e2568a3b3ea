// SPDX-License-Identifier: MIT
/// @file keel_transform.h
/// Positions of a scene: where an entity is relative to its parent (local), and where that puts it
/// in the world (global), in two and three dimensions.
///
/// Give an entity a keel_local_2d, attach it (keel_attach), and run the workload keel_transform_2d
/// once in a frame, by itself or with KEEL_NESTED: then each has a keel_global_2d, which is that of
/// the nearest ancestor that has one times its own local. Only what is below something that changed
/// is computed: values that were written through keel_get_mut, keel_add, a KEEL_WRITE and so on.
/// After a change of the hierarchy everything is computed once. Parents come before their children,
/// and the children of all parents of one level are split over the world's workers.
///
/// An entity that loses its local keeps its global; one whose ancestor loses its global is computed
/// when something above it changes. A program that links keel::transform has all of it; both
/// dimensions may be used in one world. C++: the same.
#pragma once
#include <keel/keel.h>
#include <math.h>

// ---------------------------------------------------------------- 2-D
/// An affine map of the plane: (x, y) becomes (a x + c y + e, b x + d y + f).
typedef struct keel_affine_2d {
    float a, b; ///< where the x axis points, and how long it is
    float c, d; ///< the y axis
    float e, f; ///< where the origin is
} keel_affine_2d;
/// Where an entity is relative to its parent; without one, in the world.
typedef struct keel_local_2d {
    keel_affine_2d map; ///< from its own space to that of its parent
} keel_local_2d;
/// Where it is in the world. Written by keel_transform_2d, which adds it, too.
typedef struct keel_global_2d {
    keel_affine_2d map; ///< from its own space to the world
} keel_global_2d;

// ---------------------------------------------------------------- 3-D
/// An affine map of space: the three axes and the origin, one behind the other.
typedef struct keel_affine_3d {
    float x[3], y[3], z[3]; ///< where the axes point, and how long they are
    float at[3];            ///< where the origin is
} keel_affine_3d;
/// Where an entity is relative to its parent; without one, in the world.
typedef struct keel_local_3d {
    keel_affine_3d map; ///< from its own space to that of its parent
} keel_local_3d;
/// Where it is in the world. Written by keel_transform_3d, which adds it, too.
typedef struct keel_global_3d {
    keel_affine_3d map; ///< from its own space to the world
} keel_global_3d;

KEEL_COMPONENT(keel_local_2d, .storage = KEEL_INDEXED, .no_padding = true);
KEEL_COMPONENT(keel_global_2d, .storage = KEEL_INDEXED, .no_padding = true);
KEEL_COMPONENT(keel_local_3d, .storage = KEEL_INDEXED, .no_padding = true);
KEEL_COMPONENT(keel_global_3d, .storage = KEEL_INDEXED, .no_padding = true);

/// Workload: globals of all entities that have a keel_local_2d.
KEEL_WORKLOAD_DECLARE(keel_transform_2d);
/// Workload: globals of all entities that have a keel_local_3d.
KEEL_WORKLOAD_DECLARE(keel_transform_3d);

// ---------------------------------------------------------------- maps
/// Moved by (x, y), and nothing else.
static inline keel_affine_2d keel_affine_2d_at(float x, float y) {
    const keel_affine_2d map = { 1, 0, 0, 1, x, y };
    return map;
}
/// Scaled, turned by `angle` (radians, from the x axis to the y axis), and then moved by (x, y).
static inline keel_affine_2d keel_affine_2d_turned(float angle, float scale, float x, float y) {
    const float along = cosf(angle) * scale, across = sinf(angle) * scale;
    const keel_affine_2d map = { along, across, -across, along, x, y };
    return map;
}
/// First `inner`, then `outer`.
static inline keel_affine_2d keel_affine_2d_mul(keel_affine_2d outer, keel_affine_2d inner) {
    const keel_affine_2d map = { outer.a * inner.a + outer.c * inner.b,
                                 outer.b * inner.a + outer.d * inner.b,
                                 outer.a * inner.c + outer.c * inner.d,
                                 outer.b * inner.c + outer.d * inner.d,
                                 outer.a * inner.e + outer.c * inner.f + outer.e,
                                 outer.b * inner.e + outer.d * inner.f + outer.f };
    return map;
}
/// Moved by (x, y, z), and nothing else.
static inline keel_affine_3d keel_affine_3d_at(float x, float y, float z) {
    const keel_affine_3d map = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { x, y, z } };
    return map;
}
/// First `inner`, then `outer`.
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
