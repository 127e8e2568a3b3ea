// SPDX-License-Identifier: MIT
// Plans: which archetypes match, which leader provides the candidates, and what is left to check.
// This does not visit entities. Iterators (iterate.c) and explanations (tell/explain.c) make plans.
// The choices that depend on the kind of a storage are made here, once for an iteration.
//
// If all required components are sparse sets, the smallest always leads, in packed order, unless a
// group of some of them has as many members or fewer: then the group leads. Otherwise the leader
// with the least cost is chosen: the number of its candidates, times the cost of a candidate. A
// union, the entities with any component of a KEEL_ANY_OF, leads if it is far smaller. A component
// that the user chose always leads, or a group that has the same order.
#include "find/iterate.h"
#include "follow/follow.h"
#include "world/report.h"

#include <stddef.h>
#include <string.h>

// ------------------------------------------------------------------ the terms
// The required storages of a view.
typedef struct demand {
    keeli_storage *sparse, *smallest; // the smallest sparse set; the smallest of all
    keeli_storage *chosen;            // the storage that the user chose to lead, or NULL
    uint32_t must_count;
    uint32_t sparse_count, row_count; // number of sparse sets, and of storages kept in archetypes
    keeli_storage *must[KEEL_MAX_TERMS];
} demand;

static bool is_among(const keeli_storage *s, keeli_storage *const *list, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        if (list[i] == s)
            return true;
    return false;
}

// Adds a required storage, unless the list contains it.
static void add_must(demand *d, keeli_storage *s) {
    if (is_among(s, d->must, d->must_count))
        return;
    d->must[d->must_count++] = s;
    if (!d->smallest || keeli_store_count(s) < keeli_store_count(d->smallest))
        d->smallest = s;
    if (s->kind == KEEL_ARCHETYPE)
        ++d->row_count;
    if (s->kind != KEEL_SPARSE_SET)
        return;
    ++d->sparse_count;
    if (!d->sparse || s->set.count < d->sparse->set.count)
        d->sparse = s;
}

// Adds a filter about changes, and proposes the filter with the shortest log as the leader. False
// if no entity can pass the filter.
static bool add_change(keeli_plan *plan, const keeli_view *view, const keeli_bound_term *term) {
    keeli_change_filter *f = &plan->changes[plan->change_count++];
    *f = keeli_change_filter_of(view, term);
    if (f->negated)
        return true;
    if (keeli_change_is_empty(f))
        return false;
    f->logged = keeli_change_logged(f);
    if (!plan->lead || f->logged < plan->lead->logged)
        plan->lead = f;
    return true;
}

// Adds KEEL_CHANGED_UP. If the world does not know the relation, there are no levels, and the term
// is a plain filter about changes. False if no entity can pass it.
static bool add_changed_up(keeli_plan *plan, const keeli_view *view, const keeli_bound_term *term) {
    if (!view->storages[term->first])
        return false;
    plan->is_changed_up = view->facts.targets_first != NULL;
    if (!plan->is_changed_up && !add_change(plan, view, term))
        return false;
    plan->changed_up = keeli_change_filter_of(view, term);
    return true;
}

// Adds the column of a term that hands out values. False if no entity can match.
static bool add_plan_column(keeli_plan *plan, const keeli_view *view, demand *d, uint32_t t) {
    const keeli_bound_term *term = &view->terms[t];
    const bool maybe = keeli_term_may_lack(term->kind);
    const bool is_through = keeli_term_is_through(term->kind);
    keeli_storage *s = view->storages[term->first];
    keeli_storage *const relation = is_through ? view->storages[term->first + 1] : NULL;
    if (is_through && !relation)
        s = NULL; // no entity has a target

    keeli_plan_column column = { t, maybe, KEELI_ABSENT, s, s ? relation : NULL };
    if (column.relation) {
        column.how = keeli_term_is_up(term->kind) ? KEELI_UP : KEELI_OF_TARGET;
        plan->has_through = true;
    }
    plan->has_maybe |= maybe;
    plan->columns[plan->column_count++] = column;

    if (!is_through || maybe)
        return true;
    if (!s)
        return false;
    add_must(d, relation);
    return true;
}

