// SPDX-License-Identifier: MIT
// How a view is walked: what leads, and what is left to check.
#pragma once
#include "find/match_cache.h"
#include "find/view.h"

// What hands out candidates.
typedef enum keeli_driver {
    KEELI_DRIVE_NOTHING,  // nothing can match
    KEELI_DRIVE_SPARSE,   // the entities of a sparse set, in packed order
    KEELI_DRIVE_BITS,     // windows of presence bits, by ascending index
    KEELI_DRIVE_ROWS,     // the rows of matching archetypes
    KEELI_DRIVE_ENTITIES, // windows of living entities, by ascending index
    KEELI_DRIVE_GROUP,    // the packed prefix of a group
    KEELI_DRIVE_CHANGES   // the log of single changes of a component, oldest first
} keeli_driver;

// How lists find the values of a column.
typedef enum keeli_column_way {
    KEELI_FOLLOW,   // they are in the order in which the driver walks
    KEELI_BY_INDEX, // at the entity's index
    KEELI_LOOK_UP,
    KEELI_ABSENT
} keeli_column_way;

typedef struct keeli_plan_column {
    uint32_t term; // position in the view's list
    bool maybe;    // may be absent
    keeli_column_way how;
    keeli_storage *storage; // NULL: absent throughout
} keeli_plan_column;

// A term about changes.
typedef struct keeli_change_filter {
    const keeli_storage *storage;
    const keeli_ticks *inserted, *modified; // NULL: that kind is not asked for
    keeli_tick_range inserted_in, modified_in;
    bool negated;
    uint32_t logged; // in a plan: how many single changes the log has; UINT32_MAX: not all
} keeli_change_filter;

typedef struct keeli_plan {
    keeli_driver driver;
    keeli_storage *leader; // SPARSE, BITS: the smallest that must be there; GROUP: has its order
    const struct keel_group *group; // GROUP
    const keeli_match *match;       // ROWS
    uint32_t need_count, check_count, without_count, any_count, column_count, beside_count;
    uint32_t change_count;
    const keeli_change_filter *lead; // CHANGES: whose log; BITS: whose ticks tell what to skip
    bool finds_lead; // CHANGES: looking up its value tells whether a candidate has it still
    bool has_maybe;
    bool considered_group; // one could lead
    bool has_rows;         // a term is kept in archetypes
    bool only_rows;        // ROWS: nothing is left to check, and all values are in rows
    bool has_spans; // BITS: all values are indexed, and only bits of presence say who matches
    // lists, as long as said above, in somebody's room for them
    keeli_storage **need;        // that the driver does not grant
    const keeli_storage **check; // those that lists check by their bits
    const keeli_storage **without;
    const keeli_bound_term **any;
    keeli_plan_column *columns;
    keeli_storage **beside; // GROUP: sparse sets with values that it gets but does not order
    keeli_change_filter *changes;
} keeli_plan;

// Bytes of the lists of a view with so many terms, of which so many are about changes.
#define KEELI_PLAN_ROOM(terms, changes)                                                            \
    ((terms) * (5 * sizeof(void *) + sizeof(keeli_plan_column)) +                                  \
     (changes) * sizeof(keeli_change_filter))
// Give the plan room for its lists.
void keeli_plan_init(keeli_plan *plan, void *room, uint32_t terms);

// The plan of a view that is walked again and again. It holds as long as the view's storages are
// the same and nothing changed that the choice depends on.
typedef struct keeli_kept_plan {
    bool is_made;
    uint32_t must_count;        // what must be there, where there is a choice
    const keeli_storage **must; // and how many had it
    uint32_t *counts;
    keeli_plan plan;
} keeli_kept_plan;

size_t keeli_kept_plan_bytes(uint32_t terms);
// `kept` begins zeroed memory of that many bytes.
void keeli_kept_plan_init(keeli_kept_plan *kept, uint32_t terms);
// What keeli_plan_make would make; `own` is for where that cannot be kept. NULL when out of memory
// (reported).
const keeli_plan *keeli_plan_get(const keeli_view *view, keeli_plan *own);

// How many candidates it looks at.
uint64_t keeli_plan_touches(const keeli_plan *plan, const keel_world *world);
// Are the values of the storage in the order in which the driver walks?
static inline bool keeli_plan_is_ordered(const keeli_plan *plan, const keeli_storage *s) {
    return s == plan->leader || (plan->group && s->owner == plan->group);
}
// False when out of memory (reported).
bool keeli_plan_make(keeli_plan *plan, const keeli_view *view);
// change.c: make the filter of a term that is about changes; and which of 64 entities pass it.
keeli_change_filter keeli_change_filter_of(const keeli_view *view, const keeli_bound_term *term);
uint64_t keeli_change_bits(const keeli_change_filter *f, uint32_t block, uint64_t bits);
bool keeli_change_passes(const keeli_change_filter *f, uint32_t index);
bool keeli_change_matches(const keeli_view *view, const keeli_bound_term *term, uint32_t index);
// Did nothing change since then? One compare for each kind.
bool keeli_change_is_empty(const keeli_change_filter *f);
// How many single changes the log has of it; UINT32_MAX when it does not hold them all.
uint32_t keeli_change_logged(const keeli_change_filter *f);
// Can anything on this page of 4,096 indices pass?
bool keeli_change_page_may_match(const keeli_change_filter *f, uint32_t page);
// A list of terms that says nothing about entities matches none.
bool keeli_view_is_about_entities(const keeli_view *view);
