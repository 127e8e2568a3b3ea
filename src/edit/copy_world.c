// SPDX-License-Identifier: MIT
// A world becomes a copy of another one, storage by storage. When that fails, what is there already
// is dropped: everything else of that world is empty.
#include "edit/edit.h"

#include "edit/flush.h"
#include "world/registry.h"
#include "world/report.h"

#include <string.h>

// ------------------------------------------------------------------ may it be copied?
static bool has_values(const keeli_storage *s) {
    return s->presence.count || s->disabled.count || s->unique;
}

static keel_result cannot_copy(keel_world *to, const keeli_storage *s) {
    return keeli_error(to, KEEL_ERROR_COPY,
                       s->component.copy
                           ? "the copy hook of '%s' failed; the world was not copied"
                           : "'%s' has a drop hook but no copy hook, so a world with values of it "
                             "cannot be copied",
                       s->component.name);
}

// Nobody may change the source meanwhile. Errors are kept by the target: the source is const.
static keel_result check_source(const keel_world *from, keel_world *to) {
    KEEL_TRY(keeli_may_read_all(from, to, "copy"));
    for (uint32_t i = 0; i < from->order.count; ++i) {
        const keeli_storage *s = from->order.items[i];
        if (has_values(s) && s->component.drop && !s->component.copy) return cannot_copy(to, s);
    }
    return KEEL_OK;
}

static keel_result check_target(keel_world *to) {
    KEEL_TRY(keeli_may_edit(to, NULL, &to->entity_storage, "copy into"));
    KEEL_TRY(keeli_may_edit(to, NULL, &to->row_storage, "copy into"));
    if (keeli_entity_count(&to->entities) || to->entities.held)
        return keeli_error(to, KEEL_ERROR_ARGUMENT,
                           "cannot copy into world '%s': %u entities are alive in it and %u are "
                           "recorded; call keel_apply and keel_clear_entities on it first",
                           to->name, (unsigned)keeli_entity_count(&to->entities),
                           (unsigned)to->entities.held);
    for (uint32_t i = 0; i < to->order.count; ++i) {
        const keeli_storage *t = to->order.items[i];
        KEEL_TRY(keeli_may_edit(to, NULL, t, "copy into"));
        if (t->unique)
            return keeli_error(to, KEEL_ERROR_ARGUMENT,
                               "cannot copy into world '%s': its unique '%s' is set; "
                               "call keel_remove_unique first",
                               to->name, t->component.name);
    }
    return KEEL_OK;
}

static keel_result check_worlds(const keel_world *from, keel_world *to) {
    if (from == to)
        return keeli_misuse(to, KEEL_ERROR_ARGUMENT,
                            "keel_copy_world needs two worlds, but both are '%s'", to->name);
    if (from->library != &keeli_library || to->library != &keeli_library)
        return keeli_error(to, KEEL_ERROR_COMPONENT,
                           "a world was made by another copy of libkeel in this process; link "
                           "programs and plug-ins to one shared library");
    KEEL_TRY(check_target(to));
    return check_source(from, to);
}

static keel_result register_all(const keel_world *from, keel_world *to) {
    keel_result result;
    for (uint32_t i = 0; i < from->order.count; ++i) {
        const keel_component *c = &from->order.items[i]->component;
        if (!keeli_storage_get(to, c, c->is_unique, &result)) return result;
    }
    return KEEL_OK;
}

// ------------------------------------------------------------------ copying values
// Fill a place that holds no value; false when the copy hook fails.
static bool copy_value(const keeli_storage *s, void *to, const void *from) {
    if (s->component.copy) return keeli_hook_copy(s, to, from);
    keeli_bytes_put(to, from, s->size);
    return true;
}

static keel_result no_memory(keel_world *to) { return keeli_out_of_memory(to, "copying a world"); }

static bool reserve_block(keel_world *to, keeli_storage *t, uint32_t index) {
    return keeli_component_lists_reserve(&to->lists, &to->heap, index, 1) &&
           (!t->sources.count || keeli_sets_reserve(to, t, index, 0, 0));
}

