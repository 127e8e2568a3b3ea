// SPDX-License-Identifier: MIT
// Makes the copies of a graft (graft.h). Merges (merge.c) and prefabs (prefab.c) choose the nodes.
// Clones (clone.c) and copies of a whole world (copy_world.c) are no grafts.
#include "copy/graft.h"

#include "edit/batch.h"
#include "edit/removal.h"
#include "link/relation.h"
#include "world/tree.h"

#include "data/edge_order.h"
#include "world/field.h"
#include "world/names.h"
#include "world/report.h"

#include <string.h>

static uint32_t slot_of_instance;
const keel_component keeli_instance = { .name = "keel_instance",
                                        .size = sizeof(keel_entity),
                                        .align = _Alignof(keel_entity),
                                        .no_padding = true,
                                        .slot = &slot_of_instance };
const keeli_storage *keeli_instances_of(const keel_world *world) {
    return keeli_storage_find(world, &keeli_instance);
}

static keel_entity made_of(const keeli_graft *g, uint32_t node, uint32_t copy) {
    return g->made[(size_t)node * g->copies + copy];
}

// Returns the position of an entity of `from` among the nodes; UINT32_MAX if it is no node.
static uint32_t node_place_of(const keeli_graft *g, keel_entity e) {
    if (g->places) {
        const uint32_t index = keeli_index_of(e);
        if (index >= g->place_count)
            return UINT32_MAX;
        if (!keeli_entity_is_alive(&g->from->entities, e)) {
            return UINT32_MAX;
        }
        return g->places[index] - 1;
    }

    for (uint32_t i = 0; i < g->count; ++i) {
        if (keel_is_same(g->nodes[i], e))
            return i;
    }
    return UINT32_MAX;
}

keel_entity keeli_graft_copy_of(const keeli_graft *g, keel_entity e, uint32_t copy, bool *refused) {
    if (!keel_is_null(e)) {
        const uint32_t place = node_place_of(g, e);
        if (place != UINT32_MAX)
            return made_of(g, place, copy);
        if (g->outside == KEELI_OUTSIDE_REFUSED)
            *refused = true;
    }

    if (g->outside == KEELI_OUTSIDE_STAYS)
        return e;
    return keel_null();
}

// ------------------------------------------------------------------ values
typedef struct mapping {
    const keeli_graft *g;
    uint32_t copy;
    bool refused;
} mapping;

static keel_entity map(void *data, keel_entity e) {
    mapping *m = data;
    return keeli_graft_copy_of(m->g, e, m->copy, &m->refused);
}

keel_result keeli_graft_value(const keeli_graft *g, const keeli_storage *s, void *to,
                              const void *from, uint32_t copy) {
    const keel_component *c = &s->component;
    if (!keeli_can_copy(s))
        return keeli_cannot_copy(g->to, s);

    const uint32_t before = keeli_refuse_begin(g->to, KEELI_REFUSED_HOOK);
    mapping m = { g, copy, false };
    bool is_copied = true;
    if (!c->copy)
        memcpy(to, from, c->size);
    else
        is_copied = keeli_hook_copy(s, to, from);

    if (is_copied) {
        keeli_fields_map_entities(c->fields, c->field_count, to, map, &m);
    }
    if (m.refused)
        keeli_value_drop(s, to);
    keeli_refuse_end(g->to, before);

    if (!is_copied)
        return keeli_cannot_copy(g->to, s);
    if (!m.refused)
        return KEEL_OK;
    return keeli_error(g->to, KEEL_ERROR_DEAD_ENTITY,
                       "a value of '%s' names an entity that is not there", c->name);
}

// Copies of a value whose handles were redirected to copies. The batch takes the values over.
typedef struct staged {
    struct staged *next;
    const keeli_storage *storage;
    char *values;
    uint32_t room, count;
} staged;

static size_t staged_bytes(const keeli_storage *s, uint32_t room) {
    return s->size ? (size_t)s->size * room : 1;
}

static keel_result stage_copies(const keeli_graft *g, staged **list, const keeli_storage *s,
                                const void *from) {
    keeli_heap *heap = &g->to->heap;
    staged *new = KEELI_NEW(heap, staged);
    if (!new)
        return keeli_out_of_memory(g->to, g->doing);

    *new = (staged){ .next = *list, .storage = s, .room = g->copies };
    *list = new;
    new->values = keeli_new(heap, staged_bytes(s, g->copies), s->component.align);
    if (!new->values) {
        return keeli_out_of_memory(g->to, g->doing);
    }

    char *to = new->values;
    for (; new->count < g->copies; ++new->count) {
        KEEL_TRY(keeli_graft_value(g, s, to, from, new->count));
        to += s->size;
    }
    return KEEL_OK;
}

