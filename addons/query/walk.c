// SPDX-License-Identifier: MIT
// Walks the entities that match a query, in slices. Each slice looks up components and fields
// again, since the world may have changed, and borrows what it reads by a view. It looks at
// entities by ascending index: measured, a look-up for each entity is faster than views over lists
// of handles.
#include "query.h"

#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ tests
static const void *query_walk_value(const keel_query *query, const query_term *term, uint32_t i,
                                    keel_entity e) {
    return keel_column_get_value(&query->components[term->components[i]].lookup, e);
}

static const keel_component *query_walk_component(const keel_query *query, const query_term *term) {
    return query->components[term->components[0]].found;
}

static bool query_walk_has_any(const keel_query *query, const query_term *term, keel_entity e) {
    for (uint32_t i = 0; i < term->component_count; ++i)
        if (query_walk_value(query, term, i, e)) return true;
    return false;
}

static bool query_walk_is_named(const keel_query *query, const query_term *term, keel_entity e) {
    const char *name = keel_name_of(query->world, e);
    if (!name) return false;
    return term->kind == QUERY_LIKE ? keeli_query_is_like(name, term->text)
                                    : strcmp(name, term->text) == 0;
}

static bool query_walk_is_below(const keel_query *query, const query_term *term, keel_entity e) {
    do
        e = keel_parent_of(query->world, e);
    while (!keel_is_null(e) && !keel_is_same(e, term->entity));
    return !keel_is_null(e);
}

static bool query_walk_is_disabled(const keel_query *query, keel_entity e) {
    for (const keel_component *c = NULL; (c = keel_next_component(query->world, c)) != NULL;)
        if (keel_is_component_disabled(query->world, e, c)) return true;
    return false;
}

static bool query_walk_is_changed(const keel_query_walk *walk, const query_term *term,
                                  keel_entity e) {
    const keel_component *c = query_walk_component(walk->query, term);
    const uint32_t kinds = keel_changes_of_component(walk->changes, e, c);
    return term->kind == QUERY_CHANGED ? kinds != 0 : (kinds & KEEL_TRACK_INSERTION) != 0;
}

static inline bool query_walk_matches(const keel_query_walk *walk, const query_term *term,
                                      keel_entity e) {
    const keel_query *query = walk->query;
    const keel_world *world = query->world;
    const void *value;
    switch (term->kind) {
    case QUERY_OPTIONAL:
        return true;
    case QUERY_THIS:
        return keel_is_same(term->entity, e);
    case QUERY_HAS:
        return query_walk_value(query, term, 0, e) != NULL;
    case QUERY_COMPARE:
        value = query_walk_value(query, term, 0, e);
        if (!value) return false;
        if (term->compare.form <= QUERY_REAL)
            return query_compare_has_number(&term->compare, value);
        return keeli_query_compare_test(&term->compare, value);
    case QUERY_ANY:
        return query_walk_has_any(query, term, e);
    case QUERY_CHILD:
        return keel_is_same(keel_parent_of(world, e), term->entity);
    case QUERY_RELATED:
        return keel_is_related_component(world, e, query_walk_component(query, term), term->entity);
    case QUERY_TARGET:
        return keel_is_related_component(world, term->entity, query_walk_component(query, term), e);
    case QUERY_NAMED:
    case QUERY_LIKE:
        return query_walk_is_named(query, term, e);
    case QUERY_CHANGED:
    case QUERY_INSERTED:
        return query_walk_is_changed(walk, term, e);
    case QUERY_BELOW:
        return query_walk_is_below(query, term, e);
    default:
        return query_walk_is_disabled(query, e);
    }
}

static bool query_walk_passes(const keel_query_walk *walk, keel_entity e) {
    const keel_query *query = walk->query;
    for (uint32_t i = 0; i < query->term_count; ++i) {
        const query_term *term = &query->terms[query->order[i]];
        if (query_walk_matches(walk, term, e) == term->is_not) return false;
    }
    return true;
}

// ------------------------------------------------------------------ the term that leads
static uint32_t query_walk_count_below(const keel_query *query, keel_entity root) {
    uint32_t count = 0;
    keel_entity e = keel_null();
    while (count <= QUERY_LIST_MOST) {
        e = keel_next_descendant(query->world, root, e, KEEL_DEPTH_FIRST);
        if (keel_is_null(e)) break;
        ++count;
    }
    return count;
}

// Returns the component of a term; NULL if it was unregistered since, or is another one now.
static const keel_component *query_walk_component_now(const keel_query *query,
                                                      const query_term *term) {
    const query_component *c = &query->components[term->components[0]];
    const keel_component *found = keel_find_component(query->world, c->name);
    return found && found->is_relation == c->is_relation ? found : NULL;
}

