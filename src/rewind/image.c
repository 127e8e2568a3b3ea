// SPDX-License-Identifier: MIT
// Makes a world the image of another one, in two halves: keeli_image_reserve does everything that
// may fail and changes neither world, keeli_image_commit then cannot fail. Values of plain bytes
// are copied by blocks.c. snapshot.c calls this file, to take and to restore snapshots.
// In this file `t` is a storage of the world that becomes the image, `s` the storage of the same
// component in the other world, and `g` the keeli_staged of both.
#include "rewind/image.h"

#include "find/iterate.h"
#include "follow/follow.h"
#include "link/relation.h"
#include "rewind/blocks.h"
#include "rewind/compare.h"
#include "rewind/journal.h"
#include "world/names.h"
#include "world/report.h"

#include <keel/typed.h>
#include <string.h>

void keeli_image_write(const keel_world *to, void *memory, char *at, const char *from,
                       size_t bytes) {
    if (to->journal)
        keeli_journal_write(to->journal, memory, at, from, bytes);
    else
        memcpy(at, from, bytes);
}

// ------------------------------------------------------------------ values with hooks
static keel_result copy_name_value(const keeli_image *image, void *to, const void *from) {
    const keel_name *old = from;
    const keeli_name *name = keeli_name_new(image->to, old->text, strlen(old->text));
    if (!name) {
        return keeli_out_of_memory(image->teller, "copying a name");
    }

    keel_name *copy = to;
    copy->text = name->text;
    return KEEL_OK;
}

// Copies a value to a place that has none. Returns KEEL_OK, KEEL_ERROR_MEMORY or KEEL_ERROR_COPY.
static keel_result copy_value(const keeli_image *image, const keeli_storage *t, void *to,
                              const void *from) {
    if (t == image->to->names.storage) {
        return copy_name_value(image, to, from);
    }
    if (!t->component.copy) {
        memcpy(to, from, t->size);
        return KEEL_OK;
    }

    if (keeli_hook_copy(t, to, from))
        return KEEL_OK;
    return keeli_cannot_copy(image->teller, t);
}

// A walk over the values of a storage in the order in which they are staged: the enabled values in
// the order of the storage, then the disabled ones by index.
typedef struct value_walk {
    const keeli_storage *s;
    uint32_t at;
    bool is_disabled;
} value_walk;

// Returns the next value of the walk; NULL at the end.
static void *next_value(value_walk *walk) {
    const keeli_storage *s = walk->s;
    uint32_t index;
    if (!walk->is_disabled) {
        uint32_t at = walk->at;
        index = keeli_store_in_order(s, &at);
        walk->at = at + 1;
        if (index != UINT32_MAX) {
            if (keeli_store_is_sparse(s)) {
                return keeli_sparse_set_value(&s->set, at);
            }
            return keeli_store_value_there(s, index);
        }

        walk->is_disabled = true;
        walk->at = 0;
    }

    index = keeli_presence_next(&s->disabled, walk->at);
    if (index == UINT32_MAX)
        return NULL;

    walk->at = index + 1;
    return keeli_store_disabled_value(s, index);
}

static void *staged_at(const keeli_staged *g, const keeli_storage *t, uint32_t i) {
    return (char *)g->values + (size_t)i * t->size;
}

static keel_result stage_values(const keeli_image *image, keeli_staged *g, const keeli_storage *t,
                                const keeli_storage *s) {
    const uint32_t count = s->presence.count + s->disabled.count;
    if (!count || !t->size || !keeli_copies_singly(t) || g->keeps_values) {
        return KEEL_OK;
    }

    g->values = keeli_new(&image->to->heap, (size_t)count * t->size, t->component.align);
    if (!g->values) {
        return keeli_out_of_memory(image->teller, "copying values");
    }
    g->count = count;

    value_walk walk = { .s = s };
    while (g->made < count) {
        const void *value = next_value(&walk);
        void *copy = staged_at(g, t, g->made);
        KEEL_TRY(copy_value(image, t, copy, value));
        ++g->made;
    }
    return KEEL_OK;
}

