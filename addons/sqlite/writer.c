// SPDX-License-Identifier: MIT
// Writes frames, each the content of a whole world at one time, into a database, several in one
// transaction: keel_sqlite_write and the functions of keel_sqlite_writer. A new database is written
// under a temporary name, and the first commit renames it to its path; later frames are appended to
// it. The rows of a frame are written in write.c.
#include "../replace_file.h"
#include "../stage.h"
#include "database.h"

struct keel_sqlite_writer {
    sql_job job;
    char *target, *name; // final path and temporary name of a new database that was not renamed
                         // yet; otherwise NULL
    bool has_begun;      // a transaction is open
    uint32_t added;      // number of frames in the open transaction
    keel_result lost;    // error that lost frames which were not committed: all later calls return
                         // it; KEEL_OK if no frame was lost
};

static keel_result cannot(const sql_database *db, const char *what) {
    return sql_fail(db, KEEL_ERROR_FILE, "cannot %s: %s", what, strerror(errno));
}

// ------------------------------------------------------------------ a new file
// Returns an error if the old file has a journal, which SQLite would apply to the new file.
static keel_result check_journals(const sql_database *db, const char *path) {
    static const char *const behind[] = { "-journal", "-wal" };
    for (int i = 0; i < 2; ++i) {
        char *name = sqlite3_mprintf("%s%s", path, behind[i]);
        if (!name) return sql_failed(db, SQLITE_NOMEM);
        const bool is_there = access(name, F_OK) == 0;
        sqlite3_free(name);
        if (is_there)
            return sql_fail(db, KEEL_ERROR_FILE,
                            "has a '%s' beside it: another program uses the database, or ended "
                            "during a change; open it with sqlite3, or remove both files",
                            behind[i]);
    }
    return KEEL_OK;
}

static bool sync_file(const char *path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const bool done = file >= 0 && fsync(file) == 0;
    if (file >= 0) (void)close(file);
    return done;
}

// Sets `target` and `name`, and creates an empty file of that temporary name.
static keel_result choose_name(keel_sqlite_writer *w) {
    const sql_database *db = &w->job.db;
    w->target = replace_target(db->path);
    if (!w->target)
        return cannot(db, errno == EINVAL ? "write over a device or pipe" : "replace it");
    w->name = sqlite3_mprintf("%s.XXXXXX", w->target);
    if (!w->name) return sql_failed(db, SQLITE_NOMEM);
    const int file = mkstemp(w->name); // O_EXCL, mode 600
    if (file >= 0) {
        (void)close(file);
        return KEEL_OK;
    }
    const keel_result result = cannot(db, "create a file beside it");
    sqlite3_free(w->name);
    w->name = NULL;
    return result;
}

static void forget_name(keel_sqlite_writer *w) {
    sqlite3_free(w->name);
    free(w->target);
    w->name = w->target = NULL;
}

// Syncs the new database, which is complete and closed, and renames it to its path.
static keel_result move_to_place(keel_sqlite_writer *w) {
    const sql_database *db = &w->job.db;
    struct stat old;
    if (stat(w->target, &old) == 0 && chmod(w->name, old.st_mode & 07777) != 0)
        return cannot(db, "give the new file the mode of the old one");
    if (!sync_file(w->name)) return cannot(db, "write it");
    KEEL_TRY(check_journals(db, w->target));
    if (rename(w->name, w->target) != 0) return cannot(db, "replace it");
    const bool is_synced = replace_sync_folder(w->target);
    forget_name(w);
    return is_synced ? KEEL_OK : cannot(db, "write its folder");
}

// ------------------------------------------------------------------ transactions
// Rolls back the transaction. If the statement ROLLBACK fails, for lack of memory, the database is
// closed, which rolls back too.
static void roll_back(keel_sqlite_writer *w) {
    sql_database *db = &w->job.db;
    if (w->has_begun) (void)sqlite3_exec(db->sqlite, "ROLLBACK", NULL, NULL, NULL);
    if (db->sqlite && !sqlite3_get_autocommit(db->sqlite)) sql_close(db);
    w->has_begun = false;
    w->added = 0;
}

// Creates a database under the temporary name, and begins its first transaction. No program reads
// the file before it is complete, so its journal is in memory and its writes are not synced:
// move_to_place syncs the whole file.
static keel_result begin_new(keel_sqlite_writer *w) {
    sql_database *db = &w->job.db;
    if (!w->name) KEEL_TRY(choose_name(w));
    if (!db->sqlite) KEEL_TRY(sql_open(db, w->name, false));
    KEEL_TRY(sql_run(db, "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN"));
    w->has_begun = true;
    return sql_make_tables(db);
}

// Begins a transaction that appends frames to an existing database.
static keel_result begin_more(keel_sqlite_writer *w) {
    sql_database *db = &w->job.db;
    if (!db->sqlite) KEEL_TRY(sql_open(db, db->path, false));
    KEEL_TRY(sql_run(db, "BEGIN IMMEDIATE"));
    w->has_begun = true;
    return sql_check_format(db);
}

// Begins a transaction, unless one is open. On error the database is closed, and the next call
// opens it again.
static keel_result begin(keel_sqlite_writer *w) {
    if (w->has_begun) return KEEL_OK;
    const keel_result result = w->job.how.append ? begin_more(w) : begin_new(w);
    if (result == KEEL_OK) return KEEL_OK;
    roll_back(w);
    sql_close(&w->job.db);
    return result;
}

// Reports the error of a writer that has lost frames.
static keel_result lost(const keel_sqlite_writer *w) {
    return sql_fail(&w->job.db, w->lost,
                    "an earlier error lost the frames that were not committed; close the writer, "
                    "and open another one");
}

