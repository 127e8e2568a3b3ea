// SPDX-License-Identifier: MIT
// Writes a JSON Schema of the levels that a world can load (docs/tasks/levels.md). Each rule
// corresponds to a check in json_load.c, which reads the levels. Programs call
// keel_json_write_schema and keel_json_write_schema_to.
#include "json_text.h"

#include <stdio.h>
#include <string.h>

typedef keeli_json_out schema;

static void put(schema *s, const char *text) { keeli_json_put(s, text, strlen(text)); }
static void put_name(schema *s, const char *name) {
    keeli_json_put_text(s, name, strlen(name), name);
}
static void begin_member(schema *s, const char *name, bool *follows) {
    if (*follows) put(s, ", ");
    *follows = true;
    put_name(s, name);
    put(s, ": ");
}
static void put_count(schema *s, const char *key, uint64_t count) {
    char text[64];
    snprintf(text, sizeof text, ", \"%s\": %llu", key, (unsigned long long)count);
    put(s, text);
}

// Writes a limit of a field, printed as values are. A limit that is infinite or NaN is left out,
// because JSON has no such number.
static void put_limit(schema *s, const char *key, double limit) {
    static const keel_field f64 = { .name = "limit", .type = KEEL_FIELD_F64, .count = 1 };
    const keel_field_place place = { .field = &f64, .size = sizeof limit, .count = 1 };
    char text[400];
    if (limit - limit < 0 || limit - limit > 0 || !(limit <= 0 || limit > 0)) return;
    (void)keel_field_print(&place, &limit, text, sizeof text);
    put(s, ", \"");
    put(s, key);
    put(s, "\": ");
    put(s, text);
}

// ------------------------------------------------------------------ fields
static void put_base64(schema *s, uint32_t size) {
    put(s, "\"type\": \"string\", \"contentEncoding\": \"base64\"");
    put_count(s, "minLength", (size + 2) / 3 * 4);
    put_count(s, "maxLength", (size + 2) / 3 * 4);
}

static void put_names(schema *s, const keel_type *of) {
    put(s, "[");
    for (uint32_t i = 0; i < of->value_count; ++i) {
        if (i) put(s, ", ");
        put_name(s, of->values[i].name);
    }
    put(s, "]");
}

// Writes the rule of an enum: one of its names, or a number. Flags may be several names joined by
// |.
static void put_enum(schema *s, const keel_type *of) {
    put(s, of->is_flags ? "\"type\": [\"string\", \"integer\"], \"examples\": "
                        : "\"anyOf\": [{\"enum\": ");
    put_names(s, of);
    if (!of->is_flags) // the writer puts numbers without a name in quotes
        put(s, "}, {\"type\": [\"integer\", \"string\"], \"pattern\": \"^-?[0-9]+$\"}]");
}

static void put_number(schema *s, const keel_field *f) {
    static const struct {
        double least, most;
    } limits[] = { [KEEL_FIELD_I8] = { -128, 127 },
                   [KEEL_FIELD_U8] = { 0, 255 },
                   [KEEL_FIELD_I16] = { -32768, 32767 },
                   [KEEL_FIELD_U16] = { 0, 65535 },
                   [KEEL_FIELD_I32] = { -2147483648.0, 2147483647.0 },
                   [KEEL_FIELD_U32] = { 0, 4294967295.0 } };
    const bool is_ranged = f->min < f->max || f->min > f->max || f->min < 0 || f->min > 0;
    const bool is_float = f->type == KEEL_FIELD_F32 || f->type == KEEL_FIELD_F64;
    const bool is_wide = f->type == KEEL_FIELD_I64 || f->type == KEEL_FIELD_U64;
    put(s, is_float  ? "\"type\": [\"number\", \"string\"]" // "nan:7fc00001", "inf"
           : is_wide ? "\"type\": [\"integer\", \"string\"]"
                     : "\"type\": \"integer\"");
    if (is_ranged) {
        put_limit(s, "minimum", f->min);
        put_limit(s, "maximum", f->max);
    } else if (!is_float && !is_wide) {
        put_limit(s, "minimum", limits[f->type].least);
        put_limit(s, "maximum", limits[f->type].most);
    }
}

static void put_fields(schema *s, const keel_field *fields, uint32_t count);

