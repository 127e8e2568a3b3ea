// SPDX-License-Identifier: MIT
/// @file reflect.h
/// Fields by their paths: found, printed and parsed, for editors, consoles, scripts and saved games
/// as text. What a component's fields are is said by KEEL_FIELDS, or by hand (component.h). The
/// functions look at descriptors and values only, so they need no world and may be called from any
/// thread. docs/reflection.md.
///
/// **Texts** of values, which come back bit for bit: numbers in decimal, floats with as few digits
/// as tell them from all others, always with a point whatever the locale says, `nan`,
/// `nan:7fc00001`,
/// `-inf`; `true`, `false`; names of enums, or a number that has none; flags as `SWIMS | FLIES |
/// 0x80`; entities as `17v3`, index and version, or `null`; texts in quotes, with `\n`, `\t`, `\"`,
/// `\\` and
/// `\x1b`; an owned text that is NULL as `null`; bytes as pairs of hexadecimal digits. Arrays are
/// `[1, 2]`, structs `{x: 1, y: 2}`.
#pragma once
#include <keel/component.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Where a field of a component's values is. Found by keel_field_find.
typedef struct keel_field_place {
    const keel_field *field; ///< the described field that the path ends at
    uint32_t offset;         ///< bytes from the start of the component's value
    uint32_t size;           ///< bytes of all of it
    uint32_t count; ///< elements: those of an array, 1 for one of them, for texts and bytes
    char path[108]; ///< `Turret.at.x`, for messages; cut when it is longer
} keel_field_place;

/// Find a field by its path: `reload`, `at.x`, `slots`, `slots[3].count`. A field has one count of
/// elements, whatever its dimensions are, so rows lie behind each other: the element `grid[1][2]`
/// of a `grid[2][3]` is `grid[5]`.
/// @param component a descriptor, a world's or any other
/// @param error receives what is wrong; may be NULL
/// @return KEEL_OK; KEEL_ERROR_UNKNOWN when there is no such field, KEEL_ERROR_ARGUMENT for a path
///   that is none and an index outside of its array. `out` is then all zeros
KEEL_API keel_result keel_field_find(const keel_component *component, const char *path,
                                     keel_field_place *out, keel_error *error);

/// Write the field of a value as text.
/// @param value the component's value
/// @param text receives at most `size` bytes, the terminating zero included; may be NULL when
///   `size` is 0
/// @return the length of the whole text without the zero, as snprintf; 0 for a place that was not
///   found
KEEL_API size_t keel_field_print(const keel_field_place *place, const void *value, char *text,
                                 size_t size);

/// Set the field of a value from text, as keel_field_print writes it. Beyond that: spaces between
/// parts; an unquoted text for a field that is one text; for structs some of their fields in any
/// order, and the others stay; integers as `0xff`. A value that a world keeps is to be got by
/// keel_get_component_mut, so that the change is seen.
/// @param value the component's value. An owned text that is replaced is freed by free
/// @param error receives what is wrong: the path, the text and what was expected; may be NULL
/// @return KEEL_OK, or an error with nothing changed: KEEL_ERROR_TEXT for what is no such value or
///   outside of the field's range, KEEL_ERROR_MEMORY for owned texts, KEEL_ERROR_ARGUMENT for a
///   place that was not found
KEEL_API keel_result keel_field_parse(const keel_field_place *place, void *value, const char *text,
                                      keel_error *error);

#ifdef __cplusplus
}
#endif