// Makes in `queue` a copy of the queue `from` with its values, unless `old` already equals `from`.
// `*has` is set if there is a copy, which has to be freed.
static keel_result stage_queue(const keeli_image *image, keeli_queue *queue, bool *has,
                               const keeli_storage *t, const keeli_queue *old,
                               const keeli_queue *from) {
    if (keeli_image_is_take(image) && keeli_queue_is_same(old, from)) {
        return KEEL_OK;
    }

    *queue = (keeli_queue){
        .drop = t->set.drop,
        .move = t->set.move,
        .hook_data = t->set.hook_data,
    };
    if (!keeli_queue_copy(queue, &image->to->heap, from)) {
        return keeli_out_of_memory(image->teller, "copying a queue");
    }
    *has = true;

    const uint32_t count = queue->count;
    for (queue->count = 0; queue->count < count; ++queue->count) { // counts the values made so far
        const uint64_t number = queue->begin + queue->count;
        if (!keeli_queue_has_value(from, number))
            continue;

        void *copy = keeli_queue_at(queue, number);
        KEEL_TRY(copy_value(image, t, copy, keeli_queue_at(from, number)));
    }
    return KEEL_OK;
}

// Makes a copy of the log of removed values, with room for the removal of every value that the
// image will have. The room is needed if `t` tracks removals now, even if `s` did not when the
// snapshot was taken.
static keel_result stage_removed(const keeli_image *image, keeli_staged *g, const keeli_storage *t,
                                 const keeli_storage *s) {
    const keeli_tracking *old = &t->tracking;
    keeli_queue *removed = &g->removed;
    KEEL_TRY(stage_queue(image, removed, &g->has_removed, t, &old->removed, &s->tracking.removed));
    if (!g->has_removed)
        return KEEL_OK;
    if (!(old->kinds & (KEEL_TRACK_DELETION | KEEL_TRACK_REMOVAL))) {
        return KEEL_OK;
    }

    uint64_t need = removed->count;
    if (t->sources.count)
        need += removed->limit;
    else
        need += (uint64_t)s->presence.count + s->disabled.count;

    if (keeli_queue_reserve_capacity(removed, &image->to->heap, need)) {
        return KEEL_OK;
    }
    return keeli_out_of_memory(image->teller, "copying what was removed");
}

static keel_result stage_unique_value(const keeli_image *image, keeli_staged *g,
                                      const keeli_storage *t, const keeli_storage *s) {
    if (!s->unique || g->keeps_unique)
        return KEEL_OK;

    const size_t bytes = t->size ? t->size : 1;
    g->unique = keeli_new(&image->to->heap, bytes, t->component.align);
    if (!g->unique) {
        return keeli_out_of_memory(image->teller, "copying a unique");
    }

    if (t->size) {
        KEEL_TRY(copy_value(image, t, g->unique, s->unique));
    }
    g->has_unique = true;
    return KEEL_OK;
}

// ------------------------------------------------------------------ room
// Makes room for the ticks of all entities in `who`; false when out of memory.
static bool reserve_ticks_of(keeli_heap *heap, keeli_ticks *ticks, const keeli_presence *who) {
    for (uint32_t page = 0; (page = keeli_presence_next_page(who, page)) != UINT32_MAX; ++page) {
        if (!keeli_ticks_reserve(ticks, heap, page * KEELI_PAGE)) {
            return false;
        }
    }
    return true;
}

// Makes room for the ticks of every value that the image will have. `own` decides which kinds
// of changes have ticks, even if the copied world did not track them. False when out of memory.
static bool reserve_ticks(keeli_heap *heap, keeli_tracking *own, const keeli_storage *s) {
    if (own->kinds & KEEL_TRACK_INSERTION) {
        if (!reserve_ticks_of(heap, &own->inserted, &s->presence)) {
            return false;
        }
        if (!reserve_ticks_of(heap, &own->inserted, &s->disabled)) {
            return false;
        }
    }
    if (own->kinds & KEEL_TRACK_MODIFICATION) {
        if (!reserve_ticks_of(heap, &own->modified, &s->presence)) {
            return false;
        }
        if (!reserve_ticks_of(heap, &own->modified, &s->disabled)) {
            return false;
        }
    }
    return true;
}

