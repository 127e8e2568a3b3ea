// SPDX-License-Identifier: MIT
// Writes replays: of a session, which calls the keeli_record_ functions with frames and states that
// are final, and of any game that calls keel_replay_record_frame. A recorder keeps the inputs of
// some frames; at a check, or when other slots play, they become a chunk of the file. So each check
// stands in the file behind the inputs that lead to its state.
#include "game.h"
#include "replay_file.h"
#include "schema.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGE_SECONDS = 10 }; // between two images

static const unsigned char no_input[KEEL_SESSION_MAX_INPUT];

struct keel_replay_recorder {
    keel_world *world;
    char *path;
    FILE *file;         // NULL: not begun, or ended by an error
    keel_result result; // the error that ended the recording
    int error;          // errno of then
    uint32_t players, input_size, rate, check_every;
    bool has_images;
    uint64_t frame;      // recorded next
    uint64_t flushed_at; // the frame in which the file was flushed
    uint64_t image_at;   // the last image has this frame
    // inputs that are not written yet
    uint64_t run_first;
    uint32_t run_count, run_slots;
    unsigned char run[KEEL_SESSION_MAX_PLAYERS][REPLAY_RUN * KEEL_SESSION_MAX_INPUT];
    // the content of the chunk that is made
    unsigned char *content;
    size_t size, room;
    bool is_out_of_memory;
    keel_hash_part parts[REPLAY_PARTS];
};

// ------------------------------------------------------------------ chunks
static bool content_add(keel_replay_recorder *r, const void *bytes, size_t size) {
    if (!keeli_grow(&r->content, &r->room, r->size + size)) {
        r->is_out_of_memory = true;
        return false;
    }
    memcpy(r->content + r->size, bytes, size);
    r->size += size;
    return true;
}
static void content_number(keel_replay_recorder *r, uint64_t number, uint32_t bytes) {
    unsigned char text[8];
    keeli_replay_put(text, number, bytes);
    (void)content_add(r, text, bytes);
}
static void content_begin(keel_replay_recorder *r, uint64_t frame) {
    r->size = 0;
    content_number(r, frame, 8);
}

// Ends the recording because of an error.
static keel_result recorder_fail(keel_replay_recorder *r, keel_result result) {
    r->error = result == KEEL_ERROR_FILE ? errno : 0;
    if (r->file) (void)fclose(r->file);
    r->file = NULL;
    return r->result = result;
}

static keel_result write_chunk(keel_replay_recorder *r, replay_kind kind) {
    if (r->is_out_of_memory) return recorder_fail(r, KEEL_ERROR_MEMORY);
    if (r->size > UINT32_MAX) return recorder_fail(r, KEEL_ERROR_FULL);
    unsigned char head[REPLAY_CHUNK_HEAD];
    keeli_replay_write_chunk_head(head, kind, r->content, (uint32_t)r->size);
    errno = 0;
    const bool is_written =
        fwrite(head, sizeof head, 1, r->file) == 1 && fwrite(r->content, r->size, 1, r->file) == 1;
    return is_written ? KEEL_OK : recorder_fail(r, KEEL_ERROR_FILE);
}

static keel_result flush_file(keel_replay_recorder *r) {
    r->flushed_at = r->frame;
    errno = 0;
    return fflush(r->file) == 0 ? KEEL_OK : recorder_fail(r, KEEL_ERROR_FILE);
}

// Writes the inputs that are not written yet.
static keel_result write_run(keel_replay_recorder *r) {
    unsigned char packed[REPLAY_RUN * (KEEL_SESSION_MAX_INPUT + KEEL_SESSION_MAX_INPUT / 7 + 2)];
    if (!r->run_count) return KEEL_OK;
    content_begin(r, r->run_first);
    content_number(r, r->run_count, 1);
    content_number(r, r->run_slots, 1);
    for (uint32_t i = 0; i < r->players; ++i) {
        if (!(r->run_slots >> i & 1)) continue;
        const size_t size = keeli_inputs_pack(r->run[i], r->run_count, r->input_size, no_input,
                                              packed, sizeof packed);
        (void)content_add(r, packed, size);
    }
    r->run_count = 0;
    KEEL_TRY(write_chunk(r, REPLAY_INPUTS));
    return r->frame - r->flushed_at >= r->rate ? flush_file(r) : KEEL_OK;
}

