// SPDX-License-Identifier: MIT
// Records of games as files: the seed, the inputs of all frames, and hashes to compare a replay with.
// headless.c and window.c call it.
#pragma once
#include "timeline.h"

typedef struct record {
    uint32_t seed;
    int32_t players;
    uint32_t frames;
    Input *inputs;
    uint64_t *hashes;  // as in timeline
    uint64_t end_hash; // of the world after the last frame
} record;

// Writes what was played. False: `why` is a sentence, and a file that was there before is as it was.
bool record_write(const timeline *t, const char *path, char why[256]);

// Reads and checks a record. False: `why` is a sentence, and there is nothing to deinit.
bool record_read(record *r, const char *path, char why[256]);
void record_deinit(record *r);
