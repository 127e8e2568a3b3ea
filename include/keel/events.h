// SPDX-License-Identifier: MIT
/// @file events.h
/// Events: queues of structs that some systems send and others receive.
///
/// KEEL_EVENT declares a type whose values are sent; its queue is a unique of the world, made when
/// the type is used first. A system sends with the parameter KEEL_SEND(Hit, hits), which has the
/// queue alone, and receives with KEEL_RECEIVE(Hit, hits), which shares it with other receivers. So
/// events come in the order of the systems in their workload, then in the order in which they were
/// sent, for any number of threads.
///
/// **Who receives what.** Each receiver has a cursor of its own: a system (at its place of its
/// workload) receives what was sent since its last run, and has passed it when it ends, whether it
/// looked or not, whether it failed or not. The first time it receives what is still there: what
/// was sent since all who receive had passed what was before. A keel_reader, and the world itself
/// for those who look from outside, begin when they look first, and pass with keel_reader_advance
/// and keel_advance_events.
///
/// **When an event goes.** When everybody who ever looked has passed it: at the end of the run, or
/// of the pass. When somebody does not come any more, the queue is full at its limit (65,536,
/// `.limit` of KEEL_EVENT, or keel_set_event_limit); then the oldest is dropped, the log says once
/// who holds it up, and keel_missed_events tells a receiver how many it did not see. The `.drop` of
/// the type is called once for each event that goes.
///
/// **When an event is there.** At once, but for two cases in which it is there when the system has
/// ended, as commands are: in a step with `.parallel`, where events come in the order of the
/// entities, and when the system receives the same type, too: it receives in its next run what it
/// sends itself. What a system sent that fails is dropped.
///
/// keel_send(commands, ...) sends when the commands are applied, which is how observers send. (The
/// keel_change that an observer gets is something else: it tells of an edit.)
///
/// keel_world_hash counts the events that some system has not passed, or that nobody reads.
/// Copies of a world have no events.
#pragma once
#include <keel/track.h>

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" // inline functions are C
extern "C" {
#endif

// ------------------------------------------------------------------ sending
/// Send an event: keel_send(scope, T, ...).
/// @param scope a world: now, by its owner; a context: the system must have declared KEEL_SEND(T,
///   name); commands: when they are applied, but commands that name what they edit
///   (KEEL_COMMANDS(c, A)) send nothing (KEEL_ERROR_ACCESS); no views
/// @param event made by KEEL_EVENT, or by hand with `is_unique` and `is_event`
/// @param value of the event, handed over; NULL: zeros
/// @invalidates pointers to events of this type
/// @return KEEL_OK, KEEL_ERROR_MEMORY (nothing was sent or recorded, and none is lost),
///   KEEL_ERROR_COMPONENT, KEEL_ERROR_ARGUMENT (no event), KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED,
///   KEEL_ERROR_THREAD, KEEL_ERROR_ACCESS
KEEL_API keel_result keel_send_event(keel_scope *scope, const keel_component *event,
                                     const void *value);

// ------------------------------------------------------------------ receiving
/// A walk over events, in the caller's memory; every member but `value` is private.
typedef struct keel_event_walk {
    const void *value;       ///< the current one; valid until the next one of its type is sent
    const keel_world *world; ///< private; NULL: nothing to see
    uint64_t next;           ///< private
    uint64_t end;            ///< private
    uint32_t number;         ///< private
    uint32_t left;           ///< private: so many more side by side
    uint32_t size;           ///< private
    bool stays;              ///< private: nobody sends meanwhile
    bool whole;              ///< private
} keel_event_walk;

/// Begin a walk over events, oldest first: KEEL_EACH_EVENT.
/// @param scope a world: as somebody outside of systems sees them. From then on no event goes
///   before keel_advance_events. Refused, with nothing to walk over, while the world is shared or a
///   system that is running sends this type. A context: the system must have declared
///   KEEL_RECEIVE(T, name), and the walk ends with it. A reader: all since its last pass
/// @threads the owner
KEEL_API keel_event_walk keel_events_of(keel_scope *scope, const keel_component *event);
/// The next one, in `walk->value`; false at the end.
KEEL_API bool keel_event_next(keel_event_walk *walk);

/// How many events are there to receive: keel_event_count. It does not make anybody a receiver.
/// @param scope as keel_events_of
/// @threads the owner
KEEL_API uint32_t keel_event_count_of(const keel_scope *scope, const keel_component *event);

// ------------------------------------------------------------------ the queue
/// All events up to now are seen by those who look from outside of systems and without a reader:
/// keel_advance_events. Systems and readers do not notice.
/// @threads the owner
/// @return KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_COMPONENT, KEEL_ERROR_ARGUMENT,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_advance_events_of(keel_world *world, const keel_component *event);
/// Drop all events of a type: keel_clear_events. Nobody receives them, and nobody has missed them.
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
