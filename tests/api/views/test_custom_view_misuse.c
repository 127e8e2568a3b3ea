// SPDX-License-Identifier: MIT
// Custom views: begun by hand in systems, forgotten, at odds with each other, impossible.
#include "support/custom_views.h"

// ------------------------------------------------------------------ in systems, by hand
KEEL_SYSTEM_ONCE(by_hand, KEEL_CONTEXT(context), KEEL_MAY_READ(Number), KEEL_CUSTOM_WRITE(X, x)) {
    Y y;
    Pair pair;
    Look look;
    Owner owner;
    seen.results[0] = keel_custom_begin(context, Y, &y);
    seen.results[1] = keel_custom_end(context, &y);
    seen.results[2] = keel_custom_end(context, &y);
    seen.results[3] = keel_custom_end(context, x);
    seen.results[4] = keel_custom_begin(context, Pair, &pair);
    seen.results[5] = keel_custom_begin(context, Look, &look);
    seen.results[6] = keel_custom_begin(context, Owner, &owner);
    note('|');
}
KEEL_SYSTEM_ONCE(forgetful, KEEL_CONTEXT(context), KEEL_MAY_READ(Number), KEEL_CUSTOM_WRITE(X, x),
                 KEEL_DATA(Y, y)) {
    (void)x;
    keel_view view;
    (void)keel_view_begin(&view, context, KEEL_TERMS(KEEL_READ(Number, n)), "my view");
    seen.results[0] = keel_custom_begin(context, Y, y);
    note('|');
}

static void systems_begin_them_by_hand(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    assert_int_equal(keel_run(f.world, by_hand), KEEL_ERROR_ACCESS);
    const keel_result expected[7] = {
        KEEL_OK,           KEEL_OK,           KEEL_ERROR_ARGUMENT, KEEL_ERROR_ARGUMENT,
        KEEL_ERROR_ACCESS, KEEL_ERROR_ACCESS, KEEL_ERROR_ACCESS
    };
    assert_memory_equal(seen.results, expected, sizeof expected);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "no custom view is open at this address");
    assert_seen("xyY|X");
    Y y;
    assert_int_equal(keel_run_with(f.world, forgetful, &y), KEEL_OK);
    assert_seen("xy|YX");
    assert_int_equal(f.log.warnings, 2);
    assert_non_null(strstr(f.log.last, "returned while my view was open; call keel_view_end"));
    api_end(&f);
}

static void the_world_ends_what_was_forgotten(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    X x;
    Y y;
    assert_int_equal(keel_custom_begin(f.world, X, &x), KEEL_OK);
    assert_int_equal(keel_custom_begin(f.world, Y, &y), KEEL_OK);
    keel_world_destroy(f.world);
    assert_seen("xyYX");
    assert_int_equal(f.log.warnings, 2);
    assert_non_null(strstr(f.log.last, "destroyed while X is open"));
    assert_int_equal(f.memory.live_bytes, 0);
}

// ------------------------------------------------------------------ ended by itself
typedef struct Ends {
    keel_world *world;
} Ends;
static keel_result ends_init(void *view, keel_context *context) {
    note('e');
    seen.results[0] = keel_custom_end(keel_context_world(context), (Ends *)view);
    return seen.fails == 'e' ? KEEL_ERROR_UNKNOWN : KEEL_OK;
}
static void ends_drop(void *view, keel_context *context) {
    note('E');
    seen.results[1] = keel_custom_end(keel_context_world(context), (Ends *)view);
}
KEEL_CUSTOM_VIEW(Ends, KEEL_WORLD(world), .init = ends_init, .drop = ends_drop);

static void one_is_not_ended_by_its_own_code(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    Ends ends;
    assert_int_equal(keel_custom_begin(f.world, Ends, &ends), KEEL_OK);
    assert_int_equal(seen.results[0], KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "'Ends' cannot be ended by its own init or drop");
    assert_int_equal(keel_custom_end(f.world, &ends), KEEL_OK);
    assert_int_equal(seen.results[1], KEEL_ERROR_ARGUMENT);
    assert_seen("eE");
    seen.fails = 'e'; // then it is not dropped, either
    assert_int_equal(keel_custom_begin(f.world, Ends, &ends), KEEL_ERROR_VIEW);
    assert_seen("e");
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "'Ends' cannot be ended by its own init or drop");
    seen.fails = 0;
    assert_int_equal(keel_custom_begin(f.world, Ends, &ends), KEEL_OK);
    assert_int_equal(keel_custom_end(f.world, &ends), KEEL_OK);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, NULL);
    assert_seen("eE");
    api_end(&f);
}

