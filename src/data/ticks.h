// SPDX-License-Identifier: MIT
// When the value of each entity index last changed, for one component and one kind of change. Ticks
// lie by entity index, whatever the storage: what moves a value (swap-remove, sorting, groups, rows
// that move) has nothing to carry. Three levels hold them, and the greatest one counts: the slot's
// own tick, one tick per block of 64 indices and one for all, which both mean "all that were there
// then". Before an index gets a new value the upper levels are pushed down to it.
//
// Beside them a log of single changes, so that a reader of few changes among many values visits
// those and nothing else. What the log does not hold (it was full, or many were marked at once)
// `log_from` says, and the reader scans: no change is ever lost.
//
// Ticks are 32-bit, above a base that the owner keeps; 0 is never. Memory is reserved together with
// that of the value, so marking cannot fail. Marks of one tick may come from several threads, each
// for indices of its own. Checked by keeli_ticks_are_valid.
#pragma once
#include "data/presence.h"

#include <stdbool.h>
#include <stdint.h>

#define KEELI_TICK_BLOCKS (KEELI_PAGE / 64) // of 64 indices, in a page
#define KEELI_TICK_LOG_MAX KEELI_SIZE(65536u, 8u)

typedef struct keeli_tick_page {
    uint32_t slots[KEELI_PAGE];
    uint32_t whole[KEELI_TICK_BLOCKS];  // all that were there then
    uint32_t latest[KEELI_TICK_BLOCKS]; // no slot of the block is later, nor is `whole`
} keeli_tick_page;

typedef struct keeli_change {
    uint32_t index, tick;
} keeli_change;

typedef struct keeli_ticks {
    keeli_tick_page *const *pages; // those of `table`
    keeli_pages table;             // a page that was never used is one shared page of zeros
    uint32_t all;                  // everything that was there then
    uint32_t latest;               // nothing is later: one compare tells that nothing changed
    keeli_change *log;             // ascending by tick
    uint32_t log_capacity;         // a power of two, or 0
    uint32_t log_count;            // when it is full the oldest go
    uint32_t log_from;             // the log holds all changes later than this
    size_t bytes;
} keeli_ticks;

// Ticks that a reader is asked about: (last, now].
typedef struct keeli_tick_range {
    uint32_t first, span;
} keeli_tick_range;

static inline keeli_tick_range keeli_tick_range_of(uint32_t last, uint32_t now) {
    return (keeli_tick_range){ last + 1, now > last ? now - last : 0 };
}
static inline bool keeli_is_within(keeli_tick_range w, uint32_t tick) {
    return tick - w.first < w.span; // never, 0, is below any `first`
}

extern const keeli_tick_page keeli_no_ticks;

// ------------------------------------------------------------------ room
// Make room for an index; false when out of memory.
bool keeli_ticks_add_page(keeli_ticks *t, keeli_heap *heap, uint32_t index);
static inline bool keeli_ticks_has_page(const keeli_ticks *t, uint32_t index) {
    const uint32_t page = index / KEELI_PAGE;
    return page < t->table.count && t->pages[page] != &keeli_no_ticks;
}
static inline bool keeli_ticks_reserve(keeli_ticks *t, keeli_heap *heap, uint32_t index) {
    return keeli_ticks_has_page(t, index) || keeli_ticks_add_page(t, heap, index);
}
// Give the log a size that suits this many values.
bool keeli_ticks_grow_log(keeli_ticks *t, keeli_heap *heap, uint32_t values);
static inline bool keeli_ticks_has_log(const keeli_ticks *t, uint32_t values) {
    return t->log_capacity &&
           (t->log_capacity >= values / 8 || t->log_capacity == KEELI_TICK_LOG_MAX);
}
static inline bool keeli_ticks_reserve_log(keeli_ticks *t, keeli_heap *heap, uint32_t values) {
    return keeli_ticks_has_log(t, values) || keeli_ticks_grow_log(t, heap, values);
}

