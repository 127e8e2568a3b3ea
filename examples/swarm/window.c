// SPDX-License-Identifier: MIT
// The window: events, and one texture that is filled in each frame.
#include "window.h"
#include "show.h"
#include <SDL.h>
#include <stdio.h>
#include <string.h>
#ifdef __EMSCRIPTEN__
#include <emscripten.h>
#include <emscripten/html5.h>

// Tells the page how long the work of the last frame took, in milliseconds, and how many boids there are.
EM_JS(void, tell_page, (double work, int entities), { window.keelFrame = { work : work, entities : entities }; })
#endif

enum { USUAL_BOIDS = 100000, FIRST_BOIDS = 20000, TRIAL_FRAMES = 50 };

typedef struct app {
    show show;
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_Texture *texture;
    uint32_t texture_width, texture_height;
    uint32_t cores;
    uint32_t trial;   // frames until the number of boids is chosen
    float trial_time; // of these frames
    bool sliding, over, failed;
    float pointer_x, pointer_y, pull; // pixels of the picture
} app;

// ---- input --------------------------------------------------------------------------------------

// Tells the swarm where somebody points to.
static void tell_pointer(app *a) {
    Pointer *pointer = keel_get_unique_mut(a->show.world, Pointer);
    const Space *space = keel_get_unique(a->show.world, Space);
    if (!pointer || !space) return;
    pointer->x = a->pointer_x / (float)a->show.picture.width * space->width;
    pointer->y = a->pointer_y / (float)a->show.picture.height * space->height;
    pointer->pull = a->sliding ? 0 : a->pull;
}

static void press(app *a, float x, float y, float pull) {
    a->pointer_x = x;
    a->pointer_y = y;
    a->sliding = panel_is_slider(&a->show.picture, x, y);
    a->pull = pull;
    a->trial = 0; // somebody chooses
    if (a->sliding && !show_set_count(&a->show, panel_boids_at(&a->show.picture, x))) a->failed = true;
}

static void drag(app *a, float x, float y) {
    a->pointer_x = x;
    a->pointer_y = y;
    if (a->sliding && !show_set_count(&a->show, panel_boids_at(&a->show.picture, x))) a->failed = true;
}

static void change_count(app *a, int by) {
    const int64_t wanted = (int64_t)a->show.state.boids + by;
    a->trial = 0;
    if (!show_set_count(&a->show, wanted < SLIDER_MIN ? SLIDER_MIN : wanted > SLIDER_MAX ? SLIDER_MAX : (uint32_t)wanted))
        a->failed = true;
}

// 1, 2, all of them, and 1 again.
static void change_threads(app *a) {
    const uint32_t now = a->show.state.threads;
    const uint32_t next = now == 1 && a->cores > 1 ? 2 : now == 2 && a->cores > 2 ? a->cores : 1;
    if (!show_set_threads(&a->show, next)) a->failed = true;
}

static void press_key(app *a, SDL_Keycode key) {
    switch (key) {
    case SDLK_SPACE:
        a->show.state.paused = !a->show.state.paused;
        break;
    case SDLK_PLUS:
    case SDLK_EQUALS:
    case SDLK_KP_PLUS:
        change_count(a, 10000);
        break;
    case SDLK_MINUS:
    case SDLK_KP_MINUS:
        change_count(a, -10000);
        break;
    case SDLK_t:
        change_threads(a);
        break;
    case SDLK_f:
        SDL_SetWindowFullscreen(
            a->window, SDL_GetWindowFlags(a->window) & SDL_WINDOW_FULLSCREEN_DESKTOP ? 0 : SDL_WINDOW_FULLSCREEN_DESKTOP);
        break;
    case SDLK_q:
    case SDLK_ESCAPE:
        a->over = true;
        break;
    default:
        break;
    }
}

