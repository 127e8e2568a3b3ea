// SPDX-License-Identifier: MIT
// The hash of all state that a snapshot copies: for users KEEL_HASH_ORDER, and keeli_state_hash for
// tests of replays. It changes nothing. State with an order is hashed in that order. Components,
// readers, steps and groups have no order, and are told apart by their names: the sum of their
// hashes counts. The image of a snapshot has the same hash as the world at the take.
#include "rewind/snapshot.h"

#include "base/bytes.h"
#include "edit/edit.h"
#include "link/relation.h"
#include "rewind/image.h"
#include "world/report.h"

#include <string.h>

// Adds a number to a hash.
static void mix(uint64_t *hash, uint64_t number) {
    *hash = keeli_hash_mix(*hash ^ number) + number;
}

static void mix_text(uint64_t *hash, const char *text) { *hash = keeli_hash_text(text, *hash); }

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

// Returns a hash of the set of components in an archetype. Columns are sorted by number, which
// differs between processes.
static uint64_t hash_columns(const keel_world *world, const keeli_archetype *archetype) {
    uint64_t sum = 0;
    for (uint32_t c = 0; c < archetype->column_count; ++c) {
        const keeli_storage *s = world->root.storages[archetype->columns[c]->number];
        sum += keeli_hash_text(s->component.name, 4);
    }
    return sum;
}

static void hash_rows(const keel_world *world, uint64_t *hash) {
    const keeli_archetypes *a = &world->archetypes;
    for (uint32_t i = 0; i < a->count; ++i) {
        const keeli_archetype *archetype = a->all[i];
        mix(hash, hash_columns(world, archetype));

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
        mix(&own, r->called);
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
    const uint32_t kinds = s->world->access.is_image ? own->kinds_then : own->kinds;
    mix_text(hash, s->component.name);
    mix(hash, s->presence.count);
    mix(hash, s->disabled.count);
    mix(hash, s->set_at);
    mix(hash, s->changed_at);
    mix(hash, s->cleared_inserted);
    mix(hash, s->cleared_modified);
    mix(hash, kinds);
    mix(hash, s->unique != NULL);

    hash_values(s, hash);
    if (s->unique && s->size)
        mix_value(hash, s, s->unique);

    if (kinds & KEEL_TRACK_INSERTION)
        hash_ticks(s, &own->inserted, hash);
    if (kinds & KEEL_TRACK_MODIFICATION)
        hash_ticks(s, &own->modified, hash);
    hash_queue(s, &own->removed, hash);
    if (s->events)
        hash_queue(s, s->events, hash);

    if (s->relation)
        hash_edges(s, hash);
}

// ------------------------------------------------------------------ the world
// `has_transient`: transient components in rows count, which snapshots copy with the others.
static uint64_t hash_state(const keel_world *world, bool has_transient) {
    uint64_t hash = world->changes.tick;
    mix(&hash, world->changes.tick_base);
    mix(&hash, world->commands.dropped);
    hash_entities(&world->entities, &hash);
    hash_rows(world, &hash);

    uint64_t sum = 0;
    for (uint32_t i = 0; i < world->storages.count; ++i) {
        const keeli_storage *s = world->storages.items[i];
        if (keeli_image_leaves(s) || keeli_store_is_new(s))
            continue;
        if (s->component.transient && !has_transient)
            continue;
        uint64_t own = 5;
        hash_storage(s, &own);
        sum += own;
    }
    mix(&hash, sum);
    return hash + (world->runs ? keeli_runs_hash(world->runs) : keeli_runs_hash_of(world));
}

uint64_t keeli_state_hash(const keel_world *world) { return hash_state(world, true); }

// Hashes a world or an image. `teller`: the world that keeps errors. `call`: the public function.
static keel_result hash_with(const keel_world *world, keel_world *teller, const char *call,
                             uint32_t flags, uint64_t *hash) {
    if (flags & ~(uint32_t)KEEL_HASH_ORDER)
        return keeli_misuse(teller, KEEL_ERROR_ARGUMENT, "%s takes KEEL_HASH_* bits, not 0x%x",
                            call, (unsigned)flags);
    KEEL_TRY(keeli_may_hash_world(world, teller, call, hash));
    *hash = flags ? hash_state(world, false) : keeli_world_sum(world);
    return KEEL_OK;
}

keel_result keel_world_hash_with(const keel_world *world, uint32_t flags, uint64_t *hash) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    keel_world *own = (keel_world *)(uintptr_t)world; // a const world keeps its errors
    return hash_with(world, own, "keel_world_hash_with", flags, hash);
}

keel_result keel_snapshot_hash(keel_snapshot *snapshot, uint32_t flags, uint64_t *hash) {
    if (!snapshot || snapshot->self != snapshot)
        return keeli_no_world();
    const keel_world *image;
    const keel_result begun = keel_snapshot_read_begin(snapshot, &image);
    if (begun != KEEL_OK)
        return begun;
    keel_world *teller = snapshot->world ? snapshot->world : snapshot->image;
    const keel_result result = hash_with(image, teller, "keel_snapshot_hash", flags, hash);
    keel_snapshot_read_end(snapshot);
    return result;
}
