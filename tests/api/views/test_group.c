// SPDX-License-Identifier: MIT
// Groups: exact orders, what is taken in when they are made, conflicts, and what is refused. The
// views that they drive are in test_group_view.c.
#include "support/group_fixture.h"

static keel_entity e(uint32_t index) { return handle_at(index, 0); }

// A world with entities 0 to 19.
static void begin(api_fixture *f) {
    api_begin(f);
    assert_int_equal(keel_add_entity_columns(f->world, 20, NULL, NULL), KEEL_OK);
}

static void add_number(api_fixture *f, uint32_t index) {
    assert_int_equal(keel_add(f->world, e(index), Number, { index }), KEEL_OK);
}
static void add_other(api_fixture *f, uint32_t index) {
    assert_int_equal(keel_add(f->world, e(index), Other, { index * 10 }), KEEL_OK);
}

static void assert_values(api_fixture *f) {
    for (uint32_t i = 0; i < 20; ++i) {
        const Number *n = keel_get(f->world, e(i), Number);
        const Other *o = keel_get(f->world, e(i), Other);
        if (n) assert_int_equal(n->value, i);
        if (o) assert_int_equal(o->value, i * 10);
    }
}

// ------------------------------------------------------------------ the walk of the seed
// Number is the seed's position, Other its velocity.
static keel_group *begin_walk(api_fixture *f) {
    begin(f);
    static const uint32_t numbers[] = { 3, 7, 8, 6 }, others[] = { 4, 5 };
    for (int i = 0; i < 4; ++i)
        add_number(f, numbers[i]);
    for (int i = 0; i < 2; ++i)
        add_other(f, others[i]);
    assert_packed(f->world, KEEL_OF(Number), "3 7 8 6"); // H0
    assert_packed(f->world, KEEL_OF(Other), "4 5");
    keel_group *g = keel_group_create(f->world, KEEL_OWNED(Number, Other));
    assert_non_null(g);
    return g;
}

static void the_order_is_that_of_the_seed(void **state) {
    (void)state;
    api_fixture f;
    keel_group *g = begin_walk(&f);
    assert_packed(f.world, KEEL_OF(Number), "3 7 8 6"); // H1
    assert_packed(f.world, KEEL_OF(Other), "4 5");
    assert_members(f.world, g, "");
    add_other(&f, 7); // H2 and H3: pushed to 4 5 7, then swapped to the front of both
    assert_packed(f.world, KEEL_OF(Number), "7 3 8 6");
    assert_packed(f.world, KEEL_OF(Other), "7 5 4");
    assert_members(f.world, g, "7");
    add_number(&f, 4); // H4
    assert_packed(f.world, KEEL_OF(Number), "7 4 8 6 3");
    assert_packed(f.world, KEEL_OF(Other), "7 4 5");
    assert_members(f.world, g, "7 4");
    assert_values(&f);
    assert_int_equal(keel_remove(f.world, e(7), Other), KEEL_OK); // H5 and H6
    assert_packed(f.world, KEEL_OF(Number), "4 7 8 6 3");
    assert_packed(f.world, KEEL_OF(Other), "4 5");
    assert_members(f.world, g, "4");
    assert_values(&f);
    api_end(&f);
}

// The steps between what the table shows: had the value been taken before the swap, 5 would lie
// before 4; had the entity been swapped before the push, 4 would lie before 5.
static void a_group_reacts_after_a_push_and_before_a_removal(void **state) {
    (void)state;
    api_fixture f;
    keel_group *g = begin_walk(&f);
    add_other(&f, 3);
    add_other(&f, 8);
    assert_packed(f.world, KEEL_OF(Other), "3 8 4 5");
    assert_int_equal(keel_remove(f.world, e(3), Other), KEEL_OK);
    assert_packed(f.world, KEEL_OF(Number), "8 3 7 6"); // 3 changed places with 8
    assert_packed(f.world, KEEL_OF(Other), "8 5 4");    // and 5, the last, filled its place
    assert_members(f.world, g, "8");
    api_end(&f);
}

