// SPDX-License-Identifier: MIT
// The command line: a table of options, and what they say together. main.c calls it.
#include "options.h"
#include "drawing.h"
#include <stdio.h>

const char options_help[] =
    "Usage: flock [OPTION]...        mpirun -n 4 flock [OPTION]...\n"
    "Boids that fly over a square, on one or several processes.\n"
    "\n"
    "  --boids N       how many boids, 1 to 100000000 (default 20000)\n"
    "  --steps N       how many steps, 1 to 1000000 (default 500)\n"
    "  --near N        how many others a boid sees, on average at the beginning: that decides how\n"
    "                  large the square is, 1 to 100 (default 12)\n"
    "  --noise N       how far boids stray by chance, 0 to 1 of what they can turn (default 0.2)\n"
    "  --picture FILE  draw the boids as they are after the last step, as PNG\n"
    "  --curve FILE    draw the order of each step, and how uneven the work of ranks is, as PNG\n"
    "  --csv FILE      write the numbers of each step\n"
    COMMON_OPTIONS_HELP;

bool options_parse(void *options_of_program, int count, char *arguments[], char why[WHY_SIZE]) {
    options *o = options_of_program;
    *o = (options){ .boids = 20000, .steps = 500, .near = 12, .noise = 0.2 };
    const option_row rows[] = {
        { "--boids", OPTION_WIDE, &o->boids, 1, 1e8 },
        { "--steps", OPTION_COUNT, &o->steps, 1, 1e6 },
        { "--near", OPTION_SHARE, &o->near, 1, 100 },
        { "--noise", OPTION_SHARE, &o->noise, 0, 1 },
        { "--picture", OPTION_TEXT, &o->picture, 0, 0 },
        { "--curve", OPTION_TEXT, &o->curve, 0, 0 },
        { "--csv", OPTION_TEXT, &o->csv, 0, 0 },
    };
    const command_line line = { "flock", rows, sizeof rows / sizeof *rows, &o->common };
    if (!command_line_read(&line, count, arguments, why)) return false;
    if (o->common.help || !(o->picture || o->curve) || !drawing_missing()) return true;
    snprintf(why, WHY_SIZE, "flock: %s: %s", o->picture ? "--picture" : "--curve", drawing_missing());
    return false;
}
