// SPDX-License-Identifier: MIT
// Adding, replacing, removing and deleting components of one entity, and reading them.
#include "support/api_types.h"

static keel_entity add_full(keel_world *world) {
    return keel_add_entity(world, KEEL_INIT(Position, { 1, 2 }), KEEL_INIT(Velocity, { 3, 4 }));
}

// ------------------------------------------------------------------ adding
static void an_entity_has_one_of_each_kind(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_add(f.world, e, Position, { 1, 1 }), KEEL_OK);
    assert_int_equal(keel_add(f.world, e, Velocity, { 2, 2 }), KEEL_OK);
    assert_int_equal(keel_add(f.world, e, Health, { 3 }), KEEL_OK);
    assert_int_equal(keel_add(f.world, e, Frozen), KEEL_OK);
    assert_int_equal(keel_add(f.world, e, Position, { 4, 4 }), KEEL_OK);
    assert_int_equal(keel_add(f.world, e, Frozen), KEEL_OK);
    assert_int_equal(keel_count(f.world, Position), 1);
    assert_int_equal(keel_count(f.world, Velocity), 1);
    assert_int_equal(keel_count(f.world, Health), 1);
    assert_int_equal(keel_count(f.world, Frozen), 1);
    api_end(&f);
}

static void adding_again_replaces_the_value(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = add_full(f.world), other = add_full(f.world);
    assert_int_equal(keel_add(f.world, e, Position, { 7, 8 }), KEEL_OK);
    assert_true(keel_get(f.world, e, Position)->x == 7);
    assert_true(keel_get(f.world, other, Position)->x == 1);
    assert_int_equal(keel_add(f.world, e, Position), KEEL_OK); // no value: it stays
    assert_true(keel_get(f.world, e, Position)->x == 7);
    assert_true(keel_get(f.world, e, Position)->y == 8);
    api_end(&f);
}

static void several_are_added_at_once(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_add(f.world, e, Velocity, { 1, 1 }), KEEL_OK);
    assert_int_equal(
        keel_add_values(f.world, e, KEEL_INIT(Position, { 2, 2 }), KEEL_INIT(Velocity, { 3, 3 })),
        KEEL_OK);
    assert_true(keel_get(f.world, e, Position)->x == 2);
    assert_true(keel_get(f.world, e, Velocity)->x == 3); // the second value
    assert_int_equal(keel_add_component_values(f.world, e, NULL), KEEL_OK);
    api_end(&f);
}

static void a_component_named_twice_gets_the_last_value(void **state) {
    (void)state;
    api_fixture f;
    owned_begin();
    api_begin(&f);
    const Owned a = owned_make(), b = owned_make(), c = owned_make(), d = owned_make();
    const keel_entity e =
        keel_add_entity(f.world, KEEL_INIT(Owned, a), KEEL_INIT(Health), KEEL_INIT(Owned, b));
    assert_int_equal(keel_get(f.world, e, Owned)->token, b.token);
    assert_false(owned.alive[a.token]);
    assert_int_equal(keel_count(f.world, Owned), 1);
    assert_int_equal(keel_add_values(f.world, e, KEEL_INIT(Owned, c), KEEL_INIT(Owned, d)),
                     KEEL_OK);
    assert_int_equal(keel_get(f.world, e, Owned)->token, d.token);
    assert_int_equal(owned.living, 1);
    api_end(&f);
    assert_owned_end();
}

// All or none: the last of the list cannot be added, so the first is not.
static void a_list_is_added_whole_or_not_at_all(void **state) {
    (void)state;
    static const keel_component bad = { .name = "Bad", .size = 3, .align = 2 };
    api_fixture f;
    owned_begin();
    api_begin(&f);
    const keel_entity e = add_full(f.world);
    const Owned mine = owned_make();
    const keel_value values[] = {
        KEEL_INIT(Owned, mine), KEEL_INIT(Position, { 9, 9 }), { &bad, NULL }, { NULL, NULL }
    };
    assert_int_equal(keel_add_component_values(f.world, e, values), KEEL_ERROR_ARGUMENT);
    assert_true(keel_is_null(keel_add_entity_values(f.world, values)));
    assert_false(keel_has(f.world, e, Owned));
    assert_true(keel_get(f.world, e, Position)->x == 1);
    assert_int_equal(keel_entity_count(f.world), 1);
    assert_int_equal(owned.living, 1); // the caller still owns it
    owned_release(mine);
    assert_same_entity(keel_add_entity(f.world), handle_at(1, 0)); // no index was used up
    api_end(&f);
    assert_owned_end();
}

