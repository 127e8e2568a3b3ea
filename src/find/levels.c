// SPDX-License-Identifier: MIT
// Levels: the entities of a relation, with targets before their sources. Iterates over levels
// (KEEL_TARGETS_FIRST) and over the sources of one target (KEEL_RELATED), and finds the values that
// a relation leads to (KEEL_OF_TARGET, KEEL_UP). This does not change links: see link/relation.c.
// Iterators (iterate.c) and the look-up of columns (gather.c) call it.
//
// The levels depend on the links only, not on the order of edits. They are a cache: the first
// iteration that begins after links have changed builds them anew. This costs about as much as
// following all links once, so edits of single links do not update the levels. During an iteration
// its view borrows the relation, so that links cannot change.
#include "base/memory.h"
#include "find/iterate.h"
#include "find/relation.h"
#include "follow/changes.h"
#include "world/registry.h"
#include "world/report.h"

#define NO_PLACE UINT32_MAX

// ------------------------------------------------------------------ building the levels
// The position in one of several chains of sources that are followed in turn. A link contains the
// index of the next source, so each step along a chain waits for a load, which mostly misses the
// cache where indices are scattered. Following the chains of several targets in turn overlaps these
// waits (benchmark tree_up_edited_shuffled).
typedef struct row {
    uint32_t next;  // index of the source to append next
    uint32_t place; // place of the target
    uint32_t at;    // place of the source to append next
    uint32_t left;  // number of sources still to append
} row;
enum { ROWS = KEELI_SIZE(16, 2) };

// Appends all sources of `count` chains, one source of each chain in turn. Each chain has a range
// of places of its own, so the result does not depend on the turns.
static void append_rows(keeli_levels *l, const keeli_chains *chains, row *rows, uint32_t count) {
    while (count) {
        for (uint32_t r = 0; r < count;) {
            row *one = &rows[r];
            l->entities.items[one->at] = keeli_source_at(chains, one->next);
            l->targets.items[one->at++] = one->place;
            if (--one->left == 0) {
                *one = rows[--count];
                continue;
            }
            one->next = keeli_link_at(chains, one->next)->next;
            __builtin_prefetch(keeli_link_at(chains, one->next));
            ++r;
        }
    }
}

// Appends the sources of the entities at places from..end, for a relation whose edges are chains.
static void append_chains(keeli_levels *l, const keeli_chains *chains, uint32_t from,
                          uint32_t end) {
    row rows[ROWS];
    uint32_t count = 0, at = end;
    for (uint32_t p = from; p < end; ++p) {
        const uint32_t target = keeli_index_of(l->entities.items[p]);
        if (p + ROWS < end)
            __builtin_prefetch(keeli_chain_of(chains, keeli_index_of(l->entities.items[p + ROWS])));
        const keeli_chain *chain = keeli_chain_of(chains, target);
        if (!chain || !chain->count)
            continue;
        rows[count++] = (row){ chain->first, p, at, chain->count };
        __builtin_prefetch(keeli_link_at(chains, chain->first));
        at += chain->count;
        if (count < ROWS)
            continue;
        append_rows(l, chains, rows, count);
        count = 0;
    }
    append_rows(l, chains, rows, count);
    l->entities.count = at;
}

// Appends the sources of the entities at places from..end, for a relation whose edges are lists.
static void append_lists(const keel_world *world, keeli_levels *l, const keeli_edges *edges,
                         uint32_t from, uint32_t end) {
    uint32_t at = end;
    for (uint32_t p = from; p < end; ++p) {
        const uint32_t target = keeli_index_of(l->entities.items[p]);
        KEELI_EACH_EDGE(place, edges, KEELI_SOURCES, target) {
            const uint32_t source = keeli_edge_other(edges, KEELI_SOURCES, target, place);
            l->entities.items[at] = keeli_entity_at(&world->entities, source);
            l->targets.items[at++] = p;
        }
    }
    l->entities.count = at;
}

