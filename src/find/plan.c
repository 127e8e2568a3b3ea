// SPDX-License-Identifier: MIT
// Choosing the driver. When all components that must be there are sparse sets the smallest leads,
// always, in packed order. Otherwise costs are compared: candidates, times what one costs.
#include "find/plan.h"

#include "edit/report.h"

#include <string.h>

bool keeli_view_is_about_entities(const keeli_view *view) {
    for (uint32_t t = 0; t < view->term_count; ++t)
        if (view->terms[t].kind >= KEEL_TERM_READ && view->terms[t].kind <= KEEL_TERM_ENTITY)
            return true;
    return false;
}

// ------------------------------------------------------------------ what is asked
// What must be there, by kind of storage.
typedef struct demand {
    keeli_storage *must[KEEL_MAX_TERMS];
    uint32_t must_count;
    keeli_storage *sparse, *smallest; // the smallest sparse set; the smallest of all
    uint32_t sparse_count, row_count; // how many are sparse sets; how many are kept in rows
} demand;

static void add_must(demand *d, keeli_storage *s) {
    d->must[d->must_count++] = s;
    if (!d->smallest || keeli_store_count(s) < keeli_store_count(d->smallest)) d->smallest = s;
    if (s->kind == KEEL_ARCHETYPE) ++d->row_count;
    if (s->kind != KEEL_SPARSE_SET) return;
    ++d->sparse_count;
    if (!d->sparse || s->set.count < d->sparse->set.count) d->sparse = s;
}

// Sort the terms into what must be there, filters and columns. False when nothing can match.
static bool sort_terms(keeli_plan *plan, const keeli_view *view, demand *d) {
    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keeli_bound_term *term = &view->terms[t];
        if (term->kind < KEEL_TERM_READ || term->kind > KEEL_TERM_ANY_OF) continue;
        keeli_storage *s = view->storages[term->first];
        for (uint32_t i = 0; i < term->count; ++i) {
            const keeli_storage *each = view->storages[term->first + i];
            plan->has_rows |= each && each->kind == KEEL_ARCHETYPE;
        }
        if (keeli_term_must(term->kind)) {
            if (!s) return false;
            add_must(d, s);
        } else if (term->kind == KEEL_TERM_WITHOUT) {
            if (s) plan->without[plan->without_count++] = s;
        } else if (term->kind == KEEL_TERM_ANY_OF) {
            plan->any[plan->any_count++] = term;
        }
        if (!keeli_term_has_values(term->kind)) continue;
        const bool maybe = !keeli_term_must(term->kind);
        plan->has_maybe |= maybe;
        plan->columns[plan->column_count++] = (keeli_plan_column){ t, maybe, s };
    }
    return true;
}

// ------------------------------------------------------------------ archetypes
static bool is_kept_in_rows(const keeli_view *view, const keeli_bound_term *any) {
    for (uint32_t i = 0; i < any->count; ++i) {
        const keeli_storage *s = view->storages[any->first + i];
        if (s && s->kind != KEEL_ARCHETYPE) return false;
    }
    return true;
}

static void add_any(keeli_match_key *key, const keeli_view *view, const keeli_bound_term *any) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < any->count; ++i) {
        const keeli_storage *s = view->storages[any->first + i];
        if (s) key->any[key->any_count][n++] = s->slot;
    }
    ++key->any_count;
}

static keeli_match_key key_of(const keeli_plan *plan, const keeli_view *view, const demand *d) {
    keeli_match_key key;
    memset(&key, 0, sizeof key);
    for (uint32_t i = 0; i < d->must_count; ++i)
        if (d->must[i]->kind == KEEL_ARCHETYPE) key.must[key.must_count++] = d->must[i]->slot;
    for (uint32_t i = 0; i < plan->without_count; ++i)
        if (plan->without[i]->kind == KEEL_ARCHETYPE)
            key.without[key.without_count++] = plan->without[i]->slot;
    for (uint32_t i = 0; i < plan->any_count; ++i)
        if (is_kept_in_rows(view, plan->any[i])) add_any(&key, view, plan->any[i]);
    return key;
}

