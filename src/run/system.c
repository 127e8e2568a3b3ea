// SPDX-License-Identifier: MIT
// Checks systems, binds their terms, and runs single systems (keel_run). The systems of workload
// steps are bound here, too, but run by execute.c.
//
// The bound terms of a single system are cached, with a copy of its description. They are used
// again only if the description and the storages are unchanged, in owner mode, and if no other run
// uses them; otherwise the terms are bound again.
#include "run/workers.h"

#include "edit/commands.h"
#include "follow/changes.h"
#include "world/report.h"

#include <string.h>

// ------------------------------------------------------------------ checks
static bool term_has_world(keel_term_kind kind) { return kind == KEEL_TERM_MAY_EDIT_WORLD; }

// True if the system, or a custom view that it takes, has the whole world.
static bool system_has_world(const keel_system *system) {
    for (const keel_term *t = system->terms; t->kind != KEEL_TERM_END; ++t) {
        const bool is_custom = keeli_term_is_custom(t->kind);
        if (term_has_world(t->kind))
            return true;
        if (is_custom && keeli_custom_has(t->custom, term_has_world))
            return true;
    }
    return false;
}

keel_result keeli_check_system(keel_world *world, const keel_system *system, bool is_condition) {
    bool is_whole = system && system->name && system->terms;
    if (is_whole) {
        const int bodies =
            (system->run != NULL) + (system->function != NULL) + (system->each_span != NULL);
        is_whole = bodies == 1;
    }
    if (!is_whole)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "a system needs a name, terms, and one of run, function and each_span");
    if (is_condition != (system->kind == KEEL_SYSTEM_IS_CONDITION))
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            is_condition
                                ? "run_if or skip_if of a step is the system '%s', not a condition"
                                : "'%s' is a condition; use it with .run_if",
                            system->name);
    const bool is_loop = keeli_system_is_loop(system);
    const bool is_wrong_loop = system->function && is_loop;
    const bool is_wrong_span = system->each_span && system->kind != KEEL_SYSTEM_PER_SPAN;
    if (is_wrong_loop || is_wrong_span)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "system '%s' is a plain function, so its kind is %s", system->name,
                            system->function ? "KEEL_SYSTEM_PER_RUN, or it is a condition"
                                             : "KEEL_SYSTEM_PER_SPAN");
    if (is_loop && system_has_world(system)) // its loop would not notice edits
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "system '%s' runs per entity and cannot have the whole world; only a "
                            "KEEL_SYSTEM_ONCE takes KEEL_WORLD",
                            system->name);
    return KEEL_OK;
}

// ------------------------------------------------------------------ binding
// Adds a storage to a list of at most KEELI_LOOKS storages, unless it is in the list or the list is
// full.
static void add_look(const keeli_storage **list, uint8_t *count, const keeli_storage *s) {
    for (uint32_t i = 0; i < *count; ++i)
        if (list[i] == s)
            return;
    if (*count < KEELI_LOOKS)
        list[(*count)++] = s;
}

// Sets the members of a bound system that tell cheaply that it has nothing to do. A system with
// events must run to move its readers. A system with uniques or data must run to report a missing
// unique or data of the wrong size.
static void look_at_terms(keeli_bound *bound) {
    const keeli_view *view = bound->view;
    bound->is_loop = keeli_system_is_loop(bound->system) && !view->facts.has_events;
    bound->is_mere = bound->is_loop && !view->facts.has_uniques && !view->facts.takes_data &&
                     !view->facts.custom_count;
    // Any other system could notice whether it runs in pieces: a failure ends only its piece, a
    // span ends with its piece, and each piece has a list of commands.
    bound->is_plain = bound->system->kind == KEEL_SYSTEM_PER_ENTITY && !view->facts.has_events &&
                      !view->facts.records && !view->facts.custom_count &&
                      !bound->system->terms[view->term_count].data_size;

    bound->must_count = bound->change_count = 0;
    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keeli_bound_term *term = &view->terms[t];
        if (term->kind == KEEL_TERM_CONTEXT)
            bound->is_plain = false;
        if (!keeli_term_must(term->kind))
            continue;
        const keeli_storage *s = view->storages[term->first];
        add_look(bound->must, &bound->must_count, s);
        if (keeli_term_filters_changes(term->kind))
            add_look(bound->changes, &bound->change_count, s);
    }
}

