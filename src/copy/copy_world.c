// SPDX-License-Identifier: MIT
// Copies a world to an empty one, storage by storage, with the same handles. After an error the
// target is emptied again. Merging into a world that has entities is merge.c; taking and restoring
// snapshots is rewind/image.c.
#include "edit/batch.h"
#include "link/relation.h"

#include "world/registry.h"
#include "world/report.h"

#include <string.h>

static keel_result cannot_copy(keel_world *to, const keeli_storage *s) {
    if (s->component.is_move_only)
        return keeli_cannot_copy(to, s);
    return keeli_error(to, KEEL_ERROR_COPY,
                       s->component.copy
                           ? "the copy hook of '%s' failed; the world was not copied"
                           : "'%s' has a drop hook but no copy hook, so a world with values of it "
                             "cannot be copied",
                       s->component.name);
}

static keel_result check_target(keel_world *to) {
    KEEL_TRY(keeli_may_edit(to, NULL, &to->stand_in.entities, "copy into"));
    KEEL_TRY(keeli_may_edit(to, NULL, &to->stand_in.rows, "copy into"));
    if (keeli_entity_count(&to->entities) || to->entities.held)
        return keeli_error(to, KEEL_ERROR_ARGUMENT,
                           "cannot copy into world '%s': %u entities are alive in it and %u are "
                           "recorded; call keel_apply_commands and keel_clear_entities on it, and "
                           "remove its uniques",
                           to->name, (unsigned)keeli_entity_count(&to->entities),
                           (unsigned)to->entities.held);
    for (uint32_t i = 0; i < to->storages.count; ++i) {
        const keeli_storage *t = to->storages.items[i];
        KEEL_TRY(keeli_may_edit(to, NULL, t, "copy into"));
        if (t->unique && !t->component.transient)
            return keeli_error(to, KEEL_ERROR_ARGUMENT,
                               "cannot copy into world '%s': its unique '%s' is set; "
                               "call keel_remove_unique, or keel_clear_uniques for all",
                               to->name, t->component.name);
    }
    return KEEL_OK;
}

static keel_result check_worlds(const keel_world *from, keel_world *to) {
    if (from == to)
        return keeli_misuse(to, KEEL_ERROR_ARGUMENT,
                            "keel_copy_world needs two worlds, but both are '%s'", to->name);
    KEEL_TRY(keeli_world_is_ours(from, to));
    KEEL_TRY(keeli_world_is_ours(to, to));
    KEEL_TRY(check_target(to));
    // the source must not be written meanwhile; the target records the error, as the source is
    // const
    KEEL_TRY(keeli_may_read_all(from, to, "copy"));
    for (uint32_t i = 0; i < from->storages.count; ++i) {
        const keeli_storage *s = from->storages.items[i];
        const bool has_values = s->presence.count || s->disabled.count || s->unique;
        if (has_values && !s->component.transient && !keeli_can_copy(s) && s != from->names.storage)
            return cannot_copy(to, s);
    }
    return KEEL_OK;
}

static keel_result no_memory(keel_world *to) { return keeli_out_of_memory(to, "copying a world"); }

// Copies adjacent values to uninitialized memory. Returns the number of values that were copied:
// less than `count` if the copy hook failed.
static uint32_t copy_many_values(const keeli_storage *s, void *to, const void *from,
                                 uint32_t count) {
    const size_t size = s->size;
    if (!s->component.copy && size)
        memcpy(to, from, count * size);
    if (s->component.copy) {
        for (uint32_t i = 0; i < count; ++i)
            if (!keeli_hook_copy(s, (char *)to + i * size, (const char *)from + i * size))
                return i;
    }
    return count;
}

// Copies values one by one, in the order of the source: for a copy hook, or to a storage of another
// kind.
static keel_result copy_each(keel_world *to, keeli_storage *t, const keeli_storage *s) {
    uint32_t at = 0;
    for (uint32_t i; (i = keeli_store_in_order(s, &at)) != UINT32_MAX; ++at) {
        void *value = keeli_store_push(to, t, keeli_entity_at(&to->entities, i));
        if (!s->size || copy_many_values(s, value, keeli_store_value_there(s, i), 1))
            continue;
        keeli_store_pop(to, t, i); // its value was never filled
        return cannot_copy(to, s);
    }
    return KEEL_OK;
}

