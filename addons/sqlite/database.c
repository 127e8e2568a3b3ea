// SPDX-License-Identifier: MIT
// Opens and queries an SQLite database that may be hostile, and turns SQLite's errors into results.
// It knows no components. The writer and the loader of keel::sqlite call it.
#include "database.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

keel_result sql_fail(const sql_database *db, keel_result result, const char *format, ...) {
    va_list arguments;
    char text[256];
    if (!db->error) return result;
    *db->error = (keel_error){ .result = result };
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)snprintf(db->error->message, sizeof db->error->message, "'%.80s': %.170s",
                   db->path ? db->path : "", text);
    return result;
}

keel_result sql_failed(const sql_database *db, int code) {
    keel_result result = KEEL_ERROR_FILE;
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return sql_fail(db, KEEL_ERROR_MEMORY, "out of memory; nothing was changed");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR: // our statements are right, so the tables of the file are wrong
    case SQLITE_SCHEMA:
    case SQLITE_TOOBIG:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_AUTH:
        result = KEEL_ERROR_FORMAT;
        break;
    default:
        break;
    }
    const bool has_text = db->sqlite && (sqlite3_errcode(db->sqlite) & 0xff) == (code & 0xff);
    return sql_fail(db, result, "%s", has_text ? sqlite3_errmsg(db->sqlite) : sqlite3_errstr(code));
}

// Sets low limits and safe options. A value has at most 64 KiB, a statement at most 2,000 columns.
static void limit(sqlite3 *sqlite) {
    static const int limits[][2] = {
        { SQLITE_LIMIT_LENGTH, 4 << 20 },  { SQLITE_LIMIT_SQL_LENGTH, 1 << 20 },
        { SQLITE_LIMIT_COLUMN, 2000 },     { SQLITE_LIMIT_EXPR_DEPTH, 50 },
        { SQLITE_LIMIT_ATTACHED, 0 },      { SQLITE_LIMIT_TRIGGER_DEPTH, 1 },
        { SQLITE_LIMIT_FUNCTION_ARG, 16 }, { SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100 },
    };
    static const int off[] = { SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER,
                               SQLITE_DBCONFIG_ENABLE_VIEW,    SQLITE_DBCONFIG_DQS_DML,
                               SQLITE_DBCONFIG_DQS_DDL,        SQLITE_DBCONFIG_WRITABLE_SCHEMA };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i)
        (void)sqlite3_limit(sqlite, limits[i][0], limits[i][1]);
    for (size_t i = 0; i < sizeof off / sizeof *off; ++i)
        (void)sqlite3_db_config(sqlite, off[i], 0, (int *)NULL);
    (void)sqlite3_db_config(sqlite, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
    (void)sqlite3_busy_timeout(sqlite, 2000);
}

keel_result sql_open(sql_database *db, const char *path, bool is_read_only) {
    const int flags = is_read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    // the prefix prevents names that SQLite reads as a URI or as ":memory:"
    char *name = sqlite3_mprintf("%s%s", path[0] == '/' ? "" : "./", path);
    if (!name) return sql_failed(db, SQLITE_NOMEM);
    const int code = sqlite3_open_v2(name, &db->sqlite, flags | SQLITE_OPEN_NOMUTEX, NULL);
    sqlite3_free(name);
    if (code != SQLITE_OK) return sql_failed(db, code);
    (void)sqlite3_extended_result_codes(db->sqlite, 1);
    limit(db->sqlite);
    return sql_run(db, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;"
                       "PRAGMA ignore_check_constraints = ON");
}

void sql_close(sql_database *db) {
    (void)sqlite3_close_v2(db->sqlite);
    db->sqlite = NULL;
}

keel_result sql_run(const sql_database *db, const char *sql) {
    const int code = sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? KEEL_OK : sql_failed(db, code);
}

static sqlite3_stmt *prepare(const sql_database *db, keel_result *result, const char *format,
                             va_list arguments) {
    sqlite3_stmt *s = NULL;
    char *sql = sqlite3_vmprintf(format, arguments);
    const int code = sql ? sqlite3_prepare_v2(db->sqlite, sql, -1, &s, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    *result = code == SQLITE_OK ? KEEL_OK : sql_failed(db, code);
    return s;
}

sqlite3_stmt *sql_prepare(const sql_database *db, keel_result *result, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    sqlite3_stmt *s = prepare(db, result, format, arguments);
    va_end(arguments);
    return s;
}

bool sql_step(const sql_database *db, sqlite3_stmt **statement, keel_result *result) {
    if (!*statement) return false;
    const int code = *result == KEEL_OK ? sqlite3_step(*statement) : SQLITE_DONE;
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) *result = sql_failed(db, code);
    (void)sqlite3_finalize(*statement);
    *statement = NULL;
    return false;
}

keel_result sql_number(const sql_database *db, int64_t *out, const char *format, ...) {
    keel_result result;
    va_list arguments;
    va_start(arguments, format);
    sqlite3_stmt *s = prepare(db, &result, format, arguments);
    va_end(arguments);
    if (!sql_step(db, &s, &result)) return result;
    *out = sqlite3_column_int64(s, 0);
    (void)sqlite3_finalize(s);
    return KEEL_OK;
}

keel_result sql_insert(const sql_database *db, sqlite3_stmt *s) {
    const int code = sqlite3_step(s);
    if (code == SQLITE_DONE && sqlite3_reset(s) == SQLITE_OK) return KEEL_OK;
    const keel_result result = sql_failed(db, code);
    (void)sqlite3_reset(s);
    return result;
}

keel_result sql_check_format(const sql_database *db) {
    int64_t application = 0, version = 0;
    KEEL_TRY(sql_number(db, &application, "PRAGMA application_id"));
    KEEL_TRY(sql_number(db, &version, "PRAGMA user_version"));
    if (application != SQL_APPLICATION)
        return sql_fail(db, KEEL_ERROR_FORMAT, "is no database that keel_sqlite_write made");
    if (version != SQL_VERSION)
        return sql_fail(db, KEEL_ERROR_FORMAT, "has version %d; this program reads version %d",
                        (int)version, SQL_VERSION);
    return KEEL_OK;
}
