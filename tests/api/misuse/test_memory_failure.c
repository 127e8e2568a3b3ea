// SPDX-License-Identifier: MIT
// Running out of memory: each call that may need memory fails at each of its allocations, changes
// nothing, keeps nothing that was handed to it, and works when it is tried again.
#include "support/view_fixture.h"

#include <stdlib.h>
#include <string.h>

KEEL_UNIQUE(Owned, .drop = owned_drop, .copy = owned_copy, .move = owned_move);

// A world whose first pages of values are full, so that the next value needs memory everywhere.
typedef struct attempt {
    api_fixture f;
    keel_entity e[8];
    keel_entity far;  // on another page of every table; has nothing
    keel_entity bare; // index 8
    Owned mine;       // to hand over
    bool handed;
} attempt;

static const keel_component *const uniques[] = { KEEL_UNIQUE_OF(Owned), KEEL_UNIQUE_OF(Time),
                                                 NULL };

static void begin(attempt *a) {
    memset(a, 0, sizeof *a);
    owned_begin();
    api_begin(&a->f);
    keel_world *world = a->f.world;
    for (uint32_t i = 0; i < 8; ++i) {
        Owned value = owned_make();
        a->e[i] = keel_add_entity(world, KEEL_INIT(Number, { i }), KEEL_INIT(Owned, value),
                                  KEEL_INIT(Large), KEEL_INIT(Frozen));
    }
    a->bare = keel_add_entity(world);
    a->far = handle_at(5000, 2);
    assert_int_equal(keel_add_entity_at(world, a->far), KEEL_OK);
    a->mine = owned_make();
    assert_no_error(world);
}

static void end(attempt *a) {
    if (!a->handed) owned_release(a->mine);
    api_end(&a->f);
    assert_owned_end();
}

// An edit of the world; `a->mine` may be handed over once.
typedef keel_result edit_fn(attempt *a);

static keel_result run(attempt *a, edit_fn *edit) {
    const Owned kept = a->mine; // hooks wipe what they move from
    const keel_result result = edit(a);
    if (result < 0) {
        assert_memory_equal(&a->mine, &kept, sizeof kept); // still the caller's
        assert_true(owned.alive[kept.token]);
        assert_int_equal(owned.drops, 0);
        a->handed = false;
    }
    return result;
}

static char *reference(edit_fn *edit) {
    attempt a;
    begin(&a);
    assert_int_equal(run(&a, edit), KEEL_OK);
    char *text = world_text(a.f.world, uniques);
    end(&a);
    return text;
}

static void assert_text(const attempt *a, const char *expected) {
    char *now = world_text(a->f.world, uniques);
    assert_string_equal(now, expected);
    free(now);
}

// Fail at allocation `n` (once, or from then on). False when the edit did not get there.
static bool fails_at(edit_fn *edit, size_t n, bool once, const char *after) {
    attempt a;
    begin(&a);
    char *before = world_text(a.f.world, uniques);
    if (once) counting_allocator_fail_once(&a.f.memory, n);
    else counting_allocator_fail_after(&a.f.memory, n);
    const keel_result result = run(&a, edit);
    counting_allocator_never_fail(&a.f.memory);
    const bool failed = a.f.memory.failures > 0;
    assert_int_equal(result, failed ? KEEL_ERROR_MEMORY : KEEL_OK);
    if (failed) {
        assert_error(a.f.world, KEEL_ERROR_MEMORY, "memory");
        assert_text(&a, before);
        keel_error broken;
        if (!keel_world_check(a.f.world, &broken)) fail_msg("%s", broken.message);
        assert_int_equal(run(&a, edit), KEEL_OK);
    }
    assert_no_error(a.f.world);
    assert_text(&a, after);
    free(before);
    end(&a);
    return failed;
}

static void fails_everywhere(edit_fn *edit, size_t at_least) {
    char *after = reference(edit);
    size_t n = 0;
    for (; fails_at(edit, n, false, after); n += test_stride())
        assert_true(fails_at(edit, n, true, after));
    assert_in_range(n, at_least, 1000); // the edit does need memory
    free(after);
}

static keel_result kept_error(const attempt *a) { return keel_last_error(a->f.world)->result; }

