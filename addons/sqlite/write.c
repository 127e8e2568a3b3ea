// SPDX-License-Identifier: MIT
// Writes the rows of one frame: entities, free handles, disabled components, and a table for each
// component. Files, transactions and the copy of the world are not made here: writer.c calls it.
#include "database.h"

#include <stdio.h>
#include <string.h>

// The tables with fixed names. NOCASE, because SQLite ignores case in names of tables and columns.
static const char own_tables[] =
    "CREATE TABLE keel_schema (\"table\" TEXT NOT NULL COLLATE NOCASE, \"column\" TEXT NOT NULL "
    "COLLATE NOCASE, component TEXT NOT NULL, kind TEXT NOT NULL, field TEXT, type TEXT, PRIMARY "
    "KEY (\"table\", \"column\")) STRICT, WITHOUT ROWID;"
    "CREATE TABLE keel_names (\"table\" TEXT NOT NULL COLLATE NOCASE, \"column\" TEXT NOT NULL "
    "COLLATE NOCASE, value INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY (\"table\", "
    "\"column\", value)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE keel_frame (frame INTEGER PRIMARY KEY) STRICT;"
    "CREATE TABLE keel_entity (frame INTEGER NOT NULL, entity INTEGER NOT NULL, parent INTEGER, "
    "position INTEGER, name TEXT, entity_index INTEGER AS (entity & 4294967295), version INTEGER "
    "AS ((entity >> 32) - 1), PRIMARY KEY (frame, entity)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE keel_free (frame INTEGER NOT NULL, position INTEGER NOT NULL, entity INTEGER NOT "
    "NULL, PRIMARY KEY (frame, position)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE keel_disabled (frame INTEGER NOT NULL, entity INTEGER NOT NULL, component TEXT "
    "NOT NULL, PRIMARY KEY (frame, entity, component)) STRICT, WITHOUT ROWID;"
    "PRAGMA application_id = 1264936300; PRAGMA user_version = 1";
_Static_assert(SQL_APPLICATION == 1264936300 && SQL_VERSION == 1, "as above");

keel_result sql_make_tables(const sql_database *db) { return sql_run(db, own_tables); }

static bool is_asked(const sql_job *job, const keel_component *c) {
    const keel_component *const *list = job->how.components;
    if (sql_is_left_out(c)) return false;
    if (!list) return true;
    for (; *list; ++list)
        if (strcmp((*list)->name ? (*list)->name : (*list)->type, c->name) == 0 &&
            (*list)->is_unique == c->is_unique)
            return true;
    return false;
}

// ------------------------------------------------------------------ entities
static keel_result put_entity(sql_job *job, sqlite3_stmt *s, keel_entity e, keel_entity parent,
                              int64_t position) {
    (void)sql_bind_entity(s, 2, e);
    (void)sql_bind_entity(s, 3, parent);
    if (keel_is_null(parent)) (void)sqlite3_bind_null(s, 4);
    else (void)sqlite3_bind_int64(s, 4, position);
    const int code = sqlite3_bind_text(s, 5, keel_name_of(job->copy, e), -1, SQLITE_STATIC);
    return code == SQLITE_OK ? sql_insert(&job->db, s) : sql_failed(&job->db, code);
}

static keel_result write_entities(sql_job *job) {
    keel_result result;
    sqlite3_stmt *s = sql_prepare(
        &job->db, &result,
        "INSERT INTO keel_entity (frame, entity, parent, position, name) VALUES (?,?,?,?,?)");
    if (s) (void)sqlite3_bind_int64(s, 1, job->how.frame);
    for (keel_entity e = keel_null();
         result == KEEL_OK && !keel_is_null(e = keel_next_entity(job->copy, e));) {
        int64_t position = 0;
        if (keel_is_null(keel_parent_of(job->copy, e)))
            result = put_entity(job, s, e, keel_null(), 0);
        for (keel_entity child = keel_first_child(job->copy, e);
             result == KEEL_OK && !keel_is_null(child);
             child = keel_next_child(job->copy, e, child))
            result = put_entity(job, s, child, e, position++);
    }
    (void)sqlite3_finalize(s);
    return result;
}

static keel_result write_free(sql_job *job) {
    keel_result result;
    int64_t position = 0;
    sqlite3_stmt *s = sql_prepare(&job->db, &result, "INSERT INTO keel_free VALUES (?,?,?)");
    if (s) (void)sqlite3_bind_int64(s, 1, job->how.frame);
    for (keel_entity e = keel_null();
         result == KEEL_OK && !keel_is_null(e = keel_next_free_entity(job->copy, e));) {
        if (!keel_entity_version(e)) continue; // never used: the same as a new index
        (void)sqlite3_bind_int64(s, 2, position++);
        (void)sql_bind_entity(s, 3, e);
        result = sql_insert(&job->db, s);
    }
    (void)sqlite3_finalize(s);
    return result;
}

