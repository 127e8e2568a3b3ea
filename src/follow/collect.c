// SPDX-License-Identifier: MIT
#include "collect.h"

#include "group.h"
#include "observe_view.h"
#include "track.h"
#include "world/borrow.h"
#include "world/registry.h"
#include "world/report.h"

// ------------------------------------------------------------------ how many there could be
uint32_t keeli_could_have(const keel_world *world, const keeli_storage *s) {
    uint64_t count = (uint64_t)s->presence.count + s->disabled.count;
    if (!(s->flags & KEELI_IS_SET)) return (uint32_t)count;
    for (uint32_t i = 0; i < s->sources.count; ++i)
        count += keeli_could_have(world, s->sources.items[i]);
    return count < keeli_entity_count(&world->entities) ? (uint32_t)count
                                                        : keeli_entity_count(&world->entities);
}

// ------------------------------------------------------------------ room
static bool reserve_slots(keel_world *world, keeli_storage *set, uint32_t extra) {
    const uint64_t need = (uint64_t)keeli_could_have(world, set) + extra;
    if (need <= set->set.room) return true;
    return keeli_sparse_set_reserve(&set->set, &world->heap, (uint32_t)(need - set->set.count));
}

// The block's list names the set from now on; there stays room for as many more as before.
static bool list_block(keel_world *world, const keeli_storage *set, uint32_t index,
                       uint32_t numbers) {
    if (keeli_component_lists_has(&world->lists, index, set->ordinal)) return true;
    if (!keeli_component_lists_reserve(&world->lists, &world->heap, index, numbers + 1))
        return false;
    keeli_component_lists_add(&world->lists, index, set->ordinal);
    return true;
}

// Entities come and go in a set any number of times after room was made for them once, so what is
// gone has all the room it may have.
static bool reserve_tracking(keel_world *world, keeli_storage *set, uint32_t index,
                             uint32_t extra) {
    keeli_queue *log = &set->tracking->gone;
    const uint32_t both = KEEL_TRACK_DELETION | KEEL_TRACK_REMOVAL;
    if (!keeli_track_reserve(world, set, index, extra)) return false;
    return !(set->tracking->kinds & both) ||
           keeli_queue_reserve(log, &world->heap, log->limit, NULL);
}

static bool reserve_feeds(keel_world *world, keeli_storage *s, uint32_t index, uint32_t extra,
                          uint32_t numbers);

static bool reserve_in(keel_world *world, keeli_storage *set, uint32_t index, uint32_t extra,
                       uint32_t numbers) {
    keeli_heap *heap = &world->heap;
    if (!keeli_presence_reserve(&set->presence, heap, index)) return false;
    if (!list_block(world, set, index, numbers)) return false;
    if (set->kind == KEEL_INDEXED && !keeli_indexed_set_reserve(&set->indexed, heap, index))
        return false;
    if (set->kind == KEEL_SPARSE_SET && (!keeli_sparse_set_reserve_cell(&set->set, heap, index) ||
                                         !reserve_slots(world, set, extra)))
        return false;
    if (set->flags & KEELI_IS_GROUPED && !keeli_groups_reserve(set, index, extra)) return false;
    if (set->flags & KEELI_IS_TRACKED && !reserve_tracking(world, set, index, extra)) return false;
    if (set->flags & KEELI_IS_IN_VIEW && !keeli_view_observers_reserve(world, set, index))
        return false;
    return reserve_feeds(world, set, index, extra, numbers);
}

static bool reserve_feeds(keel_world *world, keeli_storage *s, uint32_t index, uint32_t extra,
                          uint32_t numbers) {
    for (uint32_t i = 0; i < s->feeds.count; ++i)
        if (!reserve_in(world, s->feeds.items[i].set, index, extra, numbers)) return false;
    return true;
}

bool keeli_sets_reserve(keel_world *world, keeli_storage *s, uint32_t index, uint32_t extra,
                        uint32_t numbers) {
    return s->flags & KEELI_IS_SET ? reserve_in(world, s, index, extra, numbers)
                                   : reserve_feeds(world, s, index, extra, numbers);
}

// Room in all sets of `s` for whoever has, or could have, `of`.
static bool reserve_all(keel_world *world, keeli_storage *s, const keeli_storage *of) {
    for (uint32_t i = 0; (i = keeli_store_next(of, i)) != UINT32_MAX; ++i)
        if (!reserve_feeds(world, s, i, 0, 0)) return false;
    for (uint32_t i = 0; (i = keeli_presence_next(&of->disabled, i)) != UINT32_MAX; ++i)
        if (!reserve_feeds(world, s, i, 0, 0)) return false;
    for (uint32_t i = 0; i < of->sources.count; ++i)
        if (!reserve_all(world, s, of->sources.items[i])) return false;
    return true;
}

