// SPDX-License-Identifier: MIT
/// @file edit.h
/// Structural edits: entities and their components; and reading one value.
///
/// These are the functions behind the typed verbs of typed.h, for bindings and generic code. Those
/// that take a keel_scope act as it says (scope.h): through a world now, for its owner; through a
/// view or context within what it holds (else KEEL_ERROR_ACCESS, and KEEL_ERROR_ITERATING while an
/// iterator over the storage is live); commands record the edit, with KEEL_OK, KEEL_ERROR_MEMORY or
/// KEEL_ERROR_COMPONENT, and then nothing is recorded. Edits are refused, changing nothing, with
/// KEEL_ERROR_BORROWED while a view or system uses a storage that they touch, and KEEL_ERROR_SHARED
/// in shared mode. To edit then, record commands (commands.h). Components with a rule about threads
/// (keel_threads) are refused with KEEL_ERROR_THREAD where the calling thread may not do that; so
/// are edits that move their values: of other components in the same archetypes, or in a group that
/// owns them.
///
/// Taking a KEEL_ARCHETYPE component away moves the entity's row, which may need memory: remove,
/// delete, clear, retain and unregister then also return KEEL_ERROR_MEMORY, and nothing was
/// changed. Deleting or stripping an entity never needs memory.
///
/// **Values** are handed over: on success the world owns what the bytes own, on error the caller
/// still does. A NULL value means zeros for an entity that lacks the component; a value that is
/// there stays as it is, and is not marked. Pointers to values stay valid until the next edit of
/// their component: KEEL_INDEXED ones until the value itself goes, KEEL_ARCHETYPE ones until the
/// next edit of any such component, those that a group owns until the next edit of anything the
/// group names.
#pragma once
#include <keel/scope.h>
#include <keel/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A component and the value to give it: made by KEEL_INIT.
typedef struct keel_value {
    const keel_component *component; ///< NULL ends a list
    const void *value; ///< `component->size` bytes; NULL: zeros, where there is no value yet
} keel_value;

/// What stands before the values of a list that are only for those who lack the component: a value
/// that is there stays as it is, and the one of the list is dropped. It is no component.
KEEL_API const keel_component *keel_if_missing(void);

/// A component and where a removed value goes: made by KEEL_OUT.
typedef struct keel_out {
    const keel_component *component; ///< NULL ends a list
    void *value;                     ///< receives the value; NULL: it is dropped
    bool *taken;                     ///< receives whether there was one; may be NULL
} keel_out;

/// A component and the values for many entities: made by KEEL_COLUMN, KEEL_COLUMN_IN, KEEL_FILL.
typedef struct keel_value_column {
    const keel_component *component; ///< NULL ends a list
    const void *values;              ///< the first value; NULL: zeros, where there is none yet
    size_t stride; ///< bytes from one value to the next, at least its size; 0: one value, copied
                   ///< for all
} keel_value_column;

/// Create an entity with the given components.
/// @param values a list that ends with a NULL component; NULL: no components. A component named
///   twice gets the last value (the earlier one is dropped)
/// @param scope a view or context needs KEEL_TERM_MAY_EDIT_ENTITIES, and `edit` for each component.
///   Recorded: the handle can be used in later commands and stored in components at once; the
///   entity is alive when the command was applied
/// @return null on error: KEEL_ERROR_MEMORY, KEEL_ERROR_FULL, KEEL_ERROR_COMPONENT,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED, see keel_last_error
KEEL_API keel_entity keel_add_entity_values(keel_scope *scope, const keel_value *values);

/// Bring exactly this handle to life, with no components: for save games and network copies.
/// Indices below it that were never used are handed out by later adds, lowest first.
/// @return KEEL_OK, KEEL_ERROR_OCCUPIED when its index is alive (with any version),
///   KEEL_ERROR_DEAD_ENTITY when `e` is null, KEEL_ERROR_FULL when the index is retired,
///   KEEL_ERROR_MEMORY, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_add_entity_at(keel_world *world, keel_entity e);

/// Create `count` entities at once: the same as `count` single adds, and all or nothing.
/// @param out receives `count` handles; may be NULL
/// @param columns a list that ends with a NULL component; NULL: no components. Values with a stride
///   are handed over; a stride of 0 keeps the caller's value and makes copies, with the copy hook
/// @param scope as for keel_add_entity_values. Recorded: the handles can be used at once
/// @return KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_FULL, KEEL_ERROR_COPY, KEEL_ERROR_COMPONENT,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_add_entity_columns(keel_scope *scope, uint32_t count, keel_entity *out,
                                             const keel_value_column *columns);

