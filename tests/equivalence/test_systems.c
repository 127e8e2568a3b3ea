// SPDX-License-Identifier: MIT
// Systems and loops with every parameter over every storage, compared with asking each entity.
#include "equivalence/everywhere.h"

#include <stdlib.h>

// Uniques lie apart from all storages.
typedef struct Time {
    double now, step;
} Time;
KEEL_UNIQUE(Time);

// Some with runs, some at random, some rare; more than a window of 4,096.
enum { COUNT = 4096 + 900 };
typedef struct scene {
    api_fixture f;
    keel_world *world;
    keel_entity e[COUNT];
} scene;
static scene s;

static void begin(void) {
    numbers n = { 12 };
    owned_begin();
    api_begin(&s.f);
    s.world = s.f.world;
    assert_int_equal(keel_add_entity_columns(s.world, COUNT, s.e, NULL), KEEL_OK);
    for (uint32_t i = 0; i < COUNT; ++i) {
        keel_add(s.world, s.e[i], Number, { i });
        keel_add(s.world, s.e[i], Position, { 1, 2 });
        if (next_below(&n, 2)) keel_add(s.world, s.e[i], Velocity, { (float)i, 1 });
        if (i / 300 % 2) keel_add(s.world, s.e[i], Byte, { (uint8_t)i });
        if (i % 50 == 0) keel_add(s.world, s.e[i], Frozen);
        if (i % 40 == 0) keel_add(s.world, s.e[i], Dead);
        if (i % 100 == 0) keel_add(s.world, s.e[i], Apart, { { i } });
    }
    for (uint32_t i = 1000; i < 1100; ++i)
        keel_delete_entity(s.world, s.e[i]);
}

static void end(void) {
    api_end(&s.f);
    assert_owned_end();
}

static bool alive(uint32_t i) { return keel_is_alive(s.world, s.e[i]); }

// ------------------------------------------------------------------ per entity
KEEL_SYSTEM(move, KEEL_WRITE(Position, p), KEEL_READ(Velocity, v)) {
    p->x += v->x;
    p->y += v->y;
}

static void systems_write_what_matches(void **state) {
    (void)state;
    begin();
    assert_int_equal(keel_run(s.world, move), KEEL_OK);
    assert_int_equal(keel_run(s.world, move), KEEL_OK);
    for (uint32_t i = 0; i < COUNT; ++i) {
        if (!alive(i)) continue;
        const Position *p = keel_get(s.world, s.e[i], Position);
        const bool moved = keel_has(s.world, s.e[i], Velocity);
        assert_int_equal((int)p->x, moved ? 1 + 2 * (int)i : 1);
        assert_int_equal((int)p->y, moved ? 4 : 2);
    }
    end();
}

typedef struct totals {
    uint64_t visits, numbers, bytes, without_byte, apart, entities;
} totals;

KEEL_SYSTEM(sum, KEEL_READ(Number, n), KEEL_OPTIONAL_READ(Byte, b), KEEL_OPTIONAL_WRITE(Apart, a),
            KEEL_ENTITY(e), KEEL_WITHOUT(Frozen), KEEL_ANY_OF(Velocity, Byte, Dead),
            KEEL_UNIQUE_READ(Time, time), KEEL_DATA(totals, t)) {
    ++t->visits;
    t->numbers += n->value;
    if (b) t->bytes += b->value;
    else ++t->without_byte;
    if (a) t->apart += a->word[0];
    if (a) a->word[1] = 1 + (uint32_t)time->step;
    t->entities += keel_entity_index(e);
}

static totals naive_sum(void) {
    totals t = { 0 };
    for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(s.world, e));) {
        if (keel_has(s.world, e, Frozen)) continue;
        if (!keel_has(s.world, e, Velocity) && !keel_has(s.world, e, Byte) &&
            !keel_has(s.world, e, Dead))
            continue;
        ++t.visits;
        t.numbers += keel_get(s.world, e, Number)->value;
        if (keel_has(s.world, e, Byte)) t.bytes += keel_get(s.world, e, Byte)->value;
        else ++t.without_byte;
        if (keel_has(s.world, e, Apart)) t.apart += keel_get(s.world, e, Apart)->word[0];
        t.entities += keel_entity_index(e);
    }
    return t;
}

static void assert_totals(totals actual, totals expected) {
    assert_int_equal(actual.visits, expected.visits);
    assert_int_equal(actual.numbers, expected.numbers);
    assert_int_equal(actual.bytes, expected.bytes);
    assert_int_equal(actual.without_byte, expected.without_byte);
    assert_int_equal(actual.apart, expected.apart);
    assert_int_equal(actual.entities, expected.entities);
}

