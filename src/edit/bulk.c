// SPDX-License-Identifier: MIT
// Many entities at once: from columns of values, and copies of a prototype. All or nothing: what
// can fail (memory, copy hooks) comes first and is taken back on failure.
#include "edit/edit.h"

#include "edit/registry.h"
#include "edit/report.h"

#include <string.h>

// New entities that are not committed yet.
typedef struct batch {
    keel_entity *entities;
    uint32_t count;
    bool owns; // `entities` is ours to free
    keeli_entity_index before;
    keeli_storage *moved; // storages whose first page moved: see keeli_follow
} batch;

// ------------------------------------------------------------------ the entities
static keel_result begin(keel_world *world, batch *b, uint32_t count, keel_entity *out) {
    KEEL_TRY(keeli_may_edit(world, NULL, &world->entity_storage, "add to"));
    keel_result result = keeli_entity_index_reserve(&world->entities, &world->heap, count);
    if (result == KEEL_ERROR_FULL)
        return keeli_error(world, result,
                           "cannot add %u entities: there are not enough free indices",
                           (unsigned)count);
    *b = (batch){ .entities = out, .count = count };
    if (result == KEEL_OK && !out) {
        b->owns = true;
        b->entities = keeli_new(&world->heap, count * sizeof *out, _Alignof(keel_entity));
        if (!b->entities) result = KEEL_ERROR_MEMORY;
    }
    if (result < 0) return keeli_out_of_memory(world, "adding entities");
    b->before = world->entities;
    for (uint32_t i = 0; i < count; ++i)
        b->entities[i] = keeli_entity_index_add(&world->entities);
    return KEEL_OK;
}

static void end(keel_world *world, batch *b) {
    if (b->owns)
        keeli_free(&world->heap, b->entities, b->count * sizeof *b->entities,
                   _Alignof(keel_entity));
    keeli_validate_entities(world);
}

static void take_back(keel_world *world, batch *b) {
    keeli_entity_index_undo(&world->entities, &b->before, b->entities, b->count);
    end(world, b);
}

static bool reserve(keel_world *world, batch *b, keeli_storage *s) {
    if (!keeli_reserve_noting(world, s, b->count, &b->moved)) return false;
    uint32_t last_page = UINT32_MAX;
    for (uint32_t i = 0; i < b->count; ++i) {
        const uint32_t index = keel_entity_index(b->entities[i]);
        if (index / KEELI_SPARSE_PAGE == last_page) continue;
        last_page = index / KEELI_SPARSE_PAGE;
        if (!keeli_sparse_set_reserve_cell(&s->set, &world->heap, index)) return false;
    }
    return true;
}

// ------------------------------------------------------------------ one column
static bool can_copy(const keeli_storage *s) { return s->component.copy || !s->component.drop; }

static keel_result cannot_copy(keel_world *world, const keeli_storage *s) {
    return keeli_error(world, KEEL_ERROR_COPY,
                       can_copy(s)
                           ? "the copy hook of '%s' failed; nothing was changed"
                           : "'%s' has a drop hook but no copy hook, so it cannot be copied",
                       s->component.name);
}

// Drop the newest `count` values.
static void pop(keeli_storage *s, uint32_t count) {
    while (count--) {
        keeli_sparse_set_drop(&s->set, s->set.count - 1);
        keeli_sparse_set_take(&s->set, s->set.count - 1);
    }
}

// A copy of `value` (NULL: zeros) for each new entity; false when the copy hook fails, with none
// added.
static bool push_copies(const batch *b, keeli_storage *s, const void *value) {
    const keel_component *c = &s->component;
    for (uint32_t i = 0; i < b->count; ++i) {
        const uint32_t slot = keeli_sparse_set_push(&s->set, b->entities[i]);
        void *to = keeli_sparse_set_value(&s->set, slot);
        if (!c->size) continue;
        if (!value) {
            memset(to, 0, c->size);
        } else if (!c->copy) {
            memcpy(to, value, c->size);
        } else if (!c->copy(to, value, c->hook_data)) {
            keeli_sparse_set_take(&s->set,
                                  slot); // was never filled; it is the last, so nothing moves
            pop(s, i);
            return false;
        }
    }
    return true;
}

static void push_values(const batch *b, keeli_storage *s, const char *values, size_t stride) {
    for (uint32_t i = 0; i < b->count; ++i)
        keeli_sparse_set_put(&s->set, keeli_sparse_set_push(&s->set, b->entities[i]),
                             values + i * stride);
}

// ------------------------------------------------------------------ from columns
static bool is_copied(const keel_bulk *column) { return column->stride == 0 || !column->values; }