/// Delete an entity with all its components. Its children become roots, unless the world was made
/// with another `on_parent_delete` (keel_world_desc); keel_delete_tree deletes them too.
/// @param scope a view or context needs KEEL_TERM_MAY_EDIT_ENTITIES, and `edit` for each component
///   that the entity has
/// @return KEEL_OK the first time, KEEL_ABSENT when it was not alive, KEEL_ERROR_BORROWED,
///   KEEL_ERROR_SHARED, KEEL_ERROR_RELATED when a relation refuses that (relation.h)
KEEL_API keel_result keel_delete_entity(keel_scope *scope, keel_entity e);

/// keel_delete_entity without any check, for hot code: undefined unless `e` is alive, no view
/// is open and the entity is in no hierarchy. Relations let go, whatever their rules. Components
/// are deleted all the same, and observers are notified.
KEEL_API void keel_delete_entity_unchecked(keel_world *world, keel_entity e);

/// Delete each living entity of the list; the others are skipped. keel_last_count tells how many.
/// @param scope a view needs KEEL_TERM_MAY_EDIT_WORLD
/// @return KEEL_OK, KEEL_ABSENT when none was alive, KEEL_ERROR_BORROWED (none deleted),
///   KEEL_ERROR_SHARED, KEEL_ERROR_RELATED (none deleted)
KEEL_API keel_result keel_delete_entities(keel_scope *scope, const keel_entity *entities,
                                          uint32_t count);

/// Delete every entity that has the component, with all its other components.
/// @param scope a view or context needs as much as for keel_delete_entity:
///   KEEL_TERM_MAY_EDIT_ENTITIES, and `edit` for each component that they have; recorded, those
///   that have it when it is applied
/// @return KEEL_OK, KEEL_ABSENT when there was none, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED,
///   KEEL_ERROR_RELATED; KEEL_ERROR_MEMORY for a relation, keel_child and keel_name,
///   or where one has a rule
KEEL_API keel_result keel_delete_entities_having_component(keel_scope *scope,
                                                           const keel_component *component);

/// Delete all entities. The next adds use the indices in ascending order, with higher versions.
/// Steps forget how many handles they needed, so that a world that is filled by keel_copy_world or
/// by a load afterwards hands out the same ones as a new world does that is filled so.
/// @return KEEL_OK, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_clear_entities(keel_world *world);

/// How many the last bulk removal of this world took: keel_delete_entities and its like, the
/// entities; keel_delete_component_from_many and its like, keel_clear_component and
/// keel_retain_component, the entities that had the component; keel_clear_uniques, the uniques.
/// One that did nothing leaves the number as it was when it returned an error or KEEL_ABSENT.
/// @threads the owner
KEEL_API uint32_t keel_last_count(const keel_world *world);

/// Create `count` entities with copies of all components of `prototype`, all or nothing. They take
/// no place in the hierarchy. One: keel_clone_entity.
/// @param out receives `count` handles; may be NULL
/// @param scope a view needs KEEL_TERM_MAY_EDIT_ENTITIES, and `edit` for each component. Recorded:
///   the handles can be used at once, and what the prototype is when it is applied is copied
/// @return KEEL_OK, KEEL_ERROR_DEAD_ENTITY, KEEL_ERROR_COPY (a component with a drop hook but no
///   copy hook, or a copy hook that failed), KEEL_ERROR_MEMORY, KEEL_ERROR_FULL,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED; all of them are kept
KEEL_API keel_result keel_clone_entities(keel_scope *scope, keel_entity prototype, uint32_t count,
                                         keel_entity *out);

/// Private: keel_clone_entity.
static inline keel_entity keeli_clone_entity(keel_scope *scope, keel_entity prototype) {
    keel_entity copy = keel_null();
    return keel_clone_entities(scope, prototype, 1, &copy) < 0 ? keel_null() : copy;
}

/// Add a component to an entity, or overwrite its value (the old one is dropped).
/// @param value `component->size` bytes, handed over; NULL: zeros, and a value that is there stays
///   as it is
/// @return KEEL_OK, KEEL_ERROR_DEAD_ENTITY, KEEL_ERROR_MEMORY, KEEL_ERROR_COMPONENT,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_add_component(keel_scope *scope, keel_entity e,
                                        const keel_component *component, const void *value);

