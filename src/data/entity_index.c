// SPDX-License-Identifier: MIT
// The entity index, see the header for its arrays. The free list works like that of EnTT: last in,
// first out, and deleting raises the version. Gaps are Keel's own: with them a saved game can be
// loaded without its free list.
#include "data/entity_index.h"

#include "base/assert.h"
#include "base/memory.h"

#include <string.h>

// Exports the inline functions of entity.h, for languages that cannot read C.
extern inline keel_entity keel_null(void);
extern inline bool keel_is_null(keel_entity e);
extern inline bool keel_is_same(keel_entity a, keel_entity b);
extern inline uint32_t keeli_index_of(keel_entity e);
extern inline uint32_t keel_entity_index(keel_entity e);
extern inline uint32_t keel_entity_version(keel_entity e);
extern inline keel_entity keel_entity_make(uint32_t index, uint32_t version);

enum { page_words = KEELI_PAGE + 16 }; // a page of versions and the number of living entities
static const uint32_t gap_version = KEELI_DEAD | 1u;

// The shared pages of all indices that were never used. They are constant: own_page replaces them
// before a page is written.
static const uint32_t gap_versions[page_words] = { KEELI_PAGE_TIMES(KEELI_DEAD | 1u) };
static const uint32_t gap_where[KEELI_PAGE] = { KEELI_PAGE_TIMES(KEELI_GAP) };

static uint32_t *version_of(const keeli_entity_index *ix, uint32_t i) {
    return &ix->root.versions[i / KEELI_PAGE][i % KEELI_PAGE];
}
static uint32_t *living_around(const keeli_entity_index *ix, uint32_t i) {
    return keeli_living_on_page(ix->root.versions[i / KEELI_PAGE]);
}
static uint32_t *where_of(const keeli_entity_index *ix, uint32_t i) {
    return &ix->root.where[i / KEELI_PAGE][i % KEELI_PAGE];
}
static keel_entity handle(uint32_t i, uint32_t upper) {
    return (keel_entity){ (keel_entity_bits)upper << KEEL_ENTITY_INDEX_BITS | i };
}
static uint32_t upper_of(keel_entity e) { return (uint32_t)(e.bits >> KEEL_ENTITY_INDEX_BITS); }

void keeli_entity_index_init(keeli_entity_index *ix) {
    *ix = (keeli_entity_index){ .free_head = KEELI_FREE_END, .first = 1 };
}

const keeli_page_kind keeli_version_pages = { gap_versions, sizeof gap_versions },
                      keeli_where_pages = { gap_where, sizeof gap_where };

void keeli_entity_index_deinit(keeli_entity_index *ix, keeli_heap *heap) {
    keeli_pages_deinit(&ix->versions, heap, &keeli_version_pages);
    keeli_pages_deinit(&ix->where, heap, &keeli_where_pages);
    keeli_entity_index_init(ix);
}

static void update_root(keeli_entity_index *ix) {
    ix->root.versions = ix->versions.table;
    ix->root.where = ix->where.table;
    ix->root.page_count = keeli_least(ix->versions.count, ix->where.count);
}

// Allocates the pages of index `i`, so that it can be written and all below it can be read. False
// when out of memory.
static bool own_page(keeli_entity_index *ix, keeli_heap *heap, uint32_t i) {
    const uint32_t page = i / KEELI_PAGE;
    if (!keeli_pages_own(&ix->where, heap, &keeli_where_pages, page, &ix->bytes))
        return false;
    update_root(ix); // before the allocator is called again: it may look entities up
    if (!keeli_pages_own(&ix->versions, heap, &keeli_version_pages, page, &ix->bytes))
        return false;
    update_root(ix);
    return true;
}

// ------------------------------------------------------------------ adding
// Returns the first gap at `from` or above. There must be one.
static uint32_t next_gap(const keeli_entity_index *ix, uint32_t from) {
    while (*where_of(ix, from) != KEELI_GAP)
        ++from;
    return from;
}

// Allocates the pages of the next `count` gaps.
static bool own_gaps(keeli_entity_index *ix, keeli_heap *heap, uint32_t count) {
    for (uint32_t i = ix->gap_first; count; ++i, --count) {
        i = next_gap(ix, i);
        if (!own_page(ix, heap, i))
            return false;
    }
    return true;
}

