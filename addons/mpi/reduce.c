// SPDX-License-Identifier: MIT
// Makes uniques of all ranks one: each rank tells its own, and combines all in the order of ranks.
#include "domain.h"

#include <string.h>

// Combines a number of type T; sums of integers wrap around.
#define COMBINE(T, SUM)                                                                            \
    do {                                                                                           \
        T a, b;                                                                                    \
        memcpy(&a, to, sizeof a);                                                                  \
        memcpy(&b, from, sizeof b);                                                                \
        if (how == KEEL_REDUCE_SUM) a = (T)((SUM)a + (SUM)b);                                      \
        else if (how == KEEL_REDUCE_MIN) a = b < a ? b : a;                                        \
        else a = b > a ? b : a;                                                                    \
        memcpy(to, &a, sizeof a);                                                                  \
        return sizeof a;                                                                           \
    } while (0)

// Combines one number. Returns its bytes; 0: it is none.
static size_t combine_number(keel_field_type type, keel_reduce_kind how, void *to,
                             const void *from) {
    switch (type) {
    case KEEL_FIELD_I8:
        COMBINE(int8_t, uint8_t);
    case KEEL_FIELD_U8:
        COMBINE(uint8_t, uint8_t);
    case KEEL_FIELD_I16:
        COMBINE(int16_t, uint16_t);
    case KEEL_FIELD_U16:
        COMBINE(uint16_t, uint16_t);
    case KEEL_FIELD_I32:
        COMBINE(int32_t, uint32_t);
    case KEEL_FIELD_U32:
        COMBINE(uint32_t, uint32_t);
    case KEEL_FIELD_I64:
        COMBINE(int64_t, uint64_t);
    case KEEL_FIELD_U64:
        COMBINE(uint64_t, uint64_t);
    case KEEL_FIELD_F32:
        COMBINE(float, float);
    case KEEL_FIELD_F64:
        COMBINE(double, double);
    default:
        return 0;
    }
}

// False: a field is no number.
static bool combine(const keel_component *unique, keel_reduce_kind how, unsigned char *to,
                    const unsigned char *from) {
    for (uint32_t i = 0; i < unique->field_count; ++i) {
        const keel_field *f = &unique->fields[i];
        size_t at = f->offset;
        for (uint32_t k = 0; k < (f->count ? f->count : 1); ++k) {
            const size_t size = combine_number(f->type, how, to + at, from + at);
            if (!size) return false;
            at += size;
        }
    }
    return unique->field_count > 0;
}

keel_result keeli_reduce_write(keel_domain *d, mpi_bytes *out) {
    for (const keel_reduced *r = d->desc.reduced; r && r->unique; ++r) {
        const void *own = keel_get_or_set_unique_value(d->world, r->unique, NULL);
        const keel_component *unique = keel_register_component(d->world, r->unique);
        if (!own || !unique) return keeli_domain_fail_world(d);
        if (!keeli_bytes_copy(out, own, unique->size))
            return keeli_domain_fail(d, KEEL_ERROR_MEMORY, "reducing uniques: out of memory");
    }
    return KEEL_OK;
}

static keel_result reduce_one(keel_domain *d, const keel_reduced *reduced) {
    unsigned char *own = keel_get_or_set_unique_value(d->world, reduced->unique, NULL);
    const keel_component *unique = keel_register_component(d->world, reduced->unique);
    if (!own || !unique) return keeli_domain_fail_world(d);
    for (uint32_t r = 0; r < d->desc.ranks.count; ++r) {
        const void *from = keeli_bytes_read(&d->readers[r], unique->size);
        if (!from)
            return keeli_domain_fail(d, KEEL_ERROR_FORMAT, "rank %u has no unique '%.80s'",
                                     (unsigned)r, unique->name);
        if (!r) memcpy(own, from, unique->size);
        else if (!combine(unique, reduced->how, own, from))
            return keeli_domain_fail(d, KEEL_ERROR_ARGUMENT,
                                     "unique '%.80s' cannot be reduced: describe its fields with "
                                     "KEEL_FIELDS and KEEL_HAS_FIELDS; all are numbers",
                                     unique->name);
    }
    return KEEL_OK;
}

keel_result keeli_reduce_read(keel_domain *d) {
    for (const keel_reduced *r = d->desc.reduced; r && r->unique; ++r)
        KEEL_TRY(reduce_one(d, r));
    return KEEL_OK;
}
