// SPDX-License-Identifier: MIT
// Ticks of changed values: everything but the fast paths, which are inline in the header. See there
// for the three levels and the log.
#include "data/ticks.h"

#include "base/memory.h"

#include <string.h>

// The shared page of all indices that were never reserved.
const keeli_tick_page keeli_no_ticks;
static const keeli_page_kind tick_pages = { &keeli_no_ticks, sizeof keeli_no_ticks };

// Atomic, because other threads that mark their indices may store the same tick at the same time.
static void store_tick(uint32_t *to, uint32_t tick) {
    __atomic_store_n(to, tick, __ATOMIC_RELAXED);
}
static uint32_t load_tick(const uint32_t *from) { return __atomic_load_n(from, __ATOMIC_RELAXED); }

// ------------------------------------------------------------------ room
bool keeli_ticks_add_page(keeli_ticks *t, keeli_heap *heap, uint32_t index) {
    const bool done = keeli_pages_own(&t->table, heap, &tick_pages, index / KEELI_PAGE, &t->bytes);
    t->pages = t->table.table;
    return done;
}

static uint32_t log_capacity_for(uint32_t values) {
    uint32_t capacity = KEELI_SIZE(64, 4); // at least 4: make_room drops a quarter
    while (capacity < values / 4 && capacity < KEELI_TICK_LOG_MAX)
        capacity *= 2;
    return capacity;
}

// Changes the capacity of the log; false when out of memory. A log that does not fit any more is
// emptied, and readers scan the pages.
static bool resize_log(keeli_ticks *t, keeli_heap *heap, uint32_t capacity) {
    if (t->log_count > capacity) {
        t->log_from = t->latest;
        t->log_count = 0;
    }
    const size_t old_bytes = t->log_capacity * sizeof *t->log, bytes = capacity * sizeof *t->log;
    keeli_change *log = keeli_resize(heap, t->log, old_bytes, bytes, _Alignof(keeli_change));
    if (capacity && !log)
        return false;
    t->bytes += bytes - old_bytes;
    t->log = log;
    t->log_capacity = capacity;
    return true;
}

bool keeli_ticks_grow_log(keeli_ticks *t, keeli_heap *heap, uint32_t values) {
    const uint32_t capacity = log_capacity_for(values);
    return capacity <= t->log_capacity || resize_log(t, heap, capacity);
}

// ------------------------------------------------------------------ reading
uint64_t keeli_ticks_bits(const keeli_ticks *t, uint32_t block, keeli_tick_range w, uint64_t bits) {
    const uint32_t page = block / KEELI_TICK_BLOCKS, at = block % KEELI_TICK_BLOCKS;
    const keeli_tick_page *p = page < t->table.count ? t->pages[page] : &keeli_no_ticks;
    const uint32_t whole = p->whole[at] > t->all ? p->whole[at] : t->all;
    if (load_tick(&p->latest[at]) < w.first && whole < w.first)
        return 0;

    const uint32_t *slots = &p->slots[(size_t)at * 64];
    uint64_t matches = 0;
    for (uint64_t left = bits; left; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(left);
        const uint32_t tick = slots[i] > whole ? slots[i] : whole;
        matches |= (uint64_t)keeli_is_within(w, tick) << i;
    }
    return matches;
}

bool keeli_ticks_page_may_match(const keeli_ticks *t, uint32_t page, keeli_tick_range w) {
    if (t->all >= w.first)
        return true;
    if (page >= t->table.count)
        return false;
    const keeli_tick_page *p = t->pages[page];
    uint32_t latest = 0;
    for (uint32_t b = 0; b < KEELI_TICK_BLOCKS; ++b)
        if (load_tick(&p->latest[b]) > latest)
            latest = load_tick(&p->latest[b]);
    return latest >= w.first;
}

bool keeli_ticks_log_since(const keeli_ticks *t, uint32_t last, uint32_t *count) {
    *count = 0;
    if (t->log_from > last)
        return false;

    uint32_t low = 0, high = t->log_count; // binary search for the first change after `last`
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (t->log[middle].tick > last)
            high = middle;
        else
            low = middle + 1;
    }
    *count = t->log_count - low;
    return true;
}

