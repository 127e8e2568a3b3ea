// SPDX-License-Identifier: MIT
// Iterators: beginning, advancing and ending them; spans cut out of other chunks; and pieces for
// several threads. The scan of each kind of leader is elsewhere (scan_*.c, levels.c, change.c).
// Loops and systems (src/run/), questions about a view (view.c) and users' code call this.
#include "find/iterate.h"

#include "base/memory.h"
#include "follow/changes.h"
#include "follow/follow.h"
#include "world/report.h"

// ------------------------------------------------------------------ states
// Marks a state as live for a view. The caller holds the world's lock: the view must be set
// together with the serial. Otherwise another view that used this state before, and ends now, would
// end this iterator.
static void assign(keeli_iterator *it, keeli_view *view) {
    it->serial = ++view->world->views.serial;
    it->view = view;
    it->serial_of_view = view->holder.serial;
}

static keeli_iterator *iterator_new(keel_world *world) {
    keeli_iterator *it = KEELI_NEW(&world->heap, keeli_iterator);
    if (it)
        keeli_plan_init(&it->own_plan, it->room, KEEL_MAX_TERMS);
    return it;
}

// Acquires a state for an iterator over a view; NULL when out of memory (reported).
static keeli_iterator *iterator_acquire(keeli_view *view) {
    keel_world *world = view->world;
    keeli_world_lock(world);
    keeli_iterator *it = world->views.iterators;
    while (it && it->serial)
        it = it->next;
    if (it)
        assign(it, view);
    keeli_world_unlock(world);
    if (it)
        return it;
    it = iterator_new(world);
    if (!it) {
        (void)keeli_out_of_memory(world, "beginning a loop");
        return NULL;
    }
    keeli_world_lock(world);
    assign(it, view);
    it->next = world->views.iterators;
    world->views.iterators = it;
    keeli_world_unlock(world);
    return it;
}

bool keeli_iterators_reserve(keel_world *world, uint32_t count) {
    for (const keeli_iterator *it = world->views.iterators; it && count; it = it->next)
        --count;
    while (count--) {
        keeli_iterator *it = iterator_new(world);
        if (!it)
            return false;
        it->next = world->views.iterators;
        world->views.iterators = it;
    }
    return true;
}

static void iterator_release(keeli_iterator *it) {
    keel_world *world = it->view->world;
    keeli_world_lock(world);
    it->serial = 0;
    keeli_world_unlock(world);
}

// Adds `change` to `iterating` of all storages that the iterator depends on. An edit of a storage
// through a view is refused while iterators depend on it.
static void count_in(const keeli_iterator *it, int32_t change) {
    const keeli_view *view = it->view;
    const keeli_plan *plan = it->plan;
    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keeli_bound_term *term = &view->terms[t];
        if (!keeli_term_is_walked(term->kind))
            continue;
        for (uint32_t i = 0; i < term->count; ++i) {
            keeli_storage *s = view->storages[term->first + i];
            if (!s)
                continue;
            if (keeli_store_has_sources(s))
                s = s->relation->sources; // edits check its count
            keeli_count(view->world, &s->iterating, change);
            if (s->owner)
                keeli_count(view->world, &s->owner->order.iterating, change);
        }
    }

    if (plan->has_rows)
        keeli_count(view->world, &view->world->stand_in.rows.iterating, change);
    const bool visits_living = plan->scan == KEELI_SCAN_ENTITIES ||
                               (plan->scan == KEELI_SCAN_LEVELS && !plan->leader) ||
                               (plan->scan == KEELI_SCAN_HANDLES && !plan->need_count);
    if (visits_living)
        keeli_count(view->world, &view->world->stand_in.entities.iterating, change);
}

