// SPDX-License-Identifier: MIT
// Observers: functions of the user that are called when a component is inserted, modified, deleted
// or removed, when an entity is created or destroyed, and when an entity enters or leaves an
// observed view, that is, starts or stops to match its terms. Edits call this file through
// follow.h. Commands that observers record are not applied here, but at the end of the edit
// (edit/commands.c).
//
// Each observed view has two bits for an entity. `members`: the observer knows that the entity
// matches. `pending`: the entity must be checked at the end of the edit. An edit that is about to
// remove a component checks whether the entity thereby leaves the view, and notifies the observer
// at once, while the value is still there. Every other change only sets `pending`, so that a state
// in the middle of an edit notifies no observer. Invariant between edits: `members` are the
// entities that match, no bit of `pending` is set, and each entity that has a required component
// has room in both.
#include "follow.h"

#include "world/borrow.h"
#include "world/registry.h"
#include "world/report.h"

// ------------------------------------------------------------------ lists
// Deletes the removed observers from the list, and sets the kinds and flags of the storage from
// those that are left.
static void update_observers(keel_world *world, keeli_storage *s) {
    keeli_observers *o = &s->tracking.observers;
    const bool was_observed = o->list.count != 0;
    uint32_t kept = 0;
    o->kinds = 0;
    for (uint32_t i = 0; i < o->list.count; ++i) {
        if (!o->list.items[i].function)
            continue;
        o->kinds |= o->list.items[i].kinds;
        o->list.items[kept++] = o->list.items[i];
    }
    o->list.count = kept;
    if (was_observed && !kept)
        --world->followers.observed;
    keeli_followers_update(s);
}

void keeli_observers_forget(keel_world *world, keeli_storage *s) {
    for (uint32_t i = 0; i < s->tracking.observers.list.count; ++i)
        s->tracking.observers.list.items[i].function = NULL;
    update_observers(world, s);
}

static keeli_observer *find_observer(const keeli_observers *o, keel_observer_fn *function,
                                     const void *data) {
    for (uint32_t i = 0; i < o->list.count; ++i)
        if (o->list.items[i].function == function && o->list.items[i].data == data)
            return &o->list.items[i];
    return NULL;
}

// Makes the list that observers record commands in, if there is none. False when out of memory.
static bool reserve_reaction(keel_world *world) {
    if (!world->followers.reaction)
        world->followers.reaction = keeli_commands_acquire(world);
    return world->followers.reaction != NULL;
}

// Adds an observer, or adds its kinds to an equal one. May be called while observers run: the list
// only grows then.
static keel_result add_observer(keel_world *world, keeli_storage *s, const keeli_observer *fresh) {
    keeli_observers *o = &s->tracking.observers;
    if (!reserve_reaction(world) || !KEELI_RESERVE(&world->heap, &o->list, 1))
        return keeli_out_of_memory(world, "adding an observer");

    keeli_observer *known = find_observer(o, fresh->function, fresh->data);
    if (!o->list.count)
        ++world->followers.observed;
    if (known)
        known->kinds |= fresh->kinds;
    else
        *KEELI_APPEND(&o->list) = *fresh;
    o->kinds |= fresh->kinds;
    keeli_followers_update(s);
    ++world->registry.bindings; // systems that edit an observed component run alone: run/graph.c
    return KEEL_OK;
}

// Removes an observer. While observers run it stays in the list, without a function.
static keel_result remove_observer(keel_world *world, keeli_storage *s, keel_observer_fn *function,
                                   const void *data) {
    if (!s || !function)
        return KEEL_ABSENT;
    keeli_observer *known = find_observer(&s->tracking.observers, function, data);
    if (!known)
        return KEEL_ABSENT;

    known->function = NULL;
    if (!world->followers.calling)
        update_observers(world, s);
    else
        world->followers.any_lost = true;
    return KEEL_OK;
}

