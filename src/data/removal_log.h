// SPDX-License-Identifier: MIT
// What entities lost of one component, oldest first: removed (the value was handed out) or deleted
// (the value is kept here). An entry goes when every reader has passed it; when the log has as many
// as its limit, the oldest goes and each reader that has not passed it has missed one. Room is made
// while values are added, for as many as there could be, so that an entry can always be appended.
// Invariant: entries ascend by tick. Checked by keeli_removal_log_is_valid.
#pragma once
#include "base/array.h"

#include <keel/component.h>

// Somebody who looks from time to time at what changed since the last time.
typedef struct keeli_reader {
    uint64_t last; // all to this tick was seen
    const char *name;
} keeli_reader;

typedef struct keeli_gone {
    keel_entity entity;
    uint64_t tick;
    bool deleted; // and not removed: there is a value
} keeli_gone;

typedef struct keeli_log_reader {
    const keeli_reader *reader;
    uint64_t missed; // since `since`
    uint64_t since;  // reader->last when the first of them was missed
    bool is_told;    // that it holds the log up
} keeli_log_reader;

typedef struct keeli_removal_log {
    uint32_t size, align; // of a value
    keel_drop_hook *drop;
    keel_move_hook *move;
    void *hook_data;
    uint32_t limit;      // entries
    keeli_gone *entries; // a ring
    char *values;        // of the same places
    uint32_t capacity, first, count;
    uint64_t passed;      // entries that are gone: the number of the first one held
    uint64_t passed_tick; // of the last one that is gone
    // the world itself is a reader, of deletions and of removals: it passes them with clear
    uint64_t cleared_deleted, cleared_removed;
    uint64_t world_missed;
    bool world_reads; // it has looked, or cleared
    KEELI_ARRAY(keeli_log_reader) readers;
    size_t bytes;
} keeli_removal_log;

#define KEELI_REMOVAL_LIMIT 65536u

void keeli_removal_log_init(keeli_removal_log *log, uint32_t size, uint32_t align);
// Make room for so many more entries, at most the limit; false when out of memory. What everybody
// has passed goes first.
bool keeli_removal_log_reserve(keeli_removal_log *log, keeli_heap *heap, uint32_t extra);
// Append an entry. What was deleted has its value moved here. The reader that holds the log up,
// when one is dropped for the first time because of it; else NULL.
const keeli_reader *keeli_removal_log_append(keeli_removal_log *log, keel_entity e, uint64_t tick,
                                             bool deleted, void *value);
// Drop what everybody has passed.
void keeli_removal_log_settle(keeli_removal_log *log);
// All entries go, unseen.
void keeli_removal_log_clear(keeli_removal_log *log);
// At most so many entries. False when out of memory.
bool keeli_removal_log_set_limit(keeli_removal_log *log, keeli_heap *heap, uint32_t limit,
                                 uint32_t values);

// A reader reads this log from now on; known already: nothing. False when out of memory.
bool keeli_removal_log_join(keeli_removal_log *log, keeli_heap *heap, const keeli_reader *reader);
void keeli_removal_log_leave(keeli_removal_log *log, const keeli_reader *reader);
// How many entries went before the reader saw them; NULL: the world itself.
uint64_t keeli_removal_log_missed(const keeli_removal_log *log, const keeli_reader *reader);

static inline keeli_gone *keeli_removal_log_at(const keeli_removal_log *log, uint32_t i) {
    const uint32_t at = log->first + i;
    return &log->entries[at < log->capacity ? at : at - log->capacity];
}
static inline void *keeli_removal_log_value(const keeli_removal_log *log, const keeli_gone *entry) {
    return log->values + (size_t)(entry - log->entries) * log->size;
}

void keeli_removal_log_deinit(keeli_removal_log *log, keeli_heap *heap);
bool keeli_removal_log_is_valid(const keeli_removal_log *log);
