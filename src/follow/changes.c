// SPDX-License-Identifier: MIT
// Change tracking (changes.h): marks insertions and modifications with ticks, logs removed values,
// and clears both. Reading them is not here: find/change.c filters by ticks, reader.c walks over
// removals.
#include "follow.h"

#include "world/borrow.h"
#include "world/names.h"
#include "world/registry.h"
#include "world/report.h"

#include <string.h>

// Raises the base by half of KEELI_TICK_SPAN. Ticks of the newer half stay distinct; all older
// ticks become equal. A reader that did not run during the newer half may see a change with an old
// tick twice, but never misses one.
void keeli_ticks_rebase_all(keel_world *world) {
    const uint32_t by = KEELI_TICK_SPAN / 2;
    for (uint32_t i = 0; i < world->storages.count; ++i) {
        keeli_tracking *t = &world->storages.items[i]->tracking;
        keeli_ticks_rebase(&t->inserted, by);
        keeli_ticks_rebase(&t->modified, by);
    }
    world->changes.tick_base += by;
}

keeli_tick_range keeli_tick_range_for(const keel_world *world, const keeli_storage *s,
                                      const keeli_reader *reader, uint32_t kind) {
    uint64_t last = kind == KEEL_TRACK_INSERTION ? s->cleared_inserted : s->cleared_modified;
    if (reader)
        last = reader->last;
    return keeli_tick_range_of(keeli_tick_of(world, last), UINT32_MAX);
}

uint64_t keel_tick(keel_world *world) {
    if (keeli_is_no_world(world)) {
        keeli_no_world();
        return 0;
    }

    const uint64_t tick = world->changes.tick;
    if (!world->refused)
        keeli_tick_advance(world); // only the owner advances the time
    return tick;
}

bool keeli_track(keel_world *world, keeli_storage *s, uint32_t kinds) {
    const uint32_t before = s->tracking.kinds;
    s->tracking.kinds |= kinds;
    if (!keeli_followers_reserve_present(world, s)) {
        s->tracking.kinds = before;
        return false;
    }

    const uint32_t added = kinds & ~before;
    if (added & KEEL_TRACK_INSERTION && s->presence.count + s->disabled.count)
        keeli_ticks_mark_all(&s->tracking.inserted, keeli_tick_now(world, s));
    if (added & KEEL_TRACK_MODIFICATION)
        s->stamps.vague = world->epoch;
    keeli_followers_update(s);
    return true;
}

keel_result keeli_track_for(keel_world *world, keeli_storage *s, uint32_t kinds,
                            const char *asker) {
    if (!(kinds & ~s->tracking.kinds))
        return KEEL_OK;
    if (world->refused)
        return keeli_error(world, KEEL_ERROR_SHARED,
                           "%s asks for changes of '%s', which is not tracked, and the world is "
                           "shared; declare .tracking, or keel_track it before",
                           asker, s->component.name);
    if (!keeli_track(world, s, kinds))
        return keeli_out_of_memory(world, "tracking a component");
    return KEEL_OK;
}

// True if every index with a presence bit has a page of ticks.
static bool has_pages_of(const keeli_presence *p, const keeli_ticks *t) {
    for (uint32_t i = 0; (i = keeli_presence_next(p, i)) != UINT32_MAX;
         i = (i / KEELI_PAGE + 1) * KEELI_PAGE)
        if (i / KEELI_PAGE >= t->table.count || t->pages[i / KEELI_PAGE] == &keeli_no_ticks)
            return false;
    return true;
}

// Returns how many removals the log must have room for: keeli_removals_to_come. A reactive set is
// an exception if no source can add an entity to it: it needs room only for the removal of its own
// values.
static uint32_t removals_before_room(const keeli_storage *s) {
    for (uint32_t i = 0; i < s->sources.count; ++i)
        if (keeli_could_have(s->world, s->sources.items[i]))
            return keeli_removals_to_come(s);
    return s->presence.count + s->disabled.count;
}

static bool has_pages_for_all(const keeli_storage *s, const keeli_ticks *t) {
    return has_pages_of(&s->presence, t) && has_pages_of(&s->disabled, t);
}

bool keeli_tracking_is_valid(const keeli_storage *s) {
    const keeli_tracking *t = &s->tracking;
    if (!keeli_ticks_are_valid(&t->inserted) || !keeli_ticks_are_valid(&t->modified))
        return false;
    if (!keeli_queue_is_valid(&t->removed))
        return false;
    if (t->kinds & (KEEL_TRACK_DELETION | KEEL_TRACK_REMOVAL) &&
        !keeli_queue_has_room(&t->removed, removals_before_room(s)))
        return false;
    if (t->kinds & KEEL_TRACK_INSERTION && !has_pages_for_all(s, &t->inserted))
        return false;
    return !(t->kinds & KEEL_TRACK_MODIFICATION) || has_pages_for_all(s, &t->modified);
}