// Adds the inputs of the next frame.
static keel_result add_frame(keel_replay_recorder *r, uint32_t slots,
                             const unsigned char *of_slot[KEEL_SESSION_MAX_PLAYERS]) {
    const bool is_full = r->run_count == REPLAY_RUN || r->run_count >= r->rate;
    if (is_full || slots != r->run_slots) KEEL_TRY(write_run(r));
    if (!r->run_count) r->run_first = r->frame;
    r->run_slots = slots;
    for (uint32_t i = 0; i < r->players; ++i)
        if (slots >> i & 1)
            memcpy(r->run[i] + (size_t)r->run_count * r->input_size, of_slot[i], r->input_size);
    ++r->run_count;
    ++r->frame;
    return KEEL_OK;
}

static bool write_image(void *context, const void *bytes, size_t size) {
    return content_add(context, bytes, size);
}

// Writes the state of the next frame. A world that has no image gets an empty one.
static keel_result write_state(keel_replay_recorder *r, keel_snapshot *snapshot) {
    uint64_t hash = 0;
    KEEL_TRY(write_run(r));
    keel_result result = keel_snapshot_hash(snapshot, 0, &hash);
    if (result < 0) return recorder_fail(r, result);
    content_begin(r, r->frame);
    content_number(r, hash, 8);
    const size_t before = r->size;
    result = keel_snapshot_write(snapshot, (keel_snapshot_sink){ write_image, r });
    if (result == KEEL_ERROR_MEMORY) return recorder_fail(r, result);
    if (result < 0) {
        r->size = before;
        r->has_images = false;
    }
    r->image_at = r->frame;
    return write_chunk(r, REPLAY_IMAGE);
}

// Writes the hashes of the state of the next frame.
static keel_result write_check(keel_replay_recorder *r, const keel_world *state, uint64_t hash) {
    KEEL_TRY(write_run(r));
    uint32_t count = keel_world_hash_parts(state, r->parts, REPLAY_PARTS);
    count = count < REPLAY_PARTS ? count : REPLAY_PARTS;
    content_begin(r, r->frame);
    content_number(r, hash, 8);
    content_number(r, count, 2);
    for (uint32_t i = 0; i < count; ++i) {
        char name[REPLAY_NAME + 1];
        const int length = snprintf(name, sizeof name, "%s", r->parts[i].component->name);
        const size_t kept = length > REPLAY_NAME ? REPLAY_NAME : (size_t)length;
        content_number(r, kept, 1);
        (void)content_add(r, name, kept);
        content_number(r, r->parts[i].hash, 8);
    }
    return write_chunk(r, REPLAY_CHECK);
}

static bool is_image_due(const keel_replay_recorder *r) {
    return r->has_images && r->frame - r->image_at >= (uint64_t)IMAGE_SECONDS * r->rate;
}

// ------------------------------------------------------------------ begin and end
static keel_replay_recorder *recorder_create(keel_world *world, const char *path) {
    keel_replay_recorder *r = calloc(1, sizeof *r);
    const size_t size = strlen(path) + 1;
    char *copy = malloc(size);
    if (!r || !copy) {
        free(r);
        free(copy);
        return NULL;
    }
    memcpy(copy, path, size);
    r->world = world;
    r->path = copy;
    return r;
}

static void recorder_destroy(keel_replay_recorder *r) {
    if (!r) return;
    if (r->file) (void)fclose(r->file);
    free(r->content);
    free(r->path);
    free(r);
}

// Writes what the game is.
static keel_result write_game(keel_replay_recorder *r, uint32_t floats) {
    unsigned char hello[PACKET_BYTES];
    packet *p = calloc(1, sizeof *p);
    if (!p) return recorder_fail(r, KEEL_ERROR_MEMORY);
    p->type = PACKET_HELLO;
    keeli_schema_of(r->world, p);
    p->input_size = r->input_size;
    p->rate = r->rate;
    p->floats = floats;
    p->wants = r->players;
    const size_t size = keeli_packet_write(p, hello, sizeof hello, r->input_size);
    free(p);
    if (!size) return recorder_fail(r, KEEL_ERROR_FULL);
    content_begin(r, r->frame);
    content_number(r, r->players, 1);
    content_number(r, r->check_every, 4);
    (void)content_add(r, hello, size);
    return write_chunk(r, REPLAY_GAME);
}

// Opens the file, and writes all before the inputs.
static keel_result recorder_begin(keel_replay_recorder *r, keel_snapshot *first, uint32_t floats) {
    unsigned char head[REPLAY_HEAD];
    keeli_replay_write_head(head);
    errno = 0;
    r->file = fopen(r->path, "wb");
    if (!r->file || fwrite(head, sizeof head, 1, r->file) != 1)
        return recorder_fail(r, KEEL_ERROR_FILE);
    KEEL_TRY(write_game(r, floats));
    KEEL_TRY(write_state(r, first));
    return flush_file(r);
}

