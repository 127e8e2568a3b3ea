// SPDX-License-Identifier: MIT
/// @file scope.h
/// Scopes: the first argument of a verb decides when the verb acts, and on what. There is one
/// function for each verb. A world acts at once. Commands record the edit for later. A view or the
/// context of a system acts at once, on the storages that it holds.
///
/// Verbs accept a pointer to a scope as it is: `keel_strip(world, e)`, `keel_strip(commands, e)`. A
/// pointer to any other type does not compile. A helper that is called from ordinary code and from
/// systems takes a `keel_scope *`, and its callers pass `KEEL_SCOPE(world)` or
/// `KEEL_SCOPE(context)`. If the scope may not do what the helper asks, that is an error at run
/// time: KEEL_ERROR_ACCESS where a view or system did not declare it, KEEL_ERROR_ARGUMENT where a
/// scope of that kind never does it.
#pragma once
#include <keel/base.h>

/// The common first member of worlds, views, commands, contexts and readers.
typedef struct keel_scope {
    uint32_t kind; ///< private: the kind of scope; 0 when it has ended
} keel_scope;

/// A world (world.h).
typedef struct keel_world keel_world;
/// An open view (view.h).
typedef struct keel_view keel_view;
/// A list of recorded edits (commands.h).
typedef struct keel_commands keel_commands;
/// The access of a running system (workload.h).
typedef struct keel_context keel_context;
/// A cursor over changes, for code that asks for changes from time to time (track.h).
typedef struct keel_reader keel_reader;