// Sorts a term into required storages, filters and columns. False if no entity can match.
static bool sort_term(keeli_plan *plan, const keeli_view *view, demand *d, uint32_t t) {
    const keeli_bound_term *term = &view->terms[t];
    keeli_storage *s = view->storages[term->first];
    if (term->kind == KEEL_TERM_TARGETS_FIRST) {
        plan->relation = s;
        return true;
    }
    if (term->kind == KEEL_TERM_CHANGED_UP)
        return add_changed_up(plan, view, term);
    if (term->kind == KEEL_TERM_RELATED)
        plan->related = s;

    for (uint32_t i = 0; i < term->count; ++i) {
        const keeli_storage *each = view->storages[term->first + i];
        plan->has_rows |= each && each->kind == KEEL_ARCHETYPE;
    }
    if (keeli_term_must(term->kind)) {
        if (!s)
            return false;
        add_must(d, s);
        if (keeli_term_leads(term->kind, term->data_size))
            d->chosen = s;
    } else if (term->kind == KEEL_TERM_WITHOUT) {
        if (s)
            plan->without[plan->without_count++] = s;
    } else if (term->kind == KEEL_TERM_ANY_OF) {
        plan->any[plan->any_count++] = term;
    }

    const bool filters_changes = s && keeli_term_filters_changes(term->kind);
    if (filters_changes && !add_change(plan, view, term))
        return false;
    return !keeli_term_has_values(term->kind) || add_plan_column(plan, view, d, t);
}

// Sorts all terms into required storages, filters and columns. False if no entity can match.
static bool sort_terms(keeli_plan *plan, const keeli_view *view, demand *d) {
    for (uint32_t t = 0; t < view->term_count; ++t) {
        if (!keeli_term_is_walked(view->terms[t].kind))
            continue;
        if (!sort_term(plan, view, d, t))
            return false;
    }
    return true;
}

// ------------------------------------------------------------------ archetypes
static bool archetype_has(const keeli_archetype *archetype, uint32_t number) {
    return keeli_archetype_column(archetype, number) != UINT32_MAX;
}

// True if an archetype fulfils all conditions of a key.
static bool key_fits(const keeli_match_key *key, const keeli_archetype *archetype) {
    bool any = false;
    for (uint32_t i = 0; i < key->count; ++i) {
        const uint32_t number = key->asked[i] >> 2, how = key->asked[i] & 3;
        if (how != KEELI_ASK_ANY) {
            if (archetype_has(archetype, number) != (how == KEELI_ASK_MUST))
                return false;
        } else if (number) {
            any |= archetype_has(archetype, number);
        } else { // the end of a group
            if (!any)
                return false;
            any = false;
        }
    }
    return true;
}

static bool is_same_key(const keeli_match_key *a, const keeli_match_key *b) {
    return a->count == b->count && memcmp(a->asked, b->asked, a->count * sizeof *a->asked) == 0;
}

// Adds an archetype to a match if it fits; false when out of memory.
static bool add_archetype(keeli_match *match, keeli_heap *heap, const keeli_archetype *archetype) {
    const uint32_t word = archetype->position / 64, more = match->fitting + 1 - match->list.count;
    if (word == match->fits.count) {
        if (!KEELI_RESERVE(heap, &match->fits, 1))
            return false;
        *KEELI_APPEND(&match->fits) = 0;
    }
    if (!key_fits(&match->key, archetype))
        return true;
    if (!KEELI_RESERVE(heap, &match->list, more))
        return false;
    match->fits.items[word] |= (uint64_t)1 << archetype->position % 64;
    ++match->fitting;
    return true;
}

// Lists the archetypes that match and have rows.
static void list_filled(keeli_match *match, const keeli_archetypes *a) {
    match->turns = a->turns;
    match->list.count = 0;
    for (uint32_t w = 0; w < match->fits.count; ++w)
        for (uint64_t bits = match->fits.items[w] & a->filled.items[w]; bits; bits &= bits - 1)
            *KEELI_APPEND(&match->list) = a->all[w * 64 + (uint32_t)__builtin_ctzll(bits)];
}

