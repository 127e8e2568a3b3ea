// SPDX-License-Identifier: MIT
// The parts of the epidemic: components, uniques, and the workload of one day (people.c). play.c
// steps it on all ranks.
//
// The result is the same for any number of ranks and threads. All numbers are integers; each decision
// is a hash of ids, the day and the seed; a system writes only people that its rank owns.
#pragma once
#include "near.h"
#include <keel_mpi.h>

enum { PEOPLE_SIDE = 1 << 30 }; // of the square that people live on

// The home of a person, from 0 to below PEOPLE_SIDE.
typedef struct Place {
    int32_t x, y;
} Place;

typedef enum health_state { HEALTH_SUSCEPTIBLE, HEALTH_INFECTED, HEALTH_RECOVERED } health_state;

typedef struct Health {
    uint32_t state; // health_state
    uint32_t days;  // until an infected person recovers
} Health;

// The number of people in each state: on all ranks, after a step.
typedef struct Counts {
    uint64_t susceptible, infected, recovered;
} Counts;

// A chance from 0 to 1, as a share of 2^53: integers are compared with it.
typedef uint64_t people_chance;
people_chance people_chance_of(double share);

// The rules of the model, the same on all ranks, and the day that is played.
typedef struct Rules {
    uint64_t seed, day;
    uint64_t infected;       // at the beginning
    people_chance infection; // of a susceptible person, by one infected person nearby, in a day
    people_chance recovery;  // of an infected person, in a day
    people_chance travel;    // of each person, in a day
    int32_t radius;          // who is nearer is nearby
} Rules;

// The infected people of the day. It is made anew each day, so it is neither copied nor hashed.
typedef struct Near {
    near_grid *now;
} Near;

KEEL_FIELDS(Place, x, y);
KEEL_FIELDS(Health, state, days);
KEEL_FIELDS(Rules, seed, day, infected, infection, recovery, travel, radius);
KEEL_FIELDS(Counts, susceptible, infected, recovered);
KEEL_COMPONENT(Place, .storage = KEEL_INDEXED, .no_padding = true, KEEL_HAS_FIELDS(Place));
KEEL_COMPONENT(Health, .storage = KEEL_INDEXED, .no_padding = true, KEEL_HAS_FIELDS(Health));
KEEL_UNIQUE(Counts, .no_padding = true, KEEL_HAS_FIELDS(Counts));
KEEL_UNIQUE(Rules, KEEL_HAS_FIELDS(Rules));
KEEL_UNIQUE(Near, .transient = true);

KEEL_WORKLOAD_DECLARE(people_day);

// Returns the mean number of others within a radius, a share of the side up to 0.5, of people spread
// evenly over the square. Those near an edge have fewer.
double people_contacts(uint64_t people, double radius);

// Returns the radius with this mean number of others.
double people_radius(uint64_t people, double contacts);

// Makes the world know all components, sets the uniques, and adds this rank's share of the people, of
// whom the first are ill; of 0 people a restart adds those of the checkpoint. `grid` lives as long as
// the world. An error is keel_last_error of the world.
keel_result people_begin(keel_world *world, keel_ranks ranks, uint64_t people, const Rules *rules,
                         near_grid *grid);