static void unstage(const keeli_graft *g, staged *list, bool are_handed_over) {
    for (staged *next; list; list = next) {
        const keeli_storage *s = list->storage;
        next = list->next;
        if (!are_handed_over) {
            for (uint32_t i = 0; i < list->count; ++i)
                keeli_value_drop(s, list->values + (size_t)i * s->size);
        }

        keeli_free(&g->to->heap, list->values, staged_bytes(s, list->room), s->component.align);
        KEELI_FREE(&g->to->heap, staged, list);
    }
}

// True if the graft does not add the component like a value: it is derived, transient or left out.
static bool graft_leaves_out(const keeli_graft *g, const keeli_storage *s) {
    if (keeli_store_is_derived(s) || s == g->left_out) {
        return true;
    }
    return s->component.transient && !g->has_transient;
}

static const void *graft_value_of(const keeli_storage *s, uint32_t index) {
    if (keeli_store_is_disabled(s, index)) {
        return keeli_store_disabled_value(s, index);
    }
    return keeli_store_value_there(s, index);
}

// Returns the caller's column for a component of the first node: the last one that has values, or
// else the first. NULL if the caller named none.
static const keel_value_column *over_for(const keeli_graft *g, const keeli_storage *s) {
    const keel_value_column *c = g->over, *found = NULL;
    if (!c || !c->component)
        return NULL;

    const keeli_storage *t = keeli_storage_find(g->to, &s->component);
    for (; c->component; ++c) {
        if (keeli_storage_find(g->to, c->component) != t) {
            continue;
        }
        if (!found || c->values)
            found = c;
    }
    return found;
}

// True if the copy of the first node is alive and keeps its own value, enabled or disabled. A value
// that is disabled in the node is not added here, but by commit_rest.
static bool is_kept(const keeli_graft *g, const keeli_storage *s, const keeli_storage *t,
                    uint32_t index) {
    if (!g->is_onto)
        return false;
    if (!keel_is_same(keeli_entity_at(&g->from->entities, index), g->nodes[0])) {
        return false;
    }

    const uint32_t own = keeli_index_of(g->made[0]);
    return keeli_store_is_disabled(s, index) || keeli_store_has(t, own) ||
           keeli_store_is_disabled(t, own);
}

// Adds columns to a batch for all values of the node with the index `index`. `is_alone`: the batch
// gets the columns of `over`, too, so values that these replace are not copied.
static keel_result add_columns(const keeli_graft *g, const keeli_holder *holder, keeli_batch *b,
                               staged **list, uint32_t index, bool is_alone) {
    uint32_t at = UINT32_MAX;
    for (const keeli_storage *s; (s = keeli_store_next_of(g->from, index, &at)) != NULL;) {
        if (graft_leaves_out(g, s))
            continue;

        keel_result result;
        keeli_storage *t = keeli_storage_to_edit(g->to, holder, &s->component, "add", &result);
        if (!t)
            return result;
        if (is_kept(g, s, t, index))
            continue;

        const keel_value_column *over = is_alone ? over_for(g, s) : NULL;
        const bool is_given = over && over->values;
        if (!keeli_can_copy(s) && !(is_given && s->component.is_move_only)) {
            return keeli_cannot_copy(g->to, s);
        }
        if (is_given)
            continue;

        const void *value = graft_value_of(s, index);
        if (s->size && s->has_handles) {
            KEEL_TRY(stage_copies(g, list, s, value));
            keeli_batch_add(b, holder, t, (*list)->values, s->size, KEELI_HANDED_OVER);
        } else {
            keeli_batch_add(b, holder, t, s->size ? value : NULL, 0, KEELI_COPIED);
        }
        KEEL_TRY(b->result);
    }
    return KEEL_OK;
}

static void add_over(const keeli_graft *g, const keeli_holder *holder, keeli_batch *b) {
    for (const keel_value_column *c = g->over; c && c->component && b->result == KEEL_OK; ++c) {
        keeli_storage *t = keeli_storage_to_edit(g->to, holder, c->component, "add", &b->result);
        if (!t)
            return;

        keeli_handing handing = KEELI_COPIED;
        if (c->values && c->stride) {
            handing = KEELI_HANDED_OVER;
            b->result = keeli_check_stride(g->to, t, c->stride);
        } else if (c->values && !keeli_can_copy(t)) {
            b->result = keeli_cannot_copy(g->to, t);
        }
        if (b->result != KEEL_OK)
            return;
        keeli_batch_add(b, holder, t, c->values, c->stride, handing);
    }
}

