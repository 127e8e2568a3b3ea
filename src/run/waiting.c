// SPDX-License-Identifier: MIT
// Nodes that wait: the state of steps whose workload has no schedule yet. A snapshot that was read
// from bytes has the state of steps that its world may never have run, so their nodes are kept here
// until the schedule is made. They are nodes of one schedule that never runs, so that snapshots
// take and restore their state like that of all nodes (rewind/runs.c). schedule.c claims them;
// rewind/unpack_runs.c adds them.
#include "run/schedule.h"

#include <string.h>

const char *keeli_schedule_name(const keeli_schedule *s) {
    return s->sections.count ? s->sections.items[0].name : "";
}

static bool is_node_of(const keeli_node *node, keel_node_kind kind, uint32_t place,
                       const char *name) {
    return node->kind == kind && node->place == place && strcmp(node->name, name) == 0;
}

// The identity of a node, and the nodes to pass over.
typedef struct wanted_node {
    const char *workload, *name;
    keel_node_kind kind;
    uint32_t place;
    bool (*is_taken)(const void *data, uint64_t serial);
    const void *data;
} wanted_node;

// Returns the node in a list of schedules that was made first, or NULL.
static keeli_node *find_in_schedules(const keeli_schedule *s, const wanted_node *w) {
    keeli_node *first = NULL;
    for (; s; s = s->next) {
        if (strcmp(keeli_schedule_name(s), w->workload) != 0)
            continue;
        for (uint32_t i = 0; i < s->nodes.count; ++i) {
            keeli_node *node = &s->nodes.items[i];
            const bool is_it =
                is_node_of(node, w->kind, w->place, w->name) && !w->is_taken(w->data, node->serial);
            if (is_it && (!first || node->serial < first->serial))
                first = node;
        }
    }
    return first;
}

static keeli_node *find_waiting(const keel_world *world, const wanted_node *w) {
    const keeli_schedule *s = world->workloads.waiting;
    const uint32_t count = s ? s->nodes.count : 0;
    for (uint32_t i = 0; i < count; ++i) {
        keeli_node *node = &s->nodes.items[i];
        const bool is_it = is_node_of(node, w->kind, w->place, w->name) &&
                           strcmp(node->workload, w->workload) == 0 &&
                           !w->is_taken(w->data, node->serial);
        if (is_it)
            return node;
    }
    return NULL;
}

keeli_node *keeli_node_find(const keel_world *world, const char *workload, keel_node_kind kind,
                            uint32_t place, const char *name,
                            bool (*is_taken)(const void *data, uint64_t serial), const void *data) {
    const wanted_node w = { workload, name, kind, place, is_taken, data };
    keeli_node *node = find_in_schedules(world->workloads.schedules, &w);
    for (const keeli_stored_workload *stored = world->workloads.first; !node && stored;
         stored = stored->next)
        node = find_in_schedules(stored->schedules, &w);
    return node ? node : find_waiting(world, &w);
}

// ------------------------------------------------------------------ adding
// Makes room for one more node that waits, and returns their schedule. NULL when out of memory.
static keeli_schedule *reserve_waiting(keel_world *world) {
    keeli_schedule *s = world->workloads.waiting;
    if (!s && (s = KEELI_NEW(&world->heap, keeli_schedule)) != NULL) {
        s->world = world;
        world->workloads.waiting = s;
    }
    if (!s || !KEELI_RESERVE(&world->heap, &s->nodes, 1) ||
        !KEELI_RESERVE(&world->heap, &s->idle, 1))
        return NULL;
    return s;
}

static void free_names(keel_world *world, const keeli_node *node) {
    keeli_free_text(&world->heap, (char *)(uintptr_t)node->name);
    keeli_free_text(&world->heap, (char *)(uintptr_t)node->workload);
}

keeli_node *keeli_waiting_add(keel_world *world, const char *workload, keel_node_kind kind,
                              uint32_t place, const char *name) {
    keeli_schedule *s = reserve_waiting(world);
    if (!s)
        return NULL;

    keeli_node fresh = { .kind = kind, .place = place };
    fresh.name = keeli_new_text(&world->heap, name);
    fresh.workload = keeli_new_text(&world->heap, workload);
    if (!fresh.name || !fresh.workload) {
        free_names(world, &fresh);
        return NULL;
    }

    fresh.serial = keeli_next_serial(world);
    keeli_node *node = KEELI_APPEND(&s->nodes);
    *node = fresh;
    *KEELI_APPEND(&s->idle) = NULL;
    return node;
}

