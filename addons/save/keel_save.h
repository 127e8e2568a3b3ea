// SPDX-License-Identifier: MIT
/// @file keel_save.h
/// Saves a world to a file and loads it: `keel::save`, one call each. A later version of the
/// program can load the file if its components still fit. For text that people edit, see
/// keel_json.h; for queries, keel_sqlite.h. docs/tasks/saves.md.
///
///     keel_error why;
///     if (keel_save(world, "game.keel", &(keel_save_options){ .error = &why }) < 0)
///         puts(why.message);
///     if (keel_load(empty_world, "game.keel", &(keel_load_options){ .error = &why }) < 0)
///         puts(why.message);
///
/// **Contents:** all entities with their handles, free handles, components with values, disabled
/// components, the hierarchy, names, relations with values, and uniques. Not saved: `.transient`
/// components, uniques and fields; events, commands, systems; the order in which loops visit
/// values. The loaded world has the hash of the saved one (keel_world_hash).
///
/// **Bytes of a value:** its described fields (KEEL_FIELDS), owned texts included; all bytes with
/// `.no_padding` and without fields; and the bytes that a `.save` function writes. Saving a
/// component that has values and none of these is KEEL_ERROR_SCHEMA: nothing is left out silently.
///
/// **Changed programs:** components are matched by name (or `.saved_as`) and fields by path (or
/// `.was`), in any order. A new field has its value of `.initial`, or zero; a removed field is
/// skipped. A number may be wider if every value fits (i8 to i64, u8 to i16, bool to integers, f32
/// to f64, 16 bits to f32, 32 to f64); texts and arrays may be longer, or shorter if only empty
/// elements are lost. Values of an enum described with KEEL_ENUM are matched by name. Any other
/// change is KEEL_ERROR_SCHEMA, which names the field, unless `.narrow` allows it, or the component
/// has a higher `.version` than in the save, and a `.migrate` hook that reads the field.
///
/// **Hostile files:** a hash covers every byte, and every number is checked as if there were no
/// hash. A load reads into a private world, and changes the caller's only if all of the file is
/// valid.
///
/// **Format:** chunks of zstd, little-endian, the same on every machine.
#pragma once
#include <keel/keel.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The receiver of a save. `write` gets the bytes in pieces, in order, and returns false if it
/// fails: the save then ends with KEEL_ERROR_FILE.
typedef struct keel_save_sink {
    bool (*write)(void *context, const void *bytes, size_t size); ///< writes all of the bytes
    void *context;                                                ///< passed to every call
} keel_save_sink;

/// Options of saving. Zero members take their defaults.
typedef struct keel_save_options {
    keel_error *error; ///< filled on error, with the reason, the place and a remedy; may be NULL
} keel_save_options;

/// Options of loading. Zero members take their defaults.
typedef struct keel_load_options {
    keel_error *error; ///< filled on error; may be NULL
    /// Limit of the size of the file, and of all values together; default 1 GiB
    uint64_t max_bytes;
    /// Limit of the number of indices, free ones included; default 16,777,216
    uint32_t max_entities;
    /// Treatment of components that the world does not know; default: an error
    keel_unknown unknown;
    keel_load_report_fn *report; ///< called for each difference (keel_load_note); may be NULL
    void *report_data;           ///< passed to `report`
    /// Also convert to narrower types if each value fits: integers, a double to the nearest float,
    /// a float to an integer. Default false
    bool narrow;
    /// Merge the save into a world that may have entities, with these options (keel_merge_world).
    /// Default NULL: the world must be empty, and entities keep their handles
    const keel_merge_options *merge;
} keel_load_options;

/// Saves a world to a file. The new file is written as `path.XXXXXX` and replaces `path` when it is
/// on the disk: after any failure `path` is the old file or the new one. The new file keeps the
/// mode of the old file; without an old file only its owner can read it. The world is not copied:
/// the cost is the compressed bytes of its largest component in memory.
/// @param options NULL: all defaults
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ERROR_ARGUMENT (NULL), KEEL_ERROR_FILE, KEEL_ERROR_SCHEMA,
///   KEEL_ERROR_MEMORY, and as keel_visit_values
keel_result keel_save(const keel_world *world, const char *path, const keel_save_options *options);
/// Saves a world like keel_save, to a sink in place of a file. On error the sink may have got a
/// part of the save.
/// @return as keel_save; KEEL_ERROR_FILE if the sink returns false
keel_result keel_save_to(const keel_world *world, keel_save_sink sink,
                         const keel_save_options *options);

/// Saves the contents of a snapshot, while its world runs on: take a snapshot, which costs about a
/// millisecond (keel_snapshot_take), and save it on another thread. During the call the snapshot is
/// being read (keel_snapshot_read_begin): taking, restoring or destroying it is
/// KEEL_ERROR_BORROWED.
/// @threads any
/// @return as keel_save; KEEL_ABSENT if the snapshot is empty; KEEL_ERROR_SHARED while the snapshot
///   is being taken or restored; KEEL_ERROR_THREAD if a component with values is bound to another
///   thread
keel_result keel_save_snapshot(keel_snapshot *snapshot, const char *path,
                               const keel_save_options *options);