// Binds the terms of a system in a view that it acquires from the world. Returns NULL on failure,
// with the error in `*result`.
static keeli_view *bind_terms(keel_world *world, const keel_system *system, const char *name,
                              keel_result *result) {
    keeli_view *view = keeli_view_acquire(world, name);
    if (!view) {
        *result = KEEL_ERROR_MEMORY;
        return NULL;
    }
    view->holder.is_system = true;
    *result = keeli_view_bind(view, system->terms, system);
    if (*result == KEEL_OK)
        return view;
    keeli_view_release(view);
    return NULL;
}

keel_result keeli_bound_bind(keeli_bound *bound, keel_world *world, const keel_system *system,
                             const char *name) {
    keel_result result;
    keeli_view *view = bind_terms(world, system, name, &result);
    if (!view)
        return result;
    bound->view = keeli_view_duplicate(view);
    keeli_view_release(view);
    if (!bound->view)
        return keeli_out_of_memory(world, "starting a system");
    bound->system = system;
    look_at_terms(bound);
    return KEEL_OK;
}

void keeli_bound_unbind(keeli_bound *bound) {
    if (bound->view)
        keeli_view_free(bound->view);
    bound->view = NULL;
}

void keeli_bound_free(keel_world *world, keeli_bound *bound) {
    keeli_bound_unbind(bound);
    if (bound->reader) {
        keeli_reader_forget(world, bound->reader);
        KEELI_FREE(&world->heap, keeli_reader, bound->reader);
    }
    KEELI_FREE(&world->heap, keeli_reader, bound->parked);
    KEELI_RELEASE(&world->heap, &bound->reserved.list);
    KEELI_FREE(&world->heap, keeli_bound, bound);
}

// ------------------------------------------------------------------ nothing to do
bool keeli_loop_is_empty(const keeli_view *view) {
    for (uint32_t t = 0; t < view->term_count; ++t) {
        if (!keeli_term_must(view->terms[t].kind))
            continue;
        // NULL: not known to the world
        const keeli_storage *s = view->storages[view->terms[t].first];
        if (!s || !keeli_store_count(s))
            return true;
    }
    return false;
}

const keeli_storage *keeli_bound_lacks(const keeli_bound *bound) {
    for (uint32_t i = 0; i < bound->must_count; ++i) {
        const keeli_storage *s = bound->must[i];
        if (s && !keeli_store_count(s))
            return s;
    }
    return NULL;
}

bool keeli_bound_sees_nothing(const keel_world *world, const keeli_bound *bound) {
    if (!bound->reader)
        return false;
    for (uint32_t i = 0; i < bound->change_count; ++i)
        if (keeli_nothing_changed(world, bound->changes[i], bound->reader))
            return true;
    return false;
}

// ------------------------------------------------------------------ the cache of single systems
// A cached binding of a single system.
typedef struct cached_system {
    keeli_bound bound;
    bool is_busy;      // a run uses it
    uint64_t bindings; // the world's bindings, when the terms were bound
    // Copy of the system as it was checked and bound.
    keel_system was;
    keel_term terms[KEEL_MAX_TERMS];
    uint32_t used_count; // number of components and uniques that the terms name
    const keeli_storage *used[KEEL_MAX_TERMS];
    const keel_component *used_as[KEEL_MAX_TERMS];
    bool has_relations;
    const keel_component *relations[KEEL_MAX_TERMS]; // by term; NULL for terms without a relation
} cached_system;

// True if the bound terms may be cached. cached_is_current could not see a change in a list of
// components or in a custom view, nor that the memory of a component without a slot was reused for
// another component.
static bool can_cache(const keel_world *world, const keel_system *system, const keeli_view *view) {
    if (world->refused || view->holder.everything)
        return false;
    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keel_term *term = &system->terms[t];
        const bool has_list = term->others && !keeli_term_has_relation(term->kind);
        const bool is_plain = term->component && !term->component->slot;
        if (has_list || term->custom || is_plain)
            return false;
    }
    return true;
}

