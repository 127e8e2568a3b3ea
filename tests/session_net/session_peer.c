// SPDX-License-Identifier: MIT
// One machine of a game over ENet, as a process of its own: run.py and soak.sh start several, on
// one machine or on many. Inputs are random from a seed. It prints what happens, and at the end the
// hash of the last frame.
#include "game.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
    "usage: session_peer (--host PORT | --join HOST:PORT) [options]\n"
    "  --host PORT       waits for others; 0: the system chooses the port, which is printed\n"
    "  --join HOST:PORT  joins a game, also one that runs\n"
    "  --players N       slots; default 2\n"
    "  --start N         begins with so many players; default: all\n"
    "  --frames N        frames to play; default 600\n"
    "  --seed S          of the inputs, and of what --simulate does; default 1\n"
    "  --fast            does not wait for the clock on the wall\n"
    "  --simulate WHAT   loss=5,delay=100,jitter=10,duplicate=1: per cent, and milliseconds one "
    "way\n"
    "  --rate N          frames a second; default 60\n"
    "  --input-size N    bytes of an input; default 4\n"
    "  --ballast N       bytes of the component Ballast; default 4\n"
    "  --timeout MS      silence after which a player is dropped; default 5000, with --fast "
    "120000\n"
    "  --hash            prints the hash of the last frame at the end\n"
    "  --stats           prints memory and bytes on the way, and totals at the end\n";

typedef struct options {
    const char *join; // NULL: hosts
    uint16_t port;
    uint32_t players, start, rate, input_size, ballast, timeout;
    uint64_t frames, seed;
    bool hosts, is_fast, prints_hash, prints_stats, simulates;
    keel_loopback_desc weather;
} options;

typedef struct program {
    options o;
    keel_world *world;
    keel_session *session;
    uint64_t random;
    uint64_t stats_at; // the frame of the next line
    bool has_failed;
} program;

// ------------------------------------------------------------------ options
static void stop(const char *format, ...) KEELI_PRINTF(1, 2);
static void stop(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fprintf(stderr, "\n%s", usage);
    exit(2);
}

static uint64_t read_number(const char *name, const char *text, uint64_t most) {
    char *end;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (errno || end == text || *end || text[0] == '-' || value > most)
        stop("%s: '%s' is no number up to %llu", name, text, (unsigned long long)most);
    return value;
}

static void read_weather(options *o, const char *text) {
    o->simulates = true;
    while (*text) {
        char name[16];
        float value;
        int length = 0;
        if (sscanf(text, "%15[a-z]=%f%n", name, &value, &length) != 2 || value < 0)
            stop("--simulate: '%s' is not like loss=5,delay=100", text);
        if (strcmp(name, "loss") == 0) o->weather.loss = value / 100;
        else if (strcmp(name, "duplicate") == 0) o->weather.duplicates = value / 100;
        else if (strcmp(name, "delay") == 0) o->weather.delay_ms = value;
        else if (strcmp(name, "jitter") == 0) o->weather.jitter_ms = value;
        else stop("--simulate: '%s' is none of loss, delay, jitter and duplicate", name);
        text += length;
        text += *text == ',';
    }
}

static void read_address(options *o, char *text) {
    char *colon = strrchr(text, ':');
    if (!colon) stop("--join: '%s' is no HOST:PORT", text);
    o->port = (uint16_t)read_number("--join", colon + 1, UINT16_MAX);
    *colon = '\0';
    o->join = text;
}

