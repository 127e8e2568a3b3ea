// SPDX-License-Identifier: MIT
// Declares a component from the schema of a section: the paths of leaves become fields, structs and
// arrays of structs. So that no value owns memory, an owned text becomes a fixed text with room for
// the longest of the section, and the bytes of .save become a text with their size and hash. It
// loads no values. load.c calls it.
#include "tool.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

void *new_block(loaded_save *save, size_t size) {
    void **block = calloc(1, sizeof(max_align_t) + size);
    if (!block) {
        save_fail(&save->error, KEEL_ERROR_MEMORY, "out of memory");
        return NULL;
    }
    *block = save->blocks;
    save->blocks = block;
    return (char *)block + sizeof(max_align_t);
}

// ------------------------------------------------------------------ leaves to fields
typedef struct fields {
    keel_field *items;
    uint32_t count, size, align;
} fields;

// Leaves whose paths have the first `prefix` bytes in common: the members of one struct.
typedef struct range {
    const save_leaf *leaves;
    uint32_t count;
    size_t prefix;
} range;

// Returns the length of the field name that follows the prefix in the path of leaf `i`.
static size_t part_of(const range *r, uint32_t i) {
    return strcspn(r->leaves[i].path + r->prefix, ".[");
}
static bool is_same_part(const range *r, uint32_t i, uint32_t k) {
    const size_t n = part_of(r, i);
    return n == part_of(r, k) &&
           !strncmp(r->leaves[i].path + r->prefix, r->leaves[k].path + r->prefix, n);
}
static unsigned long index_of(const range *r, uint32_t i) {
    const char *at = r->leaves[i].path + r->prefix + part_of(r, i);
    return *at == '[' ? strtoul(at + 1, NULL, 10) : 0;
}

static keel_result wrong(loaded_save *save, const char *what) {
    return save_fail(&save->error, KEEL_ERROR_FORMAT, "a component of the save %s", what);
}

static uint32_t size_of(const save_leaf *l) {
    if (l->type == KEEL_FIELD_ENTITY) return (uint32_t)sizeof(keel_entity);
    return save_element_bytes(l->type);
}

static keel_result add_leaf(loaded_save *save, const save_leaf *l, uint32_t longest,
                            keel_field *out, uint32_t *align) {
    out->type = l->type;
    out->count = l->count;
    out->of = l->of;
    if (l->type == KEEL_FIELD_OWNED_TEXT) {
        if (l->count != 1) return wrong(save, "has an array of owned texts, which cannot be shown");
        out->type = KEEL_FIELD_TEXT;
        out->count = longest ? longest : 2; // not 1: a text of one byte is a character
    }
    *align = out->type == KEEL_FIELD_TEXT || out->type == KEEL_FIELD_BYTES ? 1 : size_of(l);
    return KEEL_OK;
}

static keel_result make_fields(loaded_save *save, const range *r, const uint32_t *longest,
                               fields *out);

// Makes a field of type struct, or an array of structs, from the leaves `first` to before `end`.
// All elements of an array have the same members, so those of element 0 are used.
static keel_result make_struct(loaded_save *save, const range *r, uint32_t first, uint32_t end,
                               const uint32_t *longest, keel_field *f, uint32_t *align) {
    unsigned long elements = 1;
    uint32_t n = 0;
    for (uint32_t i = first; i < end; ++i)
        if (index_of(r, i) >= elements) elements = index_of(r, i) + 1;
    while (first + n < end && index_of(r, first + n) == 0)
        ++n;
    const char *at = r->leaves[first].path + r->prefix + part_of(r, first);
    const char *dot = strchr(at, '.');
    if (!n || elements > KEEL_MAX_COMPONENT_SIZE || !dot) return wrong(save, "has a field twice");
    const range inner = { r->leaves + first, n, (size_t)(dot + 1 - r->leaves[first].path) };
    keel_type *type = new_block(save, sizeof *type);
    fields members;
    if (!type) return KEEL_ERROR_MEMORY;
    KEEL_TRY(make_fields(save, &inner, longest + first, &members));
    *type =
        (keel_type){ .size = members.size, .fields = members.items, .field_count = members.count };
    if (members.size * (uint64_t)elements > KEEL_MAX_COMPONENT_SIZE)
        return wrong(save, "has a value of more than 64 KiB");
    f->type = KEEL_FIELD_STRUCT;
    f->of = type;
    f->count = members.size * (uint32_t)elements;
    *align = members.align;
    return KEEL_OK;
}

static uint32_t bytes_of(const keel_field *f, const save_leaf *l) {
    if (f->type == KEEL_FIELD_STRUCT || f->type == KEEL_FIELD_TEXT || f->type == KEEL_FIELD_BYTES)
        return f->count;
    return f->count * size_of(l);
}