// ------------------------------------------------------------------ marking
// Records that the log lacks changes of this tick.
static void note_unlogged(keeli_ticks *t, uint32_t tick) {
    store_tick(&t->latest, tick);
    store_tick(&t->log_from, tick);
}

void keeli_ticks_mark_unlogged(keeli_ticks *t, uint32_t index, uint32_t tick) {
    KEELI_ASSERT_ROOM(keeli_ticks_has_page(t, index));
    keeli_tick_page *p = t->pages[index / KEELI_PAGE];
    p->slots[index % KEELI_PAGE] = tick;
    store_tick(&p->latest[index / 64 % KEELI_TICK_BLOCKS], tick);
    note_unlogged(t, tick);
}

// Drops the oldest quarter of the log, and the rest of its last tick: changes of a part of a tick
// are of no use to readers.
static void make_room(keeli_ticks *t) {
    uint32_t dropped = t->log_capacity / 4;
    const uint32_t tick = t->log[dropped - 1].tick;
    while (dropped < t->log_count && t->log[dropped].tick == tick)
        ++dropped;
    if (tick > t->log_from)
        t->log_from = tick;
    t->log_count -= dropped;
    memmove(t->log, t->log + dropped, t->log_count * sizeof *t->log);
}

void keeli_ticks_mark_when_full(keeli_ticks *t, uint32_t index, uint32_t tick) {
    if (!t->log_capacity) {
        keeli_ticks_mark_unlogged(t, index, tick);
        return;
    }
    make_room(t);
    (void)keeli_ticks_mark_fast(t, index, tick);
}

void keeli_ticks_mark_range(keeli_ticks *t, uint32_t index, uint32_t count, uint32_t tick) {
    while (count) {
        const uint32_t at = index % 64, n = keeli_least(count, 64 - at);
        const uint64_t bits = n == 64 ? ~(uint64_t)0 : (((uint64_t)1 << n) - 1) << at;
        keeli_ticks_mark_bits(t, index / 64, bits, tick);
        index += n;
        count -= n;
    }
}

void keeli_ticks_mark_bits(keeli_ticks *t, uint32_t block, uint64_t bits, uint32_t tick) {
    keeli_tick_page *p = t->pages[block / KEELI_TICK_BLOCKS];
    const uint32_t at = block % KEELI_TICK_BLOCKS;
    if (!bits)
        return;

    KEELI_ASSERT_ROOM(keeli_ticks_has_page(t, block * 64));
    store_tick(&p->latest[at], tick);
    note_unlogged(t, tick);
    if (bits == ~(uint64_t)0) {
        p->whole[at] = tick;
        return;
    }
    for (; bits; bits &= bits - 1)
        p->slots[at * 64 + (uint32_t)__builtin_ctzll(bits)] = tick;
}

void keeli_ticks_mark_all(keeli_ticks *t, uint32_t tick) {
    t->all = tick;
    note_unlogged(t, tick);
}

// ------------------------------------------------------------------ pushing down
// Copies the tick `all` to each block that has an earlier one, and sets it to 0.
static void push_all_down(keeli_ticks *t) {
    for (uint32_t page = 0; page < t->table.count; ++page) {
        keeli_tick_page *p = t->pages[page];
        if (p == &keeli_no_ticks)
            continue;
        for (uint32_t b = 0; b < KEELI_TICK_BLOCKS; ++b) {
            if (p->whole[b] < t->all)
                p->whole[b] = t->all;
            if (p->latest[b] < t->all)
                p->latest[b] = t->all;
        }
    }
    t->all = 0;
}

// Copies the tick `whole` of a block to each slot that has an earlier one, and sets it to 0.
static void push_block_down(keeli_tick_page *p, uint32_t b) {
    uint32_t *slots = &p->slots[(size_t)b * 64];
    const uint32_t whole = p->whole[b];
    for (uint32_t i = 0; i < 64; ++i)
        slots[i] = slots[i] > whole ? slots[i] : whole;
    p->whole[b] = 0;
}

void keeli_ticks_reset_slow(keeli_ticks *t, uint32_t index) {
    keeli_tick_page *p = t->pages[index / KEELI_PAGE];
    const uint32_t b = index / 64 % KEELI_TICK_BLOCKS;
    if (t->all)
        push_all_down(t);
    if (p->whole[b])
        push_block_down(p, b);
    uint32_t *slot = &p->slots[index % KEELI_PAGE];
    // a second mark in this tick would log the index twice, so readers must not use the log for
    // this tick
    if (*slot == t->latest)
        t->log_from = t->latest;
    *slot = 0;
}

