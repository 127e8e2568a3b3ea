// SPDX-License-Identifier: MIT
// Observers: functions of the user's that are called when something happens to a component, when an
// entity is created or destroyed, and when one enters or leaves what some terms match.
//
// Of the last ones each keeps a bit for every entity of which it was notified that it entered. An
// edit that takes components away asks before they go whether the entity leaves because of it, and
// notifies at once; everything else is recorded in a second bit and looked at when the edit is
// done, so that what was true in the middle of it notifies nobody. Invariant: when no edit is going
// on the first bits are those of the entities that match, the second ones are clear, and whoever
// has a component that must be there has room for both.
#include "follow.h"

#include "world/borrow.h"
#include "world/registry.h"
#include "world/report.h"

// ------------------------------------------------------------------ lists
// Those that were taken away go; what is left says whether the storage is observed, and of what.
static void update(keel_world *world, keeli_storage *s) {
    keeli_observers *o = &s->tracking.observers;
    const bool was_observed = o->list.count != 0;
    uint32_t kept = 0;
    o->kinds = 0;
    for (uint32_t i = 0; i < o->list.count; ++i) {
        if (!o->list.items[i].function) continue;
        o->kinds |= o->list.items[i].kinds;
        o->list.items[kept++] = o->list.items[i];
    }
    o->list.count = kept;
    if (was_observed && !kept) --world->followers.observed;
    keeli_followers_update(s);
}

void keeli_observers_forget(keel_world *world, keeli_storage *s) {
    for (uint32_t i = 0; i < s->tracking.observers.list.count; ++i)
        s->tracking.observers.list.items[i].function = NULL;
    update(world, s);
}

static keeli_observer *find(const keeli_observers *o, keel_observer_fn *function,
                            const void *data) {
    for (uint32_t i = 0; i < o->list.count; ++i)
        if (o->list.items[i].function == function && o->list.items[i].data == data)
            return &o->list.items[i];
    return NULL;
}

// The list that observers record in is made with the first of them.
static bool reserve_reaction(keel_world *world) {
    if (!world->followers.reaction) world->followers.reaction = keeli_commands_take(world);
    return world->followers.reaction != NULL;
}

// Also while observers are called: the list only grows then.
static keel_result add(keel_world *world, keeli_storage *s, const keeli_observer *fresh) {
    keeli_observers *o = &s->tracking.observers;
    if (!reserve_reaction(world) || !KEELI_RESERVE(&world->heap, &o->list, 1))
        return keeli_out_of_memory(world, "adding an observer");
    keeli_observer *known = find(o, fresh->function, fresh->data);
    world->followers.observed += !o->list.count;
    if (known) known->kinds |= fresh->kinds;
    else *KEELI_APPEND(&o->list) = *fresh;
    o->kinds |= fresh->kinds;
    keeli_followers_update(s);
    ++world->registry.bindings; // who edits what is observed runs alone: run/graph.c
    return KEEL_OK;
}

static keel_result take(keel_world *world, keeli_storage *s, keel_observer_fn *function,
                        const void *data) {
    keeli_observer *known = s && function ? find(&s->tracking.observers, function, data) : NULL;
    if (!known) return KEEL_ABSENT;
    known->function = NULL;
    if (!world->followers.calling) update(world, s);
    else world->followers.any_lost = true;
    return KEEL_OK;
}

// ------------------------------------------------------------------ calling
static uint32_t calling_begin(keel_world *world) {
    ++world->followers.calling;
    return keeli_refuse_begin(world, KEELI_REFUSED_OBSERVER);
}

static __attribute__((noinline)) void called(keel_world *world) {
    const bool tidies = !world->followers.calling && world->followers.any_lost;
    for (uint32_t i = 0; tidies && i < world->storages.count; ++i)
        update(world, world->storages.items[i]);
    if (tidies) {
        update(world, &world->stand_in.entities);
        world->followers.any_lost = false;
    }
    if (!keeli_commands_is_empty(world->followers.reaction)) world->followers.has_reactions = true;
}

static void calling_end(keel_world *world, uint32_t before) {
    keeli_refuse_end(world, before);
    --world->followers.calling;
    called(world);
}

static inline void call_one(const keeli_observer *o, const keel_change *event) {
    if (keeli_guard_in_use) keeli_guard_in_use->observe(o->function, event, o->data);
    else o->function(event, o->data);
}

