// SPDX-License-Identifier: MIT
// Reports edits to the followers of a storage (follow.h), in a fixed order. After an edit: groups
// keep their order, tracking records the change, reactive sets collect it, observers are called.
// Before a removal: sets collect it, observers are called, groups move the entity out, and the log
// of removed values is written. What each follower does is in its own file. Called by edits, but
// not for storages without followers.
#include "follow.h"

#include "base/assert.h"
#include "world/registry.h"

void keeli_followers_update(keeli_storage *s) {
    uint32_t flags = s->flags & ~(uint32_t)(KEELI_IS_WATCHED | KEELI_IS_SET);
    flags |= s->tracking.kinds << KEELI_KINDS_FROM;
    if (s->groups.count)
        flags |= KEELI_IS_GROUPED;
    if (s->tracking.observers.list.count)
        flags |= KEELI_IS_OBSERVED;
    if (s->collectors.count)
        flags |= KEELI_IS_SOURCE;
    if (s->sources.count)
        flags |= KEELI_IS_SET;
    if (s->viewers.count)
        flags |= KEELI_IS_IN_VIEW;
    s->flags = flags;
}

bool keeli_followers_reserve_slow(keel_world *world, keeli_storage *s, uint32_t index,
                                  uint32_t extra) {
    if (s->groups.count && !keeli_groups_reserve(s, index, extra))
        return false;
    if (s->tracking.kinds && !keeli_track_reserve(world, s, index, extra))
        return false;
    if (s->collectors.count | s->sources.count && !keeli_sets_reserve(world, s, index, extra))
        return false;
    return !s->viewers.count || keeli_view_observers_reserve(world, s, index);
}

bool keeli_followers_are_simple(const keel_world *world, const keeli_storage *s) {
    const uint32_t simple = KEELI_IS_GROUPED | KEELI_IS_TRACKED | KEELI_IS_MARKED |
                            KEELI_IS_OBSERVED | KEELI_IS_REQUIRED;
    if (keeli_flags_of(s) & ~simple || world->refused || (s->groups.count && world->access.holders))
        return false;

    for (uint32_t i = 0; i < s->groups.count; ++i)
        if (s->groups.items[i].group->order.flags)
            return false;
    return true;
}

bool keeli_followers_are_ready_slow(const keel_world *world, const keeli_storage *s) {
    if (!keeli_followers_are_simple(world, s))
        return false;
    for (uint32_t i = 0; i < s->groups.count; ++i) {
        const keel_group *g = s->groups.items[i].group;
        // a group that owns nothing needs a slot for each entity with its first component
        if (!g->owned_count && g->storages[0] == s && s->presence.count >= g->order.set.room)
            return false;
    }
    return !s->tracking.kinds || keeli_track_has_room(s);
}

// Makes room with the followers of `s` for each entity that has the component `of`, and if that is
// a reactive set, for each entity that has one of its sources.
static bool reserve_as(keel_world *world, keeli_storage *s, const keeli_storage *of) {
    const keeli_presence *const bits[] = { &of->presence, &of->disabled };
    for (uint32_t k = 0; k < 2; ++k)
        KEELI_EACH_BIT(i, bits[k])
            if (!keeli_followers_reserve_slow(world, s, i, 0))
                return false;

    for (uint32_t i = 0; i < of->sources.count; ++i)
        if (!reserve_as(world, s, of->sources.items[i]))
            return false;
    return true;
}

bool keeli_followers_reserve_present(keel_world *world, keeli_storage *s) {
    return reserve_as(world, s, s);
}

bool keeli_followers_reserve_all(keel_world *world) {
    for (uint32_t i = 0; i < world->storages.count; ++i) {
        keeli_storage *s = world->storages.items[i];
        if (s->flags & (KEELI_IS_WATCHED | KEELI_IS_SET) &&
            !keeli_followers_reserve_present(world, s))
            return false;
    }

    if (world->stand_in.entities.collectors.count) {
        const uint32_t count = keeli_entity_count(&world->entities);
        for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(world, e));)
            if (!keeli_followers_reserve_entity(world, e, count))
                return false;
    }

    keeli_groups_refill(world);
    return true;
}

void keeli_follow_added_slow(keel_world *world, keeli_storage *s, uint32_t index) {
    if (s->groups.count)
        keeli_groups_changed(s, index, true);
    if (s->tracking.kinds)
        keeli_track_inserted(world, s, index);
    if (s->flags & KEELI_NOTIFIES)
        keeli_notify_entity(world, s, keeli_entity_at(&world->entities, index), KEEL_ON_INSERTED);
    if (s->viewers.count)
        keeli_view_observers_added(world, s, index);
}

keel_result keeli_follow_added_last(keel_world *world, keeli_storage *s, keel_entity e,
                                    const void *value) {
    if (keeli_is_only_observed(s)) {
        keeli_validate_storage(world, s);
        return keeli_notify_last(world, s, e, KEEL_ON_INSERTED, value);
    }
    keeli_follow_added(world, s, keeli_index_of(e));
    keeli_validate_storage(world, s);
    return keeli_done(world, KEEL_OK);
}

void keeli_follow_enabled(keel_world *world, keeli_storage *s, uint32_t index) {
    if (s->groups.count)
        keeli_groups_changed(s, index, true);
    if (s->viewers.count)
        keeli_view_observers_added(world, s, index);
}

static bool is_fresh(const uint64_t *fresh, uint32_t i) {
    return !fresh || fresh[i / 64] >> (i % 64) & 1;
}

