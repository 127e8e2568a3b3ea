// SPDX-License-Identifier: MIT
/// @file events.h
/// Events: queues of structs that some systems send and others receive. They are messages of the
/// program itself; a keel_change, which an observer gets, reports an edit.
///
/// KEEL_EVENT declares a type of events. Its queue is a unique of the world, made when the type is
/// first used. A system sends with the parameter KEEL_SEND(Hit, hits), which writes the queue, and
/// receives with KEEL_RECEIVE(Hit, hits), which shares it with other receivers. So events are
/// received in the order of the sending systems in their workload, and then in the order in which
/// they were sent, for any number of threads.
///
///     KEEL_EVENT(Hit);
///     KEEL_SYSTEM(collide, KEEL_ENTITY(e), KEEL_READ(Shot, shot), KEEL_SEND(Hit, hits)) {
///         keel_send(hits, Hit, {e, shot->damage});
///     }
///     KEEL_SYSTEM_ONCE(play_sounds, KEEL_RECEIVE(Hit, hits)) {
///         KEEL_EACH_EVENT(hits, Hit, hit) play_sound(hit->damage);
///     }
///
/// **Cursors.** Each receiver has a cursor of its own. A system (at its place of its workload)
/// receives what was sent since its last run, and has passed it when it ends, whether it looked or
/// not, whether it failed or not. In its first run it receives all events that are still in the
/// queue. A keel_reader, and the world itself for code outside of systems, begin with their first
/// look, and pass events with keel_reader_advance and keel_advance_events.
///
/// **When an event is dropped.** When every receiver that ever looked has passed it: at the end of
/// the run, or of the pass. If a receiver stops looking, the queue fills up to its limit (65,536,
/// `.limit` of KEEL_EVENT, or keel_set_event_limit). Then the oldest event is dropped, the log
/// names the receiver once, and keel_missed_events tells a receiver how many events it did not see.
/// The `.drop` hook of the type is called once for each dropped event.
///
/// **When an event can be received.** At once, with two exceptions, where it can be received when
/// the sending system has ended, as with commands: in a step with `.parallel`, where events are in
/// the order of the entities; and when the system receives the same type, which then sees its own
/// events in its next run. Events of a system that failed are dropped.
///
/// keel_send(commands, ...) sends when the commands are applied. Observers send in this way.
///
/// keel_world_hash depends on the events that some system has not passed, and on those of types
/// that have no receiver. Copies of a world have no events.
#pragma once
#include <keel/track.h>

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" // inline functions are C
extern "C" {
#endif

// ------------------------------------------------------------------ sending
/// Sends an event: keel_send(scope, T, ...).
/// @param scope a world: sends at once, and only its owner may; a context: the system must have
///   declared KEEL_SEND(T, name); commands: send when they are applied, but commands with a list of
///   components (KEEL_COMMANDS(c, A)) refuse it (KEEL_ERROR_ACCESS); views are not accepted
/// @param event made by KEEL_EVENT, or by hand with `is_unique` and `is_event`
/// @param value the event's value, handed over; NULL: zeros
/// @invalidates pointers to events of this type
/// @return KEEL_OK, KEEL_ERROR_MEMORY (nothing was sent or recorded, and no event is lost),
///   KEEL_ERROR_COMPONENT, KEEL_ERROR_ARGUMENT (no event), KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED,
///   KEEL_ERROR_THREAD, KEEL_ERROR_ACCESS
KEEL_API keel_result keel_send_event(keel_scope *scope, const keel_component *event,
                                     const void *value);

// ------------------------------------------------------------------ receiving
/// A walk over events, in the caller's memory. Every member but `value` is private.
typedef struct keel_event_walk {
    const void *value;       ///< the current event; valid until the next event of its type is sent
    const keel_world *world; ///< private; NULL: nothing to see
    uint64_t next;           ///< private
    uint64_t end;            ///< private
    uint32_t number;         ///< private
    uint32_t left;           ///< private: number of further events that lie behind `value`
    uint32_t size;           ///< private
    bool stays;              ///< private: no event can be sent during the walk
    bool whole;              ///< private
} keel_event_walk;

/// Begins a walk over events, oldest first: KEEL_EACH_EVENT.
/// @param scope a world: as code outside of systems sees them. From then on events are kept until
///   keel_advance_events. While the world is shared, or a running system sends this type, the walk
///   is refused and empty. A context: the system must have declared KEEL_RECEIVE(T, name), and the
///   walk ends with it. A reader: all events since its last pass
/// @threads the owner
KEEL_API keel_event_walk keel_events_of(keel_scope *scope, const keel_component *event);
/// Moves on to the next event, in `walk->value`. Returns false at the end.
KEEL_API bool keel_event_next(keel_event_walk *walk);

/// Returns the number of events that the scope can receive: keel_event_count. The call does not
/// make the scope a receiver.
/// @param scope as keel_events_of
/// @threads the owner
KEEL_API uint32_t keel_event_count_of(const keel_scope *scope, const keel_component *event);

// ------------------------------------------------------------------ the queue
/// Passes all events up to now, for code outside of systems that looks without a reader:
/// keel_advance_events. The cursors of systems and readers stay where they are.
/// @threads the owner
/// @return KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_COMPONENT, KEEL_ERROR_ARGUMENT,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_advance_events_of(keel_world *world, const keel_component *event);
/// Drops all events of a type: keel_clear_events. Nobody receives them, and they do not count as
/// missed.
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
