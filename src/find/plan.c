// SPDX-License-Identifier: MIT
// Plans: which archetypes match, what leads, and what is left to check. When all components that
// must be there are sparse sets the smallest leads, always, in packed order; a group of some of
// them that is not larger leads instead. Otherwise costs are compared: candidates, times what one
// costs. What has any of several components leads where that is far less. Where the user chose,
// that leads, and a group that orders it. This is the only file of the layer that asks in which
// kind of storage values are.
#include "find/iterate.h"
#include "follow/follow.h"
#include "world/report.h"

#include <stddef.h>
#include <string.h>

// ------------------------------------------------------------------ what is asked
// What must be there, by kind of storage.
typedef struct demand {
    keeli_storage *sparse, *smallest; // the smallest sparse set; the smallest of all
    keeli_storage *chosen;            // what leads by choice; NULL: the cheapest does
    uint32_t must_count;
    uint32_t sparse_count, row_count; // how many are sparse sets; how many are kept in rows
    keeli_storage *must[KEEL_MAX_TERMS];
} demand;

static void add_must(demand *d, keeli_storage *s) {
    d->must[d->must_count++] = s;
    if (!d->smallest || keeli_store_count(s) < keeli_store_count(d->smallest)) d->smallest = s;
    if (s->kind == KEEL_ARCHETYPE) ++d->row_count;
    if (s->kind != KEEL_SPARSE_SET) return;
    ++d->sparse_count;
    if (!d->sparse || s->set.count < d->sparse->set.count) d->sparse = s;
}

static bool is_among(const keeli_storage *s, keeli_storage *const *list, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        if (list[i] == s) return true;
    return false;
}

// A filter about changes, and whether anything can pass it. The one with the shortest log leads.
static bool add_change(keeli_plan *plan, const keeli_view *view, const keeli_bound_term *term) {
    keeli_change_filter *f = &plan->changes[plan->change_count++];
    *f = keeli_change_filter_of(view, term);
    if (f->negated) return true;
    if (keeli_change_is_empty(f)) return false;
    f->logged = keeli_change_logged(f);
    if (!plan->lead || f->logged < plan->lead->logged) plan->lead = f;
    return true;
}

// Sort the terms into what must be there, filters and columns. False when nothing can match.
static bool sort_terms(keeli_plan *plan, const keeli_view *view, demand *d) {
    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keeli_bound_term *term = &view->terms[t];
        if (!keeli_term_is_walked(term->kind)) continue;
        keeli_storage *s = view->storages[term->first];
        keeli_storage *const relation =
            keeli_term_is_through(term->kind) ? view->storages[term->first + 1] : NULL;
        if (term->kind == KEEL_TERM_TARGETS_FIRST) {
            plan->relation = s;
            continue;
        }
        if (term->kind == KEEL_TERM_RELATED) plan->related = s;
        if (term->kind == KEEL_TERM_CHANGED_UP) {
            if (!s || (!view->facts.targets_first && !add_change(plan, view, term))) return false;
            plan->is_changed_up = view->facts.targets_first != NULL;
            plan->changed_up = keeli_change_filter_of(view, term);
            continue;
        }
        for (uint32_t i = 0; i < term->count; ++i) {
            const keeli_storage *each = view->storages[term->first + i];
            plan->has_rows |= each && each->kind == KEEL_ARCHETYPE;
        }
        if (keeli_term_must(term->kind)) {
            if (!s) return false;
            if (!is_among(s, d->must, d->must_count)) add_must(d, s);
            if (keeli_term_leads(term->kind, term->data_size)) d->chosen = s;
        } else if (term->kind == KEEL_TERM_WITHOUT) {
            if (s) plan->without[plan->without_count++] = s;
        } else if (term->kind == KEEL_TERM_ANY_OF) {
            plan->any[plan->any_count++] = term;
        }
        if (s && keeli_term_filters_changes(term->kind) && !add_change(plan, view, term))
            return false;
        if (!keeli_term_has_values(term->kind)) continue;
        const bool maybe = keeli_term_may_lack(term->kind);
        plan->has_maybe |= maybe;
        const bool is_through = keeli_term_is_through(term->kind);
        if (is_through && !relation) s = NULL; // nobody has a target
        keeli_plan_column column = { t, maybe, KEELI_ABSENT, s, s ? relation : NULL };
        if (column.relation) {
            column.how = keeli_term_is_up(term->kind) ? KEELI_UP : KEELI_OF_TARGET;
            plan->has_through = true;
        }
        plan->columns[plan->column_count++] = column;
        if (!is_through || maybe) continue;
        if (!s) return false;
        if (!is_among(relation, d->must, d->must_count)) add_must(d, relation);
    }
    return true;
}

