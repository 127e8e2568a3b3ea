// SPDX-License-Identifier: MIT
// The verbs of names, and checks and updates of a name whose entity moves to another parent. The
// table of names by parent is world/names.c; relation.c and hierarchy.c call this file.
#include "edit/batch.h"
#include "world/names.h"
#include "world/report.h"
#include "world/tree.h"

#include <keel/typed.h>
#include <string.h>

// ------------------------------------------------------------------ setting
static keel_result occupied(keel_world *world, const char *doing, keel_entity e,
                            const keeli_name *other) {
    const bool is_set = strcmp(doing, "name") == 0;
    const char *fix = is_set ? "choose another" : "keel_set_name another one, or NULL, before";
    if (keel_is_null(other->parent))
        return keeli_error(world, KEEL_ERROR_OCCUPIED,
                           "cannot %s %s: the root %s has that name; %s", doing,
                           KEELI_ENTITY(world, e), KEELI_ENTITY(world, other->entity), fix);
    return keeli_error(world, KEEL_ERROR_OCCUPIED,
                       "cannot %s %s: the child %s of %s has that name; %s", doing,
                       KEELI_ENTITY(world, e), KEELI_ENTITY(world, other->entity),
                       KEELI_ENTITY(world, other->parent), fix);
}

// Removes the name of an entity that has one. Cannot fail.
static void commit_remove_name(keel_world *world, keel_entity e) {
    keeli_storage *s = world->names.storage;
    const uint32_t index = keeli_index_of(e);
    keeli_follow_removing(world, s, index, KEEL_TRACK_DELETION);
    keeli_value_delete(world, s, index, keeli_store_value(world, s, index));
    keeli_store_pop(world, s, index);
    keeli_validate_storage(world, s);
}

static keel_result remove_name_of(keel_world *world, const keeli_holder *holder, keel_entity e) {
    keeli_storage *s = world->names.storage;
    if (!s || !keeli_name_at(world, e))
        return KEEL_ABSENT;
    KEEL_TRY(keeli_may_edit(world, holder, s, "delete"));
    commit_remove_name(world, e);
    return keeli_done(world, KEEL_OK);
}

keeli_name *keeli_reserve_name(keel_world *world, keel_entity e, const char *text, size_t length) {
    keeli_storage *s = world->names.storage;
    keeli_name *name = keeli_name_new(world, text, length);
    if (!name || (keeli_sparse_set_reserve(&s->set, &world->heap, 1) &&
                  keeli_reserve_value(world, s, keeli_index_of(e))))
        return name;
    keeli_name_free(world, name);
    return NULL;
}

void keeli_push_name(keel_world *world, keel_entity e, keel_entity parent, keeli_name *name) {
    ((keel_name *)keeli_store_push(world, world->names.storage, e))->text = name->text;
    keeli_name_enter(world, name, e, parent);
}

keel_result keeli_edit_name(keel_world *world, const keeli_holder *holder, keel_entity e,
                            const char *text) {
    if (!keeli_entity_is_alive(&world->entities, e))
        return keeli_dead_entity(world, "keel_set_name", e);
    const size_t length = text ? strlen(text) : 0;
    if (!length)
        return remove_name_of(world, holder, e);
    if (memchr(text, '/', length))
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT,
                            "cannot name %s \"%.60s\": a '/' stands between the names of a path",
                            KEELI_ENTITY(world, e), text);
    keel_result result;
    keeli_storage *s = keeli_storage_get(world, KEEL_OF(keel_name), false, &result);
    if (!s)
        return result;
    KEEL_TRY(keeli_may_edit(world, holder, s, "set"));
    const keel_entity parent = keeli_parent_of(world, e);
    const keeli_name *there = keeli_name_find(world, parent, text, length);
    if (there)
        return keel_is_same(there->entity, e) ? KEEL_OK : occupied(world, "name", e, there);
    const uint32_t index = keeli_index_of(e);
    keeli_name *old = keeli_name_at(world, e);
    keeli_name *name =
        old ? keeli_name_new(world, text, length) : keeli_reserve_name(world, e, text, length);
    if (!name)
        return keeli_out_of_memory(world, "naming an entity");
    if (old) {
        keeli_name_free(world, old);
        // analyzer: an entity with an old name has the component
        ((keel_name *)keeli_store_value(world, s, index))->text = name->text;
        keeli_name_enter(world, name, e, parent);
        keeli_follow_changed(world, s, e);
    } else {
        keeli_push_name(world, e, parent, name);
        keeli_follow_added(world, s, index);
    }
    keeli_validate_storage(world, s);
    return keeli_done(world, KEEL_OK);
}

