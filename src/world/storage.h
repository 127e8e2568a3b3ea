// SPDX-License-Identifier: MIT
// Values of a component, whatever the kind of its storage: finding, adding, disabling and removing
// them, one by one or in ranges. It reports nothing to followers (follow/follow.h) and checks no
// borrows (borrow.h). Called by edits, groups, loops and images. A change has two halves: the
// functions *_reserve* make room, may fail and change no value; the others then cannot fail.
#pragma once
#include "base/bytes.h"
#include "base/platform/platform.h"
#include "borrow.h"
#include "world.h"

#include <keel/edit.h>

#include <string.h>

// ------------------------------------------------------------------ looking
static inline bool keeli_store_has(const keeli_storage *s, uint32_t index) {
    return keeli_presence_has(&s->presence, index);
}
// Returns the place of the value of an entity index, UINT32_MAX if it has none.
static inline uint32_t keeli_store_place(const keel_world *world, const keeli_storage *s,
                                         uint32_t index) {
    return keeli_place(s->kind, s->root, &s->presence.root, &world->entities.root, index);
}
static inline void *keeli_store_at(const keeli_storage *s, uint32_t place) {
    const struct keeli_set_root *root = s->root;
    return (char *)root->pages[place >> root->shift] + (size_t)(place & root->mask) * s->size;
}
// Returns the value of an entity index, or NULL.
static inline void *keeli_store_value(const keel_world *world, const keeli_storage *s,
                                      uint32_t index) {
    const uint32_t place = keeli_store_place(world, s, index);
    return place == UINT32_MAX ? NULL : keeli_store_at(s, place);
}
// The same for an index that is known to have a value.
static inline void *keeli_store_value_there(const keeli_storage *s, uint32_t index) {
    uint32_t *const *places = *s->root->places;
    return keeli_store_at(s, places ? places[index / KEELI_PAGE][index % KEELI_PAGE] : index);
}
// True if the entity is alive and has a value; `*place` is the place of the value then. An index
// that has a value belongs to a living entity, so comparing the versions tells if `e` is that
// entity. `kind` is the kind of the storage, as a constant, so that the compiler drops the steps of
// the other kinds.
static inline __attribute__((always_inline)) bool
keeli_store_find_in(const keel_world *world, const keeli_storage *s, keel_storage kind,
                    keel_entity e, uint32_t *place) {
    const uint32_t index = keeli_index_of(e);
    const uint32_t page = index / KEELI_PAGE, at = index % KEELI_PAGE;
    if (kind == KEEL_SPARSE_SET)
        *place = keeli_sparse_set_find(&s->set, index);
    if (kind == KEEL_SPARSE_SET ? *place == KEELI_NO_SLOT : !keeli_store_has(s, index))
        return false;
    if (kind == KEEL_INDEXED)
        *place = index;
    if (kind == KEEL_ARCHETYPE)
        *place = world->entities.root.where[page][at];
    return world->entities.root.versions[page][at] == (uint32_t)(e.bits >> KEEL_ENTITY_INDEX_BITS);
}
static inline __attribute__((always_inline)) bool
keeli_store_find(const keel_world *world, const keeli_storage *s, keel_entity e, uint32_t *place) {
    if (s->kind == KEEL_INDEXED)
        return keeli_store_find_in(world, s, KEEL_INDEXED, e, place);
    if (s->kind == KEEL_SPARSE_SET)
        return keeli_store_find_in(world, s, KEEL_SPARSE_SET, e, place);
    return keeli_store_find_in(world, s, KEEL_ARCHETYPE, e, place);
}
static inline void *keeli_store_value_of(const keel_world *world, const keeli_storage *s,
                                         keel_entity e) {
    uint32_t place;
    return keeli_store_find(world, s, e, &place) ? keeli_store_at(s, place) : NULL;
}
// True for the storage `targets` of a relation, which the entities with sources have. Users cannot
// name it.
static inline bool keeli_store_has_sources(const keeli_storage *s) {
    return s->relation && s == s->relation->targets;
}
// True for the storage of the sources of a relation that has one value for each source. These
// values are written like those of any component.
static inline bool keeli_store_is_valued(const keeli_storage *s) {
    return s->relation && s == s->relation->sources && s->size;
}
// True for a relation whose values, if it has any, belong to edges and not to sources: because a
// source may have several targets, or because both ends of a symmetric edge share its value.
static inline bool keeli_values_are_of_edges(const keel_component *c) {
    return c->is_relation && (!c->exclusive || c->symmetric);
}
// True for a relation that has a value for each edge. The storage holds no values of entities then,
// so its `size` is 0, as for a tag, while that of its component is not.
static inline bool keeli_store_has_edge_values(const keeli_storage *s) {
    return s->size != s->component.size;
}
// True if users cannot add values to the storage: it is part of a relation, holds names, or is a
// reactive set. When entities are copied, relations, names and sets make these values themselves.
static inline bool keeli_store_is_derived(const keeli_storage *s) {
    return s->flags & KEELI_IS_LINK || s->relation || keeli_store_has_sources(s) ||
           s->sources.count;
}
// True if no value was ever added to the storage and nothing was cleared, as in a storage that was
// just registered.
bool keeli_store_is_new(const keeli_storage *s);
static inline uint32_t keeli_store_count(const keeli_storage *s) { return s->presence.count; }
// True if the kind of the storage is a sparse set, archetypes, or indexed.
static inline bool keeli_store_is_sparse(const keeli_storage *s) {
    return s->kind == KEEL_SPARSE_SET;
}
static inline bool keeli_store_has_rows(const keeli_storage *s) {
    return s->kind == KEEL_ARCHETYPE;
}
static inline bool keeli_store_is_by_index(const keeli_storage *s) {
    return s->kind == KEEL_INDEXED;
}
// Iterates over all entities that have the component, by ascending index. Returns the next index at
// `from` or above, UINT32_MAX at the end.
static inline uint32_t keeli_store_next(const keeli_storage *s, uint32_t from) {
    return keeli_presence_next(&s->presence, from);
}
// The same in the storage's own order: returns the index at place `*at`, or the next one.
static inline uint32_t keeli_store_in_order(const keeli_storage *s, uint32_t *at) {
    if (!keeli_store_is_sparse(s))
        return *at = keeli_store_next(s, *at);
    return *at < s->set.count ? keeli_index_of(*keeli_sparse_set_entity(&s->set, *at)) : UINT32_MAX;
}

