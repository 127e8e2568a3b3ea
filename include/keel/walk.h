// SPDX-License-Identifier: MIT
/// @file walk.h
/// Private: how KEEL_EACH_CHILD and KEEL_EACH_DESCENDANT go from one entity to the next. Programs
/// use those loops, or the functions of hierarchy.h.
#pragma once
#include <keel/hierarchy.h>
#include <keel/view.h>

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" // inline functions are C
extern "C" {
#endif

/// Private: what loops over the hierarchy read. Layouts may change with any version.
struct keeli_links {
    const keel_world *world;               ///< private
    const struct keeli_set_root *parents;  ///< private: keel_parent
    const struct keeli_set_root *children; ///< private: keel_child
    uint64_t edits;                        ///< private: counts changes of links
};

/// Private: one step of a loop over the hierarchy.
typedef struct keeli_step {
    keel_entity at;    ///< private: null at the end
    keel_entity first; ///< private: of its siblings
} keeli_step;

/// Private: a loop over the hierarchy. As long as no link changes it follows them by itself.
typedef struct keeli_walk {
    const struct keeli_links *links; ///< private: NULL when there is nothing to visit
    uint64_t edits;                  ///< private: of the links, when `step` was taken
    keel_entity of;                  ///< private: whose children or descendants
    keeli_step step;                 ///< private
    keeli_step above;                ///< private: its parent; null when not known, or `of`
} keeli_walk;

/// Private: NULL when `of` has no children, or the scope may not read them.
KEEL_API const struct keeli_links *keeli_links_of(const keel_scope *scope, keel_entity of);
// The next three are `pure`: they only look, so loops keep what they read before a call.
/// Private: from a child of `of` to the next one, whatever happened meanwhile.
KEELI_PURE KEEL_API keeli_step keeli_links_beside(const struct keeli_links *links, keel_entity of,
                                                  keel_entity child);
/// Private: from a descendant of `root` to the next one that is not below it; nothing happened.
KEELI_PURE KEEL_API keeli_step keeli_links_past(const struct keeli_links *links, keel_entity root,
                                                keel_entity e);
/// Private: from `root` or a descendant of it to the next one in pre-order, whatever happened.
KEELI_PURE KEEL_API keeli_step keeli_links_onward(const struct keeli_links *links, keel_entity root,
                                                  keel_entity e);

/// Private: the links of an entity that has children.
static inline keel_parent *keeli_parent_at(const struct keeli_links *links, keel_entity e) {
    const uint32_t index = keeli_index_of(e), shift = keeli_indexed_shift(sizeof(keel_parent));
    keel_parent *page = (keel_parent *)links->parents->pages[index >> shift];
    return page + (index & (((uint32_t)1 << shift) - 1));
}
/// Private: the links of an entity that has a parent.
static inline keel_child *keeli_child_at(const struct keeli_links *links, keel_entity e) {
    const uint32_t index = keeli_index_of(e), shift = keeli_indexed_shift(sizeof(keel_child));
    keel_child *page = (keel_child *)links->children->pages[index >> shift];
    return page + (index & (((uint32_t)1 << shift) - 1));
}

/// Private: at the first child.
static inline keeli_walk keeli_walk_begin(const keel_scope *scope, keel_entity of) {
    const struct keeli_links *links = keeli_links_of(scope, of);
    keeli_walk walk = { links, 0, of, { { 0 }, { 0 } }, { { 0 }, { 0 } } };
    if (!links) return walk;
    walk.edits = links->edits;
    walk.step.at = walk.step.first = keeli_parent_at(links, of)->first_child;
    return walk;
}
/// Private: after a change of links.
static inline void keeli_walk_resume(keeli_walk *walk, keeli_step step) {
    walk->step = step;
    walk->above.at = keel_null();
    walk->edits = walk->links->edits;
}

/// Private: to the sibling beside; false when there is none.
static inline bool keeli_walk_beside(keeli_walk *walk) {
    const keel_entity next = keeli_child_at(walk->links, walk->step.at)->next;
    if (keel_is_same(next, walk->step.first)) return false;
    walk->step.at = next;
    return true;
}

/// Private: the current child; goes on to the next, so that the current one may leave.
static inline keel_entity keeli_walk_child(keeli_walk *walk) {
    const keel_entity child = walk->step.at;
    if (keel_is_null(child)) return child;
    if (walk->edits != walk->links->edits) {
        keeli_walk_resume(walk, keeli_links_beside(walk->links, walk->of, child));
    } else if (!keeli_walk_beside(walk)) {
        walk->step.at = keel_null();
    }
    return child;
}

/// Private: to the first child.
static inline void keeli_walk_down(keeli_walk *walk) {
    walk->above = walk->step;
    walk->step.at = keeli_parent_at(walk->links, walk->step.at)->first_child;
    walk->step.first = walk->step.at;
}
/// Private: from the last one of siblings to the next descendant.
static inline void keeli_walk_up(keeli_walk *walk) {
    keel_entity e = walk->step.at;
    if (!keel_is_null(walk->above.at)) {
        walk->step = walk->above;
        walk->above.at = keel_null();
        e = walk->step.at;
        walk->step.at = keeli_child_at(walk->links, e)->next;
        if (!keel_is_same(walk->step.at, walk->step.first)) return;
    }
    walk->step = keeli_links_past(walk->links, walk->of, e);
}

/// Private: goes on to the next descendant in pre-order.
static inline keel_entity keeli_walk_descendant(keeli_walk *walk) {
    const struct keeli_links *links = walk->links;
    if (walk->edits != links->edits)
        keeli_walk_resume(walk, keeli_links_onward(links, walk->of, walk->step.at));
    else if (keeli_has_bit(links->parents->bits, keeli_index_of(walk->step.at)))
        keeli_walk_down(walk);
    else if (!keeli_walk_beside(walk)) keeli_walk_up(walk);
    return walk->step.at;
}

#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif
