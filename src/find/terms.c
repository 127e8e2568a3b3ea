// SPDX-License-Identifier: MIT
// Binds the terms of views, systems and custom views: checks them, resolves their components to
// storages, and collects the borrows that the holder needs. This neither borrows nor makes plans.
// Opening a view (view.c) and making a system or custom view (src/run/) call it.
#include "find/relation.h"
#include "find/view.h"
#include "follow/changes.h"
#include "world/registry.h"
#include "world/report.h"

keel_access keeli_term_access(keel_term_kind kind) {
    if (kind == KEEL_TERM_EDIT || kind == KEEL_TERM_MAY_EDIT)
        return KEEL_ACCESS_EDIT;
    const bool writes = keeli_term_writes(kind) || kind == KEEL_TERM_MAY_WRITE ||
                        kind == KEEL_TERM_UNIQUE_WRITE || kind == KEEL_TERM_SEND;
    return writes ? KEEL_ACCESS_WRITE : KEEL_ACCESS_READ;
}

static bool is_for_systems(keel_term_kind kind) {
    return kind == KEEL_TERM_COMMANDS || kind == KEEL_TERM_CONTEXT || kind == KEEL_TERM_DATA ||
           keeli_term_is_custom(kind) || keeli_term_is_event(kind);
}

static bool names_component(keel_term_kind kind) {
    return keeli_term_is_walked(kind) ||
           (kind >= KEEL_TERM_MAY_READ && kind <= KEEL_TERM_MAY_EDIT) ||
           keeli_term_is_unique(kind) || keeli_term_is_event(kind);
}

static keel_result bad_term(const keeli_view *view, const char *what) {
    return keeli_misuse(view->world, KEEL_ERROR_ARGUMENT, "%s: %s", view->holder.name, what);
}

uint32_t keeli_term_tracks(keel_term_kind kind) {
    if (kind == KEEL_TERM_CHANGED_UP)
        return KEEL_TRACK_INSERTION | KEEL_TRACK_MODIFICATION;
    if (!keeli_term_filters_changes(kind))
        return 0;
    const bool inserted = kind == KEEL_TERM_INSERTED || kind == KEEL_TERM_NOT_INSERTED;
    const bool modified = kind == KEEL_TERM_MODIFIED || kind == KEEL_TERM_NOT_MODIFIED;
    return (modified ? 0u : KEEL_TRACK_INSERTION) | (inserted ? 0u : KEEL_TRACK_MODIFICATION);
}

static keel_result want(keeli_view *view, keeli_storage *s, keel_access access) {
    if (keeli_holder_want(view->world, &view->holder, s, access))
        return KEEL_OK;
    return keeli_out_of_memory(view->world, "opening a view");
}

static keel_result want_entities(keeli_view *view, keel_access access) {
    return want(view, &view->world->stand_in.entities, access);
}

// KEEL_TARGETED: replaces `*s`, the storage of a relation's sources, by the storage of its targets,
// and borrows the sources to read.
static keel_result bind_targets(keeli_view *view, const keel_term *term, keeli_storage **s) {
    keel_world *world = view->world;
    if (!*s)
        return KEEL_OK;
    if (!(*s)->relation)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "%s: '%s' is no relation; declare it with KEEL_RELATION",
                            view->holder.name, keeli_component_name(term->component));
    KEEL_TRY(want(view, *s, KEEL_ACCESS_READ));
    *s = (*s)->relation->targets;
    return KEEL_OK;
}

// Returns an error if a term about events names a component, or another term names events.
static keel_result check_event(const keeli_view *view, const keel_term *term,
                               const keel_component *component) {
    const bool to_event = keeli_term_is_event(term->kind);
    if (component->is_event == to_event)
        return KEEL_OK;
    return bad_term(view, to_event ? "KEEL_SEND and KEEL_RECEIVE take a type of events, which "
                                     "KEEL_EVENT declares"
                                   : "a type of events is only for KEEL_SEND and "
                                     "KEEL_RECEIVE");
}

