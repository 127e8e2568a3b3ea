// SPDX-License-Identifier: MIT
// States: the first value is entered, transitions happen at their step, who asks for one, and that
// all of it is the same for any number of workers.
#include "support/schedule_fixture.h"
#include "support/trail.h"

#include <string.h>

typedef enum Phase { MENU, PLAYING, PAUSED } Phase;
KEEL_ENUM(Phase, MENU, PLAYING, PAUSED);
KEEL_STATE(Phase, KEEL_HAS_NAMES(Phase));
typedef int8_t Mood; // with a sign, and small
KEEL_STATE(Mood);

typedef struct Request {
    bool wanted;
    Phase phase;
} Request;
KEEL_UNIQUE(Request);

KEEL_SYSTEM_ONCE(ask, KEEL_UNIQUE_READ(Request, request), KEEL_CONTEXT(context),
                 KEEL_MAY_SET_STATE(Phase)) {
    if (request->wanted) assert_int_equal(keel_set_state(context, Phase, request->phase), KEEL_OK);
}
KEEL_SYSTEM_ONCE(ask_without_right, KEEL_CONTEXT(context)) {
    assert_int_equal(keel_set_state(context, Phase, PLAYING), KEEL_ERROR_ACCESS);
}
#define TRAIL(name, letter)                                                                        \
    KEEL_SYSTEM_ONCE(name, KEEL_UNIQUE_WRITE(Trail, trail)) { leave(trail, letter); }
TRAIL(enter_menu, 'm')
TRAIL(exit_menu, 'M')
TRAIL(enter_playing, 'p')
TRAIL(exit_playing, 'P')
TRAIL(play, '.')
TRAIL(rest, ',')
KEEL_SYSTEM_ONCE(see, KEEL_UNIQUE_WRITE(Trail, trail), KEEL_UNIQUE_READ(Phase, phase)) {
    leave(trail, (char)('0' + (int)*phase));
}

KEEL_WORKLOAD(in_play, KEEL_STEP(play), KEEL_STEP(play));
KEEL_WORKLOAD(frame, KEEL_STEP(ask), KEEL_TRANSITION(Phase),
              KEEL_STEP(exit_menu, .on_exit = KEEL_IN(Phase, MENU)),
              KEEL_STEP(exit_playing, .on_exit = KEEL_IN(Phase, PLAYING)),
              KEEL_STEP(enter_menu, .on_enter = KEEL_IN(Phase, MENU)),
              KEEL_STEP(enter_playing, .on_enter = KEEL_IN(Phase, PLAYING)),
              KEEL_NESTED(in_play, .in_state = KEEL_IN(Phase, PLAYING)),
              KEEL_STEP(rest, .in_state = KEEL_IN(Phase, PAUSED)), KEEL_STEP(see));

static void begin_game(api_fixture *f) {
    assert_int_equal(keel_set_unique(f->world, Trail, { 0 }), KEEL_OK);
    assert_int_equal(keel_set_unique(f->world, Request, { 0 }), KEEL_OK);
}

static void run_frame(keel_world *w, const char *expected) {
    assert_int_equal(keel_run_workload(w, frame), KEEL_OK);
    assert_trail(w, expected);
}

static void play_through(api_fixture *f) {
    keel_world *w = f->world;
    begin_game(f);
    assert_int_equal(keel_set_state(w, Phase, MENU), KEEL_OK);
    assert_int_equal(*keel_get_unique(w, Phase), MENU); // at once, the first time
    run_frame(w, "m0");
    run_frame(w, "0");
    assert_int_equal(keel_set_state(w, Phase, PLAYING), KEEL_OK);
    assert_int_equal(*keel_get_unique(w, Phase), MENU);
    run_frame(w, "Mp..1");
    run_frame(w, "..1");
    assert_int_equal(keel_set_state(w, Phase, PLAYING), KEEL_OK); // it is that
    run_frame(w, "..1");
    *keel_get_unique_mut(w, Request) = (Request){ true, PAUSED };
    run_frame(w, "P,2");
    run_frame(w, ",2");
    *keel_get_unique_mut(w, Request) = (Request){ false, MENU };
    assert_int_equal(keel_set_state(w, Phase, PLAYING), KEEL_OK);
    assert_int_equal(keel_set_state(w, Phase, MENU), KEEL_OK); // the last one counts
    run_frame(w, "m0");
    run_frame(w, "0");
}

