// SPDX-License-Identifier: MIT
// Byte strings as packets: what is read is in its ranges, and what is written again reads back as
// the same.
#include "feed.h"

#include "packet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRING_HEAD = 9 }; // bytes before the packet: input size, present frame

void feed_stop(const char *what) {
    fprintf(stderr, "fuzz_session: %s\n", what);
    abort();
}

static void must(bool is_so, const char *what) {
    if (!is_so) feed_stop(what);
}

static void check_text(const char *text, size_t room) {
    const char *end = memchr(text, 0, room);
    must(end != NULL, "a text has no end");
    for (; *text; ++text)
        must((unsigned char)*text >= ' ' && *text != 127, "a text has a control character");
}

static void check_blocks(const packet *p, uint32_t input_size) {
    uint32_t used = 0;
    must(p->block_count <= PACKET_BLOCKS, "too many blocks");
    for (uint32_t i = 0; i < p->block_count; ++i) {
        const packet_block *b = &p->blocks[i];
        must(b->slot < KEEL_SESSION_MAX_PLAYERS, "a slot that nobody can have");
        must(b->count && b->count <= PACKET_RUN, "a block of no frames, or too many");
        must(b->at == used * input_size, "a block that is not behind the one before");
        used += b->count;
        must((size_t)used * input_size <= sizeof p->inputs, "inputs beyond their room");
    }
}

// What must be so in every packet that was read; who handles it relies on it.
static void check_ranges(const packet *p, uint32_t input_size) {
    must(p->type > 0 && p->type < PACKET_TYPES, "a type that does not exist");
    must(p->known_count <= KEEL_SESSION_MAX_PLAYERS, "too many slots");
    must(p->member_count <= KEEL_SESSION_MAX_PLAYERS, "too many members");
    must(p->component_count <= PACKET_COMPONENTS, "too many components");
    check_blocks(p, input_size);
    check_text(p->text, sizeof p->text);
    for (uint32_t i = 0; i < p->member_count; ++i)
        check_text(p->members[i].host, sizeof p->members[i].host);
    for (uint32_t i = 0; i < p->component_count; ++i)
        check_text(p->components[i].name, sizeof p->components[i].name);
    if (p->type == PACKET_WELCOME) {
        must(p->check_every, "checks every 0 frames");
        must(p->players && p->players <= KEEL_SESSION_MAX_PLAYERS, "a game of no players");
        must(p->first_slot == PACKET_NO_SLOT || p->first_slot + p->count <= p->players,
             "slots beyond the players");
    }
    if (p->type == PACKET_HELLO && p->kind == PACKET_VERSION)
        must(p->wants <= KEEL_SESSION_MAX_PLAYERS, "wants too many slots");
    if (p->type == PACKET_IMAGE)
        must(p->size <= PACKET_CHUNK && p->offset + p->size <= p->total && p->offset <= p->total,
             "a piece beyond the image");
    uint32_t slots = 0;
    for (uint32_t i = 0; p->type == PACKET_FEED && i < p->block_count; ++i) {
        must(p->blocks[i].first == p->frame && p->blocks[i].count == p->count,
             "blocks of other frames");
        must(!(slots >> p->blocks[i].slot & 1), "a slot twice");
        slots |= 1u << p->blocks[i].slot;
    }
    must(p->type != PACKET_FEED || slots == p->slots, "inputs of other slots");
}

// Compares two packets that were read.
static bool is_same(const packet *a, const packet *b, uint32_t input_size) {
    uint32_t used = 0;
    for (uint32_t i = 0; i < a->block_count && i < b->block_count; ++i) {
        const packet_block *x = &a->blocks[i], *y = &b->blocks[i];
        if (x->slot != y->slot || x->count != y->count || x->first != y->first || x->at != y->at)
            return false;
        used += x->count;
    }
    if (a->size && b->size && memcmp(a->bytes, b->bytes, a->size) != 0) return false;
    return a->type == b->type && a->session == b->session && a->schema == b->schema &&
           a->input_size == b->input_size && a->rate == b->rate && a->floats == b->floats &&
           a->wants == b->wants && a->component_count == b->component_count &&
           memcmp(a->components, b->components, sizeof a->components) == 0 &&
           strcmp(a->text, b->text) == 0 && a->first_slot == b->first_slot &&
           a->count == b->count && a->players == b->players && a->check_every == b->check_every &&
           a->max_rollback == b->max_rollback && a->is_late == b->is_late &&
           a->member_count == b->member_count &&
           memcmp(a->members, b->members, sizeof a->members) == 0 && a->slots == b->slots &&
           a->frame == b->frame && a->hash == b->hash && a->epoch == b->epoch &&
           a->ahead == b->ahead && a->sequence == b->sequence && a->known_count == b->known_count &&
           memcmp(a->known, b->known, sizeof a->known) == 0 && a->block_count == b->block_count &&
           a->offset == b->offset && a->total == b->total && a->kind == b->kind &&
           a->size == b->size && memcmp(a->inputs, b->inputs, (size_t)used * input_size) == 0;
}

