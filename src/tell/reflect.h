// SPDX-License-Identifier: MIT
// Helpers for printing (reflect.c) and parsing (parse.c) the fields of components. No other file
// uses them. The descriptions of fields themselves are checked in world/field.c.
#pragma once
#include <keel/component.h>

// Fills in `error`, which may be NULL, and returns `result`.
keel_result keeli_field_error(keel_error *error, keel_result result, const char *format, ...)
    KEELI_PRINTF(3, 4);
// Returns the integer of this type at `from`. An unsigned integer of 64 bits must be cast to
// uint64_t.
int64_t keeli_field_integer(keel_field_type type, const void *from);