static keel_result write_disabled(sql_job *job) {
    keel_result result;
    sqlite3_stmt *s = sql_prepare(&job->db, &result, "INSERT INTO keel_disabled VALUES (?,?,?)");
    if (s) (void)sqlite3_bind_int64(s, 1, job->how.frame);
    for (const keel_component *c = NULL;
         result == KEEL_OK && (c = keel_next_component(job->world, c));) {
        if (!is_asked(job, c)) continue;
        for (keel_entity e = keel_null();
             result == KEEL_OK && !keel_is_null(e = keel_next_entity(job->world, e));) {
            if (!keel_is_component_disabled(job->world, e, c)) continue;
            (void)sql_bind_entity(s, 2, e);
            const int code = sqlite3_bind_text(s, 3, c->name, -1, SQLITE_STATIC);
            result = code == SQLITE_OK ? sql_insert(&job->db, s) : sql_failed(&job->db, code);
        }
    }
    (void)sqlite3_finalize(s);
    return result;
}

// ------------------------------------------------------------------ tables
// Returns the names of the key columns of a component's table, which stand before those of its
// fields, separated by commas. `count` receives their number.
static const char *keys_of(const keel_component *c, int *count) {
    *count = c->is_unique ? 1 : c->is_relation ? 4 : 2;
    return c->is_unique     ? "frame"
           : c->is_relation ? "frame, source, position, target"
                            : "frame, entity";
}

// Returns the type of a leaf's column. It accepts each form that sql_bind binds; ANY converts
// nothing.
static const char *column_type(const sql_leaf *leaf) {
    switch (leaf->type) {
    case KEEL_FIELD_BYTES:
        return "BLOB";
    case KEEL_FIELD_TEXT:
    case KEEL_FIELD_OWNED_TEXT:
        return "TEXT";
    case KEEL_FIELD_F32:
    case KEEL_FIELD_F64:
    case KEEL_FIELD_U64:
        return "ANY";
    default:
        return "INTEGER";
    }
}

static char *sql_to_create(const sql_table *t) {
    const keel_component *c = t->component;
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendf(sql, "CREATE TABLE \"%w\" (frame INTEGER NOT NULL", t->name);
    if (c->is_relation)
        sqlite3_str_appendall(sql, ", source INTEGER NOT NULL, position INTEGER NOT NULL, target "
                                   "INTEGER NOT NULL");
    else if (!c->is_unique) sqlite3_str_appendall(sql, ", entity INTEGER NOT NULL");
    for (uint32_t i = 0; i < t->leaf_count; ++i)
        sqlite3_str_appendf(sql, ", \"%w\" %s", t->leaves[i].column, column_type(&t->leaves[i]));
    sqlite3_str_appendf(sql, ", PRIMARY KEY (%s)) STRICT, WITHOUT ROWID",
                        c->is_unique     ? "frame"
                        : c->is_relation ? "frame, source, position"
                                         : "frame, entity");
    return sqlite3_str_finish(sql);
}

static sqlite3_stmt *prepare_insert(sql_job *job, const sql_table *t, keel_result *result) {
    int count;
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendf(sql, "INSERT INTO \"%w\" (%s", t->name, keys_of(t->component, &count));
    for (uint32_t i = 0; i < t->leaf_count; ++i)
        sqlite3_str_appendf(sql, ", \"%w\"", t->leaves[i].column);
    sqlite3_str_appendall(sql, ") VALUES (?");
    for (uint32_t i = 1; i < t->leaf_count + (uint32_t)count; ++i)
        sqlite3_str_appendall(sql, ",?");
    sqlite3_str_appendall(sql, ")");
    char *text = sqlite3_str_finish(sql);
    sqlite3_stmt *s = NULL;
    if (text) s = sql_prepare(&job->db, result, "%s", text);
    else *result = sql_failed(&job->db, SQLITE_NOMEM);
    sqlite3_free(text);
    if (s) (void)sqlite3_bind_int64(s, 1, job->how.frame);
    return s;
}

