// SPDX-License-Identifier: MIT
// Who follows what comes and goes in storages: groups keep their order, tracking notes it, reactive
// sets collect it, observers are called. A storage that nobody follows has none of these lists and
// never comes here.
#include "follow.h"

#include "base/assert.h"
#include "world/registry.h"

void keeli_followers_update(keeli_storage *s) {
    uint32_t flags = s->flags & ~(uint32_t)(KEELI_IS_WATCHED | KEELI_IS_MARKED | KEELI_IS_SET);
    flags |= keeli_tracking_flags(s->tracking.kinds);
    if (s->groups.count) flags |= KEELI_IS_GROUPED;
    if (s->tracking.observers.list.count) flags |= KEELI_IS_OBSERVED;
    if (s->collectors.count) flags |= KEELI_IS_SOURCE;
    if (s->sources.count) flags |= KEELI_IS_SET;
    if (s->viewers.count) flags |= KEELI_IS_IN_VIEW;
    s->flags = flags;
}

// ------------------------------------------------------------------ room
bool keeli_followers_reserve_slow(keel_world *world, keeli_storage *s, uint32_t index,
                                  uint32_t extra, uint32_t numbers) {
    if (s->groups.count && !keeli_groups_reserve(s, index, extra)) return false;
    if (s->tracking.kinds && !keeli_track_reserve(world, s, index, extra)) return false;
    if (s->collectors.count | s->sources.count &&
        !keeli_sets_reserve(world, s, index, extra, numbers))
        return false;
    return !s->viewers.count || keeli_view_observers_reserve(world, s, index);
}

// Groups that only order what they own need no room, and nobody may be looking at what they move.
static bool groups_are_ready(const keel_world *world, const keeli_storage *s) {
    if (world->access.holders) return false;
    for (uint32_t i = 0; i < s->groups.count; ++i) {
        const keel_group *g = s->groups.items[i].group;
        if (!g->owned_count || g->order.flags) return false;
    }
    return true;
}

bool keeli_followers_are_simple(const keel_world *world, const keeli_storage *s) {
    const uint32_t simple =
        KEELI_IS_GROUPED | KEELI_IS_TRACKED | KEELI_IS_MARKED | KEELI_IS_OBSERVED;
    if (s->flags & ~simple || world->refused) return false;
    return !s->groups.count || groups_are_ready(world, s);
}

bool keeli_followers_are_ready_slow(const keel_world *world, const keeli_storage *s,
                                    uint32_t index) {
    return keeli_followers_are_simple(world, s) &&
           (!s->tracking.kinds || keeli_track_has_room(s, index));
}

bool keeli_followers_reserve_all(keel_world *world) {
    if (!keeli_groups_refill(world)) return false;
    for (uint32_t i = 0; i < world->storages.count; ++i) {
        keeli_storage *s = world->storages.items[i];
        if (!keeli_track_reserve_all(world, s) || !keeli_sets_reserve_all(world, s) ||
            !keeli_view_observers_reserve_all(world, s))
            return false;
    }
    keel_entity e = keel_null();
    while (world->stand_in.entities.collectors.count &&
           !keel_is_null(e = keel_next_entity(world, e)))
        if (!keeli_followers_reserve_entity(world, e, keeli_entity_count(&world->entities)))
            return false;
    return true;
}

// ------------------------------------------------------------------ coming
void keeli_came_slow(keel_world *world, keeli_storage *s, uint32_t index) {
    if (s->groups.count) keeli_groups_came(s, index);
    if (s->tracking.kinds) keeli_track_inserted(world, s, index);
    if (s->flags & KEELI_IS_TOLD)
        keeli_tell(world, s, keeli_entity_at(&world->entities, index), KEEL_ON_INSERTED);
    if (s->viewers.count) keeli_view_observers_came(world, s, index);
}

void keeli_shown(keel_world *world, keeli_storage *s, uint32_t index) {
    keeli_groups_came(s, index);
    keeli_view_observers_came(world, s, index);
}

