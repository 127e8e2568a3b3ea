// SPDX-License-Identifier: MIT
// What a workload becomes, told to the user. Nothing here is needed to run it.
#include "run/describe.h"

#include "data/component_index.h"
#include "world/registry.h"
#include "world/report.h"

// ------------------------------------------------------------------ one node, one edge
static keel_node_kind kind_of(const keeli_node *node) {
    static const keel_node_kind kinds[] = {
        [KEELI_NODE_SYSTEM] = KEEL_NODE_SYSTEM,   [KEELI_NODE_SYNC] = KEEL_NODE_COMMANDS,
        [KEELI_NODE_OPEN] = KEEL_NODE_BEGIN,      [KEELI_NODE_CLOSE] = KEEL_NODE_END,
        [KEELI_NODE_BARRIER] = KEEL_NODE_BARRIER, [KEELI_NODE_JOIN] = KEEL_NODE_JOIN
    };
    return kinds[node->kind];
}

keel_workload_node keeli_describe_node(const keeli_schedule *s, uint32_t index) {
    const keeli_node *node = &s->nodes.items[index];
    const keeli_node *whose = node->kind == KEELI_NODE_SYNC ? &s->nodes.items[node->of] : node;
    const bool is_work = keeli_node_is_work(node);
    return (keel_workload_node){
        .kind = kind_of(node),
        .name = node->name,
        .workload = s->groups.items[node->group].name,
        .system = whose->step.system,
        .position = whose->kind == KEELI_NODE_SYSTEM ? whose->place : KEEL_NO_NODE,
        .batch = is_work ? node->batch : KEEL_NO_NODE,
        .other = is_work ? node->reason.other : KEEL_NO_NODE,
        .why = is_work ? node->reason.why : (keel_wait){ .kind = KEEL_WAIT_NONE },
        .alone = node->everything,
        .main_thread = node->is_main,
        .parallel = node->step.parallel,
    };
}

keel_workload_edge keeli_describe_edge(const keeli_schedule *s, uint32_t index, uint32_t edge) {
    const uint32_t to = s->edges.items[s->nodes.items[index].first_edge + edge];
    return (keel_workload_edge){ .from = index, .to = to, .why = keeli_why(s, index, to) };
}

const char *keeli_access_verb(keel_access access, bool is_event) {
    static const char *const verbs[] = { "none", "read", "write", "edit" };
    if (!is_event || access == KEEL_ACCESS_NONE) return verbs[access];
    return access == KEEL_ACCESS_READ ? "receive" : "send";
}

uint32_t keeli_list_conditions(const keel_step *step, keeli_named_option list[KEELI_CONDITIONS]) {
    uint32_t count = 0;
    if (step->run_if) list[count++] = (keeli_named_option){ "run_if", step->run_if->name };
    if (step->skip_if) list[count++] = (keeli_named_option){ "skip_if", step->skip_if->name };
    if (step->skip_if_empty)
        list[count++] =
            (keeli_named_option){ "skip_if_empty", keeli_component_name(step->skip_if_empty) };
    if (step->skip_if_missing)
        list[count++] =
            (keeli_named_option){ "skip_if_missing", keeli_component_name(step->skip_if_missing) };
    return count;
}

// ------------------------------------------------------------------ all of them
// The schedule to tell about; NULL on error, which is kept.
static keeli_schedule *take(keel_world *world, const keel_workload *table, const char *name,
                            bool by_name) {
    keel_result result;
    if (!world) return (void)keeli_no_world(), NULL;
    if (!by_name && !table) {
        (void)keeli_misuse(world, KEEL_ERROR_ARGUMENT, "the workload is NULL");
        return NULL;
    }
    return keeli_schedule_take(world, table, by_name && !name ? "" : name, &result);
}

static uint32_t list_nodes(keeli_schedule *s, keel_workload_node *nodes, uint32_t capacity) {
    if (!s) return 0;
    const uint32_t count = s->nodes.count;
    for (uint32_t i = 0; i < count && i < capacity; ++i)
        nodes[i] = keeli_describe_node(s, i);
    keeli_schedule_give(s);
    return count;
}

static uint32_t list_edges(keeli_schedule *s, keel_workload_edge *edges, uint32_t capacity) {
    if (!s) return 0;
    const uint32_t count = s->edges.count;
    uint32_t at = 0;
    for (uint32_t i = 0; i < s->nodes.count && at < capacity; ++i)
        for (uint32_t e = 0; e < s->nodes.items[i].edge_count && at < capacity; ++e)
            edges[at++] = keeli_describe_edge(s, i, e);
    keeli_schedule_give(s);
    return count;
}

static size_t explain(keeli_schedule *s, keel_explain_format format, char *text, size_t size) {
    keeli_writer w = keeli_writer_begin(text, size);
    if (!s) return 0;
    if (format == KEEL_EXPLAIN_TEXT) keeli_write_text(&w, s);
    else if (format == KEEL_EXPLAIN_DOT) keeli_write_dot(&w, s);
    else if (format == KEEL_EXPLAIN_JSON) keeli_write_json(&w, s);
    else
        (void)keeli_misuse(s->world, KEEL_ERROR_ARGUMENT,
                           "%d is no format; it is one of KEEL_EXPLAIN_TEXT, _DOT and _JSON",
                           (int)format);
    keeli_schedule_give(s);
    return w.length;
}

// ------------------------------------------------------------------ public
uint32_t keel_world_workload_nodes(keel_world *world, const keel_workload *workload,
                                   keel_workload_node *nodes, uint32_t capacity) {
    return list_nodes(take(world, workload, NULL, false), nodes, nodes ? capacity : 0);
}

uint32_t keel_named_nodes(keel_world *world, const char *name, keel_workload_node *nodes,
                          uint32_t capacity) {
    return list_nodes(take(world, NULL, name, true), nodes, nodes ? capacity : 0);
}

uint32_t keel_world_workload_edges(keel_world *world, const keel_workload *workload,
                                   keel_workload_edge *edges, uint32_t capacity) {
    return list_edges(take(world, workload, NULL, false), edges, edges ? capacity : 0);
}

uint32_t keel_named_edges(keel_world *world, const char *name, keel_workload_edge *edges,
                          uint32_t capacity) {
    return list_edges(take(world, NULL, name, true), edges, edges ? capacity : 0);
}

size_t keel_world_explain_workload(keel_world *world, const keel_workload *workload,
                                   keel_explain_format format, char *text, size_t size) {
    return explain(take(world, workload, NULL, false), format, text, size);
}

size_t keel_explain_named(keel_world *world, const char *name, keel_explain_format format,
                          char *text, size_t size) {
    return explain(take(world, NULL, name, true), format, text, size);
}
