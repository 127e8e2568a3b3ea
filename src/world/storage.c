// SPDX-License-Identifier: MIT
// Values in storages of every kind: rows of archetypes, and what goes over whole storages.
#include "storage.h"

#include "base/assert.h"
#include "follow/collect.h"
#include "follow/group.h"
#include "follow/observe.h"
#include "follow/observe_view.h"
#include "follow/track.h"

// ------------------------------------------------------------------ who has what
void keeli_store_list_block(keel_world *world, keeli_storage *s, uint32_t index) {
    if (keeli_store_block_is_disabled(s, index)) return;
    if (!(s->flags & KEELI_IS_SET)) keeli_component_lists_add(&world->lists, index, s->ordinal);
    if (s->kind == KEEL_INDEXED) keeli_indexed_set_block_began(&s->indexed, index);
}

void keeli_store_unlist_block(keel_world *world, keeli_storage *s, uint32_t index) {
    if (keeli_store_block_is_disabled(s, index)) return;
    if (!(s->flags & KEELI_IS_SET)) keeli_component_lists_remove(&world->lists, index, s->ordinal);
    if (s->kind == KEEL_INDEXED) keeli_indexed_set_block_ended(&s->indexed, &world->heap, index);
}

// ------------------------------------------------------------------ rows
keeli_archetype *keeli_archetype_of(const keel_world *world, uint32_t index) {
    const uint32_t place = *keeli_row_of(world, index);
    if (place >= KEELI_RETIRED) return world->archetypes.all[0]; // a promised handle, too
    return keeli_block_of(&world->archetypes, place)->archetype;
}

uint32_t keeli_row_begin(keel_world *world, keel_entity e, keeli_archetype *to) {
    uint32_t *where = keeli_row_of(world, keel_entity_index(e));
    const uint32_t old = *where;
    if (to->column_count == 0) *where = KEELI_NO_ROW;
    else if (old == KEELI_NO_ROW) *where = keeli_archetype_push(to, e);
    else *where = keeli_archetype_copy_row(&world->archetypes, old, to);
    return old;
}

void keeli_row_end(keel_world *world, uint32_t old) {
    if (old != KEELI_NO_ROW) keeli_archetype_take(&world->archetypes, &world->entities, old);
}

void keeli_row_move(keel_world *world, keel_entity e, keeli_archetype *to) {
    keeli_row_end(world, keeli_row_begin(world, e, to));
}

// ------------------------------------------------------------------ adding
bool keeli_store_reserve_slots(keel_world *world, keeli_storage *s, uint32_t extra,
                               keeli_room *room) {
    keeli_sparse_set *set = &s->set;
    if (set->room - set->count >= extra) return true;
    const bool has_values = set->value_pages && set->size;
    const uintptr_t first = has_values ? (uintptr_t)set->values[0] : 0;
    const size_t bytes = (size_t)set->first_values * set->size;
    if (!keeli_sparse_set_reserve(set, &world->heap, extra)) return false;
    if (!has_values || (uintptr_t)set->values[0] == first) return true;
    s->moved_from = first;
    s->moved_bytes = bytes;
    s->next_moved = room->moved;
    room->moved = s;
    return true;
}

const void *keeli_follow(const keeli_room *room, const void *value) {
    for (const keeli_storage *s = room->moved; value && s; s = s->next_moved) {
        const uintptr_t offset = (uintptr_t)value - s->moved_from;
        if (offset < s->moved_bytes) return (const char *)s->set.values[0] + offset;
    }
    return value;
}

// For all who follow the storage, one of whom it has.
static bool reserve_followers(keel_world *world, keeli_storage *s, uint32_t index,
                              const keeli_room *room) {
    if (s->flags & KEELI_IS_GROUPED && !keeli_groups_reserve(s, index, 1)) return false;
    if (s->flags & KEELI_IS_TRACKED && !keeli_track_reserve(world, s, index, 1)) return false;
    if (s->flags & (KEELI_IS_SOURCE | KEELI_IS_SET) &&
        !keeli_sets_reserve(world, s, index, 1, room->numbers))
        return false;
    return !(s->flags & KEELI_IS_IN_VIEW) || keeli_view_observers_reserve(world, s, index);
}

