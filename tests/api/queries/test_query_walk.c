// SPDX-License-Identifier: MIT
// keel::query: walks that are cut into slices, worlds that change between slices, what an open walk
// borrows, memory that runs out, and what is told about a query.
// wraps: malloc calloc realloc aligned_alloc
#define _POSIX_C_SOURCE 200809L
#include "support/failing_malloc.h"
#include "support/query_world.h"

#include <keel_query.h>

// ------------------------------------------------------------------ memory that runs out
static size_t mallocs = SIZE_MAX; // that succeed before all others fail
static bool fails(void) { return mallocs == 0 || (mallocs != SIZE_MAX && mallocs-- == 0); }

static keel_query *parsed(query_world *w, const char *text) {
    keel_query *query;
    keel_query_error error;
    if (keel_query_parse(w->world, text, &query, &error) < 0) fail_msg("%s", error.message);
    return query;
}

static void parsing_needs_memory_and_says_so(void **state) {
    static const char text[] = "Turret.raw = \"00ff\", Turret.slots = \"[1, 2, 3]\", Boss";
    query_world w;
    size_t count = 0;
    keel_result result;
    (void)state;
    query_world_begin(&w);
    do {
        keel_query *query;
        keel_query_error error;
        mallocs = count;
        result = keel_query_parse(w.world, text, &query, &error);
        mallocs = SIZE_MAX;
        assert_true(result == KEEL_OK || (result == KEEL_ERROR_MEMORY && !query));
        if (result < 0) assert_non_null(strstr(error.message, "out of memory"));
        keel_query_destroy(query);
        ++count;
    } while (result < 0);
    assert_int_equal(count, 4); // the query and two values
    query_world_end(&w);
}

// Lets each allocation of a walk fail in turn, those of the world, too.
static void walks_need_memory_and_say_so(void **state) {
    query_world w;
    keel_query *query;
    (void)state;
    query_world_begin(&w);
    query = parsed(&w, "Position, !Frozen");
    for (int own = 0; own < 2; ++own) {
        keel_result result;
        size_t count = 0;
        do {
            keel_query_walk walk;
            keel_entity e;
            if (own) mallocs = count;
            else counting_allocator_fail_after(&w.f.memory, count);
            result = keel_query_begin(&walk, query, NULL);
            mallocs = SIZE_MAX;
            counting_allocator_never_fail(&w.f.memory);
            assert_true(result == KEEL_OK || result == KEEL_ERROR_MEMORY);
            assert_true(keel_query_next(&walk, &e) == (result == KEEL_OK));
            keel_query_end(&walk);
            assert_ok(keel_add(w.world, w.one, Position, { 1, 2 })); // nothing stays borrowed
            ++count;
        } while (result < 0);
        if (own) assert_int_equal(count, 2);
    }
    keel_clear_errors(w.world);
    keel_query_destroy(query);
    query_world_end(&w);
}

// ------------------------------------------------------------------ slices
enum { MANY = 3000 };

// Walks a query in slices, and adds the indices of all entities that it finds. Returns how many.
static uint32_t in_slices(query_world *w, const char *text, uint32_t max_visits, uint32_t *found) {
    keel_query *query = parsed(w, text);
    keel_query_slice slice = { .max_visits = max_visits };
    keel_query_walk walk;
    keel_entity e;
    uint32_t count = 0;
    do {
        assert_ok(keel_query_begin(&walk, query, &slice));
        while (keel_query_next(&walk, &e)) {
            assert_true(keel_is_same(walk.after, e));
            found[count++] = keel_entity_index(e);
        }
        assert_true(!max_visits || walk.visits <= max_visits);
        assert_true(walk.is_finished || walk.visits == max_visits);
        slice.after = walk.after;
    } while (!walk.is_finished);
    keel_query_destroy(query);
    return count;
}

static void add_many(query_world *w) {
    for (uint32_t i = 0; i < MANY; ++i) {
        const keel_entity e = keel_add_entity(w->world, KEEL_INIT(Health, { (float)(i % 100), 0 }));
        if (i % 3 == 0) keel_add(w->world, e, Position, { i, 0 });
        if (i % 7 == 0) keel_attach(w->world, e, w->fleet);
        if (i % 11 == 0) keel_relate(w->world, e, Likes, w->port);
        if (i % 5 == 0) keel_delete_entity(w->world, e);
    }
}

