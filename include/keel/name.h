// SPDX-License-Identifier: MIT
/// @file name.h
/// Names of entities, for people: editors, scripts, save games, messages. An error that is about an
/// entity writes it as `17v3 "ship"`: index, version and name.
///
/// A name is unique among siblings; roots are siblings of each other. So a path such as
/// `fleet/ship/turret` leads to one entity. Names lie in the component keel_name, which a world
/// knows from the first name on: a world that names nobody pays nothing. Views may read it
/// (KEEL_READ(keel_name, name), `name->text`) and ask for its changes; keel_set_name adds and
/// changes it, and deleting it or clearing it takes names away.
///
/// What becomes of names when entities get a new place:
/// - keel_attach, keel_detach, keel_unlink and keel_unlink_tree are refused (KEEL_ERROR_OCCUPIED)
///   where the entity that they name would have a sibling of its own name.
/// - When a family is broken up (its parent is deleted, stripped or unlinked) its children become
///   roots. One whose name a root has already loses it: the edit is made. A warning says which, for
///   the first, second, fourth, eighth, ... of a world, with how many there were.
///   Who has a name there may have it taken away, so a view or system that holds no `edit` for
///   keel_name cannot delete a parent of named children.
/// - A copy (keel_clone_entity) has no name: it has its own place among siblings. keel_copy_world
///   copies all names. keel_move_entity takes the name along, and is refused where a root of the
///   other world has it.
#pragma once
#include <keel/edit.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Component of an entity that has a name.
typedef struct keel_name {
    const char *text; ///< never empty; valid as what keel_name_of answers
} keel_name;

/// Give an entity a name, or another one. The text is copied. A view or context needs `edit` for
/// keel_name; commands record it.
/// @param name any text without '/'; NULL or "" takes the name away
/// @invalidates the entity's former name
/// @return KEEL_OK, also when that is its name already; KEEL_ABSENT when there is no name to be
///   taken away; KEEL_ERROR_OCCUPIED when a sibling has this name (the message says who),
///   KEEL_ERROR_ARGUMENT when there is a '/' in it, KEEL_ERROR_DEAD_ENTITY, KEEL_ERROR_MEMORY,
///   KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED, KEEL_ERROR_ACCESS
KEEL_API keel_result keel_set_name(keel_scope *scope, keel_entity e, const char *name);

/// The name of an entity, or NULL: it has none, is not alive, or the scope does not hold `read` for
/// keel_name. The text stays where it is until the entity gets another name or loses it, or is
/// deleted; edits of others do not touch it.
KEEL_API const char *keel_name_of(const keel_scope *scope, keel_entity e);

/// The entity that a path leads to, or null. A view or context needs `read` for keel_name and
/// keel_child. The time depends on the length of the path, not on how many entities there are.
/// @param parent where the path begins; null: at the roots
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