// ------------------------------------------------------------------ components
static keel_result add_first_use(attempt *a) {
    return keel_add(a->f.world, a->bare, Health, { 3 });
}
static keel_result add_growing(attempt *a) {
    a->handed = true;
    return keel_add_component(a->f.world, a->bare, KEEL_OF(Owned), &a->mine);
}
static keel_result add_far(attempt *a) {
    a->handed = true;
    return keel_add_component_unchecked(a->f.world, a->far, KEEL_OF(Owned), &a->mine);
}
static keel_result add_list(attempt *a) {
    a->handed = true;
    const keel_value values[] = { KEEL_INIT(Number, { 9 }), { KEEL_OF(Owned), &a->mine },
                                  KEEL_INIT(Third),         KEEL_INIT(Large),
                                  KEEL_INIT(Dead),          { NULL, NULL } };
    return keel_add_component_values(a->f.world, a->far, values);
}
static keel_result get_or_add_zero(attempt *a) {
    return keel_get_or_add(a->f.world, a->bare, Large) ? KEEL_OK : kept_error(a);
}
static keel_result get_or_add(attempt *a) {
    a->handed = true;
    return keel_get_or_add_component(a->f.world, a->bare, KEEL_OF(Owned), &a->mine) ? KEEL_OK
                                                                                    : kept_error(a);
}
static keel_result reserve_values(attempt *a) { return keel_reserve(a->f.world, Owned, 9000); }
static keel_result reserve_large(attempt *a) { return keel_reserve(a->f.world, Large, 40); }
static keel_result register_fields(attempt *a) {
    static const keel_field fields[] = {
        { .name = "x", .type = KEEL_FIELD_F32, .offset = 0, .count = 1 },
        { .name = "y", .type = KEEL_FIELD_F32, .offset = 4, .count = 1 }
    };
    const keel_component c = { .name = "Described",
                               .type = "struct described",
                               .size = 8,
                               .file = "a.c",
                               .fields = fields,
                               .field_count = 2 };
    return keel_register_component(a->f.world, &c) ? KEEL_OK : kept_error(a);
}
static keel_result register_types(attempt *a) {
    static const keel_named_value on = { "ON", 1 };
    static const keel_type names = { .name = "names", .values = &on, .value_count = 1 };
    static const keel_field x = { .name = "x", .type = KEEL_FIELD_U8, .count = 1, .of = &names };
    static const keel_type inner = { .name = "inner", .size = 4, .fields = &x, .field_count = 1 };
    static const keel_field field = {
        .name = "in", .type = KEEL_FIELD_STRUCT, .count = 8, .of = &inner, .unit = "s"
    };
    const keel_component c = {
        .name = "Nested", .size = 8, .align = 4, .fields = &field, .field_count = 1
    };
    return keel_register_component(a->f.world, &c) ? KEEL_OK : kept_error(a);
}
static keel_result register_list(attempt *a) {
    return keel_register(a->f.world, Number, Health, Third);
}
static keel_result find_column(attempt *a) {
    (void)keel_lookup_of(a->f.world, Third);
    return kept_error(a);
}
static keel_result set_unique(attempt *a) {
    a->handed = true;
    return keel_set_unique_value(a->f.world, KEEL_UNIQUE_OF(Owned), &a->mine);
}

static void components_fail_cleanly(void **state) {
    (void)state;
    fails_everywhere(add_first_use, 3);
    fails_everywhere(add_growing, 2);
    fails_everywhere(add_far, 3);
    fails_everywhere(add_list, 10);
    fails_everywhere(get_or_add_zero, 2);
    fails_everywhere(get_or_add, 2);
    fails_everywhere(set_unique, 2);
}
static void preparations_fail_cleanly(void **state) {
    (void)state;
    fails_everywhere(reserve_values, 4);
    fails_everywhere(reserve_large, 2);
    fails_everywhere(register_fields, 5);
    fails_everywhere(register_types, 12);
    fails_everywhere(register_list, 4);
    fails_everywhere(find_column, 2);
}

// ------------------------------------------------------------------ entities
static keel_result add_entity(attempt *a) {
    a->handed = true;
    const keel_value values[] = {
        { KEEL_OF(Owned), &a->mine }, KEEL_INIT(Number, { 7 }), KEEL_INIT(Third), { NULL, NULL }
    };
    const keel_entity e = keel_add_entity_values(a->f.world, values);
    return keel_is_null(e) ? kept_error(a) : KEEL_OK;
}
static keel_result add_entity_far(attempt *a) {
    return keel_add_entity_at(a->f.world, handle_at(90000, 4));
}
static keel_result add_many(attempt *a) {
    static const Number numbers[5000];
    Owned model = { 0, 0 };
    return keel_add_entities(a->f.world, 5000, NULL, KEEL_COLUMN(Number, numbers),
                             KEEL_FILL(Owned, model), KEEL_FILL(Third));
}
static keel_result clone_one(attempt *a) {
    return keel_is_null(keel_clone_entity(a->f.world, a->e[2])) ? kept_error(a) : KEEL_OK;
}
static keel_result clone_many(attempt *a) {
    return keel_clone_entities(a->f.world, a->e[2], 50, NULL);
}
static keel_result reserve_entities(attempt *a) {
    return keel_reserve_component(a->f.world, &keel_entities, 20000);
}