// Makes room for the bits, values and ticks of a storage; false when out of memory.
static bool reserve_image_storage(keeli_heap *heap, keeli_staged *g, keeli_storage *t,
                                  const keeli_storage *s) {
    if (!g->is_same) {
        if (!keeli_presence_reserve_all(&t->presence, heap, &s->presence)) {
            return false;
        }
        if (!keeli_presence_reserve_all(&t->disabled, heap, &s->disabled)) {
            return false;
        }
        if (!keeli_sparse_set_reserve_all(&t->set, heap, &s->set)) {
            return false;
        }
        if (t->size && !keeli_indexed_set_reserve_all(&t->indexed, heap, &s->indexed)) {
            return false;
        }
    }

    keeli_tracking *own = &t->tracking;
    const keeli_tracking *from = &s->tracking;
    return keeli_ticks_reserve_all(&own->inserted, heap, &from->inserted, &g->logs[0]) &&
           keeli_ticks_reserve_all(&own->modified, heap, &from->modified, &g->logs[1]) &&
           reserve_ticks(heap, own, s);
}

// Returns what keeli_could_have will return for the storage once the image is finished: the number
// of entities that have the component, and for a reactive set also of those that it could collect
// from its sources.
static uint32_t could_have_then(const keeli_image *image, const keeli_storage *t) {
    const keeli_storage *s = keeli_image_leaves(t) ? t : keeli_image_source(image, t);
    uint64_t count = (uint64_t)s->presence.count + s->disabled.count;
    if (!t->sources.count)
        return (uint32_t)count;

    for (uint32_t i = 0; i < t->sources.count; ++i) {
        const keeli_storage *source = t->sources.items[i];
        if (source == &image->to->stand_in.entities)
            continue;
        count += could_have_then(image, source);
    }

    const uint32_t alive = keeli_entity_count(&image->from->entities);
    return count < alive ? (uint32_t)count : alive;
}

// Makes room in a reactive set for all entities that it could collect in the finished image; false
// when out of memory.
static bool reserve_set(const keeli_image *image, keeli_storage *t) {
    if (!t->sources.count || !keeli_store_is_sparse(t)) {
        return true;
    }

    keeli_sparse_set *set = &t->set;
    const uint32_t need = could_have_then(image, t);
    if (need <= set->room)
        return true;
    return keeli_sparse_set_reserve(set, &image->to->heap, need - set->count);
}

// Makes room in the followers of the storage, except for ticks, for all values that the storage
// will have. False when out of memory.
static bool reserve_followers(const keeli_image *image, keeli_storage *t, const keeli_storage *s) {
    if (!(t->groups.count | t->collectors.count | t->sources.count | t->viewers.count)) {
        return true;
    }

    keel_world *to = image->to;
    const uint32_t then = could_have_then(image, t);
    const uint32_t now = keeli_could_have(to, t);
    const uint32_t extra = then > now ? then - now : 0;
    if (!reserve_set(image, t))
        return false;

    const keeli_presence *const bits[] = { &s->presence, &s->disabled };
    for (uint32_t k = 0; k < 2; ++k) {
        uint32_t i = 0;
        while ((i = keeli_presence_next(bits[k], i)) != UINT32_MAX) {
            if (!keeli_groups_reserve(t, i, extra))
                return false;
            if (!keeli_sets_reserve(to, t, i, extra)) {
                return false;
            }
            if (!keeli_view_observers_reserve(to, t, i)) {
                return false;
            }
            i = (i / 64 + 1) * 64;
        }
    }
    return true;
}

// True if the edges have values that hooks copy or drop.
static bool has_hooked_edges(const keeli_storage *s) {
    return keeli_edges_have_values(&s->relation->edges) && (s->component.copy || s->component.drop);
}

// Copies edges whose values have hooks; makes room for other edges, which the commit copies.
static keel_result stage_edges(const keeli_image *image, keeli_staged *g, keeli_storage *t,
                               const keeli_storage *s) {
    keel_world *to = image->to;
    const keeli_edges *from = &s->relation->edges;
    bool has_room = false;
    if (has_hooked_edges(t)) {
        keeli_edges_init_like(&g->edges, from);
        const keel_result result = keeli_copy_edges(t, &g->edges, from, &to->heap);
        if (result == KEEL_ERROR_COPY) {
            return keeli_cannot_copy(image->teller, t);
        }
        has_room = result == KEEL_OK;
        g->has_edges = has_room;
    } else {
        has_room = keeli_edges_reserve_like(&t->relation->edges, from, &to->heap, &g->changes);
        g->from_edges = from;
    }

    if (has_room && keeli_reserve_rule(to, s->relation)) {
        return KEEL_OK;
    }
    return keeli_out_of_memory(image->teller, "copying a relation");
}

