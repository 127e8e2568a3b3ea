// SPDX-License-Identifier: MIT
// Components that require others. Each test runs with each kind of storage.
#include "support/api_types.h"

#include <stdio.h>
#include <string.h>

typedef struct Place {
    uint32_t x;
} Place;
typedef struct Speed {
    uint32_t value;
} Speed;
typedef struct Gear {
    Owned owned;
} Gear;
typedef struct Jump {
    uint32_t height;
} Jump;
static const Place home = { 7 };
static Gear first_gear;

KEEL_COMPONENT(Place, .initial = &home);
KEEL_COMPONENT(Speed, .required = KEEL_LIST(Place));
KEEL_COMPONENT(Gear, .drop = owned_drop, .copy = owned_copy, .move = owned_move,
               .initial = &first_gear);
KEEL_COMPONENT(Jump, .required = KEEL_LIST(Speed, Gear));

static api_fixture f;
static keel_storage storage;

static void know_as(keel_world *world, const keel_component *component) {
    keel_component as = *component;
    as.storage = storage;
    assert_non_null(keel_register_component(world, &as));
}
static void know(keel_world *world) {
    know_as(world, KEEL_OF(Place));
    know_as(world, KEEL_OF(Gear));
    know_as(world, KEEL_OF(Speed));
    know_as(world, KEEL_OF(Jump));
}
static void begin(void) {
    owned_begin();
    first_gear.owned = owned_make();
    api_begin(&f);
    know(f.world);
}
static void end(void) {
    api_end(&f);
    owned_release(first_gear.owned);
    assert_owned_end();
}
static void check(void) {
    keel_error error;
    if (!keel_world_check(f.world, &error)) fail_msg("%s", error.message);
}
static bool has_all(keel_entity e) { return keel_has_all(f.world, e, Place, Speed, Gear, Jump); }

static void what_is_required_comes_with_it(void **state) {
    (void)state;
    begin();
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Jump, { 3 }));
    assert_true(has_all(e));
    assert_int_equal(keel_get(f.world, e, Place)->x, 7);
    assert_int_equal(keel_get(f.world, e, Speed)->value, 0);
    assert_true(keel_get(f.world, e, Gear)->owned.token > first_gear.owned.token);

    const keel_entity later = keel_add_entity(f.world);
    assert_int_equal(keel_add(f.world, later, Jump, { 4 }), KEEL_OK);
    assert_true(has_all(later));
    // who has it keeps it; what the caller gives counts, before or after
    const keel_entity own = keel_add_entity(f.world, KEEL_INIT(Place, { 1 }));
    assert_int_equal(keel_add(f.world, own, Speed, { 2 }), KEEL_OK);
    assert_int_equal(keel_get(f.world, own, Place)->x, 1);
    const keel_entity before = keel_add_entity(f.world, KEEL_INIT(Place, { 5 }), KEEL_INIT(Speed));
    const keel_entity after = keel_add_entity(f.world, KEEL_INIT(Speed), KEEL_INIT(Place, { 6 }));
    assert_int_equal(keel_get(f.world, before, Place)->x, 5);
    assert_int_equal(keel_get(f.world, after, Place)->x, 6);
    const keel_entity geared =
        keel_add_entity(f.world, KEEL_INIT(Jump), KEEL_INIT(Gear, { owned_make() }));
    assert_true(has_all(geared));
    check();
    end();
}

static void an_initial_value_is_for_who_gets_none(void **state) {
    (void)state;
    begin();
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Place));
    assert_int_equal(keel_get(f.world, e, Place)->x, 7);
    const keel_entity g = keel_add_entity(f.world);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(keel_add_component(f.world, g, KEEL_OF(Gear), NULL), KEEL_OK);
        assert_int_equal(keel_add_component(f.world, g, KEEL_OF(Place), NULL), KEEL_OK);
    }
    assert_int_equal(keel_get(f.world, g, Place)->x, 7);
    assert_int_equal(keel_add(f.world, g, Place, { 9 }), KEEL_OK);
    assert_int_equal(keel_add_component(f.world, g, KEEL_OF(Place), NULL), KEEL_OK);
    assert_int_equal(keel_get(f.world, g, Place)->x, 9); // it stays as it is
    assert_int_equal(owned.copies, 1);
    keel_entity many[200];
    assert_int_equal(keel_add_entities(f.world, 200, many), KEEL_OK);
    for (uint32_t i = 0; i < 200; i += 3)
        assert_int_equal(keel_add(f.world, many[i], Place, { i }), KEEL_OK);
    assert_int_equal(keel_add_component_to_many(f.world, many, 200, KEEL_OF(Place), NULL, 0),
                     KEEL_OK);
    assert_int_equal(keel_add_component_to_many(f.world, many, 200, KEEL_OF(Gear), NULL, 0),
                     KEEL_OK);
    for (uint32_t i = 0; i < 200; ++i)
        assert_int_equal(keel_get(f.world, many[i], Place)->x, i % 3 ? 7 : i);
    end();
}

