// SPDX-License-Identifier: MIT
// Deleting many entities. Those of one block of 64 indices go together, wherever they stand in the
// list: what the block has is looked up once, and bits are cleared a word at a time. What depends
// on the order (slots of sparse sets, rows, the list of free indices) follows afterwards, by the
// list.
#include "edit/edit.h"

// Entities in one block that are deleted.
typedef struct block {
    uint32_t first; // index of the block
    uint64_t bits;  // who of it
} block;

enum { open_at_once = 16 };

// Consecutive entities of a list all of whose components are plain.
typedef struct stretch {
    const keel_entity *entities;
    uint32_t count;
    uint32_t open;              // which of these are
    block blocks[open_at_once]; // by number of the block: when another needs the place it is taken
    keeli_storage *sets;        // sparse sets that lose values; each one knows the next
    bool has_rows;
} stretch;

// What the block of an index has; NULL: nothing was ever there.
static keeli_component_list *list_of(const keel_world *world, uint32_t index) {
    const uint32_t page = index / 4096;
    if (page >= world->lists.capacity || !world->lists.pages[page]) return NULL;
    return keeli_list_of(&world->lists, index);
}

static bool is_plain(const keel_world *world, uint32_t first) {
    keeli_component_list *list = list_of(world, first);
    if (!list) return true;
    const uint16_t *numbers = keeli_list_numbers(list);
    uint32_t flags = 0;
    for (uint32_t i = 0; i < list->count; ++i)
        flags |= world->by_ordinal.items[numbers[i]]->flags;
    return !(flags & ~(uint32_t)KEELI_IS_LINK);
}

// ------------------------------------------------------------------ blocks
static void take_from(keel_world *world, stretch *at, keeli_storage *s, const block *b) {
    // it is in the block's list: the page is there
    const uint64_t word = s->presence.pages[b->first / 4096][b->first / 64 % KEELI_PAGE_WORDS];
    const uint64_t bits = word & b->bits;
    if (!bits) return;
    if (s->kind == KEEL_ARCHETYPE) at->has_rows = true;
    if (s->kind == KEEL_INDEXED)
        keeli_indexed_set_remove_bits(&s->indexed, &world->heap, b->first, bits);
    if (s->kind == KEEL_SPARSE_SET && !s->next_losing) {
        s->next_losing = at->sets ? at->sets : s; // the last one knows itself
        at->sets = s;
    }
    if (keeli_presence_clear_bits(&s->presence, b->first, bits))
        keeli_store_unlist_block(world, s, b->first);
}

static void take_block(keel_world *world, stretch *at, const block *b) {
    keeli_component_list *list = list_of(world, b->first);
    if (!list) return;
    const uint16_t *numbers = keeli_list_numbers(list);
    for (uint32_t i = list->count; i--;) // downwards: when a number goes the last takes its place
        take_from(world, at, world->by_ordinal.items[numbers[i]], b);
}

// Have a block open; NULL when a component of it is not plain.
static inline block *open_block(keel_world *world, stretch *at, uint32_t first) {
    const uint32_t place = first / 64 % open_at_once;
    block *b = &at->blocks[place];
    const bool is_used = at->open >> place & 1;
    if (is_used && b->first == first) return b;
    if (!is_plain(world, first)) return NULL;
    if (is_used) take_block(world, at, b);
    at->open |= 1u << place;
    *b = (block){ .first = first };
    return b;
}

// Let the stretch go on with the entities behind it that are in one block; false when a component
// of it is not plain.
static inline bool extend(keel_world *world, stretch *at, const keel_entity *end) {
    const keel_entity *e = at->entities + at->count;
    const uint32_t first = keel_entity_index(*e) / 64 * 64;
    block *b = open_block(world, at, first);
    if (!b) return false;
    uint64_t bits = 0;
    do {
        bits |= (uint64_t)1 << (keel_entity_index(*e) % 64);
    } while (++e < end && keel_entity_index(*e) - first < 64);
    b->bits |= bits;
    at->count = (uint32_t)(e - at->entities);
    return true;
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
    for (; at->open; at->open &= at->open - 1)
        take_block(world, at, &at->blocks[__builtin_ctz(at->open)]);
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
    const bool is_quiet = !world->holders && !world->share_depth && !world->observed;
    stretch at;
    at.entities = list;
    at.count = at.open = 0;
    at.sets = NULL;
    at.has_rows = false;
    while (at.entities + at.count < end) {
        if (is_quiet && extend(world, &at, end)) continue;
        commit(world, &at);
        keeli_commit_delete_entity(world, *at.entities++);
    }
    commit(world, &at);
    keeli_validate_entities(world);
}
