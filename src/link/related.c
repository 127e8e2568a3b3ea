// SPDX-License-Identifier: MIT
// Adds and removes edges: one edge, all edges of an entity, and those of clones. Room is made here,
// too. The verbs that call it are in relation.c and hierarchy.c, deletions in edit/delete.c, clones
// in copy/clone.c.
#include "link/relation.h"

#include "world/report.h"

#include <string.h>

static bool has_rule(const keeli_relation *r) {
    return r->sources->component.on_delete != KEEL_UNRELATE;
}

static bool is_edge_observed(const keeli_relation *r) {
    return r->sources->tracking.observers.kinds & KEEL_ON_UNRELATED;
}

// ------------------------------------------------------------------ changing
bool keeli_reserve_doomed(keel_world *world, uint32_t source, uint32_t extra) {
    keeli_relations *all = &world->relations;
    const uint32_t words = source / 64 + 1, old = all->marks.count;
    uint32_t sources = extra;
    for (const keeli_relation *other = all->all; other; other = other->next) {
        if (has_rule(other)) {
            sources += keeli_store_count(other->sources);
        }
    }
    if (!KEELI_RESERVE(&world->heap, &all->doomed, sources)) {
        return false;
    }

    if (words <= old)
        return true;
    if (!KEELI_RESERVE(&world->heap, &all->marks, words - old)) {
        return false;
    }
    memset(all->marks.items + old, 0, (words - old) * sizeof *all->marks.items);
    all->marks.count = words;
    return true;
}
static bool reserve_rule(keel_world *world, const keeli_relation *r, uint32_t source,
                         uint32_t extra) {
    return !has_rule(r) || keeli_reserve_doomed(world, source, extra);
}

// True if the edge counts in both directions. An edge of an entity to itself has only one
// direction.
static bool is_both_ways(const keeli_relation *r, uint32_t source, uint32_t target) {
    return r->edges.is_symmetric && source != target;
}

static bool reserve_end(keel_world *world, keeli_relation *r, uint32_t source, uint32_t target,
                        uint32_t extra) {
    if (!reserve_rule(world, r, source, extra))
        return false;
    if (!keeli_store_reserve(world, r->sources, source)) {
        return false;
    }
    if (!keeli_followers_reserve(world, r->sources, source, extra)) {
        return false;
    }

    // `targets` has no followers
    if (keeli_store_has(r->targets, target))
        return true;
    return keeli_reserve_value(world, r->targets, target);
}

bool keeli_reserve_edge(keel_world *world, keeli_relation *r, uint32_t source, uint32_t target) {
    const bool both = is_both_ways(r, source, target);
    if (!reserve_end(world, r, source, target, 1 + both)) {
        return false;
    }
    if (both && !reserve_end(world, r, target, source, 2)) {
        return false;
    }
    return keeli_edges_reserve(&r->edges, &world->heap, source, target);
}

// Notifies followers that the source loses an edge: with `is_last` that it loses the component,
// otherwise that the component changed. Observers are not called if the source is being deleted,
// because they were called before the deletion.
static void follow_end(keel_world *world, keeli_storage *s, uint32_t source, bool is_last) {
    const uint32_t kinds = keeli_silence_observers(world, s, source);
    if (!is_last)
        keeli_follow_changed(world, s, keeli_entity_at(&world->entities, source));
    else if (keeli_is_followed(s))
        keeli_follow_removing(world, s, source, KEEL_TRACK_DELETION);
    s->tracking.observers.kinds |= kinds;
}
// Prepares the removal of an edge. If it is the last edge of the source, and the component is to be
// removed (not `stays`), notifies followers, drops the value of `sources`, and returns true.
static bool begin_removal(keel_world *world, const keeli_relation *r, uint32_t source, bool stays) {
    keeli_storage *s = r->sources;
    if (stays || keeli_edge_count(&r->edges, KEELI_TARGETS, source) != 1) {
        return false;
    }

    follow_end(world, s, source, true);
    if (s->size || keeli_is_followed(s)) {
        void *value = keeli_store_value(world, s, source);
        keeli_value_delete(world, s, source, value);
    }
    return true;
}

// Finishes the removal of an edge: removes the component from its source (`is_last`, the result of
// begin_removal), or notifies followers that the component changed.
static void end_removal(keel_world *world, const keeli_relation *r, uint32_t source, bool is_last,
                        bool stays) {
    if (is_last)
        keeli_store_pop(world, r->sources, source);
    else if (!stays)
        follow_end(world, r->sources, source, false);
}
// Removes the component `targets` from an entity that has no sources left.
static inline void end_target(keel_world *world, const keeli_relation *r, uint32_t target) {
    if (!keeli_edge_count(&r->edges, KEELI_SOURCES, target))
        keeli_store_pop(world, r->targets, target);
}