// clang-format off
#ifdef __cplusplus
/// @cond how a scope's pointer becomes a keel_scope
template <class S> struct keeli_kind { static constexpr unsigned is = 0; };
template <class S> struct keeli_kind<const S> : keeli_kind<S> {};
template <> struct keeli_kind<keel_world> { static constexpr unsigned is = 1; };
template <> struct keeli_kind<keel_view> { static constexpr unsigned is = 2; };
template <> struct keeli_kind<keel_commands> { static constexpr unsigned is = 4; };
template <> struct keeli_kind<keel_context> { static constexpr unsigned is = 8; };
template <> struct keeli_kind<keel_reader> { static constexpr unsigned is = 16; };
template <> struct keeli_kind<keel_scope> { static constexpr unsigned is = 31; };
template <class S> struct keeli_is_const { static constexpr bool value = false; };
template <class S> struct keeli_is_const<const S> { static constexpr bool value = true; };
template <> struct keeli_is_const<const keel_view> { static constexpr bool value = false; }; // it edits all the same
template <unsigned kinds, class S> inline keel_scope *keeli_scope_of(S *s) {
    static_assert(keeli_kind<S>::is & kinds, "this verb does not take a scope of this type");
    static_assert(!keeli_is_const<S>::value, "this verb edits, and the scope is const");
    return const_cast<keel_scope *>(reinterpret_cast<const keel_scope *>(s));
}
template <unsigned kinds, class S> inline const keel_scope *keeli_const_scope_of(S *s) {
    static_assert(keeli_kind<S>::is & kinds, "this verb does not take a scope of this type");
    return reinterpret_cast<const keel_scope *>(s);
}
#define KEEL_SCOPE(scope) keeli_scope_of<31>(scope)
#define KEELI_TO_EDIT(scope) keeli_scope_of<15>(scope)
#define KEELI_TO_WRITE(scope) keeli_scope_of<11>(scope)
#define KEELI_TO_SEND(scope) keeli_scope_of<13>(scope)
#define KEELI_TO_RECORD(scope) keeli_scope_of<5>(scope)
#define KEELI_TO_READ(scope) keeli_const_scope_of<11>(scope)
#define KEELI_TO_OPEN(scope) keeli_scope_of<25>(scope)
#define KEELI_TO_SEE(scope) keeli_const_scope_of<25>(scope)
struct keeli_yes { static constexpr bool value = true; };
struct keeli_no { static constexpr bool value = false; };
keeli_yes keeli_is_world(const keel_world *);
keeli_no keeli_is_world(const void *);
#define KEELI_DIRECT(scope, of_world, of_any) (decltype(keeli_is_world(scope))::value ? of_world : of_any)
/// @endcond
#else
/// @cond
static inline keel_scope *keeli_world_scope(keel_world *s) { return (keel_scope *)s; }
static inline const keel_scope *keeli_const_world_scope(const keel_world *s) { return (const keel_scope *)s; }
static inline keel_scope *keeli_view_scope(const keel_view *s) { return (keel_scope *)(uintptr_t)s; }
static inline keel_scope *keeli_commands_scope(keel_commands *s) { return (keel_scope *)s; }
static inline keel_scope *keeli_context_scope(keel_context *s) { return (keel_scope *)s; }
static inline const keel_scope *keeli_const_context_scope(const keel_context *s) { return (const keel_scope *)s; }
static inline keel_scope *keeli_reader_scope(keel_reader *s) { return (keel_scope *)s; }
static inline const keel_scope *keeli_const_reader_scope(const keel_reader *s) { return (const keel_scope *)s; }
static inline keel_scope *keeli_scope_itself(keel_scope *s) { return s; }
static inline const keel_scope *keeli_const_scope_itself(const keel_scope *s) { return s; }
#define KEELI_IF_WORLD keel_world *: keeli_world_scope
#define KEELI_IF_VIEW keel_view *: keeli_view_scope, const keel_view *: keeli_view_scope
#define KEELI_IF_COMMANDS keel_commands *: keeli_commands_scope
#define KEELI_IF_CONTEXT keel_context *: keeli_context_scope
#define KEELI_IF_READER keel_reader *: keeli_reader_scope
#define KEELI_IF_SCOPE keel_scope *: keeli_scope_itself
#define KEELI_IF_CONST const keel_world *: keeli_const_world_scope, const keel_context *: keeli_const_context_scope, const keel_scope *: keeli_const_scope_itself
#define KEELI_NO_SCOPE(name) extern const struct name { int is_no_function; } name
// The macros below choose one of these objects for a pointer that is no scope of an accepted kind.
// An object is no function, so the call does not compile, and the compiler prints the object's
// name.
KEELI_NO_SCOPE(keeli_this_verb_takes_a_world_view_commands_or_context_not_const);
KEELI_NO_SCOPE(keeli_this_verb_takes_a_world_view_or_context_not_const);
KEELI_NO_SCOPE(keeli_this_verb_takes_a_world_or_commands_not_const);
KEELI_NO_SCOPE(keeli_events_are_sent_through_a_world_commands_context_or_KEEL_SEND_of_their_type);
KEELI_NO_SCOPE(keeli_events_are_received_through_a_world_context_reader_or_KEEL_RECEIVE_of_their_type);
KEELI_NO_SCOPE(keeli_this_verb_takes_a_world_view_or_context);
KEELI_NO_SCOPE(keeli_loops_are_over_a_world_context_or_reader_not_const);
KEELI_NO_SCOPE(keeli_this_verb_takes_a_world_context_or_reader);
/// @endcond
/// The scope behind a world, view, commands, context or reader, for a helper that takes any.
#define KEEL_SCOPE(scope) _Generic((scope), KEELI_IF_WORLD, KEELI_IF_VIEW, KEELI_IF_COMMANDS, KEELI_IF_CONTEXT, KEELI_IF_READER, KEELI_IF_SCOPE)(scope)
// Conversions of scopes: for verbs that edit (TO_EDIT), that return values to write (TO_WRITE),
// that send events (TO_SEND), that accept only a world or commands (TO_RECORD), that read
// (TO_READ), that open views and walks (TO_OPEN), and that ask for changes (TO_SEE).
#define KEELI_TO_EDIT(scope) _Generic((scope), KEELI_IF_WORLD, KEELI_IF_VIEW, KEELI_IF_COMMANDS, KEELI_IF_CONTEXT, KEELI_IF_SCOPE, default: keeli_this_verb_takes_a_world_view_commands_or_context_not_const)(scope)
#define KEELI_TO_WRITE(scope) _Generic((scope), KEELI_IF_WORLD, KEELI_IF_VIEW, KEELI_IF_CONTEXT, KEELI_IF_SCOPE, default: keeli_this_verb_takes_a_world_view_or_context_not_const)(scope)
#define KEELI_TO_SEND(scope) _Generic((scope), KEELI_IF_WORLD, KEELI_IF_COMMANDS, KEELI_IF_CONTEXT, KEELI_IF_SCOPE, default: keeli_events_are_sent_through_a_world_commands_context_or_KEEL_SEND_of_their_type)(scope)
#define KEELI_TO_RECORD(scope) _Generic((scope), KEELI_IF_WORLD, KEELI_IF_COMMANDS, KEELI_IF_SCOPE, default: keeli_this_verb_takes_a_world_or_commands_not_const)(scope)
#define KEELI_TO_READ(scope) _Generic((scope), KEELI_IF_WORLD, KEELI_IF_VIEW, KEELI_IF_CONTEXT, KEELI_IF_SCOPE, KEELI_IF_CONST, default: keeli_this_verb_takes_a_world_view_or_context)(scope)
#define KEELI_TO_OPEN(scope) _Generic((scope), KEELI_IF_WORLD, KEELI_IF_CONTEXT, KEELI_IF_READER, KEELI_IF_SCOPE, default: keeli_loops_are_over_a_world_context_or_reader_not_const)(scope)
#define KEELI_TO_SEE(scope) _Generic((scope), KEELI_IF_WORLD, KEELI_IF_CONTEXT, KEELI_IF_READER, KEELI_IF_SCOPE, KEELI_IF_CONST, const keel_reader *: keeli_const_reader_scope, default: keeli_this_verb_takes_a_world_context_or_reader)(scope)
// Chooses the function for worlds when the compiler sees that the scope is a world; otherwise the
// function that checks the kind of the scope.
#define KEELI_DIRECT(scope, of_world, of_any) _Generic((scope), keel_world *: of_world, const keel_world *: of_world, default: of_any)
#endif
// clang-format on
