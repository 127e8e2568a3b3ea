// SPDX-License-Identifier: MIT
/// @file typed_events.h
/// The part of typed.h that is about events (events.h). A type `Hit` of events is the object
/// Hit_event; parameters of systems have types of their own, Hit_sender and Hit_receiver, so that
/// sending to what one receives, or another type, does not compile.
#pragma once
#pragma GCC system_header
#include <keel/events.h>
#include <keel/typed_core.h>
#include <keel/typed_cpp.h>
// clang-format off

/// Declare the struct `T` as a type of events: `KEEL_EVENT(Hit);`, `KEEL_EVENT(Hit, .limit = 1000, .drop = hit_drop);`.
/// The options are members of keel_component. It may be a component too. Legal wherever KEEL_COMPONENT is.
#define KEEL_EVENT(...) KEELI_EVENT(__VA_ARGS__, .line = __LINE__)
/// The descriptor of a type of events, for functions that take one.
#define KEEL_EVENT_OF(T) (&T##_event)
#ifdef __cplusplus
#define KEELI_EVENT(T, ...)                                                                         \
    struct T##_sender { typedef T keeli_sent; };                                                    \
    struct T##_receiver { typedef T keeli_received; };                                              \
    KEELI_DESCRIPTOR(KEELI_DERIVED(T), T##_event, #T, sizeof(T), KEELI_ALIGNOF(T), true, .is_event = true, __VA_ARGS__)
#else
#define KEELI_EVENT(T, ...)                                                                         \
    typedef struct T##_sender T##_sender;                                                           \
    typedef struct T##_receiver T##_receiver;                                                       \
    KEELI_DESCRIPTOR(KEELI_DERIVED(T), T##_event, #T, sizeof(T), KEELI_ALIGNOF(T), true, .is_event = true, __VA_ARGS__)
#endif

// The two parameters are uniques to the other macros; what they hand out is the context.
/// Parameter: the system sends events of type `T`: `keel_send(name, T, {...})`. It has their queue alone.
#define KEEL_SEND(T, name) (keeli_unique, KEEL_TERM_SEND, T##_sender, name, &T##_event, NULL, T##_sender)
/// Parameter: the system receives events of type `T`: `KEEL_EACH_EVENT(name, T, event)`.
#define KEEL_RECEIVE(T, name) (keeli_unique, KEEL_TERM_RECEIVE, T##_receiver, name, &T##_event, NULL, T##_receiver)
#define KEELI_GET_KEEL_TERM_SEND(context, event) ((void)KEELI_NEVER("KEEL_SEND and KEEL_RECEIVE are parameters of systems, not of custom views"), (void *)NULL)
#define KEELI_GET_KEEL_TERM_RECEIVE(context, event) KEELI_GET_KEEL_TERM_SEND(context, event)

#ifdef __cplusplus
inline keel_result keeli_send(keel_world *s, const keel_component *c, const void *v) { return keel_world_send_event(s, c, v); }
inline keel_result keeli_send(keel_context *s, const keel_component *c, const void *v) { return keel_context_send_event(s, c, v); }
inline keel_result keeli_send(keel_commands *s, const keel_component *c, const void *v) { return keel_commands_send_event(s, c, v); }
template <class S> inline keel_result keeli_send(S *s, const keel_component *c, const typename S::keeli_sent *v) { return keel_context_send_event(static_cast<keel_context *>(static_cast<void *>(s)), c, v); }
template <class T, class R> struct keeli_to_receive { static_assert(sizeof(R) == 0, "this parameter receives events of another type"); };
template <class T> struct keeli_to_receive<T, T> { typedef keel_context type; };
template <class T, class S> inline keel_context *keeli_receiver(S *s) { return static_cast<typename keeli_to_receive<T, typename S::keeli_received>::type *>(static_cast<void *>(s)); }
template <class T> inline keel_world *keeli_receiver(keel_world *s) { return s; }
template <class T> inline const keel_world *keeli_receiver(const keel_world *s) { return s; }
template <class T> inline keel_reader *keeli_receiver(keel_reader *s) { return s; }
template <class T> inline const keel_reader *keeli_receiver(const keel_reader *s) { return s; }
template <class T> inline keel_context *keeli_receiver(keel_context *s) { return s; }
inline keel_event_walk keeli_events(keel_world *s, const keel_component *c) { return keel_world_events(s, c); }
inline keel_event_walk keeli_events(keel_reader *s, const keel_component *c) { return keel_reader_events(s, c); }
inline keel_event_walk keeli_events(keel_context *s, const keel_component *c) { return keel_context_events(s, c); }
inline uint32_t keeli_event_count(const keel_world *s, const keel_component *c) { return keel_world_event_count(s, c); }
inline uint32_t keeli_event_count(const keel_reader *s, const keel_component *c) { return keel_reader_event_count(s, c); }
inline uint32_t keeli_event_count(keel_context *s, const keel_component *c) { return keel_context_event_count(s, c); }
inline uint64_t keeli_missed_events(const keel_world *s, const keel_component *c) { return keel_world_missed_events(s, c); }
inline uint64_t keeli_missed_events(const keel_reader *s, const keel_component *c) { return keel_reader_missed_events(s, c); }
inline uint64_t keeli_missed_events(keel_context *s, const keel_component *c) { return keel_context_missed_events(s, c); }
template <class T, class S> inline keel_result keeli_send_value(S s, const keel_component *c, const void *v) { return keeli_send(s, c, static_cast<const T *>(v)); }
template <class T, class S> inline keel_result keeli_send_value(S s, const keel_component *c, const keeli_one<T> &v) { return v.taken_by(keeli_send(s, c, static_cast<const T *>(v.held.value))); }
#define KEELI_SEND_VALUE(scope, T, value) keeli_send_value<T>((scope), &T##_event, value)
#define KEELI_EVENTS(scope, T) keeli_events(keeli_receiver<T>(scope), &T##_event)
#define keel_event_count(scope, T) keeli_event_count(keeli_receiver<T>(scope), &T##_event)
#define keel_missed_events(scope, T) keeli_missed_events(keeli_receiver<T>(scope), &T##_event)
#else
static inline keel_result keeli_sender_send(void *s, const keel_component *c, const void *v) { return keel_context_send_event((keel_context *)s, c, v); }
static inline keel_event_walk keeli_receiver_events(void *s, const keel_component *c) { return keel_context_events((keel_context *)s, c); }
static inline uint32_t keeli_receiver_event_count(void *s, const keel_component *c) { return keel_context_event_count((keel_context *)s, c); }
static inline uint64_t keeli_receiver_missed_events(void *s, const keel_component *c) { return keel_context_missed_events((keel_context *)s, c); }
#define KEELI_SEND_VALUE(scope, T, value) _Generic((scope), keel_world *: keel_world_send_event, keel_context *: keel_context_send_event, keel_commands *: keel_commands_send_event, T##_sender *: keeli_sender_send)((scope), &T##_event, value)
#define KEELI_EVENTS(scope, T) _Generic((scope), keel_world *: keel_world_events, keel_reader *: keel_reader_events, keel_context *: keel_context_events, T##_receiver *: keeli_receiver_events)((scope), &T##_event)
#define KEELI_WRXE(scope, T, w, r, x, e) _Generic((scope), keel_world *: w, const keel_world *: w, keel_reader *: r, const keel_reader *: r, keel_context *: x, T##_receiver *: e)
/// How many events of type `T` are there to receive. Scope: world, context, reader, KEEL_RECEIVE(T, name).
#define keel_event_count(scope, T) KEELI_WRXE(scope, T, keel_world_event_count, keel_reader_event_count, keel_context_event_count, keeli_receiver_event_count)((scope), &T##_event)
/// How many went unseen, because they were too many. Scope: world, context, reader, KEEL_RECEIVE(T, name).
#define keel_missed_events(scope, T) KEELI_WRXE(scope, T, keel_world_missed_events, keel_reader_missed_events, keel_context_missed_events, keeli_receiver_missed_events)((scope), &T##_event)
#endif
/// Send an event: `keel_send(scope, T)` zero, `keel_send(scope, T, {1, 2})`, `keel_send(scope, T, variable)`. Scope: world now;
/// commands later; in systems KEEL_SEND(T, name), or the context.
#define keel_send(...) KEELI_CAT(KEELI_SEND_, KEELI_OVER_2(__VA_ARGS__))(__VA_ARGS__)
#define KEELI_SEND_keeli_one(scope, T) KEELI_SEND_VALUE(scope, T, KEELI_DEFAULT(T, T##_event))
#define KEELI_SEND_keeli_more(scope, T, ...) KEELI_SEND_VALUE(scope, T, KEELI_THE_VALUE(T, __VA_ARGS__))
/// A loop over events of type `T`, oldest first: `KEEL_EACH_EVENT(hits, Hit, hit) { hit->damage ... }`; `const T *hit`. Scope:
/// KEEL_RECEIVE(T, name), context, world, reader. See keel_world_events.
#define KEEL_EACH_EVENT(scope, T, event) KEELI_FOR_EVENTS(KEELI_CAT(keeli_walk_, __COUNTER__), scope, T, event)
// The inner loop runs once; `whole` tells whether the body was left by break.
#define KEELI_FOR_EVENTS(walk, scope, T, name)                                                      \
    for (keel_event_walk walk = KEELI_EVENTS(scope, T); walk.whole && keeli_event_step(&walk);)     \
        for (KEELI_UNUSED const T *name = (walk.whole = false, KEELI_CAST(const T, walk.value)); !walk.whole; walk.whole = true)
/// All events up to now are seen by those who look from outside: see keel_world_advance_events.
#define keel_advance_events(world, T) keel_world_advance_events((world), &T##_event)
/// Drop all events of a type: see keel_world_clear_events.
#define keel_clear_events(world, T) keel_world_clear_events((world), &T##_event)
/// Keep at most so many: see keel_world_set_event_limit.
#define keel_set_event_limit(world, T, limit) keel_world_set_event_limit((world), &T##_event, (limit))
// clang-format on
