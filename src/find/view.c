// SPDX-License-Identifier: MIT
// Opening and closing views: terms are checked, storages resolved and borrowed.
#include "find/view.h"

#include "find/iterate.h"
#include "follow/changes.h"
#include "world/registry.h"
#include "world/report.h"

#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------ states
// By hand: views are opened often.
static void copy_name(char *to, const char *from) {
    uint32_t n = 0;
    for (; from[n] && n < sizeof((keeli_holder *)0)->name - 1; ++n)
        to[n] = from[n];
    to[n] = 0;
}

// The parts stand behind each other in the order of their alignment.
static keeli_view *new_view(keel_world *world, uint32_t terms, uint32_t storages, uint32_t chunks,
                            size_t more) {
    const size_t bytes = sizeof(keeli_view) + chunks * sizeof(keel_chunk) +
                         terms * sizeof(keeli_bound_term) + storages * sizeof(keeli_storage *) +
                         more;
    keeli_view *view = keeli_new_zeroed(&world->heap, bytes, _Alignof(keeli_view));
    if (!view) return NULL;
    keel_chunk *one = (keel_chunk *)(view + 1);
    view->world = world;
    view->bytes = (uint32_t)bytes;
    view->one = chunks ? one : NULL;
    view->terms = (keeli_bound_term *)(void *)(one + chunks);
    view->storages = (keeli_storage **)(void *)(view->terms + terms);
    return view;
}

void keeli_view_free(keeli_view *view) {
    keeli_heap *heap = &view->world->heap;
    keeli_holder_deinit(view->world, &view->holder);
    keeli_arena_deinit(&view->scratch, heap);
    keeli_free(heap, view, view->bytes, _Alignof(keeli_view));
}

keeli_view *keeli_view_new(keel_world *world, const char *name) {
    keeli_view *view = new_view(world, 0, 0, 0, 0);
    if (view) keeli_view_reset(view, name);
    return view;
}

static bool copy_uses(keel_world *world, keeli_holder *to, const keeli_holder *from) {
    if (!KEELI_RESERVE(&world->heap, &to->uses, from->uses.count)) return false;
    for (uint32_t i = 0; i < from->uses.count; ++i) {
        to->uses.items[i] = from->uses.items[i];
        to->uses.items[i].inner = 0;
    }
    to->uses.count = from->uses.count;
    return true;
}

keeli_view *keeli_view_keep(const keeli_view *view) {
    keel_world *world = view->world;
    const uint32_t terms = view->term_count, storages = view->storage_count;
    const bool has_plan = !view->filters_changes && keeli_view_is_about_entities(view);
    const size_t plan_bytes = has_plan ? keeli_kept_plan_bytes(terms) : 0;
    keeli_view *kept = new_view(world, terms, storages, 0, plan_bytes);
    if (!kept) return NULL;
    if (has_plan) {
        kept->kept = (keeli_kept_plan *)(void *)(kept->storages + storages);
        keeli_kept_plan_init(kept->kept, terms);
    }
    if (!copy_uses(world, &kept->holder, &view->holder)) return keeli_view_free(kept), NULL;
    kept->holder.everything = view->holder.everything;
    kept->holder.is_system = view->holder.is_system;
    copy_name(kept->holder.name, view->holder.name);
    memcpy(kept->terms, view->terms, view->term_count * sizeof *view->terms);
    memcpy(kept->storages, view->storages, view->storage_count * sizeof *view->storages);
    kept->term_count = view->term_count;
    kept->storage_count = view->storage_count;
    kept->custom_count = view->custom_count;
    kept->wants_entities = view->wants_entities;
    kept->has_uniques = view->has_uniques;
    kept->takes_data = view->takes_data;
    kept->records = view->records;
    kept->has_events = view->has_events;
    kept->sends = view->sends;
    kept->defers_events = view->defers_events;
    kept->filters_changes = view->filters_changes;
    kept->asks_about_changes = view->asks_about_changes;
    kept->writes = view->writes;
    kept->marks_by_hand = view->marks_by_hand;
    kept->edits = view->edits;
    keeli_world_lock(world);
    kept->serial = ++world->serial;
    keeli_world_unlock(world);
    return kept;
}

