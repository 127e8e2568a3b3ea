// SPDX-License-Identifier: MIT
/// @file keel_mpi.h
/// Plays one model on several processes, each with a world of its own: `keel::mpi`. Space is
/// divided into regions, one for each process, or **rank**. A rank owns the entities in its region.
/// Of those just outside of it, which its own entities can see, it has copies: **ghosts**.
///
///     keel_run_ranks(4, 1, play, &options); // four threads; under mpirun: play(keel_mpi_ranks())
///
///     static void play(keel_ranks ranks, void *data) {
///         keel_world *world = keel_world_create(NULL);
///         ... add the entities of this rank: keel_rank_share tells which ones
///         keel_domain *d = keel_domain_begin(world, &(keel_domain_desc){
///                              .ranks = ranks, .position = KEEL_OF(Position), .dimensions = 2,
///                              .halo = 0.01, .ghosts = KEEL_LIST(Velocity) });
///         for (int i = 0; i < 1000; ++i)
///             keel_domain_step(d, KEEL_WORKLOAD_OF(tick));
///         keel_domain_end(d);
///     }
///
/// **A step** brings the ghosts up to date, runs the workload, and moves the entities that left the
/// region to the ranks that own their new places.
///
/// **The same result for any number of ranks** needs systems that do not depend on the order of
/// entities: sums of integers instead of floats, or neighbours sorted by keel_global_id; random
/// numbers from the id and the step. keel_domain_hash compares.
///
/// **Ghosts** are read only. A system that writes a component of ghosts says
/// KEEL_WITHOUT(keel_ghost).
///
/// **To change an entity of another rank**, add a child to its ghost. At the end of the step it
/// goes to the rank that owns the entity, where a system reads it in the next step. Deleting a
/// ghost deletes its entity, at the end of the step.
///
/// **Handles** in described fields (KEEL_FIELDS) go to other ranks as ids and become handles there:
/// of the entity, of its ghost, or of a ghost without components that stands for it. When the
/// entity dies, they name no entity, on all ranks from the end of the step on.
///
/// **Values that own memory** go to other ranks by their `.save` and `.load` hooks and described
/// owned texts (keel_save.h); handles that a hook writes become ids, too. They need keel::save. A
/// component whose values own memory in another way is refused, unless it is `.transient`. Ghosts
/// cannot have components with hooks.
///
/// **Relations.** The owner of a source owns its edges, with their values, and they go where the
/// source goes. The target is the entity there, or a ghost that stands for it. So a rank sees all
/// targets of its own entities, but only those sources of them that it owns. The targets keep their
/// order. In a symmetric relation each end has the edge, on its own rank: a system that adds,
/// changes or removes one whose ends may be on two ranks does the same for each end. Edges of
/// `.transient` relations end when their source moves. A relation with KEEL_REFUSE has to be in
/// `.together`: sources on other ranks could not refuse a deletion.
///
/// **Living together.** Children always live on the rank of their parents, in their order, and
/// sources of the relations in `.together` on that of their targets: the root decides, and places
/// of the others do not count. They need no place. Those without an id get one. Entities that
/// follow each other in a circle stay where they are.
///
/// **Prefabs.** A copy goes as a copy of the template that has the same path of names there. Make
/// the prefabs, with the same names, on all ranks before keel_domain_begin.
///
/// **Checkpoints.** keel_domain_save writes the model into a folder, and `.restart` begins with it,
/// on any number of ranks.
///
/// **Threads and order.** All functions of a domain belong to the world's owner. All ranks call
/// keel_domain_begin, keel_domain_step, keel_domain_count, keel_domain_hash and keel_domain_save in
/// the same order.
#pragma once
#include <keel/keel.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------- ranks
/// Bytes for a rank, or from one.
typedef struct keel_rank_bytes {
    const void *bytes; ///< NULL is allowed if `size` is 0
    size_t size;       ///< number of bytes
} keel_rank_bytes;

/// The ranks that play together, and this one's place among them: over MPI (keel_mpi_ranks), as
/// threads of one process (keel_run_ranks), or over a transport of yours.
typedef struct keel_ranks {
    void *self;     ///< passed to every function
    uint32_t rank;  ///< this one, from 0
    uint32_t count; ///< number of ranks; 0: there are none, as keel_mpi_ranks without MPI
    /// Sends `out[r]` to each rank r, and receives `in[r]` from it. All ranks call it together.
    /// What was received is valid until the next call. False: a rank has stopped, or memory ran out
    bool (*exchange)(void *self, const keel_rank_bytes *out, keel_rank_bytes *in);
    /// Stops all ranks: `exchange` returns false on each, or the job ends. The sentence says why
    void (*stop)(void *self, const char *why);
} keel_ranks;

/// Returns the ranks of the job that mpirun started; one without it. Initialises MPI if the program
/// has not done it, and then finalises it at exit. The functions of MPI are called on this thread.
/// @return all zeros if Keel is built without MPI
KEEL_API keel_ranks keel_mpi_ranks(void);

