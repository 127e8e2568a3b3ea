// SPDX-License-Identifier: MIT
// Chains: an ordered list of sources for each target, for relations in which each source has one
// target at most. data/edges.h calls them, and stores all other relations itself. The record of a
// source links it to the sources before and behind it, so that an edit takes no search and
// allocates nothing but pages of records. Entities are indices here. Invariant: the stamps of a
// chain ascend, in the order in which its sources were added. A loop compares stamps to skip
// sources that were added after it began, and to find its position again if the source there was
// removed. Checked by keeli_chains_are_valid.
#pragma once
#include "base/memory.h"

#include <keel/walk.h>

// KEELI_EDGE_BLOCK adjacent edge lists, or records of chains, are a block and share one stamp.
// KEELI_EDGE_SPAN adjacent blocks are a span, which also has a stamp, so that a search skips spans
// without changes.
#define KEELI_EDGE_BLOCK 8u
#define KEELI_EDGE_SPAN 64u

// The parts of a relation whose blocks have stamps. A block of values is a page of slots.
typedef enum keeli_edge_part {
    KEELI_PART_SOURCES,
    KEELI_PART_TARGETS,
    KEELI_PART_VALUES
} keeli_edge_part;

// Stamps of blocks and of spans. A stamp is the epoch (world->epoch) of the last change.
typedef struct keeli_part_stamps {
    uint32_t *blocks, *spans;
} keeli_part_stamps;

// The stamps of a relation, while snapshots exist. Blocks from `count` on have no stamps, so they
// count as changed.
typedef struct keeli_edge_stamps {
    const uint32_t *epoch; // epoch of the world
    keeli_part_stamps parts[3];
    uint32_t count; // number of blocks, the same for each part
} keeli_edge_stamps;

// The blocks that changed in the epoch `since` or later. `stamps` NULL: all blocks.
typedef struct keeli_edge_changes {
    const keeli_edge_stamps *stamps;
    uint32_t since;
} keeli_edge_changes;

// Stamps a block as changed now. Atomic, as several threads may write values of one block.
static inline void keeli_edge_stamp_block(const keeli_edge_stamps *stamps, keeli_edge_part part,
                                          uint32_t block) {
    const keeli_part_stamps *of = &stamps->parts[part];
    if (block >= stamps->count)
        return;
    keeli_atomic_put(&of->blocks[block], *stamps->epoch);
    keeli_atomic_put(&of->spans[block / KEELI_EDGE_SPAN], *stamps->epoch);
}
// Stamps the block of an index.
static inline void keeli_edge_stamp(const keeli_edge_stamps *stamps, keeli_edge_part part,
                                    uint32_t index) {
    keeli_edge_stamp_block(stamps, part, index / KEELI_EDGE_BLOCK);
}
// Returns the first block at `block` or above that changed, or `end`.
uint32_t keeli_edge_next_changed(const keeli_edge_changes *changes, keeli_edge_part part,
                                 uint32_t block, uint32_t end);

// Return the record that an entity has as a source, and the one that it has as a target; NULL if
// the page of the record has no memory.
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
// Returns the record of a target that has sources.
static inline keeli_chain *keeli_chain_at(const keeli_chains *chains, uint32_t target) {
    return &chains->targets[target / KEELI_LINKS][target % KEELI_LINKS];
}
// Returns the target of an entity; null if it has none or the handle is not alive. The record has
// the version of a living entity, because deleting an entity removes its edges.
static inline keel_entity keeli_target_of(const keeli_chains *chains, keel_entity source) {
    const keeli_link *link = keeli_link_of(chains, keeli_index_of(source));
    const uint32_t version = (uint32_t)(source.bits >> KEEL_ENTITY_INDEX_BITS);
    return link && link->stamp && link->version == version ? link->target : keel_null();
}
static inline bool keeli_chains_have_target(const keeli_chains *chains, uint32_t source) {
    const keeli_link *link = keeli_link_of(chains, source);
    return link && link->stamp;
}
// Returns the handle of a source; null for KEELI_NO_EDGE.
static inline keel_entity keeli_source_at(const keeli_chains *chains, uint32_t source) {
    if (source == KEELI_NO_EDGE)
        return keel_null();
    return keeli_source_of(keeli_link_at(chains, source), source);
}
static inline uint32_t keeli_chain_count(const keeli_chains *chains, uint32_t target) {
    const keeli_chain *chain = keeli_chain_of(chains, target);
    return chain ? chain->count : 0;
}

