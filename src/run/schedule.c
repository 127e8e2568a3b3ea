// SPDX-License-Identifier: MIT
// Steps become nodes: nested workloads are written out in place, between a node that opens them
// and one that closes them. Schedules are kept in the world, or with the stored workload, and used
// again. One that no longer fits is made anew, and takes over what its systems know: which startup
// systems are done, what was seen of changes.
#include "run/schedule.h"

#include "data/component_index.h"
#include "follow/changes.h"
#include "run/loop.h"
#include "world/report.h"

#include <string.h>

enum { kept_at_most = 256 }; // tables made by hand: those on the stack come and go

// ------------------------------------------------------------------ checks
static keel_result check_step(const keeli_schedule *s, const keel_step *step, const char *name) {
    const int kinds = (step->system != NULL) + (step->workload != NULL) +
                      (step->workload_name != NULL) + (step->barrier ? 1 : 0);
    if (kinds != 1)
        return keeli_misuse(s->world, KEEL_ERROR_ARGUMENT,
                            "a step of workload '%s' needs one of system, workload, workload_name "
                            "and barrier",
                            name);
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
    return step->system ? keeli_check_system(s->world, step->system, false) : KEEL_OK;
}

// ------------------------------------------------------------------ nodes
keeli_node *keeli_new_node(keeli_schedule *s, keeli_node_kind kind, uint32_t section) {
    if (!KEELI_RESERVE(&s->world->heap, &s->nodes, 1)) return NULL;
    keeli_node *node = &s->nodes.items[s->nodes.count++];
    memset(node, 0, sizeof *node);
    node->kind = kind;
    node->section = section;
    node->workload = s->sections.items[section].name;
    node->of = KEELI_NO_NODE;
    return node;
}

static bool has_conditions(const keel_step *step) {
    return step->run_if || step->skip_if || step->skip_if_empty || step->skip_if_missing;
}

// Where a walk over nested lists is: kept on the heap, so that depth is no danger to the stack.
typedef struct place {
    const keel_step *steps;
    uint32_t at, count, section;
} place;

typedef struct walk {
    KEELI_ARRAY(place) places;
    keeli_pointer_table open; // lists of steps that it is in: not NULL
} walk;

// Mark a list that is entered. KEEL_ERROR_CYCLE: it was, already.
static keel_result mark_open(keeli_schedule *s, walk *w, const char *name, const keel_step *steps) {
    keeli_heap *heap = &s->world->heap;
    if (!keeli_pointer_reserve(&w->open, heap)) return keeli_schedule_no_memory(s);
    struct keeli_pointer_item *item = keeli_pointer_place(&w->open, steps);
    if (item->value)
        return keeli_error(s->world, KEEL_ERROR_CYCLE, "workload '%s' contains itself", name);
    if (!item->key) keeli_pointer_add(&w->open, steps, w);
    item->value = w;
    return KEEL_OK;
}

// Enter a list of steps; `step` is the one that names it, NULL for the outermost.
static keel_result enter(keeli_schedule *s, walk *w, const char *name, const keel_step *steps,
                         uint32_t count, const keel_step *step, uint32_t outer) {
    keeli_heap *heap = &s->world->heap;
    if (count && !steps)
        return keeli_misuse(s->world, KEEL_ERROR_ARGUMENT, "the workload '%s' has no steps", name);
    if (count) KEEL_TRY(mark_open(s, w, name, steps));
    if (!KEELI_RESERVE(heap, &s->sections, 1) || !KEELI_RESERVE(heap, &w->places, 1))
        return keeli_schedule_no_memory(s);
    const uint32_t section = s->sections.count++;
    keeli_section *g = &s->sections.items[section];
    *g = (keeli_section){ .name = name, .outer = outer, .open = KEELI_NO_NODE, .steps = steps };
    g->close = g->gate = KEELI_NO_NODE;
    if (step) {
        keeli_node *open = keeli_new_node(s, KEELI_NODE_OPEN, outer);
        if (!open) return keeli_schedule_no_memory(s);
        open->step = *step;
        open->step.main_thread |= s->sections.items[outer].main_thread;
        open->name = name;
        open->has_conditions = has_conditions(step);
        open->place = section;
        g->open = s->nodes.count - 1;
        g->label = step->label;
        g->sequential = step->sequential;
        g->main_thread = step->main_thread || s->sections.items[outer].main_thread;
        g->startup = step->startup || s->sections.items[outer].startup;
        g->gate = has_conditions(step) ? g->open : s->sections.items[outer].gate;
    }
    g->first = s->nodes.count;
    w->places.items[w->places.count++] = (place){ steps, 0, count, section };
    return KEEL_OK;
}

