// SPDX-License-Identifier: MIT
// Random edits of templates and of what was spawned, against a plain model of two lists of parts:
// spawned at once and by commands, into the game and among the templates, with columns, with
// allocations that fail, with the game taken back to a snapshot, and copied; with components that
// require others, and templates that are edited between one copy and the next.
#include "support/api_fixture.h"

#include <stdio.h>
#include <string.h>

typedef struct Health {
    int32_t points;
} Health;
typedef struct Place {
    float x, y;
} Place;
typedef struct Aim {
    keel_entity at[2], shot;
} Aim;
typedef struct Gear {
    Owned owned;
} Gear;
static uint64_t gear_hash(const void *value, void *data) {
    (void)value, (void)data;
    return 1;
}
KEEL_FIELDS(Aim, at, shot);
KEEL_COMPONENT(Health, .no_padding = true);
KEEL_COMPONENT(Place, .storage = KEEL_ARCHETYPE, .no_padding = true);
KEEL_COMPONENT(Aim, .storage = KEEL_INDEXED, KEEL_HAS_FIELDS(Aim));
KEEL_COMPONENT(Gear, .drop = owned_drop, .copy = owned_copy, .move = owned_move, .hash = gear_hash);
// comes with what it requires, wherever it comes
typedef struct Load {
    int32_t kilograms;
} Load;
typedef struct Engine {
    int32_t power;
} Engine;
static const Load usual_load = { 40 };
KEEL_COMPONENT(Load, .initial = &usual_load, .no_padding = true);
KEEL_COMPONENT(Engine, .required = KEEL_LIST(Load, Place), .no_padding = true);
KEEL_RELATION(Guards, .exclusive = true);

// ------------------------------------------------------------------ the model
enum { PARTS = 160, MOST_COPIES = 7, NOBODY = -1 };
typedef struct part {
    bool alive, has_health, is_disabled, has_place, has_aim, has_gear, has_load, has_engine;
    keel_entity e, origin; // the template that it is a copy of; null: none
    int32_t parent, guards;
    uint32_t rank; // siblings are ordered by it
    Health health;
    Place place;
    Load load;
    Engine engine;
    Aim aim;
    uint32_t name; // 0: none
} part;
typedef struct side {
    part parts[PARTS];
    uint32_t last_rank;
} side;

static api_fixture f;
static keel_world *templates;
static keel_snapshot *snapshot;
static side made, game, taken; // `taken`: the game at the snapshot
static uint32_t last_name, failures, spawned, trees;
static uint64_t random_state;
static uint32_t random_below(uint32_t limit) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

static keel_world *world_of(const side *s) { return s == &made ? templates : f.world; }

static uint32_t free_count(const side *s) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < PARTS; ++i)
        count += !s->parts[i].alive;
    return count;
}

static int32_t add_part(side *s, keel_entity e, int32_t parent) {
    int32_t i = 0;
    while (s->parts[i].alive)
        ++i;
    s->parts[i] = (part){ .alive = true,
                          .e = e,
                          .origin = keel_null(),
                          .parent = parent,
                          .guards = NOBODY,
                          .rank = ++s->last_rank };
    return i;
}

// NOBODY: there is none, or it did not want one.
static int32_t random_part(const side *s) {
    for (uint32_t tries = 0; tries < 20; ++tries) {
        const uint32_t i = random_below(PARTS);
        if (s->parts[i].alive) return (int32_t)i;
    }
    return NOBODY;
}

static int32_t next_sibling(const side *s, int32_t parent, uint32_t after) {
    int32_t next = NOBODY;
    for (int32_t i = 0; i < PARTS; ++i) {
        const part *p = &s->parts[i];
        if (!p->alive || p->parent != parent || p->rank <= after) continue;
        if (next == NOBODY || p->rank < s->parts[next].rank) next = i;
    }
    return next;
}

// A part and all below it, parents before children: how many.
static uint32_t list_tree(const side *s, int32_t root, int32_t *list) {
    uint32_t count = 1;
    list[0] = root;
    int32_t child = NOBODY;
    for (uint32_t after = 0; (child = next_sibling(s, root, after)) != NOBODY;
         after = s->parts[child].rank)
        count += list_tree(s, child, list + count);
    return count;
}

