// SPDX-License-Identifier: MIT
// keel_apply_prefab: a living entity gets what a prefab has and it lacks; what it has stays.
#include "support/api_fixture.h"

#include <string.h>

typedef struct Health {
    int32_t points;
} Health;
typedef struct Armour {
    int32_t plates;
} Armour;
typedef struct Place {
    float x, y;
} Place;
typedef struct Aim {
    keel_entity gun, own, target;
} Aim;
typedef struct Gear {
    Owned owned;
} Gear;
typedef struct Load {
    int32_t tons;
} Load;
KEEL_FIELDS(Aim, gun, own, target);
KEEL_COMPONENT(Health, .no_padding = true);
KEEL_COMPONENT(Armour, .storage = KEEL_INDEXED, .no_padding = true);
KEEL_COMPONENT(Place, .storage = KEEL_ARCHETYPE, .no_padding = true);
KEEL_COMPONENT(Aim, .storage = KEEL_ARCHETYPE, KEEL_HAS_FIELDS(Aim));
static uint64_t gear_hash(const void *value, void *data) {
    (void)value, (void)data;
    return 1;
}
KEEL_COMPONENT(Gear, .drop = owned_drop, .copy = owned_copy, .move = owned_move, .hash = gear_hash);
KEEL_COMPONENT(Load, .required = KEEL_LIST(Place), .no_padding = true);
KEEL_TAG(Tank);
KEEL_TAG(Hidden);
KEEL_RELATION(Guards);
KEEL_RELATION(Follows, .exclusive = true);
KEEL_RELATION(Knows);
typedef struct Pulls {
    int32_t tons;
} Pulls;
KEEL_VALUED_RELATION(Pulls, .exclusive = true, .no_padding = true);
KEEL_RELATION(Partner, .exclusive = true, .symmetric = true);

static api_fixture f;
static keel_world *templates;
static keel_prefab tank;
static keel_entity gun, box, shell;

static void begin_with(uint32_t workers) {
    owned_begin();
    api_begin_workers(&f, workers);
    (void)keel_add_entity(f.world); // so that handles differ
    templates = keel_templates(f.world);
    tank.root = keel_add_entity(templates, KEEL_INIT(Health, { 100 }), KEEL_INIT(Tank),
                                KEEL_INIT(Gear, { owned_make() }), KEEL_INIT(Armour, { 4 }));
    gun = keel_add_child(templates, tank.root, KEEL_INIT(Health, { 7 }));
    box = keel_add_child(templates, tank.root, KEEL_INIT(Load, { 2 }));
    shell = keel_add_entity(templates);
    keel_add(templates, tank.root, Aim, { gun, tank.root, shell });
    keel_add(templates, tank.root, Hidden);
    keel_set_name(templates, gun, "gun");
    keel_relate(templates, gun, Guards, tank.root);
    keel_relate(templates, tank.root, Guards, gun);
    keel_relate(templates, tank.root, Knows, tank.root);
    keel_relate(templates, tank.root, Follows, box);
    keel_disable(templates, tank.root, Armour);
    keel_disable(templates, tank.root, Hidden);
}
static void begin(void) { begin_with(1); }
static void end(void) {
    assert_no_error(f.world);
    api_end(&f);
    assert_owned_end();
}
static uint64_t hash_of(void) {
    uint64_t hash = 0;
    assert_int_equal(keel_world_hash(f.world, &hash), KEEL_OK);
    return hash;
}

static keel_entity last_child(keel_world *world, keel_entity e) {
    keel_entity last = keel_null();
    KEEL_EACH_CHILD(world, e, child)
        last = child;
    return last;
}

