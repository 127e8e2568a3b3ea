// SPDX-License-Identifier: MIT
// Parents and children: two components and circular chains of siblings, as the hierarchy recipe of
// the Shipyard guide lays them out, with guards against cycles and dead entities. Invariant: for
// each keel_parent, following `next` from `first_child` visits `child_count` children whose
// `parent` is this entity and comes back; `prev` is the inverse. Checked by
// keeli_hierarchy_is_valid.
#include "edit/edit.h"

#include "edit/removal.h"
#include "world/report.h"

// ------------------------------------------------------------------ links
static bool has_children(const keel_world *world, keel_entity e) {
    return keeli_store_has(world->parents, keel_entity_index(e));
}
static bool has_parent(const keel_world *world, keel_entity e) {
    return keeli_store_has(world->children, keel_entity_index(e));
}
// The links of an entity that has them.
static keel_parent *parent_at(const keel_world *world, keel_entity e) {
    return keeli_parent_at(&world->links, e);
}
static keel_child *child_at(const keel_world *world, keel_entity e) {
    return keeli_child_at(&world->links, e);
}
static bool is_alive(const keel_world *world, keel_entity e) {
    return keeli_entity_is_alive(&world->entities, e);
}

bool keeli_has_links(const keel_world *world, keel_entity e) {
    return has_children(world, e) || has_parent(world, e);
}

keel_result keeli_may_edit_links(keel_world *world, const keeli_holder *holder) {
    KEEL_TRY(keeli_may_edit(world, holder, world->parents, "change"));
    return keeli_may_edit(world, holder, world->children, "change");
}

static void check(const keel_world *world) {
    KEELI_CHECK_STRUCTURE(keeli_store_count(world->parents) > 256 ||
                          keeli_hierarchy_is_valid(world));
    (void)world;
}

// The entity gets a link: where it belongs. Groups are told when it is filled.
static void *push(keel_world *world, keeli_storage *s, keel_entity e) {
    ++world->links.edits;
    return keeli_store_push(world, s, e);
}
static void pop(keel_world *world, keeli_storage *s, keel_entity e) {
    ++world->links.edits;
    const uint32_t index = keel_entity_index(e);
    if (keeli_is_followed(s)) {
        keeli_going(world, s, index, KEEL_TRACK_DELETION);
        keeli_value_delete(world, s, index, keeli_store_value(world, s, index));
    }
    keeli_store_pop(world, s, index);
    keeli_validate_storage(world, s);
}

// The entity has a parent.
static void commit_detach(keel_world *world, keel_entity e) {
    const keel_child link = *child_at(world, e);
    keel_parent *parent = parent_at(world, link.parent);
    if (--parent->child_count == 0) {
        pop(world, world->parents, link.parent);
    } else {
        if (keel_is_same(parent->first_child, e)) parent->first_child = link.next;
        child_at(world, link.prev)->next = link.next;
        child_at(world, link.next)->prev = link.prev;
    }
    pop(world, world->children, e);
}

// Fill the new link of the last child; `parent` counts it not yet.
static void link_last(keel_world *world, keel_entity e, keel_entity to, keel_parent *parent,
                      keel_child *link) {
    if (parent->child_count++ == 0) parent->first_child = e;
    *link = (keel_child){ .parent = to, .prev = e, .next = parent->first_child };
    keel_child *next = child_at(world, link->next); // the first one, maybe itself
    link->prev = next->prev;
    child_at(world, link->prev)->next = e;
    next->prev = e;
}

// The entity has no parent; there is room.
static void commit_attach(keel_world *world, keel_entity e, keel_entity to) {
    const bool is_first = !has_children(world, to);
    if (is_first) *(keel_parent *)push(world, world->parents, to) = (keel_parent){ 0 };
    link_last(world, e, to, parent_at(world, to), push(world, world->children, e));
    if (is_first) keeli_came(world, world->parents, keel_entity_index(to));
    keeli_came(world, world->children, keel_entity_index(e));
}

static void commit_orphan_children(keel_world *world, keel_entity e) {
    if (!has_children(world, e)) return;
    const keel_parent parent = *parent_at(world, e);
    keel_entity child = parent.first_child;
    for (uint32_t left = parent.child_count; left; --left) {
        const keel_entity next = child_at(world, child)->next;
        pop(world, world->children, child);
        child = next;
    }
    pop(world, world->parents, e);
}

