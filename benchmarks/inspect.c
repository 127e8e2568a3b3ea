// SPDX-License-Identifier: MIT
// Measures what the inspector costs: frames of the same program without it, with it and nobody
// there, and with pages that ask, in turns in one run. It prints the distribution of the times of
// frames and updates, and how long answers take. Called by make bench-inspect.
#define _POSIX_C_SOURCE 200809L
#include <keel_inspect.h>

#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_SAMPLES = 1 << 16, ROUNDS = 3 };
static const uint64_t second = 1000000000;
static const char token[] = "benchmark-benchmark-benchmark-benchmark";

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
KEEL_COMPONENT(Position, KEEL_HAS_FIELDS(Position), .storage = KEEL_INDEXED);
KEEL_COMPONENT(Velocity, KEEL_HAS_FIELDS(Velocity), .storage = KEEL_INDEXED);
KEEL_COMPONENT(Health, KEEL_HAS_FIELDS(Health), .storage = KEEL_INDEXED);

KEEL_SYSTEM(move, KEEL_WRITE(Position, p), KEEL_READ(Velocity, v)) {
    p->x += v->x;
    p->y += v->y;
}
KEEL_SYSTEM(bounce, KEEL_READ(Position, p), KEEL_WRITE(Velocity, v)) {
    if (p->x < 0 || p->x > 1000) v->x = -v->x;
}
KEEL_SYSTEM(heal, KEEL_WRITE(Health, h)) { h->points = h->points < 100 ? h->points + 0.01F : 0; }
KEEL_WORKLOAD(frame, KEEL_STEP(move), KEEL_STEP(bounce), KEEL_STEP(heal));

typedef enum bench_case {
    NONE,
    NOBODY,
    STREAM,
    ENTITY,
    QUERY,
    COUNT,
    PAST,
    OPEN_PAGE,
    CASES
} bench_case;
static const char *const case_names[] = { "without the inspector",
                                          "nobody looks",
                                          "stream: world, times, one entity, 30 a second",
                                          "an entity asked 60 times a second",
                                          "query with a comparison, 10 a second",
                                          "the same, all counted",
                                          "a past of 60 frames",
                                          "the page opened twice a second" };

// Times, in nanoseconds, of which the distribution is printed.
typedef struct samples {
    uint64_t items[MAX_SAMPLES];
    uint32_t count;
} samples;
static samples frames[CASES], updates[CASES], cpu[CASES], answers[CASES];

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * second + (uint64_t)now.tv_nsec;
}

// The time that this thread has run: without what other programs took from it.
static uint64_t cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * second + (uint64_t)now.tv_nsec;
}

static void wait_until(uint64_t time) {
    const struct timespec until = { (time_t)(time / second), (long)(time % second) };
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0) {}
}

static void note(samples *s, uint64_t nanoseconds) {
    if (s->count < MAX_SAMPLES) s->items[s->count++] = nanoseconds;
}

