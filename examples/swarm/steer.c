// SPDX-License-Identifier: MIT
// How a boid steers. For each cell the boids of its nine cells are copied side by side, and each boid of the cell looks at
// four of them at once. Only + - * / are used, each lane on its own, so every compiler computes the same bits.
#include "steer.h"
#include <math.h>
#include <string.h>

enum { LANES = 4, FROM_A_CELL = 6, MOST = 9 * FROM_A_CELL + 2 * LANES };

// Four floats, and what a comparison of them gives: all bits or none.
typedef float four __attribute__((vector_size(16)));
typedef int32_t four_bits __attribute__((vector_size(16)));

// The boids that those of one cell see.
typedef struct crowd {
    _Alignas(16) float x[MOST], y[MOST], vx[MOST], vy[MOST];
    uint32_t count; // a multiple of LANES
    threat threats[HUNTERS + 1];
    uint32_t threat_count;
} crowd;

// What a boid sees, added up.
typedef struct sight {
    four_bits count;     // less 1 for each
    four x, y;           // how far away the others are
    four vx, vy;         // where they fly
    four away_x, away_y; // from those that are too near
} sight;

static four load(const float *at) {
    four values;
    memcpy(&values, at, sizeof values);
    return values;
}

static four spread(float value) { return (four){ value, value, value, value }; }
static four where(four_bits yes, four values) { return (four)(yes & (four_bits)values); }
static float sum(four values) { return (values[0] + values[1]) + (values[2] + values[3]); }

// Copies four values from each array of the grid.
static void copy_four(crowd *c, const flock *f, uint32_t to, uint32_t place, float shift_x, float shift_y) {
    const four x = load(f->grid.x + place) + spread(shift_x), y = load(f->grid.y + place) + spread(shift_y);
    memcpy(c->x + to, &x, sizeof x);
    memcpy(c->y + to, &y, sizeof y);
    memcpy(c->vx + to, f->near_vx + place, sizeof x);
    memcpy(c->vy + to, f->near_vy + place, sizeof y);
}

static void copy_one(crowd *c, const flock *f, uint32_t to, uint32_t place, float shift_x, float shift_y) {
    c->x[to] = f->grid.x[place] + shift_x;
    c->y[to] = f->grid.y[place] + shift_y;
    c->vx[to] = f->near_vx[place];
    c->vy[to] = f->near_vy[place];
}

// Copies boids of one cell. Of a crowded cell it takes a few, others in each frame.
// It copies eight, however many there are, which costs less than to count: the next cell overwrites those that are too many.
static void add_cell(crowd *c, const flock *f, uint32_t cell, float shift_x, float shift_y, uint32_t frame) {
    const grid *g = &f->grid;
    uint32_t first = g->starts[cell], here = g->starts[cell + 1] - first;
    if (here > FROM_A_CELL) {
        first += frame % (here - FROM_A_CELL + 1);
        here = FROM_A_CELL;
    }
    if (first + 2 * LANES <= g->count) {
        copy_four(c, f, c->count, first, shift_x, shift_y);
        copy_four(c, f, c->count + LANES, first + LANES, shift_x, shift_y);
    } else {
        for (uint32_t i = 0; i < here; ++i)
            copy_one(c, f, c->count + i, first + i, shift_x, shift_y);
    }
    c->count += here;
}

// Fills up the last group with boids that are too far away to be seen.
static void fill_up(crowd *c) {
    for (; c->count % LANES; ++c->count) {
        c->x[c->count] = c->y[c->count] = 1e9f;
        c->vx[c->count] = c->vy[c->count] = 0;
    }
}

// Collects the boids around a cell, over the borders of the plane, too.
static void look_around(crowd *c, const flock *f, const Space *space, uint32_t row, uint32_t column, uint32_t frame) {
    const grid *g = &f->grid;
    c->count = 0;
    for (int up = -1; up <= 1; ++up) {
        const uint32_t other_row = (uint32_t)((int)(row + g->rows) + up) % g->rows;
        const float shift_y = (int)row + up < 0 ? -space->height : row + (uint32_t)up == g->rows ? space->height : 0;
        for (int left = -1; left <= 1; ++left) {
            const uint32_t other_column = (uint32_t)((int)(column + g->columns) + left) % g->columns;
            const float shift_x = (int)column + left < 0                  ? -space->width
                                  : column + (uint32_t)left == g->columns ? space->width
                                                                          : 0;
            add_cell(c, f, other_row * g->columns + other_column, shift_x, shift_y, frame);
        }
    }
    fill_up(c);
}

