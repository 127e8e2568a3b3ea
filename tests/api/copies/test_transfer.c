// SPDX-License-Identifier: MIT
// From world to world: moving an entity, copying a whole world.
#include "support/api_types.h"

#include <string.h>

typedef struct Near {
    uint32_t value;
} Near;
typedef struct Row {
    uint32_t value;
} Row;
typedef struct RowThing {
    Owned owned;
} RowThing;
typedef struct Engine {
    Owned owned;
} Engine;
typedef struct Uncopied {
    Owned owned;
} Uncopied;
typedef struct Token {
    Owned owned;
} Token;

#define OWNS .drop = owned_drop, .copy = owned_copy, .move = owned_move
KEEL_COMPONENT(Near, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Engine, .storage = KEEL_INDEXED, OWNS);
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(RowThing, .storage = KEEL_ARCHETYPE, OWNS);
KEEL_COMPONENT(Uncopied, .drop = owned_drop, .move = owned_move);
KEEL_UNIQUE(Token, OWNS);
// What belongs to one run only, of every storage. Its values own something and cannot be copied.
typedef Uncopied Cache, CacheNear, CacheRow;
typedef Near RowMark;
#define OF_THIS_RUN .transient = true, .drop = owned_drop, .move = owned_move
KEEL_COMPONENT(Cache, OF_THIS_RUN);
KEEL_COMPONENT(CacheNear, .storage = KEEL_INDEXED, OF_THIS_RUN);
KEEL_COMPONENT(CacheRow, .storage = KEEL_ARCHETYPE, OF_THIS_RUN);
KEEL_COMPONENT(RowMark, .storage = KEEL_ARCHETYPE, .transient = true);

static api_fixture f, g; // from, to

static void begin(void) {
    owned_begin();
    api_begin(&f);
    api_begin(&g);
}
static void end(void) {
    api_end(&f);
    api_end(&g);
    assert_owned_end();
}
static void check(keel_world *world) {
    keel_error error;
    if (!keel_world_check(world, &error)) fail_msg("%s", error.message);
}

// A NULL world has no `on_misuse`: it asserts in checked builds.

// ------------------------------------------------------------------ moving an entity
static keel_entity full_entity(keel_world *world, uint32_t n) {
    const keel_entity e = keel_add_entity(
        world, KEEL_INIT(Number, { n }), KEEL_INIT(Near, { n + 1 }), KEEL_INIT(Row, { n + 2 }),
        KEEL_INIT(Owned, owned_make()), KEEL_INIT(RowThing, { owned_make() }),
        KEEL_INIT(Engine, { owned_make() }), KEEL_INIT(Frozen), KEEL_INIT(Large, { { n + 3 } }));
    assert_false(keel_is_null(e));
    return e;
}

static void assert_full(keel_world *world, keel_entity e, uint32_t n) {
    assert_int_equal(keel_get(world, e, Number)->value, n);
    assert_int_equal(keel_get(world, e, Near)->value, n + 1);
    assert_int_equal(keel_get(world, e, Row)->value, n + 2);
    assert_int_equal(keel_get(world, e, Large)->word[0], n + 3);
    assert_non_null(keel_get(world, e, Owned));
    assert_non_null(keel_get(world, e, RowThing));
    assert_non_null(keel_get(world, e, Engine));
    assert_true(keel_has(world, e, Frozen));
}

static void an_entity_moves_with_all_it_has(void **state) {
    (void)state;
    begin();
    (void)full_entity(f.world, 10);
    const keel_entity e = full_entity(f.world, 20);
    (void)full_entity(f.world, 30);
    (void)keel_add_entity(g.world, KEEL_INIT(Row, { 1 }));
    const uint32_t token = keel_get(f.world, e, Engine)->owned.token, copies = owned.copies;
    const keel_entity moved = keel_move_entity(f.world, e, g.world);
    assert_same_entity(moved, handle_at(1, 0));
    assert_full(g.world, moved, 20);
    assert_int_equal(keel_get(g.world, moved, Engine)->owned.token, token);
    assert_int_equal(owned.copies, copies);
    assert_int_equal(owned.drops, 0);
    assert_false(keel_is_alive(f.world, e));
    assert_int_equal(keel_entity_count(f.world), 2);
    assert_int_equal(keel_count(f.world, Number), 2);
    assert_int_equal(keel_count(g.world, Row), 2);
    check(f.world);
    check(g.world);
    const keel_entity back = keel_move_entity(g.world, moved, f.world);
    assert_int_equal(keel_entity_index(back), keel_entity_index(e));
    assert_false(keel_is_same(back, e));
    assert_full(f.world, back, 20);
    assert_no_error(f.world);
    assert_no_error(g.world);
    end();
}

