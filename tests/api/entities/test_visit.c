// SPDX-License-Identifier: MIT
// Looking at all values of a component where they lie: every one once, by ascending index, disabled
// ones too, in storages of each kind.
#include "support/api_types.h"

#include <string.h>

typedef struct InSet {
    uint32_t index;
} InSet;
KEEL_COMPONENT(InSet, .no_padding = true);
typedef struct ByIndex {
    uint32_t index;
} ByIndex;
KEEL_COMPONENT(ByIndex, .no_padding = true, .storage = KEEL_INDEXED);
typedef struct InRow {
    uint32_t index;
} InRow;
KEEL_COMPONENT(InRow, .no_padding = true, .storage = KEEL_ARCHETYPE);
typedef struct Huge {
    uint32_t index[500];
} Huge;
KEEL_COMPONENT(Huge, .no_padding = true, .storage = KEEL_INDEXED);
KEEL_TAG(Marked);
KEEL_RELATION(Near);

static api_fixture f;
static int set_up(void **state) {
    (void)state;
    api_begin(&f);
    return 0;
}
static int tear_down(void **state) {
    (void)state;
    api_end(&f);
    return 0;
}
#define VISIT_TEST(function, title)                                                                \
    { title, function, set_up, tear_down, NULL }

typedef struct seen {
    uint32_t values, disabled, runs, next, stop_after;
    size_t size; // 0: values are not looked at
} seen;

static bool look(const keel_value_run *run, void *data) {
    seen *s = data;
    assert_true(run->count > 0 && run->index >= s->next);
    for (uint32_t i = 0; i < run->count && s->size; ++i) {
        uint32_t index;
        memcpy(&index, (const char *)run->values + i * s->size, sizeof index);
        assert_int_equal(index, run->index + i);
    }
    s->next = run->index + run->count;
    s->values += run->count;
    s->disabled += run->disabled ? run->count : 0;
    return ++s->runs != s->stop_after;
}

static seen visit(const keel_component *c, size_t size) {
    seen s = { .size = size };
    assert_int_equal(keel_visit_values(f.world, c, look, &s), KEEL_OK);
    return s;
}

static void every_value_is_seen_once_by_ascending_index(void **state) {
    (void)state;
    NEEDS_USUAL_SIZES();
    enum { COUNT = 10000 };
    for (uint32_t i = 0; i < COUNT; ++i) {
        const keel_entity e = keel_add_entity(f.world);
        assert_int_equal(keel_entity_index(e), i);
        keel_add(f.world, e, ByIndex, { i });
        keel_add(f.world, e, InRow, { i });
        if (i % 3) keel_add(f.world, e, Marked);
        if (i % 100 == 0) {
            const Huge large = { { i } };
            assert_int_equal(keel_add_component(f.world, e, KEEL_OF(Huge), &large), KEEL_OK);
        }
    }
    for (uint32_t i = COUNT; i--;) { // in another order
        const keel_entity e = keel_entity_at(f.world, i);
        if (i % 2) keel_add(f.world, e, InSet, { i });
        if (i % 64 == 5) assert_int_equal(keel_disable(f.world, e, ByIndex), KEEL_OK);
        if (i % 64 == 7) assert_int_equal(keel_disable(f.world, e, InRow), KEEL_OK);
        if (i % 64 == 9) assert_int_equal(keel_disable(f.world, e, InSet), KEEL_OK);
    }
    const uint32_t hidden = COUNT / 64 + 1;
    seen s = visit(KEEL_OF(ByIndex), sizeof(ByIndex));
    assert_true(s.values == COUNT && s.disabled == hidden && s.runs < 3 * hidden);
    s = visit(KEEL_OF(InRow), sizeof(InRow));
    assert_true(s.values == COUNT && s.disabled == hidden);
    s = visit(KEEL_OF(InSet), sizeof(InSet));
    assert_true(s.values == COUNT / 2 && s.disabled == hidden);
    s = visit(KEEL_OF(Huge), sizeof(Huge));
    assert_true(s.values == COUNT / 100 && s.disabled == 0);
    s = visit(KEEL_OF(Marked), 0);
    assert_int_equal(s.values, COUNT - COUNT / 3 - 1);
}

static void a_visit_ends_when_it_is_asked_to(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 10; ++i) {
        const keel_entity e = keel_add_entity(f.world);
        if (i % 2) keel_add(f.world, e, InSet, { i });
    }
    seen s = { .stop_after = 2, .size = sizeof(InSet) };
    assert_int_equal(keel_visit_values(f.world, KEEL_OF(InSet), look, &s), KEEL_OK);
    assert_int_equal(s.runs, 2);
}

