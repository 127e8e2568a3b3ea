// SPDX-License-Identifier: MIT
// Iterating over the entities of a view. A plan names the leader, which is the source of candidate
// entities, and the filters that candidates must still pass. An iterator hands out chunks of the
// entities that pass. plan.c makes plans; iterate.c begins and ends iterators; scan_packed.c,
// scan_bits.c, levels.c and change.c find the next candidates, each for some kinds of leader;
// gather.c filters lists of candidates and finds their values. Loops, systems and view.c call this;
// it is not the public interface.
#pragma once
#include "find/view.h"

enum {
    KEELI_BLOCK = KEELI_SIZE(256, 64),     // most candidates that are filtered at a time
    KEELI_MASK_SLOTS = KEELI_PAGE,         // the most slots of a mask: one page of presence bits
    KEELI_SHORT_RANGE = KEELI_SIZE(32, 2), // fewest entities of a span; fewer become part of a list
    KEELI_SPAN_WORDS = KEELI_SIZE(4, 1)    // fewest full words of a span beside masks
};

// ------------------------------------------------------------------ which archetypes match
// (plan.c) The conditions that an archetype must fulfil. Each entry of `asked` is the process-wide
// number of a component, shifted by two, plus a KEELI_ASK_*. Entries of KEELI_ASK_ANY that follow
// each other form a group: the archetype must have one of them. A group ends with the number zero.
enum { KEELI_ASK_MUST, KEELI_ASK_WITHOUT, KEELI_ASK_ANY };
typedef struct keeli_match_key {
    uint32_t count, asked[KEEL_MAX_TERMS * (KEEL_MAX_TERM_COMPONENTS + 1)];
} keeli_match_key;

// Cache in the world: the archetypes that match a key. An update looks at new archetypes only, and
// rebuilds `list` only after an archetype got its first row or lost its last one. Neither this nor
// the freeing of archetypes can happen while a view is open, so open views may use `list`.
typedef struct keeli_match {
    keeli_match_key key;
    KEELI_ARRAY(keeli_archetype *)
    list;                       // matching archetypes with rows, in order of creation;
                                // room for `fitting` of them
    KEELI_ARRAY(uint64_t) fits; // a bit for each archetype, by its position: 1 if it matches
    uint32_t fitting;           // number of archetypes that match, with and without rows
    uint32_t seen;              // number of archetypes looked at
    uint64_t turns;             // `turns` of world->archetypes when `list` was built
    uint32_t generation;        // `generation` of world->archetypes when `fits` was begun
    struct keeli_match *next;   // the next match of the world
} keeli_match;

void keeli_matches_deinit(keel_world *world);

// ------------------------------------------------------------------ plans (plan.c)
// The leader: the source of the candidates.
typedef enum keeli_scan {
    KEELI_SCAN_NOTHING,  // nothing can match
    KEELI_SCAN_SET,      // the entities of a sparse set, in packed order
    KEELI_SCAN_BITS,     // pages of presence bits, by ascending index
    KEELI_SCAN_ROWS,     // the rows of matching archetypes
    KEELI_SCAN_ENTITIES, // pages of living entities, by ascending index
    KEELI_SCAN_UNION,   // pages of entities that have any of several components, by ascending index
    KEELI_SCAN_GROUP,   // the packed prefix of a group
    KEELI_SCAN_CHANGES, // the log of single changes of a component, oldest first
    KEELI_SCAN_HANDLES, // a list of handles, in its order
    KEELI_SCAN_LEVELS,  // targets of a relation before their sources
    KEELI_SCAN_SOURCES  // the sources of one target, in their order
} keeli_scan;

// The way in which gather.c finds the values of a column for a list of candidates.
typedef enum keeli_column_way {
    KEELI_IN_ORDER,  // values are in the order of the leader
    KEELI_BY_INDEX,  // at the entity's index
    KEELI_BY_CELL,   // in a sparse set; the look-up tells whether there is a value
    KEELI_BY_ROW,    // in the entity's row; presence was checked by its bit
    KEELI_OF_TARGET, // the value of the target of a relation
    KEELI_UP,        // the value of the nearest entity above that has one
    KEELI_LOOK_UP,   // an optional value in archetypes or an indexed storage
    KEELI_ABSENT
} keeli_column_way;

static inline bool keeli_is_looked_up(keeli_column_way how) {
    return how >= KEELI_BY_CELL && how <= KEELI_LOOK_UP;
}