keel_result keeli_entity_index_reserve(keeli_entity_index *ix, keeli_heap *heap, uint32_t extra) {
    if (extra <= ix->free_count)
        return KEEL_OK;
    if (extra == 1 && keeli_entity_index_is_ready(ix))
        return KEEL_OK;

    extra -= ix->free_count;
    const uint32_t gaps = extra < ix->gap_count ? extra : ix->gap_count;
    const uint64_t fresh = extra - gaps;
    if (ix->size + fresh > (uint64_t)KEEL_MAX_ENTITY_INDEX + 1)
        return KEEL_ERROR_FULL;
    if (!own_gaps(ix, heap, gaps))
        return KEEL_ERROR_MEMORY;
    if (!fresh)
        return KEEL_OK;

    const uint32_t last = (uint32_t)(ix->size + fresh - 1);
    for (uint32_t i = ix->size;; i += KEELI_PAGE) {
        if (!own_page(ix, heap, i < last ? i : last))
            return KEEL_ERROR_MEMORY;
        if (i / KEELI_PAGE < last / KEELI_PAGE)
            continue;
        const uint32_t page_end = (last / KEELI_PAGE + 1) * KEELI_PAGE;
        const uint32_t ready = page_end < KEEL_MAX_ENTITY_INDEX ? page_end : last + 1;
        if (ready > ix->ready)
            ix->ready = ready; // an earlier reserve may have been for more
        return KEEL_OK;
    }
}

// Removes the index that is handed out next from the free list, the gaps or the fresh indices, and
// returns it. The index stays dead.
static uint32_t pop_free_index(keeli_entity_index *ix) {
    if (ix->free_count) {
        const uint32_t i = ix->free_head;
        ix->free_head = *where_of(ix, i);
        --ix->free_count;
        return i;
    }
    if (ix->gap_count) {
        const uint32_t i = next_gap(ix, ix->gap_first);
        KEELI_ASSERT_ROOM(keeli_pages_are_own(&ix->versions, &keeli_version_pages, i / KEELI_PAGE));
        ix->gap_first = i + 1;
        --ix->gap_count;
        *version_of(ix, i) = KEELI_DEAD | ix->first;
        return i;
    }
    KEELI_ASSERT_ROOM(
        keeli_pages_are_own(&ix->versions, &keeli_version_pages, ix->size / KEELI_PAGE));
    *version_of(ix, ix->size) = KEELI_DEAD | ix->first;
    return ix->size++;
}

keel_entity keeli_entity_index_add(keeli_entity_index *ix) {
    const uint32_t i = pop_free_index(ix);
    uint32_t *version = version_of(ix, i);
    *version &= ~KEELI_DEAD;
    *where_of(ix, i) = KEELI_NO_ROW;
    ++*living_around(ix, i);
    return handle(i, *version);
}

// Adds entities with fresh indices, all on one page.
static void add_fresh(keeli_entity_index *ix, keel_entity *out, uint32_t count) {
    const uint32_t first = ix->size, upper = ix->first;
    KEELI_ASSERT_ROOM(keeli_pages_are_own(&ix->versions, &keeli_version_pages, first / KEELI_PAGE));
    uint32_t *restrict versions = version_of(ix, first), *restrict where = where_of(ix, first);
    for (uint32_t i = 0; i < count; ++i) {
        versions[i] = upper;
        where[i] = KEELI_NO_ROW;
        out[i] = handle(first + i, upper);
    }
    *living_around(ix, first) += count;
    ix->size += count;
}

// Adds entities from the free list as long as their indices are on one page, and returns their
// number. The page is looked up once, because each step through the list waits for the load of the
// one before.
static uint32_t add_free(keeli_entity_index *ix, keel_entity *out, uint32_t count) {
    const uint32_t page = ix->free_head / KEELI_PAGE;
    uint32_t *versions = ix->root.versions[page], *where = ix->root.where[page];
    uint32_t i = ix->free_head, n = 0;
    do {
        const uint32_t at = i % KEELI_PAGE, next = where[at];
        versions[at] &= ~KEELI_DEAD;
        where[at] = KEELI_NO_ROW;
        out[n++] = handle(i, versions[at]);
        i = next;
    } while (n < count && i / KEELI_PAGE == page);
    ix->free_head = i;
    ix->free_count -= n;
    *keeli_living_on_page(versions) += n;
    return n;
}

void keeli_entity_index_add_many(keeli_entity_index *ix, keel_entity *out, uint32_t count) {
    while (count && ix->free_count) {
        const uint32_t n = add_free(ix, out, keeli_least(count, ix->free_count));
        out += n;
        count -= n;
    }
    for (; count && ix->gap_count; --count)
        *out++ = keeli_entity_index_add(ix);
    while (count) {
        const uint32_t left = KEELI_PAGE - ix->size % KEELI_PAGE;
        const uint32_t n = count < left ? count : left;
        add_fresh(ix, out, n);
        out += n;
        count -= n;
    }
}

