// SPDX-License-Identifier: MIT
// The verbs of the hierarchy: attaching, detaching, and whole trees.
#include "edit/links.h"

#include "edit/removal.h"
#include "world/report.h"

// ------------------------------------------------------------------ attach and detach
static bool is_self_or_ancestor(const keel_world *world, keel_entity above, keel_entity of) {
    // What has no children is above nothing: a tree that grows at its leaves is not climbed.
    if (!keeli_has_children(world, above)) return keel_is_same(above, of);
    for (;; of = keeli_link_of_child(world, of)->parent) {
        if (keel_is_same(above, of)) return true;
        if (!keeli_has_parent(world, of)) return false;
    }
}

// Where one of the 64 entities around it has such a link there is room for one more, on the same
// page and in their list.
static inline void *push_beside(keeli_storage *s, uint32_t index) {
    KEEL_ASSERT_INTERNAL(s->goes_with_bit);
    (void)keeli_presence_set(&s->presence, index);
    return keeli_indexed_set_value(&s->indexed, index);
}

// The common case: nothing is in use, the child is a root without children, and there is room.
static inline bool attach_beside(keel_world *world, keel_entity child, keel_entity to) {
    keeli_storage *parents = world->hierarchy.parents, *children = world->hierarchy.children;
    if (world->access.holders || world->refused) return false;
    if ((parents->flags | children->flags) != KEELI_IS_LINK) return false;
    if (!keeli_entity_is_alive(&world->entities, child) ||
        !keeli_entity_is_alive(&world->entities, to))
        return false;
    const uint32_t c = keel_entity_index(child), p = keel_entity_index(to);
    const uint64_t around = keeli_presence_word(&children->presence, c / 64);
    if (!around || around >> (c % 64) & 1 || keeli_has_children(world, child)) return false;
    keel_parent *parent;
    if (keeli_has_children(world, to)) parent = keeli_link_of_parent(world, to);
    else if (c == p || !keeli_presence_word(&parents->presence, p / 64)) return false;
    else *(parent = push_beside(parents, p)) = (keel_parent){ 0 };
    ++world->hierarchy.links.edits;
    keeli_link_last(world, child, to, parent, push_beside(children, c));
    keeli_validate_links(world);
    return true;
}

static __attribute__((noinline)) keel_result attach_general(keel_world *world, keel_entity child,
                                                            keel_entity parent) {
    if (!keeli_entity_is_alive(&world->entities, child) ||
        !keeli_entity_is_alive(&world->entities, parent))
        return KEEL_ERROR_DEAD_ENTITY;
    KEEL_TRY(keeli_may_edit_links(world, NULL));
    if (is_self_or_ancestor(world, child, parent))
        return keeli_error(
            world, KEEL_ERROR_CYCLE,
            "cannot attach entity %u to %u: that is itself or one of its descendants",
            (unsigned)keel_entity_index(child), (unsigned)keel_entity_index(parent));
    if (!keeli_reserve_links(world, child, parent, 0))
        return keeli_out_of_memory(world, "attaching a child");
    if (keeli_has_parent(world, child)) keeli_commit_detach(world, child);
    keeli_commit_attach(world, child, parent);
    keeli_validate_links(world);
    return keeli_done(world, KEEL_OK);
}

keel_result keel_world_attach(keel_world *world, keel_entity child, keel_entity parent) {
    if (!world) return keeli_no_world();
    return attach_beside(world, child, parent) ? KEEL_OK : attach_general(world, child, parent);
}

keel_entity keel_world_add_child(keel_world *world, keel_entity parent, const keel_value *values) {
    if (!world) return keeli_no_world(), keel_null();
    if (!keeli_entity_is_alive(&world->entities, parent)) {
        keeli_error(world, KEEL_ERROR_DEAD_ENTITY, "cannot add a child: the parent is not alive");
        return keel_null();
    }
    if (keeli_may_edit_links(world, NULL) < 0) return keel_null();
    keeli_entity_index *ix = &world->entities;
    if (keeli_entity_index_reserve(ix, &world->heap, 1) == KEEL_OK) {
        // make room for the links first: which entity it will be is known
        const keeli_entity_index before = *ix;
        const keel_entity next = keeli_entity_index_add(ix);
        const bool room = keeli_reserve_links(
            world, next, parent, keeli_count_values(values) + world->followers.set_count);
        keeli_entity_index_undo(ix, &before, &next, 1);
        if (!room) return keeli_out_of_memory(world, "adding a child"), keel_null();
    }
    keeli_editing_begin(world);
    const keel_entity child = keel_world_add_entity(world, values);
    if (!keel_is_null(child)) keeli_commit_attach(world, child, parent);
    keeli_editing_end(world);
    (void)keeli_done(world, KEEL_OK);
    return child;
}

