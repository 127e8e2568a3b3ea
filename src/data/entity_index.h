// SPDX-License-Identifier: MIT
// Which handles are alive: two paged arrays by entity index.
//   versions[i]: the upper part of the living handle (version + 1); for a dead index the top bit
//                and the upper part of the next handle, so that "alive with this version" is one
//                compare for who knows a living handle. Behind the versions of a page: how many of
//                them are alive, so that walks skip what is dead.
//   where[i]:    alive: the place of the entity's row in archetype storage, or KEELI_NO_ROW; dead:
//                the next free index, or why it is not in the free list (the marks below).
// Free indices are handed out in three steps: the free list (last deleted first), then gaps
// (indices that were skipped by keeli_entity_index_add_at, lowest first), then fresh ones. Pages
// that were never written are one shared constant page of gaps, so a far index costs no memory.
// The version of a gap counts for nothing: its first handle has `first`, which is another one for
// templates, so that their handles are not those of the game.
#pragma once
#include "base/memory.h"

#include <keel/view.h>

#define KEELI_DEAD 0x80000000u // top bit of a version

#define KEELI_FREE_END 0xFFFFFFFFu // end of the free list
#define KEELI_GAP 0xFFFFFFFEu      // never used, not in the free list
#define KEELI_HELD 0xFFFFFFFDu     // reserved for a command, not alive yet
#define KEELI_RETIRED 0xFFFFFFFCu  // its versions are used up
#define KEELI_NO_ROW 0xFFFFFFFFu   // alive, and in no archetype

// The version that indices of templates begin with: no index of a game is used a billion times.
// With small handles half of the versions are left to each.
#define KEELI_TEMPLATE_VERSION                                                                     \
    (KEEL_MAX_ENTITY_VERSION > 2000000000u ? 1000000000u : KEEL_MAX_ENTITY_VERSION / 2)

typedef struct keeli_entity_index {
    struct keeli_entity_root root; // the pages of both tables, for keel_lookup too
    keeli_pages versions, where;
    uint32_t size; // indices below it were handed out, or are gaps
    // `free_*` apart: joined to one store, for which the next edit waits, entt_recycle takes twice
    uint32_t held, free_head, retired, free_count;
    uint64_t frees; // goes up when an index becomes free: with the counts equal, nobody
                    // came or went
    uint32_t gap_first, gap_count; // no gap below gap_first
    uint32_t ready;                // indices from `size` to below it need no memory
    uint32_t first;                // the upper part of an index's first handle
    size_t bytes;
} keeli_entity_index;

extern const keeli_page_kind keeli_version_pages, keeli_where_pages;

void keeli_entity_index_init(keeli_entity_index *ix);
void keeli_entity_index_deinit(keeli_entity_index *ix, keeli_heap *heap);

// How many entities live: all indices but the gaps and the dead ones.
static inline uint32_t keeli_entity_count(const keeli_entity_index *ix) {
    return ix->size - ix->gap_count - ix->free_count - ix->held - ix->retired;
}
// How many live on a page of versions.
static inline uint32_t *keeli_living_on_page(uint32_t *page) { return page + KEELI_PAGE; }

// Is the handle alive? The index's page is known to be there.
static inline bool keeli_entity_has_version(const keeli_entity_index *ix, keel_entity e) {
    const uint32_t i = keeli_index_of(e), upper = (uint32_t)(e.bits >> KEEL_ENTITY_INDEX_BITS);
    return ix->root.versions[i / KEELI_PAGE][i % KEELI_PAGE] == upper &&
           upper < KEELI_DEAD; // an invented handle may look like a dead slot
}
static inline bool keeli_entity_is_alive(const keeli_entity_index *ix, keel_entity e) {
    return keeli_index_of(e) / KEELI_PAGE < ix->root.page_count && keeli_entity_has_version(ix, e);
}

// The living entity at an index.
static inline keel_entity keeli_entity_at(const keeli_entity_index *ix, uint32_t index) {
    const uint32_t upper = ix->root.versions[index / KEELI_PAGE][index % KEELI_PAGE];
    return (keel_entity){ (keel_entity_bits)upper << KEEL_ENTITY_INDEX_BITS | index };
}

// Make room so that the next `extra` calls of add or hold cannot fail: KEEL_OK, KEEL_ERROR_MEMORY,
// KEEL_ERROR_FULL.
keel_result keeli_entity_index_reserve(keeli_entity_index *ix, keeli_heap *heap, uint32_t extra);
// Can the next add do without?
static inline bool keeli_entity_index_is_ready(const keeli_entity_index *ix) {
    return ix->free_count || (!ix->gap_count && ix->size < ix->ready);
}
// The handle that the next add gives, when it is ready.
static inline keel_entity keeli_entity_index_peek(const keeli_entity_index *ix) {
    uint32_t i = ix->size, upper = ix->first;
    if (ix->free_count) {
        i = ix->free_head;
        upper = ix->root.versions[i / KEELI_PAGE][i % KEELI_PAGE] & ~KEELI_DEAD;
    }
    return (keel_entity){ (keel_entity_bits)upper << KEEL_ENTITY_INDEX_BITS | i };
}
// Bring that one to life.
static inline void keeli_entity_index_take(keeli_entity_index *ix, keel_entity next) {
    const uint32_t i = keeli_index_of(next);
    uint32_t *where = &ix->root.where[i / KEELI_PAGE][i % KEELI_PAGE];
    if (ix->free_count) {
        ix->free_head = *where;
        --ix->free_count;
    } else {
        ++ix->size;
    }
    uint32_t *page = ix->root.versions[i / KEELI_PAGE];
    page[i % KEELI_PAGE] = (uint32_t)(next.bits >> KEEL_ENTITY_INDEX_BITS);
    *where = KEELI_NO_ROW;
    ++*keeli_living_on_page(page);
}
// After a successful reserve.
keel_entity keeli_entity_index_add(keeli_entity_index *ix);
// The same for many, in one go.
void keeli_entity_index_add_many(keeli_entity_index *ix, keel_entity *out, uint32_t count);
// Take back the last `count` adds, newest first, as if they had never been. `before` is a copy of
// the index made before them; nothing else may have happened since.
void keeli_entity_index_undo(keeli_entity_index *ix, const keeli_entity_index *before,
                             const keel_entity *added, uint32_t count);
