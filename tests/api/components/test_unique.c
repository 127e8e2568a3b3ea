// SPDX-License-Identifier: MIT
// Uniques: single values without an entity.
#include "support/view_fixture.h"

#include <stdio.h>

KEEL_UNIQUE(Owned, .drop = owned_drop, .copy = owned_copy, .move = owned_move);
KEEL_UNIQUE(Large);
KEEL_UNIQUE(Number);
typedef struct Gravity {
    float x, y;
} Gravity;
static const Gravity earth = { 0, -10 };
KEEL_UNIQUE(Gravity, .initial = &earth);
typedef Owned Loot;
static Owned loot; // not const: each test makes one
KEEL_UNIQUE(Loot, .initial = &loot, .drop = owned_drop, .copy = owned_copy, .move = owned_move);
static uint32_t mark_slot;
static const keel_component mark = { .name = "Mark", .is_unique = true, .slot = &mark_slot };

static void a_unique_has_no_entity(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    assert_int_equal(keel_set_unique(f.world, Time, { 1, 0.5 }), KEEL_OK);
    assert_int_equal(keel_entity_count(f.world), 0);
    assert_true(keel_get_unique(f.world, Time)->now == 1);
    keel_get_unique_mut(f.world, Time)->now += 2;
    const keel_entity e = keel_add_entity(f.world);
    assert_null(keel_next_component_of(f.world, e, NULL));
    assert_int_equal(keel_clear_entities(f.world), KEEL_OK);
    assert_true(keel_get_unique(f.world, Time)->now == 3); // entities come and go
    assert_true(keel_get_unique(f.world, Time)->step == 0.5);
    assert_int_equal(keel_set_unique(f.world, Time), KEEL_OK); // zeros
    assert_true(keel_get_unique(f.world, Time)->now == 0);
    api_end(&f);
}

static void access_before_it_is_set_is_an_error(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    assert_null(keel_get_unique(f.world, Time));
    assert_null(keel_get_unique_mut(f.world, Time));
    assert_no_error(f.world);
    assert_no_view(f.world, KEEL_TERMS(KEEL_UNIQUE_READ(Time, t)), KEEL_ERROR_MISSING_UNIQUE,
                   "Time");
    assert_no_view(f.world, KEEL_TERMS(KEEL_UNIQUE_WRITE(Time, t)), KEEL_ERROR_MISSING_UNIQUE,
                   "Time");
    assert_int_equal(keel_remove_unique(f.world, Time), KEEL_ABSENT);
    assert_int_equal(keel_set_unique(f.world, Time, { 1, 2 }), KEEL_OK);
    keel_view view = open_view(f.world, KEEL_TERMS(KEEL_UNIQUE_READ(Time, t)));
    keel_view_end(&view);
    assert_int_equal(keel_remove_unique(f.world, Time), KEEL_OK);
    assert_null(keel_get_unique(f.world, Time));
    assert_no_view(f.world, KEEL_TERMS(KEEL_UNIQUE_READ(Time, t)), KEEL_ERROR_MISSING_UNIQUE,
                   "Time");
    api_end(&f);
}

static void a_second_set_replaces_the_value(void **state) {
    (void)state;
    api_fixture f;
    owned_begin();
    api_begin(&f);
    Owned first = owned_make(), second = owned_make(); // what is handed over is wiped
    const uint32_t old = first.token, now = second.token;
    assert_int_equal(keel_set_unique_value(f.world, KEEL_UNIQUE_OF(Owned), &first), KEEL_OK);
    const size_t bytes = keel_world_statistics(f.world).memory.uniques;
    assert_int_equal(keel_set_unique_value(f.world, KEEL_UNIQUE_OF(Owned), &second), KEEL_OK);
    assert_false(owned.alive[old]);
    assert_int_equal(keel_get_unique(f.world, Owned)->token, now);
    assert_int_equal(keel_world_statistics(f.world).memory.uniques, bytes);
    const Owned *same = keel_get_unique(f.world, Owned); // its own value: stays
    assert_int_equal(keel_set_unique_value(f.world, KEEL_UNIQUE_OF(Owned), same), KEEL_OK);
    assert_int_equal(owned.living, 1);
    assert_int_equal(keel_set_unique_value(f.world, KEEL_UNIQUE_OF(Owned), NULL), KEEL_OK);
    assert_int_equal(keel_get_unique(f.world, Owned)->token, 0); // zeros
    assert_int_equal(owned.living, 0);
    api_end(&f);
    assert_owned_end();
}

