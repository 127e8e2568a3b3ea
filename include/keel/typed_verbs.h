// SPDX-License-Identifier: MIT
/// @file typed_verbs.h
/// The part of typed.h that has the verbs: keel_add, keel_get, keel_spawn, keel_sort and so on, and
/// the values that they take (KEEL_INIT, KEEL_OUT, KEEL_COLUMN). Each verb is a typed spelling of
/// one exported function. Programs include keel.h.
#pragma once
#pragma GCC system_header
#include <keel/custom_view.h>
#include <keel/edit.h>
#include <keel/group.h>
#include <keel/hierarchy.h>
#include <keel/name.h>
#include <keel/prefab.h>
#include <keel/track.h>
#include <keel/typed_core.h>
#include <keel/typed_cpp.h>
#include <keel/unique.h>
#include <keel/view.h>
// clang-format off

// ---------------------------------------------------------------- values
// A value is written as an array of one element, because this accepts {1, 2}, {.x = 3}, a variable or a scalar. KEELI_COPIED: a
// value that the world copies, and the caller keeps.
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
/// A component to add, for lists: `KEEL_INIT(T, {1, 2})` and `KEEL_INIT(T, variable)` have this value. `KEEL_INIT(T)` adds
/// zeros or a tag, and does not change the value of an entity that has the component already.
#define KEEL_INIT(...) KEELI_CAT(KEELI_INIT_, KEELI_OVER_1(__VA_ARGS__))(__VA_ARGS__)
#define KEELI_INIT_keeli_one(T) KEELI_INIT_ONE(T)
#define KEELI_INIT_keeli_more(T, ...) KEELI_INIT_MORE(T, __VA_ARGS__)
/// A component to remove, and the variable for its value: `KEEL_OUT(T, &value)`, `KEEL_OUT(T, &value, &taken)`. `taken`
/// receives whether the entity had it.
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
// The first argument is the scope: a world edits at once, commands edit later, a view or context edits the storages that it
// holds (scope.h). Verbs without a type are functions: keel_delete_entity, keel_strip, keel_is_alive, keel_attach, ...
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
/// Returns the changes of an entity's component in the period that the scope sees, as KEEL_TRACK_INSERTION and
/// KEEL_TRACK_MODIFICATION bits. Scope: world, context, reader. See keel_changes_of_component.
#define keel_changes_of(scope, e, T) keel_changes_of_component((scope), (e), &KEEL_COMPONENT_##T)
/// Returns the changes of a unique in the same way; an insertion means that the unique was set while it had no value. Scope:
/// world, context, reader.
#define keel_unique_changes_of(scope, T) keel_changes_of_component((scope), keel_null(), &KEEL_UNIQUE_##T)
/// Returns how many removals and deletions were dropped, as there were too many, before the scope saw them. Scope: world,
/// context, reader.
#define keel_missed(scope, T) keel_missed_component((scope), &KEEL_COMPONENT_##T)
/// Adds a component to an entity, or overwrites its value: `keel_add(world, e, Position, {1, 2})`, `keel_add(world, e,
/// Position, variable)`. Without a value, `keel_add(world, e, Position)`, an entity that lacks the component gets zeros, and
/// the value of an entity that has it does not change. Scope: any. See keel_add_component.
#define keel_add(...) KEELI_CAT(KEELI_ADD_, KEELI_OVER_3(__VA_ARGS__))(__VA_ARGS__)
#define KEELI_ADD_keeli_one(scope, e, T) KEELI_ADD_DEFAULT(scope, e, &KEEL_COMPONENT_##T, KEELI_DEFAULT(T, KEEL_COMPONENT_##T))
#define KEELI_ADD_keeli_more(scope, e, T, ...) KEELI_ADD(scope, e, &KEEL_COMPONENT_##T, KEELI_THE_VALUE(T, __VA_ARGS__))
/// Adds a component unless the entity has it already: then its value does not change, and the new value is dropped:
/// `keel_add_if_missing(world, e, T, {1, 2})`. Scope: any.
#define keel_add_if_missing(...) KEELI_CAT(KEELI_ADD_IF_MISSING_, KEELI_OVER_3(__VA_ARGS__))(__VA_ARGS__)
#define KEELI_ADD_IF_MISSING_keeli_one(scope, e, T) KEELI_ADD_IF_MISSING(scope, e, KEEL_OF(T), KEELI_DEFAULT(T, (*KEEL_OF(T))))
#define KEELI_ADD_IF_MISSING_keeli_more(scope, e, T, ...) KEELI_ADD_IF_MISSING(scope, e, KEEL_OF(T), KEELI_THE_VALUE(T, __VA_ARGS__))
/// Adds a component without the check that the entity is alive; if it is not, the behaviour is undefined. Scope: world, view.
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
/// Adds a component to many entities with the values of an array of `T`, one for each entity, which are moved into the world.
/// Scope: any.
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
/// Deletes the component from the entities for which `keep` returns false. See keel_retain_component.
#define keel_retain(world, T, keep, data) keel_retain_component((world), &KEEL_COMPONENT_##T, (keep), (data))
/// Disables a component of an entity: the entity seems to lack it, and the value is kept. Scope: any. See
/// keel_enable_component.
#define keel_disable(world, e, T) keel_enable_component((world), (e), &KEEL_COMPONENT_##T, false)
/// Enables a disabled component again, with its value. Scope: any.
#define keel_enable(world, e, T) keel_enable_component((world), (e), &KEEL_COMPONENT_##T, true)
/// True if the entity has the component and it is disabled.
#define keel_is_disabled(world, e, T) keel_is_component_disabled((world), (e), &KEEL_COMPONENT_##T)
/// Allocates room for `count` values of the component. See keel_reserve_component.
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
/// Swaps two entities in the order of a sparse set. See keel_swap_component.
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
/// Returns the tick of the last insertion or modification of a value. See keel_change_tick_of_component.
#define keel_change_tick(world, e, T) keel_change_tick_of_component((world), (e), &KEEL_COMPONENT_##T)
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
/// Calls a function whenever an event of these kinds happens to the component: `keel_observe(world, T, KEEL_ON_INSERTED,
/// function, data)`. See keel_observe_component.
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
/// the caller of the removal got the value, and `removal.value` is NULL. Scope: world, context, reader.
#define KEEL_EACH_REMOVED(scope, T, removal) KEELI_EACH_REMOVED(KEELI_CAT(keeli_walk_, __COUNTER__), scope, T, removal)
// The inner loop runs once; `whole` tells whether the body was left by break.
#define KEELI_EACH_REMOVED(walk, scope, T, name)                                                    \
    for (keel_removal_walk walk = keel_removals((scope), &KEEL_COMPONENT_##T, KEEL_TRACK_REMOVAL | KEEL_TRACK_DELETION); walk.whole && keel_removal_next(&walk);) \
        for (KEELI_UNUSED const keel_removal name = (walk.whole = false, walk.removal); !walk.whole; walk.whole = true)
/// Returns fast access to a component by entity. See keel_lookup.
#define keel_lookup_of(world, T) keel_lookup_of_component((world), &KEEL_COMPONENT_##T)
/// Returns the value of an entity from a lookup of `T`: `const T *` or NULL (also when the lookup has another size).
#define keel_lookup_get(column, e, T) KEELI_CAST(const T, keeli_typed_column_at((column), (e), &KEEL_COMPONENT_##T, sizeof(T)))
/// Returns the values of a component in a span, to read: an array, `const T *`, or NULL.
#define keel_span_read(span, T) KEELI_CAST(const T, keel_span_read_component((span), &KEEL_COMPONENT_##T))
/// Returns the values of a component in a span, to write: an array, `T *`, or NULL.
#define keel_span_write(span, T) KEELI_CAST(T, keel_span_write_component((span), &KEEL_COMPONENT_##T))
// clang-format on
