// SPDX-License-Identifier: MIT
/// @file edit.h
/// Edits of entities and their components, and access to single values. These functions are behind
/// the typed verbs of typed.h (keel_add, keel_get, ...). Bindings and generic code call them
/// directly.
///
/// **Scopes.** A function that takes a keel_scope acts as the scope says (scope.h). A world acts at
/// once, and only its owner may use it. A view or context acts at once, on the storages that it
/// holds with sufficient access. For other storages the result is KEEL_ERROR_ACCESS, and while an
/// iterator over the storage is live it is KEEL_ERROR_ITERATING. Commands record the edit.
/// Recording returns KEEL_OK, or KEEL_ERROR_MEMORY or KEEL_ERROR_COMPONENT with nothing recorded.
///
/// **Refused edits.** An edit is refused, and changes nothing, with KEEL_ERROR_BORROWED while a
/// view or system uses a storage that it touches, and with KEEL_ERROR_SHARED in shared mode. To
/// edit in these cases, record commands (commands.h). A component may be bound to threads
/// (keel_threads): an edit of it on a thread that may not make the edit is refused with
/// KEEL_ERROR_THREAD. The same holds for edits of other components that would move its values:
/// components in the same archetype, or in a group that owns the bound component.
///
/// **Memory.** Deleting or stripping an entity never needs memory. Removing a KEEL_ARCHETYPE
/// component moves the entity's row, which may need memory. So the functions that remove, delete,
/// clear, retain or unregister a KEEL_ARCHETYPE component may also return KEEL_ERROR_MEMORY, with
/// nothing changed.
///
/// **Ownership of values.** The world takes ownership of a value that is added or set: after
/// success the world owns what the value owns (its text, its file, ...); after an error the caller
/// still owns it. A NULL value means zeros for an entity that lacks the component. If the entity
/// has the component, NULL leaves its value as it is, and does not mark it as modified.
///
/// **Pointers to values** stay valid until the next edit of their component. There are three
/// exceptions. A pointer to a KEEL_INDEXED value is valid until that value is removed. A pointer to
/// a KEEL_ARCHETYPE value is valid until the next edit of any KEEL_ARCHETYPE component. A pointer
/// to a value of a component that a group owns is valid until the next edit of any component that
/// the group names.
#pragma once
#include <keel/scope.h>
#include <keel/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A component and the value to add, made by KEEL_INIT.
typedef struct keel_value {
    const keel_component *component; ///< NULL ends a list
    const void *value; ///< `component->size` bytes; NULL: zeros, unless the entity has a value
                       ///< already
} keel_value;

/// Returns a marker for a list of values. Values behind the marker are only added to an entity that
/// lacks the component: a value that the entity has already stays as it is, and the value in the
/// list is dropped. The marker is no component.
KEEL_API const keel_component *keel_if_missing(void);

/// A component to remove and the place for its value, made by KEEL_OUT.
typedef struct keel_out {
    const keel_component *component; ///< NULL ends a list
    void *value;                     ///< receives the value; NULL: the value is dropped
    bool *taken;                     ///< receives whether the entity had the component; may be NULL
} keel_out;

/// A component and its values for many entities, made by KEEL_COLUMN, KEEL_COLUMN_IN or KEEL_FILL.
typedef struct keel_value_column {
    const keel_component *component; ///< NULL ends a list
    const void *values; ///< the first value; NULL: zeros, for entities that lack the component
    size_t stride;      ///< bytes from one value to the next, at least the size of a value; 0: one
                        ///< value, copied for all entities
} keel_value_column;

/// Creates an entity with the given components. Typed: keel_add_entity.
/// @param values a list that ends with a NULL component; NULL: no components. A component named
///   twice gets the last value (the earlier one is dropped)
/// @param scope a view or context needs KEEL_TERM_MAY_EDIT_ENTITIES, and `edit` for each component.
///   With commands, later commands may use the handle, and components may store it; the entity is
///   alive from when the command is applied
/// @return the new handle; null on error: KEEL_ERROR_MEMORY, KEEL_ERROR_FULL, KEEL_ERROR_COMPONENT,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED, see keel_last_error
KEEL_API keel_entity keel_add_entity_values(keel_scope *scope, const keel_value *values);