static void what_cannot_be_looked_at_is_refused(void **state) {
    (void)state;
    seen s = { 0 };
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(InSet, { 0 }));
    assert_int_equal(keel_relate(f.world, e, Near, e), KEEL_OK);
    assert_int_equal(keel_visit_values(f.world, KEEL_OF(Near), look, &s), KEEL_OK);
    assert_int_equal(keel_visit_values(f.world, KEEL_OF(Huge), look, &s), KEEL_OK); // not known
    assert_int_equal(s.runs, 0);
    assert_int_equal(keel_visit_values(f.world, NULL, look, &s), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_visit_values(f.world, KEEL_OF(InSet), NULL, &s), KEEL_ERROR_ARGUMENT);
    KEEL_EACH(f.world, KEEL_WRITE(InSet, value)) {
        value->index = 0;
        assert_int_equal(keel_visit_values(f.world, KEEL_OF(InSet), look, &s), KEEL_ERROR_BORROWED);
    }
    keel_view maker;
    assert_int_equal(keel_view_begin(&maker, f.world, KEEL_TERMS(KEEL_MAY_EDIT_ENTITIES), NULL),
                     KEEL_OK);
    assert_int_equal(keel_visit_values(f.world, KEEL_OF(InSet), look, &s), KEEL_ERROR_BORROWED);
    keel_view_end(&maker);
    assert_int_equal(keel_visit_values(f.world, KEEL_OF(InSet), look, &s), KEEL_OK);
    assert_int_equal(s.runs, 1);
}

typedef struct editing {
    keel_entity e;
    uint32_t refused, seen, runs;
} editing;

static bool edit_there(const keel_value_run *run, void *data) {
    editing *d = data;
    seen s = { 0 };
    const keel_world *looked_at = f.world;
    keel_view writes, reads;
    assert_true(keel_is_null(keel_add_entity(f.world)));
    assert_error(f.world, KEEL_ERROR_SHARED, "its values are visited");
    d->refused += keel_add(f.world, d->e, InSet, { 7 }) == KEEL_ERROR_SHARED;
    d->refused += keel_remove(f.world, d->e, InSet) == KEEL_ERROR_SHARED;
    d->refused += keel_delete_entity(f.world, d->e) == KEEL_ERROR_SHARED;
    d->refused += keel_share_begin(f.world) == KEEL_ERROR_SHARED;
    d->refused += keel_view_begin(&writes, f.world, KEEL_TERMS(KEEL_MAY_EDIT(InSet)), NULL) < 0;
    // who looks goes on, and commands wait
    assert_int_equal(keel_view_begin(&reads, f.world, KEEL_TERMS(KEEL_MAY_READ(InSet)), NULL),
                     KEEL_OK);
    keel_view_end(&reads);
    assert_int_equal(keel_visit_values(looked_at, KEEL_OF(ByIndex), look, &s), KEEL_OK);
    assert_int_equal(keel_delete_entity(keel_world_commands(f.world), d->e), KEEL_OK);
    assert_true(keel_has(f.world, d->e, InSet));
    d->seen += run->count;
    ++d->runs;
    return true;
}

static void its_function_edits_nothing(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 300; ++i) {
        const keel_entity e = keel_add_entity(f.world, KEEL_INIT(InSet, { i }));
        if (i % 3) keel_add(f.world, e, ByIndex, { i });
    }
    editing d = { .e = keel_entity_at(f.world, 150) };
    keel_disable(f.world, keel_entity_at(f.world, 10), InSet);
    assert_int_equal(keel_visit_values(f.world, KEEL_OF(InSet), edit_there, &d), KEEL_OK);
    assert_int_equal(d.seen, 300);
    assert_true(d.runs >= 3); // before the disabled one, it, and behind it
    assert_int_equal(d.refused, 5 * d.runs);
    assert_int_equal(keel_apply_commands(f.world), KEEL_OK); // nothing is refused any more
    assert_int_equal(keel_entity_count(f.world), 299);
}

static const struct CMUnitTest tests[] = {
    VISIT_TEST(every_value_is_seen_once_by_ascending_index,
               "every value is seen once, by ascending index, disabled ones too"),
    VISIT_TEST(a_visit_ends_when_it_is_asked_to, "a visit ends when it is asked to"),
    VISIT_TEST(its_function_edits_nothing, "the function that looks cannot edit the world"),
    VISIT_TEST(what_cannot_be_looked_at_is_refused, "what cannot be looked at is refused"),
};

int main(void) { return RUN(tests); }
