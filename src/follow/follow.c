// SPDX-License-Identifier: MIT
// Who follows what comes and goes in storages: groups keep their order, tracking notes it, sets
// collect it, observers are told. A storage that nobody follows has none of these flags and never
// comes here.
#include "follow.h"

#include "world/storage.h"

// ------------------------------------------------------------------ room
bool keeli_followers_reserve_slow(keel_world *world, keeli_storage *s, uint32_t index,
                                  uint32_t extra, uint32_t numbers) {
    if (s->flags & KEELI_IS_GROUPED && !keeli_groups_reserve(s, index, extra)) return false;
    if (s->flags & KEELI_IS_TRACKED && !keeli_track_reserve(world, s, index, extra)) return false;
    if (s->flags & (KEELI_IS_SOURCE | KEELI_IS_SET) &&
        !keeli_sets_reserve(world, s, index, extra, numbers))
        return false;
    return !(s->flags & KEELI_IS_IN_VIEW) || keeli_view_observers_reserve(world, s, index);
}

// Groups that only order what they own need no room, and nobody may be looking at what they move.
static bool groups_are_ready(const keel_world *world, const keeli_storage *s) {
    if (world->holders) return false;
    for (uint32_t i = 0; i < s->groups.count; ++i) {
        const keel_group *g = s->groups.items[i].group;
        if (!g->owned_count || g->order.flags) return false;
    }
    return true;
}

bool keeli_followers_are_simple(const keel_world *world, const keeli_storage *s) {
    const uint32_t simple =
        KEELI_IS_GROUPED | KEELI_IS_TRACKED | KEELI_IS_MARKED | KEELI_IS_OBSERVED;
    if (s->flags & ~simple || world->share_depth) return false;
    return !(s->flags & KEELI_IS_GROUPED) || groups_are_ready(world, s);
}

bool keeli_followers_are_ready_slow(const keel_world *world, const keeli_storage *s,
                                    uint32_t index) {
    return keeli_followers_are_simple(world, s) &&
           (!(s->flags & KEELI_IS_TRACKED) || keeli_track_has_room(s, index));
}

// ------------------------------------------------------------------ coming
void keeli_store_joined_slowly(keel_world *world, keeli_storage *s, uint32_t index) {
    if (s->flags & KEELI_IS_GROUPED) keeli_groups_added(s, index);
    if (s->flags & KEELI_IS_TRACKED) keeli_track_inserted(world, s, index);
    if (s->flags & KEELI_IS_TOLD)
        keeli_tell(world, s, keeli_entity_at(&world->entities, index), KEEL_ON_INSERTED);
    if (s->flags & KEELI_IS_IN_VIEW) keeli_view_observers_joined(world, s, index);
}

keel_result keeli_came_alone(keel_world *world, keeli_storage *s, keel_entity e,
                             const void *value) {
    if (s->flags != KEELI_IS_OBSERVED) {
        keeli_came(world, s, keel_entity_index(e));
        keeli_validate_storage(world, s);
        return keeli_done(world, KEEL_OK);
    }
    keeli_validate_storage(world, s);
    return keeli_notify_done(world, s, e, KEEL_ON_INSERTED, value);
}

static bool is_fresh(const uint64_t *fresh, uint32_t i) {
    return !fresh || fresh[i / 64] >> (i % 64) & 1;
}

void keeli_came_many(keel_world *world, keeli_storage *s, const keel_entity *entities,
                     uint32_t count, const uint64_t *fresh) {
    if (!(s->flags & KEELI_IS_WATCHED)) return;
    for (uint32_t i = 0; s->flags & KEELI_IS_GROUPED && i < count; ++i)
        keeli_groups_added(s, keel_entity_index(entities[i]));
    for (uint32_t i = 0, n; s->flags & KEELI_IS_TRACKED && i < count; i += n) {
        n = keeli_range_length(entities + i, count - i);
        for (uint32_t k = 0; fresh && k < n; ++k) // as far as they are alike
            if (is_fresh(fresh, i + k) != is_fresh(fresh, i)) n = k;
        if (is_fresh(fresh, i))
            keeli_track_inserted_run(world, s, keel_entity_index(entities[i]), n);
    }
    for (uint32_t i = 0; s->flags & KEELI_IS_TOLD && i < count; ++i)
        keeli_tell(world, s, entities[i], is_fresh(fresh, i) ? KEEL_ON_INSERTED : KEEL_ON_MODIFIED);
    for (uint32_t i = 0; s->flags & KEELI_IS_IN_VIEW && i < count; ++i)
        keeli_view_observers_joined(world, s, keel_entity_index(entities[i]));
}

// ------------------------------------------------------------------ going
void keeli_store_leaving_slowly(keel_world *world, keeli_storage *s, uint32_t index,
                                uint32_t kind) {
    const keel_entity e = keeli_entity_at(&world->entities, index);
    keeli_tell(world, s, e, kind); // the bits are the same
    if (s->flags & KEELI_IS_IN_VIEW) keeli_view_observers_leaving(world, s, index);
    if (s->flags & KEELI_IS_GROUPED) keeli_groups_removing(s, index);
    if (kind == KEEL_TRACK_REMOVAL) (void)keeli_track_gone(world, s, e, kind, NULL);
}

void keeli_value_delete(keel_world *world, keeli_storage *s, uint32_t index, void *value) {
    if (s->flags & KEELI_IS_TRACKED &&
        keeli_track_gone(world, s, keeli_entity_at(&world->entities, index), KEEL_TRACK_DELETION,
                         value))
        return;
    keeli_value_drop(s, value);
}

static bool keeps_deleted(const keeli_storage *s) {
    return s->flags & KEELI_IS_TRACKED && s->tracking->kinds & KEEL_TRACK_DELETION;
}

// Observers are told of all before the first one goes. From the highest index down, so that nothing
// moves that is still to go.
void keeli_store_clear_watched(keel_world *world, keeli_storage *s) {
    keeli_tell_clear(world, s);
    if (s->flags & KEELI_IS_IN_VIEW) keeli_view_observers_clearing(world, s);
    if (!keeps_deleted(s) || s->kind == KEEL_ARCHETYPE) return;
    for (uint32_t i; (i = keeli_presence_last(&s->presence)) != UINT32_MAX;) {
        if (s->flags & KEELI_IS_GROUPED) keeli_groups_removing(s, i);
        keeli_value_delete(world, s, i, keeli_store_value(world, s, i));
        keeli_store_pop(world, s, i);
    }
}

bool keeli_is_any_followed(const keel_world *world) {
    uint32_t flags = 0;
    for (uint32_t i = 0; i < world->order.count; ++i)
        flags |= world->order.items[i]->flags;
    return world->observed || flags & KEELI_IS_TRACKED;
}

// ------------------------------------------------------------------ out of sight
void keeli_hiding(keel_world *world, keeli_storage *s, uint32_t index) {
    if (s->flags & KEELI_IS_IN_VIEW) keeli_view_observers_leaving(world, s, index);
    if (s->flags & KEELI_IS_GROUPED) keeli_groups_removing(s, index);
}

void keeli_shown(keel_world *world, keeli_storage *s, uint32_t index) {
    if (s->flags & KEELI_IS_GROUPED) keeli_groups_added(s, index);
    if (s->flags & KEELI_IS_IN_VIEW) keeli_view_observers_joined(world, s, index);
}
