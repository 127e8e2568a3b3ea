// SPDX-License-Identifier: MIT
// The functions of tree_fixture.h: assertions on links and walks of the hierarchy. It contains no
// tests.
#include "support/tree_fixture.h"

// ------------------------------------------------------------------ links
void assert_parent_link(keel_world *world, keel_entity e, uint32_t count, keel_entity first) {
    assert_int_equal(keel_child_count(world, e), count);
    assert_same_entity(keel_first_child(world, e), first);
}

static keel_entity next_in_circle(keel_world *world, keel_entity parent, keel_entity child) {
    const keel_entity next = keel_next_child(world, parent, child);
    return keel_is_null(next) ? keel_first_child(world, parent) : next;
}

void assert_child_link(keel_world *world, keel_entity e, keel_entity parent, keel_entity prev,
                       keel_entity next) {
    assert_true(keel_has(world, e, keel_child));
    assert_same_entity(keel_parent_of(world, e), parent);
    assert_same_entity(next_in_circle(world, parent, e), next);
    assert_same_entity(next_in_circle(world, parent, prev), e);
}

void assert_no_parent_link(keel_world *world, keel_entity e) {
    assert_int_equal(keel_child_count(world, e), 0);
    assert_true(keel_is_null(keel_first_child(world, e)));
}

void assert_no_child_link(keel_world *world, keel_entity e) {
    assert_false(keel_has(world, e, keel_child));
    assert_true(keel_is_null(keel_parent_of(world, e)));
}

void assert_unlinked(keel_world *world, keel_entity e) {
    assert_no_parent_link(world, e);
    assert_no_child_link(world, e);
}

// ------------------------------------------------------------------ walks
void assert_children(keel_world *world, keel_entity e, const keel_entity *list, uint32_t count) {
    uint32_t i = 0;
    KEEL_EACH_CHILD(world, e, child) {
        assert_true(i < count);
        assert_same_entity(child, list[i++]);
    }
    assert_int_equal(i, count);
    assert_int_equal(keel_child_count(world, e), count);
}

void assert_ancestors(keel_world *world, keel_entity e, const keel_entity *list, uint32_t count) {
    uint32_t i = 0;
    KEEL_EACH_ANCESTOR(world, e, above) {
        assert_true(i < count);
        assert_same_entity(above, list[i++]);
    }
    assert_int_equal(i, count);
}

void assert_descendants(keel_world *world, keel_entity e, const keel_entity *list, uint32_t count) {
    uint32_t i = 0;
    KEEL_EACH_DESCENDANT(world, e, below) {
        assert_true(i < count);
        assert_same_entity(below, list[i++]);
    }
    assert_int_equal(i, count);
}

void assert_breadth(keel_world *world, keel_entity e, const keel_entity *list, uint32_t count) {
    uint32_t i = 0;
    KEEL_EACH_DESCENDANT_BREADTH(world, e, below) {
        assert_true(i < count);
        assert_same_entity(below, list[i++]);
    }
    assert_int_equal(i, count);
}
