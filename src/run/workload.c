// SPDX-License-Identifier: MIT
// Workloads: the public functions that run lists of steps, and the lists that the world stores by
// name. schedule.c makes schedules from lists, execute.c runs the schedules.
#include "base/bytes.h"
#include "run/workers.h"
#include "world/report.h"

#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------ running
// Returns the bucket of a name: the first workload of its chain.
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

// Writes the names of all stored workloads, for messages.
static const char *list_workload_names(const keel_world *world, char *text, size_t size) {
    size_t at = 0;
    snprintf(text, size, "none");
    for (const keeli_stored_workload *w = world->workloads.first; w && at < size; w = w->next)
        at += (size_t)snprintf(text + at, size - at, "%s%s", at ? ", " : "", w->name);
    return text;
}

keel_result keeli_no_workload(keel_world *world) {
    char known[160];
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                        "the workload is NULL, which keel_find_workload returns for an unknown "
                        "name; there is: %s",
                        list_workload_names(world, known, sizeof known));
}

keel_result keeli_unknown_workload(keel_world *world, const char *name) {
    char known[160];
    return keeli_error(world, KEEL_ERROR_UNKNOWN, "no workload is named '%s'; there is: %s",
                       name ? name : "", list_workload_names(world, known, sizeof known));
}

// Returns the stored workload of this name. For "" it returns the default workload or, if none was
// chosen, the first.
static keeli_stored_workload *find_or_default(const keel_world *world, const char *name) {
    const keeli_stored_workloads *all = &world->workloads;
    if (!name || *name)
        return keeli_stored_find(world, name);
    return all->chosen ? all->chosen : all->first;
}

static keel_result check_desc(keel_world *world, const keel_run_desc *desc, const char *name) {
    if (desc->parallel)
        return keeli_misuse(
            world, KEEL_ERROR_ARGUMENT,
            "workload '%s' is run with .parallel, which is for single systems; give "
            "it to the steps that are to be split",
            name);
    if (desc->dt >= 0 && desc->dt <= KEELI_MAX_SECONDS)
        return KEEL_OK;
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                        "workload '%s' is run with .dt = %g; it takes seconds from 0 to %g", name,
                        desc->dt, KEELI_MAX_SECONDS);
}

// Runs a table or the stored workload `name`. Stored lists must not change while they run.
static keel_result run_top(keel_world *world, const keel_workload *table, const char *name,
                           const keel_run_desc *desc) {
    keel_result result = keeli_commands_flush(world);
    if (result < 0)
        return result;
    if (desc)
        KEEL_TRY(check_desc(world, desc, table ? table->name : name));
    keeli_schedule *s = keeli_schedule_acquire(world, table, name, &result);
    if (!s)
        return result;

    if (world->workloads.timings && !keeli_atomic_peek(&world->access.workload_depth)) {
        keeli_lock_acquire(&world->workloads.timings->lock);
        ++world->workloads.timings->frames;
        keeli_lock_release(&world->workloads.timings->lock);
    }

    s->run = desc ? desc : &keeli_plain_run;
    keeli_count(world, &world->access.workload_depth, 1);
    result = keeli_schedule_run(s);
    keeli_count(world, &world->access.workload_depth, -1);
    keeli_schedule_release(s);

    const keel_result applied = keeli_commands_flush(world);
    return result < 0 ? result : applied;
}

keel_result keel_run_workload_of(keel_world *world, const keel_workload *workload,
                                 const keel_run_desc *desc) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    if (!workload)
        return keeli_no_workload(world);
    return run_top(world, workload, NULL, desc);
}

keel_result keel_run_stored(keel_world *world, const char *name, const keel_run_desc *desc) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    const keeli_stored_workload *w = find_or_default(world, name);
    const bool is_none = !w && name && !*name; // the default is wanted, but nothing is stored
    if (is_none)
        return KEEL_OK;
    return run_top(world, NULL, w ? w->name : name, desc);
}

// ------------------------------------------------------------------ storing
enum { TEXTS_OF_STEP = 6 };
// Lists the texts of a step. A stored step has copies, which it owns.
static void list_texts(keel_step *step, const char **texts[TEXTS_OF_STEP]) {
    texts[0] = &step->workload_name;
    texts[1] = &step->label;
    texts[2] = &step->after;
    texts[3] = &step->before;
    texts[4] = &step->after_all;
    texts[5] = &step->before_all;
}

static void free_texts(keel_world *world, keel_step *step) {
    const char **texts[TEXTS_OF_STEP];
    list_texts(step, texts);
    for (uint32_t i = 0; i < TEXTS_OF_STEP; ++i)
        keeli_free_text(&world->heap, (char *)(uintptr_t)*texts[i]);
}

