// SPDX-License-Identifier: MIT
// Walking over the entities of a view. Candidates come from the driver: the smallest set that an
// entity must be in, or the list of entities. Where the sets are in the same order, whole runs are
// handed out as spans; elsewhere a block of candidates is filtered, without branches on the
// outcome, into a list.
#include "find/iterate.h"

#include "edit/report.h"

#include <string.h>

static void *no_page[1]; // the page table of a column that is absent throughout

// ------------------------------------------------------------------ states
static void lock(keel_world *world) {
    if (world->share_depth) keeli_lock_take(&world->lock);
}
static void unlock(keel_world *world) {
    if (world->share_depth) keeli_lock_give(&world->lock);
}

// Under the lock: whose walk it is must be told together with its serial, or the end of another
// view that used this state before takes it for its own.
static void assign(keeli_iterator *it, keeli_view *view) {
    it->serial = ++view->world->serial;
    it->view = view;
    it->serial_of_view = view->serial;
}

static keeli_iterator *take_state(keeli_view *view) {
    keel_world *world = view->world;
    lock(world);
    keeli_iterator *it = world->iterators;
    while (it && it->serial)
        it = it->next;
    if (it) assign(it, view);
    unlock(world);
    if (it) return it;
    it = KEELI_NEW(&world->heap, keeli_iterator);
    if (!it) return keeli_out_of_memory(world, "beginning a loop"), NULL;
    lock(world);
    assign(it, view);
    it->next = world->iterators;
    world->iterators = it;
    unlock(world);
    return it;
}

// An edit through a view is refused while a walk depends on the storage.
static void count_walk(keeli_view *view, const keeli_iterator *it, int32_t change) {
    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keeli_bound_term *term = &view->terms[t];
        if (term->kind < KEEL_TERM_READ || term->kind > KEEL_TERM_ANY_OF) continue;
        for (uint32_t i = 0; i < term->count; ++i) {
            keeli_storage *s = view->storages[term->first + i];
            if (s) (void)keeli_atomic_add(&s->iterating, change);
        }
    }
    if (!it->driver) (void)keeli_atomic_add(&view->world->entity_storage.iterating, change);
}

static keeli_storage *storage_of(const keeli_view *view, const keeli_bound_term *term) {
    return view->storages[term->first];
}

// The smallest required set, the first of equals. False when nothing can match.
static bool choose_driver(keeli_iterator *it) {
    const keeli_view *view = it->view;
    it->plain = true;
    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keeli_bound_term *term = &view->terms[t];
        if (term->kind == KEEL_TERM_MAYBE || term->kind == KEEL_TERM_MAYBE_WRITE ||
            term->kind == KEEL_TERM_WITHOUT || term->kind == KEEL_TERM_ANY_OF)
            it->plain = false;
        if (!keeli_term_must(term->kind)) continue;
        keeli_storage *s = storage_of(view, term);
        if (!s) return false;
        if (!it->driver || s->set.count < it->driver->set.count) it->driver = s;
    }
    return true;
}

// A list of terms that says nothing about entities matches none.
static bool is_about_entities(const keeli_view *view) {
    for (uint32_t t = 0; t < view->term_count; ++t)
        if (view->terms[t].kind >= KEEL_TERM_READ && view->terms[t].kind <= KEEL_TERM_ENTITY)
            return true;
    return false;
}

keeli_iterator *keeli_iterator_take(keeli_view *view) {
    keeli_iterator *it = take_state(view);
    if (!it) return NULL;
    it->driver = NULL;
    it->done = !is_about_entities(view) || !choose_driver(it);
    it->at = 0;
    it->end = it->driver ? it->driver->set.count : view->world->entities.size;
    memset(&it->chunk, 0, sizeof it->chunk);
    memset(&it->span, 0, sizeof it->span);
    it->span_at = 0;
    count_walk(view, it, 1);
    return it;
}

void keeli_iterator_give(keeli_iterator *it) {
    keel_world *world = it->view->world;
    count_walk(it->view, it, -1);
    lock(world);
    it->serial = 0;
    unlock(world);
}

// Some live walk of the view, or NULL.
static keeli_iterator *live_of(const keeli_view *view) {
    lock(view->world);
    keeli_iterator *it = view->world->iterators;
    while (it && !(it->serial && it->view == view && it->serial_of_view == view->serial))
        it = it->next;
    unlock(view->world);
    return it;
}

