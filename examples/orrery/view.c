// SPDX-License-Identifier: MIT
// orrery_view: the solar system in a window or in a browser, and time runs.
//
// The world is the orrery's: population.c makes the same entities, systems.c moves them. view_state.c says what a
// click does, view_sky.c and view_hud.c paint pixels. This file has the window, its events, and the order of a run.
#include "bodies.h"
#include "components.h"
#include "dates.h"
#include "inspected.h"
#include "output_file.h"
#include "population.h"
#include "systems.h"
#include "view_hud.h"
#include "view_options.h"
#include "view_sky.h"
#include "view_state.h"
#include <SDL.h>
#include <inttypes.h>
#include <math.h>
#include <stb/stb_image_write.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __EMSCRIPTEN__
#include <emscripten.h>
#include <emscripten/html5.h>
#endif

enum { EXIT_DONE = 0, EXIT_MEMORY = 1, EXIT_INPUT = 2, MOST_FINGERS = 2 };

// A picture of more would take the time of a frame.
static const double most_pixels = 1.6e6;

// A mouse button or finger that is down.
typedef struct finger {
    SDL_FingerID id;
    double x, y;
} finger;

// Everything there is while the program runs; zero: not there yet.
typedef struct program {
    view_settings set;
    body_list bodies;
    view shown;
    inspected inspected; // with --inspect
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_Texture *texture;
    finger fingers[MOST_FINGERS];
    int finger_count;
    bool is_dragged;      // too far for a click
    double start_x, start_y; // of the click
    uint64_t last_tick;   // of the frame before
    uint32_t frames;
    bool is_over;
    failure why;
} program;

// The fingers' events name no mouse.
static const SDL_FingerID mouse = -1;

static int fail_in_world(program *p, keel_result result) {
    const keel_error *error = keel_last_error(p->shown.world);
    fail(&p->why, "orrery_view: %s", error->result < 0 ? error->message : keel_result_text(result));
    return EXIT_MEMORY;
}

static int fail_in_window(program *p, const char *what) {
    fail(&p->why, "orrery_view: %s: %s; --shot FILE needs no window", what, SDL_GetError());
    return EXIT_MEMORY;
}

static int fail_of_memory(program *p) {
    fail(&p->why, "orrery_view: out of memory; try a smaller --belt or --size");
    return EXIT_MEMORY;
}

// ---------------------------------------------------------------- world

static int find_body(const body_list *list, const char *name) {
    for (int k = 0; k < list->count; ++k)
        if (strcmp(list->items[k].name, name) == 0) return k;
    return -1;
}

static uint32_t thread_count(const view_settings *set) {
#ifdef __EMSCRIPTEN__
    (void)set;
    return 1; // the page works without the headers that threads need
#else
    return set->threads ? set->threads : (uint32_t)SDL_GetCPUCount();
#endif
}

static int populate(program *p) {
    const view_settings *set = &p->set;
    const keel_world_desc desc = { .name = "orrery",
                                   .log = keel_log_none, // main prints the error
                                   .entity_capacity = (uint32_t)p->bodies.count + set->belt,
                                   .worker_count = thread_count(set) };
    p->shown.list = &p->bodies;
    p->shown.belt = set->belt;
    p->shown.world = keel_world_create(&desc);
    if (!p->shown.world) return fail_of_memory(p);
    keel_result result = populate_bodies(p->shown.world, &p->bodies);
    if (result >= 0) result = populate_belt(p->shown.world, set->belt, set->seed);
    if (result < 0) return fail_in_world(p, result);
    return view_begin(&p->shown, set->from_jd) ? EXIT_DONE : fail_of_memory(p);
}

static int prepare(program *p) {
    const view_settings *set = &p->set;
    double first, last;
    date_parse("1800-01-01", &first);
    date_parse("2050-12-31", &last);
    if (!bodies_load(&p->bodies, set->data, &p->why)) return EXIT_INPUT;
    if (!bodies_check_span(&p->bodies, first, last, &p->why)) return EXIT_INPUT;
    if (set->follow && find_body(&p->bodies, set->follow) < 0) {
        fail(&p->why, "orrery_view: --follow: '%s' has no body '%s'", set->data, set->follow);
        return EXIT_INPUT;
    }
    return populate(p);
}

