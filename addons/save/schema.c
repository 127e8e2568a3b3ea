// SPDX-License-Identifier: MIT
// The schema of a component in a file: the leaves of its fields by path, its names, and the packing
// of values into rows. The reverse, rows of an older schema to values, is match.c. write.c, read.c,
// kept.c and the tool keel-save call it.
#include "save.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t save_element_bytes(keel_field_type type) {
    static const uint8_t bytes[] = { 1, 1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 8, 1, 4, 4 };
    return (uint32_t)type < sizeof bytes ? bytes[type] : 0;
}
uint32_t save_leaf_bytes(const save_leaf *leaf) {
    return save_element_bytes(leaf->type) * leaf->count;
}

bool save_is_own(const keel_component *c) {
    return !strcmp(c->name, "keel_child") || !strcmp(c->name, "keel_name");
}

// ------------------------------------------------------------------ names
typedef const keel_component *next_of(const keel_world *, const keel_component *);

const char *save_name(const keel_component *c) { return c->saved_as ? c->saved_as : c->name; }

const keel_component *save_find(const keel_world *world, const char *name, bool is_unique) {
    next_of *next = is_unique ? keel_next_unique : keel_next_component;
    for (const keel_component *c = NULL; (c = next(world, c)) != NULL;)
        if (!strcmp(save_name(c), name)) return c;
    const keel_component *c = NULL; // by .name, for files saved before the component had .saved_as
    while ((c = next(world, c)) != NULL && strcmp(c->name, name) != 0) {}
    return c;
}

keel_result save_check_names(const keel_world *world, keel_error *error) {
    next_of *const lists[] = { keel_next_component, keel_next_unique };
    for (uint32_t i = 0; i < 2; ++i)
        for (const keel_component *c = NULL, *other; (c = lists[i](world, c)) != NULL;) {
            if (!c->saved_as) continue; // names without .saved_as are unique in a world
            for (other = NULL; (other = lists[i](world, other)) != NULL;)
                if (other != c && !strcmp(save_name(c), save_name(other)))
                    return save_fail(error, KEEL_ERROR_SCHEMA,
                                     "'%.60s' and '%.60s' are both saved as '%.60s'; give one of "
                                     "them another .saved_as",
                                     c->name, other->name, c->saved_as);
        }
    return KEEL_OK;
}

// ------------------------------------------------------------------ from a component
static keel_result add_leaf(save_schema *s, const save_leaf *leaf, keel_error *error) {
    if (s->leaf_count == SAVE_MOST_LEAVES)
        return save_fail(error, KEEL_ERROR_SCHEMA, "'%s' has more than %d fields in all",
                         s->component->name, SAVE_MOST_LEAVES);
    save_leaf *grown = realloc(s->leaves, (s->leaf_count + 1) * sizeof *grown);
    if (!grown) return save_fail(error, KEEL_ERROR_MEMORY, "out of memory; nothing was changed");
    s->leaves = grown;
    save_leaf *own = &s->leaves[s->leaf_count++];
    *own = *leaf;
    own->place = s->row_bytes;
    own->texts = s->text_count;
    s->row_bytes += save_leaf_bytes(leaf);
    if (save_is_behind(leaf->type)) s->text_count += leaf->count;
    return KEEL_OK;
}