static int32_t place_in(const side *s, const int32_t *list, uint32_t count, keel_entity e) {
    for (uint32_t i = 0; i < count; ++i)
        if (keel_is_same(s->parts[list[i]].e, e)) return (int32_t)i;
    return NOBODY;
}

static keel_entity handle_of(const side *s, int32_t i) {
    return i == NOBODY ? keel_null() : s->parts[i].e;
}

// ------------------------------------------------------------------ comparing
static void assert_part(const side *s, const part *p) {
    keel_world *world = world_of(s);
    char name[16];
    (void)snprintf(name, sizeof name, "n%u", (unsigned)p->name);
    assert_true(keel_is_alive(world, p->e));
    assert_true(keel_has(world, p->e, Health) == (p->has_health && !p->is_disabled));
    assert_true(keel_is_disabled(world, p->e, Health) == (p->has_health && p->is_disabled));
    if (p->has_health && !p->is_disabled)
        assert_int_equal(keel_get(world, p->e, Health)->points, p->health.points);
    assert_true(keel_has(world, p->e, Place) == p->has_place);
    if (p->has_place) assert_true(keel_get(world, p->e, Place)->x == p->place.x);
    assert_true(keel_has(world, p->e, Load) == p->has_load);
    if (p->has_load) assert_int_equal(keel_get(world, p->e, Load)->kilograms, p->load.kilograms);
    assert_true(keel_has(world, p->e, Engine) == p->has_engine);
    if (p->has_engine) assert_int_equal(keel_get(world, p->e, Engine)->power, p->engine.power);
    assert_true(keel_has(world, p->e, Aim) == p->has_aim);
    for (uint32_t i = 0; p->has_aim && i < 2; ++i)
        assert_same_entity(keel_get(world, p->e, Aim)->at[i], p->aim.at[i]);
    if (p->has_aim) assert_same_entity(keel_get(world, p->e, Aim)->shot, p->aim.shot);
    assert_true(keel_has(world, p->e, Gear) == p->has_gear);
    if (p->has_gear) {
        const Owned gear = keel_get(world, p->e, Gear)->owned;
        assert_true(gear.inverse == ~gear.token && owned.alive[gear.token]);
    }
    assert_same_entity(keel_parent_of(world, p->e), handle_of(s, p->parent));
    assert_same_entity(keel_target_of(world, p->e, Guards), handle_of(s, p->guards));
    if (p->name) assert_string_equal(keel_name_of(world, p->e), name);
    else assert_null(keel_name_of(world, p->e));
    const bool is_known = !keel_is_null(p->origin) && keel_is_alive(templates, p->origin);
    assert_same_entity(keel_prefab_of(world, p->e).root, is_known ? p->origin : keel_null());
}

static void assert_as_model(const side *s) {
    for (uint32_t i = 0; i < PARTS; ++i)
        if (s->parts[i].alive) assert_part(s, &s->parts[i]);
    assert_int_equal(keel_entity_count(world_of(s)), PARTS - free_count(s));
}

// Children in the model's order; the model has their handles already.
static void assert_order(const side *s, int32_t parent) {
    keel_world *world = world_of(s);
    const keel_entity above = handle_of(s, parent);
    keel_entity e = keel_first_child(world, above);
    for (int32_t i = NOBODY;
         (i = next_sibling(s, parent, i == NOBODY ? 0 : s->parts[i].rank)) != NOBODY;
         e = keel_next_child(world, above, e))
        assert_same_entity(e, s->parts[i].e);
    assert_true(keel_is_null(e));
}

// ------------------------------------------------------------------ edits of either side
// What requires others brings them, and they cannot go before it.
static void edit_required(side *s, part *p) {
    keel_world *world = world_of(s);
    const int32_t value = (int32_t)random_below(1000);
    if (random_below(2)) {
        p->has_engine = true;
        p->engine.power = value;
        if (!p->has_load) p->has_load = true, p->load = usual_load;
        if (!p->has_place) p->has_place = true, p->place = (Place){ 0, 0 };
        keel_add(world, p->e, Engine, p->engine);
    } else if (p->has_engine && random_below(2)) {
        const size_t failed = f.memory.failures;
        assert_int_equal(keel_delete(world, p->e, Load), KEEL_ERROR_REQUIRED);
        assert_error(world, KEEL_ERROR_REQUIRED, "Engine");
        assert_int_equal(f.memory.failures, failed);
    } else if (p->has_engine) {
        p->has_engine = false;
        assert_int_equal(keel_delete(world, p->e, Engine), KEEL_OK);
    } else {
        p->has_load = !p->has_load;
        p->load.kilograms = value;
        if (p->has_load) keel_add(world, p->e, Load, p->load);
        else assert_int_equal(keel_delete(world, p->e, Load), KEEL_OK);
    }
}

