// SPDX-License-Identifier: MIT
// Drop, copy and move hooks: called once for each value, counted exactly.
#include "support/api_types.h"

#include <string.h>

static keel_entity add_owned(keel_world *world) {
    const Owned mine = owned_make();
    return keel_add_entity(world, KEEL_INIT(Owned, mine));
}

static void fixture_begin(api_fixture *f) {
    owned_begin();
    api_begin(f);
}

static void fixture_end(api_fixture *f) {
    api_end(f);
    assert_owned_end();
    assert_int_equal(owned.empty_drops, 0);
}

// ------------------------------------------------------------------ drop
static bool keep_none(keel_entity e, void *value, void *data) {
    return (void)e, (void)value, (void)data, false;
}

// Each way in which one value goes, by itself: exactly one drop.
enum way {
    DELETE_ENTITY,
    DELETE_UNCHECKED,
    DELETE_COMPONENT,
    REMOVE_WITHOUT_OUT,
    REMOVE_LIST,
    OVERWRITE,
    OVERWRITE_IN_LIST,
    REPLACE,
    STRIP,
    CLEAR,
    CLEAR_ENTITIES,
    RETAIN,
    DELETE_ANY,
    DELETE_LIST,
    DELETE_TREE,
    UNREGISTER,
    WAYS
};

static void let_go(keel_world *world, keel_entity e, enum way way) {
    const keel_out outs[] = { { KEEL_OF(Owned), NULL, NULL }, { NULL, NULL, NULL } };
    const bool gives = way == OVERWRITE || way == OVERWRITE_IN_LIST || way == REPLACE;
    const Owned next = gives ? owned_make() : (Owned){ 0 };
    switch (way) {
    case DELETE_ENTITY:
        (void)keel_delete_entity(world, e);
        break;
    case DELETE_UNCHECKED:
        keel_delete_entity_unchecked(world, e);
        break;
    case DELETE_COMPONENT:
        (void)keel_delete(world, e, Owned);
        break;
    case REMOVE_WITHOUT_OUT:
        (void)keel_remove(world, e, Owned);
        break;
    case REMOVE_LIST:
        (void)keel_remove_component_values(world, e, outs);
        break;
    case OVERWRITE:
        (void)keel_add(world, e, Owned, next);
        break;
    case OVERWRITE_IN_LIST:
        (void)keel_add_values(world, e, KEEL_INIT(Owned, next));
        break;
    case REPLACE:
        (void)keel_replace(world, e, Owned, next);
        break;
    case STRIP:
        (void)keel_strip(world, e);
        break;
    case CLEAR:
        (void)keel_clear(world, Owned);
        break;
    case CLEAR_ENTITIES:
        (void)keel_clear_entities(world);
        break;
    case RETAIN:
        (void)keel_retain(world, Owned, keep_none, NULL);
        break;
    case DELETE_ANY:
        (void)keel_delete_entities_having(world, Owned);
        break;
    case DELETE_LIST:
        (void)keel_delete_entities(world, &e, 1);
        break;
    case DELETE_TREE:
        (void)keel_delete_tree(world, e);
        break;
    case UNREGISTER:
        (void)keel_unregister_component(world, KEEL_OF(Owned));
        break;
    case WAYS:
        break;
    }
}

static void each_way_to_go_drops_once(void **state) {
    (void)state;
    for (int way = 0; way < WAYS; ++way) {
        api_fixture f;
        fixture_begin(&f);
        const keel_entity e = add_owned(f.world);
        let_go(f.world, e, (enum way)way);
        if (owned.drops != 1) fail_msg("way %d: %u drops", way, (unsigned)owned.drops);
        assert_false(owned.alive[1]);
        fixture_end(&f);
    }
}

static void the_end_of_the_world_drops_all(void **state) {
    (void)state;
    api_fixture f;
    fixture_begin(&f);
    for (int i = 0; i < 5000; ++i)
        (void)add_owned(f.world);
    assert_int_equal(owned.drops, 0);
    assert_int_equal(owned.living, 5000);
    fixture_end(&f);
    assert_int_equal(owned.drops, 5000);
}

static void what_is_handed_out_is_not_dropped(void **state) {
    (void)state;
    api_fixture f;
    Owned out, second;
    fixture_begin(&f);
    const keel_entity a = add_owned(f.world), b = add_owned(f.world);
    assert_int_equal(keel_remove(f.world, a, Owned, &out), KEEL_OK);
    assert_int_equal(keel_remove_values(f.world, b, KEEL_OUT(Owned, &second)), KEEL_OK);
    assert_int_equal(owned.drops, 0);
    assert_int_equal(owned.living, 2);
    owned_release(out);
    owned_release(second);
    fixture_end(&f);
}