static keel_result add_fields(save_schema *s, const keel_field *fields, uint32_t count,
                              const char *path, uint32_t offset, keel_error *error) {
    for (const keel_field *f = fields; f < fields + count; ++f) {
        save_leaf leaf = { .type = f->type, .offset = offset + f->offset, .count = f->count };
        if (f->transient) continue;
        if (f->type != KEEL_FIELD_STRUCT && f->of && f->of->value_count) leaf.of = f->of;
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
    *schema = (save_schema){ .component = c, .version = c->version };
    if (strlen(save_name(c)) > 255)
        return save_fail(error, KEEL_ERROR_SCHEMA, "'%.40s...' has too long a name", save_name(c));
    const save_leaf all = { .type = KEEL_FIELD_BYTES, .count = c->size };
    const save_leaf stream = { .type = SAVE_STREAM, .count = 1 };
    if (c->field_count) KEEL_TRY(add_fields(schema, c->fields, c->field_count, "", 0, error));
    if (c->save) return add_leaf(schema, &stream, error); // always the last leaf
    if (!c->size || c->field_count) return KEEL_OK;
    if (c->no_padding && !c->copy && !c->drop) return add_leaf(schema, &all, error);
    return save_fail(
        error, KEEL_ERROR_SCHEMA,
        "'%s' does not say which bytes are its value; declare it with KEEL_HAS_FIELDS, .save and "
        ".load, .no_padding = true, or .transient = true to leave it out",
        c->name);
}

void save_schema_free(save_schema *schema) {
    free(schema->leaves);
    free(schema->types);
    free(schema->values);
    save_bytes_free(&schema->info);
    *schema = (save_schema){ 0 };
}

// ------------------------------------------------------------------ in a file
void save_put_schema(save_bytes *head, const save_schema *schema) {
    save_put(head, schema->leaf_count, 4);
    for (uint32_t i = 0; i < schema->leaf_count; ++i) {
        save_put_text(head, schema->leaves[i].path);
        save_put(head, schema->leaves[i].type, 1);
        save_put(head, schema->leaves[i].count, 4);
    }
}

// Each name has a zero in the file, so that the reader points to names in `info` without copying.
bool save_put_info(save_bytes *info, const save_schema *schema) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < schema->leaf_count; ++i)
        count += schema->leaves[i].of != NULL;
    if (!count && !schema->version) return false;
    save_put(info, schema->version, 4);
    save_put(info, count, 4);
    for (uint32_t i = 0; i < schema->leaf_count; ++i) {
        const keel_type *of = schema->leaves[i].of;
        if (!of) continue;
        save_put(info, i, 4);
        save_put(info, of->is_flags, 1);
        save_put(info, of->value_count, 4);
        for (uint32_t n = 0; n < of->value_count; ++n) {
            save_put(info, (uint64_t)of->values[n].value, 8);
            save_put(info, strlen(of->values[n].name) + 1, 4);
            unsigned char *at = save_bytes_more(info, strlen(of->values[n].name) + 1);
            if (at) memcpy(at, of->values[n].name, strlen(of->values[n].name) + 1);
        }
    }
    return true;
}

static keel_result no_memory(const save_reader *r) {
    return save_fail(r->error, KEEL_ERROR_MEMORY,
                     "out of memory while loading; nothing was changed");
}

static bool read_names(save_reader *in, keel_type *type, keel_named_value *values) {
    *type = (keel_type){ .is_flags = save_take_number(in, 1) != 0, .values = values };
    const uint64_t count = save_take_number(in, 4);
    for (uint64_t i = 0; i < count; ++i) {
        values[i].value = (int64_t)save_take_number(in, 8);
        const uint64_t length = save_take_number(in, 4);
        const unsigned char *name = save_take(in, length);
        if (!name || length < 2 || memchr(name, 0, (size_t)length) != name + length - 1)
            return false;
        values[i].name = (const char *)name;
        type->value_count = (uint32_t)(i + 1);
    }
    return true;
}

// Reads the section "info" before the values: a version, and names of enums.
static keel_result read_info(save_reader *r, save_schema *schema) {
    save_reader in = { .body = schema->info };
    schema->version = (uint32_t)save_take_number(&in, 4);
    const uint64_t count = save_take_number(&in, 4);
    if (in.offset != 8 || count > schema->leaf_count)
        return save_impossible(r, "its info section is damaged");
    // a value and its name take at least 14 bytes (8 + 4 + 2), so this is enough for all values
    schema->types = calloc((size_t)count + 1, sizeof *schema->types);
    schema->values = calloc(schema->info.size / 14 + 1, sizeof *schema->values);
    if (!schema->types || !schema->values) return no_memory(r);
    uint64_t next = 0, names = 0;
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t leaf = save_take_number(&in, 4);
        if (leaf < next || leaf >= schema->leaf_count ||
            !read_names(&in, &schema->types[i], schema->values + names))
            return save_impossible(r, "its info section is damaged");
        names += schema->types[i].value_count;
        schema->leaves[leaf].of = &schema->types[i];
        next = leaf + 1;
    }
    return in.offset == in.body.size ? KEEL_OK : save_impossible(r, "its info section is damaged");
}

