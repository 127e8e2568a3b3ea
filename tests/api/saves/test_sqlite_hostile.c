// SPDX-License-Identifier: MIT
// keel::sqlite: databases that are damaged, or made to hurt: an error that says where, and the
// world is as before. Memory that runs out at any place.
#define _POSIX_C_SOURCE 200809L
#include "support/api_fixture.h"

#include "support/counting_allocator.h"
#include "support/sqlite_world.h"
#include <keel_sqlite.h>
#include <signal.h>
#include <sys/resource.h>

static const keel_sqlite_load_options loading = { .error = &error };

typedef struct bytes {
    char *data;
    size_t size;
} bytes;
static bytes read_bytes(void) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    bytes b = { NULL, (size_t)ftell(file) };
    b.data = malloc(b.size);
    rewind(file);
    assert_int_equal(fread(b.data, 1, b.size, file), b.size);
    fclose(file);
    return b;
}
static void write_bytes(const char *data, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

// An error and an empty world, or a valid one.
static bool refuses(keel_world **to, uint64_t empty) {
    error = (keel_error){ 0 };
    const keel_result r = keel_sqlite_load(*to, path, &loading);
    if (r < 0) {
        assert_true(error.result == r && error.message[0]);
        assert_true(hash(*to) == empty);
        return true;
    }
    assert_true(keel_world_check(*to, NULL));
    keel_world_destroy(*to);
    *to = make_world();
    return false;
}

static void damaged_bytes_change_nothing(void **state) {
    (void)state;
    keel_world *from = random_world(5), *to = make_world();
    const uint64_t empty = hash(to);
    write_world(from, NULL);
    const bytes b = read_bytes();
    for (size_t n = 0; n < b.size; n += 509 * test_stride()) {
        write_bytes(b.data, n);
        assert_true(refuses(&to, empty));
    }
    for (size_t i = 0; i < b.size; i += (i < 4096 ? 7 : 61) * test_stride()) {
        const char byte = b.data[i];
        b.data[i] = (char)(byte ^ 1 << (roll() & 7));
        write_bytes(b.data, b.size);
        (void)refuses(&to, empty);
        b.data[i] = byte;
    }
    free(b.data);
    keel_world_destroy(from);
    keel_world_destroy(to);
}

// What a statement makes of a good database, and a piece of what is said about it; NULL: it is
// fine.
static const struct {
    const char *sql, *message;
} made[] = {
    { "CREATE TABLE notes (t TEXT); CREATE INDEX i ON Row (\"at.x\")", NULL },
    { "ALTER TABLE Plain RENAME TO P; CREATE VIEW Plain AS SELECT * FROM P", "'Plain' is missing" },
    { "ALTER TABLE keel_entity RENAME TO P; CREATE VIEW keel_entity AS SELECT * FROM P",
      "'keel_entity' is missing" },
    { "DROP TABLE Flag", "'Flag' is missing" },
    { "DROP TABLE keel_free", "'keel_free' is missing" },
    { "UPDATE keel_schema SET \"table\" = 'sqlite_schema' WHERE \"table\" = 'Flag'", "is missing" },
    { "UPDATE keel_schema SET \"table\" = 'pragma_table_list' WHERE \"table\" = 'Flag'",
      "is missing" },
    { "UPDATE keel_schema SET \"table\" = 'Flag\" UNION SELECT 1' WHERE \"table\" = 'Flag'",
      "is missing" },
    { "UPDATE keel_schema SET \"column\" = 'nothing' WHERE field = 'at.x'", "no such column" },
    { "UPDATE keel_schema SET type = 'text' WHERE field = 'at.x'",
      "'Row.at.x' is text in the database and f32 in the program" },
    { "UPDATE keel_schema SET kind = 'relation' WHERE component = 'Flag'",
      "'Flag' is a component" },
    { "UPDATE keel_schema SET component = 'Nobody' WHERE component = 'Flag'", "'Nobody'" },
    { "UPDATE keel_schema SET component = 'Flag' WHERE component = 'Plain'", "twice" },
    { "UPDATE \"All\" SET a = 128", "table 'All', column 'a', row 1: is out of its range" },
    { "UPDATE \"All\" SET b = -1", "column 'b'" },
    { "UPDATE \"All\" SET b = NULL", "column 'b', row 1: an integer is expected" },
    { "UPDATE \"All\" SET \"on\" = 2", "column 'on'" },
    { "UPDATE \"All\" SET mood = 5000000000", "column 'mood'" },
    { "UPDATE \"All\" SET h = -1", "column 'h'" },
    { "UPDATE \"All\" SET h = '18446744073709551616'", "column 'h'" },
    { "UPDATE \"All\" SET h = '12x'", "column 'h'" },
    { "UPDATE \"All\" SET real = 'nan:7ff0000000000000'", "column 'real'" },
    { "UPDATE \"All\" SET real = x'00'", "column 'real'" },
    { "UPDATE \"All\" SET real = 7, \"at[0].x\" = 'nan', \"at[0].X_2\" = '-0.0'", NULL },
    { "UPDATE \"All\" SET \"at[0].x\" = 1e39", "is too large for a float" },
    { "UPDATE \"All\" SET text = 'thirteen bytes'", "is too long" },
    { "UPDATE \"All\" SET text = 'a' || char(0)", "has a zero in its text" },
    { "UPDATE \"All\" SET raw = x'0011'", "column 'raw'" },
    { "UPDATE \"All\" SET raw = zeroblob(5)", NULL },
    { "UPDATE \"All\" SET who = 5", "is no handle" },
    { "UPDATE \"All\" SET who = -1", "is no handle" },
    { "UPDATE \"All\" SET entity = entity + 1000", "names an entity that does not exist" },
    { "UPDATE Guards SET target = 77", "column 'target'" },
    { "INSERT INTO Likes SELECT frame, source, position + 100, target FROM Likes",
      "is there twice" },
    { "INSERT INTO Guards SELECT frame, source, position + 100, target, since FROM Guards",
      "is there twice" },
    { "DROP TABLE Clock_2; CREATE TABLE Clock_2 (frame, ticks, owner); INSERT INTO Clock_2 VALUES "
      "(0, 1, NULL), (0, 1, NULL)",
      "a unique has one row" },
    { "DROP TABLE Flag; CREATE TABLE Flag (frame, entity); INSERT INTO Flag SELECT frame, entity "
      "FROM keel_entity; INSERT INTO Flag SELECT * FROM Flag",
      "is there twice" },
    { "DROP TABLE Plain; CREATE TABLE Plain (frame, entity, bytes AS (x'00000000'))",
      "'Plain' is missing, or no plain table" },
    { "DROP TABLE Plain; CREATE VIRTUAL TABLE Plain USING fts5(frame, entity, bytes)", "Plain" },
    { "UPDATE keel_entity SET parent = entity WHERE parent IS NULL", "table 'keel_entity'" },
    { "UPDATE keel_entity SET parent = (SELECT min(entity) FROM keel_entity), position = 0",
      "table 'keel_entity'" },
    { "UPDATE keel_entity SET parent = 12", "column 'parent'" },
    { "UPDATE keel_entity SET parent = NULL, name = 'same'", "table 'keel_entity'" },
    { "UPDATE keel_entity SET name = 'a/b'", "table 'keel_entity'" },
    { "UPDATE keel_entity SET name = ''", "is no name" },
    { "INSERT INTO keel_entity (frame, entity) VALUES (0, 4294967296 + 99999999)",
      "column 'entity'" },
    { "INSERT INTO keel_entity (frame, entity) VALUES (0, 99)", "does not fit the handles" },
    { "INSERT INTO keel_entity (frame, entity) SELECT 0, entity + 4294967296 FROM keel_entity",
      "table 'keel_entity'" },
    { "INSERT INTO keel_free VALUES (0, 99, 4294967296 + 70)", "was never alive" },
    { "INSERT INTO keel_free SELECT 0, 99, max(entity) FROM keel_entity", "table 'keel_free'" },
    { "INSERT INTO keel_disabled SELECT 0, entity, 'Nobody' FROM keel_entity", "keel_disabled" },
    { "INSERT INTO keel_disabled VALUES (0, 7, 'Flag')", "keel_disabled" },
    { "DELETE FROM keel_disabled; INSERT INTO keel_disabled SELECT 0, entity, 'Row' FROM Owner",
      "disables a required component" },
    { "DELETE FROM keel_frame", "has no frame 0" },
    { "PRAGMA application_id = 7", "is no database that keel_sqlite_write made" },
    { "PRAGMA user_version = 2", "has version 2" },
    { "CREATE TRIGGER t AFTER INSERT ON Row BEGIN DELETE FROM keel_entity; END", NULL },
    { "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE x(' WHERE name = "
      "'Flag'",
      "malformed" },
    { "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 1 WHERE name = 'Flag'",
      "" },
};

static void hostile_tables_change_nothing(void **state) {
    (void)state;
    keel_world *from = random_world(5), *to = make_world();
    const uint64_t empty = hash(to);
    keel_set_unique(from, Clock, { 1, keel_null() });
    write_world(from, NULL);
    const bytes b = read_bytes();
    for (size_t i = 0; i < sizeof made / sizeof *made; ++i) {
        sqlite3 *db;
        char *wrong = NULL;
        write_bytes(b.data, b.size);
        assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
        (void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, (int *)NULL);
        if (sqlite3_exec(db, made[i].sql, NULL, NULL, &wrong) != SQLITE_OK)
            fail_msg("%s: %s", made[i].sql, wrong);
        sqlite3_close(db);
        const bool is_refused = refuses(&to, empty);
        if (is_refused != (made[i].message != NULL) ||
            (is_refused && !strstr(error.message, made[i].message)))
            fail_msg("%s: %s", made[i].sql, error.message);
    }
    free(b.data);
    keel_world_destroy(from);
    keel_world_destroy(to);
}

// ------------------------------------------------------------------ random cells
static void run(sqlite3 *db, char *sql) { // what a constraint refuses is left out
    (void)sqlite3_exec(db, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
}

// Tables without types, keys and constraints, so that any cell may hold anything.
static uint32_t loosen(sqlite3 *db, char names[][64], uint32_t room) {
    sqlite3_stmt *s;
    uint32_t count = 0;
    sqlite3_prepare_v2(db, "SELECT name FROM sqlite_schema WHERE type = 'table'", -1, &s, NULL);
    while (count < room && sqlite3_step(s) == SQLITE_ROW)
        snprintf(names[count++], 64, "%s", (const char *)sqlite3_column_text(s, 0));
    sqlite3_finalize(s);
    for (uint32_t i = 0; i < count; ++i) {
        run(db, sqlite3_mprintf("CREATE TABLE loose AS SELECT * FROM \"%w\"", names[i]));
        run(db, sqlite3_mprintf("DROP TABLE \"%w\"", names[i]));
        run(db, sqlite3_mprintf("ALTER TABLE loose RENAME TO \"%w\"", names[i]));
    }
    return count;
}

// A value of any kind into a random column, in all rows or some.
static void spoil(sqlite3 *db, const char *table) {
    static const char *const values[] = {
        "NULL",
        "0",
        "-1",
        "1",
        "255",
        "256",
        "2147483648",
        "4294967296",
        "4294967297",
        "8589934595",
        "9223372036854775807",
        "-9223372036854775808",
        "0.5",
        "-0.0",
        "1e39",
        "9e999",
        "''",
        "'x'",
        "'nan'",
        "'nan:7fc00001'",
        "'18446744073709551615'",
        "'Row'",
        "'Likes'",
        "x''",
        "x'00'",
        "zeroblob(4)",
        "zeroblob(70000)",
        "hex(zeroblob(70000))",

        "random()",
        "(SELECT entity FROM keel_entity ORDER BY random() LIMIT 1)"
    };
    sqlite3_stmt *s;
    char column[64] = "";
    char *sql = sqlite3_mprintf("SELECT name FROM pragma_table_info(%Q)", table);
    sqlite3_prepare_v2(db, sql, -1, &s, NULL);
    sqlite3_free(sql);
    for (uint64_t n = roll() % 8 + 1; n && sqlite3_step(s) == SQLITE_ROW; --n)
        snprintf(column, sizeof column, "%s", (const char *)sqlite3_column_text(s, 0));
    sqlite3_finalize(s);
    const char *value = values[roll() % (sizeof values / sizeof *values)];
    if (roll() % 8 == 0)
        run(db, sqlite3_mprintf("INSERT INTO \"%w\" SELECT * FROM \"%w\" LIMIT 3", table, table));
    run(db, sqlite3_mprintf("UPDATE \"%w\" SET \"%w\" = %s WHERE rowid %% %d = 0", table, column,
                            value, (int)(roll() % 4 + 1)));
}

static void random_cells_change_nothing(void **state) {
    (void)state;
    keel_world *from = random_world(5), *to = make_world();
    const uint64_t empty = hash(to);
    char names[32][64];
    uint32_t refused = 0, count;
    sqlite3 *db;
    write_world(from, NULL);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    count = loosen(db, names, 32);
    sqlite3_close(db);
    load_world(to); // types are no matter to us
    assert_true(hash(to) == hash(from));
    keel_world_destroy(to);
    to = make_world();
    const bytes b = read_bytes();
    const uint32_t rounds = test_rounds(600);
    for (uint32_t i = 0; i < rounds; ++i) {
        seed = i;
        write_bytes(b.data, b.size);
        assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
        (void)sqlite3_exec(db, "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF", NULL, NULL,
                           NULL);
        for (uint64_t n = roll() % 3 + 1; n; --n)
            spoil(db, names[roll() % count]);
        sqlite3_close(db);
        refused += refuses(&to, empty);
    }
    assert_true(refused > rounds / 4 && refused < rounds);
    free(b.data);
    keel_world_destroy(from);
    keel_world_destroy(to);
}

static void limits_hold(void **state) {
    (void)state;
    keel_world *from = random_world(5), *to = make_world();
    write_world(from, NULL);
    const bytes b = read_bytes();
    const keel_sqlite_load_options small = { .max_bytes = b.size - 1, .error = &error };
    assert_int_equal(keel_sqlite_load(to, path, &small), KEEL_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "max_bytes"));
    const keel_sqlite_load_options few = { .max_entities = 20, .error = &error };
    assert_int_equal(keel_sqlite_load(to, path, &few), KEEL_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "max_entities"));
    assert_int_equal(keel_entity_count(to), 0);
    const keel_sqlite_write_options next = { .frame = 1, .append = true, .error = &error };
    write_bytes(
        "no database at all, but longer than the header of one would have to be, so that it "
        "is looked at as one, and refused",
        100);
    assert_int_equal(keel_sqlite_write(from, path, &next), KEEL_ERROR_FORMAT);
    assert_int_equal(keel_sqlite_load(to, path, &loading), KEEL_ERROR_FORMAT);
    write_bytes("", 0);
    assert_int_equal(keel_sqlite_write(from, path, &next), KEEL_ERROR_FORMAT);
    free(b.data);
    keel_world_destroy(from);
    keel_world_destroy(to);
}