static void adding_to_a_dead_entity_fails(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = add_full(f.world);
    assert_int_equal(keel_delete_entity(f.world, e), KEEL_OK);
    assert_int_equal(keel_add(f.world, e, Position, { 1, 1 }), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_add_values(f.world, e, KEEL_INIT(Position, { 1, 1 })),
                     KEEL_ERROR_DEAD_ENTITY);
    assert_null(keel_get_or_add(f.world, e, Position));
    assert_null(keel_get_or_add(f.world, e, Position));
    const keel_entity again = keel_add_entity(f.world);
    assert_int_equal(keel_entity_index(again), keel_entity_index(e));
    assert_int_equal(keel_add(f.world, e, Position, { 1, 1 }), KEEL_ERROR_DEAD_ENTITY);
    assert_false(keel_has(f.world, again, Position));
    assert_no_error(f.world); // this outcome is only returned
    api_end(&f);
}

static void the_unchecked_add_does_the_same(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_add_unchecked(f.world, e, Velocity, { 1, 2 }), KEEL_OK);
    assert_int_equal(keel_add_unchecked(f.world, e, Velocity, { 3, 4 }), KEEL_OK);
    assert_int_equal(keel_add_unchecked(f.world, e, Frozen), KEEL_OK);
    assert_true(keel_get(f.world, e, Velocity)->y == 4);
    assert_true(keel_has(f.world, e, Frozen));
    assert_int_equal(keel_count(f.world, Velocity), 1);
    api_end(&f);
}

static void adding_without_a_value_never_touches_one(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Position, { 5, 6 })),
                      bare = keel_add_entity(f.world);
    const keel_value none[] = { { KEEL_OF(Position), NULL }, { NULL, NULL } };
    assert_int_equal(keel_track(f.world, Position, KEEL_TRACK_MODIFICATION), KEEL_OK);
    assert_int_equal(keel_clear_changes(f.world, Position, KEEL_TRACK_ALL, KEEL_NOW), KEEL_OK);
    assert_int_equal(keel_add(f.world, e, Position), KEEL_OK);
    assert_int_equal(keel_add_component(f.world, e, KEEL_OF(Position), NULL), KEEL_OK);
    assert_int_equal(keel_add_values(f.world, e, KEEL_INIT(Position), KEEL_INIT(Frozen)), KEEL_OK);
    assert_int_equal(keel_add_component_values(f.world, e, none), KEEL_OK);
    assert_int_equal(keel_add_many(f.world, ((keel_entity[]){ e, bare }), 2, Position), KEEL_OK);
    assert_int_equal(keel_add_matching(f.world, KEEL_TERMS(KEEL_WITH(Position)), Position),
                     KEEL_OK);
    assert_true(keel_get(f.world, e, Position)->x == 5);
    assert_true(keel_get(f.world, bare, Position)->x == 0); // it lacked it
    assert_true(keel_has(f.world, e, Frozen));
    assert_int_equal(keel_changes_of(f.world, e, Position), 0); // nor is it marked
    assert_int_equal(
        keel_add_values(f.world, e, KEEL_INIT(Position, { 7, 8 }), KEEL_INIT(Position)),
        KEEL_OK); // of a value and none the value counts
    assert_true(keel_get(f.world, e, Position)->x == 7);
    assert_int_equal(keel_replace(f.world, e, Position), KEEL_OK); // this one does
    assert_true(keel_get(f.world, e, Position)->x == 0);
    api_end(&f);
}

