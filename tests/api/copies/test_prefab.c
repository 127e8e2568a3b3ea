// SPDX-License-Identifier: MIT
// Prefabs: templates in a world of their own, and copies of them: trees whose fields, names and
// relations point to each other, one and many, at once and by commands, from several workers.
#include "support/api_fixture.h"

#include <string.h>

typedef struct Health {
    int32_t points;
} Health;
typedef struct Place {
    float x, y;
} Place;
typedef struct Aim {
    keel_entity gun, target;
} Aim;
typedef struct Gear {
    Owned owned;
} Gear;
typedef struct Speed {
    float v;
} Speed;
static const Speed slow = { 1 };
KEEL_FIELDS(Aim, gun, target);
KEEL_COMPONENT(Health, .no_padding = true);
KEEL_COMPONENT(Place, .storage = KEEL_ARCHETYPE, .no_padding = true);
KEEL_COMPONENT(Aim, .storage = KEEL_INDEXED, KEEL_HAS_FIELDS(Aim));
static uint64_t gear_hash(const void *value, void *data) {
    (void)value, (void)data;
    return 1;
}
KEEL_COMPONENT(Gear, .drop = owned_drop, .copy = owned_copy, .move = owned_move, .hash = gear_hash);
KEEL_COMPONENT(Speed, .required = KEEL_LIST(Place), .initial = &slow, .no_padding = true);
KEEL_TAG(Tank);
KEEL_RELATION(Guards);

static api_fixture f;
static keel_world *templates;
static keel_prefab tank;
static keel_entity gun, barrel, outside, shell; // two that are no part of it: here and there

static void begin_with(uint32_t workers) {
    owned_begin();
    api_begin_workers(&f, workers);
    outside = keel_add_entity(f.world); // so that handles differ
    templates = keel_templates(f.world);
    assert_non_null(templates);
    tank.root = keel_add_entity(templates, KEEL_INIT(Health, { 100 }), KEEL_INIT(Tank));
    gun = keel_add_child(templates, tank.root, KEEL_INIT(Health, { 7 }));
    (void)keel_add_child(templates, tank.root, KEEL_INIT(Gear, { owned_make() }));
    barrel = keel_add_child(templates, gun, KEEL_INIT(Speed));
    shell = keel_add_entity(templates);
    keel_add(templates, tank.root, Aim, { barrel, shell });
    keel_set_name(templates, tank.root, "tank");
    keel_set_name(templates, gun, "gun");
    keel_relate(templates, barrel, Guards, tank.root);
    keel_disable(templates, gun, Health);
}
static void begin(void) { begin_with(1); }
static void end(void) {
    assert_no_error(f.world);
    api_end(&f);
    assert_owned_end();
}

// A whole copy, with so many points.
static void assert_tank(keel_entity e, int32_t points) {
    assert_true(keel_is_alive(f.world, e));
    assert_int_equal(keel_get(f.world, e, Health)->points, points);
    assert_true(keel_has(f.world, e, Tank));
    assert_int_equal(keel_child_count(f.world, e), 2);
    assert_null(keel_name_of(f.world, e));
    const keel_entity own_gun = keel_find_entity(f.world, e, "gun");
    assert_same_entity(own_gun, keel_first_child(f.world, e));
    assert_true(keel_is_disabled(f.world, own_gun, Health));
    const keel_entity own_barrel = keel_first_child(f.world, own_gun);
    assert_same_entity(keel_get(f.world, e, Aim)->gun, own_barrel);
    assert_same_entity(keel_get(f.world, e, Aim)->target, shell); // a prefab of its own
    assert_true(keel_get(f.world, own_barrel, Speed)->v == 1);
    assert_true(keel_has(f.world, own_barrel, Place)); // required
    assert_same_entity(keel_target_of(f.world, own_barrel, Guards), e);
    assert_int_equal(keel_source_count(f.world, e, Guards), 1);
    const keel_entity gear = keel_next_child(f.world, e, own_gun);
    assert_int_not_equal(keel_get(f.world, gear, Gear)->owned.token, 0);
    assert_same_entity(keel_prefab_of(f.world, e).root, tank.root);
    assert_same_entity(keel_prefab_of(f.world, own_barrel).root, barrel);
}

