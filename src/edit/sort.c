// SPDX-License-Identifier: MIT
// The verbs that sort. The slots of a sparse set: a stable merge sort of slot numbers, then the set
// and the other sets of its group are permuted. The sources of a target: a stable merge sort of
// their chain, or of their places in the list. Memory is allocated first, and what is sorted is
// borrowed or edits are refused while the user's comparator runs. Exchanging two slots is here,
// too.
#include "edit/edit.h"
#include "world/report.h"
#include "world/tree.h"

#include <keel/relation.h>

#include <string.h>

typedef struct sorting {
    keel_world *world;
    const keeli_sparse_set *set; // the set that is sorted
    const keel_entity *list;     // without `set`: the entities that are sorted
    keeli_storage *by; // the component whose values are compared; NULL: entities are compared
    keel_value_compare *values;
    keel_entity_compare *entities;
    void *data;
    uint32_t *order, *spare; // slots, or positions in `list`, in sorted order; room for as many
    uint32_t count;          // number of slots or entities that are sorted
    void *scratch;           // memory for one value
    size_t scratch_size, scratch_align;
} sorting;

static const void *sorted_value_of(const sorting *s, uint32_t slot) {
    return keeli_store_value(s->world, s->by,
                             keeli_index_of(*keeli_sparse_set_entity(s->set, slot)));
}

// Like is_behind, by values of another component. Entities without a value are last.
static bool is_behind_elsewhere(const sorting *s, uint32_t a, uint32_t b) {
    const void *x = sorted_value_of(s, a), *y = sorted_value_of(s, b);
    return x && y ? s->values(x, y, s->data) > 0 : y && !x;
}

// True if `a`, which is before `b` now, must be behind it.
static bool is_behind(const sorting *s, uint32_t a, uint32_t b) {
    if (s->values && &s->by->set == s->set)
        return s->values(keeli_sparse_set_value(s->set, a), keeli_sparse_set_value(s->set, b),
                         s->data) > 0;
    if (s->values)
        return is_behind_elsewhere(s, a, b);
    if (s->list)
        return s->entities(s->world, s->list[a], s->list[b], s->data) > 0;
    return s->entities(s->world, *keeli_sparse_set_entity(s->set, a),
                       *keeli_sparse_set_entity(s->set, b), s->data) > 0;
}

// Sorts a few numbers by insertion.
static void sort_few(const sorting *s, uint32_t *order, uint32_t count) {
    for (uint32_t i = 1; i < count; ++i) {
        const uint32_t slot = order[i];
        uint32_t at = i;
        for (; at && is_behind(s, order[at - 1], slot); --at)
            order[at] = order[at - 1];
        order[at] = slot;
    }
}

// Merges two adjacent sorted runs: the first `left` numbers of `order`, and the others up to
// `count`. Runs that are in order already cost one comparison.
static void merge(const sorting *s, uint32_t *order, uint32_t left, uint32_t count) {
    if (!is_behind(s, order[left - 1], order[left]))
        return;
    memcpy(s->spare, order, left * sizeof *order);
    uint32_t a = 0, b = left, to = 0;
    while (a < left && b < count)
        order[to++] = is_behind(s, s->spare[a], order[b]) ? order[b++] : s->spare[a++];
    memcpy(order + to, s->spare + a, (left - a) * sizeof *order);
}

// Counts the slots that are in order from the start on; with `backwards`, in the strictly opposite
// order.
static uint32_t run(const sorting *s, bool backwards) {
    uint32_t n = 1;
    while (n < s->count && is_behind(s, n - 1, n) == backwards)
        ++n;
    return n;
}

// Writes the sorted slots to `order`. False, with nothing written, if the slots are in order
// already.
static bool sort_slots(const sorting *s) {
    enum { few = KEELI_SIZE(12, 2) };
    if (s->count < 2 || run(s, false) == s->count)
        return false;
    const bool backwards = run(s, true) == s->count;
    for (uint32_t i = 0; i < s->count; ++i)
        s->order[i] = backwards ? s->count - 1 - i : i;
    if (backwards)
        return true;
    for (uint32_t from = 0; from < s->count; from += few)
        sort_few(s, s->order + from, s->count - from < few ? s->count - from : few);
    for (uint64_t width = few; width < s->count; width *= 2)
        for (uint64_t from = 0; from + width < s->count; from += 2 * width) {
            const uint64_t left = s->count - from;
            merge(s, s->order + from, (uint32_t)width,
                  (uint32_t)(left < 2 * width ? left : 2 * width));
        }
    return true;
}

