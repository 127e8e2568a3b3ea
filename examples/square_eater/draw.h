// SPDX-License-Identifier: MIT
// The picture of a world. window.c and shot.c call it.
#pragma once
#include "components.h"
#include <SDL.h>

// Buttons at the upper right edge of the screen, for those who have no keys.
enum { BUTTON_SIDE = 36, BUTTON_PAUSE_X = ARENA_WIDTH - 48, BUTTON_REWIND_X = ARENA_WIDTH - 96, BUTTON_Y = 12 };

// What the picture needs beside the world.
typedef struct scene {
    int32_t best;
    float rewound; // 1 after a rewind, falls to 0
    bool is_session;  // others play, too, over the network
    bool is_alarm;    // the line about it tells of something bad
    uint32_t player;  // in a session: who plays here; MAX_PLAYERS or more: nobody
    char net[160];    // a line about the network
    bool is_part;     // the picture has another one beside it
} scene;

// Draws a world into the viewport of a renderer of ARENA_WIDTH x ARENA_HEIGHT (or of that logical size).
void draw_scene(SDL_Renderer *renderer, keel_world *world, const scene *shown);

// Draws a title and the line about the network, while a session has not begun.
void draw_waiting(SDL_Renderer *renderer, keel_world *world, const scene *shown, const char *title);
