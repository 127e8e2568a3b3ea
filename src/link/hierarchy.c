// SPDX-License-Identifier: MIT
// The verbs of the hierarchy that relations in general do not have: attach, add_child, detach,
// unlink, and edits of whole trees. How an edge of keel_child is added and removed is in relation.c
// and related.c; walks over the hierarchy are in world/tree.c.
#include "edit/batch.h"
#include "edit/removal.h"
#include "link/relation.h"
#include "world/report.h"
#include "world/tree.h"

#include <keel/relation.h>
#include <keel/typed.h>

static keeli_relation *tree_of(const keel_world *world) { return world->relations.child; }

static keel_result may_edit_tree(keel_world *world, const keeli_holder *holder) {
    return keeli_may_edit(world, holder, tree_of(world)->sources, "change");
}

// In builds with validation: walks the hierarchy, which was just edited.
static void validate_hierarchy(const keel_world *world) {
    KEELI_CHECK_STRUCTURE(keeli_store_count(tree_of(world)->targets) > 256 ||
                          keeli_relation_is_valid(tree_of(world)));
    (void)world;
}

// ------------------------------------------------------------------ attach
keel_result keeli_edit_attach(keel_world *world, const keeli_holder *holder, keel_entity child,
                              keel_entity parent) {
    return holder ? keeli_attach_general(world, holder, child, parent)
                  : keeli_relate(world, tree_of(world), child, parent);
}

static __attribute__((noinline)) keel_result attach_elsewhere(keel_scope *scope, keel_entity child,
                                                              keel_entity parent) {
    keeli_caller who;
    keel_commands *list = keeli_commands_of(scope);
    if (list)
        return keeli_record_two(list, child, parent, keeli_edit_attach);
    KEEL_TRY(keeli_edit_begin(scope, &who));
    return keeli_edit_end(&who, keeli_edit_attach(who.world, who.editor, child, parent));
}

keel_result(keel_attach)(keel_scope *scope, keel_entity child, keel_entity parent) {
    if (!keeli_is_world(scope))
        return attach_elsewhere(scope, child, parent);
    keel_world *world = keeli_world_of(scope);
    return keeli_relate(world, tree_of(world), child, parent);
}

// ------------------------------------------------------------------ a new child
// True if an edge between the two needs no memory, because the blocks of 64 of both have other
// children and parents.
static bool has_room_beside(const keel_world *world, keel_entity child, keel_entity parent) {
    const keeli_relation *tree = tree_of(world);
    return keeli_flags_of(tree->sources) == KEELI_IS_LINK &&
           keeli_live_word(tree->sources, keeli_index_of(child)) &&
           keeli_live_word(tree->targets, keeli_index_of(parent));
}

// Adds a child if the edit has no followers and needs no memory. Returns null, and changes nothing,
// if the general path is needed. It costs as much as adding and attaching separately (benchmark
// add_child, 2).
static keel_entity add_child_beside(keel_world *world, keel_entity parent,
                                    const keel_value *values) {
    const keel_value nothing = { NULL, NULL };
    keeli_relation *tree = tree_of(world);
    if (!keeli_is_unused(world) || !keeli_entity_index_is_ready(&world->entities) ||
        !has_room_beside(world, keeli_entity_index_peek(&world->entities), parent))
        return keel_null();
    const keel_entity child = keeli_add_plain_entity(world, values ? values : &nothing);
    if (keel_is_null(child))
        return child;

    const uint32_t source = keeli_index_of(child), target = keeli_index_of(parent);
    uint64_t *there = keeli_live_word(tree->targets, target);
    keeli_edges_add(&tree->edges, child, parent);
    keeli_store_set_bit_beside(tree->sources, keeli_live_word(tree->sources, source),
                               keeli_bit_of(source));
    if (!keeli_store_has(tree->targets, target))
        keeli_store_set_bit_beside(tree->targets, there, keeli_bit_of(target));
    return child;
}

// Ends a batch that adds a child: the new entity has its values and its parent before observers are
// called.
static keel_result finish_child(keeli_batch *b, keel_entity parent) {
    keel_world *world = b->world;
    keeli_relation *tree = tree_of(world);
    if (b->result == KEEL_OK &&
        !keeli_reserve_edge(world, tree, keeli_index_of(*b->entities), keeli_index_of(parent)))
        b->result = keeli_out_of_memory(world, b->doing);
    keeli_editing_begin(world);
    if (keeli_batch_commit(b)) {
        keeli_commit_relate(world, tree, *b->entities, parent, NULL);
        keeli_batch_tell(b);
    }
    keeli_editing_end(world);
    return keeli_batch_end(b);
}

