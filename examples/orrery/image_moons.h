// SPDX-License-Identifier: MIT
// Small maps of the bodies that have moons.
#pragma once
#include "image_style.h"
#include "scene.h"

// Draw them side by side in a strip; when there are too many, the last ones are left out. False when
// there was nothing to draw.
bool moons_draw(cairo_t *canvas, const scene *shown, double left, double top, double width,
                double height);
