// SPDX-License-Identifier: MIT
// The command line: what is read, and what is refused with which words.
#include "options.h"
#include "support/test.h"
#include <string.h>

enum { MAX_WORDS = 32 };

// Cut a line at its blanks, in place, behind the program's name.
static int split(char *line, char *words[MAX_WORDS]) {
    static char program[] = "orrery";
    int count = 0;
    words[count++] = program;
    for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
        words[count++] = word;
    words[count] = NULL;
    return count;
}

static char line_buffer[512];

static bool parse(settings *set, const char *line, failure *why) {
    char *words[MAX_WORDS];
    strcpy(line_buffer, line);
    return options_parse(set, split(line_buffer, words), words, why);
}

static void assert_refused(const char *line, const char *expected) {
    settings set;
    failure why = { "" };
    assert_false(parse(&set, line, &why));
    assert_string_equal(why.text, expected);
}

static void all_options_are_read(void **state) {
    (void)state;
    settings set;
    failure why = { "" };
    assert_true(parse(&set,
                      "--data d.csv --from 2026-11-21 --days 10 --step 0.25 --belt 5000 "
                      "--seed 18446744073709551615 --threads 3 --csv=o.csv --image o.png",
                      &why));
    assert_string_equal(set.data, "d.csv");
    assert_true(set.from_jd == 2461365.5 && set.days == 10 && set.step == 0.25);
    assert_int_equal(set.steps, 41);
    assert_int_equal(set.belt, 5000);
    assert_true(set.seed == UINT64_MAX);
    assert_int_equal(set.threads, 3);
    assert_string_equal(set.csv, "o.csv");
    assert_string_equal(set.image, "o.png");
    assert_true(options_step_jd(&set, 40) == 2461375.5);
}

static void most_options_have_a_default(void **state) {
    (void)state;
    settings set;
    failure why;
    assert_true(parse(&set, "--data d --from 2000-01-01", &why));
    assert_true(set.days == 365 && set.step == 1 && set.seed == 1 && set.belt == 0 &&
                set.threads == 1);
    assert_int_equal(set.steps, 366);
    assert_true(!set.csv && !set.image && !set.help);
    assert_true(parse(&set, "--help", &why) && set.help);
}

static void the_first_and_the_last_step_count(void **state) {
    (void)state;
    settings set;
    failure why;
    assert_true(parse(&set, "--data d --from 2000-01-01 --days 0", &why) && set.steps == 1);
    assert_true(parse(&set, "--data d --from 2000-01-01 --days 1 --step 2", &why));
    assert_int_equal(set.steps, 1);
    assert_true(parse(&set, "--data d --from 2000-01-01 --days 0.3 --step 0.1", &why));
    assert_int_equal(set.steps, 4); // though 0.3 / 0.1 is a little less than 3
    assert_true(parse(&set, "--data d --from 2000-01-01 --days 10 --step 3", &why));
    assert_int_equal(set.steps, 4);
}

static void bad_values_are_refused(void **state) {
    (void)state;
    assert_refused("--days x", "orrery: --days: 'x' is not a number");
    assert_refused("--days nan", "orrery: --days: 'nan' is not a number");
    assert_refused("--days -1", "orrery: --days: -1 is not 0 or more");
    assert_refused("--step 0", "orrery: --step: 0 is not above 0");
    assert_refused("--step -1", "orrery: --step: -1 is not above 0");
    assert_refused("--step 1d", "orrery: --step: '1d' is not a number");
    assert_refused("--from 2026-02-29", "orrery: --from: '2026-02-29' is not a date (YYYY-MM-DD)");
    assert_refused("--from today", "orrery: --from: 'today' is not a date (YYYY-MM-DD)");
    assert_refused("--belt 1.5", "orrery: --belt: '1.5' is not a whole number from 0 to 10000000");
    assert_refused("--belt 10000001",
                   "orrery: --belt: '10000001' is not a whole number from 0 to 10000000");
    assert_refused("--seed -1", "orrery: --seed: '-1' is not a whole number below 2^64");
    assert_refused("--threads 0", "orrery: --threads: '0' is not a whole number from 1 to 1024");
    assert_refused("--threads 1025",
                   "orrery: --threads: '1025' is not a whole number from 1 to 1024");
}

static void bad_lines_are_refused(void **state) {
    (void)state;
    assert_refused("", "orrery: --data is missing; try --help");
    assert_refused("--data d", "orrery: --from is missing; try --help");
    assert_refused("--from 2000-01-01 --data", "orrery: --data needs a value; try --help");
    assert_refused("--speed 3", "orrery: '--speed' is not an option; try --help");
    assert_refused("-x", "orrery: '-x' is not an option; try --help");
    assert_refused("--data d --from 2000-01-01 file",
                   "orrery: unexpected argument 'file'; try --help");
}

static void runs_have_an_end(void **state) {
    (void)state;
    assert_refused("--data d --from 2000-01-01 --days 1e7",
                   "orrery: --days: the run would end after the year 9999");
    assert_refused("--data d --from 2000-01-01 --step 1e-9",
                   "orrery: --step: the run would have more than 1000000000 steps");
    assert_refused("--data d --from 2000-01-01 --step 1e-320",
                   "orrery: --step: the run would have more than 1000000000 steps");
}

static const struct CMUnitTest tests[] = {
    TEST(all_options_are_read, "all options are read"),
    TEST(most_options_have_a_default, "most options have a default"),
    TEST(the_first_and_the_last_step_count, "the first and the last step count"),
    TEST(bad_values_are_refused, "bad values are refused, with the option's name"),
    TEST(bad_lines_are_refused, "bad command lines are refused"),
    TEST(runs_have_an_end, "runs have an end"),
};

int main(void) { return RUN(tests); }