bool keeli_sets_reserve_all(keel_world *world, keeli_storage *s) {
    return reserve_all(world, s, s);
}

bool keeli_sets_reserve_new(keel_world *world, keel_entity e, uint32_t count) {
    keeli_storage *s = &world->entity_storage;
    return !(s->flags & KEELI_IS_SOURCE) || reserve_feeds(world, s, keel_entity_index(e), count, 0);
}

// ------------------------------------------------------------------ collecting
static void put(keel_world *world, keeli_storage *set, keel_entity e) {
    if (keeli_store_has(set, keel_entity_index(e))) return;
    (void)keeli_store_push(world, set, e);
    keeli_store_joined(world, set, keel_entity_index(e));
    keeli_validate_storage(world, set);
}

void keeli_collect(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind) {
    for (uint32_t i = 0; i < s->feeds.count; ++i)
        if (s->feeds.items[i].kinds & kind) put(world, s->feeds.items[i].set, e);
}

keeli_storage *keeli_sets_before_strip(const keel_world *world, keel_entity e) {
    if (!world->set_count) return NULL;
    keeli_storage *first = NULL;
    uint32_t at = UINT32_MAX;
    for (keeli_storage *s; (s = keeli_store_next_of(world, keel_entity_index(e), &at)) != NULL;) {
        if (!keeli_store_has(s, keel_entity_index(e))) continue;
        for (uint32_t i = 0; i < s->feeds.count; ++i) {
            keeli_storage *set = s->feeds.items[i].set;
            if (set->is_coming || !(s->feeds.items[i].kinds & KEEL_ON_DELETED)) continue;
            set->is_coming = true;
            set->next_set = first;
            first = set;
        }
    }
    return first;
}

void keeli_sets_after_strip(keel_world *world, keel_entity e, keeli_storage *first) {
    for (keeli_storage *set = first; set; set = set->next_set) {
        set->is_coming = false;
        put(world, set, e);
    }
}

// ------------------------------------------------------------------ who fills what
static keeli_feed *feed_of(const keeli_storage *source, const keeli_storage *set) {
    for (uint32_t i = 0; i < source->feeds.count; ++i)
        if (source->feeds.items[i].set == set) return &source->feeds.items[i];
    return NULL;
}

static bool reaches(const keeli_storage *from, const keeli_storage *to) {
    if (from == to) return true;
    for (uint32_t i = 0; i < from->feeds.count; ++i)
        if (reaches(from->feeds.items[i].set, to)) return true;
    return false;
}

static bool is_idle(const keeli_storage *set, uint32_t index) {
    return !keeli_presence_word(&set->presence, index / 64) &&
           !keeli_presence_word(&set->disabled, index / 64);
}

// The first block from an index on whose list names the set, without anybody there; UINT64_MAX at
// the end.
static uint64_t next_idle_block(const keel_world *world, const keeli_storage *set, uint64_t index) {
    const uint64_t end = (uint64_t)set->presence.root.page_count * 4096;
    while (index < end) {
        const uint32_t i = (uint32_t)index, page = i / 4096;
        if (!keeli_presence_has_page(&set->presence, page)) index = ((uint64_t)page + 1) * 4096;
        else if (is_idle(set, i) && keeli_component_lists_has(&world->lists, i, set->ordinal))
            return index;
        else index += 64;
    }
    return UINT64_MAX;
}

uint64_t keeli_set_idle_blocks(const keel_world *world, const keeli_storage *s) {
    uint64_t count = 0;
    if (!(s->flags & KEELI_IS_SET)) return 0;
    for (uint64_t i = 0; (i = next_idle_block(world, s, i)) != UINT64_MAX; i += 64)
        ++count;
    return count;
}

static void add_feed(keel_world *world, keeli_storage *source, keeli_storage *set, uint32_t kinds) {
    source->feeds.items[source->feeds.count++] = (keeli_feed){ set, kinds };
    set->sources.items[set->sources.count++] = source;
    world->set_count += !(set->flags & KEELI_IS_SET);
    source->flags |= KEELI_IS_SOURCE;
    set->flags |= KEELI_IS_SET;
    ++world->bindings;
}

