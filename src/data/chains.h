// SPDX-License-Identifier: MIT
// Chains: an ordered list of sources for each target, where a source has one target at most
// (data/edges.h is the door, and keeps what may have several). Each source knows the one before it
// and the one behind it, so an edit takes no search and no memory but pages by index. Entities are
// indices here. Invariant: the stamps of a chain ascend. They say when a source was related: a loop
// knows by them what was related after it began, and where it was when its place has left the
// chain. Checked by keeli_chains_are_valid.
#pragma once
#include "base/memory.h"

#include <keel/walk.h>

// The record of an index, or NULL if its page is not there.
static inline keeli_link *keeli_link_of(const keeli_chains *chains, uint32_t source) {
    const uint32_t page = source / KEELI_LINKS;
    return page < chains->source_capacity && chains->sources[page]
               ? &chains->sources[page][source % KEELI_LINKS]
               : NULL;
}
static inline keeli_chain *keeli_chain_of(const keeli_chains *chains, uint32_t target) {
    const uint32_t page = target / KEELI_LINKS;
    return page < chains->target_capacity && chains->targets[page]
               ? &chains->targets[page][target % KEELI_LINKS]
               : NULL;
}
// The record of a target that has sources.
static inline keeli_chain *keeli_chain_at(const keeli_chains *chains, uint32_t target) {
    return &chains->targets[target / KEELI_LINKS][target % KEELI_LINKS];
}
// Returns the target of an entity; null if it has none or the handle is not that of a living
// entity: links of dead ones are removed.
static inline keel_entity keeli_target_of(const keeli_chains *chains, keel_entity source) {
    const keeli_link *link = keeli_link_of(chains, keeli_index_of(source));
    const uint32_t version = (uint32_t)(source.bits >> KEEL_ENTITY_INDEX_BITS);
    return link && link->stamp && link->version == version ? link->target : keel_null();
}
static inline bool keeli_chains_have_target(const keeli_chains *chains, uint32_t source) {
    const keeli_link *link = keeli_link_of(chains, source);
    return link && link->stamp;
}
// The handle of a source; null for KEELI_NO_EDGE.
static inline keel_entity keeli_source_at(const keeli_chains *chains, uint32_t source) {
    if (source == KEELI_NO_EDGE) return keel_null();
    return keeli_source_of(keeli_link_at(chains, source), source);
}
static inline uint32_t keeli_chain_count(const keeli_chains *chains, uint32_t target) {
    const keeli_chain *chain = keeli_chain_of(chains, target);
    return chain ? chain->count : 0;
}

// Allocates the page of a source, or of a target. False when out of memory.
bool keeli_chains_reserve_source(keeli_chains *chains, keeli_heap *heap, uint32_t source);
bool keeli_chains_reserve_target(keeli_chains *chains, keeli_heap *heap, uint32_t target);
// Numbers the sources of a full chain from 1 on: the stamps of a target are used up.
void keeli_chain_renumber(const keeli_chains *chains, keeli_chain *chain);

// Makes `source`, which has no target, the last source of a target. There is room.
static inline void keeli_chains_append(const keeli_chains *chains, keeli_link *link,
                                       keeli_chain *chain, keel_entity source, keel_entity target) {
    const uint32_t index = keeli_index_of(source);
    const uint32_t version = (uint32_t)(source.bits >> KEEL_ENTITY_INDEX_BITS);
    if (chain->stamp == UINT32_MAX) keeli_chain_renumber(chains, chain);
    *link = (keeli_link){ target, chain->last, KEELI_NO_EDGE, ++chain->stamp, version };
    if (chain->count++) {
        keeli_link_at(chains, chain->last)->next = index;
    } else {
        link->previous = KEELI_NO_EDGE;
        chain->first = index;
    }
    chain->last = index;
}
// Takes a source that has a target out of its chain, which is returned and keeps its latest stamp.
static inline const keeli_chain *keeli_chains_remove(const keeli_chains *chains, uint32_t source) {
    keeli_link *link = keeli_link_at(chains, source);
    keeli_chain *chain = keeli_chain_at(chains, keeli_index_of(link->target));
    const uint32_t previous = link->previous, next = link->next;

    if (previous == KEELI_NO_EDGE) chain->first = next;
    else keeli_link_at(chains, previous)->next = next;
    if (next == KEELI_NO_EDGE) chain->last = previous;
    else keeli_link_at(chains, next)->previous = previous;

    --chain->count;
    link->stamp = 0;
    return chain;
}
// Takes all sources of a target out of its chain.
void keeli_chains_remove_all(keeli_chains *chains, uint32_t target);
// Returns the first source of `target` whose stamp is above `stamp`; KEELI_NO_EDGE: there is none.
// It looks from `hint` on if that is a source of `target` with a stamp of at most `stamp`, else
// from the first one.
uint32_t keeli_chains_behind(const keeli_chains *chains, uint32_t target, uint32_t hint,
                             uint32_t stamp);
// Puts the sources of a target in the order of a list that begins with `first` and is linked by
// `previous`.
void keeli_chains_relink(keeli_chains *chains, uint32_t target, uint32_t first);
// Returns the first source at `from` or above that has a target; KEELI_NO_EDGE: there is none.
uint32_t keeli_chains_next_source(const keeli_chains *chains, uint32_t from);

void keeli_chains_clear(keeli_chains *chains, keeli_heap *heap);
// Frees pages without links.
void keeli_chains_trim(keeli_chains *chains, keeli_heap *heap);
// Makes room for a copy of all links of `from`, which may fail; then makes `to` that copy.
bool keeli_chains_reserve_like(keeli_chains *to, const keeli_chains *from, keeli_heap *heap);
void keeli_chains_assign(keeli_chains *to, const keeli_chains *from);
// True if every chain and every record agree, and there are `count` links.
bool keeli_chains_are_valid(const keeli_chains *chains, uint32_t count);
