// SPDX-License-Identifier: MIT
// Writes a world as JSON: keel_json_write and keel_json_write_to. It writes from a copy with every
// component enabled, because the values of disabled components cannot be read; the world itself
// says which are disabled. Escapes and the file are in json_out.c.
#include "../stage.h"
#include "json_text.h"

#include <stdio.h>
#include <string.h>

// The place of an entity in the text, counted from 1. Added to entities of the copy only.
typedef struct keel_json_place {
    uint32_t number;
} keel_json_place;
KEEL_COMPONENT(keel_json_place, .transient = true, .storage = KEEL_INDEXED);

typedef struct writer {
    const keel_world *world;
    keel_world *copy;
    keel_json_write_options how;
    keel_allocator given; // the allocator of the caller's options, for the copy; may be zero
    keeli_json_out out;
} writer;

static void put_bytes(writer *w, const char *text, size_t length) {
    keeli_json_put(&w->out, text, length);
}
static void put(writer *w, const char *text) { put_bytes(w, text, strlen(text)); }
static void put_escaped(writer *w, const char *text, size_t length, const char *path) {
    keeli_json_put_escaped(&w->out, text, length, path);
}
static void put_text(writer *w, const char *text, size_t length, const char *path) {
    keeli_json_put_text(&w->out, text, length, path);
}

