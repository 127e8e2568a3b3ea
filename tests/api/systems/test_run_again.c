// SPDX-License-Identifier: MIT
// Systems that run more than once: what a world keeps of the first run must not outlive what it was
// made from.
#include "support/api_types.h"

static uint32_t visits;

KEEL_SYSTEM(count_numbers, KEEL_READ(Number, n)) {
    (void)n;
    ++visits;
}
KEEL_SYSTEM(write_numbers, KEEL_WRITE(Number, n)) { ++n->value; }
KEEL_SYSTEM(needs_time, KEEL_READ(Number, n), KEEL_UNIQUE_READ(Time, t)) {
    (void)n, (void)t;
    ++visits;
}

static uint32_t visits_of(keel_world *world, const keel_system *system) {
    visits = 0;
    assert_int_equal(keel_run_system(world, system, NULL), KEEL_OK);
    return visits;
}

static void what_changed_since_is_seen(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    assert_int_equal(visits_of(f.world, &KEEL_SYSTEM_count_numbers), 0);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    assert_int_equal(visits_of(f.world, &KEEL_SYSTEM_count_numbers), 1);
    keel_clear(f.world, Number);
    assert_int_equal(visits_of(f.world, &KEEL_SYSTEM_count_numbers), 0);
    keel_add(f.world, e, Number, { 1 });
    keel_add_entity(f.world, KEEL_INIT(Number, { 2 }));
    assert_int_equal(visits_of(f.world, &KEEL_SYSTEM_count_numbers), 2);
    api_end(&f);
}

static void a_component_may_go_and_come_back(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    for (uint32_t i = 0; i < 3; ++i) {
        assert_int_equal(visits_of(f.world, &KEEL_SYSTEM_count_numbers), 1);
        assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Number)), KEEL_OK);
        assert_int_equal(visits_of(f.world, &KEEL_SYSTEM_count_numbers), 0);
        keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    }
    api_end(&f);
}

static void a_group_made_in_between_is_respected(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    for (uint32_t i = 0; i < 10; ++i)
        keel_add_entity(f.world, KEEL_INIT(Number, { i }), KEEL_INIT(Other, { i }));
    assert_int_equal(visits_of(f.world, &KEEL_SYSTEM_count_numbers), 10);
    keel_group *group = keel_group_create(f.world, KEEL_OWNED(Number, Other));
    assert_non_null(group);
    assert_int_equal(visits_of(f.world, &KEEL_SYSTEM_count_numbers), 10);
    assert_int_equal(keel_group_destroy(f.world, group), KEEL_OK);
    assert_int_equal(visits_of(f.world, &KEEL_SYSTEM_count_numbers), 10);
    api_end(&f);
}

// A system made at run time may change, or another one may come to lie at its address.
static void another_system_at_the_same_address(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    keel_add_entity(f.world, KEEL_INIT(Number, { 1 }), KEEL_INIT(Other, { 1 }));
    keel_term terms[] = { { .kind = KEEL_TERM_READ, .component = KEEL_OF(Number), .name = "n" },
                          { .kind = KEEL_TERM_END },
                          { .kind = KEEL_TERM_END } };
    keel_system system = KEEL_SYSTEM_count_numbers;
    system.terms = terms;
    assert_int_equal(visits_of(f.world, &system), 2);
    assert_int_equal(visits_of(f.world, &system), 2);
    terms[1] = (keel_term){ .kind = KEEL_TERM_WITH, .component = KEEL_OF(Other) };
    assert_int_equal(visits_of(f.world, &system), 1);
    terms[1].kind = KEEL_TERM_WITHOUT;
    assert_int_equal(visits_of(f.world, &system), 1);
    terms[1].kind = KEEL_TERM_END;
    assert_int_equal(visits_of(f.world, &system), 2);
    api_end(&f);
}

static void conflicts_are_noticed_every_time(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    assert_int_equal(keel_run(f.world, write_numbers), KEEL_OK);
    assert_int_equal(keel_run(f.world, write_numbers), KEEL_OK);
    keel_view view;
    assert_int_equal(
        keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_READ(Number, n)), "the reader"), KEEL_OK);
    assert_int_equal(keel_run(f.world, write_numbers), KEEL_ERROR_BORROWED); // though there is none
    assert_error(f.world, KEEL_ERROR_BORROWED, "the reader");
    keel_view_end(&view);
    assert_int_equal(keel_run(f.world, write_numbers), KEEL_OK);
    api_end(&f);
}

static void a_unique_may_go_and_come_back(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    for (uint32_t i = 0; i < 3; ++i) {
        assert_int_equal(keel_run(f.world, needs_time), KEEL_ERROR_MISSING_UNIQUE);
        assert_error(f.world, KEEL_ERROR_MISSING_UNIQUE, "Time");
        assert_int_equal(keel_set_unique(f.world, Time, { 1, 2 }), KEEL_OK);
        assert_int_equal(visits_of(f.world, &KEEL_SYSTEM_needs_time), 1);
        assert_int_equal(visits_of(f.world, &KEEL_SYSTEM_needs_time), 1);
        assert_int_equal(keel_remove_unique(f.world, Time), KEEL_OK);
    }
    api_end(&f);
}

// Within itself, by way of a plain pointer to the world.
static keel_world *inner_world;
static uint32_t depth;
KEEL_SYSTEM(runs_itself, KEEL_READ(Number, n)) {
    ++visits;
    if (++depth < 5) assert_int_equal(keel_run(inner_world, runs_itself), KEEL_OK);
    --depth;
    (void)n;
}

static void a_system_within_itself(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    inner_world = f.world;
    assert_int_equal(visits_of(f.world, &KEEL_SYSTEM_runs_itself), 5);
    assert_int_equal(visits_of(f.world, &KEEL_SYSTEM_runs_itself), 5);
    api_end(&f);
}

static void a_second_run_needs_no_memory(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    assert_int_equal(keel_run(f.world, write_numbers), KEEL_OK);
    const size_t calls = f.memory.growing_calls;
    for (uint32_t i = 0; i < 100; ++i)
        assert_int_equal(keel_run(f.world, write_numbers), KEEL_OK);
    assert_int_equal(f.memory.growing_calls, calls);
    api_end(&f);
}

static void a_missing_unique_is_an_error_every_time(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_delete_entity(f.world, keel_add_entity(f.world, KEEL_INIT(Number, { 1 })));
    for (uint32_t i = 0; i < 3; ++i) // over nothing
        assert_int_equal(keel_run_system(f.world, &KEEL_SYSTEM_needs_time, NULL),
                         KEEL_ERROR_MISSING_UNIQUE);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(what_changed_since_is_seen, "a second run sees what changed since the first"),
    TEST(a_component_may_go_and_come_back, "a component may go and come back between runs"),
    TEST(a_group_made_in_between_is_respected, "a group made between runs is respected"),
    TEST(another_system_at_the_same_address, "another system at the same address is another one"),
    TEST(conflicts_are_noticed_every_time, "conflicts are noticed every time, matches or not"),
    TEST(a_unique_may_go_and_come_back, "a unique may go and come back between runs"),
    TEST(a_system_within_itself, "a system may run within itself"),
    TEST(a_missing_unique_is_an_error_every_time, "a missing unique is an error every time"),
    TEST(a_second_run_needs_no_memory, "a second run needs no memory"),
};

int main(void) { return RUN(tests); }
