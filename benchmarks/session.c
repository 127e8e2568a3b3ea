// SPDX-License-Identifier: MIT
// Measures what a rollback session costs beside the frames of its game, in turns in one run:
// nothing to correct, and each frame corrected over eight; what packets cost and how many bytes go
// out; how long a player takes to join, and how long until a difference is named. Called by make
// bench-session.
#define _POSIX_C_SOURCE 200809L
#include "packet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 5, FRAMES = 120, BACK = 8 };

typedef struct Pad {
    uint32_t bits;
} Pad;
typedef struct Position {
    float x, y;
} Position;
typedef struct Velocity {
    float x, y;
} Velocity;
typedef struct Health {
    float points;
} Health;
KEEL_FIELDS(Position, x, y);
KEEL_FIELDS(Velocity, x, y);
KEEL_FIELDS(Health, points);
KEEL_COMPONENT(Position, KEEL_HAS_FIELDS(Position), .no_padding = true, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Velocity, KEEL_HAS_FIELDS(Velocity), .no_padding = true, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Health, KEEL_HAS_FIELDS(Health), .no_padding = true, .storage = KEEL_INDEXED);
typedef struct Gust {
    float x, y;
} Gust;
KEEL_UNIQUE(Gust, .no_padding = true);

static bool is_planted; // the machine that plays now computes something else

KEEL_SYSTEM_ONCE(blow, KEEL_UNIQUE_READ(keel_inputs, in), KEEL_UNIQUE_WRITE(Gust, gust)) {
    const uint32_t bits = keel_input_of(in, 0, Pad)->bits + keel_input_of(in, 1, Pad)->bits;
    gust->x = (float)(bits % 7) * 0.001F;
    gust->y = (float)(bits % 5) * 0.001F;
}
KEEL_SYSTEM(move, KEEL_WRITE(Position, p), KEEL_READ(Velocity, v)) {
    p->x += v->x;
    p->y += v->y;
}
KEEL_SYSTEM(drift, KEEL_WRITE(Velocity, v), KEEL_UNIQUE_READ(Gust, gust)) {
    v->x = v->x * 0.999F + gust->x;
    v->y = v->y * 0.999F + gust->y;
}
KEEL_SYSTEM(bounce, KEEL_READ(Position, p), KEEL_WRITE(Velocity, v)) {
    if (p->x < 0 || p->x > 1000) v->x = -v->x;
}
KEEL_SYSTEM(heal, KEEL_WRITE(Health, h)) { h->points = h->points < 100 ? h->points + 0.01F : 0; }
KEEL_SYSTEM_ONCE(plant, KEEL_UNIQUE_READ(keel_inputs, in), KEEL_WORLD(world)) {
    Health *h = is_planted && in->frame == 100
                    ? keel_get_mut(world, keel_entity_at(world, 77), Health)
                    : NULL;
    if (h) h->points += 1;
}
KEEL_WORKLOAD(frame, KEEL_STEP(blow), KEEL_STEP(drift), KEEL_STEP(move), KEEL_STEP(bounce),
              KEEL_STEP(heal));
KEEL_WORKLOAD(frame_and_plant, KEEL_NESTED(frame), KEEL_STEP(plant));

