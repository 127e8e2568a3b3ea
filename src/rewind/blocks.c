// SPDX-License-Identifier: MIT
// Copies plain values between a world and the image of a snapshot, but only blocks of 64 places
// that were written since the world and the image were the same (blocks.h describes the stamps).
// image.c calls it, and copies values with hooks and the bitmaps itself.
#include "rewind/blocks.h"

#include "follow/changes.h"
#include "rewind/journal.h"
#include "world/report.h"

#include <string.h>

// ------------------------------------------------------------------ stamps
// Returns the number of blocks that may have plain values.
static uint32_t blocks_of(const keel_world *world, const keeli_storage *s) {
    if (!s->size || s->flags & (KEELI_IS_UNIQUE | KEELI_IS_LINK))
        return 0;
    if (keeli_store_is_sparse(s))
        return s->set.count / 64 + 1;
    return keeli_store_has_rows(s) ? world->archetypes.block_count << (KEELI_ROW_SHIFT - 6)
                                   : s->presence.root.page_count * KEELI_PAGE_WORDS;
}

bool keeli_stamps_reserve(keel_world *world) {
    keeli_heap *heap = &world->heap;
    for (uint32_t i = 0; i < world->storages.count; ++i) {
        keeli_storage *s = world->storages.items[i];
        keeli_stamps *stamps = &s->stamps;
        const bool has_edges = s->relation && !keeli_store_has_sources(s);
        if (has_edges && !keeli_edges_reserve_stamps(&s->relation->edges, heap, &world->epoch))
            return false;
        const uint32_t need = blocks_of(world, s);
        if (need <= stamps->count)
            continue;

        const uint32_t count = need > stamps->count * 2 ? need : stamps->count * 2;
        uint32_t *items = keeli_new_zeroed(heap, count * sizeof *items, _Alignof(uint32_t));
        if (!items)
            return false;
        if (stamps->count)
            memcpy(items, stamps->items, stamps->count * sizeof *items);
        keeli_free(heap, stamps->items, stamps->count * sizeof *items, _Alignof(uint32_t));
        stamps->items = items;
        stamps->count = count;
    }
    return true;
}

void keeli_stamps_begin(keel_world *world) {
    if (!world->epoch)
        world->epoch = 1;
    for (uint32_t i = 0; i < world->storages.count; ++i) {
        keeli_storage *s = world->storages.items[i];
        // the take that begins now copies all values, and then raises the epoch
        if (!s->stamps.from)
            s->stamps.from = world->epoch + 1;
        if (s->stamps.count)
            s->flags |= KEELI_IS_STAMPED;
    }
}

void keeli_stamps_end(keel_world *world) {
    for (uint32_t i = 0; i < world->storages.count; ++i) {
        keeli_storage *s = world->storages.items[i];
        keeli_store_release_stamps(world, s);
        s->flags &= ~(uint32_t)KEELI_IS_STAMPED;
    }
}

void keeli_stamps_renew(keel_world *world, keel_world *image) {
    image->epoch = ++world->epoch;
    for (uint32_t i = 0; i < image->storages.count; ++i) {
        keeli_storage *t = image->storages.items[i];
        const keeli_storage *s = world->root.storages[t->slot];
        t->set.moves = s->set.moves;
        t->presence.cleared = s->presence.cleared;
        t->disabled.cleared = s->disabled.cleared;
        if (t->relation)
            t->relation->edges.edits = s->relation->edges.edits;
    }
    image->archetypes.moves = world->archetypes.moves;
    image->entities.frees = world->entities.frees;
}

void keeli_hashes_reserve(keel_world *image) {
    if (!keeli_atomic_peek(&image->was_hashed))
        return;
    for (uint32_t i = 0; i < image->storages.count; ++i) {
        keeli_storage *t = image->storages.items[i];
        keeli_hash_cache *cache = &t->hashed;
        const uint32_t need = blocks_of(image, t);
        if (need <= cache->count)
            continue;

        const uint32_t count = need + need / 4;
        keeli_store_release_hashes(image, t);
        cache->parts =
            keeli_new_zeroed(&image->heap, count * sizeof *cache->parts, _Alignof(keeli_hash_part));
        cache->count = cache->parts ? count : 0; // without memory each hash reads all values
    }
}

void keeli_hashes_forget(keel_world *image) {
    image->hashed_entities.alive = UINT32_MAX;
    for (uint32_t i = 0; i < image->storages.count; ++i) {
        keeli_hash_cache *cache = &image->storages.items[i]->hashed;
        cache->edge_edits = UINT64_MAX;
        for (uint32_t block = 0; block < cache->count; ++block)
            cache->parts[block].epoch = 0;
    }
}

