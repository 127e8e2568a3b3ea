// SPDX-License-Identifier: MIT
// The reference model of a world: what random-operation tests compare Keel against. Plain arrays,
// linear searches, an AnyMap of components for each entity; slow and obviously right.
//
// Results are those of the function of Keel that does the same. What Keel's headers leave open
// shows in the indices of later adds only; so that it can be compared, it is decided here:
//  - After clear every index that was ever used and is not retired is free, the lowest is next;
//    indices that were skipped by adds at a given handle still come after those.
//  - Bulk deletes work backwards, so that the indices come back in their old order:
//    model_delete_with from the highest index down, model_delete_tree from the last descendant (in
//    pre-order) up to the root. For another order, hand a list to model_delete_entities.
#pragma once
#include "anymap.h"

#include <keel/component.h>
#include <keel/entity.h>

/// One index that is or was used.
typedef struct model_slot {
    keel_entity handle;    ///< of the living entity; while free, the handle of the next one
    bool is_alive;         ///< false: free or retired
    bool is_retired;       ///< its versions are used up: never used again
    anymap components;     ///< kind -> value; empty while not alive
    keel_entity parent;    ///< null for a root; null while not alive
    keel_entity *children; ///< in order
    const char *name;      ///< NULL: none. A text that stays where it is
    size_t child_count;    ///< number of `children`; 0 while not alive
} model_slot;

/// That `source` is related to `target`.
typedef struct model_edge {
    keel_entity source, target;
    uint32_t value; ///< for relations with values
} model_edge;

/// A relation: its options, and all edges in the order of relating, which is that of the targets of
/// each source and of the sources of each target.
typedef struct model_relation {
    bool exclusive, acyclic, symmetric; ///< symmetric: both directions are edges
    keel_on_delete on_delete;
    model_edge *edges;
    size_t edge_count;
} model_relation;

/// A kind of component (and of unique).
typedef struct model_kind {
    size_t size;         ///< bytes of a value
    const void *initial; ///< what a component begins with that gets no value; NULL: zeros
    uint32_t required;   ///< a bit for each kind that it requires itself
} model_kind;

/// A world. Zero is an empty one.
typedef struct model_world {
    model_slot *slots;   ///< ascending by index; only indices that were used
    size_t slot_count;   ///< number of `slots`
    uint32_t *free_list; ///< indices to use again; the last one is next
    size_t free_count;   ///< number of `free_list`
    model_kind *kinds;   ///< all that are known
    uint32_t kind_count; ///< number of `kinds`
    anymap uniques;      ///< kind -> value
    model_relation *relations;
    size_t relation_count;
    keel_on_delete on_parent_delete; ///< what becomes of children
    uint32_t first_version;          ///< of indices that are used the first time
} model_world;

/// Which entities model_list tells. Zero: all living ones.
typedef struct model_query {
    const uint32_t *with;    ///< kinds an entity must have
    size_t with_count;       ///< number of `with`
    const uint32_t *without; ///< kinds an entity must not have
    size_t without_count;    ///< number of `without`
} model_query;

/// Compares two entities: negative, zero or positive as for qsort.
typedef int model_compare(const model_world *world, keel_entity a, keel_entity b, void *data);

/// Free everything. The world is empty afterwards and may be used again.
void model_deinit(model_world *world);

/// Check all that must hold between the arrays. For tests of the model itself.
bool model_is_valid(const model_world *world);

/// Make a kind of component (and of unique) known.
/// @param size bytes of a value; 0: a tag
/// @return the kind: 0 for the first, 1 for the second and so on
uint32_t model_add_kind(model_world *world, size_t size);

// Entities

/// Create an entity: with the index that was freed last; when there is none, with the lowest index
/// that was never used.
/// @return null when every index is in use
keel_entity model_add_entity(model_world *world);

/// Bring exactly this handle to life.
/// @return KEEL_OK, KEEL_ERROR_DEAD_ENTITY when `e` is no possible handle, KEEL_ERROR_OCCUPIED,
///   KEEL_ERROR_FULL when the index is retired
keel_result model_add_entity_at(model_world *world, keel_entity e);

/// Delete an entity with its components; it leaves its parent and its children become roots, and it
/// is related to nobody. Before it go the sources that relations delete with it, the last found
/// first.
/// @return KEEL_OK, KEEL_ABSENT when it was not alive, KEEL_ERROR_RELATED when a relation refuses
///   that: then nothing has changed
keel_result model_delete_entity(model_world *world, keel_entity e);

/// The same without asking the rules of relations.
keel_result model_delete_entity_unchecked(model_world *world, keel_entity e);

