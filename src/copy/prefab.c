// SPDX-License-Identifier: MIT
// The verbs of prefabs: spawning one, applying one to a living entity, and finding out what an
// entity was spawned from. Templates are entities of a world of their own. A spawned tree is a
// graft of them (graft.c) whose entities have the component keeli_instance.
#include "copy/prefab.h"

#include "copy/graft.h"
#include "world/tree.h"

#include "world/registry.h"
#include "world/report.h"

#include <string.h>

keel_world *keel_templates(keel_world *world) {
    if (keeli_is_no_world(world)) {
        keeli_no_world();
        return NULL;
    }
    if (world->templates)
        return world->templates;
    if (keeli_world_is_editable(world) < 0)
        return NULL;
    const keel_world_desc desc = { .name = "templates",
                                   .allocator = world->heap.allocator,
                                   .log = world->reports.log,
                                   .on_misuse = world->reports.on_misuse,
                                   .worker_count = 1,
                                   .on_parent_delete = world->relations.of_children };
    keel_world *templates = keel_world_create(&desc);
    if (!templates) {
        keeli_out_of_memory(world, "making the world of templates");
        return NULL;
    }
    keel_result result; // registers keeli_instance, so that a saved game that has it can be loaded
    if (!keeli_storage_get(world, &keeli_instance, false, &result)) {
        keel_world_destroy(templates);
        return NULL;
    }
    templates->templates = templates;
    templates->entities.first = KEELI_TEMPLATE_VERSION + 1;
    return world->templates = templates;
}

void keeli_templates_deinit(keel_world *world) {
    keel_world *templates = world->templates;
    world->templates = NULL;
    if (!templates || templates == world)
        return;
    keeli_recipes_deinit(templates);
    templates->templates = NULL; // keel_world_destroy refuses a world of templates
    keel_world_destroy(templates);
}

// ------------------------------------------------------------------ the template
static keel_result check_prefab(keel_world *world, keel_prefab prefab, const char *verb) {
    const keel_world *from = world->templates;
    if (keel_is_null(prefab.root))
        return keeli_error(world, KEEL_ERROR_DEAD_ENTITY,
                           "cannot %s a prefab that is null; check what made or found it in "
                           "keel_templates(world)",
                           verb);
    if (!from || !keeli_entity_is_alive(&from->entities, prefab.root))
        return keeli_error(world, KEEL_ERROR_DEAD_ENTITY,
                           "cannot %s %s: it is no template, or was deleted; a template is an "
                           "entity that lives in keel_templates(world)",
                           verb, KEELI_ENTITY(from ? from : world, prefab.root));
    // saves the check of all storages if nothing is borrowed there, as is usual
    const bool is_in_use = from != world && (from->refused || from->access.holders);
    return is_in_use ? keeli_may_read_all(from, world, "spawn from") : KEEL_OK;
}

// Begins a graft of a template that is alive.
static keel_result spawn_begin(keeli_graft *g, keel_world *world, keel_entity root, uint32_t copies,
                               const char *doing) {
    keel_result result = KEEL_OK;
    keeli_storage *link = keeli_storage_known(world, &keeli_instance);
    if (!link)
        link = keeli_storage_get(world, &keeli_instance, false, &result);
    if (!link)
        return result;
    const keeli_recipe *recipe = keeli_recipe_of(world, root);
    if (!recipe)
        return keeli_out_of_memory(world, doing);
    *g = (keeli_graft){ .to = world,
                        .from = world->templates,
                        .recipe = recipe,
                        .nodes = recipe->nodes,
                        .count = recipe->count,
                        .copies = copies,
                        .link = link,
                        .has_transient = true,
                        .leaves_root_names = true,
                        .doing = doing };
    return KEEL_OK;
}