// The same bits, with their places in the lists of blocks. The target has none so far.
static bool reserve_bits(keel_world *to, keeli_storage *t, const keeli_storage *s) {
    const keeli_presence *p = &s->presence;
    for (uint32_t page = 0; (page = keeli_presence_next_page(p, page)) != UINT32_MAX; ++page) {
        if (!keeli_presence_reserve(&t->presence, &to->heap, page * 4096)) return false;
        for (uint32_t w = 0; w < KEELI_PAGE_WORDS; ++w)
            if (p->pages[page][w] && !reserve_block(to, t, page * 4096 + w * 64)) return false;
    }
    return true;
}

static void copy_bits(keel_world *to, keeli_storage *t, const keeli_storage *s) {
    const keeli_presence *p = &s->presence;
    keeli_presence_copy(&t->presence, p);
    for (uint32_t page = 0; (page = keeli_presence_next_page(p, page)) != UINT32_MAX; ++page)
        for (uint32_t w = 0; w < KEELI_PAGE_WORDS; ++w)
            if (p->pages[page][w]) keeli_store_list_block(to, t, page * 4096 + w * 64);
}

// ------------------------------------------------------------------ sparse sets
static bool reserve_sparse(keel_world *to, keeli_storage *t, const keeli_storage *s) {
    if (!keeli_sparse_set_reserve(&t->set, &to->heap, s->set.count)) return false;
    for (uint32_t p = 0; p < s->set.root.page_count; ++p)
        if (s->set.sparse[p] != keeli_no_cells &&
            !keeli_sparse_set_reserve_cell(&t->set, &to->heap, p * KEELI_SPARSE_PAGE))
            return false;
    return reserve_bits(to, t, s);
}

static keel_result copy_sparse(keel_world *to, keeli_storage *t, const keeli_storage *s) {
    if (!reserve_sparse(to, t, s)) return no_memory(to);
    if (!s->component.copy) {
        keeli_sparse_set_copy(&t->set, &s->set);
        copy_bits(to, t, s);
        return KEEL_OK;
    }
    for (uint32_t slot = 0; slot < s->set.count; ++slot) {
        const keel_entity e = *keeli_sparse_set_entity(&s->set, slot);
        void *value = keeli_store_push(to, t, e);
        if (copy_value(s, value, keeli_sparse_set_value(&s->set, slot))) continue;
        keeli_store_pop(to, t, keel_entity_index(e)); // was never filled
        return cannot_copy(to, s);
    }
    return KEEL_OK;
}

// ------------------------------------------------------------------ indexed storage
static bool reserve_indexed(keel_world *to, keeli_storage *t, const keeli_storage *s) {
    for (uint32_t i = 0; (i = keeli_store_next(s, i)) != UINT32_MAX; ++i) {
        if (!keeli_indexed_set_reserve(&t->indexed, &to->heap, i)) return false;
        if (s->root->shift >= 6) i |= 63; // a page holds whole words
    }
    return reserve_bits(to, t, s);
}

static void copy_plain_indexed(keel_world *to, keeli_storage *t, const keeli_storage *s) {
    const keeli_presence *p = &s->presence;
    for (uint32_t page = 0; (page = keeli_presence_next_page(p, page)) != UINT32_MAX; ++page)
        for (uint32_t w = 0; w < KEELI_PAGE_WORDS; ++w)
            keeli_indexed_set_copy(&t->indexed, &s->indexed, page * 4096 + w * 64,
                                   p->pages[page][w]);
    copy_bits(to, t, s);
}

static keel_result copy_at_index(keel_world *to, keeli_storage *t, const keeli_storage *s,
                                 uint32_t index) {
    void *value = keeli_store_push(to, t, keeli_entity_at(&to->entities, index));
    if (copy_value(s, value, keeli_indexed_set_value(&s->indexed, index))) return KEEL_OK;
    keeli_store_pop(to, t, index); // was never filled
    return cannot_copy(to, s);
}

