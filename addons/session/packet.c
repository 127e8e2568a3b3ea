// SPDX-License-Identifier: MIT
// Reads and writes packets; see packet.h. One function for each type describes its layout, and does
// both: a `wire` either reads its bytes into the packet, or writes the packet to them.
#include "packet.h"

#include <string.h>

// The bytes of a packet, which are read or written from `at` on. When they end too early, or a
// number is out of range, `failed` is set, and all later steps do nothing.
typedef struct wire {
    unsigned char *out;      // NULL: reads
    const unsigned char *in; // NULL: writes
    size_t at, size;
    uint64_t now; // the present frame of who reads
    bool failed;
} wire;

static void wire_fail_if(wire *w, bool failed) {
    if (failed) w->failed = true;
}
// Returns true if `size` more bytes are there, and passes over them.
static bool wire_pass(wire *w, size_t size) {
    wire_fail_if(w, size > w->size - w->at);
    if (w->failed) return false;
    w->at += size;
    return true;
}

static uint64_t wire_number(wire *w, uint64_t value, uint32_t bytes) {
    if (!wire_pass(w, bytes)) return 0;
    const size_t from = w->at - bytes;
    if (w->out) {
        for (uint32_t i = 0; i < bytes; ++i)
            w->out[from + i] = (unsigned char)(value >> 8 * i);
        return value;
    }
    uint64_t number = 0;
    for (uint32_t i = 0; i < bytes; ++i)
        number |= (uint64_t)w->in[from + i] << 8 * i;
    return number;
}
static void wire_u8(wire *w, uint8_t *value) { *value = (uint8_t)wire_number(w, *value, 1); }
static void wire_u16(wire *w, uint16_t *value) { *value = (uint16_t)wire_number(w, *value, 2); }
static void wire_u64(wire *w, uint64_t *value) { *value = wire_number(w, *value, 8); }
// Reads or writes an integer with that many bytes, which is at most `most`.
static void wire_u32(wire *w, uint32_t *value, uint32_t bytes, uint32_t most) {
    *value = (uint32_t)wire_number(w, *value, bytes);
    wire_fail_if(w, *value > most);
}
static void wire_frame(wire *w, uint64_t *frame) {
    wire_fail_if(w, *frame > UINT32_MAX && w->out);
    *frame = wire_number(w, *frame, 4);
}

// A frame that is near to the present one on both sides: its lowest 16 bits.
static void wire_near_frame(wire *w, uint64_t *frame) {
    const uint64_t low = wire_number(w, *frame & 0xffff, 2);
    if (w->out) return;
    *frame = (w->now & ~(uint64_t)0xffff) | low;
    if (*frame > w->now + 0x8000 && *frame >= 0x10000) *frame -= 0x10000;
    else if (*frame + 0x8000 < w->now) *frame += 0x10000;
}

// An integer of 7 bits a byte, the last one without the highest bit.
static uint64_t wire_packed(wire *w, uint64_t value) {
    uint64_t number = 0;
    for (uint32_t shift = 0; shift < 42 && !w->failed; shift += 7) {
        uint8_t byte = (uint8_t)((value >> shift & 127) | (value >> shift > 127 ? 128 : 0));
        wire_u8(w, &byte);
        number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return number;
    }
    w->failed = true;
    return 0;
}
// A frame near to another one. 0 stands for PACKET_GONE if `may_be_gone`.
static void wire_near(wire *w, uint64_t *frame, uint64_t to, bool may_be_gone) {
    const int64_t far = (int64_t)(*frame - to);
    const uint64_t folded = far < 0 ? (uint64_t)-far * 2 - 1 : (uint64_t)far * 2;
    const bool is_gone = may_be_gone && *frame == PACKET_GONE;
    const uint64_t number = wire_packed(w, is_gone ? 0 : folded + may_be_gone);
    if (w->out) return;
    if (may_be_gone && number == 0) {
        *frame = PACKET_GONE;
        return;
    }
    const uint64_t back = number - may_be_gone, half = back / 2 + (back & 1);
    wire_fail_if(w, (back & 1) && half > to);
    *frame = back & 1 ? to - half : to + half;
}

// A text of at most `most` bytes, and a zero behind it in memory.
static void wire_text(wire *w, char *text, uint32_t most) {
    uint32_t length = w->out ? (uint32_t)strlen(text) : 0;
    wire_u32(w, &length, 1, most);
    if (!wire_pass(w, length)) return;
    if (w->out) {
        memcpy(w->out + w->at - length, text, length);
        return;
    }
    memcpy(text, w->in + w->at - length, length);
    text[length] = '\0';
    for (uint32_t i = 0; i < length; ++i)
        wire_fail_if(w, (unsigned char)text[i] < ' ' || text[i] == 127);
}

