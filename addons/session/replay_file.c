// SPDX-License-Identifier: MIT
// The bytes of a .keelreplay file; see replay_file.h.
#include "replay_file.h"

#include <string.h>

// The remainders of four bits.
static const uint32_t remainders[16] = { 0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1,
                                         0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
                                         0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
                                         0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75 };

uint32_t keeli_replay_checksum(uint32_t before, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    uint32_t sum = ~before;
    for (size_t i = 0; i < size; ++i) {
        sum ^= at[i];
        sum = sum >> 4 ^ remainders[sum & 15];
        sum = sum >> 4 ^ remainders[sum & 15];
    }
    return ~sum;
}

void keeli_replay_put(unsigned char *to, uint64_t number, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; ++i)
        to[i] = (unsigned char)(number >> 8 * i);
}
static uint64_t get_number(const unsigned char *from, uint32_t bytes) {
    uint64_t number = 0;
    for (uint32_t i = 0; i < bytes; ++i)
        number |= (uint64_t)from[i] << 8 * i;
    return number;
}

// ------------------------------------------------------------------ heads
void keeli_replay_write_head(unsigned char head[REPLAY_HEAD]) {
    keeli_replay_put(head, REPLAY_MAGIC, 4);
    keeli_replay_put(head + 4, REPLAY_VERSION, 4);
}

uint32_t keeli_replay_read_head(const unsigned char *file, size_t size) {
    if (size < REPLAY_HEAD || get_number(file, 4) != REPLAY_MAGIC) return 0;
    return (uint32_t)get_number(file + 4, 4);
}

// The checksum is that of kind, size and content.
static uint32_t chunk_checksum(const unsigned char *head, const unsigned char *content,
                               size_t size) {
    return keeli_replay_checksum(keeli_replay_checksum(0, head, 5), content, size);
}

void keeli_replay_write_chunk_head(unsigned char head[REPLAY_CHUNK_HEAD], replay_kind kind,
                                   const unsigned char *content, uint32_t size) {
    head[0] = (unsigned char)kind;
    keeli_replay_put(head + 1, size, 4);
    keeli_replay_put(head + 5, chunk_checksum(head, content, size), 4);
}

// ------------------------------------------------------------------ chunks
// Reads the numbers at the begin of a content; `bytes` and `size` are what follows. Returns false
// if they are missing or out of range.
static bool read_numbers(replay_chunk *c) {
    static const uint32_t needs[REPLAY_KINDS] = { [REPLAY_GAME] = 13,
                                                  [REPLAY_IMAGE] = 16,
                                                  [REPLAY_INPUTS] = 10,
                                                  [REPLAY_CHECK] = 18,
                                                  [REPLAY_END] = 8 };
    const unsigned char *from = c->bytes;
    if (c->size < needs[c->kind]) return false;
    c->bytes += needs[c->kind];
    c->size -= needs[c->kind];
    c->frame = get_number(from, 8);
    switch (c->kind) {
    case REPLAY_GAME:
        c->players = from[8];
        c->check_every = (uint32_t)get_number(from + 9, 4);
        return c->players && c->players <= KEEL_SESSION_MAX_PLAYERS && c->check_every;
    case REPLAY_IMAGE:
        c->hash = get_number(from + 8, 8);
        return true;
    case REPLAY_INPUTS:
        c->count = from[8];
        c->slots = from[9];
        return c->count && c->count <= REPLAY_RUN;
    case REPLAY_CHECK:
        c->hash = get_number(from + 8, 8);
        c->count = (uint32_t)get_number(from + 16, 2);
        return c->count <= REPLAY_PARTS;
    default:
        return c->size == 0;
    }
}

// True if the parts of a check fill its bytes.
static bool parts_are_valid(const replay_chunk *check) {
    size_t at = 0;
    for (uint32_t i = 0; i < check->count; ++i) {
        char name[REPLAY_NAME + 1];
        uint64_t hash;
        if (!keeli_replay_read_part(check, &at, name, &hash)) return false;
    }
    return at == check->size;
}

bool keeli_replay_read_chunk(const unsigned char *file, size_t size, size_t at, bool is_known,
                             replay_chunk *out) {
    if (at > size || size - at < REPLAY_CHUNK_HEAD) return false;
    const unsigned char *head = file + at;
    const size_t length = (size_t)get_number(head + 1, 4);
    if (!head[0] || head[0] >= REPLAY_KINDS || length > size - at - REPLAY_CHUNK_HEAD) return false;
    *out = (replay_chunk){ .kind = (replay_kind)head[0],
                           .bytes = head + REPLAY_CHUNK_HEAD,
                           .size = length,
                           .next = at + REPLAY_CHUNK_HEAD + length };
    if (!is_known && get_number(head + 5, 4) != chunk_checksum(head, out->bytes, length))
        return false;
    if (!read_numbers(out) || out->frame > REPLAY_LAST_FRAME) return false;
    return out->kind != REPLAY_CHECK || parts_are_valid(out);
}

bool keeli_replay_read_inputs(const replay_chunk *chunk, uint32_t players, uint32_t input_size,
                              unsigned char *to) {
    static const unsigned char zeros[KEEL_SESSION_MAX_INPUT];
    size_t at = 0;
    if (chunk->slots >> players) return false;
    for (uint32_t i = 0; i < players; ++i) {
        if (!(chunk->slots >> i & 1)) continue;
        const size_t used =
            keeli_inputs_unpack(to + (size_t)i * REPLAY_RUN * input_size, chunk->count, input_size,
                                zeros, chunk->bytes + at, chunk->size - at);
        if (!used) return false;
        at += used;
    }
    return at == chunk->size;
}

bool keeli_replay_read_part(const replay_chunk *check, size_t *at, char name[REPLAY_NAME + 1],
                            uint64_t *hash) {
    const size_t left = check->size - *at;
    if (!left) return false;
    const unsigned char *from = check->bytes + *at;
    const size_t length = from[0];
    if (!length || length > REPLAY_NAME || left < 1 + length + 8) return false;
    memcpy(name, from + 1, length);
    name[length] = '\0';
    for (size_t i = 0; i < length; ++i)
        if ((unsigned char)name[i] < ' ' || name[i] == 127) return false;
    *hash = get_number(from + 1 + length, 8);
    *at += 1 + length + 8;
    return true;
}
