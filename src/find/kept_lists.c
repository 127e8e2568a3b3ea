// SPDX-License-Identifier: MIT
// What an earlier run of a system gathered, handed out again while nothing has moved: finding the
// values of entities whose components lie in different orders costs more than most loops over them.
//
// A run whose storages are as they were in the run before writes its chunks down; the next ones
// read them. Whether storages are as they were tell the counters that go up when an entity loses a
// component or a value gets another place. Together the lists of a world take at most a quarter of
// its memory, and keel_world_trim gives them back.
#include "find/iterate.h"
#include "world/storage.h"

#include <string.h>

#if defined(KEELI_VALIDATE) && KEELI_VALIDATE
enum { FEWEST = 1 }; // so that all tests try it
#else
enum { FEWEST = 1024 }; // candidates; with fewer it does not pay
#endif
enum { SHARE = 4 }; // of the world's memory

// What the places of the values of one storage depend on.
typedef struct place_key {
    uint64_t cleared, moves, count; // compared byte by byte: no padding
} place_key;

typedef struct kept_column {
    void *base;  // of the only page, or of the first value; NULL: values on several pages
    uint32_t at; // in `numbers`; UINT32_MAX: the values lie side by side
} kept_column;

typedef struct kept_chunk {
    keel_chunk_form form; // a span or a list
    uint32_t count;
    const keel_entity *entities; // NULL: not wanted, or `numbers` has their indices
    uint32_t at;                 // there
} kept_chunk;

struct keeli_kept_lists {
    keel_world *world;
    struct keeli_kept_lists *next; // of the world
    bool is_complete, is_given_up;
    keeli_scan scan; // the plan's
    const keeli_storage *leader;
    uint64_t row_moves;
    size_t bytes;
    KEELI_ARRAY(kept_chunk) chunks;
    KEELI_ARRAY(kept_column) columns; // as many for each chunk as the plan has
    KEELI_ARRAY(uint32_t) numbers;
    uint32_t key_count;
    place_key keys[];
};

// ------------------------------------------------------------------ states
static void forget(keeli_kept_lists *lists) {
    keeli_heap *heap = &lists->world->heap;
    KEELI_RELEASE(heap, &lists->chunks);
    KEELI_RELEASE(heap, &lists->columns);
    KEELI_RELEASE(heap, &lists->numbers);
    keeli_world_lock(lists->world);
    lists->world->views.kept_bytes -= lists->bytes;
    keeli_world_unlock(lists->world);
    lists->bytes = 0;
    lists->is_complete = lists->is_given_up = false;
}

static size_t size_of(uint32_t keys) { return sizeof(keeli_kept_lists) + keys * sizeof(place_key); }

void keeli_kept_lists_free(keeli_kept_lists *lists) {
    if (!lists) return;
    keel_world *world = lists->world;
    forget(lists);
    keeli_world_lock(world);
    keeli_kept_lists **at = &world->views.kept_lists;
    while (*at != lists)
        at = &(*at)->next;
    *at = lists->next;
    keeli_world_unlock(world);
    keeli_free(&world->heap, lists, size_of(lists->key_count), _Alignof(keeli_kept_lists));
}

void keeli_kept_lists_trim(keel_world *world) {
    for (keeli_kept_lists *lists = world->views.kept_lists; lists; lists = lists->next)
        forget(lists);
}

static keeli_kept_lists *new_lists(const keeli_view *view) {
    keel_world *world = view->world;
    keeli_kept_lists *lists =
        keeli_new_zeroed(&world->heap, size_of(view->storage_count), _Alignof(keeli_kept_lists));
    if (!lists) return NULL;
    lists->world = world;
    lists->key_count = view->storage_count;
    keeli_world_lock(world);
    lists->next = world->views.kept_lists;
    world->views.kept_lists = lists;
    keeli_world_unlock(world);
    return lists;
}

// ------------------------------------------------------------------ is everything as it was?
// Of what a view only borrows or has commands for, nothing: others may be at work there.
static place_key key_of(const keeli_storage *s, keel_term_kind kind) {
    place_key key;
    memset(&key, 0, sizeof key);
    if (!s || !keeli_term_is_walked(kind)) return key;
    key.cleared = s->presence.cleared;
    key.moves = s->set.moves;
    key.count = s->presence.count;
    return key;
}