/// Creates an entity with exactly this handle and no components, for saved games and copies over a
/// network. Entities that are created later get the lower indices that were never used, lowest
/// first.
/// @return KEEL_OK, KEEL_ERROR_OCCUPIED when a living entity has this index, with any version,
///   KEEL_ERROR_DEAD_ENTITY when `e` is null, KEEL_ERROR_FULL when the index is retired (entity.h),
///   KEEL_ERROR_MEMORY, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_add_entity_at(keel_world *world, keel_entity e);

/// Creates `count` entities at once: either all of them or, on error, none. Typed:
/// keel_add_entities.
/// @param out receives `count` handles; may be NULL
/// @param columns a list that ends with a NULL component; NULL: no components. The world takes
///   ownership of values with a stride; with a stride of 0 the caller keeps the value, and the
///   world makes copies with the copy hook
/// @param scope as for keel_add_entity_values
/// @return KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_FULL, KEEL_ERROR_COPY, KEEL_ERROR_COMPONENT,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_add_entity_columns(keel_scope *scope, uint32_t count, keel_entity *out,
                                             const keel_value_column *columns);

/// Deletes an entity with all its components. Its children become roots, unless the world was made
/// with another `on_parent_delete` (keel_world_desc). keel_delete_tree deletes the children, too.
/// @param scope a view or context needs KEEL_TERM_MAY_EDIT_ENTITIES, and `edit` for each component
///   that the entity has
/// @invalidates the handle, pointers to its values, and pointers into the same storages
/// @return KEEL_OK the first time, KEEL_ABSENT when the entity was not alive, KEEL_ERROR_BORROWED,
///   KEEL_ERROR_SHARED, KEEL_ERROR_RELATED when a relation refuses the deletion (relation.h)
KEEL_API keel_result keel_delete_entity(keel_scope *scope, keel_entity e);

/// Deletes an entity like keel_delete_entity, but without any check, for hot code. The behaviour is
/// undefined unless `e` is alive, no view is open and the entity has neither parent nor children.
/// Its edges are removed, but `.on_delete` of relations is not applied. Its components are deleted
/// and observers are called, as by keel_delete_entity.
KEEL_API void keel_delete_entity_unchecked(keel_world *world, keel_entity e);

/// Deletes each living entity of the list and skips the others. keel_last_count returns how many it
/// deleted.
/// @param scope a view needs KEEL_TERM_MAY_EDIT_WORLD
/// @return KEEL_OK, KEEL_ABSENT when none was alive, KEEL_ERROR_BORROWED (none deleted),
///   KEEL_ERROR_SHARED, KEEL_ERROR_RELATED (none deleted)
KEEL_API keel_result keel_delete_entities(keel_scope *scope, const keel_entity *entities,
                                          uint32_t count);

/// Deletes every entity that has the component, with all its other components. Typed:
/// keel_delete_entities_having.
/// @param scope a view or context needs as much as for keel_delete_entity:
///   KEEL_TERM_MAY_EDIT_ENTITIES, and `edit` for each component of these entities. With commands,
///   the entities are deleted that have the component when the command is applied
/// @return KEEL_OK, KEEL_ABSENT when no entity had the component, KEEL_ERROR_BORROWED,
///   KEEL_ERROR_SHARED, KEEL_ERROR_RELATED; KEEL_ERROR_MEMORY if `component` is a relation or
///   keel_name, or if a relation of the world has another `.on_delete` than KEEL_UNRELATE
KEEL_API keel_result keel_delete_entities_having_component(keel_scope *scope,
                                                           const keel_component *component);

/// Deletes all entities. Entities that are created afterwards get the indices in ascending order,
/// with higher versions. Steps of workloads also forget how many handles they reserved in earlier
/// runs. So a world that is filled afterwards by keel_copy_world or by a load gives entities the
/// same handles as a new world that is filled in the same way.
/// @return KEEL_OK, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_clear_entities(keel_world *world);