// SQLite in the middle of an append of somebody else.
static void a_database_in_use(void **state) {
    (void)state;
    keel_world *from = random_world(2);
    sqlite3 *db;
    write_world(from, NULL);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    const keel_sqlite_write_options next = { .frame = 1, .append = true, .error = &error };
    assert_int_equal(keel_sqlite_write(from, path, &next), KEEL_ERROR_FILE);
    assert_non_null(strstr(error.message, "locked"));
    sqlite3_close(db);
    assert_int_equal(keel_sqlite_write(from, path, &next), KEEL_OK);
    keel_world_destroy(from);
}

// No file may grow beyond a few pages: what was there before is there still.
static void a_full_disk(void **state) {
    (void)state;
    keel_world *from = random_world(2), *to = make_world();
    struct rlimit before, small;
    write_world(from, NULL);
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    for (int i = 0; i < 2; ++i) {
        const keel_sqlite_write_options how = { .frame = 1, .append = i, .error = &error };
        small = before;
        small.rlim_cur = 8192;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        const keel_result r = keel_sqlite_write(from, path, &how);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        if (r != KEEL_ERROR_FILE || !error.message[0]) fail_msg("%d %s", r, error.message);
        assert_int_equal(ask("SELECT count(*) FROM keel_frame"), 1);
    }
    load_world(to);
    assert_true(hash(from) == hash(to));
    keel_world_destroy(from);
    keel_world_destroy(to);
}