static void add_if_missing_drops_what_is_not_needed(void **state) {
    (void)state;
    api_fixture f;
    owned_begin();
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    const Owned a = owned_make(), b = owned_make(), c = owned_make();
    assert_int_equal(keel_add_if_missing(f.world, e, Owned, a), KEEL_OK);
    assert_int_equal(keel_add_if_missing(f.world, e, Owned, b), KEEL_OK);
    assert_int_equal(keel_add_if_missing(KEEL_SCOPE(f.world), e, Position, { 1, 2 }), KEEL_OK);
    assert_int_equal(keel_get(f.world, e, Owned)->token, a.token);
    assert_true(keel_get(f.world, e, Position)->x == 1);
    (void)keel_delete_entity(f.world, e);
    assert_int_equal(keel_add_if_missing(f.world, e, Owned, c), KEEL_ERROR_DEAD_ENTITY);
    owned_release(c); // was not handed over
    api_end(&f);
    assert_owned_end();
}

static void get_or_add_adds_once(void **state) {
    (void)state;
    api_fixture f;
    owned_begin();
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    const Owned a = owned_make(), b = owned_make();
    Owned *first = keel_get_or_add(f.world, e, Owned, a);
    assert_int_equal(first->token, a.token);
    assert_ptr_equal(keel_get_or_add(f.world, e, Owned, b), first);
    assert_int_equal(first->token, a.token);
    owned_release(b); // was not handed over
    assert_int_equal(keel_get_or_add(f.world, e, Health)->points, 0);
    api_end(&f);
    assert_owned_end();
}

// The value to add lies in the storage that grows, or that is overwritten.
static void a_value_of_the_same_storage_may_be_added(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity first = keel_add_entity(f.world, KEEL_INIT(Number, { 77 }));
    for (uint32_t i = 0; i < 20000; ++i) {
        const Number *number = keel_get(f.world, first, Number);
        const keel_value list[] = { { KEEL_OF(Number), number }, { NULL, NULL } };
        keel_entity e;
        if (i % 2) {
            e = keel_add_entity_values(f.world, list);
        } else {
            e = keel_add_entity(f.world);
            assert_int_equal(keel_add_component(f.world, e, KEEL_OF(Number), number), KEEL_OK);
        }
        assert_int_equal(keel_get(f.world, e, Number)->value, 77);
    }
    const Number *number = keel_get(f.world, first, Number);
    assert_int_equal(keel_add_component(f.world, first, KEEL_OF(Number), number), KEEL_OK);
    assert_int_equal(keel_get(f.world, first, Number)->value, 77);
    api_end(&f);
}

// Two components of one list, each from its own growing storage.
static void values_of_the_same_storages_may_be_added_in_a_list(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity first =
        keel_add_entity(f.world, KEEL_INIT(Number, { 1 }), KEEL_INIT(Other, { 2 }));
    for (int i = 0; i < 300; ++i) {
        const keel_entity e = keel_add_entity(f.world);
        const keel_value list[] = { { KEEL_OF(Number), keel_get(f.world, first, Number) },
                                    { KEEL_OF(Other), keel_get(f.world, first, Other) },
                                    { NULL, NULL } };
        assert_int_equal(keel_add_component_values(f.world, e, list), KEEL_OK);
        assert_int_equal(keel_get(f.world, e, Number)->value, 1);
        assert_int_equal(keel_get(f.world, e, Other)->value, 2);
    }
    api_end(&f);
}

// ------------------------------------------------------------------ removing
static void removing_hands_the_value_out(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = add_full(f.world);
    Velocity v = { 0, 0 };
    assert_int_equal(keel_remove(f.world, e, Velocity, &v), KEEL_OK);
    assert_true(v.x == 3 && v.y == 4);
    assert_false(keel_has(f.world, e, Velocity));
    assert_true(keel_has(f.world, e, Position));
    v.x = 99;
    assert_int_equal(keel_remove(f.world, e, Velocity, &v), KEEL_ABSENT);
    assert_true(v.x == 99); // untouched
    assert_int_equal(keel_remove(f.world, e, Position), KEEL_OK);
    assert_true(keel_is_alive(f.world, e));
    api_end(&f);
}