// ------------------------------------------------------------------ making one
static void a_group_is_described_by_three_lists(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    const keel_component *const orders[] = { KEEL_OF(Number), NULL };
    const keel_component *const get[] = { KEEL_OF(Other), NULL };
    const keel_component *const exclude[] = { KEEL_OF(Frozen), NULL };
    keel_group *g;
    assert_int_equal(
        keel_group_create_of(
            f.world,
            &(keel_group_desc){ .owned = orders, .get = get, .exclude = exclude, .name = "all" },
            &g),
        KEEL_OK);
    assert_string_equal(keel_group_name(f.world, g), "all");
    assert_ptr_equal(keel_find_group(f.world, "all"), g);
    assert_null(keel_find_group(f.world, "none"));
    for (uint32_t i = 0; i < 4; ++i) {
        add_number(&f, i);
        add_other(&f, i);
    }
    assert_int_equal(keel_add(f.world, e(1), Frozen), KEEL_OK);
    assert_int_equal(keel_group_count(f.world, g), 3);
    assert_true(keel_group_contains(f.world, g, e(0)));
    assert_false(keel_group_contains(f.world, g, e(1)));
    assert_false(keel_group_contains(f.world, g, handle_at(0, 1)));
    assert_members(f.world, g, "0 3 2"); // 1 changed places with the last
    keel_group *unnamed = keel_group_create(f.world, KEEL_GET(Number, Other), KEEL_EXCLUDE(Frozen));
    assert_string_equal(keel_group_name(f.world, unnamed), "Number, Other without Frozen");
    assert_int_equal(keel_group_count(f.world, unnamed), 3);
    api_end(&f);
}

static void a_group_needs_two_components(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    assert_null(keel_group_create(f.world, .name = "empty"));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "owns or gets");
    assert_null(keel_group_create(f.world, KEEL_EXCLUDE(Number, Other)));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "owns or gets");
    assert_null(keel_group_create(f.world, KEEL_OWNED(Number)));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "Number is its only component");
    assert_null(keel_group_create(f.world, KEEL_GET(Number)));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "Number is its only component");
    assert_non_null(keel_group_create(f.world, KEEL_GET(Number), KEEL_EXCLUDE(Other)));
    assert_null(keel_group_create(f.world, KEEL_OWNED(Number), KEEL_GET(Other, Number)));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "Number is named twice");
    assert_null(
        keel_group_create(f.world, KEEL_OWNED(Number, Other), .name = "Number without Other"));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "another group");
    assert_null(keel_group_create(f.world, KEEL_OWNED(Indexed, Other)));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "Indexed is no sparse set");
    assert_null(keel_group_create(f.world, KEEL_OWNED(keel_child, Other)));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "keel_child");
    assert_int_equal(keel_group_create_of(f.world, NULL, NULL), KEEL_ERROR_ARGUMENT);
    keel_clear_errors(f.world);
    const keel_component *const unique[] = { KEEL_UNIQUE_OF(Time), KEEL_OF(Number), NULL };
    assert_int_equal(keel_group_create_of(f.world, &(keel_group_desc){ .get = unique }, NULL),
                     KEEL_ERROR_ARGUMENT);
    keel_clear_errors(f.world);
    api_end(&f);
}