/// The program of one rank.
typedef void keel_rank_fn(keel_ranks ranks, void *data);
/// Runs a function on some threads that are ranks of each other, for tests, and waits for all.
/// @param count 1 to 64
/// @param seed decides which rank waits when, so that each seed finds another order; 0: none waits
///   on purpose
/// @return KEEL_OK; KEEL_ERROR_ARGUMENT; KEEL_ERROR_MEMORY: a thread could not be made, and none
/// ran
KEEL_API keel_result keel_run_ranks(uint32_t count, uint64_t seed, keel_rank_fn *function,
                                    void *data);

/// Returns the first of `total` things that are this rank's share, and their number, so that all
/// ranks together have each once.
static inline uint64_t keel_rank_share(keel_ranks ranks, uint64_t total, uint64_t *count) {
    const uint64_t first = total * ranks.rank / ranks.count;
    *count = total * (ranks.rank + 1) / ranks.count - first;
    return first;
}

// ---------------------------------------------------------------- identity
/// The number of an entity on all ranks. Handles never leave a rank. An entity that has none gets
/// one at the end of the step: it depends on the rank. Give entities ids of your own, from 1 on,
/// where results depend on them. Two entities with one id are an error.
typedef struct keel_global_id {
    uint64_t value; ///< not 0
} keel_global_id;
/// Returns an id for an entity that another one makes: the same on any number of ranks. It is
/// different for each parent and number, as well as 64 bits can be.
/// @param number of the children of this parent that were made before
static inline keel_global_id keel_child_id(keel_global_id parent, uint64_t number) {
    uint64_t z = parent.value + (number + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    const keel_global_id id = { z | 1u << 31 };
    return id;
}
/// Marks an entity that another rank owns: a copy of one that this rank sees, or the place of one
/// that a value here refers to, which has no other components.
typedef struct keel_ghost {
    uint64_t id;    ///< private
    uint32_t stamp; ///< private
    uint32_t owner; ///< private: the rank that showed it last
    bool is_bare;   ///< private: it has no other components
    bool is_used;   ///< private
} keel_ghost;
/// Private: marks an entity that other ranks know, so that they hear of its end.
typedef struct keel_known_ghost {
    uint64_t id; ///< private
} keel_known_ghost;
/// @cond
#ifdef __cplusplus
} // components have overloads there
#endif
KEEL_FIELDS(keel_global_id, value);
KEEL_COMPONENT(keel_global_id, KEEL_HAS_FIELDS(keel_global_id), .storage = KEEL_INDEXED);
KEEL_FIELDS(keel_ghost, stamp, is_bare, is_used);
KEEL_COMPONENT(keel_ghost, KEEL_HAS_FIELDS(keel_ghost)); // not transient: checkpoints have it
KEEL_COMPONENT(keel_known_ghost, .transient = true);
#ifdef __cplusplus
extern "C" {
#endif
/// @endcond

// ---------------------------------------------------------------- a domain
/// The part of a model that one rank owns.
typedef struct keel_domain keel_domain;

/// The way in which the values of a unique on all ranks become one.
typedef enum keel_reduce_kind {
    KEEL_REDUCE_SUM, ///< adds up each field; sums of floats depend on the number of ranks
    KEEL_REDUCE_MIN, ///< the least of each field
    KEEL_REDUCE_MAX  ///< the greatest of each field
} keel_reduce_kind;
/// A unique that all ranks share: after the workload of each step it is the sum, or the least or
/// greatest, of those of all ranks. Systems see that of the step before until they set it anew.
typedef struct keel_reduced {
    const keel_component *unique; ///< KEEL_UNIQUE_OF, with described fields; NULL ends a list
    keel_reduce_kind how;         ///< the way, for all of its fields, which are numbers
} keel_reduced;

/// The options of a domain. Zero members take their defaults.
typedef struct keel_domain_desc {
    keel_ranks ranks; ///< default: keel_mpi_ranks
    /// The place of an entity: the first `dimensions` fields of this component, numbers of one
    /// type. Entities that have it are owned by the rank of their region
    const keel_component *position;
    uint32_t dimensions; ///< 1 to 3; default 2
    double halo;         ///< the reach of a rank beyond its region, in units of `position`
    /// The components that ghosts have besides `position`, and what these require; NULL: none
    const keel_component *const *ghosts;
    /// Exclusive relations whose sources go where their targets go, a list that ends with NULL:
    /// KEEL_LIST(PartOf). Children always go with their parents. NULL: none
    const keel_component *const *together;
    const keel_reduced *reduced; ///< uniques that all ranks share, a list that ends with a NULL
                                 ///< unique; NULL: none
    /// Space is divided anew when the slowest rank took so many times as long as all on average,
    /// and has lost more time than dividing takes; default 1.2. keel_domain_balance does it at once
    double balance_above;
    double dt; ///< seconds of a step, for systems that ask; default 0
    /// A folder that keel_domain_save wrote, with any number of ranks: the domain begins with its
    /// entities, uniques and steps instead of the world's, which must have no entities. NULL: none
    const char *restart;
    keel_error *error; ///< filled when keel_domain_begin returns NULL; may be NULL
} keel_domain_desc;

/// Begins a domain over the worlds of all ranks: gives ids to the entities that have `position`,
/// divides space, and moves each entity to the rank that owns its place. Register all components
/// before: ranks whose components or options are not the same are refused, with a sentence.
/// @return NULL on error, on all ranks, and `desc->error` says why
KEEL_API keel_domain *keel_domain_begin(keel_world *world, const keel_domain_desc *desc);
/// Plays one step on all ranks. After an error of the workload the domain can go on. If memory ran
/// out while entities moved, some may be lost: begin again with a checkpoint.
/// @return KEEL_OK; an error of the workload or of a rank, on all ranks: keel_domain_error;
///   KEEL_ERROR_ACCESS: a system of the workload writes a component that ghosts have, and does not
///   say KEEL_WITHOUT(keel_ghost)
KEEL_API keel_result keel_domain_step(keel_domain *d, const keel_workload *workload);
/// Divides space anew, so that all ranks have as much to do, moves entities, and sorts components
/// whose storage has an order (KEEL_SPARSE_SET, without groups) by place, along a curve.
/// @return as keel_domain_step
KEEL_API keel_result keel_domain_balance(keel_domain *d);
/// Returns the error of the last call that failed, with the rank where it happened.
KEEL_API const keel_error *keel_domain_error(const keel_domain *d);
/// Returns the entity with this id, owned or ghost, on this rank; null if it is not here.
KEEL_API keel_entity keel_domain_find(const keel_domain *d, keel_global_id id);

/// The work of a domain so far.
typedef struct keel_domain_status {
    uint32_t rank;         ///< this rank
    uint32_t ranks;        ///< their number
    uint32_t owned;        ///< entities that this rank owns
    uint32_t ghosts;       ///< copies of others that were brought up to date
    uint64_t steps;        ///< steps that were played
    uint64_t sent;         ///< entities that moved to other ranks
    uint64_t received;     ///< entities that came from them
    uint64_t bytes_sent;   ///< all bytes, with those of reports
    uint64_t bytes_ghosts; ///< bytes that brought ghosts up to date on other ranks
    uint64_t bytes_moved;  ///< bytes of the entities that moved
    double seconds_run;    ///< in the workload
    double seconds_ghosts; ///< in bringing ghosts up to date
    double seconds_move;   ///< in moving entities
    double seconds_waited; ///< a part of these: in waiting for other ranks, and in sending and
                           ///< receiving
    uint64_t balances;     ///< times that space was divided anew
    double imbalance;      ///< slowest rank to average, since then; 1: none
} keel_domain_status;
/// Returns the status of this rank; all zeros for NULL.
KEEL_API keel_domain_status keel_domain_status_of(const keel_domain *d);
/// Counts the entities of all ranks, without ghosts.
/// @return as keel_domain_step
KEEL_API keel_result keel_domain_count(keel_domain *d, uint64_t *count);
/// Hashes ids, names, values and edges of all entities that have ids, on all ranks, in no order:
/// the same for any number of ranks if the model is. Values that own memory count as what a save
/// has of them. Ghosts, transient components and uniques do not count, and handles as ids.
/// @return as keel_domain_step
KEEL_API keel_result keel_domain_hash(keel_domain *d, uint64_t *hash);
/// Saves the entities, uniques and steps of all ranks into a folder that all ranks see, to begin
/// with them again by `.restart`. Each rank writes a file by keel::save, so its rules hold:
/// components say which of their bytes are values. The checkpoint that the folder has is replaced
/// when the new one is on the disk: at any moment the folder has the old one whole, or the new one.
/// @param folder the same on all ranks; made if it is missing, in a folder that is there
/// @return as keel_domain_step; KEEL_ERROR_FILE: a file cannot be written; KEEL_ERROR_SCHEMA: a
///   component does not say which bytes are its value; KEEL_ERROR_UNKNOWN: an entity has no
///   keel_global_id; KEEL_ERROR_ARGUMENT: no folder. After an error the folder is as before
KEEL_API keel_result keel_domain_save(keel_domain *d, const char *folder);
/// Hashes the values of one component, or the edges of one relation, like keel_domain_hash: to find
/// out in which one two runs differ, and after which step.
/// @return as keel_domain_step; the hash of a component that no entity has is 0
KEEL_API keel_result keel_domain_hash_of(keel_domain *d, const keel_component *component,
                                         uint64_t *hash);
/// Ends a domain. The world stays as it is, with its ghosts. NULL is allowed.
KEEL_API void keel_domain_end(keel_domain *d);

#ifdef __cplusplus
}
#endif
