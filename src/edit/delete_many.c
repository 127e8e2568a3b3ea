// SPDX-License-Identifier: MIT
// Deleting many entities. Those of one block of 64 indices go together, wherever they stand in the
// list: what the block has is looked up once, and bits are cleared a word at a time. What depends
// on the order (slots of sparse sets, rows, the list of free indices) follows afterwards, by the
// list.
#include "edit/edit.h"

enum { open_at_once = 64 };

// Consecutive entities of a list all of whose components are plain, gathered by block.
typedef struct stretch {
    const keel_entity *entities;
    uint32_t count;
    bool has_rows;
    keeli_storage *sets;          // sparse sets that lose values; each one knows the next
    uint64_t open;                // places of open blocks
    uint32_t first[open_at_once]; // index of the block; NO_BLOCK: none is open here
    uint64_t bits[open_at_once];  // who of it
} stretch;
#define NO_BLOCK UINT32_MAX

static bool is_plain(const keel_world *world, uint32_t first) {
    keeli_component_list *list = keeli_list_if_any(&world->lists, first);
    if (!list) return true;
    const uint16_t *numbers = keeli_list_numbers(list);
    uint32_t flags = 0;
    for (uint32_t i = 0; i < list->count; ++i)
        flags |= world->by_ordinal.items[numbers[i]]->flags;
    return !(flags & ~(uint32_t)KEELI_IS_LINK);
}

// ------------------------------------------------------------------ blocks
static void take_from(keel_world *world, stretch *at, keeli_storage *s, uint32_t first,
                      uint64_t gone) {
    // it is in the block's list: the page is there
    const uint64_t word = s->presence.pages[first / 4096][first / 64 % KEELI_PAGE_WORDS];
    const uint64_t bits = word & gone;
    if (!bits) return;
    if (s->kind == KEEL_ARCHETYPE) at->has_rows = true;
    if (s->kind == KEEL_INDEXED)
        keeli_indexed_set_remove_bits(&s->indexed, &world->heap, first, bits);
    if (s->kind == KEEL_SPARSE_SET && !s->next_losing) {
        s->next_losing = at->sets ? at->sets : s; // the last one knows itself
        at->sets = s;
    }
    if (keeli_presence_clear_bits(&s->presence, first, bits))
        keeli_store_unlist_block(world, s, first);
}

static void take_block(keel_world *world, stretch *at, uint32_t place) {
    keeli_component_list *list = keeli_list_if_any(&world->lists, at->first[place]);
    if (!list) return;
    const uint16_t *numbers = keeli_list_numbers(list);
    for (uint32_t i = list->count; i--;) // downwards: when a number goes the last takes its place
        take_from(world, at, world->by_ordinal.items[numbers[i]], at->first[place],
                  at->bits[place]);
}

// Have a block open in its place, which another one may have to leave; false when a component of it
// is not plain.
static __attribute__((noinline)) bool open_block(keel_world *world, stretch *at, uint32_t first) {
    const uint32_t place = first / 64 % open_at_once;
    if (!is_plain(world, first)) return false;
    if (at->first[place] != NO_BLOCK) take_block(world, at, place);
    at->open |= (uint64_t)1 << place;
    at->first[place] = first;
    at->bits[place] = 0;
    return true;
}

// Let the stretch go on to the end of the list, or to the first entity with a component in its
// block that is not plain.
static void extend(keel_world *world, stretch *at, const keel_entity *end) {
    const keel_entity *e = at->entities;
    for (; e < end; ++e) {
        const uint32_t index = keel_entity_index(*e), place = index / 64 % open_at_once;
        if (at->first[place] != index / 64 * 64 && !open_block(world, at, index / 64 * 64)) break;
        at->bits[place] |= (uint64_t)1 << (index % 64);
    }
    at->count = (uint32_t)(e - at->entities);
}

// ------------------------------------------------------------------ in order
static void take_slots(const stretch *at, keeli_sparse_set *set) {
    for (uint32_t i = 0; i < at->count; ++i) {
        const uint32_t index = keel_entity_index(at->entities[i]);
        const uint32_t slot = keeli_sparse_set_find(set, index);
        if (slot != KEELI_NO_SLOT) keeli_sparse_set_take_plain(set, slot, index);
    }
}

static void take_rows(keel_world *world, const stretch *at) {
    for (uint32_t i = 0; i < at->count; ++i) {
        const uint32_t place = *keeli_row_of(world, keel_entity_index(at->entities[i]));
        if (place != KEELI_NO_ROW)
            keeli_archetype_take(&world->archetypes, &world->entities, place);
    }
}

// Delete the stretch; the next one begins behind it.
static void commit(keel_world *world, stretch *at) {
    for (; at->open; at->open &= at->open - 1) {
        const uint32_t place = (uint32_t)__builtin_ctzll(at->open);
        take_block(world, at, place);
        at->first[place] = NO_BLOCK;
    }
    for (keeli_storage *s = at->sets, *next; s; s = next) {
        take_slots(at, &s->set);
        next = s->next_losing != s ? s->next_losing : NULL;
        s->next_losing = NULL;
    }
    if (at->has_rows) take_rows(world, at);
    keeli_entity_index_delete_many(&world->entities, at->entities, at->count);
    at->entities += at->count;
    at->count = 0;
    at->sets = NULL;
    at->has_rows = false;
}

void keeli_commit_delete_entities(keel_world *world, const keel_entity *list, uint32_t count) {
    const keel_entity *end = list + count;
    const bool is_quiet = !world->holders && !world->share_depth && !world->followers.observed;
    stretch at; // bits are written when a block is opened
    at.entities = list;
    at.count = 0;
    at.has_rows = false;
    at.sets = NULL;
    at.open = 0;
    memset(at.first, 0xFF, sizeof at.first);
    while (at.entities < end) {
        if (is_quiet) extend(world, &at, end);
        commit(world, &at);
        if (at.entities < end) keeli_commit_delete_entity(world, *at.entities++);
    }
    keeli_validate_entities(world);
}
