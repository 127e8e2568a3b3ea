// SPDX-License-Identifier: MIT
#include "edit/quick.h"

#include "edit/edit.h"
#include "edit/group.h"
#include "edit/observe.h"
#include "edit/track.h"

enum { values_at_most = 8 };

// Groups that only order what they own need no room, tracking that has room neither, and nobody may
// be looking at what moves.
static bool is_quickly_watched(const keel_world *world, const keeli_storage *s, uint32_t index,
                               uint32_t allowed) {
    if (s->flags & ~allowed || world->holders || world->share_depth || s->borrow) return false;
    if (s->flags & KEELI_IS_TRACKED && !keeli_track_has_room(s, index)) return false;
    for (uint32_t i = 0; i < s->groups.count; ++i) {
        const keel_group *g = s->groups.items[i].group;
        if (!g->owned_count || g->order.flags) return false;
    }
    return s->kind != KEEL_ARCHETYPE;
}

// One flags word says whether an edit of this storage is more than its bytes.
// Nearly: `allowed` are flags with which it is still a quick one.
static inline bool is_plain(const keel_world *world, const keeli_storage *s, uint32_t index,
                            uint32_t allowed) {
    if (!s) return false;
    if (s->flags | (uint32_t)s->borrow | world->share_depth)
        return is_quickly_watched(world, s, index, allowed);
    const keeli_storage *rows = &world->row_storage;
    return s->kind != KEEL_ARCHETYPE || !((uint32_t)rows->borrow | rows->flags);
}

static inline bool has_slot_room(const keeli_storage *s, uint32_t index) {
    const uint32_t page = index / KEELI_SPARSE_PAGE;
    return s->set.count < s->set.room && page < s->set.root.page_count &&
           s->set.sparse[page] != keeli_no_cells;
}

static inline bool has_page(const keeli_storage *s, uint32_t index) {
    const uint32_t page = index >> s->indexed.root.shift;
    return !s->size || (page < s->indexed.page_count && s->indexed.pages[page]);
}

// Where the entity's row is after it got one component more, if that way was gone before and there
// is room.
static inline keeli_archetype *next_archetype(const keeli_archetype *from, const keeli_storage *s) {
    const keeli_edge *edge = keeli_archetype_edge(from, s->slot);
    return edge ? edge->with : NULL;
}

static inline bool has_value_room(const keeli_storage *s, uint32_t index, keeli_archetype **to) {
    if (s->kind == KEEL_SPARSE_SET) return has_slot_room(s, index);
    if (s->kind == KEEL_INDEXED) return has_page(s, index);
    *to = next_archetype(*to, s);
    return *to != NULL;
}

// ------------------------------------------------------------------ adding
// Is the entity's bit clear, and can it be set now? `*numbers` is how many numbers this edit adds
// to the list of the block.
static inline bool has_bit_room(const keel_world *world, const keeli_storage *s, uint32_t index,
                                uint32_t *numbers) {
    const uint32_t page = index / 4096;
    if (page >= s->presence.root.page_count) return false;
    const uint64_t *words = s->presence.pages[page], word = words[index / 64 % KEELI_PAGE_WORDS];
    if (word) return !(word >> (index % 64) & 1); // there: it would be overwritten
    return words != keeli_no_bits &&
           keeli_component_lists_has_room(&world->lists, index, ++*numbers);
}

// Add to a sparse set or indexed storage that is plain.
static inline void *add_one(keel_world *world, keeli_storage *s, keel_entity e, const void *value) {
    const uint32_t index = keel_entity_index(e);
    uint32_t numbers = 0;
    const bool has_room = s->kind == KEEL_SPARSE_SET ? has_slot_room(s, index) : has_page(s, index);
    if (!has_room || !has_bit_room(world, s, index, &numbers)) return NULL;
    void *to = keeli_store_push(world, s, e);
    keeli_bytes_put(to, value, s->size);
    return to;
}

char keeli_taken_again[1];

// Where the value is when everybody was told of it: somebody may have taken it away again.
static void *value_now(const keel_world *world, const keeli_storage *s, keel_entity e) {
    const uint32_t index = keel_entity_index(e);
    const bool there = keeli_entity_is_alive(&world->entities, e) && keeli_store_has(s, index);
    return there ? keeli_store_value(world, s, index) : keeli_taken_again;
}