static void systems_take_every_parameter(void **state) {
    (void)state;
    begin();
    totals t = { 0 };
    keel_set_unique(s.world, Time, { 0, 6 });
    assert_int_equal(keel_run_with(s.world, sum, &t), KEEL_OK);
    assert_totals(t, naive_sum());
    assert_true(t.visits > COUNT / 2);
    for (uint32_t i = 0; i < COUNT; i += 100)
        if (alive(i)) {
            const bool visited = i % 50 != 0; // all of them are frozen
            assert_int_equal(keel_get(s.world, s.e[i], Apart)->word[1], visited ? 7 : 0);
        }
    end();
}

// 16 parameters over as many storages.
KEEL_SYSTEM(wide, KEEL_WRITE(Number, a), KEEL_READ(N1, b), KEEL_READ(N2, c), KEEL_READ(N3, d),
            KEEL_READ(N4, e), KEEL_READ(N5, f), KEEL_READ(N6, g), KEEL_OPTIONAL_READ(N7, h),
            KEEL_OPTIONAL_READ(N8, i), KEEL_READ(Position, p), KEEL_READ(Matrix, m),
            KEEL_READ(Line, l), KEEL_READ(Half, half), KEEL_OPTIONAL_READ(Byte, byte),
            KEEL_WITHOUT(Frozen), KEEL_ENTITY(entity)) {
    a->value = b->value + c->value + d->value + e->value + f->value + g->value +
               (h ? h->value : 0) + (i ? i->value : 0) + (uint32_t)p->x + (uint32_t)m->cell[0] +
               l->word[0] + half->value + (byte ? byte->value : 0) + keel_entity_index(entity);
}

static void sixteen_parameters(void **state) {
    (void)state;
    api_fixture f;
    keel_entity e[400];
    api_begin(&f);
    keel_add_entity_columns(f.world, 400, e, NULL);
    for (uint32_t i = 400; i-- > 0;) {
        keel_add_values(f.world, e[i], KEEL_INIT(Number), KEEL_INIT(N1, { 1 }),
                        KEEL_INIT(N2, { 2 }), KEEL_INIT(N3, { 3 }), KEEL_INIT(N4, { 4 }),
                        KEEL_INIT(N5, { 5 }), KEEL_INIT(N6, { 6 }), KEEL_INIT(Position, { 10, 0 }));
        if (i % 5) keel_add_values(f.world, e[i], KEEL_INIT(Matrix), KEEL_INIT(Half, { 9 }));
        keel_add(f.world, e[i], Line);
        if (i % 2) keel_add(f.world, e[i], N7, { 1000 });
        if (i % 3 == 0) keel_add(f.world, e[i], Byte, { 100 });
        if (i % 7 == 0) keel_add(f.world, e[i], Frozen);
    }
    assert_int_equal(keel_run(f.world, wide), KEEL_OK);
    for (uint32_t i = 0; i < 400; ++i) {
        const uint32_t all = 40 + (i % 2 ? 1000u : 0u) + (i % 3 == 0 ? 100u : 0u) + i;
        assert_int_equal(keel_get(f.world, e[i], Number)->value, i % 5 && i % 7 ? all : 0);
    }
    api_end(&f);
}

KEEL_SYSTEM(only_handles, KEEL_ENTITY(e), KEEL_DATA(totals, t)) {
    ++t->visits;
    t->entities += keel_entity_index(e);
}
KEEL_SYSTEM(only_filters, KEEL_WITH(Frozen), KEEL_WITHOUT(Dead), KEEL_DATA(totals, t)) {
    ++t->visits;
}

static void systems_without_values(void **state) {
    (void)state;
    begin();
    totals t = { 0 }, filtered = { 0 }, expected = { 0 }, both = { 0 };
    for (uint32_t i = 0; i < COUNT; ++i) {
        if (!alive(i)) continue;
        ++expected.visits;
        expected.entities += i;
        both.visits += i % 50 == 0 && i % 40 != 0;
    }
    assert_int_equal(keel_run_with(s.world, only_handles, &t), KEEL_OK);
    assert_int_equal(keel_run_with(s.world, only_filters, &filtered), KEEL_OK);
    assert_totals(t, expected);
    assert_totals(filtered, both);
    end();
}

