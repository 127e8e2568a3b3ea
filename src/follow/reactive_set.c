// SPDX-License-Identifier: MIT
// Reactive sets: tags that the world adds to entities when one of the set's source components is
// inserted, modified, deleted or removed, or when an entity is created (then the source is
// world->stand_in.entities). Edits call this file through follow.h. Only the user removes entities
// from a set. An edit of a source may edit its sets, so borrowing a source also borrows its sets
// (world/borrow.c).
//
// Invariant: each entity that has a source, enabled or disabled, has room in the set and with the
// followers of the set. So only an edit that adds a source, or an entity, may fail because of a
// set; overwriting, marking and deleting cannot. Therefore the component list of a block names a
// set even if no entity of the block is in the set yet, and memory of sets is not trimmed.
#include "follow.h"

#include "world/borrow.h"
#include "world/registry.h"
#include "world/report.h"

uint32_t keeli_could_have(const keel_world *world, const keeli_storage *s) {
    uint64_t count = (uint64_t)s->presence.count + s->disabled.count;
    if (!s->sources.count)
        return (uint32_t)count;
    for (uint32_t i = 0; i < s->sources.count; ++i)
        count += keeli_could_have(world, s->sources.items[i]);
    const uint32_t alive = keeli_entity_count(&world->entities);
    return count < alive ? (uint32_t)count : alive;
}

// Makes room in a set for `extra` entities, one of them at the index. After that, the entity may be
// added to and removed from the set any number of times without making room again. So the log of
// removals gets all the room that its limit allows, and the component list of the block names the
// set from now on.
static bool reserve_in(keel_world *world, keeli_storage *set, uint32_t index, uint32_t extra) {
    keeli_heap *heap = &world->heap;
    if (set->tracking.kinds & (KEEL_TRACK_DELETION | KEEL_TRACK_REMOVAL) &&
        !keeli_queue_reserve(&set->tracking.removed, heap, keeli_removals_to_come(set), NULL))
        return false;
    if (!keeli_store_reserve(world, set, index))
        return false;

    world->lists.names_sets = true;
    if (!keeli_component_lists_has(&world->lists, index, set->ordinal))
        keeli_component_lists_add(&world->lists, index, set->ordinal);

    const uint64_t need = (uint64_t)keeli_could_have(world, set) + extra;
    return !keeli_store_is_sparse(set) || need <= set->set.room ||
           keeli_sparse_set_reserve(&set->set, heap, (uint32_t)(need - set->set.count));
}

bool keeli_sets_reserve(keel_world *world, keeli_storage *s, uint32_t index, uint32_t extra) {
    if (s->sources.count && !reserve_in(world, s, index, extra))
        return false;
    for (uint32_t i = 0; i < s->collectors.count; ++i)
        if (!keeli_followers_reserve_slow(world, s->collectors.items[i].set, index, extra))
            return false;
    return true;
}

static void add_to_set(keel_world *world, keeli_storage *set, keel_entity e) {
    if (keeli_store_has(set, keeli_index_of(e)))
        return;
    (void)keeli_store_push(world, set, e);
    keeli_follow_added(world, set, keeli_index_of(e));
    keeli_validate_storage(world, set);
}

void keeli_collect(keel_world *world, const keeli_storage *s, keel_entity e, uint32_t kind) {
    for (uint32_t i = 0; i < s->collectors.count; ++i)
        if (s->collectors.items[i].kinds & kind)
            add_to_set(world, s->collectors.items[i].set, e);
}

static bool is_strip_set(const keel_world *world, const keeli_storage *set) {
    for (uint32_t i = 0; i < world->followers.strip_sets.count; ++i)
        if (world->followers.strip_sets.items[i] == set)
            return true;
    return false;
}

void keeli_strip_begin(keel_world *world, keel_entity e) {
    if (!world->followers.set_count)
        return;

    uint32_t at = UINT32_MAX;
    for (keeli_storage *s; (s = keeli_store_next_of(world, keeli_index_of(e), &at)) != NULL;) {
        if (!keeli_store_has(s, keeli_index_of(e)))
            continue;
        for (uint32_t i = 0; i < s->collectors.count; ++i) {
            const keeli_collector *c = &s->collectors.items[i];
            if (c->kinds & KEEL_ON_DELETED && !is_strip_set(world, c->set))
                *KEELI_APPEND(&world->followers.strip_sets) = c->set;
        }
    }
}

void keeli_strip_end(keel_world *world, keel_entity e) {
    for (uint32_t i = world->followers.strip_sets.count; i--;)
        add_to_set(world, world->followers.strip_sets.items[i], e);
    if (world->followers.set_count)
        world->followers.strip_sets.count = 0;
}

static keeli_collector *collector_of(const keeli_storage *source, const keeli_storage *set) {
    for (uint32_t i = 0; i < source->collectors.count; ++i)
        if (source->collectors.items[i].set == set)
            return &source->collectors.items[i];
    return NULL;
}