// ------------------------------------------------------------------ archetypes
static bool has(const keeli_archetype *archetype, uint32_t number) {
    return keeli_archetype_column(archetype, number) != UINT32_MAX;
}

static bool key_fits(const keeli_match_key *key, const keeli_archetype *archetype) {
    bool any = false;
    for (uint32_t i = 0; i < key->count; ++i) {
        const uint32_t number = key->asked[i] >> 2, how = key->asked[i] & 3;
        const bool is_there = number && has(archetype, number);
        if (how == KEELI_ASK_ANY && number) any |= is_there;
        else if (is_there != (how == KEELI_ASK_MUST) || (how == KEELI_ASK_ANY && !any))
            return false;
        else if (how == KEELI_ASK_ANY) any = false; // the next ones
    }
    return true;
}

static bool is_same_key(const keeli_match_key *a, const keeli_match_key *b) {
    return a->count == b->count && memcmp(a->asked, b->asked, a->count * sizeof *a->asked) == 0;
}

// Note whether an archetype fits; false when out of memory.
static bool look_at(keeli_match *match, keeli_heap *heap, const keeli_archetype *archetype) {
    const uint32_t word = archetype->position / 64, more = match->fitting + 1 - match->list.count;
    if (word == match->fits.count) {
        if (!KEELI_RESERVE(heap, &match->fits, 1)) return false;
        *KEELI_APPEND(&match->fits) = 0;
    }
    if (!key_fits(&match->key, archetype)) return true;
    if (!KEELI_RESERVE(heap, &match->list, more)) return false;
    match->fits.items[word] |= (uint64_t)1 << archetype->position % 64;
    ++match->fitting;
    return true;
}

static void list_filled(keeli_match *match, const keeli_archetypes *a) {
    match->turns = a->turns;
    match->list.count = 0;
    for (uint32_t w = 0; w < match->fits.count; ++w)
        for (uint64_t bits = match->fits.items[w] & a->filled.items[w]; bits; bits &= bits - 1)
            *KEELI_APPEND(&match->list) = a->all[w * 64 + (uint32_t)__builtin_ctzll(bits)];
}

// Look at the archetypes that are new, and list those that have rows.
static bool pull(keel_world *world, keeli_match *match) {
    const keeli_archetypes *a = &world->archetypes;
    if (match->generation != a->generation) {
        match->generation = a->generation;
        match->list.count = match->fits.count = match->fitting = match->seen = 0;
    }
    for (; match->seen < a->count; ++match->seen)
        if (!look_at(match, &world->heap, a->all[match->seen])) return false;
    if (match->turns != a->turns) list_filled(match, a);
    return true;
}

static keeli_match *find_match(keel_world *world, const keeli_match_key *key) {
    keeli_match *match = world->views.matches;
    while (match && !is_same_key(&match->key, key))
        match = match->next;
    if (match) return match;
    match = KEELI_NEW(&world->heap, keeli_match);
    if (!match) return NULL;
    match->key = *key;
    match->generation = world->archetypes.generation;
    match->next = world->views.matches;
    world->views.matches = match;
    return match;
}

