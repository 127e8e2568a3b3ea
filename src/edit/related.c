// SPDX-License-Identifier: MIT
// Edges that come and go, of one entity or with it; the verbs are in relation.c.
#include "edit/relation.h"

#include "world/report.h"

#include <string.h>

static bool has_rule(const keeli_relation *r) {
    return r->sources->component.on_delete != KEEL_UNRELATE;
}

// ------------------------------------------------------------------ changing
// Room to take `extra` more sources along, one of them with this index.
static bool reserve_rule(keel_world *world, const keeli_relation *r, uint32_t source,
                         uint32_t extra) {
    keeli_relations *all = &world->relations;
    const uint32_t words = source / 64 + 1, old = all->marks.count;
    uint32_t sources = extra;
    if (!has_rule(r)) return true;
    for (const keeli_relation *other = all->all; other; other = other->next)
        sources += has_rule(other) ? keeli_store_count(other->sources) : 0;
    if (!KEELI_RESERVE(&world->heap, &all->doomed, sources)) return false;
    if (words <= old) return true;
    if (!KEELI_RESERVE(&world->heap, &all->marks, words - old)) return false;
    memset(all->marks.items + old, 0, (words - old) * sizeof *all->marks.items);
    all->marks.count = words;
    return true;
}

bool keeli_reserve_edge(keel_world *world, keeli_relation *r, uint32_t source, uint32_t target,
                        uint32_t numbers) {
    // both may be in one block, whose list gets both; nobody follows who is a target
    return reserve_rule(world, r, source, 1) &&
           keeli_reserve_value(world, r->sources, source, numbers) &&
           (keeli_store_has(r->targets, target) ||
            keeli_reserve_value(world, r->targets, target, numbers + 1)) &&
           keeli_edges_reserve(&r->edges, &world->heap, source, target);
}

void keeli_let_go(keel_world *world, keeli_relation *r, uint32_t source, uint32_t place,
                  bool stays) {
    keeli_storage *s = r->sources;
    const uint32_t target = keeli_edge_other(&r->edges.sources, source, place);
    const bool is_last = !stays && keeli_edge_count(&r->edges.sources, source) == 1;
    if (is_last && keeli_is_followed(s)) keeli_going(world, s, source, KEEL_TRACK_DELETION);
    if (is_last && (s->size || keeli_is_followed(s)))
        keeli_value_delete(world, s, source, keeli_store_value(world, s, source));
    keeli_edges_remove(&r->edges, &world->heap, source, place);
    if (!keeli_edge_count(&r->edges.targets, target)) keeli_store_pop(world, r->targets, target);
    if (is_last) keeli_store_pop(world, s, source);
    else if (!stays) keeli_changed(world, s, keeli_entity_at(&world->entities, source));
}

void keeli_commit_edge(keel_world *world, keeli_relation *r, keel_entity e, keel_entity to) {
    const uint32_t source = keeli_index_of(e), target = keeli_index_of(to);
    if (keeli_edges_are_exclusive(&r->edges) && keeli_edge_count(&r->edges.sources, source))
        keeli_let_go(world, r, source, 0, true);
    if (!keeli_store_has(r->targets, target)) (void)keeli_store_push(world, r->targets, to);
    keeli_edges_add(&r->edges, source, target);
}

void keeli_commit_relate(keel_world *world, keeli_relation *r, keel_entity e, keel_entity to) {
    const uint32_t source = keeli_index_of(e);
    const bool had = keeli_store_has(r->sources, source);
    keeli_commit_edge(world, r, e, to);
    if (!had) (void)keeli_store_push(world, r->sources, e);
    if (had) keeli_changed(world, r->sources, e);
    else keeli_came(world, r->sources, source);
}

