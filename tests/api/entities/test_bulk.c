// SPDX-License-Identifier: MIT
// Many entities at once: added from columns, cloned, deleted; and room made beforehand.
#include "support/api_types.h"

#include <stdlib.h>

// ------------------------------------------------------------------ adding many
// The same world twice: once with `count` single adds, once with one call; some indices are free.
static void add_both_ways(uint32_t count, bool want_handles) {
    api_fixture one, many;
    keel_entity *handles = malloc((count + 1) * sizeof *handles);
    Position *positions = malloc((count + 1) * sizeof *positions);
    assert_non_null(handles);
    assert_non_null(positions);
    api_begin(&one);
    api_begin(&many);
    for (int i = 0; i < 5; ++i) {
        (void)keel_add_entity(one.world, KEEL_INIT(Number, { 7 }));
        (void)keel_add_entity(many.world, KEEL_INIT(Number, { 7 }));
    }
    for (uint32_t i = 1; i < 4; ++i) {
        assert_int_equal(keel_delete_entity(one.world, handle_at(i, 0)), KEEL_OK);
        assert_int_equal(keel_delete_entity(many.world, handle_at(i, 0)), KEEL_OK);
    }
    for (uint32_t i = 0; i < count; ++i) {
        positions[i] = (Position){ (float)i, 1 };
        handles[i] =
            keel_add_entity(one.world, KEEL_INIT(Position, positions[i]), KEEL_INIT(Number, { 3 }),
                            KEEL_INIT(Frozen), KEEL_INIT(Health));
    }
    keel_entity *out = calloc(count + 1, sizeof *out);
    assert_int_equal(keel_add_entities(many.world, count, want_handles ? out : NULL,
                                       KEEL_COLUMN(Position, positions), KEEL_FILL(Number, { 3 }),
                                       KEEL_FILL(Frozen), KEEL_FILL(Health)),
                     KEEL_OK);
    for (uint32_t i = 0; want_handles && i < count; ++i)
        assert_same_entity(out[i], handles[i]);
    assert_same_text(world_text(many.world, NULL), world_text(one.world, NULL));
    assert_same_entity(keel_add_entity(many.world), keel_add_entity(one.world));
    free(out);
    free(handles);
    free(positions);
    api_end(&one);
    api_end(&many);
}

static void many_adds_are_as_many_single_adds(void **state) {
    (void)state;
    const uint32_t counts[] = { 0, 1, 2, 3, 4, 7, 100, 4095, 4096, 4097, test_rounds(20000) };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        add_both_ways(counts[i], true);
        add_both_ways(counts[i], false);
    }
}

// Upstream's bulk insert of nothing looked beyond the end.
static void adding_no_entities_does_nothing(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_entity untouched = handle_at(9, 9);
    assert_int_equal(keel_add_entities(f.world, 0, &untouched, KEEL_FILL(Position, { 1, 1 })),
                     KEEL_OK);
    assert_int_equal(keel_add_entity_columns(f.world, 0, NULL, NULL), KEEL_OK);
    assert_same_entity(untouched, handle_at(9, 9));
    assert_int_equal(keel_entity_count(f.world), 0);
    assert_int_equal(keel_count(f.world, Position), 0);
    assert_int_equal(keel_add_entity_columns(f.world, 3, NULL, NULL), KEEL_OK); // no components
    assert_int_equal(keel_entity_count(f.world), 3);
    api_end(&f);
}

typedef struct spawn_point {
    uint16_t kind;
    Position where;
    Number number;
} spawn_point;

static void columns_may_come_from_an_array_of_structs(void **state) {
    (void)state;
    static const spawn_point points[] = { { 1, { 1, 2 }, { 3 } }, { 2, { 4, 5 }, { 6 } } };
    api_fixture f;
    keel_entity e[2];
    api_begin(&f);
    assert_int_equal(keel_add_entities(f.world, 2, e,
                                       KEEL_COLUMN_IN(Position, &points[0].where, sizeof *points),
                                       KEEL_COLUMN_IN(Number, &points[0].number, sizeof *points)),
                     KEEL_OK);
    for (int i = 0; i < 2; ++i) {
        assert_true(keel_get(f.world, e[i], Position)->y == points[i].where.y);
        assert_int_equal(keel_get(f.world, e[i], Number)->value, points[i].number.value);
    }
    api_end(&f);
}

