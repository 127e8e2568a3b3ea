// SPDX-License-Identifier: MIT
// Keys, pointer and touch, turned into the input of a frame and into wishes of the window. window.c calls it.
#pragma once
#include "components.h"
#include <SDL.h>

typedef struct controls {
    Pad next;        // of the next frame; its buttons are those that were pressed since the last one
    bool pointing;   // the pointer moved after the last key
    bool is_session; // others play, too: there is no rewind, and the game goes on without the focus
    bool quit, rewind, fullscreen;
} controls;

// Takes note of an event. `renderer` turns places of the window into places of the arena.
void input_event(controls *c, const SDL_Event *event, Phase phase);

// Returns the input of this frame, and forgets the buttons. The second player has WASD.
Input input_take(controls *c, int32_t players);
