// SPDX-License-Identifier: MIT
// Converts many values to rows of a file and back: the fast path. A plan has steps, each for
// neighbouring fields, and each step handles all values before the next one. Values that no plan
// can convert are left to schema.c and match.c. write.c and read.c call it.
#include "save.h"

#include <stdlib.h>
#include <string.h>

static const bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

static void add_step(save_plan *plan, save_step step) {
    save_step *last = plan->step_count ? &plan->steps[plan->step_count - 1] : NULL;
    if (last && step.kind == SAVE_COPY && last->kind == SAVE_COPY &&
        step.offset == last->offset + last->count && step.place == last->place + last->count)
        last->count += step.count;
    else plan->steps[plan->step_count++] = step;
}

// Allocates the steps. False if memory runs out.
static bool begin(save_plan *plan, const save_schema *schema, uint32_t row_bytes) {
    *plan = (save_plan){ .row_bytes = row_bytes, .value_bytes = schema->component->size };
    plan->steps = malloc((schema->leaf_count + 1u) * sizeof *plan->steps);
    return plan->steps != NULL;
}

static bool end(save_plan *plan) {
    const save_step *only = plan->step_count == 1 ? plan->steps : NULL;
    plan->is_whole = only && only->kind == SAVE_COPY && only->count == plan->value_bytes &&
                     only->count == plan->row_bytes;
    return true;
}

void save_plan_free(save_plan *plan) {
    free(plan->steps);
    plan->steps = NULL;
}

// Frees the steps: the caller of the plan then converts values one by one. Returns true, because
// this is no error.
static bool without_steps(save_plan *plan) {
    save_plan_free(plan);
    return true;
}

bool save_plan_pack(save_plan *plan, const save_schema *schema) {
    if (!begin(plan, schema, schema->row_bytes)) return false;
    if (!is_little) return without_steps(plan);
    for (uint32_t i = 0; i < schema->leaf_count; ++i) {
        const save_leaf *l = &schema->leaves[i];
        save_step step = { SAVE_COPY, l->offset, l->place, save_leaf_bytes(l) };
        if (save_is_behind(l->type)) return without_steps(plan);
        if (l->type == KEEL_FIELD_TEXT) step.kind = SAVE_TEXTS;
        if (l->type == KEEL_FIELD_ENTITY) step.kind = SAVE_HANDLES, step.count = l->count;
        add_step(plan, step);
    }
    return end(plan);
}

bool save_plan_unpack(save_plan *plan, const save_match *match) {
    const keel_component *c = match->here.component;
    if (!begin(plan, &match->here, match->file.row_bytes)) return false;
    if (!is_little || match->migrates || match->has_lost || match->file.text_count || c->copy ||
        c->drop)
        return without_steps(plan);
    for (uint32_t i = 0; i < match->here.leaf_count; ++i) {
        const save_leaf *to = &match->here.leaves[i];
        if (match->leaf_of[i] == UINT32_MAX) continue;
        const save_leaf *from = &match->file.leaves[match->leaf_of[i]];
        const save_from *how = &match->from[match->leaf_of[i]];
        if (from->type != to->type || from->count != to->count || how->is_renamed ||
            how->is_misfit || to->type == KEEL_FIELD_TEXT)
            return without_steps(plan);
        save_step step = { SAVE_COPY, to->offset, from->place, save_leaf_bytes(to) };
        if (to->type == KEEL_FIELD_BOOL) step.kind = SAVE_BOOLS;
        if (to->type == KEEL_FIELD_ENTITY) step.kind = SAVE_HANDLES, step.count = to->count;
        add_step(plan, step);
    }
    return end(plan);
}

// ------------------------------------------------------------------ copies
// Copies a field of each value. Inlined, so that `bytes` is a constant in the usual sizes.
static inline __attribute__((always_inline)) void copy_each(char *to, size_t to_step,
                                                            const char *from, size_t from_step,
                                                            uint32_t count, size_t bytes) {
    for (uint32_t i = 0; i < count; ++i)
        memcpy(to + i * to_step, from + i * from_step, bytes);
}