// Appends level 0: the entities that have sources, but no target.
static void append_roots(const keel_world *world, keeli_levels *l, const keeli_storage *sources,
                         const keeli_storage *targets) {
    KEELI_EACH_BIT(i, &targets->presence) {
        if (keeli_store_has(sources, i))
            continue;
        l->targets.items[l->entities.count] = NO_PLACE;
        *KEELI_APPEND(&l->entities) = keeli_entity_at(&world->entities, i);
    }
}

// Builds the levels of a relation; false when out of memory.
static bool build_levels(keel_world *world, keeli_levels *l, const keeli_storage *sources) {
    keeli_heap *heap = &world->heap;
    const keeli_relation *r = sources->relation;
    const keeli_storage *targets = r->targets;
    const uint32_t most = keeli_store_count(sources) + keeli_store_count(targets) + 1;
    l->is_made = false;
    l->entities.count = l->targets.count = l->starts.count = 0;
    if (!KEELI_RESERVE(heap, &l->entities, most) || !KEELI_RESERVE(heap, &l->targets, most))
        return false;

    append_roots(world, l, sources, targets);
    for (uint32_t at = 0;;) {
        if (!KEELI_RESERVE(heap, &l->starts, 2))
            return false;
        *KEELI_APPEND(&l->starts) = at;
        const uint32_t end = l->entities.count;
        if (at == end)
            break;
        if (r->edges.is_chained)
            append_chains(l, &r->edges.chains, at, end);
        else
            append_lists(world, l, &r->edges, at, end);
        at = end;
    }
    if (l->starts.count == 1)
        *KEELI_APPEND(&l->starts) = 0; // level 0 exists, even if empty

    l->edits = keeli_relation_edits(sources);
    l->has_places = false;
    l->is_made = true;
    return true;
}

// Builds the table of places by index; false when out of memory.
static bool build_places(keel_world *world, keeli_levels *l) {
    l->places.count = 0;
    if (!KEELI_RESERVE(&world->heap, &l->places, world->entities.size))
        return false;
    if (world->entities.size)
        memset(l->places.items, 0xFF, world->entities.size * sizeof *l->places.items);
    l->places.count = world->entities.size;
    for (uint32_t p = 0; p < l->entities.count; ++p)
        l->places.items[keeli_index_of(l->entities.items[p])] = p;
    l->has_places = true;
    return true;
}

// Builds the levels of a plan's relation if they are out of date. Several threads may call this at
// once: one builds the levels, the others wait. False when out of memory (reported).
static bool update_levels(const keeli_view *view, const keeli_plan *plan) {
    keel_world *world = view->world;
    keeli_levels *l = &plan->relation->relation->levels;
    keeli_lock_acquire(&l->lock);
    bool is_ready = l->is_made && l->edits == keeli_relation_edits(plan->relation);
    if (!is_ready) {
        is_ready = build_levels(world, l, plan->relation);
        l->made_at = keeli_holder_now(world, &view->holder);
    }
    if (is_ready && plan->is_changed_up && !l->has_places)
        is_ready = build_places(world, l);
    keeli_lock_release(&l->lock);
    if (!is_ready)
        (void)keeli_out_of_memory(world, "beginning a loop");
    return is_ready;
}

void keeli_levels_trim(keel_world *world) {
    for (keeli_relation *r = world->relations.all; r; r = r->next)
        keeli_levels_release(&world->heap, &r->levels);
}

// ------------------------------------------------------------------ the nearest entity above
static uint32_t level_count(const keeli_levels *l) { return l->starts.count - 1; }

static bool needs_nearest(const keeli_iterator *it, const keeli_plan_column *column) {
    return column->how == KEELI_UP && column->relation == it->plan->relation &&
           !it->is_direct[column->term];
}