static bool reaches(const keeli_storage *from, const keeli_storage *to) {
    if (from == to)
        return true;
    for (uint32_t i = 0; i < from->collectors.count; ++i)
        if (reaches(from->collectors.items[i].set, to))
            return true;
    return false;
}

// Returns the first index of the next block, from `index` on, whose list names the set although no
// entity of the block is in the set. UINT64_MAX if there is none.
static uint64_t next_idle_block(const keel_world *world, const keeli_storage *set, uint64_t index) {
    const uint64_t end = (uint64_t)set->presence.root.page_count * KEELI_PAGE;
    for (; index < end; index += 64) {
        const uint32_t i = (uint32_t)index;
        if (!keeli_presence_word(&set->presence, i / 64) &&
            !keeli_presence_word(&set->disabled, i / 64) &&
            keeli_component_lists_has(&world->lists, i, set->ordinal))
            return index;
    }
    return UINT64_MAX;
}

static void remove_collector(keel_world *world, keeli_storage *source, keeli_storage *set) {
    keeli_collector *c = collector_of(source, set);
    // the analyzer cannot tell that a set has a collector at each of its sources
    *c = source->collectors.items[--source->collectors.count];
    if (!source->collectors.count)
        KEELI_RELEASE(&world->heap, &source->collectors);

    uint32_t at = 0;
    while (set->sources.items[at] != source)
        ++at;
    set->sources.items[at] = set->sources.items[--set->sources.count];
    if (!set->sources.count) { // the set is a plain tag now: component lists name it only for
                               // blocks in which an entity has it
        for (uint64_t i = 0; (i = next_idle_block(world, set, i)) != UINT64_MAX; i += 64)
            keeli_component_lists_remove(&world->lists, (uint32_t)i, set->ordinal);
        KEELI_RELEASE(&world->heap, &set->sources);
        --world->followers.set_count;
    }

    keeli_followers_update(source);
    keeli_followers_update(set);
    ++world->registry.bindings;
}

void keeli_sets_forget(keel_world *world, keeli_storage *s) {
    while (s->collectors.count)
        remove_collector(world, s, s->collectors.items[0].set);
    while (s->sources.count)
        remove_collector(world, s->sources.items[0], s);
}

// True if the entity could be added to the set now: it has a source, or could be added to one.
static bool could_enter(const keeli_storage *set, uint32_t index) {
    for (uint32_t i = 0; i < set->sources.count; ++i) {
        const keeli_storage *s = set->sources.items[i];
        if (keeli_store_has(s, index) || keeli_presence_has(&s->disabled, index))
            return true;
        if (could_enter(s, index))
            return true;
    }
    return false;
}

// Removes from the lists the components that no entity of the block has. A component that was a set
// when the lists were copied may be a plain tag now.
static void forget_former_sets(keel_world *world) {
    for (uint64_t i = 0; i / KEELI_PAGE < world->lists.capacity; i += 64) {
        keeli_component_list *list = keeli_list_if_any(&world->lists, (uint32_t)i);
        for (uint32_t k = keeli_block_length(world, list); k--;) {
            const keeli_storage *s = keeli_block_storage(world, list, k);
            if (s && !keeli_is_in_block(s, (uint32_t)i))
                keeli_component_lists_remove(&world->lists, (uint32_t)i, s->ordinal);
        }
    }
}

void keeli_sets_relist(keel_world *world) {
    if (world->lists.names_sets)
        forget_former_sets(world);
    world->lists.names_sets = world->followers.set_count != 0;
    if (!world->followers.set_count)
        return;

    for (uint32_t i = 0; i < world->storages.count; ++i) {
        const keeli_storage *set = world->storages.items[i];
        if (!set->sources.count)
            continue;
        for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(world, e));)
            if (could_enter(set, keeli_index_of(e)) &&
                !keeli_component_lists_has(&world->lists, keeli_index_of(e), set->ordinal))
                keeli_component_lists_add(&world->lists, keeli_index_of(e), set->ordinal);
    }
}

// True if each entity that could be added to the set has room in it.
static bool set_is_valid(const keel_world *world, const keeli_storage *set) {
    uint32_t count = 0;
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(world, e));) {
        const uint32_t i = keeli_index_of(e), page = i / KEELI_PAGE;
        const bool may_enter = could_enter(set, i);
        count += may_enter || keeli_store_has(set, i);
        if (!may_enter)
            continue;

        if (!keeli_component_lists_has(&world->lists, i, set->ordinal) ||
            !keeli_presence_has_page(&set->presence, page))
            return false;
        if (keeli_store_is_sparse(set) &&
            (page >= set->set.root.page_count || set->set.root.sparse[page] == keeli_no_cells))
            return false;
    }

    for (uint32_t i = 0; i < set->sources.count; ++i)
        if (!collector_of(set->sources.items[i], set))
            return false;
    return !keeli_store_is_sparse(set) || set->set.room >= count;
}

