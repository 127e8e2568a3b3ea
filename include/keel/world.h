// SPDX-License-Identifier: MIT
/// @file world.h
/// The world: it holds all entities, components and uniques. It also stores the last error, and the
/// first error since keel_clear_errors.
///
/// A world is in **owner mode**: the thread that uses it is its owner. Between keel_share_begin and
/// keel_share_end it is in **shared mode**: every thread may open views and record commands, and
/// structural edits through the world are refused with KEEL_ERROR_SHARED. Two worlds never share
/// anything.
///
///     keel_world *world = keel_world_create(NULL);
///     keel_entity ship = keel_add_entity(world, KEEL_INIT(Position, {1, 2}));
///     keel_add(world, ship, Velocity, {3, 4});
///     keel_run(world, move);
///     keel_world_destroy(world);
#pragma once
#include <keel/component.h>
#include <keel/executor.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(KEEL_ENTITY_32) && KEEL_ENTITY_32
// A program built for one handle width must not link with a library built for the other.
#define keel_world_create keel_world_create_with_32_bit_entities
#endif

/// The reaction to a contract violation in builds without NDEBUG (KEEL_CHECKED).
typedef enum keel_misuse {
    KEEL_MISUSE_ASSERT, ///< calls the assertion handler, then returns the error; the default
    KEEL_MISUSE_RETURN  ///< only returns the error: for editors, script hosts and tests
} keel_misuse;

/// The options of a new world. Zero members take their defaults.
typedef struct keel_world_desc {
    const char *name;         ///< name for log lines; default "world"
    keel_allocator allocator; ///< default malloc and free
    keel_logger log;          ///< default stderr
    keel_misuse on_misuse;    ///< default KEEL_MISUSE_ASSERT
    uint32_t entity_capacity; ///< entities to allocate at once; default 0: grow on demand
    /// Threads that may work at once, the thread that calls keel_run* included. Default 0: one for
    /// each core that the process may use, or all workers of `executor`. 1: only the calling
    /// thread. With an executor: a limit, at most its own worker_count.
    uint32_t worker_count;
    /// The job system that runs systems beside the calling thread. Default NULL: threads of the
    /// world's own, which start when they are first needed. The struct is copied; its context must
    /// outlive the world.
    const keel_executor *executor;
    /// The rule for children when keel_delete_entity and its like delete their parent. Default
    /// KEEL_UNRELATE: they become roots. KEEL_DELETE_SOURCES: they and all their descendants are
    /// deleted, too. KEEL_REFUSE: the parent is not deleted (KEEL_ERROR_RELATED), unless the same
    /// call deletes them. The rule does not apply to keel_strip, keel_clear_entities,
    /// keel_delete_entity_unchecked and the end of the world.
    keel_on_delete on_parent_delete;
} keel_world_desc;

/// Creates a world. Destroy it with keel_world_destroy.
/// @param desc NULL: all defaults. It is copied
/// @return NULL when out of memory, or when `desc` is invalid: an executor without `submit` or
///   without workers, more workers than the executor has or than KEEL_MAX_WORKERS. An invalid
///   `desc` is a contract violation (see `on_misuse`), and the log has the reason
KEEL_API keel_world *keel_world_create(const keel_world_desc *desc);

/// Drops every value and frees the world. NULL is allowed. The log names views that are still open.
/// Recorded commands that were never applied are dropped. Afterwards nothing that belongs to the
/// world may be used: its views, ended ones too, loops over them (KEEL_EACH), readers, lookups.
/// Code that the world runs (a system, an observer, a command) cannot destroy it: the call is
/// refused (keel_last_error has KEEL_ERROR_BORROWED), and the world is not destroyed.
KEEL_API void keel_world_destroy(keel_world *world);

/// Returns the last error, which says why the most recent failed call failed. Every call on a world
/// that returns a negative result stores its error in the world, unless its documentation says
/// otherwise. Success and KEEL_ABSENT do not clear the error. Its `result` is KEEL_OK when there
/// was no error since keel_clear_errors.
///
/// A run of a workload counts as one call. Its error is that of the failed system that is first in
/// the order of the steps, whichever system failed first in time. It becomes the last error of the
/// world when the run has ended, and also the first error if there was none. During the run, a
/// system that has the whole world (KEEL_WORLD) gets its own last error from this function.
/// @return valid until the world is destroyed; the next error overwrites it
/// @threads the owner, while no other thread uses the world
KEEL_API const keel_error *keel_last_error(const keel_world *world);

