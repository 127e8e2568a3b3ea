// SPDX-License-Identifier: MIT
// Parents and children: what is refused, what deleting does to the links, and edits that fail. The
// recipe has no guards: there a cycle makes walks endless, and deleting leaves links to the dead.
#include "support/api_types.h"
#include "support/tree_fixture.h"

#include <stdlib.h>

// root (a (a1 (deep), a2), b), and an entity beside it.
typedef struct tree {
    api_fixture f;
    keel_world *world;
    keel_entity root, a, b, a1, a2, deep, beside;
} tree;

static void build(tree *t) {
    api_begin(&t->f);
    t->world = t->f.world;
    t->root = keel_add_entity(t->world, KEEL_INIT(Number, { 0 }));
    t->a = keel_add_child(t->world, t->root, KEEL_INIT(Number, { 1 }));
    t->b = keel_add_child(t->world, t->root, KEEL_INIT(Number, { 2 }));
    t->a1 = keel_add_child(t->world, t->a, KEEL_INIT(Number, { 3 }));
    t->a2 = keel_add_child(t->world, t->a, KEEL_INIT(Number, { 4 }));
    t->deep = keel_add_child(t->world, t->a1, KEEL_INIT(Number, { 5 }));
    t->beside = keel_add_entity(t->world, KEEL_INIT(Number, { 6 }));
}

static int by_number(const keel_world *world, keel_entity a, keel_entity b, void *data) {
    (void)data;
    const uint32_t x = keel_get(world, a, Number)->value, y = keel_get(world, b, Number)->value;
    return (x < y) - (x > y); // the largest first
}

// ------------------------------------------------------------------ refused
static void cycles_are_refused(void **state) {
    (void)state;
    tree t;
    build(&t);
    char *before = world_text(t.world, NULL);
    assert_int_equal(keel_attach(t.world, t.root, t.root), KEEL_ERROR_CYCLE);
    assert_error(t.world, KEEL_ERROR_CYCLE, "itself or one of its descendants");
    assert_int_equal(keel_attach(t.world, t.beside, t.beside), KEEL_ERROR_CYCLE); // without links
    assert_int_equal(keel_attach(t.world, t.deep, t.deep), KEEL_ERROR_CYCLE);     // a leaf
    assert_int_equal(keel_attach(t.world, t.a, t.a1), KEEL_ERROR_CYCLE);
    assert_int_equal(keel_attach(t.world, t.a, t.deep), KEEL_ERROR_CYCLE);
    assert_int_equal(keel_attach(t.world, t.root, t.deep), KEEL_ERROR_CYCLE);
    assert_same_text(world_text(t.world, NULL), before);
    assert_descendants(t.world, t.root, LIST(t.a, t.a1, t.deep, t.a2, t.b));
    assert_int_equal(keel_attach(t.world, t.deep, t.root), KEEL_OK); // upwards is no cycle
    assert_int_equal(keel_attach(t.world, t.a1, t.deep), KEEL_OK);   // and now this is none
    assert_descendants(t.world, t.root, LIST(t.a, t.a2, t.b, t.deep, t.a1));
    api_end(&t.f);
}

static void assert_refused(tree *t, keel_entity bad) {
    keel_world *world = t->world;
    assert_int_equal(keel_attach(world, bad, t->b), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_attach(world, t->b, bad), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_attach(world, bad, bad), KEEL_ERROR_DEAD_ENTITY);
    assert_true(keel_is_null(keel_add_child(world, bad)));
    keel_clear_errors(world);
    assert_true(keel_is_null(keel_add_child(world, bad, KEEL_INIT(Number, { 9 }))));
    assert_error(world, KEEL_ERROR_DEAD_ENTITY, NULL);
    assert_int_equal(keel_detach(world, bad), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_unlink(world, bad), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_unlink_tree(world, bad), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_delete_tree(world, bad), KEEL_ABSENT);
    assert_int_equal(keel_sort_children(world, bad, by_number, NULL), KEEL_ERROR_DEAD_ENTITY);
    assert_unlinked(world, bad);
    assert_true(keel_is_null(keel_next_child(world, t->root, bad)));
    assert_true(keel_is_null(keel_next_child(world, bad, t->a)));
    assert_children(world, bad, NO_LIST);
    assert_ancestors(world, bad, NO_LIST);
    assert_descendants(world, bad, NO_LIST);
    assert_breadth(world, bad, NO_LIST);
    keel_clear_errors(world);
}