// And note how it is.
static bool is_unchanged(keeli_kept_lists *lists, const keeli_iterator *it) {
    const keeli_view *view = it->view;
    const uint64_t row_moves = it->plan->has_rows ? view->world->archetypes.moves : 0;
    bool is_same = lists->scan == it->plan->scan && lists->leader == it->plan->leader &&
                   lists->row_moves == row_moves;
    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keeli_bound_term *term = &view->terms[t];
        for (uint32_t i = term->first; i < term->first + term->count; ++i) {
            const place_key key = key_of(view->storages[i], term->kind);
            is_same &= memcmp(&key, &lists->keys[i], sizeof key) == 0;
            lists->keys[i] = key;
        }
    }
    lists->scan = it->plan->scan;
    lists->leader = it->plan->leader;
    lists->row_moves = row_moves;
    return is_same;
}

// Does it pay, and can all that is handed out be written down?
static bool may_keep(const keeli_iterator *it) {
    const keeli_plan *plan = it->plan;
    if (!it->view->kept || plan != &it->view->kept->plan || it->view->facts.edits ||
        plan->has_maybe || plan->has_through || !plan->column_count)
        return false;
    return (plan->scan == KEELI_SCAN_SET &&
            (plan->need_count || plan->without_count || plan->any_count)) ||
           ((plan->scan == KEELI_SCAN_BITS || plan->united) && !plan->has_masks) ||
           (plan->scan == KEELI_SCAN_ROWS && !plan->only_rows);
}

// A walk over lists that is stamped for snapshots, and no more than that. Of scattered values
// nearly every block has one where it visits one of 16 (98 %): then all of the storage is stamped
// at once, and no chunk has to say whose values it has. False: they do.
static bool stamp_all(keeli_iterator *it, uint64_t touches) {
    enum { SCATTERED = KEELI_SIZE(16, 2) };
    for (uint32_t m = 0; m < it->mark_count; ++m) {
        const keeli_mark *mark = &it->marks[m];
        if (mark->is_tracked || mark->by_hand || it->plan->change_count ||
            touches * SCATTERED < keeli_store_count(mark->storage))
            return false;
    }
    for (uint32_t m = 0; m < it->mark_count; ++m)
        keeli_atomic_put(&it->marks[m].storage->stamps.all, it->view->world->epoch);
    it->mark_count = 0;
    return true;
}

void keeli_kept_lists_begin(keeli_iterator *it) {
    it->kept = NULL;
    if (!may_keep(it)) return;
    const uint64_t touches = keeli_plan_touches(it->plan, it->view);
    if (touches < FEWEST || !stamp_all(it, touches)) return;
    keeli_kept_lists **lists = &it->view->kept->lists;
    if (!*lists && !(*lists = new_lists(it->view))) return;
    if (!is_unchanged(*lists, it)) forget(*lists);
    else if (!(*lists)->is_given_up) it->kept = *lists;
    it->kept_at = 0;
}

// ------------------------------------------------------------------ writing down
static bool give_up(keeli_kept_lists *lists) {
    forget(lists);
    lists->is_given_up = true;
    return false;
}

// Room for one more chunk of so many entities and columns.
static bool reserve(keeli_kept_lists *lists, uint32_t columns, uint32_t numbers) {
    keel_world *world = lists->world;
    keeli_heap *heap = &world->heap;
    if (!KEELI_RESERVE(heap, &lists->chunks, 1) || !KEELI_RESERVE(heap, &lists->columns, columns) ||
        !KEELI_RESERVE(heap, &lists->numbers, numbers))
        return give_up(lists);
    const size_t bytes = lists->chunks.capacity * sizeof(kept_chunk) +
                         lists->columns.capacity * sizeof(kept_column) +
                         lists->numbers.capacity * sizeof(uint32_t);
    if (bytes == lists->bytes) return true;
    keeli_world_lock(world);
    world->views.kept_bytes += bytes - lists->bytes;
    const bool is_too_much = world->views.kept_bytes > keeli_atomic_peek(&heap->live) / SHARE;
    keeli_world_unlock(world);
    lists->bytes = bytes;
    return !is_too_much || give_up(lists);
}

static uint32_t put_numbers(keeli_kept_lists *lists, const uint32_t *numbers, uint32_t count) {
    const uint32_t at = lists->numbers.count;
    memcpy(lists->numbers.items + at, numbers, count * sizeof *numbers);
    lists->numbers.count += count;
    return at;
}

static kept_column column_of(keeli_kept_lists *lists, const keel_chunk_column *column,
                             const keeli_storage *s, const keel_chunk *chunk) {
    if (chunk->form == KEEL_CHUNK_SPAN) return (kept_column){ column->base, UINT32_MAX };
    if (column->base && keeli_is_range(column->index, chunk->count))
        return (kept_column){ (char *)column->base + (size_t)column->index[0] * s->size,
                              UINT32_MAX };
    return (kept_column){ column->base, put_numbers(lists, column->index, chunk->count) };
}