// By number: the list may grow, and move, while it is walked through.
static __attribute__((noinline)) void call(keeli_storage *s, const keel_change *event) {
    const keeli_observers *o = &s->tracking.observers;
    for (uint32_t i = 0, count = o->list.count; i < count; ++i) {
        const keeli_observer it = o->list.items[i];
        if (it.function && it.kinds & event->kind) call_one(&it, event);
    }
}

static inline void notify(keel_world *world, keeli_storage *s, const keel_change *event) {
    const uint32_t before = calling_begin(world);
    call(s, event);
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
                                .other = { 0 }, // named: else all is cleared first
                                .commands = world->followers.reaction };
    notify(world, s, &event);
}

void keeli_notify_edge_slow(keel_world *world, const keeli_relation *r, uint32_t source,
                            uint32_t place, uint32_t kind) {
    keeli_storage *s = r->sources;
    const uint32_t target = keeli_edge_other(&r->edges, KEELI_TARGETS, source, place);
    const keel_change event = { .world = world,
                                .kind = kind,
                                .entity = keeli_entity_at(&world->entities, source),
                                .component = &s->component,
                                .value = keeli_edges_have_values(&r->edges)
                                             ? keeli_edge_value(&r->edges, source, place)
                                         : s->size ? keeli_store_value(world, s, source)
                                                   : NULL,
                                .other = keeli_entity_at(&world->entities, target),
                                .commands = world->followers.reaction };
    notify(world, s, &event);
}

void keeli_notify_all_edges(keel_world *world, const keeli_storage *s) {
    const keeli_relation *r = s->tracking.observers.kinds & KEEL_ON_UNRELATED ? s->relation : NULL;
    for (keeli_edge_walk at = { 0, 0 }; r && keeli_edges_next(&r->edges, &at); ++at.place)
        keeli_notify_edge(world, r, at.source, at.place, KEEL_ON_UNRELATED);
}

// Mostly there is one, which has all kinds that there are and was not taken away: the list is as it
// should be while nobody is called. Has any recorded edits, or taken observers away?
static inline bool notify_alone(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                                const void *value) {
    const keeli_observers *o = &s->tracking.observers;
    if (!(o->kinds & kind)) return false;
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
    if (o->list.count == 1) call_one(o->list.items, &event);
    else call(s, &event);
    world->followers.calling = world->refused = 0;
    return !keeli_commands_is_empty(world->followers.reaction) | world->followers.any_lost;
}

void keeli_notify_before(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                         const void *value) {
    if (notify_alone(world, s, e, kind, value)) called(world);
}

keel_result keeli_notify_last(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                              const void *value) {
    if (!notify_alone(world, s, e, kind, value)) return KEEL_OK; // nothing waits for the edit's end
    called(world);
    return keeli_done(world, KEEL_OK);
}

void keeli_notify_end(keel_world *world) {
    keel_entity e = keel_null();
    for (uint32_t i = 0; i < world->storages.count; ++i)
        keeli_notify_all_edges(world, world->storages.items[i]);
    while (world->followers.observed && !keel_is_null(e = keel_next_entity(world, e)))
        keeli_entity_going(world, e, KEEL_ON_DELETED, true);
    keeli_observers_forget(world, &world->stand_in.entities);
    for (uint32_t i = 0; i < world->storages.count; ++i)
        keeli_observers_forget(world, world->storages.items[i]);
    world->followers.observed = 0; // nor are views notified any more
}

// ------------------------------------------------------------------ public
// An observer may bring others along, or take them away; shared mode proper may not.
static keel_result check_changeable(keel_world *world) {
    return world->refused & ~(uint32_t)KEELI_REFUSED_OBSERVER ? keeli_world_is_editable(world)
                                                              : KEEL_OK;
}

keel_result keel_observe_component(keel_world *world, const keel_component *component,
                                   uint32_t kinds, keel_observer_fn *function, void *data) {
    if (keeli_is_no_world(world)) return keeli_no_world();
    keel_result result;
    keeli_storage *s = keeli_followed_get(world, component, &result);
    if (!s) return result;
    KEEL_TRY(check_changeable(world));
    const uint32_t of_edges = s->relation ? KEEL_ON_RELATED | KEEL_ON_UNRELATED : 0;
    const uint32_t allowed =
        component == &keel_entities
            ? KEEL_ON_CREATED | KEEL_ON_DESTROYED
            : of_edges | KEEL_ON_INSERTED | KEEL_ON_MODIFIED | KEEL_ON_DELETED | KEEL_ON_REMOVED;
    if (!function || !kinds || kinds & ~allowed)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            function ? "an observer of '%s' takes other KEEL_ON_* bits"
                                     : "an observer of '%s' needs a function",
                            s->component.name);
    return add(world, s, &(keeli_observer){ function, data, kinds });
}