void keeli_ticks_reset_range(keeli_ticks *t, uint32_t index, uint32_t count) {
    if (t->all)
        push_all_down(t);
    while (count) {
        keeli_tick_page *p = t->pages[index / KEELI_PAGE];
        const uint32_t at = index % 64, b = index / 64 % KEELI_TICK_BLOCKS;
        const uint32_t n = keeli_least(count, 64 - at);
        if (p->latest[b]) {
            if (p->latest[b] == t->latest)
                t->log_from = t->latest;
            if (p->whole[b])
                push_block_down(p, b);
            memset(&p->slots[index % KEELI_PAGE], 0, n * sizeof *p->slots);
        }
        index += n;
        count -= n;
    }
}

// ------------------------------------------------------------------ the whole
static uint32_t lowered(uint32_t tick, uint32_t by) {
    if (tick > by)
        return tick - by;
    return tick ? 1 : 0; // 0 (never) stays 0; ticks below the new base become 1, the oldest
}

static void lower_all(uint32_t *ticks, uint32_t count, uint32_t by) {
    for (uint32_t i = 0; i < count; ++i)
        ticks[i] = lowered(ticks[i], by);
}

void keeli_ticks_rebase(keeli_ticks *t, uint32_t by) {
    for (uint32_t page = 0; page < t->table.count; ++page) {
        if (t->pages[page] == &keeli_no_ticks)
            continue;
        lower_all(t->pages[page]->slots, KEELI_PAGE, by);
        lower_all(t->pages[page]->whole, KEELI_TICK_BLOCKS, by);
        lower_all(t->pages[page]->latest, KEELI_TICK_BLOCKS, by);
    }
    t->all = lowered(t->all, by);
    t->latest = lowered(t->latest, by);
    t->log_from = lowered(t->log_from, by);

    // changes that fell to tick 1 are dropped: an index could be among them twice
    uint32_t dropped = 0;
    while (dropped < t->log_count && t->log[dropped].tick <= by + 1)
        ++dropped;
    if (dropped && !t->log_from)
        t->log_from = 1;
    t->log_count -= dropped;
    for (uint32_t i = 0; i < t->log_count; ++i)
        t->log[i] = (keeli_change){ t->log[i + dropped].index, t->log[i + dropped].tick - by };
}

static void free_log(keeli_ticks *t, keeli_heap *heap) {
    keeli_free(heap, t->log, t->log_capacity * sizeof *t->log, _Alignof(keeli_change));
}

bool keeli_ticks_reserve_all(keeli_ticks *t, keeli_heap *heap, const keeli_ticks *from,
                             keeli_change **log) {
    const bool done = keeli_pages_reserve(&t->table, heap, &tick_pages, &from->table, &t->bytes);
    const size_t bytes = from->log_capacity * sizeof **log;
    t->pages = t->table.table;
    if (!done)
        return false;

    const bool has_log = !bytes || from->log_capacity == t->log_capacity;
    if (has_log)
        return true;
    *log = keeli_new(heap, bytes, _Alignof(keeli_change));
    return *log != NULL;
}

// Copies the blocks of a page that were marked, on either page, at the tick `since` or later.
static void assign_marked(keeli_tick_page *to, const keeli_tick_page *from, uint32_t since) {
    for (uint32_t b = 0; b < KEELI_TICK_BLOCKS; ++b) {
        if (to->latest[b] < since && from->latest[b] < since)
            continue;
        memcpy(to->slots + b * 64, from->slots + b * 64, 64 * sizeof *to->slots);
        to->whole[b] = from->whole[b];
        to->latest[b] = from->latest[b];
    }
}