// Brings a match up to date: adds new archetypes, and lists those that have rows. False when out of
// memory.
static bool update_match(keel_world *world, keeli_match *match) {
    const keeli_archetypes *a = &world->archetypes;
    if (match->generation != a->generation) {
        match->generation = a->generation;
        match->list.count = match->fits.count = match->fitting = match->seen = 0;
    }
    for (; match->seen < a->count; ++match->seen)
        if (!add_archetype(match, &world->heap, a->all[match->seen]))
            return false;
    if (match->turns != a->turns)
        list_filled(match, a);
    return true;
}

// Returns the match of a key in the world, or a new one; NULL when out of memory.
static keeli_match *find_match(keel_world *world, const keeli_match_key *key) {
    keeli_match *match = world->views.matches;
    while (match && !is_same_key(&match->key, key))
        match = match->next;
    if (match)
        return match;

    match = KEELI_NEW(&world->heap, keeli_match);
    if (!match)
        return NULL;
    match->key = *key;
    match->generation = world->archetypes.generation;
    match->next = world->views.matches;
    world->views.matches = match;
    return match;
}

// Returns the match of a key, brought up to date; NULL when out of memory.
static keeli_match *get_match(keel_world *world, const keeli_match_key *key) {
    keeli_world_lock(world);
    keeli_match *match = find_match(world, key);
    if (match && !update_match(world, match))
        match = NULL;
    keeli_world_unlock(world);
    return match;
}

static bool update_match_locked(keel_world *world, keeli_match *match) {
    keeli_world_lock(world);
    const bool done = update_match(world, match);
    keeli_world_unlock(world);
    return done;
}

void keeli_matches_deinit(keel_world *world) {
    for (keeli_match *match = world->views.matches, *next; match; match = next) {
        next = match->next;
        KEELI_RELEASE(&world->heap, &match->list);
        KEELI_RELEASE(&world->heap, &match->fits);
        KEELI_FREE(&world->heap, keeli_match, match);
    }
    world->views.matches = NULL;
}

// True if archetypes keep all components of a KEEL_ANY_OF that the world knows.
static bool is_kept_in_rows(const keeli_view *view, const keeli_bound_term *any) {
    for (uint32_t i = 0; i < any->count; ++i) {
        const keeli_storage *s = view->storages[any->first + i];
        if (s && s->kind != KEEL_ARCHETYPE)
            return false;
    }
    return true;
}

static void ask_for(keeli_match_key *key, uint32_t how, const keeli_storage *s) {
    if (s && s->kind == KEEL_ARCHETYPE)
        key->asked[key->count++] = s->slot << 2 | how;
}

// Returns the key of the archetypes that can match a view.
static keeli_match_key match_key_of(const keeli_plan *plan, const keeli_view *view,
                                    const demand *d) {
    keeli_match_key key;
    key.count = 0;
    for (uint32_t i = 0; i < d->must_count; ++i)
        ask_for(&key, KEELI_ASK_MUST, d->must[i]);
    for (uint32_t i = 0; i < plan->without_count; ++i)
        ask_for(&key, KEELI_ASK_WITHOUT, plan->without[i]);
    for (uint32_t a = 0; a < plan->any_count; ++a) {
        const keeli_bound_term *any = plan->any[a];
        if (!is_kept_in_rows(view, any))
            continue;
        for (uint32_t i = 0; i < any->count; ++i)
            ask_for(&key, KEELI_ASK_ANY, view->storages[any->first + i]);
        key.asked[key.count++] = KEELI_ASK_ANY;
    }
    return key;
}

static uint64_t rows_of(const keeli_match *match) {
    uint64_t rows = 0;
    for (uint32_t i = 0; i < match->list.count; ++i)
        rows += match->list.items[i]->row_count;
    return rows;
}