static void make_gap(keeli_entity_index *ix, uint32_t i) {
    *version_of(ix, i) = gap_version;
    *where_of(ix, i) = KEELI_GAP;
}

void keeli_entity_index_undo(keeli_entity_index *ix, const keeli_entity_index *before,
                             const keel_entity *added, uint32_t count) {
    // the first entities have indices from the free list, the next ones have gaps, and the last
    // ones have fresh indices
    const uint32_t listed = count < before->free_count ? count : before->free_count;
    uint32_t next = ix->free_head;
    for (uint32_t k = count; k--;) {
        const uint32_t i = keeli_index_of(added[k]);
        --*living_around(ix, i);
        if (k < listed) {
            *version_of(ix, i) |= KEELI_DEAD;
            *where_of(ix, i) = next;
            next = i;
        } else {
            make_gap(ix, i);
        }
    }

    ix->free_head = before->free_head;
    ix->free_count = before->free_count;
    ix->gap_first = before->gap_first;
    ix->gap_count = before->gap_count;
    ix->size = before->size;
    KEEL_ASSERT_INTERNAL(next == ix->free_head);
}

// Removes `i` from the free list. The cost grows with the length of the list.
static void unlink_free(keeli_entity_index *ix, uint32_t i) {
    uint32_t *link = &ix->free_head;
    while (*link != i)
        link = where_of(ix, *link);
    *link = *where_of(ix, i);
    --ix->free_count;
}

keel_result keeli_entity_index_may_add_at(const keeli_entity_index *ix, keel_entity e) {
    const uint32_t i = keeli_index_of(e);
    if (keel_is_null(e) || upper_of(e) > KEEL_MAX_ENTITY_VERSION + 1u)
        return KEEL_ERROR_DEAD_ENTITY;
    if (i > KEEL_MAX_ENTITY_INDEX)
        return KEEL_ERROR_FULL;
    if (i >= ix->size)
        return KEEL_OK;

    const uint32_t where = *where_of(ix, i);
    if (!(*version_of(ix, i) & KEELI_DEAD) || where == KEELI_HELD)
        return KEEL_ERROR_OCCUPIED;
    return where == KEELI_RETIRED ? KEEL_ERROR_FULL : KEEL_OK;
}

keel_result keeli_entity_index_add_at(keeli_entity_index *ix, keeli_heap *heap, keel_entity e) {
    const uint32_t i = keeli_index_of(e);
    KEEL_TRY(keeli_entity_index_may_add_at(ix, e));
    const uint32_t where = i < ix->size ? *where_of(ix, i) : KEELI_GAP;
    if (!own_page(ix, heap, i))
        return KEEL_ERROR_MEMORY;

    if (i >= ix->size) {
        if (ix->gap_count == 0)
            ix->gap_first = ix->size;
        ix->gap_count += i - ix->size;
        ix->size = i + 1;
        ix->ready = 0; // the page of the next fresh index may not have memory
    } else if (where == KEELI_GAP) {
        --ix->gap_count;
    } else {
        unlink_free(ix, i);
    }

    *version_of(ix, i) = upper_of(e);
    *where_of(ix, i) = KEELI_NO_ROW;
    ++*living_around(ix, i);
    return KEEL_OK;
}

// ------------------------------------------------------------------ filling
#define UNLISTED 0xFFFFFFFBu // in `where`: a dead index that is not in a list yet

// Stores the version of an index that is no gap. False if no index can have it.
static bool fill_version(keeli_entity_index *ix, uint32_t i, uint32_t version) {
    const uint32_t upper = version & ~KEELI_DEAD;
    *version_of(ix, i) = version;
    *where_of(ix, i) = KEELI_NO_ROW;
    if (version == KEELI_DEAD) {
        *where_of(ix, i) = KEELI_RETIRED;
        ++ix->retired;
        return true;
    }
    if (version & KEELI_DEAD)
        *where_of(ix, i) = UNLISTED;
    else
        ++*living_around(ix, i);
    return upper != 0 && upper <= KEEL_MAX_ENTITY_VERSION + 1u;
}

