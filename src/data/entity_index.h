// SPDX-License-Identifier: MIT
// The entity index: which handles are alive, and where the row of each entity is. It knows no
// components and calls no hooks; the verbs of edit/ that add and delete entities call it.
// Two paged arrays by entity index:
//   versions[i]: the upper part of the living handle (version + 1). For a dead index: the top bit
//                and the upper part of the next handle, so that one compare tells whether a handle
//                is alive. Behind the versions of a page stands the number of living entities on
//                it, so that iteration skips pages without any.
//   where[i]:    for a living entity: the place of its row in archetype storage, or KEELI_NO_ROW.
//                For a dead index: the next free index, or the reason why the index is not in the
//                free list (the marks below).
// Free indices are handed out in this order: the free list (last deleted first), then gaps (indices
// that keeli_entity_index_add_at skipped, lowest first), then fresh indices. All pages that were
// never written are one shared constant page of gaps, so a large index costs little memory.
// The version of a gap has no meaning: the first handle of an index has the version `first`. Worlds
// of templates have another `first`, so that their handles differ from those of the game.
#pragma once
#include "base/memory.h"

#include <keel/view.h>

#define KEELI_DEAD 0x80000000u // top bit of a version

#define KEELI_FREE_END 0xFFFFFFFFu // end of the free list
#define KEELI_GAP 0xFFFFFFFEu      // never used, not in the free list
#define KEELI_HELD 0xFFFFFFFDu     // reserved for a command, not alive yet
#define KEELI_RETIRED 0xFFFFFFFCu  // all versions of the index are used up
#define KEELI_NO_ROW 0xFFFFFFFFu   // alive, and in no archetype

// The first version of indices in a world of templates. Other worlds do not reach it, because no
// index is reused a billion times. Small handles have fewer versions: games and templates get half
// of them each.
#define KEELI_TEMPLATE_VERSION                                                                     \
    (KEEL_MAX_ENTITY_VERSION > 2000000000u ? 1000000000u : KEEL_MAX_ENTITY_VERSION / 2)

typedef struct keeli_entity_index {
    struct keeli_entity_root root; // the pages of both tables, which keel_lookup reads too
    keeli_pages versions, where;
    uint32_t size; // all indices below it were handed out or are gaps
    // `held`, `retired`: numbers of indices with these marks. `free_head`: first index of the free
    // list. `free_head` and `free_count` are not adjacent: compilers would join both stores to one,
    // and the next edit would wait for it (benchmark entt_recycle takes twice as long then)
    uint32_t held, free_head, retired, free_count;
    uint64_t frees; // counter of indices that became free. As long as it and all counts are as
                    // before, no entity was added or deleted
    uint32_t gap_first, gap_count; // no gap is below gap_first
    uint32_t ready;                // fresh indices below it have memory
    uint32_t first;                // the upper part of the first handle of each index
    size_t bytes;                  // allocated bytes of both arrays
} keeli_entity_index;

extern const keeli_page_kind keeli_version_pages, keeli_where_pages;

void keeli_entity_index_init(keeli_entity_index *ix);
void keeli_entity_index_deinit(keeli_entity_index *ix, keeli_heap *heap);

// Returns the number of living entities: all indices minus gaps and dead ones.
static inline uint32_t keeli_entity_count(const keeli_entity_index *ix) {
    return ix->size - ix->gap_count - ix->free_count - ix->held - ix->retired;
}
// Returns the place of the number of living entities on a page of versions.
static inline uint32_t *keeli_living_on_page(uint32_t *page) { return page + KEELI_PAGE; }