keel_result keel_world_detach(keel_world *world, keel_entity child) {
    if (!world) return keeli_no_world();
    if (!keeli_entity_is_alive(&world->entities, child)) return KEEL_ERROR_DEAD_ENTITY;
    if (!keeli_has_parent(world, child)) return KEEL_ABSENT;
    KEEL_TRY(keeli_may_edit_links(world, NULL));
    keeli_commit_detach(world, child);
    keeli_validate_links(world);
    return keeli_done(world, KEEL_OK);
}

keel_result keel_world_unlink(keel_world *world, keel_entity e) {
    if (!world) return keeli_no_world();
    if (!keeli_entity_is_alive(&world->entities, e)) return KEEL_ERROR_DEAD_ENTITY;
    if (!keeli_has_links(world, e)) return KEEL_ABSENT;
    KEEL_TRY(keeli_may_edit_links(world, NULL));
    keeli_commit_unlink(world, e);
    return keeli_done(world, KEEL_OK);
}

// ------------------------------------------------------------------ whole trees
// The last of all descendants of `e` in pre-order, or `e` itself.
static keel_entity last_below(const keel_world *world, keel_entity e) {
    while (keeli_has_children(world, e))
        e = keeli_link_of_child(world, keeli_link_of_parent(world, e)->first_child)->prev;
    return e;
}

keel_result keel_world_unlink_tree(keel_world *world, keel_entity root) {
    if (!world) return keeli_no_world();
    if (!keeli_entity_is_alive(&world->entities, root)) return KEEL_ERROR_DEAD_ENTITY;
    if (!keeli_has_links(world, root)) return KEEL_ABSENT;
    KEEL_TRY(keeli_may_edit_links(world, NULL));
    if (keeli_has_parent(world, root)) keeli_commit_detach(world, root);
    // take leaves off until none is left: each step goes on from the parent of the last
    for (keel_entity e = last_below(world, root); !keel_is_same(e, root);) {
        const keel_entity parent = keeli_link_of_child(world, e)->parent;
        keeli_commit_detach(world, e);
        e = last_below(world, parent);
    }
    return keeli_done(world, KEEL_OK);
}

// May the whole tree be deleted now? Nothing to ask when nothing is in use.
static keel_result may_delete_tree(keel_world *world, keel_entity root) {
    KEEL_TRY(keeli_may_delete_entity(world, NULL, root));
    if (!world->access.holders && !world->access.owned_storages) return KEEL_OK;
    keel_entity e = keel_null();
    while (!keel_is_null(e = keel_world_next_descendant(world, root, e)))
        KEEL_TRY(keeli_may_delete_entity(world, NULL, e));
    return KEEL_OK;
}

// From the last child of `e` on down: the last of all descendants.
static keeli_step last_of(const keel_world *world, keel_entity e, keel_entity first) {
    while (keeli_has_children(world, e)) {
        first = keeli_link_of_parent(world, e)->first_child;
        e = keeli_link_of_child(world, first)->prev;
    }
    return (keeli_step){ e, first };
}

// The descendant before this one in pre-order, or the root. Each step needs the link of the one
// before, so it waits for memory; siblings that were made one after the other have links side by
// side, and those that come eight steps later can be fetched now.
static inline keeli_step before(const keel_world *world, keel_entity root, keeli_step step) {
    const keel_child *link = keeli_link_of_child(world, step.at);
    __builtin_prefetch((const void *)((uintptr_t)link - 8 * sizeof *link));
    if (!keel_is_same(step.at, step.first))
        return keeli_has_children(world, link->prev) ? last_of(world, link->prev, step.first)
                                                     : (keeli_step){ link->prev, step.first };
    if (keel_is_same(link->parent, root)) return (keeli_step){ root, root };
    const keel_entity above = keeli_link_of_child(world, link->parent)->parent;
    return (keeli_step){ link->parent, keeli_link_of_parent(world, above)->first_child };
}

// From the last descendant in pre-order up to the root. All links go, so none is repaired on the
// way: what is left of the tree is whole as far as it is still looked at.
keel_result keel_world_delete_tree(keel_world *world, keel_entity root) {
    if (!world) return keeli_no_world();
    if (!keeli_entity_is_alive(&world->entities, root)) return KEEL_ABSENT;
    KEEL_TRY(may_delete_tree(world, root));
    ++world->hierarchy.links.edits;
    if (keeli_has_parent(world, root)) keeli_commit_detach(world, root);
    enum { at_once = 256 };
    keel_entity doomed[at_once];
    uint32_t count = 0;
    bool is_last = false;
    for (keeli_step s = last_of(world, root, root); !is_last;) {
        doomed[count++] = s.at;
        is_last = keel_is_same(s.at, root);
        if (!is_last) s = before(world, root, s);
        if (count < at_once && !is_last) continue;
        keeli_commit_delete_entities(world, doomed, count);
        count = 0;
    }
    return keeli_done(world, KEEL_OK);
}