// ------------------------------------------------------------------ misuse
KEEL_SYSTEM_ONCE(two_writers, KEEL_CUSTOM_WRITE(Pair, pair), KEEL_CUSTOM_WRITE(Look, look)) {
    (void)pair, (void)look;
    note('|');
}
KEEL_SYSTEM_ONCE(unique_twice, KEEL_CUSTOM_WRITE(Pair, pair), KEEL_UNIQUE_WRITE(Time, time)) {
    (void)pair, (void)time;
    note('|');
}
KEEL_SYSTEM(value_twice, KEEL_READ(Number, n), KEEL_CUSTOM_WRITE(Pair, pair)) {
    (void)pair, (void)n;
    note('|');
}
KEEL_SYSTEM(read_twice, KEEL_READ(Number, n), KEEL_CUSTOM_WRITE(X, x)) {
    (void)x;
    seen.runs += n->value;
}
KEEL_SYSTEM(owner_per_entity, KEEL_READ(Number, n), KEEL_CUSTOM_WRITE(Owner, owner)) {
    (void)n, (void)owner;
    note('|');
}

static void they_borrow_against_the_rest_of_the_system(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    assert_int_equal(keel_run(f.world, two_writers), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "Look wants to write 'Number', which Pair is");
    assert_int_equal(keel_run(f.world, unique_twice), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "unique_twice writes 'Time' and names it again");
    assert_int_equal(keel_run(f.world, value_twice), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "value_twice writes 'Number' and names it again");
    assert_int_equal(keel_run(f.world, owner_per_entity), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "cannot have the whole world");
    assert_seen("");
    assert_int_equal(keel_run(f.world, read_twice), KEEL_OK);
    assert_int_equal(seen.runs, 45);
    assert_seen("xX");
    api_end(&f);
}

typedef struct Nosy {
    char letter;
} Nosy;
static keel_result nosy_init(void *view, keel_context *context) {
    keel_view inner;
    (void)view;
    seen.results[0] = keel_view_begin(&inner, context, KEEL_TERMS(KEEL_READ(Number, n)), "nosy");
    seen.results[1] = keel_get(context, keel_null(), Number) ? KEEL_OK : KEEL_ABSENT;
    seen.results[2] = keel_context_world(context) ? KEEL_OK : KEEL_ABSENT;
    seen.results[3] = keel_context_scratch(context, 8, 3) ? KEEL_OK : KEEL_ABSENT;
    return KEEL_OK;
}
KEEL_CUSTOM_VIEW(Nosy, KEEL_MAY_READ(Other), .init = nosy_init);
KEEL_SYSTEM_ONCE(with_nosy, KEEL_CUSTOM_WRITE(Nosy, nosy), KEEL_MAY_WRITE(Number)) { (void)nosy; }

static void init_may_touch_what_the_view_declares(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    assert_int_equal(keel_run(f.world, with_nosy), KEEL_ERROR_ACCESS); // the system declares Number
    const keel_result expected[4] = { KEEL_ERROR_ACCESS, KEEL_ABSENT, KEEL_ABSENT, KEEL_ABSENT };
    assert_memory_equal(seen.results, expected, sizeof expected);
    assert_error(f.world, KEEL_ERROR_ACCESS,
                 "view 'Nosy' opens a view that reads 'Number' at nosy");
    assert_int_equal(f.log.errors, 4);
    api_end(&f);
}

static void assert_refused(api_fixture *f, const keel_custom_view *kind, keel_result result,
                           const char *part) {
    const keel_term terms[] = { { .kind = KEEL_TERM_CUSTOM, .custom = kind },
                                { .kind = KEEL_TERM_END } };
    const keel_system system = {
        .name = "table", .kind = KEEL_SYSTEM_PER_RUN, .terms = terms, .run = KEEL_SYSTEM_both.run
    };
    const keel_step steps[] = { { .system = &system } };
    const keel_workload workload = { "tables", steps, 1, NULL };
    max_align_t memory[16];
    assert_int_equal(keel_begin_custom_view(f->world, kind, memory), result);
    assert_error(f->world, result, part);
    assert_int_equal(keel_run_system(f->world, &system, NULL), result);
    assert_error(f->world, result, part);
    assert_int_equal(keel_run_workload_of(f->world, &workload, NULL), result);
    assert_error(f->world, result, part);
    assert_seen("");
}

