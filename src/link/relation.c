// SPDX-License-Identifier: MIT
// The verbs of relations: they check arguments and access, and call related.c, which adds and
// removes edges. Also the functions that read relations, and the walks behind KEEL_EACH_TARGET and
// KEEL_EACH_SOURCE. The verbs of the hierarchy alone are in hierarchy.c.
#include "link/relation.h"

#include "base/platform/platform.h"
#include "edit/batch.h"
#include "world/report.h"
#include "world/tree.h"

#include <keel/relation.h>

// ------------------------------------------------------------------ verbs
// Returns the relation to edit; NULL on error. Both entities must be alive; verbs about all edges
// of an entity pass it twice.
static keeli_relation *to_edit(keel_world *world, const keeli_holder *holder,
                               const keel_component *relation, keel_entity e, keel_entity other,
                               const char *call, keel_result *result) {
    keeli_storage *s = keeli_storage_get(world, relation, false, result);
    if (!s)
        return NULL;

    if (!s->relation || keeli_store_has_sources(s)) {
        *result =
            keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                         "'%s' is no relation; declare it with KEEL_RELATION", s->component.name);
        return NULL;
    }

    const bool lives = keeli_entity_is_alive(&world->entities, e);
    if (!lives || !keeli_entity_is_alive(&world->entities, other)) {
        *result = keeli_dead_entity(world, call, lives ? other : e);
        return NULL;
    }

    *result = keeli_may_edit(world, holder, s, "change");
    return *result < 0 ? NULL : s->relation;
}

static keel_entity entity_at(const keeli_relation *r, keeli_end end, keel_entity of,
                             uint32_t place) {
    if (place == KEELI_NO_EDGE)
        return keel_null();
    const uint32_t index = keeli_edge_other(&r->edges, end, keeli_index_of(of), place);
    return keeli_entity_at(&r->sources->world->entities, index);
}

// True if targets lead from `of` to `above`, or both are the same.
static bool is_above(const keeli_relation *r, uint32_t above, uint32_t of) {
    const keeli_edges *edges = &r->edges;
    // Nothing leads to an entity without sources, so attaching a leaf does not climb the tree.
    if (!keeli_edge_count(edges, KEELI_SOURCES, above)) {
        return above == of;
    }
    while (of != above && keeli_edge_count(edges, KEELI_TARGETS, of))
        of = keeli_edge_other(edges, KEELI_TARGETS, of, 0);
    return of == above;
}

// Adds an edge to `to`, for which there is room (NULL: no edge), and moves `value` to the component
// of the source. With a NULL value, a source that has a value keeps it, and another gets zeros.
static keel_result set_related_value(keel_world *world, keeli_relation *r, keel_entity e,
                                     const keel_entity *to, const void *value) {
    const uint32_t source = keeli_index_of(e);
    const bool had = keeli_store_has(r->sources, source);
    keeli_batch b;
    keeli_editing_begin(world);
    keeli_batch_begin(&b, world, &e, 1, "relating entities");
    keeli_batch_add(&b, NULL, r->sources, value, 0, KEELI_HANDED_OVER);
    if (keeli_batch_reserve(&b) == KEEL_OK && to) {
        keeli_commit_edge(world, r, e, *to);
    }
    const keel_result result = keeli_batch_finish(&b);

    // the batch notified the followers if a value was added or replaced
    if (result == KEEL_OK) {
        if (had && !value)
            keeli_follow_changed(world, r->sources, e);
        if (to)
            keeli_notify_related(world, r, source);
    }
    keeli_editing_end(world);
    return keeli_done(world, result);
}

// Stamps the value of an edge as written, for snapshots.
static void mark_edge(keel_world *world, keeli_relation *r, uint32_t source, uint32_t place) {
    keeli_atomic_put(&r->edges.values.written, world->epoch);
    keeli_edges_mark_value(&r->edges, source, place);
}

static keel_result write_edge(keel_world *world, keeli_relation *r, keel_entity e, uint32_t place,
                              const void *value) {
    void *to = keeli_edge_value(&r->edges, keeli_index_of(e), place);
    keeli_storage *s = r->sources;
    mark_edge(world, r, keeli_index_of(e), place);
    if (to != value) {
        keeli_value_drop(s, to);
        keeli_value_move(s, to, (void *)(uintptr_t)value); // the world owns it now
    }

    keeli_follow_changed(world, s, e);
    if (r->edges.is_symmetric) {
        keeli_follow_changed(world, s, entity_at(r, KEELI_TARGETS, e, place));
    }
    return keeli_done(world, KEEL_OK);
}

