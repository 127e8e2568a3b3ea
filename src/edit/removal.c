// SPDX-License-Identifier: MIT
#include "edit/removal.h"

#include "world/report.h"

// ------------------------------------------------------------------ one component
// The entity, which has the component, loses its value and its bit. Its row stays.
static void take(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind, void *out) {
    const uint32_t index = keel_entity_index(e);
    if (s->flags || out) {
        keeli_going(world, s, index, kind);
        void *value = keeli_store_value(world, s, index);
        if (kind == KEEL_TRACK_DELETION) keeli_value_delete(world, s, index, value);
        else if (!out) keeli_value_drop(s, value);
        else if (s->size) keeli_value_move(s, out, value);
    }
    if (s->kind == KEEL_ARCHETYPE) keeli_store_clear_bit(world, s, index);
    else keeli_store_pop(world, s, index);
}

// Where the row of an entity goes that loses the component, with room for it; NULL when out of
// memory.
static keeli_archetype *reserve_row(keel_world *world, keeli_storage *s, uint32_t index) {
    keeli_archetypes *a = &world->archetypes;
    keeli_archetype *to =
        keeli_archetype_without(a, &world->heap, keeli_archetype_of(world, index), &s->row);
    return to && (!to->column_count || keeli_archetype_reserve(a, &world->heap, to, 1)) ? to : NULL;
}

keel_result keeli_take_value(keel_world *world, keeli_storage *s, keel_entity e, uint32_t kind,
                             void *out) {
    const uint32_t index = keel_entity_index(e);
    keeli_archetype *to = NULL;
    if (!keeli_store_has(s, index)) {
        if (keeli_store_is_disabled(s, index)) keeli_store_drop_disabled(world, s, index);
        return KEEL_ABSENT;
    }
    if (s->kind == KEEL_ARCHETYPE && !(to = reserve_row(world, s, index)))
        return keeli_out_of_memory(world, "removing a component");
    take(world, s, e, kind, out);
    if (to) keeli_row_move(world, e, to);
    keeli_validate_storage(world, s);
    return KEEL_OK;
}

// ------------------------------------------------------------------ a batch
keel_result keeli_batch_reserve_removal(keeli_batch *b) {
    b->is_removal = true;
    return !b->has_rows || keeli_batch_reserve_rows(b) ? KEEL_OK
                                                       : keeli_out_of_memory(b->world, b->doing);
}

static bool take_from(const keeli_batch *b, const keeli_column *c, uint32_t i, uint32_t kind) {
    const keel_entity e = b->entities[i];
    const uint32_t index = keel_entity_index(e);
    if (!keeli_entity_is_alive(&b->world->entities, e)) return false;
    const bool has = keeli_store_has(c->storage, index);
    if (has) take(b->world, c->storage, e, kind, c->out);
    else if (keeli_store_is_disabled(c->storage, index))
        keeli_store_drop_disabled(b->world, c->storage, index);
    return has;
}

static void move_rows(keeli_batch *b) {
    for (uint32_t i = 0, n; i < b->count; i += n) {
        n = 1;
        if (!keeli_entity_is_alive(&b->world->entities, b->entities[i])) continue;
        keeli_archetype *from = keeli_archetype_of(b->world, keel_entity_index(b->entities[i]));
        keeli_archetype *to = keeli_batch_target(b, from);
        if (to == from) continue;
        n = keeli_batch_rows_beside(b, i);
        keeli_batch_copy_rows(b, i, n, to);
    }
    keeli_batch_take_rows(b);
}

bool keeli_batch_remove(keeli_batch *b, uint32_t kind) {
    bool any = false;
    for (uint32_t k = 0; k < b->column_count; ++k) {
        const keeli_column *c = &b->columns[k];
        bool taken = false;
        for (uint32_t i = b->count; i--;) // nothing moves when the list is in packed order
            taken |= take_from(b, c, i, kind);
        if (c->taken) *c->taken = taken;
        any |= taken;
    }
    if (b->has_rows && any) move_rows(b);
    b->is_committed = true;
    return any;
}