// Records the insertion of the values that were inserted, in one step for consecutive indices.
// `fresh`, as for keeli_follow_added_many, tells them from the values that were there before.
static void track_many(const keel_world *world, keeli_storage *s, const keel_entity *entities,
                       uint32_t count, const uint64_t *fresh) {
    for (uint32_t i = 0, n; i < count; i += n) {
        n = keeli_range_length(entities + i, count - i);
        const bool is_inserted = is_fresh(fresh, i);
        if (fresh) // the run ends where `fresh` changes
            for (uint32_t k = 0; k < n; ++k)
                if (is_fresh(fresh, i + k) != is_inserted)
                    n = k;

        if (is_inserted)
            keeli_track_inserted_run(world, s, keeli_index_of(entities[i]), n);
    }
}

void keeli_follow_added_many(keel_world *world, keeli_storage *s, const keel_entity *entities,
                             uint32_t count, const uint64_t *fresh, bool keeps) {
    if (!(s->flags & KEELI_IS_WATCHED))
        return;

    if (s->groups.count)
        for (uint32_t i = 0; i < count; ++i)
            keeli_groups_changed(s, keeli_index_of(entities[i]), true);

    if (s->tracking.kinds)
        track_many(world, s, entities, count, fresh);

    if (s->flags & KEELI_NOTIFIES)
        for (uint32_t i = 0; i < count; ++i) {
            if (is_fresh(fresh, i))
                keeli_notify_entity(world, s, entities[i], KEEL_ON_INSERTED);
            else if (!keeps)
                keeli_notify_entity(world, s, entities[i], KEEL_ON_MODIFIED);
        }

    if (s->viewers.count)
        for (uint32_t i = 0; i < count; ++i)
            keeli_view_observers_added(world, s, keeli_index_of(entities[i]));
}

void keeli_follow_all_added(keel_world *world) {
    // Reactive sets (k == 0) are reported before other storages, whose reports add entities to the
    // sets: these additions are reported at once, and must not be reported again.
    for (uint32_t k = 0; k < 2; ++k)
        for (uint32_t i = 0; i < world->storages.count; ++i) {
            keeli_storage *s = world->storages.items[i];
            if ((s->sources.count == 0) != k || !keeli_is_followed(s))
                continue;
            KEELI_EACH_BIT(n, &s->presence)
                keeli_follow_added_slow(world, s, n);
        }

    if (keeli_is_followed(&world->stand_in.entities))
        for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(world, e));)
            keeli_follow_created(world, e);
}

// Observers are called first, while the entity still is a member of groups and no value has moved.
void keeli_follow_removing_slow(keel_world *world, keeli_storage *s, uint32_t index,
                                uint32_t kind) {
    const keel_entity e = keeli_entity_at(&world->entities, index);
    keeli_notify_entity(world, s, e, kind); // KEEL_ON_* and KEEL_TRACK_* are the same bits
    if (s->viewers.count)
        keeli_view_observers_removing(world, s, index);
    if (s->groups.count)
        keeli_groups_changed(s, index, false);
    if (kind == KEEL_TRACK_REMOVAL)
        (void)keeli_track_removed(world, s, e, kind, NULL);
}

void keeli_follow_disabling(keel_world *world, keeli_storage *s, uint32_t index) {
    keeli_view_observers_removing(world, s, index);
    keeli_groups_changed(s, index, false);
}

void keeli_value_delete(keel_world *world, keeli_storage *s, uint32_t index, void *value) {
    const keel_entity e = keeli_entity_at(&world->entities, index);
    if (keeli_track_removed(world, s, e, KEEL_TRACK_DELETION, value))
        return;
    if (!keeli_store_has_edge_values(s))
        keeli_value_drop(s, value);
}

// Observers are called for all entities before the first value is deleted. Groups remove all
// members at once, so that the other storages that they own keep their order. Values are deleted
// from the highest index down, so that no value moves that is yet to be deleted.
void keeli_store_clear_watched(keel_world *world, keeli_storage *s) {
    keeli_notify_all_edges(world, s);
    if (s->flags & KEELI_NOTIFIES)
        KEELI_EACH_BIT(i, &s->presence)
            keeli_notify_entity(world, s, keeli_entity_at(&world->entities, i), KEEL_ON_DELETED);
    if (s->viewers.count)
        KEELI_EACH_BIT(i, &s->presence)
            keeli_view_observers_removing(world, s, i);
    keeli_groups_clear(s);

    if (!(s->tracking.kinds & KEEL_TRACK_DELETION) || keeli_store_has_rows(s))
        return;
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

void keeli_follow_losing_all(keel_world *world, keel_entity e, uint32_t kind, bool dies) {
    if (!world->followers.observed)
        return;

    const bool has_values = kind != KEEL_ON_REMOVED; // removed values were moved to another world
    uint32_t at = UINT32_MAX;
    for (keeli_storage *s; (s = keeli_store_next_of(world, keeli_index_of(e), &at)) != NULL;)
        if (s->tracking.observers.kinds & kind && keeli_store_has(s, keeli_index_of(e)))
            keeli_notify_slow(world, s, e, kind, has_values);

    keeli_view_observers_removing_all(world, keeli_index_of(e));
    if (dies)
        keeli_notify(world, &world->stand_in.entities, e, KEEL_ON_DESTROYED);
}

void keeli_followers_forget(keel_world *world, keeli_storage *s) {
    if (world->followers.has_pending)
        keeli_view_observers_flush(world);
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

bool keeli_followers_are_valid(const keeli_storage *s) {
    return keeli_groups_of_are_valid(s) && keeli_tracking_is_valid(s);
}

const char *keeli_followers_find_fault(const keel_world *world) {
    for (uint32_t i = 0; i < world->storages.count; ++i)
        if (!keeli_followers_are_valid(world->storages.items[i]))
            return world->storages.items[i]->component.name;
    if (!keeli_sets_are_valid(world))
        return "a reactive set is inconsistent";
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