bool keeli_store_reserve(keel_world *world, keeli_storage *s, uint32_t index, keeli_room *room) {
    if (!keeli_store_reserve_bit(world, s, index, room)) return false;
    if (s->flags & (KEELI_IS_WATCHED | KEELI_IS_SET) && !reserve_followers(world, s, index, room))
        return false;
    if (s->kind == KEEL_SPARSE_SET)
        return keeli_sparse_set_reserve_cell(&s->set, &world->heap, index) &&
               keeli_store_reserve_slots(world, s, 1, room);
    if (s->kind == KEEL_INDEXED) return keeli_indexed_set_reserve(&s->indexed, &world->heap, index);
    if (!room->to) room->to = keeli_archetype_of(world, index);
    if (keeli_archetype_column(room->to, s->slot) != UINT32_MAX) return true; // named twice
    room->to = keeli_archetype_with(&world->archetypes, &world->heap, room->to, &s->row);
    return room->to != NULL;
}

bool keeli_store_reserve_row(keel_world *world, const keeli_room *room) {
    return !room->to || keeli_archetype_reserve(&world->archetypes, &world->heap, room->to, 1);
}

static void overwrite(keel_world *world, keeli_storage *s, uint32_t index, const void *value) {
    void *to = keeli_store_value(world, s, index);
    if (value != to) {
        keeli_value_drop(s, to);
        keeli_value_put(s, to, value);
    }
    if (!s->is_fresh) keeli_track_modified(world, s, index);
}

// Move the row to its new archetype and fill what is new there. The old row stays as it is until
// all values are read: they may lie in it.
static void commit_row(keel_world *world, keel_entity e, const keel_value *values,
                       const keeli_room *room) {
    const uint32_t index = keel_entity_index(e);
    const keeli_archetype *from = keeli_archetype_of(world, index);
    const uint32_t old = keeli_row_begin(world, e, room->to);
    for (const keel_value *v = values; v->component; ++v) {
        keeli_storage *s = keeli_storage_find(world, v->component);
        if (s->kind != KEEL_ARCHETYPE) continue;
        if (keeli_archetype_column(from, s->slot) != UINT32_MAX) continue; // overwritten before
        void *to = keeli_row_value(&s->row, *keeli_row_of(world, index));
        if (keeli_store_has(s, index)) keeli_value_drop(s, to); // named twice
        else keeli_store_set_bit(world, s, index);
        s->is_fresh = true;
        keeli_value_put(s, to, keeli_follow(room, v->value));
    }
    keeli_row_end(world, old);
}

// Tell who follows the component, once for each edit.
static void note(keel_world *world, keeli_storage *s, keel_entity e) {
    if (!s->is_noted) return;
    const bool is_fresh = s->is_fresh;
    s->is_noted = s->is_fresh = false;
    if (is_fresh) keeli_store_joined(world, s, keel_entity_index(e));
    else keeli_tell(world, s, e, KEEL_ON_MODIFIED);
}

void keeli_store_commit(keel_world *world, keel_entity e, const keel_value *values,
                        const keeli_room *room) {
    const uint32_t index = keel_entity_index(e);
    for (const keel_value *v = values; v->component; ++v) {
        keeli_storage *s = keeli_storage_find(world, v->component);
        const void *value = keeli_follow(room, v->value);
        s->is_noted = true;
        if (keeli_store_has(s, index)) {
            overwrite(world, s, index, value);
        } else if (s->kind != KEEL_ARCHETYPE) {
            s->is_fresh = true;
            keeli_value_put(s, keeli_store_push(world, s, e), value);
        }
    }
    if (room->to && room->to != keeli_archetype_of(world, index))
        commit_row(world, e, values, room);
    keeli_archetypes_settle(&world->archetypes, &world->heap);
    for (const keel_value *v = values; v->component; ++v) // now that all values are in place
        note(world, keeli_storage_find(world, v->component), e);
}