static void copy_column(char *to, size_t to_step, const char *from, size_t from_step,
                        uint32_t count, size_t bytes) {
    if (bytes == 4) copy_each(to, to_step, from, from_step, count, 4);
    else if (bytes == 8) copy_each(to, to_step, from, from_step, count, 8);
    else if (bytes == 12) copy_each(to, to_step, from, from_step, count, 12);
    else if (bytes == 16) copy_each(to, to_step, from, from_step, count, 16);
    else copy_each(to, to_step, from, from_step, count, bytes);
}

// ------------------------------------------------------------------ to rows
static void pack_handles(unsigned char *row, const char *at, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i, row += 8, at += sizeof(keel_entity)) {
        keel_entity e;
        memcpy(&e, at, sizeof e);
        const uint32_t words[2] = { keel_entity_index(e), keel_entity_version(e) + 1 };
        if (keel_is_null(e)) memset(row, 0, 8);
        else memcpy(row, words, 8);
    }
}

static void pack_text(unsigned char *row, const char *at, uint32_t size) {
    const char *end_of_text = memchr(at, 0, size);
    const size_t length = end_of_text ? (size_t)(end_of_text - at) : size;
    memcpy(row, at, length);
    memset(row + length, 0, size - length); // bytes after the zero are not saved
}

void save_pack_rows(const save_plan *plan, const void *values, uint32_t count,
                    unsigned char *rows) {
    const size_t row = plan->row_bytes, size = plan->value_bytes;
    if (plan->is_whole) {
        memcpy(rows, values, count * size);
        return;
    }
    for (const save_step *s = plan->steps; s < plan->steps + plan->step_count; ++s) {
        const char *from = (const char *)values + s->offset;
        unsigned char *to = rows + s->place;
        if (s->kind == SAVE_COPY) copy_column((char *)to, row, from, size, count, s->count);
        if (s->kind == SAVE_HANDLES)
            for (uint32_t i = 0; i < count; ++i)
                pack_handles(to + i * row, from + i * size, s->count);
        if (s->kind == SAVE_TEXTS)
            for (uint32_t i = 0; i < count; ++i)
                pack_text(to + i * row, from + i * size, s->count);
    }
}

// ------------------------------------------------------------------ from rows
static bool unpack_handles(char *at, const unsigned char *row, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i, row += 8, at += sizeof(keel_entity)) {
        uint32_t words[2]; // the index, and the version + 1; both are 0 for null
        keel_entity e = keel_null();
        memcpy(words, row, 8);
        if (words[1] ? words[0] > KEEL_MAX_ENTITY_INDEX || words[1] - 1 > KEEL_MAX_ENTITY_VERSION
                     : words[0] != 0)
            return false;
        if (words[1]) e = keel_entity_make(words[0], words[1] - 1);
        memcpy(at, &e, sizeof e);
    }
    return true;
}

static bool unpack_bools(char *at, const unsigned char *row, uint32_t count) {
    memcpy(at, row, count);
    for (uint32_t i = 0; i < count; ++i)
        if (row[i] > 1) return false;
    return true;
}

bool save_unpack_rows(const save_plan *plan, const unsigned char *rows, uint32_t count,
                      void *values) {
    const size_t row = plan->row_bytes, size = plan->value_bytes;
    for (const save_step *s = plan->steps; s < plan->steps + plan->step_count; ++s) {
        char *to = (char *)values + s->offset;
        const unsigned char *from = rows + s->place;
        if (s->kind == SAVE_COPY) {
            copy_column(to, size, (const char *)from, row, count, s->count);
            continue;
        }
        for (uint32_t i = 0; i < count; ++i)
            if (s->kind == SAVE_BOOLS ? !unpack_bools(to + i * size, from + i * row, s->count)
                                      : !unpack_handles(to + i * size, from + i * row, s->count))
                return false;
    }
    return true;
}