// Makes room for a storage and stages its values: everything of its copy that may fail.
static keel_result stage_storage(const keeli_image *image, keeli_staged *g, keeli_storage *t,
                                 const keeli_storage *s) {
    if (!reserve_image_storage(&image->to->heap, g, t, s)) {
        return keeli_out_of_memory(image->teller, "copying a world");
    }
    if (s->relation && !keeli_store_has_sources(s) && !g->keeps_edges) {
        KEEL_TRY(stage_edges(image, g, t, s));
    }

    KEEL_TRY(stage_values(image, g, t, s));
    KEEL_TRY(stage_unique_value(image, g, t, s));
    KEEL_TRY(stage_removed(image, g, t, s));

    if (!s->events)
        return KEEL_OK;
    return stage_queue(image, &g->events, &g->has_events, t, t->events, s->events);
}

// Returns the column of a component by its number, for keeli_archetypes_make_alike.
static keeli_row_component *row_of(void *data, uint32_t number) {
    const keel_world *world = data;
    return &world->root.storages[number]->row;
}

// Makes room for handles, component lists and archetypes; false when out of memory.
static bool reserve_all(keeli_image *image) {
    keel_world *to = image->to;
    const keel_world *from = image->from;
    keeli_heap *heap = &to->heap;
    if (!keeli_entity_index_reserve_all(&to->entities, heap, &from->entities)) {
        return false;
    }

    if (!image->same_lists) {
        // lists of `to` also name components that are not copied: reactive sets and transient ones
        uint32_t extra = to->followers.set_count;
        for (uint32_t i = 0; i < to->storages.count; ++i)
            extra += keeli_image_leaves(to->storages.items[i]);
        if (!keeli_component_lists_reserve_all(&to->lists, heap, &from->lists, extra)) {
            return false;
        }
    }

    const keeli_archetypes *old = &from->archetypes;
    if (keeli_archetypes_are_alike(&to->archetypes, old)) {
        return true;
    }
    image->has_archetypes = keeli_archetypes_make_alike(&image->archetypes, heap, old, row_of, to);
    return image->has_archetypes;
}

// Begins to track the kinds of changes that the copied world tracked. The world to restore may not
// track them yet if the snapshot was read from bytes: then its systems have not asked for them.
static void track_like(keeli_image *image) {
    for (uint32_t i = 0; i < image->to->storages.count; ++i) {
        keeli_storage *t = image->to->storages.items[i];
        image->staged.items[i].kinds_before = t->tracking.kinds;
        if (!keeli_image_is_take(image) && !keeli_image_leaves(t))
            t->tracking.kinds |= keeli_image_source(image, t)->tracking.kinds_then;
    }
}

keel_result keeli_image_reserve(keeli_image *image, keel_world *to, const keel_world *from,
                                keel_world *teller, uint32_t flags) {
    const keel_world *snapshot = teller == to ? from : to;
    *image = (keeli_image){
        .to = to,
        .from = from,
        .teller = teller,
        .since = flags & KEEL_SNAPSHOT_FULL ? 0 : snapshot->epoch,
        .tick = keeli_tick_of(teller, snapshot->changes.tick),
        .checks = KEELI_VALIDATES || flags & KEEL_SNAPSHOT_CHECK,
    };
    if (!KEELI_RESERVE(&to->heap, &image->staged, to->storages.count)) {
        return keeli_out_of_memory(teller, "copying a world");
    }
    keeli_image_compare(image);
    track_like(image);

    // Followers come first: making room for a source also makes room in its reactive sets, which
    // may move their values.
    bool has_room = reserve_all(image);
    for (uint32_t i = 0; has_room && i < to->storages.count; ++i) {
        keeli_storage *t = to->storages.items[i];
        has_room =
            keeli_image_leaves(t) || reserve_followers(image, t, keeli_image_source(image, t));
    }
    keel_result result = has_room ? KEEL_OK : keeli_out_of_memory(teller, "copying a world");

    for (uint32_t i = 0; result == KEEL_OK && i < to->storages.count; ++i) {
        keeli_storage *t = to->storages.items[i];
        keeli_staged *g = &image->staged.items[i];
        if (keeli_image_leaves(t))
            continue;
        result = stage_storage(image, g, t, keeli_image_source(image, t));
    }
    if (result < 0)
        keeli_image_cancel(image);
    return result;
}