// Returns the word of presence bits of the index's block of 64, NULL if no bit of it is set. If it
// is not NULL, a value can be added without making room for it: the pages of values and cells
// exist, and the block's list and the summary of the bits have the component already.
static inline uint64_t *keeli_live_word(const keeli_storage *s, uint32_t index) {
    const uint32_t page = index / KEELI_PAGE;
    if (page >= s->presence.root.page_count)
        return NULL;
    uint64_t *word = &s->presence.root.pages[page][index / 64 % KEELI_PAGE_WORDS];
    return *word ? word : NULL;
}

// Returns the word without a check, for a block whose list names the component. The page of the
// word exists then, unless the component has only disabled values there (KEELI_HAS_DISABLED).
static inline uint64_t *keeli_listed_word(const keeli_storage *s, uint32_t index) {
    return &s->presence.root.pages[index / KEELI_PAGE][index / 64 % KEELI_PAGE_WORDS];
}

// Stamps the block of a value that is written, in a storage with KEELI_IS_STAMPED. Atomic, as
// several threads may write values of one block.
static inline void keeli_stamp_place(const keel_world *world, const keeli_storage *s,
                                     uint32_t place) {
    const uint32_t block = place / 64;
    if (block < s->stamps.count)
        keeli_atomic_put(&s->stamps.items[block], world->epoch);
}

