// SPDX-License-Identifier: MIT
// The game in a window: SDL begins and ends here, and frames of any length become steps of a 60th of a second.
// main.c calls it. A browser calls run_frame by itself, as a program there must not wait.
#include "window.h"
#include "best.h"
#include "both.h"
#include "draw.h"
#include "game.h"
#include "inspected.h"
#include "input.h"
#include "record.h"
#include "shot.h"
#include "together.h"
#include <stdio.h>
#ifdef __EMSCRIPTEN__
#include <emscripten.h>
#include <emscripten/html5.h>

// Tells the page what a frame costs, and how the game stands: the phase, the frames that were played, the first player's x.
EM_JS(void, tell_page, (double work, int entities, int phase, int time, double x), {
    window.keelFrame = { work : work, entities : entities };
    window.keelState = { phase : phase, time : time, x : x };
})

// Tells the page of one of two machines: the frame, how many are guessed, and how many were played again in a second; the last
// frame whose hash was the same on both, and a sentence about what is wrong, or "".
EM_JS(void, tell_side, (int side, int frame, int guessed, int again, int checked, const char *problem), {
    window.keelSides = window.keelSides || [];
    window.keelSides[side] = {
        frame : frame, guessed : guessed, again : again, checked : checked, problem : UTF8ToString(problem)
    };
})
#endif

typedef struct app {
    const options *o;
    SDL_Window *window;
    SDL_Renderer *renderer;
    timeline game;
    together shared; // with --host and --join, instead
    both pair;       // with --together-alone, instead
    record replay;
    controls controls;
    scene scene;
    inspected inspected; // with --inspect
    keel_fixed_step clock;
    uint64_t last; // SDL_GetPerformanceCounter of the last frame
    char why[256]; // what went wrong
    bool ended;
} app;

static app the_app; // a browser's frames have no other place for it

static bool fail_with(app *a, const char *why) {
    SDL_strlcpy(a->why, why, sizeof a->why);
    return false;
}

static bool fail_by_sdl(app *a) {
    snprintf(a->why, sizeof a->why, "the window cannot be opened: %.100s (--headless plays without one)", SDL_GetError());
    return false;
}

static bool open_window(app *a) {
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "0");
    if (SDL_Init(SDL_INIT_VIDEO) != 0) return fail_by_sdl(a);
    const uint32_t flags = SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI | (a->o->fullscreen ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0);
    const int width = a->o->plays_both ? ARENA_WIDTH * 3 / 2 : ARENA_WIDTH; // two worlds of three quarters
    const int height = a->o->plays_both ? ARENA_HEIGHT * 3 / 4 : ARENA_HEIGHT;
    a->window = SDL_CreateWindow("Square Eater", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, width, height, flags);
    if (!a->window) return fail_by_sdl(a);
    a->renderer = SDL_CreateRenderer(a->window, -1, SDL_RENDERER_PRESENTVSYNC);
    if (!a->renderer) a->renderer = SDL_CreateRenderer(a->window, -1, SDL_RENDERER_SOFTWARE);
    if (!a->renderer) return fail_by_sdl(a);
    SDL_RenderSetLogicalSize(a->renderer, ARENA_WIDTH, ARENA_HEIGHT);
    return true;
}

// Returns the world of this machine, or of the left one of two.
static keel_world *world_of(const app *a) {
    if (a->pair.network) return a->pair.sides[0].world;
    return a->shared.world ? a->shared.world : a->game.world;
}

// Begins a session. False: a->why says what is wrong.
static bool begin_session(app *a) {
    a->controls.is_session = a->scene.is_session = true;
    if (a->o->plays_both) return both_begin(&a->pair, a->o->seed, &a->o->weather, a->why) && open_window(a);
    const together_options to = options_together(a->o);
    return together_begin(&a->shared, &to, a->why) && open_window(a);
}

// Opens what the options ask for. False: a->why says what is wrong.
static bool begin(app *a) {
    const options *o = a->o;
    a->clock = (keel_fixed_step){ .step = 1.0 / FRAMES_PER_SECOND };
    a->last = SDL_GetPerformanceCounter();
    if (options_is_session(o) || o->plays_both) return begin_session(a);
    a->replay = (record){ .seed = o->seed, .players = o->players };
    if (o->replay && !record_read(&a->replay, o->replay, a->why)) return false;
    if (!timeline_init(&a->game, a->replay.seed, a->replay.players, o->threads)) return fail_with(a, "memory is exhausted");
    a->scene.best = best_load();
    a->inspected = (inspected){ .program = "square_eater", .workload = &KEEL_WORKLOAD_frame, .edits = o->inspect_edits };
    if (o->inspect && !inspected_begin(&a->inspected, a->game.world)) return fail_with(a, "there is no inspector");
    return open_window(a);
}