/// Delete each living entity of the list, from the first to the last.
/// @return KEEL_OK, KEEL_ABSENT when none was alive, KEEL_ERROR_RELATED
keel_result model_delete_entities(model_world *world, const keel_entity *entities, size_t count);

/// Delete every entity that has the component.
/// @return KEEL_OK, KEEL_ABSENT when there was none, KEEL_ERROR_RELATED
keel_result model_delete_with(model_world *world, uint32_t kind);

/// Delete all entities. Kinds and uniques stay.
void model_clear_entities(model_world *world);

/// Is the entity alive? False for null, stale and invented handles.
bool model_is_alive(const model_world *world, keel_entity e);

/// How many entities are alive.
size_t model_entity_count(const model_world *world);

/// The entities that have a set of components and lack others, ascending by index.
/// @param query NULL: all living entities
/// @param out receives the handles; has room for model_entity_count of them
/// @return how many there are
size_t model_list(const model_world *world, const model_query *query, keel_entity *out);

// Components

/// Add a component, or overwrite its value. What it requires and the entity lacks comes, too.
/// @param value as many bytes as the kind has, copied; NULL: what it begins with
/// @return KEEL_OK, KEEL_ERROR_DEAD_ENTITY
keel_result model_add(model_world *world, keel_entity e, uint32_t kind, const void *value);

/// Take a component away.
/// @param out receives the value; NULL: it is only deleted
/// @return KEEL_OK, KEEL_ABSENT when the entity has none, KEEL_ERROR_DEAD_ENTITY
keel_result model_remove(model_world *world, keel_entity e, uint32_t kind, void *out);

/// Delete a component.
/// @return as model_remove
keel_result model_delete(model_world *world, keel_entity e, uint32_t kind);

/// Delete all components of an entity and its name; it stays alive, leaves the hierarchy and is
/// related to nobody.
/// @return KEEL_OK, KEEL_ABSENT when it had no components, name, parent, children or relations,
///   KEEL_ERROR_DEAD_ENTITY
keel_result model_strip(model_world *world, keel_entity e);

/// Delete a component from every entity.
/// @return KEEL_OK, KEEL_ABSENT when none had it
keel_result model_clear(model_world *world, uint32_t kind);

/// Does the entity have the component? False when it is not alive.
bool model_has(const model_world *world, keel_entity e, uint32_t kind);

/// The value, or NULL. For a tag, a pointer that must not be read.
const void *model_get(const model_world *world, keel_entity e, uint32_t kind);

/// The value to change in place, or NULL.
void *model_get_mut(model_world *world, keel_entity e, uint32_t kind);

/// How many entities have the component.
size_t model_component_count(const model_world *world, uint32_t kind);

// Components that require others. The first 32 kinds can; whoever takes components away asks
// before.

/// Whoever gets `kind` from now on gets `required`, too, and has it as long.
void model_require(model_world *world, uint32_t kind, uint32_t required);

/// What a component of this kind begins with: as many bytes as it has, which stay where they are.
void model_set_initial(model_world *world, uint32_t kind, const void *value);

/// All that `kind` requires, and what that requires: a bit for each.
uint32_t model_required_of(const model_world *world, uint32_t kind);

/// May these kinds, a bit for each, be taken from the entity?
/// @return KEEL_OK, KEEL_ERROR_REQUIRED when it has one of them that another kind requires
keel_result model_may_take(const model_world *world, keel_entity e, uint32_t taken);

/// May this kind be taken from every entity?
/// @return as model_may_take
keel_result model_may_clear(const model_world *world, uint32_t kind);

// Uniques

/// Set the unique of this kind, or replace its value. It is apart from the components of the kind.
/// @param value as many bytes as the kind has, copied; NULL: zeros
void model_set_unique(model_world *world, uint32_t kind, const void *value);

/// Take the unique away.
/// @param out receives the value; NULL: it is only deleted
/// @return KEEL_OK, KEEL_ABSENT when it was not set
keel_result model_remove_unique(model_world *world, uint32_t kind, void *out);

/// The value, or NULL before it is set.
const void *model_get_unique(const model_world *world, uint32_t kind);

/// The value to change in place, or NULL before it is set.
void *model_get_unique_mut(model_world *world, uint32_t kind);

// Hierarchy

/// Make `child` the last child of `parent`; it brings its own children along.
/// @return KEEL_OK, KEEL_ERROR_DEAD_ENTITY, KEEL_ERROR_CYCLE when `parent` is `child` or below it,
///   KEEL_ERROR_OCCUPIED
keel_result model_attach(model_world *world, keel_entity child, keel_entity parent);

