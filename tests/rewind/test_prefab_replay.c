// SPDX-License-Identifier: MIT
// Spawned copies through everything that takes a world elsewhere or back: clones, copies of the
// world, snapshots, and runs that are played again, on 1 to 16 workers, to the same state.
#include "rewind/snapshot.h"
#include "support/api_fixture.h"

typedef struct Fuel {
    int32_t left;
} Fuel;
typedef struct Aim {
    keel_entity gun;
} Aim;
typedef struct Gear {
    Owned owned;
} Gear;
static uint64_t gear_hash(const void *value, void *data) {
    (void)value, (void)data;
    return 1;
}
KEEL_FIELDS(Aim, gun);
// known first, so that it is looked at first
KEEL_COMPONENT(Gear, .drop = owned_drop, .copy = owned_copy, .move = owned_move, .hash = gear_hash);
KEEL_COMPONENT(Fuel, .no_padding = true);
KEEL_COMPONENT(Aim, KEEL_HAS_FIELDS(Aim));
KEEL_RELATION(Guards);

static api_fixture f;
static keel_world *templates;
static keel_prefab ship;
static keel_entity gun;

static void begin(uint32_t workers) {
    owned_begin();
    api_begin_workers(&f, workers);
    templates = keel_templates(f.world);
    assert_non_null(templates);
    assert_int_equal(keel_register(f.world, Gear, Fuel, Aim, Guards), KEEL_OK);
    assert_int_equal(keel_register(templates, Gear, Fuel, Aim, Guards), KEEL_OK);
    ship.root = keel_add_entity(templates, KEEL_INIT(Fuel, { 3 }));
    gun = keel_add_child(templates, ship.root, KEEL_INIT(Fuel, { 0 }));
    keel_add(templates, ship.root, Aim, { gun });
    keel_relate(templates, gun, Guards, ship.root);
}
static void end(void) {
    assert_no_error(f.world);
    api_end(&f);
    assert_owned_end();
}

// Whoever looks at components one by one stops at those with hooks: what comes behind must come.
static void hooks_do_not_hide_what_comes_behind(void **state) {
    (void)state;
    begin(1);
    keel_add(templates, ship.root, Gear, { owned_make() });
    keel_relate(templates, ship.root, Guards, ship.root);
    keel_disable(templates, ship.root, Fuel);
    const keel_prefab alone = { keel_add_entity(templates, KEEL_INIT(Gear, { owned_make() }),
                                                KEEL_INIT(Fuel, { 7 })) };
    keel_disable(templates, alone.root, Fuel);
    keel_entity e[9];
    for (uint32_t n = 1; n < 10; n += 4) {
        assert_int_equal(keel_spawn_many(f.world, ship, n, e), KEEL_OK);
        for (uint32_t i = 0; i < n; ++i) {
            const keel_entity own = keel_first_child(f.world, e[i]);
            assert_true(keel_is_disabled(f.world, e[i], Fuel));
            assert_true(keel_is_related(f.world, e[i], Guards, e[i]));
            assert_true(keel_is_related(f.world, own, Guards, e[i]));
            assert_same_entity(keel_get(f.world, e[i], Aim)->gun, own);
        }
        assert_int_equal(keel_spawn_many(f.world, alone, n, e), KEEL_OK);
        for (uint32_t i = 0; i < n; ++i)
            assert_true(keel_is_disabled(f.world, e[i], Fuel));
    }
    end();
}

