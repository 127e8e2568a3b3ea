// SPDX-License-Identifier: MIT
// Sessions without a window: an automatic player plays with those on other machines until the frames are over, and
// prints the hash, which is the same on all of them. main.c calls it.
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L // nanosleep
#endif
#include "together_headless.h"
#include "autoplay.h"
#include "game.h"
#include "together.h"
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

static double seconds_now(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void sleep_ms(long ms) { nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL); }

// Returns what the automatic player does. It sees the frames that its input is for two frames later.
static Pad automatic_pad(const together *t) {
    const uint32_t player = t->status.local_player;
    if (player >= MAX_PLAYERS) return (Pad){ 0 };
    return autoplay_input(t->world, GOAL_PLAY, (uint32_t)t->status.frame, 0).pads[player];
}

// Plays until all machines have the last frame. Before the game begins time is that of a clock; then each step is a
// frame, and whoever has to wait for others sleeps.
static void play_together(together *t, uint32_t frames) {
    double before = seconds_now();
    while (!t->why[0] && !together_is_done(t, frames)) {
        const bool is_playing = t->status.is_playing; // who watches follows the clock
        const uint64_t frame = t->status.frame;
        const double now = seconds_now();
        together_step(t, automatic_pad(t), is_playing ? 1.0 / FRAMES_PER_SECOND : now - before);
        before = now;
        if (!is_playing) sleep_ms(4);
        else if (t->status.frame == frame) sleep_ms(1);
    }
}

static void print_end(const together *t, const options *o) {
    const Match *match = keel_get_unique(t->world, Match);
    if (match) {
        printf("%" PRIu64 " frames, %" PRIu64 " played again, score", t->status.frame, t->status.replayed);
        for (int i = 0; i < match->players; ++i)
            printf(" %d", (int)match->score[i]);
        printf("\n");
    }
    if (o->hash) printf("0x%016" PRIx64 "\n", game_hash(t->world));
}

int together_headless_run(const options *o) {
    char why[256] = "";
    together t;
    const uint32_t frames = o->frames ? o->frames : 60 * FRAMES_PER_SECOND;
    together_options to = options_together(o);
    to.frames = frames;
    to.is_patient = true;
    if (!together_begin(&t, &to, why)) {
        fprintf(stderr, "square_eater: %s\n", why);
        return 1;
    }
    if (!to.join) printf("port %u\n", (unsigned)t.status.port);
    fflush(stdout); // who starts the others reads it
    play_together(&t, frames);
    const bool is_well = !t.why[0] && !t.alarm[0];
    if (is_well) print_end(&t, o);
    else fprintf(stderr, "square_eater: %s\n", t.why[0] ? t.why : t.alarm);
    together_end(&t);
    return is_well ? 0 : 1;
}
