// SPDX-License-Identifier: MIT
// Tells why the system of a step would not visit an entity if it ran now (keel_step_why), and how
// many entities each of its terms leaves (keel_step_counts). It binds the terms to a view of its
// own with a copy of the system's reader, so that no period begins, and calls nothing of the user.
#include "run/workers.h"
#include "tell/why.h"
#include "world/registry.h"
#include "world/report.h"
#include "world/storage.h"

#include <stdio.h>

// ------------------------------------------------------------------ the step
// Returns the node of the system at a position of the list of steps, or NULL.
static keeli_node *step_at(const keeli_schedule *s, uint32_t position) {
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        keeli_node *node = &s->nodes.items[i];
        if (node->kind == KEEL_NODE_SYSTEM && node->place == position)
            return node;
    }
    return NULL;
}

// True if a run uses another schedule of the workload: a system with the whole world asks about the
// workload that it runs in.
static bool step_is_running(const keeli_schedule *s) {
    for (const keeli_schedule *o = keeli_schedules_beside(s); o; o = o->next)
        if (o != s && o->table == s->table && o->is_busy)
            return true;
    return false;
}

// Returns an error unless the schedule has the step, and no run uses the workload.
static keel_result step_check(const keeli_schedule *s, uint32_t position, keeli_node **node) {
    const char *workload = s->sections.items[0].name;
    if (step_is_running(s))
        return keeli_error(s->world, KEEL_ERROR_SHARED,
                           "workload '%s' is asked about its steps while it runs; ask when the run "
                           "has ended",
                           workload);
    *node = step_at(s, position);
    if (*node)
        return KEEL_OK;
    return keeli_misuse(s->world, KEEL_ERROR_ARGUMENT,
                        "workload '%s' has no system at position %u; pass a position of "
                        "keel_workload_nodes, from 0 to %u",
                        workload, (unsigned)position,
                        s->system_count ? (unsigned)s->system_count - 1 : 0);
}

// Acquires the schedule of a workload and finds the step. The caller must call
// keeli_schedule_release. NULL on error, which is reported.
static keeli_schedule *step_begin(keel_world *world, const keel_workload *table, uint32_t position,
                                  keeli_node **node) {
    if (keeli_is_no_world(world)) {
        (void)keeli_no_world();
        return NULL;
    }
    if (keeli_world_is_editable(world) < 0)
        return NULL;
    if (!table) {
        (void)keeli_no_workload(world);
        return NULL;
    }

    keel_result result;
    keeli_schedule *s = keeli_schedule_acquire(world, table, NULL, &result);
    if (!s || step_check(s, position, node) == KEEL_OK)
        return s;
    keeli_schedule_release(s);
    return NULL;
}

// ------------------------------------------------------------------ the view of the system
// Releases the view. Its reader was in the caller's memory.
static void step_view_end(keeli_view *view) {
    view->reader = NULL;
    keeli_view_release(view);
}

// Binds the terms of a system to a view that borrows nothing. `copy` receives what the system has
// seen of the changes: everything is new to a system that has not run. NULL on error, which is
// reported.
static keeli_view *step_view(keel_world *world, const keeli_node *node, keeli_reader *copy) {
    const keeli_bound *bound = node->bound[KEELI_STEP_SYSTEM];
    const keeli_reader *reader = bound ? bound->reader : NULL;
    if (!reader && bound)
        reader = bound->parked;
    *copy = reader ? *reader : (keeli_reader){ 0 };

    keeli_view *view = keeli_view_acquire(world, node->name);
    if (!view)
        return NULL;
    view->holder.is_system = true;
    view->reader = copy;
    if (keeli_view_bind(view, node->step.system->terms, node->step.system) == KEEL_OK)
        return view;
    step_view_end(view);
    return NULL;
}

// Returns the number of events that the system would receive.
static uint32_t count_waiting(const keeli_view *view, const keeli_node *node) {
    const keeli_bound *bound = node->bound[KEELI_STEP_SYSTEM];
    const keeli_reader *reader = bound && bound->reader ? bound->reader : view->reader;
    uint32_t count = 0;
    for (uint32_t t = 0; t < view->term_count; ++t) {
        const keeli_bound_term *term = &view->terms[t];
        const keeli_storage *s =
            term->kind == KEEL_TERM_RECEIVE ? view->storages[term->first] : NULL;
        if (s)
            count += keeli_queue_left(s->events, keeli_queue_next(s->events, reader));
    }
    return count;
}