typedef struct keeli_plan_column {
    uint32_t term; // position of the term in the view's list
    bool maybe;    // values may be absent
    keeli_column_way how;
    keeli_storage *storage;        // NULL: all values are absent
    const keeli_storage *relation; // OF_TARGET, UP: the relation that leads to the entity with the
                                   // value; otherwise NULL
} keeli_plan_column;

// A term about changes, as a filter.
typedef struct keeli_change_filter {
    const keeli_storage *storage;
    const keeli_ticks *inserted, *modified;    // NULL: the term is not about this kind of change
    keeli_tick_range inserted_in, modified_in; // ticks that are new to the reader
    bool negated;                              // entities without such a change pass
    uint32_t logged; // in a plan: number of new changes in the logs; UINT32_MAX: the logs do not
                     // contain all of them
} keeli_change_filter;

// A plan. A name in capitals in the comment of a member is a kind of scan (KEELI_SCAN_*): only
// plans with that scan use the member.
typedef struct keeli_plan {
    keeli_scan scan;
    keeli_storage *leader; // SET, BITS, LEVELS (for level 0): the smallest required storage, or
                           // with `lead` its storage; GROUP: a storage in the order of the group
    const struct keel_group *group; // GROUP
    keeli_match *match;             // ROWS
    uint32_t need_count, check_count, without_count, any_count, column_count, beside_count;
    uint32_t change_count;
    const keeli_change_filter *lead; // CHANGES: the filter whose log leads; BITS: the filter whose
                                     // ticks tell which pages to skip
    const keeli_bound_term *united;  // UNION: the KEEL_ANY_OF that names the components
    uint64_t united_count;           // UNION: sum of the numbers of values of these components
    uint32_t united_pages;           // UNION: end of the pages of presence bits of all of them
    bool finds_lead;   // CHANGES: the look-up of a column drops candidates that do not have the
                       // leading component any more, so reading the log need not do so
    bool has_maybe;    // values of a column may be absent
    bool has_through;  // a column has values of other entities, through a relation
    bool needs_target; // LEVELS: an entity without a target does not match
    const keeli_storage *relation; // LEVELS
    const keeli_storage *related;  // SOURCES: the relation
    bool is_changed_up; // LEVELS: an entity matches only if it or one above it passes `changed_up`
    keeli_change_filter changed_up;
    bool considered_group; // a group was a possible leader, so the plan is not cached
    bool considered_union; // a union was a possible leader, so the plan is not cached
    bool has_rows;         // a component of a term is kept in archetypes
    bool only_rows;        // ROWS: nothing is left to check, and all values are in rows
    bool has_ranges; // SET, GROUP: all required storages are sparse sets, which may share an order
    bool has_masks;  // BITS: all values are indexed, and blocks of 64 lie on one page
    // Lists, with the `*_count` above, in memory of the plan's owner (keeli_plan_init).
    keeli_storage **need;        // required storages whose component a candidate may lack
    const keeli_storage **check; // the part of `need` that gather.c checks by presence bits; the
                                 // others are checked by the look-up of their column
    keeli_storage **without;
    const keeli_bound_term **any;
    keeli_plan_column *columns;
    keeli_storage **beside; // GROUP: sparse sets with columns that the group does not order
    keeli_change_filter *changes;
} keeli_plan;

// The bytes that the lists of a plan need for a number of terms, and of terms about changes.
#define KEELI_PLAN_ROOM(terms, changes)                                                            \
    ((terms) * (5 * sizeof(void *) + sizeof(keeli_plan_column)) +                                  \
     (changes) * sizeof(keeli_change_filter))
// Places the lists of a plan in `room`.
void keeli_plan_init(keeli_plan *plan, void *room, uint32_t terms);
// Makes a plan. `is_listed`: the iterator's list of handles leads. False when out of memory
// (reported).
bool keeli_plan_make(keeli_plan *plan, const keeli_view *view, bool is_listed);
// Returns a plan of a view in which no list of handles leads: the view's cached plan, brought up to
// date, or a new one in `own` if the view has no cache. NULL when out of memory (reported).
const keeli_plan *keeli_plan_get(const keeli_view *view, keeli_plan *own);
// Returns the number of candidates of a plan: the entities that an iteration has to filter.
uint64_t keeli_plan_touches(const keeli_plan *plan, const keeli_view *view);
// True if the values of a storage are in the order of the leader.
static inline bool keeli_plan_is_ordered(const keeli_plan *plan, const keeli_storage *s) {
    return s == plan->leader || (plan->group && s->owner == plan->group);
}

