// SPDX-License-Identifier: MIT
/// @file snapshot.h
/// Snapshots: they restore a world to an earlier state, completely. A restored world continues
/// exactly as it did after the snapshot was taken, for any number of threads.
///
///     keel_snapshot *snapshot = keel_snapshot_create(world, "before the fight");
///     keel_snapshot_take(snapshot);
///     fight(world);
///     keel_snapshot_restore(snapshot); // as if the fight had not happened
///     keel_snapshot_destroy(snapshot);
///
/// **Contents.** A snapshot has the entities with their free indices, all values in their order,
/// uniques, the events in queues, removed values, ticks, the positions of readers and systems, the
/// startup systems that ran, and the order of groups. It does not have code: observers, groups,
/// reactive sets, workloads and stored steps stay as they are. State outside of the world is not
/// restored: put a random generator, the time of a keel_fixed_step and other state of the game into
/// uniques.
///
/// **Pointers.** After a restore, pointers to values are invalid: get them again.
///
/// **Cost.** Taking a snapshot only copies what was written since this snapshot was last taken or
/// restored. A write through a pointer that is older than this is not noticed. So get pointers
/// again after each snapshot, or call keel_mark after the write. A snapshot uses memory of its own,
/// from the world's allocator; keel_world_statistics does not count it. It is about as large as the
/// world's values: 1,000,000 entities of 80 bytes need 80 MB and some 5 % for handles and bits.
///
/// **Hooks.** Values with a copy hook are copied by the hook, into the snapshot and back. A restore
/// does not call observers; a function registered with keel_on_restore is called after each
/// restore.
///
/// **Transient** components and uniques (`.transient`) are left out. An entity that is alive before
/// and after a restore keeps its transient components; the others lose them. A transient
/// KEEL_ARCHETYPE component lies in rows with others, so it is taken and restored with them.
///
/// **Later components.** A component that was registered after the snapshot was taken is empty
/// after a restore. A unique that was registered later has its initial value, and readers and
/// systems that are newer than the snapshot begin anew. If a component was unregistered since the
/// snapshot was taken, the restore is KEEL_ERROR_SNAPSHOT.
#pragma once
#include <keel/track.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The state of a world at one time. It may be destroyed before or after the world.
typedef struct keel_snapshot keel_snapshot;

/// Creates an empty snapshot of a world.
/// @param name for messages; NULL: "a snapshot"
/// @threads the world's owner
/// @return NULL on error: KEEL_ERROR_MEMORY, KEEL_ERROR_SHARED, see keel_last_error
KEEL_API keel_snapshot *keel_snapshot_create(keel_world *world, const char *name);
/// Destroys a snapshot. NULL is allowed. While the snapshot is being read
/// (keel_snapshot_read_begin), the call is refused (keel_last_error has KEEL_ERROR_BORROWED), and
/// so is that for a snapshot of a ring (KEEL_ERROR_ARGUMENT).
/// @threads the world's owner; any thread after the world was destroyed
KEEL_API void keel_snapshot_destroy(keel_snapshot *snapshot);