static void many_entities_get_what_they_lack(void **state) {
    (void)state;
    begin();
    keel_entity e[300];
    assert_int_equal(keel_add_entities(f.world, 150, e, KEEL_FILL(Jump, { 3 })), KEEL_OK);
    assert_int_equal(keel_add_entities(f.world, 150, e + 150), KEEL_OK);
    for (uint32_t i = 150; i < 300; i += 4) {
        assert_int_equal(keel_add(f.world, e[i], Place, { i }), KEEL_OK);
        assert_int_equal(keel_add(f.world, e[i], Gear, { owned_make() }), KEEL_OK);
    }
    static const Jump jump = { 5 };
    const uint32_t copies = owned.copies;
    assert_int_equal(keel_add_component_to_many(f.world, e, 300, KEEL_OF(Jump), &jump, 0), KEEL_OK);
    assert_true(owned.copies > copies);
    for (uint32_t i = 0; i < 300; ++i) {
        assert_true(has_all(e[i]));
        assert_int_equal(keel_get(f.world, e[i], Place)->x, i < 150 || (i - 150) % 4 ? 7 : i);
    }
    keel_entity copy[2];
    assert_int_equal(keel_clone_entities(f.world, e[0], 2, copy), KEEL_OK);
    assert_true(has_all(copy[0]) && has_all(copy[1]));
    check();
    end();
}

static void children_have_room_for_what_they_need(void **state) {
    (void)state;
    begin();
    const keel_entity parent = keel_add_entity(f.world);
    const keel_entity child = keel_add_child(f.world, parent, KEEL_INIT(Jump, { 3 }));
    assert_true(has_all(child));
    check();
    uint32_t count = 0;
    const keel_component *c = NULL;
    while ((c = keel_next_component_of(f.world, child, c)) != NULL)
        ++count;
    assert_int_equal(count, 5); // and its place in the hierarchy
    end();
}

static void columns_name_what_another_one_brings(void **state) {
    (void)state;
    begin();
    keel_entity e[100];
    assert_int_equal(keel_add_entities(f.world, 100, e, KEEL_FILL(Jump, { 3 }),
                                       KEEL_FILL(Speed, { 2 }), KEEL_FILL(Place, { 5 })),
                     KEEL_OK);
    for (uint32_t i = 0; i < 100; ++i) {
        assert_true(has_all(e[i]));
        assert_int_equal(keel_get(f.world, e[i], Place)->x, 5);
        assert_int_equal(keel_get(f.world, e[i], Speed)->value, 2);
    }
    assert_int_equal(keel_add_entities(f.world, 2, e, KEEL_FILL(Jump), KEEL_FILL(Place, { 5 }),
                                       KEEL_FILL(Place, { 5 })),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "'Place' is named twice");
    keel_clear_errors(f.world);
    check();
    end();
}

static void what_is_required_stays(void **state) {
    (void)state;
    begin();
    keel_world *const w = f.world;
    const keel_entity e = keel_add_entity(w, KEEL_INIT(Jump));
    assert_int_equal(keel_delete(w, e, Place), KEEL_ERROR_REQUIRED);
    assert_error(w, KEEL_ERROR_REQUIRED, "cannot delete 'Place' of");
    assert_int_equal(keel_remove(w, e, Speed), KEEL_ERROR_REQUIRED);
    assert_error(w, KEEL_ERROR_REQUIRED, "its 'Jump' requires it");
    assert_int_equal(keel_delete(w, e, Place, Speed), KEEL_ERROR_REQUIRED);
    Speed speed;
    assert_int_equal(keel_remove_values(w, e, KEEL_OUT(Speed, &speed)), KEEL_ERROR_REQUIRED);
    assert_int_equal(keel_delete_many(w, &e, 1, Gear), KEEL_ERROR_REQUIRED);
    assert_int_equal(keel_clear(w, Gear), KEEL_ERROR_REQUIRED);
    assert_int_equal(keel_disable(w, e, Gear), KEEL_ERROR_REQUIRED);
    assert_int_equal(keel_unregister(w, Place), KEEL_ERROR_REQUIRED);
    assert_true(has_all(e));
    keel_clear_errors(w);
    assert_int_equal(keel_delete(w, e, Jump, Speed), KEEL_OK); // together with who requires it
    assert_int_equal(keel_delete(w, e, Gear), KEEL_OK);
    assert_int_equal(keel_delete(w, e, Place), KEEL_OK);
    assert_int_equal(keel_add(w, e, Jump, { 1 }), KEEL_OK);
    assert_int_equal(keel_strip(w, e), KEEL_OK);
    assert_int_equal(keel_add(w, e, Jump, { 1 }), KEEL_OK);
    assert_int_equal(keel_delete_entity(w, e), KEEL_OK);
    const keel_entity slow = keel_add_entity(w, KEEL_INIT(Place, { 3 }));
    assert_int_equal(keel_delete(w, slow, Place), KEEL_OK); // nobody requires it there
    assert_int_equal(keel_clear(w, Gear), KEEL_ABSENT);
    check();
    end();
}

