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

// Adds a number to a hash.
static void mix(uint64_t *hash, uint64_t number) {
    *hash = keeli_hash_mix(*hash ^ number) + number;
}

static void mix_text(uint64_t *hash, const char *text) {
    if (!text)
        text = "";
    *hash = keeli_hash(text, strlen(text), *hash);
}

static void mix_value(uint64_t *hash, const keeli_storage *s, const void *value) {
    *hash = keeli_hash_value(s, value, *hash);
}

static void hash_entities(const keeli_entity_index *ix, uint64_t *hash) {
    mix(hash, ix->size);
    mix(hash, ix->held);
    mix(hash, ix->retired);
    mix(hash, ix->free_head);
    mix(hash, ix->free_count);
    mix(hash, ix->gap_first);
    mix(hash, ix->gap_count);

    for (uint32_t i = 0; i < ix->size; ++i) {
        const uint32_t version = ix->root.versions[i / KEELI_PAGE][i % KEELI_PAGE];
        mix(hash, version);
        if (version & KEELI_DEAD)
            mix(hash, *keeli_row_of(ix, i)); // the next free index
    }
}

static void hash_rows(const keeli_archetypes *a, uint64_t *hash) {
    for (uint32_t i = 0; i < a->count; ++i) {
        const keeli_archetype *archetype = a->all[i];
        mix(hash, archetype->column_count);
        for (uint32_t c = 0; c < archetype->column_count; ++c)
            mix(hash, archetype->columns[c]->number);

        for (uint32_t b = 0; b < archetype->block_count; ++b) {
            const keeli_block *block = archetype->blocks[b];
            for (uint32_t row = 0; row < block->count; ++row)
                mix(hash, block->entities[row].bits);
        }
    }
}

// ------------------------------------------------------------------ one storage
static void hash_ticks(const keeli_storage *s, const keeli_ticks *t, uint64_t *hash) {
    KEELI_EACH_BIT(i, &s->presence)
        mix(hash, keeli_ticks_get(t, i));
    KEELI_EACH_BIT(i, &s->disabled)
        mix(hash, keeli_ticks_get(t, i));

    mix(hash, t->latest);
    mix(hash, t->log_from);
    mix(hash, t->log_capacity);
    for (uint32_t i = 0; i < t->log_count; ++i) {
        mix(hash, t->log[i].index);
        mix(hash, t->log[i].tick);
    }
}

static void hash_queue(const keeli_storage *s, const keeli_queue *q, uint64_t *hash) {
    mix(hash, q->begin);
    mix(hash, q->count);
    mix(hash, q->limit);
    mix(hash, q->fresh);
    mix(hash, q->cleared[0]);
    mix(hash, q->cleared[1]);
    mix(hash, q->world.next);
    mix(hash, q->world_reads);
    mix(hash, q->dropped_tick);

    for (uint64_t i = q->begin; i < keeli_queue_end(q); ++i) {
        if (q->of_removed) {
            const keeli_removed *removed = keeli_queue_removed_at(q, i);
            mix(hash, removed->entity.bits);
            mix(hash, removed->tick + removed->deleted);
        }
        if (keeli_queue_has_value(q, i))
            mix_value(hash, s, keeli_queue_at(q, i));
    }

    uint64_t readers = 0;
    for (uint32_t i = 0; i < q->readers.count; ++i) {
        const keeli_queue_reader *r = &q->readers.items[i];
        uint64_t own = r->next;
        mix(&own, r->shown);
        mix(&own, r->is_system);
        mix_text(&own, r->reader->name);
        readers += own;
    }
    mix(hash, readers);
}

static void hash_edges(const keeli_storage *s, uint64_t *hash) {
    const keeli_end end = keeli_store_has_sources(s) ? KEELI_SOURCES : KEELI_TARGETS;
    const keeli_edges *edges = &s->relation->edges;
    const bool has_values = end == KEELI_TARGETS && keeli_edges_have_values(edges);
    KEELI_EACH_BIT(i, &s->presence) {
        KEELI_EACH_EDGE(at, edges, end, i) {
            mix(hash, i);
            mix(hash, keeli_edge_other(edges, end, i, at));
            if (has_values)
                mix_value(hash, s, keeli_edge_value(edges, i, at));
        }
    }
}