// With room for what most views hold, so that it does not matter which view gets which state.
static keeli_view *new_state(keel_world *world) {
    enum { USES = 16 };
    keeli_view *view = new_view(world, KEEL_MAX_TERMS, KEELI_MAX_BOUND, 1, 0);
    if (!view) return NULL;
    if (KEELI_RESERVE(&world->heap, &view->holder.uses, USES)) return view;
    keeli_view_free(view);
    return NULL;
}

static void link_state(keel_world *world, keeli_view *view, uint64_t serial) {
    view->serial = serial;
    view->next = world->views;
    world->views = view;
}

keeli_view *keeli_view_take(keel_world *world, const char *where) {
    keeli_world_lock(world);
    keeli_view *view = world->views;
    while (view && view->serial)
        view = view->next;
    if (view) view->serial = ++world->serial;
    keeli_world_unlock(world);
    if (!view) {
        view = new_state(world);
        if (!view) return keeli_out_of_memory(world, "opening a view"), NULL;
        keeli_world_lock(world);
        link_state(world, view, ++world->serial);
        keeli_world_unlock(world);
    }
    keeli_view_reset(view, where);
    return view;
}

bool keeli_views_reserve(keel_world *world, uint32_t count) {
    for (const keeli_view *view = world->views; view && count; view = view->next)
        --count;
    while (count--) {
        keeli_view *view = new_state(world);
        if (!view) return false;
        link_state(world, view, 0);
    }
    return true;
}

void keeli_view_reset(keeli_view *view, const char *where) {
    view->holder.uses.count = 0;
    view->holder.everything = view->holder.is_system = false;
    view->holder.parent = NULL;
    view->term_count = view->storage_count = view->custom_count = 0;
    view->wants_entities = view->filters_changes = view->writes = false;
    view->marks_by_hand = view->edits = false;
    view->asks_about_changes = false;
    view->has_uniques = view->takes_data = view->records = false;
    view->has_events = view->sends = view->defers_events = false;
    view->holder.tick = 0;
    view->reader = NULL;
    copy_name(view->holder.name, where ? keeli_base_name(where) : "a view");
}

// Whoever opened it is told how many it has to look for at its end.
static void put_inside(keeli_view *view, keeli_holder *inside) {
    view->inside = inside;
    if (inside) ++inside->opened;
}

void keeli_view_give(keeli_view *view) {
    keeli_world_lock(view->world);
    view->serial = 0;
    if (view->inside) --view->inside->opened;
    view->inside = NULL;
    view->custom = NULL;
    view->value = NULL;
    keeli_world_unlock(view->world);
}

void keeli_view_is_custom(keeli_view *view, const keel_custom_view *kind, void *value,
                          keeli_holder *inside, bool is_parameter) {
    keeli_world_lock(view->world);
    view->custom = kind;
    view->value = value;
    view->is_parameter = is_parameter;
    view->in_hands = true;
    put_inside(view, inside);
    keeli_world_unlock(view->world);
}

keeli_view *keeli_view_of(const keel_view *view) {
    return view && view->state && view->state->serial == view->serial ? view->state : NULL;
}

keel_result keeli_view_is_closed(const keel_view *view) {
    if (!view || !view->world) return KEEL_ERROR_ARGUMENT; // nobody to tell
    return keeli_misuse(view->world, KEEL_ERROR_ARGUMENT,
                        "a view is used that is not open: keel_view_begin failed, or keel_view_end "
                        "was called; begin it again");
}

void keeli_views_deinit(keel_world *world) {
    for (keeli_view *view = world->views, *next; view; view = next) {
        next = view->next;
        if (view->holder.open)
            keeli_warn(world, "the world is destroyed while %s is open; end it first",
                       view->holder.name);
        keeli_view_free(view);
    }
    world->views = NULL;
}

