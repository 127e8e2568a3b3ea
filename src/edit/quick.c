// SPDX-License-Identifier: MIT
#include "edit/quick.h"

#include "edit/edit.h"
#include "edit/group.h"
#include "edit/observe.h"
#include "edit/report.h"
#include "edit/track.h"

enum { values_at_most = 8 };

// One flags word says whether an edit of this storage is more than its bytes; and nobody uses it.
static inline bool is_plain(const keel_world *world, const keeli_storage *s) {
    return !(s->flags | (uint32_t)keeli_atomic_peek(&s->borrow) | world->share_depth);
}

// Groups that only order what they own need no room, and nobody may be looking at what moves.
static __attribute__((noinline)) bool is_quickly_grouped(const keel_world *world,
                                                         const keeli_storage *s) {
    if (s->flags != KEELI_IS_GROUPED || world->share_depth || world->holders) return false;
    for (uint32_t i = 0; i < s->groups.count; ++i) {
        const keel_group *g = s->groups.items[i].group;
        if (!g->owned_count || g->order.flags) return false;
    }
    return s->kind != KEEL_ARCHETYPE;
}

// An edit of one component kept in archetypes moves the rows of all.
static inline bool rows_are_free(const keel_world *world) {
    const keeli_storage *rows = &world->row_storage;
    return !((uint32_t)keeli_atomic_peek(&rows->borrow) | rows->flags);
}

// The same for archetypes, whose edits move the rows of all, and for what groups follow.
static inline bool is_editable(const keel_world *world, const keeli_storage *s) {
    if (!is_plain(world, s)) return is_quickly_grouped(world, s);
    return s->kind != KEEL_ARCHETYPE || rows_are_free(world);
}

// Tracking notes its edits and observers are told: a few steps more. Nobody uses it.
static inline bool is_followed(const keel_world *world, const keeli_storage *s) {
    const uint32_t follow = KEELI_IS_TRACKED | KEELI_IS_MARKED | KEELI_IS_OBSERVED;
    return s->flags && !(s->flags & ~follow) &&
           !((uint32_t)keeli_atomic_peek(&s->borrow) | world->share_depth);
}
// May such a storage get a value at this index?
static inline bool has_follow_room(const keel_world *world, const keeli_storage *s,
                                   uint32_t index) {
    return (s->kind != KEEL_ARCHETYPE || rows_are_free(world)) &&
           (!(s->flags & KEELI_IS_TRACKED) || keeli_track_has_room(s, index));
}

// The presence bits of the index's block when any is set, else NULL. The summary and the block's
// list are then as they should be, and pages of values and cells are there.
static inline uint64_t *live_word(const keeli_storage *s, uint32_t index) {
    const uint32_t page = index / 4096;
    if (page >= s->presence.root.page_count) return NULL;
    uint64_t *word = &s->presence.pages[page][index / 64 % KEELI_PAGE_WORDS];
    return *word ? word : NULL;
}
static inline uint64_t bit_of(uint32_t index) { return (uint64_t)1 << (index % 64); }

// A component that an entity gets.
typedef struct part {
    keeli_storage *s;
    uint64_t *word; // see word_to_set
} part;

// ------------------------------------------------------------------ room
static inline bool has_slot_room(const keeli_storage *s, uint32_t index) {
    const uint32_t page = index / KEELI_SPARSE_PAGE;
    return s->set.count < s->set.room && page < s->set.root.page_count &&
           s->set.sparse[page] != keeli_no_cells;
}

static inline bool has_page(const keeli_storage *s, uint32_t index) {
    const uint32_t page = index >> s->indexed.root.shift;
    return !s->size || (page < s->indexed.page_count && s->indexed.pages[page]);
}

// Where the entity's row is after it got one component more, if that way was gone before.
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

// Is the entity's bit clear, and can it be set now? `*numbers` is how many numbers this edit adds
// to the list of the block.
static inline bool has_bit_room(const keel_world *world, const keeli_storage *s, uint32_t index,
                                uint32_t *numbers) {
    const uint64_t *live = live_word(s, index);
    if (live) return !(*live & bit_of(index)); // there: it would be overwritten
    const uint32_t page = index / 4096;
    return page < s->presence.root.page_count && s->presence.pages[page] != keeli_no_bits &&
           keeli_component_lists_has_room(&world->lists, index, ++*numbers);
}

