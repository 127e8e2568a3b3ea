// SPDX-License-Identifier: MIT
#include "followers.h"

#include <stdlib.h>
#include <string.h>

const uint32_t all_of_component =
    KEEL_ON_INSERTED | KEEL_ON_MODIFIED | KEEL_ON_DELETED | KEEL_ON_REMOVED;

static unsigned index_of(keel_entity e) { return (unsigned)keel_entity_index(e); }

// ------------------------------------------------------------------ sets
// Something happened to a source. Sets have who lives on, at once or, when the entity is stripped,
// when that is done.
static void happened(followers *f, uint32_t source, keel_entity e, uint32_t kind) {
    for (uint32_t i = 0; i < SETS; ++i) {
        reactive_set *set = &f->sets[i];
        if (!(set->rules[source] & kind)) continue;
        (void)handle_set_add(&set->reasons, e);
        if (keel_has_component(f->b->world, e, &set->tag)) continue;
        if (kind & (KEEL_ON_INSERTED | KEEL_ON_MODIFIED | KEEL_ON_CREATED))
            both_fail(f->b, "set %u does not have entity %u, told of source %u", (unsigned)i,
                      index_of(e), (unsigned)source);
        (void)handle_set_add(&set->awaited, e);
    }
}

static void on_set(const keel_change *event, void *data) {
    reactive_set *set = data;
    followers *f = set->of;
    if (event->kind == KEEL_ON_INSERTED) {
        if (!handle_set_add(&set->members, event->entity))
            both_fail(f->b, "entity %u came to a set twice", index_of(event->entity));
        (void)handle_set_add(&set->comers, event->entity);
        (void)handle_set_remove(&set->awaited, event->entity);
    } else if (event->kind != KEEL_ON_MODIFIED && !handle_set_remove(&set->members, event->entity))
        both_fail(f->b, "entity %u left a set where it was not", index_of(event->entity));
    if (set == &f->sets[0]) happened(f, FIRST_SET, event->entity, event->kind);
}

uint32_t count_sets(const both *b, keel_entity e) {
    uint32_t count = 0;
    for (uint32_t i = 0; b->followers && i < SETS; ++i)
        count += keel_has_component(b->world, e, &b->followers->sets[i].tag);
    return count;
}

// ------------------------------------------------------------------ components and entities
static void check_value(const followers *f, const keel_change *event, uint32_t k) {
    const void *there = keel_get_component(f->b->world, event->entity, event->component);
    if (kinds[k].size && event->kind != KEEL_ON_REMOVED && event->value != there)
        both_fail(f->b, "an observer got another value of kind %u", (unsigned)k);
}

void on_component(const keel_change *event, void *data) {
    observed_kind *o = data;
    followers *f = o->of;
    const uint32_t k = (uint32_t)(o - f->kinds);
    const keel_entity e = event->entity;
    bool is_news = true;
    if (event->kind == KEEL_ON_INSERTED) is_news = handle_set_add(&o->owners, e);
    else if (event->kind == KEEL_ON_MODIFIED) is_news = handle_set_has(&o->owners, e);
    else is_news = handle_set_remove(&o->owners, e);
    if (!is_news)
        both_fail(f->b, "event %u of kind %u of entity %u, which it had not (or had)",
                  (unsigned)event->kind, (unsigned)k, index_of(e));
    check_value(f, event, k);
    happened(f, k, e, event->kind);
}

// Copies that go again had values out of sight, of which observers heard when they came only.
static void forget_out_of_sight(followers *f, keel_entity e) {
    for (uint32_t k = 0; k < KINDS; ++k)
        if (f->kinds[k].owners.count && !keel_has_component(f->b->world, e, &f->b->components[k]))
            (void)handle_set_remove(&f->kinds[k].owners, e);
}

static void on_entity(const keel_change *event, void *data) {
    followers *f = data;
    const bool created = event->kind == KEEL_ON_CREATED;
    if (!(created ? handle_set_add(&f->entities, event->entity)
                  : handle_set_remove(&f->entities, event->entity)))
        both_fail(f->b, "entity %u was created or deleted twice", index_of(event->entity));
    if (!created) forget_out_of_sight(f, event->entity);
    for (uint32_t i = 0; created && i < SETS; ++i) // copies that went again come with the same
        (void)handle_set_remove(&f->sets[i].awaited, event->entity); // handles
    happened(f, ENTITIES, event->entity, event->kind);
}

void follow_kind(followers *f, uint32_t k) {
    observed_kind *o = &f->kinds[k];
    const model_world *m = &f->b->model;
    handle_set_clear(&o->owners);
    o->is_observed = true;
    for (size_t i = 0; i < m->slot_count; ++i)
        if (m->slots[i].is_alive && model_has(m, m->slots[i].handle, k))
            (void)handle_set_add(&o->owners, m->slots[i].handle);
}