// ------------------------------------------------------------------ values
// Copies the bytes of a value. NULL: zeros.
static inline void keeli_bytes_put(void *to, const void *value, uint32_t size) {
    if (value)
        keeli_bytes_copy_fresh(to, value, size);
    else
        memset(to, 0, size);
}
static inline void keeli_value_drop(const keeli_storage *s, void *value) {
    if (s->component.drop)
        keeli_hook_drop(value, (void *)(uintptr_t)s);
}
static inline void keeli_value_move(const keeli_storage *s, void *to, void *from) {
    if (s->component.move)
        keeli_hook_move(to, from, (void *)(uintptr_t)s);
    else
        memcpy(to, from, s->component.size); // analyzer: values lie in storages, with room
}

// True if values of the component can be copied, unless its copy hook fails. keeli_cannot_copy
// returns the error of a component that cannot be copied, or whose hook failed.
bool keeli_can_copy(const keeli_storage *s);
keel_result keeli_cannot_copy(keel_world *world, const keeli_storage *s);
// Returns KEEL_ERROR_ARGUMENT if the stride of a column is less than the size of a value, or else
// KEEL_OK.
keel_result keeli_check_stride(keel_world *world, const keeli_storage *s, size_t stride);

// ------------------------------------------------------------------ bits and lists
// True if the entity has a disabled value.
static inline bool keeli_store_is_disabled(const keeli_storage *s, uint32_t index) {
    return s->flags & KEELI_HAS_DISABLED && keeli_presence_has(&s->disabled, index);
}
// True if an entity of the block has a disabled value.
static inline bool keeli_store_block_is_disabled(const keeli_storage *s, uint32_t index) {
    return s->flags & KEELI_HAS_DISABLED && keeli_presence_word(&s->disabled, index / 64);
}
// True if a block's list names the component: an entity of the block has a value, disabled or not,
// or the component is a reactive set, which is named wherever it may have room.
static inline bool keeli_is_in_block(const keeli_storage *s, uint32_t index) {
    if (!s)
        return false;
    if (s->sources.count)
        return keeli_presence_has_page(&s->presence, index / KEELI_PAGE);
    return keeli_presence_word(&s->presence, index / 64) ||
           keeli_presence_word(&s->disabled, index / 64);
}
// Makes room for the component in the list of a block that does not name it. False when out of
// memory.
bool keeli_reserve_listing(keel_world *world, const keeli_storage *s, uint32_t index);
// Add the component to the list of a block when its first presence bit was set, or remove it from
// the list when the last bit was cleared. They do nothing while the block has disabled values,
// which keep the component in the list.
void keeli_store_list_block(keel_world *world, keeli_storage *s, uint32_t index);
void keeli_store_unlist_block(keel_world *world, keeli_storage *s, uint32_t index);
static inline void keeli_store_set_bit(keel_world *world, keeli_storage *s, uint32_t index) {
    if (keeli_presence_set(&s->presence, index))
        keeli_store_list_block(world, s, index);
}
static inline void keeli_store_clear_bit(keel_world *world, keeli_storage *s, uint32_t index) {
    if (keeli_presence_clear(&s->presence, index))
        keeli_store_unlist_block(world, s, index);
}

// Clears the bits of several entities of the block that begins at `first`; bit 0 of `bits` stands
// for `first`. Frees the memory of plain values of KEEL_INDEXED. The caller removes slots and rows.
static inline void keeli_store_clear_bits(keel_world *world, keeli_storage *s, uint32_t first,
                                          uint64_t bits) {
    if (s->kind == KEEL_INDEXED)
        keeli_indexed_set_remove_bits(&s->indexed, first, bits);
    if (keeli_presence_clear_bits(&s->presence, first, bits))
        keeli_store_unlist_block(world, s, first);
}

