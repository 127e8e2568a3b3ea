// SPDX-License-Identifier: MIT
// A world comes into a living one: values, parents, names, relations, uniques, and whatever points
// from one of its entities to another one. On every error the living one is as it was.
#include "support/api_fixture.h"

#include <string.h>

typedef struct Aim {
    keel_entity whom;
    float angle;
} Aim;
typedef struct Crew {
    keel_entity seats[3];
    Aim guns[2];
} Crew;
typedef struct Keeper {
    Owned owned;
    keel_entity friend;
} Keeper;
typedef struct Leader {
    keel_entity who;
} Leader;
typedef struct Dock {
    keel_entity pilot;
    int32_t berth;
} Dock;
typedef struct Cache {
    uint32_t number;
} Cache;
typedef struct Base {
    int32_t height;
} Base;
typedef struct Roof {
    int32_t colour;
} Roof;
KEEL_FIELDS(Aim, whom, angle);
KEEL_FIELDS(Crew, seats, KEEL_FIELD(guns, .of = KEEL_TYPE(Aim)));
KEEL_FIELDS(Keeper, KEEL_FIELD(owned, .bytes = true), friend);
KEEL_FIELDS(Leader, who);
KEEL_FIELDS(Dock, pilot, berth);
KEEL_COMPONENT(Aim, .storage = KEEL_INDEXED, KEEL_HAS_FIELDS(Aim));
KEEL_COMPONENT(Crew, .storage = KEEL_ARCHETYPE, KEEL_HAS_FIELDS(Crew));
static uint64_t keeper_hash(const void *value, void *data) {
    (void)data;
    return ((const Keeper *)value)->friend.bits != 0;
}
static bool keeper_copy(void *to, const void *from, void *data) {
    ((Keeper *)to)->friend = ((const Keeper *)from)->friend;
    return owned_copy(to, from, data);
}
static void keeper_move(void *to, void *from, void *data) {
    ((Keeper *)to)->friend = ((Keeper *)from)->friend;
    owned_move(to, from, data);
}
KEEL_COMPONENT(Keeper, KEEL_HAS_FIELDS(Keeper), .drop = owned_drop, .copy = keeper_copy,
               .move = keeper_move, .hash = keeper_hash);
KEEL_COMPONENT(Cache, .transient = true);
KEEL_COMPONENT(Base, .storage = KEEL_ARCHETYPE, .no_padding = true);
KEEL_COMPONENT(Roof, .required = KEEL_LIST(Base), .no_padding = true);
KEEL_TAG(Marked);
KEEL_UNIQUE(Leader, KEEL_HAS_FIELDS(Leader));
KEEL_UNIQUE(Dock, KEEL_HAS_FIELDS(Dock));
KEEL_RELATION(Likes);
typedef struct Berth {
    keel_entity witness;
    int32_t number;
} Berth;
KEEL_FIELDS(Berth, witness, number);
KEEL_VALUED_RELATION(Berth, .exclusive = true, KEEL_HAS_FIELDS(Berth));

static api_fixture f, g; // what comes, and where to
static keel_entity fleet, ship, gun, port, stray;

static void begin(void) {
    owned_begin();
    api_begin(&f);
    api_begin(&g);
    (void)keel_add_entity(g.world, KEEL_INIT(Marked)); // so that handles differ
    (void)keel_add_entity(g.world, KEEL_INIT(Base, { 9 }));
    stray = keel_add_entity(f.world);
    fleet = keel_add_entity(f.world, KEEL_INIT(Marked));
    port = keel_add_entity(f.world, KEEL_INIT(Roof, { 3 }), KEEL_INIT(Cache, { 7 }));
    ship = keel_add_child(f.world, fleet);
    gun = keel_add_child(f.world, ship, KEEL_INIT(Aim, { port, 0.5f }));
    keel_add_child(f.world, fleet, KEEL_INIT(Base, { 2 }));
    keel_add(f.world, ship, Crew, { { gun, stray, keel_null() }, { { fleet, 1 }, { ship, 2 } } });
    keel_add(f.world, fleet, Keeper, { owned_make(), ship });
    keel_set_name(f.world, fleet, "fleet");
    keel_set_name(f.world, ship, "ship");
    keel_relate(f.world, ship, Likes, port);
    keel_relate(f.world, ship, Likes, gun);
    keel_relate(f.world, ship, Likes, ship);
    keel_relate(f.world, ship, Berth, port, { gun, 4 });
    keel_set_unique(f.world, Leader, { ship });
    keel_set_unique(f.world, Dock, { stray, 5 });
    keel_disable(f.world, gun, Aim);
    keel_delete_entity(f.world, stray); // what names it now names nobody
}
static void end(void) {
    api_end(&f);
    api_end(&g);
    assert_owned_end();
}
static keel_entity find(const char *path) { return keel_find_entity(g.world, keel_null(), path); }

