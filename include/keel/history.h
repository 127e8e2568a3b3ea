// SPDX-License-Identifier: MIT
/// @file history.h
/// Undo and redo, and a rewind over seconds. A history holds the present state of a world, and for
/// each step that was pushed the difference to the step before. So 300 frames cost one state and
/// 300 differences, where 300 snapshots would cost 300 states.
///
/// A step is whatever lies between two pushes: push when the user has done something. A history
/// holds the same state as a snapshot (keel/snapshot.h), and has the same rules about pointers,
/// hooks, transient components, components that are registered later, and state outside of the
/// world.
///
///     keel_history *history = keel_history_create(world, 64 << 20);
///     keel_history_push(history);    // the state to return to
///     edit_something(world);
///     keel_history_push(history);
///     keel_history_back(history);    // undo
///     keel_history_forward(history); // redo
///
/// **Cost.** A push costs what was written since the last push: it compares blocks of 64 values,
/// and stores lines of 64 bytes. Where entities were added or deleted, or values of a component
/// moved, it compares the whole list of entities that have the component. It stores the bytes that
/// differ, so a step without changes stores nothing. Values of KEEL_ARCHETYPE and the lists are
/// stored twice. A step that related or unrelated entities stores that whole relation: 260 KB for
/// each 4,096 entity indices.
///
/// **Hooks.** Values with a drop and a copy hook are copied by each push, and dropped when no step
/// leads to them any more. Components with a move hook are refused, as their values may know their
/// own address.
#pragma once
#include <keel/snapshot.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Earlier and later states of a world, for undo and redo. It may be destroyed before or after the
/// world.
typedef struct keel_history keel_history;

/// Creates an empty history. Push the first state before the first edit, to have a state to return
/// to.
/// @param max_bytes the most memory that it uses in all, its own state included; the oldest steps
///   are dropped. The state of the last push is always kept, whatever it takes: even for a small
///   world 40 KB for each component and 270 KB for each relation. If that alone is too much, the
///   log says so
/// @threads the world's owner
/// @return NULL on error: KEEL_ERROR_MEMORY, KEEL_ERROR_SHARED, KEEL_ERROR_BORROWED
KEEL_API keel_history *keel_history_create(keel_world *world, size_t max_bytes);
/// Destroys a history, and calls the drop hooks of the values that it holds. NULL is allowed.
/// @threads the world's owner; any thread after the world was destroyed
KEEL_API void keel_history_destroy(keel_history *history);

/// Makes the present state of the world the next step, and the step that the history is at. Steps
/// that could be redone are dropped. On error nothing changed.
/// @threads the world's owner
/// @return as keel_snapshot_take; KEEL_ERROR_COPY also for a component with a move hook
KEEL_API keel_result keel_history_push(keel_history *history);
/// Undoes one step: the world becomes what it was one step before the step that was pushed or
/// reached last. keel_history_forward can redo the step. Changes since the last push are lost: push
/// first to be able to redo them. On error nothing changed.
/// @invalidates pointers to values
/// @threads the world's owner
/// @return as keel_snapshot_restore; KEEL_ABSENT: there is no earlier step
KEEL_API keel_result keel_history_back(keel_history *history);
/// Redoes one step: the opposite of keel_history_back.
/// @invalidates pointers to values
/// @threads the world's owner
/// @return as keel_history_back; KEEL_ABSENT: there is no later step
KEEL_API keel_result keel_history_forward(keel_history *history);

/// Returns how many steps keel_history_back can undo. 0 for NULL.
KEEL_API uint32_t keel_history_behind(const keel_history *history);
/// Returns how many steps keel_history_forward can redo. 0 for NULL.
KEEL_API uint32_t keel_history_ahead(const keel_history *history);
/// Returns the bytes of memory that the history uses.
KEEL_API size_t keel_history_bytes(const keel_history *history);

#ifdef __cplusplus
}
#endif
