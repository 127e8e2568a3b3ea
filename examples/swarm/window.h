// SPDX-License-Identifier: MIT
// The swarm in a window, or in a page when it is compiled by emscripten. main.c calls it.
#pragma once
#include "options.h"

// Shows the swarm until it is closed. Returns the exit status.
int window_run(const options *o);

// Draws one picture after the frames of the options, without a display. Returns the exit status.
int window_shot(const options *o);