// Overwrites values of the first node's copies with those of `over`. This is the last step, because
// afterwards the world owns the caller's values.
static keel_result finish_over(const keeli_graft *g, const keeli_holder *holder) {
    if (!g->over || !g->over->component)
        return KEEL_OK;
    keeli_batch b;
    keeli_batch_begin(&b, g->to, g->made, g->copies, g->doing);
    add_over(g, holder, &b);
    return keeli_batch_finish(&b);
}

// True if handles of the copies are needed before the copies have their values.
static bool needs_handles(const keeli_graft *g, bool is_alone) {
    return !is_alone || g->is_held || g->recipe->points;
}

// Finishes a batch without its observers: tell_unheard calls them later.
static keel_result finish_unheard(keeli_graft *g, keeli_batch *b) {
    if (b->result == KEEL_OK && !KEELI_RESERVE(&g->to->heap, &g->unheard, b->column_count + 1)) {
        b->result = keeli_out_of_memory(g->to, g->doing);
    }

    if (keeli_batch_commit(b)) {
        keeli_batch_tell_others(b);
        for (uint32_t k = 0; k < b->column_count; ++k) {
            const keeli_column *c = &b->columns[k];
            if (!c->is_superseded) {
                *KEELI_APPEND(&g->unheard) = c->storage;
            }
        }
        *KEELI_APPEND(&g->unheard) = NULL;
    }
    return keeli_batch_end(b);
}

// Notifies observers of the components that the copies got, from this node on.
static void tell_unheard(keeli_graft *g, uint32_t node) {
    keel_world *to = g->to;
    for (uint32_t at = 0; at < g->unheard.count; ++at, ++node) {
        const keel_entity *made = &g->made[(size_t)node * g->copies];
        for (keeli_storage *s; (s = g->unheard.items[at]) != NULL; ++at) {
            for (uint32_t copy = 0; copy < g->copies; ++copy)
                keeli_notify(to, s, made[copy], KEEL_ON_INSERTED);
        }

        for (uint32_t copy = 0; copy < g->copies; ++copy)
            keeli_notify(to, &to->stand_in.entities, made[copy], KEEL_ON_CREATED);
    }
    g->unheard.count = 0;
}

// Makes all copies of one node with their values.
static keel_result make_copies(keeli_graft *g, const keeli_holder *holder, uint32_t node,
                               bool is_alone) {
    keel_entity *made = &g->made[(size_t)node * g->copies];
    staged *list = NULL;
    keeli_batch b;
    if (needs_handles(g, is_alone))
        keeli_batch_begin_held(&b, g->to, made, g->copies, g->doing);
    else
        keeli_batch_begin(&b, g->to, NULL, g->copies, g->doing);

    const keel_entity *of = &g->nodes[node];
    b.result = add_columns(g, holder, &b, &list, keeli_index_of(*of), is_alone);
    if (g->link && b.result == KEEL_OK) {
        keeli_batch_add(&b, holder, g->link, of, 0, KEELI_COPIED);
    }
    if (is_alone && b.result == KEEL_OK)
        add_over(g, holder, &b);
    keeli_batch_create(&b, holder, made);

    keel_result result;
    if (is_alone || !g->to->followers.observed)
        result = keeli_batch_finish(&b);
    else
        result = finish_unheard(g, &b);
    unstage(g, list, result == KEEL_OK);
    return result;
}

// ------------------------------------------------------------------ parents, names and relations
// Gives all copies of a node their parents and names.
static keel_result place(const keeli_graft *g, const keeli_holder *holder, uint32_t node) {
    const keel_entity of = g->nodes[node];
    uint32_t at = UINT32_MAX;
    if (g->recipe) {
        at = g->recipe->above[node];
    } else {
        const keel_entity above = keeli_parent_of(g->from, of);
        if (!keel_is_null(above))
            at = node_place_of(g, above);
    }
    const bool is_inside = at != UINT32_MAX;

    const keeli_name *name = NULL;
    if (g->from->names.count && (is_inside || !g->leaves_root_names)) {
        name = keeli_name_at(g->from, of);
    }

    for (uint32_t copy = 0; copy < g->copies; ++copy) {
        const keel_entity e = made_of(g, node, copy);
        const keel_entity parent = is_inside ? made_of(g, at, copy) : g->root;
        if (!keel_is_null(parent)) {
            KEEL_TRY(keeli_edit_attach(g->to, holder, e, parent));
        }
        if (name) {
            KEEL_TRY(keeli_edit_name(g->to, holder, e, name->text));
        }
    }
    return KEEL_OK;
}

// True if the copy of the first node is alive and has its one possible target already.
static bool keeps_target(const keeli_graft *g, const keeli_relation *r) {
    if (!g->is_onto || !r->sources->component.exclusive) {
        return false;
    }
    const keeli_storage *t = keeli_storage_find(g->to, &r->sources->component);
    return t && keeli_store_has(t, keeli_index_of(g->made[0]));
}

