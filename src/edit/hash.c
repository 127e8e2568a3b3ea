// SPDX-License-Identifier: MIT
// The hash of a world: a sum of one well-mixed term for each living entity, each component of an
// entity and each unique. A sum does not know its order, so storages, packed order, archetypes and
// order of registration leave no trace in it.
#include "base/bytes.h"
#include "edit/edit.h"

#include "world/borrow.h"
#include "world/field.h"
#include "world/registry.h"
#include "world/report.h"
#include "world/storage.h"

enum { COMPONENT_TERM = 1, DISABLED_TERM, UNIQUE_TERM, EVENT_TERM }; // equal values of each differ

// Which bytes of a value count: one run of them, or all fields one by one.
typedef struct value_form {
    const keeli_storage *storage;
    uint32_t offset, size; // the run's; size UINT32_MAX: field by field
} value_form;

// Plain fields that follow each other without a gap are one run.
static value_form form_of(const keeli_storage *s) {
    const keel_component *c = &s->component;
    value_form form = { s, 0, c->size };
    if (c->no_padding || !c->field_count)
        return form;
    form.offset = c->fields[0].offset;
    form.size = 0;
    for (uint32_t i = 0; i < c->field_count; ++i) {
        const keel_field *f = &c->fields[i];
        if (f->offset != form.offset + form.size || !keeli_field_is_plain(f)) {
            form.size = UINT32_MAX;
            break;
        }
        form.size += (uint32_t)keeli_field_bytes(f);
    }
    return form;
}

static uint64_t hash_of_value(const value_form *form, const void *value, uint64_t seed) {
    const keel_component *c = &form->storage->component;
    const char *bytes = value ? value : ""; // events without a value: C allows no NULL + 0
    if (c->hash) {
        const uint64_t own = keeli_hook_hash(form->storage, value);
        return keeli_hash(&own, sizeof own, seed);
    }
    if (form->size != UINT32_MAX)
        return keeli_hash(bytes + form->offset, form->size, seed);
    return keeli_fields_hash(c->fields, c->field_count, bytes, seed);
}

uint64_t keeli_hash_value(const keeli_storage *s, const void *value, uint64_t seed) {
    const value_form form = form_of(s);
    return hash_of_value(&form, value, seed);
}

static uint64_t seed_of(const keeli_storage *s, uint64_t term) {
    return keeli_hash(s->component.name, strlen(s->component.name), term);
}

// The values of all entities in `who`, one of the storage's two bitmaps.
static uint64_t sum_of_values(const keel_world *world, const keeli_storage *s,
                              const keeli_presence *who, uint64_t term) {
    const value_form form = form_of(s);
    const uint64_t seed = seed_of(s, term);
    uint64_t sum = 0;
    KEELI_EACH_BIT(i, who) {
        const void *value =
            who == &s->presence ? keeli_store_value(world, s, i) : keeli_store_disabled_value(s, i);
        const keel_entity e = keeli_entity_at(&world->entities, i);
        sum += hash_of_value(&form, value, keeli_hash_mix(seed + e.bits));
    }
    return sum;
}

// Events have an order, so that each goes into the hash of those after it.
static uint64_t hash_of_events(const keeli_storage *s) {
    const keeli_queue *queue = s->events;
    const value_form form = form_of(s);
    const uint64_t end = keeli_queue_end(queue);
    uint64_t number = keeli_queue_waiting(queue), hash = seed_of(s, EVENT_TERM);
    if (number == end)
        return 0;
    for (; number < end; ++number)
        hash = hash_of_value(&form, keeli_queue_at(queue, number), keeli_hash_mix(hash));
    return hash;
}

static uint64_t add_sibling(const keel_world *world, uint32_t child, uint64_t term) {
    const uint32_t previous = keeli_link_at(&world->relations.child->edges.chains, child)->previous;
    if (previous == KEELI_NO_EDGE)
        return term;
    return keeli_hash_mix(term + keeli_entity_at(&world->entities, previous).bits);
}

// The order of relating does not count, but for siblings in the hierarchy.
static uint64_t sum_of_edges(const keel_world *world, const keeli_storage *s) {
    const keeli_edges *edges = &s->relation->edges;
    const uint64_t seed = seed_of(s, COMPONENT_TERM);
    const bool has_values = keeli_edges_have_values(edges);
    const value_form form = form_of(s);
    uint64_t sum = 0;
    KEELI_EACH_BIT(i, &s->presence)
        KEELI_EACH_EDGE(at, edges, KEELI_TARGETS, i) {
            const uint32_t other = keeli_edge_other(edges, KEELI_TARGETS, i, at);
            const keel_entity target = keeli_entity_at(&world->entities, other);
            const uint64_t source = seed + keeli_entity_at(&world->entities, i).bits;
            uint64_t term = keeli_hash_mix(keeli_hash_mix(source) + target.bits);
            if (s->relation == world->relations.child)
                term = add_sibling(world, i, term);
            sum += has_values ? hash_of_value(&form, keeli_edge_value(edges, i, at), term) : term;
        }
    return sum;
}

static uint64_t sum_of_storage(const keel_world *world, const keeli_storage *s) {
    if (s->component.transient || keeli_store_has_sources(s))
        return 0;
    const value_form form = form_of(s);
    if (s->relation)
        return sum_of_edges(world, s) +
               (s->size ? sum_of_values(world, s, &s->presence, COMPONENT_TERM) : 0);
    if (s->events)
        return hash_of_events(s);
    if (s->unique)
        return hash_of_value(&form, s->unique, seed_of(s, UNIQUE_TERM));
    return sum_of_values(world, s, &s->presence, COMPONENT_TERM) +
           sum_of_values(world, s, &s->disabled, DISABLED_TERM);
}

// Returns an error if the component may have padding and does not say which bytes to hash.
static keel_result check_form(keel_world *world, const keeli_storage *s) {
    const keel_component *c = &s->component;
    if (c->transient || !c->size || c->hash || c->no_padding || c->field_count)
        return KEEL_OK;
    const bool has_events =
        s->events && keeli_queue_waiting(s->events) < keeli_queue_end(s->events);
    if (!s->unique && !s->presence.count && !s->disabled.count && !has_events)
        return KEEL_OK;
    return keeli_error(world, KEEL_ERROR_HASH,
                       "cannot hash '%s': some bytes of its values may be padding; declare it with "
                       ".no_padding = true when none is, with KEEL_HAS_FIELDS (KEEL_FIELDS "
                       "names what counts), with a .hash hook, or with .transient = true to "
                       "leave it out",
                       c->name);
}

keel_result keel_world_hash(keel_world *world, uint64_t *hash) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    if (!hash)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "keel_world_hash needs a place for the hash, but it is NULL");
    KEEL_TRY(keeli_may_read_all(world, world, "hash"));
    for (uint32_t i = 0; i < world->storages.count; ++i)
        KEEL_TRY(check_form(world, world->storages.items[i]));
    uint64_t sum = 0;
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(world, e));)
        sum += keeli_hash_mix(e.bits);
    for (uint32_t i = 0; i < world->storages.count; ++i)
        sum += sum_of_storage(world, world->storages.items[i]);
    *hash = sum;
    return KEEL_OK;
}
