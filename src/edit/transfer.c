// SPDX-License-Identifier: MIT
// One entity moves from world to world.
#include "edit/edit.h"

#include "edit/flush.h"
#include "follow/follow.h"
#include "world/registry.h"
#include "world/report.h"

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
                          keel_world *to, uint32_t target) {
    for (const keel_value *v = values; v->component; ++v) {
        if (!keeli_store_is_disabled(keeli_storage_find(from, v->component), index)) continue;
        keeli_storage *s = keeli_storage_find(to, v->component);
        keeli_hiding(to, s, target);
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
    keeli_editing_begin(to); // what observers there ask for waits until the entity is whole
    if (keeli_may_edit(to, NULL, &to->entity_storage, "move to") >= 0 &&
        prepare_target(from, index, values, to))
        moved = keeli_edit_add_entity(to, NULL, values);
    if (!keel_is_null(moved)) {
        disable_moved(from, index, values, to, keel_entity_index(moved));
        keeli_entity_going(from, e, KEEL_ON_REMOVED, true);
        keeli_store_leave_all(from, e);
        keeli_entity_index_delete(&from->entities, e);
        keeli_validate_entities(from);
    }
    free_values(from, values, count);
    (void)keeli_done(from, KEEL_OK);
    keeli_editing_end(to);
    (void)keeli_done(to, KEEL_OK);
    return moved;
}