// True if the system is the same as when it was cached, and its components still have the same
// storages.
static bool cached_is_current(const cached_system *k, const keel_system *system) {
    const keel_term *terms = system->terms;
    if (k->was.name != system->name || k->was.kind != system->kind || k->was.run != system->run ||
        k->was.function != system->function || k->was.each_span != system->each_span)
        return false;
    for (uint32_t t = 0; t < k->bound.view->term_count; ++t)
        if (!keeli_is_same_term(&k->terms[t], &terms[t]))
            return false;
    if (k->has_relations) {
        for (uint32_t t = 0; t < k->bound.view->term_count; ++t)
            if (k->relations[t] && terms[t].others[0] != k->relations[t])
                return false;
    }
    for (uint32_t i = 0; i < k->used_count; ++i) {
        const keel_component *c = k->used_as[i];
        const keeli_storage *s = k->used[i];
        if (!c->slot || keeli_atomic_load(c->slot) != s->slot)
            return false;
        const bool is_missing = s->flags & KEELI_IS_UNIQUE && !s->unique && !s->events;
        if (is_missing)
            return false; // binding anew reports it
    }
    return terms[k->bound.view->term_count].kind == KEEL_TERM_END;
}

// Returns the cached system and marks it as busy. NULL if there is none that can be used: the terms
// must be bound.
static cached_system *acquire_cached(keel_world *world, const keel_system *system) {
    if (world->refused)
        return NULL;
    cached_system *k = keeli_pointer_find(&world->systems, system);
    if (!k || k->is_busy || k->bindings != world->registry.bindings)
        return NULL;
    if (!cached_is_current(k, system))
        return NULL;
    k->is_busy = true;
    return k;
}

// Caches the bound terms of a system, and returns the cached system in `*out`, or NULL there if the
// terms cannot be cached. False if out of memory.
static bool cache_system(keel_world *world, const keel_system *system, const keeli_view *view,
                         cached_system **out) {
    *out = NULL;
    if (!can_cache(world, system, view))
        return true;
    cached_system *k = keeli_pointer_find(&world->systems, system);
    if (k && k->is_busy)
        return true;
    if (!k) {
        if (!keeli_pointer_reserve(&world->systems, &world->heap))
            return false;
        k = KEELI_NEW(&world->heap, cached_system);
        if (!k)
            return false;
        keeli_pointer_add(&world->systems, system, k);
    }

    k->was = *system;
    k->bindings = 0; // not usable until all members are set
    keeli_bound_unbind(&k->bound);
    k->bound.system = system;
    k->bound.view = keeli_view_duplicate(view);
    if (!k->bound.view)
        return false;
    memcpy(k->terms, system->terms, view->term_count * sizeof *k->terms);
    look_at_terms(&k->bound);

    k->used_count = 0;
    k->has_relations = false;
    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keel_component *c = view->terms[t].count ? k->terms[t].component : NULL;
        const bool has_relation = keeli_term_has_relation(k->terms[t].kind);
        k->relations[t] = has_relation ? k->terms[t].others[0] : NULL;
        k->has_relations |= has_relation;
        if (!c)
            continue;
        uint32_t i = 0;
        while (i < k->used_count && k->used_as[i] != c)
            ++i;
        if (i < k->used_count)
            continue;
        k->used_as[i] = c;
        k->used[k->used_count++] = view->storages[view->terms[t].first];
    }

    k->bindings = world->registry.bindings;
    *out = k;
    return true;
}

void keeli_systems_deinit(keel_world *world) {
    for (uint32_t i = 0; i < world->systems.capacity; ++i) {
        cached_system *k = world->systems.items[i].value;
        if (!k)
            continue;
        keeli_bound_unbind(&k->bound);
        KEELI_FREE(&world->heap, cached_system, k);
    }
    keeli_pointer_table_deinit(&world->systems, &world->heap);
}

