// SPDX-License-Identifier: MIT
// Loads JSON into a world: keel_json_load and keel_json_load_text. The text is loaded into a
// private world, the stage, which has the same components; only if all of it is valid is the stage
// copied or merged into the caller's world, so an error has nothing to undo. The parser is
// json_text.c.
#include "../stage.h"
#include "json_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct loader {
    keel_world *world, *stage;  // the caller's world, and the private one
    keel_json_load_options how; // with the defaults filled in
    keel_allocator given;       // the allocator of the caller's options, for the stage; may be zero
    keel_error *error;
    keel_result result; // the first error
    keeli_json_tokens tokens;
    size_t longest;         // size of the longest string of the text, with a zero
    char *decoded, *quoted; // room for the longest string, decoded, and for the form of it that
                            // keel_field_parse reads (keel_text)
    keel_entity *entities;  // the entity of each member of "entities", by the member's number
    uint32_t entity_count;
    bool has_sources; // an entity has a member "@sources"
    uint32_t *places; // by entity index: place in the list "@sources" that is being read, counted
                      // from 1; 0 if the list does not have the entity
    size_t place_count;
    bool handles;       // the text has handles: a reference may be to a dead entity
    bool has_templates; // the world's templates were copied to the stage
    uint32_t *skipped;  // tokens of the names of skipped components, each name once
    uint32_t skipped_count;
    unsigned char *parts; // bits by entity index: entities that are a member of "entities" so far
    size_t part_bytes;
} loader;

static bool fail(loader *l, const keeli_json_token *t, keel_result result, const char *format,
                 ...) {
    char text[200];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    l->result =
        keeli_json_fail(l->error, result, "%s:%u: %s", l->how.name, (unsigned)t->line, text);
    return false;
}

static const keeli_json_token *token(const loader *l, uint32_t i) { return &l->tokens.items[i]; }

static const char *decode(loader *l, const keeli_json_token *t) {
    keeli_json_decode(&l->tokens, t, l->decoded);
    return l->decoded;
}

static bool is_text(const loader *l, const keeli_json_token *t, const char *text, size_t length) {
    return t->end - t->start == length && memcmp(l->tokens.text + t->start, text, length) == 0;
}

// True if a member of an object before `key`, beginning with the member `first`, has the same key
// as `key`, or the key `other`, which is another name of the same component or field. `other` may
// be NULL.
static bool is_twice(const loader *l, uint32_t first, uint32_t key, const char *other) {
    const keeli_json_token *b = token(l, key);
    for (uint32_t i = first; i != key; i = token(l, i + 1)->next)
        if (is_text(l, token(l, i), l->tokens.text + b->start, b->end - b->start) ||
            (other && is_text(l, token(l, i), other, strlen(other))))
            return true;
    return false;
}

// ------------------------------------------------------------------ names
// Returns the edit distance (Levenshtein) of the first 64 bytes of two names.
static uint32_t distance(const char *a, const char *b) {
    uint32_t row[65], n = 0;
    while (n < 64 && b[n])
        ++n;
    for (uint32_t j = 0; j <= n; ++j)
        row[j] = j;
    for (uint32_t i = 0; i < 64 && a[i]; ++i) {
        uint32_t corner = row[0];
        row[0] = i + 1;
        for (uint32_t j = 1; j <= n; ++j) {
            const uint32_t change = corner + (a[i] != b[j - 1]);
            corner = row[j];
            const uint32_t less = row[j - 1] < row[j] ? row[j - 1] : row[j];
            row[j] = change < less + 1 ? change : less + 1;
        }
    }
    return row[n];
}

typedef struct nearest {
    const char *name;
    uint32_t distance;
} nearest;
static void consider(nearest *n, const char *wrong, const char *name) {
    const uint32_t d = distance(wrong, name);
    if (n->name && d >= n->distance) return;
    n->name = name, n->distance = d;
}

// Fills the error for an unknown component or unique: says that the name is of the other kind, or
// suggests the nearest name.
static bool fail_component(loader *l, const keeli_json_token *t, const char *name, bool is_unique) {
    nearest n = { NULL, 0 };
    for (const keel_component *c = NULL;
         (c = is_unique ? keel_next_component(l->stage, c) : keel_next_unique(l->stage, c));)
        if (keeli_json_is_written(c) && strcmp(c->name, name) == 0)
            return fail(l, t, KEEL_ERROR_UNKNOWN,
                        is_unique ? "'%s' is a component: its place is at an entity"
                                  : "'%s' is a unique: its place is in \"uniques\"",
                        name);
    for (const keel_component *c = NULL;
         (c = is_unique ? keel_next_unique(l->stage, c) : keel_next_component(l->stage, c));)
        if (keeli_json_is_written(c)) consider(&n, name, c->name);
    return fail(l, t, KEEL_ERROR_UNKNOWN, "no %s '%.60s'; the nearest is '%s'",
                is_unique ? "unique" : "component", name, n.name ? n.name : "none");
}

static const keel_component *find_component(loader *l, const char *name, bool is_unique) {
    for (const keel_component *c = NULL;
         (c = is_unique ? keel_next_unique(l->stage, c) : keel_next_component(l->stage, c));)
        if (keeli_json_is_written(c) && strcmp(c->name, name) == 0) return c;
    for (const keel_component *c = NULL;
         (c = is_unique ? keel_next_unique(l->stage, c) : keel_next_component(l->stage, c));)
        if (keeli_json_is_written(c) && c->saved_as && strcmp(c->saved_as, name) == 0) return c;
    return NULL;
}

// Returns the other name by which a text may call the component: its `saved_as` if `name` is its
// name, or its name if `name` is its `saved_as`. NULL if it has only one name, or if its `saved_as`
// is the name of another component.
static const char *other_name(loader *l, const keel_component *c, const char *name) {
    if (!c || !c->saved_as) return NULL;
    if (strcmp(c->name, name) != 0) return c->name;
    return find_component(l, c->saved_as, c->is_unique) == c ? c->saved_as : NULL;
}

