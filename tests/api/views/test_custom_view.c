// SPDX-License-Identifier: MIT
// Custom views: what they hand to a system, when they are made and dropped, what they borrow.
#include "support/custom_views.h"

static void a_bundle_is_used_like_a_view(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    assert_int_equal(sum(f.world), 45);
    assert_int_equal(keel_run(f.world, with_pair), KEEL_OK);
    assert_int_equal(sum(f.world), 45 + 20 + 25);
    assert_int_equal(keel_run_workload(f.world, twice), KEEL_OK);
    assert_int_equal(sum(f.world), 45 + 3 * 45);
    Pair pair;
    assert_int_equal(keel_custom_begin(f.world, Pair, &pair), KEEL_OK);
    change(&pair);
    assert_int_equal(keel_view_count(&pair.odd), 5);
    assert_int_equal(keel_custom_end(f.world, &pair), KEEL_OK);
    assert_int_equal(keel_view_count(&pair.odd), 0); // closed
    assert_int_equal(sum(f.world), 45 + 4 * 45);
    assert_no_error(f.world);
    assert_int_equal(f.log.warnings, 0);
    api_end(&f);
}

// ------------------------------------------------------------------ wild views
typedef struct RandomNumber {
    uint64_t value;
} RandomNumber;
static keel_result random_init(void *view, keel_context *context) {
    (void)context;
    ((RandomNumber *)view)->value = 4; // chosen by a fair dice roll
    return KEEL_OK;
}
KEEL_CUSTOM_VIEW(RandomNumber, .init = random_init);

KEEL_SYSTEM(add_random, KEEL_WRITE(Number, n), KEEL_CUSTOM_WRITE(RandomNumber, random)) {
    n->value += (uint32_t)random->value;
}
KEEL_SYSTEM_SPAN(add_random_to_spans, KEEL_SPAN_COUNT(count), KEEL_WRITE(Number, n),
                 KEEL_CUSTOM_READ(RandomNumber, random)) {
    for (uint32_t i = 0; i < count; ++i)
        n[i].value += (uint32_t)random->value;
}
KEEL_CONDITION(is_four, KEEL_CUSTOM_WRITE(RandomNumber, random)) { return random->value == 4; }
KEEL_WORKLOAD(if_four, KEEL_STEP(add_random, .run_if = KEEL_IF(is_four)),
              KEEL_STEP(add_random, .skip_if = KEEL_IF(is_four)));

static void a_wild_view_holds_anything(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    assert_int_equal(keel_run(f.world, add_random), KEEL_OK);
    assert_int_equal(sum(f.world), 45 + 40);
    assert_int_equal(keel_run(f.world, add_random_to_spans), KEEL_OK);
    assert_int_equal(sum(f.world), 45 + 80);
    assert_int_equal(keel_run_workload(f.world, if_four), KEEL_OK);
    assert_int_equal(sum(f.world), 45 + 120);
    RandomNumber random;
    assert_int_equal(keel_custom_begin(f.world, RandomNumber, &random), KEEL_OK);
    assert_int_equal(random.value, 4);
    assert_int_equal(keel_custom_end(f.world, &random), KEEL_OK);
    api_end(&f);
}

static void they_are_dropped_in_reverse(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    assert_int_equal(keel_run(f.world, both), KEEL_OK);
    assert_seen("xy|YX");
    assert_int_equal(keel_run_workload(f.world, both_twice), KEEL_OK);
    assert_seen("xy|YXxy|YX");
    X x;
    Y y;
    assert_int_equal(keel_custom_begin(f.world, X, &x), KEEL_OK);
    assert_int_equal(keel_custom_begin(f.world, Y, &y), KEEL_OK);
    assert_int_equal(keel_custom_end(f.world, &x), KEEL_OK);
    assert_int_equal(keel_custom_end(f.world, &y), KEEL_OK);
    assert_seen("xyXY");
    api_end(&f);
}