// ------------------------------------------------------------------ at once
static void a_spawned_tree_points_to_itself(void **state) {
    (void)state;
    begin();
    const keel_entity first = keel_spawn(f.world, tank);
    const keel_entity weak =
        keel_spawn(f.world, tank, KEEL_INIT(Health, { 5 }), KEEL_INIT(Place, { 1, 2 }));
    assert_tank(first, 100);
    assert_tank(weak, 5);
    assert_true(keel_get(f.world, weak, Place)->y == 2);
    assert_false(keel_has(f.world, first, Place));
    assert_true(keel_is_null(keel_prefab_of(f.world, outside).root));
    // templates are nobody's entities
    assert_int_equal(keel_entity_count(f.world), 9);
    assert_int_equal(keel_count(f.world, Tank), 2);
    assert_ptr_equal(keel_templates(templates), templates);
    end();
}

static void many_are_spawned(void **state) {
    (void)state;
    for (uint32_t n = 0; n < 150; n = n * 2 + 1) {
        begin();
        keel_entity e[150];
        Place places[150];
        for (uint32_t i = 0; i < n; ++i)
            places[i] = (Place){ (float)i, 0 };
        assert_int_equal(keel_spawn_many(f.world, tank, n, e, KEEL_COLUMN(Place, places),
                                         KEEL_FILL(Health, { 3 })),
                         KEEL_OK);
        for (uint32_t i = 0; i < n; ++i) {
            assert_tank(e[i], 3);
            assert_true(keel_get(f.world, e[i], Place)->x == (float)i);
        }
        assert_int_equal(keel_spawn_many(f.world, tank, n, NULL), KEEL_OK);
        assert_int_equal(keel_entity_count(f.world), 1 + 8 * n);
        end();
    }
}

static void one_entity_alone(void **state) {
    (void)state;
    begin();
    const keel_prefab stone = { keel_add_entity(templates, KEEL_INIT(Health, { 1 }),
                                                KEEL_INIT(Gear, { owned_make() })) };
    const keel_entity a = keel_spawn(f.world, stone),
                      b = keel_spawn(f.world, stone, KEEL_INIT(Health, { 2 }));
    assert_int_equal(keel_get(f.world, a, Health)->points, 1);
    assert_int_equal(keel_get(f.world, b, Health)->points, 2);
    assert_int_not_equal(keel_get(f.world, a, Gear)->owned.token,
                         keel_get(f.world, b, Gear)->owned.token);
    const keel_prefab nothing = { keel_add_entity(templates) };
    assert_true(keel_is_alive(f.world, keel_spawn(f.world, nothing)));
    end();
}

// A tree of more than a few, in which each knows the one before it.
static void a_large_tree(void **state) {
    (void)state;
    begin();
    enum { PARTS = 300 };
    keel_entity parts[PARTS], e[4];
    parts[0] = keel_add_entity(templates);
    for (uint32_t i = 1; i < PARTS; ++i)
        parts[i] =
            keel_add_child(templates, parts[i / 3], KEEL_INIT(Aim, { parts[i - 1], keel_null() }));
    assert_int_equal(keel_spawn_many(f.world, (keel_prefab){ parts[0] }, 4, e), KEEL_OK);
    for (uint32_t k = 0; k < 4; ++k) {
        keel_entity mine = e[k], its = parts[0];
        uint32_t count = 1;
        while (its = keel_next_descendant(templates, parts[0], its, KEEL_DEPTH_FIRST),
               !keel_is_null(its)) {
            mine = keel_next_descendant(f.world, e[k], mine, KEEL_DEPTH_FIRST);
            const keel_entity before = keel_get(f.world, mine, Aim)->gun;
            assert_same_entity(keel_prefab_of(f.world, mine).root, its);
            assert_same_entity(keel_prefab_of(f.world, before).root,
                               keel_get(templates, its, Aim)->gun);
            ++count;
        }
        assert_int_equal(count, PARTS);
    }
    end();
}

// ------------------------------------------------------------------ after edits of a template
static keel_prefab stone;
static keel_entity pebble, rock; // its part, and another template