static void put_base64(writer *w, const unsigned char *bytes, size_t size) {
    put(w, "\"");
    for (size_t i = 0; i < size; i += 3) {
        const size_t n = size - i < 3 ? size - i : 3;
        const uint32_t bits = (uint32_t)bytes[i] << 16 | (n > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                              (n > 2 ? bytes[i + 2] : 0);
        char digits[4];
        for (size_t j = 0; j < 4; ++j)
            digits[j] = j > n ? '=' : keeli_json_base64[bits >> (18 - 6 * j) & 63];
        put_bytes(w, digits, 4);
    }
    put(w, "\"");
}

static void put_handle(writer *w, keel_entity e) {
    char text[32];
    snprintf(text, sizeof text, "@%uv%u", (unsigned)keel_entity_index(e),
             (unsigned)keel_entity_version(e));
    put(w, text);
}

// Writes one part of a path. A name that begins with '@' gets a second '@', because a handle begins
// with a single one.
static void put_part(writer *w, const keel_world *world, keel_entity e) {
    const char *name = keel_name_of(world, e);
    if (!name) {
        put_handle(w, e);
        return;
    }
    if (name[0] == '@') put(w, "@");
    put_escaped(w, name, strlen(name), "name of an entity");
}

// Writes a path, ancestors first. The path in a reference begins at the nearest unnamed entity, `e`
// included, because the handle of that entity suffices to find it.
static void put_path(writer *w, const keel_world *world, keel_entity e, bool is_reference) {
    const keel_entity parent = keel_parent_of(world, e);
    if (!keel_is_null(parent) && !(is_reference && !keel_name_of(world, e))) {
        put_path(w, world, parent, is_reference);
        put(w, "/");
    }
    put_part(w, world, e);
}

static void put_reference(writer *w, keel_entity e) {
    const bool is_alive = keel_is_alive(w->copy, e);
    if (keel_is_null(e) || (!is_alive && !w->how.handles)) {
        put(w, "null");
        return;
    }
    put(w, "\"");
    if (is_alive) put_path(w, w->copy, e, true);
    else put_handle(w, e);
    put(w, "\"");
}

// Writes a scalar as keel_field_print prints it. Puts it in quotes if it is no JSON literal, or if
// it is an integer above 2^53, which readers that use doubles would round.
static void put_scalar(writer *w, const keel_field_place *place, const void *value) {
    char text[512];
    const size_t length = keel_field_print(place, value, text, sizeof text);
    if (length >= sizeof text) {
        w->out.result =
            keeli_json_fail(w->out.error, KEEL_ERROR_TEXT,
                            "'%s': its text has %u bytes or more; shorten the names of its flags",
                            place->path, (unsigned)sizeof text);
        return;
    }
    static const char limit[] = "9007199254740992"; // 2^53
    const char *digits = text + (text[0] == '-');
    const size_t digit_count = strspn(digits, "0123456789");
    const bool is_integer = digits[digit_count] == '\0';
    const bool is_large =
        is_integer && (digit_count > 16 || (digit_count == 16 && strcmp(digits, limit) > 0));
    const bool is_plain = place->field->type == KEEL_FIELD_BOOL || (digit_count && !is_large);
    if (is_plain && !place->field->of) put_bytes(w, text, length);
    else put_text(w, text, length, place->path);
}

static void put_single(writer *w, const keel_field_place *place, const void *value) {
    const char *at = (const char *)value + place->offset;
    const char *end = memchr(at, 0, place->size);
    char *owned;
    keel_entity e;
    switch (place->field->type) {
    case KEEL_FIELD_BYTES:
        put_base64(w, (const unsigned char *)at, place->size);
        break;
    case KEEL_FIELD_ENTITY:
        memcpy(&e, at, sizeof e);
        put_reference(w, e);
        break;
    case KEEL_FIELD_TEXT:
        put_text(w, at, end ? (size_t)(end - at) : place->size, place->path);
        break;
    case KEEL_FIELD_OWNED_TEXT:
        memcpy(&owned, at, sizeof owned);
        if (owned) put_text(w, owned, strlen(owned), place->path);
        else put(w, "null");
        break;
    default:
        put_scalar(w, place, value);
    }
}

static void put_fields(writer *w, const keel_component *c, const keel_field *fields, uint32_t count,
                       char *path, const void *value);

// Writes the field at `path`. `path` has room for KEELI_JSON_PATH bytes: the function appends to it
// for elements and members, and restores it before it returns.
static void put_field(writer *w, const keel_component *c, char *path, const void *value) {
    keel_field_place place;
    keel_error wrong;
    if (w->out.result != KEEL_OK) return;
    if (keel_field_find(c, path, &place, &wrong) != KEEL_OK) {
        w->out.result = keeli_json_fail(w->out.error, wrong.result, "%s", wrong.message);
        return;
    }
    const size_t length = strlen(path);
    const bool is_array = place.count > 1;
    if (is_array) put(w, "[");
    for (uint32_t i = 0; i < place.count && w->out.result == KEEL_OK; ++i) {
        keel_field_place element = place;
        if (i) put(w, ", ");
        if (is_array) {
            snprintf(path + length, KEELI_JSON_PATH - length, "[%u]", (unsigned)i);
            (void)keel_field_find(c, path, &element, NULL);
        }
        const keel_type *of = place.field->of;
        if (place.field->type == KEEL_FIELD_STRUCT)
            put_fields(w, c, of->fields, of->field_count, path, value);
        else put_single(w, &element, value);
        path[length] = '\0';
    }
    if (is_array) put(w, "]");
}

static void put_fields(writer *w, const keel_component *c, const keel_field *fields, uint32_t count,
                       char *path, const void *value) {
    const size_t length = strlen(path);
    bool follows = false;
    put(w, "{");
    for (uint32_t i = 0; i < count; ++i) {
        if (fields[i].transient) continue;
        put(w, follows ? ", \"" : "\"");
        follows = true;
        put(w, fields[i].name);
        put(w, "\": ");
        snprintf(path + length, KEELI_JSON_PATH - length, "%s%s", length ? "." : "",
                 fields[i].name);
        put_field(w, c, path, value);
        path[length] = '\0';
    }
    put(w, "}");
}

static void put_value(writer *w, const keel_component *c, const void *value) {
    char path[KEELI_JSON_PATH] = "";
    if (c->size == 0) put(w, "true");
    else if (c->save)
        w->out.result = w->out.result < 0
                            ? w->out.result
                            : keeli_json_fail(w->out.error, KEEL_ERROR_COPY,
                                              "'%s' has a .save function, whose bytes are no "
                                              "JSON: describe its fields, or make it "
                                              ".transient",
                                              c->name);
    else if (c->field_count) put_fields(w, c, c->fields, c->field_count, path, value);
    else if (!c->drop && !c->copy) put_base64(w, value, c->size);
    else if (w->out.result == KEEL_OK)
        w->out.result =
            keeli_json_fail(w->out.error, KEEL_ERROR_COPY,
                            "'%s' has hooks and no fields: describe its fields (KEEL_FIELDS), or "
                            "make it .transient",
                            c->name);
}

static void put_edge(writer *w, keel_entity e, const keel_component *c, keel_entity target) {
    if (c->size) put(w, "{\"to\": ");
    put_reference(w, target);
    if (!c->size) return;
    put(w, ", \"value\": ");
    put_value(w, c, keel_get_related_component(w->copy, e, c, target));
    put(w, "}");
}

// Returns the target after `target` whose edge is written as part of `e`, or null. An edge of a
// symmetric relation is written once, as part of the entity with the lower index.
static keel_entity next_written(const writer *w, keel_entity e, const keel_component *c,
                                keel_entity target) {
    do {
        target = keel_next_target_component(w->copy, e, c, target);
    } while (c->symmetric && !keel_is_null(target) &&
             keel_entity_index(target) < keel_entity_index(e));
    return target;
}

static void put_relation(writer *w, keel_entity e, const keel_component *c) {
    keel_entity target = next_written(w, e, c, keel_null());
    if (!c->exclusive) put(w, "[");
    for (bool follows = false; !keel_is_null(target); follows = true) {
        if (follows) put(w, ", ");
        put_edge(w, e, c, target);
        target = next_written(w, e, c, target);
    }
    if (!c->exclusive) put(w, "]");
}

static void begin_member(writer *w, bool *follows, const char *indent) {
    put(w, *follows ? ",\n" : "\n");
    put(w, indent);
    *follows = true;
}

// Writes the path of the prefab that the entity is a copy of. A path with an unnamed ancestor
// contains a handle, and the same template may have another handle in the program that loads the
// text. So such a path is only written with the option `handles`.
static void put_copy_of(writer *w, keel_entity e, bool *follows) {
    const keel_entity prefab = keel_prefab_of(w->world, e).root;
    if (keel_is_null(prefab)) return;
    // keel_templates creates the world of templates if there is none. A world with a prefab copy
    // has one, so the call does not change it and the cast is safe
    const keel_world *templates = keel_templates((keel_world *)(uintptr_t)w->world);
    if (!w->how.handles)
        for (keel_entity at = prefab; !keel_is_null(at); at = keel_parent_of(templates, at))
            if (!keel_name_of(templates, at)) return;
    begin_member(w, follows, "      ");
    put(w, "\"@copy_of\": \"");
    put_path(w, templates, prefab, true);
    put(w, "\"");
}

static void put_disabled(writer *w, keel_entity e, bool *follows) {
    bool is_open = false;
    for (const keel_component *c = NULL; (c = keel_next_component(w->world, c));) {
        if (!keeli_json_is_written(c) || !keel_is_component_disabled(w->world, e, c)) continue;
        if (is_open) put(w, ", ");
        else {
            begin_member(w, follows, "      ");
            put(w, "\"@disabled\": [");
        }
        is_open = true;
        put_text(w, c->name, strlen(c->name), c->name);
    }
    if (is_open) put(w, "]");
}

// An edge is written as part of one entity: its source, or in a symmetric relation the end with the
// lower index. Returns the place of this entity in the text, for the edge from `source` to `e`. A
// load adds edges in the order of these places.
static uint32_t place_of_edge(const writer *w, keel_entity e, const keel_component *c,
                              keel_entity source) {
    const bool is_back = c->symmetric && keel_entity_index(e) < keel_entity_index(source);
    const keel_json_place *place = keel_get(w->copy, is_back ? e : source, keel_json_place);
    return place ? place->number : 0;
}

// True if "@sources" can be left out: a load without it gives the sources of `e` the order that
// they have now.
static bool has_own_order(const writer *w, keel_entity e, const keel_component *c) {
    uint32_t last = 0;
    for (keel_entity at = keel_null();
         !keel_is_null(at = keel_next_source_component(w->copy, e, c, at));) {
        const uint32_t place = place_of_edge(w, e, c, at);
        if (place < last) return false;
        last = place;
    }
    return true;
}

static void put_sources_of(writer *w, keel_entity e, const keel_component *c) {
    keel_entity at = keel_null();
    put_text(w, c->name, strlen(c->name), c->name);
    put(w, ": [");
    for (bool follows = false; !keel_is_null(at = keel_next_source_component(w->copy, e, c, at));
         follows = true) {
        if (follows) put(w, ", ");
        put_reference(w, at);
    }
    put(w, "]");
}

static void put_sources(writer *w, keel_entity e, bool *follows) {
    bool is_open = false;
    for (const keel_component *c = NULL; (c = keel_next_component(w->copy, c));) {
        if (!c->is_relation || !keeli_json_is_written(c) || has_own_order(w, e, c)) continue;
        if (is_open) put(w, ", ");
        else {
            begin_member(w, follows, "      ");
            put(w, "\"@sources\": {");
        }
        is_open = true;
        put_sources_of(w, e, c);
    }
    if (is_open) put(w, "}");
}

static void put_entity(writer *w, keel_entity e, bool *follows) {
    bool has_any = false;
    begin_member(w, follows, "    \"");
    put_path(w, w->copy, e, false);
    put(w, "\": {");
    if (w->how.handles && keel_name_of(w->copy, e)) {
        begin_member(w, &has_any, "      ");
        put(w, "\"@handle\": \"");
        put_handle(w, e);
        put(w, "\"");
    }
    put_copy_of(w, e, &has_any);
    for (const keel_component *c = NULL; (c = keel_next_component_of(w->copy, e, c));) {
        if (!keeli_json_is_written(c)) continue;
        if (c->symmetric && keel_is_null(next_written(w, e, c, keel_null()))) continue;
        begin_member(w, &has_any, "      ");
        put_text(w, c->name, strlen(c->name), c->name);
        put(w, ": ");
        if (c->is_relation) put_relation(w, e, c);
        else put_value(w, c, keel_get_component(w->copy, e, c));
    }
    put_sources(w, e, &has_any);
    put_disabled(w, e, &has_any);
    put(w, has_any ? "\n    }" : "}");
}

// Returns the entity after `e` in the order of the text, or the first entity if `e` is null. Each
// parent stands before its children. Null at the end, and after an error.
static keel_entity next_in_text(const writer *w, keel_entity e) {
    if (w->out.result < 0) return keel_null();
    keel_entity root = e;
    for (keel_entity up = e; !keel_is_null(up); up = keel_parent_of(w->copy, up))
        root = up;
    if (!keel_is_null(e)) e = keel_next_descendant(w->copy, root, e, KEEL_DEPTH_FIRST);
    if (!keel_is_null(e)) return e;
    do {
        root = keel_next_entity(w->copy, root);
    } while (!keel_is_null(root) && !keel_is_null(keel_parent_of(w->copy, root)));
    return root;
}

static keel_result number_places(writer *w) {
    keel_json_place place = { 0 };
    keel_result r = KEEL_OK;
    for (keel_entity e = keel_null(); r >= 0 && !keel_is_null(e = next_in_text(w, e));) {
        ++place.number;
        r = keel_add_component(w->copy, e, KEEL_OF(keel_json_place), &place);
    }
    if (r >= 0) return KEEL_OK;
    return keeli_json_fail(w->out.error, r, "%s", keel_last_error(w->copy)->message);
}

static void put_world(writer *w) {
    bool follows = false;
    put(w, "{\n");
    if (w->how.schema) {
        put(w, "  \"$schema\": ");
        put_text(w, w->how.schema, strlen(w->how.schema), "$schema");
        put(w, ",\n");
    }
    if (w->how.handles) put(w, "  \"handles\": true,\n");
    put(w, "  \"uniques\": {");
    for (const keel_component *c = NULL; (c = keel_next_unique(w->copy, c));) {
        const void *value = keel_get_unique_value(w->copy, c);
        if (!keeli_json_is_written(c) || (!value && !c->initial)) continue;
        begin_member(w, &follows, "    ");
        put_text(w, c->name, strlen(c->name), c->name);
        put(w, ": ");
        if (value) put_value(w, c, value);
        else put(w, "null"); // the loader must remove the initial value
    }
    put(w, follows ? "\n  },\n  \"entities\": {" : "},\n  \"entities\": {");
    follows = false;
    for (keel_entity e = keel_null(); !keel_is_null(e = next_in_text(w, e));)
        put_entity(w, e, &follows);
    put(w, follows ? "\n  }\n}\n" : "}\n}\n");
}

// Creates the copy of the world, and enables every component in it.
static keel_result copy_world(writer *w) {
    w->copy = stage_create("json", w->given);
    if (!w->copy) return keeli_json_fail(w->out.error, KEEL_ERROR_MEMORY, "out of memory");

    const keel_result r = stage_copy_enabled(w->copy, w->world);
    if (r < 0) return keeli_json_fail(w->out.error, r, "%s", keel_last_error(w->copy)->message);
    return KEEL_OK;
}

keel_result keel_json_write_to(const keel_world *world, keel_json_sink *sink, void *context,
                               const keel_json_write_options *options, keel_error *error) {
    writer w = { .world = world, .out.error = error };
    if (!world || !sink)
        return keeli_json_fail(error, KEEL_ERROR_ARGUMENT, "a world and a sink are needed");
    if (options) w.how = *options;
    w.given = w.how.allocator;
    w.out.allocator = keeli_json_allocator(w.how.allocator);
    w.out.result = copy_world(&w);
    if (w.out.result == KEEL_OK) w.out.result = number_places(&w);
    if (w.out.result == KEEL_OK) put_world(&w);
    if (w.out.result == KEEL_OK && !sink(context, w.out.text, w.out.length))
        w.out.result = keeli_json_fail(error, KEEL_ERROR_FILE, "the text cannot be written");
    keeli_json_end(&w.out);
    if (w.copy) keel_world_destroy(w.copy);
    return w.out.result;
}

typedef struct request {
    const keel_world *world;
    const keel_json_write_options *options;
} request;
static keel_result write_request(void *data, keel_json_sink *sink, void *context,
                                 keel_error *error) {
    const request *r = data;
    return keel_json_write_to(r->world, sink, context, r->options, error);
}

keel_result keel_json_write(const keel_world *world, const char *path,
                            const keel_json_write_options *options, keel_error *error) {
    request what = { world, options };
    return keeli_json_write_file(path, write_request, &what, error);
}
