// SPDX-License-Identifier: MIT
// Workloads that a world keeps: by name, built at run time, the default one, unknown names.
#include "support/trail.h"

#include <stdio.h>

// ------------------------------------------------------------------ stored in the world
static void a_stored_workload_runs_by_name_again_and_again(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    assert_int_equal(keel_add_workload(f.world, outer), KEEL_OK);
    assert_true(keel_find_workload(f.world, "outer") != NULL);
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(keel_run_named(f.world, "outer"), KEEL_OK);
        assert_trail(f.world, "cbaabcc");
    }
    api_end(&f);
}

// What is found stands for the stored one: its systems have seen what they saw when it ran by name.
KEEL_SYSTEM(see_new, KEEL_READ(Number, n), KEEL_INSERTED(Number), KEEL_DATA(uint32_t, seen)) {
    (void)n;
    ++*seen;
}
KEEL_WORKLOAD(looks, KEEL_STEP(see_new));
static void a_workload_that_was_found_is_the_stored_one(void **state) {
    (void)state;
    api_fixture f;
    uint32_t seen = 0;
    const keel_run_desc desc = { .data = &seen, .data_size = sizeof seen };
    api_begin(&f);
    assert_null(keel_find_workload(f.world, KEEL_DEFAULT_WORKLOAD));
    assert_null(keel_find_workload(NULL, "looks"));
    assert_int_equal(keel_add_workload(f.world, looks), KEEL_OK);
    const keel_workload *found = keel_find_workload(f.world, "looks");
    assert_ptr_equal(keel_find_workload(f.world, KEEL_DEFAULT_WORKLOAD), found);
    assert_string_equal(found->name, "looks");
    assert_int_equal(found->step_count, 1);
    assert_ptr_equal(found->steps[0].system, &KEEL_SYSTEM_see_new);
    (void)keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    assert_int_equal(keel_run_named(f.world, "looks", .data = &seen, .data_size = sizeof seen),
                     KEEL_OK);
    assert_int_equal(keel_run_workload_of(f.world, found, &desc), KEEL_OK);
    assert_int_equal(seen, 1); // by both
    assert_int_equal(keel_world_workload_nodes(f.world, found, NULL, 0), 1);
    assert_int_equal(keel_remove_workload(f.world, "looks"), KEEL_OK);
    assert_null(keel_find_workload(f.world, "looks"));
    api_end(&f);
}

static void the_table_of_a_stored_workload_is_copied(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    char name[] = "mine", nested[] = "ba";
    keel_step steps[] = { { .system = &KEEL_SYSTEM_do_a }, { .workload_name = nested } };
    assert_int_equal(
        keel_world_add_workload(f.world,
                                &(keel_workload){ .name = name, .steps = steps, .step_count = 2 }),
        KEEL_OK);
    memset(name, 'x', sizeof name - 1);
    memset(nested, 'x', sizeof nested - 1);
    memset(steps, 0, sizeof steps);
    assert_int_equal(keel_add_workload(f.world, ba), KEEL_OK); // after the one that names it
    assert_int_equal(keel_run_named(f.world, "mine"), KEEL_OK);
    assert_trail(f.world, "aba");
    api_end(&f);
}

static void a_workload_is_built_step_by_step(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    keel_world *w = f.world;
    assert_int_equal(keel_add_step(w, "Add & Check", KEEL_STEP(do_b)), KEEL_OK);
    assert_int_equal(keel_run_named(w, "Add & Check"), KEEL_OK);
    assert_int_equal(keel_add_step(w, "Add & Check", KEEL_NESTED(abc)), KEEL_OK);
    assert_int_equal(keel_add_step(w, "Add & Check", { .workload_name = "rest" }), KEEL_OK);
    assert_int_equal(keel_add_step(w, "rest", KEEL_STEP(do_c, .run_if = KEEL_IF(is_on))), KEEL_OK);
    assert_trail(w, "b");
    assert_int_equal(keel_run_named(w, "Add & Check"), KEEL_OK);
    assert_trail(w, "babc");
    keel_get_unique_mut(w, Switch)->on = true;
    assert_int_equal(keel_run_named(w, "Add & Check"), KEEL_OK);
    assert_trail(w, "babcc");
    api_end(&f);
}

