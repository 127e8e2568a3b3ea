// SPDX-License-Identifier: MIT
// Creates a world out of its parts and destroys it, in the order in which the parts depend on each
// other. It also unregisters components, trims memory and checks all parts. It has no state of its
// own: world.h describes the parts. Users call it.
#include "world.h"

#include "copy/prefab.h"
#include "edit/commands.h"
#include "edit/removal.h"
#include "find/iterate.h"
#include "follow/follow.h"
#include "link/relation.h"
#include "rewind/snapshot.h"
#include "run/workers.h"
#include "tell/describe.h"
#include "world/borrow.h"
#include "world/names.h"
#include "world/registry.h"
#include "world/report.h"
#include "world/storage.h"
#include "world/tree.h"

#include <stdio.h>
#include <string.h>

// Allocates a world and sets the parts that cannot fail; NULL when out of memory.
static keel_world *new_world(const keel_world_desc *desc) {
    keeli_heap heap; // the memory of the world itself is allocated before its own heap exists
    keeli_heap_init(&heap, desc->allocator);
    keel_world *world = KEELI_NEW(&heap, keel_world);
    if (!world) {
        keeli_heap_deinit(&heap);
        return NULL;
    }
    const uint64_t live = heap.live;
    keeli_heap_deinit(&heap);

    keeli_heap_init(&world->heap, desc->allocator);
    world->heap.live = live;
    world->heap.mask = &world->refused;
    world->root.scope.kind = KEELI_SCOPE_WORLD;
    world->root.refused = &world->refused;
    world->heap.mask_bit = KEELI_REFUSED_HOOK;
    world->library = &keeli_library;

    keeli_lock_init(&world->access.lock);
    keeli_lock_init(&world->access.edit_lock);
    keeli_lock_init(&world->reports.log_lock);
    keeli_condition_init(&world->workers.started);

    world->workers.own.node = UINT32_MAX;
    world->reports.log = desc->log;
    world->reports.on_misuse = desc->on_misuse;
    world->registry.bindings = 1;
    world->changes.tick = 1;
    world->access.owner = keeli_thread_id();

    world->stand_in.entities.component.name = "entities";
    world->stand_in.handles.component.name = "free entity handles";
    world->stand_in.rows.component.name = "archetype components";
    keeli_entity_index_init(&world->entities);
    return world;
}

// Returns a message about a wrong rule or number of workers in the description, or NULL.
static const char *find_mistake(const keel_world_desc *desc) {
    const keel_executor *x = desc->executor;
    if ((uint32_t)desc->on_parent_delete > KEEL_REFUSE)
        return "on_parent_delete is unknown; use a constant of keel_on_delete";
    if (desc->worker_count > KEEL_MAX_WORKERS)
        return "worker_count is above KEEL_MAX_WORKERS";
    if (!x)
        return NULL;

    if (!x->submit)
        return "the executor has no submit; set it, or leave desc.executor NULL";
    if (x->worker_count == 0)
        return "the executor's worker_count is 0; it counts the calling thread, so set 1 or more";
    if (x->worker_count > KEEL_MAX_WORKERS)
        return "the executor has more workers than KEEL_MAX_WORKERS";
    if (desc->worker_count > x->worker_count)
        return "worker_count is above the executor's; leave it 0 to use all of its workers";
    return NULL;
}

static keel_result choose_workers(keel_world *world, const keel_world_desc *desc) {
    const char *mistake = find_mistake(desc);
    if (mistake)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "keel_world_create: %s", mistake);

    const uint32_t cores = keeli_core_count();
    keeli_worker_state *w = &world->workers;
    if (desc->executor) {
        w->executor = *desc->executor;
    } else {
        const uint32_t most = cores > KEEL_MAX_WORKERS ? KEEL_MAX_WORKERS : cores;
        w->executor = (keel_executor){ &w->pool, most, keeli_pool_submit };
    }
    w->forks = keeli_fork_count();
    w->count = desc->worker_count ? desc->worker_count : w->executor.worker_count;
    w->may_spin = w->count <= cores;
    if (desc->executor)
        return KEEL_OK;

    w->executor.worker_count = w->count;
    keeli_pool_init(&w->pool, &world->heap, w->count, w->may_spin ? KEELI_POOL_SPIN_NS : 0);
    return KEEL_OK;
}