// ------------------------------------------------------------------ disabled values (storage.c)
// Disabled values lie by index in `indexed`, whatever the kind of the storage. In KEEL_INDEXED they
// stay where they are; in the others they are moved there, and back.
static inline void *keeli_store_disabled_value(const keeli_storage *s, uint32_t index) {
    return keeli_indexed_set_value(&s->indexed, index);
}
// Makes room for a disabled value. False when out of memory.
bool keeli_store_reserve_disabled(keel_world *world, keeli_storage *s, uint32_t index);
// Adds a disabled value, after making room. Returns its memory, not initialised.
void *keeli_store_push_disabled(keel_world *world, keeli_storage *s, uint32_t index);
// Removes a disabled value that was moved out.
void keeli_store_pop_disabled(keel_world *world, keeli_storage *s, uint32_t index);
// Drops a disabled value and removes it.
void keeli_store_drop_disabled(keel_world *world, keeli_storage *s, uint32_t index);
// Disables the value of an entity, after making room (keeli_store_reserve_disabled). Its row stays.
void keeli_store_disable(keel_world *world, keeli_storage *s, uint32_t index);
// Enables the value of an entity again, after making room as for a new value, its row included.
void keeli_store_enable(keel_world *world, keeli_storage *s, keel_entity e);

// ------------------------------------------------------------------ one value of a sparse set or
// indexed storage. Not for KEEL_ARCHETYPE, whose values move in rows (below).
//
// Adds the component to the entity, after a reserve. Returns the memory of its value, not
// initialised.
static inline void *keeli_store_push(keel_world *world, keeli_storage *s, keel_entity e) {
    const uint32_t index = keeli_index_of(e);
    if (keeli_store_is_disabled(s, index))
        keeli_store_drop_disabled(world, s, index);
    keeli_store_set_bit(world, s, index);
    if (s->kind == KEEL_INDEXED)
        return keeli_indexed_set_add(&s->indexed, index);
    return keeli_sparse_set_value(&s->set, keeli_sparse_set_push(&s->set, e));
}
// Removes the component, whose value was moved out or dropped, from the entity.
static inline void keeli_store_pop(keel_world *world, keeli_storage *s, uint32_t index) {
    if (s->kind == KEEL_INDEXED && s->size)
        keeli_bytes_vacate(keeli_indexed_set_value(&s->indexed, index), s->size);
    keeli_store_clear_bit(world, s, index);
    if (s->kind == KEEL_INDEXED)
        keeli_indexed_set_remove(&s->indexed, index);
    else
        keeli_sparse_set_remove(&s->set, keeli_sparse_set_find(&s->set, index));
}

// As keeli_store_pop, for storages of any kind. The entity's row stays.
static inline void keeli_store_close(keel_world *world, keeli_storage *s, uint32_t index) {
    if (s->kind == KEEL_ARCHETYPE)
        keeli_store_clear_bit(world, s, index);
    else
        keeli_store_pop(world, s, index);
}

// As keeli_store_push, for storages of any kind. The entity's row was made before.
static inline void *keeli_store_open(keel_world *world, keeli_storage *s, keel_entity e) {
    if (s->kind != KEEL_ARCHETYPE)
        return keeli_store_push(world, s, e);
    const uint32_t index = keeli_index_of(e);
    if (keeli_store_is_disabled(s, index))
        keeli_store_drop_disabled(world, s, index);
    keeli_store_set_bit(world, s, index);
    return keeli_row_value(&s->row, *keeli_row_of(&world->entities, index));
}

// ------------------------------------------------------------------ next to others
static inline uint64_t keeli_bit_of(uint32_t index) { return (uint64_t)1 << (index % 64); }
// The functions up to keeli_store_clear_bit_beside are for fast paths that add a component to an
// entity, or remove it, while another entity of the block of 64 has the component
// (keeli_live_word): only the entity's bit, and its slot or row, change.
//
// keeli_store_has_place: true if a new value needs no memory, apart from its row.
static inline bool keeli_store_has_free_slot(const keeli_storage *s) {
    return s->set.count < s->set.room;
}
static inline bool keeli_store_has_place(const keeli_storage *s) {
    return s->goes_with_bit || keeli_store_has_free_slot(s);
}
// keeli_store_set_bit_beside sets the bit of the entity in `word`, the result of keeli_live_word.
// keeli_store_place_beside makes the place of the new value and returns its memory, not
// initialised; not for KEEL_ARCHETYPE.
static inline void keeli_store_set_bit_beside(keeli_storage *s, uint64_t *word, uint64_t bit) {
    *word |= bit;
    ++s->presence.count;
}
static inline void *keeli_store_place_beside(keeli_storage *s, keel_entity e) {
    if (s->goes_with_bit)
        return keeli_indexed_set_value(&s->indexed, keeli_index_of(e));
    return keeli_sparse_set_value(&s->set, keeli_sparse_set_push(&s->set, e));
}
// Clears the bit of a removed plain value. `rest`: the bits of its word that stay, not 0.
static inline void keeli_store_clear_bit_beside(keeli_storage *s, uint64_t *word, uint64_t rest) {
    *word = rest;
    --s->presence.count;
    ++s->presence.cleared;
}