// keeli_remove_edge for relations with values, followers, names or symmetry.
static __attribute__((noinline)) void unrelate_general(keel_world *world, keeli_relation *r,
                                                       uint32_t source, uint32_t place,
                                                       bool stays) {
    const uint32_t target = keeli_edge_other(&r->edges, KEELI_TARGETS, source, place);
    const bool both = is_both_ways(r, source, target);
    const bool is_last = begin_removal(world, r, source, stays);
    const bool is_last_there = both && begin_removal(world, r, target, false);
    if (keeli_edges_have_values(&r->edges)) {
        void *value = keeli_edge_value(&r->edges, source, place);
        keeli_value_drop(r->sources, value);
    }

    keeli_edges_remove(&r->edges, &world->heap, source, place);
    end_target(world, r, target);
    if (both)
        end_target(world, r, source);
    end_removal(world, r, source, is_last, stays);
    if (both)
        end_removal(world, r, target, is_last_there, false);

    if (r == world->relations.child && !stays && world->names.count) {
        keeli_place_name(world, keeli_entity_at(&world->entities, source));
    }
}

void keeli_remove_edge(keel_world *world, keeli_relation *r, uint32_t source, uint32_t place,
                       bool stays) {
    if (!keeli_edges_are_plain(r)) {
        unrelate_general(world, r, source, place, stays);
        return;
    }
    if (r->edges.is_chained) {
        const uint32_t of = keeli_index_of(keeli_link_at(&r->edges.chains, source)->target);
        --r->edges.count;
        ++r->edges.edits;
        if (r->edges.stamps)
            keeli_chains_stamp_remove(&r->edges.chains, source);
        if (!keeli_chains_remove(&r->edges.chains, source)->count) {
            keeli_store_pop(world, r->targets, of);
        }
        if (!stays)
            keeli_store_pop(world, r->sources, source);
        return;
    }
    const uint32_t target = keeli_edge_other(&r->edges, KEELI_TARGETS, source, place);
    keeli_edges_remove(&r->edges, &world->heap, source, place);
    end_target(world, r, target);
    if (!stays && !keeli_edge_count(&r->edges, KEELI_TARGETS, source)) {
        keeli_store_pop(world, r->sources, source);
    }
}

void keeli_notify_unrelated(keel_world *world, const keeli_relation *r, uint32_t source,
                            uint32_t place) {
    if (!is_edge_observed(r))
        return;

    const uint32_t target = keeli_edge_other(&r->edges, KEELI_TARGETS, source, place);
    keeli_notify_edge(world, r, source, place, KEEL_ON_UNRELATED);
    if (is_both_ways(r, source, target)) {
        const uint32_t back = keeli_edge_back(&r->edges, source, place);
        keeli_notify_edge(world, r, target, back, KEEL_ON_UNRELATED);
    }
}

// Calls observers for all edges of an entity, before any of these edges is removed.
static void notify_targets(keel_world *world, const keeli_relation *r, uint32_t source) {
    KEELI_EACH_EDGE(at, &r->edges, KEELI_TARGETS, source)
        keeli_notify_unrelated(world, r, source, at);
}
static void notify_sources(keel_world *world, const keeli_relation *r, uint32_t target,
                           uint32_t but) {
    const keeli_edges *edges = &r->edges;
    KEELI_EACH_EDGE(at, edges, KEELI_SOURCES, target) {
        const uint32_t source = keeli_edge_other(edges, KEELI_SOURCES, target, at);
        if (source == but)
            continue;

        const uint32_t place = keeli_edge_twin(edges, KEELI_SOURCES, target, at);
        keeli_notify_unrelated(world, r, source, place);
    }
}

// Removes the only target of a source of an exclusive relation, because it gets another one.
static void leave_target(keel_world *world, keeli_relation *r, uint32_t source) {
    if (!keeli_edge_count(&r->edges, KEELI_TARGETS, source)) {
        return;
    }
    keeli_notify_unrelated(world, r, source, 0);
    r->edges.keeps_room = keeli_edges_have_values(&r->edges);
    keeli_remove_edge(world, r, source, 0, true);
    r->edges.keeps_room = false;
}