static void a_bare_entity_moves_too(void **state) {
    (void)state;
    begin();
    const keel_entity moved = keel_move_entity(f.world, keel_add_entity(f.world), g.world);
    assert_true(keel_is_alive(g.world, moved));
    assert_int_equal(keel_entity_count(f.world), 0);
    end();
}

static void disabled_components_move_disabled(void **state) {
    (void)state;
    begin();
    const keel_entity e = full_entity(f.world, 1);
    keel_disable(f.world, e, Near);
    keel_disable(f.world, e, Engine);
    const keel_entity moved = keel_move_entity(f.world, e, g.world);
    assert_true(keel_is_disabled(g.world, moved, Near));
    assert_int_equal(keel_count(g.world, Near), 0);
    assert_int_equal(keel_enable(g.world, moved, Near), KEEL_OK);
    assert_int_equal(keel_enable(g.world, moved, Engine), KEEL_OK);
    assert_full(g.world, moved, 1);
    check(f.world);
    end();
}

static void a_move_that_cannot_be_is_refused(void **state) {
    (void)state;
    begin();
    const keel_entity e = full_entity(f.world, 1);
    const keel_entity child = keel_add_child(f.world, e, KEEL_INIT(Number, { 5 }));
    assert_true(keel_is_null(keel_move_entity(f.world, e, g.world)));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "keel_unlink it first");
    assert_true(keel_is_null(keel_move_entity(f.world, child, g.world)));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "in a hierarchy");
    keel_unlink(f.world, e);
    assert_true(keel_is_null(keel_move_entity(f.world, e, f.world)));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "two worlds");
    assert_true(keel_is_null(keel_move_entity(f.world, keel_null(), g.world)));
    assert_error(f.world, KEEL_ERROR_DEAD_ENTITY, "not alive");
    assert_true(keel_is_null(keel_move_entity(f.world, handle_at(500, 3), g.world)));
    assert_error(f.world, KEEL_ERROR_DEAD_ENTITY, NULL);
    keel_set_assert_handler(api_go_on);
    assert_true(keel_is_null(keel_move_entity(NULL, e, g.world)));
    assert_true(keel_is_null(keel_move_entity(f.world, e, NULL)));
    keel_set_assert_handler(NULL);
    const keel_term terms[] = { { .kind = KEEL_TERM_READ, .component = KEEL_OF(Number) },
                                { .kind = KEEL_TERM_END } };
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, terms, "a reader"), KEEL_OK);
    assert_true(keel_is_null(keel_move_entity(f.world, e, g.world)));
    assert_error(f.world, KEEL_ERROR_BORROWED, NULL);
    keel_view_end(&view);
    assert_int_equal(keel_view_begin(&view, g.world, terms, "a reader"), KEEL_OK);
    assert_true(keel_is_null(keel_move_entity(f.world, e, g.world)));
    assert_error(g.world, KEEL_ERROR_BORROWED, "cannot add 'Number'");
    keel_view_end(&view);
    assert_int_equal(keel_share_begin(g.world), KEEL_OK);
    assert_true(keel_is_null(keel_move_entity(f.world, e, g.world)));
    assert_error(g.world, KEEL_ERROR_SHARED, NULL);
    assert_int_equal(keel_share_end(g.world), KEEL_OK);
    assert_int_equal(keel_entity_count(g.world), 0);
    assert_full(f.world, e, 1);
    assert_true(keel_is_alive(f.world, child));
    end();
}

