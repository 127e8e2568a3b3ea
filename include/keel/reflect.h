// SPDX-License-Identifier: MIT
/// @file reflect.h
/// Finds, prints and parses fields of values by their paths, for editors, consoles, scripts and
/// saved games as text. KEEL_FIELDS describes the fields of a component; a descriptor written by
/// hand lists them itself (component.h). The functions only use descriptors and values, so they
/// need no world and may be called from any thread. See docs/tasks/reflection.md.
///
/// **Texts** of values can be parsed again bit for bit. Numbers are decimal. Floats have as few
/// digits as distinguish them from all others, and always a point, whatever the locale says; also
/// `nan`, `nan:7fc00001`, `-inf`. Booleans are `true` and `false`. Enums are their names, or a
/// number for a value without a name. Flags are `SWIMS | FLIES | 0x80`. Entities are `17v3`, index
/// and version, or `null`. Texts are in quotes, with `\n`, `\t`, `\"`, `\\` and `\x1b`; an owned
/// text that is NULL is `null`. Bytes are pairs of hexadecimal digits. Arrays are `[1, 2]`, structs
/// `{x: 1, y: 2}`.
#pragma once
#include <keel/component.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The place of a field in a component's values, found by keel_field_find.
typedef struct keel_field_place {
    const keel_field *field; ///< the described field that the path ends at
    uint32_t offset;         ///< bytes from the start of the component's value
    uint32_t size;           ///< bytes of the whole field or element
    uint32_t count; ///< number of elements: the length of an array; 1 for an element of an array,
                    ///< and for texts and bytes
    char path[108]; ///< `Turret.at.x`, for messages; cut when it is longer
} keel_field_place;

/// Finds a field by its path: `reload`, `at.x`, `slots`, `slots[3].count`. An array of several
/// dimensions has a single index, which counts its elements in the order of memory: in a
/// `grid[2][3]` the element `grid[1][2]` has the path `grid[5]`.
/// @param component a descriptor; no world needs to know it
/// @param error receives what is wrong; may be NULL
/// @return KEEL_OK; KEEL_ERROR_UNKNOWN when there is no such field, KEEL_ERROR_ARGUMENT for a text
///   that is no path and for an index outside of its array. `out` is then all zeros
KEEL_API keel_result keel_field_find(const keel_component *component, const char *path,
                                     keel_field_place *out, keel_error *error);

/// Writes the field of a value as text.
/// @param value the component's value
/// @param text receives at most `size` bytes, the terminating zero included; may be NULL when
///   `size` is 0
/// @return the length of the whole text without the zero, as snprintf; 0 for a place that was not
///   found
KEEL_API size_t keel_field_print(const keel_field_place *place, const void *value, char *text,
                                 size_t size);

/// Sets the field of a value from a text, as keel_field_print writes it. It also accepts: spaces
/// between parts; an unquoted text for a field that is one text; for a struct only some of its
/// fields, in any order (the other fields do not change); integers as `0xff`. Get a value that is
/// in a world with keel_get_component_mut, so that the change is tracked.
/// @param value the component's value. If an owned text is replaced, free() frees the old one
/// @param error receives what is wrong: the path, the text and what was expected; may be NULL
/// @return KEEL_OK, or an error with nothing changed: KEEL_ERROR_TEXT for a text that is no value
///   of the field's type, or a value outside of the field's range, KEEL_ERROR_MEMORY for owned
///   texts, KEEL_ERROR_ARGUMENT for a place that was not found
KEEL_API keel_result keel_field_parse(const keel_field_place *place, void *value, const char *text,
                                      keel_error *error);

#ifdef __cplusplus
}
#endif
