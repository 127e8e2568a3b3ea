// SPDX-License-Identifier: MIT
// Values for the root of a copy: in place of the template's, whatever that one owns, is out of
// sight, or names; and what a copy that fails leaves behind.
#include "support/api_fixture.h"

typedef struct Gear {
    Owned owned;
} Gear;
typedef struct Load {
    Owned owned;
} Load;
typedef struct Aim {
    keel_entity at;
} Aim;
typedef struct Health {
    int32_t points;
} Health;
KEEL_FIELDS(Aim, at);
KEEL_COMPONENT(Aim, KEEL_HAS_FIELDS(Aim));
KEEL_COMPONENT(Health, .no_padding = true);
static uint64_t no_hash(const void *value, void *data) {
    (void)value, (void)data;
    return 1;
}
KEEL_COMPONENT(Gear, .drop = owned_drop, .copy = owned_copy, .move = owned_move, .hash = no_hash);
KEEL_COMPONENT(Load, .drop = owned_drop, .copy = owned_copy, .move = owned_move, .hash = no_hash,
               .storage = KEEL_ARCHETYPE);
KEEL_TAG(Armed);

static api_fixture f;
static keel_world *templates;
static keel_prefab alone, pair; // one entity; one with a part

static void begin(void) {
    owned_begin();
    api_begin(&f);
    templates = keel_templates(f.world);
    keel_prefab *const both[] = { &alone, &pair };
    for (uint32_t i = 0; i < 2; ++i) {
        const keel_entity e = keel_add_entity(templates, KEEL_INIT(Gear, { owned_make() }),
                                              KEEL_INIT(Load, { owned_make() }),
                                              KEEL_INIT(Health, { 5 }), KEEL_INIT(Armed));
        if (i) (void)keel_add_child(templates, e);
        keel_add(templates, e, Aim, { e });
        both[i]->root = e;
        (void)keel_delete_tree(f.world, keel_spawn(f.world, *both[i])); // all is known from now on
    }
    (void)keel_clear_entities(f.world);
}
static void end(void) {
    assert_no_error(f.world);
    api_end(&f);
    assert_owned_end();
}
static uint32_t gear_of(const keel_world *world, keel_entity e) {
    const Owned gear = keel_get(world, e, Gear)->owned;
    assert_true(gear.inverse == ~gear.token && owned.alive[gear.token]);
    return gear.token;
}

// The template's own stays what it was.
static void a_value_that_owns_something_is_given(void **state) {
    (void)state;
    for (uint32_t how = 0; how < 8; ++how) {
        begin();
        const keel_prefab prefab = how % 2 ? pair : alone;
        const uint32_t before = gear_of(templates, prefab.root);
        keel_scope *scope =
            how & 2 ? KEEL_SCOPE(keel_world_commands(f.world)) : KEEL_SCOPE(f.world);
        Gear mine[3] = { { owned_make() }, { owned_make() }, { owned_make() } };
        const uint32_t tokens[] = { mine[0].owned.token, mine[1].owned.token };
        keel_entity e[2];
        if (how & 4) {
            e[0] = keel_spawn(scope, prefab, KEEL_INIT(Gear, mine[0]));
            e[1] = keel_spawn(scope, prefab, KEEL_INIT(Gear, mine[2]), KEEL_INIT(Gear, mine[1]));
        } else {
            assert_int_equal(keel_spawn_many(scope, prefab, 2, e, KEEL_COLUMN(Gear, mine)),
                             KEEL_OK);
            owned_release(mine[2].owned);
        }
        assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
        for (uint32_t i = 0; i < 2; ++i)
            assert_int_equal(gear_of(f.world, e[i]), tokens[i]);
        assert_int_equal(gear_of(templates, prefab.root), before);
        end();
    }
}

static void one_value_is_copied_for_all(void **state) {
    (void)state;
    for (uint32_t how = 0; how < 2; ++how) {
        begin();
        keel_entity e[40];
        const Gear mine = { owned_make() };
        assert_int_equal(keel_spawn_many(f.world, how ? pair : alone, 40, e, KEEL_FILL(Gear, mine)),
                         KEEL_OK);
        for (uint32_t i = 0; i < 40; ++i)
            assert_int_not_equal(gear_of(f.world, e[i]), mine.owned.token);
        owned_release(mine.owned);
        end();
    }
}

// What is named is in sight.
static void a_value_out_of_sight_is_given(void **state) {
    (void)state;
    for (uint32_t how = 0; how < 8; ++how) {
        begin();
        const keel_prefab prefab = how % 2 ? pair : alone;
        keel_delete(templates, prefab.root, Gear); // then one alone is made without a batch
        if (how & 4) keel_delete(templates, prefab.root, Load);
        keel_disable(templates, prefab.root, Health);
        keel_disable(templates, prefab.root, Armed);
        keel_scope *scope =
            how & 2 ? KEEL_SCOPE(keel_world_commands(f.world)) : KEEL_SCOPE(f.world);
        const keel_entity hidden = keel_spawn(scope, prefab),
                          given = keel_spawn(scope, prefab, KEEL_INIT(Health, { 9 })),
                          named = keel_spawn(scope, prefab, KEEL_INIT(Armed));
        assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
        assert_true(keel_is_disabled(f.world, hidden, Health));
        assert_true(keel_is_disabled(f.world, hidden, Armed));
        assert_int_equal(keel_get(f.world, given, Health)->points, 9);
        assert_true(keel_is_disabled(f.world, given, Armed));
        assert_true(keel_has(f.world, named, Armed));
        assert_true(keel_is_disabled(f.world, named, Health));
        end();
    }
}

