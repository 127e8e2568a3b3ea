// SPDX-License-Identifier: MIT
// Loads a frame of a database: keel_sqlite_load. It builds a private world, the stage, by Keel's
// public verbs, which check every edit; only if all of the frame is valid is the stage copied or
// merged into the caller's world. Columns and cells are read in table.c.
#include "../stage.h"
#include "database.h"

#include <stdio.h>
#include <string.h>

typedef struct load_job {
    sql_database db;
    keel_world *to, *stage;
    keel_sqlite_load_options how;
    uint64_t bytes_left; // number of bytes of values that may still be read, by max_bytes
} load_job;

// Fills the error about a cell with `why`, words after the cell's name. `row` is the number of the
// row, counted from 1 in the order of reading.
static keel_result wrong_cell(const load_job *job, const char *table, const char *column,
                              int64_t row, const char *why) {
    if (why == sql_no_memory) return sql_failed(&job->db, SQLITE_NOMEM);
    return sql_fail(&job->db, KEEL_ERROR_FORMAT, "table '%.40s', column '%.40s', row %lld: %.80s",
                    table, column, (long long)row, why);
}

// Turns the result of a verb of the stage into that of the load, and fills the error. Results that
// are no errors, such as KEEL_ABSENT, become KEEL_OK.
static keel_result check(const load_job *job, const char *table, int64_t row, keel_result result) {
    if (result >= 0) return KEEL_OK;
    if (result == KEEL_ERROR_MEMORY) return sql_failed(&job->db, SQLITE_NOMEM);
    const keel_error *why = keel_last_error(job->stage);
    return sql_fail(&job->db, KEEL_ERROR_FORMAT, "table '%.40s', row %lld: %.120s", table,
                    (long long)row, why->result ? why->message : keel_result_text(result));
}

// Reads a cell with a living entity.
static keel_result entity_at(const load_job *job, sqlite3_stmt *s, int column, const char *table,
                             int64_t row, keel_entity *out) {
    *out = sqlite3_column_type(s, column) == SQLITE_INTEGER
               ? sql_entity(sqlite3_column_int64(s, column))
               : keel_null();
    if (keel_is_alive(job->stage, *out)) return KEEL_OK;
    return wrong_cell(job, table, sqlite3_column_name(s, column), row,
                      "names an entity that does not exist");
}

static const char *text_at(sqlite3_stmt *s, int column) {
    const char *text = (const char *)sqlite3_column_text(s, column);
    return text ? text : "";
}

// ------------------------------------------------------------------ the database
// Returns an error unless `name` is a plain table, so that reading it runs no code of the file: no
// view, no virtual table, and no computed columns except the two of keel_entity.
static keel_result check_table(const load_job *job, const char *name) {
    int64_t is_table = 0, computed = 0;
    KEEL_TRY(sql_number(&job->db, &is_table,
                        "SELECT 1 FROM pragma_table_list WHERE schema = 'main' AND type = 'table' "
                        "AND name = %Q COLLATE NOCASE",
                        name));
    if (is_table)
        KEEL_TRY(sql_number(&job->db, &computed,
                            "SELECT count(*) FROM pragma_table_xinfo(%Q) WHERE hidden <> 0 AND "
                            "name NOT IN ('entity_index', 'version')",
                            name));
    if (!is_table || computed || sqlite3_strnicmp(name, "sqlite_", 7) == 0)
        return sql_fail(&job->db, KEEL_ERROR_FORMAT, "'%.80s' is missing, or no plain table", name);
    return KEEL_OK;
}