static void two_components_of_one_name_cannot_meet(void **state) {
    (void)state;
    begin();
    const keel_component a = { .name = "same", .size = 4, .align = 4 };
    const keel_component b = { .name = "same", .size = 8, .align = 4 };
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    assert_int_equal(keel_add_component(f.world, e, &a, NULL), KEEL_OK);
    assert_non_null(keel_register_component(g.world, &b));
    assert_true(keel_is_null(keel_move_entity(f.world, e, g.world)));
    assert_error(g.world, KEEL_ERROR_COMPONENT, "same");
    assert_true(keel_has_component(f.world, e, &a));
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_ERROR_COMPONENT);
    assert_error(g.world, KEEL_ERROR_COMPONENT, "same");
    assert_int_equal(keel_entity_count(g.world), 0);
    end();
}

static void moving_survives_a_lack_of_memory(void **state) {
    (void)state;
    bool done = false;
    for (uint32_t which = 0; which < 2; ++which)
        for (size_t allowed = 0;; allowed += test_stride()) {
            begin();
            const keel_entity e = full_entity(f.world, 7);
            keel_disable(f.world, e, Engine);
            counting_allocator_fail_after(which ? &f.memory : &g.memory, allowed);
            const keel_entity moved = keel_move_entity(f.world, e, g.world);
            counting_allocator_never_fail(&f.memory);
            counting_allocator_never_fail(&g.memory);
            done = !keel_is_null(moved);
            if (done) {
                assert_true(keel_is_disabled(g.world, moved, Engine));
            } else {
                assert_error(which ? f.world : g.world, KEEL_ERROR_MEMORY, NULL);
                assert_int_equal(keel_entity_count(g.world), 0);
                assert_int_equal(keel_enable(f.world, e, Engine), KEEL_OK);
                assert_full(f.world, e, 7);
            }
            check(f.world);
            check(g.world);
            end();
            if (done) break;
            assert_true(allowed < 300);
        }
}

// ------------------------------------------------------------------ copying a world
// A world in which indices were used again, sets are out of order, and everything else happens.
static void fill_world(keel_world *world) {
    static keel_entity e[300];
    for (uint32_t i = 0; i < 300; ++i) {
        e[i] = keel_add_entity(world, KEEL_INIT(Number, { i }));
        if (i % 2) keel_add(world, e[i], Near, { i });
        if (i % 3) keel_add(world, e[i], Row, { i });
        if (i % 5 == 0) keel_add(world, e[i], RowThing, { owned_make() });
        if (i % 7 == 0) keel_add(world, e[i], Owned, owned_make());
        if (i % 11 == 0) keel_add(world, e[i], Engine, { owned_make() });
        if (i % 13 == 0) keel_add(world, e[i], Large, { { i } });
        if (i % 4 == 0) keel_add(world, e[i], Frozen);
        if (i && i % 6 == 0) keel_attach(world, e[i], e[i / 2]);
    }
    for (uint32_t i = 0; i < 300; i += 9)
        keel_delete_entity(world, e[(i * 7) % 300]);
    for (uint32_t i = 1; i < 300; i += 10)
        keel_delete(world, e[i], Number, Row);
    for (uint32_t i = 0; i < 300; i += 11)
        keel_disable(world, e[i], Engine);
    for (uint32_t i = 1; i < 300; i += 14)
        keel_disable(world, e[i], Near);
    assert_int_equal(keel_add_entity_at(world, handle_at(9000, 3)), KEEL_OK); // gaps before it
    keel_add(world, handle_at(9000, 3), Near, { 9000 });
    keel_set_unique(world, Time, { 1.5, 0.25 });
    keel_set_unique(world, Token, { owned_make() });
}

// Each component lies in another storage than it says; in one of its own, where the round is 0. The
// last round: all by index.
enum { STORAGES = 3 };
static void store_otherwise(keel_world *world, uint32_t round) {
    const keel_component *all[] = { KEEL_OF(Number),   KEEL_OF(Near),   KEEL_OF(Row),
                                    KEEL_OF(Owned),    KEEL_OF(Engine), KEEL_OF(Frozen),
                                    KEEL_OF(RowThing), KEEL_OF(Large),  KEEL_OF(RowMark) };
    for (uint32_t i = 0; i < sizeof all / sizeof *all; ++i) {
        keel_component c = *all[i];
        c.storage = round == STORAGES ? KEEL_INDEXED
                                      : (keel_storage)(((uint32_t)c.storage + round) % STORAGES);
        assert_non_null(keel_register_component(world, &c));
    }
}

