// SPDX-License-Identifier: MIT
// Names what differs when the hashes of a frame differ on two machines. Both send the hashes of all
// components; both find the same first one that differs, and send the hashes of its blocks of
// entities; then, for the first block that differs, the values as text. Nobody asks: each side
// knows from what it received what comes next. It happens once with each peer, so that no peer can
// make this machine send much.
#include "lines.h"
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    KIND_PARTS = 1,  // name and hash of each component
    KIND_BLOCKS = 2, // hashes of blocks of one component
    KIND_VALUES = 3, // the lines of one block
    BLOCKS_AT_ONCE = 4096,
    PACKETS_OF_PEER = 8 // parts, blocks in up to three sizes, values
};

struct differ {
    keel_snapshot *snapshot; // the state that differs
    uint64_t frame;
    char text[PACKET_BYTES + 1];
    char lines[LINES_BYTES];
    keel_hash_part parts[LINES_PARTS];
};

// Writes text to the packet's bytes.
static void differ_send(keel_session *s, session_peer *peer, uint32_t kind, const void *bytes,
                        size_t size) {
    packet *p = keeli_packet_begin(s, PACKET_DIFFER);
    p->kind = kind;
    p->frame = s->differ->frame;
    p->bytes = bytes;
    p->size = (uint32_t)size;
    keeli_peer_send(s, peer, true);
}

// ------------------------------------------------------------------ parts
static void send_parts(keel_session *s, session_peer *peer, const keel_world *image) {
    struct differ *d = s->differ;
    const uint32_t count = keel_world_hash_parts(image, d->parts, LINES_PARTS);
    size_t size = 0;
    for (uint32_t i = 0; i < count && i < LINES_PARTS && size + 100 < LINES_BYTES; ++i)
        size += (size_t)snprintf(d->text + size, 100, "%.63s\t%016llx\t%u\n",
                                 d->parts[i].component->name, (unsigned long long)d->parts[i].hash,
                                 (unsigned)d->parts[i].blocks);
    differ_send(s, peer, KIND_PARTS, d->text, size);
}

typedef struct text_part {
    char name[64];
    unsigned long long hash;
    unsigned blocks;
} text_part;

// Reads one line of parts; returns the next line, or NULL.
static const char *read_part(const char *at, text_part *part) {
    const char *tab = strchr(at, '\t'), *end = strchr(at, '\n');
    if (!tab || !end || tab > end || tab - at > 63) return NULL;
    memcpy(part->name, at, (size_t)(tab - at));
    part->name[tab - at] = '\0';
    return sscanf(tab + 1, "%llx\t%u\n", &part->hash, &part->blocks) == 2 ? end + 1 : NULL;
}

// Finds a component by the name that hashes by parts use.
static const keel_component *part_component(const keel_world *image, const char *name) {
    return strcmp(name, keel_entities.name) == 0 ? &keel_entities
                                                 : keel_find_component(image, name);
}

typedef struct differing {
    char name[64];
    uint32_t blocks;
} differing;

static void note_less(differing *least, const char *name, uint32_t blocks) {
    if (least->name[0] && strcmp(least->name, name) <= 0) return;
    snprintf(least->name, sizeof least->name, "%s", name);
    least->blocks = blocks;
}

// Finds the component with the lowest name whose hash differs, or that one side lacks. Both sides
// find the same.
static bool find_part(const keel_hash_part *own, uint32_t count, const char *theirs,
                      differing *out) {
    *out = (differing){ .blocks = 0 };
    uint32_t found = 0;
    text_part part;
    for (const char *at = theirs; (at = read_part(at, &part)) != NULL;) {
        const keel_hash_part *mine = NULL;
        for (uint32_t i = 0; i < count && !mine; ++i)
            mine = strncmp(own[i].component->name, part.name, 63) == 0 ? &own[i] : NULL;
        found += mine != NULL;
        if (!mine || mine->hash != part.hash)
            note_less(out, part.name,
                      mine && mine->blocks > part.blocks ? mine->blocks : part.blocks);
    }
    for (uint32_t i = 0; i < count && found < count; ++i) {
        char line[80];
        const int length = snprintf(line, sizeof line, "%.63s\t", own[i].component->name);
        const char *at = strstr(theirs, line);
        while (at && at != theirs && at[-1] != '\n')
            at = strstr(at + length, line);
        if (!at) note_less(out, own[i].component->name, own[i].blocks);
    }
    return out->name[0] != '\0';
}