static void put_element(schema *s, const keel_field *f) {
    switch (f->type) {
    case KEEL_FIELD_BYTES:
        put_base64(s, f->count);
        break;
    case KEEL_FIELD_BOOL:
        put(s, "\"type\": \"boolean\"");
        break;
    case KEEL_FIELD_ENTITY:
        put(s, "\"$ref\": \"#/$defs/reference\"");
        break;
    case KEEL_FIELD_TEXT: // the limit of bytes also limits the characters
        put(s, "\"type\": \"string\"");
        put_count(s, "maxLength", f->count);
        break;
    case KEEL_FIELD_OWNED_TEXT:
        put(s, "\"type\": [\"string\", \"null\"]");
        break;
    case KEEL_FIELD_STRUCT:
        put_fields(s, f->of->fields, f->of->field_count);
        break;
    default:
        if (f->of) put_enum(s, f->of);
        else put_number(s, f);
    }
}

static void put_field(schema *s, const keel_field *f) {
    const bool is_one = f->type == KEEL_FIELD_TEXT || f->type == KEEL_FIELD_BYTES;
    const uint32_t n = f->type == KEEL_FIELD_STRUCT ? f->count / f->of->size
                       : is_one                     ? 1
                                                    : f->count;
    put(s, n > 1 ? "{\"type\": \"array\", \"items\": {" : "{");
    put_element(s, f);
    if (n > 1) {
        put(s, "}");
        put_count(s, "minItems", n);
        put_count(s, "maxItems", n);
    }
    if (f->unit) {
        put(s, ", \"description\": ");
        put_name(s, f->unit);
    }
    put(s, "}");
}

// Writes the rules of an object with these fields, without its braces.
static void put_fields(schema *s, const keel_field *fields, uint32_t count) {
    bool follows = false;
    put(s, "\"type\": \"object\", \"additionalProperties\": false, \"properties\": {");
    for (uint32_t i = 0; i < count; ++i) {
        if (fields[i].transient) continue;
        begin_member(s, fields[i].name, &follows);
        put_field(s, &fields[i]);
    }
    for (uint32_t i = 0; i < count; ++i) { // the loader reads earlier names, too
        bool is_used = !fields[i].was || fields[i].transient;
        for (uint32_t k = 0; k < count && !is_used; ++k)
            is_used = !fields[k].transient && !strcmp(fields[k].name, fields[i].was);
        if (is_used) continue;
        begin_member(s, fields[i].was, &follows);
        put(s, "{\"deprecated\": true}");
    }
    put(s, "}");
}

// ------------------------------------------------------------------ components
static void put_value(schema *s, const keel_component *c) {
    put(s, "{");
    if (!c->size) put(s, "\"const\": true");
    else if (c->field_count) put_fields(s, c->fields, c->field_count);
    else if (!c->drop && !c->copy) put_base64(s, c->size);
    else put(s, "\"not\": {}"); // hooks and no fields
    put(s, "}");
}

static void put_component(schema *s, const keel_component *c) {
    static const char target[] = "{\"type\": \"string\"}";
    const bool is_list = c->is_relation && !c->exclusive;
    if (is_list) put(s, "{\"type\": \"array\", \"items\": ");
    if (!c->is_relation) {
        put_value(s, c);
    } else if (c->size) {
        put(s, "{\"type\": \"object\", \"additionalProperties\": false, \"required\": [\"to\", "
               "\"value\"], \"properties\": {\"to\": ");
        put(s, target);
        put(s, ", \"value\": ");
        put_value(s, c);
        put(s, "}}");
    } else {
        put(s, target);
    }
    if (is_list) put(s, "}");
}

typedef const keel_component *next_of(const keel_world *, const keel_component *);

// Writes a property for each component or unique that `next` returns, and a deprecated one for its
// earlier name, `.saved_as`.
static void put_all(schema *s, const keel_world *world, next_of *next, bool follows) {
    for (const keel_component *c = NULL; (c = next(world, c)) != NULL;) {
        if (!keeli_json_is_written(c)) continue;
        put(s, follows ? ",\n    " : "\n    ");
        put_name(s, c->name);
        put(s, ": ");
        if (c->is_unique) put(s, "{\"anyOf\": [{\"type\": \"null\"}, ");
        put_component(s, c);
        if (c->is_unique) put(s, "]}");
        follows = true;
        if (!c->saved_as) continue;
        const keel_component *other = NULL;
        while ((other = next(world, other)) != NULL && strcmp(other->name, c->saved_as) != 0) {}
        if (other) continue; // another component has this name, and the loader prefers it
        put(s, ",\n    ");
        put_name(s, c->saved_as);
        put(s, ": {\"deprecated\": true}");
    }
}

