// SPDX-License-Identifier: MIT
// The shared part of keel::sqlite: an open database and its errors, the table and columns of a
// component, and the job of writing a frame. Writer and loader include it; it is not installed.
#pragma once
#include <keel_sqlite.h>
#include <sqlite3.h>

// SQLite's application_id ("Keel") and user_version of the databases, and the most columns that the
// fields of a component may have.
enum { SQL_APPLICATION = 0x4b65656c, SQL_VERSION = 1, SQL_MOST_COLUMNS = 1900 };

typedef struct sql_database {
    sqlite3 *sqlite;
    const char *path; // a name for messages
    keel_error *error;
} sql_database;

// Fills `error`, if there is one, with "'path': ...". Returns `result`.
keel_result sql_fail(const sql_database *db, keel_result result, const char *format, ...);
// Fills `error` with SQLite's message for the code. Returns the keel_result for the code.
keel_result sql_failed(const sql_database *db, int code);
// Opens a database. The file may be hostile, so SQLite's limits are set low, and views and triggers
// are off. The caller calls sql_close, also on error.
keel_result sql_open(sql_database *db, const char *path, bool is_read_only);
void sql_close(sql_database *db);
keel_result sql_run(const sql_database *db, const char *sql);
// Prepares a statement; `format` is that of sqlite3_mprintf, with %w for names in double quotes.
// NULL on error. `result` receives KEEL_OK or the error.
sqlite3_stmt *sql_prepare(const sql_database *db, keel_result *result, const char *format, ...);
// Steps to the next row. False at the end, if `result` is already an error, or if the step fails,
// which sets `result`: in all three cases the statement is finalised and set to NULL.
bool sql_step(const sql_database *db, sqlite3_stmt **statement, keel_result *result);
// Reads the number in the first row of a query. Without a row, `out` does not change.
keel_result sql_number(const sql_database *db, int64_t *out, const char *format, ...);
// Runs a statement with its bound values once, and resets it.
keel_result sql_insert(const sql_database *db, sqlite3_stmt *s);
// Returns an error unless Keel wrote the database, in the version that this program reads.
keel_result sql_check_format(const sql_database *db);

// ------------------------------------------------------------------ tables
// A scalar, text or block of bytes in a component's value, which is one column. Fields that are
// structs or arrays have a leaf for each member or element.
typedef struct sql_leaf {
    char path[192], was[192]; // path by the fields' names, and by their earlier names (.was)
    char column[200];         // the path, with a number appended if another column has that name
    keel_field_type type;
    uint32_t offset, size; // in the value, in bytes
    const keel_type *of;   // the enum or flags type with its names, or NULL
} sql_leaf;
typedef struct sql_table {
    const keel_component *component;
    char name[272];
    sql_leaf *leaves;
    uint32_t leaf_count, room; // number of leaves; number that `leaves` has memory for
    // on KEEL_ERROR_SCHEMA: the reason, in words after `wrong` ("has too long ...")
    const char *why;
    char wrong[192]; // the component or field that cannot be a column
} sql_table;
extern const char *const sql_type_names[];
const char *sql_kind_of(const keel_component *c); // "component", "relation", "unique"
// True if the component has no table: it is transient, or keeps parents or names, which are columns
// of the table keel_entity.
bool sql_is_left_out(const keel_component *c);
// Finds the leaves of a component. KEEL_ERROR_SCHEMA with `why` if its value cannot be columns, or
// KEEL_ERROR_MEMORY. The caller frees the table in any case.
keel_result sql_table_make(sql_table *table, const keel_component *c);
void sql_table_free(sql_table *table);
// Binds a handle as a number: the index in the lower 32 bits, the version + 1 in the upper 32. This
// form does not depend on the build's width of handles. A null entity is NULL. Returns SQLite's
// code.
int sql_bind_entity(sqlite3_stmt *s, int parameter, keel_entity e);
// Returns the handle of a number that sql_bind_entity has stored, or null if handles of this build
// cannot hold it.
keel_entity sql_entity(int64_t handle);
// Binds a leaf of a value. The value must stay in place until the statement has run. Returns
// SQLite's code.
int sql_bind(sqlite3_stmt *s, int parameter, const sql_leaf *leaf, const void *value);
// The error of sql_read if memory runs out; compared by its address.
extern const char sql_no_memory[];
// Reads a cell into a leaf of a value. Returns NULL, or on error the reason, in words after the
// name of the cell ("is too long").
const char *sql_read(sqlite3_stmt *s, int column, const sql_leaf *leaf, void *value);

// ------------------------------------------------------------------ writing
// The job of writing a frame. Values are read from `copy`, a copy of the world in which every
// component is enabled, because values of disabled components cannot be read. `world` says which
// components are disabled.
typedef struct sql_job {
    sql_database db;
    const keel_world *world;
    keel_world *copy;
    keel_sqlite_write_options how;
} sql_job;
// Creates Keel's own tables. The caller has begun a transaction.
keel_result sql_make_tables(const sql_database *db);
// Writes all rows of a new frame. On error some rows may be written: the caller rolls back.
keel_result sql_write_frame(sql_job *job);
