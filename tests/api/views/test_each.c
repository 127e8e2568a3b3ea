// SPDX-License-Identifier: MIT
// KEEL_EACH and KEEL_EACH_SPAN: loops inside ordinary code, and every way to leave them.
#include "support/api_types.h"

#include <string.h>

enum { COUNT = 300 };

// COUNT entities with Number; Other on two thirds and Third on a quarter of them, in other orders.
static void begin(api_fixture *f, keel_entity *e) {
    api_begin(f);
    for (uint32_t i = 0; i < COUNT; ++i)
        e[i] = keel_add_entity(f->world, KEEL_INIT(Number, { i }));
    for (uint32_t i = COUNT; i-- > 0;) {
        if (i % 3) assert_int_equal(keel_add(f->world, e[i], Other, { 10 * i }), KEEL_OK);
        if (i % 4 == 0) assert_int_equal(keel_add(f->world, e[i], Third, { 5 }), KEEL_OK);
    }
}

// No view is open, so everything may be edited.
static void assert_free(keel_world *world) {
    assert_int_equal(keel_apply_commands(world), KEEL_OK);
    assert_int_equal(keel_share_begin(world), KEEL_OK);
    assert_int_equal(keel_share_end(world), KEEL_OK);
    const keel_entity e = keel_add_entity(world, KEEL_INIT(Number), KEEL_INIT(Other));
    assert_false(keel_is_null(e));
    assert_int_equal(keel_delete_entity(world, e), KEEL_OK);
    assert_no_error(world);
}

// ------------------------------------------------------------------ what a loop sees
static void a_loop_sees_each_matching_entity_once(void **state) {
    (void)state;
    api_fixture f;
    keel_entity all[COUNT];
    uint32_t count = 0, thirds = 0;
    begin(&f, all);
    KEEL_EACH(f.world, KEEL_READ(Number, n), KEEL_WRITE(Other, o), KEEL_OPTIONAL_READ(Third, t),
              KEEL_ENTITY(e)) {
        assert_same_entity(e, all[n->value]);
        assert_int_equal(o->value, 10 * n->value);
        assert_int_equal(t != NULL, n->value % 4 == 0);
        thirds += t ? t->value : 0;
        o->value = 1; // a second visit would fail
        ++count;
    }
    assert_int_equal(count, COUNT / 3 * 2);
    assert_int_equal(thirds, COUNT / 4 / 3 * 2 * 5);
    assert_free(f.world);
    api_end(&f);
}

static void a_loop_over_spans_sees_the_same(void **state) {
    (void)state;
    api_fixture f;
    keel_entity all[COUNT];
    uint32_t count = 0;
    begin(&f, all);
    KEEL_EACH_SPAN(f.world, KEEL_SPAN_COUNT(length), KEEL_READ(Number, n), KEEL_WRITE(Other, o),
                   KEEL_OPTIONAL_WRITE(Third, t), KEEL_SPAN_ENTITIES(e))
        for (uint32_t i = 0; i < length; ++i, ++count) {
            assert_same_entity(e[i], all[n[i].value]);
            assert_int_equal(o[i].value, 10 * n[i].value);
            assert_int_equal(t != NULL, n[i].value % 4 == 0);
            o[i].value = 1;
        }
    assert_int_equal(count, COUNT / 3 * 2);
    assert_free(f.world);
    api_end(&f);
}

static void handles_and_filters_are_enough(void **state) {
    (void)state;
    api_fixture f;
    keel_entity all[COUNT];
    uint32_t handles = 0, others = 0, bare = 0, any = 0, spans = 0;
    begin(&f, all);
    KEEL_EACH(f.world, KEEL_ENTITY(e))
        handles += keel_entity_index(e);
    KEEL_EACH(f.world, KEEL_WITH(Other))
        ++others;
    KEEL_EACH(f.world, KEEL_WITHOUT(Other), KEEL_WITH(Number))
        ++bare;
    KEEL_EACH(f.world, KEEL_ANY_OF(Other, Third))
        ++any;
    KEEL_EACH_SPAN(f.world, KEEL_SPAN_ENTITIES(e), KEEL_SPAN_COUNT(n))
        spans += n + 0 * e->bits;
    assert_int_equal(handles, COUNT * (COUNT - 1) / 2);
    assert_int_equal(others, COUNT / 3 * 2);
    assert_int_equal(bare, COUNT / 3);
    assert_int_equal(any, COUNT / 3 * 2 + COUNT / 12);
    assert_int_equal(spans, COUNT);
    KEEL_EACH(f.world, KEEL_READ(Large, large))
        fail_msg("%p", (const void *)large);
    assert_free(f.world);
    api_end(&f);
}

