// SPDX-License-Identifier: MIT
#include "edit/relation.h"

#include "edit/batch.h"

#include "world/report.h"

#include <keel/relation.h>
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

static bool reserve(keel_world *world, keeli_relation *r, uint32_t source, uint32_t target,
                    uint32_t numbers) {
    // both may be in one block, whose list gets both
    return reserve_rule(world, r, source, 1) &&
           keeli_reserve_value(world, r->sources, source, numbers) &&
           keeli_reserve_value(world, r->targets, target, numbers + 1) &&
           keeli_edges_reserve(&r->edges, &world->heap, source, target);
}

// The edge of a source at a place goes; who looks at what is going still sees it. `stays`: the
// source gets another target at once.
static void let_go(keel_world *world, keeli_relation *r, uint32_t source, uint32_t place,
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

static void commit_edge(keel_world *world, keeli_relation *r, keel_entity e, keel_entity to) {
    const uint32_t source = keeli_index_of(e), target = keeli_index_of(to);
    if (keeli_edges_are_exclusive(&r->edges) && keeli_edge_count(&r->edges.sources, source))
        let_go(world, r, source, 0, true);
    if (!keeli_store_has(r->targets, target)) (void)keeli_store_push(world, r->targets, to);
    keeli_edges_add(&r->edges, source, target);
}

static void commit_relate(keel_world *world, keeli_relation *r, keel_entity e, keel_entity to) {
    const uint32_t source = keeli_index_of(e);
    const bool had = keeli_store_has(r->sources, source);
    commit_edge(world, r, e, to);
    if (!had) (void)keeli_store_push(world, r->sources, e);
    if (had) keeli_changed(world, r->sources, e);
    else keeli_came(world, r->sources, source);
}

// The last target first, so that no hole is left.
static void let_go_of_targets(keel_world *world, keeli_relation *r, uint32_t source) {
    const keeli_edge_side *side = &r->edges.sources;
    for (uint32_t count = keeli_edge_count(side, source); count; --count)
        let_go(world, r, source, keeli_edge_list_of(side, source)->used - 1, false);
}
static void let_go_of_sources(keel_world *world, keeli_relation *r, uint32_t target) {
    const keeli_edge_side *side = &r->edges.targets;
    for (uint32_t count = keeli_edge_count(side, target); count; --count) {
        const uint32_t place = keeli_edge_list_of(side, target)->used - 1;
        let_go(world, r, keeli_edge_other(side, target, place),
               keeli_edge_twin(side, target, place), false);
    }
}

void keeli_commit_unrelate_entity(keel_world *world, keel_entity e) {
    const uint32_t index = keeli_index_of(e);
    uint32_t at = UINT32_MAX;
    for (const keeli_storage *s; (s = keeli_store_next_of(world, index, &at)) != NULL;) {
        if (!s->relation) continue;
        let_go_of_targets(world, s->relation, index);
        let_go_of_sources(world, s->relation, index);
        at = UINT32_MAX; // the list of the block has changed
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
                commit_relate(
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
            commit_edge(world, r, copies[i], keeli_entity_at(&world->entities, target));
    }
}

void keeli_take_edges_back(keel_world *world, uint32_t prototype, const keel_entity *copies,
                           uint32_t count) {
    for (keeli_relation *r = world->relations.all; r; r = r->next)
        if (keeli_store_has(r->sources, prototype) && r->sources->size)
            for (uint32_t i = count; i--;)
                let_go(world, r, keeli_index_of(copies[i]), 0, true);
}

bool keeli_reserve_rule(keel_world *world, const keeli_relation *r) {
    const uint32_t last = keeli_presence_last(&r->sources->presence);
    return last == UINT32_MAX || reserve_rule(world, r, last, 0);
}

// ------------------------------------------------------------------ verbs
// NULL on error. Both have to be alive; `other` may be null where it stands for all.
static keeli_relation *to_edit(keel_world *world, const keeli_holder *holder,
                               const keel_component *relation, keel_entity e, keel_entity other,
                               keel_result *result) {
    keeli_storage *s = keeli_storage_get(world, relation, false, result);
    if (!s) return NULL;
    if (!s->relation || keeli_store_has_sources(s)) {
        *result =
            keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                         "'%s' is no relation; declare it with KEEL_RELATION", s->component.name);
        return NULL;
    }
    if (!keeli_entity_is_alive(&world->entities, e) ||
        !keeli_entity_is_alive(&world->entities, other)) {
        *result = KEEL_ERROR_DEAD_ENTITY;
        return NULL;
    }
    *result = keeli_may_edit(world, holder, s, "change");
    return *result < 0 ? NULL : s->relation;
}

// Does the one lead to the other, or is it the same? What has no sources is led to by nobody.
static bool is_above(const keeli_relation *r, uint32_t above, uint32_t of) {
    const keeli_edge_side *side = &r->edges.sources;
    if (!keeli_edge_count(&r->edges.targets, above)) return above == of;
    while (of != above && keeli_edge_count(side, of))
        of = keeli_edge_other(side, of, 0);
    return of == above;
}

// The source gets a value, which is handed over, and before it (where that is given) its new
// target, for which there is room. Who has a value keeps it when none is given.
static keel_result give_value(keel_world *world, keeli_relation *r, keel_entity e,
                              const keel_entity *to, const void *value) {
    const bool had = keeli_store_has(r->sources, keeli_index_of(e));
    keeli_batch b;
    keeli_batch_begin(&b, world, &e, 1, "relating entities");
    keeli_batch_add(&b, r->sources, value, 0, KEELI_HANDED_OVER);
    if (keeli_batch_reserve(&b) == KEEL_OK && to) commit_edge(world, r, e, *to);
    KEEL_TRY(keeli_batch_give(&b));
    if (!had || value) return KEEL_OK; // all were told
    keeli_changed(world, r->sources, e);
    return keeli_done(world, KEEL_OK);
}

static keel_result relate(keel_world *world, const keeli_holder *holder, keel_entity e,
                          const keel_component *relation, keel_entity other, const void *value) {
    keel_result result;
    keeli_relation *r = to_edit(world, holder, relation, e, other, &result);
    const uint32_t source = keeli_index_of(e), target = keeli_index_of(other);
    if (!r) return result;
    if (value && !r->sources->size)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "the relation '%s' has no values; pass NULL",
                            r->sources->component.name);
    if (keeli_edges_find(&r->edges, source, target) != KEELI_NO_EDGE)
        return value ? give_value(world, r, e, NULL, value) : KEEL_OK;
    if (r->sources->component.acyclic && is_above(r, source, target))
        return keeli_error(world, KEEL_ERROR_CYCLE,
                           "cannot relate %s to %s: '%s' is acyclic, and leads from there to it",
                           KEELI_ENTITY(world, e), KEELI_ENTITY(world, other),
                           r->sources->component.name);
    if (!reserve(world, r, source, target, 0))
        return keeli_out_of_memory(world, "relating entities");
    if (r->sources->size) return give_value(world, r, e, &other, value);
    commit_relate(world, r, e, other);
    keeli_validate_storage(world, r->sources);
    return keeli_done(world, KEEL_OK);
}