// Cache: the plan of a view that is iterated repeatedly. The choice of the leader depends on the
// numbers of values of the required storages, so the plan is valid as long as these are the same.
typedef struct keeli_kept_plan {
    bool is_made;
    uint32_t must_count;        // length of `must`; 0 if the view requires fewer than two storages
    const keeli_storage **must; // the required storages
    uint32_t *counts;           // the number of values of each when the plan was made
    keeli_plan plan;
    struct keeli_kept_lists *lists; // chunks that were gathered by the plan; NULL: none so far
} keeli_kept_plan;

size_t keeli_kept_plan_bytes(uint32_t terms);
// Initialises a kept plan, which begins zeroed memory of keeli_kept_plan_bytes bytes.
void keeli_kept_plan_init(keeli_kept_plan *kept, uint32_t terms);

// ------------------------------------------------------------------ iterators (iterate.c)
// The member of the iterator that lists the entities of a chunk. `chunk.entities` is set only if
// the user wants handles.
typedef enum keeli_who {
    KEELI_WHO_LIST,    // `candidates`
    KEELI_WHO_RANGE,   // consecutive indices from `who_first` on
    KEELI_WHO_ENTITIES // `who_entities`
} keeli_who;

// A term whose values are marked as modified (change.c).
typedef struct keeli_mark {
    keeli_storage *storage;
    uint32_t term;
    bool by_hand;                  // only values that the user marks
    bool maybe;                    // some entities of a chunk may lack the component
    const keeli_storage *relation; // the values belong to targets of this relation; otherwise NULL
    bool is_tracked;               // modifications are tracked; if not, marks by hand are dropped
    bool is_stamped;               // snapshots need stamps of all values of the chunk, even if the
                                   // user marks values by hand
} keeli_mark;

typedef struct keeli_iterator {
    keeli_view *view;
    uint64_t serial; // the serial of the handle that began it; 0: spare
    uint64_t serial_of_view;
    uint64_t cleared_for;        // the serial of the view for which the columns were cleared
    struct keeli_iterator *next; // the next of all states of the world
    const keeli_plan *plan;      // `own_plan`, the view's cached plan, or that of another iterator
    bool counts;                 // the iterator is counted in `iterating` of the view's storages
    // As in the view's facts, unless keeli_iterator_begin_to_look began the iterator.
    bool wants_entities, writes;
    bool done;
    // The position. What is said of BITS holds for ENTITIES and UNION, too.
    uint32_t at, end;            // SET, GROUP: slots; BITS: indices; LEVELS: places
    uint32_t range_misses;       // SET, GROUP: failed searches for a range since the last success
    uint32_t range_pause;        // SET, GROUP: number of blocks in which no range is searched
    uint32_t match_at, block_at; // ROWS: the archetype, and its block; `at` is the row
    uint32_t rows_left;          // ROWS: number of rows still to visit
    uint32_t from;               // BITS: the first index of the scan, or of the piece
    uint32_t next_page;          // BITS: the page after that of `words`
    uint32_t words_end;          // BITS: the end of the indices of `words`
    uint64_t words[KEELI_MASK_SLOTS / 64]; // BITS: the matches of a page; SET: the words of a mask
    // The current chunk.
    keel_chunk chunk; // the chunk of keel_iterator_next
    keel_chunk span;  // the span of keel_iterator_next_span, cut out of `chunk`
    uint32_t span_at; // number of entities (slots of a mask) of `chunk` handed out in spans so far
    // The candidates, as entity indices. If they were read from an array of handles, `block` is
    // that array, and `picked` has the position of each candidate in it.
    uint32_t candidates[KEELI_BLOCK], picks[KEELI_BLOCK];
    bool one_page;            // the indices of all candidates are on one page of 4,096
    uint32_t highest;         // upper bound of the candidates' indices
    const keel_entity *block; // NULL: the candidates have no handles
    uint32_t block_place;   // place (slot, row or place in the levels) of the block's first entity
    const uint32_t *picked; // keeli_everybody until a candidate was dropped, then `picks`
    uint32_t index[KEEL_MAX_TERMS][KEELI_BLOCK]; // by term: places of the candidates' values
    void *flat[KEEL_MAX_TERMS];                  // by term: page table of a column with one page
    keel_entity entities[KEELI_MASK_SLOTS];      // handles of the chunk, if they lie nowhere else
    keeli_who who;
    uint32_t who_first;
    const keel_entity *who_entities;
    struct keeli_kept_lists *kept; // the lists that it writes or reads (kept_lists.c), or NULL
    uint32_t kept_at;              // number of chunks read from `kept`
    // Marks (change.c).
    uint32_t mark_count;
    bool marks_all;   // the end of the iteration marks all values of marks[0] at once
    bool has_chunk;   // the current chunk is not marked yet
    uint32_t handed;  // number of chunks that were marked, or left to the end (`marks_all`)
    uint32_t visited; // number of entities of the last chunk that the user visited, as reported by
                      // keeli_iterator_visited; 0: no report, use `span_at`
    keeli_mark marks[KEEL_MAX_TERMS];
    bool *flags; // marks by hand: KEELI_MASK_SLOTS for each of `flag_terms` terms
    uint32_t flag_terms;
    keeli_plan own_plan;
    uint64_t room[KEELI_PLAN_ROOM(KEEL_MAX_TERMS, KEEL_MAX_TERMS) / sizeof(uint64_t)]; // its lists
    // CHANGES: entries `at` to `end` of the log of insertions, and after it, of modifications.
    bool second_log; // the log of modifications is read
    bool one_tick;   // all changes from `at` to `end` have the same tick
    // HANDLES: the user's list, or for KEEL_BACKWARDS the iterator's own list.
    const keel_entity *handles;
    uint32_t handle_count;
    keeli_handle_list reversed;
    uint32_t source; // SOURCES, if the relation has chains: the source that was visited last
    // LEVELS: the current level, and the end of levels. Entities without a target form level 0,
    // which the scan of presence bits visits. Iterators of other threads point to the arrays of the
    // first iterator (keeli_levels_share).
    const keeli_levels *levels;
    uint32_t level, level_end;
    uint32_t *nearest[KEEL_MAX_TERMS]; // by term of KEEL_UP, then by place: index of the nearest
                                       // entity above that has the component
    KEELI_ARRAY(uint32_t) room_of_nearest;
    bool is_direct[KEEL_MAX_TERMS]; // by term of KEEL_UP: every entity of the levels has the
                                    // component, so the nearest entity above is the target
    bool all_pass;                  // every entity of the levels passes `check` of the plan
    bool all_changed;               // every entity passes KEEL_CHANGED_UP; `is_changed` is not used
    uint8_t *is_changed;            // by place: the entity, or one above it, has changed
    KEELI_ARRAY(uint8_t) room_of_changed;
} keeli_iterator;

