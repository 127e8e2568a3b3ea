// SPDX-License-Identifier: MIT
// Lists the entities that other ranks see or own, and moves entities to the ranks that own their
// places.
#include "domain.h"

#include <math.h>

// ------------------------------------------------------------------ who is near the edge
enum { BLOCK = 1024 }; // entities whose places are compared at once

// Writes which of some places of a type are outside of a box, and counts them.
#define FIND_OUTSIDE(T)                                                                            \
    for (uint32_t i = 0; i < count; ++i, values += size) {                                         \
        bool is_inside = true;                                                                     \
        for (uint32_t axis = 0; axis < d->desc.dimensions; ++axis) {                               \
            const double at = (double)*(const T *)(const void *)(values + offsets[axis]);          \
            is_inside &= at >= box->low[axis] && at < box->high[axis];                             \
        }                                                                                          \
        rows[found] = i;                                                                           \
        found += !is_inside;                                                                       \
    }                                                                                              \
    return found

static uint32_t find_outside(const keel_domain *d, const mpi_box *box, const char *values,
                             uint32_t count, uint32_t rows[BLOCK]) {
    const keel_component *c = d->desc.position;
    const size_t size = c->size;
    uint32_t found = 0, offsets[MPI_AXES] = { 0 };
    for (uint32_t axis = 0; axis < d->desc.dimensions; ++axis)
        offsets[axis] = c->fields[axis].offset;
    switch (c->fields[0].type) {
    case KEEL_FIELD_F32:
        FIND_OUTSIDE(float);
    case KEEL_FIELD_F64:
        FIND_OUTSIDE(double);
    case KEEL_FIELD_I32:
        FIND_OUTSIDE(int32_t);
    case KEEL_FIELD_U32:
        FIND_OUTSIDE(uint32_t);
    case KEEL_FIELD_I64:
        FIND_OUTSIDE(int64_t);
    default:
        FIND_OUTSIDE(uint64_t);
    }
}

// ------------------------------------------------------------------ lists
typedef struct edge_walk {
    const mpi_box *box;
    // Adds an entity outside of the box to the lists of ranks. False when out of memory
    bool (*list)(keel_domain *, keel_entity, const double *);
} edge_walk;

static bool list_span(keel_domain *d, const keel_span *span, void *data) {
    const edge_walk *w = data;
    const keel_component *position = d->desc.position;
    const char *values = keel_span_read_component(span, position);
    uint32_t rows[BLOCK];
    d->status.owned += span->count;
    for (uint32_t begin = 0; begin < span->count; begin += BLOCK) {
        const uint32_t count = span->count - begin < BLOCK ? span->count - begin : BLOCK;
        const uint32_t found =
            find_outside(d, w->box, values + (size_t)begin * position->size, count, rows);
        for (uint32_t i = 0; i < found; ++i) {
            const uint32_t row = begin + rows[i];
            double at[MPI_AXES];
            keeli_position_read(d, values + (size_t)row * position->size, at);
            if (!w->list(d, span->entities[row], at)) return false;
        }
    }
    return true;
}

// Lists the entities of this rank that are outside of a box.
static keel_result list_outside(keel_domain *d, const mpi_box *box,
                                bool (*list)(keel_domain *, keel_entity, const double *)) {
    for (uint32_t r = 0; r < d->desc.ranks.count; ++r)
        d->lists[r].count = 0;
    const keel_term terms[] = { { .kind = KEEL_TERM_READ, .component = d->desc.position },
                                { .kind = KEEL_TERM_WITH, .component = KEEL_OF(keel_global_id) },
                                { .kind = KEEL_TERM_WITHOUT, .component = KEEL_OF(keel_ghost) },
                                { .kind = KEEL_TERM_ENTITY },
                                { .kind = KEEL_TERM_END } };
    edge_walk w = { box, list };
    d->status.owned = 0;
    return keeli_each_span(d, terms, "keel::mpi: owned entities", list_span, &w);
}

// Finds the ranks that see an entity, besides its own, and adds it to their lists.
static bool list_where_seen(keel_domain *d, keel_entity e, const double at[MPI_AXES]) {
    mpi_box reach;
    for (uint32_t axis = 0; axis < MPI_AXES; ++axis) {
        reach.low[axis] = at[axis] - d->desc.halo;
        reach.high[axis] = at[axis] + d->desc.halo;
    }
    const uint32_t count = keeli_regions_meet(d->cuts, d->desc.ranks.count, &reach, d->near);
    for (uint32_t i = 0; i < count; ++i)
        if (d->near[i] != d->desc.ranks.rank && !keeli_list_add(&d->lists[d->near[i]], e))
            return false;
    return true;
}

// Returns more than any rounding of a place and the halo.
static double margin(double edge, double halo) {
    return isinf(edge) ? 0 : (fabs(edge) + halo) * 0x1p-50;
}

keel_result keeli_list_seen(keel_domain *d) {
    mpi_box inner = d->region; // who is in it is seen by no other rank
    for (uint32_t axis = 0; axis < MPI_AXES; ++axis) {
        inner.low[axis] += d->desc.halo + margin(inner.low[axis], d->desc.halo);
        inner.high[axis] -= d->desc.halo + margin(inner.high[axis], d->desc.halo);
    }
    return list_outside(d, &inner, list_where_seen);
}

// ------------------------------------------------------------------ moves
static bool list_where_owned(keel_domain *d, keel_entity e, const double at[MPI_AXES]) {
    if (!keel_is_null(keeli_together_leader(d, e))) return true; // its root lists it
    const uint32_t owner = keeli_region_of(d->cuts, d->desc.ranks.count, at);
    return owner == d->desc.ranks.rank || keeli_together_list(d, e, &d->lists[owner]);
}

// Packs the entities that move, and deletes them here.
static keel_result send_away(keel_domain *d) {
    KEEL_TRY(list_outside(d, &d->region, list_where_owned));
    const uint32_t ranks = d->desc.ranks.count;
    for (uint32_t r = 0; r < ranks; ++r)
        KEEL_TRY(keeli_columns_pack(d, &d->lists[r], &d->out[r]));
    for (uint32_t r = 0; r < ranks; ++r) {
        const mpi_list *list = &d->lists[r];
        d->status.sent += list->count;
        d->status.bytes_moved += d->out[r].size;
        if (d->has_handles) KEEL_TRY(keeli_handles_leave(d, list));
        else if (list->count && keel_delete_entities(d->world, list->items, list->count) < 0)
            return keeli_domain_fail_world(d);
    }
    return keeli_ids_update(d);
}

keel_result keeli_move(keel_domain *d, keel_result so_far) {
    keel_result result = so_far == KEEL_OK ? send_away(d) : so_far;
    for (uint32_t r = 0; r < d->desc.ranks.count && result < 0; ++r)
        d->out[r].size = 0;
    KEEL_TRY(keeli_domain_exchange(d)); // also after an error: the others wait for it
    for (uint32_t r = 0; r < d->desc.ranks.count && result == KEEL_OK; ++r)
        result = keeli_columns_unpack(d, d->receive[r], r);
    return result;
}