static keel_result recorder_end(keel_replay_recorder *r) {
    if (!r->file) return r->result;
    KEEL_TRY(write_run(r));
    content_begin(r, r->frame);
    KEEL_TRY(write_chunk(r, REPLAY_END));
    FILE *file = r->file;
    r->file = NULL;
    errno = 0;
    return fclose(file) == 0 ? KEEL_OK : recorder_fail(r, KEEL_ERROR_FILE);
}

// Says why the file cannot be written.
static void describe_failure(const keel_replay_recorder *r, char *text, size_t size) {
    const char *why = r->error ? strerror(r->error) : keel_result_text(r->result);
    const size_t length = strlen(r->path); // the end of a path tells more than its begin
    snprintf(text, size, "the replay '%s%s' cannot be written from frame %llu on: %s",
             length > 120 ? "..." : "", r->path + (length > 120 ? length - 120 : 0),
             (unsigned long long)r->frame, why);
}

// ------------------------------------------------------------------ sessions
// Tells once that the recording has ended, and that the game goes on.
static void note_result(keel_session *s, keel_result result) {
    keel_replay_recorder *r = s->recorder;
    if (result >= 0) return;
    char text[sizeof s->events->text];
    describe_failure(r, text, sizeof text);
    keeli_session_event(s, KEEL_SESSION_WARNING, KEEL_SESSION_NO_PLAYER, r->frame, text);
}

bool keeli_record_open(keel_session *s, char *text) {
    if (!s->desc.record) return true;
    s->recorder = recorder_create(s->world, s->desc.record);
    if (!s->recorder) {
        snprintf(text, 256, "beginning a session: out of memory");
        return false;
    }
    errno = 0;
    FILE *file = fopen(s->desc.record, "ab"); // a file that is there stays until the game begins
    if (!file) {
        (void)recorder_fail(s->recorder, KEEL_ERROR_FILE);
        describe_failure(s->recorder, text, 256);
        return false;
    }
    (void)fclose(file);
    s->desc.record = s->recorder->path;
    return true;
}

void keeli_record_start(keel_session *s) {
    keel_replay_recorder *r = s->recorder;
    if (!r) return;
    r->players = s->in.slots;
    r->input_size = s->in.size;
    r->rate = s->desc.rate;
    r->check_every = s->desc.check_every;
    r->has_images = s->desc.record_images;
    r->frame = s->in.now;
    keel_snapshot *first = keel_ring_snapshot(s->ring, s->in.now);
    note_result(s, first ? recorder_begin(r, first, s->floats)
                         : recorder_fail(r, KEEL_ERROR_SNAPSHOT));
}

// Records the frames before `end`, whose inputs are all known.
static keel_result record_frames(keel_session *s, uint64_t end) {
    keel_replay_recorder *r = s->recorder;
    while (r->frame < end) {
        const unsigned char *of_slot[KEEL_SESSION_MAX_PLAYERS] = { NULL };
        uint32_t slots = 0;
        for (uint32_t i = 0; i < s->in.slots; ++i) {
            of_slot[i] = keeli_inputs_find(&s->in, i, r->frame);
            if (!of_slot[i]) return recorder_fail(r, KEEL_ERROR_SNAPSHOT);
            slots |= (uint32_t)keeli_inputs_plays(&s->in, i, r->frame) << i;
        }
        KEEL_TRY(add_frame(r, slots, of_slot));
    }
    return KEEL_OK;
}

void keeli_record_step(keel_session *s) {
    if (!s->recorder || !s->recorder->file) return;
    const uint64_t end = keeli_inputs_final(&s->in);
    note_result(s, record_frames(s, end < s->next_check ? end : s->next_check));
}

// Records the hashes of a snapshot, and its image if one is due.
static keel_result record_state(keel_session *s, const session_check *check) {
    keel_replay_recorder *r = s->recorder;
    const keel_world *image;
    KEEL_TRY(record_frames(s, check->frame));
    if (r->frame != check->frame || keel_snapshot_read_begin(check->snapshot, &image) != KEEL_OK)
        return KEEL_OK;
    const keel_result result = write_check(r, image, check->hash);
    keel_snapshot_read_end(check->snapshot);
    return result == KEEL_OK && is_image_due(r) ? write_state(r, check->snapshot) : result;
}

void keeli_record_check(keel_session *s, const session_check *check) {
    if (s->recorder && s->recorder->file) note_result(s, record_state(s, check));
}

void keeli_record_end(keel_session *s) {
    if (!s->recorder) return;
    if (s->recorder->file && record_frames(s, keeli_inputs_final(&s->in)) == KEEL_OK)
        (void)recorder_end(s->recorder);
    recorder_destroy(s->recorder);
}

