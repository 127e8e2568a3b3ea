// SPDX-License-Identifier: MIT
// The state of an open view: its terms with their storages resolved, and the borrows it holds.
// Predicates say what each kind of term means. This is not the iteration: see iterate.h. Systems,
// loops, custom views and explanations bind and open views with it.
#pragma once
#include "edit/edit.h"

#include <keel/custom_view.h>

// A term whose components are resolved to storages.
typedef struct keeli_bound_term {
    keel_term_kind kind;
    // The term has `count` entries of the view's `storages`, from `first` on.
    uint32_t first, count;
    const char *name;   // the name of the parameter, for messages
    uint32_t data_size; // `data_size` of the keel_term
    uint64_t from;      // KEEL_RECEIVE: the number of the first event that this run receives
} keeli_bound_term;

#define KEELI_MAX_BOUND (KEEL_MAX_TERMS * KEEL_MAX_TERM_COMPONENTS)

// Facts about all terms of a view together, which binding them collects.
typedef struct keeli_view_facts {
    const keeli_storage *targets_first; // the relation of KEEL_TARGETS_FIRST, or NULL
    const keel_entity *among;           // the list of KEEL_AMONG, or NULL without that term
    keel_entity related_to;             // the target of KEEL_RELATED
    uint32_t among_count;
    uint32_t custom_count;   // number of terms that are custom views
    bool wants_entities;     // a term is KEEL_ENTITY: chunks need handles
    bool has_leading;        // a term chooses the leader: KEEL_LEADING, KEEL_AMONG, KEEL_RELATED or
                             // KEEL_TARGETS_FIRST
    bool is_targets_first;   // a term is KEEL_TARGETS_FIRST
    bool is_changed_up;      // a term is KEEL_CHANGED_UP
    bool has_uniques;        // a term reads or writes a unique
    bool takes_data;         // a term is the data of a system
    bool records;            // a term is the commands of a system
    bool filters_changes;    // a term is about changes
    bool asks_about_changes; // a term is about changes, or the system may ask about them itself
    bool writes;             // a term hands out values to write
    bool marks_by_hand;      // a term is KEEL_TERM_WRITE_MARKED: the user marks written values
    bool edits;              // the holder may edit something
    bool has_events;         // a term sends or receives events, or the holder may do so
    bool sends;              // a term sends events
    bool defers_events;      // sent events wait until the system has ended, because it also
                             // receives a type of events that it sends
    bool is_listed;          // a list of handles leads: that of KEEL_AMONG, or for KEEL_BACKWARDS
                             // a list of all matches
    bool is_backwards;       // the view visits in reverse order
} keeli_view_facts;

// The state of a view. Its terms and storages lie behind it in the same allocation. A state in the
// world's list has room for the largest view; a state that a system keeps has room for exactly the
// terms of that system.
struct keeli_kept_plan;
typedef struct keeli_view {
    keeli_holder holder; // its borrows while open; first, as world/scope.c relies on
    keel_world *world;
    keeli_bound_term *terms;
    keeli_storage **storages; // an entry is NULL if the world does not know the component
    uint32_t term_count, storage_count;
    uint32_t bytes;    // the size of the allocation
    bool is_parameter; // the custom view is a parameter of a system: it ends with the system
    bool in_hands;     // fill, init or drop of the custom view runs, so it must not be ended
    bool is_loop;      // KEEL_EACH opened it, and ends it however the loop is left
    keeli_view_facts facts;
    // Other threads read the next three members, so they change under the world's lock.
    keeli_holder *inside;           // the system or custom view that opened this view, or NULL
    const keel_custom_view *custom; // the custom view whose terms these are, or NULL
    void *value;                    // the value of the custom view
    keeli_arena scratch;            // memory of a custom view that is no parameter
    uint64_t thread;                // the thread that opened it
    int32_t loops;                  // number of keel_view_parallel_for that run over it (atomic)
    const keeli_reader *reader;     // changes are new or old to this reader; NULL: the caller
                                    // outside of systems
    keeli_reader since;             // a copy of the user's reader, which may end before the view
    keel_chunk *one; // the chunk of keel_view_get_all; NULL after keeli_view_duplicate
    struct keeli_kept_plan
        *kept;               // the cached plan, if keeli_view_duplicate made the state; or NULL
    keel_entity one_entity;  // the entity of `one`
    struct keeli_view *next; // the next of all states of the world
} keeli_view;