bool keeli_track_reserve(keel_world *world, keeli_storage *s, uint32_t index, uint32_t extra) {
    static const uint32_t each[] = { KEEL_TRACK_INSERTION, KEEL_TRACK_MODIFICATION };
    keeli_tracking *t = &s->tracking;
    keeli_ticks *const ticks[] = { &t->inserted, &t->modified };
    const uint32_t values = s->presence.count + s->disabled.count + extra;

    for (uint32_t i = 0; i < 2; ++i)
        if (t->kinds & each[i] && (!keeli_ticks_reserve(ticks[i], &world->heap, index) ||
                                   !keeli_ticks_reserve_log(ticks[i], &world->heap, values)))
            return false;
    return !(t->kinds & (KEEL_TRACK_DELETION | KEEL_TRACK_REMOVAL)) ||
           keeli_queue_reserve(&t->removed, &world->heap, values, NULL);
}

void keeli_track_inserted(const keel_world *world, keeli_storage *s, uint32_t index) {
    keeli_tracking *t = &s->tracking;
    if (t->kinds & KEEL_TRACK_MODIFICATION)
        keeli_ticks_reset(&t->modified, index);
    if (t->kinds & KEEL_TRACK_INSERTION)
        keeli_ticks_mark(&t->inserted, index, keeli_tick_now(world, s));
}

void keeli_track_inserted_run(const keel_world *world, keeli_storage *s, uint32_t index,
                              uint32_t count) {
    keeli_tracking *t = &s->tracking;
    if (t->kinds & KEEL_TRACK_MODIFICATION)
        keeli_ticks_reset_range(&t->modified, index, count);
    if (!(t->kinds & KEEL_TRACK_INSERTION))
        return;

    if (count > 64) {
        keeli_ticks_mark_range(&t->inserted, index, count, keeli_tick_now(world, s));
        return;
    }
    for (const uint32_t end = index + count; index < end; ++index)
        keeli_ticks_mark(&t->inserted, index, keeli_tick_now(world, s));
}

static inline __attribute__((always_inline)) void mark_modified(const keel_world *world,
                                                                keeli_storage *s, uint32_t index) {
    keeli_ticks *t = &s->tracking.modified;
    // an iterator may be reading the log, or several threads may write
    if (keeli_atomic_peek(&s->iterating) || keeli_world_is_looped(world))
        keeli_ticks_mark_unlogged(t, index, keeli_tick_now(world, s));
    else
        keeli_ticks_mark(t, index, keeli_tick_now(world, s));
}

// Stamps the value for snapshots, and marks it. Not inlined, as the registers that this function
// saves would slow down the far more frequent marks without stamps.
static __attribute__((noinline)) void stamp(const keel_world *world, keeli_storage *s,
                                            uint32_t index) {
    keeli_stamp_place(world, s, keeli_store_place(world, s, index));
    if (keeli_is_marked(s))
        mark_modified(world, s, index);
}

void keeli_track_modified_slow(const keel_world *world, keeli_storage *s, uint32_t index) {
    if (s->flags & KEELI_IS_STAMPED)
        stamp(world, s, index);
    else
        mark_modified(world, s, index);
}

bool keeli_track_removed(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                         void *value) {
    keeli_tracking *t = &s->tracking;
    if (!(t->kinds & kind))
        return false;

    const bool deleted = kind == KEEL_TRACK_DELETION;
    if (deleted && s == world->names.storage)
        keeli_name_leave_value(world, value);

    const keeli_removed removed = { e, keeli_now(world, s), deleted };
    const char *late;
    if (keeli_queue_push_removed(&t->removed, &removed, value, &late))
        keeli_warn(world,
                   "'%s' has more than %u removals and deletions that '%s' has not looked at: the "
                   "oldest are dropped; run it more often, or keel_set_limit",
                   s->component.name, (unsigned)t->removed.limit, late);
    return deleted;
}

keel_result keeli_check_track_kinds(keel_world *world, const char *call, const keel_component *c,
                                    uint32_t kinds) {
    if (!(kinds & ~(uint32_t)KEEL_TRACK_ALL))
        return KEEL_OK;
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "%s of '%s' takes KEEL_TRACK_* bits, not 0x%x",
                        call, c ? keeli_component_name(c) : "all", (unsigned)kinds);
}

keel_result keel_track_component(keel_world *world, const keel_component *component,
                                 uint32_t kinds) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    keel_result result;
    keeli_storage *s = keeli_storage_get(world, component, false, &result);
    if (!s)
        return result;
    KEEL_TRY(keeli_check_track_kinds(world, "keel_track", component, kinds));
    KEEL_TRY(keeli_may_edit(world, NULL, s, "track"));
    if (!keeli_track(world, s, kinds))
        return keeli_out_of_memory(world, "tracking a component");
    return KEEL_OK;
}