/// Returns the count of the last successful bulk edit of this world. After
/// keel_delete_entities and the other functions that delete several entities: the number of
/// deleted entities. After keel_delete_component_from_many and the other functions that delete a
/// component of several entities: the number of entities that lost the component. After
/// keel_clear_uniques: the number of removed uniques. keel_merge_world stores the number of new
/// entities here. A call that returns an error or KEEL_ABSENT does not change the number.
/// @threads the owner
KEEL_API uint32_t keel_last_count(const keel_world *world);

/// Creates `count` entities with copies of all components of `prototype`, all or, on error, none.
/// The copies have no parent and no children. keel_clone_entity makes one copy.
/// @param out receives `count` handles; may be NULL
/// @param scope a view needs KEEL_TERM_MAY_EDIT_ENTITIES, and `edit` for each component. With
///   commands, the handles can be used at once, and the prototype is copied as it is when the
///   command is applied
/// @return KEEL_OK, KEEL_ERROR_DEAD_ENTITY, KEEL_ERROR_COPY (a component with a drop hook but no
///   copy hook, or a copy hook that failed), KEEL_ERROR_MEMORY, KEEL_ERROR_FULL,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED. keel_last_error has the same error
KEEL_API keel_result keel_clone_entities(keel_scope *scope, keel_entity prototype, uint32_t count,
                                         keel_entity *out);

/// Private. Called by the macro keel_clone_entity.
static inline keel_entity keeli_clone_entity(keel_scope *scope, keel_entity prototype) {
    keel_entity copy = keel_null();
    return keel_clone_entities(scope, prototype, 1, &copy) < 0 ? keel_null() : copy;
}

/// Adds a component to an entity, or overwrites its value (the old value is dropped). Typed:
/// keel_add.
/// @param value `component->size` bytes, of which the world takes ownership; NULL: zeros, or, if
///   the entity has the component already, its value stays as it is
/// @invalidates pointers to values of the component ("Pointers to values" above)
/// @return KEEL_OK, KEEL_ERROR_DEAD_ENTITY, KEEL_ERROR_MEMORY, KEEL_ERROR_COMPONENT,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_add_component(keel_scope *scope, keel_entity e,
                                        const keel_component *component, const void *value);

/// Adds a component like keel_add_component, but without the check that `e` is alive. The behaviour
/// is undefined if `e` is not alive.
KEEL_API keel_result keel_add_component_unchecked(keel_scope *scope, keel_entity e,
                                                  const keel_component *component,
                                                  const void *value);

/// Adds or overwrites several components in one step: all of them or, on error, none. Typed:
/// keel_add_values.
/// @param values a list that ends with a NULL component
/// @return as keel_add_component
KEEL_API keel_result keel_add_component_values(keel_scope *scope, keel_entity e,
                                               const keel_value *values);

/// Returns the entity's value to change in place, and adds the component first when the entity
/// lacks it. Typed: keel_get_or_add.
/// @param value the value to add; the world takes ownership only if the entity lacks the component;
///   NULL: zeros
/// @return the value; NULL on the errors of keel_add_component. keel_last_error has the error,
///   except when the entity is not alive: this is not stored as an error
KEEL_API void *keel_get_or_add_component(keel_world *world, keel_entity e,
                                         const keel_component *component, const void *value);

/// Removes a component and hands its value to the caller. Typed: keel_remove. keel_delete_component
/// drops the value instead.
/// @param out receives `component->size` bytes and what they own. NULL: the value is dropped. It
///   must be NULL for commands, which cannot return a value (otherwise KEEL_ERROR_ARGUMENT)
/// @return KEEL_OK, KEEL_ABSENT when the entity lacks the component (`out` untouched),
///   KEEL_ERROR_DEAD_ENTITY, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_remove_component(keel_scope *scope, keel_entity e,
                                           const keel_component *component, void *out);

/// Removes several components and hands their values to the caller. `taken` of each element of
/// `outs` receives whether the entity had the component. Typed: keel_remove_values.
/// @param scope not commands
/// @param outs a list that ends with a NULL component
/// @return KEEL_OK when the entity had at least one of them, KEEL_ABSENT when it had none,
///   KEEL_ERROR_DEAD_ENTITY, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED (none removed)
KEEL_API keel_result keel_remove_component_values(keel_scope *scope, keel_entity e,
                                                  const keel_out *outs);

