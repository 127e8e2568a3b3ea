// SPDX-License-Identifier: MIT
/// @file typed.h
/// The macro layer: typed spellings of the exported functions, and systems, workloads and loops
/// that are written in place. It adds no behaviour of its own, and bindings never need it.
///
///     KEEL_COMPONENT(Position);
///     KEEL_COMPONENT(Velocity);
///
///     KEEL_SYSTEM(move, KEEL_WRITE(Position, p), KEEL_READ(Velocity, v)) {
///         p->x += v->x;
///         p->y += v->y;
///     }
///
///     keel_entity ship = keel_add_entity(world, KEEL_INIT(Position, {1, 2}),
///                                        KEEL_INIT(Velocity, {3, 4}));
///     keel_run(world, move);
///     printf("%g\n", (double)keel_get(world, ship, Position)->x);
///
/// Each kind of thing has a prefix of its own: the component `Position` is the object
/// KEEL_COMPONENT_Position, the unique is KEEL_UNIQUE_Position, the system `move` is
/// KEEL_SYSTEM_move, and so on. The lower-case macros take the name without a prefix. So a misspelt
/// name, or a name of the wrong kind, does not compile, and the compiler prints what is missing:
/// "'KEEL_COMPONENT_Health' undeclared".
///
/// **Scope: ...** in a comment lists the scopes that a verb accepts (scope.h). Results, errors,
/// threads and what is invalidated are those of the function that the verb calls.
///
/// Reading order: descriptors here, typed_verbs.h, typed_terms.h, then systems, workloads and loops
/// here. How the macros work: docs/understand/macros.md.
#pragma once
// clang-format off
#ifndef __GNUC__
#error "keel/keel.h needs gcc, clang or a compiler that works like them: MSVC's cl and tcc do not. keel/core.h, without macros, is plain C11."
#endif
// Errors in user code then point at the user's line only, instead of at every macro inside.
#pragma GCC system_header
#include <keel/custom_view.h>
#include <keel/explain.h>
#include <keel/group.h>
#include <keel/name.h>
#include <keel/parallel.h>
#include <keel/prefab.h>
#include <keel/track.h>
#include <keel/typed_core.h>
#include <keel/typed_cpp.h>
#include <keel/typed_events.h>
#include <keel/typed_field.h>
#include <keel/typed_matrix.h>
#include <keel/typed_relation.h>
#include <keel/typed_state.h>
#include <keel/typed_terms.h>
#include <keel/typed_verbs.h>

