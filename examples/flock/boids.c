// SPDX-License-Identifier: MIT
// The boids: how they begin, and the systems of a step. play.c calls it.
#include "boids.h"
#include <math.h>
#include <stdlib.h>

// ---- chance -------------------------------------------------------------------------------------

// The purpose of a random number. Numbers for other purposes have nothing in common.
typedef enum purpose { FOR_X = 1, FOR_Y, FOR_WAY_X, FOR_WAY_Y, FOR_NOISE } purpose;

static uint64_t boids_scramble(uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

// Returns a random number that depends on nothing but its arguments.
static uint64_t boids_random(const Rules *rules, purpose what, uint64_t id) {
    const uint64_t odd = 0x9e3779b97f4a7c15u;
    uint64_t z = boids_scramble(rules->seed + odd * (uint64_t)what);
    z = boids_scramble(z + odd * id);
    return boids_scramble(z + odd * rules->step);
}

// Returns a number from -most to most.
static int32_t to_each_side(uint64_t random, int32_t most) {
    return (int32_t)(random % (2 * (uint64_t)most + 1)) - most;
}

// ---- the step -----------------------------------------------------------------------------------

KEEL_SYSTEM_ONCE(begin_step, KEEL_UNIQUE_WRITE(Rules, rules), KEEL_UNIQUE_WRITE(Sight, sight)) {
    ++rules->step;
    steer_clear(sight->now);
}

// Sorts all boids into a grid as they are before anybody moves: also ghosts, which are seen by boids of
// this rank.
KEEL_SYSTEM_ONCE(sort_boids, KEEL_UNIQUE_WRITE(Sight, sight), KEEL_MAY_READ(Place, Velocity, keel_ghost),
                 KEEL_CONTEXT(context)) {
    bool has_memory = true;
    KEEL_EACH(context, KEEL_READ(Place, p), KEEL_READ(Velocity, v), KEEL_WITHOUT(keel_ghost), KEEL_ENTITY(e))
        has_memory &= steer_add(sight->now, p->x, p->y, (steer_way){ v->x, v->y }, keel_entity_index(e));
    KEEL_EACH(context, KEEL_READ(Place, p), KEEL_READ(Velocity, v), KEEL_WITH(keel_ghost))
        has_memory &= steer_add(sight->now, p->x, p->y, (steer_way){ v->x, v->y }, STEER_BLIND);
    if (!has_memory || !steer_sort(sight->now))
        keel_fail(context, NULL, "no memory for %u boids: take fewer --boids", (unsigned)sight->now->grid.count);
}

static void steer_piece(uint32_t begin, uint32_t end, const keel_piece *piece, void *data) {
    (void)piece;
    steer_rows(data, begin, end);
}

// Looks at the neighbours of all boids, in the order of the grid. Its rows are spread over the workers.
KEEL_SYSTEM_ONCE(steer, KEEL_UNIQUE_WRITE(Sight, sight), KEEL_CONTEXT(context)) {
    if (keel_parallel_for(context, sight->now->grid.rows, 4, steer_piece, sight->now) < 0)
        keel_fail(context, NULL, "no memory for a parallel loop");
}

// Returns how a wall turns a boid that is near it: the nearer, the more.
static int32_t turn_of_walls(int32_t at, int32_t side) {
    const int32_t margin = side / 8 < 3 * BOIDS_REACH ? side / 8 : 3 * BOIDS_REACH, most = BOIDS_TURN;
    const int32_t low = margin - at, high = at - (side - 1 - margin);
    if (low > 0) return (int32_t)((int64_t)most * low / margin);
    return high > 0 ? -(int32_t)((int64_t)most * high / margin) : 0;
}

// Moves one coordinate. Whoever would leave the square flies back.
static void move_along(int32_t *at, int32_t *way, int32_t side) {
    const int32_t to = *at + *way;
    if (to < 0 || to >= side) *way = -*way;
    *at = to < 0 ? 0 : to >= side ? side - 1 : to;
}

// Turns and moves boids. The domain gives those who left the region to other ranks after the step.
KEEL_SYSTEM(fly, KEEL_WRITE(Place, p), KEEL_WRITE(Velocity, v), KEEL_READ(keel_global_id, id), KEEL_WITHOUT(keel_ghost),
            KEEL_UNIQUE_READ(Sight, sight), KEEL_UNIQUE_READ(Rules, rules), KEEL_ENTITY(e)) {
    const steer_way turn = sight->now->turns[keel_entity_index(e)];
    const uint64_t random = boids_random(rules, FOR_NOISE, id->value);
    steer_way way = { v->x + turn.x + turn_of_walls(p->x, rules->side), v->y + turn.y + turn_of_walls(p->y, rules->side) };
    way.x += to_each_side(random >> 32, rules->noise);
    way.y += to_each_side(random & 0xffffffff, rules->noise);
    way = steer_keep_speed(way);
    move_along(&p->x, &way.x, rules->side);
    move_along(&p->y, &way.y, rules->side);
    *v = (Velocity){ way.x, way.y };
}

KEEL_SYSTEM_ONCE(begin_total, KEEL_UNIQUE_WRITE(Total, total)) { *total = (Total){ 0, 0, 0 }; }

// Adds up the ways of this rank's boids. The domain adds up those of all ranks after the step.
KEEL_SYSTEM(add_way, KEEL_READ(Velocity, v), KEEL_WITHOUT(keel_ghost), KEEL_UNIQUE_WRITE(Total, total)) {
    total->x += v->x;
    total->y += v->y;
    total->speed += steer_length((steer_way){ v->x, v->y });
}

KEEL_WORKLOAD(boids_step, KEEL_STEP(begin_step), KEEL_STEP(sort_boids), KEEL_STEP(steer), KEEL_STEP(fly, .parallel = true),
              KEEL_STEP(begin_total), KEEL_STEP(add_way));

double boids_order(const Total *total) {
    return total->speed ? hypot((double)total->x, (double)total->y) / (double)total->speed : 0;
}

// ---- how it begins ------------------------------------------------------------------------------

int32_t boids_side(uint64_t boids, double near) {
    const double pi = 3.14159265358979323846, side = BOIDS_REACH * sqrt((double)boids * pi / near);
    return side < 4 * BOIDS_REACH ? 4 * BOIDS_REACH : (int32_t)side;
}

typedef struct new_boid {
    keel_global_id id;
    Place place;
    Velocity way;
} new_boid;

static new_boid make_boid(const Rules *rules, uint64_t id) {
    const uint64_t side = (uint64_t)rules->side;
    const steer_way way = steer_keep_speed((steer_way){ to_each_side(boids_random(rules, FOR_WAY_X, id), BOIDS_FASTEST),
                                                        to_each_side(boids_random(rules, FOR_WAY_Y, id), BOIDS_FASTEST) });
    return (new_boid){ { id },
                       { (int32_t)(boids_random(rules, FOR_X, id) % side), (int32_t)(boids_random(rules, FOR_Y, id) % side) },
                       { way.x, way.y } };
}

// Adds boids with numbers from `first` on.
static keel_result add_boids(keel_world *world, const Rules *rules, new_boid *list, uint64_t first, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        list[i] = make_boid(rules, first + i + 1);
    return keel_add_entities(world, count, NULL, KEEL_COLUMN_IN(keel_global_id, &list->id, sizeof *list),
                             KEEL_COLUMN_IN(Place, &list->place, sizeof *list),
                             KEEL_COLUMN_IN(Velocity, &list->way, sizeof *list));
}

keel_result boids_begin(keel_world *world, keel_ranks ranks, uint64_t boids, const Rules *rules,
                        steer_sight *sight) {
    static const uint64_t block = 4096;
    KEEL_TRY(keel_register(world, Place, Velocity, keel_global_id, keel_ghost));
    KEEL_TRY(keel_set_unique(world, Rules, *rules));
    KEEL_TRY(keel_set_unique(world, Sight, { sight }));
    KEEL_TRY(keel_set_unique(world, Total, { 0, 0, 0 }));
    uint64_t count;
    uint64_t next = keel_rank_share(ranks, boids, &count);
    const uint64_t end = next + count;
    new_boid *list = malloc(block * sizeof *list);
    if (!list) return KEEL_ERROR_MEMORY;
    keel_result result = KEEL_OK;
    while (next < end && result >= 0) {
        const uint32_t some = (uint32_t)(end - next < block ? end - next : block);
        result = add_boids(world, rules, list, next, some);
        next += some;
    }
    free(list);
    return result;
}
