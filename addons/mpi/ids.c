// SPDX-License-Identifier: MIT
// Finds the entity of an id, by a hash table with linear probing; and keeps the table as the world
// changes.
#include "domain.h"

#include <stdlib.h>

static uint32_t place_of(const mpi_ids *ids, uint64_t id) {
    return (uint32_t)(id * 0x9e3779b97f4a7c15u >> 32) & (ids->room - 1);
}

// Returns the place of an id, or the free place where it belongs.
static uint32_t search(const mpi_ids *ids, uint64_t id) {
    uint32_t at = place_of(ids, id);
    while (ids->keys[at] && ids->keys[at] != id)
        at = (at + 1) & (ids->room - 1);
    return at;
}

bool keeli_ids_reserve(mpi_ids *ids, uint32_t more) {
    const uint64_t need = 2 * ((uint64_t)ids->count + more);
    if (need <= ids->room) return true;
    uint64_t room = 1024;
    while (room < need)
        room *= 2;
    if (room > UINT32_MAX) return false;
    mpi_ids larger = { .room = (uint32_t)room, .count = ids->count };
    larger.keys = calloc(room, sizeof *larger.keys);
    larger.entities = malloc(room * sizeof *larger.entities);
    if (!larger.keys || !larger.entities) {
        free(larger.keys);
        free(larger.entities);
        return false;
    }
    for (uint32_t i = 0; i < ids->room; ++i)
        if (ids->keys[i]) {
            const uint32_t at = search(&larger, ids->keys[i]);
            larger.keys[at] = ids->keys[i];
            larger.entities[at] = ids->entities[i];
        }
    free(ids->keys);
    free(ids->entities);
    *ids = larger;
    return true;
}

bool keeli_ids_add(mpi_ids *ids, uint64_t id, keel_entity e) {
    const uint32_t at = search(ids, id);
    if (ids->keys[at]) return keel_is_same(ids->entities[at], e);
    ids->keys[at] = id;
    ids->entities[at] = e;
    ++ids->count;
    return true;
}

void keeli_ids_remove(mpi_ids *ids, uint64_t id) {
    if (!ids->room) return;
    uint32_t hole = search(ids, id);
    if (!ids->keys[hole]) return;
    --ids->count;
    ids->keys[hole] = 0;
    // keys behind the hole that would not be found any more move into it
    for (uint32_t i = (hole + 1) & (ids->room - 1); ids->keys[i]; i = (i + 1) & (ids->room - 1)) {
        const uint32_t distance = (i - place_of(ids, ids->keys[i])) & (ids->room - 1);
        if (distance < ((i - hole) & (ids->room - 1))) continue;
        ids->keys[hole] = ids->keys[i];
        ids->entities[hole] = ids->entities[i];
        ids->keys[i] = 0;
        hole = i;
    }
}

keel_entity keeli_ids_find(const mpi_ids *ids, uint64_t id) {
    if (!ids->room || !id) return keel_null();
    const uint32_t at = search(ids, id);
    return ids->keys[at] ? ids->entities[at] : keel_null();
}

// ------------------------------------------------------------------ as the world changes
static void forget_ids(keel_domain *d) {
    keel_removal_walk walk = keel_removals((keel_scope *)d->reader, KEEL_OF(keel_global_id),
                                           KEEL_TRACK_DELETION | KEEL_TRACK_REMOVAL);
    while (keel_removal_next(&walk)) {
        const keel_global_id *id = walk.removal.value;
        if (id && keel_is_same(keeli_ids_find(&d->ids, id->value), walk.removal.entity))
            keeli_ids_remove(&d->ids, id->value);
    }
}

keel_result keeli_ids_give(keel_domain *d, keel_entity e) {
    const keel_global_id id = { UINT64_C(1) << 63 | (uint64_t)d->desc.ranks.rank << 44 |
                                ++d->serial };
    return keel_add_component(d->world, e, KEEL_OF(keel_global_id), &id) < 0
               ? keeli_domain_fail_world(d)
               : KEEL_OK;
}