// ------------------------------------------------------------------ spans and loops
KEEL_SYSTEM_SPAN(move_spans, KEEL_SPAN_COUNT(count), KEEL_WRITE(Position, p),
                 KEEL_READ(Velocity, v), KEEL_OPTIONAL_READ(Byte, b), KEEL_SPAN_ENTITIES(e),
                 KEEL_WITHOUT(Dead), KEEL_DATA(totals, t)) {
    for (uint32_t i = 0; i < count; ++i) {
        p[i].x += v[i].x;
        t->entities += keel_entity_index(e[i]);
        if (b) t->bytes += b[i].value;
    }
    t->visits += count;
}

static totals naive_spans(bool move_too) {
    totals t = { 0 };
    for (uint32_t i = 0; i < COUNT; ++i) {
        if (!alive(i) || i % 40 == 0 || !keel_has(s.world, s.e[i], Velocity)) continue;
        ++t.visits;
        t.entities += i;
        if (keel_has(s.world, s.e[i], Byte)) t.bytes += keel_get(s.world, s.e[i], Byte)->value;
        if (move_too) assert_int_equal((int)keel_get(s.world, s.e[i], Position)->x, 1 + (int)i);
    }
    return t;
}

static void span_systems_get_arrays(void **state) {
    (void)state;
    begin();
    totals t = { 0 };
    assert_int_equal(keel_run_with(s.world, move_spans, &t), KEEL_OK);
    assert_totals(t, naive_spans(true));
    end();
}

static void loops_visit_the_same(void **state) {
    (void)state;
    begin();
    totals each = { 0 }, spans = { 0 };
    KEEL_EACH(s.world, KEEL_WRITE(Position, p), KEEL_READ(Velocity, v), KEEL_OPTIONAL_READ(Byte, b),
              KEEL_ENTITY(e), KEEL_WITHOUT(Dead)) {
        p->x += v->x;
        ++each.visits;
        each.entities += keel_entity_index(e);
        if (b) each.bytes += b->value;
    }
    assert_totals(each, naive_spans(true));
    KEEL_EACH_SPAN(s.world, KEEL_SPAN_COUNT(count), KEEL_READ(Velocity, v),
                   KEEL_OPTIONAL_READ(Byte, b), KEEL_SPAN_ENTITIES(e), KEEL_WITHOUT(Dead))
        for (uint32_t i = 0; i < count; ++i) {
            ++spans.visits;
            spans.entities += keel_entity_index(e[i]);
            if (b) spans.bytes += b[i].value;
            assert_int_equal((uint32_t)v[i].x, keel_entity_index(e[i]));
        }
    assert_totals(spans, naive_spans(true));
    end();
}

static uint32_t first_above(keel_world *world, uint32_t limit) {
    KEEL_EACH(world, KEEL_READ(Number, n), KEEL_WITH(Byte))
        if (n->value > limit) return n->value;
    return 0;
}

static void loops_may_be_left(void **state) {
    (void)state;
    begin();
    assert_true(first_above(s.world, 100) > 100);
    assert_int_equal(first_above(s.world, COUNT), 0);
    uint32_t visits = 0;
    KEEL_EACH(s.world, KEEL_WRITE(Number, n)) {
        n->value += 0;
        if (++visits == 70) break;
    }
    assert_int_equal(visits, 70);
    assert_int_equal(keel_add(s.world, s.e[0], Number, { 5 }), KEEL_OK); // nothing is borrowed
    end();
}

// ------------------------------------------------------------------ look-ups, commands, failures
KEEL_SYSTEM(steer, KEEL_WRITE(Velocity, v), KEEL_READ(N1, target), KEEL_MAY_READ(Position, Number),
            KEEL_CONTEXT(context)) {
    const keel_entity to = handle_at(target->value, 0);
    const Position *p = keel_get(context, to, Position);
    v->x = p ? p->x : -1;
    if (keel_has(context, to, Number)) v->y = (float)keel_get(context, to, Number)->value;
}

static void systems_look_others_up(void **state) {
    (void)state;
    begin();
    for (uint32_t i = 0; i < COUNT; i += 3)
        if (alive(i))
            keel_add_values(s.world, s.e[i], KEEL_INIT(N1, { COUNT - 1 - i }), KEEL_INIT(Velocity));
    assert_int_equal(keel_run(s.world, steer), KEEL_OK);
    for (uint32_t i = 0; i < COUNT; i += 3) {
        if (!alive(i)) continue;
        const bool found = alive(COUNT - 1 - i);
        assert_int_equal((int)keel_get(s.world, s.e[i], Velocity)->x, found ? 1 : -1);
        if (found)
            assert_int_equal((uint32_t)keel_get(s.world, s.e[i], Velocity)->y, COUNT - 1 - i);
    }
    end();
}