// Passes the days of --days, one step a day, and looks where the options say.
static int begin_view(program *p) {
    view *shown = &p->shown;
    for (double day = 0; day < p->set.days; ++day) {
        const keel_result result = orrery_step(shown->world, shown->jd + day);
        if (result < 0) return fail_in_world(p, result);
    }
    shown->jd += p->set.days;
    keel_result result = view_advance(shown, 0);
    if (result < 0) return fail_in_world(p, result);
    if (p->set.follow) {
        view_follow(shown, find_body(&p->bodies, p->set.follow));
        result = view_advance(shown, 1e-9);
        memset(shown->offset, 0, sizeof shown->offset);
    }
    view_zoom(shown, p->set.zoom, shown->camera.width / 2, shown->camera.height / 2);
    if (result >= 0) result = view_advance(shown, 0);
    return result < 0 ? fail_in_world(p, result) : EXIT_DONE;
}

// ---------------------------------------------------------------- the inspector

// Gives the bodies names that the page shows. Without the page nobody needs them: Name has the text.
static bool name_bodies(keel_world *world) {
    const uint32_t count = keel_count(world, Name);
    keel_entity *bodies = malloc((count + 1) * sizeof *bodies);
    uint32_t found = 0;
    if (!bodies) return false;
    KEEL_EACH(world, KEEL_WITH(Name), KEEL_ENTITY(e)) bodies[found++] = e;
    bool done = true;
    for (uint32_t k = 0; done && k < found; ++k)
        done = keel_set_name(world, bodies[k], keel_get(world, bodies[k], Name)->text) >= 0;
    free(bodies);
    return done;
}

static bool begin_inspector(program *p) {
    p->inspected = (inspected){ .program = "orrery_view", .workload = &KEEL_WORKLOAD_orrery, .edits = p->set.inspect_edits };
    if (!p->set.inspect) return true;
    if (!name_bodies(p->shown.world)) return fail(&p->why, "orrery_view: --inspect: %s", keel_last_error(p->shown.world)->message);
    return inspected_begin(&p->inspected, p->shown.world) || fail(&p->why, "orrery_view: there is no inspector");
}

// Lets time pass, unless the page of the inspector has paused it.
static keel_result advance(program *p, double seconds) {
    const bool goes_on = inspected_update(&p->inspected);
    if (p->inspected.edits) view_take_time(&p->shown);
    if (goes_on) return view_advance(&p->shown, seconds);
    view_stand(&p->shown, seconds);
    return KEEL_OK;
}

// Runs 60 frames a second until somebody stops the program.
static int run_inspected(program *p) {
    if (!begin_inspector(p)) return EXIT_INPUT;
    while (inspected_wait()) {
        const keel_result result = advance(p, 1.0 / 60);
        if (result < 0) return fail_in_world(p, result);
    }
    return EXIT_DONE;
}

// ---------------------------------------------------------------- without a window

static void write_bytes(void *context, void *bytes, int size) {
    const output_file *output = context;
    fwrite(bytes, 1, (size_t)size, output->file);
}

static int write_shot(program *p) {
    const paint *on = &p->shown.canvas;
    const size_t count = (size_t)on->width * (size_t)on->height;
    unsigned char *bytes = malloc(count * 3);
    output_file output = { 0 };
    if (!bytes) return fail_of_memory(p);
    for (size_t k = 0; k < count; ++k)
        for (int part = 0; part < 3; ++part) bytes[k * 3 + (size_t)part] = (unsigned char)(on->pixels[k] >> (16 - 8 * part));
    bool done = output_open(&output, p->set.shot, &p->why);
    if (done) stbi_write_png_to_func(write_bytes, &output, on->width, on->height, 3, bytes, on->width * 3);
    if (done && ferror(output.file)) done = output_fail(&output, &p->why);
    done = done && output_close(&output, &p->why) && output_publish(&output, &p->why);
    output_discard(&output);
    free(bytes);
    return done ? EXIT_DONE : EXIT_INPUT;
}

static int print_hash(program *p) {
    uint64_t hash;
    const keel_result result = keel_world_hash(p->shown.world, &hash);
    if (result < 0) return fail_in_world(p, result);
    printf("%" PRIu32 " entities, hash 0x%016" PRIx64 "\n", keel_entity_count(p->shown.world), hash);
    return EXIT_DONE;
}

