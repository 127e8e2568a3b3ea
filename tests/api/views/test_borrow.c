// SPDX-License-Identifier: MIT
// Borrowing: any number of readers or one writer per storage, and errors that name both sides.
#include "support/view_fixture.h"

#include <string.h>

static keel_result try_view(keel_world *world, const keel_term *terms) {
    keel_view view;
    const keel_result result = keel_view_begin(&view, world, terms, "a second view");
    keel_view_end(&view);
    return result;
}

#define READING KEEL_TERMS(KEEL_READ(Number, n))
#define WRITING KEEL_TERMS(KEEL_WRITE(Number, n))
#define EDITING KEEL_TERMS(KEEL_EDIT(Number, n))

// ------------------------------------------------------------------ readers and writers
static void any_number_may_read(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 5 }));
    keel_view views[100];
    const keel_term *ways[] = { READING,
                                KEEL_TERMS(KEEL_OPTIONAL_READ(Number, n)),
                                KEEL_TERMS(KEEL_WITH(Number)),
                                KEEL_TERMS(KEEL_WITHOUT(Number)),
                                KEEL_TERMS(KEEL_MAY_READ(Number)),
                                KEEL_TERMS(KEEL_ANY_OF(Number, Other)) };
    for (uint32_t i = 0; i < 100; ++i)
        views[i] = open_view(f.world, ways[i % 6]);
    for (uint32_t i = 0; i < 100; ++i)
        assert_int_equal(keel_get(&views[i], e, Number)->value, 5);
    for (uint32_t i = 0; i < 100; ++i) {
        assert_int_equal(try_view(f.world, WRITING), KEEL_ERROR_BORROWED);
        keel_view_end(&views[i * 37 % 100]); // in another order
    }
    assert_int_equal(try_view(f.world, WRITING), KEEL_OK);
    keel_clear_errors(f.world);
    api_end(&f);
}

static void a_writer_is_alone(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_add_entity(f.world, KEEL_INIT(Number, { 5 }));
    const keel_term *alone[] = { WRITING, EDITING, KEEL_TERMS(KEEL_OPTIONAL_WRITE(Number, n)),
                                 KEEL_TERMS(KEEL_MAY_WRITE(Number)),
                                 KEEL_TERMS(KEEL_MAY_EDIT(Number)) };
    const keel_term *others[] = { READING, KEEL_TERMS(KEEL_WITH(Number)),
                                  KEEL_TERMS(KEEL_WITHOUT(Number)), WRITING, EDITING };
    for (uint32_t i = 0; i < 5; ++i) {
        keel_view holder = open_view(f.world, alone[i]);
        for (uint32_t k = 0; k < 5; ++k)
            assert_int_equal(try_view(f.world, others[k]), KEEL_ERROR_BORROWED);
        keel_view_end(&holder);
        for (uint32_t k = 0; k < 5; ++k)
            assert_int_equal(try_view(f.world, others[k]), KEEL_OK);
    }
    keel_clear_errors(f.world);
    api_end(&f);
}

static void readers_keep_writers_out(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_view first = open_view(f.world, READING), second = open_view(f.world, READING);
    assert_int_equal(try_view(f.world, WRITING), KEEL_ERROR_BORROWED);
    assert_int_equal(try_view(f.world, EDITING), KEEL_ERROR_BORROWED);
    assert_int_equal(try_view(f.world, READING), KEEL_OK);
    keel_view_end(&first);
    assert_int_equal(try_view(f.world, WRITING), KEEL_ERROR_BORROWED);
    keel_view_end(&second);
    keel_view_end(&second); // again: nothing
    assert_int_equal(try_view(f.world, WRITING), KEEL_OK);
    keel_clear_errors(f.world);
    api_end(&f);
}

static void different_storages_never_conflict(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_set_unique(f.world, Time, { 0, 0 });
    keel_view a = open_view(f.world, EDITING);
    keel_view b = open_view(f.world, KEEL_TERMS(KEEL_WRITE(Other, o), KEEL_MAY_EDIT(Third)));
    keel_view c = open_view(f.world, KEEL_TERMS(KEEL_UNIQUE_WRITE(Time, t)));
    keel_view d = open_view(f.world, KEEL_TERMS(KEEL_MAY_EDIT_ENTITIES));
    const keel_entity e = keel_add_entity(&d);
    assert_int_equal(keel_add(f.world, e, Position), KEEL_OK); // through the world: free as well
    keel_view_end(&a);
    keel_view_end(&b);
    keel_view_end(&c);
    keel_view_end(&d);
    assert_no_error(f.world);
    api_end(&f);
}