/// Removes the component from one of the entities that have it, lowest index first, and hands its
/// value to the caller. Called until it returns false, it removes all values. An entity that gets
/// the component again between two calls is visited again. Typed: keel_drain.
/// @param scope not commands
/// @param e receives the entity that had the value; may be NULL
/// @param out as for keel_remove_component
/// @return false when no entity has the component, or on error (keel_last_error)
KEEL_API bool keel_drain_component(keel_scope *scope, const keel_component *component,
                                   keel_entity *e, void *out);

/// Deletes one component of an entity and drops its value. Typed: keel_delete.
/// @return KEEL_OK, KEEL_ABSENT when the entity lacks it, KEEL_ERROR_DEAD_ENTITY,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_delete_component(keel_scope *scope, keel_entity e,
                                           const keel_component *component);

/// Deletes the listed components of an entity and skips those that it lacks.
/// @param components a list that ends with NULL
/// @return KEEL_OK when the entity had at least one of them, KEEL_ABSENT when it had none,
///   KEEL_ERROR_DEAD_ENTITY, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED (none deleted)
KEEL_API keel_result keel_delete_components(keel_scope *scope, keel_entity e,
                                            const keel_component *const *components);

/// Deletes all components of an entity, which stays alive. Its relations end too: it has no parent
/// afterwards, and its children become roots.
/// @param scope a view or context needs `edit` for each component that the entity has
/// @return KEEL_OK, KEEL_ABSENT when the entity had no component, KEEL_ERROR_DEAD_ENTITY,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_strip(keel_scope *scope, keel_entity e);

/// Adds one component to each entity of the list, or overwrites its value (the old value is
/// dropped): to all of them or, on error, to none. An entity that is listed twice gets the last of
/// its values. Typed: keel_add_many, keel_add_column_many.
/// @param scope any; commands skip the entities that are not alive when the command is applied
/// @param values the first value, as in keel_value_column. With a stride, value i is for entity i,
///   and the world takes ownership of the values. With a stride of 0 the caller keeps the one
///   value, and the world makes copies with the copy hook. NULL: zeros
/// @param stride bytes from one value to the next, at least the size of a value; 0: one value for
///   all
/// @return KEEL_OK, KEEL_ERROR_DEAD_ENTITY when any entity of the list is not alive,
///   KEEL_ERROR_COPY, KEEL_ERROR_MEMORY, KEEL_ERROR_ARGUMENT (no list), KEEL_ERROR_COMPONENT,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED; on error nothing was changed
KEEL_API keel_result keel_add_component_to_many(keel_scope *scope, const keel_entity *entities,
                                                uint32_t count, const keel_component *component,
                                                const void *values, size_t stride);

/// Deletes one component from each entity of the list. Entities that lack it, or are not alive, are
/// skipped. Typed: keel_delete_many.
/// @return KEEL_OK, KEEL_ABSENT when none had it, KEEL_ERROR_MEMORY (KEEL_ARCHETYPE: rows move),
///   KEEL_ERROR_ARGUMENT (no list), KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED; on error nothing was
///   changed
KEEL_API keel_result keel_delete_component_from_many(keel_scope *scope, const keel_entity *entities,
                                                     uint32_t count,
                                                     const keel_component *component);

/// Deletes the component from every entity that has it. The entities stay alive. Typed: keel_clear.
/// @return KEEL_OK, KEEL_ABSENT when none had it, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_clear_component(keel_scope *scope, const keel_component *component);

/// Returns true to keep the value of an entity, false to delete it. The function may read the
/// world; edits of it are refused with KEEL_ERROR_SHARED.
typedef bool keel_retain_fn(keel_entity e, void *value, void *data);

/// Deletes the component from every entity for which `keep` returns false. `keep` may write the
/// values; a value that is kept and whose bytes changed counts as modified. Typed: keel_retain.
/// @return KEEL_OK, KEEL_ABSENT when nothing was deleted, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_retain_component(keel_world *world, const keel_component *component,
                                           keel_retain_fn *keep, void *data);