keel_result keel_unobserve_component(keel_world *world, const keel_component *component,
                                     keel_observer_fn *function, void *data) {
    if (keeli_is_no_world(world)) return keeli_no_world();
    KEEL_TRY(check_changeable(world));
    return take(world, keeli_followed_find(world, component), function, data);
}

// ------------------------------------------------------------------ views
// What a term asks of one component.
typedef struct keeli_view_part {
    keeli_storage *storage;
    uint32_t role; // KEELI_MUST, KEELI_MUST_NOT, or the number of an any_of
} keeli_view_part;

enum { KEELI_MUST, KEELI_MUST_NOT, KEELI_ANY_OF };

typedef struct keeli_view_observer {
    struct keeli_view_observer *next;
    keeli_observer observer;            // no function: it was taken away and is freed later
    KEELI_ARRAY(keeli_view_part) parts; // those of one any_of side by side
    keeli_presence members, pending;
} keeli_view_observer;

// Has the entity what must be there, when `except` is taken as absent?
static bool has_wanted(const keeli_view_observer *v, uint32_t index, const keeli_storage *except) {
    for (uint32_t i = 0; i < v->parts.count;) {
        const uint32_t role = v->parts.items[i].role;
        bool any = false;
        do {
            const keeli_storage *s = v->parts.items[i].storage;
            any |= s != except && keeli_store_has(s, index);
        } while (++i < v->parts.count && role >= KEELI_ANY_OF && v->parts.items[i].role == role);
        if (!any && role != KEELI_MUST_NOT) return false;
    }
    return true;
}

static bool matches(const keeli_view_observer *v, uint32_t index) {
    for (uint32_t i = 0; i < v->parts.count; ++i)
        if (v->parts.items[i].role == KEELI_MUST_NOT &&
            keeli_store_has(v->parts.items[i].storage, index))
            return false;
    return has_wanted(v, index, NULL);
}

static bool is_member(const keeli_view_observer *v, uint32_t index) {
    return keeli_presence_has(&v->members, index);
}

// Whoever has no room there has nothing that must be there, so it does not match.
static void note(keel_world *world, keeli_view_observer *v, uint32_t index) {
    if (!keeli_presence_has_page(&v->pending, index / KEELI_PAGE)) return;
    world->followers.has_pending = true;
    if (!keeli_presence_has(&v->pending, index)) (void)keeli_presence_set(&v->pending, index);
}

static void notify_view(keel_world *world, const keeli_view_observer *v, uint32_t index,
                        uint32_t kind) {
    // analyzer: an observed view that was listed was found or made
    const keeli_observer it = v->observer;
    if (!it.function || !(it.kinds & kind)) return;
    const keel_change event = { .world = world,
                                .kind = kind,
                                .entity = keeli_entity_at(&world->entities, index),
                                .commands = world->followers.reaction };
    const uint32_t before = calling_begin(world);
    call_one(&it, &event);
    calling_end(world, before);
}

static void set_member(keel_world *world, keeli_view_observer *v, uint32_t index, bool is) {
    if (is) (void)keeli_presence_set(&v->members, index);
    else (void)keeli_presence_clear(&v->members, index);
    notify_view(world, v, index, is ? KEEL_ON_ENTERED : KEEL_ON_LEFT);
}

static bool reserve(keel_world *world, keeli_view_observer *v, uint32_t index) {
    return keeli_presence_reserve(&v->members, &world->heap, index) &&
           keeli_presence_reserve(&v->pending, &world->heap, index);
}

bool keeli_view_observers_reserve(keel_world *world, const keeli_storage *s, uint32_t index) {
    for (uint32_t i = 0; i < s->viewers.count; ++i)
        if (!reserve(world, s->viewers.items[i], index)) return false;
    return true;
}