// True if the system need not run, because it is a loop over nothing and has no other effect. If
// that is because nothing changed since its last run, ticks advance as if it had run.
static bool cached_is_idle(keel_world *world, cached_system *k) {
    keeli_bound *bound = &k->bound;
    if (!bound->is_mere || world->access.holders)
        return false;
    if (keeli_bound_lacks(bound))
        return true;
    if (!bound->change_count)
        return false;
    if (!bound->reader)
        bound->reader = keeli_system_reader_get(world, bound->system);
    if (!keeli_bound_sees_nothing(world, bound))
        return false;

    bound->reader->last = world->changes.tick;
    keeli_tick_advance(world);
    return true;
}

// ------------------------------------------------------------------ running a single system
const keel_run_desc keeli_plain_run = { 0 };

// Binds the terms of a system, caches them, and runs the system. An idle system is skipped, as it
// is with cached terms: the result of a run must not depend on the cache.
static keel_result run_anew(keel_context *context) {
    keel_world *world = context->in.world;
    cached_system *k;
    keel_result result;
    keeli_bound bound = { .system = context->system };
    bound.view = bind_terms(world, context->system, context->system->name, &result);
    if (!bound.view)
        return result;
    if (!cache_system(world, context->system, bound.view, &k)) {
        result = keeli_out_of_memory(world, "starting a system");
    } else {
        const bool is_idle = k && cached_is_idle(world, k);
        if (!is_idle)
            result = keeli_run_bound(context, &bound);
    }
    keeli_view_release(bound.view);
    return result;
}

// Runs a single system, and applies its commands. `k`: the cached system, marked as busy; or NULL.
static __attribute__((noinline)) keel_result run_here(keel_world *world, const keel_system *system,
                                                      const keel_run_desc *desc, cached_system *k) {
    keel_context context;
    keeli_worker spare;
    keel_result result;
    keeli_context_init(&context, world, system, keeli_worker_begin(world, &spare));
    keeli_first_error first, *const outer = context.worker->first;
    if (desc)
        context.run = desc;
    context.splits = context.run->parallel;
    if (context.splits)
        keeli_errors_collect(context.worker, &first);
    if (!k) {
        result = run_anew(&context);
    } else {
        keeli_context_set_view(&context, k->bound.view);
        // without .parallel keel_run_system has checked this already
        const bool is_idle = context.splits && cached_is_idle(world, k);
        result = is_idle ? KEEL_OK : keeli_run_bound(&context, &k->bound);
        k->is_busy = false;
    }

    if (context.commands && result < 0)
        keeli_commands_discard(world, context.commands);
    else if (context.commands) {
        keeli_commands_close(context.commands);
        keeli_commands_submit(world, context.commands);
    }

    context.worker->first = outer;
    if (context.splits)
        keeli_error_hand_over(world, &first.error);
    keeli_worker_end(world, context.worker);
    keeli_context_end(&context);
    const keel_result applied = keeli_commands_flush(world);
    keeli_events_flush(world);
    return result < 0 ? result : applied;
}

// Runs a system with .parallel.
static keel_result run_split(keel_world *world, const keel_system *system,
                             const keel_run_desc *desc) {
    KEEL_TRY(keeli_check_system(world, system, false));
    KEEL_TRY(keeli_check_split(world, system));
    keeli_workers_count_memory(world, 0);
    const keel_result result = run_here(world, system, desc, acquire_cached(world, system));
    keeli_workers_preallocate(world, 1);
    return result;
}

keel_result keel_run_system(keel_world *world, const keel_system *system,
                            const keel_run_desc *desc) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    if (keeli_is_in_allocator(world))
        return keeli_world_is_editable(world);
    KEEL_TRY(keeli_commands_flush(world));
    if (desc && desc->parallel)
        return run_split(world, system, desc);

    cached_system *k = acquire_cached(world, system);
    if (!k)
        KEEL_TRY(keeli_check_system(world, system, false));
    if (k && cached_is_idle(world, k)) {
        k->is_busy = false;
        return KEEL_OK;
    }
    return run_here(world, system, desc, k);
}