static void a_component_has_one_owner(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    for (uint32_t i = 0; i < 4; ++i) {
        add_number(&f, i);
        add_other(&f, 3 - i);
    }
    keel_group *first =
        keel_group_create(f.world, KEEL_OWNED(Number), KEEL_GET(Other), .name = "first");
    char *before = world_text(f.world, NULL);
    keel_group *g = first;
    const keel_component *const orders[] = { KEEL_OF(Other), KEEL_OF(Number), NULL };
    assert_int_equal(keel_group_create_of(f.world, &(keel_group_desc){ .owned = orders }, &g),
                     KEEL_ERROR_GROUPED);
    assert_null(g);
    assert_error(f.world, KEEL_ERROR_GROUPED, "'Number': group 'first'");
    assert_null(keel_group_create(f.world, KEEL_OWNED(Number, Other, Third))); // nested ones too
    assert_error(f.world, KEEL_ERROR_GROUPED, "'Number': group 'first'");
    assert_same_text(world_text(f.world, NULL), before);
    // what nobody owns, and got by any number
    assert_non_null(
        keel_group_create(f.world, KEEL_OWNED(Other), KEEL_GET(Number), .name = "second"));
    assert_non_null(keel_group_create(f.world, KEEL_GET(Number, Other), .name = "third"));
    add_number(&f, 7);
    add_other(&f, 7);
    assert_int_equal(keel_group_destroy(f.world, first), KEEL_OK);
    assert_null(keel_find_group(f.world, "first"));
    assert_non_null(keel_group_create(f.world, KEEL_OWNED(Number), KEEL_EXCLUDE(Third)));
    assert_values(&f);
    api_end(&f);
}

// ------------------------------------------------------------------ over what is there
static void a_late_group_goes_through_its_first_component(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    static const uint32_t numbers[] = { 9, 2, 5, 1, 8, 3 }, others[] = { 3, 8, 1, 9, 7 };
    for (int i = 0; i < 6; ++i)
        add_number(&f, numbers[i]);
    for (int i = 0; i < 5; ++i)
        add_other(&f, others[i]);
    keel_group *g = keel_group_create(f.world, KEEL_OWNED(Number, Other));
    assert_members(f.world, g, "9 1 8 3"); // in the order of Number
    assert_packed(f.world, KEEL_OF(Number), "9 1 8 3 5 2");
    assert_packed(f.world, KEEL_OF(Other), "9 1 8 3 7");
    assert_values(&f);
    assert_int_equal(keel_group_destroy(f.world, g), KEEL_OK);
    assert_packed(f.world, KEEL_OF(Number), "9 1 8 3 5 2"); // stays
    g = keel_group_create(f.world, KEEL_GET(Other, Number));
    assert_members(f.world, g, "9 1 8 3");
    for (uint32_t i = 10; i-- > 0;)
        assert_int_equal(keel_add(f.world, e(i), Indexed, { i }), KEEL_OK);
    g = keel_group_create(f.world, KEEL_GET(Indexed, Number));
    assert_members(f.world, g, "1 2 3 5 8 9"); // by index
    api_end(&f);
}

// ------------------------------------------------------------------ every kind of edit
static keel_group *make_mixed(api_fixture *f) {
    begin(f);
    keel_group *g = keel_group_create(f->world, KEEL_OWNED(Number), KEEL_GET(Indexed, Row),
                                      KEEL_EXCLUDE(Frozen, keel_child));
    assert_non_null(g);
    return g;
}

static void add_mixed(api_fixture *f, uint32_t index) {
    assert_int_equal(keel_add_values(f->world, e(index), KEEL_INIT(Row, { 1 }),
                                     KEEL_INIT(Number, { index }), KEEL_INIT(Indexed, { 2 })),
                     KEEL_OK);
}

