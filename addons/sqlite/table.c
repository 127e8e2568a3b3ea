// SPDX-License-Identifier: MIT
// Maps a component to columns, and converts values to cells and back. It creates no tables and
// reads no rows: write.c and load.c call it.
#include "database.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const sql_type_names[] = { "bytes", "bool", "i8",     "u8",   "i16",
                                       "u16",   "i32",  "u32",    "i64",  "u64",
                                       "f32",   "f64",  "entity", "text", "owned text" };

const char sql_no_memory[] = "out of memory";

const char *sql_kind_of(const keel_component *c) {
    return c->is_unique ? "unique" : c->is_relation ? "relation" : "component";
}

bool sql_is_left_out(const keel_component *c) {
    return c->transient || !strcmp(c->name, "keel_child") || !strcmp(c->name, "keel_name");
}

// ------------------------------------------------------------------ columns
static keel_result refuse(sql_table *t, const char *why, const char *path) {
    (void)snprintf(t->wrong, sizeof t->wrong, "%.80s%s%.80s", t->component->name,
                   path[0] ? "." : "", path);
    t->why = why;
    return KEEL_ERROR_SCHEMA;
}

// True if the table has a column of that name already: a key column, such as `entity`, or an
// earlier leaf. SQLite ignores the case of names.
static bool is_taken(const sql_table *t, const char *column) {
    static const char *const own[] = { "frame", "entity", "frame", "source", "position", "target" };
    const keel_component *c = t->component;
    const size_t first = c->is_relation ? 2 : 0, end = c->is_relation ? 6 : c->is_unique ? 1 : 2;
    for (size_t i = first; i < end; ++i)
        if (sqlite3_stricmp(own[i], column) == 0) return true;
    for (uint32_t i = 0; i < t->leaf_count; ++i)
        if (sqlite3_stricmp(t->leaves[i].column, column) == 0) return true;
    return false;
}

static keel_result add_leaf(sql_table *t, const sql_leaf *leaf) {
    if (t->leaf_count == SQL_MOST_COLUMNS)
        return refuse(t, "has more than 1,900 columns; describe some of it as bytes", "");
    if (t->leaf_count == t->room) {
        const uint32_t room = t->room * 2 + 8;
        sql_leaf *grown = sqlite3_realloc64(t->leaves, room * sizeof *grown);
        if (!grown) return KEEL_ERROR_MEMORY;
        t->leaves = grown, t->room = room;
    }
    sql_leaf *added = &t->leaves[t->leaf_count];
    *added = *leaf;
    const char *name = leaf->path[0] ? leaf->path : "bytes";
    (void)snprintf(added->column, sizeof added->column, "%s", name);
    for (unsigned i = 2; is_taken(t, added->column); ++i)
        (void)snprintf(added->column, sizeof added->column, "%.180s_%u", name, i);
    t->leaf_count++;
    return KEEL_OK;
}

static bool is_whole(keel_field_type type) { return type == KEEL_FIELD_TEXT || !type; }

// Adds the leaves of the fields of a struct. `above` has the struct's path and offset; at the top
// it is empty. Recurses into structs in structs, whose depth the world limits.
static keel_result add_fields(sql_table *t, const keel_field *fields, uint32_t count,
                              const sql_leaf *above) {
    static const uint8_t sizes[] = {
        0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, sizeof(keel_entity), 0, sizeof(char *)
    };
    for (const keel_field *f = fields; count; --count, ++f) {
        const bool is_struct = f->type == KEEL_FIELD_STRUCT;
        if (f->transient) continue;
        const uint32_t size = is_struct           ? f->of->size
                              : is_whole(f->type) ? f->count
                                                  : sizes[f->type];
        const uint32_t n = is_struct ? f->count / size : is_whole(f->type) ? 1 : f->count;
        sql_leaf leaf = { .type = f->type, .size = size, .of = is_struct ? NULL : f->of };
        for (uint32_t i = 0; i < n; ++i) {
            char place[16] = "";
            if (n > 1) (void)snprintf(place, sizeof place, "[%u]", (unsigned)i);
            const char *end = is_struct ? "." : "", *was = f->was ? f->was : f->name;
            const int length =
                snprintf(leaf.path, sizeof leaf.path, "%s%s%s%s", above->path, f->name, place, end);
            const int before =
                snprintf(leaf.was, sizeof leaf.was, "%s%s%s%s", above->was, was, place, end);
            if (length >= (int)sizeof leaf.path || before >= (int)sizeof leaf.was)
                return refuse(t, "has a path that is too long", f->name);
            leaf.offset = above->offset + f->offset + i * size;
            KEEL_TRY(is_struct ? add_fields(t, f->of->fields, f->of->field_count, &leaf)
                               : add_leaf(t, &leaf));
        }
    }
    return KEEL_OK;
}

