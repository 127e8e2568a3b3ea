// SPDX-License-Identifier: MIT
// What a schedule was made of, kept to notice a change behind a pointer. Structs are compared
// member by member: what lies between members is nobody's business, and may be undefined.
#include "run/schedule.h"

#include <string.h>

// ------------------------------------------------------------------ comparing
static bool is_same_workload(const keel_workload *a, const keel_workload *b) {
    return a->name == b->name && a->steps == b->steps && a->step_count == b->step_count &&
           a->stamp == b->stamp;
}

static bool is_same_step(const keel_step *a, const keel_step *b) {
    return a->system == b->system && a->workload == b->workload &&
           a->workload_name == b->workload_name && a->barrier == b->barrier &&
           a->run_if == b->run_if && a->skip_if == b->skip_if &&
           a->skip_if_empty == b->skip_if_empty && a->skip_if_missing == b->skip_if_missing &&
           a->label == b->label && a->after == b->after && a->before == b->before &&
           a->after_all == b->after_all && a->before_all == b->before_all &&
           a->parallel == b->parallel && a->sequential == b->sequential &&
           a->startup == b->startup && a->main_thread == b->main_thread;
}

static bool is_same_system(const keel_system *a, const keel_system *b) {
    return a->name == b->name && a->kind == b->kind && a->run == b->run &&
           a->function == b->function && a->terms == b->terms;
}

// The rest of an end may be undefined.
static bool is_same_term(const keel_term *a, const keel_term *b) {
    return (a->kind == KEEL_TERM_END && b->kind == KEEL_TERM_END) || keeli_is_same_term(a, b);
}

static bool is_same_custom_view(const keel_custom_view *a, const keel_custom_view *b) {
    return a->name == b->name && a->size == b->size && a->align == b->align &&
           a->terms == b->terms && a->fill == b->fill && a->init == b->init && a->drop == b->drop;
}

#define ALL_ARE_SAME(T, is_same_one)                                                               \
    const T *x = a, *y = b;                                                                        \
    const uint32_t count = size / (uint32_t)sizeof(T);                                             \
    uint32_t i = 0;                                                                                \
    while (i < count && is_same_one(&x[i], &y[i]))                                                 \
        ++i;                                                                                       \
    return i == count

static bool steps_are_same(const void *a, const void *b, uint32_t size) {
    ALL_ARE_SAME(keel_step, is_same_step);
}
static bool terms_are_same(const void *a, const void *b, uint32_t size) {
    ALL_ARE_SAME(keel_term, is_same_term);
}

static bool is_same(const keeli_witness *w, const void *copy) {
    switch (w->kind) {
    case KEELI_WITNESS_WORKLOAD:
        return is_same_workload(w->at, copy);
    case KEELI_WITNESS_STEPS:
        return steps_are_same(w->at, copy, w->size);
    case KEELI_WITNESS_SYSTEM:
        return is_same_system(w->at, copy);
    case KEELI_WITNESS_TERMS:
        return terms_are_same(w->at, copy, w->size);
    case KEELI_WITNESS_CUSTOM_VIEW:
        return is_same_custom_view(w->at, copy);
    case KEELI_WITNESS_BYTES:
        break;
    }
    return memcmp(w->at, copy, w->size) == 0;
}

bool keeli_witnesses_agree(const keeli_schedule *s) {
    for (uint32_t i = 0; !s->stamp && i < s->witnesses.count; ++i) {
        const keeli_witness *w = &s->witnesses.items[i];
        if (!is_same(w, s->witness_bytes.items + w->copy)) return false;
    }
    return true;
}

// ------------------------------------------------------------------ keeping
static bool keep(keeli_schedule *s, keeli_witness_kind kind, const void *at, size_t size) {
    enum { ALIGN = _Alignof(max_align_t) };
    keeli_heap *heap = &s->world->heap;
    if (!at || !size) return true;
    if (size > UINT32_MAX - ALIGN || !KEELI_RESERVE(heap, &s->witnesses, 1) ||
        !KEELI_RESERVE(heap, &s->witness_bytes, (uint32_t)size + ALIGN))
        return false;
    uint32_t copy = s->witness_bytes.count;
    if (kind != KEELI_WITNESS_BYTES) copy = (copy + ALIGN - 1) / ALIGN * ALIGN;
    s->witnesses.items[s->witnesses.count++] = (keeli_witness){ at, (uint32_t)size, copy, kind };
    memcpy(s->witness_bytes.items + copy, at, size);
    s->witness_bytes.count = copy + (uint32_t)size;
    return true;
}

static bool keep_text(keeli_schedule *s, const char *text) {
    return !text || keep(s, KEELI_WITNESS_BYTES, text, strlen(text) + 1);
}

// Each after what points to it, so that what is compared can be read. What is too long or too deep
// is refused later, when the terms are bound.
static bool keep_terms(keeli_schedule *s, const keel_term *terms, uint32_t most, uint32_t depth) {
    uint32_t count = 0;
    while (terms && terms[count].kind != KEEL_TERM_END && count < most)
        ++count;
    if (terms && !keep(s, KEELI_WITNESS_TERMS, terms, (count + 1) * sizeof *terms)) return false;
    for (uint32_t t = 0; t < count; ++t) {
        const keel_component *const *others = terms[t].others;
        const keel_custom_view *custom = terms[t].custom;
        uint32_t n = 0;
        while (others && n < KEEL_MAX_TERM_COMPONENTS && others[n])
            ++n;
        n += n < KEEL_MAX_TERM_COMPONENTS; // the end of the list
        if (others && !keep(s, KEELI_WITNESS_BYTES, others, n * sizeof *others)) return false;
        if (custom && depth < KEEL_MAX_CUSTOM_DEPTH &&
            !(keep(s, KEELI_WITNESS_CUSTOM_VIEW, custom, sizeof *custom) &&
              keep_terms(s, custom->terms, UINT32_MAX, depth + 1)))
            return false;
    }
    return true;
}

static bool keep_system(keeli_schedule *s, const keel_system *system) {
    return !system || (keep(s, KEELI_WITNESS_SYSTEM, system, sizeof *system) &&
                       keep_terms(s, system->terms, KEEL_MAX_TERMS, 0));
}

bool keeli_witness_table(keeli_schedule *s, const keel_workload *table) {
    return keep(s, KEELI_WITNESS_WORKLOAD, table, sizeof *table) &&
           (!table->steps ||
            keep(s, KEELI_WITNESS_STEPS, table->steps, table->step_count * sizeof *table->steps));
}

bool keeli_witness_step(keeli_schedule *s, const keel_step *step) {
    return keep_system(s, step->system) && keep_system(s, step->run_if) &&
           keep_system(s, step->skip_if) && keep_text(s, step->label) &&
           keep_text(s, step->after) && keep_text(s, step->before) &&
           keep_text(s, step->after_all) && keep_text(s, step->before_all);
}
