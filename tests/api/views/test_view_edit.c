// SPDX-License-Identifier: MIT
// Edits through views: what a view must hold for them, and that walks refuse them.
#include "support/view_fixture.h"

// ------------------------------------------------------------------ adding entities
static void entities_are_a_storage_like_any_other(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_view reader = open_view(f.world, KEEL_TERMS(KEEL_ENTITY(e)));
    keel_view second = open_view(f.world, KEEL_TERMS(KEEL_ENTITY(e), KEEL_WITHOUT(Number)));
    assert_no_view(f.world, KEEL_TERMS(KEEL_MAY_EDIT_ENTITIES), KEEL_ERROR_BORROWED, "entit");
    assert_true(keel_is_null(keel_add_entity(f.world)));
    assert_error(f.world, KEEL_ERROR_BORROWED, "entit");
    keel_view_end(&reader);
    keel_view_end(&second);
    keel_view editor = open_view(f.world, KEEL_TERMS(KEEL_MAY_EDIT_ENTITIES));
    assert_no_view(f.world, KEEL_TERMS(KEEL_ENTITY(e)), KEEL_ERROR_BORROWED, "entit");
    const keel_entity e = keel_add_entity(&editor);
    assert_true(keel_is_alive(f.world, e));
    keel_view_end(&editor);
    ASSERT_VISITS(f.world, KEEL_TERMS(KEEL_ENTITY(x)), e);
    api_end(&f);
}

static void entities_are_added_through_views(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_view view = open_view(f.world, KEEL_TERMS(KEEL_MAY_EDIT_ENTITIES, KEEL_EDIT(Position, p),
                                                   KEEL_MAY_EDIT(Velocity, Number)));
    const keel_entity none = keel_add_entity(&view);
    const keel_entity one = keel_add_entity(&view, KEEL_INIT(Position, { 1, 2 }));
    const keel_entity two =
        keel_add_entity(&view, KEEL_INIT(Velocity, { 3, 4 }), KEEL_INIT(Position, { 5, 6 }));
    assert_true(keel_get(&view, two, Position)->x == 5);
    keel_view_end(&view);
    assert_null(keel_next_component_of(f.world, none, NULL));
    assert_true(keel_get(f.world, one, Position)->y == 2);
    assert_false(keel_has(f.world, one, Velocity));
    assert_true(keel_get(f.world, two, Velocity)->x == 3);
    assert_int_equal(keel_entity_count(f.world), 3);
    api_end(&f);
}

static void adding_entities_needs_all_it_touches(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_view view = open_view(f.world, KEEL_TERMS(KEEL_EDIT(Position, p)));
    assert_true(keel_is_null(keel_add_entity(&view, KEEL_INIT(Position))));
    assert_error(f.world, KEEL_ERROR_ACCESS, NULL);
    keel_view_end(&view);
    view = open_view(f.world, KEEL_TERMS(KEEL_MAY_EDIT_ENTITIES, KEEL_WRITE(Position, p)));
    assert_true(keel_is_null(keel_add_entity(&view, KEEL_INIT(Position))));
    assert_error(f.world, KEEL_ERROR_ACCESS, "Position");
    assert_true(keel_is_null(keel_add_entity(&view, KEEL_INIT(Number))));
    assert_error(f.world, KEEL_ERROR_ACCESS, "Number");
    assert_same_entity(keel_add_entity(&view), handle_at(0, 0)); // no index was used up
    keel_view_end(&view);
    assert_int_equal(keel_count(f.world, Position), 0);
    api_end(&f);
}

