// SPDX-License-Identifier: MIT
// Lists of candidates: filtered in blocks without branches on the outcome, and resolved to the
// places of their values.
#include "find/iterate.h"

static void *no_page[1]; // the page table of a column that is absent throughout

// ------------------------------------------------------------------ filters
bool keeli_any_has(const keeli_view *view, const keeli_bound_term *any, uint32_t index) {
    bool there = false;
    for (uint32_t i = 0; i < any->count; ++i) {
        const keeli_storage *s = view->storages[any->first + i];
        there |= s && keeli_store_has(s, index);
    }
    return there;
}

// Which candidates pass: one byte each, so that no step branches on the outcome.
typedef struct passing {
    uint8_t yes[KEELI_BLOCK];
} passing;

static void keep_bits(const keeli_iterator *it, passing *p, uint32_t count, const keeli_storage *s,
                      uint8_t unwanted) {
    const uint32_t pages = s->presence.root.page_count;
    uint64_t *const *table = s->presence.pages;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t index = it->candidates[i], page = index / 4096;
        const uint64_t *words = page < pages ? table[page] : keeli_no_bits;
        const uint64_t word = words[index / 64 % KEELI_PAGE_WORDS];
        p->yes[i] &= (uint8_t)((word >> (index % 64) & 1) ^ unwanted);
    }
}

// Keep those that pass of the candidates and all that was found out about them.
static uint32_t keep_passing(keeli_iterator *it, const passing *p, uint32_t count,
                             uint32_t resolved) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        it->candidates[kept] = it->candidates[i];
        it->places[kept] = it->places[i];
        kept += p->yes[i];
    }
    for (uint32_t c = 0; c < resolved; ++c) {
        uint32_t *index = it->index[it->plan.columns[c].term], n = 0;
        for (uint32_t i = 0; i < count; ++i) {
            index[n] = index[i];
            n += p->yes[i];
        }
    }
    return kept;
}

uint32_t keeli_list_filter(keeli_iterator *it, uint32_t count) {
    const keeli_plan *plan = &it->plan;
    const bool leads = plan->driver == KEELI_DRIVE_CHANGES; // then one filter is settled
    if (!plan->check_count && !plan->without_count && !plan->any_count &&
        plan->change_count == leads)
        return count;
    passing p;
    memset(p.yes, 1, count);
    for (uint32_t i = 0; i < plan->check_count; ++i)
        keep_bits(it, &p, count, plan->check[i], 0);
    for (uint32_t i = 0; i < plan->without_count; ++i)
        keep_bits(it, &p, count, plan->without[i], 1);
    for (uint32_t a = 0; a < plan->any_count; ++a)
        for (uint32_t i = 0; i < count; ++i)
            p.yes[i] &= keeli_any_has(it->view, plan->any[a], it->candidates[i]);
    for (uint32_t c = 0; c < plan->change_count; ++c) {
        const keeli_change_filter *f = &plan->changes[c];
        for (uint32_t i = 0; i < count && (f != plan->lead || !leads); ++i)
            p.yes[i] &= keeli_change_passes(f, it->candidates[i]);
    }
    return keep_passing(it, &p, count, 0);
}

// ------------------------------------------------------------------ places
// Places in a sparse set; how many candidates have none (UINT32_MAX).
static uint32_t find_cells(const keeli_iterator *it, uint32_t *index, const keeli_storage *s,
                           uint32_t count) {
    const uint32_t pages = s->set.root.page_count;
    uint32_t *const *sparse = s->set.sparse;
    uint32_t missing = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t candidate = it->candidates[i], page = candidate / KEELI_SPARSE_PAGE;
        const uint32_t *cells = page < pages ? sparse[page] : keeli_no_cells;
        index[i] = cells[candidate % KEELI_SPARSE_PAGE];
        missing += index[i] == KEELI_NO_SLOT;
    }
    return missing;
}

// Where the candidates have their values in one column; how many have none.
static uint32_t find_places(const keeli_iterator *it, uint32_t *index,
                            const keeli_plan_column *column, uint32_t count) {
    const keeli_storage *s = column->storage;
    const keeli_plan *plan = &it->plan;
    const bool by_leader = plan->driver == KEELI_DRIVE_ROWS
                               ? s && !column->maybe && s->kind == KEEL_ARCHETYPE
                               : plan->leader && plan->driver != KEELI_DRIVE_BITS && s &&
                                     !column->maybe && keeli_plan_is_ordered(plan, s);
    if (by_leader) {
        memcpy(index, it->places, count * sizeof *index);
    } else if (!s) {
        memset(index, 0xFF, count * sizeof *index);
    } else if (s->kind == KEEL_SPARSE_SET) {
        return find_cells(it, index, s, count);
    } else if (column->maybe || s->kind == KEEL_ARCHETYPE) {
        for (uint32_t i = 0; i < count; ++i)
            index[i] = keeli_store_place(it->view->world, s, it->candidates[i]);
    } else {
        memcpy(index, it->candidates, count * sizeof *index);
    }
    return 0;
}

// Resolve all columns. A sparse set that must be there is a filter at the same time.
static uint32_t resolve(keeli_iterator *it, uint32_t count) {
    for (uint32_t c = 0; c < it->plan.column_count && count; ++c) {
        const keeli_plan_column *column = &it->plan.columns[c];
        uint32_t *index = it->index[column->term];
        if (!find_places(it, index, column, count) || column->maybe) continue;
        passing p;
        for (uint32_t i = 0; i < count; ++i)
            p.yes[i] = index[i] != KEELI_NO_SLOT;
        count = keep_passing(it, &p, count, c + 1);
    }
    return count;
}

// Do the values lie side by side, on one page? True too when all are absent.
static bool is_run(const uint32_t *index, uint32_t count, uint32_t shift) {
    const uint32_t first = index[0], step = first == UINT32_MAX ? 0 : 1;
    if (index[count - 1] != first + (count - 1) * step) return false;
    if (step && first >> shift != index[count - 1] >> shift) return false;
    uint32_t broken = 0;
    for (uint32_t i = 0; i < count; ++i)
        broken |= index[i] ^ (first + i * step);
    return !broken;
}

bool keeli_list_chunk(keeli_iterator *it, uint32_t count) {
    const keeli_plan *plan = &it->plan;
    count = resolve(it, count);
    if (!count) return false;
    bool side_by_side = true;
    for (uint32_t c = 0; c < plan->column_count; ++c) {
        const keeli_plan_column *column = &plan->columns[c];
        const keeli_storage *s = column->storage;
        const uint32_t *index = it->index[column->term];
        const uint32_t shift = s ? s->root->shift : 31;
        side_by_side = side_by_side && is_run(index, count, shift);
        it->chunk.columns[column->term] = (keel_chunk_column){
            .pages = s && s->root->pages ? s->root->pages : no_page, .index = index, .shift = shift
        };
    }
    it->chunk.form = side_by_side ? KEEL_CHUNK_SPAN : KEEL_CHUNK_LIST;
    it->chunk.count = count;
    for (uint32_t c = 0; side_by_side && c < plan->column_count; ++c) {
        const keeli_plan_column *column = &plan->columns[c];
        const uint32_t first = it->index[column->term][0];
        it->chunk.columns[column->term].base =
            first == UINT32_MAX ? NULL : keeli_store_at(column->storage, first);
    }
    if (!it->view->wants_entities) return true;
    for (uint32_t i = 0; i < count; ++i)
        it->entities[i] = keeli_entity_at(&it->view->world->entities, it->candidates[i]);
    it->chunk.entities = it->entities;
    return true;
}
