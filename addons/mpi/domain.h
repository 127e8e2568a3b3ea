// SPDX-License-Identifier: MIT
// The parts of a domain: ids, regions, columns of values, ghosts and moves.
#pragma once
#include "keel_mpi.h"

enum {
    MPI_AXES = 3,
    MPI_MOST_RANKS = 4096,
    MPI_SAMPLE = 2048,
    MPI_MOST_TEMPLATES = 65534,
    MPI_MORE_LISTS = 2
};
static const uint32_t MPI_NO_RANK = UINT32_MAX;

// ------------------------------------------------------------------ bytes
typedef struct mpi_bytes {
    unsigned char *items;
    size_t size, room;
} mpi_bytes;
// Appends room for bytes, and fills up to a multiple of 8. NULL when out of memory.
void *keeli_bytes_add(mpi_bytes *b, size_t size);
// Appends room for bytes, and nothing behind them.
void *keeli_bytes_push(mpi_bytes *b, size_t size);
// Appends bytes, and fills up to a multiple of 8. False when out of memory.
bool keeli_bytes_copy(mpi_bytes *b, const void *bytes, size_t size);
// A place in bytes that were received. After a read beyond the end all reads fail.
typedef struct mpi_reader {
    const unsigned char *at, *end;
    bool is_short;
} mpi_reader;
mpi_reader keeli_reader(keel_rank_bytes in);
// Returns `size` bytes and moves behind them; NULL beyond the end.
const void *keeli_bytes_read(mpi_reader *r, size_t size);
uint32_t keeli_read_u32(mpi_reader *r);

// ------------------------------------------------------------------ maps and ids
typedef struct mpi_map {
    uint64_t *keys; // 0: free
    uint64_t *values;
    uint32_t count, room; // room: a power of two
} mpi_map;
bool keeli_map_reserve(mpi_map *map, uint32_t more);
// Adds a key, if it is not there. Room must have been reserved. Returns its value.
uint64_t *keeli_map_add(mpi_map *map, uint64_t key, uint64_t value);
// Returns the value of a key; NULL: it is not there.
uint64_t *keeli_map_find(const mpi_map *map, uint64_t key);
void keeli_map_remove(mpi_map *map, uint64_t key);
void keeli_map_free(mpi_map *map);

bool keeli_ids_reserve(mpi_map *ids, uint32_t more);
// Room must have been reserved. False: the id is there with another entity.
bool keeli_ids_add(mpi_map *ids, uint64_t id, keel_entity e);
// Returns the entity of an id, or null.
keel_entity keeli_ids_find(const mpi_map *ids, uint64_t id);

// ------------------------------------------------------------------ regions
// One cut of space: places below it belong to `lower` ranks, the others to the rest.
typedef struct mpi_cut {
    double at;
    uint32_t axis, lower;
} mpi_cut;
typedef struct mpi_box {
    double low[MPI_AXES], high[MPI_AXES]; // places from `low` on, below `high`
} mpi_box;
typedef struct mpi_point {
    double at[MPI_AXES];
    double weight;
} mpi_point;
// Cuts space into regions of about the same weight, by recursive bisection. Changes the order of
// the points. `cuts` has room for ranks - 1.
void keeli_regions_cut(mpi_cut *cuts, uint32_t ranks, mpi_point *points, uint32_t count,
                       uint32_t dimensions);
uint32_t keeli_region_of(const mpi_cut *cuts, uint32_t ranks, const double at[MPI_AXES]);
// Fills in the region of a rank.
void keeli_region_box(const mpi_cut *cuts, uint32_t ranks, uint32_t rank, mpi_box *box);
// Writes the ranks whose regions meet a box, its high sides included. Returns their number.
uint32_t keeli_regions_meet(const mpi_cut *cuts, uint32_t ranks, const mpi_box *box, uint32_t *out);

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
    bool is_used;        // relations: there are edges, while entities are packed
    bool is_whole;       // while entities are packed: all have it, and no handles
} mpi_column;