static void each_edit_keeps_a_group(void **state) {
    (void)state;
    api_fixture f;
    keel_group *g = make_mixed(&f);
    for (uint32_t i = 0; i < 8; ++i)
        add_mixed(&f, i);
    assert_members(f.world, g, "0 1 2 3 4 5 6 7");
    assert_int_equal(keel_remove(f.world, e(1), Row), KEEL_OK);
    assert_members(f.world, g, "0 7 2 3 4 5 6");
    assert_int_equal(keel_disable(f.world, e(2), Indexed), KEEL_OK);
    assert_members(f.world, g, "0 7 6 3 4 5");
    assert_int_equal(keel_enable(f.world, e(2), Indexed), KEEL_OK);
    assert_members(f.world, g, "0 7 6 3 4 5 2");
    assert_int_equal(keel_attach(f.world, e(0), e(9)), KEEL_OK); // gets a keel_child
    assert_members(f.world, g, "2 7 6 3 4 5");
    assert_int_equal(keel_detach(f.world, e(0)), KEEL_OK);
    assert_members(f.world, g, "2 7 6 3 4 5 0");
    assert_int_equal(keel_strip(f.world, e(7)), KEEL_OK);
    assert_members(f.world, g, "2 0 6 3 4 5");
    assert_int_equal(keel_delete_entity(f.world, e(2)), KEEL_OK);
    assert_members(f.world, g, "5 0 6 3 4");
    assert_int_equal(keel_delete(f.world, e(5), Number, Row), KEEL_OK);
    assert_members(f.world, g, "4 0 6 3");
    assert_int_equal(keel_add(f.world, e(6), Number, { 66 }), KEEL_OK); // overwritten
    assert_members(f.world, g, "4 0 6 3");
    assert_int_equal(keel_clear(f.world, Row), KEEL_OK);
    assert_members(f.world, g, "");
    assert_int_equal(keel_component_count(f.world, KEEL_OF(Number)), 5);
    api_end(&f);
}

static void excluded_components_keep_entities_out(void **state) {
    (void)state;
    api_fixture f;
    keel_group *g = make_mixed(&f);
    for (uint32_t i = 0; i < 6; ++i) {
        add_mixed(&f, i);
        assert_int_equal(keel_add(f.world, e(5 - i), Frozen), KEEL_OK);
    }
    assert_members(f.world, g, "");
    assert_int_equal(keel_remove(f.world, e(3), Frozen), KEEL_OK);
    assert_members(f.world, g, "3");
    assert_int_equal(keel_attach(f.world, e(4), e(19)), KEEL_OK);
    assert_int_equal(keel_clear(f.world, Frozen), KEEL_OK); // by index; 4 is a child
    assert_members(f.world, g, "3 0 1 2 5");
    assert_int_equal(keel_add_values(f.world, e(8), KEEL_INIT(Frozen), KEEL_INIT(Number, { 8 }),
                                     KEEL_INIT(Row), KEEL_INIT(Indexed)),
                     KEEL_OK);
    assert_int_equal(keel_group_count(f.world, g), 5);
    assert_int_equal(keel_delete_entity(f.world, e(8)), KEEL_OK); // not let in on the way
    assert_members(f.world, g, "3 0 1 2 5");
    assert_int_equal(keel_clear_entities(f.world), KEEL_OK);
    assert_members(f.world, g, "");
    api_end(&f);
}

static void many_entities_join_in_their_order(void **state) {
    (void)state;
    api_fixture f;
    keel_entity out[5], copies[2];
    begin(&f);
    keel_group *g = keel_group_create(f.world, KEEL_OWNED(Number, Other), KEEL_EXCLUDE(Frozen));
    keel_group *list = keel_group_create(f.world, KEEL_GET(Other, Number), KEEL_EXCLUDE(Third));
    add_number(&f, 1);
    assert_int_equal(
        keel_add_entities(f.world, 5, out, KEEL_FILL(Other, { 4 }), KEEL_FILL(Number, { 5 })),
        KEEL_OK);
    assert_members(f.world, g, "20 21 22 23 24");
    assert_members(f.world, list, "20 21 22 23 24");
    assert_int_equal(keel_clone_entities(f.world, out[1], 2, copies), KEEL_OK);
    assert_members(f.world, g, "20 21 22 23 24 25 26");
    assert_int_equal(keel_delete_entities(f.world, out, 3), KEEL_OK);
    assert_members(f.world, g, "26 25 24 23");
    assert_int_equal(keel_delete_entities_having(f.world, Other), KEEL_OK);
    assert_members(f.world, g, "");
    assert_members(f.world, list, "");
    assert_packed(f.world, KEEL_OF(Number), "1");
    api_end(&f);
}

static bool keep_odd(keel_entity entity, void *value, void *data) {
    (void)value, (void)data;
    return keel_entity_index(entity) % 2;
}

