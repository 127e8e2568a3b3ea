// SPDX-License-Identifier: MIT
/// @file keel_sqlite.h
/// Worlds as tables of an SQLite database, and back: `keel::sqlite`. One call writes a world, or
/// adds one more frame of a run to the frames that are there, so that a run is asked in SQL; a
/// writer adds many frames, some at a time. docs/sqlite.md has the tables and questions to ask.
///
/// **What is written:** what keel::save writes (handles, those that are free, components with
/// values, disabled ones, relations, uniques, places, names), by the described fields
/// (KEEL_FIELDS), a column each, or as a BLOB with `.no_padding`. A component with values that has
/// neither, or more than 1,900 columns, is KEEL_ERROR_SCHEMA. What is `.transient` is left out.
///
/// **What comes back:** the hash of the loaded world (keel_world_hash) is that of the written one,
/// NaNs with their bits, negative zeros and large unsigned integers included.
///
/// **Hostile files:** a database is opened to be read only, views and triggers are no tables, and
/// each cell is checked. It is read into a private world; the caller's is touched when all is done.
#pragma once
#include <keel/keel.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How to write. Zero members take their defaults.
typedef struct keel_sqlite_write_options {
    keel_error *error; ///< filled on error: what, where, and what to do; default: nobody hears
    int64_t frame;     ///< the number in the column `frame` of all rows; default 0
    /// Add the frame to the database that is there, in one transaction; one that is not there
    /// begins. Default false: the file is replaced by one with this frame only
    bool append;
    /// Only these, up to a NULL: KEEL_LIST(A, B), or an array of KEEL_OF(A) and, for uniques,
    /// KEEL_UNIQUE_OF(B); default: all
    const keel_component *const *components;
    keel_allocator allocator; ///< of the copy that is written; default: malloc and free
} keel_sqlite_write_options;

/// How to load. Zero members take their defaults.
typedef struct keel_sqlite_load_options {
    keel_error *error;           ///< filled on error; default: nobody hears
    bool at_frame;               ///< load the frame `frame`; default false: the last one
    int64_t frame;               ///< the frame to load, with `at_frame`
    uint64_t max_bytes;          ///< the largest file, and the most bytes of values; default 1 GiB
    uint32_t max_entities;       ///< entities, dead indices included; default 16,777,216
    keel_unknown unknown;        ///< components that the world does not know; default: an error
    keel_load_report_fn *report; ///< told which of them are left out; default: nobody hears
    void *report_data;           ///< handed to `report`
    /// The world is a living one, into which all of it comes: how (keel_merge_world). Default NULL:
    /// the world is empty, and entities keep their handles
    const keel_merge_options *merge;
    keel_allocator allocator; ///< of the private world; default: malloc and free
} keel_sqlite_load_options;

/// Write a world into a database. Without `append` it is written beside its place, under `path`
/// with `.XXXXXX` behind it, and moved there when all of it is on the disk; it keeps the mode of
/// the old file, a new one can be read by its owner only. With `append` the rows of all frames
/// before stay, and a component that changed its fields since is KEEL_ERROR_SCHEMA. Whatever fails,
/// the database is as before. The world is copied first, with its copy hooks.
/// @param options NULL: all defaults
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ERROR_ARGUMENT (NULL), KEEL_ERROR_FILE with what SQLite says (a full disk,
///   a database in use), KEEL_ERROR_FORMAT (append: the file is no such database),
///   KEEL_ERROR_OCCUPIED (append: the frame is there already), KEEL_ERROR_SCHEMA,
///   KEEL_ERROR_MEMORY, and as keel_copy_world
keel_result keel_sqlite_write(const keel_world *world, const char *path,
                              const keel_sqlite_write_options *options);

/// Writes frames of a run into a database, several in one transaction.
typedef struct keel_sqlite_writer keel_sqlite_writer;

/// Begin to write frames. With `append` they come to the database that is there, and nobody else
/// writes into it from now, and from the first frame after a commit, until the next commit.
/// Without, or where none is there, the first commit puts a new file in its place, as
/// keel_sqlite_write does.
/// @param path copied
/// @param options NULL: all defaults; `frame` is not looked at. Copied; what `error` and
///   `components` point to is used until keel_sqlite_writer_close, `error` by each of the calls
/// @threads any; then one thread at a time
/// @return NULL on error, with its result in `error`: KEEL_ERROR_ARGUMENT (NULL), KEEL_ERROR_FILE,
///   KEEL_ERROR_FORMAT (append: the file is no such database), KEEL_ERROR_MEMORY
keel_sqlite_writer *keel_sqlite_writer_open(const char *path,
                                            const keel_sqlite_write_options *options);
/// Write a world as a frame, which others see after a commit. Different frames may be of different
/// worlds. On error this frame is not written, and those before it stay as they are; where SQLite
/// has dropped them, too (a full disk, memory), each later call is that error, until the writer is
/// closed. What was committed stays in any case.
/// @threads the world's owner
/// @return as keel_sqlite_write; KEEL_ERROR_OCCUPIED also for a frame that was added
keel_result keel_sqlite_writer_add(keel_sqlite_writer *writer, const keel_world *world,
                                   int64_t frame);
/// Bring all frames that were added to the disk: after KEEL_OK they are there, whatever happens
/// later. Where nothing was added nothing happens, and a file that is to be replaced stays.
/// @return KEEL_OK, KEEL_ERROR_ARGUMENT (NULL), KEEL_ERROR_FILE (where somebody reads the database
///   for long: commit again later, the frames are kept), KEEL_ERROR_MEMORY, or what lost frames
keel_result keel_sqlite_writer_commit(keel_sqlite_writer *writer);
/// Commit, and end the writer, also on error. NULL: nothing. A program that ends without it leaves
/// what was committed, and may leave a file `path.XXXXXX` of a new database.
/// @return as keel_sqlite_writer_commit: then what was not committed is not there
keel_result keel_sqlite_writer_close(keel_sqlite_writer *writer);

/// Load a frame into an empty world, in which nobody lives and no unique is set, or with `merge`
/// into a living one. Register the program's components before. Components are found by name and
/// fields by path, as they are now or were (`.saved_as`, `.was`); integers and floats may have
/// another width, as long as each value fits. A new field has its bytes of `.initial`, else zeros;
/// one that is not there any more is skipped. On error nothing has changed, and `options->error`
/// names file, table, column and row.
/// @param options NULL: all defaults
/// @invalidates as keel_copy_world
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ERROR_ARGUMENT (NULL, or the world is not empty), KEEL_ERROR_FILE,
///   KEEL_ERROR_FORMAT (no such database, damaged, impossible, above a limit), KEEL_ERROR_SCHEMA,
///   KEEL_ERROR_UNKNOWN (no such frame), KEEL_ERROR_MEMORY, and as keel_copy_world or
///   keel_merge_world
keel_result keel_sqlite_load(keel_world *world, const char *path,
                             const keel_sqlite_load_options *options);

#ifdef __cplusplus
}
#endif