static void a_game_goes_through_its_states(void **state) {
    (void)state;
    with_workers(play_through);
}

static void no_menu_any_more(const keel_change *event, void *data) {
    (void)data;
    assert_int_equal(keel_set_state(event->commands, Phase, PLAYING), KEEL_OK);
}

KEEL_SYSTEM_ONCE(ask_later, KEEL_COMMANDS(commands), KEEL_UNIQUE_READ(Request, request)) {
    if (request->wanted) assert_int_equal(keel_set_state(commands, Phase, request->phase), KEEL_OK);
}
KEEL_SYSTEM_ONCE(ask_too_much, KEEL_COMMANDS(commands, Number)) {
    assert_int_equal(keel_set_state(commands, Phase, MENU), KEEL_ERROR_ACCESS);
}
KEEL_WORKLOAD(later, KEEL_STEP(ask_later), KEEL_TRANSITION(Phase),
              KEEL_STEP(exit_menu, .on_exit = KEEL_IN(Phase, MENU)),
              KEEL_STEP(enter_menu, .on_enter = KEEL_IN(Phase, MENU)),
              KEEL_STEP(enter_playing, .on_enter = KEEL_IN(Phase, PLAYING)), KEEL_STEP(see));

static void ask_by_commands(api_fixture *f) {
    keel_world *w = f->world;
    begin_game(f);
    keel_commands *commands = keel_world_commands(w);
    assert_int_equal(keel_set_state(commands, Phase, MENU), KEEL_OK); // the first
    assert_null(keel_get_unique(w, Phase));
    assert_int_equal(keel_apply_commands(w), KEEL_OK);
    assert_int_equal(*keel_get_unique(w, Phase), MENU);
    assert_int_equal(keel_set_state(commands, Phase, PLAYING), KEEL_OK);
    assert_int_equal(keel_set_state(commands, Phase, MENU), KEEL_OK); // the last one counts
    assert_int_equal(keel_run_workload(w, later), KEEL_OK);           // applies them first
    assert_trail(w, "m0");
    *keel_get_unique_mut(w, Request) = (Request){ true, PLAYING };
    assert_int_equal(keel_run_workload(w, later), KEEL_OK); // in the same run
    assert_trail(w, "Mp1");
    *keel_get_unique_mut(w, Request) = (Request){ false, MENU };
    assert_int_equal(keel_set_state(w, Phase, MENU), KEEL_OK);
    assert_int_equal(keel_run_workload(w, later), KEEL_OK);
    assert_trail(w, "m0");
    assert_int_equal(keel_observe(w, Number, KEEL_ON_INSERTED, no_menu_any_more, NULL), KEEL_OK);
    (void)keel_add_entity(w, KEEL_INIT(Number, { 1 }));
    assert_int_equal(keel_run_workload(w, later), KEEL_OK);
    assert_trail(w, "Mp1");
    assert_int_equal(keel_run(w, ask_too_much), KEEL_ERROR_ACCESS);
    keel_clear_errors(w);
    keel_reader *reader = keel_reader_create(w, "reader");
    assert_int_equal(keel_set_state(KEEL_SCOPE(reader), Phase, MENU), KEEL_ERROR_ARGUMENT);
    keel_clear_errors(w);
    keel_reader_destroy(reader);
}

static void commands_ask_for_states(void **state) {
    (void)state;
    with_workers(ask_by_commands);
}

typedef struct Count {
    uint32_t runs;
} Count;
KEEL_UNIQUE(Count, .no_padding = true);
KEEL_COMPONENT(Count, .no_padding = true);
KEEL_SYSTEM_ONCE(go_on, KEEL_UNIQUE_WRITE(Count, count), KEEL_CONTEXT(context),
                 KEEL_MAY_SET_STATE(Phase)) {
    keel_set_state(context, Phase, (Phase)(count->runs++ / 2 % 3));
}
KEEL_SYSTEM_ONCE(make, KEEL_COMMANDS(commands, Count), KEEL_UNIQUE_READ(Count, count)) {
    keel_add_entity(commands, KEEL_INIT(Count, { count->runs }));
}
KEEL_SYSTEM(grow, KEEL_WRITE(Count, count)) { count->runs = count->runs * 31 + 7; }
KEEL_WORKLOAD(counting, KEEL_STEP(go_on), KEEL_TRANSITION(Phase),
              KEEL_STEP(make, .on_enter = KEEL_IN(Phase, PLAYING)),
              KEEL_STEP(make, .on_exit = KEEL_IN(Phase, PLAYING)),
              KEEL_STEP(grow, .in_state = KEEL_IN(Phase, PAUSED), .parallel = true),
              KEEL_STEP(make, .every = 0.25), KEEL_STEP(grow, .times = 3));

