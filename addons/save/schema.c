// SPDX-License-Identifier: MIT
// What a component's values look like in a file: the leaves of its fields, by path; and how a row
// of another schema becomes a value of this program.
#include "save.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t element_bytes(keel_field_type type) { // in a file
    static const uint8_t bytes[] = { 1, 1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8, 1 };
    return (uint32_t)type < sizeof bytes ? bytes[type] : 0;
}
uint32_t save_leaf_bytes(const save_leaf *leaf) { return element_bytes(leaf->type) * leaf->count; }

bool save_is_own(const keel_component *c) {
    return !strcmp(c->name, "keel_parent") || !strcmp(c->name, "keel_child") ||
           !strcmp(c->name, "keel_name");
}

// ------------------------------------------------------------------ of a component
static keel_result add_leaf(save_schema *s, const save_leaf *leaf, keel_error *error) {
    if (s->leaf_count == SAVE_MOST_LEAVES)
        return save_fail(error, KEEL_ERROR_SCHEMA, "'%s' has more than %d fields in all",
                         s->component->name, SAVE_MOST_LEAVES);
    save_leaf *grown = realloc(s->leaves, (s->leaf_count + 1) * sizeof *grown);
    if (!grown) return save_fail(error, KEEL_ERROR_MEMORY, "out of memory; nothing was changed");
    s->leaves = grown;
    s->leaves[s->leaf_count] = *leaf;
    s->leaves[s->leaf_count++].place = s->row_bytes;
    s->row_bytes += save_leaf_bytes(leaf);
    return KEEL_OK;
}

static keel_result add_fields(save_schema *s, const keel_field *fields, uint32_t count,
                              const char *path, uint32_t offset, keel_error *error) {
    for (const keel_field *f = fields; f < fields + count; ++f) {
        save_leaf leaf = { .type = f->type, .offset = offset + f->offset, .count = f->count };
        if (f->transient) continue;
        if (f->type == KEEL_FIELD_OWNED_TEXT)
            return save_fail(error, KEEL_ERROR_SCHEMA,
                             "'%s.%s%s' is a text that the value owns, which cannot be saved; make "
                             "it a char[] or .transient = true",
                             s->component->name, path, f->name);
        const uint32_t size = f->type == KEEL_FIELD_STRUCT ? f->of->size : f->count;
        const uint32_t n = f->count / size;
        for (uint32_t i = 0; i < n; ++i) {
            const int length =
                n > 1 ? snprintf(leaf.path, sizeof leaf.path, "%s%s[%u]", path, f->name, i)
                      : snprintf(leaf.path, sizeof leaf.path, "%s%s", path, f->name);
            if (length < 0 || (size_t)length + 2 > sizeof leaf.path)
                return save_fail(error, KEEL_ERROR_SCHEMA, "'%s' has a path that is too long",
                                 s->component->name);
            if (f->type != KEEL_FIELD_STRUCT) {
                KEEL_TRY(add_leaf(s, &leaf, error));
                continue;
            }
            leaf.path[length] = '.';
            leaf.path[length + 1] = 0;
            KEEL_TRY(add_fields(s, f->of->fields, f->of->field_count, leaf.path,
                                leaf.offset + i * size, error));
        }
    }
    return KEEL_OK;
}

keel_result save_schema_make(save_schema *schema, const keel_component *c, keel_error *error) {
    *schema = (save_schema){ .component = c };
    if (strlen(c->name) > 255)
        return save_fail(error, KEEL_ERROR_SCHEMA, "'%.40s...' has too long a name", c->name);
    if (c->field_count) return add_fields(schema, c->fields, c->field_count, "", 0, error);
    const save_leaf all = { .type = KEEL_FIELD_BYTES, .count = c->size };
    if (!c->size) return KEEL_OK;
    if (c->no_padding && !c->copy && !c->drop) return add_leaf(schema, &all, error);
    return save_fail(
        error, KEEL_ERROR_SCHEMA,
        "'%s' does not say which bytes are its value; declare it with KEEL_HAS_FIELDS, "
        ".no_padding = true, or .transient = true to leave it out",
        c->name);
}

