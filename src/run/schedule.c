// SPDX-License-Identifier: MIT
// Makes schedules from lists of steps, and caches them. Steps become nodes. The steps of a nested
// workload are inserted in place, between a BEGIN and an END node. workload.c acquires a schedule
// for each run, tell/describe.c to describe it; execute.c runs it.
//
// Schedules of tables are cached in the world, schedules of a stored workload in this workload. A
// schedule that is out of date is replaced. The run state of its systems moves to the new schedule:
// how often each one ran, and which changes it has seen.
#include "run/schedule.h"

#include "data/component_index.h"
#include "follow/changes.h"
#include "run/workers.h"
#include "world/report.h"

#include <string.h>

// The most cached schedules of tables without a stamp. Such tables may have been on the stack.
enum { cached_at_most = 256 };

// ------------------------------------------------------------------ checks
keel_result keeli_check_step(keel_world *world, const keel_step *step, const char *workload) {
    int kinds = 0;
    if (step)
        kinds = (step->system != NULL) + (step->workload != NULL) + (step->workload_name != NULL) +
                (step->barrier ? 1 : 0);
    if (kinds == 1)
        return KEEL_OK;
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                        "a step of workload '%s' needs one of system, workload, workload_name and "
                        "barrier",
                        workload);
}

// Checks everything about a step that is known before its terms are bound.
static keel_result check_step(const keeli_schedule *s, const keel_step *step, const char *name) {
    KEEL_TRY(keeli_check_step(s->world, step, name));
    if (step->run_if)
        KEEL_TRY(keeli_check_system(s->world, step->run_if, true));
    if (step->skip_if)
        KEEL_TRY(keeli_check_system(s->world, step->skip_if, true));
    if (step->skip_if_missing &&
        (!step->skip_if_missing->is_unique || step->skip_if_missing->is_event))
        return keeli_misuse(s->world, KEEL_ERROR_ARGUMENT,
                            "skip_if_missing of a step in '%s' names a component or events; it "
                            "takes a unique: KEEL_UNIQUE_OF(T)",
                            name);
    if (step->skip_if_empty && step->skip_if_empty->is_unique)
        return keeli_misuse(s->world, KEEL_ERROR_ARGUMENT,
                            "skip_if_empty of a step in '%s' names a unique; it takes a "
                            "component: KEEL_OF(T)",
                            name);
    const bool is_period = step->every >= 0 && step->every <= KEELI_MAX_SECONDS; // not a NaN
    if (!is_period)
        return keeli_misuse(s->world, KEEL_ERROR_ARGUMENT,
                            ".every of a step in '%s' is %g; it takes seconds from 0 to %g", name,
                            step->every, KEELI_MAX_SECONDS);
    KEEL_TRY(keeli_state_check(s->world, step, name));
    return step->system ? keeli_check_system(s->world, step->system, false) : KEEL_OK;
}

// ------------------------------------------------------------------ nodes
keeli_node *keeli_new_node(keeli_schedule *s, keel_node_kind kind, uint32_t section) {
    if (!KEELI_RESERVE(&s->world->heap, &s->nodes, 1))
        return NULL;
    keeli_node *node = &s->nodes.items[s->nodes.count++];
    memset(node, 0, sizeof *node);
    node->kind = kind;
    node->serial = keeli_next_serial(s->world);
    node->section = section;
    node->workload = s->sections.items[section].name;
    node->of = KEEL_NO_NODE;
    return node;
}

static bool has_conditions(const keel_step *step) {
    const keel_component *uniques[2];
    return step->run_if || step->skip_if || step->skip_if_empty || step->skip_if_missing ||
           step->every > 0 || keeli_state_uniques(step, uniques);
}

// Returns the limit of runs of a step; 0: no limit. `around`: the limit of its section.
static uint32_t times_of(const keel_step *step, uint32_t around) {
    const uint32_t own = step->startup ? 1 : step->times;
    const bool is_own_lower = own && (!around || own < around);
    return is_own_lower ? own : around;
}

// A walk over nested lists of steps. Its position is stored in the sections, so that no depth of
// nesting can overflow the stack.
typedef struct walk {
    uint32_t section;         // the current section
    keeli_pointer_table open; // lists of steps; the value is not NULL while the walk is inside one
    keeli_view *view;         // a view to bind terms in
} walk;