static void wire_bytes(wire *w, const unsigned char **bytes, uint32_t size) {
    if (!wire_pass(w, size)) return;
    if (w->out && size) memcpy(w->out + w->at - size, *bytes, size);
    else if (!w->out) *bytes = w->in + w->at - size;
}

// ------------------------------------------------------------------ inputs
// Writes the bytes of an input that differ from those of the one before: for each 7 bytes a byte of
// bits, and those that differ. Returns the place behind, or NULL if there is no room.
static unsigned char *pack_input(const unsigned char *input, const unsigned char *before,
                                 uint32_t size, unsigned char *to, const unsigned char *end) {
    for (uint32_t i = 0; i < size; i += 7) {
        if (to == end) return NULL;
        unsigned char *bits = to++;
        *bits = 0;
        for (uint32_t b = 0; b < 7 && i + b < size; ++b) {
            if (input[i + b] == before[i + b]) continue;
            if (to == end) return NULL;
            *bits |= (unsigned char)(1u << b);
            *to++ = input[i + b];
        }
    }
    return to;
}

size_t keeli_inputs_pack(const unsigned char *in, uint32_t count, uint32_t size,
                         const unsigned char *before, unsigned char *bytes, size_t capacity) {
    const unsigned char *end = bytes + capacity;
    unsigned char *to = bytes;
    for (uint32_t i = 0; i < count;) {
        uint32_t run = 0; // inputs that are like the one before
        while (run < 128 && i + run < count &&
               memcmp(in + (size_t)(i + run) * size, before, size) == 0)
            ++run;
        if (run) {
            if (to == end) return 0;
            *to++ = (unsigned char)(128 | (run - 1));
            i += run;
            continue;
        }
        to = pack_input(in + (size_t)i * size, before, size, to, end);
        if (!to) return 0;
        before = in + (size_t)i * size;
        ++i;
    }
    return (size_t)(to - bytes);
}

// Reads one input whose first byte of bits is at `from`. Returns the place behind, or NULL.
static const unsigned char *unpack_input(unsigned char *input, uint32_t size,
                                         const unsigned char *from, const unsigned char *end) {
    for (uint32_t i = 0; i < size; i += 7) {
        if (from == end) return NULL;
        const unsigned bits = *from++;
        if (bits > 127 || (size - i < 7 && bits >> (size - i))) return NULL;
        for (uint32_t b = 0; b < 7; ++b) {
            if (!(bits >> b & 1)) continue;
            if (from == end) return NULL;
            input[i + b] = *from++;
        }
    }
    return from;
}

size_t keeli_inputs_unpack(unsigned char *in, uint32_t count, uint32_t size,
                           const unsigned char *before, const unsigned char *bytes, size_t left) {
    const unsigned char *from = bytes, *end = bytes + left;
    for (uint32_t i = 0; i < count;) {
        if (from == end) return 0;
        const bool is_run = *from & 128;
        const uint32_t run = is_run ? (*from & 127u) + 1 : 1;
        if (run > count - i) return 0;
        from += is_run;
        for (uint32_t k = 0; k < run; ++k)
            memcpy(in + (size_t)(i + k) * size, before, size);
        if (!is_run) from = unpack_input(in + (size_t)i * size, size, from, end);
        if (!from) return 0;
        i += run;
        before = in + (size_t)(i - 1) * size;
    }
    return (size_t)(from - bytes);
}

// One block of inputs. `used`: inputs in the packet so far.
static void wire_block(wire *w, packet *p, packet_block *block, uint32_t *used,
                       uint32_t input_size) {
    wire_u8(w, &block->slot);
    wire_near(w, &block->first, p->frame, false);
    wire_u8(w, &block->count);
    wire_fail_if(w, block->slot >= KEEL_SESSION_MAX_PLAYERS || !block->count ||
                        block->count > PACKET_RUN);
    if (w->failed) return;
    if (w->in) {
        block->at = *used * input_size;
        memset(block->before, 0, sizeof block->before);
    }
    *used += block->count;

    unsigned char *all = p->inputs + block->at;
    const size_t left = w->size - w->at;
    size_t size;
    if (w->out) {
        size =
            keeli_inputs_pack(all, block->count, input_size, block->before, w->out + w->at, left);
    } else {
        block->bytes = w->in + w->at;
        size =
            keeli_inputs_unpack(all, block->count, input_size, block->before, block->bytes, left);
        block->size = (uint32_t)size;
    }
    wire_fail_if(w, !size);
    w->at += w->failed ? 0 : size;
}

