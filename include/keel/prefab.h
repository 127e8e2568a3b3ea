// SPDX-License-Identifier: MIT
/// @file prefab.h
/// Prefabs: entities that are made once, as templates, and copied as often as you like.
///
/// Templates live in a world of their own, keel_templates(world), where no system, loop, group or
/// observer of the game visits them. They are edited there by the usual verbs. A prefab is a
/// template with all its descendants.
///
///     keel_world *templates = keel_templates(world);
///     keel_prefab tank = { keel_add_entity(templates, KEEL_INIT(Health, {100})) };
///     keel_add_child(templates, tank.root, KEEL_INIT(Gun, {9}));
///     keel_entity first = keel_spawn(world, tank);
///     keel_entity weak = keel_spawn(world, tank, KEEL_INIT(Health, {10}));
///
/// **Spawning** copies each entity of the prefab with its components, disabled ones too, in the
/// same tree, with the same names below the root, and with the same relations to each other. A
/// described field of type entity (KEEL_FIELDS) that refers to an entity of the prefab's tree
/// refers to the copy of this entity in the copied tree. A field that refers to another template is
/// copied as it is: the bullet that a gun fires is a prefab, too. Handles of the game mean nothing
/// in a template: set such fields in the copy. Handles of templates are dead in the game, and
/// handles of the game are dead among the templates: versions of templates begin at a billion, with
/// KEEL_ENTITY_32 at half of the highest version.
///
/// **Variants** are copies among the templates: `keel_spawn(keel_templates(world), tank,
/// KEEL_INIT(...))` makes one. In the same way a prefab becomes a part of another prefab: copy it,
/// and attach the copy (keel_attach) to an entity of the other tree.
///
/// keel_prefab_of returns the template of a copy. The template's handle is stored in a component of
/// the copy, `keel_instance`, which is copied, hashed and restored like other components.
///
/// The templates are data of the program: keel_copy_world, keel_merge_world and snapshots leave
/// them out. `keel_copy_world(keel_templates(a), keel_templates(b))` copies them, with the same
/// handles.
#pragma once
#include <keel/edit.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A template with all its descendants.
typedef struct keel_prefab {
    keel_entity root; ///< the template, in the world of the templates; null: none
} keel_prefab;

/// Returns the world of the templates. It is made by the first call, with the allocator and the
/// logger of `world`, and destroyed with `world`; keel_world_destroy refuses it. Called with a
/// world of templates, it returns that world itself.
/// @return NULL on error: KEEL_ERROR_MEMORY, KEEL_ERROR_SHARED (a workload runs, or the world is in
///   shared mode)
/// @threads the world's owner, who also owns the world of templates
KEEL_API keel_world *keel_templates(keel_world *world);

/// Creates a copy of a prefab. Typed: keel_spawn.
/// @param scope any, as for keel_add_entity_values: a view or context needs
///   KEEL_TERM_MAY_EDIT_ENTITIES and `edit` for all components of the copy; commands reserve the
///   handles of the whole tree, so the prefab must not be edited until they are applied
/// @param values components of the root, in place of the template's or in addition, as
///   keel_add_entity_values; NULL: none. Handles in these values are not redirected, not even
///   handles of templates. A component that is disabled in the template and listed here is enabled
///   in the copy. If it is listed without a value, it has the template's value
/// @return the copy of the root; null on error: KEEL_ERROR_DEAD_ENTITY (the prefab),
///   KEEL_ERROR_COPY (a component with a drop hook but no copy hook, or a copy hook that failed),
///   KEEL_ERROR_MEMORY, KEEL_ERROR_FULL, KEEL_ERROR_ACCESS, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED.
///   Then nothing has changed, as for keel_merge_world
KEEL_API keel_entity keel_spawn_values(keel_scope *scope, keel_prefab prefab,
                                       const keel_value *values);
/// Creates many copies of a prefab. Typed: keel_spawn_many.
/// @param count how many copies of the whole tree
/// @param out receives the handles of the roots; may be NULL
/// @param columns for the roots, as keel_add_entity_columns; NULL: none
/// @return KEEL_OK, or as keel_spawn_values; KEEL_ERROR_ARGUMENT when a component is named twice
KEEL_API keel_result keel_spawn_columns(keel_scope *scope, keel_prefab prefab, uint32_t count,
                                        keel_entity *out, const keel_value_column *columns);

/// Makes a living entity a copy of a prefab, by adding the components and parts that the entity
/// lacks.
///
/// The entity keeps its components (disabled ones too), its name, its parent, and its target in an
/// exclusive relation. It gets the other components of the prefab's root; a component that the
/// template has disabled is added disabled. The rest of the prefab's tree is added below the entity
/// as by keel_spawn, behind the children that the entity has already. If the entity is a copy of
/// this prefab already, it only gets components: deleted parts are not made again, and added fields
/// that refer to a deleted part are null. If it is a copy of another prefab, keel_prefab_of returns
/// this prefab from then on.
/// @param scope any, as for keel_spawn_values
/// @return KEEL_OK, also when nothing was missing, KEEL_ERROR_DEAD_ENTITY (the entity or the
///   prefab), KEEL_ERROR_OCCUPIED (a child of the entity has the name of a part of the prefab),
///   KEEL_ERROR_ARGUMENT (`e` is a template of the prefab itself; or the prefab's root is related
///   to itself with a value), or as keel_spawn_values. Then nothing has changed
KEEL_API keel_result keel_apply_prefab(keel_scope *scope, keel_entity e, keel_prefab prefab);

/// Returns the template that an entity is a copy of, as a prefab: for the root of a copy, this is
/// the prefab itself. The result has a null root for entities that are no copies, and when the
/// template was deleted.
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