// Returns an error if the term has more than read access to links or names, which only their own
// verbs may write. Values of relations may be written, and KEEL_MAY_EDIT may declare an edit of a
// relation.
static keel_result check_link(const keeli_view *view, const keeli_storage *s, keel_access access) {
    if (!(s->flags & KEELI_IS_LINK) || access <= KEEL_ACCESS_READ)
        return KEEL_OK;

    const bool is_child = s->relation == view->world->relations.child;
    const bool has_values = keeli_store_is_valued(s) || keeli_store_has_edge_values(s);
    const bool is_edited_by_verbs =
        s->relation && !is_child && (access != KEEL_ACCESS_WRITE || has_values);
    if (is_edited_by_verbs)
        return KEEL_OK;
    if (is_child)
        return bad_term(view, "keel_child can only be read; use keel_attach and keel_detach");
    if (s->relation)
        return bad_term(view, "a relation has no values to be written; use keel_relate and "
                              "keel_unrelate, and KEEL_MAY_EDIT to declare it");
    if (access == KEEL_ACCESS_WRITE)
        return bad_term(view, "keel_name cannot be written; use keel_set_name");
    return KEEL_OK;
}

// Resolves a component of a term to its storage, and adds the borrow of the storage to the holder.
// Commands borrow nothing, as their edits happen after the system.
static keel_result bind_component(keeli_view *view, const keel_term *term,
                                  const keel_component *component) {
    const bool is_relation = keeli_term_has_relation(term->kind) && component != term->component;
    keel_world *world = view->world;
    if (view->storage_count == KEELI_MAX_BOUND)
        return bad_term(view, "too many components");
    KEEL_TRY(check_event(view, term, component));

    // While edits are refused, as by a running workload, no component can be registered. A view
    // treats a component that the world does not know as one that no entity has.
    const bool to_unique = keeli_term_is_unique(term->kind) || keeli_term_is_event(term->kind);
    const bool stays_unknown = world->refused && component->is_unique == to_unique &&
                               !keeli_storage_find(world, component);
    keeli_storage *s = NULL;
    if (!stays_unknown) {
        keel_result result = KEEL_OK;
        s = keeli_storage_get(world, component, to_unique, &result);
        if (!s)
            return result;
    }

    const keel_access access = is_relation ? KEEL_ACCESS_READ : keeli_term_access(term->kind);
    if (s && keeli_store_has_edge_values(s) && !is_relation && keeli_term_has_values(term->kind))
        return bad_term(view, "a relation to many has a value for each target and none for the "
                              "source; use KEEL_WITH, and KEEL_EACH_TARGET or keel_get_related");
    if (s)
        KEEL_TRY(check_link(view, s, access));

    if (term->kind == KEEL_TERM_TARGETED)
        KEEL_TRY(bind_targets(view, term, &s));
    view->storages[view->storage_count++] = s;
    const uint32_t tracks = is_relation ? 0 : keeli_term_tracks(term->kind);
    if (s)
        KEEL_TRY(keeli_track_for(world, s, tracks, view->holder.name));
    if (!s || term->kind == KEEL_TERM_COMMANDS || keeli_store_has_sources(s))
        return KEEL_OK;
    return want(view, s, access);
}

static keel_result missing_unique(keel_world *world, const char *who,
                                  const keel_component *unique) {
    return keeli_error(world, KEEL_ERROR_MISSING_UNIQUE,
                       "%s needs the unique '%s', which is not set; call keel_set_unique first",
                       who, keeli_component_name(unique));
}

keel_result keeli_view_check_uniques(const keeli_view *view, const keel_term *terms) {
    if (!view->facts.has_uniques)
        return KEEL_OK;
    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keeli_bound_term *bound = &view->terms[t];
        if (!keeli_term_is_unique(bound->kind))
            continue;
        const keeli_storage *s = view->storages[bound->first];
        if (!s || !s->unique)
            return missing_unique(view->world, view->holder.name, terms[t].component);
    }
    return KEEL_OK;
}