// ------------------------------------------------------------------ blocks
// Sends the hashes of blocks of `size` indices from `first` on, enough for `blocks` blocks of 64.
static void send_blocks(keel_session *s, session_peer *peer, const keel_world *image,
                        const char *name, uint32_t first, uint32_t blocks) {
    struct differ *d = s->differ;
    const keel_component *component = part_component(image, name);
    uint32_t size = LINES_BLOCK, count = blocks ? blocks : 1;
    for (; count > BLOCKS_AT_ONCE; count = (count + 1) / 2)
        size *= 2;
    uint64_t *hashes = calloc(count, sizeof *hashes);
    if (!hashes) return;
    if (component) (void)keel_hash_blocks(image, component, first, size, count, hashes);
    size_t at = (size_t)snprintf(d->text, 128, "%.63s\t%u\t%u\t%u\n", name, (unsigned)first,
                                 (unsigned)size, (unsigned)count);
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t b = 0; b < 8; ++b)
            d->text[at++] = (char)(hashes[i] >> 8 * b);
    free(hashes);
    differ_send(s, peer, KIND_BLOCKS, d->text, at);
}

static void send_values(keel_session *s, session_peer *peer, const keel_world *image,
                        const char *name, uint32_t first) {
    struct differ *d = s->differ;
    const keel_component *component = part_component(image, name);
    d->lines[0] = '\0';
    if (component) keeli_lines_write(image, component, first, d->lines);
    const int head = snprintf(d->text, 100, "%.63s\t%u\n", name, (unsigned)first);
    const size_t size = strlen(d->lines);
    memcpy(d->text + head, d->lines, size);
    differ_send(s, peer, KIND_VALUES, d->text, (size_t)head + size);
}

// Finds the first block that differs, and sends its smaller blocks, or its values.
static bool take_blocks(keel_session *s, session_peer *peer, const keel_world *image,
                        const packet *p) {
    char head[129] = "", name[64];
    unsigned first, size, count;
    const unsigned char *end = memchr(p->bytes, '\n', p->size < 128 ? p->size : 128);
    if (!end) return false;
    memcpy(head, p->bytes, (size_t)(end - p->bytes));
    if (sscanf(head, "%63[^\t]\t%u\t%u\t%u", name, &first, &size, &count) != 4) return false;
    const size_t left = p->size - (size_t)(end + 1 - p->bytes);
    const keel_component *component = part_component(image, name);
    if (!count || count > BLOCKS_AT_ONCE || left != (size_t)count * 8 || size < LINES_BLOCK ||
        size > 1u << 26)
        return false;
    uint64_t *own = calloc(count, sizeof *own);
    if (!own) return true;
    if (component) (void)keel_hash_blocks(image, component, first, size, count, own);
    uint32_t block = 0;
    for (const unsigned char *at = end + 1; block < count; ++block, at += 8) {
        uint64_t theirs = 0;
        for (uint32_t b = 0; b < 8; ++b)
            theirs |= (uint64_t)at[b] << 8 * b;
        if (theirs != own[block]) break;
    }
    free(own);
    const uint32_t from = first + (block < count ? block : 0) * size;
    if (size > LINES_BLOCK) send_blocks(s, peer, image, name, from, size / LINES_BLOCK);
    else send_values(s, peer, image, name, from);
    return true;
}

// ------------------------------------------------------------------ the answer
// Tells what differs, from the lines of both sides.
static bool take_values(keel_session *s, session_peer *peer, const keel_world *image,
                        const packet *p) {
    struct differ *d = s->differ;
    char name[64];
    unsigned first;
    int head = 0;
    memcpy(d->text, p->bytes, p->size);
    d->text[p->size] = '\0';
    if (sscanf(d->text, "%63[^\t]\t%u%n", name, &first, &head) != 2 || d->text[head] != '\n')
        return false;
    const keel_component *component = part_component(image, name);
    d->lines[0] = '\0';
    if (component) keeli_lines_write(image, component, first, d->lines);

    char what[200], text[256];
    static const char *const sides[2] = { "here", "there" };
    const char *const lines[2] = { d->lines, d->text + head + 1 };
    if (!keeli_lines_compare(name, lines, sides, what, sizeof what))
        snprintf(what, sizeof what, "%s, among the entities %u to %u", name, first,
                 first + LINES_BLOCK - 1);
    snprintf(text, sizeof text, "frame %llu: %s", (unsigned long long)d->frame, what);
    for (char *c = text; *c; ++c) // the other machine wrote it, and terminals obey
        if ((unsigned char)*c < ' ' || *c == 127) *c = '.';
    keeli_session_event(s, KEEL_SESSION_DIFFERS, keeli_first_slot(peer->slots), d->frame, text);
    return true;
}

