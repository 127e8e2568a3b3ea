// SPDX-License-Identifier: MIT
// Numbers and dates from text.
#include "dates.h"
#include "numbers.h"
#include "support/test.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void plain_decimal_numbers_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double number;
    } good[] = { { "0", 0 },      { "-0.5", -0.5 }, { "+7", 7 },    { "3.7e-07", 3.7e-7 },
                 { ".25", 0.25 }, { "1.", 1 },      { "1E3", 1e3 }, { "-5.087e-05", -5.087e-5 },
                 { "1e-400", 0 } };
    for (size_t k = 0; k < sizeof good / sizeof good[0]; ++k) {
        double number = NAN;
        assert_true(number_parse(good[k].text, &number));
        assert_true(number == good[k].number);
    }
}

static void everything_else_is_no_number(void **state) {
    (void)state;
    static const char *const bad[] = { "",   " 1",  "1 ",    "nan", "NaN", "inf",   "-inf", "0x10",
                                       "1e", "1,5", "1e999", "e",   "--1", "1.2.3", "abc",  "1d" };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        double number = 42;
        assert_false(number_parse(bad[k], &number));
        assert_true(number == 42);
    }
}

static void whole_numbers_stay_in_their_range(void **state) {
    (void)state;
    uint64_t number = 7;
    assert_true(integer_parse("0", 10, &number) && number == 0);
    assert_true(integer_parse("10", 10, &number) && number == 10);
    assert_true(integer_parse("007", 7, &number) && number == 7);
    assert_false(integer_parse("11", 10, &number));
    assert_false(integer_parse("9", 8, &number));
    assert_false(integer_parse("-1", 10, &number));
    assert_false(integer_parse("", 10, &number));
    assert_false(integer_parse("1.5", 10, &number));
    assert_true(integer_parse("18446744073709551615", UINT64_MAX, &number));
    assert_true(number == UINT64_MAX);
    assert_false(integer_parse("18446744073709551616", UINT64_MAX, &number));
    assert_false(integer_parse("99999999999999999999", UINT64_MAX, &number));
}

static void dates_become_julian_dates(void **state) {
    (void)state;
    static const struct {
        const char *date;
        double jd;
    } known[] = { { "2000-01-01", 2451544.5 }, { "1858-11-17", 2400000.5 },
                  { "1970-01-01", 2440587.5 }, { "2026-11-21", 2461365.5 },
                  { "1900-02-28", 2415078.5 }, { "1900-03-01", 2415079.5 },
                  { "2000-02-29", 2451603.5 }, { "1582-10-15", 2299160.5 },
                  { "0001-01-01", 1721425.5 }, { "9999-12-31", 5373483.5 } };
    for (size_t k = 0; k < sizeof known / sizeof known[0]; ++k) {
        double jd = 0;
        assert_true(date_parse(known[k].date, &jd));
        assert_true(jd == known[k].jd);
    }
}

static void days_that_are_not_in_the_calendar_are_refused(void **state) {
    (void)state;
    static const char *const bad[] = {
        "",           "2026",       "2026-11",    "2026-13-01", "2026-00-01",  "2026-01-00",
        "2026-04-31", "2026-02-29", "1900-02-29", "2100-02-29", "2026-11-211", "2026-1-1",
        "21-11-2026", "2026/11/21", "0000-01-01", "-001-01-01", "2026-11-21 ", " 2026-11-21",
        "2026-11-2x", "tomorrow"
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        double jd = 42;
        assert_false(date_parse(bad[k], &jd));
        assert_true(jd == 42);
    }
}

static void every_day_of_10000_years_survives_the_round_trip(void **state) {
    (void)state;
    double first, last;
    assert_true(date_parse("0001-01-01", &first));
    assert_true(date_parse("9999-12-31", &last));
    char before[DATE_TEXT_SIZE] = "";
    for (double jd = first; jd <= last; jd += test_few()) {
        char text[DATE_TEXT_SIZE];
        double again = 0;
        date_format(jd, text);
        assert_true(date_parse(text, &again) && again == jd);
        assert_true(strcmp(before, text) < 0);
        memcpy(before, text, sizeof text);
    }
}

static void the_time_of_day_is_written_when_there_is_one(void **state) {
    (void)state;
    char text[DATE_TEXT_SIZE];
    date_format(2451545.0, text);
    assert_string_equal(text, "2000-01-01 12:00");
    date_format(2451544.5 + 0.99999, text); // rounds to the next day
    assert_string_equal(text, "2000-01-02");
}

static const struct CMUnitTest tests[] = {
    TEST(plain_decimal_numbers_are_read, "plain decimal numbers are read"),
    TEST(everything_else_is_no_number, "NaN, infinity, hexadecimal and rubbish are no numbers"),
    TEST(whole_numbers_stay_in_their_range, "whole numbers stay in their range"),
    TEST(dates_become_julian_dates, "dates become Julian dates"),
    TEST(days_that_are_not_in_the_calendar_are_refused, "days not in the calendar are refused"),
    TEST(every_day_of_10000_years_survives_the_round_trip, "every date survives a round trip"),
    TEST(the_time_of_day_is_written_when_there_is_one, "the time of day is written if not 00:00"),
};

int main(void) { return RUN(tests); }
