// SPDX-License-Identifier: MIT
// Creating and deleting single entities.
#include "edit/edit.h"

#include "edit/quick.h"
#include "follow/observe.h"
#include "world/report.h"

static keel_result reserve_entity(keel_world *world) {
    const keel_result result = keeli_entity_index_reserve(&world->entities, &world->heap, 1);
    if (result == KEEL_ERROR_MEMORY) return keeli_out_of_memory(world, "adding an entity");
    if (result == KEEL_ERROR_FULL)
        return keeli_error(world, KEEL_ERROR_FULL,
                           "cannot add an entity: every index is in use; delete entities, or build "
                           "with 64-bit handles");
    return result;
}

// ------------------------------------------------------------------ adding
// Room for its values, and in the sets of new entities.
static keel_result reserve_new(keel_world *world, const keeli_holder *holder, keel_entity e,
                               const keel_value *values, keeli_room *room) {
    if (!keeli_sets_reserve_new(world, e, 1)) return keeli_out_of_memory(world, "adding an entity");
    return values ? keeli_reserve_values(world, holder, keel_entity_index(e), values, room)
                  : KEEL_OK;
}

keel_entity keeli_edit_add_entity(keel_world *world, const keeli_holder *holder,
                                  const keel_value *values) {
    if (keeli_may_edit(world, holder, &world->entity_storage, "add to") < 0) return keel_null();
    if (reserve_entity(world) < 0) return keel_null();
    const keeli_entity_index before = world->entities;
    const keel_entity e = keeli_entity_index_add(&world->entities);
    keeli_room room = { 0 };
    if (reserve_new(world, holder, e, values, &room) < 0) {
        keeli_entity_index_undo(&world->entities, &before, &e, 1);
        return keel_null();
    }
    if (values) keeli_commit_values(world, e, values, &room);
    keeli_tell_created(world, e);
    keeli_validate_entities(world);
    (void)keeli_done(world, KEEL_OK);
    return e;
}

keel_result keeli_edit_add_held(keel_world *world, const keeli_holder *holder, keel_entity held,
                                const keel_value *values) {
    keeli_room room = { 0 };
    uint32_t *where = keeli_row_of(world, keel_entity_index(held));
    const uint32_t promise = *where;
    *where = KEELI_NO_ROW; // as for the living, which making room looks at
    const keel_result result = reserve_new(world, holder, held, values, &room);
    if (result < 0) {
        *where = promise;
        return result;
    }
    keeli_entity_index_confirm(&world->entities, held);
    if (values) keeli_commit_values(world, held, values, &room);
    keeli_tell_created(world, held);
    keeli_validate_entities(world);
    return keeli_done(world, KEEL_OK);
}

keel_result keel_add_entity_at(keel_world *world, keel_entity e) {
    if (!world) return keeli_no_world();
    KEEL_TRY(keeli_may_edit(world, NULL, &world->entity_storage, "add to"));
    keel_result result = keeli_entity_index_may_add_at(&world->entities, e);
    if (result == KEEL_OK && !keeli_sets_reserve_new(world, e, 1)) result = KEEL_ERROR_MEMORY;
    if (result == KEEL_OK) result = keeli_entity_index_add_at(&world->entities, &world->heap, e);
    if (result == KEEL_ERROR_MEMORY) return keeli_out_of_memory(world, "adding an entity");
    if (result == KEEL_ERROR_OCCUPIED || result == KEEL_ERROR_FULL)
        return keeli_error(world, result, "cannot add an entity at index %u: %s",
                           (unsigned)keel_entity_index(e), keel_result_text(result));
    if (result < 0) return result; // a handle of nothing
    keeli_tell_created(world, e);
    keeli_validate_entities(world);
    return keeli_done(world, KEEL_OK);
}

keel_result keel_reserve_entities(keel_world *world, uint32_t count) {
    if (!world) return keeli_no_world();
    KEEL_TRY(keeli_world_is_editable(world));
    const uint32_t alive = keeli_entity_count(&world->entities);
    const keel_result result =
        count > alive ? keeli_entity_index_reserve(&world->entities, &world->heap, count - alive)
                      : KEEL_OK;
    if (result == KEEL_ERROR_MEMORY) return keeli_out_of_memory(world, "reserving entities");
    if (result == KEEL_ERROR_FULL)
        return keeli_error(world, result,
                           "cannot make room for %u entities: there are not enough free indices",
                           (unsigned)count);
    return result;
}

// ------------------------------------------------------------------ deleting
keel_result keeli_may_delete_entity(keel_world *world, const keeli_holder *holder, keel_entity e) {
    KEEL_TRY(keeli_may_edit(world, holder, &world->entity_storage, "delete from"));
    if (!holder && !world->holders && !world->owned_storages) return KEEL_OK; // nothing is in use
    if (keeli_has_links(world, e)) KEEL_TRY(keeli_may_edit_links(world, holder));
    uint32_t at = UINT32_MAX;
    for (const keeli_storage *s;
         (s = keeli_store_next_of(world, keel_entity_index(e), &at)) != NULL;)
        KEEL_TRY(keeli_may_edit(world, holder, s, "delete"));
    return KEEL_OK;
}