// Marks a list of steps as entered. KEEL_ERROR_CYCLE if the walk is already inside the list.
static keel_result mark_open(keeli_schedule *s, walk *w, const char *name, const keel_step *steps) {
    if (!keeli_pointer_reserve(&w->open, &s->world->heap))
        return keeli_schedule_no_memory(s);
    struct keeli_pointer_item *item = keeli_pointer_place(&w->open, steps);
    if (item->value)
        return keeli_error(s->world, KEEL_ERROR_CYCLE, "workload '%s' contains itself", name);
    if (!item->key)
        keeli_pointer_add(&w->open, steps, w);
    item->value = w;
    return KEEL_OK;
}

// Adds the node that opens a section.
static keel_result add_opening(keeli_schedule *s, const walk *w, keeli_section *g,
                               const keel_step *step) {
    const keeli_section *around = &s->sections.items[g->outer];
    keeli_node *open = keeli_new_node(s, KEEL_NODE_BEGIN, g->outer);
    if (!open)
        return keeli_schedule_no_memory(s);
    open->step = *step;
    open->asked = step;
    open->step.main_thread |= around->main_thread;
    open->name = g->name;
    open->has_conditions = has_conditions(step);
    open->place = (uint32_t)(g - s->sections.items);

    g->open = s->nodes.count - 1;
    g->label = step->label;
    g->sequential = step->sequential;
    g->main_thread = open->step.main_thread;
    g->times = times_of(step, around->times);

    s->has_periods |= step->every > 0;
    return keeli_touch_step(s, g->open, w->view);
}

// Adds a section for a table or, if that is NULL, for a stored workload, and makes it the current
// one. `step`: the step that names the workload; NULL for the outermost section.
static keel_result enter_section(keeli_schedule *s, walk *w, const keel_workload *table,
                                 const keeli_stored_workload *stored, const keel_step *step) {
    const char *name = table ? table->name : stored->name;
    const keel_step *steps = table ? table->steps : stored->steps.items;
    const uint32_t count = table ? table->step_count : stored->steps.count;
    if (!name)
        name = "";
    if (table && !keeli_key_table(s, table))
        return keeli_schedule_no_memory(s);

    if (count && !steps)
        return keeli_misuse(s->world, KEEL_ERROR_ARGUMENT, "the workload '%s' has no steps", name);
    if (count)
        KEEL_TRY(mark_open(s, w, name, steps));

    if (!KEELI_RESERVE(&s->world->heap, &s->sections, 1))
        return keeli_schedule_no_memory(s);
    keeli_section *g = &s->sections.items[s->sections.count++];
    *g = (keeli_section){ .name = name, .outer = w->section, .steps = steps, .step_count = count };
    g->open = g->close = KEEL_NO_NODE;
    if (step)
        KEEL_TRY(add_opening(s, w, g, step));
    g->first = s->nodes.count;
    w->section = s->sections.count - 1;
    return KEEL_OK;
}

// Adds the node that closes the current section, and returns to the section around it.
static keel_result leave_section(keeli_schedule *s, walk *w) {
    keeli_section *g = &s->sections.items[w->section];
    if (g->step_count)
        keeli_pointer_place(&w->open, g->steps)->value = NULL;
    g->end = s->nodes.count;
    w->section = g->outer;

    if (g->open == KEEL_NO_NODE)
        return KEEL_OK;
    keeli_node *close = keeli_new_node(s, KEEL_NODE_END, g->outer);
    if (!close)
        return keeli_schedule_no_memory(s);
    close->name = g->name;
    g->close = s->nodes.count - 1;
    return KEEL_OK;
}

