// SPDX-License-Identifier: MIT
/// @file events.h
/// Events: queues of structs that some systems send and others receive. The program itself decides
/// what its events are and when to send them. Reports of edits are no events: an observer gets them
/// as a keel_change.
///
/// KEEL_EVENT declares a type of events. Its queue is a unique of the world, made when the type is
/// first used. A system sends with the parameter KEEL_SEND(Hit, hits), which writes the queue, and
/// receives with KEEL_RECEIVE(Hit, hits), which reads it, so receivers can run at once. As only one
/// system writes a queue at a time, events are received in the order of the sending systems in
/// their workload, and then in the order in which they were sent, for any number of threads.
///
///     KEEL_EVENT(Hit);
///     KEEL_SYSTEM(collide, KEEL_ENTITY(e), KEEL_READ(Shot, shot), KEEL_SEND(Hit, hits)) {
///         keel_send(hits, Hit, {e, shot->damage});
///     }
///     KEEL_SYSTEM_ONCE(play_sounds, KEEL_RECEIVE(Hit, hits)) {
///         KEEL_EACH_EVENT(hits, Hit, hit) play_sound(hit->damage);
///     }
///
/// **Cursors.** Each receiver has a cursor of its own: a position in the queue. It receives the
/// events behind its cursor, and never again those before it. A step of a workload receives the
/// events that were sent since its last run; in its first run, all that are still in the queue.
/// When the step's system returns, its cursor moves behind these events, even if the system did not
/// iterate over them, or failed. A keel_reader gets a cursor at its first walk over events of the
/// type, and keel_reader_advance moves the cursor to the end of the queue. Code outside of systems
/// shares one cursor, that of the world: the first walk through the world creates it, and
/// keel_advance_events moves it.
///
/// **When an event is dropped.** An event is dropped when the cursors of all receivers are behind
/// it, which can happen at the end of a run, in keel_reader_advance and in keel_advance_events. If
/// a receiver stops receiving, the queue fills up to its limit (65,536, `.limit` of KEEL_EVENT, or
/// keel_set_event_limit). Then each new event drops the oldest one, the log names the receiver
/// once, and keel_missed_events returns how many events a receiver missed. The `.drop` hook of the
/// type is called once for each dropped event.
///
/// **When an event can be received.** At once, with two exceptions. A step with `.parallel` sends
/// its events when it has ended, in the order of the entities. A system that also receives the type
/// sends its events when it has ended, and receives them in its next run. If a system fails, the
/// events that it sent are dropped.
///
/// keel_send(commands, ...) sends the event when the commands are applied. Observers send in this
/// way.
///
/// keel_world_hash depends on the events that lie behind the cursor of at least one system, and on
/// all events of a type without receivers. Copies of a world have no events.
#pragma once
#include <keel/track.h>

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" // inline functions are C
extern "C" {
#endif

// ------------------------------------------------------------------ sending
/// Sends an event. Typed: keel_send(scope, T, ...).
/// @param scope a world: the event is sent at once, and only the owner of the world may call. A
///   context: the system must have declared KEEL_SEND(T, name). Commands: the event is sent when
///   they are applied; commands with a list of components (KEEL_COMMANDS(c, A)) return
///   KEEL_ERROR_ACCESS. A view is not allowed
/// @param event made by KEEL_EVENT, or by hand with `is_unique` and `is_event`
/// @param value the event's value, which the world owns after success; NULL: zeros
/// @invalidates pointers to events of this type
/// @return KEEL_OK, KEEL_ERROR_MEMORY (nothing was sent or recorded, and no event is lost),
///   KEEL_ERROR_COMPONENT, KEEL_ERROR_ARGUMENT (`event` is no type of events), KEEL_ERROR_BORROWED,
///   KEEL_ERROR_SHARED, KEEL_ERROR_THREAD, KEEL_ERROR_ACCESS
KEEL_API keel_result keel_send_event(keel_scope *scope, const keel_component *event,
                                     const void *value);

// ------------------------------------------------------------------ receiving
/// A walk over events, in the caller's memory. Every member but `value` is private. A
/// position in the queue is the number of an event, counted from the first one of its type.
typedef struct keel_event_walk {
    const void *value;       ///< the current event; valid until the next event of its type is sent
    const keel_world *world; ///< private; NULL: an empty walk
    uint64_t next;           ///< private: position of the next event to look up
    uint64_t end;            ///< private: position of the end of the queue when the walk began
    uint32_t number;         ///< private: number of the type in the world
    uint32_t left;           ///< private: number of further events adjacent to `value` in memory
    uint32_t size;           ///< private: bytes of an event
    bool stays;              ///< private: no event can be sent during the walk
    bool whole; ///< private: the body of KEEL_EACH_EVENT has run to its end, so the loop goes on;
                ///< false after a break
} keel_event_walk;

/// Begins a walk over events, oldest first. Typed: KEEL_EACH_EVENT.
/// @param scope a world: the events behind the world's cursor, for code outside of systems. After
///   the first such walk, events are kept until keel_advance_events. While the world is shared, or
///   a running system sends this type, the call is an error, and the walk is empty. A context: the
///   events that its system receives; the system must have declared KEEL_RECEIVE(T, name), and the
///   walk is valid until the system returns. A reader: all events since its keel_reader_advance
/// @threads the owner
KEEL_API keel_event_walk keel_events_of(keel_scope *scope, const keel_component *event);
/// Moves on to the next event, and stores its address in `walk->value`. Returns false at the end.
KEEL_API bool keel_event_next(keel_event_walk *walk);

/// Returns the number of events that the scope can receive. The call does not make the scope a
/// receiver. Typed: keel_event_count.
/// @param scope as keel_events_of
/// @threads the owner
KEEL_API uint32_t keel_event_count_of(const keel_scope *scope, const keel_component *event);

// ------------------------------------------------------------------ the queue
/// Moves the world's cursor behind all events, so that code outside of systems does not receive
/// them again. The cursors of systems and readers do not move. Typed: keel_advance_events.
/// @threads the owner
/// @return KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_COMPONENT, KEEL_ERROR_ARGUMENT,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_advance_events_of(keel_world *world, const keel_component *event);
/// Drops all events of a type. No receiver gets them, and they do not count as missed. Typed:
/// keel_clear_events.
/// @threads the owner
/// @return KEEL_OK, KEEL_ABSENT when the world does not know the type, KEEL_ERROR_BORROWED,
///   KEEL_ERROR_SHARED, KEEL_ERROR_ARGUMENT, KEEL_ERROR_THREAD
KEEL_API keel_result keel_clear_events_of(keel_world *world, const keel_component *event);

/// Private: the loop of KEEL_EACH_EVENT.
static inline bool keeli_event_step(keel_event_walk *walk) {
    if (!walk->left) return keel_event_next(walk);
    --walk->left;
    walk->value = (const char *)walk->value + walk->size;
    return true;
}

/// @cond
KEEL_API keel_result keeli_world_send(keel_scope *world, const keel_component *event,
                                      const void *value);
/// @endcond

#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif

// clang-format off
/// @cond macros that let the functions above take their scopes as they are
#define keel_send_event(scope, ...) KEELI_DIRECT(scope, keeli_world_send, keel_send_event)(KEELI_TO_SEND(scope), __VA_ARGS__)
#define keel_events_of(scope, ...) keel_events_of(KEELI_TO_OPEN(scope), __VA_ARGS__)
#define keel_event_count_of(scope, ...) keel_event_count_of(KEELI_TO_SEE(scope), __VA_ARGS__)
/// @endcond
// clang-format on