static void retain_asks_each_member_once(void **state) {
    (void)state;
    api_fixture f;
    keel_group *g = begin_walk(&f);
    for (uint32_t i = 0; i < 12; ++i) {
        add_number(&f, i);
        add_other(&f, 11 - i);
    }
    assert_int_equal(keel_group_count(f.world, g), 12);
    assert_int_equal(keel_retain(f.world, Other, keep_odd, NULL), KEEL_OK);
    assert_int_equal(keel_group_count(f.world, g), 6);
    assert_int_equal(keel_component_count(f.world, KEEL_OF(Other)), 6);
    assert_int_equal(keel_component_count(f.world, KEEL_OF(Number)), 12);
    assert_values(&f);
    api_end(&f);
}

// ------------------------------------------------------------------ values with hooks, and large
typedef struct Big {
    uint32_t index, word[400];
} Big;
KEEL_COMPONENT(Big);

static void values_of_any_kind_are_swapped(void **state) {
    (void)state;
    api_fixture f;
    owned_begin();
    begin(&f);
    keel_group *g = keel_group_create(f.world, KEEL_OWNED(Owned, Big, Frozen));
    for (uint32_t i = 0; i < 12; ++i) {
        const Owned value = owned_make(); // token i + 1
        assert_int_equal(keel_add(f.world, e(i), Owned, value), KEEL_OK);
    }
    for (uint32_t i = 12; i-- > 0;) {
        assert_int_equal(keel_add(f.world, e(i), Big, { .index = i }), KEEL_OK);
        if (i % 3) assert_int_equal(keel_add(f.world, e(i), Frozen), KEEL_OK);
    }
    assert_int_equal(keel_group_count(f.world, g), 8);
    assert_int_equal(keel_delete_entity(f.world, e(7)), KEEL_OK);
    assert_int_equal(keel_remove(f.world, e(5), Frozen), KEEL_OK);
    assert_members(f.world, g, "11 10 8 1 2 4");
    for (uint32_t i = 0; i < 12; ++i) {
        if (i == 7) continue;
        assert_int_equal(keel_get(f.world, e(i), Owned)->token, i + 1);
        assert_int_equal(keel_get(f.world, e(i), Big)->index, i);
    }
    api_end(&f);
    assert_owned_end();
}

static void members_move_to_another_world(void **state) {
    (void)state;
    api_fixture f, other;
    owned_begin();
    begin(&f);
    begin(&other);
    keel_group *from = keel_group_create(f.world, KEEL_OWNED(Owned, Number));
    keel_group *to = keel_group_create(other.world, KEEL_OWNED(Number, Owned));
    for (uint32_t i = 0; i < 6; ++i) {
        const Owned value = owned_make();
        assert_int_equal(keel_add(f.world, e(i), Owned, value), KEEL_OK);
        add_number(&f, i);
    }
    const keel_entity moved = keel_move_entity(f.world, e(1), other.world);
    assert_members(f.world, from, "0 5 2 3 4");
    assert_true(keel_group_contains(other.world, to, moved));
    assert_int_equal(keel_get(other.world, moved, Owned)->token, 2);
    for (uint32_t i = 2; i < 6; ++i)
        assert_int_equal(keel_get(f.world, e(i), Owned)->token, i + 1);
    api_end(&other);
    api_end(&f);
    assert_owned_end();
}

static void a_copied_world_fills_the_groups_of_the_copy(void **state) {
    (void)state;
    api_fixture f, copy;
    begin(&f);
    for (uint32_t i = 0; i < 8; ++i) {
        add_number(&f, i);
        if (i % 2) add_other(&f, 8 - i);
        assert_int_equal(keel_add(f.world, e(i), Row, { 1 }), KEEL_OK);
    }
    api_begin(&copy);
    keel_group *packed = keel_group_create(copy.world, KEEL_OWNED(Number, Other));
    keel_group *list = keel_group_create(copy.world, KEEL_GET(Row, Other));
    assert_int_equal(keel_copy_world(f.world, copy.world), KEEL_OK);
    assert_members(copy.world, packed, "1 3 5 7");
    assert_members(copy.world, list, "1 3 5 7");
    assert_values(&copy);
    api_end(&copy);
    api_end(&f);
}