// A view that cannot have all it wants gives back what it had taken already.
static void all_or_nothing_is_borrowed(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_set_unique(f.world, Time, { 0, 0 });
    keel_view third = open_view(f.world, KEEL_TERMS(KEEL_READ(Third, t)));
    const keel_term *wish = KEEL_TERMS(KEEL_WRITE(Number, n), KEEL_UNIQUE_WRITE(Time, u),
                                       KEEL_ENTITY(e), KEEL_READ(Other, o), KEEL_WRITE(Third, t));
    assert_no_view(f.world, wish, KEEL_ERROR_BORROWED, "Third");
    assert_int_equal(
        try_view(f.world, KEEL_TERMS(KEEL_EDIT(Number, n), KEEL_EDIT(Other, o),
                                     KEEL_UNIQUE_WRITE(Time, u), KEEL_MAY_EDIT_ENTITIES)),
        KEEL_OK);
    keel_view_end(&third);
    assert_int_equal(try_view(f.world, wish), KEEL_OK);
    api_end(&f);
}

static void two_worlds_borrow_apart(void **state) {
    (void)state;
    api_fixture f, g;
    api_begin(&f);
    api_begin(&g);
    keel_view a = open_view(f.world, EDITING), b = open_view(g.world, EDITING);
    keel_view_end(&a);
    assert_int_equal(try_view(f.world, WRITING), KEEL_OK);
    assert_int_equal(try_view(g.world, WRITING), KEEL_ERROR_BORROWED);
    assert_no_error(f.world);
    keel_view_end(&b);
    api_end(&f);
    api_end(&g);
}

// ------------------------------------------------------------------ three ways
KEEL_SYSTEM(double_numbers, KEEL_WRITE(Number, n), KEEL_READ(Other, o)) {
    n->value = n->value * 2 + o->value;
}
KEEL_WORKLOAD(doubling, KEEL_STEP(double_numbers));

static keel_result double_in_view(keel_world *world) {
    keel_view view;
    KEEL_TRY(keel_view_begin(&view, world, KEEL_TERMS(KEEL_WRITE(Number, n), KEEL_READ(Other, o)),
                             "doubling"));
    keel_iterator walk;
    keel_span span;
    assert_int_equal(keel_iterator_begin(&walk, &view), KEEL_OK);
    while (keel_iterator_next_span(&walk, &span))
        for (uint32_t i = 0; i < span.count; ++i) {
            Number *n = keel_span_write(&span, Number) + i;
            n->value = n->value * 2 + keel_span_read(&span, Other)[i].value;
        }
    keel_view_end(&view);
    return KEEL_OK;
}

static void three_ways_give_the_same_access(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e =
        keel_add_entity(f.world, KEEL_INIT(Number, { 1 }), KEEL_INIT(Other, { 1 }));
    assert_int_equal(keel_run(f.world, double_numbers), KEEL_OK);
    assert_int_equal(keel_get(f.world, e, Number)->value, 3);
    assert_int_equal(double_in_view(f.world), KEEL_OK);
    assert_int_equal(keel_get(f.world, e, Number)->value, 7);
    assert_int_equal(keel_run_workload(f.world, doubling), KEEL_OK);
    assert_int_equal(keel_get(f.world, e, Number)->value, 15);
    const keel_term *in_the_way[] = { READING, KEEL_TERMS(KEEL_WRITE(Other, o)) };
    for (uint32_t i = 0; i < 2; ++i) {
        keel_view other = open_view(f.world, in_the_way[i]);
        assert_int_equal(keel_run(f.world, double_numbers), KEEL_ERROR_BORROWED);
        assert_int_equal(double_in_view(f.world), KEEL_ERROR_BORROWED);
        assert_int_equal(keel_run_workload(f.world, doubling), KEEL_ERROR_BORROWED);
        keel_view_end(&other);
    }
    keel_view other = open_view(f.world, KEEL_TERMS(KEEL_READ(Other, o)));
    assert_int_equal(keel_run(f.world, double_numbers), KEEL_OK);
    assert_int_equal(double_in_view(f.world), KEEL_OK);
    assert_int_equal(keel_run_workload(f.world, doubling), KEEL_OK);
    keel_view_end(&other);
    assert_int_equal(keel_get(f.world, e, Number)->value, 127);
    keel_clear_errors(f.world);
    api_end(&f);
}

