// SPDX-License-Identifier: MIT
/// @file component.h
/// Component descriptors: the name, size, storage and options of a component, and functions to find
/// and list the components of a world.
///
/// Most programs never touch this header: `KEEL_COMPONENT(Position);` (typed.h) writes the
/// descriptor, and a world registers it on first use. The functions are for editors, scripts and
/// bindings, which make descriptors at run time.
///
/// **Identity.** Two descriptors are the same component if they have the same name, base name of
/// the declaring file, layout and storage. So several copies of one definition are one component:
/// those of a header that several C and C++ files include, or of a plug-in that is loaded again. If
/// two descriptors have the same name and differ in the rest, they are different components: a
/// world that knows one of them refuses the other with KEEL_ERROR_COMPONENT, and the message names
/// the places of both declarations.
#pragma once
#include <keel/entity.h>
#include <keel/scope.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The largest size of a component's value, in bytes.
#define KEEL_MAX_COMPONENT_SIZE 65536u
/// The largest alignment of a component, in bytes.
#define KEEL_MAX_COMPONENT_ALIGN 4096u

/// The layout of a component's values. It decides speed, memory, the order of iteration, and which
/// edits are refused inside an open loop (docs/understand/storages.md).
typedef enum keel_storage {
    KEEL_SPARSE_SET, ///< packed values, found through a table by entity index; the default. For
                     ///< components that few entities have, or that are often added and removed
    KEEL_INDEXED,    ///< each value lies at the index of its entity and never moves. For components
                     ///< that most entities have, and for stable pointers
    KEEL_ARCHETYPE   ///< one table for each combination of KEEL_ARCHETYPE components, with a column
                     ///< for each component. For components that are iterated together, in large
                     ///< populations with many combinations
} keel_storage;

/// The kinds of change that are tracked, as bits: `.tracking = KEEL_TRACK_INSERTION |
/// KEEL_TRACK_REMOVAL`. See track.h.
enum {
    KEEL_TRACK_NONE = 0,         ///< no kind; the default
    KEEL_TRACK_INSERTION = 1,    ///< an entity that lacked the component got it
    KEEL_TRACK_MODIFICATION = 2, ///< the value was written or overwritten
    KEEL_TRACK_DELETION = 4,     ///< the component was deleted; readers can still see the value
    KEEL_TRACK_REMOVAL = 8,      ///< the component was removed: the caller got the value
    KEEL_TRACK_ALL = 15          ///< all four kinds
};
/// The threads that may use a component or unique whose values are not safe on every thread: a
/// window, a graphics context, a counter without atomics, an object of a script. "The world's
/// thread" is the thread that made the world, or that adopted it (keel_adopt_world). A violation is
/// KEEL_ERROR_THREAD.
typedef enum keel_threads {
    KEEL_THREADS_ANY,           ///< any thread, by the usual rules of borrowing; the default
    KEEL_THREADS_OWNER_WRITES,  ///< other threads may only read; values are added, written and
                                ///< removed in the world's thread (Rust: Sync, not Send)
    KEEL_THREADS_ONE_AT_A_TIME, ///< any thread, but one at a time, for reading too; a second one
                                ///< gets KEEL_ERROR_BORROWED (Rust: Send, not Sync)
    KEEL_THREADS_OWNER_ONLY     ///< the world's thread only (Rust: neither)
} keel_threads;

/// The rule for the sources of a relation whose target is deleted.
typedef enum keel_on_delete {
    KEEL_UNRELATE,       ///< the sources stay alive and lose the target; the default
    KEEL_DELETE_SOURCES, ///< the sources are deleted, before the target
    KEEL_REFUSE ///< the deletion is refused (KEEL_ERROR_RELATED), unless the same call deletes all
                ///< sources
} keel_on_delete;

/// The type of a described field.
typedef enum keel_field_type {
    KEEL_FIELD_BYTES,  ///< `count` bytes that mean nothing to Keel
    KEEL_FIELD_BOOL,   ///< bool
    KEEL_FIELD_I8,     ///< int8_t
    KEEL_FIELD_U8,     ///< uint8_t
    KEEL_FIELD_I16,    ///< int16_t
    KEEL_FIELD_U16,    ///< uint16_t
    KEEL_FIELD_I32,    ///< int32_t
    KEEL_FIELD_U32,    ///< uint32_t
    KEEL_FIELD_I64,    ///< int64_t
    KEEL_FIELD_U64,    ///< uint64_t
    KEEL_FIELD_F32,    ///< float
    KEEL_FIELD_F64,    ///< double
    KEEL_FIELD_ENTITY, ///< keel_entity: a reference to another entity
    KEEL_FIELD_TEXT,   ///< char[count]: a text up to the first zero; the bytes behind it are not
                       ///< part of the value. A single char is a text of one letter
    KEEL_FIELD_OWNED_TEXT, ///< char *: a text from malloc that the value owns, or NULL. The
                           ///< component needs a drop and a copy hook
    KEEL_FIELD_STRUCT      ///< `count` bytes: structs of the type `of`
} keel_field_type;