// ------------------------------------------------------------------ refusals
static void a_group_that_is_gone_is_an_error(void **state) {
    (void)state;
    api_fixture f, other;
    keel_group *g = begin_walk(&f);
    keel_group *foreign = begin_walk(&other);
    assert_int_equal(keel_group_destroy(f.world, foreign), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "another world");
    assert_int_equal(keel_group_destroy(f.world, NULL), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_group_destroy(f.world, g), KEEL_OK);
    assert_int_equal(keel_group_destroy(f.world, g), KEEL_ERROR_ARGUMENT);
    assert_false(keel_group_count(f.world, g) || keel_group_contains(f.world, g, e(7)));
    assert_true(keel_is_null(keel_group_entity(f.world, g, 0)));
    assert_string_equal(keel_group_name(f.world, g), "");
    keel_clear_errors(f.world);
    api_end(&other);
    api_end(&f);
}

static void a_component_in_a_group_cannot_be_unregistered(void **state) {
    (void)state;
    api_fixture f;
    keel_group *g = begin_walk(&f);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Other)), KEEL_ERROR_GROUPED);
    assert_error(f.world, KEEL_ERROR_GROUPED, "group 'Number, Other'");
    assert_int_equal(keel_group_destroy(f.world, g), KEEL_OK);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Other)), KEEL_OK);
    api_end(&f);
}

// A component that is only got, but whose edits reorder what a view reads.
static void an_edit_that_moves_borrowed_values_is_refused(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    keel_group *g = keel_group_create(f.world, KEEL_OWNED(Number), KEEL_GET(Other),
                                      KEEL_EXCLUDE(Frozen), .name = "moving");
    const keel_term reads[] = { { .kind = KEEL_TERM_READ, .component = KEEL_OF(Number) },
                                { .kind = KEEL_TERM_END } };
    const keel_term edits[] = { { .kind = KEEL_TERM_EDIT, .component = KEEL_OF(Frozen) },
                                { .kind = KEEL_TERM_END } };
    const keel_term reads_other[] = { { .kind = KEEL_TERM_READ, .component = KEEL_OF(Other) },
                                      { .kind = KEEL_TERM_END } };
    keel_view view, second;
    add_number(&f, 1);
    assert_int_equal(keel_view_begin(&view, f.world, reads, "reader"), KEEL_OK);
    assert_int_equal(keel_add(f.world, e(1), Other, { 1 }), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "group moving': reader is reading");
    assert_int_equal(keel_remove(f.world, e(1), Frozen), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_delete_entity(f.world, e(1)), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_group_destroy(f.world, g), KEEL_ERROR_BORROWED);
    assert_null(keel_group_create(f.world, KEEL_GET(Number, Other)));
    keel_clear_errors(f.world);
    assert_int_equal(keel_view_begin(&second, f.world, edits, "editor"), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "group moving");
    keel_view_end(&view);
    // what is got stays where it is, so its readers are in nobody's way
    assert_int_equal(keel_view_begin(&view, f.world, reads_other, "reader"), KEEL_OK);
    assert_int_equal(keel_view_begin(&second, f.world, edits, "editor"), KEEL_OK);
    assert_int_equal(keel_add_component(&second, e(1), KEEL_OF(Frozen), NULL), KEEL_OK);
    keel_view_end(&second);
    keel_view_end(&view);
    assert_no_error(f.world);
    assert_int_equal(keel_share_begin(f.world), KEEL_OK);
    assert_int_equal(keel_group_destroy(f.world, g), KEEL_ERROR_SHARED);
    assert_null(keel_group_create(f.world, KEEL_GET(Number, Other)));
    keel_clear_errors(f.world);
    assert_int_equal(keel_share_end(f.world), KEEL_OK);
    api_end(&f);
}

