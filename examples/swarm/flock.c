// SPDX-License-Identifier: MIT
// The swarm: how it is made, and the systems of a frame. Each system says what it reads and writes; Keel makes the order of it.
#include "flock.h"
#include "steer.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the frame ----------------------------------------------------------------------------------

KEEL_SYSTEM_ONCE(tick, KEEL_UNIQUE_WRITE(Clock, clock)) { ++clock->frame; }

// Returns the next number of a sequence (xorshift).
static uint32_t random_of(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static float part_of_one(uint32_t random) { return (float)(random >> 8) * (1.0f / 16777216.0f); }

// Moves each hunter towards its goal, and chooses another goal when it is there.
KEEL_SYSTEM(hunt, KEEL_WRITE(Position, p), KEEL_WRITE(Hunter, hunter), KEEL_UNIQUE_READ(Space, space)) {
    const float dx = hunter->to_x - p->x, dy = hunter->to_y - p->y, way = sqrtf(dx * dx + dy * dy);
    const float step = 2.6f;
    if (way <= step) {
        hunter->to_x = part_of_one(random_of(&hunter->random)) * space->width;
        hunter->to_y = part_of_one(random_of(&hunter->random)) * space->height;
        return;
    }
    p->x += dx * (step / way);
    p->y += dy * (step / way);
}

// Makes room for all boids of the frame in its arrays.
static bool flock_reserve(flock *f, uint32_t count) {
    f->count = count;
    if (count <= f->room) return true;
    float **const arrays[] = { &f->x, &f->y, &f->vx, &f->vy, &f->near_vx, &f->near_vy, &f->push_x, &f->push_y };
    f->room = 0;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        free(*arrays[i]);
        *arrays[i] = malloc(count * sizeof **arrays[i]);
        if (!*arrays[i]) return false;
    }
    f->room = count;
    return true;
}

static void copy_boids(const keel_span *span, const keel_piece *piece, void *data) {
    flock *f = data;
    const Position *p = keel_span_read(span, Position);
    const Velocity *v = keel_span_read(span, Velocity);
    const Boid *boid = keel_span_read(span, Boid);
    (void)piece;
    for (uint32_t i = 0; i < span->count; ++i) {
        const uint32_t number = boid[i].number;
        f->x[number] = p[i].x;
        f->y[number] = p[i].y;
        f->vx[number] = v[i].x;
        f->vy[number] = v[i].y;
    }
}

// Copies where boids fly into the order of the grid, where steer reads it.
static void copy_ways(uint32_t begin, uint32_t end, const keel_piece *piece, void *data) {
    flock *f = data;
    (void)piece;
    for (uint32_t place = begin; place < end; ++place) {
        const uint32_t number = f->grid.order[place];
        f->near_vx[place] = f->vx[number];
        f->near_vy[place] = f->vy[number];
    }
}

// The grid knows nothing of Keel: this is a loop of Keel in the form that it takes.
typedef struct grid_job {
    grid_piece *piece;
    void *data;
} grid_job;

static void run_grid_piece(uint32_t begin, uint32_t end, const keel_piece *piece, void *data) {
    const grid_job *job = data;
    (void)piece;
    job->piece(begin, end, job->data);
}

// If memory is missing for the loop, all pieces run here. `context` is the context of the system.
static void grid_on_workers(uint32_t count, uint32_t grain, grid_piece *piece, void *data, void *context) {
    grid_job job = { piece, data };
    if (keel_parallel_for((keel_context *)context, count, grain, run_grid_piece, &job) < 0) piece(0, count, data);
}

static void add_threat(flock *f, float x, float y, float push) {
    if (f->threat_count < HUNTERS + 1) f->threats[f->threat_count++] = (threat){ x, y, push };
}

