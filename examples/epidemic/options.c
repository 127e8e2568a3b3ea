// SPDX-License-Identifier: MIT
// The command line: a table of options, and how each is read. main.c calls it.
#include "options.h"
#include "people.h"
#include "picture.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char options_help[] =
    "Usage: epidemic [OPTION]...        mpirun -n 4 epidemic [OPTION]...\n"
    "An epidemic among people who live on a square, on one or several processes.\n"
    "\n"
    "  --people N      how many people, 1 to 100000000 (default 100000)\n"
    "  --days N        how many days, 1 to 100000 (default 120)\n"
    "  --seed N        which epidemic (default 1)\n"
    "  --infected N    how many are ill at the beginning (default 50)\n"
    "  --contacts N    how many others somebody meets each day, on average: those nearby (default 8)\n"
    "  --radius N      the same as a distance: a share of the side of the square, 0 to 0.5\n"
    "  --chance N      that an infected person infects somebody nearby in a day (default 0.04)\n"
    "  --ill N         how many days somebody is ill, on average, 1 to 1000 (default 10)\n"
    "  --travel N      chance that somebody moves to another place, in a day (default 0.05)\n"
    "  --curve FILE    draw the curves of the days, and those of the SIR equations, as PNG\n"
    "  --map FILE      draw the people as they are after the last day, as PNG\n"
    "  --csv FILE      write the numbers of each day\n"
    "  --ranks N       play on N threads that are ranks, 1 to 64, instead of processes\n"
    "  --threads N     threads of each rank, 1 to 256 (default 1)\n"
    "  --quiet         print nothing but errors\n"
    "  --help          print this text\n"
    "\n"
    "The results are the same for any number of ranks and threads.\n"
    "Exit status: 0 done, 1 out of memory or a rank failed, 2 bad options or output.\n";

// The way in which the value of an option is read, and the type that keeps it.
typedef enum option_kind {
    OPTION_SWITCH, // no value
    OPTION_TEXT,
    OPTION_COUNT, // uint32_t
    OPTION_WIDE,  // uint64_t
    OPTION_SHARE, // double
} option_kind;

typedef struct option_row {
    const char *name;
    option_kind kind;
    void *value;
    double least, most; // of numbers
} option_row;

static bool read_whole(const option_row *row, const char *text, char why[240]) {
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    const bool is_whole = isdigit((unsigned char)*text) && !*end && !errno;
    if (!is_whole || (double)value < row->least || (double)value > row->most) {
        snprintf(why, 240, "epidemic: %s: '%.60s' is not a whole number from %.0f to %.0f", row->name,
                 text, row->least, row->most);
        return false;
    }
    if (row->kind == OPTION_COUNT) *(uint32_t *)row->value = (uint32_t)value;
    else *(uint64_t *)row->value = value;
    return true;
}

static bool read_share(const option_row *row, const char *text, char why[240]) {
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !(value >= row->least && value <= row->most)) {
        snprintf(why, 240, "epidemic: %s: '%.60s' is not a number from %g to %g", row->name, text,
                 row->least, row->most);
        return false;
    }
    *(double *)row->value = value;
    return true;
}

static bool read_row(const option_row *row, const char *text, char why[240]) {
    switch (row->kind) {
    case OPTION_TEXT:
        *(const char **)row->value = text;
        return true;
    case OPTION_SHARE:
        return read_share(row, text, why);
    default:
        return read_whole(row, text, why);
    }
}

// Checks what only the options together can tell.
static bool check_together(options *o, char why[240]) {
    if (o->help) return true;
    if (o->infected > o->people)
        snprintf(why, 240, "epidemic: --infected: %llu of %llu people cannot be ill; take fewer",
                 (unsigned long long)o->infected, (unsigned long long)o->people);
    else if (o->radius > 0 && o->contacts >= 0)
        snprintf(why, 240, "epidemic: --radius and --contacts say the same; give one of them");
    else if (o->contacts > people_contacts(o->people, 0.5))
        snprintf(why, 240, "epidemic: --contacts: %llu people cannot have %g others nearby, at most %.2f",
                 (unsigned long long)o->people, o->contacts, people_contacts(o->people, 0.5));
    else if ((o->curve || o->map) && picture_missing())
        snprintf(why, 240, "epidemic: %s: %s", o->curve ? "--curve" : "--map", picture_missing());
    else return true;
    return false;
}

// Makes contacts and radius agree.
static void derive_radius(options *o) {
    const double most = people_contacts(o->people, 0.5);
    if (o->radius > 0) o->contacts = people_contacts(o->people, o->radius);
    else {
        if (o->contacts < 0) o->contacts = most < 8 ? most : 8;
        o->radius = people_radius(o->people, o->contacts);
    }
}

static bool read_all(options *o, int count, char *arguments[], char why[240]) {
    const option_row rows[] = {
        { "--people", OPTION_WIDE, &o->people, 1, 1e8 },
        { "--days", OPTION_COUNT, &o->days, 1, 100000 },
        { "--seed", OPTION_WIDE, &o->seed, 0, 9007199254740992.0 },
        { "--infected", OPTION_WIDE, &o->infected, 0, 1e8 },
        { "--contacts", OPTION_SHARE, &o->contacts, 0, 1e6 },
        { "--radius", OPTION_SHARE, &o->radius, 1e-6, 0.5 },
        { "--chance", OPTION_SHARE, &o->chance, 0, 1 },
        { "--ill", OPTION_SHARE, &o->ill, 1, 1000 },
        { "--travel", OPTION_SHARE, &o->travel, 0, 1 },
        { "--curve", OPTION_TEXT, &o->curve, 0, 0 },
        { "--map", OPTION_TEXT, &o->map, 0, 0 },
        { "--csv", OPTION_TEXT, &o->csv, 0, 0 },
        { "--ranks", OPTION_COUNT, &o->ranks, 1, 64 },
        { "--threads", OPTION_COUNT, &o->threads, 1, 256 },
        { "--quiet", OPTION_SWITCH, &o->quiet, 0, 0 },
        { "--help", OPTION_SWITCH, &o->help, 0, 0 },
    };
    const size_t row_count = sizeof rows / sizeof *rows;
    for (int i = 1; i < count; ++i) {
        size_t k = 0;
        while (k < row_count && strcmp(arguments[i], rows[k].name) != 0)
            ++k;
        if (k == row_count) {
            snprintf(why, 240, "epidemic: '%.60s' is not an option; try --help", arguments[i]);
            return false;
        }
        if (rows[k].kind == OPTION_SWITCH) {
            *(bool *)rows[k].value = true;
            continue;
        }
        if (++i == count) {
            snprintf(why, 240, "epidemic: %s needs a value; try --help", rows[k].name);
            return false;
        }
        if (!read_row(&rows[k], arguments[i], why)) return false;
    }
    return true;
}

bool options_parse(options *o, int count, char *arguments[], char why[240]) {
    *o = (options){ .people = 100000, .infected = UINT64_MAX, .seed = 1, .days = 120, .threads = 1 };
    o->contacts = -1; // not given
    o->chance = 0.04;
    o->ill = 10;
    o->travel = 0.05;
    if (!read_all(o, count, arguments, why)) return false;
    if (o->infected == UINT64_MAX) o->infected = o->people < 50 ? o->people : 50;
    if (!check_together(o, why)) return false;
    derive_radius(o);
    return true;
}