// True if the copies get a copy of this edge. `keeps`: the living copy of the first node has a
// target already, so no edge may replace it. An edge from the first node to itself is added by
// commit_rest.
static bool is_related_anew(const keeli_graft *g, const keeli_storage *s, uint32_t node,
                            uint32_t target, bool keeps) {
    if (g->is_onto && !node && !target)
        return false;
    return !keeps || (node && (target || !s->component.symmetric));
}

// Relates the copy of a node to the copy of another one, with a copy of the edge's value.
static keel_result relate(const keeli_graft *g, const keeli_holder *holder, const keeli_relation *r,
                          keeli_edge_walk at, keel_entity e, keel_entity other, uint32_t copy) {
    keel_world *to = g->to;
    const keeli_storage *s = r->sources;
    const keeli_edges *edges = &r->edges;
    const uint32_t size = s->component.size;
    if (!size) {
        return keeli_edit_relate(to, holder, e, &s->component, other, NULL);
    }

    void *value = keeli_new(&to->heap, size, s->component.align);
    if (!value)
        return keeli_out_of_memory(to, g->doing);

    const void *from;
    if (keeli_edges_have_values(edges))
        from = keeli_edge_value(edges, at.source, at.place);
    else
        from = keeli_store_value(g->from, s, at.source);

    keel_result result = keeli_graft_value(g, s, value, from, copy);
    if (result == KEEL_OK) {
        result = keeli_edit_relate(to, holder, e, &s->component, other, value);
        if (result < 0)
            keeli_value_drop(s, value);
    }
    keeli_free(&to->heap, value, size, s->component.align);
    return result;
}

// Copies all edges of one relation between nodes. `order` keeps the order of targets and sources.
static keel_result relate_all(const keeli_graft *g, const keeli_holder *holder,
                              const keeli_relation *r, keeli_edge_order *order) {
    const keeli_entity_index *ix = &g->from->entities;
    const bool keeps = keeps_target(g, r);
    for (keeli_edge_walk at; keeli_edge_order_next(order, &at);) {
        const uint32_t other = keeli_edge_other(&r->edges, KEELI_TARGETS, at.source, at.place);
        const uint32_t node = node_place_of(g, keeli_entity_at(ix, at.source));
        const uint32_t target = node_place_of(g, keeli_entity_at(ix, other));
        if (!is_related_anew(g, r->sources, node, target, keeps)) {
            continue;
        }

        for (uint32_t copy = 0; copy < g->copies; ++copy) {
            const keel_entity e = made_of(g, node, copy);
            const keel_entity to = made_of(g, target, copy);
            const keel_result result = relate(g, holder, r, at, e, to, copy);
            if (result < 0)
                return result;
        }
    }
    return KEEL_OK;
}

// Relates the copies as their nodes are related.
static keel_result relate_copies(const keeli_graft *g, const keeli_holder *holder) {
    keel_result result = KEEL_OK;
    for (const keeli_relation *r = g->from->relations.all; r && result >= 0; r = r->next) {
        if (!r->edges.count || r == g->from->relations.child) {
            continue;
        }
        if (r->sources->component.transient && !g->has_transient) {
            continue;
        }

        keeli_edge_order order = {
            .edges = &r->edges,
            .nodes = g->nodes,
            .numbers = g->places,
            .number_count = g->place_count,
            .count = g->count,
        };
        if (!keeli_edge_order_begin(&order, &g->to->heap)) {
            return keeli_out_of_memory(g->to, g->doing);
        }
        result = relate_all(g, holder, r, &order);
        keeli_edge_order_end(&order, &g->to->heap);
    }
    return result;
}

// Disables the values of all copies of a node that are disabled in the node.
static keel_result hide(const keeli_graft *g, const keeli_holder *holder, uint32_t node) {
    const uint32_t index = keeli_index_of(g->nodes[node]);
    uint32_t at = UINT32_MAX;
    for (const keeli_storage *s; (s = keeli_store_next_of(g->from, index, &at)) != NULL;) {
        if (graft_leaves_out(g, s) || !keeli_store_is_disabled(s, index)) {
            continue;
        }
        if (!node && over_for(g, s))
            continue;

        for (uint32_t copy = 0; copy < g->copies; ++copy) {
            const keel_entity e = made_of(g, node, copy);
            KEEL_TRY(keeli_edit_disable(g->to, holder, e, &s->component));
        }
    }
    return KEEL_OK;
}