static void edit_value(side *s, part *p) {
    keel_world *world = world_of(s);
    switch (random_below(7)) {
    case 0:
        if (p->is_disabled) break;
        p->has_health = true;
        p->health.points = (int32_t)random_below(1000);
        keel_add(world, p->e, Health, p->health);
        break;
    case 1:
        if (p->has_engine) break;
        p->has_place = !p->has_place;
        p->place = (Place){ (float)random_below(1000), 0 };
        if (p->has_place) keel_add(world, p->e, Place, p->place);
        else assert_int_equal(keel_delete(world, p->e, Place), KEEL_OK);
        break;
    case 2:
        p->has_aim = true;
        p->aim = (Aim){ { handle_of(s, random_part(s)), handle_of(s, random_part(s)) },
                        handle_of(&made, random_part(&made)) };
        keel_add(world, p->e, Aim, p->aim);
        break;
    case 3:
        p->has_gear = !p->has_gear;
        if (p->has_gear) keel_add(world, p->e, Gear, { owned_make() });
        else assert_int_equal(keel_delete(world, p->e, Gear), KEEL_OK);
        break;
    case 4:
    case 5:
        edit_required(s, p);
        break;
    default:
        if (!p->has_health) break;
        p->is_disabled = !p->is_disabled;
        if (p->is_disabled) assert_int_equal(keel_disable(world, p->e, Health), KEEL_OK);
        else assert_int_equal(keel_enable(world, p->e, Health), KEEL_OK);
    }
}

static void edit_link(side *s, part *p) {
    keel_world *world = world_of(s);
    const int32_t other = random_part(s);
    if (random_below(3) == 0) {
        char name[16];
        p->name = ++last_name;
        (void)snprintf(name, sizeof name, "n%u", (unsigned)p->name);
        assert_int_equal(keel_set_name(world, p->e, name), KEEL_OK);
    } else if (other != NOBODY) {
        p->guards = other;
        keel_relate(world, p->e, Guards, s->parts[other].e);
    }
}

static void add_one(side *s) {
    if (!free_count(s)) return;
    const int32_t parent = random_below(4) ? random_part(s) : NOBODY;
    keel_world *world = world_of(s);
    const keel_entity e =
        parent == NOBODY ? keel_add_entity(world) : keel_add_child(world, s->parts[parent].e);
    (void)add_part(s, e, parent);
}

static void delete_one(side *s) {
    int32_t list[PARTS];
    const int32_t root = random_part(s);
    if (root == NOBODY) return;
    const uint32_t count = list_tree(s, root, list);
    assert_int_equal(keel_delete_tree(world_of(s), s->parts[root].e), KEEL_OK);
    for (uint32_t i = 0; i < count; ++i)
        s->parts[list[i]].alive = false;
    for (uint32_t i = 0; i < PARTS; ++i)
        if (s->parts[i].guards != NOBODY && !s->parts[s->parts[i].guards].alive)
            s->parts[i].guards = NOBODY;
}