// Returns how many entities match a term; UINT32_MAX if that is not known without looking at all.
static uint32_t query_walk_count(const keel_query *query, const query_term *term) {
    const keel_world *world = query->world;
    const keel_component *c = term->component_count ? query_walk_component_now(query, term) : NULL;
    if (term->is_not || (term->component_count && !c)) return UINT32_MAX;
    switch (term->kind) {
    case QUERY_THIS:
        return 1;
    case QUERY_HAS:
    case QUERY_COMPARE:
    case QUERY_CHANGED:
    case QUERY_INSERTED:
        return keel_component_count(world, c);
    case QUERY_CHILD:
        return keel_child_count(world, term->entity);
    case QUERY_RELATED:
        return keel_source_count_component(world, term->entity, c);
    case QUERY_TARGET:
        return keel_target_count_component(world, term->entity, c);
    case QUERY_BELOW:
        return query_walk_count_below(query, term->entity);
    default:
        return UINT32_MAX;
    }
}

query_lead keeli_query_lead(const keel_query *query) {
    query_lead lead = { NULL, keel_entity_count(query->world) };
    for (uint32_t i = 0; i < query->term_count; ++i) {
        const query_term *term = &query->terms[query->order[i]];
        const uint32_t count = query_walk_count(query, term);
        if (count >= lead.count || count > QUERY_LIST_MOST) continue;
        lead = (query_lead){ term, count };
    }
    return lead;
}

typedef struct query_list {
    keel_entity *items;
    uint32_t count, room;
    keel_entity after;
} query_list;

static void query_walk_add(query_list *list, keel_entity e) {
    const bool is_behind =
        keel_is_null(list->after) || keel_entity_index(e) > keel_entity_index(list->after);
    if (is_behind && list->count < list->room) list->items[list->count++] = e;
}

// Collects the entities that have a component.
static keel_result query_walk_collect(const keel_query *query, const keel_component *c,
                                      query_list *list) {
    const keel_term terms[] = { { .kind = KEEL_TERM_WITH, .component = c },
                                { .kind = KEEL_TERM_ENTITY },
                                { .kind = KEEL_TERM_END } };
    keel_view view;
    keel_iterator iterator;
    keel_span span;
    KEEL_TRY(keel_view_begin(&view, query->world, terms, "keel_query_begin"));
    const keel_result result = keel_iterator_begin(&iterator, &view);
    while (result == KEEL_OK && keel_iterator_next_span(&iterator, &span))
        for (uint32_t i = 0; i < span.count; ++i)
            query_walk_add(list, span.entities[i]);
    keel_view_end(&view);
    return result;
}

// Collects the entities that match the term that leads.
static keel_result query_walk_fill(const keel_query *query, const query_term *term,
                                   query_list *list) {
    const keel_world *world = query->world;
    const keel_entity of = term->entity;
    const keel_component *c = term->component_count ? query_walk_component(query, term) : NULL;
    keel_entity e = keel_null();
    switch (term->kind) {
    case QUERY_THIS:
        query_walk_add(list, of);
        return KEEL_OK;
    case QUERY_CHILD:
        for (e = keel_first_child(world, of); !keel_is_null(e); e = keel_next_child(world, of, e))
            query_walk_add(list, e);
        return KEEL_OK;
    case QUERY_RELATED:
        while (!keel_is_null(e = keel_next_source_component(world, of, c, e)))
            query_walk_add(list, e);
        return KEEL_OK;
    case QUERY_TARGET:
        while (!keel_is_null(e = keel_next_target_component(world, of, c, e)))
            query_walk_add(list, e);
        return KEEL_OK;
    case QUERY_BELOW:
        while (!keel_is_null(e = keel_next_descendant(world, of, e, KEEL_DEPTH_FIRST)))
            query_walk_add(list, e);
        return KEEL_OK;
    default:
        return query_walk_collect(query, c, list);
    }
}

static int query_walk_order(const void *a, const void *b) {
    const uint32_t left = keel_entity_index(*(const keel_entity *)a);
    const uint32_t right = keel_entity_index(*(const keel_entity *)b);
    return (left > right) - (left < right);
}

// Makes the list of entities to look at, if a term leads.
static keel_result query_walk_lead(keel_query_walk *walk, keel_entity after) {
    const query_lead lead = keeli_query_lead(walk->query);
    if (!lead.term) return KEEL_OK;
    query_list list = { .room = lead.count, .after = after };
    list.items = malloc(sizeof *list.items * (lead.count ? lead.count : 1));
    if (!list.items) return KEEL_ERROR_MEMORY;
    const keel_result result = query_walk_fill(walk->query, lead.term, &list);
    if (result < 0) {
        free(list.items);
        return result;
    }
    qsort(list.items, list.count, sizeof *list.items, query_walk_order);
    walk->list = list.items;
    walk->count = list.count;
    return KEEL_OK;
}

// ------------------------------------------------------------------ the beginning
// True if a comparison still finds its field where it was. It does not read the field that it found
// then, which is gone if the component was unregistered.
static bool query_walk_is_same_place(const query_compare *compare, const keel_field_place *now) {
    const keel_field_place *then = &compare->place;
    return compare->type == now->field->type && then->offset == now->offset &&
           then->size == now->size && then->count == now->count;
}