// Binds all components of a term. Sets `*count` to their number. If the term names too many, stops
// at KEEL_MAX_TERM_COMPONENTS + 1, for which the caller reports an error.
static keel_result bind_components(keeli_view *view, const keel_term *term, uint32_t *count) {
    const keel_component *const *other = term->others;
    *count = 0;
    for (const keel_component *c = term->component; c; c = other ? *other++ : NULL) {
        if (++*count > KEEL_MAX_TERM_COMPONENTS)
            return KEEL_OK;
        KEEL_TRY(bind_component(view, term, c));
    }
    return KEEL_OK;
}

static const keel_entity no_handles; // an empty list of handles

// Returns an error unless the term can use the relation. All terms but KEEL_RELATED need an
// exclusive relation. Terms that follow the relation over several levels need an acyclic one.
static keel_result check_relation(const keeli_view *view, const keel_component *relation,
                                  keel_term_kind kind) {
    const bool climbs = kind != KEEL_TERM_OF_TARGET_READ && kind != KEEL_TERM_OF_TARGET_WRITE &&
                        kind != KEEL_TERM_OF_TARGET_OPTIONAL_READ;
    const bool needs_exclusive = kind != KEEL_TERM_RELATED;
    const bool needs_acyclic = needs_exclusive && climbs; // an acyclic relation is exclusive
    const char *what = NULL;
    if (!relation->is_relation) {
        what = "no relation; declare it with KEEL_RELATION";
    } else if (needs_acyclic && !relation->acyclic) {
        what = relation->exclusive ? "not .acyclic, and the term needs a relation that leads to an "
                                     "end: declare it with .exclusive = true, .acyclic = true"
                                   : "not .exclusive and not .acyclic, and the term needs a "
                                     "relation with one target at most that leads to an end: "
                                     "declare it with .exclusive = true, .acyclic = true";
    } else if (needs_exclusive && !relation->exclusive) {
        what = "not .exclusive, and the term needs a relation with one target at most";
    }
    if (!what)
        return KEEL_OK;
    return keeli_misuse(view->world, KEEL_ERROR_ARGUMENT, "%s: '%s' is %s", view->holder.name,
                        keeli_component_name(relation), what);
}

// Checks the relation of a term, which is the last component that the term names.
static keel_result check_relations(const keeli_view *view, const keel_term *term, uint32_t count) {
    const bool has_relation = keeli_term_has_relation(term->kind);
    const bool is_alone = term->kind == KEEL_TERM_TARGETS_FIRST ||
                          term->kind == KEEL_TERM_TARGETED || term->kind == KEEL_TERM_RELATED;
    if (!has_relation && !is_alone)
        return KEEL_OK;
    if (count != (has_relation ? 2 : 1))
        return bad_term(view, has_relation ? "KEEL_OF_TARGET, KEEL_UP and KEEL_CHANGED_UP name one "
                                             "relation and one component"
                                           : "KEEL_TARGETS_FIRST, KEEL_TARGETED and KEEL_RELATED "
                                             "name one relation");
    if (term->kind == KEEL_TERM_CHANGED_UP && view->facts.is_changed_up)
        return bad_term(view, "more than one KEEL_CHANGED_UP");
    if (term->kind == KEEL_TERM_TARGETED)
        return KEEL_OK; // bind_targets has checked it
    return check_relation(view, term->others ? term->others[0] : term->component, term->kind);
}

// True if KEEL_TARGETS_FIRST of the view names the relation of the term.
static bool is_in_order(const keeli_view *view, const keeli_bound_term *through) {
    return view->facts.is_targets_first &&
           view->storages[through->first + 1] == view->facts.targets_first;
}