// Positions of the mouse are in units of the window, which may have more pixels.
static void handle_mouse(app *a, const SDL_Event *event) {
    int width, height;
    SDL_GetWindowSize(a->window, &width, &height);
    const float scale_x = (float)a->show.picture.width / (float)width, scale_y = (float)a->show.picture.height / (float)height;
    switch (event->type) {
    case SDL_MOUSEBUTTONDOWN:
        if (event->button.which == SDL_TOUCH_MOUSEID) break;
        press(a, (float)event->button.x * scale_x, (float)event->button.y * scale_y,
              event->button.button == SDL_BUTTON_LEFT ? 1 : -1.5f);
        break;
    case SDL_MOUSEBUTTONUP:
        a->sliding = false;
        a->pull = -0.5f;
        break;
    default:
        if (event->motion.which == SDL_TOUCH_MOUSEID) break;
        drag(a, (float)event->motion.x * scale_x, (float)event->motion.y * scale_y);
        if (!event->motion.state) a->pull = -0.5f; // it only hovers: a hunter
    }
}

static void handle(app *a, const SDL_Event *event) {
    const float width = (float)a->show.picture.width, height = (float)a->show.picture.height;
    switch (event->type) {
    case SDL_QUIT:
        a->over = true;
        break;
    case SDL_KEYDOWN:
        press_key(a, event->key.keysym.sym);
        break;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
    case SDL_MOUSEMOTION:
        handle_mouse(a, event);
        break;
    case SDL_FINGERDOWN:
        press(a, event->tfinger.x * width, event->tfinger.y * height, 1);
        break;
    case SDL_FINGERMOTION:
        drag(a, event->tfinger.x * width, event->tfinger.y * height);
        break;
    case SDL_FINGERUP:
        a->pull = 0, a->sliding = false;
        break;
    case SDL_WINDOWEVENT:
        if (event->window.event == SDL_WINDOWEVENT_LEAVE) a->pull = 0;
        break;
    default:
        break;
    }
}

// ---- output -------------------------------------------------------------------------------------

// Gives the picture and the texture the size of the window.
static bool fit(app *a) {
    int width, height;
#ifdef __EMSCRIPTEN__
    double page_width, page_height;
    emscripten_get_element_css_size("#canvas", &page_width, &page_height);
    SDL_GetWindowSize(a->window, &width, &height);
    if (page_width >= 64 && page_height >= 64 && ((int)page_width != width || (int)page_height != height))
        SDL_SetWindowSize(a->window, (int)page_width, (int)page_height);
#endif
    SDL_GetRendererOutputSize(a->renderer, &width, &height);
    if (width < 64 || height < 64) return true; // as a window that is hidden
    if (!show_set_size(&a->show, (uint32_t)width, (uint32_t)height)) return false;
    if (a->texture && a->texture_width == (uint32_t)width && a->texture_height == (uint32_t)height) return true;
    if (a->texture) SDL_DestroyTexture(a->texture);
    a->texture = SDL_CreateTexture(a->renderer, SDL_PIXELFORMAT_ARGB8888, SDL_TEXTUREACCESS_STREAMING, width, height);
    a->texture_width = (uint32_t)width;
    a->texture_height = (uint32_t)height;
    if (!a->texture) fprintf(stderr, "swarm: the window has no texture: %s\n", SDL_GetError());
    return a->texture != NULL;
}

static void present(app *a) {
    const picture *p = &a->show.picture;
    if (p->width == a->texture_width && p->height == a->texture_height)
        SDL_UpdateTexture(a->texture, NULL, p->pixels, (int)(p->width * sizeof *p->pixels));
    SDL_RenderCopy(a->renderer, a->texture, NULL, NULL);
    SDL_RenderPresent(a->renderer);
}

// Chooses the number of boids when the first second has shown how long a frame takes: some ten milliseconds is what it may.
static bool try_machine(app *a) {
    if (!a->trial) return true;
    a->trial_time += a->show.measure.frame.last;
    if (--a->trial) return true;
    const float mean = a->trial_time / TRIAL_FRAMES, possible = FIRST_BOIDS * 10 / (mean > 0.1f ? mean : 0.1f);
    const uint32_t boids = possible > USUAL_BOIDS ? USUAL_BOIDS : possible < FIRST_BOIDS ? FIRST_BOIDS : (uint32_t)possible;
    return show_set_count(&a->show, boids / 1000 * 1000);
}

