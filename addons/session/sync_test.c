// SPDX-License-Identifier: MIT
// The sync test: plays a game, goes back in each frame, plays again, and compares all states.
#include "game.h"
#include "lines.h"
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 3 }; // components, uniques, types of events

typedef struct sync_test {
    keel_world *world;
    keel_sync_test_desc desc;
    keel_sync_test_report *report;
    inputs in;
    keel_snapshot **states; // by frame, the last max_rollback + 1
    uint64_t *hashes;
    uint32_t known[KINDS]; // at the begin
    uint64_t random[KEEL_SESSION_MAX_PLAYERS];
    unsigned char kept[KEEL_SESSION_MAX_PLAYERS][KEEL_SESSION_MAX_INPUT];
} sync_test;

static uint32_t kept_states(const sync_test *t) { return t->desc.max_rollback + 1; }

// Random bytes that change in one of eight frames.
static void random_input(sync_test *t, uint32_t player, unsigned char *input) {
    if (keeli_random(&t->random[player]) % 8 == 0)
        for (uint32_t i = 0; i < t->desc.input_size; ++i)
            t->kept[player][i] = (unsigned char)keeli_random(&t->random[player]);
    memcpy(input, t->kept[player], t->desc.input_size);
}

static void add_inputs_of_frame(sync_test *t, uint64_t frame) {
    for (uint32_t i = 0; i < t->desc.players; ++i) {
        unsigned char input[KEEL_SESSION_MAX_INPUT] = { 0 };
        if (t->desc.input) t->desc.input(t->desc.data, frame, i, input);
        else random_input(t, i, input);
        (void)keeli_inputs_add(&t->in, i, frame, input);
    }
}

static keel_result sync_play(sync_test *t, uint64_t frame, keel_input_state state) {
    keel_inputs in;
    keeli_inputs_play(&t->in, frame, &in);
    memset(in.state, (int)state, t->desc.players);
    return keeli_game_play(t->world, t->desc.step, t->desc.rate, &in);
}

// ------------------------------------------------------------------ what became known
typedef const keel_component *next_known(const keel_world *world, const keel_component *after);
static next_known *const next_of_kind[KINDS] = { keel_next_component, keel_next_unique,
                                                 keel_next_event_type };

// Counts the components, uniques and types of events that the world knows.
static void count_known(const keel_world *world, uint32_t counts[KINDS]) {
    for (uint32_t i = 0; i < KINDS; ++i)
        for (const keel_component *c = NULL; (c = next_of_kind[i](world, c)) != NULL;)
            ++counts[i];
}

// Returns the name of the first that became known since the begin; NULL if there is none.
static const char *find_new_component(const sync_test *t) {
    for (uint32_t i = 0; i < KINDS; ++i) {
        uint32_t n = 0;
        for (const keel_component *c = NULL; (c = next_of_kind[i](t->world, c)) != NULL;)
            if (n++ == t->known[i]) return c->name;
    }
    return NULL;
}

// ------------------------------------------------------------------ what differs
// Writes what differs between two images of one frame.
static void write_difference(const sync_test *t, const keel_world *first, const keel_world *again,
                             char *text, size_t size) {
    static const char *const sides[2] = { "first", "again" };
    const keel_world *const images[2] = { first, again };
    if (keeli_images_compare(images, sides, text, size)) return;
    const char *name = find_new_component(t);
    if (name)
        snprintf(text, size, "'%s' became known while the game was played; register it before",
                 name);
    else
        snprintf(text, size,
                 "the values are the same, but not an order of visits, free handles, ticks or "
                 "events");
}

// Tells what differs between the state of a frame, as it was first, and the world.
static keel_result tell_frame(sync_test *t, uint64_t frame) {
    keel_sync_test_report *report = t->report;
    keel_snapshot *again = keel_snapshot_create(t->world, "a frame that was played again");
    keel_snapshot *before = t->states[frame % kept_states(t)];
    const keel_world *first, *second;
    char what[200] = "the states cannot be compared: out of memory";
    if (again && keel_snapshot_take(again) == KEEL_OK &&
        keel_snapshot_read_begin(again, &second) == KEEL_OK) {
        if (keel_snapshot_read_begin(before, &first) == KEEL_OK) {
            write_difference(t, first, second, what, sizeof what);
            keel_snapshot_read_end(before);
        }
        keel_snapshot_read_end(again);
    }
    keel_snapshot_destroy(again);
    if (report) {
        report->frame = frame;
        snprintf(report->text, sizeof report->text, "frame %llu, played again: %s",
                 (unsigned long long)frame, what);
    }
    return KEEL_ERROR_DIFFERS;
}