// ------------------------------------------------------------------ calling
static uint32_t calling_begin(keel_world *world) {
    ++world->followers.calling;
    return keeli_refuse_begin(world, KEELI_REFUSED_OBSERVER);
}

// Deletes observers that were removed while observers ran, and notes that commands were recorded.
static __attribute__((noinline)) void called(keel_world *world) {
    if (!world->followers.calling && world->followers.any_lost) {
        for (uint32_t i = 0; i < world->storages.count; ++i)
            update_observers(world, world->storages.items[i]);
        update_observers(world, &world->stand_in.entities);
        world->followers.any_lost = false;
    }
    if (!keeli_commands_is_empty(world->followers.reaction))
        world->followers.has_reactions = true;
}

static void calling_end(keel_world *world, uint32_t before) {
    keeli_refuse_end(world, before);
    --world->followers.calling;
    called(world);
}

static inline void call_one(const keeli_observer *o, const keel_change *event) {
    if (keeli_guard_in_use)
        keeli_guard_in_use->observe(o->function, event, o->data);
    else
        o->function(event, o->data);
}

// Calls the observers of the event's kind. Copies each observer before the call, since the call may
// add observers and thereby move the list.
static __attribute__((noinline)) void call_all(keeli_storage *s, const keel_change *event) {
    const keeli_observers *o = &s->tracking.observers;
    for (uint32_t i = 0, count = o->list.count; i < count; ++i) {
        const keeli_observer it = o->list.items[i];
        if (it.function && it.kinds & event->kind)
            call_one(&it, event);
    }
}

static inline void notify_storage(keel_world *world, keeli_storage *s, const keel_change *event) {
    const uint32_t before = calling_begin(world);
    call_all(s, event);
    calling_end(world, before);
}

void keeli_notify_slow(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                       bool has_value) {
    const bool is_entity = s == &world->stand_in.entities;
    has_value = has_value && !is_entity && s->size;
    const keel_change event = { .world = world,
                                .kind = kind,
                                .entity = e,
                                .component = is_entity ? NULL : &s->component,
                                .value = has_value ? keeli_store_value(world, s, keeli_index_of(e))
                                                   : NULL,
                                .other = { 0 }, // else the compiler clears the whole struct first
                                .commands = world->followers.reaction };
    notify_storage(world, s, &event);
}

void keeli_notify_edge_slow(keel_world *world, const keeli_relation *r, uint32_t source,
                            uint32_t place, uint32_t kind) {
    keeli_storage *s = r->sources;
    const uint32_t target = keeli_edge_other(&r->edges, KEELI_TARGETS, source, place);

    void *value = NULL;
    if (keeli_edges_have_values(&r->edges))
        value = keeli_edge_value(&r->edges, source, place);
    else if (s->size)
        value = keeli_store_value(world, s, source);

    const keel_change event = { .world = world,
                                .kind = kind,
                                .entity = keeli_entity_at(&world->entities, source),
                                .component = &s->component,
                                .value = value,
                                .other = keeli_entity_at(&world->entities, target),
                                .commands = world->followers.reaction };
    notify_storage(world, s, &event);
}

void keeli_notify_all_edges(keel_world *world, const keeli_storage *s) {
    if (!(s->tracking.observers.kinds & KEEL_ON_UNRELATED) || !s->relation)
        return;
    const keeli_relation *r = s->relation;
    for (keeli_edge_walk at = { 0, 0 }; keeli_edges_next(&r->edges, &at); ++at.place)
        keeli_notify_edge(world, r, at.source, at.place, KEEL_ON_UNRELATED);
}

