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

// cmocka 1.1.5 does not say so itself, and C++ tests include this file too.
#ifdef __cplusplus
extern "C" {
#endif
#include <cmocka.h>
#ifdef __cplusplus
}
#endif

/// One entry of a test table.
#define TEST(function, title)                                                                      \
    { title, function, NULL, NULL, NULL }

/// Run a test table. Yields the number of failed tests, for `main` to return.
#define RUN(tests) cmocka_run_group_tests(tests, NULL, NULL)