static keel_result make_fields(loaded_save *save, const range *r, const uint32_t *longest,
                               fields *out) {
    *out = (fields){ .items = new_block(save, (r->count + 1) * sizeof(keel_field)), .align = 1 };
    if (!out->items) return KEEL_ERROR_MEMORY;
    for (uint32_t i = 0, end; i < r->count; i = end) {
        const save_leaf *l = &r->leaves[i];
        const size_t n = part_of(r, i);
        char *name = new_block(save, n + 1);
        keel_field *f = &out->items[out->count++];
        uint32_t align = 1;
        for (end = i + 1; end < r->count && is_same_part(r, i, end); ++end) {}
        if (!name) return KEEL_ERROR_MEMORY;
        memcpy(name, l->path + r->prefix, n);
        f->name = name;
        if (!l->path[r->prefix + n]) KEEL_TRY(add_leaf(save, l, longest[i], f, &align));
        else KEEL_TRY(make_struct(save, r, i, end, longest, f, &align));
        f->offset = (out->size + align - 1) / align * align;
        out->size = f->offset + bytes_of(f, l);
        if (align > out->align) out->align = align;
        if (out->size > KEEL_MAX_COMPONENT_SIZE)
            return wrong(save, "has a value of more than 64 KiB");
    }
    out->size = (out->size + out->align - 1) / out->align * out->align;
    return KEEL_OK;
}

// ------------------------------------------------------------------ bytes of .save
enum { STREAM_TEXT = 48 };
static keel_result read_stream(void *value, keel_stream *in, void *data) {
    const declared *d = data;
    const size_t size = keel_stream_left(in);
    unsigned char *bytes = malloc(size + 1);
    if (!bytes) return KEEL_ERROR_MEMORY;
    (void)keel_stream_read(in, bytes, size);
    (void)snprintf((char *)value + d->stream, STREAM_TEXT, "%zu bytes, xxh3 %016llx", size,
                   (unsigned long long)XXH3_64bits(bytes, size));
    free(bytes);
    return KEEL_OK;
}
static keel_result write_stream(const void *value, keel_stream *out, void *data) {
    (void)value, (void)out, (void)data;
    return KEEL_ERROR_SCHEMA; // the tool does not keep the bytes
}

static keel_result add_stream(loaded_save *save, declared *d, fields *f) {
    keel_field *last = &f->items[f->count++]; // make_fields has allocated one field more
    (void)save;
    *last = (keel_field){ .name = "saved_by_function",
                          .type = KEEL_FIELD_TEXT,
                          .offset = f->size,
                          .count = STREAM_TEXT };
    d->stream = f->size;
    f->size = (f->size + STREAM_TEXT + f->align - 1) / f->align * f->align;
    d->component.load = read_stream;
    d->component.save = write_stream;
    d->component.hook_data = d;
    return KEEL_OK;
}

// ------------------------------------------------------------------ a section
// Finds the length, with the zero, of the longest owned text of each leaf. The lengths are in the
// rows, in place of the texts.
static keel_result measure(loaded_save *save, const section *s, const unsigned char *rows,
                           uint32_t *longest) {
    const save_schema *schema = &s->schema;
    const uint64_t count = !strcmp(s->tag, "UNIQ") ? 1 : s->count;
    if (!schema->text_count) return KEEL_OK;
    for (uint64_t n = 0; n < count; ++n)
        for (uint32_t i = 0; i < schema->leaf_count; ++i) {
            const save_leaf *l = &schema->leaves[i];
            if (l->type != KEEL_FIELD_OWNED_TEXT) continue;
            const uint64_t length = save_read_number(rows + n * schema->row_bytes + l->place, 4);
            if (length > KEEL_MAX_COMPONENT_SIZE)
                return wrong(save, "has a text of more than 64 KiB");
            if (length > longest[i]) longest[i] = (uint32_t)length;
        }
    return KEEL_OK;
}

keel_result declare_section(loaded_save *save, const section *s, const unsigned char *rows,
                            declared *d) {
    const save_schema *schema = &s->schema;
    const uint32_t count = schema->leaf_count;
    const bool has_stream = count && schema->leaves[count - 1].type == SAVE_STREAM;
    const bool is_bytes = count == 1 && !schema->leaves[0].path[0] && !has_stream;
    uint32_t *longest = new_block(save, (count + 1) * sizeof *longest);
    fields f;
    if (!longest) return KEEL_ERROR_MEMORY;
    KEEL_TRY(measure(save, s, rows, longest));
    *d = (declared){ .from = s, .stream = UINT32_MAX };
    keel_component *c = &d->component;
    *c = (keel_component){ .name = s->name,
                           .is_unique = !strcmp(s->tag, "UNIQ"),
                           .is_relation = !strcmp(s->tag, "RELA"),
                           .version = schema->version };
    if (is_bytes) {
        c->size = schema->leaves[0].count;
        c->align = 1;
        c->no_padding = true;
    } else {
        const range all = { schema->leaves, count - has_stream, 0 };
        KEEL_TRY(make_fields(save, &all, longest, &f));
        if (has_stream) KEEL_TRY(add_stream(save, d, &f));
        c->fields = f.items;
        c->field_count = f.count;
        c->size = f.size;
        c->align = f.align;
    }
    return KEEL_OK;
}