// Calls the observers while no observer runs, so that the list contains no removed observers. Most
// lists have one observer, whose kinds are those of the list and need not be checked again. True if
// an observer recorded commands or removed observers.
static inline bool notify_alone(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                                const void *value) {
    const keeli_observers *o = &s->tracking.observers;
    if (!(o->kinds & kind))
        return false;
    KEEL_ASSERT_INTERNAL(!world->refused && !world->followers.calling);
    const keel_change event = { .world = world,
                                .kind = kind,
                                .entity = e,
                                .component = &s->component,
                                .value = s->size ? value : NULL,
                                .other = { 0 },
                                .commands = world->followers.reaction };
    world->followers.calling = 1;
    world->refused = KEELI_REFUSED_OBSERVER;
    if (o->list.count == 1)
        call_one(o->list.items, &event);
    else
        call_all(s, &event);
    world->followers.calling = world->refused = 0;
    return !keeli_commands_is_empty(world->followers.reaction) | world->followers.any_lost;
}

void keeli_notify_before(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                         const void *value) {
    if (notify_alone(world, s, e, kind, value))
        called(world);
}

keel_result keeli_notify_last(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                              const void *value) {
    // without commands nothing is left to do at the end of the edit
    if (!notify_alone(world, s, e, kind, value))
        return KEEL_OK;
    called(world);
    return keeli_done(world, KEEL_OK);
}

void keeli_notify_end(keel_world *world) {
    keel_entity e = keel_null();
    for (uint32_t i = 0; i < world->storages.count; ++i)
        keeli_notify_all_edges(world, world->storages.items[i]);
    while (world->followers.observed && !keel_is_null(e = keel_next_entity(world, e)))
        keeli_follow_losing_all(world, e, KEEL_ON_DELETED, true);

    keeli_observers_forget(world, &world->stand_in.entities);
    for (uint32_t i = 0; i < world->storages.count; ++i)
        keeli_observers_forget(world, world->storages.items[i]);
    world->followers.observed = 0; // observers of views are not called any more either
}

// ------------------------------------------------------------------ public
// Returns an error while the world is shared. An observer may add and remove observers.
static keel_result check_observers_changeable(keel_world *world) {
    const bool is_refused = world->refused & ~(uint32_t)KEELI_REFUSED_OBSERVER;
    return is_refused ? keeli_world_is_editable(world) : KEEL_OK;
}

keel_result keel_observe_component(keel_world *world, const keel_component *component,
                                   uint32_t kinds, keel_observer_fn *function, void *data) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    keel_result result;
    keeli_storage *s = keeli_followed_get(world, component, &result);
    if (!s)
        return result;
    KEEL_TRY(check_observers_changeable(world));

    uint32_t allowed = KEEL_ON_INSERTED | KEEL_ON_MODIFIED | KEEL_ON_DELETED | KEEL_ON_REMOVED;
    if (s->relation)
        allowed |= KEEL_ON_RELATED | KEEL_ON_UNRELATED;
    if (component == &keel_entities)
        allowed = KEEL_ON_CREATED | KEEL_ON_DESTROYED;
    if (!function)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "an observer of '%s' needs a function, but it is NULL",
                            s->component.name);
    if (!kinds || kinds & ~allowed)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "an observer of '%s' cannot have the kinds 0x%x; pass one or more of "
                            "the KEEL_ON_* bits that keel_observe lists",
                            s->component.name, (unsigned)kinds);
    return add_observer(world, s, &(keeli_observer){ function, data, kinds });
}

keel_result keel_unobserve_component(keel_world *world, const keel_component *component,
                                     keel_observer_fn *function, void *data) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    KEEL_TRY(check_observers_changeable(world));
    return remove_observer(world, keeli_followed_find(world, component), function, data);
}

// ------------------------------------------------------------------ views
// A component that a term of an observed view names.
typedef struct keeli_view_part {
    keeli_storage *storage;
    uint32_t role; // KEELI_MUST, KEELI_MUST_NOT, or KEELI_ANY_OF plus the number of the term
} keeli_view_part;

enum { KEELI_MUST, KEELI_MUST_NOT, KEELI_ANY_OF };