// The text of a world has hashes of values: tokens of Owned differ between copies. `by_index`:
// whatever the order in which values lie.
static const keel_component *const plain_uniques[] = { KEEL_UNIQUE_OF(Time), NULL };
static char *text_of(keel_world *world, bool by_index) {
    // the three owning components are compared by hand
    api_fixture scratch;
    api_begin(&scratch);
    if (by_index) store_otherwise(scratch.world, STORAGES);
    const keel_component *owning[] = { KEEL_OF(Owned), KEEL_OF(RowThing), KEEL_OF(Engine), NULL };
    assert_int_equal(keel_copy_world(world, scratch.world), KEEL_OK);
    for (const keel_component **c = owning; *c; ++c) {
        keel_entity e = keel_null();
        while (!keel_is_null(e = keel_next_entity(scratch.world, e))) {
            (void)keel_enable(scratch.world, e, Engine);
            Owned *value = keel_get_component_mut(scratch.world, e, *c);
            if (!value) continue;
            owned_release(*value);
            *value = (Owned){ 0 };
        }
    }
    char *text = world_text(scratch.world, plain_uniques);
    api_end(&scratch);
    return text;
}

static char *text_without_tokens(keel_world *world) { return text_of(world, false); }

static void a_copy_is_the_same_in_every_way(void **state) {
    (void)state;
    begin();
    fill_world(f.world);
    const uint32_t living = owned.living;
    char *before = text_without_tokens(f.world);
    assert_int_equal(owned.living, living);
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK);
    check(f.world);
    check(g.world);
    assert_int_equal(owned.living, 2 * living);
    assert_same_text(text_without_tokens(g.world), before);
    assert_true(keel_get_unique(g.world, Time)->now == 1.5);
    assert_int_not_equal(keel_get_unique(g.world, Token)->owned.token,
                         keel_get_unique(f.world, Token)->owned.token);
    keel_entity e = keel_null();
    while (!keel_is_null(e = keel_next_entity(f.world, e))) {
        assert_int_equal(keel_is_disabled(g.world, e, Near), keel_is_disabled(f.world, e, Near));
        assert_int_equal(keel_is_disabled(g.world, e, Engine),
                         keel_is_disabled(f.world, e, Engine));
        assert_same_entity(keel_parent_of(g.world, e), keel_parent_of(f.world, e));
        assert_int_equal(keel_child_count(g.world, e), keel_child_count(f.world, e));
    }
    assert_no_error(f.world);
    assert_no_error(g.world);
    end();
}

static void a_copy_may_store_values_otherwise(void **state) {
    (void)state;
    for (uint32_t round = 0; round < STORAGES * STORAGES; ++round) {
        begin();
        store_otherwise(f.world, round % STORAGES);
        store_otherwise(g.world, round / STORAGES);
        fill_world(f.world);
        const uint32_t living = owned.living;
        assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK);
        check(f.world);
        check(g.world);
        assert_int_equal(owned.living, 2 * living);
        assert_same_text(text_of(g.world, true), text_of(f.world, true));
        keel_entity e = keel_null();
        while (!keel_is_null(e = keel_next_entity(f.world, e))) {
            assert_int_equal(keel_is_disabled(g.world, e, Near),
                             keel_is_disabled(f.world, e, Near));
            assert_int_equal(keel_enable(g.world, e, Near), keel_enable(f.world, e, Near));
            assert_int_equal(keel_enable(g.world, e, Engine), keel_enable(f.world, e, Engine));
            if (keel_entity_index(e) % 3 == 0) keel_delete(g.world, e, Row, Large);
            if (keel_entity_index(e) % 3 == 0) keel_delete(f.world, e, Row, Large);
            keel_add(g.world, e, RowMark, { 1 }); // rows move
            keel_add(f.world, e, RowMark, { 1 });
        }
        check(g.world);
        assert_same_text(text_of(g.world, true), text_of(f.world, true));
        end();
    }
}