static int compare(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static double quantile(samples *s, double q) {
    if (!s->count) return 0;
    qsort(s->items, s->count, sizeof *s->items, compare);
    return (double)s->items[(uint32_t)((double)(s->count - 1) * q)] / 1000;
}

// ------------------------------------------------------------------ the page
typedef struct client {
    bench_case what;
    const char *url;
    atomic_bool ends;
    uint32_t entities;
    char next[64]; // the `next` of an answer
    size_t length;
    char answer[1 << 20];
} client;

static size_t client_keep(char *bytes, size_t size, size_t count, void *context) {
    client *c = context;
    const size_t all = size * count, room = sizeof c->answer - 1 - c->length,
                 kept = all < room ? all : room;
    memcpy(c->answer + c->length, bytes, kept);
    c->length += kept;
    c->answer[c->length] = '\0';
    return atomic_load(&c->ends) ? 0 : all;
}

static bool client_ask(CURL *curl, client *c, const char *path) {
    char url[512];
    snprintf(url, sizeof url, "%.*s%s", (int)strcspn(c->url, "#"), c->url, path);
    c->length = 0;
    c->answer[0] = '\0';
    curl_easy_setopt(curl, CURLOPT_URL, url);
    return curl_easy_perform(curl) == CURLE_OK;
}

// Asks until the query has looked at everything, as the page does.
static void client_query(CURL *curl, client *c, bool counts) {
    char path[256], after[80] = "";
    for (int i = 0; i < 1000 && !atomic_load(&c->ends); ++i) {
        snprintf(path, sizeof path, "api/v1/query?text=Health.points%%20%%3C%%2010&limit=20%s%s",
                 counts ? "&count=1" : "", after);
        if (!client_ask(curl, c, path)) return;
        const char *next = strstr(c->answer, "\"next\":\"");
        if (!counts || !next) return;
        snprintf(after, sizeof after, "&after=%.*s", (int)strcspn(next + 8, "\""), next + 8);
    }
}

static void client_once(CURL *curl, client *c) {
    switch (c->what) {
    case STREAM:
        client_ask(curl, c, "api/v1/stream?entity=17v0&every=33");
        break;
    case ENTITY:
        client_ask(curl, c, "api/v1/entity/17v0");
        break;
    case QUERY:
        client_query(curl, c, false);
        break;
    case COUNT:
        client_query(curl, c, true);
        break;
    case OPEN_PAGE:
        client_ask(curl, c, "");
        client_ask(curl, c, "api/v1/world");
        client_ask(curl, c, "api/v1/entities?parent=none");
        client_ask(curl, c, "api/v1/systems");
        client_ask(curl, c, "api/v1/workload");
        client_ask(curl, c, "api/v1/frames");
        break;
    case NONE:
    case NOBODY:
    case PAST:
    case CASES:
    default:
        break;
    }
}

static void *client_run(void *context) {
    static const double rates[CASES] = {
        [STREAM] = 30, [ENTITY] = 60, [QUERY] = 10, [COUNT] = 2, [OPEN_PAGE] = 2
    };
    client *c = context;
    char header[128];
    CURL *curl = curl_easy_init();
    snprintf(header, sizeof header, "X-Keel-Token: %s", token);
    struct curl_slist *headers = curl_slist_append(NULL, header);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, client_keep);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, c);
    while (!atomic_load(&c->ends)) {
        const uint64_t begin = now_ns();
        client_once(curl, c);
        if (c->what != STREAM) note(&answers[c->what], now_ns() - begin);
        wait_until(begin + (uint64_t)(1e9 / rates[c->what]));
    }
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    return NULL;
}

// ------------------------------------------------------------------ the program
static keel_world *make_world(uint32_t entities) {
    keel_world *world = keel_world_create(NULL);
    for (uint32_t i = 0; i < entities; ++i)
        keel_add_entity(world, KEEL_INIT(Position, (float)(i % 1000), 1), KEEL_INIT(Velocity, 1, 1),
                        KEEL_INIT(Health, (float)(i % 100)));
    return world;
}

// Runs frames at 60 a second, and notes the time of each: the inspector's part and the whole.
static void run_frames(keel_world *world, keel_inspect *inspect, bench_case what, double seconds) {
    const uint64_t step = second / 60, begin = now_ns();
    for (uint64_t i = 0; (double)(now_ns() - begin) < seconds * 1e9; ++i) {
        const uint64_t run_before = cpu_ns(), start = now_ns();
        const bool runs = keel_inspect_update(inspect);
        const uint64_t between = now_ns(), run_after = cpu_ns();
        const uint64_t run_work = now_ns();
        if (runs) keel_run_workload(world, frame);
        const uint64_t end = now_ns();
        note(&updates[what], between - start);
        note(&cpu[what], run_after - run_before);
        note(&frames[what], (between - start) + (end - run_work));
        wait_until(begin + (i + 1) * step);
    }
}