// Finds the nearest entity above that has the component, for each column of a KEEL_UP and each of
// the places from..end. The levels above must have their results already.
static void find_nearest(keeli_iterator *it, uint32_t from, uint32_t end) {
    const keeli_levels *l = it->levels;
    for (uint32_t c = 0; c < it->plan->column_count; ++c) {
        const keeli_plan_column *column = &it->plan->columns[c];
        if (!needs_nearest(it, column))
            continue;
        uint32_t *nearest = it->nearest[column->term];
        uint32_t last = NO_PLACE, answer = NO_PLACE; // siblings have the same answer
        for (uint32_t p = from; p < end; ++p) {
            const uint32_t target = l->targets.items[p];
            if (target != last && target != NO_PLACE) {
                const uint32_t index = keeli_index_of(l->entities.items[target]);
                answer = keeli_store_has(column->storage, index) ? index : nearest[target];
            }
            last = target;
            nearest[p] = answer;
        }
    }
}

// ------------------------------------------------------------------ entities below a change
// Marks the entity in `is_changed` if it passes the filter of KEEL_CHANGED_UP and has links.
static void mark_changed(keeli_iterator *it, uint32_t index) {
    // An index behind the end of the table belongs to an entity that was created later. It has no
    // links, since new links would have invalidated the levels and the table.
    const keeli_levels *l = it->levels;
    const uint32_t place = index < l->places.count ? l->places.items[index] : NO_PLACE;
    if (place != NO_PLACE)
        it->is_changed[place] = keeli_change_passes(&it->plan->changed_up, index);
}

static void mark_logged(keeli_iterator *it, const keeli_ticks *ticks, keeli_tick_range w) {
    uint32_t count;
    (void)keeli_ticks_log_since(ticks, w.first - 1, &count);
    for (uint32_t i = ticks->log_count - count; i < ticks->log_count; ++i)
        mark_changed(it, ticks->log[i].index);
}

// Marks the entities whose own value has changed; mark_below adds the entities below these. If the
// tick at which the levels were last built (made_at) is new to the reader, links may have changed,
// and all entities count as changed. False when out of memory.
static bool begin_changed(keeli_iterator *it) {
    const keeli_levels *l = it->levels;
    const keeli_change_filter *f = &it->plan->changed_up;
    const keel_world *world = it->view->world;
    it->all_changed = keeli_is_within(f->modified_in, keeli_tick_of(world, l->made_at));
    if (it->all_changed || keeli_change_is_empty(f))
        return true;

    it->room_of_changed.count = 0;
    if (!KEELI_RESERVE(&it->view->world->heap, &it->room_of_changed, l->entities.count))
        return false;
    it->is_changed = it->room_of_changed.items;
    if (l->entities.count)
        memset(it->is_changed, 0, l->entities.count);
    if (keeli_change_logged(f) < UINT32_MAX) {
        mark_logged(it, f->inserted, f->inserted_in);
        mark_logged(it, f->modified, f->modified_in);
        return true;
    }

    const keeli_presence *there = &f->storage->presence;
    for (uint32_t page = 0; page < there->root.page_count; ++page) {
        if (!keeli_change_page_may_match(f, page))
            continue;
        for (uint32_t w = 0; w < KEELI_PAGE_WORDS; ++w) {
            const uint32_t block = page * KEELI_PAGE_WORDS + w;
            uint64_t bits = keeli_change_bits(f, block, there->root.pages[page][w]);
            for (; bits; bits &= bits - 1)
                mark_changed(it, block * 64 + (uint32_t)__builtin_ctzll(bits));
        }
    }
    return true;
}

// Marks each entity of the places from..end whose target is marked. All changed entities of the
// level above must be marked already.
static void mark_below(keeli_iterator *it, uint32_t from, uint32_t end) {
    const uint32_t *targets = it->levels->targets.items;
    uint8_t *is_changed = it->is_changed;
    for (uint32_t p = from; p < end; ++p)
        is_changed[p] |= is_changed[targets[p]];
}