typedef struct keeli_view_observer {
    struct keeli_view_observer *next;
    keeli_observer observer;            // without a function if it was removed and is freed later
    KEELI_ARRAY(keeli_view_part) parts; // the components of one KEEL_ANY_OF are adjacent
    keeli_presence members, pending;
} keeli_view_observer;

// True if the entity has the components that the view requires, with `except` (or NULL) treated as
// absent.
static bool has_wanted(const keeli_view_observer *v, uint32_t index, const keeli_storage *except) {
    for (uint32_t i = 0; i < v->parts.count;) {
        const uint32_t role = v->parts.items[i].role;
        bool any = false;
        do {
            const keeli_storage *s = v->parts.items[i].storage;
            any |= s != except && keeli_store_has(s, index);
        } while (++i < v->parts.count && role >= KEELI_ANY_OF && v->parts.items[i].role == role);
        if (!any && role != KEELI_MUST_NOT)
            return false;
    }
    return true;
}

static bool view_matches(const keeli_view_observer *v, uint32_t index) {
    for (uint32_t i = 0; i < v->parts.count; ++i)
        if (v->parts.items[i].role == KEELI_MUST_NOT &&
            keeli_store_has(v->parts.items[i].storage, index))
            return false;
    return has_wanted(v, index, NULL);
}

static bool is_member(const keeli_view_observer *v, uint32_t index) {
    return keeli_presence_has(&v->members, index);
}

// Marks the entity to be checked at the end of the edit. An entity without room for the mark has no
// required component, so it neither is a member nor matches.
static void mark_pending(keel_world *world, keeli_view_observer *v, uint32_t index) {
    if (!keeli_presence_has_page(&v->pending, index / KEELI_PAGE))
        return;
    world->followers.has_pending = true;
    if (!keeli_presence_has(&v->pending, index))
        (void)keeli_presence_set(&v->pending, index);
}

static void notify_view(keel_world *world, const keeli_view_observer *v, uint32_t index,
                        uint32_t kind) {
    // the analyzer cannot tell that `v` is not NULL
    const keeli_observer it = v->observer;
    if (!it.function || !(it.kinds & kind))
        return;
    const keel_change event = { .world = world,
                                .kind = kind,
                                .entity = keeli_entity_at(&world->entities, index),
                                .commands = world->followers.reaction };
    const uint32_t before = calling_begin(world);
    call_one(&it, &event);
    calling_end(world, before);
}

static void set_member(keel_world *world, keeli_view_observer *v, uint32_t index, bool is) {
    if (is)
        (void)keeli_presence_set(&v->members, index);
    else
        (void)keeli_presence_clear(&v->members, index);
    notify_view(world, v, index, is ? KEEL_ON_ENTERED : KEEL_ON_LEFT);
}

static bool reserve_bits(keel_world *world, keeli_view_observer *v, uint32_t index) {
    return keeli_presence_reserve(&v->members, &world->heap, index) &&
           keeli_presence_reserve(&v->pending, &world->heap, index);
}

bool keeli_view_observers_reserve(keel_world *world, const keeli_storage *s, uint32_t index) {
    for (uint32_t i = 0; i < s->viewers.count; ++i)
        if (!reserve_bits(world, s->viewers.items[i], index))
            return false;
    return true;
}

void keeli_view_observers_added(keel_world *world, const keeli_storage *s, uint32_t index) {
    for (uint32_t i = 0; i < s->viewers.count; ++i) {
        keeli_view_observer *v = s->viewers.items[i];
        if (view_matches(v, index) != is_member(v, index))
            mark_pending(world, v, index);
    }
}

void keeli_view_observers_removing(keel_world *world, const keeli_storage *s, uint32_t index) {
    for (uint32_t i = 0; i < s->viewers.count; ++i) {
        keeli_view_observer *v = s->viewers.items[i];
        const bool stays = has_wanted(v, index, s);
        if (!stays && is_member(v, index))
            set_member(world, v, index, false);
        else if (stays && !is_member(v, index))
            mark_pending(world, v, index);
    }
}

