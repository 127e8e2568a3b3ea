// SPDX-License-Identifier: MIT
// Changes in iteration: filters for terms about changes, the scan of a log of changes, and the
// marks of modified values by iterators that write. Ticks are stored by data/ticks.c and
// follow/changes.c. The other files of src/find/ call this; tell/explain.c calls the filters.
#include "base/memory.h"
#include "find/iterate.h"
#include "find/relation.h"
#include "follow/changes.h"
#include "world/report.h"
#include "world/storage.h"

// ------------------------------------------------------------------ filters
static bool is_negated(keel_term_kind kind) {
    return kind >= KEEL_TERM_NOT_INSERTED && kind <= KEEL_TERM_NOT_CHANGED;
}

keeli_change_filter keeli_change_filter_of(const keeli_view *view, const keeli_bound_term *term) {
    const keeli_storage *s = view->storages[term->first];
    const keel_world *world = view->world;
    const uint32_t kinds = keeli_term_tracks(term->kind);
    keeli_change_filter f = { .storage = s, .negated = is_negated(term->kind) };
    if (kinds & KEEL_TRACK_INSERTION) {
        f.inserted = &s->tracking.inserted;
        f.inserted_in = keeli_tick_range_for(world, s, view->reader, KEEL_TRACK_INSERTION);
    }
    if (kinds & KEEL_TRACK_MODIFICATION) {
        f.modified = &s->tracking.modified;
        f.modified_in = keeli_tick_range_for(world, s, view->reader, KEEL_TRACK_MODIFICATION);
    }
    return f;
}

static bool has_ticks_since(const keeli_ticks *t, keeli_tick_range w) {
    return t && t->latest >= w.first;
}

bool keeli_change_is_empty(const keeli_change_filter *f) {
    return !has_ticks_since(f->inserted, f->inserted_in) &&
           !has_ticks_since(f->modified, f->modified_in);
}

static bool is_changed(const keeli_change_filter *f, uint32_t index) {
    if (f->inserted && keeli_is_within(f->inserted_in, keeli_ticks_get(f->inserted, index)))
        return true;
    return f->modified && keeli_is_within(f->modified_in, keeli_ticks_get(f->modified, index));
}

// Also asks whether the entity has the component: the ticks of a removed value are not reset, but a
// removed value does not count as changed.
bool keeli_change_passes(const keeli_change_filter *f, uint32_t index) {
    return (keeli_store_has(f->storage, index) && is_changed(f, index)) != f->negated;
}

bool keeli_change_matches(const keeli_view *view, const keeli_bound_term *term, uint32_t index) {
    const bool negated = is_negated(term->kind);
    if (!view->storages[term->first])
        return negated;
    const keeli_change_filter f = keeli_change_filter_of(view, term);
    return keeli_change_passes(&f, index);
}

uint64_t keeli_change_bits(const keeli_change_filter *f, uint32_t block, uint64_t bits) {
    const uint64_t there = bits & keeli_presence_word(&f->storage->presence, block);
    uint64_t changed = 0;
    if (f->inserted)
        changed = keeli_ticks_bits(f->inserted, block, f->inserted_in, there);
    if (f->modified)
        changed |= keeli_ticks_bits(f->modified, block, f->modified_in, there);
    return f->negated ? bits & ~changed : changed;
}

bool keeli_change_page_may_match(const keeli_change_filter *f, uint32_t page) {
    if (f->inserted && keeli_ticks_page_may_match(f->inserted, page, f->inserted_in))
        return true;
    return f->modified && keeli_ticks_page_may_match(f->modified, page, f->modified_in);
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

void keeli_scan_changes_begin(keeli_iterator *it) {
    const keeli_change_filter *f = it->plan->lead;
    it->second_log = !f->inserted;
    it->block = NULL; // candidates are just indices, of any pages
    it->one_page = false;
    if (f->inserted)
        begin_log(it, f->inserted, f->inserted_in);
    else
        begin_log(it, f->modified, f->modified_in);
}

// Makes the entities of the next `count` changes of a log the candidates; returns how many. With
// `ticks`: drops each change that a later change of the same entity follows, so that no entity is
// visited twice. (A later mark that is not in the log cannot exist: an incomplete log does not
// lead.) With `there`: drops entities that do not have the component any more.
static inline __attribute__((always_inline)) uint32_t
read_log(keeli_iterator *it, const keeli_change *log, uint32_t count, const keeli_ticks *ticks,
         const keeli_presence *there) {
    const keeli_presence bits = there ? *there : (keeli_presence){ .count = 0 }; // in registers
    uint32_t *candidates = it->candidates, kept = 0, all = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t index = log[i].index;
        uint32_t keep = 1;
        if (ticks)
            keep = keeli_ticks_slot(ticks, index) == log[i].tick;
        if (there)
            keep &= (uint32_t)keeli_presence_has(&bits, index);
        candidates[kept] = index;
        all |= index; // an upper bound; the maximum makes compilers use slow vectors (change_iter)
        kept += keep;
    }
    it->highest = all;
    return kept;
}

