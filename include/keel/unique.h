// SPDX-License-Identifier: MIT
/// @file unique.h
/// Uniques: single values without an entity, such as the time or the input state.
///
/// KEEL_UNIQUE declares a unique. With `.initial = &value` the unique is set from the start
/// (component.h). The same type may also be a component; the two are independent of each other.
/// Views and systems borrow uniques by the same rules as storages.
///
///     KEEL_UNIQUE(Time);
///     keel_set_unique(world, Time, {.seconds = 0});
///     keel_get_unique_mut(world, Time)->seconds += 1;
#pragma once
#include <keel/edit.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Sets a unique, or replaces its value (the old value is dropped). Typed: keel_set_unique.
/// @param scope a world or commands
/// @param value `unique->size` bytes, of which the world takes ownership; NULL: zeros
/// @return KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_COMPONENT, KEEL_ERROR_ARGUMENT (another scope, or
///   a type of events), KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_set_unique_value(keel_scope *scope, const keel_component *unique,
                                           const void *value);

/// Returns the value of a unique to change in place, and sets the unique first if it is not set. A
/// unique with an `.initial` value is set already. Typed: keel_get_or_set_unique.
/// @param value the value to set; the world takes ownership only if the unique was not set; NULL:
///   zeros
/// @return the value; NULL on error, as keel_set_unique_value
/// @threads the owner
KEEL_API void *keel_get_or_set_unique_value(keel_world *world, const keel_component *unique,
                                            const void *value);

/// Returns the value of a unique to read. NULL when the unique is not set, and when a view or
/// context does not hold it (keel_last_error has KEEL_ERROR_ACCESS). Typed: keel_get_unique.
KEEL_API const void *keel_get_unique_value(const keel_scope *scope, const keel_component *unique);

/// Returns the value of a unique to change in place. NULL when the unique is not set, when a view
/// or context does not hold it with `write` (keel_last_error has KEEL_ERROR_ACCESS), and through a
/// world while a view or system uses it. Typed: keel_get_unique_mut.
/// @param scope a view or context must hold `write` for the unique
KEEL_API void *keel_get_unique_value_mut(keel_scope *scope, const keel_component *unique);

/// Removes a unique. Typed: keel_remove_unique.
/// @param scope a world or commands
/// @param out receives the value and what it owns. NULL: the value is dropped. It must be NULL for
///   commands, which cannot return a value (otherwise KEEL_ERROR_ARGUMENT)
/// @return KEEL_OK, KEEL_ABSENT when the unique was not set, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_remove_unique_value(keel_scope *scope, const keel_component *unique,
                                              void *out);

/// Removes all uniques and drops their values. keel_last_count returns how many were removed.
/// @return KEEL_OK, KEEL_ABSENT when no unique was set, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED (on
///   an error none is removed)
/// @threads the owner
KEEL_API keel_result keel_clear_uniques(keel_world *world);

#ifdef __cplusplus
}
#endif

// clang-format off
/// @cond macros that let the functions above take their scopes as they are
#define keel_get_unique_value(scope, ...) keel_get_unique_value(KEELI_TO_READ(scope), __VA_ARGS__)
#define keel_set_unique_value(scope, ...) keel_set_unique_value(KEELI_TO_RECORD(scope), __VA_ARGS__)
#define keel_remove_unique_value(scope, ...) keel_remove_unique_value(KEELI_TO_RECORD(scope), __VA_ARGS__)
#define keel_get_unique_value_mut(scope, ...) keel_get_unique_value_mut(KEELI_TO_WRITE(scope), __VA_ARGS__)
/// @endcond
// clang-format on
