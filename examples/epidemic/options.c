// SPDX-License-Identifier: MIT
// The command line: a table of options, and what they say together. main.c calls it.
#include "options.h"
#include "drawing.h"
#include "people.h"
#include <stdio.h>

const char options_help[] =
    "Usage: epidemic [OPTION]...        mpirun -n 4 epidemic [OPTION]...\n"
    "An epidemic among people who live on a square, on one or several processes.\n"
    "\n"
    "  --people N      how many people, 1 to 100000000 (default 100000)\n"
    "  --days N        how many days, 1 to 100000 (default 120)\n"
    "  --infected N    how many are ill at the beginning (default 50)\n"
    "  --contacts N    how many others somebody meets each day, on average: those nearby (default 8)\n"
    "  --radius N      the same as a distance: a share of the side of the square, 0 to 0.5\n"
    "  --chance N      that an infected person infects somebody nearby in a day (default 0.04)\n"
    "  --ill N         how many days somebody is ill, on average, 1 to 1000 (default 10)\n"
    "  --travel N      chance that somebody moves to another place, in a day (default 0.05)\n"
    "  --curve FILE    draw the curves of the days, and those of the SIR equations, as PNG\n"
    "  --map FILE      draw the people as they are after the last day, as PNG\n"
    "  --csv FILE      write the numbers of each day\n"
    COMMON_OPTIONS_HELP;

// Checks what only the options together can tell.
static bool check_together(options *o, char why[WHY_SIZE]) {
    if (o->common.help) return true;
    if (o->infected > o->people)
        snprintf(why, WHY_SIZE, "epidemic: --infected: %llu of %llu people cannot be ill; take fewer",
                 (unsigned long long)o->infected, (unsigned long long)o->people);
    else if (o->radius > 0 && o->contacts >= 0)
        snprintf(why, WHY_SIZE, "epidemic: --radius and --contacts say the same; give one of them");
    else if (o->contacts > people_contacts(o->people, 0.5))
        snprintf(why, WHY_SIZE, "epidemic: --contacts: %llu people cannot have %g others nearby, at most %.2f",
                 (unsigned long long)o->people, o->contacts, people_contacts(o->people, 0.5));
    else if ((o->curve || o->map) && drawing_missing())
        snprintf(why, WHY_SIZE, "epidemic: %s: %s", o->curve ? "--curve" : "--map", drawing_missing());
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

static bool read_all(options *o, int count, char *arguments[], char why[WHY_SIZE]) {
    const option_row rows[] = {
        { "--people", OPTION_WIDE, &o->people, 1, 1e8 },
        { "--days", OPTION_COUNT, &o->days, 1, 100000 },
        { "--infected", OPTION_WIDE, &o->infected, 0, 1e8 },
        { "--contacts", OPTION_SHARE, &o->contacts, 0, 1e6 },
        { "--radius", OPTION_SHARE, &o->radius, 1e-6, 0.5 },
        { "--chance", OPTION_SHARE, &o->chance, 0, 1 },
        { "--ill", OPTION_SHARE, &o->ill, 1, 1000 },
        { "--travel", OPTION_SHARE, &o->travel, 0, 1 },
        { "--curve", OPTION_TEXT, &o->curve, 0, 0 },
        { "--map", OPTION_TEXT, &o->map, 0, 0 },
        { "--csv", OPTION_TEXT, &o->csv, 0, 0 },
    };
    const command_line line = { "epidemic", rows, sizeof rows / sizeof *rows, &o->common };
    return command_line_read(&line, count, arguments, why);
}

bool options_parse(void *options_of_program, int count, char *arguments[], char why[WHY_SIZE]) {
    options *o = options_of_program;
    *o = (options){ .people = 100000, .infected = UINT64_MAX, .days = 120 };
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
