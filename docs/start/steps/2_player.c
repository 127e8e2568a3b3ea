// SPDX-License-Identifier: MIT
// Step 2: the square is a player, who follows the pointer.
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

KEEL_SYSTEM(follow_pointer, KEEL_WITH(Player), KEEL_WRITE(Square, s), KEEL_UNIQUE_READ(Pointer, pointer)) {
    s->x += (pointer->x - s->x) * 0.15f;
    s->y += (pointer->y - s->y) * 0.15f;
}

KEEL_WORKLOAD(frame, KEEL_STEP(follow_pointer));

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
        if (keel_run_workload(world, frame) < 0) SDL_Log("%s", keel_last_error(world)->message);
        draw(world, renderer);
        SDL_Delay(16);
    }
    keel_world_destroy(world);
    SDL_Quit();
    return 0;
}