uint32_t keel_tracked_kinds(const keel_world *world, const keel_component *component) {
    if (keeli_is_nobody(world) || !component)
        return 0;
    const keeli_storage *s = keeli_storage_find(world, component);
    if (s && s->flags & KEELI_IS_UNIQUE)
        return KEEL_TRACK_INSERTION | KEEL_TRACK_MODIFICATION;
    if (!s)
        return 0;
    return world->access.is_image ? s->tracking.kinds_then : s->tracking.kinds;
}

uint64_t keel_change_tick_of_component(const keel_world *world, keel_entity e,
                                       const keel_component *component) {
    if (keeli_is_nobody(world) || !component)
        return 0;
    const keeli_storage *s = keeli_storage_find(world, component);
    if (!s)
        return 0;
    if (s->flags & KEELI_IS_UNIQUE)
        return s->unique ? s->changed_at : 0;
    if (!keeli_entity_is_alive(&world->entities, e))
        return 0;

    const uint32_t index = keel_entity_index(e);
    if (!keeli_presence_has(&s->presence, index))
        return 0;
    const uint32_t kinds = keel_tracked_kinds(world, component); // an image keeps them elsewhere
    const uint32_t inserted = kinds & KEEL_TRACK_INSERTION
                                  ? keeli_ticks_get(&s->tracking.inserted, index)
                                  : 0,
                   modified = kinds & KEEL_TRACK_MODIFICATION
                                  ? keeli_ticks_get(&s->tracking.modified, index)
                                  : 0,
                   latest = inserted > modified ? inserted : modified;
    return latest ? world->changes.tick_base + latest : 0;
}

keel_result keel_set_limit_of(keel_world *world, const keel_component *component, uint32_t limit) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    keel_result result;
    const bool is_event = component && component->is_event;
    keeli_storage *s = keeli_storage_get(world, component, is_event, &result);
    if (!s)
        return result;
    if (!limit)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            is_event ? "the limit of events '%s' is 0; at least 1 is needed"
                                     : "the tracking limit of '%s' is 0; at least 1 is needed",
                            s->component.name);

    KEEL_TRY(keeli_may_edit(world, NULL, s, "limit"));
    keeli_queue *queue = is_event ? s->events : &s->tracking.removed;
    const uint32_t before = queue->limit;
    if (limit < before || is_event) {
        keeli_queue_set_limit(queue, limit); // a lower limit needs no more room
        return KEEL_OK;
    }

    keeli_queue_set_limit(queue, limit);
    if (keeli_queue_reserve(queue, &world->heap, keeli_removals_to_come(s), NULL))
        return KEEL_OK;
    keeli_queue_set_limit(queue, before);
    return keeli_out_of_memory(world, "setting a tracking limit");
}

static void clear_changes(keeli_storage *s, uint32_t kinds, uint64_t tick) {
    // A storage that never had a value must stay equal to a component that the world does not know
    // yet: state hashes and restores treat both alike.
    if (keeli_store_is_new(s))
        return;

    // an earlier call may have cleared up to a later tick, which remains
    if (kinds & KEEL_TRACK_INSERTION && tick > s->cleared_inserted)
        s->cleared_inserted = tick;
    if (kinds & KEEL_TRACK_MODIFICATION && tick > s->cleared_modified)
        s->cleared_modified = tick;
    kinds &= s->tracking.kinds;
    if (kinds & KEEL_TRACK_REMOVAL)
        keeli_queue_clear_removed(&s->tracking.removed, false, tick);
    if (kinds & KEEL_TRACK_DELETION)
        keeli_queue_clear_removed(&s->tracking.removed, true, tick);
}

// Limits `*tick` to the current tick, and advances the world's tick, so that later changes are not
// cleared. Returns an error if the world cannot be edited or `kinds` is invalid.
static keel_result begin_clearing(keel_world *world, const keel_component *component,
                                  uint32_t kinds, uint64_t *tick) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    KEEL_TRY(keeli_world_is_editable(world));
    KEEL_TRY(keeli_check_track_kinds(world, "keel_clear_changes", component, kinds));
    const uint64_t now = keel_tick(world);
    if (*tick > now)
        *tick = now;
    return KEEL_OK;
}

keel_result keel_clear_component_changes(keel_world *world, const keel_component *component,
                                         uint32_t kinds, uint64_t tick) {
    KEEL_TRY(begin_clearing(world, component, kinds, &tick));
    keeli_storage *s = component ? keeli_storage_find(world, component) : NULL;
    if (!s)
        return KEEL_ABSENT;
    clear_changes(s, kinds, tick);
    return KEEL_OK;
}

keel_result keel_clear_all_changes(keel_world *world, uint32_t kinds, uint64_t tick) {
    KEEL_TRY(begin_clearing(world, NULL, kinds, &tick));
    for (uint32_t i = 0; i < world->storages.count; ++i)
        clear_changes(world->storages.items[i], kinds, tick);
    return KEEL_OK;
}