static void what_is_disabled_is_required_again_in_sight(void **state) {
    (void)state;
    begin();
    keel_world *const w = f.world;
    const keel_entity e = keel_add_entity(w, KEEL_INIT(Speed, { 2 }));
    assert_int_equal(keel_disable(w, e, Speed), KEEL_OK);
    assert_int_equal(keel_disable(w, e, Place), KEEL_OK);
    assert_int_equal(keel_enable(w, e, Speed), KEEL_ERROR_REQUIRED);
    assert_error(w, KEEL_ERROR_REQUIRED, "it requires 'Place'; enable that first");
    assert_int_equal(keel_add(w, e, Speed, { 3 }), KEEL_ERROR_REQUIRED);
    assert_error(w, KEEL_ERROR_REQUIRED, "which is disabled there");
    assert_int_equal(keel_enable_entity(w, e, true), KEEL_OK);
    assert_true(keel_has_all(w, e, Speed, Place));
    assert_int_equal(keel_enable_entity(w, e, false), KEEL_OK);
    assert_int_equal(keel_enable(w, e, Place), KEEL_OK);
    assert_int_equal(keel_delete(w, e, Place), KEEL_OK);
    assert_int_equal(keel_enable_entity(w, e, true), KEEL_ERROR_REQUIRED);
    assert_error(w, KEEL_ERROR_REQUIRED, "add that first");
    check();
    end();
}

static void commands_bring_it_too(void **state) {
    (void)state;
    begin();
    keel_world *const w = f.world;
    keel_commands *list = keel_world_commands(w);
    const keel_entity e = keel_add_entity(list, KEEL_INIT(Jump, { 2 })), old = keel_add_entity(w);
    keel_entity many[3];
    assert_int_equal(keel_add(list, old, Jump, { 1 }), KEEL_OK);
    assert_int_equal(keel_add_entities(list, 3, many, KEEL_FILL(Jump, { 8 })), KEEL_OK);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    assert_true(has_all(e) && has_all(old) && has_all(many[2]));
    assert_int_equal(keel_delete(list, old, Gear), KEEL_OK);
    assert_int_equal(keel_apply_commands(f.world), KEEL_ERROR_REQUIRED);
    assert_error(w, KEEL_ERROR_REQUIRED, "its 'Jump' requires it");
    assert_true(has_all(old));
    end();
}

static void a_recorded_list_goes_as_one(void **state) {
    (void)state;
    begin();
    keel_world *const w = f.world;
    keel_commands *list = keel_world_commands(w);
    const keel_entity e = keel_add_entity(w, KEEL_INIT(Jump));
    assert_int_equal(keel_delete(list, e, Jump, Place), KEEL_OK); // Speed stays, and requires it
    assert_int_equal(keel_apply_commands(w), KEEL_ERROR_REQUIRED);
    assert_true(has_all(e));
    keel_clear_errors(w);
    assert_int_equal(keel_delete(list, e, Place, Speed, Jump), KEEL_OK); // in any order
    assert_int_equal(keel_apply_commands(w), KEEL_OK);
    assert_false(keel_has_any(w, e, Place, Speed, Jump));
    assert_true(keel_has(w, e, Gear));
    check();
    end();
}

