// SPDX-License-Identifier: MIT
// The order that steps ask for: .after, .before and their like, labels, nested workloads, barriers,
// sequential sections; and what is said when that cannot be.
#include "support/schedule_fixture.h"

#include <stdio.h>
#include <string.h>

// Shows the workload's linear order, as letters.
static void assert_linear(keel_world *world, const keel_workload *w, const char *expected) {
    keel_workload_node nodes[64];
    char text[64] = "";
    size_t at = 0;
    const uint32_t count = keel_world_workload_nodes(world, w, nodes, 64);
    for (uint32_t i = 0; i < count; ++i)
        if (nodes[i].kind == KEEL_NODE_SYSTEM) text[at++] = nodes[i].name[0];
    if (!count) assert_no_error(world);
    assert_string_equal(text, expected);
}

static void assert_refused(keel_world *world, const keel_workload *w, keel_result result,
                           const char *const *parts) {
    for (; *parts; ++parts) {
        assert_int_equal(keel_run_workload_of(world, w, NULL), result);
        assert_error(world, result, *parts);
    }
    assert_marks("", "");
}
#define PARTS(...) ((const char *const[]){ __VA_ARGS__, NULL })

// ------------------------------------------------------------------ after and before
static void ask_for_order(api_fixture *f) {
    keel_world *w = f->world;
    const keel_step after[] = { { MARK(a), .after = "b" }, { MARK(b) }, { MARK(c) } };
    const keel_workload w1 = WORKLOAD("w1", after);
    assert_linear(w, &w1, "bac"); // where nothing is said the list counts
    assert_runs(w, &w1, "abc", "ba");
    const keel_step before[] = { { MARK(a) }, { MARK(b) }, { MARK(c), .before = "a, b" } };
    const keel_workload w2 = WORKLOAD("w2", before);
    assert_linear(w, &w2, "cab");
    assert_runs(w, &w2, "abc", "ca cb");
    const keel_step both[] = { { MARK(d), .after = "c" },
                               { MARK(a) },
                               { MARK(c), .after = "a", .before = "b" },
                               { MARK(b) } };
    const keel_workload w3 = WORKLOAD("w3", both);
    assert_linear(w, &w3, "acdb");
    assert_runs(w, &w3, "abcd", "ac cd cb");
    const keel_step nothing[] = { { MARK(b), .after = "", .before = " , ,, ", .label = ",, " },
                                  { MARK(a), .after_all = " ", .before_all = "," } };
    const keel_workload w4 = WORKLOAD("w4", nothing);
    assert_linear(w, &w4, "ba");
    assert_runs(w, &w4, "ab", "");
    const keel_step twice[] = { { MARK(b), .after = "a" }, { MARK(a) }, { MARK(c) }, { MARK(a) } };
    const keel_workload w5 = WORKLOAD("w5", twice); // all that have the name
    assert_linear(w, &w5, "acab");
    assert_waits_for(w, &w5, 0, "1 3");
}

static void after_and_before_name_steps(void **state) {
    (void)state;
    with_workers(ask_for_order);
}

static void ask_for_labels(api_fixture *f) {
    keel_world *w = f->world;
    const keel_step steps[] = { { MARK(a), .after = "late one" },
                                { MARK(b), .label = "first,late one\t, x" },
                                { MARK(c), .label = "late one" },
                                { MARK(d), .before = "late one,e", .label = "late one" },
                                { MARK(e) } };
    const keel_workload labels = WORKLOAD("labels", steps);
    assert_linear(w, &labels, "dbcae"); // d is before the others that have its label
    assert_runs(w, &labels, "abcde", "db dc de ba ca da");
    const keel_step alone[] = { { MARK(a), .label = "l", .after = "l" } };
    const keel_workload odd = WORKLOAD("odd", alone);
    assert_refused(w, &odd, KEEL_ERROR_CYCLE, PARTS("'a' must run after 'a'"));
}

static void labels_are_further_names(void **state) {
    (void)state;
    with_workers(ask_for_labels);
}