static int run_headless(program *p) {
    if (!view_resize(&p->shown, p->set.width, p->set.height, 1)) return fail_of_memory(p);
    int status = begin_view(p);
    if (status == EXIT_DONE && p->set.inspect) status = run_inspected(p);
    if (status == EXIT_DONE && p->set.shot) {
        if (!sky_paint(&p->shown)) return fail_of_memory(p);
        hud_paint(&p->shown);
        status = write_shot(p);
    }
    if (status == EXIT_DONE && p->set.hash) status = print_hash(p);
    return status;
}

// ---------------------------------------------------------------- input

static view_action action_of(SDL_Keycode key) {
    switch (key) {
    case SDLK_SPACE: return VIEW_PAUSE;
    case SDLK_LEFT: return VIEW_SLOWER;
    case SDLK_RIGHT: return VIEW_FASTER;
    case SDLK_UP: return VIEW_TILT_UP;
    case SDLK_DOWN: return VIEW_TILT_DOWN;
    case SDLK_PLUS:
    case SDLK_EQUALS:
    case SDLK_KP_PLUS: return VIEW_NARROW;
    case SDLK_MINUS:
    case SDLK_KP_MINUS: return VIEW_WIDE;
    case SDLK_0:
    case SDLK_HOME: return VIEW_WHOLE;
    case SDLK_ESCAPE: return VIEW_RELEASE;
    default: return VIEW_NONE;
    }
}

static void press_key(program *p, SDL_Keycode key) {
    view_act(&p->shown, action_of(key));
    if (key >= SDLK_1 && key <= SDLK_8) view_follow(&p->shown, 1 + (int)(key - SDLK_1));
    if (key == SDLK_f) {
        const bool is_full = SDL_GetWindowFlags(p->window) & SDL_WINDOW_FULLSCREEN_DESKTOP;
        SDL_SetWindowFullscreen(p->window, is_full ? 0 : SDL_WINDOW_FULLSCREEN_DESKTOP);
    }
#ifndef __EMSCRIPTEN__
    if (key == SDLK_q) p->is_over = true;
#endif
}

static void finger_down(program *p, SDL_FingerID id, double x, double y) {
    if (p->finger_count == MOST_FINGERS) return;
    p->is_dragged = p->finger_count > 0; // two fingers are no click
    p->start_x = x;
    p->start_y = y;
    p->fingers[p->finger_count++] = (finger){ id, x, y };
}

// Two fingers zoom by the change of their distance, about their middle.
static void pinch(program *p, const finger *moved, double x, double y) {
    const finger *other = &p->fingers[moved == &p->fingers[0]];
    const double before = hypot(moved->x - other->x, moved->y - other->y);
    const double now = hypot(x - other->x, y - other->y);
    if (before < 1 || now < 1) return;
    view_zoom(&p->shown, now / before, (x + other->x) / 2, (y + other->y) / 2);
}

static void finger_moves(program *p, SDL_FingerID id, double x, double y) {
    for (int k = 0; k < p->finger_count; ++k) {
        finger *moved = &p->fingers[k];
        if (moved->id != id) continue;
        const double way = hypot(x - p->start_x, y - p->start_y);
        if (way > 6 * (double)p->shown.canvas.unit) p->is_dragged = true;
        if (p->finger_count == 2) pinch(p, moved, x, y);
        else if (p->is_dragged) view_pan(&p->shown, x - moved->x, y - moved->y);
        moved->x = x;
        moved->y = y;
    }
}

static void finger_up(program *p, SDL_FingerID id, double x, double y) {
    int k = 0;
    while (k < p->finger_count && p->fingers[k].id != id) ++k;
    if (k == p->finger_count) return;
    p->fingers[k] = p->fingers[--p->finger_count];
    if (p->is_dragged) return;
    const view_action action = hud_button_at(&p->shown, x, y);
    if (action) view_act(&p->shown, action);
    else view_click(&p->shown, x, y);
}

