// SPDX-License-Identifier: MIT
// Sums up what boids see. The grid lies in the order of cells, and so do places and ways: a boid reads
// three pieces of memory, one for each row of cells around it. boids.c calls it.
#include "steer.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A boid in the grid has its number and its way in the tag, so that it is 16 bytes.
enum { TAG_ZERO = 1 << 15 }; // of a way, which may be negative

static uint64_t tag_of(steer_way way, uint32_t number) {
    return (uint64_t)number << 32 | (uint64_t)(way.x + TAG_ZERO) << 16 | (uint64_t)(way.y + TAG_ZERO);
}

static steer_way way_of(uint64_t tag) {
    return (steer_way){ (int32_t)(tag >> 16 & 0xffff) - TAG_ZERO, (int32_t)(tag & 0xffff) - TAG_ZERO };
}

static uint32_t number_of(uint64_t tag) { return (uint32_t)(tag >> 32); }

// ---- lengths ------------------------------------------------------------------------------------

// Returns the root of a square, rounded down.
static uint32_t root_of(uint64_t square) {
    uint64_t root = (uint64_t)sqrt((double)square); // near enough on every machine; the loops make it exact
    while (root * root > square)
        --root;
    while ((root + 1) * (root + 1) <= square)
        ++root;
    return (uint32_t)root;
}

uint32_t steer_length(steer_way way) {
    return root_of((uint64_t)((int64_t)way.x * way.x + (int64_t)way.y * way.y));
}

static steer_way stretch(steer_way way, int32_t wanted, uint32_t length) {
    return (steer_way){ (int32_t)((int64_t)way.x * wanted / length), (int32_t)((int64_t)way.y * wanted / length) };
}

steer_way steer_shorten(steer_way way, int32_t most) {
    const uint32_t length = steer_length(way);
    return length > (uint32_t)most ? stretch(way, most, length) : way;
}

steer_way steer_keep_speed(steer_way way) {
    const uint32_t length = steer_length(way);
    if (!length) return (steer_way){ BOIDS_SLOWEST, 0 };
    if (length < BOIDS_SLOWEST) return stretch(way, BOIDS_SLOWEST, length);
    return length > BOIDS_FASTEST ? stretch(way, BOIDS_FASTEST, length) : way;
}

// ---- sums ---------------------------------------------------------------------------------------

// What a boid sees, itself as well.
typedef struct steer_sums {
    int64_t count;
    int64_t x, y;           // how far away the others are
    int64_t way_x, way_y;   // where they fly
    int64_t away_x, away_y; // from those that are too near, the nearer the more
} steer_sums;

enum { LIST_ROOM = 256 };

// Those whom a boid sees, until they are added up.
typedef struct steer_list {
    uint32_t count;
    uint32_t places[LIST_ROOM]; // in the grid
} steer_list;

// Fills the table of how much each neighbour pushes: the nearer, the more, and not at all beyond five
// eighths of what a boid sees. The numbers are for a distance of 1, as they are multiplied by it.
static void fill_pushes(steer_sight *sight) {
    const int32_t close = BOIDS_REACH / 8 * 5, part = BOIDS_REACH / STEER_PARTS * BOIDS_REACH;
    for (int32_t i = 0; i < STEER_PARTS; ++i) {
        const int32_t distance = (int32_t)root_of((uint64_t)i * (uint64_t)part + (uint64_t)part / 2);
        sight->pushes[i] = distance < close ? (int32_t)(1024 * (int64_t)(close - distance) / distance) : 0;
    }
}

// Adds up the list, and empties it.
static void add_list(steer_sums *s, steer_list *list, const steer_sight *sight, near_point own) {
    steer_sums sums = *s;
    for (uint32_t i = 0; i < list->count; ++i) {
        const near_point q = sight->grid.points[list->places[i]];
        const int64_t x = (int64_t)q.x - own.x, y = (int64_t)q.y - own.y;
        const int64_t push = sight->pushes[(x * x + y * y) >> 24];
        const steer_way way = way_of(q.tag);
        sums.x += x;
        sums.y += y;
        sums.way_x += way.x;
        sums.way_y += way.y;
        sums.away_x -= x * push;
        sums.away_y -= y * push;
    }
    sums.count += list->count;
    list->count = 0;
    *s = sums;
}

