// SPDX-License-Identifier: MIT
// Rules about threads where they meet groups, archetypes, whole worlds and the scheduler.
#include "world/borrow.h"

#include "support/api_fixture.h"
#include "support/elsewhere.h"

typedef struct Plain {
    uint32_t value;
} Plain;
typedef struct Bound {
    uint32_t value;
} Bound;
typedef struct PlainRow {
    uint32_t value;
} PlainRow;
typedef struct BoundRow {
    uint32_t value;
} BoundRow;
typedef struct Single {
    uint32_t value;
} Single;
typedef struct Own {
    uint32_t value;
} Own;
KEEL_COMPONENT(Plain, .no_padding = true);
KEEL_COMPONENT(Bound, .no_padding = true, .threads = KEEL_THREADS_OWNER_WRITES);
KEEL_COMPONENT(PlainRow, .no_padding = true, .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(BoundRow, .no_padding = true, .storage = KEEL_ARCHETYPE,
               .threads = KEEL_THREADS_OWNER_WRITES);
KEEL_COMPONENT(Single, .no_padding = true, .threads = KEEL_THREADS_ONE_AT_A_TIME);
KEEL_COMPONENT(Own, .no_padding = true, .threads = KEEL_THREADS_OWNER_ONLY);

// What another thread does with two worlds.
typedef struct errand {
    keel_world *world, *other;
    keel_entity e;
    keel_result result[5];
    bool moved;
} errand;

// ------------------------------------------------------------------ neighbours
static void *edit_rows(void *data) {
    errand *r = data;
    keel_view view;
    r->result[0] = keel_add(r->world, r->e, PlainRow, { 2 });
    r->result[1] = keel_delete(r->world, r->e, PlainRow);
    r->result[2] = keel_view_begin(&view, r->world, KEEL_TERMS(KEEL_MAY_EDIT(PlainRow)), "editor");
    if (r->result[2] == KEEL_OK) keel_view_end(&view);
    r->result[3] = keel_view_begin(&view, r->world, KEEL_TERMS(KEEL_WRITE(PlainRow, p)), "writer");
    if (r->result[3] == KEEL_OK) keel_view_end(&view);
    return NULL;
}

static void edits_that_move_bound_rows_are_bound(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    errand r = { .world = f.world, .e = keel_add_entity(f.world, KEEL_INIT(PlainRow)) };
    elsewhere(edit_rows, &r);
    for (uint32_t i = 0; i < 4; ++i)
        assert_int_equal(r.result[i], KEEL_OK);
    keel_add(f.world, r.e, PlainRow);
    keel_add(f.world, r.e, BoundRow);
    elsewhere(edit_rows, &r);
    for (uint32_t i = 0; i < 3; ++i)
        assert_int_equal(r.result[i], KEEL_ERROR_THREAD);
    assert_int_equal(r.result[3], KEEL_OK); // nothing moves
    assert_error(f.world, KEEL_ERROR_THREAD, "archetype components");
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(BoundRow)), KEEL_OK);
    elsewhere(edit_rows, &r);
    for (uint32_t i = 0; i < 4; ++i)
        assert_int_equal(r.result[i], KEEL_OK);
    api_end(&f);
}

static void *edit_grouped(void *data) {
    errand *r = data;
    keel_view view;
    r->result[0] = keel_add(r->world, r->e, Plain, { 2 });
    r->result[1] = keel_delete(r->world, r->e, Plain);
    r->result[2] = keel_view_begin(&view, r->world, KEEL_TERMS(KEEL_MAY_EDIT(Plain)), "editor");
    if (r->result[2] == KEEL_OK) keel_view_end(&view);
    r->result[3] = keel_view_begin(&view, r->world,
                                   KEEL_TERMS(KEEL_WRITE(Plain, p), KEEL_READ(Bound, b)), "writer");
    if (r->result[3] == KEEL_OK) keel_view_end(&view);
    return NULL;
}

static void edits_that_move_bound_members_are_bound(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    errand r = { .world = f.world,
                 .e = keel_add_entity(f.world, KEEL_INIT(Bound), KEEL_INIT(Plain)) };
    const keel_component *const owns[] = { KEEL_OF(Bound), NULL };
    const keel_component *const gets[] = { KEEL_OF(Plain), NULL };
    keel_group *group;
    assert_int_equal(
        keel_group_create_of(f.world, &(keel_group_desc){ .owned = owns, .get = gets }, &group),
        KEEL_OK);
    elsewhere(edit_grouped, &r);
    for (uint32_t i = 0; i < 3; ++i)
        assert_int_equal(r.result[i], KEEL_ERROR_THREAD);
    assert_int_equal(r.result[3], KEEL_OK);
    assert_error(f.world, KEEL_ERROR_THREAD, "'group ");
    assert_int_equal(keel_delete(f.world, r.e, Plain), KEEL_OK); // at home
    assert_int_equal(keel_add(f.world, r.e, Plain, { 1 }), KEEL_OK);
    assert_int_equal(keel_group_destroy(f.world, group), KEEL_OK);
    elsewhere(edit_grouped, &r);
    for (uint32_t i = 0; i < 4; ++i)
        assert_int_equal(r.result[i], KEEL_OK);
    api_end(&f);
}

