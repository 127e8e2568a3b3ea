// SPDX-License-Identifier: MIT
// What leads a walk: a sparse set or the front of it that a group orders, or the rows of
// archetypes; windows of presence bits are in windows.c. Each hands out spans or masks where
// storages allow, and lists of filtered candidates elsewhere.
#include "base/assert.h"
#include "base/memory.h"
#include "find/iterate.h"
#include "world/storage.h"

// ------------------------------------------------------------------ a sparse set
// Slots from `slot` on whose entities, and values if asked, lie on one page each.
static uint32_t left_on_page(const keeli_sparse_set *set, uint32_t slot, bool values) {
    const uint32_t dense = (1u << KEELI_DENSE_SHIFT) - (slot & ((1u << KEELI_DENSE_SHIFT) - 1));
    const uint32_t page = (uint32_t)1 << set->root.shift;
    return values ? keeli_least(dense, page - (slot & (page - 1))) : dense;
}

// How many entities from both places on are the same, to `limit`.
static uint32_t equal_run(const keel_entity *a, const keel_entity *b, uint32_t limit) {
    enum { block = 128 };
    uint32_t n = 0;
    while (n + block <= limit && memcmp(a + n, b + n, block * sizeof *a) == 0)
        n += block;
    while (n < limit && a[n].bits == b[n].bits)
        ++n;
    return n;
}

// Can runs of equal order be found: are all that must be there sparse sets, and no `maybe` beside?
static bool can_run(const keeli_plan *plan) {
    if (plan->has_maybe || plan->change_count) return false;
    for (uint32_t i = 0; i < plan->need_count; ++i)
        if (plan->need[i]->kind != KEEL_SPARSE_SET) return false;
    for (uint32_t i = 0; i < plan->beside_count; ++i)
        if (plan->beside[i]->kind != KEEL_SPARSE_SET) return false;
    return true;
}

// Walks note what they found out about orders, for the next ones: while one thread is at work,
// where nobody else looks, and about sets that the world keeps.
static bool may_note(const keeli_iterator *it) {
    return it->plan->driver == KEELI_DRIVE_SPARSE && !it->view->world->concurrent;
}

// What is known about the order of a set beside the leader's, or NULL.
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

// Those from it->at on are the same as `run` from `slot` on.
static void note_same(const keeli_iterator *it, keeli_storage *s, uint32_t slot, uint32_t run) {
    keeli_same_order *same = known_same(it, s);
    const uint32_t known = same ? same->count : 0, from = slot - it->at;
    if (!may_note(it) || it->at > known || it->at + run <= known) return;
    if (it->at && (!same || same->from != from)) return;
    if (!same) {
        same = &s->known.same[s->known.oldest];
        s->known.oldest ^= 1;
    }
    *same = (keeli_same_order){ it->plan->leader, it->at + run, from, s->set.moves,
                                it->plan->leader->set.moves };
}

// The same about slots whose entities have consecutive indices.
static uint32_t consecutive_run(keeli_iterator *it, const keel_entity *first, uint32_t run) {
    keeli_storage *s = it->plan->leader;
    const uint32_t known = s->known.moves_of_run == s->set.moves ? s->known.run : 0;
    if (it->at + run <= known) {
        KEEL_ASSERT_INTERNAL(keeli_range_length(first, run) == run);
        return run;
    }
    const uint32_t skip = known > it->at ? known - it->at - 1 : 0;
    run = skip + keeli_range_length(first + skip, run - skip);
    if (!may_note(it) || it->at > known || it->at + run <= known) return run;
    s->known.moves_of_run = s->set.moves;
    s->known.run = it->at + run;
    s->known.run_ends = false; // as far as is known
    return run;
}

// How far the sets hold the same entities in the same order as the leader from `first` on, to
// `run`; 0 when one lacks the first entity.
static uint32_t common_run(const keeli_iterator *it, keeli_storage *const *list, uint32_t count,
                           const keel_entity *first, uint32_t run) {
    for (uint32_t i = 0; i < count && run; ++i) {
        const keeli_sparse_set *set = &list[i]->set;
        const keeli_same_order *same = known_same(it, list[i]);
        const uint32_t known = same && same->count > it->at ? same->count - it->at : 0;
        if (run <= known) {
            KEEL_ASSERT_INTERNAL(first->bits ==
                                 keeli_sparse_set_entity(set, same->from + it->at)->bits);
            continue;
        }
        const uint32_t slot =
            known ? same->from + it->at : keeli_sparse_set_find(set, keel_entity_index(*first));
        if (slot == KEELI_NO_SLOT) return 0;
        run = keeli_least(keeli_least(run, left_on_page(set, slot, false)), set->count - slot);
        const uint32_t skip = keeli_least(known, run);
        run = skip + equal_run(first + skip, keeli_sparse_set_entity(set, slot) + skip, run - skip);
        note_same(it, list[i], slot, run);
    }
    return run;
}