keel_result save_read_schema(save_reader *r, save_schema *schema, save_bytes *info) {
    const uint64_t count = save_take_number(r, 4);
    *schema = (save_schema){ .info = *info };
    *info = (save_bytes){ 0 };
    if (count > SAVE_MOST_LEAVES || count * 7 > r->raw)
        return save_impossible(r, "it has too many fields");
    schema->leaves = calloc((size_t)count + 1, sizeof *schema->leaves);
    if (!schema->leaves) return no_memory(r);
    for (uint64_t i = 0; i < count; ++i) {
        save_leaf *leaf = &schema->leaves[i];
        if (!save_take_text(r, leaf->path, sizeof leaf->path))
            return save_impossible(r, "a field is damaged");
        leaf->type = (keel_field_type)save_take_number(r, 1);
        leaf->count = (uint32_t)save_take_number(r, 4);
        if (leaf->type > SAVE_STREAM || !leaf->count ||
            leaf->count > (leaf->type == SAVE_STREAM ? 1 : KEEL_MAX_COMPONENT_SIZE))
            return save_impossible(r, "a field has an unknown type");
        leaf->place = schema->row_bytes;
        leaf->texts = schema->text_count;
        schema->row_bytes += save_leaf_bytes(leaf);
        if (save_is_behind(leaf->type)) schema->text_count += leaf->count;
        if (schema->row_bytes > 2 * KEEL_MAX_COMPONENT_SIZE)
            return save_impossible(r, "a value is too large");
    }
    schema->leaf_count = (uint32_t)count;
    return schema->info.size ? read_info(r, schema) : KEEL_OK;
}

// ------------------------------------------------------------------ values
uint64_t save_host_number(const void *at, uint32_t bytes) {
    uint8_t b1;
    uint16_t b2;
    uint32_t b4;
    uint64_t b8;
    switch (bytes) {
    case 1:
        memcpy(&b1, at, 1);
        return b1;
    case 2:
        memcpy(&b2, at, 2);
        return b2;
    case 4:
        memcpy(&b4, at, 4);
        return b4;
    default:
        memcpy(&b8, at, 8);
        return b8;
    }
}

void save_put_host_number(void *at, uint64_t number, uint32_t bytes) {
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

bool save_put_entity(unsigned char *row, keel_entity e, const save_references *references) {
    uint64_t number = 0;
    if (references) {
        const bool is_known = references->to_number(references->data, e, &number);
        save_write_number(row, number, 8);
        return is_known;
    }
    save_write_number(row, keel_is_null(e) ? 0 : keel_entity_index(e), 4);
    save_write_number(row + 4, keel_is_null(e) ? 0 : keel_entity_version(e) + 1, 4);
    return true;
}

static void pack_text(unsigned char *row, const char *at, uint32_t size) {
    const char *end = memchr(at, 0, size);
    const size_t length = end ? (size_t)(end - at) : size;
    memcpy(row, at, length);
    memset(row + length, 0, size - length); // bytes after the zero are not saved
}

// Writes the length with the zero into the row, and appends the text to `texts`. Length 0 is NULL.
static void pack_owned(unsigned char *row, const char *at, save_bytes *texts) {
    const char *text;
    memcpy(&text, at, sizeof text);
    const size_t length = text ? strlen(text) + 1 : 0;
    if (length > UINT32_MAX) texts->is_full = true;
    unsigned char *to = save_bytes_more(texts, length);
    if (to && length) memcpy(to, text, length);
    save_write_number(row, length, 4);
}

static bool pack_entities(const save_schema *schema, unsigned char *row, const char *at,
                          uint32_t count) {
    bool is_well = true;
    for (uint32_t i = 0; i < count && is_well; ++i) {
        keel_entity e;
        memcpy(&e, at + i * sizeof e, sizeof e);
        is_well = save_put_entity(row + (size_t)i * 8, e, schema->references);
    }
    return is_well;
}

keel_result save_pack(const save_schema *schema, const void *value, unsigned char *row,
                      save_bytes *texts) {
    for (const save_leaf *l = schema->leaves; l < schema->leaves + schema->leaf_count; ++l) {
        const char *at = (const char *)value + l->offset;
        const uint32_t bytes = save_element_bytes(l->type);
        unsigned char *to = row + l->place;
        if (l->type == SAVE_STREAM) KEEL_TRY(save_pack_stream(schema, value, to, texts));
        else if (l->type == KEEL_FIELD_BYTES) memcpy(to, at, l->count);
        else if (l->type == KEEL_FIELD_TEXT) pack_text(to, at, l->count);
        else if (l->type == KEEL_FIELD_OWNED_TEXT)
            for (uint32_t i = 0; i < l->count; ++i)
                pack_owned(to + i * bytes, at + i * sizeof(char *), texts);
        else if (l->type == KEEL_FIELD_ENTITY) {
            if (!pack_entities(schema, to, at, l->count)) return KEEL_ERROR_UNKNOWN;
        } else
            for (uint32_t i = 0; i < l->count; ++i)
                save_write_number(to + i * bytes, save_host_number(at + i * bytes, bytes), bytes);
    }
    return KEEL_OK;
}
