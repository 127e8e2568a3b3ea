// SPDX-License-Identifier: MIT
// The best score, which outlives the program. window.c calls it.
#pragma once
#include <stdint.h>

// Returns the best score, 0 if none was kept.
int32_t best_load(void);

// Keeps a score. Where it cannot be kept the log says so once, and the game goes on.
void best_save(int32_t score);