void keeli_iterators_end_of(keeli_view *view) {
    for (keeli_iterator *it; (it = live_of(view)) != NULL;)
        keeli_iterator_give(it);
}

void keeli_iterators_deinit(keel_world *world) {
    for (keeli_iterator *it = world->iterators, *next; it; it = next) {
        next = it->next;
        KEELI_FREE(&world->heap, keeli_iterator, it);
    }
    world->iterators = NULL;
}

// ------------------------------------------------------------------ runs of equal order
static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

// Slots from `slot` on whose entities, and values if asked, lie on one page each.
static uint32_t left_on_page(const keeli_sparse_set *set, uint32_t slot, bool values) {
    const uint32_t dense = (1u << KEELI_DENSE_SHIFT) - (slot & ((1u << KEELI_DENSE_SHIFT) - 1));
    const uint32_t page = (uint32_t)1 << set->root.shift;
    return values ? least(dense, page - (slot & (page - 1))) : dense;
}

// How many entities from both places on are the same, to `limit`.
static uint32_t equal_run(const keel_entity *a, const keel_entity *b, uint32_t limit) {
    uint32_t n = 0;
    while (n < limit && a[n].bits == b[n].bits)
        ++n;
    return n;
}

// The columns of entities that lie side by side from these slots on.
static void set_base(keel_chunk *chunk, uint32_t term, const keeli_storage *s, uint32_t slot) {
    chunk->columns[term].base = keeli_sparse_set_value(&s->set, slot);
}

// Try to hand out a span: all sets hold the same entities in the same order from here on.
static bool find_run(keeli_iterator *it) {
    const keeli_view *view = it->view;
    const keeli_sparse_set *driver = &it->driver->set;
    const keel_entity *first = keeli_sparse_set_entity(driver, it->at);
    const uint32_t index = keel_entity_index(*first);
    uint32_t run = least(it->end - it->at, left_on_page(driver, it->at, false));
    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keeli_bound_term *term = &view->terms[t];
        if (!keeli_term_must(term->kind)) continue;
        const keeli_storage *s = storage_of(view, term);
        const bool values = keeli_term_has_values(term->kind);
        const uint32_t slot = s == it->driver ? it->at : keeli_sparse_set_find(&s->set, index);
        if (slot == KEELI_NO_SLOT) return false;
        run = least(run, left_on_page(&s->set, slot, values));
        if (s != it->driver) {
            run = least(run, s->set.count - slot);
            run = equal_run(first, keeli_sparse_set_entity(&s->set, slot), run);
        }
        if (values) set_base(&it->chunk, t, s, slot);
    }
    // a short run is not worth a chunk of its own, unless nothing is left
    if (run < 32 && it->at + run < it->end && run < left_on_page(driver, it->at, false))
        return false;
    it->chunk.form = KEEL_CHUNK_SPAN;
    it->chunk.count = run;
    it->chunk.entities = view->wants_entities ? first : NULL;
    it->at += run;
    return true;
}

// ------------------------------------------------------------------ blocks of candidates
// Candidates from the driver, or living entities.
static const keel_entity *next_candidates(keeli_iterator *it, uint32_t *count) {
    if (it->driver) {
        const keeli_sparse_set *set = &it->driver->set;
        *count = least(least(it->end - it->at, KEELI_BLOCK), left_on_page(set, it->at, false));
        const keel_entity *first = keeli_sparse_set_entity(set, it->at);
        it->at += *count;
        return first;
    }
    const keeli_entity_index *ix = &it->view->world->entities;
    uint32_t n = 0;
    while (n < KEELI_BLOCK && it->at < it->end) {
        const keel_entity e = keeli_entity_index_next(ix, it->at);
        if (keel_is_null(e) || keel_entity_index(e) >= it->end) {
            it->at = it->end;
            break;
        }
        it->candidates[n++] = e;
        it->at = keel_entity_index(e) + 1;
    }
    *count = n;
    return it->candidates;
}

// Keep the picked candidates that are (or are not) in a set.
static uint32_t filter(uint32_t *picked, uint32_t count, const keel_entity *candidates,
                       const keeli_sparse_set *set, bool wanted) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t k = picked[i];
        const bool there =
            keeli_sparse_set_find(set, keel_entity_index(candidates[k])) != KEELI_NO_SLOT;
        picked[kept] = k;
        kept += there == wanted;
    }
    return kept;
}

