// SPDX-License-Identifier: MIT
// Filters blocks of candidates, without branches on the outcome, and looks up the places of their
// values for each column. This does not find the candidates: the scans do (scan_*.c, change.c,
// levels.c, iterate.c), and call this with up to KEELI_BLOCK of them.
#include "base/memory.h"
#include "find/iterate.h"

static void *const no_page[1]; // the page table of a column whose values are all absent

#define FOUR(n) n, n + 1, n + 2, n + 3
#define SIXTEEN(n) FOUR(n), FOUR(n + 4), FOUR(n + 8), FOUR(n + 12)
#define SIXTY_FOUR(n) SIXTEEN(n), SIXTEEN(n + 16), SIXTEEN(n + 32), SIXTEEN(n + 48)
#define ALL(n) SIXTY_FOUR(n), SIXTY_FOUR(64), SIXTY_FOUR(128), SIXTY_FOUR(192)
const uint32_t keeli_everybody[KEELI_BLOCK] = { KEELI_SIZE(ALL, SIXTY_FOUR)(0) };

void keeli_gather_block(keeli_iterator *it, const keel_entity *block, uint32_t count,
                        uint32_t place) {
    uint32_t *restrict candidates = it->candidates;
    const uint32_t first = keeli_index_of(block[0]);
    uint32_t differ = 0;
    for (uint32_t i = 0; i < count; ++i) {
        candidates[i] = keeli_index_of(block[i]);
        differ |= candidates[i] ^ first;
    }
    it->one_page = differ < KEELI_MASK_SLOTS;
    it->highest = first | differ;
    it->block = block;
    it->block_place = place;
    it->picked = keeli_everybody;
}

// ------------------------------------------------------------------ filters
static bool any_has(const keeli_view *view, const keeli_bound_term *any, uint32_t index) {
    bool there = false;
    for (uint32_t i = 0; i < any->count; ++i) {
        const keeli_storage *s = view->storages[any->first + i];
        there |= s && keeli_store_has(s, index);
    }
    return there;
}

// A byte for each candidate: 1 if it passes, otherwise 0. keep_numbers adds these numbers instead
// of branching.
typedef struct passing {
    uint8_t yes[KEELI_BLOCK];
} passing;

// Clears the bytes of candidates whose presence bit in a storage equals `unwanted`.
static void keep_bits(const keeli_iterator *it, passing *p, uint32_t count, const keeli_storage *s,
                      uint8_t unwanted) {
    const uint32_t pages = s->presence.root.page_count;
    const uint32_t *candidates = it->candidates;
    for (uint32_t i = 0, next; i < count; i = next) { // mostly, all candidates are on one page
        const uint32_t page = candidates[i] / KEELI_PAGE;
        const uint64_t *words = page < pages ? s->presence.root.pages[page] : keeli_no_bits;
        for (next = i; next < count && (it->one_page || candidates[next] / KEELI_PAGE == page);
             ++next) {
            const uint64_t word = words[candidates[next] / 64 % KEELI_PAGE_WORDS];
            p->yes[next] &= (uint8_t)((word >> (candidates[next] % 64) & 1) ^ unwanted);
        }
    }
}

static uint32_t keep_numbers(uint32_t *to, const uint32_t *from, const passing *p, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        to[kept] = from[i];
        kept += p->yes[i];
    }
    return kept;
}

// Drops the candidates that do not pass, together with their positions in the block and their
// places in the first `resolved` columns. Returns how many are left.
static uint32_t keep_passing(keeli_iterator *it, const passing *p, uint32_t count,
                             uint32_t resolved) {
    for (uint32_t c = 0; c < resolved; ++c) {
        uint32_t *index = it->index[it->plan->columns[c].term];
        if (keeli_is_looked_up(it->plan->columns[c].how))
            keep_numbers(index, index, p, count);
    }
    if (it->block)
        keep_numbers(it->picks, it->picked, p, count);
    it->picked = it->picks;
    return keep_numbers(it->candidates, it->candidates, p, count);
}

