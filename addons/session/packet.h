// SPDX-License-Identifier: MIT
// Packets of a session: structs, and their bytes. It is pure: no world, no socket, no memory. A
// packet is read whole before anything is done with it; bytes that are no valid packet are refused.
// All integers are little-endian; docs/reference/session_protocol.md lists the packets.
#pragma once
#include "inputs.h"

enum {
    PACKET_BYTES = 60000,      // the longest packet
    PACKET_INPUT_BYTES = 1200, // the longest packet of inputs: it fits a datagram
    PACKET_RUN = 120,          // frames of inputs in one block
    PACKET_BLOCKS = 8,         // blocks of inputs in a packet
    PACKET_TEXT = 200,         // bytes of a text, without the zero
    PACKET_HOST = 63,          // bytes of an address
    PACKET_CHUNK = 1024,       // bytes of a piece of an image
    PACKET_COMPONENTS = 512,   // components in a HELLO
    PACKET_HEAD = 5,
    PACKET_VERSION = 1,
    PACKET_NO_SLOT = 255
};
#define PACKET_MAGIC 0x314e534bu // KSN1
#define PACKET_GONE UINT64_MAX   // in `known`: nobody plays in the slot

typedef enum packet_type {
    PACKET_HELLO = 1, // wants to join
    PACKET_REFUSED,   // a machine may not join
    PACKET_WELCOME,   // a machine has a slot
    PACKET_START,     // names all who play, and where they are reached
    PACKET_MEET,      // says to another member which slots are played here
    PACKET_READY,     // a machine has met everybody, or has loaded the image and caught up
    PACKET_GO,        // the game begins
    PACKET_INPUT,     // inputs, and what is known
    PACKET_FEED,      // confirmed inputs of all who play, for spectators and late players
    PACKET_HASH,      // the hash of a state
    PACKET_ROUND,     // somebody is gone: what does each know?
    PACKET_STATE,     // this is what I know
    PACKET_DECIDE,    // with these inputs they are gone
    PACKET_ENTER,     // a player enters in this frame
    PACKET_ENTERED,   // agreed, or a later frame is needed
    PACKET_IMAGE,     // a piece of a world
    PACKET_DIFFER,    // parts of a state that differs: differ.c
    PACKET_BYE,       // leaves
    PACKET_ALIVE, // a machine is there, while the game has not begun; or it does not hear `slots`
    PACKET_TYPES
} packet_type;

// A component in a HELLO: peers with other components cannot play together.
typedef struct packet_component {
    char name[64];
    uint32_t size;
    uint64_t hash; // covers its options and fields
} packet_component;

// A member in a START.
typedef struct packet_member {
    uint8_t slots; // bits
    char host[PACKET_HOST + 1];
    uint16_t port;
} packet_member;

// Inputs of one slot for `count` frames from `first` on; their bytes are at `at` in `inputs`.
typedef struct packet_block {
    uint8_t slot;
    uint8_t count;
    uint64_t first;
    uint32_t at;
    // The input before the first: only what differs from it is written. Whoever reads an INPUT has
    // it, and reads the inputs with it again; in other packets it is zeros.
    unsigned char before[KEEL_SESSION_MAX_INPUT];
    const unsigned char *bytes; // the inputs as they came, in the packet's own bytes
    uint32_t size;
} packet_block;

typedef struct packet {
    packet_type type;
    uint32_t session; // number of the session; 0 in a HELLO
    // HELLO
    uint64_t schema;
    uint32_t input_size, rate, floats, wants; // `wants`: number of players; 0: watches
    uint32_t component_count;
    // REFUSED, BYE
    char text[PACKET_TEXT + 1];
    // WELCOME: `first_slot`, `count` slots; START: members
    // ENTERED: `count` bits of the slots that play; FEED: `count` frames
    uint32_t first_slot, count, players, check_every, max_rollback, is_late;
    uint32_t member_count;
    packet_member members[KEEL_SESSION_MAX_PLAYERS];
    // MEET, ROUND, ALIVE: bits of slots
    uint32_t slots;
    // INPUT, HASH, ROUND, STATE, DECIDE, ENTER, ENTERED, IMAGE, DIFFER
    uint64_t frame, hash;
    uint32_t epoch;
    int32_t ahead;
    uint32_t sequence;
    uint64_t known[KEEL_SESSION_MAX_PLAYERS];
    uint32_t known_count;
    uint32_t block_count;
    packet_block blocks[PACKET_BLOCKS];
    // IMAGE: `size` bytes of `total` from `offset` on. DIFFER: `kind`, and `size` bytes
    uint64_t offset, total;
    uint32_t kind, size;
    const unsigned char *bytes; // in the packet's own bytes
    // large members come last: a new packet need not clear it
    unsigned char inputs[PACKET_BLOCKS * PACKET_RUN * KEEL_SESSION_MAX_INPUT];
    packet_component components[PACKET_COMPONENTS]; // a HELLO has these
} packet;

// Reads a packet. `input_size`: bytes of an input of this session; `now`: its present frame.
// Returns false, and what is in `out` is of no use, if the bytes are no valid packet.
bool keeli_packet_read(packet *out, const void *bytes, size_t size, uint32_t input_size,
                       uint64_t now);
// Returns the session that a packet names, valid or not; 0: it is too short.
uint32_t keeli_packet_session(const void *bytes, size_t size);
// Writes a packet. Returns its bytes, or 0 if they are more than `capacity`.
size_t keeli_packet_write(packet *in, void *bytes, size_t capacity, uint32_t input_size);
// Returns the most bytes that `count` inputs take in a packet.
static inline size_t keeli_packet_block_bytes(uint32_t count, uint32_t input_size) {
    return 16 + (size_t)count * (input_size + input_size / 7 + 1);
}

// Writes inputs, each as its difference to the one before, the first one to `before`; returns the
// bytes, or 0 if they are more than `capacity`. Replays have them, too.
size_t keeli_inputs_pack(const unsigned char *in, uint32_t count, uint32_t size,
                         const unsigned char *before, unsigned char *bytes, size_t capacity);
// Reads `count` inputs; returns the bytes that they took, or 0 if they are not valid.
size_t keeli_inputs_unpack(unsigned char *in, uint32_t count, uint32_t size,
                           const unsigned char *before, const unsigned char *bytes, size_t left);