keel_result(keel_set_name)(keel_scope *scope, keel_entity e, const char *name) {
    keeli_caller who;
    keel_commands *list = keeli_commands_of(scope);
    if (list)
        return keeli_record_name(list, e, name);
    KEEL_TRY(keeli_edit_begin(scope, &who));
    return keeli_edit_end(&who, keeli_edit_name(who.world, who.editor, e, name));
}

// ------------------------------------------------------------------ another parent
keel_result keeli_may_place_name(keel_world *world, const char *doing, keel_entity e,
                                 keel_entity parent) {
    const keeli_name *name = keeli_name_at(world, e);
    const keeli_name *there =
        name ? keeli_name_find(world, parent, name->text, name->length) : NULL;
    return there && there != name ? occupied(world, doing, e, there) : KEEL_OK;
}

keel_result keeli_may_orphan(keel_world *world, const keeli_holder *holder, keel_entity e) {
    if (!world->names.count)
        return KEEL_OK;
    KEELI_EACH_EDGE(child, &world->relations.child->edges, KEELI_SOURCES, keeli_index_of(e)) {
        if (keeli_name_at(world, keeli_entity_at(&world->entities, child)))
            return keeli_may_edit(world, holder, world->names.storage, "delete");
    }
    return KEEL_OK;
}

void keeli_place_name(keel_world *world, keel_entity e) {
    keeli_name *name = keeli_name_at(world, e);
    if (!name || !name->is_listed)
        return;
    const keel_entity parent = keeli_parent_of(world, e);
    keeli_name_leave(world, name);
    const keeli_name *there = keeli_name_find(world, parent, name->text, name->length);
    keeli_name_enter(world, name, e, parent);
    if (!there)
        return;
    const uint64_t lost = ++world->names.lost; // warns at 1, 2, 4, 8, ..., not for every one
    if (!(lost & (lost - 1)))
        keeli_warn(world,
                   "%s became a root and loses its name: the root %s has it already; names "
                   "lost like this so far: %llu; keel_delete_tree deletes children, too",
                   KEELI_ENTITY(world, e), KEELI_ENTITY(world, there->entity),
                   (unsigned long long)lost);
    commit_remove_name(world, e);
}

void keeli_free_name(keel_world *world, keel_entity e) {
    keeli_name *name = keeli_name_at(world, e);
    if (name)
        keeli_name_leave(world, name);
}

// ------------------------------------------------------------------ another world
bool keeli_copy_names(const keel_world *from, keel_world *to) {
    const keeli_storage *s = from->names.storage;
    if (s) {
        for (uint32_t slot = 0; slot < s->set.count; ++slot) {
            const keel_entity e = *keeli_sparse_set_entity(&s->set, slot);
            const keeli_name *name = keeli_name_at(from, e);
            keeli_name *copy = keeli_reserve_name(to, e, name->text, name->length);
            if (!copy)
                return false;
            keeli_push_name(to, e, name->parent, copy);
        }
    }
    return true;
}

// ------------------------------------------------------------------ looking
// Returns the world if the scope may read names, and (`at_places`) parents. NULL if not, or if the
// world has no names.
static const keel_world *world_of_names(const keel_scope *scope, bool at_places) {
    keeli_caller who;
    if (keeli_caller_is(scope, &who) < 0 || !who.world->names.storage)
        return NULL;
    return (!who.holder && !who.commands) ||
                   (keeli_may_look_up(&who, who.world->names.storage, KEEL_ACCESS_READ) &&
                    (!at_places || keeli_may_look_up(&who, who.world->relations.child->sources,
                                                     KEEL_ACCESS_READ)))
               ? who.world
               : NULL;
}

const char *(keel_name_of)(const keel_scope *scope, keel_entity e) {
    const keel_world *world = world_of_names(scope, false);
    const keeli_name *name =
        world && keeli_entity_is_alive(&world->entities, e) ? keeli_name_at(world, e) : NULL;
    return name ? name->text : NULL;
}

keel_entity(keel_find_entity)(const keel_scope *scope, keel_entity parent, const char *path) {
    const keel_world *world = path ? world_of_names(scope, true) : NULL;
    if (!world)
        return keel_null();
    for (const char *end;; path = end + 1) {
        if ((end = strchr(path, '/')) == NULL)
            end = path + strlen(path);
        const keeli_name *name = keeli_name_find(world, parent, path, (size_t)(end - path));
        if (!name)
            return keel_null();
        if (!*end)
            return name->entity;
        parent = name->entity;
    }
}
