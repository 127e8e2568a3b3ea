// SPDX-License-Identifier: MIT
// Shared mode: many threads look at one world, and nobody changes its structure.
#include "support/view_fixture.h"

#include <pthread.h>

KEEL_UNIQUE(Number);

static void shared_mode_refuses_structural_edits(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }), KEEL_INIT(Other));
    const keel_entity child = keel_add_child(f.world, e);
    keel_set_unique(f.world, Time, { 1, 1 });
    char *before = world_text(f.world, (const keel_component *[]){ KEEL_UNIQUE_OF(Time), NULL });
    assert_int_equal(keel_share_begin(f.world), KEEL_OK);
    assert_true(keel_is_null(keel_add_entity(f.world)));
    assert_true(keel_is_null(keel_add_child(f.world, e)));
    assert_true(keel_is_null(keel_clone_entity(f.world, e)));
    assert_null(keel_get_or_add(f.world, e, Third));
    assert_null(keel_get_or_add(f.world, e, Number));
    assert_null(keel_get_mut(f.world, e, Number));
    assert_null(keel_get_unique_mut(f.world, Time));
    assert_null(keel_register_component(f.world, KEEL_OF(Health)));
    const keel_entity list[] = { e, child };
    const keel_result results[] = {
        keel_add_entity_at(f.world, handle_at(9, 0)),
        keel_add_entity_columns(f.world, 3, NULL, NULL),
        keel_clone_entities(f.world, e, 2, NULL),
        keel_add(f.world, e, Number, { 2 }),
        keel_add_values(f.world, e, KEEL_INIT(Number)),
        keel_remove(f.world, e, Number),
        keel_delete(f.world, e, Number, Other),
        keel_strip(f.world, e),
        keel_delete_entity(f.world, e),
        keel_delete_entities(f.world, list, 2),
        keel_delete_entities_having(f.world, Number),
        keel_clear(f.world, Number),
        keel_clear_entities(f.world),
        keel_reserve(f.world, Number, 100),
        keel_reserve_component(f.world, &keel_entities, 100),
        keel_attach(f.world, child, e),
        keel_detach(f.world, child),
        keel_unlink(f.world, e),
        keel_unlink_tree(f.world, e),
        keel_delete_tree(f.world, e),
        keel_set_unique(f.world, Time, { 2, 2 }),
        keel_remove_unique(f.world, Time),
        keel_unregister_component(f.world, KEEL_OF(Number)),
        keel_world_trim(f.world),
        keel_apply_commands(f.world),
    };
    for (uint32_t i = 0; i < sizeof results / sizeof *results; ++i)
        if (results[i] != KEEL_ERROR_SHARED)
            fail_msg("call %u: %s", (unsigned)i, keel_result_text(results[i]));
    assert_int_equal(keel_get(f.world, e, Number)->value, 1); // reading goes on
    assert_error(f.world, KEEL_ERROR_SHARED, "shared");
    assert_int_equal(keel_share_end(f.world), KEEL_OK);
    assert_same_text(world_text(f.world, (const keel_component *[]){ KEEL_UNIQUE_OF(Time), NULL }),
                     before);
    api_end(&f);
}

static void shared_mode_nests_and_ends(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    assert_int_equal(keel_share_end(f.world), KEEL_ERROR_ARGUMENT);
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "keel_share_begin");
    keel_view view = open_view(f.world, KEEL_TERMS(KEEL_READ(Number, n)));
    assert_int_equal(keel_share_begin(f.world), KEEL_ERROR_BORROWED);
    assert_error(f.world, KEEL_ERROR_BORROWED, "a test's view");
    keel_view_end(&view);
    assert_int_equal(keel_share_begin(f.world), KEEL_OK);
    assert_int_equal(keel_share_begin(f.world), KEEL_OK);
    view = open_view(f.world, KEEL_TERMS(KEEL_READ(Number, n)));
    assert_int_equal(keel_share_begin(f.world), KEEL_OK); // nested: views may be open
    assert_int_equal(keel_share_end(f.world), KEEL_OK);
    assert_int_equal(keel_share_end(f.world), KEEL_OK);
    assert_int_equal(keel_share_end(f.world), KEEL_ERROR_BORROWED); // shared mode goes on
    assert_error(f.world, KEEL_ERROR_BORROWED, "a test's view");
    assert_true(keel_is_null(keel_add_entity(f.world)));
    assert_error(f.world, KEEL_ERROR_SHARED, NULL);
    keel_view_end(&view);
    assert_int_equal(keel_share_end(f.world), KEEL_OK);
    assert_false(keel_is_null(keel_add_entity(f.world)));
    api_end(&f);
}

static void share_and_end(const keel_change *event, void *data) {
    keel_result *results = data;
    results[0] = keel_share_begin(event->world);
    results[1] = keel_share_end(event->world);
}