// Do the values of a span go on where those of the last chunk end?
static bool goes_on(const keeli_kept_lists *lists, const keeli_iterator *it) {
    const keel_chunk *chunk = &it->chunk;
    if (!lists->chunks.count || chunk->form != KEEL_CHUNK_SPAN) return false;
    const kept_chunk *last = &lists->chunks.items[lists->chunks.count - 1];
    const uint32_t columns = it->plan->column_count;
    const kept_column *column = &lists->columns.items[lists->columns.count - columns];
    if (last->form != KEEL_CHUNK_SPAN) return false;
    if (chunk->entities && (!last->entities || chunk->entities != last->entities + last->count))
        return false;
    for (uint32_t c = 0; c < columns; ++c) {
        const keeli_plan_column *planned = &it->plan->columns[c];
        const size_t bytes = (size_t)last->count * planned->storage->size;
        if (it->chunk.columns[planned->term].base != (char *)column[c].base + bytes) return false;
    }
    return true;
}

static bool write_down(keeli_kept_lists *lists, const keeli_iterator *it) {
    const keel_chunk *chunk = &it->chunk;
    const uint32_t columns = it->plan->column_count;
    if (chunk->form == KEEL_CHUNK_MASK) return give_up(lists);
    if (goes_on(lists, it)) {
        lists->chunks.items[lists->chunks.count - 1].count += chunk->count;
        return true;
    }
    if (!reserve(lists, columns, (columns + 1) * chunk->count)) return false;
    kept_chunk kept = { chunk->form, chunk->count, chunk->entities, 0 };
    if (chunk->entities == it->entities) { // handles that are nowhere else: their indices
        kept.entities = NULL;
        kept.at = lists->numbers.count;
        for (uint32_t i = 0; i < chunk->count; ++i)
            *KEELI_APPEND(&lists->numbers) = keeli_index_of(chunk->entities[i]);
    }
    for (uint32_t c = 0; c < columns; ++c) {
        const keeli_plan_column *column = &it->plan->columns[c];
        *KEELI_APPEND(&lists->columns) =
            column_of(lists, &chunk->columns[column->term], column->storage, chunk);
    }
    *KEELI_APPEND(&lists->chunks) = kept;
    return true;
}

// ------------------------------------------------------------------ reading
static void read_column(keeli_iterator *it, const keeli_plan_column *planned,
                        const kept_column *column) {
    keel_chunk_column *out = &it->chunk.columns[planned->term];
    const struct keeli_set_root *root = planned->storage->root;
    const uint32_t *index =
        column->at == UINT32_MAX ? keeli_everybody : it->kept->numbers.items + column->at;
    if (!column->base) {
        *out = (keel_chunk_column){ NULL, root->pages, index, root->shift, NULL };
        return;
    }
    void **page = &it->flat[planned->term];
    *page = column->base;
    *out = (keel_chunk_column){ column->base, page, index, 31, NULL };
}

static bool read_next(keeli_iterator *it) {
    const keeli_kept_lists *lists = it->kept;
    const uint32_t columns = it->plan->column_count;
    if (it->kept_at == lists->chunks.count) return false;
    const kept_chunk *kept = &lists->chunks.items[it->kept_at];
    const kept_column *column = &lists->columns.items[(size_t)it->kept_at * columns];
    it->chunk.form = kept->form;
    it->chunk.count = kept->count;
    for (uint32_t c = 0; c < columns; ++c)
        read_column(it, &it->plan->columns[c], &column[c]);
    ++it->kept_at;
    if (!it->wants_entities) return true;
    it->chunk.entities = kept->entities ? kept->entities : it->entities;
    for (uint32_t i = 0; !kept->entities && i < kept->count; ++i)
        it->entities[i] =
            keeli_entity_at(&it->view->world->entities, lists->numbers.items[kept->at + i]);
    return true;
}

bool keeli_kept_lists_scan(keeli_iterator *it) {
    keeli_kept_lists *lists = it->kept;
    if (lists->is_complete) return read_next(it);
    if (!keeli_scan_next(it)) {
        lists->is_complete = true;
        it->kept_at = lists->chunks.count;
        return false;
    }
    if (!write_down(lists, it)) it->kept = NULL;
    return true;
}

void keeli_kept_lists_end(keeli_iterator *it) {
    if (it->kept && !it->kept->is_complete) forget(it->kept); // it was left early
    it->kept = NULL;
}