// Adds the rows about a column to keel_schema and keel_names. If `leaf` is NULL, adds the row about
// the table itself to keel_schema; its column name is empty.
static keel_result put_schema(sql_job *job, const sql_table *t, const sql_leaf *leaf) {
    keel_result result;
    const keel_component *c = t->component;
    sqlite3_stmt *s =
        leaf ? sql_prepare(&job->db, &result, "INSERT INTO keel_schema VALUES (%Q,%Q,%Q,%Q,%Q,%Q)",
                           t->name, leaf->column, c->name, sql_kind_of(c), leaf->path,
                           sql_type_names[leaf->type])
             : sql_prepare(&job->db, &result,
                           "INSERT INTO keel_schema VALUES (%Q,'',%Q,%Q,NULL,NULL)", t->name,
                           c->name, sql_kind_of(c));
    if (s) result = sql_insert(&job->db, s);
    (void)sqlite3_finalize(s);
    if (!leaf || !leaf->of) return result;
    for (uint32_t i = 0; result == KEEL_OK && i < leaf->of->value_count; ++i) {
        const keel_named_value *v = &leaf->of->values[i];
        s = sql_prepare(&job->db, &result,
                        "INSERT OR IGNORE INTO keel_names VALUES (%Q,%Q,%lld,%Q)", t->name,
                        leaf->column, (sqlite3_int64)v->value, v->name);
        if (s) result = sql_insert(&job->db, s);
        (void)sqlite3_finalize(s);
    }
    return result;
}

static keel_result is_free_name(sql_job *job, const char *name, bool *out) {
    int64_t count = 0;
    const keel_result result =
        sql_number(&job->db, &count,
                   "SELECT count(*) FROM sqlite_schema WHERE name = %Q COLLATE NOCASE", name);
    *out = count == 0;
    return result;
}

static keel_result create_table(sql_job *job, sql_table *t) {
    const char *name = t->component->name;
    bool is_free = false;
    // SQLite reserves names that begin with sqlite_
    const char *before = sqlite3_strnicmp(name, "sqlite_", 7) == 0 ? "of_" : "";
    (void)snprintf(t->name, sizeof t->name, "%s%s", before, name);
    KEEL_TRY(is_free_name(job, t->name, &is_free));
    for (unsigned i = 2; !is_free; ++i) {
        (void)snprintf(t->name, sizeof t->name, "%s%.255s_%u", before, name, i);
        KEEL_TRY(is_free_name(job, t->name, &is_free));
    }
    char *sql = sql_to_create(t);
    keel_result result = sql ? sql_run(&job->db, sql) : sql_failed(&job->db, SQLITE_NOMEM);
    sqlite3_free(sql);
    if (result == KEEL_OK) result = put_schema(job, t, NULL);
    for (uint32_t i = 0; result == KEEL_OK && i < t->leaf_count; ++i)
        result = put_schema(job, t, &t->leaves[i]);
    return result;
}

// Finds the table that an earlier frame made for the component, or creates it. KEEL_ERROR_SCHEMA if
// its columns differ.
static keel_result find_table(sql_job *job, sql_table *t) {
    const keel_component *c = t->component;
    keel_result result;
    sqlite3_stmt *s = sql_prepare(&job->db, &result,
                                  "SELECT \"table\" FROM keel_schema WHERE component = %Q AND kind "
                                  "= %Q AND \"column\" = ''",
                                  c->name, sql_kind_of(c));
    if (!sql_step(&job->db, &s, &result)) return result == KEEL_OK ? create_table(job, t) : result;
    const char *name = (const char *)sqlite3_column_text(s, 0);
    (void)snprintf(t->name, sizeof t->name, "%s", name ? name : "");
    (void)sqlite3_finalize(s);
    int64_t count = 0, same = 0;
    KEEL_TRY(sql_number(
        &job->db, &count,
        "SELECT count(*) FROM keel_schema WHERE \"table\" = %Q AND \"column\" <> ''", t->name));
    for (uint32_t i = 0; i < t->leaf_count; ++i) {
        int64_t is_there = 0;
        const sql_leaf *leaf = &t->leaves[i];
        KEEL_TRY(sql_number(&job->db, &is_there,
                            "SELECT 1 FROM keel_schema WHERE \"table\" = %Q AND \"column\" = %Q "
                            "AND field = %Q AND type = %Q",
                            t->name, leaf->column, leaf->path, sql_type_names[leaf->type]));
        same += is_there;
    }
    if (same != count || same != t->leaf_count)
        return sql_fail(&job->db, KEEL_ERROR_SCHEMA,
                        "'%.60s' has other fields in the frames before; begin a new database",
                        c->name);
    return KEEL_OK;
}

// ------------------------------------------------------------------ values
static keel_result put_row(sql_job *job, const sql_table *t, sqlite3_stmt *s, const void *value) {
    int first;
    (void)keys_of(t->component, &first);
    for (uint32_t i = 0; i < t->leaf_count; ++i) {
        const int code = sql_bind(s, first + 1 + (int)i, &t->leaves[i], value);
        if (code != SQLITE_OK) return sql_failed(&job->db, code);
    }
    return sql_insert(&job->db, s);
}

