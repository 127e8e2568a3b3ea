// SPDX-License-Identifier: MIT
// Adding components and entities, quickly.
#include "edit/edit.h"
#include "edit/quick_parts.h"
#include "follow/follow.h"
#include "world/report.h"

enum { values_at_most = 8 };

bool keeli_is_quickly_grouped(const keel_world *world, const keeli_storage *s) {
    if (s->flags != KEELI_IS_GROUPED || world->share_depth || world->holders) return false;
    for (uint32_t i = 0; i < s->groups.count; ++i) {
        const keel_group *g = s->groups.items[i].group;
        if (!g->owned_count || g->order.flags) return false;
    }
    return s->kind != KEEL_ARCHETYPE;
}

// May such a storage get a value at this index?
static bool may_follow(const keel_world *world, const keeli_storage *s, uint32_t index) {
    return keeli_is_followed(world, s) &&
           (s->kind != KEEL_ARCHETYPE || keeli_rows_are_free(world)) &&
           (!(s->flags & KEELI_IS_TRACKED) || keeli_track_has_room(s, index));
}

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
    const uint64_t *live = keeli_live_word(s, index);
    if (live) return !(*live & keeli_bit_of(index)); // there: it would be overwritten
    const uint32_t page = index / 4096;
    return page < s->presence.root.page_count && s->presence.pages[page] != keeli_no_bits &&
           keeli_component_lists_has_room(&world->lists, index, ++*numbers);
}

// May the entity get the component, and is there room? `*to`: where its row will be.
static inline bool has_room(const keel_world *world, const keeli_storage *s, uint32_t index,
                            uint32_t *numbers, keeli_archetype **to) {
    return (keeli_is_editable(world, s) || may_follow(world, s, index)) &&
           has_value_room(s, index, to) && has_bit_room(world, s, index, numbers);
}

// ------------------------------------------------------------------ adding one
// The word in which the entity gets its bit next to others of its block of 64: neither the summary
// nor the list changes, and all pages are there. NULL when that is not so, or it has the component.
// `to`: where its row will be; NULL: it has none that could move.
static inline uint64_t *word_to_set(const keel_world *world, const keeli_storage *s, uint32_t index,
                                    keeli_archetype **to) {
    uint64_t *word = keeli_live_word(s, index);
    if (!word || *word & keeli_bit_of(index)) return NULL;
    bool has_place;
    if (s->kind == KEEL_INDEXED) has_place = keeli_indexed_set_has_whole_blocks(&s->indexed);
    else if (s->kind == KEEL_SPARSE_SET) has_place = s->set.count < s->set.room;
    else has_place = to && keeli_rows_are_free(world) && (*to = next_archetype(*to, s)) != NULL;
    return has_place ? word : NULL;
}
// After that: where its value belongs, not initialised.
static inline void *set_word(const keel_world *world, keeli_storage *s, uint64_t *word,
                             keel_entity e) {
    const uint32_t index = keel_entity_index(e);
    *word |= keeli_bit_of(index);
    ++s->presence.count;
    if (s->kind == KEEL_INDEXED) return keeli_indexed_set_value(&s->indexed, index);
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
    if (!s || !keeli_is_editable(world, s)) return NULL;
    const uint32_t index = keel_entity_index(e);
    void *to =
        s->kind == KEEL_ARCHETYPE ? add_row_part(world, s, e, value) : add_one(world, s, e, value);
    if (to && s->flags) {
        keeli_came(world, s, index);
        to = keeli_store_value(world, s, index); // groups move it
    }
    if (to) keeli_validate_storage(world, s);
    return to;
}

// Overwrite plain bytes, of what is plain or followed and has them.
static __attribute__((noinline)) keel_result overwrite(keel_world *world, keeli_storage *s,
                                                       keel_entity e, const void *value) {
    void *to = keeli_store_value(world, s, keel_entity_index(e));
    if (value != to) keeli_bytes_put(to, value, s->size);
    keeli_track_modified(world, s, keel_entity_index(e));
    if (!(s->flags & KEELI_IS_OBSERVED)) return KEEL_OK;
    return keeli_notify_done(world, s, e, KEEL_ON_MODIFIED, to);
}
// Is it that? Rows do not move, but an edit of an archetype's component is refused while they are
// used.
static bool is_overwrite(const keel_world *world, const keeli_storage *s, uint32_t index) {
    return keeli_store_has(s, index) && (keeli_is_plain(world, s) || keeli_is_followed(world, s)) &&
           (s->kind != KEEL_ARCHETYPE || keeli_rows_are_free(world));
}