static void column_values_are_handed_over(void **state) {
    (void)state;
    api_fixture f;
    Owned values[50];
    owned_begin();
    api_begin(&f);
    for (int i = 0; i < 50; ++i)
        values[i] = owned_make();
    assert_int_equal(keel_add_entities(f.world, 50, NULL, KEEL_COLUMN(Owned, values)), KEEL_OK);
    assert_int_equal(owned.copies, 0);
    assert_int_equal(owned.living, 50);
    api_end(&f);
    assert_owned_end();
}

static void a_filling_value_is_copied(void **state) {
    (void)state;
    api_fixture f;
    owned_begin();
    api_begin(&f);
    const Owned model = owned_make();
    assert_int_equal(keel_add_entities(f.world, 50, NULL, KEEL_FILL(Owned, model)), KEEL_OK);
    assert_int_equal(owned.copies, 50);
    assert_int_equal(owned.living, 51);
    assert_true(owned.alive[model.token]); // the caller keeps it
    owned_release(model);
    assert_int_equal(keel_add_entities(f.world, 50, NULL, KEEL_FILL(Owned)), KEEL_OK); // zeros
    assert_int_equal(owned.copies, 50);
    api_end(&f);
    assert_owned_end();
}

static void a_copy_that_fails_undoes_everything(void **state) {
    (void)state;
    api_fixture f;
    Owned values[20];
    owned_begin();
    api_begin(&f);
    (void)keel_delete_entity(f.world, keel_add_entity(f.world));
    const keel_component second = { .name = "Second",
                                    .size = sizeof(Owned),
                                    .align = 4,
                                    .drop = owned_drop,
                                    .copy = owned_copy,
                                    .move = owned_move };
    const Owned model = owned_make();
    for (int i = 0; i < 20; ++i)
        values[i] = owned_make();
    assert_non_null(keel_register_component(f.world, &second));
    const keel_value_column columns[] = { KEEL_FILL(Position, { 1, 1 }),
                                          { KEEL_OF(Owned), values, sizeof(Owned) },
                                          { &second, &model, 0 },
                                          { NULL, NULL, 0 } };
    for (uint32_t left = 0; left < 20; ++left) {
        owned.copies_left = left;
        assert_int_equal(keel_add_entity_columns(f.world, 20, NULL, columns), KEEL_ERROR_COPY);
        assert_error(f.world, KEEL_ERROR_COPY, "copy hook of 'Second'");
        assert_int_equal(keel_entity_count(f.world), 0);
        assert_int_equal(keel_count(f.world, Position), 0);
        assert_int_equal(keel_count(f.world, Owned), 0);
        assert_int_equal(keel_component_count(f.world, &second), 0);
        assert_int_equal(owned.living, 21);
        assert_true(keel_world_check(f.world, NULL));
    }
    owned.copies_left = 20;
    assert_int_equal(keel_add_entity_columns(f.world, 20, NULL, columns), KEEL_OK);
    assert_same_entity(keel_next_entity(f.world, keel_null()), handle_at(0, 1));
    owned_release(model);
    api_end(&f);
    assert_owned_end();
}

static void what_cannot_be_copied_is_refused(void **state) {
    (void)state;
    static const keel_component c = { .name = "OnlyDrop", .size = 8, .drop = owned_drop };
    static const uint64_t value = 0;
    const keel_value_column fill[] = { { &c, &value, 0 }, { NULL, NULL, 0 } };
    const keel_value_column zeros[] = { { &c, NULL, 0 }, { NULL, NULL, 0 } };
    api_fixture f;
    owned_begin();
    api_begin(&f);
    assert_int_equal(keel_add_entity_columns(f.world, 3, NULL, fill), KEEL_ERROR_COPY);
    assert_error(f.world, KEEL_ERROR_COPY, "'OnlyDrop' has a drop hook but no copy hook");
    assert_int_equal(keel_add_entity_columns(f.world, 3, NULL, zeros), KEEL_OK);
    const keel_entity e = keel_next_entity(f.world, keel_null());
    assert_int_equal(keel_clone_entities(f.world, e, 1, NULL), KEEL_ERROR_COPY);
    assert_error(f.world, KEEL_ERROR_COPY, "'OnlyDrop'");
    assert_true(keel_is_null(keel_clone_entity(f.world, e)));
    assert_int_equal(keel_entity_count(f.world), 3);
    api_end(&f);
}

