// SPDX-License-Identifier: MIT
// Chains of sources: pages of records, searches, copies and operations on whole chains. Appending
// and removing one source is inline in the header, which has the invariant.
#include "data/chains.h"

#include <string.h>

enum { BLOCKS = KEELI_LINKS / KEELI_EDGE_BLOCK }; // blocks of stamps on a page

// ------------------------------------------------------------------ memory
static bool reserve_link_page(keeli_heap *heap, void ***pages, uint32_t *capacity, uint32_t index,
                              size_t size, size_t *bytes) {
    const uint32_t page = index / KEELI_LINKS;
    if (page >= *capacity) {
        void *table = keeli_table_grow(heap, *pages, capacity, page + 1, bytes);
        if (!table)
            return false;
        *pages = table;
    }
    if ((*pages)[page])
        return true;
    (*pages)[page] = keeli_new_zeroed(heap, KEELI_LINKS * size, _Alignof(keel_entity));
    if (!(*pages)[page])
        return false;
    *bytes += KEELI_LINKS * size;
    return true;
}

bool keeli_chains_reserve_source(keeli_chains *chains, keeli_heap *heap, uint32_t source) {
    if (keeli_link_of(chains, source))
        return true;
    return reserve_link_page(heap, (void ***)&chains->sources, &chains->source_capacity, source,
                             sizeof(keeli_link), &chains->bytes);
}

bool keeli_chains_reserve_target(keeli_chains *chains, keeli_heap *heap, uint32_t target) {
    if (keeli_chain_of(chains, target))
        return true;
    return reserve_link_page(heap, (void ***)&chains->targets, &chains->target_capacity, target,
                             sizeof(keeli_chain), &chains->bytes);
}

static void free_link_page(keeli_chains *chains, keeli_heap *heap, void *page, size_t size) {
    if (!page)
        return;
    keeli_free(heap, page, KEELI_LINKS * size, _Alignof(keel_entity));
    chains->bytes -= KEELI_LINKS * size;
}

void keeli_chains_clear(keeli_chains *chains, keeli_heap *heap) {
    for (uint32_t page = 0; page < chains->source_capacity; ++page)
        free_link_page(chains, heap, chains->sources[page], sizeof(keeli_link));
    for (uint32_t page = 0; page < chains->target_capacity; ++page)
        free_link_page(chains, heap, chains->targets[page], sizeof(keeli_chain));
    keeli_table_free(heap, chains->sources, chains->source_capacity);
    keeli_table_free(heap, chains->targets, chains->target_capacity);
    *chains = (keeli_chains){ .stamps = chains->stamps };
}

static bool has_links(const keeli_link *page) {
    for (uint32_t i = 0; i < KEELI_LINKS; ++i)
        if (page[i].stamp)
            return true;
    return false;
}

static bool has_chains(const keeli_chain *page) {
    for (uint32_t i = 0; i < KEELI_LINKS; ++i)
        if (page[i].count)
            return true;
    return false;
}

void keeli_chains_trim(keeli_chains *chains, keeli_heap *heap) {
    for (uint32_t page = 0; page < chains->source_capacity; ++page) {
        if (!chains->sources[page] || has_links(chains->sources[page]))
            continue;
        free_link_page(chains, heap, chains->sources[page], sizeof(keeli_link));
        chains->sources[page] = NULL;
    }

    for (uint32_t page = 0; page < chains->target_capacity; ++page) {
        if (!chains->targets[page] || has_chains(chains->targets[page]))
            continue;
        free_link_page(chains, heap, chains->targets[page], sizeof(keeli_chain));
        chains->targets[page] = NULL;
    }
}

// ------------------------------------------------------------------ changing
void keeli_chains_stamp_append(const keeli_chains *chains, uint32_t source, uint32_t target) {
    const keeli_edge_stamps *stamps = chains->stamps;
    const keeli_chain *chain = keeli_chain_of(chains, target);
    if (!stamps)
        return;
    keeli_edge_stamp(stamps, KEELI_PART_SOURCES, source);
    keeli_edge_stamp(stamps, KEELI_PART_TARGETS, target);
    if (chain && chain->count)
        keeli_edge_stamp(stamps, KEELI_PART_SOURCES, chain->last);
}

void keeli_chains_stamp_remove(const keeli_chains *chains, uint32_t source) {
    const keeli_edge_stamps *stamps = chains->stamps;
    const keeli_link *link = keeli_link_at(chains, source);
    if (!stamps)
        return;
    keeli_edge_stamp(stamps, KEELI_PART_SOURCES, source);
    keeli_edge_stamp(stamps, KEELI_PART_TARGETS, keeli_index_of(link->target));
    if (link->previous != KEELI_NO_EDGE)
        keeli_edge_stamp(stamps, KEELI_PART_SOURCES, link->previous);
    if (link->next != KEELI_NO_EDGE)
        keeli_edge_stamp(stamps, KEELI_PART_SOURCES, link->next);
}

