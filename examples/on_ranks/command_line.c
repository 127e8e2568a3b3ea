// SPDX-License-Identifier: MIT
// Reads a command line by the rows of two tables: the program's, and the common one. options.c of each
// program calls it.
#include "command_line.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_whole(const char *program, const option_row *row, const char *text, char *why) {
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    const bool is_whole = isdigit((unsigned char)*text) && !*end && !errno;
    if (!is_whole || (double)value < row->least || (double)value > row->most) {
        snprintf(why, WHY_SIZE, "%s: %s: '%.60s' is not a whole number from %.0f to %.0f", program, row->name,
                 text, row->least, row->most);
        return false;
    }
    if (row->kind == OPTION_COUNT) *(uint32_t *)row->value = (uint32_t)value;
    else *(uint64_t *)row->value = value;
    return true;
}

static bool read_share(const char *program, const option_row *row, const char *text, char *why) {
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !(value >= row->least && value <= row->most)) {
        snprintf(why, WHY_SIZE, "%s: %s: '%.60s' is not a number from %g to %g", program, row->name, text,
                 row->least, row->most);
        return false;
    }
    *(double *)row->value = value;
    return true;
}

static bool read_row(const char *program, const option_row *row, const char *text, char *why) {
    switch (row->kind) {
    case OPTION_TEXT:
        *(const char **)row->value = text;
        return true;
    case OPTION_SHARE:
        return read_share(program, row, text, why);
    default:
        return read_whole(program, row, text, why);
    }
}

static const option_row *find_row(const option_row *rows, size_t count, const char *name) {
    for (size_t i = 0; i < count; ++i)
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    return NULL;
}

// Checks what only the common options together can tell.
static bool check_common(const char *program, common_options *o, char *why) {
    const char *folder = o->checkpoint ? "--checkpoint" : "--restart";
    if (o->plain && o->ranks) snprintf(why, WHY_SIZE, "%s: --plain has no ranks; leave --ranks out", program);
    else if (o->plain && (o->checkpoint || o->restart))
        snprintf(why, WHY_SIZE, "%s: --plain has no checkpoints, keel::mpi makes them; leave %s or --plain out", program, folder);
    else if (o->every && !o->checkpoint)
        snprintf(why, WHY_SIZE, "%s: --every: there is no folder for checkpoints; give --checkpoint, too", program);
    else {
        if (!o->every) o->every = 50;
        return true;
    }
    return false;
}

bool command_line_read(const command_line *line, int count, char *arguments[], char why[WHY_SIZE]) {
    common_options *o = line->common;
    *o = (common_options){ .seed = 1, .threads = 1 };
    const option_row common[] = {
        { "--seed", OPTION_WIDE, &o->seed, 0, 9007199254740992.0 },
        { "--ranks", OPTION_COUNT, &o->ranks, 1, 64 },
        { "--threads", OPTION_COUNT, &o->threads, 1, 256 },
        { "--checkpoint", OPTION_TEXT, &o->checkpoint, 0, 0 },
        { "--every", OPTION_COUNT, &o->every, 1, 1e6 },
        { "--restart", OPTION_TEXT, &o->restart, 0, 0 },
        { "--plain", OPTION_SWITCH, &o->plain, 0, 0 },
        { "--quiet", OPTION_SWITCH, &o->quiet, 0, 0 },
        { "--help", OPTION_SWITCH, &o->help, 0, 0 },
    };
    for (int i = 1; i < count; ++i) {
        const option_row *row = find_row(line->rows, line->row_count, arguments[i]);
        if (!row) row = find_row(common, sizeof common / sizeof *common, arguments[i]);
        if (!row) {
            snprintf(why, WHY_SIZE, "%s: '%.60s' is not an option; try --help", line->program, arguments[i]);
            return false;
        }
        if (row->kind == OPTION_SWITCH) {
            *(bool *)row->value = true;
            continue;
        }
        if (++i == count) {
            snprintf(why, WHY_SIZE, "%s: %s needs a value; try --help", line->program, row->name);
            return false;
        }
        if (!read_row(line->program, row, arguments[i], why)) return false;
    }
    return check_common(line->program, o, why);
}