// Up to date; NULL when out of memory.
static keeli_match *get_match(keel_world *world, const keeli_match_key *key) {
    keeli_world_lock(world);
    keeli_match *match = find_match(world, key);
    if (match && !pull(world, match)) match = NULL;
    keeli_world_unlock(world);
    return match;
}

static bool bring_up_to_date(keel_world *world, keeli_match *match) {
    keeli_world_lock(world);
    const bool done = pull(world, match);
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

static bool is_kept_in_rows(const keeli_view *view, const keeli_bound_term *any) {
    for (uint32_t i = 0; i < any->count; ++i) {
        const keeli_storage *s = view->storages[any->first + i];
        if (s && s->kind != KEEL_ARCHETYPE) return false;
    }
    return true;
}

static void ask(keeli_match_key *key, uint32_t how, const keeli_storage *s) {
    if (s && s->kind == KEEL_ARCHETYPE) key->asked[key->count++] = s->slot << 2 | how;
}

static keeli_match_key key_of(const keeli_plan *plan, const keeli_view *view, const demand *d) {
    keeli_match_key key;
    key.count = 0;
    for (uint32_t i = 0; i < d->must_count; ++i)
        ask(&key, KEELI_ASK_MUST, d->must[i]);
    for (uint32_t i = 0; i < plan->without_count; ++i)
        ask(&key, KEELI_ASK_WITHOUT, plan->without[i]);
    for (uint32_t a = 0; a < plan->any_count; ++a) {
        const keeli_bound_term *any = plan->any[a];
        if (!is_kept_in_rows(view, any)) continue;
        for (uint32_t i = 0; i < any->count; ++i)
            ask(&key, KEELI_ASK_ANY, view->storages[any->first + i]);
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

// The filters that matching archetypes fulfil are dropped.
static void drop_fulfilled(keeli_plan *plan, const keeli_view *view) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < plan->without_count; ++i)
        if (plan->without[i]->kind != KEEL_ARCHETYPE) plan->without[kept++] = plan->without[i];
    plan->without_count = kept;
    kept = 0;
    for (uint32_t i = 0; i < plan->any_count; ++i)
        if (!is_kept_in_rows(view, plan->any[i])) plan->any[kept++] = plan->any[i];
    plan->any_count = kept;
}

// ------------------------------------------------------------------ groups
// Is every entity that the view matches a member?
static bool covers(const keel_group *g, const keeli_plan *plan, const demand *d) {
    for (uint32_t i = 0; i < g->must_count; ++i)
        if (!is_among(g->storages[i], d->must, d->must_count)) return false;
    for (uint32_t i = g->must_count; i < g->storage_count; ++i)
        if (!is_among(g->storages[i], plan->without, plan->without_count)) return false;
    return true;
}

// The smallest group that can lead; of equal ones that which orders most storages.
static keel_group *find_group(const keeli_plan *plan, const demand *d) {
    keel_group *best = NULL;
    for (uint32_t m = 0; m < d->must_count; ++m)
        for (uint32_t i = 0; i < d->must[m]->groups.count; ++i) {
            keel_group *g = d->must[m]->groups.items[i].group;
            if (g->storages[0] != d->must[m] || !covers(g, plan, d)) continue; // each group once
            const uint32_t count = keeli_group_count(g), least = best ? keeli_group_count(best) : 0;
            if (!best || count < least || (count == least && g->owned_count > best->owned_count))
                best = g;
        }
    return best;
}

// The group leads: what it settles is no filter any more.
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
        if (!column->maybe && !column->relation && !keeli_plan_is_ordered(plan, column->storage) &&
            is_among(column->storage, g->storages, g->must_count))
            plan->beside[plan->beside_count++] = column->storage;
    }
}

