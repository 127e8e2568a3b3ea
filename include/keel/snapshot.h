// SPDX-License-Identifier: MIT
/// @file snapshot.h
/// Worlds that go back in time: a snapshot holds all that decides what happens next, so that a
/// world that was restored plays on exactly as it did before, for any number of threads.
///
/// A snapshot has the entities with their free indices, all values in their order, uniques, events
/// that were not passed, removed values, ticks, what readers and systems have seen, which startup
/// systems ran, and who has which place in a group. It does not have code: observers, groups,
/// reactive sets, workloads and stored steps stay as they are. What the library does not know it
/// cannot bring back: put a random generator, the time of a keel_fixed_step and other state of the
/// game into uniques.
///
/// **Pointers.** After a restore, pointers to values mean nothing: look them up again.
///
/// A take copies only what was written since this snapshot was taken or restored last. A write
/// through a pointer from before that is not seen: get pointers anew after a take, or call
/// keel_mark when it is written.
///
/// **Hooks.** Values with a copy hook are copied by it, into the snapshot and back. Observers are
/// not called by a restore; keel_on_restore says that one happened.
///
/// **Transient** components and uniques (`.transient`) are no part of it: whoever is alive in both
/// keeps them, who is not loses them. One of KEEL_ARCHETYPE lies in rows with others, so it is
/// taken and restored like them.
///
/// **Components** that became known since the take are empty after a restore, uniques have their
/// initial value, readers and systems that are new begin anew. A component that was unregistered
/// since is KEEL_ERROR_SNAPSHOT.
///
/// A snapshot has memory of its own, from the world's allocator; keel_world_statistics does not
/// count it. It costs about as much as the world's values: 1,000,000 entities of 80 bytes take 80
/// MB and some 5 % for handles and bits.
#pragma once
#include <keel/track.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The state of a world at one time. Destroy it before or after the world.
typedef struct keel_snapshot keel_snapshot;

/// An empty snapshot of a world.
/// @param name for messages; NULL: "a snapshot"
/// @threads the world's owner
/// @return NULL on error: KEEL_ERROR_MEMORY, KEEL_ERROR_SHARED, see keel_last_error
KEEL_API keel_snapshot *keel_snapshot_create(keel_world *world, const char *name);
/// End a snapshot. NULL: nothing. One that is read (keel_snapshot_read_begin) stays as it is:
/// KEEL_ERROR_BORROWED is kept.
/// @threads the world's owner, or after the world's end whoever has it
KEEL_API void keel_snapshot_destroy(keel_snapshot *snapshot);

/// Make memory ready for the world as it is, so that later takes of as much need none but what they
/// give back when they are done. The snapshot is empty afterwards.
/// @return as keel_snapshot_take
KEEL_API keel_result keel_snapshot_reserve(keel_snapshot *snapshot);
/// Take the world as it is now, in place of what the snapshot held. On error it holds that still.
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ERROR_ARGUMENT (NULL; commands are recorded: keel_apply_commands),
///   KEEL_ERROR_MEMORY, KEEL_ERROR_COPY (a component with values has a drop hook but no copy hook,
///   or that failed), KEEL_ERROR_BORROWED (a view or an iterator is open, or the snapshot is read:
///   keel_snapshot_read_begin), KEEL_ERROR_SHARED (a workload runs, or the world is shared),
///   KEEL_ERROR_SNAPSHOT (its world was destroyed)
KEEL_API keel_result keel_snapshot_take(keel_snapshot *snapshot);
/// The world becomes what it was at the last take, as often as you like. On error nothing changed.
/// @invalidates pointers to values
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ABSENT (nothing was taken yet), and as keel_snapshot_take;
///   KEEL_ERROR_SNAPSHOT also where a component was unregistered since the take
KEEL_API keel_result keel_snapshot_restore(const keel_snapshot *snapshot);
/// Handles and values come to an empty world, as with keel_copy_world. Its events, ticks and
/// systems are its own, so it plays on in its own way: take and restore where it has to be the
/// same.
/// @return as keel_copy_world; KEEL_ABSENT: nothing was taken yet
KEEL_API keel_result keel_snapshot_to_world(const keel_snapshot *snapshot, keel_world *empty);
/// Look at what a snapshot holds while the world goes on: a world that nobody edits, which every
/// thread may look at, also another one than the owner (values of components that are bound to
/// threads apart, see keel_threads). Until keel_snapshot_read_end the snapshot is not taken anew,
/// restored or destroyed: that is KEEL_ERROR_BORROWED, and nothing happens.
/// @param image written on success
/// @threads any; the snapshot is there until the end
/// @return KEEL_OK, KEEL_ABSENT (nothing was taken yet), KEEL_ERROR_SHARED (it is being taken or
///   restored), KEEL_ERROR_ARGUMENT (NULL)
KEEL_API keel_result keel_snapshot_read_begin(keel_snapshot *snapshot, const keel_world **image);
/// As often as it began; once more does nothing.
/// @threads any
KEEL_API void keel_snapshot_read_end(keel_snapshot *snapshot);
/// Bytes of memory that the snapshot has.
KEEL_API size_t keel_snapshot_bytes(const keel_snapshot *snapshot);
/// Bytes of values that the last take copied; 0 before the first one, and for NULL. Values with a
/// copy hook do not count.
KEEL_API uint64_t keel_snapshot_copied(const keel_snapshot *snapshot);