// Reports that an edge would close a cycle.
static __attribute__((noinline)) keel_result cycle(keel_world *world, const keeli_storage *s,
                                                   keel_entity e, keel_entity other) {
    const char *name = s->component.name;
    if (keel_is_same(e, other)) {
        return keeli_error(world, KEEL_ERROR_CYCLE, "cannot relate %s to itself: '%s' is acyclic",
                           KEELI_ENTITY(world, e), name);
    }
    return keeli_error(world, KEEL_ERROR_CYCLE,
                       "cannot relate %s to %s: '%s' is acyclic and leads from %s to %s already",
                       KEELI_ENTITY(world, e), KEELI_ENTITY(world, other), name,
                       KEELI_ENTITY(world, other), KEELI_ENTITY(world, e));
}

// ------------------------------------------------------------------ the hierarchy
// As keeli_may_place_name, but calls nothing in a world without names.
static inline keel_result may_place_name(keel_world *world, const char *doing, keel_entity e,
                                         keel_entity parent) {
    return world->names.count ? keeli_may_place_name(world, doing, e, parent) : KEEL_OK;
}

// In builds with validation: walks the hierarchy, which was just edited.
static void validate_tree(const keel_world *world) {
    const keeli_relation *tree = world->relations.child;
    KEELI_CHECK_STRUCTURE(keeli_store_count(tree->targets) > 256 || keeli_relation_is_valid(tree));
    (void)tree;
}

// Moves a child behind its siblings.
static keel_result attach_again(keel_world *world, keel_entity child) {
    keeli_relation *tree = world->relations.child;
    keeli_edges_move_last(&tree->edges, keeli_index_of(child));
    keeli_follow_changed(world, tree->sources, child);
    validate_tree(world);
    return keeli_done(world, KEEL_OK);
}

keel_result keeli_attach_general(keel_world *world, const keeli_holder *holder, keel_entity child,
                                 keel_entity parent) {
    keeli_relation *tree = world->relations.child;
    if (!keeli_entity_is_alive(&world->entities, child)) {
        return keeli_dead_entity(world, "keel_attach", child);
    }
    if (!keeli_entity_is_alive(&world->entities, parent)) {
        return keeli_dead_entity(world, "keel_attach", parent);
    }
    KEEL_TRY(keeli_may_edit(world, holder, tree->sources, "change"));

    if (is_above(tree, keeli_index_of(child), keeli_index_of(parent))) {
        return keeli_error(world, KEEL_ERROR_CYCLE,
                           "cannot attach %s to %s: that is itself or one of its descendants",
                           KEELI_ENTITY(world, child), KEELI_ENTITY(world, parent));
    }
    if (keel_is_same(keeli_parent_of(world, child), parent)) {
        return attach_again(world, child);
    }

    KEEL_TRY(may_place_name(world, "attach", child, parent));
    if (!keeli_reserve_edge(world, tree, keeli_index_of(child), keeli_index_of(parent))) {
        return keeli_out_of_memory(world, "attaching a child");
    }

    keeli_commit_relate(world, tree, child, parent, NULL);
    if (world->names.count)
        keeli_place_name(world, child);
    validate_tree(world);
    return keeli_done(world, KEEL_OK);
}

void keeli_commit_detach(keel_world *world, keel_entity child) {
    keeli_relation *tree = world->relations.child;
    const uint32_t source = keeli_index_of(child);
    keeli_notify_unrelated(world, tree, source, 0);
    keeli_remove_edge(world, tree, source, 0, false);
}

keel_result keeli_edit_detach(keel_world *world, const keeli_holder *holder, keel_entity child) {
    if (!keeli_entity_is_alive(&world->entities, child)) {
        return keeli_dead_entity(world, "keel_detach", child);
    }
    if (!keeli_has_parent(world, child))
        return KEEL_ABSENT;
    KEEL_TRY(keeli_may_edit(world, holder, world->relations.child->sources, "change"));
    KEEL_TRY(may_place_name(world, "detach", child, keel_null()));
    keeli_commit_detach(world, child);
    validate_tree(world);
    return keeli_done(world, KEEL_OK);
}

// ------------------------------------------------------------------ fast paths
// The common case of an exclusive relation: no other holder uses the relation, it has no followers,
// the source has no target yet, other entities in the blocks of 64 of both ends have targets and
// sources, and in an acyclic relation the source has no sources itself. Then an edge is two records
// on pages that exist, and two bits (benchmarks hier_attach, rel_relate). Everything else is in
// functions that are tail calls. Ordinary calls would make the fast path save six registers, a
// tenth of its instructions.
static __attribute__((noinline)) keel_result relate_general(keel_world *world, keeli_relation *r,
                                                            keel_entity e, keel_entity to) {
    return r == world->relations.child
               ? keeli_attach_general(world, NULL, e, to)
               : keeli_edit_relate(world, NULL, e, &r->sources->component, to, NULL);
}