// ------------------------------------------------------------------ room
// Returns the number of removals that the log of removed values must have room for: every value may
// be removed before anyone makes room in the log again. Entities are added to a reactive set
// without making room, so there is no limit but that of the log itself.
static inline uint32_t keeli_removals_to_come(const keeli_storage *s) {
    return s->sources.count ? s->tracking.removed.limit : s->presence.count + s->disabled.count;
}

// Makes room for the value of an index that has none, except for its slot or row: an edit reserves
// the slots and rows of all its entities at once. False when out of memory.
static inline bool keeli_store_reserve(keel_world *world, keeli_storage *s, uint32_t index) {
    if (!keeli_presence_reserve(&s->presence, &world->heap, index))
        return false;
    if (!keeli_presence_word(&s->presence, index / 64) && !keeli_reserve_listing(world, s, index))
        return false;
    if (s->kind == KEEL_SPARSE_SET)
        return keeli_sparse_set_reserve_cell(&s->set, &world->heap, index);
    return s->kind != KEEL_INDEXED || keeli_indexed_set_reserve(&s->indexed, &world->heap, index);
}
// Returns the number of indices that one call of keeli_store_reserve makes room for: a block of 64,
// or 1 if each indexed value has memory of its own.
static inline uint32_t keeli_store_reserve_step(const keeli_storage *s) {
    return s->kind == KEEL_INDEXED && !keeli_indexed_set_has_whole_blocks(&s->indexed) ? 1 : 64;
}

// ------------------------------------------------------------------ ranges (storage.c)
// Returns how many entities at the beginning of a list have indices that ascend one by one.
uint32_t keeli_range_length(const keel_entity *entities, uint32_t count);
// A range of entities at the beginning of a list, whose indices ascend or descend one by one.
// Descending ranges are common: new entities get the indices of deleted ones, the last deleted
// first.
typedef struct keeli_range {
    uint32_t count, lowest;
    bool descends;
} keeli_range;
keeli_range keeli_range_of(const keel_entity *entities, uint32_t count);
// Adds the component to the entities of a range, after room was made. The values are plain bytes,
// `stride` bytes apart (0: one value for all; NULL: zeros). Rows were made before, one after the
// other in the order of the list. None of the entities has a disabled value.
void keeli_store_push_range(keel_world *world, keeli_storage *s, const keel_entity *entities,
                            keeli_range range, const void *values, size_t stride);

// ------------------------------------------------------------------ rows (storage.c)
// Returns the archetype of an entity, the one without components for an entity without a row.
keeli_archetype *keeli_archetype_of(const keel_world *world, uint32_t index);
// Moves the entity's row to the archetype `to`, or makes or removes the row, after room was made.
// Values of components that are only in `to` are not initialised. Values that are only in the old
// archetype were moved out or dropped.
void keeli_row_move(keel_world *world, keel_entity e, keeli_archetype *to);
// The two halves of keeli_row_move. keeli_row_begin makes the row in `to` and returns the old
// place, keeli_row_end removes the old row. In between the bytes of the old row stay as they are,
// so the caller may still read values from it.
uint32_t keeli_row_begin(keel_world *world, keel_entity e, keeli_archetype *to);
void keeli_row_end(keel_world *world, uint32_t old);