/// keel_add_component without checking that `e` is alive: undefined unless it is.
KEEL_API keel_result keel_add_component_unchecked(keel_scope *scope, keel_entity e,
                                                  const keel_component *component,
                                                  const void *value);

/// Add or overwrite several components in one step: all of them or, on error, none.
/// @param values a list that ends with a NULL component
/// @return as keel_add_component
KEEL_API keel_result keel_add_component_values(keel_scope *scope, keel_entity e,
                                               const keel_value *values);

/// The entity's value, which is added first when it has none.
/// @param value what to add: handed over only when it is added; NULL: zeros
/// @return the value; NULL on error, as keel_add_component, see keel_last_error (a dead entity is
///   not kept there)
KEEL_API void *keel_get_or_add_component(keel_world *world, keel_entity e,
                                         const keel_component *component, const void *value);

/// Take a component away and hand its value out.
/// @param out receives `component->size` bytes and what they own; NULL, as for commands, which hand
///   nothing out (KEEL_ERROR_ARGUMENT): the value is dropped
/// @return KEEL_OK, KEEL_ABSENT when the entity has none (`out` untouched), KEEL_ERROR_DEAD_ENTITY,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_remove_component(keel_scope *scope, keel_entity e,
                                           const keel_component *component, void *out);

/// Take several components away and hand their values out; `taken` tells which were there.
/// @param scope not commands
/// @param outs a list that ends with a NULL component
/// @return KEEL_OK when at least one was there, KEEL_ABSENT when none, KEEL_ERROR_DEAD_ENTITY,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED (none removed)
KEEL_API keel_result keel_remove_component_values(keel_scope *scope, keel_entity e,
                                                  const keel_out *outs);

/// Take the component from one of the entities that have it and hand its value out, lowest index
/// first: called until it is false it takes all values. Who gives the component to an entity
/// meanwhile meets it again.
/// @param scope not commands
/// @param e receives whose it was; may be NULL
/// @param out as for keel_remove_component
/// @return false when nobody has it, or on error (keel_last_error)
KEEL_API bool keel_drain_component(keel_scope *scope, const keel_component *component,
                                   keel_entity *e, void *out);

/// Delete one component of an entity; its value is dropped.
/// @return KEEL_OK, KEEL_ABSENT when the entity has none, KEEL_ERROR_DEAD_ENTITY,
/// KEEL_ERROR_BORROWED,
///   KEEL_ERROR_SHARED
KEEL_API keel_result keel_delete_component(keel_scope *scope, keel_entity e,
                                           const keel_component *component);

/// Delete every listed component of an entity, whichever of them it has.
/// @param components a list that ends with NULL
/// @return KEEL_OK when at least one was there, KEEL_ABSENT when none, KEEL_ERROR_DEAD_ENTITY,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED (none deleted)
KEEL_API keel_result keel_delete_components(keel_scope *scope, keel_entity e,
                                            const keel_component *const *components);

/// Delete all components of an entity, which stays alive. It leaves the hierarchy: its children
/// become roots.
/// @param scope a view or context needs `edit` for each component that it has
/// @return KEEL_OK, KEEL_ABSENT when it had none, KEEL_ERROR_DEAD_ENTITY, KEEL_ERROR_BORROWED,
///   KEEL_ERROR_SHARED
KEEL_API keel_result keel_strip(keel_scope *scope, keel_entity e);

/// Add one component to each entity of the list, or overwrite its value (the old one is dropped):
/// the same as keel_add_component for one after the other, but all or nothing. An entity that comes
/// twice gets its last value.
/// @param scope recorded: those that are not alive when it is applied are skipped
/// @param values as in keel_value_column: with a stride they are handed over, value i for entity i;
/// a stride
///   of 0 keeps the caller's one value and makes copies, with the copy hook; NULL: zeros
/// @param stride bytes from one value to the next, at least its size; 0: one value for all
/// @return KEEL_OK, KEEL_ERROR_DEAD_ENTITY when any of them is not alive, KEEL_ERROR_COPY,
///   KEEL_ERROR_MEMORY, KEEL_ERROR_ARGUMENT (no list), KEEL_ERROR_COMPONENT, KEEL_ERROR_BORROWED,
///   KEEL_ERROR_SHARED; on error nothing was changed
KEEL_API keel_result keel_add_component_to_many(keel_scope *scope, const keel_entity *entities,
                                                uint32_t count, const keel_component *component,
                                                const void *values, size_t stride);

