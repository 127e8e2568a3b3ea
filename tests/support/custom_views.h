// SPDX-License-Identifier: MIT
// Custom views for tests, and a record of the calls of their hooks. The tests themselves are in
// tests/api/views/test_custom_view*.c, which include it.
#pragma once
#include "support/api_types.h"

#include <string.h>

// ------------------------------------------------------------------ the record
static struct {
    char text[64]; // a letter for each event: x, y: init; X, Y: drop; |: the system ran
    uint32_t length;
    char fails; // the letter whose init or drop fails
    bool by_result;
    uint64_t last[4], now[4];
    uint32_t runs;
    keel_result results[8];
} seen;

static inline void note(char letter) {
    assert_true(seen.length + 1 < sizeof seen.text);
    seen.text[seen.length++] = letter;
}

static inline void assert_seen(const char *expected) {
    assert_string_equal(seen.text, expected);
    memset(seen.text, 0, sizeof seen.text);
    seen.length = 0;
}

// Creates a world with one worker, so that letters are recorded in order and without a lock.
static inline void begin(api_fixture *f) {
    memset(&seen, 0, sizeof seen);
    api_begin_workers(f, 1);
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

// Adds the step of time to each Number, and the value of Other to each odd one.
static inline void change(const Pair *pair) {
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

static inline uint32_t sum(keel_world *world) {
    uint32_t result = 0;
    KEEL_EACH(world, KEEL_READ(Number, n))
        result += n->value;
    return result;
}

KEEL_SYSTEM_ONCE(with_pair, KEEL_CUSTOM_WRITE(Pair, pair)) { change(pair); }
KEEL_WORKLOAD(twice, KEEL_STEP(with_pair), KEEL_STEP(with_pair));

// Two views that record their init and drop. A system may have both at once.
typedef struct X {
    char letter;
} X;
typedef struct Y {
    char letter;
} Y;
static inline keel_result letter_init(char *letter, keel_context *context, char which) {
    assert_int_equal(*letter, 0); // the memory was cleared
    *letter = which;
    if (seen.fails != which) note(which);
    else if (seen.by_result) return KEEL_ERROR_UNKNOWN;
    else keel_fail(context, &seen, "no %c today", which);
    return KEEL_OK;
}
static inline keel_result x_init(void *view, keel_context *context) {
    return letter_init(&((X *)view)->letter, context, 'x');
}
static inline keel_result y_init(void *view, keel_context *context) {
    return letter_init(&((Y *)view)->letter, context, 'y');
}
static inline void letter_drop(void *view, keel_context *context) {
    const char letter = (char)(*(const char *)view - 'x' + 'X');
    note(letter);
    if (seen.fails == letter) keel_fail(context, &seen, "%c is stuck", letter);
}
KEEL_CUSTOM_VIEW(X, KEEL_MAY_READ(Number), .init = x_init, .drop = letter_drop);
KEEL_CUSTOM_VIEW(Y, KEEL_MAY_READ(Number), .init = y_init, .drop = letter_drop);

KEEL_SYSTEM_ONCE(both, KEEL_CUSTOM_WRITE(X, x), KEEL_CONTEXT(context), KEEL_CUSTOM_WRITE(Y, y)) {
    assert_true(x->letter == 'x' && y->letter == 'y');
    note('|');
    if (seen.fails == '|') keel_fail(context, NULL, "the body fails");
}
KEEL_WORKLOAD(both_twice, KEEL_STEP(both), KEEL_STEP(both));

// ------------------------------------------------------------------ the context of init
typedef struct Look {
    const Time *time;
    keel_view opened; // opened by init
    float *scratch;
    uint32_t count;
    float first;
} Look;
static inline keel_result look_init(void *view, keel_context *context) {
    Look *look = view;
    assert_ptr_equal(keel_get_unique(context, Time), look->time);
    look->scratch = (float *)keel_context_scratch(context, 3000 * sizeof(float), sizeof(float));
    if (!look->scratch) return KEEL_ERROR_MEMORY;
    for (uint32_t i = 0; i < 3000; ++i)
        look->scratch[i] = (float)(look->time->now + i);
    KEEL_EACH(context, KEEL_READ(Number, n))
        look->count += n->value;
    if (look->count != 45) return KEEL_ERROR_MEMORY; // the loop ran out of memory
    KEEL_TRY(
        keel_view_begin(&look->opened, context, KEEL_TERMS(KEEL_WRITE(Number, n)), "look_init"));
    seen.last[seen.runs % 4] = keel_context_info(context, &(keel_run_info){ 0 })->last_run;
    seen.now[seen.runs++ % 4] = keel_context_info(context, &(keel_run_info){ 0 })->this_run;
    note('l');
    return KEEL_OK;
}
static inline void look_drop(void *view, keel_context *context) {
    const Look *look = view;
    assert_true(look->scratch[2999] >= 3000 && look->scratch[0] <= 1);
    assert_int_equal(keel_view_count(&look->opened), 10); // it is still open
    assert_true(keel_context_info(context, &(keel_run_info){ 0 })->this_run ==
                seen.now[(seen.runs - 1) % 4]);
    note('L');
}
KEEL_CUSTOM_VIEW(Look, KEEL_UNIQUE_READ(Time, time), KEEL_MAY_WRITE(Number), .init = look_init,
                 .drop = look_drop);

// ------------------------------------------------------------------ with the whole world
typedef struct Owner {
    keel_world *world;
    uint32_t had;
} Owner;
static inline keel_result owner_init(void *view, keel_context *context) {
    Owner *owner = view;
    (void)context;
    owner->had = keel_count(owner->world, Third);
    return keel_is_null(keel_add_entity(owner->world, KEEL_INIT(Third))) ? KEEL_ERROR_MEMORY
                                                                         : KEEL_OK;
}
static inline void owner_drop(void *view, keel_context *context) {
    (void)context;
    (void)keel_clear(((Owner *)view)->world, Third);
    note('O');
}
KEEL_CUSTOM_VIEW(Owner, KEEL_WORLD(world), .init = owner_init, .drop = owner_drop);

// A system without matching entities. It runs its custom view nevertheless, which may have effects.
KEEL_SYSTEM(for_nobody, KEEL_READ(Third, third), KEEL_CUSTOM_WRITE(X, x)) {
    (void)third, (void)x;
    note('|');
}

typedef struct Whole {
    X x;
    keel_view numbers;
    Y y;
    char letter;
} Whole;
static inline keel_result whole_init(void *view, keel_context *context) {
    const Whole *whole = view;
    assert_true(whole->x.letter == 'x' && whole->y.letter == 'y');
    assert_int_equal(keel_view_count(&whole->numbers), 10);
    if (seen.fails == 'w') keel_fail(context, NULL, "nothing whole");
    else note('w');
    return KEEL_OK;
}
static inline void whole_drop(void *view, keel_context *context) {
    (void)context;
    assert_int_equal(keel_view_count(&((Whole *)view)->numbers), 10);
    note('W');
}
KEEL_CUSTOM_VIEW(Whole, KEEL_CUSTOM_WRITE(X, x), KEEL_VIEW(numbers, KEEL_READ(Number, n)),
                 KEEL_CUSTOM_WRITE(Y, y), .init = whole_init, .drop = whole_drop);
KEEL_SYSTEM_ONCE(with_whole, KEEL_CUSTOM_WRITE(Whole, whole)) {
    assert_true(whole->x.letter == 'x');
    note('|');
}