static void slices_of_every_length_find_the_same(void **state) {
    static const char *const texts[] = { "Health.points < 40", "Position, Health.points < 40",
                                         "!Position",          "child of \"fleet\"",
                                         "Likes -> \"port\"",  "below \"fleet\", Position",
                                         "#1v0 -> Likes",      "#1500v1, Health",
                                         "name ~ \"*\"" };
    static const uint32_t lengths[] = { 1, 2, 3, 5, 8, 100, 1023, 1024, 1025, 2999, 100000 };
    static uint32_t whole[MANY + 100], sliced[MANY + 100];
    query_world w;
    (void)state;
    query_world_begin(&w);
    add_many(&w);
    for (size_t t = 0; t < sizeof texts / sizeof *texts; ++t) {
        const uint32_t count = in_slices(&w, texts[t], 0, whole);
        for (uint32_t i = 1; i < count; ++i)
            assert_true(whole[i - 1] < whole[i]);
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; ++k) {
            assert_int_equal(in_slices(&w, texts[t], lengths[k], sliced), count);
            assert_memory_equal(sliced, whole, count * sizeof *whole);
        }
    }
    for (uint32_t length = 1; length < 12; ++length) { // in a small world each length
        query_world small;
        query_world_begin(&small);
        assert_int_equal(in_slices(&small, "!Frozen, ?Boss", length, sliced), 7);
        assert_int_equal(in_slices(&small, "Position", length, sliced), 3);
        assert_int_equal(sliced[2], 6);
        query_world_end(&small);
    }
    query_world_end(&w);
}

static void few_entities_lead(void **state) {
    query_world w;
    keel_query_walk walk;
    keel_entity e;
    (void)state;
    query_world_begin(&w);
    add_many(&w);
    static const struct {
        const char *text;
        uint32_t visits;
    } cases[] = { { "Boss", 1 },
                  { "Boss, Health", 1 },
                  { "#2v0", 1 },
                  { "Turret.mood = ANGRY", 2 },
                  { "#1v0 -> Likes", 2 },
                  { "Likes -> #2v0", 2 },
                  { "below \"port\"", 1 },
                  { "Note", 0 },
                  { "#2v7", 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        keel_query *query = parsed(&w, cases[i].text);
        assert_ok(keel_query_begin(&walk, query, NULL));
        while (keel_query_next(&walk, &e))
            continue;
        assert_true(walk.is_finished);
        assert_int_equal(walk.visits, cases[i].visits);
        keel_query_destroy(query);
    }
    keel_query *query = parsed(&w, "!Boss");
    assert_ok(keel_query_begin(&walk, query, NULL));
    while (keel_query_next(&walk, &e))
        continue;
    assert_int_equal(walk.visits, keel_entity_count(w.world));
    keel_query_destroy(query);
    query_world_end(&w);
}

static void the_world_may_change_between_slices(void **state) {
    query_world w;
    keel_query_walk walk;
    keel_entity e;
    (void)state;
    query_world_begin(&w);
    add_many(&w);
    keel_query *queries[] = { parsed(&w, "Health.points < 90, !Frozen"),
                              parsed(&w, "child of \"fleet\""), parsed(&w, "Likes -> *, Position"),
                              parsed(&w, "name ~ \"*\"") };
    uint64_t seed = 1;
    for (int q = 0; q < 4; ++q) {
        keel_query_slice slice = { .max_visits = 50 };
        uint32_t last = 0, rounds = 0;
        do {
            assert_ok(keel_query_begin(&walk, queries[q], &slice));
            for (bool is_first = keel_is_null(slice.after); keel_query_next(&walk, &e);
                 is_first = false) {
                assert_true(is_first || keel_entity_index(e) > last);
                last = keel_entity_index(e);
            }
            slice.after = walk.after;
            if (rounds % 2) keel_delete_entity(w.world, walk.after); // a stale place to go on from
            for (int i = 0; i < 20; ++i) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                const keel_entity at = keel_entity_at(w.world, (uint32_t)(seed >> 40) % MANY);
                if (i % 4 == 0) keel_delete_entity(w.world, at);
                else if (i % 4 == 1) (void)keel_add_entity(w.world, KEEL_INIT(Health));
                else if (keel_is_alive(w.world, at)) keel_attach(w.world, at, w.bare);
            }
            if (rounds == 5) keel_world_trim(w.world);
        } while (!walk.is_finished && ++rounds < 10000);
        assert_true(walk.is_finished);
        keel_query_destroy(queries[q]);
    }
    keel_clear_errors(w.world);
    query_world_end(&w);
}

static void a_walk_goes_on_behind_any_handle(void **state) {
    query_world w;
    keel_query_walk walk;
    keel_entity e;
    (void)state;
    query_world_begin(&w);
    static const char *const texts[] = { "Position", "!Frozen", "#6v0" };
    const keel_entity places[] = { keel_entity_make(2, 77), keel_entity_make(2, 0) };
    for (size_t i = 0; i < 3; ++i) {
        keel_query *query = parsed(&w, texts[i]);
        for (int k = 0; k < 2; ++k) { // the version does not matter
            assert_ok(keel_query_begin(&walk, query, &(keel_query_slice){ .after = places[k] }));
            assert_true(keel_query_next(&walk, &e));
            assert_int_equal(keel_entity_index(e), i == 1 ? 3 : 6);
            keel_query_end(&walk);
        }
        const keel_entity end = keel_entity_make(KEEL_MAX_ENTITY_INDEX, 0);
        assert_ok(keel_query_begin(&walk, query, &(keel_query_slice){ .after = end }));
        assert_false(keel_query_next(&walk, &e));
        assert_true(walk.is_finished);
        keel_query_destroy(query);
    }
    query_world_end(&w);
}