// Gives the copies from node `first` on their parents and names, relates the copies of all nodes,
// and notifies the observers. `is_more`: some nodes have relations or disabled values.
static keel_result connect(keeli_graft *g, const keeli_holder *holder, uint32_t first,
                           bool is_more) {
    for (uint32_t node = first; node < g->count; ++node)
        KEEL_TRY(place(g, holder, node));
    if (is_more)
        KEEL_TRY(relate_copies(g, holder));
    tell_unheard(g, first);
    if (!is_more)
        return KEEL_OK;

    for (uint32_t node = first; node < g->count; ++node)
        KEEL_TRY(hide(g, holder, node));
    return KEEL_OK;
}

// ------------------------------------------------------------------ all of it
static keel_result graft_begin(keeli_graft *g, const keeli_holder *holder) {
    keel_world *to = g->to;
    const uint64_t total = g->is_held ? 0 : (uint64_t)(g->count - g->is_onto) * g->copies;
    KEEL_TRY(keeli_may_edit(to, holder, &to->stand_in.entities, "add to"));

    keel_result result = KEEL_ERROR_FULL;
    if (total <= UINT32_MAX) {
        result = keeli_entity_index_reserve(&to->entities, &to->heap, (uint32_t)total);
    }
    if (result == KEEL_ERROR_FULL) {
        return keeli_error(to, result,
                           "cannot add %llu entities: there are not enough free indices",
                           (unsigned long long)total);
    }
    if (result < 0)
        return keeli_out_of_memory(to, g->doing);

    if (g->count <= KEELI_GRAFT_FEW)
        return KEEL_OK;
    const keeli_recipe *r = g->recipe;
    if (r && !r->points && !r->is_more)
        return KEEL_OK; // no value, parent or relation needs to look a node up

    g->place_count = g->from->entities.size;
    g->places = keeli_new_zeroed(&to->heap, g->place_count * sizeof *g->places, sizeof *g->places);
    if (!g->places)
        return keeli_out_of_memory(to, g->doing);
    for (uint32_t i = 0; i < g->count; ++i)
        g->places[keeli_index_of(g->nodes[i])] = i + 1;
    return KEEL_OK;
}

// True if the graft must refuse edits of the source meanwhile, which hooks and observers might try.
// Not while several systems run: they may spawn from the same templates, and none can edit them.
static bool graft_refuses_source(const keeli_graft *g) {
    return g->from != g->to && !g->to->access.concurrent;
}
static uint32_t refuse_source(const keeli_graft *g) {
    keel_world *from = (keel_world *)(uintptr_t)g->from;
    return graft_refuses_source(g) ? keeli_refuse_begin(from, KEELI_REFUSED_COPIED) : 0;
}
static void allow_source(const keeli_graft *g, uint32_t before) {
    if (graft_refuses_source(g)) {
        keeli_refuse_end((keel_world *)(uintptr_t)g->from, before);
    }
}

// Undoes a graft: deletes the first `living` entities of `made`, and frees the `count` handles that
// were reserved for it. Promised handles stay promised.
static void graft_undo(keeli_graft *g, uint32_t living, uint32_t count) {
    keel_world *to = g->to;
    tell_unheard(g, g->is_onto); // observers of deletions must know of the insertions
    for (uint32_t i = living; i-- > g->is_onto;) {
        const keel_entity e = g->made[i];
        keeli_commit_delete_entity(to, e);
        keeli_entity_index_hold_again(&to->entities, e);
    }

    if (g->is_held || count <= g->is_onto)
        return;
    const keel_entity *first = g->made + g->is_onto;
    keeli_entity_index_unhold_all(&to->entities, &g->before, first, count - g->is_onto);
}

void keeli_graft_undo(keeli_graft *g) {
    const uint32_t count = g->count * g->copies;
    graft_undo(g, count, count);
}

void keeli_graft_end(keeli_graft *g) {
    KEELI_RELEASE(&g->to->heap, &g->unheard);
    keeli_free(&g->to->heap, g->places, g->place_count * sizeof *g->places, sizeof *g->places);
}

// ------------------------------------------------------------------ a few plain copies
// A few copies with plain values are made like keel_add_entity makes an entity: a fifth of the time
// of a batch of one (benchmark spawn_5). Handles in their values are redirected once all copies
// exist; values with handles that have followers need a batch, as followers would see old handles.
enum { PLAIN_COPIES = KEELI_SIZE(4, 2), PLAIN_VALUES = KEELI_SIZE(16, 2) };

typedef struct value_list {
    uint32_t count;
    keel_value values[PLAIN_VALUES + 2];
} value_list;

