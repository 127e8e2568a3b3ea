// SPDX-License-Identifier: MIT
// Random games of 2 to 8 players over a simulated network: loss, delay, jitter, duplicates, clocks
// that drift, pauses, machines that die, players who leave, come back and join late, delays that
// change. Each game is given by its seed. After each game
//   - the inputs of each confirmed frame must have been the same on all machines,
//   - no machine may have told of a difference, and
//   - a world that plays the same inputs without any network must have the same states.
// With --replays, all machines of each tenth game record it, and fresh worlds play the files.
// usage: session_games [--games N] [--seed S] [--frames N] [--replays] [--verbose]
#include "games_play.h"

#include <stdlib.h>

static bool is_verbose, with_replays;

typedef struct machine {
    keel_world *world;
    keel_session *session;
    keel_loopback *network;
    game_data data;      // what its game recorded
    double drift;        // its clock against that of the simulator
    double paused_until; // it does nothing before this time
    uint32_t number;     // in the network
    uint64_t random;
    bool is_there, is_dead, spectates, was_dropped;
    char replay[48];            // its file; empty: none
    uint64_t joined_at;         // it plays from this frame on; UINT64_MAX: not yet
    const struct machine *host; // whose image and inputs it got; NULL: it was there from the begin
} machine;

enum { MACHINES = 16, FRAMES_AT_MOST = 4000 };

typedef struct simulator {
    keel_loopback *network;
    keel_loopback_desc weather;
    machine machines[MACHINES];
    uint32_t count, players;
    uint64_t seed, random;
    double now;
    uint32_t frames, max_rollback, delay;
    uint64_t differences, failures;
    bool is_recorded;
} simulator;

static uint64_t next_random(uint64_t *random) {
    uint64_t z = (*random += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
static uint32_t below(uint64_t *random, uint32_t end) {
    return (uint32_t)(next_random(random) >> 33) % end;
}

// ------------------------------------------------------------------ machines
static void add_machine(simulator *sim, bool spectates) {
    machine *m = &sim->machines[sim->count];
    *m = (machine){ .number = sim->count,
                    .network = sim->network,
                    .random = next_random(&sim->random),
                    .spectates = spectates,
                    .is_there = true,
                    .joined_at = UINT64_MAX };
    m->drift = 1 + ((double)below(&sim->random, 401) - 200) / 100000; // 0.2 %
    m->data.capacity = FRAMES_AT_MOST;
    m->data.frames = calloc(FRAMES_AT_MOST, sizeof *m->data.frames);
    m->world = game_world();
    game_current = &m->data;
    if (sim->is_recorded)
        snprintf(m->replay, sizeof m->replay, "game_%llu_%u.keelreplay",
                 (unsigned long long)sim->seed, (unsigned)m->number);
    const keel_session_desc desc = { .step = game_step(),
                                     .input_size = sizeof(Pad),
                                     .players = sim->players,
                                     .start_players = 2,
                                     .spectates = spectates,
                                     .takes_spectators = true,
                                     .max_rollback = sim->max_rollback,
                                     .input_delay = sim->delay,
                                     .check_every = 10,
                                     .timeout_ms = 2000,
                                     .seed = sim->seed,
                                     .record = m->replay[0] ? m->replay : NULL,
                                     .transport =
                                         keel_loopback_transport(sim->network, sim->count) };
    m->session = keel_session_begin(m->world, &desc);
    if (!m->session) {
        printf("seed %llu: a session did not begin\n", (unsigned long long)sim->seed);
        exit(1);
    }
    ++sim->count;
}

static void end_machine(machine *m) {
    game_current = &m->data;
    keel_session_end(m->session);
    keel_world_destroy(m->world);
    m->session = NULL;
}

// The machine is gone without a word.
static void kill_machine(simulator *sim, machine *m) {
    m->is_there = false;
    m->is_dead = true;
    for (uint32_t i = 0; i < MACHINES; ++i)
        keel_loopback_cut(sim->network, m->number, i, true);
}

static uint32_t machines_there(const simulator *sim) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < sim->count; ++i)
        count += sim->machines[i].is_there && !sim->machines[i].spectates &&
                 keel_session_status_of(sim->machines[i].session).is_playing;
    return count;
}

// Returns the machine that others join at: the one with the lowest slot.
static machine *leader(simulator *sim) {
    machine *least = NULL;
    for (uint32_t i = 0; i < sim->count; ++i) {
        machine *m = &sim->machines[i];
        const keel_session_status status = keel_session_status_of(m->session);
        if (!m->is_there || !status.is_playing || m->spectates) continue;
        if (!least || status.local_player < keel_session_status_of(least->session).local_player)
            least = m;
    }
    return least;
}