// ------------------------------------------------------------------ whole worlds
static void *use_worlds(void *data) {
    errand *r = data;
    uint64_t hash;
    r->result[0] = keel_world_hash(r->world, &hash);
    r->result[1] = keel_copy_world(r->world, r->other);
    r->moved = !keel_is_null(keel_move_entity(r->world, r->e, r->other));
    return NULL;
}

static void whole_worlds_are_read_where_their_values_may_be(void **state) {
    (void)state;
    api_fixture f, g;
    api_begin(&f);
    api_begin(&g);
    errand r = { .world = f.world, .other = g.world };
    r.e = keel_add_entity(f.world, KEEL_INIT(Bound, { 1 }));
    elsewhere(use_worlds, &r);
    assert_int_equal(r.result[0], KEEL_OK);           // reading
    assert_int_equal(r.result[1], KEEL_ERROR_THREAD); // adding to the other
    assert_false(r.moved);
    assert_error(g.world, KEEL_ERROR_THREAD, "'Bound'");
    keel_add(f.world, r.e, Own, { 1 });
    elsewhere(use_worlds, &r);
    assert_int_equal(r.result[0], KEEL_ERROR_THREAD);
    assert_error(f.world, KEEL_ERROR_THREAD, "'Bound'"); // moving
    (void)use_worlds(&r);
    assert_int_equal(r.result[0], KEEL_OK);
    assert_int_equal(r.result[1], KEEL_OK);
    assert_true(r.moved);
    keel_clear_errors(g.world);
    api_end(&f);
    api_end(&g);
}

// ------------------------------------------------------------------ the scheduler
static keeli_storage *storage_of(keel_world *world, const keel_component *c) {
    assert_non_null(keel_register_component(world, c));
    return keeli_storage_find(world, c);
}

static bool needs_owner(keel_world *world, const keel_component *c, keel_access access) {
    keeli_holder holder = { 0 };
    assert_true(keeli_holder_want(world, &holder, storage_of(world, c), access));
    const bool needs = keeli_holder_needs_owner(world, &holder);
    keeli_holder_deinit(world, &holder);
    return needs;
}

static void the_scheduler_learns_which_thread_a_holder_needs(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keeli_holder everything = { .everything = true };
    assert_false(needs_owner(f.world, KEEL_OF(Plain), KEEL_ACCESS_EDIT));
    assert_false(needs_owner(f.world, KEEL_OF(PlainRow), KEEL_ACCESS_EDIT));
    assert_false(needs_owner(f.world, KEEL_OF(Single), KEEL_ACCESS_EDIT));
    assert_false(keeli_holder_needs_owner(f.world, &everything));
    assert_false(needs_owner(f.world, KEEL_OF(Bound), KEEL_ACCESS_READ));
    assert_true(needs_owner(f.world, KEEL_OF(Bound), KEEL_ACCESS_WRITE));
    assert_true(needs_owner(f.world, KEEL_OF(Own), KEEL_ACCESS_READ));
    assert_true(keeli_holder_needs_owner(f.world, &everything));
    (void)storage_of(f.world, KEEL_OF(BoundRow));
    assert_true(needs_owner(f.world, KEEL_OF(PlainRow), KEEL_ACCESS_EDIT));
    assert_false(needs_owner(f.world, KEEL_OF(PlainRow), KEEL_ACCESS_WRITE));
    api_end(&f);
}

static void reading_alone_counts_as_writing_between_threads(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keeli_storage *plain = storage_of(f.world, KEEL_OF(Plain));
    const keeli_storage *bound = storage_of(f.world, KEEL_OF(Bound));
    const keeli_storage *single = storage_of(f.world, KEEL_OF(Single));
    assert_int_equal(keeli_access_in_parallel(plain, KEEL_ACCESS_READ), KEEL_ACCESS_READ);
    assert_int_equal(keeli_access_in_parallel(bound, KEEL_ACCESS_READ), KEEL_ACCESS_READ);
    assert_int_equal(keeli_access_in_parallel(single, KEEL_ACCESS_READ), KEEL_ACCESS_WRITE);
    assert_int_equal(keeli_access_in_parallel(single, KEEL_ACCESS_EDIT), KEEL_ACCESS_EDIT);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(edits_that_move_bound_rows_are_bound,
         "edits that move rows with bound values are bound themselves"),
    TEST(edits_that_move_bound_members_are_bound,
         "edits that move bound members of a group are bound themselves"),
    TEST(whole_worlds_are_read_where_their_values_may_be,
         "worlds are hashed, copied and moved from where their values may be touched"),
    // proves S-106
    TEST(the_scheduler_learns_which_thread_a_holder_needs,
         "a holder of bound values needs the world's thread, so two never run at once"),
    // proves S-102
    TEST(reading_alone_counts_as_writing_between_threads,
         "between threads, reading one at a time counts as writing"),
};
int main(void) { return RUN(tests); }