/// A name for one value of an enum, or for bits of a set of flags.
typedef struct keel_named_value {
    const char *name; ///< the name, as it is printed and parsed
    int64_t value;    ///< the value or the bits that have this name
} keel_named_value;

struct keel_field;

/// The type that a field refers to with `.of`: a struct with its fields, or an enum or flags with
/// their names. KEEL_FIELDS, KEEL_ENUM and KEEL_FLAGS make a keel_type; for components made at run
/// time it is filled in by hand.
typedef struct keel_type {
    const char *name;                ///< the C type's name
    uint32_t size;                   ///< structs: bytes of one struct
    const struct keel_field *fields; ///< structs: the described fields
    uint32_t field_count;            ///< number of `fields`; 0: the type is an enum or flags
    const keel_named_value *values;  ///< enums and flags: the names; a value without a name is
                                     ///< allowed
    uint32_t value_count;            ///< number of `values`
    bool is_flags;                   ///< true: values are bits, and several may be set at once
} keel_type;

/// One described field of a value. KEEL_FIELDS makes it; fields of run-time components are filled
/// in by hand. Zero members take their defaults. The members from `of` on are options of
/// KEEL_FIELD.
typedef struct keel_field {
    const char *name;     ///< the member's name, unique in its struct
    keel_field_type type; ///< the type of one element
    uint32_t offset;      ///< bytes from the start of the value
    uint32_t count;       ///< elements (more than 1: an array); bytes for KEEL_FIELD_BYTES,
                          ///< KEEL_FIELD_TEXT and KEEL_FIELD_STRUCT
    const keel_type *of;  ///< the type of a struct, or of an integer that is an enum or flags;
                          ///< default: none
    double min;           ///< numbers: the lowest value that keel_field_parse accepts
    double max; ///< numbers: the highest value; `min` and `max` both 0: any value. Default: any
    const char *unit; ///< the unit of the number, for editors: "m/s"; default: none
    bool bytes;       ///< treat the member as bytes, all of which count; default false
    bool hidden;      ///< editors should not show it; default false
    bool transient;   ///< left out of keel_world_hash and of the texts of structs: for pointers and
                      ///< caches; default false
    const char *was;  ///< an earlier name: files that have the field under this name are read;
                      ///< default: none
} keel_field;

/// Releases what a value owns. Keel calls it once for each value that is deleted, overwritten,
/// cleared, or still in the world when the world is destroyed. It must not fail. No hook may call
/// the world, which is in the middle of an edit: edits, views and systems are refused with
/// KEEL_ERROR_SHARED.
typedef void keel_drop_hook(void *value, void *hook_data);
/// Makes `to` (uninitialised memory) an independent copy of `from`. It must not call the world.
/// @return false when the copy cannot be made
typedef bool keel_copy_hook(void *to, const void *from, void *hook_data);
/// Moves the value from `from` to `to` (uninitialised memory). Keel does not drop `from`
/// afterwards. It must not fail and must not call the world.
typedef void keel_move_hook(void *to, void *from, void *hook_data);

/// Returns the hash of a value, for keel_world_hash. Values with the same meaning must have the
/// same hash, whatever their addresses and padding are. It must not call the world.
typedef uint64_t keel_hash_hook(const void *value, void *hook_data);
/// Sets the padding of a value to zero, and leaves all other bytes and bits as they are.
typedef void keel_clear_padding(void *value);

/// A value as an older version of the program saved it. The library that calls the
/// keel_migrate_hook has functions that read its fields (keel::save: keel_old_int and its like).
typedef struct keel_old_value keel_old_value;
/// Fills in the parts of a value that an older version did not save. The load has already filled in
/// the fields that both versions have. The hook must not call the world, and must not throw.
/// @return KEEL_OK; an error ends the loading with that error
typedef keel_result keel_migrate_hook(const keel_old_value *old, void *value, void *hook_data);

