// SPDX-License-Identifier: MIT
// Keys, pointer and touch. SDL makes mouse events of touches, and with a logical size of the renderer their
// places are those of the arena, so a finger needs no code of its own. window.c calls it.
#include "input.h"
#include "draw.h"

// Letters are those of the keyboard's layout, but WASD are places on it: who steers there does not mean a letter.
static bool is_steering(SDL_Scancode place) {
    return place == SDL_SCANCODE_W || place == SDL_SCANCODE_A || place == SDL_SCANCODE_S || place == SDL_SCANCODE_D;
}

static void key(controls *c, SDL_Keycode code) {
    switch (code) {
    case SDLK_RETURN:
    case SDLK_KP_ENTER:
    case SDLK_SPACE: c->next.buttons |= PRESS_START; break;
    case SDLK_p:
    case SDLK_ESCAPE: c->next.buttons |= PRESS_PAUSE; break;
    case SDLK_r: c->next.buttons |= PRESS_RESTART; break;
    case SDLK_1: c->next.buttons |= PRESS_ONE; break;
    case SDLK_2: c->next.buttons |= PRESS_TWO; break;
    case SDLK_z:
    case SDLK_BACKSPACE: c->rewind = !c->is_session; break;
    case SDLK_f: c->fullscreen = true; break;
    case SDLK_q: c->quit = true; break;
    default: break;
    }
}

static bool is_on(int32_t x, int32_t y, int left) {
    return x >= left && x < left + BUTTON_SIDE && y >= BUTTON_Y && y < BUTTON_Y + BUTTON_SIDE;
}

// A press on a button on the screen, or somewhere: that begins the game, or goes on.
static void press(controls *c, int32_t x, int32_t y, Phase phase) {
    const bool has_buttons = phase != MENU;
    if (has_buttons && !c->is_session && is_on(x, y, BUTTON_REWIND_X)) c->rewind = true;
    else if (has_buttons && phase != OVER && is_on(x, y, BUTTON_PAUSE_X)) c->next.buttons |= PRESS_PAUSE;
    else c->next.buttons |= PRESS_START;
}

static int16_t clamped(int32_t at, int32_t end) {
    if (at < 0) return 0;
    return (int16_t)(at > end ? end : at);
}

static void point(controls *c, int32_t x, int32_t y) {
    c->pointing = true;
    c->next.to_x = clamped(x, ARENA_WIDTH);
    c->next.to_y = clamped(y, ARENA_HEIGHT);
}

void input_event(controls *c, const SDL_Event *event, Phase phase) {
    switch (event->type) {
    case SDL_QUIT: c->quit = true; break;
    case SDL_KEYDOWN:
        if (!event->key.repeat && !is_steering(event->key.keysym.scancode)) key(c, event->key.keysym.sym);
        break;
    case SDL_MOUSEMOTION: point(c, event->motion.x, event->motion.y); break;
    case SDL_MOUSEBUTTONDOWN:
        point(c, event->button.x, event->button.y);
        press(c, event->button.x, event->button.y, phase);
        break;
    case SDL_WINDOWEVENT: // nobody sees the game: it waits
        if (event->window.event == SDL_WINDOWEVENT_FOCUS_LOST && phase == PLAYING && !c->is_session) c->next.buttons |= PRESS_PAUSE;
        break;
    default: break;
    }
}

static Pad pad_of(const uint8_t *keys, int left, int right, int up, int down) {
    return (Pad){ .x = (int8_t)(keys[right] - keys[left]), .y = (int8_t)(keys[down] - keys[up]) };
}

Input input_take(controls *c, int32_t players) {
    const uint8_t *keys = SDL_GetKeyboardState(NULL);
    const Pad arrows = pad_of(keys, SDL_SCANCODE_LEFT, SDL_SCANCODE_RIGHT, SDL_SCANCODE_UP, SDL_SCANCODE_DOWN);
    const Pad letters = pad_of(keys, SDL_SCANCODE_A, SDL_SCANCODE_D, SDL_SCANCODE_W, SDL_SCANCODE_S);
    const Pad first = players > 1 || !(letters.x || letters.y) ? arrows : letters;
    Input input = { .pads[0] = c->next };
    input.pads[0].x = first.x;
    input.pads[0].y = first.y;
    if (players > 1) input.pads[1] = letters;
    if (first.x || first.y) c->pointing = false;
    if (c->pointing && players == 1) input.pads[0].buttons |= POINTING;
    c->next.buttons = 0;
    return input;
}