// ------------------------------------------------------------------ any game
// Fills in the error of a recording that cannot begin. Returns NULL.
static keel_replay_recorder *refuse_record(const keel_replay_record_desc *desc,
                                           keel_replay_recorder *r, keel_result result,
                                           const char *text) {
    if (desc && desc->error) {
        *desc->error = (keel_error){ .result = result };
        if (text) snprintf(desc->error->message, sizeof desc->error->message, "%s", text);
        else describe_failure(r, desc->error->message, sizeof desc->error->message);
    }
    recorder_destroy(r);
    return NULL;
}

// Returns what is wrong with a descriptor, or NULL.
static const char *record_mistake(const keel_world *world, const keel_replay_record_desc *d) {
    if (!world || !d || !d->path)
        return "recording a replay needs a world, and the .path of a file";
    if (!d->input_size || d->input_size > KEEL_SESSION_MAX_INPUT)
        return "the .input_size of a replay is 1 to 64 bytes";
    if (d->players > KEEL_SESSION_MAX_PLAYERS) return "a replay has 1 to 8 .players";
    if (d->rate > 1000) return "the .rate of a replay is 1 to 1,000 frames a second";
    return NULL;
}

keel_replay_recorder *keel_replay_record_begin(keel_world *world,
                                               const keel_replay_record_desc *desc) {
    const char *mistake = record_mistake(world, desc);
    if (mistake) return refuse_record(desc, NULL, KEEL_ERROR_ARGUMENT, mistake);
    keel_replay_recorder *r = recorder_create(world, desc->path);
    if (!r)
        return refuse_record(desc, NULL, KEEL_ERROR_MEMORY, "recording a replay: out of memory");
    r->players = desc->players ? desc->players : 1;
    r->input_size = desc->input_size;
    r->rate = desc->rate ? desc->rate : 60;
    r->check_every = desc->check_every ? desc->check_every : 30;
    r->has_images = desc->images;

    keel_snapshot *first = NULL;
    uint64_t hash;
    if (!keel_register_component(world, KEEL_UNIQUE_OF(keel_inputs)) ||
        keel_world_hash(world, &hash) < 0 ||
        !(first = keel_snapshot_create(world, "the begin of a replay")) ||
        keel_snapshot_take(first) < 0) {
        keel_snapshot_destroy(first);
        const keel_error *error = keel_last_error(world);
        return refuse_record(desc, r, error->result, error->message);
    }
    const keel_result result = recorder_begin(r, first, 0);
    keel_snapshot_destroy(first);
    return result < 0 ? refuse_record(desc, r, result, NULL) : r;
}

// Writes the hashes of the world, and its image if one is due.
static keel_result record_world(keel_replay_recorder *r) {
    uint64_t hash;
    if (keel_world_hash(r->world, &hash) < 0)
        return recorder_fail(r, keel_last_error(r->world)->result);
    KEEL_TRY(write_check(r, r->world, hash));
    if (!is_image_due(r)) return KEEL_OK;
    keel_snapshot *now = keel_snapshot_create(r->world, "a state of a replay");
    keel_result result = KEEL_ERROR_MEMORY;
    if (now) result = keel_snapshot_take(now);
    result = result < 0 ? recorder_fail(r, result) : write_state(r, now);
    keel_snapshot_destroy(now);
    return result;
}

keel_result keel_replay_record_frame(keel_replay_recorder *r) {
    if (!r) return KEEL_ERROR_ARGUMENT;
    if (!r->file) return r->result;
    const keel_inputs *in = keel_get_unique_value(r->world, KEEL_UNIQUE_OF(keel_inputs));
    if (!in) return KEEL_ERROR_MISSING_UNIQUE;
    if (in->frame != r->frame || in->players != r->players || in->size != r->input_size)
        return KEEL_ERROR_ARGUMENT;
    if (r->frame && r->frame % r->check_every == 0) KEEL_TRY(record_world(r));
    const unsigned char *of_slot[KEEL_SESSION_MAX_PLAYERS] = { NULL };
    uint32_t slots = 0;
    for (uint32_t i = 0; i < r->players; ++i) {
        of_slot[i] = in->bytes[i];
        slots |= (uint32_t)(in->state[i] != KEEL_INPUT_GONE) << i;
        if (in->state[i] == KEEL_INPUT_GONE && memcmp(in->bytes[i], no_input, in->size) != 0)
            return KEEL_ERROR_ARGUMENT;
    }
    return add_frame(r, slots, of_slot);
}

keel_result keel_replay_record_end(keel_replay_recorder *r) {
    if (!r) return KEEL_OK;
    const keel_result result = recorder_end(r);
    recorder_destroy(r);
    return result;
}