// ------------------------------------------------------------------ freeing
static void free_logs(const keeli_image *image, keeli_staged *g, const keeli_storage *t) {
    const keeli_tracking *from = &keeli_image_source(image, t)->tracking;
    const uint32_t sizes[] = { from->inserted.log_capacity, from->modified.log_capacity };
    for (uint32_t k = 0; k < 2; ++k) {
        const size_t bytes = sizes[k] * sizeof(keeli_change);
        keeli_free(&image->to->heap, g->logs[k], bytes, _Alignof(keeli_change));
    }
}

// Frees what is staged for a storage. After the commit, which exchanged the parts, this frees the
// former values and queues of the storage.
static void free_staged(keeli_heap *heap, keeli_staged *g, const keeli_storage *t) {
    for (uint32_t i = 0; i < g->made; ++i)
        keeli_value_drop(t, staged_at(g, t, i));
    keeli_free(heap, g->values, (size_t)g->count * t->size, t->component.align);

    if (g->has_unique)
        keeli_value_drop(t, g->unique);
    keeli_free(heap, g->unique, t->size ? t->size : 1, t->component.align);

    if (g->has_removed)
        keeli_queue_deinit(&g->removed, heap);
    if (g->has_events)
        keeli_queue_deinit(&g->events, heap);
    if (g->has_edges) {
        keeli_store_drop_edges(t->relation, &g->edges, heap);
    }
}

void keeli_image_cancel(keeli_image *image) {
    keeli_heap *heap = &image->to->heap;
    for (uint32_t i = 0; i < image->staged.count; ++i) {
        keeli_storage *t = image->to->storages.items[i];
        keeli_staged *g = &image->staged.items[i];
        t->tracking.kinds = g->kinds_before;
        free_logs(image, g, t);
        free_staged(heap, g, t);
    }

    if (image->has_archetypes) {
        keeli_archetypes_deinit(&image->archetypes, heap);
    }
    KEELI_RELEASE(heap, &image->staged);
}

// ------------------------------------------------------------------ removing old values
static void drop_values(const keeli_storage *t) {
    if (!t->component.drop || keeli_store_has_edge_values(t)) {
        return;
    }

    value_walk walk = { .s = t };
    for (void *value; (value = next_value(&walk)) != NULL;)
        keeli_value_drop(t, value);
}

// Removes an edge of a transient relation; followers are not notified. Then removes the component
// `sources` from the source, and `targets` from the target, if the entity has no other edge.
static void drop_edge(keel_world *to, keeli_relation *r, uint32_t source, uint32_t place) {
    keeli_edges *edges = &r->edges;
    keeli_storage *sources = r->sources;
    const uint32_t target = keeli_edge_other(edges, KEELI_TARGETS, source, place);
    const bool has_other = edges->is_symmetric && source != target;
    const uint32_t ends[] = { source, target };
    if (keeli_edges_have_values(edges)) {
        keeli_value_drop(sources, keeli_edge_value(edges, source, place));
    }
    keeli_edges_remove(edges, &to->heap, source, place);

    for (uint32_t i = 0; i < 2; ++i) {
        const uint32_t e = ends[i];
        const bool was_target = i == 1 || has_other;
        const bool was_source = i == 0 || has_other;
        if (was_target && !keeli_edge_count(edges, KEELI_SOURCES, e)) {
            keeli_store_pop(to, r->targets, e);
        }

        if (!was_source || keeli_edge_count(edges, KEELI_TARGETS, e)) {
            continue;
        }
        if (sources->size) {
            keeli_value_drop(sources, keeli_store_value_there(sources, e));
        }
        keeli_store_pop(to, sources, e);
    }
}

// Removes the edges of one entity, which is a source or a target, the last edge first.
static void drop_edges_of(keel_world *to, const keeli_storage *t, uint32_t index) {
    keeli_relation *r = t->relation;
    const keeli_edges *edges = &r->edges;
    const keeli_end end = keeli_store_has_sources(t) ? KEELI_SOURCES : KEELI_TARGETS;
    uint32_t at = KEELI_NO_EDGE;
    while ((at = keeli_edge_last(edges, end, index, at)) != KEELI_NO_EDGE) {
        if (end == KEELI_TARGETS) {
            drop_edge(to, r, index, at);
            continue;
        }

        const uint32_t source = keeli_edge_other(edges, end, index, at);
        drop_edge(to, r, source, keeli_edge_twin(edges, end, index, at));
    }
}