// ------------------------------------------------------------------ removing
static keeli_archetype *without(keel_world *world, keeli_storage *s, uint32_t index) {
    return keeli_archetype_without(&world->archetypes, &world->heap,
                                   keeli_archetype_of(world, index), &s->row);
}

bool keeli_store_reserve_take(keel_world *world, keeli_storage *s, uint32_t index) {
    if (s->kind != KEEL_ARCHETYPE) return true;
    keeli_archetype *to = without(world, s, index);
    if (!to) return false;
    return !to->column_count || keeli_archetype_reserve(&world->archetypes, &world->heap, to, 1);
}

void keeli_store_take(keel_world *world, keeli_storage *s, keel_entity e) {
    const uint32_t index = keel_entity_index(e);
    if (s->kind != KEEL_ARCHETYPE) {
        keeli_store_pop(world, s, index);
        return;
    }
    keeli_store_clear_bit(world, s, index);
    keeli_row_move(world, e, without(world, s, index)); // the edge is known since the reserve
}

keeli_storage *keeli_store_next_of(const keel_world *world, uint32_t index, uint32_t *at) {
    keeli_component_list *list = keeli_list_if_any(&world->lists, index);
    if (!list) return NULL;
    const uint16_t *numbers = keeli_list_numbers(list);
    if (*at > list->count) *at = list->count;
    while (*at) {
        keeli_storage *s = world->by_ordinal.items[numbers[--*at]];
        if (keeli_store_has(s, index) || keeli_store_is_disabled(s, index)) return s;
    }
    return NULL;
}

static void take_tracked(keel_world *world, keeli_storage *s, keel_entity e, bool drop) {
    const uint32_t index = keel_entity_index(e);
    if (drop) keeli_value_delete(world, s, index, keeli_store_value(world, s, index));
    else (void)keeli_track_gone(world, s, e, KEEL_TRACK_REMOVAL, NULL);
}

// Observers were told.
static void take_all(keel_world *world, keel_entity e, bool drop) {
    const uint32_t index = keel_entity_index(e);
    if (world->groups) keeli_groups_leave(world, e, !drop);
    uint32_t at = UINT32_MAX;
    for (keeli_storage *s; (s = keeli_store_next_of(world, index, &at)) != NULL;) {
        const bool seen = keeli_store_has(s, index);
        if (!seen) keeli_store_enable(s, index);
        if (seen && s->flags & KEELI_IS_TRACKED) take_tracked(world, s, e, drop);
        else if (drop && s->flags & KEELI_HAS_HOOKS)
            keeli_value_drop(s, keeli_store_value(world, s, index));
        if (s->kind == KEEL_ARCHETYPE) keeli_store_clear_bit(world, s, index);
        else keeli_store_pop(world, s, index);
    }
    if (*keeli_row_of(world, index) != KEELI_NO_ROW)
        keeli_row_move(world, e, world->archetypes.all[0]);
}

void keeli_store_take_all(keel_world *world, keel_entity e) { take_all(world, e, true); }
void keeli_store_leave_all(keel_world *world, keel_entity e) { take_all(world, e, false); }

// ------------------------------------------------------------------ whole storages
// What columns read.
static void connect_root(const keel_world *world, keeli_storage *s) {
    static uint32_t *const *const no_places = NULL;
    const struct keeli_entity_root *entities = &world->entities.root;
    struct keeli_set_root *root = s->kind == KEEL_SPARSE_SET ? &s->set.root
                                  : s->kind == KEEL_INDEXED  ? &s->indexed.root
                                                             : &s->row.root;
    s->root = root;
    root->bits = &s->presence.root;
    root->entities = entities;
    root->places = s->kind == KEEL_SPARSE_SET  ? &root->sparse
                   : s->kind == KEEL_ARCHETYPE ? &entities->where
                                               : &no_places;
}

