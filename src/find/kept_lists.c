// SPDX-License-Identifier: MIT
// Kept lists: a cache of the chunks that a system's iteration gathered. Later runs hand out the
// same chunks, as long as no value was added, removed or moved. The cache exists because finding
// the values of entities whose components lie in different orders costs more than most loops over
// them. This does not gather: iterate.c calls it before it would call the plan's scan.
//
// A run that finds its storages unchanged since the run before writes its chunks to the lists;
// later runs read them. place_key has the counters that show a change. All lists of a world
// together may use a quarter of its memory; keel_world_trim frees them.
#include "find/iterate.h"
#include "world/storage.h"

#include <string.h>

#if defined(KEELI_VALIDATE) && KEELI_VALIDATE
enum { FEWEST = 1 }; // so that all tests use kept lists
#else
enum { FEWEST = 1024 }; // fewest candidates of a plan for which lists save time
#endif
enum { SHARE = 4 }; // the lists may use one part in SHARE of the world's memory

// Counters of a storage. While they are the same, each value of the storage is at the same place.
typedef struct place_key {
    uint64_t cleared, moves, count; // compared as bytes: there is no padding
} place_key;

typedef struct kept_column {
    void *base;  // the first value if the values lie side by side; otherwise their only page; NULL:
                 // values are on several pages
    uint32_t at; // position of the values' places in `numbers`; UINT32_MAX: the values lie side by
                 // side
} kept_column;

typedef struct kept_chunk {
    keel_chunk_form form; // a span or a list
    uint32_t count;
    const keel_entity *entities; // handles; NULL: not wanted, or only indices are stored
    uint32_t at;                 // if only indices are stored: their position in `numbers`
} kept_chunk;

struct keeli_kept_lists {
    keel_world *world;
    struct keeli_kept_lists *next; // the next lists of the world
    bool is_complete;              // a run has written all its chunks: later runs read them
    bool is_given_up;              // not written again until the storages have changed
    keeli_scan scan;               // `scan` of the plan at the last run
    const keeli_storage *leader;   // `leader` of that plan
    uint64_t row_moves;            // `moves` of the archetypes at the last run; 0: no rows are used
    size_t bytes;                  // memory of the three arrays, counted in world->views.kept_bytes
    KEELI_ARRAY(kept_chunk) chunks;
    KEELI_ARRAY(kept_column) columns; // columns of the plan, for each chunk
    KEELI_ARRAY(uint32_t) numbers;    // places of values and indices of entities
    uint32_t key_count;
    place_key keys[]; // by storage of the view: counters at the last run
};

// ------------------------------------------------------------------ states
// Frees the chunks, so that the lists can be written again.
static void clear_lists(keeli_kept_lists *lists) {
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

static size_t lists_bytes(uint32_t keys) {
    return sizeof(keeli_kept_lists) + keys * sizeof(place_key);
}

void keeli_kept_lists_free(keeli_kept_lists *lists) {
    if (!lists)
        return;
    keel_world *world = lists->world;
    clear_lists(lists);
    keeli_world_lock(world);
    keeli_kept_lists **at = &world->views.kept_lists;
    while (*at != lists)
        at = &(*at)->next;
    *at = lists->next;
    keeli_world_unlock(world);
    keeli_free(&world->heap, lists, lists_bytes(lists->key_count), _Alignof(keeli_kept_lists));
}

void keeli_kept_lists_trim(keel_world *world) {
    for (keeli_kept_lists *lists = world->views.kept_lists; lists; lists = lists->next)
        clear_lists(lists);
}

static keeli_kept_lists *new_lists(const keeli_view *view) {
    keel_world *world = view->world;
    keeli_kept_lists *lists = keeli_new_zeroed(&world->heap, lists_bytes(view->storage_count),
                                               _Alignof(keeli_kept_lists));
    if (!lists)
        return NULL;
    lists->world = world;
    lists->key_count = view->storage_count;
    keeli_world_lock(world);
    lists->next = world->views.kept_lists;
    world->views.kept_lists = lists;
    keeli_world_unlock(world);
    return lists;
}

// ------------------------------------------------------------------ is the cache valid?
// Returns the counters of a storage. Returns zeros for a storage that the view does not iterate
// over: other threads may be changing the counters if the view only declares access or commands.
static place_key place_key_of(const keeli_storage *s, keel_term_kind kind) {
    place_key key;
    memset(&key, 0, sizeof key);
    if (!s || !keeli_term_is_walked(kind))
        return key;
    key.cleared = s->presence.cleared;
    key.moves = s->set.moves;
    key.count = s->presence.count;
    return key;
}

// Stores the counters of the view's storages in the lists. True if they are the same as before.
static bool update_keys(keeli_kept_lists *lists, const keeli_iterator *it) {
    const keeli_view *view = it->view;
    const uint64_t row_moves = it->plan->has_rows ? view->world->archetypes.moves : 0;
    bool is_same = lists->scan == it->plan->scan && lists->leader == it->plan->leader &&
                   lists->row_moves == row_moves;
    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keeli_bound_term *term = &view->terms[t];
        for (uint32_t i = term->first; i < term->first + term->count; ++i) {
            const place_key key = place_key_of(view->storages[i], term->kind);
            is_same &= memcmp(&key, &lists->keys[i], sizeof key) == 0;
            lists->keys[i] = key;
        }
    }
    lists->scan = it->plan->scan;
    lists->leader = it->plan->leader;
    lists->row_moves = row_moves;
    return is_same;
}

