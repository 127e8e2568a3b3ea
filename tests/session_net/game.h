// SPDX-License-Identifier: MIT
// The game that session_peer plays: ships that are steered by inputs, and sparks that they leave
// behind, which drift, bounce and burn out. It stands still from a frame on, so that all machines
// have the same world at the end, however long each waits for the others.
#pragma once
#include <keel_maths.h>
#include <keel_session.h>

typedef struct Pad {
    uint32_t bits;
} Pad;
typedef struct Ship {
    uint32_t player;
    float angle;
} Ship;
typedef struct Body {
    float x, y, vx, vy;
} Body;
typedef struct Spark {
    uint32_t frames_left;
} Spark;
typedef struct Field {
    float size;
    uint64_t sparks;
} Field;
KEEL_FIELDS(Ship, player, angle);
KEEL_FIELDS(Body, x, y, vx, vy);
KEEL_FIELDS(Spark, frames_left);
KEEL_FIELDS(Field, size, sparks);
KEEL_COMPONENT(Ship, KEEL_HAS_FIELDS(Ship));
KEEL_COMPONENT(Body, KEEL_HAS_FIELDS(Body), .storage = KEEL_INDEXED);
KEEL_COMPONENT(Spark, KEEL_HAS_FIELDS(Spark), .storage = KEEL_ARCHETYPE);
KEEL_UNIQUE(Field, KEEL_HAS_FIELDS(Field));

static uint64_t game_end = UINT64_MAX; // the game stands still from this frame on
static uint32_t game_input_size = sizeof(Pad);

static bool game_is_over(const keel_inputs *in) { return in->frame >= game_end; }

static uint32_t game_bits(const keel_inputs *in, uint32_t player) {
    return ((const Pad *)keel_input_at(in, player, game_input_size))->bits;
}

KEEL_SYSTEM(steer, KEEL_WRITE(Body, body), KEEL_WRITE(Ship, ship),
            KEEL_UNIQUE_READ(keel_inputs, in)) {
    if (game_is_over(in)) return;
    const uint32_t bits = game_bits(in, ship->player);
    if (bits & 1) ship->angle += 0.1f;
    if (bits & 2) ship->angle -= 0.1f;
    if (!(bits & 4)) return;
    body->vx += keel_cosf(ship->angle) * 0.2f;
    body->vy += keel_sinf(ship->angle) * 0.2f;
}

KEEL_SYSTEM(emit, KEEL_READ(Body, body), KEEL_READ(Ship, ship), KEEL_UNIQUE_READ(keel_inputs, in),
            KEEL_UNIQUE_WRITE(Field, field), KEEL_COMMANDS(commands)) {
    const uint32_t bits = game_bits(in, ship->player);
    if (game_is_over(in) || !(bits & 8)) return;
    ++field->sparks;
    const float turn = ship->angle + (float)(bits >> 8 & 255) / 81;
    keel_add_entity(commands,
                    KEEL_INIT(Body, { body->x, body->y, body->vx - keel_cosf(turn) * 2,
                                      body->vy - keel_sinf(turn) * 2 }),
                    KEEL_INIT(Spark, { 20 + (bits >> 16 & 63) }));
}

KEEL_SYSTEM(move, KEEL_WRITE(Body, body), KEEL_UNIQUE_READ(keel_inputs, in),
            KEEL_UNIQUE_READ(Field, field)) {
    if (game_is_over(in)) return;
    body->x += body->vx / 60;
    body->y += body->vy / 60;
    if (body->x < 0 || body->x > field->size) body->vx = -body->vx;
    if (body->y < 0 || body->y > field->size) body->vy = -body->vy;
}

KEEL_SYSTEM(burn, KEEL_WRITE(Spark, spark), KEEL_ENTITY(e), KEEL_UNIQUE_READ(keel_inputs, in),
            KEEL_COMMANDS(commands)) {
    if (game_is_over(in)) return;
    if (!spark->frames_left--) keel_delete_entity(commands, e);
}

KEEL_WORKLOAD(game_frame, KEEL_STEP(steer), KEEL_STEP(emit), KEEL_STEP(move), KEEL_STEP(burn));

// Creates the world of frame 0: a ship for each slot, and some drifting bodies.
static keel_world *game_world(uint32_t ballast_size) {
    static keel_component ballast = { .name = "Ballast", .align = 1, .no_padding = true };
    ballast.size = ballast_size;
    keel_world *world = keel_world_create(NULL);
    keel_register_component(world, KEEL_OF(Body));
    keel_register_component(world, KEEL_OF(Spark));
    keel_register_component(world, &ballast);
    keel_set_unique(world, Field, { 100, 0 });
    for (uint32_t i = 0; i < KEEL_SESSION_MAX_PLAYERS; ++i)
        keel_add_entity(world, KEEL_INIT(Ship, { i, 0 }), KEEL_INIT(Body, { 50, 50, (float)i, 1 }));
    for (uint32_t i = 0; i < 300; ++i)
        keel_add_entity(world, KEEL_INIT(Body, { (float)(i % 100), (float)(i / 3), (float)(i % 7),
                                                 (float)(i % 5) }));
    return world;
}
