// SPDX-License-Identifier: MIT
// Parents and children: what each edit does to the links, and the walks. The links are compared
// exactly, so that the two components can be relied upon by who reads them in a view.
#include "support/api_types.h"
#include "support/tree_fixture.h"

// ------------------------------------------------------------------ links
static void roles_show_in_the_components(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity root = keel_add_entity(f.world), alone = keel_add_entity(f.world);
    const keel_entity between = keel_add_child(f.world, root);
    const keel_entity leaf = keel_add_child(f.world, between);
    assert_parent_link(f.world, root, 1, between);
    assert_no_child_link(f.world, root);
    assert_parent_link(f.world, between, 1, leaf);
    assert_child_link(f.world, between, root, between, between);
    assert_no_parent_link(f.world, leaf);
    assert_child_link(f.world, leaf, between, leaf, leaf);
    assert_unlinked(f.world, alone);
    assert_int_equal(count_parents(f.world), 2);
    assert_int_equal(keel_count(f.world, keel_child), 2);
    api_end(&f);
}

static void siblings_form_a_circle(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity root = keel_add_entity(f.world);
    const keel_entity a = keel_add_child(f.world, root);
    assert_child_link(f.world, a, root, a, a);
    const keel_entity b = keel_add_child(f.world, root);
    assert_child_link(f.world, a, root, b, b);
    assert_child_link(f.world, b, root, a, a);
    const keel_entity c = keel_add_child(f.world, root);
    assert_child_link(f.world, a, root, c, b);
    assert_child_link(f.world, b, root, a, c);
    assert_child_link(f.world, c, root, b, a);
    assert_parent_link(f.world, root, 3, a);
    api_end(&f);
}

// ------------------------------------------------------------------ detach
static void detaching_a_root_does_nothing(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity root = keel_add_entity(f.world), alone = keel_add_entity(f.world);
    const keel_entity child = keel_add_child(f.world, root);
    char *before = world_text(f.world, NULL);
    assert_int_equal(keel_detach(f.world, root), KEEL_ABSENT);
    assert_int_equal(keel_detach(f.world, alone), KEEL_ABSENT);
    assert_same_text(world_text(f.world, NULL), before);
    assert_children(f.world, root, LIST(child));
    assert_no_error(f.world);
    api_end(&f);
}

// One of three children: the first, the one between and the last are each a case of their own.
static void detach_one_of_three(uint32_t which) {
    api_fixture f;
    api_begin(&f);
    const keel_entity root = keel_add_entity(f.world);
    keel_entity c[3];
    for (int i = 0; i < 3; ++i)
        c[i] = keel_add_child(f.world, root);
    const keel_entity below = keel_add_child(f.world, c[which]);
    assert_int_equal(keel_detach(f.world, c[which]), KEEL_OK);
    const keel_entity first = c[which == 0 ? 1 : 0], last = c[which == 2 ? 1 : 2];
    assert_parent_link(f.world, root, 2, first);
    assert_child_link(f.world, first, root, last, last);
    assert_child_link(f.world, last, root, first, first);
    assert_no_child_link(f.world, c[which]);
    assert_parent_link(f.world, c[which], 1, below); // its own children stay
    assert_child_link(f.world, below, c[which], below, below);
    assert_int_equal(keel_detach(f.world, c[which]), KEEL_ABSENT);
    api_end(&f);
}

static void detaching_closes_the_circle(void **state) {
    (void)state;
    for (uint32_t which = 0; which < 3; ++which)
        detach_one_of_three(which);
}

static void the_last_child_takes_the_parent_component_along(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity root = keel_add_entity(f.world);
    const keel_entity a = keel_add_child(f.world, root), b = keel_add_child(f.world, root);
    assert_int_equal(keel_detach(f.world, a), KEEL_OK);
    assert_parent_link(f.world, root, 1, b);
    assert_child_link(f.world, b, root, b, b);
    assert_int_equal(keel_detach(f.world, b), KEEL_OK);
    assert_unlinked(f.world, root);
    assert_unlinked(f.world, b);
    assert_int_equal(count_parents(f.world), 0);
    assert_int_equal(keel_count(f.world, keel_child), 0);
    api_end(&f);
}