// Allocates the page of a source, or of a target. False when out of memory.
bool keeli_chains_reserve_source(keeli_chains *chains, keeli_heap *heap, uint32_t source);
bool keeli_chains_reserve_target(keeli_chains *chains, keeli_heap *heap, uint32_t target);
// Stamp what an edit is about to change, if snapshots exist: the records that a source is appended
// to, those that the removal of a source changes, and those of all sources of a target. The inline
// edits of one source do not call these functions: the call would make the compiler save six
// registers (benchmarks rel_relate and hier_attach). So the caller stamps before the edit.
void keeli_chains_stamp_append(const keeli_chains *chains, uint32_t source, uint32_t target);
void keeli_chains_stamp_remove(const keeli_chains *chains, uint32_t source);
void keeli_chains_stamp_all(const keeli_chains *chains, uint32_t target);
// Gives the sources of a chain the stamps from 1 on, when all 32-bit stamps are used up.
void keeli_chain_renumber(const keeli_chains *chains, keeli_chain *chain);

// Appends `source`, which has no target, to the chain of `target`, after both reserves. `link` and
// `chain` are their records.
static inline void keeli_chains_append(const keeli_chains *chains, keeli_link *link,
                                       keeli_chain *chain, keel_entity source, keel_entity target) {
    const uint32_t index = keeli_index_of(source);
    const uint32_t version = (uint32_t)(source.bits >> KEEL_ENTITY_INDEX_BITS);
    if (chain->stamp == UINT32_MAX)
        keeli_chain_renumber(chains, chain);
    *link = (keeli_link){ target, chain->last, KEELI_NO_EDGE, ++chain->stamp, version };
    if (chain->count++) {
        keeli_link_at(chains, chain->last)->next = index;
    } else {
        link->previous = KEELI_NO_EDGE;
        chain->first = index;
    }
    chain->last = index;
}
// Removes a source that has a target from its chain, and returns the chain.
static inline const keeli_chain *keeli_chains_remove(const keeli_chains *chains, uint32_t source) {
    keeli_link *link = keeli_link_at(chains, source);
    keeli_chain *chain = keeli_chain_at(chains, keeli_index_of(link->target));
    const uint32_t previous = link->previous, next = link->next;

    if (previous == KEELI_NO_EDGE)
        chain->first = next;
    else
        keeli_link_at(chains, previous)->next = next;
    if (next == KEELI_NO_EDGE)
        chain->last = previous;
    else
        keeli_link_at(chains, next)->previous = previous;

    --chain->count;
    link->stamp = 0;
    return chain;
}
// Removes all sources of a target from its chain.
void keeli_chains_remove_all(keeli_chains *chains, uint32_t target);
// Returns the first source of `target` whose stamp is above `stamp`, or KEELI_NO_EDGE. The search
// begins at the source `hint` if that is in the chain and has a stamp of at most `stamp`; otherwise
// at the first source.
uint32_t keeli_chains_behind(const keeli_chains *chains, uint32_t target, uint32_t hint,
                             uint32_t stamp);
// Reorders the sources of a target. `first` is the first source of the new order. The caller has
// stored in the `previous` of each source which source follows it.
void keeli_chains_relink(keeli_chains *chains, uint32_t target, uint32_t first);
// Returns the first index at `from` or above that has a target, or KEELI_NO_EDGE.
uint32_t keeli_chains_next_source(const keeli_chains *chains, uint32_t from);

void keeli_chains_clear(keeli_chains *chains, keeli_heap *heap);
// Frees pages without links.
void keeli_chains_trim(keeli_chains *chains, keeli_heap *heap);
// reserve_like makes room for a copy of the records of `from` in blocks that changed; false when
// out of memory. assign then copies them. All other records must be the same in both.
bool keeli_chains_reserve_like(keeli_chains *to, const keeli_chains *from, keeli_heap *heap,
                               const keeli_edge_changes *changes);
void keeli_chains_assign(keeli_chains *to, const keeli_chains *from,
                         const keeli_edge_changes *changes);
// True if both have the same chains.
bool keeli_chains_are_same(const keeli_chains *a, const keeli_chains *b);
// True if every chain agrees with the records of its sources, and `count` sources have a target.
bool keeli_chains_are_valid(const keeli_chains *chains, uint32_t count);