// Iterate over the components that entities of a block may have: those that its list names, or all
// components of the world if the list is incomplete. A free number gives NULL.
static inline uint32_t keeli_block_length(const keel_world *world,
                                          const keeli_component_list *list) {
    if (!list)
        return 0;
    return keeli_list_is_incomplete(list) ? world->registry.by_ordinal.count : list->count;
}
static inline keeli_storage *keeli_block_storage(const keel_world *world,
                                                 keeli_component_list *list, uint32_t at) {
    const uint32_t number = keeli_list_is_incomplete(list) ? at : keeli_list_numbers(list)[at];
    return world->registry.by_ordinal.items[number];
}

// Returns the next component of an entity, disabled ones included, going down in its block's list
// from position `*at`, which starts as UINT32_MAX. NULL at the end. The component that was
// registered last comes first. Meanwhile components of entities of the block may be removed, but
// none may be added that the block did not have. If the list is incomplete, every component of the
// world is checked.
keeli_storage *keeli_store_next_of_all(const keel_world *world, uint32_t index, uint32_t *at);
static inline keeli_storage *keeli_store_next_of(const keel_world *world, uint32_t index,
                                                 uint32_t *at) {
    keeli_component_list *list = keeli_list_if_any(&world->lists, index);
    if (list && keeli_list_is_incomplete(list))
        return keeli_store_next_of_all(world, index, at);
    const uint16_t *numbers = list ? keeli_list_numbers(list) : NULL;
    for (*at = !list ? 0 : *at < list->count ? *at : list->count; *at;) {
        keeli_storage *s = world->registry.by_ordinal.items[numbers[--*at]];
        if (keeli_presence_has(&s->presence, index) || keeli_store_is_disabled(s, index))
            return s;
    }
    return NULL;
}
// Drops all values of all components. No follower is notified.
void keeli_store_drop_all(keel_world *world);
// The same for one component. Rows stay where they are; their values were dropped before.
void keeli_store_drop_values(keel_world *world, keeli_storage *s);

// ------------------------------------------------------------------ whole storages (storage.c)
void keeli_store_init(const keel_world *world, keeli_storage *s);
// Sets `s->root` and the members behind it, by which columns find values (keel_lookup). The storage
// must be empty.
void keeli_store_connect(const keel_world *world, keeli_storage *s);
// Frees the cached parts of the component's hash (edit/hash.c).
void keeli_store_release_hashes(keel_world *world, keeli_storage *s);
// Frees the stamps of the storage and of its edges, and what depends on stamps.
void keeli_store_release_stamps(keel_world *world, keeli_storage *s);
// Frees the memory of a storage whose values were dropped.
void keeli_store_deinit(keel_world *world, keeli_storage *s);
// Frees memory that has no values any more.
void keeli_store_trim(keel_world *world, keeli_storage *s);
// Tells the data structures of the storage which hooks its component has now.
void keeli_store_update_hooks(keeli_storage *s);
// Copies the hooks of a component, and its version and .initial value if it has them. Returns false
// and changes nothing for relations without values and for names, whose hooks are the library's.
bool keeli_store_copy_hooks(keeli_storage *s, const keel_component *from);
// Frees what was recorded of changes, and the list of observers.
void keeli_tracking_deinit(keel_world *world, keeli_tracking *t);
// Returns how many blocks of 64 indices have a value, disabled or not.
uint32_t keeli_store_count_blocks(const keeli_storage *s);
// Removes all edges and drops their values.
void keeli_store_drop_edges(const keeli_relation *relation, keeli_edges *edges, keeli_heap *heap);
size_t keeli_store_bytes(const keeli_storage *s);
bool keeli_store_is_valid(const keel_world *world, const keeli_storage *s);
// Check what was just edited, in test builds.
#if defined(KEELI_VALIDATE) && KEELI_VALIDATE
enum { KEELI_VALIDATES = 1 };
bool keeli_is_turn_to_validate(uint32_t count);
void keeli_validate_entities(keel_world *world);
#else
enum { KEELI_VALIDATES = 0 };
static inline void keeli_validate_entities(keel_world *world) { (void)world; }
#endif
