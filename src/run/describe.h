// SPDX-License-Identifier: MIT
// A schedule as the user sees it: keel/explain.h.
#pragma once
#include "base/text.h"
#include "run/schedule.h"

// Node `index`, and the edge at place `edge` of those that start there.
keel_workload_node keeli_describe_node(const keeli_schedule *s, uint32_t index);
keel_workload_edge keeli_describe_edge(const keeli_schedule *s, uint32_t index, uint32_t edge);
// "read", "write", "edit"; and of events: "receive", "send".
const char *keeli_access_verb(keel_access access, bool is_event);
// Is it worth telling that a node touches this? Free handles go with the entities that are made.
static inline bool keeli_touch_is_told(const keeli_schedule *s, const keeli_touch *t) {
    return t->storage != &s->world->handle_storage;
}
// The conditions of a step that is left out now and then, as pairs of an option and a name; how
// many there are.
typedef struct keeli_named_option {
    const char *option, *name;
} keeli_named_option;
enum { KEELI_CONDITIONS = 4 };
uint32_t keeli_list_conditions(const keel_step *step, keeli_named_option list[KEELI_CONDITIONS]);

// The whole schedule, written down (describe_text.c, describe_graph.c).
void keeli_write_text(keeli_writer *w, const keeli_schedule *s);
void keeli_write_dot(keeli_writer *w, const keeli_schedule *s);
void keeli_write_json(keeli_writer *w, const keeli_schedule *s);
