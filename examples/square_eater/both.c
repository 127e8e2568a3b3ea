// SPDX-License-Identifier: MIT
// Two machines in one program, to see what a network does to a game and how rollback hides it. The left one is the host.
// window.c calls it.
#include "both.h"
#include "autoplay.h"

enum { MEETING_STEPS = 120, MOST_ROLLBACK = KEEL_SESSION_MAX_ROLLBACK };

// Lets the machines meet before the network becomes bad, so that the window never waits for it.
static void both_meet(both *b) {
    const Input nothing = { .pads[0] = { 0 } };
    for (int i = 0; i < MEETING_STEPS && !(b->sides[0].has_begun && b->sides[1].has_begun); ++i)
        both_step(b, &nothing, 1.0 / FRAMES_PER_SECOND);
}

bool both_begin(both *b, uint32_t seed, const keel_loopback_desc *weather, char why[256]) {
    *b = (both){ .weather = *weather, .is_automatic = { false, true } };
    b->weather.peers = 2;
    b->weather.seed = seed;
    b->network = keel_loopback_create(&(keel_loopback_desc){ .peers = 2, .seed = seed });
    if (!b->network) {
        SDL_strlcpy(why, "memory is exhausted", 256);
        return false;
    }
    for (uint32_t i = 0; i < 2; ++i) {
        const together_options o = { .join = i ? "0" : NULL,
                                     .players = 2,
                                     .max_rollback = MOST_ROLLBACK,
                                     .seed = seed,
                                     .threads = 1,
                                     .transport = keel_loopback_transport(b->network, i) };
        if (together_begin(&b->sides[i], &o, why)) continue;
        both_end(b);
        return false;
    }
    both_meet(b);
    keel_loopback_set(b->network, &b->weather);
    return true;
}

void both_end(both *b) {
    for (int i = 0; i < 2; ++i)
        together_end(&b->sides[i]);
    keel_loopback_destroy(b->network);
    *b = (both){ 0 };
}

void both_step(both *b, const Input *input, double seconds) {
    const double most = 2.0 / FRAMES_PER_SECOND; // a session plays no more at once: a slow machine slows the network down, too
    if (seconds > most) seconds = most;
    keel_loopback_advance(b->network, seconds);
    for (int i = 0; i < 2; ++i) {
        together *t = &b->sides[i];
        Pad pad = input->pads[i];
        if (b->is_automatic[i]) {
            const Pad played = autoplay_input(t->world, GOAL_PLAY, (uint32_t)t->status.frame, 0).pads[i];
            pad.x = played.x;
            pad.y = played.y;
        }
        if (!t->why[0]) together_step(t, pad, seconds);
    }
}

void both_set_weather(both *b, float delay_ms, float jitter_ms, float loss) {
    b->weather.delay_ms = delay_ms;
    b->weather.jitter_ms = jitter_ms;
    b->weather.loss = loss;
    keel_loopback_set(b->network, &b->weather);
}

const char *both_problem(const both *b) {
    for (int i = 0; i < 2; ++i) {
        if (b->sides[i].why[0]) return b->sides[i].why;
        if (b->sides[i].alarm[0]) return b->sides[i].alarm;
    }
    return "";
}

// ---------------------------------------------------------------- the picture
static void draw_side(const both *b, SDL_Renderer *renderer, int side, SDL_Rect place) {
    const together *t = &b->sides[side];
    scene shown = { .is_session = true, .player = (uint32_t)side, .is_alarm = t->alarm[0] || t->why[0], .is_part = true };
    SDL_RenderSetViewport(renderer, &place);
    together_tell(t, shown.net, sizeof shown.net);
    if (t->has_begun) draw_scene(renderer, t->world, &shown);
    else draw_waiting(renderer, t->world, &shown, "Waiting");
}

// Returns true if both pictures are larger when one is above the other.
static bool is_high(SDL_Renderer *renderer) {
    int width = 0, height = 0;
    SDL_GetRendererOutputSize(renderer, &width, &height);
    const float beside = SDL_min((float)width / (2 * ARENA_WIDTH), (float)height / ARENA_HEIGHT);
    const float above = SDL_min((float)width / ARENA_WIDTH, (float)height / (2 * ARENA_HEIGHT));
    return above > beside;
}

void both_draw(const both *b, SDL_Renderer *renderer) {
    const bool high = is_high(renderer);
    const int width = high ? ARENA_WIDTH : 2 * ARENA_WIDTH, height = high ? 2 * ARENA_HEIGHT : ARENA_HEIGHT;
    SDL_RenderSetLogicalSize(renderer, width, height);
    SDL_Rect all; // in the middle of the window
    SDL_RenderGetViewport(renderer, &all);
    SDL_SetRenderDrawColor(renderer, 5, 7, 13, 255);
    SDL_RenderClear(renderer);
    for (int i = 0; i < 2; ++i) {
        const int right = high ? 0 : i * ARENA_WIDTH, down = high ? i * ARENA_HEIGHT : 0;
        draw_side(b, renderer, i, (SDL_Rect){ all.x + right, all.y + down, ARENA_WIDTH, ARENA_HEIGHT });
    }
    SDL_RenderSetViewport(renderer, &all); // places of the pointer are in it
    SDL_SetRenderDrawColor(renderer, 132, 140, 170, 255);
    const SDL_Rect between = { high ? 0 : ARENA_WIDTH - 1, high ? ARENA_HEIGHT - 1 : 0, high ? width : 3, high ? 3 : height };
    SDL_RenderFillRect(renderer, &between);
}