keel_result sql_table_make(sql_table *table, const keel_component *c) {
    *table = (sql_table){ .component = c };
    if (strlen(c->name) > 255) return refuse(table, "has too long a name", "");
    if (c->save)
        return refuse(table,
                      "has a .save function, whose bytes are no columns; describe its fields, or "
                      "declare it .transient = true",
                      "");
    if (c->field_count)
        return add_fields(table, c->fields, c->field_count, &(sql_leaf){ .offset = 0 });
    if (!c->size) return KEEL_OK;
    if (c->no_padding && !c->copy && !c->drop)
        return add_leaf(table, &(sql_leaf){ .type = KEEL_FIELD_BYTES, .size = c->size });
    return refuse(table,
                  "does not say which bytes are its value; declare it with KEEL_HAS_FIELDS, "
                  ".no_padding = true, or .transient = true to leave it out",
                  "");
}

void sql_table_free(sql_table *table) {
    sqlite3_free(table->leaves);
    table->leaves = NULL;
}

// ------------------------------------------------------------------ cells
keel_entity sql_entity(int64_t handle) {
    const uint64_t version = (uint64_t)handle >> 32;
    if (!version) return keel_null();
    return keel_entity_make((uint32_t)handle, (uint32_t)version - 1);
}

// Returns the signed integer of 1, 2, 4 or 8 bytes at an address of any alignment.
static int64_t signed_at(const void *at, uint32_t size) {
    int8_t b1;
    int16_t b2;
    int32_t b4;
    int64_t b8;
    if (size == 1) {
        memcpy(&b1, at, 1);
        return b1;
    }
    if (size == 2) {
        memcpy(&b2, at, 2);
        return b2;
    }
    if (size == 4) {
        memcpy(&b4, at, 4);
        return b4;
    }
    memcpy(&b8, at, 8);
    return b8;
}
static uint64_t unsigned_at(const void *at, uint32_t size) {
    const uint64_t bits = (uint64_t)signed_at(at, size);
    return size == 8 ? bits : bits & (((uint64_t)1 << 8 * size) - 1);
}
static void put_number(void *at, uint64_t number, uint32_t size) {
    const uint8_t b1 = (uint8_t)number;
    const uint16_t b2 = (uint16_t)number;
    const uint32_t b4 = (uint32_t)number;
    memcpy(at,
           size == 1   ? (const void *)&b1
           : size == 2 ? (const void *)&b2
           : size == 4 ? (const void *)&b4
                       : (const void *)&number,
           size);
}

// Binds a float. SQLite would store a NaN as NULL, so a NaN is bound as a text with its bits.
// Negative zero keeps its sign, because the column has type ANY; in a column of type REAL SQLite
// would store it as the integer 0.
static int bind_float(sqlite3_stmt *s, int parameter, const void *at, uint32_t size) {
    char text[32];
    float narrow = 0;
    double number;
    if (size == 4) memcpy(&narrow, at, 4), number = (double)narrow;
    else memcpy(&number, at, 8);
    if (number == number) return sqlite3_bind_double(s, parameter, number);
    (void)snprintf(text, sizeof text, "nan:%0*llx", (int)size * 2,
                   (unsigned long long)unsigned_at(at, size));
    return sqlite3_bind_text(s, parameter, text, -1, SQLITE_TRANSIENT);
}

static int bind_text(sqlite3_stmt *s, int parameter, const char *text, uint32_t room) {
    const char *end = memchr(text, 0, room);
    return sqlite3_bind_text(s, parameter, text, (int)(end ? end - text : room), SQLITE_STATIC);
}