// Adds the enabled values. Their order counts, as each value is hashed with its place. The hashes
// are summed rather than chained, so that the processor can compute several at once.
static void hash_values(const keeli_storage *s, uint64_t *hash) {
    uint64_t sum = 0;
    for (uint32_t at = 0, i; (i = keeli_store_in_order(s, &at)) != UINT32_MAX; ++at) {
        const uint64_t own = keeli_hash_mix(*hash + ((uint64_t)at << 32 | i));
        const void *value = "";
        if (s->size && keeli_store_is_sparse(s))
            value = keeli_sparse_set_value(&s->set, at);
        else if (s->size)
            value = keeli_store_value_there(s, i);
        sum += s->size ? keeli_hash_value(s, value, own) : own;
    }
    mix(hash, sum);

    KEELI_EACH_BIT(i, &s->disabled) {
        mix(hash, i);
        if (s->size)
            mix_value(hash, s, keeli_store_disabled_value(s, i));
    }
}

static void hash_storage(const keeli_storage *s, uint64_t *hash) {
    const keeli_tracking *own = &s->tracking;
    mix_text(hash, s->component.name);
    mix(hash, s->presence.count);
    mix(hash, s->disabled.count);
    mix(hash, s->set_at);
    mix(hash, s->changed_at);
    mix(hash, s->cleared_inserted);
    mix(hash, s->cleared_modified);
    mix(hash, own->kinds);
    mix(hash, s->unique != NULL);

    hash_values(s, hash);
    if (s->unique && s->size)
        mix_value(hash, s, s->unique);

    if (own->kinds & KEEL_TRACK_INSERTION)
        hash_ticks(s, &own->inserted, hash);
    if (own->kinds & KEEL_TRACK_MODIFICATION)
        hash_ticks(s, &own->modified, hash);
    hash_queue(s, &own->removed, hash);
    if (s->events)
        hash_queue(s, s->events, hash);

    if (s->relation)
        hash_edges(s, hash);
}

// ------------------------------------------------------------------ runs
// Adds the hash of a reader to the sum `data`. A reader or node that has recorded nothing counts
// like none, since they are only created when they are used.
static void add_reader(void *data, keeli_reader *reader) {
    if (!reader->last)
        return;

    uint64_t *sum = data;
    uint64_t hash = 1;
    mix(&hash, reader->last);
    mix_text(&hash, reader->name);
    *sum += hash;
}

static void add_node(void *data, const keeli_schedule *s, keeli_node *node) {
    uint64_t *sum = data;
    const uint32_t runs = node->step.times ? node->runs : 0; // other steps ignore it
    uint64_t hash = 2;
    mix(&hash, runs);
    mix(&hash, node->passed);
    mix_text(&hash, node->name);

    uint64_t known = runs | node->passed;
    for (uint32_t k = 0; k < KEELI_STEP_SYSTEMS; ++k) {
        uint32_t want = 0;
        if (node->bound[k])
            want = keeli_handles_wanted(s->world, &node->bound[k]->reserved);
        mix(&hash, want);
        known |= want;
    }
    if (known)
        *sum += hash;
}

static uint64_t hash_groups(const keel_world *world) {
    uint64_t sum = 0;
    for (const keel_group *g = world->followers.groups; g; g = g->next) {
        uint64_t hash = 3;
        mix_text(&hash, g->name);
        for (uint32_t slot = 0; slot < keeli_group_count(g); ++slot)
            mix(&hash, keeli_sparse_set_entity(keeli_group_set(g), slot)->bits);
        sum += hash;
    }
    return sum;
}

uint64_t keeli_state_hash(const keel_world *world) {
    uint64_t hash = world->changes.tick;
    mix(&hash, world->changes.tick_base);
    mix(&hash, world->commands.dropped);
    hash_entities(&world->entities, &hash);
    hash_rows(&world->archetypes, &hash);

    for (uint32_t i = 0; i < world->storages.count; ++i) {
        const keeli_storage *s = world->storages.items[i];
        if (keeli_image_leaves(s) || keeli_store_is_new(s))
            continue;
        hash_storage(s, &hash);
    }

    uint64_t runs = 0;
    keeli_readers_visit(world, add_reader, &runs);
    keeli_nodes_visit(world, add_node, &runs);
    return hash + runs + hash_groups(world);
}
