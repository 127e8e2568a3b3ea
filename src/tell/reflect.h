// SPDX-License-Identifier: MIT
// What printing and parsing of fields share.
#pragma once
#include <keel/component.h>

// Fill in `error`, which may be NULL, and return `result`.
keel_result keeli_field_error(keel_error *error, keel_result result, const char *format, ...)
    KEELI_PRINTF(3, 4);
// An integer of this type; those of 64 bits without a sign as their bits.
int64_t keeli_field_integer(keel_field_type type, const void *from);