// ------------------------------------------------------------------ nested workloads
static void ask_inside(api_fixture *f) {
    keel_world *w = f->world;
    const keel_step ab[] = { { MARK(a), .after = "b", .label = "inner" }, { MARK(b) } };
    const keel_workload physics = WORKLOAD("physics", ab);
    const keel_step outside[] = { { .workload = &physics, .after = "d", .label = "heavy" },
                                  { MARK(c), .before = "physics" },
                                  { MARK(d) },
                                  { MARK(e), .after = "heavy" } };
    const keel_workload w1 = WORKLOAD("w1", outside);
    assert_linear(w, &w1, "cdbae");
    assert_runs(w, &w1, "abcde", "cb db ba ae");
    const keel_step one[] = { { .workload = &physics }, { MARK(c), .before = "inner" } };
    const keel_workload w2 = WORKLOAD("w2", one); // a name of the nested one is known outside
    assert_linear(w, &w2, "bca");
    assert_runs(w, &w2, "abc", "ba ca");

    const keel_step hidden[] = { { MARK(a), .after = "c" }, { MARK(b), .label = "known, too" } };
    const keel_workload shy = WORKLOAD("shy", hidden);
    const keel_step around[] = { { .workload = &shy }, { MARK(c) } };
    const keel_workload w3 = WORKLOAD("w3", around); // what is outside is not known inside
    assert_refused(w, &w3, KEEL_ERROR_UNKNOWN,
                   PARTS(".after of 'a' names 'c', no step or label of workload 'shy'",
                         "there is: a, b, known, too"));
    const keel_step open[] = { { MARK(a), .after_all = "c", .before_all = "d" }, { MARK(b) } };
    const keel_workload bold = WORKLOAD("bold", open);
    const keel_step all[] = { { MARK(d) }, { .workload = &bold }, { MARK(c) }, { MARK(e) } };
    const keel_workload w4 = WORKLOAD("w4", all);
    assert_linear(w, &w4, "bcade");
    assert_runs(w, &w4, "abcde", "ca ad");
}

static void names_of_nested_workloads(void **state) {
    (void)state;
    with_workers(ask_inside);
}

static void ask_through_nothing(api_fixture *f) {
    keel_world *w = f->world;
    const keel_workload empty = { .name = "empty" };
    const keel_step steps[] = { { MARK(a), .after = "empty" },
                                { .workload = &empty, .after = "b" },
                                { MARK(b) } };
    const keel_workload w1 = WORKLOAD("w1", steps);
    assert_linear(w, &w1, "ba");
    assert_runs(w, &w1, "ab", "ba");
    const keel_step inner[] = { { .workload = &empty } };
    const keel_workload deep = WORKLOAD("deep", inner);
    const keel_step outside[] = { { MARK(a), .after = "deep" },
                                  { .workload = &deep, .after = "b" },
                                  { MARK(b) } };
    const keel_workload w2 = WORKLOAD("w2", outside);
    assert_runs(w, &w2, "ab", "ba");
    const keel_step circle[] = { { MARK(a), .after = "empty", .before = "b" },
                                 { .workload = &empty, .after = "b" },
                                 { MARK(b) } };
    const keel_workload odd = WORKLOAD("odd", circle);
    assert_refused(w, &odd, KEEL_ERROR_CYCLE, PARTS("'b' must run after 'a'", "'empty'"));
}

static void an_empty_nested_workload_keeps_the_order(void **state) {
    (void)state;
    with_workers(ask_through_nothing);
}

// ------------------------------------------------------------------ sections
static void ask_for_sections(api_fixture *f) {
    keel_world *w = f->world;
    const keel_step abc[] = { { MARK(a) }, { MARK(b) }, { MARK(c) } };
    const keel_workload inner = WORKLOAD("inner", abc);
    const keel_step one[] = { { .workload = &inner, .sequential = true }, { MARK(d) } };
    const keel_workload w1 = WORKLOAD("w1", one);
    assert_batches(w, &w1, "{0} {1} {2 3}");
    assert_runs(w, &w1, "abcd", "ab bc");
    const keel_step de[] = { { MARK(d) }, { .workload = &inner }, { MARK(e) } };
    const keel_workload around = WORKLOAD("around", de);
    const keel_step deep[] = { { .workload = &around, .sequential = true } };
    const keel_workload w2 = WORKLOAD("w2", deep); // a nested one is one step of the section
    assert_batches(w, &w2, "{0} {1 2 3} {4}");
    assert_runs(w, &w2, "abcde", "da db dc ae be ce");
    const keel_step swapped[] = { { MARK(a), .after = "b" }, { MARK(b) } };
    const keel_workload against = WORKLOAD("against", swapped);
    const keel_step odd_steps[] = { { .workload = &against, .sequential = true }, { MARK(c) } };
    const keel_workload odd = WORKLOAD("odd", odd_steps);
    assert_refused(w, &odd, KEEL_ERROR_CYCLE,
                   PARTS("'b' must run after 'a'", "'a' must run after 'b'"));
}

