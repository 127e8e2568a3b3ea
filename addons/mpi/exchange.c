// SPDX-License-Identifier: MIT
// Brings ghosts up to date: each rank sends the entities that others can see beyond their regions;
// who was not sent is no ghost any more.
#include "domain.h"

// Finds the ranks that see an entity, besides its own, and adds it to their lists.
static bool list_where_seen(keel_domain *d, keel_entity e, const double at[MPI_AXES]) {
    double low[MPI_AXES], high[MPI_AXES];
    for (uint32_t axis = 0; axis < MPI_AXES; ++axis) {
        low[axis] = at[axis] - d->desc.halo;
        high[axis] = at[axis] + d->desc.halo;
    }
    const uint32_t count = keeli_regions_meet(d->cuts, d->desc.ranks.count, low, high, d->near);
    for (uint32_t i = 0; i < count; ++i)
        if (d->near[i] != d->desc.ranks.rank && !keeli_list_add(&d->lists[d->near[i]], e))
            return false;
    return true;
}

static bool list_where_owned(keel_domain *d, keel_entity e, const double at[MPI_AXES]) {
    if (!keel_is_null(keeli_together_leader(d, e))) return true; // its root lists it
    const uint32_t owner = keeli_region_of(d->cuts, d->desc.ranks.count, at);
    return owner == d->desc.ranks.rank || keeli_together_list(d, e, &d->lists[owner]);
}

// Calls a function for each entity that this rank owns. It lists the entity for other ranks.
static keel_result list_owned(keel_domain *d,
                              bool (*list)(keel_domain *, keel_entity, const double *)) {
    for (uint32_t r = 0; r < d->desc.ranks.count; ++r)
        d->lists[r].count = 0;
    const keel_term terms[] = { { .kind = KEEL_TERM_READ, .component = d->desc.position },
                                { .kind = KEEL_TERM_WITH, .component = KEEL_OF(keel_global_id) },
                                { .kind = KEEL_TERM_WITHOUT, .component = KEEL_OF(keel_ghost) },
                                { .kind = KEEL_TERM_ENTITY },
                                { .kind = KEEL_TERM_END } };
    keel_view view;
    keel_iterator walk;
    if (keel_view_begin(&view, (keel_scope *)d->world, terms, "keel::mpi: owned entities") < 0)
        return keeli_domain_fail_world(d);
    bool has_room = keel_iterator_begin(&walk, &view) == KEEL_OK;
    d->status.owned = 0;
    for (keel_span span; has_room && keel_iterator_next_span(&walk, &span);) {
        const char *values = keel_span_read_component(&span, d->desc.position);
        d->status.owned += span.count;
        for (uint32_t i = 0; i < span.count && has_room; ++i) {
            double at[MPI_AXES];
            keeli_position_read(d, values + (size_t)i * d->desc.position->size, at);
            has_room = list(d, span.entities[i], at);
        }
    }
    keel_view_end(&view);
    return has_room ? KEEL_OK
                    : keeli_domain_fail(d, KEEL_ERROR_MEMORY, "listing entities: out of memory");
}

// ------------------------------------------------------------------ ghosts
// Takes the components of a ghost.
static keel_result make_bare(keel_domain *d, keel_entity e) {
    for (uint32_t k = 0; k < d->ghost_count; ++k)
        if (keel_delete_component(d->world, e, d->columns[d->ghost_columns[k]].component) < 0)
            return keeli_domain_fail_world(d);
    keel_ghost *ghost = keel_get_component_mut(d->world, e, KEEL_OF(keel_ghost));
    if (ghost) ghost->is_bare = true;
    return KEEL_OK;
}

// Deletes the ghosts that were not sent this time. Where values may refer to them, only their
// components go.
static keel_result delete_old(keel_domain *d) {
    const keel_term terms[] = { { .kind = KEEL_TERM_READ, .component = KEEL_OF(keel_ghost) },
                                { .kind = KEEL_TERM_ENTITY },
                                { .kind = KEEL_TERM_END } };
    mpi_list *old = &d->lists[0], *bare = &d->lists[d->desc.ranks.count];
    old->count = bare->count = 0;
    d->status.ghosts = 0;
    keel_view view;
    keel_iterator walk;
    if (keel_view_begin(&view, (keel_scope *)d->world, terms, "keel::mpi: ghosts") < 0)
        return keeli_domain_fail_world(d);
    bool has_room = keel_iterator_begin(&walk, &view) == KEEL_OK;
    for (keel_span span; has_room && keel_iterator_next_span(&walk, &span);) {
        const keel_ghost *ghosts = keel_span_read_component(&span, KEEL_OF(keel_ghost));
        for (uint32_t i = 0; i < span.count && has_room; ++i) {
            if (ghosts[i].stamp == d->stamp) ++d->status.ghosts;
            else if (!ghosts[i].is_bare)
                has_room = keeli_list_add(d->has_handles ? bare : old, span.entities[i]);
        }
    }
    keel_view_end(&view);
    if (!has_room) return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "deleting ghosts: out of memory");
    if (old->count && keel_delete_entities(d->world, old->items, old->count) < 0)
        return keeli_domain_fail_world(d);
    for (uint32_t i = 0; i < bare->count; ++i)
        KEEL_TRY(make_bare(d, bare->items[i]));
    return KEEL_OK;
}

// Packs the lists, exchanges them, and unpacks what comes.
static keel_result exchange_lists(keel_domain *d, mpi_into into) {
    const uint32_t ranks = d->desc.ranks.count;
    keel_result result = KEEL_OK;
    for (uint32_t r = 0; r < ranks && result == KEEL_OK; ++r)
        result = keeli_columns_pack(d, &d->lists[r], into, &d->out[r]);
    for (uint32_t r = 0; r < ranks && into == INTO_OWNED && result == KEEL_OK; ++r) {
        const mpi_list *list = &d->lists[r];
        d->status.sent += list->count;
        if (d->has_handles) result = keeli_handles_leave(d, list);
        else if (list->count && keel_delete_entities(d->world, list->items, list->count) < 0)
            result = keeli_domain_fail_world(d);
    }
    if (into == INTO_OWNED && result == KEEL_OK) result = keeli_ids_update(d);
    KEEL_TRY(keeli_domain_exchange(d)); // also after an error: the others wait for it
    ++d->stamp;
    for (uint32_t r = 0; r < ranks && result == KEEL_OK; ++r)
        result = keeli_columns_unpack(d, d->receive[r], into, r);
    return result;
}

keel_result keeli_ghosts_refresh(keel_domain *d) {
    const keel_result listed = list_owned(d, list_where_seen);
    const keel_result result = exchange_lists(d, INTO_GHOSTS);
    KEEL_TRY(listed);
    KEEL_TRY(result);
    KEEL_TRY(delete_old(d));
    return keeli_ids_update(d);
}

keel_result keeli_move(keel_domain *d) {
    const keel_result listed = list_owned(d, list_where_owned);
    const keel_result result = exchange_lists(d, INTO_OWNED);
    KEEL_TRY(listed);
    return result;
}