static void copies_and_snapshots_know_the_prefab(void **state) {
    (void)state;
    begin(1);
    const keel_entity e = keel_spawn(f.world, ship), own = keel_first_child(f.world, e);
    assert_same_entity(keel_prefab_of(f.world, keel_clone_entity(f.world, e)).root, ship.root);
    keel_snapshot *then = keel_snapshot_create(f.world, "then");
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    const uint64_t before = keeli_state_hash(f.world);
    assert_int_equal(keel_delete_tree(f.world, e), KEEL_OK);
    keel_get_mut(templates, ship.root, Fuel)->left = 8; // is not taken back
    for (int32_t twice = 0; twice < 2; ++twice) {
        assert_int_equal(keel_snapshot_restore(then), KEEL_OK);
        assert_true(keeli_state_hash(f.world) == before);
        assert_same_entity(keel_prefab_of(f.world, e).root, ship.root);
        assert_same_entity(keel_prefab_of(f.world, own).root, gun);
        assert_int_equal(keel_get(f.world, e, Fuel)->left, 3);
        assert_int_equal(keel_get(f.world, keel_spawn(f.world, ship), Fuel)->left, 8);
    }
    assert_int_equal(keel_delete_tree(templates, ship.root), KEEL_OK);
    assert_int_equal(keel_snapshot_restore(then), KEEL_OK);
    assert_true(keel_is_null(keel_prefab_of(f.world, e).root)); // the template died
    keel_snapshot_destroy(then);
    end();
}

// ------------------------------------------------------------------ played again
KEEL_SYSTEM(launch, KEEL_ENTITY(e), KEEL_WRITE(Fuel, fuel), KEEL_WITH(Aim), KEEL_COMMANDS(out)) {
    if (fuel->left-- != 1) return;
    const int32_t left = (int32_t)(keel_entity_index(e) % 3) + 1;
    const keel_entity next = keel_spawn(out, ship, KEEL_INIT(Fuel, { left }));
    keel_relate(out, next, Guards, e);
}
KEEL_SYSTEM(wreck, KEEL_ENTITY(e), KEEL_READ(Fuel, fuel), KEEL_WITH(Aim), KEEL_COMMANDS(out)) {
    if (fuel->left < -2) keel_delete_tree(out, e);
}
KEEL_SYSTEM_ONCE(reinforce, KEEL_CONTEXT(c), KEEL_MAY_EDIT_WORLD) {
    keel_entity e[3];
    const Fuel fuel[3] = { { 1 }, { 2 }, { 3 } };
    assert_int_equal(keel_spawn_many(c, ship, 3, e, KEEL_COLUMN(Fuel, fuel)), KEEL_OK);
}
KEEL_WORKLOAD(frame, KEEL_STEP(launch, .parallel = true), KEEL_STEP(wreck, .parallel = true),
              KEEL_STEP(reinforce));

static void runs_are_played_again_on_any_number_of_workers(void **state) {
    (void)state;
    enum { FRAMES = 12 };
    static const uint32_t workers[] = { 1, 2, 3, 4, 7, 8, 16 };
    uint64_t first[FRAMES];
    for (uint32_t w = 0; w < sizeof workers / sizeof *workers; ++w) {
        begin(workers[w]);
        assert_int_equal(keel_spawn_many(f.world, ship, 3000, NULL), KEEL_OK);
        keel_snapshot *then = keel_snapshot_create(f.world, "then");
        assert_int_equal(keel_snapshot_take(then), KEEL_OK);
        for (uint32_t round = 0; round < 2; ++round) {
            for (uint32_t i = 0; i < FRAMES; ++i) {
                assert_int_equal(keel_run_workload(f.world, frame), KEEL_OK);
                const uint64_t hash = keeli_state_hash(f.world);
                if (!w && !round) first[i] = hash;
                assert_true(hash == first[i]);
            }
            assert_true(keel_count(f.world, Aim) > 1000);
            assert_int_equal(keel_snapshot_restore(then), KEEL_OK);
        }
        keel_snapshot_destroy(then);
        end();
    }
}

static const struct CMUnitTest tests[] = {
    TEST(hooks_do_not_hide_what_comes_behind,
         "a spawned copy has relations and disabled values beside such with hooks"),
    TEST(copies_and_snapshots_know_the_prefab,
         "clones and restored copies know their prefab; templates are not taken back"),
    TEST(runs_are_played_again_on_any_number_of_workers,
         "runs that spawn are played again to the same state on 1 to 16 workers"),
};
int main(void) { return RUN(tests); }
