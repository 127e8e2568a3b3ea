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

static uint32_t filter(keeli_iterator *it, uint32_t count, const keeli_storage *s, bool wanted) {
    uint32_t *candidates = it->candidates, *places = it->places, kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t index = candidates[i];
        const bool there = keeli_store_has(s, index);
        candidates[kept] = index;
        places[kept] = places[i];
        kept += there == wanted;
    }
    return kept;
}

static uint32_t filter_any(keeli_iterator *it, uint32_t count, const keeli_bound_term *any) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t index = it->candidates[i];
        it->candidates[kept] = index;
        it->places[kept] = it->places[i];
        kept += keeli_any_has(it->view, any, index);
    }
    return kept;
}

uint32_t keeli_list_filter(keeli_iterator *it, uint32_t count) {
    const keeli_plan *plan = &it->plan;
    for (uint32_t i = 0; i < plan->need_count && count; ++i)
        count = filter(it, count, plan->need[i], true);
    for (uint32_t i = 0; i < plan->without_count && count; ++i)
        count = filter(it, count, plan->without[i], false);
    for (uint32_t i = 0; i < plan->any_count && count; ++i)
        count = filter_any(it, count, plan->any[i]);
    return count;
}

// ------------------------------------------------------------------ places
// Where the candidates have their values in one column. UINT32_MAX: absent.
static void find_places(const keeli_iterator *it, uint32_t *index, const keeli_plan_column *column,
                        uint32_t count) {
    const keeli_storage *s = column->storage;
    const uint32_t *candidates = it->candidates;
    const bool by_leader =
        it->plan.driver == KEELI_DRIVE_SPARSE || it->plan.driver == KEELI_DRIVE_GROUP
            ? s && !column->maybe && keeli_plan_is_ordered(&it->plan, s)
            : it->plan.driver == KEELI_DRIVE_ROWS && s && !column->maybe &&
                  s->kind == KEEL_ARCHETYPE;
    if (by_leader) {
        memcpy(index, it->places, count * sizeof *index);
    } else if (!s) {
        memset(index, 0xFF, count * sizeof *index);
    } else if (column->maybe || s->kind == KEEL_ARCHETYPE) {
        for (uint32_t i = 0; i < count; ++i)
            index[i] = keeli_store_place(it->view->world, s, candidates[i]);
    } else if (s->kind == KEEL_INDEXED) {
        memcpy(index, candidates, count * sizeof *index);
    } else {
        uint32_t *const *sparse = s->set.sparse;
        for (uint32_t i = 0; i < count; ++i)
            index[i] = sparse[candidates[i] / KEELI_SPARSE_PAGE][candidates[i] % KEELI_SPARSE_PAGE];
    }
}

// Do the values lie side by side, on one page? True too when all are absent.
static bool is_run(const uint32_t *index, uint32_t count, uint32_t shift) {
    const uint32_t first = index[0], step = first == UINT32_MAX ? 0 : 1;
    uint32_t broken = 0;
    for (uint32_t i = 0; i < count; ++i)
        broken |= index[i] ^ (first + i * step);
    return !broken && (!step || first >> shift == index[count - 1] >> shift);
}

void keeli_list_chunk(keeli_iterator *it, uint32_t count) {
    const keeli_plan *plan = &it->plan;
    bool side_by_side = true;
    for (uint32_t c = 0; c < plan->column_count; ++c) {
        const keeli_plan_column *column = &plan->columns[c];
        const keeli_storage *s = column->storage;
        uint32_t *index = it->index[column->term];
        const uint32_t shift = s ? s->root->shift : 31;
        find_places(it, index, column, count);
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
    if (!it->view->wants_entities) return;
    for (uint32_t i = 0; i < count; ++i)
        it->entities[i] = keeli_entity_at(&it->view->world->entities, it->candidates[i]);
    it->chunk.entities = it->entities;
}