static void gather_facts(keeli_view *view, const keel_term *term) {
    keeli_view_facts *facts = &view->facts;
    const bool is_among = term->kind == KEEL_TERM_AMONG;
    const bool is_first = term->kind == KEEL_TERM_TARGETS_FIRST;
    facts->is_targets_first |= is_first;
    if (is_first)
        facts->targets_first = view->storages[view->storage_count - 1];
    if (term->kind == KEEL_TERM_RELATED)
        facts->related_to = *(const keel_entity *)term->custom;
    facts->is_listed |= is_among || term->kind == KEEL_TERM_BACKWARDS;
    facts->is_backwards |= term->kind == KEEL_TERM_BACKWARDS;
    if (is_among)
        facts->among = term->custom ? term->custom : &no_handles;
    if (is_among)
        facts->among_count = term->data_size;
    facts->has_events |= keeli_term_is_event(term->kind);
    facts->sends |= term->kind == KEEL_TERM_SEND;
    facts->is_changed_up |= term->kind == KEEL_TERM_CHANGED_UP;
    facts->filters_changes |= keeli_term_filters_changes(term->kind) || facts->is_changed_up;
    facts->writes |= keeli_term_writes(term->kind);
    facts->marks_by_hand |= term->kind == KEEL_TERM_WRITE_MARKED;
    facts->custom_count += keeli_term_is_custom(term->kind);
    facts->wants_entities |= term->kind == KEEL_TERM_ENTITY;
    facts->has_uniques |= keeli_term_is_unique(term->kind);
    facts->takes_data |= term->kind == KEEL_TERM_DATA;
    facts->records |= term->kind == KEEL_TERM_COMMANDS;
    view->holder.everything |= term->kind == KEEL_TERM_MAY_EDIT_WORLD;
}

// Returns an error if this kind of term is not allowed in a system, or outside of systems.
static keel_result check_kind_of_term(const keeli_view *view, keel_term_kind kind,
                                      bool for_system) {
    if (is_for_systems(kind) && !for_system)
        return bad_term(view, "commands, context, data, events and custom views are for systems");
    if ((uint32_t)kind > KEEL_TERM_RELATED)
        return bad_term(view, "a term of an unknown kind");
    if (kind >= KEEL_TERM_AMONG && for_system)
        return bad_term(view,
                        "KEEL_AMONG, KEEL_BACKWARDS and KEEL_RELATED are for loops and views");
    if (view->term_count == KEEL_MAX_TERMS)
        return bad_term(view, "more than 16 terms");
    return KEEL_OK;
}

// Returns an error if the term and a term before it both choose the leader, or if a KEEL_AMONG has
// no list or a KEEL_RELATED no target.
static keel_result check_leading(keeli_view *view, const keel_term *term) {
    const bool is_among = term->kind == KEEL_TERM_AMONG;
    const bool is_related = term->kind == KEEL_TERM_RELATED;
    const bool leads = is_among || is_related || term->kind == KEEL_TERM_TARGETS_FIRST ||
                       keeli_term_leads(term->kind, term->data_size);
    if (leads && view->facts.has_leading)
        return bad_term(
            view, "more than one KEEL_LEADING, KEEL_AMONG, KEEL_RELATED or KEEL_TARGETS_FIRST");
    if (is_among && !term->custom && term->data_size)
        return bad_term(view, "the list of a KEEL_AMONG is NULL");
    if (is_related && !term->custom)
        return bad_term(view, "the target of a KEEL_RELATED is NULL");
    view->facts.has_leading |= leads;
    return KEEL_OK;
}

// True if a term of this kind names only one component, not counting its relation.
static bool names_one(keel_term_kind kind) {
    return keeli_term_must(kind) || keeli_term_has_own_values(kind) || kind == KEEL_TERM_WITHOUT ||
           keeli_term_is_unique(kind) || keeli_term_filters_changes(kind) ||
           keeli_term_is_event(kind);
}

