// SPDX-License-Identifier: MIT
// Text of any size, made of the quads of stb_easy_font.h. draw.c calls it.
#pragma once
#include <SDL.h>

float text_width(const char *text, float scale);

// Draws text with its upper left corner at x, y.
void text_draw(SDL_Renderer *renderer, float x, float y, float scale, SDL_Color color, const char *text);

// Draws text around x.
void text_draw_centred(SDL_Renderer *renderer, float x, float y, float scale, SDL_Color color, const char *text);
