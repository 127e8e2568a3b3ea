// SPDX-License-Identifier: MIT
// Plans a changed copy of a workload: it is stored in the world under a name of its own, described,
// and removed again, so the world forgets all that it prepared for it.
#include "what_if.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH = 16, WORKLOADS = 64 };
static const char stored_name[] = "keel_inspect: what if";

// Copies of nested workloads, and of the system that lacks a storage.
struct keeli_what_if {
    keel_world *world;
    const char *storage;
    uint32_t left; // systems before the one that is changed
    bool is_stored, is_changed;
    uint32_t count;
    keel_step *steps[WORKLOADS];
    keel_workload workloads[WORKLOADS];
    keel_system system;
    keel_term terms[KEEL_MAX_TERMS + 1];
};

static bool what_if_is_about(const keel_component *component, const char *storage) {
    const char *name = component ? (component->name ? component->name : component->type) : NULL;
    return name && !strcmp(name, storage);
}

// Copies the system without the terms about the storage. A term of several components goes as a
// whole if one of them is the storage.
static void what_if_change(keeli_what_if *w, keel_step *step) {
    uint32_t count = 0;
    w->system = *step->system;
    for (const keel_term *term = step->system->terms; term && term->kind != KEEL_TERM_END; ++term) {
        bool is_about = what_if_is_about(term->component, w->storage);
        for (uint32_t i = 0; term->component && term->others && term->others[i]; ++i)
            is_about = is_about || what_if_is_about(term->others[i], w->storage);
        w->is_changed = w->is_changed || is_about;
        if (!is_about && count < KEEL_MAX_TERMS) w->terms[count++] = *term;
    }
    w->terms[count] = (keel_term){ .kind = KEEL_TERM_END };
    w->system.terms = w->terms;
    step->system = &w->system;
}

// Copies a workload with all that are nested in it. NULL: out of memory, or too many.
static const keel_workload *what_if_copy(keeli_what_if *w, const keel_workload *workload,
                                         int depth) {
    const uint32_t at = w->count;
    keel_step *steps =
        at < WORKLOADS && depth < DEPTH ? calloc(workload->step_count + 1, sizeof *steps) : NULL;
    if (!steps) return NULL;
    ++w->count;
    w->steps[at] = steps;
    w->workloads[at] = (keel_workload){ .name = workload->name,
                                        .steps = steps,
                                        .step_count = workload->step_count };
    for (uint32_t i = 0; i < workload->step_count; ++i) {
        keel_step *step = &steps[i];
        *step = workload->steps[i];
        step->number = 0;
        if (step->system && !w->left--) what_if_change(w, step);
        const keel_workload *nested = step->workload_name
                                          ? keel_find_workload(w->world, step->workload_name)
                                          : step->workload;
        if (!nested) continue;
        step->workload_name = NULL;
        step->workload = what_if_copy(w, nested, depth + 1);
        if (!step->workload) return NULL;
    }
    return &w->workloads[at];
}

void keeli_what_if_end(keel_inspect *inspect, keeli_what_if *w) {
    if (!w) return;
    if (w->is_stored) keel_remove_workload(inspect->world, stored_name);
    for (uint32_t i = 0; i < w->count; ++i)
        free(w->steps[i]);
    free(w);
}

keeli_what_if *keeli_what_if_begin(keel_inspect *inspect, keeli_request *request,
                                   const keel_workload *workload, uint32_t position,
                                   const char *storage, keeli_plan *plan) {
    keeli_what_if *w = calloc(1, sizeof *w);
    if (w) {
        w->world = inspect->world;
        w->storage = storage;
        w->left = position;
    }
    const keel_workload *copy = w ? what_if_copy(w, workload, 0) : NULL;
    if (!copy) {
        keeli_request_fail(request, 500, "memory", "out of memory: copying the workload");
        keeli_what_if_end(inspect, w);
        return NULL;
    }
    if (!w->is_changed) {
        keeli_request_fail(request, 400, "argument",
                           "without: the system at position %u does not use '%.60s'",
                           (unsigned)position, storage);
        keeli_what_if_end(inspect, w);
        return NULL;
    }
    w->workloads[0].name = stored_name;
    const keel_result result = keel_world_add_workload(inspect->world, copy);
    w->is_stored = result >= 0;
    if (!w->is_stored || !keeli_plan_read(inspect, request, stored_name, plan) ||
        !keeli_plan_read_edges(inspect, request, plan)) {
        if (!w->is_stored) keeli_request_fail_by(request, inspect->world, result);
        keeli_what_if_end(inspect, w);
        return NULL;
    }
    plan->workload = workload; // for its name
    for (uint32_t i = 0; i < plan->node_count; ++i)
        if (!strcmp(plan->nodes[i].workload, stored_name))
            plan->nodes[i].workload = workload->name ? workload->name : "";
    return w;
}
