// SPDX-License-Identifier: MIT
// Observers of views: who has entered and left what some terms match. Each keeps a bit for every
// entity that it was told has entered. An edit that takes components away asks before they go
// whether the entity leaves because of it, and tells at once; everything else is noted in a second
// bit and looked at when the edit is done, so that what was true in the middle of it is not told.
//
// Invariant: when no edit is going on the first bits are those of the entities that match, the
// second ones are clear, and whoever has a component that must be there has room for both.
#include "follow.h"

#include "world/borrow.h"
#include "world/registry.h"
#include "world/report.h"

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
    keeli_presence members, noted;
    uint32_t one; // noted alone, as most edits are of one entity: it has no bit then
    bool has_one;
} keeli_view_observer;

// ------------------------------------------------------------------ who matches
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
    if (!keeli_presence_has_page(&v->noted, index / 4096)) return;
    world->followers.has_noted = true;
    if (!v->has_one && !v->noted.count) {
        v->one = index;
        v->has_one = true;
        return;
    }
    if (v->has_one && v->one == index) return;
    if (v->has_one) (void)keeli_presence_set(&v->noted, v->one);
    v->has_one = false;
    if (!keeli_presence_has(&v->noted, index)) (void)keeli_presence_set(&v->noted, index);
}

// ------------------------------------------------------------------ room
static bool reserve(keel_world *world, keeli_view_observer *v, uint32_t index) {
    return keeli_presence_reserve(&v->members, &world->heap, index) &&
           keeli_presence_reserve(&v->noted, &world->heap, index);
}

bool keeli_view_observers_reserve(keel_world *world, const keeli_storage *s, uint32_t index) {
    for (uint32_t i = 0; i < s->viewers.count; ++i)
        if (!reserve(world, s->viewers.items[i], index)) return false;
    return true;
}

// For all who have the component, in sight or not, and all who may come to a set: where there are
// pages of bits.
static bool reserve_pages(keel_world *world, keeli_view_observer *v, const keeli_storage *s) {
    const keeli_presence *p = &s->presence, *d = &s->disabled;
    for (uint32_t page = 0; page < p->root.page_count || page < d->root.page_count; ++page)
        if ((keeli_presence_has_page(p, page) || keeli_presence_has_page(d, page)) &&
            !reserve(world, v, page * 4096))
            return false;
    return true;
}

bool keeli_view_observers_reserve_all(keel_world *world, const keeli_storage *s) {
    for (uint32_t i = 0; i < s->viewers.count; ++i)
        if (!reserve_pages(world, s->viewers.items[i], s)) return false;
    return true;
}

// ------------------------------------------------------------------ calling
static void notify(keel_world *world, const keeli_view_observer *v, uint32_t index, uint32_t kind) {
    const keel_entity e = keeli_entity_at(&world->entities, index);
    const keeli_observer it = v->observer;
    if (!it.function || !(it.kinds & kind)) return;
    const keel_event event = {
        .world = world, .kind = kind, .entity = e, .commands = world->followers.reaction
    };
    const uint32_t before = keeli_calling_begin(world);
    it.function(&event, it.data);
    keeli_calling_end(world, before);
}

static void enter(keel_world *world, keeli_view_observer *v, uint32_t index) {
    (void)keeli_presence_set(&v->members, index);
    notify(world, v, index, KEEL_ON_ENTERED);
}

static void leave(keel_world *world, keeli_view_observer *v, uint32_t index) {
    (void)keeli_presence_clear(&v->members, index);
    notify(world, v, index, KEEL_ON_LEFT);
}

// ------------------------------------------------------------------ during edits
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
        if (!stays && is_member(v, index)) leave(world, v, index);
        else if (stays && !is_member(v, index)) note(world, v, index);
    }
}

void keeli_view_observers_all_going(keel_world *world, uint32_t index) {
    for (keeli_view_observer *v = world->followers.view_observers; v; v = v->next)
        if (is_member(v, index)) leave(world, v, index);
}