static void removing_hands_it_out_or_drops_it(void **state) {
    (void)state;
    api_fixture f;
    owned_begin();
    api_begin(&f);
    Owned first = owned_make(), second = owned_make(), third = owned_make();
    const uint32_t one = first.token, two = second.token;
    keel_set_unique_value(f.world, KEEL_UNIQUE_OF(Owned), &first);
    Owned out = { 0, 0 };
    assert_int_equal(keel_remove_unique(f.world, Owned, &out), KEEL_OK);
    assert_int_equal(out.token, one);
    assert_true(owned.alive[one]);
    owned_release(out);
    keel_set_unique_value(f.world, KEEL_UNIQUE_OF(Owned), &second);
    assert_int_equal(keel_remove_unique(f.world, Owned), KEEL_OK);
    assert_false(owned.alive[two]);
    assert_int_equal(keel_remove_unique(f.world, Owned, &out), KEEL_ABSENT);
    assert_int_equal(keel_world_statistics(f.world).memory.uniques, 0);
    keel_set_unique_value(f.world, KEEL_UNIQUE_OF(Owned), &third); // goes with the world
    api_end(&f);
    assert_owned_end();
}

static void a_unique_is_borrowed_like_a_storage(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_set_unique(f.world, Time, { 1, 2 });
    keel_view a = open_view(f.world, KEEL_TERMS(KEEL_UNIQUE_READ(Time, t)));
    keel_view b = open_view(f.world, KEEL_TERMS(KEEL_UNIQUE_READ(Time, t)));
    assert_true(keel_get_unique(&a, Time)->now == 1);
    assert_null(keel_get_unique_mut(&a, Time)); // reading only
    assert_error(f.world, KEEL_ERROR_ACCESS, "add KEEL_UNIQUE_WRITE");
    assert_no_view(f.world, KEEL_TERMS(KEEL_UNIQUE_WRITE(Time, t)), KEEL_ERROR_BORROWED, "Time");
    assert_int_equal(keel_set_unique(f.world, Time, { 3, 4 }), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_remove_unique(f.world, Time), KEEL_ERROR_BORROWED);
    assert_null(keel_get_unique_mut(f.world, Time));
    assert_true(keel_get_unique(f.world, Time)->now == 1); // reading through the world goes on
    keel_clear_errors(f.world);
    keel_view_end(&a);
    keel_view_end(&b);
    a = open_view(f.world, KEEL_TERMS(KEEL_UNIQUE_WRITE(Time, t)));
    keel_get_unique_mut(&a, Time)->now = 7;
    assert_no_view(f.world, KEEL_TERMS(KEEL_UNIQUE_READ(Time, t)), KEEL_ERROR_BORROWED, "Time");
    assert_no_view(f.world, KEEL_TERMS(KEEL_UNIQUE_WRITE(Time, t)), KEEL_ERROR_BORROWED, "Time");
    assert_int_equal(keel_set_unique(f.world, Time, { 3, 4 }), KEEL_ERROR_BORROWED);
    keel_clear_errors(f.world);
    keel_view_end(&a);
    assert_null(keel_get_unique(&a, Time));
    assert_int_equal(keel_set_unique(f.world, Time, { 3, 4 }), KEEL_OK);
    assert_true(keel_get_unique(f.world, Time)->now == 3);
    api_end(&f);
}