// All that the prefab has, for who had nothing but perhaps other children.
static void assert_tank(keel_entity e, int32_t points, uint32_t others) {
    assert_int_equal(keel_get(f.world, e, Health)->points, points);
    assert_true(keel_has(f.world, e, Tank));
    assert_int_not_equal(keel_get(f.world, e, Gear)->owned.token, 0);
    assert_true(keel_is_disabled(f.world, e, Armour));
    assert_true(keel_is_disabled(f.world, e, Hidden));
    assert_int_equal(keel_child_count(f.world, e), 2 + others);
    const keel_entity own_gun = keel_find_entity(f.world, e, "gun"),
                      own_box = last_child(f.world, e);
    assert_int_equal(keel_get(f.world, own_gun, Health)->points, 7);
    assert_int_equal(keel_get(f.world, own_box, Load)->tons, 2);
    assert_true(keel_has(f.world, own_box, Place)); // required
    const Aim *aim = keel_get(f.world, e, Aim);
    assert_same_entity(aim->gun, own_gun);
    assert_same_entity(aim->own, e);
    assert_same_entity(aim->target, shell); // a prefab of its own
    assert_true(keel_is_related(f.world, own_gun, Guards, e));
    assert_true(keel_is_related(f.world, e, Guards, own_gun));
    assert_true(keel_is_related(f.world, e, Knows, e));
    assert_same_entity(keel_prefab_of(f.world, e).root, tank.root);
    assert_same_entity(keel_prefab_of(f.world, own_gun).root, gun);
    assert_same_entity(keel_prefab_of(f.world, own_box).root, box);
}

// ------------------------------------------------------------------ what comes, and what stays
static void nobody_in_particular_becomes_a_copy(void **state) {
    (void)state;
    begin();
    const keel_entity e = keel_add_entity(f.world), spawned = keel_spawn(f.world, tank);
    assert_int_equal(keel_apply_prefab(f.world, e, tank), KEEL_OK);
    assert_tank(e, 100, 0);
    assert_tank(spawned, 100, 0);
    assert_same_entity(keel_target_of(f.world, e, Follows), last_child(f.world, e));
    keel_enable(f.world, e, Armour);
    assert_int_equal(keel_get(f.world, e, Armour)->plates, 4);
    end();
}

static void what_it_has_stays(void **state) {
    (void)state;
    begin();
    const keel_entity leader = keel_add_entity(f.world), army = keel_add_entity(f.world);
    const keel_entity e = keel_add_child(f.world, army, KEEL_INIT(Health, { 3 }),
                                         KEEL_INIT(Place, { 1, 2 }), KEEL_INIT(Armour, { 9 }));
    const keel_entity crew = keel_add_child(f.world, e);
    keel_set_name(f.world, e, "panzer");
    keel_relate(f.world, e, Follows, leader);
    keel_relate(f.world, e, Guards, army);
    keel_disable(f.world, e, Health);
    assert_int_equal(keel_apply_prefab(f.world, e, tank), KEEL_OK);
    assert_true(keel_is_disabled(f.world, e, Health));
    keel_enable(f.world, e, Health);
    assert_int_equal(keel_get(f.world, e, Armour)->plates, 9); // in sight, as it was
    keel_disable(f.world, e, Armour);
    assert_tank(e, 3, 1);
    assert_same_entity(keel_first_child(f.world, e), crew);
    assert_string_equal(keel_name_of(f.world, e), "panzer");
    assert_same_entity(keel_parent_of(f.world, e), army);
    assert_same_entity(keel_target_of(f.world, e, Follows), leader);
    assert_int_equal(keel_target_count(f.world, e, Guards), 2);
    assert_true(keel_get(f.world, e, Place)->y == 2);
    end();
}

