// SPDX-License-Identifier: MIT
// Stamps of writes, so that taking or restoring a snapshot copies only values that were written.
// Each write stamps its block of 64 places with the world's epoch (keeli_stamp_place), and each
// take and restore raises the epoch. A snapshot stores the epoch at which it and the world were the
// same: blocks with older stamps are still the same. If modifications of the component are tracked,
// its ticks even tell which values of a block were written. compare.c decides which storages have
// complete stamps; image.c and snapshot.c call this file. It does not copy values with hooks.
//
// Moves of values set no stamps. The image of a snapshot stores the world's counters of moves
// instead: `moves` of sets and rows, `cleared` of bits, `edits` of edges and `frees` of handles. As
// long as the image's counters equal the world's, each value of the snapshot has the same place in
// the world, and the world has only added values, in places that are free in the snapshot.
//
// Edges have stamps of their own (data/chains.h): edge lists and the records of chains lie in
// blocks of 8 indices, and each change or move of one stamps its block.
#pragma once
#include "rewind/image.h"

// Makes room for the stamps of all values of the world, before a take. False when out of memory.
bool keeli_stamps_reserve(keel_world *world);
// keeli_stamps_begin starts to stamp writes; each take calls it, for storages that are not stamped
// yet. keeli_stamps_end ends this and frees the stamps, once no snapshot needs them.
void keeli_stamps_begin(keel_world *world);
void keeli_stamps_end(keel_world *world);
// Raises the world's epoch, and stores it and the world's counters of moves in the image. Called
// after a take or restore, when world and image are the same.
void keeli_stamps_renew(keel_world *world, keel_world *image);

// Makes room in an image for the cached parts of its hash (edit/hash.c), if it was ever hashed.
// Runs out of memory silently. Called at the end of a take.
void keeli_hashes_reserve(keel_world *image);

// Invalidates all cached parts of the hash of an image. Called when it becomes the copy of another
// world than the snapshot's, whose counters say nothing about it, and when it becomes that of its
// world again.
void keeli_hashes_forget(keel_world *image);

// Tells the journal of a history's image which memory it need not compare, because the take did not
// write it, or wrote it by keeli_journal_write only.
void keeli_blocks_declare(const keeli_image *image);
// Copies plain values from `s` to `t`. Call it before the bitmaps of `t` are copied: it compares
// those of both to find out which values `t` had.
void keeli_blocks_copy(keeli_image *image, keeli_storage *t, const keeli_storage *s);
