// SPDX-License-Identifier: MIT
// Borrowing (borrow.h): the counters of storages, the list of open holders, the errors of
// conflicts, and shared mode. The rules of components bound to threads are in threads.c.
#include "borrow.h"

#include "report.h"
#include "storage.h"

// ------------------------------------------------------------------ one counter
// A counter is 0 if free, n with n readers, -1 with one writer. In shared mode several threads
// change it.
static bool counter_acquire(const keel_world *world, int32_t *counter, keel_access access) {
    int32_t now = keeli_atomic_peek(counter);
    const bool alone = access > KEEL_ACCESS_READ;
    do {
        if (alone ? now != 0 : now < 0)
            return false;
        if (!world->access.concurrent) {
            *counter = alone ? -1 : now + 1;
            return true;
        }
    } while (!keeli_atomic_swap(counter, &now, alone ? -1 : now + 1));
    return true;
}
static void counter_release(const keel_world *world, int32_t *counter, keel_access access) {
    keeli_count(world, counter, access > KEEL_ACCESS_READ ? 1 : -1);
}

// ------------------------------------------------------------------ messages
static const char *const doing[] = { "using", "reading", "writing", "editing" }; // by access
static const char *const to_do[] = { "use", "read", "write", "edit" };

static keeli_use *use_of(const keeli_holder *holder, const keeli_storage *storage) {
    for (uint32_t i = 0; i < holder->uses.count; ++i)
        if (holder->uses.items[i].storage == storage)
            return &holder->uses.items[i];
    return NULL;
}

// Returns an open holder that conflicts with `asker` over the storage, or NULL. `*use` is the
// holder's use of the storage, NULL if the holder holds everything.
static const keeli_holder *find_other(const keel_world *world, const keeli_storage *storage,
                                      const keeli_holder *asker, const keeli_use **use) {
    const keeli_holder *parent = asker ? asker->parent : NULL;
    const bool is_system_itself =
        asker && asker->open; // a system in conflict with views that it opened itself
    for (const keeli_holder *h = world->access.holders; h; h = h->next) {
        if (h == asker || h->parent != (is_system_itself ? asker : parent))
            continue;
        *use = use_of(h, storage);
        if (*use || h->everything)
            return h;
    }
    return NULL;
}

// Returns what the user can do about a conflict: record the edit if there is a command for the
// verb, or else wait.
static const char *way_out(const char *verb) {
    static const char *const recorded[] = { "add",
                                            "add to",
                                            "delete",
                                            "delete from",
                                            "delete an entity that has",
                                            "strip an entity that has",
                                            "remove",
                                            "change",
                                            "send",
                                            "set" };

    if (strcmp(verb, "write") == 0)
        return "write through that view, or end it first";
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; ++i)
        if (strcmp(verb, recorded[i]) == 0)
            return "record the edit with commands (keel_world_commands, KEEL_COMMANDS) or end that "
                   "view first";
    return "do it when that loop, view or system has ended";
}

keel_result keeli_borrowed(keel_world *world, const keeli_storage *storage, const char *verb,
                           const keeli_holder *asker) {
    const keeli_use *use = NULL;
    char other[64] = "another view";
    keel_access access = KEEL_ACCESS_EDIT;
    keeli_world_lock(world);
    const keeli_holder *holder = find_other(world, storage, asker, &use);
    if (holder) {
        memcpy(other, holder->name, sizeof other);
        if (use)
            access = use->access;
    }
    keeli_world_unlock(world);
    const char *what = KEELI_STORAGE(world, storage);
    const bool edits = strcmp(verb, "read") != 0 && strcmp(verb, "write") != 0;
    if (asker)
        return keeli_error(world, KEEL_ERROR_BORROWED,
                           "%s wants to %s %s, which %s is %s; end that view first, or %s",
                           asker->name, verb, what, other, doing[access],
                           edits ? "record the edit with commands (KEEL_COMMANDS)"
                                 : "ask for both in one view");
    return keeli_error(world, KEEL_ERROR_BORROWED, "cannot %s %s: %s is %s it; %s", verb, what,
                       other, doing[access], way_out(verb));
}