void keeli_store_init(const keel_world *world, keeli_storage *s) {
    const keel_component *c = &s->component;
    s->kind = c->storage;
    s->size = c->size;
    if (c->is_unique) s->flags |= KEELI_IS_UNIQUE;
    keeli_sparse_set_init(&s->set, c);
    keeli_indexed_set_init(&s->indexed, c->size, c->align);
    s->row = (keeli_row_component){ .number = s->slot, .size = c->size, .align = c->align };
    s->row.root = (struct keeli_set_root){ .kind = KEEL_ARCHETYPE,
                                           .shift = KEELI_ROW_SHIFT,
                                           .mask = KEELI_ROW_MASK };
    connect_root(world, s);
    s->goes_with_bit = s->kind == KEEL_ARCHETYPE ||
                       (s->kind == KEEL_INDEXED && keeli_indexed_set_has_whole_blocks(&s->indexed));
    keeli_store_update_hooks(s);
}

void keeli_store_update_hooks(keeli_storage *s) {
    const keel_component *c = &s->component;
    if (c->drop || c->move) s->flags |= KEELI_HAS_HOOKS;
    else s->flags &= ~(uint32_t)KEELI_HAS_HOOKS;
    s->set.drop = s->row.drop = c->drop ? keeli_guarded_drop : NULL;
    s->set.move = s->row.move = c->move ? keeli_guarded_move : NULL;
    s->set.hook_data = s->row.hook_data = s;
    if (s->events) {
        s->events->drop = s->set.drop;
        s->events->move = s->set.move;
        s->events->hook_data = s;
    }
    keeli_tracking_update_hooks(s);
}

bool keeli_store_reserve_clear(keel_world *world, keeli_storage *s) {
    if (s->kind != KEEL_ARCHETYPE) return true;
    keeli_archetypes *a = &world->archetypes;
    for (uint32_t i = 0, count = a->count; i < count; ++i) {
        keeli_archetype *from = a->all[i];
        if (!from->row_count || keeli_archetype_column(from, s->slot) == UINT32_MAX) continue;
        keeli_archetype *to = keeli_archetype_without(a, &world->heap, from, &s->row);
        if (!to) return false;
        if (to->column_count && !keeli_archetype_reserve(a, &world->heap, to, from->row_count))
            return false;
    }
    return true;
}

static void clear_rows(keel_world *world, keeli_storage *s) {
    const keeli_archetypes *a = &world->archetypes;
    for (uint32_t i = 0; i < a->count; ++i) {
        keeli_archetype *from = a->all[i];
        if (!from->row_count || keeli_archetype_column(from, s->slot) == UINT32_MAX) continue;
        while (from->row_count) { // the last row each time, so that nothing moves into its place
            uint32_t b = from->block_count - 1;
            while (from->blocks[b]->count == 0)
                --b;
            const keeli_block *block = from->blocks[b];
            const keel_entity e = block->entities[block->count - 1];
            const uint32_t index = keel_entity_index(e);
            keeli_value_delete(world, s, index, keeli_store_value(world, s, index));
            keeli_store_take(world, s, e);
        }
    }
}

// No entity has the component any more; its values are gone.
static void forget_all(keel_world *world, keeli_storage *s) {
    const bool stays = s->flags & KEELI_IS_SET; // named by lists wherever it has room
    for (uint32_t i = 0; !stays && (i = keeli_store_next(s, i)) != UINT32_MAX;
         i = (i / 64 + 1) * 64)
        keeli_component_lists_remove(&world->lists, i, s->ordinal); // once per block
    keeli_presence_reset(&s->presence);
}

static void drop_all_disabled(keel_world *world, keeli_storage *s) {
    for (uint32_t i = 0; (i = keeli_presence_next(&s->disabled, i)) != UINT32_MAX; ++i)
        keeli_store_drop_disabled(world, s, i);
}

