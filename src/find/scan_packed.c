// SPDX-License-Identifier: MIT
// The scans of packed leaders. keeli_scan_set scans a sparse set, or the first slots of one that a
// group orders, and hands out spans where all sets have the same order. keeli_scan_rows scans the
// rows of archetypes, and hands out a span for each block. Both fall back to lists of candidates,
// which gather.c filters. This does not choose the leader: see plan.c. iterate.c calls it, and
// systems over rows (src/run/call.c) call keeli_visit_rows.
#include "base/assert.h"
#include "base/memory.h"
#include "find/iterate.h"
#include "world/storage.h"

// ------------------------------------------------------------------ slots
// Returns the number of slots from `slot` to the end of a page of handles. With `values`: to the
// end of a page of handles or of values, whichever is nearer.
static uint32_t left_on_page(const keeli_sparse_set *set, uint32_t slot, bool values) {
    const uint32_t dense = (1u << KEELI_DENSE_SHIFT) - (slot & ((1u << KEELI_DENSE_SHIFT) - 1));
    const uint32_t page = (uint32_t)1 << set->root.shift;
    return values ? keeli_least(dense, page - (slot & (page - 1))) : dense;
}

// Returns the number of equal handles at the start of both lists; at most `limit`.
static uint32_t equal_range(const keel_entity *a, const keel_entity *b, uint32_t limit) {
    enum { block = KEELI_SIZE(128, 2) };
    uint32_t n = 0;
    while (n + block <= limit && memcmp(a + n, b + n, block * sizeof *a) == 0)
        n += block;
    while (n < limit && a[n].bits == b[n].bits)
        ++n;
    return n;
}

// True if the iterator may store facts about orders in `known` of storages, for later iterators:
// the leader is a set, not a group, and no other thread may be reading `known`.
static bool may_note(const keeli_iterator *it) {
    return it->plan->scan == KEELI_SCAN_SET && !it->view->world->access.concurrent;
}

// Returns the cached fact that compares the order of a set with that of the leader; NULL if there
// is no valid one.
static keeli_same_order *known_same(const keeli_iterator *it, keeli_storage *s) {
    const keeli_storage *leader = it->plan->leader;
    for (uint32_t i = 0; i < 2; ++i) {
        keeli_same_order *same = &s->known.same[i];
        if (same->leader == leader && same->moves == s->set.moves &&
            same->leader_moves == leader->set.moves)
            return same;
    }
    return NULL;
}

// Caches the fact that the leader's `range` entities from it->at on are those of a set from `slot`
// on, if this extends a known range.
static void note_same(const keeli_iterator *it, keeli_storage *s, uint32_t slot, uint32_t range) {
    keeli_same_order *same = known_same(it, s);
    const uint32_t known = same ? same->count : 0, from = slot - it->at;
    const bool extends_known = it->at <= known && it->at + range > known;
    if (!may_note(it) || !extends_known)
        return;
    if (it->at && (!same || same->from != from))
        return;

    if (!same) {
        same = &s->known.same[s->known.oldest];
        s->known.oldest ^= 1;
    }
    *same = (keeli_same_order){ it->plan->leader, it->at + range, from, s->set.moves,
                                it->plan->leader->set.moves };
}

// Returns the number of entities of the leader, from `first` on, whose indices are consecutive; at
// most `range`. Caches the result if it extends the known range.
static uint32_t consecutive_range(keeli_iterator *it, const keel_entity *first, uint32_t range) {
    keeli_storage *s = it->plan->leader;
    const uint32_t known = s->known.moves_of_range == s->set.moves ? s->known.range : 0;
    if (it->at + range <= known) {
        KEEL_ASSERT_INTERNAL(keeli_range_length(first, range) == range);
        return range;
    }
    const uint32_t skip = known > it->at ? known - it->at - 1 : 0;
    range = skip + keeli_range_length(first + skip, range - skip);
    const bool extends_known = it->at <= known && it->at + range > known;
    if (!may_note(it) || !extends_known)
        return range;

    // A range that begins at the end of the known range extends it only if no index is left out.
    if (keeli_index_of(*first) != keeli_index_of(*keeli_sparse_set_entity(&s->set, 0)) + it->at)
        return range;
    s->known.moves_of_range = s->set.moves;
    s->known.range = it->at + range;
    s->known.range_ends = false; // the end is not known yet
    return range;
}

