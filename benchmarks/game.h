// SPDX-License-Identifier: MIT
// A small game: its components, what its systems do to one entity, and who has which component. The
// raw and the Keel version share all of it, so that their results are the same to the bit. (After
// the systems and the population of abeimler/ecs_benchmark.)
#pragma once
#include "bench.h"

#include <string.h>

#define GAME_DT (1.0f / 60.0f)
enum { GAME_WIDTH = 320, GAME_HEIGHT = 240, GAME_BLOCK = 100 };

typedef struct game_random { // xoshiro128**
    uint32_t s[4];
} game_random;

typedef struct Data {
    int32_t thingy;
    double dingy;
    bool mingy;
    uint32_t seed;
    game_random random;
    uint32_t numgy;
} Data;

typedef enum player_kind { PLAYER_NPC, PLAYER_MONSTER, PLAYER_HERO } player_kind;
typedef struct Player {
    game_random random;
    player_kind kind;
} Player;

typedef enum health_status { STATUS_SPAWN, STATUS_DEAD, STATUS_ALIVE } health_status;
typedef struct Health {
    int32_t hp, maxhp;
    health_status status;
} Health;

typedef struct Damage {
    int32_t atk, def;
} Damage;
typedef struct Sprite {
    char character;
} Sprite;

typedef struct Screen {
    char *pixels; // GAME_WIDTH * GAME_HEIGHT
} Screen;

// ---- random numbers ----
static inline game_random game_seeded(uint32_t seed) { // splitmix32
    game_random r;
    for (int k = 0; k < 4; ++k) {
        seed += 0x9E3779B9u;
        uint32_t z = seed;
        z = (z ^ (z >> 16)) * 0x85EBCA6Bu;
        z = (z ^ (z >> 13)) * 0xC2B2AE35u;
        r.s[k] = z ^ (z >> 16);
    }
    return r;
}
static inline uint32_t game_rotated(uint32_t x, int by) { return (x << by) | (x >> (32 - by)); }
static inline uint32_t game_next(game_random *r) {
    const uint32_t result = game_rotated(r->s[1] * 5, 7) * 9, t = r->s[1] << 9;
    r->s[2] ^= r->s[0];
    r->s[3] ^= r->s[1];
    r->s[1] ^= r->s[2];
    r->s[0] ^= r->s[3];
    r->s[2] ^= t;
    r->s[3] = game_rotated(r->s[3], 11);
    return result;
}
static inline int32_t game_between(game_random *r, uint32_t low, uint32_t high) {
    return (int32_t)(low + game_next(r) % (high - low + 1));
}

// ---- one entity in each system ----
static inline void game_move(Position *p, const Velocity *v) {
    p->x += v->x * GAME_DT;
    p->y += v->y * GAME_DT;
}
static inline void game_data(Data *d) {
    d->thingy = (d->thingy + 1) % 1000000;
    d->dingy += 0.0001 * (double)GAME_DT;
    d->mingy = !d->mingy;
    d->numgy = game_next(&d->random);
}
static inline void game_steer(const Position *p, Velocity *v, Data *d) {
    if (d->thingy % 10 != 0) return;
    const float along = (float)(game_between(&d->random, 3, 19) - 10);
    const float across = (float)game_between(&d->random, 0, 5);
    v->x = p->x > p->y ? along : across;
    v->y = p->x > p->y ? across : along;
}
static inline void game_health(Health *h) {
    if (h->hp <= 0 && h->status != STATUS_DEAD) {
        h->hp = 0;
        h->status = STATUS_DEAD;
    } else if (h->status == STATUS_DEAD && h->hp == 0) {
        h->hp = h->maxhp;
        h->status = STATUS_SPAWN;
    } else if (h->hp >= h->maxhp && h->status != STATUS_ALIVE) {
        h->hp = h->maxhp;
        h->status = STATUS_ALIVE;
    } else {
        h->status = STATUS_ALIVE;
    }
}
static inline void game_damage(Health *h, const Damage *d) {
    const int32_t damage = d->atk - d->def;
    if (h->hp > 0 && damage > 0) h->hp = h->hp > damage ? h->hp - damage : 0;
}
static inline void game_sprite(Sprite *s, const Player *p, const Health *h) {
    static const char alive[] = { [PLAYER_NPC] = 'h', [PLAYER_MONSTER] = 'k', [PLAYER_HERO] = '@' };
    s->character = h->status == STATUS_ALIVE  ? alive[p->kind]
                   : h->status == STATUS_DEAD ? '|'
                                              : '_';
}
static inline void game_render(Screen *screen, const Position *p, const Sprite *s) {
    const int x = (int)p->x, y = (int)p->y;
    if (x >= 0 && y >= 0 && x < GAME_WIDTH && y < GAME_HEIGHT)
        screen->pixels[y * GAME_WIDTH + x] = s->character;
}

