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

// Comparisons of `size` bytes of them.
#define DEFINE_COMPARISON(name, T, is_same_one)                                                    \
    static bool name(const void *a, const void *b, uint32_t size) {                                \
        const T *x = a, *y = b;                                                                    \
        const uint32_t count = size / (uint32_t)sizeof(T);                                         \
        uint32_t i = 0;                                                                            \
        while (i < count && is_same_one(&x[i], &y[i]))                                             \
            ++i;                                                                                   \
        return i == count;                                                                         \
    }
DEFINE_COMPARISON(workloads_are_same, keel_workload, is_same_workload)
DEFINE_COMPARISON(steps_are_same, keel_step, is_same_step)
DEFINE_COMPARISON(systems_are_same, keel_system, is_same_system)
DEFINE_COMPARISON(terms_are_same, keel_term, is_same_term)
DEFINE_COMPARISON(custom_views_are_same, keel_custom_view, is_same_custom_view)
static bool bytes_are_same(const void *a, const void *b, uint32_t size) {
    return memcmp(a, b, size) == 0;
}

bool keeli_keys_agree(const keeli_schedule *s) {
    for (uint32_t i = 0; !s->stamp && i < s->keys.count; ++i) {
        const keeli_key *key = &s->keys.items[i];
        if (!key->is_same(key->at, s->key_bytes.items + key->copy, key->size)) return false;
    }
    return true;
}

// ------------------------------------------------------------------ keeping
typedef bool comparison(const void *a, const void *b, uint32_t size);

static bool keep(keeli_schedule *s, comparison *is_same, const void *at, size_t size) {
    enum { ALIGN = _Alignof(max_align_t) };
    keeli_heap *heap = &s->world->heap;
    if (!at || !size) return true;
    if (size > UINT32_MAX - ALIGN || !KEELI_RESERVE(heap, &s->keys, 1) ||
        !KEELI_RESERVE(heap, &s->key_bytes, (uint32_t)size + ALIGN))
        return false;
    uint32_t copy = s->key_bytes.count;
    if (is_same != bytes_are_same) copy = (copy + ALIGN - 1) / ALIGN * ALIGN;
    s->keys.items[s->keys.count++] = (keeli_key){ at, (uint32_t)size, copy, is_same };
    memcpy(s->key_bytes.items + copy, at, size);
    s->key_bytes.count = copy + (uint32_t)size;
    return true;
}

static bool keep_text(keeli_schedule *s, const char *text) {
    return !text || keep(s, bytes_are_same, text, strlen(text) + 1);
}

// Each after what points to it, so that what is compared can be read. What is too long or too deep
// is refused later, when the terms are bound.
static bool keep_terms(keeli_schedule *s, const keel_term *terms, uint32_t most, uint32_t depth) {
    uint32_t count = 0;
    while (terms && terms[count].kind != KEEL_TERM_END && count < most)
        ++count;
    if (terms && !keep(s, terms_are_same, terms, (count + 1) * sizeof *terms)) return false;
    for (uint32_t t = 0; t < count; ++t) {
        const keel_component *const *others = terms[t].others;
        const keel_custom_view *custom = terms[t].custom;
        uint32_t n = 0;
        while (others && n < KEEL_MAX_TERM_COMPONENTS && others[n])
            ++n;
        n += n < KEEL_MAX_TERM_COMPONENTS; // the end of the list
        if (others && !keep(s, bytes_are_same, others, n * sizeof *others)) return false;
        if (custom && depth < KEEL_MAX_CUSTOM_DEPTH &&
            !(keep(s, custom_views_are_same, custom, sizeof *custom) &&
              keep_terms(s, custom->terms, UINT32_MAX, depth + 1)))
            return false;
    }
    return true;
}

static bool keep_system(keeli_schedule *s, const keel_system *system) {
    return !system || (keep(s, systems_are_same, system, sizeof *system) &&
                       keep_terms(s, system->terms, KEEL_MAX_TERMS, 0));
}

bool keeli_key_table(keeli_schedule *s, const keel_workload *table) {
    return keep(s, workloads_are_same, table, sizeof *table) &&
           (!table->steps ||
            keep(s, steps_are_same, table->steps, table->step_count * sizeof *table->steps));
}

bool keeli_key_step(keeli_schedule *s, const keel_step *step) {
    return keep_system(s, step->system) && keep_system(s, step->run_if) &&
           keep_system(s, step->skip_if) && keep_text(s, step->label) &&
           keep_text(s, step->after) && keep_text(s, step->before) &&
           keep_text(s, step->after_all) && keep_text(s, step->before_all);
}