static int bind_unsigned(sqlite3_stmt *s, int parameter, uint64_t number) {
    char text[32];
    if (number <= INT64_MAX) return sqlite3_bind_int64(s, parameter, (int64_t)number);
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    return sqlite3_bind_text(s, parameter, text, -1, SQLITE_TRANSIENT);
}

int sql_bind_entity(sqlite3_stmt *s, int parameter, keel_entity e) {
    if (keel_is_null(e)) return sqlite3_bind_null(s, parameter);
    return sqlite3_bind_int64(
        s, parameter,
        (int64_t)((uint64_t)keel_entity_index(e) | ((uint64_t)keel_entity_version(e) + 1) << 32));
}

int sql_bind(sqlite3_stmt *s, int parameter, const sql_leaf *leaf, const void *value) {
    const char *at = (const char *)value + leaf->offset;
    keel_entity e;
    char *owned;
    switch (leaf->type) {
    case KEEL_FIELD_BYTES:
        return sqlite3_bind_blob(s, parameter, at, (int)leaf->size, SQLITE_STATIC);
    case KEEL_FIELD_F32:
    case KEEL_FIELD_F64:
        return bind_float(s, parameter, at, leaf->size);
    case KEEL_FIELD_ENTITY:
        memcpy(&e, at, sizeof e);
        return sql_bind_entity(s, parameter, e);
    case KEEL_FIELD_TEXT:
        return bind_text(s, parameter, at, leaf->size);
    case KEEL_FIELD_OWNED_TEXT:
        memcpy(&owned, at, sizeof owned);
        return sqlite3_bind_text(s, parameter, owned, -1, SQLITE_STATIC); // NULL: a NULL
    case KEEL_FIELD_I8:
    case KEEL_FIELD_I16:
    case KEEL_FIELD_I32:
    case KEEL_FIELD_I64:
        return sqlite3_bind_int64(s, parameter, signed_at(at, leaf->size));
    default:
        return bind_unsigned(s, parameter, unsigned_at(at, leaf->size));
    }
}

// ------------------------------------------------------------------ cells that are read
// Reads a number from a text that consists only of digits. False if it has other characters, or
// more digits than 64 bits.
static bool read_digits(const char *text, int base, uint64_t *out) {
    char *end;
    if (!text) return false;
    const char *digits = base == 16 ? "0123456789abcdef" : "0123456789";
    const size_t length = strspn(text, digits);
    if (!length || length > (base == 16 ? 16 : 20) || text[length]) return false;
    if (length == 20 && strcmp(text, "18446744073709551615") > 0) return false;
    *out = strtoull(text, &end, base);
    return true;
}

static const char *read_integer(sqlite3_stmt *s, int column, const sql_leaf *leaf, void *at) {
    const bool is_signed = leaf->type == KEEL_FIELD_I8 || leaf->type == KEEL_FIELD_I16 ||
                           leaf->type == KEEL_FIELD_I32 || leaf->type == KEEL_FIELD_I64;
    const int type = sqlite3_column_type(s, column);
    const int64_t number = sqlite3_column_int64(s, column);
    uint64_t bits = (uint64_t)number;
    if (type == SQLITE_TEXT && leaf->type == KEEL_FIELD_U64) {
        if (!read_digits((const char *)sqlite3_column_text(s, column), 10, &bits))
            return "an integer is expected";
    } else if (type != SQLITE_INTEGER) {
        return "an integer is expected";
    } else {
        const uint32_t width = leaf->size * 8 - (is_signed ? 1 : 0);
        const uint64_t most = leaf->type == KEEL_FIELD_BOOL ? 1
                              : width == 64                 ? INT64_MAX
                                                            : ((uint64_t)1 << width) - 1;
        if (number >= 0 ? bits > most : !is_signed || ~bits > most) return "is out of its range";
    }
    put_number(at, bits, leaf->size);
    return NULL;
}