// Drops the filters that all matching archetypes fulfil.
static void drop_fulfilled(keeli_plan *plan, const keeli_view *view) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < plan->without_count; ++i)
        if (plan->without[i]->kind != KEEL_ARCHETYPE)
            plan->without[kept++] = plan->without[i];
    plan->without_count = kept;
    kept = 0;
    for (uint32_t i = 0; i < plan->any_count; ++i)
        if (!is_kept_in_rows(view, plan->any[i]))
            plan->any[kept++] = plan->any[i];
    plan->any_count = kept;
}

// ------------------------------------------------------------------ groups
// True if every entity that the view matches is a member of the group.
static bool covers(const keel_group *g, const keeli_plan *plan, const demand *d) {
    for (uint32_t i = 0; i < g->must_count; ++i)
        if (!is_among(g->storages[i], d->must, d->must_count))
            return false;
    for (uint32_t i = g->must_count; i < g->storage_count; ++i)
        if (!is_among(g->storages[i], plan->without, plan->without_count))
            return false;
    return true;
}

static bool is_better_group(const keel_group *g, const keel_group *best) {
    if (!best)
        return true;
    const uint32_t count = keeli_group_count(g), least = keeli_group_count(best);
    return count != least ? count < least : g->owned_count > best->owned_count;
}

// Returns the smallest group that can lead; of equally small ones, the one that orders most
// storages.
static keel_group *find_group(const keeli_plan *plan, const demand *d) {
    keel_group *best = NULL;
    for (uint32_t m = 0; m < d->must_count; ++m) {
        for (uint32_t i = 0; i < d->must[m]->groups.count; ++i) {
            keel_group *g = d->must[m]->groups.items[i].group;
            if (g->storages[0] != d->must[m])
                continue; // so that each group is asked once
            if (covers(g, plan, d) && is_better_group(g, best))
                best = g;
        }
    }
    return best;
}

// Makes a group the leader, drops the filters that all its members fulfil, and lists the columns
// whose sparse sets the group does not order.
static void follow_group(keeli_plan *plan, keel_group *g) {
    plan->group = g;
    plan->leader = g->owned_count ? g->storages[0] : &g->order;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < plan->without_count; ++i)
        if (!is_among(plan->without[i], g->storages, g->storage_count))
            plan->without[kept++] = plan->without[i];
    plan->without_count = kept;

    for (uint32_t c = 0; c < plan->column_count; ++c) {
        const keeli_plan_column *column = &plan->columns[c];
        if (column->maybe || column->relation)
            continue;
        const bool is_settled = is_among(column->storage, g->storages, g->must_count);
        if (is_settled && !keeli_plan_is_ordered(plan, column->storage))
            plan->beside[plan->beside_count++] = column->storage;
    }
}

// ------------------------------------------------------------------ the choice
// Costs of a candidate, in units of about a quarter of a nanosecond.
enum {
    cost_packed = 6, // a packed entity that is filtered and looked up
    cost_word = 2,   // a word of 64 presence bits
    cost_match = 3,  // a set bit of such a word
    cost_row_filtered = 6,
    cost_member = 1 // a member of a group that settles all filters
};

// A union leads if it has fewer entities than 1 / UNION_SHARE of the candidates of the leader that
// was chosen without it. Reading a page of its bits costs as much as UNION_PAGE entities.
enum { UNION_SHARE = 8, UNION_PAGE = KEELI_SIZE(8, 1) };

static uint64_t cost_of_bits(const demand *d) {
    const keeli_storage *s = d->smallest;
    const uint64_t pages = keeli_presence_page_end(&s->presence);
    const uint64_t used = pages < keeli_store_count(s) ? pages : keeli_store_count(s);
    return used * KEELI_PAGE_WORDS * cost_word + (uint64_t)keeli_store_count(s) * cost_match;
}

static uint64_t cost_of_group(const keeli_plan *plan, const demand *d, const keel_group *g) {
    const bool settles_all = g->must_count == d->must_count && !plan->any_count &&
                             g->storage_count - g->must_count == plan->without_count;
    return (uint64_t)keeli_group_count(g) * (settles_all ? cost_member : cost_packed);
}