// ------------------------------------------------------------------ terms
keel_access keeli_term_access(keel_term_kind kind) {
    switch (kind) {
    case KEEL_TERM_WRITE:
    case KEEL_TERM_WRITE_MARKED:
    case KEEL_TERM_MAYBE_WRITE:
    case KEEL_TERM_MAY_WRITE:
    case KEEL_TERM_UNIQUE_WRITE:
    case KEEL_TERM_SEND:
        return KEEL_ACCESS_WRITE;
    case KEEL_TERM_EDIT:
    case KEEL_TERM_MAY_EDIT:
        return KEEL_ACCESS_EDIT;
    default:
        return KEEL_ACCESS_READ;
    }
}

static bool is_for_systems(keel_term_kind kind) {
    return kind == KEEL_TERM_COMMANDS || kind == KEEL_TERM_CONTEXT || kind == KEEL_TERM_DATA ||
           keeli_term_is_custom(kind) || keeli_term_is_event(kind);
}
bool keeli_term_takes_component(keel_term_kind kind) {
    return keeli_term_is_walked(kind) ||
           (kind >= KEEL_TERM_MAY_READ && kind <= KEEL_TERM_MAY_EDIT) ||
           keeli_term_is_unique(kind) || keeli_term_is_event(kind);
}

static keel_result bad_term(const keeli_view *view, const char *what) {
    return keeli_misuse(view->world, KEEL_ERROR_ARGUMENT, "%s: %s", view->holder.name, what);
}

uint32_t keeli_term_tracks(keel_term_kind kind) {
    switch (kind) {
    case KEEL_TERM_INSERTED:
    case KEEL_TERM_NOT_INSERTED:
        return KEEL_TRACK_INSERTION;
    case KEEL_TERM_MODIFIED:
    case KEEL_TERM_NOT_MODIFIED:
        return KEEL_TRACK_MODIFICATION;
    case KEEL_TERM_CHANGED:
    case KEEL_TERM_NOT_CHANGED:
        return KEEL_TRACK_INSERTION | KEEL_TRACK_MODIFICATION;
    default:
        return 0;
    }
}

// Commands name components, but borrow nothing: what they edit is edited later.
keel_result keeli_view_bind_component(keeli_view *view, const keel_term *term,
                                      const keel_component *component) {
    keel_world *world = view->world;
    if (view->storage_count == KEELI_MAX_BOUND) return bad_term(view, "too many components");
    keel_result result = KEEL_OK;
    keeli_storage *s;
    const bool to_event = keeli_term_is_event(term->kind);
    const bool to_unique = keeli_term_is_unique(term->kind) || to_event;
    if (component->is_event != to_event)
        return bad_term(view, to_event ? "KEEL_SEND and KEEL_RECEIVE take a type of events, which "
                                         "KEEL_EVENT declares"
                                       : "a type of events is only for KEEL_SEND and "
                                         "KEEL_RECEIVE");
    if (world->share_depth && component->is_unique == to_unique &&
        !keeli_storage_find(world, component))
        s = NULL; // nothing becomes known in shared mode: it matches nothing
    else if (!(s = keeli_storage_get(world, component, to_unique, &result))) return result;
    const bool is_link = s && (s == world->parents || s == world->children);
    if (is_link && keeli_term_access(term->kind) > KEEL_ACCESS_READ)
        return bad_term(view,
                        "keel_parent and keel_child can only be read; use keel_attach and so on");
    view->storages[view->storage_count++] = s;
    if (s) KEEL_TRY(keeli_track_for(world, s, keeli_term_tracks(term->kind), view->holder.name));
    if (s && term->kind != KEEL_TERM_COMMANDS &&
        !keeli_holder_want(world, &view->holder, s, keeli_term_access(term->kind)))
        return keeli_out_of_memory(world, "opening a view");
    return KEEL_OK;
}

keel_result keeli_missing_unique(keel_world *world, const char *who, const keel_component *unique) {
    return keeli_error(world, KEEL_ERROR_MISSING_UNIQUE,
                       "%s needs the unique '%s', which was never set; call keel_set_unique first",
                       who, keeli_component_name(unique));
}

