// SPDX-License-Identifier: MIT
// Removing components and deleting entities, quickly.
#include "edit/edit.h"
#include "edit/quick_parts.h"
#include "follow/follow.h"
#include "world/report.h"

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

// A function of its own: its callers are loops, which keep their registers.
static __attribute__((noinline)) void take_slot(keeli_storage *s, uint32_t index) {
    keeli_sparse_set_take_plain(&s->set, keeli_sparse_set_slot(&s->set, index), index);
}

// Take a bit, which is in this word, and its value; the row of a KEEL_ARCHETYPE goes elsewhere.
static inline void take_part(keel_world *world, keeli_storage *s, uint64_t *word, uint32_t index) {
    const uint64_t rest = *word & ~keeli_bit_of(index);
    if (!rest || !(s->goes_with_bit || s->kind == KEEL_SPARSE_SET)) {
        take_last(world, s, index);
        return;
    }
    *word = rest;
    --s->presence.count;
    if (!s->goes_with_bit) take_slot(s, index);
}

bool keeli_quick_remove(keel_world *world, keel_entity e, const keel_component *component,
                        void *out, keel_result *result) {
    keeli_storage *s = keeli_storage_known(world, component);
    if (!s || !keeli_is_editable(world, s)) return false;
    const uint32_t index = keel_entity_index(e);
    keeli_archetype *to = NULL;
    *result = KEEL_ABSENT;
    if (!keeli_store_has(s, index)) return true;
    if (!has_way_back(world, s, index, &to)) return false;
    *result = KEEL_OK;
    keeli_going(world, s, index, KEEL_TRACK_REMOVAL);
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
    const bool has_row = s->kind == KEEL_ARCHETYPE;
    keeli_archetype *to = NULL;
    uint64_t *word = keeli_is_followed(world, s) ? keeli_live_word(s, index) : NULL;
    if (!word || !(*word & keeli_bit_of(index)) ||
        (has_row && (!keeli_rows_are_free(world) || !has_way_back(world, s, index, &to))))
        return false;
    if (s->flags & KEELI_IS_OBSERVED) keeli_notify(world, s, e, kind); // the bits are the same
    void *value = keeli_store_value(world, s, index);
    if (s->flags & KEELI_IS_TRACKED) (void)keeli_track_gone(world, s, e, kind, value);
    if (out) keeli_bytes_copy(out, value, s->size);
    take_part(world, s, word, index);
    if (has_row) keeli_row_move(world, e, to);
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

static keel_result remove_anyhow(keel_world *world, keel_entity e, const keel_component *component,
                                 void *out) {
    keel_result result;
    if (keeli_quick_remove(world, e, component, out, &result)) return result;
    return keeli_edit_remove(world, NULL, e, component, out);
}

// In the order of the parameters of the quick way, which ends with a jump here: all that it did not
// find to be as usual is asked here.
static __attribute__((noinline)) keel_result
remove_slowly(keel_world *world, keel_entity e, const keel_component *component, void *out) {
    if (!world) return keeli_no_world();
    if (!keeli_entity_is_alive(&world->entities, e)) return KEEL_ERROR_DEAD_ENTITY;
    keeli_storage *s = keeli_storage_known(world, component);
    if (!s || !s->flags || !take_followed(world, s, e, KEEL_TRACK_REMOVAL, out))
        return remove_anyhow(world, e, component, out);
    return keeli_done(world, KEEL_OK);
}

// From a sparse set, next to others of the block of 64.
static __attribute__((noinline)) keel_result remove_slot(keel_world *world, keeli_storage *s,
                                                         uint32_t index, uint64_t *word) {
    *word &= ~keeli_bit_of(index);
    --s->presence.count;
    keeli_sparse_set_take_plain(&s->set, keeli_sparse_set_slot(&s->set, index), index);
    keeli_validate_storage(world, s);
    return KEEL_OK;
}

// Nothing of the quick way is a call that comes back, so that no register is saved. What has a
// value is alive, so its version is there, and is one of a living entity.
keel_result keel_remove_component(keel_world *world, keel_entity e, const keel_component *component,
                                  void *out) {
    keeli_storage *s = world ? keeli_storage_known(world, component) : NULL;
    if (!s || !keeli_is_plain(world, s) || s->kind == KEEL_ARCHETYPE || out)
        return remove_slowly(world, e, component, out);
    const uint32_t index = keel_entity_index(e);
    uint64_t *word = keeli_live_word(s, index);
    const uint64_t bits = word ? *word : 0, rest = bits & ~keeli_bit_of(index);
    if (!rest || rest == bits || !keeli_entity_has_version(&world->entities, e))
        return remove_slowly(world, e, component, NULL);
    if (s->kind == KEEL_SPARSE_SET) return remove_slot(world, s, index, word);
    if (!s->goes_with_bit) return remove_slowly(world, e, component, NULL);
    *word = rest;
    --s->presence.count;
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

// Take what the first `count` listed components of its block have of the entity, in one pass. False
// when one of them is not plain: the others may be gone already, and the long way takes the rest.
static inline bool take_parts(keel_world *world, uint32_t index, keeli_component_list *list,
                              uint32_t count, uint32_t allowed) {
    const uint32_t page = index / 4096, at = index / 64 % KEELI_PAGE_WORDS;
    const uint16_t *numbers = keeli_list_numbers(list);
    keeli_storage *const *storages = world->by_ordinal.items;
    for (uint32_t i = count; i--;) { // downwards: when a number goes the last takes its place
        keeli_storage *s = storages[numbers[i]];
        uint64_t *word = &s->presence.pages[page][at];
        const bool is_there = (*word & keeli_bit_of(index)) != 0;
        // one that it does not have may be there all the same, out of sight
        if (s->flags & ~allowed && (is_there || s->flags & KEELI_HAS_DISABLED) &&
            !note_deletion(world, s, index, allowed))
            return false;
        if (is_there) take_part(world, s, word, index);
    }
    return true;
}
static bool take_all_parts(keel_world *world, uint32_t index, uint32_t allowed) {
    keeli_component_list *list = keeli_list_if_any(&world->lists, index);
    return !list || take_parts(world, index, list, list->count, allowed);
}

// The same as long as everything is plain and goes with its bit, or, with `slots`, is in sparse
// sets: how many are left.
static inline __attribute__((always_inline)) uint32_t take_plain_parts(const keel_world *world,
                                                                       uint32_t index,
                                                                       const uint16_t *numbers,
                                                                       uint32_t count, bool slots) {
    const uint32_t page = index / 4096, at = index / 64 % KEELI_PAGE_WORDS;
    const uint16_t *next = numbers + count;
    keeli_storage *const *storages = world->by_ordinal.items;
    for (; next != numbers; --next) {
        keeli_storage *s = storages[next[-1]];
        uint64_t *word = &s->presence.pages[page][at];
        const uint64_t bits = *word, rest = bits & ~keeli_bit_of(index);
        if (s->flags) break;
        if (!(bits >> (index % 64) & 1)) continue;
        if (!rest || !(s->goes_with_bit || (slots && s->kind == KEEL_SPARSE_SET))) break;
        *word = rest;
        --s->presence.count;
        if (slots && !s->goes_with_bit)
            keeli_sparse_set_take_plain(&s->set, keeli_sparse_set_slot(&s->set, index), index);
    }
    return (uint32_t)(next - numbers);
}

static inline void delete_row(keel_world *world, keel_entity e) {
    const uint32_t place = *keeli_row_of(world, keel_entity_index(e));
    keeli_entity_index_delete(&world->entities, e);
    if (place != KEELI_NO_ROW) keeli_archetype_take(&world->archetypes, &world->entities, place);
}

bool keeli_quick_delete_entity(keel_world *world, keel_entity e, uint32_t allowed) {
    if (world->share_depth || world->holders || world->followers.observed) return false;
    // groups look at all that the entity has before anything of it goes
    if (world->followers.groups) keeli_groups_leave(world, e, false);
    if (!take_all_parts(world, keel_entity_index(e), allowed | KEELI_IS_GROUPED)) return false;
    delete_row(world, e);
    keeli_validate_entities(world);
    return true;
}

static __attribute__((noinline)) keel_result delete_slowly(keel_world *world, keel_entity e) {
    return keeli_edit_delete_entity(world, NULL, e);
}

// The flags of all that the entity has, in sight or not.
static uint32_t flags_of(const keel_world *world, uint32_t index) {
    const uint32_t page = index / 4096, at = index / 64 % KEELI_PAGE_WORDS;
    keeli_component_list *list = keeli_list_if_any(&world->lists, index);
    if (!list) return 0;
    const uint16_t *numbers = keeli_list_numbers(list);
    uint32_t flags = 0;
    for (uint32_t i = 0; i < list->count; ++i) {
        const keeli_storage *s = world->by_ordinal.items[numbers[i]];
        if (s->presence.pages[page][at] & keeli_bit_of(index) || s->flags & KEELI_HAS_DISABLED)
            flags |= s->flags;
    }
    return flags;
}

// There are observers, perhaps of other components. They are told before the first value goes, so
// it must be known by then that all of it goes quickly.
static __attribute__((noinline)) keel_result delete_observed(keel_world *world, keel_entity e) {
    const uint32_t index = keel_entity_index(e);
    if ((uintptr_t)world->holders | (uintptr_t)world->followers.groups | world->share_depth |
        world->owned_storages)
        return delete_slowly(world, e);
    const uint32_t flags = flags_of(world, index);
    if (flags & ~(uint32_t)(KEELI_IS_TRACKED | KEELI_IS_MARKED | KEELI_IS_OBSERVED))
        return delete_slowly(world, e);
    if ((flags | world->entity_storage.flags) & KEELI_IS_OBSERVED ||
        world->followers.view_observers)
        keeli_entity_going(world, e, KEEL_ON_DELETED, true);
    (void)take_all_parts(world, index, KEELI_IS_OBSERVED);
    delete_row(world, e);
    keeli_validate_entities(world);
    return keeli_done(world, KEEL_OK);
}

// It has lost all but the first `left` listed components of its block, which take more.
static __attribute__((noinline)) keel_result delete_rest(keel_world *world, keel_entity e,
                                                         uint32_t left) {
    const uint32_t index = keel_entity_index(e);
    if (left && !take_parts(world, index, keeli_list_if_any(&world->lists, index), left, 0))
        return delete_slowly(world, e);
    delete_row(world, e);
    keeli_validate_entities(world);
    return KEEL_OK;
}

static __attribute__((noinline)) keel_result take_row(keel_world *world, uint32_t place) {
    keeli_archetype_take(&world->archetypes, &world->entities, place);
    keeli_validate_entities(world);
    return KEEL_OK;
}

// `left` listed components may be there still: the last one is in a sparse set.
static __attribute__((noinline)) keel_result delete_slots(keel_world *world, keel_entity e,
                                                          const uint16_t *numbers, uint32_t left) {
    left = take_plain_parts(world, keel_entity_index(e), numbers, left, true);
    if (left) return delete_rest(world, e, left);
    delete_row(world, e);
    keeli_validate_entities(world);
    return KEEL_OK;
}

// Nothing here is a call that comes back, as when adding.
static __attribute__((noinline)) keel_result delete_bits(keel_world *world, keel_entity e,
                                                         const uint16_t *numbers, uint32_t count) {
    const uint32_t index = keel_entity_index(e);
    const uint32_t left = take_plain_parts(world, index, numbers, count, false);
    if (left) return delete_slots(world, e, numbers, left);
    const uint32_t place = *keeli_row_of(world, index);
    keeli_entity_index_delete(&world->entities, e);
    if (place != KEELI_NO_ROW) return take_row(world, place);
    keeli_validate_entities(world);
    return KEEL_OK;
}

keel_result keel_world_delete_entity(keel_world *world, keel_entity e) {
    if (!world) return keeli_no_world();
    if (!keeli_entity_is_alive(&world->entities, e)) return KEEL_ABSENT;
    // by one test
    if ((uintptr_t)world->holders | (uintptr_t)world->followers.groups | world->share_depth |
        world->followers.observed | world->owned_storages)
        return delete_observed(world, e);
    keeli_component_list *list = keeli_list_if_any(&world->lists, keel_entity_index(e));
    const uint32_t count = list ? list->count : 0;
    if (!count) return delete_rest(world, e, 0);
    const uint16_t *numbers = keeli_list_numbers(list);
    return world->by_ordinal.items[numbers[count - 1]]->kind == KEEL_SPARSE_SET
               ? delete_slots(world, e, numbers, count)
               : delete_bits(world, e, numbers, count);
}
