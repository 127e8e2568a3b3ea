// SPDX-License-Identifier: MIT
#include "find/mark.h"

#include "base/memory.h"
#include "follow/changes.h"
#include "world/report.h"
#include "world/storage.h"

static bool is_tracked(const keeli_storage *s) {
    return s->tracking.kinds & KEEL_TRACK_MODIFICATION;
}

// ------------------------------------------------------------------ beginning
// Does the walk visit all that have the one component it marks, and nothing else?
static bool visits_all(const keeli_iterator *it) {
    const keeli_plan *plan = it->plan;
    const keeli_view *view = it->view;
    uint32_t must = 0;
    if (it->mark_count != 1 || it->marks[0].by_hand || it->marks[0].maybe) return false;
    if (plan->need_count || plan->without_count || plan->any_count || plan->change_count)
        return false;
    for (uint32_t t = 0; t < view->term_count; ++t)
        must += keeli_term_must(view->terms[t].kind);
    return must == 1 && plan->driver != KEELI_DRIVE_GROUP;
}

static bool reserve_flags(keeli_iterator *it, uint32_t terms) {
    if (terms <= it->flag_terms) return true;
    keeli_heap *heap = &it->view->world->heap;
    bool *flags = keeli_new_zeroed(heap, (size_t)terms * KEELI_WINDOW, 1);
    if (!flags) return keeli_out_of_memory(it->view->world, "beginning a loop"), false;
    keeli_free(heap, it->flags, (size_t)it->flag_terms * KEELI_WINDOW, 1);
    it->flags = flags;
    it->flag_terms = terms;
    return true;
}

bool keeli_marks_begin(keeli_iterator *it, uint32_t flags) {
    const keeli_view *view = it->view;
    uint32_t by_hand = 0;
    it->mark_count = 0;
    it->has_chunk = false;
    it->handed = 0;
    it->marks_all = false;
    if (!keeli_flags_say_marked(flags) && !view->marks_by_hand) return true;
    for (uint32_t t = 0; t < view->term_count && it->writes; ++t) {
        const keel_term_kind kind = view->terms[t].kind;
        keeli_storage *s = keeli_term_writes(kind) ? view->storages[view->terms[t].first] : NULL;
        const bool flagged = kind == KEEL_TERM_WRITE_MARKED;
        if (!s || (!flagged && !is_tracked(s))) continue;
        it->marks[it->mark_count++] =
            (keeli_mark){ s, t, flagged, kind == KEEL_TERM_MAYBE_WRITE, is_tracked(s) };
        by_hand += flagged;
    }
    it->marks_all = visits_all(it);
    if (!by_hand) return true;
    return reserve_flags(it, by_hand);
}

void keeli_marks_hand_out(keeli_iterator *it) {
    bool *flags = it->flags;
    for (uint32_t m = 0; m < it->mark_count; ++m) {
        if (!it->marks[m].by_hand) continue;
        it->chunk.columns[it->marks[m].term].marked = flags;
        flags += KEELI_WINDOW;
    }
}

// ------------------------------------------------------------------ a chunk
// The entity index of an item.
static uint32_t index_of(const keeli_iterator *it, uint32_t i) {
    if (it->who == KEELI_WHO_LIST) return it->candidates[i];
    if (it->who == KEELI_WHO_RUN) return it->who_first + i;
    return keel_entity_index(it->who_entities[i]);
}

static void mark_items(const keeli_iterator *it, const keeli_mark *mark, uint32_t count,
                       uint32_t tick) {
    keeli_ticks *ticks = &mark->storage->tracking.modified;
    const bool is_mask = it->chunk.form == KEEL_CHUNK_MASK;
    const bool *flags = mark->by_hand ? it->chunk.columns[mark->term].marked : NULL;
    for (uint32_t i = 0; i < count; ++i) {
        if (is_mask && !(it->chunk.words[i / 64] >> (i % 64) & 1)) continue;
        if (flags && !flags[i]) continue;
        const uint32_t index = index_of(it, i);
        if (mark->maybe && !keeli_store_has(mark->storage, index)) continue;
        keeli_ticks_mark_unlogged(ticks, index, tick);
    }
}

