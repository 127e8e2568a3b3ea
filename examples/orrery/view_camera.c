// SPDX-License-Identifier: MIT
// From places in space to places on the screen.
#include "view_camera.h"
#include <math.h>

// A screen shows from a tenth of the Moon's orbit to twice that of Neptune.
static const double least_zoom = 2, most_zoom = 4e6;

lens camera_lens(const camera *from) {
    return (lens){ *from, sin(from->tilt), cos(from->tilt) };
}

// The camera moves in the plane of the ecliptic, which a tilt shortens.
void camera_pan(camera *moved, double right, double down) {
    moved->x -= right / moved->zoom;
    moved->y += down / moved->zoom / cos(moved->tilt);
}

void camera_zoom(camera *moved, double factor, double x, double y) {
    const double before = moved->zoom;
    moved->zoom = fmin(most_zoom, fmax(least_zoom, before * factor));
    const double change = moved->zoom / before - 1;
    camera_pan(moved, (moved->width / 2 - x) * change, (moved->height / 2 - y) * change);
}
