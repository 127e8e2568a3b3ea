// SPDX-License-Identifier: MIT
// Runs of one workload at once have a schedule each. What a startup system's node knows is kept the
// same in all of them, under the world's lock.
#include "run/startup.h"

#include <string.h>

static bool is_same_workload(const keeli_schedule *a, const keeli_schedule *b) {
    if (a->stored_name || b->stored_name)
        return a->stored_name && b->stored_name && strcmp(a->stored_name, b->stored_name) == 0;
    return a->table == b->table && a->stamp == b->stamp;
}

// The same system's node in another schedule of the workload, or NULL.
static keeli_node *find_same(const keeli_schedule *s, uint32_t index, keeli_schedule *other) {
    if (other == s || index >= other->nodes.count || !is_same_workload(s, other)) return NULL;
    keeli_node *node = &other->nodes.items[index];
    return node->step.system == s->nodes.items[index].step.system ? node : NULL;
}

static bool is_started_elsewhere(const keeli_schedule *s, uint32_t index) {
    for (keeli_schedule *other = s->world->schedules; other; other = other->next) {
        const keeli_node *node = find_same(s, index, other);
        if (node && node->is_starting) return true;
    }
    return false;
}

bool keeli_startup_begin(keeli_schedule *s, uint32_t index) {
    keel_world *world = s->world;
    keeli_node *node = &s->nodes.items[index];
    keeli_world_lock(world);
    bool waits = is_started_elsewhere(s, index);
    // whoever runs it may be waiting for the end of a run inside of it
    for (; waits && !s->is_nested; waits = is_started_elsewhere(s, index))
        keeli_condition_wait(&world->started, &world->lock);
    node->is_starting = !waits && !keeli_atomic_load_byte(&node->has_run);
    keeli_world_unlock(world);
    return node->is_starting;
}

void keeli_startup_end(keeli_schedule *s, uint32_t index, bool is_done) {
    keel_world *world = s->world;
    keeli_world_lock(world);
    s->nodes.items[index].is_starting = false;
    for (keeli_schedule *other = world->schedules; is_done && other; other = other->next) {
        keeli_node *node = find_same(s, index, other);
        if (node) keeli_atomic_store_byte(&node->has_run, 1);
    }
    keeli_world_unlock(world);
    if (world->concurrent) keeli_condition_wake_all(&world->started);
}