// ------------------------------------------------------------------ spawning
// Copies of parts that are listed, as they are found below the copy of the root.
static void model_spawn(side *to, const int32_t *list, uint32_t count, keel_entity root,
                        const Health *health, const Place *place, const Engine *engine) {
    int32_t copies[PARTS];
    keel_entity e = root;
    for (uint32_t i = 0; i < count; ++i) {
        const part *from = &made.parts[list[i]];
        const int32_t above = i ? place_in(&made, list, count, handle_of(&made, from->parent)) : 0;
        copies[i] = add_part(to, e, i ? copies[above] : NOBODY);
        part *p = &to->parts[copies[i]];
        const part fresh = *p;
        *p = *from;
        p->e = fresh.e, p->parent = fresh.parent, p->rank = fresh.rank;
        p->origin = from->e;
        if (!i) p->name = 0;
        e = keel_next_descendant(world_of(to), root, e, KEEL_DEPTH_FIRST);
    }
    assert_true(keel_is_null(e));
    for (uint32_t i = 0; i < count; ++i) {
        part *p = &to->parts[copies[i]];
        keel_entity *named[] = { &p->aim.at[0], &p->aim.at[1], &p->aim.shot };
        for (uint32_t k = 0; k < 3; ++k) {
            const int32_t at = place_in(&made, list, count, *named[k]);
            if (at != NOBODY) *named[k] = to->parts[copies[at]].e;
        }
        const int32_t at = place_in(&made, list, count, handle_of(&made, p->guards));
        p->guards = at == NOBODY ? NOBODY : copies[at];
    }
    part *first = &to->parts[copies[0]];
    if (health) first->has_health = true, first->health = *health;
    if (place) first->has_place = true, first->place = *place;
    if (!engine) return;
    first->has_engine = true, first->engine = *engine;
    if (!first->has_load) first->has_load = true, first->load = usual_load;
    if (!first->has_place) first->has_place = true, first->place = (Place){ 0, 0 };
}

static keel_result spawn(keel_scope *scope, keel_prefab prefab, uint32_t copies, keel_entity *e,
                         const Health *health, const Place *place, const Engine *engine) {
    if (engine) {
        *e = keel_spawn(scope, prefab, KEEL_INIT(Engine, *engine));
        return keel_is_null(*e) ? KEEL_ERROR_MEMORY : KEEL_OK;
    }
    if (health && place)
        return keel_spawn_many(scope, prefab, copies, e, KEEL_COLUMN(Health, health),
                               KEEL_FILL(Place, *place));
    if (health) return keel_spawn_many(scope, prefab, copies, e, KEEL_COLUMN(Health, health));
    if (place) return keel_spawn_many(scope, prefab, copies, e, KEEL_FILL(Place, *place));
    if (copies > 1) return keel_spawn_many(scope, prefab, copies, e);
    *e = keel_spawn(scope, prefab);
    return keel_is_null(*e) ? KEEL_ERROR_MEMORY : KEEL_OK;
}

static int32_t favourite; // a template that is spawned again and again

static void spawn_some(side *to) {
    int32_t list[PARTS];
    keel_entity e[MOST_COPIES];
    Health health[MOST_COPIES];
    const bool is_favourite = random_below(2) && made.parts[favourite].alive;
    const int32_t root = is_favourite ? favourite : random_part(&made);
    if (root == NOBODY) return;
    favourite = root;
    const bool is_one = random_below(2);
    const uint32_t count = list_tree(&made, root, list);
    const uint32_t copies = is_one ? 1 : 1 + random_below(MOST_COPIES);
    const Engine engine = { (int32_t)random_below(1000) };
    const bool has_engine = is_one && random_below(4) == 0;
    if (count * copies > free_count(to)) return;
    for (uint32_t i = 0; i < copies; ++i)
        health[i].points = (int32_t)random_below(1000);
    const Place place = { (float)random_below(1000), 0 };
    // a value that is out of sight is not overwritten
    const bool has_health = !is_one && !made.parts[root].is_disabled && random_below(2);
    const bool has_place = !is_one && random_below(2), is_recorded = random_below(3) == 0;
    keel_world *world = world_of(to);
    const size_t failed = f.memory.failures;
    if (!is_recorded && random_below(2)) counting_allocator_fail_once(&f.memory, random_below(3));
    keel_scope *scope = is_recorded ? KEEL_SCOPE(keel_world_commands(world)) : KEEL_SCOPE(world);
    const keel_result result =
        spawn(scope, (keel_prefab){ made.parts[root].e }, copies, e, has_health ? health : NULL,
              has_place ? &place : NULL, has_engine ? &engine : NULL);
    counting_allocator_never_fail(&f.memory);
    if (f.memory.failures > failed && result < 0) {
        ++failures;
        assert_int_equal(result, KEEL_ERROR_MEMORY);
        assert_error(world, KEEL_ERROR_MEMORY, NULL);
        return; // nothing has changed
    }
    assert_int_equal(result, KEEL_OK);
    if (is_recorded) assert_int_equal(keel_apply_commands(world), KEEL_OK);
    spawned += copies, trees += count > 1 ? copies : 0;
    for (uint32_t i = 0; i < copies; ++i)
        model_spawn(to, list, count, e[i], has_health ? &health[i] : NULL,
                    has_place ? &place : NULL, has_engine ? &engine : NULL);
}