// Makes the next marked entities the candidates. The block begins at it->at. Returns their number.
static uint32_t next_changed(keeli_iterator *it) {
    const keel_entity *block = it->levels->entities.items + it->at;
    const uint8_t *is_changed = it->is_changed + it->at;
    const uint32_t left = it->end - it->at;
    uint32_t count = 0, at = 0;
    it->highest = 0;
    for (; at < left && count < KEELI_BLOCK; ++at) {
        if (left - at >= 8) {
            uint64_t eight;
            memcpy(&eight, is_changed + at, 8);
            if (!eight) {
                at += 7;
                continue;
            }
        }
        if (!is_changed[at])
            continue;
        it->picks[count] = at;
        it->candidates[count] = keeli_index_of(block[at]);
        if (it->candidates[count] > it->highest)
            it->highest = it->candidates[count];
        ++count;
    }

    it->one_page = false;
    it->block = block;
    it->block_place = it->at;
    it->picked = it->picks;
    it->at += at;
    return count;
}

static bool is_filtered(const keeli_iterator *it) {
    return it->plan->is_changed_up && !it->all_changed;
}

// ------------------------------------------------------------------ iterating by level
static bool is_same_fact(const keeli_level_fact *a, const keeli_level_fact *b) {
    return a->slot == b->slot && a->count == b->count && a->cleared == b->cleared &&
           a->edits == b->edits && a->bindings == b->bindings;
}

// True if every entity of the levels has the component. The answer is cached together with the
// counters that invalidate it.
static bool all_have(const keel_world *world, keeli_levels *l, const keeli_storage *s) {
    const keeli_level_fact now = { .slot = s->slot,
                                   .count = s->presence.count,
                                   .cleared = s->presence.cleared,
                                   .edits = l->edits,
                                   .bindings = world->registry.bindings };
    keeli_level_fact *fact = &l->facts[s->slot % KEELI_LEVEL_FACTS];
    if (is_same_fact(fact, &now))
        return fact->all;

    *fact = now;
    fact->all = s->presence.count >= l->entities.count;
    for (uint32_t p = 0; p < l->entities.count && fact->all; ++p)
        fact->all = keeli_store_has(s, keeli_index_of(l->entities.items[p]));
    return fact->all;
}

// Finds out which components every entity of the levels has, so that the iteration need not look
// them up for each entity: components in `check` of the plan, and those of KEEL_UP.
static void find_facts(keeli_iterator *it) {
    keel_world *world = it->view->world;
    const keeli_plan *plan = it->plan;
    keeli_levels *l = &plan->relation->relation->levels;
    keeli_lock_acquire(&l->lock);
    it->all_pass = true;
    for (uint32_t i = 0; i < plan->check_count; ++i)
        it->all_pass &= all_have(world, l, plan->check[i]);
    for (uint32_t c = 0; c < plan->column_count; ++c)
        if (plan->columns[c].how == KEELI_UP && plan->columns[c].relation == plan->relation)
            it->is_direct[plan->columns[c].term] = all_have(world, l, plan->columns[c].storage);
    keeli_lock_release(&l->lock);
}

bool keeli_levels_begin(keeli_iterator *it) {
    keel_world *world = it->view->world;
    it->all_changed = false;
    if (!update_levels(it->view, it->plan))
        return false;
    const keeli_levels *l = it->levels = &it->plan->relation->relation->levels;
    if (it->plan->is_changed_up && !begin_changed(it)) {
        (void)keeli_out_of_memory(world, "beginning a loop");
        return false;
    }
    find_facts(it);
    if (is_filtered(it))
        return true; // few entities are visited, so each climbs by its links

    uint32_t columns = 0;
    for (uint32_t c = 0; c < it->plan->column_count; ++c)
        columns += needs_nearest(it, &it->plan->columns[c]);
    it->room_of_nearest.count = 0;
    if ((uint64_t)columns * l->entities.count > UINT32_MAX ||
        !KEELI_RESERVE(&world->heap, &it->room_of_nearest, (size_t)columns * l->entities.count)) {
        (void)keeli_out_of_memory(world, "beginning a loop");
        return false;
    }
    for (uint32_t c = 0, n = 0; c < it->plan->column_count; ++c)
        if (needs_nearest(it, &it->plan->columns[c]))
            it->nearest[it->plan->columns[c].term] =
                it->room_of_nearest.items + (size_t)l->entities.count * n++;
    find_nearest(it, 0, l->starts.items[1]); // level 0: no entity is above, which sets NO_PLACE
    return true;
}

