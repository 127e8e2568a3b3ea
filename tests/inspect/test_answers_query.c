// SPDX-License-Identifier: MIT
// What the inspector answers to queries, compared with the walk of keel::query: rows, columns,
// counts, pages, errors with their columns, and slices while the world changes.
#include "look.h"
#include "support/test.h"

#include <keel_query.h>

#include <stdio.h>
#include <string.h>

typedef struct Place {
    float x, y;
} Place;
KEEL_FIELDS(Place, x, y);
KEEL_COMPONENT(Place, KEEL_HAS_FIELDS(Place), .tracking = KEEL_TRACK_ALL);
typedef struct Fuel {
    uint32_t left;
    char kind[8];
    uint32_t secret;
} Fuel;
KEEL_FIELDS(Fuel, left, kind, KEEL_FIELD(secret, .hidden = true));
KEEL_COMPONENT(Fuel, KEEL_HAS_FIELDS(Fuel), .storage = KEEL_ARCHETYPE);
KEEL_TAG(Asleep);
KEEL_RELATION(Follows, .exclusive = true);
typedef struct Dock {
    int32_t berth;
} Dock;
KEEL_FIELDS(Dock, berth);
KEEL_VALUED_RELATION(Dock, .exclusive = true, KEEL_HAS_FIELDS(Dock));
typedef struct Grip {
    int32_t force;
} Grip;
KEEL_FIELDS(Grip, force);
KEEL_VALUED_RELATION(Grip, KEEL_HAS_FIELDS(Grip));
typedef struct Score {
    int64_t points;
} Score;
KEEL_FIELDS(Score, points);
KEEL_UNIQUE(Score, KEEL_HAS_FIELDS(Score));
typedef struct Hit {
    int32_t damage;
} Hit;
KEEL_FIELDS(Hit, damage);
KEEL_EVENT(Hit, KEEL_HAS_FIELDS(Hit));

static void begin(look *l, double budget) {
    *l = (look){ .world = keel_world_create(
                     &(keel_world_desc){ .log = keel_log_none, .worker_count = 1 }) };
    keel_register(l->world, Place, Fuel, Asleep, Follows, Dock, Grip);
    keel_set_unique(l->world, Score, { 12 });
    keel_send(l->world, Hit, { 1 });
    look_begin(l, &(keel_inspect_desc){ .budget = budget });
}

static void populate(look *l, int count) {
    keel_entity first = keel_null();
    for (int i = 0; i < count; ++i) {
        char name[24];
        const keel_entity e = keel_add_entity(l->world, KEEL_INIT(Place, { (float)i, -1.5f }));
        (void)snprintf(name, sizeof name, "ship \"%d\"", i);
        if (i % 2) keel_set_name(l->world, e, name);
        if (i % 3 == 0) keel_add(l->world, e, Fuel, { (uint32_t)i % 50, "di\"sel", 9 });
        if (i % 4 == 0) keel_add(l->world, e, Asleep);
        if (i == 0) first = e;
        else if (i % 5 == 0) keel_relate(l->world, e, Follows, first);
        if (i == 7) keel_relate(l->world, e, Dock, first, { 33 });
        if (i == 9) keel_relate(l->world, e, Grip, first, { 44 });
    }
    keel_delete_entity(l->world, keel_entity_at(l->world, (uint32_t)count / 2));
}

// Compares the rows of a page with the next entities of a walk, and moves the walk on.
static void rows_are(look *l, const json_t *page, keel_query_walk *walk,
                     const char *const *columns) {
    const json_t *rows = at(page, "rows");
    for (size_t r = 0; r < json_array_size(rows); ++r) {
        const json_t *row = json_array_get(rows, r);
        keel_entity e;
        assert_true(keel_query_next(walk, &e));
        assert_string_equal(text_at(row, "entity"), program_handle(e));
        assert_same_text(text_at(row, "name"), keel_name_of(l->world, e));
        size_t c = 0;
        for (; columns[c]; ++c) {
            char text[300];
            keel_field_place place;
            const bool is_place = !strncmp(columns[c], "Place", 5);
            const keel_component *component = is_place ? KEEL_OF(Place) : KEEL_OF(Fuel);
            const void *value = keel_get_component(l->world, e, component);
            assert_int_equal(keel_field_find(component, strchr(columns[c], '.') + 1, &place, NULL),
                             KEEL_OK);
            if (value) keel_field_print(&place, value, text, sizeof text);
            assert_same_text(json_string_value(json_array_get(at(row, "values"), c)),
                             value ? text : NULL);
        }
        assert_int_equal(count_at(row, "values"), c);
    }
}

