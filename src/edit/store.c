// SPDX-License-Identifier: MIT
// Values in storages of every kind: rows of archetypes, and what goes over whole storages.
#include "edit/store.h"

#include "base/assert.h"

// ------------------------------------------------------------------ rows
keeli_archetype *keeli_archetype_of(const keel_world *world, uint32_t index) {
    const uint32_t place = *keeli_row_of(world, index);
    if (place == KEELI_NO_ROW) return world->archetypes.all[0];
    return keeli_block_of(&world->archetypes, place)->archetype;
}

bool keeli_row_reserve(keel_world *world, keeli_archetype *to) {
    return to->column_count == 0 ||
           keeli_archetype_reserve(&world->archetypes, &world->heap, to, 1);
}

void keeli_row_move(keel_world *world, keel_entity e, keeli_archetype *to) {
    uint32_t *where = keeli_row_of(world, keel_entity_index(e));
    const uint32_t place = *where;
    if (to->column_count == 0) {
        keeli_archetype_take(&world->archetypes, &world->entities, place);
        *where = KEELI_NO_ROW;
    } else if (place == KEELI_NO_ROW) {
        *where = keeli_archetype_push(to, e);
    } else {
        keeli_archetype_move(&world->archetypes, &world->entities, place, to);
    }
}

static keeli_archetype *with(keel_world *world, keeli_storage *s, uint32_t index) {
    return keeli_archetype_with(&world->archetypes, &world->heap, keeli_archetype_of(world, index),
                                &s->row);
}
static keeli_archetype *without(keel_world *world, keeli_storage *s, uint32_t index) {
    return keeli_archetype_without(&world->archetypes, &world->heap,
                                   keeli_archetype_of(world, index), &s->row);
}

// ------------------------------------------------------------------ any kind
bool keeli_store_reserve_any(keel_world *world, keeli_storage *s, uint32_t index) {
    if (s->kind != KEEL_ARCHETYPE) return keeli_store_reserve(world, s, index);
    keeli_archetype *to = with(world, s, index);
    return to && keeli_row_reserve(world, to) && keeli_store_reserve_bit(world, s, index);
}

void *keeli_store_add_any(keel_world *world, keeli_storage *s, keel_entity e) {
    if (s->kind != KEEL_ARCHETYPE) return keeli_store_add(world, s, e);
    const uint32_t index = keel_entity_index(e);
    keeli_row_move(world, e, with(world, s, index)); // the edge is known since the reserve
    keeli_store_set_bit(world, s, index);
    return keeli_row_value(&s->row, *keeli_row_of(world, index));
}

bool keeli_store_reserve_take(keel_world *world, keeli_storage *s, uint32_t index) {
    if (s->kind != KEEL_ARCHETYPE) return true;
    keeli_archetype *to = without(world, s, index);
    return to && keeli_row_reserve(world, to);
}

void keeli_store_take_any(keel_world *world, keeli_storage *s, keel_entity e) {
    const uint32_t index = keel_entity_index(e);
    if (s->kind != KEEL_ARCHETYPE) {
        keeli_store_take(world, s, index);
        return;
    }
    keeli_store_clear_bit(world, s, index);
    keeli_row_move(world, e, without(world, s, index));
}

keeli_storage *keeli_store_next_of(const keel_world *world, uint32_t index, uint32_t *at) {
    if (index / 4096 >= world->lists.capacity || !world->lists.pages[index / 4096]) return NULL;
    keeli_component_list *list = keeli_list_of(&world->lists, index);
    const uint16_t *numbers = keeli_list_numbers(list);
    if (*at > list->count) *at = list->count;
    while (*at) {
        keeli_storage *s = world->by_ordinal[numbers[--*at]];
        if (keeli_store_has(s, index)) return s;
    }
    return NULL;
}

bool keeli_store_has_any(const keel_world *world, uint32_t index) {
    uint32_t at = UINT32_MAX;
    return keeli_store_next_of(world, index, &at) != NULL;
}

