// SPDX-License-Identifier: MIT
// Helpers that printing (reflect.c) and parsing (parse.c) of fields share. No other file uses them:
// which fields a component has is checked in world/field.c.
#pragma once
#include <keel/component.h>

// Fills in `error`, which may be NULL, and returns `result`.
keel_result keeli_field_error(keel_error *error, keel_result result, const char *format, ...)
    KEELI_PRINTF(3, 4);
// Returns the integer of this type at `from`. An unsigned one of 64 bits is returned as its bits.
int64_t keeli_field_integer(keel_field_type type, const void *from);