// May the entity get the component, and is there room? `*to`: where its row will be.
static inline bool has_room(const keel_world *world, const keeli_storage *s, uint32_t index,
                            uint32_t *numbers, keeli_archetype **to) {
    const bool may_edit =
        is_editable(world, s) || (is_followed(world, s) && has_follow_room(world, s, index));
    return may_edit && has_value_room(s, index, to) && has_bit_room(world, s, index, numbers);
}

// ------------------------------------------------------------------ adding one
// The word in which the entity gets its bit next to others of its block of 64: neither the summary
// nor the list changes, and all pages are there. NULL when that is not so, or it has the component.
// `to`: where its row will be; NULL: it has none that could move.
static inline uint64_t *word_to_set(const keel_world *world, const keeli_storage *s, uint32_t index,
                                    keeli_archetype **to) {
    uint64_t *word = live_word(s, index);
    if (!word || *word & bit_of(index)) return NULL;
    bool has_place;
    if (s->kind == KEEL_INDEXED) has_place = keeli_indexed_set_has_whole_blocks(&s->indexed);
    else if (s->kind == KEEL_SPARSE_SET) has_place = s->set.count < s->set.room;
    else has_place = to && rows_are_free(world) && (*to = next_archetype(*to, s)) != NULL;
    return has_place ? word : NULL;
}
// The same, unless an edit of the storage is more than that.
static inline uint64_t *plain_word_to_set(const keel_world *world, const keeli_storage *s,
                                          uint32_t index, keeli_archetype **to) {
    return is_plain(world, s) ? word_to_set(world, s, index, to) : NULL;
}
// After that: where its value belongs, not initialised.
static inline void *set_word(const keel_world *world, keeli_storage *s, uint64_t *word,
                             keel_entity e) {
    const uint32_t index = keel_entity_index(e);
    *word |= bit_of(index);
    ++s->presence.count;
    if (s->kind == KEEL_INDEXED) return keeli_indexed_set_add_beside(&s->indexed, index);
    if (s->kind == KEEL_SPARSE_SET)
        return keeli_sparse_set_value(&s->set, keeli_sparse_set_push(&s->set, e));
    return keeli_row_value(&s->row, *keeli_row_of(world, index));
}

// Add to a sparse set or indexed storage that is plain.
static void *add_one(keel_world *world, keeli_storage *s, keel_entity e, const void *value) {
    const uint32_t index = keel_entity_index(e);
    uint32_t numbers = 0;
    const bool room = s->kind == KEEL_SPARSE_SET ? has_slot_room(s, index) : has_page(s, index);
    if (!room || !has_bit_room(world, s, index, &numbers)) return NULL;
    void *to = keeli_store_push(world, s, e);
    keeli_bytes_put(to, value, s->size);
    return to;
}

// Add to archetypes: the row moves along an edge that was gone before.
static inline __attribute__((always_inline)) void *add_row_part(keel_world *world, keeli_storage *s,
                                                                keel_entity e, const void *value) {
    const uint32_t index = keel_entity_index(e);
    uint32_t numbers = 0;
    keeli_archetype *to = next_archetype(keeli_archetype_of(world, index), s);
    if (!to || !keeli_archetype_has_room(to) || !has_bit_room(world, s, index, &numbers))
        return NULL;
    const uint32_t old = keeli_row_begin(world, e, to);
    keeli_store_set_bit(world, s, index);
    void *place = keeli_row_value(&s->row, *keeli_row_of(world, index));
    keeli_bytes_put(place, value, s->size);
    keeli_row_end(world, old); // last: the value may lie in it
    return place;
}