// A template that is handed over is meant itself.
static void a_value_that_names_a_template_is_given(void **state) {
    (void)state;
    for (uint32_t how = 0; how < 8; ++how) {
        begin();
        const keel_prefab prefab = how % 2 ? pair : alone;
        keel_delete(templates, prefab.root, Gear);
        if (how & 4) keel_delete(templates, prefab.root, Load);
        keel_scope *scope =
            how & 2 ? KEEL_SCOPE(keel_world_commands(f.world)) : KEEL_SCOPE(f.world);
        const keel_entity e = keel_spawn(scope, prefab, KEEL_INIT(Aim, { prefab.root })),
                          own = keel_spawn(scope, prefab);
        assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
        assert_same_entity(keel_get(f.world, e, Aim)->at, prefab.root);
        assert_same_entity(keel_get(f.world, own, Aim)->at, own);
        end();
    }
}

static void a_component_is_named_twice(void **state) {
    (void)state;
    begin();
    keel_entity e[2];
    const Gear mine = { owned_make() };
    assert_int_equal(
        keel_spawn_many(f.world, alone, 2, e, KEEL_FILL(Gear, mine), KEEL_FILL(Gear, mine)),
        KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "'Gear' is named twice");
    assert_int_equal(keel_spawn_many(keel_world_commands(f.world), alone, 2, e,
                                     KEEL_FILL(Gear, mine), KEEL_FILL(Gear, mine)),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "'Gear' is named twice");
    owned_release(mine.owned);
    assert_int_equal(keel_entity_count(f.world), 0);
    end();
}

// ------------------------------------------------------------------ values that move
// Rows of the templates move while copies of them are made there.
static void variants_of_values_in_rows(void **state) {
    (void)state;
    begin();
    for (uint32_t i = 0; i < 300; ++i) {
        const keel_prefab variant = { keel_spawn(templates, pair) };
        const Owned load = keel_get(templates, variant.root, Load)->owned;
        assert_true(load.inverse == ~load.token && owned.alive[load.token]);
    }
    // and so do those of whom a value is handed in place
    keel_entity e = keel_add_entity(f.world, KEEL_INIT(Load, { owned_make() }));
    for (uint32_t i = 1; i < 300; ++i) {
        const keel_value_column column[] = { { KEEL_OF(Load), keel_get(f.world, e, Load), 0 },
                                             { NULL, NULL, 0 } };
        assert_int_equal(keel_add_entity_columns(f.world, i % 7 + 1, NULL, column), KEEL_OK);
        const Owned load = keel_get(f.world, e, Load)->owned;
        assert_true(load.inverse == ~load.token && owned.alive[load.token]);
    }
    end();
}

// ------------------------------------------------------------------ what fails
// Indices that were never used are unused again, also after keel_clear_entities.
static void a_copy_that_fails_takes_no_index(void **state) {
    (void)state;
    for (uint32_t how = 0; how < 2; ++how) {
        begin();
        keel_add_entity_at(f.world, keel_entity_make(9, 0));
        uint64_t before, after;
        assert_int_equal(keel_world_hash(f.world, &before), KEEL_OK);
        owned.copies_left = 1;
        assert_int_equal(keel_spawn_many(f.world, how ? pair : alone, 12, NULL), KEEL_ERROR_COPY);
        assert_error(f.world, KEEL_ERROR_COPY, NULL);
        owned.copies_left = UINT32_MAX;
        assert_int_equal(keel_world_hash(f.world, &after), KEEL_OK);
        assert_true(before == after);
        keel_clear_entities(f.world);
        static const uint32_t next[] = { 0, 1, 9, 2 }; // those that were used come first
        for (uint32_t i = 0; i < 4; ++i)
            assert_int_equal(keel_entity_index(keel_add_entity(f.world)), next[i]);
        end();
    }
}

static const struct CMUnitTest tests[] = {
    TEST(a_value_that_owns_something_is_given, "a value that owns something is given"),
    TEST(one_value_is_copied_for_all, "one value is copied for all"),
    TEST(a_value_out_of_sight_is_given, "a value that is out of sight is given"),
    TEST(a_value_that_names_a_template_is_given, "a value that names a template is given"),
    TEST(a_component_is_named_twice, "a component that is named twice"),
    TEST(variants_of_values_in_rows, "copies of values that move meanwhile"),
    TEST(a_copy_that_fails_takes_no_index, "a copy that fails takes no index"),
};

int main(void) { return RUN(tests); }