static void flush_one(keel_world *world, keeli_view_observer *v, uint32_t index) {
    const bool now = matches(v, index);
    if (now == is_member(v, index)) return;
    if (now) enter(world, v, index);
    else leave(world, v, index);
}

static void flush(keel_world *world, keeli_view_observer *v) {
    if (v->has_one) {
        v->has_one = false;
        flush_one(world, v, v->one);
        return;
    }
    for (uint32_t i = 0; v->noted.count && (i = keeli_presence_next(&v->noted, i)) != UINT32_MAX;
         ++i) {
        (void)keeli_presence_clear(&v->noted, i);
        flush_one(world, v, i);
    }
}

// ------------------------------------------------------------------ making and ending
static void unlink_parts(keel_world *world, keeli_view_observer *v) {
    for (uint32_t i = 0; i < v->parts.count; ++i) {
        keeli_storage *s = v->parts.items[i].storage;
        uint32_t kept = 0;
        for (uint32_t k = 0; k < s->viewers.count; ++k)
            if (s->viewers.items[k] != v) s->viewers.items[kept++] = s->viewers.items[k];
        s->viewers.count = kept;
        if (!kept) KEELI_RELEASE(&world->heap, &s->viewers);
        keeli_followers_update(s);
    }
}

static void free_observer(keel_world *world, keeli_view_observer *v) {
    KEELI_RELEASE(&world->heap, &v->parts);
    keeli_presence_deinit(&v->members, &world->heap);
    keeli_presence_deinit(&v->noted, &world->heap);
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
        unlink_parts(world, v);
        free_observer(world, v);
        --world->followers.observed;
        ++world->registry.bindings;
    }
}

void keeli_view_observers_flush(keel_world *world) {
    if (world->followers.calling) return;
    world->followers.has_noted = false;
    for (keeli_view_observer *v = world->followers.view_observers; v; v = v->next)
        if (v->observer.function) flush(world, v);
    free_lost(world);
}

void keeli_view_observers_forget(keel_world *world, const keeli_storage *s) {
    for (uint32_t i = 0; i < s->viewers.count; ++i)
        s->viewers.items[i]->observer.function = NULL;
    free_lost(world);
}

void keeli_view_observers_deinit(keel_world *world) {
    for (keeli_view_observer *v = world->followers.view_observers, *next; v; v = next) {
        next = v->next;
        unlink_parts(world, v);
        free_observer(world, v);
    }
    world->followers.view_observers = NULL;
}

bool keeli_view_observers_are_valid(const keel_world *world) {
    for (const keeli_view_observer *v = world->followers.view_observers; v; v = v->next) {
        if (!keeli_presence_is_valid(&v->members) || v->noted.count || v->has_one) return false;
        uint32_t count = 0;
        for (uint64_t from = 0; from <= KEEL_ENTITY_INDEX_MAX; ++from) {
            const keel_entity e = keeli_entity_index_next(&world->entities, (uint32_t)from);
            if (keel_is_null(e)) break;
            from = keel_entity_index(e);
            if (matches(v, (uint32_t)from) != is_member(v, (uint32_t)from)) return false;
            count += is_member(v, (uint32_t)from);
        }
        if (count != v->members.count) return false;
    }
    return true;
}

// ------------------------------------------------------------------ terms
static keel_result bad(keel_world *world, const char *what) {
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "cannot observe a view: %s", what);
}

static const char *what_is_wrong(keel_term_kind kind) {
    if (kind >= KEEL_TERM_INSERTED && kind <= KEEL_TERM_NOT_CHANGED)
        return "its terms are about who has what; changes are told by keel_observe, or found by "
               "looking at a view from time to time";
    if (kind == KEEL_TERM_UNIQUE_READ || kind == KEEL_TERM_UNIQUE_WRITE)
        return "it names a unique, which no entity has";
    return "its terms are about who has what: KEEL_WITH, KEEL_WITHOUT, KEEL_ANY_OF, KEEL_READ and "
           "the like";
}

