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
    "  --host PORT      play with others over the network: they join this machine; 0: the system chooses a port\n"
    "  --players 1..4   with --host: the game begins when so many are there (default 2); others may join later\n"
    "  --join HOST:PORT play with others: join the machine that began with --host\n"
    "  --watch          with --join: watch, and play nothing\n"
    "  --together-alone two machines in this window, over a network that --simulate makes bad; arrows and WASD\n"
    "  --simulate WHAT  a bad network: loss=5,delay=100,jitter=10,duplicate=1, in per cent and milliseconds one way\n"
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
    { "help", no_argument, NULL, 'e' },          { "host", required_argument, NULL, 'o' },
    { "join", required_argument, NULL, 'j' },   { "watch", no_argument, NULL, 'w' },
    { "simulate", required_argument, NULL, 'm' }, { "together-alone", no_argument, NULL, 'b' },
    { NULL, 0, NULL, 0 },
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

static bool read_port(options *o, char why[256]) {
    uint32_t port = 0;
    o->hosts = true;
    if (!read_number("host", 0, UINT16_MAX, &port, why)) return false;
    o->port = (uint16_t)port;
    return true;
}

static bool read_address(options *o, char why[256]) {
    const char *colon = strrchr(optarg, ':');
    const size_t length = colon ? (size_t)(colon - optarg) : 0;
    char *end = NULL;
    const unsigned long port = colon ? strtoul(colon + 1, &end, 10) : 0;
    if (length == 0 || length >= sizeof o->join || colon[1] < '0' || colon[1] > '9' || *end || port < 1 || port > UINT16_MAX) {
        snprintf(why, 256, "--join: '%.60s' is not HOST:PORT, as in 192.168.1.7:7791", optarg);
        return false;
    }
    memcpy(o->join, optarg, length);
    o->join[length] = '\0';
    o->port = (uint16_t)port;
    return true;
}

// Reads one part of --simulate: a name, '=' and a number.
static bool read_weather(keel_loopback_desc *weather, const char *part, size_t length) {
    const struct {
        const char *name;
        float *to;
        double unit, most;
    } parts[] = { { "loss", &weather->loss, 0.01, 100 },
                  { "delay", &weather->delay_ms, 1, 2000 },
                  { "jitter", &weather->jitter_ms, 1, 2000 },
                  { "duplicate", &weather->duplicates, 0.01, 100 } };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        const size_t name = strlen(parts[i].name);
        if (strncmp(part, parts[i].name, name) != 0 || part[name] != '=') continue;
        char *end = NULL;
        const double value = strtod(part + name + 1, &end);
        if (end != part + length || end == part + name + 1 || !(value >= 0 && value <= parts[i].most)) return false;
        *parts[i].to = (float)(value * parts[i].unit);
        return true;
    }
    return false;
}

static bool read_simulation(options *o, char why[256]) {
    o->simulates = true;
    for (const char *part = optarg;;) {
        const size_t length = strcspn(part, ",");
        if (!read_weather(&o->weather, part, length)) {
            snprintf(why, 256, "--simulate: '%.40s' is none of loss=0..100, delay=0..2000, jitter=0..2000 and duplicate=0..100", part);
            return false;
        }
        if (!part[length]) return true;
        part += length + 1;
    }
}

static bool read_option(options *o, int letter, char why[256]) {
    switch (letter) {
    case 'p': return read_players(o, why);
    case 's': return read_number("seed", 0, UINT32_MAX, &o->seed, why);
    case 't': return read_number("threads", 1, 64, &o->threads, why);
    case 'f': return read_number("frames", 1, 10000000, &o->frames, why);
    case 'S': return read_goal(o, why);
    case 'o': return read_port(o, why);
    case 'j': return read_address(o, why);
    case 'm': return read_simulation(o, why);
    case 'w': o->watches = true; return true;
    case 'b': o->plays_both = true; return true;
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

bool options_is_session(const options *o) { return o->hosts || o->join[0]; }

together_options options_together(const options *o) {
    together_options to = { .join = o->join[0] ? o->join : NULL,
                            .port = o->port,
                            .players = o->join[0] ? 0 : (uint32_t)o->players,
                            .watches = o->watches,
                            .seed = o->seed,
                            .threads = o->threads,
                            .frames = o->frames,
                            .transport = keel_enet_transport(NULL) };
    keel_loopback_desc weather = o->weather;
    weather.seed = o->seed + o->hosts;
    if (o->simulates && to.transport.send) to.transport = keel_simulated_transport(to.transport, &weather);
    return to;
}

// Refuses options that do not fit together. False: `why` is a sentence.
static bool fit_session(options *o, char why[256]) {
    const char *problem = NULL;
    const bool is_session = options_is_session(o);
    if (o->hosts && o->join[0]) problem = "--host and --join: a machine does one of them";
    else if (o->watches && !o->join[0]) problem = "--watch needs --join HOST:PORT";
    else if (o->simulates && !is_session && !o->plays_both) problem = "--simulate needs --host, --join or --together-alone";
    else if (o->plays_both && (is_session || o->headless)) problem = "--together-alone: leave out --host, --join and --headless";
    else if ((is_session || o->plays_both) && (o->record || o->replay || o->has_goal || o->inspect))
        problem = "a game with others has no records and no inspector: leave out --record, --replay, --state and --inspect";
    else if (is_session && o->headless && o->shot) problem = "--shot: a game with others has no picture without a window";
    else if (o->join[0] && o->players) problem = "--players: the host decides; leave it out with --join";
    if (!o->players) o->players = o->hosts ? 2 : 1;
    if (!problem && o->players > KEYBOARD_PLAYERS && !o->hosts && !o->automatic && !o->headless)
        problem = "--players: at one keyboard two can play; with --host PORT others join over the network";
    if (problem) snprintf(why, 256, "%s", problem);
    return !problem;
}

bool options_read(options *o, int count, char **words, char why[256]) {
    *o = (options){ .seed = 1, .threads = 1 };
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
    if (!fit_session(o, why)) return false;
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
