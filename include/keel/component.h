// SPDX-License-Identifier: MIT
/// @file component.h
/// Component descriptors: what a component is called, how large it is, how it is stored.
///
/// Most programs never touch this header: `KEEL_COMPONENT(Position);` (typed.h) writes the
/// descriptor, and a world learns of it on first use. The functions are for editors, scripts and
/// bindings, which make descriptors at run time.
///
/// **Identity** is the definition: name, base name of the declaring file, layout and storage.
/// Copies of one definition (a header used by several files, by C++, by a plug-in that is loaded
/// again) are the same component. The same name with any of these different is another component,
/// and a world that knows one refuses the other with KEEL_ERROR_COMPONENT, naming both places.
#pragma once
#include <keel/entity.h>
#include <keel/scope.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A world: see world.h.
typedef struct keel_world keel_world;

/// The largest component value, in bytes.
#define KEEL_MAX_COMPONENT_SIZE 65536u
/// The largest alignment of a component, in bytes.
#define KEEL_MAX_COMPONENT_ALIGN 4096u

/// How a component's values are laid out. It changes speed, memory, the order of iteration, and
/// which edits an open loop refuses (docs/storages.md).
typedef enum keel_storage {
    KEEL_SPARSE_SET, ///< packed values, found through a table by entity index; the default. For
                     ///< components that few entities have, or that come and go
    KEEL_INDEXED,  ///< a value lies at its entity's own index and never moves. For components that
                   ///< most entities have, and for stable pointers
    KEEL_ARCHETYPE ///< one table per set of such components, a column each. For sets that are
                   ///< looped over together in large, mixed populations
} keel_storage;

/// Changes that are tracked, as bits: `.tracking = KEEL_TRACK_INSERTION | KEEL_TRACK_REMOVAL`. See
/// track.h.
enum {
    KEEL_TRACK_NONE = 0,         ///< none; the default
    KEEL_TRACK_INSERTION = 1,    ///< the component was added to an entity that had none
    KEEL_TRACK_MODIFICATION = 2, ///< its value was written, or overwritten
    KEEL_TRACK_DELETION = 4,     ///< it was deleted; the value is kept for readers
    KEEL_TRACK_REMOVAL = 8,      ///< it was removed: whoever did it got the value
    KEEL_TRACK_ALL = 15          ///< all of these
};
/// Which threads may touch a component or unique whose values are not safe to use everywhere: a
/// window, a graphics context, a counter without atomics, an object of a script. The world's thread
/// is the one that made it, or adopted it (keel_adopt_world). A breach is KEEL_ERROR_THREAD.
typedef enum keel_threads {
    KEEL_THREADS_ANY,           ///< any, by the usual rules of borrowing; the default
    KEEL_THREADS_OWNER_WRITES,  ///< others may only read; values are added, written and taken away
                                ///< in the world's thread (Rust: Sync, not Send)
    KEEL_THREADS_ONE_AT_A_TIME, ///< any, but only one at a time, also to read; a second one gets
                                ///< KEEL_ERROR_BORROWED (Rust: Send, not Sync)
    KEEL_THREADS_OWNER_ONLY     ///< only the world's thread (Rust: neither)
} keel_threads;

/// What becomes of the sources of a relation when their target is deleted.
typedef enum keel_on_delete {
    KEEL_UNRELATE,       ///< they let go; the default
    KEEL_DELETE_SOURCES, ///< they are deleted before it
    KEEL_REFUSE          ///< it is not deleted: KEEL_ERROR_RELATED, unless they are deleted with it
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
    KEEL_FIELD_TEXT,   ///< char[count]: a text that ends at the first zero; what follows that is
                       ///< no value. A single char is a text of one letter
    KEEL_FIELD_OWNED_TEXT, ///< char *: a text from malloc that the value owns, or NULL. The
                           ///< component needs a drop and a copy hook
    KEEL_FIELD_STRUCT      ///< `count` bytes: structs of the type `of`
} keel_field_type;

