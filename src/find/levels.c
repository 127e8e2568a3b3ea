// SPDX-License-Identifier: MIT
// Targets before their sources: the entities of a relation level by level, walks over them, and
// values that a relation leads to.
//
// The levels depend on the links only, not on how they came about. They are made anew by who begins
// a walk after links have changed: that costs about as much as following the links once, so they
// are not repaired edit by edit. While a walk goes on its view holds the relation, so that nobody
// changes links.
#include "base/memory.h"
#include "find/iterate.h"
#include "find/relation.h"
#include "follow/changes.h"
#include "world/registry.h"
#include "world/report.h"

#define NO_PLACE UINT32_MAX

// ------------------------------------------------------------------ making the levels
// The children of one entity, to places from `at` on; the place behind them. In an observer that is
// called while a tree is being deleted the last children have no link any more: it goes from the
// last to the first.
static uint32_t append_children(const keel_world *world, keeli_levels *l, uint32_t place,
                                uint32_t at) {
    const keel_entity target = l->entities.items[place];
    if (!keeli_has_children(world, target)) return at;
    const keel_parent *link = keeli_link_of_parent(world, target);
    uint32_t left = link->child_count;
    for (keel_entity e = link->first_child; left-- && keeli_has_parent(world, e);
         e = keeli_link_of_child(world, e)->next) {
        l->entities.items[at] = e;
        l->targets.items[at++] = place;
    }
    return at;
}

// Each link has to be there to know the next one, and where handles are scattered it is waited for.
// So several targets are walked side by side (tree_up_edited_shuffled).
typedef struct row {
    keel_entity next;
    uint32_t place, at, left;
} row;
enum { ROWS = KEELI_SIZE(16, 2) };

static void append_rows(const keel_world *world, keeli_levels *l, row *rows, uint32_t count) {
    while (count)
        for (uint32_t r = 0; r < count;) {
            row *one = &rows[r];
            l->entities.items[one->at] = one->next;
            l->targets.items[one->at++] = one->place;
            if (--one->left == 0) {
                *one = rows[--count];
                continue;
            }
            one->next = keeli_link_of_child(world, one->next)->next;
            __builtin_prefetch(keeli_link_of_child(world, one->next));
            ++r;
        }
}

static void append_level_of_tree(const keel_world *world, keeli_levels *l, uint32_t from,
                                 uint32_t end) {
    const bool may_be_broken = world->refused & KEELI_REFUSED_INSIDE;
    row rows[ROWS];
    uint32_t count = 0, at = end;
    for (uint32_t p = from; p < end; ++p) {
        if (may_be_broken) {
            at = append_children(world, l, p, at);
            continue;
        }
        const keel_entity target = l->entities.items[p];
        if (p + ROWS < end && keeli_has_children(world, l->entities.items[p + ROWS]))
            __builtin_prefetch(keeli_link_of_parent(world, l->entities.items[p + ROWS]));
        if (!keeli_has_children(world, target)) continue;
        const keel_parent *link = keeli_link_of_parent(world, target);
        rows[count++] = (row){ link->first_child, p, at, link->child_count };
        __builtin_prefetch(keeli_link_of_child(world, link->first_child));
        at += link->child_count;
        if (count < ROWS) continue;
        append_rows(world, l, rows, count);
        count = 0;
    }
    append_rows(world, l, rows, count);
    l->entities.count = at;
}

