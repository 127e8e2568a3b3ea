// SPDX-License-Identifier: MIT
// What bindings of other languages make at run time: systems, conditions and custom views of plain
// functions that find their data by a user pointer, and functions for what headers have inline.
#include "support/api_types.h"

#include <stdatomic.h>

// ------------------------------------------------------------------ by span
typedef struct tally {
    uint32_t entities, sum;
    keel_result result;    // of the function
    const char *fail_text; // NULL: it does not fail
} tally;

static keel_result double_each(keel_context *context, const keel_span *span) {
    tally *t = keel_context_info(context, &(keel_run_info){ 0 })->user;
    Number *n = keel_span_write_component(span, KEEL_OF(Number));
    const Other *o = keel_span_read_component(span, KEEL_OF(Other));
    assert_non_null(n);
    assert_non_null(o);
    for (uint32_t i = 0; i < span->count; ++i) {
        assert_true(keel_is_alive(context, span->entities[i]));
        n[i].value *= 2;
        t->sum += o[i].value;
    }
    t->entities += span->count;
    if (t->fail_text) keel_fail_text(context, t->fail_text);
    return t->result;
}

static const keel_term terms[] = { { .kind = KEEL_TERM_WRITE, .component = KEEL_OF(Number) },
                                   { .kind = KEEL_TERM_READ, .component = KEEL_OF(Other) },
                                   { .kind = KEEL_TERM_ENTITY },
                                   { .kind = KEEL_TERM_END } };

static uint32_t populate(keel_world *world, keel_entity e[100]) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 100; ++i) {
        e[i] = keel_add_entity(world, KEEL_INIT(Number, { i }));
        if (i % 3) assert_int_equal(keel_add(world, e[i], Other, { i }), KEEL_OK);
        sum += i % 3 ? i : 0;
    }
    return sum;
}

static void assert_doubled(keel_world *world, const keel_entity e[100], uint32_t times) {
    for (uint32_t i = 0; i < 100; ++i)
        assert_int_equal(keel_get(world, e[i], Number)->value, i % 3 ? i << times : i);
}

static void a_plain_function_is_called_for_each_span(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_entity e[100];
    const uint32_t sum = populate(f.world, e);
    tally first = { 0 }, second = { 0 };
    keel_system by_hand = { .name = "by_hand",
                            .kind = KEEL_SYSTEM_PER_SPAN,
                            .terms = terms,
                            .each_span = double_each,
                            .user = &first };
    assert_int_equal(keel_run_system(f.world, &by_hand, NULL), KEEL_OK);
    assert_doubled(f.world, e, 1);
    assert_int_equal(first.entities, 66);
    assert_int_equal(first.sum, sum);
    by_hand.user = &second; // is read at each call
    assert_int_equal(keel_run_system(f.world, &by_hand, NULL), KEEL_OK);
    const keel_workload frame = { "frame", &(keel_step){ .system = &by_hand }, 1, NULL };
    assert_int_equal(keel_run_workload_of(f.world, &frame, NULL), KEEL_OK);
    assert_doubled(f.world, e, 3);
    assert_int_equal(first.entities, 66);
    assert_int_equal(second.entities, 132);
    assert_no_error(f.world);
    api_end(&f);
}

static void its_failure_is_that_of_the_system(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_entity e[100];
    (void)populate(f.world, e);
    tally t = { .result = KEEL_ERROR_ARGUMENT };
    const keel_system by_hand = { .name = "by_hand",
                                  .kind = KEEL_SYSTEM_PER_SPAN,
                                  .terms = terms,
                                  .each_span = double_each,
                                  .user = &t };
    assert_int_equal(keel_run_system(f.world, &by_hand, NULL), KEEL_ERROR_SYSTEM);
    assert_error(f.world, KEEL_ERROR_SYSTEM, keel_result_text(KEEL_ERROR_ARGUMENT));
    assert_true(t.entities < 66); // no span after the one that failed
    t = (tally){ .result = KEEL_ERROR_ARGUMENT, .fail_text = "100 %s of it is %n" };
    assert_int_equal(keel_run_system(f.world, &by_hand, NULL), KEEL_ERROR_SYSTEM);
    assert_error(f.world, KEEL_ERROR_SYSTEM, "by_hand': 100 %s of it is %n"); // no format
    api_end(&f);
}

