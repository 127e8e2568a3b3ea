// SPDX-License-Identifier: MIT
// Pictures of the game as PNG files. main.c and window.c call it.
#pragma once
#include <SDL.h>
#include <keel/keel.h>

// Draws a world with SDL's software renderer, which needs no display. False: `why` is a sentence.
bool shot_write(keel_world *world, const char *path, char why[256]);

// Writes what a window shows.
bool shot_write_window(SDL_Renderer *renderer, const char *path, char why[256]);