// ------------------------------------------------------------------ what comes
static void what_points_to_each_other_does_so_there(void **state) {
    (void)state;
    begin();
    keel_entity handles[5];
    const keel_merge_options how = { .handles = handles };
    assert_int_equal(keel_merge_world(g.world, f.world, &how), KEEL_OK);
    assert_int_equal(keel_last_count(g.world), 5);
    const keel_entity new_fleet = find("fleet"), new_ship = find("fleet/ship");
    assert_true(keel_is_alive(g.world, new_fleet) && keel_is_alive(g.world, new_ship));
    const keel_entity new_gun = keel_first_child(g.world, new_ship);
    const Berth *berth = keel_get(g.world, new_ship, Berth);
    const keel_entity new_port = keel_target_of(g.world, new_ship, Berth);
    assert_same_entity(berth->witness, new_gun);
    assert_int_equal(berth->number, 4);
    const Crew *crew = keel_get(g.world, new_ship, Crew);
    assert_same_entity(crew->seats[0], new_gun);
    assert_true(keel_is_null(crew->seats[1]) && keel_is_null(crew->seats[2]));
    assert_same_entity(crew->guns[0].whom, new_fleet);
    assert_same_entity(crew->guns[1].whom, new_ship);
    assert_true(crew->guns[1].angle == 2);
    const Keeper *keeper = keel_get(g.world, new_fleet, Keeper);
    assert_same_entity(keeper->friend, new_ship);
    assert_int_not_equal(keeper->owned.token, keel_get(f.world, fleet, Keeper)->owned.token);
    // order of children and of relating
    assert_int_equal(keel_child_count(g.world, new_fleet), 2);
    assert_same_entity(keel_first_child(g.world, new_fleet), new_ship);
    keel_entity target = keel_null();
    const keel_entity order[] = { new_port, new_gun, new_ship };
    for (uint32_t i = 0; i < 3; ++i) {
        target = keel_next_target_component(g.world, new_ship, KEEL_OF(Likes), target);
        assert_same_entity(target, order[i]);
    }
    // out of sight, and left out
    assert_true(keel_is_disabled(g.world, new_gun, Aim));
    assert_int_equal(keel_enable(g.world, new_gun, Aim), KEEL_OK);
    assert_same_entity(keel_get(g.world, new_gun, Aim)->whom, new_port);
    assert_false(keel_has(g.world, new_port, Cache));
    assert_true(keel_has(g.world, new_port, Base)); // required
    // uniques
    assert_same_entity(keel_get_unique(g.world, Leader)->who, new_ship);
    assert_true(keel_is_null(keel_get_unique(g.world, Dock)->pilot));
    assert_int_equal(keel_get_unique(g.world, Dock)->berth, 5);
    // who became who, in the order of keel_next_entity
    uint32_t n = 0;
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(f.world, e)); ++n) {
        if (keel_is_same(e, ship)) assert_same_entity(handles[n], new_ship);
        if (keel_is_same(e, port)) assert_same_entity(handles[n], new_port);
        assert_true(keel_is_alive(g.world, handles[n]));
    }
    assert_int_equal(n, 5);
    assert_no_error(g.world);
    end();
}

static void a_root_takes_all_that_have_no_parent(void **state) {
    (void)state;
    begin();
    const keel_entity a = keel_add_entity(g.world), b = keel_add_entity(g.world);
    keel_set_name(g.world, a, "a");
    keel_set_name(g.world, b, "b");
    const keel_entity first = keel_add_child(g.world, a);
    assert_int_equal(keel_merge_world(g.world, f.world, &(keel_merge_options){ .root = a }),
                     KEEL_OK);
    assert_int_equal(keel_merge_world(g.world, f.world, &(keel_merge_options){ .root = b }),
                     KEEL_OK);
    assert_true(keel_is_alive(g.world, find("a/fleet/ship")));
    assert_true(keel_is_alive(g.world, find("b/fleet/ship")));
    assert_int_equal(keel_child_count(g.world, a), 3); // first, fleet, port
    assert_same_entity(keel_first_child(g.world, a), first);
    end();
}

