// SPDX-License-Identifier: MIT
// Links of the hierarchy: how they change one by one, and how they are followed.
#include "edit/links.h"

#include "edit/removal.h"

// ------------------------------------------------------------------ changing
keel_result keeli_may_edit_links(keel_world *world, const keeli_holder *holder) {
    KEEL_TRY(keeli_may_edit(world, holder, world->hierarchy.parents, "change"));
    return keeli_may_edit(world, holder, world->hierarchy.children, "change");
}

bool keeli_reserve_links(keel_world *world, keel_entity child, keel_entity parent,
                         uint32_t before) {
    // both may be in one block, whose list gets them all
    return keeli_reserve_value(world, world->hierarchy.children, keel_entity_index(child),
                               before) &&
           keeli_reserve_value(world, world->hierarchy.parents, keel_entity_index(parent),
                               before + 1);
}

// The entity gets a link: where it belongs. Groups are told when it is filled.
static void *push(keel_world *world, keeli_storage *s, keel_entity e) {
    ++world->hierarchy.links.edits;
    return keeli_store_push(world, s, e);
}
static void pop(keel_world *world, keeli_storage *s, keel_entity e) {
    ++world->hierarchy.links.edits;
    const uint32_t index = keel_entity_index(e);
    if (keeli_is_followed(s)) {
        keeli_going(world, s, index, KEEL_TRACK_DELETION);
        keeli_value_delete(world, s, index, keeli_store_value(world, s, index));
    }
    keeli_store_pop(world, s, index);
    keeli_validate_storage(world, s);
}

void keeli_commit_detach(keel_world *world, keel_entity e) {
    const keel_child link = *keeli_link_of_child(world, e);
    keel_parent *parent = keeli_link_of_parent(world, link.parent);
    if (--parent->child_count == 0) {
        pop(world, world->hierarchy.parents, link.parent);
    } else {
        if (keel_is_same(parent->first_child, e)) parent->first_child = link.next;
        keeli_link_of_child(world, link.prev)->next = link.next;
        keeli_link_of_child(world, link.next)->prev = link.prev;
    }
    pop(world, world->hierarchy.children, e);
}

void keeli_commit_attach(keel_world *world, keel_entity e, keel_entity to) {
    const bool is_first = !keeli_has_children(world, to);
    if (is_first) *(keel_parent *)push(world, world->hierarchy.parents, to) = (keel_parent){ 0 };
    keeli_link_last(world, e, to, keeli_link_of_parent(world, to),
                    push(world, world->hierarchy.children, e));
    if (is_first) keeli_came(world, world->hierarchy.parents, keel_entity_index(to));
    keeli_came(world, world->hierarchy.children, keel_entity_index(e));
}

static void commit_orphan_children(keel_world *world, keel_entity e) {
    if (!keeli_has_children(world, e)) return;
    const keel_parent parent = *keeli_link_of_parent(world, e);
    keel_entity child = parent.first_child;
    for (uint32_t left = parent.child_count; left; --left) {
        const keel_entity next = keeli_link_of_child(world, child)->next;
        pop(world, world->hierarchy.children, child);
        child = next;
    }
    pop(world, world->hierarchy.parents, e);
}

void keeli_commit_unlink(keel_world *world, keel_entity e) {
    if (keeli_has_parent(world, e)) keeli_commit_detach(world, e);
    commit_orphan_children(world, e);
    keeli_validate_links(world);
}

// ------------------------------------------------------------------ walking
static bool is_parent(const keel_world *world, keel_entity e) {
    return world && keeli_entity_is_alive(&world->entities, e) && keeli_has_children(world, e);
}
static bool is_child(const keel_world *world, keel_entity e) {
    return world && keeli_entity_is_alive(&world->entities, e) && keeli_has_parent(world, e);
}

keel_entity keel_world_parent_of(const keel_world *world, keel_entity e) {
    return is_child(world, e) ? keeli_link_of_child(world, e)->parent : keel_null();
}

uint32_t keel_child_count(const keel_world *world, keel_entity e) {
    return is_parent(world, e) ? keeli_link_of_parent(world, e)->child_count : 0;
}

keel_entity keel_world_first_child(const keel_world *world, keel_entity parent) {
    return is_parent(world, parent) ? keeli_link_of_parent(world, parent)->first_child
                                    : keel_null();
}

static const keeli_step nowhere;

// One step to the right, if there is one.
static keeli_step beside(const keel_world *world, keel_entity e) {
    const keel_child *link = keeli_link_of_child(world, e);
    const keel_entity first = keeli_link_of_parent(world, link->parent)->first_child;
    return keel_is_same(link->next, first) ? nowhere : (keeli_step){ link->next, first };
}

const struct keeli_links *keeli_world_links(const keel_world *world, keel_entity of) {
    return is_parent(world, of) ? &world->hierarchy.links : NULL;
}

