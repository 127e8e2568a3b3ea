// SPDX-License-Identifier: MIT
// Records of games as files. All numbers are little-endian, so that a record is read on every machine:
//   "SQEATER2", seed (4 bytes), players (2), bytes of a handle (2), frames (4), a hash of the end (8),
//   inputs (32 bytes a frame), hashes (8 bytes every 60 frames), and a checksum of all that (8).
// Handles count in a hash, so a record fits programs whose handles have as many bytes (KEEL_ENTITY_32).
#include "record.h"
#include "game.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 28, BYTES_PER_INPUT = 8 * MAX_PLAYERS, BYTES_PER_HASH = 8, CHECKSUM = 8, MAX_FRAMES = 60 * 60 * 60 * 24 };
static const char magic[8] = { 'S', 'Q', 'E', 'A', 'T', 'E', 'R', '2' };

static uint8_t *put(uint8_t *to, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i)
        *to++ = (uint8_t)(value >> (8 * i));
    return to;
}

static uint64_t take(const uint8_t **from, int bytes) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; ++i)
        value |= (uint64_t) * (*from)++ << (8 * i);
    return value;
}

// Returns the FNV-1a hash of some bytes.
static uint64_t checksum_of(const uint8_t *bytes, size_t count) {
    uint64_t sum = 14695981039346656037u;
    for (size_t i = 0; i < count; ++i)
        sum = (sum ^ bytes[i]) * 1099511628211u;
    return sum;
}

static size_t size_of(uint32_t frames) {
    return HEADER + (size_t)frames * BYTES_PER_INPUT + (size_t)(frames / FRAMES_PER_HASH) * BYTES_PER_HASH + CHECKSUM;
}

static uint8_t *put_input(uint8_t *to, const Input *input) {
    for (int i = 0; i < MAX_PLAYERS; ++i) {
        to = put(to, (uint8_t)input->pads[i].x, 1);
        to = put(to, (uint8_t)input->pads[i].y, 1);
        to = put(to, input->pads[i].buttons, 2);
        to = put(to, (uint16_t)input->pads[i].to_x, 2);
        to = put(to, (uint16_t)input->pads[i].to_y, 2);
    }
    return to;
}

static Input take_input(const uint8_t **from) {
    Input input = { .pads[0] = { 0 } };
    for (int i = 0; i < MAX_PLAYERS; ++i) {
        input.pads[i].x = (int8_t)take(from, 1);
        input.pads[i].y = (int8_t)take(from, 1);
        input.pads[i].buttons = (uint16_t)take(from, 2);
        input.pads[i].to_x = (int16_t)take(from, 2);
        input.pads[i].to_y = (int16_t)take(from, 2);
    }
    return input;
}

static void encode(const timeline *t, uint8_t *bytes) {
    memcpy(bytes, magic, sizeof magic);
    uint8_t *to = put(bytes + sizeof magic, t->seed, 4);
    to = put(to, (uint16_t)t->players, 2);
    to = put(to, sizeof(keel_entity), 2);
    to = put(to, t->frames, 4);
    to = put(to, game_hash(t->world), 8);
    for (uint32_t i = 0; i < t->frames; ++i)
        to = put_input(to, &t->inputs[i]);
    for (uint32_t i = 0; i < t->frames / FRAMES_PER_HASH; ++i)
        to = put(to, t->hashes[i], 8);
    put(to, checksum_of(bytes, (size_t)(to - bytes)), 8);
}

// Writes a file beside the wanted one, and gives it its name when it is complete.
static bool write_file(const char *path, const uint8_t *bytes, size_t size, char why[256]) {
    char part[1024];
    if ((size_t)snprintf(part, sizeof part, "%s.part", path) >= sizeof part) {
        snprintf(why, 256, "the record's name is longer than 1,000 bytes: choose a shorter one");
        return false;
    }
    FILE *file = fopen(part, "wb");
    bool ok = file && fwrite(bytes, 1, size, file) == size;
    if (file && fclose(file) != 0) ok = false;
    if (ok && rename(part, path) == 0) return true;
    snprintf(why, 256, "the record %.120s cannot be written: %s", path, strerror(errno));
    if (file) remove(part);
    return false;
}

