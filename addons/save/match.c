// SPDX-License-Identifier: MIT
// Converts a row of a file's schema to a value of this program: matches leaves by path, and
// converts numbers, texts, enums and handles. It reads one row at a time, for values that rows.c
// cannot copy; read.c calls it.
#include "save.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ which leaf is which
// The result of following a path of a file in today's fields.
typedef enum save_way {
    SAVE_GONE,  // no such field today
    SAVE_OTHER, // the path ends at a struct, or has more parts after a field that is no struct
    SAVE_LOST,  // an element behind the end of an array of structs
    SAVE_FOUND
} save_way;

static const keel_field *find_field(const keel_field *fields, uint32_t count, const char *name,
                                    size_t length) {
    for (uint32_t was = 0; was < 2; ++was)
        for (const keel_field *f = fields; f < fields + count; ++f) {
            const char *text = was ? f->was : f->name;
            if (text && !f->transient && strlen(text) == length && !memcmp(text, name, length))
                return f;
        }
    return NULL;
}

// Follows a path of the file in the fields that this program has today, part by part. A field may
// have been renamed, and a struct may have become an array of structs, or the reverse. `out`
// receives the path by today's names.
static save_way follow(const keel_component *c, const char *path, char *out, size_t room) {
    const keel_field *fields = c->fields;
    uint32_t count = c->field_count;
    size_t used = 0;
    out[0] = 0;
    if (!c->size) return SAVE_GONE;
    if (!*path || !count) return *path || count ? SAVE_OTHER : SAVE_FOUND;
    for (;;) {
        const size_t length = strcspn(path, ".[");
        const keel_field *f = find_field(fields, count, path, length);
        if (!f) return SAVE_GONE;
        path += length;
        const bool has_index = *path == '[';
        const unsigned long k = has_index ? strtoul(path + 1, NULL, 10) : 0;
        if (has_index) path += strcspn(path, "]") + (strchr(path, ']') != NULL);
        const bool is_struct = f->type == KEEL_FIELD_STRUCT;
        if (is_struct ? *path != '.' : *path != 0 || has_index) return SAVE_OTHER;
        const uint32_t n = is_struct ? f->count / f->of->size : 1;
        if (k >= n) return SAVE_LOST;
        const int written = n > 1 ? snprintf(out + used, room - used, "%s[%lu]", f->name, k)
                                  : snprintf(out + used, room - used, "%s", f->name);
        if (written < 0 || (size_t)written + 2 > room - used) return SAVE_GONE;
        used += (size_t)written;
        if (!is_struct) return SAVE_FOUND;
        out[used++] = *path++;
        out[used] = 0;
        fields = f->of->fields;
        count = f->of->field_count;
    }
}

static bool is_signed(keel_field_type t) {
    return t == KEEL_FIELD_I8 || t == KEEL_FIELD_I16 || t == KEEL_FIELD_I32 || t == KEEL_FIELD_I64;
}
static bool is_integer(keel_field_type t) { return t >= KEEL_FIELD_I8 && t <= KEEL_FIELD_U64; }
bool save_is_number(keel_field_type t) { return t >= KEEL_FIELD_BOOL && t <= KEEL_FIELD_F64; }
static bool is_text(keel_field_type t) {
    return t == KEEL_FIELD_TEXT || t == KEEL_FIELD_OWNED_TEXT;
}

// True if every number of type `from` is one of type `to`.
static bool can_widen(keel_field_type from, keel_field_type to) {
    const uint32_t bytes = save_element_bytes(from);
    if (from == to) return true;
    if (to == KEEL_FIELD_BOOL) return false;
    if (from == KEEL_FIELD_BOOL) return true;
    if (from == KEEL_FIELD_F32 || from == KEEL_FIELD_F64) return from < to && to == KEEL_FIELD_F64;
    if (!is_integer(to)) return bytes < save_element_bytes(to);
    return bytes < save_element_bytes(to) && (is_signed(to) || !is_signed(from));
}

static const keel_named_value *find_name(const keel_type *of, const char *name) {
    for (uint32_t i = 0; i < of->value_count; ++i)
        if (!strcmp(of->values[i].name, name)) return &of->values[i];
    return NULL;
}

// True if a name of the file's enum is missing or has another number today.
static bool is_renamed(const save_leaf *from, const save_leaf *to) {
    if (!from->of || !to->of || !is_integer(from->type)) return false;
    for (uint32_t i = 0; i < from->of->value_count; ++i) {
        const keel_named_value *here = find_name(to->of, from->of->values[i].name);
        if (!here || here->value != from->of->values[i].value) return true;
    }
    return false;
}

