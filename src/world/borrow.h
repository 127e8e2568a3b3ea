// SPDX-License-Identifier: MIT
// Who uses which storage now. Views and running systems are holders; a storage has any number of
// readers or one writer or editor. Views inside a system borrow from what the system holds.
#pragma once
#include "world.h"

// Add a storage to what a holder will hold; named twice, the stronger access counts. False when out
// of memory.
bool keeli_holder_want(keel_world *world, keeli_holder *holder, keeli_storage *storage,
                       keel_access access);
// Take everything wanted, or nothing: KEEL_OK, KEEL_ERROR_BORROWED, KEEL_ERROR_ACCESS,
// KEEL_ERROR_THREAD.
keel_result keeli_holder_open(keel_world *world, keeli_holder *holder);
void keeli_holder_close(keel_world *world, keeli_holder *holder);
void keeli_holder_deinit(keel_world *world, keeli_holder *holder);
// A new storage belongs to the view of everything, if one is open. False when out of memory.
bool keeli_holders_want_new(keel_world *world, keeli_storage *storage);
// What the holder may do with a storage.
keel_access keeli_holder_access(const keeli_holder *holder, const keeli_storage *storage);

// Does it hold what may be used by one thread at a time, or by the world's only?
static inline bool keeli_holder_is_bound(const keeli_holder *holder) {
    for (uint32_t i = 0; i < holder->uses.count; ++i)
        if (holder->uses.items[i].storage->flags & KEELI_IS_BOUND) return true;
    return false;
}
// For the scheduler, of a holder with all its uses: must it be opened in the world's own thread?
// And the access that counts between two threads: what one thread at a time may use, two cannot
// read. (threads.c)
bool keeli_holder_needs_owner(const keel_world *world, const keeli_holder *holder);
keel_access keeli_access_in_parallel(const keeli_storage *s, keel_access access);

// May the storage be edited now, by this holder or (NULL) through the world? KEEL_OK,
// KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED, KEEL_ERROR_ACCESS, KEEL_ERROR_ITERATING,
// KEEL_ERROR_THREAD. `verb` goes into the message: "cannot add 'Health': ...".
keel_result keeli_may_edit(keel_world *world, const keeli_holder *holder,
                           const keeli_storage *storage, const char *verb);
// Does nobody use the storage, and may the world's owner edit?
static inline bool keeli_is_free(const keel_world *world, const keeli_storage *storage) {
    return !((uint32_t)keeli_atomic_peek(&storage->borrow) | world->share_depth);
}
// The same for the rows that an edit of any component kept in archetypes moves.
static inline bool keeli_rows_are_free(const keel_world *world) {
    return keeli_is_free(world, &world->row_storage) && !world->row_storage.flags;
}
// Is the caller the user's code that an edit calls? It may look at all, and change nothing.
static inline bool keeli_is_inside_edit(const keel_world *world) {
    return world->notifying | world->inside ||
           (world->concurrent && keeli_atomic_peek64(&world->editor) == keeli_thread_id());
}
// KEEL_OK in owner mode, KEEL_ERROR_SHARED otherwise.
keel_result keeli_world_is_editable(keel_world *world);
// The same, and no workload runs, not even the caller: it would go on with what it knew before.
keel_result keeli_world_is_idle(keel_world *world, const char *what);
// May all of the world be read now, outside of views: KEEL_OK, KEEL_ERROR_BORROWED when something
// is being written, KEEL_ERROR_SHARED, KEEL_ERROR_THREAD. `teller` keeps the error; `verb` as
// above: "copy".
keel_result keeli_may_read_all(const keel_world *world, keel_world *teller, const char *verb);
// Report that `storage` is in use by another holder than `asker` (NULL: the world).
keel_result keeli_borrowed(keel_world *world, const keeli_storage *storage, const char *verb,
                           const keeli_holder *asker);

// Edits of different components on behalf of holders may meet in the lists of components: they
// take turns when several threads are at work. The owner's edits never meet anybody.
static inline void keeli_edit_lock(keel_world *world, const keeli_holder *holder) {
    if (!holder || !world->concurrent) return;
    if (keeli_atomic_peek64(&world->editor) == keeli_thread_id()) { // an observer's
        ++world->edits_inside;
        return;
    }
    keeli_lock_take(&world->edit_lock);
    keeli_atomic_put64(&world->editor, keeli_thread_id());
}
static inline void keeli_edit_unlock(keel_world *world, const keeli_holder *holder) {
    if (!holder || !world->concurrent) return;
    if (world->edits_inside) {
        --world->edits_inside;
        return;
    }
    keeli_atomic_put64(&world->editor, 0);
    keeli_lock_give(&world->edit_lock);
}
// The same for handles that are promised or given back while others may be editing. Also in the
// middle of an edit, by observers: then there is nothing to take, and it says false.
static inline bool keeli_handles_lock(keel_world *world) {
    if (!world->concurrent || keeli_atomic_peek64(&world->editor) == keeli_thread_id())
        return false;
    keeli_lock_take(&world->edit_lock);
    return true;
}
static inline void keeli_handles_unlock(keel_world *world, bool locked) {
    if (locked) keeli_lock_give(&world->edit_lock);
}