static void a_copy_of_the_world_requires_the_same(void **state) {
    (void)state;
    begin();
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Jump, { 2 }));
    keel_snapshot *then = keel_snapshot_create(f.world, NULL);
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    assert_int_equal(keel_delete_entity(f.world, e), KEEL_OK);
    assert_int_equal(keel_snapshot_restore(then), KEEL_OK);
    assert_true(has_all(e));
    assert_int_equal(keel_delete(f.world, e, Gear), KEEL_ERROR_REQUIRED);
    keel_clear_errors(f.world);
    assert_int_equal(keel_clear(f.world, Jump), KEEL_OK);
    assert_int_equal(keel_clear(f.world, Speed), KEEL_OK);
    // the one that requires goes first, in the world and in the image
    assert_int_equal(keel_unregister(f.world, Jump), KEEL_OK);
    assert_int_equal(keel_unregister(f.world, Speed), KEEL_OK);
    assert_int_equal(keel_unregister(f.world, Place), KEEL_OK);
    assert_int_equal(keel_snapshot_take(then), KEEL_OK);
    keel_snapshot_destroy(then);
    end();
}

// ------------------------------------------------------------------ lists with a name
#define FLYER KEEL_INIT(Jump, { 4 }), KEEL_INIT(Place, { 2 }), KEEL_INIT(Gear, { owned_make() })

static void a_list_with_a_name_is_a_bundle(void **state) {
    (void)state;
    begin();
    keel_commands *list = keel_world_commands(f.world);
    const keel_entity e[] = { keel_add_entity(f.world, FLYER, KEEL_INIT(Place, { 9 })),
                              keel_add_entity(list, KEEL_INIT(Place, { 8 }), FLYER),
                              keel_add_entity(f.world) };
    assert_int_equal(keel_add_values(f.world, e[2], FLYER), KEEL_OK);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    static const uint32_t places[] = { 9, 2, 2 };
    for (uint32_t i = 0; i < 3; ++i) {
        assert_true(has_all(e[i]));
        assert_int_equal(keel_get(f.world, e[i], Place)->x, places[i]);
    }
    end();
}

// ------------------------------------------------------------------ registering
typedef struct Kin {
    int x;
} Kin;
KEEL_COMPONENT(Kin, .required = KEEL_LIST(keel_child));
typedef struct Deed {
    int x;
} Deed;
KEEL_COMPONENT(Deed, .required = KEEL_LIST(Owned));

static void what_cannot_be_required_is_refused(void **state) {
    (void)state;
    begin();
    const keel_component *of_hen[] = { NULL, NULL }, *of_egg[] = { NULL, NULL };
    const keel_component hen = { .name = "Hen", .required = of_hen };
    const keel_component egg = { .name = "Egg", .required = of_egg };
    of_hen[0] = &egg;
    of_egg[0] = &hen;
    assert_null(keel_register_component(f.world, &hen));
    assert_error(f.world, KEEL_ERROR_CYCLE, "'Hen', which requires 'Egg', which requires 'Hen'");
    of_egg[0] = &egg;
    assert_null(keel_register_component(f.world, &egg));
    assert_error(f.world, KEEL_ERROR_CYCLE, "'Egg', which requires 'Egg'");
    assert_null(keel_register_component(f.world, KEEL_OF(Kin)));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "'Kin' requires 'keel_child'");
    assert_null(keel_register_component(f.world, KEEL_OF(Deed)));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "'Owned', which has a drop hook, so its value");
    const keel_component unique = { .name = "Sun",
                                    .is_unique = true,
                                    .required = KEEL_LIST(Place) };
    assert_null(keel_register_component(f.world, &unique));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "which only components have");
    keel_component chain[40];
    const keel_component *lists[40][2];
    char names[40][8];
    for (uint32_t i = 0; i < 40; ++i) {
        snprintf(names[i], sizeof names[i], "C%u", (unsigned)i);
        lists[i][0] = i < 39 ? &chain[i + 1] : NULL;
        lists[i][1] = NULL;
        chain[i] = (keel_component){ .name = names[i], .required = lists[i] };
    }
    assert_null(keel_register_component(f.world, chain));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "ends a chain of 32 components");
    end();
}

// ------------------------------------------------------------------ access
static keel_entity someone;
static keel_result outcome;
KEEL_SYSTEM_ONCE(adds_alone, KEEL_MAY_EDIT(Speed), KEEL_CONTEXT(context)) {
    outcome = keel_add(context, someone, Speed, { 1 });
}
KEEL_SYSTEM_ONCE(adds_both, KEEL_MAY_EDIT(Speed), KEEL_MAY_EDIT(Place), KEEL_CONTEXT(context)) {
    outcome = keel_add(context, someone, Speed, { 1 });
}