// Asks for all pages of a query, and compares them with its own walk.
static void pages_are(look *l, const char *text, unsigned limit, const char *list,
                      const char *const *columns) {
    keel_query *query;
    keel_query_error error;
    keel_query_walk walk;
    keel_entity e;
    char after[48] = "";
    if (keel_query_parse(l->world, text, &query, &error) < 0) fail_msg("%s", error.message);
    keel_query_begin(&walk, query, NULL);
    for (bool finished = false; !finished;) {
        json_t *page = look_get(l, "query?text=%s&limit=%u%s%s%s", escaped(text), limit,
                                list ? "&columns=" : "", list ? list : "", after);
        assert_true(count_at(page, "rows") <= limit);
        for (size_t c = 0; columns[c]; ++c)
            assert_string_equal(json_string_value(json_array_get(at(page, "columns"), c)),
                                columns[c]);
        rows_are(l, page, &walk, columns);
        finished = bool_at(page, "finished");
        assert_int_equal(json_is_null(at(page, "next")), finished);
        if (!finished) (void)snprintf(after, sizeof after, "&after=%s", text_at(page, "next"));
        assert_false(bool_at(page, "moving"));
        json_decref(page);
    }
    assert_false(keel_query_next(&walk, &e));
    keel_query_end(&walk);

    uint64_t count = 0;
    keel_query_begin(&walk, query, NULL);
    while (keel_query_next(&walk, &e))
        ++count;
    json_t *page = look_get(l, "query?text=%s&count=1", escaped(text));
    assert_int_equal(number_at(page, "found"), count);
    assert_int_equal(count_at(page, "rows"), 0);
    assert_true(bool_at(page, "finished"));
    assert_int_equal(number_at(page, "visited"), walk.visits);
    json_decref(page);
    keel_query_destroy(query);
}

static void pages_are_the_walk(void **state) {
    static const unsigned limits[] = { 1, 10, 99, 1000 };
    static const char
        *const place[] = { "Place.x", "Place.y", NULL },
               *const fuel[] = { "Fuel.left", "Fuel.kind", NULL }, // not the hidden
                   *const both[] = { "Place.x", "Place.y", "Fuel.left", "Fuel.kind", NULL },
               *const listed[] = { "Fuel.secret", "Place.y", NULL }, *const none[] = { NULL };
    look l;
    (void)state;
    begin(&l, 1);
    pages_are(&l, "Place", 10, NULL, place);
    populate(&l, 211);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
        pages_are(&l, "Place", limits[i], NULL, place);
        pages_are(&l, "Fuel.left < 20, !Asleep", limits[i], NULL, fuel);
        pages_are(&l, "Place, ?Fuel", limits[i], NULL, both);
        pages_are(&l, "Asleep", limits[i], "Fuel.secret,Place.y", listed);
        pages_are(&l, "Follows -> *", limits[i], "", none);
        pages_are(&l, "name ~ \"ship \\\"1*\"", limits[i], "Fuel.secret,Place.y", listed);
    }
    look_end(&l);
}