// Drops the candidates that were inserted in the range `w`: the iterator has visited them when it
// read the log of insertions.
static uint32_t drop_inserted(keeli_iterator *it, const keeli_ticks *before, keeli_tick_range w,
                              uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t index = it->candidates[i];
        it->candidates[kept] = index;
        kept += !keeli_is_within(w, keeli_ticks_get(before, index));
    }
    return kept;
}

// Makes the next entities of the current log the candidates; returns how many.
static uint32_t next_logged(keeli_iterator *it) {
    const keeli_change_filter *f = it->plan->lead;
    const keeli_ticks *ticks = it->second_log ? f->modified : f->inserted;
    const keeli_presence *there = &f->storage->presence;
    const keeli_change *log = ticks->log + it->at;
    uint32_t count = keeli_least(it->end - it->at, KEELI_BLOCK);
    it->at += count;

    // The log contains an entity once for each tick. If all changes have one tick, no change of an
    // entity follows another one.
    if (!it->one_tick)
        count = read_log(it, log, count, ticks, there);
    else if (it->plan->finds_lead)
        count = read_log(it, log, count, NULL, NULL);
    else
        count = read_log(it, log, count, NULL, there);

    if (it->second_log && f->inserted)
        count = drop_inserted(it, f->inserted, f->inserted_in, count);
    return count;
}

bool keeli_scan_changes(keeli_iterator *it) {
    const keeli_change_filter *f = it->plan->lead;
    for (;;) {
        while (it->at != it->end)
            if (keeli_gather(it, next_logged(it)))
                return true;
        if (it->second_log || !f->modified)
            return false;
        it->second_log = true;
        begin_log(it, f->modified, f->modified_in);
    }
}

// ------------------------------------------------------------------ marks of modified values
// True if the iterator marks one component, and visits exactly the entities that have it.
static bool visits_all(const keeli_iterator *it) {
    const keeli_plan *plan = it->plan;
    const keeli_view *view = it->view;
    const keeli_mark *mark = &it->marks[0];
    if (it->mark_count != 1 || mark->by_hand || mark->maybe || mark->relation)
        return false;
    if (plan->need_count || plan->change_count)
        return false;

    // Checks the terms, since a plan over rows lacks the filters that its archetypes fulfil.
    uint32_t must = 0;
    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keel_term_kind kind = view->terms[t].kind;
        if (kind == KEEL_TERM_WITHOUT || kind == KEEL_TERM_ANY_OF)
            return false;
        must += keeli_term_must(kind);
    }
    return must == 1 && plan->scan != KEELI_SCAN_GROUP;
}

static bool reserve_flags(keeli_iterator *it, uint32_t terms) {
    if (terms <= it->flag_terms)
        return true;
    keeli_heap *heap = &it->view->world->heap;
    bool *flags = keeli_new_zeroed(heap, (size_t)terms * KEELI_MASK_SLOTS, 1);
    if (!flags) {
        (void)keeli_out_of_memory(it->view->world, "beginning a loop");
        return false;
    }
    keeli_free(heap, it->flags, (size_t)it->flag_terms * KEELI_MASK_SLOTS, 1);
    it->flags = flags;
    it->flag_terms = terms;
    return true;
}

bool keeli_marks_begin(keeli_iterator *it, bool any_is_marked) {
    const keeli_view *view = it->view;
    uint32_t by_hand = 0;
    it->mark_count = 0;
    it->has_chunk = false;
    it->handed = 0;
    it->marks_all = false;
    if (!it->writes || (!any_is_marked && !view->facts.marks_by_hand))
        return true;

    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keeli_bound_term *term = &view->terms[t];
        keeli_storage *s = keeli_term_writes(term->kind) ? view->storages[term->first] : NULL;
        const bool flagged = term->kind == KEEL_TERM_WRITE_MARKED;
        if (!s || (!flagged && !keeli_writes_are_seen(s)))
            continue;

        const bool of_target = term->kind == KEEL_TERM_OF_TARGET_WRITE;
        it->marks[it->mark_count++] =
            (keeli_mark){ .storage = s,
                          .term = t,
                          .by_hand = flagged,
                          .maybe = term->kind == KEEL_TERM_OPTIONAL_WRITE,
                          .relation = of_target ? view->storages[term->first + 1] : NULL,
                          .is_tracked = keeli_is_marked(s),
                          .is_stamped = (s->flags & KEELI_IS_STAMPED) != 0 };
        if (flagged)
            keeli_atomic_put(&s->stamps.vague, view->world->epoch);
        by_hand += flagged;
    }

    it->marks_all = visits_all(it);
    return !by_hand || reserve_flags(it, by_hand);
}