bool feed_packet(const uint8_t *bytes, size_t size) {
    static packet first, second;
    static unsigned char written[PACKET_BYTES];
    if (size < STRING_HEAD) return false;
    const uint32_t input_size = 1 + bytes[0] % KEEL_SESSION_MAX_INPUT;
    uint64_t now = 0;
    memcpy(&now, bytes + 1, 8);
    now >>= now >> 60 << 2; // often near to 0
    now &= UINT32_MAX;
    // a packet of its own length, so that a byte read behind it is noticed
    unsigned char *copy = malloc(size - STRING_HEAD + 1);
    if (!copy) return false;
    memcpy(copy, bytes + STRING_HEAD, size - STRING_HEAD);
    unsigned char *packet_bytes = realloc(copy, size > STRING_HEAD ? size - STRING_HEAD : 1);
    memset(&first, 0, sizeof first);
    const bool is_valid =
        keeli_packet_read(&first, packet_bytes, size - STRING_HEAD, input_size, now);
    const bool is_other_version = first.type == PACKET_HELLO && first.kind != PACKET_VERSION;
    if (is_valid) check_ranges(&first, input_size);
    if (is_valid && !is_other_version) {
        const size_t length = keeli_packet_write(&first, written, sizeof written, input_size);
        must(length != 0, "a packet that was read cannot be written");
        memset(&second, 0, sizeof second);
        must(keeli_packet_read(&second, written, length, input_size, now),
             "a packet that was written cannot be read");
        must(is_same(&first, &second, input_size), "a packet reads back as another one");
    }
    free(packet_bytes);
    return is_valid;
}

// ------------------------------------------------------------------ samples
static void add_blocks(packet *p, uint32_t input_size) {
    p->block_count = 2;
    for (uint32_t b = 0; b < 2; ++b) {
        packet_block *block = &p->blocks[b];
        *block = (packet_block){
            .slot = (uint8_t)b, .count = 5, .first = p->frame, .at = b * 5 * input_size
        };
        for (uint32_t i = 0; i < 5 * input_size; ++i)
            p->inputs[block->at + i] = (unsigned char)(i / 9 + b);
    }
    p->count = 5;
    p->slots = 3;
}

size_t feed_packet_sample(unsigned n, uint8_t *bytes, size_t capacity) {
    static packet p;
    const uint32_t input_size = 1 + n % 3 * 9;
    if (n + 1 >= PACKET_TYPES || capacity < STRING_HEAD) return 0;
    memset(&p, 0, sizeof p);
    p.type = (packet_type)(n + 1);
    p.session = 0x12345679;
    p.frame = 300;
    p.epoch = 9;
    p.hash = 0xfedcba9876543210u;
    p.schema = 77;
    p.input_size = input_size;
    p.rate = 60;
    p.wants = p.players = 2;
    p.check_every = 30;
    p.max_rollback = 8;
    p.count = 1;
    p.slots = 2;
    p.component_count = 2;
    p.member_count = 2;
    p.ahead = -3;
    for (uint32_t i = 0; i < 2; ++i) {
        p.components[i] = (packet_component){ .size = 4, .hash = i };
        snprintf(p.components[i].name, sizeof p.components[i].name, "Part%u", (unsigned)i);
        p.members[i] = (packet_member){ .slots = (uint8_t)(1u << i), .port = 7791 };
        snprintf(p.members[i].host, sizeof p.members[i].host, "127.0.0.%u", (unsigned)i);
        p.known[i] = i ? PACKET_GONE : 290;
    }
    p.known_count = 2;
    snprintf(p.text, sizeof p.text, "all places are taken");
    const bool has_blocks = p.type == PACKET_INPUT || p.type == PACKET_FEED ||
                            p.type == PACKET_STATE || p.type == PACKET_DECIDE;
    if (has_blocks) add_blocks(&p, input_size);
    static const char text[] = "Ship\t0\t64\t2\n0123456789abcdef";
    p.bytes = (const unsigned char *)text;
    p.size = sizeof text - 1;
    p.total = 100;
    p.kind = p.type == PACKET_DIFFER ? 2 : 0;
    bytes[0] = (uint8_t)(input_size - 1);
    memset(bytes + 1, 0, 8);
    bytes[1] = 44; // frame 300
    bytes[2] = 1;
    return STRING_HEAD +
           keeli_packet_write(&p, bytes + STRING_HEAD, capacity - STRING_HEAD, input_size);
}
