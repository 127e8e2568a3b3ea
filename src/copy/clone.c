// SPDX-License-Identifier: MIT
// Clones an entity within its world, and moves an entity to another world. A clone gets the values
// and targets of its prototype, but not its children: trees are copied as prefabs (prefab.c).
#include "edit/removal.h"

#include "link/relation.h"
#include "world/names.h"
#include "world/registry.h"
#include "world/report.h"
#include "world/tree.h"

#include <keel/typed.h>

// ------------------------------------------------------------------ copies of a prototype
// Adds columns for all enabled values of the prototype, except its parent and name: a clone has a
// place of its own. Targets are added by finish_related.
static keel_result add_prototype(keeli_batch *b, const keeli_holder *holder, uint32_t index) {
    keel_world *world = b->world;
    uint32_t at = UINT32_MAX;
    b->has_prototype = true;
    b->prototype = index;
    for (keeli_storage *s; (s = keeli_store_next_of(world, index, &at)) != NULL;) {
        const bool is_link = s->flags & KEELI_IS_LINK && !keeli_store_is_valued(s);
        if (is_link || !keeli_store_has(s, index))
            continue;
        keel_result result;
        if (!keeli_storage_to_edit(world, holder, &s->component, "clone", &result))
            return result;
        if (!keeli_can_copy(s))
            return keeli_cannot_copy(world, s);
        keeli_batch_add(b, holder, s, keeli_store_value_there(s, index), 0, KEELI_COPIED);
    }
    return b->result;
}

// Finishes the batch and relates the clones to the targets of the prototype. Copies the handles of
// the clones, as the batch may own the list of them and free it before the targets are added.
static keel_result finish_related(keeli_batch *b, const keeli_holder *holder) {
    keel_world *world = b->world;
    const uint32_t prototype = b->prototype, count = b->count;
    keel_entity *copies = NULL;
    keeli_edge_copies *values = NULL;
    if (b->result == KEEL_OK) {
        copies = keeli_new(&world->heap, count * sizeof *copies, sizeof *copies);
        if (!copies)
            b->result = keeli_out_of_memory(world, b->doing);
        else
            memcpy(copies, b->entities, count * sizeof *copies);
    }
    if (b->result == KEEL_OK)
        b->result = keeli_reserve_targets_of(world, holder, prototype, copies, count, &values);
    keeli_editing_begin(world);
    const bool has_room = b->result == KEEL_OK && keeli_batch_reserve(b) == KEEL_OK;
    if (has_room)
        keeli_commit_edges_of(world, prototype, copies, count);
    const keel_result result = keeli_batch_finish(b); // cannot fail if there is room
    if (has_room)
        keeli_commit_targets_of(world, prototype, copies, count, values);
    keeli_editing_end(world);
    keeli_end_targets_of(world, values);
    keeli_free(&world->heap, copies, count * sizeof *copies, sizeof *copies);
    return keeli_done(world, result);
}

static keel_result finish_copies(keeli_batch *b, const keeli_holder *holder) {
    const keeli_relations *all = &b->world->relations;
    const bool may_be_related = all->all != all->child && b->count; // clones get no parent
    return may_be_related ? finish_related(b, holder) : keeli_batch_finish(b);
}

keel_result keeli_edit_clone(keel_world *world, keel_entity prototype, const keel_entity *held,
                             uint32_t count) {
    if (!keeli_entity_is_alive(&world->entities, prototype))
        return keeli_dead_entity(world, "keel_clone_entities", prototype);
    keeli_batch b;
    keeli_batch_begin_held(&b, world, held, count, "cloning an entity");
    b.result = add_prototype(&b, NULL, keeli_index_of(prototype));
    keeli_batch_create(&b, NULL, NULL);
    return finish_copies(&b, NULL);
}

// True if clones get the same targets: in every relation but the hierarchy.
static bool component_is_cloned(const keel_world *world, const keeli_storage *s) {
    return s->relation && s->relation != world->relations.child;
}

