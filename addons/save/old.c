// SPDX-License-Identifier: MIT
// The functions keel_old_*, by which a .migrate hook reads fields of a value that an older program
// saved. They read the current row of a save_match and convert nothing into the new value: match.c
// has already converted the fields that fit, and the hook does the rest.
#include "save.h"

#include <stdlib.h>
#include <string.h>

// Returns the leaf of a path, and marks it as read by .migrate (save_match_end). `element` receives
// the index in the array at the end of the path, or 0. NULL if there is no such leaf.
static const save_leaf *find(const keel_old_value *old, const char *path, uint32_t *element) {
    if (!old || !path) return NULL;
    save_match *m = old->match;
    for (uint32_t i = 0; i < m->file.leaf_count; ++i) {
        const save_leaf *l = &m->file.leaves[i];
        const size_t length = strlen(l->path);
        char *end = NULL;
        if (strncmp(l->path, path, length) != 0) continue;
        const bool has_index =
            path[length] == '[' && path[length + 1] >= '0' && path[length + 1] <= '9';
        if (path[length] && !has_index) continue;
        const unsigned long k = has_index ? strtoul(path + length + 1, &end, 10) : 0;
        const bool is_array = l->type != KEEL_FIELD_TEXT && l->type != KEEL_FIELD_BYTES;
        if (has_index && (strcmp(end, "]") != 0 || k >= (is_array ? l->count : 1))) continue;
        m->from[i].is_asked = true;
        *element = (uint32_t)k;
        return l;
    }
    return NULL;
}

uint32_t keel_old_version(const keel_old_value *old) { return old ? old->match->file.version : 0; }

static const save_leaf *find_number(const keel_old_value *old, const char *path, save_number *out) {
    uint32_t element;
    const save_leaf *l = find(old, path, &element);
    if (!l || !save_is_number(l->type)) return NULL;
    *out = save_get_number(
        old->match->row + l->place + (size_t)element * save_element_bytes(l->type), l->type);
    return l;
}

int64_t keel_old_int(const keel_old_value *old, const char *path, int64_t otherwise) {
    save_number n;
    if (!find_number(old, path, &n)) return otherwise;
    if (!n.is_float) return (int64_t)n.bits;
    return n.f >= -9223372036854775808.0 && n.f < 9223372036854775808.0 ? (int64_t)n.f : otherwise;
}

double keel_old_float(const keel_old_value *old, const char *path, double otherwise) {
    save_number n;
    if (!find_number(old, path, &n)) return otherwise;
    return n.is_float ? n.f : n.is_signed ? (double)(int64_t)n.bits : (double)n.bits;
}

keel_entity keel_old_entity(const keel_old_value *old, const char *path, keel_entity otherwise) {
    uint32_t element;
    const save_leaf *l = find(old, path, &element);
    keel_entity e;
    if (!l || l->type != KEEL_FIELD_ENTITY) return otherwise;
    return save_get_entity(old->match->row + l->place + (size_t)element * 8, &e, NULL) ? e
                                                                                       : otherwise;
}

const char *keel_old_text(const keel_old_value *old, const char *path, const char *otherwise) {
    uint32_t element;
    const save_leaf *l = find(old, path, &element);
    if (!l) return otherwise;
    const save_match *m = old->match;
    if (l->type == KEEL_FIELD_OWNED_TEXT) return m->texts[l->texts + element];
    if (l->type == KEEL_FIELD_TEXT) { // text_room has one byte more for the zero of each leaf
        char *at = m->text_room + l->place + (l - m->file.leaves);
        memcpy(at, m->row + l->place, l->count);
        at[l->count] = 0;
        return at;
    }
    save_number n;
    if (!l->of || !find_number(old, path, &n)) return otherwise;
    for (uint32_t i = 0; i < l->of->value_count; ++i)
        if ((uint64_t)l->of->values[i].value == n.bits) return l->of->values[i].name;
    return otherwise;
}