// Events have places in points, pictures in pixels.
static void take_mouse(program *p, const SDL_Event *event) {
    const double unit = (double)p->shown.canvas.unit;
    int x, y;
    SDL_GetMouseState(&x, &y);
    if (event->type == SDL_MOUSEMOTION) finger_moves(p, mouse, event->motion.x * unit, event->motion.y * unit);
    else if (event->type == SDL_MOUSEBUTTONDOWN) finger_down(p, mouse, event->button.x * unit, event->button.y * unit);
    else if (event->type == SDL_MOUSEBUTTONUP) finger_up(p, mouse, event->button.x * unit, event->button.y * unit);
    else view_zoom(&p->shown, pow(1.15, (double)event->wheel.preciseY), x * unit, y * unit);
}

static void take_touch(program *p, const SDL_Event *event) {
    const double x = (double)event->tfinger.x * p->shown.camera.width, y = (double)event->tfinger.y * p->shown.camera.height;
    p->shown.is_touch = true;
    if (event->type == SDL_FINGERDOWN) finger_down(p, event->tfinger.fingerId, x, y);
    else if (event->type == SDL_FINGERMOTION) finger_moves(p, event->tfinger.fingerId, x, y);
    else finger_up(p, event->tfinger.fingerId, x, y);
}

static void take_event(program *p, const SDL_Event *event) {
    switch (event->type) {
    case SDL_QUIT: p->is_over = true; break;
    case SDL_KEYDOWN: press_key(p, event->key.keysym.sym); break;
    case SDL_MOUSEMOTION:
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
    case SDL_MOUSEWHEEL: take_mouse(p, event); break;
    case SDL_FINGERDOWN:
    case SDL_FINGERMOTION:
    case SDL_FINGERUP: take_touch(p, event); break;
    default: break;
    }
}

// ---------------------------------------------------------------- window

// Measures the window: in a browser it is as large as its element of the page.
static void measure(const program *p, int *width, int *height, float *unit) {
    int points = 0, unused;
#ifdef __EMSCRIPTEN__
    double css_width, css_height;
    emscripten_get_element_css_size("#canvas", &css_width, &css_height);
    points = (int)css_width;
    SDL_GetWindowSize(p->window, &points, &unused);
    if (points != (int)css_width || unused != (int)css_height) SDL_SetWindowSize(p->window, (int)css_width, (int)css_height);
#endif
    SDL_GetWindowSize(p->window, &points, &unused);
    SDL_GetRendererOutputSize(p->renderer, width, height);
    const double shrink = sqrt(fmin(1, most_pixels / ((double)*width * *height + 1)));
    *width = (int)(*width * shrink); // fine screens get a picture that is enlarged a little
    *height = (int)(*height * shrink);
    *unit = points > 0 ? (float)*width / (float)points : 1;
}

// Fits picture and texture to the window. Returns EXIT_DONE also if nothing had to change.
static int fit(program *p) {
    int width, height;
    float unit;
    measure(p, &width, &height, &unit);
    if (width < 1 || height < 1) return EXIT_DONE;
    if (p->texture && width == p->shown.canvas.width && height == p->shown.canvas.height) return EXIT_DONE;
    SDL_Texture *texture = SDL_CreateTexture(p->renderer, SDL_PIXELFORMAT_RGB888, SDL_TEXTUREACCESS_STREAMING, width, height);
    if (!texture) return fail_in_window(p, "no picture of this size");
    if (p->texture) SDL_DestroyTexture(p->texture);
    p->texture = texture;
    return view_resize(&p->shown, width, height, unit) ? EXIT_DONE : fail_of_memory(p);
}

static int open_window(program *p) {
    p->shown.has_input = true;
    SDL_SetHint(SDL_HINT_RENDER_SCALE_QUALITY, "1");
    SDL_SetHint(SDL_HINT_TOUCH_MOUSE_EVENTS, "0");
    SDL_SetHint(SDL_HINT_MOUSE_TOUCH_EVENTS, "0");
    SDL_SetHint(SDL_HINT_EMSCRIPTEN_KEYBOARD_ELEMENT, "#canvas");
    if (SDL_Init(SDL_INIT_VIDEO) < 0) return fail_in_window(p, "no display");
    // Without a display SDL chooses a driver that nobody sees.
    if (strcmp(SDL_GetCurrentVideoDriver(), "offscreen") == 0 && !SDL_getenv("SDL_VIDEODRIVER")) {
        SDL_SetError("there is none on this machine, or DISPLAY is not set");
        return fail_in_window(p, "no display");
    }
    const Uint32 flags = SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI;
    p->window = SDL_CreateWindow("Orrery - made with Keel", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, p->set.width,
                                 p->set.height, flags);
    if (!p->window) return fail_in_window(p, "no window");
    p->renderer = SDL_CreateRenderer(p->window, -1, SDL_RENDERER_PRESENTVSYNC);
    if (!p->renderer) p->renderer = SDL_CreateRenderer(p->window, -1, SDL_RENDERER_SOFTWARE);
    if (!p->renderer) return fail_in_window(p, "no renderer");
    const int status = fit(p);
    return status == EXIT_DONE ? begin_view(p) : status;
}

