// SPDX-License-Identifier: MIT
// What a picture shows: plain data, collected from a world.
#pragma once
#include "bodies.h"
#include <keel/keel.h>
#include <stddef.h>

typedef struct scene_body {
    const char *name;
    int parent;              // position in the list; -1 for the centre
    double x, y;             // relative to the centre, au
    double local_x, local_y; // relative to the parent, au
    ellipse path;            // about the parent; all zero for the centre
    double mean;             // mean anomaly, radians
    double swept;            // how far the mean anomaly went during the run, radians
} scene_body;

typedef struct scene_dust {
    float x, y; // of an asteroid, relative to the centre, au
} scene_dust;

typedef struct scene {
    scene_body *bodies; // in the order of the data file
    int body_count;
    scene_dust *dust;
    size_t dust_count;
    double from_jd, to_jd;
} scene;

// Collect what a world shows at `to_jd`, the time of its last step. The names stay the list's.
// False when out of memory.
bool scene_collect(scene *collected, keel_world *world, const body_list *list, double from_jd,
                   double to_jd);

// Free what scene_collect made, also after it failed. Does nothing to a zeroed struct.
void scene_free(scene *collected);