// In the order of the parameters of the quick way, which ends with a jump here: all that it did not
// find to be as usual is asked here.
static __attribute__((noinline)) keel_result
add_slowly(keel_world *world, keel_entity e, const keel_component *component, const void *value) {
    if (!world) return keeli_no_world();
    if (!keeli_entity_is_alive(&world->entities, e)) return KEEL_ERROR_DEAD_ENTITY;
    if (keeli_quick_add(world, e, component, value)) return KEEL_OK;
    keeli_storage *s = keeli_storage_known(world, component);
    if (s && is_overwrite(world, s, keel_entity_index(e))) return overwrite(world, s, e, value);
    return keeli_edit_add_unchecked(world, NULL, e, component, value);
}

// It was added, and its value is there: somebody may want to know.
static __attribute__((noinline)) keel_result tell_tracked(keel_world *world, keeli_storage *s,
                                                          keel_entity e, const void *value) {
    if (s->flags & KEELI_IS_TRACKED) keeli_track_inserted_freely(world, s, keel_entity_index(e));
    keeli_validate_storage(world, s);
    if (!(s->flags & KEELI_IS_OBSERVED)) return KEEL_OK;
    return keeli_notify_done(world, s, e, KEEL_ON_INSERTED, value);
}
static inline __attribute__((always_inline)) keel_result
tell_added(keel_world *world, keeli_storage *s, keel_entity e, const void *value) {
    if (s->flags != KEELI_IS_OBSERVED) return tell_tracked(world, s, e, value);
    keeli_validate_storage(world, s);
    return keeli_notify_done(world, s, e, KEEL_ON_INSERTED, value);
}

// To what the entity has, to a block of 64 without others, or into a row.
static __attribute__((noinline)) keel_result add_followed_slowly(keel_world *world, keel_entity e,
                                                                 const keel_component *component,
                                                                 const void *value,
                                                                 keeli_storage *s) {
    if (!keeli_entity_is_alive(&world->entities, e)) return KEEL_ERROR_DEAD_ENTITY;
    const void *to = NULL;
    if (is_overwrite(world, s, keel_entity_index(e))) return overwrite(world, s, e, value);
    if (!may_follow(world, s, keel_entity_index(e))) to = NULL;
    else if (s->kind == KEEL_ARCHETYPE) to = add_row_part(world, s, e, value);
    else to = add_one(world, s, e, value);
    return to ? tell_added(world, s, e, to) : add_slowly(world, e, component, value);
}

// Nothing of the quick way is a call that comes back, so that no register is saved: a value of
// another size is put by a function that goes on from there.
static __attribute__((noinline)) keel_result put_added(keel_world *world, keeli_storage *s,
                                                       keel_entity e, void *to, const void *value) {
    keeli_bytes_put(to, value, s->size);
    return tell_added(world, s, e, to);
}

// The word in which the entity is to get its bit next to others of its block of 64; NULL: there are
// none, it has its bit, or it is not alive. What has neighbours in its block has a version, so only
// that is compared.
static inline uint64_t *word_beside(const keel_world *world, const keeli_storage *s,
                                    keel_entity e) {
    const uint32_t index = keel_entity_index(e);
    uint64_t *word = keeli_live_word(s, index);
    if (!word || *word >> (index % 64) & 1) return NULL;
    return keeli_entity_has_version(&world->entities, e) ? word : NULL;
}

// To a sparse set that has room, in this word.
static __attribute__((noinline)) keel_result
add_slot(keel_world *world, keeli_storage *s, keel_entity e, const void *value, uint64_t *word) {
    *word |= keeli_bit_of(keel_entity_index(e));
    ++s->presence.count;
    void *to = keeli_sparse_set_value(&s->set, keeli_sparse_set_push(&s->set, e));
    if (!value || !keeli_bytes_copy_fours(to, value, s->size))
        return put_added(world, s, e, to, value);
    if (s->flags) return tell_added(world, s, e, to);
    keeli_validate_storage(world, s);
    return KEEL_OK;
}

// `flags`: what the storage has, as far as it is known.
static inline __attribute__((always_inline)) keel_result
add_beside(keel_world *world, keel_entity e, const void *value, keeli_storage *s, uint32_t flags) {
    const uint32_t index = keel_entity_index(e);
    uint64_t *word = s->kind != KEEL_ARCHETYPE ? word_beside(world, s, e) : NULL;
    if (word && s->kind == KEEL_SPARSE_SET && s->set.count < s->set.room)
        return add_slot(world, s, e, value, word);
    if (!word || !s->goes_with_bit)
        return flags ? add_followed_slowly(world, e, &s->component, value, s)
                     : add_slowly(world, e, &s->component, value);
    *word |= keeli_bit_of(index);
    ++s->presence.count;
    void *to = keeli_indexed_set_value(&s->indexed, index);
    if (!value || !keeli_bytes_copy_fours(to, value, s->size))
        return put_added(world, s, e, to, value);
    if (flags & KEELI_IS_TRACKED) return tell_tracked(world, s, e, to);
    keeli_validate_storage(world, s);
    return flags ? keeli_notify_done(world, s, e, KEEL_ON_INSERTED, to) : KEEL_OK;
}