// Makes one clone like keel_add_entity makes an entity, if all values are plain and without
// followers: a batch of one takes five times as many instructions (benchmark clone_entity). False,
// with nothing changed, if a batch is needed.
static bool clone_plain(keel_world *world, uint32_t index, keel_entity *out) {
    enum { most = 16 };
    keel_value values[most + 1];
    uint32_t at = UINT32_MAX, n = 0;
    if (!keeli_is_unused(world))
        return false;
    for (keeli_storage *s; (s = keeli_store_next_of(world, index, &at)) != NULL;) {
        if (!keeli_store_has(s, index) || keeli_store_has_sources(s))
            continue;
        if (s->flags & KEELI_IS_LINK && !component_is_cloned(world, s))
            continue;
        if (s->relation)
            return false; // finish_related must add the targets
        if (keeli_flags_of(s) || s->component.copy || n == most)
            return false;
        values[n++] = (keel_value){ &s->component, keeli_store_value_there(s, index) };
    }
    values[n] = (keel_value){ NULL, NULL };
    *out = keeli_add_plain_entity(world, values);
    return !keel_is_null(*out);
}

static keel_result clone(keel_world *world, const keeli_holder *holder, keel_entity prototype,
                         uint32_t count, keel_entity *out) {
    if (!keeli_entity_is_alive(&world->entities, prototype))
        return keeli_error(world, KEEL_ERROR_DEAD_ENTITY, // a null result does not tell the reason
                           "cannot clone %s: it %s", KEELI_ENTITY(world, prototype),
                           keeli_not_alive(world, prototype));
    if (count == 1 && !holder && out && clone_plain(world, keeli_index_of(prototype), out))
        return KEEL_OK;
    keeli_batch b;
    keeli_batch_begin(&b, world, NULL, count, "cloning an entity");
    b.result = add_prototype(&b, holder, keeli_index_of(prototype));
    keeli_batch_create(&b, holder, out);
    return finish_copies(&b, holder);
}

keel_result(keel_clone_entities)(keel_scope *scope, keel_entity prototype, uint32_t count,
                                 keel_entity *out) {
    if (keeli_is_world(scope))
        return clone(keeli_world_of(scope), NULL, prototype, count, out);
    keeli_caller who;
    KEEL_TRY(keeli_edit_begin(scope, &who));
    if (who.commands)
        return keeli_record_clone(who.commands, prototype, count, out);
    return keeli_edit_end(&who, clone(who.world, who.editor, prototype, count, out));
}

// ------------------------------------------------------------------ to another world
static keel_result may_move(keel_world *from, keel_entity e, const keel_world *to) {
    if (from == to)
        return keeli_misuse(from, KEEL_ERROR_ARGUMENT,
                            "keel_move_entity needs two worlds, but both are '%s'", from->name);
    if (!keeli_entity_is_alive(&from->entities, e))
        return keeli_error(from, KEEL_ERROR_DEAD_ENTITY, "cannot move %s: it is not alive",
                           KEELI_ENTITY(from, e));
    if (keeli_has_links(from, e))
        return keeli_error(from, KEEL_ERROR_ARGUMENT,
                           "cannot move %s to another world: it is in a hierarchy; "
                           "keel_unlink it first",
                           KEELI_ENTITY(from, e));
    for (const keeli_relation *r = from->relations.all; r; r = r->next)
        if (keeli_is_in_relation(r, keeli_index_of(e)))
            return keeli_error(from, KEEL_ERROR_ARGUMENT,
                               "cannot move %s to another world: it is related by '%s'; "
                               "keel_unrelate it first",
                               KEELI_ENTITY(from, e), r->sources->component.name);
    return keeli_may_delete_entity(from, NULL, e);
}

// Adds columns for all enabled values of the entity, and registers its components in the other
// world.
static keel_result add_moved(keeli_batch *b, const keel_world *from, uint32_t index) {
    uint32_t at = UINT32_MAX;
    for (keeli_storage *s; (s = keeli_store_next_of(from, index, &at)) != NULL;) {
        if (s == from->names.storage)
            continue; // its text is memory of `from`: reserve_clone_name copies it
        keel_result result;
        keeli_storage *t = keeli_storage_to_edit(b->world, NULL, &s->component, "add", &result);
        if (!t)
            return result;
        if (keeli_store_is_disabled(s, index))
            continue;
        keeli_batch_add(b, NULL, t, keeli_store_value(from, s, index), 0, KEELI_HANDED_OVER);
    }
    return b->result;
}

// Makes room in the other world for the disabled values of the entity, which stay disabled.
static bool reserve_disabled(const keeli_batch *b, const keel_world *from, uint32_t index) {
    uint32_t at = UINT32_MAX;
    const uint32_t moved = keeli_index_of(b->entities[0]);
    for (const keeli_storage *s; (s = keeli_store_next_of(from, index, &at)) != NULL;) {
        if (!keeli_store_is_disabled(s, index))
            continue;
        keeli_storage *t = keeli_storage_find(b->world, &s->component);
        if (!keeli_store_reserve_disabled(b->world, t, moved) ||
            !keeli_reserve_value(b->world, t, moved)) {
            keeli_out_of_memory(b->world, b->doing);
            return false;
        }
    }
    return true;
}

