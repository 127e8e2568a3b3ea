// SPDX-License-Identifier: MIT
// A schedule as the user sees it (keel/explain.h), made on demand. It has its nodes as batches,
// too, the way a scheduler with barriers would run them: each node joins the last batch unless
// something in it stands in its way. Nothing runs by that.
#pragma once
#include "base/text.h"
#include "run/schedule.h"

#include <keel/explain.h>

// In which batch a node is, and why not in the one before.
typedef struct keeli_batch_place {
    uint32_t batch;
    uint32_t other; // the node there that is in the way, KEELI_NO_NODE: none
    keel_wait why;
} keeli_batch_place;

typedef struct keeli_description {
    keeli_schedule *s;
    keeli_batch_place *places; // by node
} keeli_description;

uint32_t keeli_batch_count(const keeli_description *d);
// Node `index`, and the edge at place `edge` of those that start there.
keel_workload_node keeli_describe_node(const keeli_description *d, uint32_t index);
keel_workload_edge keeli_describe_edge(const keeli_schedule *s, uint32_t index, uint32_t edge);
// "read", "write", "edit"; and of events: "receive", "send".
const char *keeli_access_verb(keel_access access, bool is_event);
// Does the user know what this is? Free handles go with the entities that are made.
static inline bool keeli_touch_is_described(const keeli_schedule *s, const keeli_touch *t) {
    return t->storage != &s->world->stand_in.handles;
}
// The conditions of a step that is left out now and then, as pairs of an option and a name; how
// many there are.
typedef struct keeli_named_option {
    const char *option, *name;
} keeli_named_option;
enum { KEELI_CONDITIONS = 4 };
uint32_t keeli_list_conditions(const keel_step *step, keeli_named_option list[KEELI_CONDITIONS]);

// The whole schedule, written down (describe_text.c, describe_graph.c).
void keeli_write_text(keeli_writer *w, const keeli_description *d);
void keeli_write_dot(keeli_writer *w, const keeli_description *d);
void keeli_write_json(keeli_writer *w, const keeli_description *d);
// A string of JSON with its quotes, whatever bytes the text has.
void keeli_write_json_string(keeli_writer *w, const char *text);

// Timings that are kept go with the world.
void keeli_timings_deinit(keel_world *world);
