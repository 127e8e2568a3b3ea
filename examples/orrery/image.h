// SPDX-License-Identifier: MIT
// The picture of a scene, as a PNG file.
#pragma once
#include "output_file.h"
#include "scene.h"

// Draw the scene, seen from the north pole of the ecliptic, and write it into an open file.
bool image_write(const scene *shown, const output_file *output, failure *why);