// The edit that calls the observer is half done.
static void an_observer_cannot_share_the_world(void **state) {
    (void)state;
    api_fixture f;
    keel_result results[2] = { KEEL_OK, KEEL_OK };
    api_begin(&f);
    assert_int_equal(keel_observe(f.world, Number, KEEL_ON_INSERTED, share_and_end, results),
                     KEEL_OK);
    assert_false(keel_is_null(keel_add_entity(f.world, KEEL_INIT(Number))));
    assert_int_equal(results[0], KEEL_ERROR_SHARED);
    assert_int_equal(results[1], KEEL_ERROR_ARGUMENT);
    assert_false(keel_is_null(keel_add_entity(f.world))); // edits go on
    api_end(&f);
}

static void what_the_world_does_not_know_matches_nothing(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    assert_int_equal(keel_share_begin(f.world), KEEL_OK);
    ASSERT_VISITS_NONE(f.world, KEEL_TERMS(KEEL_READ(Third, t), KEEL_ENTITY(x)));
    ASSERT_VISITS_NONE(f.world,
                       KEEL_TERMS(KEEL_READ(Number, n), KEEL_WITH(Frozen), KEEL_ENTITY(x)));
    ASSERT_VISITS_NONE(f.world, KEEL_TERMS(KEEL_ANY_OF(Third, Frozen), KEEL_ENTITY(x)));
    ASSERT_VISITS(f.world, KEEL_TERMS(KEEL_ANY_OF(Third, Number), KEEL_ENTITY(x)), e);
    ASSERT_VISITS(f.world, KEEL_TERMS(KEEL_READ(Number, n), KEEL_WITHOUT(Third), KEEL_ENTITY(x)),
                  e);
    keel_view view =
        open_view(f.world, KEEL_TERMS(KEEL_WRITE(Number, n), KEEL_OPTIONAL_READ(Third, t)));
    keel_span span;
    assert_int_equal(keel_view_get_all(&view, e, &span), KEEL_OK);
    assert_null(keel_span_read(&span, Third));
    keel_view_end(&view);
    // neither an unknown unique nor the wrong kind is anything else than outside shared mode
    assert_no_view(f.world, KEEL_TERMS(KEEL_UNIQUE_READ(Number, n)), KEEL_ERROR_MISSING_UNIQUE,
                   "Number");
    const keel_term wrong[] = { { .kind = KEEL_TERM_UNIQUE_READ, .component = KEEL_OF(Third) },
                                { .kind = KEEL_TERM_END } };
    assert_no_view(f.world, wrong, KEEL_ERROR_ARGUMENT, "Third");
    assert_int_equal(keel_share_end(f.world), KEEL_OK);
    assert_null(keel_find_component(f.world, "Third")); // nothing was learnt
    api_end(&f);
}

// ------------------------------------------------------------------ threads
enum { THREADS = 4, ROUNDS = 300, ENTITIES = 300 };

typedef struct reader {
    keel_world *world;
    const keel_entity *entities;
    uint64_t sum;
    uint32_t wrong, refused, written;
    pthread_t thread;
} reader;

static uint64_t sum_by_walk(const keel_view *view) {
    uint64_t sum = 0;
    keel_iterator walk;
    keel_span span;
    if (keel_iterator_begin(&walk, view) != KEEL_OK) return 0;
    while (keel_iterator_next_span(&walk, &span))
        for (uint32_t i = 0; i < span.count; ++i)
            sum += keel_span_read(&span, Number)[i].value + keel_span_read(&span, Other)[i].value;
    return sum;
}

static void write_third(reader *r, uint32_t round) {
    keel_view view;
    const keel_result result = keel_view_begin(&view, r->world, KEEL_TERMS(KEEL_WRITE(Third, t)),
                                               "a writer among threads");
    if (result == KEEL_ERROR_BORROWED) ++r->refused;
    else if (result != KEEL_OK) ++r->wrong;
    Third *t = keel_get_mut(&view, r->entities[round % ENTITIES], Third);
    if ((t != NULL) != (result == KEEL_OK)) ++r->wrong;
    if (t) ++t->value, ++r->written;
    keel_view_end(&view);
}

static void *read_much(void *argument) {
    reader *r = argument;
    for (uint32_t round = 0; round < ROUNDS; ++round) {
        keel_view view;
        if (keel_view_begin(&view, r->world,
                            KEEL_TERMS(KEEL_READ(Number, n), KEEL_READ(Other, o), KEEL_ENTITY(e)),
                            "a reader") != KEEL_OK) {
            ++r->wrong;
            continue;
        }
        r->sum += sum_by_walk(&view);
        if (keel_view_count(&view) != ENTITIES / 3) ++r->wrong;
        const uint32_t at = round % ENTITIES;
        if (keel_get(&view, r->entities[at], Number)->value != at) ++r->wrong;
        if (keel_view_contains(&view, r->entities[at]) != (at % 3 == 0)) ++r->wrong;
        if (keel_has(r->world, r->entities[at], Other) != (at % 3 == 0)) ++r->wrong;
        write_third(r, round);
        keel_view_end(&view);
    }
    return NULL;
}

