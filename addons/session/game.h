// SPDX-License-Identifier: MIT
// Plays frames and restores images, for sessions, sync tests and replays; and small pieces that
// several of their files share.
#pragma once
#include "keel_session.h"

// Registers keel_inputs and all that the workload uses, so that the world of each machine knows the
// same components before frame 0. False: keel_last_error of the world says why.
bool keeli_game_prepare(keel_world *world, const keel_workload *step);
// Plays one frame with these inputs. The error is in keel_last_error of the world.
keel_result keeli_game_play(keel_world *world, const keel_workload *step, uint32_t rate,
                            const keel_inputs *in);
// Makes the world that of an image, if it has the hash. The snapshot is one of the world, for this
// use. On error the world is as before, and `options->error` says why.
// Returns KEEL_OK; KEEL_ERROR_DIFFERS: the image has another hash, and the caller says which one it
// is; and as keel_snapshot_read, keel_snapshot_hash and keel_snapshot_restore.
keel_result keeli_game_restore(keel_world *world, keel_snapshot *snapshot, const void *bytes,
                               size_t size, uint64_t hash,
                               const keel_snapshot_read_options *options);

// Makes room for `need` bytes, and for as many more. False when out of memory: nothing changed.
bool keeli_grow(unsigned char **bytes, size_t *room, size_t need);
// Returns 64 random bits (splitmix64).
uint64_t keeli_random(uint64_t *state);