static keel_result reserve_scratch(sorting *s, uint32_t count, size_t value, size_t align) {
    keeli_heap *heap = &s->world->heap;
    s->count = count;
    s->scratch_size = value ? value : 1;
    s->scratch_align = align;
    s->order = keeli_new(heap, 2 * (size_t)count * sizeof *s->order, _Alignof(uint32_t));
    s->scratch = keeli_new(heap, s->scratch_size, s->scratch_align);
    s->spare = s->order ? s->order + count : NULL;
    return (s->order || !count) && s->scratch ? KEEL_OK : keeli_out_of_memory(s->world, "sorting");
}

static void release_scratch(sorting *s) {
    keeli_heap *heap = &s->world->heap;
    keeli_free(heap, s->order, 2 * (size_t)s->count * sizeof *s->order, _Alignof(uint32_t));
    keeli_free(heap, s->scratch, s->scratch_size, s->scratch_align);
}

// Sorts the slots of `s->set`. The storage `sorted` is borrowed meanwhile, so that the comparator
// may read the world but not edit the set. `*moved` is set to whether the order changes.
static keel_result sort_storage(sorting *s, keeli_storage *sorted, bool *moved) {
    keel_world *world = s->world;
    keeli_holder holder = { .name = "the sort" };
    keel_result result = KEEL_OK;
    if (!keeli_holder_want(world, &holder, sorted, KEEL_ACCESS_EDIT) ||
        (s->by && !keeli_holder_want(world, &holder, s->by, KEEL_ACCESS_READ)))
        result = keeli_out_of_memory(world, "sorting");
    if (result == KEEL_OK)
        result = keeli_holder_open(world, &holder);
    if (result == KEEL_OK) {
        *moved = sort_slots(s);
        keeli_holder_close(world, &holder);
    }
    keeli_holder_deinit(world, &holder);
    return result;
}

// Returns the storage if it can be sorted; NULL with the reason in `*result`, which is KEEL_OK if
// the world does not know the component.
static keeli_storage *storage_to_sort(keel_world *world, const keel_component *component,
                                      const char *verb, keel_result *result) {
    keeli_storage *s = keeli_known_to_edit(world, NULL, component, verb, result);
    if (!s || keeli_store_is_sparse(s))
        return s;
    *result = keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                           "cannot sort '%s': only sparse sets have an order of their own; "
                           "declare it with .storage = KEEL_SPARSE_SET",
                           s->component.name);
    return NULL;
}

// The target of a sort: one sparse set, or all sets that a group owns. Errors are reported in this
// order: of the target, of the component that is compared, of the comparator.
typedef struct target {
    keeli_storage *first;     // the first set; of a group that owns nothing: its list of members
    const keel_group *group;  // NULL: one sparse set is sorted
    const keel_sort_desc *as; // the caller's description
} target;

static keel_result find_target(keel_world *world, const keel_sort_desc *desc, target *t) {
    keel_result result = KEEL_OK;
    *t = (target){ .as = desc };
    if (desc->group && desc->component)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "a sort has a .component or a .group, not both; what a group owns is "
                            "sorted with the group");
    if (desc->group) {
        KEEL_TRY(keeli_world_is_editable(world));
        keel_group *g = keeli_group_of(world, desc->group);
        if (!g)
            return KEEL_ERROR_ARGUMENT;
        t->group = g;
        t->first = g->owned_count ? g->storages[0] : &g->order;
        return KEEL_OK;
    }
    t->first = storage_to_sort(world, desc->component, "sort", &result);
    if (!t->first)
        return result < 0 ? result : KEEL_ABSENT;
    return !t->first->owner
               ? KEEL_OK
               : keeli_error(world, KEEL_ERROR_GROUPED,
                             "cannot sort '%s': group '%s' owns it; use keel_sort_with with "
                             "its .group, which sorts all that the group owns alike",
                             t->first->component.name, t->first->owner->name);
}

static const char *name_of(const keel_component *c) { return c ? keeli_component_name(c) : "NULL"; }

