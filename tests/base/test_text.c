// SPDX-License-Identifier: MIT
// Texts of results, KEEL_TRY, the version, and the logger that drops everything.
#include <keel/base.h>

#include "support/test.h"

#include <stdio.h>
#include <string.h>

static const struct {
    keel_result result;
    const char *text;
} results[] = {
#define ROW(name, value, text) { name, text },
    KEEL_RESULTS(ROW)
#undef ROW
};
enum { result_count = sizeof results / sizeof *results };

static void every_result_has_its_text(void **state) {
    (void)state;
    for (size_t i = 0; i < result_count; ++i)
        assert_string_equal(keel_result_text(results[i].result), results[i].text);
    for (size_t i = 0; i < result_count; ++i)
        for (size_t k = 0; k < i; ++k) {
            assert_int_not_equal(results[i].result, results[k].result);
            assert_string_not_equal(results[i].text, results[k].text);
        }
}

// Programs and bindings hold these numbers.
static void results_keep_their_values(void **state) {
    (void)state;
    assert_int_equal(KEEL_OK, 0);
    assert_int_equal(KEEL_ABSENT, 1);
    assert_int_equal(KEEL_ERROR_MEMORY, -1);
    assert_int_equal(KEEL_ERROR_DEAD_ENTITY, -2);
    assert_int_equal(KEEL_ERROR_BORROWED, -3);
    assert_int_equal(KEEL_ERROR_ITERATING, -4);
    assert_int_equal(KEEL_ERROR_SHARED, -5);
    assert_int_equal(KEEL_ERROR_ACCESS, -6);
    assert_int_equal(KEEL_ERROR_COMPONENT, -7);
    assert_int_equal(KEEL_ERROR_MISSING_UNIQUE, -8);
    assert_int_equal(KEEL_ERROR_UNKNOWN, -9);
    assert_int_equal(KEEL_ERROR_SYSTEM, -10);
    assert_int_equal(KEEL_ERROR_ARGUMENT, -11);
    assert_int_equal(KEEL_ERROR_FULL, -12);
    assert_int_equal(KEEL_ERROR_OCCUPIED, -13);
    assert_int_equal(KEEL_ERROR_CYCLE, -14);
    assert_int_equal(KEEL_ERROR_COPY, -15);
    assert_int_equal(KEEL_ERROR_COUNT, -16);
    assert_int_equal(KEEL_ERROR_GROUPED, -17);
    assert_int_equal(KEEL_ERROR_HASH, -18);
    assert_int_equal(KEEL_ERROR_THREAD, -19);
    assert_int_equal(KEEL_ERROR_VIEW, -20);
    assert_int_equal(KEEL_ERROR_FILE, -21);
    assert_int_equal(KEEL_ERROR_RELATED, -22);
    assert_int_equal(KEEL_ERROR_TEXT, -23);
    assert_int_equal(KEEL_ERROR_SNAPSHOT, -24);
    assert_int_equal(KEEL_ERROR_REQUIRED, -25);
    assert_int_equal(KEEL_ERROR_FORMAT, -26);
    assert_int_equal(KEEL_ERROR_SCHEMA, -27);
    assert_int_equal(KEEL_ERROR_DIFFERS, -28);
    assert_int_equal(result_count, 30);
}

static void a_number_that_is_no_result_has_a_text_too(void **state) {
    (void)state;
    const int invented[] = { 2, 99, -1000, -1001, 0x7FFFFFFF };
    for (size_t i = 0; i < sizeof invented / sizeof *invented; ++i)
        assert_string_equal(keel_result_text((keel_result)invented[i]), "unknown result");
}

// ------------------------------------------------------------------ KEEL_TRY
static int evaluated;

static keel_result evaluate(keel_result result) {
    ++evaluated;
    return result;
}

static keel_result try_it(keel_result result) {
    KEEL_TRY(evaluate(result));
    return (keel_result)100;
}

static void try_returns_errors_only(void **state) {
    (void)state;
    for (size_t i = 0; i < result_count; ++i) {
        evaluated = 0;
        const keel_result got = try_it(results[i].result);
        assert_int_equal(got, results[i].result < 0 ? (int)results[i].result : 100);
        assert_int_equal(evaluated, 1);
    }
}

// ------------------------------------------------------------------ version and logger
static void the_version_is_that_of_the_header(void **state) {
    (void)state;
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", KEEL_VERSION_MAJOR, KEEL_VERSION_MINOR,
             KEEL_VERSION_PATCH);
    assert_string_equal(keel_version(), expected);
}

static void the_logger_that_drops_lines_takes_any(void **state) {
    (void)state;
    assert_non_null(keel_log_none.write);
    keel_log_none.write(keel_log_none.context, KEEL_LOG_WARNING, "a line");
    keel_log_none.write(NULL, KEEL_LOG_ERROR, "");
    keel_log_none.write(NULL, KEEL_LOG_ERROR, NULL);
}

static const struct CMUnitTest tests[] = {
    TEST(every_result_has_its_text, "every result has a value and a text of its own"),
    TEST(results_keep_their_values, "results keep their values"),
    TEST(a_number_that_is_no_result_has_a_text_too, "a number that is no result has a text too"),
    TEST(try_returns_errors_only, "KEEL_TRY evaluates its call once and returns errors only"),
    TEST(the_version_is_that_of_the_header, "the linked version is that of the header"),
    TEST(the_logger_that_drops_lines_takes_any, "the logger that drops lines takes any line"),
};

int main(void) { return RUN(tests); }
