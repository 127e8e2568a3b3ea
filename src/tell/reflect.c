// SPDX-License-Identifier: MIT
// Finds the fields of components by their paths, and prints their values (keel/reflect.h). Users
// call it; nothing in src/ does. Parsing is in parse.c.
#include "tell/reflect.h"
#include "base/number.h"
#include "base/text.h"
#include "world/field.h"

#include <inttypes.h>
#include <keel/reflect.h>
#include <stdio.h>
#include <string.h>

keel_result keeli_field_error(keel_error *error, keel_result result, const char *format, ...) {
    if (!error)
        return result;
    *error = (keel_error){ .result = result };
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return result;
}

// ------------------------------------------------------------------ finding
// Returns the field whose name is the beginning of `path`, and the length of that name. Names may
// contain dots, so several may match: the longest wins. NULL if none matches.
static const keel_field *field_named(const keel_field *fields, uint32_t count, const char *path,
                                     size_t *length) {
    const keel_field *found = NULL;
    *length = 0;
    for (const keel_field *f = fields; count; --count, ++f) {
        const size_t n = strlen(f->name);
        if (n <= *length || strncmp(path, f->name, n) != 0)
            continue;
        if (path[n] != '\0' && path[n] != '.' && path[n] != '[')
            continue;
        found = f;
        *length = n;
    }
    return found;
}

// Parses an index such as `[3]` at `*at`, behind the name of an array, and moves `out` to that
// element.
static keel_result find_index(const char **at, keel_field_place *out, keel_error *error) {
    uint64_t index;
    bool is_negative;
    const size_t digits = strspn(*at + 1, "0123456789");
    const keel_field_type type = keeli_field_type(out->field);
    const bool is_one = type == KEEL_FIELD_TEXT || type == KEEL_FIELD_BYTES;
    if ((*at)[1 + digits] != ']' || !keeli_parse_integer(*at + 1, digits, &is_negative, &index))
        return keeli_field_error(error, KEEL_ERROR_ARGUMENT, "%s: '%.40s' is no index, such as [3]",
                                 out->path, *at);
    if (is_one || index >= out->count)
        return keeli_field_error(error, KEEL_ERROR_ARGUMENT,
                                 "%s: '%.40s' is outside of the %u elements of '%s'", out->path,
                                 *at, is_one ? 0u : (unsigned)out->count, out->field->name);

    out->size = keeli_field_element(out->field);
    out->offset += (uint32_t)index * out->size;
    out->count = 1;
    *at += digits + 2;
    return KEEL_OK;
}

static keel_result find_field(const keel_component *c, const char *path, keel_field_place *out,
                              keel_error *error) {
    const keel_field *fields = c->fields;
    uint32_t count = c->field_count;
    for (const char *at = path;; ++at) {
        size_t length;
        const keel_field *f = field_named(fields, count, at, &length);
        if (!f)
            return keeli_field_error(error, KEEL_ERROR_UNKNOWN, "%s: there is no field '%.60s'",
                                     out->path, at);

        out->field = f;
        out->offset += f->offset;
        out->size = (uint32_t)keeli_field_bytes(f);
        out->count = keeli_field_elements(f);
        at += length;
        if (*at == '[')
            KEEL_TRY(find_index(&at, out, error));
        if (!*at)
            return KEEL_OK;

        if (*at != '.' || keeli_field_type(f) != KEEL_FIELD_STRUCT || out->count != 1)
            return keeli_field_error(error, KEEL_ERROR_UNKNOWN, "%s: '%s' has no '%.60s'",
                                     out->path, f->name, at);
        fields = f->of->fields;
        count = f->of->field_count;
    }
}

keel_result keel_field_find(const keel_component *component, const char *path,
                            keel_field_place *out, keel_error *error) {
    if (error)
        *error = (keel_error){ .result = KEEL_OK };
    if (out)
        *out = (keel_field_place){ .field = NULL };
    if (!out || !component || !path)
        return keeli_field_error(error, KEEL_ERROR_ARGUMENT,
                                 "keel_field_find needs a component, a path and a place, but one "
                                 "is NULL");

    char room[200];
    keeli_writer wrong = keeli_writer_begin(room, sizeof room);
    const char *name = component->name ? component->name : component->type;
    if (!keeli_fields_are_valid(component, &wrong))
        return keeli_field_error(error, KEEL_ERROR_ARGUMENT, "'%.60s' %s", name ? name : "", room);
    keel_field_place place = { .field = NULL };
    snprintf(place.path, sizeof place.path, "%s.%s", name ? name : "", path);
    KEEL_TRY(find_field(component, path, &place, error));
    *out = place;
    return KEEL_OK;
}

// ------------------------------------------------------------------ printing
int64_t keeli_field_integer(keel_field_type type, const void *from) {
    union {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        int64_t i64;
    } v;

    switch (type) {
    case KEEL_FIELD_I8:
        memcpy(&v, from, 1);
        return v.i8;
    case KEEL_FIELD_U8:
        memcpy(&v, from, 1);
        return v.u8;
    case KEEL_FIELD_I16:
        memcpy(&v, from, 2);
        return v.i16;
    case KEEL_FIELD_U16:
        memcpy(&v, from, 2);
        return v.u16;
    case KEEL_FIELD_I32:
        memcpy(&v, from, 4);
        return v.i32;
    case KEEL_FIELD_U32:
        memcpy(&v, from, 4);
        return v.u32;
    default:
        memcpy(&v, from, 8);
        return v.i64;
    }
}