static void a_unique_and_a_component_never_meet(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_set_unique(f.world, Number, { 77 });
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    keel_view component = open_view(f.world, KEEL_TERMS(KEEL_WRITE(Number, n)));
    keel_view unique = open_view(f.world, KEEL_TERMS(KEEL_UNIQUE_WRITE(Number, n)));
    keel_get_mut(&component, e, Number)->value = 2;
    keel_get_unique_mut(&unique, Number)->value = 78;
    keel_view_end(&component);
    keel_view_end(&unique);
    assert_int_equal(keel_remove_unique(f.world, Number), KEEL_OK);
    assert_int_equal(keel_get(f.world, e, Number)->value, 2);
    assert_int_equal(keel_count(f.world, Number), 1);
    api_end(&f);
}

static void uniques_of_every_size(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    static const Large large = { { [511] = 5 } };
    assert_int_equal(keel_set_unique_value(f.world, KEEL_UNIQUE_OF(Large), &large), KEEL_OK);
    assert_int_equal(keel_get_unique(f.world, Large)->word[511], 5);
    assert_null(keel_get_unique_value(f.world, &mark)); // a tag: set or not
    assert_int_equal(keel_set_unique_value(f.world, &mark, NULL), KEEL_OK);
    assert_non_null(keel_get_unique_value(f.world, &mark));
    assert_int_equal(keel_remove_unique_value(f.world, &mark, NULL), KEEL_OK);
    assert_null(keel_get_unique_value(f.world, &mark));
    for (uint32_t align = 1; align <= KEEL_MAX_COMPONENT_ALIGN; align *= 2) {
        char name[16];
        snprintf(name, sizeof name, "Aligned%u", (unsigned)align);
        const keel_component wide = {
            .name = name, .size = align, .align = align, .is_unique = true
        };
        assert_int_equal(keel_set_unique_value(f.world, &wide, NULL), KEEL_OK);
        assert_int_equal((uintptr_t)keel_get_unique_value(f.world, &wide) % align, 0);
    }
    api_end(&f);
}

static void the_wrong_kind_is_refused(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    assert_int_equal(keel_set_unique_value(f.world, KEEL_OF(Number), NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "Number");
    assert_int_equal(keel_set_unique_value(f.world, NULL, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, NULL);
    assert_null(keel_get_unique_value(f.world, NULL));
    assert_null(keel_get_unique_value(f.world, KEEL_OF(Number)));
    assert_int_equal(keel_remove_unique_value(f.world, KEEL_OF(Number), NULL), KEEL_ABSENT);
    const keel_term terms[] = { { .kind = KEEL_TERM_UNIQUE_READ, .component = KEEL_OF(Number) },
                                { .kind = KEEL_TERM_END } };
    assert_no_view(f.world, terms, KEEL_ERROR_ARGUMENT, "Number");
    const keel_term wrong[] = { { .kind = KEEL_TERM_READ, .component = KEEL_UNIQUE_OF(Time) },
                                { .kind = KEEL_TERM_END } };
    assert_no_view(f.world, wrong, KEEL_ERROR_ARGUMENT, "Time");
    api_end(&f);
}

// ------------------------------------------------------------------ .initial
static float fallen;
KEEL_SYSTEM_ONCE(fall, KEEL_UNIQUE_WRITE(Gravity, gravity)) { fallen += gravity->y++; }

static void an_initial_value_is_there_for_who_comes_first(void **state) {
    (void)state;
    for (uint32_t first = 0; first < 6; ++first) {
        api_fixture f;
        api_begin(&f);
        fallen = -10;
        if (first == 0) assert_int_equal(keel_run(f.world, fall), KEEL_OK);
        if (first == 1) assert_true(keel_get_unique(f.world, Gravity)->y == -10);
        if (first == 2) assert_true(keel_get_unique_mut(f.world, Gravity)->y == -10);
        if (first == 3) assert_true(keel_get_or_set_unique(f.world, Gravity, { 1, 1 })->y == -10);
        if (first == 4) {
            keel_view view = open_view(f.world, KEEL_TERMS(KEEL_UNIQUE_READ(Gravity, g)));
            assert_true(keel_get_unique(&view, Gravity)->y == -10);
            keel_view_end(&view);
        }
        if (first == 5)
            assert_true(((const Gravity *)keel_get_unique_value(KEEL_SCOPE(f.world),
                                                                KEEL_UNIQUE_OF(Gravity)))
                            ->y == -10);
        assert_true(keel_get_unique(f.world, Gravity)->y == (first ? -10 : -9));
        assert_true(fallen == (first ? -10 : -20));
        assert_true(earth.y == -10);
        // taken away it stays away
        assert_int_equal(keel_remove_unique(f.world, Gravity), KEEL_OK);
        assert_null(keel_get_unique(f.world, Gravity));
        assert_int_equal(keel_run(f.world, fall), KEEL_ERROR_MISSING_UNIQUE);
        assert_true(keel_get_or_set_unique(f.world, Gravity, { 1, 2 })->y == 2);
        keel_clear_errors(f.world);
        api_end(&f);
    }
}

static void an_initial_value_is_copied_by_its_hook(void **state) {
    (void)state;
    for (uint32_t allowed = 0, done = 0; !done; ++allowed) {
        api_fixture f, g;
        owned_begin();
        loot = owned_make();
        api_begin(&f);
        api_begin(&g);
        counting_allocator_fail_after(&f.memory, allowed);
        const keel_component *known = keel_register_component(f.world, KEEL_UNIQUE_OF(Loot));
        counting_allocator_never_fail(&f.memory);
        done = known != NULL;
        if (!done) assert_error(f.world, KEEL_ERROR_MEMORY, NULL);
        owned.copies_left = 0;
        if (!done) assert_null(keel_get_unique(f.world, Loot));
        if (!done) assert_error(f.world, KEEL_ERROR_COPY, "its initial value");
        owned.copies_left = UINT32_MAX;
        assert_int_not_equal(keel_get_unique(f.world, Loot)->token, loot.token);
        // a copy has what its source has, not what it would begin with
        keel_get_unique_mut(f.world, Gravity)->x = 5;
        assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK);
        assert_true(keel_get_unique(g.world, Gravity)->x == 5);
        assert_int_equal(owned.living, 3);
        assert_int_equal(keel_clear_uniques(g.world), KEEL_OK);
        assert_int_equal(keel_remove_unique(f.world, Gravity), KEEL_OK);
        assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK);
        assert_null(keel_get_unique(g.world, Gravity));
        keel_clear_errors(f.world);
        api_end(&f);
        api_end(&g);
        owned_release(loot);
        assert_owned_end();
    }
}

