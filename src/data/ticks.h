// SPDX-License-Identifier: MIT
// Ticks: when the value of each entity index last changed, for one component and one kind of
// change. This file holds no values and knows no world; follow/changes marks and reads ticks.
// Ticks are stored by entity index, whatever the storage of the component, so that moving a value
// (removing, sorting, grouping, another archetype) does not move its tick. There are three levels:
// a tick for each slot, one for each block of 64 indices, and one for all values. The greatest of
// the three is the tick of a value. A tick of a block or of all values applies to the values that
// existed when it was set, so it is pushed down to the slots before an index gets a new value.
//
// A log of single changes lets readers of few changes among many values visit only the changed
// values. The log loses changes if it is full, and lacks them if many values were marked at once.
// It is complete after the tick `log_from`; readers of earlier changes scan the pages instead.
//
// A stored tick has 32 bits: the difference from a base that the owner stores; 0 means never.
// Memory for a tick is reserved together with memory for the value, so marking cannot fail. Several
// threads may mark in one tick, each its own indices. keeli_ticks_are_valid checks the levels and
// the log.
#pragma once
#include "data/presence.h"

#include <stdbool.h>
#include <stdint.h>

#define KEELI_TICK_BLOCKS (KEELI_PAGE / 64)       // blocks of 64 indices on a page
#define KEELI_TICK_LOG_MAX KEELI_SIZE(65536u, 8u) // largest number of changes in a log

typedef struct keeli_tick_page {
    uint32_t slots[KEELI_PAGE];
    uint32_t whole[KEELI_TICK_BLOCKS];  // by block: the tick when all its values were marked last
    uint32_t latest[KEELI_TICK_BLOCKS]; // by block: no tick of its slots is later, nor is `whole`
} keeli_tick_page;

typedef struct keeli_change {
    uint32_t index, tick;
} keeli_change;

typedef struct keeli_ticks {
    keeli_tick_page *const *pages; // the pages of `table`
    keeli_pages table;             // all that were never used are one shared page of zeros
    uint32_t all;                  // the tick when all values were marked last
    uint32_t latest;               // no tick is later, so one compare tells that nothing changed
    keeli_change *log;             // ascending by tick
    uint32_t log_capacity;         // a power of two, or 0
    uint32_t log_count;            // a full log drops its oldest changes
    uint32_t log_from;             // the log holds all changes later than this tick
    size_t bytes;                  // allocated bytes
} keeli_ticks;

// The ticks in which a reader looks for changes: those above `last` up to `now`.
typedef struct keeli_tick_range {
    uint32_t first, span; // last + 1, now - last
} keeli_tick_range;

static inline keeli_tick_range keeli_tick_range_of(uint32_t last, uint32_t now) {
    return (keeli_tick_range){ last + 1, now > last ? now - last : 0 };
}
static inline bool keeli_is_within(keeli_tick_range w, uint32_t tick) {
    return tick - w.first < w.span; // false for 0 (never), which is below any `first`
}

extern const keeli_tick_page keeli_no_ticks;

// ------------------------------------------------------------------ room
// Makes room for an index; false when out of memory. reserve calls it only if the page has no
// memory of its own.
bool keeli_ticks_add_page(keeli_ticks *t, keeli_heap *heap, uint32_t index);
static inline bool keeli_ticks_has_page(const keeli_ticks *t, uint32_t index) {
    const uint32_t page = index / KEELI_PAGE;
    return page < t->table.count && t->pages[page] != &keeli_no_ticks;
}
static inline bool keeli_ticks_reserve(keeli_ticks *t, keeli_heap *heap, uint32_t index) {
    return keeli_ticks_has_page(t, index) || keeli_ticks_add_page(t, heap, index);
}
// Grows the log to a size that suits this many values; false when out of memory.
bool keeli_ticks_grow_log(keeli_ticks *t, keeli_heap *heap, uint32_t values);
static inline bool keeli_ticks_has_log(const keeli_ticks *t, uint32_t values) {
    return t->log_capacity &&
           (t->log_capacity >= values / 8 || t->log_capacity == KEELI_TICK_LOG_MAX);
}
static inline bool keeli_ticks_reserve_log(keeli_ticks *t, keeli_heap *heap, uint32_t values) {
    return keeli_ticks_has_log(t, values) || keeli_ticks_grow_log(t, heap, values);
}