/// Loads a file into a world. Register the program's components first: keel_register, and
/// keel_register_component with KEEL_UNIQUE_OF(T) for uniques. Without `merge` the world must have
/// no entities and no uniques. On error the world has not changed, and `options->error` names file,
/// section and chunk, or component and field.
/// @param options NULL: all defaults
/// @invalidates as keel_copy_world, or keel_merge_world with `merge`
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ERROR_ARGUMENT (NULL, or the world is not empty), KEEL_ERROR_FILE,
///   KEEL_ERROR_FORMAT (the file is no save, damaged, invalid, or above a limit),
///   KEEL_ERROR_SCHEMA, KEEL_ERROR_MEMORY, the error of a `.migrate` or `.load` hook, and as
///   keel_copy_world or keel_merge_world
keel_result keel_load(keel_world *world, const char *path, const keel_load_options *options);
/// Loads a save like keel_load, from memory.
/// @return as keel_load
keel_result keel_load_from(keel_world *world, const void *bytes, size_t size,
                           const keel_load_options *options);

/// The following functions read fields of a value that an older program saved, inside a
/// keel_migrate_hook, by the paths of that program: `hp`, `at.x`, `slots[2]`. The hook is called
/// after each field with the same name (or `.was`) and a fitting type has been read. The hook can
/// read removed fields and fields of another type. It must read each field that does not fit at
/// least once: otherwise the load fails as without the hook.
///
/// Returns the version of the component in the program that saved it, lower than today's.
/// @threads any; while the hook is called
uint32_t keel_old_version(const keel_old_value *old);
/// Returns a number as an integer. A fraction is cut off; a uint64_t is returned bit by bit.
/// @return `otherwise` if there is no such field, or it is no number
int64_t keel_old_int(const keel_old_value *old, const char *path, int64_t otherwise);
/// Returns a number as a double.
/// @return `otherwise` if there is no such field, or it is no number
double keel_old_float(const keel_old_value *old, const char *path, double otherwise);
/// Returns a text, or the name of an enum's value.
/// @return valid until the hook returns; NULL for an owned text that was NULL; `otherwise` if there
///   is no such field, or it is neither a text nor an enum
const char *keel_old_text(const keel_old_value *old, const char *path, const char *otherwise);
/// Returns a reference to an entity, which may be dead.
/// @return `otherwise` if there is no such field, or it is no reference
keel_entity keel_old_entity(const keel_old_value *old, const char *path, keel_entity otherwise);

/// The following functions save and load the data that a value owns beside its fields, inside a
/// keel_save_hook and a keel_load_hook: `load` must read what `save` wrote, in the same order.
/// Numbers are little-endian in the file, and handles are the same in builds of both widths. The
/// writing functions return nothing: if memory runs out, the save fails. Both hooks run on the
/// thread that saves or loads.
///
/// Writes some bytes, at most 4 GiB in all for a value.
void keel_stream_write(keel_stream *out, const void *bytes, size_t size);
/// Writes an integer of any type, as 8 bytes.
void keel_stream_write_int(keel_stream *out, int64_t number);
/// Writes a float or double bit by bit, as 8 bytes.
void keel_stream_write_float(keel_stream *out, double number);
/// Writes a text, which may be NULL.
void keel_stream_write_text(keel_stream *out, const char *text);
/// Writes a reference to an entity. A load with `merge` gives entities other handles and does not
/// update this reference. For a reference that a merge must update, use a described field or a
/// relation.
void keel_stream_write_entity(keel_stream *out, keel_entity entity);

/// Returns the number of bytes that are left to read. A hook can check the length of a list against
/// it before it allocates memory.
size_t keel_stream_left(const keel_stream *in);
/// Returns the `.version` of the component in the program that saved the value.
uint32_t keel_stream_version(const keel_stream *in);
/// Reads some bytes. If fewer are left, returns false and fills `bytes` with zeros. A hook need not
/// check this result, nor those of the functions below: after a failed read, the load ends with
/// KEEL_ERROR_SCHEMA when the hook has returned.
bool keel_stream_read(keel_stream *in, void *bytes, size_t size);
/// Reads an integer; 0 if fewer than 8 bytes are left.
int64_t keel_stream_read_int(keel_stream *in);
/// Reads a float; 0 if fewer than 8 bytes are left.
double keel_stream_read_float(keel_stream *in);
/// Reads a text, which is valid until the hook returns. NULL if the saved text was NULL, or on
/// error.
const char *keel_stream_read_text(keel_stream *in);
/// Reads a reference to an entity, which may be dead. Null also on error.
keel_entity keel_stream_read_entity(keel_stream *in);

#ifdef __cplusplus
}
#endif
