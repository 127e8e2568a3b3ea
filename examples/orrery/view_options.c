// SPDX-License-Identifier: MIT
// The command line of the view. Each option is a row of a table with the function that reads its value.
#include "view_options.h"
#include "dates.h"
#include "inspected.h"
#include "numbers.h"
#include <keel/executor.h>
#include <stddef.h>
#include <string.h>

const char view_help[] =
    "Usage: orrery_view [OPTION]...\n"
    "Show the solar system in a window, and let time run.\n"
    "\n"
    "  --data FILE    the bodies and their mean orbital elements, as CSV\n"
    "                 (default examples/orrery/data/bodies.csv)\n"
    "  --from DATE    day at the start, YYYY-MM-DD, from 1800 to 2050 (default 2026-11-21)\n"
    "  --belt N       add N asteroids, up to 1000000 (default 100000; 20000 in a browser)\n"
    "  --seed N       which asteroids: the same number gives the same ones (default 1)\n"
    "  --threads N    compute on N threads (default: one for each core); the results are the same\n"
    "  --follow NAME  keep a body of the file in the middle\n"
    "  --zoom X       begin X times nearer (default 1)\n"
    "  --size WxH     size of the window or picture (default 1280x800)\n"
    "  --headless     open no window: compute --days and stop\n"
    "  --days N       days that pass first, one step a day (default 0)\n"
    "  --hash         print the hash of the world after --days; implies --headless\n"
    "  --shot FILE    write the picture after --days as PNG; implies --headless\n"
    "  --inspect      show the running program in the browser; with --headless time runs until it is\n"
    "                 stopped\n"
    "  --inspect-edits\n"
    "                 the same, and the page may change values, pause, step and go back\n"
    "  --help         print this text\n"
    "\n"
    "Exit status: 0 done, 1 out of memory or no window, 2 bad input or output.\n";

enum { MOST_ASTEROIDS = 1000000, MOST_DAYS = 100000, LEAST_SIDE = 200, MOST_SIDE = 8192 };

static bool read_text(const char *name, const char *value, void *into, failure *why) {
    (void)name;
    (void)why;
    *(const char **)into = value;
    return true;
}

static bool read_date(const char *name, const char *value, void *into, failure *why) {
    return date_parse(value, into) || fail(why, "orrery_view: %s: '%s' is not a date (YYYY-MM-DD)", name, value);
}

static bool read_days(const char *name, const char *value, void *into, failure *why) {
    double *days = into;
    if (number_parse(value, days) && *days >= 0 && *days <= MOST_DAYS) return true;
    return fail(why, "orrery_view: %s: '%s' is not a number from 0 to %d", name, value, MOST_DAYS);
}

static bool read_zoom(const char *name, const char *value, void *into, failure *why) {
    double *zoom = into;
    if (number_parse(value, zoom) && *zoom >= 0.01 && *zoom <= 1e6) return true;
    return fail(why, "orrery_view: %s: '%s' is not a number from 0.01 to 1000000", name, value);
}

static bool read_whole(const char *name, const char *value, uint64_t most, uint64_t *number, failure *why) {
    if (integer_parse(value, most, number)) return true;
    return fail(why, "orrery_view: %s: '%s' is not a whole number from 0 to %llu", name, value, (unsigned long long)most);
}

static bool read_belt(const char *name, const char *value, void *into, failure *why) {
    uint64_t number;
    if (!read_whole(name, value, MOST_ASTEROIDS, &number, why)) return false;
    *(uint32_t *)into = (uint32_t)number;
    return true;
}

static bool read_threads(const char *name, const char *value, void *into, failure *why) {
    uint64_t number;
    if (!read_whole(name, value, KEEL_MAX_WORKERS, &number, why)) return false;
    *(uint32_t *)into = (uint32_t)number;
    return true;
}

static bool read_seed(const char *name, const char *value, void *into, failure *why) {
    return read_whole(name, value, UINT64_MAX, into, why);
}