static keel_result check_pages(const load_job *job) {
    keel_result result;
    int64_t size = 0;
    KEEL_TRY(sql_number(&job->db, &size,
                        "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"));
    if ((uint64_t)size > job->how.max_bytes)
        return sql_fail(&job->db, KEEL_ERROR_FORMAT, "is larger than max_bytes");
    sqlite3_stmt *s = sql_prepare(&job->db, &result, "PRAGMA quick_check(1)");
    if (!sql_step(&job->db, &s, &result)) return result;
    if (strcmp(text_at(s, 0), "ok") != 0)
        result = sql_fail(&job->db, KEEL_ERROR_FORMAT, "is damaged: %s", text_at(s, 0));
    (void)sqlite3_finalize(s);
    return result;
}

static keel_result choose_frame(load_job *job) {
    int64_t count = 0;
    if (!job->how.at_frame)
        KEEL_TRY(sql_number(&job->db, &job->how.frame,
                            "SELECT frame FROM keel_frame ORDER BY frame DESC LIMIT 1"));
    KEEL_TRY(sql_number(&job->db, &count, "SELECT count(*) FROM keel_frame WHERE frame = %lld",
                        (sqlite3_int64)job->how.frame));
    if (!count)
        return sql_fail(&job->db, KEEL_ERROR_UNKNOWN, "has no frame %lld",
                        (long long)job->how.frame);
    return KEEL_OK;
}

// ------------------------------------------------------------------ entities
static keel_result add_handle(const load_job *job, sqlite3_stmt *s, const char *table, int64_t row,
                              bool is_free, uint32_t *index) {
    if (sqlite3_column_type(s, 0) != SQLITE_INTEGER)
        return wrong_cell(job, table, "entity", row, "a handle is expected");
    const keel_entity e = sql_entity(sqlite3_column_int64(s, 0));
    if (keel_is_null(e))
        return wrong_cell(job, table, "entity", row, "does not fit the handles of this program");
    uint32_t version = keel_entity_version(e);
    *index = keel_entity_index(e);
    if (*index >= job->how.max_entities)
        return wrong_cell(job, table, "entity", row, "is above max_entities");
    if (is_free && !version) return wrong_cell(job, table, "entity", row, "was never alive");
    // the deletion in read_entities raises the version by one. At the highest version it retires
    // the index, even if the written world had not used that version yet
    if (is_free && version < KEEL_MAX_ENTITY_VERSION) --version;
    return check(job, table, row,
                 keel_add_entity_at(job->stage, keel_entity_make(*index, version)));
}

static keel_result read_entities(const load_job *job) {
    keel_result result;
    int64_t row = 0;
    uint32_t index;
    sqlite3_stmt *s =
        sql_prepare(&job->db, &result, "SELECT entity FROM keel_entity WHERE frame = %lld",
                    (sqlite3_int64)job->how.frame);
    while (sql_step(&job->db, &s, &result))
        result = add_handle(job, s, "keel_entity", ++row, false, &index);
    // Free handles are added and then deleted in reverse order: Keel reuses the last deleted first.
    for (int pass = 0; pass < 2 && result == KEEL_OK; ++pass) {
        s = sql_prepare(&job->db, &result,
                        "SELECT entity FROM keel_free WHERE frame = %lld ORDER BY position%s",
                        (sqlite3_int64)job->how.frame, pass ? " DESC" : "");
        for (row = 0; sql_step(&job->db, &s, &result);) {
            if (!pass) {
                result = add_handle(job, s, "keel_free", ++row, true, &index);
                continue;
            }
            index = (uint32_t)(sqlite3_column_int64(s, 0) & UINT32_MAX);
            result = check(job, "keel_free", ++row,
                           keel_delete_entity(job->stage, keel_entity_at(job->stage, index)));
        }
    }
    return result;
}

