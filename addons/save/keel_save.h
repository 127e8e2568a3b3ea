// SPDX-License-Identifier: MIT
/// @file keel_save.h
/// Saves: a world as a file, and back. One call each; a save of an older program loads where its
/// components still fit.
///
/// **What is saved:** all entities with their handles, the handles that are free, components with
/// values, disabled ones too, the hierarchy, names, relations with values, and uniques. Not saved:
/// what is `.transient`, components, uniques and fields alike; events, commands, code. The hash of
/// the loaded world (keel_world_hash) is that of the saved one. In which order loops visit values
/// is not saved.
///
/// **Which bytes:** the described fields (KEEL_FIELDS), texts that a value owns among them, or all
/// bytes with `.no_padding`, and what a `.save` function writes. A component with values that has
/// none of them is KEEL_ERROR_SCHEMA: nothing is left out silently.
///
/// **Changes of the program:** components are found by name (or `.saved_as`) and fields by path (or
/// `.was`), in any order. A new field begins as `.initial` says, else with zeros; one that is not
/// there any more is skipped. Numbers may have become wider where each value has a place (i8 to
/// i64, u8 to i16, bool to integers, f32 to f64, 16 bits to f32, 32 to f64), texts and arrays
/// longer, and shorter where what is lost is empty. Values of enums that KEEL_ENUM describes go by
/// name. All else is KEEL_ERROR_SCHEMA, which names the field, unless `.narrow` allows it, or the
/// component has a higher `.version` than the save, and a `.migrate` that asks for the field.
/// docs/saves.md.
///
/// **Hostile files:** every byte is under a hash, and every number is checked as if there were no
/// hash. A file is read into a private world; the caller's is touched when all of that is done.
///
/// The file is zstd over planes of bytes, in chunks; little-endian, the same on every machine.
#pragma once
#include <keel/keel.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Where the bytes of a save go: called with one piece after the other; false is
/// KEEL_ERROR_FILE, and ends it.
typedef struct keel_save_sink {
    bool (*write)(void *context, const void *bytes, size_t size); ///< takes all of it, or fails
    void *context;                                                ///< handed to every call
} keel_save_sink;

/// How to save. Zero members take their defaults.
typedef struct keel_save_options {
    keel_error *error; ///< filled on error: what, where, and what to do; default: nobody hears
} keel_save_options;

/// How to load. Zero members take their defaults.
typedef struct keel_load_options {
    keel_error *error;     ///< filled on error; default: nobody hears
    uint64_t max_bytes;    ///< the largest file, and the most bytes of values in it; default 1 GiB
    uint32_t max_entities; ///< entities, dead indices included; default 16,777,216
    keel_unknown unknown;  ///< components that the world does not know; default: an error
    keel_load_report_fn *report; ///< told what is left out or made up; default: nobody hears
    void *report_data;           ///< handed to `report`
    /// Take numbers from wider types, too: integers, a double as the nearest float, a float as an
    /// integer, where each value fits; default false
    bool narrow;
    /// The world is a living one, into which all of it comes: how (keel_merge_world). Default NULL:
    /// the world is empty, and entities keep their handles
    const keel_merge_options *merge;
} keel_load_options;

/// Save a world to a file. The file is written beside its place, under `path` with `.XXXXXX` behind
/// it, and moved there when all of it is on the disk: whatever fails, the file at `path` is the old
/// one or the new one. It keeps the mode of the old one; a new one can be read by its owner only.
/// The world is only looked at; memory is needed for the packed bytes of its largest component.
/// @param options NULL: all defaults
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ERROR_ARGUMENT (NULL), KEEL_ERROR_FILE, KEEL_ERROR_SCHEMA,
///   KEEL_ERROR_MEMORY, and as keel_visit_values
keel_result keel_save(const keel_world *world, const char *path, const keel_save_options *options);
/// The same to a sink, which has some of it already when an error comes.
/// @return as keel_save; KEEL_ERROR_FILE: the sink said no
keel_result keel_save_to(const keel_world *world, keel_save_sink sink,
                         const keel_save_options *options);

/// The same of what a snapshot holds, while its world goes on: take a snapshot in a millisecond or
/// a few (keel_snapshot_take), and save it on another thread. The snapshot is read until the end
/// (keel_snapshot_read_begin): meanwhile a take, a restore and its end are KEEL_ERROR_BORROWED.
/// @threads any
/// @return as keel_save; KEEL_ABSENT: nothing was taken yet; KEEL_ERROR_SHARED: it is being taken
///   or restored; KEEL_ERROR_THREAD: a component with values is bound to another thread
keel_result keel_save_snapshot(keel_snapshot *snapshot, const char *path,
                               const keel_save_options *options);