// ------------------------------------------------------------------ attach
static void attaching_appends(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity root = keel_add_entity(f.world);
    keel_entity e[4];
    for (int i = 0; i < 4; ++i)
        e[i] = keel_add_entity(f.world);
    for (int i = 3; i >= 0; --i) // the order of attaching counts, not that of creation
        assert_int_equal(keel_attach(f.world, e[i], root), KEEL_OK);
    assert_children(f.world, root, LIST(e[3], e[2], e[1], e[0]));
    assert_child_link(f.world, e[3], root, e[0], e[2]);
    assert_child_link(f.world, e[0], root, e[1], e[3]);
    assert_int_equal(keel_attach(f.world, e[2], root), KEEL_OK); // again: becomes the last
    assert_children(f.world, root, LIST(e[3], e[1], e[0], e[2]));
    assert_parent_link(f.world, root, 4, e[3]);
    api_end(&f);
}

static void an_only_child_may_be_attached_again(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity root = keel_add_entity(f.world), child = keel_add_child(f.world, root);
    assert_int_equal(keel_attach(f.world, child, root), KEEL_OK);
    assert_parent_link(f.world, root, 1, child);
    assert_child_link(f.world, child, root, child, child);
    api_end(&f);
}

static void attaching_moves_the_whole_subtree(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity old = keel_add_entity(f.world), to = keel_add_entity(f.world);
    const keel_entity stays = keel_add_child(f.world, old), moves = keel_add_child(f.world, old);
    const keel_entity a = keel_add_child(f.world, moves), b = keel_add_child(f.world, a);
    const keel_entity there = keel_add_child(f.world, to);
    assert_int_equal(keel_attach(f.world, moves, to), KEEL_OK);
    assert_parent_link(f.world, old, 1, stays);
    assert_child_link(f.world, stays, old, stays, stays);
    assert_parent_link(f.world, to, 2, there);
    assert_child_link(f.world, there, to, moves, moves);
    assert_child_link(f.world, moves, to, there, there);
    assert_descendants(f.world, to, LIST(there, moves, a, b));
    assert_ancestors(f.world, b, LIST(a, moves, to));
    assert_int_equal(keel_attach(f.world, stays, to), KEEL_OK); // the last child of `old`
    assert_unlinked(f.world, old);
    api_end(&f);
}

static void add_child_creates_and_attaches(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity root = keel_add_entity(f.world);
    const keel_entity plain = keel_add_child(f.world, root);
    const keel_entity full =
        keel_add_child(f.world, root, KEEL_INIT(Health, { 7 }), KEEL_INIT(Frozen));
    assert_true(keel_is_alive(f.world, plain) && keel_is_alive(f.world, full));
    assert_false(keel_is_same(plain, full));
    assert_int_equal(keel_entity_count(f.world), 3);
    assert_children(f.world, root, LIST(plain, full));
    assert_int_equal(keel_get(f.world, full, Health)->points, 7);
    assert_true(keel_has(f.world, full, Frozen));
    assert_false(keel_has(f.world, plain, Health));
    api_end(&f);
}

// ------------------------------------------------------------------ looking
static void the_parent_is_asked_for(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity root = keel_add_entity(f.world), alone = keel_add_entity(f.world);
    const keel_entity child = keel_add_child(f.world, root), leaf = keel_add_child(f.world, child);
    assert_same_entity(keel_parent_of(f.world, leaf), child);
    assert_same_entity(keel_parent_of(f.world, child), root);
    assert_true(keel_is_null(keel_parent_of(f.world, root)));
    assert_true(keel_is_null(keel_parent_of(f.world, alone)));
    api_end(&f);
}

static void walks_go_in_their_order(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity root = keel_add_entity(f.world);
    const keel_entity a = keel_add_child(f.world, root), b = keel_add_child(f.world, root);
    const keel_entity b1 = keel_add_child(f.world, b), a1 = keel_add_child(f.world, a);
    const keel_entity c = keel_add_child(f.world, root), a2 = keel_add_child(f.world, a);
    const keel_entity deep = keel_add_child(f.world, a1);
    assert_children(f.world, root, LIST(a, b, c));
    assert_children(f.world, c, NO_LIST);
    assert_ancestors(f.world, deep, LIST(a1, a, root));
    assert_ancestors(f.world, root, NO_LIST);
    assert_descendants(f.world, root, LIST(a, a1, deep, a2, b, b1, c));
    assert_descendants(f.world, a, LIST(a1, deep, a2)); // and not what is beside it
    assert_descendants(f.world, c, NO_LIST);
    assert_breadth(f.world, root, LIST(a, b, c, a1, a2, b1, deep));
    assert_breadth(f.world, a, LIST(a1, a2, deep));
    assert_breadth(f.world, deep, NO_LIST);
    api_end(&f);
}

