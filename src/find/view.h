// SPDX-License-Identifier: MIT
// An open view: its terms with storages resolved, and what it holds.
#pragma once
#include "edit/edit.h"

#include <keel/custom_view.h>

// A term whose components are resolved.
typedef struct keeli_bound_term {
    keel_term_kind kind;
    uint32_t first, count; // in `storages`: one, or several for any_of and the access-only kinds
    const char *name;      // the parameter, for messages
    uint32_t data_size;
    uint64_t from; // events: number of the first that is received in this run
} keeli_bound_term;

#define KEELI_MAX_BOUND (KEEL_MAX_TERMS * KEEL_MAX_TERM_COMPONENTS)

// What binding terms finds out about all of them together.
typedef struct keeli_view_facts {
    const keeli_storage *targets_first; // of which relation KEEL_TARGETS_FIRST is, or NULL
    const keel_entity *among;           // the user's list, where there is one: not NULL
    keel_entity related_to;             // of KEEL_RELATED: to whom
    uint32_t among_count;
    uint32_t custom_count; // terms that are custom views
    bool wants_entities;
    bool has_leading;                      // a term says what leads,
    bool is_targets_first;                 // and that is KEEL_TARGETS_FIRST
    bool is_changed_up;                    // KEEL_CHANGED_UP beside it
    bool has_uniques, takes_data, records; // there are terms of these kinds, commands the last
    bool filters_changes;                  // a term is about changes
    bool asks_about_changes;               // or a system may ask about them by itself
    bool writes;                           // a term hands out values to write
    bool marks_by_hand;                    // and a system says which were
    bool edits;                            // it may edit something
    bool has_events;                       // it sends or receives some, or may
    bool sends;                            // it sends some,
    bool defers_events;                    // which wait until it has ended: it receives the same
    bool is_listed;                        // it goes through handles: of the user's list, or what
    bool is_backwards;                     // it visits otherwise, the last first
} keeli_view_facts;

// With room for terms and storages behind it: for all there can be in the world's states, for those
// there are in states that systems keep.
struct keeli_kept_plan;
typedef struct keeli_view {
    keeli_holder holder; // borrowed while open; first: world/scope.c knows a view by it
    keel_world *world;
    keeli_bound_term *terms;
    keeli_storage **storages; // NULL: the world does not know it, nothing matches
    uint32_t term_count, storage_count;
    uint32_t bytes;    // of all of it
    bool is_parameter; // it ends with its system
    bool in_hands;     // its init or drop runs: nobody else may end it
    bool is_loop;      // of KEEL_EACH, which ends it however it is left
    keeli_view_facts facts;
    // Who opened it, and what it is; under the world's lock, as others look at it.
    keeli_holder *inside;           // the system or custom view, or NULL
    const keel_custom_view *custom; // it is what this one may touch, or NULL
    void *value;                    // of the custom view
    keeli_arena scratch;            // of a custom view that is no parameter
    uint64_t thread;                // that opened it
    int32_t loops;                  // keel_view_parallel_for over it that run (atomic)
    const keeli_reader *reader;   // who looks, for terms about changes; NULL: nobody in particular
    keeli_reader since;           // a copy of the user's, who may forget it
    keel_chunk *one;              // what keel_view_get_all hands out; not in states that are kept
    struct keeli_kept_plan *kept; // in those: how it was iterated the last time
    keel_entity one_entity;
    struct keeli_view *next; // of all states of the world
} keeli_view;

// Do both terms say the same? Member by member: what lies between members may be undefined.
static inline bool keeli_is_same_term(const keel_term *a, const keel_term *b) {
    return a->kind == b->kind && a->data_size == b->data_size && a->component == b->component &&
           a->others == b->others && a->name == b->name && a->custom == b->custom;
}

// The state behind a handle; NULL when it was closed.
keeli_view *keeli_view_of(const keel_view *view);
// A spare state; NULL when out of memory (reported).
keeli_view *keeli_view_take(keel_world *world, const char *where);
// Have so many states, open and spare; false when out of memory.
bool keeli_views_reserve(keel_world *world, uint32_t count);
typedef KEELI_ARRAY(keel_entity) keeli_handle_list;
struct keeli_iterator;
// Add all that the iterator (NULL: there was no memory for it) visits to a list, and end it.
keel_result keeli_view_collect(struct keeli_iterator *it, keeli_handle_list *list);
// Forget the terms of a state that is not open, for others.
void keeli_view_reset(keeli_view *view, const char *where);
// A state with no terms yet that is none of the world's; NULL when out of memory.
keeli_view *keeli_view_new(keel_world *world, const char *name);
// The same with the terms of a state that is bound and not open, to run them again and again.
keeli_view *keeli_view_keep(const keeli_view *view);
void keeli_view_free(keeli_view *view);
// Resolve terms and say what the holder wants. `system`: whose terms they are, or NULL; some terms
// only systems have.
keel_result keeli_view_bind(keeli_view *view, const keel_term *terms, const keel_system *system);
// Is every unique set that the terms name? KEEL_OK, KEEL_ERROR_MISSING_UNIQUE.
keel_result keeli_view_check_uniques(const keeli_view *view, const keel_term *terms);
// Give a state back that is not open any more.
void keeli_view_give(keeli_view *view);
void keeli_views_deinit(keel_world *world);
// keel_view_begin within what a system or custom view holds (NULL: within the world), for whom it
// looks (NULL: nobody in particular).
keel_result keeli_view_begin_inside(keel_view *view, keel_world *world, keeli_holder *inside,
                                    const keeli_reader *reader, const keel_term *terms,
                                    const char *where);