static void an_edit_through_a_view_keeps_the_group(void **state) {
    (void)state;
    api_fixture f;
    keel_group *g = begin_walk(&f);
    const keel_term terms[] = { { .kind = KEEL_TERM_MAY_EDIT, .component = KEEL_OF(Other) },
                                { .kind = KEEL_TERM_READ, .component = KEEL_OF(Number) },
                                { .kind = KEEL_TERM_END } };
    keel_view view;
    keel_iterator walk;
    keel_span span;
    assert_int_equal(keel_view_begin(&view, f.world, terms, "editor"), KEEL_OK);
    assert_int_equal(keel_add_component(&view, e(8), KEEL_OF(Other), NULL), KEEL_OK);
    assert_members(f.world, g, "8");
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
    assert_true(keel_iterator_next_span(&walk, &span));
    // it would move the Number that is looked at
    assert_int_equal(keel_add_component(&view, e(6), KEEL_OF(Other), NULL), KEEL_ERROR_ITERATING);
    keel_clear_errors(f.world);
    keel_iterator_end(&walk);
    assert_int_equal(keel_add_component(&view, e(6), KEEL_OF(Other), NULL), KEEL_OK);
    assert_members(f.world, g, "8 6");
    keel_view_end(&view);
    api_end(&f);
}

// ------------------------------------------------------------------ memory
static void out_of_memory_changes_nothing(void **state) {
    (void)state;
    for (uint32_t allowed = 0;; ++allowed) {
        api_fixture f;
        begin(&f);
        for (uint32_t i = 0; i < 10; ++i) {
            add_number(&f, i);
            if (i % 2) add_other(&f, i);
        }
        assert_int_equal(keel_register(f.world, Frozen, Indexed, Row), KEEL_OK);
        keel_group *g =
            keel_group_create(f.world, KEEL_OWNED(Number), KEEL_GET(Other), .name = "small");
        char *before = world_text(f.world, NULL);
        counting_allocator_fail_after(&f.memory, allowed);
        keel_group *list =
            keel_group_create(f.world, KEEL_GET(Other, Number), KEEL_EXCLUDE(Frozen));
        counting_allocator_never_fail(&f.memory);
        if (!list) {
            assert_error(f.world, KEEL_ERROR_MEMORY, "group");
            assert_same_text(world_text(f.world, NULL), before);
            assert_members(f.world, g, "1 3 5 7 9");
        } else {
            free(before);
            assert_members(f.world, list, "1 3 5 7 9");
        }
        api_end(&f);
        if (list) return;
    }
}

// Nothing that takes a component away needs memory, not even where an entity gets in by that.
static void leaving_and_letting_in_need_no_memory(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    keel_group *list = keel_group_create(f.world, KEEL_GET(Indexed, Number), KEEL_EXCLUDE(Frozen));
    for (uint32_t i = 0; i < 20; ++i) {
        assert_int_equal(keel_add(f.world, e(i), Frozen), KEEL_OK);
        assert_int_equal(keel_add(f.world, e(i), Indexed, { 1 }), KEEL_OK);
        add_number(&f, i);
    }
    assert_int_equal(keel_disable(f.world, e(0), Indexed), KEEL_OK);
    assert_int_equal(keel_world_trim(f.world), KEEL_OK);
    counting_allocator_fail_after(&f.memory, 0);
    for (uint32_t i = 0; i < 20; ++i)
        assert_int_equal(keel_remove(f.world, e(i), Frozen), KEEL_OK);
    assert_int_equal(keel_group_count(f.world, list), 19);
    assert_int_equal(keel_enable(f.world, e(0), Indexed), KEEL_OK);
    assert_int_equal(keel_group_count(f.world, list), 20);
    assert_int_equal(keel_clear(f.world, Number), KEEL_OK);
    counting_allocator_never_fail(&f.memory);
    assert_int_equal(keel_world_trim(f.world), KEEL_OK);
    api_end(&f);
}