static double now_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static keel_world *world_of(uint32_t entities) {
    keel_world *w = keel_world_create(&(keel_world_desc){ .worker_count = 1 });
    keel_register(w, Position, Velocity, Health);
    keel_set_unique(w, Gust, { 0, 0 });
    for (uint32_t i = 0; i < entities; ++i)
        keel_add_entity(w, KEEL_INIT(Position, { (float)(i % 1000), (float)(i / 1000) }),
                        KEEL_INIT(Velocity, { (float)(i % 13) * 0.1F, 0 }),
                        KEEL_INIT(Health, { (float)(i % 100) }));
    return w;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
static double median(double *values, uint32_t count) {
    qsort(values, count, sizeof *values, by_size);
    return values[count / 2];
}

// ------------------------------------------------------------------ two machines
typedef struct pair {
    keel_loopback *net;
    keel_world *world[2];
    keel_session *session[2];
    double spent[2]; // seconds in the calls of each
    double worst;    // of one frame of the first
    keel_session_event difference;
} pair;

static keel_session *session_of(pair *p, uint32_t i, uint32_t check_every, uint32_t delay,
                                const keel_workload *step) {
    keel_error error = { 0 };
    const keel_session_desc desc = { .step = step,
                                     .input_size = sizeof(Pad),
                                     .players = 2,
                                     .start_players = i == 9 ? 1 : 2,
                                     .max_rollback = BACK + 2,
                                     .input_delay = delay,
                                     .check_every = check_every,
                                     .seed = 1,
                                     .error = &error,
                                     .transport = keel_loopback_transport(p->net, i % 8) };
    keel_session *s = keel_session_begin(p->world[i % 8], &desc);
    if (!s) {
        puts(error.message);
        exit(1);
    }
    return s;
}

static void pair_frame(pair *p, uint64_t t, bool changes) {
    keel_loopback_advance(p->net, 1.0 / 60);
    for (uint32_t i = 0; i < 2; ++i) {
        if (!p->session[i]) continue;
        is_planted = i == 1;
        const Pad pad = { changes ? (uint32_t)(t * 2654435761u >> 7) + i : 1 };
        const double begin = now_seconds();
        keel_session_poll(p->session[i]);
        (void)keel_session_give_input(p->session[i],
                                      keel_session_status_of(p->session[i]).local_player, &pad);
        (void)keel_session_advance(p->session[i], 1.0 / 60 + 1e-9);
        const double spent = now_seconds() - begin;
        p->spent[i] += spent;
        if (i == 0 && spent > p->worst) p->worst = spent;
        for (keel_session_event e; keel_session_next_event(p->session[i], &e);)
            if (e.kind == KEEL_SESSION_DIFFERS && strchr(e.text, '.') && i == 0) p->difference = e;
    }
}

static void pair_begin(pair *p, uint32_t first, uint32_t second, float delay_ms, float loss,
                       uint32_t check_every, uint32_t delay, const keel_workload *step) {
    *p = (pair){ .net = keel_loopback_create(&(keel_loopback_desc){
                     .peers = 8, .seed = 7, .delay_ms = delay_ms, .loss = loss }) };
    p->world[0] = world_of(first);
    p->world[1] = world_of(second);
    p->session[0] = session_of(p, 0, check_every, delay, step);
    p->session[1] = session_of(p, 1, check_every, delay, step);
    (void)keel_session_listen(p->session[0], 0);
    (void)keel_session_connect(p->session[1], "0", 0);
}

static void pair_end(pair *p) {
    for (uint32_t i = 0; i < 2; ++i) {
        keel_session_end(p->session[i]);
        keel_world_destroy(p->world[i]);
    }
    keel_loopback_destroy(p->net);
}

// Returns the milliseconds of a frame of the first machine. The second one has an empty world, so
// that hashes are not compared; `replayed` receives the frames that each frame played again.
static double time_session(pair *p, uint64_t *t, bool changes, double *replayed) {
    const keel_session_status before = keel_session_status_of(p->session[0]);
    p->spent[0] = 0;
    for (uint32_t i = 0; i < FRAMES; ++i)
        pair_frame(p, (*t)++, changes);
    const keel_session_status after = keel_session_status_of(p->session[0]);
    const double frames = (double)(after.frame - before.frame);
    *replayed = (double)(after.replayed - before.replayed) / frames;
    return p->spent[0] * 1000 / frames;
}

static double time_frames(keel_world *w) {
    const double begin = now_seconds();
    for (uint32_t i = 0; i < FRAMES; ++i)
        keel_run_workload(w, frame, .dt = 1.0 / 60);
    return (now_seconds() - begin) * 1000 / FRAMES;
}

static void rows_of(uint32_t entities, double goal) {
    keel_world *alone = world_of(entities);
    keel_set_unique(alone, keel_inputs, { .players = 2, .size = sizeof(Pad) });
    pair quiet, wild;
    const uint32_t never = 1u << 30;
    pair_begin(&quiet, entities, 0, 30, 0, never, 3, KEEL_WORKLOAD_OF(frame));
    pair_begin(&wild, entities, 0, (float)(BACK - 1) * 1000 / 60 + 5, 0, never,
               KEEL_SESSION_NO_DELAY, KEEL_WORKLOAD_OF(frame));
    uint64_t t = 0, u = 0;
    double times[3][ROUNDS], replayed[2] = { 0 };
    (void)time_session(&quiet, &t, false, &replayed[0]);
    (void)time_session(&wild, &u, true, &replayed[1]);
    for (uint32_t i = 0; i < ROUNDS; ++i) {
        times[0][i] = time_frames(alone);
        times[1][i] = time_session(&quiet, &t, false, &replayed[0]);
        times[2][i] = time_session(&wild, &u, true, &replayed[1]);
    }
    const double frame_alone = median(times[0], ROUNDS), nothing = median(times[1], ROUNDS),
                 all = median(times[2], ROUNDS);
    printf("%9u %10.4f %10.4f (%4.2f x) %10.4f (%.1f again; goal %.2f)\n", (unsigned)entities,
           frame_alone, nothing, nothing / frame_alone, all, replayed[1], goal);
    pair_end(&quiet);
    pair_end(&wild);
    keel_world_destroy(alone);
}

// ------------------------------------------------------------------ checks, bytes, packets
static void row_of_checks(void) {
    printf("\ncheck of a state in a ring that is taken each frame\n");
    for (uint32_t n = 1000; n <= 100000; n *= 10) {
        keel_world *w = world_of(n);
        keel_set_unique(w, keel_inputs, { .players = 2, .size = sizeof(Pad) });
        keel_ring *ring = keel_ring_create(w, 12);
        keel_snapshot *spare = keel_snapshot_create(w, "spare");
        double times[9];
        uint64_t f = 0, hash;
        for (uint32_t i = 0; i < 9; ++i) {
            for (uint32_t k = 0; k < 30; ++k) {
                (void)keel_ring_take(ring, f++);
                keel_run_workload(w, frame, .dt = 1.0 / 60);
            }
            const double begin = now_seconds();
            (void)keel_ring_exchange(ring, f - 5, &spare);
            (void)keel_snapshot_hash(spare, 0, &hash);
            times[i] = (now_seconds() - begin) * 1000;
        }
        printf("%9u %10.4f ms, one of 30 frames: %.4f ms a frame\n", (unsigned)n, median(times, 9),
               median(times, 9) / 30);
        keel_snapshot_destroy(spare);
        keel_ring_destroy(ring);
        keel_world_destroy(w);
    }
}

static void row_of_bytes(void) {
    pair p;
    pair_begin(&p, 1000, 1000, 100, 0.05F, 30, 2, KEEL_WORKLOAD_OF(frame));
    for (uint64_t t = 0; t < 600; ++t)
        pair_frame(&p, t / 9, true);
    const keel_session_status before = keel_session_status_of(p.session[0]);
    for (uint64_t t = 600; t < 4200; ++t)
        pair_frame(&p, t / 9, true);
    const keel_session_status after = keel_session_status_of(p.session[0]);
    const double bytes = (double)(after.bytes_sent - before.bytes_sent) / 60;
    const double packets = (double)(after.packets_sent - before.packets_sent) / 60;
    printf("\nto a peer, 60 frames a second, inputs of 4 bytes, 100 ms one way, 5 %% lost: %.0f "
           "bytes a second in "
           "%.0f packets (goal 1,500)\nwith some 40 bytes of ENet, UDP and IP each: %.0f (goal "
           "4,000)\n",
           bytes, packets, bytes + packets * 40);
    printf("checked %llu of %llu frames, %llu played again\n", (unsigned long long)after.checked,
           (unsigned long long)after.frame, (unsigned long long)after.replayed);
    pair_end(&p);
}

static void row_of_packets(void) {
    static packet p, q;
    unsigned char bytes[PACKET_INPUT_BYTES];
    p = (packet){ .type = PACKET_INPUT,
                  .session = 1,
                  .frame = 1000,
                  .known_count = 2,
                  .known = { 1000, 990 },
                  .block_count = 1 };
    p.blocks[0] = (packet_block){ .first = 988, .count = 14 };
    for (uint32_t i = 0; i < 14 * 4; ++i)
        p.inputs[i] = (unsigned char)(i / 12);
    size_t size = 0;
    const uint32_t rounds = 1000000;
    double begin = now_seconds();
    for (uint32_t i = 0; i < rounds; ++i)
        size = keeli_packet_write(&p, bytes, sizeof bytes, 4);
    const double write = (now_seconds() - begin) * 1e6 / rounds;
    uint32_t read_count = 0;
    begin = now_seconds();
    for (uint32_t i = 0; i < rounds; ++i)
        read_count += keeli_packet_read(&q, bytes, size, 4, 1000);
    const double read = (now_seconds() - begin) * 1e6 / rounds;
    printf("\npacket of 14 inputs of 4 bytes, %zu bytes: written in %.3f us (goal 1), read in %.3f "
           "us (goal 0.5)%s\n",
           size, write, read, read_count == rounds ? "" : ": NOT VALID");
}

// ------------------------------------------------------------------ differences, joining
static void row_of_differences(void) {
    pair p;
    pair_begin(&p, 1000, 1000, 100, 0, 30, 2, KEEL_WORKLOAD_OF(frame_and_plant));
    uint64_t t = 0;
    while (!p.difference.kind && t < 6000)
        pair_frame(&p, t++, true);
    const keel_session_status status = keel_session_status_of(p.session[0]);
    printf("\na difference: %s\n%.2f s after frame %llu was played (goal 1 s after the check; "
           "checks are 0.5 s apart)\n",
           p.difference.text, (double)(status.frame - p.difference.frame) / 60,
           (unsigned long long)p.difference.frame);
    pair_end(&p);
}

static void row_of_joining(void) {
    const uint32_t entities = 10000;
    pair p = { .net = keel_loopback_create(&(keel_loopback_desc){ .peers = 8, .seed = 7 }) };
    p.world[0] = world_of(entities);
    p.world[1] = world_of(0);
    p.session[0] = session_of(&p, 0, 30, 2, KEEL_WORKLOAD_OF(frame));
    keel_session_end(p.session[0]);
    keel_loopback_destroy(p.net);
    p.net = keel_loopback_create(&(keel_loopback_desc){ .peers = 8, .seed = 7, .delay_ms = 0 });
    keel_error error = { 0 };
    const keel_session_desc desc = { .step = KEEL_WORKLOAD_OF(frame),
                                     .input_size = sizeof(Pad),
                                     .players = 2,
                                     .start_players = 1,
                                     .seed = 1,
                                     .error = &error,
                                     .transport = keel_loopback_transport(p.net, 0) };
    p.session[0] = keel_session_begin(p.world[0], &desc);
    (void)keel_session_listen(p.session[0], 0);
    uint64_t t = 0;
    for (; t < 300; ++t)
        pair_frame(&p, t, true);
    p.worst = 0;
    for (; t < 600; ++t)
        pair_frame(&p, t, true);
    const double worst = p.worst * 1000;
    p.worst = 0;
    p.session[1] = session_of(&p, 1, 30, 2, KEEL_WORKLOAD_OF(frame));
    (void)keel_session_connect(p.session[1], "0", 0);
    const uint64_t begin = t;
    while (!keel_session_status_of(p.session[1]).is_playing && t < begin + 6000)
        pair_frame(&p, t++, true);
    printf("\nto join a game of %u entities: %.2f s, then %.2f s until the player's input counts "
           "(goal 1 s); worst frame of "
           "the other: %.2f ms, before it %.2f ms (goal + 0.5)\n",
           (unsigned)entities, (double)(t - begin) / 60, 0.5, p.worst * 1000, worst);
    pair_end(&p);
}

int main(void) {
    printf("ms a frame; all in it; frames alone, a session with nothing wrong, and one in which "
           "each frame goes back\n");
    printf(" entities      alone          nothing wrong       all wrong\n");
    rows_of(1000, 0.08);
    rows_of(10000, 0.5);
    rows_of(100000, 4.5);
    row_of_checks();
    row_of_bytes();
    row_of_packets();
    row_of_differences();
    row_of_joining();
    return 0;
}
