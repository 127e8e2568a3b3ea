// SPDX-License-Identifier: MIT
// Prints values by reflection: one leaf for each described field, structs and arrays taken apart.
#include "print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 64, BYTES = 64, DEPTH = 8, PATH = 108, TEXT = 256, PARENTS = 64, TAIL = 1000 };

// Writes a number behind which a text ends. Returns where it begins.
static char *print_digits(char *end, uint32_t number) {
    do {
        *--end = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    return end;
}

void keeli_print_handle(keeli_out *out, keel_entity entity) {
    char text[24], *end = text + sizeof text;
    if (keel_is_null(entity)) {
        keeli_out_null(out);
        return;
    }
    char *at = print_digits(end, keel_entity_version(entity));
    *--at = 'v';
    at = print_digits(at, keel_entity_index(entity));
    keeli_out_text_of(out, at, (size_t)(end - at));
}

void keeli_print_identity(keeli_out *out, const keel_world *world, keel_entity entity) {
    keeli_out_key(out, "entity");
    keeli_print_handle(out, entity);
    keeli_out_key_text(out, "name", keel_name_of(world, entity));
}

void keeli_print_reference(keeli_out *out, const keel_world *world, keel_entity entity) {
    if (keel_is_null(entity)) {
        keeli_out_null(out);
        return;
    }
    keeli_out_open(out, '{');
    keeli_print_identity(out, world, entity);
    keeli_out_close(out, '}');
}

// Puts a part of a path before the others. False: it does not fit.
static bool print_prepend(char *text, size_t *at, const char *part) {
    enum { MARK = 4 }; // room for what stands for the parts that are left out
    const size_t length = strlen(part);
    if (length + MARK + 1 > *at) return false;
    if (text[*at]) text[--*at] = '/';
    *at -= length;
    memcpy(text + *at, part, length);
    return true;
}

void keeli_print_path(keeli_out *out, const keel_world *world, keel_entity entity) {
    char text[1024], handle[32];
    size_t at = sizeof text - 1, depth = 0;
    text[at] = '\0';
    // From the end on, which tells the entity: of a long path the begin is left out.
    for (keel_entity e = entity; !keel_is_null(e); e = keel_parent_of(world, e), ++depth) {
        const char *name = keel_name_of(world, e);
        snprintf(handle, sizeof handle, "#%uv%u", (unsigned)keel_entity_index(e),
                 (unsigned)keel_entity_version(e));
        if (depth < PARENTS && print_prepend(text, &at, name ? name : handle)) continue;
        if (depth) memcpy(text + (at -= 4), ".../", 4);
        else snprintf(text, sizeof text, "...%s", name + strlen(name) - TAIL);
        at = depth ? at : 0;
        break;
    }
    keeli_out_text(out, text + at);
}

// ------------------------------------------------------------------ fields
// The type that a field is printed as: of bytes, and of caches without a description, only the
// bytes are known.
static keel_field_type print_type(const keel_field *field) {
    const bool is_unknown = field->type == KEEL_FIELD_STRUCT && !field->of;
    return field->bytes || is_unknown ? KEEL_FIELD_BYTES : field->type;
}

static const char *print_type_name(const keel_field *field) {
    const keel_field_type type = print_type(field);
    static const char *const names[] = { "bytes",  "bool", "i8",   "u8",    "i16", "u16",
                                         "i32",    "u32",  "i64",  "u64",   "f32", "f64",
                                         "entity", "text", "text", "struct" };
    return (size_t)type < sizeof names / sizeof *names ? names[type] : "bytes";
}

static bool print_is_named(const keel_field *field) { return field->of && field->of->value_count; }

// Writes a limit with all its digits, as fields of type double are printed.
static void print_limit(keeli_out *out, double limit) {
    static const keel_field field = { .name = "limit", .type = KEEL_FIELD_F64, .count = 1 };
    const keel_field_place place = { .field = &field, .size = sizeof limit, .count = 1 };
    char text[64];
    const size_t length = keel_field_print(&place, &limit, text, sizeof text);
    if (!isfinite(limit) || length >= sizeof text) keeli_out_null(out);
    else keeli_out_json(out, text);
}

static void print_limits(keeli_out *out, const keel_field *field) {
    if (field->unit) keeli_out_key_text(out, "unit", field->unit);
    if (field->min != 0 || field->max != 0) {
        keeli_out_key(out, "min");
        print_limit(out, field->min);
        keeli_out_key(out, "max");
        print_limit(out, field->max);
    }
    if (field->hidden) keeli_out_key_bool(out, "hidden", true);
    if (!print_is_named(field)) return;
    keeli_out_key_open(out, "values", '[');
    for (uint32_t i = 0; i < field->of->value_count; ++i)
        keeli_out_text(out, field->of->values[i].name);
    keeli_out_close(out, ']');
    if (field->of->is_flags) keeli_out_key_bool(out, "flags", true);
}

// Writes the typed value of a leaf: numbers and booleans as such, all others as their text.
static void print_typed(keeli_out *out, const keel_field_place *place, const char *text,
                        size_t length) {
    const keel_field_type type = print_type(place->field);
    const bool is_number = type >= KEEL_FIELD_I8 && type <= KEEL_FIELD_F64 &&
                           type != KEEL_FIELD_I64 && type != KEEL_FIELD_U64 &&
                           !print_is_named(place->field);
    const bool is_finite =
        length && (text[length - 1] >= '0' && text[length - 1] <= '9') && text[0] != 'n';
    if (type == KEEL_FIELD_BOOL || (is_number && is_finite)) {
        keeli_out_json(out, "");
        keeli_out_raw(out, text, length);
    } else {
        keeli_out_text_of(out, text, length);
    }
}

typedef struct print_job {
    keeli_out *out;
    const keel_world *world;
    const keel_component *component;
    const void *value;
} print_job;

static void print_leaf(const print_job *job, const char *path, const keel_field_place *place) {
    char text[TEXT];
    const size_t whole = keel_field_print(place, job->value, text, sizeof text);
    const size_t length = whole < sizeof text ? whole : sizeof text - 1;
    keeli_out *out = job->out;
    keeli_out_open(out, '{');
    keeli_out_key_text(out, "path", path);
    keeli_out_key_text(out, "type", print_type_name(place->field));
    keeli_out_key(out, "text");
    keeli_out_text_of(out, text, length);
    if (whole > length) keeli_out_key_bool(out, "cut", true);
    keeli_out_key(out, "value");
    print_typed(out, place, text, length);
    if (print_type(place->field) == KEEL_FIELD_ENTITY) {
        keel_entity entity;
        memcpy(&entity, (const char *)job->value + place->offset, sizeof entity);
        keeli_out_key(out, "reference");
        keeli_print_reference(out, job->world, entity);
    }
    print_limits(out, place->field);
    keeli_out_close(out, '}');
}

static void print_more(keeli_out *out, const char *path, uint32_t more) {
    keeli_out_open(out, '{');
    keeli_out_key_text(out, "path", path);
    keeli_out_key_number(out, "more", more);
    keeli_out_close(out, '}');
}

static void print_fields(const print_job *job, const char *prefix, const keel_field *fields,
                         uint32_t count, int depth);

// Writes one element of a field: a leaf, or the fields of a struct.
static void print_element(const print_job *job, const char *path, const keel_field_place *place,
                          int depth) {
    const keel_type *type = place->field->of;
    if (print_type(place->field) == KEEL_FIELD_STRUCT && type && depth < DEPTH)
        print_fields(job, path, type->fields, type->field_count, depth + 1);
    else print_leaf(job, path, place);
}

uint64_t keeli_print_hash(const keel_field_place *place, const void *value) {
    uint64_t hash = 0xcbf29ce484222325; // FNV-1a
    char begin[TEXT];
    const size_t whole = keel_field_print(place, value, begin, sizeof begin);
    char *longer = whole < sizeof begin ? NULL : malloc(whole + 1);
    const char *text = longer ? longer : begin;
    const size_t length = longer || whole < sizeof begin ? whole : sizeof begin - 1;
    if (longer) keel_field_print(place, value, longer, whole + 1);
    for (size_t i = 0; i < length; ++i)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
    free(longer);
    return hash ^ whole;
}

// Appends to a path of `length` bytes. Returns the new length, or PATH if it does not fit.
static size_t print_extend(char *path, size_t length, const char *text) {
    const size_t more = strlen(text);
    if (length + more >= PATH) return PATH;
    memcpy(path + length, text, more + 1);
    return length + more;
}

static void print_fields(const print_job *job, const char *prefix, const keel_field *fields,
                         uint32_t count, int depth) {
    char path[PATH + 16];
    for (uint32_t i = 0; i < count && !job->out->failed; ++i) {
        keel_field_place place;
        size_t length = print_extend(path, 0, prefix);
        if (length && length < PATH) length = print_extend(path, length, ".");
        if (length < PATH) length = print_extend(path, length, fields[i].name);
        if (length >= PATH || keel_field_find(job->component, path, &place, NULL) != KEEL_OK)
            continue;
        if (place.count <= 1) {
            print_element(job, path, &place, depth);
            continue;
        }
        for (uint32_t k = 0; k < place.count && k < ELEMENTS; ++k) {
            keel_field_place element;
            snprintf(path + length, 16, "[%u]", (unsigned)k);
            if (keel_field_find(job->component, path, &element, NULL) == KEEL_OK)
                print_element(job, path, &element, depth);
        }
        path[length] = '\0';
        if (place.count > ELEMENTS) print_more(job->out, path, place.count - ELEMENTS);
    }
}

static void print_bytes(keeli_out *out, const unsigned char *value, size_t size) {
    char text[BYTES * 3 + 1] = "";
    const size_t count = size < BYTES ? size : BYTES;
    for (size_t i = 0; i < count; ++i)
        snprintf(text + i * 3, 4, i + 1 < count ? "%02x " : "%02x", value[i]);
    keeli_out_text(out, text);
}

void keeli_print_value(keeli_out *out, const keel_world *world, const keel_component *component,
                       const void *value) {
    keeli_out_key(out, "fields");
    if (value && component->field_count) {
        const print_job job = { out, world, component, value };
        keeli_out_open(out, '[');
        print_fields(&job, "", component->fields, component->field_count, 0);
        keeli_out_close(out, ']');
    } else {
        keeli_out_null(out);
    }
    keeli_out_key(out, "bytes");
    if (value && !component->field_count && component->size)
        print_bytes(out, value, component->size);
    else keeli_out_null(out);
}

static uint32_t print_element_count(const keel_component *component, const keel_field *field) {
    keel_field_place place;
    return keel_field_find(component, field->name, &place, NULL) == KEEL_OK ? place.count : 1;
}

void keeli_print_description(keeli_out *out, const keel_component *component) {
    keeli_out_key_open(out, "fields", '[');
    for (uint32_t i = 0; i < component->field_count; ++i) {
        const keel_field *field = &component->fields[i];
        keeli_out_open(out, '{');
        keeli_out_key_text(out, "name", field->name);
        keeli_out_key_text(out, "type", print_type_name(field));
        keeli_out_key_number(out, "count", print_element_count(component, field));
        print_limits(out, field);
        keeli_out_close(out, '}');
    }
    keeli_out_close(out, ']');
}