static void impossible_descriptors_are_refused(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    const keel_term none[] = { { .kind = KEEL_TERM_END } };
    const keel_term commands[] = { { .kind = KEEL_TERM_COMMANDS }, { .kind = KEEL_TERM_END } };
    const keel_term lacking[] = { { .kind = KEEL_TERM_MAY_READ }, { .kind = KEEL_TERM_END } };
    const keel_term nested[] = { { .kind = KEEL_TERM_CUSTOM }, { .kind = KEEL_TERM_END } };
    keel_term inside[] = { { .kind = KEEL_TERM_CUSTOM }, { .kind = KEEL_TERM_END } };
    const keel_custom_view itself = { .name = "Itself", .size = 1, .align = 1, .terms = inside };
    inside[0].custom = &itself;
    keel_custom_view kind = { .name = "Table", .size = 8, .align = 8, .terms = commands };
    assert_refused(&f, NULL, KEEL_ERROR_ARGUMENT, "lacks its descriptor");
    assert_refused(&f, &kind, KEEL_ERROR_ARGUMENT, "declares commands, context, data or events");
    kind.terms = lacking;
    assert_refused(&f, &kind, KEEL_ERROR_ARGUMENT, "lacks its component");
    kind.terms = nested;
    assert_refused(&f, &kind, KEEL_ERROR_ARGUMENT, "lacks its descriptor");
    kind.terms = NULL;
    assert_refused(&f, &kind, KEEL_ERROR_ARGUMENT, "needs a name, terms, a size");
    kind.terms = none;
    kind.align = 3;
    assert_refused(&f, &kind, KEEL_ERROR_ARGUMENT, "needs a name, terms, a size");
    kind.align = 8;
    kind.size = 0;
    assert_refused(&f, &kind, KEEL_ERROR_ARGUMENT, "needs a name, terms, a size");
    assert_refused(&f, &itself, KEEL_ERROR_CYCLE, "contains itself");
    const keel_term in_view[] = { { .kind = KEEL_TERM_CUSTOM, .custom = KEEL_CUSTOM_OF(X) },
                                  { .kind = KEEL_TERM_END } };
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, in_view, "a view"), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "custom views are for systems");
    api_end(&f);
}

static void memory_for_one_by_hand_is_checked(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    Pair pair[2];
    X x;
    assert_int_equal(keel_custom_begin(f.world, Pair, (Pair *)NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "'Pair' is NULL");
    assert_int_equal(keel_begin_custom_view(f.world, KEEL_CUSTOM_OF(Pair), (char *)pair + 1),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "not aligned");
    assert_int_equal(keel_custom_begin(f.world, X, &x), KEEL_OK);
    assert_int_equal(keel_custom_begin(f.world, X, &x), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "was not ended");
    assert_int_equal(keel_custom_end(f.world, &x), KEEL_OK);
    assert_int_equal(keel_custom_end(f.world, &x), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_custom_end(f.world, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "no custom view is open");
    keel_set_assert_handler(api_go_on);
    assert_int_equal(keel_begin_custom_view((keel_context *)NULL, KEEL_CUSTOM_OF(X), &x),
                     KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_end_custom_view((keel_context *)NULL, &x), KEEL_ERROR_ARGUMENT);
    keel_set_assert_handler(NULL);
    assert_true(keel_context_info(NULL, &(keel_run_info){ 0 })->last_run == 0 &&
                keel_context_info(NULL, &(keel_run_info){ 0 })->this_run == 0);
    assert_seen("xX");
    api_end(&f);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        TEST(systems_begin_them_by_hand, "systems begin and end them by hand"),
        // proves S-97
        TEST(the_world_ends_what_was_forgotten, "the world's end drops what is open"),
        TEST(one_is_not_ended_by_its_own_code, "one is not ended by its own init or drop"),
        // proves S-94
        TEST(they_borrow_against_the_rest_of_the_system, "they borrow against each other"),
        TEST(init_may_touch_what_the_view_declares, "init may touch what the view declares only"),
        TEST(impossible_descriptors_are_refused, "impossible descriptors are refused"),
        TEST(memory_for_one_by_hand_is_checked, "memory of one made by hand is checked"),
    };
    return RUN(tests);
}