// Removes a transient component from the entities that are not alive in the world to copy from.
static void drop_dead(const keeli_image *image, keeli_storage *t) {
    keel_world *to = image->to;
    const keeli_entity_index *alive = &image->from->entities;
    KEELI_EACH_BIT(i, &t->disabled) {
        const keel_entity e = keeli_entity_at(&to->entities, i);
        if (!keeli_entity_is_alive(alive, e)) {
            keeli_store_drop_disabled(to, t, i);
        }
    }

    KEELI_EACH_BIT(i, &t->presence) {
        const keel_entity e = keeli_entity_at(&to->entities, i);
        if (keeli_entity_is_alive(alive, e))
            continue;

        if (t->relation) {
            drop_edges_of(to, t, i);
        } else {
            keeli_value_drop(t, keeli_store_value_there(t, i));
            keeli_store_pop(to, t, i);
        }
    }
}

// ------------------------------------------------------------------ copying
// Copies the disabled values of plain bytes. place_staged moves the disabled values of other
// components.
static void copy_plain_disabled(keel_world *to, keeli_storage *t, const keeli_storage *s) {
    if (!t->size || keeli_copies_singly(t))
        return;

    KEELI_EACH_BIT(i, &t->disabled) {
        void *memory = keeli_indexed_set_memory(&t->indexed, i >> t->indexed.root.shift);
        void *value = keeli_store_disabled_value(t, i);
        keeli_image_write(to, memory, value, keeli_store_disabled_value(s, i), t->size);
    }
}

// Copies the bits, the order and the ticks of a storage.
static void assign_storage(const keeli_image *image, const keeli_staged *g, keeli_storage *t) {
    keel_world *to = image->to;
    const keeli_storage *s = keeli_image_source(image, t);
    const uint32_t since = g->is_ticked ? image->tick : 0;
    if (!g->is_same) {
        keeli_presence_assign(&t->presence, &s->presence);
        keeli_presence_assign(&t->disabled, &s->disabled);
        keeli_sparse_set_assign(&t->set, &s->set);
        if (t->size) {
            keeli_indexed_set_assign(&t->indexed, &s->indexed);
        }

        if (t->disabled.count)
            t->flags |= KEELI_HAS_DISABLED;
        else
            t->flags &= ~(uint32_t)KEELI_HAS_DISABLED;
    }
    copy_plain_disabled(to, t, s);

    if (!keeli_image_is_take(image))
        t->stamps.vague = to->epoch; // ticks go back, so they do not show the writes of a restore
    t->set_at = s->set_at;
    t->changed_at = s->changed_at;
    t->cleared_inserted = s->cleared_inserted;
    t->cleared_modified = s->cleared_modified;

    keeli_tracking *own = &t->tracking;
    const keeli_tracking *old = &s->tracking;
    keeli_ticks_assign(&own->inserted, &to->heap, &old->inserted, g->logs[0], since);
    keeli_ticks_assign(&own->modified, &to->heap, &old->modified, g->logs[1], since);
}

// Marks all values of a component as inserted now, if insertions are tracked now but were not when
// the snapshot was taken. keeli_track does the same when tracking begins.
static void track_anew(const keel_world *to, keeli_storage *t, const keeli_storage *s) {
    const uint32_t fresh = t->tracking.kinds & ~s->tracking.kinds_then & KEEL_TRACK_INSERTION;
    if (fresh && t->presence.count + t->disabled.count) {
        keeli_ticks_mark_all(&t->tracking.inserted, keeli_tick_of(to, to->changes.tick));
    }
}

