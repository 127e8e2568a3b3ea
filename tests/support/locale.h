// SPDX-License-Identifier: MIT
// A locale with a decimal comma: what Keel writes and reads does not change in it.
#pragma once
#include "support/test.h"

#include <locale.h>
#include <stdio.h>

// Skips the test where there is none; tests/CMakeLists.txt makes one and says which.
static inline void begin_decimal_comma(void) {
    char probe[8];
    const char *name = getenv("KEEL_TEST_LOCALE");
    if (!name) skip();
    assert_non_null(setlocale(LC_ALL, name));
    snprintf(probe, sizeof probe, "%.1f", 0.5);
    assert_string_equal(probe, "0,5");
}
static inline void end_decimal_comma(void) { setlocale(LC_ALL, "C"); }