// ------------------------------------------------------------------ conditions of a step
// Fills in that a state has another value. True if it lets the step run.
static bool state_lets_run(keeli_schedule *s, const keeli_node *node, keel_why *why) {
    const keel_component *uniques[2];
    const uint32_t count = keeli_state_uniques(&node->step, uniques);
    bool yes = true;
    for (uint32_t i = 0; yes && i < count; ++i) {
        const keeli_storage *unique = keeli_storage_find(s->world, uniques[i]);
        yes = unique && unique->unique;
    }
    const bool has_value = yes;
    if (yes && count)
        (void)keeli_state_ask(s, node, &yes);
    if (yes)
        return true;
    (void)keeli_why_not(why, KEEL_WHY_STEP_STATE, "would not run: the state '%s' of step '%s' %s",
                        keeli_component_name(uniques[0]), node->name,
                        has_value ? "is not as the step asks" : "has no value yet");
    why->name = keeli_component_name(uniques[0]);
    return false;
}

// Fills in a component that the step waits for. True if the components let the step run.
static bool components_let_run(const keeli_schedule *s, const keeli_node *node, keel_why *why) {
    const keel_step *step = &node->step;
    const keeli_storage *unique =
        step->skip_if_missing ? keeli_storage_find(s->world, step->skip_if_missing) : NULL;
    const keeli_storage *storage =
        step->skip_if_empty ? keeli_storage_find(s->world, step->skip_if_empty) : NULL;
    if (step->skip_if_missing && !(unique && unique->unique)) {
        (void)keeli_why_not(why, KEEL_WHY_STEP_MISSING,
                            "would not run: the unique '%s' is not set (skip_if_missing of '%s')",
                            keeli_component_name(step->skip_if_missing), node->name);
        why->component = unique ? &unique->component : NULL;
        return false;
    }
    if (step->skip_if_empty && !(storage && keeli_store_count(storage))) {
        (void)keeli_why_not(why, KEEL_WHY_STEP_EMPTY,
                            "would not run: no entity has '%s' (skip_if_empty of '%s')",
                            keeli_component_name(step->skip_if_empty), node->name);
        why->component = storage ? &storage->component : NULL;
        return false;
    }
    return true;
}

// Fills in the condition that said no when it was last asked. True if none did.
static bool conditions_let_run(const keeli_node *node, keel_why *why) {
    if (node->left_out == KEELI_LEFT_OUT_BY_NONE)
        return true;
    if (node->left_out == KEELI_LEFT_OUT_BY_EVERY) {
        (void)keeli_why_not(why, KEEL_WHY_STEP_EARLY,
                            "did not run: '%s' runs every %g seconds, and was not due when it was "
                            "last asked",
                            node->name, node->step.every);
        return false;
    }

    const bool is_run_if = node->left_out == KEELI_LEFT_OUT_BY_RUN_IF;
    const keel_system *condition = is_run_if ? node->step.run_if : node->step.skip_if;
    (void)keeli_why_not(why, KEEL_WHY_STEP_CONDITION,
                        "did not run: the condition '%s' of '%s' said %s when it was last asked "
                        "(%s)",
                        condition->name, node->name, is_run_if ? "no" : "yes",
                        is_run_if ? "run_if" : "skip_if");
    why->name = condition->name;
    return false;
}

// Fills in why one step, or the begin of a nested workload, would be left out. True if it would
// run.
static bool node_would_run(keeli_schedule *s, const keeli_node *node, keel_why *why) {
    if (node->asked->disabled) {
        (void)keeli_why_not(why, KEEL_WHY_STEP_DISABLED, "would not run: '%s' is disabled",
                            node->name);
        why->name = node->name;
        return false;
    }
    if (node->step.times && node->runs >= node->step.times) {
        (void)keeli_why_not(why, KEEL_WHY_STEP_DONE,
                            "would not run: '%s' has run %u times, as often as it may", node->name,
                            (unsigned)node->runs);
        return false;
    }
    return state_lets_run(s, node, why) && components_let_run(s, node, why) &&
           conditions_let_run(node, why);
}

// Fills in why the step or a nested workload around it, the outermost first, would be left out.
static bool would_run(keeli_schedule *s, const keeli_node *node, keel_why *why) {
    const uint32_t open = s->sections.items[node->section].open;
    if (open != KEEL_NO_NODE && !would_run(s, &s->nodes.items[open], why))
        return false;
    return node_would_run(s, node, why);
}

