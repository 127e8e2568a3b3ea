// SPDX-License-Identifier: MIT
// Many entities at once: from columns of values, and copies of a prototype. All or nothing: what
// can fail (memory, copy hooks) comes first and is taken back on failure.
#include "edit/edit.h"

#include "edit/bulk_run.h"
#include "follow/follow.h"
#include "world/registry.h"
#include "world/report.h"

#include <string.h>

// New entities that are not committed yet.
typedef struct batch {
    keel_entity *entities;
    uint32_t count;
    bool owns;       // `entities` is ours to free
    bool is_one_run; // of consecutive indices
    keeli_entity_index before;
    keeli_room room;
} batch;

// ------------------------------------------------------------------ the entities
static keel_result begin_entities(keel_world *world, batch *b, uint32_t count, keel_entity *out) {
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
    keeli_entity_index_add_many(&world->entities, b->entities, count);
    b->is_one_run = count == 0 || keeli_run_length(b->entities, count) == count;
    return KEEL_OK;
}

static void tell_of_entities(keel_world *world, const batch *b) {
    for (uint32_t i = 0; world->entity_storage.flags & KEELI_IS_TOLD && i < b->count; ++i)
        keeli_tell_created(world, b->entities[i]);
}

static void end(keel_world *world, batch *b) {
    if (b->owns)
        keeli_free(&world->heap, b->entities, b->count * sizeof *b->entities,
                   _Alignof(keel_entity));
    keeli_archetypes_settle(&world->archetypes, &world->heap);
    keeli_validate_entities(world);
}

static void take_back(keel_world *world, batch *b) {
    keeli_entity_index_undo(&world->entities, &b->before, b->entities, b->count);
    end(world, b);
}

static keel_result begin(keel_world *world, batch *b, uint32_t count, keel_entity *out) {
    KEEL_TRY(begin_entities(world, b, count, out));
    const bool is_collected = world->entity_storage.flags & KEELI_IS_SOURCE;
    for (uint32_t i = 0; is_collected && i < count; ++i) {
        if (keeli_sets_reserve_new(world, b->entities[i], count)) continue;
        take_back(world, b);
        return keeli_out_of_memory(world, "adding entities");
    }
    return KEEL_OK;
}

// How many entities from the i-th on have consecutive indices.
static uint32_t run_from(const batch *b, uint32_t i) {
    return b->is_one_run ? b->count : keeli_run_length(b->entities + i, b->count - i);
}

static bool reserve_run(keel_world *world, keeli_storage *s, uint32_t index, uint32_t count,
                        keeli_room *room) {
    const uint32_t step = keeli_store_reserve_step(s), numbers = room->numbers;
    for (uint64_t i = index; i < (uint64_t)index + count; i = (i / step + 1) * step) {
        room->numbers = numbers;
        if (!keeli_store_reserve(world, s, (uint32_t)i, room)) return false;
    }
    return true;
}

static bool reserve(keel_world *world, batch *b, keeli_storage *s) {
    if (s->kind == KEEL_SPARSE_SET && !keeli_store_reserve_slots(world, s, b->count, &b->room))
        return false;
    if (s->flags & KEELI_IS_GROUPED &&
        !keeli_groups_reserve(s, keel_entity_index(b->entities[0]), b->count))
        return false;
    if (s->flags & KEELI_IS_TRACKED &&
        !keeli_track_reserve(world, s, keel_entity_index(b->entities[0]), b->count))
        return false;
    if (s->flags & (KEELI_IS_SOURCE | KEELI_IS_SET) &&
        !keeli_sets_reserve(world, s, keel_entity_index(b->entities[0]), b->count, b->room.numbers))
        return false;
    const uint32_t numbers = b->room.numbers;
    for (uint32_t i = 0, n; i < b->count; i += n) {
        n = run_from(b, i);
        b->room.numbers = numbers;
        if (!reserve_run(world, s, keel_entity_index(b->entities[i]), n, &b->room)) return false;
    }
    b->room.numbers = numbers + 1;
    return true;
}

