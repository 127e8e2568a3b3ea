// SPDX-License-Identifier: MIT
// The verbs that delete entities: one, a list, all with a component, or all. Finds the entities
// that relations delete together with their targets (.on_delete). The removal of components is
// removal.c; deleting a tree is link/hierarchy.c.
#include "edit/removal.h"

#include "link/relation.h"
#include "world/report.h"
#include "world/tree.h"

// ------------------------------------------------------------------ checks
keel_result keeli_may_delete_entity(keel_world *world, const keeli_holder *holder, keel_entity e) {
    KEEL_TRY(keeli_may_edit(world, holder, &world->stand_in.entities, "delete from"));
    if (!holder && !world->access.holders && !world->access.owned_storages)
        return KEEL_OK; // no storage is borrowed
    KEEL_TRY(keeli_may_orphan(world, holder, e));
    uint32_t at = UINT32_MAX;
    for (const keeli_storage *s; (s = keeli_store_next_of(world, keeli_index_of(e), &at)) != NULL;)
        KEEL_TRY(keeli_may_edit(world, holder, s->relation ? s->relation->sources : s,
                                "delete an entity that has"));
    return KEEL_OK;
}

// ------------------------------------------------------------------ sources deleted with a target
// True if the entity is one of those that the running deletion deletes.
static bool is_marked(const keeli_relations *all, uint32_t index) {
    return index / 64 < all->marks.count && all->marks.items[index / 64] >> (index % 64) & 1;
}
static void mark(keeli_relations *all, uint32_t index, bool on) {
    if (index / 64 >= all->marks.count)
        return; // no source of a relation with .on_delete has such an index, so no mark is needed
    uint64_t *word = &all->marks.items[index / 64];
    *word = on ? *word | keeli_bit_of(index) : *word & ~keeli_bit_of(index);
}

// Moves to the next living root: an entity of the list or tree that the caller deletes. `*at` is 0
// at first. False at the end.
static bool next_root(const keel_world *world, keeli_roots roots, uint32_t *at, keel_entity *e) {
    do {
        if (roots.list && *at == roots.count)
            return false;
        if (roots.list)
            *e = roots.list[*at];
        else
            *e = *at ? keeli_next_in_tree(world, roots.tree, *e) : roots.tree;
        ++*at;
    } while (roots.list && !keeli_entity_is_alive(&world->entities, *e));
    return !keel_is_null(*e);
}

// Adds an entity to the list of those that are deleted together with their targets. Cannot fail:
// the edit that gave the entity a target made room for it (keeli_reserve_doomed).
static void doom(keeli_relations *all, uint32_t index) {
    if (is_marked(all, index))
        return;
    mark(all, index, true);
    *KEELI_APPEND(&all->doomed) = index;
}

// Dooms the sources of a target in all relations that delete sources with their target.
static void spread(keel_world *world, uint32_t target) {
    keeli_relations *all = &world->relations;
    for (const keeli_relation *r = all->all; r; r = r->next) {
        if (r->sources->component.on_delete != KEEL_DELETE_SOURCES)
            continue;
        KEELI_EACH_EDGE(at, &r->edges, KEELI_SOURCES, target) {
            doom(all, keeli_edge_other(&r->edges, KEELI_SOURCES, target, at));
        }
    }
}

static keel_result related(keel_world *world, const keeli_relation *r, uint32_t source,
                           uint32_t target) {
    const keel_entity e = keeli_entity_at(&world->entities, target);
    const keel_entity other = keeli_entity_at(&world->entities, source);
    if (r == world->relations.child)
        return keeli_error(world, KEEL_ERROR_RELATED,
                           "cannot delete %s: %s is its child, and the world refuses to delete "
                           "parents (.on_parent_delete); detach or delete the child first, or use "
                           "keel_delete_tree",
                           KEELI_ENTITY(world, e), KEELI_ENTITY(world, other));
    return keeli_error(world, KEEL_ERROR_RELATED,
                       "cannot delete %s: %s is related to it by '%s', which refuses to delete "
                       "targets (.on_delete); unrelate or delete the source first",
                       KEELI_ENTITY(world, e), KEELI_ENTITY(world, other),
                       r->sources->component.name);
}