// ------------------------------------------------------------------ the choice
// In units of a quarter of a nanosecond, roughly, per candidate: a packed entity that is filtered
// and looked up, a word of 64 presence bits, a match among them, a row.
enum {
    cost_packed = 6,
    cost_word = 2,
    cost_match = 3,
    cost_row_filtered = 6,
    cost_member = 1 // of a group that settles all filters
};

// What has any of several leads where it is less than this part of what would lead otherwise. Each
// page of its bits counts as so many more.
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
    if (s->kind == KEEL_ARCHETYPE) return KEELI_SCAN_ROWS;
    if (s->kind == KEEL_INDEXED) return KEELI_SCAN_BITS;
    return g && s->owner == g ? KEELI_SCAN_GROUP : KEELI_SCAN_SET; // it has the same order
}

static keeli_scan choose(const keeli_plan *plan, const demand *d, const keel_group *g) {
    const uint64_t none = UINT64_MAX;
    if (d->chosen) return scan_of_chosen(d->chosen, g);
    if (plan->lead) return plan->lead->logged < UINT32_MAX ? KEELI_SCAN_CHANGES : KEELI_SCAN_BITS;
    const uint64_t group = g ? cost_of_group(plan, d, g) : none;
    const uint64_t sparse = d->sparse ? (uint64_t)d->sparse->set.count * cost_packed : none;
    if (d->must_count == 0) return KEELI_SCAN_ENTITIES;
    if (d->sparse_count == d->must_count)
        return g && group <= sparse ? KEELI_SCAN_GROUP : KEELI_SCAN_SET;
    if (d->row_count == d->must_count && !g) return KEELI_SCAN_ROWS;
    const uint64_t bits = cost_of_bits(d);
    const uint64_t rows = plan->match ? rows_of(plan->match) * cost_row_filtered : none;
    if (g && group <= sparse && group <= bits && group <= rows) return KEELI_SCAN_GROUP;
    if (sparse <= bits && sparse <= rows) return KEELI_SCAN_SET;
    return rows < bits ? KEELI_SCAN_ROWS : KEELI_SCAN_BITS;
}

// ------------------------------------------------------------------ any of several
// How many candidates there would be.
static uint64_t candidates(const keeli_plan *plan, const keeli_view *view, const demand *d,
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
        return 0; // nothing else leads
    }
}

static uint64_t count_of_any(const keeli_view *view, const keeli_bound_term *any) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < any->count; ++i) {
        const keeli_storage *s = view->storages[any->first + i];
        if (s) count += keeli_store_count(s);
    }
    return count;
}

static uint32_t pages_of_any(const keeli_view *view, const keeli_bound_term *any) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < any->count; ++i) {
        const keeli_storage *s = view->storages[any->first + i];
        const uint32_t pages = s ? keeli_presence_page_end(&s->presence) : 0;
        if (pages > most) most = pages;
    }
    return most;
}

// The term of which fewest have any; the first of equals. Where rows match that have one of it,
// they are not more.
static const keeli_bound_term *rarest_any(const keeli_plan *plan, const keeli_view *view) {
    const keeli_bound_term *best = NULL;
    for (uint32_t i = 0; i < plan->any_count; ++i) {
        const keeli_bound_term *any = plan->any[i];
        if (plan->match && is_kept_in_rows(view, any)) continue;
        if (!best || count_of_any(view, any) < count_of_any(view, best)) best = any;
    }
    return best;
}

// They lead: they are no filter any more.
static void follow_union(keeli_plan *plan, const keeli_view *view, const keeli_bound_term *any) {
    plan->scan = KEELI_SCAN_UNION;
    plan->united = any;
    plan->united_count = count_of_any(view, any);
    plan->united_pages = pages_of_any(view, any);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < plan->any_count; ++i)
        if (plan->any[i] != any) plan->any[kept++] = plan->any[i];
    plan->any_count = kept;
}