/// Delete one component from each entity of the list; those that have none, or are not alive, are
/// skipped.
/// @return KEEL_OK, KEEL_ABSENT when none had it, KEEL_ERROR_MEMORY (KEEL_ARCHETYPE: rows move),
///   KEEL_ERROR_ARGUMENT (no list), KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED; on error nothing was
///   changed
KEEL_API keel_result keel_delete_component_from_many(keel_scope *scope, const keel_entity *entities,
                                                     uint32_t count,
                                                     const keel_component *component);

/// Delete the component from every entity that has it; the entities stay alive.
/// @return KEEL_OK, KEEL_ABSENT when none had it, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_clear_component(keel_scope *scope, const keel_component *component);

/// Decides for one value: true keeps it. It may look at the world; edits are KEEL_ERROR_SHARED.
typedef bool keel_retain_fn(keel_entity e, void *value, void *data);

/// Delete the component from every entity for which `keep` answers false. `keep` may write the
/// values; one that is kept and whose bytes changed counts as modified.
/// @return KEEL_OK, KEEL_ABSENT when nothing was deleted, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_retain_component(keel_world *world, const keel_component *component,
                                           keel_retain_fn *keep, void *data);

/// Disable a component, keel_disable, or enable it with the value that was kept, keel_enable. The
/// value of a disabled one is out of sight: views, has, get and counts act as if the entity did not
/// have the component, and so do results of edits. Adding it again overwrites the kept value (which
/// is dropped) and enables it. What takes a component away drops a kept value too: remove (which
/// hands nothing out), delete, strip, clear, deleting the entity. keel_retain leaves kept values
/// alone; clones do not get them. With KEEL_INDEXED the value stays where it is, and enabling needs
/// no memory; with the other storages it is moved, and comes back as the last in packed order.
/// @return KEEL_OK, KEEL_ABSENT when it is enabled, or disabled, already, or the entity does not
///   have it, KEEL_ERROR_DEAD_ENTITY, KEEL_ERROR_ARGUMENT for a link, KEEL_ERROR_MEMORY,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_enable_component(keel_scope *scope, keel_entity e,
                                           const keel_component *component, bool enabled);

/// Disable all components that the entity has (`enabled` false), or enable all that are disabled,
/// also those that were so before. Its handle, name and place in the hierarchy stay, and its
/// children are left alone. It is one edit: all or nothing.
/// @return as keel_enable_component; KEEL_ABSENT when there is nothing to do
KEEL_API keel_result keel_enable_entity(keel_scope *scope, keel_entity e, bool enabled);

/// Does the entity keep a value of the component that is disabled? False when it is not alive.
KEEL_API bool keel_is_component_disabled(const keel_world *world, keel_entity e,
                                         const keel_component *component);

/// Values that lie side by side in memory, of entities whose indices follow each other.
typedef struct keel_value_run {
    const void *values; ///< the first one; of a tag, a pointer that must not be read
    uint32_t index;     ///< of the first entity: keel_entity_at
    uint32_t count;     ///< how many, at least 1
    bool disabled;      ///< they are kept out of sight (keel_enable_component)
} keel_value_run;
/// Looks at some values; false ends the walk. It edits nothing: edits of the world and views that
/// write are KEEL_ERROR_SHARED, where the thread is the world's (keel_adopt_world); in another one,
/// and of an image of a snapshot, they are undefined. It may visit other values.
typedef bool keel_visit_fn(const keel_value_run *run, void *data);
/// Look at all values of a component, disabled ones too, by ascending index, in any storage: for
/// those who write a world somewhere else. Nothing is borrowed, so `world` may be one that is only
/// looked at. Targets of relations are walked by keel_next_target_component, and not by this.
/// @threads as for keel_get_component; a world that nobody edits may be looked at by any thread
/// @return KEEL_OK, also when nobody has one or `visit` ended it; KEEL_ERROR_ARGUMENT (NULL). No
///   error is kept: KEEL_ERROR_BORROWED (a view writes any storage of the world),
///   KEEL_ERROR_SHARED, KEEL_ERROR_THREAD (a storage is bound to another thread)
KEEL_API keel_result keel_visit_values(const keel_world *world, const keel_component *component,
                                       keel_visit_fn *visit, void *data);

