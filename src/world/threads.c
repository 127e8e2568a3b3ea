// SPDX-License-Identifier: MIT
// Checks the rules for components that are bound to threads (keel_threads; borrow.h describes the
// functions). A rule can restrict two things: values may be added, written and removed only in the
// world's thread (not Send, in Rust's words), and only one thread at a time may use the storage
// (not Sync). It locks nothing. Called by borrow.c, by look-ups, by the recording of commands, by
// the registry and by the scheduler. Storages without KEELI_IS_BOUND have no rule, so their callers
// skip the checks.
#include "borrow.h"

#include "report.h"
#include "storage.h"

// True if values of the component are tied to the world's thread.
static bool is_owned(keel_threads rule) {
    return rule == KEEL_THREADS_OWNER_WRITES || rule == KEEL_THREADS_OWNER_ONLY;
}
static bool is_one_at_a_time(keel_threads rule) {
    return rule == KEEL_THREADS_ONE_AT_A_TIME || rule == KEEL_THREADS_OWNER_ONLY;
}
// True if only the world's thread may use the component with this access.
static bool needs_owner(keel_threads rule, keel_access access) {
    return rule == KEEL_THREADS_OWNER_ONLY ||
           (rule == KEEL_THREADS_OWNER_WRITES && access > KEEL_ACCESS_READ);
}
static bool is_owner(const keel_world *world) { return world->access.owner == keeli_thread_id(); }

// Returns KEEL_OK if this thread may use the storage with this access, KEEL_ERROR_THREAD if only
// the world's thread may, or KEEL_ERROR_BORROWED while another thread uses the storage.
static keel_result check_use(const keel_world *world, const keeli_storage *s, keel_access access) {
    if (needs_owner(s->component.threads, access) && !is_owner(world))
        return KEEL_ERROR_THREAD;
    const bool is_used_elsewhere = is_one_at_a_time(s->component.threads) &&
                                   keeli_atomic_peek(&s->borrow) &&
                                   keeli_atomic_peek(&s->user) != keeli_thread_id();
    return is_used_elsewhere ? KEEL_ERROR_BORROWED : KEEL_OK;
}

bool keeli_thread_claim(const keel_world *world, keeli_storage *s, keel_access access) {
    if (check_use(world, s, access) != KEEL_OK)
        return false;
    keeli_atomic_put(&s->user, keeli_thread_id());
    return true;
}

// Reports that only the thread of `world` may use the component. The error is kept by `teller`,
// which is another world when values are copied between two. `asker` is the name of the view or
// system, or NULL; the message begins with it.
static keel_result wrong_thread(const keel_world *world, keel_world *teller,
                                const keel_component *c, const char *asker, const char *verb) {
    const bool reads = c->threads == KEEL_THREADS_OWNER_WRITES;
    return keeli_misuse(teller, KEEL_ERROR_THREAD,
                        "%s%scannot %s '%s' in this thread: it is %s, so only the thread of world "
                        "'%s' may %s it; do it there (keel_adopt_world makes this thread the "
                        "world's)",
                        asker ? asker : "", asker ? " " : "", verb, keeli_component_name(c),
                        reads ? "KEEL_THREADS_OWNER_WRITES" : "KEEL_THREADS_OWNER_ONLY",
                        world->name, reads ? "edit or write" : "use");
}

keel_result keeli_check_thread(const keel_world *world, keel_world *teller, const keeli_storage *s,
                               keel_access access, const char *asker, const char *verb) {
    const keel_component *c = &s->component;
    const keel_result result = check_use(world, s, access);
    if (result == KEEL_ERROR_THREAD)
        return wrong_thread(world, teller, c, asker, verb);
    if (result == KEEL_OK)
        return KEEL_OK;
    return keeli_error(teller, KEEL_ERROR_BORROWED,
                       "%s%scannot %s '%s' now: it is %s, and another thread is using it; close "
                       "that thread's view first, or use the component in one thread only",
                       asker ? asker : "", asker ? " " : "", verb, c->name,
                       is_owned(c->threads) ? "KEEL_THREADS_OWNER_ONLY"
                                            : "KEEL_THREADS_ONE_AT_A_TIME");
}

keel_result keeli_check_new_value(keel_world *world, const keel_component *c) {
    if (!is_owned(c->threads) || is_owner(world))
        return KEEL_OK;
    return wrong_thread(world, world, c, NULL, "add");
}