// Adds the nodes of a step, or enters the workload that it names.
static keel_result add_step(keeli_schedule *s, walk *w, const keel_step *step) {
    const keeli_section *section = &s->sections.items[w->section];
    KEEL_TRY(check_step(s, step, section->name));
    if (!keeli_key_step(s, step))
        return keeli_schedule_no_memory(s);

    if (step->workload) {
        if (!step->workload->stamp)
            s->stamp = 0; // the nested table has no stamp: all keys must be compared
        return enter_section(s, w, step->workload, NULL, step);
    }
    if (step->workload_name) {
        const keeli_stored_workload *stored = keeli_stored_find(s->world, step->workload_name);
        s->names_stored = true;
        if (!stored)
            return keeli_unknown_workload(s->world, step->workload_name);
        return enter_section(s, w, NULL, stored, step);
    }

    const keel_node_kind kind = step->barrier ? KEEL_NODE_BARRIER : KEEL_NODE_SYSTEM;
    keeli_node *node = keeli_new_node(s, kind, w->section);
    if (!node)
        return keeli_schedule_no_memory(s);
    node->step = *step;
    node->asked = step;
    node->step.main_thread |= section->main_thread;
    node->step.times = times_of(step, section->times);
    node->has_conditions = has_conditions(step);
    node->name = step->system ? step->system->name : "a barrier";
    if (step->system)
        node->place = s->system_count++;

    s->parallel += step->parallel;
    s->has_limits |= node->step.times > 0;
    s->has_periods |= step->every > 0;
    return keeli_touch_step(s, s->nodes.count - 1, w->view);
}

// Makes the nodes and sections of all steps, in the order of the list.
static keel_result make_nodes(keeli_schedule *s) {
    walk w = { .view = keeli_view_acquire(s->world, "a workload") };
    if (!w.view)
        return KEEL_ERROR_MEMORY;
    keel_result result = enter_section(s, &w, s->table, s->stored, NULL);
    bool is_done = false;
    while (result == KEEL_OK && !is_done) {
        keeli_section *g = &s->sections.items[w.section];
        if (g->at < g->step_count) {
            result = add_step(s, &w, &g->steps[g->at++]);
        } else {
            is_done = w.section == 0;
            result = leave_section(s, &w);
        }
    }
    keeli_view_release(w.view);
    keeli_pointer_table_deinit(&w.open, &s->world->heap);
    return result;
}

// ------------------------------------------------------------------ freeing
static void free_schedule(keeli_schedule *s) {
    keel_world *world = s->world;
    keeli_heap *heap = &world->heap;
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        keeli_node *node = &s->nodes.items[i];
        for (uint32_t k = 0; k < KEELI_STEP_SYSTEMS; ++k)
            if (node->bound[k])
                keeli_bound_free(world, node->bound[k]);
        if (node->editor)
            keeli_view_free(node->editor);
        KEELI_RELEASE(heap, &node->lists);
    }
    KEELI_RELEASE(heap, &s->nodes);
    KEELI_RELEASE(heap, &s->sections);
    KEELI_RELEASE(heap, &s->edges);
    KEELI_RELEASE(heap, &s->touches);
    KEELI_RELEASE(heap, &s->keys);
    KEELI_RELEASE(heap, &s->key_bytes);
    KEELI_RELEASE(heap, &s->ready);
    KEELI_RELEASE(heap, &s->ready_main);
    KEELI_RELEASE(heap, &s->idle);
    KEELI_RELEASE(heap, &s->described);
    KEELI_FREE(heap, keeli_schedule, s);
}

static void free_schedules(keeli_schedule **list) {
    for (keeli_schedule *s; (s = *list) != NULL;) {
        *list = s->next;
        free_schedule(s);
    }
}

void keeli_schedules_forget(keeli_stored_workload *stored) { free_schedules(&stored->schedules); }
void keeli_schedules_deinit(keel_world *world) {
    keeli_waiting_deinit(world);
    free_schedules(&world->workloads.schedules);
    for (keeli_stored_workload *w = world->workloads.first; w; w = w->next)
        free_schedules(&w->schedules);
}

// ------------------------------------------------------------------ making
keel_result keeli_schedule_no_memory(const keeli_schedule *s) {
    return keeli_out_of_memory(s->world, "preparing a workload");
}

// Frees the unused capacity of arrays. This moves them, which is safe: nothing points into them
// yet.
static void trim_schedule(keeli_schedule *s) {
    keeli_heap *heap = &s->world->heap;
    KEELI_TRIM(heap, &s->nodes);
    KEELI_TRIM(heap, &s->edges);
    KEELI_TRIM(heap, &s->touches);
    KEELI_TRIM(heap, &s->keys);
    KEELI_TRIM(heap, &s->key_bytes);
}