// ------------------------------------------------------------------ entities
// Returns the handle in a text such as "@12v3" (index 12, version 3), or null. Only the spelling of
// the writer is accepted, not for example "@012v3".
static keel_entity handle_of(const char *text, size_t length) {
    char again[32];
    uint64_t number[2] = { 0, 0 };
    for (size_t i = 1, part = 0; i < length; ++i) {
        if (text[i] == 'v' && !part) part = 1;
        else if (text[i] >= '0' && text[i] <= '9' && number[part] < UINT32_MAX)
            number[part] = number[part] * 10 + (uint64_t)(text[i] - '0');
        else return keel_null();
    }
    if (number[0] > KEEL_MAX_ENTITY_INDEX || number[1] > KEEL_MAX_ENTITY_VERSION)
        return keel_null();
    snprintf(again, sizeof again, "@%uv%u", (unsigned)number[0], (unsigned)number[1]);
    if (strlen(again) != length || memcmp(again, text, length) != 0) return keel_null();
    return keel_entity_make((uint32_t)number[0], (uint32_t)number[1]);
}

static bool is_handle(const char *part) { return part[0] == '@' && part[1] != '@'; }

// Returns the entity that one part of a path names below `parent`, or null. `part` ends with a
// zero.
static keel_entity find_part(const keel_world *world, keel_entity parent, const char *part) {
    if (is_handle(part)) {
        const keel_entity e = handle_of(part, strlen(part));
        const bool is_there = keel_is_alive(world, e) && !keel_name_of(world, e);
        return is_there ? e : keel_null();
    }
    return keel_find_entity(world, parent, part[0] == '@' ? part + 1 : part);
}

// Returns the entity at a path, or null. Writes zeros into `path` to cut it into parts, and
// restores it before it returns.
static keel_entity find_path(const keel_world *world, char *path) {
    keel_entity e = keel_null();
    for (char *part = path, *slash; part; part = slash) {
        slash = strchr(part, '/');
        if (slash) *slash = '\0';
        e = find_part(world, e, part);
        if (slash) *slash++ = '/';
        if (keel_is_null(e)) break;
    }
    return e;
}

static bool read_reference(loader *l, const keeli_json_token *t, const char *path,
                           keel_entity *out) {
    *out = keel_null();
    if (t->kind == KEELI_JSON_NULL) return true;
    if (t->kind != KEELI_JSON_STRING)
        return fail(l, t, KEEL_ERROR_TEXT, "'%s': a path of an entity, or null, is expected", path);
    (void)decode(l, t);
    *out = find_path(l->stage, l->decoded);
    if (keel_is_null(*out) && l->handles && is_handle(l->decoded))
        *out = handle_of(l->decoded, strlen(l->decoded));
    if (!keel_is_null(*out)) return true;
    const char *last = strrchr(l->decoded, '/'), *name = last ? last + 1 : l->decoded;
    nearest n = { NULL, 0 };
    uint32_t left = 10000; // number of entities to compare at most, so that a large level is quick
    for (keel_entity e = keel_null(); left-- && !keel_is_null(e = keel_next_entity(l->stage, e));)
        if (keel_name_of(l->stage, e)) consider(&n, name, keel_name_of(l->stage, e));
    if (!n.name || n.distance > strlen(name) / 2)
        return fail(l, t, KEEL_ERROR_UNKNOWN, "'%s': no entity '%.80s'", path, l->decoded);
    return fail(l, t, KEEL_ERROR_UNKNOWN, "'%s': no entity '%.80s'; the nearest name is '%.60s'",
                path, l->decoded, n.name);
}

// ------------------------------------------------------------------ values
// Returns the text of a token in the form that keel_field_parse reads. Valid until the next call.
static const char *keel_text(loader *l, const keeli_json_token *t, bool is_text) {
    if (t->kind != KEELI_JSON_STRING) {
        const size_t length = t->end - t->start;
        memcpy(l->quoted, l->tokens.text + t->start, length);
        l->quoted[length] = '\0';
        return l->quoted;
    }
    (void)decode(l, t);
    if (!is_text) return l->decoded;
    char *out = l->quoted;
    *out++ = '"';
    for (const char *s = l->decoded; *s; ++s) {
        if ((unsigned char)*s < 0x20) out += snprintf(out, 5, "\\x%02x", (unsigned char)*s);
        else if (*s == '"' || *s == '\\') *out++ = '\\', *out++ = *s;
        else *out++ = *s;
    }
    *out++ = '"';
    *out = '\0';
    return l->quoted;
}

static bool may_be(const keel_field *f, keeli_json_kind kind) {
    switch (f->type) {
    case KEEL_FIELD_BOOL:
        return kind == KEELI_JSON_TRUE || kind == KEELI_JSON_FALSE;
    case KEEL_FIELD_TEXT:
        return kind == KEELI_JSON_STRING;
    case KEEL_FIELD_OWNED_TEXT:
        return kind == KEELI_JSON_STRING || kind == KEELI_JSON_NULL;
    case KEEL_FIELD_F32:
    case KEEL_FIELD_F64:
    case KEEL_FIELD_I64:
    case KEEL_FIELD_U64:
        return kind == KEELI_JSON_NUMBER || kind == KEELI_JSON_STRING;
    default:
        return kind == KEELI_JSON_NUMBER || (f->of && kind == KEELI_JSON_STRING);
    }
}

static const char *wanted(const keel_field *f) {
    switch (f->type) {
    case KEEL_FIELD_BOOL:
        return "true or false is";
    case KEEL_FIELD_TEXT:
        return "a text is";
    case KEEL_FIELD_OWNED_TEXT:
        return "a text or null is";
    default:
        return f->of ? "a number, or the name of one, is" : "a number is";
    }
}
static const char *kind_of(keeli_json_kind kind) {
    switch (kind) {
    case KEELI_JSON_OBJECT:
        return "{}";
    case KEELI_JSON_ARRAY:
        return "a list";
    case KEELI_JSON_STRING:
        return "a text";
    case KEELI_JSON_NUMBER:
        return "a number";
    case KEELI_JSON_NULL:
        return "null";
    default:
        return "true or false";
    }
}