static __attribute__((noinline)) keel_result add_tracked(keel_world *world, keel_entity e,
                                                         const void *value, keeli_storage *s) {
    if (!keeli_is_followed(world, s) ||
        (s->flags & KEELI_IS_TRACKED && !keeli_track_has_room(s, keel_entity_index(e))))
        return add_followed_slowly(world, e, &s->component, value, s);
    return add_beside(world, e, value, s, KEELI_IS_TRACKED);
}
static __attribute__((noinline)) keel_result add_observed(keel_world *world, keel_entity e,
                                                          const void *value, keeli_storage *s) {
    return add_beside(world, e, value, s, KEELI_IS_OBSERVED);
}

// The component is the world's own copy as soon as it is known: one register less.
keel_result keel_add_component(keel_world *world, keel_entity e, const keel_component *component,
                               const void *value) {
    keeli_storage *s = world ? keeli_storage_known(world, component) : NULL;
    if (!s) return add_slowly(world, e, component, value);
    if ((uint32_t)keeli_atomic_peek(&s->borrow) | world->share_depth)
        return add_tracked(world, e, value, s);
    if (!s->flags) return add_beside(world, e, value, s, 0);
    return s->flags == KEELI_IS_OBSERVED ? add_observed(world, e, value, s)
                                         : add_tracked(world, e, value, s);
}

// As quick as with the check, which is one compare of a version.
keel_result keel_add_component_unchecked(keel_world *world, keel_entity e,
                                         const keel_component *component, const void *value) {
    return keel_add_component(world, e, component, value);
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
        keeli_came(world, list[i], keel_entity_index(e));
    for (int32_t i = 0; i < count; ++i)
        keeli_validate_storage(world, list[i]);
    (void)keeli_done(world, KEEL_OK);
}

// Look whether all values can be added next to others; how many, or -1. `follow`: to what is
// followed, too.
static inline __attribute__((always_inline)) int32_t
find_words(const keel_world *world, uint32_t index, const keel_value *values, bool follow,
           part *parts, keeli_archetype **to) {
    int32_t count = 0;
    for (; values[count].component; ++count) {
        keeli_storage *s = keeli_storage_known(world, values[count].component);
        if (!s || count == values_at_most) return -1;
        const bool may =
            follow && s->flags ? may_follow(world, s, index) : keeli_is_plain(world, s);
        uint64_t *word = may ? word_to_set(world, s, index, to) : NULL;
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

// After that, when some are followed.
static void tell_parts(keel_world *world, keel_entity e, const part *parts, int32_t count) {
    const uint32_t index = keel_entity_index(e);
    for (int32_t i = 0; i < count; ++i) {
        keeli_storage *s = parts[i].s;
        if (s->flags & KEELI_IS_TRACKED) keeli_track_inserted_freely(world, s, index);
        if (s->flags & KEELI_IS_OBSERVED) keeli_notify(world, s, e, KEEL_ON_INSERTED);
    }
    (void)keeli_done(world, KEEL_OK);
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
    const int32_t count = find_words(world, keel_entity_index(e), values, false, parts, &to);
    if (count < 0 || (to != from && !keeli_archetype_has_room(to)))
        return add_values_slowly(world, e, values);
    const uint32_t old = to == from ? KEELI_NO_ROW : keeli_row_begin(world, e, to);
    set_words(world, e, values, parts, count);
    keeli_row_end(world, old); // last: values may lie in it
    return true;
}

// ------------------------------------------------------------------ adding entities
// With components of any kind.
static __attribute__((noinline)) keel_entity add_entity_anyhow(keel_world *world,
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

// With some that are followed.
static __attribute__((noinline)) keel_entity add_entity_slowly(keel_world *world,
                                                               const keel_value *values) {
    const keel_entity e = keeli_entity_index_peek(&world->entities);
    part parts[values_at_most];
    keeli_archetype *none = world->archetypes.all[0], *to = none;
    const int32_t count = find_words(world, keel_entity_index(e), values, true, parts, &to);
    if (count < 0 || (to != none && !keeli_archetype_has_room(to)))
        return add_entity_anyhow(world, values);
    keeli_entity_index_take(&world->entities, e);
    if (to != none) *keeli_row_of(world, keel_entity_index(e)) = keeli_archetype_push(to, e);
    set_words(world, e, values, parts, count);
    tell_parts(world, e, parts, count);
    return e;
}

static __attribute__((noinline)) keel_entity add_entity_with(keel_world *world,
                                                             const keel_value *values) {
    const keel_entity e = keeli_entity_index_peek(&world->entities);
    const uint32_t index = keel_entity_index(e);
    part parts[values_at_most];
    keeli_archetype *none = world->archetypes.all[0], *to = none;
    const int32_t count = find_words(world, index, values, false, parts, &to);
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