static void edit_add(void) { keel_add(templates, stone.root, Speed, { 3 }); }
static void edit_add_part(void) { keel_add(templates, pebble, Place, { 3, 4 }); }
static void edit_add_many(void) {
    const keel_entity both[] = { stone.root, pebble };
    const keel_value_column tag = { KEEL_OF(Tank), NULL, 0 };
    assert_int_equal(keel_add_component_to_many(templates, both, 2, tag.component, NULL, 0),
                     KEEL_OK);
}
static void edit_write(void) { keel_get_mut(templates, stone.root, Health)->points = 77; }
static void edit_delete(void) { keel_delete(templates, stone.root, Health); }
static void edit_remove(void) {
    Health h;
    assert_int_equal(keel_remove(templates, stone.root, Health, &h), KEEL_OK);
}
static void edit_clear(void) { keel_clear(templates, Health); }
static void edit_strip(void) { keel_strip(templates, pebble); }
static void edit_disable(void) { keel_disable(templates, stone.root, Health); }
static void edit_name(void) { keel_set_name(templates, pebble, "pebble"); }
static void edit_relate(void) { keel_relate(templates, pebble, Guards, stone.root); }
static void edit_attach(void) { keel_attach(templates, rock, stone.root); }
static void edit_detach(void) { keel_detach(templates, pebble); }
static void edit_delete_part(void) { keel_delete_entity(templates, pebble); }
static void edit_delete_other(void) { keel_delete_entity(templates, rock); } // values move
static void edit_by_commands(void) {
    keel_add(keel_world_commands(templates), stone.root, Place, { 1, 1 });
    assert_int_equal(keel_apply_commands(templates), KEEL_OK);
}
static void edit_in_a_view(void) {
    keel_view view;
    assert_int_equal(keel_view_begin(&view, templates, KEEL_TERMS(KEEL_MAY_EDIT(Health)), "edits"),
                     KEEL_OK);
    keel_delete(&view, stone.root, Health);
    keel_view_end(&view);
}
static void edit_copy(void) {
    keel_world *from = keel_world_create(NULL);
    assert_non_null(from);
    assert_int_equal(keel_add_entity_at(from, stone.root), KEEL_OK);
    keel_add(from, stone.root, Place, { 9, 9 });
    keel_clear_entities(templates);
    assert_int_equal(keel_copy_world(from, templates), KEEL_OK);
    keel_world_destroy(from);
}
static void edit_restore(void) {
    keel_snapshot *snapshot = keel_snapshot_create(templates, "before");
    assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
    keel_delete(templates, stone.root, Health);
    (void)keel_spawn(f.world, stone);
    assert_int_equal(keel_snapshot_restore(snapshot), KEEL_OK);
    keel_snapshot_destroy(snapshot);
}

static void assert_as_template(keel_entity e, keel_entity its) {
    assert_int_equal(keel_has(f.world, e, Health), keel_has(templates, its, Health));
    assert_int_equal(keel_is_disabled(f.world, e, Health),
                     keel_is_disabled(templates, its, Health));
    if (keel_has(templates, its, Health))
        assert_int_equal(keel_get(f.world, e, Health)->points,
                         keel_get(templates, its, Health)->points);
    assert_int_equal(keel_has(f.world, e, Speed), keel_has(templates, its, Speed));
    assert_int_equal(keel_has(f.world, e, Tank), keel_has(templates, its, Tank));
    assert_int_equal(keel_has(f.world, e, Place), keel_has(templates, its, Place));
    if (keel_has(templates, its, Place))
        assert_true(keel_get(f.world, e, Place)->x == keel_get(templates, its, Place)->x);
    assert_int_equal(keel_target_count(f.world, e, Guards),
                     keel_target_count(templates, its, Guards));
    assert_int_equal(keel_child_count(f.world, e), keel_child_count(templates, its));
    assert_same_entity(keel_prefab_of(f.world, e).root, its);
    keel_entity part = keel_first_child(f.world, e);
    KEEL_EACH_CHILD(templates, its, child) {
        const char *name = keel_name_of(templates, child);
        if (name) assert_string_equal(keel_name_of(f.world, part), name);
        else assert_null(keel_name_of(f.world, part));
        assert_as_template(part, child);
        part = keel_next_child(f.world, e, part);
    }
}