static void take_parts(keel_session *s, session_peer *peer, const keel_world *image,
                       const unsigned char *bytes, uint32_t size) {
    struct differ *d = s->differ;
    memcpy(d->text, bytes, size);
    d->text[size] = '\0';
    const uint32_t count = keel_world_hash_parts(image, d->parts, LINES_PARTS);
    differing part;
    if (find_part(d->parts, count < LINES_PARTS ? count : LINES_PARTS, d->text, &part))
        send_blocks(s, peer, image, part.name, 0, part.blocks);
}

static bool take_kind(keel_session *s, session_peer *peer, const keel_world *image,
                      const packet *p) {
    switch (p->kind) {
    case KIND_PARTS:
        take_parts(s, peer, image, p->bytes, p->size);
        return true;
    case KIND_BLOCKS:
        return take_blocks(s, peer, image, p);
    case KIND_VALUES: // comparing long texts takes a while: once
        if (peer->was_compared) return false;
        peer->was_compared = true;
        return take_values(s, peer, image, p);
    default:
        return false;
    }
}

void keeli_differ_begin(keel_session *s, session_peer *peer, session_check *check) {
    if (!s->differ) {
        s->differ = calloc(1, sizeof *s->differ);
        keel_snapshot *spare =
            s->differ ? keel_snapshot_create(s->world, "a session's check") : NULL;
        if (!spare) {
            free(s->differ);
            s->differ = NULL;
            return;
        }
        s->differ->snapshot = check->snapshot;
        s->differ->frame = check->frame;
        check->snapshot = spare;
    }
    const keel_world *image;
    if (s->differ->frame != check->frame ||
        keel_snapshot_read_begin(s->differ->snapshot, &image) != KEEL_OK)
        return;
    send_parts(s, peer, image);
    if (peer->differ_early && peer->differ_frame == check->frame) {
        take_parts(s, peer, image, peer->differ_early, peer->differ_size);
    }
    keel_snapshot_read_end(s->differ->snapshot);
}

// Keeps the parts of a peer that has found the difference before this machine.
static void keep_early(session_peer *peer, const packet *p) {
    if (peer->differ_early || p->kind != KIND_PARTS || !p->size) return;
    peer->differ_early = malloc(p->size);
    if (!peer->differ_early) return;
    memcpy(peer->differ_early, p->bytes, p->size);
    peer->differ_size = p->size;
    peer->differ_frame = p->frame;
}

bool keeli_differ_packet(keel_session *s, session_peer *peer, const packet *p) {
    const keel_world *image;
    if (peer->differ_packets++ >= PACKETS_OF_PEER) return false;
    if (!peer->has_differed) keep_early(peer, p);
    if (!peer->has_differed || !s->differ || s->differ->frame != p->frame ||
        keel_snapshot_read_begin(s->differ->snapshot, &image) != KEEL_OK)
        return true; // it is about another frame
    const bool is_valid = take_kind(s, peer, image, p);
    keel_snapshot_read_end(s->differ->snapshot);
    return is_valid;
}

void keeli_differ_end(keel_session *s) {
    if (!s->differ) return;
    keel_snapshot_destroy(s->differ->snapshot);
    free(s->differ);
}

keel_snapshot *keel_session_snapshot(keel_session *s, uint64_t frame) {
    if (!s) return NULL;
    if (s->differ && s->differ->frame == frame) return s->differ->snapshot;
    for (uint32_t i = 0; i < CHECKS; ++i)
        if (s->checks[i].is_there && s->checks[i].frame == frame) return s->checks[i].snapshot;
    return NULL;
}