static bool read_base64(loader *l, const keeli_json_token *t, const char *path, void *out,
                        size_t size) {
    const char *text = l->tokens.text + t->start;
    if (t->kind == KEELI_JSON_STRING && keeli_json_from_base64(text, t->end - t->start, out, size))
        return true;
    return fail(l, t, KEEL_ERROR_TEXT, "'%s': %u bytes as base64 are expected", path,
                (unsigned)size);
}

static bool read_single(loader *l, const keeli_json_token *t, const keel_field_place *place,
                        void *value) {
    char *at = (char *)value + place->offset;
    keel_error wrong;
    keel_entity e;
    const keel_field *f = place->field;
    if (f->type == KEEL_FIELD_BYTES) return read_base64(l, t, place->path, at, place->size);
    if (f->type == KEEL_FIELD_ENTITY) {
        if (!read_reference(l, t, place->path, &e)) return false;
        memcpy(at, &e, sizeof e);
        return true;
    }
    if (!may_be(f, t->kind))
        return fail(l, t, KEEL_ERROR_TEXT, "'%s': %s expected, and this is %s", place->path,
                    wanted(f), kind_of(t->kind));
    const bool is_text = f->type == KEEL_FIELD_TEXT || f->type == KEEL_FIELD_OWNED_TEXT;
    const keel_result r = keel_field_parse(place, value, keel_text(l, t, is_text), &wrong);
    const bool is_float = f->type == KEEL_FIELD_F32 || f->type == KEEL_FIELD_F64;
    if (r == KEEL_ERROR_TEXT && is_float && t->kind == KEELI_JSON_NUMBER)
        return fail(l, t, r, "'%s': %.40s is too large for %s", place->path, keel_text(l, t, false),
                    f->type == KEEL_FIELD_F32 ? "a float" : "a double");
    return r == KEEL_OK || fail(l, t, r, "%s", wrong.message);
}

static bool read_fields(loader *l, uint32_t object, const keel_component *c,
                        const keel_field *fields, uint32_t count, char *path, void *value);

static bool read_field(loader *l, uint32_t at, const keel_component *c, char *path, void *value) {
    keel_field_place place;
    keel_error wrong;
    const keeli_json_token *t = token(l, at);
    const keel_result r = keel_field_find(c, path, &place, &wrong);
    if (r != KEEL_OK) return fail(l, t, r, "%s", wrong.message);
    const keel_type *of = place.field->of;
    const bool is_struct = place.field->type == KEEL_FIELD_STRUCT;
    if (place.count <= 1)
        return is_struct ? read_fields(l, at, c, of->fields, of->field_count, path, value)
                         : read_single(l, t, &place, value);
    if (t->kind != KEELI_JSON_ARRAY || t->count != place.count)
        return fail(l, t, KEEL_ERROR_TEXT, "'%s': a list of %u is expected", place.path,
                    (unsigned)place.count);
    const size_t length = strlen(path);
    uint32_t item = at + 1;
    for (uint32_t i = 0; i < place.count; ++i, item = token(l, item)->next) {
        snprintf(path + length, KEELI_JSON_PATH - length, "[%u]", (unsigned)i);
        if (!read_field(l, item, c, path, value)) return false;
        path[length] = '\0';
    }
    return true;
}

static bool read_fields(loader *l, uint32_t object, const keel_component *c,
                        const keel_field *fields, uint32_t count, char *path, void *value) {
    const keeli_json_token *t = token(l, object);
    const size_t length = strlen(path);
    if (t->kind != KEELI_JSON_OBJECT)
        return fail(l, t, KEEL_ERROR_TEXT, "'%s%s%s': fields in {} are expected", c->name,
                    length ? "." : "", path);
    uint32_t key = object + 1;
    for (uint32_t n = 0; n < t->count; ++n, key = token(l, key + 1)->next) {
        const char *name = decode(l, token(l, key));
        uint32_t i = 0;
        nearest closest = { NULL, 0 };
        for (; i < count && (fields[i].transient || strcmp(fields[i].name, name) != 0); ++i)
            if (!fields[i].transient) consider(&closest, name, fields[i].name);
        const char *other = i < count ? fields[i].was : NULL;
        for (uint32_t was = 0; i == count && was < count; ++was)
            if (fields[was].was && !fields[was].transient && strcmp(fields[was].was, name) == 0) {
                other = fields[was].name;
                i = was;
                break;
            }
        if (i == count)
            return fail(l, token(l, key), KEEL_ERROR_UNKNOWN,
                        "'%s' has no field '%.60s'; the nearest is '%s'", c->name, name,
                        closest.name ? closest.name : "none");
        if (is_twice(l, object + 1, key, other))
            return fail(l, token(l, key), KEEL_ERROR_TEXT, "'%.60s' is there twice", name);
        snprintf(path + length, KEELI_JSON_PATH - length, "%s%s", length ? "." : "",
                 fields[i].name);
        if (!read_field(l, key + 1, c, path, value)) return false;
        path[length] = '\0';
    }
    return true;
}

static bool read_value(loader *l, uint32_t at, const keel_component *c, void *value) {
    char path[KEELI_JSON_PATH] = "";
    const keeli_json_token *t = token(l, at);
    if (c->size == 0)
        return t->kind == KEELI_JSON_TRUE ||
               fail(l, t, KEEL_ERROR_TEXT, "'%s' has no value: true is expected", c->name);
    if (c->field_count) return read_fields(l, at, c, c->fields, c->field_count, path, value);
    if (!c->drop && !c->copy) return read_base64(l, t, c->name, value, c->size);
    return fail(l, t, KEEL_ERROR_COPY,
                "'%s' has hooks and no fields: describe its fields (KEEL_FIELDS)", c->name);
}

// ------------------------------------------------------------------ the world
static bool check(loader *l, const keeli_json_token *t, keel_result r) {
    if (r >= 0) return true;
    const keel_error *wrong = keel_last_error(l->stage);
    return fail(l, t, r, "%s", wrong->result == r ? wrong->message : keel_result_text(r));
}