static void join(simulator *sim, bool spectates) {
    machine *at = leader(sim);
    if (!at || sim->count == MACHINES) return;
    char host[8];
    snprintf(host, sizeof host, "%u", (unsigned)at->number);
    add_machine(sim, spectates);
    sim->machines[sim->count - 1].host = at;
    (void)keel_session_connect(sim->machines[sim->count - 1].session, host, 0);
}

// ------------------------------------------------------------------ what happens
static void change_weather(simulator *sim) {
    keel_loopback_desc *w = &sim->weather;
    w->peers = MACHINES;
    w->seed = sim->seed;
    w->delay_ms = (float)below(&sim->random, below(&sim->random, 4) ? 80 : 400);
    w->jitter_ms = (float)below(&sim->random, 40);
    w->loss = (float)below(&sim->random, below(&sim->random, 4) ? 10 : 40) / 100;
    w->duplicates = (float)below(&sim->random, 10) / 100;
    keel_loopback_set(sim->network, w);
}

static void something_happens(simulator *sim) {
    machine *m = &sim->machines[below(&sim->random, sim->count)];
    if (!m->is_there) return;
    const keel_session_status status = keel_session_status_of(m->session);
    switch (below(&sim->random, 12)) {
    case 0:
    case 1:
        change_weather(sim);
        break;
    case 2:
        m->paused_until = sim->now + below(&sim->random, 3000) / 1000.0;
        break;
    case 3:
    case 4:
        if (status.local_player != KEEL_SESSION_NO_PLAYER)
            (void)keel_session_set_delay(m->session, status.local_player, below(&sim->random, 8));
        break;
    case 5:
        if (machines_there(sim) > 2) kill_machine(sim, m);
        break;
    case 6:
        if (machines_there(sim) <= 2 || !status.is_playing) break;
        m->is_there = false; // leaves: says so
        end_machine(m);
        break;
    case 7:
        if (machines_there(sim) > 2 && m == leader(sim)) kill_machine(sim, m);
        break;
    case 8:
        if (sim->now > 1) join(sim, below(&sim->random, 4) == 0);
        break;
    default:
        break;
    }
}

// A player was dropped: what the machine of that player confirmed from this frame on is its own.
static void note_dropped(simulator *sim, const machine *by, uint32_t player, uint64_t frame) {
    for (uint32_t i = 0; i < sim->count; ++i) {
        machine *m = &sim->machines[i];
        if (m == by || !m->session || keel_session_status_of(m->session).local_player != player)
            continue;
        const bool played_then = m->data.frames[0].was_played || m->joined_at <= frame;
        if (!played_then || m->spectates) continue;
        m->was_dropped = true;
        if (m->data.confirmed > frame) m->data.confirmed = frame;
    }
}

// The world of a machine that gives up is not compared beyond what was confirmed.
static void note_event(simulator *sim, machine *m, const keel_session_event *e) {
    if (is_verbose && e->kind != KEEL_SESSION_ROLLED_BACK)
        printf("%7.3f machine %u: event %d player %d frame %llu %s\n", sim->now,
               (unsigned)m->number, (int)e->kind, (int)e->player, (unsigned long long)e->frame,
               e->text);
    if (e->kind == KEEL_SESSION_DIFFERS) ++sim->differences;
    if (e->kind == KEEL_SESSION_CHEATS || e->kind == KEEL_SESSION_FAILED) ++sim->failures;
    if (e->kind == KEEL_SESSION_DROPPED || e->kind == KEEL_SESSION_REFUSED) m->was_dropped = true;
    if (e->kind == KEEL_SESSION_LEFT) note_dropped(sim, m, e->player, e->frame);
    if (e->kind == KEEL_SESSION_JOINED && m->joined_at == UINT64_MAX) m->joined_at = e->frame;
}

static void play_machine(simulator *sim, machine *m, double seconds) {
    if (!m->is_there || sim->now < m->paused_until) return;
    game_current = &m->data;
    keel_session_poll(m->session);
    const uint32_t player = keel_session_status_of(m->session).local_player;
    if (player != KEEL_SESSION_NO_PLAYER && below(&m->random, 6) == 0) {
        const Pad pad = { (uint32_t)next_random(&m->random) };
        (void)keel_session_give_input(m->session, player, &pad);
    }
    (void)keel_session_advance(m->session, seconds * m->drift);
    for (keel_session_event e; keel_session_next_event(m->session, &e);)
        note_event(sim, m, &e);
    const uint64_t confirmed = keel_session_status_of(m->session).confirmed;
    const uint64_t frame = keel_session_status_of(m->session).frame;
    const uint64_t sure = confirmed < frame ? confirmed : frame;
    if (sure > m->data.confirmed && !m->was_dropped) m->data.confirmed = sure;
}

