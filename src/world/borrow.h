// SPDX-License-Identifier: MIT
// Borrowing: which storages views and running systems (holders) use now, and which edits are
// allowed meanwhile. A storage has any number of readers, or one writer or editor. Views inside a
// system borrow from what the system holds. It makes no edits itself; called by views, systems, and
// every edit. Also here: calls of the user's hooks, and the rules of components bound to threads
// (threads.c).
#pragma once
#include "world.h"

// Adds a storage to those that keeli_holder_open borrows, together with the storages that its edits
// change: rows, orders of groups and reactive sets. If a storage is added twice, the stronger
// access counts. False when out of memory.
bool keeli_holder_want(keel_world *world, keeli_holder *holder, keeli_storage *storage,
                       keel_access access);
// Borrows all storages that were added, or none. Returns KEEL_OK, KEEL_ERROR_BORROWED,
// KEEL_ERROR_ACCESS, KEEL_ERROR_THREAD.
keel_result keeli_holder_open(keel_world *world, keeli_holder *holder);
void keeli_holder_close(keel_world *world, keeli_holder *holder);
void keeli_holder_deinit(keel_world *world, keeli_holder *holder);
// Lets open holders of everything borrow a new storage, too. False when out of memory.
bool keeli_holders_want_new(keel_world *world, keeli_storage *storage);
// Returns the access that the holder has to a storage.
keel_access keeli_holder_access(const keeli_holder *holder, const keeli_storage *storage);

// True if the holder uses a storage that one thread at a time, or only the world's thread, may use.
static inline bool keeli_holder_is_bound(const keeli_holder *holder) {
    for (uint32_t i = 0; i < holder->uses.count; ++i)
        if (holder->uses.items[i].storage->flags & KEELI_IS_BOUND)
            return true;
    return false;
}
// keeli_holder_needs_owner: true if the holder must be opened in the world's own thread; all its
// storages were added before. keeli_access_in_parallel returns the access to compare with that of
// another thread: for a storage that one thread at a time may use, a reader counts as a writer. The
// scheduler calls both; they are in threads.c.
bool keeli_holder_needs_owner(const keel_world *world, const keeli_holder *holder);
keel_access keeli_access_in_parallel(const keeli_storage *s, keel_access access);

// Returns KEEL_OK if the storage may be edited now, by this holder or (NULL) through the world, or
// else KEEL_ERROR_BORROWED, KEEL_ERROR_SHARED, KEEL_ERROR_ACCESS, KEEL_ERROR_ITERATING,
// KEEL_ERROR_THREAD. `verb` is part of the message: "cannot add 'Health': ...".
keel_result keeli_may_edit(keel_world *world, const keeli_holder *holder,
                           const keeli_storage *storage, const char *verb);
// True if no holder uses the storage, and the world's owner may edit.
static inline bool keeli_is_free(const keel_world *world, const keeli_storage *storage) {
    return !((uint32_t)keeli_atomic_peek(&storage->borrow) | world->refused);
}
// True if no holder is open, so that the owner may edit everything. False in a world with
// components that belong to the owner's thread.
static inline bool keeli_is_unused(const keel_world *world) {
    return !((uintptr_t)world->access.holders | world->refused | world->access.owned_storages);
}
// True if keeli_is_free, and the storage has no flag that sends an edit to its general path: values
// are plain bytes without followers.
static inline bool keeli_is_plain(const keel_world *world, const keeli_storage *storage) {
    return !(keeli_flags_of(storage) | (uint32_t)keeli_atomic_peek(&storage->borrow) |
             world->refused);
}
// The same for the rows, which every edit of a component kept in archetypes moves.
static inline bool keeli_rows_are_free(const keel_world *world) {
    return keeli_is_free(world, &world->stand_in.rows) && !world->stand_in.rows.flags;
}
// True if the caller is code of the user that an edit calls, which may read but not edit.
static inline bool keeli_is_inside_edit(const keel_world *world) {
    return world->refused & KEELI_REFUSED_INSIDE ||
           (world->access.concurrent &&
            keeli_atomic_peek(&world->access.editor) == keeli_thread_id());
}
// Returns KEEL_OK if the world's owner may edit, or else KEEL_ERROR_SHARED with the reason.
keel_result keeli_world_is_editable(keel_world *world);
// The same, but also an error while a workload runs, even if a system of it calls this: the
// workload would not notice the edit. `what` begins the message: "a component is unregistered".
keel_result keeli_world_is_idle(keel_world *world, const char *what);
// Returns KEEL_OK if the whole world may be read now, outside of views, or else KEEL_ERROR_BORROWED
// (a storage is being written), KEEL_ERROR_SHARED, KEEL_ERROR_THREAD. `teller` keeps the error;
// `verb` as above: "copy".
keel_result keeli_may_read_all(const keel_world *world, keel_world *teller, const char *verb);
// Returns KEEL_OK if there is no open view and no running system. `what` begins the message:
// "cannot share the world".
keel_result keeli_nothing_is_open(keel_world *world, const char *what);
// Reports that another holder than `asker` (NULL: the world) uses the storage.
keel_result keeli_borrowed(keel_world *world, const keeli_storage *storage, const char *verb,
                           const keeli_holder *asker);