// Begins to iterate over a view; NULL when out of memory (reported).
keeli_iterator *keeli_iterator_begin(keeli_view *view);
// Begins to iterate over the same view, for another thread. Uses the plan of the other iterator, as
// a plan that is made while other threads write could have another leader.
keeli_iterator *keeli_iterator_begin_like(const keeli_iterator *other);
// Begins to iterate only to look at entities: nothing is marked, even if the view writes.
keeli_iterator *keeli_iterator_begin_to_look(keeli_view *view, bool wants_entities);
// Allocates states until the world has `count` of them, live and spare ones together. False when
// out of memory.
bool keeli_iterators_reserve(keel_world *world, uint32_t count);
// Marks the values of the current chunk as modified, and returns the next chunk; NULL at the end.
const keel_chunk *keeli_iterator_advance(keeli_iterator *it);
// Fills it->chunk with the next chunk, without marking the chunk before; false at the end.
bool keeli_iterator_scan(keeli_iterator *it);
// Like keeli_iterator_scan, but always runs the plan's scan, and never reads kept lists.
bool keeli_scan_next(keeli_iterator *it);
// Moves an iterator back to the start.
void keeli_iterator_rewind(keeli_iterator *it);
// Returns the next span. Chunks that are masks or lists are cut into spans. NULL at the end.
const keel_chunk *keeli_iterator_advance_span(keeli_iterator *it);
// Ends an iterator, and releases its state.
void keeli_iterator_end(keeli_iterator *it);
// Notes that the user visited `count` entities of the last chunk, and will visit no more.
void keeli_iterator_visited(keel_iterator *iterator, uint32_t count);
void keeli_iterators_end_of(keeli_view *view);
void keeli_iterators_deinit(keel_world *world);
// Returns the number of entities of a chunk.
uint32_t keeli_chunk_count(const keel_chunk *chunk);

