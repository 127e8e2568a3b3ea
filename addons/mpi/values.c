// SPDX-License-Identifier: MIT
// Values one by one: as bytes for another rank, back, and as hashes. columns.c has the fast path
// for components that are copied as they are; edges.c calls this file for the values of edges.
#include "domain.h"

#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ hashes
static uint64_t mix(uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint64_t keeli_hash_bytes(const void *bytes, size_t size, uint64_t seed) {
    uint64_t hash = mix(seed);
    for (const unsigned char *at = bytes; size; --size)
        hash = (hash ^ *at++) * 0x100000001b3u; // FNV-1a
    return mix(hash);
}

static void mark_fields(unsigned char *mask, const keel_field *fields, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        const keel_field *f = &fields[i];
        if (f->transient) continue;
        keel_field_place place;
        const keel_component of_one = {
            .name = "field", .size = KEEL_MAX_COMPONENT_SIZE, .fields = f, .field_count = 1
        };
        if (keel_field_find(&of_one, f->name, &place, NULL) == KEEL_OK)
            memset(mask + place.offset, 0xFF, place.size);
    }
}

// Returns which bytes of the values count. NULL when out of memory.
static unsigned char *mask_of(const keel_component *c) {
    unsigned char *mask = calloc(1, (size_t)c->size + 1);
    if (!mask) return NULL;
    if (c->field_count && !c->no_padding) mark_fields(mask, c->fields, c->field_count);
    else memset(mask, 0xFF, c->size);
    if (c->clear_padding && !c->no_padding && !c->field_count) c->clear_padding(mask);
    return mask;
}

// ------------------------------------------------------------------ columns
// Counts the handles in fields, and writes their places if `out` is not NULL.
static uint32_t find_handles(const keel_field *fields, uint32_t count, uint32_t base,
                             uint32_t *out) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const keel_field *f = &fields[i];
        const bool is_struct = f->type == KEEL_FIELD_STRUCT && f->of;
        const uint32_t size = is_struct ? f->of->size : (uint32_t)sizeof(keel_entity);
        const uint32_t elements = is_struct ? f->count / size : f->count ? f->count : 1;
        for (uint32_t k = 0; k < elements && (is_struct || f->type == KEEL_FIELD_ENTITY); ++k) {
            const uint32_t at = base + f->offset + k * size;
            if (is_struct)
                found +=
                    find_handles(f->of->fields, f->of->field_count, at, out ? out + found : NULL);
            else if (out) out[found++] = at;
            else ++found;
        }
    }
    return found;
}

static keel_result no_memory(keel_domain *d) {
    return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "values for other ranks: out of memory");
}

keel_result keeli_column_begin(keel_domain *d, mpi_column *column, const keel_component *c) {
    *column = (mpi_column){ .component = c };
    const size_t align = c->align < sizeof(void *) ? sizeof(void *) : c->align;
    column->value = aligned_alloc(align, (c->size / align + 1) * align);
    if (!column->value) return no_memory(d);
    if (!c->transient && keeli_owned_is(c)) return keeli_owned_begin(d, column);
    // a copy of a prefab has the handle of its template there, and no described field
    const bool is_instance = strcmp(c->name, "keel_instance") == 0;
    column->handle_count = is_instance ? 1 : find_handles(c->fields, c->field_count, 0, NULL);
    if (column->handle_count && sizeof(keel_entity) < sizeof(uint64_t))
        return keeli_domain_fail(d, KEEL_ERROR_COMPONENT,
                                 "component '%.80s' has handles: build Keel with those of 64 bits",
                                 c->name);
    column->refers = column->handle_count > 0 && !is_instance; // templates have no ghosts
    column->handles = calloc(column->handle_count + 1u, sizeof *column->handles);
    column->mask = mask_of(c);
    if (!column->handles || !column->mask) return no_memory(d);
    (void)find_handles(c->fields, c->field_count, 0, column->handles);
    return KEEL_OK;
}

void keeli_column_end(mpi_column *column) {
    free(column->handles);
    free(column->mask);
    free(column->value);
    keeli_owned_end(column->owned);
}

// ------------------------------------------------------------------ values
bool keeli_value_pack(keel_domain *d, const mpi_column *column, const void *value, bool marks,
                      mpi_bytes *out) {
    const size_t size = column->component->size;
    if (column->owned) return keeli_owned_pack(column, value, marks, out);
    unsigned char *at = keeli_bytes_add(out, size);
    if (!at) {
        (void)no_memory(d);
        return false;
    }
    memcpy(at, value, size);
    return keeli_handles_to_ids(d, column, at, marks);
}

void *keeli_value_unpack(keel_domain *d, const mpi_column *column, mpi_reader *r) {
    const size_t size = column->component->size;
    if (column->owned) return keeli_owned_unpack(column, r, column->value) ? column->value : NULL;
    const void *at = keeli_bytes_read(r, size);
    if (!at) {
        (void)keeli_domain_fail(d, KEEL_ERROR_FORMAT, "what another rank sent is damaged");
        return NULL;
    }
    memcpy(column->value, at, size);
    return keeli_handles_from_ids(d, column, column->value) ? column->value : NULL;
}

bool keeli_value_hash(keel_domain *d, const mpi_column *column, const void *value,
                      mpi_bytes *scratch, uint64_t *hash) {
    const size_t size = column->component->size;
    scratch->size = 0;
    if (!keeli_value_pack(d, column, value, false, scratch)) return false;
    for (size_t i = 0; i < size && column->mask; ++i)
        scratch->items[i] &= column->mask[i];
    *hash = keeli_hash_bytes(scratch->items, column->owned ? scratch->size : size, *hash);
    return true;
}

bool keeli_value_use(keel_domain *d, const mpi_column *column, const void *value, mpi_list *used) {
    if (column->owned) return keeli_owned_use(column, value, used);
    for (uint32_t k = 0; k < column->handle_count; ++k) {
        keel_entity e;
        memcpy(&e, (const char *)value + column->handles[k], sizeof e);
        if (!keel_has_component(d->world, e, KEEL_OF(keel_ghost)) || keeli_list_add(used, e))
            continue;
        (void)keeli_domain_fail(d, KEEL_ERROR_MEMORY, "looking for handles: out of memory");
        return false;
    }
    return true;
}