// Returns an error if the target has a source that is not deleted with it, in a relation that
// refuses to delete such targets (KEEL_REFUSE).
static keel_result deletion_is_refused(keel_world *world, uint32_t target) {
    const keeli_relations *all = &world->relations;
    for (const keeli_relation *r = all->all; r; r = r->next) {
        if (r->sources->component.on_delete != KEEL_REFUSE)
            continue;
        KEELI_EACH_EDGE(at, &r->edges, KEELI_SOURCES, target) {
            const uint32_t source = keeli_edge_other(&r->edges, KEELI_SOURCES, target, at);
            if (!is_marked(all, source))
                return related(world, r, source, target);
        }
    }
    return KEEL_OK;
}

// Fills the list of doomed entities, and marks them and the roots. Returns an error if a relation
// refuses the deletion of one of them, or if a doomed entity may not be edited now.
static keel_result collect_deleted(keel_world *world, const keeli_holder *holder,
                                   keeli_roots roots) {
    keeli_relations *all = &world->relations;
    keel_entity e = keel_null();
    for (uint32_t at = 0; next_root(world, roots, &at, &e);)
        mark(all, keeli_index_of(e), true);
    for (uint32_t at = 0; next_root(world, roots, &at, &e);)
        spread(world, keeli_index_of(e));
    for (uint32_t i = 0; i < all->doomed.count; ++i)
        spread(world, all->doomed.items[i]);
    for (uint32_t at = 0; next_root(world, roots, &at, &e);)
        KEEL_TRY(deletion_is_refused(world, keeli_index_of(e)));
    for (uint32_t i = 0; i < all->doomed.count; ++i) {
        const uint32_t index = all->doomed.items[i];
        KEEL_TRY(deletion_is_refused(world, index));
        KEEL_TRY(keeli_may_delete_entity(world, holder, keeli_entity_at(&world->entities, index)));
    }
    return KEEL_OK;
}

// Like collect_deleted, but leaves no marks. After an error the list is empty.
static keel_result collect_doomed(keel_world *world, const keeli_holder *holder,
                                  keeli_roots roots) {
    keeli_relations *all = &world->relations;
    keel_entity e = keel_null();
    const keel_result result = collect_deleted(world, holder, roots);
    for (uint32_t at = 0; next_root(world, roots, &at, &e);)
        mark(all, keeli_index_of(e), false);
    for (uint32_t i = 0; i < all->doomed.count; ++i)
        mark(all, all->doomed.items[i], false);
    if (result < 0)
        all->doomed.count = 0;
    return result;
}

// Frees the names of all entities to delete, before the first deletion: a child that stays becomes
// a root, and may have the name of a root that is deleted later.
static void free_names(keel_world *world, keeli_roots roots) {
    const keeli_relations *all = &world->relations;
    keel_entity e = keel_null();
    for (uint32_t at = 0; next_root(world, roots, &at, &e);)
        keeli_free_name(world, e);
    for (uint32_t i = 0; i < all->doomed.count; ++i)
        keeli_free_name(world, keeli_entity_at(&world->entities, all->doomed.items[i]));
}

// Deletes the doomed entities before their targets, the last one found first.
keel_result keeli_delete_doomed(keel_world *world, const keeli_holder *holder, keeli_roots roots) {
    keeli_relations *all = &world->relations;
    if (!all->rule_count)
        return KEEL_OK;
    KEEL_TRY(collect_doomed(world, holder, roots));
    if (all->doomed.count && world->names.count)
        free_names(world, roots);
    keeli_editing_begin(world);
    while (all->doomed.count) {
        const keel_entity e =
            keeli_entity_at(&world->entities, all->doomed.items[--all->doomed.count]);
        keeli_commit_delete_entity(world, e);
    }
    keeli_editing_end(world);
    return KEEL_OK;
}

