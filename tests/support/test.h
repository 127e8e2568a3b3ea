// SPDX-License-Identifier: MIT
// What every test file includes: cmocka with what it needs before it, and the two macros that turn
// functions into a test program.
//
//     static void deleted_handles_stay_dead(void **state) { ... }
//
//     static const struct CMUnitTest tests[] = {
//         TEST(deleted_handles_stay_dead, "E-F12: a deleted handle stays dead"),
//     };
//     int main(void) { return RUN(tests); }
//
// A title starts with the acceptance numbers that the test proves, then a colon, then a sentence:
// "S-63 E-F8: ...", "S-12..S-14: ...". tools/check_acceptance reads them.
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// cmocka 1.1.5 does not say so itself, and C++ tests include this file too.
#ifdef __cplusplus
extern "C" {
#endif
#include <cmocka.h>
#ifdef __cplusplus
}
#endif

/// How often a long test repeats what it does: `usual`, and a fifth of it where KEEL_TEST_FEW is
/// set, as for valgrind and the thread sanitizer, where all is slower and the first times tell
/// most.
static inline uint32_t test_rounds(uint32_t usual) {
    return getenv("KEEL_TEST_FEW") ? usual / 5 + 1 : usual;
}

/// The step of a loop that lets each allocation fail in turn: every one, or every fifth.
static inline size_t test_stride(void) { return getenv("KEEL_TEST_FEW") ? 5 : 1; }

/// One entry of a test table.
#define TEST(function, title)                                                                      \
    { title, function, NULL, NULL, NULL }

/// Run a test table. Yields the number of failed tests, for `main` to return.
#define RUN(tests) cmocka_run_group_tests(tests, NULL, NULL)