/// Returns the first error since keel_clear_errors, which is often the cause of the others;
/// otherwise like keel_last_error. A game may call it once per frame, and then keel_clear_errors.
/// KEEL_ERROR_DEAD_ENTITY and KEEL_ERROR_COUNT are ordinary in games: they become the last error,
/// but not the first one, and are not logged.
KEEL_API const keel_error *keel_first_error(const keel_world *world);

/// Clears the first and the last error.
KEEL_API void keel_clear_errors(keel_world *world);

/// Returns the number of living entities.
/// @param scope a view needs KEEL_TERM_MAY_EDIT_ENTITIES, because other threads may be adding
///   entities; the context of a system needs no declared access
KEEL_API uint32_t keel_entity_count(const keel_scope *scope);

/// Iterates over all living entities in ascending order of their indices: pass null first, then the
/// last answer. The walk also works when the last answer was deleted in between.
/// @return null at the end
KEEL_API keel_entity keel_next_entity(const keel_world *world, keel_entity after);

/// Iterates over the free handles, which entities that are created later get before any new index
/// is used, in this order. Pass null first, then the last answer. The function is made for saves.
/// To give a new world the same free handles, go through them from the last to the first; add each
/// with its version lowered by 1 (keel_add_entity_at), and delete it. Indices that
/// keel_add_entity_at skipped are not listed, nor indices whose versions are used up.
/// @param after null, or a handle that is free now; any other ends the walk
/// @return null at the end
KEEL_API keel_entity keel_next_free_entity(const keel_world *world, keel_entity after);

/// True if `e` is alive. False for null, and for handles of deleted entities. A handle of another
/// world may by chance also be the handle of a living entity of this world.
/// @param scope any; no access need be declared
KEEL_API bool keel_is_alive(const keel_scope *scope, keel_entity e);

/// Returns the handle of the living entity at an index, for indices from other programs, files and
/// messages.
/// @param scope any; no access need be declared
/// @return null when no entity is alive at the index
KEEL_API keel_entity keel_entity_at(const keel_scope *scope, uint32_t index);

/// Begins shared mode. Calls nest.
/// @return KEEL_OK, KEEL_ERROR_BORROWED while a view is open or a workload runs in owner mode
KEEL_API keel_result keel_share_begin(keel_world *world);

/// Ends shared mode. Before the call every other thread must have stopped using the world.
/// @return KEEL_OK, KEEL_ERROR_BORROWED while a view is still open (shared mode goes on),
///   KEEL_ERROR_ARGUMENT without keel_share_begin
KEEL_API keel_result keel_share_end(keel_world *world);

/// Makes the calling thread the world's thread, for components and uniques that are bound to a
/// thread (keel_threads). Call it in the new thread after a world was passed to another thread. At
/// first the world's thread is the thread that created the world. A world without bound values need
/// not be adopted.
/// @return KEEL_OK, KEEL_ERROR_THREAD while there are values that must stay in the old thread, or
///   commands that may hold some, KEEL_ERROR_BORROWED while a view is open, KEEL_ERROR_SHARED
KEEL_API keel_result keel_adopt_world(keel_world *world);

/// Bytes of memory of a world, by use.
typedef struct keel_memory {
    size_t total;      ///< all memory of the world
    size_t entities;   ///< handles: versions and free list
    size_t components; ///< values and look-up tables of all components
    size_t uniques;    ///< values of uniques
    size_t commands;   ///< recorded commands, and buffers kept for the next ones
    size_t other;      ///< descriptors, views, scratch, the templates of prefabs
} keel_memory;

/// Statistics of a world: its memory, and its dropped commands.
typedef struct keel_statistics {
    keel_memory memory;        ///< bytes of memory, by use
    uint64_t dropped_commands; ///< commands dropped since the world was made, because their entity
                               ///< was not alive
} keel_statistics;

/// Returns statistics of the world.
KEEL_API keel_statistics keel_world_statistics(const keel_world *world);