static uint32_t filter_any(const keeli_view *view, const keeli_bound_term *term, uint32_t *picked,
                           uint32_t count, const keel_entity *candidates) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t k = picked[i], index = keel_entity_index(candidates[k]);
        bool there = false;
        for (uint32_t c = 0; c < term->count; ++c) {
            const keeli_storage *s = view->storages[term->first + c];
            there |= s && keeli_sparse_set_find(&s->set, index) != KEELI_NO_SLOT;
        }
        picked[kept] = k;
        kept += there;
    }
    return kept;
}

static uint32_t filter_all(keeli_iterator *it, const keel_entity *candidates, uint32_t count) {
    const keeli_view *view = it->view;
    for (uint32_t i = 0; i < count; ++i)
        it->picked[i] = i;
    for (uint32_t t = 0; t < view->term_count && count; ++t) {
        const keeli_bound_term *term = &view->terms[t];
        const keeli_storage *s = term->count ? storage_of(view, term) : NULL;
        if (keeli_term_must(term->kind) && s != it->driver)
            count = filter(it->picked, count, candidates, &s->set, true);
        else if (term->kind == KEEL_TERM_WITHOUT && s)
            count = filter(it->picked, count, candidates, &s->set, false);
        else if (term->kind == KEEL_TERM_ANY_OF)
            count = filter_any(view, term, it->picked, count, candidates);
    }
    return count;
}

// Where the picked entities are in a column. True when that is side by side, on one page, or
// nowhere.
static bool fill_index(keeli_iterator *it, uint32_t t, const keeli_storage *s,
                       const keel_entity *candidates, uint32_t count) {
    uint32_t *index = it->index[t], broken = 0, absent = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t e = keel_entity_index(candidates[it->picked[i]]);
        index[i] = s ? keeli_sparse_set_find(&s->set, e) : KEELI_NO_SLOT;
        broken |= index[i] - i - index[0];
        absent += index[i] == KEELI_NO_SLOT;
    }
    if (absent) return absent == count;
    return !broken && index[0] >> s->set.root.shift == index[count - 1] >> s->set.root.shift;
}

static void list_column(keeli_iterator *it, uint32_t t, const keeli_storage *s) {
    keel_chunk_column *column = &it->chunk.columns[t];
    column->pages = s && s->set.values ? s->set.values : no_page;
    column->index = it->index[t];
    column->shift = s ? s->set.root.shift : 31;
}

// A chunk of the picked candidates: a list, or a span where all columns happen to lie side by side.
static void make_chunk(keeli_iterator *it, const keel_entity *candidates, uint32_t count) {
    const keeli_view *view = it->view;
    bool side_by_side = true;
    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keeli_bound_term *term = &view->terms[t];
        if (!keeli_term_has_values(term->kind)) continue;
        const keeli_storage *s = storage_of(view, term);
        if (!fill_index(it, t, s, candidates, count)) side_by_side = false;
        list_column(it, t, s);
    }
    it->chunk.form = side_by_side ? KEEL_CHUNK_SPAN : KEEL_CHUNK_LIST;
    it->chunk.count = count;
    for (uint32_t t = 0; side_by_side && t < view->term_count; ++t) {
        if (!keeli_term_has_values(view->terms[t].kind)) continue;
        if (it->index[t][0] == KEELI_NO_SLOT) it->chunk.columns[t].base = NULL;
        else set_base(&it->chunk, t, storage_of(view, &view->terms[t]), it->index[t][0]);
    }
    if (!view->wants_entities) return;
    for (uint32_t i = 0; i < count; ++i)
        it->entities[i] = candidates[it->picked[i]];
    it->chunk.entities = it->entities;
}

const keel_chunk *keeli_iterator_advance(keeli_iterator *it) {
    it->span_at = 0;
    while (!it->done && it->at < it->end) {
        if (it->driver && it->plain && find_run(it)) return &it->chunk;
        uint32_t count;
        const keel_entity *candidates = next_candidates(it, &count);
        count = filter_all(it, candidates, count);
        if (!count) continue;
        make_chunk(it, candidates, count);
        return &it->chunk;
    }
    it->done = true;
    return NULL;
}