// ------------------------------------------------------------------ one entity
static keel_result delete_held(keel_world *world, const keeli_holder *holder, keel_entity e) {
    if (!keeli_entity_is_alive(&world->entities, e))
        return KEEL_ABSENT;
    KEEL_TRY(keeli_may_delete_entity(world, holder, e));
    KEEL_TRY(keeli_delete_doomed(world, holder, (keeli_roots){ .list = &e, .count = 1 }));
    keeli_commit_delete_entity(world, e);
    return keeli_done(world, KEEL_OK);
}

void keel_delete_entity_unchecked(keel_world *world, keel_entity e) {
    keeli_commit_delete_entity(world, e);
    (void)keeli_done(world, KEEL_OK);
}

static __attribute__((noinline)) keel_result delete_general(keel_world *world, keel_entity e) {
    if (world->relations.rule_count || !keeli_is_unused(world))
        return delete_held(world, NULL, e);
    keeli_commit_delete_entity(world, e);
    return keeli_done(world, KEEL_OK);
}

static __attribute__((noinline)) keel_result delete_row(keel_world *world, uint32_t place) {
    keeli_archetype_remove(&world->archetypes, &world->entities, place);
    keeli_validate_entities(world);
    return KEEL_OK;
}

// Removes the components of an entity, one by one. Returns false at the first component that needs
// the general path: a bit of keeli_storage.flags says so, no other entity of the block of 64 has
// the component, or it is stored in an indexed set with a page for each value. The caller then
// removes the rest by the general path.
static inline __attribute__((always_inline)) bool take_plain(keel_world *world, uint32_t index) {
    keeli_component_list *list = keeli_list_if_any(&world->lists, index);
    if (!list)
        return true;
    const uint16_t *numbers = keeli_list_numbers(list), *next = numbers + list->count;
    const uint64_t bit = keeli_bit_of(index);
    for (; next != numbers; --next) {
        keeli_storage *s = world->registry.by_ordinal.items[next[-1]];
        if (keeli_flags_of(s))
            return false; // also for an incomplete list: it names only keel_child, a KEELI_IS_LINK
        uint64_t *word = keeli_listed_word(s, index);
        const uint64_t bits = *word, rest = bits & ~bit;
        if (rest == bits)
            continue;
        if (!rest || !(s->goes_with_bit || keeli_store_is_sparse(s)))
            return false;
        keeli_store_clear_bit_beside(s, word, rest);
        if (!s->goes_with_bit)
            keeli_sparse_set_remove_plain(&s->set, keeli_sparse_set_cell(&s->set, index));
    }
    return true;
}

keel_result keeli_world_delete_entity(keel_scope *scope, keel_entity e) {
    keel_world *world = keeli_world_of(scope);
    if (keeli_is_no_world(world))
        return keeli_no_world();
    if (!keeli_entity_is_alive(&world->entities, e))
        return KEEL_ABSENT;
    if ((uintptr_t)world->followers.groups | world->followers.observed |
            world->relations.rule_count ||
        !keeli_is_unused(world))
        return delete_general(world, e);
    const uint32_t index = keeli_index_of(e);
    if (!take_plain(world, index))
        return delete_general(world, e);
    const uint32_t place = *keeli_row_of(&world->entities, index);
    keeli_entity_index_delete(&world->entities, e);
    if (place != KEELI_NO_ROW)
        return delete_row(world, place);
    keeli_validate_entities(world);
    return KEEL_OK;
}

keel_result keeli_edit_delete_entity(keel_world *world, const keeli_holder *holder, keel_entity e) {
    return holder ? delete_held(world, holder, e)
                  : keeli_world_delete_entity(&world->root.scope, e);
}

