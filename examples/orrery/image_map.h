// SPDX-License-Identifier: MIT
// The map of the whole system.
#pragma once
#include "image_style.h"
#include "scene.h"

// Draw the map about (x, y): the farthest orbit reaches `radius` pixels from there.
// False when out of memory.
bool map_draw(cairo_t *canvas, const scene *shown, double x, double y, double radius);

// The radial scale, in words.
void map_describe_scale(const scene *shown, char *text, size_t size);
