// SPDX-License-Identifier: MIT
// Copying only what was written: the world stamps blocks of 64 places with its epoch
// (keeli_stamp_place), which goes up with each take and restore, and a snapshot knows the epoch at
// which it and the world were the same. What was not stamped since is still the same, and in
// stamped blocks of a tracked component what has no tick since. What moves values is not stamped.
// Of a snapshot's image, `moves` of sets and rows, `cleared` of bits and `frees` of handles are the
// world's from then: while they are equal, values have at most come, to places where the snapshot
// has none.
#pragma once
#include "rewind/image.h"

// Stamps for all that the world has, before it is taken; false when out of memory.
bool keeli_stamps_reserve(keel_world *world);
// Writers stamp from now on; and no more, as nobody has a snapshot.
void keeli_stamps_begin(keel_world *world);
void keeli_stamps_end(keel_world *world);
// A take or restore is over, and both are the same.
void keeli_stamps_renew(keel_world *world, keel_world *image);

// What the image has to copy of a storage of `to`: is who has values the same, and where?
bool keeli_is_same_set(const keeli_image *image, const keeli_storage *t, const keeli_storage *s);
// Has no value another place, rows of other archetypes apart? Asked before there is room, which
// moves values of the image.
bool keeli_is_in_place(const keeli_image *image, const keeli_storage *t, const keeli_storage *s);
// Do ticks of modifications tell which values were written since?
bool keeli_is_ticked(const keeli_image *image, const keeli_storage *t);
bool keeli_are_same_rows(const keeli_image *image);
// Tell the journal of a history's image what the take did not write.
void keeli_blocks_declare(const keeli_image *image);
// Copy values of plain bytes, before who has them is copied. What was there was dropped.
void keeli_blocks_copy(keeli_image *image, keeli_storage *t, const keeli_storage *s);