// Sets how->by to the component whose values are compared; NULL if the world does not know it, so
// that no entity has a value.
static keel_result find_by(sorting *how, const target *t) {
    const keel_component *by = t->as->by ? t->as->by : t->as->component;
    const keel_group *g = t->group;
    how->by = by && !by->is_unique ? keeli_storage_find(how->world, by) : NULL;
    bool fits = by && !by->is_unique && !g;
    if (g && how->by) {
        for (uint32_t i = 0; i < g->must_count; ++i)
            fits |= g->storages[i] == how->by;
    }
    if (!fits && g)
        return keeli_misuse(how->world, KEEL_ERROR_ARGUMENT,
                            "cannot sort group '%s' by '%s': the group must own or get it", g->name,
                            name_of(by));
    if (!fits)
        return keeli_misuse(how->world, KEEL_ERROR_ARGUMENT,
                            "cannot sort '%s' by '%s': that is no component",
                            t->first->component.name, name_of(by));
    if (how->by && !how->by->size)
        return keeli_misuse(how->world, KEEL_ERROR_ARGUMENT,
                            "cannot sort by the values of '%s': a tag has none; compare entities",
                            how->by->component.name);
    return KEEL_OK;
}

static keel_result check_order(sorting *how, const target *t) {
    const keel_sort_desc *d = t->as;
    const int orders = (d->compare != NULL) + (d->compare_entities != NULL) + (d->as != NULL);
    // an error of `.by` is reported first, as it may be the reason why there is no comparator
    if (d->compare || (d->by && !orders))
        KEEL_TRY(find_by(how, t));
    if (t->group)
        KEEL_TRY(keeli_may_edit_group(how->world, t->group, "sort the group of"));
    if (!orders)
        return keeli_misuse(how->world, KEEL_ERROR_ARGUMENT,
                            "a sort needs a function that compares");
    if (orders > 1 || (d->by && !d->compare))
        return keeli_misuse(how->world, KEEL_ERROR_ARGUMENT,
                            "a sort has one of .compare, .compare_entities and .as, and .by with "
                            ".compare only");
    if (d->as && (d->as->is_unique || d->as->storage == KEEL_ARCHETYPE))
        return keeli_misuse(how->world, KEEL_ERROR_ARGUMENT,
                            "cannot sort '%s' as '%s': that is no component with an order of its "
                            "own; name a sparse set, or an indexed one",
                            t->group ? t->group->name : t->first->component.name, name_of(d->as));
    return KEEL_OK;
}

// Fills how->order: first the slots of entities that `other` has, too, in the order of `other`;
// then the rest. how->spare[slot] is 1 once a slot is in how->order.
static void order_as(const sorting *how, const keeli_storage *other) {
    uint32_t placed = 0;
    memset(how->spare, 0, how->count * sizeof *how->spare);
    for (uint32_t at = 0, index; (index = keeli_store_in_order(other, &at)) != UINT32_MAX; ++at) {
        const uint32_t slot = keeli_sparse_set_find(how->set, index);
        if (slot >= how->count)
            continue; // it has no value, or is not in the sorted part
        how->order[placed++] = slot;
        how->spare[slot] = 1;
    }
    for (uint32_t slot = 0; slot < how->count; ++slot)
        if (!how->spare[slot])
            how->order[placed++] = slot;
}

static void permute_slots(sorting *how, const target *t) {
    const keel_group *g = t->group;
    for (uint32_t i = 0; i == 0 || (g && i < g->owned_count); ++i) {
        keeli_sparse_set *set = g && g->owned_count ? &g->storages[i]->set : &t->first->set;
        memcpy(how->spare, how->order,
               how->count * sizeof *how->order); // the next loop uses up this copy
        keeli_sparse_set_permute(set, how->spare, how->count, how->scratch);
    }
}

keel_result keel_sort_by(keel_world *world, const keel_sort_desc *desc) {
    target t;
    if (keeli_is_no_world(world))
        return keeli_no_world();
    if (!desc)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "a sort needs a description, not NULL");
    sorting how = { .world = world, .entities = desc->compare_entities, .data = desc->data };
    how.values = desc->compare;
    keel_result result = find_target(world, desc, &t);
    if (result != KEEL_OK)
        return result;
    KEEL_TRY(check_order(&how, &t));
    const keeli_storage *other = desc->as ? keeli_storage_find(world, desc->as) : NULL;
    if ((desc->as && (!other || other == t.first)) || (desc->compare && !how.by))
        return KEEL_OK;
    if (other && other->borrow < 0)
        return keeli_borrowed(world, other, "read the order of", NULL);
    how.set = &t.first->set;
    uint32_t count = t.group ? keeli_group_count(t.group) : how.set->count;
    if (desc->first && desc->first < count)
        count = desc->first;
    if (other && !count)
        return KEEL_OK;
    result = t.group ? reserve_scratch(&how, count, t.group->scratch_size, t.group->scratch_align)
                     : reserve_scratch(&how, count, t.first->size, t.first->component.align);
    bool moved = other != NULL;
    if (result == KEEL_OK && other)
        order_as(&how, other);
    else if (result == KEEL_OK)
        result = sort_storage(&how, t.first, &moved);
    if (result == KEEL_OK && moved)
        permute_slots(&how, &t);
    release_scratch(&how);
    keeli_validate_storage(world, t.group ? t.group->storages[0] : t.first);
    return result;
}

