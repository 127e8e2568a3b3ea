// SPDX-License-Identifier: MIT
// Merges a world into another one: a graft of all its entities, and copies of its uniques. The
// source does not change. Copying to an empty world with the same handles is copy_world.c.
#include "copy/graft.h"

#include "world/tree.h"

#include "world/registry.h"
#include "world/report.h"

#include <string.h>

static const char doing[] = "merging worlds";

static keel_result check_merge(keel_world *to, const keel_world *from, keel_entity root) {
    if (from == to)
        return keeli_misuse(to, KEEL_ERROR_ARGUMENT,
                            "keel_merge_world needs two worlds, but both are '%s'", to->name);
    KEEL_TRY(keeli_world_is_ours(from, to));
    KEEL_TRY(keeli_world_is_ours(to, to));
    KEEL_TRY(keeli_may_edit(to, NULL, &to->stand_in.entities, "merge into"));
    if (!keel_is_null(root) && !keeli_entity_is_alive(&to->entities, root))
        return keeli_error(to, KEEL_ERROR_DEAD_ENTITY, "cannot merge below %s: it is not alive",
                           KEELI_ENTITY(to, root));
    return keeli_may_read_all(from, to, "merge");
}

// Lists all entities, parents before their children, siblings in their order. Returns their number.
static uint32_t list_nodes(const keel_world *from, keel_entity *nodes) {
    uint32_t n = 0;
    keel_entity e;
    for (uint32_t i = 0; !keel_is_null(e = keeli_entity_index_next(&from->entities, i));
         i = keeli_index_of(e) + 1) {
        if (keeli_has_parent(from, e))
            continue;
        for (keel_entity at = e; !keel_is_null(at);
             at = keeli_has_children(from, e) ? keeli_next_in_tree(from, e, at) : keel_null())
            nodes[n++] = at;
    }
    return n;
}

// ------------------------------------------------------------------ uniques
typedef struct staged {
    keeli_storage *to; // storage of the unique in the target
    void *value;       // copy that the storage gets, in memory of its own
} staged;
typedef KEELI_ARRAY(staged) staged_list;

static keel_result stage_merged_unique(const keeli_graft *g, staged_list *list,
                                       const keeli_storage *s) {
    keel_result result;
    keel_world *to = g->to;
    keeli_storage *t = keeli_storage_get(to, &s->component, true, &result);
    if (!t)
        return result;
    KEEL_TRY(keeli_may_edit(to, NULL, t, "set"));
    if (!KEELI_RESERVE(&to->heap, list, 1))
        return keeli_out_of_memory(to, doing);
    void *value = keeli_new(&to->heap, s->size ? s->size : 1, s->component.align);
    if (!value)
        return keeli_out_of_memory(to, doing);
    result = keeli_graft_value(g, s, value, s->unique, 0);
    if (result == KEEL_OK)
        *KEELI_APPEND(list) = (staged){ t, value };
    else
        keeli_free(&to->heap, value, s->size ? s->size : 1, s->component.align);
    return result;
}

// Sets the uniques of the world to the staged values, or drops these. Cannot fail.
static void end_uniques(keel_world *to, staged_list *list, bool are_set) {
    for (uint32_t i = 0; i < list->count; ++i) {
        keeli_storage *t = list->items[i].to;
        void *old = are_set ? t->unique : list->items[i].value;
        if (are_set && !t->unique)
            t->set_at = to->changes.tick;
        if (are_set) {
            t->changed_at = t->unique ? to->changes.tick : 0;
            t->unique = list->items[i].value;
        }
        if (!old)
            continue;
        keeli_value_drop(t, old);
        keeli_free(&to->heap, old, t->size ? t->size : 1, t->component.align);
    }
    KEELI_RELEASE(&to->heap, list);
}

// ------------------------------------------------------------------ all of it
static keel_result merge_nodes(keeli_graft *g, const keel_merge_options *options) {
    keel_world *to = g->to;
    const keel_world *from = g->from;
    staged_list uniques = { .count = 0 };
    keel_result result = keeli_graft_grow(g, NULL);
    bool is_refused = false;
    if (result < 0)
        return result;
    for (uint32_t i = 0; result == KEEL_OK && i < from->storages.count; ++i) {
        const keeli_storage *s = from->storages.items[i];
        if (s->unique && !s->events && !s->component.transient)
            result = stage_merged_unique(g, &uniques, s);
    }
    end_uniques(to, &uniques, result == KEEL_OK);
    if (result < 0)
        keeli_graft_undo(g);
    if (result != KEEL_OK || !options->handles)
        return result;

    keel_entity *out = options->handles, e;
    for (uint32_t i = 0; !keel_is_null(e = keeli_entity_index_next(&from->entities, i));
         i = keeli_index_of(e) + 1)
        *out++ = keeli_graft_copy_of(g, e, 0, &is_refused);
    return KEEL_OK;
}

keel_result keel_merge_world(keel_world *to, const keel_world *from,
                             const keel_merge_options *options) {
    static const keel_merge_options defaults = { .strict = false };
    if (keeli_is_no_world(to) || keeli_is_no_world(from))
        return keeli_no_world();
    if (!options)
        options = &defaults;
    KEEL_TRY(check_merge(to, from, options->root));
    const uint32_t count = keeli_entity_count(&from->entities);
    const size_t bytes = 2 * (size_t)count * sizeof(keel_entity);
    keel_entity *lists = keeli_new(&to->heap, bytes, sizeof *lists);
    if (count && !lists)
        return keeli_out_of_memory(to, doing);
    keeli_graft g = { .to = to,
                      .from = from,
                      .nodes = lists,
                      .count = count ? list_nodes(from, lists) : 0,
                      .copies = 1,
                      .made = count ? lists + count : NULL,
                      .root = options->root,
                      .left_out = options->same_templates ? NULL : keeli_instances_of(from),
                      .outside = options->strict ? KEELI_OUTSIDE_REFUSED : KEELI_OUTSIDE_NULL,
                      .doing = doing };
    keeli_editing_begin(to); // commands of observers wait until all entities are there, or none
    const keel_result result = merge_nodes(&g, options);
    keeli_editing_end(to);
    keeli_graft_end(&g);
    keeli_free(&to->heap, lists, bytes, sizeof *lists);
    if (result == KEEL_OK)
        to->commands.last_count = count;
    return keeli_done(to, result);
}