static keel_result add_up(keel_context *context, const keel_span *span) {
    uint64_t sum = 0;
    Number *n = keel_span_write_component(span, KEEL_OF(Number));
    for (uint32_t i = 0; i < span->count; ++i)
        sum += n[i].value++;
    atomic_fetch_add((atomic_ullong *)keel_context_info(context, &(keel_run_info){ 0 })->user, sum);
    return KEEL_OK;
}

static void a_plain_function_by_span_is_split(void **state) {
    (void)state;
    enum { COUNT = 50000 };
    api_fixture f;
    api_begin_workers(&f, 4);
    for (uint32_t i = 0; i < COUNT; ++i)
        keel_add_entity(f.world, KEEL_INIT(Number, { i }));
    atomic_ullong sum = 0;
    const keel_term number[] = { { .kind = KEEL_TERM_WRITE, .component = KEEL_OF(Number) },
                                 { .kind = KEEL_TERM_END } };
    const keel_system by_hand = { .name = "by_hand",
                                  .kind = KEEL_SYSTEM_PER_SPAN,
                                  .terms = number,
                                  .each_span = add_up,
                                  .user = &sum };
    const keel_run_desc split = { .parallel = true };
    assert_int_equal(keel_run_system(f.world, &by_hand, &split), KEEL_OK);
    assert_int_equal(keel_run_system(f.world, &by_hand, &split), KEEL_OK);
    assert_int_equal(atomic_load(&sum), (uint64_t)COUNT * (COUNT - 1) + COUNT);
    assert_no_error(f.world);
    api_end(&f);
}

// ------------------------------------------------------------------ conditions
typedef struct answers {
    const char *list; // 'y', 'n', or '-': none is given
    uint32_t asked;
} answers;

static keel_result answer_next(keel_context *context) {
    answers *a = keel_context_info(context, &(keel_run_info){ 0 })->user;
    const char next = a->list[a->asked++];
    if (next == 'y') keel_answer(context, false), keel_answer(context, true); // the last one counts
    if (next == 'n') keel_answer(context, false);
    return next == 'f' ? KEEL_ERROR_UNKNOWN : KEEL_OK;
}

static keel_result count_call(keel_context *context) {
    ++*(uint32_t *)keel_context_info(context, &(keel_run_info){ 0 })->user;
    return KEEL_OK;
}

static const keel_term nothing[] = { { .kind = KEEL_TERM_END } };

static void a_plain_function_is_a_condition(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    answers a = { .list = "yn-yf" };
    uint32_t calls = 0;
    const keel_system asks = { .name = "asks",
                               .kind = KEEL_SYSTEM_IS_CONDITION,
                               .function = answer_next,
                               .terms = nothing,
                               .user = &a };
    const keel_system counts = { .name = "counts",
                                 .kind = KEEL_SYSTEM_PER_RUN,
                                 .function = count_call,
                                 .terms = nothing,
                                 .user = &calls };
    const keel_workload frame = { "frame", &(keel_step){ .system = &counts, .run_if = &asks }, 1,
                                  NULL };
    for (uint32_t i = 0, expected = 0; i < 4; ++i) {
        expected += a.list[i] == 'y';
        assert_int_equal(keel_run_workload_of(f.world, &frame, NULL), KEEL_OK);
        assert_int_equal(calls, expected);
    }
    assert_int_equal(keel_run_workload_of(f.world, &frame, NULL), KEEL_ERROR_SYSTEM);
    assert_error(f.world, KEEL_ERROR_SYSTEM, "condition 'asks'");
    assert_int_equal(calls, 2);
    api_end(&f);
}

// ------------------------------------------------------------------ custom views
static keel_result init_by_user(void *view, keel_context *context) {
    *(uint32_t *)view = (*(uint32_t *)keel_context_info(context, &(keel_run_info){ 0 })->user)++;
    return KEEL_OK;
}
static void drop_by_user(void *view, keel_context *context) {
    (void)view;
    *(uint32_t *)keel_context_info(context, &(keel_run_info){ 0 })->user += 100;
}

