// SPDX-License-Identifier: MIT
/// @file commands.h
/// Commands: structural edits that are recorded now and applied later.
///
/// Inside a loop or a system the storages are in use, so edits are recorded. Commands of a system
/// are applied when it has ended, before a system that touches the same storages starts; commands
/// of keel_world_commands are applied by keel_apply_commands and before the next keel_run*. They
/// are never applied when a loop ends.
///
/// Commands are applied in the order they were recorded. Each is atomic. A command on an entity
/// that is not alive by then does nothing, drops the values it carries, and is counted
/// (keel_dropped_commands). When memory runs out while applying, the command that failed and those
/// after it stay recorded, and the next keel_apply_commands goes on with it.
///
/// The values handed to a command are copied at once, and owned by the command until it is applied.
#pragma once
#include <keel/hierarchy.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A list of recorded edits. Belongs to a world, or to a running system.
typedef struct keel_commands keel_commands;

/// The world's own list, for loops outside systems.
/// @threads the world's owner
KEEL_API keel_commands *keel_world_commands(keel_world *world);

/// Apply what was recorded.
/// @return KEEL_OK, or the first error; KEEL_ERROR_BORROWED (nothing applied) while a view is open,
///   KEEL_ERROR_MEMORY, KEEL_ERROR_SHARED
KEEL_API keel_result keel_apply_commands(keel_world *world);

/// How many commands were dropped since the world was made, because their entity was not alive.
KEEL_API uint64_t keel_dropped_commands(const keel_world *world);

/// Record the creation of an entity. The handle can be used in later commands and stored in
/// components at once; the entity is alive when the command was applied.
/// @return null on error: KEEL_ERROR_MEMORY, KEEL_ERROR_FULL, KEEL_ERROR_COMPONENT, see
///   keel_last_error
KEEL_API keel_entity keel_commands_add_entity(keel_commands *commands, const keel_value *values);

/// Record the creation of an entity as the last child of `parent`. When the parent is dead by the
/// time of the apply, the entity becomes a root, and the attachment is dropped and counted.
/// @return as keel_commands_add_entity
KEEL_API keel_entity keel_commands_add_child(keel_commands *commands, keel_entity parent,
                                             const keel_value *values);

/// Record keel_world_delete_entity.
/// @return KEEL_OK, KEEL_ERROR_MEMORY (nothing recorded)
KEEL_API keel_result keel_commands_delete_entity(keel_commands *commands, keel_entity e);

/// Record keel_add_component.
/// @return KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_COMPONENT (nothing recorded)
KEEL_API keel_result keel_commands_add_component(keel_commands *commands, keel_entity e,
                                                 const keel_component *component,
                                                 const void *value);

/// Record keel_world_add_values.
/// @return KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_COMPONENT (nothing recorded)
KEEL_API keel_result keel_commands_add_values(keel_commands *commands, keel_entity e,
                                              const keel_value *values);

/// Record keel_remove_component with the value dropped.
/// @return KEEL_OK, KEEL_ERROR_MEMORY (nothing recorded)
KEEL_API keel_result keel_commands_remove_component(keel_commands *commands, keel_entity e,
                                                    const keel_component *component);

/// Record keel_world_delete_components.
/// @return KEEL_OK, KEEL_ERROR_MEMORY (nothing recorded)
KEEL_API keel_result keel_commands_delete_components(keel_commands *commands, keel_entity e,
                                                     const keel_component *const *components);

/// Record keel_world_strip.
/// @return KEEL_OK, KEEL_ERROR_MEMORY (nothing recorded)
KEEL_API keel_result keel_commands_strip(keel_commands *commands, keel_entity e);

/// Record keel_world_attach.
/// @return KEEL_OK, KEEL_ERROR_MEMORY (nothing recorded)
KEEL_API keel_result keel_commands_attach(keel_commands *commands, keel_entity child,
                                          keel_entity parent);

/// Record keel_world_detach.
/// @return KEEL_OK, KEEL_ERROR_MEMORY (nothing recorded)
KEEL_API keel_result keel_commands_detach(keel_commands *commands, keel_entity child);

/// Record keel_world_unlink.
/// @return KEEL_OK, KEEL_ERROR_MEMORY (nothing recorded)
KEEL_API keel_result keel_commands_unlink(keel_commands *commands, keel_entity e);

/// Record keel_world_unlink_tree.
/// @return KEEL_OK, KEEL_ERROR_MEMORY (nothing recorded)
KEEL_API keel_result keel_commands_unlink_tree(keel_commands *commands, keel_entity root);

/// Record keel_world_delete_tree.
/// @return KEEL_OK, KEEL_ERROR_MEMORY (nothing recorded)
KEEL_API keel_result keel_commands_delete_tree(keel_commands *commands, keel_entity root);

/// A recorded function: it may do with the world what its owner may.
typedef keel_result keel_command_fn(keel_world *world, void *data);

/// Record a call.
/// @param data `size` bytes, copied (aligned for any C type); NULL with size 0
/// @return KEEL_OK, KEEL_ERROR_MEMORY (nothing recorded)
KEEL_API keel_result keel_commands_call(keel_commands *commands, keel_command_fn *function,
                                        const void *data, size_t size);

#ifdef __cplusplus
}
#endif