keel_world *keel_world_create(const keel_world_desc *desc) {
    const keel_world_desc defaults = { 0 };
    if (!desc)
        desc = &defaults;
    keel_world *world = new_world(desc);
    if (!world)
        return NULL;

    world->commands.flush = keeli_flush;
    world->relations.of_children = desc->on_parent_delete;
    world->name = keeli_new_text(&world->heap, desc->name ? desc->name : "world");
    const bool has_all =
        world->name && choose_workers(world, desc) == KEEL_OK &&
        keeli_archetypes_init(&world->archetypes, &world->heap) &&
        (world->commands.own = keeli_commands_new(world)) != NULL && keeli_registry_init(world) &&
        keel_reserve_component(world, &keel_entities, desc->entity_capacity) == KEEL_OK;
    if (has_all)
        return world;

    keel_world_destroy(world);
    return NULL;
}

// True if the world has called code of the user's that has not returned yet.
static bool is_in_use(keel_world *world) {
    if (world->refused & (KEELI_REFUSED_INSIDE | KEELI_REFUSED_DESTROYED) ||
        world->commands.applying || world->followers.calling || keeli_world_is_running(world))
        return true;

    for (const keeli_view *view = world->views.all; view; view = view->next) {
        const bool is_open_loop = view->holder.open && view->is_loop;
        const bool is_called = view->holder.serial && view->custom && view->in_hands;
        if (is_open_loop || is_called)
            return true;
    }
    return false;
}

static keel_result may_destroy(keel_world *world) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    if (world->templates == world)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "the world of templates is destroyed with the world that it belongs "
                            "to; do not destroy it by itself");
    if (keeli_is_in_allocator(world) || is_in_use(world))
        return keeli_misuse(world, KEEL_ERROR_BORROWED,
                            "world '%s' is destroyed by code that it runs (a system, a loop, a "
                            "command, an observer, a custom view); destroy it when that has "
                            "returned",
                            world->name);
    return KEEL_OK;
}

void keel_world_destroy(keel_world *world) {
    if (!world || may_destroy(world) < 0)
        return;

    if (world->workers.executor.context == &world->workers.pool)
        keeli_pool_deinit(&world->workers.pool);
    world->refused = KEELI_REFUSED_DESTROYED;
    world->access.concurrent = 0;

    // drops values while all storages still exist, as hooks may read them
    keeli_templates_deinit(world);
    keeli_snapshots_deinit(world);
    keeli_customs_deinit(world);
    keeli_notify_end(world);
    keeli_threads_ending(world);
    keeli_groups_clear_all(world);
    keeli_store_drop_all(world);
    keeli_registry_drop(world);
    keeli_followers_end(world);

    keeli_workers_deinit(world);
    keeli_schedules_deinit(world);
    keeli_iterators_deinit(world);
    keeli_matches_deinit(world);
    keeli_views_deinit(world);
    if (world->commands.own)
        keeli_commands_deinit(world);
    keeli_blocks_deinit(&world->heap);
    keeli_workloads_deinit(world);
    keeli_systems_deinit(world);
    keeli_timings_deinit(world);
    keeli_archetypes_deinit(&world->archetypes, &world->heap);
    keeli_followers_deinit(world);
    keeli_registry_deinit(world);
    keeli_readers_deinit(world);
    keeli_component_lists_deinit(&world->lists, &world->heap);
    keeli_entity_index_deinit(&world->entities, &world->heap);
    keeli_free_text(&world->heap, world->name);
    keeli_arena_deinit(&world->workers.own.scratch, &world->heap);
    keeli_lock_deinit(&world->access.lock);
    keeli_lock_deinit(&world->access.edit_lock);
    keeli_lock_deinit(&world->reports.log_lock);
    keeli_condition_deinit(&world->workers.started);

    keeli_heap heap; // frees the world itself, after the world's own heap has ended
    keeli_heap_init(&heap, world->heap.allocator);
    keeli_heap_deinit(&world->heap);
    // A later use of the world is noticed, as long as the allocator does not reuse the memory.
    if (KEELI_CHECKED)
        memset(world, 0xDD, sizeof *world);
    memset(&world->root, 0, sizeof world->root);
    world->root.scope.kind = KEELI_SCOPE_DESTROYED;
    KEELI_FREE(&heap, keel_world, world);
    keeli_heap_deinit(&heap);
}