static void sixteen_parameters_are_allowed(void **state) {
    (void)state;
    api_fixture f;
    uint32_t count = 0;
    api_begin(&f);
    for (uint32_t i = 0; i < 5; ++i)
        (void)keel_add_entity(f.world, KEEL_INIT(Number, { i }), KEEL_INIT(Position),
                              KEEL_INIT(Velocity), KEEL_INIT(Health, { 3 }), KEEL_INIT(Large),
                              KEEL_INIT(Other));
    KEEL_EACH(f.world, KEEL_READ(Number, n), KEEL_READ(Position, p), KEEL_WRITE(Velocity, v),
              KEEL_WRITE(Health, h), KEEL_WRITE(Large, l), KEEL_OPTIONAL_READ(Other, o),
              KEEL_OPTIONAL_WRITE(Third, t), KEEL_ENTITY(e1), KEEL_ENTITY(e2), KEEL_ENTITY(e3),
              KEEL_ENTITY(e4), KEEL_ENTITY(e5), KEEL_ENTITY(e6), KEEL_WITHOUT(Dead),
              KEEL_WITHOUT(Frozen), KEEL_ANY_OF(Number, Third)) {
        assert_true(keel_is_same(e1, e2) && keel_is_same(e3, e4) && keel_is_same(e5, e6));
        assert_true(o && !t && h->points == 3);
        v->x = p->x + (float)n->value;
        l->word[0] = n->value;
        ++count;
    }
    assert_int_equal(count, 5);
    assert_free(f.world);
    api_end(&f);
}

// ------------------------------------------------------------------ ways out
static void break_leaves_the_whole_loop(void **state) {
    (void)state;
    api_fixture f;
    keel_entity all[COUNT];
    uint32_t count = 0, spans = 0;
    begin(&f, all);
    KEEL_EACH(f.world, KEEL_READ(Number, n), KEEL_WRITE(Other, o), KEEL_ENTITY(e)) {
        (void)e;
        o->value = n->value;
        if (++count == 5) break;
    }
    assert_int_equal(count, 5);
    assert_free(f.world);
    KEEL_EACH_SPAN(f.world, KEEL_READ(Number, n), KEEL_READ(Other, o), KEEL_SPAN_COUNT(length)) {
        assert_true(n && o && length);
        if (++spans == 2) break;
    }
    assert_int_equal(spans, 2);
    assert_free(f.world);
    api_end(&f);
}

static void continue_goes_on_with_the_next(void **state) {
    (void)state;
    api_fixture f;
    keel_entity all[COUNT];
    uint32_t even = 0, visits = 0, spans = 0, whole = 0;
    begin(&f, all);
    KEEL_EACH(f.world, KEEL_READ(Number, n), KEEL_ENTITY(e)) {
        assert_same_entity(e, all[visits++]);
        if (n->value % 2) continue;
        ++even;
    }
    assert_int_equal(visits, COUNT);
    assert_int_equal(even, COUNT / 2);
    KEEL_EACH_SPAN(f.world, KEEL_SPAN_COUNT(n), KEEL_OPTIONAL_READ(Third, t),
                   KEEL_READ(Number, number)) {
        (void)number;
        spans += n;
        if (!t) continue;
        whole += n;
    }
    assert_int_equal(spans, COUNT);
    assert_int_equal(whole, COUNT / 4);
    assert_free(f.world);
    api_end(&f);
}

static keel_entity find(keel_world *world, uint32_t value) {
    KEEL_EACH(world, KEEL_WRITE(Number, n), KEEL_ENTITY(e)) {
        if (n->value == value) return e;
    }
    return keel_null();
}
static const Number *find_in_spans(keel_world *world, uint32_t value) {
    KEEL_EACH_SPAN(world, KEEL_SPAN_COUNT(count), KEEL_WRITE(Number, n))
        for (uint32_t i = 0; i < count; ++i)
            if (n[i].value == value) return &n[i];
    return NULL;
}
// From two loops at once.
static uint32_t find_pair(keel_world *world, uint32_t sum) {
    KEEL_EACH(world, KEEL_READ(Number, a)) {
        KEEL_EACH_SPAN(world, KEEL_SPAN_COUNT(count), KEEL_READ(Number, b))
            for (uint32_t i = 0; i < count; ++i)
                if (a->value + b[i].value == sum) return a->value * 1000 + b[i].value;
    }
    return UINT32_MAX;
}