// Rows for all of them, once every component was reserved.
static bool make_rows(keel_world *world, batch *b) {
    keeli_archetype *to = b->room.to;
    if (!to) return true;
    if (!keeli_archetype_reserve(&world->archetypes, &world->heap, to, b->count)) return false;
    keeli_archetype_push_many(to, &world->entities, b->entities, b->count);
    return true;
}

static void take_rows(keel_world *world, const batch *b) {
    for (uint32_t i = b->count; b->room.to && i--;) {
        uint32_t *where = keeli_row_of(world, keel_entity_index(b->entities[i]));
        keeli_archetype_take(&world->archetypes, &world->entities, *where);
        *where = KEELI_NO_ROW;
    }
}

// The entity, whose row stays, loses the component again.
static void unplace(keel_world *world, keeli_storage *s, keel_entity e) {
    const uint32_t index = keel_entity_index(e);
    if (s->kind == KEEL_ARCHETYPE) keeli_store_clear_bit(world, s, index);
    else keeli_store_pop(world, s, index);
}

// ------------------------------------------------------------------ one column
bool keeli_can_copy(const keeli_storage *s) { return s->component.copy || !s->component.drop; }

keel_result keeli_check_stride(keel_world *world, const keeli_storage *s, size_t stride) {
    if (stride >= s->size) return KEEL_OK;
    return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                        "values of '%s' have %u bytes but a stride of %u; pass the size of what "
                        "they are in",
                        s->component.name, (unsigned)s->size, (unsigned)stride);
}

keel_result keeli_cannot_copy(keel_world *world, const keeli_storage *s) {
    return keeli_error(world, KEEL_ERROR_COPY,
                       keeli_can_copy(s)
                           ? "the copy hook of '%s' failed; nothing was changed"
                           : "'%s' has a drop hook but no copy hook, so it cannot be copied",
                       s->component.name);
}

// Take the first `count` values of a column back, newest first.
static void pop(keel_world *world, const batch *b, keeli_storage *s, uint32_t count) {
    while (count--) {
        const keel_entity e = b->entities[count];
        keeli_value_drop(s, keeli_store_value(world, s, keel_entity_index(e)));
        unplace(world, s, e);
    }
}

// All values are in place.
static void join(keel_world *world, const batch *b, keeli_storage *s) {
    keeli_came_many(world, s, b->entities, b->count, NULL);
    keeli_validate_storage(world, s);
}

// Values that are plain bytes, run by run.
static void push_bytes(keel_world *world, const batch *b, keeli_storage *s, const char *values,
                       size_t stride) {
    for (uint32_t i = 0, n; i < b->count; i += n) {
        n = run_from(b, i);
        keeli_store_push_run(world, s, b->entities + i, n, values ? values + i * stride : NULL,
                             stride);
    }
}

// A copy of `value` (NULL: zeros) for each new entity; false when the copy hook fails, with none
// added.
static bool push_copies(keel_world *world, const batch *b, keeli_storage *s, const void *value) {
    const keel_component *c = &s->component;
    if (!value || !c->copy) {
        push_bytes(world, b, s, value, 0);
        return true;
    }
    for (uint32_t i = 0; i < b->count; ++i) {
        void *to = keeli_store_open(world, s, b->entities[i]);
        if (!keeli_hook_copy(s, to, value)) {
            unplace(world, s, b->entities[i]); // was never filled
            pop(world, b, s, i);
            return false;
        }
    }
    return true;
}

static void push_values(keel_world *world, const batch *b, keeli_storage *s, const char *values,
                        size_t stride) {
    if (!s->component.move) {
        push_bytes(world, b, s, values, stride);
        return;
    }
    for (uint32_t i = 0; i < b->count; ++i)
        keeli_value_put(s, keeli_store_open(world, s, b->entities[i]), values + i * stride);
}

// ------------------------------------------------------------------ from columns
static bool is_copied(const keel_bulk *column) { return column->stride == 0 || !column->values; }

