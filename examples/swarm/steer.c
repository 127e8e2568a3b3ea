// SPDX-License-Identifier: MIT
// How a boid steers. For each cell the boids of its nine cells are copied side by side, and each boid of the cell looks at
// four of them at once. Only + - * / are used, each lane on its own, so every compiler computes the same bits.
#include "steer.h"
#include <math.h>
#include <string.h>

enum { FROM_A_CELL = 8, MOST = 9 * FROM_A_CELL, LANES = 4 };

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
    four count;
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

// Copies boids of one cell. Of a crowded cell it takes a few, spread evenly, and others in each frame.
static void add_cell(crowd *c, const flock *f, uint32_t cell, float shift_x, float shift_y, uint32_t frame) {
    const grid *g = &f->grid;
    const uint32_t first = g->starts[cell], here = g->starts[cell + 1] - first;
    const uint32_t taken = here < FROM_A_CELL ? here : FROM_A_CELL;
    for (uint32_t i = 0; i < taken; ++i) {
        uint32_t at = i;
        if (here > FROM_A_CELL) at = (uint32_t)((uint64_t)i * here / FROM_A_CELL + frame) % here;
        const uint32_t place = first + at, next = c->count++;
        c->x[next] = g->x[place] + shift_x;
        c->y[next] = g->y[place] + shift_y;
        c->vx[next] = f->near_vx[place];
        c->vy[next] = f->near_vy[place];
    }
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
            const float shift_x = (int)column + left < 0                        ? -space->width
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

static void see(sight *s, const crowd *c, float x, float y, float range) {
    const four own_x = spread(x), own_y = spread(y), far = spread(range * range), none = spread(0);
    const four touch = spread(range * range * 0.3f);
    for (uint32_t i = 0; i < c->count; i += LANES) {
        const four dx = load(c->x + i) - own_x, dy = load(c->y + i) - own_y;
        const four distance = dx * dx + dy * dy; // squared
        const four_bits seen = (distance < far) & (distance > none);
        const four room = touch - distance;
        const four closer = where(seen & (room > none), room);
        s->count += where(seen, spread(1));
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
    const float count = sum(s.count);
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
