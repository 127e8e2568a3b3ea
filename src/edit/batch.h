// SPDX-License-Identifier: MIT
// An edit that gives components to entities: entities x columns, resolved once. One entity is a
// batch of one. Whoever edits calls, in this order:
//   keeli_batch_begin, keeli_batch_add for each column
//   keeli_batch_create, when the entities are to be made as well
//   keeli_batch_finish: makes room, commits, which cannot fail, and tells the followers
// After an error, which `result` keeps, the rest does nothing but keeli_batch_finish, which ends
// the batch; then nothing has changed. A removal is a batch whose columns have no values:
// keeli_batch_remove (removal.h) ends it.
#pragma once
#include "edit/edit.h"

// The owner of the caller's values after the batch.
typedef enum keeli_handing {
    KEELI_HANDED_OVER, // the world owns what they own as soon as the batch is committed
    KEELI_COPIED,      // copies are made, with the copy hook
    KEELI_IF_MISSING   // handed over, and dropped where there is a value already
} keeli_handing;

typedef struct keeli_column {
    keeli_storage *storage;
    const char *values; // the first entity's; NULL: zeros, where there is no value yet
    size_t stride;      // from one value to the next; 0: all get the same
    bool is_copied;     // by the hook, before anybody is notified
    bool is_moved;      // by the hook, when it is committed; otherwise bytes are copied
    bool is_superseded; // named again in the list, or not needed: its value is only dropped
    bool keeps;         // without a value of the caller's: who has one keeps it
    bool is_there;      // rows that are being moved have it
    uint32_t filled;    // so many of the new entities have their copies already
    void *staged;       // memory of copies, of entities that exist
    // a sparse set whose first page grew: its old address and size, as values of the caller may
    // lie in it
    uintptr_t moved_from;
    size_t moved_bytes;
    void *out;   // in a removal: the destination of the value; NULL: it is dropped
    bool *taken; // in a removal: set to whether there was a value; may be NULL
    uint64_t few_fresh;
    uint64_t *fresh; // bits by position: who had none. NULL: all had none, or nobody follows
} keeli_column;

typedef struct keeli_batch {
    keel_world *world;
    keel_result result; // the first error
    const keel_entity *entities;
    uint32_t count;
    uint32_t column_count, column_room;
    bool is_new;        // they are being made: they have nothing
    bool is_held;       // with handles that were promised
    bool has_prototype; // all values are those of the entity with the index `prototype`
    bool has_rows;      // some columns are kept in archetypes
    bool has_copies;    // some are copied by a hook
    bool has_moved;     // the page of a sparse set moved when room was made
    bool is_reserved, has_made_rows, is_created, is_committed;
    bool is_removal;
    uint32_t prototype;
    uint32_t flags;    // union of the flags of all storages
    keeli_range whole; // all entities, if they are new and one range of indices
    const char *doing; // the edit in messages: "adding an entity"
    keeli_archetype *from,
        *to; // cache: the last archetype whose target was looked up, and that target
    keeli_column *columns;
    uint32_t *left, left_count;       // places of rows that were copied
    struct keeli_batch_block *pieces; // memory until it ends
    // members from here on begin undefined
    uint32_t one_left;                  // memory of `left` for one entity
    keeli_entity_index before;          // as it was before they were made
    keeli_column few[KEELI_SIZE(8, 1)]; // memory of `columns`
} keeli_batch;

void keeli_batch_begin(keeli_batch *b, keel_world *world, const keel_entity *entities,
                       uint32_t count, const char *doing);
// The entities are made, with handles that commands promised.
void keeli_batch_begin_held(keeli_batch *b, keel_world *world, const keel_entity *held,
                            uint32_t count, const char *doing);
// A component that the entities get, on behalf of a holder or (NULL) of the owner, and its values:
// a stride of 0 gives all the same. NULL: what it begins with, for those who have none. What it
// requires comes with it.
void keeli_batch_add(keeli_batch *b, const keeli_holder *holder, keeli_storage *s,
                     const void *values, size_t stride, keeli_handing handing);
// A component that is taken away: where its value goes (NULL: it is dropped), and whether there was
// one (may be NULL).
void keeli_batch_add_out(keeli_batch *b, keeli_storage *s, void *out, bool *taken);
// Columns for a list of values that are handed over, on behalf of a holder or (NULL) of the owner.
void keeli_batch_add_values(keeli_batch *b, const keeli_holder *holder, const keel_value *values);
// The entities, handles in `out` (NULL: nobody wants them, or they were promised), and all that may
// fail.
void keeli_batch_create(keeli_batch *b, const keeli_holder *holder, keel_entity *out);
// All that may fail, where something else comes before the commit.
keel_result keeli_batch_reserve(keeli_batch *b);
keel_result keeli_batch_finish(keeli_batch *b);
// The parts of keeli_batch_finish, where something else comes between the values and what followers
// hear of them: the values get in place (false: `result` says why not), followers hear, all or all
// but observers, and keeli_batch_end ends it in any case.
bool keeli_batch_commit(keeli_batch *b);
void keeli_batch_tell(const keeli_batch *b);
void keeli_batch_tell_others(const keeli_batch *b);

// Removals: makes room for the rows of all living entities, moves the rows, and ends the move.
bool keeli_batch_reserve_rows(keeli_batch *b);
void keeli_batch_move_rows(keeli_batch *b);
keel_result keeli_batch_end(keeli_batch *b);