// True if some values of leaf `from` may fit into leaf `to`, by their types. Reading then checks
// each number, and each length of a text or array.
static bool may_fit(const save_match *m, const save_leaf *from, const save_leaf *to) {
    if (save_is_number(from->type) && save_is_number(to->type))
        return m->narrow || can_widen(from->type, to->type);
    if (is_text(from->type) && is_text(to->type)) {
        const uint32_t n = from->type == KEEL_FIELD_TEXT ? 1 : from->count;
        return from->type == to->type || (to->type == KEEL_FIELD_TEXT ? n : to->count) == 1 ||
               n == 1;
    }
    return from->type == to->type && (from->type != KEEL_FIELD_BYTES || from->count == to->count);
}

const char *save_whose(const save_match *m, char text[SAVE_WHOSE]) {
    text[0] = 0;
    if (!keel_is_null(m->whose))
        (void)snprintf(text, SAVE_WHOSE, " of entity %uv%u", (unsigned)keel_entity_index(m->whose),
                       (unsigned)keel_entity_version(m->whose));
    return text;
}

static keel_result misfit(save_match *m, uint32_t leaf, const char *path, const char *why) {
    m->from[leaf].is_misfit = true;
    if (m->migrates) return KEEL_OK; // .migrate may ask for it: see save_match_end
    char whose[SAVE_WHOSE];
    return save_fail(m->error, KEEL_ERROR_SCHEMA, "'%s.%s'%s %s", m->here.component->name, path,
                     save_whose(m, whose), why);
}

static keel_result other_type(save_match *m, uint32_t leaf, const char *path,
                              keel_field_type here) {
    static const char *const names[] = { "bytes",  "bool", "i8",         "u8",
                                         "i16",    "u16",  "i32",        "u32",
                                         "i64",    "u64",  "f32",        "f64",
                                         "entity", "text", "owned text", "bytes of .save" };
    char why[160];
    const keel_field_type there = m->file.leaves[leaf].type;
    const bool are_numbers = save_is_number(there) && save_is_number(here);
    (void)snprintf(why, sizeof why, "is %s in the save and %s in the program, which does not fit%s",
                   names[there], there == here ? "of another size" : names[here],
                   are_numbers ? "; .narrow = true converts the values that fit" : "");
    return misfit(m, leaf, path, why);
}

// Matches the bytes of .save with the component's .load.
static keel_result match_stream(save_match *m, uint32_t leaf) {
    const uint32_t last = m->here.leaf_count - 1;
    if (m->here.component->load) {
        m->leaf_of[last] = leaf;
        return KEEL_OK;
    }
    return save_fail(m->error, KEEL_ERROR_SCHEMA,
                     "'%s' was saved by a .save hook, and has no .load in the program",
                     m->here.component->name);
}

static keel_result match_leaf(save_match *m, uint32_t leaf) {
    const save_leaf *from = &m->file.leaves[leaf];
    if (from->type == SAVE_STREAM) return match_stream(m, leaf);
    char path[sizeof from->path];
    const save_way way = follow(m->here.component, from->path, path, sizeof path);
    uint32_t i = leaf; // most leaves have the same index
    m->from[leaf].is_lost = way == SAVE_LOST;
    m->has_lost = m->has_lost || way == SAVE_LOST;
    if (way == SAVE_OTHER)
        return misfit(m, leaf, from->path, "has another shape in the save, which does not fit");
    m->from[leaf].is_gone = way == SAVE_GONE;
    if (way != SAVE_FOUND) return KEEL_OK;
    if (i >= m->here.leaf_count || strcmp(m->here.leaves[i].path, path) != 0)
        for (i = 0; i < m->here.leaf_count && strcmp(m->here.leaves[i].path, path) != 0;)
            ++i;
    if (i == m->here.leaf_count) return KEEL_OK;
    // the file may have two leaves for this field, by its name and by its .was: prefer the name
    const uint32_t other = m->leaf_of[i];
    if (other != UINT32_MAX && strcmp(from->path, path) != 0) return KEEL_OK;
    m->leaf_of[i] = UINT32_MAX;
    if (!may_fit(m, from, &m->here.leaves[i]))
        return other_type(m, leaf, path, m->here.leaves[i].type);
    m->leaf_of[i] = leaf;
    m->from[leaf].is_renamed = is_renamed(from, &m->here.leaves[i]);
    m->from[leaf].is_plain = from->type == m->here.leaves[i].type && !m->from[leaf].is_renamed &&
                             from->type > KEEL_FIELD_BOOL && from->type <= KEEL_FIELD_F64;
    return KEEL_OK;
}