// What a term means for who matches; false: nothing.
static bool role_of(keel_term_kind kind, uint32_t *role, const char **wrong) {
    *wrong = NULL;
    switch (kind) {
    case KEEL_TERM_READ:
    case KEEL_TERM_WRITE:
    case KEEL_TERM_WRITE_MARKED:
    case KEEL_TERM_EDIT:
    case KEEL_TERM_WITH:
        *role = KEELI_MUST;
        return true;
    case KEEL_TERM_WITHOUT:
        *role = KEELI_MUST_NOT;
        return true;
    case KEEL_TERM_ANY_OF:
        return true; // keeps the number it was given
    case KEEL_TERM_NONE:
    case KEEL_TERM_MAYBE:
    case KEEL_TERM_MAYBE_WRITE:
    case KEEL_TERM_ENTITY:
        return false;
    default:
        *wrong = what_is_wrong(kind);
        return false;
    }
}

static keel_result add_part(keel_world *world, keeli_view_observer *v, const keel_component *c,
                            uint32_t role) {
    keel_result result;
    keeli_storage *s = keeli_storage_get(world, c, false, &result);
    if (!s) return result;
    if (!KEELI_RESERVE(&world->heap, &v->parts, 1) || !KEELI_RESERVE(&world->heap, &s->viewers, 1))
        return keeli_out_of_memory(world, "observing a view");
    v->parts.items[v->parts.count++] = (keeli_view_part){ s, role };
    return KEEL_OK;
}