void keeli_marks_hand_out(keeli_iterator *it) {
    bool *flags = it->flags;
    for (uint32_t m = 0; m < it->mark_count; ++m) {
        if (!it->marks[m].by_hand)
            continue;
        it->chunk.columns[it->marks[m].term].marked = flags;
        flags += KEELI_MASK_SLOTS;
    }
}

// Returns the entity index of item `i` (of a mask: slot `i`) of the chunk.
static uint32_t item_index(const keeli_iterator *it, uint32_t i) {
    if (it->who == KEELI_WHO_LIST)
        return it->candidates[i];
    if (it->who == KEELI_WHO_RANGE)
        return it->who_first + i;
    return keeli_index_of(it->who_entities[i]);
}

// Marks the values of one term for the items from..end of the chunk (of a mask: the slots), one by
// one. This is the general path of mark_one.
static void mark_items(const keeli_iterator *it, const keeli_mark *mark, uint32_t from,
                       uint32_t end, uint32_t tick) {
    keeli_ticks *ticks = &mark->storage->tracking.modified;
    const bool is_mask = it->chunk.form == KEEL_CHUNK_MASK;
    const bool *flags = mark->by_hand ? it->chunk.columns[mark->term].marked : NULL;
    for (uint32_t i = from; i < end; ++i) {
        if (is_mask && !(it->chunk.words[i / 64] >> (i % 64) & 1))
            continue;
        if (flags && !flags[i])
            continue;
        uint32_t index = item_index(it, i);
        if (mark->relation)
            index = keeli_target_at(mark->relation, index);
        if (mark->maybe && !keeli_store_has(mark->storage, index))
            continue;
        keeli_ticks_mark_unlogged(ticks, index, tick);
    }
}

// Marks the entities of a mask whose slots are consecutive indices, word by word.
static void mark_words(const keeli_iterator *it, keeli_ticks *ticks, uint32_t count,
                       uint32_t tick) {
    for (uint32_t at = 0; at < count; at += 64) {
        const uint64_t valid = count - at < 64 ? ((uint64_t)1 << (count - at)) - 1 : ~(uint64_t)0;
        keeli_ticks_mark_bits(ticks, (it->who_first + at) / 64, it->chunk.words[at / 64] & valid,
                              tick);
    }
}

// Marks the values of one term for the first `count` items of the chunk, whole runs of consecutive
// indices at once where possible.
static void mark_one(const keeli_iterator *it, const keeli_mark *mark, uint32_t count) {
    const uint32_t tick = keeli_tick_now(it->view->world, mark->storage);
    keeli_ticks *ticks = &mark->storage->tracking.modified;
    const bool is_span = it->chunk.form == KEEL_CHUNK_SPAN, is_range = it->who == KEELI_WHO_RANGE;
    const bool marks_each = !mark->by_hand && !mark->maybe && !mark->relation;
    const bool has_runs = it->who != KEELI_WHO_LIST && (is_span || is_range);
    if (!marks_each || !has_runs) {
        mark_items(it, mark, 0, count, tick);
        return;
    }
    if (is_range) {
        if (is_span)
            keeli_ticks_mark_range(ticks, it->who_first, count, tick);
        else
            mark_words(it, ticks, count, tick);
        return;
    }

    // A span of handles is split into runs of consecutive indices; mostly there are few.
    for (uint32_t i = 0, n; i < count; i += n) {
        n = keeli_range_length(it->who_entities + i, count - i);
        if (n < KEELI_SIZE(16, 2))
            mark_items(it, mark, i, i + n, tick);
        else
            keeli_ticks_mark_range(ticks, item_index(it, i), n, tick);
    }
}

static void stamp_range(const keeli_storage *s, uint32_t place, uint32_t count) {
    if (!count)
        return;
    const uint32_t last = (place + count - 1) / 64;
    for (uint32_t block = place / 64; block <= last; ++block)
        keeli_stamp_place(s->world, s, block * 64);
}