// ------------------------------------------------------------------ the whole world
static void deleting_through_a_view_needs_everything(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Position));
    const keel_entity other = keel_add_entity(f.world, KEEL_INIT(Position), KEEL_INIT(Number));
    keel_view view = open_view(f.world, KEEL_TERMS(KEEL_MAY_EDIT_ENTITIES, KEEL_EDIT(Position, p)));
    assert_int_equal(keel_delete_entity(&view, other), KEEL_ERROR_ACCESS);
    assert_error(f.world, KEEL_ERROR_ACCESS, "Number");
    assert_int_equal(keel_strip(&view, other), KEEL_ERROR_ACCESS);
    assert_int_equal(keel_delete_entities_having(&view, Number), KEEL_ERROR_ACCESS);
    assert_true(keel_is_alive(f.world, other));
    assert_true(keel_has(f.world, other, Number));
    keel_clear_errors(f.world);
    keel_view_end(&view);
    view = open_view(f.world, KEEL_TERMS(KEEL_MAY_EDIT_WORLD));
    assert_int_equal(keel_delete_entity(&view, e), KEEL_OK);
    assert_int_equal(keel_delete_entity(&view, e), KEEL_ABSENT);
    assert_false(keel_is_alive(f.world, e));
    assert_int_equal(keel_count(f.world, Position), 1);
    keel_view_end(&view);
    api_end(&f);
}

static void a_view_of_everything_may_do_all(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_entity e[4];
    for (uint32_t i = 0; i < 4; ++i)
        e[i] = keel_add_entity(f.world, KEEL_INIT(Number, { i }), KEEL_INIT(Position));
    keel_add(f.world, e[3], Dead);
    keel_view view = open_view(f.world, KEEL_TERMS(KEEL_MAY_EDIT_WORLD));
    const keel_entity added = keel_add_entity(&view, KEEL_INIT(Health, { 7 })); // new to the world
    assert_int_equal(keel_get(f.world, added, Health)->points, 7);
    assert_int_equal(keel_delete_entity(&view, e[0]), KEEL_OK);
    assert_int_equal(keel_strip(&view, e[1]), KEEL_OK);
    assert_int_equal(keel_strip(&view, e[1]), KEEL_ABSENT);
    assert_int_equal(keel_delete_entities_having(&view, Dead), KEEL_OK);
    assert_int_equal(keel_delete_entities_having(&view, Dead), KEEL_ABSENT);
    assert_int_equal(keel_add(&view, e[1], Third, { 3 }), KEEL_OK);
    keel_view_end(&view);
    ASSERT_VISITS(f.world, KEEL_TERMS(KEEL_ENTITY(x)), e[1], e[2], added);
    ASSERT_VISITS(f.world, KEEL_TERMS(KEEL_READ(Number, n), KEEL_ENTITY(x)), e[2]);
    ASSERT_VISITS(f.world, KEEL_TERMS(KEEL_READ(Third, n), KEEL_ENTITY(x)), e[1]);
    api_end(&f);
}

static void a_view_of_everything_is_alone(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number));
    keel_view number = open_view(f.world, KEEL_TERMS(KEEL_READ(Number, n)));
    assert_no_view(f.world, KEEL_TERMS(KEEL_MAY_EDIT_WORLD), KEEL_ERROR_BORROWED, "Number");
    keel_view_end(&number);
    keel_view all = open_view(f.world, KEEL_TERMS(KEEL_MAY_EDIT_WORLD));
    assert_no_view(f.world, KEEL_TERMS(KEEL_READ(Number, n)), KEEL_ERROR_BORROWED, "Number");
    assert_no_view(f.world, KEEL_TERMS(KEEL_ENTITY(x)), KEEL_ERROR_BORROWED, "entit");
    assert_no_view(f.world, KEEL_TERMS(KEEL_MAY_EDIT_WORLD), KEEL_ERROR_BORROWED, NULL);
    assert_int_equal(keel_add(f.world, e, Number), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_delete_entity(f.world, e), KEEL_ERROR_BORROWED);
    keel_clear_errors(f.world);
    keel_view_end(&all);
    number = open_view(f.world, KEEL_TERMS(KEEL_READ(Number, n)));
    keel_view_end(&number);
    api_end(&f);
}