static keel_result add_term(keel_world *world, keeli_view_observer *v, const keel_term *term,
                            uint32_t number) {
    const char *wrong;
    uint32_t role = KEELI_ANY_OF + number, count = 0;
    if (!role_of(term->kind, &role, &wrong)) return wrong ? bad(world, wrong) : KEEL_OK;
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

static bool is_wanted(const keeli_view_part *part) { return part->role != KEELI_MUST_NOT; }

static keel_result add_terms(keel_world *world, keeli_view_observer *v, const keel_term *terms) {
    bool wants = false;
    for (uint32_t t = 0; terms && terms[t].kind != KEEL_TERM_END; ++t) {
        if (t == KEEL_MAX_TERMS) return bad(world, "more than 16 terms");
        KEEL_TRY(add_term(world, v, &terms[t], t));
    }
    for (uint32_t i = 0; i < v->parts.count; ++i)
        wants |= is_wanted(&v->parts.items[i]);
    return wants ? KEEL_OK
                 : bad(world, "it names nothing that must be there; add KEEL_WITH or KEEL_ANY_OF, "
                              "or observe entities (keel_observe_entities)");
}

// ------------------------------------------------------------------ public
// Who matches already is a member from the start.
static bool fill(keel_world *world, keeli_view_observer *v) {
    for (uint32_t i = 0; i < v->parts.count; ++i)
        if (is_wanted(&v->parts.items[i]) && !reserve_pages(world, v, v->parts.items[i].storage))
            return false;
    for (uint32_t i = 0; i < v->parts.count; ++i) {
        const keeli_storage *s = v->parts.items[i].storage;
        for (uint32_t k = 0;
             is_wanted(&v->parts.items[i]) && (k = keeli_store_next(s, k)) != UINT32_MAX; ++k)
            if (!is_member(v, k) && matches(v, k)) (void)keeli_presence_set(&v->members, k);
    }
    return true;
}

static void link_parts(keeli_view_observer *v) {
    for (uint32_t i = 0; i < v->parts.count; ++i) {
        keeli_storage *s = v->parts.items[i].storage;
        bool known = false;
        for (uint32_t k = 0; k < s->viewers.count; ++k)
            known |= s->viewers.items[k] == v;
        if (!known) s->viewers.items[s->viewers.count++] = v;
        keeli_followers_update(s);
    }
}

static bool is_same(const keeli_view_observer *a, const keeli_view_observer *b) {
    if (a->observer.function != b->observer.function || a->observer.data != b->observer.data)
        return false;
    if (a->parts.count != b->parts.count) return false;
    for (uint32_t i = 0; i < a->parts.count; ++i)
        if (a->parts.items[i].storage != b->parts.items[i].storage ||
            a->parts.items[i].role != b->parts.items[i].role)
            return false;
    return true;
}

static keeli_view_observer **end_of(keel_world *world) {
    keeli_view_observer **at = &world->followers.view_observers;
    while (*at)
        at = &(*at)->next;
    return at;
}

static void notify_present(keel_world *world, const keeli_view_observer *v) {
    for (uint32_t i = 0; (i = keeli_presence_next(&v->members, i)) != UINT32_MAX; ++i)
        notify(world, v, i, KEEL_ON_ENTERED);
}

// The observer of the same view by the same function, or NULL.
static keeli_view_observer *find(const keel_world *world, const keeli_view_observer *v) {
    keeli_view_observer *it = world->followers.view_observers;
    while (it && !is_same(it, v))
        it = it->next;
    return it;
}

// Its terms are read, and it is a new one.
static keel_result begin(keel_world *world, keeli_view_observer *v) {
    if (!world->followers.reaction) world->followers.reaction = keeli_commands_take(world);
    if (!world->followers.reaction || !fill(world, v))
        return keeli_out_of_memory(world, "observing a view");
    *end_of(world) = v;
    link_parts(v);
    ++world->followers.observed;
    ++world->registry.bindings; // who edits what is observed takes turns: run/graph.c
    return KEEL_OK;
}

static keel_result observe(keel_world *world, keeli_view_observer *v, const keel_term *terms) {
    keel_result result = add_terms(world, v, terms);
    const uint32_t kinds = v->observer.kinds;
    keeli_view_observer *known = result == KEEL_OK ? find(world, v) : NULL;
    if (known) known->observer.kinds |= kinds;
    else if (result == KEEL_OK) result = begin(world, v);
    if (result < 0 || known) free_observer(world, v);
    if (result == KEEL_OK && kinds & KEEL_ON_PRESENT) notify_present(world, known ? known : v);
    return result;
}

keel_result keeli_observe_view(keel_world *world, const keel_term *terms, uint32_t kinds,
                               keel_observer_fn *function, void *data) {
    KEEL_TRY(keeli_world_is_editable(world));
    const uint32_t told = KEEL_ON_ENTERED | KEEL_ON_LEFT;
    if (!function) return bad(world, "it needs a function");
    if (!(kinds & told) || kinds & ~(told | KEEL_ON_PRESENT))
        return bad(world, "it takes KEEL_ON_ENTERED, KEEL_ON_LEFT, and KEEL_ON_PRESENT with them");
    keeli_view_observer *v = KEELI_NEW(&world->heap, keeli_view_observer);
    if (!v) return keeli_out_of_memory(world, "observing a view");
    v->observer = (keeli_observer){ function, data, kinds };
    return observe(world, v, terms);
}

keel_result keel_unobserve_view(keel_world *world, keel_observer_fn *function, void *data) {
    if (!world) return keeli_no_world();
    bool any = false;
    if (!world->followers.calling) KEEL_TRY(keeli_world_is_editable(world));
    for (keeli_view_observer *v = world->followers.view_observers; function && v; v = v->next) {
        if (v->observer.function != function || v->observer.data != data) continue;
        v->observer.function = NULL;
        any = true;
    }
    if (any && world->followers.calling)
        world->followers.has_noted = true; // freed when the edit is done
    else if (any) free_lost(world);
    return any ? KEEL_OK : KEEL_ABSENT;
}
