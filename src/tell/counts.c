// SPDX-License-Identifier: MIT
// Counts how many entities each term of a view leaves (keel_view_counts). It asks the terms about
// each living entity, in the order of the list, and not in the order of a plan. Users and
// keel_step_counts call it; loops do not.
#include "tell/why.h"
#include "world/report.h"

#include <string.h>

// The handles of KEEL_AMONG as one bit per entity index, so that the list is read only once.
typedef struct listed_bits {
    uint64_t *words; // NULL: the view has no list
    size_t bytes;
} listed_bits;

// Makes the bits of a view's list. False when out of memory.
static bool listed_bits_make(listed_bits *bits, const keeli_view *view) {
    const keeli_entity_index *ix = &view->world->entities;
    *bits = (listed_bits){ 0 };
    if (!view->facts.among)
        return true;
    bits->bytes = ((size_t)ix->size / 64 + 1) * sizeof *bits->words;
    bits->words = keeli_new_zeroed(&view->world->heap, bits->bytes, _Alignof(uint64_t));
    if (!bits->words)
        return false;
    for (uint32_t i = 0; i < view->facts.among_count; ++i) {
        const keel_entity e = view->facts.among[i];
        const uint32_t index = keeli_index_of(e);
        if (keeli_entity_is_alive(ix, e))
            bits->words[index / 64] |= (uint64_t)1 << (index % 64);
    }
    return true;
}

static bool listed_bits_pass(const listed_bits *bits, const keeli_view *view,
                             const keeli_bound_term *term, keel_entity e) {
    const uint32_t index = keeli_index_of(e);
    if (term->kind == KEEL_TERM_AMONG)
        return bits->words[index / 64] >> (index % 64) & 1;
    return keeli_view_passes(view, term, e);
}

// Returns the first term that refuses the entity, or the number of terms.
static uint32_t first_refusing(const listed_bits *bits, const keeli_view *view, keel_entity e) {
    uint32_t t = 0;
    while (t < view->term_count && listed_bits_pass(bits, view, &view->terms[t], e))
        ++t;
    return t;
}

uint32_t keeli_counts_of_view(const keeli_view *view, keel_count_slice *slice, uint32_t *left,
                              uint32_t capacity) {
    keel_world *world = view->world;
    keel_count_slice all = { .max_visits = 0 };
    if (!slice)
        slice = &all;
    slice->visits = 0;
    slice->is_finished = false;
    uint32_t refused[KEEL_MAX_TERMS + 1] = { 0 };
    listed_bits bits;
    if (!listed_bits_make(&bits, view)) {
        (void)keeli_out_of_memory(world, "counting what each term of a view leaves");
        return 0;
    }

    const uint32_t most = slice->max_visits ? slice->max_visits : UINT32_MAX;
    keel_entity e = keeli_entity_index_next(
        &world->entities, keel_is_null(slice->after) ? 0 : keeli_index_of(slice->after) + 1);
    while (!keel_is_null(e) && slice->visits < most) {
        ++refused[first_refusing(&bits, view, e)];
        ++slice->visits;
        slice->after = e;
        e = keeli_entity_index_next(&world->entities, keeli_index_of(e) + 1);
    }
    slice->is_finished = keel_is_null(e);
    keeli_free(&world->heap, bits.words, bits.bytes, _Alignof(uint64_t));

    uint32_t rest = slice->visits;
    for (uint32_t t = 0; left && t < view->term_count && t < capacity; ++t) {
        rest -= refused[t];
        left[t] = rest;
    }
    return view->term_count;
}

uint32_t keel_view_counts(const keel_view *view, keel_count_slice *slice, uint32_t *left,
                          uint32_t capacity) {
    const keeli_view *state = keeli_view_of(view);
    return state ? keeli_counts_of_view(state, slice, left, capacity) : 0;
}