static void each_edit_of_a_template_is_in_the_next_copy(void **state) {
    static void (*const edits[])(void) = {
        edit_add,    edit_add_part, edit_add_many,    edit_write,       edit_delete,
        edit_remove, edit_clear,    edit_strip,       edit_disable,     edit_name,
        edit_relate, edit_attach,   edit_detach,      edit_delete_part, edit_delete_other,
        edit_copy,   edit_restore,  edit_by_commands, edit_in_a_view,
    };
    (void)state;
    for (uint32_t with_part = 0; with_part < 2; ++with_part)
        for (uint32_t i = 0; i < sizeof edits / sizeof *edits; ++i) {
            begin();
            rock = keel_add_entity(templates, KEEL_INIT(Health, { 5 }));
            stone.root = keel_add_entity(templates, KEEL_INIT(Health, { 1 }));
            pebble = keel_add_entity(templates, KEEL_INIT(Health, { 2 }));
            if (with_part) keel_attach(templates, pebble, stone.root);
            for (uint32_t k = 0; k < 3; ++k)
                assert_as_template(keel_spawn(f.world, stone), stone.root);
            edits[i]();
            for (uint32_t k = 0; k < 3; ++k)
                assert_as_template(keel_spawn(f.world, stone), stone.root);
            keel_disable(templates, stone.root, Health);
            assert_as_template(keel_spawn(f.world, stone), stone.root);
            keel_enable(templates, stone.root, Health);
            assert_as_template(keel_spawn(f.world, stone), stone.root);
            keel_clear_errors(f.world);
            keel_clear_errors(templates);
            end();
        }
}

// ------------------------------------------------------------------ variants, and parts of others
static void a_variant_is_spawned_among_the_templates(void **state) {
    (void)state;
    begin();
    const keel_prefab heavy = { keel_spawn(templates, tank, KEEL_INIT(Health, { 300 })) };
    assert_same_entity(keel_prefab_of(templates, heavy.root).root, tank.root);
    const keel_entity e = keel_spawn(f.world, heavy);
    assert_int_equal(keel_get(f.world, e, Health)->points, 300);
    assert_same_entity(keel_prefab_of(f.world, e).root, heavy.root);
    // a part of another one
    const keel_prefab camp = { keel_add_entity(templates, KEEL_INIT(Place, { 4, 4 })) };
    for (uint32_t i = 0; i < 3; ++i)
        assert_int_equal(keel_attach(templates, keel_spawn(templates, heavy), camp.root), KEEL_OK);
    const keel_entity place = keel_spawn(f.world, camp);
    assert_int_equal(keel_child_count(f.world, place), 3);
    KEEL_EACH_CHILD(f.world, place, child) {
        assert_int_equal(keel_get(f.world, child, Health)->points, 300);
        const keel_entity its = keel_get(f.world, child, Aim)->gun;
        assert_same_entity(keel_parent_of(f.world, keel_parent_of(f.world, its)), child);
    }
    // in another world, with templates of its own, it is a copy of nothing
    api_fixture g;
    api_begin(&g);
    (void)keel_add_entity(keel_templates(g.world));
    assert_int_equal(keel_merge_world(g.world, f.world, NULL), KEEL_OK);
    for (keel_entity at = keel_null(); !keel_is_null(at = keel_next_entity(g.world, at));)
        assert_true(keel_is_null(keel_prefab_of(g.world, at).root));
    api_end(&g);
    // templates stay as they are, and go alone
    assert_int_equal(keel_delete_tree(templates, heavy.root), KEEL_OK);
    assert_true(keel_is_null(keel_prefab_of(f.world, e).root));
    assert_int_equal(keel_get(f.world, e, Health)->points, 300);
    end();
}