static bool is_fresh(const uint64_t *fresh, uint32_t i) {
    return !fresh || fresh[i / 64] >> (i % 64) & 1;
}

void keeli_came_many(keel_world *world, keeli_storage *s, const keel_entity *entities,
                     uint32_t count, const uint64_t *fresh) {
    if (!(s->flags & KEELI_IS_WATCHED)) return;
    for (uint32_t i = 0; s->groups.count && i < count; ++i)
        keeli_groups_came(s, keel_entity_index(entities[i]));
    for (uint32_t i = 0, n; s->tracking.kinds && i < count; i += n) {
        n = keeli_range_length(entities + i, count - i);
        for (uint32_t k = 0; fresh && k < n; ++k) // as far as they are alike
            if (is_fresh(fresh, i + k) != is_fresh(fresh, i)) n = k;
        if (is_fresh(fresh, i))
            keeli_track_inserted_run(world, s, keel_entity_index(entities[i]), n);
    }
    for (uint32_t i = 0; s->flags & KEELI_IS_TOLD && i < count; ++i)
        keeli_tell(world, s, entities[i], is_fresh(fresh, i) ? KEEL_ON_INSERTED : KEEL_ON_MODIFIED);
    for (uint32_t i = 0; s->viewers.count && i < count; ++i)
        keeli_view_observers_came(world, s, keel_entity_index(entities[i]));
}

static void all_came(keel_world *world, keeli_storage *s) {
    for (uint32_t i = 0; s->flags & KEELI_IS_WATCHED && (i = keeli_store_next(s, i)) != UINT32_MAX;
         ++i) {
        keeli_tell(world, s, keeli_entity_at(&world->entities, i), KEEL_ON_INSERTED);
        keeli_view_observers_came(world, s, i);
    }
}

void keeli_all_came(keel_world *world) {
    for (uint32_t i = 0; i < world->storages.count; ++i) {
        keeli_storage *s = world->storages.items[i];
        for (uint32_t k = 0; s->tracking.kinds && (k = keeli_store_next(s, k)) != UINT32_MAX; ++k)
            keeli_track_inserted(world, s, k);
    }
    for (uint32_t i = 0; i < world->storages.count;
         ++i) // sets first: they get more from the others
        if (world->storages.items[i]->sources.count) all_came(world, world->storages.items[i]);
    for (uint32_t i = 0; i < world->storages.count; ++i)
        if (!world->storages.items[i]->sources.count) all_came(world, world->storages.items[i]);
    keel_entity e = keel_null();
    while (world->stand_in.entities.flags & KEELI_IS_TOLD &&
           !keel_is_null(e = keel_next_entity(world, e)))
        keeli_entity_came(world, e);
}

// ------------------------------------------------------------------ going
void keeli_going_slow(keel_world *world, keeli_storage *s, uint32_t index, uint32_t kind) {
    const keel_entity e = keeli_entity_at(&world->entities, index);
    keeli_tell(world, s, e, kind); // the bits are the same
    if (s->viewers.count) keeli_view_observers_going(world, s, index);
    if (s->groups.count) keeli_groups_going(s, index);
    if (kind == KEEL_TRACK_REMOVAL) (void)keeli_track_removed(world, s, e, kind, NULL);
}

void keeli_hiding(keel_world *world, keeli_storage *s, uint32_t index) {
    keeli_view_observers_going(world, s, index);
    keeli_groups_going(s, index);
}

void keeli_value_delete(keel_world *world, keeli_storage *s, uint32_t index, void *value) {
    const keel_entity e = keeli_entity_at(&world->entities, index);
    if (!keeli_track_removed(world, s, e, KEEL_TRACK_DELETION, value)) keeli_value_drop(s, value);
}