keel_result save_match_make(save_match *m) {
    const keel_component *c = m->here.component;
    const size_t here = m->here.leaf_count, file = m->file.leaf_count;
    m->leaf_of = malloc((here + 1) * sizeof *m->leaf_of);
    m->from = calloc(file + 1, sizeof *m->from);
    m->texts = calloc((size_t)m->file.text_count + 1, sizeof *m->texts);
    m->text_room = malloc(m->file.row_bytes + file + 1);
    if (!m->leaf_of || !m->from || !m->texts || !m->text_room)
        return save_fail(m->error, KEEL_ERROR_MEMORY, "out of memory; nothing was changed");
    if (m->file.version > c->version)
        return save_fail(m->error, KEEL_ERROR_SCHEMA,
                         "'%s' has version %u in the save, and this program knows %u; a later "
                         "program wrote it",
                         c->name, (unsigned)m->file.version, (unsigned)c->version);
    m->migrates = c->migrate && m->file.version < c->version;
    memset(m->leaf_of, 0xFF, (here + 1) * sizeof *m->leaf_of);
    for (uint32_t i = 0; i < file; ++i)
        KEEL_TRY(match_leaf(m, i));
    return KEEL_OK;
}

void save_match_free(save_match *m) {
    save_schema_free(&m->file);
    save_schema_free(&m->here);
    free(m->leaf_of);
    free(m->from);
    free((void *)m->texts);
    free(m->text_room);
    *m = (save_match){ 0 };
}

keel_result save_match_end(const save_match *m) {
    for (uint32_t i = 0; i < m->file.leaf_count; ++i)
        if (m->from[i].is_misfit && !m->from[i].is_asked)
            return save_fail(m->error, KEEL_ERROR_SCHEMA,
                             "'%s.%s' of the save does not fit, and .migrate does not ask for it",
                             m->here.component->name, m->file.leaves[i].path);
    return KEEL_OK;
}

// ------------------------------------------------------------------ rows
bool save_walk_texts(const save_schema *schema, const unsigned char *row, const unsigned char **at,
                     const unsigned char *end, const char **texts) {
    for (const save_leaf *l = schema->leaves; l < schema->leaves + schema->leaf_count; ++l) {
        if (!save_is_behind(l->type)) continue;
        for (uint32_t i = 0; i < l->count; ++i) {
            const uint64_t length = save_read_number(row + l->place + (size_t)i * 4, 4);
            if (length > (uint64_t)(end - *at)) return false;
            if (l->type != SAVE_STREAM && length &&
                memchr(*at, 0, (size_t)length) != *at + length - 1)
                return false;
            if (texts) texts[l->texts + i] = length ? (const char *)*at : NULL;
            *at += length;
        }
    }
    return true;
}

bool save_match_row(save_match *m, const unsigned char *row) {
    m->row = row;
    return !m->file.text_count ||
           save_walk_texts(&m->file, row, &m->text_at, m->text_end, m->texts);
}

// ------------------------------------------------------------------ numbers
save_number save_get_number(const unsigned char *row, keel_field_type type) {
    const uint32_t bytes = save_element_bytes(type);
    save_number n = { .bits = save_read_number(row, bytes), .is_signed = is_signed(type) };
    if (n.is_signed && bytes < 8 && n.bits >> (bytes * 8 - 1)) n.bits |= UINT64_MAX << (bytes * 8);
    n.is_float = type == KEEL_FIELD_F32 || type == KEEL_FIELD_F64;
    if (type == KEEL_FIELD_F64) memcpy(&n.f, &n.bits, sizeof n.f);
    if (type == KEEL_FIELD_F32) {
        const uint32_t bits = (uint32_t)n.bits;
        float narrow;
        memcpy(&narrow, &bits, sizeof narrow);
        n.f = (double)narrow;
    }
    return n;
}

static bool is_same(double a, double b) { return a >= b && a <= b; }

// Converts a number to an integer. False if it has a fraction, or is out of range of 64 bits.
static bool to_integer(save_number *n) {
    if (!n->is_float) return true;
    if (n->f >= -9223372036854775808.0 && n->f < 9223372036854775808.0) {
        n->bits = (uint64_t)(int64_t)n->f;
        n->is_signed = true;
        return is_same((double)(int64_t)n->bits, n->f);
    }
    if (!(n->f >= 0 && n->f < 18446744073709551616.0)) return false;
    n->bits = (uint64_t)n->f; // doubles above 2^63 have no fraction
    return true;
}

static bool to_float(save_number *n) {
    if (n->is_float) return true;
    n->f = n->is_signed ? (double)(int64_t)n->bits : (double)n->bits;
    save_number back = { .is_float = true, .f = n->f };
    return to_integer(&back) && back.bits == n->bits;
}

