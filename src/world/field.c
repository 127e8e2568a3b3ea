// SPDX-License-Identifier: MIT
// Described fields (field.h): sizes, checks of a description, copies of the tables, hashes and
// handles of values. All functions follow structs into their own fields.
#include "field.h"

#include "base/bytes.h"

// Limits of a description. Structs nested deeper than DEEPEST are taken for a type that contains
// itself, which would have no end.
enum { DEEPEST = 16, MOST_FIELDS = 64, MOST_IN_ALL = 1024 };

// ------------------------------------------------------------------ sizes
static uint32_t type_bytes(keel_field_type type) {
    static const uint8_t bytes[] = {
        1, sizeof(bool), 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, sizeof(keel_entity), 1, sizeof(char *), 1
    };
    return (uint32_t)type < sizeof bytes ? bytes[type] : 0;
}

keel_field_type keeli_field_type(const keel_field *field) {
    const bool is_unknown = field->type == KEEL_FIELD_STRUCT && !field->of && field->transient;
    return field->bytes || is_unknown ? KEEL_FIELD_BYTES : field->type;
}

uint64_t keeli_field_bytes(const keel_field *field) {
    return (uint64_t)type_bytes(field->type) * field->count;
}

uint32_t keeli_field_element(const keel_field *field) {
    switch (keeli_field_type(field)) {
    case KEEL_FIELD_BYTES:
    case KEEL_FIELD_TEXT:
        return (uint32_t)keeli_field_bytes(field);
    case KEEL_FIELD_STRUCT:
        return field->of->size;
    default:
        return type_bytes(field->type);
    }
}

uint32_t keeli_field_elements(const keel_field *field) {
    return (uint32_t)keeli_field_bytes(field) / keeli_field_element(field);
}

// ------------------------------------------------------------------ checks
typedef struct field_check {
    keeli_writer *wrong;
    const keel_field *owned;   // the last field with a text that the value owns, or NULL
    const keel_field *partial; // the last field whose bytes are not all part of the value, or NULL
    uint32_t seen;             // number of fields so far, in all structs
} field_check;

// Returns the mistake in one field, or NULL.
static const char *wrong_with(const keel_field *f, uint32_t size) {
    const keel_type *of = f->of;
    const keel_field_type type = keeli_field_type(f);
    if (!keeli_field_bytes(f))
        return "has an unknown type, or no elements";
    if (!size)
        return "needs a value: declare KEEL_COMPONENT, or KEEL_VALUED_RELATION";
    if (f->offset + keeli_field_bytes(f) > size)
        return "ends behind the end of the struct; check its offset";
    if (!(f->min <= f->max))
        return "has a .min above its .max";
    if (type == KEEL_FIELD_STRUCT && (!of || !of->field_count))
        return "has a type that is not described; give it .of = KEEL_TYPE(...), .bytes = true or "
               ".transient = true";
    if (type == KEEL_FIELD_STRUCT && (!of->size || f->count % of->size))
        return "has a size that is not a multiple of the size of its type";

    if (!of || type == KEEL_FIELD_STRUCT)
        return NULL;
    if (type < KEEL_FIELD_I8 || type > KEEL_FIELD_U64 || of->field_count)
        return "has .of = KEEL_TYPE(...), but is neither a struct nor an integer that could be an "
               "enum or flags";
    if (of->value_count && !of->values)
        return "is of an enum with a count of values but no values";
    for (uint32_t i = 0; i < of->value_count; ++i)
        if (!of->values[i].name || !*of->values[i].name)
            return "is of an enum that has a value without a name";
    return NULL;
}

// True if an earlier field has the name of this one.
static bool is_named_twice(const keel_field *fields, const keel_field *f) {
    for (const keel_field *g = fields; g < f; ++g)
        if (!strcmp(g->name, f->name))
            return true;
    return false;
}

// True if the former name of this field (`was`) is the name of any field, or the former name of
// another field.
static bool is_former_name_used(const keel_field *fields, uint32_t count, const keel_field *f) {
    if (!f->was)
        return false;
    for (const keel_field *g = fields; g < fields + count; ++g)
        if ((g->name && !strcmp(g->name, f->was)) || (g != f && g->was && !strcmp(g->was, f->was)))
            return true;
    return false;
}

