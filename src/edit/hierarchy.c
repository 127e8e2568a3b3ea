// SPDX-License-Identifier: MIT
// Parents and children: two components and circular chains of siblings, as the hierarchy recipe of
// the Shipyard guide lays them out, with guards against cycles and dead entities. Invariant: for
// each keel_parent, following `next` from `first_child` visits `child_count` children whose
// `parent` is this entity and comes back; `prev` is the inverse. Checked by
// keeli_hierarchy_is_valid.
#include "edit/edit.h"

#include "edit/observe.h"
#include "edit/quick.h"
#include "edit/report.h"

// ------------------------------------------------------------------ links
static void *part(const keeli_storage *s, keel_entity e) { // both are sparse sets
    const uint32_t slot = keeli_sparse_set_find(&s->set, keel_entity_index(e));
    return slot == KEELI_NO_SLOT ? NULL : keeli_sparse_set_value(&s->set, slot);
}
static keel_parent *parent_part(const keel_world *world, keel_entity e) {
    return part(world->parents, e);
}
static keel_child *child_part(const keel_world *world, keel_entity e) {
    return part(world->children, e);
}
static bool is_alive(const keel_world *world, keel_entity e) {
    return keeli_entity_is_alive(&world->entities, e);
}

bool keeli_has_links(const keel_world *world, keel_entity e) {
    return parent_part(world, e) || child_part(world, e);
}

keel_result keeli_may_edit_links(keel_world *world, const keeli_holder *holder) {
    KEEL_TRY(keeli_may_edit(world, holder, world->parents, "change"));
    return keeli_may_edit(world, holder, world->children, "change");
}

static void push(keel_world *world, keeli_storage *s, keel_entity e, const void *value) {
    keeli_value_put(s, keeli_store_push(world, s, e), value);
    keeli_store_joined(world, s, keel_entity_index(e));
}

// The entity has a parent.
static void commit_detach(keel_world *world, keel_entity e) {
    const keel_child link = *child_part(world, e);
    keel_parent *parent = parent_part(world, link.parent);
    if (--parent->child_count == 0) {
        keeli_commit_delete(world, world->parents, link.parent);
    } else {
        if (keel_is_same(parent->first_child, e)) parent->first_child = link.next;
        child_part(world, link.prev)->next = link.next;
        child_part(world, link.next)->prev = link.prev;
    }
    keeli_commit_delete(world, world->children, e);
}

// The entity has no parent; room was reserved.
static void commit_attach(keel_world *world, keel_entity e, keel_entity to) {
    keel_parent *parent = parent_part(world, to);
    keel_child link = { .parent = to, .prev = e, .next = e };
    if (parent) {
        link.next = parent->first_child;
        link.prev = child_part(world, link.next)->prev;
        ++parent->child_count;
        child_part(world, link.prev)->next = e;
        child_part(world, link.next)->prev = e;
    } else {
        push(world, world->parents, to, &(keel_parent){ .child_count = 1, .first_child = e });
    }
    push(world, world->children, e, &link);
}

static void commit_orphan_children(keel_world *world, keel_entity e) {
    const keel_parent *parent = parent_part(world, e);
    if (!parent) return;
    keel_entity child = parent->first_child;
    for (uint32_t left = parent->child_count; left; --left) {
        const keel_entity next = child_part(world, child)->next;
        keeli_commit_delete(world, world->children, child);
        child = next;
    }
    keeli_commit_delete(world, world->parents, e);
}

void keeli_commit_unlink(keel_world *world, keel_entity e) {
    if (child_part(world, e)) commit_detach(world, e);
    commit_orphan_children(world, e);
    KEELI_CHECK_STRUCTURE(world->parents->set.count > 256 || keeli_hierarchy_is_valid(world));
}

// ------------------------------------------------------------------ attach and detach
// `before`: how many components the child gets before its links.
static bool reserve_links(keel_world *world, keel_entity child, keel_entity parent,
                          uint32_t before) {
    keeli_room room = { .numbers = before }; // both may be in one block, whose list gets them all
    return keeli_store_reserve(world, world->children, keel_entity_index(child), &room) &&
           keeli_store_reserve(world, world->parents, keel_entity_index(parent), &room);
}

