// SPDX-License-Identifier: MIT
// Answers GET systems and GET system/N: the systems of the workload, what they use, how long they
// take, and how many entities each term leaves.
#include "answers.h"
#include "frames.h"
#include "plan.h"
#include "terms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------ conditions
typedef void systems_condition_fn(void *context, const char *text);

static const char *systems_component_name(const keel_component *c) {
    return c->name ? c->name : c->type;
}

// Calls a function for each condition of a step, in words.
static void systems_each_condition(const keel_step *step, systems_condition_fn *function,
                                   void *context) {
    char text[160];
    const struct {
        bool has;
        const char *word, *name;
    } all[] = {
        { step->run_if, "run_if", step->run_if ? step->run_if->name : "" },
        { step->skip_if, "skip_if", step->skip_if ? step->skip_if->name : "" },
        { step->skip_if_empty, "skip_if_empty",
          step->skip_if_empty ? systems_component_name(step->skip_if_empty) : "" },
        { step->skip_if_missing, "skip_if_missing",
          step->skip_if_missing ? systems_component_name(step->skip_if_missing) : "" },
        { step->in_state, "in_state", step->in_state ? step->in_state->name : "" },
        { step->on_enter, "on_enter", step->on_enter ? step->on_enter->name : "" },
        { step->on_exit, "on_exit", step->on_exit ? step->on_exit->name : "" },
        { step->startup, "startup", "" },
        { step->disabled, "disabled", "" },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        if (!all[i].has) continue;
        snprintf(text, sizeof text, "%s%s%.100s", all[i].word, *all[i].name ? " " : "",
                 all[i].name);
        function(context, text);
    }
    if (step->every > 0) {
        snprintf(text, sizeof text, "every %g s", step->every);
        function(context, text);
    }
    if (step->times > 0) {
        snprintf(text, sizeof text, "times %u", (unsigned)step->times);
        function(context, text);
    }
}

static void systems_put_condition(void *context, const char *text) {
    keeli_out_text(context, text);
}

// ------------------------------------------------------------------ one system
static const char *systems_kind(const keel_system *system) {
    if (system->kind == KEEL_SYSTEM_PER_ENTITY) return "entity";
    return system->kind == KEEL_SYSTEM_PER_SPAN ? "span" : "run";
}

static void systems_write_times(keeli_out *out, const keel_workload_node *node,
                                const keeli_frames *frames, const keeli_sum *sums,
                                uint64_t frame_count) {
    const keeli_sum *sum = keeli_frames_sum_of(frames, node, sums);
    if (sum && sum->runs) {
        keeli_out_key_number(out, "nanoseconds", sum->nanoseconds / frame_count);
        keeli_out_key_number(out, "worst", sum->worst);
        keeli_out_key_number(out, "entities", sum->entities / frame_count);
        return;
    }
    keeli_out_key_null(out, "nanoseconds");
    keeli_out_key_null(out, "worst");
    keeli_out_key_null(out, "entities");
}

static void systems_write_members(keel_inspect *inspect, keeli_out *out, const keeli_plan *plan,
                                  const keel_workload_node *node, const keeli_sum *sums,
                                  uint64_t frame_count) {
    const keel_step *step = keeli_plan_step(inspect->world, plan->workload, node->position);
    keeli_out_key_number(out, "position", node->position);
    keeli_out_key_text(out, "name", node->name);
    keeli_out_key_text(out, "workload", node->workload);
    keeli_out_key_text(out, "file", node->system->file);
    keeli_out_key_number(out, "line", (uint64_t)node->system->line);
    keeli_out_key_text(out, "kind", systems_kind(node->system));
    keeli_out_key_open(out, "terms", '[');
    for (const keel_term *term = node->system->terms; term && term->kind != KEEL_TERM_END; ++term)
        keeli_term_write(out, term);
    keeli_out_close(out, ']');
    keeli_out_key(out, "touches");
    keeli_terms_write_touches(out, node->system);
    keeli_out_key_open(out, "conditions", '[');
    if (step) systems_each_condition(step, systems_put_condition, out);
    keeli_out_close(out, ']');
    keeli_out_key_bool(out, "parallel", node->parallel);
    keeli_out_key_bool(out, "main_thread", node->main_thread);
    keeli_out_key_bool(out, "disabled", step && step->disabled);
    systems_write_times(out, node, inspect->frames, sums, frame_count);
}

bool keeli_answer_systems(keel_inspect *inspect, keeli_request *request) {
    keeli_sum sums[KEELI_SOURCES];
    keeli_plan plan;
    bool failed;
    if (!keeli_frames_read_for(inspect, request, &failed)) return failed;
    const uint64_t frame_count = keeli_frames_mean(inspect, sums);
    if (keeli_plan_read(inspect, request, NULL, &plan)) {
        keeli_out *out = &request->out;
        keeli_out_open(out, '{');
        keeli_out_key_text(out, "workload", plan.workload->name);
        keeli_out_key_open(out, "systems", '[');
        for (uint32_t i = 0; i < plan.node_count; ++i) {
            if (plan.nodes[i].kind != KEEL_NODE_SYSTEM) continue;
            keeli_out_open(out, '{');
            systems_write_members(inspect, out, &plan, &plan.nodes[i], sums, frame_count);
            keeli_out_close(out, '}');
        }
        keeli_out_close(out, ']');
        keeli_out_close(out, '}');
    }
    keeli_plan_free(&plan);
    return true;
}