static keeli_scan scan_of_chosen(const keeli_storage *s, const keel_group *g) {
    if (s->kind == KEEL_ARCHETYPE)
        return KEELI_SCAN_ROWS;
    if (s->kind == KEEL_INDEXED)
        return KEELI_SCAN_BITS;
    return g && s->owner == g ? KEELI_SCAN_GROUP : KEELI_SCAN_SET; // the group has the same order
}

// Chooses the leader. `g`: the group that could lead, or NULL.
static keeli_scan choose(const keeli_plan *plan, const demand *d, const keel_group *g) {
    const uint64_t none = UINT64_MAX;
    if (d->chosen)
        return scan_of_chosen(d->chosen, g);
    if (plan->lead)
        return plan->lead->logged < UINT32_MAX ? KEELI_SCAN_CHANGES : KEELI_SCAN_BITS;

    const uint64_t group = g ? cost_of_group(plan, d, g) : none;
    const uint64_t sparse = d->sparse ? (uint64_t)d->sparse->set.count * cost_packed : none;
    if (d->must_count == 0)
        return KEELI_SCAN_ENTITIES;
    if (d->sparse_count == d->must_count)
        return g && group <= sparse ? KEELI_SCAN_GROUP : KEELI_SCAN_SET;
    if (d->row_count == d->must_count && !g)
        return KEELI_SCAN_ROWS;

    const uint64_t bits = cost_of_bits(d);
    const uint64_t rows = plan->match ? rows_of(plan->match) * cost_row_filtered : none;
    if (g && group <= sparse && group <= bits && group <= rows)
        return KEELI_SCAN_GROUP;
    if (sparse <= bits && sparse <= rows)
        return KEELI_SCAN_SET;
    return rows < bits ? KEELI_SCAN_ROWS : KEELI_SCAN_BITS;
}

// ------------------------------------------------------------------ unions
// Returns the number of candidates of the scan that was chosen.
static uint64_t count_candidates(const keeli_plan *plan, const keeli_view *view, const demand *d,
                                 const keel_group *g) {
    switch (plan->scan) {
    case KEELI_SCAN_SET:
        return d->sparse->set.count;
    case KEELI_SCAN_BITS:
        return keeli_store_count(plan->lead ? plan->lead->storage : d->smallest);
    case KEELI_SCAN_ROWS:
        return rows_of(plan->match);
    case KEELI_SCAN_GROUP:
        return keeli_group_count(g);
    case KEELI_SCAN_CHANGES:
        return plan->lead->logged;
    case KEELI_SCAN_ENTITIES:
        return keeli_entity_count(&view->world->entities);
    default:
        return 0; // a union never replaces the other scans
    }
}

static uint64_t count_of_any(const keeli_view *view, const keeli_bound_term *any) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < any->count; ++i) {
        const keeli_storage *s = view->storages[any->first + i];
        if (s)
            count += keeli_store_count(s);
    }
    return count;
}

static uint32_t pages_of_any(const keeli_view *view, const keeli_bound_term *any) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < any->count; ++i) {
        const keeli_storage *s = view->storages[any->first + i];
        const uint32_t pages = s ? keeli_presence_page_end(&s->presence) : 0;
        if (pages > most)
            most = pages;
    }
    return most;
}

// Returns the KEEL_ANY_OF whose components have the fewest values; of several, the first. Skips a
// term whose components are all kept in rows: it selects archetypes, and these have no more rows
// than the components have values.
static const keeli_bound_term *rarest_any(const keeli_plan *plan, const keeli_view *view) {
    const keeli_bound_term *best = NULL;
    for (uint32_t i = 0; i < plan->any_count; ++i) {
        const keeli_bound_term *any = plan->any[i];
        if (plan->match && is_kept_in_rows(view, any))
            continue;
        if (!best || count_of_any(view, any) < count_of_any(view, best))
            best = any;
    }
    return best;
}

// Makes the union of a term the leader, and drops the term from the filters.
static void follow_union(keeli_plan *plan, const keeli_view *view, const keeli_bound_term *any) {
    plan->scan = KEELI_SCAN_UNION;
    plan->united = any;
    plan->united_count = count_of_any(view, any);
    plan->united_pages = pages_of_any(view, any);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < plan->any_count; ++i)
        if (plan->any[i] != any)
            plan->any[kept++] = plan->any[i];
    plan->any_count = kept;
}

