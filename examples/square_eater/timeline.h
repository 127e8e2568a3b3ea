// SPDX-License-Identifier: MIT
// A game with its past: the inputs of all frames, hashes of the world, and a ring of snapshots to go back with.
// headless.c and window.c play on it; record.c writes and reads it.
#pragma once
#include "components.h"

enum {
    FRAMES_PER_HASH = 60,
    FRAMES_PER_SNAPSHOT = 30, // a rewind plays at most so many frames again
    REWIND_FRAMES = 5 * FRAMES_PER_SECOND,
};

typedef struct timeline {
    keel_world *world;
    keel_ring *ring;
    uint32_t seed;
    int32_t players;
    Input *inputs; // one for each frame that was played
    uint32_t frames, room;
    uint64_t *hashes; // hashes[i] is that of the world after (i + 1) * FRAMES_PER_HASH frames
} timeline;

// Makes a game in its menu. False: memory is exhausted, and there is nothing to deinit.
bool timeline_init(timeline *t, uint32_t seed, int32_t players, uint32_t threads);
void timeline_deinit(timeline *t);

// Plays a frame and keeps its input. False: timeline_error says why.
bool timeline_step(timeline *t, const Input *input);

// Follows a world that the page of the inspector has put back to an earlier frame: forgets the frames that came after.
void timeline_follow(timeline *t);

// Goes back to the state before the last so many frames, or as far as the ring goes, and forgets what came after.
bool timeline_rewind(timeline *t, uint32_t frames);

// Goes back five seconds of play: not to before the match began, and a pause or an end does not count.
bool timeline_rewind_play(timeline *t);

// Returns a sentence about the last error.
const char *timeline_error(const timeline *t);