// Drops the candidates that do not pass the filters of the plan; returns how many are left. Does
// not check sparse sets that have a column: their look-up drops candidates, too (resolve).
static uint32_t filter(keeli_iterator *it, uint32_t count) {
    const keeli_plan *plan = it->plan;
    const bool leads = plan->scan == KEELI_SCAN_CHANGES; // all candidates pass the leading filter
    const bool are_roots = plan->relation && it->level == 0;
    const bool all_pass = plan->relation && it->level && it->all_pass;
    const uint32_t check_count = all_pass ? 0 : plan->check_count;
    const bool asks_changes = plan->change_count != leads;
    if (!check_count && !plan->without_count && !plan->any_count && !are_roots && !asks_changes)
        return count;

    passing p;
    memset(p.yes, 1, count);
    for (uint32_t i = 0; i < check_count; ++i)
        keep_bits(it, &p, count, plan->check[i], 0);
    for (uint32_t i = 0; i < plan->without_count; ++i)
        keep_bits(it, &p, count, plan->without[i], 1);
    if (are_roots)
        keep_bits(it, &p, count, plan->relation, 1);
    if (are_roots && plan->is_changed_up && !it->all_changed)
        for (uint32_t i = 0; i < count; ++i)
            p.yes[i] &= keeli_change_passes(&plan->changed_up, it->candidates[i]);

    for (uint32_t a = 0; a < plan->any_count; ++a)
        for (uint32_t i = 0; i < count; ++i)
            p.yes[i] &= any_has(it->view, plan->any[a], it->candidates[i]);
    for (uint32_t c = 0; c < plan->change_count; ++c) {
        const keeli_change_filter *f = &plan->changes[c];
        if (leads && f == plan->lead)
            continue;
        for (uint32_t i = 0; i < count; ++i)
            p.yes[i] &= keeli_change_passes(f, it->candidates[i]);
    }
    return keep_passing(it, &p, count, 0);
}

// ------------------------------------------------------------------ places
// number_in returns the number at an index: from `page`, or if the candidates are not all on one
// page, from a table of pages. look_up reads the numbers of all candidates, whose `count` must be a
// multiple of four. It reads four numbers at a time, which takes fewer instructions than one at a
// time, and is a third faster than the gather instructions that compilers use for a plain loop.
static inline __attribute__((always_inline)) uint32_t
number_in(uint32_t *const *table, const uint32_t *page, uint32_t index, bool one_page) {
    return (one_page ? page : table[index / KEELI_PAGE])[index % KEELI_PAGE];
}

static inline __attribute__((always_inline)) void look_up(uint32_t *restrict index,
                                                          const uint32_t *candidates,
                                                          uint32_t count, uint32_t *const *table,
                                                          bool one_page) {
    const uint32_t *page = table[candidates[0] / KEELI_PAGE];
    for (uint32_t i = 0; i < count; i += 4) {
        const uint32_t a = number_in(table, page, candidates[i], one_page);
        const uint32_t b = number_in(table, page, candidates[i + 1], one_page);
        const uint32_t c = number_in(table, page, candidates[i + 2], one_page);
        const uint32_t d = number_in(table, page, candidates[i + 3], one_page);
        index[i] = a;
        index[i + 1] = b;
        index[i + 2] = c;
        index[i + 3] = d;
    }
}

static void look_up_all(keeli_iterator *it, uint32_t *index, uint32_t count,
                        uint32_t *const *table) {
    uint32_t *candidates = it->candidates, fours = count;
    for (; fours % 4; ++fours)
        candidates[fours] = candidates[count - 1];
    if (it->one_page)
        look_up(index, candidates, fours, table, true);
    else
        look_up(index, candidates, fours, table, false);
}

// Updates `range` of s->known: the number of first slots whose entity indices are consecutive. Each
// call compares some more slots. Does nothing while several threads run, as their iterators may
// read `known`.
static void learn_order(const keel_world *world, keeli_storage *s) {
    enum { AT_ONCE = KEELI_SIZE(1024, 2) };
    keeli_known_order *known = &s->known;
    const keeli_sparse_set *set = &s->set;
    const uint32_t page = (uint32_t)1 << KEELI_DENSE_SHIFT;
    if (world->access.concurrent)
        return;
    if (known->moves_of_range != set->moves) {
        known->moves_of_range = set->moves;
        known->range = 0;
        known->range_ends = false;
    }
    if (known->range_ends || known->range >= set->count)
        return;
    const uint32_t on_page = keeli_least(set->count - known->range, page - known->range % page);
    const uint32_t count = keeli_least(on_page, AT_ONCE);
    const keel_entity *entities = keeli_sparse_set_entity(set, known->range);
    const uint32_t first = keeli_index_of(*keeli_sparse_set_entity(set, 0)) + known->range;
    uint32_t differ = 0, n = 0;
    for (uint32_t i = 0; i < count; ++i)
        differ |= keeli_index_of(entities[i]) ^ (first + i);
    while (differ && keeli_index_of(entities[n]) == first + n)
        ++n;
    known->range_ends = differ != 0;
    known->range += differ ? n : count;
}