static bool are_valid(field_check *check, const keel_field *fields, uint32_t count, uint32_t size,
                      uint32_t depth) {
    if (count && !fields) {
        keeli_write(check->wrong, "has a field count but no fields");
        return false;
    }
    if (count > MOST_FIELDS || depth > DEEPEST || (check->seen += count) > MOST_IN_ALL) {
        keeli_write(check->wrong, "has more than 64 fields in a struct, or 1,024 in all, or "
                                  "16 structs in each other");
        return false;
    }

    for (uint32_t i = 0; i < count; ++i) {
        const keel_field *f = &fields[i];
        if (!f->name || !*f->name) {
            keeli_write(check->wrong, "has a field without a name");
            return false;
        }

        const char *wrong;
        if (is_named_twice(fields, f))
            wrong = "has the name of another field";
        else if (is_former_name_used(fields, count, f))
            wrong = "has in .was the name, or former name, of another field";
        else
            wrong = wrong_with(f, size);
        if (wrong) {
            keeli_write(check->wrong, "has a field '%.60s' that %s", f->name, wrong);
            return false;
        }

        const keel_field_type type = keeli_field_type(f);
        if (type == KEEL_FIELD_OWNED_TEXT && !f->transient)
            check->owned = f;
        if (type == KEEL_FIELD_OWNED_TEXT || f->transient)
            check->partial = f;
        if (type == KEEL_FIELD_STRUCT &&
            !are_valid(check, f->of->fields, f->of->field_count, f->of->size, depth + 1))
            return false;
    }
    return true;
}

bool keeli_fields_are_valid(const keel_component *c, keeli_writer *wrong) {
    field_check check = { .wrong = wrong };
    if (!are_valid(&check, c->fields, c->field_count, c->size, 1))
        return false;
    if (check.partial && c->no_padding) {
        keeli_write(wrong,
                    "is .no_padding, but bytes of its field '%.60s' are not part of the value",
                    check.partial->name);
        return false;
    }
    if (!check.owned || (c->drop && c->copy))
        return true;
    keeli_write(wrong,
                "owns the text '%.60s' but has no drop and copy hooks; add both, or make the field "
                ".transient = true if it points to a text of another owner",
                check.owned->name);
    return false;
}

// ------------------------------------------------------------------ copies of the tables
// Frees a copy of a type, which the world owns. Its members are const only so that users do not
// change them.
static void free_type(keeli_heap *heap, const keel_type *type) {
    if (!type)
        return;
    if (type->values)
        for (uint32_t i = 0; i < type->value_count; ++i)
            keeli_free_text(heap, (char *)(uintptr_t)type->values[i].name);
    keeli_free(heap, (void *)(uintptr_t)type->values, type->value_count * sizeof *type->values,
               _Alignof(keel_named_value));
    keeli_fields_free(heap, type->fields, type->field_count);
    keeli_free_text(heap, (char *)(uintptr_t)type->name);
    KEELI_FREE(heap, keel_type, (void *)(uintptr_t)type);
}

static keel_type *copy_type(keeli_heap *heap, const keel_type *type) {
    keel_type *copy = KEELI_NEW(heap, keel_type);
    if (!copy)
        return NULL;
    keel_named_value *values =
        keeli_new_zeroed(heap, type->value_count * sizeof *values, _Alignof(keel_named_value));
    *copy = *type;
    copy->values = values;
    copy->name = type->name ? keeli_new_text(heap, type->name) : NULL;
    copy->fields = keeli_fields_copy(heap, type->fields, type->field_count);
    bool ok = (values || !type->value_count) && (copy->name || !type->name) &&
              (copy->fields || !type->field_count);

    for (uint32_t i = 0; ok && i < type->value_count; ++i) {
        values[i] = type->values[i];
        values[i].name = keeli_new_text(heap, type->values[i].name);
        ok = values[i].name != NULL;
    }

    if (ok)
        return copy;
    free_type(heap, copy);
    return NULL;
}

void keeli_fields_free(keeli_heap *heap, const keel_field *fields, uint32_t count) {
    if (!fields)
        return;
    for (uint32_t i = 0; i < count; ++i) {
        keeli_free_text(heap, (char *)(uintptr_t)fields[i].name);
        keeli_free_text(heap, (char *)(uintptr_t)fields[i].unit);
        keeli_free_text(heap, (char *)(uintptr_t)fields[i].was);
        free_type(heap, fields[i].of);
    }
    keeli_free(heap, (void *)(uintptr_t)fields, count * sizeof *fields, _Alignof(keel_field));
}