static keel_result check_frame(sync_test *t, uint64_t frame) {
    uint64_t hash;
    KEEL_TRY(keel_world_hash_with(t->world, KEEL_HASH_ORDER, &hash));
    return hash == t->hashes[frame % kept_states(t)] ? KEEL_OK : tell_frame(t, frame);
}

// Takes the state before a frame, and its hash.
static keel_result keep_frame(sync_test *t, uint64_t frame) {
    const uint32_t at = (uint32_t)(frame % kept_states(t));
    KEEL_TRY(keel_snapshot_take(t->states[at]));
    return keel_world_hash_with(t->world, KEEL_HASH_ORDER, &t->hashes[at]);
}

// Goes back from `now`, whose state is kept, and plays up to it again.
static keel_result go_back(sync_test *t, uint64_t now) {
    const uint64_t from = now > t->desc.max_rollback ? now - t->desc.max_rollback : 0;
    KEEL_TRY(keel_snapshot_restore(t->states[from % kept_states(t)]));
    for (uint64_t f = from; f < now; ++f) {
        KEEL_TRY(check_frame(t, f));
        KEEL_TRY(sync_play(t, f, KEEL_INPUT_CONFIRMED));
    }
    return check_frame(t, now);
}

static keel_result sync_run(sync_test *t) {
    KEEL_TRY(keep_frame(t, 0));
    for (uint64_t f = 0; f < t->desc.frames; ++f) {
        add_inputs_of_frame(t, f);
        KEEL_TRY(sync_play(t, f, KEEL_INPUT_PREDICTED));
        t->in.now = f + 1;
        KEEL_TRY(keep_frame(t, f + 1));
        KEEL_TRY(go_back(t, f + 1));
    }
    return KEEL_OK;
}

static keel_result sync_refuse(keel_sync_test_report *report, keel_result result,
                               const char *text) {
    if (report) snprintf(report->text, sizeof report->text, "%s", text);
    return result;
}

// Makes the snapshots; false when out of memory.
static bool sync_begin(sync_test *t) {
    const uint32_t count = kept_states(t);
    t->states = calloc(count, sizeof *t->states);
    t->hashes = calloc(count, sizeof *t->hashes);
    if (!t->states || !t->hashes || !keeli_inputs_init(&t->in, t->desc.players, t->desc.input_size))
        return false;
    for (uint32_t i = 0; i < t->desc.players; ++i) {
        keeli_inputs_enter(&t->in, i, 0);
        t->random[i] = t->desc.seed + i;
    }
    for (uint32_t i = 0; i < count; ++i)
        if (!(t->states[i] = keel_snapshot_create(t->world, "a frame of a sync test")))
            return false;
    return true;
}

static void sync_end(sync_test *t) {
    for (uint32_t i = 0; t->states && i < kept_states(t); ++i)
        keel_snapshot_destroy(t->states[i]);
    free(t->states);
    free(t->hashes);
    keeli_inputs_deinit(&t->in);
}

keel_result keel_session_sync_test(keel_world *world, const keel_sync_test_desc *desc,
                                   keel_sync_test_report *report) {
    if (report) *report = (keel_sync_test_report){ 0 };
    if (!world || !desc || !desc->step)
        return sync_refuse(report, KEEL_ERROR_ARGUMENT, "a sync test needs a world, and .step");
    sync_test t = { .world = world, .desc = *desc, .report = report };
    if (!t.desc.rate) t.desc.rate = 60;
    if (!t.desc.frames) t.desc.frames = 600;
    if (!t.desc.max_rollback) t.desc.max_rollback = 8;
    const bool is_right = t.desc.input_size && t.desc.input_size <= KEEL_SESSION_MAX_INPUT &&
                          t.desc.players && t.desc.players <= KEEL_SESSION_MAX_PLAYERS &&
                          t.desc.max_rollback <= KEEL_SESSION_MAX_ROLLBACK;
    if (!is_right)
        return sync_refuse(report, KEEL_ERROR_ARGUMENT,
                           "a sync test has inputs of 1 to 64 bytes, 1 to 8 players, and goes back "
                           "at most 32 frames");

    keel_result result = KEEL_ERROR_MEMORY;
    const bool is_prepared = keeli_game_prepare(world, t.desc.step);
    count_known(world, t.known);
    if (!is_prepared) result = keel_last_error(world)->result;
    if (is_prepared && sync_begin(&t)) result = sync_run(&t);
    sync_end(&t);
    if (result < 0 && report && !report->text[0])
        (void)sync_refuse(report, result, keel_last_error(world)->message);
    return result;
}