static bool run_case(bench_case what, uint32_t entities, double seconds) {
    static client c;
    pthread_t thread;
    keel_error error;
    keel_world *world = make_world(entities);
    keel_inspect *inspect = NULL;
    const keel_inspect_desc desc = { .workload = &KEEL_WORKLOAD_frame,
                                     .token = token,
                                     .quiet = true,
                                     .past = what == PAST ? 60 : 0,
                                     .past_bytes = (size_t)2 << 30 };
    if (what != NONE && !(inspect = keel_inspect_begin(world, &desc, &error))) {
        fprintf(stderr, "bench-inspect: %s\n", error.message);
        keel_world_destroy(world);
        return false;
    }
    const bool asks = what != NONE && what != NOBODY && what != PAST;
    c.what = what;
    c.url = keel_inspect_url(inspect);
    c.entities = entities;
    atomic_store(&c.ends, false);
    if (asks) pthread_create(&thread, NULL, client_run, &c);
    run_frames(world, inspect, what, seconds);
    atomic_store(&c.ends, true);
    for (int i = 0; asks && i < 60; ++i) { // answers that are under way
        keel_inspect_update(inspect);
        wait_until(now_ns() + second / 100);
    }
    if (asks) pthread_join(thread, NULL);
    keel_inspect_end(inspect);
    keel_world_destroy(world);
    return true;
}

// The cost of a call while nobody looks, in a loop.
static double idle_cost(void) {
    enum { CALLS = 1000000 };
    double best = 1e9;
    keel_world *world = make_world(1000);
    keel_inspect *inspect = keel_inspect_begin(
        world,
        &(keel_inspect_desc){ .workload = &KEEL_WORKLOAD_frame, .token = token, .quiet = true },
        NULL);
    for (int round = 0; round < 5; ++round) {
        const uint64_t begin = now_ns();
        for (int i = 0; i < CALLS; ++i)
            keel_inspect_update(inspect);
        const double each = (double)(now_ns() - begin) / CALLS;
        best = each < best ? each : best;
    }
    keel_inspect_end(inspect);
    keel_world_destroy(world);
    return best;
}

static double mean(const samples *s) {
    double sum = 0;
    for (uint32_t i = 0; i < s->count; ++i)
        sum += (double)s->items[i];
    return s->count ? sum / s->count / 1000 : 0;
}

static void print_rows(uint32_t entities) {
    const double plain = quantile(&frames[NONE], 0.5);
    printf("%u entities, three systems, 60 frames a second; microseconds\n\n", (unsigned)entities);
    printf("%-46s|%31s |%31s |%9s |%17s\n", "", "a frame: median   99%   worst",
           "update: mean  median   worst", "its CPU:", "answer: median");
    printf("%-46s|%14s %8s %8s |%14s %7s %8s |%9s |%9s %7s\n", "", "", "", "ratio", "", "", "",
           "worst", "", "worst");
    for (int i = 0; i < CASES; ++i) {
        samples *f = &frames[i], *u = &updates[i], *a = &answers[i];
        printf("%-46s|%8.0f %6.0f %6.0f %6.3fx |%14.1f %7.1f %8.1f |%9.1f |", case_names[i],
               quantile(f, 0.5), quantile(f, 0.99), quantile(f, 1), quantile(f, 0.5) / plain,
               mean(u), quantile(u, 0.5), quantile(u, 1), quantile(&cpu[i], 1));
        if (a->count) printf("%9.0f %7.0f", quantile(a, 0.5), quantile(a, 1));
        printf("\n");
    }
}

int main(int argc, char **argv) {
    const double seconds = argc > 1 ? atof(argv[1]) : 4;
    const uint32_t entities = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 100000;
    if (seconds <= 0 || !entities) {
        fprintf(stderr, "usage: bench_inspect [SECONDS_OF_A_CASE [ENTITIES]]\n");
        return 2;
    }
    curl_global_init(CURL_GLOBAL_DEFAULT);
    printf("keel_inspect_update while nobody looks: %.1f ns\n", idle_cost());
    for (int round = 0; round < ROUNDS; ++round)
        for (int i = 0; i < CASES; ++i)
            if (!run_case((bench_case)i, entities, seconds / ROUNDS)) return 1;
    print_rows(entities);
    curl_global_cleanup();
    return 0;
}
