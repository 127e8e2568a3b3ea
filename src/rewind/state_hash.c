// SPDX-License-Identifier: MIT
// The hash of all state that a snapshot copies (keeli_state_hash), for tests of replays. It changes
// nothing. State with an order is hashed in that order. Readers and nodes, which are only found by
// address, have no order: the sum of their hashes counts.
#include "rewind/snapshot.h"

#include "base/bytes.h"
#include "edit/edit.h"
#include "link/relation.h"
#include "rewind/image.h"
#include "rewind/runs.h"

#include <string.h>

// Returns the hash of what was hashed before and a number.
static uint64_t mix(uint64_t hash, uint64_t number) {
    return keeli_hash_mix(hash ^ number) + number;
}
static uint64_t mix_text(uint64_t hash, const char *text) {
    return keeli_hash(text ? text : "", text ? strlen(text) : 0, hash);
}

static uint64_t hash_entities(const keeli_entity_index *ix, uint64_t hash) {
    const uint32_t counts[] = { ix->size,       ix->held,      ix->retired,  ix->free_head,
                                ix->free_count, ix->gap_first, ix->gap_count };
    for (uint32_t i = 0; i < sizeof counts / sizeof *counts; ++i)
        hash = mix(hash, counts[i]);

    for (uint32_t i = 0; i < ix->size; ++i) {
        const uint32_t version = ix->root.versions[i / KEELI_PAGE][i % KEELI_PAGE];
        hash = mix(hash, version);
        if (version & KEELI_DEAD) hash = mix(hash, *keeli_row_of(ix, i)); // the next free index
    }
    return hash;
}

static uint64_t hash_rows(const keeli_archetypes *a, uint64_t hash) {
    for (uint32_t i = 0; i < a->count; ++i) {
        const keeli_archetype *archetype = a->all[i];
        hash = mix(hash, archetype->column_count);

        for (uint32_t c = 0; c < archetype->column_count; ++c)
            hash = mix(hash, archetype->columns[c]->number);
        for (uint32_t b = 0; b < archetype->block_count; ++b)
            for (uint32_t row = 0; row < archetype->blocks[b]->count; ++row)
                hash = mix(hash, archetype->blocks[b]->entities[row].bits);
    }
    return hash;
}

// ------------------------------------------------------------------ one storage
static uint64_t hash_ticks(const keeli_storage *s, const keeli_ticks *t, uint64_t hash) {
    const keeli_presence *const bits[] = { &s->presence, &s->disabled };
    for (uint32_t k = 0; k < 2; ++k)
        for (uint32_t i = 0; (i = keeli_presence_next(bits[k], i)) != UINT32_MAX; ++i)
            hash = mix(hash, keeli_ticks_get(t, i));

    hash = mix(mix(mix(hash, t->latest), t->log_from), t->log_capacity);
    for (uint32_t i = 0; i < t->log_count; ++i)
        hash = mix(mix(hash, t->log[i].index), t->log[i].tick);
    return hash;
}

static uint64_t hash_queue(const keeli_storage *s, const keeli_queue *q, uint64_t hash) {
    const uint64_t numbers[] = { q->begin,      q->count,       q->limit,
                                 q->fresh,      q->cleared[0],  q->cleared[1],
                                 q->world.next, q->world_reads, q->dropped_tick };
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        hash = mix(hash, numbers[i]);

    for (uint64_t i = q->begin; i < keeli_queue_end(q); ++i) {
        const keeli_removed *removed = q->of_removed ? keeli_queue_removed_at(q, i) : NULL;
        if (removed) hash = mix(mix(hash, removed->entity.bits), removed->tick + removed->deleted);
        if (keeli_queue_has_value(q, i)) hash = keeli_hash_value(s, keeli_queue_at(q, i), hash);
    }

    uint64_t readers = 0;
    for (uint32_t i = 0; i < q->readers.count; ++i) {
        const keeli_queue_reader *r = &q->readers.items[i];
        readers += mix_text(mix(mix(r->next, r->shown), r->is_system), r->reader->name);
    }
    return mix(hash, readers);
}