static keel_result unrelate(keel_world *world, const keeli_holder *holder, keel_entity e,
                            const keel_component *relation, keel_entity other, const void *value) {
    keel_result result;
    keeli_relation *r = to_edit(world, holder, relation, e, other, &result);
    (void)value;
    if (!r) return result;
    const uint32_t source = keeli_index_of(e);
    const uint32_t place = keeli_edges_find(&r->edges, source, keeli_index_of(other));
    if (place == KEELI_NO_EDGE) return KEEL_ABSENT;
    let_go(world, r, source, place, false);
    keeli_validate_storage(world, r->sources);
    return keeli_done(world, KEEL_OK);
}

static keel_result unrelate_all(keel_world *world, const keeli_holder *holder, keel_entity e,
                                const keel_component *relation, keel_entity other,
                                const void *value) {
    keel_result result;
    keeli_relation *r = to_edit(world, holder, relation, e, e, &result);
    (void)other, (void)value;
    if (!r) return result;
    if (!keeli_store_has(r->sources, keeli_index_of(e))) return KEEL_ABSENT;
    let_go_of_targets(world, r, keeli_index_of(e));
    return keeli_done(world, KEEL_OK);
}

static keel_result unrelate_sources(keel_world *world, const keeli_holder *holder, keel_entity e,
                                    const keel_component *relation, keel_entity other,
                                    const void *value) {
    keel_result result;
    keeli_relation *r = to_edit(world, holder, relation, e, e, &result);
    (void)other, (void)value;
    if (!r) return result;
    if (!keeli_store_has(r->targets, keeli_index_of(e))) return KEEL_ABSENT;
    let_go_of_sources(world, r, keeli_index_of(e));
    return keeli_done(world, KEEL_OK);
}