static void opening_a_view_returns_its_failure(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number));
    keel_view holder = open_view(f.world, WRITING);
    keel_view view;
    memset(&view, 0xAB, sizeof view);
    assert_int_equal(keel_view_begin(&view, f.world, READING, "late"), KEEL_ERROR_BORROWED);
    assert_null(keel_get(&view, e, Number)); // a closed view, and no crash
    assert_int_equal(keel_view_count(&view), 0);
    keel_view_end(&view);
    memset(&view, 0xAB, sizeof view);
    assert_int_equal(keel_view_begin(&view, f.world, NULL, "nothing"), KEEL_ERROR_ARGUMENT);
    keel_view_end(&view);
    keel_view_end(&holder);
    assert_error(f.world, KEEL_ERROR_BORROWED, NULL); // the first one is kept
    api_end(&f);
}

// ------------------------------------------------------------------ messages
KEEL_SYSTEM_ONCE(loops_and_borrows, KEEL_MAY_WRITE(Number), KEEL_CONTEXT(context)) {
    keel_view outer, inner;
    const keel_term *write = WRITING, *read = READING;
    assert_int_equal(keel_view_begin(&outer, context, write, "outer loop"), KEEL_OK);
    assert_int_equal(keel_view_begin(&inner, context, read, "inner loop"), KEEL_ERROR_BORROWED);
    keel_view_end(&outer);
    assert_int_equal(keel_view_begin(&inner, context, read, "inner loop"), KEEL_OK);
    keel_view_end(&inner);
}

// What a system holds is not written around it.
typedef struct Around {
    keel_world *world;
    keel_entity e;
} Around;
KEEL_SYSTEM_ONCE(goes_around, KEEL_MAY_READ(Number), KEEL_DATA(Around, around)) {
    assert_null(keel_get_mut(around->world, around->e, Number));
}

static void a_conflict_names_both_sides(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number));
    keel_view holder, late;
    assert_int_equal(keel_view_begin(&holder, f.world, READING, "src/game/draw.c:12"), KEEL_OK);
    assert_int_equal(keel_view_begin(&late, f.world, WRITING, "move.c:34"), KEEL_ERROR_BORROWED);
    const char *message = keel_last_error(f.world)->message;
    assert_non_null(strstr(message, "draw.c:12 is reading"));     // who holds it, and how
    assert_non_null(strstr(message, "move.c:34 wants to write")); // who asked, and for what
    assert_non_null(strstr(message, "'Number'"));
    assert_error(f.world, KEEL_ERROR_BORROWED, "end that view first"); // and the way out
    keel_delete_entity(f.world, e);
    assert_non_null(
        strstr(keel_last_error(f.world)->message, "delete an entity that has 'Number'"));
    assert_error(f.world, KEEL_ERROR_BORROWED, "draw.c:12 is reading it; record the edit");
    keel_strip(f.world, e);
    assert_non_null(strstr(keel_last_error(f.world)->message, "strip an entity that has 'Number'"));
    assert_error(f.world, KEEL_ERROR_BORROWED, "draw.c:12 is reading it; record the edit");
    assert_non_null(keel_get_mut(f.world, e, Number)); // values stay where they are (B9)
    keel_world_trim(f.world);                          // cannot be recorded
    assert_error(f.world, KEEL_ERROR_BORROWED, "draw.c:12 is reading it; do it when that");
    keel_view_end(&holder);
    assert_int_equal(keel_run(f.world, loops_and_borrows), KEEL_OK);
    message = keel_last_error(f.world)->message;
    assert_non_null(strstr(message, "inner loop wants to read 'Number'"));
    assert_string_equal(keel_last_error(f.world)->system, "loops_and_borrows");
    assert_error(f.world, KEEL_ERROR_BORROWED, "outer loop is writing");
    Around around = { f.world, e };
    assert_int_equal(keel_run_with(f.world, goes_around, &around), KEEL_OK);
    assert_error(f.world, KEEL_ERROR_BORROWED, "write through that view");
    api_end(&f);
}