static void handles_of_nothing_are_refused(void **state) {
    (void)state;
    tree t;
    build(&t);
    const keel_entity stale = keel_add_child(t.world, t.a), other = keel_add_child(t.world, t.a);
    assert_int_equal(keel_delete_entity(t.world, stale), KEEL_OK);
    assert_int_equal(keel_delete_entity(t.world, other), KEEL_OK);
    const keel_entity reused = keel_add_entity(t.world); // the index of `other`, alive again
    assert_int_equal(keel_entity_index(reused), keel_entity_index(other));
    char *before = world_text(t.world, NULL);
    assert_refused(&t, keel_null());
    assert_refused(&t, stale);
    assert_refused(&t, other);
    assert_refused(&t, handle_at(keel_entity_index(t.a), keel_entity_version(t.a) + 1));
    assert_refused(&t, handle_at(50000, 0));
    assert_refused(&t, handle_at(1048574, 7));
    assert_same_text(world_text(t.world, NULL), before);
    api_end(&t.f);
}

static uint32_t assertions;
static bool count_assertion(const char *condition, const char *message, const char *file,
                            int line) {
    (void)condition, (void)message, (void)file, (void)line;
    ++assertions;
    return false; // go on
}

static void no_world_is_no_hierarchy(void **state) {
    (void)state;
    keel_world *none = NULL;
    const keel_entity e = handle_at(1, 1);
    keel_set_assert_handler(count_assertion); // checked builds assert; then the result says it
    assert_int_equal(keel_attach(none, e, e), KEEL_ERROR_ARGUMENT);
    assert_true(keel_is_null(keel_add_child(none, e)));
    assert_int_equal(keel_detach(none, e), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_unlink(none, e), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_unlink_tree(none, e), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_delete_tree(none, e), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_sort_children(none, e, by_number, NULL), KEEL_ERROR_ARGUMENT);
    keel_set_assert_handler(NULL);
    assert_true(keel_is_null(keel_parent_of(none, e)));
    assert_int_equal(keel_child_count(none, e), 0);
    assert_true(keel_is_null(keel_first_child(none, e)));
    assert_true(keel_is_null(keel_next_child(none, e, e)));
    assert_true(keel_is_null(keel_next_descendant(none, e, e, KEEL_DEPTH_FIRST)));
    assert_true(keel_is_null(keel_next_descendant(none, e, e, KEEL_BREADTH_FIRST)));
}

static void walks_from_the_wrong_place_end(void **state) {
    (void)state;
    tree t;
    build(&t);
    assert_true(keel_is_null(keel_next_child(t.world, t.root, t.a1))); // a grandchild
    assert_true(keel_is_null(keel_next_child(t.world, t.root, t.root)));
    assert_true(keel_is_null(keel_next_child(t.world, t.root, t.beside)));
    assert_true(keel_is_null(keel_next_descendant(t.world, t.root, t.beside, KEEL_DEPTH_FIRST)));
    assert_true(keel_is_null(keel_next_descendant(t.world, t.root, t.beside, KEEL_BREADTH_FIRST)));
    assert_true(keel_is_null(keel_next_descendant(t.world, t.a1, t.b, KEEL_DEPTH_FIRST)));
    assert_true(keel_is_null(keel_next_descendant(t.world, t.a, t.b, KEEL_BREADTH_FIRST)));
    assert_true(keel_is_null(keel_next_descendant(t.world, t.a, t.root, KEEL_BREADTH_FIRST)));
    // null begins
    assert_same_entity(keel_next_descendant(t.world, t.root, keel_null(), KEEL_DEPTH_FIRST), t.a);
    assert_same_entity(keel_next_descendant(t.world, t.root, keel_null(), KEEL_BREADTH_FIRST), t.a);
    api_end(&t.f);
}

