// SPDX-License-Identifier: MIT
/// @file commands.h
/// Commands: structural edits that are recorded now and applied later.
///
/// Inside a loop or a system the storages are in use, so edits are recorded. Commands of a system
/// are applied when it has ended, before a system that touches the same storages starts; commands
/// of keel_world_commands are applied by keel_apply_commands and before the next keel_run*. They
/// are never applied when a loop ends.
///
/// A list belongs to a world (keel_world_commands) or to a running system (KEEL_COMMANDS), and is a
/// scope: keel_add(commands, e, T, ...) records what keel_add(world, e, T, ...) does now. Creating
/// an entity hands out its handle, which can be used in later commands and stored in components at
/// once; the entity is alive when the command was applied. When the parent of keel_add_child is
/// dead by then the entity becomes a root, and the attachment is dropped and counted.
///
/// Commands are applied in the order they were recorded. Each is atomic. A command on an entity
/// that is not alive by then does nothing, drops the values it carries, and is counted
/// (keel_world_statistics). When memory runs out while applying, the command that failed and those
/// after it stay recorded, and the next keel_apply_commands goes on with it.
///
/// The values handed to a command are copied at once, and owned by the command until it is applied.
#pragma once
#include <keel/hierarchy.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The world's own list, for loops outside systems. In shared mode each thread that asks has one of
/// its own, which no other thread may use (KEEL_ERROR_THREAD); after the last keel_share_end they
/// are applied in the order in which the threads came. In systems: KEEL_COMMANDS.
/// @threads the world's owner; any in shared mode
/// @return NULL when out of memory for that
KEEL_API keel_commands *keel_world_commands(keel_world *world);

/// Apply what was recorded.
/// @return KEEL_OK, or the first error; KEEL_ERROR_BORROWED (nothing applied) while a view is open,
///   KEEL_ERROR_MEMORY, KEEL_ERROR_SHARED
KEEL_API keel_result keel_apply_commands(keel_world *world);

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