// ------------------------------------------------------------------ reading
// Returns the tick of an index.
static inline uint32_t keeli_ticks_get(const keeli_ticks *t, uint32_t index) {
    const uint32_t page = index / KEELI_PAGE;
    if (page >= t->table.count)
        return t->all;
    const keeli_tick_page *p = t->pages[page];
    const uint32_t slot = p->slots[index % KEELI_PAGE];
    const uint32_t whole = p->whole[index / 64 % KEELI_TICK_BLOCKS];
    const uint32_t block = whole > t->all ? whole : t->all;
    return slot > block ? slot : block;
}
// Returns the slot's own tick, without the upper levels. The page must be in the table.
static inline uint32_t keeli_ticks_slot(const keeli_ticks *t, uint32_t index) {
    return t->pages[index / KEELI_PAGE]->slots[index % KEELI_PAGE];
}
// Returns a bit for each index of the block (64 * `block` and on) that is in `bits` and changed in
// this range.
uint64_t keeli_ticks_bits(const keeli_ticks *t, uint32_t block, keeli_tick_range w, uint64_t bits);
// False if surely nothing on this page of 4,096 indices changed in this range.
bool keeli_ticks_page_may_match(const keeli_ticks *t, uint32_t page, keeli_tick_range w);
// True if the log holds all changes after the tick `last`. They are its last `*count` entries,
// oldest first.
bool keeli_ticks_log_since(const keeli_ticks *t, uint32_t last, uint32_t *count);

// ------------------------------------------------------------------ marking
// Marks a single change and logs it; not from several threads at once. The fast path returns false
// and does nothing if the log is full.
static inline bool keeli_ticks_mark_fast(keeli_ticks *t, uint32_t index, uint32_t tick) {
    KEELI_ASSERT_ROOM(keeli_ticks_has_page(t, index));
    keeli_tick_page *p = t->pages[index / KEELI_PAGE];
    uint32_t *slot = &p->slots[index % KEELI_PAGE];
    const uint32_t count = t->log_count;
    if (*slot == tick)
        return true; // logged already, or `log_from` says that the log lacks it
    if (count == t->log_capacity)
        return false;
    *slot = tick;
    p->latest[index / 64 % KEELI_TICK_BLOCKS] = tick;
    t->latest = tick;
    t->log[count] = (keeli_change){ index, tick };
    t->log_count = count + 1;
    return true;
}
void keeli_ticks_mark_when_full(keeli_ticks *t, uint32_t index, uint32_t tick);
static inline void keeli_ticks_mark(keeli_ticks *t, uint32_t index, uint32_t tick) {
    if (!keeli_ticks_mark_fast(t, index, tick))
        keeli_ticks_mark_when_full(t, index, tick);
}
// Mark changes without logging them: of one index, of a range, of some of the 64 indices of a
// block, of every value that exists.
void keeli_ticks_mark_unlogged(keeli_ticks *t, uint32_t index, uint32_t tick);
void keeli_ticks_mark_range(keeli_ticks *t, uint32_t index, uint32_t count, uint32_t tick);
void keeli_ticks_mark_bits(keeli_ticks *t, uint32_t block, uint64_t bits, uint32_t tick);
void keeli_ticks_mark_all(keeli_ticks *t, uint32_t tick);
// Sets the tick of an index to 0 (never), when it gets a new value. reset calls reset_slow only if
// any level has a tick for the index.
void keeli_ticks_reset_slow(keeli_ticks *t, uint32_t index);
static inline void keeli_ticks_reset(keeli_ticks *t, uint32_t index) {
    const keeli_tick_page *p = t->pages[index / KEELI_PAGE];
    if (t->all | p->whole[index / 64 % KEELI_TICK_BLOCKS] | p->slots[index % KEELI_PAGE])
        keeli_ticks_reset_slow(t, index);
}
void keeli_ticks_reset_range(keeli_ticks *t, uint32_t index, uint32_t count);

// ------------------------------------------------------------------ the whole
// Lowers all ticks when the owner raises the base by `by`. Ticks below the new base become 1, the
// oldest one.
void keeli_ticks_rebase(keeli_ticks *t, uint32_t by);
// Makes room for all ticks of `from`. If the log of `t` has another capacity than that of `from`,
// `*log` becomes a new log of the right capacity. False when out of memory. Logs are copied, too,
// because they decide in which order changes are visited.
bool keeli_ticks_reserve_all(keeli_ticks *t, keeli_heap *heap, const keeli_ticks *from,
                             keeli_change **log);
// Copies all ticks of `from`, after reserve_all. `since` is a tick at which both were equal and
// after which both have only been marked; 0 if no such tick is known.
void keeli_ticks_assign(keeli_ticks *t, keeli_heap *heap, const keeli_ticks *from,
                        keeli_change *log, uint32_t since);
// Frees pages without any entity that has a value, enabled or disabled, and shrinks the log.
void keeli_ticks_trim(keeli_ticks *t, keeli_heap *heap, const keeli_presence *enabled,
                      const keeli_presence *disabled);
void keeli_ticks_deinit(keeli_ticks *t, keeli_heap *heap);
bool keeli_ticks_are_valid(const keeli_ticks *t);