static bool is_self_or_ancestor(const keel_world *world, keel_entity above, keel_entity of) {
    // What has no children is above nothing: a tree that grows at its leaves is not climbed.
    if (!parent_part(world, above)) return keel_is_same(above, of);
    for (;;) {
        if (keel_is_same(above, of)) return true;
        const keel_child *link = child_part(world, of);
        if (!link) return false;
        of = link->parent;
    }
}

// The common case: a childless root comes to a parent that has children already.
static bool quick_attach(keel_world *world, keel_entity child, keel_entity to) {
    const keeli_storage *parents = world->parents;
    if (world->holders || world->share_depth || parents->flags != KEELI_IS_LINK) return false;
    keel_parent *parent = parent_part(world, to);
    if (!parent || parent_part(world, child) || keel_is_same(child, to)) return false;
    const keel_entity next = parent->first_child;
    keel_child link = { .parent = to, .next = next, .prev = child_part(world, next)->prev };
    if (!keeli_quick_add_link(world, world->children, child, &link)) return false;
    ++parent->child_count;
    child_part(world, link.prev)->next = child;
    child_part(world, next)->prev = child;
    KEELI_CHECK_STRUCTURE(parents->set.count > 256 || keeli_hierarchy_is_valid(world));
    return true;
}

keel_result keel_world_attach(keel_world *world, keel_entity child, keel_entity parent) {
    if (!world) return keeli_no_world();
    if (!is_alive(world, child) || !is_alive(world, parent)) return KEEL_ERROR_DEAD_ENTITY;
    if (quick_attach(world, child, parent)) return KEEL_OK;
    KEEL_TRY(keeli_may_edit_links(world, NULL));
    if (is_self_or_ancestor(world, child, parent))
        return keeli_error(
            world, KEEL_ERROR_CYCLE,
            "cannot attach entity %u to %u: that is itself or one of its descendants",
            (unsigned)keel_entity_index(child), (unsigned)keel_entity_index(parent));
    if (!reserve_links(world, child, parent, 0))
        return keeli_out_of_memory(world, "attaching a child");
    if (child_part(world, child)) commit_detach(world, child);
    commit_attach(world, child, parent);
    KEELI_CHECK_STRUCTURE(world->parents->set.count > 256 || keeli_hierarchy_is_valid(world));
    return keeli_done(world, KEEL_OK);
}

keel_entity keel_world_add_child(keel_world *world, keel_entity parent, const keel_value *values) {
    if (!world) return keeli_no_world(), keel_null();
    if (!is_alive(world, parent)) {
        keeli_error(world, KEEL_ERROR_DEAD_ENTITY, "cannot add a child: the parent is not alive");
        return keel_null();
    }
    if (keeli_may_edit_links(world, NULL) < 0) return keel_null();
    keeli_entity_index *ix = &world->entities;
    uint32_t count = 0;
    while (values && values[count].component)
        ++count;
    if (keeli_entity_index_reserve(ix, &world->heap, 1) == KEEL_OK) {
        // make room for the links first: which entity it will be is known
        const keeli_entity_index before = *ix;
        const keel_entity next = keeli_entity_index_add(ix);
        const bool room = reserve_links(world, next, parent, count);
        keeli_entity_index_undo(ix, &before, &next, 1);
        if (!room) return keeli_out_of_memory(world, "adding a child"), keel_null();
    }
    keeli_editing_begin(world);
    const keel_entity child = keel_world_add_entity(world, values);
    if (!keel_is_null(child)) commit_attach(world, child, parent);
    keeli_editing_end(world);
    (void)keeli_done(world, KEEL_OK);
    return child;
}

keel_result keel_world_detach(keel_world *world, keel_entity child) {
    if (!world) return keeli_no_world();
    if (!is_alive(world, child)) return KEEL_ERROR_DEAD_ENTITY;
    if (!child_part(world, child)) return KEEL_ABSENT;
    KEEL_TRY(keeli_may_edit_links(world, NULL));
    commit_detach(world, child);
    return keeli_done(world, KEEL_OK);
}