// Stores `mark` in `where` of an index of a list. False if the index is not dead, or in a list
// already.
static bool fill_listed(const keeli_entity_index *ix, uint32_t i, uint32_t mark) {
    if (i >= ix->size || *where_of(ix, i) != UNLISTED || !(*version_of(ix, i) & KEELI_DEAD))
        return false;
    *where_of(ix, i) = mark;
    return true;
}

keel_result keeli_entity_index_fill(keeli_entity_index *ix, keeli_heap *heap,
                                    keeli_index_list versions, keeli_index_list free,
                                    keeli_index_list held, uint32_t gap_first) {
    uint32_t dead = 0;
    if (versions.count && !versions.items[versions.count - 1])
        return KEEL_ERROR_FORMAT; // the last index was handed out
    ix->size = versions.count;
    ix->gap_first = gap_first;
    for (uint32_t i = 0; i < versions.count; ++i) {
        const uint32_t version = versions.items[i];
        if (!version) {
            ++ix->gap_count;
            if (i < gap_first)
                return KEEL_ERROR_FORMAT;
            continue;
        }
        if (!own_page(ix, heap, i))
            return KEEL_ERROR_MEMORY;
        if (!fill_version(ix, i, version))
            return KEEL_ERROR_FORMAT;
        dead += *where_of(ix, i) == UNLISTED;
    }

    for (uint32_t k = free.count; k--;) {
        if (!fill_listed(ix, free.items[k], ix->free_head))
            return KEEL_ERROR_FORMAT;
        ix->free_head = free.items[k];
        ++ix->free_count;
    }
    for (uint32_t k = 0; k < held.count; ++k) {
        if (!fill_listed(ix, held.items[k], KEELI_HELD))
            return KEEL_ERROR_FORMAT;
        ++ix->held;
    }
    return dead == (uint64_t)free.count + held.count ? KEEL_OK : KEEL_ERROR_FORMAT;
}

// ------------------------------------------------------------------ deleting
void keeli_entity_index_delete_many(keeli_entity_index *ix, const keel_entity *list,
                                    uint32_t count) {
    for (uint32_t k = 0; k < count; ++k)
        if (*version_of(ix, keeli_index_of(list[k])) == upper_of(list[k]))
            keeli_entity_index_delete(ix, list[k]);
}

void keeli_entity_index_clear(keeli_entity_index *ix) {
    // fills the list from the highest index down, so that the lowest is handed out first
    ix->free_head = KEELI_FREE_END;
    ix->free_count = 0;
    for (uint32_t i = ix->size; i--;) {
        uint32_t *page = ix->root.versions[i / KEELI_PAGE];
        if (page == gap_versions) { // all are gaps already
            i -= i % KEELI_PAGE;
            continue;
        }
        *keeli_living_on_page(page) = 0;
        const uint32_t version = *version_of(ix, i), where = *where_of(ix, i);
        const bool dead = (version & KEELI_DEAD) != 0;
        if (dead && (where == KEELI_GAP || where == KEELI_HELD || where == KEELI_RETIRED))
            continue;
        keeli_entity_index_free(ix, i, dead ? (version & ~KEELI_DEAD) - 1 : version);
    }
}

// ------------------------------------------------------------------ reserved handles
keel_entity keeli_entity_index_hold(keeli_entity_index *ix) {
    const uint32_t i = pop_free_index(ix);
    *where_of(ix, i) = KEELI_HELD;
    ++ix->held;
    return handle(i, *version_of(ix, i) & ~KEELI_DEAD);
}

bool keeli_entity_index_is_held(const keeli_entity_index *ix, keel_entity e) {
    const uint32_t i = keeli_index_of(e);
    return i < ix->size && *where_of(ix, i) == KEELI_HELD && upper_of(e) < KEELI_DEAD &&
           *version_of(ix, i) == (KEELI_DEAD | upper_of(e));
}

void keeli_entity_index_confirm(keeli_entity_index *ix, keel_entity e) {
    const uint32_t i = keeli_index_of(e);
    *version_of(ix, i) = upper_of(e);
    // a batch may have given the entity a row already
    if (*where_of(ix, i) == KEELI_HELD)
        *where_of(ix, i) = KEELI_NO_ROW;
    --ix->held;
    ++*living_around(ix, i);
}

void keeli_entity_index_promise_again(keeli_entity_index *ix, keel_entity e) {
    const uint32_t i = keeli_index_of(e);
    *where_of(ix, i) = KEELI_HELD;
    const bool is_confirmed = !(*version_of(ix, i) & KEELI_DEAD);
    if (!is_confirmed)
        return;
    *version_of(ix, i) |= KEELI_DEAD;
    --*living_around(ix, i);
    ++ix->held;
}