static void a_loop_is_named_by_its_place(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    keel_add_entity(f.world, KEEL_INIT(Number));
    keel_view holder = open_view(f.world, READING);
    uint32_t visits = 0;
    KEEL_EACH(f.world, KEEL_WRITE(Number, n))
        n->value = 1, ++visits;
    assert_int_equal(visits, 0);
    assert_error(f.world, KEEL_ERROR_BORROWED, "test_borrow.c:");
    keel_view_end(&holder);
    api_end(&f);
}

static void the_name_of_a_view_is_copied_and_cut(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    char name[200];
    memset(name, 'v', sizeof name - 1);
    name[sizeof name - 1] = 0;
    keel_view a, b;
    assert_int_equal(keel_view_begin(&a, f.world, WRITING, name), KEEL_OK);
    memset(name, 'x', sizeof name - 1);
    assert_int_equal(keel_view_begin(&b, f.world, WRITING, NULL), KEEL_ERROR_BORROWED);
    const char *message = keel_last_error(f.world)->message;
    assert_null(strstr(message, "xxx"));
    assert_int_equal(strspn(strstr(message, "vvv"), "v"), 63);
    keel_clear_errors(f.world);
    keel_view_end(&a);
    api_end(&f);
}

// ------------------------------------------------------------------ edits through the world
static void a_borrowed_storage_refuses_edits(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e =
        keel_add_entity(f.world, KEEL_INIT(Number, { 1 }), KEEL_INIT(Other, { 2 }));
    const keel_entity bare = keel_add_entity(f.world);
    char *before = world_text(f.world, NULL);
    keel_view view = open_view(f.world, READING);
    assert_int_equal(keel_add(f.world, bare, Number), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_add_values(f.world, bare, KEEL_INIT(Other), KEEL_INIT(Number)),
                     KEEL_ERROR_BORROWED);
    assert_null(keel_get_or_add(f.world, bare, Number));
    assert_null(keel_get_or_add(f.world, e, Number));
    assert_non_null(keel_get_mut(f.world, e, Number)); // a value may be written (B9)
    assert_int_equal(keel_remove(f.world, e, Number), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_delete(f.world, e, Other, Number), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_strip(f.world, e), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_delete_entity(f.world, e), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_delete_entities_having(f.world, Other), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_clear(f.world, Number), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_clear_entities(f.world), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_reserve(f.world, Number, 10), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Number)), KEEL_ERROR_BORROWED);
    assert_true(keel_is_null(keel_clone_entity(f.world, e)));
    assert_int_equal(keel_apply_commands(f.world), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_add(f.world, bare, Third), KEEL_OK); // not borrowed: free
    assert_int_equal(keel_remove(f.world, bare, Third), KEEL_OK);
    assert_int_equal(keel_get(f.world, e, Number)->value, 1); // reading goes on
    keel_view_end(&view);
    assert_error(f.world, KEEL_ERROR_BORROWED, "Number");
    assert_same_text(world_text(f.world, NULL), before);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    // proves S-3
    TEST(any_number_may_read, "any number of views may read one storage"),
    // proves S-4
    TEST(a_writer_is_alone, "a view that writes or edits is alone until it ends"),
    // proves S-5
    TEST(readers_keep_writers_out, "while a reader is there nobody may write"),
    // proves S-6
    TEST(different_storages_never_conflict, "different storages never conflict"),
    TEST(all_or_nothing_is_borrowed, "a view borrows all it names or nothing"),
    // proves S-2 S-6
    TEST(two_worlds_borrow_apart, "two worlds borrow apart"),
    // proves S-7
    TEST(three_ways_give_the_same_access, "a system, a view and a workload have the same access"),
    // proves S-8
    TEST(opening_a_view_returns_its_failure, "opening a view returns what failed"),
    TEST(a_conflict_names_both_sides, "a conflict names both sides and the way out"),
    TEST(a_loop_is_named_by_its_place, "a loop that cannot begin is named by its place"),
    TEST(the_name_of_a_view_is_copied_and_cut, "the name of a view is copied, to 63 bytes"),
    TEST(a_borrowed_storage_refuses_edits, "a borrowed storage refuses edits through the world"),
};
int main(void) { return RUN(tests); }