/// A name of a value of an enum, or of bits of flags.
typedef struct keel_named_value {
    const char *name; ///< as it is printed and parsed
    int64_t value;    ///< what it stands for
} keel_named_value;

struct keel_field;

/// What a field is `.of`: a struct (its fields), an enum or flags (their names). Made by
/// KEEL_FIELDS, KEEL_ENUM and KEEL_FLAGS, or by hand for types made at run time.
typedef struct keel_type {
    const char *name;                ///< the C type's name
    uint32_t size;                   ///< structs: bytes of one
    const struct keel_field *fields; ///< structs: what is described of them
    uint32_t field_count;            ///< number of `fields`; 0: an enum or flags
    const keel_named_value *values;  ///< enums and flags: names; a number may have none
    uint32_t value_count;            ///< number of `values`
    bool is_flags;                   ///< values are bits, which may be set together
} keel_type;

/// One described field: made by KEEL_FIELDS, or by hand for run-time components. Zero members take
/// their defaults. The members from `of` on are options of KEEL_FIELD.
typedef struct keel_field {
    const char *name;     ///< the member's name; two of one struct need two
    keel_field_type type; ///< the type of one element
    uint32_t offset;      ///< bytes from the start of the value
    uint32_t count;       ///< elements (more than 1: an array); bytes for KEEL_FIELD_BYTES,
                          ///< KEEL_FIELD_TEXT and KEEL_FIELD_STRUCT
    const keel_type *of;  ///< structs, and integers that are enums or flags; default: none
    double min;           ///< numbers: the lowest that keel_field_parse takes
    double max;           ///< the highest; `min` and `max` both 0: any. Default: any
    const char *unit;     ///< what the number counts, for editors: "m/s"; default: none
    bool bytes;           ///< take the member for bytes, all of which count; default false
    bool hidden;          ///< editors should not show it; default false
    bool transient;  ///< left out of keel_world_hash, and of the texts of structs: for pointers
                     ///< and caches; default false
    const char *was; ///< what it was called earlier: files that say so are read; default: nothing
} keel_field;

/// Release what a value owns. Called once for each value that goes: deleted, overwritten, cleared,
/// or still there when the world is destroyed. It must not fail and must not call the world: an
/// edit is half done. Edits, views and systems are refused there (KEEL_ERROR_SHARED), as in all
/// hooks.
typedef void keel_drop_hook(void *value, void *hook_data);
/// Make `to` (uninitialised) an independent copy of `from`; false when that fails.
/// It must not call the world.
typedef bool keel_copy_hook(void *to, const void *from, void *hook_data);
/// Move the value from `from` to `to` (uninitialised); `from` is not dropped afterwards.
/// It must not fail and must not call the world.
typedef void keel_move_hook(void *to, void *from, void *hook_data);

/// A number for what the value means, for keel_world_hash: equal values, equal numbers, whatever
/// their addresses and padding are. It must not call the world.
typedef uint64_t keel_hash_hook(const void *value, void *hook_data);

/// A value as an older program saved it: read by the functions of whoever calls a keel_migrate_hook
/// (keel::save: keel_old_int and its like).
typedef struct keel_old_value keel_old_value;
/// Make what is missing of a value that an older version saved; what it has in common with that is
/// filled in. It must not call the world, and throw nothing.
/// @return KEEL_OK, or an error, with which loading ends
typedef keel_result keel_migrate_hook(const keel_old_value *old, void *value, void *hook_data);

/// What a value is written to and read from: by the functions of whoever calls these hooks
/// (keel::save: keel_stream_write and its like).
typedef struct keel_stream keel_stream;
/// Write what fields do not describe of a value: what it owns, in an order that `load` knows. It
/// must not call the world, and throw nothing.
/// @return KEEL_OK, or an error, with which saving ends
typedef keel_result keel_save_hook(const void *value, keel_stream *out, void *hook_data);
/// Read what `save` wrote into a value that has its described fields already. Bytes may be
/// anybody's: check what is read, and keel_stream_left before memory is taken for so many. On
/// error, too, it is a value that the drop hook can take. It must not call the world, and throw
/// nothing.
/// @return KEEL_OK, or an error, with which loading ends
typedef keel_result keel_load_hook(void *value, keel_stream *in, void *hook_data);