/// Disables a component of an entity (keel_disable), or enables it again with the value that was
/// kept (keel_enable).
///
/// While a component is disabled, views, has, get, counts and results of edits act as if the entity
/// lacked it. Adding it again drops the kept value and enables it. Everything that removes a
/// component drops a kept value, too: keel_remove (which does not return the value), delete, strip,
/// clear, and deleting the entity. keel_retain does not visit kept values, and a clone does not get
/// copies of them.
///
/// Cost: a KEEL_INDEXED value stays in place, and enabling it needs no memory. Values of the other
/// storages are moved, and an enabled value becomes the last one in packed order.
/// @return KEEL_OK, KEEL_ABSENT when the component is enabled (or disabled) already, or the entity
///   lacks it, KEEL_ERROR_DEAD_ENTITY, KEEL_ERROR_ARGUMENT for a relation, KEEL_ERROR_MEMORY,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_enable_component(keel_scope *scope, keel_entity e,
                                           const keel_component *component, bool enabled);

/// Disables all components of an entity (`enabled` false), or enables all its disabled components,
/// also those that keel_disable disabled. The entity keeps its handle, name and parent, and its
/// children do not change. The call is one edit: all components or, on error, none.
/// @return as keel_enable_component; KEEL_ABSENT when there is nothing to do
KEEL_API keel_result keel_enable_entity(keel_scope *scope, keel_entity e, bool enabled);

/// True if the entity has the component and it is disabled. False for an entity that is not alive.
KEEL_API bool keel_is_component_disabled(const keel_world *world, keel_entity e,
                                         const keel_component *component);

/// Values that lie side by side in memory, of entities with consecutive indices.
typedef struct keel_value_run {
    const void *values; ///< the first value; for a tag, a pointer that must not be read
    uint32_t index;     ///< index of the first entity: keel_entity_at
    uint32_t count;     ///< number of values, at least 1
    bool disabled;      ///< true: the components are disabled (keel_enable_component)
} keel_value_run;
/// Visits some values. Returns false to end the walk. The function must not edit the world: on the
/// world's thread (keel_adopt_world), edits and views that write are refused with
/// KEEL_ERROR_SHARED; on another thread, or in the image of a snapshot, their behaviour is
/// undefined. The function may call keel_visit_values.
typedef bool keel_visit_fn(const keel_value_run *run, void *data);
/// Calls `visit` for all values of a component, disabled ones too, in ascending order of the
/// entities' indices, for any storage. The function is made for code that writes a world to a file,
/// a network or another world. It borrows nothing, so `world` may be const. It does not visit the
/// edges of relations: see keel_visit_edges.
/// @threads as for keel_get_component; any thread, while no thread edits the world
/// @return KEEL_OK, also when there are no values or `visit` ended the walk; KEEL_ERROR_ARGUMENT
///   (NULL), KEEL_ERROR_BORROWED (a view writes any storage of the world), KEEL_ERROR_SHARED,
///   KEEL_ERROR_THREAD (a storage is bound to another thread). keel_last_error does not have these
///   errors
KEEL_API keel_result keel_visit_values(const keel_world *world, const keel_component *component,
                                       keel_visit_fn *visit, void *data);

/// Returns the entity's value to read. Typed: keel_get.
/// @param scope a view or context must hold `read` or more for the component; the entity need not
///   match the other terms
/// @return NULL when the entity lacks the component or is not alive, or when the scope does not
///   hold the component (keel_last_error has KEEL_ERROR_ACCESS, and a system fails with it); for a
///   tag, a pointer that must not be read
/// @invalidates nothing; the next edit of the component invalidates the pointer
KEEL_API const void *keel_get_component(const keel_scope *scope, keel_entity e,
                                        const keel_component *component);

/// Returns the entity's value to change in place, and marks it as modified where that is tracked.
/// Typed: keel_get_mut.
/// @param scope a view or context must hold `write` or more for the component
/// @return as keel_get_component. Through a world also NULL while a system uses the storage, but
///   not because of loops and views of ordinary code (docs/reference/rules.md). Checked builds log,
///   once per component, that a handle was not alive
KEEL_API void *keel_get_component_mut(keel_scope *scope, keel_entity e,
                                      const keel_component *component);