// ------------------------------------------------------------------ two entities change places
keel_result keel_swap_component(keel_world *world, const keel_component *component, keel_entity a,
                                keel_entity b) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    keel_result result = KEEL_OK;
    keeli_storage *s = storage_to_sort(world, component, "swap two of", &result);
    if (!s)
        return result < 0 ? result : KEEL_ABSENT;
    if (!keeli_entity_is_alive(&world->entities, a))
        return keeli_dead_entity(world, "keel_swap", a);
    if (!keeli_entity_is_alive(&world->entities, b))
        return keeli_dead_entity(world, "keel_swap", b);
    const uint32_t x = keeli_sparse_set_find(&s->set, keeli_index_of(a)),
                   y = keeli_sparse_set_find(&s->set, keeli_index_of(b));
    if (x == KEELI_NO_SLOT || y == KEELI_NO_SLOT)
        return KEEL_ABSENT;
    const keel_group *g = s->owner;
    const bool inside = g && x < keeli_group_count(g);
    if (g && inside != (y < keeli_group_count(g)))
        return keeli_error(world, KEEL_ERROR_GROUPED,
                           "cannot swap two of '%s': group '%s' owns it, and one of them is in the "
                           "group, at its front, the other is not",
                           s->component.name, g->name);
    if (inside)
        KEEL_TRY(keeli_may_edit_group(world, g, "swap members of the group of"));
    sorting how = { .world = world };
    result = inside ? reserve_scratch(&how, 0, g->scratch_size, g->scratch_align)
                    : reserve_scratch(&how, 0, s->size, s->component.align);
    if (result == KEEL_OK && !inside)
        keeli_sparse_set_swap(&s->set, x, y, how.scratch);
    if (result == KEEL_OK && inside) {
        for (uint32_t i = 0; i < g->owned_count; ++i)
            keeli_sparse_set_swap(&g->storages[i]->set, x, y, how.scratch);
    }
    release_scratch(&how);
    keeli_validate_storage(world, s);
    return result;
}

// ------------------------------------------------------------------ sources in a chain
static bool is_before_or_same(const sorting *s, uint32_t a, uint32_t b) {
    const keeli_entity_index *ix = &s->world->entities;
    const uint32_t before = keeli_refuse_begin(s->world, KEELI_REFUSED_ASKING);
    const int order =
        s->entities(s->world, keeli_entity_at(ix, a), keeli_entity_at(ix, b), s->data);
    keeli_refuse_end(s->world, before);
    return order <= 0;
}

// Merge sorts the `count` sources from `*rest` on, returns the first of them, and sets `*rest` to
// the source behind them. The list is linked by the `previous` members of the links, which needs no
// memory. Nothing that the comparator may call meanwhile reads `previous`.
static uint32_t sort_list(const sorting *s, const keeli_chains *chains, uint32_t *rest,
                          uint32_t count) {
    uint32_t first = *rest, *to = &first;
    uint32_t left = count / 2, right = count - left;
    if (count == 1) {
        *rest = keeli_link_at(chains, first)->previous;
        return first;
    }

    uint32_t a = sort_list(s, chains, rest, left), b = sort_list(s, chains, rest, right);
    while (left || right) {
        const bool takes_a = left && (!right || is_before_or_same(s, a, b));
        uint32_t *from = takes_a ? &a : &b;
        *(takes_a ? &left : &right) -= 1;
        *to = *from;
        to = &keeli_link_at(chains, *from)->previous;
        *from = *to;
    }
    return first;
}