static uint64_t hash_edges(keeli_end end, const keeli_storage *s, uint64_t hash) {
    const keeli_edges *edges = &s->relation->edges;
    const bool has_values = end == KEELI_TARGETS && keeli_edges_have_values(edges);
    for (uint32_t i = 0; (i = keeli_store_next(s, i)) != UINT32_MAX; ++i)
        KEELI_EACH_EDGE(at, edges, end, i) {
            hash = mix(mix(hash, i), keeli_edge_other(edges, end, i, at));
            if (has_values) hash = keeli_hash_value(s, keeli_edge_value(edges, i, at), hash);
        }
    return hash;
}

static uint64_t hash_values(const keeli_storage *s, uint64_t hash) {
    for (uint32_t at = 0, i; (i = keeli_store_in_order(s, &at)) != UINT32_MAX; ++at) {
        hash = mix(hash, i);
        if (!s->size) continue;

        const void *value = keeli_store_is_sparse(s) ? keeli_sparse_set_value(&s->set, at)
                                                     : keeli_store_value_there(s, i);
        hash = keeli_hash_value(s, value, hash);
    }

    for (uint32_t i = 0; (i = keeli_presence_next(&s->disabled, i)) != UINT32_MAX; ++i) {
        hash = mix(hash, i);
        if (s->size) hash = keeli_hash_value(s, keeli_store_disabled_value(s, i), hash);
    }
    return hash;
}

static uint64_t hash_storage(const keeli_storage *s, uint64_t hash) {
    const uint64_t numbers[] = { s->presence.count, s->disabled.count,   s->set_at,
                                 s->changed_at,     s->cleared_inserted, s->cleared_modified,
                                 s->tracking.kinds, s->unique != NULL };
    hash = mix_text(hash, s->component.name);
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        hash = mix(hash, numbers[i]);

    hash = hash_values(s, hash);
    if (s->unique && s->size) hash = keeli_hash_value(s, s->unique, hash);
    if (s->tracking.kinds & KEEL_TRACK_INSERTION) hash = hash_ticks(s, &s->tracking.inserted, hash);
    if (s->tracking.kinds & KEEL_TRACK_MODIFICATION)
        hash = hash_ticks(s, &s->tracking.modified, hash);
    hash = hash_queue(s, &s->tracking.removed, hash);
    if (s->events) hash = hash_queue(s, s->events, hash);
    if (!s->relation) return hash;
    return hash_edges(keeli_store_has_sources(s) ? KEELI_SOURCES : KEELI_TARGETS, s, hash);
}

// ------------------------------------------------------------------ runs
// Adds the hash of a reader to the sum `data`. A reader or node that has recorded nothing counts
// like none, since they are only created when they are used.
static void add_reader(void *data, keeli_reader *reader) {
    if (reader->last) *(uint64_t *)data += mix_text(mix(1, reader->last), reader->name);
}

static void add_node(void *data, const keeli_schedule *s, keeli_node *node) {
    const uint32_t runs = node->step.times ? node->runs : 0; // other steps ignore it
    uint64_t hash = mix_text(mix(mix(2, runs), node->passed), node->name);
    uint64_t known = runs | node->passed;
    for (uint32_t k = 0; k < KEELI_STEP_SYSTEMS; ++k) {
        const uint32_t want =
            node->bound[k] ? keeli_handles_wanted(s->world, &node->bound[k]->reserved) : 0;
        hash = mix(hash, want);
        known |= want;
    }
    if (known) *(uint64_t *)data += hash;
}

static uint64_t hash_groups(const keel_world *world) {
    uint64_t sum = 0;
    for (const keel_group *g = world->followers.groups; g; g = g->next) {
        uint64_t hash = mix_text(3, g->name);
        for (uint32_t slot = 0; slot < keeli_group_count(g); ++slot)
            hash = mix(hash, keeli_sparse_set_entity(keeli_group_set(g), slot)->bits);
        sum += hash;
    }
    return sum;
}

uint64_t keeli_state_hash(const keel_world *world) {
    uint64_t hash =
        mix(mix(world->changes.tick, world->changes.tick_base), world->commands.dropped);
    hash = hash_entities(&world->entities, hash);
    hash = hash_rows(&world->archetypes, hash);
    for (uint32_t i = 0; i < world->storages.count; ++i) {
        const keeli_storage *s = world->storages.items[i];
        if (!keeli_image_leaves(s) && !keeli_store_is_new(s)) hash = hash_storage(s, hash);
    }

    uint64_t runs = 0;
    keeli_readers_visit(world, add_reader, &runs);
    keeli_nodes_visit(world, add_node, &runs);
    return hash + runs + hash_groups(world);
}