// Copies all presence bits and all bytes of values at once. Values in rows are copied later, with
// their archetypes.
static void copy_whole(keel_world *to, keeli_storage *t, const keeli_storage *s) {
    if (keeli_store_is_sparse(t)) {
        keeli_sparse_set_assign_values(&t->set, &s->set);
        keeli_sparse_set_assign(&t->set, &s->set);
    }
    keeli_presence_assign(&t->presence, &s->presence);
    for (uint32_t i = 0; (i = keeli_store_next(s, i)) != UINT32_MAX; i = (i / 64 + 1) * 64) {
        if (keeli_store_is_by_index(t))
            keeli_indexed_set_copy(&t->indexed, &s->indexed, i / 64 * 64,
                                   keeli_presence_word(&s->presence, i / 64));
        keeli_store_list_block(to, t, i / 64 * 64);
    }
}

static keel_result copy_disabled(keel_world *to, keeli_storage *t, const keeli_storage *s) {
    KEELI_EACH_BIT(i, &s->disabled) {
        if (!keeli_store_reserve_disabled(to, t, i))
            return no_memory(to);
        void *value = keeli_store_push_disabled(to, t, i);
        if (!copy_many_values(s, value, keeli_store_disabled_value(s, i), 1)) {
            keeli_store_pop_disabled(to, t, i); // its value was never filled
            return cannot_copy(to, s);
        }
    }
    return KEEL_OK;
}

static keel_result copy_unique(keel_world *to, keeli_storage *t, const keeli_storage *s) {
    const keel_component *c = &s->component;
    const size_t bytes = c->size ? c->size : 1;
    void *value = keeli_new(&to->heap, bytes, c->align);
    if (!value)
        return no_memory(to);
    if (!copy_many_values(s, value, s->unique, 1)) {
        keeli_free(&to->heap, value, bytes, c->align);
        return cannot_copy(to, s);
    }
    t->unique = value;
    t->set_at = t->changed_at = to->changes.tick;
    return KEEL_OK;
}

static keel_result copy_storage(keel_world *to, keeli_storage *t, const keeli_storage *s) {
    if (t == to->names.storage)
        return keeli_copy_names(s->world, to) ? KEEL_OK : no_memory(to);
    if (keeli_store_is_sparse(t) &&
        !keeli_sparse_set_reserve(&t->set, &to->heap, keeli_store_count(s)))
        return no_memory(to);
    // room for pages, presence bits and lists of blocks: the target is empty, so it has none
    const uint32_t step = keeli_store_reserve_step(t);
    for (uint32_t i = 0; (i = keeli_store_next(s, i)) != UINT32_MAX; i = (i / step + 1) * step)
        if (!keeli_reserve_value(to, t, i))
            return no_memory(to);
    const bool one_by_one = s->kind != t->kind || (s->size && s->component.copy);
    if (one_by_one && !keeli_store_has_rows(t))
        KEEL_TRY(copy_each(to, t, s));
    else
        copy_whole(to, t, s);
    KEEL_TRY(copy_disabled(to, t, s));
    if (s->relation && !keeli_store_has_sources(s)) {
        const keel_result result =
            keeli_copy_edges(s, &t->relation->edges, &s->relation->edges, &to->heap);
        if (result == KEEL_ERROR_COPY)
            return cannot_copy(to, s);
        if (result < 0 || !keeli_reserve_rule(to, t->relation))
            return no_memory(to);
    }
    return s->unique ? copy_unique(to, t, s) : KEEL_OK;
}

static keeli_storage *storage_of(const keel_world *world, const keeli_row_component *column) {
    return world->root.storages[column->number];
}

// True if the component is transient in either world.
static bool copy_leaves_out(const keeli_storage *s, const keel_world *to) {
    return s->component.transient || to->root.storages[s->slot]->component.transient;
}

// Returns the archetype of the same components in the target, with room for as many rows as `from`
// has; NULL when out of memory. Components that are transient, or not kept in rows in the target,
// are left out. So several archetypes may have the same target, which may be that of entities
// without rows.
static keeli_archetype *target_archetype(const keel_world *world, const keeli_archetype *from,
                                         keel_world *to) {
    const size_t bytes = from->column_count * sizeof(keeli_row_component *);
    keeli_row_component **set = keeli_new(&to->heap, bytes, sizeof(void *));
    if (!set)
        return NULL;
    uint32_t count = 0;
    for (uint32_t c = 0; c < from->column_count; ++c) {
        keeli_storage *t = storage_of(to, from->columns[c]);
        if (!copy_leaves_out(storage_of(world, from->columns[c]), to) && keeli_store_has_rows(t))
            set[count++] = &t->row;
    }
    keeli_archetypes *a = &to->archetypes;
    keeli_archetype *found = keeli_archetypes_find(a, &to->heap, set, count);
    keeli_free(&to->heap, set, bytes, sizeof(void *));
    const bool room =
        !count || (found && keeli_archetype_reserve(a, &to->heap, found, from->row_count));
    return room ? found : NULL;
}