// ------------------------------------------------------------------ what must be so
// True if two machines play together at the end: each counts the other one's player. A spectator
// sees what its host plays.
static bool are_together(const machine *a, const machine *b) {
    if (!a->session || !b->session || a->was_dropped || b->was_dropped) return false;
    a = a->spectates && a->host ? a->host : a;
    b = b->spectates && b->host ? b->host : b;
    if (a == b) return true;
    if (!a->session || !b->session || a->was_dropped || b->was_dropped) return false;
    const keel_session_status x = keel_session_status_of(a->session);
    const keel_session_status y = keel_session_status_of(b->session);
    if (x.local_player == y.local_player) return false; // one took the place of the other
    return x.is_playing && y.is_playing && x.player[y.local_player].is_playing &&
           y.player[x.local_player].is_playing;
}

// Compares what two machines played in the frames that both had confirmed. When a net falls apart,
// each part goes on by itself, from the first frame in which other players are there.
static bool inputs_agree(const simulator *sim, const machine *a, const machine *b) {
    const uint64_t end =
        a->data.confirmed < b->data.confirmed ? a->data.confirmed : b->data.confirmed;
    for (uint64_t f = 0; f < end && f < FRAMES_AT_MOST; ++f) {
        const game_frame *x = &a->data.frames[f], *y = &b->data.frames[f];
        if (!x->was_played || !y->was_played || memcmp(x, y, sizeof *x) == 0) continue;
        if (!are_together(a, b) && memcmp(x->plays, y->plays, sizeof x->plays) != 0) return true;
        printf("seed %llu: machines %u and %u played frame %llu with other inputs\n",
               (unsigned long long)sim->seed, (unsigned)a->number, (unsigned)b->number,
               (unsigned long long)f);
        for (uint32_t i = 0; i < KEEL_SESSION_MAX_PLAYERS && is_verbose; ++i)
            printf("  slot %u: %d %08x and %d %08x\n", (unsigned)i, x->plays[i],
                   (unsigned)x->bits[i], y->plays[i], (unsigned)y->bits[i]);
        return false;
    }
    return true;
}

// Returns the last frame of a machine that all of its states up to there are sure.
static const machine *longest(const simulator *sim) {
    const machine *best = NULL;
    for (uint32_t i = 0; i < sim->count; ++i) {
        const machine *m = &sim->machines[i];
        const bool from_start = m->data.frames[0].was_played;
        if (from_start && (!best || m->data.confirmed > best->data.confirmed)) best = m;
    }
    return best;
}

// Plays the confirmed inputs in a fresh world, and compares its states with those that machines
// still have.
static bool states_agree(simulator *sim) {
    const machine *best = longest(sim);
    if (!best) return true;
    game_data data = { .capacity = 0 };
    game_current = &data;
    keel_world *world = game_world();
    keel_register_component(world, KEEL_UNIQUE_OF(keel_inputs));
    bool agree = true;
    for (uint64_t f = 0; f < best->data.confirmed && f < FRAMES_AT_MOST && agree; ++f) {
        for (uint32_t i = 0; i < sim->count; ++i) {
            machine *m = &sim->machines[i];
            keel_snapshot *there =
                m->session && !m->was_dropped ? keel_session_snapshot(m->session, f) : NULL;
            uint64_t a = 0, b = 1;
            if (!there || f > m->data.confirmed || (m != best && !are_together(m, best))) continue;
            game_current = &m->data;
            if (keel_world_hash(world, &a) < 0 || keel_snapshot_hash(there, 0, &b) < 0 || a != b) {
                printf("seed %llu: frame %llu of machine %u is not the one of a world without "
                       "network\n",
                       (unsigned long long)sim->seed, (unsigned long long)f, (unsigned)i);
                agree = false;
            }
            game_current = &data;
        }
        game_play(world, f, &best->data.frames[f]);
    }
    keel_world_destroy(world);
    return agree;
}

// Plays the file of each machine in a fresh world.
static bool replays_agree(const simulator *sim, uint64_t totals[6]) {
    bool agree = true;
    for (uint32_t i = 0; i < sim->count && sim->is_recorded; ++i) {
        game_data data = { .capacity = 0 };
        game_current = &data;
        keel_error error = { 0 };
        const char *path = sim->machines[i].replay;
        keel_world *world = game_world();
        keel_replay *r =
            keel_replay_open(world, game_step(), path, &(keel_replay_options){ .error = &error });
        keel_result result = r ? KEEL_OK : error.result;
        while (result == KEEL_OK)
            result = keel_replay_next(r);
        const keel_replay_info info = keel_replay_info_of(r);
        const bool is_empty = error.result == KEEL_ERROR_FORMAT && !r; // its game never began
        if (result < 0 && !is_empty) {
            printf("seed %llu: %s: %s\n", (unsigned long long)sim->seed, path, error.message);
            agree = false;
        }
        totals[4] += info.checks;
        totals[5] += info.end - info.first;
        keel_replay_close(r);
        keel_world_destroy(world);
        if (agree) (void)remove(path);
    }
    return agree;
}