static keel_result leave(keeli_schedule *s, walk *w) {
    const place *left = &w->places.items[--w->places.count];
    keeli_section *g = &s->sections.items[left->section];
    if (left->count) keeli_pointer_place(&w->open, left->steps)->value = NULL;
    g->end = s->nodes.count;
    if (g->open == KEELI_NO_NODE) return KEEL_OK;
    keeli_node *close = keeli_new_node(s, KEELI_NODE_CLOSE, g->outer);
    if (!close) return keeli_schedule_no_memory(s);
    close->name = g->name;
    g->close = s->nodes.count - 1;
    return KEEL_OK;
}

static keel_result enter_nested(keeli_schedule *s, walk *w, const keel_step *step, uint32_t outer) {
    if (step->workload) {
        const keel_workload *nested = step->workload;
        if (!nested->stamp) s->stamp = 0; // made by hand: look at its bytes
        if (!keeli_key_table(s, nested)) return keeli_schedule_no_memory(s);
        return enter(s, w, nested->name ? nested->name : "", nested->steps, nested->step_count,
                     step, outer);
    }
    s->names_stored = true;
    const keeli_stored_workload *stored = keeli_stored_find(s->world, step->workload_name);
    if (!stored) return keeli_unknown_workload(s->world, step->workload_name);
    return enter(s, w, stored->name, stored->steps.items, stored->steps.count, step, outer);
}

static keel_result add_step(keeli_schedule *s, walk *w, const keel_step *step, uint32_t section) {
    KEEL_TRY(check_step(s, step, s->sections.items[section].name));
    if (!keeli_key_step(s, step)) return keeli_schedule_no_memory(s);
    if (step->workload || step->workload_name) return enter_nested(s, w, step, section);
    keeli_node *node =
        keeli_new_node(s, step->barrier ? KEELI_NODE_BARRIER : KEELI_NODE_SYSTEM, section);
    if (!node) return keeli_schedule_no_memory(s);
    node->step = *step;
    node->step.main_thread |= s->sections.items[section].main_thread;
    node->step.startup |= s->sections.items[section].startup;
    node->has_conditions = has_conditions(step);
    node->name = step->system ? step->system->name : "a barrier";
    if (step->system) node->place = s->system_count++;
    s->parallel += step->parallel;
    s->has_startup |= node->step.startup;
    return KEEL_OK;
}

static keel_result walk_all(keeli_schedule *s, walk *w) {
    while (w->places.count) {
        place *p = &w->places.items[w->places.count - 1];
        if (p->at == p->count) KEEL_TRY(leave(s, w));
        else {
            const keel_step *step = &p->steps[p->at++];
            KEEL_TRY(add_step(s, w, step, p->section));
        }
    }
    return KEEL_OK;
}

static keel_result make_nodes(keeli_schedule *s) {
    walk w = { 0 };
    const keel_workload *table = s->table;
    const keeli_stored_workload *stored = s->stored;
    if (table && !keeli_key_table(s, table)) return keeli_schedule_no_memory(s);
    keel_result result =
        table
            ? enter(s, &w, table->name ? table->name : "", table->steps, table->step_count, NULL, 0)
            : enter(s, &w, stored->name, stored->steps.items, stored->steps.count, NULL, 0);
    if (result == KEEL_OK) result = walk_all(s, &w);
    KEELI_RELEASE(&s->world->heap, &w.places);
    keeli_pointer_table_deinit(&w.open, &s->world->heap);
    return result;
}

// ------------------------------------------------------------------ freeing
static void free_node(keel_world *world, keeli_node *node) {
    for (uint32_t i = 0; i < KEELI_STEP_SYSTEMS; ++i)
        if (node->bound[i]) keeli_bound_free(world, node->bound[i]);
    if (node->editor) keeli_view_free(node->editor);
    KEELI_RELEASE(&world->heap, &node->lists);
}