// ------------------------------------------------------------------ why it matches nobody
enum { COUNTED_AT_ONCE = 2048 };

// The entities that each term leaves, as far as they are counted.
typedef struct systems_counts {
    uint32_t left[KEEL_MAX_TERMS];
    uint32_t terms;
    keel_count_slice slice;
} systems_counts;

// Counts until all entities were asked, or the time of this frame is used up. False: more is left
// for the next frame.
static bool systems_count(keel_inspect *inspect, const keeli_plan *plan,
                          const keel_workload_node *node, systems_counts *counts) {
    while (!counts->slice.is_finished) {
        uint32_t left[KEEL_MAX_TERMS];
        counts->slice.max_visits = COUNTED_AT_ONCE;
        counts->terms = keel_step_counts(inspect->world, plan->workload, node->position,
                                         &counts->slice, left, KEEL_MAX_TERMS);
        if (!counts->terms) return true; // it runs once, and has no entities
        for (uint32_t i = 0; i < counts->terms; ++i)
            counts->left[i] += left[i];
        if (keeli_inspect_is_late(inspect)) return counts->slice.is_finished;
    }
    return true;
}

static void systems_write_counts(keel_inspect *inspect, keeli_out *out,
                                 const keel_workload_node *node, const systems_counts *counts) {
    keeli_out_key_number(out, "all", keel_entity_count(inspect->world));
    keeli_out_key_open(out, "left", '[');
    for (uint32_t i = 0; i < counts->terms; ++i) {
        char text[512];
        keeli_term_text(&node->system->terms[i], text, sizeof text);
        keeli_out_open(out, '{');
        keeli_out_key_number(out, "term", i);
        keeli_out_key_text(out, "text", text);
        keeli_out_key_number(out, "left", counts->left[i]);
        keeli_out_close(out, '}');
    }
    keeli_out_close(out, ']');
    keeli_out_key(out, "matches");
    if (counts->terms) keeli_out_number(out, counts->left[counts->terms - 1]);
    else keeli_out_null(out);
}

// Writes whether the system would run now, and the reason if not. The first entity stands for all:
// reasons of steps come before those of entities.
static void systems_write_reason(keel_inspect *inspect, keeli_out *out, const keeli_plan *plan,
                                 const keel_workload_node *node) {
    keel_why why;
    keel_step_why(inspect->world, plan->workload, node->position,
                  keel_next_entity(inspect->world, keel_null()), &why);
    const bool is_left_out = why.kind >= KEEL_WHY_STEP_DISABLED && why.kind <= KEEL_WHY_STEP_EARLY;
    keeli_out_key_bool(out, "runs", !is_left_out);
    keeli_out_key_text(out, "reason", is_left_out ? why.text : NULL);
    keeli_out_key_number(out, "waiting_events", why.events);
}

// Writes the answer about one system. False: its entities are not counted yet.
static bool systems_answer_one(keel_inspect *inspect, keeli_request *request,
                               const keeli_plan *plan, const keel_workload_node *node,
                               const keeli_sum *sums, uint64_t frame_count) {
    if (!request->job) {
        request->job = calloc(1, sizeof(systems_counts));
        request->free_job = free;
    }
    systems_counts *counts = request->job;
    if (!counts)
        return keeli_request_fail(request, 500, "memory", "out of memory: counting entities");
    if (!systems_count(inspect, plan, node, counts)) return false;
    keeli_out *out = &request->out;
    keeli_out_open(out, '{');
    systems_write_members(inspect, out, plan, node, sums, frame_count);
    systems_write_counts(inspect, out, node, counts);
    systems_write_reason(inspect, out, plan, node);
    keeli_out_close(out, '}');
    return true;
}

bool keeli_answer_system(keel_inspect *inspect, keeli_request *request) {
    keeli_sum sums[KEELI_SOURCES];
    keeli_plan plan;
    bool failed, done = true;
    if (!keeli_frames_read_for(inspect, request, &failed)) return failed;
    const uint64_t frame_count = keeli_frames_mean(inspect, sums);
    if (keeli_plan_read(inspect, request, NULL, &plan)) {
        const char *text = request->path + sizeof "system/" - 1;
        const keel_workload_node *node = strspn(text, "0123456789") == strlen(text)
                                             ? keeli_plan_system(&plan, strtoull(text, NULL, 10))
                                             : NULL;
        if (node) done = systems_answer_one(inspect, request, &plan, node, sums, frame_count);
        else
            keeli_request_fail(request, 404, "gone", "the workload has no system at position %.40s",
                               text);
    }
    keeli_plan_free(&plan);
    return done;
}