// ------------------------------------------------------------------ unlink
static void unlinking_frees_the_children_too(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity root = keel_add_entity(f.world);
    const keel_entity stays = keel_add_child(f.world, root), e = keel_add_child(f.world, root);
    const keel_entity a = keel_add_child(f.world, e), b = keel_add_child(f.world, e);
    const keel_entity below = keel_add_child(f.world, b);
    assert_int_equal(keel_unlink(f.world, e), KEEL_OK);
    assert_true(keel_is_alive(f.world, e));
    assert_unlinked(f.world, e);
    assert_unlinked(f.world, a);
    assert_no_child_link(f.world, b);
    assert_children(f.world, b, LIST(below)); // a root with its own subtree
    assert_parent_link(f.world, root, 1, stays);
    assert_child_link(f.world, stays, root, stays, stays);
    assert_int_equal(keel_unlink(f.world, e), KEEL_ABSENT);
    assert_int_equal(keel_entity_count(f.world), 6);
    api_end(&f);
}

static void unlinking_a_tree_frees_all_of_it(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity root = keel_add_entity(f.world);
    const keel_entity stays = keel_add_child(f.world, root), e = keel_add_child(f.world, root);
    const keel_entity a = keel_add_child(f.world, e), b = keel_add_child(f.world, e);
    const keel_entity below = keel_add_child(f.world, a);
    assert_int_equal(keel_unlink_tree(f.world, e), KEEL_OK);
    assert_unlinked(f.world, e);
    assert_unlinked(f.world, a);
    assert_unlinked(f.world, b);
    assert_unlinked(f.world, below);
    assert_children(f.world, root, LIST(stays)); // what is beside it is not touched
    assert_int_equal(keel_unlink_tree(f.world, e), KEEL_ABSENT);
    assert_int_equal(keel_unlink_tree(f.world, stays), KEEL_OK); // a leaf
    assert_unlinked(f.world, root);
    assert_int_equal(keel_entity_count(f.world), 6); // no entity is deleted
    api_end(&f);
}

// ------------------------------------------------------------------ sorting
static int by_number(const keel_world *world, keel_entity a, keel_entity b, void *data) {
    const uint32_t x = keel_get(world, a, Number)->value, y = keel_get(world, b, Number)->value;
    if (data) ++*(uint32_t *)data; // calls
    return (x > y) - (x < y);
}

static void sorting_rewrites_the_circle(void **state) {
    (void)state;
    static const uint32_t values[5] = { 7, 5, 6, 1, 3 };
    api_fixture f;
    keel_entity e[5];
    api_begin(&f);
    const keel_entity root = keel_add_entity(f.world);
    for (int i = 0; i < 5; ++i) {
        e[i] = keel_add_entity(f.world, KEEL_INIT(Number, { values[i] }));
        assert_int_equal(keel_attach(f.world, e[i], root), KEEL_OK);
    }
    assert_children(f.world, root, LIST(e[0], e[1], e[2], e[3], e[4]));
    assert_int_equal(keel_sort_children(f.world, root, by_number, NULL), KEEL_OK);
    assert_children(f.world, root, LIST(e[3], e[4], e[1], e[2], e[0]));
    assert_parent_link(f.world, root, 5, e[3]);
    assert_child_link(f.world, e[3], root, e[0], e[4]);
    assert_child_link(f.world, e[4], root, e[3], e[1]);
    assert_child_link(f.world, e[1], root, e[4], e[2]);
    assert_child_link(f.world, e[2], root, e[1], e[0]);
    assert_child_link(f.world, e[0], root, e[2], e[3]);
    api_end(&f);
}

static void equal_children_keep_their_order(void **state) {
    (void)state;
    static const uint32_t values[7] = { 2, 1, 2, 1, 0, 2, 1 };
    api_fixture f;
    keel_entity e[7];
    api_begin(&f);
    const keel_entity root = keel_add_entity(f.world);
    for (int i = 0; i < 7; ++i)
        e[i] = keel_add_child(f.world, root, KEEL_INIT(Number, { values[i] }));
    for (int round = 0; round < 2; ++round) { // the second finds all in order
        assert_int_equal(keel_sort_children(f.world, root, by_number, NULL), KEEL_OK);
        assert_children(f.world, root, LIST(e[4], e[1], e[3], e[6], e[0], e[2], e[5]));
    }
    api_end(&f);
}

