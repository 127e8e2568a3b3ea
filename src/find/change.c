// SPDX-License-Identifier: MIT
// Terms about changes: as filters, and as what leads a walk.
#include "base/memory.h"
#include "find/iterate.h"
#include "follow/changes.h"

// ------------------------------------------------------------------ filters
keeli_change_filter keeli_change_filter_of(const keeli_view *view, const keeli_bound_term *term) {
    const keeli_storage *s = view->storages[term->first];
    const keel_world *world = view->world;
    const keel_term_kind kind = term->kind;
    const bool negated = kind >= KEEL_TERM_NOT_INSERTED;
    const keel_term_kind asked =
        negated ? kind - KEEL_TERM_NOT_INSERTED + KEEL_TERM_INSERTED : kind;
    keeli_change_filter f = { .storage = s, .negated = negated };
    if (asked != KEEL_TERM_MODIFIED) {
        f.inserted = &s->tracking.inserted;
        f.inserted_in = keeli_tick_range_for(world, s, view->reader, KEEL_TRACK_INSERTION);
    }
    if (asked != KEEL_TERM_INSERTED) {
        f.modified = &s->tracking.modified;
        f.modified_in = keeli_tick_range_for(world, s, view->reader, KEEL_TRACK_MODIFICATION);
    }
    return f;
}

static bool is_later(const keeli_ticks *t, keeli_tick_range w) { return t && t->latest >= w.first; }

bool keeli_change_is_empty(const keeli_change_filter *f) {
    return !is_later(f->inserted, f->inserted_in) && !is_later(f->modified, f->modified_in);
}

static bool is_changed(const keeli_change_filter *f, uint32_t index) {
    return (f->inserted && keeli_is_within(f->inserted_in, keeli_ticks_get(f->inserted, index))) ||
           (f->modified && keeli_is_within(f->modified_in, keeli_ticks_get(f->modified, index)));
}

// Ticks of a value that is gone stay behind: who has none has not changed.
bool keeli_change_passes(const keeli_change_filter *f, uint32_t index) {
    return (keeli_store_has(f->storage, index) && is_changed(f, index)) != f->negated;
}

bool keeli_change_matches(const keeli_view *view, const keeli_bound_term *term, uint32_t index) {
    const bool negated = term->kind >= KEEL_TERM_NOT_INSERTED;
    if (!view->storages[term->first]) return negated;
    const keeli_change_filter f = keeli_change_filter_of(view, term);
    return keeli_change_passes(&f, index);
}

uint64_t keeli_change_bits(const keeli_change_filter *f, uint32_t block, uint64_t bits) {
    const uint64_t there = bits & keeli_presence_word(&f->storage->presence, block);
    uint64_t changed = 0;
    if (f->inserted) changed = keeli_ticks_bits(f->inserted, block, f->inserted_in, there);
    if (f->modified) changed |= keeli_ticks_bits(f->modified, block, f->modified_in, there);
    return f->negated ? bits & ~changed : changed;
}

bool keeli_change_page_may_match(const keeli_change_filter *f, uint32_t page) {
    return (f->inserted && keeli_ticks_page_may_match(f->inserted, page, f->inserted_in)) ||
           (f->modified && keeli_ticks_page_may_match(f->modified, page, f->modified_in));
}

// ------------------------------------------------------------------ the log leads
uint32_t keeli_change_logged(const keeli_change_filter *f) {
    uint32_t inserted = 0, modified = 0;
    if (f->inserted && !keeli_ticks_log_since(f->inserted, f->inserted_in.first - 1, &inserted))
        return UINT32_MAX;
    if (f->modified && !keeli_ticks_log_since(f->modified, f->modified_in.first - 1, &modified))
        return UINT32_MAX;
    return inserted + modified;
}

static void begin_log(keeli_iterator *it, const keeli_ticks *ticks, keeli_tick_range w) {
    uint32_t count;
    (void)keeli_ticks_log_since(ticks, w.first - 1, &count);
    it->at = ticks->log_count - count;
    it->end = ticks->log_count;
    it->one_tick = count && ticks->log[it->at].tick == ticks->log[it->end - 1].tick;
}

void keeli_drive_changes_begin(keeli_iterator *it) {
    const keeli_change_filter *f = it->plan->lead;
    it->second_log = !f->inserted;
    it->block = NULL; // candidates are just indices, of any pages
    it->one_page = false;
    if (f->inserted) begin_log(it, f->inserted, f->inserted_in);
    else begin_log(it, f->modified, f->modified_in);
}

// The indices of the next `count` changes. With `ticks`: each at its last change; who was marked
// later without the log is not of this window: then the log would not lead. With `there`: those
// that still have the component.
static inline __attribute__((always_inline)) uint32_t take(keeli_iterator *it,
                                                           const keeli_change *log, uint32_t count,
                                                           const keeli_ticks *ticks,
                                                           const keeli_presence *there) {
    const keeli_presence bits = there ? *there : (keeli_presence){ .pages = NULL }; // in registers
    uint32_t *candidates = it->candidates, kept = 0, highest = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t index = log[i].index;
        uint32_t keep = 1;
        if (ticks) keep = keeli_ticks_slot(ticks, index) == log[i].tick;
        if (there) keep &= (uint32_t)keeli_presence_has(&bits, index);
        candidates[kept] = index;
        highest = index > highest ? index : highest;
        kept += keep;
    }
    it->highest = highest;
    return kept;
}

// Those that are not in the log that was read before.
static uint32_t keep_new(keeli_iterator *it, const keeli_ticks *before, keeli_tick_range w,
                         uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t index = it->candidates[i];
        it->candidates[kept] = index;
        kept += !keeli_is_within(w, keeli_ticks_get(before, index));
    }
    return kept;
}

// The next entities of the log that is being read.
static uint32_t take_logged(keeli_iterator *it) {
    const keeli_change_filter *f = it->plan->lead;
    const keeli_ticks *ticks = it->second_log ? f->modified : f->inserted;
    const keeli_presence *there = &f->storage->presence;
    const keeli_change *log = ticks->log + it->at;
    uint32_t count = keeli_least(it->end - it->at, KEELI_BLOCK);
    it->at += count;
    if (!it->one_tick) count = take(it, log, count, ticks, there);
    else if (it->plan->finds_lead) count = take(it, log, count, NULL, NULL);
    else count = take(it, log, count, NULL, there); // in one tick nobody is twice
    if (it->second_log && f->inserted) count = keep_new(it, f->inserted, f->inserted_in, count);
    return count;
}

bool keeli_drive_changes(keeli_iterator *it) {
    const keeli_change_filter *f = it->plan->lead;
    for (;;) {
        while (it->at != it->end) {
            uint32_t count = take_logged(it);
            count = keeli_list_filter(it, count);
            if (count && keeli_list_chunk(it, count)) return true;
        }
        if (it->second_log || !f->modified) return false;
        it->second_log = true;
        begin_log(it, f->modified, f->modified_in);
    }
}