/// What a component is. Zero members take their defaults. Worlds copy what they need of it.
typedef struct keel_component {
    const char *name;         ///< default, if NULL: `type`. Unique in a world
    const char *type;         ///< the C type's name; filled by KEEL_COMPONENT
    uint32_t size;            ///< bytes of a value, a multiple of `align`, to 64 KiB; 0: a tag
    uint32_t align;           ///< a power of two to 4096; 0: 1
    keel_storage storage;     ///< default KEEL_SPARSE_SET
    uint32_t tracking;        ///< KEEL_TRACK_* bits; default none. Views that ask switch it on, too
    keel_drop_hook *drop;     ///< default: nothing to release
    keel_copy_hook *copy;     ///< default: bytes are copied; needed for copies when `drop` is set
    keel_move_hook *move;     ///< default: bytes are moved
    keel_hash_hook *hash;     ///< default: bytes are hashed: all with `no_padding`, else `fields`
    void *hook_data;          ///< handed to the hooks
    bool no_padding;          ///< your promise that every byte is value; default false
    bool transient;           ///< left out of keel_world_hash and keel_copy_world: for what belongs
                              ///< to this run only, such as pointers and caches; default false
    keel_threads threads;     ///< who may touch values; default KEEL_THREADS_ANY
    const keel_field *fields; ///< described fields, for editors, scripts and hashes; default none
    uint32_t field_count;     ///< number of `fields`
    bool is_unique;           ///< a unique, not a component; filled by KEEL_UNIQUE
    bool is_event;            ///< a type of events, and a unique; filled by KEEL_EVENT
    bool is_relation;         ///< a relation (relation.h); filled by KEEL_RELATION
    bool is_move_only;        ///< C++: the type has no copy constructor; filled by KEEL_COMPONENT
    bool exclusive;           ///< relations: a source has one target at most; default false
    bool acyclic;             ///< relations, exclusive ones: nobody comes to itself; default false
    bool symmetric;           ///< relations: both ends are source and target; default false
    keel_on_delete on_delete; ///< relations: what becomes of sources; default KEEL_UNRELATE
    uint32_t limit;           ///< events: how many are kept at most (events.h); default 65,536
    /// The value to begin with, of `size` bytes, copied with the copy hook. Components: what who
    /// gets one without a value has (KEEL_INIT(T), or brought by `required`); default: zeros.
    /// Uniques: what a world has when it first hears of the unique: when it is registered, or first
    /// looked at, set or named by a system or view. Taken away it stays away. Default: none until
    /// it is set. KEEL_COMPONENT and KEEL_UNIQUE take a pointer to the declared type only.
    const void *initial;
    /// Components: others that an entity with this one has, too, up to a NULL: KEEL_LIST(A, B). Who
    /// gets this one gets those that it lacks, and what they require, in the same edit. While it
    /// has this one they cannot be taken away or disabled alone: KEEL_ERROR_REQUIRED. Default:
    /// none.
    const struct keel_component *const *required;
    const char *saved_as; ///< its name in files, after it was renamed; default, if NULL: `name`
    uint32_t version;     ///< kept in files, with what it means up to you; default 0
    keel_migrate_hook *migrate; ///< called for each value that a lower version saved; default none
    keel_save_hook *save;       ///< files: writes what a value owns beside its fields; default none
    keel_load_hook *load;       ///< files: reads it; needed where `save` is set
    int line;                   ///< where it was declared
    const char *file;           ///< where it was declared; NULL: made at run time
    uint32_t *slot; ///< where Keel keeps what it resolved; filled by KEEL_COMPONENT, or NULL
    /// What this is a copy of: itself; filled by KEEL_COMPONENT. A copy may have another storage
    /// and other hooks in a world, and typed verbs find it; another component, of another name or
    /// size, needs `slot` and this to be NULL: KEEL_ERROR_COMPONENT.
    const struct keel_component *declared;
} keel_component;