// True if all holders of the storage are views of the world's owner: no systems, and no views
// inside of one.
bool keeli_only_own_views_use(const keel_world *world, const keeli_storage *storage);

// Lock an edit on behalf of a holder while several threads are at work. Edits of different
// components share the lists of components and the handles that are promised and released, so they
// wait for each other. Edits of the owner (`asker` NULL) never run beside others.
static inline void keeli_edit_lock(keel_world *world, const void *asker) {
    if (!asker || !world->access.concurrent)
        return;
    if (keeli_atomic_peek(&world->access.editor) == keeli_thread_id()) { // an edit by an observer
        ++world->access.edits_inside;
        return;
    }
    keeli_lock_acquire(&world->access.edit_lock);
    keeli_atomic_put(&world->access.editor, keeli_thread_id());
}
static inline void keeli_edit_unlock(keel_world *world, const void *asker) {
    if (!asker || !world->access.concurrent)
        return;
    if (world->access.edits_inside) {
        --world->access.edits_inside;
        return;
    }
    keeli_atomic_put(&world->access.editor, 0);
    keeli_lock_release(&world->access.edit_lock);
}

// ------------------------------------------------------------------ the user's functions in edits
// Enclose a call of the user's code in the middle of an edit: a hook, a filter or a comparison. In
// between, edits and views that write are refused; in a hook, all views are. While several threads
// are at work nothing is set here, as the lock of edits tells which thread is inside of an edit
// (keeli_is_inside_edit). keeli_refuse_begin returns the argument of keeli_refuse_end.
static inline uint32_t keeli_refuse_begin(keel_world *world, uint32_t why) {
    const uint32_t before = world->refused;
    if (!world->access.concurrent)
        world->refused |= why;
    return before;
}
static inline void keeli_refuse_end(keel_world *world, uint32_t before) {
    if (!world->access.concurrent)
        world->refused = before;
}

// Call the hooks of a component that has them. keeli_hook_drop and keeli_hook_move have the types
// of hooks, because data structures call them like hooks, with the storage as hook_data.
void keeli_hook_drop(void *value, void *storage);
void keeli_hook_move(void *to, void *from, void *storage);
bool keeli_hook_copy(const keeli_storage *s, void *to, const void *from);
uint64_t keeli_hook_hash(const keeli_storage *s, const void *value);

// ------------------------------------------------------------------ threads (threads.c)
// Rules of components that are bound to threads (keel_threads). Only storages with KEELI_IS_BOUND
// have a rule; the others need none of these calls.
//
// Returns KEEL_OK if the calling thread may use the storage with this access, KEEL_ERROR_THREAD if
// only the world's thread may, KEEL_ERROR_BORROWED while another thread uses the storage. `asker`
// is the name of the view or system that wants to use it, or NULL; `verb` is part of the message.
// `teller` is the world that keeps the error.
keel_result keeli_check_thread(const keel_world *world, keel_world *teller, const keeli_storage *s,
                               keel_access access, const char *asker, const char *verb);
// Returns KEEL_OK if the calling thread may make a value of the component, in a storage or in
// commands, or else KEEL_ERROR_THREAD.
keel_result keeli_check_new_value(keel_world *world, const keel_component *c);
// True if this thread may read the storage. If not, asserts instead of keeping an error, since a
// look-up has no result to return one in.
bool keeli_may_look(const keel_world *world, const keeli_storage *s);
// Makes the calling thread the `user` of the storage, until `borrow` is 0 again. False if the
// thread may not use the storage. In shared mode the caller holds the world's lock.
bool keeli_thread_claim(const keel_world *world, keeli_storage *s, keel_access access);

// Sets the flag of a storage whose component has a rule.
void keeli_threads_bind(keeli_storage *s);
// Binds `order` to the thread of this storage, as an edit of `order` moves its values.
void keeli_threads_follow(keeli_storage *order, const keeli_storage *s);
// Counts the bound components, and binds the rows of archetypes, after a component was registered
// or unregistered.
void keeli_threads_update(keel_world *world);
// Reports an error if destroying the world now drops values in the wrong thread.
void keeli_threads_ending(keel_world *world);
// Returns a component that has values and whose values may not leave the world's thread, so that
// another thread cannot adopt the world. NULL if there is none.
const keeli_storage *keeli_threads_bound_value(const keel_world *world);