// Removes a relation from the world's list, and unregisters the component `targets`.
static void forget_relation(keel_world *world, keeli_relation *r) {
    keeli_relation **link = &world->relations.all;
    while (*link != r)
        link = &(*link)->next;
    *link = r->next;
    world->relations.rule_count -= r->sources->component.on_delete != KEEL_UNRELATE;
    keeli_clear(world, r->targets);
    keeli_storage_forget(world, r->targets);
}

const keel_component *keel_register_component(keel_world *world, const keel_component *component) {
    if (keeli_is_no_world(world)) {
        (void)keeli_no_world();
        return NULL;
    }
    keel_result result;
    keeli_storage *s = keeli_storage_register(world, component, &result);
    if (!s)
        return NULL;

    const uint32_t more = component->tracking & ~s->tracking.kinds;
    if (more && keel_track_component(world, &s->component, more) < 0)
        return NULL;
    // this comes last, because hooks that were replaced are not restored on error
    keeli_store_copy_hooks(s, component);
    return &s->component;
}

keel_result keel_unregister_component(keel_world *world, const keel_component *component) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    KEEL_TRY(keeli_world_is_idle(world, "a component is unregistered"));
    keeli_storage *s = component ? keeli_storage_find(world, component) : NULL;
    if (!s)
        return KEEL_ABSENT;

    if (s->relation)
        s = s->relation->sources; // unregisters `targets` as well
    if (s->relation && s->relation == world->relations.child)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "cannot unregister '%s': it is part of every world", s->component.name);
    KEEL_TRY(keeli_may_edit(world, NULL, s, "unregister"));
    if (s->groups.count)
        return keeli_error(
            world, KEEL_ERROR_GROUPED,
            "cannot unregister '%s': group '%s' follows it; destroy that group first",
            s->component.name, s->groups.items[0].group->name);
    if (s->required_by.count)
        return keeli_error(world, KEEL_ERROR_REQUIRED,
                           "cannot unregister '%s': '%s' requires it; unregister that first",
                           s->component.name, s->required_by.items[0]->component.name);
    if (!keeli_reserve_clear(world, s))
        return keeli_out_of_memory(world, "unregistering a component");

    keeli_clear(world, s);
    keeli_followers_forget(world, s);
    // frees the archetypes that have a column for this component, as they are empty now
    if (keeli_store_has_rows(s))
        keeli_archetypes_trim(&world->archetypes, &world->heap);
    keeli_commands_forget(world, s);
    if (s->relation)
        forget_relation(world, s->relation);
    keeli_storage_forget(world, s);
    return keeli_done(world, KEEL_OK);
}

keel_statistics keel_world_statistics(const keel_world *world) {
    keel_statistics all = { 0 };
    keel_memory m = { 0 };
    if (keeli_is_nobody(world))
        return all;

    m.total = (size_t)keeli_atomic_peek(&world->heap.live);
    if (world->templates && world->templates != world)
        m.total += (size_t)keeli_atomic_peek(&world->templates->heap.live);
    m.entities = world->entities.bytes;
    m.components = world->archetypes.bytes + world->lists.bytes;

    for (uint32_t i = 0; i < world->storages.count; ++i) {
        const keeli_storage *s = world->storages.items[i];
        m.components += keeli_store_bytes(s);
        if (s->unique)
            m.uniques += s->component.size ? s->component.size : 1;
        if (s->events)
            m.uniques += sizeof *s->events + keeli_queue_bytes(s->events);
    }

    m.commands = keeli_commands_bytes(world);
    m.other = m.total - m.entities - m.components - m.uniques - m.commands;
    all.memory = m;
    all.dropped_commands = world->commands.dropped;
    return all;
}

