// SPDX-License-Identifier: MIT
// The state of reading a snapshot from bytes (pack.h), for unpack.c, unpack_runs.c and
// unpack_values.c. The bytes may be damaged or hostile: every number is checked before it is used,
// and all goes to a private world. Nothing of the user's world or snapshot changes before all of
// the bytes are known to be valid.
#pragma once
#include "rewind/pack.h"

// A reader in the bytes.
typedef struct keeli_packed_reader {
    keeli_reader stand_in;    // the reader in the queues of the private world
    const keeli_reader *real; // the reader of the user's world; NULL: it has none
    bool is_in_step;          // a node names it
} keeli_packed_reader;

// A node in the bytes, with the state that keeli_kept_node has.
typedef struct keeli_packed_node {
    const char *workload, *name;
    keel_node_kind kind;
    uint32_t place, runs, idle; // idle: number of a component
    bool is_limited;
    uint64_t passed, serial; // serial: of the node of the user's world, once it is found
    uint32_t want[KEELI_STEP_SYSTEMS], most[KEELI_STEP_SYSTEMS];
    uint32_t readers[KEELI_STEP_SYSTEMS]; // numbers of readers
} keeli_packed_node;

// A group in the bytes.
typedef struct keeli_packed_group {
    keel_group *group; // the group of the user's world
    uint32_t length, count;
    const unsigned char *members; // `count` indices
} keeli_packed_group;

// A component in the bytes.
typedef struct keeli_packed_component {
    keeli_storage *storage; // in the private world; NULL: this world does not know it
    const char *name;
    keeli_packed_content content;
} keeli_packed_component;

typedef struct keeli_unpack {
    const unsigned char *first;    // all bytes
    const unsigned char *at, *end; // bytes that are left
    const char *section;           // the part that is read now, for messages
    keel_result result;            // the first error; KEEL_OK: none
    char message[200];
    keel_snapshot *snapshot;
    keel_world *world, *blank; // the user's world, and the private one
    uint64_t max_bytes;
    uint32_t max_entities;
    KEELI_ARRAY(keeli_packed_component) components; // by number
    KEELI_ARRAY(keeli_packed_reader) readers;
    KEELI_ARRAY(keeli_packed_node) nodes;
    KEELI_ARRAY(keeli_packed_group) groups;
    KEELI_ARRAY(uint32_t) marks; // by index of an entity: numbers of searches for repeated ones
    uint32_t mark;               // the number of the latest search
} keeli_unpack;

// ------------------------------------------------------------------ errors
// Keeps the first error. Returns false.
bool keeli_unpack_fail(keeli_unpack *u, keel_result result, const char *format, ...)
    KEELI_PRINTF(3, 4);
// Fails with KEEL_ERROR_FORMAT. `what` is the mistake, as the end of a sentence about the section.
bool keeli_unpack_wrong(keeli_unpack *u, const char *what);
// True if no error has happened and the private world is not larger than it may be.
bool keeli_unpack_is_well(keeli_unpack *u);
bool keeli_unpack_no_memory(keeli_unpack *u);

// ------------------------------------------------------------------ numbers
// Each returns 0, or NULL, and fails if the bytes end before.
const unsigned char *keeli_unpack_bytes(keeli_unpack *u, uint64_t size);
uint32_t keeli_unpack_u8(keeli_unpack *u);
uint32_t keeli_unpack_u32(keeli_unpack *u);
uint64_t keeli_unpack_u64(keeli_unpack *u);
// Returns a text without zeros in it, valid as long as the bytes; "" on error.
const char *keeli_unpack_text(keeli_unpack *u);
// Reads a number of items that have at least `least` bytes each, and are at most `most`.
uint32_t keeli_unpack_count(keeli_unpack *u, uint32_t least, uint32_t most);
// Returns number `i` of a list of u32.
static inline uint32_t keeli_unpack_at(const unsigned char *list, uint32_t i) {
    const unsigned char *b = list + (size_t)i * 4;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

// ------------------------------------------------------------------ entities
// True if the index belongs to a living entity; fails otherwise.
bool keeli_unpack_is_alive(keeli_unpack *u, uint32_t index);
// Begins a search for repeated indices; false when out of memory. keeli_unpack_is_repeated then
// tells if it was called with the index before.
bool keeli_unpack_search(keeli_unpack *u);
static inline bool keeli_unpack_is_repeated(keeli_unpack *u, uint32_t index) {
    const bool is_known = u->marks.items[index] == u->mark;
    u->marks.items[index] = u->mark;
    return is_known;
}
// Returns the storage of a component by its number; NULL, and fails, if there is no such component,
// or this world does not know it.
keeli_storage *keeli_unpack_component(keeli_unpack *u, uint32_t number);

// Returns the hash that stands behind these bytes.
uint64_t keeli_packed_hash(const unsigned char *bytes, size_t size);

// ------------------------------------------------------------------ parts
// Read readers, nodes and groups, and find those of the user's world (unpack_runs.c).
bool keeli_unpack_runs(keeli_unpack *u);
// Checks them against the finished private world.
bool keeli_unpack_check_runs(keeli_unpack *u);
// Makes readers and nodes that wait, in the user's world, for those that it does not have yet, and
// prepares the runs of the snapshot. False when out of memory.
bool keeli_unpack_take_runs(keeli_unpack *u);
// The keeli_reader_map of the queues of the private world; `data` is a keeli_unpack.
const keeli_reader *keeli_unpack_map_reader(void *data, const keeli_reader *reader);
// Read the rows of archetypes, and the content of a component (unpack_values.c).
bool keeli_unpack_rows(keeli_unpack *u);
bool keeli_unpack_values(keeli_unpack *u, keeli_storage *s);
// Enters all names under the parents of their entities.
bool keeli_unpack_enter_names(keeli_unpack *u);
// Reads the edges of a relation (unpack_edges.c).
bool keeli_unpack_edges(keeli_unpack *u, keeli_relation *r);