// All blocks of a packet, up to its end.
static void wire_blocks(wire *w, packet *p, uint32_t input_size) {
    const uint32_t count = w->out ? p->block_count : PACKET_BLOCKS;
    uint32_t used = 0;
    for (p->block_count = 0; p->block_count < count && !w->failed; ++p->block_count) {
        if (w->in && w->at == w->size) return;
        wire_block(w, p, &p->blocks[p->block_count], &used, input_size);
    }
}

static void wire_known(wire *w, packet *p) {
    wire_u32(w, &p->known_count, 1, KEEL_SESSION_MAX_PLAYERS);
    for (uint32_t i = 0; i < p->known_count && !w->failed; ++i)
        wire_near(w, &p->known[i], p->frame, true);
}

// ------------------------------------------------------------------ layouts
static void wire_hello(wire *w, packet *p) {
    uint32_t magic = PACKET_MAGIC, version = PACKET_VERSION;
    wire_u32(w, &magic, 4, UINT32_MAX);
    wire_fail_if(w, magic != PACKET_MAGIC);
    wire_u32(w, &version, 2, UINT16_MAX);
    p->kind = version;
    if (version != PACKET_VERSION) { // another Keel sent it: the rest may be anything
        w->at = w->size;
        return;
    }
    wire_u64(w, &p->schema);
    wire_u32(w, &p->input_size, 1, KEEL_SESSION_MAX_INPUT);
    wire_u32(w, &p->rate, 2, UINT16_MAX);
    wire_u32(w, &p->floats, 1, UINT8_MAX);
    wire_u32(w, &p->wants, 1, KEEL_SESSION_MAX_PLAYERS);
    wire_u32(w, &p->component_count, 2, PACKET_COMPONENTS);
    for (uint32_t i = 0; i < p->component_count && !w->failed; ++i) {
        packet_component *c = &p->components[i];
        wire_text(w, c->name, sizeof c->name - 1);
        wire_u32(w, &c->size, 4, UINT32_MAX);
        wire_u64(w, &c->hash);
    }
}

static void wire_welcome(wire *w, packet *p) {
    wire_u32(w, &p->first_slot, 1, PACKET_NO_SLOT);
    wire_u32(w, &p->count, 1, KEEL_SESSION_MAX_PLAYERS);
    wire_u32(w, &p->players, 1, KEEL_SESSION_MAX_PLAYERS);
    wire_u32(w, &p->check_every, 4, UINT32_MAX);
    wire_u32(w, &p->max_rollback, 1, KEEL_SESSION_MAX_ROLLBACK);
    wire_u32(w, &p->is_late, 1, 1);
    const bool has_slot =
        p->first_slot < p->players && p->count && p->count <= p->players - p->first_slot;
    wire_fail_if(w, p->players < 1 || !p->check_every);
    wire_fail_if(w, !has_slot && (p->first_slot != PACKET_NO_SLOT || p->count));
}

static void wire_start(wire *w, packet *p) {
    wire_u32(w, &p->epoch, 4, UINT32_MAX);
    wire_u32(w, &p->member_count, 1, KEEL_SESSION_MAX_PLAYERS);
    for (uint32_t i = 0; i < p->member_count && !w->failed; ++i) {
        packet_member *m = &p->members[i];
        wire_u8(w, &m->slots);
        wire_text(w, m->host, PACKET_HOST);
        wire_u16(w, &m->port);
    }
}

static void wire_input(wire *w, packet *p, uint32_t input_size) {
    uint8_t ahead = (uint8_t)(int8_t)p->ahead;
    wire_near_frame(w, &p->frame);
    wire_u8(w, &ahead);
    p->ahead = (int8_t)ahead;
    wire_u32(w, &p->sequence, 1, UINT8_MAX);
    wire_known(w, p);
    wire_blocks(w, p, input_size);
}