// Each addition to Third was made alone, so none is lost.
static void check_threads(keel_world *world, const reader *readers) {
    uint64_t written = 0, counted = 0;
    for (uint32_t i = 0; i < THREADS; ++i) {
        assert_int_equal(readers[i].wrong, 0);
        assert_int_equal(readers[i].written + readers[i].refused, ROUNDS);
        assert_true(readers[i].sum == readers[0].sum);
        written += readers[i].written;
    }
    KEEL_EACH(world, KEEL_READ(Third, t))
        counted += t->value;
    assert_true(written == counted);
    assert_true(readers[0].sum == (uint64_t)ROUNDS * (3 * (99 * 100 / 2) + 100 * 7));
}

static void threads_read_one_world(void **state) {
    (void)state;
    api_fixture f;
    api_begin_with(&f, (keel_world_desc){ .on_misuse = KEEL_MISUSE_RETURN, .log = keel_log_none });
    keel_entity e[ENTITIES];
    for (uint32_t i = 0; i < ENTITIES; ++i) {
        e[i] = keel_add_entity(f.world, KEEL_INIT(Number, { i }), KEEL_INIT(Third));
        if (i % 3 == 0) keel_add(f.world, e[i], Other, { 7 });
    }
    assert_int_equal(keel_share_begin(f.world), KEEL_OK);
    reader readers[THREADS];
    for (uint32_t i = 0; i < THREADS; ++i) {
        readers[i] = (reader){ .world = f.world, .entities = e };
        assert_int_equal(pthread_create(&readers[i].thread, NULL, read_much, &readers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_join(readers[i].thread, NULL), 0);
    assert_int_equal(keel_share_end(f.world), KEEL_OK);
    check_threads(f.world, readers);
    const keel_error error = *keel_first_error(f.world);
    keel_clear_errors(f.world);
    assert_true(error.result == KEEL_OK || error.result == KEEL_ERROR_BORROWED);
    api_end(&f);
}

// ------------------------------------------------------------------ whose view it is
typedef struct Bundle {
    keel_view numbers;
} Bundle;
KEEL_CUSTOM_VIEW(Bundle, KEEL_VIEW(numbers, KEEL_READ(Number, n)));
typedef struct foreign {
    keel_world *world;
    keel_view view;
    Bundle *bundle;
    keel_result result;
} foreign;

static void *end_others(void *argument) {
    foreign *of = argument;
    keel_view_end(&of->view);
    of->result = keel_custom_end(of->world, of->bundle);
    return NULL;
}

static void run_in_thread(void *(*run)(void *), void *argument) {
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run, argument), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void whoever_began_a_view_ends_it(void **state) {
    (void)state;
    api_fixture f;
    Bundle bundle;
    api_begin(&f);
    (void)keel_add_entity(f.world, KEEL_INIT(Number, { 1 }));
    assert_int_equal(keel_share_begin(f.world), KEEL_OK);
    foreign of = { .world = f.world, .bundle = &bundle };
    of.view = open_view(f.world, KEEL_TERMS(KEEL_READ(Number, n)));
    keel_view mine = of.view;
    assert_int_equal(keel_custom_begin(f.world, Bundle, &bundle), KEEL_OK);
    run_in_thread(end_others, &of);
    assert_int_equal(of.result, KEEL_ERROR_THREAD);
    assert_error(f.world, KEEL_ERROR_THREAD, "'a test's view' is ended in another thread");
    assert_int_equal(keel_view_count(&mine), 1); // still open
    assert_int_equal(keel_view_count(&bundle.numbers), 1);
    assert_int_equal(keel_custom_end(f.world, &bundle), KEEL_OK);
    keel_view_end(&mine);
    assert_int_equal(keel_share_end(f.world), KEEL_OK);
    // a world that is handed over takes its views along
    of.view = open_view(f.world, KEEL_TERMS(KEEL_WRITE(Number, n)));
    assert_int_equal(keel_custom_begin(f.world, Bundle, &bundle), KEEL_ERROR_BORROWED);
    keel_clear_errors(f.world);
    keel_view_end(&of.view);
    of.view = open_view(f.world, KEEL_TERMS(KEEL_READ(Number, n)));
    assert_int_equal(keel_custom_begin(f.world, Bundle, &bundle), KEEL_OK);
    run_in_thread(end_others, &of);
    assert_int_equal(of.result, KEEL_OK);
    assert_no_error(f.world);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(shared_mode_refuses_structural_edits, "shared mode refuses every structural edit"),
    TEST(shared_mode_nests_and_ends, "shared mode nests, and ends when no view is open"),
    TEST(an_observer_cannot_share_the_world, "an observer cannot begin or end shared mode"),
    TEST(what_the_world_does_not_know_matches_nothing,
         "in shared mode an unknown component matches nothing"),
    TEST(whoever_began_a_view_ends_it, "while threads share a world, each ends its own views"),
    // proves S-3 S-4
    TEST(threads_read_one_world, "threads read one world, and write one at a time"),
};
int main(void) { return RUN(tests); }