// Returns the number of entities of the leader, from `first` on, that all sets of a list have in
// the same order; at most `range`. 0 if a set lacks the first entity.
static uint32_t common_range(const keeli_iterator *it, keeli_storage *const *list, uint32_t count,
                             const keel_entity *first, uint32_t range) {
    for (uint32_t i = 0; i < count && range; ++i) {
        const keeli_sparse_set *set = &list[i]->set;
        const keeli_same_order *same = known_same(it, list[i]);
        const uint32_t known = same && same->count > it->at ? same->count - it->at : 0;
        if (range <= known) {
            KEEL_ASSERT_INTERNAL(first->bits ==
                                 // analyzer: if `same` were NULL, `known` would be 0
                                 keeli_sparse_set_entity(set, same->from + it->at)->bits);
            continue;
        }
        const uint32_t slot =
            known ? same->from + it->at : keeli_sparse_set_find(set, keeli_index_of(*first));
        if (slot == KEELI_NO_SLOT)
            return 0;
        range = keeli_least(keeli_least(range, left_on_page(set, slot, false)), set->count - slot);
        const uint32_t skip = keeli_least(known, range);
        range = skip +
                equal_range(first + skip, keeli_sparse_set_entity(set, slot) + skip, range - skip);
        note_same(it, list[i], slot, range);
    }
    return range;
}

// Returns the presence bits of 64 indices from `index` on, which need not be a multiple of 64.
static uint64_t bits_from(const keeli_presence *p, uint32_t index) {
    const uint32_t shift = index % 64;
    const uint64_t low = keeli_presence_word(p, index / 64) >> shift;
    return shift ? low | keeli_presence_word(p, index / 64 + 1) << (64 - shift) : low;
}

// Returns a bit for each of the 64 entities from `index` on: 1 if the entity passes all
// KEEL_WITHOUT and KEEL_ANY_OF. These terms are checked by presence bits, as they do not require
// one set whose order could be compared.
static uint64_t passing_bits(const keeli_iterator *it, uint32_t index) {
    const keeli_plan *plan = it->plan;
    uint64_t bits = ~(uint64_t)0;
    for (uint32_t i = 0; i < plan->without_count; ++i)
        bits &= ~bits_from(&plan->without[i]->presence, index);
    for (uint32_t i = 0; i < plan->any_count; ++i) {
        const keeli_bound_term *any = plan->any[i];
        uint64_t some = 0;
        for (uint32_t k = 0; k < any->count; ++k) {
            const keeli_storage *s = it->view->storages[any->first + k];
            if (s)
                some |= bits_from(&s->presence, index);
        }
        bits &= some;
    }
    return bits;
}

// Sets it->words to the entities of a range of consecutive indices that pass. Returns the form of
// the chunk: a span if all pass, a mask if some do. KEEL_CHUNK_LIST means that none passes.
static keel_chunk_form mask_range(keeli_iterator *it, uint32_t index, uint32_t range) {
    uint64_t all = ~(uint64_t)0, some = 0;
    for (uint32_t at = 0; at < range; at += 64) {
        const uint64_t valid = range - at < 64 ? ((uint64_t)1 << (range - at)) - 1 : ~(uint64_t)0;
        const uint64_t bits = passing_bits(it, index + at) & valid;
        it->words[at / 64] = bits;
        all &= bits | ~valid;
        some |= bits;
    }
    if (!some)
        return KEEL_CHUNK_LIST;
    return ~all ? KEEL_CHUNK_MASK : KEEL_CHUNK_SPAN;
}

