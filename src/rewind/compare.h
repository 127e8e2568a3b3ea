// SPDX-License-Identifier: MIT
// Finds out, before a world becomes an image, which of its parts are the same as in the other world
// already and need not be copied. It copies nothing. The answers for a storage are stored in its
// keeli_staged, which image.c and blocks.c read. Called by image.c.
#pragma once
#include "rewind/image.h"

// Adds a keeli_staged with the answers for each storage of `image->to`; `image->staged` must have
// room for them. Also sets `same_numbers` and `same_lists` of the image. Must be called before room
// is made in the storages, because that moves values of reactive sets.
void keeli_image_compare(keeli_image *image);
// True if both worlds have the same entities in the same rows of archetypes.
bool keeli_are_same_rows(const keeli_image *image);