// Stamps the blocks of a list's values. `numbers`: the places of the values, counted from place 0,
// or from the start of a page if all are on one page. `first`: the place of the first value,
// counted from place 0; its difference to numbers[0] is the start of that page.
static void stamp_list(keeli_storage *s, const uint32_t *numbers, uint32_t first, uint32_t count) {
    const uint32_t from = first - numbers[0], epoch = s->world->epoch, blocks = s->stamps.count;
    uint32_t *items = s->stamps.items;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t block = (from + numbers[i]) / 64;
        if (block < blocks)
            keeli_atomic_put(&items[block], epoch);
    }
}

// Stamps the blocks of the values of one term in a chunk. The values of a span lie side by side,
// and so do values at consecutive indices of a KEEL_INDEXED storage.
static void stamp_one(const keeli_iterator *it, const keeli_mark *mark, uint32_t count) {
    const keel_world *world = it->view->world;
    keeli_storage *s = mark->storage;
    const bool is_mask = it->chunk.form == KEEL_CHUNK_MASK;
    const bool is_span = it->chunk.form == KEEL_CHUNK_SPAN;
    const bool is_own = !mark->maybe && !mark->relation; // each entity has a value of its own
    if (is_own && !is_mask && count) {
        const uint32_t first = keeli_store_place(world, s, item_index(it, 0));
        if (is_span)
            stamp_range(s, first, count);
        else
            stamp_list(s, it->chunk.columns[mark->term].index, first, count);
        return;
    }
    if (is_own && is_mask && keeli_store_is_by_index(s)) {
        for (uint32_t at = 0; at < count; at += 64)
            if (it->chunk.words[at / 64])
                keeli_stamp_place(world, s, it->who_first + at);
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (is_mask && !(it->chunk.words[i / 64] >> (i % 64) & 1))
            continue;
        uint32_t index = item_index(it, i);
        if (mark->relation)
            index = keeli_target_at(mark->relation, index);
        if (index == UINT32_MAX || (mark->maybe && !keeli_store_has(s, index)))
            continue;
        keeli_stamp_place(world, s, keeli_store_place(world, s, index));
    }
}

void keeli_mark_chunk_slow(keeli_iterator *it, uint32_t count) {
    if (!it->has_chunk)
        return;
    it->has_chunk = false;
    ++it->handed;
    count = keeli_least(count, it->chunk.count);
    if (it->marks_all)
        return;

    for (uint32_t m = 0; m < it->mark_count; ++m) {
        const keeli_mark *mark = &it->marks[m];
        if (mark->is_tracked)
            mark_one(it, mark, count);
        if (mark->is_stamped)
            stamp_one(it, mark, count);
        if (mark->by_hand)
            memset(it->chunk.columns[mark->term].marked, 0, it->chunk.count);
    }
}

// Marks the visited chunks of an iterator with marks_all that ended early: iterates again up to the
// last visited entity.
static void mark_again(keeli_iterator *it) {
    const uint32_t chunks = it->handed, visited = it->visited;
    it->marks_all = false;
    keeli_iterator_rewind(it);
    for (uint32_t i = 0; i < chunks && keeli_iterator_scan(it); ++i) {
        it->has_chunk = true;
        keeli_mark_chunk_slow(it, i + 1 == chunks ? visited : UINT32_MAX);
    }
}

// Returns how many items of the last chunk the user visited: as reported, or as handed out in
// spans, or UINT32_MAX for the whole chunk.
static uint32_t count_visited(const keeli_iterator *it) {
    if (it->visited)
        return it->visited;
    return it->span_at ? it->span_at : UINT32_MAX;
}

void keeli_mark_left(keeli_iterator *it) { keeli_mark_chunk_slow(it, count_visited(it)); }

void keeli_marks_end(keeli_iterator *it) {
    if (!it->mark_count)
        return;
    it->visited = count_visited(it);
    keeli_mark_chunk_slow(it, it->visited);
    if (!it->marks_all)
        return;
    keeli_storage *s = it->marks[0].storage;
    if (!it->done) {
        mark_again(it);
        return;
    }
    if (!keeli_store_count(s))
        return;
    if (it->marks[0].is_tracked)
        keeli_ticks_mark_all(&s->tracking.modified, keeli_tick_now(it->view->world, s));
    if (it->marks[0].is_stamped)
        keeli_atomic_put(&s->stamps.all, it->view->world->epoch);
}
