// SPDX-License-Identifier: MIT
// Who follows what comes and goes in storages: groups keep their order, tracking notes it, sets
// collect it, observers are told. A storage that nobody follows has none of these flags and never
// comes here.
#include "edit/bulk_run.h"
#include "edit/edit.h"
#include "group.h"
#include "observe.h"
#include "observe_view.h"
#include "track.h"

// ------------------------------------------------------------------ coming
void keeli_store_joined_slowly(keel_world *world, keeli_storage *s, uint32_t index) {
    if (s->flags & KEELI_IS_GROUPED) keeli_groups_added(s, index);
    if (s->flags & KEELI_IS_TRACKED) keeli_track_inserted(world, s, index);
    if (s->flags & KEELI_IS_TOLD)
        keeli_tell(world, s, keeli_entity_at(&world->entities, index), KEEL_ON_INSERTED);
    if (s->flags & KEELI_IS_IN_VIEW) keeli_view_observers_joined(world, s, index);
}

void keeli_store_joined_many(keel_world *world, keeli_storage *s, const keel_entity *entities,
                             uint32_t count) {
    for (uint32_t i = 0; s->flags & KEELI_IS_GROUPED && i < count; ++i)
        keeli_groups_added(s, keel_entity_index(entities[i]));
    for (uint32_t i = 0, n; s->flags & KEELI_IS_TRACKED && i < count; i += n) {
        n = keeli_run_length(entities + i, count - i);
        keeli_track_inserted_run(world, s, keel_entity_index(entities[i]), n);
    }
    for (uint32_t i = 0; s->flags & KEELI_IS_TOLD && i < count; ++i)
        keeli_tell(world, s, entities[i], KEEL_ON_INSERTED);
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
