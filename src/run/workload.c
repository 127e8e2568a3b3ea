// SPDX-License-Identifier: MIT
// Workloads: running lists of systems, and lists stored in the world by name.
#include "run/workload.h"

#include "edit/report.h"
#include "run/context.h"

#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------ running
// The workloads that are being run, innermost first: one that contains itself would never end.
typedef struct frame {
    const keel_step *steps;
    const char *name;
    const struct frame *outer;
    uint64_t place; // of its steps, so that each has a place of its own
} frame;

// The place of a step: the same from run to run, and another for each step of each workload.
static uint64_t place_in(uint64_t place, uint64_t step) {
    place = (place ^ step) * 0x9E3779B97F4A7C15u;
    return (place ^ place >> 29) * 0xBF58476D1CE4E5B9u;
}
static uint64_t place_of_name(const char *name) {
    uint64_t place = 1;
    for (; *name; ++name)
        place = place_in(place, (unsigned char)*name);
    return place;
}

static keeli_stored_workload *find(const keel_world *world, const char *name) {
    for (uint32_t i = 0; name && i < world->workloads.count; ++i)
        if (strcmp(world->workloads.items[i]->name, name) == 0) return world->workloads.items[i];
    return NULL;
}

static keel_result unknown(keel_world *world, const char *name) {
    char known[160] = "";
    size_t at = 0;
    for (uint32_t i = 0; i < world->workloads.count && at < sizeof known; ++i)
        at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", i ? ", " : "",
                               world->workloads.items[i]->name);
    return keeli_error(world, KEEL_ERROR_UNKNOWN, "no workload is named '%s'; there is: %s",
                       name ? name : "", *known ? known : "none");
}

static keel_result run_steps(keel_world *world, const keel_step *steps, uint32_t count,
                             const char *name, const frame *outer);

static keel_result run_stored(keel_world *world, const char *name, const frame *outer) {
    const keeli_stored_workload *w = find(world, name);
    if (!w) return unknown(world, name);
    return run_steps(world, w->steps.items, w->steps.count, w->name, outer);
}

static keel_result run_step(keel_world *world, const keel_step *step, const frame *self,
                            uint64_t place) {
    if (step->run_if) {
        bool answer = false;
        world->place = place;
        KEEL_TRY(keeli_run_system(world, step->run_if, NULL, 0, &answer));
        if (!answer) return KEEL_OK;
    }
    world->place = place;
    if (step->system) return keeli_run_system(world, step->system, NULL, 0, NULL);
    if (step->workload_name) return run_stored(world, step->workload_name, self);
    if (step->workload)
        return run_steps(world, step->workload->steps, step->workload->step_count,
                         step->workload->name, self);
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                        "a step of workload '%s' has no system and no workload", self->name);
}

static keel_result run_steps(keel_world *world, const keel_step *steps, uint32_t count,
                             const char *name, const frame *outer) {
    const uint64_t place = outer ? world->place : place_of_name(name ? name : "");
    const frame self = { steps, name ? name : "", outer, place };
    for (const frame *f = outer; count && f; f = f->outer)
        if (f->steps == steps)
            return keeli_error(world, KEEL_ERROR_CYCLE, "workload '%s' contains itself", self.name);
    if (count && !steps)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "the workload '%s' has no steps",
                            self.name);
    for (uint32_t i = 0; i < count; ++i)
        KEEL_TRY(run_step(world, &steps[i], &self, place_in(place, i + 1)));
    return KEEL_OK;
}

// Stored lists must not change while they run.
static keel_result run_top(keel_world *world, const keel_workload *table, const char *name) {
    KEEL_TRY(keeli_commands_flush(world));
    ++world->run_depth;
    const keel_result result =
        table ? run_steps(world, table->steps, table->step_count, table->name, NULL)
              : run_stored(world, name, NULL);
    --world->run_depth;
    return result;
}

keel_result keel_world_run_workload(keel_world *world, const keel_workload *workload) {
    if (!world) return keeli_no_world();
    if (!workload) return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "the workload is NULL");
    return run_top(world, workload, NULL);
}

keel_result keel_run_named(keel_world *world, const char *name) {
    return world ? run_top(world, NULL, name) : keeli_no_world();
}

keel_result keel_run_default(keel_world *world) {
    if (!world) return keeli_no_world();
    if (world->workloads.count == 0) return KEEL_OK;
    return run_top(world, NULL, world->workloads.items[world->default_workload]->name);
}

// ------------------------------------------------------------------ storing
static void free_steps(keel_world *world, keeli_stored_workload *w) {
    for (uint32_t i = 0; i < w->steps.count; ++i)
        keeli_free_text(&world->heap, (char *)(uintptr_t)w->steps.items[i].workload_name);
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
    if (world->run_depth)
        return keeli_error(world, KEEL_ERROR_BORROWED,
                           "stored workloads cannot be changed while a system runs");
    return KEEL_OK;
}

static keel_result check_step(keel_world *world, const char *workload, const keel_step *step) {
    const int kinds =
        step ? (step->system != NULL) + (step->workload != NULL) + (step->workload_name != NULL)
             : 0;
    if (kinds == 1) return KEEL_OK;
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                        "a step of workload '%s' needs one of system, workload and workload_name",
                        workload);
}

static bool append_step(keel_world *world, keeli_stored_workload *w, const keel_step *step) {
    if (!KEELI_RESERVE(&world->heap, &w->steps, 1)) return false;
    keel_step copy = *step;
    if (step->workload_name) {
        copy.workload_name = keeli_new_text(&world->heap, step->workload_name);
        if (!copy.workload_name) return false;
    }
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
    keeli_stored_workload *known = find(world, workload);
    keeli_stored_workload *w = known ? known : new_stored(world, workload);
    if (w && append_step(world, w, step)) {
        if (!known) store(world, w);
        return KEEL_OK;
    }
    if (w && !known) free_stored(world, w);
    return keeli_out_of_memory(world, "storing a workload");
}

keel_result keel_remove_workload(keel_world *world, const char *name) {
    if (!world) return keeli_no_world();
    KEEL_TRY(check_changeable(world));
    keeli_stored_workload *w = find(world, name);
    if (!w) return KEEL_ABSENT;
    uint32_t at = 0;
    while (world->workloads.items[at] != w)
        ++at;
    memmove(&world->workloads.items[at], &world->workloads.items[at + 1],
            (world->workloads.count - at - 1) * sizeof w);
    --world->workloads.count;
    if (world->default_workload == at) world->default_workload = 0;
    else if (world->default_workload > at) --world->default_workload;
    free_stored(world, w);
    return KEEL_OK;
}

bool keel_has_workload(const keel_world *world, const char *name) {
    return world && find(world, name) != NULL;
}

keel_result keel_set_default_workload(keel_world *world, const char *name) {
    if (!world) return keeli_no_world();
    KEEL_TRY(check_changeable(world));
    for (uint32_t i = 0; name && i < world->workloads.count; ++i)
        if (strcmp(world->workloads.items[i]->name, name) == 0) {
            world->default_workload = i;
            return KEEL_OK;
        }
    return unknown(world, name);
}