static bool relate(loader *l, keel_entity e, const keel_component *c, uint32_t at,
                   keel_entity *target) {
    const keeli_json_token *t = token(l, at);
    if (!read_reference(l, t, c->name, target)) return false;
    if (keel_is_null(*target) || !keel_is_alive(l->stage, *target))
        return fail(l, t, KEEL_ERROR_UNKNOWN, "'%s': a living entity is expected", c->name);
    return check(l, t, keel_relate_component(l->stage, e, c, *target, NULL));
}

// Reads a target, and the value of the edge if the relation has values.
static bool read_edge(loader *l, uint32_t at, keel_entity e, const keel_component *c) {
    const keeli_json_token *t = token(l, at);
    keel_entity target;
    if (!c->size) return relate(l, e, c, at, &target);
    const bool is_pair = t->kind == KEELI_JSON_OBJECT && t->count == 2;
    const uint32_t to = at + 2;
    const uint32_t key = is_pair ? token(l, to)->next : 0;
    if (!is_pair || strcmp(decode(l, token(l, at + 1)), "to") != 0 ||
        strcmp(decode(l, token(l, key)), "value") != 0)
        return fail(l, t, KEEL_ERROR_TEXT, "'%s': {\"to\": ..., \"value\": ...} is expected",
                    c->name);
    return relate(l, e, c, to, &target) &&
           read_value(l, key + 1, c, keel_get_related_component_mut(l->stage, e, c, target));
}

static bool read_relation(loader *l, uint32_t at, keel_entity e, const keel_component *c) {
    const keeli_json_token *t = token(l, at);
    if (c->exclusive) return read_edge(l, at, e, c);
    if (t->kind != KEELI_JSON_ARRAY)
        return fail(l, t, KEEL_ERROR_TEXT, "'%s': a list of entities is expected", c->name);
    uint32_t item = at + 1;
    for (uint32_t i = 0; i < t->count; ++i, item = token(l, item)->next)
        if (!read_edge(l, item, e, c)) return false;
    return true;
}

// Fills a new value with `initial`, for the fields that the text leaves out. A value with hooks
// stays as it is, because a copy of `initial` would share what it owns.
static void begin_value(const keel_component *c, void *value) {
    if (c->initial && !c->drop && !c->copy) memcpy(value, c->initial, c->size);
}

// True if the member at `key` is an unknown component, and the load's options skip unknown
// components. Reports each skipped name once. False for a known component or unique in the wrong
// place, which is an error in any case.
static bool may_skip(loader *l, uint32_t key, const char *name) {
    const keeli_json_token *t = token(l, key);
    const size_t bytes = l->skipped_count * sizeof *l->skipped;
    if (l->how.unknown != KEEL_UNKNOWN_SKIP || name[0] == '@' || find_component(l, name, false) ||
        find_component(l, name, true))
        return false;
    for (uint32_t i = 0; i < l->skipped_count; ++i) {
        const keeli_json_token *reported = token(l, l->skipped[i]);
        if (is_text(l, t, l->tokens.text + reported->start, reported->end - reported->start))
            return true;
    }
    uint32_t *more = keeli_json_resize(&l->how.allocator, l->skipped, bytes, bytes + sizeof *more);
    if (more) { // without memory the name may be reported again
        l->skipped = more;
        more[l->skipped_count++] = key;
    }
    const keel_load_note note = { KEEL_LOAD_SKIPPED_COMPONENT, name, NULL };
    if (l->how.report) l->how.report(&note, l->how.report_data);
    return true;
}

static bool read_component(loader *l, uint32_t key, keel_entity e) {
    const char *name = decode(l, token(l, key));
    const keel_component *c = find_component(l, name, false);
    if (!c) return fail_component(l, token(l, key), name, false);
    if (c->is_relation) return read_relation(l, key + 1, e, c);
    if (keel_is_component_disabled(l->stage, e, c) && // its prefab has it disabled
        !check(l, token(l, key), keel_enable_component(l->stage, e, c, true)))
        return false;
    const bool is_new = !keel_has_component(l->stage, e, c);
    if (!check(l, token(l, key), keel_add_component(l->stage, e, c, NULL))) return false;
    void *value = keel_get_component_mut(l->stage, e, c);
    if (is_new && c->size) begin_value(c, value);
    return read_value(l, key + 1, c, value);
}

// Disables the components of a list. A component can be disabled only after all components that
// require it, so passes over the list are repeated until a pass disables nothing.
static bool disable(loader *l, uint32_t at, keel_entity e) {
    const keeli_json_token *t = token(l, at);
    if (t->kind != KEELI_JSON_ARRAY)
        return fail(l, t, KEEL_ERROR_TEXT, "'@disabled': a list of components is expected");
    for (bool again = true; again;) {
        bool is_refused = false;
        again = false;
        uint32_t item = at + 1;
        for (uint32_t i = 0; i < t->count; ++i, item = token(l, item)->next) {
            const keeli_json_token *name = token(l, item);
            const keel_component *c =
                name->kind == KEELI_JSON_STRING ? find_component(l, decode(l, name), false) : NULL;
            if (!c && name->kind == KEELI_JSON_STRING && may_skip(l, item, l->decoded)) continue;
            if (!c) return fail(l, name, KEEL_ERROR_UNKNOWN, "'@disabled': no such component");
            const keel_result r = keel_enable_component(l->stage, e, c, false);
            if (r == KEEL_OK) again = true;
            else if (r == KEEL_ERROR_REQUIRED) is_refused = true;
            else if (r < 0) return check(l, name, r);
            else if (!keel_is_component_disabled(l->stage, e, c))
                return fail(l, name, KEEL_ERROR_UNKNOWN, "'@disabled': the entity has no '%s'",
                            c->name);
        }
        if (!again && is_refused) return check(l, t, KEEL_ERROR_REQUIRED);
    }
    return true;
}