// Observers are called for all before the first one goes, and groups let all go at once: what else
// they own stays in its order. Then from the highest index down, so that nothing moves that is
// still to go.
void keeli_store_clear_watched(keel_world *world, keeli_storage *s) {
    for (uint32_t i = 0; s->flags & KEELI_IS_TOLD && (i = keeli_store_next(s, i)) != UINT32_MAX;
         ++i)
        keeli_tell(world, s, keeli_entity_at(&world->entities, i), KEEL_ON_DELETED);
    for (uint32_t i = 0; s->viewers.count && (i = keeli_store_next(s, i)) != UINT32_MAX; ++i)
        keeli_view_observers_going(world, s, i);
    keeli_groups_clear(s);
    if (!(s->tracking.kinds & KEEL_TRACK_DELETION) || s->kind == KEEL_ARCHETYPE) return;
    for (uint32_t i; (i = keeli_presence_last(&s->presence)) != UINT32_MAX;) {
        keeli_value_delete(world, s, i, keeli_store_value(world, s, i));
        keeli_store_pop(world, s, i);
    }
}

bool keeli_is_any_followed(const keel_world *world) {
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < world->storages.count; ++i)
        kinds |= world->storages.items[i]->tracking.kinds;
    return world->followers.observed | kinds;
}

void keeli_entity_going(keel_world *world, keel_entity e, uint32_t kind, bool dies) {
    if (!world->followers.observed) return;
    const bool has_values = kind != KEEL_ON_REMOVED; // they were moved to another world
    uint32_t at = UINT32_MAX;
    for (keeli_storage *s; (s = keeli_store_next_of(world, keel_entity_index(e), &at)) != NULL;)
        if (s->tracking.observers.kinds & kind && keeli_store_has(s, keel_entity_index(e)))
            keeli_notify_slow(world, s, e, kind, has_values);
    keeli_view_observers_all_going(world, keel_entity_index(e));
    if (dies) keeli_notify(world, &world->stand_in.entities, e, KEEL_ON_DESTROYED);
}

// ------------------------------------------------------------------ ending
void keeli_followers_forget(keel_world *world, keeli_storage *s) {
    if (world->followers.has_noted) keeli_view_observers_flush(world);
    keeli_view_observers_forget(world, s);
    keeli_sets_forget(world, s);
    keeli_observers_forget(world, s);
}

void keeli_followers_end(keel_world *world) {
    for (uint32_t i = 0; i < world->storages.count; ++i) {
        keeli_storage *s = world->storages.items[i];
        keeli_tracking_deinit(world, &s->tracking);
        keeli_followers_update(s);
    }
}

void keeli_followers_deinit(keel_world *world) {
    keeli_groups_deinit(world);
    keeli_view_observers_deinit(world);
    keeli_tracking_deinit(world, &world->stand_in.entities.tracking); // observers of entities
    KEELI_RELEASE(&world->heap, &world->stand_in.entities.collectors);
    KEELI_RELEASE(&world->heap, &world->followers.strip_sets);
}

// ------------------------------------------------------------------ checking
bool keeli_followers_are_valid(const keeli_storage *s) {
    return keeli_groups_of_are_valid(s) && keeli_tracking_is_valid(s);
}

const char *keeli_followers_find_fault(const keel_world *world) {
    for (uint32_t i = 0; i < world->storages.count; ++i)
        if (!keeli_followers_are_valid(world->storages.items[i]))
            return world->storages.items[i]->component.name;
    if (!keeli_groups_are_valid(world)) return "a group is broken";
    if (!keeli_sets_are_valid(world)) return "a set that collects is broken";
    return keeli_view_observers_are_valid(world) ? NULL : "an observed view is out of date";
}

#if defined(KEELI_VALIDATE) && KEELI_VALIDATE
void keeli_validate_storage(keel_world *world, const keeli_storage *storage) {
    if (!keeli_is_turn_to_validate(keeli_store_count(storage) + storage->indexed.page_count))
        return;
    KEELI_CHECK_STRUCTURE(keeli_store_is_valid(world, storage));
    KEELI_CHECK_STRUCTURE(keeli_followers_are_valid(storage));
}
#endif
