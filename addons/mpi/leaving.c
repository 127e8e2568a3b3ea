// SPDX-License-Identifier: MIT
// Packs what the columns of values do not have: which components are disabled, edges (edges.c), and
// names. Names come last: they are unique among children of one parent.
//
//     number of disabled components, pairs of row and column (times 2; and 1: the entity lacks it,
//     but what is disabled requires it), those that require others first; edges; number of names;
//     for each row, length and text
#include "domain.h"

#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ writing
keel_result keeli_leaving_begin(keel_domain *d, const mpi_list *entities) {
    d->enabled_before = d->enabled.size / sizeof(mpi_enabled);
    for (uint32_t row = 0; row < entities->count; ++row) {
        const keel_entity e = entities->items[row];
        // only a follower that came since the last step has no id
        if (!keel_has_component(d->world, e, KEEL_OF(keel_global_id)))
            KEEL_TRY(keeli_ids_give(d, e));
        for (uint32_t k = 0; k < d->column_count; ++k) {
            if (keel_is_component_disabled(d->world, e, d->columns[k].component))
                KEEL_TRY(keeli_required_enable(d, e, row, k));
        }
    }
    return KEEL_OK;
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
    const mpi_enabled *all = (const mpi_enabled *)(const void *)d->enabled.items;
    const size_t end = d->enabled.size / sizeof *all;
    uint32_t *count = keeli_bytes_add(out, sizeof *count);
    if (count) *count = (uint32_t)(end - d->enabled_before);
    bool has_room = count != NULL;
    for (size_t i = end; has_room && i-- > d->enabled_before;) {
        uint32_t *pair = keeli_bytes_add(out, 2 * sizeof *pair);
        has_room = pair != NULL;
        if (has_room) pair[0] = all[i].row, pair[1] = all[i].column << 1 | all[i].lacks;
    }
    if (!has_room) return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "packing: out of memory");
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
        if (!pair || pair[0] >= count || pair[1] >> 1 >= d->column_count) return damaged(d);
        KEEL_TRY(keeli_required_disable(d, entities[pair[0]], pair[1] >> 1, pair[1] & 1));
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