// Computes the places of candidates in the range of s->known, where the slot is the index minus the
// first index. False if a candidate is outside of the range.
static bool find_in_order(const keeli_iterator *it, uint32_t *restrict index,
                          const keeli_storage *s, uint32_t count) {
    const uint32_t range = s->known.moves_of_range == s->set.moves ? s->known.range : 0;
    if (!range)
        return false;
    const uint32_t *candidates = it->candidates;
    const uint32_t first = keeli_index_of(*keeli_sparse_set_entity(&s->set, 0));
    uint32_t outside = 0;
    if (candidates[0] - first >= range)
        return false;
    for (uint32_t i = 0; i < count; ++i) {
        index[i] = candidates[i] - first;
        outside |= index[i] >= range;
    }
    return !outside;
}

// Looks up the candidates' slots in a sparse set. Returns the number of candidates without a slot,
// whose entry in `index` is KEELI_NO_SLOT.
static uint32_t find_cells(keeli_iterator *it, uint32_t *index, keeli_storage *s, uint32_t count) {
    const keeli_sparse_set *set = &s->set;
    const uint32_t *candidates = it->candidates;
    uint32_t missing = 0;
    learn_order(it->view->world, s);
    if (find_in_order(it, index, s, count))
        return 0;

    if (it->highest / KEELI_PAGE < set->cells.capacity)
        look_up_all(it, index, count, set->root.sparse);
    else
        for (uint32_t i = 0; i < count; ++i)
            index[i] = keeli_sparse_set_find(set, candidates[i]);
    for (uint32_t i = 0; i < count; ++i)
        missing += index[i] == KEELI_NO_SLOT;
    return missing;
}

// Looks up the values of all columns. Drops candidates that lack a value that the view requires.
// Returns how many are left.
static uint32_t resolve(keeli_iterator *it, uint32_t count) {
    const keel_world *world = it->view->world;
    const uint32_t *candidates = it->candidates;
    for (uint32_t c = 0; c < it->plan->column_count && count; ++c) {
        const keeli_plan_column *column = &it->plan->columns[c];
        uint32_t *index = it->index[column->term];
        if (column->how == KEELI_LOOK_UP)
            for (uint32_t i = 0; i < count; ++i)
                index[i] = keeli_store_place(world, column->storage, candidates[i]);
        if (column->how == KEELI_BY_ROW)
            look_up_all(it, index, count, world->entities.root.where);
        uint32_t missing = 0;
        if (column->how == KEELI_BY_CELL)
            missing = find_cells(it, index, column->storage, count);
        if (column->relation)
            missing = keeli_find_through(it, column, count);
        if (!missing || column->maybe)
            continue;

        passing p;
        for (uint32_t i = 0; i < count; ++i)
            p.yes[i] = index[i] != KEELI_NO_SLOT;
        count = keep_passing(it, &p, count, c + 1);
    }
    return count;
}

// ------------------------------------------------------------------ columns
bool keeli_is_range(const uint32_t *index, uint32_t count) {
    const uint32_t first = index[0], step = first == UINT32_MAX ? 0 : 1;
    if (index[count - 1] != first + (count - 1) * step)
        return false;
    uint32_t broken = 0;
    for (uint32_t i = 0; i < count; ++i)
        broken |= index[i] ^ (first + i * step);
    return !broken;
}

static bool is_on_one_page(const uint32_t *index, uint32_t count, uint32_t shift) {
    uint32_t differ = 0;
    for (uint32_t i = 0; i < count; ++i)
        differ |= index[i] ^ index[0];
    return differ >> shift == 0;
}