static void a_custom_view_has_a_user_pointer(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    uint32_t user = 7, value = 0;
    const keel_custom_view kind = { .name = "numbered",
                                    .size = sizeof value,
                                    .align = _Alignof(uint32_t),
                                    .terms = nothing,
                                    .init = init_by_user,
                                    .drop = drop_by_user,
                                    .user = &user };
    assert_int_equal(keel_begin_custom_view(f.world, &kind, &value), KEEL_OK);
    assert_int_equal(value, 7);
    assert_int_equal(user, 8);
    assert_int_equal(keel_end_custom_view(f.world, &value), KEEL_OK);
    assert_int_equal(user, 108);
    assert_no_error(f.world);
    api_end(&f);
}

// ------------------------------------------------------------------ what is refused
static void a_system_has_one_function_of_its_kind(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_system wrong[] = {
        { .name = "none", .kind = KEEL_SYSTEM_PER_RUN, .terms = nothing },
        { .name = "two",
          .kind = KEEL_SYSTEM_PER_SPAN,
          .terms = terms,
          .function = count_call,
          .each_span = double_each },
        { .name = "loop", .kind = KEEL_SYSTEM_PER_ENTITY, .terms = terms, .function = count_call },
        { .name = "once", .kind = KEEL_SYSTEM_PER_RUN, .terms = terms, .each_span = double_each },
        { .name = "each",
          .kind = KEEL_SYSTEM_PER_ENTITY,
          .terms = terms,
          .each_span = double_each },
    };
    const char *says[] = { "one of run, function and each_span",
                           "one of run, function and each_span", "KEEL_SYSTEM_PER_RUN",
                           "KEEL_SYSTEM_PER_SPAN", "KEEL_SYSTEM_PER_SPAN" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        assert_int_equal(keel_run_system(f.world, &wrong[i], NULL), KEEL_ERROR_ARGUMENT);
        assert_error(f.world, KEEL_ERROR_ARGUMENT, says[i]);
    }
    assert_null(keel_context_info(NULL, &(keel_run_info){ 0 })->user);
    keel_answer(NULL, true);
    keel_fail_text(NULL, "nobody");
    api_end(&f);
}

// ------------------------------------------------------------------ inline functions
static void what_is_inline_is_a_function_too(void **state) {
    (void)state;
    // volatile, so that the compiler does not see which function it is
    keel_entity (*volatile null)(void) = keel_null;
    bool (*volatile is_null)(keel_entity) = keel_is_null;
    bool (*volatile is_same)(keel_entity, keel_entity) = keel_is_same;
    uint32_t (*volatile index)(keel_entity) = keel_entity_index;
    uint32_t (*volatile version)(keel_entity) = keel_entity_version;
    keel_entity (*volatile make)(uint32_t, uint32_t) = keel_entity_make;
    const void *(*volatile value)(const keel_lookup *, keel_entity) = keel_column_get_value;
    const keel_entity e = make(5, 3);
    assert_true(is_null(null()) && !is_null(e) && is_same(e, make(5, 3)) && !is_same(e, null()));
    assert_int_equal(index(e), 5);
    assert_int_equal(version(e), 3);
    api_fixture f;
    api_begin(&f);
    const keel_entity number = keel_add_entity(f.world, KEEL_INIT(Number, { 42 }));
    const keel_lookup lookup = keel_lookup_of_component(f.world, KEEL_OF(Number));
    assert_int_equal(((const Number *)value(&lookup, number))->value, 42);
    assert_null(value(&lookup, null()));
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(a_plain_function_is_called_for_each_span, "a plain function is called for each span"),
    TEST(a_plain_function_by_span_is_split, "a plain function by span is split over workers"),
    TEST(its_failure_is_that_of_the_system, "a plain function by span fails like a system"),
    TEST(a_plain_function_is_a_condition, "a plain function is a condition, and answers"),
    TEST(a_custom_view_has_a_user_pointer, "a custom view has a user pointer"),
    TEST(a_system_has_one_function_of_its_kind, "a system has one function, of its kind"),
    TEST(what_is_inline_is_a_function_too, "what is inline is an exported function too"),
};

int main(void) { return RUN(tests); }