// Reads the option `name` with its value. False: there is none of that name.
static bool read_valued(options *o, const char *name, char *value) {
    const struct {
        const char *name;
        uint32_t *member;
        uint32_t most;
    } numbers[] = { { "--players", &o->players, KEEL_SESSION_MAX_PLAYERS },
                    { "--start", &o->start, KEEL_SESSION_MAX_PLAYERS },
                    { "--rate", &o->rate, 1000 },
                    { "--input-size", &o->input_size, KEEL_SESSION_MAX_INPUT },
                    { "--ballast", &o->ballast, 1024 },
                    { "--timeout", &o->timeout, UINT32_MAX } };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        if (strcmp(name, numbers[i].name) != 0) continue;
        *numbers[i].member = (uint32_t)read_number(name, value, numbers[i].most);
        return true;
    }
    if (strcmp(name, "--frames") == 0) o->frames = read_number(name, value, UINT32_MAX);
    else if (strcmp(name, "--seed") == 0) o->seed = read_number(name, value, UINT64_MAX);
    else if (strcmp(name, "--simulate") == 0) read_weather(o, value);
    else if (strcmp(name, "--join") == 0) read_address(o, value);
    else if (strcmp(name, "--host") == 0) {
        o->hosts = true;
        o->port = (uint16_t)read_number(name, value, UINT16_MAX);
    } else return false;
    return true;
}

static options read_options(int argc, char **argv) {
    options o = { .players = 2, .frames = 600, .seed = 1, .input_size = sizeof(Pad), .ballast = 4 };
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(usage, stdout);
            exit(0);
        }
        if (strcmp(argv[i], "--fast") == 0) o.is_fast = true;
        else if (strcmp(argv[i], "--hash") == 0) o.prints_hash = true;
        else if (strcmp(argv[i], "--stats") == 0) o.prints_stats = true;
        else if (i + 1 == argc) stop("%s: no such option, or its value is missing", argv[i]);
        else if (!read_valued(&o, argv[i], argv[i + 1])) stop("%s: no such option", argv[i]);
        else ++i;
    }
    if (o.hosts == (o.join != NULL)) stop("one of --host and --join is needed");
    if (!o.timeout) o.timeout = o.is_fast ? 120000 : 5000;
    if (!o.rate) o.rate = 60;
    o.weather.seed = o.seed;
    return o;
}