void keeli_store_take_all(keel_world *world, keel_entity e) {
    const uint32_t index = keel_entity_index(e);
    uint32_t at = UINT32_MAX;
    for (keeli_storage *s; (s = keeli_store_next_of(world, index, &at)) != NULL;) {
        if (s->flags & KEELI_HAS_HOOKS) keeli_value_drop(s, keeli_store_value(world, s, index));
        if (s->kind == KEEL_ARCHETYPE) keeli_store_clear_bit(world, s, index);
        else keeli_store_take(world, s, index);
    }
    if (*keeli_row_of(world, index) != KEELI_NO_ROW)
        keeli_row_move(world, e, world->archetypes.all[0]);
}

// ------------------------------------------------------------------ whole storages
void keeli_store_init(keeli_storage *s) {
    const keel_component *c = &s->component;
    s->kind = c->storage;
    s->size = c->size;
    if (c->drop || c->move) s->flags |= KEELI_HAS_HOOKS;
    if (c->is_unique) s->flags |= KEELI_IS_UNIQUE;
    keeli_sparse_set_init(&s->set, c);
    keeli_indexed_set_init(&s->indexed, c->size, c->align, &s->presence.root);
    s->row = (keeli_row_component){ .number = s->slot,
                                    .size = c->size,
                                    .align = c->align,
                                    .drop = c->drop,
                                    .move = c->move,
                                    .hook_data = c->hook_data };
    s->row.root = (struct keeli_set_root){ .kind = KEEL_ARCHETYPE,
                                           .shift = KEELI_ROW_SHIFT,
                                           .bits = &s->presence.root };
    s->root = s->kind == KEEL_SPARSE_SET ? &s->set.root
              : s->kind == KEEL_INDEXED  ? &s->indexed.root
                                         : &s->row.root;
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
            keeli_value_drop(s, keeli_store_value(world, s, keel_entity_index(e)));
            keeli_store_take_any(world, s, e);
        }
    }
}

void keeli_store_clear(keel_world *world, keeli_storage *s) {
    if (s->kind == KEEL_ARCHETYPE) {
        clear_rows(world, s);
        return;
    }
    for (uint32_t i = 0; (i = keeli_presence_next(&s->presence, i)) != UINT32_MAX; ++i) {
        if (s->kind == KEEL_INDEXED) {
            keeli_value_drop(s, keeli_store_value(world, s, i));
            keeli_indexed_set_remove(&s->indexed, &world->heap, i);
        }
        const uint64_t below = ((uint64_t)1 << (i % 64)) - 1;
        if (!(keeli_presence_word(&s->presence, i / 64) & below)) // once per block
            keeli_component_lists_remove(&world->lists, i, s->ordinal);
    }
    if (s->kind == KEEL_SPARSE_SET) keeli_sparse_set_clear(&s->set);
    keeli_presence_reset(&s->presence);
}

void keeli_store_trim(keel_world *world, keeli_storage *s) {
    keeli_presence_trim(&s->presence, &world->heap);
    keeli_sparse_set_trim(&s->set, &world->heap);
    if (s->kind == KEEL_INDEXED && s->size) keeli_indexed_set_trim(&s->indexed, &world->heap);
}

void keeli_store_deinit(keel_world *world, keeli_storage *s) {
    if (s->kind == KEEL_INDEXED && s->component.drop)
        for (uint32_t i = 0; (i = keeli_presence_next(&s->presence, i)) != UINT32_MAX; ++i)
            keeli_value_drop(s, keeli_store_value(world, s, i));
    keeli_sparse_set_deinit(&s->set, &world->heap);
    if (s->size) keeli_indexed_set_deinit(&s->indexed, &world->heap);
    keeli_free(&world->heap, s->row.bases, s->row.base_capacity * sizeof(void *), sizeof(void *));
    keeli_presence_deinit(&s->presence, &world->heap);
}

size_t keeli_store_bytes(const keeli_storage *s) {
    return s->presence.bytes + s->set.bytes + s->indexed.bytes +
           s->row.base_capacity * sizeof(void *);
}

bool keeli_store_is_valid(const keel_world *world, const keeli_storage *s) {
    if (!keeli_presence_is_valid(&s->presence)) return false;
    if (s->kind == KEEL_SPARSE_SET &&
        (!keeli_sparse_set_is_valid(&s->set) || s->set.count != s->presence.count))
        return false;
    for (uint32_t i = 0; (i = keeli_presence_next(&s->presence, i)) != UINT32_MAX; ++i)
        if (keeli_store_place(world, s, i) == UINT32_MAX) return false;
    return true;
}