// Lists the values of a node. False if there are too many, if a value has hooks, or if one with
// handles has flags in `to`.
static inline bool list_own(value_list *list, const keel_world *to, const keeli_recipe *r,
                            uint32_t node) {
    const uint32_t index = keeli_index_of(r->nodes[node]);
    const keeli_storage *const *from = r->values + r->first[node], *const *end = r->values +
                                                                                 r->first[node + 1];
    const bool is_more = r->is_more, points = r->points;
    list->count = (uint32_t)(end - from);
    if (list->count >= PLAIN_VALUES)
        return false;
    for (keel_value *v = list->values; from < end; ++from, ++v) {
        const keeli_storage *s = *from;
        if (s->flags & KEELI_HAS_HOOKS)
            return false;
        if (points && s->has_handles) {
            const keeli_storage *t = keeli_storage_known(to, &s->component);
            if (!t || keeli_flags_of(t))
                return false;
        }
        v->component = &s->component;
        v->value = is_more ? graft_value_of(s, index) : keeli_store_value_there(s, index);
    }
    return true;
}

// Lists a value of the caller's: in place of the node's value, which is among the first `own`, or
// in addition. False if it needs a batch.
static bool list_over(value_list *list, const keel_world *to, uint32_t own, const keel_component *c,
                      const void *value) {
    const keeli_storage *t = keeli_storage_known(to, c);
    uint32_t k = 0;
    while (k < own && keeli_storage_known(to, list->values[k].component) != t)
        ++k;

    if (!t || t->flags & KEELI_HAS_HOOKS || (!value && t->size)) {
        return false;
    }
    if (list->count + 1 >= PLAIN_VALUES)
        return false;
    if (k == own)
        k = list->count++;
    list->values[k] = (keel_value){ c, value };
    return true;
}

static inline void list_link(value_list *list, const keeli_storage *link, const keel_entity *node) {
    list->values[list->count] = (keel_value){ &link->component, node };
    list->values[list->count + 1] = (keel_value){ NULL, NULL };
}

static bool list_values(const keeli_graft *g, uint32_t node, uint32_t copy, value_list *list) {
    if (!list_own(list, g->to, g->recipe, node))
        return false;
    const uint32_t own = list->count;
    for (const keel_value_column *c = node ? NULL : g->over; c && c->component; ++c) {
        const void *value = c->values ? (const char *)c->values + copy * c->stride : NULL;
        const keeli_storage *t = keeli_storage_known(g->to, c->component);
        if (c->stride && (!t || c->stride != t->size)) {
            return false;
        }
        if (!list_over(list, g->to, own, c->component, value)) {
            return false;
        }
    }
    list_link(list, g->link, &g->nodes[node]);
    return true;
}

bool keeli_graft_alone(keel_world *to, const keeli_recipe *r, const keeli_storage *link,
                       const keel_value *over, keel_entity *out) {
    value_list list;
    if (r->count > 1 || r->is_more || r->points || !list_own(&list, to, r, 0)) {
        return false;
    }
    const uint32_t own = list.count;
    for (; over && over->component; ++over)
        if (!list_over(&list, to, own, over->component, over->value)) {
            return false;
        }
    list_link(&list, link, r->nodes);
    *out = keeli_world_add_entity(&to->root.scope, list.values);
    return true;
}

// Redirects the handles in values of the copies of a node.
static void point_to_copies(const keeli_graft *g, uint32_t node) {
    const keeli_recipe *r = g->recipe;
    for (uint32_t i = r->first[node]; i < r->first[node + 1]; ++i) {
        const keeli_storage *s = r->values[i];
        if (!s->has_handles)
            continue;
        const keel_value_column *over = node ? NULL : over_for(g, s);
        if (over && over->values)
            continue; // values that the caller gives are not redirected

        const keel_component *c = &s->component;
        const keeli_storage *t = keeli_storage_find(g->to, c);
        for (uint32_t copy = 0; copy < g->copies; ++copy) {
            mapping m = { g, copy, false };
            const uint32_t index = keeli_index_of(made_of(g, node, copy));
            void *value = keeli_store_value(g->to, t, index);
            keeli_fields_map_entities(c->fields, c->field_count, value, map, &m);
        }
    }
}

static inline __attribute__((always_inline)) keel_result
make_plain(const keeli_graft *g, uint32_t node, uint32_t copy, keel_entity *e) {
    keel_world *to = g->to;
    value_list list;
    if (!list_values(g, node, copy, &list))
        return KEEL_ABSENT;
    if (keeli_is_unused(to) && !keel_is_null(*e = keeli_add_plain_entity(to, list.values)))
        return KEEL_OK;
    if (!keel_is_null(*e = keeli_edit_add_entity(to, NULL, list.values)))
        return KEEL_OK;
    return keel_last_error(to)->result;
}