// ------------------------------------------------------------------ back, and elsewhere
static void go_back(void) {
    if (random_below(2)) {
        assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
        taken = game;
    } else if (keel_snapshot_restore(snapshot) == KEEL_OK) {
        game = taken; // templates stay as they are
    }
}

static void copy(void) {
    keel_world *other = keel_world_create(
        &(keel_world_desc){ .log = keel_log_none, .on_misuse = KEEL_MISUSE_RETURN });
    uint64_t here, there;
    assert_int_equal(keel_copy_world(f.world, other), KEEL_OK);
    assert_int_equal(keel_world_hash(f.world, &here), KEEL_OK);
    assert_int_equal(keel_world_hash(other, &there), KEEL_OK);
    assert_true(here == there);
    for (int has_templates = 0; has_templates < 2; ++has_templates) {
        for (uint32_t i = 0; i < PARTS; ++i) {
            const part *p = &game.parts[i];
            if (!p->alive) continue;
            const keel_entity known = keel_prefab_of(f.world, p->e).root;
            assert_same_entity(keel_prefab_of(other, p->e).root,
                               has_templates ? known : keel_null());
        }
        if (!has_templates)
            assert_int_equal(keel_copy_world(templates, keel_templates(other)), KEEL_OK);
    }
    keel_world_destroy(other);
}

static void edit(void) {
    side *s = random_below(2) ? &game : &made;
    const uint32_t what = random_below(100);
    const int32_t i = random_part(s);
    if (what < 14) add_one(s);
    else if (what < 18 || free_count(s) < PARTS / 4) delete_one(s);
    else if (what < 38) spawn_some(s);
    else if (what < 40) go_back();
    else if (what < 50 && made.parts[favourite].alive) edit_value(&made, &made.parts[favourite]);
    else if (i != NOBODY && what < 80) edit_value(s, &s->parts[i]);
    else if (i != NOBODY) edit_link(s, &s->parts[i]);
}

static void edits_are_as_the_model(void **state) {
    (void)state;
    enum { WORLDS = 10, EDITS = 2500 };
    const uint32_t worlds = test_rounds(WORLDS);
    failures = 0;
    for (uint32_t k = 0; k < worlds; ++k) {
        random_state = 77 + k;
        last_name = 0;
        favourite = 0;
        memset(&made, 0, sizeof made);
        memset(&game, 0, sizeof game);
        owned_begin();
        api_begin(&f);
        templates = keel_templates(f.world);
        // known first, so that what has hooks stands before what comes after the values
        assert_int_equal(keel_register(f.world, Gear, Health, Load, Engine, Place, Aim, Guards),
                         KEEL_OK);
        assert_int_equal(keel_register(templates, Gear, Health, Load, Engine, Place, Aim, Guards),
                         KEEL_OK);
        snapshot = keel_snapshot_create(f.world, "then");
        for (uint32_t i = 0; i < EDITS; ++i) {
            edit();
            assert_as_model(&game);
            assert_as_model(&made);
            if (i % 50) continue;
            for (int32_t p = 0; p < PARTS; ++p) {
                if (game.parts[p].alive) assert_order(&game, p);
                if (made.parts[p].alive) assert_order(&made, p);
            }
            if (i % 500 == 0) copy();
        }
        assert_no_error(f.world);
        keel_snapshot_destroy(snapshot);
        api_end(&f);
        assert_owned_end();
    }
    // trees were spawned, and memory did fail
    assert_true(failures && trees > 20 * worlds);
}

static const struct CMUnitTest tests[] = {
    TEST(edits_are_as_the_model, "25,000 edits of templates and copies are as those of a model"),
};
int main(void) { return RUN(tests); }