// Adds a child by keel_add_entity and keel_attach, if no observer could see the child between these
// two edits, and the entity index has room. This costs half as much as a batch (benchmark
// add_child, 2). The handle of the new entity is known in advance, so room for its edge is made
// before the entity is added.
static keel_entity add_child_apart(keel_world *world, keel_entity parent,
                                   const keel_value *values) {
    keeli_entity_index *ix = &world->entities;
    const keeli_entity_index before = *ix;
    const keel_entity next = keeli_entity_index_add(ix);
    const bool has_room =
        has_room_beside(world, next, parent) ||
        keeli_reserve_edge(world, tree_of(world), keeli_index_of(next), keeli_index_of(parent));
    keeli_entity_index_undo(ix, &before, &next, 1);
    if (!has_room) {
        keeli_out_of_memory(world, "adding a child");
        return keel_null();
    }
    keeli_editing_begin(world);
    const keel_entity child = keeli_world_add_entity(&world->root.scope, values);
    if (!keel_is_null(child))
        (void)keeli_relate(world, tree_of(world), child, parent);
    keeli_editing_end(world);
    (void)keeli_done(world, KEEL_OK);
    return child;
}

static keel_entity add_child(keel_world *world, const keeli_holder *holder, keel_entity parent,
                             const keel_value *values) {
    if (!keeli_entity_is_alive(&world->entities, parent)) {
        keeli_error(world, KEEL_ERROR_DEAD_ENTITY, "cannot add a child: the parent %s %s",
                    KEELI_ENTITY(world, parent), keeli_not_alive(world, parent));
        return keel_null();
    }
    const keel_entity beside = holder ? keel_null() : add_child_beside(world, parent, values);
    if (!keel_is_null(beside))
        return beside;

    if (may_edit_tree(world, holder) < 0)
        return keel_null();
    if (!holder && !world->followers.observed &&
        keeli_entity_index_reserve(&world->entities, &world->heap, 1) == KEEL_OK)
        return add_child_apart(world, parent, values);
    keel_entity child;
    keeli_batch b;
    keeli_batch_begin(&b, world, NULL, 1, "adding a child");
    keeli_batch_add_values(&b, holder, values);
    keeli_batch_create(&b, holder, &child);
    return finish_child(&b, parent) < 0 ? keel_null() : child;
}

keel_result keeli_edit_add_child_held(keel_world *world, keel_entity held, keel_entity parent,
                                      const keel_value *values) {
    KEEL_TRY(may_edit_tree(world, NULL));
    keeli_batch b;
    keeli_batch_begin_held(&b, world, &held, 1, "adding a child");
    keeli_batch_add_values(&b, NULL, values);
    keeli_batch_create(&b, NULL, NULL);
    return finish_child(&b, parent);
}

keel_entity(keel_add_child_values)(keel_scope *scope, keel_entity parent,
                                   const keel_value *values) {
    keeli_caller who;
    keel_commands *list = keeli_commands_of(scope);
    if (keeli_is_world(scope))
        return add_child(keeli_world_of(scope), NULL, parent, values);
    if (list)
        return keeli_record_add_child(list, parent, values);
    if (keeli_edit_begin(scope, &who) < 0)
        return keel_null();
    const keel_entity child = add_child(who.world, who.editor, parent, values);
    (void)keeli_edit_end(&who, KEEL_OK);
    return child;
}

// ------------------------------------------------------------------ detach
keel_result(keel_detach)(keel_scope *scope, keel_entity child) {
    return keeli_edit_entity(scope, child, keeli_edit_detach);
}

static keel_result unlink(keel_world *world, const keeli_holder *holder, keel_entity e) {
    if (!keeli_entity_is_alive(&world->entities, e))
        return keeli_dead_entity(world, "keel_unlink", e);
    if (!keeli_has_links(world, e))
        return KEEL_ABSENT;
    KEEL_TRY(may_edit_tree(world, holder));
    if (world->names.count)
        KEEL_TRY(keeli_may_place_name(world, "unlink", e, keel_null()));
    KEEL_TRY(keeli_may_orphan(world, holder, e));
    if (keeli_has_parent(world, e))
        keeli_commit_detach(world, e);
    keeli_remove_edges_of(world, tree_of(world), keeli_index_of(e), true);
    validate_hierarchy(world);
    return keeli_done(world, KEEL_OK);
}

keel_result(keel_unlink)(keel_scope *scope, keel_entity e) {
    return keeli_edit_entity(scope, e, unlink);
}

// ------------------------------------------------------------------ whole trees
// Returns the last descendant in pre-order, or the entity itself.
static uint32_t last_below(const keeli_chains *chains, uint32_t index) {
    while (keeli_chain_count(chains, index))
        index = keeli_chain_at(chains, index)->last;
    return index;
}

// Returns the descendant before this one in pre-order, or the root. Each step depends on the link
// that the step before loaded, so the walk waits for memory. Siblings that were created one after
// the other have adjacent links, so the link of eight steps later is prefetched.
static inline uint32_t before_in_tree(const keeli_chains *chains, uint32_t index) {
    const keeli_link *link = keeli_link_at(chains, index);
    __builtin_prefetch((const void *)((uintptr_t)link - 8 * sizeof *link));
    return link->previous == KEELI_NO_EDGE ? keeli_index_of(link->target)
                                           : last_below(chains, link->previous);
}