typedef struct edge_rows {
    sql_job *job;
    const sql_table *table;
    sqlite3_stmt *statement;
    int64_t position;
    keel_result result;
} edge_rows;

static keel_result put_direction(const edge_rows *rows, keel_entity source, keel_entity target,
                                 const void *value) {
    sqlite3_stmt *s = rows->statement;
    (void)sql_bind_entity(s, 2, source);
    (void)sqlite3_bind_int64(s, 3, rows->position);
    (void)sql_bind_entity(s, 4, target);
    return put_row(rows->job, rows->table, s, value);
}

// Adds the row of an edge. A symmetric relation has two rows for each edge, one in each direction.
static bool put_edge(keel_entity source, keel_entity target, const void *value, void *data) {
    edge_rows *rows = data;
    const bool is_two = rows->table->component->symmetric && !keel_is_same(source, target);
    rows->result = put_direction(rows, source, target, value);
    if (is_two && rows->result == KEEL_OK)
        rows->result = put_direction(rows, target, source, value);
    ++rows->position;
    return rows->result == KEEL_OK;
}

// Adds the rows of all edges. Positions count the edges of the whole relation, not those of each
// source, because a load relates in this order, so that targets and sources keep their order.
static keel_result put_edges(sql_job *job, const sql_table *t, sqlite3_stmt *s) {
    edge_rows rows = { .job = job, .table = t, .statement = s };
    const keel_result r = keel_visit_edges(job->copy, t->component, put_edge, &rows);
    // the copy is not shared, so memory is the only error
    return r < 0 ? sql_failed(&job->db, SQLITE_NOMEM) : rows.result;
}

static keel_result put_components(sql_job *job, const sql_table *t, sqlite3_stmt *s) {
    keel_result result = KEEL_OK;
    for (keel_entity e = keel_null();
         result == KEEL_OK && !keel_is_null(e = keel_next_entity(job->copy, e));) {
        const void *value = keel_get_component(job->copy, e, t->component);
        if (!value) continue;
        (void)sql_bind_entity(s, 2, e);
        result = put_row(job, t, s, value);
    }
    return result;
}

static keel_result put_values(sql_job *job, const sql_table *t) {
    const keel_component *c = t->component;
    keel_result result;
    sqlite3_stmt *s = prepare_insert(job, t, &result);
    if (s && c->is_unique) {
        const void *value = keel_get_unique_value(job->copy, c);
        if (value) result = put_row(job, t, s, value);
    }
    if (s && c->is_relation) result = put_edges(job, t, s);
    if (s && !c->is_unique && !c->is_relation) result = put_components(job, t, s);
    (void)sqlite3_finalize(s);
    return result;
}

// Writes a component. Its table is created even if it has no rows, so that queries find it.
static keel_result write_component(sql_job *job, const keel_component *c) {
    sql_table t;
    if (!is_asked(job, c)) return KEEL_OK;
    const bool has_values = c->is_unique ? keel_get_unique_value(job->copy, c) != NULL
                                         : keel_component_count(job->copy, c) != 0;
    keel_result result = sql_table_make(&t, c);
    if (result == KEEL_OK) {
        result = find_table(job, &t);
        if (result == KEEL_OK && has_values) result = put_values(job, &t);
    } else if (result == KEEL_ERROR_MEMORY) {
        result = sql_failed(&job->db, SQLITE_NOMEM);
    } else {
        result = has_values ? sql_fail(&job->db, result, "'%.80s' %s", t.wrong, t.why) : KEEL_OK;
    }
    sql_table_free(&t);
    return result;
}

static keel_result begin_frame(sql_job *job) {
    const sqlite3_int64 frame = job->how.frame;
    int64_t is_there = 0;
    keel_result result;
    KEEL_TRY(sql_number(&job->db, &is_there, "SELECT 1 FROM keel_frame WHERE frame = %lld", frame));
    if (is_there)
        return sql_fail(&job->db, KEEL_ERROR_OCCUPIED, "has a frame %lld already",
                        (long long)frame);
    sqlite3_stmt *s = sql_prepare(&job->db, &result, "INSERT INTO keel_frame VALUES (%lld)", frame);
    if (s) result = sql_insert(&job->db, s);
    (void)sqlite3_finalize(s);
    return result;
}

keel_result sql_write_frame(sql_job *job) {
    KEEL_TRY(begin_frame(job));
    KEEL_TRY(write_entities(job));
    KEEL_TRY(write_free(job));
    KEEL_TRY(write_disabled(job));
    for (const keel_component *c = NULL; (c = keel_next_component(job->copy, c));)
        KEEL_TRY(write_component(job, c));
    for (const keel_component *c = NULL; (c = keel_next_unique(job->copy, c));)
        KEEL_TRY(write_component(job, c));
    return KEEL_OK;
}
