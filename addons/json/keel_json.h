// SPDX-License-Identifier: MIT
/// @file keel_json.h
/// Worlds as JSON, for levels that people edit: `keel::json`. docs/json.md has the format.
///
/// Only described fields are written (KEEL_FIELDS); a component with a value but without fields is
/// written as its bytes in base64, or refused where it has hooks. What is `.transient` is left out.
#pragma once
#include <keel/keel.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How a world is written. Zero members take their defaults.
typedef struct keel_json_write_options {
    /// Write the handles of named entities, too, and references to entities that are dead, so that
    /// a world that is loaded has the same keel_world_hash. Default false: named entities get any
    /// handle, and a reference to a dead one is null.
    bool handles;
    keel_allocator allocator; ///< default malloc and free
    /// What the member "$schema" says, by which editors find the schema (keel_json_write_schema): a
    /// path or an address. Default: there is none
    const char *schema;
} keel_json_write_options;

/// How a text is loaded. Zero members take their defaults.
typedef struct keel_json_load_options {
    const char *name;         ///< what errors call the text; default: the path, or "json"
    size_t max_bytes;         ///< of the text; default 64 MB
    uint32_t max_index;       ///< the highest index of an entity; default 1,048,575
    keel_allocator allocator; ///< default malloc and free
    /// The world is a living one, into which all of it comes: how (keel_merge_world). Default NULL:
    /// the world is empty, and entities keep their handles
    const keel_merge_options *merge;
    keel_unknown unknown;        ///< components that the world does not know; default: an error
    keel_load_report_fn *report; ///< told what is left out; default: nobody hears
    void *report_data;           ///< handed to `report`
} keel_json_load_options;

/// Takes a text of `length` bytes; false when that fails.
typedef bool keel_json_sink(void *context, const char *text, size_t length);

/// Write a world into a file: beside its place, and moved there when it is whole, as keel_save
/// does; on Windows in its place.
/// @param options NULL: all defaults
/// @param error receives what is wrong; may be NULL
/// @return KEEL_OK; KEEL_ERROR_FILE; KEEL_ERROR_TEXT for a text or name that is not UTF-8;
///   KEEL_ERROR_COPY for a value with hooks and no fields, or with `.save`, and as keel_copy_world;
///   KEEL_ERROR_MEMORY, KEEL_ERROR_ARGUMENT. The file is as before
/// @threads the world's owner
KEEL_API keel_result keel_json_write(const keel_world *world, const char *path,
                                     const keel_json_write_options *options, keel_error *error);

/// The same into a function, which is called once.
/// @return as keel_json_write; KEEL_ERROR_FILE when the sink answers false
KEEL_API keel_result keel_json_write_to(const keel_world *world, keel_json_sink *sink,
                                        void *context, const keel_json_write_options *options,
                                        keel_error *error);

/// Write a JSON Schema (draft 2020-12) of the levels that the world can load: an editor that has it
/// completes names of components, fields and values of enums, and marks what is wrong. It is about
/// the components, relations and uniques that the world knows now; what is in the world does not
/// matter. What it cannot say, such as that an entity is there, the loader says.
/// @param error receives what is wrong; may be NULL
/// @return KEEL_OK; KEEL_ERROR_FILE; KEEL_ERROR_TEXT for a name that is not UTF-8;
///   KEEL_ERROR_MEMORY, KEEL_ERROR_ARGUMENT. The file is as before
/// @threads the world's owner
KEEL_API keel_result keel_json_write_schema(const keel_world *world, const char *path,
                                            keel_error *error);
/// The same into a function, which is called once.
/// @return as keel_json_write_schema; KEEL_ERROR_FILE when the sink answers false
KEEL_API keel_result keel_json_write_schema_to(const keel_world *world, keel_json_sink *sink,
                                               void *context, keel_error *error);

/// Load a file into a world that knows the components. Without `merge` no entity is alive in it and
/// no unique is set, and entities that have no name keep their handles.
/// @param options NULL: all defaults
/// @param error receives the file, the line and what is wrong; may be NULL
/// @return KEEL_OK, or an error with the world unchanged: KEEL_ERROR_FILE when it cannot be read,
///   KEEL_ERROR_TEXT for what is no JSON, no such value, or too large, KEEL_ERROR_UNKNOWN for an
///   unknown component, field or entity, KEEL_ERROR_OCCUPIED for a name or handle that is there
///   twice, KEEL_ERROR_MEMORY, and as keel_copy_world or keel_merge_world
/// @threads the world's owner
KEEL_API keel_result keel_json_load(keel_world *world, const char *path,
                                    const keel_json_load_options *options, keel_error *error);

/// The same from memory.
/// @param text `length` bytes, which need no zero at their end
/// @return as keel_json_load
KEEL_API keel_result keel_json_load_text(keel_world *world, const char *text, size_t length,
                                         const keel_json_load_options *options, keel_error *error);

#ifdef __cplusplus
}
#endif
