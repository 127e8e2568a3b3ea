// SPDX-License-Identifier: MIT
// Custom views: what they hand to a system, when they are made and dropped, what they borrow.
#include "support/api_types.h"

#include <string.h>

// ------------------------------------------------------------------ what happened
static struct {
    char text[64]; // letters: x, y: made; X, Y: dropped; |: the system ran
    uint32_t length;
    char fails; // the letter whose init or drop fails
    bool by_result;
    uint64_t last[4], now[4];
    uint32_t runs;
    keel_result results[8];
} seen;

static void note(char letter) {
    assert_true(seen.length + 1 < sizeof seen.text);
    seen.text[seen.length++] = letter;
}

static void assert_seen(const char *expected) {
    assert_string_equal(seen.text, expected);
    memset(seen.text, 0, sizeof seen.text);
    seen.length = 0;
}

static void begin(api_fixture *f) {
    memset(&seen, 0, sizeof seen);
    api_begin(f);
    assert_int_equal(keel_set_unique(f->world, Time, { 1, 2 }), KEEL_OK);
    for (uint32_t i = 0; i < 10; ++i) {
        const keel_entity e = keel_add_entity(f->world, KEEL_INIT(Number, { i }));
        if (i % 2) (void)keel_add(f->world, e, Other, { i });
    }
}

// ------------------------------------------------------------------ a bundle
typedef struct Pair {
    keel_view numbers, odd;
    const Time *time;
} Pair;
KEEL_CUSTOM_VIEW(Pair, KEEL_VIEW(numbers, KEEL_WRITE(Number, n)),
                 KEEL_VIEW(odd, KEEL_READ(Other, o), KEEL_ENTITY(e)), KEEL_UNIQUE_READ(Time, time));

// Each Number gains the step of time and each odd one the value of its Other.
static void change(const Pair *pair) {
    keel_iterator it;
    keel_span span;
    assert_int_equal(keel_iterator_begin(&it, &pair->numbers), KEEL_OK);
    while (keel_iterator_next_span(&it, &span))
        for (uint32_t i = 0; i < span.count; ++i)
            keel_span_write(&span, Number)[i].value += (uint32_t)pair->time->step;
    assert_int_equal(keel_iterator_begin(&it, &pair->odd), KEEL_OK);
    while (keel_iterator_next_span(&it, &span))
        for (uint32_t i = 0; i < span.count; ++i)
            keel_get_mut(&pair->numbers, span.entities[i], Number)->value +=
                keel_span_read(&span, Other)[i].value;
}

static uint32_t sum(keel_world *world) {
    uint32_t result = 0;
    KEEL_EACH(world, KEEL_READ(Number, n))
        result += n->value;
    return result;
}

KEEL_TASK(with_pair, KEEL_CUSTOM(Pair, pair)) { change(pair); }
KEEL_WORKLOAD(twice, KEEL_STEP(with_pair), KEEL_STEP(with_pair));

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

KEEL_SYSTEM(add_random, KEEL_WRITE(Number, n), KEEL_CUSTOM(RandomNumber, random)) {
    n->value += (uint32_t)random->value;
}
KEEL_SPAN_SYSTEM(add_random_to_spans, KEEL_COUNT(count), KEEL_WRITE(Number, n),
                 KEEL_CUSTOM_READ(RandomNumber, random)) {
    for (uint32_t i = 0; i < count; ++i)
        n[i].value += (uint32_t)random->value;
}
KEEL_CONDITION(is_four, KEEL_CUSTOM(RandomNumber, random)) { return random->value == 4; }
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

// What ran is noted; the two may be made at the same time.
typedef struct X {
    char letter;
} X;
typedef struct Y {
    char letter;
} Y;
static keel_result letter_init(char *letter, keel_context *context, char which) {
    assert_int_equal(*letter, 0); // the memory was cleared
    *letter = which;
    if (seen.fails != which) note(which);
    else if (seen.by_result) return KEEL_ERROR_UNKNOWN;
    else keel_fail(context, &seen, "no %c today", which);
    return KEEL_OK;
}
static keel_result x_init(void *view, keel_context *context) {
    return letter_init(&((X *)view)->letter, context, 'x');
}
static keel_result y_init(void *view, keel_context *context) {
    return letter_init(&((Y *)view)->letter, context, 'y');
}
static void letter_drop(void *view, keel_context *context) {
    const char letter = (char)(*(const char *)view - 'x' + 'X');
    note(letter);
    if (seen.fails == letter) keel_fail(context, &seen, "%c is stuck", letter);
}
KEEL_CUSTOM_VIEW(X, KEEL_MAY_READ(Number), .init = x_init, .drop = letter_drop);
KEEL_CUSTOM_VIEW(Y, KEEL_MAY_READ(Number), .init = y_init, .drop = letter_drop);