// The result of find_range. SKIPPED: there was a range, but none of its entities passes the
// filters.
typedef enum attempt { NO_RANGE, SKIPPED, HANDED_OUT } attempt;

// Tries to hand out a span of entities that all sets have in the same order. If the view has a
// KEEL_WITHOUT or KEEL_ANY_OF, hands out a mask over entities with consecutive indices.
static attempt find_range(keeli_iterator *it) {
    const keeli_plan *plan = it->plan;
    const keeli_sparse_set *leader = &plan->leader->set;
    const keel_entity *first = keeli_sparse_set_entity(leader, it->at);
    const uint32_t index = keeli_index_of(*first), on_page = left_on_page(leader, it->at, false);
    uint32_t range = keeli_least(it->end - it->at, on_page);
    const bool is_filtered = plan->without_count || plan->any_count;
    if (is_filtered)
        range = consecutive_range(it, first, range);
    range = common_range(it, plan->need, plan->need_count, first, range);
    range = common_range(it, plan->beside, plan->beside_count, first, range);
    if (range == 0)
        return NO_RANGE;

    for (uint32_t c = 0; c < plan->column_count; ++c) {
        const keeli_sparse_set *set = &plan->columns[c].storage->set;
        const bool is_ordered = keeli_plan_is_ordered(plan, plan->columns[c].storage);
        const uint32_t slot = is_ordered ? it->at : keeli_sparse_set_find(set, index);
        range = keeli_least(range, left_on_page(set, slot, true));
        it->chunk.columns[plan->columns[c].term].base = keeli_sparse_set_value(set, slot);
    }

    // A short range makes no chunk of its own, unless it ends the page or the scan.
    if (range < KEELI_SHORT_RANGE && it->at + range < it->end && range < on_page)
        return NO_RANGE;

    it->at += range;
    it->chunk.form = is_filtered ? mask_range(it, index, range) : KEEL_CHUNK_SPAN;
    if (it->chunk.form == KEEL_CHUNK_LIST)
        return SKIPPED;
    it->chunk.count = range;
    it->chunk.words = it->words;
    it->chunk.entities = it->wants_entities ? first : NULL;
    it->who = KEELI_WHO_ENTITIES;
    it->who_entities = first;
    return HANDED_OUT;
}

// Calls find_range. After calls that found no range, skips more and more blocks before the next
// call, since each failed call costs time.
static attempt try_range(keeli_iterator *it) {
    if (it->range_pause) {
        --it->range_pause;
        return NO_RANGE;
    }
    const attempt tried = find_range(it);
    it->range_misses = tried == NO_RANGE ? keeli_least(it->range_misses + 1, 4) : 0;
    it->range_pause = it->range_misses ? (1u << it->range_misses) - 2 : 0; // 0, 2, 6, 14 blocks
    return tried;
}

bool keeli_scan_set(keeli_iterator *it) {
    const keeli_sparse_set *set = &it->plan->leader->set;
    while (it->at < it->end) {
        const attempt tried = it->plan->has_ranges ? try_range(it) : NO_RANGE;
        if (tried == HANDED_OUT)
            return true;
        if (tried == SKIPPED)
            continue;
        uint32_t count = keeli_least(it->end - it->at, KEELI_BLOCK);
        count = keeli_least(count, left_on_page(set, it->at, false));
        keeli_gather_block(it, keeli_sparse_set_entity(set, it->at), count, it->at);
        it->at += count;
        if (keeli_gather(it, count))
            return true;
    }
    return false;
}

// ------------------------------------------------------------------ rows
// Returns the next block that has rows, or NULL. The first blocks of an archetype are full; at most
// one is partly filled, and empty blocks may follow it.
static inline const keeli_block *next_row_block(keeli_iterator *it) {
    const keeli_match *match = it->plan->match;
    for (; it->match_at < match->list.count; ++it->match_at, it->block_at = 0) {
        const keeli_archetype *archetype = match->list.items[it->match_at];
        if (it->block_at >= archetype->block_count)
            continue;
        const keeli_block *block = archetype->blocks[it->block_at];
        if (block->count)
            return block;
    }
    return NULL;
}

