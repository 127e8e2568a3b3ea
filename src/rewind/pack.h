// SPDX-License-Identifier: MIT
// The bytes of a snapshot: what pack.c writes and unpack.c reads, and the stream that it is written
// to. All numbers are little-endian. Values are the bytes of memory, so the bytes of a machine of
// the other byte order are refused. A text is its length (u32), its bytes, and a 0.
//
//   head        signature (8 bytes), byte order (u8), bits of an index in a handle (u8), 0 (u16)
//   components  count (u32), then for each component of the world, in order of registration: its
//               content (u8, keeli_packed_content), kind (u8), name; and if it has a content: its
//               storage and options (u8 each), size, alignment, fields (count, then name, type,
//               offset, count, and the fields of its type)
//   runs        readers, nodes of schedules, groups (pack.c and unpack_runs.c)
//   world       tick, base of ticks, dropped commands (u64 each)
//   entities    number of indices, first gap (u32 each), version of each index (0: a gap), the free
//               list in its order, the reserved indices
//   rows        archetypes in order, except the empty one: components, entities, columns of values
//   values      for each component with a content: values in order, disabled values, ticks, logs,
//               queues, edges
//   end         a chained hash of all bytes before (u64)
#pragma once
#include "rewind/snapshot.h"
#include "world/storage.h"

#include <string.h>

#define KEELI_PACK_SIGNATURE "KEELIMG\1"

// Bytes are hashed and handed to the sink in chunks of this size.
enum { KEELI_PACK_CHUNK = 8192 };

// The largest number of readers, of nodes and of groups: far more than any program has.
enum { KEELI_PACKED_MOST = 16384 };

// The parts of a component that the bytes have.
typedef enum keeli_packed_content {
    KEELI_PACKED_NOTHING, // it was never used, so that a world that does not know it is the same
    KEELI_PACKED_LEFT,    // it is transient
    KEELI_PACKED_ALL,
    KEELI_PACKED_CONTENTS // the number of these
} keeli_packed_content;

// The kinds of components that may have the same name.
typedef enum keeli_packed_kind {
    KEELI_PACKED_COMPONENT,
    KEELI_PACKED_UNIQUE,
    KEELI_PACKED_EVENT,
    KEELI_PACKED_TARGETS, // the component that the targets of a relation have
    KEELI_PACKED_KINDS    // the number of these
} keeli_packed_kind;

#define KEELI_PACKED_NONE UINT32_MAX // no reader or component, where a number of one is wanted

static inline keeli_packed_kind keeli_packed_kind_of(const keeli_storage *s) {
    if (keeli_store_has_sources(s))
        return KEELI_PACKED_TARGETS;
    if (s->component.is_event)
        return KEELI_PACKED_EVENT;
    return s->component.is_unique ? KEELI_PACKED_UNIQUE : KEELI_PACKED_COMPONENT;
}
// Returns the options of a component by which its content differs, as bits.
static inline uint8_t keeli_packed_options(const keel_component *c) {
    return (uint8_t)(c->is_relation | c->exclusive << 1 | c->symmetric << 2 | c->acyclic << 3 |
                     c->transient << 4);
}
// True if values of the component are more than their bytes: they have hooks.
static inline bool keeli_is_hooked(const keeli_storage *s) {
    const keel_component *c = &s->component;
    return s != s->world->names.storage && (c->drop || c->copy || c->move || c->is_move_only);
}
// True on a machine that stores the highest byte of a number first.
static inline bool keeli_is_big_endian(void) {
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return !first;
}

// ------------------------------------------------------------------ the stream
typedef struct keeli_pack {
    const keel_snapshot *snapshot;
    const keel_world *image;
    keel_snapshot_sink sink;
    keeli_heap heap; // the system's: the image's cannot be used by several threads
    uint64_t hash;
    uint32_t used;  // bytes of `bytes`
    bool is_failed; // the sink returned false
    bool is_out_of_memory;
    unsigned char bytes[KEELI_PACK_CHUNK];
} keeli_pack;

void keeli_pack_bytes(keeli_pack *p, const void *bytes, size_t size);
void keeli_pack_u8(keeli_pack *p, uint32_t number);
void keeli_pack_u32(keeli_pack *p, uint32_t number);
void keeli_pack_u64(keeli_pack *p, uint64_t number);
void keeli_pack_text(keeli_pack *p, const char *text);
// Writes the rest of the bytes, and the hash.
void keeli_pack_end(keeli_pack *p);
// Writes values, edges, ticks and queues of one component (pack_values.c).
void keeli_pack_values(keeli_pack *p, const keeli_storage *s);
// Writes the columns of an archetype (pack_values.c).
void keeli_pack_columns(keeli_pack *p, const keeli_archetype *archetype);
// Returns the number of a reader among those of the snapshot, or KEELI_PACKED_NONE.
uint32_t keeli_pack_reader(const keeli_pack *p, const keeli_reader *reader);
