// SPDX-License-Identifier: MIT
// Is it worth to run a schedule on several threads? Only how long it takes depends on the answer.
#pragma once
#include "run/schedule.h"

// Before and after a run. The answer is costs.is_wide.
void keeli_worth_begin(keeli_schedule *s);
void keeli_worth_end(keeli_schedule *s);
// A node took so long.
void keeli_worth_note(keeli_schedule *s, keeli_node *node, uint64_t ns);

// Does this run want to know what the node takes?
static inline bool keeli_worth_wants(const keeli_schedule *s, const keeli_node *node) {
    return s->costs.are_wanted && (s->costs.is_timed || !node->is_measured);
}
// Does the node do nothing, because a component that it demands is nowhere?
static inline bool keeli_node_is_idle(const keeli_schedule *s, uint32_t index) {
    const uint32_t *idle = s->idle.items[index];
    return idle && !*idle && !s->is_guest; // a guest may have to be told of a conflict
}
