// SPDX-License-Identifier: MIT
// The clock that hands out ticks.
#include <keel/time.h>

#include "support/test.h"

#include <math.h>
#include <string.h>

#define assert_near(actual, expected) assert_true(fabs((actual) - (expected)) < 1e-9)

static void zeros_are_a_clock_of_60_ticks(void **state) {
    (void)state;
    keel_fixed_step clock = { 0 };
    assert_int_equal(keel_fixed_step_advance(&clock, 0.1), 6);
    assert_int_equal(keel_fixed_step_advance(&clock, 1.0), 8); // the default of max_ticks
    assert_int_equal(clock.dropped, 52);
    assert_int_equal(clock.ticks, 14);
}

static void frames_of_one_step_are_one_tick_for_ever(void **state) {
    (void)state;
    static const double steps[] = { 1.0 / 60, 1.0 / 30, 0.02, 1.0 / 144, 0.1, 1.0 / 3, 7e-9, 3600 };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i) {
        keel_fixed_step clock = { .step = steps[i] };
        for (uint32_t frame = 0; frame < 100000; ++frame)
            assert_int_equal(keel_fixed_step_advance(&clock, steps[i]), 1);
    }
}

static void a_frame_of_k_steps_is_k_ticks(void **state) {
    (void)state;
    for (uint32_t rate = 1; rate <= 300; ++rate)
        for (uint32_t k = 1; k <= 20; ++k) {
            keel_fixed_step clock = { .step = 1.0 / rate, .max_ticks = 100 };
            for (uint32_t frame = 0; frame < 20; ++frame)
                assert_int_equal(keel_fixed_step_advance(&clock, (double)k / rate), k);
        }
}

// A day of frames that have nothing to do with the step.
static void long_runs_do_not_drift(void **state) {
    (void)state;
    keel_fixed_step clock = { .step = 0.02 };
    const double frame = 1.0 / 144;
    const uint32_t frames = 144 * 3600 * 24;
    for (uint32_t i = 0; i < frames; ++i)
        (void)keel_fixed_step_advance(&clock, frame);
    assert_int_equal(clock.dropped, 0);
    assert_in_range(clock.ticks, 50 * 3600 * 24 - 1, 50 * 3600 * 24);
}

static void what_is_no_tick_yet_is_kept(void **state) {
    (void)state;
    keel_fixed_step clock = { .step = 0.1 };
    assert_int_equal(keel_fixed_step_advance(&clock, 0.04), 0);
    assert_near(keel_fixed_step_alpha(&clock), 0.4);
    assert_int_equal(keel_fixed_step_advance(&clock, 0.04), 0);
    assert_near(keel_fixed_step_alpha(&clock), 0.8);
    assert_int_equal(keel_fixed_step_advance(&clock, 0.045), 1);
    assert_near(keel_fixed_step_alpha(&clock), 0.25);
    assert_int_equal(keel_fixed_step_advance(&clock, 0), 0);
    assert_near(keel_fixed_step_alpha(&clock), 0.25);
}

static void a_slow_frame_cannot_spiral(void **state) {
    (void)state;
    keel_fixed_step clock = { .step = 0.1, .max_ticks = 3 };
    assert_int_equal(keel_fixed_step_advance(&clock, 0.95), 3);
    assert_int_equal(clock.dropped, 6);
    assert_near(keel_fixed_step_alpha(&clock), 0.5); // what is left out is whole ticks
    assert_int_equal(keel_fixed_step_advance(&clock, 0.06), 1);
    assert_int_equal(clock.ticks, 4);
    clock.max_ticks = UINT32_MAX;
    assert_int_equal(keel_fixed_step_advance(&clock, 1000), 10000);
}

static void strange_times_are_safe(void **state) {
    (void)state;
    keel_fixed_step clock = { .step = 0.1, .max_ticks = 3 };
    assert_int_equal(keel_fixed_step_advance(&clock, -1), 0);
    assert_int_equal(keel_fixed_step_advance(&clock, -INFINITY), 0);
    assert_int_equal(keel_fixed_step_advance(&clock, NAN), 0);
    assert_int_equal(clock.rest, 0);
    assert_int_equal(keel_fixed_step_advance(&clock, INFINITY), 3);
    assert_int_equal(keel_fixed_step_advance(&clock, 1e300), 3);
    assert_int_equal(clock.ticks, 6);
    assert_int_equal(clock.dropped, 20000000 - 6); // two million seconds
    assert_int_equal(keel_fixed_step_advance(&clock, 1e-300), 0);
}

static void strange_steps_are_safe(void **state) {
    (void)state;
    static const struct {
        double step, elapsed;
        uint32_t ticks;
    } cases[] = {
        { -1, 1.0 / 60, 1 },  { NAN, 1.0 / 60, 1 }, { -INFINITY, 1.0 / 60, 1 },
        { INFINITY, 5e5, 0 }, { INFINITY, 1e6, 1 }, { 1e300, 1e6, 1 },
        { 1e-300, 3e-9, 3 },  { 1e-300, 4e-10, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        keel_fixed_step clock = { .step = cases[i].step };
        assert_int_equal(keel_fixed_step_advance(&clock, cases[i].elapsed), cases[i].ticks);
        const double alpha = keel_fixed_step_alpha(&clock);
        assert_true(alpha >= 0 && alpha < 1);
    }
}

static void alpha_is_below_one(void **state) {
    (void)state;
    keel_fixed_step clock = { .step = 1e6 };
    assert_int_equal(keel_fixed_step_advance(&clock, 1e6 - 1e-10), 0);
    assert_true(keel_fixed_step_alpha(&clock) < 1);
    clock = (keel_fixed_step){ .step = 0.5 };
    assert_int_equal(keel_fixed_step_advance(&clock, 0.4), 0);
    clock.step = 0.1; // shorter than what is left
    assert_true(keel_fixed_step_alpha(&clock) < 1);
    assert_int_equal(keel_fixed_step_advance(&clock, 0), 4);
    assert_near(keel_fixed_step_alpha(&clock), 0);
}

static bool go_on(const char *condition, const char *message, const char *file, int line) {
    (void)condition, (void)file, (void)line;
    assert_non_null(strstr(message, "needs a clock"));
    return false;
}

static void no_clock_is_misuse(void **state) {
    (void)state;
    keel_set_assert_handler(go_on);
    assert_int_equal(keel_fixed_step_advance(NULL, 1.0), 0);
    assert_true(keel_fixed_step_alpha(NULL) <= 0);
    keel_set_assert_handler(NULL);
}

static const struct CMUnitTest tests[] = {
    TEST(no_clock_is_misuse, "a clock that is NULL gives no tick"),
    TEST(zeros_are_a_clock_of_60_ticks, "zeros are a clock of 60 ticks per second, 8 per frame"),
    TEST(frames_of_one_step_are_one_tick_for_ever, "frames of one step are one tick for ever"),
    TEST(a_frame_of_k_steps_is_k_ticks, "a frame of k steps is k ticks"),
    TEST(long_runs_do_not_drift, "long runs do not drift"),
    TEST(what_is_no_tick_yet_is_kept, "what is no tick yet is kept, and alpha says how much"),
    TEST(a_slow_frame_cannot_spiral, "a slow frame cannot make the next one slower"),
    TEST(strange_times_are_safe, "negative, endless and undefined times are safe"),
    TEST(strange_steps_are_safe, "so are such steps"),
    TEST(alpha_is_below_one, "alpha is below one, also after the step became shorter"),
};
int main(void) { return RUN(tests); }