static const void *no_value(void) { return NULL; }
static bool keep_none(keel_entity e, void *value, void *data) {
    (void)e, (void)value, (void)data;
    return false;
}

static void the_links_cannot_be_edited_by_hand(void **state) {
    (void)state;
    tree t;
    keel_view view;
    build(&t);
    char *before = world_text(t.world, NULL);
    keel_world *world = t.world;
    assert_int_equal(keel_add(world, t.beside, keel_child), KEEL_ERROR_ARGUMENT);
    assert_error(world, KEEL_ERROR_ARGUMENT, "use keel_attach");
    assert_int_equal(keel_add_component(world, t.root, KEEL_OF(keel_child), no_value()),
                     KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_delete(world, t.a, keel_child), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_remove_component(world, t.a, KEEL_OF(keel_child), NULL),
                     KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_clear_component(world, KEEL_OF(keel_child)), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_retain_component(world, KEEL_OF(keel_child), keep_none, NULL),
                     KEEL_ERROR_ARGUMENT);
    assert_null(keel_get_component_mut(world, t.a, KEEL_OF(keel_child)));
    assert_true(keel_is_null(keel_add_entity(world, KEEL_INIT(keel_child))));
    assert_true(keel_is_null(
        keel_add_child(world, t.root, KEEL_INIT(Number, { 1 }), KEEL_INIT(keel_child))));
    keel_clear_errors(world);
    assert_true(keel_view_begin(&view, world, KEEL_TERMS(KEEL_MAY_WRITE(keel_child)), "w") < 0);
    assert_error(world, KEEL_ERROR_ARGUMENT, "can only be read");
    assert_true(keel_view_begin(&view, world, KEEL_TERMS(KEEL_MAY_EDIT(keel_child)), "e") < 0);
    assert_same_text(world_text(world, NULL), before);
    api_end(&t.f);
}

static void assert_edits_refused(tree *t, keel_result result) {
    keel_world *world = t->world;
    assert_int_equal(keel_attach(world, t->beside, t->b), result);
    assert_error(world, result, NULL);
    assert_true(keel_is_null(keel_add_child(world, t->b)));
    assert_error(world, result, NULL);
    assert_int_equal(keel_detach(world, t->a), result);
    assert_int_equal(keel_unlink(world, t->a), result);
    assert_int_equal(keel_unlink_tree(world, t->a), result);
    assert_int_equal(keel_delete_tree(world, t->a), result);
    assert_int_equal(keel_delete_entity(world, t->a), result);
    assert_int_equal(keel_strip(world, t->a), result);
    assert_int_equal(keel_sort_children(world, t->a, by_number, NULL), result);
    keel_clear_errors(world);
}

static void links_in_use_cannot_be_changed(void **state) {
    (void)state;
    tree t;
    keel_view view;
    build(&t);
    char *before = world_text(t.world, NULL);
    assert_int_equal(keel_view_begin(&view, t.world, KEEL_TERMS(KEEL_WITH(keel_child)), "reader"),
                     KEEL_OK);
    assert_edits_refused(&t, KEEL_ERROR_BORROWED);
    keel_view_end(&view);
    assert_int_equal(
        keel_view_begin(&view, t.world, KEEL_TERMS(KEEL_TARGETED(keel_child)), "reader"), KEEL_OK);
    assert_edits_refused(&t, KEEL_ERROR_BORROWED);
    keel_view_end(&view);
    assert_int_equal(keel_share_begin(t.world), KEEL_OK);
    assert_edits_refused(&t, KEEL_ERROR_SHARED);
    assert_int_equal(keel_share_end(t.world), KEEL_OK);
    assert_same_text(world_text(t.world, NULL), before);
    api_end(&t.f);
}

