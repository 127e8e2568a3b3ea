// SPDX-License-Identifier: MIT
// The swarm without a window.
#include "headless.h"
#include "flock.h"
#include "measure.h"
#include <stdio.h>

enum { WIDTH = 1920, HEIGHT = 1080, USUAL_BOIDS = 100000 };

// What a run is made of, and what comes out.
typedef struct run {
    keel_world *world;
    flock flock;
    measure measure;
    uint64_t hash;
} run;

static bool complain(const run *r, const char *what) {
    const char *why = r->world ? keel_last_error(r->world)->message : "";
    fprintf(stderr, "swarm: %s%s%s\n", what, *why ? ": " : ": no memory; take fewer boids", why);
    return false;
}

// Runs all frames with so many threads. Returns false after it has printed why not.
static bool run_frames(run *r, const options *o, uint32_t threads) {
    r->world = keel_world_create(&(keel_world_desc){ .name = "swarm", .worker_count = threads });
    if (!r->world) return complain(r, "there is no world");
    const uint32_t boids = o->boids ? o->boids : USUAL_BOIDS;
    if (flock_begin(r->world, &r->flock, boids, o->seed, WIDTH, HEIGHT) < 0) return complain(r, "the boids were not made");
    if (!measure_begin(&r->measure, r->world, o->frames)) return complain(r, "times are not kept");
    for (uint32_t i = 0; i < o->frames; ++i) {
        const double begin = measure_now();
        if (flock_run(r->world) < 0) return complain(r, "a frame failed");
        measure_frame(&r->measure, r->world, (float)(measure_now() - begin));
    }
    if (keel_world_hash(r->world, &r->hash) < 0) return complain(r, "there is no hash");
    return true;
}

static void run_end(run *r) {
    measure_end(&r->measure);
    keel_world_destroy(r->world);
    flock_free(&r->flock);
}

int headless_run(const options *o) {
    run r = { 0 };
    const bool done = run_frames(&r, o, o->threads);
    if (done) {
        printf("%u boids, %u frames\n", (unsigned)r.flock.count, (unsigned)o->frames);
        measure_print(&r.measure);
        if (o->hash) printf("hash 0x%016llx\n", (unsigned long long)r.hash);
    }
    run_end(&r);
    return done ? 0 : 1;
}

int headless_compare(const options *o) {
    run one = { 0 }, all = { 0 };
    int status = 1;
    if (run_frames(&one, o, 1) && run_frames(&all, o, o->threads)) {
        const float slow = measure_part(&one.measure.frame, o->frames, 0.5f);
        const float fast = measure_part(&all.measure.frame, o->frames, 0.5f);
        const bool same = one.hash == all.hash;
        printf("%u boids, %u frames, median of a frame\n", (unsigned)one.flock.count, (unsigned)o->frames);
        printf("one thread   %8.3f ms   hash 0x%016llx\n", (double)slow, (unsigned long long)one.hash);
        printf("all threads  %8.3f ms   hash 0x%016llx\n", (double)fast, (unsigned long long)all.hash);
        printf("ratio %.2f, results are %s\n", (double)(slow / fast), same ? "equal" : "NOT equal");
        status = same ? 0 : 1;
    }
    run_end(&one);
    run_end(&all);
    return status;
}