static void a_name_is_used_anew(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    keel_world *w = f.world;
    const keel_workload second = { .name = "abc", .steps = keeli_steps_ba, .step_count = 2 },
                        empty = { .name = "abc" };
    assert_int_equal(keel_add_workload(w, abc), KEEL_OK);
    assert_int_equal(keel_world_add_workload(w, &second), KEEL_OK);
    assert_int_equal(keel_run_named(w, "abc"), KEEL_OK);
    assert_trail(w, "ba");
    assert_int_equal(keel_world_add_workload(w, &empty), KEEL_OK);
    assert_int_equal(keel_run_named(w, "abc"), KEEL_OK);
    assert_trail(w, "");
    assert_int_equal(keel_remove_workload(w, "abc"), KEEL_OK);
    assert_int_equal(keel_remove_workload(w, "abc"), KEEL_ABSENT);
    assert_int_equal(keel_remove_workload(w, NULL), KEEL_ABSENT);
    assert_false(keel_find_workload(w, "abc") != NULL);
    assert_false(keel_find_workload(w, NULL) != NULL);
    assert_int_equal(keel_run_named(w, "abc"), KEEL_ERROR_UNKNOWN);
    api_end(&f);
}

static void the_first_workload_is_the_default(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    keel_world *w = f.world;
    assert_int_equal(keel_run_default(w), KEEL_OK); // nothing is stored
    assert_trail(w, "");
    assert_int_equal(keel_add_workload(w, ba), KEEL_OK);
    assert_int_equal(keel_add_workload(w, abc), KEEL_OK);
    assert_int_equal(keel_run_default(w), KEEL_OK);
    assert_trail(w, "ba");
    assert_int_equal(keel_set_default_workload(w, "abc"), KEEL_OK);
    assert_int_equal(keel_run_default(w), KEEL_OK);
    assert_trail(w, "abc");
    assert_int_equal(keel_set_default_workload(w, "cba"), KEEL_ERROR_UNKNOWN);
    assert_int_equal(keel_set_default_workload(w, NULL), KEEL_ERROR_UNKNOWN);
    assert_int_equal(keel_run_default(w), KEEL_OK);
    assert_trail(w, "abc");
    api_end(&f);
}

static void the_default_survives_the_removal_of_others(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    keel_world *w = f.world;
    assert_int_equal(keel_add_workload(w, outer), KEEL_OK);
    assert_int_equal(keel_add_workload(w, abc), KEEL_OK);
    assert_int_equal(keel_add_workload(w, ba), KEEL_OK);
    assert_int_equal(keel_set_default_workload(w, "abc"), KEEL_OK);
    assert_int_equal(keel_remove_workload(w, "outer"), KEEL_OK);
    assert_int_equal(keel_run_default(w), KEEL_OK);
    assert_trail(w, "abc");
    assert_int_equal(keel_remove_workload(w, "abc"), KEEL_OK); // the default itself
    assert_int_equal(keel_run_default(w), KEEL_OK);
    assert_trail(w, "ba");
    assert_int_equal(keel_remove_workload(w, "ba"), KEEL_OK);
    assert_int_equal(keel_run_default(w), KEEL_OK);
    assert_trail(w, "");
    api_end(&f);
}

static void an_unknown_workload_is_an_error_that_lists_the_names(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    keel_world *w = f.world;
    assert_int_equal(keel_run_named(w, "frame"), KEEL_ERROR_UNKNOWN);
    assert_error(w, KEEL_ERROR_UNKNOWN, "no workload is named 'frame'; there is: none");
    assert_int_equal(keel_run_named(w, NULL), KEEL_ERROR_UNKNOWN);
    assert_error(w, KEEL_ERROR_UNKNOWN, NULL);
    assert_int_equal(keel_add_workload(w, abc), KEEL_OK);
    assert_int_equal(keel_add_step(w, "first", { .workload_name = "frame" }), KEEL_OK);
    assert_int_equal(keel_run_named(w, "frame"), KEEL_ERROR_UNKNOWN);
    assert_error(w, KEEL_ERROR_UNKNOWN, "'frame'; there is: abc, first");
    assert_int_equal(keel_run_named(w, "first"), KEEL_ERROR_UNKNOWN); // by a step
    assert_error(w, KEEL_ERROR_UNKNOWN, "'frame'");
    assert_trail(w, "");
    api_end(&f);
}