/// Returns the entity's value like keel_get_component, where absence is a bug. Typed: keel_at. If
/// there is no value, the program stops in every build: the assertion handler gets a message with
/// the entity, the reason and the place, and the process is aborted, whatever the handler answers.
/// @param scope as keel_get_component
/// @param place the place of the call, for the message ("file:line"); may be NULL
/// @return never NULL
/// @invalidates as keel_get_component
KEEL_API const void *keel_at_component(const keel_scope *scope, keel_entity e,
                                       const keel_component *component, const char *place);

/// Returns the value like keel_get_component_mut, where absence is a bug, as keel_at_component.
/// Typed: keel_at_mut.
/// @param scope as keel_get_component_mut
KEEL_API void *keel_at_component_mut(keel_scope *scope, keel_entity e,
                                     const keel_component *component, const char *place);

/// True if the entity is alive and has the component, enabled. Typed: keel_has.
/// @param scope as keel_get_component; a view that names the component in a filter may call it, too
KEEL_API bool keel_has_component(const keel_scope *scope, keel_entity e,
                                 const keel_component *component);

/// True if the entity is alive and has each component of the list, enabled. With an empty list:
/// true if it is alive. Typed: keel_has_all.
/// @param components a list that ends with NULL
KEEL_API bool keel_has_all_components(const keel_scope *scope, keel_entity e,
                                      const keel_component *const *components);

/// True if the entity is alive and has at least one component of the list, enabled. Typed:
/// keel_has_any.
/// @param components a list that ends with NULL
KEEL_API bool keel_has_any_component(const keel_scope *scope, keel_entity e,
                                     const keel_component *const *components);

/// Allocates room for `count` values of a component in all, so that adding them cannot run out of
/// memory. Adding a KEEL_ARCHETYPE component may still need memory, because its row depends on the
/// other components of the entity. For KEEL_INDEXED the room is that of the entity indices below
/// `count`. Typed: keel_reserve.
/// @param component &keel_entities: room for `count` entities in all
/// @return KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_FULL (`count` is above the highest number of
///   entities), KEEL_ERROR_COMPONENT, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_reserve_component(keel_world *world, const keel_component *component,
                                            uint32_t count);

/// Moves an entity with all its components, disabled ones too, to another world. Values are moved
/// with their move hooks, not copied. Components that `to` does not know are registered there.
/// Handles inside of values are copied as they are, although they only mean something in the old
/// world.
/// @return the entity's handle in `to`; `e` is dead. Null on error, with both worlds as before; the
///   world that refused the edit has the error in keel_last_error: KEEL_ERROR_DEAD_ENTITY,
///   KEEL_ERROR_ARGUMENT (the entity has a parent or children: call keel_unlink first; or `from` is
///   `to`), KEEL_ERROR_MEMORY, KEEL_ERROR_FULL, KEEL_ERROR_COMPONENT, KEEL_ERROR_BORROWED,
///   KEEL_ERROR_SHARED
/// @threads the owner of both worlds
KEEL_API keel_entity keel_move_entity(keel_world *from, keel_entity e, keel_world *to);

/// Makes an empty world a copy of another world. Afterwards the two worlds are independent of each
/// other. To restore an earlier state of the same world, use a snapshot (snapshot.h).
///
/// The copy has the same handles, and entities that are created later get the same handles in both
/// worlds. It has all components with their values, disabled ones too, in the same packed order,
/// the hierarchy, all relations, and all uniques. Values are copied with their copy hooks. Left out
/// are `.transient` components and uniques (`to` keeps its own transient uniques), workloads,
/// groups and recorded commands. The handles of entities that were only recorded in commands are
/// free in the copy. Groups of `to` get the new entities as members.
///
/// The two worlds may keep a component in different storages. A sparse set of `to` then has the
/// order of the original storage. If values move into rows from another storage, all rows are in
/// the order of indices.
/// @param to a world without living entities and without uniques that are set; its old handles mean
///   nothing afterwards
/// @return KEEL_OK; on error `to` is as empty as before, and its keel_last_error has the error:
///   KEEL_ERROR_ARGUMENT (`to` is not empty, or is `from`), KEEL_ERROR_COPY (a component with a
///   drop hook but no copy hook, or a copy hook that failed), KEEL_ERROR_MEMORY,
///   KEEL_ERROR_COMPONENT, KEEL_ERROR_BORROWED (a view of `to` is open, or a view of `from` that
///   writes), KEEL_ERROR_SHARED (either world)
/// @threads the owner of both worlds
KEEL_API keel_result keel_copy_world(const keel_world *from, keel_world *to);