void follow_hidden(both *b, keel_entity e, uint32_t k) {
    if (b->followers) (void)handle_set_remove(&b->followers->kinds[k].owners, e);
}
void follow_shown(both *b, keel_entity e, uint32_t k) {
    if (b->followers && b->followers->kinds[k].is_observed)
        (void)handle_set_add(&b->followers->kinds[k].owners, e);
}
void follow_copies(both *b) {
    if (b->followers) b->followers->copies_tags = true;
}

// ------------------------------------------------------------------ views
bool does_match(const observed_view *v, const model_slot *slot) {
    const uint32_t has = slot->is_alive ? bits_of(slot) : 0;
    return (has & v->with) == v->with && !(has & v->without) && slot->is_alive;
}

void on_view(const keel_change *event, void *data) {
    observed_view *v = data;
    const bool entered = event->kind == KEEL_ON_ENTERED;
    if (!(entered ? handle_set_add(&v->members, event->entity)
                  : handle_set_remove(&v->members, event->entity)))
        both_fail(v->of->b, "entity %u entered or left view %u twice", index_of(event->entity),
                  (unsigned)(v - v->of->views));
}

void follow_unregistered(both *b, uint32_t k) {
    followers *f = b->followers;
    if (!f) return;
    f->kinds[k].is_observed = false;
    handle_set_clear(&f->kinds[k].owners);
    for (uint32_t i = 0; i < SETS; ++i)
        f->sets[i].rules[k] = 0;
    for (uint32_t i = 0; i < VIEWS; ++i) {
        observed_view *v = &f->views[i];
        if (!((v->with | v->without) >> k & 1)) continue;
        v->with = v->without = 0;
        handle_set_clear(&v->members);
    }
}

// ------------------------------------------------------------------ edges
static uint64_t of_edge(keel_entity source, keel_entity target) {
    uint64_t x = source.bits * 0x9E3779B97F4A7C15u + target.bits;
    x = (x ^ x >> 29) * 0xBF58476D1CE4E5B9u;
    return x ^ x >> 32;
}

static void on_edge(const keel_change *event, void *data) {
    observed_edges *o = data;
    const bool came = event->kind == KEEL_ON_RELATED;
    o->count += came ? 1 : UINT32_MAX;
    o->sum += (came ? 1 : UINT64_MAX) * of_edge(event->entity, event->other);
}

static void compare_observed_edges(const both *b, uint32_t r) {
    const model_relation *models = &b->model.relations[r];
    const observed_edges *o = &b->followers->relations[r];
    uint64_t sum = 0;
    if (!o->is_observed) return;
    for (size_t i = 0; i < models->edge_count; ++i)
        sum += of_edge(models->edges[i].source, models->edges[i].target);
    if (o->count != models->edge_count || o->sum != sum)
        both_fail(b, "observers were notified of other edges of relation %u: %u are left of %u",
                  (unsigned)r, (unsigned)o->count, (unsigned)models->edge_count);
}

// In half of the worlds.
static void observe_edges(followers *f, uint32_t r) {
    observed_edges *o = &f->relations[r];
    o->is_observed = mix_of(f->b->setting.storages, 100 + r) % 2;
    if (o->is_observed)
        both_agree_surely(f->b,
                          keel_observe_component(f->b->world, &f->b->relations[r],
                                                 KEEL_ON_RELATED | KEEL_ON_UNRELATED, on_edge, o),
                          KEEL_OK);
}

// ------------------------------------------------------------------ begin and end
static void begin_set(followers *f, uint32_t i) {
    static const char *const names[SETS] = { "set0", "set1" };
    reactive_set *set = &f->sets[i];
    const bool is_indexed = mix_of(f->b->setting.storages, i) % 2;
    set->of = f;
    set->tag = (keel_component){ .name = names[i],
                                 .align = 1,
                                 .storage = is_indexed ? KEEL_INDEXED : KEEL_SPARSE_SET };
    both_agree_surely(f->b,
                      keel_observe_component(f->b->world, &set->tag, all_of_component, on_set, set),
                      KEEL_OK);
}

void followers_begin(both *b) {
    followers *f = b->followers = calloc(1, sizeof *f);
    if (!f) abort();
    f->b = b;
    for (uint32_t k = 0; k < KINDS; ++k)
        f->kinds[k].of = f;
    for (uint32_t i = 0; i < VIEWS; ++i)
        f->views[i].of = f;
    for (uint32_t i = 0; i < SETS; ++i)
        begin_set(f, i);
    for (uint32_t r = 0; r < RELATIONS; ++r)
        observe_edges(f, r);
    both_agree_surely(b,
                      keel_observe_component(b->world, &keel_entities,
                                             KEEL_ON_CREATED | KEEL_ON_DESTROYED, on_entity, f),
                      KEEL_OK);
}

static void end_set(reactive_set *set) {
    handle_set_deinit(&set->members);
    handle_set_deinit(&set->reasons);
    handle_set_deinit(&set->comers);
    handle_set_deinit(&set->awaited);
}

