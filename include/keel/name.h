// SPDX-License-Identifier: MIT
/// @file name.h
/// Names of entities, for people: editors, scripts, saved games, messages. An error about an entity
/// writes it as `17v3 "ship"`: index, version and name.
///
/// A name is unique among siblings, and roots are siblings of each other. So a path such as
/// `fleet/ship/turret` leads to one entity. Names are stored in the component keel_name, which a
/// world registers with the first name: a world without names pays nothing. Views may read it
/// (KEEL_READ(keel_name, name), `name->text`) and ask for its changes. Only keel_set_name adds and
/// changes it. Deleting or clearing the component removes names.
///
///     keel_set_name(world, ship, "ship");
///     keel_entity turret = keel_find_entity(world, keel_null(), "ship/turret");
///
/// **Names of entities that get another parent:**
/// - keel_attach, keel_detach, keel_unlink and keel_unlink_tree are refused (KEEL_ERROR_OCCUPIED)
///   where the entity would get a sibling of its own name.
/// - When a parent is deleted, stripped or unlinked, its children become roots. A child loses its
///   name if a root has that name already: the edit is made all the same. A warning names the
///   child, for the first, second, fourth, eighth, ... such child of a world, with the number so
///   far. As such an edit may remove a name, a view or system without `edit` for keel_name cannot
///   delete a parent of named children.
/// - A copy (keel_clone_entity) has no name. keel_copy_world copies all names. keel_move_entity
///   moves the name along, and is refused if a root of the other world has the same name.
#pragma once
#include <keel/edit.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The component of an entity that has a name.
typedef struct keel_name {
    const char *text; ///< never empty; valid as long as the result of keel_name_of
} keel_name;

/// Sets or changes the name of an entity. The text is copied. A view or context needs `edit` for
/// keel_name; commands record the edit.
/// @param name any text without '/'; NULL or "" removes the name
/// @invalidates the entity's former name
/// @return KEEL_OK, also when the entity has this name already; KEEL_ABSENT when there is no name
///   to remove; KEEL_ERROR_OCCUPIED when a sibling has this name (the message names the sibling),
///   KEEL_ERROR_ARGUMENT when the name contains a '/', KEEL_ERROR_DEAD_ENTITY, KEEL_ERROR_MEMORY,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED, KEEL_ERROR_ACCESS
KEEL_API keel_result keel_set_name(keel_scope *scope, keel_entity e, const char *name);

/// Returns the name of an entity. NULL when the entity has no name or is not alive, or when the
/// scope does not hold `read` for keel_name. The text stays valid until this entity is renamed,
/// loses its name, or is deleted; edits of other entities do not touch it.
KEEL_API const char *keel_name_of(const keel_scope *scope, keel_entity e);

/// Returns the entity that a path leads to, or null. A view or context needs `read` for keel_name
/// and keel_child. The time depends on the length of the path, not on the number of entities.
/// @param parent the entity where the path begins; null: the path begins at the roots
/// @param path names with '/' between them: "turret", "fleet/ship/turret"
KEEL_API keel_entity keel_find_entity(const keel_scope *scope, keel_entity parent,
                                      const char *path);

#ifdef __cplusplus
}
#endif

// clang-format off
/// @cond macros that let the functions above take their scopes as they are
#define keel_set_name(scope, ...) keel_set_name(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_name_of(scope, ...) keel_name_of(KEELI_TO_READ(scope), __VA_ARGS__)
#define keel_find_entity(scope, ...) keel_find_entity(KEELI_TO_READ(scope), __VA_ARGS__)
/// @endcond
// clang-format on