// Everything includes the storages that come into being while the view is open.
static void everything_includes_what_comes_later(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    keel_view all = open_view(f.world, KEEL_TERMS(KEEL_MAY_EDIT_WORLD));
    assert_int_equal(keel_add(f.world, e, Health, { 1 }), KEEL_ERROR_BORROWED); // first use
    assert_error(f.world, KEEL_ERROR_BORROWED, "Health");
    assert_no_view(f.world, KEEL_TERMS(KEEL_READ(Third, t)), KEEL_ERROR_BORROWED, "Third");
    assert_int_equal(keel_set_unique(f.world, Time, { 1, 2 }), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "Time");
    assert_int_equal(keel_add(&all, e, Third, { 5 }), KEEL_OK);
    assert_no_view(f.world, KEEL_TERMS(KEEL_READ(Third, t)), KEEL_ERROR_BORROWED, "Third");
    keel_view_end(&all);
    assert_int_equal(keel_add(f.world, e, Health, { 1 }), KEEL_OK); // and all are given back
    assert_int_equal(keel_set_unique(f.world, Time, { 1, 2 }), KEEL_OK);
    keel_view third = open_view(f.world, KEEL_TERMS(KEEL_WRITE(Third, t)));
    assert_int_equal(keel_view_count(&third), 1);
    keel_view_end(&third);
    api_end(&f);
}

// ------------------------------------------------------------------ components
static void adding_checks_that_the_entity_lives(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world), dead = keel_add_entity(f.world);
    keel_delete_entity(f.world, dead);
    keel_view entities = open_view(f.world, KEEL_TERMS(KEEL_ENTITY(x))); // reads them, too
    keel_view view =
        open_view(f.world, KEEL_TERMS(KEEL_EDIT(Position, p), KEEL_MAY_EDIT(Velocity)));
    assert_int_equal(keel_add(&view, e, Position, { 1, 2 }), KEEL_OK);
    assert_int_equal(
        keel_add_values(&view, e, KEEL_INIT(Velocity, { 3, 4 }), KEEL_INIT(Position, { 5, 6 })),
        KEEL_OK);
    assert_int_equal(keel_add(&view, dead, Position), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_add(&view, keel_null(), Position), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_add_values(&view, dead, KEEL_INIT(Velocity)), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_add(&view, e, Number), KEEL_ERROR_ACCESS);
    assert_error(f.world, KEEL_ERROR_ACCESS, "Number");
    keel_view_end(&view);
    keel_view_end(&entities);
    assert_true(keel_get(f.world, e, Position)->x == 5);
    assert_true(keel_get(f.world, e, Velocity)->x == 3);
    assert_int_equal(keel_count(f.world, Position), 1);
    api_end(&f);
}

// While another view edits the list of entities nothing that needs it works; this does.
static void the_unchecked_add_needs_no_entities(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    keel_view entities = open_view(f.world, KEEL_TERMS(KEEL_MAY_EDIT_ENTITIES));
    keel_view view = open_view(f.world, KEEL_TERMS(KEEL_EDIT(Velocity, v)));
    assert_int_equal(keel_add_unchecked(&view, e, Velocity, { 1, 2 }), KEEL_OK);
    assert_int_equal(keel_add_unchecked(&view, e, Velocity, { 3, 4 }), KEEL_OK);
    assert_int_equal(keel_add_unchecked(&view, e, Number), KEEL_ERROR_ACCESS);
    assert_error(f.world, KEEL_ERROR_ACCESS, "Number");
    keel_view_end(&view);
    keel_view_end(&entities);
    assert_true(keel_get(f.world, e, Velocity)->x == 3);
    assert_int_equal(keel_count(f.world, Velocity), 1);
    api_end(&f);
}