/// The entity's value, to read.
/// @param scope a view or context must hold `read` or more for it; the entity need not match the
///   other terms
/// @return NULL when it has none or is not alive, or the scope does not hold it
///   (KEEL_ERROR_ACCESS is kept, and fails a system); for a tag, a pointer that must not be read
/// @invalidates nothing; the next edit of the component invalidates the pointer
KEEL_API const void *keel_get_component(const keel_scope *scope, keel_entity e,
                                        const keel_component *component);

/// The entity's value, to change in place.
/// @param scope a view or context must hold `write` or more for it
/// @return as keel_get_component; NULL through a world also while a system uses the storage; loops
/// and views of ordinary
///   code are no reason (docs/rules.md).
///   Checked builds log, once per component, that a handle was not alive
KEEL_API void *keel_get_component_mut(keel_scope *scope, keel_entity e,
                                      const keel_component *component);

/// keel_get_component where absence is a bug: keel_at. When there is no value to hand out, the
/// program stops in every build: the assertion handler gets a message that says whose, why and
/// where, and the process is aborted, whatever the handler answers.
/// @param scope as keel_get_component
/// @param place where it is called, for the message ("file:line"); may be NULL
/// @return never NULL
/// @invalidates as keel_get_component
KEEL_API const void *keel_at_component(const keel_scope *scope, keel_entity e,
                                       const keel_component *component, const char *place);

/// keel_get_component_mut in the same way: keel_at_mut.
/// @param scope as keel_get_component_mut
KEEL_API void *keel_at_component_mut(keel_scope *scope, keel_entity e,
                                     const keel_component *component, const char *place);

/// Does the entity have the component, enabled? False when it is not alive.
/// @param scope as keel_get_component; a view may also name it in a filter
KEEL_API bool keel_has_component(const keel_scope *scope, keel_entity e,
                                 const keel_component *component);

/// Does the entity have each component of the list, enabled? Of an empty list: is it alive?
/// @param components a list that ends with NULL
KEEL_API bool keel_has_all_components(const keel_scope *scope, keel_entity e,
                                      const keel_component *const *components);

/// Does the entity have at least one component of the list, enabled?
/// @param components a list that ends with NULL
KEEL_API bool keel_has_any_component(const keel_scope *scope, keel_entity e,
                                     const keel_component *const *components);

/// Make room for `count` values of a component in all, so that adding them cannot run out of
/// memory; KEEL_ARCHETYPE rows still need some, as they depend on what else an entity has.
/// KEEL_INDEXED takes the memory of the first `count` indices.
/// @param component &keel_entities: room for `count` entities in all
/// @return KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_FULL (more than there can be entities),
///   KEEL_ERROR_COMPONENT, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_reserve_component(keel_world *world, const keel_component *component,
                                            uint32_t count);

/// Move an entity with all its components, disabled ones included, to another world. Values are
/// moved with their move hooks, not copied; components that `to` does not know become known to it.
/// Fields of values that hold handles keep them: they mean something in the old world only.
/// @return the entity's handle in `to`; `e` is dead. Null on error, with both worlds as before,
///   see keel_last_error of the world that refused: KEEL_ERROR_DEAD_ENTITY,
///   KEEL_ERROR_ARGUMENT (the entity is in a hierarchy: keel_unlink it first; both worlds are the
///   same), KEEL_ERROR_MEMORY, KEEL_ERROR_FULL, KEEL_ERROR_COMPONENT, KEEL_ERROR_BORROWED,
///   KEEL_ERROR_SHARED
/// @threads the owner of both worlds
KEEL_API keel_entity keel_move_entity(keel_world *from, keel_entity e, keel_world *to);

