// SPDX-License-Identifier: MIT
// From world to world: one entity moves, or a whole world is copied. A copy is made storage by
// storage; when it fails, what is there already is dropped, as everything else of that world is
// empty.
#include "edit/edit.h"

#include "edit/group.h"
#include "edit/registry.h"
#include "edit/report.h"

#include <string.h>

// ------------------------------------------------------------------ moving one entity
// A list of all values of an entity, where they are; NULL when out of memory. Free it with
// free_values.
static keel_value *list_values(keel_world *world, uint32_t index, uint32_t *count) {
    uint32_t at = UINT32_MAX, n = 0;
    *count = 0;
    while (keeli_store_next_of(world, index, &at))
        ++*count;
    keel_value *values =
        keeli_new_zeroed(&world->heap, (*count + 1) * sizeof *values, _Alignof(keel_value));
    at = UINT32_MAX;
    for (keeli_storage *s; values && (s = keeli_store_next_of(world, index, &at)) != NULL; ++n) {
        values[n].component = &s->component;
        values[n].value = keeli_store_is_disabled(s, index)
                              ? keeli_indexed_set_value(&s->indexed, index)
                              : keeli_store_value(world, s, index);
    }
    return values;
}

static void free_values(keel_world *world, keel_value *values, uint32_t count) {
    keeli_free(&world->heap, values, (count + 1) * sizeof *values, _Alignof(keel_value));
}

// The index that the next added entity gets; UINT32_MAX when none can be added.
static uint32_t next_index(keel_world *world) {
    keeli_entity_index *ix = &world->entities;
    if (keeli_entity_index_reserve(ix, &world->heap, 1) < 0) return UINT32_MAX;
    const keeli_entity_index before = *ix;
    const keel_entity next = keeli_entity_index_add(ix);
    keeli_entity_index_undo(ix, &before, &next, 1);
    return keel_entity_index(next);
}

// Make the components known to the other world, and make room for the bits of disabled ones: that
// they can be disabled once they are there cannot fail.
static bool prepare_target(const keel_world *from, uint32_t index, const keel_value *values,
                           keel_world *to) {
    uint32_t target = UINT32_MAX;
    for (const keel_value *v = values; v->component; ++v) {
        keel_result result;
        keeli_storage *t = keeli_storage_get(to, v->component, false, &result);
        if (!t) return false;
        if (!keeli_store_is_disabled(keeli_storage_find(from, v->component), index)) continue;
        if (target == UINT32_MAX) target = next_index(to);
        if (target == UINT32_MAX) return true; // adding the entity will say why
        if (!keeli_presence_reserve(&t->disabled, &to->heap, target))
            return keeli_out_of_memory(to, "moving an entity"), false;
    }
    return true;
}

static void disable_moved(const keel_world *from, uint32_t index, const keel_value *values,
                          const keel_world *to, uint32_t target) {
    for (const keel_value *v = values; v->component; ++v) {
        if (!keeli_store_is_disabled(keeli_storage_find(from, v->component), index)) continue;
        keeli_storage *s = keeli_storage_find(to, v->component);
        keeli_store_leaving(s, target);
        keeli_store_disable(s, target);
    }
}

static bool may_move(keel_world *from, keel_entity e, const keel_world *to) {
    if (from == to) {
        keeli_misuse(from, KEEL_ERROR_ARGUMENT,
                     "keel_move_entity needs two worlds, but both are '%s'", from->name);
        return false;
    }
    if (!keeli_entity_is_alive(&from->entities, e)) {
        keeli_error(from, KEEL_ERROR_DEAD_ENTITY, "cannot move an entity: it is not alive");
        return false;
    }
    if (keeli_has_links(from, e)) {
        keeli_error(from, KEEL_ERROR_ARGUMENT,
                    "cannot move entity %u to another world: it is in a hierarchy; keel_unlink it "
                    "first",
                    (unsigned)keel_entity_index(e));
        return false;
    }
    return keeli_may_delete_entity(from, NULL, e) >= 0;
}