static void none_or_one_child_is_not_sorted(void **state) {
    (void)state;
    api_fixture f;
    uint32_t calls = 0;
    api_begin(&f);
    const keel_entity root = keel_add_entity(f.world);
    assert_int_equal(keel_sort_children(f.world, root, by_number, &calls), KEEL_ABSENT);
    const keel_entity child = keel_add_child(f.world, root); // it has no Number to compare
    assert_int_equal(keel_sort_children(f.world, root, by_number, &calls), KEEL_ABSENT);
    assert_int_equal(calls, 0);
    assert_parent_link(f.world, root, 1, child);
    assert_child_link(f.world, child, root, child, child);
    api_end(&f);
}

// ------------------------------------------------------------------ the recipe's own example
typedef struct example {
    api_fixture f;
    keel_entity root1, root2, e1, e2, e3, e4, e5;
} example;

static void build(example *x) {
    api_begin(&x->f);
    keel_world *world = x->f.world;
    x->root1 = keel_add_entity(world);
    x->root2 = keel_add_entity(world);
    x->e1 = keel_add_child(world, x->root1);
    x->e2 = keel_add_child(world, x->e1);
    x->e3 = keel_add_child(world, x->e1);
    x->e4 = keel_add_child(world, x->e3);
    assert_int_equal(keel_attach(world, x->e3, x->root2), KEEL_OK);
    x->e5 = keel_add_child(world, x->e3);
}

static void the_example_has_exactly_these_links(void **state) {
    (void)state;
    example x;
    build(&x);
    keel_world *world = x.f.world;
    assert_children(world, x.e3, LIST(x.e4, x.e5));
    assert_ancestors(world, x.e4, LIST(x.e3, x.root2));
    assert_descendants(world, x.root1, LIST(x.e1, x.e2));
    assert_descendants(world, x.root2, LIST(x.e3, x.e4, x.e5));
    assert_parent_link(world, x.root1, 1, x.e1);
    assert_parent_link(world, x.e1, 1, x.e2);
    assert_parent_link(world, x.e3, 2, x.e4);
    assert_parent_link(world, x.root2, 1, x.e3);
    assert_int_equal(count_parents(world), 4);
    assert_child_link(world, x.e1, x.root1, x.e1, x.e1);
    assert_child_link(world, x.e2, x.e1, x.e2, x.e2);
    assert_child_link(world, x.e3, x.root2, x.e3, x.e3);
    assert_child_link(world, x.e4, x.e3, x.e5, x.e5);
    assert_child_link(world, x.e5, x.e3, x.e4, x.e4);
    assert_int_equal(keel_count(world, keel_child), 5);
    api_end(&x.f);
}

static void the_example_is_taken_apart(void **state) {
    (void)state;
    example x;
    build(&x);
    keel_world *world = x.f.world;
    assert_int_equal(keel_detach(world, x.e1), KEEL_OK);
    assert_descendants(world, x.root1, NO_LIST);
    assert_ancestors(world, x.e1, NO_LIST);
    assert_children(world, x.e1, LIST(x.e2));
    assert_unlinked(world, x.root1);
    assert_int_equal(keel_unlink(world, x.e1), KEEL_OK);
    assert_children(world, x.e1, NO_LIST);
    assert_unlinked(world, x.e1);
    assert_unlinked(world, x.e2);
    assert_int_equal(keel_unlink_tree(world, x.root2), KEEL_OK);
    assert_descendants(world, x.root2, NO_LIST);
    assert_descendants(world, x.e3, NO_LIST);
    assert_ancestors(world, x.e5, NO_LIST);
    assert_int_equal(count_parents(world), 0);
    assert_int_equal(keel_count(world, keel_child), 0);
    assert_int_equal(keel_entity_count(world), 7);
    api_end(&x.f);
}

// ------------------------------------------------------------------ while the links are in use
static uint32_t seen;

// Look at the root and its two children, of which the first has one, in all ways.
static void count_all(keel_world *world, keel_entity root) {
    seen = 0;
    KEEL_EACH_CHILD(world, root, child)
        seen += 1;
    KEEL_EACH_DESCENDANT(world, root, below) {
        seen += 10;
        KEEL_EACH_ANCESTOR(world, below, above)
            seen += 100;
    }
    KEEL_EACH_DESCENDANT_BREADTH(world, root, below)
        seen += 1000;
}

KEEL_SYSTEM_ONCE(look, KEEL_MAY_READ(keel_child), KEEL_CONTEXT(context),
                 KEEL_DATA(keel_entity, root)) {
    seen = 0;
    KEEL_EACH_CHILD(context, *root, child)
        seen += 1;
    KEEL_EACH_DESCENDANT(context, *root, below) {
        seen += 10;
        KEEL_EACH_ANCESTOR(context, below, above)
            seen += 100;
    }
    KEEL_EACH_DESCENDANT_BREADTH(context, *root, below)
        seen += 1000;
}

