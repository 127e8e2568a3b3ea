// SPDX-License-Identifier: MIT
/// @file keel_sqlite.h
/// Writes worlds as tables of an SQLite database, and loads them: `keel::sqlite`. A database holds
/// frames, each a whole world, so that a run of a program can be queried in SQL. One call writes a
/// frame; a writer adds many, several in one transaction. docs/tasks/sql.md has
/// queries, docs/reference/file_formats.md the tables.
///
///     keel_error why;
///     const keel_sqlite_write_options how = { .error = &why, .frame = 12, .append = true };
///     if (keel_sqlite_write(world, "run.db", &how) < 0) puts(why.message);
///
/// **Contents:** the same as a save's (keel_save.h): entities with their handles, free handles,
/// components with values, disabled components, relations, uniques, the hierarchy, names. Each
/// described field (KEEL_FIELDS) is a column; a component with `.no_padding` and no fields is a
/// BLOB. Writing a component that has values and neither of these, or more than 1,900 columns, is
/// KEEL_ERROR_SCHEMA. `.transient` components, fields and uniques are not written.
///
/// **Exactness:** the loaded world has the same keel_world_hash as the written world. The bits of
/// NaNs, negative zeros and unsigned integers above INT64_MAX are kept.
///
/// **Hostile files:** a load opens the database read-only, accepts no views and triggers, and
/// checks each cell. It reads into a private world, and changes the caller's only if all of the
/// frame is valid.
#pragma once
#include <keel/keel.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Options of writing. Zero members take their defaults.
typedef struct keel_sqlite_write_options {
    keel_error *error; ///< filled on error, with the reason, the place and a remedy; may be NULL
    int64_t frame;     ///< number of the frame, in the column `frame` of all rows; default 0
    /// Add the frame to the existing database, in one transaction, or create the database if there
    /// is none. Default false: replace the file by a database with this frame only
    bool append;
    /// The components and uniques to write, up to a NULL: KEEL_LIST(A, B), or an array of
    /// KEEL_OF(A) and, for uniques, KEEL_UNIQUE_OF(B). Default NULL: all
    const keel_component *const *components;
    keel_allocator allocator; ///< memory of a copy of the world; default: malloc and free
} keel_sqlite_write_options;

/// Options of loading. Zero members take their defaults.
typedef struct keel_sqlite_load_options {
    keel_error *error; ///< filled on error; may be NULL
    bool at_frame; ///< true: load the frame with the number `frame`; default false: the last frame
    int64_t frame; ///< the number of the frame to load, with `at_frame`
    /// Limit of the size of the file, and of all values together; default 1 GiB
    uint64_t max_bytes;
    /// Limit of the number of indices, free ones included; default 16,777,216
    uint32_t max_entities;
    /// Treatment of components that the world does not know; default: an error
    keel_unknown unknown;
    keel_load_report_fn *report; ///< called for each skipped component; may be NULL
    void *report_data;           ///< passed to `report`
    /// Merge the frame into a world that may have entities, with these options (keel_merge_world).
    /// Default NULL: the world must be empty, and entities keep their handles
    const keel_merge_options *merge;
    keel_allocator allocator; ///< memory of the private world; default: malloc and free
} keel_sqlite_load_options;

/// Writes a world into a database as one frame. Without `append` a new database is written as
/// `path.XXXXXX` and replaces `path` when it is on the disk; it keeps the mode of the old file, and
/// without an old file only its owner can read it. With `append` earlier frames stay, and writing a
/// component that has other fields than in earlier frames is KEEL_ERROR_SCHEMA. On error the
/// database stays as it was. Costs a copy of the world, for which copy hooks are called.
/// @param options NULL: all defaults
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ERROR_ARGUMENT (NULL), KEEL_ERROR_FILE with SQLite's message (a full disk,
///   a database in use), KEEL_ERROR_FORMAT (append: Keel did not write the database),
///   KEEL_ERROR_OCCUPIED (append: the database has a frame of this number), KEEL_ERROR_SCHEMA,
///   KEEL_ERROR_MEMORY, and as keel_copy_world
keel_result keel_sqlite_write(const keel_world *world, const char *path,
                              const keel_sqlite_write_options *options);

/// Writes frames of a run into a database, several in one transaction.
typedef struct keel_sqlite_writer keel_sqlite_writer;

/// Creates a writer and begins a transaction. With `append` frames are added to the existing
/// database. While a transaction is open no other process can write into it; a commit ends the
/// transaction, and the first frame after it begins the next one. Without `append`, or without an
/// existing database, the first commit replaces `path` by a new file, as keel_sqlite_write does.
/// @param path copied
/// @param options NULL: all defaults. `frame` is ignored. The options are copied; `components` and
///   `error`, which each call fills, must stay valid until keel_sqlite_writer_close
/// @threads any; then one thread at a time
/// @return NULL on error, with its result in `error`: KEEL_ERROR_ARGUMENT (NULL), KEEL_ERROR_FILE,
///   KEEL_ERROR_FORMAT (append: Keel did not write the database), KEEL_ERROR_MEMORY
keel_sqlite_writer *keel_sqlite_writer_open(const char *path,
                                            const keel_sqlite_write_options *options);
/// Writes a world as a frame. Other programs see the frame after a commit. Frames may be of
/// different worlds. On error this frame is not written, and the frames before it stay. If SQLite
/// has rolled back the whole transaction (a full disk, no memory), each later call returns the same
/// error until the writer is closed; committed frames stay in any case.
/// @threads the world's owner
/// @return as keel_sqlite_write; KEEL_ERROR_OCCUPIED also if this writer added the frame
keel_result keel_sqlite_writer_add(keel_sqlite_writer *writer, const keel_world *world,
                                   int64_t frame);
/// Commits all added frames: after KEEL_OK they are on the disk. Without added frames it does
/// nothing, and an existing file is not replaced.
/// @return KEEL_OK, KEEL_ERROR_ARGUMENT (NULL), KEEL_ERROR_FILE (if a reader holds the database:
///   commit again later, the frames are kept), KEEL_ERROR_MEMORY, or the error that lost frames
keel_result keel_sqlite_writer_commit(keel_sqlite_writer *writer);
/// Commits the added frames, and frees the writer, also on error. Does nothing for NULL. A program
/// that ends without this call keeps the committed frames, and may leave a file `path.XXXXXX` of a
/// new database.
/// @return as keel_sqlite_writer_commit; on error the frames that were not committed are lost
keel_result keel_sqlite_writer_close(keel_sqlite_writer *writer);

/// Loads a frame into a world. Register the program's components first. Without `merge` the world
/// must have no entities and no uniques. Components are matched by name and fields by path, today's
/// or an earlier one (`.saved_as`, `.was`); integers and floats may have another width if each
/// value fits. A new field has its bytes of `.initial`, or zeros; a removed field is skipped. On
/// error the world has not changed, and `options->error` names file, table, column and row.
/// @param options NULL: all defaults
/// @invalidates as keel_copy_world, or keel_merge_world with `merge`
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ERROR_ARGUMENT (NULL, or the world is not empty), KEEL_ERROR_FILE,
///   KEEL_ERROR_FORMAT (not written by Keel, damaged, invalid, above a limit), KEEL_ERROR_SCHEMA,
///   KEEL_ERROR_UNKNOWN (no such frame), KEEL_ERROR_MEMORY, and as keel_copy_world or
///   keel_merge_world
keel_result keel_sqlite_load(keel_world *world, const char *path,
                             const keel_sqlite_load_options *options);

#ifdef __cplusplus
}
#endif