// Returns the end of the slots, indices or places that the plan scans.
static uint32_t scan_end(const keeli_iterator *it) {
    const keeli_plan *plan = it->plan;
    if (plan->scan == KEELI_SCAN_SET)
        return plan->leader->set.count;
    if (plan->scan == KEELI_SCAN_GROUP)
        return keeli_group_count(plan->group);
    if (plan->scan == KEELI_SCAN_BITS || (plan->relation && plan->leader))
        return keeli_presence_page_end(&plan->leader->presence) * KEELI_MASK_SLOTS;
    if (plan->united)
        return plan->united_pages * KEELI_MASK_SLOTS;
    if (plan->scan == KEELI_SCAN_HANDLES)
        return it->handle_count;
    if (plan->scan == KEELI_SCAN_SOURCES)
        return keeli_source_places(it->view, plan->related);

    // Only the plans of these two scans have borrowed the list of entities. For other plans this
    // must not read its size, since another thread may be creating entities.
    const bool all = plan->scan == KEELI_SCAN_ENTITIES || plan->scan == KEELI_SCAN_LEVELS;
    return all ? it->view->world->entities.size : 0;
}

void keeli_iterator_rewind(keeli_iterator *it) {
    it->done = it->plan->scan == KEELI_SCAN_NOTHING;
    it->at = it->from = it->match_at = it->block_at = it->words_end = it->next_page = 0;
    it->rows_left = UINT32_MAX;
    it->end = scan_end(it);
    it->span_at = 0;
    it->range_misses = it->range_pause = 0;
    it->block = NULL;
    it->one_page = false;
    if (it->plan->scan == KEELI_SCAN_CHANGES)
        keeli_scan_changes_begin(it);
    if (it->plan->scan == KEELI_SCAN_LEVELS)
        keeli_levels_rewind(it);
}

static bool any_is_marked(const keeli_view *view) {
    bool any = false;
    for (uint32_t i = 0; i < view->storage_count; ++i)
        any |= view->storages[i] && keeli_writes_are_seen(view->storages[i]);
    return any;
}

static keeli_iterator *iterator_begin(keeli_view *view, const keeli_plan *like, bool wants_entities,
                                      bool writes, bool forwards);

// Clears the columns that another view has set. Iterators over one view set the same columns, so
// the caller skips this if the state was used for the same view before.
static void clear_chunks(keeli_iterator *it, const keeli_view *view) {
    it->cleared_for = view->holder.serial;
    memset(it->chunk.columns, 0, view->term_count * sizeof *it->chunk.columns);
    memset(it->span.columns, 0, view->term_count * sizeof *it->span.columns);
}

// Lists the entities that the view would visit forwards, in reverse order.
static bool list_backwards(keeli_iterator *it) {
    keeli_handle_list *list = &it->reversed;
    keeli_iterator *forwards = iterator_begin(it->view, NULL, true, false, true);
    if (keeli_view_collect(forwards, list) < 0)
        return false;
    for (uint32_t i = 0, k = list->count; i + 1 < k; ++i) {
        const keel_entity first = list->items[i];
        list->items[i] = list->items[--k];
        list->items[k] = first;
    }
    it->handles = list->items;
    it->handle_count = list->count;
    return true;
}

// Returns the plan of a view with KEEL_AMONG or KEEL_BACKWARDS; NULL when out of memory (reported).
// `forwards`: KEEL_BACKWARDS is ignored.
static const keeli_plan *listed_plan(keeli_iterator *it, bool forwards) {
    const keeli_view *view = it->view;
    const bool is_backwards = view->facts.is_backwards && !forwards;
    it->handles = view->facts.among;
    it->handle_count = view->facts.among_count;
    if (is_backwards && !list_backwards(it))
        return NULL;
    if (!is_backwards && !it->handles)
        return keeli_plan_get(view, &it->own_plan);
    return keeli_plan_make(&it->own_plan, view, true) ? &it->own_plan : NULL;
}

// Begins to iterate. `like`: the plan of another iterator over the view, which is used as it is, or
// NULL. `forwards`: KEEL_BACKWARDS is ignored. NULL when out of memory (reported).
static keeli_iterator *iterator_begin(keeli_view *view, const keeli_plan *like, bool wants_entities,
                                      bool writes, bool forwards) {
    keeli_iterator *it = iterator_acquire(view);
    if (!it)
        return NULL;
    it->wants_entities = wants_entities;
    it->writes = writes;
    if (like)
        it->plan = like;
    else if (view->facts.is_listed)
        it->plan = listed_plan(it, forwards);
    else
        it->plan = keeli_plan_get(view, &it->own_plan);

    const bool is_marked = any_is_marked(view);
    it->levels = NULL;
    bool is_ready = it->plan && keeli_marks_begin(it, is_marked);
    if (is_ready && it->plan->scan == KEELI_SCAN_LEVELS && !like)
        is_ready = keeli_levels_begin(it);
    if (!is_ready) {
        KEELI_RELEASE(&view->world->heap, &it->reversed);
        iterator_release(it);
        return NULL;
    }

    it->visited = 0;
    keeli_iterator_rewind(it);
    it->chunk.words = it->span.words = NULL;
    it->chunk.entities = it->span.entities = NULL;
    if (it->cleared_for != view->holder.serial)
        clear_chunks(it, view);

    // Only edits through the view and marks read `iterating`.
    it->counts = view->facts.edits || is_marked;
    if (it->counts)
        count_in(it, 1);
    it->kept = NULL;
    return it;
}