keeli_bound *keeli_waiting_bound(keel_world *world, keeli_node *node, keeli_step_system which) {
    if (!node->bound[which])
        node->bound[which] = KEELI_NEW(&world->heap, keeli_bound);
    return node->bound[which];
}

// Returns the name of a system of a step; NULL if the step has no such system.
static const char *system_name(const keel_step *step, uint32_t which) {
    const keel_system *const systems[] = { step->system, step->run_if, step->skip_if };
    return systems[which] ? systems[which]->name : NULL;
}

keeli_reader *keeli_waiting_step_reader(keel_world *world, keeli_node *node,
                                        keeli_step_system which, const char *name) {
    keeli_bound *bound = keeli_waiting_bound(world, node, which);
    if (!bound || bound->reader || bound->parked)
        return !bound ? NULL : bound->reader ? bound->reader : bound->parked;

    const bool is_waiting = !node->asked;
    const char *own = is_waiting ? keeli_new_text(&world->heap, name) : NULL;
    keeli_reader *reader = own || !is_waiting ? KEELI_NEW(&world->heap, keeli_reader) : NULL;
    if (!reader) {
        keeli_free_text(&world->heap, (char *)(uintptr_t)own);
        return NULL;
    }
    if (!is_waiting)
        own = system_name(&node->step, which);
    *reader = (keeli_reader){ .name = own ? own : "",
                              .serial = keeli_next_serial(world),
                              .kind = KEELI_READER_OF_STEP };
    bound->parked = reader;
    return reader;
}

// Frees the names of the readers of a node that waits, and gives them those of the systems of
// `step`; NULL: there are no systems.
static void rename_readers(keel_world *world, const keeli_node *node, const keel_step *step) {
    for (uint32_t k = 0; k < KEELI_STEP_SYSTEMS; ++k) {
        keeli_reader *const readers[] = { node->bound[k] ? node->bound[k]->reader : NULL,
                                          node->bound[k] ? node->bound[k]->parked : NULL };
        const char *name = step ? system_name(step, k) : NULL;
        for (uint32_t i = 0; i < 2; ++i) {
            if (!readers[i])
                continue;
            keeli_free_text(&world->heap, (char *)(uintptr_t)readers[i]->name);
            readers[i]->name = name ? name : "";
            readers[i]->called = 0;
        }
    }
}

// ------------------------------------------------------------------ claiming
// Removes a node from those that wait, after its state was moved.
static void remove_waiting(keeli_schedule *waiting, const keeli_node *node) {
    const uint32_t at = (uint32_t)(node - waiting->nodes.items);
    free_names(waiting->world, node);
    --waiting->nodes.count;
    --waiting->idle.count;
    for (uint32_t i = at; i < waiting->nodes.count; ++i) {
        waiting->nodes.items[i] = waiting->nodes.items[i + 1];
        waiting->idle.items[i] = waiting->idle.items[i + 1];
    }
}

static bool is_never_taken(const void *data, uint64_t serial) {
    (void)data;
    (void)serial;
    return false;
}

void keeli_waiting_claim(keeli_schedule *s) {
    keeli_schedule *waiting = s->world->workloads.waiting;
    if (!waiting)
        return;

    for (uint32_t i = 0; waiting->nodes.count && i < s->nodes.count; ++i) {
        keeli_node *node = &s->nodes.items[i];
        if (node->kind != KEEL_NODE_SYSTEM && node->kind != KEEL_NODE_BEGIN)
            continue;
        const wanted_node w = { keeli_schedule_name(s), node->name, node->kind, node->place,
                                is_never_taken,         NULL };
        keeli_node *was = find_waiting(s->world, &w);
        if (!was)
            continue;

        s->idle.items[i] = waiting->idle.items[was - waiting->nodes.items];
        rename_readers(s->world, was, &node->step);
        keeli_node_move(node, was);
        remove_waiting(waiting, was);
    }
}

void keeli_waiting_deinit(keel_world *world) {
    keeli_schedule *s = world->workloads.waiting;
    if (!s)
        return;

    for (uint32_t i = 0; i < s->nodes.count; ++i) {
        const keeli_node *node = &s->nodes.items[i];
        rename_readers(world, node, NULL);
        for (uint32_t k = 0; k < KEELI_STEP_SYSTEMS; ++k)
            if (node->bound[k])
                keeli_bound_free(world, node->bound[k]);
        free_names(world, node);
    }
    KEELI_RELEASE(&world->heap, &s->nodes);
    KEELI_RELEASE(&world->heap, &s->idle);
    KEELI_FREE(&world->heap, keeli_schedule, s);
    world->workloads.waiting = NULL;
}