void *keeli_quick_add(keel_world *world, keel_entity e, const keel_component *component,
                      const void *value) {
    keeli_storage *s = keeli_storage_known(world, component);
    if (!s || !is_editable(world, s)) return NULL;
    const uint32_t index = keel_entity_index(e);
    void *to =
        s->kind == KEEL_ARCHETYPE ? add_row_part(world, s, e, value) : add_one(world, s, e, value);
    if (to && s->flags) {
        keeli_store_joined(world, s, index);
        to = keeli_store_value(world, s, index); // groups move it
    }
    if (to) keeli_validate_storage(world, s);
    return to;
}

// In the order of the parameters of the quick way, which ends with a jump here.
static __attribute__((noinline)) keel_result
add_slowly(keel_world *world, keel_entity e, const keel_component *component, const void *value) {
    if (keeli_quick_add(world, e, component, value)) return KEEL_OK;
    return keeli_edit_add_unchecked(world, NULL, e, component, value);
}

// Overwrite plain bytes of what is followed.
static __attribute__((noinline)) keel_result overwrite(keel_world *world, keeli_storage *s,
                                                       keel_entity e, const void *value) {
    void *to = keeli_store_value(world, s, keel_entity_index(e));
    if (value != to) keeli_bytes_put(to, value, s->size);
    keeli_track_modified(world, s, keel_entity_index(e));
    if (!(s->flags & KEELI_IS_OBSERVED)) return KEEL_OK;
    return keeli_notify_done(world, s, e, KEEL_ON_MODIFIED, to);
}

// It was added to what is tracked, and its value is there.
static __attribute__((noinline)) keel_result tell_tracked(keel_world *world, keeli_storage *s,
                                                          keel_entity e, const void *value) {
    keeli_track_inserted_freely(world, s, keel_entity_index(e));
    keeli_validate_storage(world, s);
    if (!(s->flags & KEELI_IS_OBSERVED)) return KEEL_OK;
    return keeli_notify_done(world, s, e, KEEL_ON_INSERTED, value);
}

static inline keel_result tell_added(keel_world *world, keeli_storage *s, keel_entity e,
                                     const void *value) {
    if (s->flags & KEELI_IS_TRACKED) return tell_tracked(world, s, e, value);
    keeli_validate_storage(world, s);
    return keeli_notify_done(world, s, e, KEEL_ON_INSERTED, value);
}

// To what the entity has already, to a block of 64 without others, or into a row.
static __attribute__((noinline)) keel_result add_followed_slowly(keel_world *world, keel_entity e,
                                                                 const keel_component *component,
                                                                 const void *value,
                                                                 keeli_storage *s) {
    const uint32_t index = keel_entity_index(e);
    if (!is_followed(world, s)) return add_slowly(world, e, component, value);
    if (keeli_store_has(s, index)) return overwrite(world, s, e, value);
    const void *to = NULL;
    if (!has_follow_room(world, s, index)) to = NULL;
    else if (s->kind == KEEL_ARCHETYPE) to = add_row_part(world, s, e, value);
    else to = add_one(world, s, e, value);
    return to ? tell_added(world, s, e, to) : add_slowly(world, e, component, value);
}

// Nothing of this is a call that comes back, so that no register is saved: a value of another size
// is put by a function that goes on from there.
static __attribute__((noinline)) keel_result put_added(keel_world *world, keeli_storage *s,
                                                       keel_entity e, void *to, const void *value) {
    keeli_bytes_put(to, value, s->size);
    return tell_added(world, s, e, to);
}
static __attribute__((noinline)) keel_result add_followed(keel_world *world, keel_entity e,
                                                          const keel_component *component,
                                                          const void *value, keeli_storage *s) {
    uint64_t *word =
        is_followed(world, s) ? word_to_set(world, s, keel_entity_index(e), NULL) : NULL;
    if (!word) return add_followed_slowly(world, e, component, value, s);
    void *to = set_word(world, s, word, e);
    if (!value || !keeli_bytes_copy_fours(to, value, s->size))
        return put_added(world, s, e, to, value);
    return tell_added(world, s, e, to);
}
static __attribute__((noinline)) keel_result add_tracked(keel_world *world, keel_entity e,
                                                         const keel_component *component,
                                                         const void *value, keeli_storage *s) {
    if (!keeli_track_has_room(s, keel_entity_index(e)))
        return add_followed_slowly(world, e, component, value, s);
    return add_followed(world, e, component, value, s);
}