void followers_end(both *b) {
    followers *f = b->followers;
    uint32_t left = f->entities.count;
    for (uint32_t k = 0; k < KINDS; ++k)
        left += f->kinds[k].owners.count;
    for (uint32_t i = 0; i < VIEWS; ++i)
        left += f->views[i].members.count;
    for (uint32_t i = 0; i < SETS; ++i)
        left += f->sets[i].members.count;
    for (uint32_t r = 0; r < RELATIONS; ++r)
        left += f->relations[r].count;
    if (left) both_fail(b, "%u are still there after the end of the world", (unsigned)left);
    for (uint32_t k = 0; k < KINDS; ++k)
        handle_set_deinit(&f->kinds[k].owners);
    for (uint32_t i = 0; i < VIEWS; ++i)
        handle_set_deinit(&f->views[i].members);
    for (uint32_t i = 0; i < SETS; ++i)
        end_set(&f->sets[i]);
    handle_set_deinit(&f->entities);
    free(f);
}

// ------------------------------------------------------------------ comparison
static void settle_set(const followers *f, reactive_set *set) {
    const uint32_t i = (uint32_t)(set - f->sets);
    for (uint32_t c = 0; set->awaited.count && c < set->awaited.capacity; ++c) {
        const keel_entity e = set->awaited.cells[c];
        if (!keel_is_null(e) && keel_is_alive(f->b->world, e))
            both_fail(f->b, "set %u did not collect entity %u", (unsigned)i, index_of(e));
    }
    for (uint32_t c = 0; set->comers.count && c < set->comers.capacity; ++c) {
        const keel_entity e = set->comers.cells[c];
        if (!keel_is_null(e) && !f->copies_tags && !handle_set_has(&set->reasons, e))
            both_fail(f->b, "set %u collected entity %u for nothing", (unsigned)i, index_of(e));
    }
    handle_set_clear(&set->reasons);
    handle_set_clear(&set->comers);
    handle_set_clear(&set->awaited);
}

void followers_settle(both *b) {
    for (uint32_t i = 0; i < SETS; ++i)
        settle_set(b->followers, &b->followers->sets[i]);
    b->followers->copies_tags = false;
}

static void compare_set(const both *b, const reactive_set *set) {
    const uint32_t i = (uint32_t)(set - b->followers->sets);
    if (keel_component_count(b->world, &set->tag) != set->members.count)
        both_fail(b, "set %u has %u entities, %u came", (unsigned)i,
                  (unsigned)keel_component_count(b->world, &set->tag),
                  (unsigned)set->members.count);
    for (uint32_t c = 0; set->members.count && c < set->members.capacity; ++c)
        if (!keel_is_null(set->members.cells[c]) &&
            !keel_has_component(b->world, set->members.cells[c], &set->tag))
            both_fail(b, "entity %u is not in set %u", index_of(set->members.cells[c]),
                      (unsigned)i);
}

static void compare_slot(const followers *f, const model_slot *slot, uint32_t *matching) {
    const keel_entity e = slot->handle;
    const uint32_t has = bits_of(slot);
    if (!handle_set_has(&f->entities, e)) both_fail(f->b, "entity %u was not created", index_of(e));
    for (uint32_t k = 0; k < KINDS; ++k)
        if (f->kinds[k].is_observed && handle_set_has(&f->kinds[k].owners, e) != (has >> k & 1))
            both_fail(f->b, "observers think otherwise of kind %u of entity %u", (unsigned)k,
                      index_of(e));
    for (uint32_t i = 0; i < VIEWS; ++i) {
        const observed_view *v = &f->views[i];
        const bool is_in = v->with && does_match(v, slot);
        matching[i] += is_in;
        if (is_in != handle_set_has(&v->members, e))
            both_fail(f->b, "observers think otherwise of entity %u in view %u", index_of(e),
                      (unsigned)i);
    }
}

void followers_compare(const both *b) {
    const followers *f = b->followers;
    uint32_t matching[VIEWS] = { 0 }, alive = 0;
    for (size_t i = 0; i < b->model.slot_count; ++i) {
        if (!b->model.slots[i].is_alive) continue;
        ++alive;
        compare_slot(f, &b->model.slots[i], matching);
    }
    if (f->entities.count != alive) both_fail(b, "observers think that more entities live");
    for (uint32_t k = 0; k < KINDS; ++k)
        if (f->kinds[k].is_observed &&
            f->kinds[k].owners.count != model_component_count(&b->model, k))
            both_fail(b, "observers think that more have kind %u", (unsigned)k);
    for (uint32_t i = 0; i < VIEWS; ++i)
        if (f->views[i].members.count != matching[i])
            both_fail(b, "observers think that more are in view %u", (unsigned)i);
    for (uint32_t i = 0; i < SETS; ++i)
        compare_set(b, &f->sets[i]);
    for (uint32_t r = 0; r < RELATIONS; ++r)
        compare_observed_edges(b, r);
}