// Makes a union the leader if it has far fewer entities than the scan that was chosen. Slightly
// fewer are not enough, because the values of each entity of a union are looked up, while a loop
// over values in one order may cost a tenth of that for each entity.
static void try_union(keeli_plan *plan, const keeli_view *view, const demand *d,
                      const keel_group *g) {
    if (!plan->any_count || d->chosen)
        return;
    const keeli_bound_term *any = rarest_any(plan, view);
    if (!any)
        return;

    plan->considered_union = true;
    const uint64_t looks = count_of_any(view, any) + pages_of_any(view, any) * UNION_PAGE;
    if (looks * UNION_SHARE < count_candidates(plan, view, d, g))
        follow_union(plan, view, any);
}

// ------------------------------------------------------------------ the plan
// True if a column looks up the values of a sparse set, which also tells whether a candidate has
// the component.
static bool is_looked_up(const keeli_plan *plan, const keeli_storage *s) {
    if (s->kind != KEEL_SPARSE_SET)
        return false;
    for (uint32_t c = 0; c < plan->column_count; ++c) {
        const keeli_plan_column *column = &plan->columns[c];
        if (column->storage == s && !column->maybe && !column->relation)
            return true;
    }
    return false;
}

static keeli_column_way way_of(const keeli_plan *plan, const keeli_plan_column *column) {
    const keeli_storage *s = column->storage;
    const bool is_packed = plan->scan == KEELI_SCAN_SET || plan->scan == KEELI_SCAN_GROUP;
    if (!s)
        return KEELI_ABSENT;
    if (column->relation)
        return column->how;
    if (column->maybe)
        return s->kind == KEEL_SPARSE_SET ? KEELI_BY_CELL : KEELI_LOOK_UP;
    if (is_packed && keeli_plan_is_ordered(plan, s))
        return KEELI_IN_ORDER;
    if (plan->scan == KEELI_SCAN_ROWS && s->kind == KEEL_ARCHETYPE)
        return KEELI_IN_ORDER;
    if (s->kind == KEEL_INDEXED)
        return KEELI_BY_INDEX;
    return s->kind == KEEL_SPARSE_SET ? KEELI_BY_CELL : KEELI_BY_ROW;
}

static bool has_only_rows(const keeli_plan *plan) {
    if (plan->need_count || plan->without_count || plan->any_count || plan->change_count ||
        plan->has_through)
        return false;
    for (uint32_t c = 0; c < plan->column_count; ++c)
        if (plan->columns[c].storage && plan->columns[c].storage->kind != KEEL_ARCHETYPE)
            return false;
    return true;
}

// True if, for each block of 64 indices, all columns can have one base address.
static bool has_masks(const keeli_plan *plan) {
    if (plan->has_through)
        return false;
    for (uint32_t c = 0; c < plan->column_count; ++c) {
        const keeli_storage *s = plan->columns[c].storage;
        if (s && s->size && (s->kind != KEEL_INDEXED || s->root->shift < 6))
            return false;
    }
    return true;
}

// True if the scan of slots can look for ranges in which all sets have the same order: all required
// storages are sparse sets, and no value may be absent.
static bool has_ranges(const keeli_plan *plan) {
    if (plan->has_maybe || plan->has_through || plan->change_count)
        return false;
    for (uint32_t i = 0; i < plan->need_count; ++i)
        if (plan->need[i]->kind != KEEL_SPARSE_SET)
            return false;
    for (uint32_t i = 0; i < plan->beside_count; ++i)
        if (plan->beside[i]->kind != KEEL_SPARSE_SET)
            return false;
    return true;
}