// ------------------------------------------------------------------ looking
static inline uint32_t keeli_ticks_get(const keeli_ticks *t, uint32_t index) {
    const uint32_t page = index / KEELI_PAGE;
    if (page >= t->table.count) return t->all;
    const keeli_tick_page *p = t->pages[page];
    const uint32_t slot = p->slots[index % KEELI_PAGE];
    const uint32_t whole = p->whole[index / 64 % KEELI_TICK_BLOCKS];
    const uint32_t block = whole > t->all ? whole : t->all;
    return slot > block ? slot : block;
}
// Its own tick only; there is a page.
static inline uint32_t keeli_ticks_slot(const keeli_ticks *t, uint32_t index) {
    return t->pages[index / KEELI_PAGE]->slots[index % KEELI_PAGE];
}
// Which of 64 indices, from 64 * `block` on, changed in that time; of those in `bits`.
uint64_t keeli_ticks_bits(const keeli_ticks *t, uint32_t block, keeli_tick_range w, uint64_t bits);
// Did anything on this page of 4,096 change in that time? Perhaps, when the answer is yes.
bool keeli_ticks_page_may_match(const keeli_ticks *t, uint32_t page, keeli_tick_range w);
// Does the log hold all that changed since then? `*count` single changes, oldest first.
bool keeli_ticks_log_since(const keeli_ticks *t, uint32_t last, uint32_t *count);

// ------------------------------------------------------------------ marking
// A single change, which goes to the log; not from several threads. The fast path does nothing and
// says so when the log is full.
static inline bool keeli_ticks_mark_fast(keeli_ticks *t, uint32_t index, uint32_t tick) {
    KEELI_ASSERT_ROOM(keeli_ticks_has_page(t, index));
    keeli_tick_page *p = t->pages[index / KEELI_PAGE];
    uint32_t *slot = &p->slots[index % KEELI_PAGE];
    const uint32_t count = t->log_count;
    if (*slot == tick) return true; // logged, or it says in `log_from` that it is not
    if (count == t->log_capacity) return false;
    *slot = tick;
    p->latest[index / 64 % KEELI_TICK_BLOCKS] = tick;
    t->latest = tick;
    t->log[count] = (keeli_change){ index, tick };
    t->log_count = count + 1;
    return true;
}
void keeli_ticks_mark_when_full(keeli_ticks *t, uint32_t index, uint32_t tick);
static inline void keeli_ticks_mark(keeli_ticks *t, uint32_t index, uint32_t tick) {
    if (!keeli_ticks_mark_fast(t, index, tick)) keeli_ticks_mark_when_full(t, index, tick);
}
// Changes that do not go to the log: one, a range of indices, some of 64, and everything that is
// there.
void keeli_ticks_mark_unlogged(keeli_ticks *t, uint32_t index, uint32_t tick);
void keeli_ticks_mark_range(keeli_ticks *t, uint32_t index, uint32_t count, uint32_t tick);
void keeli_ticks_mark_bits(keeli_ticks *t, uint32_t block, uint64_t bits, uint32_t tick);
void keeli_ticks_mark_all(keeli_ticks *t, uint32_t tick);
// The index gets a value for which there was no change yet.
void keeli_ticks_reset_slow(keeli_ticks *t, uint32_t index);
static inline void keeli_ticks_reset(keeli_ticks *t, uint32_t index) {
    const keeli_tick_page *p = t->pages[index / KEELI_PAGE];
    if (t->all | p->whole[index / 64 % KEELI_TICK_BLOCKS] | p->slots[index % KEELI_PAGE])
        keeli_ticks_reset_slow(t, index);
}
void keeli_ticks_reset_range(keeli_ticks *t, uint32_t index, uint32_t count);
// ------------------------------------------------------------------ the whole
// The base rises by so much. What would fall below it becomes 1: the oldest there is.
void keeli_ticks_rebase(keeli_ticks *t, uint32_t by);
// Make room for all of others: pages, and in `*log` a log as large as theirs, unless it is that
// already. Then they are the same; how much the log holds decides in which order changes are
// visited.
bool keeli_ticks_reserve_all(keeli_ticks *t, keeli_heap *heap, const keeli_ticks *from,
                             keeli_change **log);
// `since`: they were the same at that tick, and nothing but marks came later; 0: that is not known.
void keeli_ticks_assign(keeli_ticks *t, keeli_heap *heap, const keeli_ticks *from,
                        keeli_change *log, uint32_t since);
// Give memory back where nobody is who has a value, enabled or disabled.
void keeli_ticks_trim(keeli_ticks *t, keeli_heap *heap, const keeli_presence *enabled,
                      const keeli_presence *disabled);
void keeli_ticks_deinit(keeli_ticks *t, keeli_heap *heap);
bool keeli_ticks_are_valid(const keeli_ticks *t);
