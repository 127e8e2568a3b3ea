// SPDX-License-Identifier: MIT
// Square Eater plays the same game again: from a record, on several threads, and after a rewind.
// Records that are damaged are refused. ctest runs it.
#include "autoplay.h"
#include "game.h"
#include "record.h"
#include "support/test.h"
#include <stdio.h>
#include <string.h>

enum { FRAMES = 900, SEED = 7 };
static const char path[] = "test_square_eater.record";

static void play(timeline *t, uint32_t frames, autoplay_goal goal) {
    for (uint32_t i = 0; i < frames; ++i) {
        const Input input = autoplay_input(t->world, goal, t->frames, 0);
        assert_true(timeline_step(t, &input));
    }
}

// Returns the hash of the end, and writes the record of the game.
static uint64_t play_and_record(int32_t players, uint32_t frames) {
    timeline t;
    char why[256];
    assert_true(timeline_init(&t, SEED, players, 1));
    play(&t, frames, GOAL_PLAY);
    const Match *match = keel_get_unique(t.world, Match);
    assert_true(match->began > 0 && match->time > 100); // a match was played
    const uint64_t hash = game_hash(t.world);
    assert_true(record_write(&t, path, why));
    timeline_deinit(&t);
    return hash;
}

static void a_record_plays_the_same_on_all_numbers_of_threads(void **state) {
    (void)state;
    for (int32_t players = 1; players <= MAX_PLAYERS; ++players) {
        const uint64_t hash = play_and_record(players, FRAMES);
        for (uint32_t threads = 1; threads <= 4; threads *= 2) {
            record r;
            timeline t;
            char why[256];
            assert_true(record_read(&r, path, why));
            assert_int_equal(r.frames, FRAMES);
            assert_int_equal(r.players, players);
            assert_true(timeline_init(&t, r.seed, r.players, threads));
            for (uint32_t i = 0; i < r.frames; ++i)
                assert_true(timeline_step(&t, &r.inputs[i]));
            assert_memory_equal(t.hashes, r.hashes, FRAMES / FRAMES_PER_HASH * sizeof *r.hashes);
            assert_true(game_hash(t.world) == hash && r.end_hash == hash);
            timeline_deinit(&t);
            record_deinit(&r);
        }
    }
    remove(path);
}

static void another_seed_is_another_game(void **state) {
    (void)state;
    timeline a, b;
    assert_true(timeline_init(&a, 1, 1, 1));
    assert_true(timeline_init(&b, 2, 1, 1));
    play(&a, 300, GOAL_PLAY);
    play(&b, 300, GOAL_PLAY);
    assert_true(game_hash(a.world) != game_hash(b.world));
    timeline_deinit(&a);
    timeline_deinit(&b);
}

// Returns the hash of the world after `frames` frames of a game that another timeline has played.
static uint64_t hash_after(const timeline *played, uint32_t frames) {
    timeline t;
    assert_true(timeline_init(&t, played->seed, played->players, 1));
    for (uint32_t i = 0; i < frames; ++i)
        assert_true(timeline_step(&t, &played->inputs[i]));
    const uint64_t hash = game_hash(t.world);
    timeline_deinit(&t);
    return hash;
}

static void a_rewind_returns_to_the_state_of_300_frames_before(void **state) {
    (void)state;
    static const uint32_t lengths[] = { 600, 601, 629,
                                        730 }; // on a snapshot, behind one, before one
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
        timeline t;
        assert_true(timeline_init(&t, SEED, 2, 2));
        play(&t, lengths[i], GOAL_PLAY);
        const uint64_t end = game_hash(t.world);
        const uint64_t before = hash_after(&t, lengths[i] - REWIND_FRAMES);
        assert_true(timeline_rewind(&t, REWIND_FRAMES));
        assert_int_equal(t.frames, lengths[i] - REWIND_FRAMES);
        assert_true(game_hash(t.world) == before && before != end);
        play(&t, REWIND_FRAMES, GOAL_PLAY); // the automatic player sees the same and does the same
        assert_true(game_hash(t.world) == end);
        timeline_deinit(&t);
    }
}

static void a_rewind_after_the_end_returns_to_play(void **state) {
    (void)state;
    timeline t;
    assert_true(timeline_init(&t, SEED, 1, 1));
    for (int i = 0; i < 6000 && game_phase(t.world) != OVER; ++i)
        play(&t, 1, GOAL_OVER);
    assert_int_equal(game_phase(t.world), OVER);
    const uint32_t ended = t.frames;
    play(&t, 700, GOAL_OVER); // longer than the ring would last
    assert_int_equal(game_phase(t.world), OVER);
    assert_true(timeline_rewind_play(&t));
    assert_int_equal(game_phase(t.world), PLAYING);
    assert_in_range(t.frames, ended - REWIND_FRAMES - 2, ended - REWIND_FRAMES + 2);
    assert_true(game_hash(t.world) == hash_after(&t, t.frames));
    timeline_deinit(&t);
}