// Returns the name of the term or parameter that declares this access.
static const char *declaring_macro(const keeli_storage *storage, keel_access access) {
    const bool reads = access == KEEL_ACCESS_READ;
    if (storage->events)
        return reads ? "KEEL_RECEIVE" : "KEEL_SEND";
    if (storage->component.is_unique)
        return reads ? "KEEL_UNIQUE_READ" : "KEEL_UNIQUE_WRITE";
    if (reads)
        return "KEEL_MAY_READ";
    return access == KEEL_ACCESS_WRITE ? "KEEL_MAY_WRITE" : "KEEL_MAY_EDIT";
}

static keel_result undeclared_use(keel_world *world, const keeli_holder *holder,
                                  const keeli_storage *storage, keel_access access) {
    const keeli_holder *system = holder->parent ? holder->parent : holder;
    const char *name = storage->component.name, *kind = system->is_system ? "system" : "view";
    if (storage == &world->stand_in.entities)
        return keeli_misuse(world, KEEL_ERROR_ACCESS, "%s '%s' may not add or delete entities; %s",
                            kind, system->name,
                            system->is_system ? "record commands (KEEL_COMMANDS)"
                                              : "add KEEL_MAY_EDIT_ENTITIES (to add) or "
                                                "KEEL_MAY_EDIT_WORLD (to delete) to its terms");

    const char *macro = declaring_macro(storage, access);
    if (system->is_system && access == KEEL_ACCESS_EDIT &&
        keeli_holder_access(system, storage) >= KEEL_ACCESS_READ)
        return keeli_misuse(
            world, KEEL_ERROR_ACCESS,
            "system '%s' may not edit '%s', which it did not declare to edit; record the "
            "edit (KEEL_COMMANDS), or, if the loop does not visit '%s', declare "
            "KEEL_MAY_EDIT(%s) instead",
            system->name, name, name, name);
    if (holder->parent)
        return keeli_misuse(world, KEEL_ERROR_ACCESS,
                            "%s '%s' opens a view that %ss '%s' at %s but did not declare it; "
                            "add %s(%s) to its parameters",
                            kind, system->name, to_do[access], name, holder->name, macro, name);
    return keeli_misuse(world, KEEL_ERROR_ACCESS, "%s '%s' may not %s '%s'; add %s(%s) to its %s",
                        kind, system->name, to_do[access], name, macro, name,
                        system->is_system ? "parameters" : "terms");
}

// ------------------------------------------------------------------ holders
bool keeli_holder_want(keel_world *world, keeli_holder *holder, keeli_storage *storage,
                       keel_access access) {
    const bool edits = access == KEEL_ACCESS_EDIT;
    const keel_access at_least_read = edits ? KEEL_ACCESS_EDIT : KEEL_ACCESS_READ;

    // an edit of one component kept in archetypes moves the rows of all
    if (keeli_store_has_rows(storage) &&
        !keeli_holder_want(world, holder, &world->stand_in.rows, at_least_read))
        return false;

    // an edit changes the order of the groups that name the component, and every use of an owned
    // component relies on that order
    for (uint32_t i = 0; i < storage->groups.count; ++i) {
        const keeli_group_link *link = &storage->groups.items[i];
        if ((edits || storage->owner == link->group) &&
            !keeli_holder_want(world, holder, link->order, at_least_read))
            return false;
    }

    if (edits) // an edit of a source adds entities to its sets
        for (uint32_t i = 0; i < storage->collectors.count; ++i)
            if (!keeli_holder_want(world, holder, storage->collectors.items[i].set, access))
                return false;

    keeli_use *use = use_of(holder, storage);
    if (use) {
        if (access > use->access)
            use->access = access;
        return true;
    }
    if (!KEELI_RESERVE(&world->heap, &holder->uses, 1))
        return false;
    *KEELI_APPEND(&holder->uses) = (keeli_use){ .storage = storage, .access = access };
    return true;
}