// True if chunks of the plan are costly to find, and kept lists can store them.
static bool may_keep(const keeli_iterator *it) {
    const keeli_plan *plan = it->plan;
    const bool has_kept_plan = it->view->kept && plan == &it->view->kept->plan;
    if (!has_kept_plan || it->view->facts.edits)
        return false;
    if (plan->has_maybe || plan->has_through || !plan->column_count)
        return false;

    const bool is_filtered = plan->need_count || plan->without_count || plan->any_count;
    if (plan->scan == KEELI_SCAN_SET)
        return is_filtered;
    if (plan->scan == KEELI_SCAN_BITS || plan->united)
        return !plan->has_masks;
    return plan->scan == KEELI_SCAN_ROWS && !plan->only_rows;
}

// Stamps all written storages as a whole for snapshots, since kept chunks do not store the entities
// that stamps of single blocks need. This costs little precision: an iteration that visits one in
// 16 values, scattered, writes to 98 % of the blocks of 64. False if the iteration visits fewer
// values, or if it must also mark modifications.
static bool stamp_all(keeli_iterator *it, uint64_t touches) {
    enum { SCATTERED = KEELI_SIZE(16, 2) };
    for (uint32_t m = 0; m < it->mark_count; ++m) {
        const keeli_mark *mark = &it->marks[m];
        if (mark->is_tracked || mark->by_hand || it->plan->change_count)
            return false;
        if (touches * SCATTERED < keeli_store_count(mark->storage))
            return false;
    }
    for (uint32_t m = 0; m < it->mark_count; ++m)
        keeli_atomic_put(&it->marks[m].storage->stamps.all, it->view->world->epoch);
    it->mark_count = 0;
    return true;
}

void keeli_kept_lists_begin(keeli_iterator *it) {
    it->kept = NULL;
    if (!may_keep(it))
        return;
    const uint64_t touches = keeli_plan_touches(it->plan, it->view);
    if (touches < FEWEST || !stamp_all(it, touches))
        return;

    keeli_kept_plan *owner = it->view->kept;
    if (!owner->lists)
        owner->lists = new_lists(it->view);
    keeli_kept_lists *lists = owner->lists;
    if (!lists)
        return;

    if (!update_keys(lists, it))
        clear_lists(lists);
    else if (!lists->is_given_up)
        it->kept = lists;
    it->kept_at = 0;
}

// ------------------------------------------------------------------ writing chunks
// Frees the chunks, and stops writing lists until the storages have changed. Returns false.
static bool stop_writing(keeli_kept_lists *lists) {
    clear_lists(lists);
    lists->is_given_up = true;
    return false;
}

// Allocates room for one more chunk. False, after giving up, when out of memory, or if the lists of
// the world use more than their share.
static bool reserve_chunk(keeli_kept_lists *lists, uint32_t columns, uint32_t numbers) {
    keel_world *world = lists->world;
    keeli_heap *heap = &world->heap;
    if (!KEELI_RESERVE(heap, &lists->chunks, 1) || !KEELI_RESERVE(heap, &lists->columns, columns) ||
        !KEELI_RESERVE(heap, &lists->numbers, numbers))
        return stop_writing(lists);
    const size_t bytes = lists->chunks.capacity * sizeof(kept_chunk) +
                         lists->columns.capacity * sizeof(kept_column) +
                         lists->numbers.capacity * sizeof(uint32_t);
    if (bytes == lists->bytes)
        return true;

    keeli_world_lock(world);
    world->views.kept_bytes += bytes - lists->bytes;
    const bool is_too_much = world->views.kept_bytes > keeli_atomic_peek(&heap->live) / SHARE;
    keeli_world_unlock(world);
    lists->bytes = bytes;
    return !is_too_much || stop_writing(lists);
}