// Writes the rule of "@sources", the order of the sources of each relation.
static void put_sources(schema *s, const keel_world *world) {
    bool follows = false;
    put(s, "\n    \"@sources\": {\"type\": \"object\", \"additionalProperties\": {\"type\": "
           "\"array\", "
           "\"items\": {\"type\": \"string\"}}, \"propertyNames\": {\"enum\": [");
    for (const keel_component *c = NULL; (c = keel_next_component(world, c)) != NULL;) {
        if (!keeli_json_is_written(c) || !c->is_relation) continue;
        if (follows) put(s, ", ");
        follows = true;
        put_name(s, c->name);
    }
    put(s, "]}},");
}

static void put_disabled(schema *s, const keel_world *world) {
    bool follows = false;
    put(s, "\n    \"@disabled\": {\"type\": \"array\", \"items\": {\"enum\": [");
    for (const keel_component *c = NULL; (c = keel_next_component(world, c)) != NULL;) {
        if (!keeli_json_is_written(c) || c->is_relation) continue;
        if (follows) put(s, ", ");
        follows = true;
        put_name(s, c->name);
    }
    put(s, "]}},");
    put_sources(s, world);
    put(s, "\n    \"@prefab\": {\"$ref\": \"#/$defs/template\"},");
    put(s, "\n    \"@copy_of\": {\"$ref\": \"#/$defs/template\"}");
}

// Writes the rule for the path of a template. The names of templates without a parent are its
// examples, which editors offer for completion.
static void put_templates(schema *s, const keel_world *templates) {
    bool follows = false;
    put(s, "  \"template\": {\"type\": \"string\", \"description\": \"the path of a prefab\"");
    for (keel_entity e = keel_null();
         templates && !keel_is_null(e = keel_next_entity(templates, e));) {
        const char *name = keel_name_of(templates, e);
        if (!name || name[0] == '@' || !keel_is_null(keel_parent_of(templates, e))) continue;
        put(s, follows ? ", " : ", \"examples\": [");
        follows = true;
        put_name(s, name);
    }
    put(s, follows ? "]},\n" : "},\n");
}

static void put_schema(schema *s, const keel_world *world) {
    put(s, "{\n"
           "  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
           "  \"title\": \"a level of Keel\",\n"
           "  \"type\": \"object\",\n"
           "  \"additionalProperties\": false,\n"
           "  \"properties\": {\n"
           "    \"$schema\": {\"type\": \"string\"},\n"
           "    \"handles\": {\"type\": \"boolean\"},\n"
           "    \"uniques\": {\"$ref\": \"#/$defs/uniques\"},\n"
           "    \"entities\": {\"type\": \"object\", \"additionalProperties\": {\"$ref\": "
           "\"#/$defs/entity\"}}\n"
           "  },\n"
           "  \"$defs\": {\n"
           "  \"reference\": {\"type\": [\"string\", \"null\"], \"description\": \"the path of an "
           "entity, or null\"},\n");
    const keel_component *instance = NULL; // registered with the first template
    while ((instance = keel_next_component(world, instance)) != NULL &&
           strcmp(instance->name, "keel_instance") != 0)
        continue;
    put_templates(s, instance ? keel_templates((keel_world *)(uintptr_t)world) : NULL);
    put(s,
        "  \"uniques\": {\"type\": \"object\", \"additionalProperties\": false, \"properties\": {");
    put_all(s, world, keel_next_unique, false);
    put(s,
        "\n  }},\n"
        "  \"entity\": {\"type\": \"object\", \"additionalProperties\": false, \"properties\": {\n"
        "    \"@handle\": {\"type\": \"string\", \"pattern\": \"^@[0-9]+v[0-9]+$\"},");
    put_disabled(s, world);
    put_all(s, world, keel_next_component, true);
    put(s, "\n  }}\n  }\n}\n");
}

// ------------------------------------------------------------------ writing
keel_result keel_json_write_schema_to(const keel_world *world, keel_json_sink *sink, void *context,
                                      keel_error *error) {
    schema s = { .error = error };
    if (!world || !sink)
        return keeli_json_fail(error, KEEL_ERROR_ARGUMENT, "a world and a sink are needed");
    s.allocator = keeli_json_allocator(s.allocator);
    put_schema(&s, world);
    if (s.result == KEEL_OK && !sink(context, s.text, s.length))
        s.result = keeli_json_fail(error, KEEL_ERROR_FILE, "the text cannot be written");
    keeli_json_end(&s);
    return s.result;
}

static keel_result write_request(void *data, keel_json_sink *sink, void *context,
                                 keel_error *error) {
    return keel_json_write_schema_to(data, sink, context, error);
}

keel_result keel_json_write_schema(const keel_world *world, const char *path, keel_error *error) {
    return keeli_json_write_file(path, write_request, (void *)(uintptr_t)world, error);
}