// ------------------------------------------------------------------ from all entities
bool keeli_reserve_clear(keel_world *world, keeli_storage *s) {
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
    keeli_archetypes *a = &world->archetypes;
    for (uint32_t i = 0; i < a->count; ++i) {
        keeli_archetype *from = a->all[i];
        if (!from->row_count || keeli_archetype_column(from, s->slot) == UINT32_MAX) continue;
        keeli_archetype *to = keeli_archetype_without(a, &world->heap, from, &s->row);
        while (from->row_count) { // the last row each time, so that nothing moves into its place
            uint32_t b = from->block_count - 1;
            while (from->blocks[b]->count == 0)
                --b;
            const keel_entity e = from->blocks[b]->entities[from->blocks[b]->count - 1];
            const uint32_t index = keel_entity_index(e);
            keeli_value_delete(world, s, index, keeli_store_value(world, s, index));
            keeli_store_clear_bit(world, s, index);
            keeli_row_move(world, e, to);
        }
    }
}

void keeli_clear(keel_world *world, keeli_storage *s) {
    keeli_store_clear_watched(world, s);
    if (s->kind == KEEL_ARCHETYPE) clear_rows(world, s);
    else keeli_store_drop_values(world, s);
}

// Observers are told of all before the first one goes.
static void take_all_followed(keel_world *world) {
    keel_entity e = keel_null();
    while (world->followers.observed && !keel_is_null(e = keel_next_entity(world, e)))
        keeli_entity_going(world, e, KEEL_ON_DELETED, true);
    e = keel_null();
    while (!keel_is_null(e = keel_next_entity(world, e)))
        keeli_take_all(world, e, KEEL_TRACK_DELETION);
}

void keeli_clear_all(keel_world *world) {
    ++world->hierarchy.links.edits;
    if (keeli_is_any_followed(world)) take_all_followed(world);
    keeli_groups_clear_all(world);
    keeli_store_drop_all(world);
}

// ------------------------------------------------------------------ all of an entity
void keeli_take_all(keel_world *world, keel_entity e, uint32_t kind) {
    const uint32_t index = keel_entity_index(e);
    const bool drops = kind == KEEL_TRACK_DELETION;
    if (world->followers.groups) keeli_groups_leave(world, e, !drops);
    keeli_component_list *list = keeli_list_if_any(&world->lists, index);
    for (uint32_t i = list ? list->count : 0;
         i--;) { // downwards: the last takes a gone one's place
        keeli_storage *s = world->registry.by_ordinal.items[keeli_list_numbers(list)[i]];
        const bool is_seen = keeli_store_has(s, index);
        if (!is_seen && !keeli_store_is_disabled(s, index)) continue;
        if (!is_seen) keeli_store_enable(s, index);
        void *value = s->flags ? keeli_store_value(world, s, index) : NULL;
        if (value && drops && is_seen) keeli_value_delete(world, s, index, value);
        else if (value && drops) keeli_value_drop(s, value);
        else if (s->flags && is_seen) (void)keeli_track_removed(world, s, e, kind, NULL);
        if (s->kind == KEEL_ARCHETYPE) keeli_store_clear_bit(world, s, index);
        else keeli_store_pop(world, s, index);
    }
    if (*keeli_row_of(world, index) != KEELI_NO_ROW)
        keeli_row_move(world, e, world->archetypes.all[0]);
}

void keeli_commit_delete_entity(keel_world *world, keel_entity e) {
    keeli_entity_going(world, e, KEEL_ON_DELETED, true);
    keeli_take_all(world, e, KEEL_TRACK_DELETION);
    keeli_entity_index_delete(&world->entities, e);
    keeli_validate_entities(world);
}

// ------------------------------------------------------------------ many entities
// Those of one block of 64 indices go together, wherever they stand in the list: what the block has
// is looked up once, and bits are cleared a word at a time. What depends on the order (slots of
// sparse sets, rows, the list of free indices) follows afterwards, by the list.
enum { open_at_once = 64 };

// Consecutive entities of a list all of whose components are plain, gathered by block.
typedef struct stretch {
    const keel_entity *entities;
    uint32_t count;
    bool has_rows;
    uint32_t set_count;
    keeli_storage *sets[32];      // sparse sets that lose values
    uint64_t open;                // places of open blocks
    uint32_t first[open_at_once]; // index of the block; NO_BLOCK: none is open here
    uint64_t bits[open_at_once];  // who of it
} stretch;
#define NO_BLOCK UINT32_MAX

static bool add_set(stretch *at, keeli_storage *s) {
    uint32_t i = 0;
    while (i < at->set_count && at->sets[i] != s)
        ++i;
    if (i == sizeof at->sets / sizeof *at->sets) return false;
    at->sets[i] = s;
    at->set_count = i == at->set_count ? i + 1 : at->set_count;
    return true;
}