keeli_iterator *keeli_iterator_begin(keeli_view *view) {
    keeli_iterator *it =
        iterator_begin(view, NULL, view->facts.wants_entities, view->facts.writes, false);
    if (it)
        keeli_kept_lists_begin(it);
    return it;
}

keeli_iterator *keeli_iterator_begin_like(const keeli_iterator *other) {
    keeli_iterator *it =
        iterator_begin(other->view, other->plan, other->wants_entities, other->writes, true);
    if (!it)
        return NULL;
    it->handles = other->handles;
    it->handle_count = other->handle_count;
    keeli_levels_share(it, other);
    return it;
}

keeli_iterator *keeli_iterator_begin_to_look(keeli_view *view, bool wants_entities) {
    return iterator_begin(view, NULL, wants_entities, false, false);
}

void keeli_iterator_end(keeli_iterator *it) {
    keeli_marks_end(it);
    keeli_kept_lists_end(it);
    if (it->counts)
        count_in(it, -1);
    if (it->reversed.items)
        KEELI_RELEASE(&it->view->world->heap, &it->reversed);
    iterator_release(it);
}

static bool is_live_over(const keeli_iterator *it, const keeli_view *view) {
    return it->serial && it->view == view && it->serial_of_view == view->holder.serial;
}

// Returns a live iterator over the view, or NULL.
static keeli_iterator *live_of(const keeli_view *view) {
    keeli_world_lock(view->world);
    keeli_iterator *it = view->world->views.iterators;
    while (it && !is_live_over(it, view))
        it = it->next;
    keeli_world_unlock(view->world);
    return it;
}

void keeli_iterators_end_of(keeli_view *view) {
    for (keeli_iterator *it; (it = live_of(view)) != NULL;)
        keeli_iterator_end(it);
}

void keeli_iterators_deinit(keel_world *world) {
    for (keeli_iterator *it = world->views.iterators, *next; it; it = next) {
        next = it->next;
        keeli_free(&world->heap, it->flags, (size_t)it->flag_terms * KEELI_MASK_SLOTS, 1);
        KEELI_RELEASE(&world->heap, &it->room_of_nearest);
        KEELI_RELEASE(&world->heap, &it->room_of_changed);
        KEELI_FREE(&world->heap, keeli_iterator, it);
    }
    world->views.iterators = NULL;
    keeli_levels_trim(world);
}

// Scans a list of handles, and skips entities that are not alive. False at the end.
static bool scan_handles(keeli_iterator *it) {
    const keeli_entity_index *entities = &it->view->world->entities;
    while (it->at < it->end) {
        uint32_t count = 0;
        it->highest = 0;
        for (; count < KEELI_BLOCK && it->at < it->end; ++it->at) {
            const keel_entity e = it->handles[it->at];
            if (!keeli_entity_is_alive(entities, e))
                continue;
            it->candidates[count] = keeli_index_of(e);
            if (it->candidates[count] > it->highest)
                it->highest = it->candidates[count];
            ++count;
        }
        if (keeli_gather(it, count))
            return true;
    }
    return false;
}

bool keeli_scan_next(keeli_iterator *it) {
    it->who = KEELI_WHO_LIST; // scans that find a span or a mask overwrite this
    switch (it->plan->scan) {
    case KEELI_SCAN_SET:
    case KEELI_SCAN_GROUP:
        return keeli_scan_set(it);
    case KEELI_SCAN_ROWS:
        return keeli_scan_rows(it);
    case KEELI_SCAN_CHANGES:
        return keeli_scan_changes(it);
    case KEELI_SCAN_HANDLES:
        return scan_handles(it);
    case KEELI_SCAN_LEVELS:
        return keeli_scan_levels(it);
    case KEELI_SCAN_SOURCES:
        return keeli_scan_sources(it);
    default:
        return keeli_scan_bits(it);
    }
}

