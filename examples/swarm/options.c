// SPDX-License-Identifier: MIT
// The command line: a table of options, and how each is read.
#include "options.h"
#include "flock.h"
#include "inspected.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char options_help[] = "Usage: swarm [OPTION]...\n"
                            "A swarm of boids on all cores.\n"
                            "\n"
                            "  --boids N          how many, 1 to 1000000 (default 100000)\n"
                            "  --threads N        threads, 1 to 256, or all (default all); the results are the same\n"
                            "  --seed N           which swarm (default 1)\n"
                            "  --size WxH         size of the window or picture (default 1280x720)\n"
                            "  --shot FILE        draw one picture after N frames, as PNG, without a display\n"
                            "  --headless         no window: run N frames, and print what they took\n"
                            "  --frames N         how many frames --headless, --compare-threads and --shot run (default 300)\n"
                            "  --hash             print the hash of the world at the end\n"
                            "  --compare-threads  run the frames with one thread and with all, and compare\n"
                            "  --inspect          show the running swarm in the browser; without a window it runs until it is stopped\n"
                            "  --inspect-edits    the same, and the page may change values, pause, step and go back\n"
                            "  --help             print this text\n"
                            "\n"
                            "Keys: space pause, + and - number of boids, T threads, F full screen, Q quit.\n"
                            "Exit status: 0 done, 1 out of memory or results differ, 2 bad options or output.\n";

enum { MOST_FRAMES = 1000000, LARGEST_SIDE = 8192 };

// Reads a whole number. Returns false unless `text` is one from `least` to `most`.
static bool number_of(const char *text, uint32_t least, uint32_t most, uint32_t *number) {
    char *end;
    if (!isdigit((unsigned char)*text)) return false;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (*end || errno || value < least || value > most) return false;
    *number = (uint32_t)value;
    return true;
}

static bool read_number(const char *name, const char *text, uint32_t least, uint32_t most, uint32_t *number, char why[200]) {
    if (number_of(text, least, most, number)) return true;
    snprintf(why, 200, "swarm: %s: '%.60s' is not a whole number from %u to %u", name, text, (unsigned)least, (unsigned)most);
    return false;
}

static bool read_size(const char *text, options *o, char why[200]) {
    char width[8] = "";
    const char *cross = strchr(text, 'x');
    if (cross && cross - text < (long)sizeof width) {
        memcpy(width, text, (size_t)(cross - text));
        if (number_of(width, 64, LARGEST_SIDE, &o->width) && number_of(cross + 1, 64, LARGEST_SIDE, &o->height)) return true;
    }
    snprintf(why, 200, "swarm: --size: '%.60s' is not a size such as 1280x720, with sides from 64 to %d", text, LARGEST_SIDE);
    return false;
}

// Reads an option that has no value. Returns false if `name` is none.
static bool read_switch(const char *name, options *o) {
    const struct {
        const char *name;
        bool *value;
    } switches[] = {
        { "--headless", &o->headless },
        { "--hash", &o->hash },
        { "--compare-threads", &o->compare_threads },
        { "--inspect", &o->inspect },
        { "--inspect-edits", &o->inspect_edits },
        { "--help", &o->help },
    };
    for (size_t i = 0; i < sizeof switches / sizeof *switches; ++i) {
        if (strcmp(name, switches[i].name) != 0) continue;
        *switches[i].value = true;
        return true;
    }
    return false;
}

static bool read_value(const char *name, const char *text, options *o, char why[200]) {
    if (!strcmp(name, "--shot")) {
        o->shot = text;
        return true;
    }
    if (!strcmp(name, "--size")) return read_size(text, o, why);
    if (!strcmp(name, "--boids")) return read_number(name, text, FLOCK_MIN, FLOCK_MAX, &o->boids, why);
    if (!strcmp(name, "--seed")) return read_number(name, text, 0, UINT32_MAX, &o->seed, why);
    if (!strcmp(name, "--frames")) return read_number(name, text, 1, MOST_FRAMES, &o->frames, why);
    if (strcmp(text, "all") != 0)
        return read_number(name, text, 1, KEEL_MAX_WORKERS < 256 ? KEEL_MAX_WORKERS : 256, &o->threads, why);
    o->threads = 0;
    return true;
}

static bool takes_value(const char *name) {
    static const char *const names[] = { "--boids", "--threads", "--seed", "--size", "--shot", "--frames" };
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (!strcmp(name, names[i])) return true;
    return false;
}

// Returns false if the options do not go together, or the program cannot do what they say.
static bool check_inspect(options *o, char why[200]) {
    o->inspect |= o->inspect_edits;
    if (!o->inspect) return true;
    if (o->shot || o->compare_threads)
        snprintf(why, 200, "swarm: --inspect goes with a window or with --headless, not with --shot or --compare-threads");
    else if (inspected_missing()) snprintf(why, 200, "swarm: --inspect: %s", inspected_missing());
    else return true;
    return false;
}

bool options_parse(options *o, int count, char *arguments[], char why[200]) {
    memset(o, 0, sizeof *o);
    o->seed = 1;
    o->frames = 300;
    o->width = 1280;
    o->height = 720;
    for (int i = 1; i < count; ++i) {
        const char *name = arguments[i];
        if (read_switch(name, o)) continue;
        if (!takes_value(name)) {
            snprintf(why, 200, "swarm: '%.60s' is not an option; try --help", name);
            return false;
        }
        if (++i == count) {
            snprintf(why, 200, "swarm: %s needs a value; try --help", name);
            return false;
        }
        if (!read_value(name, arguments[i], o, why)) return false;
    }
    return check_inspect(o, why);
}
