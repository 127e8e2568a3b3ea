// SPDX-License-Identifier: MIT
// Workloads: lists of systems that are run, and those that the world keeps by name.
#include "run/workload.h"

#include "run/execute.h"
#include "run/lane.h"
#include "run/timings.h"
#include "world/report.h"

#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------ running
keeli_stored_workload *keeli_stored_find(const keel_world *world, const char *name) {
    for (uint32_t i = 0; name && i < world->workloads.count; ++i)
        if (strcmp(world->workloads.items[i]->name, name) == 0) return world->workloads.items[i];
    return NULL;
}

keel_result keeli_unknown_workload(keel_world *world, const char *name) {
    char known[160] = "";
    size_t at = 0;
    for (uint32_t i = 0; i < world->workloads.count && at < sizeof known; ++i)
        at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", i ? ", " : "",
                               world->workloads.items[i]->name);
    return keeli_error(world, KEEL_ERROR_UNKNOWN, "no workload is named '%s'; there is: %s",
                       name ? name : "", *known ? known : "none");
}

// Stored lists must not change while they run.
static keel_result run_top(keel_world *world, const keel_workload *table, const char *name) {
    keel_result result = keeli_commands_flush(world);
    if (result < 0) return result;
    keeli_schedule *s = keeli_schedule_take(world, table, name, &result);
    if (!s) return result;
    if (world->timings && !keeli_atomic_peek(&world->workload_depth))
        keeli_timings_count_frame(world);
    keeli_count(world, &world->workload_depth, 1);
    result = keeli_schedule_run(s);
    keeli_count(world, &world->workload_depth, -1);
    keeli_schedule_give(s);
    const keel_result applied = keeli_commands_flush(world);
    return result < 0 ? result : applied;
}

keel_result keel_world_run_workload(keel_world *world, const keel_workload *workload) {
    if (!world) return keeli_no_world();
    if (!workload) return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "the workload is NULL");
    return run_top(world, workload, NULL);
}

keel_result keel_run_named(keel_world *world, const char *name) {
    if (!world) return keeli_no_world();
    return name ? run_top(world, NULL, name) : keeli_unknown_workload(world, name);
}

keel_result keel_run_default(keel_world *world) {
    if (!world) return keeli_no_world();
    if (world->workloads.count == 0) return KEEL_OK;
    return keel_run_named(world, world->workloads.items[world->default_workload]->name);
}

// ------------------------------------------------------------------ storing
// The texts of a stored step are owned.
enum { texts_of_step = 6 };
static void list_texts(keel_step *step, const char **texts[texts_of_step]) {
    texts[0] = &step->workload_name;
    texts[1] = &step->label;
    texts[2] = &step->after;
    texts[3] = &step->before;
    texts[4] = &step->after_all;
    texts[5] = &step->before_all;
}

static void free_texts(keel_world *world, keel_step *step) {
    const char **texts[texts_of_step];
    list_texts(step, texts);
    for (uint32_t i = 0; i < texts_of_step; ++i)
        keeli_free_text(&world->heap, (char *)(uintptr_t)*texts[i]);
}

static bool copy_texts(keel_world *world, keel_step *step) {
    const char **texts[texts_of_step];
    keel_step copy = *step;
    list_texts(&copy, texts);
    for (uint32_t i = 0; i < texts_of_step; ++i) {
        const char *text = *texts[i];
        if (!text || (*texts[i] = keeli_new_text(&world->heap, text))) continue;
        for (uint32_t k = i; k < texts_of_step; ++k)
            *texts[k] = NULL; // still the user's
        free_texts(world, &copy);
        return false;
    }
    *step = copy;
    return true;
}

static void free_steps(keel_world *world, keeli_stored_workload *w) {
    for (uint32_t i = 0; i < w->steps.count; ++i)
        free_texts(world, &w->steps.items[i]);
    KEELI_RELEASE(&world->heap, &w->steps);
}

static void free_stored(keel_world *world, keeli_stored_workload *w) {
    free_steps(world, w);
    keeli_free_text(&world->heap, w->name);
    KEELI_FREE(&world->heap, keeli_stored_workload, w);
}

void keeli_workloads_deinit(keel_world *world) {
    for (uint32_t i = 0; i < world->workloads.count; ++i)
        free_stored(world, world->workloads.items[i]);
    KEELI_RELEASE(&world->heap, &world->workloads);
}

static keel_result check_changeable(keel_world *world) {
    KEEL_TRY(keeli_world_is_editable(world));
    if (keeli_world_is_running(world))
        return keeli_error(world, KEEL_ERROR_BORROWED,
                           "stored workloads cannot be changed while a system runs");
    return KEEL_OK;
}