static void both_worlds_go_on_alike(void **state) {
    (void)state;
    begin();
    fill_world(f.world);
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK);
    keel_world *worlds[] = { f.world, g.world };
    keel_entity last[2][400];
    for (uint32_t w = 0; w < 2; ++w)
        for (uint32_t i = 0; i < 400; ++i) { // the free list, gaps, then new indices
            last[w][i] = keel_add_entity(worlds[w], KEEL_INIT(Row, { i }));
            if (i % 3 == 0) keel_delete_entity(worlds[w], last[w][i]);
        }
    for (uint32_t i = 0; i < 400; ++i)
        assert_same_entity(last[1][i], last[0][i]);
    assert_same_text(text_without_tokens(g.world), text_without_tokens(f.world));
    end();
}

static void a_copy_does_not_touch_the_other(void **state) {
    (void)state;
    begin();
    const keel_entity e = full_entity(f.world, 3);
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK);
    keel_get_mut(g.world, e, Number)->value = 77;
    keel_delete(g.world, e, Owned, Engine);
    assert_full(f.world, e, 3);
    keel_delete_entity(f.world, e);
    assert_int_equal(keel_get(g.world, e, Number)->value, 77);
    end();
}

static void an_empty_world_is_copied_too(void **state) {
    (void)state;
    begin();
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK);
    assert_same_entity(keel_add_entity(g.world), handle_at(0, 0));
    end();
}

// A copy can be emptied and made again, as a game that rewinds does.
static void a_copy_can_be_made_again(void **state) {
    (void)state;
    begin();
    fill_world(f.world);
    for (uint32_t round = 0; round < 4; ++round) {
        assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK);
        (void)full_entity(f.world, round);
        (void)keel_add_entity(g.world, KEEL_INIT(Third, { 5 }));
        keel_clear_entities(g.world);
        keel_remove_unique(g.world, Time);
        keel_remove_unique(g.world, Token);
    }
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK);
    assert_same_text(text_without_tokens(g.world), text_without_tokens(f.world));
    end();
}

static void a_copy_that_cannot_be_is_refused(void **state) {
    (void)state;
    begin();
    const keel_entity e = full_entity(f.world, 1);
    assert_int_equal(keel_copy_world(f.world, f.world), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "two worlds");
    keel_set_assert_handler(api_go_on);
    assert_int_equal(keel_copy_world(NULL, g.world), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_copy_world(f.world, NULL), KEEL_ERROR_ARGUMENT);
    keel_set_assert_handler(NULL);
    const keel_entity own = keel_add_entity(g.world, KEEL_INIT(Number, { 9 }));
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_ERROR_ARGUMENT);
    assert_error(g.world, KEEL_ERROR_ARGUMENT, "1 entities are alive in it");
    assert_int_equal(keel_get(g.world, own, Number)->value, 9);
    keel_delete_entity(g.world, own);
    keel_set_unique(g.world, Time, { 1, 2 });
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_ERROR_ARGUMENT);
    assert_error(g.world, KEEL_ERROR_ARGUMENT, "its unique 'Time' is set");
    keel_remove_unique(g.world, Time);
    const keel_term terms[] = { { .kind = KEEL_TERM_WRITE, .component = KEEL_OF(Number) },
                                { .kind = KEEL_TERM_END } };
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, terms, "a writer"), KEEL_OK);
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_ERROR_BORROWED);
    assert_error(g.world, KEEL_ERROR_BORROWED, "a view writes its 'Number'");
    keel_view_end(&view);
    assert_int_equal(keel_view_begin(&view, g.world, terms, "a writer"), KEEL_OK);
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_ERROR_BORROWED);
    assert_error(g.world, KEEL_ERROR_BORROWED, "cannot copy into 'Number'");
    keel_view_end(&view);
    assert_int_equal(keel_share_begin(f.world), KEEL_OK);
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_ERROR_SHARED);
    assert_error(g.world, KEEL_ERROR_SHARED, "keel_share_end");
    assert_int_equal(keel_share_end(f.world), KEEL_OK);
    keel_commands *commands = keel_world_commands(g.world);
    const keel_entity held = keel_add_entity(commands, KEEL_INIT(Number, { 4 }));
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_ERROR_ARGUMENT);
    assert_error(g.world, KEEL_ERROR_ARGUMENT, "1 are recorded");
    keel_apply_commands(g.world);
    keel_delete_entity(g.world, held);
    keel_add(f.world, e, Uncopied, { owned_make() });
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_ERROR_COPY);
    assert_error(g.world, KEEL_ERROR_COPY, "'Uncopied' has a drop hook but no copy hook");
    keel_delete(f.world, e, Uncopied); // known, but without values
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK);
    end();
}

