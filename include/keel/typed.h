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
/// KEEL_SYSTEM_move, and so on. The lower-case macros take the bare word. So a misspelt name, or a
/// name of the wrong kind, does not compile, and the compiler prints what is missing:
/// "'KEEL_COMPONENT_Health' undeclared".
///
/// **Scope: ...** in a comment lists the scopes that a verb accepts (scope.h). Results, errors,
/// threads and what is invalidated are those of the function that the verb calls.
///
/// Reading order: descriptors, values, verbs, terms and parameters, systems, workloads, loops. How
/// the macros work: docs/macros.md.
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
#include <keel/typed_relation.h>
#include <keel/typed_state.h>

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
    KEELI_DESCRIPTOR(KEELI_DERIVED(T), kind##T, #T, sizeof(T), KEELI_ALIGNOF(T), unique, __VA_ARGS__) KEELI_FOUND(kind, T); \
    KEELI_CHECK_OPTIONS(kind, T, __VA_ARGS__)
#ifdef __cplusplus
// The options once more, where `.initial` points to a T.
template <class T> struct keeli_options : keel_component { const T *initial; };
#define KEELI_CHECK_OPTIONS(kind, T, ...) \
    KEELI_UNUSED static constexpr const T *kind##T##_initial = [] { keeli_options<T> keeli_it = {}; KEELI_MAP(KEELI_OPTION, ~, __VA_ARGS__) return keeli_it.initial; }()
// Declares a function for typed_generic.h, which overload resolution finds in the namespace of the type. It is never called.
#define KEELI_FOUND(kind, T) ; KEELI_UNUSED keeli_named<&kind##T> keeli_find_##kind(keeli_type<T>, keeli_named<&kind##T>)
#define KEELI_OPTION(s, i, option) keeli_it option;
#define KEELI_MANY_KEELI_OPTION(s) KEELI_STATIC_ASSERT(0, "too many options")
#define KEELI_DERIVED(T) keeli_derive<T>(keeli_it);
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
#define KEELI_DERIVED(T)
// The members that are options once more, where `.initial` points to a T.
#define KEELI_CHECK_OPTIONS(kind, T, ...)                                                           \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic error \"-Wincompatible-pointer-types\"")  \
    KEELI_STATIC_ASSERT(sizeof((const struct {                                                      \
        const char *name, *type; uint32_t size, align; keel_storage storage; uint32_t tracking;     \
        keel_drop_hook *drop; keel_copy_hook *copy; keel_move_hook *move; keel_hash_hook *hash;     \
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
        .file = __FILE__, .slot = &symbol##_slot, .declared = &symbol, __VA_ARGS__ }
#endif

/// @cond the components that Keel itself has: those of the hierarchy, and names
KEELI_DESCRIPTOR(, KEEL_COMPONENT_keel_child, "keel_child", 0, 1, false, .storage = KEEL_INDEXED, .is_relation = true, .exclusive = true, .acyclic = true);
KEELI_UNUSED static const keel_component *const KEEL_RELATION_keel_child = &KEEL_COMPONENT_keel_child;
// keel_entities stands for living entities in the verbs that know it: KEEL_OF(keel_entities).
#define KEEL_COMPONENT_keel_entities keel_entities
KEELI_DESCRIPTOR(, KEEL_COMPONENT_keel_name, "keel_name", sizeof(keel_name), KEELI_ALIGNOF(keel_name), false, .storage = KEEL_SPARSE_SET);
/// @endcond

// ---------------------------------------------------------------- values
// An array of one accepts {1, 2}, {.x = 3}, a variable or a scalar. KEELI_COPIED: the world copies the value, and the caller keeps it.
#ifdef __cplusplus
template <class T> struct keeli_same { typedef T type; };
#define KEELI_STRUCT(S, ...) S{ __VA_ARGS__ }
#define KEELI_READS(T, pointer) static_cast<const typename keeli_same<T>::type *>(pointer)
#define KEELI_FILLS(T, pointer) static_cast<typename keeli_same<T>::type *>(pointer)
#define KEELI_INIT_ONE(T) (keeli_default<T, KEEL_COMPONENT_##T.size == 0>::init(&KEEL_COMPONENT_##T))
#define KEELI_INIT_MORE(T, ...) KEELI_THE_VALUE_OF(&KEEL_COMPONENT_##T, T, __VA_ARGS__)
#define KEELI_OUT_OF(T, ...) keeli_out_of<T>(&KEEL_COMPONENT_##T, __VA_ARGS__)
#define KEELI_COLUMN_IN(T, first, stride) keeli_column_in<T, decltype(first)>(&KEEL_COMPONENT_##T, KEELI_READS(T, first), (stride))
#define KEELI_COPIED(value) keeli_pointer(value)
template <class T> inline const void *keeli_to_copy(const typename keeli_same<T>::type &value) { return &reinterpret_cast<const char &>(value); }
#define KEELI_TO_COPY(T, ...) keeli_to_copy<T>(__VA_ARGS__)
#else
#define KEELI_THE_VALUE(T, ...) (T[1]){ __VA_ARGS__ }
#define KEELI_DEFAULT(T, descriptor) NULL
#define KEELI_INIT_ONE(T) KEELI_STRUCT(keel_value, &KEEL_COMPONENT_##T, NULL)
#define KEELI_INIT_MORE(T, ...) KEELI_STRUCT(keel_value, &KEEL_COMPONENT_##T, KEELI_THE_VALUE(T, __VA_ARGS__))
#define KEELI_OUT_OF(T, ...) KEELI_STRUCT(keel_out, &KEEL_COMPONENT_##T, __VA_ARGS__)
#define KEELI_COLUMN_IN(T, first, stride) KEELI_STRUCT(keel_value_column, &KEEL_COMPONENT_##T, KEELI_READS(T, first), stride)
#define KEELI_COPIED(value) value
#define KEELI_TO_COPY(T, ...) KEELI_THE_VALUE(T, __VA_ARGS__)
#define KEELI_STRUCT(S, ...) (S){ __VA_ARGS__ }
#define KEELI_READS(T, pointer) _Generic((pointer), T *: (pointer), const T *: (pointer))
#define KEELI_FILLS(T, pointer) _Generic((pointer), T *: (pointer))
#endif
/// A component to add, for lists: `KEEL_INIT(T, {1, 2})` and `KEEL_INIT(T, variable)` have this value. `KEEL_INIT(T)` is zeros
/// or a tag, and only for an entity that lacks the component.
#define KEEL_INIT(...) KEELI_CAT(KEELI_INIT_, KEELI_OVER_1(__VA_ARGS__))(__VA_ARGS__)
#define KEELI_INIT_keeli_one(T) KEELI_INIT_ONE(T)
#define KEELI_INIT_keeli_more(T, ...) KEELI_INIT_MORE(T, __VA_ARGS__)
/// A component to remove, and the variable for its value: `KEEL_OUT(T, &value)`, `KEEL_OUT(T, &value, &taken)`.
#define KEEL_OUT(...) KEELI_CAT(KEELI_OUT_, KEELI_OVER_2(__VA_ARGS__))(__VA_ARGS__)
#define KEELI_OUT_keeli_one(T, pointer) KEELI_OUT_OF(T, KEELI_FILLS(T, pointer), NULL)
#define KEELI_OUT_keeli_more(T, pointer, taken) KEELI_OUT_OF(T, KEELI_FILLS(T, pointer), taken)
/// Values for many entities, from an array of `T`.
#define KEEL_COLUMN(T, array) KEELI_COLUMN_IN(T, array, sizeof(T))
/// Values for many entities, from a member of an array of structs; `stride` is the size of one struct.
#define KEEL_COLUMN_IN(T, first, stride) KEELI_COLUMN_IN(T, first, stride)
/// The same value for many entities: `KEEL_FILL(T)` zero or a tag, `KEEL_FILL(T, {1, 2})`.
#define KEEL_FILL(...) KEELI_CAT(KEELI_FILL_, KEELI_OVER_1(__VA_ARGS__))(__VA_ARGS__)
#define KEELI_FILL_keeli_one(T) KEELI_STRUCT(keel_value_column, &KEEL_COMPONENT_##T, KEELI_COPIED(KEELI_DEFAULT(T, KEEL_COMPONENT_##T)), 0)
#define KEELI_FILL_keeli_more(T, ...) KEELI_STRUCT(keel_value_column, &KEEL_COMPONENT_##T, KEELI_TO_COPY(T, __VA_ARGS__), 0)
#define KEELI_LISTED(s, i, T) &KEEL_COMPONENT_##T,
#define KEELI_MANY_KEELI_LISTED(s) keeli_at_most_17_components_in_one_list

// ---------------------------------------------------------------- verbs
// The first argument is the scope: a world acts now, commands later, a view or a context within what it holds (scope.h).
// Verbs without a type are functions: keel_delete_entity, keel_strip, keel_is_alive, keel_attach, ...
#ifdef __cplusplus
#define KEELI_LISTED_COMMA(s, i, T) , &KEEL_COMPONENT_##T
#define KEELI_MANY_KEELI_LISTED_COMMA(s) keeli_at_most_17_components_in_one_list
#define keel_add_entity(...) keeli_add_entity(__VA_ARGS__)
#define keel_add_child(...) keeli_add_child(__VA_ARGS__)
#define keel_add_values(...) keeli_add_all(__VA_ARGS__)
#define keel_remove_values(...) keeli_remove_all(__VA_ARGS__)
#define keel_add_entities(...) keeli_add_entities(__VA_ARGS__)
#define keel_spawn(...) keeli_spawn(__VA_ARGS__)
#define keel_spawn_many(...) keeli_spawn_many(__VA_ARGS__)
#define keel_delete(scope, ...) KEELI_CAT(KEELI_DELETE_, KEELI_FEW_2(__VA_ARGS__))(scope, __VA_ARGS__)
#define KEELI_DELETE_keeli_one(scope, e, T) keeli_delete_all((scope), (e) KEELI_LISTED_COMMA(~, 0, T))
#define KEELI_DELETE_keeli_more(scope, e, ...) keeli_delete_all((scope), (e) KEELI_MAP(KEELI_LISTED_COMMA, ~, __VA_ARGS__))
#define keel_has_all(scope, e, ...) keeli_has_all((scope), (e) KEELI_MAP(KEELI_LISTED_COMMA, ~, __VA_ARGS__))
#define keel_has_any(scope, e, ...) keeli_has_any((scope), (e) KEELI_MAP(KEELI_LISTED_COMMA, ~, __VA_ARGS__))
#define keel_register(world, ...) keeli_register((world) KEELI_MAP(KEELI_LISTED_COMMA, ~, __VA_ARGS__))
#define KEELI_CAST(T, pointer) static_cast<T *>(pointer)
#define KEELI_ADD(scope, e, c, value) keeli_add((scope), (e), c, value)
#define KEELI_ADD_DEFAULT(scope, e, c, value) keeli_add_default((scope), (e), c, value)
#define KEELI_ADD_IF_MISSING(scope, e, c, value) keeli_add_if_missing((scope), (e), c, value)
#define KEELI_ADD_UNCHECKED(scope, e, c, value) keeli_add_unchecked((scope), (e), c, value)
#define KEELI_REMOVE_OUT(scope, e, c, out) keeli_take_out((scope), (e), c, out)
#define KEELI_GET_OR_ADD keeli_get_or_add
#define KEELI_ADD_COLUMN_TO_MANY keeli_add_column_to_many
#define KEELI_SET_UNIQUE keeli_set_unique
#define KEELI_TAKE_UNIQUE keeli_take_unique
#define KEELI_REPLACE keeli_replace
#define KEELI_RELATE keeli_relate
#define KEELI_GET_OR_SET_UNIQUE keeli_get_or_set_unique
#define KEELI_DRAIN keeli_drain
#else
#define KEELI_CAST(T, pointer) ((T *)(pointer))
#define KEELI_ADD(scope, e, c, value) keel_add_component((scope), (e), c, value)
#define KEELI_ADD_DEFAULT KEELI_ADD
#define KEELI_ADD_IF_MISSING(scope, e, c, value) keel_add_component_values((scope), (e), ((const keel_value[]){ { keel_if_missing(), NULL }, { c, value }, { NULL, NULL } }))
#define KEELI_ADD_UNCHECKED(scope, e, c, value) keel_add_component_unchecked((scope), (e), c, value)
#define KEELI_REMOVE_OUT(scope, e, c, out) keel_remove_component(KEELI_TO_WRITE(scope), (e), c, out)
/// Creates an entity with the given components: `keel_add_entity(world, KEEL_INIT(Position, {1, 2}), KEEL_INIT(Frozen))`.
/// Scope: any. @return its handle; null on error (keel_last_error). See keel_add_entity_values.
#define keel_add_entity(...) KEELI_ADD_ENTITY(__VA_ARGS__, (keel_value){ NULL, NULL })
#define KEELI_ADD_ENTITY(scope, ...) keel_add_entity_values((scope), (const keel_value[]){ __VA_ARGS__ })
/// Creates an entity as the last child of `parent`: `keel_add_child(world, tank, KEEL_INIT(Gun))`. Scope: any. @return its
/// handle; null on error. See keel_add_child_values.
#define keel_add_child(...) KEELI_ADD_CHILD(__VA_ARGS__, (keel_value){ NULL, NULL })
#define KEELI_ADD_CHILD(scope, parent, ...) keel_add_child_values((scope), (parent), (const keel_value[]){ __VA_ARGS__ })
/// Adds several components at once, all or none: `keel_add_values(world, e, KEEL_INIT(A, {1}), KEEL_INIT(B))`. Scope: any. See
/// keel_add_component_values.
#define keel_add_values(...) KEELI_ADD_VALUES(__VA_ARGS__, (keel_value){ NULL, NULL })
#define KEELI_ADD_VALUES(scope, e, ...) keel_add_component_values((scope), (e), (const keel_value[]){ __VA_ARGS__ })
/// Removes several components at once: `keel_remove_values(world, e, KEEL_OUT(A, &a), KEEL_OUT(B, &b))`. Scope: world, view,
/// context. See keel_remove_component_values.
#define keel_remove_values(...) KEELI_REMOVE_VALUES(__VA_ARGS__, (keel_out){ NULL, NULL, NULL })
#define KEELI_REMOVE_VALUES(scope, e, ...) keel_remove_component_values((scope), (e), (const keel_out[]){ __VA_ARGS__ })
/// Creates many entities, all or none: `keel_add_entities(world, 100, handles_or_NULL, KEEL_COLUMN(Position, positions),
/// KEEL_FILL(Frozen))`. Scope: any. See keel_add_entity_columns.
#define keel_add_entities(...) KEELI_ADD_ENTITIES(__VA_ARGS__, (keel_value_column){ NULL, NULL, 0 })
#define KEELI_ADD_ENTITIES(scope, count, out, ...) keel_add_entity_columns((scope), (count), (out), (const keel_value_column[]){ __VA_ARGS__ })
/// Creates a copy of a prefab: `keel_spawn(world, tank)`, or with values in place of those of its root: `keel_spawn(world,
/// tank, KEEL_INIT(Health, {10}))`. Scope: any. @return the copy of the root; null on error. See keel_spawn_values.
#define keel_spawn(...) KEELI_SPAWN(__VA_ARGS__, (keel_value){ NULL, NULL })
#define KEELI_SPAWN(scope, prefab, ...) keel_spawn_values((scope), (prefab), (const keel_value[]){ __VA_ARGS__ })
/// Creates many copies of a prefab: `keel_spawn_many(world, tank, 10, handles_or_NULL, KEEL_COLUMN(Position, positions))`.
/// Scope: any. See keel_spawn_columns.
#define keel_spawn_many(...) KEELI_SPAWN_MANY(__VA_ARGS__, (keel_value_column){ NULL, NULL, 0 })
#define KEELI_SPAWN_MANY(scope, prefab, count, out, ...) keel_spawn_columns((scope), (prefab), (count), (out), (const keel_value_column[]){ __VA_ARGS__ })
/// Deletes components of an entity, and skips those that it lacks: `keel_delete(world, e, A, B)`. Scope: any. The whole entity:
/// keel_delete_entity. See keel_delete_component.
#define keel_delete(scope, ...) KEELI_CAT(KEELI_DELETE_, KEELI_FEW_2(__VA_ARGS__))(scope, __VA_ARGS__)
#define KEELI_DELETE_keeli_one(scope, e, T) keel_delete_component((scope), (e), &KEEL_COMPONENT_##T)
#define KEELI_DELETE_keeli_more(scope, e, ...) keel_delete_components((scope), (e), ((const keel_component *const[]){ KEELI_MAP(KEELI_LISTED, ~, __VA_ARGS__) NULL }))
/// True if the entity has each of the components: `keel_has_all(world, e, A, B)`. Scope: all but commands.
#define keel_has_all(scope, e, ...) keel_has_all_components((scope), (e), ((const keel_component *const[]){ KEELI_MAP(KEELI_LISTED, ~, __VA_ARGS__) NULL }))
/// True if the entity has at least one of the components. Scope: all but commands.
#define keel_has_any(scope, e, ...) keel_has_any_component((scope), (e), ((const keel_component *const[]){ KEELI_MAP(KEELI_LISTED, ~, __VA_ARGS__) NULL }))
/// Registers components before their first use: `keel_register(world, A, B)`. A unique: `keel_register_component(world,
/// KEEL_UNIQUE_OF(T))`. See keel_register_component.
#define keel_register(world, ...) keeli_register_list((world), (const keel_component *const[]){ KEELI_MAP(KEELI_LISTED, ~, __VA_ARGS__) NULL })
#define KEELI_GET_OR_ADD keel_get_or_add_component
static inline keel_result keeli_add_column_to_many(keel_scope *s, const keel_entity *entities, uint32_t n, keel_value_column column) { return keel_add_component_to_many(s, entities, n, column.component, column.values, column.stride); }
#define KEELI_ADD_COLUMN_TO_MANY(scope, ...) keeli_add_column_to_many(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define KEELI_SET_UNIQUE keel_set_unique_value
#define KEELI_TAKE_UNIQUE keel_remove_unique_value
#define KEELI_REPLACE keel_replace_component
#define KEELI_RELATE keel_relate_component
#define KEELI_GET_OR_SET_UNIQUE keel_get_or_set_unique_value
#define KEELI_DRAIN keel_drain_component
#endif
#define KEELI_REMOVE(scope, e, c) keel_remove_component((scope), (e), c, NULL)
/// Deletes every entity that has the component. Scope: world, commands, or a view or context of everything. See
/// keel_delete_entities_having_component.
#define keel_delete_entities_having(scope, T) keel_delete_entities_having_component((scope), &KEEL_COMPONENT_##T)
/// Returns the value of a component to read, `const T *`, or NULL if the entity lacks it or is dead: `const Health *h =
/// keel_get(world, e, Health);`. The pointer is valid until the next edit of the component. Scope: all but commands. See
/// keel_get_component.
#define keel_get(scope, e, T) KEELI_CAST(const T, KEELI_DIRECT(scope, keeli_world_get, keel_get_component)(KEELI_TO_READ(scope), (e), &KEEL_COMPONENT_##T))
/// Returns the value of a component to change in place, `T *` or NULL: `keel_get_mut(world, e, Health)->points -= 1;`. It
/// counts as modified. Scope: all but commands. See keel_get_component_mut.
#define keel_get_mut(scope, e, T) KEELI_CAST(T, KEELI_DIRECT(scope, keeli_world_get_mut, keel_get_component_mut)(KEELI_TO_WRITE(scope), (e), &KEEL_COMPONENT_##T))
/// Returns the value like keel_get, where absence is a bug: it is never NULL, the program stops with a message. Scope: all but
/// commands. See keel_at_component.
#define keel_at(scope, e, T) KEELI_CAST(const T, keel_at_component((scope), (e), &KEEL_COMPONENT_##T, KEELI_HERE))
/// Returns the value like keel_get_mut, where absence is a bug: `keel_at_mut(world, e, Health)->points = 3`. Scope: all but
/// commands.
#define keel_at_mut(scope, e, T) KEELI_CAST(T, keel_at_component_mut((scope), (e), &KEEL_COMPONENT_##T, KEELI_HERE))
/// True if the entity is alive and has the component. Scope: all but commands.
#define keel_has(scope, e, T) KEELI_DIRECT(scope, keeli_world_has, keel_has_component)(KEELI_TO_READ(scope), (e), &KEEL_COMPONENT_##T)
/// Returns the value of a unique to read: `const T *`, or NULL if it is not set. Scope: all but commands.
#define keel_get_unique(scope, T) KEELI_CAST(const T, keel_get_unique_value((scope), &KEEL_UNIQUE_##T))
/// Returns the value of a unique to change in place: `T *`, or NULL if it is not set. Scope: all but commands.
#define keel_get_unique_mut(scope, T) KEELI_CAST(T, keel_get_unique_value_mut((scope), &KEEL_UNIQUE_##T))
/// Marks the value of an entity as modified: `keel_mark(world, e, Position)`. Scope: any. See keel_mark_component.
#define keel_mark(scope, e, T) keel_mark_component((scope), (e), &KEEL_COMPONENT_##T)
/// Returns the changes of an entity's component since the last look, as KEEL_TRACK_INSERTION and KEEL_TRACK_MODIFICATION bits.
/// Scope: world, context, reader. See keel_changes_of_component.
#define keel_changes_of(scope, e, T) keel_changes_of_component((scope), (e), &KEEL_COMPONENT_##T)
/// Returns the changes of a unique in the same way; an insertion means that it was set where there was none. Scope: world,
/// context, reader.
#define keel_unique_changes_of(scope, T) keel_changes_of_component((scope), keel_null(), &KEEL_UNIQUE_##T)
/// Returns how many removals and deletions were dropped, as there were too many, before the scope saw them. Scope: world,
/// context, reader.
#define keel_missed(scope, T) keel_missed_component((scope), &KEEL_COMPONENT_##T)
/// Adds a component to an entity, or overwrites its value: `keel_add(world, e, Position, {1, 2})`, `keel_add(world, e,
/// Position, variable)`. Without a value, `keel_add(world, e, Position)`, an entity that lacks it gets zeros, and a value that
/// is there stays as it is. Scope: any. See keel_add_component.
#define keel_add(...) KEELI_CAT(KEELI_ADD_, KEELI_OVER_3(__VA_ARGS__))(__VA_ARGS__)
#define KEELI_ADD_keeli_one(scope, e, T) KEELI_ADD_DEFAULT(scope, e, &KEEL_COMPONENT_##T, KEELI_DEFAULT(T, KEEL_COMPONENT_##T))
#define KEELI_ADD_keeli_more(scope, e, T, ...) KEELI_ADD(scope, e, &KEEL_COMPONENT_##T, KEELI_THE_VALUE(T, __VA_ARGS__))
/// Adds a component unless the entity has it. Then its value stays as it is, and the new one is dropped:
/// `keel_add_if_missing(world, e, T, {1, 2})`. Scope: any.
#define keel_add_if_missing(...) KEELI_CAT(KEELI_ADD_IF_MISSING_, KEELI_OVER_3(__VA_ARGS__))(__VA_ARGS__)
#define KEELI_ADD_IF_MISSING_keeli_one(scope, e, T) KEELI_ADD_IF_MISSING(scope, e, KEEL_OF(T), KEELI_DEFAULT(T, (*KEEL_OF(T))))
#define KEELI_ADD_IF_MISSING_keeli_more(scope, e, T, ...) KEELI_ADD_IF_MISSING(scope, e, KEEL_OF(T), KEELI_THE_VALUE(T, __VA_ARGS__))
/// Adds a component without the check that the entity is alive: undefined unless it is. Scope: world, view.
#define keel_add_unchecked(...) KEELI_CAT(KEELI_ADDU_, KEELI_OVER_3(__VA_ARGS__))(__VA_ARGS__)
#define KEELI_ADDU_keeli_one(scope, e, T) KEELI_ADD_UNCHECKED(scope, e, &KEEL_COMPONENT_##T, KEELI_DEFAULT(T, KEEL_COMPONENT_##T))
#define KEELI_ADDU_keeli_more(scope, e, T, ...) KEELI_ADD_UNCHECKED(scope, e, &KEEL_COMPONENT_##T, KEELI_THE_VALUE(T, __VA_ARGS__))
#define KEELI_DELETE_keeli_few(...) keeli_keel_delete_needs_a_component_use_keel_delete_entity_for_the_entity
/// Removes a component: `keel_remove(world, e, T)` drops the value (scope: any), `keel_remove(world, e, T, &value)` hands it to
/// the caller (scope: world, view, context). See keel_remove_component.
#define keel_remove(...) KEELI_CAT(KEELI_REMOVE_, KEELI_FEW_3(__VA_ARGS__))(__VA_ARGS__)
#define KEELI_REMOVE_keeli_few(...) keeli_keel_remove_needs_a_component_use_keel_delete_entity_for_the_entity
#define KEELI_REMOVE_keeli_one(scope, e, T) KEELI_REMOVE(scope, e, &KEEL_COMPONENT_##T)
#define KEELI_REMOVE_keeli_more(scope, e, T, out) KEELI_REMOVE_OUT(scope, e, &KEEL_COMPONENT_##T, KEELI_FILLS(T, out))
/// Removes the component from one of the entities that have it, lowest index first, and hands its value to the caller; false
/// when no entity has it: `while (keel_drain(world, Damage, &entity, &damage)) ...`. Scope: world, view, context.
#define keel_drain(scope, T, entity, value) KEELI_DRAIN((scope), KEEL_OF(T), (entity), KEELI_FILLS(T, value))
/// Returns the value to change in place, and adds the component first if the entity lacks it: `keel_get_or_add(world, e, T)` or
/// `(world, e, T, {1, 2})`. `T *` or NULL.
#define keel_get_or_add(...) KEELI_CAT(KEELI_GET_OR_ADD_, KEELI_OVER_3(__VA_ARGS__))(__VA_ARGS__)
#define KEELI_GET_OR_ADD_keeli_one(world, e, T) KEELI_CAST(T, KEELI_GET_OR_ADD((world), (e), &KEEL_COMPONENT_##T, KEELI_DEFAULT(T, KEEL_COMPONENT_##T)))
#define KEELI_GET_OR_ADD_keeli_more(world, e, T, ...) KEELI_CAST(T, KEELI_GET_OR_ADD((world), (e), &KEEL_COMPONENT_##T, KEELI_THE_VALUE(T, __VA_ARGS__)))
/// Adds a component to many entities, with the same value, all or none: `keel_add_many(world, entities, count, T, {1, 2})`.
/// `keel_add_many(world, entities, count, T)` adds zeros, or a tag, to those that lack it. Scope: any.
#define keel_add_many(world, ...) KEELI_CAT(KEELI_ADD_MANY_, KEELI_OVER_3(__VA_ARGS__))(world, __VA_ARGS__)
#define KEELI_ADD_MANY_keeli_one(world, entities, count, T) keel_add_component_to_many((world), (entities), (count), &KEEL_COMPONENT_##T, KEELI_COPIED(KEELI_DEFAULT(T, KEEL_COMPONENT_##T)), 0)
#define KEELI_ADD_MANY_keeli_more(world, entities, count, T, ...) keel_add_component_to_many((world), (entities), (count), &KEEL_COMPONENT_##T, KEELI_TO_COPY(T, __VA_ARGS__), 0)
/// Adds a component to many entities with the values of an array of `T`, one for each entity, which are handed over. Scope:
/// any.
#define keel_add_column_many(world, entities, count, T, array) KEELI_ADD_COLUMN_TO_MANY((world), (entities), (count), KEELI_COLUMN_IN(T, array, sizeof(T)))
/// Deletes a component from many entities; those that lack it are skipped. Scope: any. A list that is written in place needs
/// parentheses, as in all macros: `keel_delete_many(world, ((keel_entity[]){ a, b }), 2, T)`.
#define keel_delete_many(world, entities, count, T) keel_delete_component_from_many((world), (entities), (count), &KEEL_COMPONENT_##T)
/// Adds a component to all entities that match: `keel_add_matching(world, KEEL_TERMS(KEEL_WITH(A)), T, {1, 2})`. Without a
/// value it adds zeros, or a tag, to those that lack it. Scope: world, commands.
#define keel_add_matching(world, ...) KEELI_CAT(KEELI_ADD_MATCHING_, KEELI_OVER_2(__VA_ARGS__))(world, __VA_ARGS__)
#define KEELI_ADD_MATCHING_keeli_one(world, terms, T) keel_add_component_to_matching((world), (terms), &KEEL_COMPONENT_##T, KEELI_COPIED(KEELI_DEFAULT(T, KEEL_COMPONENT_##T)))
#define KEELI_ADD_MATCHING_keeli_more(world, terms, T, ...) keel_add_component_to_matching((world), (terms), &KEEL_COMPONENT_##T, KEELI_TO_COPY(T, __VA_ARGS__))
/// Deletes a component from all entities that match. Scope: world, commands. Whole entities: keel_delete_entities_matching.
#define keel_delete_matching(world, terms, T) keel_delete_component_from_matching((world), (terms), &KEEL_COMPONENT_##T)
/// Deletes the component from all entities. Scope: any.
#define keel_clear(world, T) keel_clear_component((world), &KEEL_COMPONENT_##T)
/// Deletes the component from the entities for which `keep` returns false.
#define keel_retain(world, T, keep, data) keel_retain_component((world), &KEEL_COMPONENT_##T, (keep), (data))
/// Disables a component of an entity: the entity seems to lack it, and the value is kept. Scope: any. See
/// keel_enable_component.
#define keel_disable(world, e, T) keel_enable_component((world), (e), &KEEL_COMPONENT_##T, false)
/// Enables a disabled component again, with its value. Scope: any.
#define keel_enable(world, e, T) keel_enable_component((world), (e), &KEEL_COMPONENT_##T, true)
/// True if the entity has the component, disabled.
#define keel_is_disabled(world, e, T) keel_is_component_disabled((world), (e), &KEEL_COMPONENT_##T)
/// Allocates room for `count` values of the component.
#define keel_reserve(world, T, count) keel_reserve_component((world), &KEEL_COMPONENT_##T, (count))
/// Sorts a sparse set by its values: `int compare(const void *a, const void *b, void *data)`. See keel_sort_by.
#define keel_sort(world, T, function, user) keel_sort_with(world, .component = &KEEL_COMPONENT_##T, .compare = (function), .data = (user))
/// Sorts a sparse set, also of tags, by a function of the entities: `int compare(world, entity, entity, data)`.
#define keel_sort_by_entity(world, T, function, user) keel_sort_with(world, .component = &KEEL_COMPONENT_##T, .compare_entities = (function), .data = (user))
/// Sorts a sparse set in the order of another component.
#define keel_sort_as(world, T, Other) keel_sort_with(world, .component = &KEEL_COMPONENT_##T, .as = &KEEL_COMPONENT_##Other)
/// Sorts with any of the options of keel_sort_desc: `keel_sort_with(world, .group = g, .by = KEEL_OF(Depth), .compare = far_first)`.
#ifdef __cplusplus
#define keel_sort_with(world, ...) [&](keel_world *keeli_world) { keel_sort_desc keeli_it = {}; KEELI_MAP(KEELI_OPTION, ~, __VA_ARGS__) return keel_sort_by(keeli_world, &keeli_it); }(world)
#else
#define keel_sort_with(world, ...) keel_sort_by((world), &(const keel_sort_desc){ __VA_ARGS__ })
#endif
/// Swaps two entities in the order of a sparse set.
#define keel_swap(world, T, a, b) keel_swap_component((world), &KEEL_COMPONENT_##T, (a), (b))
/// Creates a group: `keel_group_create(world, KEEL_OWNED(A, B), KEEL_GET(C), KEEL_EXCLUDE(D))`, with any of the three, and
/// `.name = "..."`. @return a `keel_group *`; NULL on error (keel_last_error). See keel_group_create_of.
#ifdef __cplusplus
#define keel_group_create(world, ...) [](keel_world *keeli_world) { keel_group_desc keeli_it = {}; KEELI_MAP(KEELI_OPTION, ~, __VA_ARGS__) return keeli_make_group(keeli_world, &keeli_it); }(world)
#else
#define keel_group_create(world, ...) keeli_make_group((world), &(const keel_group_desc){ __VA_ARGS__ })
#endif
/// Option of keel_group_create: the sparse sets that the group orders.
#define KEEL_OWNED(...) .owned = KEEL_LIST(__VA_ARGS__)
/// Option of keel_group_create: further components that a member must have.
#define KEEL_GET(...) .get = KEEL_LIST(__VA_ARGS__)
/// Option of keel_group_create: components that a member must not have.
#define KEEL_EXCLUDE(...) .exclude = KEEL_LIST(__VA_ARGS__)
static inline keel_group *keeli_make_group(keel_world *world, const keel_group_desc *desc) {
    keel_group *group;
    (void)keel_group_create_of(world, desc, &group);
    return group;
}
/// Unregisters a component and drops all its values. See keel_unregister_component.
#define keel_unregister(world, T) keel_unregister_component((world), &KEEL_COMPONENT_##T)
/// Returns the number of entities that have the component. Scope: all but commands.
#define keel_count(world, T) keel_component_count((world), &KEEL_COMPONENT_##T)
/// Sets a unique: `keel_set_unique(world, T)` to zeros, `keel_set_unique(world, T, {1, 2})` or `(world, T, variable)`. Scope:
/// world, commands.
#define keel_set_unique(...) KEELI_CAT(KEELI_SET_UNIQUE_, KEELI_OVER_2(__VA_ARGS__))(__VA_ARGS__)
#define KEELI_SET_UNIQUE_keeli_one(world, T) KEELI_SET_UNIQUE((world), &KEEL_UNIQUE_##T, KEELI_DEFAULT(T, KEEL_UNIQUE_##T))
#define KEELI_SET_UNIQUE_keeli_more(world, T, ...) KEELI_SET_UNIQUE((world), &KEEL_UNIQUE_##T, KEELI_THE_VALUE(T, __VA_ARGS__))
/// Returns the value of a unique to change in place, and sets it first if it is not set: `keel_get_or_set_unique(world, T)` or
/// `(world, T, {1, 2})`. `T *` or NULL.
#define keel_get_or_set_unique(...) KEELI_CAT(KEELI_OR_SET_UNIQUE_, KEELI_OVER_2(__VA_ARGS__))(__VA_ARGS__)
#define KEELI_OR_SET_UNIQUE_keeli_one(world, T) KEELI_CAST(T, KEELI_GET_OR_SET_UNIQUE((world), KEEL_UNIQUE_OF(T), KEELI_DEFAULT(T, (*KEEL_UNIQUE_OF(T)))))
#define KEELI_OR_SET_UNIQUE_keeli_more(world, T, ...) KEELI_CAST(T, KEELI_GET_OR_SET_UNIQUE((world), KEEL_UNIQUE_OF(T), KEELI_THE_VALUE(T, __VA_ARGS__)))
/// Removes a unique: `keel_remove_unique(world, T)` drops the value (scope: world, commands), `(world, T, &value)` hands it to
/// the caller.
#define keel_remove_unique(...) KEELI_CAT(KEELI_REMOVE_UNIQUE_, KEELI_OVER_2(__VA_ARGS__))(__VA_ARGS__)
#define KEELI_REMOVE_UNIQUE_keeli_one(world, T) keel_remove_unique_value((world), &KEEL_UNIQUE_##T, NULL)
#define KEELI_REMOVE_UNIQUE_keeli_more(world, T, out) KEELI_TAKE_UNIQUE((world), &KEEL_UNIQUE_##T, KEELI_FILLS(T, out))
/// Switches on tracking of more kinds of change: `keel_track(world, T, KEEL_TRACK_ALL)`. See keel_track_component.
#define keel_track(world, T, kinds) keel_track_component((world), &KEEL_COMPONENT_##T, (kinds))
/// Returns the kinds of change that are tracked, as KEEL_TRACK_* bits.
#define keel_tracked(world, T) keel_tracked_kinds((world), &KEEL_COMPONENT_##T)
/// Sets how many removals and deletions are kept at most. See keel_set_limit_of.
#define keel_set_limit(world, T, limit) keel_set_limit_of((world), &KEEL_COMPONENT_##T, (limit))
/// Forgets changes, for code outside of systems: `keel_clear_changes(world, T, KEEL_TRACK_ALL, KEEL_NOW)`, or only the changes
/// before a keel_tick. See keel_clear_component_changes.
#define keel_clear_changes(world, T, kinds, tick) keel_clear_component_changes((world), &KEEL_COMPONENT_##T, (kinds), (tick))
/// Forgets changes of a unique in the same way.
#define keel_clear_unique_changes(world, T, kinds, tick) keel_clear_component_changes((world), &KEEL_UNIQUE_##T, (kinds), (tick))
/// Changes a value by a function, marks it as modified and calls observers: `keel_patch(world, e, T, function, data)`.
#define keel_patch(world, e, T, function, data) keel_patch_component((world), (e), &KEEL_COMPONENT_##T, (function), (data))
/// Overwrites the value of a component that the entity must have: `keel_replace(world, e, T)` with zeros, `(world, e, T, {1,
/// 2})` or `(world, e, T, variable)`. Scope: any.
#define keel_replace(...) KEELI_CAT(KEELI_REPLACE_, KEELI_OVER_3(__VA_ARGS__))(__VA_ARGS__)
#define KEELI_REPLACE_keeli_one(world, e, T) KEELI_REPLACE((world), (e), &KEEL_COMPONENT_##T, KEELI_DEFAULT(T, KEEL_COMPONENT_##T))
#define KEELI_REPLACE_keeli_more(world, e, T, ...) KEELI_REPLACE((world), (e), &KEEL_COMPONENT_##T, KEELI_THE_VALUE(T, __VA_ARGS__))
/// Calls a function whenever this happens to the component: `keel_observe(world, T, KEEL_ON_INSERTED, function, data)`. See
/// keel_observe_component.
#define keel_observe(world, T, kinds, function, data) keel_observe_component((world), &KEEL_COMPONENT_##T, (kinds), (function), (data))
/// Removes the observer with this function and this data.
#define keel_unobserve(world, T, function, data) keel_unobserve_component((world), &KEEL_COMPONENT_##T, (function), (data))
/// Makes the world add the tag to each entity whose `T` changes, from now on: `keel_collect(world, Dirty, T, KEEL_ON_INSERTED |
/// KEEL_ON_MODIFIED)`. See keel_collect_component.
#define keel_collect(world, Tag, T, kinds) keel_collect_component((world), &KEEL_COMPONENT_##Tag, &KEEL_COMPONENT_##T, (kinds))
/// Stops collecting from `T` to the tag.
#define keel_stop_collecting(world, Tag, T) keel_stop_collecting_component((world), &KEEL_COMPONENT_##Tag, &KEEL_COMPONENT_##T)
/// Returns the events that the tag collects from `T`, as KEEL_ON_* bits; 0 for none.
#define keel_collected(world, Tag, T) keel_collected_kinds((world), &KEEL_COMPONENT_##Tag, &KEEL_COMPONENT_##T)
/// Loops over removals and deletions of a component, oldest first: `KEEL_EACH_REMOVED(context, Health, removal) {
/// removal.entity ... }`. `removal` is a keel_removal. If `removal.deleted`, the deleted value is `removal.value`; otherwise
/// the caller of the removal got the value, and this is NULL. Scope: world, context, reader.
#define KEEL_EACH_REMOVED(scope, T, removal) KEELI_EACH_REMOVED(KEELI_CAT(keeli_walk_, __COUNTER__), scope, T, removal)
// The inner loop runs once; `whole` tells whether the body was left by break.
#define KEELI_EACH_REMOVED(walk, scope, T, name)                                                    \
    for (keel_removal_walk walk = keel_removals((scope), &KEEL_COMPONENT_##T, KEEL_TRACK_REMOVAL | KEEL_TRACK_DELETION); walk.whole && keel_removal_next(&walk);) \
        for (KEELI_UNUSED const keel_removal name = (walk.whole = false, walk.removal); !walk.whole; walk.whole = true)
/// Returns fast access to a component by entity. See keel_lookup.
#define keel_lookup_of(world, T) keel_lookup_of_component((world), &KEEL_COMPONENT_##T)
/// Returns the value of an entity from a lookup of `T`: `const T *` or NULL (also when the lookup has another size).
#define keel_lookup_get(column, e, T) KEELI_CAST(const T, keeli_column_at((column), (e), sizeof(T), keeli_indexed_shift(sizeof(T))))
/// Returns the values of a component in a span, to read: an array, `const T *`, or NULL.
#define keel_span_read(span, T) KEELI_CAST(const T, keel_span_read_component((span), &KEEL_COMPONENT_##T))
/// Returns the values of a component in a span, to write: an array, `T *`, or NULL.
#define keel_span_write(span, T) KEELI_CAST(T, keel_span_write_component((span), &KEEL_COMPONENT_##T))

// A parameter is a tuple (class, kind, C type, name, component, others, word). The class decides what each part of the generated
// code does with it. Class names begin with keeli_, so that no macro of a user (READ, DATA, ...) can change them.
/// ---------------------------------------------------------------- terms and parameters
/// Parameter: the component is required; its value to read, `const T *name` (an array in a span): `KEEL_READ(Velocity, v)`.
#define KEEL_READ(T, name) (keeli_value, KEEL_TERM_READ, const T, name, &KEEL_COMPONENT_##T, NULL, T)
/// Parameter: the component is required; its value to write, `T *name` (an array in a span): `KEEL_WRITE(Position, p)`. All
/// visited values count as modified.
#define KEEL_WRITE(T, name) (keeli_value, KEEL_TERM_WRITE, T, name, &KEEL_COMPONENT_##T, NULL, T)
/// Parameters: the component is required; `T *name` and `bool *changed`. Set `*changed` to true, and the value counts as
/// modified (see track.h). In a span both are arrays.
#define KEEL_WRITE_MARKED(T, name, changed) (keeli_marked, KEEL_TERM_WRITE_MARKED, T, name, &KEEL_COMPONENT_##T, NULL, T, changed)
/// Parameter of a view: the component is required; values to write, and the view may add and remove the component.
#define KEEL_EDIT(T, name) (keeli_value, KEEL_TERM_EDIT, T, name, &KEEL_COMPONENT_##T, NULL, T)
/// Parameter: `const T *name`, or NULL if the entity lacks the component.
#define KEEL_OPTIONAL_READ(T, name) (keeli_maybe, KEEL_TERM_OPTIONAL_READ, const T, name, &KEEL_COMPONENT_##T, NULL, T)
/// Parameter: `T *name`, or NULL if the entity lacks the component.
#define KEEL_OPTIONAL_WRITE(T, name) (keeli_maybe, KEEL_TERM_OPTIONAL_WRITE, T, name, &KEEL_COMPONENT_##T, NULL, T)
/// Filter: the entity must have the component.
#define KEEL_WITH(T) (keeli_filter, KEEL_TERM_WITH, void, , &KEEL_COMPONENT_##T, NULL, T)
/// Filter: the entity must have the component, and the component leads: entities are visited in its order (see view.h). At most
/// one.
#define KEEL_LEADING(T) (keeli_filter, KEEL_TERM_WITH, keeli_leads, , &KEEL_COMPONENT_##T, NULL, T)
/// Term of a loop or view: the `count` handles of an array lead, in their order; see view.h. Dead handles are skipped. The
/// array must not change meanwhile. At most one, and no KEEL_LEADING beside it.
#define KEEL_AMONG(list, count) (keeli_among, KEEL_TERM_AMONG, count, , NULL, NULL, keeli_among_list(list))
static inline const void *keeli_among_list(const keel_entity *list) { return list; }
static inline uint32_t keeli_among_count(uint32_t count) { return count; }
/// Term of a loop or view: the same entities in reverse order; see view.h.
#define KEEL_BACKWARDS (keeli_backwards, KEEL_TERM_BACKWARDS, void, , NULL, NULL, ~)
/// Filter: the entity must lack the component.
#define KEEL_WITHOUT(T) (keeli_filter, KEEL_TERM_WITHOUT, void, , &KEEL_COMPONENT_##T, NULL, T)
/// Filter: the entity must have at least one of up to 8 components.
#define KEEL_ANY_OF(...) (keeli_filter, KEEL_TERM_ANY_OF, void, , KEELI_ONE_OF(__VA_ARGS__), KEELI_OTHERS(__VA_ARGS__), ~)
/// Filter: the entity must have the component, and got it since the last look; see track.h.
#define KEEL_INSERTED(T) (keeli_filter, KEEL_TERM_INSERTED, void, , &KEEL_COMPONENT_##T, NULL, T)
/// Filter: the entity must have the component, modified since the last look.
#define KEEL_MODIFIED(T) (keeli_filter, KEEL_TERM_MODIFIED, void, , &KEEL_COMPONENT_##T, NULL, T)
/// Filter: the entity must have the component, inserted or modified since the last look.
#define KEEL_CHANGED(T) (keeli_filter, KEEL_TERM_CHANGED, void, , &KEEL_COMPONENT_##T, NULL, T)
/// Filter: the entity lacks the component, or it was not inserted since the last look.
#define KEEL_NOT_INSERTED(T) (keeli_filter, KEEL_TERM_NOT_INSERTED, void, , &KEEL_COMPONENT_##T, NULL, T)
/// Filter: the entity lacks the component, or it was not modified since the last look.
#define KEEL_NOT_MODIFIED(T) (keeli_filter, KEEL_TERM_NOT_MODIFIED, void, , &KEEL_COMPONENT_##T, NULL, T)
/// Filter: the entity lacks the component, or it was neither inserted nor modified since the last look.
#define KEEL_NOT_CHANGED(T) (keeli_filter, KEEL_TERM_NOT_CHANGED, void, , &KEEL_COMPONENT_##T, NULL, T)
/// Parameter: the value of the target of a relation, as the inner parameter says: `KEEL_OF_TARGET(keel_child,
/// KEEL_READ(Position, above))` for the parent's. The inner parameter is KEEL_READ, KEEL_OPTIONAL_READ or KEEL_WRITE. The
/// relation must be exclusive. See view.h.
#define KEEL_OF_TARGET(R, parameter) KEELI_APPLY(KEELI_THROUGH, KEEL_OF_TARGET_takes_READ_OPTIONAL_READ_or_WRITE_and_not_, _of_target_, R, KEELI_PARTS(parameter), ~)
/// @cond kinds of terms by those of the inner parameter
#define KEEL_OF_TARGET_takes_READ_OPTIONAL_READ_or_WRITE_and_not_KEEL_TERM_READ KEEL_TERM_OF_TARGET_READ
#define KEEL_OF_TARGET_takes_READ_OPTIONAL_READ_or_WRITE_and_not_KEEL_TERM_OPTIONAL_READ KEEL_TERM_OF_TARGET_OPTIONAL_READ
#define KEEL_OF_TARGET_takes_READ_OPTIONAL_READ_or_WRITE_and_not_KEEL_TERM_WRITE KEEL_TERM_OF_TARGET_WRITE
/// @endcond
/// Parameter: the value of the nearest entity above that has one (the target, the target's target, ...): `KEEL_UP(keel_child,
/// KEEL_OPTIONAL_READ(Global, above))`, or with KEEL_READ. See view.h.
#define KEEL_UP(R, parameter) KEELI_APPLY(KEELI_THROUGH, KEEL_UP_takes_READ_or_OPTIONAL_READ_and_not_, _above_, R, KEELI_PARTS(parameter), ~)
/// @cond kinds of terms by those of the inner parameter
#define KEEL_UP_takes_READ_or_OPTIONAL_READ_and_not_KEEL_TERM_READ KEEL_TERM_UP_READ
#define KEEL_UP_takes_READ_or_OPTIONAL_READ_and_not_KEEL_TERM_OPTIONAL_READ KEEL_TERM_UP_OPTIONAL_READ
/// @endcond
#define KEELI_THROUGH(kinds, word, R, c, kind, CT, n, component, others, T, ...) (c, KEELI_CAT(kinds, kind), CT, n, component, KEELI_COMPONENT_LIST(&KEEL_COMPONENT_##R), T##word##R)
/// Filter beside KEEL_TARGETS_FIRST: the component of the entity, or of an entity above it, was inserted or modified since the
/// last look: `KEEL_CHANGED_UP(keel_child, Local)`. See view.h.
#define KEEL_CHANGED_UP(R, T) (keeli_filter, KEEL_TERM_CHANGED_UP, void, , &KEEL_COMPONENT_##T, KEELI_COMPONENT_LIST(&KEEL_COMPONENT_##R), T)
/// Order: targets of the relation are visited before their sources, parents before children, level by level; see view.h.
#define KEEL_TARGETS_FIRST(R) (keeli_filter, KEEL_TERM_TARGETS_FIRST, void, , &KEEL_COMPONENT_##R, NULL, R)
/// Parameter: the handle, `const keel_entity name`.
#define KEEL_ENTITY(name) (keeli_entity, KEEL_TERM_ENTITY, keel_entity, name, NULL, NULL, ~)
/// Parameter of a span: the handles, `const keel_entity *name`.
#define KEEL_SPAN_ENTITIES(name) (keeli_entities, KEEL_TERM_ENTITY, keel_entity, name, NULL, NULL, ~)
/// Parameter of a span: the number of entities, `const uint32_t name`.
#define KEEL_SPAN_COUNT(name) (keeli_count, KEEL_TERM_NONE, uint32_t, name, NULL, NULL, ~)
/// Parameter: a unique to read, `const T *name`.
#define KEEL_UNIQUE_READ(T, name) (keeli_unique, KEEL_TERM_UNIQUE_READ, const T, name, &KEEL_UNIQUE_##T, NULL, T)
/// Parameter: a unique to write, `T *name`.
#define KEEL_UNIQUE_WRITE(T, name) (keeli_unique, KEEL_TERM_UNIQUE_WRITE, T, name, &KEEL_UNIQUE_##T, NULL, T)
/// Access: the system may read up to 8 components of any entity (keel_get on the context, KEEL_EACH).
#define KEEL_MAY_READ(...) (keeli_access, KEEL_TERM_MAY_READ, void, , KEELI_ONE_OF(__VA_ARGS__), KEELI_OTHERS(__VA_ARGS__), ~)
/// Access: the system may write up to 8 components of any entity.
#define KEEL_MAY_WRITE(...) (keeli_access, KEEL_TERM_MAY_WRITE, void, , KEELI_ONE_OF(__VA_ARGS__), KEELI_OTHERS(__VA_ARGS__), ~)
/// Access: the system may add and remove up to 8 components of any entity (keel_add on the context).
#define KEEL_MAY_EDIT(...) (keeli_access, KEEL_TERM_MAY_EDIT, void, , KEELI_ONE_OF(__VA_ARGS__), KEELI_OTHERS(__VA_ARGS__), ~)
/// Parameter: commands, `keel_commands *name`. `KEEL_COMMANDS(name, A, B)` lists the components that they may edit (to 8).
/// Without a list they may edit everything.
#define KEEL_COMMANDS(...) KEELI_CAT(KEELI_COMMANDS_, KEELI_OVER_1(__VA_ARGS__))(__VA_ARGS__)
#define KEELI_COMMANDS_keeli_one(name) (keeli_commands, KEEL_TERM_COMMANDS, keel_commands, name, NULL, NULL, ~)
#define KEELI_COMMANDS_keeli_more(name, ...) (keeli_commands, KEEL_TERM_COMMANDS, keel_commands, name, KEELI_ONE_OF(__VA_ARGS__), KEELI_OTHERS(__VA_ARGS__), ~)
/// Parameter: the context, `keel_context *name`, for look-ups, loops and keel_fail inside the system.
#define KEEL_CONTEXT(name) (keeli_context, KEEL_TERM_CONTEXT, keel_context, name, NULL, NULL, ~)
/// Parameter: the data passed to keel_run_with or keel_run_workload_with, `T *name`.
#define KEEL_DATA(T, name) (keeli_data, KEEL_TERM_DATA, T, name, NULL, NULL, T)
/// Parameter: a custom view, `T *name`; see KEEL_CUSTOM_VIEW. Inside another one: a member `T name`.
#define KEEL_CUSTOM_WRITE(T, name) (keeli_custom, KEEL_TERM_CUSTOM, T, name, NULL, NULL, &KEEL_CUSTOM_VIEW_##T)
/// Parameter: a custom view to read, `const T *name`. All threads of a system that is split share it.
#define KEEL_CUSTOM_READ(T, name) (keeli_custom, KEEL_TERM_CUSTOM_READ, const T, name, NULL, NULL, &KEEL_CUSTOM_VIEW_##T)
/// Parameter: a view over the terms that follow, as for KEEL_TERMS; `const keel_view *name`, open while the body runs. The
/// system may use what the terms declare: keel_get(name, e, T), keel_iterator_begin(&it, name). All threads of a system that is
/// split share the view, which then only reads. Inside a custom view: a member `keel_view name`.
#define KEEL_VIEW(name, ...) (keeli_view, KEEL_TERM_NONE, keel_view, name, NULL, NULL, (KEELI_MAP(KEELI_TERM, ~, __VA_ARGS__)))
/// Parameter of a task: the world itself, `keel_world *name`. Nothing else runs beside the task.
#define KEEL_WORLD(name) (keeli_world, KEEL_TERM_MAY_EDIT_WORLD, keel_world, name, NULL, NULL, ~)
#define KEELI_END (keeli_end, KEEL_TERM_END, void, , NULL, NULL, ~)

#define KEELI_ONE_OF(...) KEELI_ONE_OF_(__VA_ARGS__, ~)
#define KEELI_ONE_OF_(T, ...) &KEEL_COMPONENT_##T
#define KEELI_OTHERS(...) KEELI_CAT(KEELI_OTHERS_, KEELI_COUNT_8(__VA_ARGS__))(__VA_ARGS__)
#define KEELI_OTHERS_keeli_many(...) keeli_at_most_8_components_in_one_term
#define KEELI_OTHERS_1(a) NULL
#define KEELI_OTHERS_2(a, b) KEELI_COMPONENT_LIST(&KEEL_COMPONENT_##b)
#define KEELI_OTHERS_3(a, b, c) KEELI_COMPONENT_LIST(&KEEL_COMPONENT_##b, &KEEL_COMPONENT_##c)
#define KEELI_OTHERS_4(a, b, c, d) KEELI_COMPONENT_LIST(&KEEL_COMPONENT_##b, &KEEL_COMPONENT_##c, &KEEL_COMPONENT_##d)
#define KEELI_OTHERS_5(a, b, c, d, e) KEELI_COMPONENT_LIST(&KEEL_COMPONENT_##b, &KEEL_COMPONENT_##c, &KEEL_COMPONENT_##d, &KEEL_COMPONENT_##e)
#define KEELI_OTHERS_6(a, b, c, d, e, f) KEELI_COMPONENT_LIST(&KEEL_COMPONENT_##b, &KEEL_COMPONENT_##c, &KEEL_COMPONENT_##d, &KEEL_COMPONENT_##e, &KEEL_COMPONENT_##f)
#define KEELI_OTHERS_7(a, b, c, d, e, f, g) KEELI_COMPONENT_LIST(&KEEL_COMPONENT_##b, &KEEL_COMPONENT_##c, &KEEL_COMPONENT_##d, &KEEL_COMPONENT_##e, &KEEL_COMPONENT_##f, &KEEL_COMPONENT_##g)
#define KEELI_OTHERS_8(a, b, c, d, e, f, g, h) KEELI_COMPONENT_LIST(&KEEL_COMPONENT_##b, &KEEL_COMPONENT_##c, &KEEL_COMPONENT_##d, &KEEL_COMPONENT_##e, &KEEL_COMPONENT_##f, &KEEL_COMPONENT_##g, &KEEL_COMPONENT_##h)
#ifdef __cplusplus
template <const keel_component *...C> struct keeli_array { static constexpr const keel_component *list[] = { C..., NULL }; };
#define KEELI_COMPONENT_LIST(...) keeli_array<__VA_ARGS__>::list
#else
#define KEELI_COMPONENT_LIST(...) ((const keel_component *const[]){ __VA_ARGS__, NULL }) // parentheses: macro arguments split at commas in braces
#endif

// A parameter that is no tuple becomes class keeli_bad, which says so with its text.
#define KEELI_CLASS(x) KEELI_CAT(KEELI_CLASS_, KEELI_IS_TUPLE(x))(x)
#define KEELI_CLASS_1(x) KEELI_FIRST x
#define KEELI_CLASS_0(x) keeli_bad
#define KEELI_PARTS(x) KEELI_CAT(KEELI_PARTS_, KEELI_IS_TUPLE(x))(x)
#define KEELI_PARTS_1(x) KEELI_UNWRAP x
#define KEELI_PARTS_0(x) keeli_bad, KEEL_TERM_END, void, , NULL, NULL, x
#define KEELI_PART(prefix, s, i, x) KEELI_APPLY(KEELI_CAT(prefix, KEELI_CLASS(x)), s, i, KEELI_PARTS(x))

// 1. The table of terms.
#define KEELI_TERM(s, i, x) KEELI_APPLY(KEELI_TERM_, KEELI_PARTS(x))
#define KEELI_TERM_(c, kind, CT, n, component, others, ...) { kind, KEELI_CAT(KEELI_SIZE_, c)(CT), component, others, #n, KEELI_CAT(KEELI_KIND_, KEELI_SECOND(KEELI_CAT(KEELI_IS_CUSTOM_, c), 0, ~))(__VA_ARGS__) },
#define KEELI_MANY_KEELI_TERM(s) { KEEL_TERM_END, 0, NULL, NULL, NULL, NULL }
#define KEELI_IS_CUSTOM_keeli_custom ~, 1
#define KEELI_IS_CUSTOM_keeli_among ~, 1
// The same for a system, where a view is a custom view.
#define KEELI_SYSTEM_TERM(s, i, x) KEELI_CAT(KEELI_SYSTEM_TERM_, KEELI_SECOND(KEELI_CAT(KEELI_IS_VIEW_, KEELI_CLASS(x)), 0, ~))(s, i, x)
#define KEELI_SYSTEM_TERM_0(s, i, x) KEELI_TERM(s, i, x)
#define KEELI_SYSTEM_TERM_1(s, i, x) { KEEL_TERM_CUSTOM_READ, 0, NULL, NULL, #s, &keeli_view_of_##s##_##i },
#define KEELI_MANY_KEELI_SYSTEM_TERM(s) KEELI_MANY_KEELI_TERM(s)
#define KEELI_IS_VIEW_keeli_view ~, 1
#define KEELI_KIND_1(kind) kind
#define KEELI_KIND_0(...) NULL
// Expands to nothing useful, and compiles only for a type that has a value.
#ifdef __cplusplus
template <class T> constexpr auto keeli_has_value(int) -> decltype(sizeof(T) > 0) { return true; }
template <class T> constexpr bool keeli_has_value(...) { return false; }
#define KEELI_HAS_VALUE(s, i, CT, T) KEELI_STATIC_ASSERT(keeli_has_value<CT>(0), #s ": " #T " is a tag, which has no value: use KEEL_WITH(" #T ")")
#define KEELI_SIZE_keeli_value(CT) 0 * sizeof(CT)
#else
#define KEELI_HAS_VALUE(s, i, CT, T) enum { s##_size_##i = KEELI_SIZE_keeli_value(CT) };
#define KEELI_SIZE_keeli_value(CT) 0 * sizeof(struct { CT keeli_a_tag_has_no_value_use_KEEL_WITH; })
#endif
#define KEELI_SIZE_keeli_marked(CT) KEELI_SIZE_keeli_value(CT)
#define KEELI_SIZE_keeli_maybe(CT) KEELI_SIZE_keeli_value(CT)
#define KEELI_SIZE_keeli_filter(CT) KEELI_LEADS_##CT
#define KEELI_SIZE_keeli_among(CT) keeli_among_count(CT)
#define KEELI_SIZE_keeli_backwards(CT) 0
#define KEELI_LEADS_void 0
#define KEELI_LEADS_keeli_leads 1
#define KEELI_SIZE_keeli_access(CT) 0
#define KEELI_SIZE_keeli_entity(CT) 0
#define KEELI_SIZE_keeli_entities(CT) 0
#define KEELI_SIZE_keeli_count(CT) 0
#define KEELI_SIZE_keeli_unique(CT) 0
#define KEELI_SIZE_keeli_data(CT) sizeof(CT)
#define KEELI_SIZE_keeli_custom(CT) 0
#define KEELI_SIZE_keeli_view(CT) KEEL_VIEW_is_for_systems_and_custom_views
#define KEELI_SIZE_keeli_commands(CT) 0
#define KEELI_SIZE_keeli_context(CT) 0
#define KEELI_SIZE_keeli_world(CT) 0
#define KEELI_SIZE_keeli_bad(CT) 0
#define KEELI_SIZE_keeli_end(CT) KEELI_THROWS

// 2. Checks for every kind of system: only known parameters, each component's value once, at most 16.
#define KEELI_CHECK(s, i, x) KEELI_PART(KEELI_CHECK_, s, i, x)
#define KEELI_CHECK_keeli_value(s, i, c, k, CT, n, component, others, T) KEELI_HAS_VALUE(s, i, CT, T) enum { KEEL_SYSTEM_##s##_names_##T##_once = i }; typedef CT keeli_type_##s##_##i;
#define KEELI_CHECK_keeli_marked(s, i, c, k, CT, n, component, others, T, ...) KEELI_HAS_VALUE(s, i, CT, T) enum { KEEL_SYSTEM_##s##_names_##T##_once = i }; typedef CT keeli_type_##s##_##i;
#define KEELI_CHECK_keeli_maybe(s, i, c, k, CT, n, component, others, T) KEELI_HAS_VALUE(s, i, CT, T) enum { KEEL_SYSTEM_##s##_names_##T##_once = i }; typedef CT keeli_type_##s##_##i;
#define KEELI_CHECK_keeli_filter(s, i, ...)
#define KEELI_CHECK_keeli_among(s, i, ...) KEELI_STATIC_ASSERT(0, #s ": KEEL_AMONG is for loops and views: a system does not know the list; declare KEEL_MAY_READ(T) or KEEL_MAY_WRITE(T) and loop with KEEL_EACH(context, KEEL_AMONG(list, count), ...)")
#define KEELI_CHECK_keeli_backwards(s, i, ...) KEELI_STATIC_ASSERT(0, #s ": KEEL_BACKWARDS is for loops and views; declare KEEL_MAY_READ(T) or KEEL_MAY_WRITE(T) and loop with KEEL_EACH(context, KEEL_BACKWARDS, ...)")
#define KEELI_CHECK_keeli_access(s, i, ...)
#define KEELI_CHECK_keeli_entity(s, i, ...)
#define KEELI_CHECK_keeli_entities(s, i, ...)
#define KEELI_CHECK_keeli_count(s, i, ...)
#define KEELI_CHECK_keeli_unique(s, i, c, k, CT, n, component, others, T) enum { KEEL_SYSTEM_##s##_unique_##T = i };
#define KEELI_CHECK_keeli_data(s, i, ...) enum { KEEL_SYSTEM_##s##_data_parameter = i };
#define KEELI_CHECK_keeli_custom(s, i, ...)
// A custom view of its own, which is no more than that view.
#define KEELI_CHECK_keeli_view(s, i, c, k, CT, n, component, others, terms)                         \
    static const keel_term keeli_view_terms_##s##_##i[] = { KEELI_UNWRAP terms { KEEL_TERM_END, 0, NULL, NULL, NULL, NULL } }; \
    static keel_result keeli_view_open_##s##_##i(void *keeli_it, keel_context *keeli_context) {     \
        return keel_view_begin(KEELI_CAST(keel_view, keeli_it), keeli_context, keeli_view_terms_##s##_##i, #s "." #n); \
    }                                                                                               \
    static const keel_custom_view keeli_view_of_##s##_##i = {                                       \
        #s "." #n, sizeof(keel_view), KEELI_ALIGNOF(keel_view), keeli_view_terms_##s##_##i,         \
        keeli_view_open_##s##_##i, NULL, NULL, __FILE__, __LINE__, NULL };
#define KEELI_CHECK_keeli_commands(s, i, ...) enum { KEEL_SYSTEM_##s##_commands_parameter = i };
#define KEELI_CHECK_keeli_context(s, i, ...)
#define KEELI_CHECK_keeli_world(s, i, ...)
#define KEELI_CHECK_keeli_bad(s, i, c, k, CT, n, component, others, x) KEELI_STATIC_ASSERT(0, #s ": parameter " #i " is not a KEEL_READ(T, name), KEEL_WRITE(T, name), KEEL_WITH(T), ...: " #x)
#define KEELI_CHECK_keeli_end(s, i, ...)
#define KEELI_MANY_KEELI_CHECK(s) KEELI_STATIC_ASSERT(0, #s ": a system takes at most 16 parameters")

// 3. The parameters of the body.
#define KEELI_BODY(s, i, x) KEELI_PART(KEELI_BODY_, s, i, x)
#define KEELI_BODY_keeli_value(s, i, c, k, CT, n, ...) , CT *KEELI_RESTRICT n
#define KEELI_BODY_keeli_marked(s, i, c, k, CT, n, component, others, T, changed) , CT *KEELI_RESTRICT n, bool *KEELI_RESTRICT changed
#define KEELI_BODY_keeli_maybe(s, i, c, k, CT, n, ...) , CT *KEELI_RESTRICT n
#define KEELI_BODY_keeli_filter(s, i, ...)
#define KEELI_BODY_keeli_among(s, i, ...)
#define KEELI_BODY_keeli_backwards(s, i, ...)
#define KEELI_BODY_keeli_access(s, i, ...)
#define KEELI_BODY_keeli_entity(s, i, c, k, CT, n, ...) , const keel_entity n
#define KEELI_BODY_keeli_entities(s, i, c, k, CT, n, ...) , const keel_entity *n
#define KEELI_BODY_keeli_count(s, i, c, k, CT, n, ...) , const uint32_t n
#define KEELI_BODY_keeli_unique(s, i, c, k, CT, n, ...) , CT *n
#define KEELI_BODY_keeli_data(s, i, c, k, CT, n, ...) , CT *n
#define KEELI_BODY_keeli_custom(s, i, c, k, CT, n, ...) , CT *n
#define KEELI_BODY_keeli_view(s, i, c, k, CT, n, ...) , const CT *n
#define KEELI_BODY_keeli_commands(s, i, c, k, CT, n, ...) , keel_commands *n
#define KEELI_BODY_keeli_context(s, i, c, k, CT, n, ...) , keel_context *n
#define KEELI_BODY_keeli_world(s, i, c, k, CT, n, ...) , keel_world *n
#define KEELI_BODY_keeli_bad(s, i, ...)
#define KEELI_BODY_keeli_end(s, i, ...)
#define KEELI_MANY_KEELI_BODY(s)

// 4. Arrays of values as restrict parameters of the loop functions (gcc ignores restrict on locals), and
//    the arguments for them.
#define KEELI_IS_ARRAY(x) KEELI_SECOND(KEELI_CAT(KEELI_IS_ARRAY_, KEELI_CLASS(x)), 0, ~)
#define KEELI_IS_ARRAY_keeli_value ~, 1
#define KEELI_IS_ARRAY_keeli_marked ~, 1
#define KEELI_IS_ARRAY_keeli_maybe ~, 2
#define KEELI_BASES(s, i, x) KEELI_CAT(KEELI_BASES_, KEELI_IS_ARRAY(x))(s, i)
#define KEELI_BASES_1(s, i) , keeli_type_##s##_##i *KEELI_RESTRICT keeli_base_##i
#define KEELI_BASES_2(s, i) KEELI_BASES_1(s, i)
#define KEELI_BASES_0(s, i)
#define KEELI_MANY_KEELI_BASES(s)
#define KEELI_PASS(s, i, x) KEELI_CAT(KEELI_PASS_, KEELI_IS_ARRAY(x))(s, i)
#define KEELI_PASS_1(s, i) , KEELI_CAST(keeli_type_##s##_##i, keeli_chunk->columns[i].base)
#define KEELI_PASS_2(s, i) KEELI_PASS_1(s, i)
#define KEELI_PASS_0(s, i)
#define KEELI_MANY_KEELI_PASS(s)
#define KEELI_SHIFT(s, i, x) KEELI_CAT(KEELI_SHIFT_, KEELI_IS_ARRAY(x))(s, i)
#define KEELI_SHIFT_1(s, i) , keeli_base_##i + keeli_at
#define KEELI_SHIFT_2(s, i) , (keeli_base_##i ? keeli_base_##i + keeli_at : NULL)
#define KEELI_SHIFT_0(s, i)
#define KEELI_MANY_KEELI_SHIFT(s)
#define KEELI_NEXT_WORD(s, i, x) KEELI_CAT(KEELI_NEXT_WORD_, KEELI_IS_ARRAY(x))(s, i)
#define KEELI_NEXT_WORD_1(s, i) keeli_base_##i += 64;
#define KEELI_NEXT_WORD_2(s, i) if (keeli_base_##i) keeli_base_##i += 64;
#define KEELI_NEXT_WORD_0(s, i)
#define KEELI_MANY_KEELI_NEXT_WORD(s)

// 5. Locals of all loops: what is the same for every entity; and of the list loop.
#define KEELI_LOCAL(s, i, x) KEELI_PART(KEELI_LOCAL_, s, i, x)
#define KEELI_LOCAL_keeli_value(s, i, ...)
#define KEELI_LOCAL_keeli_marked(s, i, ...) bool *keeli_marked_##i = keeli_chunk->columns[i].marked;
#define KEELI_LOCAL_keeli_maybe(s, i, ...)
#define KEELI_LOCAL_keeli_filter(s, i, ...)
#define KEELI_LOCAL_keeli_among(s, i, ...)
#define KEELI_LOCAL_keeli_backwards(s, i, ...)
#define KEELI_LOCAL_keeli_access(s, i, ...)
#define KEELI_LOCAL_keeli_entity(s, i, ...) const keel_entity *keeli_entities_##i = keeli_chunk->entities;
#define KEELI_LOCAL_keeli_entities(s, i, ...) KEELI_STATIC_ASSERT(0, #s ": KEEL_SPAN_ENTITIES is for KEEL_SYSTEM_SPAN; a KEEL_SYSTEM takes KEEL_ENTITY(name)")
#define KEELI_LOCAL_keeli_count(s, i, ...) KEELI_STATIC_ASSERT(0, #s ": KEEL_SPAN_COUNT is for KEEL_SYSTEM_SPAN; a KEEL_SYSTEM runs for one entity")
#define KEELI_LOCAL_keeli_unique(s, i, c, k, CT, ...) CT *keeli_value_##i = KEELI_CAST(CT, keeli_chunk->columns[i].base);
#define KEELI_LOCAL_keeli_data(s, i, c, k, CT, ...) CT *keeli_value_##i = KEELI_CAST(CT, keeli_chunk->columns[i].base);
#define KEELI_LOCAL_keeli_custom(s, i, c, k, CT, ...) CT *keeli_value_##i = KEELI_CAST(CT, keeli_chunk->columns[i].base);
#define KEELI_LOCAL_keeli_view(s, i, c, k, CT, ...) const CT *keeli_value_##i = KEELI_CAST(const CT, keeli_chunk->columns[i].base);
#define KEELI_LOCAL_keeli_commands(s, i, ...) keel_commands *keeli_commands = keel_context_commands(keeli_context);
#define KEELI_LOCAL_keeli_context(s, i, ...)
#define KEELI_LOCAL_keeli_world(s, i, ...) KEELI_STATIC_ASSERT(0, #s ": KEEL_WORLD is for KEEL_SYSTEM_ONCE; a KEEL_SYSTEM takes KEEL_CONTEXT(name)")
#define KEELI_LOCAL_keeli_bad(s, i, ...)
#define KEELI_LOCAL_keeli_end(s, i, ...)
#define KEELI_MANY_KEELI_LOCAL(s)
#define KEELI_LISTS(s, i, x) KEELI_CAT(KEELI_LISTS_, KEELI_IS_ARRAY(x))(s, i)
#define KEELI_LISTS_1(s, i)                                                                         \
    keeli_type_##s##_##i *const keeli_base_##i = KEELI_CAST(keeli_type_##s##_##i, keeli_chunk->columns[i].base);    \
    void *const *keeli_pages_##i = keeli_chunk->columns[i].pages;                                   \
    const uint32_t *keeli_index_##i = keeli_chunk->columns[i].index;                                \
    const uint32_t keeli_shift_##i = keeli_chunk->columns[i].shift;
#define KEELI_LISTS_2(s, i) KEELI_LISTS_1(s, i)
#define KEELI_LISTS_0(s, i)
#define KEELI_MANY_KEELI_LISTS(s)

// 6. The arguments of the body for entity keeli_k: side by side, the bases at slot keeli_origin of the chunk; and through
//    a list, where the base of a column is the page of all its values, or NULL.
#define KEELI_SIDE(s, i, x) KEELI_PART(KEELI_SIDE_, s, i, x)
#define KEELI_SIDE_keeli_value(s, i, ...) , keeli_base_##i + keeli_k
#define KEELI_SIDE_keeli_marked(s, i, ...) , keeli_base_##i + keeli_k, keeli_marked_##i + keeli_origin + keeli_k
#define KEELI_SIDE_keeli_maybe(s, i, ...) , (keeli_base_##i ? keeli_base_##i + keeli_k : NULL)
#define KEELI_SIDE_keeli_filter(s, i, ...)
#define KEELI_SIDE_keeli_among(s, i, ...)
#define KEELI_SIDE_keeli_backwards(s, i, ...)
#define KEELI_SIDE_keeli_access(s, i, ...)
#define KEELI_SIDE_keeli_entity(s, i, ...) , keeli_entities_##i[keeli_origin + keeli_k]
#define KEELI_SIDE_keeli_entities(s, i, ...) , NULL
#define KEELI_SIDE_keeli_count(s, i, ...) , 0
#define KEELI_SIDE_keeli_unique(s, i, ...) , keeli_value_##i
#define KEELI_SIDE_keeli_data(s, i, ...) , keeli_value_##i
#define KEELI_SIDE_keeli_custom(s, i, ...) , keeli_value_##i
#define KEELI_SIDE_keeli_view(s, i, ...) , keeli_value_##i
#define KEELI_SIDE_keeli_commands(s, i, ...) , keeli_commands
#define KEELI_SIDE_keeli_context(s, i, ...) , keeli_context
#define KEELI_SIDE_keeli_world(s, i, ...) , NULL
#define KEELI_SIDE_keeli_bad(s, i, ...)
#define KEELI_SIDE_keeli_end(s, i, ...)
#define KEELI_MANY_KEELI_SIDE(s)
#define KEELI_AT(s, i, x) KEELI_PART(KEELI_AT_, s, i, x)
#define KEELI_AT_VALUE(s, i) (keeli_base_##i ? keeli_base_##i + keeli_index_##i[keeli_k] : KEELI_CAST(keeli_type_##s##_##i, keeli_pages_##i[keeli_index_##i[keeli_k] >> keeli_shift_##i]) + (keeli_index_##i[keeli_k] & (((uint32_t)1 << keeli_shift_##i) - 1)))
#define KEELI_AT_keeli_value(s, i, ...) , KEELI_AT_VALUE(s, i)
#define KEELI_AT_keeli_marked(s, i, ...) , KEELI_AT_VALUE(s, i), keeli_marked_##i + keeli_k
#define KEELI_AT_keeli_maybe(s, i, ...) , (keeli_index_##i[keeli_k] == UINT32_MAX ? NULL : KEELI_AT_VALUE(s, i))
#define KEELI_AT_keeli_filter(s, i, ...)
#define KEELI_AT_keeli_among(s, i, ...)
#define KEELI_AT_keeli_backwards(s, i, ...)
#define KEELI_AT_keeli_access(s, i, ...)
#define KEELI_AT_keeli_entity(s, i, ...) , keeli_entities_##i[keeli_k]
#define KEELI_AT_keeli_entities(s, i, ...) , NULL
#define KEELI_AT_keeli_count(s, i, ...) , 0
#define KEELI_AT_keeli_unique(s, i, ...) , keeli_value_##i
#define KEELI_AT_keeli_data(s, i, ...) , keeli_value_##i
#define KEELI_AT_keeli_custom(s, i, ...) , keeli_value_##i
#define KEELI_AT_keeli_view(s, i, ...) , keeli_value_##i
#define KEELI_AT_keeli_commands(s, i, ...) , keeli_commands
#define KEELI_AT_keeli_context(s, i, ...) , keeli_context
#define KEELI_AT_keeli_world(s, i, ...) , NULL
#define KEELI_AT_keeli_bad(s, i, ...)
#define KEELI_AT_keeli_end(s, i, ...)
#define KEELI_MANY_KEELI_AT(s)

// The loops stop after keel_fail, which needs a context.
#define KEELI_GOES_ON(s, i, x) KEELI_CAT(KEELI_GOES_ON_, KEELI_SECOND(KEELI_CAT(KEELI_IS_CONTEXT_, KEELI_CLASS(x)), 0, ~))
#define KEELI_IS_CONTEXT_keeli_context ~, 1
#define KEELI_GOES_ON_1 && !keeli_context_has_failed(keeli_context)
#define KEELI_GOES_ON_0
#define KEELI_MANY_KEELI_GOES_ON(s)

// 7. The arguments of the body of a span system, a task or a condition.
#define KEELI_WHOLE(s, i, x) KEELI_PART(KEELI_WHOLE_, s, i, x)
#define KEELI_WHOLE_keeli_value(s, i, c, k, CT, ...) , KEELI_CAST(CT, keeli_chunk->columns[i].base)
#define KEELI_WHOLE_keeli_marked(s, i, c, k, CT, ...) , KEELI_CAST(CT, keeli_chunk->columns[i].base), keeli_chunk->columns[i].marked
#define KEELI_WHOLE_keeli_maybe(s, i, c, k, CT, ...) , KEELI_CAST(CT, keeli_chunk->columns[i].base)
#define KEELI_WHOLE_keeli_filter(s, i, ...)
#define KEELI_WHOLE_keeli_among(s, i, ...)
#define KEELI_WHOLE_keeli_backwards(s, i, ...)
#define KEELI_WHOLE_keeli_access(s, i, ...)
#define KEELI_WHOLE_keeli_entity(s, i, ...) , (KEELI_NEVER(#s ": KEEL_ENTITY is for KEEL_SYSTEM; a KEEL_SYSTEM_SPAN takes KEEL_SPAN_ENTITIES(name)"), keel_null())
#define KEELI_WHOLE_keeli_entities(s, i, ...) , keeli_chunk->entities
#define KEELI_WHOLE_keeli_count(s, i, ...) , keeli_chunk->count
#define KEELI_WHOLE_keeli_unique(s, i, c, k, CT, ...) , KEELI_CAST(CT, keeli_chunk->columns[i].base)
#define KEELI_WHOLE_keeli_data(s, i, c, k, CT, ...) , KEELI_CAST(CT, keeli_chunk->columns[i].base)
#define KEELI_WHOLE_keeli_custom(s, i, c, k, CT, ...) , KEELI_CAST(CT, keeli_chunk->columns[i].base)
#define KEELI_WHOLE_keeli_view(s, i, c, k, CT, ...) , KEELI_CAST(const CT, keeli_chunk->columns[i].base)
#define KEELI_WHOLE_keeli_commands(s, i, ...) , keel_context_commands(keeli_context)
#define KEELI_WHOLE_keeli_context(s, i, ...) , keeli_context
#define KEELI_WHOLE_keeli_world(s, i, ...) , keel_context_world(keeli_context)
#define KEELI_WHOLE_keeli_bad(s, i, ...)
#define KEELI_WHOLE_keeli_end(s, i, ...)
#define KEELI_MANY_KEELI_WHOLE(s)

// 8. How many parameters are about entities: a system needs one, a task has none; none is KEEL_WORLD.
#define KEELI_ABOUT(s, i, x) KEELI_CAT(KEELI_ABOUT_, KEELI_CLASS(x))
#define KEELI_WORLDS(s, i, x) + KEELI_SECOND(KEELI_CAT(KEELI_IS_WORLD_, KEELI_CLASS(x)), 0, ~)
#define KEELI_IS_WORLD_keeli_world ~, 1
#define KEELI_MANY_KEELI_WORLDS(s) + 0
#define KEELI_ABOUT_keeli_value + 1
#define KEELI_ABOUT_keeli_marked + 1
#define KEELI_ABOUT_keeli_maybe + 1
#define KEELI_ABOUT_keeli_filter + 1
#define KEELI_ABOUT_keeli_entity + 1
#define KEELI_ABOUT_keeli_entities + 1
#define KEELI_ABOUT_keeli_count + 0
#define KEELI_ABOUT_keeli_access + 0
#define KEELI_ABOUT_keeli_unique + 0
#define KEELI_ABOUT_keeli_data + 0
#define KEELI_ABOUT_keeli_custom + 0
#define KEELI_ABOUT_keeli_view + 0
#define KEELI_ABOUT_keeli_commands + 0
#define KEELI_ABOUT_keeli_context + 0
#define KEELI_ABOUT_keeli_world + 0
#define KEELI_ABOUT_keeli_bad + 0
#define KEELI_ABOUT_keeli_end + 0
#define KEELI_MANY_KEELI_ABOUT(s) + 0

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
/// `return;` continues with the next entity. A system has up to 16 parameters. `static` before it, as before the other kinds
/// and KEEL_WORKLOAD, limits the name to this file; in C++ it changes nothing, so that C finds the system.
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
/// elements, for hand-written SIMD. They have the alignment of their type, no more. A sparse set whose order differs from that
/// of the others gives short spans: correct, and slow.
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
/// Defines a system that runs once per run: it takes uniques, commands, and a context to look things up and loop with. It
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
// There may be a system of this name.
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
// The arguments of a run behind its name, as a keel_run_desc; NULL if there are none.
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
/// `keel_view all`. Up to 16 in all; legal wherever KEEL_COMPONENT is. See custom_view.h.
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
// A step begins with a bracket, a name of a system with a letter.
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
/// Terms for keel_view_begin: `keel_view_begin(&view, world, KEEL_TERMS(KEEL_READ(Position, p), KEEL_MAY_EDIT(Dead)),
/// "my view")`. The names have no effect. KEEL_MAY_EDIT_ENTITIES and KEEL_MAY_EDIT_WORLD only exist here.
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
/// The scope is the world or, in a system, the context; or a keel_reader, for the changes since its last pass. The view is
/// closed when the loop is left in any way: at its end, by break, return or goto. The loop costs a few instructions more per
/// entity than a KEEL_SYSTEM. If the view cannot be opened, the loop does nothing, and keel_last_error says why. Edits of
/// components that the loop uses are refused inside it: record commands (commands.h).
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
// Each parameter is a loop of its own that runs once; the innermost notes that the body ran to its end.
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

// Loops over the hierarchy. The body may delete or detach the current entity, and must not change the rest of the walk.
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