// Adds an edge to a target without sources.
static __attribute__((noinline)) keel_result
link_first(keel_world *world, keeli_relation *r, keel_entity e, keel_entity to, uint64_t *beside) {
    const uint32_t source = keeli_index_of(e), target = keeli_index_of(to);
    uint64_t *there = keeli_live_word(r->targets, target);
    if (!there || !keeli_entity_has_version(&world->entities, to) || source == target)
        return relate_general(world, r, e, to);
    keeli_edges_add(&r->edges, e, to);
    keeli_store_set_bit_beside(r->sources, beside, keeli_bit_of(source));
    keeli_store_set_bit_beside(r->targets, there, keeli_bit_of(target));
    keeli_validate_storage(world, r->sources);
    return KEEL_OK;
}

// Adds an edge to a target with sources. As an entity with sources is alive, comparing the versions
// is enough to tell that `to` is alive.
static __attribute__((noinline)) keel_result
link_last(keel_world *world, keeli_relation *r, keel_entity e, keel_entity to, uint64_t *beside) {
    const uint32_t source = keeli_index_of(e), target = keeli_index_of(to);
    if (!keeli_store_has(r->targets, target))
        return link_first(world, r, e, to, beside);
    const keeli_chains *chains = &r->edges.chains;
    keeli_chain *chain = keeli_chain_at(chains, target);
    if (world->entities.root.versions[target / KEELI_PAGE][target % KEELI_PAGE] !=
            (uint32_t)(to.bits >> KEEL_ENTITY_INDEX_BITS) ||
        chain->stamp == UINT32_MAX || source == target)
        return relate_general(world, r, e, to);

    keeli_chains_append(chains, keeli_link_at(chains, source), chain, e, to);
    ++r->edges.count;
    ++r->edges.edits;
    keeli_store_set_bit_beside(r->sources, beside, keeli_bit_of(source));
    keeli_validate_storage(world, r->sources);
    return KEEL_OK;
}

// Adds an edge while snapshots exist.
static __attribute__((noinline)) keel_result link_stamped(keel_world *world, keeli_relation *r,
                                                          keel_entity e, keel_entity to,
                                                          uint64_t *beside) {
    keeli_chains_stamp_append(&r->edges.chains, keeli_index_of(e), keeli_index_of(to));
    return link_last(world, r, e, to, beside);
}

keel_result keeli_relate(keel_world *world, keeli_relation *r, keel_entity e, keel_entity to) {
    const keeli_storage *s = r->sources;
    const uint32_t source = keeli_index_of(e);
    if (!keeli_is_free(world, s) ||
        (keeli_flags_of(s) & ~(uint32_t)KEELI_IS_STORED_OTHERWISE) != KEELI_IS_LINK)
        return relate_general(world, r, e, to);
    uint64_t *beside = keeli_live_word(s, source);
    if (!beside || *beside >> (source % 64) & 1 ||
        (r->is_acyclic && keeli_store_has(r->targets, source)) ||
        !keeli_entity_has_version(&world->entities, e))
        return relate_general(world, r, e, to);
    if (r->edges.stamps)
        return link_stamped(world, r, e, to, beside);
    return link_last(world, r, e, to, beside);
}

// The fast path of a relation that is not exclusive, if the edge lists of both ends have room
// (rel_relate: half of the instructions). Returns false, and changes nothing, if the general path
// is needed.
static bool relate_to_many_beside(const keel_world *world, keeli_relation *r, keel_entity e,
                                  keel_entity other) {
    const keeli_storage *s = r->sources;
    if (!keeli_is_free(world, s) || !keeli_edges_are_plain(r) || s->component.on_delete ||
        r->edges.is_chained)
        return false;
    const uint32_t source = keeli_index_of(e), target = keeli_index_of(other);
    uint64_t *beside = keeli_live_word(r->sources, source);
    uint64_t *there = keeli_live_word(r->targets, target);
    if (!beside || !there || !keeli_entity_has_version(&world->entities, e) ||
        !keeli_entity_has_version(&world->entities, other) ||
        !keeli_edges_add_beside(&r->edges, source, target))
        return false;
    if (!(*beside & keeli_bit_of(source)))
        keeli_store_set_bit_beside(r->sources, beside, keeli_bit_of(source));
    if (!(*there & keeli_bit_of(target)))
        keeli_store_set_bit_beside(r->targets, there, keeli_bit_of(target));
    keeli_validate_storage(r->sources->world, s);
    return true;
}