// All items of a span, which are runs of consecutive indices where it goes well.
static void mark_span(const keeli_iterator *it, keeli_ticks *ticks, uint32_t count, uint32_t tick) {
    if (it->who == KEELI_WHO_RUN) {
        keeli_ticks_mark_range(ticks, it->who_first, count, tick);
        return;
    }
    for (uint32_t i = 0, n; i < count; i += n) {
        n = keeli_range_length(it->who_entities + i, count - i);
        if (n < 16)
            for (uint32_t k = 0; k < n; ++k)
                keeli_ticks_mark_unlogged(ticks, index_of(it, i + k), tick);
        else keeli_ticks_mark_range(ticks, index_of(it, i), n, tick);
    }
}

// A mask over a window of 64 * n indices: by the word.
static void mark_words(const keeli_iterator *it, keeli_ticks *ticks, uint32_t count,
                       uint32_t tick) {
    for (uint32_t at = 0; at < count; at += 64) {
        const uint64_t valid = count - at < 64 ? ((uint64_t)1 << (count - at)) - 1 : ~(uint64_t)0;
        keeli_ticks_mark_bits(ticks, (it->who_first + at) / 64, it->chunk.words[at / 64] & valid,
                              tick);
    }
}

static void mark_one(const keeli_iterator *it, const keeli_mark *mark, uint32_t count) {
    const uint32_t tick = keeli_tick_now(it->view->world, mark->storage);
    keeli_ticks *ticks = &mark->storage->tracking.modified;
    const keel_chunk_form form = it->chunk.form;
    if (mark->by_hand || mark->maybe || it->who == KEELI_WHO_LIST)
        mark_items(it, mark, count, tick);
    else if (form == KEEL_CHUNK_SPAN) mark_span(it, ticks, count, tick);
    else if (it->who == KEELI_WHO_RUN && it->who_first % 64 == 0)
        mark_words(it, ticks, count, tick);
    else mark_items(it, mark, count, tick);
}

void keeli_mark_chunk_slowly(keeli_iterator *it, uint32_t count) {
    if (!it->has_chunk) return;
    it->has_chunk = false;
    ++it->handed;
    count = keeli_least(count, it->chunk.count);
    for (uint32_t m = 0; m < it->mark_count && !it->marks_all; ++m) {
        const keeli_mark *mark = &it->marks[m];
        if (mark->is_tracked) mark_one(it, mark, count);
        if (mark->by_hand) memset(it->chunk.columns[mark->term].marked, 0, it->chunk.count);
    }
}

// ------------------------------------------------------------------ the end
// A walk that was to mark everything ended early: walk the same way again as far as it came, and
// mark that.
static void mark_again(keeli_iterator *it) {
    const uint32_t chunks = it->handed, visited = it->visited;
    it->marks_all = false;
    keeli_iterator_rewind(it);
    for (uint32_t i = 0; i < chunks && keeli_iterator_drive(it); ++i) {
        it->has_chunk = true;
        keeli_mark_chunk_slowly(it, i + 1 == chunks ? visited : UINT32_MAX);
    }
}

void keeli_marks_end(keeli_iterator *it) {
    if (!it->mark_count) return;
    if (!it->visited) it->visited = it->span_at ? it->span_at : UINT32_MAX;
    if (it->has_chunk) keeli_mark_chunk_slowly(it, it->visited);
    if (!it->marks_all) return;
    keeli_storage *s = it->marks[0].storage;
    if (!it->done) mark_again(it);
    else if (keeli_store_count(s))
        keeli_ticks_mark_all(&s->tracking.modified, keeli_tick_now(it->view->world, s));
}
