// SPDX-License-Identifier: MIT
/// @file unique.h
/// Uniques: single values without an entity, such as the time or the input state.
///
/// KEEL_UNIQUE declares one, with `.initial = &value` one that is there from the start
/// (component.h). The same type may also be a component; the two have nothing to do with each
/// other. Views and systems borrow uniques by the same rules as storages.
#pragma once
#include <keel/edit.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Set a unique, or replace its value (the old one is dropped).
/// @param scope a world or commands
/// @param value `unique->size` bytes, handed over; NULL: zeros
/// @return KEEL_OK, KEEL_ERROR_MEMORY, KEEL_ERROR_COMPONENT, KEEL_ERROR_ARGUMENT (another scope, or
///   a type of events), KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_set_unique_value(keel_scope *scope, const keel_component *unique,
                                           const void *value);

/// The value, to change in place, which is set first when it is not set. What has an `.initial`
/// value has been set to that.
/// @param value what to set: handed over only when it is; NULL: zeros
/// @return the value; NULL on error, as keel_set_unique_value
/// @threads the owner
KEEL_API void *keel_get_or_set_unique_value(keel_world *world, const keel_component *unique,
                                            const void *value);

/// The value, to read; NULL before it is set, and when a view or context does not hold it
/// (KEEL_ERROR_ACCESS is kept).
KEEL_API const void *keel_get_unique_value(const keel_scope *scope, const keel_component *unique);

/// The value, to change in place; NULL before it is set, when a view or context does not hold it
/// with `write` (as above), and through a world while a view or system uses it.
/// @param scope a view or context must hold `write` for it
KEEL_API void *keel_get_unique_value_mut(keel_scope *scope, const keel_component *unique);

/// Take a unique away.
/// @param scope a world or commands
/// @param out receives the value and what it owns; NULL, as for commands, which hand nothing out
///   (KEEL_ERROR_ARGUMENT): it is dropped
/// @return KEEL_OK, KEEL_ABSENT when it was not set, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_remove_unique_value(keel_scope *scope, const keel_component *unique,
                                              void *out);

/// Take all uniques away; their values are dropped. keel_last_count tells how many.
/// @return KEEL_OK, KEEL_ABSENT when none was set, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED (all
/// stay)
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