/// Returns the bytes of the values and look-up tables of one component; 0 when the world does not
/// know it.
KEEL_API size_t keel_component_memory(const keel_world *world, const keel_component *component);

/// Frees memory that is not needed now.
/// @threads the owner
/// @invalidates pointers to component values
/// @return KEEL_OK, KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED
KEEL_API keel_result keel_world_trim(keel_world *world);

/// Checks the invariants of every data structure of the world, for tests, and for hosts of native
/// plug-ins.
/// @param error filled when something is broken; may be NULL
/// @return true when no invariant is broken
KEEL_API bool keel_world_check(const keel_world *world, keel_error *error);

/// Computes one number from the state of the world: entity handles, components of entities,
/// disabled ones too, and uniques, each with its name and value. It does not depend on storages, on
/// the order of values or registration, or on the history of the world. Equal worlds have equal
/// hashes, and different worlds have different ones (but for 1 in 2^64). Recorded commands, groups,
/// free handles, and components and uniques with `.transient = true` do not count.
///
/// Padding does not count. Where the compiler knows it (gcc 11, clang 20; `clear_padding`), all
/// other bytes of a value do. Otherwise, or to choose, a component says which bytes count:
/// `.no_padding = true` (all), KEEL_HAS_FIELDS (its fields), or a `.hash` hook, which values that
/// hold pointers or have a drop or copy hook need. If a component has several of these, the hook is
/// used, otherwise `.no_padding`, otherwise the fields. The bytes of a union all count. A float is
/// hashed by its bytes, so -0 differs from 0. References to entities are hashed as handles. Hashes
/// can be compared between builds with the same handle width, byte order and type layout, and
/// between releases unless CHANGELOG.md says otherwise.
///
/// Cost: reads every value, 10 ns for an entity with three components of 20 bytes. While a
/// snapshot, ring or history of the world exists, it only reads the blocks of 64 values that were
/// written since the last hash or since the last snapshot or step was taken. A write through a
/// pointer from before that snapshot or step is not noticed: get the pointer again (keel_get_mut),
/// or call keel_mark after the write.
/// @param world may be the image of a snapshot (keel_snapshot_read_begin); see keel_snapshot_hash
/// @threads the world's owner; for an image any thread, and several at once
/// @param hash filled in; left alone on error
/// @return KEEL_OK, KEEL_ERROR_HASH for a component that does not say which bytes count (see
///   keel_last_error), KEEL_ERROR_BORROWED while something is being written, KEEL_ERROR_SHARED,
///   KEEL_ERROR_THREAD (keel_threads), KEEL_ERROR_ARGUMENT
KEEL_API keel_result keel_world_hash(const keel_world *world, uint64_t *hash);

/// What a hash depends on besides the values.
typedef enum keel_hash_flags {
    /// also depends on all else that decides what happens next: the order in which loops visit
    /// values, edges and members of groups, the free handles and their order, archetypes, disabled
    /// values, ticks and the log of changes, events and removed values with the positions of their
    /// readers, what each system and reader has seen, how often steps with `.times` ran, the time
    /// of steps with `.every`, and how many handles steps reserve. Transient components, observers,
    /// and workloads that never ran do not count, and readers, steps and groups are told apart by
    /// their names. Reads every value each time
    KEEL_HASH_ORDER = 1
} keel_hash_flags;
/// Computes the hash of a world as keel_world_hash does, or with KEEL_HASH_ORDER one that more
/// depends on: two worlds with the same hash then also continue in the same way. The two kinds of
/// hashes have nothing in common. A test that goes back and plays on finds what does not come back.
/// @param flags KEEL_HASH_*; 0: the hash of keel_world_hash
/// @threads as keel_world_hash
/// @return as keel_world_hash; KEEL_ERROR_ARGUMENT also for other bits
KEEL_API keel_result keel_world_hash_with(const keel_world *world, uint32_t flags, uint64_t *hash);

