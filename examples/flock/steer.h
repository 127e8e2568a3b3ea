// SPDX-License-Identifier: MIT
// What boids see and where it turns them: sums over neighbours, in integers. It knows no world. boids.c
// fills it in each step, and asks it.
#pragma once
#include "near.h"

enum {
    BOIDS_REACH = 1 << 16,   // how far a boid sees
    BOIDS_FASTEST = 1 << 12, // way of a step: it fits into 16 bits
    BOIDS_SLOWEST = 1 << 11,
    BOIDS_TURN = 400, // the most that a way changes in a step
    STEER_PARTS = 256, // of the square of BOIDS_REACH
};

typedef struct steer_way {
    int32_t x, y;
} steer_way;

typedef struct steer_sight {
    near_grid grid;   // of all boids, ghosts as well
    steer_way *turns; // by number, once steer_rows has seen all rows of the grid
    // private
    uint32_t room;
    int32_t pushes[STEER_PARTS + 1]; // of a neighbour, by the square of its distance
} steer_sight;

// The number of boids that are seen, but do not see.
#define STEER_BLIND UINT32_MAX

// Forgets all boids. A sight of zeros is a good one to begin with; memory is kept.
void steer_clear(steer_sight *sight);

// Adds a boid. Numbers are different, and not much larger than there are boids. Returns false when out
// of memory.
bool steer_add(steer_sight *sight, int32_t x, int32_t y, steer_way way, uint32_t number);

// Sorts all boids into the grid. Returns false when out of memory.
bool steer_sort(steer_sight *sight);

// Computes the turns of the boids in some rows of the grid. Threads may do other rows.
void steer_rows(steer_sight *sight, uint32_t begin, uint32_t end);

// Returns a way of the same direction that is no longer than `most`.
steer_way steer_shorten(steer_way way, int32_t most);

// Returns a way of the same direction, neither too slow nor too fast.
steer_way steer_keep_speed(steer_way way);

// Returns the length of a way, rounded down: the same on every machine.
uint32_t steer_length(steer_way way);

// Frees the memory. The sight is as one of zeros then.
void steer_free(steer_sight *sight);