void keeli_view_observers_came(keel_world *world, const keeli_storage *s, uint32_t index) {
    for (uint32_t i = 0; i < s->viewers.count; ++i) {
        keeli_view_observer *v = s->viewers.items[i];
        if (matches(v, index) != is_member(v, index)) note(world, v, index);
    }
}

void keeli_view_observers_going(keel_world *world, const keeli_storage *s, uint32_t index) {
    for (uint32_t i = 0; i < s->viewers.count; ++i) {
        keeli_view_observer *v = s->viewers.items[i];
        const bool stays = has_wanted(v, index, s);
        if (!stays && is_member(v, index)) set_member(world, v, index, false);
        else if (stays && !is_member(v, index)) note(world, v, index);
    }
}

void keeli_view_observers_all_going(keel_world *world, uint32_t index) {
    for (keeli_view_observer *v = world->followers.view_observers; v; v = v->next)
        if (is_member(v, index)) set_member(world, v, index, false);
}

void keeli_view_observers_renew(keel_world *world) {
    world->followers.has_pending = false;
    for (keeli_view_observer *v = world->followers.view_observers; v; v = v->next) {
        keeli_presence_reset(&v->members);
        keeli_presence_reset(&v->pending);
        for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(world, e));) {
            const uint32_t index = keeli_index_of(e);
            if (keeli_presence_has_page(&v->members, index / KEELI_PAGE) && matches(v, index))
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
            if (s->viewers.items[k] != v) s->viewers.items[kept++] = s->viewers.items[k];
        s->viewers.count = kept;
        if (!kept) KEELI_RELEASE(&world->heap, &s->viewers);
        keeli_followers_update(s);
    }
    KEELI_RELEASE(&world->heap, &v->parts);
    keeli_presence_deinit(&v->members, &world->heap);
    keeli_presence_deinit(&v->pending, &world->heap);
    KEELI_FREE(&world->heap, keeli_view_observer, v);
}

// Those without a function go.
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

void keeli_view_observers_flush(keel_world *world) {
    if (world->followers.calling) return;
    world->followers.has_pending = false;
    for (keeli_view_observer *v = world->followers.view_observers; v; v = v->next)
        for (uint32_t i = 0; v->observer.function && v->pending.count &&
                             (i = keeli_presence_next(&v->pending, i)) != UINT32_MAX;
             ++i) {
            (void)keeli_presence_clear(&v->pending, i);
            const bool now = matches(v, i);
            if (now != is_member(v, i)) set_member(world, v, i, now);
        }
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
        if (!keeli_presence_is_valid(&v->members) || v->pending.count) return false;
        uint32_t count = 0;
        for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(world, e));) {
            const uint32_t index = keeli_index_of(e);
            if (matches(v, index) != is_member(v, index)) return false;
            count += is_member(v, index);
        }
        if (count != v->members.count) return false;
    }
    return true;
}

// ------------------------------------------------------------------ observing views
static keel_result bad(keel_world *world, const char *what) {
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "cannot observe a view: %s", what);
}

static keel_result add_part(keel_world *world, keeli_view_observer *v, const keel_component *c,
                            uint32_t role) {
    keel_result result;
    keeli_storage *s = keeli_storage_get(world, c, false, &result);
    if (!s) return result;
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
        return KEEL_OK; // says nothing about who matches
    case KEEL_TERM_UNIQUE_READ:
    case KEEL_TERM_UNIQUE_WRITE:
        return bad(world, "it names a unique, which no entity has");
    default:
        return bad(world, term->kind >= KEEL_TERM_INSERTED && term->kind <= KEEL_TERM_NOT_CHANGED
                              ? "its terms are about who has what; changes are notified by "
                                "keel_observe, or found by looking at a view from time to time"
                              : "its terms are about who has what: KEEL_WITH, KEEL_WITHOUT, "
                                "KEEL_ANY_OF, KEEL_READ and the like");
    }
    const keel_component *const *other = term->others;
    if (!term->component) return bad(world, "a term lacks its component");
    for (const keel_component *c = term->component; c; c = other ? *other++ : NULL) {
        if (++count > KEEL_MAX_TERM_COMPONENTS)
            return bad(world, "a term names more than 8 components");
        KEEL_TRY(add_part(world, v, c, role));
    }
    return count > 1 && role < KEELI_ANY_OF ? bad(world, "only any_of names several components")
                                            : KEEL_OK;
}