// Moves from the end of a block to the next block, which may be of another archetype.
static inline void end_block(keeli_iterator *it, const keeli_archetype *archetype) {
    it->at = 0;
    if (++it->block_at < archetype->block_count)
        return;
    it->block_at = 0;
    ++it->match_at;
}

// Hands out the rows of a block from it->at on. Returns true.
static bool block_span(keeli_iterator *it, const keeli_block *block) {
    const uint32_t at = it->at, left = block->count - at;
    const uint32_t count = keeli_least(left, it->rows_left);
    const keel_entity *entities = block->entities + at;
    it->chunk.form = KEEL_CHUNK_SPAN;
    it->chunk.count = count;
    it->chunk.entities = it->wants_entities ? entities : NULL;
    it->who = KEELI_WHO_ENTITIES;
    it->who_entities = entities;
    it->rows_left -= count;
    it->at += count;
    if (count == left)
        end_block(it, block->archetype);
    return true;
}

static inline void *row_base(const keeli_row_component *row, const keeli_block *block,
                             uint32_t at) {
    return (char *)row->bases[block->number] + (size_t)at * row->size;
}

static bool next_rows(keeli_iterator *it) {
    const keeli_plan *plan = it->plan;
    const keeli_block *block = it->rows_left ? next_row_block(it) : NULL;
    if (!block)
        return false;
    for (uint32_t c = 0; c < plan->column_count; ++c) {
        const keeli_plan_column *column = &plan->columns[c];
        const keeli_storage *s = column->storage;
        const bool absent = column->maybe &&
                            (!s || keeli_archetype_column(block->archetype, s->slot) == UINT32_MAX);
        it->chunk.columns[column->term].base = absent ? NULL : row_base(&s->row, block, it->at);
    }
    return block_span(it, block);
}

static bool row_list(keeli_iterator *it, const keeli_block *block) {
    const uint32_t left = keeli_least(block->count - it->at, it->rows_left);
    const uint32_t count = keeli_least(left, KEELI_BLOCK);
    keeli_gather_block(it, block->entities + it->at, count,
                       block->number << KEELI_ROW_SHIFT | it->at);
    it->at += count;
    it->rows_left -= count;
    if (it->at == block->count)
        end_block(it, block->archetype);
    return keeli_gather(it, count);
}

bool keeli_scan_rows(keeli_iterator *it) {
    const keeli_block *block;
    if (it->plan->only_rows)
        return next_rows(it);
    while (it->rows_left && (block = next_row_block(it)) != NULL)
        if (row_list(it, block))
            return true;
    return false;
}

// The iterator's position is not updated after each block, as there may be many blocks with few
// rows. Nothing reads the position later: the iterator has no marks, and the caller ends it.
uint32_t keeli_visit_rows(keeli_iterator *it, keeli_visit *visit, keel_context *context,
                          const bool *stop) {
    const keeli_plan *plan = it->plan;
    const keeli_match *match = plan->match;
    uint32_t at = it->at, b = it->block_at, left = it->rows_left;
    it->chunk.form = KEEL_CHUNK_SPAN;
    for (uint32_t m = it->match_at; m < match->list.count; ++m, b = 0) {
        const keeli_archetype *archetype = match->list.items[m];
        for (; b < archetype->block_count; ++b, at = 0) {
            const keeli_block *block = archetype->blocks[b];
            const uint32_t count = keeli_least(block->count - at, left);
            if (!count)
                break; // the blocks behind are empty
            for (uint32_t c = 0; c < plan->column_count; ++c)
                it->chunk.columns[plan->columns[c].term].base =
                    row_base(&plan->columns[c].storage->row, block, at);
            it->chunk.count = count;
            if (it->wants_entities)
                it->chunk.entities = block->entities + at;
            visit(&it->chunk, context);
            left -= count;
            if (*stop || !left)
                return it->rows_left - left;
        }
    }
    return it->rows_left - left;
}
