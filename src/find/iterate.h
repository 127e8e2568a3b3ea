// SPDX-License-Identifier: MIT
// Iterating over the entities of a view: the plan, which says what leads and what is left to check,
// and the iterator, which hands out chunks by it. plan.c makes plans; iterate.c begins and ends
// iterators; scan_packed.c, scan_bits.c and change.c find the next entities, one of them for each
// sort of leader; gather.c filters lists of candidates and finds their values.
#pragma once
#include "find/view.h"

enum {
    KEELI_BLOCK = KEELI_SIZE(256, 64),     // candidates that are filtered at a time
    KEELI_MASK_SLOTS = KEELI_PAGE,         // slots of a mask at most: of one page of presence bits
    KEELI_SHORT_RANGE = KEELI_SIZE(32, 2), // entities; fewer make no chunk of their own
    KEELI_SPAN_WORDS = KEELI_SIZE(4, 1)    // words of ones; fewer are left in a mask
};

// ------------------------------------------------------------------ which archetypes match
// (plan.c) What is asked of an archetype: process-wide numbers of components, shifted by two, each
// with how it is asked for. Those of which one has to be there end with a zero of their kind.
enum { KEELI_ASK_MUST, KEELI_ASK_WITHOUT, KEELI_ASK_ANY };
typedef struct keeli_match_key {
    uint32_t count, asked[KEEL_MAX_TERMS * (KEEL_MAX_TERM_COMPONENTS + 1)];
} keeli_match_key;

// The answer, kept in the world: only archetypes that were made since the last time are looked at,
// and those that have rows are listed anew only when one got its first row or lost its last one,
// which no open view survives, nor that archetypes are freed.
typedef struct keeli_match {
    keeli_match_key key;
    KEELI_ARRAY(keeli_archetype *) list; // those with rows, in order of creation; room for all
    KEELI_ARRAY(uint64_t) fits;          // a bit by position: it matches
    uint32_t fitting;                    // how many do
    uint32_t seen;                       // archetypes looked at
    uint64_t turns;                      // of world->archetypes when `list` was made
    uint32_t generation;                 // of world->archetypes when `list` was begun
    struct keeli_match *next;            // of the world
} keeli_match;

void keeli_matches_deinit(keel_world *world);

// ------------------------------------------------------------------ plans (plan.c)
// What leads: whose entities are the candidates.
typedef enum keeli_scan {
    KEELI_SCAN_NOTHING,  // nothing can match
    KEELI_SCAN_SET,      // the entities of a sparse set, in packed order
    KEELI_SCAN_BITS,     // pages of presence bits, by ascending index
    KEELI_SCAN_ROWS,     // the rows of matching archetypes
    KEELI_SCAN_ENTITIES, // pages of living entities, by ascending index
    KEELI_SCAN_UNION,    // pages of what has any of several components, by ascending index
    KEELI_SCAN_GROUP,    // the packed prefix of a group
    KEELI_SCAN_CHANGES,  // the log of single changes of a component, oldest first
    KEELI_SCAN_HANDLES,  // a list of handles, in its order
    KEELI_SCAN_LEVELS,   // targets of a relation before their sources
    KEELI_SCAN_SOURCES   // the sources of one target, in their order
} keeli_scan;

// How lists find the values of a column.
typedef enum keeli_column_way {
    KEELI_IN_ORDER,  // they are in the order of the leader
    KEELI_BY_INDEX,  // at the entity's index
    KEELI_BY_CELL,   // in a sparse set, which tells at the same time whether there is one
    KEELI_BY_ROW,    // in the entity's row; that there is one was checked by its bit
    KEELI_OF_TARGET, // of the target of a relation
    KEELI_UP,        // of the nearest above that has one
    KEELI_LOOK_UP,   // in another storage, or absent
    KEELI_ABSENT
} keeli_column_way;

static inline bool keeli_is_looked_up(keeli_column_way how) {
    return how >= KEELI_BY_CELL && how <= KEELI_LOOK_UP;
}