keel_result keeli_view_check_uniques(const keeli_view *view, const keel_term *terms) {
    for (uint32_t t = 0; view->has_uniques && t < view->term_count; ++t) {
        const keeli_bound_term *bound = &view->terms[t];
        if (!keeli_term_is_unique(bound->kind)) continue;
        const keeli_storage *s = view->storages[bound->first];
        if (!s || !s->unique)
            return keeli_missing_unique(view->world, view->holder.name, terms[t].component);
    }
    return KEEL_OK;
}

static keel_result bind_components(keeli_view *view, const keel_term *term, uint32_t *count) {
    *count = 0;
    if (!term->component)
        return keeli_term_takes_component(term->kind) ? bad_term(view, "a term lacks its component")
                                                      : KEEL_OK;
    const keel_component *const *other = term->others;
    for (const keel_component *c = term->component; c; c = other ? *other++ : NULL) {
        KEEL_TRY(keeli_view_bind_component(view, term, c));
        if (++*count > KEEL_MAX_TERM_COMPONENTS)
            return bad_term(view, "a term names more than 8 components");
    }
    return KEEL_OK;
}

bool keeli_view_want_entities(keeli_view *view, keel_access access) {
    return keeli_holder_want(view->world, &view->holder, &view->world->entity_storage, access);
}

static keel_result bind_term(keeli_view *view, const keel_term *term, bool for_system) {
    if (is_for_systems(term->kind) && !for_system)
        return bad_term(view, "commands, context, data, events and custom views are for systems");
    if ((uint32_t)term->kind > KEEL_TERM_RECEIVE)
        return bad_term(view, "a term of an unknown kind");
    if (view->term_count == KEEL_MAX_TERMS) return bad_term(view, "more than 16 terms");
    keeli_bound_term *bound = &view->terms[view->term_count++];
    *bound = (keeli_bound_term){ .kind = term->kind,
                                 .first = view->storage_count,
                                 .name = term->name,
                                 .data_size = term->data_size };
    KEEL_TRY(bind_components(view, term, &bound->count));
    const bool is_event = keeli_term_is_event(term->kind);
    view->has_events |= is_event;
    view->sends |= term->kind == KEEL_TERM_SEND;
    view->filters_changes |= keeli_term_filters_changes(term->kind);
    view->writes |= keeli_term_writes(term->kind);
    view->marks_by_hand |= term->kind == KEEL_TERM_WRITE_MARKED;
    if (bound->count > 1 && (keeli_term_must(term->kind) || keeli_term_has_values(term->kind) ||
                             term->kind == KEEL_TERM_WITHOUT || keeli_term_is_unique(term->kind) ||
                             keeli_term_filters_changes(term->kind) || is_event))
        return bad_term(view, "only any_of and the may_ terms name several components");
    if (keeli_term_is_custom(term->kind)) ++view->custom_count;
    if (term->kind == KEEL_TERM_ENTITY) view->wants_entities = true;
    if (keeli_term_is_unique(term->kind)) view->has_uniques = true;
    if (term->kind == KEEL_TERM_DATA) view->takes_data = true;
    if (term->kind == KEEL_TERM_COMMANDS) view->records = true;
    if (term->kind == KEEL_TERM_EDIT_WORLD) view->holder.everything = true;
    const bool room =
        term->kind == KEEL_TERM_ENTITY          ? keeli_view_want_entities(view, KEEL_ACCESS_READ)
        : term->kind == KEEL_TERM_EDIT_ENTITIES ? keeli_view_want_entities(view, KEEL_ACCESS_EDIT)
                                                : true;
    return room ? KEEL_OK : keeli_out_of_memory(view->world, "opening a view");
}

static bool hands_out(keel_term_kind kind) {
    return keeli_term_has_values(kind) || keeli_term_is_unique(kind) ||
           (kind >= KEEL_TERM_MAY_READ && kind <= KEEL_TERM_MAY_EDIT);
}

static keel_result written_twice(const keeli_view *view, const keeli_storage *s) {
    return keeli_misuse(view->world, KEEL_ERROR_ARGUMENT,
                        "%s writes '%s' and names it again: the pointers could be the "
                        "same; use a KEEL_TASK with KEEL_MAY_WRITE, or name it once",
                        view->holder.name, s->component.name);
}