static void sequential_sections_run_one_by_one(void **state) {
    (void)state;
    with_workers(ask_for_sections);
}

static void ask_for_barriers(api_fixture *f) {
    keel_world *w = f->world;
    const keel_step inner[] = { { MARK(a) }, KEEL_BARRIER, { MARK(b) } };
    const keel_workload gate = WORKLOAD("gate", inner);
    const keel_step one[] = { { .workload = &gate }, { MARK(c) } };
    const keel_workload w1 = WORKLOAD("w1", one); // a barrier is one for its own list
    assert_runs(w, &w1, "abc", "ab");
    assert_waits_for(w, &w1, 2, "");
    const keel_step two[] = { { .workload = &gate }, KEEL_BARRIER, { MARK(c) } };
    const keel_workload w2 = WORKLOAD("w2", two);
    assert_runs(w, &w2, "abc", "ab bc ac");
    const keel_step past[] = { { MARK(a) }, KEEL_BARRIER, { MARK(b), .before = "a" } };
    const keel_workload odd = WORKLOAD("odd", past);
    assert_refused(w, &odd, KEEL_ERROR_CYCLE,
                   PARTS("'a' must run after 'b'", "'a barrier'", "remove one"));
    const keel_step named[] = { { MARK(a), .after = "middle" },
                                { MARK(b) },
                                { .barrier = true, .label = "middle", .before = "a" },
                                { MARK(c) } };
    const keel_workload w3 = WORKLOAD("w3", named);
    assert_refused(w, &w3, KEEL_ERROR_CYCLE, PARTS("'a barrier'")); // it stands after a
}

static void barriers_are_for_their_own_list(void **state) {
    (void)state;
    with_workers(ask_for_barriers);
}

// ------------------------------------------------------------------ what cannot be
static void ask_for_the_impossible(api_fixture *f) {
    keel_world *w = f->world;
    const keel_step both[] = { { MARK(a), .after = "b", .before = "b" }, { MARK(b) }, { MARK(c) } };
    const keel_workload w1 = WORKLOAD("w1", both);
    assert_refused(w, &w1, KEEL_ERROR_CYCLE,
                   PARTS("the steps of workload 'w1' wait for each other", "'a' must run after 'b'",
                         "'b' must run after 'a'"));
    assert_int_equal(keel_run_workload_of(w, &w1, NULL), KEEL_ERROR_CYCLE);
    assert_null(strstr(keel_first_error(w)->message, "'c'")); // only who is in the circle
    keel_clear_errors(w);
    const keel_step self[] = { { MARK(a) }, { MARK(b), .after = "b" } };
    const keel_workload w2 = WORKLOAD("w2", self);
    assert_refused(w, &w2, KEEL_ERROR_CYCLE, PARTS("'b' must run after 'b'"));
    const keel_step behind[] = { { MARK(a), .after = "c" },
                                 { MARK(b), .after = "a" },
                                 { MARK(c), .after = "b" },
                                 { MARK(d), .after = "c" },
                                 { MARK(e), .before = "a" } };
    const keel_workload w3 = WORKLOAD("w3", behind);
    assert_int_equal(keel_run_workload_of(w, &w3, NULL), KEEL_ERROR_CYCLE);
    const keel_error error = *keel_first_error(w);
    keel_clear_errors(w);
    assert_null(strstr(error.message, "'d'"));
    assert_null(strstr(error.message, "'e'"));
    const keel_step inner[] = { { MARK(a), .after_all = "nest" } };
    const keel_workload nest = WORKLOAD("nest", inner);
    const keel_step around[] = { { .workload = &nest } };
    const keel_workload w4 = WORKLOAD("w4", around);
    assert_refused(w, &w4, KEEL_ERROR_CYCLE, PARTS("'a' must run after 'nest'"));
    const keel_step outer[] = { { .workload = &nest, .before = "a" } };
    const keel_workload w5 = WORKLOAD("w5", outer);
    assert_refused(w, &w5, KEEL_ERROR_CYCLE, PARTS("'nest'"));
}

static void a_circle_is_an_error_that_names_who_is_in_it(void **state) {
    (void)state;
    with_workers(ask_for_the_impossible);
}

