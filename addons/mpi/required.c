// SPDX-License-Identifier: MIT
// Components that require others (.required). Keel does not add, enable, disable or delete them in
// any order: what is required comes first and goes last. So the columns are in this order, and what
// goes is undone from behind. columns.c, leaving.c and domain.c ask.
#include "domain.h"

#include <string.h>

static const char *name_of(const keel_component *c) { return c->name ? c->name : c->type; }

uint32_t keeli_column_number(const keel_domain *d, const keel_component *c) {
    for (uint32_t k = 0; k < d->column_count; ++k)
        if (strcmp(d->columns[k].component->name, name_of(c)) == 0) return k;
    return MPI_NO_COLUMN;
}

// True if all that a component requires is among the first columns, or is no column.
static bool is_ready(const keel_domain *d, const keel_component *c, uint32_t placed) {
    for (const keel_component *const *r = c->required; r && *r; ++r) {
        const uint32_t number = keeli_column_number(d, *r);
        if (number != MPI_NO_COLUMN && number >= placed) return false;
    }
    return true;
}

void keeli_required_sort(keel_domain *d) {
    for (uint32_t placed = 0; placed < d->column_count; ++placed) {
        uint32_t next = placed;
        while (next < d->column_count && !is_ready(d, d->columns[next].component, placed))
            ++next;
        if (next == d->column_count) return; // they require each other
        const mpi_column column = d->columns[next];
        memmove(d->columns + placed + 1, d->columns + placed, (next - placed) * sizeof *d->columns);
        d->columns[placed] = column;
    }
}

// ------------------------------------------------------------------ disabled components
static keel_result note(keel_domain *d, keel_entity e, uint32_t row, uint32_t column, bool lacks) {
    mpi_enabled *at = keeli_bytes_push(&d->enabled, sizeof *at);
    if (!at) return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "packing: out of memory");
    *at = (mpi_enabled){ e, row, column, lacks };
    return KEEL_OK;
}

// Adds what a disabled component requires, where the entity lacks it: else it cannot be enabled.
static keel_result add_required(keel_domain *d, keel_entity e, uint32_t row,
                                const keel_component *c) {
    for (const keel_component *const *r = c->required; r && *r; ++r) {
        const uint32_t number = keeli_column_number(d, *r);
        if (number == MPI_NO_COLUMN) continue;
        const keel_component *required = d->columns[number].component;
        if (keel_has_component(d->world, e, required)) continue;
        KEEL_TRY(add_required(d, e, row, required));
        KEEL_TRY(note(d, e, row, number, true));
        if (keel_add_component(d->world, e, required, NULL) < 0) return keeli_domain_fail_world(d);
    }
    return KEEL_OK;
}

keel_result keeli_required_enable(keel_domain *d, keel_entity e, uint32_t row, uint32_t column) {
    const keel_component *c = d->columns[column].component;
    KEEL_TRY(add_required(d, e, row, c));
    KEEL_TRY(note(d, e, row, column, false));
    return keel_enable_component(d->world, e, c, true) < 0 ? keeli_domain_fail_world(d) : KEEL_OK;
}

keel_result keeli_required_disable(keel_domain *d, keel_entity e, uint32_t column, bool lacks) {
    const keel_component *c = d->columns[column].component;
    const keel_result result = lacks ? keel_delete_component(d->world, e, c)
                                     : keel_enable_component(d->world, e, c, false);
    return result < 0 ? keeli_domain_fail_world(d) : KEEL_OK;
}

void keeli_required_undo(keel_domain *d) {
    const mpi_enabled *enabled = (const mpi_enabled *)(const void *)d->enabled.items;
    const keel_error error = d->error;
    for (size_t i = d->enabled.size / sizeof *enabled; i-- > 0;)
        if (!keel_has_component(d->world, enabled[i].entity, KEEL_OF(keel_ghost)))
            (void)keeli_required_disable(d, enabled[i].entity, enabled[i].column, enabled[i].lacks);
    d->error = error;
    d->enabled.size = 0;
}
