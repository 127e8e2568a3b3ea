// SPDX-License-Identifier: MIT
// Functions that the library calls. All of them call it in turn, also where they must not.
#include "fuzz.h"

#include <string.h>

void fuzz_observer(const keel_change *change, void *data) {
    const keel_change *outer = f.change;
    (void)data;
    f.change = change;
    if (change->commands && !f.is_attacked && fuzz_one_in(4))
        (void)(keel_delete_entity)(KEEL_SCOPE(change->commands), change->entity);
    fuzz_inside(NULL);
    f.change = outer;
}

keel_result fuzz_command(keel_world *world, void *data) {
    (void)world, (void)data;
    fuzz_inside(NULL);
    return fuzz_one_in(8)   ? KEEL_ERROR_UNKNOWN
           : fuzz_one_in(8) ? (keel_result)FUZZ_OWN_ERROR
                            : KEEL_OK;
}

bool fuzz_retain(keel_entity e, void *value, void *data) {
    (void)e, (void)value, (void)data;
    fuzz_inside(NULL);
    return fuzz_one_in(2);
}

void fuzz_patch(void *value, void *data) {
    (void)value, (void)data;
    fuzz_inside(NULL);
}

// No order at all: sorting must survive it.
int fuzz_compare_entities(const keel_world *world, keel_entity a, keel_entity b, void *data) {
    (void)world, (void)data;
    if (fuzz_one_in(16)) fuzz_inside(NULL);
    if (fuzz_one_in(8)) return (int)fuzz_byte() - 128;
    return keel_entity_index(a) < keel_entity_index(b) ? -1 : 1;
}
int fuzz_compare_values(const void *a, const void *b, void *data) {
    (void)data;
    if (fuzz_one_in(16)) fuzz_inside(NULL);
    if (fuzz_one_in(8) || !a || !b) return (int)fuzz_byte() - 128;
    return a < b ? -1 : 1;
}

void fuzz_range(uint32_t begin, uint32_t end, const keel_piece *piece, void *data) {
    const keel_piece *outer = f.piece;
    (void)data;
    f.piece = piece;
    if (piece->partial) *(uint32_t *)piece->partial += end - begin;
    if (fuzz_one_in(4)) fuzz_inside(NULL);
    f.piece = outer;
}
void fuzz_span(const keel_span *span, const keel_piece *piece, void *data) {
    const keel_piece *outer = f.piece;
    (void)data;
    f.piece = piece;
    if (piece->partial) *(uint32_t *)piece->partial += span->count;
    (void)keel_span_read_component(span, fuzz_component());
    (void)keel_span_write_component(span, fuzz_component());
    if (fuzz_one_in(4)) fuzz_inside(NULL);
    f.piece = outer;
}
void fuzz_combine(void *total, const void *partial, void *data) {
    (void)data;
    *(uint32_t *)total += *(const uint32_t *)partial;
}