static bool read_entity(loader *l, uint32_t object, keel_entity e) {
    const keeli_json_token *t = token(l, object);
    uint32_t disabled = 0, key = object + 1;
    for (uint32_t i = 0; i < t->count; ++i, key = token(l, key + 1)->next) {
        const char *name = decode(l, token(l, key));
        const bool is_disabled = strcmp(name, "@disabled") == 0;
        const bool is_known = is_disabled || strcmp(name, "@handle") == 0 ||
                              strcmp(name, "@prefab") == 0 || strcmp(name, "@copy_of") == 0 ||
                              strcmp(name, "@sources") == 0;
        l->has_sources |= strcmp(name, "@sources") == 0;
        if (is_disabled && !disabled) disabled = key + 1;
        const keel_component *c = is_known ? NULL : find_component(l, name, false);
        const bool skips = !is_known && !c && may_skip(l, key, name);
        if (!is_known && !c && !skips) return fail_component(l, token(l, key), name, false);
        if (is_twice(l, object + 1, key, other_name(l, c, name)))
            return fail(l, token(l, key), KEEL_ERROR_TEXT, "'%.60s' is there twice", name);
        if (!is_known && !skips && !read_component(l, key, e)) return false;
    }
    return !disabled || disable(l, disabled, e);
}

// ------------------------------------------------------------------ the order of sources
static bool reserve_places(loader *l, const keeli_json_token *t) {
    uint32_t count = 0;
    if (l->places) return true;
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(l->stage, e));)
        if (keel_entity_index(e) >= count) count = keel_entity_index(e) + 1;
    const size_t bytes = count * sizeof *l->places;
    l->places = keeli_json_resize(&l->how.allocator, NULL, 0, bytes);
    if (!l->places) return fail(l, t, KEEL_ERROR_MEMORY, "out of memory");
    memset(l->places, 0, bytes);
    l->place_count = count;
    return true;
}

// Compares two sources by their places in the list. Sources that the list does not have come last:
// their place is 0, and 0 - 1 wraps to the highest number.
static int by_place(const keel_world *world, keel_entity a, keel_entity b, void *data) {
    const uint32_t *places = data;
    const uint32_t x = places[keel_entity_index(a)] - 1, y = places[keel_entity_index(b)] - 1;
    (void)world;
    return (x > y) - (x < y);
}

static bool find_source(loader *l, const keeli_json_token *t, keel_entity e,
                        const keel_component *c, keel_entity *source) {
    if (!read_reference(l, t, "@sources", source)) return false;
    if (keel_is_null(*source) || !keel_is_related_component(l->stage, *source, c, e))
        return fail(l, t, KEEL_ERROR_UNKNOWN, "'@sources': the entity is no source of '%s' here",
                    c->name);
    return true;
}

static bool sort_sources(loader *l, uint32_t at, keel_entity e, const keel_component *c) {
    const keeli_json_token *t = token(l, at);
    keel_entity source;
    if (t->kind != KEELI_JSON_ARRAY)
        return fail(l, t, KEEL_ERROR_TEXT, "'@sources': a list of entities is expected");
    uint32_t item = at + 1;
    for (uint32_t i = 0; i < t->count; ++i, item = token(l, item)->next) {
        if (!find_source(l, token(l, item), e, c, &source)) return false;
        uint32_t *place = &l->places[keel_entity_index(source)];
        if (*place)
            return fail(l, token(l, item), KEEL_ERROR_TEXT, "'@sources': an entity is there twice");
        *place = i + 1;
    }
    if (!check(l, t, keel_sort_sources(l->stage, e, c, by_place, l->places))) return false;
    for (keel_entity a = keel_null();
         !keel_is_null(a = keel_next_source_component(l->stage, e, c, a));)
        l->places[keel_entity_index(a)] = 0;
    return true;
}

// Reads the value of "@sources": an ordered list of sources for each relation.
static bool order_sources(loader *l, uint32_t object, keel_entity e) {
    const keeli_json_token *t = token(l, object);
    if (t->kind != KEELI_JSON_OBJECT)
        return fail(l, t, KEEL_ERROR_TEXT, "'@sources': lists of entities in {} are expected");
    uint32_t key = object + 1;
    for (uint32_t i = 0; i < t->count; ++i, key = token(l, key + 1)->next) {
        const char *name = decode(l, token(l, key));
        const keel_component *c = find_component(l, name, false);
        if (!c && may_skip(l, key, name)) continue;
        if (!c || !c->is_relation)
            return fail(l, token(l, key), KEEL_ERROR_UNKNOWN, "'@sources': no relation '%.60s'",
                        name);
        if (is_twice(l, object + 1, key, other_name(l, c, name)))
            return fail(l, token(l, key), KEEL_ERROR_TEXT, "'%.60s' is there twice", name);
        if (!sort_sources(l, key + 1, e, c)) return false;
    }
    return true;
}

static bool order_all_sources(loader *l, uint32_t object) {
    uint32_t key = object + 1;
    if (!l->has_sources) return true;
    if (!reserve_places(l, token(l, object))) return false;
    for (uint32_t i = 0; i < l->entity_count; ++i, key = token(l, key + 1)->next) {
        uint32_t member = key + 2;
        for (uint32_t j = 0; j < token(l, key + 1)->count; ++j) {
            const bool is_list = strcmp(decode(l, token(l, member)), "@sources") == 0;
            if (is_list && !order_sources(l, member + 1, l->entities[i])) return false;
            member = token(l, member + 1)->next;
        }
    }
    return true;
}

static bool add_at(loader *l, const keeli_json_token *t, const char *text, keel_entity *out) {
    *out = handle_of(text, strlen(text));
    if (keel_is_null(*out) || text[0] != '@' || keel_entity_index(*out) > l->how.max_index)
        return fail(l, t, KEEL_ERROR_TEXT, "'%.60s' is no handle such as @12v3, to @%uv%u", text,
                    (unsigned)l->how.max_index, (unsigned)KEEL_MAX_ENTITY_VERSION);
    return check(l, t, keel_add_entity_at(l->stage, *out));
}