void *keeli_commit_edge(keel_world *world, keeli_relation *r, keel_entity e, keel_entity to) {
    const uint32_t source = keeli_index_of(e), target = keeli_index_of(to);
    keeli_storage *targets = r->targets;
    const bool both = is_both_ways(r, source, target);
    if (r->sources->component.exclusive) {
        leave_target(world, r, source);
        if (both)
            leave_target(world, r, target);
    }

    if (!keeli_store_has(targets, target)) {
        (void)keeli_store_push(world, targets, to);
    }
    if (both && !keeli_store_has(targets, source)) {
        (void)keeli_store_push(world, targets, e);
    }
    return keeli_edges_add(&r->edges, e, to);
}

// Moves a value to an edge. NULL: zeros.
static __attribute__((noinline)) void put_value(const keeli_storage *s, void *to,
                                                const void *value) {
    if (value)
        keeli_value_move(s, to, (void *)(uintptr_t)value);
    else
        memset(to, 0, s->component.size);
}

void keeli_commit_relate(keel_world *world, keeli_relation *r, keel_entity e, keel_entity to,
                         const void *value) {
    keeli_storage *s = r->sources;
    const keel_entity ends[] = { e, to };
    const uint32_t indices[] = { keeli_index_of(e), keeli_index_of(to) };
    const uint32_t count = 1 + is_both_ways(r, indices[0], indices[1]);
    bool had[2];
    for (uint32_t i = 0; i < count; ++i)
        had[i] = keeli_store_has(s, indices[i]);

    void *own = keeli_commit_edge(world, r, e, to);
    if (own)
        put_value(s, own, value);
    for (uint32_t i = 0; i < count; ++i) {
        if (!had[i])
            (void)keeli_store_push(world, s, ends[i]);
    }

    for (uint32_t i = 0; i < count; ++i) {
        if (had[i])
            keeli_follow_changed(world, s, ends[i]);
        else
            keeli_follow_added(world, s, indices[i]);
    }
    for (uint32_t i = 0; i < count; ++i)
        keeli_notify_related(world, r, indices[i]);
}

static void remove_targets(keel_world *world, keeli_relation *r, uint32_t source) {
    uint32_t at = KEELI_NO_EDGE;
    while ((at = keeli_edge_last(&r->edges, KEELI_TARGETS, source, at)) != KEELI_NO_EDGE)
        keeli_remove_edge(world, r, source, at, false);
}
static void remove_sources(keel_world *world, keeli_relation *r, uint32_t target) {
    const keeli_edges *edges = &r->edges;
    if (edges->is_chained && keeli_edges_are_plain(r) && keeli_store_has(r->targets, target)) {
        // without repairing links one by one: a quarter of the instructions (rel_target_dies)
        KEELI_EACH_EDGE(at, edges, KEELI_SOURCES, target)
            keeli_store_pop(world, r->sources, at);
        keeli_edges_remove_sources(&r->edges, target);
        keeli_store_pop(world, r->targets, target);
        return;
    }

    uint32_t at = KEELI_NO_EDGE;
    while ((at = keeli_edge_last(edges, KEELI_SOURCES, target, at)) != KEELI_NO_EDGE) {
        const uint32_t source = keeli_edge_other(edges, KEELI_SOURCES, target, at);
        const uint32_t place = keeli_edge_twin(edges, KEELI_SOURCES, target, at);
        keeli_remove_edge(world, r, source, place, false);
    }
}

void keeli_remove_edges_of(keel_world *world, keeli_relation *r, uint32_t index, bool sources) {
    const bool is_observed = is_edge_observed(r);
    if (sources) {
        if (is_observed) {
            notify_sources(world, r, index, UINT32_MAX);
        }
        remove_sources(world, r, index);
    } else {
        if (is_observed)
            notify_targets(world, r, index);
        remove_targets(world, r, index);
    }
}

void keeli_notify_unrelated_entity(keel_world *world, keel_entity e) {
    const uint32_t index = keeli_index_of(e);
    for (const keeli_relation *r = world->relations.all; r; r = r->next) {
        if (!is_edge_observed(r))
            continue;
        notify_targets(world, r, index);
        if (!r->edges.is_symmetric) {
            notify_sources(world, r, index, index);
        }
    }
}
void keeli_commit_unrelate_entity(keel_world *world, keel_entity e) {
    const uint32_t index = keeli_index_of(e);
    keeli_relation *tree = world->relations.child;
    uint32_t at = UINT32_MAX;
    // If the hierarchy is the only relation, the components of the entity need not be searched for
    // relations, which saves a quarter of the instructions of a deletion.
    if (world->relations.all == tree) {
        if (keeli_edge_count(&tree->edges, KEELI_TARGETS, index)) {
            remove_targets(world, tree, index);
        }
        if (keeli_edge_count(&tree->edges, KEELI_SOURCES, index)) {
            remove_sources(world, tree, index);
        }
        return;
    }
    for (const keeli_storage *s; (s = keeli_store_next_of(world, index, &at)) != NULL;) {
        if (!s->relation)
            continue;
        remove_targets(world, s->relation, index);
        remove_sources(world, s->relation, index);
    }
}