// True if two terms are equal. Compares members, as padding between them is undefined.
static inline bool keeli_is_same_term(const keel_term *a, const keel_term *b) {
    return a->kind == b->kind && a->data_size == b->data_size && a->component == b->component &&
           a->others == b->others && a->name == b->name && a->custom == b->custom;
}

// Returns the state behind a handle; NULL if the view was closed.
keeli_view *keeli_view_of(const keel_view *view);
// Acquires a spare state; NULL when out of memory (reported).
keeli_view *keeli_view_acquire(keel_world *world, const char *where);
// Allocates states until the world has `count` of them, open and spare ones together. False when
// out of memory.
bool keeli_views_reserve(keel_world *world, uint32_t count);
typedef KEELI_ARRAY(keel_entity) keeli_handle_list;
struct keeli_iterator;
// Appends all entities that the iterator visits to a list, and ends the iterator. Returns an error
// if the iterator is NULL, because it could not be allocated.
keel_result keeli_view_collect(struct keeli_iterator *it, keeli_handle_list *list);
// Clears the terms of a state that is not open, so that others can be bound.
void keeli_view_reset(keeli_view *view, const char *where);
// Allocates a state without terms outside of the world's list; NULL when out of memory.
keeli_view *keeli_view_new(keel_world *world, const char *name);
// Allocates a copy of a state that is bound and not open, for a system that runs repeatedly. NULL
// when out of memory.
keeli_view *keeli_view_duplicate(const keeli_view *view);
void keeli_view_free(keeli_view *view);
// Checks terms, resolves their components to storages, and adds the borrows that they need to the
// view's holder. `system`: the system that the terms belong to, or NULL. Some kinds of terms are
// allowed in systems only.
keel_result keeli_view_bind(keeli_view *view, const keel_term *terms, const keel_system *system);
// Returns KEEL_ERROR_MISSING_UNIQUE unless each unique that the terms name is set.
keel_result keeli_view_check_uniques(const keeli_view *view, const keel_term *terms);
// True if a term of the view lets a living entity pass. A view matches an entity if all its terms
// do.
bool keeli_view_passes(const keeli_view *view, const keeli_bound_term *term, keel_entity e);
// Makes the state of a closed view spare.
void keeli_view_release(keeli_view *view);
void keeli_views_deinit(keel_world *world);
// Opens a view like keel_view_begin. `inside`: the system or custom view whose borrows it must stay
// within; NULL: the world. `reader`: the reader that terms about changes refer to, or NULL.
keel_result keeli_view_begin_inside(keel_view *view, keel_world *world, keeli_holder *inside,
                                    const keeli_reader *reader, const keel_term *terms,
                                    const char *where);
// Ends a view: its iterators, its borrows, and its state.
void keeli_view_close(keeli_view *view);
// Returns KEEL_ERROR_THREAD while several threads run, unless this thread opened the view. A world
// that moves to another thread as a whole moves its open views along.
keel_result keeli_view_may_end(const keeli_view *view);
// Returns the view that was opened last inside a holder and is still open, or NULL. If `inside` is
// NULL: the last custom view that the user began in the world, outside of systems.
keeli_view *keeli_view_last_inside(keel_world *world, const keeli_holder *inside);
// Returns the holder that views opened inside `inside` borrow from. NULL if they borrow from the
// world, because there is no holder or it has borrowed everything.
static inline keeli_holder *keeli_lender(keeli_holder *inside) {
    return inside && !inside->everything ? inside : NULL;
}