// ------------------------------------------------------------------ spawning
// Spawns `count` copies. `held`: promised handles, all for the first node, then for the second,
// ...; or NULL.
static keel_result spawn(keel_world *world, const keeli_holder *holder, keel_prefab prefab,
                         uint32_t count, keel_entity *out, const keel_value_column *columns,
                         keel_entity *held) {
    keeli_graft g;
    KEEL_TRY(check_prefab(world, prefab, "spawn"));
    KEEL_TRY(spawn_begin(&g, world, prefab.root, count, "spawning a prefab"));
    if (!count)
        return KEEL_OK;
    g.made = held;
    g.is_held = held != NULL;
    g.over = columns;
    keel_entity few[2 * KEELI_GRAFT_FEW], *made = few;
    const uint64_t total = held ? 0 : (uint64_t)g.count * count;
    const size_t bytes = (size_t)total * sizeof *made;
    if (total > sizeof few / sizeof *few)
        made = keeli_new(&world->heap, bytes, sizeof *made);
    if (!made)
        return keeli_out_of_memory(world, g.doing);
    if (!held)
        g.made = made;
    keeli_editing_begin(world);
    const keel_result result = keeli_graft_grow(&g, holder);
    keeli_editing_end(world);
    keeli_graft_end(&g);
    if (result == KEEL_OK && out)
        memcpy(out, g.made, count * sizeof *out);
    if (made != few)
        keeli_free(&world->heap, made, bytes, sizeof *made);
    return keeli_done(world, result);
}

// Applies a recorded spawn, whose handles were promised.
static keel_result spawn_held(keel_world *world, keel_entity root, keeli_entity_list *held,
                              const keel_value_column *columns) {
    const keel_prefab prefab = { root };
    const uint32_t count = held->count / held->each;
    const bool is_alive = keeli_entity_is_alive(&world->templates->entities, root);
    if (!is_alive || keeli_recipe_count(world->templates, root) != held->each)
        return keeli_error(world, KEEL_ERROR_ARGUMENT,
                           "cannot spawn %s: it had %u entities when the command was recorded, and "
                           "%s since; apply commands before you edit templates",
                           KEELI_ENTITY(world->templates, root), (unsigned)held->each,
                           is_alive ? "was edited" : "was deleted");
    KEEL_TRY(check_prefab(world, prefab, "spawn"));
    return spawn(world, NULL, prefab, count, NULL, columns, held->items);
}

// Spawns now, or records the spawn. `is_list`: `columns` were made from a list of values, which may
// name a component several times; the last value counts.
static keel_result spawn_columns(keel_scope *scope, keel_prefab prefab, uint32_t count,
                                 keel_entity *out, const keel_value_column *columns, bool is_list) {
    keeli_caller who;
    KEEL_TRY(keeli_edit_begin(scope, &who));
    keel_result result = KEEL_OK;
    if (who.commands) {
        KEEL_TRY(check_prefab(who.world, prefab, "spawn"));
        return keeli_record_spawn(who.commands, prefab.root,
                                  keeli_recipe_count(who.world->templates, prefab.root), count, out,
                                  columns, spawn_held);
    }
    if (!is_list)
        result = keeli_check_columns(who.world, who.editor, columns);
    if (result == KEEL_OK)
        result = spawn(who.world, who.editor, prefab, count, out, columns, NULL);
    return keeli_edit_end(&who, result);
}

keel_result(keel_spawn_columns)(keel_scope *scope, keel_prefab prefab, uint32_t count,
                                keel_entity *out, const keel_value_column *columns) {
    return spawn_columns(scope, prefab, count, out, columns, false);
}

// Spawns a template of one entity without handles and relations: half the instructions of a graft
// (benchmark spawn, 2). False, with nothing changed, if a graft is needed.
static bool spawn_alone(keel_world *world, keel_prefab prefab, const keel_value *values,
                        keel_entity *out) {
    if (keeli_is_no_world(world))
        return false;
    const keel_world *from = world->templates;
    const keeli_storage *link = keeli_storage_known(world, &keeli_instance);
    if (!from || from == world || !link || !keeli_is_unused(world) ||
        !keeli_entity_is_alive(&from->entities, prefab.root) || !keeli_is_unused(from))
        return false;
    const keeli_recipe *recipe = keeli_recipe_of(world, prefab.root);
    if (!recipe) {
        keeli_out_of_memory(world, "spawning a prefab");
        return true;
    }
    return keeli_graft_alone(world, recipe, link, values, out);
}

