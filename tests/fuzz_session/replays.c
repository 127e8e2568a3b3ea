// SPDX-License-Identifier: MIT
// Byte strings as replays, whose checksums are made right: the file is refused, or it plays to its
// end and to any frame, and the world is sound.
#include "game.h"

#include "replay_file.h"

#include <unistd.h>

enum { STRING_HEAD = 1, MAX_BYTES = 1 << 22, MAX_ENTITIES = 4096, MAX_FRAMES = 600, SEEKS = 3 };

static uint8_t written[FEED_MOST]; // the file
static size_t written_size;

// Returns the path of a file of this process.
static const char *replay_path(void) {
    static char path[64];
    if (!path[0]) {
        const bool has_memory = access("/dev/shm", W_OK) == 0;
        snprintf(path, sizeof path, "%sfuzz_%ld.keelreplay", has_memory ? "/dev/shm/" : "",
                 (long)getpid());
    }
    return path;
}

// Writes a string as a file, with a right head and right checksums if `is_mended`.
static void write_replay(const uint8_t *bytes, size_t size, bool is_mended) {
    uint8_t *copy = written;
    size = size < sizeof written ? size : sizeof written;
    memcpy(copy, bytes, size);
    written_size = size;
    if (is_mended && size >= REPLAY_HEAD) keeli_replay_write_head(copy);
    size_t at = REPLAY_HEAD;
    while (is_mended && at < size && size - at >= REPLAY_CHUNK_HEAD) {
        uint32_t length = 0;
        for (uint32_t i = 0; i < 4; ++i)
            length |= (uint32_t)copy[at + 1 + i] << 8 * i;
        if (length > size - at - REPLAY_CHUNK_HEAD) break;
        keeli_replay_write_chunk_head(copy + at, (replay_kind)copy[at],
                                      copy + at + REPLAY_CHUNK_HEAD, length);
        at += REPLAY_CHUNK_HEAD + length;
    }
    FILE *file = fopen(replay_path(), "wb");
    if (!file || fwrite(copy, 1, size, file) != size || fclose(file) != 0)
        feed_stop("the string cannot be written");
}

static void check_world(keel_world *world) {
    keel_error broken;
    uint64_t hash;
    if (!keel_world_check(world, &broken)) feed_stop(broken.message);
    if (keel_world_hash(world, &hash) < 0) feed_stop("no hash");
}

// The world must be in the state whose hash the file has.
static void check_first(keel_world *world) {
    replay_chunk game, first;
    uint64_t hash;
    const bool has_both =
        keeli_replay_read_chunk(written, written_size, REPLAY_HEAD, false, &game) &&
        keeli_replay_read_chunk(written, written_size, game.next, false, &first);
    if (!has_both || keel_world_hash(world, &hash) < 0 || hash != first.hash)
        feed_stop("begins in another state than the recorded one");
}

static void check_info(const keel_replay_info *info) {
    if (info->first > info->frame || info->frame > info->end) feed_stop("beyond the frames");
    if (!info->players || info->players > KEEL_SESSION_MAX_PLAYERS) feed_stop("too many players");
    if (!info->input_size || info->input_size > KEEL_SESSION_MAX_INPUT)
        feed_stop("an input of another size");
    if (!info->rate || !info->check_every) feed_stop("a rate of 0");
}

// Plays to the end, or for some frames. Returns the last result.
static keel_result play_some(keel_replay *r, keel_world *world) {
    keel_result result = KEEL_OK;
    for (uint32_t i = 0; i < MAX_FRAMES && result == KEEL_OK; ++i)
        result = keel_replay_next(r);
    const keel_replay_info info = keel_replay_info_of(r);
    check_info(&info);
    if (result == KEEL_ABSENT && info.frame != info.end) feed_stop("ends before its end");
    const bool is_known =
        result == KEEL_OK || result == KEEL_ABSENT || result == KEEL_ERROR_DIFFERS;
    if (!is_known) feed_stop("frames fail");
    check_world(world);
    return result;
}

bool feed_replay(const uint8_t *bytes, size_t size) {
    if (size < STRING_HEAD) return false;
    keel_error error = { 0 };
    const keel_replay_options options = { .error = &error,
                                          .max_bytes = MAX_BYTES,
                                          .max_entities = MAX_ENTITIES };
    game_record = NULL;
    keel_world *world = game_world();
    write_replay(bytes + STRING_HEAD, size - STRING_HEAD, bytes[0] != 255);
    keel_replay *r = keel_replay_open(world, game_step_of(), replay_path(), &options);
    keel_result result = KEEL_ERROR_FORMAT;
    if (!r && (error.result >= 0 || !error.message[0])) feed_stop("refused without a reason");
    if (r) {
        check_first(world);
        result = play_some(r, world);
        const keel_replay_info info = keel_replay_info_of(r);
        const uint64_t frames = info.end - info.first;
        for (uint32_t i = 0; i < SEEKS && frames <= MAX_FRAMES; ++i) {
            const uint64_t to = info.first + frames * (i * 5 % SEEKS) / SEEKS;
            if (keel_replay_seek(r, to) == KEEL_OK && keel_replay_info_of(r).frame != to)
                feed_stop("seeks another frame");
        }
        if (frames <= MAX_FRAMES) (void)play_some(r, world);
    }
    keel_replay_close(r);
    keel_world_destroy(world);
    (void)remove(replay_path());
    return r && result == KEEL_ABSENT;
}

// ------------------------------------------------------------------ samples
size_t feed_replay_sample(unsigned n, uint8_t *bytes, size_t capacity) {
    if (n > 2) return 0;
    game_record = NULL;
    keel_world *world = game_world();
    keel_replay_recorder *r =
        keel_replay_record_begin(world, &(keel_replay_record_desc){ .path = replay_path(),
                                                                    .input_size = sizeof(Pad),
                                                                    .players = GAME_PLAYERS,
                                                                    .rate = n ? 60 : 2,
                                                                    .check_every = 7,
                                                                    .images = true });
    for (uint32_t f = 0; r && f < 45; ++f) {
        keel_inputs in = { .frame = f, .players = GAME_PLAYERS, .size = sizeof(Pad) };
        for (uint32_t i = 0; i < GAME_PLAYERS; ++i) {
            const Pad pad = { (int8_t)(f / 9), f % 11 == i };
            const bool plays = i < 2 || (i == 2 && f > 20);
            in.state[i] = plays ? KEEL_INPUT_CONFIRMED : KEEL_INPUT_GONE;
            if (plays) memcpy(in.bytes[i], &pad, sizeof pad);
        }
        (void)keel_set_unique_value(world, KEEL_UNIQUE_OF(keel_inputs), &in);
        if (keel_replay_record_frame(r) != KEEL_OK) feed_stop("no sample");
        game_play(world, n ? 1.0 / 60 : 0.5);
    }
    if (!r || keel_replay_record_end(r) != KEEL_OK) feed_stop("no sample");
    keel_world_destroy(world);
    FILE *file = fopen(replay_path(), "rb");
    const size_t size = file ? fread(bytes + STRING_HEAD, 1, capacity - STRING_HEAD, file) : 0;
    bytes[0] = 0;
    if (file) (void)fclose(file);
    (void)remove(replay_path());
    size_t end = size; // behind the last check
    replay_chunk c;
    for (size_t at = REPLAY_HEAD;
         n == 0 && keeli_replay_read_chunk(bytes + STRING_HEAD, size, at, false, &c); at = c.next)
        if (c.kind == REPLAY_CHECK) end = c.next;
    return end + STRING_HEAD;
}