static void several_are_removed_at_once(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = add_full(f.world);
    Position p = { 0, 0 };
    Velocity v = { 8, 8 };
    bool had_p = false, had_v = true;
    assert_int_equal(keel_remove(f.world, e, Velocity), KEEL_OK);
    assert_int_equal(keel_remove_values(f.world, e, KEEL_OUT(Position, &p, &had_p),
                                        KEEL_OUT(Velocity, &v, &had_v)),
                     KEEL_OK);
    assert_true(had_p);
    assert_false(had_v);
    assert_true(p.x == 1);
    assert_true(v.x == 8);
    assert_int_equal(keel_remove_values(f.world, e, KEEL_OUT(Position, &p, &had_p)), KEEL_ABSENT);
    assert_false(had_p);
    // without asking whether it was there; dropped instead of handed out; named twice
    assert_int_equal(
        keel_add_values(f.world, e, KEEL_INIT(Position, { 5, 5 }), KEEL_INIT(Velocity, { 6, 6 })),
        KEEL_OK);
    const keel_out outs[] = { { KEEL_OF(Velocity), NULL, NULL },
                              KEEL_OUT(Position, &p),
                              { KEEL_OF(Position), NULL, &had_p },
                              { NULL, NULL, NULL } };
    assert_int_equal(keel_remove_component_values(f.world, e, outs), KEEL_OK);
    assert_true(p.x == 5);
    assert_false(had_p);
    assert_false(keel_has(f.world, e, Velocity));
    api_end(&f);
}

static void deleting_tells_only_whether_it_was_there(void **state) {
    (void)state;
    api_fixture f;
    owned_begin();
    api_begin(&f);
    const Owned mine = owned_make(), other = owned_make();
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Owned, mine));
    const keel_entity taken = keel_add_entity(f.world, KEEL_INIT(Owned, other));
    assert_int_equal(keel_delete(f.world, e, Owned), KEEL_OK);
    assert_int_equal(owned.living, 1); // its value is gone at once: Keel tracks no deletions
    assert_int_equal(keel_delete(f.world, e, Owned), KEEL_ABSENT);
    assert_int_equal(keel_delete_component(f.world, e, KEEL_OF(Owned)), KEEL_ABSENT);
    Owned out;
    assert_int_equal(keel_remove(f.world, taken, Owned, &out), KEEL_OK);
    assert_int_equal(out.token, other.token);
    assert_int_equal(owned.living, 1); // a removed value is given back, not released
    owned_release(out);
    api_end(&f);
    assert_owned_end();
}

// Upstream's tuple form stopped after the first component that was present.
static void deleting_several_does_not_stop_at_the_first(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = add_full(f.world), half = add_full(f.world), last = add_full(f.world);
    assert_int_equal(keel_delete(f.world, e, Position, Velocity), KEEL_OK);
    assert_false(keel_has(f.world, e, Position));
    assert_false(keel_has(f.world, e, Velocity));

    assert_int_equal(keel_delete(f.world, half, Velocity), KEEL_OK);
    assert_int_equal(keel_delete(f.world, half, Position, Velocity), KEEL_OK);
    assert_false(keel_has(f.world, half, Position));
    assert_true(keel_is_alive(f.world, half)); // with nothing
    assert_null(keel_next_component_of(f.world, half, NULL));
    assert_int_equal(keel_delete(f.world, half, Position, Velocity), KEEL_ABSENT);

    // absent ones before and between present ones
    assert_int_equal(keel_delete(f.world, last, Health, Position, Frozen, Velocity), KEEL_OK);
    assert_null(keel_next_component_of(f.world, last, NULL));
    api_end(&f);
}