static keel_result may_unlink_tree(keel_world *world, const keeli_holder *holder,
                                   keel_entity root) {
    KEEL_TRY(may_edit_tree(world, holder));
    if (!world->names.count)
        return KEEL_OK;
    KEEL_TRY(keeli_may_place_name(world, "unlink", root, keel_null()));
    for (keel_entity e = root; !keel_is_null(e); e = keeli_next_in_tree(world, root, e))
        KEEL_TRY(keeli_may_orphan(world, holder, e));
    return KEEL_OK;
}

static keel_result unlink_tree(keel_world *world, const keeli_holder *holder, keel_entity root) {
    const keeli_chains *chains = keeli_tree_chains(world);
    const uint32_t top = keeli_index_of(root);
    if (!keeli_entity_is_alive(&world->entities, root))
        return keeli_dead_entity(world, "keel_unlink_tree", root);
    if (!keeli_has_links(world, root))
        return KEEL_ABSENT;
    KEEL_TRY(may_unlink_tree(world, holder, root));
    if (keeli_has_parent(world, root))
        keeli_commit_detach(world, root);

    for (uint32_t at = last_below(chains, top), next; at != top; at = next) {
        next = before_in_tree(chains, at);
        keeli_commit_detach(world, keeli_entity_at(&world->entities, at));
    }
    validate_hierarchy(world);
    return keeli_done(world, KEEL_OK);
}

keel_result(keel_unlink_tree)(keel_scope *scope, keel_entity root) {
    return keeli_edit_entity(scope, root, unlink_tree);
}

// Returns an error unless the whole tree may be deleted now.
static keel_result may_delete_tree(keel_world *world, const keeli_holder *holder,
                                   keel_entity root) {
    KEEL_TRY(keeli_may_delete_entity(world, holder, root));
    if (!holder && !world->access.holders && !world->access.owned_storages)
        return KEEL_OK;
    keel_entity e = root;
    while (!keel_is_null(e = keeli_next_in_tree(world, root, e)))
        KEEL_TRY(keeli_may_delete_entity(world, holder, e));
    return KEEL_OK;
}

static inline void drop_chain(const keeli_chains *chains, uint32_t target) {
    if (keeli_chain_count(chains, target))
        keeli_chain_at(chains, target)->count = 0;
}

// Deletes a tree from the last descendant in pre-order up to the root, one by one, so that
// observers see a valid tree of the entities that are still alive.
static void delete_observed_tree(keel_world *world, uint32_t top) {
    const keeli_chains *chains = keeli_tree_chains(world);
    for (uint32_t at = last_below(chains, top), next;; at = next) {
        next = at == top ? top : before_in_tree(chains, at);
        keeli_commit_delete_entity(world, keeli_entity_at(&world->entities, at));
        if (at == top)
            return;
    }
}

// Stamps the links of all descendants, for snapshots.
static __attribute__((noinline)) void stamp_tree(const keeli_chains *chains, uint32_t top) {
    for (uint32_t at = last_below(chains, top); at != top; at = before_in_tree(chains, at))
        keeli_chains_stamp_remove(chains, at);
}

// Deletes a tree in the same order without observers. All links are removed, so links between
// siblings are not repaired on the way; before_in_tree reads only links of entities that remain.
static void delete_whole_tree(keel_world *world, keel_entity root) {
    keeli_edges *edges = &tree_of(world)->edges;
    const keeli_chains *chains = &edges->chains;
    const uint32_t top = keeli_index_of(root);
    enum { at_once = 256 };
    keel_entity doomed[at_once];
    uint32_t count = 0, at = last_below(chains, top);
    ++edges->edits;
    if (edges->stamps)
        stamp_tree(chains, top);
    while (at != top) {
        keeli_link *link = keeli_link_at(chains, at);
        doomed[count++] = keeli_source_of(link, at);
        drop_chain(chains, at);
        at = before_in_tree(chains, at);
        link->stamp = 0;
        --edges->count;
        if (count < at_once)
            continue;
        keeli_commit_delete_entities(world, doomed, count);
        count = 0;
    }
    drop_chain(chains, top);
    keeli_commit_delete_entities(world, doomed, count);
    keeli_commit_delete_entities(world, &root, 1);
}

keel_result keeli_edit_delete_tree(keel_world *world, const keeli_holder *holder,
                                   keel_entity root) {
    if (!keeli_entity_is_alive(&world->entities, root))
        return KEEL_ABSENT;
    KEEL_TRY(may_delete_tree(world, holder, root));
    KEEL_TRY(keeli_delete_doomed(world, holder, (keeli_roots){ .tree = root }));
    if (world->followers.observed) {
        delete_observed_tree(world, keeli_index_of(root));
        return keeli_done(world, KEEL_OK);
    }
    if (world->names.count)
        keeli_free_name(world, root);
    if (keeli_has_parent(world, root))
        keeli_commit_detach(world, root);
    delete_whole_tree(world, root);
    return keeli_done(world, KEEL_OK);
}

keel_result(keel_delete_tree)(keel_scope *scope, keel_entity root) {
    return keeli_edit_entity(scope, root, keeli_edit_delete_tree);
}

keel_result keel_sort_children(keel_world *world, keel_entity parent, keel_entity_compare *compare,
                               void *data) {
    return keel_sort_sources(world, parent, KEEL_OF(keel_child), compare, data);
}