// Let them lead where they are far less than what would lead otherwise: each is looked up, while a
// loop over values that lie in one order may cost a tenth of that for each.
static void try_union(keeli_plan *plan, const keeli_view *view, const demand *d,
                      const keel_group *g) {
    const keeli_bound_term *any = plan->any_count && !d->chosen ? rarest_any(plan, view) : NULL;
    plan->considered_union = any != NULL;
    if (!any) return;
    const uint64_t looks = count_of_any(view, any) + pages_of_any(view, any) * UNION_PAGE;
    if (looks * UNION_SHARE < candidates(plan, view, d, g)) follow_union(plan, view, any);
}

// The look-up of its values tells whether a candidate has it.
static bool is_looked_up(const keeli_plan *plan, const keeli_storage *s) {
    for (uint32_t c = 0; c < plan->column_count; ++c)
        if (plan->columns[c].storage == s && !plan->columns[c].maybe && !plan->columns[c].relation)
            return s->kind == KEEL_SPARSE_SET;
    return false;
}

static keeli_column_way way_of(const keeli_plan *plan, const keeli_plan_column *column) {
    const keeli_storage *s = column->storage;
    const bool is_packed = plan->scan == KEELI_SCAN_SET || plan->scan == KEELI_SCAN_GROUP;
    if (!s) return KEELI_ABSENT;
    if (column->relation) return column->how;
    if (column->maybe) return s->kind == KEEL_SPARSE_SET ? KEELI_BY_CELL : KEELI_LOOK_UP;
    if (is_packed && keeli_plan_is_ordered(plan, s)) return KEELI_IN_ORDER;
    if (plan->scan == KEELI_SCAN_ROWS && s->kind == KEEL_ARCHETYPE) return KEELI_IN_ORDER;
    return s->kind == KEEL_INDEXED      ? KEELI_BY_INDEX
           : s->kind == KEEL_SPARSE_SET ? KEELI_BY_CELL
                                        : KEELI_BY_ROW;
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

// Can all columns have one base for 64 indices?
static bool has_masks(const keeli_plan *plan) {
    if (plan->has_through) return false;
    for (uint32_t c = 0; c < plan->column_count; ++c) {
        const keeli_storage *s = plan->columns[c].storage;
        if (s && s->size && (s->kind != KEEL_INDEXED || s->root->shift < 6)) return false;
    }
    return true;
}

// Can ranges of equal order be found: are all that must be there sparse sets, and no `maybe`
// beside?
static bool has_ranges(const keeli_plan *plan) {
    if (plan->has_maybe || plan->has_through || plan->change_count) return false;
    for (uint32_t i = 0; i < plan->need_count; ++i)
        if (plan->need[i]->kind != KEEL_SPARSE_SET) return false;
    for (uint32_t i = 0; i < plan->beside_count; ++i)
        if (plan->beside[i]->kind != KEEL_SPARSE_SET) return false;
    return true;
}

static bool make_plan(keeli_plan *plan, const keeli_view *view, bool is_listed, demand *d) {
    memset(d, 0, offsetof(demand, must));
    memset(plan, 0, offsetof(keeli_plan, need));
    if (!sort_terms(plan, view, d)) return true;
    if (d->chosen) { // what changed is one more filter
        d->sparse = d->smallest = d->chosen;
        plan->lead = NULL;
    }
    if (d->row_count) {
        const keeli_match_key key = key_of(plan, view, d);
        plan->match = get_match(view->world, &key);
        if (!plan->match) return keeli_out_of_memory(view->world, "beginning a loop"), false;
    }
    if (is_listed) plan->relation = NULL;
    const bool by_level = plan->relation != NULL, by_target = plan->related && !is_listed;
    if (is_listed || by_level || by_target) plan->lead = NULL;
    keel_group *group =
        view->world->followers.groups && !plan->lead && !is_listed && !by_level && !by_target
            ? find_group(plan, d)
            : NULL;
    plan->considered_group = group != NULL;
    plan->scan = is_listed   ? KEELI_SCAN_HANDLES
                 : by_level  ? KEELI_SCAN_LEVELS
                 : by_target ? KEELI_SCAN_SOURCES
                             : choose(plan, d, group);
    try_union(plan, view, d, group);
    if (plan->scan == KEELI_SCAN_GROUP) follow_group(plan, group);
    if (plan->scan == KEELI_SCAN_SET) plan->leader = d->sparse;
    if (plan->scan == KEELI_SCAN_BITS || by_level) plan->leader = d->smallest;
    plan->needs_target = by_level && is_among(plan->relation, d->must, d->must_count);
    if (plan->scan == KEELI_SCAN_BITS && plan->lead)
        plan->leader = view->world->root.storages[plan->lead->storage->slot];
    if (plan->scan == KEELI_SCAN_ROWS) drop_fulfilled(plan, view);
    for (uint32_t i = 0; i < d->must_count; ++i) {
        const bool granted =
            (d->must[i] == plan->leader && !by_level) ||
            (by_target && d->must[i] == plan->related) ||
            (plan->scan == KEELI_SCAN_CHANGES && d->must[i] == plan->lead->storage) ||
            (plan->scan == KEELI_SCAN_ROWS && d->must[i]->kind == KEEL_ARCHETYPE) ||
            (plan->group && is_among(d->must[i], plan->group->storages, plan->group->must_count));
        if (granted) continue;
        plan->need[plan->need_count++] = d->must[i];
        if (!is_looked_up(plan, d->must[i])) plan->check[plan->check_count++] = d->must[i];
    }
    for (uint32_t c = 0; c < plan->column_count; ++c)
        plan->columns[c].how = way_of(plan, &plan->columns[c]);
    plan->finds_lead = plan->lead && is_looked_up(plan, plan->lead->storage);
    plan->has_masks = has_masks(plan);
    plan->has_ranges = has_ranges(plan);
    plan->only_rows = plan->scan == KEELI_SCAN_ROWS && has_only_rows(plan);
    return true;
}

bool keeli_plan_make(keeli_plan *plan, const keeli_view *view, bool is_listed) {
    demand d;
    return make_plan(plan, view, is_listed, &d);
}

// ------------------------------------------------------------------ plans that are kept
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

static bool still_holds(const keeli_kept_plan *kept, keel_world *world) {
    if (!kept->is_made) return false;
    for (uint32_t i = 0; i < kept->must_count; ++i)
        if (keeli_store_count(kept->must[i]) != kept->counts[i]) return false;
    return !kept->plan.match || bring_up_to_date(world, kept->plan.match);
}

// Counts are all that decides among storages of one kind. Costs of several kinds, or of a group, or
// whether any of several lead, depend on more.
static void keep(keeli_kept_plan *kept, const demand *d) {
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < d->must_count; ++i) {
        kinds |= (uint32_t)1 << d->must[i]->kind;
        kept->must[i] = d->must[i];
        kept->counts[i] = keeli_store_count(d->must[i]);
    }
    kept->must_count = d->must_count > 1 ? d->must_count : 0;
    kept->is_made = kept->plan.scan != KEELI_SCAN_NOTHING && !kept->plan.considered_group &&
                    !kept->plan.considered_union && !(kinds & (kinds - 1));
}

const keeli_plan *keeli_plan_get(const keeli_view *view, keeli_plan *own) {
    keeli_kept_plan *kept = view->kept;
    if (!kept) return keeli_plan_make(own, view, false) ? own : NULL;
    if (still_holds(kept, view->world)) return &kept->plan;
    demand d;
    kept->is_made = false;
    if (!make_plan(&kept->plan, view, false, &d)) return NULL;
    keep(kept, &d);
    return &kept->plan;
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
        return keeli_store_count(plan->relation) + (plan->needs_target ? 0
                                                    : plan->leader
                                                        ? keeli_store_count(plan->leader)
                                                        : keeli_entity_count(&world->entities));
    default:
        return 0;
    }
}