void keeli_chains_stamp_all(const keeli_chains *chains, uint32_t target) {
    const keeli_edge_stamps *stamps = chains->stamps;
    const keeli_chain *chain = keeli_chain_of(chains, target);
    if (!stamps || !chain)
        return;
    keeli_edge_stamp(stamps, KEELI_PART_TARGETS, target);
    uint32_t source = chain->first;
    for (uint32_t left = chain->count; left; --left) {
        keeli_edge_stamp(stamps, KEELI_PART_SOURCES, source);
        source = keeli_link_at(chains, source)->next;
    }
}

void keeli_chain_renumber(const keeli_chains *chains, keeli_chain *chain) {
    uint32_t stamp = 0, source = chain->first;
    if (chain->count)
        keeli_chains_stamp_all(chains, keeli_index_of(keeli_link_at(chains, source)->target));
    for (uint32_t left = chain->count; left; --left) {
        keeli_link *link = keeli_link_at(chains, source);
        link->stamp = ++stamp;
        source = link->next;
    }
    chain->stamp = stamp;
}

void keeli_chains_remove_all(keeli_chains *chains, uint32_t target) {
    keeli_chain *chain = keeli_chain_at(chains, target);
    uint32_t source = chain->first;
    keeli_chains_stamp_all(chains, target);
    for (; chain->count; --chain->count) {
        keeli_link *link = keeli_link_at(chains, source);
        link->stamp = 0;
        source = link->next;
    }
}

void keeli_chains_relink(keeli_chains *chains, uint32_t target, uint32_t first) {
    keeli_chain *chain = keeli_chain_at(chains, target);
    // ends with chain->stamp: loops compare later stamps with it, so it must not fall
    uint32_t stamp = chain->stamp - chain->count, source = first, before = KEELI_NO_EDGE;
    for (uint32_t left = chain->count; left; --left) {
        keeli_link *link = keeli_link_at(chains, source);
        const uint32_t next = link->previous;
        link->previous = before;
        link->next = left > 1 ? next : KEELI_NO_EDGE;
        link->stamp = ++stamp;
        before = source;
        source = next;
    }
    chain->first = first;
    chain->last = before;
    keeli_chains_stamp_all(chains, target);
}

// ------------------------------------------------------------------ looking
uint32_t keeli_chains_behind(const keeli_chains *chains, uint32_t target, uint32_t hint,
                             uint32_t stamp) {
    const keeli_chain *chain = keeli_chain_of(chains, target);
    if (!chain || !chain->count)
        return KEELI_NO_EDGE;

    const keeli_link *from = keeli_link_of(chains, hint);
    const bool is_there =
        from && from->stamp && keeli_index_of(from->target) == target && from->stamp <= stamp;
    uint32_t source = is_there ? from->next : chain->first;
    while (source != KEELI_NO_EDGE && keeli_link_at(chains, source)->stamp <= stamp)
        source = keeli_link_at(chains, source)->next;
    return source;
}

uint32_t keeli_chains_next_source(const keeli_chains *chains, uint32_t from) {
    const uint32_t end = chains->source_capacity * KEELI_LINKS;
    for (uint32_t i = from; i < end; ++i) {
        const keeli_link *page = chains->sources[i / KEELI_LINKS];
        if (!page)
            i |= KEELI_LINKS - 1;
        else if (page[i % KEELI_LINKS].stamp)
            return i;
    }
    return KEELI_NO_EDGE;
}

// ------------------------------------------------------------------ copying
uint32_t keeli_edge_next_changed(const keeli_edge_changes *changes, keeli_edge_part part,
                                 uint32_t block, uint32_t end) {
    const keeli_edge_stamps *stamps = changes->stamps;
    if (!stamps)
        return keeli_least(block, end);

    const keeli_part_stamps *of = &stamps->parts[part];
    const uint32_t since = changes->since, known = keeli_least(end, stamps->count);
    while (block < known && of->blocks[block] < since) {
        const bool skips = of->spans[block / KEELI_EDGE_SPAN] < since;
        block = keeli_least(skips ? (block | (KEELI_EDGE_SPAN - 1)) + 1 : block + 1, known);
    }
    return keeli_least(block, end);
}

// Returns the records of a block on a page of links, or of chains; NULL if the page has no memory.
static char *block_of(void *const *pages, uint32_t capacity, uint32_t block, size_t bytes) {
    const uint32_t page = block / BLOCKS;
    return page < capacity && pages[page] ? (char *)pages[page] + block % BLOCKS * bytes : NULL;
}