keel_result keel_world_trim(keel_world *world) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    for (uint32_t i = 0; i < world->storages.count; ++i)
        KEEL_TRY(keeli_may_edit(world, NULL, world->storages.items[i], "trim"));

    for (uint32_t i = 0; i < world->storages.count; ++i)
        keeli_store_trim(world, world->storages.items[i]);
    for (uint32_t i = 0; i < world->registry.queues.count; ++i)
        keeli_queue_trim(world->registry.queues.items[i]->events, &world->heap, 0);
    keeli_blocks_deinit(&world->heap);
    keeli_groups_trim(world);
    keeli_component_lists_trim(&world->lists, &world->heap);
    keeli_archetypes_trim(&world->archetypes, &world->heap);
    keeli_kept_lists_trim(world);
    keeli_levels_trim(world);
    keeli_names_trim(world);
    return KEEL_OK;
}

// True if the list of each block names only components that entities of the block have, and
// reactive sets that have room for such entities. keeli_store_is_valid checks the opposite: that
// the lists name all components of the block.
static bool lists_are_right(const keel_world *world) {
    if (!keeli_component_lists_are_valid(&world->lists))
        return false;

    for (uint64_t i = 0; i / KEELI_PAGE < world->lists.capacity; i += 64) {
        keeli_component_list *list = keeli_list_if_any(&world->lists, (uint32_t)i);
        if (!list || keeli_list_is_incomplete(list))
            continue;
        for (uint32_t k = 0; k < list->count; ++k)
            if (!keeli_is_in_block(keeli_block_storage(world, list, k), (uint32_t)i))
                return false;
    }
    return true;
}

// Returns what is broken, for the message of keel_world_check, or NULL.
static const char *find_fault(const keel_world *world) {
    if (!keeli_entity_index_is_valid(&world->entities))
        return "the index of entities is broken";
    if (!keeli_archetypes_are_valid(&world->archetypes, &world->entities))
        return "the archetypes are broken";

    for (uint32_t i = 0; i < world->storages.count; ++i) {
        const keeli_storage *s = world->storages.items[i];
        if (!keeli_store_is_valid(world, s))
            return s->component.name;
        if (s->events && !keeli_queue_is_valid(s->events))
            return s->component.name;
        KEELI_EACH_BIT(k, &s->presence)
            if (!keeli_entity_is_alive(&world->entities, keeli_entity_at(&world->entities, k)))
                return s->component.name;
        KEELI_EACH_BIT(k, &s->disabled)
            if (!keeli_entity_is_alive(&world->entities, keeli_entity_at(&world->entities, k)))
                return s->component.name;
    }

    const char *fault = keeli_followers_find_fault(world);
    if (fault)
        return fault;
    if (!lists_are_right(world))
        return "the lists of components are broken";
    if (!keeli_required_are_there(world))
        return "a required component is missing";
    if (!keeli_names_are_valid(world))
        return "the index of names is broken";
    for (const keeli_relation *r = world->relations.all; r; r = r->next)
        if (!keeli_relation_is_valid(r))
            return r->sources->component.name;
    return NULL;
}

bool keel_world_check(const keel_world *world, keel_error *error) {
    const char *fault =
        keeli_is_nobody(world) ? "the world is NULL, or was destroyed" : find_fault(world);
    if (error) {
        memset(error, 0, sizeof *error);
        if (fault) {
            error->result = KEEL_ERROR_ARGUMENT;
            snprintf(error->message, sizeof error->message, "broken: %s; please report it", fault);
        }
    }
    return !fault;
}