static void several_are_removed_through_a_view(void **state) {
    (void)state;
    api_fixture f;
    owned_begin();
    api_begin(&f);
    const Owned mine = owned_make();
    const keel_entity e =
        keel_add_entity(f.world, KEEL_INIT(Position, { 1, 2 }), KEEL_INIT(Owned, mine));
    keel_view view = open_view(
        f.world, KEEL_TERMS(KEEL_MAY_EDIT(Position, Velocity, Owned), KEEL_READ(Number, n)));
    Position p = { 0, 0 };
    Velocity v = { 9, 9 };
    Owned out = { 0, 0 };
    bool had_p = false, had_v = true, had_o = false;
    assert_int_equal(keel_remove_values(&view, e, KEEL_OUT(Position, &p, &had_p),
                                        KEEL_OUT(Velocity, &v, &had_v),
                                        KEEL_OUT(Owned, &out, &had_o)),
                     KEEL_OK);
    assert_true(had_p && !had_v && had_o);
    assert_true(p.x == 1 && v.x == 9); // what was absent is untouched
    assert_int_equal(out.token, mine.token);
    assert_int_equal(owned.drops, 0);
    owned_release(out);
    assert_int_equal(keel_remove_values(&view, e, KEEL_OUT(Position, &p)), KEEL_ABSENT);
    keel_view_end(&view);
    assert_null(keel_next_component_of(f.world, e, NULL));
    api_end(&f);
    assert_owned_end();
}

// Everything or nothing: one that the view may not edit stops the rest.
static void removing_needs_edit_of_each(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e =
        keel_add_entity(f.world, KEEL_INIT(Number, { 1 }), KEEL_INIT(Other, { 2 }));
    keel_view view = open_view(f.world, KEEL_TERMS(KEEL_EDIT(Number, n), KEEL_WRITE(Other, o)));
    Number n = { 0 };
    Other o = { 0 };
    assert_int_equal(keel_remove_values(&view, e, KEEL_OUT(Number, &n), KEEL_OUT(Other, &o)),
                     KEEL_ERROR_ACCESS);
    assert_error(f.world, KEEL_ERROR_ACCESS, "Other");
    assert_int_equal(keel_delete(&view, e, Number, Other), KEEL_ERROR_ACCESS);
    assert_int_equal(keel_remove(&view, e, Other, &o), KEEL_ERROR_ACCESS);
    assert_int_equal(keel_count(f.world, Number), 1);
    keel_clear_errors(f.world);
    assert_int_equal(keel_remove(&view, e, Number, &n), KEEL_OK);
    assert_int_equal(n.value, 1);
    assert_int_equal(keel_delete(&view, e, Number), KEEL_ABSENT);
    keel_view_end(&view);
    api_end(&f);
}

// ------------------------------------------------------------------ walks
static void a_walk_refuses_edits_of_what_it_walks(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_entity e[3];
    for (uint32_t i = 0; i < 3; ++i)
        e[i] = keel_add_entity(f.world, KEEL_INIT(Number, { i }));
    keel_view view = open_view(
        f.world, KEEL_TERMS(KEEL_EDIT(Number, n), KEEL_OPTIONAL_READ(Other, o),
                            KEEL_MAY_EDIT(Third), KEEL_WITHOUT(Frozen), KEEL_MAY_EDIT(Frozen)));
    keel_iterator walk;
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
    assert_int_equal(keel_add(&view, e[0], Number, { 9 }), KEEL_ERROR_ITERATING);
    assert_error(f.world, KEEL_ERROR_ITERATING, "Number");
    assert_int_equal(keel_remove(&view, e[0], Number), KEEL_ERROR_ITERATING);
    assert_int_equal(keel_delete(&view, e[0], Number), KEEL_ERROR_ITERATING);
    assert_int_equal(keel_add(&view, e[0], Frozen), KEEL_ERROR_ITERATING); // a filter of the walk
    assert_int_equal(keel_add(&view, e[0], Third, { 1 }), KEEL_OK);        // the walk does not look
    keel_get_mut(&view, e[0], Number)->value = 70;                         // values may change
    keel_clear_errors(f.world);
    keel_iterator_end(&walk);
    assert_int_equal(keel_add(&view, e[0], Number, { 9 }), KEEL_OK);
    keel_view_end(&view);
    api_end(&f);
}