static void a_column_named_twice_is_refused(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    assert_int_equal(keel_add_entities(f.world, 2, NULL, KEEL_FILL(Number, { 1 }),
                                       KEEL_FILL(Health), KEEL_FILL(Number, { 2 })),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "'Number' is named twice");
    assert_int_equal(keel_entity_count(f.world), 0);
    api_end(&f);
}

// Columns that lie in the storage that grows.
static void columns_of_the_same_storage_may_be_added(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[64], more[64];
    api_begin(&f);
    for (uint32_t i = 0; i < 8; ++i)
        e[i] = keel_add_entity(f.world, KEEL_INIT(Number, { i }));
    // packed, in the order of insertion
    assert_int_equal(
        keel_add_entities(f.world, 8, more, KEEL_COLUMN(Number, keel_get(f.world, e[0], Number))),
        KEEL_OK);
    for (uint32_t i = 0; i < 8; ++i)
        assert_int_equal(keel_get(f.world, more[i], Number)->value, i);
    const keel_value_column fill[] = { { KEEL_OF(Number), keel_get(f.world, e[5], Number), 0 },
                                       { NULL, NULL, 0 } };
    assert_int_equal(keel_add_entity_columns(f.world, 64, more, fill), KEEL_OK);
    for (uint32_t i = 0; i < 64; ++i)
        assert_int_equal(keel_get(f.world, more[i], Number)->value, 5);
    api_end(&f);
}

static void more_than_there_are_indices_is_refused(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    (void)keel_add_entity(f.world);
    assert_int_equal(keel_add_entity_columns(f.world, UINT32_MAX, NULL, NULL), KEEL_ERROR_FULL);
    assert_error(f.world, KEEL_ERROR_FULL, "4294967295");
    assert_int_equal(keel_reserve_component(f.world, &keel_entities, UINT32_MAX), KEEL_ERROR_FULL);
    assert_error(f.world, KEEL_ERROR_FULL, NULL);
    assert_int_equal(keel_entity_count(f.world), 1);
    api_end(&f);
}

// ------------------------------------------------------------------ cloning
static void a_clone_has_copies_of_everything(void **state) {
    (void)state;
    api_fixture f;
    owned_begin();
    api_begin(&f);
    const Owned mine = owned_make();
    const keel_entity e =
        keel_add_entity(f.world, KEEL_INIT(Position, { 1, 2 }), KEEL_INIT(Owned, mine),
                        KEEL_INIT(Frozen), KEEL_INIT(Large, { .word = { 5 } }));
    const keel_entity copy = keel_clone_entity(f.world, e);
    assert_false(keel_is_null(copy));
    assert_false(keel_is_same(copy, e));
    assert_true(keel_get(f.world, copy, Position)->y == 2);
    assert_int_equal(keel_get(f.world, copy, Large)->word[0], 5);
    assert_true(keel_has(f.world, copy, Frozen));
    assert_int_not_equal(keel_get(f.world, copy, Owned)->token, mine.token);
    assert_int_equal(owned.living, 2);
    keel_get_mut(f.world, copy, Position)->x = 9; // they are independent
    assert_true(keel_get(f.world, e, Position)->x == 1);
    assert_int_equal(keel_delete_entity(f.world, e), KEEL_OK);
    assert_int_equal(owned.living, 1);
    api_end(&f);
    assert_owned_end();
}

static void many_clones_at_once(void **state) {
    (void)state;
    enum { COUNT = 10000 };
    api_fixture f;
    keel_entity *copies = malloc(COUNT * sizeof *copies);
    owned_begin();
    api_begin(&f);
    const Owned mine = owned_make();
    const keel_entity e =
        keel_add_entity(f.world, KEEL_INIT(Owned, mine), KEEL_INIT(Number, { 4 }));
    assert_int_equal(keel_clone_entities(f.world, e, COUNT, copies), KEEL_OK);
    for (uint32_t i = 0; i < COUNT; ++i)
        assert_int_equal(keel_get(f.world, copies[i], Number)->value, 4);
    assert_int_equal(owned.living, COUNT + 1);
    assert_int_equal(keel_clone_entities(f.world, e, 0, NULL), KEEL_OK);
    assert_int_equal(keel_clone_entities(f.world, e, 3, NULL), KEEL_OK);
    assert_int_equal(keel_entity_count(f.world), COUNT + 4);
    const keel_entity plain = keel_add_entity(f.world); // nothing to copy
    const keel_entity copy = keel_clone_entity(f.world, plain);
    assert_true(keel_is_alive(f.world, copy));
    assert_null(keel_next_component_of(f.world, copy, NULL));
    free(copies);
    api_end(&f);
    assert_owned_end();
}