// True if every candidate of the leader has the component of a required storage.
static bool is_granted(const keeli_plan *plan, const keeli_storage *s) {
    if (s == plan->leader && plan->scan != KEELI_SCAN_LEVELS)
        return true;
    if (plan->scan == KEELI_SCAN_SOURCES && s == plan->related)
        return true;
    if (plan->scan == KEELI_SCAN_CHANGES && s == plan->lead->storage)
        return true;
    if (plan->scan == KEELI_SCAN_ROWS && s->kind == KEEL_ARCHETYPE)
        return true;
    return plan->group && is_among(s, plan->group->storages, plan->group->must_count);
}

// Sets the members of the plan that describe the leader.
static void set_leader(keeli_plan *plan, const keeli_view *view, const demand *d,
                       keel_group *group) {
    const bool by_bits = plan->scan == KEELI_SCAN_BITS, by_level = plan->scan == KEELI_SCAN_LEVELS;
    if (plan->scan == KEELI_SCAN_GROUP)
        follow_group(plan, group);
    if (plan->scan == KEELI_SCAN_SET)
        plan->leader = d->sparse;
    if (by_bits || by_level)
        plan->leader = d->smallest;
    if (by_bits && plan->lead)
        plan->leader = view->world->root.storages[plan->lead->storage->slot];
    plan->needs_target = by_level && is_among(plan->relation, d->must, d->must_count);
}

// Lists the required storages that candidates may lack, and how each column finds its values.
static void set_checks(keeli_plan *plan, const demand *d) {
    for (uint32_t i = 0; i < d->must_count; ++i) {
        if (is_granted(plan, d->must[i]))
            continue;
        plan->need[plan->need_count++] = d->must[i];
        if (!is_looked_up(plan, d->must[i]))
            plan->check[plan->check_count++] = d->must[i];
    }
    for (uint32_t c = 0; c < plan->column_count; ++c)
        plan->columns[c].how = way_of(plan, &plan->columns[c]);
    plan->finds_lead = plan->lead && is_looked_up(plan, plan->lead->storage);
    plan->has_masks = has_masks(plan);
    plan->has_ranges = has_ranges(plan);
    plan->only_rows = plan->scan == KEELI_SCAN_ROWS && has_only_rows(plan);
}

// Makes a plan, and puts the required storages into `d`. False when out of memory (reported).
static bool make_plan(keeli_plan *plan, const keeli_view *view, bool is_listed, demand *d) {
    memset(d, 0, offsetof(demand, must));
    memset(plan, 0, offsetof(keeli_plan, need));
    if (!sort_terms(plan, view, d))
        return true;
    if (d->chosen) { // then no filter about changes leads
        d->sparse = d->smallest = d->chosen;
        plan->lead = NULL;
    }
    if (d->row_count) {
        const keeli_match_key key = match_key_of(plan, view, d);
        plan->match = get_match(view->world, &key);
        if (!plan->match) {
            (void)keeli_out_of_memory(view->world, "beginning a loop");
            return false;
        }
    }

    if (is_listed)
        plan->relation = NULL;
    const bool by_level = plan->relation != NULL, by_target = plan->related && !is_listed;
    const bool is_settled = is_listed || by_level || by_target;
    if (is_settled)
        plan->lead = NULL;
    keel_group *group = NULL;
    if (!is_settled && !plan->lead && view->world->followers.groups)
        group = find_group(plan, d);
    plan->considered_group = group != NULL;

    if (is_listed)
        plan->scan = KEELI_SCAN_HANDLES;
    else if (by_level)
        plan->scan = KEELI_SCAN_LEVELS;
    else if (by_target)
        plan->scan = KEELI_SCAN_SOURCES;
    else
        plan->scan = choose(plan, d, group);
    try_union(plan, view, d, group);
    set_leader(plan, view, d, group);
    if (plan->scan == KEELI_SCAN_ROWS)
        drop_fulfilled(plan, view);
    set_checks(plan, d);
    return true;
}

bool keeli_plan_make(keeli_plan *plan, const keeli_view *view, bool is_listed) {
    demand d;
    return make_plan(plan, view, is_listed, &d);
}