static keel_result copy_disabled(keel_world *to, keeli_storage *t, const keeli_storage *s) {
    for (uint32_t i = 0; (i = keeli_presence_next(&s->disabled, i)) != UINT32_MAX; ++i) {
        if (!keeli_store_reserve(to, t, i, 0) ||
            !keeli_presence_reserve(&t->disabled, &to->heap, i))
            return no_memory(to);
        KEEL_TRY(copy_at_index(to, t, s, i));
        keeli_store_disable(t, i);
    }
    return KEEL_OK;
}

static keel_result copy_indexed(keel_world *to, keeli_storage *t, const keeli_storage *s) {
    if (!reserve_indexed(to, t, s)) return no_memory(to);
    if (!s->component.copy) {
        copy_plain_indexed(to, t, s);
    } else {
        for (uint32_t i = 0; (i = keeli_store_next(s, i)) != UINT32_MAX; ++i)
            KEEL_TRY(copy_at_index(to, t, s, i));
    }
    return copy_disabled(to, t, s);
}

// ------------------------------------------------------------------ rows
static keeli_storage *storage_of(const keel_world *world, const keeli_row_component *column) {
    return world->root.storages[column->number];
}

// The archetype of the same components in the target, with room for as many rows.
static keeli_archetype *target_archetype(const keeli_archetype *from, keel_world *to) {
    const size_t bytes = from->column_count * sizeof(keeli_row_component *);
    keeli_row_component **set = keeli_new(&to->heap, bytes, sizeof(void *));
    if (!set) return NULL;
    for (uint32_t c = 0; c < from->column_count; ++c)
        set[c] = &storage_of(to, from->columns[c])->row;
    keeli_archetypes *a = &to->archetypes;
    keeli_archetype *found = keeli_archetypes_find(a, &to->heap, set, from->column_count);
    keeli_free(&to->heap, set, bytes, sizeof(void *));
    const bool room = found && keeli_archetype_reserve(a, &to->heap, found, from->row_count);
    return room ? found : NULL;
}

// Take a row back of which the first `filled` columns hold values.
static void take_back(keel_world *to, const keeli_archetype *archetype, uint32_t place,
                      uint32_t filled) {
    const keeli_block *block = keeli_block_of(&to->archetypes, place);
    uint32_t *where = keeli_row_of(to, keel_entity_index(block->entities[place & KEELI_ROW_MASK]));
    for (uint32_t c = 0; c < filled; ++c) {
        const keeli_row_component *column = archetype->columns[c];
        if (column->drop) column->drop(keeli_row_value(column, place), column->hook_data);
    }
    keeli_archetype_take(&to->archetypes, &to->entities, place); // the last: nothing moves
    *where = KEELI_NO_ROW;
}

static keel_result copy_row(const keel_world *from, const keeli_archetype *source, uint32_t row,
                            keel_world *to, keeli_archetype *target) {
    const keel_entity e = keeli_block_of(&from->archetypes, row)->entities[row & KEELI_ROW_MASK];
    const uint32_t place = keeli_archetype_push(target, e);
    *keeli_row_of(to, keel_entity_index(e)) = place;
    for (uint32_t c = 0; c < source->column_count; ++c) {
        const keeli_storage *s = storage_of(from, source->columns[c]);
        if (copy_value(s, keeli_row_value(target->columns[c], place),
                       keeli_row_value(source->columns[c], row)))
            continue;
        take_back(to, target, place, c);
        return cannot_copy(to, s);
    }
    return KEEL_OK;
}

// Plain values, a block at a time: blocks hold as many rows in both worlds, all full but the last.
static void copy_block(const keeli_archetype *source, uint32_t b, keel_world *to,
                       keeli_archetype *target) {
    const keeli_block *block = source->blocks[b];
    keeli_archetype_push_many(target, &to->entities, block->entities, block->count);
    const uint32_t place = target->blocks[b]->number << KEELI_ROW_SHIFT;
    for (uint32_t c = 0; c < source->column_count; ++c) {
        const keeli_row_component *column = source->columns[c];
        memcpy(keeli_row_value(target->columns[c], place),
               keeli_row_value(column, block->number << KEELI_ROW_SHIFT),
               (size_t)block->count * column->size);
    }
}