void *keeli_quick_add(keel_world *world, keel_entity e, const keel_component *component,
                      const void *value) {
    keeli_storage *s = keeli_storage_known(world, component);
    const uint32_t index = keel_entity_index(e);
    if (!is_plain(world, s, index, KEELI_IS_WATCHED)) return NULL;
    if (s->kind == KEEL_ARCHETYPE) {
        const keel_value values[] = { { component, value }, { NULL, NULL } };
        return keeli_quick_add_values(world, e, values) ? value_now(world, s, e) : NULL;
    }
    void *to = add_one(world, s, e, value);
    if (to && s->flags) {
        keeli_store_joined_slowly(world, s, index);
        (void)keeli_done(world, KEEL_OK);
        to = value_now(world, s, e); // groups move it
    }
    if (to) keeli_validate_storage(world, s);
    return to;
}

bool keeli_quick_add_link(keel_world *world, keeli_storage *links, keel_entity e,
                          const void *value) {
    return links->flags == KEELI_IS_LINK && add_one(world, links, e, value) != NULL;
}

// Look whether all values can be added at once; how many, or -1. `*to`: where the row will be.
static inline int32_t resolve(const keel_world *world, uint32_t index, const keel_value *values,
                              keeli_storage **list, keeli_archetype **to, uint32_t *flags) {
    const keeli_archetype *from = *to;
    uint32_t numbers = 0, count = 0;
    for (; values[count].component; ++count) {
        if (count == values_at_most) return -1;
        keeli_storage *s = keeli_storage_known(world, values[count].component);
        if (!is_plain(world, s, index, KEELI_IS_WATCHED) || !has_value_room(s, index, to))
            return -1;
        *flags |= s->flags;
        if (!has_bit_room(world, s, index, &numbers)) return -1;
        list[count] = s;
        for (uint32_t k = 0; k < count; ++k)
            if (list[k] == s) return -1; // named twice
    }
    return *to == from || keeli_archetype_has_room(*to) ? (int32_t)count : -1;
}

static inline void commit(keel_world *world, keel_entity e, const keel_value *values,
                          keeli_storage *const *list, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
        keeli_storage *s = list[i];
        keeli_bytes_put(keeli_store_open(world, s, e), values[i].value, s->size);
    }
}

// Now that all values are in place.
static inline void tell(keel_world *world, keel_entity e, keeli_storage *const *list, int32_t count,
                        uint32_t flags) {
    for (int32_t i = 0; flags && i < count; ++i)
        keeli_store_joined(world, list[i], keel_entity_index(e));
    for (int32_t i = 0; i < count; ++i)
        keeli_validate_storage(world, list[i]);
    if (flags) (void)keeli_done(world, KEEL_OK);
}

bool keeli_quick_add_values(keel_world *world, keel_entity e, const keel_value *values) {
    keeli_storage *list[values_at_most];
    keeli_archetype *from = keeli_archetype_of(world, keel_entity_index(e)), *to = from;
    uint32_t flags = 0;
    const int32_t count = resolve(world, keel_entity_index(e), values, list, &to, &flags);
    if (count < 0) return false;
    const uint32_t old = to == from ? KEELI_NO_ROW : keeli_row_begin(world, e, to);
    commit(world, e, values, list, count);
    keeli_row_end(world, old); // not before: values may lie in it
    tell(world, e, list, count, flags);
    return true;
}

static __attribute__((noinline)) keel_entity add_entity_with(keel_world *world,
                                                             const keel_value *values) {
    const keel_entity e = keeli_entity_index_peek(&world->entities);
    keeli_storage *list[values_at_most];
    keeli_archetype *none = world->archetypes.all[0], *to = none;
    uint32_t flags = 0;
    const int32_t count = resolve(world, keel_entity_index(e), values, list, &to, &flags);
    if (count < 0) return keel_null();
    keeli_entity_index_take(&world->entities, e);
    if (to != none) *keeli_row_of(world, keel_entity_index(e)) = keeli_archetype_push(to, e);
    commit(world, e, values, list, count);
    tell(world, e, list, count, flags);
    return e;
}

keel_entity keeli_quick_add_entity(keel_world *world, const keel_value *values) {
    keeli_entity_index *ix = &world->entities;
    if (!keeli_entity_index_is_ready(ix) || world->share_depth ||
        (uint32_t)world->entity_storage.borrow | world->entity_storage.flags)
        return keel_null();
    if (values && values->component) return add_entity_with(world, values);
    const keel_entity e = keeli_entity_index_peek(ix);
    keeli_entity_index_take(ix, e);
    return e;
}

