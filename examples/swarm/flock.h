// SPDX-License-Identifier: MIT
// What the swarm is made of: components, uniques, and the workload of one frame (flock.c). All other files use it.
//
//            Position  Velocity  Boid  Hunter
//   boid     x         x         x
//   hunter   x                         x
#pragma once
#include "grid.h"
#include <keel/keel.h>

enum { FLOCK_MIN = 1, FLOCK_MAX = 1000000, HUNTERS = 3 };

typedef struct Position {
    float x, y;
} Position;

// The way of one frame.
typedef struct Velocity {
    float x, y;
} Velocity;

// Boids are numbered from 0, without gaps: arrays of the frame are indexed by these numbers.
typedef struct Boid {
    uint32_t number;
} Boid;

// A hunter flies from one random place to the next. Boids flee.
typedef struct Hunter {
    float to_x, to_y;
    uint32_t random;
} Hunter;

// The plane that everything flies in. What leaves it at one side comes back at the other.
typedef struct Space {
    float width, height;
    float sight; // how far a boid sees; the more there are the less
    float speed; // the fastest way of one frame
} Space;

// Where somebody points to. Boids fly there if `pull` is 1, away if it is -1, and see nothing if it is 0.
typedef struct Pointer {
    float x, y, pull;
} Pointer;

typedef struct Clock {
    uint32_t frame;
} Clock;

// A place that boids flee from (push > 0) or fly to.
typedef struct threat {
    float x, y, push;
} threat;

// What a frame works with besides the world: arrays that fill_grid writes and the others read.
typedef struct flock {
    grid grid;
    uint32_t count, room;     // boids
    float *x, *y, *vx, *vy;   // by number
    float *near_vx, *near_vy; // by place in the grid
    float *push_x, *push_y;   // by number: what steer found
    threat threats[HUNTERS + 1];
    uint32_t threat_count;
} flock;

// The flock of a world. It is made anew by each frame, so it is neither copied nor hashed.
typedef struct Flock {
    flock *now;
} Flock;

KEEL_FIELDS(Position, x, y);
KEEL_FIELDS(Velocity, x, y);
KEEL_FIELDS(Boid, number);
KEEL_FIELDS(Hunter, to_x, to_y, random);
KEEL_FIELDS(Space, width, height, sight, speed);
KEEL_FIELDS(Pointer, x, y, pull);
KEEL_FIELDS(Clock, frame);
KEEL_COMPONENT(Position, .storage = KEEL_INDEXED, .no_padding = true, KEEL_HAS_FIELDS(Position));
KEEL_COMPONENT(Velocity, .storage = KEEL_INDEXED, .no_padding = true, KEEL_HAS_FIELDS(Velocity));
KEEL_COMPONENT(Boid, .storage = KEEL_INDEXED, .no_padding = true, KEEL_HAS_FIELDS(Boid));
KEEL_COMPONENT(Hunter, .no_padding = true, KEEL_HAS_FIELDS(Hunter));
KEEL_UNIQUE(Space, .no_padding = true, KEEL_HAS_FIELDS(Space));
KEEL_UNIQUE(Pointer, .no_padding = true, KEEL_HAS_FIELDS(Pointer));
KEEL_UNIQUE(Clock, .no_padding = true, KEEL_HAS_FIELDS(Clock));
KEEL_UNIQUE(Flock, .transient = true);

KEEL_WORKLOAD_DECLARE(flock_frame);

// Fills an empty world with `count` boids and the hunters. The same seed makes the same swarm.
keel_result flock_begin(keel_world *world, flock *f, uint32_t count, uint32_t seed, float width, float height);

// Adds boids or deletes those with the highest numbers, until there are `count`. How far boids see changes with that.
keel_result flock_set_count(keel_world *world, uint32_t count, uint32_t seed);

// Changes the size of the plane, as when a window is resized.
keel_result flock_set_size(keel_world *world, float width, float height);

// Runs one frame.
keel_result flock_run(keel_world *world);

void flock_free(flock *f);
