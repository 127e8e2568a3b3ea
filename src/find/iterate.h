// SPDX-License-Identifier: MIT
// Walking over the entities of a view: the states of walks, and handing out chunks. What leads is
// in drive.c and windows.c, lists of candidates are filtered and resolved in list.c.
#pragma once
#include "find/plan.h"

enum {
    KEELI_BLOCK = 256,    // candidates that are filtered at a time
    KEELI_WINDOW = 4096,  // slots of a mask at most
    KEELI_SHORT_RUN = 32, // entities; fewer are not worth a chunk of their own
    KEELI_SPAN_WORDS = 4  // words of ones; fewer are left in a mask
};

// Whose values a chunk has, besides its handles, which are there only where they are wanted.
typedef enum keeli_who {
    KEELI_WHO_LIST,    // `candidates`
    KEELI_WHO_RUN,     // consecutive indices from `who_first` on
    KEELI_WHO_ENTITIES // `who_entities`
} keeli_who;

// A term that writes (find/mark.h).
typedef struct keeli_mark {
    keeli_storage *storage;
    uint32_t term;
    bool by_hand;    // only what the user marks
    bool maybe;      // not all have it
    bool is_tracked; // else marks by hand are thrown away
} keeli_mark;

typedef struct keeli_iterator {
    keeli_view *view;
    uint64_t serial; // of the handle that began it; 0: spare
    uint64_t serial_of_view;
    uint64_t cleared_for;        // a view for which chunks have nothing of another one
    struct keeli_iterator *next; // of all states of the world
    const keeli_plan *plan;      // its own, or that which the view keeps, or another walk's
    bool counts;                 // it is among those that `iterating` of storages counts
    bool wants_entities, writes; // as the view, unless it only counts
    bool done;
    // where the walk is
    uint32_t at, end;               // SPARSE, GROUP: slots; BITS, ENTITIES: indices
    uint32_t run_misses, run_pause; // SPARSE, GROUP: blocks without a run, and to go without a try
    uint32_t match_at, block_at;    // ROWS: the archetype, and its block; `at` is the row
    uint32_t rows_left;             // ROWS: how many more to visit
    uint32_t from;                  // BITS, ENTITIES: where the walk began
    uint32_t next_page;             // BITS, ENTITIES: the page after that of the window
    uint32_t window_end;            // BITS, ENTITIES: the window that `words` is about
    bool is_full;                   // the window is ones: `words` is not filled in
    bool has_full;                  // there is a word of ones among them
    bool all_full;                  // all of them are
    uint64_t words[KEELI_WINDOW / 64];
    // what is handed out
    keel_chunk chunk; // by keel_iterator_next
    keel_chunk span;  // by keel_iterator_next_span
    uint32_t span_at; // entities (slots of a mask) of `chunk` that were handed out in spans
    // candidates of a list: their indices, and in what was handed in as a block which they are
    uint32_t candidates[KEELI_BLOCK], picks[KEELI_BLOCK];
    bool one_page;            // the indices are of one page of 4,096
    uint32_t highest;         // none is above this
    const keel_entity *block; // NULL: candidates are just indices
    uint32_t block_place;     // of the block's first with the leader
    const uint32_t *picked;   // `picks`, once somebody was dropped
    uint32_t index[KEEL_MAX_TERMS][KEELI_BLOCK];
    void *flat[KEEL_MAX_TERMS]; // tables of one page
    keel_entity entities[KEELI_WINDOW];
    keeli_who who;
    uint32_t who_first;
    const keel_entity *who_entities;
    // marks (find/mark.c)
    uint32_t mark_count;
    bool marks_all;   // everything of marks[0], at the end
    bool has_chunk;   // one is handed out that is not marked yet
    uint32_t handed;  // chunks marked so far
    uint32_t visited; // how far the user came in the last one; 0: as far as spans tell
    keeli_mark marks[KEEL_MAX_TERMS];
    bool *flags; // of marks by hand: KEELI_WINDOW for each of `flag_terms`
    uint32_t flag_terms;
    keeli_plan own_plan;
    uint64_t room[KEELI_PLAN_ROOM(KEEL_MAX_TERMS, KEEL_MAX_TERMS) / sizeof(uint64_t)];
    // CHANGES: what the log holds from `at` to `end`, of insertions and then of modifications
    bool second_log;
    bool one_tick; // all of that is of one tick
} keeli_iterator;

// Begin a walk over a state (for the run layer); NULL when out of memory (reported).
keeli_iterator *keeli_iterator_take(keeli_view *view);
// Another walk over the same view with the same plan, for another thread: a plan that is made while
// others write could be another one.
keeli_iterator *keeli_iterator_take_like(const keeli_iterator *other);
// A walk that looks, whatever the view does: it marks nothing.
keeli_iterator *keeli_iterator_take_to_look(keeli_view *view, bool wants_entities);
// Have so many states, live and spare; false when out of memory.
bool keeli_iterators_reserve(keel_world *world, uint32_t count);
const keel_chunk *keeli_iterator_advance(keeli_iterator *it);
// The two halves of that: the next chunk, without marking the one before; and from the start.
bool keeli_iterator_drive(keeli_iterator *it);
void keeli_iterator_rewind(keeli_iterator *it);
const keel_chunk *keeli_iterator_advance_span(keeli_iterator *it);
void keeli_iterator_give(keeli_iterator *it);
// The user came so far in the chunk that was handed out last, and goes no further.
void keeli_iterator_visited(keel_iterator *iterator, uint32_t count);
void keeli_iterators_end_of(keeli_view *view);
void keeli_iterators_deinit(keel_world *world);
// How many entities a chunk has.
uint32_t keeli_chunk_count(const keel_chunk *chunk);

// Does the view match this living entity?
bool keeli_view_matches(const keeli_view *view, keel_entity e);

// drive.c, windows.c: fill it->chunk with the next entities, or return false at the end.
bool keeli_drive_sparse(keeli_iterator *it); // and GROUP
bool keeli_drive_bits(keeli_iterator *it);   // and ENTITIES
bool keeli_drive_rows(keeli_iterator *it);
bool keeli_drive_changes(keeli_iterator *it); // change.c
// All that is left of a walk without marks whose plan has only_rows and no `maybe`, until `*stop`.
typedef void keeli_visit(const keel_chunk *chunk, keel_context *context);
void keeli_visit_rows(keeli_iterator *it, keeli_visit *visit, keel_context *context,
                      const bool *stop);
void keeli_drive_changes_begin(keeli_iterator *it);

// list.c
// Take `count` entities as candidates, whose values are with the leader from `place` on.
void keeli_list_block(keeli_iterator *it, const keel_entity *block, uint32_t count, uint32_t place);
// Keep the candidates that pass the filters of the plan; how many. Sparse sets with a column are
// left to keeli_list_chunk.
uint32_t keeli_list_filter(keeli_iterator *it, uint32_t count);
// A chunk of the candidates: a list, or a span where all columns lie side by side. False when no
// candidate is left.
bool keeli_list_chunk(keeli_iterator *it, uint32_t count);
// Does any component of the term have the index?
bool keeli_any_has(const keeli_view *view, const keeli_bound_term *any, uint32_t index);
