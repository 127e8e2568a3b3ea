// SPDX-License-Identifier: MIT
// Sessions without a window: automatic players, as fast as the machines allow. main.c calls it.
#pragma once
#include "options.h"

// Plays with others until --frames are over. Returns the exit status.
int together_headless_run(const options *o);