static void who_adds_it_may_edit_what_it_requires(void **state) {
    (void)state;
    begin();
    someone = keel_add_entity(f.world);
    (void)keel_run(f.world, adds_alone);
    assert_int_equal(outcome, KEEL_ERROR_ACCESS);
    assert_error(f.world, KEEL_ERROR_ACCESS, "'Place'");
    assert_false(keel_has(f.world, someone, Speed));
    assert_int_equal(keel_run(f.world, adds_both), KEEL_OK);
    assert_int_equal(outcome, KEEL_OK);
    assert_true(keel_has_all(f.world, someone, Speed, Place));
    end();
}

// ------------------------------------------------------------------ failures
static void failing_memory_and_hooks_change_nothing(void **state) {
    (void)state;
    for (size_t allowed = 0;; allowed += test_stride()) {
        begin();
        keel_entity e[70];
        assert_int_equal(keel_add_entities(f.world, 70, e), KEEL_OK);
        (void)keel_add(f.world, e[3], Place, { 1 });
        counting_allocator_fail_once(&f.memory, allowed);
        static const Jump jump = { 5 };
        const keel_result result =
            keel_add_component_to_many(f.world, e, 70, KEEL_OF(Jump), &jump, 0);
        const bool failed = f.memory.failures > 0;
        counting_allocator_never_fail(&f.memory);
        assert_int_equal(result, failed ? KEEL_ERROR_MEMORY : KEEL_OK);
        for (uint32_t i = 0; i < 70; ++i)
            assert_int_equal(has_all(e[i]), !failed);
        assert_int_equal(keel_component_count(f.world, KEEL_OF(Place)), failed ? 1 : 70);
        check();
        keel_clear_errors(f.world);
        end();
        if (!failed) break;
    }
    for (uint32_t left = 0; left < 10; ++left) {
        begin();
        keel_entity e[10];
        assert_int_equal(keel_add_entities(f.world, 10, e), KEEL_OK);
        owned.copies_left = left;
        static const Jump jump = { 5 };
        assert_int_equal(keel_add_component_to_many(f.world, e, 10, KEEL_OF(Jump), &jump, 0),
                         KEEL_ERROR_COPY);
        assert_int_equal(keel_component_count(f.world, KEEL_OF(Jump)), 0);
        assert_int_equal(keel_component_count(f.world, KEEL_OF(Gear)), 0);
        assert_true(keel_is_null(keel_add_entity(f.world, KEEL_INIT(Jump))) || left);
        check();
        keel_clear_errors(f.world);
        end();
    }
}

// ------------------------------------------------------------------ a plain model
enum { PLACE, SPEED, GEAR, JUMP, COMPONENTS, PEOPLE = 24 };
static const uint32_t all_required[COMPONENTS] = { 0, 1 << PLACE, 0,
                                                   1 << PLACE | 1 << SPEED | 1 << GEAR };

static const keel_component *component_of(uint32_t c) {
    const keel_component *const all[] = { KEEL_OF(Place), KEEL_OF(Speed), KEEL_OF(Gear),
                                          KEEL_OF(Jump) };
    return all[c];
}
// Is nothing missing that is required?
static bool is_whole(uint32_t has) {
    for (uint32_t c = 0; c < COMPONENTS; ++c)
        if (has >> c & 1 && all_required[c] & ~has) return false;
    return true;
}
static uint64_t seed = 20261123;
static uint32_t next_random(uint32_t limit) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % limit;
}

static uint32_t has[PEOPLE]; // bits by component
static keel_entity people[PEOPLE];

static void add_one(keel_commands *list, uint32_t i, uint32_t c) {
    const keel_component *component = component_of(c);
    const uint32_t does = next_random(4);
    has[i] |= 1u << c | all_required[c];
    if (does == 0) {
        assert_int_equal(keel_add_component(list, people[i], component, NULL), KEEL_OK);
        assert_int_equal(keel_apply_commands(f.world), KEEL_OK);
    } else if (does == 1) {
        assert_true(keel_delete_entity(f.world, people[i]) == KEEL_OK);
        people[i] = keel_add_entity(f.world, { component, NULL });
        has[i] = 1u << c | all_required[c];
    } else {
        assert_int_equal(keel_add_component(f.world, people[i], component, NULL), KEEL_OK);
    }
}