static void promised_handles_are_free_in_the_copy(void **state) {
    (void)state;
    begin();
    (void)keel_add_entity(f.world, KEEL_INIT(Number, { 4 }));
    keel_commands *commands = keel_world_commands(f.world);
    const keel_entity held = keel_add_entity(commands, KEEL_INIT(Number, { 5 }));
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK);
    assert_false(keel_is_alive(g.world, held));
    const keel_entity next = keel_add_entity(g.world);
    assert_int_equal(keel_entity_index(next), keel_entity_index(held));
    assert_false(keel_is_same(next, held));
    keel_apply_commands(f.world);
    assert_true(keel_is_alive(f.world, held));
    end();
}

static keel_group *number_and_row(keel_world *world) {
    keel_group *group = NULL;
    const keel_component *const owned_ones[] = { KEEL_OF(Number), KEEL_OF(Owned), NULL };
    const keel_component *const got[] = { KEEL_OF(Row), NULL };
    const keel_component *const excluded[] = { KEEL_OF(Near), NULL };
    const keel_group_desc desc = { .owned = owned_ones, .get = got, .exclude = excluded };
    assert_int_equal(keel_group_create_of(world, &desc, &group), KEEL_OK);
    return group;
}

// Groups are not copied, but those of the target take in what comes.
static void groups_of_the_copy_take_in_what_comes(void **state) {
    (void)state;
    begin();
    keel_group *from = number_and_row(f.world), *to = number_and_row(g.world);
    fill_world(f.world);
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK);
    check(f.world);
    check(g.world);
    const uint32_t members = keel_group_count(f.world, from);
    assert_true(members > 5);
    assert_int_equal(keel_group_count(g.world, to), members);
    for (uint32_t i = 0; i < members; ++i) // in the same order
        assert_same_entity(keel_group_entity(g.world, to, i), keel_group_entity(f.world, from, i));
    const keel_entity first = keel_group_entity(f.world, from, 0);
    keel_unlink(f.world, first);
    const keel_entity moved = keel_move_entity(f.world, first, g.world);
    assert_true(keel_group_contains(g.world, to, moved));
    assert_int_equal(keel_group_count(f.world, from), members - 1);
    const keel_entity hidden = full_entity(f.world, 3); // excluded, until it is disabled
    assert_false(keel_group_contains(f.world, from, hidden));
    keel_disable(f.world, hidden, Near);
    assert_true(keel_group_contains(f.world, from, hidden));
    assert_true(keel_group_contains(g.world, to, keel_move_entity(f.world, hidden, g.world)));
    check(f.world);
    check(g.world);
    end();
}

static void a_failing_copy_leaves_an_empty_world(void **state) {
    (void)state;
    uint32_t round = 0; // the storages of the target
    for (uint32_t allowed = 0; round < STORAGES;
         allowed += (uint32_t)test_stride()) { // the copy hook
        begin();
        store_otherwise(g.world, round);
        fill_world(f.world);
        const uint32_t living = owned.living;
        owned.copies_left = allowed;
        const keel_result result = keel_copy_world(f.world, g.world);
        check(g.world);
        if (result == KEEL_OK) {
            end();
            ++round;
            allowed = 0;
            continue;
        }
        assert_int_equal(result, KEEL_ERROR_COPY);
        assert_error(g.world, KEEL_ERROR_COPY, "failed");
        assert_int_equal(owned.living, living);
        assert_int_equal(keel_entity_count(g.world), 0);
        assert_null(keel_get_unique(g.world, Time));
        assert_null(keel_get_unique(g.world, Token));
        owned.copies_left = UINT32_MAX;
        assert_same_entity(keel_add_entity(g.world), handle_at(0, 0));
        end();
        assert_true(allowed < 400);
    }
}