static void a_clone_that_fails_changes_nothing(void **state) {
    (void)state;
    api_fixture f;
    owned_begin();
    api_begin(&f);
    const Owned mine = owned_make();
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }), KEEL_INIT(Owned, mine),
                                          KEEL_INIT(Other, { 2 }));
    for (uint32_t left = 0; left < 7; ++left) {
        char *before = world_text(f.world, NULL);
        owned.copies_left = left;
        assert_int_equal(keel_clone_entities(f.world, e, 7, NULL), KEEL_ERROR_COPY);
        assert_error(f.world, KEEL_ERROR_COPY, "'Owned'");
        assert_same_text(world_text(f.world, NULL), before);
        assert_int_equal(owned.living, 1);
    }
    owned.copies_left = 0;
    assert_true(keel_is_null(keel_clone_entity(f.world, e)));
    assert_error(f.world, KEEL_ERROR_COPY, "'Owned'");
    api_end(&f);
    assert_owned_end();
}

static void a_clone_takes_no_place_in_the_hierarchy(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity root = keel_add_entity(f.world);
    const keel_entity middle = keel_add_child(f.world, root, KEEL_INIT(Number, { 3 }));
    (void)keel_add_child(f.world, middle);
    const keel_entity copy = keel_clone_entity(f.world, middle);
    assert_int_equal(keel_get(f.world, copy, Number)->value, 3);
    assert_true(keel_is_null(keel_parent_of(f.world, copy)));
    assert_int_equal(keel_child_count(f.world, copy), 0);
    assert_int_equal(keel_child_count(f.world, root), 1);
    api_end(&f);
}

static void the_dead_cannot_be_cloned(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_delete_entity(f.world, e), KEEL_OK);
    assert_int_equal(keel_clone_entities(f.world, e, 2, NULL), KEEL_ERROR_DEAD_ENTITY);
    assert_error(f.world, KEEL_ERROR_DEAD_ENTITY, "clone");
    assert_true(keel_is_null(keel_clone_entity(f.world, e)));
    assert_error(f.world, KEEL_ERROR_DEAD_ENTITY, "clone"); // the handle cannot tell why it is null
    assert_int_equal(keel_entity_count(f.world), 0);
    api_end(&f);
}

// ------------------------------------------------------------------ deleting many
static void every_owner_of_a_component_is_deleted(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[100];
    owned_begin();
    api_begin(&f);
    for (uint32_t i = 0; i < 100; ++i) {
        const Owned mine = owned_make();
        e[i] = keel_add_entity(f.world, KEEL_INIT(Number, { i }), KEEL_INIT(Owned, mine));
        if (i % 3 == 0) assert_int_equal(keel_add(f.world, e[i], Dead), KEEL_OK);
    }
    assert_int_equal(keel_delete_entities_having(f.world, Dead), KEEL_OK);
    for (uint32_t i = 0; i < 100; ++i) {
        assert_int_equal(keel_is_alive(f.world, e[i]), i % 3 != 0);
        const Number *n = keel_get(f.world, e[i], Number);
        assert_int_equal(n != NULL, i % 3 != 0);
        if (n) assert_int_equal(n->value, i);
    }
    assert_int_equal(owned.living, 66);
    assert_int_equal(keel_count(f.world, Owned), 66);
    assert_int_equal(keel_delete_entities_having(f.world, Dead), KEEL_ABSENT);
    api_end(&f);
    assert_owned_end();
}

// The entities that have children, or a parent.
static void owners_of_links_can_be_deleted(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_entity parent = keel_add_entity(f.world);
    for (int i = 0; i < 10; ++i) {
        (void)keel_add_child(f.world, parent);
        parent = keel_add_child(f.world, parent);
    }
    const keel_entity lone = keel_add_entity(f.world);
    assert_int_equal(keel_delete_entities_matching(f.world, KEEL_TERMS(KEEL_TARGETED(keel_child))),
                     KEEL_OK);
    assert_int_equal(keel_entity_count(f.world), 12); // the leaves and the lone one
    assert_int_equal(keel_component_count(f.world, KEEL_OF(keel_child)), 0);
    assert_true(keel_is_alive(f.world, lone));
    assert_int_equal(keel_attach(f.world, lone, keel_next_entity(f.world, keel_null())), KEEL_OK);
    assert_int_equal(keel_delete_entities_having_component(f.world, KEEL_OF(keel_child)), KEEL_OK);
    assert_int_equal(keel_entity_count(f.world), 11);
    api_end(&f);
}