// Checks a term, and binds its components. bind_customs binds the terms of custom views later.
static keel_result bind_term(keeli_view *view, const keel_term *term, bool for_system) {
    KEEL_TRY(check_kind_of_term(view, term->kind, for_system));

    keeli_bound_term *bound = &view->terms[view->term_count++];
    *bound = (keeli_bound_term){ .kind = term->kind,
                                 .first = view->storage_count,
                                 .name = term->name,
                                 .data_size = term->data_size };
    if (names_component(term->kind) && !term->component)
        return bad_term(view, "a term lacks its component");
    KEEL_TRY(bind_components(view, term, &bound->count));
    if (bound->count > KEEL_MAX_TERM_COMPONENTS)
        return bad_term(view, "a term names more than 8 components");
    KEEL_TRY(check_relations(view, term, bound->count));
    KEEL_TRY(check_leading(view, term));
    gather_facts(view, term);
    if (bound->count > 1 && names_one(term->kind))
        return bad_term(view, "only KEEL_ANY_OF and the KEEL_MAY_* terms can name several "
                              "components; use a term for each");

    // KEEL_ENTITY of a loop or view does not borrow the list of entities: entities that have a
    // component are alive, even if others are created or deleted meanwhile. If no component leads,
    // borrows_entities adds the borrow.
    if (term->kind == KEEL_TERM_ENTITY && for_system)
        return want_entities(view, KEEL_ACCESS_READ);
    if (term->kind == KEEL_TERM_MAY_EDIT_ENTITIES)
        return want_entities(view, KEEL_ACCESS_EDIT);
    return KEEL_OK;
}

static bool hands_out(keel_term_kind kind) {
    return keeli_term_has_values(kind) || keeli_term_is_unique(kind) ||
           (kind >= KEEL_TERM_MAY_READ && kind <= KEEL_TERM_MAY_EDIT);
}

// ------------------------------------------------------------------ custom views
// Returns the highest access of a custom view to a storage. The depth is limited, because a custom
// view that was not checked yet may contain itself.
static keel_access access_to(const keel_world *world, const keel_custom_view *kind,
                             const keeli_storage *s, uint32_t depth) {
    keel_access most = KEEL_ACCESS_NONE;
    if (depth == KEEL_MAX_CUSTOM_DEPTH)
        return most;
    for (const keel_term *t = kind->terms; t->kind != KEEL_TERM_END; ++t) {
        keel_access access = KEEL_ACCESS_NONE;
        if (keeli_term_is_custom(t->kind))
            access = access_to(world, t->custom, s, depth + 1);
        const keel_component *const *other = t->others;
        for (const keel_component *c = t->component; c; c = other ? *other++ : NULL)
            if (keeli_storage_find(world, c) == s)
                access = keeli_term_access(t->kind);
        if (access > most)
            most = access;
    }
    return most;
}

static bool custom_has(const keel_custom_view *kind, bool (*like)(keel_term_kind kind),
                       uint32_t depth) {
    if (!kind || !kind->terms || depth == KEEL_MAX_CUSTOM_DEPTH)
        return false;
    for (const keel_term *t = kind->terms; t->kind != KEEL_TERM_END; ++t)
        if (like(t->kind) ||
            (keeli_term_is_custom(t->kind) && custom_has(t->custom, like, depth + 1)))
            return true;
    return false;
}

bool keeli_custom_has(const keel_custom_view *kind, bool (*like)(keel_term_kind kind)) {
    return custom_has(kind, like, 0);
}

static keel_result bad_kind(const keeli_view *view, const keel_custom_view *kind,
                            const char *what) {
    return keeli_misuse(view->world, KEEL_ERROR_ARGUMENT, "custom view '%s' of %s %s",
                        kind && kind->name ? kind->name : "without a name", view->holder.name,
                        what);
}

static keel_result check_kind(const keeli_view *view, const keel_custom_view *kind) {
    if (!kind)
        return bad_kind(view, kind, "is NULL: the term lacks its descriptor");
    const bool is_power_of_two = kind->align && (kind->align & (kind->align - 1)) == 0;
    if (!kind->name || !kind->terms || !kind->size || !is_power_of_two)
        return bad_kind(view, kind, "needs a name, terms, a size and an alignment");
    return KEEL_OK;
}

