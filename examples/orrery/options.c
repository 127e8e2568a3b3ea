// SPDX-License-Identifier: MIT
// The command line.
#include "options.h"
#include "dates.h"
#include "numbers.h"
#include <getopt.h>
#include <keel/executor.h>
#include <math.h>
#include <string.h>

const char options_help[] =
    "Usage: %s --data FILE --from DATE [OPTION]...\n"
    "Compute where the bodies of the solar system are, step by step.\n"
    "\n"
    "  --data FILE   the bodies and their mean orbital elements, as CSV\n"
    "  --from DATE   day of the first step, YYYY-MM-DD, 00:00 UTC (taken as TDB);\n"
    "                the planets' elements are good from 1800 to 2050\n"
    "  --days N      length of the run in days, 0 or more (default 365)\n"
    "  --step N      days from one step to the next, above 0; fractions are fine (default 1)\n"
    "  --belt N      add N asteroids between 2.1 and 3.3 au, up to 10000000 (default 0)\n"
    "  --seed N      which asteroids: the same number gives the same ones (default 1)\n"
    "  --threads N   compute on N threads, up to 1024 (default 1); the results are the same\n"
    "  --csv FILE    write positions: columns jd,name,x,y,z; au, heliocentric, ecliptic of J2000;\n"
    "                one row for each body of the data file and each of the\n"
    "                1 + DAYS / STEP steps (rounded down), the start included\n"
    "  --changed-only\n"
    "                write only bodies whose position is another than in the step before\n"
    "  --sqlite FILE record positions in an SQLite database: a frame for each of these steps;\n"
    "                docs/tasks/sql.md says how to ask it\n"
    "  --image FILE  draw the positions of the last step, seen from the north, as PNG\n"
    "  --help        print this text\n"
    "\n"
    "The last line of the output counts entities, steps, and both per second; its hash is one\n"
    "number for all that was computed.\n"
    "Exit status: 0 done, 1 out of memory, 2 bad input or output, 130 interrupted. Output files\n"
    "appear when they are complete; when something fails, files that were there before stay.\n";

static const struct option long_options[] = {
    { "data", required_argument, NULL, 'd' },  { "from", required_argument, NULL, 'f' },
    { "days", required_argument, NULL, 'n' },  { "step", required_argument, NULL, 's' },
    { "belt", required_argument, NULL, 'b' },  { "seed", required_argument, NULL, 'r' },
    { "threads", required_argument, NULL, 't' },
    { "csv", required_argument, NULL, 'c' },   { "image", required_argument, NULL, 'i' },
    { "sqlite", required_argument, NULL, 'q' },
    { "help", no_argument, NULL, 'h' },        { "changed-only", no_argument, NULL, 'o' },
    { NULL, 0, NULL, 0 },
};

enum { MAX_BELT = 10000000, MAX_STEPS = 1000000000 };

static bool parse_days(const char *name, const char *text, bool zero_is_fine, double *days,
                       failure *why) {
    if (!number_parse(text, days)) return fail(why, "orrery: %s: '%s' is not a number", name, text);
    if (*days < 0 || (*days == 0 && !zero_is_fine))
        return fail(why, "orrery: %s: %s is not %s", name, text,
                    zero_is_fine ? "0 or more" : "above 0");
    return true;
}

static bool parse_option(settings *options, int letter, failure *why) {
    uint64_t number;
    switch (letter) {
    case 'd': options->data = optarg; return true;
    case 'c': options->csv = optarg; return true;
    case 'q': options->sqlite = optarg; return true;
    case 'i': options->image = optarg; return true;
    case 'h': options->help = true; return true;
    case 'o': options->changed_only = true; return true;
    case 'n': return parse_days("--days", optarg, true, &options->days, why);
    case 's': return parse_days("--step", optarg, false, &options->step, why);
    case 'f':
        return date_parse(optarg, &options->from_jd) ||
               fail(why, "orrery: --from: '%s' is not a date (YYYY-MM-DD)", optarg);
    case 'b':
        if (!integer_parse(optarg, MAX_BELT, &number))
            return fail(why, "orrery: --belt: '%s' is not a whole number from 0 to %d", optarg,
                        MAX_BELT);
        options->belt = (uint32_t)number;
        return true;
    case 't':
        if (!integer_parse(optarg, KEEL_MAX_WORKERS, &number) || !number)
            return fail(why, "orrery: --threads: '%s' is not a whole number from 1 to %d", optarg,
                        KEEL_MAX_WORKERS);
        options->threads = (uint32_t)number;
        return true;
    default:
        return integer_parse(optarg, UINT64_MAX, &options->seed) ||
               fail(why, "orrery: --seed: '%s' is not a whole number below 2^64", optarg);
    }
}

// What only the options together can tell.
static bool check_options(settings *options, failure *why) {
    if (!options->data) return fail(why, "orrery: --data is missing; try --help");
    if (options->changed_only && !options->csv)
        return fail(why, "orrery: --changed-only says what --csv writes; give that, too");
#ifndef ORRERY_SQLITE
    if (options->sqlite)
        return fail(why, "orrery: --sqlite: built without SQLite (Debian: libsqlite3-dev)");
#endif
    if (isnan(options->from_jd)) return fail(why, "orrery: --from is missing; try --help");
    double last_day;
    date_parse("9999-12-31", &last_day);
    if (options->days > last_day - options->from_jd)
        return fail(why, "orrery: --days: the run would end after the year 9999");
    // The small addition is for steps such as 0.1: 0.3 / 0.1 is a little less than 3.
    const double steps = floor(options->days / options->step * (1 + 1e-12)) + 1;
    if (steps > MAX_STEPS)
        return fail(why, "orrery: --step: the run would have more than %d steps", MAX_STEPS);
    options->steps = (uint64_t)steps;
    return true;
}

bool options_parse(settings *options, int count, char *arguments[], failure *why) {
    *options = (settings){ .from_jd = NAN, .days = 365, .step = 1, .seed = 1, .threads = 1 };
    opterr = 0; // the messages are ours: one form for all of them
    optind = 0; // start anew, also when a test has called before
    for (int letter; (letter = getopt_long(count, arguments, ":", long_options, NULL)) != -1;) {
        const char *argument = arguments[optind - 1];
        if (letter == ':') return fail(why, "orrery: %s needs a value; try --help", argument);
        if (letter == '?')
            return fail(why, "orrery: '%s' is not an option; try --help", argument);
        if (!parse_option(options, letter, why)) return false;
    }
    if (options->help) return true;
    if (optind < count)
        return fail(why, "orrery: unexpected argument '%s'; try --help", arguments[optind]);
    return check_options(options, why);
}