// ------------------------------------------------------------------ deleting
static void deleting_repairs_the_links(void **state) {
    (void)state;
    tree t;
    build(&t);
    const keel_entity c = keel_add_child(t.world, t.root);
    assert_int_equal(keel_delete_entity(t.world, t.b), KEEL_OK); // a leaf between two siblings
    assert_child_link(t.world, t.a, t.root, c, c);
    assert_child_link(t.world, c, t.root, t.a, t.a);
    assert_int_equal(keel_delete_entity(t.world, t.a), KEEL_OK); // the first child, with children
    assert_parent_link(t.world, t.root, 1, c);
    assert_child_link(t.world, c, t.root, c, c);
    assert_no_child_link(t.world, t.a1);
    assert_children(t.world, t.a1, LIST(t.deep)); // a root with its subtree
    assert_unlinked(t.world, t.a2);
    assert_int_equal(keel_delete_entity(t.world, t.root), KEEL_OK);
    assert_unlinked(t.world, c);
    assert_int_equal(keel_delete_entity(t.world, t.deep), KEEL_OK);
    assert_unlinked(t.world, t.a1);
    assert_int_equal(count_parents(t.world), 0);
    assert_int_equal(keel_count(t.world, keel_child), 0);
    api_end(&t.f);
}

static void a_new_entity_has_no_old_links(void **state) {
    (void)state;
    tree t;
    build(&t);
    assert_int_equal(keel_delete_entity(t.world, t.a), KEEL_OK);
    const keel_entity e = keel_add_entity(t.world);
    assert_int_equal(keel_entity_index(e), keel_entity_index(t.a));
    assert_unlinked(t.world, e);
    assert_int_equal(keel_attach(t.world, e, t.deep), KEEL_OK);
    assert_ancestors(t.world, e, LIST(t.deep, t.a1));
    const keel_entity copy = keel_clone_entity(t.world, t.a1); // takes no place in the hierarchy
    assert_true(keel_is_alive(t.world, copy));
    assert_unlinked(t.world, copy);
    api_end(&t.f);
}

static void other_ways_to_delete_repair_the_links(void **state) {
    (void)state;
    tree t;
    keel_view view;
    build(&t);
    keel_world *world = t.world;
    assert_int_equal(keel_strip(world, t.a), KEEL_OK);
    assert_true(keel_is_alive(world, t.a));
    assert_unlinked(world, t.a);
    assert_unlinked(world, t.a2);
    assert_children(world, t.root, LIST(t.b));
    assert_int_equal(keel_attach(world, t.a1, t.b), KEEL_OK);
    assert_int_equal(keel_add(world, t.b, Frozen), KEEL_OK);
    assert_int_equal(keel_add(world, t.deep, Frozen), KEEL_OK);
    assert_int_equal(keel_delete_entities_having(world, Frozen), KEEL_OK);
    assert_unlinked(world, t.root);
    assert_unlinked(world, t.a1);
    assert_int_equal(keel_attach(world, t.a1, t.root), KEEL_OK);
    assert_int_equal(keel_attach(world, t.a2, t.a1), KEEL_OK);
    assert_int_equal(keel_view_begin(&view, world, KEEL_TERMS(KEEL_MAY_EDIT_WORLD), "v"), KEEL_OK);
    assert_int_equal(keel_delete_entity(&view, t.a1), KEEL_OK);
    keel_view_end(&view);
    assert_unlinked(world, t.root);
    assert_unlinked(world, t.a2);
    assert_int_equal(keel_attach(world, t.a2, t.root), KEEL_OK);
    const keel_entity all[] = { t.a2, t.root, t.a2 };
    assert_int_equal(keel_delete_entities(world, all, 3), KEEL_OK);
    assert_int_equal(keel_count(world, keel_child), 0);
    api_end(&t.f);
}