static void run_frame(void *data) {
    app *a = data;
    for (SDL_Event event; SDL_PollEvent(&event);)
        handle(a, &event);
    tell_pointer(a);
    a->failed = a->failed || !fit(a) || !show_frame(&a->show) || !try_machine(a);
    if (a->failed) return;
    panel_draw(&a->show.picture, &a->show.measure, &a->show.state);
    present(a);
#ifdef __EMSCRIPTEN__
    tell_page((double)a->show.measure.frame.last, (int)a->show.state.boids);
#endif
}

static bool open_window(app *a, const options *o) {
    SDL_SetHint(SDL_HINT_TOUCH_MOUSE_EVENTS, "0");
    if (SDL_Init(SDL_INIT_VIDEO) < 0) {
        fprintf(stderr, "swarm: there is no display: %s; --shot and --headless need none\n", SDL_GetError());
        return false;
    }
    uint32_t flags = SDL_WINDOW_RESIZABLE;
#ifndef __EMSCRIPTEN__ // a phone has more pixels than it can fill in time
    flags |= SDL_WINDOW_ALLOW_HIGHDPI;
#endif
    a->window = SDL_CreateWindow("Swarm", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, (int)o->width, (int)o->height, flags);
    a->renderer = a->window ? SDL_CreateRenderer(a->window, -1, SDL_RENDERER_PRESENTVSYNC) : NULL;
    if (!a->renderer) fprintf(stderr, "swarm: the window was not opened: %s\n", SDL_GetError());
    return a->renderer != NULL;
}

static int close_window(app *a, int status) {
    show_end(&a->show);
    if (a->texture) SDL_DestroyTexture(a->texture);
    if (a->renderer) SDL_DestroyRenderer(a->renderer);
    if (a->window) SDL_DestroyWindow(a->window);
    SDL_Quit();
    return status;
}

#ifdef __EMSCRIPTEN__
static void run_page_frame(void *data) {
    app *a = data;
    run_frame(a);
    if (a->failed) emscripten_cancel_main_loop(); // a page is never over
}
#endif

int window_run(const options *o) {
    static app a; // emscripten comes back to it after this function
    if (!open_window(&a, o)) return close_window(&a, 2);
    a.cores = (uint32_t)SDL_GetCPUCount();
#ifdef __EMSCRIPTEN__
    a.trial = o->boids ? 0 : TRIAL_FRAMES;
#endif
    const uint32_t boids = o->boids ? o->boids : a.trial ? FIRST_BOIDS : USUAL_BOIDS;
    if (!show_begin(&a.show, o, boids, o->threads ? o->threads : a.cores)) return close_window(&a, 1);
#ifdef __EMSCRIPTEN__
    emscripten_set_main_loop_arg(run_page_frame, &a, 0, 1);
#else
    while (!a.over && !a.failed)
        run_frame(&a);
#endif
    return close_window(&a, a.failed ? 1 : 0);
}

int window_shot(const options *o) {
    show s;
    int status = 1;
    if (show_begin(&s, o, o->boids ? o->boids : USUAL_BOIDS, o->threads ? o->threads : (uint32_t)SDL_GetCPUCount())) {
        s.state.slider = false;
        bool good = true;
        for (uint32_t i = 0; good && i < o->frames; ++i)
            good = show_frame(&s);
        if (good) {
            panel_draw(&s.picture, &s.measure, &s.state);
            status = picture_write(&s.picture, o->shot) ? 0 : 2;
            if (status) fprintf(stderr, "swarm: --shot: '%s' was not written; is there such a folder, and room?\n", o->shot);
            else printf("%s: %u boids after %u frames\n", o->shot, (unsigned)s.state.boids, (unsigned)o->frames);
        }
    }
    show_end(&s);
    return status;
}