void keeli_levels_share(keeli_iterator *it, const keeli_iterator *other) {
    it->levels = other->levels;
    memcpy(it->nearest, other->nearest, sizeof it->nearest);
    memcpy(it->is_direct, other->is_direct, sizeof it->is_direct);
    it->all_pass = other->all_pass;
    it->all_changed = other->all_changed;
    it->is_changed = other->is_changed;
}

static void begin_level(keeli_iterator *it, uint32_t at, uint32_t end) {
    it->at = at;
    it->end = end;
    if (is_filtered(it))
        mark_below(it, at, end);
    else
        find_nearest(it, at, end);
}

static void begin_next_level(keeli_iterator *it) {
    const uint32_t *starts = it->levels->starts.items;
    begin_level(it, starts[it->level], starts[it->level + 1]);
}

void keeli_levels_rewind(keeli_iterator *it) {
    it->level = 0;
    it->level_end =
        it->levels ? level_count(it->levels) : 0; // NULL: keeli_levels_aim sets level_end later
    if (it->plan->needs_target)
        it->end = 0;
    it->done |= it->levels && is_filtered(it) && keeli_change_is_empty(&it->plan->changed_up);
}

// Fills the chunk with the next entities of a level below the roots; false at the end of the level.
static bool scan_level(keeli_iterator *it) {
    while (it->at < it->end) {
        const uint32_t at = it->at;
        uint32_t count = keeli_least(it->end - at, KEELI_BLOCK);
        if (is_filtered(it)) {
            count = next_changed(it);
        } else {
            it->at += count;
            keeli_gather_block(it, it->levels->entities.items + at, count, at);
        }
        if (count && keeli_gather(it, count))
            return true;
    }
    return false;
}

bool keeli_scan_levels(keeli_iterator *it) {
    for (;;) {
        if (it->level == 0 ? keeli_scan_bits(it) : scan_level(it))
            return true;
        if (it->level + 1 >= it->level_end)
            return false;
        ++it->level;
        begin_next_level(it);
    }
}

// ------------------------------------------------------------------ pieces
// Returns the number of entities of a level. For level 0, which is scanned by presence bits: the
// number of indices.
static uint32_t level_size(const keeli_iterator *it, uint32_t level, uint32_t indices) {
    const uint32_t *starts = it->levels->starts.items;
    if (level == 0)
        return it->plan->needs_target ? 0 : indices;
    return starts[level + 1] - starts[level];
}

uint32_t keeli_levels_range(const keeli_iterator *it, uint32_t indices) {
    const keeli_levels *l = it->levels;
    return level_size(it, 0, indices) + l->entities.count - l->starts.items[1];
}

// Cuts a large level into several pieces, and joins small levels that follow each other into one
// piece.
bool keeli_levels_cut(keeli_pieces *p, const keeli_iterator *it, uint32_t indices) {
    keeli_heap *heap = &it->view->world->heap;
    const uint32_t levels = level_count(it->levels);
    for (uint32_t level = 0, end; level < levels; level = end) {
        const uint32_t size = level_size(it, level, indices);
        const uint32_t from = level ? it->levels->starts.items[level] : 0;
        const bool is_large = size >= KEELI_GRAIN_MOST;
        const uint32_t grain = is_large ? (keeli_grain(size) + KEELI_BLOCK - 1) / KEELI_BLOCK : 0;
        end = level + 1;
        if (!is_large)
            while (end < levels && level_size(it, end, indices) < KEELI_GRAIN_MOST)
                ++end;

        for (uint32_t at = 0; at < size || at == 0;) {
            const uint32_t count = is_large ? keeli_least(grain * KEELI_BLOCK, size - at) : size;
            if (!KEELI_RESERVE(heap, &p->list, 1))
                return false;
            *KEELI_APPEND(&p->list) = (keeli_piece){ from + at, from + at + count, level, end };
            at += count ? count : 1;
        }
    }
    return true;
}