// May what the block has go with the stretch?
static bool is_plain(const keel_world *world, stretch *at, uint32_t first) {
    keeli_component_list *list = keeli_list_if_any(&world->lists, first);
    if (!list) return true;
    const uint16_t *numbers = keeli_list_numbers(list);
    for (uint32_t i = 0; i < list->count; ++i) {
        keeli_storage *s = world->registry.by_ordinal.items[numbers[i]];
        if (s->flags & ~(uint32_t)KEELI_IS_LINK) return false;
        if (s->kind == KEEL_SPARSE_SET && !add_set(at, s)) return false;
    }
    return true;
}

static void take_from_block(keel_world *world, stretch *at, keeli_storage *s, uint32_t first,
                            uint64_t gone) {
    // it is in the block's list: the page is there
    const uint64_t word = s->presence.root.pages[first / 4096][first / 64 % KEELI_PAGE_WORDS];
    const uint64_t bits = word & gone;
    if (!bits) return;
    if (s->kind == KEEL_ARCHETYPE) at->has_rows = true;
    if (s->kind == KEEL_INDEXED)
        keeli_indexed_set_remove_bits(&s->indexed, &world->heap, first, bits);
    if (keeli_presence_clear_bits(&s->presence, first, bits))
        keeli_store_unlist_block(world, s, first);
}

static void take_block(keel_world *world, stretch *at, uint32_t place) {
    keeli_component_list *list = keeli_list_if_any(&world->lists, at->first[place]);
    if (!list) return;
    const uint16_t *numbers = keeli_list_numbers(list);
    for (uint32_t i = list->count; i--;) // downwards: when a number goes the last takes its place
        take_from_block(world, at, world->registry.by_ordinal.items[numbers[i]], at->first[place],
                        at->bits[place]);
}

// Have a block open in its place, which another one may have to leave; false when a component of it
// is not plain.
static __attribute__((noinline)) bool open_block(keel_world *world, stretch *at, uint32_t first) {
    const uint32_t place = first / 64 % open_at_once;
    if (!is_plain(world, at, first)) return false;
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

static void take_slots(const stretch *at, keeli_sparse_set *set) {
    for (uint32_t i = 0; i < at->count; ++i) {
        const uint32_t index = keel_entity_index(at->entities[i]);
        const uint32_t slot = keeli_sparse_set_find(set, index);
        if (slot != KEELI_NO_SLOT) keeli_sparse_set_take_plain(set, slot, index);
    }
}

static void take_old_rows(keel_world *world, const stretch *at) {
    for (uint32_t i = 0; i < at->count; ++i) {
        uint32_t *where = keeli_row_of(world, keel_entity_index(at->entities[i]));
        if (!keeli_entity_is_alive(&world->entities, at->entities[i]) || *where == KEELI_NO_ROW)
            continue;
        keeli_archetype_take(&world->archetypes, &world->entities, *where);
        *where = KEELI_NO_ROW; // the entity may come again
    }
}

// Delete the stretch; the next one begins behind it.
static void commit(keel_world *world, stretch *at) {
    for (; at->open; at->open &= at->open - 1) {
        const uint32_t place = (uint32_t)__builtin_ctzll(at->open);
        take_block(world, at, place);
        at->first[place] = NO_BLOCK;
    }
    for (uint32_t i = 0; i < at->set_count; ++i)
        take_slots(at, &at->sets[i]->set);
    if (at->has_rows) take_old_rows(world, at);
    keeli_entity_index_delete_many(&world->entities, at->entities, at->count);
    at->entities += at->count;
    at->count = at->set_count = 0;
    at->has_rows = false;
}

// What the stretch stopped at.
static void delete_one(keel_world *world, keel_entity e) {
    if (!keeli_entity_is_alive(&world->entities, e)) return;
    keeli_commit_delete_entity(world, e);
}

void keeli_commit_delete_entities(keel_world *world, const keel_entity *list, uint32_t count) {
    const keel_entity *end = list + count;
    const bool is_quiet = !world->access.holders && !world->refused && !world->followers.observed;
    stretch at; // bits are written when a block is opened
    at.entities = list;
    at.count = at.set_count = 0;
    at.has_rows = false;
    at.open = 0;
    memset(at.first, 0xFF, sizeof at.first);
    while (at.entities < end) {
        if (is_quiet) extend(world, &at, end);
        commit(world, &at);
        if (at.entities < end) delete_one(world, *at.entities++);
    }
    keeli_validate_entities(world);
}