#ifdef __EMSCRIPTEN__
// clang-format off
EM_JS(void, tell_frame, (double work, double entities, double day, double zoom, int followed, int is_paused, double speed), {
    window.keelFrame = { work: work, entities: entities };
    window.keelState = { day: day, zoom: zoom, followed: followed, paused: !!is_paused, speed: speed };
    if (!window.keelFirstFrame) window.keelFirstFrame = performance.now();
})
// clang-format on
#endif

// Tells the page, if there is one, what a frame cost and what is seen.
static void tell_page(const program *p) {
#ifdef __EMSCRIPTEN__
    const view *shown = &p->shown;
    tell_frame(shown->work, keel_entity_count(shown->world), shown->jd, shown->camera.zoom, shown->followed, shown->is_paused,
               view_speed(shown));
#else
    (void)p;
#endif
}

// Draws a frame; on an error the run is over, and `why` says the reason.
static int run_frame(program *p) {
    SDL_Event event;
    while (SDL_PollEvent(&event)) take_event(p, &event);
    int status = fit(p);
    if (status != EXIT_DONE) return status;
    const uint64_t begin = SDL_GetPerformanceCounter(), second = SDL_GetPerformanceFrequency();
    const double passed = p->last_tick ? (double)(begin - p->last_tick) / (double)second : 0;
    p->last_tick = begin;
    const keel_result result = advance(p, fmin(passed, 0.1));
    if (result < 0) return fail_in_world(p, result);
    if (!sky_paint(&p->shown)) return fail_of_memory(p);
    hud_paint(&p->shown);
    SDL_UpdateTexture(p->texture, NULL, p->shown.canvas.pixels, p->shown.canvas.width * (int)sizeof(uint32_t));
    const double work = (double)(SDL_GetPerformanceCounter() - begin) / (double)second * 1000;
    p->shown.work = p->frames++ ? p->shown.work * 0.95 + work * 0.05 : work;
    SDL_RenderCopy(p->renderer, p->texture, NULL, NULL);
    SDL_RenderPresent(p->renderer);
    tell_page(p);
    return EXIT_DONE;
}

#ifdef __EMSCRIPTEN__
static void run_frame_of_page(void *data) {
    program *p = data;
    if (run_frame(p) == EXIT_DONE) return;
    fprintf(stderr, "%s\n", p->why.text);
    emscripten_cancel_main_loop();
}
#endif

static int run_window(program *p) {
    int status = open_window(p);
    if (status != EXIT_DONE) return status;
    if (!begin_inspector(p)) return EXIT_INPUT;
#ifdef __EMSCRIPTEN__
    emscripten_set_main_loop_arg(run_frame_of_page, p, 0, true);
#endif
    while (status == EXIT_DONE && !p->is_over) status = run_frame(p);
    return status;
}

static void clean_up(program *p) {
    if (p->texture) SDL_DestroyTexture(p->texture);
    if (p->renderer) SDL_DestroyRenderer(p->renderer);
    if (p->window) SDL_DestroyWindow(p->window);
    SDL_Quit();
    inspected_end(&p->inspected);
    sky_free();
    view_end(&p->shown);
    keel_world_destroy(p->shown.world);
    bodies_free(&p->bodies);
}

int main(int count, char *arguments[]) {
    static program p; // a browser's loop outlives main
    int status = EXIT_INPUT;
    if (view_options_parse(&p.set, count, arguments, &p.why)) {
        if (p.set.help) {
            fputs(view_help, stdout);
            return EXIT_DONE;
        }
        status = prepare(&p);
        if (status == EXIT_DONE) status = p.set.headless ? run_headless(&p) : run_window(&p);
    }
    if (status != EXIT_DONE) fprintf(stderr, "%s\n", p.why.text);
    clean_up(&p);
    return status;
}