// All blocks begin in the same frame, and are equally long: `slots` play in all of these frames.
static void wire_feed(wire *w, packet *p, uint32_t input_size) {
    wire_frame(w, &p->frame);
    wire_u32(w, &p->count, 1, PACKET_RUN);
    wire_u32(w, &p->slots, 1, UINT8_MAX);
    wire_blocks(w, p, input_size);
    uint32_t slots = 0;
    for (uint32_t i = 0; i < p->block_count && !w->failed; ++i) {
        wire_fail_if(w, p->blocks[i].first != p->frame || p->blocks[i].count != p->count);
        wire_fail_if(w, slots >> p->blocks[i].slot & 1);
        slots |= 1u << p->blocks[i].slot;
    }
    wire_fail_if(w, !p->count || slots != p->slots);
}

static void wire_piece(wire *w, packet *p) {
    wire_frame(w, &p->frame);
    wire_u64(w, &p->hash);
    wire_u64(w, &p->offset);
    wire_u64(w, &p->total);
    wire_u32(w, &p->size, 2, PACKET_CHUNK);
    wire_bytes(w, &p->bytes, p->size);
    wire_fail_if(w, p->offset > p->total || p->size > p->total - p->offset);
}

static void wire_differ(wire *w, packet *p) {
    wire_u32(w, &p->kind, 1, UINT8_MAX);
    wire_frame(w, &p->frame);
    wire_u32(w, &p->size, 2, PACKET_BYTES);
    wire_bytes(w, &p->bytes, p->size);
}

// The layout of ROUND, STATE, DECIDE, ENTER and ENTERED.
static void wire_agreement(wire *w, packet *p, uint32_t input_size) {
    wire_u32(w, &p->epoch, 4, UINT32_MAX);
    wire_u32(w, &p->slots, 1, UINT8_MAX);
    wire_u32(w, &p->count, 1, UINT8_MAX);
    wire_frame(w, &p->frame);
    if (p->type == PACKET_STATE || p->type == PACKET_DECIDE) {
        wire_known(w, p);
        wire_blocks(w, p, input_size);
    }
}

static void wire_packet(wire *w, packet *p, uint32_t input_size) {
    uint32_t type = p->type;
    wire_u32(w, &type, 1, PACKET_TYPES - 1);
    p->type = (packet_type)type;
    wire_u32(w, &p->session, 4, UINT32_MAX);
    if (w->failed) return;

    switch (p->type) {
    case PACKET_HELLO:
        wire_hello(w, p);
        break;
    case PACKET_REFUSED:
        wire_u32(w, &p->slots, 1, UINT8_MAX);
        wire_text(w, p->text, PACKET_TEXT);
        break;
    case PACKET_BYE:
        wire_text(w, p->text, PACKET_TEXT);
        break;
    case PACKET_WELCOME:
        wire_welcome(w, p);
        break;
    case PACKET_START:
        wire_start(w, p);
        break;
    case PACKET_ALIVE:
    case PACKET_MEET:
        wire_u32(w, &p->slots, 1, UINT8_MAX);
        break;
    case PACKET_READY:
    case PACKET_GO:
        wire_u32(w, &p->epoch, 4, UINT32_MAX);
        break;
    case PACKET_INPUT:
        wire_input(w, p, input_size);
        break;
    case PACKET_FEED:
        wire_feed(w, p, input_size);
        break;
    case PACKET_HASH:
        wire_frame(w, &p->frame);
        wire_u64(w, &p->hash);
        break;
    case PACKET_ROUND:
    case PACKET_STATE:
    case PACKET_DECIDE:
    case PACKET_ENTER:
    case PACKET_ENTERED:
        wire_agreement(w, p, input_size);
        break;
    case PACKET_IMAGE:
        wire_piece(w, p);
        break;
    case PACKET_DIFFER:
        wire_differ(w, p);
        break;
    default:
        w->failed = true;
    }
}

uint32_t keeli_packet_session(const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    if (size < PACKET_HEAD) return 0;
    return (uint32_t)at[1] | (uint32_t)at[2] << 8 | (uint32_t)at[3] << 16 | (uint32_t)at[4] << 24;
}

bool keeli_packet_read(packet *out, const void *bytes, size_t size, uint32_t input_size,
                       uint64_t now) {
    if (size < PACKET_HEAD || size > PACKET_BYTES) return false;
    wire w = { .in = bytes, .size = size, .now = now };
    wire_packet(&w, out, input_size);
    return !w.failed && w.at == size;
}

size_t keeli_packet_write(packet *in, void *bytes, size_t capacity, uint32_t input_size) {
    wire w = { .out = bytes, .size = capacity };
    wire_packet(&w, in, input_size);
    return w.failed ? 0 : w.at;
}