// Makes the nodes, edges, keys and arrays of a schedule.
static keel_result schedule_fill(keeli_schedule *s) {
    KEEL_TRY(make_nodes(s));
    KEEL_TRY(keeli_state_check_all(s));
    KEEL_TRY(keeli_order(s));
    KEEL_TRY(keeli_graph(s));

    if (s->stamp) { // comparing the stamp replaces comparing the keys
        KEELI_RELEASE(&s->world->heap, &s->keys);
        KEELI_RELEASE(&s->world->heap, &s->key_bytes);
    }
    trim_schedule(s);

    if (!KEELI_RESERVE(&s->world->heap, &s->idle, s->nodes.count))
        return keeli_schedule_no_memory(s);
    s->idle.count = s->nodes.count;
    for (uint32_t i = 0; i < s->nodes.count; ++i)
        s->idle.items[i] = NULL;
    return KEEL_OK;
}

// Makes a schedule of a table or a stored workload. Returns NULL on failure, with the error in
// `*result`.
static keeli_schedule *schedule_make(keel_world *world, const keel_workload *table,
                                     keeli_stored_workload *stored, keel_result *result) {
    keeli_schedule *s = KEELI_NEW(&world->heap, keeli_schedule);
    if (!s) {
        *result = keeli_out_of_memory(world, "preparing a workload");
        return NULL;
    }
    s->world = world;
    s->table = table;
    s->stored = stored;
    s->stamp = table && table->stamp ? keeli_stamp(table->stamp) : 0;
    *result = schedule_fill(s);
    if (*result < 0) {
        free_schedule(s);
        return NULL;
    }
    // read last, because binding terms may have registered components, which changes it
    s->bindings = world->registry.bindings;
    return s;
}

// Returns the pointer by which the node of the same step is found in a new schedule: its system or
// nested workload. NULL for nodes whose run state is not moved.
static const void *identity_of(const keeli_node *node) {
    if (node->is_removed)
        return NULL;
    if (node->kind == KEEL_NODE_SYSTEM)
        return node->step.system;
    if (node->kind != KEEL_NODE_BEGIN)
        return NULL;
    if (node->step.workload)
        return node->step.workload;
    return node->name;
}

// Marks the nodes of a removed step, and of the steps nested in it, in all schedules of a list.
static void mark_removed(const keeli_schedule *s, uint32_t number) {
    for (; s; s = s->next) {
        for (uint32_t i = 0; i < s->nodes.count; ++i) { // a section's node comes before its members
            keeli_node *node = &s->nodes.items[i];
            const uint32_t open = s->sections.items[node->section].open;
            const bool is_inside = open != KEEL_NO_NODE && s->nodes.items[open].is_removed;
            node->is_removed |= node->step.number == number || is_inside;
        }
    }
}

void keeli_schedules_remove_step(keel_world *world, uint32_t number) {
    mark_removed(world->workloads.schedules, number);
    for (const keeli_stored_workload *w = world->workloads.first; w; w = w->next)
        mark_removed(w->schedules, number);
}

// Returns the old node that follows `node` in its list of one identity, or NULL.
static keeli_node *node_at(const keeli_schedule *s, const uint32_t *next, const keeli_node *node) {
    const uint32_t later = next[node - s->nodes.items];
    return later != KEEL_NO_NODE ? &s->nodes.items[later] : NULL;
}

void keeli_node_move(keeli_node *node, keeli_node *was) {
    node->serial = was->serial;
    node->runs = keeli_atomic_load(&was->runs);
    node->passed = was->passed;
    memcpy(node->bound, was->bound, sizeof node->bound);
    memset(was->bound, 0, sizeof was->bound);
    for (uint32_t k = 0; k < KEELI_STEP_SYSTEMS; ++k)
        if (node->bound[k])
            keeli_bound_unbind(node->bound[k]);
}

// The nodes of an old schedule that can still be moved into a new one.
typedef struct old_nodes {
    keeli_schedule *schedule;
    keeli_pointer_table first; // by identity: the first node
    uint32_t *next;            // by node: the next node of the same identity, or KEEL_NO_NODE
} old_nodes;

// Lists the nodes of the old schedule by identity, in linear order. False if out of memory.
static bool list_old_nodes(keeli_heap *heap, old_nodes *old) {
    for (uint32_t i = old->schedule->nodes.count; i--;) {
        keeli_node *node = &old->schedule->nodes.items[i];
        const void *identity = identity_of(node);
        if (!identity)
            continue;
        if (!keeli_pointer_reserve(&old->first, heap))
            return false;
        struct keeli_pointer_item *item = keeli_pointer_place(&old->first, identity);
        const keeli_node *later = item->value;
        old->next[i] = later ? (uint32_t)(later - old->schedule->nodes.items) : KEEL_NO_NODE;
        if (!later)
            keeli_pointer_add(&old->first, identity, node);
        item->value = node;
    }
    return true;
}

