// SPDX-License-Identifier: MIT
// Runs without a window: the automatic player or a record plays as fast as the machine allows. main.c calls it.
#include "headless.h"
#include "game.h"
#include "inspected.h"
#include "record.h"
#include <inttypes.h>
#include <stdio.h>

// Prints what went wrong. Returns false.
static bool fail(const char *why) {
    fprintf(stderr, "square_eater: %s\n", why);
    return false;
}

// Says where a replay differs from its record. Returns false.
static bool differs(const char *where, uint32_t frame, uint64_t played, uint64_t recorded) {
    fprintf(stderr, "square_eater: the replay differs at %s %" PRIu32 ": the hash is 0x%016" PRIx64, where, frame, played);
    fprintf(stderr, ", the record says 0x%016" PRIx64 "\n", recorded);
    return false;
}

// Compares a replay with its record after a frame. Returns false and says so at the first difference.
static bool agrees(const timeline *t, const record *r) {
    if (t->frames % FRAMES_PER_HASH != 0) return true;
    const uint32_t at = t->frames / FRAMES_PER_HASH - 1;
    if (t->hashes[at] == r->hashes[at]) return true;
    return differs("frame", t->frames, t->hashes[at], r->hashes[at]);
}

static bool replay(timeline *t, const record *r, uint32_t frames) {
    while (t->frames < frames) {
        if (!timeline_step(t, &r->inputs[t->frames])) return fail(timeline_error(t));
        if (!agrees(t, r)) return false;
    }
    if (frames < r->frames || game_hash(t->world) == r->end_hash) return true;
    return differs("its end, frame", t->frames, game_hash(t->world), r->end_hash);
}

static bool play(timeline *t, const options *o, uint32_t frames) {
    while (t->frames < frames) {
        const Input input = autoplay_input(t->world, o->goal, t->frames, frames);
        if (!timeline_step(t, &input)) return fail(timeline_error(t));
    }
    static const Phase wanted[] = { [GOAL_PLAY] = PLAYING, [GOAL_MENU] = MENU, [GOAL_PAUSE] = PAUSED, [GOAL_OVER] = OVER };
    if (!o->has_goal || game_phase(t->world) == wanted[o->goal]) return true;
    return fail("the run ended in another state than --state says: try other --frames or another --seed");
}

// Plays 60 frames a second until somebody stops the program, except while the page has paused them.
static bool play_inspected(timeline *t, const options *o) {
    inspected page = { .program = "square_eater", .workload = &KEEL_WORKLOAD_frame, .edits = o->inspect_edits };
    bool ok = inspected_begin(&page, t->world);
    while (ok && inspected_wait()) {
        if (!inspected_update(&page)) continue;
        timeline_follow(t);
        const Input input = autoplay_input(t->world, o->goal, t->frames, UINT32_MAX);
        ok = timeline_step(t, &input) || fail(timeline_error(t));
    }
    inspected_end(&page);
    return ok;
}

static bool finish(timeline *t, const options *o, shot_writer *write_shot) {
    char why[256];
    const Match *match = keel_get_unique(t->world, Match);
    if (match) {
        printf("%" PRIu32 " frames, score", t->frames);
        for (int i = 0; i < match->players; ++i)
            printf(" %d", (int)match->score[i]);
        printf("\n");
    }
    if (o->hash || o->replay) printf("0x%016" PRIx64 "\n", game_hash(t->world));
    if (o->record && !record_write(t, o->record, why)) return fail(why);
    if (o->shot && !write_shot(t->world, o->shot, why)) return fail(why);
    return true;
}

int headless_run(const options *o, shot_writer *write_shot) {
    char why[256];
    record r = { .seed = o->seed, .players = o->players };
    timeline t;
    if (o->shot && !write_shot) {
        fprintf(stderr, "square_eater: --shot needs SDL, which this program is built without: use square_eater\n");
        return 2;
    }
    if (o->inspect && (o->replay || o->frames || o->has_goal)) {
        fprintf(stderr, "square_eater: --inspect without a window plays until it is stopped: leave out --replay, --frames and --state\n");
        return 2;
    }
    if (o->replay && !record_read(&r, o->replay, why)) {
        fail(why);
        return 1;
    }
    uint32_t frames = o->frames ? o->frames : 60 * FRAMES_PER_SECOND;
    if (o->replay && (!o->frames || frames > r.frames)) frames = r.frames;
    bool ok = timeline_init(&t, r.seed, r.players, o->threads);
    if (ok) {
        ok = (o->inspect ? play_inspected(&t, o) : o->replay ? replay(&t, &r, frames) : play(&t, o, frames)) && finish(&t, o, write_shot);
        timeline_deinit(&t);
    } else {
        fail("the game cannot begin: memory is exhausted");
    }
    record_deinit(&r);
    return ok ? 0 : 1;
}