// ------------------------------------------------------------------ removing
// Take a value that was moved out or dropped; false when its row cannot move without memory.
static inline bool has_way_back(const keel_world *world, const keeli_storage *s, uint32_t index,
                                keeli_archetype **to) {
    if (s->kind != KEEL_ARCHETYPE) return true;
    const keeli_archetype *from =
        keeli_block_of(&world->archetypes, *keeli_row_of(world, index))->archetype;
    const keeli_edge *edge = keeli_archetype_edge(from, s->slot);
    *to = edge ? edge->without : NULL;
    return *to && (!(*to)->column_count || keeli_archetype_has_room(*to));
}

bool keeli_quick_remove(keel_world *world, keel_entity e, const keel_component *component,
                        void *out, keel_result *result) {
    keeli_storage *s = keeli_storage_known(world, component);
    const uint32_t index = keel_entity_index(e), page = index / 4096;
    if (!is_plain(world, s, index, KEELI_IS_GROUPED)) return false;
    keeli_archetype *to = NULL;
    *result = KEEL_ABSENT;
    if (!keeli_store_has(s, index)) return true;
    *result = KEEL_OK;
    keeli_store_leaving(world, s, index, KEEL_TRACK_REMOVAL);
    if (s->kind == KEEL_SPARSE_SET) {
        const uint32_t slot = s->set.sparse[page][index % KEELI_SPARSE_PAGE];
        if (out) keeli_bytes_put(out, keeli_sparse_set_value(&s->set, slot), s->size);
        keeli_store_clear_bit(world, s, index);
        keeli_sparse_set_take_plain(&s->set, slot);
    } else if (s->kind == KEEL_INDEXED) {
        if (out) keeli_bytes_put(out, keeli_store_at(s, s->size ? index : 0), s->size);
        keeli_store_clear_bit(world, s, index);
        keeli_indexed_set_remove(&s->indexed, &world->heap, index);
    } else {
        if (!has_way_back(world, s, index, &to)) return false;
        if (out) keeli_bytes_put(out, keeli_store_value(world, s, index), s->size);
        keeli_store_clear_bit(world, s, index);
        keeli_row_move(world, e, to);
    }
    keeli_validate_storage(world, s);
    return true;
}

// Take away what the listed components of its block have of the entity. False when one of them is
// not plain.
static inline bool take_all(keel_world *world, keel_entity e, uint32_t allowed) {
    const uint32_t index = keel_entity_index(e);
    const uint32_t page = index / 4096, at = index / 64 % KEELI_PAGE_WORDS;
    if (page >= world->lists.capacity || !world->lists.pages[page]) return true;
    keeli_component_list *list = keeli_list_of(&world->lists, index);
    const uint16_t *numbers = keeli_list_numbers(list);
    keeli_storage *const *storages = world->by_ordinal.items;
    uint32_t flags = 0;
    for (uint32_t i = 0; i < list->count; ++i)
        flags |= storages[numbers[i]]->flags;
    if (flags & ~(allowed | KEELI_IS_GROUPED)) return false;
    if (flags & KEELI_IS_GROUPED) keeli_groups_leave(world, e, false);
    for (uint32_t i = list->count; i--;) { // downwards: when a number goes the last takes its place
        keeli_storage *s = storages[numbers[i]];
        if (!(s->presence.pages[page][at] >> (index % 64) & 1)) continue;
        keeli_store_clear_bit(world, s, index);
        if (s->kind == KEEL_SPARSE_SET)
            keeli_sparse_set_take_plain(&s->set, s->set.sparse[page][index % KEELI_SPARSE_PAGE]);
        else if (s->kind == KEEL_INDEXED)
            keeli_indexed_set_remove(&s->indexed, &world->heap, index);
    }
    return true;
}

bool keeli_quick_delete_entity(keel_world *world, keel_entity e, uint32_t allowed) {
    const uint32_t index = keel_entity_index(e);
    if (world->holders || world->share_depth || world->entity_storage.flags) return false;
    if (!take_all(world, e, allowed)) return false;
    const uint32_t place = *keeli_row_of(world, index);
    if (place != KEELI_NO_ROW) keeli_archetype_take(&world->archetypes, &world->entities, place);
    keeli_entity_index_delete(&world->entities, e);
    keeli_validate_entities(world);
    return true;
}