static void stripping_leaves_a_living_entity(void **state) {
    (void)state;
    api_fixture f;
    owned_begin();
    api_begin(&f);
    const Owned mine = owned_make();
    const keel_entity e = add_full(f.world), other = add_full(f.world);
    assert_int_equal(keel_add_values(f.world, e, KEEL_INIT(Owned, mine), KEEL_INIT(Frozen)),
                     KEEL_OK);
    assert_int_equal(keel_strip(f.world, e), KEEL_OK);
    assert_true(keel_is_alive(f.world, e));
    assert_null(keel_next_component_of(f.world, e, NULL));
    assert_int_equal(owned.living, 0);
    assert_int_equal(keel_count(f.world, Position), 1);
    assert_true(keel_get(f.world, other, Velocity)->y == 4);
    assert_int_equal(keel_strip(f.world, e), KEEL_ABSENT);
    api_end(&f);
    assert_owned_end();
}

// ------------------------------------------------------------------ reading
static void values_are_read_and_written_in_place(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = add_full(f.world);
    Position *p = keel_get_mut(f.world, e, Position);
    const Velocity *v = keel_get(f.world, e, Velocity);
    p->x += v->x;
    assert_true(keel_get(f.world, e, Position)->x == 4);
    assert_ptr_equal(keel_get(f.world, e, Position), p);
    assert_null(keel_get(f.world, e, Health)); // missing: NULL, no crash
    assert_null(keel_get_mut(f.world, e, Health));
    assert_int_equal(keel_remove(f.world, e, Position), KEEL_OK);
    assert_null(keel_get(f.world, e, Position)); // present in the world, missing here
    assert_no_error(f.world);
    api_end(&f);
}

static void a_column_finds_what_get_finds(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[5000];
    api_begin(&f);
    const keel_lookup column = keel_lookup_of(f.world, Number); // before anything is there
    for (uint32_t i = 0; i < 5000; ++i) {
        e[i] = keel_add_entity(f.world);
        if (i % 3) assert_int_equal(keel_add(f.world, e[i], Number, { i }), KEEL_OK);
    }
    for (uint32_t i = 0; i < 5000; i += 7)
        (void)keel_delete_entity(f.world, e[i]);
    for (uint32_t i = 0; i < 5000; ++i)
        assert_ptr_equal(keel_lookup_get(&column, e[i], Number), keel_get(f.world, e[i], Number));
    assert_null(keel_lookup_get(&column, e[1], Large)); // not the size of the column
    const keel_lookup zeroed = { 0 };
    assert_null(keel_lookup_get(&zeroed, e[1], Number));
    // it stays valid over growth and trimming
    assert_int_equal(keel_clear(f.world, Number), KEEL_OK);
    assert_int_equal(keel_world_trim(f.world), KEEL_OK);
    assert_null(keel_lookup_get(&column, e[1], Number));
    assert_int_equal(keel_add(f.world, e[1], Number, { 5 }), KEEL_OK);
    assert_int_equal(keel_lookup_get(&column, e[1], Number)->value, 5);
    api_end(&f);
}

// ------------------------------------------------------------------ retain and clear
static bool keep_even(keel_entity e, void *value, void *data) {
    (void)e;
    ++*(uint32_t *)data;
    return ((const Number *)value)->value % 2 == 0;
}
static bool keep_all(keel_entity e, void *value, void *data) {
    return (void)e, (void)value, (void)data, true;
}

static void retain_keeps_what_is_asked_for(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[100];
    uint32_t calls = 0;
    api_begin(&f);
    for (uint32_t i = 0; i < 100; ++i)
        e[i] = keel_add_entity(f.world, KEEL_INIT(Number, { i }));
    assert_int_equal(keel_retain(f.world, Number, keep_all, NULL), KEEL_ABSENT);
    assert_int_equal(keel_retain(f.world, Number, keep_even, &calls), KEEL_OK);
    assert_int_equal(calls, 100); // each was asked once
    for (uint32_t i = 0; i < 100; ++i) {
        const Number *n = keel_get(f.world, e[i], Number);
        assert_int_equal(n != NULL, i % 2 == 0);
        if (n) assert_int_equal(n->value, i);
        assert_true(keel_is_alive(f.world, e[i]));
    }
    assert_int_equal(keel_retain(f.world, Number, NULL, NULL), KEEL_ERROR_ARGUMENT);
    api_end(&f);
}