void keeli_commit_delete_entity(keel_world *world, keel_entity e) {
    if (keeli_quick_delete_entity(world, e, KEELI_IS_LINK)) return;
    keeli_notify_all_of(world, e, KEEL_ON_DELETED, true);
    keeli_store_take_all(world, e);
    keeli_entity_index_delete(&world->entities, e);
    keeli_validate_entities(world);
}

keel_result keeli_edit_delete_entity(keel_world *world, const keeli_holder *holder, keel_entity e) {
    if (!keeli_entity_is_alive(&world->entities, e)) return KEEL_ABSENT;
    // with components of one thread it may be refused, and nothing may be gone then
    if (!holder && !world->owned_storages && keeli_quick_delete_entity(world, e, 0)) return KEEL_OK;
    KEEL_TRY(keeli_may_delete_entity(world, holder, e));
    if (keeli_has_links(world, e)) keeli_commit_unlink(world, e);
    keeli_commit_delete_entity(world, e);
    return keeli_done(world, KEEL_OK);
}

void keel_delete_entity_unchecked(keel_world *world, keel_entity e) {
    keeli_commit_delete_entity(world, e);
    (void)keeli_done(world, KEEL_OK);
}

keel_result keel_delete_entities(keel_world *world, const keel_entity *entities, uint32_t count) {
    if (!world) return keeli_no_world();
    if (count && !entities)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "keel_delete_entities needs a list");
    for (uint32_t i = 0; i < count; ++i)
        if (keeli_entity_is_alive(&world->entities, entities[i]))
            KEEL_TRY(keeli_may_delete_entity(world, NULL, entities[i]));
    bool any = false;
    keeli_editing_begin(world);
    for (uint32_t i = 0; i < count; ++i)
        if (keeli_edit_delete_entity(world, NULL, entities[i]) == KEEL_OK) any = true;
    keeli_editing_end(world);
    return keeli_done(world, any ? KEEL_OK : KEEL_ABSENT);
}

// Without all parents, or without all children, no link is left. So none is repaired on the way:
// that would take the component away from others before their turn.
static keel_result delete_all_linked(keel_world *world, const keeli_storage *s) {
    keeli_storage *other = s == world->parents ? world->children : world->parents;
    ++world->links.edits;
    keeli_store_clear(world, other);
    for (uint32_t i; (i = keeli_presence_last(&s->presence)) != UINT32_MAX;)
        keeli_commit_delete_entity(world, keeli_entity_at(&world->entities, i));
    return keeli_done(world, KEEL_OK);
}

keel_result keeli_edit_delete_entities_with(keel_world *world, const keeli_holder *holder,
                                            const keel_component *component) {
    const keeli_storage *s = component ? keeli_storage_find(world, component) : NULL;
    if (!s || keeli_store_count(s) == 0) return KEEL_ABSENT;
    for (uint32_t i = 0; (i = keeli_store_next(s, i)) != UINT32_MAX; ++i)
        KEEL_TRY(keeli_may_delete_entity(world, holder, keeli_entity_at(&world->entities, i)));
    if (s->flags & KEELI_IS_LINK) return delete_all_linked(world, s);
    // highest index first, so that the indices are handed out again in ascending order
    keeli_editing_begin(world);
    for (uint32_t i; (i = keeli_presence_last(&s->presence)) != UINT32_MAX;)
        (void)keeli_edit_delete_entity(world, holder, keeli_entity_at(&world->entities, i));
    keeli_editing_end(world);
    return keeli_done(world, KEEL_OK);
}

keel_result keel_delete_entities_with(keel_world *world, const keel_component *component) {
    return world ? keeli_edit_delete_entities_with(world, NULL, component) : keeli_no_world();
}

keel_result keel_clear_entities(keel_world *world) {
    if (!world) return keeli_no_world();
    KEEL_TRY(keeli_may_edit(world, NULL, &world->entity_storage, "clear"));
    for (uint32_t i = 0; i < world->order.count; ++i)
        if (keeli_store_count(world->order.items[i]) || world->order.items[i]->disabled.count)
            KEEL_TRY(keeli_may_edit(world, NULL, world->order.items[i], "clear"));
    keeli_store_clear_all(world);
    keeli_entity_index_clear(&world->entities);
    keeli_validate_entities(world);
    return keeli_done(world, KEEL_OK);
}

// ------------------------------------------------------------------ looking
bool keel_world_is_alive(const keel_world *world, keel_entity e) {
    return world && keeli_entity_is_alive(&world->entities, e);
}

uint32_t keel_entity_count(const keel_world *world) { return world ? keeli_entity_count(&world->entities) : 0; }

keel_entity keel_next_entity(const keel_world *world, keel_entity after) {
    if (!world) return keel_null();
    const uint32_t index = keel_entity_index(after);
    if (!keel_is_null(after) && index >= KEEL_ENTITY_INDEX_MAX) return keel_null();
    return keeli_entity_index_next(&world->entities, keel_is_null(after) ? 0 : index + 1);
}