// ------------------------------------------------------------------ writers
// What somebody reads for long cannot be committed; later it can.
static void a_writer_waits_for_a_reader(void **state) {
    (void)state;
    keel_world *from = random_world(2);
    sqlite3 *db;
    write_world(from, NULL);
    const keel_sqlite_write_options how = { .append = true, .error = &error };
    keel_sqlite_writer *writer = keel_sqlite_writer_open(path, &how);
    assert_non_null(writer);
    assert_null(keel_sqlite_writer_open(path, &how)); // one at a time
    assert_int_equal(error.result, KEEL_ERROR_FILE);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN; SELECT count(*) FROM keel_frame", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(keel_sqlite_writer_add(writer, from, 1), KEEL_OK);
    assert_int_equal(keel_sqlite_writer_commit(writer), KEEL_ERROR_FILE);
    assert_non_null(strstr(error.message, "locked"));
    assert_int_equal(keel_sqlite_writer_add(writer, from, 2), KEEL_OK);
    sqlite3_close(db);
    assert_int_equal(keel_sqlite_writer_commit(writer), KEEL_OK);
    assert_int_equal(ask("SELECT count(*) FROM keel_frame"), 3);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK); // it can be written to after a commit
    assert_int_equal(sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(keel_sqlite_writer_add(writer, from, 3), KEEL_ERROR_FILE);
    sqlite3_close(db);
    assert_int_equal(keel_sqlite_writer_add(writer, from, 3), KEEL_OK);
    assert_int_equal(keel_sqlite_writer_close(writer), KEEL_OK);
    assert_int_equal(ask("SELECT count(*) FROM keel_frame"), 4);
    keel_world_destroy(from);
}