static void they_are_dropped_when_the_body_fails(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    seen.fails = '|';
    assert_int_equal(keel_run(f.world, both), KEEL_ERROR_SYSTEM);
    assert_error(f.world, KEEL_ERROR_SYSTEM, "system 'both': the body fails");
    assert_seen("xy|YX");
    assert_int_equal(keel_run_workload(f.world, both_twice), KEEL_ERROR_SYSTEM);
    assert_error(f.world, KEEL_ERROR_SYSTEM, "system 'both': the body fails");
    seen.length = 0;
    memset(seen.text, 0, sizeof seen.text);
    seen.fails = 0;
    assert_int_equal(keel_run(f.world, both), KEEL_OK);
    assert_seen("xy|YX");
    api_end(&f);
}

KEEL_WORKLOAD(for_nobody_often, KEEL_STEP(for_nobody), KEEL_STEP(for_nobody));

static void they_are_made_without_entities_too(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_int_equal(keel_run(f.world, for_nobody), KEEL_OK);
        assert_seen("xX");
        assert_int_equal(keel_run_workload(f.world, for_nobody_often), KEEL_OK);
        assert_seen("xXxX");
    }
    api_end(&f);
}

// ------------------------------------------------------------------ an init that fails
KEEL_SYSTEM_ONCE(afterwards, KEEL_MAY_WRITE(Number)) { note('w'); }
KEEL_SYSTEM_ONCE(unrelated) { note('u'); }
KEEL_WORKLOAD(stopped, KEEL_STEP(both), KEEL_STEP(afterwards), KEEL_STEP(unrelated));

static void assert_view_error(api_fixture *f, const char *part, bool in_system) {
    const keel_error error = *keel_first_error(f->world);
    keel_clear_errors(f->world);
    assert_int_equal(error.result, KEEL_ERROR_VIEW);
    assert_non_null(strstr(error.message, part));
    assert_string_equal(error.system, in_system ? "both" : "");
    assert_ptr_equal(error.object, seen.by_result ? NULL : &seen);
}

static void a_failed_init_is_an_error_of_the_view(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    seen.fails = 'y';
    assert_int_equal(keel_run(f.world, both), KEEL_ERROR_VIEW);
    assert_view_error(&f, "view 'Y' of system 'both' could not be made: no y today", true);
    assert_seen("xX"); // nothing of y, and not the body
    assert_int_equal(keel_run_workload(f.world, stopped), KEEL_ERROR_VIEW);
    assert_view_error(&f, "view 'Y' of system 'both' could not be made: no y today", true);
    assert_seen("xXu"); // what writes Number depends on it
    Y y;
    assert_int_equal(keel_custom_begin(f.world, Y, &y), KEEL_ERROR_VIEW);
    assert_view_error(&f, "view 'Y' could not be made: no y today", false);
    assert_int_equal(keel_custom_end(f.world, &y), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "no custom view is open");
    seen.fails = 'x';
    seen.by_result = true;
    assert_int_equal(keel_run(f.world, both), KEEL_ERROR_VIEW);
    assert_view_error(&f, keel_result_text(KEEL_ERROR_UNKNOWN), true);
    assert_seen("");
    assert_int_equal(keel_add(f.world, keel_add_entity(f.world), Number, { 1 }), KEEL_OK);
    seen.fails = 0;
    assert_int_equal(keel_run_workload(f.world, stopped), KEEL_OK);
    assert_seen("xy|YXwu");
    api_end(&f);
}

static void a_missing_unique_is_an_error_of_the_view(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    assert_int_equal(keel_remove_unique(f.world, Time), KEEL_OK);
    assert_int_equal(keel_run_workload(f.world, twice), KEEL_ERROR_MISSING_UNIQUE);
    assert_error(f.world, KEEL_ERROR_MISSING_UNIQUE, "Pair needs the unique 'Time'");
    assert_int_equal(sum(f.world), 45);
    Pair pair;
    assert_int_equal(keel_custom_begin(f.world, Pair, &pair), KEEL_ERROR_MISSING_UNIQUE);
    assert_error(f.world, KEEL_ERROR_MISSING_UNIQUE, "Pair needs the unique 'Time'");
    api_end(&f);
}