static keel_result bind_custom_term(keeli_view *view, const keel_custom_view *kind,
                                    const keel_term *term) {
    const bool is_for_loops = term->kind >= KEEL_TERM_AMONG;
    if ((uint32_t)term->kind > KEEL_TERM_UNIQUE_WRITE)
        return bad_kind(
            view, kind,
            is_for_loops ? "declares KEEL_AMONG, KEEL_BACKWARDS or KEEL_RELATED, which are for "
                           "loops and views"
                         : "declares commands, context, data or events, which only systems have");
    if (names_component(term->kind) && !term->component)
        return bad_kind(view, kind, "has a term that lacks its component");
    uint32_t count;
    KEEL_TRY(bind_components(view, term, &count));
    if (count > KEEL_MAX_TERM_COMPONENTS)
        return bad_kind(view, kind, "has a term that names more than 8 components");
    if (term->kind == KEEL_TERM_MAY_EDIT_WORLD)
        view->holder.everything = true;
    if (term->kind == KEEL_TERM_MAY_EDIT_ENTITIES)
        return want_entities(view, KEEL_ACCESS_EDIT);
    return KEEL_OK;
}

static keel_result bind_custom(keeli_view *view, const keel_custom_view *kind, uint32_t depth) {
    KEEL_TRY(check_kind(view, kind));
    if (depth == KEEL_MAX_CUSTOM_DEPTH)
        return keeli_misuse(view->world, KEEL_ERROR_CYCLE,
                            "custom view '%s' contains itself, or more than %d contain each other",
                            kind->name, KEEL_MAX_CUSTOM_DEPTH);
    for (const keel_term *t = kind->terms; t->kind != KEEL_TERM_END; ++t) {
        if (keeli_term_is_custom(t->kind))
            KEEL_TRY(bind_custom(view, t->custom, depth + 1));
        else
            KEEL_TRY(bind_custom_term(view, kind, t));
    }
    return KEEL_OK;
}

static bool is_about_entities(keel_term_kind kind) {
    return kind >= KEEL_TERM_OPTIONAL_READ && kind <= KEEL_TERM_ENTITY;
}

// A custom view in a system borrows the list of entities, as its code may ask which entities are
// alive. A custom view in the world borrows it only if it has terms about entities, so that
// otherwise entities can be created while it is open.
keel_result keeli_custom_bind(keeli_view *view, const keel_custom_view *kind) {
    KEEL_TRY(bind_custom(view, kind, 0));
    const bool in_system = view->holder.is_system || view->holder.parent;
    if (!in_system && !keeli_custom_has(kind, is_about_entities))
        return KEEL_OK;
    return want_entities(view, KEEL_ACCESS_READ);
}

keel_result keeli_custom_check_uniques(keel_world *world, const keel_custom_view *kind) {
    for (const keel_term *t = kind->terms; t->kind != KEEL_TERM_END; ++t) {
        if (!keeli_term_is_unique(t->kind))
            continue;
        const keeli_storage *s = keeli_storage_find(world, t->component);
        if (!s || !s->unique)
            return missing_unique(world, kind->name, t->component);
    }
    return KEEL_OK;
}

keeli_view *keeli_custom_find(keel_world *world, const void *value, const keeli_holder *inside) {
    keeli_world_lock(world);
    keeli_view *view = world->views.all;
    for (; view; view = view->next) {
        const bool is_open_custom = view->holder.serial && view->custom;
        if (is_open_custom && view->value == value && view->inside == inside)
            break;
    }
    keeli_world_unlock(world);
    return view;
}

// ------------------------------------------------------------------ all terms of a view
static keel_result written_twice(const keeli_view *view, const keeli_storage *s) {
    return keeli_misuse(view->world, KEEL_ERROR_ARGUMENT,
                        "%s writes '%s' and names it again: the pointers could be the "
                        "same; use a KEEL_SYSTEM_ONCE with KEEL_MAY_WRITE, or name it once",
                        view->holder.name, s->component.name);
}

// Reports that a term hands out a value through a relation, and another term hands out values of
// the same component, and one of the two writes them.
static keel_result depends_on_order(const keeli_view *view, const keeli_bound_term *through,
                                    const keeli_storage *s) {
    const char *relation = view->storages[through->first + 1]->component.name;
    if (through->kind == KEEL_TERM_OF_TARGET_WRITE)
        return keeli_misuse(view->world, KEEL_ERROR_ARGUMENT,
                            "%s writes '%s' through '%s' and names it again: the values it reads "
                            "would depend on the order of the entities; remove one of the two "
                            "terms",
                            view->holder.name, s->component.name, relation);
    return keeli_misuse(view->world, KEEL_ERROR_ARGUMENT,
                        "%s writes '%s' and reads it through '%s': what it reads would depend on "
                        "the order of the entities; %s KEEL_TARGETS_FIRST(%s), so that targets "
                        "come first",
                        view->holder.name, s->component.name, relation,
                        view->facts.is_backwards ? "leave out KEEL_BACKWARDS and have" : "add",
                        relation);
}

