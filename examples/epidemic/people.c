// SPDX-License-Identifier: MIT
// The people: how they begin, and the systems of a day. play.c calls it.
#include "people.h"
#include <stdlib.h>

// ---- chance -------------------------------------------------------------------------------------

// The purpose of a random number. Numbers for other purposes have nothing in common.
typedef enum purpose { FOR_X = 1, FOR_Y, FOR_TRAVEL, FOR_INFECTION, FOR_RECOVERY } purpose;

static uint64_t people_scramble(uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

// Returns a random number that depends on nothing but its arguments.
static uint64_t people_random(uint64_t seed, purpose what, uint64_t id, uint64_t other) {
    const uint64_t odd = 0x9e3779b97f4a7c15u;
    uint64_t z = people_scramble(seed + odd * (uint64_t)what);
    z = people_scramble(z + odd * id);
    return people_scramble(z + odd * other);
}

people_chance people_chance_of(double share) { return (people_chance)(share * 0x1p53); }

static bool people_happens(uint64_t random, people_chance chance) { return random >> 11 < chance; }

// Returns how long somebody is ill. Each day is the last one with the same chance, as in the SIR
// equations.
static uint32_t days_of_illness(const Rules *rules, uint64_t id) {
    enum { MOST_DAYS = 100000 };
    uint32_t days = 1;
    while (days < MOST_DAYS &&
           !people_happens(people_random(rules->seed, FOR_RECOVERY, id, days), rules->recovery))
        ++days;
    return days;
}

static Place place_of(const Rules *rules, uint64_t id) {
    const uint64_t x = people_random(rules->seed, FOR_X, id, rules->day);
    const uint64_t y = people_random(rules->seed, FOR_Y, id, rules->day);
    return (Place){ (int32_t)(x % PEOPLE_SIDE), (int32_t)(y % PEOPLE_SIDE) };
}

// ---- the day ------------------------------------------------------------------------------------

KEEL_SYSTEM_ONCE(begin_day, KEEL_UNIQUE_WRITE(Rules, rules), KEEL_UNIQUE_WRITE(Counts, counts),
                 KEEL_UNIQUE_WRITE(Near, near)) {
    ++rules->day;
    *counts = (Counts){ 0, 0, 0 };
    near_clear(near->now);
}

// Sorts the infected people into the grid as they are in the morning: also ghosts, who are nearby but
// belong to other ranks.
KEEL_SYSTEM_ONCE(sort_infected, KEEL_UNIQUE_WRITE(Near, near), KEEL_UNIQUE_READ(Rules, rules),
                 KEEL_MAY_READ(Place, Health, keel_global_id), KEEL_CONTEXT(context)) {
    bool has_memory = true;
    KEEL_EACH(context, KEEL_READ(Place, p), KEEL_READ(Health, health),
              KEEL_READ(keel_global_id, id))
        if (health->state == HEALTH_INFECTED)
            has_memory &= near_add(near->now, (near_point){ p->x, p->y, id->value });
    if (!has_memory || !near_sort(near->now, rules->radius))
        keel_fail(context, NULL, "no memory for %u infected people: take fewer --people",
                  (unsigned)near->now->count);
}

// Heals people. It runs before `infect`, so that who falls ill today has all of their days.
KEEL_SYSTEM(recover, KEEL_WRITE(Health, health), KEEL_WITHOUT(keel_ghost)) {
    if (health->state != HEALTH_INFECTED || --health->days) return;
    health->state = HEALTH_RECOVERED;
}

// Returns whether somebody nearby infects this person today. Anyone may, so their order does not
// matter.
static bool is_infected_today(const near_grid *grid, const Rules *rules, const Place *p,
                              uint64_t id) {
    const near_cells cells = near_cells_of(grid, p->x, p->y, rules->radius);
    const int64_t reach = (int64_t)rules->radius * rules->radius;
    const uint64_t own = people_random(rules->seed, FOR_INFECTION, id, rules->day);
    for (uint32_t row = cells.first_row; row < cells.end_row; ++row) {
        const uint32_t *starts = grid->starts + (size_t)row * grid->columns;
        const uint32_t end = starts[cells.last_column + 1];
        for (uint32_t i = starts[cells.first_column]; i < end; ++i) {
            const near_point *q = &grid->points[i];
            const int64_t x = (int64_t)p->x - q->x, y = (int64_t)p->y - q->y;
            if (x * x + y * y > reach) continue;
            if (people_happens(people_scramble(own + q->tag), rules->infection)) return true;
        }
    }
    return false;
}

KEEL_SYSTEM(infect, KEEL_READ(Place, p), KEEL_WRITE(Health, health), KEEL_READ(keel_global_id, id),
            KEEL_WITHOUT(keel_ghost), KEEL_UNIQUE_READ(Near, near),
            KEEL_UNIQUE_READ(Rules, rules)) {
    if (health->state != HEALTH_SUSCEPTIBLE ||
        !is_infected_today(near->now, rules, p, id->value))
        return;
    *health = (Health){ HEALTH_INFECTED, days_of_illness(rules, id->value) };
}

// Counts the people of this rank. The domain adds up the counts of all ranks after the step.
KEEL_SYSTEM(take_count, KEEL_READ(Health, health), KEEL_WITHOUT(keel_ghost),
            KEEL_UNIQUE_WRITE(Counts, counts)) {
    counts->susceptible += health->state == HEALTH_SUSCEPTIBLE;
    counts->infected += health->state == HEALTH_INFECTED;
    counts->recovered += health->state == HEALTH_RECOVERED;
}

// Moves some people to new places, where they meet others from the next day on. It is the last system:
// the domain gives those who left the region to other ranks after the step.
KEEL_SYSTEM(travel, KEEL_WRITE(Place, p), KEEL_READ(keel_global_id, id), KEEL_WITHOUT(keel_ghost),
            KEEL_UNIQUE_READ(Rules, rules)) {
    const uint64_t random = people_random(rules->seed, FOR_TRAVEL, id->value, rules->day);
    if (people_happens(random, rules->travel)) *p = place_of(rules, id->value);
}

KEEL_WORKLOAD(people_day, KEEL_STEP(begin_day), KEEL_STEP(sort_infected),
              KEEL_STEP(recover, .parallel = true), KEEL_STEP(infect, .parallel = true),
              KEEL_STEP(take_count), KEEL_STEP(travel, .parallel = true));

// ---- how it begins ------------------------------------------------------------------------------

double people_contacts(uint64_t people, double radius) {
    // the share of pairs of points of a unit square that are no further apart than r <= 1
    const double r = radius, pi = 3.14159265358979323846;
    return (double)(people - 1) * r * r * (pi - r * (8.0 / 3 - r / 2));
}

double people_radius(uint64_t people, double contacts) {
    double low = 0, high = 0.5;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        if (people_contacts(people, middle) < contacts) low = middle;
        else high = middle;
    }
    return high;
}

