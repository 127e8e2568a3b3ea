// SPDX-License-Identifier: MIT
// Steps become nodes: nested workloads are written out in place, between a node that opens them
// and one that closes them. Schedules are kept in the world, or with the stored workload, and used
// again. One that no longer fits is made anew, and takes over what its systems know: which startup
// systems are done, what was seen of changes.
#include "run/schedule.h"

#include "data/component_index.h"
#include "follow/changes.h"
#include "run/workers.h"
#include "world/report.h"

#include <string.h>

enum { kept_at_most = 256 }; // tables made by hand: those on the stack come and go

// ------------------------------------------------------------------ checks
keel_result keeli_check_step(keel_world *world, const keel_step *step, const char *workload) {
    const int kinds = step ? (step->system != NULL) + (step->workload != NULL) +
                                 (step->workload_name != NULL) + (step->barrier ? 1 : 0)
                           : 0;
    if (kinds == 1) return KEEL_OK;
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                        "a step of workload '%s' needs one of system, workload, workload_name and "
                        "barrier",
                        workload);
}

static keel_result check_step(const keeli_schedule *s, const keel_step *step, const char *name) {
    KEEL_TRY(keeli_check_step(s->world, step, name));
    if (step->run_if) KEEL_TRY(keeli_check_system(s->world, step->run_if, true));
    if (step->skip_if) KEEL_TRY(keeli_check_system(s->world, step->skip_if, true));
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
    if (!(step->every >= 0 && step->every <= KEELI_MAX_SECONDS))
        return keeli_misuse(s->world, KEEL_ERROR_ARGUMENT,
                            ".every of a step in '%s' is %g; it takes seconds from 0 to %g", name,
                            step->every, KEELI_MAX_SECONDS);
    KEEL_TRY(keeli_state_check(s->world, step, name));
    return step->system ? keeli_check_system(s->world, step->system, false) : KEEL_OK;
}