// ------------------------------------------------------------------ copies of all edges
keel_result keeli_copy_edges(const keeli_storage *s, keeli_edges *to, const keeli_edges *from,
                             keeli_heap *heap) {
    if (!keeli_edges_copy(to, from, heap)) {
        return KEEL_ERROR_MEMORY;
    }
    if (!s->component.copy || !keeli_edges_have_values(to)) {
        return KEEL_OK;
    }

    uint32_t made = 0;
    for (keeli_edge_walk at = { 0, 0 }; keeli_edges_next(from, &at); ++at.place) {
        if (keeli_edge_has_value(from, at.source, at.place)) {
            const void *value = keeli_edge_value(from, at.source, at.place);
            void *copy = keeli_edge_value(to, at.source, at.place);
            if (!keeli_hook_copy(s, copy, value))
                break;
        }
        ++made;
    }
    if (made == from->count)
        return KEEL_OK;

    keeli_edge_walk undo = { 0, 0 };
    for (; made && keeli_edges_next(to, &undo); --made) {
        if (keeli_edge_has_value(to, undo.source, undo.place)) {
            keeli_value_drop(s, keeli_edge_value(to, undo.source, undo.place));
        }
        ++undo.place;
    }
    keeli_edges_clear(to, heap);
    return KEEL_ERROR_COPY;
}

// ------------------------------------------------------------------ edges of clones
// True if clones of an entity get its targets in this relation. They do not get its parent. They do
// not get its target in a symmetric exclusive relation, because the target can have no other
// partner.
static bool edges_are_cloned(const keel_world *world, const keeli_relation *r, uint32_t prototype) {
    if (!keeli_store_has(r->sources, prototype))
        return false;
    if (r == world->relations.child)
        return false;
    return !r->edges.is_symmetric || !r->edges.is_exclusive;
}

// Makes room to relate all copies to the targets of the prototype. False when out of memory.
static bool reserve_copies(keel_world *world, keeli_relation *r, uint32_t prototype,
                           const keel_entity *copies, uint32_t count) {
    keeli_edges *edges = &r->edges;
    keeli_heap *heap = &world->heap;
    const uint32_t each = edges->is_chained ? 0 : keeli_edge_count(edges, KEELI_TARGETS, prototype);
    const bool both = edges->is_symmetric;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t index = keeli_index_of(copies[i]);
        if (!reserve_rule(world, r, index, count))
            return false;
        if (!keeli_store_reserve(world, r->sources, index)) {
            return false;
        }
        if (!keeli_followers_reserve(world, r->sources, index, count)) {
            return false;
        }
        if (!keeli_edge_reserve(edges, heap, KEELI_TARGETS, index, each)) {
            return false;
        }
        if (!both)
            continue;

        if (!keeli_reserve_value(world, r->targets, index)) {
            return false;
        }
        if (!keeli_edge_reserve(edges, heap, KEELI_SOURCES, index, each)) {
            return false;
        }
    }

    KEELI_EACH_EDGE(at, edges, KEELI_TARGETS, prototype) {
        const uint32_t target = keeli_edge_other(edges, KEELI_TARGETS, prototype, at);
        if (!keeli_edge_reserve(edges, heap, KEELI_SOURCES, target, count)) {
            return false;
        }
        if (!both)
            continue;
        if (!keeli_edge_reserve(edges, heap, KEELI_TARGETS, target, count)) {
            return false;
        }
    }
    return keeli_edges_reserve_values(edges, heap, each * count);
}