// ------------------------------------------------------------------ what it prints
static const char *event_name(keel_session_event_kind kind) {
    static const char *const names[] = { "",        "started", "refused", "joined",  "left",
                                         "silent",  "heard",   "waiting", "resumed", "rolled back",
                                         "undone",  "DIFFERS", "CHEATS",  "dropped", "spectator",
                                         "warning", "FAILED" };
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

static void note_event(program *p, const keel_session_event *e) {
    switch (e->kind) {
    case KEEL_SESSION_WAITING:
    case KEEL_SESSION_RESUMED:
    case KEEL_SESSION_ROLLED_BACK:
        return; // many
    case KEEL_SESSION_REFUSED:
    case KEEL_SESSION_DROPPED:
    case KEEL_SESSION_DIFFERS:
    case KEEL_SESSION_CHEATS:
    case KEEL_SESSION_FAILED:
        p->has_failed = true;
        break;
    default:
        break;
    }
    printf("event %s", event_name(e->kind));
    if (e->player != KEEL_SESSION_NO_PLAYER) printf(" player %u", (unsigned)e->player);
    printf(" frame %llu%s%s\n", (unsigned long long)e->frame, e->text[0] ? ": " : "", e->text);
}

// Returns the memory of the process in KiB; 0: not known.
static unsigned long resident_memory(void) {
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    if (!file) return 0;
    if (fscanf(file, "%*u %lu", &pages) != 1) pages = 0;
    fclose(file);
    return pages * (unsigned long)sysconf(_SC_PAGESIZE) / 1024;
}

// Prints a line each tenth of the game.
static void print_stats(program *p) {
    const keel_session_status status = keel_session_status_of(p->session);
    if (!p->o.prints_stats || status.frame < p->stats_at) return;
    p->stats_at = (status.frame / (p->o.frames / 10 + 1) + 1) * (p->o.frames / 10 + 1);
    const double seconds = (double)status.frame / p->o.rate;
    printf("stats frame %llu: rss %lu KiB, session %lu KiB, sent %.0f B/s, replayed %llu, waits "
           "%llu\n",
           (unsigned long long)status.frame, resident_memory(), (unsigned long)status.memory / 1024,
           seconds > 0 ? (double)status.bytes_sent / seconds : 0,
           (unsigned long long)status.replayed, (unsigned long long)status.waits);
}

// ------------------------------------------------------------------ the game
static uint64_t next_random(uint64_t *random) {
    uint64_t z = (*random += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void sleep_ms(long ms) { nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL); }

static bool begin(program *p) {
    const options *o = &p->o;
    game_end = o->frames;
    game_input_size = o->input_size;
    p->world = game_world(o->ballast);
    p->random = o->seed;
    keel_error error = { 0 };
    keel_session_transport transport = { 0 };
    if (o->simulates) transport = keel_simulated_transport(keel_enet_transport(NULL), &o->weather);
    const keel_session_desc desc = { .step = KEEL_WORKLOAD_OF(game_frame),
                                     .input_size = o->input_size,
                                     .players = o->players,
                                     .start_players = o->start,
                                     .rate = o->rate,
                                     .timeout_ms = o->timeout,
                                     .error = &error,
                                     .transport = transport };
    p->session = keel_session_begin(p->world, &desc);
    if (!p->session) {
        printf("no session: %s\n", error.message);
        return false;
    }
    const keel_result result = o->hosts ? keel_session_listen(p->session, o->port)
                                        : keel_session_connect(p->session, o->join, o->port);
    for (keel_session_event e; keel_session_next_event(p->session, &e);)
        note_event(p, &e);
    if (result == KEEL_OK) printf("port %u\n", (unsigned)keel_session_status_of(p->session).port);
    return result == KEEL_OK;
}

// True when this machine and all that still play have the last frame.
static bool is_done(const program *p, const keel_session_status *status) {
    if (p->has_failed) return true;
    if (!status->is_playing || status->confirmed < p->o.frames) return false;
    uint32_t players = 0;
    for (uint32_t i = 0; i < status->players; ++i)
        players += status->player[i].is_playing;
    return status->checked >= p->o.frames || players == 1;
}

static void give_input(program *p, const keel_session_status *status) {
    unsigned char input[KEEL_SESSION_MAX_INPUT] = { 0 };
    if (status->local_player == KEEL_SESSION_NO_PLAYER || next_random(&p->random) % 6) return;
    const uint64_t bits = next_random(&p->random) | 8;
    memcpy(input, &bits, p->o.input_size < 4 ? p->o.input_size : 4);
    (void)keel_session_give_input(p->session, status->local_player, input);
}

// Plays until the end. In fast motion a frame takes no time, and waiting for others a millisecond.
static void play(program *p) {
    double before = seconds_now();
    for (;;) {
        keel_session_poll(p->session);
        keel_session_status status = keel_session_status_of(p->session);
        give_input(p, &status);
        const double now = seconds_now();
        const bool is_fast = p->o.is_fast && status.is_playing;
        const keel_result result =
            keel_session_advance(p->session, is_fast ? 1.0 / p->o.rate : now - before);
        before = now;
        for (keel_session_event e; keel_session_next_event(p->session, &e);)
            note_event(p, &e);
        print_stats(p);
        status = keel_session_status_of(p->session);
        if (is_done(p, &status)) return;
        if (!is_fast) sleep_ms(4);
        else if (result == KEEL_ABSENT) sleep_ms(1);
    }
}

static void print_end(const program *p) {
    const keel_session_status status = keel_session_status_of(p->session);
    if (p->o.prints_stats)
        printf("end frame %llu, confirmed %llu, checked %llu, replayed %llu, waits %llu, refused "
               "packets %llu\n",
               (unsigned long long)status.frame, (unsigned long long)status.confirmed,
               (unsigned long long)status.checked, (unsigned long long)status.replayed,
               (unsigned long long)status.waits, (unsigned long long)status.refused_packets);
    uint64_t hash = 0;
    if (p->o.prints_hash && !p->has_failed && keel_world_hash(p->world, &hash) == KEEL_OK)
        printf("hash 0x%016llx\n", (unsigned long long)hash);
}

int main(int argc, char **argv) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    program p = { .o = read_options(argc, argv) };
    const bool began = begin(&p);
    if (began) play(&p);
    if (began) print_end(&p);
    keel_session_end(p.session);
    keel_world_destroy(p.world);
    return !began || p.has_failed;
}
