// SPDX-License-Identifier: MIT
// Sorts the entities of a rank along a curve, so that those that are near each other in space are
// near in memory. Entities that come from other ranks are last in their storages, in the order in
// which they came. balance.c calls it when space is divided.
#include "domain.h"

#include <math.h>
#include <stdlib.h>

typedef struct curve {
    uint64_t *keys; // by index of the entity
    mpi_box box;    // of all places
    uint32_t dimensions;
    bool measures; // the box, else the keys are written
} curve;

// Spreads 21 bits so that there are two others between them.
static uint64_t spread(uint64_t bits) {
    bits = (bits | bits << 32) & 0x1F00000000FFFF;
    bits = (bits | bits << 16) & 0x1F0000FF0000FF;
    bits = (bits | bits << 8) & 0x100F00F00F00F00F;
    bits = (bits | bits << 4) & 0x10C30C30C30C30C3;
    return (bits | bits << 2) & 0x1249249249249249;
}

// Returns the place along the curve: the bits of all axes, in turns (Z-order).
static uint64_t key_of(const curve *c, const double at[MPI_AXES]) {
    uint64_t key = 0;
    for (uint32_t axis = 0; axis < c->dimensions; ++axis) {
        const double width = c->box.high[axis] - c->box.low[axis];
        const double part = width > 0 ? (at[axis] - c->box.low[axis]) / width : 0;
        key |= spread(part >= 0 && part <= 1 ? (uint64_t)(part * 0x1FFFFF) : 0) << axis;
    }
    return key;
}

static bool look_at_span(keel_domain *d, const keel_span *span, void *data) {
    curve *c = data;
    const char *values = keel_span_read_component(span, d->desc.position);
    for (uint32_t i = 0; i < span->count; ++i) {
        double at[MPI_AXES];
        keeli_position_read(d, values + (size_t)i * d->desc.position->size, at);
        if (!c->measures) c->keys[keel_entity_index(span->entities[i])] = key_of(c, at);
        for (uint32_t axis = 0; axis < MPI_AXES && c->measures; ++axis) {
            if (at[axis] < c->box.low[axis]) c->box.low[axis] = at[axis];
            if (at[axis] > c->box.high[axis]) c->box.high[axis] = at[axis];
        }
    }
    return true;
}

static int compare_places(const keel_world *world, keel_entity a, keel_entity b, void *keys) {
    (void)world;
    const uint64_t x = ((const uint64_t *)keys)[keel_entity_index(a)];
    const uint64_t y = ((const uint64_t *)keys)[keel_entity_index(b)];
    return (x > y) - (x < y);
}

// Sorts the storages that have an order of their own, but for those of groups.
static keel_result sort_all(keel_domain *d, curve *c) {
    for (uint32_t i = 0; i < d->column_count; ++i) {
        const keel_component *component = d->columns[i].component;
        if (component->storage != KEEL_SPARSE_SET) continue;
        const keel_sort_desc by = { .component = component,
                                    .compare_entities = compare_places,
                                    .data = c->keys };
        const keel_result result = keel_sort_by(d->world, &by);
        if (result < 0 && result != KEEL_ERROR_GROUPED) return keeli_domain_fail_world(d);
    }
    return KEEL_OK;
}

keel_result keeli_curve_sort(keel_domain *d) {
    const keel_term terms[] = { { .kind = KEEL_TERM_READ, .component = d->desc.position },
                                { .kind = KEEL_TERM_ENTITY },
                                { .kind = KEEL_TERM_END } };
    curve c = { .dimensions = d->desc.dimensions, .measures = true };
    for (uint32_t axis = 0; axis < MPI_AXES; ++axis) {
        c.box.low[axis] = HUGE_VAL;
        c.box.high[axis] = -HUGE_VAL;
    }
    uint32_t room = 0;
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(d->world, e));)
        room = keel_entity_index(e) + 1;
    c.keys = calloc(room + 1u, sizeof *c.keys);
    if (!c.keys) return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "sorting: out of memory");
    keel_result result = keeli_each_span(d, terms, "keel::mpi: sorting", look_at_span, &c);
    c.measures = false;
    if (result == KEEL_OK)
        result = keeli_each_span(d, terms, "keel::mpi: sorting", look_at_span, &c);
    if (result == KEEL_OK) result = sort_all(d, &c);
    free(c.keys);
    return result;
}
