// SPDX-License-Identifier: MIT
// Finds out, before an image is made, which parts of both worlds are the same already, so that they
// need not be copied. All questions about a storage are answered once, in its keeli_staged; image.c
// and blocks.c only read the answers. Called by keeli_image_reserve.
#pragma once
#include "rewind/image.h"

// Adds a keeli_staged with the answers for each storage of `image->to`, for which there must be
// room, and sets same_numbers and same_lists. Must be called before room is made, which moves
// values of the image.
void keeli_image_compare(keeli_image *image);
// True if both worlds have the same entities in the same rows of archetypes.
bool keeli_are_same_rows(const keeli_image *image);