// A value handed over to a call that fails is still the caller's.
static void a_failed_add_drops_nothing(void **state) {
    (void)state;
    api_fixture f;
    fixture_begin(&f);
    const keel_entity dead = keel_add_entity(f.world);
    (void)keel_delete_entity(f.world, dead);
    const Owned mine = owned_make();
    assert_int_equal(keel_add(f.world, dead, Owned, mine), KEEL_ERROR_DEAD_ENTITY);
    keel_view view;
    const keel_entity e = add_owned(f.world);
    (void)keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_READ(Owned, o)), "v");
    assert_int_equal(keel_add(f.world, e, Owned, mine), KEEL_ERROR_BORROWED);
    keel_view_end(&view);
    assert_int_equal(owned.drops, 0);
    owned_release(mine);
    fixture_end(&f);
}

// ------------------------------------------------------------------ move
static void adding_moves_the_value_in_once(void **state) {
    (void)state;
    api_fixture f;
    fixture_begin(&f);
    const keel_entity e = keel_add_entity(f.world);
    Owned mine = owned_make();
    const uint32_t token = mine.token;
    assert_int_equal(keel_add_component(f.world, e, KEEL_OF(Owned), &mine), KEEL_OK);
    assert_int_equal(owned.moves, 1);
    assert_int_equal(owned.copies, 0);
    assert_int_equal(keel_get(f.world, e, Owned)->token, token);
    fixture_end(&f);
}

static void removing_moves_the_last_into_the_hole(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[4];
    Owned out;
    fixture_begin(&f);
    for (int i = 0; i < 4; ++i)
        e[i] = add_owned(f.world);
    owned.moves = 0;
    assert_int_equal(keel_delete(f.world, e[1], Owned), KEEL_OK); // the last moves
    assert_int_equal(owned.moves, 1);
    assert_int_equal(keel_delete(f.world, e[2], Owned), KEEL_OK); // is the last itself
    assert_int_equal(owned.moves, 1);
    assert_int_equal(keel_remove(f.world, e[0], Owned, &out),
                     KEEL_OK); // out, and one into the hole
    assert_int_equal(owned.moves, 3);
    assert_int_equal(keel_get(f.world, e[3], Owned)->token, 4);
    owned_release(out);
    fixture_end(&f);
}

// Only the first page of values moves while it grows, each value once per step.
static void growing_moves_the_first_page_only(void **state) {
    (void)state;
    enum { PAGE = 65536 / sizeof(Owned), COUNT = PAGE * 2 + 10 };
    api_fixture f;
    fixture_begin(&f);
    uint32_t growths = 0;
    for (uint32_t i = 0; i < COUNT; ++i) {
        const uint32_t before = owned.moves;
        (void)add_owned(f.world);
        const uint32_t others = owned.moves - before - 1; // besides the added value
        if (others) assert_int_equal(others, i);
        if (i >= PAGE) assert_int_equal(others, 0);
        growths += others != 0;
    }
    assert_in_range(growths, 1, 12);
    for (uint32_t i = 0; i < COUNT; ++i)
        assert_int_equal(keel_get(f.world, handle_at(i, 0), Owned)->token, i + 1);
    fixture_end(&f);
}

// ------------------------------------------------------------------ large values, hook data
typedef struct big_value {
    Owned owned;
    unsigned char rest[2040];
} big_value;

static uint32_t hook_data_seen;
static void big_drop(void *value, void *hook_data) {
    hook_data_seen += *(const uint32_t *)hook_data;
    owned_drop(&((big_value *)value)->owned, NULL);
}
static bool big_copy(void *to, const void *from, void *hook_data) {
    hook_data_seen += *(const uint32_t *)hook_data;
    memcpy(to, from, sizeof(big_value));
    return owned_copy(&((big_value *)to)->owned, &((const big_value *)from)->owned, NULL);
}
static void big_move(void *to, void *from, void *hook_data) {
    hook_data_seen += *(const uint32_t *)hook_data;
    memcpy(to, from, sizeof(big_value));
    owned_move(&((big_value *)to)->owned, &((big_value *)from)->owned, NULL);
}

