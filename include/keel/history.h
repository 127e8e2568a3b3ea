// SPDX-License-Identifier: MIT
/// @file history.h
/// Undo and redo, and a rewind over seconds: a history holds the state of a world as it is now, and
/// for each step that was pushed what changed by it. So 300 frames cost one state and 300 times
/// what changed in a frame, where 300 snapshots would cost 300 states.
///
/// What belongs to one step is up to you: push when the user has done something. What a history
/// holds of a state is what a snapshot holds (keel/snapshot.h); what is said there of pointers,
/// hooks, kept pointers, transient components, components that come and go, and of what the library
/// does not know holds here, too.
///
/// **Cost.** A push costs what was written since the last one: blocks of 64 values are looked at,
/// lines of 64 bytes are held. Where entities came or went, or values of a component moved, the
/// lists of who has it are compared as a whole. Bytes are held as they differ, so a step that
/// changed nothing holds nothing. Values of KEEL_ARCHETYPE, and the lists, are held twice. A step
/// in which two were related, or let go, holds that relation as a whole: 260 KB for each 4,096
/// indices.
///
/// **Hooks.** Values with a drop and a copy hook are copied by each push, and dropped
/// when no step leads to them any more. Ones with a move hook are refused: they may know their own
/// address.
#pragma once
#include <keel/snapshot.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The states of a world that one can go back to. Destroy it before or after the world.
typedef struct keel_history keel_history;

/// An empty history: push first, then there is something to come back to.
/// @param max_bytes that it holds at most, in all, its own state included; the oldest steps go. The
///   state of the last push is always held, whatever it takes: also of a small world 40 KB for each
///   component and 270 KB for each relation. Where that alone is too much the log says so
/// @threads the world's owner
/// @return NULL on error: KEEL_ERROR_MEMORY, KEEL_ERROR_SHARED, KEEL_ERROR_BORROWED
KEEL_API keel_history *keel_history_create(keel_world *world, size_t max_bytes);
/// End a history. Drop hooks of values that it holds are called. NULL: nothing.
/// @threads the world's owner, or after the world's end whoever has it
KEEL_API void keel_history_destroy(keel_history *history);

/// The world as it is now becomes the next step, and where the history is. What lay ahead is
/// forgotten. On error nothing changed.
/// @threads the world's owner
/// @return as keel_snapshot_take; KEEL_ERROR_COPY also for a component with a move hook
KEEL_API keel_result keel_history_push(keel_history *history);
/// The world becomes what it was one step before the one that was pushed or reached last; that one
/// lies ahead then. What was changed since and not pushed is lost: push it first, if it is to come
/// back. On error nothing changed.
/// @invalidates pointers to values
/// @threads the world's owner
/// @return as keel_snapshot_restore; KEEL_ABSENT: nothing lies behind
KEEL_API keel_result keel_history_back(keel_history *history);
/// The same in the other direction.
/// @return as keel_history_back; KEEL_ABSENT: nothing lies ahead
KEEL_API keel_result keel_history_forward(keel_history *history);

/// How often one can go back. 0 for NULL.
KEEL_API uint32_t keel_history_behind(const keel_history *history);
/// How often one can go forward. 0 for NULL.
KEEL_API uint32_t keel_history_ahead(const keel_history *history);
/// Bytes of memory that the history has.
KEEL_API size_t keel_history_bytes(const keel_history *history);

#ifdef __cplusplus
}
#endif