void keeli_let_go_of_targets(keel_world *world, keeli_relation *r, uint32_t source) {
    const keeli_edge_side *side = &r->edges.sources;
    for (uint32_t count = keeli_edge_count(side, source); count; --count)
        keeli_let_go(world, r, source, keeli_edge_list_of(side, source)->used - 1, false);
}
void keeli_let_go_of_sources(keel_world *world, keeli_relation *r, uint32_t target) {
    const keeli_edge_side *side = &r->edges.targets;
    for (uint32_t count = keeli_edge_count(side, target); count; --count) {
        const uint32_t place = keeli_edge_list_of(side, target)->used - 1;
        keeli_let_go(world, r, keeli_edge_other(side, target, place),
                     keeli_edge_twin(side, target, place), false);
    }
}

void keeli_commit_unrelate_entity(keel_world *world, keel_entity e) {
    const uint32_t index = keeli_index_of(e);
    uint32_t at = UINT32_MAX;
    for (const keeli_storage *s; (s = keeli_store_next_of(world, index, &at)) != NULL;) {
        if (!s->relation) continue;
        keeli_let_go_of_targets(world, s->relation, index);
        keeli_let_go_of_sources(world, s->relation, index);
    }
}

// ------------------------------------------------------------------ copies of an entity
static bool reserve_copies(keel_world *world, keeli_relation *r, uint32_t prototype,
                           const keel_entity *copies, uint32_t count, uint32_t numbers) {
    keeli_edge_side *sources = &r->edges.sources, *targets = &r->edges.targets;
    const uint32_t each =
        keeli_edges_are_exclusive(&r->edges) ? 0 : keeli_edge_count(sources, prototype);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t index = keeli_index_of(copies[i]);
        if (!reserve_rule(world, r, index, count) ||
            !keeli_reserve_value(world, r->sources, index, numbers) ||
            !keeli_edge_reserve(&r->edges, &world->heap, sources, index, each))
            return false;
    }
    for (uint32_t at = 0; (at = keeli_edge_next(sources, prototype, at)) != KEELI_NO_EDGE; ++at)
        if (!keeli_edge_reserve(&r->edges, &world->heap, targets,
                                keeli_edge_other(sources, prototype, at), count))
            return false;
    return true;
}

keel_result keeli_reserve_targets_of(keel_world *world, const keeli_holder *holder,
                                     uint32_t prototype, const keel_entity *copies, uint32_t count,
                                     uint32_t numbers) {
    for (keeli_relation *r = world->relations.all; r; r = r->next) {
        if (!keeli_store_has(r->sources, prototype)) continue;
        KEEL_TRY(keeli_may_edit(world, holder, r->sources, "clone"));
        if (!reserve_copies(world, r, prototype, copies, count, numbers++))
            return keeli_out_of_memory(world, "cloning an entity");
    }
    return KEEL_OK;
}

void keeli_commit_targets_of(keel_world *world, uint32_t prototype, const keel_entity *copies,
                             uint32_t count) {
    for (keeli_relation *r = world->relations.all; r; r = r->next) {
        const keeli_edge_side *side = &r->edges.sources;
        if (!keeli_store_has(r->sources, prototype) || r->sources->size) continue;
        for (uint32_t i = 0; i < count; ++i)
            for (uint32_t at = 0; (at = keeli_edge_next(side, prototype, at)) != KEELI_NO_EDGE;
                 ++at)
                keeli_commit_relate(
                    world, r, copies[i],
                    keeli_entity_at(&world->entities, keeli_edge_other(side, prototype, at)));
    }
}

// With values there is one target.
void keeli_commit_edges_of(keel_world *world, uint32_t prototype, const keel_entity *copies,
                           uint32_t count) {
    for (keeli_relation *r = world->relations.all; r; r = r->next) {
        const keeli_edge_side *side = &r->edges.sources;
        if (!keeli_store_has(r->sources, prototype) || !r->sources->size) continue;
        const uint32_t target = keeli_edge_other(side, prototype, 0);
        for (uint32_t i = 0; i < count; ++i)
            keeli_commit_edge(world, r, copies[i], keeli_entity_at(&world->entities, target));
    }
}

bool keeli_reserve_rule(keel_world *world, const keeli_relation *r) {
    const uint32_t last = keeli_presence_last(&r->sources->presence);
    return last == UINT32_MAX || reserve_rule(world, r, last, 0);
}
