// SPDX-License-Identifier: MIT
// Runs without a window: for tests, for servers and for pictures. main.c calls it.
#pragma once
#include "options.h"
#include "timeline.h"

// Writes a picture of the world. It is NULL in a program without SDL. False: `why` is a sentence.
typedef bool shot_writer(keel_world *world, const char *path, char why[256]);

// Plays or replays as the options say. Returns the exit status.
int headless_run(const options *o, shot_writer *write_shot);