keel_entity(keel_spawn_values)(keel_scope *scope, keel_prefab prefab, const keel_value *values) {
    enum { FEW = KEELI_SIZE(16, 1) };
    keel_value_column few[FEW + 1], *columns = few;
    keel_entity made = keel_null();
    keeli_caller who;
    uint32_t count = 0;
    if (keeli_is_world(scope) && spawn_alone(keeli_world_of(scope), prefab, values, &made))
        return made;
    while (values && values[count].component)
        ++count;
    const size_t bytes = (count + 1) * sizeof *columns;
    if (keeli_caller_is(scope, &who) < 0)
        return keel_null();
    if (count > FEW)
        columns = keeli_new(&who.world->heap, bytes, _Alignof(keel_value_column));
    if (!columns) {
        keeli_out_of_memory(who.world, "spawning a prefab");
        return keel_null();
    }
    for (uint32_t i = 0; i < count; ++i)
        columns[i] = (keel_value_column){ values[i].component, values[i].value,
                                          values[i].value ? values[i].component->size : 0 };
    columns[count] = (keel_value_column){ NULL, NULL, 0 };
    const keel_result result = spawn_columns(scope, prefab, 1, &made, columns, true);
    if (columns != few)
        keeli_free(&who.world->heap, columns, bytes, _Alignof(keel_value_column));
    return result == KEEL_OK ? made : keel_null();
}

// ------------------------------------------------------------------ applying
// True if the entity, of the same world, is a node of the copied tree.
static bool is_node(const keeli_graft *g, keel_entity e) {
    uint32_t i = 0;
    while (g->from == g->to && i < g->count && !keel_is_same(g->nodes[i], e))
        ++i;
    return g->from == g->to && i < g->count;
}

static keel_result edit_apply(keel_world *world, const keeli_holder *holder, keel_entity e,
                              keel_entity root) {
    keeli_graft g;
    if (!keeli_entity_is_alive(&world->entities, e))
        return keeli_dead_entity(world, "keel_apply_prefab", e);
    KEEL_TRY(check_prefab(world, (keel_prefab){ root }, "apply"));
    KEEL_TRY(spawn_begin(&g, world, root, 1, "applying a prefab"));
    if (is_node(&g, e))
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "cannot apply a prefab to %s: it is a template of that prefab",
                            KEELI_ENTITY(world, e));
    keel_entity few[KEELI_GRAFT_FEW], *made = few;
    const size_t bytes = g.count * sizeof *made;
    if (g.count > KEELI_GRAFT_FEW)
        made = keeli_new(&world->heap, bytes, sizeof *made);
    if (!made)
        return keeli_out_of_memory(world, g.doing);
    g.made = made;
    made[0] = e;
    const keel_result result = keeli_graft_onto(&g, holder);
    keeli_graft_end(&g);
    if (made != few)
        keeli_free(&world->heap, made, bytes, sizeof *made);
    return keeli_done(world, result);
}

keel_result(keel_apply_prefab)(keel_scope *scope, keel_entity e, keel_prefab prefab) {
    keeli_caller who;
    keel_commands *list = keeli_commands_of(scope);
    if (list)
        return keeli_record_two(list, e, prefab.root, edit_apply);
    KEEL_TRY(keeli_edit_begin(scope, &who));
    return keeli_edit_end(&who, edit_apply(who.world, who.editor, e, prefab.root));
}

// ------------------------------------------------------------------ the prefab of an entity
keel_prefab(keel_prefab_of)(const keel_scope *scope, keel_entity e) {
    keel_prefab prefab = { keel_null() };
    const keel_world *world = keeli_world_behind(scope);
    if (!world || !world->templates)
        return prefab;
    const keeli_storage *s = keeli_instances_of(world);
    const void *value = s ? keeli_store_value_of(world, s, e) : NULL;
    if (value)
        memcpy(&prefab.root, value, sizeof prefab.root);
    if (!keeli_entity_is_alive(&world->templates->entities, prefab.root))
        prefab.root = keel_null();
    return prefab;
}