// Attaches children in the order of their positions, and then sets names. Names come second,
// because they are unique only among siblings: before, all entities are roots.
static keel_result read_places(const load_job *job) {
    keel_result result;
    int64_t row = 0;
    keel_entity e, parent;
    sqlite3_stmt *s = sql_prepare(&job->db, &result,
                                  "SELECT entity, parent FROM keel_entity WHERE frame = %lld AND "
                                  "parent IS NOT NULL ORDER BY parent, position",
                                  (sqlite3_int64)job->how.frame);
    while (sql_step(&job->db, &s, &result)) {
        result = entity_at(job, s, 0, "keel_entity", ++row, &e);
        if (result == KEEL_OK) result = entity_at(job, s, 1, "keel_entity", row, &parent);
        if (result == KEEL_OK)
            result = check(job, "keel_entity", row, keel_attach(job->stage, e, parent));
    }
    if (result == KEEL_OK)
        s = sql_prepare(&job->db, &result,
                        "SELECT entity, name FROM keel_entity WHERE frame = %lld AND name IS NOT "
                        "NULL",
                        (sqlite3_int64)job->how.frame);
    for (row = 0; sql_step(&job->db, &s, &result);) {
        result = entity_at(job, s, 0, "keel_entity", ++row, &e);
        const char *name = text_at(s, 1);
        if (result == KEEL_OK && (sqlite3_column_type(s, 1) != SQLITE_TEXT || !*name ||
                                  strlen(name) != (size_t)sqlite3_column_bytes(s, 1)))
            result = wrong_cell(job, "keel_entity", "name", row, "is no name");
        if (result == KEEL_OK)
            result = check(job, "keel_entity", row, keel_set_name(job->stage, e, name));
    }
    return result;
}

// ------------------------------------------------------------------ components
// Finds a component or a unique by name. A component and a unique may have the same name.
static const keel_component *find(const keel_world *world, const char *name, bool is_unique) {
    typedef const keel_component *next_of(const keel_world *, const keel_component *);
    next_of *next = is_unique ? keel_next_unique : keel_next_component;
    const keel_component *c = NULL;
    while ((c = next(world, c)) != NULL && strcmp(c->name, name) != 0) {}
    return c;
}

// Finds a component by the name in the file: its name, or its `.saved_as`.
static const keel_component *find_saved(const load_job *job, const char *name, bool is_unique) {
    const keel_component *c = find(job->stage, name, is_unique);
    if (c) return c;
    while ((c = is_unique ? keel_next_unique(job->stage, c) : keel_next_component(job->stage, c)))
        if (c->saved_as && strcmp(c->saved_as, name) == 0) return c;
    return NULL;
}

// True if an unknown component is skipped. The prefab of a copy (keel_instance) always is, because
// the database has no templates.
static bool may_be_unknown(const load_job *job, const char *name) {
    return job->how.unknown == KEEL_UNKNOWN_SKIP || strcmp(name, "keel_instance") == 0;
}

// Disables the components that the table keel_disabled lists. An entity's component can be disabled
// only after its components that require it, so passes over the table are repeated until a pass
// disables nothing.
static keel_result disable_all(const load_job *job) {
    keel_result result = KEEL_OK;
    bool is_refused = true;
    for (bool again = true; again && is_refused && result == KEEL_OK;) {
        int64_t row = 0;
        again = is_refused = false;
        sqlite3_stmt *s = sql_prepare(&job->db, &result,
                                      "SELECT entity, component FROM keel_disabled WHERE frame = "
                                      "%lld",
                                      (sqlite3_int64)job->how.frame);
        while (sql_step(&job->db, &s, &result)) {
            keel_entity e;
            result = entity_at(job, s, 0, "keel_disabled", ++row, &e);
            if (result != KEEL_OK) continue;
            const keel_component *c = find_saved(job, text_at(s, 1), false);
            if (!c && may_be_unknown(job, text_at(s, 1))) continue;
            const keel_result r = c && !sql_is_left_out(c)
                                      ? keel_enable_component(job->stage, e, c, false)
                                      : KEEL_ERROR_UNKNOWN;
            again = again || r == KEEL_OK;
            if (r == KEEL_ERROR_REQUIRED) is_refused = true;
            else if (r < 0 || (r && !keel_is_component_disabled(job->stage, e, c)))
                result = wrong_cell(job, "keel_disabled", "component", row, "cannot be disabled");
        }
    }
    if (result == KEEL_OK && is_refused)
        return sql_fail(&job->db, KEEL_ERROR_FORMAT,
                        "table 'keel_disabled' disables a required component");
    return result;
}