static void a_walk_that_ended_allows_edits(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number));
    keel_view view = open_view(f.world, KEEL_TERMS(KEEL_EDIT(Number, n)));
    keel_iterator outer, inner;
    assert_int_equal(keel_iterator_begin(&outer, &view), KEEL_OK);
    assert_int_equal(keel_iterator_begin(&inner, &view), KEEL_OK);
    while (keel_iterator_next(&inner)) {}
    assert_int_equal(keel_remove(&view, e, Number), KEEL_ERROR_ITERATING); // the outer one lives
    while (keel_iterator_next(&outer)) {}
    assert_int_equal(keel_remove(&view, e, Number), KEEL_OK); // both came to their end
    assert_error(f.world, KEEL_ERROR_ITERATING, NULL);
    keel_view_end(&view);
    api_end(&f);
}

// It is no use of the list of entities that anybody declared: another system may edit that now.
static void a_walk_over_nothing_refuses_nothing(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_view view = open_view(
        f.world, KEEL_TERMS(KEEL_MODIFIED(Number), KEEL_MAY_EDIT(Other), KEEL_MAY_EDIT_ENTITIES));
    keel_iterator walk;
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
    assert_false(keel_is_null(keel_add_entity(&view)));
    keel_iterator_end(&walk);
    keel_view_end(&view);
    api_end(&f);
}

static void a_walk_of_entities_refuses_new_ones(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number));
    keel_view view = open_view(f.world, KEEL_TERMS(KEEL_ENTITY(x), KEEL_MAY_EDIT_ENTITIES));
    keel_iterator walk;
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
    assert_true(keel_is_null(keel_add_entity(&view)));
    assert_error(f.world, KEEL_ERROR_ITERATING, "entit");
    keel_iterator_end(&walk);
    assert_false(keel_is_null(keel_add_entity(&view)));
    keel_view_end(&view);
    view = open_view(f.world, KEEL_TERMS(KEEL_MAY_EDIT_WORLD, KEEL_READ(Number, n)));
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
    assert_int_equal(keel_delete_entity(&view, e), KEEL_ERROR_ITERATING);
    assert_int_equal(keel_strip(&view, e), KEEL_ERROR_ITERATING);
    assert_int_equal(keel_delete_entities_having(&view, Number), KEEL_ERROR_ITERATING);
    assert_error(f.world, KEEL_ERROR_ITERATING, "Number");
    assert_true(keel_has(f.world, e, Number));
    keel_view_end(&view); // with a live walk
    assert_int_equal(keel_delete_entity(f.world, e), KEEL_OK);
    api_end(&f);
}

static void who_may_not_add_entities_is_told_how(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number));
    keel_view view = open_view(f.world, KEEL_TERMS(KEEL_EDIT(Number, n)));
    assert_true(keel_is_null(keel_add_entity(&view)));
    assert_error(f.world, KEEL_ERROR_ACCESS, "KEEL_MAY_EDIT_ENTITIES");
    assert_int_equal(keel_delete_entity(&view, e), KEEL_ERROR_ACCESS);
    assert_error(f.world, KEEL_ERROR_ACCESS, "KEEL_MAY_EDIT_WORLD");
    keel_view_end(&view);
    api_end(&f);
}

static void edits_through_a_closed_view_are_refused(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number));
    keel_view view = open_view(f.world, KEEL_TERMS(KEEL_MAY_EDIT_WORLD, KEEL_EDIT(Number, n)));
    keel_view copy = view, zeroed = { 0 };
    keel_view_end(&view);
    keel_view reused = open_view(f.world, KEEL_TERMS(KEEL_READ(Number, n)));
    keel_view *const closed[] = { &view, &copy, &zeroed, NULL };
    keel_set_assert_handler(api_go_on);
    for (uint32_t i = 0; i < 4; ++i) {
        keel_view *v = closed[i];
        assert_true(keel_is_null(keel_add_entity_values(v, NULL)));
        assert_int_equal(keel_delete_entity(v, e), KEEL_ERROR_ARGUMENT);
        assert_int_equal(keel_strip(v, e), KEEL_ERROR_ARGUMENT);
        assert_int_equal(keel_delete_entities_having_component(v, KEEL_OF(Number)),
                         KEEL_ERROR_ARGUMENT);
        assert_int_equal(keel_add_component(v, e, KEEL_OF(Number), NULL), KEEL_ERROR_ARGUMENT);
        assert_int_equal(keel_add_component_unchecked(v, e, KEEL_OF(Number), NULL),
                         KEEL_ERROR_ARGUMENT);
        assert_int_equal(keel_add_component_values(v, e, NULL), KEEL_ERROR_ARGUMENT);
        assert_int_equal(keel_remove_component(v, e, KEEL_OF(Number), NULL), KEEL_ERROR_ARGUMENT);
        assert_int_equal(keel_remove_component_values(v, e, NULL), KEEL_ERROR_ARGUMENT);
        assert_int_equal(keel_delete_components(v, e, NULL), KEEL_ERROR_ARGUMENT);
        if (i < 2) assert_error(f.world, KEEL_ERROR_ARGUMENT, "not open");
        else assert_no_error(f.world); // it belongs to no world that could be told
    }
    keel_set_assert_handler(NULL);
    keel_view_end(&copy); // must not close the other view, which has its place
    assert_int_equal(keel_view_count(&reused), 1);
    keel_view_end(&reused);
    api_end(&f);
}