// No file may grow any more: frames that were added are lost, each later call is an error, and
// those that were committed are there.
static void a_writer_on_a_full_disk(void **state) {
    (void)state;
    keel_world *from = random_world(2), *to = make_world();
    struct rlimit before, small;
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    for (int is_new = 0; is_new < 2; ++is_new) {
        write_world(from, NULL);
        const keel_sqlite_write_options how = { .append = !is_new, .error = &error };
        keel_sqlite_writer *writer = keel_sqlite_writer_open(path, &how);
        keel_result r = KEEL_OK;
        if (!is_new) {
            assert_int_equal(keel_sqlite_writer_add(writer, from, 1), KEEL_OK);
            assert_int_equal(keel_sqlite_writer_commit(writer), KEEL_OK);
        }
        assert_int_equal(keel_sqlite_writer_add(writer, from, 2), KEEL_OK);
        small = before;
        small.rlim_cur = 8192;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        for (int i = 3; r == KEEL_OK && i < 10; ++i)
            r = keel_sqlite_writer_add(writer, from, i);
        if (r == KEEL_OK) r = keel_sqlite_writer_commit(writer);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(r, KEEL_ERROR_FILE);
        assert_int_equal(keel_sqlite_writer_add(writer, from, 20), KEEL_ERROR_FILE);
        assert_non_null(strstr(error.message, "lost the frames"));
        assert_int_equal(keel_sqlite_writer_commit(writer), KEEL_ERROR_FILE);
        assert_int_equal(keel_sqlite_writer_close(writer), KEEL_ERROR_FILE);
        assert_int_equal(ask("SELECT count(*) FROM keel_frame"), is_new ? 1 : 2);
        assert_int_equal(ask("SELECT max(frame) FROM keel_frame"), is_new ? 0 : 1);
    }
    load_world(to);
    assert_true(hash(from) == hash(to));
    keel_world_destroy(from);
    keel_world_destroy(to);
}

