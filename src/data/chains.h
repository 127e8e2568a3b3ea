// SPDX-License-Identifier: MIT
// Chains: an ordered list of sources for each target, where a source has one target at most
// (data/edges.h is the door, and keeps what may have several). Each source knows the one before it
// and the one behind it, so an edit takes no search and no memory but pages by index. Entities are
// indices here. Invariant: the stamps of a chain ascend. They say when a source was related: a loop
// knows by them what was related after it began, and where it was when its place has left the
// chain. Checked by keeli_chains_are_valid.
#pragma once
#include "base/memory.h"

#define KEELI_NO_EDGE UINT32_MAX // no source, and no place in a list

typedef struct keeli_link { // of a source
    uint32_t target;
    uint32_t previous, next; // in the chain of the target; KEELI_NO_EDGE at its ends
    uint32_t stamp;          // 0: it has no target
} keeli_link;

typedef struct keeli_chain { // of a target
    uint32_t first, last;    // its sources, if it has any
    uint32_t count;
    uint32_t stamp; // the latest that it gave to a source
} keeli_chain;

typedef struct keeli_chains {
    keeli_link **sources; // pages by index; NULL: no source of the page was ever related
    keeli_chain **targets;
    uint32_t source_capacity, target_capacity;
    size_t bytes;
} keeli_chains;

// The record of an index, or NULL if its page is not there.
static inline keeli_link *keeli_link_of(const keeli_chains *chains, uint32_t source) {
    const uint32_t page = source / KEELI_PAGE;
    return page < chains->source_capacity && chains->sources[page]
               ? &chains->sources[page][source % KEELI_PAGE]
               : NULL;
}
static inline keeli_chain *keeli_chain_of(const keeli_chains *chains, uint32_t target) {
    const uint32_t page = target / KEELI_PAGE;
    return page < chains->target_capacity && chains->targets[page]
               ? &chains->targets[page][target % KEELI_PAGE]
               : NULL;
}
// The record of a source that has a target, and of a target that has sources.
static inline keeli_link *keeli_link_at(const keeli_chains *chains, uint32_t source) {
    return &chains->sources[source / KEELI_PAGE][source % KEELI_PAGE];
}
static inline keeli_chain *keeli_chain_at(const keeli_chains *chains, uint32_t target) {
    return &chains->targets[target / KEELI_PAGE][target % KEELI_PAGE];
}
static inline bool keeli_chains_have_target(const keeli_chains *chains, uint32_t source) {
    const keeli_link *link = keeli_link_of(chains, source);
    return link && link->stamp;
}
static inline uint32_t keeli_chain_count(const keeli_chains *chains, uint32_t target) {
    const keeli_chain *chain = keeli_chain_of(chains, target);
    return chain ? chain->count : 0;
}

// Allocates the pages that linking `source` to `target` needs. False when out of memory.
bool keeli_chains_reserve(keeli_chains *chains, keeli_heap *heap, uint32_t source, uint32_t target);
bool keeli_chains_reserve_source(keeli_chains *chains, keeli_heap *heap, uint32_t source);
bool keeli_chains_reserve_target(keeli_chains *chains, keeli_heap *heap, uint32_t target);
// Numbers the sources of a full chain from 1 on: the stamps of a target are used up.
void keeli_chain_renumber(const keeli_chains *chains, keeli_chain *chain);

// Makes `source`, which has no target, the last source of a target. There is room.
static inline void keeli_chains_append(const keeli_chains *chains, keeli_link *link,
                                       keeli_chain *chain, uint32_t source, uint32_t target) {
    if (chain->stamp == UINT32_MAX) keeli_chain_renumber(chains, chain);
    const uint32_t last = chain->count++ ? chain->last : KEELI_NO_EDGE;
    *link = (keeli_link){ target, last, KEELI_NO_EDGE, ++chain->stamp };
    chain->last = source;
    if (last == KEELI_NO_EDGE) chain->first = source;
    else keeli_link_at(chains, last)->next = source;
}
// Takes a source that has a target out of its chain. The chain keeps its latest stamp.
void keeli_chains_remove(keeli_chains *chains, uint32_t source);
// Takes all sources of a target out of its chain.
void keeli_chains_remove_all(keeli_chains *chains, uint32_t target);
// Returns the first source of `target` whose stamp is above `stamp`; KEELI_NO_EDGE: there is none.
// It looks from `hint` on if that is a source of `target` with a stamp of at most `stamp`, else
// from the first one.
uint32_t keeli_chains_behind(const keeli_chains *chains, uint32_t target, uint32_t hint,
                             uint32_t stamp);
// Puts the sources of a target, all of them, in another order.
void keeli_chains_order(keeli_chains *chains, uint32_t target, const uint32_t *sources);
// Returns the first source at `from` or above that has a target; KEELI_NO_EDGE: there is none.
uint32_t keeli_chains_next_source(const keeli_chains *chains, uint32_t from);

void keeli_chains_clear(keeli_chains *chains, keeli_heap *heap);
// Frees pages without links.
void keeli_chains_trim(keeli_chains *chains, keeli_heap *heap);
// Makes room for a copy of all links of `from`, which may fail; then makes `to` that copy.
bool keeli_chains_reserve_like(keeli_chains *to, const keeli_chains *from, keeli_heap *heap);
void keeli_chains_assign(keeli_chains *to, const keeli_chains *from);
// Counts the targets that have sources, or the sources that have a target.
uint32_t keeli_chains_ends(const keeli_chains *chains, bool of_targets);
// True if every chain and every record agree, and there are `count` links.
bool keeli_chains_are_valid(const keeli_chains *chains, uint32_t count);