// True if the handle is alive. The page of its index must be in the table.
static inline bool keeli_entity_has_version(const keeli_entity_index *ix, keel_entity e) {
    const uint32_t i = keeli_index_of(e), upper = (uint32_t)(e.bits >> KEEL_ENTITY_INDEX_BITS);
    return ix->root.versions[i / KEELI_PAGE][i % KEELI_PAGE] == upper &&
           upper < KEELI_DEAD; // an invented handle may look like a dead slot
}
// True if the handle is alive. The index must belong to a living entity, so that its version is not
// that of a dead slot.
static inline bool keeli_entity_is_current(const keeli_entity_index *ix, keel_entity e) {
    const uint32_t i = keeli_index_of(e);
    return ix->root.versions[i / KEELI_PAGE][i % KEELI_PAGE] ==
           (uint32_t)(e.bits >> KEEL_ENTITY_INDEX_BITS);
}
static inline bool keeli_entity_is_alive(const keeli_entity_index *ix, keel_entity e) {
    return keeli_index_of(e) / KEELI_PAGE < ix->root.page_count && keeli_entity_has_version(ix, e);
}

// Returns the living entity at an index.
static inline keel_entity keeli_entity_at(const keeli_entity_index *ix, uint32_t index) {
    const uint32_t upper = ix->root.versions[index / KEELI_PAGE][index % KEELI_PAGE];
    return (keel_entity){ (keel_entity_bits)upper << KEEL_ENTITY_INDEX_BITS | index };
}