// Removes an old node of this identity from its list and returns it: the first node or, if `number`
// is not NULL, the first node of the step with that number. NULL if there is none.
static keeli_node *remove_old_node(old_nodes *old, const void *identity, const uint32_t *number) {
    struct keeli_pointer_item *item = keeli_pointer_place(&old->first, identity);
    keeli_node *was = item->value, *before = NULL;
    while (number && was && was->step.number != *number) {
        before = was;
        was = node_at(old->schedule, old->next, was);
    }
    if (!was)
        return NULL;
    if (before) {
        const keeli_node *nodes = old->schedule->nodes.items;
        old->next[before - nodes] = old->next[was - nodes];
    } else {
        item->value = node_at(old->schedule, old->next, was);
    }
    return was;
}

// Moves the run state of old nodes into the nodes of a new schedule. The first pass matches nodes
// by the number of their step, because the steps of one system may be in another order now (only
// steps of stored workloads have numbers). The second pass matches the remaining nodes of each
// identity in linear order. False if out of memory; then nothing has changed.
static bool move_in_runs(keeli_schedule *s, keeli_schedule *from) {
    keeli_heap *heap = &s->world->heap;
    // `ready` is unused between runs, so both arrays by node are in it
    old_nodes old = { .schedule = from, .next = from->ready.items };
    if (!list_old_nodes(heap, &old)) {
        keeli_pointer_table_deinit(&old.first, heap);
        return false;
    }

    uint32_t *is_done = s->ready.items; // by node
    for (uint32_t i = 0; i < s->nodes.count; ++i)
        is_done[i] = false;
    const uint32_t passes = old.first.count ? 2 : 0; // none if nothing can be moved
    for (uint32_t pass = 0; pass < passes; ++pass) {
        for (uint32_t i = 0; i < s->nodes.count; ++i) {
            keeli_node *node = &s->nodes.items[i];
            if (is_done[i] || !identity_of(node))
                continue;
            const uint32_t *number = pass == 0 ? &node->step.number : NULL;
            keeli_node *was = remove_old_node(&old, identity_of(node), number);
            if (!was)
                continue;
            keeli_node_move(node, was);
            is_done[i] = true;
        }
    }
    s->runs = from->runs;
    keeli_pointer_table_deinit(&old.first, heap);
    return true;
}

// ------------------------------------------------------------------ the cache
// True if the schedule was made from this table, with the table's present stamp. `table` is NULL
// for the schedules of a stored workload.
static bool is_for(const keeli_schedule *s, const keel_workload *table) {
    if (s->table != table)
        return false;
    if (!s->stamp)
        return true;
    // analyzer: only schedules of tables have a stamp
    return table->stamp && keeli_atomic_load(table->stamp) == s->stamp;
}

// True if nothing has changed that the schedule was made from.
static bool schedule_is_current(const keeli_schedule *s) {
    return !s->is_partial && s->bindings == s->world->registry.bindings && keeli_keys_agree(s);
}

// True if the old schedule is of the same workload, so that its run state may be moved. A table
// without a stamp may be another table at the same address: its keys tell. They cannot be compared
// if steps name stored workloads, whose steps may have been freed.
static bool can_move_in(const keeli_schedule *old) {
    if (old->stored || old->stamp)
        return true;
    return !old->names_stored && keeli_keys_agree(old);
}

// Returns the list that the schedule is in.
static keeli_schedule **list_of(const keeli_schedule *s) {
    return s->stored ? &s->stored->schedules : &s->world->workloads.schedules;
}

keeli_schedule *keeli_schedules_beside(const keeli_schedule *s) { return *list_of(s); }

static void unlink_schedule(keeli_schedule *s) {
    keeli_schedule **at = list_of(s);
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
}

// Puts a schedule to the front of its list.
static void link_schedule(keeli_schedule *s) {
    keeli_schedule **list = list_of(s);
    s->next = *list;
    *list = s;
}