typedef struct keeli_plan_column {
    uint32_t term; // position in the view's list
    bool maybe;    // may be absent
    keeli_column_way how;
    keeli_storage *storage;        // NULL: absent throughout
    const keeli_storage *relation; // OF_TARGET, UP: which leads there; else NULL
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
    keeli_scan scan;
    keeli_storage *leader; // SET, BITS: the smallest that must be there; GROUP: has its order
    const struct keel_group *group; // GROUP
    keeli_match *match;             // ROWS
    uint32_t need_count, check_count, without_count, any_count, column_count, beside_count;
    uint32_t change_count;
    const keeli_change_filter *lead; // CHANGES: whose log; BITS: whose ticks tell what to skip
    const keeli_bound_term *united;  // UNION: the term of those components,
    uint64_t united_count;           // how many values they have together,
    uint32_t united_pages;           // and behind which page none has any
    bool finds_lead; // CHANGES: looking up its value tells whether a candidate has it still
    bool has_maybe;
    bool has_through;              // a column is of others
    bool needs_target;             // LEVELS: what has none does not match
    const keeli_storage *relation; // LEVELS
    const keeli_storage *related;  // SOURCES: of which relation
    bool is_changed_up;            // LEVELS: only what is below something that passes this
    keeli_change_filter changed_up;
    bool considered_group; // one could lead
    bool considered_union; // or what has any of several components
    bool has_rows;         // a term is kept in archetypes
    bool only_rows;        // ROWS: nothing is left to check, and all values are in rows
    bool has_ranges; // SET, GROUP: all that must be there are sparse sets, which may have one order
    bool has_masks;  // BITS: all values are indexed, and blocks of 64 lie on one page
    // lists, as long as said above, in somebody's room for them
    keeli_storage **need;        // that the leader does not grant
    const keeli_storage **check; // those that lists check by their bits
    keeli_storage **without;
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
// `is_listed`: a list of handles leads, which the iterator has. False when out of memory
// (reported).
bool keeli_plan_make(keeli_plan *plan, const keeli_view *view, bool is_listed);
// What keeli_plan_make would make without a list; `own` is for where that cannot be kept. NULL when
// out of memory (reported).
const keeli_plan *keeli_plan_get(const keeli_view *view, keeli_plan *own);
// How many candidates it looks at.
uint64_t keeli_plan_touches(const keeli_plan *plan, const keeli_view *view);
// Are the values of the storage in the order of the leader?
static inline bool keeli_plan_is_ordered(const keeli_plan *plan, const keeli_storage *s) {
    return s == plan->leader || (plan->group && s->owner == plan->group);
}

// The plan of a view that is iterated again and again. It holds as long as the view's storages are
// the same and nothing changed that the choice depends on.
typedef struct keeli_kept_plan {
    bool is_made;
    uint32_t must_count;        // what must be there, where there is a choice
    const keeli_storage **must; // and how many had it
    uint32_t *counts;
    keeli_plan plan;
    struct keeli_kept_lists *lists; // that were gathered by it; NULL: none so far
} keeli_kept_plan;

size_t keeli_kept_plan_bytes(uint32_t terms);
// `kept` begins zeroed memory of that many bytes.
void keeli_kept_plan_init(keeli_kept_plan *kept, uint32_t terms);

// ------------------------------------------------------------------ iterators (iterate.c)
// Whose values a chunk has, besides its handles, which are there only where they are wanted.
typedef enum keeli_who {
    KEELI_WHO_LIST,    // `candidates`
    KEELI_WHO_RANGE,   // consecutive indices from `who_first` on
    KEELI_WHO_ENTITIES // `who_entities`
} keeli_who;

// A term whose values are marked as modified (change.c).
typedef struct keeli_mark {
    keeli_storage *storage;
    uint32_t term;
    bool by_hand;                  // only what the user marks
    bool maybe;                    // not all have it
    const keeli_storage *relation; // it is of targets; else NULL
    bool is_tracked;               // else marks by hand are thrown away
    bool is_stamped;               // for snapshots; marked by hand or not
} keeli_mark;

typedef struct keeli_iterator {
    keeli_view *view;
    uint64_t serial; // of the handle that began it; 0: spare
    uint64_t serial_of_view;
    uint64_t cleared_for;        // a view for which chunks have nothing of another one
    struct keeli_iterator *next; // of all states of the world
    const keeli_plan *plan;      // its own, or the view's kept one, or another iterator's
    bool counts;                 // it is among those that `iterating` of storages counts
    bool wants_entities, writes; // as the view, unless it only counts
    bool done;
    // where it is
    uint32_t at, end;                   // SET, GROUP: slots; BITS, ENTITIES, UNION: indices
    uint32_t range_misses, range_pause; // SET, GROUP: blocks without a range, and to go untried
    uint32_t match_at, block_at;        // ROWS: the archetype, and its block; `at` is the row
    uint32_t rows_left;                 // ROWS: how many more to visit
    uint32_t from;                      // BITS, ENTITIES: where it began
    uint32_t next_page;                 // BITS, ENTITIES: the page after that of `words`
    uint32_t words_end;                 // BITS, ENTITIES: behind the last index of `words`
    uint64_t words[KEELI_MASK_SLOTS / 64];
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
    keel_entity entities[KEELI_MASK_SLOTS];
    keeli_who who;
    uint32_t who_first;
    const keel_entity *who_entities;
    struct keeli_kept_lists *kept; // it writes lists down or reads them (kept_lists.c), or NULL
    uint32_t kept_at;              // chunks that it read
    // marks (change.c)
    uint32_t mark_count;
    bool marks_all;   // everything of marks[0], at the end
    bool has_chunk;   // one is handed out that is not marked yet
    uint32_t handed;  // chunks marked so far
    uint32_t visited; // how far the user came in the last one; 0: as far as spans tell
    keeli_mark marks[KEEL_MAX_TERMS];
    bool *flags; // of marks by hand: KEELI_MASK_SLOTS for each of `flag_terms`
    uint32_t flag_terms;
    keeli_plan own_plan;
    uint64_t room[KEELI_PLAN_ROOM(KEEL_MAX_TERMS, KEEL_MAX_TERMS) / sizeof(uint64_t)];
    // CHANGES: what the log holds from `at` to `end`, of insertions and then of modifications
    bool second_log;
    bool one_tick; // all of that is of one tick
    // HANDLES: the list, which is the user's or its own, of a view backwards
    const keel_entity *handles;
    uint32_t handle_count;
    keeli_handle_list reversed;
    // LEVELS: the level it is at, and the end. Entities without a target are level 0, and are
    // visited by their bits. UP: the nearest above that has the component, by place; threads share
    // what the iterator has that began.
    const keeli_levels *levels;
    uint32_t source; // SOURCES of a chain: the one before `at`
    uint32_t level, level_end;
    uint32_t *nearest[KEEL_MAX_TERMS]; // by term
    KEELI_ARRAY(uint32_t) room_of_nearest;
    bool is_direct[KEEL_MAX_TERMS]; // by term: all have it, so that it is the target
    bool all_pass;                  // what lists would check by their bits
    bool all_changed;    // or what is below something that changed: those that are marked,
    uint8_t *is_changed; // by place
    KEELI_ARRAY(uint8_t) room_of_changed;
} keeli_iterator;

// Begin to iterate; NULL when out of memory (reported).
keeli_iterator *keeli_iterator_take(keeli_view *view);
// Over the same view with the same plan, for another thread: a plan that is made while others write
// could be another one.
keeli_iterator *keeli_iterator_take_like(const keeli_iterator *other);
// Only to look, whatever the view does: it marks nothing.
keeli_iterator *keeli_iterator_take_to_look(keeli_view *view, bool wants_entities);
// Have so many states, live and spare; false when out of memory.
bool keeli_iterators_reserve(keel_world *world, uint32_t count);
const keel_chunk *keeli_iterator_advance(keeli_iterator *it);
// The two halves of that: the next chunk, without marking the one before; and from the start.
bool keeli_iterator_scan(keeli_iterator *it);
bool keeli_scan_next(keeli_iterator *it); // found anew, though lists may be kept
void keeli_iterator_rewind(keeli_iterator *it);
const keel_chunk *keeli_iterator_advance_span(keeli_iterator *it);
void keeli_iterator_give(keeli_iterator *it);
// The user came so far in the chunk that was handed out last, and goes no further.
void keeli_iterator_visited(keel_iterator *iterator, uint32_t count);
void keeli_iterators_end_of(keeli_view *view);
void keeli_iterators_deinit(keel_world *world);
// How many entities a chunk has.
uint32_t keeli_chunk_count(const keel_chunk *chunk);

// ------------------------------------------------------------------ pieces (iterate.c)
// What is iterated by several threads is cut into pieces. Where the cuts are depends on what the
// view leads over and on nothing else: not on threads, not on time. A range makes about 256 pieces
// of a multiple of 64 entities (or slots, or indices), at most a page. Fewer than 4,096 may be
// heavy ones: about 64 pieces of any length, down to 1.
enum { KEELI_PIECES = 256, KEELI_PIECES_OF_FEW = 64, KEELI_GRAIN_MOST = KEELI_PAGE };

typedef struct keeli_piece {
    uint32_t at, end;            // slots or indices; rows of archetypes: the first, and how many
    uint32_t match_at, block_at; // rows: where the first is; LEVELS: the first level, and the end
} keeli_piece;

typedef struct keeli_pieces {
    KEELI_ARRAY(keeli_piece) list;
} keeli_pieces;

// What an iterator that has just begun goes through: slots, indices or rows; 1: it is not cut.
uint32_t keeli_iterator_range(const keeli_iterator *it);
// The pieces of that range; false when out of memory.
bool keeli_pieces_make(keeli_pieces *pieces, const keeli_iterator *it, uint32_t range);
// Iterate over this piece next.
void keeli_iterator_aim(keeli_iterator *it, const keeli_piece *piece);
// How many are in a piece of a range.
uint32_t keeli_grain(uint32_t range);

// ------------------------------------------------------------------ scanning
// Fill it->chunk with the next entities, or return false at the end.
bool keeli_scan_set(keeli_iterator *it);  // and GROUP
bool keeli_scan_bits(keeli_iterator *it); // and ENTITIES, UNION
// The bits of who leads on a page, where a component or several do; `room` is for those of several.
const uint64_t *keeli_leading_words(const keeli_iterator *it, uint32_t page, uint64_t *room);
// How many words of a page there are up to the last that is not zero.
uint32_t keeli_used_words(const uint64_t *words);
bool keeli_scan_rows(keeli_iterator *it);
bool keeli_scan_changes(keeli_iterator *it);
void keeli_scan_changes_begin(keeli_iterator *it);
// All that is left of what is without marks and has a plan with only_rows and no `maybe`, until
// `*stop`.
typedef void keeli_visit(const keel_chunk *chunk, keel_context *context);
void keeli_visit_rows(keeli_iterator *it, keeli_visit *visit, keel_context *context,
                      const bool *stop);

// ------------------------------------------------------------------ levels (levels.c)
// False when out of memory (reported).
bool keeli_levels_begin(keeli_iterator *it);
// SOURCES: how many places they take; the next of them.
uint32_t keeli_source_places(const keeli_view *view, const keeli_storage *relation);
bool keeli_scan_sources(keeli_iterator *it);
// What another one over the same view has found out.
void keeli_levels_share(keeli_iterator *it, const keeli_iterator *other);
void keeli_levels_rewind(keeli_iterator *it);
bool keeli_scan_levels(keeli_iterator *it);
// How many it goes through, and pieces of that. `indices`: how many there are to look at for those
// without a target.
uint32_t keeli_levels_range(const keeli_iterator *it, uint32_t indices);
bool keeli_levels_cut(keeli_pieces *pieces, const keeli_iterator *it, uint32_t indices);
void keeli_levels_aim(keeli_iterator *it, const keeli_piece *piece);
// Does an entity pass KEEL_CHANGED_UP?
bool keeli_is_below_change(const keeli_view *view, const keeli_bound_term *term, uint32_t index);
// Give their memory back.
void keeli_levels_trim(keel_world *world);
// The places of the values that a relation leads to; how many candidates have none (UINT32_MAX).
uint32_t keeli_find_through(keeli_iterator *it, const keeli_plan_column *column, uint32_t count);
// The index of the entity whose value that is, for one; UINT32_MAX when there is none.
uint32_t keeli_through(const keeli_storage *relation, const keeli_storage *s, bool is_up,
                       uint32_t index);

// ------------------------------------------------------------------ lists (gather.c)
// Take `count` entities as candidates, whose values are with the leader from `place` on.
void keeli_gather_block(keeli_iterator *it, const keel_entity *block, uint32_t count,
                        uint32_t place);
// A chunk of the candidates that pass the filters: a list, or a span where all columns lie side by
// side. False when none does.
bool keeli_gather(keeli_iterator *it, uint32_t count);
// The same of candidates that were filtered.
bool keeli_gather_chunk(keeli_iterator *it, uint32_t count);
// The places of all in a block of which nobody was dropped.
extern const uint32_t keeli_everybody[KEELI_BLOCK];
// Do the numbers count up from the first? True too when all are UINT32_MAX.
bool keeli_is_range(const uint32_t *index, uint32_t count);

// ------------------------------------------------------------------ kept lists (kept_lists.c)
typedef struct keeli_kept_lists keeli_kept_lists;
// An iterator that begins uses the lists of its view, if they are right, or writes them.
void keeli_kept_lists_begin(keeli_iterator *it);
// The next chunk of an iterator that does.
bool keeli_kept_lists_scan(keeli_iterator *it);
// It goes on without them, or is over.
void keeli_kept_lists_end(keeli_iterator *it);
void keeli_kept_lists_free(keeli_kept_lists *lists);
// Give their memory back.
void keeli_kept_lists_trim(keel_world *world);

// ------------------------------------------------------------------ changes (change.c)
// The filter of a term that is about changes.
keeli_change_filter keeli_change_filter_of(const keeli_view *view, const keeli_bound_term *term);
// Which of 64 entities pass it; does one; does one in a view that makes no plan.
uint64_t keeli_change_bits(const keeli_change_filter *f, uint32_t block, uint64_t bits);
bool keeli_change_passes(const keeli_change_filter *f, uint32_t index);
bool keeli_change_matches(const keeli_view *view, const keeli_bound_term *term, uint32_t index);
// Did nothing change since then? One compare for each kind.
bool keeli_change_is_empty(const keeli_change_filter *f);
// How many single changes the log has of it; UINT32_MAX when it does not hold them all.
uint32_t keeli_change_logged(const keeli_change_filter *f);
// Can anything on this page of 4,096 indices pass?
bool keeli_change_page_may_match(const keeli_change_filter *f, uint32_t page);

// What an iterator that writes marks as modified: what it hands out, when the user has walked
// through it. One that visits everything there is of a component marks that with one tick, at its
// end. Several threads may mark chunks of one view at once, each its own: no mark goes to the log
// of single changes, so that who reads it visits the same order for any number of threads. Find out
// what is to be marked; whether writing any storage of the view is. False when out of memory.
bool keeli_marks_begin(keeli_iterator *it, bool any_is_marked);
// Put the places for marks by hand into the chunk.
void keeli_marks_hand_out(keeli_iterator *it);
// The first `count` items (slots of a mask) of the chunk were handed out.
void keeli_mark_chunk_slow(keeli_iterator *it, uint32_t count);
static inline void keeli_mark_chunk(keeli_iterator *it) {
    if (it->mark_count) keeli_mark_chunk_slow(it, UINT32_MAX);
}
// It is over, at the end or before.
void keeli_marks_end(keeli_iterator *it);
// The same of a piece that is left, perhaps early: the chunk at hand as far as it was visited.
void keeli_mark_left(keeli_iterator *it);