bool keeli_may_look(const keel_world *world, const keeli_storage *s) {
    const bool may = check_use(world, s, KEEL_ACCESS_READ) == KEEL_OK;
    if (!may && world->reports.on_misuse == KEEL_MISUSE_ASSERT)
        KEEL_ASSERT(false, "this thread may not read the component or unique: its .threads allow "
                           "only the world's thread, or one thread at a time; read it in the "
                           "world's thread, after other threads have ended their views of it");
    return may;
}

void keeli_threads_bind(keeli_storage *s) {
    if (s->component.threads != KEEL_THREADS_ANY)
        s->flags |= KEELI_IS_BOUND;
}

void keeli_threads_follow(keeli_storage *order, const keeli_storage *s) {
    if (!is_owned(s->component.threads))
        return;
    // an edit of `order` moves the values of `s`, so only the owner may make it; reading moves none
    order->component.threads = KEEL_THREADS_OWNER_WRITES;
    keeli_threads_bind(order);
}

void keeli_threads_update(keel_world *world) {
    keeli_storage *rows = &world->stand_in.rows;
    world->access.owned_storages = 0;
    rows->component.threads = KEEL_THREADS_ANY;
    rows->flags &= ~(uint32_t)KEELI_IS_BOUND;

    for (uint32_t i = 0; i < world->storages.count; ++i) {
        const keeli_storage *s = world->storages.items[i];
        world->access.owned_storages += is_owned(s->component.threads);
        if (keeli_store_has_rows(s))
            keeli_threads_follow(rows, s);
    }
}

const keeli_storage *keeli_threads_bound_value(const keel_world *world) {
    if (!world->access.owned_storages)
        return NULL;
    for (uint32_t i = 0; i < world->storages.count; ++i) {
        const keeli_storage *s = world->storages.items[i];
        const bool has_values =
            s->presence.count || s->disabled.count || s->unique || (s->events && s->events->count);
        if (has_values && is_owned(s->component.threads))
            return s;
    }
    return NULL;
}

void keeli_threads_ending(keel_world *world) {
    if (is_owner(world))
        return;
    const keeli_storage *bound = keeli_threads_bound_value(world);
    if (bound)
        (void)keeli_misuse(world, KEEL_ERROR_THREAD,
                           "world '%s' is destroyed in another thread than its own, but only its "
                           "own thread may drop values of '%s'; destroy the world there",
                           world->name, bound->component.name);
}

bool keeli_holder_needs_owner(const keel_world *world, const keeli_holder *holder) {
    if (holder->everything)
        return world->access.owned_storages != 0;
    for (uint32_t i = 0; i < holder->uses.count; ++i) {
        const keeli_use *use = &holder->uses.items[i];
        if (needs_owner(use->storage->component.threads, use->access))
            return true;
    }
    return false;
}

keel_access keeli_access_in_parallel(const keeli_storage *s, keel_access access) {
    const bool reads = access == KEEL_ACCESS_READ;
    return reads && is_one_at_a_time(s->component.threads) ? KEEL_ACCESS_WRITE : access;
}

keel_result keel_adopt_world(keel_world *world) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    if (is_owner(world))
        return KEEL_OK;
    if (world->refused)
        return keeli_error(world, KEEL_ERROR_SHARED,
                           "cannot adopt world '%s' while it is shared between threads; call "
                           "keel_share_end in its thread first",
                           world->name);
    if (world->access.holders)
        return keeli_error(world, KEEL_ERROR_BORROWED,
                           "cannot adopt world '%s' while %s is open; close it first", world->name,
                           world->access.holders->name);
    if (world->access.owned_storages && keeli_commands_are_pending(world))
        return keeli_misuse(world, KEEL_ERROR_THREAD,
                            "cannot adopt world '%s': its recorded commands may hold values that "
                            "only its thread may use; call keel_apply_commands in that thread "
                            "first",
                            world->name);

    const keeli_storage *bound = keeli_threads_bound_value(world);
    if (bound)
        return keeli_misuse(world, KEEL_ERROR_THREAD,
                            "cannot adopt world '%s': only its thread may use the values of '%s'; "
                            "remove them in that thread first",
                            world->name, bound->component.name);
    world->access.owner = keeli_thread_id();
    return KEEL_OK;
}
