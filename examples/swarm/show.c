// SPDX-License-Identifier: MIT
// A swarm with its picture.
#include "show.h"
#include <stdio.h>
#include <string.h>

enum { PLANE_HEIGHT = 1080 }; // the width follows the shape of the picture

static bool complain(const show *s, const char *what) {
    const char *why = s->world ? keel_last_error(s->world)->message : "";
    fprintf(stderr, "swarm: %s%s%s\n", what, *why ? ": " : ": no memory; take fewer boids or a smaller picture", why);
    return false;
}

static float plane_width(uint32_t width, uint32_t height) { return PLANE_HEIGHT * (float)width / (float)height; }

static keel_world *make_world(uint32_t threads) {
    return keel_world_create(&(keel_world_desc){ .name = "swarm", .worker_count = threads });
}

bool show_begin(show *s, const options *o, uint32_t boids, uint32_t threads) {
    memset(s, 0, sizeof *s);
    s->seed = o->seed;
    s->state = (panel_state){ .boids = boids, .threads = threads, .slider = true };
    if (!picture_resize(&s->picture, o->width, o->height)) return complain(s, "the picture was not made");
    s->world = make_world(threads);
    if (!s->world) return complain(s, "there is no world");
    const float width = plane_width(o->width, o->height);
    if (flock_begin(s->world, &s->flock, boids, o->seed, width, PLANE_HEIGHT) < 0) return complain(s, "the boids were not made");
    if (!measure_begin(&s->measure, s->world, 0)) return complain(s, "times are not kept");
    s->inspected = (inspected){ .program = "swarm", .workload = &KEEL_WORKLOAD_flock_frame, .edits = o->inspect_edits };
    return !o->inspect || inspected_begin(&s->inspected, s->world);
}

// Runs the frame, unless somebody has paused the swarm here or on the page of the inspector.
static bool move_boids(show *s) {
    s->moved = inspected_update(&s->inspected) && !s->state.paused;
    return !s->moved || flock_run(s->world) >= 0 || complain(s, "a frame failed");
}

bool show_frame(show *s) {
    const double begin = measure_now();
    if (!move_boids(s)) return false;
    s->picture.still = !s->moved && s->drawn;
    s->drawn = true;
    if (picture_draw(s->world, &s->picture) < 0) return complain(s, "the picture was not drawn");
    measure_frame(&s->measure, s->world, (float)(measure_now() - begin));
    return true;
}

bool show_set_count(show *s, uint32_t boids) {
    if (boids == s->state.boids) return true;
    if (flock_set_count(s->world, boids, s->seed) < 0) return complain(s, "the number of boids did not change");
    s->state.boids = boids;
    return true;
}

// A world has its threads for life. Another one gets a copy of all that is in it.
bool show_set_threads(show *s, uint32_t threads) {
    if (threads == s->state.threads) return true;
    keel_world *other = make_world(threads);
    if (!other) return complain(s, "the number of threads did not change");
    if (keel_copy_world(s->world, other) < 0 || keel_set_unique(other, Flock, { &s->flock }) < 0) {
        keel_world_destroy(other);
        return complain(s, "the number of threads did not change");
    }
    const bool is_inspected = s->inspected.server != NULL;
    inspected_end(&s->inspected);
    keel_world_destroy(s->world);
    s->world = other;
    s->state.threads = threads;
    measure_end(&s->measure);
    if (!measure_begin(&s->measure, s->world, 0)) return complain(s, "times are not kept");
    return !is_inspected || inspected_begin(&s->inspected, s->world);
}

bool show_set_size(show *s, uint32_t width, uint32_t height) {
    if (width == s->picture.width && height == s->picture.height) return true;
    if (!picture_resize(&s->picture, width, height)) return complain(s, "the picture did not change its size");
    s->drawn = false;
    return flock_set_size(s->world, plane_width(width, height), PLANE_HEIGHT) >= 0 ||
           complain(s, "the plane did not change its size");
}

void show_end(show *s) {
    inspected_end(&s->inspected);
    measure_end(&s->measure);
    keel_world_destroy(s->world);
    flock_free(&s->flock);
    picture_free(&s->picture);
}