// Copies the ticks of the indices in one log: that of `t` or of `from`, whichever was marked later.
// False if both were last marked at the same tick, or if the log does not reach back to `since`. If
// it is the log of `from`, the ticks are read from the log, which saves the cache misses of reading
// slots.
static bool assign_logged(const keeli_ticks *t, const keeli_ticks *from, uint32_t since) {
    const keeli_ticks *later = t->latest > from->latest ? t : from;
    uint32_t count;
    if (t->latest == from->latest)
        return false;
    if (!keeli_ticks_log_since(later, since - 1, &count))
        return false;

    for (uint32_t i = later->log_count - count; i < later->log_count; ++i) {
        const keeli_change c = later->log[i];
        const uint32_t page = c.index / KEELI_PAGE, at = c.index % KEELI_PAGE;
        if (!keeli_ticks_has_page(t, c.index) || !keeli_ticks_has_page(from, c.index))
            continue;
        const keeli_tick_page *a = from->pages[page];
        t->pages[page]->slots[at] = later == from ? c.tick : a->slots[at];
        t->pages[page]->latest[at / 64] = later == from ? c.tick : a->latest[at / 64];
    }
    return true;
}

// Returns the number of equal entries at the beginning of both logs. Both logs were equal once and
// have only been appended to since, so they still begin alike if neither has dropped entries: then
// `log_from` and the first tick are the same.
static uint32_t same_entries(const keeli_ticks *a, const keeli_ticks *b) {
    const uint32_t count = keeli_least(a->log_count, b->log_count);
    const bool is_same = count && a->log_from == b->log_from && a->log[0].tick == b->log[0].tick;
    return is_same ? count : 0;
}

void keeli_ticks_assign(keeli_ticks *t, keeli_heap *heap, const keeli_ticks *from,
                        keeli_change *log, uint32_t since) {
    uint32_t same = since ? same_entries(t, from) : 0;
    if (!since) {
        keeli_pages_assign(&t->table, &tick_pages, &from->table);
    } else if (!assign_logged(t, from, since)) {
        for (uint32_t page = 0; page < from->table.count; ++page)
            if (from->pages[page] != &keeli_no_ticks)
                assign_marked(t->pages[page], from->pages[page], since);
    }

    if (t->log_capacity != from->log_capacity) {
        free_log(t, heap);
        t->bytes -= t->log_capacity * sizeof *log;
        t->bytes += from->log_capacity * sizeof *log;
        t->log = log;
        t->log_capacity = from->log_capacity;
        same = 0;
    }

    t->all = from->all;
    t->latest = from->latest;
    t->log_from = from->log_from;
    t->log_count = from->log_count;
    const size_t bytes = (from->log_count - same) * sizeof *t->log;
    if (bytes)
        memcpy(t->log + same, from->log + same, bytes);
}

void keeli_ticks_trim(keeli_ticks *t, keeli_heap *heap, const keeli_presence *enabled,
                      const keeli_presence *disabled) {
    for (uint32_t page = 0; page < t->table.count; ++page)
        if (keeli_presence_next_page(enabled, page) != page &&
            keeli_presence_next_page(disabled, page) != page)
            keeli_pages_free(&t->table, heap, &tick_pages, page, &t->bytes);

    const uint32_t values = enabled->count + disabled->count;
    const uint32_t capacity = values ? log_capacity_for(values) : 0;
    if (capacity < t->log_capacity)
        (void)resize_log(t, heap, capacity);
}

void keeli_ticks_deinit(keeli_ticks *t, keeli_heap *heap) {
    keeli_pages_deinit(&t->table, heap, &tick_pages);
    free_log(t, heap);
    *t = (keeli_ticks){ 0 };
}

static bool page_is_valid(const keeli_ticks *t, const keeli_tick_page *p) {
    for (uint32_t b = 0; b < KEELI_TICK_BLOCKS; ++b) {
        if (p->latest[b] > t->latest || p->whole[b] > p->latest[b])
            return false;
        for (uint32_t i = 0; i < 64; ++i)
            if (p->slots[b * 64 + i] > p->latest[b])
                return false;
    }
    return true;
}

bool keeli_ticks_are_valid(const keeli_ticks *t) {
    if (t->all > t->latest || t->log_from > t->latest || t->log_count > t->log_capacity)
        return false;
    for (uint32_t page = 0; page < t->table.count; ++page)
        if (t->pages[page] != &keeli_no_ticks && !page_is_valid(t, t->pages[page]))
            return false;
    for (uint32_t i = 0; i < t->log_count; ++i) {
        if (t->log[i].tick > t->latest)
            return false;
        if (i && t->log[i].tick < t->log[i - 1].tick)
            return false;
    }
    return true;
}
