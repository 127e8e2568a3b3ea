// SPDX-License-Identifier: MIT
// The header of every test file: cmocka with the headers that it needs before it, and the two
// macros that turn functions into a test program. It does not know Keel.
//
//     static void deleted_handles_stay_dead(void **state) { ... }
//
//     static const struct CMUnitTest tests[] = {
//         // proves E-F12
//         TEST(deleted_handles_stay_dead, "a deleted handle stays dead"),
//     };
//     int main(void) { return RUN(tests); }
//
// A title is a sentence. A comment above a test names the numbers of tests/acceptance.txt that the
// test proves: "// proves S-63 E-F8", "// proves S-12..S-14". tools/check_acceptance reads it.
#pragma once
#include "support/part.h"

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

/// Returns the divisor of the rounds of long tests: KEEL_TEST_FEW if it is set, as for the thread
/// sanitizer (5) and valgrind (20), which are slow; else KEEL_TEST_PART (support/part.h). The first
/// rounds find most mistakes.
static inline uint32_t test_few(void) {
    const char *few = getenv("KEEL_TEST_FEW");
    const int number = few ? atoi(few) : 0;
    return !few ? test_parts() : number <= 1 ? 5 : (uint32_t)number; // anything else: a fifth
}

/// Returns the number of rounds of a long test: `usual`, or a part of it, or KEEL_TEST_MANY times
/// as many.
static inline uint32_t test_rounds(uint32_t usual) {
    const char *many = getenv("KEEL_TEST_MANY");
    const int times = many ? atoi(many) : 1;
    return test_few() > 1 ? usual / test_few() + 1 : usual * (uint32_t)(times > 0 ? times : 1);
}

/// Returns the step of a loop that lets one allocation after the other fail: 1, or more to skip
/// some.
static inline size_t test_stride(void) { return test_few(); }

/// Skips a test in builds with KEEL_TINY. It is the first statement of a test that counts pages,
/// blocks, moves or bytes of the usual sizes, or that runs out of versions.
#if defined(KEEL_TINY)
#define NEEDS_USUAL_SIZES() skip()
#else
#define NEEDS_USUAL_SIZES() ((void)0)
#endif

/// One entry of a test table.
#define TEST(function, title)                                                                      \
    { title, function, NULL, NULL, NULL }

/// Run a test table. Yields the number of failed tests, for `main` to return.
#define RUN(tests) cmocka_run_group_tests(tests, NULL, NULL)