// ------------------------------------------------------------------ nodes
keeli_node *keeli_new_node(keeli_schedule *s, keel_node_kind kind, uint32_t section) {
    if (!KEELI_RESERVE(&s->world->heap, &s->nodes, 1)) return NULL;
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

// How often a system may run in all; 0: no limit.
static uint32_t times_of(const keel_step *step, uint32_t around) {
    const uint32_t own = step->startup ? 1 : step->times;
    return own && (!around || own < around) ? own : around;
}

// A walk over nested lists: where it is stands in the sections, so that depth is no danger to the
// stack.
typedef struct walk {
    uint32_t section;         // in which it is
    keeli_pointer_table open; // lists of steps that it is in: not NULL
    keeli_view *view;         // to bind terms in
} walk;

// Mark a list that is entered. KEEL_ERROR_CYCLE: it was, already.
static keel_result mark_open(keeli_schedule *s, walk *w, const char *name, const keel_step *steps) {
    if (!keeli_pointer_reserve(&w->open, &s->world->heap)) return keeli_schedule_no_memory(s);
    struct keeli_pointer_item *item = keeli_pointer_place(&w->open, steps);
    if (item->value)
        return keeli_error(s->world, KEEL_ERROR_CYCLE, "workload '%s' contains itself", name);
    if (!item->key) keeli_pointer_add(&w->open, steps, w);
    item->value = w;
    return KEEL_OK;
}

// The node that opens a section.
static keel_result add_opening(keeli_schedule *s, const walk *w, keeli_section *g,
                               const keel_step *step) {
    const keeli_section *around = &s->sections.items[g->outer];
    keeli_node *open = keeli_new_node(s, KEEL_NODE_BEGIN, g->outer);
    if (!open) return keeli_schedule_no_memory(s);
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

// Enter a table or (NULL) a stored workload; `step` is the one that names it, NULL for the
// outermost.
static keel_result enter(keeli_schedule *s, walk *w, const keel_workload *table,
                         const keeli_stored_workload *stored, const keel_step *step) {
    const char *name = !table ? stored->name : table->name ? table->name : "";
    const keel_step *steps = table ? table->steps : stored->steps.items;
    const uint32_t count = table ? table->step_count : stored->steps.count;
    if (table && !keeli_key_table(s, table)) return keeli_schedule_no_memory(s);
    if (count && !steps)
        return keeli_misuse(s->world, KEEL_ERROR_ARGUMENT, "the workload '%s' has no steps", name);
    if (count) KEEL_TRY(mark_open(s, w, name, steps));
    if (!KEELI_RESERVE(&s->world->heap, &s->sections, 1)) return keeli_schedule_no_memory(s);
    keeli_section *g = &s->sections.items[s->sections.count++];
    *g = (keeli_section){ .name = name, .outer = w->section, .steps = steps, .step_count = count };
    g->open = g->close = KEEL_NO_NODE;
    if (step) KEEL_TRY(add_opening(s, w, g, step));
    g->first = s->nodes.count;
    w->section = s->sections.count - 1;
    return KEEL_OK;
}

static keel_result leave(keeli_schedule *s, walk *w) {
    keeli_section *g = &s->sections.items[w->section];
    if (g->step_count) keeli_pointer_place(&w->open, g->steps)->value = NULL;
    g->end = s->nodes.count;
    w->section = g->outer;
    if (g->open == KEEL_NO_NODE) return KEEL_OK;
    keeli_node *close = keeli_new_node(s, KEEL_NODE_END, g->outer);
    if (!close) return keeli_schedule_no_memory(s);
    close->name = g->name;
    g->close = s->nodes.count - 1;
    return KEEL_OK;
}

static keel_result add_step(keeli_schedule *s, walk *w, const keel_step *step) {
    const keeli_section *section = &s->sections.items[w->section];
    KEEL_TRY(check_step(s, step, section->name));
    if (!keeli_key_step(s, step)) return keeli_schedule_no_memory(s);
    if (step->workload) {
        if (!step->workload->stamp) s->stamp = 0; // made by hand: look at its bytes
        return enter(s, w, step->workload, NULL, step);
    }
    if (step->workload_name) {
        const keeli_stored_workload *stored = keeli_stored_find(s->world, step->workload_name);
        s->names_stored = true;
        return stored ? enter(s, w, NULL, stored, step)
                      : keeli_unknown_workload(s->world, step->workload_name);
    }
    keeli_node *node =
        keeli_new_node(s, step->barrier ? KEEL_NODE_BARRIER : KEEL_NODE_SYSTEM, w->section);
    if (!node) return keeli_schedule_no_memory(s);
    node->step = *step;
    node->asked = step;
    node->step.main_thread |= section->main_thread;
    node->step.times = times_of(step, section->times);
    node->has_conditions = has_conditions(step);
    node->name = step->system ? step->system->name : "a barrier";
    if (step->system) node->place = s->system_count++;
    s->parallel += step->parallel;
    s->has_limits |= node->step.times > 0;
    s->has_periods |= step->every > 0;
    return keeli_touch_step(s, s->nodes.count - 1, w->view);
}

static keel_result make_nodes(keeli_schedule *s) {
    walk w = { .view = keeli_view_take(s->world, "a workload") };
    if (!w.view) return KEEL_ERROR_MEMORY;
    keel_result result = enter(s, &w, s->table, s->stored, NULL);
    for (bool is_done = false; result == KEEL_OK && !is_done;) {
        keeli_section *g = &s->sections.items[w.section];
        is_done = g->at == g->step_count && w.section == 0;
        result = g->at < g->step_count ? add_step(s, &w, &g->steps[g->at++]) : leave(s, &w);
    }
    keeli_view_give(w.view);
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
            if (node->bound[k]) keeli_bound_free(world, node->bound[k]);
        if (node->editor) keeli_view_free(node->editor);
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

static void free_list(keeli_schedule **list) {
    for (keeli_schedule *s; (s = *list) != NULL;) {
        *list = s->next;
        free_schedule(s);
    }
}

void keeli_schedules_forget(keeli_stored_workload *stored) { free_list(&stored->schedules); }
void keeli_schedules_deinit(keel_world *world) {
    free_list(&world->workloads.schedules);
    for (keeli_stored_workload *w = world->workloads.first; w; w = w->next)
        free_list(&w->schedules);
}

// ------------------------------------------------------------------ making
keel_result keeli_schedule_no_memory(const keeli_schedule *s) {
    return keeli_out_of_memory(s->world, "preparing a workload");
}

// What arrays that grew have too much goes back. Nobody points into them yet.
static void trim(keeli_schedule *s) {
    keeli_heap *heap = &s->world->heap;
    KEELI_TRIM(heap, &s->nodes);
    KEELI_TRIM(heap, &s->edges);
    KEELI_TRIM(heap, &s->touches);
    KEELI_TRIM(heap, &s->keys);
    KEELI_TRIM(heap, &s->key_bytes);
}

static keel_result fill(keeli_schedule *s) {
    KEEL_TRY(make_nodes(s));
    KEEL_TRY(keeli_state_check_all(s));
    KEEL_TRY(keeli_order(s));
    KEEL_TRY(keeli_graph(s));
    if (s->stamp) { // it tells enough
        KEELI_RELEASE(&s->world->heap, &s->keys);
        KEELI_RELEASE(&s->world->heap, &s->key_bytes);
    }
    trim(s);
    if (!KEELI_RESERVE(&s->world->heap, &s->idle, s->nodes.count))
        return keeli_schedule_no_memory(s);
    s->idle.count = s->nodes.count;
    for (uint32_t i = 0; i < s->nodes.count; ++i)
        s->idle.items[i] = NULL;
    return KEEL_OK;
}

static keeli_schedule *make(keel_world *world, const keel_workload *table,
                            keeli_stored_workload *stored, keel_result *result) {
    keeli_schedule *s = KEELI_NEW(&world->heap, keeli_schedule);
    if (!s) return *result = keeli_out_of_memory(world, "preparing a workload"), NULL;
    s->world = world;
    s->table = table;
    s->stored = stored;
    s->stamp = table && table->stamp ? keeli_stamp(table->stamp) : 0;
    *result = fill(s);
    if (*result < 0) {
        free_schedule(s);
        return NULL;
    }
    s->bindings = world->registry.bindings; // after: making it may have made components known
    return s;
}

// What the nodes of a step are known by when a schedule takes the place of another; or NULL.
static const void *identity(const keeli_node *node) {
    if (node->is_taken_away) return NULL;
    if (node->kind == KEEL_NODE_SYSTEM) return node->step.system;
    if (node->kind != KEEL_NODE_BEGIN) return NULL;
    return node->step.workload ? (const void *)node->step.workload : node->name;
}

static void take_away(const keeli_schedule *s, uint32_t number) {
    for (; s; s = s->next)
        for (uint32_t i = 0; i < s->nodes.count;
             ++i) { // in linear order: a section's node is first
            keeli_node *node = &s->nodes.items[i];
            const uint32_t open = s->sections.items[node->section].open;
            node->is_taken_away |= node->step.number == number ||
                                   (open != KEEL_NO_NODE && s->nodes.items[open].is_taken_away);
        }
}

void keeli_schedules_take_away(keel_world *world, uint32_t number) {
    take_away(world->workloads.schedules, number);
    for (const keeli_stored_workload *w = world->workloads.first; w; w = w->next)
        take_away(w->schedules, number);
}

// The one that `next` has for a node, or NULL.
static keeli_node *node_at(const keeli_schedule *s, const uint32_t *next, const keeli_node *node) {
    const uint32_t later = next[node - s->nodes.items];
    return later != KEEL_NO_NODE ? &s->nodes.items[later] : NULL;
}

static void take_from(keeli_node *node, keeli_node *was) {
    node->serial = was->serial;
    node->runs = keeli_atomic_load(&was->runs);
    node->passed = was->passed;
    memcpy(node->bound, was->bound, sizeof node->bound);
    memset(was->bound, 0, sizeof was->bound);
    for (uint32_t k = 0; k < KEELI_STEP_SYSTEMS; ++k)
        if (node->bound[k]) keeli_bound_unbind(node->bound[k]);
}

// What a step knows from its runs so far goes over to the node that takes its place: first from a
// step of a stored workload to itself, as steps of one system may have got another order; then, of
// what is left, from the n-th of its nodes in linear order to the n-th. False, and nothing has
// changed: out of memory.
static bool take_over(keeli_schedule *s, keeli_schedule *old) {
    keeli_pointer_table first = { 0 }; // by identity: the first node that is still to be taken over
    uint32_t *next = old->ready.items; // by node: the next one of its kind; memory for runs
    for (uint32_t i = old->nodes.count; i--;) {
        keeli_node *node = &old->nodes.items[i];
        if (!identity(node)) continue;
        if (!keeli_pointer_reserve(&first, &s->world->heap))
            return keeli_pointer_table_deinit(&first, &s->world->heap), false;
        struct keeli_pointer_item *item = keeli_pointer_place(&first, identity(node));
        const keeli_node *later = item->value;
        next[i] = later ? (uint32_t)(later - old->nodes.items) : KEEL_NO_NODE;
        if (!later) keeli_pointer_add(&first, identity(node), node);
        item->value = node;
    }
    uint32_t *is_done = s->ready.items; // by node, too
    for (uint32_t pass = 0; pass < 2; ++pass)
        for (uint32_t i = 0; i < s->nodes.count && first.count; ++i) {
            keeli_node *node = &s->nodes.items[i];
            if (!pass) is_done[i] = false;
            if (!identity(node) || is_done[i]) continue;
            struct keeli_pointer_item *item = keeli_pointer_place(&first, identity(node));
            keeli_node *was = item->value, *before = NULL;
            while (!pass && was && was->step.number != node->step.number)
                was = node_at(old, next, before = was);
            if (!was) continue;
            if (before) next[before - old->nodes.items] = next[was - old->nodes.items];
            else item->value = node_at(old, next, was);
            take_from(node, was);
            is_done[i] = true;
        }
    s->runs = old->runs;
    keeli_pointer_table_deinit(&first, &s->world->heap);
    return true;
}

// ------------------------------------------------------------------ keeping
static bool is_for(const keeli_schedule *s, const keel_workload *table) {
    return s->table == table &&
           // analyzer: only schedules of tables have a stamp
           (!s->stamp || (table->stamp && keeli_atomic_load(table->stamp) == s->stamp));
}

static bool is_current(const keeli_schedule *s) {
    return !s->is_partial && s->bindings == s->world->registry.bindings && keeli_keys_agree(s);
}

// What an old one knows is about the same workload. Bytes behind names that are stored may have
// been freed.
static bool can_take_over(const keeli_schedule *old) {
    return old->stored || old->stamp || (!old->names_stored && keeli_keys_agree(old));
}

static keeli_schedule **list_of(const keeli_schedule *s) {
    return s->stored ? &s->stored->schedules : &s->world->workloads.schedules;
}

keeli_schedule *keeli_schedules_beside(const keeli_schedule *s) { return *list_of(s); }

static void unlink(keeli_schedule *s) {
    keeli_schedule **at = list_of(s);
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
}

static void keep(keeli_schedule *s) {
    keeli_schedule **list = list_of(s);
    s->next = *list;
    *list = s;
}

// The last ones in the list were not used for the longest time.
static void forget_oldest(keel_world *world) {
    uint32_t count = 0;
    for (keeli_schedule *s = world->workloads.schedules, *next; s; s = next) {
        next = s->next;
        if (s->stamp || ++count <= kept_at_most || s->is_busy) continue;
        unlink(s);
        free_schedule(s);
    }
}

// A second one is used while the first is busy: what was run there often enough is not run again.
static void learn(keeli_schedule *s, const keeli_schedule *first) {
    for (uint32_t i = 0; i < s->nodes.count && i < first->nodes.count; ++i) {
        keeli_node *node = &s->nodes.items[i];
        const keeli_node *other = &first->nodes.items[i];
        const uint32_t runs = keeli_atomic_load(&other->runs);
        if (identity(node) != identity(other)) continue;
        if (runs > node->runs) keeli_atomic_store(&node->runs, runs);
        keeli_atomic_put(&node->passed, keeli_atomic_peek(&other->passed));
    }
}

// The one of the workload that is no second one, or NULL.
static keeli_schedule *find_first(keeli_schedule *list, const keel_workload *table) {
    keeli_schedule *s = list;
    while (s && (s->is_second || !is_for(s, table)))
        s = s->next;
    return s;
}

// One that is kept and not busy, moved to the front of the list and marked.
static keeli_schedule *find(keeli_schedule *list, const keel_workload *table) {
    keeli_schedule *const first = find_first(list, table);
    keeli_schedule *s = first && !first->is_busy ? first : list;
    while (s && (s->is_busy || !is_for(s, table)))
        s = s->next;
    if (!s) return NULL;
    s->is_busy = true;
    if (s->is_second && first) learn(s, first);
    if (s != list) {
        unlink(s);
        keep(s);
    }
    return s;
}

static void keep_new(keeli_schedule *s, const keeli_schedule *old) {
    const keeli_schedule *first = find_first(*list_of(s), s->table);
    s->is_busy = true;
    s->is_second = old ? old->is_second : first != NULL;
    if (s->is_second && first) learn(s, first);
    if (old && old->is_partial) learn(s, old); // what other runs have started since then
    keep(s);
}

keeli_schedule *keeli_schedule_take(keel_world *world, const keel_workload *table, const char *name,
                                    keel_result *result) {
    keeli_stored_workload *stored = table ? NULL : keeli_stored_find(world, name);
    *result = KEEL_OK;
    if (!table && !stored) return *result = keeli_unknown_workload(world, name), NULL;
    keeli_world_lock(world);
    keeli_schedule *old = find(stored ? stored->schedules : world->workloads.schedules, table);
    keeli_world_unlock(world);
    if (old && is_current(old)) return old;
    const keeli_stored_workload *named = table ? keeli_stored_find(world, table->name) : NULL;
    if (named && table == &named->table) // of keel_find_workload
        return keeli_schedule_take(world, NULL, table->name, result);
    keeli_schedule *fresh = make(world, table, stored, result);
    if (fresh && old && can_take_over(old) && !take_over(fresh, old)) {
        *result = keeli_schedule_no_memory(fresh);
        free_schedule(fresh);
        fresh = NULL;
    }
    keeli_world_lock(world);
    if (fresh) keep_new(fresh, old);
    if (fresh && old) unlink(old);
    else if (old) old->is_busy = false; // for another try
    forget_oldest(world);
    keeli_world_unlock(world);
    if (fresh && old) free_schedule(old);
    return fresh;
}

void keeli_schedule_give(keeli_schedule *s) {
    keel_world *world = s->world;
    keeli_world_lock(world);
    s->is_busy = false;
    keeli_world_unlock(world);
}