/// The treatment of components, relations and uniques that the world does not know, when a file
/// that has them is loaded (a save, a level as JSON, a database).
typedef enum keel_unknown {
    KEEL_UNKNOWN_ERROR, ///< the load fails with an error that names the first unknown component;
                        ///< the default
    KEEL_UNKNOWN_SKIP,  ///< unknown components are left out
    /// The world keeps the bytes of unknown components, and keel_save writes them again, for the
    /// entities that are alive at that time. The bytes are not part of copies, snapshots and hashes
    /// of the world, and are dropped by keel_clear_uniques and by the next load. Only saves accept
    /// this value, and only without `merge`, which gives entities other handles; otherwise the
    /// result is KEEL_ERROR_ARGUMENT. If the world registers such a component after the load,
    /// saving the world is KEEL_ERROR_SCHEMA until it is loaded again
    KEEL_UNKNOWN_KEEP
} keel_unknown;

/// A difference between a loaded file and the world. It is no error.
typedef enum keel_load_change {
    KEEL_LOAD_SKIPPED_COMPONENT, ///< a component that the world does not know was skipped, as
                                 ///< KEEL_UNKNOWN_SKIP says
    KEEL_LOAD_SKIPPED_FIELD,     ///< a field that the component no longer has was skipped
    KEEL_LOAD_NEW_FIELD,         ///< the file lacks this field, which gets its value of `.initial`
    /// the world lacks the template of some prefab copies; `field` is the template's path, or NULL
    /// if the template had no path. keel_prefab_of returns null for these copies (keel_load only)
    KEEL_LOAD_UNKNOWN_PREFAB
} keel_load_change;
/// A note about one keel_load_change. There is one note for each component or field, not for each
/// value.
typedef struct keel_load_note {
    keel_load_change change; ///< the kind of difference
    const char *component;   ///< name of the component; for a skipped component, its name in the
                             ///< file
    const char *field; ///< path of the field, `at.x`; NULL: the note is about the whole component
} keel_load_note;
/// Called during a load, for each note. The texts are valid until the function returns. A load that
/// fails later may have called the function already. The function must not use the world that is
/// being loaded into.
typedef void keel_load_report_fn(const keel_load_note *note, void *data);

/// Options of keel_merge_world. Zero members take their defaults.
typedef struct keel_merge_options {
    keel_entity root; ///< an entity of `to`: added entities without a parent become its last
                      ///< children; default null: they are roots
    bool strict;      ///< true: a field that names an entity missing in `from` is an error; default
                      ///< false: the field becomes null
    /// True: both worlds have the same templates with the same handles (copied by keel_copy_world),
    /// so copies of prefabs stay copies of them. Default false: they become plain entities
    bool same_templates;
    keel_entity *handles; ///< receives the new handle of each entity of `from`, in ascending order
                          ///< of the old handles; room for keel_entity_count(from); default: none
} keel_merge_options;

/// Adds all entities and uniques of `from` to `to`, which keeps its own entities: for levels, saved
/// games, or scenes that a tool made. Each entity of `from` becomes a new entity with its
/// components, disabled ones too, its name, its place among its siblings and its relations.
/// Described fields of type entity (KEEL_FIELDS), also in structs and arrays, are redirected to the
/// new entities; handles in other bytes stay as they are. Uniques that are set in `from` replace
/// those of `to`. `.transient` components and events are left out. Values are copied with their
/// copy hooks. Observers and groups see all additions.
/// @param options NULL: all defaults
/// @return KEEL_OK, and keel_last_count returns the number of new entities; on error `to` is as
///   before, though observers may have seen additions and their removal, and its keel_last_error
///   has the error: KEEL_ERROR_ARGUMENT (NULL, or `from` is `to`), KEEL_ERROR_DEAD_ENTITY (`root`;
///   a field, with `strict`), KEEL_ERROR_OCCUPIED (a new entity would have the name of a sibling),
///   KEEL_ERROR_COPY, KEEL_ERROR_MEMORY, KEEL_ERROR_FULL, KEEL_ERROR_COMPONENT,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
/// @threads the owner of both worlds
KEEL_API keel_result keel_merge_world(keel_world *to, const keel_world *from,
                                      const keel_merge_options *options);

