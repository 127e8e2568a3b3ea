// SPDX-License-Identifier: MIT
// Systems, workloads, stored ones, contexts, custom views, what is told of a plan.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

// A run that fails may have changed anything before: it is no edit.
static void ran(keel_result result) {
    const bool is_own = (int)result == FUZZ_OWN_ERROR; // of an applied command
    if ((result < KEEL_ERROR_RELATED && !is_own) || result > KEEL_ABSENT) __builtin_trap();
    if (result < 0) ++f.refused;
}
FUZZ(keel_run_system) {
    keel_world *world = fuzz_world();
    const keel_system *system = fuzz_system();
    ran(keel_run_system(world, system, fuzz_run_desc()));
}
FUZZ(keel_run_workload_of) {
    keel_world *world = fuzz_world();
    const keel_workload *workload = fuzz_workload();
    ran(keel_run_workload_of(world, workload, fuzz_run_desc()));
}
FUZZ(keel_run_stored) {
    keel_world *world = fuzz_world();
    const char *name = fuzz_workload_name();
    ran(keel_run_stored(world, name, fuzz_run_desc()));
}
FUZZ(keel_world_add_workload) {
    keel_world *world = fuzz_world();
    fuzz_edit(keel_world_add_workload(world, fuzz_workload()));
}
FUZZ(keel_world_add_step) {
    keel_world *world = fuzz_world();
    const char *name = fuzz_workload_name();
    fuzz_edit(keel_world_add_step(world, name, fuzz_one_in(32) ? NULL : fuzz_step()));
}
static const char *step_name(void) {
    static const char *const names[] = { "move", "label", "fall", "frame", "", "nobody" };
    return fuzz_one_in(32) ? NULL : names[fuzz_below(6)];
}
FUZZ(keel_enable_step) {
    keel_world *world = fuzz_world();
    const char *name = fuzz_workload_name();
    const char *step = step_name();
    fuzz_edit(keel_enable_step(world, name, step, fuzz_one_in(2)));
}
FUZZ(keel_remove_step) {
    keel_world *world = fuzz_world();
    const char *name = fuzz_workload_name();
    fuzz_edit(keel_remove_step(world, name, step_name()));
}
FUZZ(keel_remove_workload) {
    keel_world *world = fuzz_world();
    fuzz_edit(keel_remove_workload(world, fuzz_workload_name()));
}
FUZZ(keel_find_workload) {
    keel_world *world = fuzz_world();
    const keel_workload *w = keel_find_workload(world, fuzz_workload_name());
    if (w && !fuzz_one_in(4)) ran(keel_run_workload_of(world, w, fuzz_run_desc()));
}
FUZZ(keel_set_default_workload) {
    keel_world *world = fuzz_world();
    fuzz_edit(keel_set_default_workload(world, fuzz_workload_name()));
}

// ------------------------------------------------------------------ in a system
#define IN_SYSTEM(name)                                                                            \
    keel_context *name = f.contexts[f.depth];                                                      \
    if (!name) return
FUZZ(keel_fail) {
    IN_SYSTEM(context);
    if (fuzz_one_in(4)) keel_fail(context, context, "%d of %s", 7, "many");
}
FUZZ(keel_fail_text) {
    IN_SYSTEM(context);
    if (fuzz_one_in(4)) keel_fail_text(context, fuzz_text());
}
FUZZ(keel_answer) {
    IN_SYSTEM(context);
    keel_answer(context, fuzz_one_in(2));
}
FUZZ(keel_context_info) {
    IN_SYSTEM(context);
    const keel_run_info *info = keel_context_info(context, &(keel_run_info){ 0 });
    if (info->worker != 0 || info->last_run > info->this_run) __builtin_trap();
    (void)keel_context_info(NULL, &(keel_run_info){ 0 });
}
FUZZ(keel_context_commands) {
    IN_SYSTEM(context);
    (void)keel_context_commands(context);
}
FUZZ(keel_context_scratch) {
    IN_SYSTEM(context);
    const uint32_t size = fuzz_number() % 65537;
    void *memory = keel_context_scratch(context, size, fuzz_one_in(16) ? 3 : 16);
    if (memory && size) memset(memory, 1, size);
}
FUZZ(keel_context_world) {
    IN_SYSTEM(context);
    (void)keel_context_world(context);
}

