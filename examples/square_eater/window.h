// SPDX-License-Identifier: MIT
// The game in a window, or on a page of a browser. main.c calls it.
#pragma once
#include "options.h"

// Plays until the window is closed or the frames are over. Returns the exit status. In a browser it returns at
// once, and the page goes on to call the game.
int window_run(const options *o);