KEEL_SYSTEM(change, KEEL_READ(Number, n), KEEL_ENTITY(e), KEEL_COMMANDS(commands)) {
    switch (n->value % 5) {
    case 0:
        keel_delete_entity(commands, e);
        break;
    case 1:
        keel_add(commands, e, Matrix, { { (float)n->value } });
        break;
    case 2:
        keel_delete(commands, e, Number, Velocity);
        break;
    case 3:
        keel_add_entity(commands, KEEL_INIT(N2, { n->value }), KEEL_INIT(Frozen));
        break;
    default:
        break;
    }
}

static void commands_change_what_is_walked(void **state) {
    (void)state;
    begin();
    uint32_t made = 0, deleted = 0, found = 0;
    const uint32_t before = keel_entity_count(s.world);
    assert_int_equal(keel_run(s.world, change), KEEL_OK);
    for (uint32_t i = 0; i < COUNT; ++i) {
        if (i >= 1000 && i < 1100) continue;
        made += i % 5 == 3;
        deleted += i % 5 == 0;
        assert_int_equal(alive(i), i % 5 != 0);
        assert_int_equal(keel_has(s.world, s.e[i], Matrix), i % 5 == 1);
        if (!alive(i)) continue;
        assert_int_equal(keel_has(s.world, s.e[i], Number), i % 5 != 2);
        if (i % 5 == 2) assert_false(keel_has(s.world, s.e[i], Velocity));
    }
    KEEL_EACH(s.world, KEEL_READ(N2, n), KEEL_WITH(Frozen), KEEL_WITHOUT(Number))
        found += n->value % 5 == 3;
    assert_int_equal(found, made);
    assert_int_equal(keel_entity_count(s.world), before - deleted + made);
    end();
}

KEEL_SYSTEM(fail_at, KEEL_READ(Number, n), KEEL_CONTEXT(context), KEEL_DATA(totals, t)) {
    ++t->visits;
    if (t->visits == 20) keel_fail(context, NULL, "number %u", (unsigned)n->value);
}

static void a_system_that_fails_stops(void **state) {
    (void)state;
    begin();
    totals t = { 0 };
    assert_int_equal(keel_run_with(s.world, fail_at, &t), KEEL_ERROR_SYSTEM);
    assert_int_equal(t.visits, 20);
    assert_error(s.world, KEEL_ERROR_SYSTEM, "number");
    end();
}

KEEL_SYSTEM_ONCE(pairs, KEEL_MAY_READ(N1), KEEL_MAY_WRITE(N2), KEEL_CONTEXT(context),
                 KEEL_DATA(totals, t)) {
    KEEL_EACH(context, KEEL_READ(N1, a), KEEL_ENTITY(e))
        KEEL_EACH(context, KEEL_WRITE(N2, b), KEEL_ENTITY(other)) {
            b->value += a->value;
            t->visits += !keel_is_same(e, other);
        }
}

static void tasks_loop_inside_loops(void **state) {
    (void)state;
    begin();
    totals t = { 0 };
    for (uint32_t i = 0; i < 60; ++i)
        keel_add(s.world, s.e[i], N1, { i });
    for (uint32_t i = 30; i < 80; ++i)
        keel_add(s.world, s.e[i], N2);
    assert_int_equal(keel_run_with(s.world, pairs, &t), KEEL_OK);
    assert_int_equal(t.visits, 60 * 50 - 30);
    for (uint32_t i = 30; i < 80; ++i)
        assert_int_equal(keel_get(s.world, s.e[i], N2)->value, 59 * 60 / 2);
    end();
}

static const struct CMUnitTest tests[] = {
    TEST(systems_write_what_matches, "systems write what matches"),
    TEST(systems_take_every_parameter, "systems take every parameter"),
    TEST(sixteen_parameters, "sixteen parameters over as many storages"),
    TEST(systems_without_values, "systems that ask for no values"),
    TEST(span_systems_get_arrays, "span systems get arrays"),
    TEST(loops_visit_the_same, "loops visit the same entities as systems"),
    TEST(loops_may_be_left, "loops may be left at any time"),
    TEST(systems_look_others_up, "systems look other entities up"),
    TEST(commands_change_what_is_walked, "commands change what is walked"),
    TEST(a_system_that_fails_stops, "a system that fails stops at once"),
    TEST(tasks_loop_inside_loops, "tasks loop inside loops"),
};

EVERYWHERE(tests)