typedef struct new_person {
    keel_global_id id;
    Place place;
    Health health;
} new_person;

// Adds people with numbers from `first` on.
static keel_result add_people(keel_world *world, const Rules *rules, new_person *list,
                              uint64_t first, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t id = first + i + 1;
        list[i] = (new_person){ { id }, place_of(rules, id), { HEALTH_SUSCEPTIBLE, 0 } };
        if (id <= rules->infected)
            list[i].health = (Health){ HEALTH_INFECTED, days_of_illness(rules, id) };
    }
    return keel_add_entities(world, count, NULL,
                             KEEL_COLUMN_IN(keel_global_id, &list->id, sizeof *list),
                             KEEL_COLUMN_IN(Place, &list->place, sizeof *list),
                             KEEL_COLUMN_IN(Health, &list->health, sizeof *list));
}

keel_result people_begin(keel_world *world, keel_ranks ranks, uint64_t people, const Rules *rules,
                         near_grid *grid) {
    static const uint64_t block = 4096;
    KEEL_TRY(keel_register(world, Place, Health, keel_global_id, keel_ghost));
    KEEL_TRY(keel_set_unique(world, Rules, *rules));
    KEEL_TRY(keel_set_unique(world, Near, { grid }));
    KEEL_TRY(keel_set_unique(world, Counts, { people - rules->infected, rules->infected, 0 }));
    uint64_t count;
    uint64_t next = keel_rank_share(ranks, people, &count);
    const uint64_t end = next + count;
    new_person *list = malloc(block * sizeof *list);
    if (!list) return KEEL_ERROR_MEMORY;
    keel_result result = KEEL_OK;
    while (next < end && result >= 0) {
        const uint32_t some = (uint32_t)(end - next < block ? end - next : block);
        result = add_people(world, rules, list, next, some);
        next += some;
    }
    free(list);
    return result;
}