static void a_failed_drop_is_told(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    seen.fails = 'Y';
    assert_int_equal(keel_run(f.world, both), KEEL_ERROR_VIEW);
    assert_view_error(&f, "view 'Y' of system 'both' failed in its drop: Y is stuck", true);
    assert_seen("xy|YX"); // all are dropped in any case
    Y y;
    assert_int_equal(keel_custom_begin(f.world, Y, &y), KEEL_OK);
    assert_int_equal(keel_custom_end(f.world, &y), KEEL_ERROR_VIEW);
    assert_view_error(&f, "view 'Y' failed in its drop: Y is stuck", false);
    assert_int_equal(keel_custom_end(f.world, &y), KEEL_ERROR_ARGUMENT); // it is gone
    assert_error(f.world, KEEL_ERROR_ARGUMENT, NULL);
    assert_seen("yY");
    api_end(&f);
}

KEEL_SYSTEM_ONCE(with_look, KEEL_CUSTOM_WRITE(Look, look), KEEL_CONTEXT(context),
                 KEEL_MAY_READ(Other)) {
    assert_int_equal(look->count, 45);
    assert_true(keel_context_info(context, &(keel_run_info){ 0 })->this_run ==
                seen.now[(seen.runs - 1) % 4]);
    keel_view view;
    keel_result *r = seen.results;
    *r++ = keel_view_begin(&view, context, KEEL_TERMS(KEEL_READ(Other, o)), "free");
    keel_view_end(&view);
    *r++ = keel_view_begin(&view, context, KEEL_TERMS(KEEL_READ(Number, n)), "taken");
    note('|');
}
KEEL_WORKLOAD(looks, KEEL_STEP(with_look), KEEL_STEP(with_look), KEEL_STEP(unrelated));

static void init_has_what_the_view_declares(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    assert_int_equal(keel_run(f.world, with_look), KEEL_OK);
    assert_seen("l|L");
    assert_int_equal(seen.results[0], KEEL_OK);
    assert_int_equal(seen.results[1], KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "'Number', which Look is writing");
    assert_int_equal(f.log.warnings, 0);
    api_end(&f);
}

static void init_knows_when_its_system_ran(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    assert_int_equal(keel_run(f.world, with_look), KEEL_OK);
    assert_true(seen.last[0] == 0 && seen.now[0] > 0);
    assert_int_equal(keel_run(f.world, with_look), KEEL_OK);
    assert_true(seen.last[1] >= seen.now[0] && seen.now[1] > seen.last[1]);
    keel_clear_errors(f.world);
    seen.runs = 0;
    for (uint32_t i = 0; i < 2; ++i)
        assert_int_equal(keel_run_workload(f.world, looks), KEEL_OK);
    assert_true(seen.last[0] == 0 && seen.last[1] == 0); // each step for itself
    assert_true(seen.now[0] < seen.now[1] && seen.now[1] < seen.now[2]);
    assert_true(seen.last[2] == seen.now[0] && seen.last[3] == seen.now[1]);
    seen.runs = 0;
    Look look;
    assert_int_equal(keel_custom_begin(f.world, Look, &look), KEEL_OK);
    assert_true(seen.last[0] == 0 && seen.now[0] > seen.now[3]); // no system runs
    assert_int_equal(keel_custom_end(f.world, &look), KEEL_OK);
    api_end(&f);
}

// Views inside see what is new to their system, and mark as it does.
typedef struct News {
    keel_view fresh, written;
    uint32_t seen_by_init;
} News;
static keel_result news_init(void *view, keel_context *context) {
    News *news = view;
    KEEL_EACH(context, KEEL_CHANGED(Other), KEEL_READ(Other, o))
        news->seen_by_init += o->value > 0;
    return KEEL_OK;
}
KEEL_CUSTOM_VIEW(News, KEEL_VIEW(fresh, KEEL_CHANGED(Other), KEEL_READ(Other, o)),
                 KEEL_VIEW(written, KEEL_WRITE_MARKED(Third, t, changed)), .init = news_init);
KEEL_SYSTEM_ONCE(read_news, KEEL_CUSTOM_WRITE(News, news)) {
    seen.results[0] = (keel_result)keel_view_count(&news->fresh);
    seen.results[1] = (keel_result)news->seen_by_init;
    seen.results[2] = (keel_result)keel_view_count(&news->written);
}
KEEL_WORKLOAD(daily, KEEL_STEP(read_news));

static void assert_news(keel_result result, uint32_t count) {
    assert_int_equal(result, KEEL_OK);
    assert_int_equal(seen.results[0], count);
    assert_int_equal(seen.results[1], count);
    assert_int_equal(seen.results[2], 0);
}