/// A stream that a value is written to or read from. The library that calls the hooks below has
/// functions that write and read a stream (keel::save: keel_stream_write and its like).
typedef struct keel_stream keel_stream;
/// Writes the parts of a value that its described fields leave out: what the value owns, in an
/// order that `load` knows. It must not call the world, and must not throw.
/// @return KEEL_OK; an error ends the saving with that error
typedef keel_result keel_save_hook(const void *value, keel_stream *out, void *hook_data);
/// Reads what `save` wrote into a value whose described fields are filled in already. Other members
/// are those of `initial`, or zeros. In C++, a type with a default constructor and a copy
/// constructor begins as T(); the hook of another type with constructors constructs the value
/// first. The bytes may be damaged or hostile: check them, and ask keel_stream_left before
/// allocating memory for them. Also on error, the hook must leave a value that the drop hook
/// accepts. It must not call the world, and must not throw.
/// @return KEEL_OK; an error ends the loading with that error
typedef keel_result keel_load_hook(void *value, keel_stream *in, void *hook_data);

/// The descriptor of a component, unique, relation or type of events. Zero members take their
/// defaults. A world copies the descriptor when it registers the component.
typedef struct keel_component {
    const char *name;     ///< unique in a world; default, if NULL: `type`
    const char *type;     ///< the C type's name; filled by KEEL_COMPONENT
    uint32_t size;        ///< bytes of a value, a multiple of `align`, to 64 KiB; 0: a tag
    uint32_t align;       ///< a power of two to 4096; 0: 1
    keel_storage storage; ///< default KEEL_SPARSE_SET
    uint32_t tracking; ///< KEEL_TRACK_* bits; default none. A view that asks for changes switches
                       ///< tracking on, too
    keel_drop_hook *drop; ///< default: nothing to release
    keel_copy_hook *copy; ///< default: bytes are copied; needed for copies when `drop` is set
    keel_move_hook *move; ///< default: bytes are moved
    keel_hash_hook *hash; ///< default: bytes are hashed: all with `no_padding`, else `fields`, else
                          ///< all but those that `clear_padding` clears
    keel_clear_padding *clear_padding; ///< tells which bytes are padding; filled by KEEL_COMPONENT
                                       ///< where the compiler knows them, or NULL: unknown
    void *hook_data;                   ///< passed to the hooks
    bool no_padding; ///< promises that values have no padding: every byte is part of the value;
                     ///< default false
    bool transient;  ///< left out of keel_world_hash and keel_copy_world: for values that belong to
                     ///< this run only, such as pointers and caches; default false
    keel_threads threads;     ///< the threads that may use values; default KEEL_THREADS_ANY
    const keel_field *fields; ///< described fields, for editors, scripts and hashes; default none
    uint32_t field_count;     ///< number of `fields`
    bool is_unique;           ///< true: a unique, not a component; filled by KEEL_UNIQUE
    bool is_event;     ///< true: a type of events, which is a unique too; filled by KEEL_EVENT
    bool is_relation;  ///< true: a relation (relation.h); filled by KEEL_RELATION
    bool is_move_only; ///< C++: true if the type has no copy constructor; filled by KEEL_COMPONENT
    bool exclusive;    ///< relations: a source has at most one target; default false
    bool acyclic;      ///< exclusive relations: no chain of targets leads back to its beginning;
                       ///< default false
    bool symmetric;    ///< relations: each end is both source and target; default false
    keel_on_delete on_delete; ///< relations: the rule for sources of a deleted target; default
                              ///< KEEL_UNRELATE
    uint32_t limit;           ///< events: how many are kept at most (events.h); default 65,536
    /// The value to begin with, of `size` bytes, copied with the copy hook. KEEL_COMPONENT and
    /// KEEL_UNIQUE accept a pointer to the declared type only. For a component: the value of an
    /// entity that gets the component without a value (KEEL_INIT(T), or through `required`).
    /// Default: zeros. For a unique: the value that the world sets when the unique is registered,
    /// or first read, set, or named by a system or view. Once removed, the unique stays removed.
    /// Default: the unique is not set.
    const void *initial;
    /// Components: the other components that an entity with this component needs, a list that ends
    /// with NULL: KEEL_LIST(A, B). Adding this component also adds those that the entity lacks, and
    /// what they require, in the same edit. While the entity has this component, they cannot be
    /// removed or disabled alone: KEEL_ERROR_REQUIRED. Default: none.
    const struct keel_component *const *required;
    const char *saved_as; ///< name of the component in files, so that older files can be loaded
                          ///< after it was renamed; default, if NULL: `name`
    uint32_t version; ///< a number that is saved with the values; its meaning is yours; default 0
    keel_migrate_hook *migrate; ///< called for each value that a lower version saved; default none
    keel_save_hook *save; ///< files: writes what a value owns besides its fields; default none
    keel_load_hook *load; ///< files: reads the bytes that `save` wrote; needed if `save` is set
    int line;             ///< line of the declaration
    const char *file;     ///< file of the declaration; NULL: made at run time
    uint32_t *slot;       ///< place where Keel caches the number of the component; filled by
                          ///< KEEL_COMPONENT, or NULL
    /// The declared descriptor: this one itself; filled by KEEL_COMPONENT. A copy of the descriptor
    /// may choose another storage and other hooks for one world, and typed verbs still find it. To
    /// make another component from a copy (with another name or size), set `slot` and this member
    /// to NULL; otherwise it is KEEL_ERROR_COMPONENT.
    const struct keel_component *declared;
} keel_component;