keel_access keeli_holder_access(const keeli_holder *holder, const keeli_storage *storage) {
    if (holder->everything)
        return KEEL_ACCESS_EDIT;
    const keeli_use *use = use_of(holder, storage);
    return use ? use->access : KEEL_ACCESS_NONE;
}

// Returns the counter that a use of this holder changes: `borrow` of the storage, or, if the holder
// is a view inside of a system or custom view, `inner` of the outer use. NULL if the system did not
// declare the use. A custom view that was begun in the world does not borrow the list of entities,
// because entities may be added while it is open; so a view inside of it that reads the list
// changes `borrow`.
static int32_t *counter_of(const keel_world *world, const keeli_holder *holder,
                           const keeli_use *use) {
    const keeli_holder *parent = holder->parent;
    if (!parent)
        return &use->storage->borrow;
    keeli_use *outer = use_of(parent, use->storage);
    if (!outer && use->storage == &world->stand_in.entities && use->access == KEEL_ACCESS_READ &&
        !parent->is_system && !parent->parent)
        return &use->storage->borrow;
    return outer && outer->access >= use->access ? &outer->inner : NULL;
}

static void release_first(const keel_world *world, const keeli_holder *holder, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        const keeli_use *use = &holder->uses.items[i];
        counter_release(world, counter_of(world, holder, use), use->access);
    }
}

// Acquires a storage that is bound to threads: the calling thread becomes its user, under the lock.
static __attribute__((noinline)) bool acquire_bound(keel_world *world, const keeli_use *use,
                                                    int32_t *counter) {
    keeli_world_lock(world);
    const bool is_acquired = keeli_thread_claim(world, use->storage, use->access) &&
                             counter_acquire(world, counter, use->access);
    keeli_world_unlock(world);
    return is_acquired;
}

static inline bool acquire_use(keel_world *world, const keeli_use *use, int32_t *counter) {
    return use->storage->flags & KEELI_IS_BOUND ? acquire_bound(world, use, counter)
                                                : counter_acquire(world, counter, use->access);
}

static __attribute__((noinline)) keel_result
not_acquired(keel_world *world, const keeli_holder *holder, const keeli_use *use) {
    const char *verb = to_do[use->access];
    if (use->storage->flags & KEELI_IS_BOUND)
        KEEL_TRY(keeli_check_thread(world, world, use->storage, use->access, holder->name, verb));
    return keeli_borrowed(world, use->storage, verb, holder);
}

// Checks a holder that is opened inside of an edit, by an observer or other code that the edit
// calls. The edit is only half done, so the holder may only read; in a hook it may not even read.
static __attribute__((noinline)) keel_result check_looks(keel_world *world,
                                                         const keeli_holder *holder) {
    for (uint32_t i = 0; i < holder->uses.count; ++i) {
        const keeli_use *use = &holder->uses.items[i];
        if (world->refused & KEELI_REFUSED_HOOK)
            return keeli_world_is_editable(world);
        if (use->access > KEEL_ACCESS_READ)
            return keeli_error(
                world, KEEL_ERROR_SHARED,
                "%s wants to %s %s inside of an observer, or of another function that an edit "
                "calls, where views may only read; record the edit in event->commands",
                holder->name, use->storage->events ? "send" : to_do[use->access],
                KEELI_STORAGE(world, use->storage));
    }
    return KEEL_OK;
}

// Acquires all uses of the holder. After an error it has none.
static keel_result acquire_all(keel_world *world, keeli_holder *holder) {
    if (keeli_is_inside_edit(world))
        KEEL_TRY(check_looks(world, holder));
    for (uint32_t i = 0; i < holder->uses.count; ++i) {
        const keeli_use *use = &holder->uses.items[i];
        int32_t *counter = counter_of(world, holder, use);
        if (counter && acquire_use(world, use, counter))
            continue;

        release_first(world, holder, i);
        return counter ? not_acquired(world, holder, use)
                       : undeclared_use(world, holder, use->storage, use->access);
    }
    return KEEL_OK;
}