static void the_world_is_the_same_for_any_number_of_workers(void **state) {
    (void)state;
    uint64_t hashes[3];
    for (uint32_t i = 0; i < 3; ++i) {
        keel_world *w = keel_world_create(&(keel_world_desc){ .worker_count = 1u << i });
        assert_int_equal(keel_set_unique(w, Count), KEEL_OK);
        assert_int_equal(keel_set_state(w, Phase, MENU), KEEL_OK);
        for (uint32_t k = 0; k < 50; ++k)
            assert_int_equal(keel_run_workload(w, counting, .dt = 0.1), KEEL_OK);
        assert_int_equal(keel_count(w, Count), 20 + 8 * 2);
        assert_int_equal(keel_world_hash(w, &hashes[i]), KEEL_OK);
        keel_world_destroy(w);
    }
    assert_true(hashes[0] == hashes[1] && hashes[1] == hashes[2]);
}

static void a_copied_world_enters_nothing_again(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    begin_game(&f);
    assert_int_equal(keel_set_state(f.world, Phase, PLAYING), KEEL_OK);
    run_frame(f.world, "p..1");
    keel_world *copy = keel_world_create(NULL);
    assert_int_equal(keel_copy_world(f.world, copy), KEEL_OK);
    run_frame(copy, "..1");
    keel_world_destroy(copy);
    api_end(&f);
}

static void without_a_value_steps_say_what_is_missing(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    begin_game(&f);
    const keel_step steps[] = { KEEL_STEP(rest, .in_state = KEEL_IN(Phase, PAUSED)) };
    const keel_workload w = WORKLOAD("w", steps);
    assert_int_equal(keel_run_workload_of(f.world, &w, NULL), KEEL_ERROR_MISSING_UNIQUE);
    assert_error(
        f.world, KEEL_ERROR_MISSING_UNIQUE,
        "the state 'Phase' has no value yet; call keel_set_state(world, Phase, ...) before "
        "'rest' runs");
    assert_int_equal(keel_run_workload(f.world, frame), KEEL_ERROR_MISSING_UNIQUE);
    api_end(&f);
}