// Makes all copies without batches. KEEL_ABSENT, with nothing changed, if batches are needed.
static keel_result grow_plain(keeli_graft *g, bool is_alone) {
    if (!is_alone && g->to->followers.observed) {
        return KEEL_ABSENT;
    }
    if (!g->recipe || g->is_held)
        return KEEL_ABSENT;
    if (g->from == g->to || g->copies > PLAIN_COPIES) {
        return KEEL_ABSENT;
    }

    keel_result result = KEEL_OK;
    keel_entity *e = g->made;
    for (uint32_t node = 0; result == KEEL_OK && node < g->count; ++node) {
        for (uint32_t copy = 0; result == KEEL_OK && copy < g->copies; ++copy, ++e)
            result = make_plain(g, node, copy, e);
    }

    if (result != KEEL_OK) {
        const uint32_t made = (uint32_t)(e - g->made) - 1;
        if (made)
            graft_undo(g, made, made);
    } else if (g->recipe->points) {
        for (uint32_t node = 0; node < g->count; ++node)
            point_to_copies(g, node);
    }
    return result;
}

keel_result keeli_graft_grow(keeli_graft *g, const keeli_holder *holder) {
    KEEL_TRY(graft_begin(g, holder));
    const uint32_t before = refuse_source(g);
    const bool is_more = !g->recipe || g->recipe->is_more;
    const bool alone = g->count == 1 && !is_more; // only values: no parents, names or relations
    const uint32_t held = needs_handles(g, alone) ? g->count * g->copies : 0;
    if (!g->is_held)
        g->before = g->to->entities;
    keeli_editing_begin(g->to);

    keel_result result = holder ? KEEL_ABSENT : grow_plain(g, alone);
    const bool is_plain = result != KEEL_ABSENT;
    uint32_t grown = is_plain ? g->count : 0;
    if (!is_plain) {
        if (!g->is_held) {
            for (uint32_t i = 0; i < held; ++i)
                g->made[i] = keeli_entity_index_hold(&g->to->entities);
        }
        for (result = KEEL_OK; grown < g->count; ++grown) {
            result = make_copies(g, holder, grown, alone);
            if (result != KEEL_OK)
                break;
        }
    }

    const bool is_there = result == KEEL_OK;
    if (is_there && !alone) {
        result = connect(g, holder, 0, is_more);
    }
    if (result == KEEL_OK && !alone && !is_plain) {
        result = finish_over(g, holder);
    }
    if (result < 0 && (is_there || !is_plain)) {
        graft_undo(g, grown * g->copies, held);
    }

    keeli_editing_end(g->to);
    allow_source(g, before);
    return result;
}

// ------------------------------------------------------------------ onto a living entity
// If the living entity is a copy of the first node already, finds the copies of the other nodes
// below it, and returns true. `made` is null for a node without a copy.
static bool find_parts(const keeli_graft *g) {
    const keel_world *to = g->to;
    const keel_entity own = g->made[0];
    const keel_entity *node = keeli_store_value_of(to, g->link, own);
    if (!node || !keel_is_same(*node, g->nodes[0]))
        return false;

    for (uint32_t i = 1; i < g->count; ++i)
        g->made[i] = keel_null();

    uint32_t place =
        UINT32_MAX; // node of `e`; 0: another copy of the tree, whose parts are skipped
    for (keel_entity e = own; keeli_has_children(to, own);) {
        e = place ? keeli_next_in_tree(to, own, e) : keeli_tree_past(to, own, e);
        if (keel_is_null(e))
            break;

        node = keeli_store_value_of(to, g->link, e);
        place = node ? node_place_of(g, *node) : UINT32_MAX;
        if (!place || place == UINT32_MAX)
            continue;
        if (keel_is_null(g->made[place]))
            g->made[place] = e;
    }
    return true;
}

static keel_result make_parts(keeli_graft *g, const keeli_holder *holder, uint32_t *grown) {
    for (uint32_t i = 1; i < g->count; ++i)
        g->made[i] = keeli_entity_index_hold(&g->to->entities);
    for (; *grown < g->count; ++*grown)
        KEEL_TRY(make_copies(g, holder, *grown, false));
    return connect(g, holder, 1, g->recipe->is_more);
}

// Returns the relation in `to` in which the living copy must be related to itself, like the first
// node. NULL if the node is not, if the copy is already or keeps another target, or after an error.
static keeli_relation *lacking_loop(const keeli_graft *g, const keeli_holder *holder,
                                    const keeli_relation *r, keel_result *result) {
    const uint32_t index = keeli_index_of(g->nodes[0]), own = keeli_index_of(g->made[0]);
    *result = KEEL_OK;
    if (keeli_edges_find(&r->edges, index, index) == KEELI_NO_EDGE) {
        return NULL;
    }
    if (keeps_target(g, r))
        return NULL;

    const keel_component *c = &r->sources->component;
    const keeli_storage *t = keeli_storage_get(g->to, c, false, result);
    if (t)
        *result = keeli_may_edit(g->to, holder, t, "change");
    if (*result >= 0 && c->size) {
        *result =
            keeli_error(g->to, KEEL_ERROR_ARGUMENT,
                        "cannot apply a prefab whose root is related to itself by '%s', which "
                        "has values",
                        c->name);
    }
    if (*result < 0)
        return NULL;

    keeli_relation *loop = t->relation;
    return keeli_edges_find(&loop->edges, own, own) == KEELI_NO_EDGE ? loop : NULL;
}