// ---- who has what ----
typedef enum game_kind {
    GAME_SYSTEMS,
    GAME_SYSTEMS_MIXED,
    GAME_COMPLEX,
    GAME_COMPLEX_MIXED
} game_kind;
enum { GAME_HAS_POSITION = 1, GAME_HAS_VELOCITY = 2, GAME_HAS_DATA = 4, GAME_IS_HERO = 8 };

typedef struct game_entity {
    Position p;
    Velocity v;
    Data d;
    Player player; // from here on: of heroes, monsters and others
    Health health;
    Damage damage;
    Sprite sprite;
} game_entity;

// What entity `i` of `n` is made with, as GAME_HAS_* and GAME_IS_HERO.
static inline uint32_t game_parts(game_kind kind, uint32_t i, uint32_t n) {
    const uint32_t body = GAME_HAS_POSITION | GAME_HAS_VELOCITY;
    switch (kind) {
    case GAME_SYSTEMS:
        return body | GAME_HAS_DATA;
    case GAME_SYSTEMS_MIXED:
        return i < n / 2 ? body | GAME_HAS_DATA : body;
    case GAME_COMPLEX:
        return body | GAME_HAS_DATA | GAME_IS_HERO;
    case GAME_COMPLEX_MIXED:
        break;
    }
    return body | GAME_HAS_DATA | (i / GAME_BLOCK % 2 ? GAME_IS_HERO : 0u);
}
// What it loses when all are there; UINT32_MAX: it is destroyed.
static inline uint32_t game_losses(game_kind kind, uint32_t i, uint32_t n) {
    if (kind != GAME_COMPLEX_MIXED || i < n / 2 || i > n / 4 * 3 || i % 10) return 0;
    if (i % 17 == 0) return UINT32_MAX;
    return (i % 7 ? 0u : GAME_HAS_POSITION) | (i % 11 ? 0u : GAME_HAS_VELOCITY) |
           (i % 13 ? 0u : GAME_HAS_DATA);
}

static inline game_entity game_entity_of(uint32_t i) {
    game_entity e;
    memset(&e, 0, sizeof e);
    e.v = (Velocity){ 1, 1 };
    e.d.seed = 340383;
    e.d.random = game_seeded(e.d.seed);
    game_random *r = &e.player.random;
    *r = game_seeded(i);
    e.p = (Position){ (float)game_between(r, 0, GAME_WIDTH - 1),
                      (float)game_between(r, 0, GAME_HEIGHT - 1) };
    const int32_t roll = game_between(r, 1, 100);
    e.player.kind = roll <= 3 ? PLAYER_NPC : roll <= 30 ? PLAYER_HERO : PLAYER_MONSTER;
    const bool is_hero = e.player.kind == PLAYER_HERO;
    e.health.maxhp = is_hero ? game_between(r, 5, 15) : game_between(r, 4, 12);
    e.health.hp = e.health.maxhp;
    e.damage.def = is_hero ? game_between(r, 2, 6) : game_between(r, 2, 8);
    e.damage.atk = is_hero ? game_between(r, 4, 10) : game_between(r, 3, 9);
    if (e.player.kind == PLAYER_NPC) e.damage.atk = 0;
    e.sprite.character = '_';
    return e;
}

// Frames in one sample.
static inline uint32_t game_frames(uint32_t n) { return n >= 262144 ? 1 : 262144 / n; }

// ---- checksums: the sum over all values, whatever their order ----
static inline uint64_t game_mixed(uint64_t x) {
    x = (x ^ (x >> 31)) * 0x9E3779B97F4A7C15u;
    return x ^ (x >> 29);
}
static inline uint64_t game_two_floats(float x, float y) {
    uint32_t bits[2];
    memcpy(&bits[0], &x, sizeof x);
    memcpy(&bits[1], &y, sizeof y);
    return game_mixed((uint64_t)bits[0] << 32 | bits[1]);
}
static inline uint64_t game_data_sum(const Data *d) {
    uint64_t dingy;
    memcpy(&dingy, &d->dingy, sizeof dingy);
    return game_mixed(dingy ^ (uint64_t)d->thingy << 32 ^ d->numgy ^ d->mingy);
}
static inline uint64_t game_health_sum(const Health *h) {
    return game_mixed((uint64_t)h->hp << 32 | (uint64_t)h->maxhp << 8 | (uint64_t)h->status);
}