// ------------------------------------------------------------------ what is borrowed
static void an_open_walk_borrows(void **state) {
    query_world w;
    keel_query_walk walk, second;
    keel_entity e;
    keel_view view;
    (void)state;
    query_world_begin(&w);
    keel_query *query = parsed(&w, "Position, name ~ \"*\"");
    const keel_term writes[] = { { .kind = KEEL_TERM_WRITE, .component = &KEEL_COMPONENT_Position },
                                 { .kind = KEEL_TERM_END } };
    assert_ok(keel_view_begin(&view, w.world, writes, "the writer"));
    assert_int_equal(keel_query_begin(&walk, query, NULL), KEEL_ERROR_BORROWED);
    assert_non_null(strstr(keel_last_error(w.world)->message, "the writer"));
    assert_false(keel_query_next(&walk, &e));
    keel_view_end(&view);
    keel_clear_errors(w.world);

    assert_ok(keel_query_begin(&walk, query, NULL));
    assert_ok(keel_query_begin(&second, query, NULL));
    assert_true(keel_query_next(&walk, &e));
    assert_int_equal(keel_delete(w.world, e, Position), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_delete_entity(w.world, e), KEEL_ERROR_BORROWED);
    assert_int_equal(keel_set_name(w.world, e, "new"), KEEL_ERROR_BORROWED);
    keel_query_end(&walk);
    assert_int_equal(keel_delete_entity(w.world, e), KEEL_ERROR_BORROWED);
    keel_query_end(&second);
    keel_query_end(&second);
    assert_ok(keel_delete_entity(w.world, e));
    keel_clear_errors(w.world);
    keel_query_destroy(query);
    query_world_end(&w);
}

static keel_query *asked;
static keel_result answer;
KEEL_SYSTEM(ask, KEEL_WRITE(Position, p), KEEL_ENTITY(e)) {
    keel_query_walk walk;
    (void)p, (void)e;
    answer = keel_query_begin(&walk, asked, NULL);
    keel_query_end(&walk);
}

static void a_system_that_writes_is_in_the_way(void **state) {
    query_world w;
    (void)state;
    query_world_begin(&w);
    asked = parsed(&w, "Health, Position");
    (void)keel_run(w.world, ask);
    assert_int_equal(answer, KEEL_ERROR_BORROWED);
    assert_non_null(strstr(keel_last_error(w.world)->message, "ask"));
    keel_query_destroy(asked);
    asked = parsed(&w, "Health");
    keel_clear_errors(w.world);
    (void)keel_run(w.world, ask);
    assert_int_equal(answer, KEEL_OK);
    keel_query_destroy(asked);
    assert_no_error(w.world);
    query_world_end(&w);
}

static void entities_that_die_in_a_walk_are_not_found(void **state) {
    query_world w;
    keel_query_walk walk;
    keel_entity e;
    (void)state;
    query_world_begin(&w);
    add_many(&w);
    keel_query *query = parsed(&w, "any(Boss|Note), ?Boss");
    assert_ok(keel_query_begin(&walk, query, NULL));
    assert_ok(keel_delete_entity(w.world, w.one)); // has none of the components
    assert_true(keel_query_next(&walk, &e));
    assert_true(keel_is_same(e, w.odd));
    keel_query_end(&walk);
    keel_query_destroy(query);
    query = parsed(&w, "#4v0, !Boss");
    assert_ok(keel_query_begin(&walk, query, NULL));
    keel_delete(w.world, keel_null(), Health);
    assert_ok(keel_delete_entity(w.world, w.port));
    assert_false(keel_query_next(&walk, &e));
    keel_query_destroy(query);
    query_world_end(&w);
}

static void a_destroyed_query_ends_its_walks(void **state) {
    query_world w;
    keel_query_walk walk;
    keel_entity e;
    (void)state;
    query_world_begin(&w);
    keel_query *query = parsed(&w, "Position");
    assert_ok(keel_query_begin(&walk, query, NULL));
    assert_true(keel_query_next(&walk, &e));
    keel_query_destroy(query);
    assert_false(keel_query_next(&walk, &e));
    assert_false(walk.is_finished);
    assert_ok(keel_delete_entity(w.world, w.one)); // nothing stays borrowed
    query = parsed(&w, "Health");
    query_world_end(&w);
    keel_query_destroy(query); // behind the world
}