// Two ways to the same value, one of them for writing: the compiler may assume that there are none.
static keel_result check_aliases(const keeli_view *view) {
    for (uint32_t i = 0; i < view->term_count; ++i)
        for (uint32_t k = 0; k < i; ++k) {
            const keeli_bound_term *a = &view->terms[k], *b = &view->terms[i];
            const bool both_look_up =
                !keeli_term_has_values(a->kind) && !keeli_term_has_values(b->kind);
            if (!hands_out(a->kind) || !hands_out(b->kind) || both_look_up) continue;
            if (keeli_term_access(a->kind) == KEEL_ACCESS_READ &&
                keeli_term_access(b->kind) == KEEL_ACCESS_READ)
                continue;
            for (uint32_t x = 0; x < a->count; ++x)
                for (uint32_t y = 0; y < b->count; ++y) {
                    const keeli_storage *s = view->storages[a->first + x];
                    if (s && s == view->storages[b->first + y]) return written_twice(view, s);
                }
        }
    return KEEL_OK;
}

// The same between what the system is handed and a custom view.
static keel_result check_custom_aliases(const keeli_view *view, const keeli_bound_term *custom,
                                        const keel_custom_view *kind) {
    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keeli_bound_term *bound = &view->terms[t];
        if (!keeli_term_has_values(bound->kind) && !keeli_term_is_unique(bound->kind)) continue;
        const keeli_storage *s = view->storages[bound->first];
        for (uint32_t i = 0; s && i < custom->count; ++i) {
            if (view->storages[custom->first + i] != s) continue;
            if (keeli_term_access(bound->kind) > KEEL_ACCESS_READ ||
                keeli_custom_access(view->world, kind, s) > KEEL_ACCESS_READ)
                return written_twice(view, s);
        }
    }
    return KEEL_OK;
}

// What custom views declare comes behind the storages of all terms.
static keel_result bind_customs(keeli_view *view, const keel_term *terms) {
    for (uint32_t t = 0; t < view->term_count; ++t) {
        keeli_bound_term *bound = &view->terms[t];
        if (!keeli_term_is_custom(bound->kind)) continue;
        bound->first = view->storage_count;
        KEEL_TRY(keeli_custom_bind(view, terms[t].custom));
        bound->count = view->storage_count - bound->first;
        KEEL_TRY(check_custom_aliases(view, bound, terms[t].custom));
    }
    return KEEL_OK;
}

// Does it receive what it sends itself?
static bool receives_own(const keeli_view *view) {
    for (uint32_t i = 0; i < view->term_count; ++i)
        for (uint32_t k = 0; k < view->term_count; ++k)
            if (view->terms[i].kind == KEEL_TERM_SEND && view->terms[k].kind == KEEL_TERM_RECEIVE &&
                view->storages[view->terms[i].first] == view->storages[view->terms[k].first])
                return true;
    return false;
}

// A view that no required component leads walks the list of entities.
static bool walks_entities(const keeli_view *view) {
    bool filters = view->wants_entities;
    for (uint32_t i = 0; i < view->term_count; ++i) {
        if (keeli_term_must(view->terms[i].kind)) return false;
        if (view->terms[i].kind >= KEEL_TERM_MAYBE && view->terms[i].kind <= KEEL_TERM_ENTITY)
            filters = true;
    }
    return filters;
}

// With its context a system may ask whether any entity is alive.
static bool has_context(const keeli_view *view, const keel_system *system) {
    if (!system || system->function) return system != NULL;
    for (uint32_t i = 0; i < view->term_count; ++i)
        if (view->terms[i].kind == KEEL_TERM_CONTEXT) return true;
    return false;
}

static bool holds_edits(const keeli_holder *holder) {
    bool edits = holder->everything;
    for (uint32_t i = 0; i < holder->uses.count; ++i)
        edits |= holder->uses.items[i].access == KEEL_ACCESS_EDIT;
    return edits;
}