static Input next_input(app *a) {
    timeline *t = &a->game;
    const Match *match = keel_get_unique(t->world, Match);
    const Input played = input_take(&a->controls, match ? match->players : 1);
    if (a->o->replay) return a->replay.inputs[t->frames];
    return a->o->automatic ? autoplay_input(t->world, a->o->goal, t->frames, a->o->frames) : played;
}

// Returns whether all frames that were asked for have been played.
static bool is_over(const app *a) {
    const uint32_t frames = a->game.frames;
    return (a->o->frames && frames >= a->o->frames) || (a->o->replay && frames >= a->replay.frames);
}

// Compares a replay with its record. A difference ends the program.
static bool agrees(app *a) {
    const timeline *t = &a->game;
    if (!a->o->replay || t->frames % FRAMES_PER_HASH != 0) return true;
    const uint32_t at = t->frames / FRAMES_PER_HASH - 1;
    if (t->hashes[at] == a->replay.hashes[at]) return true;
    snprintf(a->why, sizeof a->why, "the replay differs at frame %u", (unsigned)t->frames);
    return false;
}

static void keep_best(app *a) {
    const Match *match = keel_get_unique(a->game.world, Match);
    if (!match || a->o->automatic || a->o->replay || game_phase(a->game.world) != OVER) return;
    for (int i = 0; i < match->players; ++i) {
        if (match->score[i] <= a->scene.best) continue;
        a->scene.best = match->score[i];
        best_save(a->scene.best);
    }
}

static void rewind_game(app *a) {
    a->controls.rewind = false;
    if (a->o->replay || game_phase(a->game.world) == MENU) return;
    if (!timeline_rewind_play(&a->game)) {
        fail_with(a, timeline_error(&a->game));
        a->ended = true;
    }
    a->scene.rewound = 1;
}

static void switch_fullscreen(app *a) {
    a->controls.fullscreen = false;
    const bool full = SDL_GetWindowFlags(a->window) & SDL_WINDOW_FULLSCREEN_DESKTOP;
    SDL_SetWindowFullscreen(a->window, full ? 0 : SDL_WINDOW_FULLSCREEN_DESKTOP);
}

static void play_step(app *a) {
    if (!inspected_update(&a->inspected)) return; // the page has paused the game
    timeline_follow(&a->game);
    const Input input = next_input(a);
    if (!timeline_step(&a->game, &input)) fail_with(a, timeline_error(&a->game));
    else if (agrees(a)) keep_best(a);
    a->scene.rewound *= 0.92f;
    if (a->why[0] || is_over(a)) a->ended = true;
}

// Lets a session play, with what the player at this machine does.
static void play_session(app *a, double seconds) {
    together *t = &a->shared;
    Pad pad = input_take(&a->controls, 1).pads[0];
    const uint32_t player = t->status.local_player;
    if (a->o->automatic && player < MAX_PLAYERS) pad = autoplay_input(t->world, GOAL_PLAY, (uint32_t)t->status.frame, 0).pads[player];
    if (!t->why[0]) together_step(t, pad, seconds);
    a->scene.player = player;
    a->scene.is_alarm = t->alarm[0] || t->why[0];
    together_tell(t, a->scene.net, sizeof a->scene.net);
    if (!a->o->frames) return; // who plays reads why it ended, and quits
    if (t->why[0]) fail_with(a, t->why);
    if (t->why[0] || together_is_done(t, a->o->frames)) a->ended = true;
}

// Lets two machines play: the left one by arrows and the pointer, the right one by WASD or by itself.
static void play_pair(app *a, double seconds) {
    both *b = &a->pair;
    Input input = input_take(&a->controls, 2);
    if (a->controls.pointing) input.pads[0].buttons |= POINTING;
    if (input.pads[1].x || input.pads[1].y) b->is_automatic[1] = false;
    if (a->o->automatic) {
        b->is_automatic[0] = b->is_automatic[1] = true;
        if (game_phase(world_of(a)) == MENU) input.pads[0].buttons |= PRESS_START;
    }
    both_step(b, &input, seconds);
    if (a->o->frames && b->sides[0].status.frame >= a->o->frames) a->ended = true;
    if (a->o->frames && both_problem(b)[0]) fail_with(a, both_problem(b));
}

static void draw_window(app *a) {
    const together *t = &a->shared;
    if (a->pair.network) {
        both_draw(&a->pair, a->renderer);
        return;
    }
    SDL_RenderSetLogicalSize(a->renderer, ARENA_WIDTH, ARENA_HEIGHT); // the picture is in the middle, also of a new size
    if (!t->world || (t->has_begun && !t->why[0])) draw_scene(a->renderer, world_of(a), &a->scene);
    else draw_waiting(a->renderer, t->world, &a->scene, t->why[0] ? "The end" : "Waiting");
}