/// Load a file into an empty world, in which nobody lives and no unique is set, or with `merge`
/// into a living one. Register the program's components before: keel_register, and
/// keel_register_component with KEEL_UNIQUE_OF(T) for uniques. On error nothing has changed, and
/// `options->error` names file, section and chunk, or component and field.
/// @param options NULL: all defaults
/// @invalidates as keel_copy_world
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ERROR_ARGUMENT (NULL, or the world is not empty), KEEL_ERROR_FILE,
///   KEEL_ERROR_FORMAT (no save, damaged, impossible, above a limit), KEEL_ERROR_SCHEMA,
///   KEEL_ERROR_MEMORY, what a `.migrate` returned, and as keel_copy_world or keel_merge_world
keel_result keel_load(keel_world *world, const char *path, const keel_load_options *options);
/// The same from memory.
/// @return as keel_load
keel_result keel_load_from(keel_world *world, const void *bytes, size_t size,
                           const keel_load_options *options);

/// The fields of a value that an older program saved, for keel_migrate_hook: by the paths of that
/// time, `hp`, `at.x`, `slots[2]`. It is called when all that has the same name, or `.was` so, and
/// a type that fits is there already, and may look at fields that are gone or of another type. Of a
/// field that does not fit it must ask at least once: else loading fails as without it.
///
/// The version that saved it: lower than the component's.
/// @threads any; while the hook is called
uint32_t keel_old_version(const keel_old_value *old);
/// A number as an integer: what is behind the point is cut off, a uint64_t comes as its bits.
/// @return `otherwise` when there is no such field, or it is no number
int64_t keel_old_int(const keel_old_value *old, const char *path, int64_t otherwise);
/// A number as a double.
/// @return `otherwise` when there is no such field, or it is no number
double keel_old_float(const keel_old_value *old, const char *path, double otherwise);
/// A text, or the name of an enum's value.
/// @return valid until the hook returns; NULL for an owned text that was NULL; `otherwise` when
///   there is no such field, or it is neither
const char *keel_old_text(const keel_old_value *old, const char *path, const char *otherwise);
/// A reference to an entity, which may be dead.
/// @return `otherwise` when there is no such field, or it is none
keel_entity keel_old_entity(const keel_old_value *old, const char *path, keel_entity otherwise);

/// What a value owns beside its fields, for keel_save_hook and keel_load_hook: `save` writes,
/// `load` reads the same in the same order. Numbers are little-endian in the file, and handles mean
/// the same in builds of both widths. Memory that runs out is the error of the save, so nothing is
/// returned. Both hooks run on the thread that saves or loads.
///
/// Some bytes, at most 4 GiB for one value.
void keel_stream_write(keel_stream *out, const void *bytes, size_t size);
/// An integer of any type; 8 bytes.
void keel_stream_write_int(keel_stream *out, int64_t number);
/// A float or double, bit by bit; 8 bytes.
void keel_stream_write_float(keel_stream *out, double number);
/// A text; NULL is one, too.
void keel_stream_write_text(keel_stream *out, const char *text);
/// A reference to an entity. It does not follow where entities get other handles (`merge`): for
/// that describe it as a field, or make it a relation.
void keel_stream_write_entity(keel_stream *out, keel_entity entity);

/// Bytes that are left: no list can have more items than that.
size_t keel_stream_left(const keel_stream *in);
/// The `.version` of the component in the program that saved it.
uint32_t keel_stream_version(const keel_stream *in);
/// Some bytes. Where there are not as many they become zeros, it is false, and loading ends with
/// KEEL_ERROR_SCHEMA when the hook is done, as after each of the following; so it need not be
/// asked.
bool keel_stream_read(keel_stream *in, void *bytes, size_t size);
/// An integer; 0 when there is none.
int64_t keel_stream_read_int(keel_stream *in);
/// A float; 0 when there is none.
double keel_stream_read_float(keel_stream *in);
/// A text, which is there until the hook returns: copy it. NULL: it was NULL, or there is none.
const char *keel_stream_read_text(keel_stream *in);
/// A reference to an entity, which may be dead; null when there is none.
keel_entity keel_stream_read_entity(keel_stream *in);

#ifdef __cplusplus
}
#endif