void keeli_entity_index_release(keeli_entity_index *ix, keel_entity e) {
    --ix->held;
    keeli_entity_index_free(ix, keeli_index_of(e), upper_of(e));
}

void keeli_entity_index_unhold(keeli_entity_index *ix, keel_entity e) {
    const uint32_t i = keeli_index_of(e);
    --ix->held;
    const bool was_fresh = i + 1 == ix->size && upper_of(e) == ix->first;
    if (was_fresh) {
        make_gap(ix, i);
        --ix->size;
        return;
    }
    *where_of(ix, i) = ix->free_head;
    ix->free_head = i;
    ++ix->free_count;
    ++ix->frees;
}

void keeli_entity_index_unhold_all(keeli_entity_index *ix, const keeli_entity_index *before,
                                   const keel_entity *held, uint32_t count) {
    while (count--) {
        const uint32_t i = keeli_index_of(held[count]);
        const bool was_gap = count >= before->free_count && i < before->size;
        if (was_gap) {
            make_gap(ix, i);
            --ix->held;
            ++ix->gap_count;
        } else {
            keeli_entity_index_unhold(ix, held[count]);
        }
    }
    // another edit may have used a gap since, but this is still a lower bound
    ix->gap_first = before->gap_first;
}

void keeli_entity_index_hold_again(keeli_entity_index *ix, keel_entity e) {
    const uint32_t i = keeli_index_of(e);
    if (*where_of(ix, i) == KEELI_RETIRED) {
        --ix->retired;
    } else {
        ix->free_head = *where_of(ix, i);
        --ix->free_count;
    }
    *version_of(ix, i) = KEELI_DEAD | upper_of(e);
    *where_of(ix, i) = KEELI_HELD;
    ++ix->held;
}

void keeli_entity_index_release_all(keeli_entity_index *ix) {
    for (uint32_t i = 0; ix->held && i < ix->size; ++i) {
        const bool is_held = *where_of(ix, i) == KEELI_HELD && *version_of(ix, i) & KEELI_DEAD;
        if (is_held)
            keeli_entity_index_release(ix, handle(i, *version_of(ix, i) & ~KEELI_DEAD));
    }
}

// ------------------------------------------------------------------ copies
// Copies one page of both arrays; living entities have no row in the copy.
static bool copy_page(keeli_entity_index *to, const keeli_entity_index *from, keeli_heap *heap,
                      uint32_t p) {
    if (!own_page(to, heap, p * KEELI_PAGE))
        return false;
    memcpy(to->root.versions[p], from->root.versions[p], sizeof gap_versions);
    for (uint32_t i = 0; i < KEELI_PAGE; ++i) {
        const bool dead = from->root.versions[p][i] & KEELI_DEAD;
        to->root.where[p][i] = dead ? from->root.where[p][i] : KEELI_NO_ROW;
    }
    return true;
}

bool keeli_entity_index_copy(keeli_entity_index *to, const keeli_entity_index *from,
                             keeli_heap *heap) {
    keeli_entity_index pages = { 0 };
    for (uint32_t p = 0; p < from->root.page_count; ++p)
        if (from->root.versions[p] != gap_versions && !copy_page(&pages, from, heap, p)) {
            keeli_entity_index_deinit(&pages, heap);
            return false;
        }

    *to = *from; // copies the counts
    to->root = pages.root;
    to->versions = pages.versions;
    to->where = pages.where;
    to->bytes = pages.bytes;
    return true;
}

bool keeli_entity_index_reserve_all(keeli_entity_index *ix, keeli_heap *heap,
                                    const keeli_entity_index *from) {
    const bool done =
        keeli_pages_reserve(&ix->where, heap, &keeli_where_pages, &from->where, &ix->bytes) &&
        keeli_pages_reserve(&ix->versions, heap, &keeli_version_pages, &from->versions, &ix->bytes);
    update_root(ix);
    return done;
}

void keeli_entity_index_assign(keeli_entity_index *ix, const keeli_entity_index *from) {
    keeli_pages_assign(&ix->versions, &keeli_version_pages, &from->versions);
    keeli_pages_assign(&ix->where, &keeli_where_pages, &from->where);

    const keeli_entity_index own = *ix;
    *ix = *from; // copies the counts
    ix->first = own.first;
    ix->frees = own.frees + 1;
    ix->root = own.root;
    ix->versions = own.versions;
    ix->where = own.where;
    ix->bytes = own.bytes;
}

