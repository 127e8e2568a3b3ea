// SPDX-License-Identifier: MIT
// Edges of relations. The owner of a source owns its edges, and they go with it to another rank,
// where the target is the entity or a ghost. In a symmetric relation both ends are sources, so the
// owner of each end has the edge. leaving.c packs and unpacks them with the entities.
//
//     number of edges; for each: row of the source, number of the relation, id of the target, value
#include "domain.h"

#include <stdlib.h>
#include <string.h>

static bool is_ghost(const keel_domain *d, keel_entity e) {
    return keel_has_component(d->world, e, KEEL_OF(keel_ghost));
}

// Edges of a transient relation end when their source moves.
static bool is_carried(const mpi_column *relation) { return !relation->component->transient; }

// ------------------------------------------------------------------ writing
// Appends the edges of a source in one relation. False: an error was kept.
static bool pack_edges(keel_domain *d, keel_entity source, uint32_t row, uint32_t number,
                       mpi_bytes *out, uint32_t *count) {
    const mpi_column *relation = &d->relations[number];
    keeli_valued_walk walk =
        keeli_valued_walk_of((keel_scope *)d->world, source, relation->component, false);
    bool is_well = true;
    for (keel_entity target;
         is_well && !keel_is_null(target = keeli_relation_walk_next(&walk.plain));) {
        const void *value = keeli_valued_walk_value(&walk);
        uint64_t id;
        is_well = keeli_handle_to_id(d, target, relation->component->name, d->has_handles, &id);
        uint32_t *head = is_well ? keeli_bytes_add(out, 2 * sizeof *head) : NULL;
        if (head) head[0] = row, head[1] = number;
        uint64_t *at = head ? keeli_bytes_add(out, sizeof *at) : NULL;
        if (at) *at = id;
        if (is_well && !at) {
            (void)keeli_domain_fail(d, KEEL_ERROR_MEMORY, "packing edges: out of memory");
            is_well = false;
        }
        if (is_well && relation->component->size)
            is_well = keeli_value_pack(d, relation, value, true, out);
        ++*count;
    }
    keeli_relation_walk_end(&walk.plain);
    return is_well;
}

keel_result keeli_edges_pack(keel_domain *d, const mpi_list *entities, mpi_bytes *out) {
    const size_t at = out->size;
    uint32_t count = 0;
    if (!keeli_bytes_add(out, sizeof count))
        return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "packing edges: out of memory");
    for (uint32_t k = 0; k < d->relation_count; ++k)
        d->relations[k].is_used = keel_component_count(d->world, d->relations[k].component) > 0;
    for (uint32_t row = 0; row < entities->count; ++row)
        for (uint32_t k = 0; k < d->relation_count; ++k)
            if (is_carried(&d->relations[k]) && d->relations[k].is_used &&
                !pack_edges(d, entities->items[row], row, k, out, &count))
                return d->error.result;
    memcpy(out->items + at, &count, sizeof count);
    return KEEL_OK;
}

keel_result keeli_edges_leave(keel_domain *d, keel_entity e) {
    for (uint32_t k = 0; k < d->relation_count; ++k) {
        const keel_component *relation = d->relations[k].component;
        if (!relation->symmetric) {
            if (keel_unrelate_all_component(d->world, e, relation) < 0)
                return keeli_domain_fail_world(d);
            continue;
        }
        keeli_relation_walk walk =
            keeli_relation_walk_of((keel_scope *)d->world, e, relation, false);
        keel_result result = KEEL_OK;
        for (keel_entity other;
             result >= 0 && !keel_is_null(other = keeli_relation_walk_next(&walk));)
            if (is_ghost(d, other)) // else it owns the edge, too
                result = keel_unrelate_component(d->world, e, relation, other);
        keeli_relation_walk_end(&walk);
        if (result < 0) return keeli_domain_fail_world(d);
    }
    return KEEL_OK;
}