void keeli_commit_unlink(keel_world *world, keel_entity e) {
    if (has_parent(world, e)) commit_detach(world, e);
    commit_orphan_children(world, e);
    check(world);
}

// ------------------------------------------------------------------ attach and detach
// `before`: how many numbers the child's block may get before its links: components, and sets.
static bool reserve_links(keel_world *world, keel_entity child, keel_entity parent,
                          uint32_t before) {
    // both may be in one block, whose list gets them all
    return keeli_reserve_value(world, world->children, keel_entity_index(child), before) &&
           keeli_reserve_value(world, world->parents, keel_entity_index(parent), before + 1);
}

static bool is_self_or_ancestor(const keel_world *world, keel_entity above, keel_entity of) {
    // What has no children is above nothing: a tree that grows at its leaves is not climbed.
    if (!has_children(world, above)) return keel_is_same(above, of);
    for (;; of = child_at(world, of)->parent) {
        if (keel_is_same(above, of)) return true;
        if (!has_parent(world, of)) return false;
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
static inline bool quick_attach(keel_world *world, keel_entity child, keel_entity to) {
    keeli_storage *parents = world->parents, *children = world->children;
    if (world->holders || world->share_depth) return false;
    if ((parents->flags | children->flags) != KEELI_IS_LINK) return false;
    if (!is_alive(world, child) || !is_alive(world, to)) return false;
    const uint32_t c = keel_entity_index(child), p = keel_entity_index(to);
    const uint64_t around = keeli_presence_word(&children->presence, c / 64);
    if (!around || around >> (c % 64) & 1 || has_children(world, child)) return false;
    keel_parent *parent;
    if (has_children(world, to)) parent = parent_at(world, to);
    else if (c == p || !keeli_presence_word(&parents->presence, p / 64)) return false;
    else *(parent = push_beside(parents, p)) = (keel_parent){ 0 };
    ++world->links.edits;
    link_last(world, child, to, parent, push_beside(children, c));
    check(world);
    return true;
}

static __attribute__((noinline)) keel_result attach_slowly(keel_world *world, keel_entity child,
                                                           keel_entity parent) {
    if (!is_alive(world, child) || !is_alive(world, parent)) return KEEL_ERROR_DEAD_ENTITY;
    KEEL_TRY(keeli_may_edit_links(world, NULL));
    if (is_self_or_ancestor(world, child, parent))
        return keeli_error(
            world, KEEL_ERROR_CYCLE,
            "cannot attach entity %u to %u: that is itself or one of its descendants",
            (unsigned)keel_entity_index(child), (unsigned)keel_entity_index(parent));
    if (!reserve_links(world, child, parent, 0))
        return keeli_out_of_memory(world, "attaching a child");
    if (has_parent(world, child)) commit_detach(world, child);
    commit_attach(world, child, parent);
    check(world);
    return keeli_done(world, KEEL_OK);
}

keel_result keel_world_attach(keel_world *world, keel_entity child, keel_entity parent) {
    if (!world) return keeli_no_world();
    return quick_attach(world, child, parent) ? KEEL_OK : attach_slowly(world, child, parent);
}

keel_entity keel_world_add_child(keel_world *world, keel_entity parent, const keel_value *values) {
    if (!world) return keeli_no_world(), keel_null();
    if (!is_alive(world, parent)) {
        keeli_error(world, KEEL_ERROR_DEAD_ENTITY, "cannot add a child: the parent is not alive");
        return keel_null();
    }
    if (keeli_may_edit_links(world, NULL) < 0) return keel_null();
    keeli_entity_index *ix = &world->entities;
    if (keeli_entity_index_reserve(ix, &world->heap, 1) == KEEL_OK) {
        // make room for the links first: which entity it will be is known
        const keeli_entity_index before = *ix;
        const keel_entity next = keeli_entity_index_add(ix);
        const bool room = reserve_links(world, next, parent,
                                        keeli_count_values(values) + world->followers.set_count);
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
    if (!has_parent(world, child)) return KEEL_ABSENT;
    KEEL_TRY(keeli_may_edit_links(world, NULL));
    commit_detach(world, child);
    check(world);
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
    while (has_children(world, e))
        e = child_at(world, parent_at(world, e)->first_child)->prev;
    return e;
}

keel_result keel_world_unlink_tree(keel_world *world, keel_entity root) {
    if (!world) return keeli_no_world();
    if (!is_alive(world, root)) return KEEL_ERROR_DEAD_ENTITY;
    if (!keeli_has_links(world, root)) return KEEL_ABSENT;
    KEEL_TRY(keeli_may_edit_links(world, NULL));
    if (has_parent(world, root)) commit_detach(world, root);
    // take leaves off until none is left: each step goes on from the parent of the last
    for (keel_entity e = last_below(world, root); !keel_is_same(e, root);) {
        const keel_entity parent = child_at(world, e)->parent;
        commit_detach(world, e);
        e = last_below(world, parent);
    }
    return keeli_done(world, KEEL_OK);
}

// May the whole tree be deleted now? Nothing to ask when nothing is in use.
static keel_result may_delete_tree(keel_world *world, keel_entity root) {
    KEEL_TRY(keeli_may_delete_entity(world, NULL, root));
    if (!world->holders && !world->owned_storages) return KEEL_OK;
    keel_entity e = keel_null();
    while (!keel_is_null(e = keel_world_next_descendant(world, root, e)))
        KEEL_TRY(keeli_may_delete_entity(world, NULL, e));
    return KEEL_OK;
}

// From the last child of `e` on down: the last of all descendants.
static keeli_step last_of(const keel_world *world, keel_entity e, keel_entity first) {
    while (has_children(world, e)) {
        first = parent_at(world, e)->first_child;
        e = child_at(world, first)->prev;
    }
    return (keeli_step){ e, first };
}

// The descendant before this one in pre-order, or the root. Each step needs the link of the one
// before, so it waits for memory; siblings that were made one after the other have links side by
// side, and those that come eight steps later can be fetched now.
static inline keeli_step before(const keel_world *world, keel_entity root, keeli_step step) {
    const keel_child *link = child_at(world, step.at);
    __builtin_prefetch((const void *)((uintptr_t)link - 8 * sizeof *link));
    if (!keel_is_same(step.at, step.first))
        return has_children(world, link->prev) ? last_of(world, link->prev, step.first)
                                               : (keeli_step){ link->prev, step.first };
    if (keel_is_same(link->parent, root)) return (keeli_step){ root, root };
    const keel_entity above = child_at(world, link->parent)->parent;
    return (keeli_step){ link->parent, parent_at(world, above)->first_child };
}

// From the last descendant in pre-order up to the root. All links go, so none is repaired on the
// way: what is left of the tree is whole as far as it is still looked at.
keel_result keel_world_delete_tree(keel_world *world, keel_entity root) {
    if (!world) return keeli_no_world();
    if (!is_alive(world, root)) return KEEL_ABSENT;
    KEEL_TRY(may_delete_tree(world, root));
    ++world->links.edits;
    if (has_parent(world, root)) commit_detach(world, root);
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

// ------------------------------------------------------------------ sorting
typedef struct sorting {
    keel_world *world;
    keel_entity_compare *compare;
    void *data;
} sorting;

static bool is_first(const sorting *s, keel_entity a, keel_entity b) {
    keeli_asking_begin(s->world);
    const bool is = s->compare(s->world, a, b, s->data) <= 0;
    keeli_asking_end(s->world);
    return is;
}

// Merge two chains of `left` and `right` children that are linked by `next`; returns the first,
// with the last in `*last`.
static keel_entity merge(const sorting *s, keel_entity a, uint32_t left, keel_entity b,
                         uint32_t right, keel_entity *last) {
    keel_entity first = keel_null(), end = keel_null();
    while (left || right) {
        const bool take_a = left && (!right || is_first(s, a, b));
        const keel_entity e = take_a ? a : b;
        const keel_entity next = child_at(s->world, e)->next;
        if (take_a) a = next, --left;
        else b = next, --right;
        if (keel_is_null(first)) first = e;
        else child_at(s->world, end)->next = e;
        end = e;
    }
    *last = end;
    return first;
}

// Sort `count` children from `first` on; the chain behind them is handed on in `*rest`.
static keel_entity sort_chain(const sorting *s, keel_entity first, uint32_t count,
                              keel_entity *rest) {
    if (count == 1) {
        *rest = child_at(s->world, first)->next;
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
    if (keel_child_count(world, parent) < 2) return KEEL_ABSENT;
    KEEL_TRY(keeli_may_edit_links(world, NULL));
    ++world->links.edits;
    keel_parent *p = parent_at(world, parent);
    const sorting s = { world, compare, data };
    keel_entity rest;
    const keel_entity first = sort_chain(&s, p->first_child, p->child_count, &rest);
    p->first_child = first;
    // `next` is right but for the last one; `prev` is made anew
    keel_entity e = first;
    for (uint32_t left = p->child_count; left; --left) {
        keel_child *link = child_at(world, e);
        if (left == 1) link->next = first;
        child_at(world, link->next)->prev = e;
        e = link->next;
    }
    check(world);
    return KEEL_OK;
}

// ------------------------------------------------------------------ walking
static bool is_parent(const keel_world *world, keel_entity e) {
    return world && is_alive(world, e) && has_children(world, e);
}
static bool is_child(const keel_world *world, keel_entity e) {
    return world && is_alive(world, e) && has_parent(world, e);
}

keel_entity keel_world_parent_of(const keel_world *world, keel_entity e) {
    return is_child(world, e) ? child_at(world, e)->parent : keel_null();
}

uint32_t keel_child_count(const keel_world *world, keel_entity e) {
    return is_parent(world, e) ? parent_at(world, e)->child_count : 0;
}

keel_entity keel_world_first_child(const keel_world *world, keel_entity parent) {
    return is_parent(world, parent) ? parent_at(world, parent)->first_child : keel_null();
}

static const keeli_step nowhere;

// One step to the right, if there is one.
static keeli_step beside(const keel_world *world, keel_entity e) {
    const keel_child *link = child_at(world, e);
    const keel_entity first = parent_at(world, link->parent)->first_child;
    return keel_is_same(link->next, first) ? nowhere : (keeli_step){ link->next, first };
}

const struct keeli_links *keeli_world_links(const keel_world *world, keel_entity of) {
    return is_parent(world, of) ? &world->links : NULL;
}

keeli_step keeli_links_beside(const struct keeli_links *links, keel_entity of, keel_entity child) {
    const keel_world *world = links->world;
    const bool is_there = is_alive(world, of) && is_child(world, child);
    return is_there && keel_is_same(child_at(world, child)->parent, of) ? beside(world, child)
                                                                        : nowhere;
}

keeli_step keeli_links_past(const struct keeli_links *links, keel_entity root, keel_entity e) {
    const keel_world *world = links->world;
    for (; !keel_is_same(e, root); e = child_at(world, e)->parent) {
        if (!has_parent(world, e)) return nowhere; // it is not below `root`
        const keeli_step step = beside(world, e);
        if (!keel_is_null(step.at)) return step;
    }
    return nowhere;
}

keeli_step keeli_links_onward(const struct keeli_links *links, keel_entity root, keel_entity e) {
    const keel_world *world = links->world;
    if (!is_alive(world, root) || !is_alive(world, e)) return nowhere;
    if (!has_children(world, e)) return keeli_links_past(links, root, e);
    const keel_entity first = parent_at(world, e)->first_child;
    return (keeli_step){ first, first };
}

keel_entity keel_world_next_child(const keel_world *world, keel_entity parent, keel_entity child) {
    return world ? keeli_links_beside(&world->links, parent, child).at : keel_null();
}

keel_entity keel_world_next_descendant(const keel_world *world, keel_entity root,
                                       keel_entity after) {
    const keel_entity e = keel_is_null(after) ? root : after;
    return world ? keeli_links_onward(&world->links, root, e).at : keel_null();
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

// The children of `parent`, which has the links of one that has some.
static bool circle_is_valid(const keel_world *world, keel_entity parent) {
    const keel_parent *p = parent_at(world, parent);
    keel_entity e = p->first_child;
    for (uint32_t left = p->child_count; left; --left) {
        if (!is_child(world, e)) return false;
        const keel_child *link = child_at(world, e);
        if (!keel_is_same(link->parent, parent) || !is_child(world, link->next)) return false;
        if (!keel_is_same(child_at(world, link->next)->prev, e)) return false;
        e = link->next;
    }
    return p->child_count && keel_is_same(e, p->first_child);
}

bool keeli_hierarchy_is_valid(const keel_world *world) {
    uint32_t children = 0;
    for (uint32_t i = 0; (i = keeli_store_next(world->parents, i)) != UINT32_MAX; ++i) {
        const keel_entity parent = keeli_entity_at(&world->entities, i);
        if (!is_alive(world, parent) || !circle_is_valid(world, parent)) return false;
        children += parent_at(world, parent)->child_count;
    }
    return children == keeli_store_count(world->children);
}
