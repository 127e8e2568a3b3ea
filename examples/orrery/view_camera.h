// SPDX-License-Identifier: MIT
// From places in space to places on the screen: seen from far away, so that nothing gets smaller with distance.
// view_state.c moves the camera, view_sky.c looks through it.
#pragma once

typedef struct camera {
    double x, y, z;       // what is in the middle of the screen, au
    double zoom;          // pixels of one au
    double tilt;          // 0: from the north; pi / 2: from the side; radians
    double width, height; // of the screen, pixels
} camera;

// Where something is on the screen; `depth` grows towards the viewer.
typedef struct spot {
    double x, y, depth;
} spot;

// What a camera needs for each place, computed once for a frame.
typedef struct lens {
    camera from;
    double sine, cosine; // of the tilt
} lens;

// Returns the lens of a camera.
lens camera_lens(const camera *from);

// Returns where a place in space is on the screen.
static inline spot lens_project(const lens *through, const double place[3]) {
    const camera *c = &through->from;
    const double x = place[0] - c->x, y = place[1] - c->y, z = place[2] - c->z;
    const double up = y * through->cosine + z * through->sine;
    return (spot){ c->width / 2 + x * c->zoom, c->height / 2 - up * c->zoom,
                   z * through->cosine - y * through->sine };
}

// Moves what is seen by this many pixels.
void camera_pan(camera *moved, double right, double down);

// Zooms by a factor, and what is at this place of the screen stays there.
void camera_zoom(camera *moved, double factor, double x, double y);