keel_result(keel_delete_entity)(keel_scope *scope, keel_entity e) {
    return keeli_is_world(scope) ? keeli_world_delete_entity(scope, e)
                                 : keeli_edit_elsewhere(scope, e, keeli_edit_delete_entity);
}

// ------------------------------------------------------------------ many
static void delete_living(keel_world *world, const keel_entity *entities, uint32_t count) {
    enum { at_once = 256 };
    keel_entity living[at_once];
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; ++i) {
        living[n] = entities[i];
        n += keeli_entity_is_alive(&world->entities, entities[i]);
        if (n < at_once && i + 1 < count)
            continue;
        keeli_commit_delete_entities(world, living, n);
        n = 0;
    }
}

// Detaches all living entities of a list from their parents, and their children from them.
static void unlink_all(keel_world *world, const keel_entity *entities, uint32_t count) {
    keeli_relation *tree = world->relations.child;
    if (!keeli_store_count(tree->sources))
        return;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t index = keeli_index_of(entities[i]);
        if (!keeli_entity_is_alive(&world->entities, entities[i]))
            continue;
        if (keeli_store_has(tree->sources, index))
            keeli_remove_edges_of(world, tree, index, false);
        if (keeli_store_has(tree->targets, index))
            keeli_remove_edges_of(world, tree, index, true);
    }
}

// Deletes the living entities of a list. If the world has observers, entities are deleted one by
// one, because an observer is called while the entity still has its parent.
static void commit_delete_many(keel_world *world, const keel_entity *entities, uint32_t count) {
    for (uint32_t i = 0; world->followers.observed && i < count; ++i)
        if (keeli_entity_is_alive(&world->entities, entities[i]))
            keeli_commit_delete_entity(world, entities[i]);
    if (world->followers.observed)
        return;
    unlink_all(world, entities, count);
    delete_living(world, entities, count);
}

keel_result keeli_edit_delete_entities(keel_world *world, const keeli_holder *holder,
                                       const keel_entity *entities, uint32_t count) {
    const uint32_t before = keeli_entity_count(&world->entities);
    for (uint32_t i = 0; i < count; ++i) {
        if (!keeli_entity_is_alive(&world->entities, entities[i]))
            continue;
        KEEL_TRY(keeli_may_delete_entity(world, holder, entities[i]));
        if (!holder && !world->access.holders && !world->access.owned_storages)
            break; // no storage is borrowed, so the answer is the same for all entities
    }
    const keeli_roots roots = { .list = entities, .count = count };
    KEEL_TRY(keeli_delete_doomed(world, holder, roots));
    keeli_editing_begin(world);
    if (world->names.count)
        free_names(world, roots);
    commit_delete_many(world, entities, count);
    keeli_editing_end(world);
    world->commands.last_count = before - keeli_entity_count(&world->entities);
    return keeli_done(world, world->commands.last_count ? KEEL_OK : KEEL_ABSENT);
}

keel_result(keel_delete_entities)(keel_scope *scope, const keel_entity *entities, uint32_t count) {
    keeli_caller who;
    KEEL_TRY(keeli_edit_begin(scope, &who));
    keel_result result = keeli_check_list(who.world, entities, count, "keel_delete_entities");
    if (result == KEEL_OK && who.commands)
        return keeli_record_many(who.commands, KEELI_RECORD_DELETE_ENTITIES, entities, count, NULL);
    if (result == KEEL_OK)
        result = keeli_edit_delete_entities(who.world, who.editor, entities, count);
    return keeli_edit_end(&who, result);
}

