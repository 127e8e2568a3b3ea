// SPDX-License-Identifier: MIT
// A program that runs in a window and in a browser: docs/tasks/ship.md.
#include "keel.h"
#include <SDL.h>
#ifdef __EMSCRIPTEN__
#include <emscripten.h>
#endif

typedef struct Ball { float x, y, dx, dy; } Ball;
KEEL_COMPONENT(Ball);

KEEL_SYSTEM(bounce, KEEL_WRITE(Ball, b)) {
    b->x += b->dx;
    b->y += b->dy;
    if (b->x < 0 || b->x > 640) b->dx = -b->dx;
    if (b->y < 0 || b->y > 360) b->dy = -b->dy;
}
KEEL_WORKLOAD(frame, KEEL_STEP(bounce));

typedef struct App { keel_world *world; SDL_Renderer *renderer; bool open; } App;

static void run_frame(void *data) { // one frame; a browser calls it
    App *app = data;
    SDL_Event event;
    while (SDL_PollEvent(&event))
        if (event.type == SDL_QUIT) app->open = false;
    if (keel_run_workload(app->world, frame) < 0) SDL_Log("%s", keel_last_error(app->world)->message);
    SDL_SetRenderDrawColor(app->renderer, 20, 24, 32, 255);
    SDL_RenderClear(app->renderer);
    SDL_SetRenderDrawColor(app->renderer, 250, 200, 60, 255);
    KEEL_EACH(app->world, KEEL_READ(Ball, b)) SDL_RenderFillRectF(app->renderer, &(SDL_FRect){ b->x - 5, b->y - 5, 10, 10 });
    SDL_RenderPresent(app->renderer);
}

int main(int argc, char **argv) {
    static App app = { .open = true }; // static: in a browser main returns, and the frames go on
    (void)argc, (void)argv;
    SDL_Init(SDL_INIT_VIDEO);
    SDL_Window *window = SDL_CreateWindow("Balls", 0, 0, 640, 360, 0);
    app.renderer = SDL_CreateRenderer(window, -1, 0);
    app.world = keel_world_create(NULL);
    for (int i = 0; i < 100; ++i)
        keel_add_entity(app.world, KEEL_INIT(Ball, { 320, 180, (float)(i % 9) - 4, (float)(i % 7) - 3 }));
#ifdef __EMSCRIPTEN__
    emscripten_set_main_loop_arg(run_frame, &app, 0, false);
#else
    while (app.open) {
        run_frame(&app);
        SDL_Delay(16);
    }
    keel_world_destroy(app.world);
    SDL_Quit();
#endif
    return 0;
}
