// SPDX-License-Identifier: MIT
// Finds the entity of an id, and keeps the table of ids as the world changes.
#include "domain.h"

#include <string.h>

bool keeli_ids_reserve(mpi_map *ids, uint32_t more) { return keeli_map_reserve(ids, more); }

static uint64_t bits_of(keel_entity e) {
    uint64_t bits = 0;
    memcpy(&bits, &e, sizeof e);
    return bits;
}

bool keeli_ids_add(mpi_map *ids, uint64_t id, keel_entity e) {
    return *keeli_map_add(ids, id, bits_of(e)) == bits_of(e);
}

keel_entity keeli_ids_find(const mpi_map *ids, uint64_t id) {
    keel_entity e = keel_null();
    const uint64_t *bits = keeli_map_find(ids, id);
    if (bits) memcpy(&e, bits, sizeof e);
    return e;
}

// ------------------------------------------------------------------ as the world changes
static void forget_ids(keel_domain *d) {
    keel_removal_walk walk = keel_removals((keel_scope *)d->reader, KEEL_OF(keel_global_id),
                                           KEEL_TRACK_DELETION | KEEL_TRACK_REMOVAL);
    while (keel_removal_next(&walk)) {
        const keel_global_id *id = walk.removal.value;
        if (id && keel_is_same(keeli_ids_find(&d->ids, id->value), walk.removal.entity))
            keeli_map_remove(&d->ids, id->value);
    }
}

bool keeli_list_span(keel_domain *d, const keel_span *span, void *data) {
    for (uint32_t i = 0; i < span->count; ++i)
        if (!keeli_list_add(data, span->entities[i])) return false;
    (void)d;
    return true;
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
    KEEL_TRY(keeli_each_span(d, terms, "keel::mpi: new entities", keeli_list_span, list));
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

static bool enter_span(keel_domain *d, const keel_span *span, void *unused) {
    (void)unused;
    const keel_global_id *ids = keel_span_read_component(span, KEEL_OF(keel_global_id));
    if (!keeli_ids_reserve(&d->ids, span->count)) return false;
    for (uint32_t i = 0; i < span->count; ++i) {
        if (ids[i].value && ids[i].value < mpi_first_reserved &&
            keeli_ids_add(&d->ids, ids[i].value, span->entities[i]))
            continue;
        (void)keeli_domain_fail(d, KEEL_ERROR_OCCUPIED,
                                "two entities have the global id %llu; each entity of all ranks "
                                "has its own, which is neither 0 nor one of the 65,535 highest",
                                (unsigned long long)ids[i].value);
        return false;
    }
    return true;
}

// Enters the ids that came since the last time.
static keel_result enter_ids(keel_domain *d, bool all) {
    const keel_term terms[] = { { .kind = KEEL_TERM_READ, .component = KEEL_OF(keel_global_id) },
                                { .kind = all ? KEEL_TERM_WITH : KEEL_TERM_INSERTED,
                                  .component = KEEL_OF(keel_global_id) },
                                { .kind = KEEL_TERM_ENTITY },
                                { .kind = KEEL_TERM_END } };
    return keeli_each_span_of(d, (keel_scope *)d->reader, terms, "keel::mpi: new ids", enter_span,
                              NULL);
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