void keeli_levels_aim(keeli_iterator *it, const keeli_piece *piece) {
    it->level = piece->match_at;
    it->level_end = piece->block_at;
    it->block = NULL;
    if (it->level)
        begin_level(it, piece->at, piece->end);
}

// ------------------------------------------------------------------ values through a relation
// Returns the nearest entity above that has the component; NO_PLACE if there is none.
static uint32_t climb(const keeli_storage *relation, const keeli_storage *s, uint32_t index) {
    while (keeli_store_has(relation, index)) {
        index = keeli_target_at(relation, index);
        if (keeli_store_has(s, index))
            return index;
    }
    return NO_PLACE;
}

uint32_t keeli_through(const keeli_storage *relation, const keeli_storage *s, bool is_up,
                       uint32_t index) {
    if (!s || !relation || !keeli_store_has(relation, index))
        return NO_PLACE;
    if (is_up)
        return climb(relation, s, index);
    index = keeli_target_at(relation, index);
    return keeli_store_has(s, index) ? index : NO_PLACE;
}

// Returns the place of the value that a relation leads to: the value of the target, or if `climbs`
// and the target has none, that of the nearest entity above it.
static inline __attribute__((always_inline)) uint32_t place_through(const keel_world *world,
                                                                    const keeli_plan_column *column,
                                                                    keel_storage kind, bool climbs,
                                                                    uint32_t target) {
    const keeli_storage *s = column->storage;
    if (climbs && !keeli_store_has(s, target))
        target = climb(column->relation, s, target);
    return keeli_place(kind, s->root, &s->presence.root, &world->entities.root, target);
}

// Puts the places of a column's values into it->index: those of the candidates' targets, or of the
// nearest entities above. Finds them by the candidates' places in the levels, without reading
// links.
static inline __attribute__((always_inline)) void find_by_level(keeli_iterator *it,
                                                                const keeli_plan_column *column,
                                                                keel_storage kind, uint32_t count) {
    const keeli_levels *l = it->levels;
    const bool is_nearest = column->how == KEELI_UP && !it->is_direct[column->term];
    const uint32_t *from = is_nearest ? it->nearest[column->term] : l->targets.items;
    const uint32_t *picked = it->picked;
    uint32_t *index = it->index[column->term], last = NO_PLACE, answer = NO_PLACE;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t target = from[it->block_place + picked[i]];
        if (target != last) {
            const uint32_t e = is_nearest ? target : keeli_index_of(l->entities.items[target]);
            answer = place_through(it->view->world, column, kind, false, e);
        }
        last = target;
        index[i] = answer;
    }
}

// Like find_by_level, but follows the links of each candidate.
static inline __attribute__((always_inline)) void find_by_link(keeli_iterator *it,
                                                               const keeli_plan_column *column,
                                                               keel_storage kind, bool climbs,
                                                               uint32_t count) {
    const uint32_t *candidates = it->candidates;
    uint32_t *index = it->index[column->term], last = NO_PLACE, answer = NO_PLACE;
    for (uint32_t i = 0; i < count; ++i) {
        index[i] = NO_PLACE;
        if (column->maybe && !keeli_store_has(column->relation, candidates[i]))
            continue;
        const uint32_t target = keeli_target_at(column->relation, candidates[i]);
        if (target != last)
            answer = place_through(it->view->world, column, kind, climbs, target);
        last = target; // siblings are often adjacent, and have the same answer
        index[i] = answer;
    }
}

// Finds the values of a column. `kind`: the kind of its storage, a constant in each call, so that
// the compiler makes a loop for each kind.
static inline __attribute__((always_inline)) void find_through(keeli_iterator *it,
                                                               const keeli_plan_column *column,
                                                               keel_storage kind, uint32_t count) {
    const bool by_level =
        it->plan->scan == KEELI_SCAN_LEVELS && it->level && column->relation == it->plan->relation;
    const bool is_up = column->how == KEELI_UP;
    const bool must_climb = is_up && is_filtered(it) && !it->is_direct[column->term];
    if (by_level && !must_climb)
        find_by_level(it, column, kind, count);
    else if (is_up)
        find_by_link(it, column, kind, true, count);
    else
        find_by_link(it, column, kind, false, count);
}