keel_result keel_world_unlink(keel_world *world, keel_entity e) {
    if (!world) return keeli_no_world();
    if (!is_alive(world, e)) return KEEL_ERROR_DEAD_ENTITY;
    if (!keeli_has_links(world, e)) return KEEL_ABSENT;
    KEEL_TRY(keeli_may_edit_links(world, NULL));
    keeli_commit_unlink(world, e);
    return keeli_done(world, KEEL_OK);
}

// ------------------------------------------------------------------ whole trees
// The last of all descendants of `e` in pre-order, or `e` itself.
static keel_entity last_below(const keel_world *world, keel_entity e) {
    for (const keel_parent *p; (p = parent_part(world, e)) != NULL;)
        e = child_part(world, p->first_child)->prev;
    return e;
}

keel_result keel_world_unlink_tree(keel_world *world, keel_entity root) {
    if (!world) return keeli_no_world();
    if (!is_alive(world, root)) return KEEL_ERROR_DEAD_ENTITY;
    if (!keeli_has_links(world, root)) return KEEL_ABSENT;
    KEEL_TRY(keeli_may_edit_links(world, NULL));
    if (child_part(world, root)) commit_detach(world, root);
    // take leaves off until none is left: each step goes on from the parent of the last
    for (keel_entity e = last_below(world, root); !keel_is_same(e, root);) {
        const keel_entity parent = child_part(world, e)->parent;
        commit_detach(world, e);
        e = last_below(world, parent);
    }
    return keeli_done(world, KEEL_OK);
}

// May the whole tree be deleted now? Nothing to ask when nothing is in use.
static keel_result may_delete_tree(keel_world *world, keel_entity root) {
    KEEL_TRY(keeli_may_delete_entity(world, NULL, root));
    if (!world->holders) return KEEL_OK;
    keel_entity e = keel_null();
    while (!keel_is_null(e = keel_world_next_descendant(world, root, e)))
        KEEL_TRY(keeli_may_delete_entity(world, NULL, e));
    return KEEL_OK;
}

// From the last descendant in pre-order up to the root. All links go, so none is repaired on the
// way: what is left of the tree is whole as far as it is still looked at.
keel_result keel_world_delete_tree(keel_world *world, keel_entity root) {
    if (!world) return keeli_no_world();
    if (!is_alive(world, root)) return KEEL_ABSENT;
    KEEL_TRY(may_delete_tree(world, root));
    if (child_part(world, root)) commit_detach(world, root);
    for (keel_entity e = last_below(world, root); !keel_is_same(e, root);) {
        const keel_child link = *child_part(world, e);
        const bool is_first = keel_is_same(parent_part(world, link.parent)->first_child, e);
        const keel_entity next = is_first ? link.parent : last_below(world, link.prev);
        keeli_commit_delete_entity(world, e);
        e = next;
    }
    keeli_commit_delete_entity(world, root);
    return keeli_done(world, KEEL_OK);
}

// ------------------------------------------------------------------ sorting
typedef struct sorting {
    keel_world *world;
    keel_entity_compare *compare;
    void *data;
} sorting;

// Merge two chains of `left` and `right` children that are linked by `next`; returns the first,
// with the last in `*last`.
static keel_entity merge(const sorting *s, keel_entity a, uint32_t left, keel_entity b,
                         uint32_t right, keel_entity *last) {
    keel_entity first = keel_null(), end = keel_null();
    while (left || right) {
        const bool take_a = left && (!right || s->compare(s->world, a, b, s->data) <= 0);
        const keel_entity e = take_a ? a : b;
        const keel_entity next = child_part(s->world, e)->next;
        if (take_a) a = next, --left;
        else b = next, --right;
        if (keel_is_null(first)) first = e;
        else child_part(s->world, end)->next = e;
        end = e;
    }
    *last = end;
    return first;
}

// Sort `count` children from `first` on; the chain behind them is handed on in `*rest`.
static keel_entity sort_chain(const sorting *s, keel_entity first, uint32_t count,
                              keel_entity *rest) {
    if (count == 1) {
        *rest = child_part(s->world, first)->next;
        return first;
    }
    keel_entity middle, last;
    const keel_entity a = sort_chain(s, first, count / 2, &middle);
    const keel_entity b = sort_chain(s, middle, count - count / 2, rest);
    return merge(s, a, count / 2, b, count - count / 2, &last);
}