// KEEL_OK, KEEL_ERROR_OCCUPIED, KEEL_ERROR_FULL, KEEL_ERROR_MEMORY, KEEL_ERROR_DEAD_ENTITY for
// null.
keel_result keeli_entity_index_add_at(keeli_entity_index *ix, keeli_heap *heap, keel_entity e);
// Would it, memory apart?
keel_result keeli_entity_index_may_add_at(const keeli_entity_index *ix, keel_entity e);
// A dead index becomes free, with the version after `upper`; or retires.
static inline void keeli_entity_index_free(keeli_entity_index *ix, uint32_t i, uint32_t upper) {
    uint32_t *version = &ix->root.versions[i / KEELI_PAGE][i % KEELI_PAGE];
    uint32_t *where = &ix->root.where[i / KEELI_PAGE][i % KEELI_PAGE];
    ++ix->frees;
    if (upper == KEEL_MAX_ENTITY_VERSION + 1u) { // its versions are used up
        *version = KEELI_DEAD;
        *where = KEELI_RETIRED;
        ++ix->retired;
        return;
    }
    *version = KEELI_DEAD | (upper + 1);
    *where = ix->free_head;
    ix->free_head = i;
    ++ix->free_count;
}
// `e` is alive.
static inline void keeli_entity_index_delete(keeli_entity_index *ix, keel_entity e) {
    const uint32_t i = keeli_index_of(e);
    --*keeli_living_on_page(ix->root.versions[i / KEELI_PAGE]);
    keeli_entity_index_free(ix, i, (uint32_t)(e.bits >> KEEL_ENTITY_INDEX_BITS));
}
// The same for many that are alive, in this order; one that comes again is left out.
void keeli_entity_index_delete_many(keeli_entity_index *ix, const keel_entity *list,
                                    uint32_t count);
// Delete all, so that indices are handed out in ascending order.
void keeli_entity_index_clear(keeli_entity_index *ix);

// Make `to` (uninitialised) a copy in which no living entity has a row, `first` included; false
// when out of memory.
bool keeli_entity_index_copy(keeli_entity_index *to, const keeli_entity_index *from,
                             keeli_heap *heap);
// Has it the same handles, alive and free? One is a copy of the other from when `frees` was the
// same.
static inline bool keeli_entity_index_is_unchanged(const keeli_entity_index *ix,
                                                   const keeli_entity_index *copy) {
    return ix->frees == copy->frees && ix->size == copy->size && ix->held == copy->held &&
           ix->retired == copy->retired && ix->free_count == copy->free_count &&
           ix->gap_count == copy->gap_count;
}
// Make room for all of another index; then the handles and their places are the same. `first`
// stays.
bool keeli_entity_index_reserve_all(keeli_entity_index *ix, keeli_heap *heap,
                                    const keeli_entity_index *from);
void keeli_entity_index_assign(keeli_entity_index *ix, const keeli_entity_index *from);
// Give all reserved handles back, in ascending order.
void keeli_entity_index_release_all(keeli_entity_index *ix);

// Reserve a handle for a command (after a successful reserve): not alive, not handed out again.
keel_entity keeli_entity_index_hold(keeli_entity_index *ix);
// Is it reserved and not yet alive?
bool keeli_entity_index_is_held(const keeli_entity_index *ix, keel_entity e);
// Bring a reserved handle to life, or give it back (its version is used up).
void keeli_entity_index_confirm(keeli_entity_index *ix, keel_entity e);
void keeli_entity_index_release(keeli_entity_index *ix, keel_entity e);
// Undoes bringing it to life, if that was done: the handle is reserved.
void keeli_entity_index_promise_again(keeli_entity_index *ix, keel_entity e);
// Give back a reserved handle that nobody ever saw: it is the next to be handed out again.
void keeli_entity_index_unhold(keeli_entity_index *ix, keel_entity e);
// Give back all that were reserved or added one after another since `before`, and are reserved now:
// free indices and gaps are what they were.
void keeli_entity_index_unhold_all(keeli_entity_index *ix, const keeli_entity_index *before,
                                   const keel_entity *held, uint32_t count);

// What was deleted last is reserved again, with the version that it had.
void keeli_entity_index_hold_again(keeli_entity_index *ix, keel_entity e);

// The first living entity at index `from` or above; null at the end.
keel_entity keeli_entity_index_next(const keeli_entity_index *ix, uint32_t from);
// The free list, from null on; null at its end, and after a handle that is not in it.
keel_entity keeli_entity_index_next_free(const keeli_entity_index *ix, keel_entity after);
// Who lives on a page: a bit for each of its 4,096 indices, in 64 words. False when nobody does.
bool keeli_entity_index_living(const keeli_entity_index *ix, uint32_t page, uint64_t *words);
bool keeli_entity_index_is_valid(const keeli_entity_index *ix);