/// @cond what is called in place of the function that asks which scope it is
KEEL_API keel_entity keeli_world_add_entity(keel_scope *world, const keel_value *values);
KEEL_API keel_result keeli_world_delete_entity(keel_scope *world, keel_entity e);
KEEL_API keel_result keeli_world_add(keel_scope *world, keel_entity e,
                                     const keel_component *component, const void *value);
KEEL_API keel_result keeli_world_add_values(keel_scope *world, keel_entity e,
                                            const keel_value *values);
KEEL_API keel_result keeli_world_remove(keel_scope *world, keel_entity e,
                                        const keel_component *component, void *out);
KEEL_API keel_result keeli_world_delete(keel_scope *world, keel_entity e,
                                        const keel_component *component);
/// @endcond

#ifdef __cplusplus
}
#endif

// clang-format off
/// Creates a copy of an entity: keel_clone_entities with a count of 1. `keel_entity twin =
/// keel_clone_entity(world, ship);` @return null on error (keel_last_error)
#define keel_clone_entity(scope, prototype) keeli_clone_entity(KEELI_TO_EDIT(scope), (prototype))
/// @cond macros that let the functions above take their scopes as they are
#define keel_add_entity_values(scope, ...) KEELI_DIRECT(scope, keeli_world_add_entity, keel_add_entity_values)(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_delete_entity(scope, ...) KEELI_DIRECT(scope, keeli_world_delete_entity, keel_delete_entity)(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_delete_entities_having_component(scope, ...) keel_delete_entities_having_component(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_add_component(scope, ...) KEELI_DIRECT(scope, keeli_world_add, keel_add_component)(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_delete_entities(scope, ...) keel_delete_entities(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_add_entity_columns(scope, ...) keel_add_entity_columns(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_clone_entities(scope, ...) keel_clone_entities(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_add_component_to_many(scope, ...) keel_add_component_to_many(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_delete_component_from_many(scope, ...) keel_delete_component_from_many(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_clear_component(scope, ...) keel_clear_component(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_enable_component(scope, ...) keel_enable_component(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_enable_entity(scope, ...) keel_enable_entity(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_drain_component(scope, ...) keel_drain_component(KEELI_TO_WRITE(scope), __VA_ARGS__)
#define keel_has_all_components(scope, ...) keel_has_all_components(KEELI_TO_READ(scope), __VA_ARGS__)
#define keel_has_any_component(scope, ...) keel_has_any_component(KEELI_TO_READ(scope), __VA_ARGS__)
#define keel_add_component_unchecked(scope, ...) keel_add_component_unchecked(KEELI_TO_WRITE(scope), __VA_ARGS__)
#define keel_add_component_values(scope, ...) KEELI_DIRECT(scope, keeli_world_add_values, keel_add_component_values)(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_remove_component(scope, ...) KEELI_DIRECT(scope, keeli_world_remove, keel_remove_component)(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_remove_component_values(scope, ...) keel_remove_component_values(KEELI_TO_WRITE(scope), __VA_ARGS__)
#define keel_delete_component(scope, ...) KEELI_DIRECT(scope, keeli_world_delete, keel_delete_component)(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_delete_components(scope, ...) keel_delete_components(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_strip(scope, ...) keel_strip(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_get_component(scope, ...) keel_get_component(KEELI_TO_READ(scope), __VA_ARGS__)
#define keel_at_component(scope, ...) keel_at_component(KEELI_TO_READ(scope), __VA_ARGS__)
#define keel_at_component_mut(scope, ...) keel_at_component_mut(KEELI_TO_WRITE(scope), __VA_ARGS__)
#define keel_get_component_mut(scope, ...) keel_get_component_mut(KEELI_TO_WRITE(scope), __VA_ARGS__)
#define keel_has_component(scope, ...) keel_has_component(KEELI_TO_READ(scope), __VA_ARGS__)
/// @endcond
// clang-format on