// ------------------------------------------------------------------ custom views
// Begun and ended in one call, as values stay where they are in between.
FUZZ(keel_begin_custom_view) {
    _Alignas(16) uint32_t value[4] = { 0 };
    keel_scope *scope = fuzz_scope();
    const keel_custom_view *kind = fuzz_custom_views[fuzz_below(fuzz_custom_view_count)];
    const keel_result result = (keel_begin_custom_view)(scope, kind, value);
    fuzz_edit(result);
    if (result < 0) return;
    const uint64_t outer = f.left;
    if (outer) fuzz_inside(f.contexts[f.depth]);
    if ((keel_end_custom_view)(scope, value) == KEEL_ERROR_BORROWED) __builtin_trap();
}
FUZZ(keel_end_custom_view) {
    uint32_t value[4] = { 0 };
    fuzz_edit((keel_end_custom_view)(fuzz_scope(), value));
}

// ------------------------------------------------------------------ what is told
static const keel_workload *any_workload(keel_world *world) {
    return fuzz_one_in(2) ? keel_find_workload(world, fuzz_workload_name()) : fuzz_workload();
}
FUZZ(keel_world_workload_nodes) {
    keel_workload_node nodes[8];
    keel_world *world = fuzz_world();
    const uint32_t room = fuzz_below(9);
    (void)keel_world_workload_nodes(world, any_workload(world), room ? nodes : NULL, room);
}
FUZZ(keel_world_workload_edges) {
    keel_workload_edge edges[8];
    keel_world *world = fuzz_world();
    const uint32_t room = fuzz_below(9);
    (void)keel_world_workload_edges(world, any_workload(world), room ? edges : NULL, room);
}
FUZZ(keel_world_explain_workload) {
    char text[300];
    keel_world *world = fuzz_world();
    const keel_workload *workload = any_workload(world);
    const size_t room = fuzz_below(2) * sizeof text;
    (void)keel_world_explain_workload(world, workload, (keel_explain_format)fuzz_below(4),
                                      room ? text : NULL, room);
}
FUZZ(keel_step_why) {
    keel_why why;
    keel_world *world = fuzz_world();
    const keel_workload *workload = any_workload(world);
    const uint32_t position = fuzz_below(6);
    const keel_entity e = fuzz_entity();
    (void)keel_step_why(world, workload, position, e, fuzz_one_in(8) ? NULL : &why);
}
static void look_at_step(const keel_world *world, const keel_step_end *end, void *data) {
    (void)data;
    if (!end->system || !*end->system) abort();
    (void)keel_entity_count(world);
    (void)keel_get_component(world, f.handles[0], fuzz_component());
}
FUZZ(keel_watch_steps) {
    keel_world *world = fuzz_world();
    (void)keel_watch_steps(world, fuzz_one_in(2) ? NULL : look_at_step, NULL);
}
FUZZ(keel_step_counts) {
    keel_count_slice part = { .after = fuzz_entity() };
    part.max_visits = fuzz_below(4);
    keel_count_slice *slice = fuzz_one_in(2) ? NULL : &part;
    uint32_t left[KEEL_MAX_TERMS];
    keel_world *world = fuzz_world();
    const keel_workload *workload = any_workload(world);
    const uint32_t position = fuzz_below(6);
    const uint32_t room = fuzz_below(KEEL_MAX_TERMS + 1);
    (void)keel_step_counts(world, workload, position, slice, room ? left : NULL, room);
}
