// SPDX-License-Identifier: MIT
#include "observe_view.h"

#include "observe.h"
#include "world/borrow.h"
#include "world/command_lists.h"
#include "world/registry.h"
#include "world/report.h"

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
static void unsettle(keel_world *world, keeli_view_observer *v, uint32_t index) {
    if (!keeli_presence_has_page(&v->unsettled, index / 4096)) return;
    world->unsettled = true;
    if (!v->has_one && !v->unsettled.count) {
        v->one = index;
        v->has_one = true;
        return;
    }
    if (v->has_one && v->one == index) return;
    if (v->has_one) (void)keeli_presence_set(&v->unsettled, v->one);
    v->has_one = false;
    if (!keeli_presence_has(&v->unsettled, index)) (void)keeli_presence_set(&v->unsettled, index);
}

// ------------------------------------------------------------------ room
static bool reserve(keel_world *world, keeli_view_observer *v, uint32_t index) {
    return keeli_presence_reserve(&v->members, &world->heap, index) &&
           keeli_presence_reserve(&v->unsettled, &world->heap, index);
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

// ------------------------------------------------------------------ telling
static void tell(keel_world *world, const keeli_view_observer *v, uint32_t index, uint32_t kind) {
    const keel_entity e = keeli_entity_at(&world->entities, index);
    const keeli_observer it = v->observer;
    if (!it.function || !(it.kinds & kind)) return;
    const keel_event event = {
        .world = world, .kind = kind, .entity = e, .commands = world->reaction
    };
    keeli_calling_begin(world);
    it.function(&event, it.data);
    keeli_calling_end(world);
}

static void enter(keel_world *world, keeli_view_observer *v, uint32_t index) {
    (void)keeli_presence_set(&v->members, index);
    tell(world, v, index, KEEL_ON_ENTERED);
}

static void leave(keel_world *world, keeli_view_observer *v, uint32_t index) {
    (void)keeli_presence_clear(&v->members, index);
    tell(world, v, index, KEEL_ON_LEFT);
}

// ------------------------------------------------------------------ during edits
void keeli_view_observers_joined(keel_world *world, const keeli_storage *s, uint32_t index) {
    for (uint32_t i = 0; i < s->viewers.count; ++i) {
        keeli_view_observer *v = s->viewers.items[i];
        if (matches(v, index) != is_member(v, index)) unsettle(world, v, index);
    }
}

static void leaving(keel_world *world, keeli_view_observer *v, const keeli_storage *s,
                    uint32_t index) {
    const bool will_do = has_wanted(v, index, s);
    if (!will_do && is_member(v, index)) leave(world, v, index);
    else if (will_do && !is_member(v, index)) unsettle(world, v, index);
}

void keeli_view_observers_leaving(keel_world *world, const keeli_storage *s, uint32_t index) {
    for (uint32_t i = 0; i < s->viewers.count; ++i)
        leaving(world, s->viewers.items[i], s, index);
}

void keeli_view_observers_clearing(keel_world *world, const keeli_storage *s) {
    for (uint32_t i = 0; i < s->viewers.count; ++i)
        for (uint32_t k = 0; (k = keeli_store_next(s, k)) != UINT32_MAX; ++k)
            leaving(world, s->viewers.items[i], s, k);
}

void keeli_view_observers_losing_all(keel_world *world, uint32_t index) {
    for (keeli_view_observer *v = world->view_observers; v; v = v->next)
        if (is_member(v, index)) leave(world, v, index);
}

static void settle_one(keel_world *world, keeli_view_observer *v, uint32_t index) {
    const bool now = matches(v, index);
    if (now == is_member(v, index)) return;
    if (now) enter(world, v, index);
    else leave(world, v, index);
}

static void settle(keel_world *world, keeli_view_observer *v) {
    if (v->has_one) {
        v->has_one = false;
        settle_one(world, v, v->one);
        return;
    }
    if (!v->unsettled.count) return;
    for (uint32_t i = 0; (i = keeli_presence_next(&v->unsettled, i)) != UINT32_MAX; ++i) {
        (void)keeli_presence_clear(&v->unsettled, i);
        settle_one(world, v, i);
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
        if (kept) continue;
        s->flags &= ~(uint32_t)KEELI_IS_IN_VIEW;
        KEELI_RELEASE(&world->heap, &s->viewers);
    }
}

static void free_observer(keel_world *world, keeli_view_observer *v) {
    KEELI_RELEASE(&world->heap, &v->parts);
    keeli_presence_deinit(&v->members, &world->heap);
    keeli_presence_deinit(&v->unsettled, &world->heap);
    KEELI_FREE(&world->heap, keeli_view_observer, v);
}

// Those without a function go.
static void free_lost(keel_world *world) {
    for (keeli_view_observer **at = &world->view_observers, *v; (v = *at) != NULL;) {
        if (v->observer.function) {
            at = &v->next;
            continue;
        }
        *at = v->next;
        unlink_parts(world, v);
        free_observer(world, v);
        --world->observed;
        ++world->bindings;
    }
}

void keeli_view_observers_settle(keel_world *world) {
    if (world->calling) return;
    world->unsettled = false;
    for (keeli_view_observer *v = world->view_observers; v; v = v->next)
        if (v->observer.function) settle(world, v);
    free_lost(world);
}

void keeli_view_observers_forget(keel_world *world, const keeli_storage *s) {
    for (uint32_t i = 0; i < s->viewers.count; ++i)
        s->viewers.items[i]->observer.function = NULL;
    free_lost(world);
}

void keeli_view_observers_deinit(keel_world *world) {
    for (keeli_view_observer *v = world->view_observers, *next; v; v = next) {
        next = v->next;
        unlink_parts(world, v);
        free_observer(world, v);
    }
    world->view_observers = NULL;
}

bool keeli_view_observers_are_valid(const keel_world *world) {
    for (const keeli_view_observer *v = world->view_observers; v; v = v->next) {
        if (!keeli_presence_is_valid(&v->members) || v->unsettled.count || v->has_one) return false;
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
        s->flags |= KEELI_IS_IN_VIEW;
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
    keeli_view_observer **at = &world->view_observers;
    while (*at)
        at = &(*at)->next;
    return at;
}

static void tell_present(keel_world *world, const keeli_view_observer *v) {
    for (uint32_t i = 0; (i = keeli_presence_next(&v->members, i)) != UINT32_MAX; ++i)
        tell(world, v, i, KEEL_ON_ENTERED);
}

// The observer of the same view by the same function, or NULL.
static keeli_view_observer *find(const keel_world *world, const keeli_view_observer *v) {
    keeli_view_observer *it = world->view_observers;
    while (it && !is_same(it, v))
        it = it->next;
    return it;
}

// Its terms are read, and it is a new one.
static keel_result begin(keel_world *world, keeli_view_observer *v) {
    if (!world->reaction) world->reaction = keeli_commands_take(world);
    if (!world->reaction || !fill(world, v)) return keeli_out_of_memory(world, "observing a view");
    *end_of(world) = v;
    link_parts(v);
    ++world->observed;
    ++world->bindings; // who edits what is observed takes turns: run/graph.c
    return KEEL_OK;
}

static keel_result observe(keel_world *world, keeli_view_observer *v, const keel_term *terms) {
    keel_result result = add_terms(world, v, terms);
    const uint32_t kinds = v->observer.kinds;
    keeli_view_observer *known = result == KEEL_OK ? find(world, v) : NULL;
    if (known) known->observer.kinds |= kinds;
    else if (result == KEEL_OK) result = begin(world, v);
    if (result < 0 || known) free_observer(world, v);
    if (result == KEEL_OK && kinds & KEEL_ON_PRESENT) tell_present(world, known ? known : v);
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
    if (!world->calling) KEEL_TRY(keeli_world_is_editable(world));
    for (keeli_view_observer *v = world->view_observers; function && v; v = v->next) {
        if (v->observer.function != function || v->observer.data != data) continue;
        v->observer.function = NULL;
        any = true;
    }
    if (any && world->calling) world->unsettled = true; // freed when the edit is done
    else if (any) free_lost(world);
    return any ? KEEL_OK : KEEL_ABSENT;
}