// ------------------------------------------------------------------ spans out of lists
// How far from `from` on the list of this column goes on side by side.
static uint32_t run_in_list(const keel_chunk_column *column, uint32_t from, uint32_t count) {
    const uint32_t first = column->index[from];
    uint32_t n = 1;
    if (first == UINT32_MAX) {
        while (from + n < count && column->index[from + n] == UINT32_MAX)
            ++n;
        return n;
    }
    while (from + n < count && column->index[from + n] == first + n &&
           (first + n) >> column->shift == first >> column->shift)
        ++n;
    return n;
}

static void cut_span(keeli_iterator *it) {
    const keeli_view *view = it->view;
    const keel_chunk *list = &it->chunk;
    uint32_t run = list->count - it->span_at;
    for (uint32_t t = 0; t < view->term_count; ++t)
        if (keeli_term_has_values(view->terms[t].kind))
            run = least(run, run_in_list(&list->columns[t], it->span_at, list->count));
    for (uint32_t t = 0; t < view->term_count; ++t) {
        if (!keeli_term_has_values(view->terms[t].kind)) continue;
        const uint32_t slot = list->columns[t].index[it->span_at];
        if (slot == UINT32_MAX) it->span.columns[t].base = NULL;
        else set_base(&it->span, t, storage_of(view, &view->terms[t]), slot);
    }
    it->span.form = KEEL_CHUNK_SPAN;
    it->span.count = run;
    it->span.entities = list->entities ? list->entities + it->span_at : NULL;
    it->span_at += run;
}

const keel_chunk *keeli_iterator_advance_span(keeli_iterator *it) {
    const bool is_list = it->chunk.form == KEEL_CHUNK_LIST;
    if (!is_list || it->span_at == 0 || it->span_at >= it->chunk.count) {
        if (!keeli_iterator_advance(it)) return NULL;
        if (it->chunk.form == KEEL_CHUNK_SPAN) return &it->chunk;
    }
    cut_span(it);
    return &it->span;
}

// ------------------------------------------------------------------ one entity
bool keeli_view_matches(const keeli_view *view, keel_entity e) {
    const uint32_t index = keel_entity_index(e);
    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keeli_bound_term *term = &view->terms[t];
        const bool any = term->kind == KEEL_TERM_ANY_OF;
        if (!any && !keeli_term_must(term->kind) && term->kind != KEEL_TERM_WITHOUT) continue;
        bool there = false;
        for (uint32_t i = 0; i < term->count; ++i) {
            const keeli_storage *s = view->storages[term->first + i];
            there |= s && keeli_sparse_set_find(&s->set, index) != KEELI_NO_SLOT;
        }
        if (there == (term->kind == KEEL_TERM_WITHOUT)) return false;
    }
    return is_about_entities(view);
}

// ------------------------------------------------------------------ public
static keeli_iterator *state_of(const keel_iterator *handle) {
    return handle && handle->state && handle->state->serial == handle->serial ? handle->state
                                                                              : NULL;
}

keel_result keel_iterator_begin(keel_iterator *iterator, const keel_view *view) {
    if (!iterator) return KEEL_ERROR_ARGUMENT;
    keeli_view *state = keeli_view_of(view);
    *iterator = (keel_iterator){ 0 };
    if (!state) return KEEL_ERROR_ARGUMENT;
    keeli_iterator *it = keeli_iterator_take(state);
    if (!it) return KEEL_ERROR_MEMORY;
    *iterator = (keel_iterator){ it, state->world, it->serial };
    return KEEL_OK;
}

void keel_iterator_end(keel_iterator *iterator) {
    keeli_iterator *it = state_of(iterator);
    if (iterator) iterator->state = NULL;
    if (it) keeli_iterator_give(it);
}

const keel_chunk *keel_iterator_next(keel_iterator *iterator) {
    keeli_iterator *it = state_of(iterator);
    const keel_chunk *chunk = it ? keeli_iterator_advance(it) : NULL;
    if (!chunk) keel_iterator_end(iterator);
    return chunk;
}

bool keel_iterator_next_span(keel_iterator *iterator, keel_span *span) {
    keeli_iterator *it = state_of(iterator);
    const keel_chunk *chunk = it ? keeli_iterator_advance_span(it) : NULL;
    if (!chunk) {
        keel_iterator_end(iterator);
        return false;
    }
    *span = (keel_span){ chunk->count, chunk->entities, chunk, it->view };
    return true;
}