static void clearing_the_world_clears_the_links(void **state) {
    (void)state;
    tree t;
    build(&t);
    assert_int_equal(keel_clear_entities(t.world), KEEL_OK);
    assert_int_equal(count_parents(t.world), 0);
    assert_int_equal(keel_count(t.world, keel_child), 0);
    const keel_entity root = keel_add_entity(t.world), child = keel_add_child(t.world, root);
    assert_children(t.world, root, LIST(child));
    api_end(&t.f);
}

// Every entity that has the component when the call is made, although deleting one of them takes
// the component away from its relatives.
static void all_parents_or_all_children_are_deleted(void **state) {
    (void)state;
    for (int order = 0; order < 2; ++order) {
        tree t;
        build(&t);
        if (order) { // the same tree with its links made in another order
            assert_int_equal(keel_attach(t.world, t.deep, t.a1), KEEL_OK);
            assert_int_equal(keel_attach(t.world, t.a, t.root), KEEL_OK);
        }
        assert_int_equal(keel_delete_entities_having(t.world, keel_child), KEEL_OK);
        assert_int_equal(keel_entity_count(t.world), 2);
        assert_true(keel_is_alive(t.world, t.beside));
        assert_unlinked(t.world, t.root);
        api_end(&t.f);
        build(&t);
        if (order) {
            assert_int_equal(keel_attach(t.world, t.a, t.beside), KEEL_OK);
            assert_int_equal(keel_attach(t.world, t.a1, t.b), KEEL_OK);
            assert_int_equal(keel_attach(t.world, t.a1, t.a), KEEL_OK);
            assert_int_equal(keel_attach(t.world, t.a, t.root), KEEL_OK);
        }
        assert_int_equal(
            keel_delete_entities_matching(t.world, KEEL_TERMS(KEEL_TARGETED(keel_child))), KEEL_OK);
        assert_int_equal(keel_entity_count(t.world), 4); // b, a2, deep, beside
        assert_unlinked(t.world, t.deep);
        assert_unlinked(t.world, t.b);
        assert_false(keel_is_alive(t.world, t.root));
        api_end(&t.f);
    }
}

static void a_tree_is_deleted_with_its_values(void **state) {
    (void)state;
    tree t;
    owned_begin();
    build(&t);
    for (uint32_t i = 0; i < 6; ++i) {
        const keel_entity e[] = { t.root, t.a, t.b, t.a1, t.a2, t.deep };
        assert_int_equal(keel_add(t.world, e[i], Owned, owned_make()), KEEL_OK);
    }
    assert_int_equal(keel_delete_tree(t.world, t.a), KEEL_OK);
    assert_int_equal(owned.drops, 4);
    assert_int_equal(owned.living, 2);
    assert_false(keel_is_alive(t.world, t.a) || keel_is_alive(t.world, t.a1));
    assert_false(keel_is_alive(t.world, t.a2) || keel_is_alive(t.world, t.deep));
    assert_parent_link(t.world, t.root, 1, t.b);
    assert_child_link(t.world, t.b, t.root, t.b, t.b);
    assert_int_equal(keel_delete_tree(t.world, t.a), KEEL_ABSENT);
    assert_int_equal(keel_delete_tree(t.world, t.beside), KEEL_OK); // no tree, but an entity
    assert_int_equal(keel_delete_tree(t.world, t.root), KEEL_OK);
    assert_int_equal(keel_entity_count(t.world), 0);
    api_end(&t.f);
    assert_owned_end();
}