static void a_rewind_stops_at_the_begin_of_the_match(void **state) {
    (void)state;
    timeline t;
    assert_true(timeline_init(&t, SEED, 1, 1));
    assert_true(timeline_rewind_play(&t)); // nothing to go back to
    play(&t, 100, GOAL_PLAY);
    assert_int_equal(game_phase(t.world), PLAYING);
    const uint32_t began = keel_get_unique(t.world, Match)->began;
    assert_true(began > 0);
    assert_true(timeline_rewind_play(&t));
    assert_int_equal(t.frames, began);
    assert_true(game_phase(t.world) != MENU);
    timeline_deinit(&t);
}

static void a_pause_holds_everything(void **state) {
    (void)state;
    timeline t;
    assert_true(timeline_init(&t, SEED, 1, 1));
    play(&t, 200, GOAL_PLAY);
    const Input pause = { .pads[0] = { .buttons = PRESS_PAUSE } }, nothing = { .pads[0] = { 0 } };
    assert_true(timeline_step(&t, &pause));
    assert_int_equal(game_phase(t.world), PAUSED);
    const Match before = *keel_get_unique(t.world, Match);
    uint64_t places = 0, places_later = 0;
    assert_int_equal(keel_hash_component(t.world, KEEL_OF(Position), &places), KEEL_OK);
    for (int i = 0; i < 50; ++i)
        assert_true(timeline_step(&t, &nothing));
    assert_int_equal(keel_hash_component(t.world, KEEL_OF(Position), &places_later), KEEL_OK);
    assert_true(places == places_later);
    assert_int_equal(keel_get_unique(t.world, Match)->time, before.time);
    assert_true(timeline_step(&t, &pause));
    assert_int_equal(game_phase(t.world), PLAYING);
    timeline_deinit(&t);
}

static size_t read_bytes(uint8_t *bytes, size_t room) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, room, file);
    fclose(file);
    return size;
}

static void write_bytes(const uint8_t *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void refuses(const char *word) {
    record r;
    char why[256] = "";
    assert_false(record_read(&r, path, why));
    assert_non_null(strstr(why, word));
    assert_non_null(strstr(why, path));
    assert_null(r.inputs);
}

static void a_damaged_record_is_refused(void **state) {
    (void)state;
    static uint8_t bytes[16384];
    play_and_record(1, 400);
    const size_t size = read_bytes(bytes, sizeof bytes);
    for (size_t at = 0; at < size;
         at += at < 40 ? 1 : 97) { // each byte of the head, some of the rest
        bytes[at] ^= 0x10;
        write_bytes(bytes, size);
        refuses("record");
        bytes[at] ^= 0x10;
    }
    bytes[1000] ^= 1;
    write_bytes(bytes, size);
    refuses("damaged");
    remove(path);
}

static void put_checksum(uint8_t *bytes, size_t size) {
    uint64_t sum = 14695981039346656037u;
    for (size_t i = 0; i < size - 8; ++i)
        sum = (sum ^ bytes[i]) * 1099511628211u;
    for (size_t i = 0; i < 8; ++i)
        bytes[size - 8 + i] = (uint8_t)(sum >> (8 * i));
}

static void a_record_of_other_handles_is_refused(void **state) {
    (void)state;
    static uint8_t bytes[16384];
    play_and_record(1, 400);
    const size_t size = read_bytes(bytes, sizeof bytes);
    assert_int_equal(bytes[14], sizeof(keel_entity));
    bytes[14] = (uint8_t)(12 - sizeof(keel_entity)); // 4 of 8, 8 of 4
    put_checksum(bytes, size);
    write_bytes(bytes, size);
    refuses("handles");
    bytes[14] = sizeof(keel_entity);
    bytes[12] = 5;
    put_checksum(bytes, size);
    write_bytes(bytes, size);
    refuses("damaged"); // five players
    remove(path);
}

static void a_truncated_record_is_refused(void **state) {
    (void)state;
    static uint8_t bytes[16384];
    play_and_record(1, 400);
    const size_t size = read_bytes(bytes, sizeof bytes);
    for (size_t left = 0; left < size; left += 53) {
        write_bytes(bytes, left);
        refuses(left < 36 ? "is not a record" : "cut off");
    }
    bytes[size] = 0;
    write_bytes(bytes, size + 1);
    refuses("bytes");
    remove(path);
    refuses("cannot be opened");
}

static const struct CMUnitTest tests[] = {
    TEST(a_record_plays_the_same_on_all_numbers_of_threads,
         "a record plays the same on 1, 2 and 4 threads"),
    TEST(another_seed_is_another_game, "another seed is another game"),
    TEST(a_rewind_returns_to_the_state_of_300_frames_before,
         "a rewind returns to the state of 300 frames before"),
    TEST(a_rewind_after_the_end_returns_to_play, "a rewind after the end returns to play"),
    TEST(a_rewind_stops_at_the_begin_of_the_match, "a rewind stops at the begin of the match"),
    TEST(a_pause_holds_everything, "a pause holds everything"),
    TEST(a_damaged_record_is_refused, "a damaged record is refused"),
    TEST(a_record_of_other_handles_is_refused, "a record of other handles is refused"),
    TEST(a_truncated_record_is_refused, "a truncated record is refused"),
};
int main(void) { return RUN(tests); }