static void entities_fail_cleanly(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    fails_everywhere(add_entity, 6);
    fails_everywhere(add_entity_far, 2);
    fails_everywhere(add_many, 8);
    fails_everywhere(reserve_entities, 4);
}
static void clones_fail_cleanly(void **state) {
    (void)state;
    fails_everywhere(clone_one, 5);
    fails_everywhere(clone_many, 6);
}

// ------------------------------------------------------------------ hierarchy
static keel_result attach(attempt *a) { return keel_attach(a->f.world, a->far, a->e[3]); }
static keel_result add_child(attempt *a) {
    a->handed = true;
    const keel_value values[] = { { KEEL_OF(Owned), &a->mine }, KEEL_INIT(Third), { NULL, NULL } };
    const keel_entity child = keel_add_child_values(a->f.world, a->far, values);
    return keel_is_null(child) ? kept_error(a) : KEEL_OK;
}

static void links_fail_cleanly(void **state) {
    (void)state;
    fails_everywhere(attach, 5);
    fails_everywhere(add_child, 8);
}

// ------------------------------------------------------------------ views
enum { VIEWS = 3 };
static keel_result open_views(attempt *a) {
    keel_view views[VIEWS];
    keel_result result = KEEL_OK;
    const keel_term *terms =
        KEEL_TERMS(KEEL_READ(Number, n), KEEL_READ(Third, t), KEEL_MAY_READ(Other, Velocity),
                   KEEL_ANY_OF(Health, Dead), KEEL_WITHOUT(Position), KEEL_ENTITY(e));
    for (uint32_t i = 0; i < VIEWS; ++i) {
        const keel_result opened = keel_view_begin(&views[i], a->f.world, terms, "one of many");
        if (result == KEEL_OK) result = opened;
    }
    for (uint32_t i = 0; i < VIEWS; ++i)
        keel_view_end(&views[i]);
    return result;
}
static keel_result begin_walks(attempt *a) {
    keel_view view = open_view(a->f.world, KEEL_TERMS(KEEL_READ(Number, n)));
    keel_iterator walks[VIEWS];
    keel_result result = KEEL_OK;
    for (uint32_t i = 0; i < VIEWS; ++i) {
        const keel_result begun = keel_iterator_begin(&walks[i], &view);
        if (result == KEEL_OK) result = begun;
        if (begun < 0) assert_null(keel_iterator_next(&walks[i])); // an ended one
    }
    keel_view_end(&view);
    return result;
}
static keel_result edit_by_view(attempt *a) {
    keel_view view;
    KEEL_TRY(keel_view_begin(&view, a->f.world, KEEL_TERMS(KEEL_MAY_EDIT_WORLD), "everything"));
    a->handed = true;
    const keel_value values[] = { { KEEL_OF(Owned), &a->mine }, KEEL_INIT(Third), { NULL, NULL } };
    const keel_entity e = keel_add_entity_values(&view, values);
    keel_view_end(&view);
    return keel_is_null(e) ? kept_error(a) : KEEL_OK;
}
static keel_result add_by_view(attempt *a) {
    keel_view view;
    KEEL_TRY(keel_view_begin(&view, a->f.world, KEEL_TERMS(KEEL_MAY_EDIT(Owned)), "owned"));
    a->handed = true;
    const keel_result result = keel_add_component(&view, a->far, KEEL_OF(Owned), &a->mine);
    keel_view_end(&view);
    return result;
}

static void views_fail_cleanly(void **state) {
    (void)state;
    fails_everywhere(open_views, 4);
    fails_everywhere(begin_walks, 2);
    fails_everywhere(edit_by_view, 4);
    fails_everywhere(add_by_view, 3);
}

