// SPDX-License-Identifier: MIT
// A workload that ran before allocates nothing: a hundred systems of all kinds over many entities.
#include "support/api_types.h"

// Structures are walked after each edit in test builds.
#if defined(KEELI_VALIDATE) && KEELI_VALIDATE
enum { ENTITIES = 3000 };
#else
enum { ENTITIES = 100000 };
#endif
enum { WARM_RUNS = 12, RUNS = 20 };

typedef struct Place {
    float x, y;
} Place;
typedef struct Speed {
    float x, y;
} Speed;
typedef struct Mass {
    float value;
} Mass;
typedef struct Row {
    uint32_t value;
} Row;
typedef struct Heat {
    uint32_t value;
} Heat;
typedef struct Target {
    keel_entity at;
} Target;
typedef struct Frame {
    uint32_t number;
} Frame;
KEEL_COMPONENT(Place, .storage = KEEL_INDEXED);
KEEL_COMPONENT(Speed);
KEEL_COMPONENT(Mass);
KEEL_COMPONENT(Row, .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(Heat, .storage = KEEL_ARCHETYPE);
KEEL_COMPONENT(Target);
KEEL_TAG(Chosen);
KEEL_TAG(Marked);
KEEL_UNIQUE(Frame);

// ------------------------------------------------------------------ loops
KEEL_SYSTEM(move, KEEL_WRITE(Place, p), KEEL_READ(Speed, s)) {
    p->x += s->x;
    p->y += s->y;
}
KEEL_SYSTEM(slow_down, KEEL_WRITE(Speed, s), KEEL_OPTIONAL_READ(Mass, m)) {
    s->x *= m ? 0.5f : 0.75f;
}
KEEL_SYSTEM(heat, KEEL_WRITE(Heat, h), KEEL_READ(Row, r)) { h->value += r->value; }
KEEL_SYSTEM(mixed, KEEL_WRITE(Row, r), KEEL_READ(Place, p), KEEL_WITHOUT(Chosen)) {
    r->value += p->x > 0;
}
KEEL_SYSTEM_SPAN(spans, KEEL_READ(Heat, h), KEEL_WRITE(Mass, m), KEEL_SPAN_COUNT(count)) {
    for (uint32_t i = 0; i < count; ++i)
        m[i].value += (float)h[i].value;
}
KEEL_SYSTEM(any_of, KEEL_WRITE(Mass, m), KEEL_ANY_OF(Chosen, Marked)) { m->value += 1; }
KEEL_SYSTEM(look_up, KEEL_READ(Target, t), KEEL_WRITE(Mass, m), KEEL_MAY_READ(Speed),
            KEEL_CONTEXT(context)) {
    const Speed *speed = keel_get(context, t->at, Speed);
    if (speed) m->value += speed->x;
}
KEEL_SYSTEM_ONCE(count_inside, KEEL_MAY_READ(Mass, Chosen), KEEL_UNIQUE_WRITE(Frame, frame),
                 KEEL_CONTEXT(context)) {
    uint32_t *scratch = keel_context_scratch(context, 1000 * sizeof *scratch, 16);
    KEEL_EACH(context, KEEL_READ(Mass, m), KEEL_WITH(Chosen)) {
        scratch[0] += m->value > 0;
    }
    frame->number += 1;
}
KEEL_CONDITION(every_second, KEEL_UNIQUE_READ(Frame, frame)) { return frame->number % 2 == 0; }

// ------------------------------------------------------------------ edits
KEEL_SYSTEM(choose, KEEL_READ(Row, r), KEEL_ENTITY(e), KEEL_WITHOUT(Chosen),
            KEEL_COMMANDS(commands, Chosen)) {
    if (keel_entity_index(e) % 97 == 1 || r->value == UINT32_MAX)
        (void)keel_add(commands, e, Chosen);
}
KEEL_SYSTEM(unchoose, KEEL_WITH(Chosen), KEEL_ENTITY(e), KEEL_COMMANDS(commands, Chosen)) {
    (void)keel_remove(commands, e, Chosen);
}
KEEL_SYSTEM(mark, KEEL_READ(Mass, m), KEEL_ENTITY(e), KEEL_COMMANDS(commands, Marked, Heat)) {
    if (keel_entity_index(e) % 151 != 2) return;
    if (m->value < 0) (void)keel_remove(commands, e, Heat);
    else (void)keel_add(commands, e, Heat, { 3 });
}
// As many as there were go and come.
KEEL_SYSTEM(replace, KEEL_READ(Target, t), KEEL_ENTITY(e), KEEL_COMMANDS(commands)) {
    if (keel_entity_index(e) % 113 != 5) return;
    (void)keel_delete_entity(commands, e);
    (void)keel_add_entity(commands, KEEL_INIT(Target, { t->at }), KEEL_INIT(Place, { 1, 2 }));
}
KEEL_SYSTEM_ONCE(edit_at_once, KEEL_MAY_EDIT(Marked), KEEL_MAY_READ(Target),
                 KEEL_CONTEXT(context)) {
    KEEL_EACH(context, KEEL_READ(Target, t), KEEL_ENTITY(e)) {
        if (keel_entity_index(e) % 211 != 3) continue;
        (void)keel_remove(context, e, Marked);
        (void)keel_add(context, e, Marked);
        (void)t;
    }
}
KEEL_SYSTEM_ONCE(whole_world, KEEL_WORLD(world)) {
    const keel_entity e = keel_add_entity(world, KEEL_INIT(Place, { 0, 0 }));
    (void)keel_delete_entity(world, e);
}

// ------------------------------------------------------------------ a hundred of them
KEEL_WORKLOAD(inner, KEEL_STEP(heat), KEEL_STEP(look_up, .parallel = true), KEEL_STEP(choose),
              KEEL_STEP(slow_down, .parallel = true));
#define TWENTY                                                                                     \
    KEEL_STEP(move, .parallel = true), KEEL_STEP(slow_down), KEEL_STEP(heat),                      \
        KEEL_STEP(mixed, .parallel = true), KEEL_STEP(spans), KEEL_STEP(any_of),                   \
        KEEL_STEP(look_up), KEEL_STEP(count_inside), KEEL_STEP(choose, .parallel = true),          \
        KEEL_STEP(move, .run_if = KEEL_IF(every_second)), KEEL_STEP(mark),                         \
        KEEL_STEP(spans, .parallel = true, .skip_if = KEEL_IF(every_second)),                      \
        KEEL_NESTED(inner, .run_if = KEEL_IF(every_second)), KEEL_STEP(unchoose),                  \
        KEEL_STEP(replace, .label = "replacing"), KEEL_STEP(edit_at_once),                         \
        KEEL_STEP(count_inside, .main_thread = true)
KEEL_WORKLOAD(hundred, TWENTY, TWENTY, TWENTY, KEEL_STEP(whole_world), TWENTY, TWENTY);

static void fill(keel_world *world) {
    keel_entity before = keel_null();
    for (uint32_t i = 0; i < ENTITIES; ++i) {
        const keel_entity e = keel_add_entity(world, KEEL_INIT(Place, { (float)i, 1 }));
        if (i % 2) (void)keel_add(world, e, Speed, { 1, 2 });
        if (i % 3) (void)keel_add(world, e, Mass, { (float)i });
        if (i % 4) (void)keel_add(world, e, Row, { i });
        if (i % 5) (void)keel_add(world, e, Heat, { i });
        if (i % 6) (void)keel_add(world, e, Target, { before });
        before = e;
    }
    assert_int_equal(keel_set_unique(world, Frame, { 0 }), KEEL_OK);
}

static void a_warm_run_allocates_nothing(void **state) {
    (void)state;
    static const uint32_t workers[] = { 1, 2, 4 };
    for (uint32_t w = 0; w < 3; ++w) {
        api_fixture f;
        api_begin_with(&f, (keel_world_desc){ .worker_count = workers[w] });
        fill(f.world);
        for (uint32_t i = 0; i < WARM_RUNS; ++i)
            assert_int_equal(keel_run_workload(f.world, hundred), KEEL_OK);
        const size_t calls = f.memory.calls;
        for (uint32_t i = 0; i < RUNS; ++i)
            assert_int_equal(keel_run_workload(f.world, hundred), KEEL_OK);
        assert_int_equal(f.memory.calls, calls);
        assert_no_error(f.world);
        api_end(&f);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(a_warm_run_allocates_nothing, "a warmed-up workload of a hundred systems allocates "
                                       "nothing"),
};

int main(void) { return RUN(tests); }