static void many_names_do_not_overflow_the_message(void **state) {
    (void)state;
    api_fixture f;
    char name[120];
    begin(&f);
    for (int i = 0; i < 40; ++i) {
        snprintf(name, sizeof name, "%0*d", i * 2 + 1, i);
        const keel_workload w = { .name = name, .steps = keeli_steps_abc, .step_count = 3 };
        assert_int_equal(keel_world_add_workload(f.world, &w), KEEL_OK);
    }
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_int_equal(keel_run_named(f.world, name), KEEL_ERROR_UNKNOWN);
    assert_error(f.world, KEEL_ERROR_UNKNOWN, "nnnn");
    api_end(&f);
}

// ------------------------------------------------------------------ changes and memory
static keel_result changed;
KEEL_SYSTEM_ONCE(change_workloads, KEEL_WORLD(world)) {
    changed = keel_remove_workload(world, "self");
}

static void stored_workloads_cannot_change_while_they_run(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    assert_int_equal(keel_add_step(f.world, "self", KEEL_STEP(change_workloads)), KEEL_OK);
    assert_int_equal(keel_add_step(f.world, "self", KEEL_STEP(do_a)), KEEL_OK);
    assert_int_equal(keel_run_named(f.world, "self"), KEEL_OK);
    assert_int_equal(changed, KEEL_ERROR_BORROWED);
    assert_trail(f.world, "a");
    assert_int_equal(keel_remove_workload(f.world, "self"), KEEL_OK);
    api_end(&f);
}

static void storing_survives_the_end_of_memory(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    keel_step steps[20];
    for (int i = 0; i < 20; ++i)
        steps[i] = i % 2 ? (keel_step){ .workload_name = "ba" }
                         : (keel_step){ .system = &KEEL_SYSTEM_do_c };
    const keel_workload many = { .name = "many", .steps = steps, .step_count = 20 },
                        again = { .name = "ba", .steps = keeli_steps_abc, .step_count = 3 };
    assert_int_equal(keel_add_workload(f.world, ba), KEEL_OK);
    keel_result result = KEEL_ERROR_MEMORY;
    for (size_t n = 0; result == KEEL_ERROR_MEMORY; ++n) {
        const size_t before = f.memory.live_bytes;
        counting_allocator_fail_after(&f.memory, n);
        result = keel_world_add_workload(f.world, &again);
        if (result == KEEL_OK) result = keel_world_add_workload(f.world, &many);
        if (result == KEEL_OK) result = keel_add_step(f.world, "more", { .workload_name = "many" });
        counting_allocator_never_fail(&f.memory);
        if (result == KEEL_OK) break;
        assert_error(f.world, KEEL_ERROR_MEMORY, NULL);
        assert_false(keel_find_workload(f.world, "more") != NULL);
        (void)keel_remove_workload(f.world, "many");
        assert_int_equal(keel_add_workload(f.world, ba), KEEL_OK);
        assert_true(f.memory.live_bytes <= before + 1024); // the list of workloads may have grown
        assert_int_equal(keel_run_named(f.world, "ba"), KEEL_OK);
        assert_trail(f.world, "ba");
    }
    assert_int_equal(keel_run_named(f.world, "more"), KEEL_OK);
    assert_trail(f.world, "cabccabccabccabccabccabccabccabccabccabc");
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(a_workload_that_was_found_is_the_stored_one,
         "a workload that was found is the stored one"),
    // proves S-60
    TEST(a_stored_workload_runs_by_name_again_and_again,
         "a stored workload runs by its name again and again"),
    TEST(the_table_of_a_stored_workload_is_copied, "the table of a stored workload is copied"),
    // proves S-64
    TEST(a_workload_is_built_step_by_step, "a workload is built step by step under a name"),
    TEST(a_name_is_used_anew, "a stored workload is replaced and forgotten"),
    // proves S-68
    TEST(the_first_workload_is_the_default, "the first workload stored is the default"),
    TEST(the_default_survives_the_removal_of_others, "the default survives removals"),
    // proves S-69
    TEST(an_unknown_workload_is_an_error_that_lists_the_names,
         "an unknown workload is an error that lists the names there are"),
    TEST(many_names_do_not_overflow_the_message, "many names fit the message"),
    TEST(stored_workloads_cannot_change_while_they_run,
         "stored workloads cannot change while they run (B17)"),
    TEST(storing_survives_the_end_of_memory, "storing survives the end of memory at every step"),
};

int main(void) { return RUN(tests); }