static inline keel_result add(keel_world *world, keel_entity e, const keel_component *component,
                              const void *value) {
    keeli_storage *s = keeli_storage_known(world, component);
    if (!s) return add_slowly(world, e, component, value);
    if (!is_plain(world, s))
        return s->flags & KEELI_IS_TRACKED ? add_tracked(world, e, component, value, s)
                                           : add_followed(world, e, component, value, s);
    uint64_t *word = word_to_set(world, s, keel_entity_index(e), NULL);
    if (!word) return add_slowly(world, e, component, value);
    keeli_bytes_put(set_word(world, s, word, e), value, s->size);
    keeli_validate_storage(world, s);
    return KEEL_OK;
}

keel_result keel_add_component(keel_world *world, keel_entity e, const keel_component *component,
                               const void *value) {
    if (!world) return keeli_no_world();
    if (!keeli_entity_is_alive(&world->entities, e)) return KEEL_ERROR_DEAD_ENTITY;
    return add(world, e, component, value);
}

keel_result keel_add_component_unchecked(keel_world *world, keel_entity e,
                                         const keel_component *component, const void *value) {
    return add(world, e, component, value);
}

// ------------------------------------------------------------------ adding several
// Look whether all values can be added at once; how many, or -1. `*to`: where the row will be.
static int32_t resolve(const keel_world *world, uint32_t index, const keel_value *values,
                       keeli_storage **list, keeli_archetype **to) {
    const keeli_archetype *from = *to;
    uint32_t numbers = 0, count = 0;
    for (; values[count].component; ++count) {
        if (count == values_at_most) return -1;
        keeli_storage *s = keeli_storage_known(world, values[count].component);
        if (!s || !has_room(world, s, index, &numbers, to)) return -1;
        list[count] = s;
        for (uint32_t k = 0; k < count; ++k)
            if (list[k] == s) return -1; // named twice
    }
    return *to == from || keeli_archetype_has_room(*to) ? (int32_t)count : -1;
}

static void put_values(keel_world *world, keel_entity e, const keel_value *values,
                       keeli_storage *const *list, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
        keeli_storage *s = list[i];
        keeli_bytes_put(keeli_store_open(world, s, e), values[i].value, s->size);
    }
}
// Now that all values are in place, and the row as well.
static void tell_joined(keel_world *world, keel_entity e, keeli_storage *const *list,
                        int32_t count) {
    for (int32_t i = 0; i < count; ++i)
        keeli_store_joined(world, list[i], keel_entity_index(e));
    for (int32_t i = 0; i < count; ++i)
        keeli_validate_storage(world, list[i]);
    (void)keeli_done(world, KEEL_OK);
}

// Look whether all values can be added next to others; how many, or -1.
static inline int32_t find_words(const keel_world *world, uint32_t index, const keel_value *values,
                                 part *parts, keeli_archetype **to) {
    int32_t count = 0;
    for (; values[count].component; ++count) {
        keeli_storage *s = keeli_storage_known(world, values[count].component);
        if (!s || count == values_at_most) return -1;
        uint64_t *word = plain_word_to_set(world, s, index, to);
        if (!word) return -1;
        parts[count] = (part){ s, word };
        for (int32_t k = 0; k < count; ++k)
            if (parts[k].s == s) return -1; // named twice
    }
    return count;
}

static inline void set_words(keel_world *world, keel_entity e, const keel_value *values,
                             const part *parts, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
        keeli_storage *s = parts[i].s;
        keeli_bytes_put(set_word(world, s, parts[i].word, e), values[i].value, s->size);
    }
    for (int32_t i = 0; i < count; ++i)
        keeli_validate_storage(world, parts[i].s);
}