bool keeli_iterator_scan(keeli_iterator *it) {
    if (it->done)
        return false;
    return it->kept ? keeli_kept_lists_scan(it) : keeli_scan_next(it);
}

const keel_chunk *keeli_iterator_advance(keeli_iterator *it) {
    keeli_mark_chunk(it);
    it->span_at = 0;
    it->done = !keeli_iterator_scan(it);
    it->has_chunk = !it->done;
    if (it->mark_count)
        keeli_marks_hand_out(it);
    return it->done ? NULL : &it->chunk;
}

uint32_t keeli_chunk_count(const keel_chunk *chunk) {
    if (chunk->form != KEEL_CHUNK_MASK)
        return chunk->count;
    uint32_t count = 0;
    for (uint32_t w = 0; w < (chunk->count + 63) / 64; ++w)
        count += (uint32_t)__builtin_popcountll(chunk->words[w]);
    return count;
}

// ------------------------------------------------------------------ spans out of lists and masks
// Returns the number of values of a list's column, from `from` on, that lie side by side, or that
// are all absent.
static uint32_t list_range(const keel_chunk_column *column, uint32_t from, uint32_t count) {
    const uint32_t first = column->index[from], step = first != UINT32_MAX;
    uint32_t n = 1;
    while (from + n < count && column->index[from + n] == first + n * step &&
           (first + n * step) >> column->shift == first >> column->shift)
        ++n;
    return n;
}

// Returns the slot of the next bit that is set (or clear) from `from` on; the end if there is none.
static uint32_t next_slot(const keel_chunk *mask, uint32_t from, bool set) {
    while (from < mask->count) {
        const uint64_t word = set ? mask->words[from / 64] : ~mask->words[from / 64];
        const uint64_t bits = word >> (from % 64);
        if (bits)
            return keeli_least(from + (uint32_t)__builtin_ctzll(bits), mask->count);
        from = (from / 64 + 1) * 64;
    }
    return mask->count;
}

// Returns the value of item `i` (of a mask: slot `i`) in a column; NULL if it is absent.
static void *chunk_value(const keel_chunk *chunk, const keeli_plan_column *planned, uint32_t i) {
    const keel_chunk_column *column = &chunk->columns[planned->term];
    if (chunk->form == KEEL_CHUNK_MASK)
        return column->base ? (char *)column->base + (size_t)i * planned->storage->size : NULL;
    const uint32_t place = column->index[i], mask = ((uint32_t)1 << column->shift) - 1;
    if (place == UINT32_MAX)
        return NULL;
    char *page = column->pages[place >> column->shift];
    return page + (size_t)(place & mask) * planned->storage->size;
}

// Returns the end of the span that begins at `from`, of a chunk that is a mask or a list.
static uint32_t span_end(const keeli_iterator *it, uint32_t from) {
    const keel_chunk *chunk = &it->chunk;
    const keeli_plan *plan = it->plan;
    if (chunk->form == KEEL_CHUNK_MASK)
        return next_slot(chunk, from, false);
    uint32_t count = chunk->count - from;
    for (uint32_t c = 0; c < plan->column_count; ++c)
        count = keeli_least(count,
                            list_range(&chunk->columns[plan->columns[c].term], from, chunk->count));
    return from + count;
}

// Sets it->span to the next span of it->chunk, which is a mask or a list. False if the whole chunk
// was handed out.
static bool cut(keeli_iterator *it) {
    const keel_chunk *chunk = &it->chunk;
    const keeli_plan *plan = it->plan;
    const bool is_mask = chunk->form == KEEL_CHUNK_MASK;
    const uint32_t from = is_mask ? next_slot(chunk, it->span_at, true) : it->span_at;
    if (from == chunk->count)
        return false;

    const uint32_t end = span_end(it, from);
    for (uint32_t c = 0; c < plan->column_count; ++c)
        it->span.columns[plan->columns[c].term].base = chunk_value(chunk, &plan->columns[c], from);
    for (uint32_t m = 0; m < it->mark_count; ++m) {
        const uint32_t t = it->marks[m].term;
        bool *marked = chunk->columns[t].marked;
        it->span.columns[t].marked = marked ? marked + from : NULL;
    }
    it->span.count = end - from;
    it->span.entities = chunk->entities ? chunk->entities + from : NULL;
    it->span_at = end;
    return true;
}