static uint64_t rows_of(const keeli_match *match) {
    uint64_t rows = 0;
    for (uint32_t i = 0; i < match->list.count; ++i)
        rows += match->list.items[i]->row_count;
    return rows;
}

// The filters that matching archetypes settle are dropped.
static void drop_settled(keeli_plan *plan, const keeli_view *view) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < plan->without_count; ++i)
        if (plan->without[i]->kind != KEEL_ARCHETYPE) plan->without[kept++] = plan->without[i];
    plan->without_count = kept;
    kept = 0;
    for (uint32_t i = 0; i < plan->any_count; ++i)
        if (!is_kept_in_rows(view, plan->any[i])) plan->any[kept++] = plan->any[i];
    plan->any_count = kept;
}

// ------------------------------------------------------------------ the choice
// In units of a quarter of a nanosecond, roughly, per candidate: a packed entity that is filtered
// and looked up, a word of 64 presence bits, a match among them, a row.
enum { cost_packed = 6, cost_word = 2, cost_match = 3, cost_row = 1, cost_row_filtered = 6 };

static uint64_t cost_of_bits(const demand *d) {
    const keeli_storage *s = d->smallest;
    const uint64_t pages = s->presence.root.page_count;
    const uint64_t used = pages < keeli_store_count(s) ? pages : keeli_store_count(s);
    return used * KEELI_PAGE_WORDS * cost_word + (uint64_t)keeli_store_count(s) * cost_match;
}

static keeli_driver choose(keeli_plan *plan, const demand *d) {
    if (d->must_count == 0) return KEELI_DRIVE_ENTITIES;
    if (d->sparse_count == d->must_count) return KEELI_DRIVE_SPARSE;
    if (d->row_count == d->must_count) return KEELI_DRIVE_ROWS;
    const uint64_t none = UINT64_MAX;
    const uint64_t sparse = d->sparse ? (uint64_t)d->sparse->set.count * cost_packed : none;
    const uint64_t bits = cost_of_bits(d);
    const uint64_t rows = plan->match ? rows_of(plan->match) * cost_row_filtered : none;
    if (sparse <= bits && sparse <= rows) return KEELI_DRIVE_SPARSE;
    return rows < bits ? KEELI_DRIVE_ROWS : KEELI_DRIVE_BITS;
}

bool keeli_plan_make(keeli_plan *plan, const keeli_view *view) {
    demand d = { 0 };
    memset(plan, 0, sizeof *plan);
    if (!keeli_view_is_about_entities(view) || !sort_terms(plan, view, &d)) return true;
    if (d.row_count) {
        const keeli_match_key key = key_of(plan, view, &d);
        plan->match = keeli_match_get(view->world, &key);
        if (!plan->match) return keeli_out_of_memory(view->world, "beginning a loop"), false;
    }
    plan->driver = choose(plan, &d);
    if (plan->driver == KEELI_DRIVE_SPARSE) plan->leader = d.sparse;
    if (plan->driver == KEELI_DRIVE_BITS) plan->leader = d.smallest;
    if (plan->driver == KEELI_DRIVE_ROWS) drop_settled(plan, view);
    for (uint32_t i = 0; i < d.must_count; ++i) {
        const bool granted = d.must[i] == plan->leader || (plan->driver == KEELI_DRIVE_ROWS &&
                                                           d.must[i]->kind == KEEL_ARCHETYPE);
        if (!granted) plan->need[plan->need_count++] = d.must[i];
    }
    return true;
}

uint64_t keeli_plan_touches(const keeli_plan *plan, const keel_world *world) {
    switch (plan->driver) {
    case KEELI_DRIVE_SPARSE:
    case KEELI_DRIVE_BITS:
        return keeli_store_count(plan->leader);
    case KEELI_DRIVE_ROWS:
        return rows_of(plan->match);
    case KEELI_DRIVE_ENTITIES:
        return world->entities.alive;
    default:
        return 0;
    }
}
