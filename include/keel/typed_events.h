// SPDX-License-Identifier: MIT
/// @file typed_events.h
/// The part of typed.h that is about events (events.h). A type `Hit` of events is the object
/// KEEL_EVENT_Hit; parameters of systems have types of their own, KEEL_SENDER_Hit and
/// KEEL_RECEIVER_Hit, so that sending through a KEEL_RECEIVE parameter, or sending events of
/// another type through a KEEL_SEND parameter, does not compile.
#pragma once
#pragma GCC system_header
#include <keel/events.h>
#include <keel/typed_core.h>
#include <keel/typed_cpp.h>
// clang-format off

/// Declares the struct `T` as a type of events: `KEEL_EVENT(Hit);`, `KEEL_EVENT(Hit, .limit = 1000, .drop = hit_drop);`. The
/// options are members of keel_component. `T` may be a component too. Legal wherever KEEL_COMPONENT is.
#define KEEL_EVENT(...) KEELI_EVENT(__VA_ARGS__, .line = __LINE__)
/// The descriptor of a type of events, for functions that take one.
#define KEEL_EVENT_OF(T) (&KEEL_EVENT_##T)
#ifdef __cplusplus
#define KEELI_EVENT(T, ...)                                                                         \
    struct KEEL_SENDER_##T { typedef T keeli_sent; };                                                    \
    struct KEEL_RECEIVER_##T { typedef T keeli_received; };                                              \
    KEELI_TYPE_DESCRIPTOR(KEEL_EVENT_##T, T, true, .is_event = true, __VA_ARGS__) KEELI_FOUND(KEEL_EVENT_, T)
#else
#define KEELI_EVENT(T, ...)                                                                         \
    typedef struct KEEL_SENDER_##T KEEL_SENDER_##T;                                                           \
    typedef struct KEEL_RECEIVER_##T KEEL_RECEIVER_##T;                                                       \
    KEELI_TYPE_DESCRIPTOR(KEEL_EVENT_##T, T, true, .is_event = true, __VA_ARGS__)
#endif

// The other macros treat the two parameters as uniques; their value is the context of the system.
/// Parameter: the system sends events of type `T`: `keel_send(name, T, {...})`. No other system uses the queue while it runs.
#define KEEL_SEND(T, name) (keeli_unique, KEEL_TERM_SEND, KEEL_SENDER_##T, name, &KEEL_EVENT_##T, NULL, KEEL_SENDER_##T)
/// Parameter: the system receives events of type `T`: `KEEL_EACH_EVENT(name, T, event)`.
#define KEEL_RECEIVE(T, name) (keeli_unique, KEEL_TERM_RECEIVE, KEEL_RECEIVER_##T, name, &KEEL_EVENT_##T, NULL, KEEL_RECEIVER_##T)
#define KEELI_GET_KEEL_TERM_SEND(context, event) ((void)KEELI_NEVER("KEEL_SEND and KEEL_RECEIVE are parameters of systems, not of custom views"), (void *)NULL)
#define KEELI_GET_KEEL_TERM_RECEIVE(context, event) KEELI_GET_KEEL_TERM_SEND(context, event)

#ifdef __cplusplus
template <class T, class R> struct keeli_to_receive { static_assert(sizeof(R) == 0, "this parameter receives events of another type"); };
template <class T> struct keeli_to_receive<T, T> { typedef keel_context type; };
template <class T, class S> inline keel_context *keeli_receiver(S *s) { return static_cast<typename keeli_to_receive<T, typename S::keeli_received>::type *>(static_cast<void *>(s)); }
template <class T> inline keel_world *keeli_receiver(keel_world *s) { return s; }
template <class T> inline const keel_world *keeli_receiver(const keel_world *s) { return s; }
template <class T> inline keel_reader *keeli_receiver(keel_reader *s) { return s; }
template <class T> inline const keel_reader *keeli_receiver(const keel_reader *s) { return s; }
template <class T> inline keel_context *keeli_receiver(keel_context *s) { return s; }
template <class T> inline keel_scope *keeli_receiver(keel_scope *s) { return s; }
template <class T, class R> struct keeli_to_send { static_assert(sizeof(R) == 0, "this parameter sends events of another type"); };
template <class T> struct keeli_to_send<T, T> { typedef keel_context type; };
template <class T, class S> inline keel_context *keeli_sender(S *s) { return static_cast<typename keeli_to_send<T, typename S::keeli_sent>::type *>(static_cast<void *>(s)); }
template <class T> inline keel_world *keeli_sender(keel_world *s) { return s; }
template <class T> inline keel_commands *keeli_sender(keel_commands *s) { return s; }
template <class T> inline keel_context *keeli_sender(keel_context *s) { return s; }
template <class T> inline keel_scope *keeli_sender(keel_scope *s) { return s; }
template <class S> inline keel_result keeli_send(S *s, const keel_component *c, const void *v) { return keel_send_event(s, c, v); }
template <class S, class T> inline keel_result keeli_send(S *s, const keel_component *c, const keeli_one<T> &v) { return v.taken_by(keel_send_event(s, c, v.held.value)); }
#define KEELI_SEND_VALUE(scope, T, value) keeli_send(keeli_sender<T>(scope), &KEEL_EVENT_##T, value)
#define KEELI_RECEIVER(scope, T) keeli_receiver<T>(scope)
#else
static inline keel_scope *keeli_parameter_scope(void *s) { return (keel_scope *)s; }
#define KEELI_SEND_VALUE(scope, T, value) KEELI_DIRECT(scope, keeli_world_send, keel_send_event)(_Generic((scope), KEEL_SENDER_##T *: keeli_parameter_scope, KEELI_IF_WORLD, KEELI_IF_CONTEXT, KEELI_IF_COMMANDS, KEELI_IF_SCOPE, default: keeli_events_are_sent_through_a_world_commands_context_or_KEEL_SEND_of_their_type)(scope), &KEEL_EVENT_##T, value)
#define KEELI_RECEIVER(scope, T) _Generic((scope), KEEL_RECEIVER_##T *: keeli_parameter_scope, KEELI_IF_WORLD, KEELI_IF_CONTEXT, KEELI_IF_READER, KEELI_IF_SCOPE, KEELI_IF_CONST, const keel_reader *: keeli_const_reader_scope, default: keeli_events_are_received_through_a_world_context_reader_or_KEEL_RECEIVE_of_their_type)(scope)
#endif
/// Returns the number of events of type `T` that can be received. Scope: world, context, reader, KEEL_RECEIVE(T, name).
#define keel_event_count(scope, T) keel_event_count_of(KEELI_RECEIVER(scope, T), &KEEL_EVENT_##T)
/// Returns how many events were dropped, as there were too many, before the scope received them. Scope: world, context, reader,
/// KEEL_RECEIVE(T, name).
#define keel_missed_events(scope, T) keel_missed_component(KEELI_RECEIVER(scope, T), &KEEL_EVENT_##T)
/// Sends an event: `keel_send(hits, Hit, {1, 2})`, `keel_send(hits, Hit, variable)`, or `keel_send(hits, Hit)` with zeros.
/// Scope: world, now; commands, later; in systems KEEL_SEND(T, name), or the context. See keel_send_event.
#define keel_send(...) KEELI_CAT(KEELI_SEND_, KEELI_OVER_2(__VA_ARGS__))(__VA_ARGS__)
#define KEELI_SEND_keeli_one(scope, T) KEELI_SEND_VALUE(scope, T, KEELI_DEFAULT(T, KEEL_EVENT_##T))
#define KEELI_SEND_keeli_more(scope, T, ...) KEELI_SEND_VALUE(scope, T, KEELI_THE_VALUE(T, __VA_ARGS__))
/// Loops over events of type `T`, oldest first: `KEEL_EACH_EVENT(hits, Hit, hit) { hit->damage ... }`; `const T *hit`. Scope:
/// KEEL_RECEIVE(T, name), context, world, reader. See keel_events_of.
#define KEEL_EACH_EVENT(scope, T, event) KEELI_EACH_EVENT(KEELI_CAT(keeli_walk_, __COUNTER__), scope, T, event)
// The inner loop runs once; `whole` tells whether the body was left by break.
#define KEELI_EACH_EVENT(walk, scope, T, name)                                                      \
    for (keel_event_walk walk = keel_events_of(KEELI_RECEIVER(scope, T), &KEEL_EVENT_##T); walk.whole && keeli_event_step(&walk);)     \
        for (KEELI_UNUSED const T *name = (walk.whole = false, KEELI_CAST(const T, walk.value)); !walk.whole; walk.whole = true)
/// Moves the world's cursor behind all events, so that code outside of systems does not receive them again. See
/// keel_advance_events_of.
#define keel_advance_events(world, T) keel_advance_events_of((world), &KEEL_EVENT_##T)
/// Drops all events of a type. See keel_clear_events_of.
#define keel_clear_events(world, T) keel_clear_events_of((world), &KEEL_EVENT_##T)
/// Sets how many events are kept at most. See keel_set_limit_of.
#define keel_set_event_limit(world, T, limit) keel_set_limit_of((world), &KEEL_EVENT_##T, (limit))
// clang-format on
