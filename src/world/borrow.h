// SPDX-License-Identifier: MIT
// Who uses which storage now, and what may be done. Views and running systems are holders; a
// storage has any number of readers or one writer or editor. Views inside a system borrow from what
// the system holds.
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
    return !((uint32_t)keeli_atomic_peek(&storage->borrow) | world->refused);
}
// Does nobody use anything, so that the owner may edit all that is not bound to a thread?
static inline bool keeli_is_unused(const keel_world *world) {
    return !((uintptr_t)world->access.holders | world->refused | world->access.owned_storages);
}
// The same for a storage whose values are bytes that nobody follows.
static inline bool keeli_is_plain(const keel_world *world, const keeli_storage *storage) {
    return !(keeli_flags_of(storage) | (uint32_t)keeli_atomic_peek(&storage->borrow) |
             world->refused);
}
// The same for the rows that an edit of any component kept in archetypes moves.
static inline bool keeli_rows_are_free(const keel_world *world) {
    return keeli_is_free(world, &world->stand_in.rows) && !world->stand_in.rows.flags;
}
// Is the caller the user's code that an edit calls? It may look at all, and change nothing.
static inline bool keeli_is_inside_edit(const keel_world *world) {
    return world->refused & KEELI_REFUSED_INSIDE ||
           (world->access.concurrent &&
            keeli_atomic_peek(&world->access.editor) == keeli_thread_id());
}
// KEEL_OK in owner mode, KEEL_ERROR_SHARED otherwise.
keel_result keeli_world_is_editable(keel_world *world);
// The same, and no workload runs, not even the caller: it would go on with what it knew before.
keel_result keeli_world_is_idle(keel_world *world, const char *what);
// May all of the world be read now, outside of views: KEEL_OK, KEEL_ERROR_BORROWED when something
// is being written, KEEL_ERROR_SHARED, KEEL_ERROR_THREAD. `teller` keeps the error; `verb` as
// above: "copy".
keel_result keeli_may_read_all(const keel_world *world, keel_world *teller, const char *verb);
// KEEL_OK when there is no open view or running system; `what` was to be done.
keel_result keeli_nothing_is_open(keel_world *world, const char *what);
// Report that `storage` is in use by another holder than `asker` (NULL: the world).
keel_result keeli_borrowed(keel_world *world, const keeli_storage *storage, const char *verb,
                           const keeli_holder *asker);

// Is whoever uses the storage a view of the world's owner: no system, and nothing inside of one?
bool keeli_only_own_views_use(const keel_world *world, const keeli_storage *storage);

// Edits of different components on behalf of holders may meet in the lists of components, and with
// handles that are promised or given back: they take turns when several threads are at work. The
// edits of the owner (`asker` NULL) never meet anybody.
static inline void keeli_edit_lock(keel_world *world, const void *asker) {
    if (!asker || !world->access.concurrent) return;
    if (keeli_atomic_peek(&world->access.editor) == keeli_thread_id()) { // an observer's
        ++world->access.edits_inside;
        return;
    }
    keeli_lock_take(&world->access.edit_lock);
    keeli_atomic_put(&world->access.editor, keeli_thread_id());
}
static inline void keeli_edit_unlock(keel_world *world, const void *asker) {
    if (!asker || !world->access.concurrent) return;
    if (world->access.edits_inside) {
        --world->access.edits_inside;
        return;
    }
    keeli_atomic_put(&world->access.editor, 0);
    keeli_lock_give(&world->access.edit_lock);
}

// ------------------------------------------------------------------ the user's functions in edits
// Hooks and what an edit asks (whom to keep, what comes first). Meanwhile edits and views that
// write are refused, and in hooks all views and systems. Where several threads are at work the lock
// of edits does that (keeli_is_inside_edit). Returns what to end it with.
static inline uint32_t keeli_refuse_begin(keel_world *world, uint32_t why) {
    const uint32_t before = world->refused;
    if (!world->access.concurrent) world->refused |= why;
    return before;
}
static inline void keeli_refuse_end(keel_world *world, uint32_t before) {
    if (!world->access.concurrent) world->refused = before;
}

// The hooks of a component that has them. The first two are hooks themselves, for data structures,
// with the storage as their hook_data.
void keeli_hook_drop(void *value, void *storage);
void keeli_hook_move(void *to, void *from, void *storage);
bool keeli_hook_copy(const keeli_storage *s, void *to, const void *from);
uint64_t keeli_hook_hash(const keeli_storage *s, const void *value);

// ------------------------------------------------------------------ threads (threads.c)
// Components that are bound to threads (keel_threads): who may touch them where. Only storages with
// KEELI_IS_BOUND have a rule; all others never come here.
//
// May the calling thread use the storage like this: KEEL_OK; KEEL_ERROR_THREAD when it never may,
// KEEL_ERROR_BORROWED while another thread is using it. `asker` is the view or system that wants
// to, or NULL; `verb` goes into the message. `teller` keeps the error.
keel_result keeli_check_thread(const keel_world *world, keel_world *teller, const keeli_storage *s,
                               keel_access access, const char *asker, const char *verb);
// The same for making a first value, in the storage or in commands.
keel_result keeli_check_new_value(keel_world *world, const keel_component *c);
// For look-ups that cannot report: false, after an assertion, when this thread may not read.
bool keeli_may_look(const keel_world *world, const keeli_storage *s);
// The calling thread becomes the user, until the storage's count is 0 again; false when it may not.
// In shared mode the world's lock is held.
bool keeli_thread_claim(const keel_world *world, keeli_storage *s, keel_access access);

// Set the flag of a storage whose component has a rule.
void keeli_threads_bind(keeli_storage *s);
// An edit of `order` moves values of this storage: it is bound to their thread as well.
void keeli_threads_follow(keeli_storage *order, const keeli_storage *s);
// A bound component came or went: count, and let the rows of archetypes follow.
void keeli_threads_update(keel_world *world);
// The world is about to be destroyed: tell when that drops values in the wrong thread.
void keeli_threads_ending(keel_world *world);
// Why the world cannot go to another thread: a component that has values and must stay where they
// were made. NULL when there is none.
const keeli_storage *keeli_threads_bound_value(const keel_world *world);
