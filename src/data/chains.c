// SPDX-License-Identifier: MIT
// Chains of sources: pages of records, searches, copies and operations on whole chains. Appending
// and removing one source is inline in the header, which has the invariant.
#include "data/chains.h"

#include <string.h>

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
    *chains = (keeli_chains){ 0 };
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
void keeli_chain_renumber(const keeli_chains *chains, keeli_chain *chain) {
    uint32_t stamp = 0, source = chain->first;
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
bool keeli_chains_reserve_like(keeli_chains *to, const keeli_chains *from, keeli_heap *heap) {
    for (uint32_t page = 0; page < from->source_capacity; ++page)
        if (from->sources[page] && !keeli_chains_reserve_source(to, heap, page * KEELI_LINKS))
            return false;
    for (uint32_t page = 0; page < from->target_capacity; ++page)
        if (from->targets[page] && !keeli_chains_reserve_target(to, heap, page * KEELI_LINKS))
            return false;
    return true;
}

void keeli_chains_assign(keeli_chains *to, const keeli_chains *from) {
    const size_t source_bytes = KEELI_LINKS * sizeof(keeli_link);
    for (uint32_t page = 0; page < to->source_capacity; ++page) {
        const bool has_page = page < from->source_capacity && from->sources[page];
        if (has_page)
            memcpy(to->sources[page], from->sources[page], source_bytes);
        else if (to->sources[page])
            memset(to->sources[page], 0, source_bytes);
    }

    const size_t target_bytes = KEELI_LINKS * sizeof(keeli_chain);
    for (uint32_t page = 0; page < to->target_capacity; ++page) {
        const bool has_page = page < from->target_capacity && from->targets[page];
        if (has_page)
            memcpy(to->targets[page], from->targets[page], target_bytes);
        else if (to->targets[page])
            memset(to->targets[page], 0, target_bytes);
    }
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