static void drop_indexed(keeli_storage *s) {
    if (!s->component.drop) return;
    for (uint32_t i = 0; (i = keeli_store_next(s, i)) != UINT32_MAX; ++i)
        keeli_value_drop(s, keeli_store_at(s, s->size ? i : 0));
}

static void clear(keel_world *world, keeli_storage *s) {
    if (s->kind == KEEL_ARCHETYPE) {
        clear_rows(world, s);
        return;
    }
    drop_all_disabled(world, s);
    if (s->kind == KEEL_INDEXED) {
        drop_indexed(s);
        keeli_indexed_set_clear(&s->indexed, &world->heap);
    }
    if (s->kind == KEEL_SPARSE_SET) keeli_sparse_set_clear(&s->set);
    forget_all(world, s);
}

void keeli_store_clear(keel_world *world, keeli_storage *s) {
    if (s->flags & KEELI_IS_WATCHED) keeli_store_clear_watched(world, s);
    if (s->flags & KEELI_IS_GROUPED) keeli_groups_clear(s);
    clear(world, s);
}

// Somebody wants to know of each value that goes.
static bool is_watched(const keel_world *world) {
    uint32_t flags = 0;
    for (uint32_t i = 0; i < world->order.count; ++i)
        flags |= world->order.items[i]->flags;
    return world->observed || flags & KEELI_IS_TRACKED;
}

// Observers are told of all before the first one goes.
static void take_all_watched(keel_world *world) {
    keel_entity e = keel_null();
    while (world->observed && !keel_is_null(e = keel_next_entity(world, e)))
        keeli_notify_all_of(world, e, KEEL_ON_DELETED, true);
    e = keel_null();
    while (!keel_is_null(e = keel_next_entity(world, e)))
        keeli_store_take_all(world, e);
}

void keeli_store_clear_all(keel_world *world) {
    ++world->links.edits;
    if (is_watched(world)) take_all_watched(world);
    keeli_store_drop_all(world);
}

void keeli_store_drop_all(keel_world *world) {
    keeli_archetypes *a = &world->archetypes;
    keeli_groups_clear_all(world);
    for (uint32_t i = 0; i < a->count; ++i)
        keeli_archetype_clear(&world->entities, a->all[i]);
    for (uint32_t i = 0; i < world->order.count; ++i) {
        keeli_storage *s = world->order.items[i];
        if (s->kind == KEEL_ARCHETYPE) forget_all(world, s);
        else clear(world, s);
    }
}

void keeli_store_trim(keel_world *world, keeli_storage *s) {
    if (s->flags & KEELI_IS_SET) return; // its room is promised
    if (!s->disabled.count) keeli_presence_trim(&s->presence, &world->heap);
    keeli_presence_trim(&s->disabled, &world->heap);
    keeli_sparse_set_trim(&s->set, &world->heap);
    keeli_tracking_trim(world, s);
    if (s->kind == KEEL_INDEXED && s->size) keeli_indexed_set_trim(&s->indexed, &world->heap);
}

void keeli_store_deinit(keel_world *world, keeli_storage *s) {
    drop_all_disabled(world, s);
    if (s->kind == KEEL_INDEXED) drop_indexed(s);
    keeli_sparse_set_deinit(&s->set, &world->heap);
    if (s->size) keeli_indexed_set_deinit(&s->indexed, &world->heap);
    keeli_tracking_deinit(world, s);
    keeli_free(&world->heap, s->row.bases, s->row.base_capacity * sizeof(void *), sizeof(void *));
    KEELI_RELEASE(&world->heap, &s->feeds);
    KEELI_RELEASE(&world->heap, &s->sources);
    KEELI_RELEASE(&world->heap, &s->viewers);
    keeli_presence_deinit(&s->presence, &world->heap);
    keeli_presence_deinit(&s->disabled, &world->heap);
}

