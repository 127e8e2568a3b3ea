// SPDX-License-Identifier: MIT
// Snapshots of a world, rings of them, and the hash of all that they hold.
#pragma once
#include "rewind/runs.h"

#include <keel/snapshot.h>

typedef struct keeli_taken {
    keeli_runs runs; // at the last take,
    keeli_runs next; // and room for the next one
} keeli_taken;

struct keel_snapshot {
    keel_world *world; // NULL: it was destroyed
    keel_world *image; // its memory is the snapshot's, too
    keeli_taken *taken;
    bool is_taken;
    uint32_t flags;               // KEEL_SNAPSHOT_*
    uint64_t copied;              // bytes of values, by the last take
    int32_t readers;              // of the image, on any thread; -1: it is being written
    struct keel_snapshot *self;   // to count these, whoever looks at it; NULL: it was destroyed
    struct keel_snapshot *before; // of the world
};

// With an allocator for its memory.
keel_snapshot *keeli_snapshot_create(keel_world *world, const char *name, keel_allocator allocator);
// May the world be taken or restored now, by something of this name? `what`: for the message.
keel_result keeli_snapshot_may_begin(const keel_snapshot *snapshot, const char *what);
// Does it hold a component that the world does not know any more?
bool keeli_snapshot_has_lost(const keel_snapshot *snapshot);
// Does the image know all that the world does? Otherwise a restore writes to it.
bool keeli_snapshot_knows_all(const keel_snapshot *snapshot);
// Restore without those who want to know of it, and tell them. `keeps`: the image goes on knowing
// what it knew of the world when it was taken, as it is one of several.
keel_result keeli_snapshot_restore_silently(const keel_snapshot *snapshot, bool keeps);
void keeli_snapshot_notify(keel_world *world);

// The world is about to be destroyed; its snapshots stay.
void keeli_snapshots_deinit(keel_world *world);
// A hash of all that decides what happens next: two states are the same exactly when, but for a
// chance of 2^-64, their hashes are. Nothing is open, and no commands are recorded.
uint64_t keeli_state_hash(const keel_world *world);