// Sets a column whose values are in the order of the block. If they are on one page, the column
// points to the value of the block's first entity, and its indices are the positions of the
// candidates in the block. True if the values lie side by side.
static bool use_block(keeli_iterator *it, const keeli_plan_column *column, uint32_t count) {
    const keeli_storage *s = column->storage;
    const uint32_t first = it->picked[0], last = it->picked[count - 1], place = it->block_place;
    keel_chunk_column *out = &it->chunk.columns[column->term];
    if (place >> s->root->shift == (place + last) >> s->root->shift) {
        void **page = &it->flat[column->term];
        *page = keeli_store_at(s, place);
        *out = (keel_chunk_column){ *page, page, it->picked, 31, NULL };
        return last - first == count - 1;
    }

    uint32_t *index = it->index[column->term];
    for (uint32_t i = 0; i < count; ++i)
        index[i] = place + it->picked[i];
    *out = (keel_chunk_column){ NULL, s->root->pages, index, s->root->shift, NULL };
    return false;
}

// Sets a column to the values at the places `index`. True if the values lie side by side, or all
// are absent.
static bool use_places(keeli_iterator *it, const keeli_plan_column *column, const uint32_t *index,
                       uint32_t count) {
    const keeli_storage *s = column->storage;
    const uint32_t shift = s->root->shift, page = index[0] >> shift;
    keel_chunk_column *out = &it->chunk.columns[column->term];
    void *const *pages = s->root->pages ? s->root->pages : no_page;
    *out = (keel_chunk_column){ NULL, pages, index, shift, NULL };
    if (index[0] == UINT32_MAX)
        return keeli_is_range(index, count);
    if (!is_on_one_page(index, count, shift))
        return false;

    if (page) {
        uint32_t *low = it->index[column->term];
        for (uint32_t i = 0; i < count; ++i)
            low[i] = index[i] & (((uint32_t)1 << shift) - 1);
        out->index = low;
        out->pages += page;
    }
    out->base = *out->pages;
    return keeli_is_range(out->index, count);
}

static bool set_column(keeli_iterator *it, const keeli_plan_column *column, uint32_t count) {
    if (column->how == KEELI_IN_ORDER)
        return use_block(it, column, count);
    if (column->how == KEELI_BY_INDEX)
        return use_places(it, column, it->candidates, count);
    if (keeli_is_looked_up(column->how))
        return use_places(it, column, it->index[column->term], count);
    uint32_t *index = it->index[column->term];
    memset(index, 0xFF, count * sizeof *index);
    it->chunk.columns[column->term] = (keel_chunk_column){ NULL, no_page, index, 31, NULL };
    return true;
}

static void set_entities(keeli_iterator *it, uint32_t count) {
    const uint32_t *picked = it->picked;
    it->chunk.entities = it->entities;
    if (!it->block) {
        for (uint32_t i = 0; i < count; ++i)
            it->entities[i] = keeli_entity_at(&it->view->world->entities, it->candidates[i]);
    } else if (picked[count - 1] - picked[0] == count - 1) {
        it->chunk.entities = it->block + picked[0];
    } else {
        for (uint32_t i = 0; i < count; ++i)
            it->entities[i] = it->block[picked[i]];
    }
}

bool keeli_gather_chunk(keeli_iterator *it, uint32_t count) {
    const keeli_plan *plan = it->plan;
    count = resolve(it, count);
    if (!count)
        return false;

    bool is_span = true;
    for (uint32_t c = 0; c < plan->column_count; ++c)
        is_span &= set_column(it, &plan->columns[c], count);
    it->chunk.form = is_span ? KEEL_CHUNK_SPAN : KEEL_CHUNK_LIST;
    it->chunk.count = count;
    if (it->wants_entities)
        set_entities(it, count);
    if (!is_span)
        return true;

    // The base of a span's column is its first value.
    for (uint32_t c = 0; c < plan->column_count; ++c) {
        const keeli_plan_column *column = &plan->columns[c];
        keel_chunk_column *out = &it->chunk.columns[column->term];
        if (out->base)
            out->base = (char *)out->base + (size_t)out->index[0] * column->storage->size;
    }
    return true;
}

bool keeli_gather(keeli_iterator *it, uint32_t count) {
    count = filter(it, count);
    return count && keeli_gather_chunk(it, count);
}