// Appends the sources of the places from..end.
static void append_level(const keel_world *world, keeli_levels *l, const keeli_edges *edges,
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

static void append_roots(const keel_world *world, keeli_levels *l, const keeli_storage *sources,
                         const keeli_storage *targets) {
    for (uint32_t i = 0; (i = keeli_store_next(targets, i)) != UINT32_MAX; ++i) {
        if (keeli_store_has(sources, i)) continue;
        l->targets.items[l->entities.count] = NO_PLACE;
        *KEELI_APPEND(&l->entities) = keeli_entity_at(&world->entities, i);
    }
}

static bool make(keel_world *world, keeli_levels *l, const keeli_storage *sources) {
    keeli_heap *heap = &world->heap;
    const keeli_storage *targets = keeli_targets_of(world, sources);
    const uint32_t most = keeli_store_count(sources) + keeli_store_count(targets) + 1;
    l->is_made = false;
    l->entities.count = l->targets.count = l->starts.count = 0;
    if (!KEELI_RESERVE(heap, &l->entities, most) || !KEELI_RESERVE(heap, &l->targets, most))
        return false;
    append_roots(world, l, sources, targets);
    for (uint32_t at = 0;;) {
        if (!KEELI_RESERVE(heap, &l->starts, 2)) return false;
        *KEELI_APPEND(&l->starts) = at;
        const uint32_t end = l->entities.count;
        if (at == end) break;
        if (!sources->relation) append_level_of_tree(world, l, at, end);
        else append_level(world, l, &sources->relation->edges, at, end);
        at = end;
    }
    if (l->starts.count == 1) *KEELI_APPEND(&l->starts) = 0; // the level of roots is there
    l->edits = keeli_relation_edits(world, sources);
    l->has_places = false;
    return l->is_made = true;
}

static bool make_places(keel_world *world, keeli_levels *l) {
    l->places.count = 0;
    if (!KEELI_RESERVE(&world->heap, &l->places, world->entities.size)) return false;
    if (world->entities.size)
        memset(l->places.items, 0xFF, world->entities.size * sizeof *l->places.items);
    l->places.count = world->entities.size;
    for (uint32_t p = 0; p < l->entities.count; ++p)
        l->places.items[keeli_index_of(l->entities.items[p])] = p;
    return l->has_places = true;
}

// Several walks may begin at once; the first of them makes it.
static bool bring_up_to_date(const keeli_view *view, const keeli_plan *plan) {
    keel_world *world = view->world;
    keeli_levels *l = keeli_levels_of(world, plan->relation);
    keeli_lock_take(&l->lock);
    bool is_there = l->is_made && l->edits == keeli_relation_edits(world, plan->relation);
    if (!is_there) {
        is_there = make(world, l, plan->relation);
        l->made_at = keeli_holder_now(world, &view->holder);
    }
    if (is_there && plan->is_changed_up && !l->has_places) is_there = make_places(world, l);
    keeli_lock_give(&l->lock);
    return is_there || (keeli_out_of_memory(world, "beginning a loop"), false);
}

void keeli_levels_trim(keel_world *world) {
    keeli_levels_release(&world->heap, &world->hierarchy.levels);
    for (keeli_relation *r = world->relations.all; r; r = r->next)
        keeli_levels_release(&world->heap, &r->levels);
}

// ------------------------------------------------------------------ the nearest above
static uint32_t level_count(const keeli_levels *l) { return l->starts.count - 1; }

static bool needs_nearest(const keeli_iterator *it, const keeli_plan_column *column) {
    return column->how == KEELI_UP && column->relation == it->plan->relation &&
           !it->is_direct[column->term];
}

// For the places from..end: the nearest above that has the component, of each KEEL_UP.
static void find_nearest(keeli_iterator *it, uint32_t from, uint32_t end) {
    const keeli_levels *l = it->levels;
    for (uint32_t c = 0; c < it->plan->column_count; ++c) {
        const keeli_plan_column *column = &it->plan->columns[c];
        if (!needs_nearest(it, column)) continue;
        uint32_t *nearest = it->nearest[column->term];
        uint32_t last = NO_PLACE, answer = NO_PLACE; // siblings have the same
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

// ------------------------------------------------------------------ below what changed
static void mark_changed(keeli_iterator *it, uint32_t index) {
    // entities that were made since then have no links
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

// Mark what itself changed. False when out of memory.
static bool begin_changed(keeli_iterator *it) {
    const keeli_levels *l = it->levels;
    const keeli_change_filter *f = &it->plan->changed_up;
    const keel_world *world = it->view->world;
    it->all_changed = keeli_is_within(f->modified_in, keeli_tick_of(world, l->made_at));
    if (it->all_changed || keeli_change_is_empty(f)) return true;
    it->room_of_changed.count = 0;
    if (!KEELI_RESERVE(&it->view->world->heap, &it->room_of_changed, l->entities.count))
        return false;
    it->is_changed = it->room_of_changed.items;
    if (l->entities.count) memset(it->is_changed, 0, l->entities.count);
    if (keeli_change_logged(f) < UINT32_MAX) {
        mark_logged(it, f->inserted, f->inserted_in);
        mark_logged(it, f->modified, f->modified_in);
        return true;
    }
    const keeli_presence *there = &f->storage->presence;
    for (uint32_t page = 0; page < there->root.page_count; ++page)
        for (uint32_t w = 0; w < KEELI_PAGE_WORDS && keeli_change_page_may_match(f, page); ++w) {
            const uint32_t block = page * KEELI_PAGE_WORDS + w;
            uint64_t bits = keeli_change_bits(f, block, there->root.pages[page][w]);
            for (; bits; bits &= bits - 1)
                mark_changed(it, block * 64 + (uint32_t)__builtin_ctzll(bits));
        }
    return true;
}

// For the places from..end: what is below something that is marked is, too.
static void mark_below(keeli_iterator *it, uint32_t from, uint32_t end) {
    const uint32_t *targets = it->levels->targets.items;
    uint8_t *is_changed = it->is_changed;
    for (uint32_t p = from; p < end; ++p)
        is_changed[p] |= is_changed[targets[p]];
}

// The next of those that are marked become candidates, as picks of a block from it->at on.
static uint32_t take_changed(keeli_iterator *it) {
    const keel_entity *block = it->levels->entities.items + it->at;
    const uint8_t *is_changed = it->is_changed + it->at;
    const uint32_t left = it->end - it->at;
    uint32_t count = 0, at = 0;
    it->highest = 0;
    for (; at < left && count < KEELI_BLOCK; ++at) {
        uint64_t eight;
        if (left - at >= 8 && (memcpy(&eight, is_changed + at, 8), !eight)) {
            at += 7;
            continue;
        }
        if (!is_changed[at]) continue;
        it->picks[count] = at;
        it->candidates[count] = keeli_index_of(block[at]);
        if (it->candidates[count] > it->highest) it->highest = it->candidates[count];
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

// ------------------------------------------------------------------ walking by level
// Have all in the levels this component? Mostly they do, and nobody asks again until one comes or
// goes: then it need not be looked up for each of them.
static bool all_have(const keel_world *world, keeli_levels *l, const keeli_storage *s) {
    const keeli_level_fact now = { .slot = s->slot,
                                   .count = s->presence.count,
                                   .cleared = s->presence.cleared,
                                   .edits = l->edits,
                                   .bindings = world->registry.bindings };
    keeli_level_fact *fact = &l->facts[s->slot % KEELI_LEVEL_FACTS];
    if (fact->slot == now.slot && fact->count == now.count && fact->cleared == now.cleared &&
        fact->edits == now.edits && fact->bindings == now.bindings)
        return fact->all;
    *fact = now;
    fact->all = s->presence.count >= l->entities.count;
    for (uint32_t p = 0; p < l->entities.count && fact->all; ++p)
        fact->all = keeli_store_has(s, keeli_index_of(l->entities.items[p]));
    return fact->all;
}

static void look_at_facts(keeli_iterator *it) {
    keel_world *world = it->view->world;
    const keeli_plan *plan = it->plan;
    keeli_levels *l = keeli_levels_of(world, plan->relation);
    keeli_lock_take(&l->lock);
    it->all_pass = true;
    for (uint32_t i = 0; i < plan->check_count; ++i)
        it->all_pass &= all_have(world, l, plan->check[i]);
    for (uint32_t c = 0; c < plan->column_count; ++c)
        if (plan->columns[c].how == KEELI_UP && plan->columns[c].relation == plan->relation)
            it->is_direct[plan->columns[c].term] = all_have(world, l, plan->columns[c].storage);
    keeli_lock_give(&l->lock);
}

bool keeli_levels_begin(keeli_iterator *it) {
    keel_world *world = it->view->world;
    it->all_changed = false;
    if (!bring_up_to_date(it->view, it->plan)) return false;
    const keeli_levels *l = it->levels = keeli_levels_of(world, it->plan->relation);
    if (it->plan->is_changed_up && !begin_changed(it))
        return keeli_out_of_memory(world, "beginning a loop"), false;
    look_at_facts(it);
    if (is_filtered(it)) return true; // for some it is faster to climb
    uint32_t columns = 0;
    for (uint32_t c = 0; c < it->plan->column_count; ++c)
        columns += needs_nearest(it, &it->plan->columns[c]);
    it->room_of_nearest.count = 0;
    if ((uint64_t)columns * l->entities.count > UINT32_MAX ||
        !KEELI_RESERVE(&world->heap, &it->room_of_nearest, (size_t)columns * l->entities.count))
        return keeli_out_of_memory(world, "beginning a loop"), false;
    for (uint32_t c = 0, n = 0; c < it->plan->column_count; ++c)
        if (needs_nearest(it, &it->plan->columns[c]))
            it->nearest[it->plan->columns[c].term] =
                it->room_of_nearest.items + (size_t)l->entities.count * n++;
    find_nearest(it, 0, l->starts.items[1]); // roots have none
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
    if (is_filtered(it)) mark_below(it, at, end);
    else find_nearest(it, at, end);
}

static void begin_next_level(keeli_iterator *it) {
    const uint32_t *starts = it->levels->starts.items;
    begin_level(it, starts[it->level], starts[it->level + 1]);
}

void keeli_levels_rewind(keeli_iterator *it) {
    it->level = 0;
    it->level_end = it->levels ? level_count(it->levels) : 0; // else it will be aimed
    if (it->plan->needs_target) it->end = 0;
    it->done |= it->levels && is_filtered(it) && keeli_change_is_empty(&it->plan->changed_up);
}

bool keeli_scan_levels(keeli_iterator *it) {
    for (;;) {
        if (it->level == 0) {
            if (keeli_scan_bits(it)) return true;
        } else
            while (it->at < it->end) {
                const uint32_t at = it->at;
                uint32_t count = keeli_least(it->end - at, KEELI_BLOCK);
                if (is_filtered(it)) {
                    count = take_changed(it);
                } else {
                    it->at += count;
                    keeli_gather_block(it, it->levels->entities.items + at, count, at);
                }
                if (count && keeli_gather(it, count)) return true;
            }
        if (it->level + 1 >= it->level_end) return false;
        ++it->level;
        begin_next_level(it);
    }
}

// ------------------------------------------------------------------ pieces
// How many entities, or indices, a level goes through.
static uint32_t level_size(const keeli_iterator *it, uint32_t level, uint32_t indices) {
    const uint32_t *starts = it->levels->starts.items;
    if (level == 0) return it->plan->needs_target ? 0 : indices;
    return starts[level + 1] - starts[level];
}

uint32_t keeli_levels_range(const keeli_iterator *it, uint32_t indices) {
    const keeli_levels *l = it->levels;
    return level_size(it, 0, indices) + l->entities.count - l->starts.items[1];
}

// Small levels that follow each other are one piece; a large one is cut.
bool keeli_levels_cut(keeli_pieces *p, const keeli_iterator *it, uint32_t indices) {
    keeli_heap *heap = &it->view->world->heap;
    const uint32_t levels = level_count(it->levels);
    for (uint32_t level = 0, end; level < levels; level = end) {
        const uint32_t size = level_size(it, level, indices);
        const uint32_t from = level ? it->levels->starts.items[level] : 0;
        const bool is_large = size >= KEELI_GRAIN_MOST;
        const uint32_t grain = is_large ? (keeli_grain(size) + KEELI_BLOCK - 1) / KEELI_BLOCK : 0;
        end = level + 1;
        while (!is_large && end < levels && level_size(it, end, indices) < KEELI_GRAIN_MOST)
            ++end;
        for (uint32_t at = 0; at < size || at == 0;) {
            const uint32_t count = is_large ? keeli_least(grain * KEELI_BLOCK, size - at) : size;
            if (!KEELI_RESERVE(heap, &p->list, 1)) return false;
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
    if (it->level) begin_level(it, piece->at, piece->end);
}

// ------------------------------------------------------------------ through a relation
static uint32_t climb(const keeli_storage *relation, const keeli_storage *s, uint32_t index) {
    while (keeli_store_has(relation, index)) {
        index = keeli_target_at(relation, index);
        if (keeli_store_has(s, index)) return index;
    }
    return NO_PLACE;
}

uint32_t keeli_through(const keeli_storage *relation, const keeli_storage *s, bool is_up,
                       uint32_t index) {
    if (!s || !relation || !keeli_store_has(relation, index)) return NO_PLACE;
    if (is_up) return climb(relation, s, index);
    index = keeli_target_at(relation, index);
    return keeli_store_has(s, index) ? index : NO_PLACE;
}

// Whose value a candidate gets, if it has one, when that is not the answer of the one before.
static inline __attribute__((always_inline)) uint32_t place_of(const keel_world *world,
                                                               const keeli_plan_column *column,
                                                               keel_storage kind, bool climbs,
                                                               uint32_t target) {
    const keeli_storage *s = column->storage;
    if (climbs && !keeli_store_has(s, target)) target = climb(column->relation, s, target);
    return keeli_place(kind, s->root, &s->presence.root, &world->entities.root, target);
}

// By their places in the levels. What is looked for may be the target, or the nearest above.
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
            answer = place_of(it->view->world, column, kind, false, e);
        }
        last = target;
        index[i] = answer;
    }
}

// By their links.
static inline __attribute__((always_inline)) void find_by_link(keeli_iterator *it,
                                                               const keeli_plan_column *column,
                                                               keel_storage kind, bool climbs,
                                                               uint32_t count) {
    const uint32_t *candidates = it->candidates;
    uint32_t *index = it->index[column->term], last = NO_PLACE, answer = NO_PLACE;
    for (uint32_t i = 0; i < count; ++i) {
        index[i] = NO_PLACE;
        if (column->maybe && !keeli_store_has(column->relation, candidates[i])) continue;
        const uint32_t target = keeli_target_at(column->relation, candidates[i]);
        if (target != last) answer = place_of(it->view->world, column, kind, climbs, target);
        last = target; // siblings often follow each other
        index[i] = answer;
    }
}

// `kind` is the storage's, a constant.
static inline __attribute__((always_inline)) void
find(keeli_iterator *it, const keeli_plan_column *column, keel_storage kind, uint32_t count) {
    const bool by_level =
        it->plan->scan == KEELI_SCAN_LEVELS && it->level && column->relation == it->plan->relation;
    const bool is_up = column->how == KEELI_UP;
    if (by_level && !(is_up && is_filtered(it) && !it->is_direct[column->term]))
        find_by_level(it, column, kind, count);
    else if (is_up) find_by_link(it, column, kind, true, count);
    else find_by_link(it, column, kind, false, count);
}

uint32_t keeli_find_through(keeli_iterator *it, const keeli_plan_column *column, uint32_t count) {
    const keel_storage kind = column->storage->kind;
    const uint32_t *index = it->index[column->term];
    uint32_t missing = 0;
    if (kind == KEEL_INDEXED) find(it, column, KEEL_INDEXED, count);
    else if (kind == KEEL_SPARSE_SET) find(it, column, KEEL_SPARSE_SET, count);
    else find(it, column, KEEL_ARCHETYPE, count);
    for (uint32_t i = 0; i < count; ++i)
        missing += index[i] == NO_PLACE;
    return missing;
}

// ------------------------------------------------------------------ the sources of one target
uint32_t keeli_source_places(const keeli_view *view, const keeli_storage *relation) {
    const keel_world *world = view->world;
    const keel_entity to = view->facts.related_to;
    if (!keeli_entity_is_alive(&world->entities, to)) return 0;
    const keeli_relation *r = relation->relation;
    if (!r) return keeli_has_children(world, to) ? keeli_link_of_parent(world, to)->child_count : 0;
    if (r->edges.is_chained) return keeli_chain_count(&r->edges.chains, keeli_index_of(to));
    const keeli_edge_list *list = keeli_edge_list_of(&r->edges.targets, keeli_index_of(to));
    return list ? list->used : 0;
}

static uint32_t take_children(keeli_iterator *it) {
    const keel_world *world = it->view->world;
    uint32_t n = 0;
    for (; n < KEELI_BLOCK && it->at < it->end; ++it->at) {
        const keel_entity child =
            it->at ? keeli_link_of_child(world, it->source)->next
                   : keeli_link_of_parent(world, it->view->facts.related_to)->first_child;
        it->source = child;
        it->candidates[n++] = keeli_index_of(child);
    }
    return n;
}

static uint32_t take_chain(keeli_iterator *it) {
    const keeli_chains *chains = &it->plan->related->relation->edges.chains;
    const uint32_t target = keeli_index_of(it->view->facts.related_to);
    uint32_t n = 0;
    for (; n < KEELI_BLOCK && it->at < it->end; ++it->at) {
        const uint32_t source = it->at ? keeli_link_at(chains, keeli_index_of(it->source))->next
                                       : keeli_chain_at(chains, target)->first;
        it->source = keeli_entity_at(&it->view->world->entities, source);
        it->candidates[n++] = source;
    }
    return n;
}

static uint32_t take_sources(keeli_iterator *it) {
    if (!it->plan->related->relation) return take_children(it);
    if (it->plan->related->relation->edges.is_chained) return take_chain(it);
    const keeli_edge_side *side = &it->plan->related->relation->edges.targets;
    keeli_edge_list *list = keeli_edge_list_of(side, keeli_index_of(it->view->facts.related_to));
    uint32_t n = 0;
    for (; n < KEELI_BLOCK && it->at < it->end; ++it->at) {
        const uint32_t source = *keeli_edge_entry(list, side->stride, it->at);
        it->candidates[n] = source;
        n += source != KEELI_HOLE;
    }
    return n;
}

bool keeli_scan_sources(keeli_iterator *it) {
    while (it->at < it->end) {
        const uint32_t count = take_sources(it);
        const uint32_t first = it->candidates[0];
        uint32_t differ = 0;
        for (uint32_t i = 0; i < count; ++i)
            differ |= it->candidates[i] ^ first;
        it->one_page = differ < KEELI_MASK_SLOTS;
        it->highest = first | differ;
        it->block = NULL;
        if (count && keeli_gather(it, count)) return true;
    }
    return false;
}

bool keeli_is_below_change(const keeli_view *view, const keeli_bound_term *term, uint32_t index) {
    keel_world *world = view->world;
    const keeli_storage *relation = view->storages[term->first + 1];
    if (!view->storages[term->first]) return false;
    const keeli_change_filter f = keeli_change_filter_of(view, term);
    if (!relation) return keeli_change_passes(&f, index);
    const keeli_levels *l = keeli_levels_of(world, relation);
    if (!l->is_made || l->edits != keeli_relation_edits(world, relation) ||
        keeli_is_within(f.modified_in, keeli_tick_of(world, l->made_at)))
        return true;
    while (!keeli_change_passes(&f, index)) {
        if (!keeli_store_has(relation, index)) return false;
        index = keeli_target_at(relation, index);
    }
    return true;
}
