// SPDX-License-Identifier: MIT
// The hierarchy: how links change one by one, the verbs, whole trees, and how links are followed.
#include "edit/hierarchy.h"

#include "edit/relation.h"
#include "edit/removal.h"
#include "world/report.h"

// ------------------------------------------------------------------ names
// Mostly nobody has one.
static inline keel_result may_place_name(keel_world *world, const char *doing, keel_entity e,
                                         keel_entity parent) {
    return world->names.count ? keeli_may_place_name(world, doing, e, parent) : KEEL_OK;
}
static inline void place_name(keel_world *world, keel_entity e) {
    if (world->names.count) keeli_place_name(world, e);
}

// ------------------------------------------------------------------ changing
keel_result keeli_may_edit_links(keel_world *world, const keeli_holder *holder) {
    KEEL_TRY(keeli_may_edit(world, holder, world->hierarchy.parents, "change"));
    return keeli_may_edit(world, holder, world->hierarchy.children, "change");
}

bool keeli_reserve_links(keel_world *world, keel_entity child, keel_entity parent) {
    if (world->relations.of_children && !keeli_reserve_doomed(world, keeli_index_of(child), 1))
        return false;
    return keeli_reserve_value(world, world->hierarchy.children, keeli_index_of(child)) &&
           keeli_reserve_value(world, world->hierarchy.parents, keeli_index_of(parent));
}