uint32_t keeli_find_through(keeli_iterator *it, const keeli_plan_column *column, uint32_t count) {
    const keel_storage kind = column->storage->kind;
    const uint32_t *index = it->index[column->term];
    uint32_t missing = 0;
    if (kind == KEEL_INDEXED)
        find_through(it, column, KEEL_INDEXED, count);
    else if (kind == KEEL_SPARSE_SET)
        find_through(it, column, KEEL_SPARSE_SET, count);
    else
        find_through(it, column, KEEL_ARCHETYPE, count);
    for (uint32_t i = 0; i < count; ++i)
        missing += index[i] == NO_PLACE;
    return missing;
}

// ------------------------------------------------------------------ the sources of one target
uint32_t keeli_source_places(const keeli_view *view, const keeli_storage *relation) {
    const keel_world *world = view->world;
    const keel_entity to = view->facts.related_to;
    if (!keeli_entity_is_alive(&world->entities, to))
        return 0;
    const keeli_relation *r = relation->relation;
    if (r->edges.is_chained)
        return keeli_chain_count(&r->edges.chains, keeli_index_of(to));
    const keeli_edge_list *list = keeli_edge_list_of(&r->edges.targets, keeli_index_of(to));
    return list ? list->used : 0;
}

static uint32_t next_in_chain(keeli_iterator *it) {
    const keeli_chains *chains = &it->plan->related->relation->edges.chains;
    const uint32_t target = keeli_index_of(it->view->facts.related_to);
    uint32_t n = 0;
    for (; n < KEELI_BLOCK && it->at < it->end; ++it->at) {
        it->source = it->at ? keeli_link_at(chains, it->source)->next
                            : keeli_chain_at(chains, target)->first;
        it->candidates[n++] = it->source;
    }
    return n;
}

// Makes the next sources of the target the candidates. Returns their number.
static uint32_t next_sources(keeli_iterator *it) {
    if (it->plan->related->relation->edges.is_chained)
        return next_in_chain(it);
    const keeli_edge_side *side = &it->plan->related->relation->edges.targets;
    keeli_edge_list *list = keeli_edge_list_of(side, keeli_index_of(it->view->facts.related_to));
    uint32_t n = 0;
    for (; n < KEELI_BLOCK && it->at < it->end; ++it->at) {
        const uint32_t source = *keeli_edge_entry(list, side->stride, it->at);
        it->candidates[n] = source;
        n += source != KEELI_HOLE; // a hole is overwritten by the next source
    }
    return n;
}

bool keeli_scan_sources(keeli_iterator *it) {
    while (it->at < it->end) {
        const uint32_t count = next_sources(it);
        const uint32_t first = it->candidates[0];
        uint32_t differ = 0;
        for (uint32_t i = 0; i < count; ++i)
            differ |= it->candidates[i] ^ first;
        it->one_page = differ < KEELI_MASK_SLOTS;
        it->highest = first | differ;
        it->block = NULL;
        if (count && keeli_gather(it, count))
            return true;
    }
    return false;
}

bool keeli_is_below_change(const keeli_view *view, const keeli_bound_term *term, uint32_t index) {
    keel_world *world = view->world;
    const keeli_storage *relation = view->storages[term->first + 1];
    if (!view->storages[term->first])
        return false;
    const keeli_change_filter f = keeli_change_filter_of(view, term);
    if (!relation)
        return keeli_change_passes(&f, index);

    // After a change of the relation every entity passes, as in begin_changed.
    const keeli_levels *l = &relation->relation->levels;
    const bool is_current = l->is_made && l->edits == keeli_relation_edits(relation);
    if (!is_current || keeli_is_within(f.modified_in, keeli_tick_of(world, l->made_at)))
        return true;

    while (!keeli_change_passes(&f, index)) {
        if (!keeli_store_has(relation, index))
            return false;
        index = keeli_target_at(relation, index);
    }
    return true;
}