// Looks up components and fields again. False if one is not what it was when the text was parsed.
static bool query_walk_find(keel_query *query) {
    for (uint32_t i = 0; i < query->component_count; ++i) {
        query_component *c = &query->components[i];
        const keel_component *found = keel_find_component(query->world, c->name);
        if (!found || found != c->found || found->is_relation != c->is_relation) return false;
        if (found->is_unique || found->is_event) return false;
        c->lookup = keel_lookup_of_component(query->world, found);
    }
    for (uint32_t i = 0; i < query->term_count; ++i) {
        const query_compare *compare = &query->terms[i].compare;
        keel_field_place place;
        if (query->terms[i].kind != QUERY_COMPARE) continue;
        const keel_component *c = query_walk_component(query, &query->terms[i]);
        if (keel_field_find(c, compare->path, &place, NULL) != KEEL_OK ||
            !query_walk_is_same_place(compare, &place))
            return false;
    }
    return true;
}

// Adds a component to what the walk borrows.
static uint32_t query_walk_read(keel_query *query, uint32_t count, const keel_component *c) {
    if (!c) return count; // no entity has a name yet
    const keel_component **list = query->reads[count / QUERY_ANY_MOST];
    list[count % QUERY_ANY_MOST] = c;
    list[count % QUERY_ANY_MOST + 1] = NULL;
    return count + 1;
}

// Borrows all that the query reads.
static keel_result query_walk_borrow(keel_query_walk *walk) {
    keel_query *query = walk->query;
    uint32_t count = 0, lists;
    keel_term terms[QUERY_READS + 1] = { { .kind = KEEL_TERM_END } };
    for (uint32_t i = 0; i < query->component_count; ++i)
        count = query_walk_read(query, count, query->components[i].found);
    if (query->reads_names)
        count = query_walk_read(query, count, keel_find_component(query->world, "keel_name"));
    if (query->reads_children)
        count = query_walk_read(query, count, keel_find_component(query->world, "keel_child"));
    for (lists = 0; lists * QUERY_ANY_MOST < count; ++lists)
        terms[lists] = (keel_term){ .kind = KEEL_TERM_MAY_READ,
                                    .component = query->reads[lists][0],
                                    .others = query->reads[lists] + 1 };
    terms[lists] = (keel_term){ .kind = KEEL_TERM_END };
    return keel_view_begin(&walk->view, query->world, terms, "keel_query_begin");
}

keel_result keel_query_begin(keel_query_walk *walk, keel_query *query,
                             const keel_query_slice *slice) {
    const keel_query_slice all = { .max_visits = 0 };
    if (!slice) slice = &all;
    if (walk) *walk = (keel_query_walk){ .after = slice->after };
    if (!walk || !query || query->is_destroyed) return KEEL_ERROR_ARGUMENT;
    if (!query_walk_find(query)) return KEEL_ERROR_UNKNOWN;

    walk->query = query;
    walk->max_visits = slice->max_visits ? slice->max_visits : UINT32_MAX;
    walk->changes =
        slice->reader ? (const keel_scope *)slice->reader : (const keel_scope *)query->world;
    keel_result result = query_walk_borrow(walk);
    if (result == KEEL_OK) {
        result = query_walk_lead(walk, slice->after);
        if (result < 0) keel_view_end(&walk->view);
    }
    if (result < 0) {
        *walk = (keel_query_walk){ .after = slice->after };
        return result;
    }
    ++query->walks;
    return KEEL_OK;
}

// ------------------------------------------------------------------ the walk
// Returns the next entity to look at; null if there is none.
static inline keel_entity query_walk_candidate(keel_query_walk *walk) {
    if (!walk->list) return keel_next_entity(walk->query->world, walk->after);
    while (walk->at < walk->count) {
        const keel_entity e = walk->list[walk->at++];
        if (keel_is_alive(walk->query->world, e)) return e;
    }
    return keel_null();
}

bool keel_query_next(keel_query_walk *walk, keel_entity *entity) {
    if (entity) *entity = keel_null();
    if (!walk || !walk->query) return false;
    while (walk->visits < walk->max_visits && !walk->query->is_destroyed) {
        const keel_entity e = query_walk_candidate(walk);
        if (keel_is_null(e)) {
            walk->is_finished = true;
            break;
        }
        ++walk->visits;
        walk->after = e;
        if (!query_walk_passes(walk, e)) continue;
        if (entity) *entity = e;
        return true;
    }
    keel_query_end(walk);
    return false;
}

void keel_query_end(keel_query_walk *walk) {
    if (!walk || !walk->query) return;
    keel_query *query = walk->query;
    keel_view_end(&walk->view);
    free(walk->list);
    walk->query = NULL;
    walk->list = NULL;
    --query->walks;
    if (query->is_destroyed && !query->walks) keeli_query_free(query);
}