keel_result keel_sort_children(keel_world *world, keel_entity parent, keel_entity_compare *compare,
                               void *data) {
    if (!world) return keeli_no_world();
    if (!compare)
        return keeli_misuse(world, KEEL_ERROR_ARGUMENT, "keel_sort_children needs a comparator");
    if (!is_alive(world, parent)) return KEEL_ERROR_DEAD_ENTITY;
    keel_parent *p = parent_part(world, parent);
    if (!p || p->child_count < 2) return KEEL_ABSENT;
    KEEL_TRY(keeli_may_edit_links(world, NULL));
    const sorting s = { world, compare, data };
    keel_entity rest;
    const keel_entity first = sort_chain(&s, p->first_child, p->child_count, &rest);
    p->first_child = first;
    // `next` is right but for the last one; `prev` is made anew
    keel_entity e = first;
    for (uint32_t left = p->child_count; left; --left) {
        keel_child *link = child_part(world, e);
        if (left == 1) link->next = first;
        child_part(world, link->next)->prev = e;
        e = link->next;
    }
    KEELI_CHECK_STRUCTURE(world->parents->set.count > 256 || keeli_hierarchy_is_valid(world));
    return KEEL_OK;
}

// ------------------------------------------------------------------ walking
keel_entity keel_world_parent_of(const keel_world *world, keel_entity e) {
    const keel_child *link = world && is_alive(world, e) ? child_part(world, e) : NULL;
    return link ? link->parent : keel_null();
}

uint32_t keel_child_count(const keel_world *world, keel_entity e) {
    const keel_parent *p = world && is_alive(world, e) ? parent_part(world, e) : NULL;
    return p ? p->child_count : 0;
}

keel_entity keel_world_first_child(const keel_world *world, keel_entity parent) {
    const keel_parent *p = world && is_alive(world, parent) ? parent_part(world, parent) : NULL;
    return p ? p->first_child : keel_null();
}

keel_entity keel_world_next_child(const keel_world *world, keel_entity parent, keel_entity child) {
    if (!world || !is_alive(world, parent) || !is_alive(world, child)) return keel_null();
    const keel_child *link = child_part(world, child);
    const keel_parent *p = parent_part(world, parent);
    if (!link || !p || !keel_is_same(link->parent, parent)) return keel_null();
    return keel_is_same(link->next, p->first_child) ? keel_null() : link->next;
}

keel_entity keel_world_next_descendant(const keel_world *world, keel_entity root,
                                       keel_entity after) {
    if (!world || !is_alive(world, root)) return keel_null();
    keel_entity e = keel_is_null(after) ? root : after;
    if (!is_alive(world, e)) return keel_null();
    const keel_parent *below = parent_part(world, e);
    if (below) return below->first_child;
    while (!keel_is_same(e, root)) { // links are whole, so they are followed as they are
        const keel_child *link = child_part(world, e);
        if (!link) return keel_null(); // `after` is not below `root`
        if (!keel_is_same(link->next, parent_part(world, link->parent)->first_child))
            return link->next;
        e = link->parent;
    }
    return keel_null();
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
    if (!world || !is_alive(world, root)) return keel_null();
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

bool keeli_hierarchy_is_valid(const keel_world *world) {
    const keeli_sparse_set *parents = &world->parents->set;
    uint32_t children = 0;
    for (uint32_t slot = 0; slot < parents->count; ++slot) {
        const keel_entity parent = *keeli_sparse_set_entity(parents, slot);
        const keel_parent *p = keeli_sparse_set_value(parents, slot);
        keel_entity e = p->first_child;
        if (!is_alive(world, parent) || p->child_count == 0) return false;
        for (uint32_t i = 0; i < p->child_count; ++i, ++children) {
            const keel_child *link = is_alive(world, e) ? child_part(world, e) : NULL;
            if (!link || !keel_is_same(link->parent, parent)) return false;
            if (!child_part(world, link->next)) return false;
            if (!keel_is_same(child_part(world, link->next)->prev, e)) return false;
            e = link->next;
        }
        if (!keel_is_same(e, p->first_child)) return false;
    }
    return children == world->children->set.count;
}