// ------------------------------------------------------------------ walking
keel_entity keeli_entity_index_next_free(const keeli_entity_index *ix, keel_entity after) {
    uint32_t i = ix->free_head;
    if (!keel_is_null(after)) {
        const uint32_t last = keeli_index_of(after);
        if (last >= ix->size || *version_of(ix, last) != (KEELI_DEAD | upper_of(after)) ||
            upper_of(after) >= KEELI_DEAD)
            return keel_null();
        i = *where_of(ix, last); // if `last` is not in the free list: a mark, which is above `size`
    }
    return i < ix->size ? handle(i, *version_of(ix, i) & ~KEELI_DEAD) : keel_null();
}

keel_entity keeli_entity_index_next(const keeli_entity_index *ix, uint32_t from) {
    for (uint32_t i = from; i < ix->size; ++i) {
        uint32_t *page = ix->root.versions[i / KEELI_PAGE], *at = &page[i % KEELI_PAGE];
        if (!*keeli_living_on_page(page))
            i |= KEELI_PAGE - 1;
        else if (!(*at & KEELI_DEAD))
            return handle(i, *at);
        else if (i % 4 == 0 && at[1] & at[2] & at[3] & KEELI_DEAD)
            i += 3;
    }
    return keel_null();
}

bool keeli_entity_index_living(const keeli_entity_index *ix, uint32_t page, uint64_t *words) {
    uint32_t *versions = ix->root.versions[page];
    if (!*keeli_living_on_page(versions))
        return false;
    for (uint32_t w = 0; w < KEELI_PAGE / 64; ++w) {
        words[w] = 0;
        for (uint32_t b = 0; b < 64; ++b)
            words[w] |= (uint64_t)(~versions[w * 64 + b] >> 31) << b;
    }
    return true;
}

// True if `version` and `where` are possible for a dead index. Without the top bit, `version` is
// the upper part of the next handle.
static bool is_dead_version_valid(uint32_t version, uint32_t where) {
    const uint32_t upper = version & ~KEELI_DEAD;
    if (where == KEELI_GAP)
        return version == gap_version;
    if (where == KEELI_RETIRED)
        return upper == 0;
    return upper != 0 && upper <= KEEL_MAX_ENTITY_VERSION + 1u;
}

bool keeli_entity_index_is_valid(const keeli_entity_index *ix) {
    uint32_t alive = 0, alive_on_page = 0, held = 0, retired = 0, gaps = 0, dead = 0, listed = 0;
    const uint64_t covered = (uint64_t)ix->root.page_count * KEELI_PAGE, size = ix->size;
    if (size > covered)
        return false;
    for (uint64_t at = 0; at < size; ++at) {
        const uint32_t i = (uint32_t)at;
        if (ix->root.versions[i / KEELI_PAGE] == gap_versions) { // all of its slots are gaps
            const uint64_t left = size - at;
            if (i < ix->gap_first)
                return false;
            gaps += left < KEELI_PAGE ? (uint32_t)left : KEELI_PAGE;
            at += KEELI_PAGE - 1;
            continue;
        }
        const uint32_t version = *version_of(ix, i), where = *where_of(ix, i);
        if (i % KEELI_PAGE == 0)
            alive_on_page = 0;
        alive_on_page += !(version & KEELI_DEAD);
        if ((i + 1) % KEELI_PAGE == 0 || i + 1 == ix->size)
            if (*living_around(ix, i) != alive_on_page)
                return false;
        if (!(version & KEELI_DEAD)) {
            ++alive;
            if (version == 0 || version > KEEL_MAX_ENTITY_VERSION + 1u)
                return false;
            continue;
        }
        if (!is_dead_version_valid(version, where))
            return false;
        if (where == KEELI_GAP && i < ix->gap_first)
            return false;
        if (where == KEELI_GAP)
            ++gaps;
        else if (where == KEELI_HELD)
            ++held;
        else if (where == KEELI_RETIRED)
            ++retired;
        else
            ++dead;
    }

    for (uint32_t i = ix->free_head; i != KEELI_FREE_END; i = *where_of(ix, i)) {
        if (i >= ix->size || !(*version_of(ix, i) & KEELI_DEAD) || listed++ > dead)
            return false;
    }
    return alive == keeli_entity_count(ix) && held == ix->held && retired == ix->retired &&
           gaps == ix->gap_count && dead == ix->free_count && listed == dead &&
           ix->root.versions == ix->versions.table;
}