static void again_it_gets_components_only(void **state) {
    (void)state;
    begin();
    const keel_entity e = keel_spawn(f.world, tank, KEEL_INIT(Health, { 1 }));
    const keel_entity own_gun = keel_find_entity(f.world, e, "gun");
    assert_int_equal(keel_apply_prefab(f.world, e, tank), KEEL_OK); // it lacks nothing
    assert_tank(e, 1, 0);
    keel_delete(f.world, e, Health);
    keel_delete(f.world, e, Aim);
    keel_delete(f.world, e, Gear);
    keel_unrelate(f.world, e, Knows, e);
    assert_int_equal(keel_delete_entity(f.world, last_child(f.world, e)), KEEL_OK);
    assert_int_equal(keel_apply_prefab(f.world, e, tank), KEEL_OK);
    assert_int_equal(keel_child_count(f.world, e), 1); // the box stays lost
    assert_int_equal(keel_get(f.world, e, Health)->points, 100);
    assert_same_entity(keel_get(f.world, e, Aim)->gun, own_gun);
    assert_same_entity(keel_get(f.world, e, Aim)->own, e);
    assert_false(keel_is_related(f.world, e, Knows, e));
    keel_delete(f.world, e, Aim);
    assert_int_equal(keel_delete_entity(f.world, own_gun), KEEL_OK);
    assert_int_equal(keel_apply_prefab(f.world, e, tank), KEEL_OK);
    assert_true(keel_is_null(keel_get(f.world, e, Aim)->gun));
    assert_same_entity(keel_get(f.world, e, Aim)->target, shell);
    // another prefab
    const keel_prefab heavy = { keel_spawn(templates, tank, KEEL_INIT(Place, { 5, 6 })) };
    keel_add_child(templates, heavy.root, KEEL_INIT(Load, { 30 }));
    assert_int_equal(keel_apply_prefab(f.world, e, heavy), KEEL_OK);
    assert_same_entity(keel_prefab_of(f.world, e).root, heavy.root);
    assert_int_equal(keel_child_count(f.world, e), 3);
    assert_true(keel_get(f.world, e, Place)->x == 5);
    assert_int_equal(keel_get(f.world, last_child(f.world, e), Load)->tons, 30);
    end();
}

static void values_of_relations_come(void **state) {
    (void)state;
    begin();
    keel_relate(templates, tank.root, Pulls, box, { 12 });
    const keel_entity e = keel_add_entity(f.world), other = keel_add_entity(f.world);
    const keel_entity puller = keel_add_entity(f.world);
    keel_relate(f.world, puller, Pulls, other, { 1 });
    assert_int_equal(keel_apply_prefab(f.world, e, tank), KEEL_OK);
    assert_int_equal(keel_apply_prefab(f.world, puller, tank), KEEL_OK);
    assert_int_equal(keel_get_related(f.world, e, Pulls, last_child(f.world, e))->tons, 12);
    assert_int_equal(keel_get_related(f.world, puller, Pulls, other)->tons, 1);
    end();
}

static void a_partner_is_kept(void **state) {
    (void)state;
    begin();
    keel_relate(templates, tank.root, Partner, box);
    const keel_entity e = keel_add_entity(f.world), other = keel_add_entity(f.world);
    const keel_entity alone = keel_add_entity(f.world);
    keel_relate(f.world, e, Partner, other);
    assert_int_equal(keel_apply_prefab(f.world, e, tank), KEEL_OK);
    assert_same_entity(keel_target_of(f.world, e, Partner), other);
    assert_same_entity(keel_target_of(f.world, other, Partner), e);
    assert_true(keel_is_null(keel_target_of(f.world, last_child(f.world, e), Partner)));
    assert_int_equal(keel_apply_prefab(f.world, alone, tank), KEEL_OK);
    assert_same_entity(keel_target_of(f.world, alone, Partner), last_child(f.world, alone));
    end();
}

static void parts_of_another_copy_are_not_its_own(void **state) {
    (void)state;
    begin();
    const keel_entity e = keel_add_entity(f.world), other = keel_spawn(f.world, tank);
    keel_attach(f.world, other, e); // before its own parts
    assert_int_equal(keel_apply_prefab(f.world, e, tank), KEEL_OK);
    const keel_entity own_gun = keel_find_entity(f.world, e, "gun");
    for (int32_t i = 0; i < 2; ++i) { // it has its gun, and it lost its gun
        keel_delete(f.world, e, Aim);
        assert_int_equal(keel_apply_prefab(f.world, e, tank), KEEL_OK);
        assert_same_entity(keel_get(f.world, e, Aim)->gun, i ? keel_null() : own_gun);
        keel_delete_entity(f.world, own_gun);
    }
    end();
}