// ------------------------------------------------------------------ a game
static bool play(uint64_t seed, uint32_t frames, bool is_recorded, uint64_t totals[6]) {
    static simulator sim;
    sim = (simulator){ .seed = seed, .random = seed, .frames = frames, .is_recorded = is_recorded };
    is_small = seed % 5 != 0; // four of five games are small, so that there are many
    sim.players = 2 + below(&sim.random, 7);
    sim.max_rollback = below(&sim.random, 8) ? 4 + below(&sim.random, 12) : KEEL_SESSION_LOCKSTEP;
    sim.delay = below(&sim.random, 6) ? below(&sim.random, 5) : KEEL_SESSION_NO_DELAY;
    const keel_loopback_desc weather = { .peers = MACHINES, .seed = seed };
    sim.network = keel_loopback_create(&weather);
    change_weather(&sim);

    const uint32_t first = 2 + below(&sim.random, sim.players - 1);
    for (uint32_t i = 0; i < first; ++i) {
        add_machine(&sim, false);
        machine *m = &sim.machines[i];
        (void)(i ? keel_session_connect(m->session, "0", 0) : keel_session_listen(m->session, 0));
    }
    for (uint32_t t = 0; t < frames; ++t) {
        const double seconds = 1.0 / 60;
        sim.now += seconds;
        keel_loopback_advance(sim.network, seconds);
        for (uint32_t i = 0; i < sim.count; ++i)
            play_machine(&sim, &sim.machines[i], seconds);
        if (below(&sim.random, 40) == 0) something_happens(&sim);
    }

    bool agree = !sim.differences && !sim.failures;
    if (!agree)
        printf("seed %llu: %llu differences, %llu failures\n", (unsigned long long)seed,
               (unsigned long long)sim.differences, (unsigned long long)sim.failures);
    for (uint32_t i = 0; i < sim.count; ++i)
        for (uint32_t k = i + 1; k < sim.count && (agree || is_verbose); ++k)
            agree = inputs_agree(&sim, &sim.machines[i], &sim.machines[k]);
    agree = agree && states_agree(&sim);
    for (uint32_t i = 0; i < sim.count; ++i) {
        machine *m = &sim.machines[i];
        if (m->session) {
            const keel_session_status status = keel_session_status_of(m->session);
            totals[0] += status.confirmed < status.frame ? status.confirmed : status.frame;
            totals[1] += status.replayed;
            totals[2] += status.checked > 0;
            totals[3] += m->joined_at != UINT64_MAX;
            end_machine(m);
        }
        free(m->data.frames);
    }
    keel_loopback_destroy(sim.network);
    return replays_agree(&sim, totals) && agree;
}

int main(int argc, char **argv) {
    uint64_t games = 100, seed = 1, totals[6] = { 0 };
    uint32_t frames = 600;
    for (int i = 1; i < argc; ++i) {
        const char *value = i + 1 < argc ? argv[i + 1] : "0";
        if (strcmp(argv[i], "--games") == 0) games = strtoull(value, NULL, 10);
        if (strcmp(argv[i], "--seed") == 0) seed = strtoull(value, NULL, 10);
        if (strcmp(argv[i], "--frames") == 0) frames = (uint32_t)strtoull(value, NULL, 10);
        if (strcmp(argv[i], "--verbose") == 0) is_verbose = true;
        if (strcmp(argv[i], "--replays") == 0) with_replays = true;
    }
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < games; ++i)
        wrong += !play(seed + i, frames < FRAMES_AT_MOST ? frames : FRAMES_AT_MOST,
                       with_replays && i % 10 == 0, totals);
    printf(
        "%llu games: %llu wrong; %llu confirmed frames, %llu played again, %llu machines compared "
        "states, %llu players joined late\n",
        (unsigned long long)games, (unsigned long long)wrong, (unsigned long long)totals[0],
        (unsigned long long)totals[1], (unsigned long long)totals[2],
        (unsigned long long)totals[3]);
    if (with_replays)
        printf("replays: %llu frames, %llu states compared\n", (unsigned long long)totals[5],
               (unsigned long long)totals[4]);
    return wrong != 0;
}
