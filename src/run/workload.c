// SPDX-License-Identifier: MIT
// Workloads: lists of systems that are run, and those that the world keeps by name.
#include "base/bytes.h"
#include "run/workers.h"
#include "world/report.h"

#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------ running
static keeli_stored_workload **bucket_of(const keeli_stored_workloads *all, const char *name) {
    return &all->buckets[keeli_hash(name, strlen(name), 0) & (all->bucket_count - 1)];
}

keeli_stored_workload *keeli_stored_find(const keel_world *world, const char *name) {
    const keeli_stored_workloads *all = &world->workloads;
    keeli_stored_workload *w = name && all->count ? *bucket_of(all, name) : NULL;
    while (w && strcmp(w->name, name) != 0)
        w = w->next_in_bucket;
    return w;
}

keel_result keeli_unknown_workload(keel_world *world, const char *name) {
    char known[160] = "";
    size_t at = 0;
    for (const keeli_stored_workload *w = world->workloads.first; w && at < sizeof known;
         w = w->next)
        at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", at ? ", " : "", w->name);
    return keeli_error(world, KEEL_ERROR_UNKNOWN, "no workload is named '%s'; there is: %s",
                       name ? name : "", *known ? known : "none");
}

// Stored lists must not change while they run.
static keel_result run_top(keel_world *world, const keel_workload *table, const char *name) {
    keel_result result = keeli_commands_flush(world);
    if (result < 0) return result;
    keeli_schedule *s = keeli_schedule_take(world, table, name, &result);
    if (!s) return result;
    if (world->workloads.timings && !keeli_atomic_peek(&world->access.workload_depth)) {
        keeli_lock_take(&world->workloads.timings->lock);
        ++world->workloads.timings->frames;
        keeli_lock_give(&world->workloads.timings->lock);
    }
    keeli_count(world, &world->access.workload_depth, 1);
    result = keeli_schedule_run(s);
    keeli_count(world, &world->access.workload_depth, -1);
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
    const keeli_stored_workloads *all = &world->workloads;
    if (!all->count) return KEEL_OK;
    return run_top(world, NULL, all->fallback ? all->fallback->name : all->first->name);
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
    keeli_schedules_forget(w);
    keeli_free_text(&world->heap, w->name);
    KEELI_FREE(&world->heap, keeli_stored_workload, w);
}

static void free_buckets(keel_world *world) {
    keeli_stored_workloads *all = &world->workloads;
    keeli_free(&world->heap, all->buckets, all->bucket_count * sizeof *all->buckets,
               sizeof(void *));
}

void keeli_workloads_deinit(keel_world *world) {
    for (keeli_stored_workload *w = world->workloads.first, *next; w; w = next) {
        next = w->next;
        free_stored(world, w);
    }
    free_buckets(world);
}

// Room for one more name; false when out of memory.
static bool grow_buckets(keel_world *world) {
    keeli_stored_workloads *all = &world->workloads;
    if (all->count < all->bucket_count) return true;
    const uint32_t count = all->bucket_count ? all->bucket_count * 2 : 8;
    keeli_stored_workload **buckets =
        keeli_new_zeroed(&world->heap, count * sizeof *buckets, sizeof(void *));
    if (!buckets) return false;
    free_buckets(world);
    all->buckets = buckets;
    all->bucket_count = count;
    for (keeli_stored_workload *w = all->first; w; w = w->next) {
        keeli_stored_workload **bucket = bucket_of(all, w->name);
        w->next_in_bucket = *bucket;
        *bucket = w;
    }
    return true;
}

static void link_stored(keel_world *world, keeli_stored_workload *w) {
    keeli_stored_workloads *all = &world->workloads;
    keeli_stored_workload **bucket = bucket_of(all, w->name);
    w->next_in_bucket = *bucket;
    *bucket = w;
    w->prev = all->last;
    *(all->last ? &all->last->next : &all->first) = w;
    all->last = w;
    ++all->count;
}

static void unlink_stored(keel_world *world, keeli_stored_workload *w) {
    keeli_stored_workloads *all = &world->workloads;
    keeli_stored_workload **at = bucket_of(all, w->name);
    while (*at != w)
        at = &(*at)->next_in_bucket;
    *at = w->next_in_bucket;
    *(w->prev ? &w->prev->next : &all->first) = w->next;
    *(w->next ? &w->next->prev : &all->last) = w->prev;
    if (all->fallback == w) all->fallback = NULL;
    --all->count;
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
    if (w->name && grow_buckets(world)) return w;
    free_stored(world, w);
    return NULL;
}

// It takes the place of one with its name, and what the systems of that one know.
static void store(keel_world *world, keeli_stored_workload *w) {
    keeli_stored_workload *known = keeli_stored_find(world, w->name);
    ++world->registry.bindings; // schedules that name it
    if (!known) {
        link_stored(world, w);
        return;
    }
    const keeli_stored_workload was = *known;
    known->steps.items = w->steps.items;
    known->steps.count = w->steps.count;
    known->steps.capacity = w->steps.capacity;
    w->steps.items = was.steps.items;
    w->steps.count = was.steps.count;
    w->steps.capacity = was.steps.capacity;
    free_stored(world, w);
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
        ++world->registry.bindings;
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
    ++world->registry.bindings;
    unlink_stored(world, w);
    free_stored(world, w);
    return KEEL_OK;
}

bool keel_has_workload(const keel_world *world, const char *name) {
    return world && keeli_stored_find(world, name) != NULL;
}

keel_result keel_set_default_workload(keel_world *world, const char *name) {
    if (!world) return keeli_no_world();
    KEEL_TRY(check_changeable(world));
    keeli_stored_workload *w = keeli_stored_find(world, name);
    if (!w) return keeli_unknown_workload(world, name);
    world->workloads.fallback = w;
    return KEEL_OK;
}