// Adds to `list` copies of the values of the prototype's edges, a set for each clone.
static keel_result copy_edge_values(keel_world *world, const keeli_relation *r, uint32_t prototype,
                                    uint32_t count, keeli_edge_copies **list) {
    const keeli_storage *s = r->sources;
    const size_t size = s->component.size;
    if (!keeli_can_copy(s))
        return keeli_cannot_copy(world, s);

    keeli_edge_copies *own = KEELI_NEW(&world->heap, keeli_edge_copies);
    if (!own) {
        return keeli_out_of_memory(world, "cloning an entity");
    }

    *own = (keeli_edge_copies){ .next = *list, .relation = r };
    *list = own;
    const size_t room = (size_t)keeli_edge_count(&r->edges, KEELI_TARGETS, prototype) * count;
    own->values = keeli_new(&world->heap, room * size, s->component.align);
    if (!own->values) {
        return keeli_out_of_memory(world, "cloning an entity");
    }

    own->room = room;
    while (own->made < room) {
        KEELI_EACH_EDGE(at, &r->edges, KEELI_TARGETS, prototype) {
            const void *value = keeli_edge_value(&r->edges, prototype, at);
            void *to = own->values + own->made * size;
            if (!s->component.copy)
                memcpy(to, value, size);
            else if (!keeli_hook_copy(s, to, value))
                return keeli_cannot_copy(world, s);
            ++own->made;
        }
    }
    return KEEL_OK;
}

void keeli_end_targets_of(keel_world *world, keeli_edge_copies *values) {
    for (keeli_edge_copies *own = values, *next; own; own = next) {
        const keeli_storage *s = own->relation->sources;
        const size_t size = s->component.size;
        next = own->next;
        for (size_t i = own->given; i < own->made; ++i)
            keeli_value_drop(s, own->values + i * size);
        keeli_free(&world->heap, own->values, own->room * size, s->component.align);
        KEELI_FREE(&world->heap, keeli_edge_copies, own);
    }
}

keel_result keeli_reserve_targets_of(keel_world *world, const keeli_holder *holder,
                                     uint32_t prototype, const keel_entity *copies, uint32_t count,
                                     keeli_edge_copies **values) {
    for (keeli_relation *r = world->relations.all; r; r = r->next) {
        if (!edges_are_cloned(world, r, prototype))
            continue;
        KEEL_TRY(keeli_may_edit(world, holder, r->sources, "clone"));
        if (!reserve_copies(world, r, prototype, copies, count)) {
            return keeli_out_of_memory(world, "cloning an entity");
        }
        if (keeli_edges_have_values(&r->edges)) {
            KEEL_TRY(copy_edge_values(world, r, prototype, count, values));
        }
    }
    return KEEL_OK;
}

void keeli_commit_targets_of(keel_world *world, uint32_t prototype, const keel_entity *copies,
                             uint32_t count, keeli_edge_copies *values) {
    for (keeli_relation *r = world->relations.all; r; r = r->next) {
        const keeli_edges *edges = &r->edges;
        if (!edges_are_cloned(world, r, prototype))
            continue;

        if (r->sources->size) {
            for (uint32_t i = 0; i < count; ++i) // keeli_commit_edges_of added the edges
                keeli_notify_related(world, r, keeli_index_of(copies[i]));
            continue;
        }

        const size_t size = r->sources->component.size;
        keeli_edge_copies *own = values;
        while (own && own->relation != r)
            own = own->next;

        // A symmetric relation adds edges to the prototype here if it is its own target: the loop
        // ends at the edge that was the last one before.
        const uint32_t last = keeli_edge_last(edges, KEELI_TARGETS, prototype, KEELI_NO_EDGE);
        for (uint32_t i = 0; i < count; ++i) {
            uint32_t at = keeli_edge_first(edges, KEELI_TARGETS, prototype);
            while (at <= last) {
                const uint32_t target = keeli_edge_other(edges, KEELI_TARGETS, prototype, at);
                const keel_entity to = keeli_entity_at(&world->entities, target);
                const void *value = own ? own->values + own->given++ * size : NULL;
                keeli_commit_relate(world, r, copies[i], to, value);
                at = keeli_edge_after(edges, KEELI_TARGETS, prototype, at);
            }
        }
    }
}

// A relation whose sources have a value is exclusive, so the prototype has one target.
void keeli_commit_edges_of(keel_world *world, uint32_t prototype, const keel_entity *copies,
                           uint32_t count) {
    for (keeli_relation *r = world->relations.all; r; r = r->next) {
        if (!edges_are_cloned(world, r, prototype) || !r->sources->size) {
            continue;
        }

        const uint32_t target = keeli_edge_other(&r->edges, KEELI_TARGETS, prototype, 0);
        const keel_entity to = keeli_entity_at(&world->entities, target);
        for (uint32_t i = 0; i < count; ++i)
            (void)keeli_commit_edge(world, r, copies[i], to);
    }
}

bool keeli_reserve_rule(keel_world *world, const keeli_relation *r) {
    const uint32_t last = keeli_presence_last(&r->sources->presence);
    if (last == UINT32_MAX)
        return true;
    return reserve_rule(world, r, last, keeli_store_count(r->sources));
}
