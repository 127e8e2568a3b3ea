// SPDX-License-Identifier: MIT
// The parts of a domain: ids, regions, columns of values, ghosts and moves.
#pragma once
#include "keel_mpi.h"

enum { MPI_AXES = 3, MPI_MOST_RANKS = 4096, MPI_SAMPLE = 2048 };

// ------------------------------------------------------------------ bytes
typedef struct mpi_bytes {
    unsigned char *items;
    size_t size, room;
} mpi_bytes;
// Appends room for bytes, at a multiple of 8. NULL when out of memory.
void *keeli_bytes_add(mpi_bytes *b, size_t size);
// A place in bytes that were received. After a read beyond the end all reads fail.
typedef struct mpi_reader {
    const unsigned char *at, *end;
    bool is_short;
} mpi_reader;
// Returns `size` bytes and moves behind them; NULL beyond the end.
const void *keeli_bytes_read(mpi_reader *r, size_t size);
uint32_t keeli_read_u32(mpi_reader *r);

// ------------------------------------------------------------------ ids
typedef struct mpi_ids {
    uint64_t *keys; // 0: free
    keel_entity *entities;
    uint32_t count, room; // room: a power of two
} mpi_ids;
bool keeli_ids_reserve(mpi_ids *ids, uint32_t more);
// Room must have been reserved. False: the id is there with another entity.
bool keeli_ids_add(mpi_ids *ids, uint64_t id, keel_entity e);
void keeli_ids_remove(mpi_ids *ids, uint64_t id);
keel_entity keeli_ids_find(const mpi_ids *ids, uint64_t id);

// ------------------------------------------------------------------ regions
// One cut of space: places below it belong to `lower` ranks, the others to the rest.
typedef struct mpi_cut {
    double at;
    uint32_t axis, lower;
} mpi_cut;
typedef struct mpi_point {
    double at[MPI_AXES];
    double weight;
} mpi_point;
// Cuts space into regions of about the same weight, by recursive bisection. Changes the order of
// the points. `cuts` has room for ranks - 1.
void keeli_regions_cut(mpi_cut *cuts, uint32_t ranks, mpi_point *points, uint32_t count,
                       uint32_t dimensions);
uint32_t keeli_region_of(const mpi_cut *cuts, uint32_t ranks, const double at[MPI_AXES]);
// Writes the ranks whose regions meet a box. Returns their number.
uint32_t keeli_regions_meet(const mpi_cut *cuts, uint32_t ranks, const double low[MPI_AXES],
                            const double high[MPI_AXES], uint32_t *out);

// ------------------------------------------------------------------ domains
// The entities that are sent to one rank.
typedef struct mpi_list {
    keel_entity *items;
    uint32_t count, room;
} mpi_list;

// The rows of values that own memory: owned.c.
typedef struct mpi_owned mpi_owned;
// A component or relation of entities that go to other ranks.
typedef struct mpi_column {
    const keel_component *component;
    uint32_t *handles; // places of handles in a value
    uint32_t handle_count;
    unsigned char *mask; // the bytes of a value that count
    void *value;         // room for one
    mpi_owned *owned;    // NULL: values are copied as they are
    bool refers;         // values may have handles
} mpi_column;