static void return_leaves_the_function(void **state) {
    (void)state;
    api_fixture f;
    keel_entity all[COUNT];
    begin(&f, all);
    for (uint32_t i = 0; i <= COUNT; i += COUNT / 4) {
        assert_same_entity(find(f.world, i), i < COUNT ? all[i] : keel_null());
        assert_free(f.world);
        assert_ptr_equal(find_in_spans(f.world, i),
                         i < COUNT ? keel_get(f.world, all[i], Number) : NULL);
        assert_free(f.world);
    }
    assert_int_equal(find_pair(f.world, 2 * COUNT - 3), (COUNT - 2) * 1000 + COUNT - 1);
    assert_free(f.world);
    assert_int_equal(find_pair(f.world, 2 * COUNT), UINT32_MAX);
    assert_free(f.world);
    api_end(&f);
}

static void goto_leaves_and_repeats(void **state) {
    (void)state;
    api_fixture f;
    keel_entity all[COUNT];
    uint32_t rounds = 0, visits = 0;
    begin(&f, all);
again:
    assert_free(f.world);
    KEEL_EACH(f.world, KEEL_WRITE(Number, n), KEEL_ENTITY(e)) {
        KEEL_EACH_SPAN(f.world, KEEL_SPAN_COUNT(count), KEEL_READ(Other, o)) {
            ++visits;
            if (++rounds < 10) goto again;
            if (count && o && keel_entity_index(e) + n->value == 4) goto out;
        }
    }
    fail_msg("not reached");
out:
    assert_free(f.world);
    assert_true(visits >= 10);
    api_end(&f);
}

static void a_switch_inside_has_its_own_break(void **state) {
    (void)state;
    api_fixture f;
    keel_entity all[COUNT];
    uint32_t zero = 0, rest = 0;
    begin(&f, all);
    KEEL_EACH(f.world, KEEL_READ(Number, n)) {
        switch (n->value % 3) {
        case 0:
            ++zero;
            break;
        case 1:
            continue;
        default:
            ++rest;
        }
    }
    assert_int_equal(zero, COUNT / 3);
    assert_int_equal(rest, COUNT / 3);
    assert_free(f.world);
    api_end(&f);
}

// ------------------------------------------------------------------ nested
static void nested_loops_make_all_pairs(void **state) {
    (void)state;
    api_fixture f;
    keel_entity all[COUNT];
    uint32_t pairs = 0, inner_breaks = 0;
    begin(&f, all);
    KEEL_EACH(f.world, KEEL_READ(Number, a), KEEL_READ(Other, o)) {
        (void)o;
        KEEL_EACH(f.world, KEEL_READ(Number, b), KEEL_READ(Third, t)) {
            (void)t;
            if (b->value == a->value) continue;
            ++pairs;
        }
        KEEL_EACH(f.world, KEEL_READ(Number, b)) {
            if (b->value < a->value) continue;
            ++inner_breaks; // only the inner loop ends
            break;
        }
    }
    assert_int_equal(inner_breaks, COUNT / 3 * 2);
    assert_int_equal(pairs, COUNT / 3 * 2 * (COUNT / 4) - COUNT / 4 / 3 * 2);
    assert_free(f.world);
    api_end(&f);
}

static uint32_t assertions;
static bool count_assertion(const char *condition, const char *message, const char *file,
                            int line) {
    (void)condition;
    (void)message;
    (void)file;
    (void)line;
    ++assertions;
    return false;
}

static void a_loop_that_conflicts_does_nothing(void **state) {
    (void)state;
    api_fixture f;
    uint32_t inner = 0;
    assertions = 0;
    keel_set_assert_handler(count_assertion);
    api_begin_with(&f, (keel_world_desc){ .on_misuse = KEEL_MISUSE_ASSERT });
    (void)keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    KEEL_EACH(f.world, KEEL_WRITE(Number, a), KEEL_ENTITY(e)) {
        KEEL_EACH(f.world, KEEL_READ(Number, b))
            inner += a->value + b->value;
        KEEL_EACH_SPAN(f.world, KEEL_READ(Number, b))
            inner += b->value;
        assert_int_equal(keel_delete_entity(f.world, e), KEEL_ERROR_BORROWED);
    }
    assert_int_equal(inner, 0);
    assert_int_equal(assertions, 0);                            // a conflict never asserts
    assert_error(f.world, KEEL_ERROR_BORROWED, "test_each.c:"); // says where
    assert_free(f.world);
    keel_set_assert_handler(NULL);
    api_end(&f);
}