static void a_list_of_entities_is_deleted(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[5];
    api_begin(&f);
    for (uint32_t i = 0; i < 5; ++i)
        e[i] = keel_add_entity(f.world, KEEL_INIT(Number, { i }));
    assert_int_equal(keel_delete_entity(f.world, e[1]), KEEL_OK);
    const keel_entity list[] = { e[0], keel_null(), e[1], e[3], e[3], e[0] };
    assert_int_equal(keel_delete_entities(f.world, list, 6), KEEL_OK);
    assert_int_equal(keel_entity_count(f.world), 2);
    assert_true(keel_is_alive(f.world, e[2]));
    assert_true(keel_is_alive(f.world, e[4]));
    assert_int_equal(keel_delete_entities(f.world, list, 6), KEEL_ABSENT);
    assert_int_equal(keel_delete_entities(f.world, NULL, 0), KEEL_ABSENT);
    assert_int_equal(keel_delete_entities(f.world, NULL, 1), KEEL_ERROR_ARGUMENT);
    api_end(&f);
}

// A list that cannot be deleted whole is not deleted in part.
static void a_list_is_deleted_whole_or_not_at_all(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[2];
    keel_view view;
    api_begin(&f);
    e[0] = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    e[1] = keel_add_entity(f.world, KEEL_INIT(Position, { 1, 1 }));
    assert_int_equal(keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_READ(Position, p)), "reader"),
                     KEEL_OK);
    assert_int_equal(keel_delete_entities(f.world, e, 2), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "reader");
    assert_int_equal(keel_entity_count(f.world), 2);
    assert_int_equal(keel_clear_entities(f.world), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_entity_count(f.world), 2);
    assert_int_equal(keel_delete_entities_having(f.world, Number),
                     KEEL_OK); // is not touched by the view
    keel_view_end(&view);
    api_end(&f);
}

// Deleting on the storages that are known and then the entity is the same as deleting it. Keel's
// unchecked deletion leaves no components behind (DESIGN section 8), so both orders are the same.
static void the_unchecked_delete_leaves_nothing(void **state) {
    (void)state;
    for (int how = 0; how < 3; ++how) {
        api_fixture f;
        owned_begin();
        api_begin(&f);
        const Owned mine = owned_make();
        const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Position, { 1, 2 }),
                                              KEEL_INIT(Owned, mine), KEEL_INIT(Frozen));
        if (how == 0) assert_int_equal(keel_delete_entity(f.world, e), KEEL_OK);
        if (how == 1) assert_int_equal(keel_delete(f.world, e, Position, Owned, Frozen), KEEL_OK);
        if (how > 0) keel_delete_entity_unchecked(f.world, e);
        assert_false(keel_is_alive(f.world, e));
        assert_int_equal(keel_count(f.world, Position), 0);
        assert_int_equal(keel_count(f.world, Owned), 0);
        assert_int_equal(owned.living, 0);
        assert_null(keel_get(f.world, e, Position)); // not even by the old handle
        const keel_entity again = keel_add_entity(f.world);
        assert_same_entity(again, handle_at(0, 1));
        assert_null(keel_get(f.world, again, Position)); // a new one never sees the old values
        assert_int_equal(keel_remove(f.world, again, Position), KEEL_ABSENT);
        api_end(&f);
        assert_owned_end();
    }
}