static keel_result check_columns(keel_world *world, const keel_bulk *columns) {
    for (const keel_bulk *c = columns; c && c->component; ++c) {
        keel_result result;
        const keeli_storage *s = keeli_storage_to_edit(world, NULL, c->component, "add", &result);
        if (!s) return result;
        if (is_copied(c) && c->values && !keeli_can_copy(s)) return keeli_cannot_copy(world, s);
        if (!is_copied(c)) KEEL_TRY(keeli_check_stride(world, s, c->stride));
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
    if (!make_rows(world, b)) return keeli_out_of_memory(world, "adding entities");
    for (const keel_bulk *c = columns; c && c->component; ++c) {
        keeli_storage *s = keeli_storage_find(world, c->component);
        if (!is_copied(c) || push_copies(world, b, s, keeli_follow(&b->room, c->values))) continue;
        for (const keel_bulk *done = columns; done < c; ++done)
            if (is_copied(done))
                pop(world, b, keeli_storage_find(world, done->component), b->count);
        take_rows(world, b);
        return keeli_cannot_copy(world, s);
    }
    for (const keel_bulk *c = columns; c && c->component; ++c) {
        keeli_storage *s = keeli_storage_find(world, c->component);
        if (!is_copied(c)) push_values(world, b, s, keeli_follow(&b->room, c->values), c->stride);
    }
    for (const keel_bulk *c = columns; c && c->component; ++c)
        join(world, b, keeli_storage_find(world, c->component));
    tell_of_entities(world, b);
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
    return keeli_done(world, result);
}

// ------------------------------------------------------------------ copies of a prototype
// Links are not copied: a copy takes no place in the hierarchy.
static keeli_storage *prototype_storage(const keel_world *world, keel_entity prototype,
                                        uint32_t i) {
    keeli_storage *s = world->order.items[i];
    const bool is_copied = !(s->flags & KEELI_IS_LINK);
    return is_copied && keeli_store_has(s, keel_entity_index(prototype)) ? s : NULL;
}

static keel_result check_prototype(keel_world *world, keel_entity prototype) {
    for (uint32_t i = 0; i < world->order.count; ++i) {
        const keeli_storage *s = prototype_storage(world, prototype, i);
        if (!s) continue;
        KEEL_TRY(keeli_may_edit(world, NULL, s, "clone"));
        if (!keeli_can_copy(s)) return keeli_cannot_copy(world, s);
    }
    return KEEL_OK;
}

static keel_result copy_all(keel_world *world, batch *b, keel_entity prototype) {
    const uint32_t from = keel_entity_index(prototype);
    for (uint32_t i = 0; i < world->order.count; ++i) {
        keeli_storage *s = prototype_storage(world, prototype, i);
        if (s && !reserve(world, b, s)) return keeli_out_of_memory(world, "cloning an entity");
    }
    if (!make_rows(world, b)) return keeli_out_of_memory(world, "cloning an entity");
    for (uint32_t i = 0; i < world->order.count; ++i) {
        keeli_storage *s = prototype_storage(world, prototype, i);
        if (!s || push_copies(world, b, s, keeli_store_value(world, s, from))) continue;
        for (uint32_t done = 0; done < i; ++done) {
            keeli_storage *d = prototype_storage(world, prototype, done);
            if (d) pop(world, b, d, b->count);
        }
        take_rows(world, b);
        return keeli_cannot_copy(world, s);
    }
    for (uint32_t i = 0; i < world->order.count; ++i) {
        keeli_storage *s = prototype_storage(world, prototype, i);
        if (s) join(world, b, s);
    }
    tell_of_entities(world, b);
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
    return keeli_done(world, result);
}

keel_entity keel_clone_entity(keel_world *world, keel_entity prototype) {
    keel_entity copy = keel_null();
    if (world && !keeli_entity_is_alive(&world->entities, prototype)) // null does not say why
        return keeli_error(world, KEEL_ERROR_DEAD_ENTITY,
                           "cannot clone an entity: the prototype is not alive"),
               keel_null();
    return keel_clone_entities(world, prototype, 1, &copy) < 0 ? keel_null() : copy;
}