// All or nothing: a value in use far below is enough.
static void a_tree_in_use_is_not_deleted(void **state) {
    (void)state;
    tree t;
    keel_view view;
    build(&t);
    assert_int_equal(keel_add(t.world, t.deep, Health, { 1 }), KEEL_OK);
    char *before = world_text(t.world, NULL);
    assert_int_equal(keel_view_begin(&view, t.world, KEEL_TERMS(KEEL_READ(Health, h)), "v"),
                     KEEL_OK);
    assert_int_equal(keel_delete_tree(t.world, t.root), KEEL_ERROR_BORROWED);
    assert_error(t.world, KEEL_ERROR_BORROWED, "Health");
    keel_view_end(&view);
    assert_same_text(world_text(t.world, NULL), before);
    assert_int_equal(keel_delete_tree(t.world, t.root), KEEL_OK);
    assert_int_equal(keel_entity_count(t.world), 1);
    api_end(&t.f);
}

static void a_walk_may_delete_where_it_is(void **state) {
    (void)state;
    tree t;
    build(&t);
    const keel_entity c = keel_add_child(t.world, t.root);
    uint32_t visits = 0;
    KEEL_EACH_CHILD(t.world, t.root, child) {
        ++visits;
        if (keel_is_same(child, t.a)) assert_int_equal(keel_delete_tree(t.world, child), KEEL_OK);
        else assert_int_equal(keel_detach(t.world, child), KEEL_OK);
    }
    assert_int_equal(visits, 3);
    assert_unlinked(t.world, t.root);
    assert_unlinked(t.world, c);
    assert_int_equal(keel_entity_count(t.world), 4);
    api_end(&t.f);
}

