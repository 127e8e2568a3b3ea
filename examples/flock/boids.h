// SPDX-License-Identifier: MIT
// The parts of the flock: components, uniques, and the workload of one step (boids.c). play.c steps it
// on all ranks.
//
// The result is the same for any number of ranks and threads. All numbers are integers; what a boid
// sees is summed up, in no order; chance is a hash of ids, the step and the seed; a system writes only
// boids that its rank owns.
#pragma once
#include "steer.h"
#include <keel_mpi.h>

// The place of a boid, from 0 to below the side of the square. A boid sees BOIDS_REACH far.
typedef struct Place {
    int32_t x, y;
} Place;

// The way of one step.
typedef struct Velocity {
    int32_t x, y;
} Velocity;

// The rules of the model, the same on all ranks, and the step that is played.
typedef struct Rules {
    uint64_t seed, step;
    int32_t side;  // of the square
    int32_t noise; // the most that a boid strays in a step, to each side
} Rules;

// The sums of all boids: on all ranks, after a step.
typedef struct Total {
    int64_t x, y;   // ways
    uint64_t speed; // their lengths
} Total;

// What all boids see in a step. It is made anew each step, so it is neither copied nor hashed.
typedef struct Sight {
    steer_sight *now;
} Sight;

KEEL_FIELDS(Place, x, y);
KEEL_FIELDS(Velocity, x, y);
KEEL_FIELDS(Total, x, y, speed);
KEEL_COMPONENT(Place, .storage = KEEL_INDEXED, .no_padding = true, KEEL_HAS_FIELDS(Place));
KEEL_COMPONENT(Velocity, .storage = KEEL_INDEXED, .no_padding = true, KEEL_HAS_FIELDS(Velocity));
KEEL_UNIQUE(Rules, .no_padding = true);
KEEL_UNIQUE(Total, .no_padding = true, KEEL_HAS_FIELDS(Total));
KEEL_UNIQUE(Sight, .transient = true);

KEEL_WORKLOAD_DECLARE(boids_step);

// Returns the side of a square on which boids have this mean number of others in sight.
int32_t boids_side(uint64_t boids, double near);

// Returns the length of the mean way as a share of the mean length of ways: 1 if all fly the same way.
double boids_order(const Total *total);

// Makes the world know all components, sets the uniques, and adds this rank's share of the boids; of 0
// boids a restart adds those of the checkpoint. `sight` lives as long as the world. An
// error is keel_last_error of the world.
keel_result boids_begin(keel_world *world, keel_ranks ranks, uint64_t boids, const Rules *rules,
                        steer_sight *sight);