static void a_large_prefab(void **state) {
    (void)state;
    begin();
    keel_entity last = tank.root, first = keel_null();
    for (uint32_t i = 0; i < 40; ++i) {
        last = keel_add_child(templates, last, KEEL_INIT(Health, { (int32_t)i }));
        if (!i) first = last;
    }
    keel_get_mut(templates, tank.root, Aim)->gun = last;
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_apply_prefab(f.world, e, tank), KEEL_OK);
    const keel_entity end_of_it = keel_get(f.world, e, Aim)->gun;
    assert_int_equal(keel_get(f.world, end_of_it, Health)->points, 39);
    keel_delete(f.world, e, Aim);
    assert_int_equal(keel_apply_prefab(f.world, e, tank), KEEL_OK);
    assert_same_entity(keel_get(f.world, e, Aim)->gun, end_of_it);
    assert_int_equal(keel_entity_count(f.world), 44);
    // among the templates: a variant by hand
    const keel_entity variant = keel_add_entity(templates, KEEL_INIT(Health, { 1 }));
    assert_int_equal(keel_apply_prefab(templates, variant, tank), KEEL_OK);
    assert_int_equal(keel_child_count(templates, variant), 3);
    assert_same_entity(keel_prefab_of(templates, variant).root, tank.root);
    assert_int_equal(keel_apply_prefab(templates, first, tank), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_apply_prefab(templates, tank.root, tank), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_apply_prefab(templates, tank.root, (keel_prefab){ variant }),
                     KEEL_ERROR_OCCUPIED); // two guns
    keel_clear_errors(templates);
    end();
}

// ------------------------------------------------------------------ other scopes
KEEL_SYSTEM(enlist, KEEL_ENTITY(e), KEEL_READ(Place, p), KEEL_COMMANDS(out)) {
    if (p->x > 0) (void)keel_apply_prefab(out, e, tank);
}
KEEL_WORKLOAD(recruit, KEEL_STEP(enlist, .parallel = true));
KEEL_SYSTEM_ONCE(enlist_now, KEEL_CONTEXT(c), KEEL_MAY_EDIT_WORLD) {
    const keel_entity e = keel_add_entity(c);
    assert_int_equal(keel_apply_prefab(c, e, tank), KEEL_OK);
    assert_tank(e, 100, 0);
}

static void by_commands_and_in_systems(void **state) {
    (void)state;
    uint64_t first = 0;
    for (uint32_t workers = 1; workers <= 4; ++workers) {
        begin_with(workers);
        keel_commands *list = keel_world_commands(f.world);
        const keel_entity e = keel_add_entity(list, KEEL_INIT(Health, { 2 }));
        assert_int_equal(keel_apply_prefab(list, e, tank), KEEL_OK);
        const keel_entity deleted = keel_add_entity(f.world);
        assert_int_equal(keel_apply_prefab(list, deleted, tank), KEEL_OK);
        keel_delete_entity(f.world, deleted);
        assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
        assert_tank(e, 2, 0);
        for (uint32_t i = 0; i < 2000; ++i)
            (void)keel_add_entity(f.world, KEEL_INIT(Place, { (float)(i % 3), 0 }));
        assert_int_equal(keel_run_workload(f.world, recruit), KEEL_OK);
        assert_int_equal(keel_count(f.world, Tank), 1 + 1333);
        if (workers == 1) first = hash_of();
        assert_true(hash_of() == first);
        assert_int_equal(keel_run(f.world, enlist_now), KEEL_OK);
        end();
    }
}