// Deletes all entities with a component. The highest index is deleted first, so that new entities
// get the indices in ascending order.
static void delete_having(keel_world *world, const keeli_storage *s) {
    for (uint32_t i = 0; world->names.count && (i = keeli_store_next(s, i)) != UINT32_MAX; ++i)
        keeli_free_name(world, keeli_entity_at(&world->entities, i));
    for (uint32_t i; (i = keeli_presence_last(&s->presence)) != UINT32_MAX;) {
        const uint64_t bits = keeli_presence_word(&s->presence, i / 64);
        keel_entity list[64];
        uint32_t count = 0;
        for (i |= 63; count < (uint32_t)__builtin_popcountll(bits); --i)
            if (bits >> (i % 64) & 1)
                list[count++] = keeli_entity_at(&world->entities, i);
        commit_delete_many(world, list, count);
    }
}

// As delete_having, but for a component of a relation, for keel_name, and for a world with rules of
// .on_delete. There the deletion of one entity may delete another one, or remove the component from
// it. So all the entities are listed before the first deletion.
static keel_result delete_listed(keel_world *world, const keeli_holder *holder,
                                 const keeli_storage *s) {
    const uint32_t count = keeli_store_count(s);
    keel_entity *list = keeli_new(&world->heap, count * sizeof *list, sizeof *list);
    if (!list)
        return keeli_out_of_memory(world, "deleting entities by component");
    for (uint32_t i = 0, n = count; (i = keeli_store_next(s, i)) != UINT32_MAX; ++i)
        list[--n] = keeli_entity_at(&world->entities, i);
    const keel_result result = keeli_edit_delete_entities(world, holder, list, count);
    keeli_free(&world->heap, list, count * sizeof *list, sizeof *list);
    return result;
}

static keel_result delete_all_having(keel_world *world, const keeli_holder *holder,
                                     const keel_component *component) {
    const keeli_storage *s = component ? keeli_storage_find(world, component) : NULL;
    if (!s || keeli_store_count(s) == 0)
        return KEEL_ABSENT;
    if (s->relation || s->flags & KEELI_IS_LINK || world->relations.rule_count)
        return delete_listed(world, holder, s);
    const uint32_t before = keeli_entity_count(&world->entities);
    KEELI_EACH_BIT(i, &s->presence)
        KEEL_TRY(keeli_may_delete_entity(world, holder, keeli_entity_at(&world->entities, i)));
    keeli_editing_begin(world);
    delete_having(world, s);
    keeli_editing_end(world);
    world->commands.last_count = before - keeli_entity_count(&world->entities);
    return keeli_done(world, KEEL_OK);
}

static keel_result delete_recorded(keel_world *world, const keel_term *terms,
                                   const keel_component *component, const void *value) {
    (void)component, (void)value;
    return delete_all_having(world, NULL, terms->component);
}

keel_result(keel_delete_entities_having_component)(keel_scope *scope,
                                                   const keel_component *component) {
    keeli_caller who;
    KEEL_TRY(keeli_edit_begin(scope, &who));
    if (who.commands) {
        const keel_term terms[] = { { .kind = KEEL_TERM_WITH, .component = component },
                                    { .kind = KEEL_TERM_END } };
        return keeli_record_matching(who.commands, terms, NULL, delete_recorded);
    }
    return keeli_edit_end(&who, delete_all_having(who.world, who.editor, component));
}

keel_result keel_clear_entities(keel_world *world) {
    if (keeli_is_no_world(world))
        return keeli_no_world();
    KEEL_TRY(keeli_may_edit(world, NULL, &world->stand_in.entities, "clear"));
    for (uint32_t i = 0; i < world->storages.count; ++i)
        if (keeli_store_count(world->storages.items[i]) || world->storages.items[i]->disabled.count)
            KEEL_TRY(keeli_may_edit(world, NULL, world->storages.items[i], "clear"));
    world->commands.last_count = keeli_entity_count(&world->entities);
    keeli_clear_all(world);
    keeli_entity_index_clear(&world->entities);
    ++world->emptied;
    keeli_validate_entities(world);
    return keeli_done(world, KEEL_OK);
}

uint32_t keel_last_count(const keel_world *world) {
    return keeli_is_nobody(world) ? 0 : world->commands.last_count;
}