keel_result(keel_relate_component)(keel_scope *scope, keel_entity source,
                                   const keel_component *relation, keel_entity target,
                                   const void *value) {
    return keeli_edit_pair(scope, source, relation, target, value, relate);
}
keel_result(keel_unrelate_component)(keel_scope *scope, keel_entity source,
                                     const keel_component *relation, keel_entity target) {
    return keeli_edit_pair(scope, source, relation, target, NULL, unrelate);
}
keel_result(keel_unrelate_all_component)(keel_scope *scope, keel_entity source,
                                         const keel_component *relation) {
    return keeli_edit_pair(scope, source, relation, keel_null(), NULL, unrelate_all);
}
keel_result(keel_unrelate_sources_component)(keel_scope *scope, keel_entity target,
                                             const keel_component *relation) {
    return keeli_edit_pair(scope, target, relation, keel_null(), NULL, unrelate_sources);
}

// ------------------------------------------------------------------ looking
// NULL when the world does not know it, or the scope may not look.
static const keeli_relation *look(const keel_scope *scope, const keel_component *relation) {
    keeli_caller who;
    if (keeli_caller_is(scope, &who) < 0) return NULL;
    const keeli_storage *s = keeli_look_up(&who, relation, KEEL_ACCESS_READ);
    if (s && (!s->relation || keeli_store_has_sources(s)))
        keeli_misuse(who.world, KEEL_ERROR_ARGUMENT,
                     "'%s' is no relation; declare it with KEEL_RELATION", s->component.name);
    return s && !keeli_store_has_sources(s) ? s->relation : NULL;
}

static bool is_alive(const keeli_relation *r, keel_entity e) {
    return keeli_entity_is_alive(&r->sources->world->entities, e);
}
static keel_entity entity_at(const keeli_relation *r, const keeli_edge_side *side, keel_entity of,
                             uint32_t place) {
    if (place == KEELI_NO_EDGE) return keel_null();
    const uint32_t index = keeli_edge_other(side, keeli_index_of(of), place);
    return keeli_entity_at(&r->sources->world->entities, index);
}

bool(keel_is_related_component)(const keel_scope *scope, keel_entity source,
                                const keel_component *relation, keel_entity target) {
    const keeli_relation *r = look(scope, relation);
    return r && is_alive(r, source) && is_alive(r, target) &&
           keeli_edges_find(&r->edges, keeli_index_of(source), keeli_index_of(target)) !=
               KEELI_NO_EDGE;
}

const void *(keel_get_related_component)(const keel_scope *scope, keel_entity source,
                                         const keel_component *relation, keel_entity target) {
    return (keel_is_related_component)(scope, source, relation, target)
               ? (keel_get_component)(scope, source, relation)
               : NULL;
}
void *(keel_get_related_component_mut)(keel_scope *scope, keel_entity source,
                                       const keel_component *relation, keel_entity target) {
    return (keel_is_related_component)(scope, source, relation, target)
               ? (keel_get_component_mut)(scope, source, relation)
               : NULL;
}

keel_entity(keel_target_of_component)(const keel_scope *scope, keel_entity source,
                                      const keel_component *relation) {
    const keeli_relation *r = look(scope, relation);
    if (!r || !is_alive(r, source)) return keel_null();
    const keeli_edge_side *side = &r->edges.sources;
    return entity_at(r, side, source, keeli_edge_next(side, keeli_index_of(source), 0));
}

uint32_t(keel_target_count_component)(const keel_scope *scope, keel_entity source,
                                      const keel_component *relation) {
    const keeli_relation *r = look(scope, relation);
    return r && is_alive(r, source) ? keeli_edge_count(&r->edges.sources, keeli_index_of(source))
                                    : 0;
}

uint32_t(keel_source_count_component)(const keel_scope *scope, keel_entity target,
                                      const keel_component *relation) {
    const keeli_relation *r = look(scope, relation);
    return r && is_alive(r, target) ? keeli_edge_count(&r->edges.targets, keeli_index_of(target))
                                    : 0;
}