static void adding_to_a_group_fails_whole(void **state) {
    (void)state;
    for (uint32_t allowed = 0, done = 0; !done; ++allowed) {
        api_fixture f;
        begin(&f);
        keel_group *g = keel_group_create(f.world, KEEL_OWNED(Number), KEEL_GET(Other));
        keel_group *list = keel_group_create(f.world, KEEL_GET(Number, Other, Row));
        counting_allocator_fail_after(&f.memory, allowed);
        const keel_result result =
            keel_add_entities(f.world, 5000, NULL, KEEL_FILL(Row, { 1 }), KEEL_FILL(Other, { 1 }),
                              KEEL_FILL(Number, { 2 }));
        counting_allocator_never_fail(&f.memory);
        done = result == KEEL_OK;
        assert_int_equal(keel_group_count(f.world, g), done ? 5000 : 0);
        assert_int_equal(keel_group_count(f.world, list), done ? 5000 : 0);
        keel_clear_errors(f.world);
        api_end(&f);
    }
}

static void clearing_keeps_the_order_of_the_rest(void **state) {
    (void)state;
    for (uint32_t kinds = 0; kinds <= KEEL_TRACK_ALL; kinds += KEEL_TRACK_ALL) {
        api_fixture f;
        keel_group *g = begin_walk(&f);
        assert_int_equal(keel_track(f.world, Number, kinds), KEEL_OK);
        add_other(&f, 8);
        add_other(&f, 3);
        assert_packed(f.world, KEEL_OF(Other), "8 3 4 5");
        assert_int_equal(keel_clear(f.world, Number), KEEL_OK);
        assert_packed(f.world, KEEL_OF(Other), "8 3 4 5");
        assert_members(f.world, g, "");
        assert_values(&f);
        assert_true(keel_world_check(f.world, NULL));
        api_end(&f);
    }
}

static const struct CMUnitTest tests[] = {
    // proves E-H0..E-H6
    TEST(the_order_is_that_of_the_seed, "the walk of the seed, step by step"),
    // proves E-H7
    TEST(a_group_reacts_after_a_push_and_before_a_removal,
         "push first, then the swap; the swap first, then the removal"),
    // proves E-G1
    TEST(a_group_is_described_by_three_lists, "owned, get and exclude"),
    // proves E-G2
    TEST(a_group_needs_two_components, "what is not a group is an error"),
    // proves E-G3
    TEST(a_component_has_one_owner, "a second owner is refused, naming the first"),
    TEST(a_late_group_goes_through_its_first_component,
         "a group over filled storages takes members in by its first component"),
    // proves E-G4
    TEST(each_edit_keeps_a_group, "got components may be of any storage; each edit counts"),
    TEST(excluded_components_keep_entities_out,
         "adding an excluded component takes the entity out"),
    TEST(clearing_keeps_the_order_of_the_rest,
         "clearing a component of a group keeps the order of the others, tracked or not (A14)"),
    TEST(many_entities_join_in_their_order, "many new entities join in their order"),
    TEST(retain_asks_each_member_once, "retain goes over a grouped storage"),
    TEST(values_of_any_kind_are_swapped, "values with hooks, large ones and tags are swapped"),
    TEST(members_move_to_another_world, "a member moves to a group of another world"),
    TEST(a_copied_world_fills_the_groups_of_the_copy, "a copied world fills the copy's groups"),
    TEST(a_group_that_is_gone_is_an_error, "destroyed, foreign and NULL groups are errors"),
    TEST(a_component_in_a_group_cannot_be_unregistered,
         "a component in a group cannot be unregistered"),
    TEST(an_edit_that_moves_borrowed_values_is_refused,
         "an edit that would move borrowed values is refused"),
    TEST(an_edit_through_a_view_keeps_the_group, "an edit through a view keeps the group"),
    TEST(out_of_memory_changes_nothing, "a group that finds no memory changes nothing"),
    TEST(leaving_and_letting_in_need_no_memory, "taking components away needs no memory"),
    TEST(adding_to_a_group_fails_whole, "an add that finds no memory changes no group"),
};

int main(void) { return RUN(tests); }