// Returns how many of a term's components have values that the term hands out. The relation, which
// comes last, has none.
static uint32_t count_handed_out(const keeli_bound_term *term) {
    return keeli_term_is_through(term->kind) ? 1 : term->count;
}

// True if `through` reads values of targets that `own` has written before: KEEL_TARGETS_FIRST
// visits each target before its sources, so this pair of terms is allowed.
static bool is_before_its_sources(const keeli_view *view, const keeli_bound_term *through,
                                  const keeli_bound_term *own) {
    return keeli_term_is_through(through->kind) && through->kind != KEEL_TERM_OF_TARGET_WRITE &&
           keeli_term_has_own_values(own->kind) && is_in_order(view, through) &&
           !view->facts.is_backwards;
}

// Returns an error if two terms hand out the same value, and one of them writes it.
static keel_result check_pair(const keeli_view *view, const keeli_bound_term *a,
                              const keeli_bound_term *b) {
    const bool both_look_up = !keeli_term_has_values(a->kind) && !keeli_term_has_values(b->kind);
    if (!hands_out(a->kind) || !hands_out(b->kind) || both_look_up)
        return KEEL_OK;
    if (is_before_its_sources(view, a, b) || is_before_its_sources(view, b, a))
        return KEEL_OK;
    if (keeli_term_access(a->kind) == KEEL_ACCESS_READ &&
        keeli_term_access(b->kind) == KEEL_ACCESS_READ)
        return KEEL_OK;

    for (uint32_t x = 0; x < count_handed_out(a); ++x) {
        for (uint32_t y = 0; y < count_handed_out(b); ++y) {
            const keeli_storage *s = view->storages[a->first + x];
            if (!s || s != view->storages[b->first + y])
                continue;
            if (keeli_term_is_through(a->kind) && keeli_term_has_values(b->kind))
                return depends_on_order(view, a, s);
            if (keeli_term_is_through(b->kind) && keeli_term_has_values(a->kind))
                return depends_on_order(view, b, s);
            return written_twice(view, s);
        }
    }
    return KEEL_OK;
}

// Checks all pairs of terms. The functions of loops get `restrict` pointers, so no two terms may
// hand out the same value if one of them writes it.
static keel_result check_aliases(const keeli_view *view) {
    for (uint32_t i = 0; i < view->term_count; ++i)
        for (uint32_t k = 0; k < i; ++k)
            KEEL_TRY(check_pair(view, &view->terms[k], &view->terms[i]));
    return KEEL_OK;
}

// Returns an error if a term and a custom view both access a component, and one of them writes it.
static keel_result check_custom_aliases(const keeli_view *view, const keeli_bound_term *custom,
                                        const keel_custom_view *kind) {
    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keeli_bound_term *bound = &view->terms[t];
        if (!keeli_term_has_values(bound->kind) && !keeli_term_is_unique(bound->kind))
            continue;
        const keeli_storage *s = view->storages[bound->first];
        if (!s)
            continue;
        for (uint32_t i = 0; i < custom->count; ++i) {
            if (view->storages[custom->first + i] != s)
                continue;
            if (keeli_term_access(bound->kind) > KEEL_ACCESS_READ ||
                access_to(view->world, kind, s, 0) > KEEL_ACCESS_READ)
                return written_twice(view, s);
        }
    }
    return KEEL_OK;
}