static void ask_for_strangers(api_fixture *f) {
    keel_world *w = f->world;
    const keel_step inner[] = { { MARK(d), .label = "deep" } };
    const keel_workload nest = WORKLOAD("nest", inner);
    const struct {
        keel_step step;
        const char *option;
    } cases[] = { { { MARK(a), .after = "b, stranger" }, ".after of 'a'" },
                  { { MARK(a), .before = "stranger" }, ".before of 'a'" },
                  { { MARK(a), .after_all = "stranger" }, ".after_all of 'a'" },
                  { { MARK(a), .before_all = "stranger,b" }, ".before_all of 'a'" } };
    for (int i = 0; i < 4; ++i) {
        const keel_step steps[] = { cases[i].step,
                                    { MARK(b), .label = "x" },
                                    { .workload = &nest } };
        const keel_workload known = WORKLOAD("known", steps);
        assert_refused(w, &known, KEEL_ERROR_UNKNOWN,
                       PARTS(cases[i].option, "'stranger'", "workload 'known'",
                             "there is: a, b, x, d, deep, nest"));
    }
    keel_step many[40];
    char labels[40][12];
    for (int i = 0; i < 40; ++i) {
        snprintf(labels[i], sizeof labels[i], "label %d", i);
        many[i] = (keel_step){ MARK(a), .label = labels[i] };
    }
    many[7].after = "label 40";
    const keel_workload crowd = WORKLOAD("crowd", many);
    assert_refused(w, &crowd, KEEL_ERROR_UNKNOWN, PARTS("'label 40'", "there is: a, label 0, a"));
}

static void an_unknown_name_is_an_error_that_lists_the_names(void **state) {
    (void)state;
    with_workers(ask_for_strangers);
}

// ------------------------------------------------------------------ conflicts and stored ones
KEEL_SYSTEM(plus_one, KEEL_WRITE(Number, n)) { ++n->value; }
KEEL_SYSTEM(times_ten, KEEL_WRITE(Number, n)) { n->value *= 10; }
KEEL_WORKLOAD(as_listed, KEEL_STEP(plus_one), KEEL_STEP(times_ten));
KEEL_WORKLOAD(as_asked, KEEL_STEP(plus_one, .after = "times_ten"), KEEL_STEP(times_ten));

static void ask_for_conflicts(api_fixture *f) {
    keel_world *w = f->world;
    const keel_entity e = keel_add_entity(w, KEEL_INIT(Number, { 1 }));
    assert_int_equal(keel_run_workload(w, as_listed), KEEL_OK);
    assert_int_equal(keel_get(w, e, Number)->value, 20);
    assert_int_equal(keel_run_workload(w, as_asked), KEEL_OK);
    assert_int_equal(keel_get(w, e, Number)->value, 201);
    char name[] = "times_ten";
    assert_int_equal(keel_add_step(w, "stored", KEEL_STEP(plus_one, .after = name)), KEEL_OK);
    assert_int_equal(keel_add_step(w, "stored", KEEL_STEP(times_ten, .label = name)), KEEL_OK);
    memset(name, 'x', sizeof name - 1); // it was copied
    assert_int_equal(keel_run_named(w, "stored"), KEEL_OK);
    assert_int_equal(keel_get(w, e, Number)->value, 2011);
}

static void who_conflicts_runs_in_the_order_that_was_asked_for(void **state) {
    (void)state;
    with_workers(ask_for_conflicts);
}

static const struct CMUnitTest tests[] = {
    // proves S-61
    TEST(after_and_before_name_steps, ".after and .before name steps; else the list counts"),
    TEST(labels_are_further_names, "labels are further names, of several steps"),
    // proves S-62
    TEST(names_of_nested_workloads, "names of nested workloads, and .after_all from inside"),
    TEST(an_empty_nested_workload_keeps_the_order, "an empty nested workload keeps the order"),
    TEST(sequential_sections_run_one_by_one, "sequential sections run one by one"),
    TEST(barriers_are_for_their_own_list, "barriers are for their own list"),
    TEST(a_circle_is_an_error_that_names_who_is_in_it, "a circle names who is in it"),
    TEST(an_unknown_name_is_an_error_that_lists_the_names, "an unknown name lists those there are"),
    // proves S-61
    TEST(who_conflicts_runs_in_the_order_that_was_asked_for,
         "who conflicts runs in the order that was asked for"),
};

int main(void) { return RUN(tests); }