// A plain tag again: lists name it where somebody has it.
static void end_set(keel_world *world, keeli_storage *set) {
    for (uint64_t i = 0; (i = next_idle_block(world, set, i)) != UINT64_MAX; i += 64)
        keeli_component_lists_remove(&world->lists, (uint32_t)i, set->ordinal);
    set->flags &= ~(uint32_t)KEELI_IS_SET;
    KEELI_RELEASE(&world->heap, &set->sources);
    --world->set_count;
}

static void take_feed(keel_world *world, keeli_storage *source, keeli_storage *set) {
    keeli_feed *feed = feed_of(source, set);
    *feed = source->feeds.items[--source->feeds.count];
    if (!source->feeds.count) {
        source->flags &= ~(uint32_t)KEELI_IS_SOURCE;
        KEELI_RELEASE(&world->heap, &source->feeds);
    }
    uint32_t at = 0;
    while (set->sources.items[at] != source)
        ++at;
    set->sources.items[at] = set->sources.items[--set->sources.count];
    if (!set->sources.count) end_set(world, set);
    ++world->bindings;
}

void keeli_sets_forget(keel_world *world, keeli_storage *s) {
    while (s->feeds.count)
        take_feed(world, s, s->feeds.items[0].set);
    while (s->sources.count)
        take_feed(world, s->sources.items[0], s);
}

// ------------------------------------------------------------------ checking
// Has an entity with this index room in the set?
static bool has_room(const keel_world *world, const keeli_storage *set, uint32_t index) {
    const uint32_t page = index / 4096;
    if (!keeli_component_lists_has(&world->lists, index, set->ordinal)) return false;
    if (!keeli_presence_has_page(&set->presence, page)) return false;
    return set->kind != KEEL_SPARSE_SET ||
           (page < set->set.root.page_count && set->set.sparse[page] != keeli_no_cells);
}

static bool could_come(const keeli_storage *set, uint32_t index) {
    for (uint32_t i = 0; i < set->sources.count; ++i) {
        const keeli_storage *s = set->sources.items[i];
        if (keeli_store_has(s, index) || keeli_presence_has(&s->disabled, index)) return true;
        if (could_come(s, index)) return true;
    }
    return false;
}

static bool is_valid(const keel_world *world, const keeli_storage *set) {
    uint32_t count = 0;
    for (uint64_t from = 0; from <= KEEL_ENTITY_INDEX_MAX; ++from) {
        const keel_entity e = keeli_entity_index_next(&world->entities, (uint32_t)from);
        if (keel_is_null(e)) break;
        from = keel_entity_index(e);
        const bool comes = could_come(set, (uint32_t)from);
        count += comes || keeli_store_has(set, (uint32_t)from);
        if (comes && !has_room(world, set, (uint32_t)from)) return false;
    }
    for (uint32_t i = 0; i < set->sources.count; ++i)
        if (!feed_of(set->sources.items[i], set)) return false;
    return set->kind != KEEL_SPARSE_SET || set->set.room >= count;
}

bool keeli_sets_are_valid(const keel_world *world) {
    const keeli_storage *all = &world->entity_storage;
    uint32_t count = 0;
    if ((all->feeds.count != 0) != ((all->flags & KEELI_IS_SOURCE) != 0)) return false;
    for (uint32_t i = 0; i < world->order.count; ++i) {
        const keeli_storage *s = world->order.items[i];
        if ((s->feeds.count != 0) != ((s->flags & KEELI_IS_SOURCE) != 0)) return false;
        if ((s->sources.count != 0) != ((s->flags & KEELI_IS_SET) != 0)) return false;
        if (s->sources.count && !is_valid(world, s)) return false;
        count += s->sources.count != 0;
    }
    return count == world->set_count;
}

// ------------------------------------------------------------------ public
static keel_result check_set(keel_world *world, const keeli_storage *set) {
    const char *name = set->component.name;
    if (set->size)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "'%s' has a value, so it cannot be a set; declare a KEEL_TAG", name);
    if (set->kind == KEEL_ARCHETYPE)
        return keeli_misuse(
            world, KEEL_ERROR_ARGUMENT,
            "'%s' is kept in archetypes, so it cannot be a set: what collects would "
            "move rows; use KEEL_SPARSE_SET or KEEL_INDEXED",
            name);
    if (set->flags & KEELI_IS_BOUND)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "'%s' is bound to a thread, so it cannot be a set: its sources may be "
                            "edited in others; leave .threads out",
                            name);
    return KEEL_OK;
}