keel_field *keeli_fields_copy(keeli_heap *heap, const keel_field *fields, uint32_t count) {
    if (!count)
        return NULL;
    keel_field *copies = keeli_new_zeroed(heap, count * sizeof *copies, _Alignof(keel_field));
    if (!copies)
        return NULL;

    bool ok = true;
    for (uint32_t i = 0; ok && i < count; ++i) {
        const keel_field *f = &fields[i];
        copies[i] = *f;
        copies[i].type = keeli_field_type(f);
        if (copies[i].type == KEEL_FIELD_BYTES)
            copies[i].count = (uint32_t)keeli_field_bytes(f);
        copies[i].name = keeli_new_text(heap, f->name);
        copies[i].unit = f->unit ? keeli_new_text(heap, f->unit) : NULL;
        copies[i].was = f->was ? keeli_new_text(heap, f->was) : NULL;
        copies[i].of = f->of ? copy_type(heap, f->of) : NULL;
        ok = copies[i].name && (copies[i].unit || !f->unit) && (copies[i].was || !f->was) &&
             (copies[i].of || !f->of);
    }

    if (ok)
        return copies;
    keeli_fields_free(heap, copies, count);
    return NULL;
}

// ------------------------------------------------------------------ hashes
bool keeli_field_is_plain(const keel_field *field) {
    return keeli_field_type(field) < KEEL_FIELD_TEXT && !field->transient;
}

static uint64_t hash_text(const char *text, size_t most, uint64_t seed) {
    const char *end = memchr(text, 0, most);
    const size_t length = end ? (size_t)(end - text) : most;
    return keeli_hash(text, length, keeli_hash_mix(seed + length));
}

uint64_t keeli_fields_hash(const keel_field *fields, uint32_t count, const void *value,
                           uint64_t seed) {
    for (const keel_field *f = fields; count; --count, ++f) {
        const char *at = (const char *)value + f->offset;
        const uint32_t element = keeli_field_element(f), elements = keeli_field_elements(f);
        if (f->transient)
            continue;
        if (keeli_field_is_plain(f))
            seed = keeli_hash(at, (size_t)element * elements, seed);
        else if (keeli_field_type(f) == KEEL_FIELD_TEXT)
            seed = hash_text(at, element, seed);
        else
            for (uint32_t i = 0; i < elements; ++i, at += element) {
                const char *owned;
                if (keeli_field_type(f) == KEEL_FIELD_STRUCT) {
                    seed = keeli_fields_hash(f->of->fields, f->of->field_count, at, seed);
                    continue;
                }
                memcpy(&owned, at, sizeof owned);
                seed = owned ? hash_text(owned, strlen(owned), seed) : keeli_hash_mix(seed);
            }
    }
    return seed;
}

// ------------------------------------------------------------------ handles
bool keeli_fields_have_entities(const keel_field *fields, uint32_t count) {
    for (const keel_field *f = fields; count; --count, ++f) {
        const keel_field_type type = keeli_field_type(f);
        if (type == KEEL_FIELD_ENTITY ||
            (type == KEEL_FIELD_STRUCT &&
             keeli_fields_have_entities(f->of->fields, f->of->field_count)))
            return true;
    }
    return false;
}

void keeli_fields_map_entities(const keel_field *fields, uint32_t count, void *value,
                               keeli_entity_map *map, void *data) {
    for (const keel_field *f = fields; count; --count, ++f) {
        const keel_field_type type = keeli_field_type(f);
        const uint32_t element = keeli_field_element(f);
        char *at = (char *)value + f->offset;
        for (uint32_t n = keeli_field_elements(f); n; --n, at += element) {
            keel_entity e;
            if (type == KEEL_FIELD_STRUCT)
                keeli_fields_map_entities(f->of->fields, f->of->field_count, at, map, data);
            if (type != KEEL_FIELD_ENTITY)
                continue;
            memcpy(&e, at, sizeof e);
            e = map(data, e);
            memcpy(at, &e, sizeof e);
        }
    }
}