/// How a snapshot finds what it has to copy.
typedef enum keel_snapshot_flags {
    KEEL_SNAPSHOT_FULL = 1, ///< copy everything each time, whoever wrote it
    /// compare what nobody was seen to write, and copy what differs; a warning names the component.
    /// As dear as copying it; builds with KEEL_VALIDATE do so always
    KEEL_SNAPSHOT_CHECK = 2
} keel_snapshot_flags;
/// Set that for takes and restores from now on. Kept pointers are what it is for.
/// @param flags KEEL_SNAPSHOT_*; 0, as in the beginning: what was written is copied
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ERROR_ARGUMENT (NULL, or other bits)
KEEL_API keel_result keel_snapshot_set_flags(keel_snapshot *snapshot, uint32_t flags);

/// The reader looks from outside (a renderer, sound): it is not taken back, and after a restore it
/// sees everything as new.
KEEL_API void keel_reader_keep(keel_reader *reader);

/// Called after each restore of the world, when all is done.
typedef void keel_restore_fn(keel_world *world, void *data);
/// Have a function called after each restore, in the order in which they were handed in. The same
/// function with the same data twice is called once.
/// @return KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_ARGUMENT (NULL), KEEL_ERROR_SHARED
KEEL_API keel_result keel_on_restore(keel_world *world, keel_restore_fn *function, void *data);

/// The last so many frames of a world, for rollback: a snapshot of each.
typedef struct keel_ring keel_ring;

/// @param frames how many are kept at most, from 1 to 4,096
/// @return NULL on error: KEEL_ERROR_MEMORY, KEEL_ERROR_ARGUMENT, KEEL_ERROR_SHARED
KEEL_API keel_ring *keel_ring_create(keel_world *world, uint32_t frames);
/// End a ring, before or after its world. NULL: nothing.
KEEL_API void keel_ring_destroy(keel_ring *ring);
/// Make memory ready for the world as it is, for as many frames as the ring keeps at most, as with
/// keel_snapshot_reserve. The ring keeps no frame afterwards; on error frames may be forgotten, the
/// oldest first.
/// @return as keel_snapshot_take
KEEL_API keel_result keel_ring_reserve(keel_ring *ring);
/// Take the world as the state at the begin of a frame. A frame that is kept already is taken anew,
/// and those after it are forgotten; when the ring is full the oldest goes.
/// @return as keel_snapshot_take; KEEL_ERROR_ARGUMENT also for a frame before the last one that is
///   not kept
KEEL_API keel_result keel_ring_take(keel_ring *ring, uint64_t frame);
/// The world becomes what it was at a frame. Later frames are forgotten, this one stays.
/// @return as keel_snapshot_restore; KEEL_ABSENT: the frame is not kept
KEEL_API keel_result keel_rollback(keel_ring *ring, uint64_t frame);

#ifdef __cplusplus
}
#endif