void keeli_view_observers_removing_all(keel_world *world, uint32_t index) {
    for (keeli_view_observer *v = world->followers.view_observers; v; v = v->next)
        if (is_member(v, index))
            set_member(world, v, index, false);
}

void keeli_view_observers_renew(keel_world *world) {
    world->followers.has_pending = false;
    for (keeli_view_observer *v = world->followers.view_observers; v; v = v->next) {
        keeli_presence_reset(&v->members);
        keeli_presence_reset(&v->pending);
        for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(world, e));) {
            const uint32_t index = keeli_index_of(e);
            if (keeli_presence_has_page(&v->members, index / KEELI_PAGE) && view_matches(v, index))
                (void)keeli_presence_set(&v->members, index);
        }
    }
}

// ------------------------------------------------------------------ ending views
static void unlink_and_free(keel_world *world, keeli_view_observer *v) {
    for (uint32_t i = 0; i < v->parts.count; ++i) {
        keeli_storage *s = v->parts.items[i].storage;
        uint32_t kept = 0;
        for (uint32_t k = 0; k < s->viewers.count; ++k)
            if (s->viewers.items[k] != v)
                s->viewers.items[kept++] = s->viewers.items[k];
        s->viewers.count = kept;
        if (!kept)
            KEELI_RELEASE(&world->heap, &s->viewers);
        keeli_followers_update(s);
    }
    KEELI_RELEASE(&world->heap, &v->parts);
    keeli_presence_deinit(&v->members, &world->heap);
    keeli_presence_deinit(&v->pending, &world->heap);
    KEELI_FREE(&world->heap, keeli_view_observer, v);
}

// Frees the observed views that were removed: those without a function.
static void free_lost(keel_world *world) {
    for (keeli_view_observer **at = &world->followers.view_observers, *v; (v = *at) != NULL;) {
        if (v->observer.function) {
            at = &v->next;
            continue;
        }
        *at = v->next;
        unlink_and_free(world, v);
        --world->followers.observed;
        ++world->registry.bindings;
    }
}

// Checks the pending entities of one view. Its observer may remove itself meanwhile.
static void flush_view(keel_world *world, keeli_view_observer *v) {
    KEELI_EACH_BIT(i, &v->pending) {
        (void)keeli_presence_clear(&v->pending, i);
        const bool is_match = view_matches(v, i);
        if (is_match != is_member(v, i))
            set_member(world, v, i, is_match);
        if (!v->observer.function || !v->pending.count)
            return;
    }
}

void keeli_view_observers_flush(keel_world *world) {
    if (world->followers.calling)
        return;
    world->followers.has_pending = false;
    for (keeli_view_observer *v = world->followers.view_observers; v; v = v->next)
        if (v->observer.function && v->pending.count)
            flush_view(world, v);
    free_lost(world);
}

void keeli_view_observers_forget(keel_world *world, const keeli_storage *s) {
    for (uint32_t i = 0; i < s->viewers.count; ++i)
        s->viewers.items[i]->observer.function = NULL;
    free_lost(world);
}

void keeli_view_observers_deinit(keel_world *world) {
    for (keeli_view_observer *v; (v = world->followers.view_observers) != NULL;) {
        world->followers.view_observers = v->next;
        unlink_and_free(world, v);
    }
}

bool keeli_view_observers_are_valid(const keel_world *world) {
    for (const keeli_view_observer *v = world->followers.view_observers; v; v = v->next) {
        if (!keeli_presence_is_valid(&v->members) || v->pending.count)
            return false;
        uint32_t count = 0;
        for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(world, e));) {
            const uint32_t index = keeli_index_of(e);
            if (view_matches(v, index) != is_member(v, index))
                return false;
            count += is_member(v, index);
        }
        if (count != v->members.count)
            return false;
    }
    return true;
}

