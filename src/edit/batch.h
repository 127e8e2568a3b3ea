// SPDX-License-Identifier: MIT
// A batch is an edit that adds components to entities: a list of entities, and a column for each
// component. One entity is a batch of one. The caller calls, in this order:
//   keeli_batch_begin, keeli_batch_add for each column
//   keeli_batch_create, if the entities do not exist yet
//   keeli_batch_finish: makes room, commits, which cannot fail, and notifies the followers
// After an error, which `result` keeps, later calls do nothing, except that keeli_batch_finish
// frees the memory of the batch. The world is then unchanged. A removal is a batch whose columns
// have no values: keeli_batch_remove (removal.h) ends it.
#pragma once
#include "edit/edit.h"

// Tells who owns the caller's values after the batch.
typedef enum keeli_handing {
    KEELI_HANDED_OVER, // the world owns the values as soon as the batch is committed
    KEELI_COPIED,      // the caller owns them: the world gets copies, made by the copy hook
    KEELI_IF_MISSING   // as KEELI_HANDED_OVER, but an entity that has a value keeps its own
} keeli_handing;

typedef struct keeli_column {
    keeli_storage *storage;
    const char *values; // value of the first entity; NULL: zeros for entities without a value
    size_t stride;      // bytes from one value to the next; 0: all entities get the same value
    bool is_copied;     // the copy hook copies the values, before followers are notified
    bool is_moved;      // the move hook moves the values at the commit; false: bytes are copied
    bool is_superseded; // a later column replaces it, or no entity needs it: it is not written,
                        // and the value that the caller handed over is dropped
    bool keeps;         // the caller passed no value: entities that have a value keep it
    bool is_there;      // the archetype whose rows are being moved has the component
    uint32_t filled;    // number of new entities whose copies are in place before the commit
    void *staged;       // copies of the caller's values, in memory of the batch; or NULL
    // Old address and size of the first page of a sparse set that grew: values of the caller may
    // lie in the page.
    uintptr_t moved_from;
    size_t moved_bytes;
    void *out;          // in a removal: the destination of the value; NULL: it is dropped
    bool *taken;        // in a removal: set to whether there was a value; may be NULL
    uint64_t few_fresh; // memory of `fresh` for up to 64 entities
    uint64_t *fresh;    // bit by position in the list: the entity had no value. NULL: no entity
                        // had one, or the component has no followers
} keeli_column;

typedef struct keeli_batch {
    keel_world *world;
    keel_result result; // the first error
    const keel_entity *entities;
    uint32_t count;
    uint32_t column_count, column_room;
    bool is_new;        // the batch creates the entities, so they have no components yet
    bool is_held;       // the new entities have handles that commands promised
    bool has_prototype; // all values are those of the entity with the index `prototype`
    bool has_rows;      // a column is kept in archetypes
    bool has_copies;    // a column is copied by a hook
    bool has_moved;     // the first page of a sparse set moved when room was made
    bool is_reserved, has_made_rows, is_created, is_committed;
    bool is_removal;
    uint32_t prototype;
    uint32_t flags;    // union of the flags of all storages
    keeli_range whole; // range of all entities, if they are new and their indices consecutive
    const char *doing; // the edit in messages: "adding an entity"
    keeli_archetype *from,
        *to; // cache: the last archetype whose target was looked up, and that target
    keeli_column *columns;
    uint32_t *left, left_count;       // old places of rows that were copied to another archetype
    struct keeli_batch_block *pieces; // memory that is freed at the end of the batch
    // keeli_batch_begin leaves the members from here on undefined.
    uint32_t one_left;                  // memory of `left` for one entity
    keeli_entity_index before;          // the world's index before the entities were created
    keeli_column few[KEELI_SIZE(8, 1)]; // memory of `columns`
} keeli_batch;

void keeli_batch_begin(keeli_batch *b, keel_world *world, const keel_entity *entities,
                       uint32_t count, const char *doing);
// Begins a batch that creates entities with handles that commands promised.
void keeli_batch_begin_held(keeli_batch *b, keel_world *world, const keel_entity *held,
                            uint32_t count, const char *doing);
// Adds a column, on behalf of a holder or (NULL) of the owner, and columns for the components that
// it requires. With a stride of 0 all entities get the same value. If `values` is NULL, entities
// without a value get the component's initial value.
void keeli_batch_add(keeli_batch *b, const keeli_holder *holder, keeli_storage *s,
                     const void *values, size_t stride, keeli_handing handing);
// Adds the column of a component to remove. Its value is moved to `out`; NULL: it is dropped.
// `taken` is set to whether there was a value; it may be NULL.
void keeli_batch_add_out(keeli_batch *b, keeli_storage *s, void *out, bool *taken);
// Adds columns for a list of values, which the caller hands over to the world, on behalf of a
// holder or (NULL) of the owner.
void keeli_batch_add_values(keeli_batch *b, const keeli_holder *holder, const keel_value *values);
// Creates the entities and stores their handles in `out`; NULL if the caller does not want them, or
// if they were promised. Includes keeli_batch_reserve.
void keeli_batch_create(keeli_batch *b, const keeli_holder *holder, keel_entity *out);
// Makes room and copies values with hooks: everything that may fail. Only a caller that does
// something else before the commit needs to call it.
keel_result keeli_batch_reserve(keeli_batch *b);
keel_result keeli_batch_finish(keeli_batch *b);
// The parts of keeli_batch_finish, for a caller that does something else after the values are in
// place and before followers are notified. keeli_batch_end must follow in any case.
//
// Writes the values. False after an error, which `result` has.
bool keeli_batch_commit(keeli_batch *b);
// Notifies all followers.
void keeli_batch_tell(const keeli_batch *b);
// Notifies all followers but observers.
void keeli_batch_tell_others(const keeli_batch *b);

// Makes room in the archetypes that the rows of the batch's entities move to. A removal, whose list
// may have dead entities, skips these. False when out of memory.
bool keeli_batch_reserve_rows(keeli_batch *b);
// Moves the rows to the archetypes in which keeli_batch_reserve_rows made room. Cannot fail.
void keeli_batch_move_rows(keeli_batch *b);
// Ends the batch: undoes the creation of entities that was not committed, frees the memory of the
// batch, and ends the edit (keeli_done). Returns `result`.
keel_result keeli_batch_end(keeli_batch *b);
