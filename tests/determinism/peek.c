// SPDX-License-Identifier: MIT
#include "peek.h"

#include "rewind/snapshot.h"
#include "run/schedule.h"

void forget_costs(keel_world *world) {
    for (keeli_schedule *s = world->workloads.schedules; s; s = s->next)
        for (uint32_t i = 0; i < s->nodes.count; ++i)
            s->nodes.items[i].is_measured = false;
}

void find_order(const keel_world *world, const keel_workload *table, const keel_system **order) {
    const keeli_schedule *s = world->workloads.schedules;
    uint32_t n = 0;
    while (s && s->table != table)
        s = s->next;
    for (uint32_t i = 0; s && i < s->nodes.count; ++i)
        if (s->nodes.items[i].kind == KEEL_NODE_SYSTEM) order[n++] = s->nodes.items[i].step.system;
    order[n] = NULL;
}

uint64_t state_of(const keel_world *world) { return keeli_state_hash(world); }