// Marks the remaining values of a transient component as inserted now. Then adds the component to
// the component lists of its blocks again: the lists were copied from a world in which other
// entities have the component.
static void update_transient(const keeli_image *image, keeli_storage *t) {
    static const keeli_ticks none;
    keel_world *to = image->to;
    keeli_tracking *own = &t->tracking;
    const bool has_values = t->presence.count + t->disabled.count;
    keeli_ticks_assign(&own->inserted, &to->heap, &none, NULL, 0);
    keeli_ticks_assign(&own->modified, &to->heap, &none, NULL, 0);
    if (has_values && own->kinds & KEEL_TRACK_INSERTION) {
        keeli_ticks_mark_all(&own->inserted, keeli_tick_of(to, to->changes.tick));
    }
    keeli_queue_clear(&own->removed);

    const uint64_t tick = to->changes.tick;
    if (t->set_at > tick)
        t->set_at = tick;
    if (t->changed_at > tick)
        t->changed_at = tick;
    if (!image->same_numbers)
        return; // relist then fills the lists with all components, this one included

    keeli_component_lists *lists = &to->lists;
    for (uint32_t i = 0; i / KEELI_PAGE < lists->capacity; i += 64) {
        const uint64_t enabled = keeli_presence_word(&t->presence, i / 64);
        const bool has = enabled | keeli_presence_word(&t->disabled, i / 64);
        if (keeli_component_lists_has(lists, i, t->ordinal) == has) {
            continue;
        }

        if (has)
            keeli_component_lists_add(lists, i, t->ordinal);
        else
            keeli_component_lists_remove(lists, i, t->ordinal);
    }
}

// Exchanges a queue with its staged copy. Replaces each reader of the copy by the one that `keeps`
// returns for it, and removes the reader if that is NULL.
static void swap_queue(keeli_queue *queue, keeli_queue *staged, keeli_reader_map *keeps,
                       void *data) {
    const keeli_queue before = *queue;
    *queue = *staged;
    *staged = before;

    uint32_t kept = 0;
    for (uint32_t i = 0; i < queue->readers.count; ++i) {
        keeli_queue_reader *r = &queue->readers.items[kept];
        *r = queue->readers.items[i];
        r->reader = keeps(data, r->reader);
        if (!r->reader)
            continue;

        ++kept;
        if (r->reader->is_kept && !queue->of_removed) {
            r->next = queue->begin;
            r->shown = queue->begin;
        }
    }
    queue->readers.count = kept;
}

// Moves the staged values into the storage, and exchanges its other parts with the staged ones.
// free_staged frees the former parts.
static void place_staged(keel_world *to, keeli_staged *g, keeli_storage *t, keeli_reader_map *keeps,
                         void *data) {
    value_walk walk = { .s = t };
    for (uint32_t i = 0; i < g->made; ++i)
        keeli_value_move(t, next_value(&walk), staged_at(g, t, i));
    g->made = 0;

    if (g->has_removed) {
        swap_queue(&t->tracking.removed, &g->removed, keeps, data);
    }
    if (g->has_events) {
        swap_queue(t->events, &g->events, keeps, data);
    }
    if (!g->keeps_unique) {
        void *const unique = t->unique;
        t->unique = g->unique;
        g->unique = unique;
        g->has_unique = unique != NULL;
    }

    if (g->from_edges) {
        keeli_edges_assign(&t->relation->edges, g->from_edges, &to->heap, &g->changes);
    }
    if (!g->has_edges)
        return;

    keeli_edges *edges = &t->relation->edges;
    const keeli_edges before = *edges;
    *edges = g->edges;
    edges->edits = before.edits + 1;
    edges->walks = before.walks;
    edges->stamps = before.stamps;
    keeli_edges_stamp_all(edges);
    g->edges = before;
    g->edges.stamps = NULL;
}

// Enters all names under the parents that they have in `from`.
static void enter_names(keel_world *to, const keel_world *from) {
    const keeli_storage *t = to->names.storage;
    if (!t)
        return;

    for (uint32_t slot = 0; slot < t->set.count; ++slot) {
        const keel_entity e = *keeli_sparse_set_entity(&t->set, slot);
        keeli_name *name = keeli_name_at(to, e);
        const keel_entity parent = keeli_name_at(from, e)->parent;
        if (name->is_listed && keel_is_same(name->parent, parent)) {
            continue;
        }

        keeli_name_leave(to, name);
        keeli_name_enter(to, name, e, parent);
    }
}

// Empties the caches of the world, and updates followers and threads.
static void renew_caches(keel_world *to) {
    keeli_levels_trim(to);
    keeli_kept_lists_trim(to);
    keeli_sets_relist(to);
    keeli_view_observers_renew(to);
    keeli_threads_update(to);
}