// ------------------------------------------------------------------ pieces (iterate.c)
// An iteration by several threads is cut into pieces. The cuts depend on the leader alone, not on
// the number of threads or on time, so that results are the same. A range is cut into about 256
// pieces; the length of each is a multiple of 64 entities (or slots, or indices), at most a page.
// Fewer than 4,096 entities may need long computations each, so they are cut into about 64 pieces
// of any length, down to 1.
enum { KEELI_PIECES = 256, KEELI_PIECES_OF_FEW = 64, KEELI_GRAIN_MOST = KEELI_PAGE };

typedef struct keeli_piece {
    uint32_t at, end;            // slots or indices; ROWS: the first row, and the number of rows
    uint32_t match_at, block_at; // ROWS: the archetype and the block of the first row; LEVELS: the
                                 // first level, and the end of levels
} keeli_piece;

typedef struct keeli_pieces {
    KEELI_ARRAY(keeli_piece) list;
} keeli_pieces;

// Returns the number of slots, indices or rows that an iterator will scan, which must have just
// begun. 1 if the iteration cannot be cut into pieces.
uint32_t keeli_iterator_range(const keeli_iterator *it);
// Cuts an iteration into pieces; false when out of memory. `range`: from keeli_iterator_range.
bool keeli_pieces_make(keeli_pieces *pieces, const keeli_iterator *it, uint32_t range);
// Moves an iterator to the start of a piece, and ends it at the end of the piece.
void keeli_iterator_aim(keeli_iterator *it, const keeli_piece *piece);
// Returns the length of the pieces that a range is cut into.
uint32_t keeli_grain(uint32_t range);

// ------------------------------------------------------------------ scanning
// Each keeli_scan_* fills it->chunk with the next entities, or returns false at the end.
bool keeli_scan_set(keeli_iterator *it);  // SET and GROUP
bool keeli_scan_bits(keeli_iterator *it); // BITS, ENTITIES and UNION
// Returns the presence bits of the leading component on a page. UNION: the presence bits of all its
// components, united in `room`.
const uint64_t *keeli_leading_words(const keeli_iterator *it, uint32_t page, uint64_t *room);
// Returns the number of words of a page up to the last that is not zero.
uint32_t keeli_used_words(const uint64_t *words);
bool keeli_scan_rows(keeli_iterator *it);
bool keeli_scan_changes(keeli_iterator *it);
void keeli_scan_changes_begin(keeli_iterator *it);
// Calls `visit` for each remaining block of rows, until `*stop` becomes true. The iterator must
// have no marks. Its plan must have `only_rows`, and no column whose values may be absent.
typedef void keeli_visit(const keel_chunk *chunk, keel_context *context);
uint32_t keeli_visit_rows(keeli_iterator *it, keeli_visit *visit, keel_context *context,
                          const bool *stop);

// ------------------------------------------------------------------ levels (levels.c)
// Brings the levels of the plan's relation up to date, and prepares the iterator. False when out of
// memory (reported).
bool keeli_levels_begin(keeli_iterator *it);
// Returns the number of places in the list of sources of the view's KEEL_RELATED target, holes
// included.
uint32_t keeli_source_places(const keeli_view *view, const keeli_storage *relation);
bool keeli_scan_sources(keeli_iterator *it);
// Makes an iterator use the levels and the arrays of another iterator over the same view, which
// must outlive it.
void keeli_levels_share(keeli_iterator *it, const keeli_iterator *other);
void keeli_levels_rewind(keeli_iterator *it);
bool keeli_scan_levels(keeli_iterator *it);
// keeli_levels_range returns the length of the range that is cut into pieces: the indices that the
// scan of level 0 looks at, and the entities of all other levels. keeli_levels_cut cuts the levels
// into pieces. `indices`: the number of indices that the scan of level 0 looks at.
uint32_t keeli_levels_range(const keeli_iterator *it, uint32_t indices);
bool keeli_levels_cut(keeli_pieces *pieces, const keeli_iterator *it, uint32_t indices);
void keeli_levels_aim(keeli_iterator *it, const keeli_piece *piece);
// True if the entity, or one above it, has changed, so that it passes the term KEEL_CHANGED_UP.
bool keeli_is_below_change(const keeli_view *view, const keeli_bound_term *term, uint32_t index);
// Frees the memory of the levels of all relations.
void keeli_levels_trim(keel_world *world);
// Looks up the values that a relation leads to from each candidate, and puts their places into
// it->index. Returns the number of candidates without such a value (place UINT32_MAX).
uint32_t keeli_find_through(keeli_iterator *it, const keeli_plan_column *column, uint32_t count);
// Returns the index of the entity whose value the relation leads to from the entity at `index`: the
// target if it has the component, or with `is_up`, the nearest entity above that has the component.
// UINT32_MAX if there is none.
uint32_t keeli_through(const keeli_storage *relation, const keeli_storage *s, bool is_up,
                       uint32_t index);