// ------------------------------------------------------------------ memory
static sqlite3_mem_methods usual;
static long left = -1; // allocations of SQLite until they fail; below 0: never
static bool fails_once;
static bool fails(void) {
    if (left < 0) return false;
    if (left > 0) return --left, false;
    if (fails_once) left = -1;
    return true;
}
static void *take(int size) { return fails() ? NULL : usual.xMalloc(size); }
static void *take_more(void *block, int size) {
    return fails() ? NULL : usual.xRealloc(block, size);
}

static int begin(void **state) {
    sqlite3_mem_methods failing;
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual) != SQLITE_OK) return -1;
    failing = usual;
    failing.xMalloc = take;
    failing.xRealloc = take_more;
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &failing) != SQLITE_OK) return -1;
    if (sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) != SQLITE_OK) return -1;
    return path_begin(state);
}
static int end(void **state) {
    const int code = path_end(state);
    return sqlite3_shutdown() == SQLITE_OK ? code : -1;
}

// Few components, so that there are not as many places.
static keel_world *small_world(void) {
    const keel_world_desc desc = { .log = keel_log_none,
                                   .on_misuse = KEEL_MISUSE_RETURN,
                                   .worker_count = 1 };
    keel_world *world = keel_world_create(&desc);
    assert_int_equal(keel_register(world, Row, Guards, Owner), KEEL_OK);
    return world;
}