// Its terms are read: it becomes one of the world's, after the others. Who matches already is a
// member from the start.
static keel_result link(keel_world *world, keeli_view_observer *v) {
    for (uint32_t i = 0; i < v->parts.count; ++i) {
        keeli_storage *s = v->parts.items[i].storage;
        bool known = false;
        for (uint32_t k = 0; k < s->viewers.count; ++k)
            known |= s->viewers.items[k] == v;
        if (!known) *KEELI_APPEND(&s->viewers) = v;
        keeli_followers_update(s);
        if (v->parts.items[i].role != KEELI_MUST_NOT && !keeli_followers_reserve_present(world, s))
            return keeli_out_of_memory(world, "observing a view");
    }
    if (!reserve_reaction(world)) return keeli_out_of_memory(world, "observing a view");
    for (uint32_t i = 0; i < v->parts.count; ++i)
        for (uint32_t k = 0; v->parts.items[i].role != KEELI_MUST_NOT &&
                             (k = keeli_store_next(v->parts.items[i].storage, k)) != UINT32_MAX;
             ++k)
            if (!is_member(v, k) && matches(v, k)) (void)keeli_presence_set(&v->members, k);
    keeli_view_observer **at = &world->followers.view_observers;
    while (*at)
        at = &(*at)->next;
    *at = v;
    ++world->followers.observed;
    ++world->registry.bindings; // who edits what is observed runs alone: run/graph.c
    return KEEL_OK;
}

static bool is_same(const keeli_view_observer *a, const keeli_view_observer *b) {
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
    bool wants = false;
    for (uint32_t t = 0; terms && terms[t].kind != KEEL_TERM_END; ++t) {
        if (t == KEEL_MAX_TERMS) return bad(world, "more than 16 terms");
        KEEL_TRY(add_term(world, v, &terms[t], t));
    }
    for (uint32_t i = 0; i < v->parts.count; ++i)
        wants |= v->parts.items[i].role != KEELI_MUST_NOT;
    return wants ? KEEL_OK
                 : bad(world, "it names nothing that must be there; add KEEL_WITH or KEEL_ANY_OF, "
                              "or observe keel_entities");
}

keel_result keel_observe_view(keel_world *world, const keel_term *terms, uint32_t kinds,
                              keel_observer_fn *function, void *data) {
    if (keeli_is_no_world(world)) return keeli_no_world();
    KEEL_TRY(keeli_world_is_editable(world));
    const uint32_t known = KEEL_ON_ENTERED | KEEL_ON_LEFT;
    if (!function) return bad(world, "it needs a function");
    if (!(kinds & known) || kinds & ~(known | KEEL_ON_PRESENT))
        return bad(world, "it takes KEEL_ON_ENTERED, KEEL_ON_LEFT, and KEEL_ON_PRESENT with them");
    keeli_view_observer *fresh = KEELI_NEW(&world->heap, keeli_view_observer), *v = NULL;
    if (!fresh) return keeli_out_of_memory(world, "observing a view");
    fresh->observer = (keeli_observer){ function, data, kinds };
    keel_result result = add_terms(world, fresh, terms);
    if (result == KEEL_OK) {
        v = world->followers.view_observers;
        while (v && !is_same(v, fresh))
            v = v->next;
        if (v) v->observer.kinds |= kinds;
        else result = link(world, v = fresh);
    }
    if (result < 0 || v != fresh) unlink_and_free(world, fresh);
    if (result < 0) return keeli_done(world, result);
    for (uint32_t i = 0;
         kinds & KEEL_ON_PRESENT && (i = keeli_presence_next(&v->members, i)) != UINT32_MAX; ++i)
        notify_view(world, v, i, KEEL_ON_ENTERED);
    return keeli_done(world, KEEL_OK);
}

keel_result keel_unobserve_view(keel_world *world, keel_observer_fn *function, void *data) {
    if (keeli_is_no_world(world)) return keeli_no_world();
    bool any = false;
    if (!world->followers.calling) KEEL_TRY(keeli_world_is_editable(world));
    for (keeli_view_observer *v = world->followers.view_observers; function && v; v = v->next) {
        if (v->observer.function != function || v->observer.data != data) continue;
        v->observer.function = NULL;
        any = true;
    }
    if (any && world->followers.calling)
        world->followers.has_pending = true; // freed when the edit is done
    else if (any) free_lost(world);
    return any ? KEEL_OK : KEEL_ABSENT;
}