static void columns_of_uniques_and_relations(void **state) {
    look l;
    (void)state;
    begin(&l, 1);
    populate(&l, 20);
    json_t *json = look_get(&l, "query?text=%s&columns=Score.points,Dock.berth", escaped("#7v0"));
    assert_int_equal(count_at(json, "rows"), 1);
    assert_string_equal(text_at(json, "rows.0.values.0"), "12");
    assert_string_equal(text_at(json, "rows.0.values.1"), "33");
    json_decref(json);
    // The value of a relation with several targets is none of the entity.
    json = look_get(&l, "query?text=%s&columns=Grip.force,Dock.berth", escaped("#9v0"));
    assert_same_text(text_at(json, "rows.0.values.0"), NULL);
    assert_same_text(text_at(json, "rows.0.values.1"), NULL);
    json_decref(json);
    look_end(&l);
}

static void mistakes_have_their_column(void **state) {
    static const char *const texts[] = {
        "Plaice",
        "Place, Fuel.lift < 3",
        "Place, ,",
        "Place Fuel",
        "Place.x < abc",
        "child of \"x\"",
        "Fuel.left",
        "Fuel < 3",
        "\"",
        "any(Place | Nothing)",
        "Asleep changed",
        "Place, Follows -> \"no such\"",
        "",
        "Place &\xff",
    };
    look l;
    (void)state;
    begin(&l, 1);
    populate(&l, 20);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        char path[1000];
        keel_query *query;
        keel_query_error error;
        answer a;
        assert_true(keel_query_parse(l.world, texts[i], &query, &error) < 0);
        (void)snprintf(path, sizeof path, "query?text=%s", escaped(texts[i]));
        look_ask(&l, (ask){ .path = path }, &a);
        json_t *json = json_loadb(a.body, a.length, 0, NULL);
        assert_int_equal(a.status, 400);
        assert_string_equal(text_at(json, "error.code"), "query");
        if (!strchr(texts[i], '\xff'))
            assert_string_equal(text_at(json, "error.message"), error.message);
        if (error.column) assert_int_equal(number_at(json, "error.column"), error.column);
        else assert_false(has(json, "error.column"));
        json_decref(json);
        answer_free(&a);
    }
    look_fails(&l, 400, "columns: ", "query?text=Place&columns=Place.z", NULL);
    look_fails(&l, 400, "columns: ", "query?text=Place&columns=Place.x,,Place.y", NULL);
    look_fails(&l, 400, "events", "query?text=Place&columns=Hit.damage", NULL);
    look_fails(&l, 400, "at most 16",
               "query?text=Place&columns=Place.x,Place.x,Place.x,Place.x,Place.x,Place.x,Place.x,"
               "Place.x,Place.x,Place.x,Place.x,Place.x,Place.x,Place.x,Place.x,Place.x,Place.x",
               NULL);
    look_fails(&l, 400, "limit", "query?text=Place&limit=1001", NULL);
    look_fails(&l, 400, "after", "query?text=Place&after=12", NULL);
    look_end(&l);
}

// ------------------------------------------------------------------ slices
static void slices_are_the_walk(void **state) {
    static const char *const both[] = { "Place.x", "Place.y", "Fuel.left", "Fuel.kind", NULL };
    look l;
    (void)state;
    begin(&l, 0.000001);
    populate(&l, 5000);
    pages_are(&l, "Place, ?Fuel", 700, NULL, both);
    look_end(&l);
}

static void many_entities_take_slices(void **state) {
    enum { MANY = 100000 };
    look l;
    (void)state;
    begin(&l, 0.0001);
    for (int i = 0; i < MANY; ++i)
        (void)keel_add_entity(l.world, KEEL_INIT(Place, { (float)i, 0 }));
    uint64_t found = 0, slices = 0;
    char after[48] = "";
    for (bool finished = false; !finished;) {
        json_t *page = look_get(&l, "query?text=%s&count=1%s", escaped("Place.y >= 0"), after);
        found += (uint64_t)number_at(page, "found");
        slices += (uint64_t)number_at(page, "frames");
        finished = bool_at(page, "finished");
        if (!finished) (void)snprintf(after, sizeof after, "&after=%s", text_at(page, "next"));
        json_decref(page);
    }
    assert_int_equal(found, MANY);
    assert_true(slices > 1);
    json_t *page = look_get(&l, "query?text=%s&limit=1000", escaped("Place.x >= 90000"));
    assert_true(count_at(page, "rows") <= 1000);
    json_decref(page);
    page = look_get(&l, "world");
    assert_true(number_at(page, "inspector.worst") < 500000000); // generous: machines pause
    json_decref(page);
    look_end(&l);
}