// 64 bits of presence from any index on.
static uint64_t bits_from(const keeli_presence *p, uint32_t index) {
    const uint32_t shift = index % 64;
    const uint64_t low = keeli_presence_word(p, index / 64) >> shift;
    return shift ? low | keeli_presence_word(p, index / 64 + 1) << (64 - shift) : low;
}

// Which of 64 entities with consecutive indices pass the filters that are no sets to run along.
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
            if (s) some |= bits_from(&s->presence, index);
        }
        bits &= some;
    }
    return bits;
}

// Fill it->words for a run of consecutive indices. The form to hand it out: LIST when nobody
// passes.
static keel_chunk_form mask_run(keeli_iterator *it, uint32_t index, uint32_t run) {
    uint64_t all = ~(uint64_t)0, some = 0;
    for (uint32_t at = 0; at < run; at += 64) {
        const uint64_t valid = run - at < 64 ? ((uint64_t)1 << (run - at)) - 1 : ~(uint64_t)0;
        const uint64_t bits = passing_bits(it, index + at) & valid;
        it->words[at / 64] = bits;
        all &= bits | ~valid;
        some |= bits;
    }
    return !some ? KEEL_CHUNK_LIST : ~all ? KEEL_CHUNK_MASK : KEEL_CHUNK_SPAN;
}

typedef enum attempt { NO_RUN, SKIPPED, HANDED_OUT } attempt;

// Try to hand out a span: all sets hold the same entities in the same order from here on. With
// filters beside, a mask over entities with consecutive indices.
static attempt find_run(keeli_iterator *it) {
    const keeli_plan *plan = it->plan;
    const keeli_sparse_set *leader = &plan->leader->set;
    const keel_entity *first = keeli_sparse_set_entity(leader, it->at);
    const uint32_t index = keel_entity_index(*first), on_page = left_on_page(leader, it->at, false);
    uint32_t run = keeli_least(it->end - it->at, on_page);
    const bool is_filtered = plan->without_count || plan->any_count;
    if (is_filtered) run = consecutive_run(it, first, run);
    run = common_run(it, plan->need, plan->need_count, first, run);
    run = common_run(it, plan->beside, plan->beside_count, first, run);
    if (run == 0) return NO_RUN;
    for (uint32_t c = 0; c < plan->column_count; ++c) {
        const keeli_sparse_set *set = &plan->columns[c].storage->set;
        const bool is_ordered = keeli_plan_is_ordered(plan, plan->columns[c].storage);
        const uint32_t slot = is_ordered ? it->at : keeli_sparse_set_find(set, index);
        run = keeli_least(run, left_on_page(set, slot, true));
        it->chunk.columns[plan->columns[c].term].base = keeli_sparse_set_value(set, slot);
    }
    // a short run is not worth a chunk of its own, unless nothing is left
    if (run < KEELI_SHORT_RUN && it->at + run < it->end && run < on_page) return NO_RUN;
    it->at += run;
    it->chunk.form = is_filtered ? mask_run(it, index, run) : KEEL_CHUNK_SPAN;
    if (it->chunk.form == KEEL_CHUNK_LIST) return SKIPPED;
    it->chunk.count = run;
    it->chunk.words = it->words;
    it->chunk.entities = it->wants_entities ? first : NULL;
    it->who = KEELI_WHO_ENTITIES;
    it->who_entities = first;
    return HANDED_OUT;
}

// The same, but where there was no run for a while it is not tried before every block.
static attempt try_run(keeli_iterator *it) {
    if (it->run_pause) {
        --it->run_pause;
        return NO_RUN;
    }
    const attempt tried = find_run(it);
    it->run_misses = tried == NO_RUN ? keeli_least(it->run_misses + 1, 4) : 0;
    it->run_pause = it->run_misses ? (1u << it->run_misses) - 2 : 0; // 0, 2, 6, 14 blocks
    return tried;
}