// Removes the rows from `first` on of the archetype's last block. Drops their values: all of the
// first `columns` columns, and the first `filled` ones of the next column.
static void undo_rows(keel_world *to, const keeli_archetype *archetype, const keeli_block *block,
                      uint32_t first, uint32_t columns, uint32_t filled) {
    for (uint32_t row = block->count; row-- > first;) {
        const uint32_t place = block->number << KEELI_ROW_SHIFT | row;
        uint32_t *where = keeli_row_of(&to->entities, keeli_index_of(block->entities[row]));
        for (uint32_t c = 0; c < columns + (row - first < filled); ++c)
            keeli_value_drop(storage_of(to, archetype->columns[c]),
                             keeli_row_value(archetype->columns[c], place));
        // the last row, so that no other row moves
        keeli_archetype_remove(&to->archetypes, &to->entities, place);
        *where = KEELI_NO_ROW;
    }
}

// Copies the values of some entities to a column. `are_rows`: the values are adjacent. Returns the
// number of values that were copied: less than `count` if the copy hook failed.
static uint32_t copy_column(const keeli_storage *s, char *to, const keel_entity *entities,
                            uint32_t count, bool are_rows) {
    for (uint32_t i = 0, n; i < count; i += n) {
        const char *value = keeli_store_value_there(s, keeli_index_of(entities[i]));
        n = are_rows ? count : 1;
        while (i + n < count && (const char *)keeli_store_value_there(
                                    s, keeli_index_of(entities[i + n])) == value + n * s->size)
            ++n;
        const uint32_t filled = copy_many_values(s, to + i * (size_t)s->size, value, n);
        if (filled < n)
            return i + filled;
    }
    return count;
}

// Makes rows for the first of `left` entities, as many as the target's last block has room for, and
// copies their values. Adds the number of rows to `*done`. The presence bits are set already.
// `are_rows`: the entities have adjacent rows of one block in the source.
static keel_result copy_some_rows(const keel_world *from, const keel_entity *entities,
                                  uint32_t left, bool are_rows, keel_world *to,
                                  keeli_archetype *target, uint32_t *done) {
    const keeli_block *copy = target->blocks[target->row_count >> target->block_shift];
    const uint32_t first = copy->count, room = copy->capacity - first;
    const uint32_t n = left < room ? left : room;
    keeli_archetype_push_many(&to->archetypes, target, &to->entities, entities, n);
    for (uint32_t c = 0; c < target->column_count; ++c) {
        const keeli_storage *s = storage_of(from, target->columns[c]);
        const uint32_t filled = copy_column(
            s, keeli_row_value(target->columns[c], copy->number << KEELI_ROW_SHIFT | first),
            entities, n, are_rows);
        if (filled == n)
            continue;
        undo_rows(to, target, copy, first, c, filled);
        return cannot_copy(to, s);
    }
    *done += n;
    return KEEL_OK;
}

static keel_result copy_world_rows(const keel_world *from, const keeli_archetype *source,
                                   keel_world *to, keeli_archetype *target) {
    if (target->column_count) {
        for (uint32_t b = 0; b < source->block_count; ++b) {
            const keeli_block *block = source->blocks[b];
            for (uint32_t row = 0; row < block->count;)
                KEEL_TRY(copy_some_rows(from, block->entities + row, block->count - row, true, to,
                                        target, &row));
        }
    }
    return KEEL_OK;
}

// Returns for how many indices from this one on, up to the end of its block of 64, the copies
// belong to the same archetype. `*out` is that archetype, or NULL when out of memory.
static uint32_t alike_from(const keel_world *from, uint32_t index, keel_world *to,
                           keeli_archetype **out) {
    keeli_component_list *list = keeli_list_if_any(&from->lists, index);
    uint32_t n = 64 - index % 64;
    *out = to->archetypes.all[0];
    for (uint32_t k = 0; k < keeli_block_length(from, list) && *out; ++k) {
        const keeli_storage *s = keeli_block_storage(from, list, k);
        if (!s)
            continue;
        keeli_storage *t = to->root.storages[s->slot];
        if (copy_leaves_out(s, to) || !keeli_store_has_rows(t))
            continue;
        const uint64_t bits = keeli_presence_word(&s->presence, index / 64) >> (index % 64);
        const uint64_t others = bits & 1 ? ~bits : bits;
        if (others && (uint32_t)__builtin_ctzll(others) < n)
            n = (uint32_t)__builtin_ctzll(others);
        if (bits & 1)
            *out = keeli_archetype_with(&to->archetypes, &to->heap, *out, &t->row);
    }
    return n;
}