static void move_disabled(keel_world *to, uint32_t moved, const keel_world *from, uint32_t index) {
    uint32_t at = UINT32_MAX;
    for (const keeli_storage *s; (s = keeli_store_next_of(from, index, &at)) != NULL;) {
        if (!keeli_store_is_disabled(s, index))
            continue;
        keeli_storage *t = keeli_storage_find(to, &s->component);
        void *value = keeli_store_push_disabled(to, t, moved);
        if (s->size)
            keeli_value_move(s, value, keeli_store_disabled_value(s, index));
        keeli_validate_storage(to, t);
    }
}

// Makes a copy of the entity's name for the other world, if it has a name. An error if that fails,
// or if a root has the name there.
static keel_result reserve_clone_name(const keeli_batch *b, const keel_world *from, keel_entity e,
                                      keeli_name **copy) {
    keel_world *to = b->world;
    const keeli_name *name = keeli_name_at(from, e);
    if (!name)
        return KEEL_OK;
    keel_result result;
    const keeli_storage *s = keeli_storage_get(to, KEEL_OF(keel_name), false, &result);
    if (!s)
        return result;
    KEEL_TRY(keeli_may_edit(to, NULL, s, "set"));
    const keeli_name *there = keeli_name_find(to, keel_null(), name->text, name->length);
    if (there)
        return keeli_error(to, KEEL_ERROR_OCCUPIED,
                           "cannot move %s to world '%s': the root %s has that name there",
                           KEELI_ENTITY(from, e), to->name, KEELI_ENTITY(to, there->entity));
    *copy = keeli_reserve_name(to, b->entities[0], name->text, name->length);
    return *copy ? KEEL_OK : keeli_out_of_memory(to, b->doing);
}

// Deletes the entity after its values were moved out.
static void leave_world(keel_world *from, keel_entity e) {
    keeli_name *name = keeli_name_at(from, e);
    keeli_follow_losing_all(from, e, KEEL_ON_REMOVED, true);
    keeli_remove_components(from, e, KEEL_TRACK_REMOVAL);
    if (name)
        keeli_name_free(from, name);
    keeli_entity_index_delete(&from->entities, e);
    keeli_validate_entities(from);
}

keel_entity keel_move_entity(keel_world *from, keel_entity e, keel_world *to) {
    if (keeli_is_no_world(from) || keeli_is_no_world(to)) {
        keeli_no_world();
        return keel_null();
    }
    if (may_move(from, e, to) < 0)
        return keel_null();
    const uint32_t index = keeli_index_of(e);
    keel_entity moved;
    keeli_batch b;
    keeli_batch_begin(&b, to, NULL, 1, "moving an entity");
    keeli_editing_begin(to); // commands of observers wait until the entity is complete
    // hooks and observers of `to` must not edit `from` meanwhile
    const uint32_t before = keeli_refuse_begin(from, KEELI_REFUSED_HOOK);
    b.result = keeli_may_edit(to, NULL, &to->stand_in.entities, "move to");
    if (b.result == KEEL_OK)
        b.result = add_moved(&b, from, index);
    keeli_batch_create(&b, NULL, &moved);
    if (b.result == KEEL_OK && !reserve_disabled(&b, from, index))
        b.result = KEEL_ERROR_MEMORY;
    keeli_name *name = NULL;
    if (b.result == KEEL_OK)
        b.result = reserve_clone_name(&b, from, e, &name);
    const keel_result result = keeli_batch_finish(&b);
    if (name && result == KEEL_OK) {
        keeli_push_name(to, moved, keel_null(), name);
        keeli_follow_added(to, to->names.storage, keeli_index_of(moved));
    } else if (name) {
        keeli_name_free(to, name);
    }
    if (result == KEEL_OK)
        move_disabled(to, keeli_index_of(moved), from, index);
    keeli_refuse_end(from, before);
    if (result == KEEL_OK)
        leave_world(from, e);
    (void)keeli_done(from, KEEL_OK);
    keeli_editing_end(to);
    (void)keeli_done(to, KEEL_OK);
    return result < 0 ? keel_null() : moved;
}
