// SPDX-License-Identifier: MIT
// Stamps, by which a take or restore of a snapshot copies only what was written. The world stamps
// each written block of 64 places with its epoch (keeli_stamp_place), which each take and restore
// raises. A snapshot stores the epoch at which it and the world were the same: blocks with older
// stamps are still the same. If the component is tracked, its ticks even tell which values of a
// stamped block were written. compare.c decides which storages have stamps to go by; image.c and
// snapshot.c call this file. It does not copy values with hooks.
//
// Moves of values have no stamps. The image of a snapshot stores the world's counters of moves
// instead: `moves` of sets and rows, `cleared` of bits, `edits` of edges and `frees` of handles. As
// long as they are equal, the world has at most added values, in places where the snapshot has
// none.
#pragma once
#include "rewind/image.h"

// Makes room for the stamps of all values of the world, before a take. False when out of memory.
bool keeli_stamps_reserve(keel_world *world);
// Starts to stamp writes, for the first snapshot. keeli_stamps_end stops after the last one.
void keeli_stamps_begin(keel_world *world);
void keeli_stamps_end(keel_world *world);
// Stores in the image that it and the world are the same now, after a take or restore.
void keeli_stamps_renew(keel_world *world, keel_world *image);

// Tells the journal of a history's image which memory the take did not write.
void keeli_blocks_declare(const keeli_image *image);
// Copies plain values, before the bits of which entities have values. Values in `t` that are not in
// `s` were dropped before.
void keeli_blocks_copy(keeli_image *image, keeli_storage *t, const keeli_storage *s);