const keel_chunk *keeli_iterator_advance_span(keeli_iterator *it) {
    it->span.form = KEEL_CHUNK_SPAN;
    for (;;) {
        if (it->span_at && it->span_at < it->chunk.count && cut(it))
            return &it->span;
        if (!keeli_iterator_advance(it))
            return NULL;
        if (it->chunk.form == KEEL_CHUNK_SPAN)
            return &it->chunk;
        if (cut(it))
            return &it->span;
    }
}

// ------------------------------------------------------------------ pieces
uint32_t keeli_grain(uint32_t range) {
    const uint32_t few = (range + KEELI_PIECES_OF_FEW - 1) / KEELI_PIECES_OF_FEW;
    if (few < 64)
        return few ? few : 1;
    return keeli_least((range / KEELI_PIECES + 63) / 64 * 64, KEELI_GRAIN_MOST);
}

static bool add_piece(keeli_pieces *p, keeli_heap *heap, keeli_piece piece) {
    if (!KEELI_RESERVE(heap, &p->list, 1))
        return false;
    *KEELI_APPEND(&p->list) = piece;
    return true;
}

static bool cut_range(keeli_pieces *p, keeli_heap *heap, uint32_t range) {
    const uint32_t grain = keeli_grain(range);
    for (uint32_t at = 0; at < range; at += keeli_least(grain, range - at))
        if (!add_piece(p, heap, (keeli_piece){ at, at + keeli_least(grain, range - at), 0, 0 }))
            return false;
    return true;
}

// Cuts rows into pieces: many small archetypes make one piece, a large archetype makes several.
static bool cut_rows(keeli_pieces *p, keeli_heap *heap, const keeli_match *match, uint32_t range) {
    const uint32_t grain = keeli_grain(range);
    keeli_piece piece = { 0 };
    for (uint32_t m = 0; m < match->list.count; ++m) {
        const keeli_archetype *a = match->list.items[m];
        if (!a->row_count)
            continue;
        for (uint32_t b = 0; b < a->block_count; ++b) {
            const uint32_t rows = a->blocks[b]->count;
            for (uint32_t at = 0; at < rows;) {
                if (piece.end == 0)
                    piece = (keeli_piece){ at, 0, m, b };
                const uint32_t count = keeli_least(grain - piece.end, rows - at);
                piece.end += count;
                at += count;
                if (piece.end < grain)
                    continue;
                if (!add_piece(p, heap, piece))
                    return false;
                piece.end = 0;
            }
        }
    }
    return piece.end == 0 || add_piece(p, heap, piece);
}

// True if the iteration is not cut into pieces. A log of changes is short. A list of handles may
// contain an entity twice, which two threads must not visit at once. A chain of sources can only be
// followed from its start.
static bool is_one_piece(const keeli_iterator *it) {
    return it->plan->scan == KEELI_SCAN_CHANGES || it->plan->scan == KEELI_SCAN_HANDLES ||
           (it->plan->scan == KEELI_SCAN_SOURCES && it->plan->related->relation->edges.is_chained);
}

// A range of presence bits consists of whole pages. If there is only one page, the range ends
// behind its last set bit.
uint32_t keeli_iterator_range(const keeli_iterator *it) {
    if (it->done)
        return 0;
    if (is_one_piece(it))
        return 1;
    if (it->plan->scan == KEELI_SCAN_ROWS) {
        const keeli_match *match = it->plan->match;
        uint32_t rows = 0;
        for (uint32_t m = 0; m < match->list.count; ++m)
            rows += match->list.items[m]->row_count;
        return rows;
    }
    if (it->plan->scan == KEELI_SCAN_LEVELS)
        return keeli_levels_range(it, scan_end(it));
    const bool has_bits = it->plan->scan == KEELI_SCAN_BITS || it->plan->united;
    if (!has_bits || it->end != KEELI_MASK_SLOTS)
        return it->end;
    uint64_t room[KEELI_PAGE_WORDS];
    const uint64_t *words = keeli_leading_words(it, 0, room);
    const uint32_t used = keeli_used_words(words);
    return used ? used * 64 - (uint32_t)__builtin_clzll(words[used - 1]) : 0;
}

