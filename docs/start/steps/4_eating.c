// SPDX-License-Identifier: MIT
// Step 4: the player eats smaller squares and grows; bigger ones bite.
#include <SDL.h>
#include <keel/keel.h>
#include <stdlib.h>

enum { WIDTH = 960, HEIGHT = 540 };

typedef struct Square { float x, y, size; } Square;
typedef struct Colour { Uint8 red, green, blue; } Colour;
typedef struct Pointer { float x, y; } Pointer;
KEEL_COMPONENT(Square);
KEEL_COMPONENT(Colour);
KEEL_TAG(Player);
KEEL_UNIQUE(Pointer);

typedef struct Velocity { float x, y; } Velocity;
typedef struct Dice { Uint32 state; } Dice; // the random generator belongs to the world
static const Dice first = { 1 };
KEEL_COMPONENT(Velocity);
KEEL_UNIQUE(Dice, .initial = &first);

typedef struct Score { int eaten; } Score;
typedef struct Eaten { keel_entity who; } Eaten;
static const Score none = { 0 };
KEEL_UNIQUE(Score, .initial = &none);
KEEL_EVENT(Eaten);

static float roll(Dice *dice, float below) { // a number from 0 to below
    dice->state = dice->state * 1664525u + 1013904223u;
    return (float)(dice->state >> 8) / 16777216.0f * below;
}

KEEL_SYSTEM(follow_pointer, KEEL_WITH(Player), KEEL_WRITE(Square, s), KEEL_UNIQUE_READ(Pointer, pointer)) {
    s->x += (pointer->x - s->x) * 0.15f;
    s->y += (pointer->y - s->y) * 0.15f;
}

KEEL_SYSTEM_ONCE(spawn, KEEL_UNIQUE_WRITE(Dice, dice), KEEL_COMMANDS(out)) {
    const bool left = roll(dice, 1) < 0.5f;
    keel_add_entity(out, KEEL_INIT(Square, { left ? 0 : WIDTH, roll(dice, HEIGHT), 10 + roll(dice, 30) }),
                    KEEL_INIT(Velocity, { left ? 2 : -2, roll(dice, 1) - 0.5f }), KEEL_INIT(Colour, { 90, 160, 240 }));
}

KEEL_SYSTEM(move, KEEL_WRITE(Square, s), KEEL_READ(Velocity, v)) {
    s->x += v->x;
    s->y += v->y;
}

KEEL_SYSTEM(leave, KEEL_READ(Square, s), KEEL_WITH(Velocity), KEEL_ENTITY(e), KEEL_COMMANDS(out)) {
    if (s->x < -50 || s->x > WIDTH + 50) keel_delete_entity(out, e);
}

static bool touch(const Square *a, const Square *b) {
    const float reach = (a->size + b->size) / 2;
    return SDL_fabsf(a->x - b->x) < reach && SDL_fabsf(a->y - b->y) < reach;
}

KEEL_SYSTEM(eat, KEEL_WITH(Player), KEEL_READ(Square, player), KEEL_MAY_READ(Square, Velocity), KEEL_CONTEXT(context),
            KEEL_SEND(Eaten, meals), KEEL_COMMANDS(out)) {
    KEEL_EACH(context, KEEL_READ(Square, s), KEEL_WITH(Velocity), KEEL_ENTITY(e))
        if (touch(player, s) && s->size < player->size) {
            keel_send(meals, Eaten, { e });
            keel_delete_entity(out, e);
        }
}

KEEL_SYSTEM(grow, KEEL_WITH(Player), KEEL_WRITE(Square, player), KEEL_RECEIVE(Eaten, meals), KEEL_UNIQUE_WRITE(Score, score)) {
    KEEL_EACH_EVENT(meals, Eaten, meal) {
        player->size += 2;
        ++score->eaten;
        SDL_Log("entity %u eaten, %d in all", (unsigned)keel_entity_index(meal->who), score->eaten);
    }
}

KEEL_WORKLOAD(frame, KEEL_STEP(follow_pointer), KEEL_STEP(move), KEEL_STEP(leave), KEEL_STEP(eat), KEEL_STEP(grow),
              KEEL_STEP(spawn, .every = 0.5));

static void draw(keel_world *world, SDL_Renderer *renderer) {
    SDL_SetRenderDrawColor(renderer, 20, 24, 32, 255);
    SDL_RenderClear(renderer);
    KEEL_EACH(world, KEEL_READ(Square, s), KEEL_READ(Colour, c)) {
        const SDL_FRect box = { s->x - s->size / 2, s->y - s->size / 2, s->size, s->size };
        SDL_SetRenderDrawColor(renderer, c->red, c->green, c->blue, 255);
        SDL_RenderFillRectF(renderer, &box);
    }
    SDL_RenderPresent(renderer);
}

int main(int argc, char **argv) {
    int frames = argc > 1 ? atoi(argv[1]) : -1;
    if (SDL_Init(SDL_INIT_VIDEO) < 0) return 1;
    SDL_Window *window = SDL_CreateWindow("Square Eater", 0, 0, WIDTH, HEIGHT, 0);
    SDL_Renderer *renderer = SDL_CreateRenderer(window, -1, 0);
    if (!renderer) return 1;

    keel_world *world = keel_world_create(NULL);
    keel_add_entity(world, KEEL_INIT(Player), KEEL_INIT(Square, { WIDTH / 2, HEIGHT / 2, 30 }),
                    KEEL_INIT(Colour, { 250, 200, 60 }));

    for (bool open = true; open && frames != 0; --frames) {
        SDL_Event event;
        while (SDL_PollEvent(&event))
            if (event.type == SDL_QUIT) open = false;
        int x, y;
        SDL_GetMouseState(&x, &y);
        keel_set_unique(world, Pointer, { (float)x, (float)y });
        if (keel_run_workload(world, frame, .dt = 1.0 / 60) < 0) SDL_Log("%s", keel_last_error(world)->message);
        draw(world, renderer);
        SDL_Delay(16);
    }
    keel_world_destroy(world);
    SDL_Quit();
    return 0;
}