static keel_result copy_rows(const keel_world *from, const keeli_archetype *source, keel_world *to,
                             keeli_archetype *target) {
    bool plain = true;
    for (uint32_t c = 0; c < source->column_count; ++c)
        plain = plain && !storage_of(from, source->columns[c])->component.copy;
    for (uint32_t b = 0; b < source->block_count && source->blocks[b]->count; ++b) {
        const keeli_block *block = source->blocks[b];
        if (plain) copy_block(source, b, to, target);
        for (uint32_t r = 0; !plain && r < block->count; ++r)
            KEEL_TRY(copy_row(from, source, block->number << KEELI_ROW_SHIFT | r, to, target));
    }
    return KEEL_OK;
}

// All archetypes, without rows too: views visit them in the order in which they came. The bits of
// their components are there already.
static keel_result copy_archetypes(const keel_world *from, keel_world *to) {
    for (uint32_t i = 1; i < from->archetypes.count; ++i) {
        keeli_archetype *target = target_archetype(from->archetypes.all[i], to);
        if (!target) return no_memory(to);
        KEEL_TRY(copy_rows(from, from->archetypes.all[i], to, target));
    }
    return KEEL_OK;
}

static keel_result copy_row_bits(keel_world *to, keeli_storage *t, const keeli_storage *s) {
    if (!reserve_bits(to, t, s)) return no_memory(to);
    copy_bits(to, t, s);
    return KEEL_OK;
}

// ------------------------------------------------------------------ the whole
static keel_result copy_unique(keel_world *to, keeli_storage *t, const keeli_storage *s) {
    const keel_component *c = &s->component;
    const size_t bytes = c->size ? c->size : 1;
    t->unique = keeli_new(&to->heap, bytes, c->align);
    if (!t->unique) return no_memory(to);
    if (copy_value(s, t->unique, s->unique)) return KEEL_OK;
    keeli_free(&to->heap, t->unique, bytes, c->align);
    t->unique = NULL;
    return cannot_copy(to, s);
}

static keel_result copy_all(const keel_world *from, keel_world *to) {
    for (uint32_t i = 0; i < from->order.count; ++i) {
        const keeli_storage *s = from->order.items[i];
        keeli_storage *t = to->root.storages[s->slot];
        if (s->kind == KEEL_SPARSE_SET) KEEL_TRY(copy_sparse(to, t, s));
        else if (s->kind == KEEL_INDEXED) KEEL_TRY(copy_indexed(to, t, s));
        else KEEL_TRY(copy_row_bits(to, t, s));
        if (s->unique) KEEL_TRY(copy_unique(to, t, s));
        if (t->unique) t->set_at = t->changed_at = to->tick;
    }
    KEEL_TRY(copy_archetypes(from, to));
    return keeli_followers_reserve_all(to) ? KEEL_OK : no_memory(to);
}

static void empty(keel_world *world) {
    keeli_groups_clear_all(world);
    keeli_store_drop_all(world);
    for (uint32_t i = 0; i < world->order.count; ++i)
        (void)keel_remove_unique_value(world, &world->order.items[i]->component, NULL);
}

keel_result keel_copy_world(const keel_world *from, keel_world *to) {
    if (!from || !to) return keeli_no_world();
    KEEL_TRY(check_worlds(from, to));
    KEEL_TRY(register_all(from, to));
    keeli_archetypes_trim(&to->archetypes, &to->heap); // so that they come in the source's order
    keeli_entity_index fresh, old = to->entities;
    if (!keeli_entity_index_copy(&fresh, &from->entities, &to->heap)) return no_memory(to);
    keeli_entity_index_release_all(&fresh);
    to->entities = fresh;
    const keel_result result = copy_all(from, to);
    if (result < 0) {
        empty(to);
        fresh = to->entities;
        to->entities = old;
        old = fresh;
    }
    keeli_entity_index_deinit(&old, &to->heap);
    if (result == KEEL_OK) keeli_all_came(to);
    keeli_validate_entities(to);
    return keeli_done(to, result);
}