// One more allocation each time, of the worlds and then of SQLite, in a write, an append and a
// load. SQLite does without some of its memory, so a step may succeed before all have failed.
static void memory_may_run_out(void **state) {
    (void)state;
    counting_allocator memory;
    counting_allocator_init(&memory);
    keel_world *from = small_world(), *to = small_world();
    const keel_entity e =
        keel_add_entity(from, KEEL_INIT(Row, { { 1, 2 } }), KEEL_INIT(Owner, { strdup("text") }));
    keel_set_name(from, e, "name");
    keel_relate(from, keel_add_child(from, e), Guards, e, { 3 });
    const uint64_t empty = hash(to), full = hash(from);
    unlink(path);
    for (int kind = 0; kind < 6; ++kind) {
        const keel_sqlite_write_options writing = {
            .frame = kind, .append = kind > 1, .allocator = memory.allocator, .error = &error
        };
        const keel_sqlite_load_options reading = { .allocator = memory.allocator, .error = &error };
        keel_result r = KEEL_ERROR_MEMORY;
        for (size_t n = 0;; n += test_stride()) {
            counting_allocator_fail_after(&memory, kind & 1 ? SIZE_MAX : n);
            left = kind & 1 ? (long)n : -1;
            r = kind < 4 ? keel_sqlite_write(from, path, &writing)
                         : keel_sqlite_load(to, path, &reading);
            left = -1;
            if (kind >= 4 && r == KEEL_OK) break;
            if (r < 0 && r != KEEL_ERROR_MEMORY)
                fail_msg("%d, %zu: %d %s", kind, n, r, error.message);
            assert_int_equal(memory.live_blocks, 0);
            assert_true(hash(to) == empty);
            if (r == KEEL_OK) break;
        }
        if (kind < 4) continue;
        assert_true(hash(to) == full);
        keel_world_destroy(to);
        to = small_world();
    }
    assert_int_equal(sqlite3_memory_used(), 0);
    keel_world_destroy(from);
    keel_world_destroy(to);
}

// Two frames and a commit, two more and the end. What is there is what calls said that it is.
static keel_result write_four(keel_world *world, const keel_sqlite_write_options *how,
                              int *committed) {
    keel_sqlite_writer *writer = keel_sqlite_writer_open(path, how);
    if (!writer) return error.result;
    keel_result first = KEEL_OK;
    int added = *committed = 0;
    for (int frame = 0; frame < 4; ++frame) {
        const keel_result r = keel_sqlite_writer_add(writer, world, frame);
        added += r == KEEL_OK;
        if (first == KEEL_OK) first = r;
        if (frame == 1 && keel_sqlite_writer_commit(writer) == KEEL_OK) *committed = added;
    }
    const keel_result r = keel_sqlite_writer_close(writer);
    if (r == KEEL_OK) *committed = added;
    return first == KEEL_OK ? r : first;
}

static void memory_of_a_writer_may_run_out(void **state) {
    (void)state;
    keel_world *world = small_world();
    keel_relate(world, keel_add_entity(world, KEEL_INIT(Row)), Guards, keel_add_entity(world),
                { 3 });
    for (int once = 0; once < 2; ++once) { // then there is memory again
        keel_result r = KEEL_ERROR_MEMORY;
        for (long n = 0; r != KEEL_OK; n += 3 * (long)test_stride()) {
            const keel_sqlite_write_options how = { .error = &error };
            int committed = 0;
            unlink(path);
            left = n;
            fails_once = once;
            r = write_four(world, &how, &committed);
            left = -1;
            fails_once = false;
            if (r < 0 && r != KEEL_ERROR_MEMORY) fail_msg("%ld: %d %s", n, r, error.message);
            const int there = access(path, F_OK) == 0 ? ask("SELECT count(*) FROM keel_frame") : 0;
            if (there != committed) fail_msg("%ld: %d frames of %d", n, there, committed);
        }
    }
    keel_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    TEST(damaged_bytes_change_nothing, "prefixes and flipped bits: an error, or a valid world"),
    TEST(hostile_tables_change_nothing,
         "tables that are none, and cells that do not fit, are named"),
    TEST(random_cells_change_nothing, "random values in random cells"),
    TEST(limits_hold, "files that are too large, or no databases"),
    TEST(a_database_in_use, "a database that somebody else writes to"),
    TEST(a_full_disk, "a disk that is full"),
    TEST(a_writer_waits_for_a_reader, "a writer where somebody reads for long"),
    TEST(a_writer_on_a_full_disk, "a writer on a disk that is full"),
    TEST(memory_may_run_out, "out of memory anywhere: nothing has changed"),
    TEST(memory_of_a_writer_may_run_out, "out of memory in a writer: what was committed is there"),
};
int main(void) { return cmocka_run_group_tests(tests, begin, end); }