static __attribute__((noinline)) bool add_values_slowly(keel_world *world, keel_entity e,
                                                        const keel_value *values) {
    keeli_storage *list[values_at_most];
    keeli_archetype *from = keeli_archetype_of(world, keel_entity_index(e)), *to = from;
    const int32_t count = resolve(world, keel_entity_index(e), values, list, &to);
    if (count < 0) return false;
    const uint32_t old = to == from ? KEELI_NO_ROW : keeli_row_begin(world, e, to);
    put_values(world, e, values, list, count);
    keeli_row_end(world, old); // not before: values may lie in it
    tell_joined(world, e, list, count);
    return true;
}

bool keeli_quick_add_values(keel_world *world, keel_entity e, const keel_value *values) {
    part parts[values_at_most];
    keeli_archetype *from = keeli_archetype_of(world, keel_entity_index(e)), *to = from;
    const int32_t count = find_words(world, keel_entity_index(e), values, parts, &to);
    if (count < 0 || (to != from && !keeli_archetype_has_room(to)))
        return add_values_slowly(world, e, values);
    const uint32_t old = to == from ? KEELI_NO_ROW : keeli_row_begin(world, e, to);
    set_words(world, e, values, parts, count);
    keeli_row_end(world, old); // last: values may lie in it
    return true;
}

// ------------------------------------------------------------------ adding entities
// With components of any kind.
static __attribute__((noinline)) keel_entity add_entity_slowly(keel_world *world,
                                                               const keel_value *values) {
    keeli_storage *list[values_at_most];
    keeli_archetype *none = world->archetypes.all[0], *to = none;
    const keel_entity e = keeli_entity_index_peek(&world->entities);
    const int32_t count = resolve(world, keel_entity_index(e), values, list, &to);
    if (count < 0) return keeli_edit_add_entity(world, NULL, values);
    keeli_entity_index_take(&world->entities, e);
    if (to != none) *keeli_row_of(world, keel_entity_index(e)) = keeli_archetype_push(to, e);
    put_values(world, e, values, list, count);
    tell_joined(world, e, list, count);
    return e;
}

static __attribute__((noinline)) keel_entity add_entity_with(keel_world *world,
                                                             const keel_value *values) {
    const keel_entity e = keeli_entity_index_peek(&world->entities);
    const uint32_t index = keel_entity_index(e);
    part parts[values_at_most];
    keeli_archetype *none = world->archetypes.all[0], *to = none;
    const int32_t count = find_words(world, index, values, parts, &to);
    if (count < 0 || (to != none && !keeli_archetype_has_room(to)))
        return add_entity_slowly(world, values);
    keeli_entity_index_take(&world->entities, e);
    if (to != none) *keeli_row_of(world, index) = keeli_archetype_push(to, e);
    set_words(world, e, values, parts, count);
    return e;
}

keel_entity keel_world_add_entity(keel_world *world, const keel_value *values) {
    if (!world) return keeli_no_world(), keel_null();
    keeli_entity_index *ix = &world->entities;
    if (world->share_depth ||
        ((uint32_t)world->entity_storage.borrow | world->entity_storage.flags) ||
        !keeli_entity_index_is_ready(ix))
        return keeli_edit_add_entity(world, NULL, values);
    if (values && values->component) return add_entity_with(world, values);
    const keel_entity e = keeli_entity_index_peek(ix);
    keeli_entity_index_take(ix, e);
    return e;
}

// ------------------------------------------------------------------ removing
// Take a value that was moved out or dropped; false when its row cannot move without memory.
static inline __attribute__((always_inline)) bool has_way_back(const keel_world *world,
                                                               const keeli_storage *s,
                                                               uint32_t index,
                                                               keeli_archetype **to) {
    if (s->kind != KEEL_ARCHETYPE) return true;
    const keeli_archetype *from =
        keeli_block_of(&world->archetypes, *keeli_row_of(world, index))->archetype;
    const keeli_edge *edge = keeli_archetype_edge(from, s->slot);
    *to = edge ? edge->without : NULL;
    return *to && (!(*to)->column_count || keeli_archetype_has_room(*to));
}