keel_entity keel_move_entity(keel_world *from, keel_entity e, keel_world *to) {
    if (!from || !to) return keeli_no_world(), keel_null();
    if (!may_move(from, e, to)) return keel_null();
    const uint32_t index = keel_entity_index(e);
    uint32_t count;
    keel_value *values = list_values(from, index, &count);
    if (!values) return keeli_out_of_memory(from, "moving an entity"), keel_null();
    keel_entity moved = keel_null();
    if (keeli_may_edit(to, NULL, &to->entity_storage, "move to") >= 0 &&
        prepare_target(from, index, values, to))
        moved = keeli_edit_add_entity(to, NULL, values);
    if (!keel_is_null(moved)) {
        disable_moved(from, index, values, to, keel_entity_index(moved));
        keeli_store_leave_all(from, e);
        keeli_entity_index_delete(&from->entities, e);
        keeli_validate_entities(from);
    }
    free_values(from, values, count);
    return moved;
}

// ------------------------------------------------------------------ copying a world: may it be?
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
    if (from->share_depth)
        return keeli_error(to, KEEL_ERROR_SHARED,
                           "cannot copy world '%s' while it is shared between threads; call "
                           "keel_share_end first",
                           from->name);
    for (uint32_t i = 0; i < from->order.count + 2; ++i) {
        const keeli_storage *s = i < from->order.count    ? from->order.items[i]
                                 : i == from->order.count ? &from->entity_storage
                                                          : &from->row_storage;
        if (s->borrow < 0)
            return keeli_error(to, KEEL_ERROR_BORROWED,
                               "cannot copy world '%s' while a view writes its '%s'; end it first",
                               from->name, s->component.name);
        if (has_values(s) && s->component.drop && !s->component.copy) return cannot_copy(to, s);
    }
    return KEEL_OK;
}