void save_schema_free(save_schema *schema) {
    free(schema->leaves);
    schema->leaves = NULL;
}

// ------------------------------------------------------------------ values
static uint64_t host_number(const void *at, uint32_t bytes) {
    uint8_t b1;
    uint16_t b2;
    uint32_t b4;
    uint64_t b8;
    switch (bytes) {
    case 1:
        return memcpy(&b1, at, 1), b1;
    case 2:
        return memcpy(&b2, at, 2), b2;
    case 4:
        return memcpy(&b4, at, 4), b4;
    default:
        return memcpy(&b8, at, 8), b8;
    }
}

static void put_host_number(void *at, uint64_t number, uint32_t bytes) {
    const uint8_t b1 = (uint8_t)number;
    const uint16_t b2 = (uint16_t)number;
    const uint32_t b4 = (uint32_t)number;
    switch (bytes) {
    case 1:
        memcpy(at, &b1, 1);
        break;
    case 2:
        memcpy(at, &b2, 2);
        break;
    case 4:
        memcpy(at, &b4, 4);
        break;
    default:
        memcpy(at, &number, 8);
    }
}

static void pack_entity(unsigned char *row, const char *at) {
    keel_entity e;
    memcpy(&e, at, sizeof e);
    save_write_number(row, keel_is_null(e) ? 0 : keel_entity_index(e), 4);
    save_write_number(row + 4, keel_is_null(e) ? 0 : keel_entity_version(e) + 1, 4);
}

static void pack_text(unsigned char *row, const char *at, uint32_t size) {
    const char *end = memchr(at, 0, size);
    const size_t length = end ? (size_t)(end - at) : size;
    memcpy(row, at, length);
    memset(row + length, 0, size - length); // what follows the end is no value
}

void save_pack(const save_schema *schema, const void *value, unsigned char *row) {
    for (const save_leaf *l = schema->leaves; l < schema->leaves + schema->leaf_count; ++l) {
        const char *at = (const char *)value + l->offset;
        const uint32_t bytes = element_bytes(l->type);
        unsigned char *to = row + l->place;
        if (l->type == KEEL_FIELD_BYTES) memcpy(to, at, l->count);
        else if (l->type == KEEL_FIELD_TEXT) pack_text(to, at, l->count);
        else if (l->type == KEEL_FIELD_ENTITY)
            for (uint32_t i = 0; i < l->count; ++i)
                pack_entity(to + i * bytes, at + i * sizeof(keel_entity));
        else
            for (uint32_t i = 0; i < l->count; ++i)
                save_write_number(to + i * bytes, host_number(at + i * bytes, bytes), bytes);
    }
}

// ------------------------------------------------------------------ from another schema
static bool is_signed(keel_field_type t) {
    return t == KEEL_FIELD_I8 || t == KEEL_FIELD_I16 || t == KEEL_FIELD_I32 || t == KEEL_FIELD_I64;
}
static bool is_integer(keel_field_type t) { return t >= KEEL_FIELD_I8 && t <= KEEL_FIELD_U64; }

// Does every value of one type have a place in the other?
static bool can_widen(keel_field_type from, keel_field_type to) {
    if (from == to) return true;
    if (from == KEEL_FIELD_F32 && to == KEEL_FIELD_F64) return true;
    if (!is_integer(from) || !is_integer(to)) return false;
    return element_bytes(from) < element_bytes(to) && (is_signed(to) || !is_signed(from));
}