// ------------------------------------------------------------------ copying
// True if no value of the storage has another place in the other world. For rows, the archetypes of
// both worlds must be alike, too.
static bool keeps_places(const keeli_image *image, const keeli_storage *t) {
    return image->staged.items[t->position].is_in_place &&
           !(keeli_store_has_rows(t) && image->has_archetypes);
}

// A walk over the places of a storage. Adjacent places are copied together, as a run.
typedef struct block_walk {
    keeli_image *image;
    keeli_storage *t;           // the storage to copy to,
    const keeli_storage *s;     // and the one to copy from
    const keeli_stamps *stamps; // stamps of the world's storage; NULL: every block is copied
    uint32_t *renewed;     // stamps of the world, set for blocks that a restore writes; or NULL
    uint32_t place, count; // first place of the run, and number of places in it, not copied yet
    bool is_missed;        // the check found a value that was written without a stamp
} block_walk;

// True if the block was written since both worlds were the same, or may have been.
static bool is_dirty(const block_walk *walk, uint32_t block) {
    const keeli_stamps *stamps = walk->stamps;
    return !stamps || block >= stamps->count || stamps->items[block] >= walk->image->since;
}

// Stamps a block of the world that a restore writes, because other snapshots have other values
// there.
static void stamp_restored(const block_walk *walk, uint32_t block) {
    if (walk->renewed && block < walk->stamps->count)
        walk->renewed[block] = walk->image->to->epoch;
}

// Returns the first block from `block` on that has to be copied, or `end`.
static uint32_t next_dirty(const block_walk *walk, uint32_t block, uint32_t end) {
    enum { step = 32 };
    const uint32_t since = walk->image->since;
    while (walk->stamps && block + step <= keeli_least(end, walk->stamps->count)) {
        const uint32_t *items = walk->stamps->items + block;
        uint32_t any = 0;
        for (uint32_t i = 0; i < step; ++i) // compiled to vector instructions
            any |= items[i] >= since;
        if (any)
            break;
        block += step;
    }

    while (block < end && !is_dirty(walk, block))
        ++block;
    return block;
}

// Returns the allocated memory that the value in a place is part of, for the journal.
static void *allocation_of_place(const keeli_storage *t, uint32_t place) {
    if (keeli_store_has_rows(t))
        return t->world->archetypes.blocks[place >> KEELI_ROW_SHIFT]->entities;

    const uint32_t page = place >> t->root->shift;
    return keeli_store_is_sparse(t) ? t->set.values.pages[page]
                                    : keeli_indexed_set_memory(&t->indexed, page);
}

// Invalidates the cached parts of the hash that the run changes.
static void forget_hashes(const block_walk *walk) {
    const keeli_hash_cache *cache = &walk->t->hashed;
    const uint32_t end = keeli_least((walk->place + walk->count + 63) / 64, cache->count);
    for (uint32_t block = walk->place / 64; block < end; ++block)
        cache->parts[block].epoch = 0;
}

// Copies the values of the run, page by page. The run is empty afterwards.
static void end_run(block_walk *walk) {
    forget_hashes(walk);
    const uint32_t page = (uint32_t)1 << walk->t->root->shift, size = walk->t->size;
    walk->image->copied += (uint64_t)walk->count * size;
    for (uint32_t n; walk->count; walk->place += n, walk->count -= n) {
        n = keeli_least(walk->count, page - (walk->place & (page - 1)));
        keeli_image_write(walk->image->to, allocation_of_place(walk->t, walk->place),
                          keeli_store_at(walk->t, walk->place),
                          keeli_store_at(walk->s, walk->place), (size_t)n * size);
    }
}

// Adds places to the run if they follow it. Otherwise copies the run and begins another one.
static void add_run(block_walk *walk, uint32_t place, uint32_t count) {
    if (walk->place + walk->count != place) {
        end_run(walk);
        walk->place = place;
    }
    walk->count += count;
}

// Compares values of a block without a newer stamp, which should be the same, and adds those that
// differ to the run; but only if the image checks. It compares value by value, since a page may
// hold only one value.
static void check_run(block_walk *walk, uint32_t place, uint32_t count) {
    if (!walk->image->checks)
        return;

    const uint32_t end = place + count;
    for (; place < end; ++place) {
        if (!memcmp(keeli_store_at(walk->t, place), keeli_store_at(walk->s, place), walk->t->size))
            continue;
        walk->is_missed = true;
        add_run(walk, place, 1);
    }
}