/// Stands for "all living entities" where a component is expected: in keel_observe_component,
/// keel_collect_component, keel_reserve_component and keel_component_count. Typed:
/// `keel_observe(world, keel_entities, KEEL_ON_CREATED, function, data)`. It is no component: all
/// functions but these, keel_hash_component and keel_hash_blocks return KEEL_ERROR_ARGUMENT for it.
KEEL_API extern const keel_component keel_entities;

/// Registers a component with the world before its first use, or updates a component that the world
/// knows already (after a plug-in was loaded again). An update replaces the hooks, replaces
/// `initial` and `version` if the descriptor sets them, and adds `tracking` to the kinds that are
/// tracked. Storage, fields and place of declaration do not change. An update that changes how
/// values are stored (`required`, `exclusive`, `acyclic`, `symmetric`, `on_delete`, `no_padding`,
/// `transient`, `threads`, `limit`, `saved_as`) is KEEL_ERROR_COMPONENT. A descriptor that sets
/// none of these options leaves them as the world knows them. The world copies all that `component`
/// points to, except the targets of `hook_data`, `initial` and `required`, which must stay valid.
/// @return the world's own descriptor, valid until keel_unregister_component or the world's end;
///   NULL on error, with nothing changed (KEEL_ERROR_COMPONENT, KEEL_ERROR_ARGUMENT,
///   KEEL_ERROR_MEMORY, KEEL_ERROR_SHARED, KEEL_ERROR_BORROWED if tracking would begin while the
///   storage is in use: see keel_last_error)
/// @threads the world's owner
KEEL_API const keel_component *keel_register_component(keel_world *world,
                                                       const keel_component *component);

/// Unregisters a component: drops all its values and frees its storage. Afterwards its name can be
/// used for another component.
/// @invalidates the world's descriptor of the component, its keel_lookup, pointers to its values
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ABSENT when the world does not know it, KEEL_ERROR_GROUPED while a group
///   names it, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED (in systems of a workload, too)
KEEL_API keel_result keel_unregister_component(keel_world *world, const keel_component *component);

/// Returns the world's descriptor of the component with this name. If no component has the name,
/// returns the unique with this name, or else the type of events with this name; NULL if there is
/// none.
KEEL_API const keel_component *keel_find_component(const keel_world *world, const char *name);

/// Iterates over all components of the world, in order of registration: pass NULL first, then the
/// last answer. keel_child is listed, uniques are not.
/// @return NULL at the end
KEEL_API const keel_component *keel_next_component(const keel_world *world,
                                                   const keel_component *after);

/// Iterates over all uniques that the world knows, set or not: pass NULL first, then the last
/// answer. Types of events are not listed.
/// @return NULL at the end
KEEL_API const keel_component *keel_next_unique(const keel_world *world,
                                                const keel_component *after);

/// Iterates over all types of events that the world knows: pass NULL first, then the last answer.
/// Together with keel_next_component (relations have `is_relation`) and keel_next_unique, this
/// lists everything that a world holds; the fields of each descriptor describe the values.
/// @return NULL at the end
KEEL_API const keel_component *keel_next_event_type(const keel_world *world,
                                                    const keel_component *after);

/// Iterates over the components of one entity, in order of registration: pass NULL first, then the
/// last answer. keel_child is listed. Disabled components are not (keel_is_component_disabled).
/// @return NULL at the end, and for an entity that is not alive
KEEL_API const keel_component *keel_next_component_of(const keel_world *world, keel_entity e,
                                                      const keel_component *after);

/// Returns the number of entities that have the component. 0 when the world does not know the
/// component, or the scope does not hold `read` for it.
/// @param component &keel_entities: keel_entity_count
KEEL_API uint32_t keel_component_count(const keel_scope *scope, const keel_component *component);

#ifdef __cplusplus
}
#endif

// clang-format off
/// @cond macros that let the functions above take their scopes as they are
#define keel_component_count(scope, ...) keel_component_count(KEELI_TO_READ(scope), __VA_ARGS__)
/// @endcond
// clang-format on