// ------------------------------------------------------------------ by commands and in systems
static void commands_promise_the_root(void **state) {
    (void)state;
    begin();
    keel_commands *list = keel_world_commands(f.world);
    keel_entity e[3];
    const Place places[3] = { { 1, 0 }, { 2, 0 }, { 3, 0 } };
    const keel_entity one = keel_spawn(list, tank, KEEL_INIT(Health, { 8 }));
    assert_int_equal(
        keel_spawn_many(list, tank, 3, e, KEEL_COLUMN(Place, places), KEEL_FILL(Health, { 9 })),
        KEEL_OK);
    const keel_entity dropped = keel_spawn(list, tank, KEEL_INIT(Gear, { owned_make() }));
    assert_false(keel_is_alive(f.world, one));
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_tank(one, 8);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_tank(e[i], 9);
        assert_true(keel_get(f.world, e[i], Place)->x == places[i].x);
    }
    assert_tank(dropped, 100);
    // the templates are other ones when it is applied
    const keel_entity never = keel_spawn(list, tank, KEEL_INIT(Gear, { owned_make() }));
    keel_add_child(templates, barrel);
    assert_int_equal(keel_apply_commands(f.world), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "when the command was recorded");
    assert_false(keel_is_alive(f.world, never));
    const keel_prefab brief = { keel_add_entity(templates, KEEL_INIT(Health, { 1 })) };
    const keel_entity nobody = keel_spawn(list, brief);
    keel_delete_entity(templates, brief.root);
    assert_int_equal(keel_apply_commands(f.world), KEEL_ERROR_ARGUMENT); // the same as edited
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "was deleted since");
    assert_false(keel_is_alive(f.world, nobody));
    assert_true(keel_is_null(keel_spawn(f.world, brief)));
    assert_error(f.world, KEEL_ERROR_DEAD_ENTITY, "it is no template, or was deleted");
    // never applied
    (void)keel_spawn(list, tank, KEEL_INIT(Gear, { owned_make() }));
    end();
}

KEEL_SYSTEM(multiply, KEEL_ENTITY(e), KEEL_READ(Health, h), KEEL_WITH(Tank), KEEL_COMMANDS(out)) {
    if (h->points > 90) (void)keel_spawn(out, tank, KEEL_INIT(Health, { (int32_t)(e.bits % 50) }));
}
KEEL_WORKLOAD(grow, KEEL_STEP(multiply, .parallel = true));
KEEL_SYSTEM_ONCE(make_one, KEEL_CONTEXT(c), KEEL_MAY_EDIT_WORLD) {
    assert_tank(keel_spawn(c, tank, KEEL_INIT(Health, { 4 })), 4);
}

// While the template is copied its world is read only; it may be looked at, and spawned from later.
static uint32_t heard;
static void spawn_another(const keel_change *change, void *data) {
    (void)data;
    if (heard++) return;
    assert_int_equal(keel_get(templates, tank.root, Health)->points, 100);
    assert_false(keel_is_null(keel_spawn(change->commands, tank)));
    assert_int_equal(keel_delete_entity(templates, gun), KEEL_ERROR_SHARED);
}
static void an_observer_of_a_copy_spawns_another(void **state) {
    (void)state;
    begin();
    heard = 0;
    assert_int_equal(keel_observe(f.world, Tank, KEEL_ON_INSERTED, spawn_another, NULL), KEEL_OK);
    assert_false(keel_is_null(keel_spawn(f.world, tank)));
    assert_int_equal(keel_count(f.world, Tank), 2);
    assert_int_equal(heard, 2);
    assert_int_equal(keel_delete_entity(templates, shell), KEEL_OK);
    end();
}

static void systems_spawn_the_same_on_any_number_of_workers(void **state) {
    (void)state;
    uint64_t first = 0;
    for (uint32_t workers = 1; workers <= 16; workers += workers < 4 ? 1 : 4) {
        begin_with(workers);
        assert_int_equal(keel_spawn_many(f.world, tank, 2000, NULL), KEEL_OK);
        for (uint32_t i = 0; i < 2; ++i)
            assert_int_equal(keel_run_workload(f.world, grow), KEEL_OK);
        uint64_t hash;
        assert_int_equal(keel_world_hash(f.world, &hash), KEEL_OK);
        if (workers == 1) first = hash;
        assert_true(hash == first);
        assert_int_equal(keel_count(f.world, Tank), 6000);
        assert_int_equal(keel_run(f.world, make_one), KEEL_OK);
        end();
    }
}