// Copies all boids into arrays, and sorts them into the grid.
KEEL_SYSTEM_ONCE(fill_grid, KEEL_UNIQUE_WRITE(Flock, arrays), KEEL_UNIQUE_READ(Space, space), KEEL_UNIQUE_READ(Pointer, pointer),
                 KEEL_VIEW(boids, KEEL_READ(Position, p), KEEL_READ(Velocity, v), KEEL_READ(Boid, boid)),
                 KEEL_MAY_READ(Position, Hunter), KEEL_CONTEXT(context)) {
    flock *f = arrays->now;
    if (!flock_reserve(f, keel_view_count(boids)) || keel_view_parallel_for(boids, copy_boids, f) < 0) {
        keel_fail(context, NULL, "no memory for %u boids: take fewer", (unsigned)f->count);
        return;
    }
    const grid_area area = { 0, 0, space->width, space->height, space->sight };
    const grid_result result = grid_build(&f->grid, &area, f->count, f->x, f->y, grid_on_workers, context);
    if (result != GRID_OK || keel_parallel_for(context, f->count, 8192, copy_ways, f) < 0) {
        keel_fail(context, NULL, "%s", grid_explain(result != GRID_OK ? result : GRID_NO_MEMORY));
        return;
    }
    f->threat_count = 0;
    KEEL_EACH(context, KEEL_READ(Position, p), KEEL_WITH(Hunter))
        add_threat(f, p->x, p->y, 0.5f);
    if (pointer->pull > 0 || pointer->pull < 0) add_threat(f, pointer->x, pointer->y, -0.4f * pointer->pull);
}

typedef struct steer_job {
    flock *flock;
    const Space *space;
    uint32_t frame;
} steer_job;

static void steer_piece(uint32_t begin, uint32_t end, const keel_piece *piece, void *data) {
    const steer_job *job = data;
    (void)piece;
    steer_rows(job->flock, job->space, job->frame, begin, end);
}

// Looks at the neighbours of all boids, row by row of the grid. A row is a piece for a worker.
KEEL_SYSTEM_ONCE(steer, KEEL_UNIQUE_WRITE(Flock, arrays), KEEL_UNIQUE_READ(Space, space), KEEL_UNIQUE_READ(Clock, clock),
                 KEEL_CONTEXT(context)) {
    steer_job job = { arrays->now, space, clock->frame };
    if (keel_parallel_for(context, arrays->now->grid.rows, 1, steer_piece, &job) < 0)
        keel_fail(context, NULL, "no memory for a parallel loop");
}

// Applies what steer found. A boid never stops, and never flies faster than all.
KEEL_SYSTEM_SPAN(move, KEEL_SPAN_COUNT(n), KEEL_WRITE(Position, p), KEEL_WRITE(Velocity, v), KEEL_READ(Boid, boid),
                 KEEL_UNIQUE_READ(Flock, arrays), KEEL_UNIQUE_READ(Space, space)) {
    const float *push_x = arrays->now->push_x, *push_y = arrays->now->push_y;
    const float fastest = space->speed, slowest = 0.55f * fastest;
    for (uint32_t i = 0; i < n; ++i) {
        float x = v[i].x + push_x[boid[i].number], y = v[i].y + push_y[boid[i].number];
        const float speed = sqrtf(x * x + y * y);
        const float wanted = speed > fastest ? fastest : speed < slowest ? slowest : speed;
        const float change = speed > 0 ? wanted / speed : 0;
        x = speed > 0 ? x * change : slowest; // whoever stands still starts to the right
        y *= change;
        v[i] = (Velocity){ x, y };
        p[i].x += x;
        p[i].y += y;
    }
}

// Brings back at the other side what left the plane.
KEEL_SYSTEM_SPAN(wrap, KEEL_SPAN_COUNT(n), KEEL_WRITE(Position, p), KEEL_WITH(Boid), KEEL_UNIQUE_READ(Space, space)) {
    const float width = space->width, height = space->height;
    for (uint32_t i = 0; i < n; ++i) {
        float x = p[i].x, y = p[i].y;
        x = x < 0 ? x + width : x >= width ? x - width : x;
        y = y < 0 ? y + height : y >= height ? y - height : y;
        p[i].x = x >= 0 && x < width ? x : 0; // after a resize it may be further away
        p[i].y = y >= 0 && y < height ? y : 0;
    }
}

KEEL_WORKLOAD(flock_frame, KEEL_STEP(tick), KEEL_STEP(hunt), KEEL_STEP(fill_grid), KEEL_STEP(steer),
              KEEL_STEP(move, .parallel = true), KEEL_STEP(wrap, .parallel = true));

keel_result flock_run(keel_world *world) { return keel_run_workload(world, flock_frame); }

// ---- making it ----------------------------------------------------------------------------------

// Returns a number that looks random, of a seed, the number of an entity, and which of its values it is for.
static uint32_t scramble(uint32_t seed, uint32_t number, uint32_t which) {
    uint32_t bits = seed * 0x9E3779B1u ^ number * 0x85EBCA77u ^ which * 0xC2B2AE3Du;
    bits = (bits ^ (bits >> 15)) * 0x2C1B3C6Du;
    bits = (bits ^ (bits >> 12)) * 0x297A2D39u;
    return bits ^ (bits >> 15);
}