// Sets the tick that changes of the storages get while this holder writes them. 0: the tick of the
// world.
static void set_ticks(const keeli_holder *holder, uint64_t tick) {
    for (uint32_t i = 0; i < holder->uses.count; ++i) {
        const keeli_use *use = &holder->uses.items[i];
        if (use->access > KEEL_ACCESS_READ)
            use->storage->tracking.now = tick;
    }
}

static bool want_everything(keel_world *world, keeli_holder *holder) {
    for (uint32_t i = 0; i < world->storages.count; ++i)
        if (!keeli_holder_want(world, holder, world->storages.items[i], KEEL_ACCESS_EDIT))
            return false;
    return keeli_holder_want(world, holder, &world->stand_in.rows, KEEL_ACCESS_EDIT) &&
           keeli_holder_want(world, holder, &world->stand_in.entities, KEEL_ACCESS_EDIT);
}

keel_result keeli_holder_open(keel_world *world, keeli_holder *holder) {
    if (holder->everything && !want_everything(world, holder))
        return keeli_out_of_memory(world, "opening a view");
    KEEL_TRY(acquire_all(world, holder));

    holder->open = true;
    if (holder->tick)
        set_ticks(holder, holder->tick);

    keeli_world_lock(world);
    holder->prev = NULL;
    holder->next = world->access.holders;
    if (world->access.holders)
        world->access.holders->prev = holder;
    world->access.holders = holder;
    keeli_world_unlock(world);
    return KEEL_OK;
}

void keeli_holder_close(keel_world *world, keeli_holder *holder) {
    if (holder->tick)
        set_ticks(holder, 0);
    release_first(world, holder, holder->uses.count);
    holder->open = false;

    keeli_world_lock(world);
    if (holder->prev)
        holder->prev->next = holder->next;
    else
        world->access.holders = holder->next;
    if (holder->next)
        holder->next->prev = holder->prev;
    keeli_world_unlock(world);
}

bool keeli_only_own_views_use(const keel_world *world, const keeli_storage *storage) {
    for (const keeli_holder *h = world->access.holders; h; h = h->next)
        if ((h->is_system || h->parent) && (h->everything || use_of(h, storage)))
            return false;
    return true;
}

void keeli_holder_deinit(keel_world *world, keeli_holder *holder) {
    KEELI_RELEASE(&world->heap, &holder->uses);
}

bool keeli_holders_want_new(keel_world *world, keeli_storage *storage) {
    for (keeli_holder *h = world->access.holders; h; h = h->next) {
        if (!h->everything || h->parent)
            continue;
        if (!keeli_holder_want(world, h, storage, KEEL_ACCESS_EDIT))
            return false;
        (void)acquire_use(world, &h->uses.items[h->uses.count - 1], &storage->borrow);
    }
    return true;
}

// ------------------------------------------------------------------ edits
// Returns the error of an edit that is refused. Not inlined, so that keeli_world_is_editable is one
// compare.
static __attribute__((noinline)) keel_result tell_why_not(keel_world *world) {
    const char *why = "the world is shared between threads; record the edit with commands, or call "
                      "keel_share_end first";
    if (world->refused & KEELI_REFUSED_HOOK)
        why = "a hook or an allocator cannot use the world: an edit is half done; do that when the "
              "edit has returned";
    else if (world->refused & KEELI_REFUSED_ASKING)
        why = "a function that an edit calls cannot edit the world; record the edit with "
              "keel_world_commands";
    else if (world->refused & KEELI_REFUSED_COPIED)
        why = "the world cannot be edited while it is copied into another one or its values are "
              "visited; do that when the call has returned";
    else if (keeli_is_inside_edit(world))
        why = "an observer cannot edit the world; record the edit in event->commands";
    else if (keeli_world_is_looped(world))
        why = "the world cannot be edited in a loop that is split over several threads; collect "
              "what is to be done, and do it after the loop";
    else if ((world->refused & (KEELI_REFUSED_RUNNING | KEELI_REFUSED_SHARED)) ==
             KEELI_REFUSED_RUNNING)
        why = "a workload runs, the world is shared between threads; a system edits by its "
              "KEEL_COMMANDS or KEEL_CONTEXT, in place of the world";
    else if (world->refused & KEELI_REFUSED_DESTROYED)
        why = "the world cannot be edited while keel_world_destroy runs; edit it before";
    return keeli_error(world, KEEL_ERROR_SHARED, "%s", why);
}