// ------------------------------------------------------------------ observing views
static keel_result view_misuse(keel_world *world, const char *what) {
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "cannot observe a view: %s", what);
}

static keel_result add_part(keel_world *world, keeli_view_observer *v, const keel_component *c,
                            uint32_t role) {
    keel_result result;
    keeli_storage *s = keeli_storage_get(world, c, false, &result);
    if (!s)
        return result;
    if (!KEELI_RESERVE(&world->heap, &v->parts, 1) || !KEELI_RESERVE(&world->heap, &s->viewers, 1))
        return keeli_out_of_memory(world, "observing a view");
    *KEELI_APPEND(&v->parts) = (keeli_view_part){ s, role };
    return KEEL_OK;
}

static keel_result add_term(keel_world *world, keeli_view_observer *v, const keel_term *term,
                            uint32_t number) {
    uint32_t role = KEELI_MUST, count = 0;
    switch (term->kind) {
    case KEEL_TERM_READ:
    case KEEL_TERM_WRITE:
    case KEEL_TERM_WRITE_MARKED:
    case KEEL_TERM_EDIT:
    case KEEL_TERM_WITH:
        break;
    case KEEL_TERM_WITHOUT:
        role = KEELI_MUST_NOT;
        break;
    case KEEL_TERM_ANY_OF:
        role = KEELI_ANY_OF + number;
        break;
    case KEEL_TERM_NONE:
    case KEEL_TERM_OPTIONAL_READ:
    case KEEL_TERM_OPTIONAL_WRITE:
    case KEEL_TERM_ENTITY:
        return KEEL_OK; // the term does not decide which entities match
    case KEEL_TERM_UNIQUE_READ:
    case KEEL_TERM_UNIQUE_WRITE:
        return view_misuse(world, "it names a unique, which no entity has");
    default:
        if (term->kind >= KEEL_TERM_INSERTED && term->kind <= KEEL_TERM_NOT_CHANGED)
            return view_misuse(world,
                               "its terms can only ask which components an entity has; changes "
                               "are notified by keel_observe, or found by running a loop with "
                               "the term from time to time");
        return view_misuse(world, "its terms can only ask which components an entity has; use "
                                  "KEEL_WITH, KEEL_WITHOUT, KEEL_ANY_OF, KEEL_READ and the like");
    }

    const keel_component *const *other = term->others;
    if (!term->component)
        return view_misuse(world, "a term lacks its component");
    for (const keel_component *c = term->component; c; c = other ? *other++ : NULL) {
        if (++count > KEEL_MAX_TERM_COMPONENTS)
            return view_misuse(world, "a term names more than 8 components");
        KEEL_TRY(add_part(world, v, c, role));
    }
    if (count > 1 && role < KEELI_ANY_OF)
        return view_misuse(world, "only KEEL_ANY_OF can name several components; use a term for "
                                  "each");
    return KEEL_OK;
}

// Links a new observed view to the storages of its parts, and appends it to the world's list.
// Entities that match now become members without a notification.
static keel_result link_view(keel_world *world, keeli_view_observer *v) {
    for (uint32_t i = 0; i < v->parts.count; ++i) {
        keeli_storage *s = v->parts.items[i].storage;
        bool known = false;
        for (uint32_t k = 0; k < s->viewers.count; ++k)
            known |= s->viewers.items[k] == v;
        if (!known)
            *KEELI_APPEND(&s->viewers) = v;
        keeli_followers_update(s);
        if (v->parts.items[i].role != KEELI_MUST_NOT && !keeli_followers_reserve_present(world, s))
            return keeli_out_of_memory(world, "observing a view");
    }
    if (!reserve_reaction(world))
        return keeli_out_of_memory(world, "observing a view");

    for (uint32_t i = 0; i < v->parts.count; ++i) {
        const keeli_view_part *part = &v->parts.items[i];
        if (part->role == KEELI_MUST_NOT)
            continue;
        KEELI_EACH_BIT(k, &part->storage->presence)
            if (!is_member(v, k) && view_matches(v, k))
                (void)keeli_presence_set(&v->members, k);
    }

    keeli_view_observer **at = &world->followers.view_observers;
    while (*at)
        at = &(*at)->next;
    *at = v;
    ++world->followers.observed;
    ++world->registry.bindings; // systems that edit an observed component run alone: run/graph.c
    return KEEL_OK;
}