// Chooses how far boids see, so that each has some five neighbours while they are spread evenly, and how fast they fly.
static void adapt(Space *space, uint32_t count) {
    const float most = space->width < space->height ? space->width * 0.25f : space->height * 0.25f;
    const float sight = 2.2f * sqrtf(space->width * space->height / (float)count);
    space->sight = sight < most ? sight : most;
    space->speed = 1.2f + 0.06f * space->sight;
}

// The values of boids that are about to be added.
typedef struct new_boid {
    Position position;
    Velocity velocity;
    Boid boid;
} new_boid;

static keel_result add_boids(keel_world *world, const Space *space, uint32_t first, uint32_t end, uint32_t seed) {
    new_boid *list = malloc((end - first) * sizeof *list);
    if (!list) return KEEL_ERROR_MEMORY;
    for (uint32_t number = first; number < end; ++number) {
        new_boid *b = &list[number - first];
        b->position.x = part_of_one(scramble(seed, number, 0)) * space->width;
        b->position.y = part_of_one(scramble(seed, number, 1)) * space->height;
        b->velocity.x = (part_of_one(scramble(seed, number, 2)) - 0.5f) * space->speed;
        b->velocity.y = (part_of_one(scramble(seed, number, 3)) - 0.5f) * space->speed;
        b->boid.number = number;
    }
    const keel_result result = keel_add_entities(
        world, end - first, NULL, KEEL_COLUMN_IN(Position, &list->position, sizeof *list),
        KEEL_COLUMN_IN(Velocity, &list->velocity, sizeof *list), KEEL_COLUMN_IN(Boid, &list->boid, sizeof *list));
    free(list);
    return result;
}

static keel_result delete_boids(keel_world *world, uint32_t from, uint32_t count) {
    keel_entity *list = malloc(count * sizeof *list);
    if (!list) return KEEL_ERROR_MEMORY;
    uint32_t found = 0;
    KEEL_EACH(world, KEEL_READ(Boid, boid), KEEL_ENTITY(e))
        if (boid->number >= from) list[found++] = e;
    const keel_result result = keel_delete_entities(world, list, found);
    free(list);
    return result;
}

static keel_result add_hunters(keel_world *world, const Space *space, uint32_t seed) {
    for (uint32_t i = 0; i < HUNTERS; ++i) {
        Hunter hunter = { 0, 0, scramble(seed, i, 7) | 1 };
        const Position at = { part_of_one(random_of(&hunter.random)) * space->width,
                              part_of_one(random_of(&hunter.random)) * space->height };
        hunter.to_x = at.x;
        hunter.to_y = at.y;
        if (keel_is_null(keel_add_entity(world, KEEL_INIT(Position, at), KEEL_INIT(Hunter, hunter))))
            return keel_last_error(world)->result;
    }
    return KEEL_OK;
}

keel_result flock_begin(keel_world *world, flock *f, uint32_t count, uint32_t seed, float width, float height) {
    Space space = { width, height, 0, 0 };
    adapt(&space, count);
    KEEL_TRY(keel_set_unique(world, Space, space));
    KEEL_TRY(keel_set_unique(world, Pointer, { 0, 0, 0 }));
    KEEL_TRY(keel_set_unique(world, Clock, { 0 }));
    KEEL_TRY(keel_set_unique(world, Flock, { f }));
    KEEL_TRY(add_hunters(world, &space, seed));
    return flock_set_count(world, count, seed);
}

keel_result flock_set_count(keel_world *world, uint32_t count, uint32_t seed) {
    const uint32_t before = keel_count(world, Boid);
    const Space *now = keel_get_unique(world, Space);
    if (!now) return KEEL_ERROR_ARGUMENT;
    Space space = *now;
    adapt(&space, count);
    if (count > before) KEEL_TRY(add_boids(world, &space, before, count, seed));
    if (count < before) KEEL_TRY(delete_boids(world, count, before - count));
    return keel_set_unique(world, Space, space);
}

keel_result flock_set_size(keel_world *world, float width, float height) {
    Space *space = keel_get_unique_mut(world, Space);
    if (!space) return KEEL_ERROR_ARGUMENT;
    space->width = width;
    space->height = height;
    adapt(space, keel_count(world, Boid));
    return KEEL_OK;
}

void flock_free(flock *f) {
    float *const arrays[] = { f->x, f->y, f->vx, f->vy, f->near_vx, f->near_vy, f->push_x, f->push_y };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        free(arrays[i]);
    grid_free(&f->grid);
    memset(f, 0, sizeof *f);
}
