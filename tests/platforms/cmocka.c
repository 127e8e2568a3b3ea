// SPDX-License-Identifier: MIT
// See cmocka.h beside it.
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "cmocka.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { FAILED = 1, SKIPPED = 2 };
static jmp_buf in_test;

void matrix_skip(void) { longjmp(in_test, SKIPPED); }
void matrix_fail(const char *file, int line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    printf("%s:%d: ", file, line);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
    longjmp(in_test, FAILED);
}

void matrix_integers(uint64_t a, uint64_t b, bool equal, const char *file, int line) {
    if ((a == b) != equal)
        matrix_fail(file, line, "0x%" PRIx64 " %s 0x%" PRIx64, a, equal ? "!=" : "==", b);
}
void matrix_range(uint64_t value, uint64_t least, uint64_t most, const char *file, int line) {
    if (value < least || value > most)
        matrix_fail(file, line, "%" PRIu64 " is not in %" PRIu64 "..%" PRIu64, value, least, most);
}
void matrix_strings(const char *a, const char *b, bool equal, const char *file, int line) {
    if (!strcmp(a, b) != equal)
        matrix_fail(file, line, "\"%s\" %s \"%s\"", a, equal ? "!=" : "==", b);
}
void matrix_bytes(const void *a, const void *b, size_t size, const char *file, int line) {
    if (memcmp(a, b, size)) matrix_fail(file, line, "%zu bytes differ", size);
}
void matrix_floats(double a, double b, double apart, const char *file, int line) {
    const double difference = a < b ? b - a : a - b;
    if (!(difference <= apart)) matrix_fail(file, line, "%g != %g", a, b);
}

static int run_one(const struct CMUnitTest *test, void **state) {
    const int ended = setjmp(in_test);
    if (ended) return ended;
    if (test->setup_func && test->setup_func(state)) return FAILED;
    test->test_func(state);
    if (test->teardown_func && test->teardown_func(state)) return FAILED;
    return 0;
}

int matrix_run(const char *name, const struct CMUnitTest *tests, size_t count,
               CMFixtureFunction setup, CMFixtureFunction teardown) {
    void *state = NULL;
    int failed = 0, skipped = 0;
    setvbuf(stdout, NULL, _IOLBF, 1024);
    if (setup && setup(&state)) return 1;
    for (size_t i = 0; i < count; ++i) {
        void *own = state;
        const int ended = run_one(&tests[i], &own);
        if (ended == FAILED) printf("FAILED: %s\n", tests[i].name);
        failed += ended == FAILED;
        skipped += ended == SKIPPED;
    }
    if (teardown && teardown(&state)) ++failed;
    printf("%s: %zu tests, %d failed, %d skipped\n", name, count, failed, skipped);
    return failed;
}