static void views_inside_see_what_is_new(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    assert_news(keel_run(f.world, read_news), 5); // everything, the first time
    assert_news(keel_run(f.world, read_news), 0);
    assert_news(keel_run_workload(f.world, daily), 5);
    assert_news(keel_run_workload(f.world, daily), 0);
    KEEL_EACH(f.world, KEEL_WRITE(Other, o))
        if (o->value == 3) break; // two are visited
    assert_news(keel_run_workload(f.world, daily), 2);
    assert_news(keel_run(f.world, read_news), 2);
    assert_news(keel_run_workload(f.world, daily), 0);
    api_end(&f);
}

static void views_inside_stay_borrowed(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    Look look;
    keel_view view;
    const keel_entity e = keel_next_entity(f.world, keel_null());
    assert_int_equal(keel_custom_begin(f.world, Look, &look), KEEL_OK);
    assert_int_equal(keel_add(f.world, e, Number, { 5 }), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "Look is writing it");
    assert_int_equal(keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_READ(Number, n)), "mine"),
                     KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "mine wants to read 'Number', which Look is");
    assert_int_equal(keel_set_unique(f.world, Time, { 0 }), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "Look is reading it");
    assert_int_equal(keel_run(f.world, with_pair), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "with_pair wants to write 'Number', which Look");
    Look other;
    assert_int_equal(keel_custom_begin(f.world, Look, &other), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "'Number', which Look is writing");
    assert_int_equal(keel_custom_end(f.world, &look), KEEL_OK);
    assert_seen("lL");
    assert_int_equal(keel_add(f.world, e, Number, { 5 }), KEEL_OK);
    assert_int_equal(keel_set_unique(f.world, Time, { 0 }), KEEL_OK);
    api_end(&f);
}

// ------------------------------------------------------------------ custom views in custom views
static void custom_views_contain_custom_views(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    assert_int_equal(keel_run(f.world, with_whole), KEEL_OK);
    assert_seen("xyw|WYX");
    seen.fails = 'y';
    assert_int_equal(keel_run(f.world, with_whole), KEEL_ERROR_VIEW);
    assert_error(f.world, KEEL_ERROR_VIEW, "view 'Y' of view 'Whole' could not be made: no y");
    assert_int_equal(f.log.errors, 1); // told once
    assert_seen("xX");
    seen.fails = 'w';
    assert_int_equal(keel_run(f.world, with_whole), KEEL_ERROR_VIEW);
    assert_error(f.world, KEEL_ERROR_VIEW, "view 'Whole' of system 'with_whole'");
    assert_seen("xyYX");
    seen.fails = 0;
    Whole whole;
    assert_int_equal(keel_custom_begin(f.world, Whole, &whole), KEEL_OK);
    assert_int_equal(keel_custom_end(f.world, &whole.y), KEEL_ERROR_ARGUMENT); // not by itself
    assert_error(f.world, KEEL_ERROR_ARGUMENT, NULL);
    assert_int_equal(keel_custom_end(f.world, &whole), KEEL_OK);
    assert_seen("xywWYX");
    assert_int_equal(f.log.warnings, 0);
    api_end(&f);
}

// ------------------------------------------------------------------ with the whole world
KEEL_SYSTEM_ONCE(with_owner, KEEL_CUSTOM_WRITE(Owner, owner)) {
    seen.runs = keel_count(owner->world, Third) - owner->had;
}
KEEL_SYSTEM_ONCE(with_world_and_pair, KEEL_WORLD(world), KEEL_CUSTOM_WRITE(Pair, pair),
                 KEEL_CONTEXT(context)) {
    change(pair);
    const keel_entity e = keel_next_entity(world, keel_null());
    seen.results[0] = keel_add(world, e, Number, { 1 });
    seen.results[1] = keel_add(world, e, Third, { 1 });
    X x;
    Y y;
    seen.results[2] = keel_custom_begin(world, X, &x); // Pair writes Number
    seen.results[3] = keel_custom_begin(context, Y, &y);
}
KEEL_SYSTEM_ONCE(with_world, KEEL_WORLD(world), KEEL_CONTEXT(context)) {
    X x;
    Y y;
    Pair pair;
    Owner owner;
    seen.results[0] = keel_custom_begin(world, X, &x);
    seen.results[1] = keel_custom_begin(context, Y, &y);
    seen.results[2] = keel_custom_begin(world, Pair, &pair); // X and Y read Number
    seen.results[3] = keel_custom_end(world, &x);
    seen.results[4] = keel_custom_end(context, &y);
    seen.results[5] = keel_custom_begin(context, Owner, &owner);
    seen.results[6] = keel_custom_end(context, &owner);
}
KEEL_WORKLOAD(worldly, KEEL_STEP(with_owner), KEEL_STEP(with_world_and_pair),
              KEEL_STEP(with_world));