static void impossible_steps_are_refused(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    begin_game(&f);
    assert_int_equal(keel_set_state(f.world, Phase, MENU), KEEL_OK);
    const keel_step lost[] = { KEEL_STEP(rest, .on_enter = KEEL_IN(Phase, PAUSED)) };
    const keel_workload no_transition = WORKLOAD("lost", lost);
    assert_int_equal(keel_run_workload_of(f.world, &no_transition, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(
        f.world, KEEL_ERROR_ARGUMENT,
        "'rest' waits for the state 'Phase', which no step of workload 'lost' changes; add "
        "KEEL_TRANSITION(Phase) before it");
    const keel_step both[] = { { .system = &KEEL_SYSTEM_rest,
                                 .in_state = KEEL_STATE_OF(Phase),
                                 .on_exit = KEEL_STATE_OF(Phase) } };
    const keel_workload two = WORKLOAD("two", both);
    assert_int_equal(keel_run_workload_of(f.world, &two, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "more than one of .in_state");
    assert_int_equal(keel_run(f.world, ask_without_right), KEEL_ERROR_ACCESS);
    assert_error(f.world, KEEL_ERROR_ACCESS, "KEEL_MAY_SET_STATE(Phase)");
    assert_int_equal(keel_set_state_of(f.world, NULL, 0), KEEL_ERROR_ARGUMENT);
    api_end(&f);
}

static void without_memory_nothing_has_changed(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    bool done = false;
    for (size_t n = 0; !done; ++n) {
        keel_world *w = keel_world_create(&(keel_world_desc){ .allocator = f.memory.allocator });
        counting_allocator_fail_once(&f.memory, n);
        const keel_result result = keel_set_state(w, Phase, PLAYING);
        done = f.memory.failures == 0;
        f.memory.failures = 0;
        counting_allocator_fail_after(&f.memory, SIZE_MAX);
        if (!done) {
            assert_int_equal(result, KEEL_ERROR_MEMORY);
            assert_null(keel_get_unique(w, Phase));
            assert_int_equal(keel_set_state(w, Phase, PLAYING), KEEL_OK);
        }
        assert_int_equal(*keel_get_unique(w, Phase), PLAYING);
        keel_world_destroy(w);
    }
    api_end(&f);
}

static void negative_and_small_values_work(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    begin_game(&f);
    const keel_step steps[] = { KEEL_TRANSITION(Mood),
                                KEEL_STEP(do_a, .on_enter = KEEL_IN(Mood, -1)),
                                KEEL_STEP(do_b, .on_exit = KEEL_IN(Mood, -1), .after = "Mood") };
    const keel_workload w = WORKLOAD("moods", steps);
    assert_int_equal(keel_set_state(f.world, Mood, -1), KEEL_OK);
    assert_int_equal(keel_run_workload_of(f.world, &w, NULL), KEEL_OK);
    assert_trail(f.world, "a");
    assert_int_equal(keel_set_state(f.world, Mood, 1), KEEL_OK);
    assert_int_equal(keel_run_workload_of(f.world, &w, NULL), KEEL_OK);
    assert_trail(f.world, "b");
    assert_int_equal(*keel_get_unique(f.world, Mood), 1);
    char json[8000];
    assert_true(keel_world_explain_workload(f.world, &w, KEEL_EXPLAIN_JSON, json, sizeof json) <
                sizeof json);
    assert_non_null(strstr(json, "\"state_value\": -1"));
    api_end(&f);
}

typedef int64_t Score; // as wide as a state can be
KEEL_STATE(Score);
static void wide_values_work(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    begin_game(&f);
    const int64_t wide = INT64_C(0x1234567890);
    const keel_step steps[] = { KEEL_TRANSITION(Score),
                                KEEL_STEP(do_a, .in_state = KEEL_IN(Score, wide)),
                                KEEL_STEP(do_b, .on_exit = KEEL_IN(Score, wide)) };
    const keel_workload w = WORKLOAD("scores", steps);
    assert_int_equal(keel_set_state(f.world, Score, wide), KEEL_OK);
    assert_int_equal(keel_run_workload_of(f.world, &w, NULL), KEEL_OK);
    assert_trail(f.world, "a");
    assert_int_equal(keel_set_state(f.world, Score, 0x34567890), KEEL_OK); // the same lower half
    assert_int_equal(keel_run_workload_of(f.world, &w, NULL), KEEL_OK);
    assert_trail(f.world, "b");
    assert_true(*keel_get_unique(f.world, Score) == 0x34567890);
    api_end(&f);
}

// With KEEL_HAS_NAMES it is found, printed and parsed by name.
static void a_state_has_names(void **state) {
    (void)state;
    Phase phase = PLAYING;
    char text[32];
    keel_field_place place;
    assert_int_equal(keel_field_find(KEEL_UNIQUE_OF(Phase), "value", &place, NULL), KEEL_OK);
    assert_int_equal(keel_field_print(&place, &phase, text, sizeof text), strlen("PLAYING"));
    assert_string_equal(text, "PLAYING");
    assert_int_equal(keel_field_parse(&place, &phase, "PAUSED", NULL), KEEL_OK);
    assert_int_equal(phase, PAUSED);
    assert_true(keel_field_parse(&place, &phase, "DREAMING", NULL) < 0);
}

static const struct CMUnitTest tests[] = {
    TEST(a_game_goes_through_its_states, "a game goes through its states"),
    TEST(a_state_has_names, "a state has the names of its enum"),
    TEST(the_world_is_the_same_for_any_number_of_workers,
         "with states the world is the same for any number of workers"),
    TEST(commands_ask_for_states, "commands and observers ask for states"),
    TEST(a_copied_world_enters_nothing_again, "a copied world enters nothing again"),
    TEST(without_a_value_steps_say_what_is_missing,
         "steps about a state without a value say what is missing"),
    TEST(impossible_steps_are_refused, "impossible steps about states are refused"),
    TEST(without_memory_nothing_has_changed, "a state without memory for it changes nothing"),
    TEST(negative_and_small_values_work, "negative and small values of states work"),
    TEST(wide_values_work, "states of eight bytes work"),
};

int main(void) { return RUN(tests); }