keel_result keeli_view_bind(keeli_view *view, const keel_term *terms, const keel_system *system) {
    if (!terms) return bad_term(view, "the list of terms is NULL");
    for (const keel_term *term = terms; term->kind != KEEL_TERM_END; ++term)
        KEEL_TRY(bind_term(view, term, system != NULL));
    KEEL_TRY(check_aliases(view));
    if (view->custom_count) KEEL_TRY(bind_customs(view, terms));
    view->asks_about_changes = view->filters_changes || view->custom_count || view->has_events ||
                               has_context(view, system);
    view->defers_events = view->sends && receives_own(view);
    view->has_events |= view->holder.everything; // it may
    if ((has_context(view, system) || walks_entities(view)) &&
        !keeli_view_want_entities(view, KEEL_ACCESS_READ))
        return keeli_out_of_memory(view->world, "opening a view");
    view->edits = holds_edits(&view->holder);
    return KEEL_OK;
}

// ------------------------------------------------------------------ public
static keel_result begin(keel_view *handle, keel_world *world, keeli_holder *inside,
                         const keeli_reader *reader, const keel_term *terms, const char *where) {
    *handle = (keel_view){ .world = world };
    keeli_view *view = keeli_view_take(world, where);
    if (!view) return KEEL_ERROR_MEMORY;
    view->holder.parent = keeli_lender(inside);
    view->thread = keeli_thread_id();
    view->reader = reader;
    keel_result result = keeli_view_bind(view, terms, NULL);
    if (result == KEEL_OK) result = keeli_view_check_uniques(view, terms);
    if (result == KEEL_OK) result = keeli_holder_open(world, &view->holder);
    if (result < 0) {
        keeli_view_give(view);
        return result;
    }
    if (inside) {
        keeli_world_lock(world);
        put_inside(view, inside);
        keeli_world_unlock(world);
    }
    handle->state = view;
    handle->serial = view->serial;
    return KEEL_OK;
}

keel_result keel_view_begin(keel_view *view, keel_world *world, const keel_term *terms,
                            const char *where) {
    if (view) *view = (keel_view){ .world = world }; // closed, whatever happens
    if (!world || !view) return keeli_no_world();
    return begin(view, world, NULL, NULL, terms, where);
}

keel_result keel_view_begin_since(keel_view *view, keel_reader *reader, const keel_term *terms,
                                  const char *where) {
    if (view) *view = (keel_view){ 0 };
    if (!reader || !view) return keeli_no_world();
    KEEL_TRY(begin(view, reader->world, NULL, &reader->reader, terms, where));
    view->state->since = reader->reader;
    view->state->reader = &view->state->since;
    return KEEL_OK;
}

keel_result keeli_view_begin_inside(keel_view *view, keel_world *world, keeli_holder *inside,
                                    const keeli_reader *reader, const keel_term *terms,
                                    const char *where) {
    return begin(view, world, inside, reader, terms, where);
}

void keeli_view_close(keeli_view *view) {
    keeli_iterators_end_of(view);
    keeli_holder_close(view->world, &view->holder);
    keeli_view_give(view);
}

keel_result keeli_view_may_end(const keeli_view *view) {
    if (!view->world->concurrent || view->thread == keeli_thread_id()) return KEEL_OK;
    return keeli_misuse(view->world, KEEL_ERROR_THREAD,
                        "view '%s' is ended in another thread than the one that began it, which "
                        "may be using it; end it there",
                        view->holder.name);
}

void keel_view_end(keel_view *view) {
    keeli_view *state = keeli_view_of(view);
    if (state && keeli_atomic_peek(&state->loops)) { // whoever of its threads asks
        (void)keeli_misuse(state->world, KEEL_ERROR_BORROWED,
                           "view '%s' is ended in a parallel loop over it; end it after the loop",
                           state->holder.name);
        return;
    }
    if (state && keeli_view_may_end(state) < 0) return;
    if (view) view->state = NULL;
    if (state) keeli_view_close(state);
}

keeli_view *keeli_view_last_inside(keel_world *world, const keeli_holder *inside) {
    keeli_view *last = NULL;
    keeli_world_lock(world);
    const bool any = !inside || inside->opened;
    for (keeli_view *view = world->views; view && any; view = view->next)
        if (view->serial && view->inside == inside && (inside || view->custom) &&
            (!last || view->serial > last->serial))
            last = view;
    keeli_world_unlock(world);
    return last;
}