static void assert_with_world(api_fixture *f) {
    const keel_result expected[7] = { KEEL_OK, KEEL_OK, KEEL_ERROR_BORROWED };
    assert_memory_equal(seen.results, expected, sizeof expected);
    assert_error(f->world, KEEL_ERROR_BORROWED, "'Number'");
    assert_seen("xyXYO");
}

static void custom_views_are_made_from_the_whole_world(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    assert_int_equal(keel_run(f.world, with_owner), KEEL_OK);
    assert_int_equal(seen.runs, 1);
    assert_seen("O");
    assert_int_equal(keel_run(f.world, with_world_and_pair), KEEL_OK);
    const keel_result expected[4] = { KEEL_ERROR_BORROWED, KEEL_OK, KEEL_ERROR_BORROWED,
                                      KEEL_ERROR_BORROWED };
    assert_memory_equal(seen.results, expected, sizeof expected);
    assert_error(f.world, KEEL_ERROR_BORROWED, "Pair is writing it");
    assert_seen("");
    assert_int_equal(keel_run(f.world, with_world), KEEL_OK);
    assert_with_world(&f);
    assert_int_equal(keel_run_workload(f.world, worldly), KEEL_OK);
    assert_seen("OxyXYO");
    keel_clear_errors(f.world);
    Owner owner;
    keel_view view;
    assert_int_equal(keel_view_begin(&view, f.world, KEEL_TERMS(KEEL_READ(Number, n)), "mine"),
                     KEEL_OK);
    assert_int_equal(keel_custom_begin(f.world, Owner, &owner), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "'Owner' wants the whole world while mine is open");
    keel_view_end(&view);
    assert_int_equal(keel_custom_begin(f.world, Owner, &owner), KEEL_OK);
    assert_int_equal(keel_custom_end(f.world, &owner), KEEL_OK);
    api_end(&f);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        // proves S-91
        TEST(a_bundle_is_used_like_a_view, "a bundle is run, borrowed and in workloads"),
        // proves S-92
        TEST(a_wild_view_holds_anything, "a wild view holds what its init puts there"),
        // proves S-93 S-94
        TEST(init_has_what_the_view_declares, "init has the world, within what is "
                                              "declared, and views that it opens stay open"),
        // proves S-93
        TEST(init_knows_when_its_system_ran, "init knows the last run and this one"),
        // proves S-93
        TEST(views_inside_see_what_is_new, "what is new is new to the system around"),
        // proves S-94
        TEST(views_inside_stay_borrowed, "what a custom view declares stays borrowed"),
        // proves S-95 S-97
        TEST(a_failed_init_is_an_error_of_the_view, "a failed init is an error of the "
                                                    "view, comes out everywhere, and nothing of "
                                                    "it is dropped"),
        // proves S-95
        TEST(a_missing_unique_is_an_error_of_the_view, "a unique that is missing inside"),
        // proves S-96 S-97
        TEST(they_are_dropped_in_reverse, "dropped once, after the system, in reverse"),
        // proves S-96 S-97
        TEST(they_are_dropped_when_the_body_fails, "dropped when the system fails"),
        // proves S-96
        TEST(they_are_made_without_entities_too, "made and dropped for systems of nobody"),
        TEST(a_failed_drop_is_told, "keel_fail in a drop is an error of the run"),
        // proves S-91 S-97
        TEST(custom_views_contain_custom_views, "custom views inside each other"),
        // proves S-99
        TEST(custom_views_are_made_from_the_whole_world, "made where the whole world is"),
    };
    return RUN(tests);
}