// keel_view_end.
void keeli_view_close(keeli_view *view);
// While several threads are at work: KEEL_OK in the thread that opened it, KEEL_ERROR_THREAD in
// others. A world that is handed over as a whole takes its open views along.
keel_result keeli_view_may_end(const keeli_view *view);
// The last one that was opened inside and is still open, or NULL. Inside of NULL: the last custom
// view that was begun by hand in the world.
keeli_view *keeli_view_last_inside(keel_world *world, const keeli_holder *inside);
// Where the views of a context borrow from: NULL, the world, when it has all of it.
static inline keeli_holder *keeli_lender(keeli_holder *inside) {
    return inside && !inside->everything ? inside : NULL;
}

// Custom views, as far as the terms go. Say what the holder wants for one.
keel_result keeli_custom_bind(keeli_view *view, const keel_custom_view *kind);
// Is what it declares, without those inside it, all there? KEEL_OK, KEEL_ERROR_MISSING_UNIQUE.
keel_result keeli_custom_check_uniques(keel_world *world, const keel_custom_view *kind);
// Does it have a term like this, itself or inside?
bool keeli_custom_has(const keel_custom_view *kind, bool (*like)(keel_term_kind kind));
// The state of `kind` is that of a custom view that becomes `value`; undone by keeli_view_give.
void keeli_view_is_custom(keeli_view *view, const keel_custom_view *kind, void *value,
                          keeli_holder *inside, bool is_parameter);
// The custom view at that address that was made inside and is still open, or NULL.
keeli_view *keeli_custom_find(keel_world *world, const void *value, const keeli_holder *inside);

keel_access keeli_term_access(keel_term_kind kind);
uint32_t keeli_term_tracks(keel_term_kind kind); // KEEL_TRACK_* that it asks for

static inline bool keeli_term_must(keel_term_kind kind) { // the component has to be there
    return (kind >= KEEL_TERM_READ && kind <= KEEL_TERM_EDIT) || kind == KEEL_TERM_WITH ||
           kind == KEEL_TERM_TARGETED || kind == KEEL_TERM_RELATED ||
           (kind >= KEEL_TERM_INSERTED && kind <= KEEL_TERM_CHANGED);
}
// Does the component lead the view by choice?
static inline bool keeli_term_leads(keel_term_kind kind, uint32_t data_size) {
    return kind == KEEL_TERM_WITH && data_size;
}
static inline bool keeli_term_filters_changes(keel_term_kind kind) {
    return kind >= KEEL_TERM_INSERTED && kind <= KEEL_TERM_NOT_CHANGED;
}
// The term that says which components commands may edit, or NULL.
static inline const keeli_bound_term *keeli_view_commands(const keeli_view *view) {
    for (uint32_t t = 0; view->facts.records && t < view->term_count; ++t)
        if (view->terms[t].kind == KEEL_TERM_COMMANDS) return &view->terms[t];
    return NULL;
}
// Is it about components of the entities that are visited?
static inline bool keeli_term_is_walked(keel_term_kind kind) {
    return (kind >= KEEL_TERM_READ && kind <= KEEL_TERM_TARGETED) || kind == KEEL_TERM_RELATED;
}
// Or of others that a relation leads to: its second component is the relation.
static inline bool keeli_term_is_through(keel_term_kind kind) {
    return kind >= KEEL_TERM_OF_TARGET_READ && kind <= KEEL_TERM_UP_OPTIONAL_READ;
}
static inline bool keeli_term_has_relation(keel_term_kind kind) {
    return keeli_term_is_through(kind) || kind == KEEL_TERM_CHANGED_UP;
}
static inline bool keeli_term_is_up(keel_term_kind kind) { // not the target, but some above
    return kind == KEEL_TERM_UP_READ || kind == KEEL_TERM_UP_OPTIONAL_READ;
}
static inline bool keeli_term_has_own_values(keel_term_kind kind) {
    return kind >= KEEL_TERM_READ && kind <= KEEL_TERM_OPTIONAL_WRITE;
}
static inline bool keeli_term_has_values(keel_term_kind kind) { // and these have a column
    return keeli_term_has_own_values(kind) || keeli_term_is_through(kind);
}
// May the values of the column be absent?
static inline bool keeli_term_may_lack(keel_term_kind kind) {
    return kind == KEEL_TERM_OPTIONAL_READ || kind == KEEL_TERM_OPTIONAL_WRITE ||
           kind == KEEL_TERM_OF_TARGET_OPTIONAL_READ || kind == KEEL_TERM_UP_OPTIONAL_READ;
}
static inline bool keeli_term_is_unique(keel_term_kind kind) {
    return kind == KEEL_TERM_UNIQUE_READ || kind == KEEL_TERM_UNIQUE_WRITE;
}
static inline bool keeli_term_is_custom(keel_term_kind kind) {
    return kind == KEEL_TERM_CUSTOM || kind == KEEL_TERM_CUSTOM_READ;
}
static inline bool keeli_term_is_event(keel_term_kind kind) {
    return kind == KEEL_TERM_SEND || kind == KEEL_TERM_RECEIVE;
}
static inline bool keeli_term_writes(keel_term_kind kind) {
    return kind == KEEL_TERM_WRITE || kind == KEEL_TERM_WRITE_MARKED || kind == KEEL_TERM_EDIT ||
           kind == KEEL_TERM_OPTIONAL_WRITE || kind == KEEL_TERM_OF_TARGET_WRITE;
}