static void copying_survives_a_lack_of_memory(void **state) {
    (void)state;
    uint32_t round = 0; // the storages of the target
    for (size_t allowed = 0; round < STORAGES; allowed += test_stride() + allowed / 40) {
        begin();
        store_otherwise(g.world, round);
        fill_world(f.world);
        const uint32_t living = owned.living;
        counting_allocator_fail_after(&g.memory, allowed);
        const keel_result result = keel_copy_world(f.world, g.world);
        counting_allocator_never_fail(&g.memory);
        check(f.world);
        check(g.world);
        if (result == KEEL_OK) {
            end();
            ++round;
            allowed = 0;
            continue;
        }
        assert_error(g.world, KEEL_ERROR_MEMORY, NULL);
        assert_int_equal(owned.living, living);
        assert_int_equal(keel_entity_count(g.world), 0);
        assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK); // now there is some
        assert_same_text(text_of(g.world, true), text_of(f.world, true));
        end();
        assert_true(allowed < 2000);
    }
}

// ------------------------------------------------------------------ what is transient
enum { CROWD = 9000 };
static void fill_with_caches(keel_world *world, uint32_t seed) {
    for (uint32_t i = 0; i < CROWD; ++i) {
        const uint32_t bits = (seed = seed * 1664525u + 1013904223u) >> 20;
        const keel_entity e = keel_add_entity(world);
        if (bits & 1) keel_add(world, e, Row, { i });
        if (bits & 2 && i % 8 == 0) keel_add(world, e, RowThing, { owned_make() });
        if (bits & 4) keel_add(world, e, CacheRow);
        if (bits & 8) keel_add(world, e, RowMark, { i });
        if (bits & 16) keel_add(world, e, Cache);
        if (bits & 32) keel_add(world, e, CacheNear);
        if ((bits & 96) == 96) keel_disable(world, e, CacheNear);
        if (bits & 128) keel_add(world, e, Near, { i });
    }
}

static void assert_copy_without_caches(void) {
    uint32_t seen = 0;
    keel_entity e = keel_null();
    while (!keel_is_null(e = keel_next_entity(f.world, e))) {
        ++seen;
        assert_true(keel_is_alive(g.world, e));
        const Row *row = keel_get(f.world, e, Row), *copy = keel_get(g.world, e, Row);
        assert_int_equal(row != NULL, copy != NULL);
        if (row) assert_int_equal(row->value, copy->value);
        const RowThing *a = keel_get(f.world, e, RowThing), *b = keel_get(g.world, e, RowThing);
        assert_int_equal(a != NULL, b != NULL);
        if (a) assert_true(b->owned.token && b->owned.token != a->owned.token);
        assert_int_equal(keel_has(f.world, e, Near), keel_has(g.world, e, Near));
        assert_false(keel_has_any(g.world, e, Cache, CacheNear, CacheRow, RowMark));
        assert_false(keel_is_disabled(g.world, e, CacheNear));
    }
    assert_int_equal(seen, keel_entity_count(g.world));
    uint32_t looped = 0;
    KEEL_EACH(g.world, KEEL_READ(Row, row), KEEL_ENTITY(entity)) {
        assert_int_equal(row->value, keel_entity_index(entity));
        ++looped;
    }
    assert_int_equal(looped, keel_count(f.world, Row));
}