keel_result keeli_edit_relate(keel_world *world, const keeli_holder *holder, keel_entity e,
                              const keel_component *relation, keel_entity other,
                              const void *value) {
    keel_result result;
    keeli_relation *r = to_edit(world, holder, relation, e, other, "keel_relate", &result);
    const uint32_t source = keeli_index_of(e), target = keeli_index_of(other);
    if (!r)
        return result;
    if (value && !r->sources->component.size)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "the relation '%s' has no values; pass NULL",
                            r->sources->component.name);
    const uint32_t place = keeli_edges_find(&r->edges, source, target);
    if (place != KEELI_NO_EDGE && value && keeli_edges_have_values(&r->edges))
        return write_edge(world, r, e, place, value);
    if (place != KEELI_NO_EDGE)
        return value ? set_related_value(world, r, e, NULL, value) : KEEL_OK;
    if (r == world->relations.child)
        return keeli_attach_general(world, holder, e, other);
    if (r->sources->component.acyclic && is_above(r, source, target))
        return cycle(world, r->sources, e, other);
    if (!keeli_reserve_edge(world, r, source, target))
        return keeli_out_of_memory(world, "relating entities");
    if (r->sources->size)
        return set_related_value(world, r, e, &other, value);
    keeli_commit_relate(world, r, e, other, value);
    keeli_validate_storage(world, r->sources);
    return keeli_done(world, KEEL_OK);
}

static keel_result unrelate(keel_world *world, const keeli_holder *holder, keel_entity e,
                            const keel_component *relation, keel_entity other, const void *value) {
    keel_result result;
    keeli_relation *r = to_edit(world, holder, relation, e, other, "keel_unrelate", &result);
    (void)value;
    if (!r)
        return result;
    const uint32_t source = keeli_index_of(e);
    const uint32_t place = keeli_edges_find(&r->edges, source, keeli_index_of(other));
    if (place == KEELI_NO_EDGE)
        return KEEL_ABSENT;
    if (r == world->relations.child)
        return keeli_edit_detach(world, holder, e);
    keeli_notify_unrelated(world, r, source, place);
    keeli_remove_edge(world, r, source, place, false);
    keeli_validate_storage(world, r->sources);
    return keeli_done(world, KEEL_OK);
}

static keel_result unrelate_end(keel_world *world, const keeli_holder *holder, keel_entity e,
                                const keel_component *relation, bool sources) {
    keel_result result;
    const char *call = sources ? "keel_unrelate_sources" : "keel_unrelate_all";
    keeli_relation *r = to_edit(world, holder, relation, e, e, call, &result);
    if (!r)
        return result;
    if (!keeli_store_has(sources ? r->targets : r->sources, keeli_index_of(e)))
        return KEEL_ABSENT;
    if (r == world->relations.child && !sources)
        return keeli_edit_detach(world, holder, e);
    if (r == world->relations.child)
        KEEL_TRY(keeli_may_orphan(world, holder, e));
    keeli_remove_edges_of(world, r, keeli_index_of(e), sources);
    return keeli_done(world, KEEL_OK);
}

static keel_result unrelate_all(keel_world *world, const keeli_holder *holder, keel_entity e,
                                const keel_component *relation, keel_entity other,
                                const void *value) {
    (void)other, (void)value;
    return unrelate_end(world, holder, e, relation, false);
}

static keel_result unrelate_sources(keel_world *world, const keeli_holder *holder, keel_entity e,
                                    const keel_component *relation, keel_entity other,
                                    const void *value) {
    (void)other, (void)value;
    return unrelate_end(world, holder, e, relation, true);
}

