// SPDX-License-Identifier: MIT
// Answers GET entity/17v3: everything about one entity.
#include "answers.h"
#include "past.h"
#include "plan.h"
#include "print.h"

#include <string.h>

enum { LISTED = 100 };

static void entity_write_children(keeli_out *out, const keel_world *world, keel_entity entity) {
    int listed = 0;
    keeli_out_key_open(out, "children", '{');
    keeli_out_key_number(out, "count", keel_child_count(world, entity));
    keeli_out_key_open(out, "first", '[');
    for (keel_entity child = keel_first_child(world, entity);
         !keel_is_null(child) && listed < LISTED;
         child = keel_next_child(world, entity, child), ++listed)
        keeli_print_reference(out, world, child);
    keeli_out_close(out, ']');
    keeli_out_close(out, '}');
}

static void entity_write_component(keeli_out *out, const keel_world *world, keel_entity entity,
                                   const keel_component *c, bool disabled) {
    keeli_out_open(out, '{');
    keeli_out_key_text(out, "name", c->name);
    keeli_out_key_bool(out, "disabled", disabled);
    keeli_out_key_bool(out, "tag", !c->size);
    keeli_out_key_number(out, "size", c->size);
    keeli_print_value(out, world, c,
                      disabled || !c->size ? NULL : keel_get_component(world, entity, c));
    keeli_out_close(out, '}');
}

static void entity_write_components(keeli_out *out, const keel_world *world, keel_entity entity) {
    keeli_out_key_open(out, "components", '[');
    for (const keel_component *c = keel_next_component(world, NULL); c;
         c = keel_next_component(world, c)) {
        if (c->is_relation) continue;
        if (keel_has_component(world, entity, c))
            entity_write_component(out, world, entity, c, false);
        else if (keel_is_component_disabled(world, entity, c))
            entity_write_component(out, world, entity, c, true);
    }
    keeli_out_close(out, ']');
}

static void entity_write_targets(keeli_out *out, const keel_world *world, keel_entity entity,
                                 const keel_component *relation) {
    int listed = 0;
    keeli_out_key_open(out, "targets", '[');
    for (keel_entity to = keel_next_target_component(world, entity, relation, keel_null());
         !keel_is_null(to) && listed < LISTED;
         to = keel_next_target_component(world, entity, relation, to), ++listed) {
        keeli_out_open(out, '{');
        keeli_print_identity(out, world, to);
        keeli_print_value(out, world, relation,
                          relation->size ? keel_get_related_component(world, entity, relation, to)
                                         : NULL);
        keeli_out_close(out, '}');
    }
    keeli_out_close(out, ']');
}

static void entity_write_sources(keeli_out *out, const keel_world *world, keel_entity entity,
                                 const keel_component *relation) {
    int listed = 0;
    keeli_out_key_open(out, "sources", '[');
    for (keel_entity from = keel_next_source_component(world, entity, relation, keel_null());
         !keel_is_null(from) && listed < LISTED;
         from = keel_next_source_component(world, entity, relation, from), ++listed)
        keeli_print_reference(out, world, from);
    keeli_out_close(out, ']');
}

static void entity_write_relations(keeli_out *out, const keel_world *world, keel_entity entity) {
    keeli_out_key_open(out, "relations", '[');
    for (const keel_component *c = keel_next_component(world, NULL); c;
         c = keel_next_component(world, c)) {
        if (!c->is_relation || !strcmp(c->name, KEEL_COMPONENT_keel_child.type)) continue;
        const uint32_t targets = keel_target_count_component(world, entity, c),
                       sources = keel_source_count_component(world, entity, c);
        if (!targets && !sources) continue;
        keeli_out_open(out, '{');
        keeli_out_key_text(out, "name", c->name);
        keeli_out_key_number(out, "target_count", targets);
        entity_write_targets(out, world, entity, c);
        keeli_out_key_number(out, "source_count", sources);
        entity_write_sources(out, world, entity, c);
        keeli_out_close(out, '}');
    }
    keeli_out_close(out, ']');
}

// Writes the prefab that the entity is a copy of. Its template is in another world, so its handle
// leads nowhere here.
static void entity_write_prefab(keeli_out *out, const keel_world *world, keel_entity entity) {
    const keel_entity root = keel_prefab_of(world, entity).root;
    keeli_out_key(out, "prefab");
    keeli_print_handle(out, root);
}

void keeli_write_entity(keeli_out *out, const keel_world *world, keel_entity entity) {
    keeli_print_identity(out, world, entity);
    keeli_out_key(out, "path");
    keeli_print_path(out, world, entity);
    keeli_out_key(out, "parent");
    keeli_print_reference(out, world, keel_parent_of(world, entity));
    entity_write_prefab(out, world, entity);
    entity_write_children(out, world, entity);
    entity_write_components(out, world, entity);
    entity_write_relations(out, world, entity);
}

// Writes which systems of the workload match the entity, and why the others do not. Without a
// workload there are none; an error of the plan leaves the list out.
static void entity_write_systems(keel_inspect *inspect, keeli_request *request,
                                 keel_entity entity) {
    keeli_out *out = &request->out;
    keeli_plan plan;
    keeli_out_key_open(out, "systems", '[');
    const bool has_plan = keeli_plan_try(inspect, &plan);
    for (uint32_t i = 0; has_plan && i < plan.node_count; ++i) {
        const keel_workload_node *node = &plan.nodes[i];
        keel_why why;
        if (node->kind != KEEL_NODE_SYSTEM || node->system->kind == KEEL_SYSTEM_PER_RUN) continue;
        const bool matches =
            keel_step_why(inspect->world, plan.workload, node->position, entity, &why);
        keeli_out_open(out, '{');
        keeli_out_key_number(out, "position", node->position);
        keeli_out_key_text(out, "system", node->name);
        keeli_out_key_text(out, "workload", node->workload);
        keeli_out_key_bool(out, "matches", matches);
        keeli_out_key(out, "term");
        why.term == KEEL_NO_TERM ? keeli_out_null(out) : keeli_out_number(out, why.term);
        keeli_out_key_text(out, "reason", why.text);
        keeli_out_close(out, '}');
    }
    keeli_out_close(out, ']');
    keeli_plan_free(&plan);
}

bool keeli_answer_entity(keel_inspect *inspect, keeli_request *request) {
    const char *handle = request->path + sizeof "entity/" - 1;
    uint64_t frame;
    keel_entity entity;
    if (!keeli_parse_handle(handle, &entity))
        return keeli_request_fail(request, 400, "argument", "'%.40s' is no handle", handle);
    const keel_world *world = keeli_past_enter(inspect, request, "frame", &frame);
    if (!world) return true;
    if (!keel_is_alive(world, entity)) {
        keeli_request_fail(request, 404, "gone", "entity %.40s is not alive", handle);
    } else {
        keeli_out_open(&request->out, '{');
        keeli_out_key_number(&request->out, "frame", frame == UINT64_MAX ? inspect->frame : frame);
        keeli_out_key_bool(&request->out, "past", frame != UINT64_MAX);
        keeli_write_entity(&request->out, world, entity);
        if (frame == UINT64_MAX) entity_write_systems(inspect, request, entity);
        keeli_out_close(&request->out, '}');
    }
    keeli_past_leave(inspect, frame);
    return true;
}
