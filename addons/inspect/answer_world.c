// SPDX-License-Identifier: MIT
// Answers GET world: what the world holds, what it costs, and what the page may do.
#include "answers.h"
#include "past.h"
#include "plan.h"
#include "print.h"
#include "terms.h"

#include <unistd.h>

static void world_write_bytes(keeli_out *out, const keel_statistics *statistics) {
    const keel_memory *memory = &statistics->memory;
    keeli_out_key_open(out, "bytes", '{');
    keeli_out_key_number(out, "total", memory->total);
    keeli_out_key_number(out, "entities", memory->entities);
    keeli_out_key_number(out, "components", memory->components);
    keeli_out_key_number(out, "uniques", memory->uniques);
    keeli_out_key_number(out, "commands", memory->commands);
    keeli_out_key_number(out, "other", memory->other);
    keeli_out_close(out, '}');
    keeli_out_key_number(out, "dropped_commands", statistics->dropped_commands);
}

static void world_write_tracking(keeli_out *out, uint32_t kinds) {
    static const char *const names[] = { "insertion", "modification", "deletion", "removal" };
    keeli_out_key_open(out, "tracking", '[');
    for (int i = 0; i < 4; ++i)
        if (kinds >> i & 1) keeli_out_text(out, names[i]);
    keeli_out_close(out, ']');
}

static void world_write_component(keeli_out *out, const keel_world *world,
                                  const keel_component *c) {
    static const char *const storages[] = { "sparse set", "indexed", "archetype" };
    keeli_out_open(out, '{');
    keeli_out_key_text(out, "name", c->name);
    keeli_out_key_number(out, "size", c->size);
    keeli_out_key_text(out, "storage", storages[c->storage]);
    keeli_out_key_number(out, "count", keel_component_count(world, c));
    keeli_out_key_number(out, "bytes", keel_component_memory(world, c));
    world_write_tracking(out, keel_tracked_kinds(world, c));
    keeli_out_key_bool(out, "relation", c->is_relation);
    keeli_out_key_bool(out, "exclusive", c->exclusive);
    keeli_out_key_bool(out, "tag", !c->size);
    keeli_out_key_bool(out, "transient", c->transient);
    keeli_print_description(out, c);
    keeli_out_close(out, '}');
}

static void world_write_uniques(keeli_out *out, const keel_world *world) {
    keeli_out_key_open(out, "uniques", '[');
    for (const keel_component *u = keel_next_unique(world, NULL); u;
         u = keel_next_unique(world, u)) {
        const void *value = keel_get_unique_value(world, u);
        keeli_out_open(out, '{');
        keeli_out_key_text(out, "name", u->name);
        keeli_out_key_number(out, "size", u->size);
        keeli_out_key_bool(out, "set", value != NULL);
        keeli_print_value(out, world, u, value);
        keeli_out_close(out, '}');
    }
    keeli_out_close(out, ']');
}

// Writes the names of the systems that send or receive a type of events.
static void world_write_users(keeli_out *out, const keeli_plan *plan, const char *key,
                              const char *access, const char *event) {
    keeli_out_key_open(out, key, '[');
    for (uint32_t i = 0; i < plan->node_count; ++i) {
        const keel_workload_node *node = &plan->nodes[i];
        if (node->kind == KEEL_NODE_SYSTEM && keeli_terms_use(node->system, event, access))
            keeli_out_text(out, node->name);
    }
    keeli_out_close(out, ']');
}

static void world_write_events(keeli_out *out, const keel_world *world, const keeli_plan *plan) {
    keeli_out_key_open(out, "events", '[');
    for (const keel_component *e = keel_next_event_type(world, NULL); e;
         e = keel_next_event_type(world, e)) {
        keeli_out_open(out, '{');
        keeli_out_key_text(out, "name", e->name);
        keeli_out_key_number(out, "size", e->size);
        keeli_out_key_number(out, "waiting", keel_event_count_of(world, e));
        keeli_out_key_number(out, "limit", e->limit ? e->limit : 65536);
        world_write_users(out, plan, "senders", "send", e->name);
        world_write_users(out, plan, "receivers", "receive", e->name);
        keeli_out_close(out, '}');
    }
    keeli_out_close(out, ']');
}

static void world_write_inspector(keeli_out *out, const keel_inspect *inspect) {
    keeli_out_key_open(out, "allowed", '{');
    keeli_out_key_bool(out, "edits", inspect->allow_edits);
    keeli_out_key_bool(out, "changes", inspect->changes);
    keeli_out_close(out, '}');
    keeli_out_key(out, "past");
    keeli_past_write(inspect->past, out);
    keeli_out_key_open(out, "inspector", '{');
    keeli_out_key_number(out, "nanoseconds", inspect->spent);
    keeli_out_key_number(out, "worst", inspect->worst);
    keeli_out_key_number(out, "past", inspect->past_spent);
    keeli_out_key_number(out, "budget", inspect->budget);
    keeli_out_close(out, '}');
}

static void world_write_workloads(keeli_out *out, const keel_inspect *inspect) {
    const keel_workload *workload = keeli_plan_workload(inspect);
    keeli_out_key_text(out, "workload", workload ? workload->name : NULL);
}

bool keeli_answer_world(keel_inspect *inspect, keeli_request *request) {
    uint64_t frame;
    const keel_world *world = keeli_past_enter(inspect, request, "frame", &frame);
    if (!world) return true;
    keeli_plan plan;
    (void)keeli_plan_try(inspect, &plan); // without a plan there are no senders and receivers
    const keel_statistics statistics = keel_world_statistics(world); // the plan needs memory, too
    keeli_out *out = &request->out;
    keeli_out_open(out, '{');
    keeli_out_key_text(out, "program", inspect->program);
    keeli_out_key_number(out, "pid", (uint64_t)getpid());
    keeli_out_key_text(out, "keel", keel_version());
    keeli_out_key_number(out, "frame", frame == UINT64_MAX ? inspect->frame : frame);
    keeli_out_key_bool(out, "paused", inspect->paused);
    keeli_out_key_number(out, "entities", keel_entity_count(world));
    world_write_bytes(out, &statistics);
    keeli_out_key_open(out, "components", '[');
    for (const keel_component *c = keel_next_component(world, NULL); c;
         c = keel_next_component(world, c))
        world_write_component(out, world, c);
    keeli_out_close(out, ']');
    world_write_uniques(out, world);
    world_write_events(out, world, &plan);
    world_write_inspector(out, inspect);
    world_write_workloads(out, inspect);
    keeli_out_close(out, '}');
    keeli_plan_free(&plan);
    keeli_past_leave(inspect, frame);
    return true;
}