// Returns the shorter way on a plane whose sides meet.
static float around(float way, float size) {
    if (way > size * 0.5f) return way - size;
    if (way < size * -0.5f) return way + size;
    return way;
}

enum { FEAR = 130 }; // how far a hunter is seen

// Keeps the threats that somebody in the cell can see.
static void look_for_threats(crowd *c, const flock *f, const Space *space, uint32_t row, uint32_t column) {
    const grid *g = &f->grid;
    const float x = ((float)column + 0.5f) * g->cell_width, y = ((float)row + 0.5f) * g->cell_height;
    c->threat_count = 0;
    for (uint32_t i = 0; i < f->threat_count; ++i) {
        threat t = f->threats[i];
        t.x = x + around(t.x - x, space->width);
        t.y = y + around(t.y - y, space->height);
        const float dx = t.x - x, dy = t.y - y, reach = FEAR + g->cell_width + g->cell_height;
        if (dx * dx + dy * dy < reach * reach) c->threats[c->threat_count++] = t;
    }
}

// Adds up what a boid sees, itself as well: that makes it steer less when it has few neighbours.
static void see(sight *s, const crowd *c, float x, float y, float range) {
    const four own_x = spread(x), own_y = spread(y), far = spread(range * range), none = spread(0);
    const four touch = spread(range * range * 0.3f);
    for (uint32_t i = 0; i < c->count; i += LANES) {
        const four dx = load(c->x + i) - own_x, dy = load(c->y + i) - own_y;
        const four distance = dx * dx + dy * dy; // squared
        const four_bits seen = distance < far;
        const four room = touch - distance;
        const four closer = where(room > none, room);
        s->count += seen; // -1 where it is true
        s->x += where(seen, dx);
        s->y += where(seen, dy);
        s->vx += where(seen, load(c->vx + i));
        s->vy += where(seen, load(c->vy + i));
        s->away_x += dx * closer;
        s->away_y += dy * closer;
    }
}

static void flee(const crowd *c, float x, float y, float speed, float *push_x, float *push_y) {
    for (uint32_t i = 0; i < c->threat_count; ++i) {
        const float dx = x - c->threats[i].x, dy = y - c->threats[i].y;
        const float left = 1 - (dx * dx + dy * dy) / (FEAR * FEAR);
        if (left <= 0) continue;
        const float strength = c->threats[i].push * left * speed / FEAR;
        *push_x += dx * strength;
        *push_y += dy * strength;
    }
}

static void steer_boid(flock *f, const crowd *c, const Space *space, uint32_t place) {
    const grid *g = &f->grid;
    const float x = g->x[place], y = g->y[place], range = space->sight;
    sight s = { 0 };
    see(&s, c, x, y, range);
    const float count = (float)-(s.count[0] + s.count[1] + s.count[2] + s.count[3]);
    float push_x = 0, push_y = 0;
    if (count > 0) {
        const float part = 1 / count;
        const float follow = 0.10f, stay = 0.03f * space->speed / range;
        const float part_from = 1.0f * space->speed / (range * range * range);
        push_x = (sum(s.vx) * part - f->near_vx[place]) * follow + sum(s.x) * part * stay - sum(s.away_x) * part_from;
        push_y = (sum(s.vy) * part - f->near_vy[place]) * follow + sum(s.y) * part * stay - sum(s.away_y) * part_from;
    }
    flee(c, x, y, space->speed, &push_x, &push_y);
    f->push_x[g->order[place]] = push_x;
    f->push_y[g->order[place]] = push_y;
}

void steer_rows(flock *f, const Space *space, uint32_t frame, uint32_t begin, uint32_t end) {
    const grid *g = &f->grid;
    crowd c;
    for (uint32_t row = begin; row < end; ++row) {
        for (uint32_t column = 0; column < g->columns; ++column) {
            const uint32_t cell = row * g->columns + column;
            if (g->starts[cell] == g->starts[cell + 1]) continue;
            look_around(&c, f, space, row, column, frame);
            look_for_threats(&c, f, space, row, column);
            for (uint32_t place = g->starts[cell]; place < g->starts[cell + 1]; ++place)
                steer_boid(f, &c, space, place);
        }
    }
}