KEEL_SYSTEM_ONCE(look_alone, KEEL_WORLD(world), KEEL_DATA(keel_entity, root)) {
    count_all(world, *root);
}

static void walks_work_in_shared_and_exclusive_views(void **state) {
    (void)state;
    enum { ALL = 2 + 3 * 10 + 4 * 100 + 3 * 1000 };
    api_fixture f;
    keel_view view;
    api_begin(&f);
    keel_entity root = keel_add_entity(f.world);
    const keel_entity a = keel_add_child(f.world, root);
    (void)keel_add_child(f.world, root);
    (void)keel_add_child(f.world, a);
    assert_int_equal(keel_view_begin(&view, f.world,
                                     KEEL_TERMS(KEEL_TARGETED(keel_child), KEEL_ENTITY(e)), "look"),
                     KEEL_OK);
    count_all(f.world, root);
    assert_int_equal(seen, ALL);
    keel_view_end(&view);
    assert_int_equal(keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_MAY_EDIT_WORLD), "alone"),
                     KEEL_OK);
    count_all(f.world, root);
    assert_int_equal(seen, ALL);
    keel_view_end(&view);
    assert_int_equal(keel_run_with(f.world, look, &root), KEEL_OK);
    assert_int_equal(seen, ALL);
    seen = 0;
    assert_int_equal(keel_run_with(f.world, look_alone, &root), KEEL_OK);
    assert_int_equal(seen, ALL);
    api_end(&f);
}

static void children_and_parents_can_be_viewed(void **state) {
    (void)state;
    example x;
    build(&x);
    uint32_t children = 0, between = 0;
    KEEL_EACH(x.f.world, KEEL_TARGETED(keel_child), KEEL_ENTITY(e)) {
        children += keel_child_count(x.f.world, e);
    }
    KEEL_EACH(x.f.world, KEEL_WITH(keel_child), KEEL_TARGETED(keel_child), KEEL_ENTITY(e)) {
        between +=
            keel_is_same(keel_parent_of(x.f.world, e), keel_target_of(x.f.world, e, keel_child));
    }
    assert_int_equal(children, 5);
    assert_int_equal(between, 2); // e1 and e3
    api_end(&x.f);
}

static const struct CMUnitTest tests[] = {
    // proves S-121
    TEST(roles_show_in_the_components, "a root is a parent, a leaf a child, between is both"),
    // proves S-122
    TEST(siblings_form_a_circle, "siblings form a circle, an only child with itself"),
    // proves S-123
    TEST(detaching_a_root_does_nothing, "detaching what has no parent does nothing"),
    // proves S-124
    TEST(detaching_closes_the_circle, "detaching closes the circle and keeps the subtree"),
    // proves S-124
    TEST(the_last_child_takes_the_parent_component_along,
         "who loses the last child is no parent any more"),
    // proves S-125
    TEST(attaching_appends, "an attached entity becomes the last child"),
    // proves S-125
    TEST(an_only_child_may_be_attached_again, "an only child is attached to its own parent"),
    // proves S-125
    TEST(attaching_moves_the_whole_subtree, "attaching moves a whole subtree"),
    // proves S-126
    TEST(add_child_creates_and_attaches, "a child is created in one step, with components"),
    // proves S-127
    TEST(the_parent_is_asked_for, "the parent of a child, and none of a root"),
    // proves S-128
    TEST(walks_go_in_their_order, "children, ancestors and descendants in their order"),
    // proves S-129
    TEST(walks_work_in_shared_and_exclusive_views, "walks work in shared and exclusive views"),
    // proves S-130
    TEST(unlinking_frees_the_children_too, "unlinking makes the children roots"),
    // proves S-131
    TEST(unlinking_a_tree_frees_all_of_it, "unlinking a tree deletes no entity"),
    // proves S-132 S-137
    TEST(sorting_rewrites_the_circle, "sorting rewrites the whole circle"),
    // proves S-132
    TEST(equal_children_keep_their_order, "equal children keep their order"),
    // proves S-132
    TEST(none_or_one_child_is_not_sorted, "none or one child is not sorted"),
    // proves S-133
    TEST(the_example_has_exactly_these_links, "the example has exactly these links"),
    // proves S-134 S-135 S-136
    TEST(the_example_is_taken_apart, "the example is taken apart"),
    TEST(children_and_parents_can_be_viewed, "views may read the links"),
};

int main(void) { return RUN(tests); }