// The last of its block in this storage, or one with a page of its own.
static __attribute__((noinline)) void take_last(keel_world *world, keeli_storage *s,
                                                uint32_t index) {
    keeli_store_clear_bit(world, s, index);
    if (s->kind == KEEL_SPARSE_SET)
        keeli_sparse_set_take_plain(&s->set, keeli_sparse_set_find(&s->set, index), index);
    else if (s->kind == KEEL_INDEXED) keeli_indexed_set_remove(&s->indexed, &world->heap, index);
}

// Take a bit, which is in this word, and its value; the row of a KEEL_ARCHETYPE goes elsewhere.
static inline void take_part(keel_world *world, keeli_storage *s, uint64_t *word, uint32_t index) {
    const uint64_t rest = *word & ~bit_of(index);
    const bool indexed = s->kind == KEEL_INDEXED;
    if (!rest || (indexed && !keeli_indexed_set_has_whole_blocks(&s->indexed))) {
        take_last(world, s, index);
        return;
    }
    *word = rest;
    --s->presence.count;
    if (indexed) {
        keeli_indexed_set_remove_beside(&s->indexed, index);
    } else if (s->kind == KEEL_SPARSE_SET) {
        const uint32_t slot = s->set.sparse[index / KEELI_SPARSE_PAGE][index % KEELI_SPARSE_PAGE];
        keeli_sparse_set_take_plain(&s->set, slot, index);
    }
}

bool keeli_quick_remove(keel_world *world, keel_entity e, const keel_component *component,
                        void *out, keel_result *result) {
    keeli_storage *s = keeli_storage_known(world, component);
    if (!s || !is_editable(world, s)) return false;
    const uint32_t index = keel_entity_index(e);
    keeli_archetype *to = NULL;
    *result = KEEL_ABSENT;
    if (!keeli_store_has(s, index)) return true;
    if (!has_way_back(world, s, index, &to)) return false;
    *result = KEEL_OK;
    keeli_store_leaving(world, s, index, KEEL_TRACK_REMOVAL);
    if (out) keeli_bytes_copy(out, keeli_store_value(world, s, index), s->size);
    take_last(world, s, index);
    if (to) keeli_row_move(world, e, to);
    keeli_validate_storage(world, s);
    return true;
}

// Remove or delete from what is followed. False: nothing was done.
static bool take_followed(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                          void *out) {
    const uint32_t index = keel_entity_index(e);
    keeli_archetype *to = NULL;
    if (!is_followed(world, s) || (s->kind == KEEL_ARCHETYPE && !rows_are_free(world)) ||
        !keeli_store_has(s, index) || !has_way_back(world, s, index, &to))
        return false;
    if (s->flags & KEELI_IS_OBSERVED) keeli_notify(world, s, e, kind); // the bits are the same
    void *value = keeli_store_value(world, s, index);
    if (s->flags & KEELI_IS_TRACKED) (void)keeli_track_gone(world, s, e, kind, value);
    if (out) keeli_bytes_copy(out, value, s->size);
    take_last(world, s, index);
    if (to) keeli_row_move(world, e, to);
    keeli_validate_storage(world, s);
    return true;
}

bool keeli_quick_delete(keel_world *world, keel_entity e, const keel_component *component,
                        keel_result *result) {
    keeli_storage *s = keeli_storage_known(world, component);
    if (!s || !s->flags) return keeli_quick_remove(world, e, component, NULL, result);
    *result = KEEL_OK;
    if (!take_followed(world, s, e, KEEL_TRACK_DELETION, NULL))
        return keeli_quick_remove(world, e, component, NULL, result);
    (void)keeli_done(world, KEEL_OK);
    return true;
}

static __attribute__((noinline)) keel_result
remove_slowly(keel_world *world, keel_entity e, const keel_component *component, void *out) {
    keel_result result;
    if (keeli_quick_remove(world, e, component, out, &result)) return result;
    return keeli_edit_remove(world, NULL, e, component, out);
}

static __attribute__((noinline)) keel_result
remove_followed(keel_world *world, keel_entity e, const keel_component *component, void *out) {
    if (!take_followed(world, keeli_storage_known(world, component), e, KEEL_TRACK_REMOVAL, out))
        return remove_slowly(world, e, component, out);
    return keeli_done(world, KEEL_OK);
}