static keel_result check_columns(keel_world *world, const keel_bulk *columns) {
    for (const keel_bulk *c = columns; c && c->component; ++c) {
        keel_result result;
        const keeli_storage *s = keeli_storage_to_edit(world, NULL, c->component, "add", &result);
        if (!s) return result;
        if (is_copied(c) && c->values && !can_copy(s)) return cannot_copy(world, s);
        for (const keel_bulk *other = columns; other < c; ++other)
            if (keeli_storage_find(world, other->component) == s)
                return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                                    "'%s' is named twice in one list of columns",
                                    s->component.name);
    }
    return KEEL_OK;
}

static keel_result fill(keel_world *world, batch *b, const keel_bulk *columns) {
    for (const keel_bulk *c = columns; c && c->component; ++c)
        if (!reserve(world, b, keeli_storage_find(world, c->component)))
            return keeli_out_of_memory(world, "adding entities");
    for (const keel_bulk *c = columns; c && c->component; ++c) {
        keeli_storage *s = keeli_storage_find(world, c->component);
        if (!is_copied(c) || push_copies(b, s, keeli_follow(b->moved, c->values))) continue;
        for (const keel_bulk *done = columns; done < c; ++done)
            if (is_copied(done)) pop(keeli_storage_find(world, done->component), b->count);
        return cannot_copy(world, s);
    }
    for (const keel_bulk *c = columns; c && c->component; ++c) {
        keeli_storage *s = keeli_storage_find(world, c->component);
        if (!is_copied(c)) push_values(b, s, keeli_follow(b->moved, c->values), c->stride);
        keeli_validate_storage(world, s);
    }
    return KEEL_OK;
}

keel_result keel_world_add_entities(keel_world *world, uint32_t count, keel_entity *out,
                                    const keel_bulk *columns) {
    if (!world) return keeli_no_world();
    KEEL_TRY(check_columns(world, columns));
    if (count == 0) return KEEL_OK;
    batch b;
    KEEL_TRY(begin(world, &b, count, out));
    const keel_result result = fill(world, &b, columns);
    if (result < 0) take_back(world, &b);
    else end(world, &b);
    return result;
}

// ------------------------------------------------------------------ copies of a prototype
// Links are not copied: a copy takes no place in the hierarchy.
static keeli_storage *prototype_storage(const keel_world *world, keel_entity prototype, uint32_t i,
                                        uint32_t *slot) {
    keeli_storage *s = world->order.items[i];
    if (s == world->parents || s == world->children) return NULL;
    *slot = keeli_sparse_set_find(&s->set, keel_entity_index(prototype));
    return *slot == KEELI_NO_SLOT ? NULL : s;
}

static keel_result check_prototype(keel_world *world, keel_entity prototype) {
    uint32_t slot;
    for (uint32_t i = 0; i < world->order.count; ++i) {
        const keeli_storage *s = prototype_storage(world, prototype, i, &slot);
        if (!s) continue;
        KEEL_TRY(keeli_may_edit(world, NULL, s, "clone"));
        if (!can_copy(s)) return cannot_copy(world, s);
    }
    return KEEL_OK;
}

static keel_result copy_all(keel_world *world, batch *b, keel_entity prototype) {
    uint32_t slot;
    for (uint32_t i = 0; i < world->order.count; ++i) {
        keeli_storage *s = prototype_storage(world, prototype, i, &slot);
        if (s && !reserve(world, b, s)) return keeli_out_of_memory(world, "cloning an entity");
    }
    for (uint32_t i = 0; i < world->order.count; ++i) {
        keeli_storage *s = prototype_storage(world, prototype, i, &slot);
        if (!s || push_copies(b, s, keeli_sparse_set_value(&s->set, slot))) continue;
        for (uint32_t done = 0; done < i; ++done) {
            keeli_storage *d = prototype_storage(world, prototype, done, &slot);
            if (d) pop(d, b->count);
        }
        return cannot_copy(world, s);
    }
    return KEEL_OK;
}

keel_result keel_clone_entities(keel_world *world, keel_entity prototype, uint32_t count,
                                keel_entity *out) {
    if (!world) return keeli_no_world();
    if (!keeli_entity_is_alive(&world->entities, prototype)) return KEEL_ERROR_DEAD_ENTITY;
    KEEL_TRY(check_prototype(world, prototype));
    if (count == 0) return KEEL_OK;
    batch b;
    KEEL_TRY(begin(world, &b, count, out));
    const keel_result result = copy_all(world, &b, prototype);
    if (result < 0) take_back(world, &b);
    else end(world, &b);
    return result;
}

keel_entity keel_clone_entity(keel_world *world, keel_entity prototype) {
    keel_entity copy = keel_null();
    if (world && !keeli_entity_is_alive(&world->entities, prototype)) // null does not say why
        return keeli_error(world, KEEL_ERROR_DEAD_ENTITY,
                           "cannot clone an entity: the prototype is not alive"),
               keel_null();
    return keel_clone_entities(world, prototype, 1, &copy) < 0 ? keel_null() : copy;
}
