// SPDX-License-Identifier: MIT
// Steps become nodes: nested workloads are written out in place, between a node that opens them
// and one that closes them.
#include "run/schedule.h"
#include "run/workload.h"
#include "world/report.h"

#include <string.h>

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
keeli_node *keeli_new_node(keeli_schedule *s, keeli_node_kind kind, uint32_t group) {
    if (!KEELI_RESERVE(&s->world->heap, &s->nodes, 1)) return NULL;
    keeli_node *node = &s->nodes.items[s->nodes.count++];
    memset(node, 0, sizeof *node);
    node->kind = kind;
    node->group = group;
    node->workload = s->groups.items[group].name;
    node->of = KEELI_NO_NODE;
    node->reason.other = KEELI_NO_NODE;
    return node;
}

static bool has_conditions(const keel_step *step) {
    return step->run_if || step->skip_if || step->skip_if_empty || step->skip_if_missing;
}

// Where a walk over nested lists is: kept on the heap, so that depth is no danger to the stack.
typedef struct place {
    const keel_step *steps;
    uint32_t at, count, group;
} place;

typedef struct walk {
    KEELI_ARRAY(place) places;
} walk;

// Enter a list of steps; `step` is the one that names it, NULL for the outermost.
static keel_result enter(keeli_schedule *s, walk *w, const char *name, const keel_step *steps,
                         uint32_t count, const keel_step *step, uint32_t outer) {
    keeli_heap *heap = &s->world->heap;
    for (uint32_t g = outer; step; g = s->groups.items[g].outer) {
        if (s->groups.items[g].steps == steps && count)
            return keeli_error(s->world, KEEL_ERROR_CYCLE, "workload '%s' contains itself", name);
        if (g == 0) break;
    }
    if (count && !steps)
        return keeli_misuse(s->world, KEEL_ERROR_ARGUMENT, "the workload '%s' has no steps", name);
    if (!KEELI_RESERVE(heap, &s->groups, 1) || !KEELI_RESERVE(heap, &w->places, 1))
        return keeli_schedule_no_memory(s);
    const uint32_t group = s->groups.count++;
    keeli_section *g = &s->groups.items[group];
    *g = (keeli_section){ .name = name, .outer = outer, .open = KEELI_NO_NODE, .steps = steps };
    g->close = g->gate = KEELI_NO_NODE;
    if (step) {
        keeli_node *open = keeli_new_node(s, KEELI_NODE_OPEN, outer);
        if (!open) return keeli_schedule_no_memory(s);
        open->step = *step;
        open->step.main_thread |= s->groups.items[outer].main_thread;
        open->name = name;
        open->has_conditions = has_conditions(step);
        g->open = s->nodes.count - 1;
        g->label = step->label;
        g->sequential = step->sequential;
        g->main_thread = step->main_thread || s->groups.items[outer].main_thread;
        g->startup = step->startup || s->groups.items[outer].startup;
        g->gate = has_conditions(step) ? g->open : s->groups.items[outer].gate;
    }
    g->first = s->nodes.count;
    w->places.items[w->places.count++] = (place){ steps, 0, count, group };
    return KEEL_OK;
}

static keel_result leave(keeli_schedule *s, walk *w) {
    const uint32_t group = w->places.items[--w->places.count].group;
    keeli_section *g = &s->groups.items[group];
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
        if (!keeli_witness_table(s, nested)) return keeli_schedule_no_memory(s);
        return enter(s, w, nested->name ? nested->name : "", nested->steps, nested->step_count,
                     step, outer);
    }
    s->names_stored = true;
    const keeli_stored_workload *stored = keeli_stored_find(s->world, step->workload_name);
    if (!stored) return keeli_unknown_workload(s->world, step->workload_name);
    return enter(s, w, stored->name, stored->steps.items, stored->steps.count, step, outer);
}

static keel_result add_step(keeli_schedule *s, walk *w, const keel_step *step, uint32_t group) {
    KEEL_TRY(check_step(s, step, s->groups.items[group].name));
    if (!keeli_witness_step(s, step)) return keeli_schedule_no_memory(s);
    if (step->workload || step->workload_name) return enter_nested(s, w, step, group);
    keeli_node *node =
        keeli_new_node(s, step->barrier ? KEELI_NODE_BARRIER : KEELI_NODE_SYSTEM, group);
    if (!node) return keeli_schedule_no_memory(s);
    node->step = *step;
    node->step.main_thread |= s->groups.items[group].main_thread;
    node->step.startup |= s->groups.items[group].startup;
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
            KEEL_TRY(add_step(s, w, step, p->group));
        }
    }
    return KEEL_OK;
}

keel_result keeli_flatten(keeli_schedule *s, const keel_workload *table) {
    walk w = { 0 };
    const keeli_stored_workload *stored = NULL;
    if (!table && !(stored = keeli_stored_find(s->world, s->stored_name)))
        return keeli_unknown_workload(s->world, s->stored_name);
    if (table && !keeli_witness_table(s, table)) return keeli_schedule_no_memory(s);
    keel_result result =
        table
            ? enter(s, &w, table->name ? table->name : "", table->steps, table->step_count, NULL, 0)
            : enter(s, &w, stored->name, stored->steps.items, stored->steps.count, NULL, 0);
    if (result == KEEL_OK) result = walk_all(s, &w);
    KEELI_RELEASE(&s->world->heap, &w.places);
    return result;
}
