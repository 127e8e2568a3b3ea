// SPDX-License-Identifier: MIT
// The rows of archetypes lead: a span for each block, and lists of filtered candidates where
// something is left to check.
#include "base/memory.h"
#include "find/iterate.h"

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
    keeli_gather_block(it, block->entities + it->at, count,
                       block->number << KEELI_ROW_SHIFT | it->at);
    it->at += count;
    it->rows_left -= count;
    if (it->at == block->count) end_block(it, block->archetype);
    count = keeli_gather_filter(it, count);
    return count && keeli_gather_chunk(it, count);
}

bool keeli_scan_rows(keeli_iterator *it) {
    const keeli_block *block;
    if (it->plan->only_rows) return next_rows(it);
    while (it->rows_left && (block = next_block(it)) != NULL)
        if (row_list(it, block)) return true;
    return false;
}

// Blocks may be many and have few rows, so nothing of the iterator's state is kept up between
// them: there are no marks, and it ends here.
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