// Returns the first condition of the step or of a nested workload around it, or NULL.
static const char *condition_of(const keeli_schedule *s, const keeli_node *node) {
    const uint32_t open = s->sections.items[node->section].open;
    const char *outer = open != KEEL_NO_NODE ? condition_of(s, &s->nodes.items[open]) : NULL;
    if (outer)
        return outer;
    if (node->step.run_if)
        return node->step.run_if->name;
    return node->step.skip_if ? node->step.skip_if->name : NULL;
}

// ------------------------------------------------------------------ the answer
// Fills in a unique that the system takes and that is not set. True if there is none.
static bool has_uniques(const keeli_view *view, const keel_system *system, keel_why *why) {
    for (uint32_t t = 0; t < view->term_count; ++t) {
        if (!keeli_term_is_unique(view->terms[t].kind))
            continue;
        const keeli_storage *s = view->storages[view->terms[t].first];
        if (s && s->unique)
            continue;
        (void)keeli_why_not(why, KEEL_WHY_STEP_MISSING,
                            "would not run: the unique '%s' that '%s' takes is not set, so its run "
                            "is an error",
                            keeli_component_name(system->terms[t].component), system->name);
        why->component = s ? &s->component : NULL;
        why->term = t;
        why->term_kind = view->terms[t].kind;
        why->refusing = 1u << t;
        return false;
    }
    return true;
}

// Fills in the answer about the entity, for a step that would run.
static bool why_of_system(const keeli_schedule *s, const keeli_node *node, const keeli_view *view,
                          keel_entity e, keel_why *why) {
    const keel_system *system = node->step.system;
    if (!has_uniques(view, system, why))
        return false;
    const bool is_loop = keeli_system_is_loop(system);
    const bool matches =
        is_loop ? keeli_why_view(view, e, why)
                : keeli_why_not(why, KEEL_WHY_STEP_ONCE,
                                "'%s' runs once and not for each entity: its own loops choose "
                                "which entities they visit",
                                system->name);
    why->name = condition_of(s, node);
    if (matches && why->name)
        snprintf(why->text, sizeof why->text, "matches, if the condition '%s' lets it run",
                 why->name);
    return matches;
}

static bool why_of_step(keeli_schedule *s, const keeli_node *node, keel_entity e, keel_why *why) {
    keeli_reader copy;
    keeli_view *view = step_view(s->world, node, &copy);
    if (!view)
        return keeli_why_not(why, KEEL_WHY_NO_STEP, "%s", keel_last_error(s->world)->message);
    const uint32_t events = count_waiting(view, node);
    const bool matches = would_run(s, node, why) && why_of_system(s, node, view, e, why);
    step_view_end(view);
    why->last_run = copy.last;
    why->events = events;
    return matches;
}

bool keel_step_why(keel_world *world, const keel_workload *workload, uint32_t position,
                   keel_entity e, keel_why *why) {
    keel_why unused, *answer = why ? why : &unused;
    keeli_node *node;
    keeli_schedule *s = step_begin(world, workload, position, &node);
    if (!s)
        return keeli_why_not(answer, KEEL_WHY_NO_STEP, "%s", keel_last_error(world)->message);
    const bool matches = why_of_step(s, node, e, answer);
    keeli_schedule_release(s);
    return matches;
}

uint32_t keel_step_counts(keel_world *world, const keel_workload *workload, uint32_t position,
                          keel_count_slice *slice, uint32_t *left, uint32_t capacity) {
    keeli_node *node;
    keeli_schedule *s = step_begin(world, workload, position, &node);
    if (!s)
        return 0;
    keeli_reader copy;
    const bool is_loop = keeli_system_is_loop(node->step.system);
    keeli_view *view = is_loop ? step_view(world, node, &copy) : NULL;
    const uint32_t count = view ? keeli_counts_of_view(view, slice, left, capacity) : 0;
    if (view)
        step_view_end(view);
    keeli_schedule_release(s);
    return count;
}

// ------------------------------------------------------------------ watching
keel_result keel_watch_steps(keel_world *world, keel_step_end_fn *function, void *data) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    KEEL_TRY(keeli_world_is_at_rest(world, "steps cannot be watched"));
    world->workloads.watch = function;
    world->workloads.watch_data = data;
    return KEEL_OK;
}
