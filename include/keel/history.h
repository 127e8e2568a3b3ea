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
/// **Cost.** The time of a push grows with what was written since the last push: it compares each
/// block of 64 values that was written. If entities got or lost a component, or its values moved,
/// it also compares the whole list of entities that have the component. A push stores the lines of
/// 64 bytes that differ, so a step without changes stores nothing. For the present state, a history
/// has two copies of KEEL_ARCHETYPE values and of the lists of entities, and one of other values.
/// An edge that was added or removed is stored by itself. A relation whose values have hooks is
/// stored as a whole when one of its edges changed: 260 KB for each 4,096 entity indices.
///
/// **Hooks.** Values with a drop and a copy hook are copied by each push. A copy is dropped
/// together with the last step whose state contains it. A push refuses components with a move hook,
/// as their values may contain pointers to themselves.
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
/// @param max_bytes the limit of keel_history_bytes: the copy of the present state and all steps.
///   A push that exceeds it drops the oldest steps. The copy is kept even if it exceeds the limit
///   by itself; then the log has a warning. Even in a small world the copy takes 40 KB for each
///   component and 270 KB for each relation
/// @threads the world's owner
/// @return NULL on error: KEEL_ERROR_MEMORY, KEEL_ERROR_SHARED, KEEL_ERROR_BORROWED
KEEL_API keel_history *keel_history_create(keel_world *world, size_t max_bytes);
/// Destroys a history, and calls the drop hooks of the values that it holds. NULL is allowed.
/// @threads the world's owner; any thread after the world was destroyed
KEEL_API void keel_history_destroy(keel_history *history);

/// Appends a step that ends with the present state of the world. Steps that could be redone are
/// dropped. On error nothing changed.
/// @threads the world's owner
/// @return as keel_snapshot_take; KEEL_ERROR_COPY also for a component with a move hook
KEEL_API keel_result keel_history_push(keel_history *history);
/// Undoes one step: the world gets the state that was pushed before the current one. The current
/// state is the last one that was pushed, or that keel_history_back or keel_history_forward
/// restored since. keel_history_forward can redo the step. Changes that were not pushed are lost:
/// push first to be able to redo them. On error nothing changed.
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