// ------------------------------------------------------------------ inside a context
typedef struct Found {
    uint32_t count, wanted;
    keel_entity e;
} Found;

KEEL_SYSTEM_ONCE(leave_in_every_way, KEEL_MAY_WRITE(Number), KEEL_MAY_READ(Other),
                 KEEL_CONTEXT(context), KEEL_DATA(Found, found)) {
    KEEL_EACH(context, KEEL_WRITE(Number, n)) {
        ++n->value;
        if (n->value % 2) continue;
        if (++found->count == 3) break;
    }
    KEEL_EACH_SPAN(context, KEEL_WRITE(Number, n)) {
        found->count += n->value ? 100 : 100;
        goto out;
    }
out:
    KEEL_EACH(context, KEEL_READ(Number, a), KEEL_READ(Other, o)) {
        (void)o;
        KEEL_EACH(context, KEEL_WRITE(Number, b))
            found->count += 10000 + a->value + b->value;
        KEEL_EACH(context, KEEL_WRITE(Number, n), KEEL_ENTITY(e))
            (void)n, found->e = e;
        break;
    }
    KEEL_EACH(context, KEEL_WRITE(Number, n), KEEL_ENTITY(e)) {
        found->e = e;
        if (n->value == found->wanted) return;
    }
    found->e = keel_null();
}

static void loops_in_a_system_end_in_every_way(void **state) {
    (void)state;
    api_fixture f;
    keel_entity all[COUNT];
    begin(&f, all);
    for (uint32_t i = 0; i < 3; ++i) {
        Found found = { .wanted = i < 2 ? 150 : COUNT };
        assert_int_equal(keel_run_with(f.world, leave_in_every_way, &found), KEEL_OK);
        assert_int_equal(found.count, 103); // the conflicting inner loops did nothing
        assert_error(f.world, KEEL_ERROR_BORROWED, "'Number'");
        assert_same_entity(found.e, i < 2 ? all[150] : keel_null());
        assert_int_equal(f.log.warnings, 0);
        assert_free(f.world);
    }
    api_end(&f);
}

// ------------------------------------------------------------------ memory
static void a_loop_without_memory_does_nothing(void **state) {
    (void)state;
    api_fixture f;
    keel_entity all[COUNT];
    uint32_t visits = 0;
    size_t failures = 0;
    begin(&f, all);
    for (size_t n = 0; !visits; ++n) {
        counting_allocator_fail_after(&f.memory, n);
        KEEL_EACH(f.world, KEEL_READ(Number, a), KEEL_READ(Other, o)) {
            visits += a->value * 10 == o->value;
        }
        counting_allocator_never_fail(&f.memory);
        if (visits) break;
        ++failures;
        assert_error(f.world, KEEL_ERROR_MEMORY, NULL);
        assert_int_equal(keel_share_begin(f.world), KEEL_OK); // no view is left open
        assert_int_equal(keel_share_end(f.world), KEEL_OK);
    }
    assert_int_equal(visits, COUNT / 3 * 2);
    assert_true(failures > 1);
    const size_t calls = f.memory.growing_calls;
    for (int i = 0; i < 5; ++i)
        KEEL_EACH(f.world, KEEL_READ(Number, a), KEEL_READ(Other, o))
            visits += a->value + o->value;
    assert_int_equal(f.memory.growing_calls, calls);
    assert_free(f.world);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(a_loop_sees_each_matching_entity_once, "a loop sees each matching entity once"),
    TEST(a_loop_over_spans_sees_the_same, "a loop over spans sees the same"),
    TEST(handles_and_filters_are_enough, "handles and filters are enough for a loop"),
    TEST(sixteen_parameters_are_allowed, "sixteen parameters are allowed in a loop"),
    TEST(break_leaves_the_whole_loop, "break leaves the whole loop and ends its view"),
    TEST(continue_goes_on_with_the_next, "continue goes on with the next entity or span"),
    TEST(return_leaves_the_function, "return leaves the function and ends all views"),
    TEST(goto_leaves_and_repeats, "goto leaves loops and may enter them again"),
    TEST(a_switch_inside_has_its_own_break, "a switch inside a loop has its own break"),
    TEST(nested_loops_make_all_pairs, "nested loops make all pairs"),
    TEST(a_loop_that_conflicts_does_nothing, "a loop that conflicts does nothing and says where"),
    TEST(loops_in_a_system_end_in_every_way, "loops in a system end in every way"),
    TEST(a_loop_without_memory_does_nothing, "a loop without memory does nothing"),
};

int main(void) { return RUN(tests); }