// Appends a copy of a step. False if out of memory.
static bool append_step(keel_world *world, keeli_stored_workload *w, const keel_step *step) {
    const char **texts[TEXTS_OF_STEP];
    keel_step copy = *step;
    if (!KEELI_RESERVE(&world->heap, &w->steps, 1))
        return false;
    list_texts(&copy, texts);
    for (uint32_t i = 0; i < TEXTS_OF_STEP; ++i) {
        if (!*texts[i])
            continue;
        *texts[i] = keeli_new_text(&world->heap, *texts[i]);
        if (*texts[i])
            continue;
        for (uint32_t k = i; k < TEXTS_OF_STEP; ++k)
            *texts[k] = NULL; // not copied yet: still the user's
        free_texts(world, &copy);
        return false;
    }
    copy.number = ++world->workloads.last_number;
    *KEELI_APPEND(&w->steps) = copy;
    return true;
}

static void free_stored(keel_world *world, keeli_stored_workload *w) {
    for (uint32_t i = 0; i < w->steps.count; ++i)
        free_texts(world, &w->steps.items[i]);
    KEELI_RELEASE(&world->heap, &w->steps);
    keeli_schedules_forget(w);
    keeli_free_text(&world->heap, w->name);
    KEELI_FREE(&world->heap, keeli_stored_workload, w);
}

void keeli_workloads_deinit(keel_world *world) {
    keeli_stored_workloads *all = &world->workloads;
    while (all->first) {
        keeli_stored_workload *w = all->first;
        all->first = w->next;
        free_stored(world, w);
    }
    keeli_free(&world->heap, all->buckets, all->bucket_count * sizeof(void *), sizeof(void *));
}

static void put_in_bucket(const keeli_stored_workloads *all, keeli_stored_workload *w) {
    keeli_stored_workload **bucket = bucket_of(all, w->name);
    w->next_in_bucket = *bucket;
    *bucket = w;
}

// Makes room for one more name. False if out of memory.
static bool grow_buckets(keel_world *world) {
    keeli_stored_workloads *all = &world->workloads;
    const uint32_t old = all->bucket_count, count = old ? old * 2 : 8;
    if (all->count < old)
        return true;
    void *buckets = keeli_new_zeroed(&world->heap, count * sizeof(void *), sizeof(void *));
    if (!buckets)
        return false;

    keeli_free(&world->heap, all->buckets, old * sizeof(void *), sizeof(void *));
    all->buckets = buckets;
    all->bucket_count = count;
    for (keeli_stored_workload *w = all->first; w; w = w->next)
        put_in_bucket(all, w);
    return true;
}

static keeli_stored_workload *new_stored(keel_world *world, const char *name) {
    keeli_stored_workload *w = KEELI_NEW(&world->heap, keeli_stored_workload);
    if (!w)
        return NULL;
    w->name = keeli_new_text(&world->heap, name);
    if (w->name && grow_buckets(world))
        return w;
    free_stored(world, w);
    return NULL;
}

// Returns an error while systems run: stored lists must not change then.
static keel_result check_workloads_changeable(keel_world *world) {
    return keeli_world_is_at_rest(world, "stored workloads cannot be changed");
}

// Adds steps to the stored workload of this name. `replaces`: the present steps are removed; new
// steps of the same systems keep the run state of the old ones.
static keel_result add_steps(keel_world *world, const char *name, const keel_step *steps,
                             uint32_t count, bool replaces) {
    KEEL_TRY(check_workloads_changeable(world));
    if (!name || !*name)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "a stored workload needs a name");
    for (uint32_t i = 0; i < count; ++i)
        KEEL_TRY(keeli_check_step(world, steps ? &steps[i] : NULL, name));

    keeli_stored_workload *known = keeli_stored_find(world, name);
    keeli_stored_workload *w = known && !replaces ? known : new_stored(world, name);
    bool is_done = w != NULL;
    // a list that exists gets at most one step, so a failure needs no undo
    for (uint32_t i = 0; is_done && i < count; ++i)
        is_done = append_step(world, w, &steps[i]);
    if (!is_done) {
        if (w && w != known)
            free_stored(world, w);
        return keeli_out_of_memory(world, "storing a workload");
    }

    ++world->registry.bindings; // schedules that contain the workload are out of date
    if (known && w != known) {
        const keeli_stored_workload was = *known;
        known->steps = w->steps;
        w->steps = was.steps;
        free_stored(world, w);
    }

    if (known)
        return KEEL_OK;
    keeli_stored_workloads *all = &world->workloads;
    put_in_bucket(all, w);
    w->prev = all->last;
    *(all->last ? &all->last->next : &all->first) = w;
    all->last = w;
    ++all->count;
    return KEEL_OK;
}

keel_result keel_world_add_workload(keel_world *world, const keel_workload *workload) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    if (!workload)
        return add_steps(world, NULL, NULL, 0, true);
    return add_steps(world, workload->name, workload->steps, workload->step_count, true);
}

keel_result keel_world_add_step(keel_world *world, const char *workload, const keel_step *step) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    return add_steps(world, workload, step, 1, false);
}