static uint32_t put_numbers(keeli_kept_lists *lists, const uint32_t *numbers, uint32_t count) {
    const uint32_t at = lists->numbers.count;
    memcpy(lists->numbers.items + at, numbers, count * sizeof *numbers);
    lists->numbers.count += count;
    return at;
}

static kept_column column_of(keeli_kept_lists *lists, const keel_chunk_column *column,
                             const keeli_storage *s, const keel_chunk *chunk) {
    if (chunk->form == KEEL_CHUNK_SPAN)
        return (kept_column){ column->base, UINT32_MAX };
    if (column->base && keeli_is_range(column->index, chunk->count))
        return (kept_column){ (char *)column->base + (size_t)column->index[0] * s->size,
                              UINT32_MAX };
    return (kept_column){ column->base, put_numbers(lists, column->index, chunk->count) };
}

// True if the chunk is a span whose values begin where those of the last chunk end.
static bool continues_last(const keeli_kept_lists *lists, const keeli_iterator *it) {
    const keel_chunk *chunk = &it->chunk;
    if (!lists->chunks.count || chunk->form != KEEL_CHUNK_SPAN)
        return false;
    const kept_chunk *last = &lists->chunks.items[lists->chunks.count - 1];
    const uint32_t columns = it->plan->column_count;
    const kept_column *column = &lists->columns.items[lists->columns.count - columns];
    if (last->form != KEEL_CHUNK_SPAN)
        return false;

    if (chunk->entities && (!last->entities || chunk->entities != last->entities + last->count))
        return false;
    for (uint32_t c = 0; c < columns; ++c) {
        const keeli_plan_column *planned = &it->plan->columns[c];
        const size_t bytes = (size_t)last->count * planned->storage->size;
        if (it->chunk.columns[planned->term].base != (char *)column[c].base + bytes)
            return false;
    }
    return true;
}

// Appends the iterator's chunk to the lists; false if the lists are given up.
static bool write_chunk(keeli_kept_lists *lists, const keeli_iterator *it) {
    const keel_chunk *chunk = &it->chunk;
    const uint32_t columns = it->plan->column_count;
    if (chunk->form == KEEL_CHUNK_MASK)
        return stop_writing(lists);
    if (continues_last(lists, it)) {
        lists->chunks.items[lists->chunks.count - 1].count += chunk->count;
        return true;
    }
    if (!reserve_chunk(lists, columns, (columns + 1) * chunk->count))
        return false;

    kept_chunk kept = { chunk->form, chunk->count, chunk->entities, 0 };
    if (chunk->entities == it->entities) { // the iterator's own memory: keep the indices instead
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

// ------------------------------------------------------------------ reading chunks
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
    if (it->kept_at == lists->chunks.count)
        return false;

    const kept_chunk *kept = &lists->chunks.items[it->kept_at];
    const kept_column *column = &lists->columns.items[(size_t)it->kept_at * columns];
    it->chunk.form = kept->form;
    it->chunk.count = kept->count;
    for (uint32_t c = 0; c < columns; ++c)
        read_column(it, &it->plan->columns[c], &column[c]);
    ++it->kept_at;
    if (!it->wants_entities)
        return true;

    it->chunk.entities = kept->entities;
    if (kept->entities)
        return true;
    it->chunk.entities = it->entities;
    for (uint32_t i = 0; i < kept->count; ++i)
        it->entities[i] =
            keeli_entity_at(&it->view->world->entities, lists->numbers.items[kept->at + i]);
    return true;
}

bool keeli_kept_lists_scan(keeli_iterator *it) {
    keeli_kept_lists *lists = it->kept;
    if (lists->is_complete)
        return read_next(it);
    if (!keeli_scan_next(it)) {
        lists->is_complete = true;
        it->kept_at = lists->chunks.count;
        return false;
    }
    if (!write_chunk(lists, it))
        it->kept = NULL;
    return true;
}

void keeli_kept_lists_end(keeli_iterator *it) {
    if (it->kept && !it->kept->is_complete)
        clear_lists(it->kept); // the loop was left early
    it->kept = NULL;
}