static keel_result commit(keel_sqlite_writer *w) {
    sql_database *db = &w->job.db;
    if (w->lost < 0) return lost(w);
    if (!w->added) return KEEL_OK;
    keel_result result = sql_run(db, "COMMIT");
    // the transaction is still open, because a reader holds the database: the caller may try again
    if (result < 0 && !sqlite3_get_autocommit(db->sqlite)) return result;
    w->has_begun = false;
    w->added = 0;
    if (!w->job.how.append) {
        sql_close(db);
        if (result == KEEL_OK) result = move_to_place(w);
        w->job.how.append = result == KEEL_OK;
    }
    return w->lost = result;
}

// ------------------------------------------------------------------ frames
// Copies the world for reading, and enables every component in the copy (see sql_job).
static keel_result copy_world(sql_job *job) {
    job->copy = stage_create("sqlite", job->how.allocator);
    if (!job->copy) return sql_failed(&job->db, SQLITE_NOMEM);

    const keel_result r = stage_copy_enabled(job->copy, job->world);
    return r < 0 ? sql_fail(&job->db, r, "%s", keel_last_error(job->copy)->message) : KEEL_OK;
}

// Undoes the rows of a frame that could not be written because of the error `why`. If SQLite has
// rolled back the whole transaction, the frames added before are lost, too, and `why` is stored.
static void take_back(keel_sqlite_writer *w, keel_result why) {
    sqlite3 *sqlite = w->job.db.sqlite;
    const bool done =
        w->added && !sqlite3_get_autocommit(sqlite) &&
        sqlite3_exec(sqlite, "ROLLBACK TO frame; RELEASE frame", NULL, NULL, NULL) == SQLITE_OK;
    if (done) return;
    if (w->added) w->lost = why;
    roll_back(w);
}

// Writes a frame in the open transaction, or in a new one. The first frame of a transaction needs
// no savepoint: if it fails, the whole transaction is rolled back.
static keel_result add_frame(keel_sqlite_writer *w) {
    const sql_database *db = &w->job.db;
    KEEL_TRY(begin(w));
    keel_result result = w->added ? sql_run(db, "SAVEPOINT frame") : KEEL_OK;
    if (result == KEEL_OK) result = sql_write_frame(&w->job);
    if (result == KEEL_OK && w->added) result = sql_run(db, "RELEASE frame");
    if (result == KEEL_OK) ++w->added;
    else take_back(w, result);
    return result;
}

static keel_result add(keel_sqlite_writer *w, const keel_world *world, int64_t frame) {
    if (w->lost < 0) return lost(w);
    w->job.world = world;
    w->job.how.frame = frame;
    keel_result result = copy_world(&w->job);
    if (result == KEEL_OK) result = add_frame(w);
    keel_world_destroy(w->job.copy);
    w->job.copy = NULL;
    return result;
}

// ------------------------------------------------------------------ writers
static void writer_init(keel_sqlite_writer *w, const char *path,
                        const keel_sqlite_write_options *options) {
    *w = (keel_sqlite_writer){ .lost = KEEL_OK };
    if (options) w->job.how = *options;
    w->job.db = (sql_database){ .path = path, .error = w->job.how.error };
    w->job.how.append &= path && access(path, F_OK) == 0;
}

// Closes the database without a commit, and deletes a new one that has not been renamed.
static void writer_deinit(keel_sqlite_writer *w) {
    sql_close(&w->job.db); // closing rolls back
    if (w->name) (void)unlink(w->name);
    forget_name(w);
}

keel_result keel_sqlite_write(const keel_world *world, const char *path,
                              const keel_sqlite_write_options *options) {
    keel_sqlite_writer w;
    writer_init(&w, path, options);
    if (!world || !path || !*path)
        return sql_fail(&w.job.db, KEEL_ERROR_ARGUMENT, "a world and a path are needed");
    keel_result result = add(&w, world, w.job.how.frame);
    if (result == KEEL_OK) result = commit(&w);
    writer_deinit(&w);
    return result;
}

keel_sqlite_writer *keel_sqlite_writer_open(const char *path,
                                            const keel_sqlite_write_options *options) {
    keel_sqlite_writer init, *w;
    writer_init(&init, path, options);
    if (!path || !*path) {
        (void)sql_fail(&init.job.db, KEEL_ERROR_ARGUMENT, "a path is needed");
        return NULL;
    }
    const size_t bytes = strlen(path) + 1;
    w = malloc(sizeof *w + bytes);
    if (!w) {
        (void)sql_failed(&init.job.db, SQLITE_NOMEM);
        return NULL;
    }
    *w = init;
    w->job.db.path = memcpy(w + 1, path, bytes); // the copy lies behind the struct
    if (begin(w) == KEEL_OK) return w;
    writer_deinit(w);
    free(w);
    return NULL;
}

keel_result keel_sqlite_writer_add(keel_sqlite_writer *writer, const keel_world *world,
                                   int64_t frame) {
    if (!writer) return KEEL_ERROR_ARGUMENT;
    if (!world) return sql_fail(&writer->job.db, KEEL_ERROR_ARGUMENT, "a world is needed");
    return add(writer, world, frame);
}

keel_result keel_sqlite_writer_commit(keel_sqlite_writer *writer) {
    return writer ? commit(writer) : KEEL_ERROR_ARGUMENT;
}

keel_result keel_sqlite_writer_close(keel_sqlite_writer *writer) {
    if (!writer) return KEEL_OK;
    const keel_result result = commit(writer);
    writer_deinit(writer);
    free(writer);
    return result;
}
