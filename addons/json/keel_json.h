// SPDX-License-Identifier: MIT
/// @file keel_json.h
/// Writes worlds as JSON and loads them, for levels that people edit: `keel::json`.
/// docs/tasks/levels.md explains levels. For files that only programs read, keel_save.h is smaller
/// and faster.
///
///     keel_error why;
///     if (keel_json_load(world, "level.json", NULL, &why) < 0) puts(why.message);
///     if (keel_json_write(world, "level.json", NULL, &why) < 0) puts(why.message);
///
/// A component's value is written by its described fields (KEEL_FIELDS). A value without described
/// fields is written as its bytes in base64, or is an error if the component has hooks. Components,
/// fields and uniques that are `.transient` are not written.
#pragma once
#include <keel/keel.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Options of writing. Zero members take their defaults.
typedef struct keel_json_write_options {
    /// Also write the handles of named entities, and references to dead entities, so that the
    /// loaded world has the same keel_world_hash. Default false: a load gives a named entity any
    /// free handle, and a reference to a dead entity is written as null
    bool handles;
    keel_allocator allocator; ///< memory of the text and a copy of the world; default malloc, free
    /// The value of the member "$schema", a path or an address by which editors find the schema
    /// (keel_json_write_schema). Default NULL: no such member
    const char *schema;
} keel_json_write_options;

/// Options of loading. Zero members take their defaults.
typedef struct keel_json_load_options {
    const char *name; ///< name of the text in errors; default: the path, or "json"
    size_t max_bytes; ///< longest text that is accepted, in bytes; default 64 MiB
    /// Highest entity index that a handle in the text may have; default 1,048,575
    uint32_t max_index;
    keel_allocator allocator; ///< memory of tokens and a private world; default malloc and free
    /// Merge the level into a world that may have entities, with these options (keel_merge_world).
    /// Default NULL: the world must be empty, and entities keep the handles of the text
    const keel_merge_options *merge;
    /// Treatment of components that the world does not know; default: an error
    keel_unknown unknown;
    keel_load_report_fn *report; ///< called for each name of a skipped component; may be NULL
    void *report_data;           ///< passed to `report`
} keel_json_load_options;

/// Receives a text of `length` bytes, which is valid during the call. Returns false if it fails.
typedef bool keel_json_sink(void *context, const char *text, size_t length);

/// Writes a world into a file. The text goes to a new file beside it, which then replaces `path`,
/// as keel_save does; on Windows it overwrites `path`. Costs a copy of the world, and the text in
/// memory.
/// @param options NULL: all defaults
/// @param error filled on error; may be NULL
/// @return KEEL_OK; KEEL_ERROR_FILE; KEEL_ERROR_TEXT for a text or name that is not UTF-8;
///   KEEL_ERROR_COPY for a component with hooks and no described fields, or with `.save`, and as
///   keel_copy_world; KEEL_ERROR_MEMORY, KEEL_ERROR_ARGUMENT. On error the file stays as it was,
///   but for a failed write on Windows
/// @threads the world's owner
KEEL_API keel_result keel_json_write(const keel_world *world, const char *path,
                                     const keel_json_write_options *options, keel_error *error);

/// Writes a world like keel_json_write, to a function in place of a file. `sink` is called once,
/// with the whole text.
/// @return as keel_json_write; KEEL_ERROR_FILE if the sink returns false
KEEL_API keel_result keel_json_write_to(const keel_world *world, keel_json_sink *sink,
                                        void *context, const keel_json_write_options *options,
                                        keel_error *error);

/// Writes a JSON Schema (draft 2020-12) of the levels that the world can load. With the schema, an
/// editor completes names of components, fields and enum values, and marks mistakes. The schema
/// describes the components, relations and uniques that the world knows now, and does not depend on
/// entities. Some rules cannot be in a schema, such as that a referenced entity exists: only the
/// loader checks them.
/// @param error filled on error; may be NULL
/// @return KEEL_OK; KEEL_ERROR_FILE; KEEL_ERROR_TEXT for a name that is not UTF-8;
///   KEEL_ERROR_MEMORY, KEEL_ERROR_ARGUMENT. On error the file stays as with keel_json_write
/// @threads the world's owner
KEEL_API keel_result keel_json_write_schema(const keel_world *world, const char *path,
                                            keel_error *error);
/// Writes a schema like keel_json_write_schema, to a function in place of a file. `sink` is called
/// once, with the whole text.
/// @return as keel_json_write_schema; KEEL_ERROR_FILE if the sink returns false
KEEL_API keel_result keel_json_write_schema_to(const keel_world *world, keel_json_sink *sink,
                                               void *context, keel_error *error);

/// Loads a file into a world. Register the program's components first. Without `merge` the world
/// must have no entities and no uniques, and entities without a name keep their handles. The level
/// is read into a private world and then copied or merged, so an error leaves the world unchanged.
/// @param options NULL: all defaults
/// @param error filled on error, with the file, the line and the reason; may be NULL
/// @invalidates as keel_copy_world, or keel_merge_world with `merge`
/// @return KEEL_OK; KEEL_ERROR_FILE if the file cannot be read; KEEL_ERROR_TEXT if the text is no
///   JSON, a value does not fit its field, or the text is too large; KEEL_ERROR_UNKNOWN for an
///   unknown component, field or entity; KEEL_ERROR_OCCUPIED for a name or handle that appears
///   twice; KEEL_ERROR_MEMORY; and as keel_copy_world or keel_merge_world
/// @threads the world's owner
KEEL_API keel_result keel_json_load(keel_world *world, const char *path,
                                    const keel_json_load_options *options, keel_error *error);

/// Loads a text like keel_json_load, from memory.
/// @param text `length` bytes; no zero at the end is needed
/// @return as keel_json_load
KEEL_API keel_result keel_json_load_text(keel_world *world, const char *text, size_t length,
                                         const keel_json_load_options *options, keel_error *error);

#ifdef __cplusplus
}
#endif