keel_result keel_remove_component(keel_world *world, keel_entity e, const keel_component *component,
                                  void *out) {
    if (!world) return keeli_no_world();
    if (!keeli_entity_is_alive(&world->entities, e)) return KEEL_ERROR_DEAD_ENTITY;
    keeli_storage *s = keeli_storage_known(world, component);
    if (!s || !is_plain(world, s) || s->kind == KEEL_ARCHETYPE || out)
        return s && s->flags ? remove_followed(world, e, component, out)
                             : remove_slowly(world, e, component, out);
    const uint32_t index = keel_entity_index(e);
    uint64_t *word = live_word(s, index);
    if (!word || !(*word & bit_of(index))) return KEEL_ABSENT;
    take_part(world, s, word, index);
    keeli_validate_storage(world, s);
    return KEEL_OK;
}

// ------------------------------------------------------------------ deleting
// Before a value goes with its entity: is tracking all that wants to know?
static __attribute__((noinline)) bool note_deletion(keel_world *world, keeli_storage *s,
                                                    uint32_t index, uint32_t allowed) {
    if (s->flags & ~(allowed | KEELI_IS_TRACKED | KEELI_IS_MARKED)) return false;
    (void)keeli_track_gone(world, s, keeli_entity_at(&world->entities, index), KEEL_TRACK_DELETION,
                           keeli_store_value(world, s, index));
    return true;
}

// Take what the listed components of its block have of the entity, in one pass. False when one of
// them is not plain: the others may be gone already, and the long way takes the rest.
static inline bool take_parts(keel_world *world, uint32_t index, uint32_t allowed) {
    const uint32_t page = index / 4096, at = index / 64 % KEELI_PAGE_WORDS;
    if (page >= world->lists.capacity || !world->lists.pages[page]) return true;
    keeli_component_list *list = keeli_list_of(&world->lists, index);
    const uint16_t *numbers = keeli_list_numbers(list);
    keeli_storage *const *storages = world->by_ordinal.items;
    for (uint32_t i = list->count; i--;) { // downwards: when a number goes the last takes its place
        keeli_storage *s = storages[numbers[i]];
        uint64_t *word = &s->presence.pages[page][at];
        const bool is_there = (*word & bit_of(index)) != 0;
        // one that it does not have may be there all the same, out of sight
        if (s->flags & ~allowed && (is_there || s->flags & KEELI_HAS_DISABLED) &&
            !note_deletion(world, s, index, allowed))
            return false;
        if (is_there) take_part(world, s, word, index);
    }
    return true;
}

static inline void delete_row(keel_world *world, keel_entity e) {
    const uint32_t place = *keeli_row_of(world, keel_entity_index(e));
    keeli_entity_index_delete(&world->entities, e);
    if (place != KEELI_NO_ROW) keeli_archetype_take(&world->archetypes, &world->entities, place);
}

bool keeli_quick_delete_entity(keel_world *world, keel_entity e, uint32_t allowed) {
    if (world->share_depth || world->holders || world->observed) return false;
    // groups look at all that the entity has before anything of it goes
    if (world->groups) keeli_groups_leave(world, e, false);
    if (!take_parts(world, keel_entity_index(e), allowed | KEELI_IS_GROUPED)) return false;
    delete_row(world, e);
    keeli_validate_entities(world);
    return true;
}

static __attribute__((noinline)) keel_result delete_slowly(keel_world *world, keel_entity e) {
    return keeli_edit_delete_entity(world, NULL, e);
}

keel_result keel_world_delete_entity(keel_world *world, keel_entity e) {
    if (!world) return keeli_no_world();
    if (!keeli_entity_is_alive(&world->entities, e)) return KEEL_ABSENT;
    // by one test
    if ((uintptr_t)world->holders | (uintptr_t)world->groups | world->share_depth | world->observed)
        return delete_slowly(world, e);
    if (!take_parts(world, keel_entity_index(e), 0)) return delete_slowly(world, e);
    delete_row(world, e);
    keeli_validate_entities(world);
    return KEEL_OK;
}