// The entities of this rank that another one sees, in slots.
typedef struct mpi_shown {
    mpi_map slots; // by id
    uint64_t *ids; // id of each slot; 0: free
    keel_entity *entities;
    uint32_t *stamps;      // the last refresh that showed it
    uint32_t *has;         // the columns that were sent, by bits
    unsigned char *values; // the values that were sent last: all columns of a slot side by side
    uint32_t *free_slots;
    uint32_t count, room, free_count; // numbers of slots
} mpi_shown;

// A template of a prefab: prefabs.c.
typedef struct mpi_template mpi_template;
// The ids from here on stand for templates and for all dead entities.
static const uint64_t mpi_first_reserved = UINT64_MAX - MPI_MOST_TEMPLATES;

struct keel_domain {
    keel_world *world;
    keel_domain_desc desc;
    keel_domain_status status;
    keel_error error;
    keel_reader *reader;         // sees which ids are gone
    keel_reader *known_deleted;  // sees which entities died that others know
    keel_reader *ghosts_deleted; // sees which ghosts the program deleted
    mpi_map ids;
    mpi_map arrived; // ids of ghosts that became entities of this rank since the last refresh
    mpi_cut *cuts;
    mpi_box region;
    mpi_column *columns; // the components of entities, by name: the same on all ranks
    uint32_t column_count;
    const keel_component *
        *components; // those of the columns, and transient ones; NULL ends the list
    const keel_component *last_component; // that was registered when the domain began
    mpi_column *relations;                // all of the world, by name
    uint32_t relation_count;
    const keel_component *child;     // the relation of children to parents
    const keel_component **together; // the relations whose sources go with their targets
    uint32_t together_count;
    const keel_world *template_world; // NULL: there are no prefabs
    mpi_template *templates;          // when the domain began, by path
    uint32_t template_count;
    uint32_t *template_numbers; // by index of the template: its number + 1
    uint32_t template_room;
    bool has_handles;                       // in any column; edges count, but for keel_child
    uint32_t ghost_columns[KEEL_MAX_TERMS]; // numbers of those that ghosts have
    const keel_component *ghost_components[KEEL_MAX_TERMS + 1]; // the same; NULL ends the list
    uint32_t ghost_count;
    uint32_t ghost_size;            // bytes of the values of a ghost
    mpi_shown *shown;               // by rank: what it sees of this one
    mpi_list *seen;                 // by rank: the ghosts of what it shows, by slot
    mpi_bytes *seen_hashes;         // by rank: of the values of these ghosts, in checked builds
    uint32_t (*heads)[4];           // by rank: the head of its message
    bool is_out_of_step;            // a step failed: all ranks begin anew with their ghosts
    mpi_bytes gone, fresh, changes; // slots that one rank has to know
    mpi_bytes room;                 // entities of some slots
    mpi_bytes dead_ids;             // ids of entities that died since other ranks were told
    keel_rank_bytes *told;          // by rank: the ids that it told
    mpi_bytes note;                 // bytes that this rank tells all others
    mpi_bytes enabled;              // mpi_enabled: since entities began to be packed
    size_t enabled_before;          // number of those of messages that were packed before
    mpi_bytes scratch;              // a column while its ids become handles
    uint32_t stamp;
    keel_entity dead; // the handle of an entity that is; null: nobody needed it
    uint64_t serial;  // number of the next id that this rank gives
    uint32_t *near;   // room for a list of ranks
    mpi_list *lists;  // by rank, and MPI_MORE_LISTS
    mpi_bytes *out;   // by rank
    keel_rank_bytes *send, *receive;
    mpi_reader *readers;          // by rank: of what it sent
    const keel_workload *checked; // its systems write no ghosts
    uint32_t owned;               // entities with places, before the last moves
    double least_seconds[2]; // least time of an entity in a step: of the last steps, and of those
                             // before
    int32_t unclaimed;       // followers that were told to all, less those that were kept; as above
    bool must_move_again;    // an entity that came follows a ghost; of all ranks, once agreed
    double own_cost;         // seconds of the last balance
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
// long the workload of each takes, `seconds`.
keel_result keeli_domain_agree(keel_domain *d, keel_result own, double seconds);
// Agrees, and tells all ranks what is in `d->note`. If all is well, `d->readers` read those of all
// ranks.
keel_result keeli_domain_agree_and_tell(keel_domain *d, keel_result own, double seconds);
// Adds the entities of a span to an mpi_list, `list`.
bool keeli_list_span(keel_domain *d, const keel_span *span, void *list);
// Calls a function for each span of a view, until it returns false: with an error that it kept, or
// out of memory.
typedef bool mpi_span_fn(keel_domain *d, const keel_span *span, void *data);
keel_result keeli_each_span_of(keel_domain *d, keel_scope *scope, const keel_term *terms,
                               const char *name, mpi_span_fn *function, void *data);
static inline keel_result keeli_each_span(keel_domain *d, const keel_term *terms, const char *name,
                                          mpi_span_fn *function, void *data) {
    return keeli_each_span_of(d, (keel_scope *)d->world, terms, name, function, data);
}
bool keeli_list_add(mpi_list *list, keel_entity e);
// Sends the same bytes to all ranks.
keel_result keeli_domain_tell_all(keel_domain *d, const void *bytes, size_t size);

void keeli_position_read(const keel_domain *d, const void *value, double at[MPI_AXES]);

// Lists the columns of the world. Fails if a component has what other processes cannot have.
keel_result keeli_columns_begin(keel_domain *d);
void keeli_columns_end(keel_domain *d);
// Appends entities with all that they have, column by column.
keel_result keeli_columns_pack(keel_domain *d, const mpi_list *entities, mpi_bytes *out);
// Adds the entities that a rank sent. Ghosts become them.
keel_result keeli_columns_unpack(keel_domain *d, keel_rank_bytes in, uint32_t from);
// Returns copies of values with handles in the place of ids; NULL: an error was kept.
const void *keeli_columns_handles(keel_domain *d, const mpi_column *column, const void *values,
                                  uint32_t count);
// ------------------------------------------------------------------ required components
static const uint32_t MPI_NO_COLUMN = UINT32_MAX;
// A component that was enabled to be packed, or added because an enabled one requires it.
typedef struct mpi_enabled {
    keel_entity entity;
    uint32_t row, column;
    bool lacks; // it was added
} mpi_enabled;
// Returns the number of a component among the columns.
uint32_t keeli_column_number(const keel_domain *d, const keel_component *c);
// Sorts the columns: what is required before what requires it, else by name.
void keeli_required_sort(keel_domain *d);
// Enables a component, and notes in `d->enabled` what has to be undone from behind.
keel_result keeli_required_enable(keel_domain *d, keel_entity e, uint32_t row, uint32_t column);
// Undoes one note.
keel_result keeli_required_disable(keel_domain *d, keel_entity e, uint32_t column, bool lacks);
// Undoes all notes, and keeps the error: the entities do not leave.
void keeli_required_undo(keel_domain *d);

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
keel_result keeli_edges_hash(keel_domain *d, const char *only, uint64_t *hash);

// ------------------------------------------------------------------ who lives together
// Checks the relations of `.together`.
keel_result keeli_together_begin(keel_domain *d);
// Fails if a relation refuses deletions, and its sources may be on other ranks than their targets.
keel_result keeli_together_check(keel_domain *d, const keel_component *relation);
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

// Hashes the values of owned entities: those of one component or relation by its name, or with NULL
// all, and names.
keel_result keeli_columns_hash(keel_domain *d, const char *only, uint64_t *hash);

// ------------------------------------------------------------------ prefabs
// Lists the templates of the world.
keel_result keeli_prefabs_begin(keel_domain *d);
void keeli_prefabs_end(keel_domain *d);
uint64_t keeli_prefabs_hash(const keel_domain *d);
// Finds the number of a template, which is the same on all ranks. False: it is none of the list.
bool keeli_prefab_number(const keel_domain *d, keel_entity e, uint32_t *number);
// Returns the template with a number; null if there is none.
keel_entity keeli_prefab_at(const keel_domain *d, uint64_t number);

// ------------------------------------------------------------------ handles
// Returns the id of an entity that `what`, a component or relation, refers to. `marks` and errors
// as below.
bool keeli_handle_to_id(keel_domain *d, keel_entity e, const char *what, bool marks, uint64_t *id);
// Marks an entity that other ranks know, so that they hear of its end. Ghosts are known already.
// False: out of memory.
bool keeli_handle_mark(keel_domain *d, keel_entity e, uint64_t id);
// Returns the entity of an id, or a new ghost that stands for it. False: an error was kept.
bool keeli_handle_from_id(keel_domain *d, uint64_t id, keel_entity *out);
// Makes ids of the handles in a value: 0 for null, another one for all that are dead. `marks` is
// true if the entities are marked as known to others. False: an error was kept.
bool keeli_handles_to_ids(keel_domain *d, const mpi_column *column, unsigned char *value,
                          bool marks);
// Makes handles of the ids in a value; makes ghosts for entities that are not here.
bool keeli_handles_from_ids(keel_domain *d, const mpi_column *column, unsigned char *value);
// Returns the component of a ghost that no rank shows.
static inline keel_ghost keeli_bare_ghost(const keel_domain *d, uint64_t id) {
    return (keel_ghost){ .id = id, .stamp = d->stamp, .owner = MPI_NO_RANK, .is_bare = true };
}
// Creates one, for an id that is not here.
keel_result keeli_ghost_create(keel_domain *d, uint64_t id, keel_entity *out);
// Makes ghosts of entities that go to another rank, `owner`, so that handles to them stay.
keel_result keeli_handles_leave(keel_domain *d, const mpi_list *list, uint32_t owner);
// Deletes the ghosts that no value refers to any more.
keel_result keeli_handles_collect(keel_domain *d);

// Fails if the ranks do not have the same components and options.
keel_result keeli_schema_compare(keel_domain *d);
// Hashes the components and options of this rank, without .restart. 0 when out of memory.
uint64_t keeli_schema_hash(const keel_domain *d);
// Begins with the checkpoint in `desc.restart`, on all ranks, and balances. After an error the
// world has no entities.
keel_result keeli_checkpoint_restart(keel_domain *d);
// Fails if a component became known after the domain began.
keel_result keeli_schema_check_known(keel_domain *d);
// Fails if a system of the workload writes what ghosts have.
keel_result keeli_schema_check_workload(keel_domain *d, const keel_workload *workload);
// Appends this rank's reduced uniques.
keel_result keeli_reduce_write(keel_domain *d, mpi_bytes *out);
// Reads those of all ranks from `d->readers`, and makes them one.
keel_result keeli_reduce_read(keel_domain *d);

// ------------------------------------------------------------------ deaths
// Notes which entities died here that other ranks know, and which ghosts the program deleted.
keel_result keeli_deaths_note(keel_domain *d);
// Deletes what all ranks told to be dead (`d->told`), and tells what died of it, until nothing
// does.
keel_result keeli_deaths_tell(keel_domain *d);
// Notes and tells deaths between steps.
keel_result keeli_deaths_settle(keel_domain *d);

// ------------------------------------------------------------------ balance
// Returns the seconds since some fixed time.
double keeli_seconds(void);
// Returns the seconds that this thread has had a processor. Other programs take none of them.
double keeli_seconds_of_thread(void);
// Notes how long a workload took. Returns how long it takes if nothing disturbs it.
double keeli_balance_note(keel_domain *d, double seconds);
// True if the slowest rank has kept the others waiting for longer than dividing space takes.
bool keeli_balance_pays(const keel_domain *d);

// Sorts the components of entities by place, where their storage has an order of its own.
keel_result keeli_curve_sort(keel_domain *d);

// ------------------------------------------------------------------ ghosts and moves
// Brings the ghosts of all ranks up to date.
keel_result keeli_ghosts_refresh(keel_domain *d);
void keeli_ghosts_end(keel_domain *d);
// Fails if a system has written values of ghosts since the last refresh. Only checked builds look.
keel_result keeli_ghosts_check(keel_domain *d);
// Lists the entities that other ranks see, for each of them in `d->lists`.
keel_result keeli_list_seen(keel_domain *d);
// Moves entities to the ranks that own their places, and followers of ghosts to the owners of
// these. All ranks call it, also after an error, and return the same.
keel_result keeli_move(keel_domain *d, keel_result so_far);
// Gives an id to an entity that has none.
keel_result keeli_ids_give(keel_domain *d, keel_entity e);
// Gives ids to all entities that are there.
keel_result keeli_ids_begin(keel_domain *d);
// Gives ids to who has none, and forgets those of who is gone.
keel_result keeli_ids_update(keel_domain *d);