static void add_many(uint32_t c) {
    const uint32_t from = next_random(PEOPLE), count = 1 + next_random(PEOPLE - from);
    for (uint32_t i = from; i < from + count; ++i)
        has[i] |= 1u << c | all_required[c];
    assert_int_equal(
        keel_add_component_to_many(f.world, people + from, count, component_of(c), NULL, 0),
        KEEL_OK);
}

static void take_some(uint32_t i, uint32_t c, uint32_t d) {
    const keel_component *const both[] = { component_of(c), component_of(d), NULL };
    const uint32_t bits = has[i] & (1u << c | 1u << d);
    const keel_result expected = !bits                       ? KEEL_ABSENT
                                 : !is_whole(has[i] & ~bits) ? KEEL_ERROR_REQUIRED
                                                             : KEEL_OK;
    const keel_result result = c == d && next_random(2)
                                   ? keel_remove_component(f.world, people[i], *both, NULL)
                                   : keel_delete_components(f.world, people[i], both);
    assert_int_equal(result, expected);
    if (result == KEEL_OK) has[i] &= ~bits;
}

static void clear_all(uint32_t c) {
    bool any = false, may = true;
    for (uint32_t i = 0; i < PEOPLE; ++i) {
        any |= has[i] >> c & 1;
        may &= is_whole(has[i] & ~(1u << c));
    }
    const keel_result result = keel_clear_component(f.world, component_of(c));
    assert_int_equal(result, !any ? KEEL_ABSENT : may ? KEEL_OK : KEEL_ERROR_REQUIRED);
    for (uint32_t i = 0; result == KEEL_OK && i < PEOPLE; ++i)
        has[i] &= ~(1u << c);
}

static void random_edits_follow_a_model(void **state) {
    (void)state;
    begin();
    assert_int_equal(keel_add_entities(f.world, PEOPLE, people), KEEL_OK);
    memset(has, 0, sizeof has);
    keel_commands *list = keel_world_commands(f.world);
    for (uint32_t n = test_rounds(20000); n--;) {
        const uint32_t i = next_random(PEOPLE), c = next_random(COMPONENTS), does = next_random(16);
        if (does < 5) add_one(list, i, c);
        else if (does < 6) add_many(c);
        else if (does < 14) take_some(i, c, next_random(COMPONENTS));
        else if (does < 15) clear_all(c);
        else (void)keel_strip(f.world, people[i]), has[i] = 0;
        for (uint32_t p = 0; p < PEOPLE; ++p)
            for (uint32_t k = 0; k < COMPONENTS; ++k)
                assert_int_equal(keel_has_component(f.world, people[p], component_of(k)),
                                 has[p] >> k & 1);
        keel_clear_errors(f.world);
    }
    check();
    end();
}

static const struct CMUnitTest tests[] = {
    TEST(what_is_required_comes_with_it, "What a component requires comes with it, listed or not"),
    TEST(an_initial_value_is_for_who_gets_none,
         "Who gets no value has the initial one of the component"),
    TEST(many_entities_get_what_they_lack, "Of many entities each gets what it lacks"),
    TEST(children_have_room_for_what_they_need, "A new child has room for all that it requires"),
    TEST(columns_name_what_another_one_brings,
         "Columns name what another one brings, but nothing twice"),
    TEST(what_is_required_stays, "What is required cannot go alone"),
    TEST(what_is_disabled_is_required_again_in_sight,
         "What is disabled is required again when it is in sight"),
    TEST(commands_bring_it_too, "Commands bring it, too"),
    TEST(a_recorded_list_goes_as_one, "A recorded list of components goes as one, or not at all"),
    TEST(a_copy_of_the_world_requires_the_same, "Snapshots know it"),
    TEST(a_list_with_a_name_is_a_bundle, "A list of values with a name is a bundle"),
    TEST(what_cannot_be_required_is_refused,
         "Cycles and what cannot be required are refused with the way"),
    TEST(who_adds_it_may_edit_what_it_requires, "Who adds it may edit what it requires"),
    TEST(failing_memory_and_hooks_change_nothing, "Failing memory and copy hooks change nothing"),
    TEST(random_edits_follow_a_model, "20,000 random edits follow a plain model"),
};

int main(void) {
    static const keel_storage kinds[] = { KEEL_INDEXED, KEEL_SPARSE_SET, KEEL_ARCHETYPE };
    int failed = 0;
    for (uint32_t i = 0; i < 3; ++i) {
        storage = kinds[i];
        failed += RUN(tests);
    }
    return failed;
}