static bool fits_integer(const save_number *n, keel_field_type to) {
    const uint32_t bits = to == KEEL_FIELD_BOOL ? 1 : 8 * save_element_bytes(to);
    const bool is_negative = n->is_signed && n->bits >> 63;
    if (!is_signed(to)) return !is_negative && (bits == 64 || !(n->bits >> bits));
    const uint64_t most = UINT64_MAX >> (65 - bits);
    return is_negative ? ~n->bits <= most : n->bits <= most;
}

// Writes a number as a value of type `to`. False if it does not fit.
static bool write_number(save_number n, char *at, keel_field_type to) {
    if (to == KEEL_FIELD_F32 || to == KEEL_FIELD_F64) {
        const bool was_float = n.is_float;
        if (!to_float(&n)) return false;
        if (to == KEEL_FIELD_F64) {
            memcpy(at, &n.f, sizeof n.f);
            return true;
        }
        // in C, converting a finite double above the largest float is undefined
        const double most = 3.4028234663852886e38;
        if ((n.f > most || n.f < -most) && n.f - n.f >= 0) return false;
        const float narrow = (float)n.f;
        if (!was_float && !is_same((double)narrow, n.f)) return false;
        memcpy(at, &narrow, sizeof narrow);
        return true;
    }
    if (!to_integer(&n) || !fits_integer(&n, to)) return false;
    const bool value = n.bits != 0;
    if (to == KEEL_FIELD_BOOL) memcpy(at, &value, sizeof value);
    else save_put_host_number(at, n.bits, save_element_bytes(to));
    return true;
}

// ------------------------------------------------------------------ enums
// Replaces a number of an enum `then` in the file by the number that its name has in the enum `now`
// of the program; for flags, each bit. Returns NULL, or the first name that `now` does not have.
static const char *rename_value(const keel_type *then, const keel_type *now, save_number *n) {
    uint64_t left = n->bits, bits = 0;
    for (uint32_t i = 0; i < then->value_count; ++i) {
        const keel_named_value *old = &then->values[i];
        const uint64_t value = (uint64_t)old->value;
        const bool is_bit = value && !(value & (value - 1));
        if (then->is_flags ? !is_bit || !(left & value) : value != n->bits) continue;
        const keel_named_value *here = find_name(now, old->name);
        if (!here) return old->name;
        bits |= (uint64_t)here->value;
        left &= ~value;
        if (then->is_flags) continue;
        n->bits = bits;
        n->is_signed = here->value < 0;
        return NULL;
    }
    n->bits = left | bits; // numbers and bits without a name stay
    return NULL;
}

// ------------------------------------------------------------------ values
bool save_get_entity(const unsigned char *row, keel_entity *out,
                     const save_references *references) {
    if (references) return references->to_entity(references->data, save_read_number(row, 8), out);
    const uint64_t index = save_read_number(row, 4), upper = save_read_number(row + 4, 4);
    *out = keel_null();
    if (upper && (index > KEEL_MAX_ENTITY_INDEX || upper - 1 > KEEL_MAX_ENTITY_VERSION))
        return false;
    if (!upper && index) return false;
    if (upper) *out = keel_entity_make((uint32_t)index, (uint32_t)(upper - 1));
    return true;
}

static keel_result impossible(const save_match *m) {
    return save_fail(m->error, KEEL_ERROR_FORMAT,
                     "section %.4s '%.70s': a value is invalid for its type",
                     m->here.component->is_unique     ? "UNIQ"
                     : m->here.component->is_relation ? "RELA"
                                                      : "COMP",
                     m->here.component->name);
}

static keel_result unpack_number(save_match *m, uint32_t leaf, const unsigned char *in, char *at,
                                 const save_leaf *to) {
    const save_leaf *from = &m->file.leaves[leaf];
    save_number n = save_get_number(in, from->type);
    char why[160];
    if (from->type == KEEL_FIELD_BOOL && n.bits > 1) return impossible(m);
    if (m->from[leaf].is_renamed) {
        const char *name = rename_value(from->of, to->of, &n);
        if (name) {
            (void)snprintf(why, sizeof why, "is '%.60s', which '%.60s' does not have any more",
                           name, to->of->name ? to->of->name : "its enum");
            return misfit(m, leaf, to->path, why);
        }
    }
    if (write_number(n, at, to->type)) return KEEL_OK;
    if (n.is_float) (void)snprintf(why, sizeof why, "is %g, which does not fit", n.f);
    else if (n.is_signed)
        (void)snprintf(why, sizeof why, "is %" PRId64 ", which does not fit", (int64_t)n.bits);
    else (void)snprintf(why, sizeof why, "is %" PRIu64 ", which does not fit", n.bits);
    return misfit(m, leaf, to->path, why);
}

