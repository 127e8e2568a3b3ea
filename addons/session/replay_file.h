// SPDX-License-Identifier: MIT
// The bytes of a .keelreplay file: a head and chunks, each with its checksum. It is pure: no world,
// no file, no memory. record.c writes chunks, replay.c reads them, and both only call this file.
// All integers are little-endian; docs/reference/session_protocol.md has the layouts.
#pragma once
#include "packet.h"

enum {
    REPLAY_VERSION = 1,
    REPLAY_HEAD = 8,       // bytes before the first chunk: magic, version, zeros
    REPLAY_CHUNK_HEAD = 9, // bytes before the content of a chunk: kind, size, checksum
    REPLAY_RUN = 120,      // the most frames of inputs in a chunk
    REPLAY_PARTS = 512,    // the most hashes of components in a check
    REPLAY_NAME = 63       // bytes of a name, without the zero
};
#define REPLAY_MAGIC 0x3150524bu           // KRP1
#define REPLAY_LAST_FRAME (UINT64_MAX / 2) // frames are below

typedef enum replay_kind {
    REPLAY_GAME = 1, // the first chunk: what the game is
    REPLAY_IMAGE,    // the exact state of a frame; the second chunk is that of the first frame
    REPLAY_INPUTS,   // the inputs of some frames in which the same slots play
    REPLAY_CHECK,    // the hashes of a state
    REPLAY_END,      // the recording was ended
    REPLAY_KINDS
} replay_kind;

// A chunk, whose contents are in the bytes of the file.
typedef struct replay_chunk {
    replay_kind kind;
    uint64_t frame; // the first frame of GAME and INPUTS; the frame of IMAGE and CHECK; of END the
                    // one behind the last one
    uint64_t hash;  // IMAGE, CHECK
    uint32_t players, check_every; // GAME
    uint32_t count;                // INPUTS: frames; CHECK: parts
    uint32_t slots;                // INPUTS: bits of the slots that play
    const unsigned char *bytes;    // GAME: a HELLO; IMAGE: of keel_snapshot_write, or none;
    size_t size;                   // INPUTS: packed inputs; CHECK: parts
    size_t next;                   // the next chunk begins here
} replay_chunk;

// Returns the CRC-32C of bytes; `before`: that of the bytes before them, or 0.
uint32_t keeli_replay_checksum(uint32_t before, const void *bytes, size_t size);
// Writes the head of a file.
void keeli_replay_write_head(unsigned char head[REPLAY_HEAD]);
// Reads the head of a file. Returns its version; 0: it is no replay.
uint32_t keeli_replay_read_head(const unsigned char *file, size_t size);
// Writes what stands before the content of a chunk.
void keeli_replay_write_chunk_head(unsigned char head[REPLAY_CHUNK_HEAD], replay_kind kind,
                                   const unsigned char *content, uint32_t size);
// Reads the chunk at `at`. Returns false if it is not whole, damaged, or not valid by itself.
// `is_known`: it was read before, so its checksum is not computed again.
bool keeli_replay_read_chunk(const unsigned char *file, size_t size, size_t at, bool is_known,
                             replay_chunk *out);
// Reads the inputs of a chunk: for each slot that plays `chunk->count` inputs of `input_size`
// bytes, at `to` + slot * REPLAY_RUN * input_size. Returns false if they are not valid.
bool keeli_replay_read_inputs(const replay_chunk *chunk, uint32_t players, uint32_t input_size,
                              unsigned char *to);
// Reads a part of a check, from `*at` on, and moves `*at` behind it. Returns false if it is not
// valid.
bool keeli_replay_read_part(const replay_chunk *check, size_t *at, char name[REPLAY_NAME + 1],
                            uint64_t *hash);
// Writes a number in that many bytes.
void keeli_replay_put(unsigned char *to, uint64_t number, uint32_t bytes);