static void large_values_have_hooks_too(void **state) {
    (void)state;
    uint32_t data = 1;
    const keel_component big = { .name = "Big",
                                 .size = sizeof(big_value),
                                 .align = 4,
                                 .drop = big_drop,
                                 .copy = big_copy,
                                 .move = big_move,
                                 .hook_data = &data };
    api_fixture f;
    fixture_begin(&f);
    hook_data_seen = 0;
    for (uint32_t i = 0; i < 30; ++i) {
        big_value value = { .owned = owned_make(), .rest = { (unsigned char)i } };
        const keel_value list[] = { { &big, &value }, { NULL, NULL } };
        assert_false(keel_is_null(keel_add_entity_values(f.world, list)));
    }
    assert_int_equal(owned.moves, 30); // each has a page of its own: growing moves nothing
    assert_int_equal(keel_clone_entities(f.world, handle_at(3, 0), 5, NULL), KEEL_OK);
    assert_int_equal(owned.copies, 5);
    assert_int_equal(
        ((const big_value *)keel_get_component(f.world, handle_at(34, 0), &big))->rest[0], 3);
    assert_int_equal(keel_delete_entity(f.world, handle_at(0, 0)), KEEL_OK);
    assert_int_equal(owned.drops, 1);
    assert_int_equal(owned.moves, 31);
    assert_int_equal(hook_data_seen, 30 + 5 + 1 + 1);
    fixture_end(&f);
}

// ------------------------------------------------------------------ copy
static void copies_are_made_by_the_hook_only(void **state) {
    (void)state;
    api_fixture f;
    fixture_begin(&f);
    const keel_entity e = add_owned(f.world);
    const keel_entity copy = keel_clone_entity(f.world, e);
    assert_int_equal(owned.copies, 1);
    assert_int_equal(owned.living, 2);
    assert_int_equal(keel_get(f.world, copy, Owned)->token, 2);
    assert_int_equal(keel_clone_entities(f.world, e, 9, NULL), KEEL_OK);
    assert_int_equal(owned.copies, 10);
    fixture_end(&f);
}

// ------------------------------------------------------------------ replaced hooks
static uint32_t new_drops;
static void new_drop(void *value, void *hook_data) {
    (void)hook_data;
    ++new_drops;
    owned_drop(value, NULL);
}

// A plug-in was loaded again: its functions are somewhere else now.
static void registering_again_replaces_the_hooks(void **state) {
    (void)state;
    api_fixture f;
    fixture_begin(&f);
    new_drops = 0;
    (void)add_owned(f.world);
    keel_component reloaded = *KEEL_OF(Owned);
    reloaded.drop = new_drop;
    const keel_component *known = keel_register_component(f.world, &reloaded);
    assert_non_null(known);
    assert_true(known->drop == new_drop);
    (void)add_owned(f.world);
    assert_int_equal(keel_delete_entity(f.world, handle_at(0, 0)), KEEL_OK); // added before
    assert_int_equal(new_drops, 1);
    // using the old descriptor again changes nothing: only registering does
    assert_int_equal(keel_delete(f.world, handle_at(1, 0), Owned), KEEL_OK);
    assert_int_equal(new_drops, 2);
    fixture_end(&f);
}

static void dropping_may_look_at_the_value(void **state) {
    (void)state;
    // a drop hook without copy and move: bytes are moved
    static const keel_component plain = {
        .name = "Plain", .size = sizeof(Owned), .align = 4, .drop = owned_drop
    };
    api_fixture f;
    keel_entity e[500];
    fixture_begin(&f);
    for (int i = 0; i < 500; ++i) {
        const Owned mine = owned_make();
        e[i] = keel_add_entity(f.world);
        assert_int_equal(keel_add_component(f.world, e[i], &plain, &mine), KEEL_OK);
    }
    for (int i = 0; i < 500; i += 3)
        (void)keel_delete_component(f.world, e[i], &plain);
    assert_int_equal(owned.drops, 167);
    assert_int_equal(owned.moves, 0);
    for (uint32_t i = 0; i < 500; ++i) {
        const Owned *o = keel_get_component(f.world, e[i], &plain);
        assert_int_equal(o == NULL, i % 3 == 0);
        if (o) assert_int_equal(o->token, i + 1);
    }
    fixture_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(each_way_to_go_drops_once, "each way to go drops a value once"),
    TEST(the_end_of_the_world_drops_all, "the end of the world drops what is left, once"),
    TEST(what_is_handed_out_is_not_dropped, "what is handed out is not dropped"),
    TEST(a_failed_add_drops_nothing, "a failed add leaves the value with the caller"),
    TEST(adding_moves_the_value_in_once, "adding moves the value in once"),
    TEST(removing_moves_the_last_into_the_hole, "removing moves the last value into the hole"),
    TEST(growing_moves_the_first_page_only, "growing moves values of the first page only"),
    TEST(large_values_have_hooks_too, "large values have hooks, and growing does not move them"),
    TEST(copies_are_made_by_the_hook_only, "copies are made by the copy hook"),
    TEST(registering_again_replaces_the_hooks, "registering again replaces the hooks"),
    TEST(dropping_may_look_at_the_value, "without a move hook bytes are moved"),
};

int main(void) { return RUN(tests); }