static bool is_same_view(const keeli_view_observer *a, const keeli_view_observer *b) {
    if (a->observer.function != b->observer.function || a->observer.data != b->observer.data ||
        a->parts.count != b->parts.count)
        return false;
    for (uint32_t i = 0; i < a->parts.count; ++i)
        if (a->parts.items[i].storage != b->parts.items[i].storage ||
            a->parts.items[i].role != b->parts.items[i].role)
            return false;
    return true;
}

static keel_result add_terms(keel_world *world, keeli_view_observer *v, const keel_term *terms) {
    for (uint32_t t = 0; terms && terms[t].kind != KEEL_TERM_END; ++t) {
        if (t == KEEL_MAX_TERMS)
            return view_misuse(world, "more than 16 terms");
        KEEL_TRY(add_term(world, v, &terms[t], t));
    }

    for (uint32_t i = 0; i < v->parts.count; ++i)
        if (v->parts.items[i].role != KEELI_MUST_NOT)
            return KEEL_OK;
    return view_misuse(world, "it names nothing that must be there; add KEEL_WITH or KEEL_ANY_OF, "
                              "or observe keel_entities");
}

keel_result keel_observe_view(keel_world *world, const keel_term *terms, uint32_t kinds,
                              keel_observer_fn *function, void *data) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    KEEL_TRY(keeli_world_is_editable(world));
    const uint32_t known = KEEL_ON_ENTERED | KEEL_ON_LEFT;
    if (!function)
        return view_misuse(world, "it needs a function");
    if (!(kinds & known) || kinds & ~(known | KEEL_ON_PRESENT))
        return view_misuse(world,
                           "it takes KEEL_ON_ENTERED, KEEL_ON_LEFT, and KEEL_ON_PRESENT with them");

    keeli_view_observer *fresh = KEELI_NEW(&world->heap, keeli_view_observer), *v = NULL;
    if (!fresh)
        return keeli_out_of_memory(world, "observing a view");
    fresh->observer = (keeli_observer){ function, data, kinds };

    // an equal observed view gets the kinds, or else the fresh one is added
    keel_result result = add_terms(world, fresh, terms);
    if (result == KEEL_OK) {
        v = world->followers.view_observers;
        while (v && !is_same_view(v, fresh))
            v = v->next;
        if (v) {
            v->observer.kinds |= kinds;
        } else {
            v = fresh;
            result = link_view(world, v);
        }
    }
    if (result < 0 || v != fresh)
        unlink_and_free(world, fresh);
    if (result < 0)
        return keeli_done(world, result);

    if (kinds & KEEL_ON_PRESENT)
        KEELI_EACH_BIT(i, &v->members)
            notify_view(world, v, i, KEEL_ON_ENTERED);
    return keeli_done(world, KEEL_OK);
}

keel_result keel_unobserve_view(keel_world *world, keel_observer_fn *function, void *data) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    if (!world->followers.calling)
        KEEL_TRY(keeli_world_is_editable(world));
    if (!function)
        return KEEL_ABSENT;

    bool any = false;
    for (keeli_view_observer *v = world->followers.view_observers; v; v = v->next) {
        if (v->observer.function != function || v->observer.data != data)
            continue;
        v->observer.function = NULL;
        any = true;
    }
    if (!any)
        return KEEL_ABSENT;

    if (world->followers.calling)
        world->followers.has_pending = true; // freed at the edit's end
    else
        free_lost(world);
    return KEEL_OK;
}