static void components_may_be_unregistered(void **state) {
    query_world w;
    keel_query_walk walk;
    char text[200];
    (void)state;
    query_world_begin(&w);
    static const keel_field wide[] = {
        { .name = "points", .type = KEEL_FIELD_F64, .offset = 0, .count = 1 }
    };
    static const keel_field other[] = {
        { .name = "points", .type = KEEL_FIELD_U64, .offset = 0, .count = 1 }
    };
    keel_component made = {
        .name = "Made", .size = 8, .align = 8, .fields = wide, .field_count = 1
    };
    const keel_component *known = keel_register_component(w.world, &made);
    keel_query *query = parsed(&w, "?Boss, Made.points = 0, Likes -> *, Note");
    assert_int_equal(keel_query_component_count(query), 4);
    assert_ptr_equal(keel_query_component(query, 1), known);
    assert_ok(keel_unregister_component(w.world, known));
    assert_int_equal(keel_query_begin(&walk, query, NULL), KEEL_ERROR_UNKNOWN);
    assert_null(keel_query_component(query, 1));
    assert_true(keel_query_explain(query, text, sizeof text) > 0);
    for (int i = 0; i < 3; ++i) { // another component of this name, perhaps at the same address
        made.fields = other;
        known = keel_register_component(w.world, &made);
        assert_int_equal(keel_query_begin(&walk, query, NULL), KEEL_ERROR_UNKNOWN);
        assert_true(keel_query_explain(query, text, sizeof text) > 0);
        assert_ok(keel_unregister_component(w.world, known));
    }
    keel_query_destroy(query);
    query_world_end(&w);
}

// ------------------------------------------------------------------ what is told
static void a_query_is_explained(void **state) {
    static const char expected[] =
        "looks at entities of DockedAt -> \"port/dock 3\" (1), by ascending index\n"
        "? Boss: names a component that need not be there\n"
        "!#9v0: not: is the entity #9v0, which is not alive\n"
        "Health.points < 10: has the component, and compares a field: a real number\n"
        "any(Boss | Frozen): has one of the components\n"
        "DockedAt -> \"port/dock 3\": is a source of #5v0 \"dock 3\"\n";
    query_world w;
    char text[600], part[20];
    (void)state;
    query_world_begin(&w);
    keel_query *query = parsed(
        &w, "Health.points < 10 , DockedAt -> \"port/dock 3\",any(Boss | Frozen), ? Boss, !#9v0 ");
    const size_t length = keel_query_explain(query, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
    assert_int_equal(keel_query_explain(query, part, sizeof part), length);
    assert_memory_equal(part, expected, sizeof part - 1);
    assert_int_equal(part[sizeof part - 1], 0);
    assert_int_equal(keel_query_explain(query, NULL, 0), length);
    keel_query_destroy(query);
    query_world_end(&w);
}

static void components_are_listed_for_columns(void **state) {
    query_world w;
    (void)state;
    query_world_begin(&w);
    keel_query *query =
        parsed(&w, "!Frozen, ?Note, Health.level > 0, Health, any(Boss|Turret), !Position, "
                   "Position changed, child of #0v0, Likes -> *");
    static const char *const names[] = { "Note", "Health", "Boss", "Turret", "Position", "Likes" };
    assert_int_equal(keel_query_component_count(query), 6);
    for (uint32_t i = 0; i < 6; ++i)
        assert_string_equal(keel_query_component(query, i)->name, names[i]);
    assert_null(keel_query_component(query, 6));
    assert_null(keel_query_component(query, UINT32_MAX));
    keel_query_destroy(query);
    query_world_end(&w);
}

static const struct CMUnitTest tests[] = {
    TEST(parsing_needs_memory_and_says_so, "parsing without memory changes nothing"),
    TEST(walks_need_memory_and_say_so, "a walk without memory borrows nothing"),
    TEST(slices_of_every_length_find_the_same, "slices of every length find the same"),
    TEST(few_entities_lead, "a term that few entities match leads"),
    TEST(the_world_may_change_between_slices, "the world may change between slices"),
    TEST(a_walk_goes_on_behind_any_handle, "a slice goes on behind any handle, also a stale one"),
    TEST(an_open_walk_borrows, "an open walk borrows what it reads"),
    TEST(a_system_that_writes_is_in_the_way, "a system that writes is in the way of a walk"),
    TEST(entities_that_die_in_a_walk_are_not_found, "entities that die in a walk are not found"),
    TEST(a_destroyed_query_ends_its_walks, "a destroyed query ends its walks"),
    TEST(components_may_be_unregistered, "a query notices that a component is another one"),
    TEST(a_query_is_explained, "a query is explained"),
    TEST(components_are_listed_for_columns, "the components of a query are listed"),
};
int main(void) { return RUN(tests); }