keel_result keeli_world_is_editable(keel_world *world) {
    return world->refused ? tell_why_not(world) : KEEL_OK;
}

// Counts an edit of a world of templates, after which recipes are made anew (copy/recipe.c).
static inline void count_template_edit(keel_world *world) {
    if (world->templates == world)
        keeli_count(world, &world->template_edits, 1);
}

keel_result keeli_world_is_idle(keel_world *world, const char *what) {
    count_template_edit(world);
    KEEL_TRY(keeli_world_is_editable(world));
    if (!keeli_atomic_peek(&world->access.workload_depth))
        return KEEL_OK;
    return keeli_error(world, KEEL_ERROR_SHARED,
                       "%s while a workload runs, which would not notice it; do that between runs",
                       what);
}

// Returns an error if something that is edited together with the storage may not be edited: the
// order of its groups, and the sets that collect from it.
static __attribute__((noinline)) keel_result may_edit_followers(keel_world *world,
                                                                const keeli_holder *holder,
                                                                const keeli_storage *storage,
                                                                const char *verb) {
    for (uint32_t i = 0; i < storage->groups.count; ++i)
        KEEL_TRY(keeli_may_edit(world, holder, storage->groups.items[i].order, verb));
    for (uint32_t i = 0; i < storage->collectors.count; ++i)
        KEEL_TRY(keeli_may_edit(world, holder, storage->collectors.items[i].set, "collect into"));
    return KEEL_OK;
}

keel_result keeli_may_edit(keel_world *world, const keeli_holder *holder,
                           const keeli_storage *storage, const char *verb) {
    count_template_edit(world);
    if (storage->flags & KEELI_IS_BOUND)
        KEEL_TRY(keeli_check_thread(world, world, storage, KEEL_ACCESS_EDIT,
                                    holder ? holder->name : NULL, verb));
    if (keeli_store_has_rows(storage))
        KEEL_TRY(keeli_may_edit(world, holder, &world->stand_in.rows, verb));
    if (storage->groups.count | storage->collectors.count)
        KEEL_TRY(may_edit_followers(world, holder, storage, verb));

    if (!holder) {
        KEEL_TRY(keeli_world_is_editable(world));
        if (keeli_atomic_peek(&storage->borrow))
            return keeli_borrowed(world, storage, verb, NULL);
        return KEEL_OK;
    }

    if (world->refused & KEELI_REFUSED_INSIDE || world->access.edits_inside)
        KEEL_TRY(keeli_world_is_editable(world));
    if (keeli_holder_access(holder, storage) < KEEL_ACCESS_EDIT)
        return undeclared_use(world, holder, storage, KEEL_ACCESS_EDIT);
    const keeli_use *use = use_of(holder, storage);
    if (use && use->inner)
        return keeli_borrowed(world, storage, verb, holder);
    if (keeli_atomic_peek(&storage->iterating))
        return keeli_error(world, KEEL_ERROR_ITERATING,
                           "cannot %s %s while a loop runs over it; record the edit with commands "
                           "or collect the entities first",
                           verb, KEELI_STORAGE(world, storage));
    return KEEL_OK;
}

// ------------------------------------------------------------------ the user's functions in edits
void keeli_hook_drop(void *value, void *storage) {
    const keeli_storage *s = storage;
    const uint32_t before = keeli_refuse_begin(s->world, KEELI_REFUSED_HOOK);
    s->component.drop(value, s->component.hook_data);
    keeli_refuse_end(s->world, before);
}