// Runs between two slices: the entities that were found go, others come behind.
static void shift(look *l) {
    const keel_entity first = keel_next_entity(l->world, keel_null());
    keel_delete_entity(l->world, first);
    for (int i = 0; i < 3; ++i)
        (void)keel_add_entity(l->world, KEEL_INIT(Place, { 1, 1 }));
}

static void the_world_changes_between_slices(void **state) {
    enum { MANY = 30000 };
    look l;
    (void)state;
    begin(&l, 0.00001);
    l.run = shift;
    for (int i = 0; i < MANY; ++i)
        (void)keel_add_entity(l.world, KEEL_INIT(Place, { (float)i, 0 }));
    look_does(&l, "play", "{}");
    bool moved = false;
    uint32_t last = 0;
    size_t rows = 0;
    char after[48] = "";
    for (bool finished = false; !finished;) {
        json_t *page = look_get(&l, "query?text=%s&limit=1000%s", escaped("Place.y >= 0"), after);
        moved = moved || bool_at(page, "moving");
        for (size_t i = 0; i < count_at(page, "rows"); ++i, ++rows) {
            const keel_entity e = handle_of(at(page, "rows.%zu.entity", i));
            if (rows) assert_true(keel_entity_index(e) > last); // each once, in order
            last = keel_entity_index(e);
        }
        finished = bool_at(page, "finished");
        if (!finished) (void)snprintf(after, sizeof after, "&after=%s", text_at(page, "next"));
        json_decref(page);
    }
    assert_true(moved);
    assert_true(rows > MANY / 2);
    look_does(&l, "pause", "{}");
    look_end(&l);
}

static void a_component_goes_between_slices(void **state) {
    look l;
    answer a;
    (void)state;
    begin(&l, 0.00001);
    for (int i = 0; i < 30000; ++i)
        (void)keel_add_entity(l.world, KEEL_INIT(Place, { (float)i, 0 }));
    const int fd = look_send(&l, (ask){ .path = "query?text=Place.x%20%3C%200&columns=Place.y" });
    (void)look_update(&l);
    assert_int_equal(keel_unregister_component(l.world, KEEL_OF(Place)), KEEL_OK);
    look_wait(&l, fd, &a);
    assert_int_equal(a.status, 400);
    assert_non_null(strstr(a.body, "\"error\""));
    answer_free(&a);
    // The same for a component that only a column names.
    for (int i = 0; i < 30000; ++i)
        (void)keel_add_entity(l.world, KEEL_INIT(Fuel, { .left = 1 }));
    const int columns =
        look_send(&l, (ask){ .path = "query?text=%21Asleep&columns=Fuel.left&limit=1000" });
    (void)look_update(&l);
    assert_int_equal(keel_unregister_component(l.world, KEEL_OF(Fuel)), KEEL_OK);
    look_wait(&l, columns, &a);
    assert_int_equal(a.status, 400);
    assert_non_null(strstr(a.body, "columns: "));
    answer_free(&a);
    look_end(&l);
}

static const struct CMUnitTest tests[] = {
    TEST(pages_are_the_walk, "all pages of a query have the rows of its walk, with all values"),
    TEST(columns_of_uniques_and_relations, "columns may be of uniques and relations"),
    TEST(mistakes_have_their_column, "mistakes in a query have their column"),
    TEST(slices_are_the_walk, "a query that is cut into slices has all rows once"),
    TEST(many_entities_take_slices, "a query of many entities is answered in slices"),
    TEST(the_world_changes_between_slices, "the world may change between two slices"),
    TEST(a_component_goes_between_slices, "a component may go between two slices"),
};
int main(void) { return RUN(tests); }
