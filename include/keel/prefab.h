// SPDX-License-Identifier: MIT
/// @file prefab.h
/// Prefabs: entities that are made once, as templates, and spawned as often as you like.
///
/// Templates live in a world of their own, keel_templates(world), where no system, loop, group or
/// observer of the game meets them. They are edited there by the usual verbs. A prefab is one of
/// them with all that is below it: `keel_spawn(scope, tank)` makes a copy of each, with its
/// components, disabled ones included, in the same tree and with the same names below its root,
/// related to each other in the same way. Described fields of type entity (KEEL_FIELDS) that name
/// somebody of the tree name the copy. Those that name another template stay as they are: what a
/// gun fires is a prefab, too. An entity of the game means nothing among the templates: set it
/// where the copy is. A template's handle is dead in the game, and the game's are dead here: the
/// versions of templates begin at a billion, with KEEL_ENTITY_32 at half of the highest one.
///
/// A variant is a copy among the templates: `keel_spawn(keel_templates(world), tank,
/// KEEL_INIT(...))` is one; so is a prefab as part of another one, which keel_attach puts into its
/// tree.
///
/// Each copy knows what it was made of: keel_prefab_of. It is a component of its own,
/// `keel_instance`, with the template's handle: it is copied, hashed and restored like others.
///
/// The templates are data of the program: they are no part of keel_copy_world, keel_merge_world and
/// of snapshots. `keel_copy_world(keel_templates(a), keel_templates(b))` copies them, with the same
/// handles.
#pragma once
#include <keel/edit.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A template with all that is below it.
typedef struct keel_prefab {
    keel_entity root; ///< in the world of the templates; null: none
} keel_prefab;

/// The world of the templates, which is made when it is first asked for, with the allocator and the
/// logger of `world`, and destroyed with it, never by keel_world_destroy. Of such a world: itself.
/// @return NULL on error: KEEL_ERROR_MEMORY, KEEL_ERROR_SHARED (a workload runs, or the world is
///   shared)
/// @threads the world's owner; its owner is the same
KEEL_API keel_world *keel_templates(keel_world *world);

/// keel_spawn: a copy of a prefab.
/// @param scope any, as for keel_add_entity_values: a view or context needs
///   KEEL_TERM_MAY_EDIT_ENTITIES and `edit` for all components that come; commands promise the
///   handles of the whole tree. Templates must not be edited meanwhile
/// @param values in place of what the root has, or in addition, as keel_add_entity_values; NULL:
///   none. They come as they are, templates that they name included, and what is disabled in the
///   template is enabled where it is named, without a value with that of the template
/// @return the copy of the root; null on error: KEEL_ERROR_DEAD_ENTITY (the prefab),
///   KEEL_ERROR_COPY (a component with a drop hook but no copy hook, or that failed),
///   KEEL_ERROR_MEMORY, KEEL_ERROR_FULL, KEEL_ERROR_ACCESS, KEEL_ERROR_BORROWED,
///   KEEL_ERROR_SHARED. Then nothing has changed, as for keel_merge_world
KEEL_API keel_entity keel_spawn_values(keel_scope *scope, keel_prefab prefab,
                                       const keel_value *values);
/// keel_spawn_many: many of them.
/// @param count how many copies of the whole tree
/// @param out receives the copies of the root; NULL: nobody wants them
/// @param columns for the roots, as keel_add_entity_columns; NULL: none
/// @return KEEL_OK, or as keel_spawn_values; KEEL_ERROR_ARGUMENT when a component is named twice
KEEL_API keel_result keel_spawn_columns(keel_scope *scope, keel_prefab prefab, uint32_t count,
                                        keel_entity *out, const keel_value_column *columns);

/// Make a living entity a copy of a prefab: it gets what the prefab has and it lacks.
///
/// What it has stays as it is: components (in sight or not), its name, its place in the tree, and
/// its target in an exclusive relation. Components that the template has disabled come so. The rest
/// of the prefab's tree comes below it, as keel_spawn makes it, behind the children that it has. If
/// it is a copy of this prefab already, it gets components only: parts that it lost stay lost, and
/// fields that name one are null. Of a copy of another prefab keel_prefab_of says this one from
/// then on.
/// @param scope any, as for keel_spawn_values
/// @return KEEL_OK, also when nothing was missing, KEEL_ERROR_DEAD_ENTITY (the entity or the
/// prefab),
///   KEEL_ERROR_OCCUPIED (a child of it has the name of a part), KEEL_ERROR_ARGUMENT (a template of
///   the prefab itself; or the root is related to itself with a value), or as keel_spawn_values.
///   Then nothing has changed
KEEL_API keel_result keel_apply_prefab(keel_scope *scope, keel_entity e, keel_prefab prefab);

/// What an entity is a copy of: the prefab for the root of a copy, the template of it for the
/// others. It has a null root for entities that nobody spawned, and when the template was deleted.
KEEL_API keel_prefab keel_prefab_of(const keel_scope *scope, keel_entity e);

#ifdef __cplusplus
}
#endif

// clang-format off
/// @cond macros that let the functions above take their scopes as they are
#define keel_spawn_values(scope, ...) keel_spawn_values(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_spawn_columns(scope, ...) keel_spawn_columns(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_apply_prefab(scope, ...) keel_apply_prefab(KEELI_TO_EDIT(scope), __VA_ARGS__)
#define keel_prefab_of(scope, ...) keel_prefab_of(KEELI_TO_READ(scope), __VA_ARGS__)
/// @endcond
// clang-format on