static void a_world_that_comes_into_an_empty_one_is_the_same(void **state) {
    (void)state;
    for (uint32_t n = 0; n < 200; n += 1 + n / 3) {
        api_begin(&f);
        api_begin(&g);
        keel_entity e[200];
        for (uint32_t i = 0; i < n; ++i) {
            e[i] = keel_add_entity(f.world, KEEL_INIT(Aim, { keel_null(), (float)i }));
            if (i % 3 == 0) keel_add(f.world, e[i], Base, { (int32_t)i });
            keel_get_mut(f.world, e[i], Aim)->whom = e[i / 2];
            keel_relate(f.world, e[i], Likes, e[i / 3]);
        }
        assert_int_equal(keel_merge_world(g.world, f.world, NULL), KEEL_OK);
        uint64_t from, to;
        assert_int_equal(keel_world_hash(f.world, &from), KEEL_OK);
        assert_int_equal(keel_world_hash(g.world, &to), KEEL_OK);
        assert_true(from == to);
        api_end(&f);
        api_end(&g);
    }
}

// ------------------------------------------------------------------ what is refused
static void assert_refused(const keel_merge_options *how, keel_result expected, const char *part) {
    uint64_t before, after;
    assert_int_equal(keel_world_hash(g.world, &before), KEEL_OK);
    const uint32_t living = owned.living;
    assert_int_equal(keel_merge_world(g.world, f.world, how), expected);
    assert_error(g.world, expected, part);
    assert_int_equal(keel_world_hash(g.world, &after), KEEL_OK);
    assert_true(before == after);
    assert_int_equal(owned.living, living);
}

static void what_cannot_come_changes_nothing(void **state) {
    (void)state;
    begin();
    keel_set_assert_handler(api_go_on);
    assert_int_equal(keel_merge_world(NULL, f.world, NULL), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_merge_world(g.world, NULL, NULL), KEEL_ERROR_ARGUMENT);
    keel_set_assert_handler(NULL);
    assert_int_equal(keel_merge_world(g.world, g.world, NULL), KEEL_ERROR_ARGUMENT);
    keel_clear_errors(g.world);
    assert_refused(&(keel_merge_options){ .strict = true }, KEEL_ERROR_DEAD_ENTITY, "'Crew'");
    const keel_entity dead = keel_add_entity(g.world);
    keel_delete_entity(g.world, dead);
    assert_refused(&(keel_merge_options){ .root = dead }, KEEL_ERROR_DEAD_ENTITY, "not alive");
    keel_set_name(g.world, keel_add_entity(g.world), "fleet");
    assert_refused(NULL, KEEL_ERROR_OCCUPIED, "fleet");
    keel_set_name(g.world, find("fleet"), NULL);
    owned.copies_left = 0;
    assert_refused(NULL, KEEL_ERROR_COPY, "Keeper");
    owned.copies_left = UINT32_MAX;
    keel_view view;
    assert_int_equal(keel_view_begin(&view, g.world, KEEL_TERMS(KEEL_WRITE(Base, base)), "open"),
                     KEEL_OK);
    assert_int_equal(keel_merge_world(g.world, f.world, NULL), KEEL_ERROR_BORROWED);
    keel_view_end(&view);
    keel_clear_errors(g.world);
    assert_int_equal(keel_merge_world(g.world, f.world, NULL), KEEL_OK);
    end();
}

static void each_allocation_may_fail(void **state) {
    (void)state;
    bool done = false;
    for (uint32_t allowed = 0; !done; ++allowed) {
        begin();
        keel_set_unique(g.world, Dock, { keel_null(), 77 });
        uint64_t before, after;
        assert_int_equal(keel_world_hash(g.world, &before), KEEL_OK);
        counting_allocator_fail_after(&g.memory, allowed);
        const keel_result result = keel_merge_world(g.world, f.world, NULL);
        counting_allocator_never_fail(&g.memory);
        done = result == KEEL_OK;
        if (!done) {
            assert_int_equal(result, KEEL_ERROR_MEMORY);
            keel_clear_errors(g.world);
            assert_int_equal(keel_world_hash(g.world, &after), KEEL_OK);
            assert_true(before == after);
            assert_int_equal(keel_get_unique(g.world, Dock)->berth, 77);
            assert_int_equal(keel_merge_world(g.world, f.world, NULL), KEEL_OK);
        }
        assert_int_equal(keel_get_unique(g.world, Dock)->berth, 5);
        end();
    }
}

static const struct CMUnitTest tests[] = {
    TEST(what_points_to_each_other_does_so_there,
         "fields, parents, relations and uniques point to the new entities"),
    TEST(a_root_takes_all_that_have_no_parent, "a merged world may come below an entity"),
    TEST(a_world_that_comes_into_an_empty_one_is_the_same,
         "merged into an empty world it is the same world"),
    TEST(what_cannot_come_changes_nothing, "a merge that is refused changes nothing"),
    TEST(each_allocation_may_fail, "each allocation of a merge may fail"),
};

int main(void) { return RUN(tests); }