// True if cells of a column that was written with `type` may be read into a field of type `here`,
// for example integers of any width. Reading then checks each value.
static bool is_alike(const char *type, keel_field_type here) {
    static const char kinds[] = "biiiiiiiiiffett";
    for (size_t i = 0; i < sizeof kinds - 1; ++i)
        if (strcmp(sql_type_names[i], type) == 0) return kinds[i] == kinds[here];
    return false;
}

// Prepares the SELECT of the keys and of each leaf that has a column in the file. Leaves without
// such a column, new fields, are removed from `t`, so that leaf i is read from column i after the
// keys.
static sqlite3_stmt *prepare_select(const load_job *job, sql_table *t, keel_result *result) {
    const keel_component *c = t->component;
    sqlite3_stmt *s = NULL;
    uint32_t found = 0;
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendf(sql, "SELECT %s",
                        c->is_unique     ? "frame"
                        : c->is_relation ? "source, target"
                                         : "entity");
    *result = KEEL_OK;
    for (uint32_t i = 0; i < t->leaf_count && *result == KEEL_OK; ++i) {
        s = sql_prepare(
            &job->db, result,
            "SELECT \"column\", type FROM keel_schema WHERE \"table\" = %Q AND field IN "
            "(%Q, %Q) AND \"column\" <> '' ORDER BY field = %Q DESC",
            t->name, t->leaves[i].path, t->leaves[i].was, t->leaves[i].path);
        if (!sql_step(&job->db, &s, result)) continue;
        if (!is_alike(text_at(s, 1), t->leaves[i].type))
            *result =
                sql_fail(&job->db, KEEL_ERROR_SCHEMA,
                         "'%.40s.%.40s' is %.20s in the database and %s in the program", c->name,
                         t->leaves[i].path, text_at(s, 1), sql_type_names[t->leaves[i].type]);
        sqlite3_str_appendf(sql, ", \"%w\"", text_at(s, 0));
        t->leaves[found++] = t->leaves[i];
        (void)sqlite3_finalize(s);
    }
    t->leaf_count = found;
    sqlite3_str_appendf(sql, " FROM \"%w\" WHERE frame = %lld%s", t->name,
                        (sqlite3_int64)job->how.frame,
                        c->is_unique     ? ""
                        : c->is_relation ? " ORDER BY position, source"
                                         : " ORDER BY entity");
    char *text = sqlite3_str_finish(sql);
    s = NULL;
    if (*result == KEEL_OK && !text) *result = sql_failed(&job->db, SQLITE_NOMEM);
    if (*result == KEEL_OK) s = sql_prepare(&job->db, result, "%s", text);
    sqlite3_free(text);
    return s;
}