bool record_write(const timeline *t, const char *path, char why[256]) {
    const size_t size = size_of(t->frames);
    uint8_t *bytes = malloc(size);
    if (!bytes) {
        snprintf(why, 256, "the record %.120s was not written: memory is exhausted", path);
        return false;
    }
    encode(t, bytes);
    const bool ok = write_file(path, bytes, size, why);
    free(bytes);
    return ok;
}

// Reads a whole file of at most `most` bytes. Returns NULL and a sentence if that fails.
static uint8_t *read_file(const char *path, size_t most, size_t *size, char why[256]) {
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    if (!file) {
        snprintf(why, 256, "the record %.120s cannot be opened: %s", path, strerror(errno));
        return NULL;
    }
    size_t count = 0;
    for (size_t room = 1 << 16; room <= most; room *= 2) {
        uint8_t *more = realloc(bytes, room);
        if (!more) break;
        bytes = more;
        count += fread(bytes + count, 1, room - count, file);
        if (count == room) continue;
        const bool ok = !ferror(file);
        fclose(file);
        *size = count;
        if (ok) return bytes;
        snprintf(why, 256, "the record %.120s cannot be read: %s", path, strerror(errno));
        free(bytes);
        return NULL;
    }
    snprintf(why, 256, "the record %.120s is too large, or memory is exhausted", path);
    fclose(file);
    free(bytes);
    return NULL;
}

// Reads the head of a record and checks everything that can be checked without playing it.
static bool check(record *r, const uint8_t *bytes, size_t size, const char *path, char why[256]) {
    if (size >= sizeof magic && memcmp(bytes, "SQEATER1", sizeof magic) == 0) {
        snprintf(why, 256, "the record %.120s is of the first Square Eater, in which two could play: replay it with that one", path);
        return false;
    }
    if (size < HEADER + CHECKSUM || memcmp(bytes, magic, sizeof magic) != 0) {
        snprintf(why, 256, "%.120s is not a record of Square Eater: make one with --record", path);
        return false;
    }
    const uint8_t *from = bytes + sizeof magic;
    r->seed = (uint32_t)take(&from, 4);
    r->players = (int32_t)take(&from, 2);
    const uint32_t handle = (uint32_t)take(&from, 2);
    r->frames = (uint32_t)take(&from, 4);
    r->end_hash = take(&from, 8);
    if (r->frames > MAX_FRAMES || size != size_of(r->frames)) {
        snprintf(why, 256, "the record %.120s has %zu bytes, and %zu are expected for %u frames: it was cut off or overwritten", path, size,
                 size_of(r->frames), (unsigned)r->frames);
        return false;
    }
    from = bytes + size - CHECKSUM;
    if (take(&from, 8) != checksum_of(bytes, size - CHECKSUM) || r->players < 1 || r->players > MAX_PLAYERS) {
        snprintf(why, 256, "the record %.120s is damaged: its checksum is another one", path);
        return false;
    }
    if (handle == sizeof(keel_entity)) return true;
    snprintf(why, 256, "the record %.120s was made by a program with handles of %u bytes, here they have %u: replay it with such a program",
             path, (unsigned)handle, (unsigned)sizeof(keel_entity));
    return false;
}

static bool decode(record *r, const uint8_t *bytes, const char *path, char why[256]) {
    const uint32_t hashes = r->frames / FRAMES_PER_HASH;
    r->inputs = calloc(r->frames + 1u, sizeof *r->inputs);
    r->hashes = calloc(hashes + 1u, sizeof *r->hashes);
    if (!r->inputs || !r->hashes) {
        snprintf(why, 256, "the record %.120s was not read: memory is exhausted", path);
        record_deinit(r);
        return false;
    }
    const uint8_t *from = bytes + HEADER;
    for (uint32_t i = 0; i < r->frames; ++i)
        r->inputs[i] = take_input(&from);
    for (uint32_t i = 0; i < hashes; ++i)
        r->hashes[i] = take(&from, 8);
    return true;
}

bool record_read(record *r, const char *path, char why[256]) {
    *r = (record){ 0 };
    size_t size = 0;
    uint8_t *bytes = read_file(path, (size_t)1 << 28, &size, why);
    if (!bytes) return false;
    const bool ok = check(r, bytes, size, path, why) && decode(r, bytes, path, why);
    free(bytes);
    return ok;
}

void record_deinit(record *r) {
    free(r->inputs);
    free(r->hashes);
    *r = (record){ 0 };
}