/// Allocates memory for the world in its present size, so that taking the snapshot later only
/// allocates memory that it frees again before it returns. The snapshot is empty afterwards.
/// @return as keel_snapshot_take
KEEL_API keel_result keel_snapshot_reserve(keel_snapshot *snapshot);
/// Takes the snapshot: stores the present state of the world, in place of the former content. On
/// error the former content stays.
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ERROR_ARGUMENT (NULL; commands are recorded: keel_apply_commands; the
///   snapshot belongs to a ring: keel_ring_take), KEEL_ERROR_MEMORY, KEEL_ERROR_COPY (a component
///   with values has a drop hook but no copy hook, or a copy hook failed), KEEL_ERROR_BORROWED (a
///   view or an iterator is open, or the snapshot is being read: keel_snapshot_read_begin),
///   KEEL_ERROR_SHARED (a workload runs, or the world is in shared mode), KEEL_ERROR_SNAPSHOT (the
///   snapshot's world was destroyed)
KEEL_API keel_result keel_snapshot_take(keel_snapshot *snapshot);
/// Restores the world to the state that was last taken. It may be called any number of times. On
/// error nothing changed.
/// @invalidates pointers to values
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ABSENT (nothing was taken yet), and as keel_snapshot_take;
///   KEEL_ERROR_SNAPSHOT also when a component was unregistered since the snapshot was taken
KEEL_API keel_result keel_snapshot_restore(const keel_snapshot *snapshot);
/// Copies handles and values of a snapshot to an empty world, as keel_copy_world does. The events,
/// ticks and positions of systems in the snapshot are not copied, so the copy may continue
/// differently. Only keel_snapshot_restore restores them.
/// @return as keel_copy_world; KEEL_ABSENT: nothing was taken yet
KEEL_API keel_result keel_snapshot_to_world(const keel_snapshot *snapshot, keel_world *empty);
/// Begins to read the content of a snapshot while the world continues. The content is an image: a
/// world that is never edited. It answers what takes a `const keel_world *` as the world did, but
/// it has no groups, no templates (keel_prefab_of) and no transient components, and its memory is
/// its own. Views need a world that can be edited. Every thread may read it, not only the owner
/// (except for values of components that are bound to threads, see keel_threads). Until
/// keel_snapshot_read_end, calls that take, restore or destroy the snapshot are refused with
/// KEEL_ERROR_BORROWED.
/// @param image written on success
/// @threads any; the snapshot must exist until keel_snapshot_read_end
/// @return KEEL_OK, KEEL_ABSENT (nothing was taken yet), KEEL_ERROR_SHARED (the snapshot is being
///   taken or restored), KEEL_ERROR_ARGUMENT (NULL)
KEEL_API keel_result keel_snapshot_read_begin(keel_snapshot *snapshot, const keel_world **image);
/// Ends reading. Call it once for each keel_snapshot_read_begin; a further call does nothing.
/// @threads any
KEEL_API void keel_snapshot_read_end(keel_snapshot *snapshot);
/// Computes the hash of the world as it was when the snapshot was taken: the hash that
/// keel_world_hash_with returned then. A game over a network hashes a frame when its inputs are
/// final, from the snapshot, while the world is some frames ahead.
///
/// Cost: the first time it reads every value. From the next take on, the snapshot keeps the hashes
/// of blocks of 64 values, 16 bytes each, and computes those anew that takes have changed. With
/// KEEL_HASH_ORDER it reads everything each time.
/// @param flags KEEL_HASH_*, as for keel_world_hash_with
/// @threads any; the snapshot must exist until the call returns, and is read meanwhile, as by
///   keel_snapshot_read_begin. `.hash` hooks are called on the thread of the call
/// @return as keel_snapshot_read_begin and keel_world_hash_with
KEEL_API keel_result keel_snapshot_hash(keel_snapshot *snapshot, uint32_t flags, uint64_t *hash);
/// Returns the bytes of memory that the snapshot uses.
KEEL_API size_t keel_snapshot_bytes(const keel_snapshot *snapshot);
/// Returns the bytes of values that were copied when the snapshot was last taken; 0 for an empty
/// snapshot and for NULL. Values with a copy hook do not count.
KEEL_API uint64_t keel_snapshot_copied(const keel_snapshot *snapshot);

/// The receiver of the bytes of a snapshot. `write` gets the bytes in pieces, in order.
typedef struct keel_snapshot_sink {
    bool (*write)(void *context, const void *bytes,
                  size_t size); ///< writes all of the bytes; false: it failed
    void *context;              ///< passed to every call
} keel_snapshot_sink;

/// Options of reading a snapshot from bytes. Zero members take their defaults.
typedef struct keel_snapshot_read_options {
    keel_error *error;     ///< filled on error, with the part of the bytes and the reason; may be
                           ///< NULL
    uint64_t max_bytes;    ///< limit of the memory that the content needs; default 1 GiB
    uint32_t max_entities; ///< limit of the number of indices, free ones included; default
                           ///< 16,777,216
} keel_snapshot_read_options;

/// Writes the content of a snapshot as bytes: an exact image. In another process, or another world,
/// of the same program, keel_snapshot_read and keel_snapshot_restore make the world continue
/// exactly as this one does: with the same handles for new entities, the same order of visits, the
/// same events and changes. For players who join a running game, for seeking in replays, for
/// reports of bugs. To store a game for later versions of the program, use keel::save.
///
/// Values are written as the bytes of memory, with zeros for padding and for transient fields. So
/// pointers in values mean nothing in another process. Transient components are left out, except
/// KEEL_ARCHETYPE ones. During the call the snapshot is being read (keel_snapshot_read_begin).
/// @threads any
/// @return KEEL_OK, KEEL_ERROR_COPY (a component with values has hooks), KEEL_ERROR_FILE (`write`
///   returned false), KEEL_ERROR_THREAD (a component with values is bound to another thread),
///   KEEL_ERROR_FULL (more than 16,384 readers, steps or groups), KEEL_ERROR_MEMORY,
///   KEEL_ERROR_ARGUMENT (NULL), and as keel_snapshot_read_begin
KEEL_API keel_result keel_snapshot_write(keel_snapshot *snapshot, keel_snapshot_sink sink);
/// Replaces the content of a snapshot by bytes of keel_snapshot_write, as if it had been taken. The
/// world does not change until keel_snapshot_restore. Prepare it as the other world was prepared:
/// the same components, registered in the same order, and readers, groups, reactive sets, observers
/// and prefabs of the same names. Workloads need not have run. Components that the bytes do not
/// have are empty after a restore. On error the former content stays.
///
/// The bytes may be damaged or hostile: all numbers are checked before they are used.
/// @param options NULL: all defaults
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ERROR_FORMAT (the bytes are damaged, invalid or above a limit, or no
///   snapshot), KEEL_ERROR_SCHEMA (a component, reader or group is not the same in both programs;
///   the other byte order, or the other width of handles), KEEL_ERROR_MEMORY, and as
///   keel_snapshot_take
KEEL_API keel_result keel_snapshot_read(keel_snapshot *snapshot, const void *bytes, size_t size,
                                        const keel_snapshot_read_options *options);

/// The ways in which a snapshot finds the values to copy.
typedef enum keel_snapshot_flags {
    KEEL_SNAPSHOT_FULL = 1, ///< copies everything each time, written or not
    /// compares values that seem unwritten, and copies the values that differ; a warning names the
    /// component. Comparing costs as much as copying. Builds with KEEL_VALIDATE always do so
    KEEL_SNAPSHOT_CHECK = 2
} keel_snapshot_flags;
/// Sets how this snapshot finds the values to copy, from now on. KEEL_SNAPSHOT_CHECK helps to find
/// writes through pointers that are older than the snapshot.
/// @param flags KEEL_SNAPSHOT_*; 0, the initial state: copies what was written
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ERROR_ARGUMENT (NULL, or other bits)
KEEL_API keel_result keel_snapshot_set_flags(keel_snapshot *snapshot, uint32_t flags);

/// Excludes a reader from restores, for readers whose state is outside of the world (a renderer,
/// sound): its position is not restored. After a restore the reader sees everything as new.
/// @threads the world's owner
KEEL_API void keel_reader_keep(keel_reader *reader);

/// Called after each restore of the world, when the restore is complete.
typedef void keel_restore_fn(keel_world *world, void *data);
/// Registers a function to be called after each restore. Functions are called in the order in which
/// they were registered. The same function with the same data is registered only once.
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_ARGUMENT (NULL), KEEL_ERROR_SHARED
KEEL_API keel_result keel_on_restore(keel_world *world, keel_restore_fn *function, void *data);

/// The last frames of a world, for rollback: a snapshot of each.
typedef struct keel_ring keel_ring;

/// Creates a ring without frames.
/// @param frames the highest number of frames that the ring keeps, from 1 to 4,096
/// @threads the world's owner
/// @return NULL on error: KEEL_ERROR_MEMORY, KEEL_ERROR_ARGUMENT, KEEL_ERROR_SHARED
KEEL_API keel_ring *keel_ring_create(keel_world *world, uint32_t frames);
/// Destroys a ring, before or after its world. NULL is allowed. While a frame of the ring is being
/// read (keel_snapshot_read_begin), the call is refused (keel_last_error has KEEL_ERROR_BORROWED).
/// @threads the world's owner; any thread after the world was destroyed
KEEL_API void keel_ring_destroy(keel_ring *ring);
/// Allocates memory for all frames of the ring, each for the world in its present size, as
/// keel_snapshot_reserve does. The ring has no frames afterwards. On error it may have dropped
/// frames, the oldest first.
/// @threads the world's owner
/// @return as keel_snapshot_take
KEEL_API keel_result keel_ring_reserve(keel_ring *ring);
/// Stores the world as the state at the begin of a frame. If the ring has this frame already, it is
/// replaced, and later frames are dropped. If the ring is full, the oldest frame is dropped. Frames
/// ascend, and may leave out numbers.
/// @threads the world's owner
/// @return as keel_snapshot_take; KEEL_ERROR_ARGUMENT also for a frame before the last one that is
///   not in the ring; KEEL_ERROR_BORROWED also when the frame that would be replaced or dropped is
///   being read, and the ring is as before
KEEL_API keel_result keel_ring_take(keel_ring *ring, uint64_t frame);
/// Restores the world to its state at the begin of a frame. Later frames are dropped; this frame
/// stays in the ring.
/// @invalidates pointers to values
/// @threads the world's owner
/// @return as keel_snapshot_restore; KEEL_ABSENT: the frame is not in the ring
KEEL_API keel_result keel_rollback(keel_ring *ring, uint64_t frame);
/// Returns the snapshot of a frame, to read it with keel_snapshot_read_begin while the world
/// continues. The ring owns the snapshot: calls that take, reserve or destroy it are refused with
/// KEEL_ERROR_ARGUMENT. keel_snapshot_restore restores it and, unlike keel_rollback, keeps later
/// frames.
/// @threads the world's owner
/// @return valid until the ring is destroyed; it has the frame until the next keel_ring_take,
///   keel_rollback or keel_ring_reserve and, while it is being read, until the end of the reading.
///   NULL: the frame is not in the ring. keel_ring_exchange hands it over to the caller
KEEL_API keel_snapshot *keel_ring_snapshot(const keel_ring *ring, uint64_t frame);
/// Removes a frame from the ring and hands its snapshot over to the caller, who gives the ring
/// another one, whose memory a later frame uses. Nothing is copied. So a frame that the ring would
/// soon drop can be kept, hashed or saved for as long as the caller likes:
///
///     keel_snapshot *checked = keel_snapshot_create(world, "checked");
///     ...
///     if (keel_ring_exchange(ring, frame, &checked) == KEEL_OK) send(checked);
///
/// The other frames stay in the ring. The removed frame is not in the ring any more, as if it had
/// not been taken. Each side keeps its flags (keel_snapshot_set_flags).
/// @param snapshot points to a snapshot of the ring's world, made by keel_snapshot_create. It may
///   be empty; what it contains is lost. Receives the snapshot of the frame, which belongs to the
///   caller: it can be read, hashed, restored, taken and destroyed as any other. It is the same
///   snapshot that keel_ring_snapshot returned, and who reads it goes on reading
/// @threads the world's owner
/// @return KEEL_OK; KEEL_ABSENT: the frame is not in the ring; KEEL_ERROR_BORROWED: `*snapshot` is
///   being read; KEEL_ERROR_ARGUMENT: NULL, a snapshot of another world, or one that belongs to a
///   ring; KEEL_ERROR_SNAPSHOT: the world was destroyed. On error nothing has changed
KEEL_API keel_result keel_ring_exchange(keel_ring *ring, uint64_t frame, keel_snapshot **snapshot);
/// Returns the number of frames in the ring, and their numbers in ascending order: the first is the
/// oldest frame and the last the newest.
/// @param frames receives the first `capacity` numbers; may be NULL when `capacity` is 0
/// @threads the world's owner
/// @return 0 for an empty ring, and for NULL
KEEL_API uint32_t keel_ring_frames(const keel_ring *ring, uint64_t *frames, uint32_t capacity);
/// Returns the bytes of memory that the ring and the snapshots of all its frames use, with those of
/// frames that were dropped: their memory is used again. 0 for NULL.
/// @threads the world's owner
KEEL_API size_t keel_ring_bytes(const keel_ring *ring);

#ifdef __cplusplus
}
#endif