static void free_schedule(keeli_schedule *s) {
    keel_world *world = s->world;
    keeli_heap *heap = &world->heap;
    for (uint32_t i = 0; i < s->nodes.count; ++i)
        free_node(world, &s->nodes.items[i]);
    KEELI_RELEASE(heap, &s->nodes);
    KEELI_RELEASE(heap, &s->sections);
    KEELI_RELEASE(heap, &s->pairs);
    KEELI_RELEASE(heap, &s->edges);
    KEELI_RELEASE(heap, &s->loose);
    KEELI_RELEASE(heap, &s->touches);
    KEELI_RELEASE(heap, &s->keys);
    KEELI_RELEASE(heap, &s->key_bytes);
    KEELI_RELEASE(heap, &s->ready);
    KEELI_RELEASE(heap, &s->ready_main);
    KEELI_RELEASE(heap, &s->idle);
    keeli_free(heap, s->described, s->described_bytes, _Alignof(max_align_t));
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

static bool make_room(keeli_schedule *s) {
    keeli_heap *heap = &s->world->heap;
    if (!KEELI_RESERVE(heap, &s->ready, s->nodes.count) ||
        !KEELI_RESERVE(heap, &s->ready_main, s->nodes.count) ||
        !KEELI_RESERVE(heap, &s->idle, s->nodes.count))
        return false;
    s->idle.count = s->nodes.count;
    for (uint32_t i = 0; i < s->nodes.count; ++i)
        s->idle.items[i] = NULL;
    return true;
}

static keel_result fill(keeli_schedule *s) {
    KEEL_TRY(make_nodes(s));
    KEEL_TRY(keeli_order(s));
    KEEL_TRY(keeli_graph(s));
    KEELI_RELEASE(&s->world->heap, &s->pairs);
    if (s->stamp) { // it tells enough
        KEELI_RELEASE(&s->world->heap, &s->keys);
        KEELI_RELEASE(&s->world->heap, &s->key_bytes);
    }
    return make_room(s) ? KEEL_OK : keeli_schedule_no_memory(s);
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

// Which nodes of the old schedule are of a system, in linear order: lists by the system's address.
// They are in memory that is for runs, which neither schedule has now.
typedef struct veterans {
    uint32_t *first; // by bucket
    uint32_t *next;  // by node
    uint32_t bucket_count;
} veterans;

static uint32_t *bucket_of(const veterans *v, const keel_system *system) {
    return &v->first[((uint32_t)((uintptr_t)system / 16) * 2654435769u >> 8) % v->bucket_count];
}

static veterans list_veterans(keeli_schedule *s, keeli_schedule *old) {
    const veterans v = { s->ready.items, old->ready.items, s->nodes.count };
    for (uint32_t i = 0; i < v.bucket_count; ++i)
        v.first[i] = KEELI_NO_NODE;
    for (uint32_t i = v.bucket_count ? old->nodes.count : 0; i--;) {
        if (old->nodes.items[i].kind != KEELI_NODE_SYSTEM) continue;
        uint32_t *bucket = bucket_of(&v, old->nodes.items[i].step.system);
        v.next[i] = *bucket;
        *bucket = i;
    }
    return v;
}

// The first one of the system that was not asked for yet, or NULL.
static keeli_node *next_veteran(const veterans *v, keeli_schedule *old, const keel_system *system) {
    uint32_t *at = bucket_of(v, system);
    while (*at != KEELI_NO_NODE && old->nodes.items[*at].step.system != system)
        at = &v->next[*at];
    if (*at == KEELI_NO_NODE) return NULL;
    keeli_node *node = &old->nodes.items[*at];
    *at = v->next[*at];
    return node;
}

// What a system knows from its runs so far goes over to the node that takes its place.
static void take_over(keeli_schedule *s, keeli_schedule *old) {
    const veterans v = list_veterans(s, old);
    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        keeli_node *node = &s->nodes.items[i];
        if (node->kind != KEELI_NODE_SYSTEM) continue;
        keeli_node *was = next_veteran(&v, old, node->step.system);
        if (!was) continue;
        node->has_run = keeli_atomic_load_byte(&was->has_run);
        memcpy(node->bound, was->bound, sizeof node->bound);
        memset(was->bound, 0, sizeof was->bound);
        for (uint32_t k = 0; k < KEELI_STEP_SYSTEMS; ++k)
            if (node->bound[k]) keeli_bound_unbind(node->bound[k]);
    }
    s->runs = old->runs;
}

// ------------------------------------------------------------------ keeping
static bool is_for(const keeli_schedule *s, const keel_workload *table) {
    return s->table == table &&
           (!s->stamp || (table->stamp && keeli_atomic_load64(table->stamp) == s->stamp));
}

static bool is_current(const keeli_schedule *s) {
    return !s->is_partial && s->bindings == s->world->registry.bindings && keeli_keys_agree(s);
}

// What an old one knows is about the same workload. Bytes behind names that are stored may be gone.
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

// A second one is used while the first is busy: what was run once there is not run again.
static void learn(keeli_schedule *s, const keeli_schedule *first) {
    for (uint32_t i = 0; i < s->nodes.count && i < first->nodes.count; ++i) {
        keeli_node *node = &s->nodes.items[i];
        const keeli_node *other = &first->nodes.items[i];
        if (node->step.system == other->step.system && keeli_atomic_load_byte(&other->has_run))
            keeli_atomic_store_byte(&node->has_run, 1);
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
    if (old && old->is_partial) learn(s, old); // what it was told of since it was looked at
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
    keeli_schedule *fresh = make(world, table, stored, result);
    if (fresh && old && can_take_over(old)) take_over(fresh, old);
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
