// SPDX-License-Identifier: MIT
// A plan as the tables of systems and workloads that a binding would fill in.
#include "play.h"

#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------ terms
static bool is_unique_term(keel_term_kind kind) {
    return kind == KEEL_TERM_UNIQUE_READ || kind == KEEL_TERM_UNIQUE_WRITE;
}

static const keel_component *component_of(const term_plan *t, uint32_t i) {
    const uint32_t c = t->components[i];
    return is_unique_term(t->kind)     ? &uniques[c]
           : t->kind >= KEEL_TERM_SEND ? &events[c]
           : c == LINKS                ? KEEL_OF(keel_child)
           : c >= LIKES                ? &relations[c - LIKES]
                                       : &components[c];
}

static void make_terms(tables *t, const system_plan *s, uint32_t i) {
    for (uint32_t k = 0; k < s->term_count; ++k) {
        const term_plan *from = &s->terms[k];
        const keel_component **others = t->others[i][k];
        uint32_t n = 0;
        keel_term *to = &t->terms[i][k];
        *to = (keel_term){ .kind = from->kind };
        if (from->count) to->component = component_of(from, 0);
        for (uint32_t c = 1; c < from->count; ++c)
            others[n++] = component_of(from, c);
        if (n) to->others = others;
    }
}

static void make_system(tables *t, const plan *p, uint32_t i) {
    const system_plan *s = &p->systems[i];
    snprintf(t->names[i], sizeof t->names[i], "s%u", (unsigned)i);
    make_terms(t, s, i);
    keel_system *to = &t->systems[i];
    *to = (keel_system){ .name = t->names[i], .terms = t->terms[i], .kind = KEEL_SYSTEM_PER_RUN };
    if (s->body == BODY_ENTITY) to->kind = KEEL_SYSTEM_PER_ENTITY;
    if (s->body == BODY_SPAN) to->kind = KEEL_SYSTEM_PER_SPAN;
    if (s->body <= BODY_SPAN) to->run = chunk_bodies[i];
    else to->function = once_bodies[i];
}

static void make_condition(tables *t, const plan *p, uint32_t i) {
    const condition_plan *c = &p->conditions[i];
    keel_term *terms = t->condition_terms[i];
    snprintf(t->condition_names[i], sizeof t->condition_names[i], "c%u", (unsigned)i);
    *terms++ = (keel_term){ .kind = c->writes ? KEEL_TERM_UNIQUE_WRITE : KEEL_TERM_UNIQUE_READ,
                            .component = &uniques[c->reads] };
    if (c->records) *terms++ = (keel_term){ .kind = KEEL_TERM_COMMANDS };
    t->conditions[i] = (keel_system){ .name = t->condition_names[i],
                                      .kind = KEEL_SYSTEM_IS_CONDITION,
                                      .run = condition_bodies[i],
                                      .terms = t->condition_terms[i] };
}

// ------------------------------------------------------------------ steps
static const keel_system *condition_of(const tables *t, uint32_t number) {
    return number ? &t->conditions[number - 1] : NULL;
}

static const char *label_of(tables *t, uint32_t at, uint32_t label) {
    if (!label) return NULL;
    snprintf(t->labels[at], sizeof t->labels[at], "l%u", (unsigned)label - 1);
    return t->labels[at];
}

static const char *order_of(char *to, size_t size, uint32_t system, uint32_t label) {
    if (!system && !label) return NULL;
    const int n = system ? snprintf(to, size, "s%u", (unsigned)system - 1) : 0;
    if (label) snprintf(to + n, size - (size_t)n, "%sl%u", system ? ", " : "", (unsigned)label - 1);
    return to;
}

static bool has_label(const plan *p, uint32_t label) {
    for (uint32_t i = 0; i < SYSTEMS; ++i)
        if (p->systems[i].is_used && p->systems[i].label == label) return true;
    return false;
}

static keel_step step_of(tables *t, const plan *p, uint32_t i) {
    const system_plan *s = &p->systems[i];
    char(*o)[32] = t->orders[i];
    const uint32_t label = has_label(p, s->after_label) ? s->after_label : 0;
    return (keel_step){
        .system = &t->systems[i],
        .run_if = condition_of(t, s->run_if),
        .skip_if = condition_of(t, s->skip_if),
        .skip_if_empty = s->skip_if_empty ? &components[s->skip_if_empty - 1] : NULL,
        .skip_if_missing = s->skip_if_missing ? &uniques[s->skip_if_missing - 1] : NULL,
        .label = label_of(t, i, s->label),
        .after = order_of(o[0], sizeof o[0], s->after, 0),
        .before = order_of(o[1], sizeof o[1], s->before, 0),
        .after_all = order_of(o[2], sizeof o[2], s->after_all, label),
        .before_all = order_of(o[3], sizeof o[3], s->before_all, 0),
        .parallel = s->parallel,
        .startup = s->startup,
        .main_thread = s->main_thread,
    };
}

static keel_step nested_of(tables *t, const plan *p, uint32_t n) {
    const nested_plan *nested = &p->nested[n];
    return (keel_step){
        .workload = &t->workloads[n],
        .run_if = condition_of(t, nested->run_if),
        .skip_if_missing = nested->skip_if_missing ? &uniques[nested->skip_if_missing - 1] : NULL,
        .label = label_of(t, SYSTEMS + n, nested->label),
        .sequential = nested->sequential,
        .main_thread = nested->main_thread,
        .startup = nested->startup,
    };
}

static void make_workload(tables *t, const plan *p, uint32_t w) {
    static const char *const names[WORKLOADS] = { "w0", "w1", "w2", "w3" };
    keel_step *to = t->steps[w];
    for (uint32_t i = 0; i <= SYSTEMS; ++i) {
        for (uint32_t n = 1; n < WORKLOADS; ++n)
            if (p->nested[n].is_used && p->nested[n].outer == w && p->nested[n].position == i)
                *to++ = nested_of(t, p, n);
        if (i == SYSTEMS || !p->systems[i].is_used || p->systems[i].workload != w) continue;
        if (p->systems[i].barrier) *to++ = (keel_step){ .barrier = true };
        *to++ = step_of(t, p, i);
    }
    t->workloads[w] = (keel_workload){ .name = names[w],
                                       .steps = t->steps[w],
                                       .step_count = (uint32_t)(to - t->steps[w]) };
}

void tables_make(tables *t, const plan *p) {
    memset(t, 0, sizeof *t);
    for (uint32_t i = 0; i < SYSTEMS; ++i)
        if (p->systems[i].is_used) make_system(t, p, i);
    for (uint32_t c = 0; c < CONDITIONS; ++c)
        make_condition(t, p, c);
    for (uint32_t w = 0; w < WORKLOADS; ++w)
        make_workload(t, p, w);
}