// ------------------------------------------------------------------ lists (gather.c)
// Makes the first `count` handles of `block` the candidates. `place`: the place of the first of
// them in the leader (slot, row or place in the levels).
void keeli_gather_block(keeli_iterator *it, const keel_entity *block, uint32_t count,
                        uint32_t place);
// Fills the chunk with the candidates that pass the filters: a list, or a span where the values of
// each column lie side by side. False if no candidate passes.
bool keeli_gather(keeli_iterator *it, uint32_t count);
// Fills the chunk like keeli_gather, with candidates that were filtered before.
bool keeli_gather_chunk(keeli_iterator *it, uint32_t count);
// The positions 0, 1, 2 and so on, for a block of which no candidate was dropped.
extern const uint32_t keeli_everybody[KEELI_BLOCK];
// True if each number is the one before plus 1, or if all are UINT32_MAX (absent).
bool keeli_is_range(const uint32_t *index, uint32_t count);

// ------------------------------------------------------------------ kept lists (kept_lists.c)
typedef struct keeli_kept_lists keeli_kept_lists;
// Makes a new iterator read the kept lists of its view, if they are valid, or write them.
void keeli_kept_lists_begin(keeli_iterator *it);
// Fills the chunk of an iterator that reads or writes kept lists; false at the end.
bool keeli_kept_lists_scan(keeli_iterator *it);
// Detaches an iterator from the kept lists. Lists that are not complete are dropped.
void keeli_kept_lists_end(keeli_iterator *it);
void keeli_kept_lists_free(keeli_kept_lists *lists);
// Frees the memory of all kept lists of the world.
void keeli_kept_lists_trim(keel_world *world);

// ------------------------------------------------------------------ changes (change.c)
// Returns the filter of a term about changes.
keeli_change_filter keeli_change_filter_of(const keeli_view *view, const keeli_bound_term *term);
// Returns the part of `bits` whose entities pass the filter. `bits`: a bit for each entity of a
// block of 64 indices.
uint64_t keeli_change_bits(const keeli_change_filter *f, uint32_t block, uint64_t bits);
// True if an entity passes the filter.
bool keeli_change_passes(const keeli_change_filter *f, uint32_t index);
// True if an entity passes a term about changes.
bool keeli_change_matches(const keeli_view *view, const keeli_bound_term *term, uint32_t index);
// True if no value has changed since the filter's ticks. Costs one comparison for each kind of
// change.
bool keeli_change_is_empty(const keeli_change_filter *f);
// Returns the number of changes since the filter's ticks; UINT32_MAX if the logs of single changes
// do not contain all of them.
uint32_t keeli_change_logged(const keeli_change_filter *f);
// True if any entity of a page of 4,096 indices can pass the filter.
bool keeli_change_page_may_match(const keeli_change_filter *f, uint32_t page);

// An iterator that writes marks the values of a chunk as modified once the user has visited the
// chunk. An iterator that visits all values of a component marks them with one tick, at its end.
// Several threads may mark chunks of one view at once, each its own. No mark is added to the log of
// single changes, so that the order of the log does not depend on the number of threads.
//
// Lists the terms to mark in it->marks. `any_is_marked`: writes to a storage of the view must be
// marked or stamped. False when out of memory (reported).
bool keeli_marks_begin(keeli_iterator *it, bool any_is_marked);
// Makes the columns of the chunk point to the flags for marks by hand.
void keeli_marks_hand_out(keeli_iterator *it);
// Marks the first `count` items (slots of a mask) of the chunk.
void keeli_mark_chunk_slow(keeli_iterator *it, uint32_t count);
static inline void keeli_mark_chunk(keeli_iterator *it) {
    if (it->mark_count)
        keeli_mark_chunk_slow(it, UINT32_MAX);
}
// Marks the values that are left to mark when the iterator ends. If the user left the loop early,
// these are the visited values only.
void keeli_marks_end(keeli_iterator *it);
// Marks the visited part of the current chunk, when the iterator leaves a piece.
void keeli_mark_left(keeli_iterator *it);