// Adds the entities whose handles are in the text. Called before all other entities are added, so
// that none of them gets such a handle.
static bool add_handles(loader *l, uint32_t object) {
    uint32_t key = object + 1;
    for (uint32_t i = 0; i < l->entity_count; ++i, key = token(l, key + 1)->next) {
        const keeli_json_token *own = token(l, key + 1);
        (void)decode(l, token(l, key));
        const char *slash = strrchr(l->decoded, '/');
        const char *last = slash ? slash + 1 : l->decoded;
        l->entities[i] = keel_null();
        if (own->kind != KEELI_JSON_OBJECT)
            return fail(l, own, KEEL_ERROR_TEXT, "'%.80s': components in {} are expected",
                        l->decoded);
        if (is_handle(last)) {
            if (!add_at(l, token(l, key), last, &l->entities[i])) return false;
            continue;
        }
        uint32_t member = key + 2;
        for (uint32_t j = 0; j < own->count; ++j, member = token(l, member + 1)->next) {
            if (strcmp(decode(l, token(l, member)), "@handle") != 0) continue;
            const keeli_json_token *t = token(l, member + 1);
            const char *text = t->kind == KEELI_JSON_STRING ? decode(l, t) : "";
            if (!keel_is_null(l->entities[i]))
                return fail(l, t, KEEL_ERROR_TEXT, "'@handle' is there twice");
            if (!add_at(l, t, text, &l->entities[i])) return false;
        }
    }
    return true;
}

// ------------------------------------------------------------------ prefabs
// Copies the world's templates to the stage, unless an earlier call has. Their handles stay the
// same, so copies of prefabs on the stage refer to the templates of the world, too.
static bool bring_templates(loader *l, const keeli_json_token *t) {
    if (l->has_templates) return true;
    keel_world *templates = keel_templates(l->world);
    if (!templates) return fail(l, t, keel_last_error(l->world)->result, "there are no templates");
    keel_world *copies = keel_templates(l->stage);
    if (!copies) return check(l, t, keel_last_error(l->stage)->result);
    const keel_result r = keel_copy_world(templates, copies);
    l->has_templates = r >= 0;
    return l->has_templates || fail(l, t, r, "%.150s", keel_last_error(copies)->message);
}

// Finds the template whose path is the value of `key`, which is "@prefab" or "@copy_of".
static bool find_template(loader *l, uint32_t key, keel_entity *out) {
    const keeli_json_token *t = token(l, key + 1);
    nearest n = { NULL, 0 };
    if (t->kind != KEELI_JSON_STRING)
        return fail(l, t, KEEL_ERROR_TEXT, "'%s': the path of a template is expected",
                    decode(l, token(l, key)));
    if (!bring_templates(l, t)) return false;
    const keel_world *templates = keel_templates(l->stage);
    (void)decode(l, t);
    *out = find_path(templates, l->decoded);
    if (!keel_is_null(*out)) return true;
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(templates, e));)
        if (keel_name_of(templates, e) && keel_is_null(keel_parent_of(templates, e)))
            consider(&n, l->decoded, keel_name_of(templates, e));
    if (!n.name)
        return fail(
            l, t, KEEL_ERROR_UNKNOWN,
            "no prefab '%.60s': the world has no named templates; create them before loading",
            l->decoded);
    return fail(l, t, KEEL_ERROR_UNKNOWN, "no prefab '%.60s'; the nearest is '%s'", l->decoded,
                n.name);
}

static keel_result mark_copy(const loader *l, keel_entity e, keel_entity prefab) {
    const keel_component *c = NULL;
    while ((c = keel_next_component(l->stage, c)) != NULL && strcmp(c->name, "keel_instance") != 0)
        continue;
    return c ? keel_add_component(l->stage, e, c, &prefab) : KEEL_ERROR_UNKNOWN;
}

// Applies "@prefab" and "@copy_of" of an entity. Called before its other members are read, because
// these may overwrite values that the prefab gives the entity.
static bool apply_prefabs(loader *l, uint32_t object, keel_entity e) {
    uint32_t key = object + 1;
    for (uint32_t i = 0; i < token(l, object)->count; ++i, key = token(l, key + 1)->next) {
        keel_entity prefab;
        const char *name = decode(l, token(l, key));
        const bool is_copy = strcmp(name, "@copy_of") == 0;
        if (!is_copy && strcmp(name, "@prefab") != 0) continue;
        if (!find_template(l, key, &prefab)) return false;
        const keel_result r = is_copy ? mark_copy(l, e, prefab)
                                      : keel_apply_prefab(l->stage, e, (keel_prefab){ prefab });
        if (!check(l, token(l, key + 1), r)) return false;
    }
    return true;
}

// Marks an entity as a member of "entities" (loader.parts). False when memory runs out.
static bool mention(loader *l, const keeli_json_token *t, keel_entity e) {
    const uint32_t index = keel_entity_index(e);
    if (index / 8 >= l->part_bytes) {
        const size_t grown = (size_t)index / 4 + 64;
        unsigned char *more = keeli_json_resize(&l->how.allocator, l->parts, l->part_bytes, grown);
        if (!more) return fail(l, t, KEEL_ERROR_MEMORY, "out of memory");
        memset(more + l->part_bytes, 0, grown - l->part_bytes);
        l->parts = more;
        l->part_bytes = grown;
    }
    l->parts[index / 8] |= (unsigned char)(1u << index % 8);
    return true;
}

// Returns the child of `parent` with this name that was added by a prefab. Null if there is none,
// or if an earlier member of "entities" stands for it.
static keel_entity find_part_of_prefab(const loader *l, keel_entity parent, const char *name) {
    const keel_entity e = l->has_templates ? keel_find_entity(l->stage, parent, name) : keel_null();
    if (keel_is_null(e) || keel_is_null(keel_prefab_of(l->stage, e).root)) return keel_null();
    const uint32_t index = keel_entity_index(e);
    const bool is_mentioned = index / 8 < l->part_bytes && l->parts[index / 8] >> index % 8 & 1;
    return is_mentioned ? keel_null() : e;
}

// Sets the name of an entity. It is an error if a sibling has the same name.
static bool name_entity(loader *l, const keeli_json_token *t, keel_entity e, const char *name) {
    if (!name[0]) return fail(l, t, KEEL_ERROR_TEXT, "an entity has an empty name");
    const keel_result r = keel_set_name(l->stage, e, name);
    if (r != KEEL_ERROR_OCCUPIED) return check(l, t, r);
    return fail(l, t, r, "the entity '%.100s' is there twice", decode(l, t));
}