/// Make `child` a root; it keeps its own children.
/// @return KEEL_OK, KEEL_ABSENT when it has no parent, KEEL_ERROR_DEAD_ENTITY, KEEL_ERROR_OCCUPIED
keel_result model_detach(model_world *world, keel_entity child);

/// Make an entity and each of its children a root; the children keep theirs.
/// @return KEEL_OK, KEEL_ABSENT when it had neither parent nor children, KEEL_ERROR_DEAD_ENTITY,
///   KEEL_ERROR_OCCUPIED
keel_result model_unlink(model_world *world, keel_entity e);

/// Take an entity and all its descendants out of the hierarchy.
/// @return as model_unlink
keel_result model_unlink_tree(model_world *world, keel_entity root);

/// Delete an entity and all its descendants.
/// @return KEEL_OK, KEEL_ABSENT when `root` was not alive, KEEL_ERROR_RELATED
keel_result model_delete_tree(model_world *world, keel_entity root);

/// Sort the children of `parent`; those that compare equal keep their order.
/// @return KEEL_OK, KEEL_ABSENT with 0 or 1 child, KEEL_ERROR_DEAD_ENTITY
keel_result model_sort_children(model_world *world, keel_entity parent, model_compare *compare,
                                void *data);

// Names
//
// Siblings have different names, roots too. Where an entity is put on purpose (attach, detach, the
// entity of unlink and unlink_tree), a name that is taken there is KEEL_ERROR_OCCUPIED. Who becomes
// a root since its parent went loses its name, when a root has it already. Who dies has no name any
// more before the first of them is gone; then orphans become roots in the order in which the
// parents go, the children of each in theirs. model_unlink_tree goes from the last descendant up.

/// Give an entity a name, or another one; NULL or "" takes it away.
/// @return KEEL_OK, KEEL_ABSENT when there was none to be taken away, KEEL_ERROR_DEAD_ENTITY,
///   KEEL_ERROR_ARGUMENT with a '/', KEEL_ERROR_OCCUPIED
keel_result model_set_name(model_world *world, keel_entity e, const char *name);

/// The name, or NULL.
const char *model_name_of(const model_world *world, keel_entity e);

/// Where names with '/' between them lead, from the children of `parent` on; null: from the roots.
keel_entity model_find(const model_world *world, keel_entity parent, const char *path);

// Looking at the hierarchy

/// The parent; null for a root and for an entity that is not alive.
keel_entity model_parent_of(const model_world *world, keel_entity e);

/// How many children the entity has; 0 when it is not alive.
size_t model_child_count(const model_world *world, keel_entity e);

/// The child at this place, from 0 to model_child_count - 1.
keel_entity model_child(const model_world *world, keel_entity parent, size_t place);

/// The descendants of `root` without itself: parents before their children, siblings in order
/// (pre-order).
/// @param out receives the handles; has room for model_entity_count of them
/// @return how many there are
size_t model_list_descendants(const model_world *world, keel_entity root, keel_entity *out);

/// The descendants of `root` without itself, level by level.
/// @param out as for model_list_descendants
/// @return how many there are
size_t model_list_descendants_breadth(const model_world *world, keel_entity root, keel_entity *out);

// Relations

/// Make a relation known.
/// @param options which options it has; no edges
/// @return its number: 0 for the first, 1 for the second and so on
uint32_t model_add_relation(model_world *world, model_relation options);

/// Make `target` the last target of `source`, and `source` the last source of `target`.
/// @param value NULL: zero, or the value that is there
/// @return KEEL_OK, KEEL_ERROR_DEAD_ENTITY, KEEL_ERROR_CYCLE
keel_result model_relate(model_world *world, uint32_t relation, keel_entity source,
                         keel_entity target, const uint32_t *value);

/// The opposite.
/// @return KEEL_OK, KEEL_ABSENT, KEEL_ERROR_DEAD_ENTITY
keel_result model_unrelate(model_world *world, uint32_t relation, keel_entity source,
                           keel_entity target);

/// Take all edges of a source away, or all of a target.
/// @return KEEL_OK, KEEL_ABSENT, KEEL_ERROR_DEAD_ENTITY
keel_result model_unrelate_all(model_world *world, uint32_t relation, keel_entity source);
keel_result model_unrelate_sources(model_world *world, uint32_t relation, keel_entity target);

/// Write the value of an edge that is there, of a symmetric relation in both directions.
void model_write_edge(model_world *world, uint32_t relation, keel_entity source, keel_entity target,
                      uint32_t value);

/// The edge, or NULL.
const model_edge *model_find_edge(const model_world *world, uint32_t relation, keel_entity source,
                                  keel_entity target);

/// Is the entity at either end of an edge?
bool model_is_related(const model_world *world, keel_entity e);