// The place of `other` in the list of targets, or sources, of an entity; KEELI_NO_EDGE: in none.
static uint32_t place_of(const keeli_relation *r, bool to_sources, keel_entity of,
                         keel_entity other) {
    if (!is_alive(r, of) || !is_alive(r, other)) return KEELI_NO_EDGE;
    const uint32_t source = keeli_index_of(to_sources ? other : of);
    const uint32_t target = keeli_index_of(to_sources ? of : other);
    const uint32_t place = keeli_edges_find(&r->edges, source, target);
    return place == KEELI_NO_EDGE || !to_sources
               ? place
               : keeli_edge_twin(&r->edges.sources, source, place);
}

static keel_entity next_of(const keel_scope *scope, const keel_component *relation, bool to_sources,
                           keel_entity of, keel_entity after) {
    const keeli_relation *r = look(scope, relation);
    if (!r || !is_alive(r, of)) return keel_null();
    const keeli_edge_side *side = to_sources ? &r->edges.targets : &r->edges.sources;
    uint32_t place = 0;
    if (!keel_is_null(after)) {
        place = place_of(r, to_sources, of, after);
        if (place++ == KEELI_NO_EDGE) return keel_null();
    }
    return entity_at(r, side, of, keeli_edge_next(side, keeli_index_of(of), place));
}

keel_entity(keel_next_target_component)(const keel_scope *scope, keel_entity source,
                                        const keel_component *relation, keel_entity after) {
    return next_of(scope, relation, false, source, after);
}
keel_entity(keel_next_source_component)(const keel_scope *scope, keel_entity target,
                                        const keel_component *relation, keel_entity after) {
    return next_of(scope, relation, true, target, after);
}

// ------------------------------------------------------------------ loops
// Take as many handles as there is room for, from a place on.
static void fill(keeli_relation_walk *walk, uint32_t place) {
    const keeli_relation *r = walk->relation;
    const keeli_edge_side *side = walk->to_sources ? &r->edges.targets : &r->edges.sources;
    const uint32_t of = keeli_index_of(walk->of), most = sizeof walk->items / sizeof *walk->items;
    walk->at = walk->count = 0;
    for (; walk->count < most; ++place) {
        place = keeli_edge_next(side, of, place);
        if (place == KEELI_NO_EDGE) break;
        walk->items[walk->count++] = entity_at(r, side, walk->of, place);
        walk->place = place;
    }
    walk->has_more = walk->count == most;
    walk->seen = r->edges.edits;
}

void keeli_relation_walk_begin(keeli_relation_walk *walk, const keel_scope *scope, keel_entity of,
                               const keel_component *relation, bool to_sources) {
    static const uint64_t no_edits = 0;
    const keeli_relation *r = look(scope, relation);
    walk->relation = r;
    walk->edits = r ? &r->edges.edits : &no_edits;
    walk->seen = 0;
    walk->of = of;
    walk->to_sources = to_sources;
    walk->has_more = false;
    walk->at = walk->count = 0;
    if (r && is_alive(r, of)) fill(walk, 0);
    else walk->relation = NULL;
}

void keeli_relation_walk_more(keeli_relation_walk *walk) {
    const keeli_relation *r = walk->relation;
    if (!r || walk->at >= walk->count) return;
    if (walk->seen == r->edges.edits) {
        if (walk->has_more) fill(walk, walk->place);
        return;
    }
    // what comes next tells where to go on, unless it left, too
    uint32_t place = KEELI_NO_EDGE;
    for (uint32_t i = walk->at; i < walk->count && place == KEELI_NO_EDGE; ++i)
        place = place_of(r, walk->to_sources, walk->of, walk->items[i]);
    KEEL_ASSERT(place == place_of(r, walk->to_sources, walk->of, walk->items[walk->at]),
                "the next one of a loop over a relation left meanwhile; only the current one may");
    if (place == KEELI_NO_EDGE) walk->at = walk->count = 0;
    else fill(walk, place);
}

// ------------------------------------------------------------------ checking
static bool storage_is_valid(const keeli_storage *s, const keeli_edge_side *side) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < side->capacity * KEELI_EDGE_PAGE; ++i) {
        if (!keeli_edge_list_of(side, i)) {
            i += KEELI_EDGE_PAGE - 1;
            continue;
        }
        const bool has = keeli_edge_count(side, i) != 0;
        if (has != keeli_store_has(s, i)) return false;
        count += has;
    }
    return count == keeli_store_count(s);
}

bool keeli_relation_is_valid(const keeli_relation *r) {
    return keeli_edges_are_valid(&r->edges) && storage_is_valid(r->sources, &r->edges.sources) &&
           storage_is_valid(r->targets, &r->edges.targets);
}