// Questions that walk need memory when many walks are going on; they say so.
static void questions_say_that_memory_ran_out(void **state) {
    (void)state;
    attempt a;
    begin(&a);
    keel_view view = open_view(a.f.world, KEEL_TERMS(KEEL_READ(Number, n), KEEL_WITH(Frozen)));
    counting_allocator_fail_after(&a.f.memory, 0);
    keel_entity only = a.bare;
    assert_int_equal(keel_view_single(&view, &only), KEEL_ERROR_MEMORY);
    assert_true(keel_is_null(only));
    assert_error(a.f.world, KEEL_ERROR_MEMORY, NULL);
    assert_int_equal(keel_view_count(&view), 0);
    assert_error(a.f.world, KEEL_ERROR_MEMORY, NULL);
    assert_true(keel_is_null(keel_view_first(&view)));
    assert_error(a.f.world, KEEL_ERROR_MEMORY, NULL);
    counting_allocator_never_fail(&a.f.memory);
    assert_int_equal(keel_view_count(&view), 8);
    assert_int_equal(keel_view_single(&view, &only), KEEL_ERROR_COUNT);
    keel_view_end(&view);
    end(&a);
}

// ------------------------------------------------------------------ systems
KEEL_SYSTEM(add_thirds, KEEL_READ(Number, n), KEEL_ENTITY(e), KEEL_COMMANDS(commands, Third)) {
    if (n->value == 3) (void)keel_add(commands, e, Third, { 33 });
}
KEEL_SYSTEM(count_thirds, KEEL_READ(Third, t), KEEL_DATA(uint32_t, count)) { *count += t->value; }
KEEL_WORKLOAD(stored, KEEL_STEP(add_thirds));

static keel_result run_reading(attempt *a) {
    uint32_t count = 0;
    return keel_run_with(a->f.world, count_thirds, &count);
}
static keel_result store_workload(attempt *a) {
    KEEL_TRY(keel_add_workload(a->f.world, stored));
    return keel_add_step(a->f.world, "stored", KEEL_STEP(add_thirds));
}

static void systems_fail_cleanly(void **state) {
    (void)state;
    fails_everywhere(run_reading, 2);
    fails_everywhere(store_workload, 3);
}

// ------------------------------------------------------------------ what needs none
static void deleting_and_reading_never_need_memory(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    attempt a;
    begin(&a);
    keel_world *world = a.f.world;
    keel_attach(world, a.e[1], a.e[0]);
    keel_attach(world, a.e[2], a.e[1]);
    counting_allocator_fail_after(&a.f.memory, 0);
    assert_int_equal(keel_add(world, a.e[3], Number, { 4 }), KEEL_OK); // overwrites
    Owned out = { 0, 0 };
    assert_int_equal(keel_remove(world, a.e[3], Owned, &out), KEEL_OK);
    owned_release(out);
    assert_int_equal(keel_delete(world, a.e[3], Number, Large), KEEL_OK);
    assert_int_equal(keel_strip(world, a.e[4]), KEEL_OK);
    assert_int_equal(keel_delete_entity(world, a.e[5]), KEEL_OK);
    assert_int_equal(keel_detach(world, a.e[2]), KEEL_OK);
    assert_int_equal(keel_delete_tree(world, a.e[0]), KEEL_OK);
    assert_int_equal(keel_clear(world, Frozen), KEEL_OK);
    assert_int_equal(keel_delete_entities_having(world, Owned), KEEL_OK);
    assert_int_equal(keel_world_trim(world), KEEL_OK);
    assert_int_equal(keel_share_begin(world), KEEL_OK);
    assert_int_equal(keel_share_end(world), KEEL_OK);
    assert_int_equal(keel_clear_entities(world), KEEL_OK);
    assert_int_equal(keel_entity_count(world), 0);
    assert_no_error(world);
    end(&a);
}

static const struct CMUnitTest tests[] = {
    TEST(components_fail_cleanly, "adding components fails cleanly at each allocation"),
    TEST(preparations_fail_cleanly, "reserving and registering fail cleanly at each allocation"),
    TEST(entities_fail_cleanly, "adding entities fails cleanly at each allocation"),
    TEST(clones_fail_cleanly, "cloning fails cleanly at each allocation"),
    TEST(links_fail_cleanly, "attaching fails cleanly at each allocation"),
    TEST(views_fail_cleanly, "views and walks fail cleanly at each allocation"),
    TEST(questions_say_that_memory_ran_out, "a view's answers tell when memory ran out"),
    TEST(systems_fail_cleanly, "systems and workloads fail cleanly at each allocation"),
    TEST(deleting_and_reading_never_need_memory, "deleting and overwriting need no memory"),
};
int main(void) { return RUN(tests); }