// Copies the plain values, and then handles, rows and component lists unless they are the same. The
// values come first, because keeli_blocks_copy compares the old rows and bitmaps of both worlds.
static void copy_plain(keeli_image *image) {
    keel_world *to = image->to;
    const keel_world *from = image->from;
    const bool same_rows = keeli_are_same_rows(image);
    image->same_rows = same_rows;
    if (image->has_archetypes) {
        keeli_archetypes_replace(&to->archetypes, &to->heap, &image->archetypes);
    }

    for (uint32_t i = 0; i < to->storages.count; ++i) {
        keeli_storage *t = to->storages.items[i];
        if (keeli_image_leaves(t) || !t->size || keeli_copies_singly(t)) {
            continue;
        }
        keeli_blocks_copy(image, t, keeli_image_source(image, t));
    }

    keeli_entity_index *own = &to->entities;
    const keeli_entity_index *old = &from->entities;
    image->same_handles = image->since && same_rows && keeli_entity_index_is_unchanged(own, old);
    if (!image->same_handles) {
        keeli_entity_index_assign(own, old);
    }
    if (!same_rows) {
        keeli_archetypes_assign(&to->archetypes, &from->archetypes);
    }
    if (!image->same_lists && image->same_numbers) {
        keeli_component_lists_assign(&to->lists, &from->lists);
    }
}

// Fills the component lists of all blocks again, as components have other numbers than at the take.
// The lists have room for it, as each names as many components as in the snapshot.
static void relist(keel_world *to) {
    static const keeli_component_lists empty;
    keeli_component_lists *lists = &to->lists;
    keeli_component_lists_assign(lists, &empty);
    for (uint32_t n = 0; n < to->registry.by_ordinal.count; ++n) {
        const keeli_storage *t = to->registry.by_ordinal.items[n];
        if (!t)
            continue;

        for (uint32_t page = 0; page < lists->capacity; ++page) {
            if (!lists->pages[page])
                continue;

            for (uint32_t i = page * KEELI_PAGE; i / KEELI_PAGE == page; i += 64) {
                if (keeli_is_in_block(t, i)) {
                    keeli_component_lists_add(lists, i, (uint16_t)n);
                }
            }
        }
    }
}

// True if the edges are the same as those of a relation of the other world.
static KEELI_UNUSED bool edges_are_alike(const keeli_edges *edges, const keeli_relation *other) {
    const bool is_plain = keeli_edges_have_values(edges) && !has_hooked_edges(other->sources);
    return keeli_edges_are_same(edges, &other->edges, is_plain);
}

void keeli_image_commit(keeli_image *image, keeli_reader_map *keeps, void *data) {
    keel_world *to = image->to;
    const keel_world *from = image->from;
    const uint32_t before = keeli_refuse_begin(to, KEELI_REFUSED_HOOK);
    for (uint32_t i = 0; i < to->storages.count; ++i) {
        keeli_storage *t = to->storages.items[i];
        if (keeli_image_leaves(t))
            drop_dead(image, t);
        else if (!image->staged.items[i].keeps_values)
            drop_values(t);
    }

    copy_plain(image);
    to->changes.tick = from->changes.tick;
    to->changes.tick_base = from->changes.tick_base;
    to->commands.dropped = from->commands.dropped;

    for (uint32_t i = 0; i < to->storages.count; ++i) {
        keeli_storage *t = to->storages.items[i];
        if (keeli_image_leaves(t)) {
            update_transient(image, t);
            continue;
        }

        const keeli_storage *s = keeli_image_source(image, t);
        keeli_staged *g = &image->staged.items[i];
        assign_storage(image, g, t);
        if (keeli_image_is_take(image))
            t->tracking.kinds_then = s->tracking.kinds;
        else
            track_anew(to, t, s);
        if (t->tracking.kinds != g->kinds_before)
            keeli_followers_update(t);
        place_staged(to, g, t, keeps, data);
        KEELI_CHECK_STRUCTURE(!image->checks || !t->relation ||
                              edges_are_alike(&t->relation->edges, s->relation));
    }

    if (!image->same_numbers)
        relist(to);
    enter_names(to, from);
    if (to->journal)
        keeli_blocks_declare(image);

    for (uint32_t i = 0; i < to->storages.count; ++i)
        free_staged(&to->heap, &image->staged.items[i], to->storages.items[i]);
    KEELI_RELEASE(&to->heap, &image->staged);

    renew_caches(to);
    keeli_refuse_end(to, before);
}