static keel_result check_target(keel_world *to) {
    KEEL_TRY(keeli_may_edit(to, NULL, &to->entity_storage, "copy into"));
    KEEL_TRY(keeli_may_edit(to, NULL, &to->row_storage, "copy into"));
    if (to->entities.alive || to->entities.held)
        return keeli_error(to, KEEL_ERROR_ARGUMENT,
                           "cannot copy into world '%s': %u entities are alive in it and %u are "
                           "recorded; apply its commands and keel_clear_entities it first",
                           to->name, (unsigned)to->entities.alive, (unsigned)to->entities.held);
    for (uint32_t i = 0; i < to->order.count; ++i) {
        const keeli_storage *t = to->order.items[i];
        KEEL_TRY(keeli_may_edit(to, NULL, t, "copy into"));
        if (t->unique)
            return keeli_error(to, KEEL_ERROR_ARGUMENT,
                               "cannot copy into world '%s': its unique '%s' is set; "
                               "keel_remove_unique it first",
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
    const keel_component *c = &s->component;
    if (c->copy) return c->copy(to, from, c->hook_data);
    keeli_bytes_put(to, from, s->size);
    return true;
}

static keel_result no_memory(keel_world *to) { return keeli_out_of_memory(to, "copying a world"); }

static bool reserve_storage(keel_world *to, keeli_storage *t, const keeli_storage *s) {
    if (s->kind == KEEL_SPARSE_SET && !keeli_sparse_set_reserve(&t->set, &to->heap, s->set.count))
        return false;
    for (uint32_t i = 0; (i = keeli_store_next(s, i)) != UINT32_MAX; ++i) {
        keeli_room room = { 0 }; // each block has a list of its own
        if (!keeli_store_reserve(to, t, i, &room)) return false;
    }
    return true;
}

// Plain values page by page: both sets hold the same entities at the same slots.
static void copy_pages(const keeli_sparse_set *to, const keeli_sparse_set *from) {
    const uint32_t page = (uint32_t)1 << from->root.shift;
    for (uint32_t slot = 0, run; from->size && slot < from->count; slot += run) {
        run = from->count - slot < page ? from->count - slot : page;
        memcpy(keeli_sparse_set_value(to, slot), keeli_sparse_set_value(from, slot),
               (size_t)run * from->size);
    }
}

static keel_result copy_sparse(keel_world *to, keeli_storage *t, const keeli_storage *s) {
    if (!reserve_storage(to, t, s)) return no_memory(to);
    for (uint32_t slot = 0; slot < s->set.count; ++slot) {
        const keel_entity e = *keeli_sparse_set_entity(&s->set, slot);
        void *value = keeli_store_push(to, t, e);
        if (!s->component.copy || copy_value(s, value, keeli_sparse_set_value(&s->set, slot)))
            continue;
        keeli_store_pop(to, t, keel_entity_index(e)); // was never filled
        return cannot_copy(to, s);
    }
    if (!s->component.copy) copy_pages(&t->set, &s->set);
    return KEEL_OK;
}

static keel_result copy_at_index(keel_world *to, keeli_storage *t, const keeli_storage *s,
                                 uint32_t index) {
    void *value = keeli_store_push(to, t, keeli_entity_at(&to->entities, index));
    if (copy_value(s, value, keeli_indexed_set_value(&s->indexed, index))) return KEEL_OK;
    keeli_store_pop(to, t, index); // was never filled
    return cannot_copy(to, s);
}

static keel_result copy_indexed(keel_world *to, keeli_storage *t, const keeli_storage *s) {
    if (!reserve_storage(to, t, s)) return no_memory(to);
    for (uint32_t i = 0; (i = keeli_store_next(s, i)) != UINT32_MAX; ++i)
        KEEL_TRY(copy_at_index(to, t, s, i));
    for (uint32_t i = 0; (i = keeli_presence_next(&s->disabled, i)) != UINT32_MAX; ++i) {
        keeli_room room = { 0 };
        if (!keeli_store_reserve(to, t, i, &room) ||
            !keeli_presence_reserve(&t->disabled, &to->heap, i))
            return no_memory(to);
        KEEL_TRY(copy_at_index(to, t, s, i));
        keeli_store_disable(t, i);
    }
    return KEEL_OK;
}

// ------------------------------------------------------------------ copying rows
static keeli_storage *storage_of(const keel_world *world, const keeli_row_component *column) {
    return world->storages[column->number];
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
    const uint32_t index = keel_entity_index(e);
    keeli_room room = { 0 };
    for (uint32_t c = 0; c < source->column_count; ++c)
        if (!keeli_store_reserve_bit(to, storage_of(to, source->columns[c]), index, &room))
            return no_memory(to);
    const uint32_t place = keeli_archetype_push(target, e);
    *keeli_row_of(to, index) = place;
    for (uint32_t c = 0; c < source->column_count; ++c) {
        const keeli_storage *s = storage_of(from, source->columns[c]);
        if (copy_value(s, keeli_row_value(target->columns[c], place),
                       keeli_row_value(source->columns[c], row)))
            continue;
        take_back(to, target, place, c);
        return cannot_copy(to, s);
    }
    for (uint32_t c = 0; c < source->column_count; ++c)
        keeli_store_set_bit(to, storage_of(to, source->columns[c]), index);
    return KEEL_OK;
}

// All archetypes, without rows too: views visit them in the order in which they came.
static keel_result copy_archetypes(const keel_world *from, keel_world *to) {
    for (uint32_t i = 1; i < from->archetypes.count; ++i) {
        const keeli_archetype *source = from->archetypes.all[i];
        keeli_archetype *target = target_archetype(source, to);
        if (!target) return no_memory(to);
        for (uint32_t b = 0; b < source->block_count; ++b) {
            const keeli_block *block = source->blocks[b];
            for (uint32_t r = 0; r < block->count; ++r)
                KEEL_TRY(copy_row(from, source, block->number << KEELI_ROW_SHIFT | r, to, target));
        }
    }
    return KEEL_OK;
}

// ------------------------------------------------------------------ copying a world
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
        keeli_storage *t = to->storages[s->slot];
        if (s->kind == KEEL_SPARSE_SET) KEEL_TRY(copy_sparse(to, t, s));
        else if (s->kind == KEEL_INDEXED) KEEL_TRY(copy_indexed(to, t, s));
        if (s->unique) KEEL_TRY(copy_unique(to, t, s));
    }
    KEEL_TRY(copy_archetypes(from, to));
    return keeli_groups_refill(to) ? KEEL_OK : no_memory(to);
}

static void empty(keel_world *world) {
    keeli_store_clear_all(world);
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
    keeli_validate_entities(to);
    return result;
}
