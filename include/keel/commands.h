// SPDX-License-Identifier: MIT
/// @file commands.h
/// Commands: edits that are recorded now and applied later. Use them inside loops and systems,
/// where the storages are in use and an edit through the world is refused.
///
/// A list of commands belongs to a world (keel_world_commands) or to a running system
/// (KEEL_COMMANDS). It is a scope, so the usual verbs record into it: keel_add(commands, e, T, ...)
/// records what keel_add(world, e, T, ...) does at once.
///
///     keel_commands *commands = keel_world_commands(world);
///     KEEL_EACH(world, KEEL_READ(Health, health), KEEL_ENTITY(e)) {
///         if (health->points <= 0) keel_delete_entity(commands, e);
///     }
///     keel_apply_commands(world);
///
/// **When commands are applied.** Commands of a system are applied when the system has ended,
/// before a system that uses the same storages starts. Commands of keel_world_commands are applied
/// by keel_apply_commands, and before the next keel_run*. The end of a loop never applies commands.
///
/// **How commands are applied.** Commands are applied in the order in which they were recorded, and
/// each command as a whole. A command on an entity that is dead by then changes nothing: its values
/// are dropped, and it is counted (keel_world_statistics). When memory runs out, the command that
/// failed and those after it stay recorded, and the next keel_apply_commands continues with that
/// command.
///
/// **Values** passed to a command are copied at once. The command owns them until it is applied.
///
/// **New entities.** A recorded creation returns the handle at once. Later commands may use the
/// handle, and components may store it. The entity is alive from when the command is applied. If
/// the parent of a recorded keel_add_child is dead by then, the entity becomes a root, and the
/// attachment is dropped and counted.
#pragma once
#include <keel/hierarchy.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the world's own list of commands, for loops outside of systems; a system has the
/// parameter KEEL_COMMANDS. In shared mode each thread that calls this function gets a list of its
/// own, which no other thread may use (KEEL_ERROR_THREAD). The last keel_share_end applies these
/// lists, in the order of the threads' first calls.
/// @threads the world's owner; any thread in shared mode
/// @return NULL when there is no memory for a list
KEEL_API keel_commands *keel_world_commands(keel_world *world);

/// Applies the commands that were recorded with keel_world_commands.
/// @threads the world's owner
/// @return KEEL_OK, or the first error of a command; KEEL_ERROR_BORROWED (nothing was applied)
///   while a view is open, KEEL_ERROR_MEMORY, KEEL_ERROR_SHARED
KEEL_API keel_result keel_apply_commands(keel_world *world);

/// A function whose call is recorded. It runs when the commands are applied, and may do with the
/// world whatever its owner may do.
typedef keel_result keel_command_fn(keel_world *world, void *data);

/// Records a call of a function.
/// @param data `size` bytes, which are copied; the function gets the copy, aligned for any C type.
///   NULL with size 0
/// @return KEEL_OK, KEEL_ERROR_MEMORY (nothing recorded)
KEEL_API keel_result keel_commands_call(keel_commands *commands, keel_command_fn *function,
                                        const void *data, size_t size);

#ifdef __cplusplus
}
#endif