// Binds the terms of the view's custom views, and adds their storages behind those of all other
// terms.
static keel_result bind_customs(keeli_view *view, const keel_term *terms) {
    for (uint32_t t = 0; t < view->term_count; ++t) {
        keeli_bound_term *bound = &view->terms[t];
        if (!keeli_term_is_custom(bound->kind))
            continue;
        bound->first = view->storage_count;
        KEEL_TRY(keeli_custom_bind(view, terms[t].custom));
        bound->count = view->storage_count - bound->first;
        KEEL_TRY(check_custom_aliases(view, bound, terms[t].custom));
    }
    return KEEL_OK;
}

// True if the system receives events of a type that it sends itself.
static bool receives_own(const keeli_view *view) {
    for (uint32_t i = 0; i < view->term_count; ++i) {
        const keeli_bound_term *sent = &view->terms[i];
        if (sent->kind != KEEL_TERM_SEND)
            continue;
        for (uint32_t k = 0; k < view->term_count; ++k) {
            const keeli_bound_term *other = &view->terms[k];
            if (other->kind == KEEL_TERM_RECEIVE &&
                view->storages[other->first] == view->storages[sent->first])
                return true;
        }
    }
    return false;
}

// True if the view may visit all living entities, because no component is required. False for a
// view that is opened only to access components or uniques, unless it is a system's loop: borrowing
// the list of entities would prevent the creation of entities while the view is open.
static bool borrows_entities(const keeli_view *view, const keel_system *system) {
    bool filters = view->facts.wants_entities || !view->term_count ||
                   (system && system->kind <= KEEL_SYSTEM_PER_SPAN);
    for (uint32_t i = 0; i < view->term_count; ++i) {
        const keel_term_kind kind = view->terms[i].kind;
        const bool needs_target = keeli_term_is_through(kind) && !keeli_term_may_lack(kind);
        if (keeli_term_must(kind) || needs_target)
            return false;
        filters |= is_about_entities(kind) || kind >= KEEL_TERM_AMONG;
    }
    return filters;
}

// True if the system gets a context, by which it may ask whether an entity is alive.
static bool has_context(const keeli_view *view, const keel_system *system) {
    if (!system || !system->run)
        return system != NULL;
    for (uint32_t i = 0; i < view->term_count; ++i)
        if (view->terms[i].kind == KEEL_TERM_CONTEXT)
            return true;
    return false;
}

static bool holds_edits(const keeli_holder *holder) {
    bool edits = holder->everything;
    for (uint32_t i = 0; i < holder->uses.count; ++i)
        edits |= holder->uses.items[i].access == KEEL_ACCESS_EDIT;
    return edits;
}

static keel_result check_changed_up(const keeli_view *view) {
    for (uint32_t t = 0; t < view->term_count; ++t) {
        if (view->terms[t].kind != KEEL_TERM_CHANGED_UP)
            continue;
        if (!is_in_order(view, &view->terms[t]) || view->facts.is_backwards)
            return bad_term(view, "KEEL_CHANGED_UP needs KEEL_TARGETS_FIRST of its relation beside "
                                  "it, and no KEEL_BACKWARDS");
    }
    return KEEL_OK;
}

keel_result keeli_view_bind(keeli_view *view, const keel_term *terms, const keel_system *system) {
    if (!terms)
        return bad_term(view, "the list of terms is NULL");
    for (const keel_term *term = terms; term->kind != KEEL_TERM_END; ++term)
        KEEL_TRY(bind_term(view, term, system != NULL));

    keeli_view_facts *facts = &view->facts;
    if (facts->is_changed_up)
        KEEL_TRY(check_changed_up(view));
    KEEL_TRY(check_aliases(view));
    if (facts->custom_count)
        KEEL_TRY(bind_customs(view, terms));

    const bool gets_context = has_context(view, system);
    facts->asks_about_changes =
        facts->filters_changes || facts->custom_count || facts->has_events || gets_context;
    facts->defers_events = facts->sends && receives_own(view);
    facts->has_events |= view->holder.everything; // KEEL_MAY_EDIT_WORLD allows events of all types
    if (gets_context || borrows_entities(view, system))
        KEEL_TRY(want_entities(view, KEEL_ACCESS_READ));
    facts->edits = holds_edits(&view->holder);
    return KEEL_OK;
}