keeli_step keeli_links_beside(const struct keeli_links *links, keel_entity of, keel_entity child) {
    const keel_world *world = links->world;
    const bool is_there = keeli_entity_is_alive(&world->entities, of) && is_child(world, child);
    return is_there && keel_is_same(keeli_link_of_child(world, child)->parent, of)
               ? beside(world, child)
               : nowhere;
}

keeli_step keeli_links_past(const struct keeli_links *links, keel_entity root, keel_entity e) {
    const keel_world *world = links->world;
    for (; !keel_is_same(e, root); e = keeli_link_of_child(world, e)->parent) {
        if (!keeli_has_parent(world, e)) return nowhere; // it is not below `root`
        const keeli_step step = beside(world, e);
        if (!keel_is_null(step.at)) return step;
    }
    return nowhere;
}

keeli_step keeli_links_onward(const struct keeli_links *links, keel_entity root, keel_entity e) {
    const keel_world *world = links->world;
    if (!keeli_entity_is_alive(&world->entities, root) ||
        !keeli_entity_is_alive(&world->entities, e))
        return nowhere;
    if (!keeli_has_children(world, e)) return keeli_links_past(links, root, e);
    const keel_entity first = keeli_link_of_parent(world, e)->first_child;
    return (keeli_step){ first, first };
}

keel_entity keel_world_next_child(const keel_world *world, keel_entity parent, keel_entity child) {
    return world ? keeli_links_beside(&world->hierarchy.links, parent, child).at : keel_null();
}

keel_entity keel_world_next_descendant(const keel_world *world, keel_entity root,
                                       keel_entity after) {
    const keel_entity e = keel_is_null(after) ? root : after;
    return world ? keeli_links_onward(&world->hierarchy.links, root, e).at : keel_null();
}

// The next entity in pre-order that is at most `limit` levels below `root`; `*depth` is how deep
// `e` is.
static keel_entity step(const keel_world *world, keel_entity root, keel_entity e, uint32_t *depth,
                        uint32_t limit) {
    const keel_entity below = *depth < limit ? keel_world_first_child(world, e) : keel_null();
    if (!keel_is_null(below)) {
        ++*depth;
        return below;
    }
    for (; !keel_is_same(e, root); --*depth) {
        const keel_entity parent = keel_world_parent_of(world, e);
        const keel_entity next = keel_world_next_child(world, parent, e);
        if (!keel_is_null(next)) return next;
        e = parent;
    }
    return keel_null();
}

// The next entity that is exactly `level` levels below `root`, from `e` on, which is `depth` below
// it.
static keel_entity next_on_level(const keel_world *world, keel_entity root, keel_entity e,
                                 uint32_t depth, uint32_t level) {
    do
        e = step(world, root, e, &depth, level);
    while (!keel_is_null(e) && depth != level);
    return e;
}

// Without a queue: each level is found by walking the levels above it.
keel_entity keel_world_next_descendant_breadth(const keel_world *world, keel_entity root,
                                               keel_entity after) {
    if (!world || !keeli_entity_is_alive(&world->entities, root)) return keel_null();
    if (keel_is_null(after) || keel_is_same(after, root))
        return keel_world_first_child(world, root);
    uint32_t level = 0;
    for (keel_entity e = after; !keel_is_same(e, root); ++level) {
        e = keel_world_parent_of(world, e);
        if (keel_is_null(e)) return e; // `after` is not below `root`
    }
    const keel_entity beside = next_on_level(world, root, after, level, level);
    return keel_is_null(beside) ? next_on_level(world, root, root, 0, level + 1) : beside;
}

// ------------------------------------------------------------------ checking
// The children of `parent`, which has the links of one that has some.
static bool circle_is_valid(const keel_world *world, keel_entity parent) {
    const keel_parent *p = keeli_link_of_parent(world, parent);
    keel_entity e = p->first_child;
    for (uint32_t left = p->child_count; left; --left) {
        if (!is_child(world, e)) return false;
        const keel_child *link = keeli_link_of_child(world, e);
        if (!keel_is_same(link->parent, parent) || !is_child(world, link->next)) return false;
        if (!keel_is_same(keeli_link_of_child(world, link->next)->prev, e)) return false;
        e = link->next;
    }
    return p->child_count && keel_is_same(e, p->first_child);
}

bool keeli_hierarchy_is_valid(const keel_world *world) {
    uint32_t children = 0;
    for (uint32_t i = 0; (i = keeli_store_next(world->hierarchy.parents, i)) != UINT32_MAX; ++i) {
        const keel_entity parent = keeli_entity_at(&world->entities, i);
        if (!keeli_entity_is_alive(&world->entities, parent) || !circle_is_valid(world, parent))
            return false;
        children += keeli_link_of_parent(world, parent)->child_count;
    }
    return children == keeli_store_count(world->hierarchy.children);
}