/// What stands for living entities where a component is asked for: keel_observe_component,
/// keel_collect_component, keel_reserve_component and keel_component_count, in typed spelling
/// `keel_observe(world, keel_entities, KEEL_ON_CREATED, function, data)`. It is no component:
/// elsewhere it is KEEL_ERROR_ARGUMENT.
KEEL_API extern const keel_component keel_entities;

/// Make a component known to the world before its first use, or bring one that it knows already up
/// to date (a plug-in that was loaded again): its hooks are replaced; an `initial` value and a
/// `version`, where they are given, too; and `tracking` is added to what is tracked. Storage,
/// fields and where it was declared stay. An option that decides what is stored and is another one
/// than the world knows (`required`, `exclusive`, `acyclic`, `symmetric`, `on_delete`,
/// `no_padding`, `transient`, `threads`, `limit`, `saved_as`) is KEEL_ERROR_COMPONENT; a descriptor
/// with none of these options means the component as it is known. Everything `component` points to
/// is copied, but not what `hook_data`, `initial` and `required` point to, which must stay.
/// @return the world's own descriptor, valid until keel_unregister_component or the world's end;
/// NULL
///   on error, with nothing changed (KEEL_ERROR_COMPONENT, KEEL_ERROR_ARGUMENT, KEEL_ERROR_MEMORY,
///   KEEL_ERROR_SHARED, KEEL_ERROR_BORROWED where tracking is to begin: see keel_last_error)
/// @threads the world's owner
KEEL_API const keel_component *keel_register_component(keel_world *world,
                                                       const keel_component *component);

/// Forget a component: drop all its values and free its storage. Its name may then be used anew.
/// @invalidates the world's descriptor of it, keel_lookup, pointers to its values
/// @threads the world's owner
/// @return KEEL_OK, KEEL_ABSENT when the world does not know it, KEEL_ERROR_GROUPED while a group
///   names it, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED (in systems of a workload, too)
KEEL_API keel_result keel_unregister_component(keel_world *world, const keel_component *component);

/// The world's descriptor of the component of this name, or of the unique when no component has it,
/// or of the type of events; or NULL.
KEEL_API const keel_component *keel_find_component(const keel_world *world, const char *name);

/// Walk all components the world knows, in order of registration: pass NULL first, then the last
/// answer. Uniques are not listed; keel_child is.
/// @return NULL at the end
KEEL_API const keel_component *keel_next_component(const keel_world *world,
                                                   const keel_component *after);

/// Walk all uniques the world knows, set or not: pass NULL first, then the last answer. Types of
/// events are not listed.
/// @return NULL at the end
KEEL_API const keel_component *keel_next_unique(const keel_world *world,
                                                const keel_component *after);

/// Walk all types of events the world knows: pass NULL first, then the last answer. With
/// keel_next_component, whose relations say so (`is_relation`), and keel_next_unique these are all
/// that a world holds: the fields of each say the rest.
/// @return NULL at the end
KEEL_API const keel_component *keel_next_event_type(const keel_world *world,
                                                    const keel_component *after);

/// Walk the components of one entity, in order of registration: pass NULL first, then the last
/// answer. Those that are disabled are not listed (keel_is_component_disabled);
/// keel_child is.
/// @return NULL at the end, and for an entity that is not alive
KEEL_API const keel_component *keel_next_component_of(const keel_world *world, keel_entity e,
                                                      const keel_component *after);

/// How many entities have the component; 0 when the world does not know it, or the scope does not
/// hold `read` for it.
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