// Lists those in a row of the grid who are seen. There is no branch: whether one is seen cannot be
// foretold, and a wrong guess takes longer than all else.
static void list_row(steer_sums *s, steer_list *list, const steer_sight *sight, near_point own,
                     uint32_t begin, uint32_t end) {
    static const int64_t far = (int64_t)BOIDS_REACH * BOIDS_REACH;
    const near_point *points = sight->grid.points;
    while (begin < end) {
        if (list->count == LIST_ROOM) add_list(s, list, sight, own);
        const uint32_t room = LIST_ROOM - list->count, stop = end - begin < room ? end : begin + room;
        uint32_t count = list->count;
        for (; begin < stop; ++begin) {
            const int64_t x = (int64_t)points[begin].x - own.x, y = (int64_t)points[begin].y - own.y;
            list->places[count] = begin;
            count += x * x + y * y <= far;
        }
        list->count = count;
    }
}

// Returns where the sums turn a boid. The divisors are the weights of the three rules.
static steer_way turn_of(const steer_sums *s, steer_way own) {
    const int64_t others = s->count - 1;
    if (!others) return (steer_way){ 0, 0 };
    const int64_t follow = 8, gather = 128, part = 1 << 16;
    const int64_t x = ((s->way_x - own.x) / others - own.x) / follow + s->x / others / gather + s->away_x / part;
    const int64_t y = ((s->way_y - own.y) / others - own.y) / follow + s->y / others / gather + s->away_y / part;
    const int64_t most = 1 << 20; // of a crowd; it is shortened to BOIDS_TURN
    return (steer_way){ (int32_t)(x < -most ? -most : x > most ? most : x),
                        (int32_t)(y < -most ? -most : y > most ? most : y) };
}

static void steer_cell(steer_sight *sight, uint32_t row, uint32_t column) {
    const near_grid *g = &sight->grid;
    const uint32_t *starts = g->starts + (size_t)row * g->columns;
    const uint32_t left = column ? column - 1 : 0, right = column + 2 < g->columns ? column + 2 : g->columns;
    const uint32_t top = row ? row - 1 : 0, bottom = row + 2 < g->rows ? row + 2 : g->rows;
    for (uint32_t i = starts[column]; i < starts[column + 1]; ++i) {
        const near_point own = g->points[i];
        if (number_of(own.tag) == STEER_BLIND) continue;
        steer_sums sums = { 0 };
        steer_list list;
        list.count = 0;
        for (uint32_t r = top; r < bottom; ++r) {
            const uint32_t *cells = g->starts + (size_t)r * g->columns;
            list_row(&sums, &list, sight, own, cells[left], cells[right]);
        }
        add_list(&sums, &list, sight, own);
        sight->turns[number_of(own.tag)] = steer_shorten(turn_of(&sums, way_of(own.tag)), BOIDS_TURN);
    }
}

void steer_rows(steer_sight *sight, uint32_t begin, uint32_t end) {
    for (uint32_t row = begin; row < end; ++row)
        for (uint32_t column = 0; column < sight->grid.columns; ++column)
            steer_cell(sight, row, column);
}

// ---- filling ------------------------------------------------------------------------------------

void steer_clear(steer_sight *sight) {
    near_clear(&sight->grid);
    fill_pushes(sight);
}

bool steer_add(steer_sight *sight, int32_t x, int32_t y, steer_way way, uint32_t number) {
    if (number != STEER_BLIND && number >= sight->room) {
        const size_t room = number + number / 2u + 1024u;
        steer_way *turns = realloc(sight->turns, room * sizeof *turns);
        if (!turns) return false;
        sight->turns = turns;
        sight->room = (uint32_t)room;
    }
    return near_add(&sight->grid, (near_point){ x, y, tag_of(way, number) });
}

bool steer_sort(steer_sight *sight) { return near_sort(&sight->grid, BOIDS_REACH); }

void steer_free(steer_sight *sight) {
    near_free(&sight->grid);
    free(sight->turns);
    memset(sight, 0, sizeof *sight);
}