bool keeli_drive_sparse(keeli_iterator *it) {
    const keeli_sparse_set *set = &it->plan->leader->set;
    const bool runs = can_run(it->plan);
    while (it->at < it->end) {
        const attempt tried = runs ? try_run(it) : NO_RUN;
        if (tried == HANDED_OUT) return true;
        if (tried == SKIPPED) continue;
        uint32_t count = keeli_least(it->end - it->at, KEELI_BLOCK);
        count = keeli_least(count, left_on_page(set, it->at, false));
        const keel_entity *first = keeli_sparse_set_entity(set, it->at);
        keeli_list_block(it, first, count, it->at);
        it->at += count;
        count = keeli_list_filter(it, count);
        if (count && keeli_list_chunk(it, count)) return true;
    }
    return false;
}

// ------------------------------------------------------------------ rows of archetypes
// The next block that has rows, or NULL. Blocks are full but the last of an archetype, behind which
// there may be empty ones.
static inline const keeli_block *next_block(keeli_iterator *it) {
    const keeli_match *match = it->plan->match;
    for (; it->match_at < match->list.count; ++it->match_at, it->block_at = 0) {
        const keeli_archetype *archetype = match->list.items[it->match_at];
        if (it->block_at >= archetype->block_count) continue;
        const keeli_block *block = archetype->blocks[it->block_at];
        if (block->count) return block;
    }
    return NULL;
}

// All rows of a block were handed out: go to the next, which may be of another archetype.
static inline void end_block(keeli_iterator *it, const keeli_archetype *archetype) {
    it->at = 0;
    if (++it->block_at < archetype->block_count) return;
    it->block_at = 0;
    ++it->match_at;
}

// The rows of a block from it->at on. There may be many blocks of few rows.
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
    if (count == left) end_block(it, block->archetype);
    return true;
}

static __attribute__((noinline)) bool block_span_maybe(keeli_iterator *it,
                                                       const keeli_block *block) {
    for (uint32_t c = 0; c < it->plan->column_count; ++c) {
        const keeli_plan_column *column = &it->plan->columns[c];
        const keeli_storage *s = column->storage;
        const bool there = s && keeli_archetype_column(block->archetype, s->slot) != UINT32_MAX;
        it->chunk.columns[column->term].base =
            there ? keeli_row_value(&s->row, block->number << KEELI_ROW_SHIFT | it->at) : NULL;
    }
    return block_span(it, block);
}

static inline void *row_base(const keeli_row_component *row, const keeli_block *block,
                             uint32_t at) {
    return (char *)row->bases[block->number] + (size_t)at * row->size;
}

static bool next_rows(keeli_iterator *it) {
    const keeli_plan *plan = it->plan;
    const keeli_block *block = it->rows_left ? next_block(it) : NULL;
    if (!block) return false;
    if (plan->has_maybe) return block_span_maybe(it, block);
    for (uint32_t c = 0; c < plan->column_count; ++c)
        it->chunk.columns[plan->columns[c].term].base =
            row_base(&plan->columns[c].storage->row, block, it->at);
    return block_span(it, block);
}

static bool row_list(keeli_iterator *it, const keeli_block *block) {
    uint32_t count = keeli_least(keeli_least(block->count - it->at, KEELI_BLOCK), it->rows_left);
    keeli_list_block(it, block->entities + it->at, count,
                     block->number << KEELI_ROW_SHIFT | it->at);
    it->at += count;
    it->rows_left -= count;
    if (it->at == block->count) end_block(it, block->archetype);
    count = keeli_list_filter(it, count);
    return count && keeli_list_chunk(it, count);
}

bool keeli_drive_rows(keeli_iterator *it) {
    const keeli_block *block;
    if (it->plan->only_rows) return next_rows(it);
    while (it->rows_left && (block = next_block(it)) != NULL)
        if (row_list(it, block)) return true;
    return false;
}

// Blocks may be many and have few rows, so nothing of the walk's state is kept up between them:
// there are no marks, and the walk ends here.
void keeli_visit_rows(keeli_iterator *it, keeli_visit *visit, keel_context *context,
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
            if (!count) break; // the last
            for (uint32_t c = 0; c < plan->column_count; ++c)
                it->chunk.columns[plan->columns[c].term].base =
                    row_base(&plan->columns[c].storage->row, block, at);
            it->chunk.count = count;
            if (it->wants_entities) it->chunk.entities = block->entities + at;
            visit(&it->chunk, context);
            left -= count;
            if (*stop || !left) return;
        }
    }
}