// Finds or adds the entity of the member at `key`, attaches it to the parent in its path, names it,
// and applies its prefabs. `e` receives the entity; it is not null before the call if add_handles
// has added the entity.
static bool place_entity(loader *l, uint32_t key, keel_entity *e) {
    const keeli_json_token *t = token(l, key);
    (void)decode(l, t);
    char *slash = strrchr(l->decoded, '/'), *last = slash ? slash + 1 : l->decoded;
    keel_entity parent = keel_null();
    if (slash) {
        *slash = '\0';
        parent = find_path(l->stage, l->decoded);
        if (keel_is_null(parent))
            return fail(l, t, KEEL_ERROR_UNKNOWN, "no entity '%.80s' before its child", l->decoded);
    }
    const bool has_name = !is_handle(last);
    if (has_name && last[0] == '@') ++last;
    const keel_entity part =
        has_name && keel_is_null(*e) ? find_part_of_prefab(l, parent, last) : keel_null();
    const bool is_part = !keel_is_null(part);
    if (is_part) *e = part;
    if (keel_is_null(*e)) *e = keel_add_entity_values(l->stage, NULL);
    if (keel_is_null(*e)) return check(l, t, keel_last_error(l->stage)->result);
    if (!is_part && slash && !check(l, t, keel_attach(l->stage, *e, parent))) return false;
    if (!is_part && has_name && !name_entity(l, t, *e, last)) return false;
    return apply_prefabs(l, key + 1, *e) && (!l->has_templates || mention(l, t, *e));
}

static bool read_entities(loader *l, uint32_t object) {
    l->entity_count = token(l, object)->count;
    if (!l->entity_count) return true;
    l->entities =
        keeli_json_resize(&l->how.allocator, NULL, 0, l->entity_count * sizeof *l->entities);
    if (!l->entities) return fail(l, token(l, object), KEEL_ERROR_MEMORY, "out of memory");
    if (!add_handles(l, object)) return false;
    uint32_t key = object + 1;
    for (uint32_t i = 0; i < l->entity_count; ++i, key = token(l, key + 1)->next)
        if (!place_entity(l, key, &l->entities[i])) return false;
    key = object + 1;
    for (uint32_t i = 0; i < l->entity_count; ++i, key = token(l, key + 1)->next)
        if (!read_entity(l, key + 1, l->entities[i])) return false;
    return order_all_sources(l, object);
}

static bool read_uniques(loader *l, uint32_t object) {
    const keeli_json_token *t = token(l, object);
    uint32_t key = object + 1;
    for (uint32_t i = 0; i < t->count; ++i, key = token(l, key + 1)->next) {
        const char *name = decode(l, token(l, key));
        const keel_component *c = find_component(l, name, true);
        const bool skips = !c && may_skip(l, key, name);
        if (!c && !skips) return fail_component(l, token(l, key), name, true);
        if (is_twice(l, object + 1, key, other_name(l, c, name)))
            return fail(l, token(l, key), KEEL_ERROR_TEXT, "'%.60s' is there twice", name);
        if (skips) continue;
        if (token(l, key + 1)->kind == KEELI_JSON_NULL) {
            if (!check(l, t, keel_remove_unique_value(l->stage, c, NULL))) return false;
            continue;
        }
        if (!keel_get_unique_value(l->stage, c) &&
            !check(l, token(l, key), keel_set_unique_value(l->stage, c, NULL)))
            return false;
        if (!read_value(l, key + 1, c, keel_get_unique_value_mut(l->stage, c))) return false;
    }
    return true;
}

// Reads all sections. Uniques may refer to entities, so they are read after the entities, in
// whatever order the text has the sections.
static bool read_world(loader *l) {
    static const char *const sections[] = { "handles", "entities", "uniques", "$schema" };
    uint32_t found[4] = { 0 };
    if (token(l, 0)->kind != KEELI_JSON_OBJECT)
        return fail(l, token(l, 0), KEEL_ERROR_TEXT, "a level in {} is expected");
    uint32_t key = 1;
    for (uint32_t i = 0; i < token(l, 0)->count; ++i, key = token(l, key + 1)->next) {
        const char *name = decode(l, token(l, key));
        const keeli_json_kind kind = token(l, key + 1)->kind;
        uint32_t s = 0;
        while (s < 4 && strcmp(sections[s], name) != 0)
            ++s;
        if (s == 4)
            return fail(l, token(l, key), KEEL_ERROR_UNKNOWN,
                        "no section '%.60s'; there are 'handles', 'uniques' and 'entities'", name);
        if (found[s]) return fail(l, token(l, key), KEEL_ERROR_TEXT, "'%s' is there twice", name);
        if (s == 3 && kind != KEELI_JSON_STRING)
            return fail(l, token(l, key + 1), KEEL_ERROR_TEXT, "'%s': a text is expected", name);
        if (s == 3) continue; // only editors read "$schema"
        if (s ? kind != KEELI_JSON_OBJECT : kind != KEELI_JSON_TRUE && kind != KEELI_JSON_FALSE)
            return fail(l, token(l, key + 1), KEEL_ERROR_TEXT, "'%s': %s is expected", name,
                        s ? "{}" : "true or false");
        found[s] = key + 1;
    }
    l->handles = found[0] && token(l, found[0])->kind == KEELI_JSON_TRUE;
    return (!found[1] || read_entities(l, found[1])) && (!found[2] || read_uniques(l, found[2]));
}

// ------------------------------------------------------------------ loading
static keel_result out_of_memory(loader *l) {
    return keeli_json_fail(l->error, KEEL_ERROR_MEMORY, "%s: out of memory", l->how.name);
}

