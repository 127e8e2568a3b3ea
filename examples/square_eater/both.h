// SPDX-License-Identifier: MIT
// Two machines in one program: two sessions over a network that is as bad as somebody wants it, side by side.
// window.c calls it; in a browser the page moves the sliders.
#pragma once
#include "draw.h"
#include "together.h"

typedef struct both {
    keel_loopback *network;
    keel_loopback_desc weather;
    together sides[2];
    bool is_automatic[2]; // who plays by itself
} both;

// Begins two sessions. False: `why` is a sentence, and there is nothing to end.
bool both_begin(both *b, uint32_t seed, const keel_loopback_desc *weather, char why[256]);

// Lets time pass, with what is done at both machines.
void both_step(both *b, const Input *input, double seconds);

// Changes what the network does to packets, from now on.
void both_set_weather(both *b, float delay_ms, float jitter_ms, float loss);

// Draws both worlds beside each other, or one above the other, whichever is larger.
void both_draw(const both *b, SDL_Renderer *renderer);

// Returns a sentence about why a session ended, or "".
const char *both_problem(const both *b);

void both_end(both *b);