// Prints the names of the flags that are set, separated by |, and then the other bits in
// hexadecimal.
static void print_flags(keeli_writer *w, const keel_type *of, uint64_t bits) {
    const size_t before = w->length;
    for (uint32_t i = 0; i < of->value_count; ++i) {
        const uint64_t value = (uint64_t)of->values[i].value;
        bool is_set = (bits & value) == value;
        if (value == 0) // such a name is printed only if no flag is set
            is_set = !bits && w->length == before;
        if (!is_set)
            continue;

        keeli_write(w, "%s%s", w->length > before ? " | " : "", of->values[i].name);
        bits &= ~value;
    }

    const bool is_first = w->length == before;
    if (bits)
        keeli_write(w, "%s0x%" PRIx64, is_first ? "" : " | ", bits);
    else if (is_first)
        keeli_write(w, "0");
}

static void print_integer(keeli_writer *w, const keel_field *f, const void *from) {
    const keel_field_type type = keeli_field_type(f);
    const int64_t value = keeli_field_integer(type, from);
    const uint32_t bits = keeli_field_element(f) * 8;
    if (f->of && f->of->is_flags) {
        print_flags(w, f->of, (uint64_t)value & UINT64_MAX >> (64 - bits));
        return;
    }
    const uint32_t value_count = f->of ? f->of->value_count : 0;
    for (uint32_t i = 0; i < value_count; ++i)
        if (f->of->values[i].value == value) {
            keeli_write(w, "%s", f->of->values[i].name);
            return;
        }

    if (type == KEEL_FIELD_U64)
        keeli_write(w, "%" PRIu64, (uint64_t)value);
    else
        keeli_write(w, "%" PRId64, value);
}

static void print_text(keeli_writer *w, const char *text, size_t most) {
    static const char plain[] = "\"\\\n\t\r", letters[] = "\"\\ntr";
    keeli_write_char(w, '"');
    for (size_t i = 0; i < most && text[i]; ++i) {
        const char *special = strchr(plain, text[i]);
        if (special) {
            keeli_write_char(w, '\\');
            keeli_write_char(w, letters[special - plain]);
        } else if ((unsigned char)text[i] < ' ' || text[i] == 127) {
            keeli_write(w, "\\x%02x", (unsigned)(unsigned char)text[i]);
        } else {
            keeli_write_char(w, text[i]);
        }
    }
    keeli_write_char(w, '"');
}

static void print(keeli_writer *w, const keel_field *f, uint32_t count, const char *from);

static void print_struct(keeli_writer *w, const keel_type *type, const char *from) {
    const char *between = "";
    keeli_write_char(w, '{');
    for (const keel_field *f = type->fields; f < type->fields + type->field_count; ++f) {
        if (f->transient)
            continue;
        keeli_write(w, "%s%s: ", between, f->name);
        print(w, f, keeli_field_elements(f), from + f->offset);
        between = ", ";
    }
    keeli_write_char(w, '}');
}

static void print_one(keeli_writer *w, const keel_field *f, const char *from) {
    const keel_field_type type = keeli_field_type(f);
    const uint32_t size = keeli_field_element(f);
    switch (type) {
    case KEEL_FIELD_BYTES:
        for (uint32_t i = 0; i < size; ++i)
            keeli_write(w, "%02x", (unsigned)(unsigned char)from[i]);
        return;
    case KEEL_FIELD_BOOL:
        keeli_write(w, *from ? "true" : "false");
        return;
    case KEEL_FIELD_F32:
    case KEEL_FIELD_F64: {
        char text[KEELI_NUMBER_TEXT];
        const bool is_double = type == KEEL_FIELD_F64;
        const int64_t bits = keeli_field_integer(is_double ? KEEL_FIELD_U64 : KEEL_FIELD_U32, from);
        keeli_print_real(text, (uint64_t)bits, is_double);
        keeli_write(w, "%s", text);
        return;
    }
    case KEEL_FIELD_ENTITY: {
        keel_entity e;
        memcpy(&e, from, sizeof e);
        if (keel_is_null(e))
            keeli_write(w, "null");
        else
            keeli_write(w, "%uv%u", (unsigned)keel_entity_index(e),
                        (unsigned)keel_entity_version(e));
        return;
    }
    case KEEL_FIELD_TEXT:
        print_text(w, from, size);
        return;
    case KEEL_FIELD_OWNED_TEXT: {
        const char *text;
        memcpy(&text, from, sizeof text);
        if (text)
            print_text(w, text, SIZE_MAX);
        else
            keeli_write(w, "null");
        return;
    }
    case KEEL_FIELD_STRUCT:
        print_struct(w, f->of, from);
        return;
    default:
        print_integer(w, f, from);
    }
}

static void print(keeli_writer *w, const keel_field *f, uint32_t count, const char *from) {
    const uint32_t size = keeli_field_element(f);
    if (count > 1)
        keeli_write_char(w, '[');
    for (uint32_t i = 0; i < count; ++i) {
        if (i)
            keeli_write(w, ", ");
        print_one(w, f, from + (size_t)i * size);
    }
    if (count > 1)
        keeli_write_char(w, ']');
}

size_t keel_field_print(const keel_field_place *place, const void *value, char *text, size_t size) {
    keeli_writer w = keeli_writer_begin(text, size);
    if (place && place->field && value)
        print(&w, place->field, place->count, (const char *)value + place->offset);
    return w.length;
}
