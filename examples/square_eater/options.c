// SPDX-License-Identifier: MIT
// The command line: one table of options, and a sentence for every mistake. main.c calls it.
#include "options.h"
#include "inspected.h"
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char options_help[] =
    "Usage: square_eater [OPTION]...\n"
    "Eat the squares that grow, and flee from those that are grown.\n"
    "\n"
    "  --players 1|2    one player by pointer, arrows or WASD, or two at one keyboard (default 1)\n"
    "  --seed S         which game: the same number gives the same squares (default 1)\n"
    "  --threads N      play on N threads, 1 to 64 (default 1); the game is the same\n"
    "  --fullscreen     begin with the whole screen\n"
    "  --auto           an automatic player plays\n"
    "  --frames N       end after N frames, 60 a second (headless: default 3600)\n"
    "  --record FILE    write what was played when the program ends\n"
    "  --replay FILE    play a record, and compare the world with it every 60 frames\n"
    "  --headless       no window, as fast as possible; the automatic player plays\n"
    "  --state STATE    how the automatic run ends: menu, play, pause or over (default play)\n"
    "  --hash           print the hash of the world at the end\n"
    "  --shot FILE      write the last frame as PNG\n"
    "  --inspect        show the running game in the browser; headless it runs until it is stopped\n"
    "  --inspect-edits  the same, and the page may change values, pause, step and go back\n"
    "  --help           print this text\n"
    "\n"
    "Exit status: 0 done, 1 a replay differs or something failed, 2 bad options.\n";

static const struct option table[] = {
    { "players", required_argument, NULL, 'p' }, { "seed", required_argument, NULL, 's' },
    { "threads", required_argument, NULL, 't' }, { "fullscreen", no_argument, NULL, 'F' },
    { "auto", no_argument, NULL, 'a' },          { "frames", required_argument, NULL, 'f' },
    { "record", required_argument, NULL, 'r' },  { "replay", required_argument, NULL, 'R' },
    { "headless", no_argument, NULL, 'H' },      { "state", required_argument, NULL, 'S' },
    { "hash", no_argument, NULL, 'h' },          { "shot", required_argument, NULL, 'i' },
    { "inspect", no_argument, NULL, 'I' },       { "inspect-edits", no_argument, NULL, 'E' },
    { "help", no_argument, NULL, 'e' },          { NULL, 0, NULL, 0 },
};

static bool read_number(const char *name, uint32_t low, uint32_t high, uint32_t *to, char why[256]) {
    char *end = NULL;
    errno = 0;
    const unsigned long long value = strtoull(optarg, &end, 10);
    if (optarg[0] >= '0' && optarg[0] <= '9' && *end == '\0' && errno == 0 && value >= low && value <= high) {
        *to = (uint32_t)value;
        return true;
    }
    snprintf(why, 256, "--%s: '%.60s' is not a whole number from %u to %u", name, optarg, (unsigned)low, (unsigned)high);
    return false;
}

static bool read_goal(options *o, char why[256]) {
    static const char *const names[] = { "play", "menu", "pause", "over" };
    for (int i = 0; i < 4; ++i) {
        if (strcmp(optarg, names[i]) != 0) continue;
        o->goal = (autoplay_goal)i;
        o->has_goal = true;
        return true;
    }
    snprintf(why, 256, "--state: '%.60s' is none of menu, play, pause and over", optarg);
    return false;
}

static bool read_players(options *o, char why[256]) {
    uint32_t players = 0;
    if (!read_number("players", 1, MAX_PLAYERS, &players, why)) return false;
    o->players = (int32_t)players;
    return true;
}

static bool read_option(options *o, int letter, char why[256]) {
    switch (letter) {
    case 'p': return read_players(o, why);
    case 's': return read_number("seed", 0, UINT32_MAX, &o->seed, why);
    case 't': return read_number("threads", 1, 64, &o->threads, why);
    case 'f': return read_number("frames", 1, 10000000, &o->frames, why);
    case 'S': return read_goal(o, why);
    case 'F': o->fullscreen = true; return true;
    case 'a': o->automatic = true; return true;
    case 'H': o->headless = true; return true;
    case 'I': o->inspect = true; return true;
    case 'E': o->inspect = o->inspect_edits = true; return true;
    case 'h': o->hash = true; return true;
    case 'e': o->help = true; return true;
    case 'r': o->record = optarg; return true;
    case 'R': o->replay = optarg; return true;
    case 'i': o->shot = optarg; return true;
    default: return false;
    }
}

bool options_read(options *o, int count, char **words, char why[256]) {
    *o = (options){ .players = 1, .seed = 1, .threads = 1 };
    opterr = 0;
    for (int index = 0, letter; (letter = getopt_long(count, words, ":", table, &index)) != -1;) {
        if (letter == ':' || letter == '?') {
            snprintf(why, 256, letter == ':' ? "%.60s needs a value: see --help" : "%.60s is not an option: see --help", words[optind - 1]);
            return false;
        }
        if (!read_option(o, letter, why)) return false;
    }
    if (optind < count) {
        snprintf(why, 256, "'%.60s' is not an option: see --help", words[optind]);
        return false;
    }
    if (o->inspect && inspected_missing()) {
        snprintf(why, 256, "--inspect: %s", inspected_missing());
        return false;
    }
    if (o->inspect_edits && (o->replay || o->record)) {
        snprintf(why, 256, "--inspect-edits: a record has no changes of the page: leave out --record and --replay");
        return false;
    }
    if (o->replay && (o->automatic || o->record || o->has_goal)) {
        snprintf(why, 256, "--replay plays what is in its file: leave out --auto, --state and --record");
        return false;
    }
    return true;
}