// ------------------------------------------------------------------ what goes wrong
static void what_is_no_prefab_is_refused(void **state) {
    (void)state;
    begin();
    assert_true(keel_is_null(keel_spawn(f.world, (keel_prefab){ keel_null() })));
    assert_error(f.world, KEEL_ERROR_DEAD_ENTITY, "keel_templates");
    keel_world *other = keel_world_create(
        &(keel_world_desc){ .log = keel_log_none, .on_misuse = KEEL_MISUSE_RETURN });
    assert_true(keel_is_null(keel_spawn(other, tank)));
    keel_world_destroy(other);
    keel_world_destroy(templates); // it belongs to the world
    assert_error(templates, KEEL_ERROR_ARGUMENT, "is destroyed with the world");
    Place places[2] = { { 1, 0 }, { 2, 0 } };
    const keel_value_column narrow[] = { { KEEL_OF(Place), places, 1 }, { NULL, NULL, 0 } };
    assert_int_equal((keel_spawn_columns)(KEEL_SCOPE(f.world), tank, 2, NULL, narrow),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, NULL);
    const keel_entity a = keel_add_entity(f.world);
    keel_view view;
    assert_int_equal(keel_view_begin(&view, templates, KEEL_TERMS(KEEL_WRITE(Health, h)), "open"),
                     KEEL_OK);
    assert_true(keel_is_null(keel_spawn(f.world, tank)));
    assert_error(f.world, KEEL_ERROR_BORROWED, "templates");
    keel_view_end(&view);
    owned.copies_left = 0;
    uint64_t before, after;
    assert_int_equal(keel_world_hash(f.world, &before), KEEL_OK);
    assert_true(keel_is_null(keel_spawn(f.world, tank)));
    assert_error(f.world, KEEL_ERROR_COPY, "Gear");
    owned.copies_left = UINT32_MAX;
    assert_int_equal(keel_world_hash(f.world, &after), KEEL_OK);
    assert_true(before == after);
    // the same handle comes next as if nothing had been
    keel_delete_entity(f.world, a);
    end();
}

static void each_allocation_may_fail(void **state) {
    (void)state;
    for (uint32_t how = 0; how < 3; ++how) {
        bool done = false;
        for (uint32_t allowed = 0; !done; ++allowed) {
            begin();
            Gear mine[2] = { { owned_make() }, { owned_make() } };
            keel_entity e[2] = { { 0 }, { 0 } };
            uint64_t before, after;
            assert_int_equal(keel_world_hash(f.world, &before), KEEL_OK);
            keel_commands *list = keel_world_commands(f.world);
            counting_allocator_fail_after(&f.memory, allowed);
            keel_result result = KEEL_OK;
            if (how == 0) e[0] = keel_spawn(f.world, tank, KEEL_INIT(Gear, mine[0]));
            else
                result = keel_spawn_many(how == 1 ? (keel_scope *)f.world : (keel_scope *)list,
                                         tank, 2, e, KEEL_COLUMN(Gear, mine));
            if (how == 0 && keel_is_null(e[0])) result = keel_last_error(f.world)->result;
            const bool is_recorded = how == 2 && result == KEEL_OK;
            keel_result applied = is_recorded ? keel_apply_commands(f.world) : KEEL_OK;
            counting_allocator_never_fail(&f.memory);
            done = result == KEEL_OK && applied == KEEL_OK;
            if (!done) assert_error(f.world, KEEL_ERROR_MEMORY, NULL);
            if (result == KEEL_OK && !done) { // it waits, with what it carries
                assert_int_equal(keel_world_hash(f.world, &after), KEEL_OK);
                assert_true(before == after);
                assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
            }
            if (result < 0) {
                assert_int_equal(keel_world_hash(f.world, &after), KEEL_OK);
                assert_true(before == after);
                assert_int_equal(keel_entity_index(keel_add_entity(f.world)), 1);
                owned_release(mine[0].owned);
                owned_release(mine[1].owned);
            } else {
                assert_tank(e[0], 100);
                if (how == 0) owned_release(mine[1].owned);
            }
            end();
        }
    }
}