// Makes room so that the next `extra` calls of add or hold cannot fail. Returns KEEL_OK,
// KEEL_ERROR_MEMORY or KEEL_ERROR_FULL.
keel_result keeli_entity_index_reserve(keeli_entity_index *ix, keeli_heap *heap, uint32_t extra);
// True if one add needs no reserve.
static inline bool keeli_entity_index_is_ready(const keeli_entity_index *ix) {
    return ix->free_count || (!ix->gap_count && ix->size < ix->ready);
}
// Returns the handle that the next add will return, if the index is ready.
static inline keel_entity keeli_entity_index_peek(const keeli_entity_index *ix) {
    uint32_t i = ix->size, upper = ix->first;
    if (ix->free_count) {
        i = ix->free_head;
        upper = ix->root.versions[i / KEELI_PAGE][i % KEELI_PAGE] & ~KEELI_DEAD;
    }
    return (keel_entity){ (keel_entity_bits)upper << KEEL_ENTITY_INDEX_BITS | i };
}
// Adds the entity that keeli_entity_index_peek returned.
static inline void keeli_entity_index_add_peeked(keeli_entity_index *ix, keel_entity next) {
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
// Adds an entity and returns its handle, after a successful reserve.
keel_entity keeli_entity_index_add(keeli_entity_index *ix);
// The same for `count` entities, whose handles it writes to `out`.
void keeli_entity_index_add_many(keeli_entity_index *ix, keel_entity *out, uint32_t count);
// Undoes the last `count` adds, newest first: the index is as before. `before` is a copy of the
// index made before the adds, and nothing else may have changed since.
void keeli_entity_index_undo(keeli_entity_index *ix, const keeli_entity_index *before,
                             const keel_entity *added, uint32_t count);
// Fills an empty index with the versions of `size` indices: 0 for a gap, KEELI_DEAD for a retired
// index, otherwise the version of the living entity or, with the bit KEELI_DEAD, of the next one.
// `free` has the free list in its order, `held` the reserved indices; each other dead index must be
// in one of them. Returns KEEL_OK, KEEL_ERROR_MEMORY, or KEEL_ERROR_FORMAT if the numbers
// contradict each other; the index is in no order then, and may only be freed.
typedef struct keeli_index_list {
    const uint32_t *items;
    uint32_t count;
} keeli_index_list;
keel_result keeli_entity_index_fill(keeli_entity_index *ix, keeli_heap *heap,
                                    keeli_index_list versions, keeli_index_list free,
                                    keeli_index_list held, uint32_t gap_first);
// Adds an entity with this very handle. Returns KEEL_OK, KEEL_ERROR_OCCUPIED, KEEL_ERROR_FULL,
// KEEL_ERROR_MEMORY, or KEEL_ERROR_DEAD_ENTITY for null and versions that no handle has.
keel_result keeli_entity_index_add_at(keeli_entity_index *ix, keeli_heap *heap, keel_entity e);
// Returns what keeli_entity_index_add_at would, if there is enough memory.
keel_result keeli_entity_index_may_add_at(const keeli_entity_index *ix, keel_entity e);
// Adds the index of a dead entity to the free list, with the version after `upper`. Without such a
// version the index is retired.
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
// Deletes an entity that is alive.
static inline void keeli_entity_index_delete(keeli_entity_index *ix, keel_entity e) {
    const uint32_t i = keeli_index_of(e);
    --*keeli_living_on_page(ix->root.versions[i / KEELI_PAGE]);
    keeli_entity_index_free(ix, i, (uint32_t)(e.bits >> KEEL_ENTITY_INDEX_BITS));
}
// The same for a list of living entities, in its order. Repeated entities are deleted once.
void keeli_entity_index_delete_many(keeli_entity_index *ix, const keel_entity *list,
                                    uint32_t count);
// Deletes all entities. Afterwards indices are handed out in ascending order.
void keeli_entity_index_clear(keeli_entity_index *ix);

// Makes `to`, which is uninitialised, a copy of `from` (with its `first`) in which no living entity
// has a row. False when out of memory.
bool keeli_entity_index_copy(keeli_entity_index *to, const keeli_entity_index *from,
                             keeli_heap *heap);
// True if the same handles are alive and free in both. One must have been copied from the other:
// equal `frees` of unrelated indices mean nothing.
static inline bool keeli_entity_index_is_unchanged(const keeli_entity_index *ix,
                                                   const keeli_entity_index *copy) {
    return ix->frees == copy->frees && ix->size == copy->size && ix->held == copy->held &&
           ix->retired == copy->retired && ix->free_count == copy->free_count &&
           ix->gap_count == copy->gap_count;
}
// reserve_all makes room for all entities of another index; false when out of memory. assign then
// copies all handles and their places, but not `first`.
bool keeli_entity_index_reserve_all(keeli_entity_index *ix, keeli_heap *heap,
                                    const keeli_entity_index *from);
void keeli_entity_index_assign(keeli_entity_index *ix, const keeli_entity_index *from);
// Releases all reserved handles, in ascending order.
void keeli_entity_index_release_all(keeli_entity_index *ix);

// Reserves a handle for a command, after a successful reserve. Until it is confirmed or released it
// is neither alive nor free.
keel_entity keeli_entity_index_hold(keeli_entity_index *ix);
// True if the handle is reserved and not yet alive.
bool keeli_entity_index_is_held(const keeli_entity_index *ix, keel_entity e);
// confirm makes a reserved handle alive. release frees its index, with the next version.
void keeli_entity_index_confirm(keeli_entity_index *ix, keel_entity e);
void keeli_entity_index_release(keeli_entity_index *ix, keel_entity e);
// Undoes keeli_entity_index_confirm, if it was called: the handle is reserved afterwards.
void keeli_entity_index_promise_again(keeli_entity_index *ix, keel_entity e);
// Undoes keeli_entity_index_hold for a handle that no caller has seen: it is handed out next.
void keeli_entity_index_unhold(keeli_entity_index *ix, keel_entity e);
// Undoes the reservation of the handles `held`, which were reserved or added in this order since
// the copy `before` was made, and all of which are reserved now. The free indices and gaps are as
// before.
void keeli_entity_index_unhold_all(keeli_entity_index *ix, const keeli_entity_index *before,
                                   const keel_entity *held, uint32_t count);

// Makes the handle of the latest deletion a reserved one: neither alive nor free.
void keeli_entity_index_hold_again(keeli_entity_index *ix, keel_entity e);

// Returns the first living entity at index `from` or above; null at the end.
keel_entity keeli_entity_index_next(const keeli_entity_index *ix, uint32_t from);
// Returns the handle behind `after` in the free list; the first one if `after` is null. Returns
// null at the end of the list, and if `after` is not in it.
keel_entity keeli_entity_index_next_free(const keeli_entity_index *ix, keel_entity after);
// Writes a bit for each of the 4,096 indices of a page to 64 words: 1 for a living entity. False if
// none is alive; `words` is not written then.
bool keeli_entity_index_living(const keeli_entity_index *ix, uint32_t page, uint64_t *words);
bool keeli_entity_index_is_valid(const keeli_entity_index *ix);
