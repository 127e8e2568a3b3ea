// SPDX-License-Identifier: MIT
// What the parts of keel::sqlite share: a database and its errors, and which table and columns a
// component has.
#pragma once
#include <keel_sqlite.h>
#include <sqlite3.h>

enum { SQL_APPLICATION = 0x4b65656c, SQL_VERSION = 1, SQL_MOST_COLUMNS = 1900 };

typedef struct sql_database {
    sqlite3 *sqlite;
    const char *path; // for messages
    keel_error *error;
} sql_database;

// Fills in `error`, if there is one: "'path': ...". The result.
keel_result sql_fail(const sql_database *db, keel_result result, const char *format, ...);
// What SQLite answered, by its code, with its message.
keel_result sql_failed(const sql_database *db, int code);
// Closed by sql_close, also on error. Nothing of the database is trusted.
keel_result sql_open(sql_database *db, const char *path, bool is_read_only);
void sql_close(sql_database *db);
keel_result sql_run(const sql_database *db, const char *sql);
// `format` as of sqlite3_mprintf: %w for names in double quotes. NULL on error, in `result`.
sqlite3_stmt *sql_prepare(const sql_database *db, keel_result *result, const char *format, ...);
// One more row? When there is none, or on error, the statement is finalised and NULL.
bool sql_step(const sql_database *db, sqlite3_stmt **statement, keel_result *result);
// The number that a statement finds; where it finds none, `out` stays as it is.
keel_result sql_number(const sql_database *db, int64_t *out, const char *format, ...);
// Runs a statement with values once, and makes it ready for the next.
keel_result sql_insert(const sql_database *db, sqlite3_stmt *s);
// Is this one of our databases?
keel_result sql_check_format(const sql_database *db);
keel_world *sql_private_world(keel_allocator allocator);

// ------------------------------------------------------------------ tables
// One leaf of the fields of a component: structs and arrays are taken apart.
typedef struct sql_leaf {
    char path[192], was[192]; // the second as it was before its fields were renamed
    char column[200]; // the path, with a number behind it where another column has that name
    keel_field_type type;
    uint32_t offset, size; // in the value; bytes
    const keel_type *of;   // names of enums and flags
} sql_leaf;
typedef struct sql_table {
    const keel_component *component;
    char name[272];
    sql_leaf *leaves;
    uint32_t leaf_count, room;
    const char *why; // the error, when it cannot be one: what is wrong with `wrong`
    char wrong[192];
} sql_table;
extern const char *const sql_type_names[];
const char *sql_kind_of(const keel_component *c); // "component", "relation", "unique"
// Is it a component that keeps links or names, which have a table of their own, or transient?
bool sql_is_left_out(const keel_component *c);
// The leaves; `why` and KEEL_ERROR_SCHEMA, or KEEL_ERROR_MEMORY: free it in any case.
keel_result sql_table_make(sql_table *table, const keel_component *c);
void sql_table_free(sql_table *table);
// How a handle is written, by builds of both widths: the index, above it in the upper 32 bits the
// version + 1. Null is NULL.
int sql_bind_entity(sqlite3_stmt *s, int parameter, keel_entity e);
keel_entity sql_entity(int64_t handle); // null: there is no such handle here
// A leaf of a value as a parameter, which stays where it is until the statement has run. The code
// of SQLite.
int sql_bind(sqlite3_stmt *s, int parameter, const sql_leaf *leaf, const void *value);
// A cell as a leaf of a value. NULL, or what is wrong with the cell.
extern const char sql_no_memory[];
const char *sql_read(sqlite3_stmt *s, int column, const sql_leaf *leaf, void *value);

// ------------------------------------------------------------------ writing
// A frame that is written. In the copy of the world all that is disabled is enabled, so that values
// can be looked at; the world itself says what is disabled.
typedef struct sql_job {
    sql_database db;
    const keel_world *world;
    keel_world *copy;
    keel_sqlite_write_options how;
} sql_job;
// What our own tables are; each row belongs to a frame. In a transaction of the caller's.
keel_result sql_make_tables(const sql_database *db);
// All rows of a frame that is not there yet; on error some of them may be there. As above.
keel_result sql_write_frame(sql_job *job);