// ------------------------------------------------------------------ whose handle is it?
static void a_template_is_nobody_in_the_game(void **state) {
    (void)state;
    begin();
    keel_entity many[200];
    assert_int_equal(keel_add_entities(f.world, 200, many), KEEL_OK);
    assert_int_equal(keel_entity_index(tank.root), keel_entity_index(outside));
    for (uint32_t round = 0; round < 3; ++round) { // some are used again
        for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(templates, e));)
            assert_false(keel_is_alive(f.world, e));
        for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(f.world, e));)
            assert_false(keel_is_alive(templates, e));
        keel_entity more[9000]; // of pages that nobody used yet
        assert_int_equal(keel_add_entities(templates, 9000, more), KEEL_OK);
        for (uint32_t i = 0; i < 100; ++i)
            keel_delete_entity(templates, more[i * 50]);
        (void)keel_add_child(templates, shell);
    }
    assert_int_equal(keel_add(f.world, tank.root, Health, { 1 }), KEEL_ERROR_DEAD_ENTITY);
    const char *said = keel_last_error(f.world)->message;
    assert_non_null(strstr(said, "\"tank\" is a template: use keel_spawn"));
    assert_non_null(strstr(said, "keel_templates(world)"));
    assert_true(keel_is_null(keel_clone_entity(f.world, tank.root)));
    assert_error(f.world, KEEL_ERROR_DEAD_ENTITY, "is a template");
    assert_true(keel_is_null(keel_add_child(f.world, tank.root)));
    assert_error(f.world, KEEL_ERROR_DEAD_ENTITY, "is a template");
    assert_null(keel_get(f.world, tank.root, Health));
    assert_int_equal(keel_add(templates, outside, Health, { 1 }), KEEL_ERROR_DEAD_ENTITY);
    assert_non_null(strstr(keel_last_error(templates)->message, "is no template"));
    const keel_prefab wrong = { outside };
    assert_true(keel_is_null(keel_spawn(f.world, wrong)));
    assert_error(f.world, KEEL_ERROR_DEAD_ENTITY, "it is no template");
    assert_false(keel_has(f.world, outside, Health));
    end();
}

// Templates that were emptied, restored or copied from another program's go on in their range.
static void templates_keep_their_range(void **state) {
    (void)state;
    begin();
    keel_snapshot *kept = keel_snapshot_create(templates, "templates");
    assert_int_equal(keel_snapshot_take(kept), KEEL_OK);
    const keel_entity later = keel_add_entity(templates);
    assert_int_equal(keel_snapshot_restore(kept), KEEL_OK);
    assert_same_entity(keel_add_entity(templates), later);
    keel_snapshot_destroy(kept);
    keel_clear_entities(templates);
    for (uint32_t i = 0; i < 20; ++i)
        assert_false(keel_is_alive(f.world, keel_add_entity(templates)));
    keel_world *other = keel_world_create(NULL), *away = keel_templates(other);
    assert_int_equal(keel_copy_world(templates, away), KEEL_OK);
    assert_same_entity(keel_add_entity(away), keel_add_entity(templates));
    // a world that is a copy of the templates hands out handles of a game
    assert_int_equal(keel_copy_world(templates, other), KEEL_OK);
    assert_int_equal(keel_entity_version(keel_add_entity(other)), 0);
    keel_clear_entities(away);
    assert_int_equal(keel_copy_world(f.world, away), KEEL_OK);
    assert_int_not_equal(keel_entity_version(keel_add_entity(away)), 0);
    keel_world_destroy(other);
    end();
}

static const struct CMUnitTest tests[] = {
    TEST(a_spawned_tree_points_to_itself, "a spawned tree points to itself"),
    TEST(many_are_spawned, "many copies with columns for their roots"),
    TEST(one_entity_alone, "a prefab of one entity, and of nothing"),
    TEST(a_large_tree, "a tree of 300 entities"),
    TEST(each_edit_of_a_template_is_in_the_next_copy,
         "each edit of a template is in the next copy"),
    TEST(a_variant_is_spawned_among_the_templates, "variants, and prefabs as parts of others"),
    TEST(commands_promise_the_root, "spawned by commands"),
    TEST(an_observer_of_a_copy_spawns_another, "an observer of a copy spawns another one"),
    TEST(systems_spawn_the_same_on_any_number_of_workers, "spawned from parallel systems"),
    TEST(what_is_no_prefab_is_refused, "what cannot be spawned changes nothing"),
    TEST(each_allocation_may_fail, "each allocation of spawning may fail"),
    TEST(a_template_is_nobody_in_the_game, "a template is dead in the game, and the other way"),
    TEST(templates_keep_their_range, "the handles of templates stay apart after copies"),
};

int main(void) { return RUN(tests); }