static void sort_chain(const sorting *s, keeli_edges *edges, uint32_t of) {
    const keeli_chain *chain = keeli_chain_at(&edges->chains, of);
    uint32_t rest = chain->first;
    KEELI_EACH_EDGE(source, edges, KEELI_SOURCES, of) {
        keeli_link *link = keeli_link_at(&edges->chains, source);
        link->previous = link->next;
    }
    const uint32_t first = sort_list(s, &edges->chains, &rest, chain->count);
    keeli_edges_relink(edges, of, first);
}

// ------------------------------------------------------------------ sources in a list
// The memory of a sort of sources is one block: handles, then `order`, `spare`, the places, and the
// words that keeli_edges_order_sources needs.
enum { WORDS_OF_SOURCE = 2 + 1 + 4 };
static size_t bytes_of_sources(uint32_t count) {
    return count * (sizeof(keel_entity) + WORDS_OF_SOURCE * sizeof(uint32_t));
}

static void sort_sources(sorting *s, keeli_edges *edges, keel_entity e, keel_entity *list) {
    uint32_t *places = (uint32_t *)(void *)(list + s->count) + 2 * (size_t)s->count, i = 0;
    const uint32_t of = keeli_index_of(e);
    s->list = list;
    s->order = places - 2 * (size_t)s->count;
    s->spare = s->order + s->count;
    KEELI_EACH_EDGE(place, edges, KEELI_SOURCES, of) {
        const uint32_t source = keeli_edge_other(edges, KEELI_SOURCES, of, place);
        places[i] = place;
        list[i++] = keeli_entity_at(&s->world->entities, source);
    }
    const uint32_t before = keeli_refuse_begin(s->world, KEELI_REFUSED_ASKING);
    const bool moved = sort_slots(s);
    keeli_refuse_end(s->world, before);
    if (!moved)
        return;
    for (i = 0; i < s->count; ++i)
        s->spare[i] = places[s->order[i]];
    keeli_edges_order_sources(edges, of, s->spare, places + s->count);
}

// Returns the relation if its sources of `e` can be sorted; NULL with the reason in `*result`,
// which is KEEL_ABSENT if there are fewer than two.
static keeli_relation *sources_to_sort(keel_world *world, keel_entity e,
                                       const keel_component *relation, keel_result *result) {
    const keeli_storage *s = relation ? keeli_storage_find(world, relation) : NULL;
    *result = KEEL_ABSENT;
    if (!relation || (s && (!s->relation || keeli_store_has_sources(s))) ||
        (!s && !relation->is_relation)) {
        *result =
            keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                         "'%s' is no relation; declare it with KEEL_RELATION", name_of(relation));
        return NULL;
    }
    if (!keeli_entity_is_alive(&world->entities, e)) {
        *result = keeli_dead_entity(world, "keel_sort_sources", e);
        return NULL;
    }
    if (!s || keeli_edge_count(&s->relation->edges, KEELI_SOURCES, keeli_index_of(e)) < 2)
        return NULL;
    *result = keeli_may_edit(world, NULL, s, "sort the sources of");
    if (*result == KEEL_OK && keeli_atomic_load(&s->relation->edges.walks))
        *result = keeli_error(world, KEEL_ERROR_BORROWED,
                              "cannot sort the sources of %s while a loop over edges of '%s' has "
                              "more to visit; sort before or after the loop",
                              KEELI_ENTITY(world, e), s->component.name);
    return *result == KEEL_OK ? s->relation : NULL;
}

keel_result keel_sort_sources(keel_world *world, keel_entity e, const keel_component *relation,
                              keel_entity_compare *compare, void *data) {
    keel_result result;
    if (keeli_is_no_world(world))
        return keeli_no_world();
    if (!compare)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "keel_sort_sources needs a comparator");
    keeli_relation *r = sources_to_sort(world, e, relation, &result);
    if (!r)
        return result;
    sorting how = { .world = world, .entities = compare, .data = data };
    if (r->edges.is_chained) {
        sort_chain(&how, &r->edges, keeli_index_of(e));
        keeli_validate_storage(world, r->sources);
        return KEEL_OK;
    }
    how.count = keeli_edge_count(&r->edges, KEELI_SOURCES, keeli_index_of(e));
    const size_t bytes = bytes_of_sources(how.count);
    keel_entity *list = keeli_new(&world->heap, bytes, _Alignof(keel_entity));
    if (!list)
        return keeli_out_of_memory(world, "sorting sources");
    sort_sources(&how, &r->edges, e, list);
    keeli_free(&world->heap, list, bytes, _Alignof(keel_entity));
    keeli_validate_storage(world, r->sources);
    return KEEL_OK;
}
