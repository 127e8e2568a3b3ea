// SPDX-License-Identifier: MIT
// Snapshots of a world, and the hash of all state that they copy: the calls for rings, histories
// and world.c. The calls for users are in keel/snapshot.h; image.h says how one world becomes the
// image of another.
#pragma once
#include "rewind/image.h"
#include "rewind/runs.h"

#include <keel/snapshot.h>

// The runs of a snapshot (runs.h). A take fills `next`, and exchanges it with `runs` when it
// succeeds.
typedef struct keeli_taken {
    keeli_runs runs; // the copy that belongs to the image
    keeli_runs next; // room for the next take
} keeli_taken;

struct keel_snapshot {
    keel_world *world; // NULL: the world was destroyed
    keel_world *image; // copy of the world; the snapshot itself is allocated from its heap, too
    keeli_taken *taken;
    bool is_taken;   // the image is a copy that can be restored
    bool is_of_ring; // a ring owns the snapshot: the user may read and restore it only
    uint32_t flags;  // bits KEEL_SNAPSHOT_*
    uint64_t copied; // bytes of values that the last take copied
    int32_t readers; // number of readers of the image, on any thread; -1: it is being written
    struct keel_snapshot *self; // address of the snapshot itself, by which `readers` is changed if
                                // the caller has a const pointer. NULL: it was destroyed
    struct keel_snapshot *before; // the snapshot of the world that was created before this one
};

// Creates a snapshot whose memory comes from this allocator. NULL on error.
keel_snapshot *keeli_snapshot_create(keel_world *world, const char *name, keel_allocator allocator);
// Destroy, take and reserve a snapshot like keel_snapshot_destroy and so on, also one of a ring.
void keeli_snapshot_destroy(keel_snapshot *snapshot);
keel_result keeli_snapshot_take(keel_snapshot *snapshot);
keel_result keeli_snapshot_reserve(keel_snapshot *snapshot);
// Returns KEEL_OK if the snapshot may be taken or restored now. `what` begins the message
// otherwise: "a snapshot is taken".
keel_result keeli_snapshot_may_begin(const keel_snapshot *snapshot, const char *what);
// True if the image has a component that the world does not know any more, or knows with other
// properties, so that the snapshot cannot be restored.
bool keeli_snapshot_has_lost(const keel_snapshot *snapshot);
// True if the image knows all components of the world. Otherwise a restore registers them there.
bool keeli_snapshot_knows_all(const keel_snapshot *snapshot);
// Restores the world without calling the functions of keel_on_restore; keeli_snapshot_notify calls
// them. `keeps`: does not write the world's new epoch and counters into the image, because the
// image belongs to a history, in whose steps they are recorded.
keel_result keeli_snapshot_restore_silently(const keel_snapshot *snapshot, bool keeps);
void keeli_snapshot_notify(keel_world *world);
// Locks the image for writing, until keeli_snapshot_write_end, which returns `result`. Returns
// KEEL_ERROR_BORROWED while it has readers. `what` is part of the message: "take".
keel_result keeli_snapshot_write_begin(const keel_snapshot *snapshot, const char *what);
keel_result keeli_snapshot_write_end(const keel_snapshot *snapshot, keel_result result);
// Returns an error if the snapshot belongs to a ring, which alone may change what it contains.
keel_result keeli_snapshot_check_owner(const keel_snapshot *snapshot, const char *what);
// Returns an empty world that knows all components of the snapshot's world, by the same numbers.
// The caller destroys it. NULL on error, which is reported.
keel_world *keeli_snapshot_blank(const keel_snapshot *snapshot);
// Replaces the content of the snapshot by a copy of `from`, as if it had been taken. The caller has
// filled `taken->next`. Calls `keeps` as keeli_image_commit does. On error the content stays.
keel_result keeli_snapshot_become(keel_snapshot *snapshot, const keel_world *from,
                                  keeli_reader_map *keeps, void *data);

// Detaches all snapshots from a world that is about to be destroyed. The snapshots remain until the
// user destroys them.
void keeli_snapshots_deinit(keel_world *world);
// Returns a hash of all state that decides what happens next. Equal hashes mean equal states,
// except for a chance of 2^-64. There must be no open views and no recorded commands.
uint64_t keeli_state_hash(const keel_world *world);