// Reads `nan`, `nan:7fc00001` (a NaN with these bits) or `-0.0`.
static const char *read_odd_float(const char *text, uint32_t size, void *at) {
    uint64_t bits = size == 4 ? 0x7fc00000u : (uint64_t)0x7ff8 << 48;
    const uint64_t exponent = size == 4 ? 0x7f800000u : (uint64_t)0x7ff0 << 48;
    const uint64_t sign = (uint64_t)1 << (8 * size - 1);
    if (!text) return "a number is expected";
    if (strcmp(text, "-0.0") == 0) {
        bits = sign;
    } else if (strcmp(text, "nan") != 0) {
        if (strncmp(text, "nan:", 4) != 0 || strlen(text + 4) != 2 * size ||
            !read_digits(text + 4, 16, &bits) || (bits & ~sign) <= exponent)
            return "a number is expected";
    }
    put_number(at, bits, size);
    return NULL;
}

static const char *read_float(sqlite3_stmt *s, int column, uint32_t size, void *at) {
    const int type = sqlite3_column_type(s, column);
    if (type == SQLITE_TEXT)
        return read_odd_float((const char *)sqlite3_column_text(s, column), size, at);
    if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) return "a number is expected";
    const double number = sqlite3_column_double(s, column);
    // half-way between the largest float and 2^128: a double from here on rounds to infinity
    const double most = 3.4028235677973366e38;
    const bool is_finite = number - number == 0;
    if (size == 8) {
        memcpy(at, &number, 8);
        return NULL;
    }
    if (is_finite && (number >= most || number <= -most)) return "is too large for a float";
    const float narrow = (float)number;
    memcpy(at, &narrow, 4);
    return NULL;
}

static const char *read_text(sqlite3_stmt *s, int column, const sql_leaf *leaf, void *at) {
    const bool is_owned = leaf->type == KEEL_FIELD_OWNED_TEXT;
    char *owned = NULL;
    if (sqlite3_column_type(s, column) != (int)SQLITE_TEXT) {
        if (!is_owned || sqlite3_column_type(s, column) != SQLITE_NULL) return "a text is expected";
    } else {
        const char *text = (const char *)sqlite3_column_text(s, column);
        const size_t length = (size_t)sqlite3_column_bytes(s, column);
        if (!text) return sql_no_memory;
        if (memchr(text, 0, length)) return "has a zero in its text";
        if (!is_owned) {
            if (length > leaf->size) return "is too long";
            memset(at, 0, leaf->size);
            memcpy(at, text, length);
            return NULL;
        }
        owned = malloc(length + 1);
        if (!owned) return sql_no_memory;
        memcpy(owned, text, length + 1);
    }
    char *before;
    memcpy(&before, at, sizeof before);
    free(before);
    memcpy(at, &owned, sizeof owned);
    return NULL;
}

static const char *read_entity(sqlite3_stmt *s, int column, void *at) {
    keel_entity e = keel_null();
    if (sqlite3_column_type(s, column) == SQLITE_INTEGER) {
        e = sql_entity(sqlite3_column_int64(s, column));
        if (keel_is_null(e)) return "is no handle of an entity";
    } else if (sqlite3_column_type(s, column) != SQLITE_NULL) {
        return "a handle of an entity or NULL is expected";
    }
    memcpy(at, &e, sizeof e);
    return NULL;
}

const char *sql_read(sqlite3_stmt *s, int column, const sql_leaf *leaf, void *value) {
    char *at = (char *)value + leaf->offset;
    const void *blob;
    switch (leaf->type) {
    case KEEL_FIELD_BYTES:
        if (sqlite3_column_type(s, column) != SQLITE_BLOB ||
            sqlite3_column_bytes(s, column) != (int)leaf->size)
            return "a BLOB of the size of its field is expected";
        blob = sqlite3_column_blob(s, column);
        if (!blob) return sql_no_memory;
        memcpy(at, blob, leaf->size);
        return NULL;
    case KEEL_FIELD_F32:
    case KEEL_FIELD_F64:
        return read_float(s, column, leaf->size, at);
    case KEEL_FIELD_ENTITY:
        return read_entity(s, column, at);
    case KEEL_FIELD_TEXT:
    case KEEL_FIELD_OWNED_TEXT:
        return read_text(s, column, leaf, at);
    default:
        return read_integer(s, column, leaf, at);
    }
}