static keel_result match_leaf(save_match *m, uint32_t here, keel_error *error) {
    const save_leaf *to = &m->here.leaves[here];
    m->leaf_of[here] = UINT32_MAX;
    for (uint32_t i = 0; i < m->file.leaf_count; ++i) {
        const save_leaf *from = &m->file.leaves[i];
        if (strcmp(from->path, to->path) != 0) continue;
        const bool fits = to->type == KEEL_FIELD_TEXT && from->type == to->type
                              ? from->count <= to->count
                              : from->count == to->count && can_widen(from->type, to->type);
        if (!fits)
            return save_fail(error, KEEL_ERROR_SCHEMA,
                             "'%s.%s' has another type or length in the save, which does not fit",
                             m->here.component->name, to->path);
        m->leaf_of[here] = i;
        return KEEL_OK;
    }
    return KEEL_OK;
}

keel_result save_match_make(save_match *match, keel_error *error) {
    match->leaf_of = malloc((match->here.leaf_count + 1u) * sizeof *match->leaf_of);
    if (!match->leaf_of)
        return save_fail(error, KEEL_ERROR_MEMORY, "out of memory; nothing was changed");
    for (uint32_t i = 0; i < match->here.leaf_count; ++i)
        KEEL_TRY(match_leaf(match, i, error));
    return KEEL_OK;
}

void save_match_free(save_match *match) {
    save_schema_free(&match->file);
    save_schema_free(&match->here);
    free(match->leaf_of);
    match->leaf_of = NULL;
}

static bool unpack_entity(const unsigned char *row, char *at) {
    const uint64_t index = save_read_number(row, 4), upper = save_read_number(row + 4, 4);
    keel_entity e = keel_null();
    if (upper && (index > KEEL_MAX_ENTITY_INDEX || upper - 1 > KEEL_MAX_ENTITY_VERSION))
        return false;
    if (!upper && index) return false;
    if (upper) e = keel_entity_make((uint32_t)index, (uint32_t)(upper - 1));
    memcpy(at, &e, sizeof e);
    return true;
}

// One number, made wider where the field is.
static bool unpack_number(const unsigned char *row, keel_field_type from, char *at,
                          keel_field_type to) {
    const uint32_t bytes = element_bytes(from);
    uint64_t number = save_read_number(row, bytes);
    if (from == KEEL_FIELD_BOOL && number > 1) return false;
    if (is_signed(from) && bytes < 8 && number >> (bytes * 8 - 1))
        number |= UINT64_MAX << (bytes * 8);
    if (from != to && from == KEEL_FIELD_F32) {
        const uint32_t bits = (uint32_t)number;
        float narrow;
        memcpy(&narrow, &bits, sizeof narrow);
        const double wide = (double)narrow;
        memcpy(at, &wide, sizeof wide);
        return true;
    }
    if (from == KEEL_FIELD_BOOL) {
        const bool value = number;
        memcpy(at, &value, sizeof value);
        return true;
    }
    put_host_number(at, number, element_bytes(to));
    return true;
}

bool save_unpack(const save_match *m, const unsigned char *row, void *value) {
    for (uint32_t n = 0; n < m->here.leaf_count; ++n) {
        const save_leaf *to = &m->here.leaves[n];
        if (m->leaf_of[n] == UINT32_MAX) continue;
        const save_leaf *from = &m->file.leaves[m->leaf_of[n]];
        const unsigned char *in = row + from->place;
        char *at = (char *)value + to->offset;
        if (to->type == KEEL_FIELD_BYTES || to->type == KEEL_FIELD_TEXT) {
            memcpy(at, in, from->count);
            memset(at + from->count, 0, to->count - from->count);
            continue;
        }
        const uint32_t step = element_bytes(from->type);
        const uint32_t out =
            to->type == KEEL_FIELD_ENTITY ? (uint32_t)sizeof(keel_entity) : element_bytes(to->type);
        for (uint32_t i = 0; i < to->count; ++i, in += step, at += out)
            if (to->type == KEEL_FIELD_ENTITY ? !unpack_entity(in, at)
                                              : !unpack_number(in, from->type, at, to->type))
                return false;
    }
    return true;
}