// Fills the error for a text that is no JSON: the words of the parser for the expected text, and up
// to 20 bytes of the text that it found instead.
static keel_result fail_syntax(loader *l) {
    const keeli_json_tokens *t = &l->tokens;
    const char *here = t->text + t->at;
    size_t n = 0, left = t->length - t->at;
    for (size_t more; n < 20 && (more = keeli_json_utf8(here + n, left - n)); n += more)
        if ((unsigned char)here[n] < ' ') break;
    if (!n && left)
        return keeli_json_fail(l->error, KEEL_ERROR_TEXT, "%s:%u: %s is expected", l->how.name,
                               (unsigned)t->line, t->expected);
    return keeli_json_fail(l->error, KEEL_ERROR_TEXT, "%s:%u: %s is expected, and this is %s%.*s%s",
                           l->how.name, (unsigned)t->line, t->expected, left ? "'" : "the end",
                           (int)n, here, left ? "'" : "");
}

static keel_result load(loader *l) {
    if (!keeli_json_parse(&l->tokens)) {
        if (l->tokens.result == KEEL_ERROR_MEMORY) return out_of_memory(l);
        return fail_syntax(l);
    }
    for (uint32_t i = 0; i < l->tokens.count; ++i) {
        const size_t length = token(l, i)->end - token(l, i)->start + 1;
        if (length > l->longest) l->longest = length;
    }
    l->decoded = keeli_json_resize(&l->how.allocator, NULL, 0, l->longest);
    l->quoted = keeli_json_resize(&l->how.allocator, NULL, 0, l->longest * 4 + 3);
    if (!l->decoded || !l->quoted) return out_of_memory(l);

    l->stage = stage_create("json", l->given);
    if (!l->stage) return out_of_memory(l);
    const keel_result made = stage_register(l->stage, l->world, NULL);
    if (made != KEEL_OK)
        return keeli_json_fail(l->error, made, "%s: %s", l->how.name, keel_result_text(made));
    if (!read_world(l)) return l->result;

    keel_merge_options how = { .strict = false };
    if (l->how.merge) how = *l->how.merge;
    how.same_templates |= l->has_templates;
    const keel_result r = stage_finish(l->stage, l->world, l->how.merge ? &how : NULL);
    if (r < 0)
        return keeli_json_fail(l->error, r, "%s: %.180s", l->how.name,
                               keel_last_error(l->world)->message);
    return KEEL_OK;
}

keel_result keel_json_load_text(keel_world *world, const char *text, size_t length,
                                const keel_json_load_options *options, keel_error *error) {
    loader l = { .world = world, .error = error };
    if (!world || !text)
        return keeli_json_fail(error, KEEL_ERROR_ARGUMENT, "a world and a text are needed");
    if (options) l.how = *options;
    if ((uint32_t)l.how.unknown > KEEL_UNKNOWN_SKIP)
        return keeli_json_fail(error, KEEL_ERROR_ARGUMENT,
                               ".unknown is neither KEEL_UNKNOWN_ERROR nor KEEL_UNKNOWN_SKIP; only "
                               "saves keep what is unknown");
    if (!l.how.name) l.how.name = "json";
    if (!l.how.max_bytes) l.how.max_bytes = (size_t)64 << 20;
    if (!l.how.max_index) l.how.max_index = (1u << 20) - 1;
    if (length > l.how.max_bytes || length > UINT32_MAX / 2)
        return keeli_json_fail(error, KEEL_ERROR_TEXT, "%s: more than max_bytes", l.how.name);
    l.given = l.how.allocator;
    l.how.allocator = keeli_json_allocator(l.how.allocator);
    l.tokens.text = text;
    l.tokens.length = (uint32_t)length;
    l.tokens.allocator = l.how.allocator;
    const keel_result r = load(&l);
    if (l.stage) keel_world_destroy(l.stage);
    keeli_json_resize(&l.how.allocator, l.entities, l.entity_count * sizeof *l.entities, 0);
    keeli_json_resize(&l.how.allocator, l.parts, l.part_bytes, 0);
    keeli_json_resize(&l.how.allocator, l.places, l.place_count * sizeof *l.places, 0);
    keeli_json_resize(&l.how.allocator, l.skipped, l.skipped_count * sizeof *l.skipped, 0);
    keeli_json_resize(&l.how.allocator, l.decoded, l.longest, 0);
    keeli_json_resize(&l.how.allocator, l.quoted, l.longest * 4 + 3, 0);
    keeli_json_free(&l.tokens);
    return r;
}

// Returns the contents of a file, with `room` bytes allocated, of which `length` were read. On
// error `result` says which, and the contents are incomplete. The caller frees them in any case.
static char *read_file(const char *path, size_t max_bytes, const keel_allocator *allocator,
                       size_t *room, size_t *length, keel_result *result) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    *room = *length = 0;
    *result = file ? KEEL_OK : KEEL_ERROR_FILE;
    while (*result == KEEL_OK) {
        if (*length == *room) {
            const size_t grown = *room ? *room * 2 : 4096;
            char *more = keeli_json_resize(allocator, text, *room, grown);
            if (!more) {
                *result = KEEL_ERROR_MEMORY;
                break;
            }
            text = more, *room = grown;
        }
        const size_t n = fread(text + *length, 1, *room - *length, file);
        *length += n;
        if (ferror(file)) *result = KEEL_ERROR_FILE;
        if (n == 0 || *length > max_bytes) break;
    }
    const int why = errno;
    if (file) (void)fclose(file);
    errno = why;
    return text;
}

keel_result keel_json_load(keel_world *world, const char *path,
                           const keel_json_load_options *options, keel_error *error) {
    keel_json_load_options how = { .name = path };
    size_t room, length;
    keel_result r;
    if (!world || !path)
        return keeli_json_fail(error, KEEL_ERROR_ARGUMENT, "a world and a path are needed");
    if (options) how = *options;
    if (!how.name) how.name = path;
    if (!how.max_bytes) how.max_bytes = (size_t)64 << 20;
    const keel_allocator allocator = keeli_json_allocator(how.allocator);
    char *text = read_file(path, how.max_bytes, &allocator, &room, &length, &r);
    if (r == KEEL_OK) r = keel_json_load_text(world, text, length, &how, error);
    else
        (void)keeli_json_fail(error, r, "%s: %s", how.name,
                              r == KEEL_ERROR_MEMORY ? "out of memory" : strerror(errno));
    keeli_json_resize(&allocator, text, room, 0);
    return r;
}