// ------------------------------------------------------------------ kept plans
void keeli_plan_init(keeli_plan *plan, void *room, uint32_t terms) {
    plan->columns = room;
    plan->need = (keeli_storage **)(void *)(plan->columns + terms);
    plan->check = (const keeli_storage **)(void *)(plan->need + terms);
    plan->without = (keeli_storage **)(void *)(plan->check + terms);
    plan->any = (const keeli_bound_term **)(void *)(plan->without + terms);
    plan->beside = (keeli_storage **)(void *)(plan->any + terms);
    plan->changes = (keeli_change_filter *)(void *)(plan->beside + terms);
}

size_t keeli_kept_plan_bytes(uint32_t terms) {
    return sizeof(keeli_kept_plan) + KEELI_PLAN_ROOM(terms, 0) +
           terms * (sizeof(keeli_storage *) + sizeof(uint32_t));
}

void keeli_kept_plan_init(keeli_kept_plan *kept, uint32_t terms) {
    char *room = (char *)(kept + 1);
    keeli_plan_init(&kept->plan, room, terms);
    kept->must = (const keeli_storage **)(void *)(room + KEELI_PLAN_ROOM(terms, 0));
    kept->counts = (uint32_t *)(void *)(kept->must + terms);
}

static bool is_valid_plan(const keeli_kept_plan *kept, keel_world *world) {
    if (!kept->is_made)
        return false;
    for (uint32_t i = 0; i < kept->must_count; ++i)
        if (keeli_store_count(kept->must[i]) != kept->counts[i])
            return false;
    return !kept->plan.match || update_match_locked(world, kept->plan.match);
}

// Stores the numbers of values that the choice of the leader depended on. The plan is kept only if
// it depends on nothing else: its required storages are of one kind, and neither a group nor a
// union could lead.
static void note_counts(keeli_kept_plan *kept, const demand *d) {
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < d->must_count; ++i) {
        kinds |= (uint32_t)1 << d->must[i]->kind;
        kept->must[i] = d->must[i];
        kept->counts[i] = keeli_store_count(d->must[i]);
    }
    kept->must_count = d->must_count > 1 ? d->must_count : 0;

    const keeli_plan *plan = &kept->plan;
    const bool is_one_kind = !(kinds & (kinds - 1));
    const bool considered_more = plan->considered_group || plan->considered_union;
    kept->is_made = plan->scan != KEELI_SCAN_NOTHING && is_one_kind && !considered_more;
}

const keeli_plan *keeli_plan_get(const keeli_view *view, keeli_plan *own) {
    keeli_kept_plan *kept = view->kept;
    if (!kept)
        return keeli_plan_make(own, view, false) ? own : NULL;
    if (is_valid_plan(kept, view->world))
        return &kept->plan;
    demand d;
    kept->is_made = false;
    if (!make_plan(&kept->plan, view, false, &d))
        return NULL;
    note_counts(kept, &d);
    return &kept->plan;
}

// Returns the number of candidates of all levels: all sources, and the candidates for roots.
static uint64_t levels_touches(const keeli_plan *plan, const keel_world *world) {
    const uint64_t sources = keeli_store_count(plan->relation);
    if (plan->needs_target)
        return sources;
    if (plan->leader)
        return sources + keeli_store_count(plan->leader);
    return sources + keeli_entity_count(&world->entities);
}

uint64_t keeli_plan_touches(const keeli_plan *plan, const keeli_view *view) {
    const keel_world *world = view->world;
    switch (plan->scan) {
    case KEELI_SCAN_SET:
    case KEELI_SCAN_BITS:
        return keeli_store_count(plan->leader);
    case KEELI_SCAN_ROWS:
        return rows_of(plan->match);
    case KEELI_SCAN_GROUP:
        return keeli_group_count(plan->group);
    case KEELI_SCAN_CHANGES:
        return plan->lead->logged;
    case KEELI_SCAN_UNION:
        return plan->united_count;
    case KEELI_SCAN_ENTITIES:
        return keeli_entity_count(&world->entities);
    case KEELI_SCAN_SOURCES:
        return keeli_source_places(view, plan->related);
    case KEELI_SCAN_LEVELS:
        return levels_touches(plan, world);
    default:
        return 0;
    }
}