size_t keeli_store_bytes(const keeli_storage *s) {
    return s->presence.bytes + s->disabled.bytes + s->set.bytes + s->indexed.bytes +
           s->row.base_capacity * sizeof(void *) + keeli_tracking_bytes(s);
}

// What the presence bitmaps say, against the pages of values and the lists of the blocks.
static uint32_t count_blocks(const keeli_storage *s) {
    uint32_t count = 0;
    const keeli_presence *p = &s->presence, *d = &s->disabled;
    for (uint32_t i = 0; (i = keeli_presence_next(p, i)) != UINT32_MAX; i = (i / 64 + 1) * 64)
        ++count;
    for (uint32_t i = 0; (i = keeli_presence_next(d, i)) != UINT32_MAX; i = (i / 64 + 1) * 64)
        count += !keeli_presence_word(p, i / 64);
    return count;
}
static bool indexed_is_valid(const keeli_storage *s) {
    uint32_t counted = 0;
    if (!keeli_indexed_set_is_valid(&s->indexed)) return false;
    if (!s->size) return true;
    for (uint32_t page = 0; page < s->indexed.page_count; ++page)
        counted += s->indexed.page_counts[page];
    return counted == (keeli_indexed_set_has_whole_blocks(&s->indexed)
                           ? count_blocks(s)
                           : s->presence.count + s->disabled.count);
}
static bool lists_are_valid(const keel_world *world, const keeli_storage *s,
                            const keeli_presence *p) {
    for (uint32_t i = 0; (i = keeli_presence_next(p, i)) != UINT32_MAX; i = (i / 64 + 1) * 64)
        if (!keeli_component_lists_has(&world->lists, i, s->ordinal)) return false;
    return true;
}
static bool disabled_is_valid(const keeli_storage *s) {
    if (!keeli_presence_is_valid(&s->disabled)) return false;
    if ((s->disabled.count != 0) != ((s->flags & KEELI_HAS_DISABLED) != 0)) return false;
    for (uint32_t i = 0; (i = keeli_presence_next(&s->disabled, i)) != UINT32_MAX; ++i)
        if (keeli_store_has(s, i)) return false;
    return true;
}

bool keeli_store_is_valid(const keel_world *world, const keeli_storage *s) {
    if (!keeli_presence_is_valid(&s->presence) || !disabled_is_valid(s)) return false;
    if (!lists_are_valid(world, s, &s->presence) || !lists_are_valid(world, s, &s->disabled))
        return false;
    if (!keeli_groups_of_are_valid(s) || !keeli_tracking_is_valid(s)) return false;
    if (s->kind == KEEL_INDEXED && !indexed_is_valid(s)) return false;
    if (s->kind == KEEL_SPARSE_SET &&
        (!keeli_sparse_set_is_valid(&s->set) || s->set.count != s->presence.count))
        return false;
    for (uint32_t i = 0; (i = keeli_presence_next(&s->presence, i)) != UINT32_MAX; ++i)
        if (keeli_store_place(world, s, i) == UINT32_MAX) return false;
    return true;
}

// ------------------------------------------------------------------ validation in test builds
// A walk costs as much as the storage is large, so large ones are walked once per as many edits.
#if defined(KEELI_VALIDATE) && KEELI_VALIDATE
static bool is_turn(uint32_t count) {
    static uint32_t edits;
    const uint32_t now = __atomic_add_fetch(&edits, 1, __ATOMIC_RELAXED);
    return count < 256 || now % count == 0;
}
void keeli_validate_storage(keel_world *world, const keeli_storage *storage) {
    if (is_turn(keeli_store_count(storage) + storage->indexed.page_count))
        KEELI_CHECK_STRUCTURE(keeli_store_is_valid(world, storage));
}
void keeli_validate_entities(keel_world *world) {
    if (is_turn(world->entities.size)) {
        KEELI_CHECK_STRUCTURE(keeli_entity_index_is_valid(&world->entities));
        KEELI_CHECK_STRUCTURE(keeli_archetypes_are_valid(&world->archetypes, &world->entities));
    }
}
#endif