static bool read_size(const char *name, const char *value, void *into, failure *why) {
    int *size = into;
    char width[8] = "";
    const size_t digits = strcspn(value, "x");
    uint64_t sides[2] = { 0, 0 };
    if (digits < sizeof width) memcpy(width, value, digits);
    const bool is_size = digits < sizeof width && value[digits] == 'x' && integer_parse(width, MOST_SIDE, &sides[0]) &&
                         integer_parse(value + digits + 1, MOST_SIDE, &sides[1]);
    if (!is_size || sides[0] < LEAST_SIDE || sides[1] < LEAST_SIDE)
        return fail(why, "orrery_view: %s: '%s' is not a size like 1280x800, of %d to %d pixels",
                    name, value, LEAST_SIDE, MOST_SIDE);
    size[0] = (int)sides[0];
    size[1] = (int)sides[1];
    return true;
}

// Options with a value have `read`, the others set a flag.
static const struct {
    const char *name;
    bool (*read)(const char *name, const char *value, void *into, failure *why);
    size_t offset;
} rows[] = {
    { "--data", read_text, offsetof(view_settings, data) },
    { "--from", read_date, offsetof(view_settings, from_jd) },
    { "--belt", read_belt, offsetof(view_settings, belt) },
    { "--seed", read_seed, offsetof(view_settings, seed) },
    { "--threads", read_threads, offsetof(view_settings, threads) },
    { "--follow", read_text, offsetof(view_settings, follow) },
    { "--zoom", read_zoom, offsetof(view_settings, zoom) },
    { "--size", read_size, offsetof(view_settings, width) },
    { "--days", read_days, offsetof(view_settings, days) },
    { "--shot", read_text, offsetof(view_settings, shot) },
    { "--headless", NULL, offsetof(view_settings, headless) },
    { "--hash", NULL, offsetof(view_settings, hash) },
    { "--inspect", NULL, offsetof(view_settings, inspect) },
    { "--inspect-edits", NULL, offsetof(view_settings, inspect_edits) },
    { "--help", NULL, offsetof(view_settings, help) },
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

// Reads the option at `at`, and its value. Returns how many arguments that were, 0 on an error.
static int read_option(view_settings *options, int count, char *arguments[], int at, failure *why) {
    for (int k = 0; k < ROW_COUNT; ++k) {
        if (strcmp(rows[k].name, arguments[at]) != 0) continue;
        void *into = (char *)options + rows[k].offset;
        if (!rows[k].read) {
            *(bool *)into = true;
            return 1;
        }
        if (at + 1 < count) return rows[k].read(rows[k].name, arguments[at + 1], into, why) ? 2 : 0;
        fail(why, "orrery_view: %s needs a value; try --help", rows[k].name);
        return 0;
    }
    fail(why, "orrery_view: '%s' is not an option; try --help", arguments[at]);
    return 0;
}

static bool check_inspect(view_settings *options, failure *why) {
    options->inspect |= options->inspect_edits;
    if (!options->inspect) return true;
    if (options->hash || options->shot)
        return fail(why, "orrery_view: --inspect goes with a window or with --headless, not with --hash or --shot");
    return !inspected_missing() || fail(why, "orrery_view: --inspect: %s", inspected_missing());
}

bool view_options_parse(view_settings *options, int count, char *arguments[], failure *why) {
    *options = (view_settings){ .data = "examples/orrery/data/bodies.csv", .belt = 100000,
                                .seed = 1, .zoom = 1, .width = 1280, .height = 800 };
    date_parse("2026-11-21", &options->from_jd);
#ifdef __EMSCRIPTEN__
    options->data = "/bodies.csv";
    options->belt = 20000;
#endif
    for (int at = 1; at < count;) {
        const int read = read_option(options, count, arguments, at, why);
        if (!read) return false;
        at += read;
    }
    double first, last;
    date_parse("1800-01-01", &first);
    date_parse("2050-12-31", &last);
    if (options->from_jd < first || options->from_jd + options->days > last)
        return fail(why, "orrery_view: --from, --days: the elements of the planets are good from 1800-01-01 to 2050-12-31 only");
    options->headless |= options->hash || options->shot;
    return check_inspect(options, why);
}