struct keel_domain {
    keel_world *world;
    keel_domain_desc desc;
    keel_domain_status status;
    keel_error error;
    keel_reader *reader; // sees which ids are gone
    keel_reader *deaths; // sees which entities died that others know
    mpi_ids ids;
    mpi_cut *cuts;
    mpi_column *columns; // the components of entities, by name: the same on all ranks
    uint32_t column_count;
    mpi_column *relations; // all of the world, by name
    uint32_t relation_count;
    const keel_component *child;     // the relation of children to parents
    const keel_component **together; // the relations whose sources go with their targets
    uint32_t together_count;
    bool has_handles;                       // in any column; edges count, but for keel_child
    uint32_t ghost_columns[KEEL_MAX_TERMS]; // numbers of those that ghosts have
    uint32_t ghost_count;
    mpi_bytes scratch; // a column while its ids become handles
    uint32_t stamp;
    keel_entity dead; // the handle of an entity that is; null: nobody needed it
    uint64_t serial;  // number of the next id that this rank gives
    uint32_t *near;   // room for a list of ranks
    mpi_list *lists;  // by rank, and one more
    mpi_bytes *out;   // by rank
    keel_rank_bytes *send, *receive;
    const keel_workload *checked;     // its systems write no ghosts
    double own_seconds;               // in workloads since the last balance
    double own_cost;                  // seconds of the last balance
    double all_seconds, most_seconds; // sums: of all ranks; of the slowest rank of each step
    double most_cost;
};

// Keeps an error, with its sentence. Returns the result.
keel_result keeli_domain_fail(keel_domain *d, keel_result result, const char *format, ...);
// Keeps the last error of the world.
keel_result keeli_domain_fail_world(keel_domain *d);
// Sends what `d->out` has, empties it, and receives.
keel_result keeli_domain_exchange(keel_domain *d);
// Makes all ranks return the same: the error of the lowest rank that has one. All ranks learn how
// long each was in its workload, `seconds`.
keel_result keeli_domain_agree(keel_domain *d, keel_result own, double seconds);
bool keeli_list_add(mpi_list *list, keel_entity e);
// Sends the same bytes to all ranks.
keel_result keeli_domain_tell_all(keel_domain *d, const void *bytes, size_t size);

void keeli_position_read(const keel_domain *d, const void *value, double at[MPI_AXES]);

// Lists the columns of the world. Fails if a component has what other processes cannot have.
keel_result keeli_columns_begin(keel_domain *d);
void keeli_columns_end(keel_domain *d);
// The kind of entities that columns become: ghosts, or entities of this rank.
typedef enum mpi_into { INTO_OWNED, INTO_GHOSTS } mpi_into;
// Appends entities, column by column: with all that they have, or with what ghosts have.
keel_result keeli_columns_pack(keel_domain *d, const mpi_list *entities, mpi_into into,
                               mpi_bytes *out);
keel_result keeli_columns_unpack(keel_domain *d, keel_rank_bytes in, mpi_into into, uint32_t from);
// ------------------------------------------------------------------ names, disabled components
// Enables the components of entities that are about to be packed, and notes which were disabled.
keel_result keeli_leaving_begin(keel_domain *d, const mpi_list *entities);
// Appends what was noted, edges, and names.
keel_result keeli_leaving_pack(keel_domain *d, const mpi_list *entities, mpi_bytes *out);
keel_result keeli_leaving_unpack(keel_domain *d, mpi_reader *r, const keel_entity *entities,
                                 uint32_t count);

// ------------------------------------------------------------------ edges
// Appends the edges whose sources these entities are.
keel_result keeli_edges_pack(keel_domain *d, const mpi_list *entities, mpi_bytes *out);
keel_result keeli_edges_unpack(keel_domain *d, mpi_reader *r, const keel_entity *entities,
                               uint32_t count);
// Removes the edges of a source that has become a ghost.
keel_result keeli_edges_leave(keel_domain *d, keel_entity e);
// Lists the ghosts that edges refer to.
keel_result keeli_edges_use(keel_domain *d, mpi_list *used);
// Adds the hashes of the edges of owned sources.
keel_result keeli_edges_hash(keel_domain *d, uint64_t *hash);

// ------------------------------------------------------------------ who lives together
// Checks the relations of `.together`.
keel_result keeli_together_begin(keel_domain *d);
// Returns the entity that this one follows: its parent, or its target in a relation of `.together`.
// Null: it leads itself.
keel_entity keeli_together_leader(const keel_domain *d, keel_entity e);
// Adds an entity and all that follow it: leaders before their followers. False: out of memory.
bool keeli_together_list(keel_domain *d, keel_entity root, mpi_list *list);