// Frees cached schedules of tables without a stamp, beyond cached_at_most. The list is in order of
// use, the latest first.
static void free_oldest_schedules(keel_world *world) {
    uint32_t count = 0;
    for (keeli_schedule *s = world->workloads.schedules, *next; s; s = next) {
        next = s->next;
        if (s->stamp)
            continue;
        ++count;
        if (count <= cached_at_most || s->is_busy)
            continue;
        unlink_schedule(s);
        free_schedule(s);
    }
}

// Copies the number of runs and the time since the last run of each step from the first schedule of
// a workload. A second schedule, used while the first is busy, must not run startup systems again.
static void copy_progress(keeli_schedule *s, const keeli_schedule *first) {
    for (uint32_t i = 0; i < s->nodes.count && i < first->nodes.count; ++i) {
        keeli_node *node = &s->nodes.items[i];
        const keeli_node *other = &first->nodes.items[i];
        const uint32_t runs = keeli_atomic_load(&other->runs);
        if (identity_of(node) != identity_of(other))
            continue;
        if (runs > node->runs)
            keeli_atomic_store(&node->runs, runs);
        keeli_atomic_put(&node->passed, keeli_atomic_peek(&other->passed));
    }
}

// Returns the schedule of the workload that is not `is_second`, or NULL.
static keeli_schedule *find_first(keeli_schedule *list, const keel_workload *table) {
    keeli_schedule *s = list;
    while (s && (s->is_second || !is_for(s, table)))
        s = s->next;
    return s;
}

// Marks a cached schedule of the workload that is not busy as busy, moves it to the front of the
// list, and returns it. NULL if there is none.
static keeli_schedule *acquire_idle(keeli_schedule *list, const keel_workload *table) {
    keeli_schedule *const first = find_first(list, table);
    keeli_schedule *s = first && !first->is_busy ? first : list;
    while (s && (s->is_busy || !is_for(s, table)))
        s = s->next;
    if (!s)
        return NULL;

    s->is_busy = true;
    if (s->is_second && first)
        copy_progress(s, first);
    if (s != list) {
        unlink_schedule(s);
        link_schedule(s);
    }
    return s;
}

// Adds a new schedule to the cache, marked as busy. `old`: the schedule that it replaces, or NULL.
static void link_new_schedule(keeli_schedule *s, const keeli_schedule *old) {
    const keeli_schedule *first = find_first(*list_of(s), s->table);
    s->is_busy = true;
    s->is_second = old ? old->is_second : first != NULL;
    if (s->is_second && first)
        copy_progress(s, first);
    if (old && old->is_partial)
        copy_progress(s, old); // progress of other runs since then
    link_schedule(s);
}

keeli_schedule *keeli_schedule_acquire(keel_world *world, const keel_workload *table,
                                       const char *name, keel_result *result) {
    keeli_stored_workload *stored = table ? NULL : keeli_stored_find(world, name);
    *result = KEEL_OK;
    if (!table && !stored) {
        *result = keeli_unknown_workload(world, name);
        return NULL;
    }
    keeli_world_lock(world);
    keeli_schedule *old =
        acquire_idle(stored ? stored->schedules : world->workloads.schedules, table);
    keeli_world_unlock(world);
    if (old && schedule_is_current(old))
        return old;

    const keeli_stored_workload *named = table ? keeli_stored_find(world, table->name) : NULL;
    if (named && table == &named->table) // the table that keel_find_workload returned
        return keeli_schedule_acquire(world, NULL, table->name, result);

    keeli_schedule *fresh = schedule_make(world, table, stored, result);
    const bool moves_in = fresh && old && can_move_in(old);
    if (moves_in && !move_in_runs(fresh, old)) {
        *result = keeli_schedule_no_memory(fresh);
        free_schedule(fresh);
        fresh = NULL;
    }
    keeli_world_lock(world);

    if (fresh && !moves_in)
        keeli_waiting_claim(fresh);
    if (fresh)
        link_new_schedule(fresh, old);
    if (fresh && old)
        unlink_schedule(old);
    else if (old)
        old->is_busy = false; // the next run tries again
    free_oldest_schedules(world);
    keeli_world_unlock(world);
    if (fresh && old)
        free_schedule(old);
    return fresh;
}

void keeli_schedule_release(keeli_schedule *s) {
    keel_world *world = s->world;
    keeli_world_lock(world);
    s->is_busy = false;
    keeli_world_unlock(world);
}