void keeli_hook_move(void *to, void *from, void *storage) {
    const keeli_storage *s = storage;
    const uint32_t before = keeli_refuse_begin(s->world, KEELI_REFUSED_HOOK);
    s->component.move(to, from, s->component.hook_data);
    keeli_refuse_end(s->world, before);
}

bool keeli_hook_copy(const keeli_storage *s, void *to, const void *from) {
    const uint32_t before = keeli_refuse_begin(s->world, KEELI_REFUSED_HOOK);
    const bool copied = s->component.copy(to, from, s->component.hook_data);
    keeli_refuse_end(s->world, before);
    return copied;
}

uint64_t keeli_hook_hash(const keeli_storage *s, const void *value) {
    if (s->world->access.is_image) // several threads may hash it at once, and nobody edits it
        return s->component.hash(value, s->component.hook_data);
    const uint32_t before = keeli_refuse_begin(s->world, KEELI_REFUSED_HOOK);
    const uint64_t hash = s->component.hash(value, s->component.hook_data);
    keeli_refuse_end(s->world, before);
    return hash;
}

// ------------------------------------------------------------------ the whole world
keel_result keeli_may_read_all(const keel_world *world, keel_world *teller, const char *verb) {
    if (keeli_atomic_peek(&world->refused) & ~(uint32_t)KEELI_REFUSED_COPIED)
        return keeli_error(teller, KEEL_ERROR_SHARED,
                           "cannot %s world '%s' while it is shared between threads; call "
                           "keel_share_end first",
                           verb, world->name);

    const uint32_t count = world->storages.count;
    for (uint32_t i = 0; i < count + 2; ++i) { // the list of entities and the rows come last
        const keeli_storage *s = &world->stand_in.rows;
        if (i < count)
            s = world->storages.items[i];
        else if (i == count)
            s = &world->stand_in.entities;

        if (s->flags & KEELI_IS_BOUND)
            KEEL_TRY(keeli_check_thread(world, teller, s, KEEL_ACCESS_READ, NULL, verb));
        if (s->borrow < 0)
            return keeli_error(teller, KEEL_ERROR_BORROWED,
                               "cannot %s world '%s' while a view writes %s%s; end it first", verb,
                               world->name, i < count ? "its " : "", KEELI_STORAGE(world, s));
    }
    return KEEL_OK;
}

keel_result keeli_nothing_is_open(keel_world *world, const char *what) {
    keeli_world_lock(world);
    const keeli_holder *open = world->access.holders;
    keeli_world_unlock(world);
    if (!open)
        return KEEL_OK;
    return keeli_error(world, KEEL_ERROR_BORROWED, "%s while %s is open; end it first", what,
                       open->name);
}

// ------------------------------------------------------------------ shared mode
keel_result keel_share_begin(keel_world *world) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    if (world->refused & KEELI_REFUSED_INSIDE)
        return tell_why_not(world);
    if (!world->refused)
        KEEL_TRY(keeli_nothing_is_open(world, "cannot share the world"));
    if (!(world->refused & KEELI_REFUSED_SHARED) &&
        (world->access.concurrent || keeli_atomic_peek(&world->access.workload_depth)))
        return keeli_error(world, KEEL_ERROR_BORROWED,
                           "cannot share the world while a workload or a parallel loop runs; do "
                           "that between runs");

    world->refused |= KEELI_REFUSED_SHARED;
    ++world->access.concurrent;
    world->heap.shared = true;
    return KEEL_OK;
}

keel_result keel_share_end(keel_world *world) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    if (!(world->refused & KEELI_REFUSED_SHARED))
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "keel_share_end without keel_share_begin");
    if (world->refused & KEELI_REFUSED_INSIDE)
        return tell_why_not(world);
    if (world->access.concurrent == 1)
        KEEL_TRY(keeli_nothing_is_open(world, "cannot end shared mode"));

    --world->access.concurrent;
    if (world->access.concurrent)
        return KEEL_OK;
    world->refused &= ~(uint32_t)KEELI_REFUSED_SHARED;
    world->heap.shared = false;
    keeli_commands_unshare(world);
    return KEEL_OK;
}