// Adds the places of set bits to the run; bit 0 stands for the place `first`.
static void add_bits(block_walk *walk, uint32_t first, uint64_t bits) {
    while (bits) {
        const uint32_t at = (uint32_t)__builtin_ctzll(bits);
        const uint64_t rest = ~(bits >> at);
        const uint32_t n = rest ? (uint32_t)__builtin_ctzll(rest) : 64;
        add_run(walk, first + at, n);
        if (at + n == 64)
            return;
        bits &= ~(uint64_t)0 << (at + n);
    }
}

// Copies `count` places from `first` on. Both worlds have values in the first `old` of these
// places, which are copied only if their blocks are dirty. The target has no values in the others,
// which are all copied.
static void copy_packed(block_walk *walk, uint32_t first, uint32_t old, uint32_t count) {
    const uint32_t end = first + old;
    for (uint32_t at = first; at < end;) {
        const uint32_t dirty = next_dirty(walk, at / 64, (end + 63) / 64) * 64;
        if (dirty > at)
            check_run(walk, at, keeli_least(dirty, end) - at);
        if (dirty >= end)
            break;

        at = dirty > at ? dirty : at;
        const uint32_t n = keeli_least(at / 64 * 64 + 64, end) - at;
        add_run(walk, at, n);
        stamp_restored(walk, at / 64);
        at += n;
    }

    if (count > old)
        add_run(walk, end, count - old);
}

// Copies the values of KEEL_INDEXED; `to` and `from` are the bitmaps of both storages. `is_same`:
// both worlds have values in the same places.
static void copy_by_index(block_walk *walk, const keeli_presence *to, const keeli_presence *from,
                          bool is_same) {
    const uint32_t end = from->root.page_count * KEELI_PAGE_WORDS;
    for (uint32_t block = 0; block < end; ++block) {
        if (is_same && !walk->image->checks)
            block = next_dirty(walk, block, end);
        const uint64_t bits = keeli_presence_word(from, block);
        if (!bits)
            continue;

        if (is_dirty(walk, block)) {
            add_bits(walk, block * 64, bits);
            stamp_restored(walk, block);
            continue;
        }

        const uint64_t both = bits & keeli_presence_word(to, block);
        add_bits(walk, block * 64, bits & ~both);
        for (uint64_t left = walk->image->checks ? both : 0; left; left &= left - 1)
            check_run(walk, block * 64 + (uint32_t)__builtin_ctzll(left), 1);
    }
}

static void copy_blocks_of_rows(block_walk *walk) {
    const keeli_archetypes *to = &walk->image->to->archetypes,
                           *from = &walk->image->from->archetypes;
    for (uint32_t n = 0; n < from->block_count; ++n) {
        const keeli_block *block = from->blocks[n];
        const uint32_t number = walk->t->slot;
        if (!block->archetype || keeli_archetype_column(block->archetype, number) == UINT32_MAX)
            continue;
        copy_packed(walk, n << KEELI_ROW_SHIFT, keeli_least(to->blocks[n]->count, block->count),
                    block->count);
    }
}

// Copies the values that the log of a tracked component names as modified, one by one. The same
// entities have values in both worlds. Returns false and copies nothing if the log is incomplete,
// or so long that copying blocks is cheaper.
static bool copy_logged(block_walk *walk) {
    const keeli_storage *live = keeli_image_live(walk->image, walk->t);
    const keeli_ticks *ticks = &live->tracking.modified;
    const bool is_ticked = walk->image->staged.items[walk->t->position].is_ticked;
    uint32_t count = 0;
    if (!is_ticked || walk->image->checks)
        return false;
    if (!keeli_ticks_log_since(ticks, walk->image->tick - 1, &count))
        return false;
    if (count > live->presence.count / 32)
        return false;

    for (uint32_t i = ticks->log_count - count; i < ticks->log_count;) {
        uint32_t places[32], n = 0; // prefetched together
        for (; n < 32 && i < ticks->log_count; ++i) {
            const uint32_t index = ticks->log[i].index;
            if (!keeli_store_has(walk->s, index))
                continue;

            const uint32_t place = places[n++] = keeli_store_place(walk->s->world, walk->s, index);
            __builtin_prefetch(keeli_store_at(walk->t, place), 1);
            __builtin_prefetch(keeli_store_at(walk->s, place));
        }
        for (uint32_t k = 0; k < n; ++k) {
            add_run(walk, places[k], 1);
            stamp_restored(walk, places[k] / 64);
        }
    }
    end_run(walk);
    return true;
}