// ------------------------------------------------------------------ sorting
static void sorting_needs_a_comparison(void **state) {
    (void)state;
    tree t;
    build(&t);
    assert_int_equal(keel_sort_children(t.world, t.root, NULL, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(t.world, KEEL_ERROR_ARGUMENT, "comparator");
    assert_children(t.world, t.root, LIST(t.a, t.b));
    assert_int_equal(keel_sort_children(t.world, t.root, by_number, NULL), KEEL_OK);
    assert_children(t.world, t.root, LIST(t.b, t.a));
    assert_descendants(t.world, t.root, LIST(t.b, t.a, t.a1, t.deep, t.a2)); // subtrees came along
    api_end(&t.f);
}

// ------------------------------------------------------------------ out of memory
// Bring the tree to a place where the links need memory: a page of their own for index 4096 on.
static keel_entity far_entity(keel_world *world) {
    const keel_entity e = handle_at(100000, 0);
    assert_int_equal(keel_add_entity_at(world, e), KEEL_OK);
    return e;
}

// Attach to and from indices that the links have never seen, failing at each allocation.
static void attaching_without_memory_changes_nothing(void **state) {
    (void)state;
    size_t failures = 0;
    for (int as_child = 0; as_child < 2; ++as_child) {
        tree t;
        build(&t);
        const keel_entity far = far_entity(t.world);
        const keel_entity child = as_child ? far : t.a, parent = as_child ? t.a2 : far;
        for (size_t n = 0;; ++n) {
            char *before = world_text(t.world, NULL);
            counting_allocator_fail_after(&t.f.memory, n);
            const keel_result result = keel_attach(t.world, child, parent);
            counting_allocator_never_fail(&t.f.memory);
            if (result == KEEL_OK) {
                free(before);
                break;
            }
            ++failures;
            assert_int_equal(result, KEEL_ERROR_MEMORY);
            assert_error(t.world, KEEL_ERROR_MEMORY, NULL);
            assert_same_text(world_text(t.world, NULL), before);
        }
        assert_same_entity(keel_parent_of(t.world, child), parent);
        api_end(&t.f);
    }
    assert_true(failures >= 2);
}

static void adding_a_child_without_memory_changes_nothing(void **state) {
    (void)state;
    enum { FILLED = 4096 }; // the next index needs a page everywhere
    size_t failures = 0;
    api_fixture f;
    owned_begin();
    api_begin(&f);
    const keel_entity root = keel_add_entity(f.world);
    for (int i = 1; i < FILLED; ++i)
        assert_false(keel_is_null(keel_add_entity(f.world)));
    const Owned value = owned_make();
    keel_entity child;
    for (size_t n = 0;; ++n) {
        char *before = world_text(f.world, NULL);
        counting_allocator_fail_after(&f.memory, n);
        child = keel_add_child(f.world, root, KEEL_INIT(Owned, value), KEEL_INIT(Large));
        counting_allocator_never_fail(&f.memory);
        if (!keel_is_null(child)) {
            free(before);
            break;
        }
        ++failures;
        assert_error(f.world, KEEL_ERROR_MEMORY, NULL);
        assert_same_text(world_text(f.world, NULL), before);
        assert_int_equal(owned.living, 1); // the value is still the caller's
    }
    assert_true(failures >= 4);
    assert_int_equal(keel_entity_index(child), FILLED); // no index was lost
    assert_int_equal(keel_entity_version(child), 0);
    assert_children(f.world, root, LIST(child));
    api_end(&f);
    assert_owned_end();
}

// What only takes links away or turns them round works when there is no memory at all.
static void the_other_edits_need_no_memory(void **state) {
    (void)state;
    tree t;
    build(&t);
    const size_t growing = t.f.memory.growing_calls;
    counting_allocator_fail_after(&t.f.memory, 0);
    assert_int_equal(keel_sort_children(t.world, t.root, by_number, NULL), KEEL_OK);
    assert_int_equal(keel_detach(t.world, t.a2), KEEL_OK);
    assert_int_equal(keel_attach(t.world, t.a2, t.a), KEEL_OK); // where there was room before
    assert_int_equal(keel_unlink(t.world, t.a1), KEEL_OK);
    assert_int_equal(keel_delete_entity(t.world, t.a1), KEEL_OK);
    assert_int_equal(keel_unlink_tree(t.world, t.a), KEEL_OK);
    assert_int_equal(keel_attach(t.world, t.a, t.root), KEEL_OK);
    assert_int_equal(keel_delete_tree(t.world, t.root), KEEL_OK);
    assert_int_equal(t.f.memory.growing_calls, growing);
    assert_int_equal(keel_entity_count(t.world), 3); // a2, deep, beside
    api_end(&t.f);
}

static const struct CMUnitTest tests[] = {
    TEST(cycles_are_refused, "cycles are refused"),
    TEST(handles_of_nothing_are_refused, "null, stale and invented handles are refused"),
    TEST(no_world_is_no_hierarchy, "without a world there is no hierarchy"),
    TEST(walks_from_the_wrong_place_end, "walks from the wrong place end"),
    TEST(the_links_cannot_be_edited_by_hand, "the links cannot be edited by hand"),
    TEST(links_in_use_cannot_be_changed, "links in use cannot be changed"),
    TEST(deleting_repairs_the_links, "deleting an entity repairs the links"),
    TEST(a_new_entity_has_no_old_links, "a new entity has no links of an old one"),
    TEST(other_ways_to_delete_repair_the_links, "every way to delete repairs the links"),
    TEST(clearing_the_world_clears_the_links, "clearing the world clears the links"),
    TEST(all_parents_or_all_children_are_deleted, "all parents, or all children, are deleted"),
    TEST(a_tree_is_deleted_with_its_values, "a tree is deleted with its values"),
    TEST(a_tree_in_use_is_not_deleted, "a tree in use is not deleted, nor a part of it"),
    TEST(a_walk_may_delete_where_it_is, "a walk over children may delete where it is"),
    TEST(sorting_needs_a_comparison, "sorting needs a comparison"),
    TEST(attaching_without_memory_changes_nothing, "attaching without memory changes nothing"),
    TEST(adding_a_child_without_memory_changes_nothing,
         "adding a child without memory changes nothing"),
    TEST(the_other_edits_need_no_memory, "detaching, sorting and deleting need no memory"),
};

int main(void) { return RUN(tests); }