// ------------------------------------------------------------------ reading
static keel_result unpack_edge(keel_domain *d, mpi_reader *r, const keel_entity *entities,
                               uint32_t count) {
    const uint32_t *head = keeli_bytes_read(r, 2 * sizeof *head);
    const uint64_t *id = keeli_bytes_read(r, sizeof *id);
    if (!id || head[0] >= count || head[1] >= d->relation_count)
        return keeli_domain_fail(d, KEEL_ERROR_FORMAT, "what another rank sent is damaged");
    const mpi_column *relation = &d->relations[head[1]];
    keel_entity target;
    if (!keeli_handle_from_id(d, *id, &target)) return d->error.result;
    void *value = NULL;
    if (relation->component->size) {
        value = keeli_value_unpack(d, relation, r);
        if (!value) return d->error.result;
    }
    if (keel_relate_component(d->world, entities[head[0]], relation->component, target, value) >= 0)
        return KEEL_OK;
    if (value && relation->component->drop)
        relation->component->drop(value, relation->component->hook_data);
    return keeli_domain_fail_world(d);
}

keel_result keeli_edges_unpack(keel_domain *d, mpi_reader *r, const keel_entity *entities,
                               uint32_t count) {
    const uint32_t edges = keeli_read_u32(r);
    for (uint32_t i = 0; i < edges; ++i)
        KEEL_TRY(unpack_edge(d, r, entities, count));
    return KEEL_OK;
}

// ------------------------------------------------------------------ walks over all edges
typedef struct edge_walk {
    keel_domain *d;
    const mpi_column *relation;
    mpi_list *used;   // ghosts; NULL: the edges are hashed
    const char *only; // the name of a relation; NULL: all
    mpi_bytes value;
    uint64_t sum;
    bool is_failed; // an error was kept
} edge_walk;

static bool use_edge(keel_entity source, keel_entity target, const void *value, void *data) {
    edge_walk *w = data;
    bool has_room = !is_ghost(w->d, target) || keeli_list_add(w->used, target);
    if (w->relation->component->symmetric && is_ghost(w->d, source))
        has_room &= keeli_list_add(w->used, source);
    w->is_failed =
        !has_room || (w->relation->refers && !keeli_value_use(w->d, w->relation, value, w->used));
    if (!has_room)
        (void)keeli_domain_fail(w->d, KEEL_ERROR_MEMORY, "looking for edges: out of memory");
    return !w->is_failed;
}

static bool hash_way(edge_walk *w, keel_entity source, keel_entity target, const void *value) {
    const keel_component *relation = w->relation->component;
    const keel_global_id *own = keel_get_component(w->d->world, source, KEEL_OF(keel_global_id));
    if (!own || is_ghost(w->d, source)) return true;
    uint64_t ends[2] = { own->value, 0 };
    if (!keeli_handle_to_id(w->d, target, relation->name, false, &ends[1])) return false;
    uint64_t hash = keeli_hash_bytes(relation->name, strlen(relation->name), 1);
    hash = keeli_hash_bytes(ends, sizeof ends, hash);
    if (relation->size && !keeli_value_hash(w->d, w->relation, value, &w->value, &hash))
        return false;
    w->sum += hash;
    return true;
}

static bool hash_edge(keel_entity source, keel_entity target, const void *value, void *data) {
    edge_walk *w = data;
    w->is_failed = !hash_way(w, source, target, value);
    if (!w->is_failed && w->relation->component->symmetric && !keel_is_same(source, target))
        w->is_failed = !hash_way(w, target, source, value);
    return !w->is_failed;
}

static keel_result visit_all(keel_domain *d, edge_walk *w, keel_visit_edge_fn *visit) {
    for (uint32_t k = 0; k < d->relation_count; ++k) {
        w->relation = &d->relations[k];
        const keel_component *relation = w->relation->component;
        if (!keel_component_count(d->world, relation) || (!w->used && !is_carried(w->relation)))
            continue;
        if (w->only && strcmp(w->only, relation->name) != 0) continue;
        const keel_result result = keel_visit_edges(d->world, relation, visit, w);
        if (w->is_failed) return d->error.result;
        if (result < 0)
            return keeli_domain_fail(d, result, "visiting edges of '%.80s': %s", relation->name,
                                     keel_result_text(result));
    }
    return KEEL_OK;
}

keel_result keeli_edges_use(keel_domain *d, mpi_list *used) {
    edge_walk w = { .d = d, .used = used };
    return visit_all(d, &w, use_edge);
}

keel_result keeli_edges_hash(keel_domain *d, const char *only, uint64_t *hash) {
    edge_walk w = { .d = d, .only = only };
    const keel_result result = visit_all(d, &w, hash_edge);
    free(w.value.items);
    *hash += w.sum;
    return result;
}