// ------------------------------------------------------------------ room beforehand
static void reserved_room_needs_no_memory(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    enum { COUNT = 10000 };
    api_fixture f;
    api_begin(&f);
    assert_int_equal(keel_reserve_component(f.world, &keel_entities, COUNT), KEEL_OK);
    assert_int_equal(keel_reserve(f.world, Position, COUNT), KEEL_OK);
    assert_int_equal(keel_reserve(f.world, Large, COUNT), KEEL_OK);
    assert_int_equal(keel_reserve(f.world, Frozen, COUNT), KEEL_OK);
    counting_allocator_fail_after(&f.memory, 0);
    for (uint32_t i = 0; i < COUNT; ++i)
        assert_false(keel_is_null(keel_add_entity(f.world, KEEL_INIT(Position, { 1, 1 }),
                                                  KEEL_INIT(Large), KEEL_INIT(Frozen))));
    assert_int_equal(f.memory.failures, 0);
    // deleting and adding again needs none either
    assert_int_equal(keel_clear_entities(f.world), KEEL_OK);
    for (uint32_t i = 0; i < COUNT; ++i)
        assert_false(keel_is_null(keel_add_entity(f.world, KEEL_INIT(Position, { 1, 1 }))));
    assert_int_equal(f.memory.failures, 0);
    // more than there can be is an error, and nothing is tried
    assert_int_equal(keel_reserve(f.world, Position, UINT32_MAX), KEEL_ERROR_FULL);
    assert_error(f.world, KEEL_ERROR_FULL, "'Position'");
    assert_int_equal(keel_reserve_component(f.world, &keel_entities, UINT32_MAX), KEEL_ERROR_FULL);
    assert_error(f.world, KEEL_ERROR_FULL, "make room for 4294967295 entities");
    // less than there is already is no work
    assert_int_equal(keel_reserve(f.world, Position, 5), KEEL_OK);
    assert_int_equal(keel_reserve_component(f.world, &keel_entities, 5), KEEL_OK);
    api_end(&f);
}

// Room for values is room on whichever living entities they are added to.
static void reserved_values_fit_any_entity(void **state) {
    (void)state;
    enum { COUNT = 20000 };
    api_fixture f;
    keel_entity *e = malloc(COUNT * sizeof *e);
    api_begin(&f);
    assert_int_equal(keel_add_entity_columns(f.world, COUNT, e, NULL), KEEL_OK);
    assert_int_equal(keel_reserve(f.world, Number, 10), KEEL_OK);
    counting_allocator_fail_after(&f.memory, 0);
    for (uint32_t i = 0; i < 10; ++i)
        assert_int_equal(keel_add(f.world, e[i * 1999], Number, { i }), KEEL_OK);
    assert_int_equal(f.memory.failures, 0);
    free(e);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    // proves S-107
    TEST(many_adds_are_as_many_single_adds, "many adds at once are as many single adds"),
    TEST(adding_no_entities_does_nothing, "adding no entities does nothing"),
    TEST(columns_may_come_from_an_array_of_structs, "columns may be members of structs"),
    TEST(column_values_are_handed_over, "values of a column are handed over"),
    TEST(a_filling_value_is_copied, "a filling value is copied, and kept by the caller"),
    TEST(a_copy_that_fails_undoes_everything, "a copy hook that fails undoes everything"),
    TEST(what_cannot_be_copied_is_refused, "what cannot be copied is refused by name"),
    TEST(a_column_named_twice_is_refused, "a column named twice is refused"),
    TEST(columns_of_the_same_storage_may_be_added, "columns may lie in the storage itself"),
    TEST(more_than_there_are_indices_is_refused, "more entities than indices are refused"),
    TEST(a_clone_has_copies_of_everything, "a clone has copies of all components"),
    TEST(many_clones_at_once, "many clones are made at once"),
    TEST(a_clone_that_fails_changes_nothing, "a clone that fails changes nothing"),
    TEST(a_clone_takes_no_place_in_the_hierarchy, "a clone takes no place in the hierarchy"),
    TEST(the_dead_cannot_be_cloned, "the dead cannot be cloned"),
    // proves S-34
    TEST(every_owner_of_a_component_is_deleted, "every owner of a component is deleted"),
    TEST(owners_of_links_can_be_deleted, "owners of links can be deleted"),
    TEST(a_list_of_entities_is_deleted, "a list of entities is deleted, the dead are skipped"),
    TEST(a_list_is_deleted_whole_or_not_at_all, "a list is deleted whole or not at all"),
    // proves S-108..S-110
    TEST(the_unchecked_delete_leaves_nothing, "unchecked deletion leaves nothing behind"),
    TEST(reserved_room_needs_no_memory, "adding within reserved room needs no memory"),
    TEST(reserved_values_fit_any_entity, "reserved values fit on any living entity"),
};

int main(void) { return RUN(tests); }
