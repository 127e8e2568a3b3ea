// SPDX-License-Identifier: MIT
// The automatic player: food pulls it, hunters push it away, and it walks where the sum points. It plays for
// headless runs, for tests and for `--auto`.
#include "autoplay.h"
#include <math.h>

typedef struct Pull {
    float x, y;
} Pull;

static void add_pull(Pull *pull, const Position *from, const Position *to, float force) {
    const float x = to->x - from->x;
    const float y = to->y - from->y;
    const float far = sqrtf(x * x + y * y) + 8;
    pull->x += x / far * force / far;
    pull->y += y / far * force / far;
}

// Returns how much a square attracts: food by its size, hunters not at all unless they can be eaten.
static float force_of(const Friend *friend, const Player *player, float side) {
    if (!friend->grown) return 4 + side;
    if (player->power > 40) return 60;
    return player->invincible > 30 ? 0 : -50;
}

static Pull pull_on(keel_world *world, const Player *player, const Position *at, bool careless) {
    Pull pull = { 0, 0 };
    KEEL_EACH(world, KEEL_READ(Friend, friend), KEEL_READ(Position, p), KEEL_READ(Size, size)) {
        const float force = force_of(friend, player, size->side);
        add_pull(&pull, at, p, careless ? (friend->grown ? 50 : 0) : force);
    }
    if (careless) return pull;
    KEEL_EACH(world, KEEL_WITH(Pellet), KEEL_READ(Position, p)) add_pull(&pull, at, p, player->power > 60 ? 0 : 120);
    const Position middle = { ARENA_WIDTH / 2, ARENA_HEIGHT / 2 };
    add_pull(&pull, at, &middle, 30); // corners are traps
    return pull;
}

static int8_t sign_of(float part, float whole) {
    if (part > whole * 0.38f) return 1;
    return part < -whole * 0.38f ? -1 : 0;
}

static uint16_t buttons_for(Phase phase, autoplay_goal goal, uint32_t frame, uint32_t frames) {
    if (goal == GOAL_MENU) return 0;
    if (phase == MENU && frame >= 30) return PRESS_START;
    if (phase == OVER && goal != GOAL_OVER && frame % 120 == 0) return PRESS_START;
    if (phase == PLAYING && goal == GOAL_PAUSE && frame + 1 == frames) return PRESS_PAUSE;
    return 0;
}

Input autoplay_input(keel_world *world, autoplay_goal goal, uint32_t frame, uint32_t frames) {
    const Phase *phase = keel_get_unique(world, Phase);
    Input input = { .pads[0] = { 0 } };
    for (int i = 0; i < MAX_PLAYERS; ++i)
        input.pads[i].buttons = buttons_for(phase ? *phase : MENU, goal, frame, frames);
    KEEL_EACH(world, KEEL_READ(Player, player), KEEL_READ(Position, p)) {
        const Pull pull = pull_on(world, player, p, goal == GOAL_OVER && frame > 600);
        const float whole = sqrtf(pull.x * pull.x + pull.y * pull.y);
        input.pads[player->index].x = sign_of(pull.x, whole);
        input.pads[player->index].y = sign_of(pull.y, whole);
    }
    return input;
}