// ---------------------------------------------------------------- descriptors
/// Declares the type `T` as a component: `KEEL_COMPONENT(Position);`, `KEEL_COMPONENT(Mesh, .drop = mesh_drop);`. Legal in a .c
/// file, a header, a plug-in, or C++. The options are the members of keel_component.
#define KEEL_COMPONENT(...) KEELI_DESCRIBE(KEEL_COMPONENT_, false, __VA_ARGS__, .line = __LINE__)
/// Declares the type `T` as a unique: `KEEL_UNIQUE(Time);`. It may be a component too.
#define KEEL_UNIQUE(...) KEELI_DESCRIBE(KEEL_UNIQUE_, true, __VA_ARGS__, .line = __LINE__)
/// Declares a component without a value: `KEEL_TAG(Frozen);`, `KEEL_TAG(Burning, .storage = KEEL_ARCHETYPE);`. It declares the
/// type `T`, which has no values; the options are members of keel_component.
#define KEEL_TAG(...) KEELI_TAG(__VA_ARGS__, .line = __LINE__)
#define KEELI_TAG(T, ...) typedef struct T T; KEELI_DESCRIPTOR(, KEEL_COMPONENT_##T, #T, 0, 1, false, __VA_ARGS__) KEELI_FOUND(KEEL_COMPONENT_, T)
/// A list of components, for an option: `KEEL_COMPONENT(Velocity, .required = KEEL_LIST(Position))`.
#ifdef __cplusplus
template <const keel_component *...C> struct keeli_listed { static constexpr const keel_component *list[] = { C... }; };
#define KEEL_LIST(...) (keeli_listed<KEELI_MAP(KEELI_LISTED, ~, __VA_ARGS__) nullptr>::list)
#else
#define KEEL_LIST(...) (const keel_component *const[]){ KEELI_MAP(KEELI_LISTED, ~, __VA_ARGS__) NULL }
#endif
/// The descriptor of a component, for functions that take one.
#define KEEL_OF(T) (&KEEL_COMPONENT_##T)
/// The descriptor of a unique, for functions that take one.
#define KEEL_UNIQUE_OF(T) (&KEEL_UNIQUE_##T)
#define KEELI_DESCRIBE(kind, unique, T, ...) \
    KEELI_TYPE_DESCRIPTOR(kind##T, T, unique, __VA_ARGS__) KEELI_FOUND(kind, T); \
    KEELI_CHECK_OPTIONS(kind, T, __VA_ARGS__)
// The descriptor of a type with values.
#define KEELI_TYPE_DESCRIPTOR(symbol, T, unique, ...) \
    KEELI_PADDING(symbol, T) KEELI_DESCRIPTOR(KEELI_DERIVED(symbol, T), symbol, #T, sizeof(T), KEELI_ALIGNOF(T), unique, __VA_ARGS__)
#ifdef __cplusplus
// The options once more, where `.initial` points to a T.
template <class T> struct keeli_options : keel_component { const T *initial; };
#define KEELI_CHECK_OPTIONS(kind, T, ...) \
    KEELI_UNUSED static constexpr const T *kind##T##_initial = [] { keeli_options<T> keeli_it = {}; KEELI_MAP(KEELI_OPTION, ~, __VA_ARGS__) return keeli_it.initial; }()
// Declares a function for typed_generic.h, which overload resolution finds in the namespace of the type. It is never called.
#define KEELI_FOUND(kind, T) ; KEELI_UNUSED keeli_named<&kind##T> keeli_find_##kind(keeli_type<T>, keeli_named<&kind##T>)
#define KEELI_OPTION(s, i, option) keeli_it option;
#define KEELI_MANY_KEELI_OPTION(s) KEELI_STATIC_ASSERT(0, "too many options")
#define KEELI_DERIVED(symbol, T) keeli_derive<T, keeli_begins_as_default(symbol##_given)>(keeli_it);
#define KEELI_PADDING(symbol, T)
#define KEELI_DESCRIPTOR(derived, symbol, text, bytes, alignment, unique, ...)                      \
    KEELI_UNUSED static uint32_t symbol##_slot;                                                     \
    KEELI_UNUSED static constexpr keel_component symbol##_given = [] {                              \
        keel_component keeli_it = {};                                                               \
        keeli_it.type = text; keeli_it.size = bytes; keeli_it.align = alignment;                    \
        keeli_it.is_unique = unique; keeli_it.file = __FILE__; keeli_it.slot = &symbol##_slot;      \
        KEELI_MAP(KEELI_OPTION, ~, __VA_ARGS__)                                                     \
        return keeli_it;                                                                            \
    }();                                                                                            \
    KEELI_UNUSED static constexpr keel_component symbol = [] {                                      \
        keel_component keeli_it = keeli_with_own_hooks<symbol##_given>();                           \
        derived                                                                                     \
        keeli_it.declared = &symbol;                                                                \
        return keeli_it;                                                                            \
    }()
#else
#define KEELI_FOUND(kind, T)
// A function that clears the padding of a value, for a descriptor, where the compiler knows the padding (gcc 11, clang 20).
#ifdef KEELI_KNOWS_PADDING
#define KEELI_PADDING(symbol, T) KEELI_UNUSED static void symbol##_padding(void *value) { __builtin_clear_padding((T *)value); }
#define KEELI_DERIVED(symbol, T) .clear_padding = symbol##_padding,
#else
#define KEELI_PADDING(symbol, T)
#define KEELI_DERIVED(symbol, T)
#endif
// The members that are options once more, where `.initial` points to a T.
#define KEELI_CHECK_OPTIONS(kind, T, ...)                                                           \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic error \"-Wincompatible-pointer-types\"")  \
    KEELI_STATIC_ASSERT(sizeof((const struct {                                                      \
        const char *name, *type; uint32_t size, align; keel_storage storage; uint32_t tracking;     \
        keel_drop_hook *drop; keel_copy_hook *copy; keel_move_hook *move; keel_hash_hook *hash;     \
        keel_clear_padding *clear_padding;                                                          \
        void *hook_data; bool no_padding, transient; keel_threads threads;                          \
        const keel_field *fields; uint32_t field_count; bool is_unique, is_event, is_relation;      \
        bool is_move_only, exclusive, acyclic, symmetric; keel_on_delete on_delete; uint32_t limit; \
        const T *initial; const keel_component *const *required; const char *saved_as;              \
        uint32_t version;                                                                           \
        keel_migrate_hook *migrate; keel_save_hook *save; keel_load_hook *load;                     \
        int line; const char *file; uint32_t *slot; const keel_component *declared;                 \
    }){ __VA_ARGS__ }) == sizeof(keel_component), "")                                               \
    _Pragma("GCC diagnostic pop") _Static_assert(1, "")
#define KEELI_DESCRIPTOR(derived, symbol, text, bytes, alignment, unique, ...)                               \
    KEELI_UNUSED static uint32_t symbol##_slot;                                                     \
    KEELI_UNUSED static const keel_component symbol = {                                             \
        .type = text, .size = bytes, .align = alignment, .is_unique = unique,                       \
        .file = __FILE__, .slot = &symbol##_slot, .declared = &symbol, derived __VA_ARGS__ }
#endif

/// @cond the components that Keel itself has: those of the hierarchy, and names
KEELI_DESCRIPTOR(, KEEL_COMPONENT_keel_child, "keel_child", 0, 1, false, .storage = KEEL_INDEXED, .is_relation = true, .exclusive = true, .acyclic = true);
KEELI_UNUSED static const keel_component *const KEEL_RELATION_keel_child = &KEEL_COMPONENT_keel_child;
// keel_entities stands for living entities in the verbs that know it: KEEL_OF(keel_entities).
#define KEEL_COMPONENT_keel_entities keel_entities
KEELI_DESCRIPTOR(, KEEL_COMPONENT_keel_name, "keel_name", sizeof(keel_name), KEELI_ALIGNOF(keel_name), false, .storage = KEEL_SPARSE_SET);
/// @endcond

// ---------------------------------------------------------------- systems
#define KEELI_SELF KEELI_UNUSED const keel_chunk *keeli_chunk
#define KEELI_SYSTEM_OBJECT(s, name, object, kind, ...)                                             \
    static const keel_term keeli_terms_##s[] = { KEELI_MAP(KEELI_SYSTEM_TERM, s, __VA_ARGS__) };                 \
    KEELI_DEFINE(keel_system, object, { #name, kind, keeli_run_##s, NULL, keeli_terms_##s, __FILE__, __LINE__, NULL, NULL })
#define KEELI_LOOP_HEAD(s, form, ...)                                                               \
    void keeli_##form##_##s(const keel_chunk *keeli_chunk, keel_context *keeli_context KEELI_MAP(KEELI_BASES, s, __VA_ARGS__)
/// Defines a system that runs once per matching entity:
///
///     KEEL_SYSTEM(move, KEEL_WRITE(Position, p), KEEL_READ(Velocity, v)) {
///         p->x += v->x;
///     }
///
/// `return;` continues with the next entity. A system has up to 16 parameters. `static` before KEEL_SYSTEM, before the other
/// kinds of systems, and before KEEL_WORKLOAD limits the name to this file. In C++ it has no effect, so that C code can use the
/// system.
#define KEEL_SYSTEM(...) KEELI_SYSTEM(__VA_ARGS__, KEELI_END)
#define KEELI_SYSTEM(s, ...)                                                                        \
    KEELI_MAY_BE_STATIC(keel_system, KEEL_SYSTEM_##s);                                              \
    KEELI_MAP(KEELI_CHECK, s, __VA_ARGS__)                                                          \
    KEELI_STATIC_ASSERT((0 KEELI_MAP(KEELI_ABOUT, s, __VA_ARGS__)) > 0,                             \
        #s ": a KEEL_SYSTEM runs once per entity and needs a component or KEEL_ENTITY; use KEEL_SYSTEM_ONCE to run once") \
    KEELI_INLINE void keeli_each_##s(KEELI_SELF KEELI_MAP(KEELI_BODY, s, __VA_ARGS__));                   \
    KEELI_NOINLINE KEELI_LOOP_HEAD(s, span, __VA_ARGS__), KEELI_UNUSED uint32_t keeli_origin, uint32_t keeli_n) { \
        (void)keeli_context;                                                                        \
        KEELI_MAP(KEELI_LOCAL, s, __VA_ARGS__)                                                      \
        for (uint32_t keeli_k = 0; keeli_k < keeli_n KEELI_MAP(KEELI_GOES_ON, s, __VA_ARGS__); ++keeli_k) \
            keeli_each_##s(keeli_chunk KEELI_MAP(KEELI_SIDE, s, __VA_ARGS__));                            \
    }                                                                                               \
    KEELI_INLINE KEELI_LOOP_HEAD(s, word, __VA_ARGS__), KEELI_UNUSED uint32_t keeli_origin, uint64_t keeli_bits) { \
        (void)keeli_context;                                                                        \
        KEELI_MAP(KEELI_LOCAL, s, __VA_ARGS__)                                                      \
        KEELI_TWICE for (; keeli_bits KEELI_MAP(KEELI_GOES_ON, s, __VA_ARGS__); keeli_bits &= keeli_bits - 1) { \
            KEELI_UNUSED const size_t keeli_k = (size_t)__builtin_ctzll(keeli_bits);                \
            keeli_each_##s(keeli_chunk KEELI_MAP(KEELI_SIDE, s, __VA_ARGS__));                            \
        }                                                                                           \
    }                                                                                               \
    KEELI_NOINLINE KEELI_LOOP_HEAD(s, mask, __VA_ARGS__)) {                                         \
        for (uint32_t keeli_w = 0;;) {                                                              \
            uint64_t keeli_bits = keeli_chunk->words[keeli_w / 64];                                 \
            uint32_t keeli_at = 0, keeli_n;                                                         \
            if (keeli_bits && !keeli_has_long_runs(keeli_bits)) keeli_word_##s(keeli_chunk, keeli_context KEELI_MAP(KEELI_SHIFT, s, __VA_ARGS__), keeli_w, keeli_bits); \
            else while ((keeli_n = keeli_next_run(&keeli_bits, &keeli_at)) KEELI_MAP(KEELI_GOES_ON, s, __VA_ARGS__)) { \
                keeli_span_##s(keeli_chunk, keeli_context KEELI_MAP(KEELI_SHIFT, s, __VA_ARGS__), keeli_w + keeli_at, keeli_n); \
                keeli_at += keeli_n;                                                                \
            }                                                                                       \
            if ((keeli_w += 64) >= keeli_chunk->count) break;                                       \
            KEELI_MAP(KEELI_NEXT_WORD, s, __VA_ARGS__)                                              \
        }                                                                                           \
    }                                                                                               \
    KEELI_NOINLINE void keeli_list_##s(const keel_chunk *keeli_chunk, keel_context *keeli_context) {      \
        (void)keeli_context;                                                                        \
        KEELI_MAP(KEELI_LOCAL, s, __VA_ARGS__) KEELI_MAP(KEELI_LISTS, s, __VA_ARGS__)               \
        const uint32_t keeli_n = keeli_chunk->count;                                                \
        KEELI_TWICE for (uint32_t keeli_k = 0; keeli_k < keeli_n KEELI_MAP(KEELI_GOES_ON, s, __VA_ARGS__); ++keeli_k) \
            keeli_each_##s(keeli_chunk KEELI_MAP(KEELI_AT, s, __VA_ARGS__));                              \
    }                                                                                               \
    static void keeli_run_##s(const keel_chunk *keeli_chunk, keel_context *keeli_context) {               \
        KEELI_GUARDED(keeli_context,                                                                \
        if (keeli_chunk->form == KEEL_CHUNK_LIST) keeli_list_##s(keeli_chunk, keeli_context);             \
        else if (keeli_chunk->form == KEEL_CHUNK_SPAN) keeli_span_##s(keeli_chunk, keeli_context KEELI_MAP(KEELI_PASS, s, __VA_ARGS__), 0, keeli_chunk->count); \
        else keeli_mask_##s(keeli_chunk, keeli_context KEELI_MAP(KEELI_PASS, s, __VA_ARGS__));)           \
    }                                                                                               \
    KEELI_SYSTEM_OBJECT(s, s, KEEL_SYSTEM_##s, KEEL_SYSTEM_PER_ENTITY, __VA_ARGS__);                                   \
    KEELI_INLINE void keeli_each_##s(KEELI_SELF KEELI_MAP(KEELI_BODY, s, __VA_ARGS__))
/// Defines a system that runs once per span of entities whose values lie side by side. Values are arrays of KEEL_SPAN_COUNT(n)
/// elements, for hand-written SIMD. They have the alignment of their type, no more. If sparse sets of the system differ in
/// order, spans are short: correct, but slow.
#define KEEL_SYSTEM_SPAN(...) KEELI_SPAN_SYSTEM(__VA_ARGS__, KEELI_END)
#define KEELI_SPAN_SYSTEM(s, ...)                                                                   \
    KEELI_MAY_BE_STATIC(keel_system, KEEL_SYSTEM_##s);                                              \
    KEELI_MAP(KEELI_CHECK, s, __VA_ARGS__)                                                          \
    KEELI_STATIC_ASSERT((0 KEELI_MAP(KEELI_ABOUT, s, __VA_ARGS__)) > 0,                             \
        #s ": a KEEL_SYSTEM_SPAN runs once per span and needs a component or KEEL_SPAN_ENTITIES; use KEEL_SYSTEM_ONCE to run once") \
    KEELI_STATIC_ASSERT((0 KEELI_MAP(KEELI_WORLDS, s, __VA_ARGS__)) == 0,                           \
        #s ": KEEL_WORLD is for KEEL_SYSTEM_ONCE; a KEEL_SYSTEM_SPAN takes KEEL_CONTEXT(name)")            \
    KEELI_WHOLE_SYSTEM(s, void, keeli_values_##s(keeli_chunk KEELI_MAP(KEELI_WHOLE, s, __VA_ARGS__)), keeli_values_##s, __VA_ARGS__) \
    KEELI_SYSTEM_OBJECT(s, s, KEEL_SYSTEM_##s, KEEL_SYSTEM_PER_SPAN, __VA_ARGS__);                                     \
    static inline void keeli_values_##s(KEELI_SELF KEELI_MAP(KEELI_BODY, s, __VA_ARGS__))
#define KEELI_WHOLE_SYSTEM(s, result, call, body, ...)                                              \
    static inline result body(KEELI_SELF KEELI_MAP(KEELI_BODY, s, __VA_ARGS__));                    \
    static void keeli_run_##s(const keel_chunk *keeli_chunk, keel_context *keeli_context) {               \
        (void)keeli_context;                                                                        \
        KEELI_GUARDED(keeli_context, call;)                                                         \
    }
/// Defines a system that runs once per run: its parameters are uniques, commands, and a context for look-ups and loops. It
/// declares its access with KEEL_MAY_READ, KEEL_MAY_WRITE and KEEL_MAY_EDIT.
#define KEEL_SYSTEM_ONCE(...) KEELI_TASK(__VA_ARGS__, KEELI_END)
#define KEELI_TASK(s, ...)                                                                          \
    KEELI_MAY_BE_STATIC(keel_system, KEEL_SYSTEM_##s);                                              \
    KEELI_MAP(KEELI_CHECK, s, __VA_ARGS__)                                                          \
    KEELI_STATIC_ASSERT((0 KEELI_MAP(KEELI_ABOUT, s, __VA_ARGS__)) == 0,                            \
        #s ": a KEEL_SYSTEM_ONCE runs once and has no current entity; declare KEEL_MAY_READ(T) or KEEL_MAY_WRITE(T) and loop with KEEL_EACH") \
    KEELI_WHOLE_SYSTEM(s, void, keeli_once_##s(keeli_chunk KEELI_MAP(KEELI_WHOLE, s, __VA_ARGS__)), keeli_once_##s, __VA_ARGS__) \
    KEELI_SYSTEM_OBJECT(s, s, KEEL_SYSTEM_##s, KEEL_SYSTEM_PER_RUN, __VA_ARGS__);                                      \
    static inline void keeli_once_##s(KEELI_SELF KEELI_MAP(KEELI_BODY, s, __VA_ARGS__))
/// Defines a condition, for `.run_if = KEEL_IF(name)`. The body returns bool. Parameters as for KEEL_SYSTEM_ONCE.
#define KEEL_CONDITION(...) KEELI_CONDITION(__VA_ARGS__, KEELI_END)
#define KEELI_CONDITION(name, ...) KEELI_CONDITION_NAMED(name, name##_as_condition, __VA_ARGS__)
// The generated functions have a name of their own, because there may be a system with the same name as the condition.
#define KEELI_CONDITION_NAMED(name, s, ...)                                                         \
    KEELI_MAY_BE_STATIC(keel_system, KEEL_CONDITION_##name);                                        \
    KEELI_MAP(KEELI_CHECK, s, __VA_ARGS__)                                                          \
    KEELI_STATIC_ASSERT((0 KEELI_MAP(KEELI_ABOUT, s, __VA_ARGS__)) == 0,                            \
        #name ": a KEEL_CONDITION runs once and has no current entity; declare KEEL_MAY_READ(T) and loop with KEEL_EACH") \
    KEELI_WHOLE_SYSTEM(s, bool, keel_answer(keeli_context, keeli_test_##s(keeli_chunk KEELI_MAP(KEELI_WHOLE, s, __VA_ARGS__))), keeli_test_##s, __VA_ARGS__) \
    KEELI_SYSTEM_OBJECT(s, name, KEEL_CONDITION_##name, KEEL_SYSTEM_IS_CONDITION, __VA_ARGS__);                              \
    static inline bool keeli_test_##s(KEELI_SELF KEELI_MAP(KEELI_BODY, s, __VA_ARGS__))
/// Declares a system that another file defines.
#define KEEL_SYSTEM_DECLARE(s) KEELI_DECLARE(keel_system, KEEL_SYSTEM_##s)
/// Declares a condition that another file defines.
#define KEEL_CONDITION_DECLARE(s) KEELI_DECLARE(keel_system, KEEL_CONDITION_##s)
// The options of a run, which follow the name of the system or workload, as a keel_run_desc; NULL if there are none.
#define KEELI_RUN_OPTIONS(...) KEELI_CAT(KEELI_RUN_OPTIONS_, KEELI_OVER_1(__VA_ARGS__))(__VA_ARGS__)
#define KEELI_RUN_OPTIONS_keeli_one(x) NULL
#ifdef __cplusplus
struct keeli_run_desc { keel_run_desc desc; operator const keel_run_desc *() const { return &desc; } };
#define KEELI_RUN_OPTIONS_keeli_more(x, ...) [&] { keel_run_desc keeli_it = {}; KEELI_MAP(KEELI_OPTION, ~, __VA_ARGS__) return keeli_run_desc{ keeli_it }; }()
#else
#define KEELI_RUN_OPTIONS_keeli_more(x, ...) &(keel_run_desc){ __VA_ARGS__ }
#endif
#define KEELI_SYSTEM_AT(s, ...) (&KEEL_SYSTEM_##s)
#define KEELI_WORKLOAD_AT(w, ...) (&KEEL_WORKLOAD_##w)
/// Runs one system now: `keel_run(world, move)`, `keel_run(world, move, .parallel = true)`. The options are members of
/// keel_run_desc. See keel_run_system.
#define keel_run(world, ...) keel_run_system((world), KEELI_SYSTEM_AT(__VA_ARGS__, ~), KEELI_RUN_OPTIONS(__VA_ARGS__))
/// Runs one system now, split over the workers.
#define keel_run_parallel(world, s) keel_run(world, s, .parallel = true)
/// Runs one system now, and passes `data`, a pointer to the struct that its KEEL_DATA declares.
#define keel_run_with(world, s, data) keel_run(world, s, KEELI_RUN_DATA(data))
#define KEELI_RUN_DATA(pointer) .data = (pointer), .data_size = sizeof *(pointer)

// ---------------------------------------------------------------- custom views
/// Declares the struct `T` as a custom view: its access (KEEL_MAY_READ, KEEL_UNIQUE_WRITE, ...), views inside it (KEEL_VIEW),
/// and code: `KEEL_CUSTOM_VIEW(Frame, KEEL_UNIQUE_READ(Time, time), KEEL_VIEW(all, KEEL_READ(Position, p)), .init = frame_init,
/// .drop = frame_drop);`. A parameter with a name is a member of `T` of that name, which is filled in: `const Time *time`,
/// `keel_view all`. Up to 16 parameters and options in all; legal wherever KEEL_COMPONENT is. See custom_view.h.
#define KEEL_CUSTOM_VIEW(...) KEELI_CUSTOM_VIEW(__VA_ARGS__, KEELI_END)
#define KEELI_CUSTOM_VIEW(T, ...)                                                                   \
    KEELI_MAP(KEELI_MEMBER, T, __VA_ARGS__)                                                         \
    KEELI_UNUSED static const keel_term keeli_view_terms_##T[] = { KEELI_MAP(KEELI_DECLARED, T, __VA_ARGS__) }; \
    KEELI_UNUSED static keel_result keeli_view_fill_##T(void *keeli_value, keel_context *keeli_context) { \
        T *keeli_self = KEELI_CAST(T, keeli_value);                                                 \
        (void)keeli_self; (void)keeli_context;                                                      \
        KEELI_MAP(KEELI_FILL, T, __VA_ARGS__)                                                       \
        return KEEL_OK;                                                                             \
    }                                                                                               \
    KEELI_CUSTOM_OBJECT(T, __VA_ARGS__)
/// The descriptor of a custom view, for functions that take one.
#define KEEL_CUSTOM_OF(T) (&KEEL_CUSTOM_VIEW_##T)
/// Makes a custom view in ordinary code: `Frame frame; keel_custom_begin(world, Frame, &frame)`. Scope: world, context.
#define keel_custom_begin(scope, T, value) keel_begin_custom_view((scope), &KEEL_CUSTOM_VIEW_##T, KEELI_FILLS(T, value))
/// Drops a custom view, with the scope that began it: `keel_custom_end(world, &frame)`.
#define keel_custom_end(scope, value) keel_end_custom_view((scope), (value))
#ifdef __cplusplus
#define KEELI_CUSTOM_OBJECT(T, ...)                                                                 \
    KEELI_UNUSED static const keel_custom_view KEEL_CUSTOM_VIEW_##T##_given = [] {                              \
        keel_custom_view keeli_it = {};                                                             \
        keeli_it.name = #T; keeli_it.size = sizeof(T); keeli_it.align = KEELI_ALIGNOF(T);           \
        keeli_it.terms = keeli_view_terms_##T; keeli_it.fill = keeli_view_fill_##T;                             \
        keeli_it.file = __FILE__; keeli_it.line = __LINE__;                                         \
        KEELI_MAP(KEELI_CHOICE, ~, __VA_ARGS__)                                                     \
        return keeli_it;                                                                            \
    }();                                                                                            \
    KEELI_UNUSED static const keel_custom_view KEEL_CUSTOM_VIEW_##T = keeli_with_own_functions<KEEL_CUSTOM_VIEW_##T##_given>()
#define KEELI_CHOICE_0(x) keeli_it x;
#define KEELI_SAME_TYPE(CT, member) static_cast<keeli_same<CT>::type *>(&keeli_self->member)
#else
#define KEELI_CUSTOM_OBJECT(T, ...)                                                                 \
    KEELI_UNUSED static const keel_custom_view KEEL_CUSTOM_VIEW_##T = {                                         \
        .name = #T, .size = sizeof(T), .align = KEELI_ALIGNOF(T), .terms = keeli_view_terms_##T,          \
        .fill = keeli_view_fill_##T, .file = __FILE__, .line = __LINE__,                                  \
        KEELI_MAP(KEELI_CHOICE, ~, __VA_ARGS__) }
#define KEELI_CHOICE_0(x) x,
#define KEELI_SAME_TYPE(CT, member) _Generic(&keeli_self->member, CT *: &keeli_self->member)
#endif
// An argument that is no tuple is an option.
#define KEELI_CHOICE(s, i, x) KEELI_CAT(KEELI_CHOICE_, KEELI_IS_TUPLE(x))(x)
#define KEELI_CHOICE_1(x)
#define KEELI_MANY_KEELI_CHOICE(s)
// The role of a parameter in a custom view, by its class.
#define KEELI_ROLE_keeli_value keeli_loose
#define KEELI_ROLE_keeli_marked keeli_loose
#define KEELI_ROLE_keeli_maybe keeli_loose
#define KEELI_ROLE_keeli_filter keeli_loose
#define KEELI_ROLE_keeli_entity keeli_loose
#define KEELI_ROLE_keeli_entities keeli_loose
#define KEELI_ROLE_keeli_count keeli_loose
#define KEELI_ROLE_keeli_access keeli_access
#define KEELI_ROLE_keeli_unique keeli_unique
#define KEELI_ROLE_keeli_custom keeli_custom
#define KEELI_ROLE_keeli_view keeli_view
#define KEELI_ROLE_keeli_data keeli_system
#define KEELI_ROLE_keeli_commands keeli_system
#define KEELI_ROLE_keeli_context keeli_system
#define KEELI_ROLE_keeli_world keeli_world
#define KEELI_ROLE_keeli_bad keeli_option
#define KEELI_ROLE_keeli_end keeli_end
#define KEELI_AS(prefix, s, i, x) KEELI_APPLY(KEELI_CAT(prefix, KEELI_CAT(KEELI_ROLE_, KEELI_CLASS(x))), s, i, KEELI_PARTS(x))
#define KEELI_MEMBER(s, i, x) KEELI_AS(KEELI_MEMBER_, s, i, x)
#define KEELI_MEMBER_keeli_loose(s, i, ...) KEELI_STATIC_ASSERT(0, #s ": a custom view has no current entity; put KEEL_READ(T, name) and the like into KEEL_VIEW(member, ...), or declare KEEL_MAY_READ(T)")
#define KEELI_MEMBER_keeli_system(s, i, ...) KEELI_STATIC_ASSERT(0, #s ": commands, context and data are parameters of systems; init and drop get a context")
#define KEELI_MEMBER_keeli_access(s, i, ...)
#define KEELI_MEMBER_keeli_unique(s, i, ...)
#define KEELI_MEMBER_keeli_custom(s, i, ...)
#define KEELI_MEMBER_keeli_view(s, i, ...)
#define KEELI_MEMBER_keeli_world(s, i, ...)
#define KEELI_MEMBER_keeli_option(s, i, ...)
#define KEELI_MEMBER_keeli_end(s, i, ...)
#define KEELI_MANY_KEELI_MEMBER(s) KEELI_STATIC_ASSERT(0, #s ": a custom view takes at most 16 parameters and options")
// The terms of a custom view; terms of views inside it are added as they are.
#define KEELI_DECLARED(s, i, x) KEELI_AS(KEELI_DECLARED_, s, i, x)
#define KEELI_DECLARED_keeli_loose(s, i, ...)
#define KEELI_DECLARED_keeli_system(s, i, ...)
#define KEELI_DECLARED_keeli_access(s, i, ...) KEELI_TERM_(__VA_ARGS__)
#define KEELI_DECLARED_keeli_unique(s, i, ...) KEELI_TERM_(__VA_ARGS__)
#define KEELI_DECLARED_keeli_custom(s, i, ...) KEELI_TERM_(__VA_ARGS__)
#define KEELI_DECLARED_keeli_world(s, i, ...) KEELI_TERM_(__VA_ARGS__)
#define KEELI_DECLARED_keeli_view(s, i, c, k, CT, n, component, others, terms) KEELI_UNWRAP terms
#define KEELI_DECLARED_keeli_option(s, i, ...)
#define KEELI_DECLARED_keeli_end(s, i, ...) KEELI_TERM_(__VA_ARGS__)
#define KEELI_MANY_KEELI_DECLARED(s) { KEEL_TERM_END, 0, NULL, NULL, NULL, NULL }
// Fills in the members of a custom view.
#define KEELI_FILL(s, i, x) KEELI_AS(KEELI_FILL_, s, i, x)
#define KEELI_FILL_keeli_loose(s, i, ...)
#define KEELI_FILL_keeli_system(s, i, ...)
#define KEELI_FILL_keeli_access(s, i, ...)
#define KEELI_FILL_keeli_unique(s, i, c, k, CT, n, component, ...) *KEELI_SAME_TYPE(CT *, n) = KEELI_CAST(CT, KEELI_CAT(KEELI_GET_, k)(keeli_context, component));
#define KEELI_FILL_keeli_custom(s, i, c, k, CT, n, component, others, kind) KEEL_TRY(keel_begin_custom_view(keeli_context, kind, KEELI_SAME_TYPE(CT, n)));
#define KEELI_FILL_keeli_view(s, i, c, k, CT, n, component, others, terms) KEEL_TRY(keel_view_begin(KEELI_SAME_TYPE(keel_view, n), keeli_context, KEELI_TERMS_IN terms, #s "." #n));
#define KEELI_FILL_keeli_world(s, i, c, k, CT, n, ...) *KEELI_SAME_TYPE(keel_world *, n) = keel_context_world(keeli_context);
#define KEELI_FILL_keeli_option(s, i, ...)
#define KEELI_FILL_keeli_end(s, i, ...)
#define KEELI_MANY_KEELI_FILL(s)
#define KEELI_GET_KEEL_TERM_UNIQUE_READ keel_get_unique_value
#define KEELI_GET_KEEL_TERM_UNIQUE_WRITE keel_get_unique_value_mut
#ifdef __cplusplus
#define KEELI_TERMS_IN(...) keeli_terms_of({ __VA_ARGS__ { KEEL_TERM_END, 0, NULL, NULL, NULL, NULL } })
#else
#define KEELI_TERMS_IN(...) (const keel_term[]){ __VA_ARGS__ { KEEL_TERM_END, 0, NULL, NULL, NULL, NULL } }
#endif

// ---------------------------------------------------------------- workloads
/// A step that runs a system: `KEEL_STEP(move)`, `KEEL_STEP(move, .run_if = KEEL_IF(playing))`.
#define KEEL_STEP(...) KEELI_STEP(__VA_ARGS__, .line = __LINE__)
/// A step that runs another workload: `KEEL_NESTED(physics)`, with the options of KEEL_STEP.
#define KEEL_NESTED(...) KEELI_NESTED(__VA_ARGS__, .line = __LINE__)
/// Returns a condition, for `.run_if`.
#define KEEL_IF(condition) (&KEEL_CONDITION_##condition)
#ifdef __cplusplus
#define KEELI_STEP(s, ...) [] { keel_step keeli_it = {}; keeli_it.system = &KEEL_SYSTEM_##s; KEELI_MAP(KEELI_OPTION, ~, __VA_ARGS__) return keeli_it; }()
#define KEELI_NESTED(w, ...) [] { keel_step keeli_it = {}; keeli_it.workload = &KEEL_WORKLOAD_##w; KEELI_MAP(KEELI_OPTION, ~, __VA_ARGS__) return keeli_it; }()
#define KEELI_BARRIER [] { keel_step keeli_it = {}; keeli_it.barrier = true; keeli_it.line = __LINE__; return keeli_it; }()
inline keel_result keeli_add_step(keel_world *world, const char *workload, const keel_step &step) { return keel_world_add_step(world, workload, &step); }
#define keel_add_step(world, workload, ...) keeli_add_step((world), (workload), __VA_ARGS__)
#else
#define KEELI_STEP(s, ...) { .system = &KEEL_SYSTEM_##s, __VA_ARGS__ }
#define KEELI_BARRIER { .barrier = true, .line = __LINE__ }
#define KEELI_NESTED(w, ...) { .workload = &KEEL_WORKLOAD_##w, __VA_ARGS__ }
/// Appends a step to a stored workload: `keel_add_step(world, "frame", KEEL_STEP(move))`. See keel_world_add_step.
#define keel_add_step(world, workload, ...) keel_world_add_step((world), (workload), &(keel_step)__VA_ARGS__)
#endif
// Finds a step that is only the name of a system: its text begins with a letter, that of a correct step with a bracket.
#define KEELI_IS_WORD(text) (KEELI_IS_FROM_TO("a", "z", text) || KEELI_IS_FROM_TO("A", "Z", text))
#define KEELI_IS_FROM_TO(first, last, text) (__builtin_strncmp(text, first, 1) >= 0 && __builtin_strncmp(text, last, 1) <= 0)
/// Defines a workload: `KEEL_WORKLOAD(frame, KEEL_STEP(move), KEEL_NESTED(render));`.
#define KEEL_WORKLOAD(w, ...)                                                                       \
    KEELI_MAY_BE_STATIC(keel_workload, KEEL_WORKLOAD_##w);                                          \
    KEELI_STATIC_ASSERT(!KEELI_IS_WORD(KEELI_TEXT(KEELI_FIRST(__VA_ARGS__, ~))), #w ": a step that runs a system is KEEL_STEP(system): " KEELI_TEXT(KEELI_FIRST(__VA_ARGS__, ~))) \
    static const keel_step keeli_steps_##w[] = { __VA_ARGS__ };                                           \
    static uint64_t keeli_stamp_##w;                                                                      \
    KEELI_DEFINE(keel_workload, KEEL_WORKLOAD_##w, { #w, keeli_steps_##w, sizeof keeli_steps_##w / sizeof keeli_steps_##w[0], &keeli_stamp_##w })
/// A barrier between steps: the steps before it in the list end before the steps after it begin.
#define KEEL_BARRIER KEELI_BARRIER
/// Declares a workload that another file defines.
#define KEEL_WORKLOAD_DECLARE(w) KEELI_DECLARE(keel_workload, KEEL_WORKLOAD_##w)
/// The descriptor of a workload, for functions and options that take one: `.step = KEEL_WORKLOAD_OF(frame)`.
#define KEEL_WORKLOAD_OF(w) (&KEEL_WORKLOAD_##w)
/// Runs a workload now: `keel_run_workload(world, frame)`. The options are members of keel_run_desc. See keel_run_workload_of.
#define keel_run_workload(world, ...) keel_run_workload_of((world), KEELI_WORKLOAD_AT(__VA_ARGS__, ~), KEELI_RUN_OPTIONS(__VA_ARGS__))
/// Runs a workload now, and passes `data` to all its systems and conditions that declare KEEL_DATA.
#define keel_run_workload_with(world, w, data) keel_run_workload(world, w, KEELI_RUN_DATA(data))
/// Runs a stored workload: `keel_run_named(world, "frame")`, with options as for keel_run_workload. See keel_run_stored.
#define keel_run_named(world, ...) keel_run_stored((world), KEELI_FIRST(__VA_ARGS__, ~), KEELI_RUN_OPTIONS(__VA_ARGS__))
/// Runs the default workload, with options as for keel_run_workload. See keel_run_stored.
#define keel_run_default(...) keel_run_stored(KEELI_FIRST(__VA_ARGS__, ~), KEEL_DEFAULT_WORKLOAD, KEELI_RUN_OPTIONS(__VA_ARGS__))
/// Returns the parts of a workload and their batches. See keel_world_workload_nodes.
#define keel_workload_nodes(world, w, nodes, capacity) keel_world_workload_nodes((world), &KEEL_WORKLOAD_##w, (nodes), (capacity))
/// Returns the edges of the graph of a workload. See keel_world_workload_edges.
#define keel_workload_edges(world, w, edges, capacity) keel_world_workload_edges((world), &KEEL_WORKLOAD_##w, (edges), (capacity))
/// Writes the plan of a workload as text, a drawing, or JSON. See keel_world_explain_workload.
#define keel_explain_workload(world, w, format, text, size) keel_world_explain_workload((world), &KEEL_WORKLOAD_##w, (format), (text), (size))
/// Stores a workload in the world, to run it by name. See keel_world_add_workload.
#define keel_add_workload(world, w) keel_world_add_workload((world), &KEEL_WORKLOAD_##w)

// ---------------------------------------------------------------- loops
/// Terms for keel_view_begin: `keel_view_begin(&view, world, KEEL_TERMS(KEEL_READ(Position, p), KEEL_MAY_EDIT(Dead)), "my
/// view")`. The names of the parameters have no effect. KEEL_MAY_EDIT_ENTITIES and KEEL_MAY_EDIT_WORLD only exist here.
#ifdef __cplusplus
template <size_t N> inline const keel_term *keeli_terms_of(const keel_term (&terms)[N]) { return terms; }
#define KEEL_TERMS(...) keeli_terms_of({ KEELI_MAP(KEELI_TERM, ~, __VA_ARGS__, KEELI_END) })
#else
#define KEEL_TERMS(...) ((const keel_term[]){ KEELI_MAP(KEELI_TERM, ~, __VA_ARGS__, KEELI_END) })
#endif
/// Access of a view: entities may be created through it.
#define KEEL_MAY_EDIT_ENTITIES (keeli_access, KEEL_TERM_MAY_EDIT_ENTITIES, void, , NULL, NULL, ~)
/// Access of a view: it has the whole world alone, and may delete entities.
#define KEEL_MAY_EDIT_WORLD (keeli_access, KEEL_TERM_MAY_EDIT_WORLD, void, , NULL, NULL, ~)

/// Loops over entities inside ordinary code:
///
///     KEEL_EACH(world, KEEL_WRITE(Position, p), KEEL_READ(Velocity, v), KEEL_ENTITY(e)) {
///         p->x += v->x;
///     }
///
/// The scope is the world or, in a system, the context; or a keel_reader, for the changes since the last keel_reader_advance.
/// The view is closed when the loop is left in any way: at its end, by break, return or goto. The loop costs a few instructions
/// more per entity than a KEEL_SYSTEM. If the view cannot be opened, the loop does nothing, and keel_last_error says why. Edits
/// of components that the loop uses are refused inside it: record commands (commands.h).
#define KEEL_EACH(...) KEELI_EACH(KEELI_CAT(keeli_each_, __COUNTER__), false, KEELI_ONE, __VA_ARGS__, KEELI_END)
/// Loops over spans of entities whose values lie side by side: `KEEL_EACH_SPAN(world, KEEL_SPAN_COUNT(n), KEEL_READ(Position,
/// p)) for (uint32_t i = 0; i < n; ++i) ...`. Scope and end as for KEEL_EACH.
#define KEEL_EACH_SPAN(...) KEELI_EACH(KEELI_CAT(keeli_each_, __COUNTER__), true, KEELI_ALL, __VA_ARGS__, KEELI_END)
static inline keeli_cursor keeli_cursor_of(keel_scope *s, const keel_term *terms, bool spans, const char *where) { keeli_cursor it; keeli_cursor_begin(&it, s, terms, spans, where); return it; }
#ifdef __cplusplus
#define KEELI_CURSOR(it, scope, spans, ...) keeli_cursor_of(KEELI_TO_OPEN(scope), keeli_terms_of({ KEELI_MAP(KEELI_TERM, it, __VA_ARGS__) }), spans, KEELI_HERE)
#else
#define KEELI_CURSOR(it, scope, spans, ...) keeli_cursor_of(KEELI_TO_OPEN(scope), (const keel_term[]){ KEELI_MAP(KEELI_TERM, it, __VA_ARGS__) }, spans, KEELI_HERE)
#endif
// Each parameter is a nested loop that runs once; the innermost loop records in `whole` that the body ran to its end.
#define KEELI_EACH(it, spans, parameter, scope, ...)                                                \
    for (keeli_cursor it __attribute__((cleanup(keeli_cursor_end))) = KEELI_CURSOR(it, scope, spans, __VA_ARGS__); keeli_cursor_next(&it);) \
        KEELI_MAP(parameter, it, __VA_ARGS__)
#define KEELI_ONE(it, i, x) KEELI_PART(KEELI_ONE_, it, i, x)
#define KEELI_MANY_KEELI_ONE(it) for (; KEELI_NEVER("a loop takes at most 16 parameters");)
#define KEELI_ONE_keeli_value(it, i, c, k, CT, n, ...) for (CT *n = KEELI_CAST(CT, keeli_cursor_at(&it, i, sizeof(CT))); keeli_cursor_enter(&it, 2 * i + 1);)
#define KEELI_ONE_keeli_marked(it, i, c, k, CT, n, component, others, T, changed) for (CT *n = KEELI_CAST(CT, keeli_cursor_at(&it, i, sizeof(CT))); keeli_cursor_enter(&it, 2 * i + 1);) for (bool *changed = it.chunk->columns[i].marked + it.position; keeli_cursor_enter(&it, 2 * i + 2);)
#define KEELI_ONE_keeli_maybe(it, i, c, k, CT, n, ...) for (CT *n = KEELI_CAST(CT, keeli_cursor_at(&it, i, sizeof(CT))); keeli_cursor_enter(&it, 2 * i + 1);)
#define KEELI_ONE_keeli_entity(it, i, c, k, CT, n, ...) for (const keel_entity n = it.chunk->entities[it.position]; keeli_cursor_enter(&it, 2 * i + 1);)
#define KEELI_ONE_keeli_filter(it, i, ...)
#define KEELI_ONE_keeli_among(it, i, ...)
#define KEELI_ONE_keeli_backwards(it, i, ...)
#define KEELI_ONE_keeli_end(it, i, ...) for (; keeli_cursor_enter(&it, 99); it.whole = true)
#define KEELI_ONE_keeli_bad(it, i, c, k, CT, n, component, others, x) for (; KEELI_NEVER("parameter " #i " is not a KEEL_READ(T, name), KEEL_WRITE(T, name), KEEL_WITH(T), ...: " #x);)
#define KEELI_ONE_keeli_entities(it, i, ...) for (; KEELI_NEVER("KEEL_SPAN_ENTITIES is for KEEL_EACH_SPAN; KEEL_EACH takes KEEL_ENTITY(name)");)
#define KEELI_ONE_keeli_count(it, i, ...) for (; KEELI_NEVER("KEEL_SPAN_COUNT is for KEEL_EACH_SPAN; KEEL_EACH runs for one entity");)
#define KEELI_NOT_IN_A_LOOP for (; KEELI_NEVER("a loop takes components and entities; uniques, commands and the like are for systems");)
#define KEELI_ONE_keeli_unique(it, i, ...) KEELI_NOT_IN_A_LOOP
#define KEELI_ONE_keeli_data(it, i, ...) KEELI_NOT_IN_A_LOOP
#define KEELI_ONE_keeli_custom(it, i, ...) KEELI_NOT_IN_A_LOOP
#define KEELI_ONE_keeli_view(it, i, ...) KEELI_NOT_IN_A_LOOP
#define KEELI_ONE_keeli_commands(it, i, ...) KEELI_NOT_IN_A_LOOP
#define KEELI_ONE_keeli_context(it, i, ...) KEELI_NOT_IN_A_LOOP
#define KEELI_ONE_keeli_world(it, i, ...) KEELI_NOT_IN_A_LOOP
#define KEELI_ONE_keeli_access(it, i, ...) KEELI_NOT_IN_A_LOOP
#define KEELI_ALL(it, i, x) KEELI_PART(KEELI_ALL_, it, i, x)
#define KEELI_MANY_KEELI_ALL(it) KEELI_MANY_KEELI_ONE(it)
#define KEELI_ALL_keeli_value(it, i, c, k, CT, n, ...) for (CT *KEELI_RESTRICT n = KEELI_CAST(CT, it.chunk->columns[i].base); keeli_cursor_enter(&it, 2 * i + 1);)
#define KEELI_ALL_keeli_marked(it, i, c, k, CT, n, component, others, T, changed) for (CT *KEELI_RESTRICT n = KEELI_CAST(CT, it.chunk->columns[i].base); keeli_cursor_enter(&it, 2 * i + 1);) for (bool *changed = it.chunk->columns[i].marked; keeli_cursor_enter(&it, 2 * i + 2);)
#define KEELI_ALL_keeli_maybe(it, i, c, k, CT, n, ...) for (CT *KEELI_RESTRICT n = KEELI_CAST(CT, it.chunk->columns[i].base); keeli_cursor_enter(&it, 2 * i + 1);)
#define KEELI_ALL_keeli_entities(it, i, c, k, CT, n, ...) for (const keel_entity *n = it.chunk->entities; keeli_cursor_enter(&it, 2 * i + 1);)
#define KEELI_ALL_keeli_count(it, i, c, k, CT, n, ...) for (const uint32_t n = it.chunk->count; keeli_cursor_enter(&it, 2 * i + 1);)
#define KEELI_ALL_keeli_filter(it, i, ...)
#define KEELI_ALL_keeli_among(it, i, ...)
#define KEELI_ALL_keeli_backwards(it, i, ...)
#define KEELI_ALL_keeli_end(it, i, ...) for (; keeli_cursor_enter(&it, 99); it.whole = true)
#define KEELI_ALL_keeli_bad(it, i, c, k, CT, n, component, others, x) for (; KEELI_NEVER("parameter " #i " is not a KEEL_READ(T, name), KEEL_WRITE(T, name), KEEL_WITH(T), ...: " #x);)
#define KEELI_ALL_keeli_entity(it, i, ...) for (; KEELI_NEVER("KEEL_ENTITY is for KEEL_EACH; KEEL_EACH_SPAN takes KEEL_SPAN_ENTITIES(name)");)
#define KEELI_ALL_keeli_unique(it, i, ...) KEELI_NOT_IN_A_LOOP
#define KEELI_ALL_keeli_data(it, i, ...) KEELI_NOT_IN_A_LOOP
#define KEELI_ALL_keeli_custom(it, i, ...) KEELI_NOT_IN_A_LOOP
#define KEELI_ALL_keeli_view(it, i, ...) KEELI_NOT_IN_A_LOOP
#define KEELI_ALL_keeli_commands(it, i, ...) KEELI_NOT_IN_A_LOOP
#define KEELI_ALL_keeli_context(it, i, ...) KEELI_NOT_IN_A_LOOP
#define KEELI_ALL_keeli_world(it, i, ...) KEELI_NOT_IN_A_LOOP
#define KEELI_ALL_keeli_access(it, i, ...) KEELI_NOT_IN_A_LOOP

// Loops over the hierarchy.
/// Loops over all children of `of`, in order: `KEEL_EACH_CHILD(world, tank, turret) { ... }`. The body may delete or detach the
/// current child; it must not edit other children. Scope: world, context.
#define KEEL_EACH_CHILD(scope, of, child) KEELI_CHILDREN(KEELI_CAT(keeli_walk_, __COUNTER__), scope, of, child)
#define KEELI_CHILDREN(walk, scope, of, child)                                                \
    for (keeli_walk walk = keeli_walk_begin(KEELI_TO_READ(scope), (of)); walk.tree; walk.tree = NULL)             \
        for (keel_entity child = keeli_walk_child(&walk); !keel_is_null(child); child = keeli_walk_child(&walk))
/// Loops over all ancestors of `of`, nearest first. Scope: world, context.
#define KEEL_EACH_ANCESTOR(scope, of, ancestor) KEELI_ANCESTORS(KEELI_CAT(keeli_next_, __COUNTER__), scope, of, ancestor)
#define KEELI_ANCESTORS(following, scope, of, ancestor)                                             \
    for (keel_entity ancestor = keel_parent_of((scope), (of)), following = keel_parent_of((scope), ancestor); \
         !keel_is_null(ancestor); ancestor = following, following = keel_parent_of((scope), ancestor))
/// Loops over all descendants of `of`, each before its children, siblings in order. The body must not change the hierarchy.
/// Scope: world, context.
#define KEEL_EACH_DESCENDANT(scope, of, descendant) KEELI_DESCENDANTS(KEELI_CAT(keeli_walk_, __COUNTER__), scope, of, descendant)
#define KEELI_DESCENDANTS(walk, scope, of, descendant)                                        \
    for (keeli_walk walk = keeli_walk_begin(KEELI_TO_READ(scope), (of)); walk.tree; walk.tree = NULL)             \
        for (keel_entity descendant = walk.at; !keel_is_null(descendant); descendant = keeli_walk_descendant(&walk))
/// Loops over all descendants of `of`, level by level. The body must not change the hierarchy. Scope: world, context.
#define KEEL_EACH_DESCENDANT_BREADTH(scope, of, descendant) KEELI_BREADTH(KEELI_CAT(keeli_of_, __COUNTER__), scope, of, descendant)
#define KEELI_BREADTH(root, scope, of, descendant)                                                  \
    for (keel_entity root = (of), descendant = keel_next_descendant((scope), root, root, KEEL_BREADTH_FIRST); \
         !keel_is_null(descendant); descendant = keel_next_descendant((scope), root, descendant, KEEL_BREADTH_FIRST))
// clang-format on
