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

struct keel_domain {
    keel_world *world;
    keel_domain_desc desc;
    keel_domain_status status;
    keel_error error;
    keel_reader *reader; // sees which ids are gone
    mpi_ids ids;
    mpi_cut *cuts;
    const keel_component **components; // of all entities, by name: the same on all ranks
    uint32_t component_count;
    uint32_t *numbers;                         // of all components
    uint32_t ghost_components[KEEL_MAX_TERMS]; // numbers of those that ghosts have
    uint32_t ghost_count;
    uint32_t stamp;
    uint64_t serial; // of the next id that this rank gives
    uint32_t *near;  // room for a list of ranks
    mpi_list *lists; // by rank
    mpi_bytes *out;  // by rank
    keel_rank_bytes *send, *receive;
    double seconds_since_balance;
};

// Keeps an error, with its sentence. Returns the result.
keel_result keeli_domain_fail(keel_domain *d, keel_result result, const char *format, ...);
// Keeps the last error of the world.
keel_result keeli_domain_fail_world(keel_domain *d);
// Sends what `d->out` has, empties it, and receives.
keel_result keeli_domain_exchange(keel_domain *d);
// Makes all ranks return the same: the error of the lowest rank that has one.
keel_result keeli_domain_agree(keel_domain *d, keel_result own);
bool keeli_list_add(mpi_list *list, keel_entity e);

void keeli_position_read(const keel_domain *d, const void *value, double at[MPI_AXES]);

// Appends entities with some of the domain's components, column by column.
keel_result keeli_columns_pack(keel_domain *d, const mpi_list *entities, const uint32_t *numbers,
                               uint32_t count, mpi_bytes *out);
// What columns are unpacked into: ghosts of a rank, or entities of this one.
typedef enum mpi_into { INTO_OWNED, INTO_GHOSTS } mpi_into;
keel_result keeli_columns_unpack(keel_domain *d, keel_rank_bytes in, mpi_into into, uint32_t from);
// Hashes the values of an owned entity.
keel_result keeli_columns_hash(keel_domain *d, uint64_t *hash);

keel_result keeli_ghosts_refresh(keel_domain *d);
// Gives ids to all entities that are there.
keel_result keeli_ids_begin(keel_domain *d);
// Gives ids to who has none, and forgets those of who is gone.
keel_result keeli_ids_update(keel_domain *d);
keel_result keeli_move(keel_domain *d);
