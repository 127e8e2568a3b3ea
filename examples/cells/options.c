// SPDX-License-Identifier: MIT
// The command line: a table of options, and what they say together. main.c calls it.
#include "options.h"
#include "drawing.h"
#include <stdio.h>

const char options_help[] =
    "Usage: cells [OPTION]...        mpirun -n 4 cells [OPTION]...\n"
    "A colony of cells that divide and die, on one or several processes.\n"
    "\n"
    "  --cells N       how many cells there is food for, 1 to 10000000 (default 20000)\n"
    "  --founders N    how many cells the colony begins with, 1 to 1000 (default 12)\n"
    "  --steps N       how many steps, 1 to 1000000 (default 500)\n"
    "  --picture FILE  draw the cells as they are after the last step, as PNG\n"
    "  --curve FILE    draw how many cells live, are born and die in each step, as PNG\n"
    "  --csv FILE      write the numbers of each step\n"
    COMMON_OPTIONS_HELP;

bool options_parse(void *options_of_program, int count, char *arguments[], char why[WHY_SIZE]) {
    options *o = options_of_program;
    *o = (options){ .cells = 20000, .founders = 12, .steps = 500 };
    const option_row rows[] = {
        { "--cells", OPTION_WIDE, &o->cells, 1, 1e7 },
        { "--founders", OPTION_COUNT, &o->founders, 1, 1000 },
        { "--steps", OPTION_COUNT, &o->steps, 1, 1e6 },
        { "--picture", OPTION_TEXT, &o->picture, 0, 0 },
        { "--curve", OPTION_TEXT, &o->curve, 0, 0 },
        { "--csv", OPTION_TEXT, &o->csv, 0, 0 },
    };
    const command_line line = { "cells", rows, sizeof rows / sizeof *rows, &o->common };
    if (!command_line_read(&line, count, arguments, why)) return false;
    if (o->common.help || !(o->picture || o->curve) || !drawing_missing()) return true;
    snprintf(why, WHY_SIZE, "cells: %s: %s", o->picture ? "--picture" : "--curve", drawing_missing());
    return false;
}