// Makes room for commit_rest: stages the disabled values that the living copy lacks, and reserves
// its edges to itself.
static keel_result reserve_rest(const keeli_graft *g, const keeli_holder *holder, staged **hidden,
                                bool loops) {
    const uint32_t index = keeli_index_of(g->nodes[0]), own = keeli_index_of(g->made[0]);
    keel_world *to = g->to;
    keel_result result = KEEL_OK;
    uint32_t at = UINT32_MAX;
    bool room = true;
    for (const keeli_storage *s; room && (s = keeli_store_next_of(g->from, index, &at)) != NULL;) {
        if (graft_leaves_out(g, s) || !keeli_store_is_disabled(s, index)) {
            continue;
        }
        keeli_storage *t = keeli_storage_to_edit(to, holder, &s->component, "add", &result);
        if (!t)
            return result;
        if (keeli_store_has(t, own) || keeli_store_is_disabled(t, own)) {
            continue;
        }

        KEEL_TRY(stage_copies(g, hidden, s, keeli_store_disabled_value(s, index)));
        room = keeli_store_reserve_disabled(to, t, own) && keeli_reserve_value(to, t, own);
    }
    for (const keeli_relation *r = g->from->relations.all; room && loops && r; r = r->next) {
        keeli_relation *loop = lacking_loop(g, holder, r, &result);
        if (result < 0)
            return result;
        room = !loop || keeli_reserve_edge(to, loop, own, own);
    }
    return room ? KEEL_OK : keeli_out_of_memory(to, g->doing);
}

// Adds the disabled values and the edges to itself to the living copy. Cannot fail.
static void commit_rest(const keeli_graft *g, const keeli_holder *holder, staged *hidden,
                        bool loops) {
    keel_world *to = g->to;
    const keel_entity own = g->made[0];
    for (; hidden; hidden = hidden->next) {
        const keeli_storage *s = hidden->storage;
        keeli_storage *t = keeli_storage_find(to, &s->component);
        void *value = keeli_store_push_disabled(to, t, keeli_index_of(own));
        if (s->size)
            keeli_value_move(s, value, hidden->values);
        keeli_validate_storage(to, t);
    }
    if (!loops)
        return;

    for (const keeli_relation *r = g->from->relations.all; r; r = r->next) {
        keel_result result;
        keeli_relation *loop = lacking_loop(g, holder, r, &result);
        if (loop)
            keeli_commit_relate(to, loop, own, own, NULL);
    }
}

// Adds to the living copy all components of the first node that it lacks. It is the last step, so
// that an error leaves the entity as it was.
static keel_result add_lacking(const keeli_graft *g, const keeli_holder *holder, bool loops) {
    staged *list = NULL, *hidden = NULL;
    keeli_batch b;
    keeli_batch_begin(&b, g->to, g->made, 1, g->doing);
    b.result = add_columns(g, holder, &b, &list, keeli_index_of(g->nodes[0]), false);
    if (b.result == KEEL_OK) {
        keeli_batch_add(&b, holder, g->link, &g->nodes[0], 0, KEELI_COPIED);
    }
    if (b.result == KEEL_OK) {
        b.result = reserve_rest(g, holder, &hidden, loops);
    }
    const keel_result result = keeli_batch_finish(&b);
    if (result == KEEL_OK)
        commit_rest(g, holder, hidden, loops);
    unstage(g, list, result == KEEL_OK);
    unstage(g, hidden, result == KEEL_OK);
    return result;
}

keel_result keeli_graft_onto(keeli_graft *g, const keeli_holder *holder) {
    uint32_t grown = 1;
    g->is_onto = true;
    KEEL_TRY(graft_begin(g, holder));
    const uint32_t before = refuse_source(g);
    g->before = g->to->entities;
    keeli_editing_begin(g->to);
    const bool is_copy = find_parts(g);
    keel_result result = is_copy ? KEEL_OK : make_parts(g, holder, &grown);
    if (result == KEEL_OK) {
        result = add_lacking(g, holder, !is_copy);
    }
    if (result < 0 && !is_copy)
        graft_undo(g, grown, g->count);
    keeli_editing_end(g->to);
    allow_source(g, before);
    return result;
}
