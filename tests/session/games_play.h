// SPDX-License-Identifier: MIT
// The game that random sessions play: random edits of everything that a world can have, decided by
// the inputs alone. It records the inputs of each frame, so that machines can be compared.
#pragma once
#include "rewind/random_game.h"

#include <keel_session.h>

typedef struct Pad {
    uint32_t bits;
} Pad;

// The inputs of a frame, when it was last played.
typedef struct game_frame {
    uint32_t bits[KEEL_SESSION_MAX_PLAYERS];
    uint8_t plays[KEEL_SESSION_MAX_PLAYERS];
    bool was_played;
} game_frame;

typedef struct game_data {
    game_frame *frames;
    uint64_t capacity, confirmed;
} game_data;
static game_data *game_current; // of the machine that plays now

KEEL_SYSTEM_ONCE(record_inputs, KEEL_UNIQUE_READ(keel_inputs, in)) {
    if (in->frame >= game_current->capacity) return;
    game_frame *f = &game_current->frames[in->frame];
    *f = (game_frame){ .was_played = true };
    for (uint32_t i = 0; i < in->players; ++i) {
        f->bits[i] = keel_input_of(in, i, Pad)->bits;
        f->plays[i] = in->state[i] != KEEL_INPUT_GONE;
    }
}

static void random_edit(game *g) {
    keel_world *w = g->f.world;
    const uint32_t what = roll(16);
    if (what < 4) {
        const keel_entity e =
            keel_add_entity(w, KEEL_INIT(Sparse, { roll(1000) }), KEEL_INIT(Row, { roll(100) }));
        add_values(g, e);
    } else if (what < 8) add_values(g, anybody(g));
    else if (what < 10) take_values(g, anybody(g));
    else if (what < 11) (void)keel_delete_entity(w, anybody(g));
    else if (what < 13) relate_some(g);
    else if (what < 14) turn_some(g);
    else (void)keel_send(w, Ping, { roll(100) });
    keel_clear_errors(w);
}

// Edits at random: what and whom, only the inputs and the frame decide.
KEEL_SYSTEM_ONCE(edit_by_inputs, KEEL_UNIQUE_READ(keel_inputs, in), KEEL_WORLD(world)) {
    game g = { .f.world = world };
    for (uint32_t i = 0; i < in->players; ++i) {
        if (in->state[i] == KEEL_INPUT_GONE) continue;
        state = in->frame * 0x9e3779b97f4a7c15u + keel_input_of(in, i, Pad)->bits * 31 + i + 1;
        for (uint32_t k = 0; k < 3; ++k)
            (void)roll(2);
        for (uint32_t k = 0; k < 3; ++k)
            random_edit(&g);
    }
}

KEEL_WORKLOAD(session_game, KEEL_STEP(record_inputs), KEEL_STEP(edit_by_inputs),
              KEEL_NESTED(frame));

// ------------------------------------------------------------------ a small game
typedef struct Ship {
    float x, y;
    uint32_t slot, shots;
} Ship;
typedef struct Shot {
    float x, y;
    int32_t life;
} Shot;
KEEL_COMPONENT(Ship, .no_padding = true, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Shot, .no_padding = true, .storage = KEEL_ARCHETYPE);
KEEL_SYSTEM(fly_ship, KEEL_WRITE(Ship, s), KEEL_UNIQUE_READ(keel_inputs, in), KEEL_COMMANDS(out)) {
    const uint32_t bits = keel_input_of(in, s->slot, Pad)->bits;
    if (in->state[s->slot] == KEEL_INPUT_GONE) s->y += 1;
    s->x += (float)(bits & 15) * 0.01F;
    if (!(bits & 64)) return;
    ++s->shots;
    keel_add_entity(out, KEEL_INIT(Shot, { s->x, s->y, 9 }));
}
KEEL_SYSTEM(fly_shot, KEEL_WRITE(Shot, s), KEEL_ENTITY(e), KEEL_COMMANDS(out)) {
    s->x += 0.3F;
    if (--s->life <= 0) keel_delete_entity(out, e);
}
KEEL_WORKLOAD(small_game, KEEL_STEP(record_inputs), KEEL_STEP(fly_ship), KEEL_STEP(fly_shot));

static bool is_small; // the game that is played
static const keel_workload *game_step(void) {
    return is_small ? KEEL_WORKLOAD_OF(small_game) : KEEL_WORKLOAD_OF(session_game);
}

static keel_world *small_world(void) {
    static api_fixture f;
    api_begin_workers(&f, 1);
    keel_register(f.world, Ship, Shot);
    for (uint32_t i = 0; i < KEEL_SESSION_MAX_PLAYERS; ++i)
        keel_add_entity(f.world, KEEL_INIT(Ship, { 0, 0, i, 0 }));
    return f.world;
}

// Creates a world with some entities, the same each time.
static keel_world *game_world(void) {
    if (is_small) return small_world();
    static game g;
    has_texts = false;
    (void)step; // other games use these
    (void)check;
    populate(&g, 1);
    keel_world *w = g.f.world;
    state = 12345;
    for (uint32_t i = 0; i < 60; ++i)
        add_values(&g, keel_add_entity(w, KEEL_INIT(Sparse, { roll(1000) })));
    return w;
}

// Plays one frame without a session.
static void game_play(keel_world *w, uint64_t frame_number, const game_frame *f) {
    keel_inputs *in = keel_get_or_set_unique_value(w, KEEL_UNIQUE_OF(keel_inputs), NULL);
    *in = (keel_inputs){ .frame = frame_number,
                         .players = KEEL_SESSION_MAX_PLAYERS,
                         .size = sizeof(Pad) };
    for (uint32_t i = 0; i < KEEL_SESSION_MAX_PLAYERS; ++i) {
        in->state[i] = f->plays[i] ? KEEL_INPUT_CONFIRMED : KEEL_INPUT_GONE;
        memcpy(in->bytes[i], &f->bits[i], sizeof f->bits[i]);
    }
    (void)keel_run_workload_of(w, game_step(), &(keel_run_desc){ .dt = 1.0 / 60 });
}