KEEL_TASK(both, KEEL_CUSTOM(X, x), KEEL_CONTEXT(context), KEEL_CUSTOM(Y, y)) {
    assert_true(x->letter == 'x' && y->letter == 'y');
    note('|');
    if (seen.fails == '|') keel_fail(context, NULL, "the body fails");
}
KEEL_WORKLOAD(both_twice, KEEL_STEP(both), KEEL_STEP(both));

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

// A system for whose entities nobody is there is run in any case: others may notice.
KEEL_SYSTEM(for_nobody, KEEL_READ(Third, third), KEEL_CUSTOM(X, x)) {
    (void)third, (void)x;
    note('|');
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
KEEL_TASK(afterwards, KEEL_MAY_WRITE(Number)) { note('w'); }
KEEL_TASK(unrelated) { note('u'); }
KEEL_WORKLOAD(stopped, KEEL_STEP(both), KEEL_STEP(afterwards), KEEL_STEP(unrelated));

static void assert_view_error(api_fixture *f, const char *part, bool in_system) {
    const keel_error error = keel_take_error(f->world);
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

// ------------------------------------------------------------------ what init has in hand
typedef struct Look {
    const Time *time;
    keel_view opened; // by init
    float *scratch;
    uint32_t count;
    float first;
} Look;
static keel_result look_init(void *view, keel_context *context) {
    Look *look = view;
    assert_ptr_equal(keel_get_unique(context, Time), look->time);
    look->scratch = (float *)keel_context_scratch(context, 3000 * sizeof(float), sizeof(float));
    assert_non_null(look->scratch);
    for (uint32_t i = 0; i < 3000; ++i)
        look->scratch[i] = (float)(look->time->now + i);
    KEEL_EACH(context, KEEL_READ(Number, n))
        look->count += n->value;
    KEEL_TRY(
        keel_view_begin_in(&look->opened, context, KEEL_TERMS(KEEL_WRITE(Number, n)), "look_init"));
    seen.last[seen.runs % 4] = keel_context_last_run(context);
    seen.now[seen.runs++ % 4] = keel_context_this_run(context);
    return KEEL_OK;
}
static void look_drop(void *view, keel_context *context) {
    const Look *look = view;
    assert_true(look->scratch[2999] >= 3000 && look->scratch[0] <= 1);
    assert_int_equal(keel_view_count(&look->opened), 10); // it is still open
    assert_true(keel_context_this_run(context) == seen.now[(seen.runs - 1) % 4]);
    note('L');
}
KEEL_CUSTOM_VIEW(Look, KEEL_UNIQUE_READ(Time, time), KEEL_MAY_WRITE(Number), .init = look_init,
                 .drop = look_drop);

KEEL_TASK(with_look, KEEL_CUSTOM(Look, look), KEEL_CONTEXT(context), KEEL_MAY_READ(Other)) {
    assert_int_equal(look->count, 45);
    assert_true(keel_context_this_run(context) == seen.now[(seen.runs - 1) % 4]);
    keel_view view;
    keel_result *r = seen.results;
    *r++ = keel_view_begin_in(&view, context, KEEL_TERMS(KEEL_READ(Other, o)), "free");
    keel_view_end(&view);
    *r++ = keel_view_begin_in(&view, context, KEEL_TERMS(KEEL_READ(Number, n)), "taken");
    note('|');
}
KEEL_WORKLOAD(looks, KEEL_STEP(with_look), KEEL_STEP(with_look), KEEL_STEP(unrelated));

static void init_has_what_the_view_declares(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    assert_int_equal(keel_run(f.world, with_look), KEEL_OK);
    assert_seen("|L");
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
    assert_true(seen.last[1] == 0 && seen.now[1] > seen.now[0]); // outside of workloads
    keel_take_error(f.world);
    seen.runs = 0;
    for (uint32_t i = 0; i < 2; ++i)
        assert_int_equal(keel_run_workload(f.world, looks), KEEL_OK);
    assert_true(seen.last[0] == 0 && seen.last[1] == 0); // each step for itself
    assert_true(seen.now[0] < seen.now[1] && seen.now[1] < seen.now[2]);
    assert_true(seen.last[2] == seen.now[0] && seen.last[3] == seen.now[1]);
    seen.runs = 0;
    Look look;
    assert_int_equal(keel_custom_begin(f.world, Look, &look), KEEL_OK);
    assert_true(seen.last[0] == 0 && seen.now[0] == 0); // no system runs
    assert_int_equal(keel_custom_end(f.world, &look), KEEL_OK);
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
    assert_seen("L");
    assert_int_equal(keel_add(f.world, e, Number, { 5 }), KEEL_OK);
    assert_int_equal(keel_set_unique(f.world, Time, { 0 }), KEEL_OK);
    api_end(&f);
}

// ------------------------------------------------------------------ custom views in custom views
typedef struct Whole {
    X x;
    keel_view numbers;
    Y y;
    char letter;
} Whole;
static keel_result whole_init(void *view, keel_context *context) {
    const Whole *whole = view;
    assert_true(whole->x.letter == 'x' && whole->y.letter == 'y');
    assert_int_equal(keel_view_count(&whole->numbers), 10);
    if (seen.fails == 'w') keel_fail(context, NULL, "nothing whole");
    else note('w');
    return KEEL_OK;
}
static void whole_drop(void *view, keel_context *context) {
    (void)context;
    assert_int_equal(keel_view_count(&((Whole *)view)->numbers), 10);
    note('W');
}
KEEL_CUSTOM_VIEW(Whole, KEEL_CUSTOM(X, x), KEEL_VIEW(numbers, KEEL_READ(Number, n)),
                 KEEL_CUSTOM(Y, y), .init = whole_init, .drop = whole_drop);
KEEL_TASK(with_whole, KEEL_CUSTOM(Whole, whole)) {
    assert_true(whole->x.letter == 'x');
    note('|');
}

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
typedef struct Owner {
    keel_world *world;
    uint32_t had;
} Owner;
static keel_result owner_init(void *view, keel_context *context) {
    Owner *owner = view;
    (void)context;
    owner->had = keel_count(owner->world, Third);
    return keel_is_null(keel_add_entity(owner->world, KEEL_INIT(Third))) ? KEEL_ERROR_MEMORY
                                                                         : KEEL_OK;
}
static void owner_drop(void *view, keel_context *context) {
    (void)context;
    (void)keel_clear(((Owner *)view)->world, Third);
    note('O');
}
KEEL_CUSTOM_VIEW(Owner, KEEL_WORLD(world), .init = owner_init, .drop = owner_drop);

KEEL_TASK(with_owner, KEEL_CUSTOM(Owner, owner)) {
    seen.runs = keel_count(owner->world, Third) - owner->had;
}
KEEL_TASK(with_world_and_pair, KEEL_WORLD(world), KEEL_CUSTOM(Pair, pair), KEEL_CONTEXT(context)) {
    change(pair);
    const keel_entity e = keel_next_entity(world, keel_null());
    seen.results[0] = keel_add(world, e, Number, { 1 });
    seen.results[1] = keel_add(world, e, Third, { 1 });
    X x;
    Y y;
    seen.results[2] = keel_custom_begin(world, X, &x); // Pair writes Number
    seen.results[3] = keel_custom_begin(context, Y, &y);
}
KEEL_TASK(with_world, KEEL_WORLD(world), KEEL_CONTEXT(context)) {
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
    keel_take_error(f.world);
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

// ------------------------------------------------------------------ in systems, by hand
KEEL_TASK(by_hand, KEEL_CONTEXT(context), KEEL_MAY_READ(Number), KEEL_CUSTOM(X, x)) {
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
KEEL_TASK(forgetful, KEEL_CONTEXT(context), KEEL_MAY_READ(Number), KEEL_CUSTOM(X, x),
          KEEL_DATA(Y, y)) {
    (void)x;
    keel_view view;
    (void)keel_view_begin_in(&view, context, KEEL_TERMS(KEEL_READ(Number, n)), "my view");
    seen.results[0] = keel_custom_begin(context, Y, y);
    note('|');
}

static void systems_begin_them_by_hand(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    assert_int_equal(keel_run(f.world, by_hand), KEEL_OK);
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

// ------------------------------------------------------------------ misuse
KEEL_TASK(two_writers, KEEL_CUSTOM(Pair, pair), KEEL_CUSTOM(Look, look)) {
    (void)pair, (void)look;
    note('|');
}
KEEL_TASK(unique_twice, KEEL_CUSTOM(Pair, pair), KEEL_UNIQUE_WRITE(Time, time)) {
    (void)pair, (void)time;
    note('|');
}
KEEL_SYSTEM(value_twice, KEEL_READ(Number, n), KEEL_CUSTOM(Pair, pair)) {
    (void)pair, (void)n;
    note('|');
}
KEEL_SYSTEM(read_twice, KEEL_READ(Number, n), KEEL_CUSTOM(X, x)) {
    (void)x;
    seen.runs += n->value;
}
KEEL_SYSTEM(owner_per_entity, KEEL_READ(Number, n), KEEL_CUSTOM(Owner, owner)) {
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
    seen.results[0] = keel_view_begin_in(&inner, context, KEEL_TERMS(KEEL_READ(Number, n)), "nosy");
    seen.results[1] = keel_get(context, keel_null(), Number) ? KEEL_OK : KEEL_ABSENT;
    seen.results[2] = keel_context_world(context) ? KEEL_OK : KEEL_ABSENT;
    seen.results[3] = keel_context_scratch(context, 8, 3) ? KEEL_OK : KEEL_ABSENT;
    return KEEL_OK;
}
KEEL_CUSTOM_VIEW(Nosy, KEEL_MAY_READ(Other), .init = nosy_init);
KEEL_TASK(with_nosy, KEEL_CUSTOM(Nosy, nosy), KEEL_MAY_WRITE(Number)) { (void)nosy; }

static void init_may_touch_what_the_view_declares(void **state) {
    (void)state;
    api_fixture f;
    begin(&f);
    assert_int_equal(keel_run(f.world, with_nosy), KEEL_OK); // the system declares Number
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
        .name = "table", .kind = KEEL_PER_RUN, .terms = terms, .run = both_system.run
    };
    const keel_step steps[] = { { .system = &system } };
    const keel_workload workload = { "tables", steps, 1, NULL };
    max_align_t memory[16];
    assert_int_equal(keel_world_begin_custom_view(f->world, kind, memory), result);
    assert_error(f->world, result, part);
    assert_int_equal(keel_world_run_system(f->world, &system, NULL, 0), result);
    assert_error(f->world, result, part);
    assert_int_equal(keel_world_run_workload(f->world, &workload), result);
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
    assert_refused(&f, &kind, KEEL_ERROR_ARGUMENT, "declares commands, context or data");
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
    assert_int_equal(keel_world_begin_custom_view(f.world, KEEL_CUSTOM_OF(Pair), (char *)pair + 1),
                     KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "not aligned");
    assert_int_equal(keel_custom_begin(f.world, X, &x), KEEL_OK);
    assert_int_equal(keel_custom_begin(f.world, X, &x), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "was not ended");
    assert_int_equal(keel_custom_end(f.world, &x), KEEL_OK);
    assert_int_equal(keel_custom_end(f.world, &x), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_custom_end(f.world, NULL), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "no custom view is open");
    assert_int_equal(keel_context_begin_custom_view(NULL, KEEL_CUSTOM_OF(X), &x),
                     KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_context_end_custom_view(NULL, &x), KEEL_ERROR_ARGUMENT);
    assert_true(keel_context_last_run(NULL) == 0 && keel_context_this_run(NULL) == 0);
    assert_seen("xX");
    api_end(&f);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        TEST(a_bundle_is_used_like_a_view, "S-91: a bundle is run, borrowed and in workloads"),
        TEST(a_wild_view_holds_anything, "S-92: a wild view holds what its init puts there"),
        TEST(init_has_what_the_view_declares, "S-93 S-94: init has the world, within what is "
                                              "declared, and views that it opens stay open"),
        TEST(init_knows_when_its_system_ran, "S-93: init knows the last run and this one"),
        TEST(views_inside_stay_borrowed, "S-94: what a custom view declares stays borrowed"),
        TEST(a_failed_init_is_an_error_of_the_view, "S-95 S-97: a failed init is an error of the "
                                                    "view, comes out everywhere, and nothing of "
                                                    "it is dropped"),
        TEST(a_missing_unique_is_an_error_of_the_view, "S-95: a unique that is missing inside"),
        TEST(they_are_dropped_in_reverse, "S-96 S-97: dropped once, after the system, in reverse"),
        TEST(they_are_dropped_when_the_body_fails, "S-96 S-97: dropped when the system fails"),
        TEST(they_are_made_without_entities_too, "S-96: made and dropped for systems of nobody"),
        TEST(a_failed_drop_is_told, "keel_fail in a drop is an error of the run"),
        TEST(custom_views_contain_custom_views, "S-91 S-97: custom views inside each other"),
        TEST(custom_views_are_made_from_the_whole_world, "S-99: made where the whole world is"),
        TEST(systems_begin_them_by_hand, "systems begin and end them by hand"),
        TEST(the_world_ends_what_was_forgotten, "S-97: the world's end drops what is open"),
        TEST(they_borrow_against_the_rest_of_the_system, "S-94: they borrow against each other"),
        TEST(init_may_touch_what_the_view_declares, "init may touch what the view declares only"),
        TEST(impossible_descriptors_are_refused, "impossible descriptors are refused"),
        TEST(memory_for_one_by_hand_is_checked, "memory of one made by hand is checked"),
    };
    return RUN(tests);
}