static keel_result check_step(keel_world *world, const char *workload, const keel_step *step) {
    const int kinds = step ? (step->system != NULL) + (step->workload != NULL) +
                                 (step->workload_name != NULL) + (step->barrier ? 1 : 0)
                           : 0;
    if (kinds == 1) return KEEL_OK;
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                        "a step of workload '%s' needs one of system, workload, workload_name and "
                        "barrier",
                        workload);
}

static bool append_step(keel_world *world, keeli_stored_workload *w, const keel_step *step) {
    if (!KEELI_RESERVE(&world->heap, &w->steps, 1)) return false;
    keel_step copy = *step;
    if (!copy_texts(world, &copy)) return false;
    w->steps.items[w->steps.count++] = copy;
    return true;
}

static keeli_stored_workload *new_stored(keel_world *world, const char *name) {
    keeli_stored_workload *w = KEELI_NEW(&world->heap, keeli_stored_workload);
    if (!w) return NULL;
    w->name = keeli_new_text(&world->heap, name);
    if (w->name && KEELI_RESERVE(&world->heap, &world->workloads, 1)) return w;
    free_stored(world, w);
    return NULL;
}

// Put a finished workload in its place: the old one's of the same name, or a new one.
static void store(keel_world *world, keeli_stored_workload *w) {
    ++world->bindings; // schedules are made anew
    for (uint32_t i = 0; i < world->workloads.count; ++i)
        if (strcmp(world->workloads.items[i]->name, w->name) == 0) {
            free_stored(world, world->workloads.items[i]);
            world->workloads.items[i] = w;
            return;
        }
    world->workloads.items[world->workloads.count++] = w;
}

static keel_result check_name(keel_world *world, const char *name) {
    if (name && *name) return KEEL_OK;
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "a stored workload needs a name");
}

keel_result keel_world_add_workload(keel_world *world, const keel_workload *workload) {
    if (!world) return keeli_no_world();
    KEEL_TRY(check_changeable(world));
    KEEL_TRY(check_name(world, workload ? workload->name : NULL));
    for (uint32_t i = 0; i < workload->step_count; ++i)
        KEEL_TRY(check_step(world, workload->name, &workload->steps[i]));
    keeli_stored_workload *w = new_stored(world, workload->name);
    bool done = w != NULL;
    for (uint32_t i = 0; done && i < workload->step_count; ++i)
        done = append_step(world, w, &workload->steps[i]);
    if (!done) {
        if (w) free_stored(world, w);
        return keeli_out_of_memory(world, "storing a workload");
    }
    store(world, w);
    return KEEL_OK;
}

keel_result keel_world_add_step(keel_world *world, const char *workload, const keel_step *step) {
    if (!world) return keeli_no_world();
    KEEL_TRY(check_changeable(world));
    KEEL_TRY(check_name(world, workload));
    KEEL_TRY(check_step(world, workload, step));
    keeli_stored_workload *known = keeli_stored_find(world, workload);
    keeli_stored_workload *w = known ? known : new_stored(world, workload);
    if (w && append_step(world, w, step)) {
        if (!known) store(world, w);
        ++world->bindings;
        return KEEL_OK;
    }
    if (w && !known) free_stored(world, w);
    return keeli_out_of_memory(world, "storing a workload");
}

keel_result keel_remove_workload(keel_world *world, const char *name) {
    if (!world) return keeli_no_world();
    KEEL_TRY(check_changeable(world));
    keeli_stored_workload *w = keeli_stored_find(world, name);
    if (!w) return KEEL_ABSENT;
    uint32_t at = 0;
    while (world->workloads.items[at] != w)
        ++at;
    memmove(&world->workloads.items[at], &world->workloads.items[at + 1],
            (world->workloads.count - at - 1) * sizeof w);
    --world->workloads.count;
    ++world->bindings;
    keeli_schedule_forget(world, w->name);
    if (world->default_workload == at) world->default_workload = 0;
    else if (world->default_workload > at) --world->default_workload;
    free_stored(world, w);
    return KEEL_OK;
}

bool keel_has_workload(const keel_world *world, const char *name) {
    return world && keeli_stored_find(world, name) != NULL;
}

keel_result keel_set_default_workload(keel_world *world, const char *name) {
    if (!world) return keeli_no_world();
    KEEL_TRY(check_changeable(world));
    for (uint32_t i = 0; name && i < world->workloads.count; ++i)
        if (strcmp(world->workloads.items[i]->name, name) == 0) {
            world->default_workload = i;
            return KEEL_OK;
        }
    return keeli_unknown_workload(world, name);
}
