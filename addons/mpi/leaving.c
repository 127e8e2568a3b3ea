// SPDX-License-Identifier: MIT
// Packs what the columns of values do not have: which components are disabled, edges (edges.c), and
// names. Names come last: they are unique among children of one parent.
//
//     number of disabled components, pairs of row and column; edges; number of names; for each row,
//     length and text
#include "domain.h"

#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ writing
bool keeli_leaving_enable(keel_domain *d, keel_entity e, uint32_t row, uint32_t column) {
    const uint32_t pair[2] = { row, column };
    if (!keeli_bytes_copy(&d->scratch, pair, sizeof pair)) {
        (void)keeli_domain_fail(d, KEEL_ERROR_MEMORY, "packing: out of memory");
        return false;
    }
    if (keel_enable_component(d->world, e, d->columns[column].component, true) >= 0) return true;
    (void)keeli_domain_fail_world(d);
    return false;
}

// Appends the names of the entities that have one. False when out of memory.
static bool pack_names(const keel_domain *d, const mpi_list *entities, mpi_bytes *out) {
    const size_t at = out->size;
    uint32_t names = 0;
    if (!keeli_bytes_add(out, sizeof names)) return false;
    const keel_component *const c = keel_find_component(d->world, "keel_name");
    const uint32_t count = c && keel_component_count(d->world, c) ? entities->count : 0;
    for (uint32_t row = 0; row < count; ++row) {
        const char *name = keel_name_of(d->world, entities->items[row]);
        if (!name) continue;
        const size_t length = strlen(name);
        uint32_t *head = keeli_bytes_add(out, 2 * sizeof *head);
        if (!head) return false;
        head[0] = row;
        head[1] = (uint32_t)length;
        char *text = keeli_bytes_add(out, length + 1);
        if (!text) return false;
        memcpy(text, name, length + 1);
        ++names;
    }
    memcpy(out->items + at, &names, sizeof names);
    return true;
}

keel_result keeli_leaving_pack(keel_domain *d, const mpi_list *entities, mpi_bytes *out) {
    const uint32_t pairs = (uint32_t)(d->scratch.size / 8);
    uint32_t *count = keeli_bytes_add(out, sizeof *count);
    if (count) *count = pairs;
    void *at = count ? keeli_bytes_add(out, d->scratch.size) : NULL;
    if (at && pairs) memcpy(at, d->scratch.items, d->scratch.size);
    if (!at) return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "packing: out of memory");
    KEEL_TRY(keeli_edges_pack(d, entities, out));
    return pack_names(d, entities, out)
               ? KEEL_OK
               : keeli_domain_fail(d, KEEL_ERROR_MEMORY, "packing names: out of memory");
}

// ------------------------------------------------------------------ reading
static keel_result damaged(keel_domain *d) {
    return keeli_domain_fail(d, KEEL_ERROR_FORMAT, "what another rank sent is damaged");
}

keel_result keeli_leaving_unpack(keel_domain *d, mpi_reader *r, const keel_entity *entities,
                                 uint32_t count) {
    const uint32_t pairs = keeli_read_u32(r);
    for (uint32_t i = 0; i < pairs; ++i) {
        const uint32_t *pair = keeli_bytes_read(r, 2 * sizeof *pair);
        if (!pair || pair[0] >= count || pair[1] >= d->column_count) return damaged(d);
        if (keel_enable_component(d->world, entities[pair[0]], d->columns[pair[1]].component,
                                  false) < 0)
            return keeli_domain_fail_world(d);
    }
    KEEL_TRY(keeli_edges_unpack(d, r, entities, count));
    const uint32_t names = keeli_read_u32(r);
    for (uint32_t i = 0; i < names; ++i) {
        const uint32_t *head = keeli_bytes_read(r, 2 * sizeof *head);
        const char *text = head ? keeli_bytes_read(r, (size_t)head[1] + 1) : NULL;
        if (!text || head[0] >= count || text[head[1]]) return damaged(d);
        if (keel_set_name(d->world, entities[head[0]], text) < 0) return keeli_domain_fail_world(d);
    }
    return r->is_short ? damaged(d) : KEEL_OK;
}