bool keeli_sets_are_valid(const keel_world *world) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->storages.count; ++i) {
        const keeli_storage *s = world->storages.items[i];
        if (s->sources.count && !set_is_valid(world, s))
            return false;
        count += s->sources.count != 0;
    }
    return count == world->followers.set_count;
}

static keel_result set_misuse(keel_world *world, const char *name, const char *why) {
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "'%s' %s", name, why);
}

// Returns an error if the component cannot be a set that collects these kinds from the source.
static keel_result check_set(keel_world *world, const keeli_storage *set,
                             const keeli_storage *source, uint32_t kinds) {
    const char *name = set->component.name;
    if (set->size)
        return set_misuse(world, name, "has a value, so it cannot be a set; declare a KEEL_TAG");
    if (keeli_store_has_rows(set))
        return set_misuse(
            world, name,
            "is kept in archetypes, so it cannot be a set: what collects would move rows; "
            "use KEEL_SPARSE_SET or KEEL_INDEXED");
    if (set->flags & KEELI_IS_BOUND)
        return set_misuse(world, name,
                          "is bound to a thread, so it cannot be a set: other threads may edit its "
                          "sources; leave .threads out");

    const bool of_entities = source == &world->stand_in.entities;
    const uint32_t all = KEEL_ON_INSERTED | KEEL_ON_MODIFIED | KEEL_ON_DELETED | KEEL_ON_REMOVED;
    if (!kinds || kinds & ~(of_entities ? KEEL_ON_CREATED : all))
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            of_entities ? "set '%s' collects KEEL_ON_CREATED of entities, not "
                                          "0x%x: a deleted entity can be in no set; observe "
                                          "keel_entities to be notified of deletions"
                                        : "set '%s' collects KEEL_ON_INSERTED, _MODIFIED, _DELETED "
                                          "and _REMOVED, not 0x%x",
                            name, (unsigned)kinds);

    if (reaches(set, source))
        return keeli_error(world, KEEL_ERROR_CYCLE,
                           "set '%s' cannot collect from '%s': it would collect from itself", name,
                           source->component.name);
    KEEL_TRY(keeli_may_edit(world, NULL, set, "collect into"));
    return keeli_may_edit(world, NULL, source, "collect from");
}

static keel_result connect_set(keel_world *world, keeli_storage *set, keeli_storage *source,
                               uint32_t kinds) {
    if (!KEELI_RESERVE(&world->heap, &source->collectors, 1) ||
        !KEELI_RESERVE(&world->heap, &set->sources, 1) ||
        !KEELI_RESERVE(&world->heap, &world->followers.strip_sets, world->followers.set_count + 1))
        return keeli_out_of_memory(world, "making a set");

    *KEELI_APPEND(&source->collectors) = (keeli_collector){ set, kinds };
    *KEELI_APPEND(&set->sources) = source;
    world->followers.set_count += set->sources.count == 1;
    keeli_followers_update(source);
    keeli_followers_update(set);
    ++world->registry.bindings;

    if (keeli_followers_reserve_present(world, source))
        return KEEL_OK;
    remove_collector(world, source, set);
    return keeli_out_of_memory(world, "making a set");
}

keel_result keel_collect_component(keel_world *world, const keel_component *set,
                                   const keel_component *source, uint32_t kinds) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    KEEL_TRY(keeli_world_is_idle(world, "a set is made"));
    keel_result result;
    keeli_storage *from = keeli_followed_get(world, source, &result);
    keeli_storage *to = from ? keeli_storage_get(world, set, false, &result) : NULL;
    if (!to)
        return result;

    KEEL_TRY(check_set(world, to, from, kinds));
    keeli_collector *known = collector_of(from, to);
    if (!known)
        return connect_set(world, to, from, kinds);
    known->kinds |= kinds;
    return KEEL_OK;
}

keel_result keel_stop_collecting_component(keel_world *world, const keel_component *set,
                                           const keel_component *source) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    KEEL_TRY(keeli_world_is_idle(world, "a set is ended"));
    keeli_storage *to = set ? keeli_storage_find(world, set) : NULL;
    keeli_storage *from = keeli_followed_find(world, source);
    if (!to || !from || !collector_of(from, to))
        return KEEL_ABSENT;
    KEEL_TRY(keeli_may_edit(world, NULL, from, "stop collecting from"));
    remove_collector(world, from, to);
    return KEEL_OK;
}

uint32_t keel_collected_kinds(const keel_world *world, const keel_component *set,
                              const keel_component *source) {
    if (keeli_is_nobody(world) || !set)
        return 0;
    const keeli_storage *to = keeli_storage_find(world, set);
    const keeli_storage *from = to ? keeli_followed_find(world, source) : NULL;
    const keeli_collector *c = from ? collector_of(from, to) : NULL;
    return c ? c->kinds : 0;
}