// Upstream's retain panicked where the storage was never made.
static void retain_without_a_storage_does_nothing(void **state) {
    (void)state;
    api_fixture f;
    uint32_t calls = 0;
    api_begin(&f);
    assert_int_equal(keel_retain(f.world, Number, keep_even, &calls), KEEL_ABSENT);
    assert_int_equal(keel_register(f.world, Number), KEEL_OK);
    assert_int_equal(keel_retain(f.world, Number, keep_even, &calls), KEEL_ABSENT);
    assert_int_equal(calls, 0);
    assert_no_error(f.world);
    api_end(&f);
}

static void clearing_a_component_keeps_the_entities(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[5000];
    api_begin(&f);
    for (uint32_t i = 0; i < 5000; ++i)
        e[i] = add_full(f.world);
    assert_int_equal(keel_clear(f.world, Position), KEEL_OK);
    assert_int_equal(keel_count(f.world, Position), 0);
    assert_int_equal(keel_count(f.world, Velocity), 5000);
    for (uint32_t i = 0; i < 5000; ++i) {
        assert_false(keel_has(f.world, e[i], Position));
        assert_true(keel_has(f.world, e[i], Velocity));
    }
    assert_int_equal(keel_clear(f.world, Position), KEEL_ABSENT);
    assert_int_equal(keel_add(f.world, e[4999], Position, { 1, 1 }), KEEL_OK);
    assert_int_equal(keel_count(f.world, Position), 1);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    // proves S-21
    TEST(an_entity_has_one_of_each_kind, "any number of components, one of each kind"),
    // proves S-22
    TEST(adding_again_replaces_the_value, "adding a component again replaces its value"),
    // proves S-23
    TEST(several_are_added_at_once, "several are added at once, the second value stays"),
    TEST(a_component_named_twice_gets_the_last_value, "named twice in a list, the last value wins"),
    TEST(a_list_is_added_whole_or_not_at_all, "a list is added whole or not at all"),
    // proves S-25
    TEST(adding_to_a_dead_entity_fails, "adding to a dead entity fails"),
    TEST(the_unchecked_add_does_the_same, "the unchecked add does the same to a living entity"),
    TEST(adding_without_a_value_never_touches_one,
         "adding without a value never touches a value that is there"),
    TEST(add_if_missing_drops_what_is_not_needed,
         "add_if_missing adds where there is none, and drops the value elsewhere"),
    TEST(get_or_add_adds_once, "get_or_add adds only when nothing is there"),
    TEST(a_value_of_the_same_storage_may_be_added,
         "the value to add may lie in the storage itself"),
    TEST(values_of_the_same_storages_may_be_added_in_a_list,
         "the values of a list may lie in the storages themselves"),
    // proves S-27
    TEST(removing_hands_the_value_out, "removing hands the value out, or says absent"),
    // proves S-28
    TEST(several_are_removed_at_once, "removing several tells which were there"),
    // proves S-30 S-35
    TEST(deleting_tells_only_whether_it_was_there,
         "deleting releases the value, removing gives it back"),
    // proves S-31 S-32
    TEST(deleting_several_does_not_stop_at_the_first, "deleting several deletes each one"),
    // proves S-33
    TEST(stripping_leaves_a_living_entity, "stripping deletes all components of an entity"),
    // proves S-38
    TEST(values_are_read_and_written_in_place, "get of a missing component is NULL"),
    TEST(a_column_finds_what_get_finds, "a column finds what get finds, over growth and trimming"),
    TEST(retain_keeps_what_is_asked_for, "retain asks once for each value"),
    TEST(retain_without_a_storage_does_nothing, "retain without a storage does nothing"),
    TEST(clearing_a_component_keeps_the_entities, "clearing a component keeps the entities"),
};

int main(void) { return RUN(tests); }