static void run_frame(void *data) {
    app *a = data;
    for (SDL_Event event; SDL_PollEvent(&event);)
        input_event(&a->controls, &event, game_phase(world_of(a)));
    if (a->controls.fullscreen) switch_fullscreen(a);
    if (a->controls.rewind) rewind_game(a);
    const uint64_t now = SDL_GetPerformanceCounter();
    const double seconds = (double)(now - a->last) / (double)SDL_GetPerformanceFrequency();
    a->last = now;
    const uint32_t steps = keel_fixed_step_advance(&a->clock, seconds);
    if (a->pair.network) play_pair(a, seconds);
    else if (a->shared.world) play_session(a, seconds);
    else
        for (uint32_t n = steps; n > 0 && !a->ended; --n)
            play_step(a);
    draw_window(a);
    if (a->ended && a->o->shot && !a->why[0]) (void)shot_write_window(a->renderer, a->o->shot, a->why);
    SDL_RenderPresent(a->renderer);
    if (a->controls.quit) a->ended = true;
}

static int end(app *a) {
    if (a->o->record && a->game.world && !a->why[0]) (void)record_write(&a->game, a->o->record, a->why);
    if (a->o->hash && world_of(a)) printf("0x%016llx\n", (unsigned long long)game_hash(world_of(a)));
    if (a->why[0]) fprintf(stderr, "square_eater: %s\n", a->why);
    inspected_end(&a->inspected);
    if (a->game.world) timeline_deinit(&a->game);
    if (a->shared.world) together_end(&a->shared);
    record_deinit(&a->replay);
    if (a->pair.network) both_end(&a->pair);
    SDL_DestroyRenderer(a->renderer);
    SDL_DestroyWindow(a->window);
    SDL_Quit();
    return a->why[0] ? 1 : 0;
}

#ifdef __EMSCRIPTEN__
// Gives the window the size that the page has for it. SDL draws the arena in the middle.
static void fit_page(app *a) {
    double page_width, page_height;
    int width, height;
    emscripten_get_element_css_size("#canvas", &page_width, &page_height);
    SDL_GetWindowSize(a->window, &width, &height);
    if (page_width < 64 || page_height < 64) return; // hidden
    if ((int)page_width == width && (int)page_height == height) return;
    SDL_SetWindowSize(a->window, (int)page_width, (int)page_height);
}

// The sliders of the page: milliseconds one way, and per cent of the packets.
EMSCRIPTEN_KEEPALIVE void page_set_network(int delay_ms, int jitter_ms, int loss) {
    if (the_app.pair.network) both_set_weather(&the_app.pair, (float)delay_ms, (float)jitter_ms, (float)loss / 100);
}

// The right machine plays by itself, or by WASD.
EMSCRIPTEN_KEEPALIVE void page_set_automatic(int is_automatic) { the_app.pair.is_automatic[1] = is_automatic != 0; }
EMSCRIPTEN_KEEPALIVE int page_is_automatic(void) { return the_app.pair.is_automatic[1]; }

static void tell_sides(const both *b) {
    for (int i = 0; i < 2; ++i) {
        const together *t = &b->sides[i];
        const keel_session_status *status = &t->status;
        const uint64_t guessed = status->frame > status->confirmed ? status->frame - status->confirmed : 0;
        tell_side(i, (int)status->frame, (int)guessed, (int)t->replayed_rate, (int)status->checked, both_problem(b));
    }
}

static void run_frame_of_page(void *data) {
    app *a = data;
    a->controls.quit = false; // a page is left, not ended
    fit_page(a);
    const uint64_t begin = SDL_GetPerformanceCounter();
    run_frame(a);
    const double work = (double)(SDL_GetPerformanceCounter() - begin) * 1000 / (double)SDL_GetPerformanceFrequency();
    keel_world *world = world_of(a);
    const Match *match = keel_get_unique(world, Match);
    double x = 0;
    KEEL_EACH(world, KEEL_READ(Player, player), KEEL_READ(Position, at))
        if (player->index == 0) x = (double)at->x;
    tell_page(work, (int)keel_entity_count(world), (int)game_phase(world), match ? (int)match->time : 0, x);
    if (a->pair.network) tell_sides(&a->pair);
    if (!a->ended) return;
    emscripten_cancel_main_loop();
    end(a);
}
#endif

int window_run(const options *o) {
    app *a = &the_app;
    static options kept; // a browser's frames outlive main
    kept = *o;
    *a = (app){ .o = &kept };
    if (!begin(a)) return end(a);
#ifdef __EMSCRIPTEN__
    emscripten_set_main_loop_arg(run_frame_of_page, a, 0, false);
    return 0;
#else
    while (!a->ended) {
        run_frame(a);
        SDL_Delay(1); // where the driver does not wait for the screen
    }
    return end(a);
#endif
}