static void warn_missed(const block_walk *walk) {
    keeli_warn(walk->image->teller,
               "'%s' was written through a kept pointer: after a snapshot is taken, get the "
               "pointer again before writing, or call keel_mark",
               walk->t->component.name);
}

void keeli_blocks_copy(keeli_image *image, keeli_storage *t, const keeli_storage *s) {
    const keeli_staged *g = &image->staged.items[t->position];
    keeli_storage *live = keeli_image_live(image, t);
    keeli_stamps *stamps = &live->stamps;
    const bool by_stamps = live->flags & KEELI_IS_STAMPED && g->is_known &&
                           keeps_places(image, t) && stamps->all < image->since;
    block_walk walk = { .image = image, .t = t, .s = s };
    if (by_stamps)
        walk.stamps = stamps;
    if (by_stamps && live == t)
        walk.renewed = stamps->items;
    if (!by_stamps && live == t)
        stamps->all = image->to->epoch;
    if (by_stamps && copy_logged(&walk))
        return;

    if (keeli_store_is_sparse(t))
        copy_packed(&walk, 0, keeli_least(t->set.count, s->set.count), s->set.count);
    else if (keeli_store_has_rows(t))
        copy_blocks_of_rows(&walk);
    else
        copy_by_index(&walk, &t->presence, &s->presence, g->is_same);
    end_run(&walk);
    if (walk.is_missed)
        warn_missed(&walk);
}

// ------------------------------------------------------------------ memory a journal may skip
static void declare_pages(const keel_world *to, const keeli_pages *pages,
                          const keeli_page_kind *kind) {
    void *const *table = pages->table;
    for (uint32_t page = 0; page < pages->count; ++page)
        if (table[page] != kind->empty)
            keeli_journal_same(to->journal, table[page]);
}

// Tells the journal which blocks of rows it need not compare. Called if the rows, and so their
// handles, are the same. A block is one allocation for all columns, so it is left out if the take
// wrote values of one of its columns by copy hooks.
static void declare_rows(const keeli_image *image) {
    const keeli_archetypes *a = &image->to->archetypes;
    for (uint32_t i = 0; i < a->count; ++i) {
        const keeli_archetype *archetype = a->all[i];
        bool are_plain = true;
        for (uint32_t c = 0; c < archetype->column_count; ++c) {
            const keeli_storage *t = image->to->root.storages[archetype->columns[c]->number];
            are_plain &= !t->component.copy || image->staged.items[t->position].keeps_values;
        }
        if (!are_plain)
            continue;

        for (uint32_t b = 0; b < archetype->block_count; ++b)
            keeli_journal_same(image->to->journal, archetype->blocks[b]->entities);
    }
}

static void declare_storage(const keel_world *to, const keeli_storage *t, bool is_same) {
    const bool is_plain = t->size && !t->component.copy && t != to->names.storage;
    if (is_plain) {
        for (uint32_t page = 0; page < t->indexed.page_count; ++page)
            keeli_journal_values(to->journal, keeli_indexed_set_memory(&t->indexed, page));
        for (uint32_t page = 0; page < t->set.values.page_count; ++page)
            keeli_journal_values(to->journal, t->set.values.pages[page]);
    }
    if (!is_same)
        return;

    declare_pages(to, &t->presence.pages, &keeli_bit_pages);
    declare_pages(to, &t->disabled.pages, &keeli_bit_pages);
    declare_pages(to, &t->set.cells, &keeli_cell_pages);
    for (uint32_t page = 0; page < t->set.dense.page_count; ++page)
        keeli_journal_same(to->journal, t->set.dense.pages[page]);
}

void keeli_blocks_declare(const keeli_image *image) {
    const keel_world *to = image->to;
    for (uint32_t i = 0; i < to->storages.count; ++i)
        if (!keeli_image_leaves(to->storages.items[i]))
            declare_storage(to, to->storages.items[i], image->staged.items[i].is_same);

    if (image->same_rows)
        declare_rows(image);
    if (image->same_handles) {
        declare_pages(to, &to->entities.versions, &keeli_version_pages);
        declare_pages(to, &to->entities.where, &keeli_where_pages);
    }
    if (!image->same_lists)
        return;
    for (uint32_t page = 0; page < to->lists.capacity; ++page)
        keeli_journal_same(to->journal, to->lists.pages[page]);
}