keel_result(keel_relate_component)(keel_scope *scope, keel_entity source,
                                   const keel_component *relation, keel_entity target,
                                   const void *value) {
    if (keeli_is_world(scope) && !value) {
        keel_world *world = keeli_world_of(scope);
        const keeli_storage *s = keeli_storage_known(world, relation);
        if (s && s->relation && s->relation->is_simple)
            return keeli_relate(world, s->relation, source, target);
        if (s && s->relation && relate_to_many_beside(world, s->relation, source, target))
            return KEEL_OK;
    }
    return keeli_edit_pair(scope, source, relation, target, value, keeli_edit_relate);
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

// ------------------------------------------------------------------ reading
// Returns the relation. NULL if the world does not know it, or the scope may not read it.
static const keeli_relation *look_at_relation(const keel_scope *scope,
                                              const keel_component *relation) {
    const keeli_storage *s =
        keeli_is_world(scope) ? keeli_storage_known(keeli_world_of(scope), relation) : NULL;
    if (s && s->relation && !keeli_store_has_sources(s) && !(s->flags & KEELI_IS_BOUND)) {
        return s->relation; // saves a quarter of the instructions (target_of)
    }

    keeli_caller who;
    if (keeli_caller_is(scope, &who) < 0)
        return NULL;
    s = keeli_look_up(&who, relation, KEEL_ACCESS_READ);
    if (!s)
        return NULL;

    if (s->relation && !keeli_store_has_sources(s)) {
        return s->relation;
    }
    keeli_misuse(who.world, KEEL_ERROR_ARGUMENT,
                 "'%s' is no relation; declare it with KEEL_RELATION", s->component.name);
    return NULL;
}

static bool end_is_alive(const keeli_relation *r, keel_entity e) {
    return keeli_entity_is_alive(&r->sources->world->entities, e);
}

bool(keel_is_related_component)(const keel_scope *scope, keel_entity source,
                                const keel_component *relation, keel_entity target) {
    const keeli_relation *r = look_at_relation(scope, relation);
    if (!r || !end_is_alive(r, source) || !end_is_alive(r, target)) {
        return false;
    }

    const uint32_t index = keeli_index_of(source);
    return keeli_edges_find(&r->edges, index, keeli_index_of(target)) != KEELI_NO_EDGE;
}

// Returns the place of `other` in the list of targets, or sources, of an entity. KEELI_NO_EDGE if
// they are not related.
static uint32_t edge_place_of(const keeli_relation *r, keeli_end end, keel_entity of,
                              keel_entity other) {
    if (!end_is_alive(r, of) || !end_is_alive(r, other)) {
        return KEELI_NO_EDGE;
    }

    if (end == KEELI_TARGETS) {
        return keeli_edges_find(&r->edges, keeli_index_of(of), keeli_index_of(other));
    }

    const uint32_t source = keeli_index_of(other);
    const uint32_t place = keeli_edges_find(&r->edges, source, keeli_index_of(of));
    if (place == KEELI_NO_EDGE)
        return place;
    return keeli_edge_twin(&r->edges, KEELI_TARGETS, source, place);
}

// Returns the value of an edge. NULL if there is no such edge, or edges of the relation have no
// values.
static void *edge_value_of(const keeli_relation *r, keel_entity source, keel_entity target) {
    const keeli_edges *edges = &r->edges;
    if (!keeli_edges_have_values(edges))
        return NULL;

    const uint32_t place = edge_place_of(r, KEELI_TARGETS, source, target);
    if (place == KEELI_NO_EDGE)
        return NULL;
    return keeli_edge_value(edges, keeli_index_of(source), place);
}

const void *(keel_get_related_component)(const keel_scope *scope, keel_entity source,
                                         const keel_component *relation, keel_entity target) {
    const keeli_relation *r = look_at_relation(scope, relation);
    if (!r)
        return NULL;
    if (keeli_edges_have_values(&r->edges)) {
        return edge_value_of(r, source, target);
    }

    if (!(keel_is_related_component)(scope, source, relation, target)) {
        return NULL;
    }
    return (keel_get_component)(scope, source, relation);
}

void *(keel_get_related_component_mut)(keel_scope *scope, keel_entity source,
                                       const keel_component *relation, keel_entity target) {
    keeli_relation *r = (keeli_relation *)(uintptr_t)look_at_relation(scope, relation);
    if (!r)
        return NULL;
    if (!keeli_edges_have_values(&r->edges)) {
        if (!(keel_is_related_component)(scope, source, relation, target)) {
            return NULL;
        }
        return (keel_get_component_mut)(scope, source, relation);
    }

    keeli_storage *s = r->sources;
    keeli_caller who;
    const uint32_t place = edge_place_of(r, KEELI_TARGETS, source, target);
    if (place == KEELI_NO_EDGE || keeli_caller_is(scope, &who) < 0)
        return NULL;
    if (!keeli_may_write_edges(scope, &who, s))
        return NULL;

    const uint32_t index = keeli_index_of(source);
    mark_edge(who.world, r, index, place);
    keeli_track_modified(who.world, s, index);
    if (r->edges.is_symmetric) {
        keeli_track_modified(who.world, s, keeli_index_of(target));
    }
    return keeli_edge_value(&r->edges, index, place);
}

keel_entity(keel_target_of_component)(const keel_scope *scope, keel_entity source,
                                      const keel_component *relation) {
    const keeli_relation *r = look_at_relation(scope, relation);
    if (!r)
        return keel_null();
    if (r->edges.is_chained) {
        return keeli_target_of(&r->edges.chains, source);
    }
    if (!end_is_alive(r, source))
        return keel_null();
    const uint32_t first = keeli_edge_first(&r->edges, KEELI_TARGETS, keeli_index_of(source));
    return entity_at(r, KEELI_TARGETS, source, first);
}

uint32_t(keel_target_count_component)(const keel_scope *scope, keel_entity source,
                                      const keel_component *relation) {
    const keeli_relation *r = look_at_relation(scope, relation);
    if (!r || !end_is_alive(r, source))
        return 0;
    return keeli_edge_count(&r->edges, KEELI_TARGETS, keeli_index_of(source));
}

uint32_t(keel_source_count_component)(const keel_scope *scope, keel_entity target,
                                      const keel_component *relation) {
    const keeli_relation *r = look_at_relation(scope, relation);
    if (!r || !end_is_alive(r, target))
        return 0;
    return keeli_edge_count(&r->edges, KEELI_SOURCES, keeli_index_of(target));
}

static keel_entity next_of(const keel_scope *scope, const keel_component *relation, keeli_end end,
                           keel_entity of, keel_entity after) {
    const keeli_relation *r = look_at_relation(scope, relation);
    if (!r || !end_is_alive(r, of))
        return keel_null();
    const uint32_t index = keeli_index_of(of);
    if (keel_is_null(after)) {
        return entity_at(r, end, of, keeli_edge_first(&r->edges, end, index));
    }

    const uint32_t place = edge_place_of(r, end, of, after);
    if (place == KEELI_NO_EDGE)
        return keel_null();
    return entity_at(r, end, of, keeli_edge_after(&r->edges, end, index, place));
}

keel_entity(keel_next_target_component)(const keel_scope *scope, keel_entity source,
                                        const keel_component *relation, keel_entity after) {
    return next_of(scope, relation, KEELI_TARGETS, source, after);
}
keel_entity(keel_next_source_component)(const keel_scope *scope, keel_entity target,
                                        const keel_component *relation, keel_entity after) {
    return next_of(scope, relation, KEELI_SOURCES, target, after);
}

// ------------------------------------------------------------------ over many edges
// Returns the relation for a walk over targets of targets, or sources of sources. NULL, reported,
// if it is not exclusive, because then several ways lead up.
static const keeli_relation *look_along(const keel_scope *scope, const keel_component *relation,
                                        keel_entity from, keel_entity after) {
    const keeli_relation *r = look_at_relation(scope, relation);
    if (!r)
        return NULL;

    if (!r->edges.is_exclusive) {
        const keeli_storage *s = r->sources;
        keeli_misuse(s->world, KEEL_ERROR_ARGUMENT,
                     "'%s' is not .exclusive: only in a relation with one target can you walk to "
                     "what lies above and below",
                     s->component.name);
        return NULL;
    }
    return end_is_alive(r, from) && end_is_alive(r, after) ? r : NULL;
}

keel_entity(keel_next_target_above_component)(const keel_scope *scope, keel_entity source,
                                              const keel_component *relation, keel_entity after) {
    if (keel_is_null(after))
        after = source;
    const keeli_relation *r = look_along(scope, relation, source, after);
    if (!r)
        return keel_null();
    const keeli_edges *edges = &r->edges;
    const uint32_t at = keeli_index_of(after);
    if (!keeli_edge_count(edges, KEELI_TARGETS, at)) {
        return keel_null();
    }
    const uint32_t next = keeli_edge_other(edges, KEELI_TARGETS, at, 0);
    uint32_t below = keeli_index_of(source), left = r->edges.count;

    // In a cycle the walk ends before the first target that it visited already.
    if (!r->sources->component.acyclic) {
        for (; below != next && below != at && left; --left) {
            if (!keeli_edge_count(edges, KEELI_TARGETS, below)) {
                below = at;
                break;
            }
            below = keeli_edge_other(edges, KEELI_TARGETS, below, 0);
        }
    }
    return below == next ? keel_null() : entity_at(r, KEELI_TARGETS, after, 0);
}

// Returns `place`, a place in the target's list of sources, or the next place if the source there
// is `but`. In a cycle, `but` is the root of the walk, which must not be visited again.
static uint32_t unless_to(const keeli_relation *r, uint32_t target, uint32_t place, uint32_t but) {
    if (place != KEELI_NO_EDGE &&
        keeli_edge_other(&r->edges, KEELI_SOURCES, target, place) == but) {
        return keeli_edge_after(&r->edges, KEELI_SOURCES, target, place);
    }
    return place;
}

keel_entity(keel_next_source_below_component)(const keel_scope *scope, keel_entity target,
                                              const keel_component *relation, keel_entity after) {
    if (keel_is_null(after))
        after = target;
    const keeli_relation *r = look_along(scope, relation, target, after);
    if (!r)
        return keel_null();
    const keeli_edges *edges = &r->edges;
    const uint32_t root = keeli_index_of(target);
    uint32_t at = keeli_index_of(after);
    uint32_t place = unless_to(r, at, keeli_edge_first(edges, KEELI_SOURCES, at), root);
    // The loop climbs from `after` to the target. If it meets an entity without a target first,
    // `after` is not below the target.
    for (uint32_t left = r->edges.count; place == KEELI_NO_EDGE && at != root; --left) {
        if (!left || !keeli_edge_count(edges, KEELI_TARGETS, at)) {
            return keel_null();
        }
        const uint32_t twin = keeli_edge_twin(edges, KEELI_TARGETS, at, 0);
        at = keeli_edge_other(edges, KEELI_TARGETS, at, 0);
        place = unless_to(r, at, keeli_edge_after(edges, KEELI_SOURCES, at, twin), root);
    }
    return entity_at(r, KEELI_SOURCES, keeli_entity_at(&r->sources->world->entities, at), place);
}

// ------------------------------------------------------------------ loops
static keeli_end walk_end(const keeli_relation_walk *walk) {
    return walk->to_sources ? KEELI_SOURCES : KEELI_TARGETS;
}

// Stores the value of the edge at a place with the walk's item `i`; NULL if the relation has none.
static void fill_value(keeli_relation_walk *walk, uint32_t i, uint32_t place) {
    const keeli_relation *r = walk->relation;
    const keeli_edges *edges = &r->edges;
    uint32_t source = keeli_index_of(walk->of);
    if (walk->to_sources) {
        place = keeli_edge_twin(edges, KEELI_SOURCES, source, place);
        source = keeli_index_of(walk->items[i]);
    }

    void *value = NULL;
    if (keeli_edges_have_values(edges))
        value = keeli_edge_value(edges, source, place);
    else if (r->sources->size)
        value = keeli_store_value_there(r->sources, source);
    ((keeli_valued_walk *)walk)->values[i] = value;
}

enum { MOST_ITEMS = sizeof((keeli_relation_walk *)0)->items / sizeof(keel_entity) };

static void add_item(keeli_relation_walk *walk, uint32_t other, uint32_t place) {
    const keeli_relation *r = walk->relation;
    walk->items[walk->count] = keeli_entity_at(&r->sources->world->entities, other);
    if (walk->wants_values)
        fill_value(walk, walk->count, place);
    ++walk->count;
}

static void fill_from_list(keeli_relation_walk *walk) {
    const keeli_relation *r = walk->relation;
    const keeli_edge_side *side = keeli_edge_side_of(&r->edges, walk_end(walk));
    keeli_edge_list *list = keeli_edge_list_of(side, keeli_index_of(walk->of));
    const uint32_t end = list->used < walk->end ? list->used : walk->end;
    uint32_t place = walk->place;
    walk->at = walk->count = 0;
    for (; walk->count < MOST_ITEMS && place < end; ++place) {
        const uint32_t other = *keeli_edge_entry(list, side->stride, place);
        if (other != KEELI_HOLE)
            add_item(walk, other, place);
    }
    walk->place = place < end ? place : walk->end;
}

// Fills the walk from a chain of sources. `place` and `end` are stamps: of the last source that the
// walk visited, and of the chain's last source when the walk began.
static void fill_from_chain(keeli_relation_walk *walk) {
    const keeli_relation *r = walk->relation;
    const keeli_chains *chains = &r->edges.chains;
    const uint32_t target = keeli_index_of(walk->of);

    // Continue behind the last visited source that is still related to the target.
    uint32_t source = KEELI_NO_EDGE;
    for (uint32_t i = walk->count; i-- && source == KEELI_NO_EDGE;) {
        const uint32_t item = keeli_index_of(walk->items[i]);
        const keeli_link *link = keeli_link_at(chains, item);
        if (link->stamp && keeli_index_of(link->target) == target && link->stamp <= walk->place) {
            source = item;
        }
    }
    source = keeli_chains_behind(chains, target, source, walk->place);

    walk->at = walk->count = 0;
    while (source != KEELI_NO_EDGE && walk->count < MOST_ITEMS) {
        const keeli_link *link = keeli_link_at(chains, source);
        if (link->stamp > walk->end)
            break;
        walk->place = link->stamp;
        walk->items[walk->count] = keeli_source_of(link, source);
        if (walk->wants_values) {
            fill_value(walk, walk->count, source);
        }
        ++walk->count;
        source = link->next;
    }
    if (source == KEELI_NO_EDGE || keeli_link_at(chains, source)->stamp > walk->end) {
        walk->place = walk->end;
    }
}

static void fill_with_target(keeli_relation_walk *walk) {
    const keeli_relation *r = walk->relation;
    const keeli_link *link = keeli_link_of(&r->edges.chains, keeli_index_of(walk->of));
    walk->at = walk->count = 0;
    if (link && link->stamp) {
        add_item(walk, keeli_index_of(link->target), 0);
    }
    walk->place = walk->end;
}

// Fills the walk with the next handles, as many as it has room for.
static __attribute__((noinline)) void fill_walk(keeli_relation_walk *walk) {
    const keeli_relation *r = walk->relation;
    if (!r->edges.is_chained)
        fill_from_list(walk);
    else if (walk->to_sources)
        fill_from_chain(walk);
    else
        fill_with_target(walk);
    walk->seen = r->edges.edits;
}

// Returns the end of a walk that begins now: the place behind the last edge of a list, or the stamp
// of a chain's last source. 0 if there is nothing to visit.
static uint32_t end_of_now(const keeli_relation *r, keeli_end end, uint32_t index) {
    const keeli_edges *edges = &r->edges;
    if (!keeli_edge_count(edges, end, index))
        return 0;
    if (!edges->is_chained) {
        return keeli_edge_list_of(keeli_edge_side_of(edges, end), index)->used;
    }

    if (end == KEELI_TARGETS)
        return 1;
    return keeli_chain_at(&edges->chains, index)->stamp;
}

void keeli_relation_walk_begin(keeli_relation_walk *walk, const keel_scope *scope, keel_entity of,
                               const keel_component *relation, bool to_sources, bool wants_values) {
    static const uint64_t no_edits = 0;
    keeli_caller who;
    const keeli_relation *r = look_at_relation(scope, relation);
    walk->relation = r && end_is_alive(r, of) ? r : NULL;
    walk->edits = walk->relation ? &r->edges.edits : &no_edits;
    walk->seen = 0;
    walk->of = of;
    walk->to_sources = to_sources;
    walk->wants_values = wants_values;
    walk->is_counted = false;
    walk->place = 0;
    walk->end = 0;
    walk->at = 0;
    walk->count = 0;
    if (!walk->relation)
        return;

    walk->end = end_of_now(walk->relation, walk_end(walk), keeli_index_of(of));
    if (!walk->end)
        return;
    fill_walk(walk);

    // If there are more handles than fit and the body may edit, the walk is counted, so that edges
    // keep their places in lists.
    if (walk->place == walk->end || keeli_caller_is(scope, &who) < 0) {
        return;
    }
    walk->is_counted =
        !who.editor || keeli_holder_access(who.editor, r->sources) > KEEL_ACCESS_READ;
    if (walk->is_counted) {
        keeli_atomic_fetch_add((uint32_t *)(uintptr_t)&r->edges.walks, 1);
    }
}

void keeli_relation_walk_close(keeli_relation_walk *walk) {
    const uintptr_t edges = (uintptr_t)walk->edits - offsetof(keeli_edges, edits);
    keeli_atomic_fetch_add(&((keeli_edges *)edges)->walks, UINT32_MAX); // one less
}

void keeli_relation_walk_more(keeli_relation_walk *walk) {
    const keeli_relation *r = walk->relation;
    if (!r)
        return;
    if (walk->seen != r->edges.edits) { // skips items that are not related any more
        if (walk->seen < r->born || !end_is_alive(r, walk->of)) {
            walk->at = walk->count;
            walk->place = walk->end;
        }

        uint32_t place = KEELI_NO_EDGE;
        for (; walk->at < walk->count; ++walk->at) {
            place = edge_place_of(r, walk_end(walk), walk->of, walk->items[walk->at]);
            if (place != KEELI_NO_EDGE)
                break;
        }
        if (walk->at < walk->count && walk->wants_values) {
            fill_value(walk, walk->at, place);
        }
    }
    if (walk->at >= walk->count && walk->place < walk->end) {
        fill_walk(walk);
    }
}

// ------------------------------------------------------------------ checking
// True if each entity with the component has edges.
static bool storage_is_valid(const keeli_storage *s, const keeli_edges *edges, keeli_end end) {
    KEELI_EACH_BIT(i, &s->presence)
        if (!keeli_edge_count(edges, end, i))
            return false;
    return true;
}

bool keeli_relation_is_valid(const keeli_relation *r) {
    const keeli_edges *edges = &r->edges;
    for (keeli_edge_walk at = { 0, 0 }; keeli_edges_next(edges, &at); ++at.place) {
        const uint32_t target = keeli_edge_other(edges, KEELI_TARGETS, at.source, at.place);
        if (!keeli_store_has(r->sources, at.source) || !keeli_store_has(r->targets, target))
            return false;
    }
    return keeli_edges_are_valid(edges) && storage_is_valid(r->sources, edges, KEELI_TARGETS) &&
           storage_is_valid(r->targets, edges, KEELI_SOURCES);
}
