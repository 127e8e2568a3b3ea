// SPDX-License-Identifier: MIT
// The swarm without a window.
#include "headless.h"
#include "flock.h"
#include "inspected.h"
#include "measure.h"
#include <stdio.h>

enum { WIDTH = 1920, HEIGHT = 1080, USUAL_BOIDS = 100000 };

// What a run is made of, and what comes out.
typedef struct run {
    keel_world *world;
    flock flock;
    measure measure;
    inspected inspected;
    uint64_t hash;
} run;

static bool complain(const run *r, const char *what) {
    const char *why = r->world ? keel_last_error(r->world)->message : "";
    fprintf(stderr, "swarm: %s%s%s\n", what, *why ? ": " : ": no memory; take fewer boids", why);
    return false;
}

// Makes a swarm that runs on so many threads. Returns false after it has printed why not.
static bool run_begin(run *r, const options *o, uint32_t threads) {
    r->world = keel_world_create(&(keel_world_desc){ .name = "swarm", .worker_count = threads });
    if (!r->world) return complain(r, "there is no world");
    const uint32_t boids = o->boids ? o->boids : USUAL_BOIDS;
    if (flock_begin(r->world, &r->flock, boids, o->seed, WIDTH, HEIGHT) < 0) return complain(r, "the boids were not made");
    return measure_begin(&r->measure, r->world, o->frames) || complain(r, "times are not kept");
}

static bool run_frame(run *r) {
    const double begin = measure_now();
    if (flock_run(r->world) < 0) return complain(r, "a frame failed");
    measure_frame(&r->measure, r->world, (float)(measure_now() - begin));
    return true;
}

static bool run_hash(run *r) { return keel_world_hash(r->world, &r->hash) >= 0 || complain(r, "there is no hash"); }

static bool run_frames(run *r, uint32_t frames) {
    for (uint32_t i = 0; i < frames; ++i)
        if (!run_frame(r)) return false;
    return true;
}

// Runs frames until somebody stops the program, 60 in a second, except while the page has paused them.
static bool run_inspected(run *r, bool edits) {
    r->inspected = (inspected){ .program = "swarm", .workload = &KEEL_WORKLOAD_flock_frame, .edits = edits };
    if (!inspected_begin(&r->inspected, r->world)) return false;
    while (inspected_wait())
        if (inspected_update(&r->inspected) && !run_frame(r)) return false;
    return true;
}

static void run_end(run *r) {
    inspected_end(&r->inspected);
    measure_end(&r->measure);
    keel_world_destroy(r->world);
    flock_free(&r->flock);
}

int headless_run(const options *o) {
    run r = { 0 };
    bool good = run_begin(&r, o, o->threads);
    good = good && (o->inspect ? run_inspected(&r, o->inspect_edits) : run_frames(&r, o->frames));
    good = good && run_hash(&r);
    if (good) {
        printf("%u boids, %u frames\n", (unsigned)r.flock.count, (unsigned)r.measure.frames);
        measure_print(&r.measure);
        if (o->hash) printf("hash 0x%016llx\n", (unsigned long long)r.hash);
    }
    run_end(&r);
    return good ? 0 : 1;
}

static void print_times(const char *name, run *r, uint32_t frames) {
    measure_row *row = &r->measure.frame;
    printf("%-12s %9.3f ms %9.3f ms   0x%016llx\n", name, (double)measure_part(row, frames, 0.1f),
           (double)measure_part(row, frames, 0.5f), (unsigned long long)r->hash);
}

static int print_comparison(run *one, run *all, uint32_t frames) {
    const float slow = measure_part(&one->measure.frame, frames, 0.1f), fast = measure_part(&all->measure.frame, frames, 0.1f);
    const bool same = one->hash == all->hash;
    printf("%u boids, %u frames\n", (unsigned)one->flock.count, (unsigned)frames);
    printf("%-12s %12s %12s   %s\n", "", "fastest 10 %", "median", "hash");
    print_times("one thread", one, frames);
    print_times("all threads", all, frames);
    printf("ratio %.2f (of the fastest), results are %s\n", (double)(slow / fast), same ? "equal" : "NOT equal");
    return same ? 0 : 1;
}

// Both take turns, so that whatever else the machine does troubles both.
int headless_compare(const options *o) {
    run one = { 0 }, all = { 0 };
    bool good = run_begin(&one, o, 1) && run_begin(&all, o, o->threads);
    for (uint32_t i = 0; good && i < o->frames; ++i)
        good = run_frame(&one) && run_frame(&all);
    good = good && run_hash(&one) && run_hash(&all);
    const int status = good ? print_comparison(&one, &all, o->frames) : 1;
    run_end(&one);
    run_end(&all);
    return status;
}
