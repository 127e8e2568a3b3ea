// SPDX-License-Identifier: MIT
// The tool keel-inspect: shows a save on the page of the inspector, without the program that wrote
// it. Nothing runs, and nothing can be changed. It loads the save as keel-save does. A user calls
// it from a shell.
#include "../../save/tool/tool.h"
#include "../inspect.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char help[] =
    "usage: keel-inspect [OPTION]... FILE\n"
    "Shows a save in the browser: entities, values, relations, queries. It prints an address, and\n"
    "serves it until it is stopped. The program that wrote the save is not needed, and the file "
    "is\n"
    "not changed.\n"
    "\n"
    "  --port N          the port, 1 to 65535 (default 27750, or the next that is free up to "
    "27759)\n"
    "  --address A       the IPv4 address to listen on (default 127.0.0.1); with another one "
    "other\n"
    "                    machines may ask, so --token is needed, too\n"
    "  --token T         32 to 128 letters, digits, '-' and '_' (default: random)\n"
    "  --max-bytes N     limits the size of the file and of its unpacked content (default "
    "1073741824)\n"
    "  --max-entities N  the largest index of an entity (default 16777216)\n"
    "  --help            print this text\n"
    "\n"
    "Exit status: 0 stopped by a signal, 2 bad options, a file that cannot be read, a port in "
    "use.\n";

enum { TOOL_FINE = 0, TOOL_FAILED = 2, TOOL_LOOK = 10000000 }; // nanoseconds between two looks

typedef struct tool_options {
    const char *path;
    keel_inspect_desc desc;
    keel_load_options how;
    bool help;
} tool_options;

static volatile sig_atomic_t tool_stopped;
static void tool_stop(int signal_number) {
    (void)signal_number;
    tool_stopped = 1;
}

// ------------------------------------------------------------------ options
static bool tool_number(const char *name, const char *text, uint64_t most, uint64_t *number) {
    char *end = NULL;
    const bool is_number = *text >= '0' && *text <= '9' && strlen(text) < 20;
    *number = is_number ? strtoull(text, &end, 10) : 0;
    if (is_number && !*end && *number && *number <= most) return true;
    fprintf(stderr, "keel-inspect: %s: '%.60s' is not a whole number from 1 to %llu\n", name, text,
            (unsigned long long)most);
    return false;
}

static bool tool_read_value(tool_options *o, const char *name, const char *text) {
    uint64_t number = 0;
    if (!strcmp(name, "--address")) o->desc.address = text;
    else if (!strcmp(name, "--token")) o->desc.token = text;
    else if (!strcmp(name, "--port")) {
        if (!tool_number(name, text, UINT16_MAX, &number)) return false;
        o->desc.port = (uint16_t)number;
    } else if (!strcmp(name, "--max-bytes")) {
        if (!tool_number(name, text, UINT64_MAX / 2, &number)) return false;
        o->how.max_bytes = number;
    } else {
        if (!tool_number(name, text, UINT32_MAX, &number)) return false;
        o->how.max_entities = (uint32_t)number;
    }
    return true;
}

static bool tool_takes_value(const char *name) {
    static const char *const names[] = { "--address", "--token", "--port", "--max-bytes",
                                         "--max-entities" };
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (!strcmp(name, names[i])) return true;
    return false;
}

// Reads the command line. Returns false after it has printed what is wrong with it.
static bool tool_parse(tool_options *o, int count, char **arguments) {
    const char *wrong = NULL;
    for (int i = 1; i < count && !wrong && !o->help; ++i) {
        const char *name = arguments[i];
        if (!strcmp(name, "--help") || !strcmp(name, "-h")) o->help = true;
        else if (tool_takes_value(name) && i + 1 == count) wrong = "needs a value";
        else if (tool_takes_value(name)) {
            if (!tool_read_value(o, name, arguments[++i])) return false;
        } else if (*name == '-' && name[1]) wrong = "is not an option";
        else if (o->path) wrong = "is a second file; one is shown at a time";
        else o->path = name;
        if (wrong) fprintf(stderr, "keel-inspect: '%.60s' %s; see --help\n", name, wrong);
    }
    if (!wrong && !o->help && !o->path)
        fputs("keel-inspect: which save? Name a file; see --help\n", stderr);
    return !wrong && (o->help || o->path);
}

// ------------------------------------------------------------------ serving
static bool tool_fail(const loaded_save *save) {
    fprintf(stderr, "keel-inspect: %s: %s\n", save->path,
            save->error.message[0] ? save->error.message : keel_result_text(save->error.result));
    return false;
}

// Answers the page until a signal comes. The world is paused from the begin, as nothing runs.
static bool tool_serve(const tool_options *o, keel_world *world) {
    const struct timespec look = { 0, TOOL_LOOK };
    keel_error error;
    keel_inspect *inspect = keel_inspect_begin(world, &o->desc, &error);
    if (!inspect) {
        fprintf(stderr, "keel-inspect: %s\n", error.message);
        return false;
    }
    inspect->paused = true;
    while (!tool_stopped) {
        keel_inspect_update(inspect);
        nanosleep(&look, NULL);
    }
    keel_inspect_end(inspect);
    return true;
}

// The title of the page is the name of the file without its folders.
static const char *tool_title(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

int main(int count, char **arguments) {
    tool_options o = { .how = { .max_bytes = (uint64_t)1 << 30, .max_entities = 1u << 24 } };
    if (!tool_parse(&o, count, arguments)) return TOOL_FAILED;
    if (o.help) {
        fputs(help, stdout);
        return TOOL_FINE;
    }
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i)
        signal(signals[i], tool_stop);
    loaded_save save = { .path = o.path, .how = o.how };
    o.desc.program = tool_title(o.path);
    const bool ok = load_sections(&save) >= 0 && load_world(&save) >= 0 ? tool_serve(&o, save.world)
                                                                        : tool_fail(&save);
    unload(&save);
    return ok ? TOOL_FINE : TOOL_FAILED;
}