// Gives an id to each entity that has a component and no id, and to those that it follows.
static keel_result give_ids_of(keel_domain *d, const keel_component *c, bool follows) {
    const keel_term terms[] = { { .kind = KEEL_TERM_WITH, .component = c },
                                { .kind = KEEL_TERM_WITHOUT, .component = KEEL_OF(keel_global_id) },
                                { .kind = KEEL_TERM_ENTITY },
                                { .kind = KEEL_TERM_END } };
    mpi_list *list = &d->lists[0];
    list->count = 0;
    keel_view view;
    keel_iterator walk;
    if (keel_view_begin(&view, (keel_scope *)d->world, terms, "keel::mpi: new entities") < 0)
        return keeli_domain_fail_world(d);
    bool has_room = keel_iterator_begin(&walk, &view) == KEEL_OK;
    for (keel_span span; has_room && keel_iterator_next_span(&walk, &span);)
        for (uint32_t i = 0; i < span.count && has_room; ++i)
            has_room = keeli_list_add(list, span.entities[i]);
    keel_view_end(&view);
    if (!has_room) return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "giving ids: out of memory");
    for (uint32_t i = 0; i < list->count; ++i) {
        keel_entity e = list->items[i];
        // ends at the first that has an id, also in a circle
        while (!keel_is_null(e) && !keel_has_component(d->world, e, KEEL_OF(keel_global_id))) {
            KEEL_TRY(keeli_ids_give(d, e));
            e = follows ? keel_target_of_component(d->world, e, c) : keel_null();
        }
    }
    return KEEL_OK;
}

// Gives ids to the entities that have a place, and to those that live together.
static keel_result give_ids(keel_domain *d) {
    KEEL_TRY(give_ids_of(d, d->desc.position, false));
    KEEL_TRY(give_ids_of(d, d->child, true));
    for (uint32_t i = 0; i < d->together_count; ++i)
        KEEL_TRY(give_ids_of(d, d->together[i], true));
    return KEEL_OK;
}

// Enters the ids that came since the last time.
static keel_result enter_ids(keel_domain *d, bool all) {
    const keel_term terms[] = { { .kind = KEEL_TERM_READ, .component = KEEL_OF(keel_global_id) },
                                { .kind = all ? KEEL_TERM_WITH : KEEL_TERM_INSERTED,
                                  .component = KEEL_OF(keel_global_id) },
                                { .kind = KEEL_TERM_ENTITY },
                                { .kind = KEEL_TERM_END } };
    keel_view view;
    keel_iterator walk;
    if (keel_view_begin(&view, (keel_scope *)d->reader, terms, "keel::mpi: new ids") < 0)
        return keeli_domain_fail_world(d);
    keel_result result = keel_iterator_begin(&walk, &view);
    for (keel_span span; result == KEEL_OK && keel_iterator_next_span(&walk, &span);) {
        const keel_global_id *ids = keel_span_read_component(&span, KEEL_OF(keel_global_id));
        if (!keeli_ids_reserve(&d->ids, span.count))
            result = keeli_domain_fail(d, KEEL_ERROR_MEMORY, "keeping ids: out of memory");
        for (uint32_t i = 0; i < span.count && result == KEEL_OK; ++i)
            if (!ids[i].value || !keeli_ids_add(&d->ids, ids[i].value, span.entities[i]))
                result = keeli_domain_fail(d, KEEL_ERROR_OCCUPIED,
                                           "two entities have the global id %llu; ids are not 0, "
                                           "and each entity of all ranks has its own",
                                           (unsigned long long)ids[i].value);
    }
    keel_view_end(&view);
    return result;
}

keel_result keeli_ids_update(keel_domain *d) {
    forget_ids(d);
    KEEL_TRY(give_ids(d));
    KEEL_TRY(enter_ids(d, false));
    keel_reader_advance(d->reader);
    return KEEL_OK;
}

keel_result keeli_ids_begin(keel_domain *d) {
    KEEL_TRY(give_ids(d));
    KEEL_TRY(enter_ids(d, true));
    keel_reader_advance(d->reader);
    return KEEL_OK;
}