/// Make an empty world a copy of another one (one that plays on in its own way: what snapshot.h
/// brings back plays on as the world did): the same handles (later adds give the same ones too),
/// all components with their values, disabled ones included, in the same packed order, the
/// hierarchy, and all uniques. What is `.transient` is left out: entities of the copy do not have
/// such components, and `to` keeps its transient uniques. Values are copied with their copy hooks,
/// transient ones need none. Workloads, groups and recorded commands are not copied; groups of `to`
/// take in what comes, and handles that commands promised are free in the copy. `to` may keep a
/// component in another storage: sparse sets have the order of the other one then, and when values
/// come into rows from elsewhere, all rows are in the order of indices.
/// @param to no entity is alive in it and no unique is set; handles from before mean nothing
///   afterwards
/// @return KEEL_OK; on error `to` is as empty as before, and its keel_last_error tells:
///   KEEL_ERROR_ARGUMENT (`to` is not empty or the same world), KEEL_ERROR_COPY (a component with a
///   drop hook but no copy hook, or a copy hook that failed), KEEL_ERROR_MEMORY,
///   KEEL_ERROR_COMPONENT, KEEL_ERROR_BORROWED (a view of `to` is open, or one writes in `from`),
///   KEEL_ERROR_SHARED (either world)
/// @threads the owner of both worlds
KEEL_API keel_result keel_copy_world(const keel_world *from, keel_world *to);

/// What becomes of components, relations and uniques that are in what is loaded, a save, a level as
/// JSON or a database, and that the world does not know.
typedef enum keel_unknown {
    KEEL_UNKNOWN_ERROR, ///< an error that names the first of them; the default
    KEEL_UNKNOWN_SKIP,  ///< they are left out
    /// Saves only, elsewhere KEEL_ERROR_ARGUMENT: they stay with the world as they are, and
    /// keel_save writes them again, for the entities that live then. They are no part of copies,
    /// snapshots and hashes of the world; keel_clear_uniques and the next load take them away.
    /// KEEL_ERROR_ARGUMENT together with `merge`: entities get other handles. A world that has come
    /// to know such a component cannot be saved (KEEL_ERROR_SCHEMA) until it is loaded anew
    KEEL_UNKNOWN_KEEP
} keel_unknown;

/// What a load left out or made up.
typedef enum keel_load_change {
    KEEL_LOAD_SKIPPED_COMPONENT, ///< the world does not know it, and KEEL_UNKNOWN_SKIP was asked
                                 ///< for
    KEEL_LOAD_SKIPPED_FIELD,     ///< the component has no such field any more
    KEEL_LOAD_NEW_FIELD,         ///< there is none in what is loaded: it is as `.initial` says
    KEEL_LOAD_UNKNOWN_PREFAB ///< copies are of a template that is not here; `field` is its path,
                             ///< NULL: it had none. keel_prefab_of says null (keel_load only)
} keel_load_change;
/// One such change: once for each component or field, not for each value.
typedef struct keel_load_note {
    keel_load_change change; ///< what was left out or made up
    const char *component;   ///< its name; of what is skipped, as it is in the file
    const char *field;       ///< its path, `at.x`; NULL: it is about the whole component
} keel_load_note;
/// Called while something is loaded; texts are there until it returns. A load that fails may have
/// called it before. It must not touch the world that is loaded into.
typedef void keel_load_report_fn(const keel_load_note *note, void *data);

/// How a world comes into another one. Zero members take their defaults.
typedef struct keel_merge_options {
    keel_entity root; ///< entities without a parent become its last children; default: none
    bool strict;      ///< a field that names an entity that `from` does not have is an error;
                      ///< default false: it becomes null
    /// Both worlds have the same templates, with the same handles (keel_copy_world of the one to
    /// the other), so copies of prefabs stay that. Default false: they are entities like others
    bool same_templates;
    keel_entity *handles; ///< receives the new handle of each entity of `from`, in ascending order
                          ///< of the old ones; room for keel_entity_count(from); default: none
} keel_merge_options;

/// Bring all that another world holds into this one, which goes on living: a level, a saved game, a
/// scene that a tool made. Each entity of `from` comes as a new one, with its components, disabled
/// ones included, its name, its place among its siblings and its relations. What points to one of
/// them points to the new one: described fields of type entity (KEEL_FIELDS), in structs and
/// arrays, too; handles in other bytes stay as they are. Uniques of `from` that are set replace
/// those of `to`. What is `.transient` is left out, and events are. Observers and groups hear of
/// all that comes; values are copied with their copy hooks.
/// @param options NULL: all defaults
/// @return KEEL_OK, and keel_last_count says how many entities came; on error `to` is as before,
///   though observers may have heard of what came and went, and its keel_last_error tells:
///   KEEL_ERROR_ARGUMENT (NULL, the same world), KEEL_ERROR_DEAD_ENTITY
///   (`root`; a field, with `strict`), KEEL_ERROR_OCCUPIED (a name that is there already),
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
/// A copy of an entity: keel_clone_entities of one. @return null on error (keel_last_error)
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