// Copies the records of changed blocks: of links, or of chains, `bytes` for each block. A block
// without memory in `from` has no records.
static void assign_blocks(const keeli_chains *to, keeli_edge_part part, void *const *to_pages,
                          uint32_t to_capacity, void *const *from_pages, uint32_t from_capacity,
                          size_t bytes, const keeli_edge_changes *changes) {
    const uint32_t end = to_capacity * BLOCKS;
    for (uint32_t b = 0; (b = keeli_edge_next_changed(changes, part, b, end)) < end; ++b) {
        char *own = block_of(to_pages, to_capacity, b, bytes);
        const char *other = block_of(from_pages, from_capacity, b, bytes);
        if (own && other)
            memcpy(own, other, bytes);
        else if (own)
            memset(own, 0, bytes);
        if (to->stamps)
            keeli_edge_stamp_block(to->stamps, part, b);
    }
}

bool keeli_chains_reserve_like(keeli_chains *to, const keeli_chains *from, keeli_heap *heap,
                               const keeli_edge_changes *changes) {
    const uint32_t links = from->source_capacity * BLOCKS, chains = from->target_capacity * BLOCKS;
    for (uint32_t b = 0;
         (b = keeli_edge_next_changed(changes, KEELI_PART_SOURCES, b, links)) < links; ++b)
        if (from->sources[b / BLOCKS] &&
            !keeli_chains_reserve_source(to, heap, b * KEELI_EDGE_BLOCK))
            return false;
    for (uint32_t b = 0;
         (b = keeli_edge_next_changed(changes, KEELI_PART_TARGETS, b, chains)) < chains; ++b)
        if (from->targets[b / BLOCKS] &&
            !keeli_chains_reserve_target(to, heap, b * KEELI_EDGE_BLOCK))
            return false;
    return true;
}

void keeli_chains_assign(keeli_chains *to, const keeli_chains *from,
                         const keeli_edge_changes *changes) {
    assign_blocks(to, KEELI_PART_SOURCES, (void *const *)to->sources, to->source_capacity,
                  (void *const *)from->sources, from->source_capacity,
                  KEELI_EDGE_BLOCK * sizeof(keeli_link), changes);
    assign_blocks(to, KEELI_PART_TARGETS, (void *const *)to->targets, to->target_capacity,
                  (void *const *)from->targets, from->target_capacity,
                  KEELI_EDGE_BLOCK * sizeof(keeli_chain), changes);
}

// ------------------------------------------------------------------ checking
// Returns the number of sources in the chain of a target, or UINT32_MAX if a record is wrong.
static uint32_t chain_is_valid(const keeli_chains *chains, uint32_t target) {
    const keeli_chain *chain = keeli_chain_of(chains, target);
    uint32_t previous = KEELI_NO_EDGE, stamp = 0, source = chain->first;
    for (uint32_t i = 0; i < chain->count; ++i) {
        const keeli_link *link = keeli_link_of(chains, source);
        if (!link || keeli_index_of(link->target) != target || link->previous != previous ||
            link->stamp <= stamp)
            return UINT32_MAX;
        previous = source;
        stamp = link->stamp;
        source = link->next;
    }
    const bool ends = !chain->count || (source == KEELI_NO_EDGE && chain->last == previous);
    return ends && stamp <= chain->stamp ? chain->count : UINT32_MAX;
}

bool keeli_chains_are_valid(const keeli_chains *chains, uint32_t count) {
    uint32_t sources = 0, in_chains = 0;
    for (uint32_t i = 0; (i = keeli_chains_next_source(chains, i)) != KEELI_NO_EDGE; ++i)
        ++sources;
    for (uint32_t i = 0; i < chains->target_capacity * KEELI_LINKS; ++i) {
        if (!chains->targets[i / KEELI_LINKS]) {
            i |= KEELI_LINKS - 1;
            continue;
        }
        const uint32_t has = chain_is_valid(chains, i);
        if (has == UINT32_MAX)
            return false;
        in_chains += has;
    }
    return sources == count && in_chains == count;
}

// True if each source of `a` has the same record in `b`.
static bool has_links_of(const keeli_chains *a, const keeli_chains *b) {
    for (uint32_t i = 0; (i = keeli_chains_next_source(a, i)) != KEELI_NO_EDGE; ++i) {
        const keeli_link *x = keeli_link_at(a, i), *y = keeli_link_of(b, i);
        if (!y || !keel_is_same(x->target, y->target) || x->previous != y->previous ||
            x->next != y->next || x->stamp != y->stamp || x->version != y->version)
            return false;
    }
    return true;
}

bool keeli_chains_are_same(const keeli_chains *a, const keeli_chains *b) {
    const uint32_t pages =
        a->target_capacity < b->target_capacity ? b->target_capacity : a->target_capacity;
    for (uint32_t i = 0; i < pages * KEELI_LINKS; ++i) {
        const keeli_chain *x = keeli_chain_of(a, i), *y = keeli_chain_of(b, i);
        const uint32_t count = x ? x->count : 0;
        if (count != (y ? y->count : 0))
            return false;
        if (count && (x->first != y->first || x->last != y->last || x->stamp != y->stamp))
            return false;
    }
    return has_links_of(a, b) && has_links_of(b, a);
}