/// Computes the part of keel_world_hash that belongs to one component: its entities and values, the
/// edges of a relation, the value of a unique, or the waiting events of a type. For
/// `keel_entities`: the living entities. The hash of a world is the sum of all these parts, modulo
/// 2^64. So two worlds with different hashes, perhaps on two machines, find out in which components
/// they differ.
/// @threads as keel_world_hash
/// @param hash filled in; left alone on error. 0: no entity has the component, the world does not
///   know it, or it is `.transient`
/// @return as keel_world_hash, of this component only
KEEL_API keel_result keel_hash_component(const keel_world *world, const keel_component *component,
                                         uint64_t *hash);

/// Computes the hashes of blocks of entities: `hashes[i]` is the part of keel_hash_component of the
/// entities with an index from `first + i * size` to `first + (i + 1) * size - 1`; for a relation,
/// the part of the edges whose sources have these indices. A unique and all events of a type belong
/// to index 0. The hashes of blocks that cover all
/// indices sum up to keel_hash_component. So two machines find the entity that differs in a few
/// exchanges: hash 16 blocks that cover all indices, then 16 smaller blocks that cover the block
/// that differs, and so on.
/// @threads as keel_world_hash
/// @param size indices in a block, at least 1
/// @param count number of blocks, and of hashes that are filled in
/// @return as keel_hash_component
KEEL_API keel_result keel_hash_blocks(const keel_world *world, const keel_component *component,
                                      uint32_t first, uint32_t size, uint32_t count,
                                      uint64_t *hashes);

/// A part of the hash of a world.
typedef struct keel_hash_part {
    const keel_component *component; ///< the component, relation, unique or type of events;
                                     ///< &keel_entities: the living entities
    uint64_t hash;                   ///< the part, as of keel_hash_component
    uint32_t blocks; ///< number of blocks of 64 indices that cover all of it, from index 0 on, for
                     ///< keel_hash_blocks; 1 for a unique and for events
} keel_hash_part;
/// Computes the hashes of all components at once, to find out in which of them two worlds differ.
/// The first part is that of the entities (&keel_entities). The others follow in the order of their
/// names, by strcmp, so that two processes have the same list. Components that nobody has, and
/// transient ones, are left out. Names of entities are the part of `keel_name`, and parents, with
/// the order of children, that of `keel_child`. The sum of all hashes, modulo 2^64, is
/// keel_world_hash: worlds whose parts are all the same have the same hash.
///
///     keel_hash_part parts[256];
///     const uint32_t count = keel_world_hash_parts(image, parts, 256);
///     uint64_t *blocks = malloc(parts[i].blocks * sizeof *blocks); // of the part that differs
///     keel_hash_blocks(image, parts[i].component, 0, 64, parts[i].blocks, blocks);
/// @param parts receives the first `capacity` parts; may be NULL when `capacity` is 0. The
///   components are valid until they are unregistered; those of an image until
///   keel_snapshot_read_end
/// @threads as keel_world_hash
/// @return the number of parts, at least 1; 0 on error, and keel_last_error has the errors of
///   keel_world_hash
KEEL_API uint32_t keel_world_hash_parts(const keel_world *world, keel_hash_part *parts,
                                        uint32_t capacity);

/// @cond keel_register: registers a list that ends with NULL; stops at the first error
static inline keel_result keeli_register_list(keel_world *world,
                                              const keel_component *const *list) {
    for (; *list; ++list)
        if (!keel_register_component(world, *list)) return keel_last_error(world)->result;
    return KEEL_OK;
}

// For keel::inspect: what a page asks of a world must not stop the program that owns the world, and
// is none of its errors. Between begin and end misuse only returns its error; end brings back the
// errors of the program.
typedef struct keeli_guest {
    keel_error first, last;
    keel_misuse on_misuse;
} keeli_guest;
KEEL_API void keeli_guest_begin(keel_world *world, keeli_guest *guest);
KEEL_API void keeli_guest_end(keel_world *world, const keeli_guest *guest);
/// @endcond

#ifdef __cplusplus
}
#endif

// clang-format off
/// @cond macros that let the functions above take their scopes as they are
#define keel_entity_count(scope) keel_entity_count(KEELI_TO_READ(scope))
#define keel_entity_at(scope, ...) keel_entity_at(KEELI_TO_READ(scope), __VA_ARGS__)
#define keel_is_alive(scope, ...) keel_is_alive(KEELI_TO_READ(scope), __VA_ARGS__)
/// @endcond
// clang-format on
