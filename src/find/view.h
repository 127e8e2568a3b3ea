// SPDX-License-Identifier: MIT
// An open view: its terms with storages resolved, and what it holds.
#pragma once
#include "edit/edit.h"

// A term whose components are resolved.
typedef struct keeli_bound_term {
    keel_term_kind kind;
    uint32_t first, count; // in `storages`: one, or several for any_of and the access-only kinds
    const char *name;      // the parameter, for messages
    uint32_t data_size;
} keeli_bound_term;

#define KEELI_MAX_BOUND (KEEL_MAX_TERMS * KEEL_MAX_TERM_COMPONENTS)

typedef struct keeli_view {
    keeli_holder holder; // borrowed while open
    keel_world *world;
    uint64_t serial; // of the handle that opened it; 0: spare
    keeli_bound_term terms[KEEL_MAX_TERMS];
    uint32_t term_count;
    keeli_storage *storages[KEELI_MAX_BOUND]; // NULL: the world does not know it, nothing matches
    uint32_t storage_count;
    bool wants_entities;
    keel_chunk one; // what keel_view_get_all hands out
    keel_entity one_entity;
    struct keeli_view *next; // of all states of the world
} keeli_view;

// The state behind a handle; NULL when it was closed.
keeli_view *keeli_view_of(const keel_view *view);
// A spare state; NULL when out of memory (reported).
keeli_view *keeli_view_take(keel_world *world, const char *where);
// Have so many states, open and spare; false when out of memory.
bool keeli_views_reserve(keel_world *world, uint32_t count);
// Forget the terms of a state that is not open, for others.
void keeli_view_reset(keeli_view *view, const char *where);
// Resolve terms and say what the holder wants. `system`: whose terms they are, or NULL; some terms
// only systems have.
keel_result keeli_view_bind(keeli_view *view, const keel_term *terms, const keel_system *system);
// Is every unique set that the terms name? KEEL_OK, KEEL_ERROR_MISSING_UNIQUE.
keel_result keeli_view_check_uniques(const keeli_view *view, const keel_term *terms);
// Give a state back that is not open any more.
void keeli_view_give(keeli_view *view);
void keeli_views_deinit(keel_world *world);
// keel_view_begin within what a system holds (NULL: within the world).
keel_result keeli_view_begin_inside(keel_view *view, keel_world *world, keeli_holder *parent,
                                    const keel_term *terms, const char *where);
// End the views that a system opened and left open.
void keeli_views_end_inside(keel_world *world, const keeli_holder *system);

static inline bool keeli_term_must(keel_term_kind kind) { // the component has to be there
    return kind == KEEL_TERM_READ || kind == KEEL_TERM_WRITE || kind == KEEL_TERM_EDIT ||
           kind == KEEL_TERM_WITH;
}
static inline bool keeli_term_has_values(keel_term_kind kind) { // and these have a column
    return kind >= KEEL_TERM_READ && kind <= KEEL_TERM_MAYBE_WRITE;
}
static inline bool keeli_term_writes(keel_term_kind kind) {
    return kind == KEEL_TERM_WRITE || kind == KEEL_TERM_EDIT || kind == KEEL_TERM_MAYBE_WRITE;
}