// ------------------------------------------------------------------ values
// Fills in a column. Fails if the component has what other processes cannot have.
keel_result keeli_column_begin(keel_domain *d, mpi_column *column, const keel_component *c);
void keeli_column_end(mpi_column *column);
// Appends a value, with ids in the place of handles. `marks` as for keeli_handles_to_ids. False: an
// error was kept.
bool keeli_value_pack(keel_domain *d, const mpi_column *column, const void *value, bool marks,
                      mpi_bytes *out);
// Returns a value that keeli_value_pack wrote, which the caller owns: its room is that of the
// column. NULL: an error was kept.
void *keeli_value_unpack(keel_domain *d, const mpi_column *column, mpi_reader *r);
// Makes a hash of `*hash` and of a value. False: an error was kept.
bool keeli_value_hash(keel_domain *d, const mpi_column *column, const void *value,
                      mpi_bytes *scratch, uint64_t *hash);
uint64_t keeli_hash_bytes(const void *bytes, size_t size, uint64_t seed);
// Lists the ghosts that a value refers to. False: an error was kept.
bool keeli_value_use(keel_domain *d, const mpi_column *column, const void *value, mpi_list *used);

// The same for values that own memory. True if those of the component do.
bool keeli_owned_is(const keel_component *c);
keel_result keeli_owned_begin(keel_domain *d, mpi_column *column);
void keeli_owned_end(mpi_owned *owned);
bool keeli_owned_pack(const mpi_column *column, const void *value, bool marks, mpi_bytes *out);
bool keeli_owned_unpack(const mpi_column *column, mpi_reader *r, void *value);
bool keeli_owned_use(const mpi_column *column, const void *value, mpi_list *used);

// Hashes the values of all owned entities, and their names and edges.
keel_result keeli_columns_hash(keel_domain *d, uint64_t *hash);

// ------------------------------------------------------------------ handles
// Returns the id of an entity that `what`, a component or relation, refers to. `marks` and errors
// as below.
bool keeli_handle_to_id(keel_domain *d, keel_entity e, const char *what, bool marks, uint64_t *id);
// Returns the entity of an id, or a new ghost that stands for it. False: an error was kept.
bool keeli_handle_from_id(keel_domain *d, uint64_t id, keel_entity *out);
// Makes ids of the handles in a value: 0 for null, another one for all that are dead. `marks` is
// true if the entities are marked as known to others. False: an error was kept.
bool keeli_handles_to_ids(keel_domain *d, const mpi_column *column, unsigned char *value,
                          bool marks);
// Makes handles of the ids in a value; makes ghosts for entities that are not here.
bool keeli_handles_from_ids(keel_domain *d, const mpi_column *column, unsigned char *value);
// Makes ghosts of entities that go to another rank, so that handles to them stay.
keel_result keeli_handles_leave(keel_domain *d, const mpi_list *list);
// Tells all ranks which of the entities that they know are dead, and deletes those of others.
keel_result keeli_handles_bury(keel_domain *d);
// Deletes the ghosts that no value refers to any more.
keel_result keeli_handles_collect(keel_domain *d);

// Fails if the ranks do not have the same components and options.
keel_result keeli_schema_compare(keel_domain *d);
// Fails if a system of the workload writes what ghosts have.
keel_result keeli_schema_check_workload(keel_domain *d, const keel_workload *workload);
// Makes the reduced uniques one of all ranks.
keel_result keeli_reduce(keel_domain *d);

keel_result keeli_ghosts_refresh(keel_domain *d);
// Gives an id to an entity that has none.
keel_result keeli_ids_give(keel_domain *d, keel_entity e);
// Gives ids to all entities that are there.
keel_result keeli_ids_begin(keel_domain *d);
// Gives ids to who has none, and forgets those of who is gone.
keel_result keeli_ids_update(keel_domain *d);
keel_result keeli_move(keel_domain *d);