// Adds the component, edge or unique of a row. `last` is the entity of the row before, and receives
// the entity of this row. `out` receives the value for the caller to fill, or NULL if there is no
// value.
static keel_result begin_row(const load_job *job, const sql_table *t, sqlite3_stmt *s, int64_t row,
                             keel_entity *last, void **out) {
    const keel_component *c = t->component;
    keel_entity e = keel_null(), target = keel_null();
    keel_result r;
    if (c->is_unique) {
        if (row > 1) return wrong_cell(job, t->name, "frame", row, "a unique has one row");
        KEEL_TRY(check(job, t->name, row, keel_set_unique_value(job->stage, c, NULL)));
        *out = keel_get_unique_value_mut(job->stage, c);
        return KEEL_OK;
    }
    KEEL_TRY(entity_at(job, s, 0, t->name, row, &e));
    if (c->is_relation) KEEL_TRY(entity_at(job, s, 1, t->name, row, &target));
    // a symmetric relation has two rows for each edge, with the same value
    const bool is_back = c->symmetric && keel_is_related_component(job->stage, e, c, target);
    const bool is_twice = !c->is_relation ? keel_is_same(*last, e) // rows are ordered by entity
                          : c->exclusive  ? keel_target_count_component(job->stage, e, c) != 0
                                          : keel_is_related_component(job->stage, e, c, target);
    if (is_twice && !is_back)
        return wrong_cell(job, t->name, sqlite3_column_name(s, 0), row, "is there twice");
    *last = e;
    if (c->is_relation) r = keel_relate_component(job->stage, e, c, target, NULL);
    else r = keel_add_component(job->stage, e, c, NULL);
    KEEL_TRY(check(job, t->name, row, r));
    if (!c->size) *out = NULL;
    else if (c->is_relation) *out = keel_get_related_component_mut(job->stage, e, c, target);
    else *out = keel_get_component_mut(job->stage, e, c);
    return KEEL_OK;
}

static keel_result read_row(load_job *job, const sql_table *t, sqlite3_stmt *s, int64_t row,
                            keel_entity *last) {
    const keel_component *c = t->component;
    const int first = c->is_relation ? 2 : 1;
    void *value = NULL;
    if (c->size > job->bytes_left)
        return sql_fail(&job->db, KEEL_ERROR_FORMAT, "has values of more than max_bytes");
    job->bytes_left -= c->size;
    KEEL_TRY(begin_row(job, t, s, row, last, &value));
    if (!value) return KEEL_OK;
    // a value with hooks begins empty: a copy of `initial` would share what it owns
    if (c->initial && !c->drop && !c->copy) memcpy(value, c->initial, c->size);
    for (uint32_t i = 0; i < t->leaf_count; ++i) {
        const char *why = sql_read(s, first + (int)i, &t->leaves[i], value);
        if (why) return wrong_cell(job, t->name, t->leaves[i].path, row, why);
    }
    return KEEL_OK;
}

static keel_result read_table(load_job *job, const keel_component *c, const char *name) {
    sql_table t;
    sqlite3_stmt *s = NULL;
    keel_entity last = keel_null();
    keel_result result = sql_table_make(&t, c);
    (void)snprintf(t.name, sizeof t.name, "%s", name);
    if (result == KEEL_ERROR_MEMORY) result = sql_failed(&job->db, SQLITE_NOMEM);
    else if (result < 0) result = sql_fail(&job->db, result, "'%.80s' %s", t.wrong, t.why);
    else s = prepare_select(job, &t, &result);
    for (int64_t row = 1; sql_step(&job->db, &s, &result); ++row)
        result = read_row(job, &t, s, row, &last);
    sql_table_free(&t);
    return result;
}

static keel_result read_component(load_job *job, const char *table, const char *name,
                                  const char *kind) {
    int64_t has_rows = 0;
    KEEL_TRY(check_table(job, table));
    KEEL_TRY(sql_number(&job->db, &has_rows, "SELECT 1 FROM \"%w\" WHERE frame = %lld LIMIT 1",
                        table, (sqlite3_int64)job->how.frame));
    const keel_component *c = find_saved(job, name, strcmp(kind, "unique") == 0);
    if (!has_rows || (c && sql_is_left_out(c))) return KEEL_OK;
    if (!c) {
        const keel_load_note note = { KEEL_LOAD_SKIPPED_COMPONENT, name, NULL };
        if (may_be_unknown(job, name)) {
            if (job->how.report && strcmp(name, "keel_instance") != 0)
                job->how.report(&note, job->how.report_data);
            return KEEL_OK;
        }
        return sql_fail(&job->db, KEEL_ERROR_SCHEMA,
                        "the program does not know '%.60s'; register it first, or load with "
                        ".unknown = KEEL_UNKNOWN_SKIP",
                        name);
    }
    if (strcmp(kind, sql_kind_of(c)) != 0)
        return sql_fail(&job->db, KEEL_ERROR_SCHEMA,
                        "'%.60s' is a %s in the program and a %.20s in the database", c->name,
                        sql_kind_of(c), kind);
    return read_table(job, c, table);
}

