// SPDX-License-Identifier: MIT
// A locale with a decimal comma, for tests that Keel's texts do not depend on the locale. Tests of
// fields, JSON and SQLite in tests/api include it.
#pragma once
#include "support/test.h"

#include <locale.h>
#include <stdio.h>

// Sets the locale, or skips the test if there is none. tests/CMakeLists.txt creates it and sets
// KEEL_TEST_LOCALE.
static inline void begin_decimal_comma(void) {
    char probe[8];
    const char *name = getenv("KEEL_TEST_LOCALE");
    if (!name) skip();
    assert_non_null(setlocale(LC_ALL, name));
    snprintf(probe, sizeof probe, "%.1f", 0.5);
    assert_string_equal(probe, "0,5");
}
static inline void end_decimal_comma(void) { setlocale(LC_ALL, "C"); }