keel_result keel_remove_workload(keel_world *world, const char *name) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    KEEL_TRY(check_workloads_changeable(world));
    keeli_stored_workloads *all = &world->workloads;
    keeli_stored_workload *w = keeli_stored_find(world, name);
    if (!w)
        return KEEL_ABSENT;

    keeli_stored_workload **at = bucket_of(all, w->name);
    while (*at != w)
        at = &(*at)->next_in_bucket;
    *at = w->next_in_bucket;

    *(w->prev ? &w->prev->next : &all->first) = w->next;
    *(w->next ? &w->next->prev : &all->last) = w->prev;
    if (all->chosen == w)
        all->chosen = NULL;
    --all->count;

    ++world->registry.bindings;
    free_stored(world, w);
    return KEEL_OK;
}

// ------------------------------------------------------------------ steps of a stored workload
// Finds the next name of a step: first the name of its system or workload, then its labels.
// `*labels` is the position, and NULL before the first call. False at the end.
static bool next_name_of(const keel_step *step, const char **labels, const char **name,
                         size_t *length) {
    if (*labels)
        return keeli_next_name(labels, name, length);
    *labels = step->label ? step->label : "";
    if (step->system)
        *name = step->system->name;
    else if (step->workload)
        *name = step->workload->name;
    else
        *name = step->workload_name;
    if (!*name)
        return keeli_next_name(labels, name, length); // a barrier
    *length = strlen(*name);
    return true;
}

// True if the step, or a label of it, has the name.
static bool is_named(const keel_step *step, const char *wanted) {
    const char *labels = NULL, *name;
    for (size_t length; next_name_of(step, &labels, &name, &length);)
        // analyzer: find_step refuses NULL
        if (length == strlen(wanted) && memcmp(name, wanted, length) == 0)
            return true;
    return false;
}

// Reports an unknown name, with the names of all steps.
static keel_result unknown_step(keel_world *world, const keeli_stored_workload *w,
                                const char *wanted) {
    char known[200] = "";
    size_t at = 0;
    for (uint32_t i = 0; i < w->steps.count; ++i) {
        const char *labels = NULL, *name;
        for (size_t length;
             at < sizeof known && next_name_of(&w->steps.items[i], &labels, &name, &length);)
            at += (size_t)snprintf(known + at, sizeof known - at, "%s%.*s", at ? ", " : "",
                                   (int)length, name);
    }
    return keeli_error(world, KEEL_ERROR_UNKNOWN,
                       "no step of workload '%s' is named '%s'; there is: %s", w->name, wanted,
                       *known ? known : "none");
}

// Finds the stored workload, and checks that a step of it has this name.
static keel_result find_step(keel_world *world, const char *workload, const char *name,
                             keeli_stored_workload **found) {
    KEEL_TRY(check_workloads_changeable(world));
    keeli_stored_workload *w = *found = find_or_default(world, workload);
    if (!w)
        return keeli_unknown_workload(world, workload);
    if (!name)
        return unknown_step(world, w, "");
    for (uint32_t i = 0; i < w->steps.count; ++i)
        if (is_named(&w->steps.items[i], name))
            return KEEL_OK;
    return unknown_step(world, w, name);
}

keel_result keel_enable_step(keel_world *world, const char *workload, const char *name,
                             bool enabled) {
    keeli_stored_workload *w;
    if (keeli_is_no_world(world))
        return keeli_no_world();
    KEEL_TRY(find_step(world, workload, name, &w));
    for (uint32_t i = 0; i < w->steps.count; ++i)
        if (is_named(&w->steps.items[i], name))
            w->steps.items[i].disabled = !enabled;
    return KEEL_OK;
}

keel_result keel_remove_step(keel_world *world, const char *workload, const char *name) {
    keeli_stored_workload *w;
    if (keeli_is_no_world(world))
        return keeli_no_world();
    KEEL_TRY(find_step(world, workload, name, &w));

    uint32_t kept = 0;
    for (uint32_t i = 0; i < w->steps.count; ++i) {
        keel_step *step = &w->steps.items[i];
        if (!is_named(step, name)) {
            w->steps.items[kept++] = *step;
            continue;
        }
        keeli_schedules_remove_step(world, step->number);
        free_texts(world, step);
    }
    w->steps.count = kept;
    ++world->registry.bindings; // schedules that contain the workload are out of date
    return KEEL_OK;
}

const keel_workload *keel_find_workload(keel_world *world, const char *name) {
    keeli_stored_workload *w = keeli_is_nobody(world) ? NULL : find_or_default(world, name);
    if (!w)
        return NULL;
    w->table = (keel_workload){ w->name, w->steps.items, w->steps.count, NULL };
    return &w->table;
}

keel_result keel_set_default_workload(keel_world *world, const char *name) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    KEEL_TRY(check_workloads_changeable(world));
    keeli_stored_workload *w = keeli_stored_find(world, name);
    if (!w)
        return keeli_unknown_workload(world, name);
    world->workloads.chosen = w;
    return KEEL_OK;
}