// Makes the rows of all entities, in a copy that keeps some components in archetypes which the
// source keeps in other storages. Entities with consecutive indices that have the same components
// are handled together.
static keel_result make_copied_rows(const keel_world *from, keel_world *to) {
    for (uint32_t i = 0, n; i < from->entities.size; i += n) {
        keel_entity entities[64];
        keeli_archetype *target;
        n = alike_from(from, i, to, &target);
        if (!target)
            return no_memory(to);
        if (!target->column_count)
            continue;
        if (!keeli_archetype_reserve(&to->archetypes, &to->heap, target, n))
            return no_memory(to);
        for (uint32_t k = 0; k < n; ++k)
            entities[k] = keeli_entity_at(&from->entities, i + k);
        for (uint32_t k = 0; k < n;)
            KEEL_TRY(copy_some_rows(from, entities + k, n - k, false, to, target, &k));
    }
    return KEEL_OK;
}

static keel_result copy_all(const keel_world *from, keel_world *to) {
    bool are_elsewhere = false;
    for (uint32_t i = 0; i < from->storages.count; ++i) {
        const keeli_storage *s = from->storages.items[i];
        keeli_storage *t = to->root.storages[s->slot];
        if (copy_leaves_out(s, to))
            continue;
        are_elsewhere |= keeli_store_has_rows(t) && !keeli_store_has_rows(s) && s->presence.count;
        KEEL_TRY(copy_storage(to, t, s));
    }
    if (are_elsewhere)
        KEEL_TRY(make_copied_rows(from, to));
    // also archetypes without rows: views visit archetypes in the order of their creation
    if (!are_elsewhere) {
        for (uint32_t i = 1; i < from->archetypes.count; ++i) {
            keeli_archetype *target = target_archetype(from, from->archetypes.all[i], to);
            if (!target)
                return no_memory(to);
            KEEL_TRY(copy_world_rows(from, from->archetypes.all[i], to, target));
        }
    }
    return keeli_followers_reserve_all(to) ? KEEL_OK : no_memory(to);
}

static void empty(keel_world *world) {
    keeli_groups_clear_all(world);
    keeli_store_drop_all(world);
    for (uint32_t i = 0; i < world->storages.count; ++i)
        if (!world->storages.items[i]->component.transient)
            (void)keel_remove_unique_value(world, &world->storages.items[i]->component, NULL);
}

keel_result keel_copy_world(const keel_world *from, keel_world *to) {
    if (keeli_is_no_world(from) || keeli_is_no_world(to))
        return keeli_no_world();
    KEEL_TRY(check_worlds(from, to));
    for (uint32_t i = 0; i < from->storages.count; ++i) {
        const keel_component *c = &from->storages.items[i]->component;
        keel_result known;
        keeli_storage *t = keeli_storage_get(to, c, c->is_unique, &known);
        if (!t)
            return known;
        // removes uniques that an .initial value has just set; check_target refused all others
        if (t->unique && !copy_leaves_out(from->storages.items[i], to))
            (void)keeli_edit_remove_unique(to, NULL, t, NULL);
    }
    // frees empty archetypes, so that new ones are created in the order of the source
    keeli_archetypes_trim(&to->archetypes, &to->heap);
    keeli_entity_index fresh, old = to->entities;
    if (!keeli_entity_index_copy(&fresh, &from->entities, &to->heap))
        return no_memory(to);
    keeli_entity_index_release_all(&fresh);
    fresh.first = to->entities.first;
    to->entities = fresh;
    const uint32_t before = keeli_refuse_begin(to, KEELI_REFUSED_HOOK); // copy hooks must not edit
    const keel_result result = copy_all(from, to);
    keeli_refuse_end(to, before);
    if (result < 0) {
        empty(to);
        fresh = to->entities;
        to->entities = old;
        old = fresh;
    }
    keeli_entity_index_deinit(&old, &to->heap);
    if (result == KEEL_OK) {
        ++to->emptied;
        keeli_follow_all_added(to);
    }
    keeli_validate_entities(to);
    return keeli_done(to, result);
}