bool keeli_pieces_make(keeli_pieces *pieces, const keeli_iterator *it, uint32_t range) {
    keeli_heap *heap = &it->view->world->heap;
    pieces->list.count = 0;
    if (!range)
        return true;
    if (it->plan->scan == KEELI_SCAN_ROWS)
        return cut_rows(pieces, heap, it->plan->match, range);
    if (is_one_piece(it))
        return add_piece(pieces, heap, (keeli_piece){ 0 });
    if (it->plan->scan == KEELI_SCAN_LEVELS)
        return keeli_levels_cut(pieces, it, scan_end(it));
    return cut_range(pieces, heap, range);
}

void keeli_iterator_aim(keeli_iterator *it, const keeli_piece *piece) {
    keeli_mark_left(it);
    keeli_kept_lists_end(it);
    it->marks_all = false;
    it->done = false;
    it->span_at = 0;
    it->chunk.count = 0;
    if (is_one_piece(it)) {
        keeli_iterator_rewind(it);
        return;
    }
    it->at = piece->at;
    if (it->plan->scan == KEELI_SCAN_ROWS) {
        it->match_at = piece->match_at;
        it->block_at = piece->block_at;
        it->rows_left = piece->end;
        return;
    }
    it->end = piece->end;
    it->from = it->words_end = piece->at;
    it->next_page = piece->at / KEELI_MASK_SLOTS;
    it->range_misses = it->range_pause = 0; // chunks depend on the piece alone
    if (it->plan->scan == KEELI_SCAN_LEVELS)
        keeli_levels_aim(it, piece);
}

// ------------------------------------------------------------------ public
static keeli_iterator *state_of(const keel_iterator *handle) {
    if (!handle || !handle->state)
        return NULL;
    return handle->state->serial == handle->serial ? handle->state : NULL;
}

keel_result keel_iterator_begin(keel_iterator *iterator, const keel_view *view) {
    if (!iterator && view && view->world)
        return keeli_misuse(view->world, KEEL_ERROR_ARGUMENT,
                            "keel_iterator_begin needs a place for the iterator, but it is NULL");
    if (!iterator)
        return keeli_no_world();
    keeli_view *state = keeli_view_of(view);
    *iterator = (keel_iterator){ 0 };
    if (!state)
        return keeli_view_is_closed(view);
    keeli_iterator *it = keeli_iterator_begin(state);
    if (!it)
        return KEEL_ERROR_MEMORY;
    *iterator = (keel_iterator){ it, state->world, it->serial };
    return KEEL_OK;
}

void keeli_iterator_visited(keel_iterator *iterator, uint32_t count) {
    keeli_iterator *it = state_of(iterator);
    if (it)
        it->visited = count;
}

void keel_iterator_end(keel_iterator *iterator) {
    keeli_iterator *it = state_of(iterator);
    if (iterator)
        iterator->state = NULL;
    if (it)
        keeli_iterator_end(it);
}

const keel_chunk *keel_iterator_next(keel_iterator *iterator) {
    keeli_iterator *it = state_of(iterator);
    const keel_chunk *chunk = it ? keeli_iterator_advance(it) : NULL;
    if (!chunk)
        keel_iterator_end(iterator);
    return chunk;
}

bool keel_iterator_next_span(keel_iterator *iterator, keel_span *span) {
    keeli_iterator *it = state_of(iterator);
    if (it && !span) {
        (void)keeli_misuse(iterator->world, KEEL_ERROR_ARGUMENT,
                           "keel_iterator_next_span needs a span to write to");
        return false;
    }
    const keel_chunk *chunk = it ? keeli_iterator_advance_span(it) : NULL;
    if (!chunk) {
        keel_iterator_end(iterator);
        return false;
    }
    *span = (keel_span){ chunk->count, chunk->entities, chunk, it->view };
    return true;
}