// Adds the borrows that the terms of a custom view need to the holder of `view`.
keel_result keeli_custom_bind(keeli_view *view, const keel_custom_view *kind);
// Returns KEEL_ERROR_MISSING_UNIQUE unless each unique that a custom view declares is set. Does not
// check the custom views that it contains.
keel_result keeli_custom_check_uniques(keel_world *world, const keel_custom_view *kind);
// True if a custom view, or one inside it, has a term of a kind that `like` accepts.
bool keeli_custom_has(const keel_custom_view *kind, bool (*like)(keel_term_kind kind));
// Turns a state into that of a custom view with the value `value`. keeli_view_release undoes this.
void keeli_view_is_custom(keeli_view *view, const keel_custom_view *kind, void *value,
                          keeli_holder *inside, bool is_parameter);
// Returns the open custom view that was begun inside this holder and has its value at `value`, or
// NULL.
keeli_view *keeli_custom_find(keel_world *world, const void *value, const keeli_holder *inside);

keel_access keeli_term_access(keel_term_kind kind);
// Returns the KEEL_TRACK_* bits that must be tracked for a kind of term.
uint32_t keeli_term_tracks(keel_term_kind kind);

// True if only entities that have the component match.
static inline bool keeli_term_must(keel_term_kind kind) {
    return (kind >= KEEL_TERM_READ && kind <= KEEL_TERM_EDIT) || kind == KEEL_TERM_WITH ||
           kind == KEEL_TERM_TARGETED || kind == KEEL_TERM_RELATED ||
           (kind >= KEEL_TERM_INSERTED && kind <= KEEL_TERM_CHANGED);
}
// True if the user chose the component to lead the view.
static inline bool keeli_term_leads(keel_term_kind kind, uint32_t data_size) {
    return kind == KEEL_TERM_WITH && data_size;
}
static inline bool keeli_term_filters_changes(keel_term_kind kind) {
    return kind >= KEEL_TERM_INSERTED && kind <= KEEL_TERM_NOT_CHANGED;
}
// Returns the term that says which components commands may edit, or NULL.
static inline const keeli_bound_term *keeli_view_commands(const keeli_view *view) {
    if (!view->facts.records)
        return NULL;
    for (uint32_t t = 0; t < view->term_count; ++t)
        if (view->terms[t].kind == KEEL_TERM_COMMANDS)
            return &view->terms[t];
    return NULL;
}
// True if the term names components or a relation that the iteration needs to filter or order the
// entities, or to find values for them.
static inline bool keeli_term_is_walked(keel_term_kind kind) {
    return (kind >= KEEL_TERM_READ && kind <= KEEL_TERM_TARGETED) || kind == KEEL_TERM_RELATED;
}
// True if the term hands out a value of another entity, which a relation leads to. The second
// component of such a term is the relation.
static inline bool keeli_term_is_through(keel_term_kind kind) {
    return kind >= KEEL_TERM_OF_TARGET_READ && kind <= KEEL_TERM_UP_OPTIONAL_READ;
}
static inline bool keeli_term_has_relation(keel_term_kind kind) {
    return keeli_term_is_through(kind) || kind == KEEL_TERM_CHANGED_UP;
}
// True if the term reads the nearest entity above that has the component, not just the target.
static inline bool keeli_term_is_up(keel_term_kind kind) {
    return kind == KEEL_TERM_UP_READ || kind == KEEL_TERM_UP_OPTIONAL_READ;
}
// True if the term hands out values of the visited entities.
static inline bool keeli_term_has_own_values(keel_term_kind kind) {
    return kind >= KEEL_TERM_READ && kind <= KEEL_TERM_OPTIONAL_WRITE;
}
// True if the term hands out values, and so has a column.
static inline bool keeli_term_has_values(keel_term_kind kind) {
    return keeli_term_has_own_values(kind) || keeli_term_is_through(kind);
}
// True if values of the column may be absent.
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