// Reads a text; the file and the program may each have a fixed or an owned one.
static keel_result unpack_text(save_match *m, uint32_t leaf, uint32_t i, char *at,
                               const save_leaf *to) {
    const save_leaf *from = &m->file.leaves[leaf];
    const bool is_owned = from->type == KEEL_FIELD_OWNED_TEXT;
    const char *text = is_owned ? m->texts[from->texts + i] : (const char *)m->row + from->place;
    const char *end = text && !is_owned ? memchr(text, 0, from->count) : NULL;
    const size_t length = !text      ? 0
                          : is_owned ? strlen(text)
                          : end      ? (size_t)(end - text)
                                     : from->count;
    if (to->type == KEEL_FIELD_TEXT) {
        // a text that fills its field has no zero: it fits a field of the same size
        const bool fits = length < to->count || (!is_owned && from->count <= to->count) ||
                          (to->count == 1 && length == 1);
        if (!fits) return misfit(m, leaf, to->path, "is a text that is too long");
        if (length) memcpy(at, text, length);
        memset(at + length, 0, to->count - length);
        return KEEL_OK;
    }
    char *copy = text ? malloc(length + 1) : NULL, *old;
    if (text && !copy)
        return save_fail(m->error, KEEL_ERROR_MEMORY,
                         "out of memory while loading; nothing was changed");
    if (text) {
        memcpy(copy, text, length);
        copy[length] = 0;
    }
    memcpy(&old, at, sizeof old);
    free(old);
    memcpy(at, &copy, sizeof copy);
    return KEEL_OK;
}

static bool is_zero(const unsigned char *at, size_t size) {
    while (size && !*at)
        ++at, --size;
    return !size;
}

static keel_result unpack_leaf(save_match *m, uint32_t leaf, const save_leaf *to, void *value) {
    const save_leaf *from = &m->file.leaves[leaf];
    const unsigned char *in = m->row + from->place;
    const uint32_t step = save_element_bytes(from->type);
    char *at = (char *)value + to->offset;
    if (to->type == SAVE_STREAM) return save_unpack_stream(m, in, m->texts[from->texts], value);
    if (to->type == KEEL_FIELD_BYTES) {
        memcpy(at, in, to->count);
        return KEEL_OK;
    }
    const uint32_t there = from->type == KEEL_FIELD_TEXT ? 1 : from->count;
    const uint32_t here = to->type == KEEL_FIELD_TEXT ? 1 : to->count;
    const uint32_t n = there < here ? there : here;
    const uint32_t out = to->type == KEEL_FIELD_ENTITY       ? (uint32_t)sizeof(keel_entity)
                         : to->type == KEEL_FIELD_OWNED_TEXT ? (uint32_t)sizeof(char *)
                                                             : save_element_bytes(to->type);
    const bool is_plain = m->from[leaf].is_plain;
    for (uint32_t i = 0; i < n; ++i) {
        const unsigned char *element = in + (size_t)i * step;
        char *place = at + (size_t)i * out;
        keel_entity e;
        if (is_plain) { // bit by bit
            save_put_host_number(place, save_read_number(element, step), step);
            continue;
        }
        if (to->type == KEEL_FIELD_ENTITY) {
            if (!save_get_entity(element, &e, m->file.references)) return impossible(m);
            memcpy(place, &e, sizeof e);
        }
        if (is_text(to->type)) KEEL_TRY(unpack_text(m, leaf, i, place, to));
        if (save_is_number(to->type)) KEEL_TRY(unpack_number(m, leaf, element, place, to));
    }
    if (there == n || is_zero(in + (size_t)n * step, (size_t)(there - n) * step)) return KEEL_OK;
    return misfit(m, leaf, to->path, "has elements that are not zero and have no place any more");
}

keel_result save_unpack(save_match *m, void *value) {
    for (uint32_t n = 0; n < m->here.leaf_count; ++n)
        if (m->leaf_of[n] != UINT32_MAX)
            KEEL_TRY(unpack_leaf(m, m->leaf_of[n], &m->here.leaves[n], value));
    if (!m->has_lost) return KEEL_OK;
    for (uint32_t i = 0; i < m->file.leaf_count; ++i) {
        const save_leaf *l = &m->file.leaves[i];
        if (m->from[i].is_lost && !is_zero(m->row + l->place, save_leaf_bytes(l)))
            KEEL_TRY(misfit(m, i, l->path, "is not zero and has no place any more"));
    }
    return KEEL_OK;
}