static void entities_are_cloned_through_views(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity one = keel_add_entity(f.world, KEEL_INIT(Position, { 1, 2 }));
    keel_entity copies[3];
    keel_view view = open_view(f.world, KEEL_TERMS(KEEL_MAY_EDIT_ENTITIES, KEEL_EDIT(Position, p)));
    assert_int_equal(keel_clone_entities(&view, one, 3, copies), KEEL_OK);
    keel_view_end(&view);
    for (int i = 0; i < 3; ++i)
        assert_true(keel_get(f.world, copies[i], Position)->y == 2);
    view = open_view(f.world, KEEL_TERMS(KEEL_EDIT(Position, p)));
    assert_int_equal(keel_clone_entities(&view, one, 3, copies), KEEL_ERROR_ACCESS);
    assert_error(f.world, KEEL_ERROR_ACCESS, "entit");
    keel_view_end(&view);
    assert_int_equal(keel_entity_count(f.world), 4);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    // proves S-9
    TEST(entities_are_a_storage_like_any_other,
         "the list of entities is viewed shared or alone, like any storage"),
    // proves S-16
    TEST(entities_are_added_through_views,
         "entities with none, one and several components are added through views"),
    TEST(adding_entities_needs_all_it_touches, "adding entities needs edit of all it touches"),
    // proves S-18
    TEST(deleting_through_a_view_needs_everything,
         "deleting an entity through a view needs the whole world"),
    // proves S-10
    TEST(a_view_of_everything_may_do_all,
         "through a view of everything entities are added, deleted and stripped"),
    // proves S-10
    TEST(a_view_of_everything_is_alone, "a view of everything is alone"),
    // proves S-10
    TEST(everything_includes_what_comes_later, "everything includes the storages that come later"),
    // proves S-24
    TEST(adding_checks_that_the_entity_lives,
         "adding through a view checks the entity, and shares the list of entities"),
    // proves S-26
    TEST(the_unchecked_add_needs_no_entities, "the unchecked add needs no access to the entities"),
    // proves S-29
    TEST(several_are_removed_through_a_view, "several are removed through a view"),
    TEST(removing_needs_edit_of_each, "removing several needs edit of each, or none is removed"),
    TEST(a_walk_refuses_edits_of_what_it_walks, "a walk refuses edits of what it looks at"),
    TEST(a_walk_that_ended_allows_edits, "edits are allowed when the last walk has ended"),
    TEST(a_walk_over_nothing_refuses_nothing, "a walk over nothing refuses nothing"),
    TEST(a_walk_of_entities_refuses_new_ones, "a walk of the entities refuses new ones"),
    TEST(who_may_not_add_entities_is_told_how, "who may not add entities is told how to"),
    TEST(edits_through_a_closed_view_are_refused, "edits through closed views are refused"),
    TEST(entities_are_cloned_through_views,
         "several are cloned through a view that may edit entities"),
};
int main(void) { return RUN(tests); }