static void what_cannot_begin_with_a_value_is_refused(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_component component = {
        .name = "c", .size = 8, .align = 4, .is_unique = true, .is_event = true, .initial = &earth
    };
    const keel_component owning = {
        .name = "u", .size = 8, .align = 4, .is_unique = true, .initial = &earth, .drop = owned_drop
    };
    assert_null(keel_register_component(f.world, &component));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "which only components and uniques have");
    assert_null(keel_register_component(f.world, &owning));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "no copy hook");
    assert_null(keel_get_unique_value(f.world, &owning));
    assert_null(keel_get_unique_value(f.world, &component));
    keel_clear_errors(f.world);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    // proves S-50
    TEST(a_unique_has_no_entity, "a unique is one value without an entity"),
    // proves S-52
    TEST(access_before_it_is_set_is_an_error, "a unique must be set before it is used"),
    // proves S-54
    TEST(a_second_set_replaces_the_value, "setting a unique again replaces its value"),
    TEST(removing_hands_it_out_or_drops_it, "removing a unique hands it out or drops it"),
    // proves S-53
    TEST(a_unique_is_borrowed_like_a_storage, "a unique is borrowed like a storage"),
    // proves S-6 S-51
    TEST(a_unique_and_a_component_never_meet,
         "a unique and a component of one type are borrowed apart"),
    TEST(an_initial_value_is_there_for_who_comes_first, "an initial value is there at once"),
    TEST(an_initial_value_is_copied_by_its_hook, "an initial value is copied by its hook"),
    TEST(what_cannot_begin_with_a_value_is_refused, "an initial value that cannot be is refused"),
    TEST(uniques_of_every_size, "uniques may be tags, large, and of any alignment"),
    TEST(the_wrong_kind_is_refused, "a component is no unique, a unique no component"),
};
int main(void) { return RUN(tests); }