// ------------------------------------------------------------------ what goes wrong
static void what_cannot_be_applied_changes_nothing(void **state) {
    (void)state;
    begin();
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Health, { 1 }));
    const keel_entity dead = keel_add_entity(f.world);
    keel_delete_entity(f.world, dead);
    uint64_t before = hash_of();
    assert_int_equal(keel_apply_prefab(f.world, dead, tank), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_apply_prefab(f.world, keel_null(), tank), KEEL_ERROR_DEAD_ENTITY);
    assert_int_equal(keel_apply_prefab(f.world, e, (keel_prefab){ keel_null() }),
                     KEEL_ERROR_DEAD_ENTITY);
    assert_error(f.world, KEEL_ERROR_DEAD_ENTITY, "cannot apply");
    owned.copies_left = 0;
    assert_int_equal(keel_apply_prefab(f.world, e, tank), KEEL_ERROR_COPY);
    assert_error(f.world, KEEL_ERROR_COPY, "Gear");
    owned.copies_left = UINT32_MAX;
    KEEL_EACH(f.world, KEEL_READ(Health, h)) {
        (void)h;
        assert_int_equal(keel_apply_prefab(f.world, e, tank), KEEL_ERROR_BORROWED);
    }
    assert_error(f.world, KEEL_ERROR_BORROWED, NULL);
    assert_true(hash_of() == before);
    const keel_entity child = keel_add_child(f.world, e);
    keel_set_name(f.world, child, "gun");
    before = hash_of();
    assert_int_equal(keel_apply_prefab(f.world, e, tank), KEEL_ERROR_OCCUPIED);
    assert_error(f.world, KEEL_ERROR_OCCUPIED, "gun");
    assert_true(hash_of() == before);
    keel_set_name(f.world, child, "");
    keel_relate(templates, tank.root, Pulls, tank.root, { 12 });
    before = hash_of();
    assert_int_equal(keel_apply_prefab(f.world, e, tank), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "'Pulls'");
    assert_true(hash_of() == before);
    keel_unrelate_all(templates, tank.root, Pulls);
    assert_int_equal(keel_apply_prefab(f.world, e, tank), KEEL_OK);
    assert_tank(e, 1, 1);
    end();
}

static void each_allocation_may_fail(void **state) {
    (void)state;
    for (uint32_t how = 0; how < 3; ++how) {
        bool done = false;
        for (uint32_t allowed = 0; !done; ++allowed) {
            begin();
            const keel_entity e = how == 2 ? keel_spawn(f.world, tank)
                                           : keel_add_entity(f.world, KEEL_INIT(Place, { 1, 0 }));
            if (how == 2) keel_delete(f.world, e, Aim);
            if (how == 1) keel_relate(f.world, e, Guards, e);
            const uint64_t before = hash_of();
            counting_allocator_fail_after(&f.memory, allowed);
            const keel_result result = keel_apply_prefab(f.world, e, tank);
            counting_allocator_never_fail(&f.memory);
            done = result == KEEL_OK;
            if (!done) {
                assert_error(f.world, KEEL_ERROR_MEMORY, NULL);
                assert_true(hash_of() == before);
                assert_int_equal(keel_apply_prefab(f.world, e, tank), KEEL_OK);
            }
            assert_tank(e, 100, 0);
            end();
        }
    }
}

static const struct CMUnitTest tests[] = {
    TEST(nobody_in_particular_becomes_a_copy, "an entity without anything becomes a copy"),
    TEST(what_it_has_stays, "what it has stays"),
    TEST(again_it_gets_components_only, "again it gets components only"),
    TEST(values_of_relations_come, "values of relations come"),
    TEST(a_partner_is_kept, "a partner of an exclusive symmetric relation is kept"),
    TEST(parts_of_another_copy_are_not_its_own, "parts of another copy are not its own"),
    TEST(a_large_prefab, "a prefab of many, and among the templates"),
    TEST(by_commands_and_in_systems, "by commands, in contexts, from parallel systems"),
    TEST(what_cannot_be_applied_changes_nothing, "what cannot be applied changes nothing"),
    TEST(each_allocation_may_fail, "each allocation may fail"),
};

int main(void) { return RUN(tests); }
