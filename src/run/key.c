// SPDX-License-Identifier: MIT
// Keys: copies of the tables, steps, systems, terms and texts that a schedule was made from, to
// notice when the user has changed one behind its pointer. Structs are compared member by member,
// because padding may be undefined. schedule.c adds keys while it makes a schedule, and compares
// them before it uses the schedule again.
#include "run/schedule.h"

#include <string.h>

// ------------------------------------------------------------------ comparing
static bool is_same_workload(const void *a, const void *b) {
    const keel_workload *x = a, *y = b;
    return x->name == y->name && x->steps == y->steps && x->step_count == y->step_count &&
           x->stamp == y->stamp;
}

// Compares bit by bit, so that a NaN equals itself.
static bool is_same_time(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0; // NOLINT(*-memory-comparison,cert-*): no padding in it
}

static bool is_same_step(const void *a, const void *b) {
    const keel_step *x = a, *y = b;
    return x->system == y->system && x->workload == y->workload &&
           x->workload_name == y->workload_name && x->barrier == y->barrier &&
           x->run_if == y->run_if && x->skip_if == y->skip_if &&
           x->skip_if_empty == y->skip_if_empty && x->skip_if_missing == y->skip_if_missing &&
           x->label == y->label && x->after == y->after && x->before == y->before &&
           x->after_all == y->after_all && x->before_all == y->before_all &&
           x->parallel == y->parallel && x->sequential == y->sequential &&
           x->in_state == y->in_state && x->on_enter == y->on_enter && x->on_exit == y->on_exit &&
           x->state_value == y->state_value && x->transition == y->transition &&
           x->startup == y->startup && x->times == y->times && is_same_time(x->every, y->every) &&
           x->main_thread == y->main_thread;
}

static bool is_same_system(const void *a, const void *b) {
    const keel_system *x = a, *y = b;
    return x->name == y->name && x->kind == y->kind && x->run == y->run &&
           x->function == y->function && x->each_span == y->each_span && x->terms == y->terms;
}

// Compares two terms. Of KEEL_TERM_END only the kind is compared, as its other members may be
// undefined.
static bool is_same_term(const void *a, const void *b) {
    const keel_term *x = a, *y = b;
    return (x->kind == KEEL_TERM_END && y->kind == KEEL_TERM_END) || keeli_is_same_term(x, y);
}

static bool is_same_custom_view(const void *a, const void *b) {
    const keel_custom_view *x = a, *y = b;
    return x->name == y->name && x->size == y->size && x->align == y->align &&
           x->terms == y->terms && x->fill == y->fill && x->init == y->init && x->drop == y->drop;
}

static bool is_same_pointer(const void *a, const void *b) {
    return memcmp(a, b, sizeof(void *)) == 0;
}

static bool is_same_byte(const void *a, const void *b) {
    return *(const char *)a == *(const char *)b;
}

bool keeli_keys_agree(const keeli_schedule *s) {
    if (s->stamp)
        return true; // the caller has compared the stamp

    for (uint32_t i = 0; i < s->keys.count; ++i) {
        const keeli_key *key = &s->keys.items[i];
        const char *now = key->at, *then = s->key_bytes.items + key->copy;
        for (uint32_t k = 0; k < key->count; ++k) {
            if (!key->is_same(now, then))
                return false;
            now += key->size;
            then += key->size;
        }
    }
    return true;
}

// ------------------------------------------------------------------ adding
// Adds a key for `count` items of `size` bytes at `at`, and copies them. False if out of memory.
static bool add_key(keeli_schedule *s, bool (*is_same)(const void *a, const void *b),
                    const void *at, size_t size, size_t count) {
    enum { ALIGN = _Alignof(max_align_t) };
    keeli_heap *heap = &s->world->heap;
    const size_t bytes = size * count;
    if (!at || !count)
        return true;
    if (count > (UINT32_MAX - ALIGN) / size)
        return false;
    if (!KEELI_RESERVE(heap, &s->keys, 1))
        return false;
    if (!KEELI_RESERVE(heap, &s->key_bytes, (uint32_t)bytes + ALIGN))
        return false;
    uint32_t copy = s->key_bytes.count;
    if (size > 1)
        copy = (copy + ALIGN - 1) / ALIGN * ALIGN;
    *KEELI_APPEND(&s->keys) = (keeli_key){ at, (uint32_t)size, (uint32_t)count, copy, is_same };
    memcpy(s->key_bytes.items + copy, at, bytes);
    s->key_bytes.count = copy + (uint32_t)bytes;
    return true;
}

static bool add_text_key(keeli_schedule *s, const char *text) {
    return !text || add_key(s, is_same_byte, text, 1, strlen(text) + 1);
}

// Adds keys for terms and everything that they point to. A key is added after the key that contains
// the pointer to its items. Keys are compared in that order and the first difference ends the
// comparison, so a pointer that has changed is never followed. Lists that are too long or too deep
// are refused later, when the terms are bound.
static bool add_term_keys(keeli_schedule *s, const keel_term *terms, uint32_t most,
                          uint32_t depth) {
    uint32_t count = 0;
    if (!terms)
        return true;
    while (count < most && terms[count].kind != KEEL_TERM_END)
        ++count;
    if (!add_key(s, is_same_term, terms, sizeof *terms, (size_t)count + 1))
        return false;
    for (uint32_t t = 0; t < count; ++t) {
        const keel_component *const *others = terms[t].others;
        const keel_custom_view *custom =
            keeli_term_is_custom(terms[t].kind) ? terms[t].custom : NULL;
        if (others) {
            uint32_t n = 0;
            while (n < KEEL_MAX_TERM_COMPONENTS && others[n])
                ++n;
            n += n < KEEL_MAX_TERM_COMPONENTS; // the end of the list
            if (!add_key(s, is_same_pointer, others, sizeof *others, n))
                return false;
        }
        const bool is_too_deep = depth >= KEEL_MAX_CUSTOM_DEPTH;
        if (!custom || is_too_deep)
            continue;
        if (!add_key(s, is_same_custom_view, custom, sizeof *custom, 1))
            return false;
        if (!add_term_keys(s, custom->terms, UINT32_MAX, depth + 1))
            return false;
    }
    return true;
}

// Adds keys for a system and its terms. Adds none for NULL.
static bool add_system_keys(keeli_schedule *s, const keel_system *system) {
    if (!system)
        return true;
    return add_key(s, is_same_system, system, sizeof *system, 1) &&
           add_term_keys(s, system->terms, KEEL_MAX_TERMS, 0);
}

bool keeli_key_table(keeli_schedule *s, const keel_workload *table) {
    if (!add_key(s, is_same_workload, table, sizeof *table, 1))
        return false;
    if (!table->steps)
        return true;
    return add_key(s, is_same_step, table->steps, sizeof *table->steps, table->step_count);
}

bool keeli_key_step(keeli_schedule *s, const keel_step *step) {
    return add_system_keys(s, step->system) && add_system_keys(s, step->run_if) &&
           add_system_keys(s, step->skip_if) && add_text_key(s, step->label) &&
           add_text_key(s, step->after) && add_text_key(s, step->before) &&
           add_text_key(s, step->after_all) && add_text_key(s, step->before_all);
}
