// SPDX-License-Identifier: MIT
// A game with its past. A snapshot is taken every half a second of play; a rewind restores the one before the frame
// that is wanted and plays the inputs up to it again. headless.c and window.c call it.
#include "timeline.h"
#include "game.h"
#include <stdlib.h>

bool timeline_init(timeline *t, uint32_t seed, int32_t players, uint32_t threads) {
    *t = (timeline){ .seed = seed, .players = players };
    t->world = game_create(seed, players, threads);
    if (!t->world) return false;
    t->ring = keel_ring_create(t->world, REWIND_FRAMES / FRAMES_PER_SNAPSHOT + 2);
    if (t->ring) return true;
    timeline_deinit(t);
    return false;
}

void timeline_deinit(timeline *t) {
    keel_ring_destroy(t->ring);
    keel_world_destroy(t->world);
    free(t->inputs);
    free(t->hashes);
    *t = (timeline){ 0 };
}

// Makes room for one more frame. On failure the timeline is as before.
static bool reserve(timeline *t) {
    if (t->frames < t->room) return true;
    const uint32_t room = t->room ? t->room * 2 : 60 * FRAMES_PER_HASH;
    Input *inputs = realloc(t->inputs, room * sizeof *inputs);
    if (!inputs) return false;
    t->inputs = inputs;
    uint64_t *hashes = realloc(t->hashes, room / FRAMES_PER_HASH * sizeof *hashes);
    if (!hashes) return false;
    t->hashes = hashes;
    t->room = room;
    return true;
}

// Returns whether a snapshot is due. While the game is paused or over none are taken, so that those of the last
// seconds of play stay in the ring.
static bool wants_snapshot(const timeline *t) {
    return t->frames % FRAMES_PER_SNAPSHOT == 0 && (t->frames == 0 || game_phase(t->world) == PLAYING);
}

bool timeline_step(timeline *t, const Input *input) {
    if (!reserve(t)) return false;
    if (wants_snapshot(t) && keel_ring_take(t->ring, t->frames) != KEEL_OK) return false;
    if (game_step(t->world, input) < 0) return false;
    t->inputs[t->frames++] = *input;
    if (t->frames % FRAMES_PER_HASH == 0) t->hashes[t->frames / FRAMES_PER_HASH - 1] = game_hash(t->world);
    return true;
}

void timeline_follow(timeline *t) {
    const Clock *clock = keel_get_unique(t->world, Clock);
    if (clock && clock->frame < t->frames) t->frames = clock->frame;
}

// Restores the last snapshot before a frame, or the first one after it, and sets t->frames to its frame.
static bool restore_near(timeline *t, uint32_t target) {
    uint32_t from = target - target % FRAMES_PER_SNAPSHOT;
    const uint32_t nearest = from;
    keel_result result = keel_rollback(t->ring, from);
    while (result == KEEL_ABSENT && from > 0) {
        from -= FRAMES_PER_SNAPSHOT;
        result = keel_rollback(t->ring, from);
    }
    if (result == KEEL_ABSENT) from = nearest;
    while (result == KEEL_ABSENT && from < t->frames) {
        from += FRAMES_PER_SNAPSHOT;
        result = keel_rollback(t->ring, from);
    }
    if (result == KEEL_OK) t->frames = from;
    return result == KEEL_OK;
}

bool timeline_rewind(timeline *t, uint32_t frames) {
    const uint32_t target = t->frames > frames ? t->frames - frames : 0;
    if (t->frames == 0) return true;
    if (!restore_near(t, target)) return false;
    while (t->frames < target) {
        const Input again = t->inputs[t->frames];
        if (!timeline_step(t, &again)) return false;
    }
    return true;
}

bool timeline_rewind_play(timeline *t) {
    const Match *match = keel_get_unique(t->world, Match);
    if (!match || match->began == 0) return true; // nobody has played yet
    const uint32_t wanted = REWIND_FRAMES + match->idle;
    const uint32_t played = t->frames - match->began;
    return timeline_rewind(t, wanted < played ? wanted : played);
}

const char *timeline_error(const timeline *t) {
    const keel_error *error = t->world ? keel_last_error(t->world) : NULL;
    return error && error->message[0] ? error->message : "memory is exhausted: close other programs";
}