// Reads the tables of all components. read_entities has added every entity, so tables may be read
// in any order, whatever entities their values refer to.
static keel_result read_components(load_job *job) {
    keel_result result;
    int64_t twice = 0;
    KEEL_TRY(sql_number(&job->db, &twice,
                        "SELECT count(*) - count(DISTINCT component || ' ' || (kind = 'unique')) "
                        "FROM keel_schema WHERE \"column\" = ''"));
    if (twice)
        return sql_fail(&job->db, KEEL_ERROR_FORMAT, "table 'keel_schema' has a component twice");
    sqlite3_stmt *s =
        sql_prepare(&job->db, &result,
                    "SELECT \"table\", component, kind FROM keel_schema WHERE \"column\" = ''");
    while (sql_step(&job->db, &s, &result)) {
        const char *table = text_at(s, 0), *name = text_at(s, 1), *kind = text_at(s, 2);
        if (strlen(table) > 271 || strlen(name) > 255)
            result = sql_fail(&job->db, KEEL_ERROR_FORMAT, "table 'keel_schema': too long a name");
        else result = read_component(job, table, name, kind);
    }
    return result;
}

// ------------------------------------------------------------------ all of it
static keel_result read_all(load_job *job) {
    static const char *const own[] = { "keel_schema", "keel_frame", "keel_entity", "keel_free",
                                       "keel_disabled" };
    KEEL_TRY(check(job, "", 0, stage_register(job->stage, job->to, NULL)));
    KEEL_TRY(sql_open(&job->db, job->db.path, true));
    KEEL_TRY(sql_run(&job->db, "PRAGMA query_only = ON; BEGIN"));
    KEEL_TRY(sql_check_format(&job->db));
    KEEL_TRY(check_pages(job));
    for (size_t i = 0; i < sizeof own / sizeof *own; ++i)
        KEEL_TRY(check_table(job, own[i]));
    KEEL_TRY(choose_frame(job));
    KEEL_TRY(read_entities(job));
    KEEL_TRY(read_components(job));
    KEEL_TRY(read_places(job));
    return disable_all(job);
}

keel_result keel_sqlite_load(keel_world *world, const char *path,
                             const keel_sqlite_load_options *options) {
    load_job job = { .to = world };
    if (options) job.how = *options;
    if (!job.how.max_bytes) job.how.max_bytes = (uint64_t)1 << 30;
    if (!job.how.max_entities) job.how.max_entities = 1u << 24;
    job.bytes_left = job.how.max_bytes;
    job.db = (sql_database){ .path = path, .error = job.how.error };
    if (!world || !path || !*path)
        return sql_fail(&job.db, KEEL_ERROR_ARGUMENT, "a world and a path are needed");
    if ((uint32_t)job.how.unknown > KEEL_UNKNOWN_SKIP)
        return sql_fail(&job.db, KEEL_ERROR_ARGUMENT,
                        ".unknown is neither KEEL_UNKNOWN_ERROR nor KEEL_UNKNOWN_SKIP; only saves "
                        "keep what is unknown");
    job.stage = stage_create("sqlite", job.how.allocator);
    keel_result result = job.stage ? read_all(&job) : sql_failed(&job.db, SQLITE_NOMEM);
    if (result == KEEL_OK) {
        result = stage_finish(job.stage, world, job.how.merge);
        if (result < 0) result = sql_fail(&job.db, result, "%s", keel_last_error(world)->message);
    }
    sql_close(&job.db);
    keel_world_destroy(job.stage);
    return result;
}
