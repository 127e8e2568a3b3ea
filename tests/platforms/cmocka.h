// SPDX-License-Identifier: MIT
// As much of cmocka's interface as the tests use, for platforms that have no cmocka: tools/matrix.
#pragma once
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>

typedef void (*CMUnitTestFunction)(void **state);
typedef int (*CMFixtureFunction)(void **state);
struct CMUnitTest {
    const char *name;
    CMUnitTestFunction test_func;
    CMFixtureFunction setup_func, teardown_func;
    void *initial_state;
};

int matrix_run(const char *name, const struct CMUnitTest *tests, size_t count,
               CMFixtureFunction setup, CMFixtureFunction teardown);
_Noreturn void matrix_skip(void);
_Noreturn void matrix_fail(const char *file, int line, const char *format, ...);
void matrix_integers(uint64_t a, uint64_t b, bool equal, const char *file, int line);
void matrix_range(uint64_t value, uint64_t least, uint64_t most, const char *file, int line);
void matrix_strings(const char *a, const char *b, bool equal, const char *file, int line);
void matrix_bytes(const void *a, const void *b, size_t size, const char *file, int line);
void matrix_floats(double a, double b, double apart, const char *file, int line);

#define cmocka_unit_test(function)                                                                 \
    { #function, function, NULL, NULL, NULL }
#define cmocka_run_group_tests(tests, setup, teardown)                                             \
    matrix_run(#tests, tests, sizeof(tests) / sizeof *(tests), setup, teardown)
#define cmocka_run_group_tests_name(name, tests, setup, teardown)                                  \
    matrix_run(name, tests, sizeof(tests) / sizeof *(tests), setup, teardown)

#define print_message(...) (void)printf(__VA_ARGS__)
#define print_error(...) (void)fprintf(stderr, __VA_ARGS__)
#define _assert_int_equal(a, b, file, line)                                                        \
    matrix_integers((uint64_t)(a), (uint64_t)(b), true, file, line)
#define skip() matrix_skip()
#define fail() matrix_fail(__FILE__, __LINE__, "fail()")
#define fail_msg(...) matrix_fail(__FILE__, __LINE__, __VA_ARGS__)
#define assert_true(c) ((c) ? (void)0 : matrix_fail(__FILE__, __LINE__, "%s", #c))
#define assert_false(c) (!(c) ? (void)0 : matrix_fail(__FILE__, __LINE__, "not %s", #c))
#define assert_null(p) assert_true((p) == NULL)
#define assert_non_null(p) assert_true((p) != NULL)
#define assert_int_equal(a, b)                                                                     \
    matrix_integers((uint64_t)(a), (uint64_t)(b), true, __FILE__, __LINE__)
#define assert_int_not_equal(a, b)                                                                 \
    matrix_integers((uint64_t)(a), (uint64_t)(b), false, __FILE__, __LINE__)
#define assert_ptr_equal(a, b)                                                                     \
    matrix_integers((uintptr_t)(a), (uintptr_t)(b), true, __FILE__, __LINE__)
#define assert_ptr_not_equal(a, b)                                                                 \
    matrix_integers((uintptr_t)(a), (uintptr_t)(b), false, __FILE__, __LINE__)
#define assert_in_range(v, least, most)                                                            \
    matrix_range((uint64_t)(v), (uint64_t)(least), (uint64_t)(most), __FILE__, __LINE__)
#define assert_string_equal(a, b) matrix_strings(a, b, true, __FILE__, __LINE__)
#define assert_string_not_equal(a, b) matrix_strings(a, b, false, __FILE__, __LINE__)
#define assert_memory_not_equal(a, b, size) assert_true(memcmp(a, b, size) != 0)
#define assert_memory_equal(a, b, size) matrix_bytes(a, b, size, __FILE__, __LINE__)
#define assert_float_equal(a, b, apart)                                                            \
    matrix_floats((double)(a), (double)(b), (double)(apart), __FILE__, __LINE__)