// Rows of several archetypes meet in one; the target may fill its own caches afterwards.
static void what_is_transient_is_absent_in_the_copy(void **state) {
    (void)state;
    for (uint32_t round = 0; round < 2; ++round) {
        begin();
        fill_with_caches(f.world, round * 77 + 1);
        if (round & 1) { // an earlier population leaves archetypes of its own
            fill_with_caches(g.world, round);
            keel_clear_entities(g.world);
        }
        for (uint32_t allowed = round * 70;; allowed += 331) {
            const uint32_t living = owned.living;
            owned.copies_left = allowed;
            const keel_result result = keel_copy_world(f.world, g.world);
            owned.copies_left = UINT32_MAX;
            check(g.world);
            if (result == KEEL_OK) break;
            assert_error(g.world, KEEL_ERROR_COPY, "failed");
            assert_int_equal(owned.living, living);
            assert_int_equal(keel_entity_count(g.world), 0);
        }
        assert_copy_without_caches();
        check(f.world);
        keel_clear_entities(g.world);
        assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK);
        const keel_entity first = keel_next_entity(g.world, keel_null());
        assert_int_equal(keel_add(g.world, first, CacheRow, { owned_make() }), KEEL_OK);
        check(g.world);
        end();
    }
}

// Two programs of one world need not agree: what one of both calls transient is left out.
static void either_world_may_call_it_transient(void **state) {
    (void)state;
    begin();
    keel_component kept = { .name = "kept", .size = 4, .align = 4, .storage = KEEL_ARCHETYPE };
    keel_component left = kept;
    left.transient = true;
    assert_non_null(keel_register_component(f.world, &kept));
    assert_non_null(keel_register_component(g.world, &left));
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Row, { 4 }));
    assert_int_equal(keel_add_component(f.world, e, &kept, &(uint32_t){ 1 }), KEEL_OK);
    assert_int_equal(keel_copy_world(f.world, g.world), KEEL_OK);
    assert_false(keel_has_component(g.world, e, &kept));
    assert_int_equal(keel_get(g.world, e, Row)->value, 4);
    keel_clear_entities(f.world);
    const keel_entity back = keel_add_entity(g.world, KEEL_INIT(Row, { 5 }));
    assert_int_equal(keel_add_component(g.world, back, &kept, &(uint32_t){ 2 }), KEEL_OK);
    assert_int_equal(keel_copy_world(g.world, f.world), KEEL_OK);
    assert_false(keel_has_component(f.world, back, &kept));
    assert_true(keel_has_component(g.world, back, &kept));
    check(f.world);
    check(g.world);
    end();
}

static const struct CMUnitTest tests[] = {
    TEST(what_is_transient_is_absent_in_the_copy, "What is transient is absent in the copy"),
    TEST(either_world_may_call_it_transient, "What either world calls transient is left out"),
    TEST(an_entity_moves_with_all_it_has, "An entity moves with all it has, and back"),
    TEST(a_bare_entity_moves_too, "An entity without components moves too"),
    TEST(disabled_components_move_disabled, "Disabled components move disabled"),
    TEST(a_move_that_cannot_be_is_refused, "A move that cannot be is refused"),
    TEST(two_components_of_one_name_cannot_meet, "Two components of one name cannot meet"),
    TEST(moving_survives_a_lack_of_memory, "Moving survives a lack of memory in either world"),
    TEST(a_copy_is_the_same_in_every_way, "A copy is the same in every way"),
    TEST(a_copy_may_store_values_otherwise, "A copy may store each component otherwise"),
    TEST(both_worlds_go_on_alike, "Both worlds go on alike: handles, order"),
    TEST(a_copy_does_not_touch_the_other, "A copy and its source do not touch each other"),
    TEST(an_empty_world_is_copied_too, "An empty world is copied too"),
    TEST(a_copy_can_be_made_again, "A copy can be emptied and made again"),
    TEST(a_copy_that_cannot_be_is_refused, "A copy that cannot be is refused"),
    TEST(promised_handles_are_free_in_the_copy, "Promised handles are free in the copy"),
    TEST(groups_of_the_copy_take_in_what_comes, "Groups of the copy take in what comes"),
    TEST(a_failing_copy_leaves_an_empty_world, "A failing copy hook leaves an empty world"),
    TEST(copying_survives_a_lack_of_memory, "Copying survives a lack of memory"),
};
int main(void) { return RUN(tests); }