// The entity gets a link, which is filled before anybody is notified.
static void push(keel_world *world, keeli_storage *s, keel_entity e) {
    ++world->hierarchy.links.edits;
    (void)keeli_store_push(world, s, e);
}
static void pop(keel_world *world, keeli_storage *s, keel_entity e) {
    ++world->hierarchy.links.edits;
    const uint32_t index = keeli_index_of(e);
    if (keeli_is_followed(s)) {
        const uint32_t kinds = keeli_hush(world, s, index);
        keeli_going(world, s, index, KEEL_TRACK_DELETION);
        s->tracking.observers.kinds |= kinds;
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

// Fill the new link of an only child, and that of its parent; or of one behind the last child.
static inline void link_first(const keel_world *world, keel_entity e, keel_entity to) {
    *keeli_link_of_parent(world, to) = (keel_parent){ .child_count = 1, .first_child = e };
    *keeli_link_of_child(world, e) = (keel_child){ .parent = to, .prev = e, .next = e };
}
static inline void link_last(const keel_world *world, keel_entity e, keel_entity to) {
    keel_parent *parent = keeli_link_of_parent(world, to);
    ++parent->child_count;
    const keel_entity next = parent->first_child;
    keel_child *first = keeli_link_of_child(world, next);
    const keel_entity prev = first->prev;
    *keeli_link_of_child(world, e) = (keel_child){ .parent = to, .prev = prev, .next = next };
    keeli_link_of_child(world, prev)->next = e;
    first->prev = e;
}

void keeli_commit_attach(keel_world *world, keel_entity e, keel_entity to) {
    const bool is_first = !keeli_has_children(world, to);
    if (is_first) push(world, world->hierarchy.parents, to);
    push(world, world->hierarchy.children, e);
    if (is_first) link_first(world, e, to);
    else link_last(world, e, to);
    if (is_first) keeli_came(world, world->hierarchy.parents, keeli_index_of(to));
    keeli_came(world, world->hierarchy.children, keeli_index_of(e));
}

void keeli_commit_unlink(keel_world *world, keel_entity e) {
    if (keeli_has_parent(world, e)) {
        keeli_commit_detach(world, e);
        place_name(world, e);
    }
    if (keeli_has_children(world, e)) {
        const keel_parent parent = *keeli_link_of_parent(world, e);
        keel_entity child = parent.first_child;
        for (uint32_t left = parent.child_count; left; --left) {
            const keel_entity next = keeli_link_of_child(world, child)->next;
            pop(world, world->hierarchy.children, child);
            place_name(world, child);
            child = next;
        }
        pop(world, world->hierarchy.parents, e);
    }
    keeli_validate_links(world);
}

void keeli_leave_family(keel_world *world, keel_entity e) {
    if (!keeli_has_links(world, e)) return;
    keeli_free_name(world, e);
    keeli_commit_unlink(world, e);
}

// ------------------------------------------------------------------ attach and detach
static bool is_self_or_ancestor(const keel_world *world, keel_entity above, keel_entity of) {
    // What has no children is above nothing: a tree that grows at its leaves is not climbed.
    if (!keeli_has_children(world, above)) return keel_is_same(above, of);
    for (;; of = keeli_link_of_child(world, of)->parent) {
        if (keel_is_same(above, of)) return true;
        if (!keeli_has_parent(world, of)) return false;
    }
}

static __attribute__((noinline)) keel_result attach_general(keel_world *world,
                                                            const keeli_holder *holder,
                                                            keel_entity child, keel_entity parent) {
    if (!keeli_entity_is_alive(&world->entities, child))
        return keeli_dead_entity(world, "keel_attach", child);
    if (!keeli_entity_is_alive(&world->entities, parent))
        return keeli_dead_entity(world, "keel_attach", parent);
    KEEL_TRY(keeli_may_edit_links(world, holder));
    if (is_self_or_ancestor(world, child, parent))
        return keeli_error(world, KEEL_ERROR_CYCLE,
                           "cannot attach %s to %s: that is itself or one of its descendants",
                           KEELI_ENTITY(world, child), KEELI_ENTITY(world, parent));
    KEEL_TRY(may_place_name(world, "attach", child, parent));
    if (!keeli_reserve_links(world, child, parent))
        return keeli_out_of_memory(world, "attaching a child");
    if (keeli_has_parent(world, child)) keeli_commit_detach(world, child);
    keeli_commit_attach(world, child, parent);
    place_name(world, child);
    keeli_validate_links(world);
    return keeli_done(world, KEEL_OK);
}

// The common case is that nothing is in use, the child is a root without children, and others of
// both blocks of 64 have such links, so that there is room. What takes more is jumped to: with a
// call that comes back six registers were saved, a tenth of the instructions (hier_attach).
static inline keel_result link_beside(keel_world *world, keel_entity child, uint64_t *around) {
    KEEL_ASSERT_INTERNAL(world->hierarchy.children->goes_with_bit && *around);
    keeli_store_take_bit(world->hierarchy.children, around, keeli_bit_of(keeli_index_of(child)));
    ++world->hierarchy.links.edits;
    keeli_validate_links(world);
    return KEEL_OK;
}

// The parent gets its first child.
static __attribute__((noinline)) keel_result attach_first(keel_world *world, keel_entity child,
                                                          keel_entity to, uint64_t *around) {
    keeli_storage *parents = world->hierarchy.parents;
    uint64_t *above = keeli_live_word(parents, keeli_index_of(to));
    if (!above || !keeli_entity_has_version(&world->entities, to) || keel_is_same(child, to))
        return attach_general(world, NULL, child, to);
    keeli_store_take_bit(parents, above, keeli_bit_of(keeli_index_of(to)));
    link_first(world, child, to);
    return link_beside(world, child, around);
}

static __attribute__((noinline)) keel_result attach_root(keel_world *world, keel_entity child,
                                                         keel_entity to, uint64_t *around) {
    uint32_t place;
    if (!keeli_store_find_in(world, world->hierarchy.parents, KEEL_INDEXED, to, &place))
        return attach_first(world, child, to, around);
    link_last(world, child, to);
    return link_beside(world, child, around);
}

static keel_result attach_fast(keel_world *world, keel_entity child, keel_entity parent) {
    const keeli_storage *parents = world->hierarchy.parents, *children = world->hierarchy.children;
    if (((uintptr_t)world->access.holders | world->refused) ||
        (parents->flags | children->flags) != KEELI_IS_LINK)
        return attach_general(world, NULL, child, parent);
    const uint32_t c = keeli_index_of(child);
    uint64_t *around = keeli_live_word(children, c);
    if (!around || *around >> (c % 64) & 1 || keeli_store_has(parents, c) ||
        !keeli_entity_has_version(&world->entities, child))
        return attach_general(world, NULL, child, parent);
    return attach_root(world, child, parent, around);
}

keel_result keeli_edit_attach(keel_world *world, const keeli_holder *holder, keel_entity child,
                              keel_entity parent) {
    return holder ? attach_general(world, holder, child, parent)
                  : attach_fast(world, child, parent);
}

static __attribute__((noinline)) keel_result attach_elsewhere(keel_scope *scope, keel_entity child,
                                                              keel_entity parent) {
    keeli_caller who;
    keel_commands *list = keeli_commands_of(scope);
    if (list) return keeli_record_two(list, child, parent, keeli_edit_attach);
    KEEL_TRY(keeli_edit_begin(scope, &who));
    return keeli_edit_end(&who, keeli_edit_attach(who.world, who.editor, child, parent));
}

keel_result(keel_attach)(keel_scope *scope, keel_entity child, keel_entity parent) {
    return keeli_is_world(scope) ? attach_fast(keeli_world_of(scope), child, parent)
                                 : attach_elsewhere(scope, child, parent);
}

// Another child beside others of its block, which needs no memory and is followed by nobody; null,
// with nothing done, when it takes more. As costly as adding and attaching apart (add_child, 2).
static keel_entity add_child_beside(keel_world *world, keel_entity parent,
                                    const keel_value *values) {
    const keeli_storage *parents = world->hierarchy.parents;
    keeli_storage *children = world->hierarchy.children;
    if (!keeli_is_unused(world) || (parents->flags | children->flags) != KEELI_IS_LINK ||
        !keeli_entity_index_is_ready(&world->entities) || !keeli_has_children(world, parent))
        return keel_null();
    const uint32_t next = keeli_index_of(keeli_entity_index_peek(&world->entities));
    uint64_t *around = keeli_live_word(children, next);
    const keel_entity child =
        around ? keeli_add_plain_entity(world, values ? values : &(keel_value){ NULL, NULL })
               : keel_null();
    if (keel_is_null(child)) return child;
    keeli_store_take_bit(children, around, keeli_bit_of(next));
    ++world->hierarchy.links.edits;
    link_last(world, child, parent);
    return child;
}

// The new entity gets its values and its parent before anybody hears of it.
static keel_result give_child(keeli_batch *b, keel_entity parent) {
    keel_world *world = b->world;
    if (b->result == KEEL_OK && !keeli_reserve_links(world, *b->entities, parent))
        b->result = keeli_out_of_memory(world, b->doing);
    keeli_editing_begin(world);
    if (keeli_batch_commit(b)) {
        keeli_commit_attach(world, *b->entities, parent);
        keeli_batch_tell(b);
    }
    keeli_editing_end(world);
    return keeli_batch_end(b);
}

// The same where nobody looks on and there is room for an entity: as keel_add_entity and
// keel_attach, which takes half of what a batch takes (add_child, 2). Which entity it will be is
// known, so room for its links is made before.
static keel_entity add_child_apart(keel_world *world, keel_entity parent,
                                   const keel_value *values) {
    keeli_entity_index *ix = &world->entities;
    const keeli_entity_index before = *ix;
    const keel_entity next = keeli_entity_index_add(ix);
    const bool has_room = keeli_reserve_links(world, next, parent);
    keeli_entity_index_undo(ix, &before, &next, 1);
    if (!has_room) return keeli_out_of_memory(world, "adding a child"), keel_null();
    keeli_editing_begin(world);
    const keel_entity child = keeli_world_add_entity(&world->root.scope, values);
    if (!keel_is_null(child)) keeli_commit_attach(world, child, parent);
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
    if (!keel_is_null(beside)) return beside;
    if (keeli_may_edit_links(world, holder) < 0) return keel_null();
    if (!holder && !world->followers.observed &&
        keeli_entity_index_reserve(&world->entities, &world->heap, 1) == KEEL_OK)
        return add_child_apart(world, parent, values);
    keel_entity child;
    keeli_batch b;
    keeli_batch_begin(&b, world, NULL, 1, "adding a child");
    keeli_batch_add_values(&b, holder, values);
    keeli_batch_create(&b, holder, &child);
    return give_child(&b, parent) < 0 ? keel_null() : child;
}

keel_result keeli_edit_add_child_held(keel_world *world, keel_entity held, keel_entity parent,
                                      const keel_value *values) {
    KEEL_TRY(keeli_may_edit_links(world, NULL));
    keeli_batch b;
    keeli_batch_begin_held(&b, world, &held, 1, "adding a child");
    keeli_batch_add_values(&b, NULL, values);
    keeli_batch_create(&b, NULL, NULL);
    return give_child(&b, parent);
}

keel_entity(keel_add_child_values)(keel_scope *scope, keel_entity parent,
                                   const keel_value *values) {
    keeli_caller who;
    keel_commands *list = keeli_commands_of(scope);
    if (keeli_is_world(scope)) return add_child(keeli_world_of(scope), NULL, parent, values);
    if (list) return keeli_record_add_child(list, parent, values);
    if (keeli_edit_begin(scope, &who) < 0) return keel_null();
    const keel_entity child = add_child(who.world, who.editor, parent, values);
    (void)keeli_edit_end(&who, KEEL_OK);
    return child;
}

// Apart, so that mostly nothing is kept for what comes after (detach: 5 % of its instructions).
static __attribute__((noinline)) keel_result detach_named(keel_world *world, keel_entity child) {
    KEEL_TRY(keeli_may_place_name(world, "detach", child, keel_null()));
    keeli_commit_detach(world, child);
    keeli_place_name(world, child);
    keeli_validate_links(world);
    return keeli_done(world, KEEL_OK);
}

static keel_result detach(keel_world *world, const keeli_holder *holder, keel_entity child) {
    if (!keeli_entity_is_alive(&world->entities, child))
        return keeli_dead_entity(world, "keel_detach", child);
    if (!keeli_has_parent(world, child)) return KEEL_ABSENT;
    KEEL_TRY(keeli_may_edit_links(world, holder));
    if (world->names.count) return detach_named(world, child);
    keeli_commit_detach(world, child);
    keeli_validate_links(world);
    return keeli_done(world, KEEL_OK);
}

keel_result(keel_detach)(keel_scope *scope, keel_entity child) {
    return keeli_edit_entity(scope, child, detach);
}

static keel_result unlink(keel_world *world, const keeli_holder *holder, keel_entity e) {
    if (!keeli_entity_is_alive(&world->entities, e))
        return keeli_dead_entity(world, "keel_unlink", e);
    if (!keeli_has_links(world, e)) return KEEL_ABSENT;
    KEEL_TRY(keeli_may_edit_links(world, holder));
    KEEL_TRY(may_place_name(world, "unlink", e, keel_null()));
    KEEL_TRY(keeli_may_orphan(world, holder, e));
    keeli_commit_unlink(world, e);
    return keeli_done(world, KEEL_OK);
}

keel_result(keel_unlink)(keel_scope *scope, keel_entity e) {
    return keeli_edit_entity(scope, e, unlink);
}

// ------------------------------------------------------------------ whole trees
// From the last child of `e` on down: the last of all descendants, or itself.
static keeli_step last_of(const keel_world *world, keel_entity e, keel_entity first) {
    while (keeli_has_children(world, e)) {
        first = keeli_link_of_parent(world, e)->first_child;
        e = keeli_link_of_child(world, first)->prev;
    }
    return (keeli_step){ e, first };
}

static keel_result unlink_tree(keel_world *world, const keeli_holder *holder, keel_entity root) {
    if (!keeli_entity_is_alive(&world->entities, root))
        return keeli_dead_entity(world, "keel_unlink_tree", root);
    if (!keeli_has_links(world, root)) return KEEL_ABSENT;
    KEEL_TRY(keeli_may_edit_links(world, holder));
    KEEL_TRY(may_place_name(world, "unlink", root, keel_null()));
    for (keel_entity e = root; world->names.count && !keel_is_null(e);
         e = keeli_links_onward(&world->hierarchy.links, root, e).at)
        KEEL_TRY(keeli_may_orphan(world, holder, e));
    if (keeli_has_parent(world, root)) {
        keeli_commit_detach(world, root);
        place_name(world, root);
    }
    // take leaves off until none is left: each step goes on from the parent of the last
    for (keel_entity e = last_of(world, root, root).at; !keel_is_same(e, root);) {
        const keel_entity parent = keeli_link_of_child(world, e)->parent;
        keeli_commit_detach(world, e);
        place_name(world, e);
        e = last_of(world, parent, root).at;
    }
    return keeli_done(world, KEEL_OK);
}

keel_result(keel_unlink_tree)(keel_scope *scope, keel_entity root) {
    return keeli_edit_entity(scope, root, unlink_tree);
}

// May the whole tree be deleted now? Nothing to ask when nothing is in use.
static keel_result may_delete_tree(keel_world *world, const keeli_holder *holder,
                                   keel_entity root) {
    KEEL_TRY(keeli_may_delete_entity(world, holder, root));
    if (!holder && !world->access.holders && !world->access.owned_storages) return KEEL_OK;
    keel_entity e = root;
    while (!keel_is_null(e = keeli_links_onward(&world->hierarchy.links, root, e).at))
        KEEL_TRY(keeli_may_delete_entity(world, holder, e));
    return KEEL_OK;
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
keel_result keeli_edit_delete_tree(keel_world *world, const keeli_holder *holder,
                                   keel_entity root) {
    if (!keeli_entity_is_alive(&world->entities, root)) return KEEL_ABSENT;
    KEEL_TRY(may_delete_tree(world, holder, root));
    KEEL_TRY(keeli_delete_doomed(world, holder, (keeli_roots){ .tree = root }));
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
    ++world->hierarchy.links.edits; // observers may have looked in between
    return keeli_done(world, KEEL_OK);
}

keel_result(keel_delete_tree)(keel_scope *scope, keel_entity root) {
    return keeli_edit_entity(scope, root, keeli_edit_delete_tree);
}

// ------------------------------------------------------------------ walking
static bool is_parent(const keel_world *world, keel_entity e) {
    return keeli_entity_is_alive(&world->entities, e) && keeli_has_children(world, e);
}
static bool is_child(const keel_world *world, keel_entity e) {
    return keeli_entity_is_alive(&world->entities, e) && keeli_has_parent(world, e);
}

static keel_entity parent_of(const keel_world *world, keel_entity e) {
    return is_child(world, e) ? keeli_link_of_child(world, e)->parent : keel_null();
}

static keel_entity first_child(const keel_world *world, keel_entity parent) {
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

static keel_entity next_child(const keel_world *world, keel_entity parent, keel_entity child) {
    return keeli_links_beside(&world->hierarchy.links, parent, child).at;
}

static keel_entity next_descendant(const keel_world *world, keel_entity root, keel_entity after) {
    const keel_entity e = keel_is_null(after) ? root : after;
    return keeli_links_onward(&world->hierarchy.links, root, e).at;
}

// The next entity in pre-order that is exactly `level` levels below `root`, from `e` on, which is
// `depth` below it.
static keel_entity next_on_level(const keel_world *world, keel_entity root, keel_entity e,
                                 uint32_t depth, uint32_t level) {
    do {
        keel_entity next = depth < level ? first_child(world, e) : keel_null();
        if (!keel_is_null(next)) ++depth;
        for (; keel_is_null(next) && !keel_is_same(e, root); --depth) {
            const keel_entity parent = parent_of(world, e);
            next = next_child(world, parent, e);
            if (!keel_is_null(next)) break;
            e = parent;
        }
        e = next;
    } while (!keel_is_null(e) && depth != level);
    return e;
}

// Without a queue: each level is found by walking the levels above it.
static keel_entity next_descendant_breadth(const keel_world *world, keel_entity root,
                                           keel_entity after) {
    if (!keeli_entity_is_alive(&world->entities, root)) return keel_null();
    if (keel_is_null(after) || keel_is_same(after, root)) return first_child(world, root);
    uint32_t level = 0;
    for (keel_entity e = after; !keel_is_same(e, root); ++level) {
        e = parent_of(world, e);
        if (keel_is_null(e)) return e; // `after` is not below `root`
    }
    const keel_entity beside = next_on_level(world, root, after, level, level);
    return keel_is_null(beside) ? next_on_level(world, root, root, 0, level + 1) : beside;
}

// ------------------------------------------------------------------ looking
// The world, when the scope may look at these links of it; else NULL.
enum { CHILDREN = 1, PARENTS = 2, BOTH = 3 };
static __attribute__((noinline)) const keel_world *looks_elsewhere(const keel_scope *scope,
                                                                   uint32_t at) {
    keeli_caller who;
    if (keeli_caller_is(scope, &who) < 0) return NULL;
    const keeli_hierarchy *h = &who.world->hierarchy;
    return (!(at & PARENTS) || keeli_may_look_up(&who, h->parents, KEEL_ACCESS_READ)) &&
                   (!(at & CHILDREN) || keeli_may_look_up(&who, h->children, KEEL_ACCESS_READ))
               ? who.world
               : NULL;
}
static inline const keel_world *looks(const keel_scope *scope, uint32_t at) {
    return keeli_is_world(scope) ? keeli_world_of(scope) : looks_elsewhere(scope, at);
}

const struct keeli_links *keeli_links_of(const keel_scope *scope, keel_entity of) {
    const keel_world *world = looks(scope, BOTH);
    return world && is_parent(world, of) ? &world->hierarchy.links : NULL;
}
keel_entity(keel_parent_of)(const keel_scope *scope, keel_entity e) {
    const keel_world *world = looks(scope, CHILDREN);
    return world ? parent_of(world, e) : keel_null();
}
uint32_t(keel_child_count)(const keel_scope *scope, keel_entity e) {
    const keel_world *world = looks(scope, PARENTS);
    return world && is_parent(world, e) ? keeli_link_of_parent(world, e)->child_count : 0;
}
keel_entity(keel_first_child)(const keel_scope *scope, keel_entity parent) {
    const keel_world *world = looks(scope, PARENTS);
    return world ? first_child(world, parent) : keel_null();
}
keel_entity(keel_next_child)(const keel_scope *scope, keel_entity parent, keel_entity child) {
    const keel_world *world = looks(scope, BOTH);
    return world ? next_child(world, parent, child) : keel_null();
}
keel_entity(keel_next_descendant)(const keel_scope *scope, keel_entity root, keel_entity after,
                                  keel_walk_order order) {
    const keel_world *world = looks(scope, BOTH);
    if (!world) return keel_null();
    return order == KEEL_BREADTH_FIRST ? next_descendant_breadth(world, root, after)
                                       : next_descendant(world, root, after);
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