static keel_result check_kinds(keel_world *world, const keeli_storage *set, bool of_entities,
                               uint32_t kinds) {
    const uint32_t all = KEEL_ON_INSERTED | KEEL_ON_MODIFIED | KEEL_ON_DELETED | KEEL_ON_REMOVED;
    const uint32_t allowed = of_entities ? KEEL_ON_CREATED : all;
    if (kinds && !(kinds & ~allowed)) return KEEL_OK;
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                        of_entities
                            ? "set '%s' collects KEEL_ON_CREATED of entities, not 0x%x: the dead "
                              "are in no set; keel_observe_entities tells of them"
                            : "set '%s' collects KEEL_ON_INSERTED, _MODIFIED, _DELETED and "
                              "_REMOVED, not 0x%x",
                        set->component.name, (unsigned)kinds);
}

static keel_result check(keel_world *world, const keeli_storage *set, const keeli_storage *source,
                         uint32_t kinds) {
    KEEL_TRY(check_set(world, set));
    KEEL_TRY(check_kinds(world, set, source == &world->entity_storage, kinds));
    if (reaches(set, source))
        return keeli_error(world, KEEL_ERROR_CYCLE,
                           "set '%s' cannot collect from '%s', which it fills itself",
                           set->component.name, source->component.name);
    KEEL_TRY(keeli_may_edit(world, NULL, set, "collect into"));
    return keeli_may_edit(world, NULL, source, "collect from");
}

static keel_result connect(keel_world *world, keeli_storage *set, keeli_storage *source,
                           uint32_t kinds) {
    if (!KEELI_RESERVE(&world->heap, &source->feeds, 1) ||
        !KEELI_RESERVE(&world->heap, &set->sources, 1))
        return keeli_out_of_memory(world, "making a set");
    add_feed(world, source, set, kinds);
    if (reserve_all(world, source, source)) return KEEL_OK;
    take_feed(world, source, set);
    return keeli_out_of_memory(world, "making a set");
}

static keel_result collect(keel_world *world, const keel_component *set, keeli_storage *from,
                           uint32_t kinds) {
    keel_result result;
    keeli_storage *to = keeli_storage_get(world, set, false, &result);
    if (!to) return result;
    KEEL_TRY(check(world, to, from, kinds));
    keeli_feed *known = feed_of(from, to);
    if (!known) return connect(world, to, from, kinds);
    known->kinds |= kinds;
    return KEEL_OK;
}

keel_result keel_collect_component(keel_world *world, const keel_component *set,
                                   const keel_component *source, uint32_t kinds) {
    if (!world) return keeli_no_world();
    KEEL_TRY(keeli_world_is_idle(world, "a set is made"));
    keel_result result;
    keeli_storage *from = keeli_storage_get(world, source, false, &result);
    return from ? collect(world, set, from, kinds) : result;
}

keel_result keel_collect_entities(keel_world *world, const keel_component *set, uint32_t kinds) {
    if (!world) return keeli_no_world();
    KEEL_TRY(keeli_world_is_idle(world, "a set is made"));
    return collect(world, set, &world->entity_storage, kinds);
}

static keel_result stop(keel_world *world, const keel_component *set, keeli_storage *from) {
    KEEL_TRY(keeli_world_is_idle(world, "a set is ended"));
    keeli_storage *to = set ? keeli_storage_find(world, set) : NULL;
    if (!to || !from || !feed_of(from, to)) return KEEL_ABSENT;
    KEEL_TRY(keeli_may_edit(world, NULL, from, "stop collecting from"));
    take_feed(world, from, to);
    return KEEL_OK;
}

keel_result keel_stop_collecting_component(keel_world *world, const keel_component *set,
                                           const keel_component *source) {
    if (!world) return keeli_no_world();
    return stop(world, set, source ? keeli_storage_find(world, source) : NULL);
}

keel_result keel_stop_collecting_entities(keel_world *world, const keel_component *set) {
    return world ? stop(world, set, &world->entity_storage) : keeli_no_world();
}

uint32_t keel_collected_kinds(const keel_world *world, const keel_component *set,
                              const keel_component *source) {
    const keeli_storage *to = world && set ? keeli_storage_find(world, set) : NULL;
    const keeli_storage *from = !to      ? NULL
                                : source ? keeli_storage_find(world, source)
                                         : &world->entity_storage;
    const keeli_feed *feed = from ? feed_of(from, to) : NULL;
    return feed ? feed->kinds : 0;
}
