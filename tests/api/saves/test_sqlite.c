// SPDX-License-Identifier: MIT
// keel::sqlite: worlds that are written and loaded are the same, what is in the tables can be
// asked, and frames make a time series.
#define _POSIX_C_SOURCE 200809L
#include "support/api_fixture.h"
#include "support/locale.h"
#include "support/sqlite_world.h"

#include <keel_sqlite.h>
#include <unistd.h>

static void random_worlds_come_back(void **state) {
    (void)state;
    for (uint64_t i = 0; i < test_rounds(60); ++i) {
        keel_world *from = random_world(i), *to = make_world();
        write_world(from, NULL);
        load_world(to);
        if (hash(from) != hash(to)) fail_msg("world %llu differs", (unsigned long long)i);
        assert_true(keel_world_check(to, NULL));
        for (keel_entity e = keel_null(); !keel_is_null(e = keel_next_entity(from, e));) {
            keel_entity a = keel_null(), b = keel_null();
            do { // the order of children and of targets, which the hash does not know
                a = a.bits ? keel_next_child(from, e, a) : keel_first_child(from, e);
                b = b.bits ? keel_next_child(to, e, b) : keel_first_child(to, e);
                assert_true(keel_is_same(a, b));
            } while (!keel_is_null(a));
            do {
                a = keel_next_target_component(from, e, KEEL_OF(Likes), a);
                b = keel_next_target_component(to, e, KEEL_OF(Likes), b);
                assert_true(keel_is_same(a, b));
            } while (!keel_is_null(a));
        }
        for (int n = 0; n < 12; ++n) // free handles come in the same order
            assert_true(keel_is_same(keel_add_entity(from), keel_add_entity(to)));
        keel_world_destroy(from);
        keel_world_destroy(to);
    }
}

// Not a number, negative zero, the largest numbers: in each type that has them.
static void odd_values_come_back(void **state) {
    (void)state;
    keel_world *from = make_world(), *to = make_world();
    const uint64_t bits[] = { 0x7ff8000000000001u, 0xfff0000000000001u, 0x8000000000000000u,
                              0x7ff0000000000000u, 0xfff0000000000000u, 1u,
                              0x7fefffffffffffffu };
    const uint32_t narrow[] = { 0x7fc00001u, 0xff800001u, 0x80000000u, 0x7f800000u,
                                0xff800000u, 1u,          0x7f7fffffu };
    for (int i = 0; i < 7; ++i) {
        All v;
        memset(&v, 0, sizeof v);
        memcpy(&v.real, &bits[i], 8);
        memcpy(&v.at[0].x, &narrow[i], 4);
        memcpy(&v.at[1].X, &narrow[6 - i], 4);
        v.h = i & 1 ? UINT64_MAX : (uint64_t)INT64_MAX + (uint64_t)i;
        v.g = i & 1 ? INT64_MIN : INT64_MAX;
        assert_int_equal(keel_add_component(from, keel_add_entity(from), KEEL_OF(All), &v),
                         KEEL_OK);
    }
    write_world(from, NULL);
    load_world(to);
    assert_true(hash(from) == hash(to));
    int i = 0;
    KEEL_EACH(to, KEEL_READ(All, a)) {
        uint64_t real;
        uint32_t x;
        memcpy(&real, &a->real, 8);
        memcpy(&x, &a->at[0].x, 4);
        assert_true(real == bits[i] && x == narrow[i]);
        ++i;
    }
    assert_int_equal(i, 7);
    assert_int_equal(ask("SELECT count(*) FROM \"All\" WHERE real < 1.5 AND typeof(real) = 'real'"),
                     3); // -0.0, -inf and the smallest are numbers, too
    assert_int_equal(ask("SELECT count(*) FROM \"All\" WHERE typeof(real) = 'text'"), 2);
    keel_world_destroy(from);
    keel_world_destroy(to);
}

// Not each number is stored as one: text is written and parsed, too.
static void locales_change_nothing(void **state) {
    begin_decimal_comma();
    odd_values_come_back(state);
    random_worlds_come_back(state);
    end_decimal_comma();
}

// Names that SQLite takes for the same, or for its own.
static void names_do_not_collide(void **state) {
    (void)state;
    keel_world *from = make_world(), *to = make_world();
    const keel_entity e =
        keel_add_entity(from, KEEL_INIT(pos, { 1, 2 }), KEEL_INIT(Pos, { 3, 4, 5, 6, 7, 8 }),
                        KEEL_INIT(sqlite_master, { 7 }), KEEL_INIT(keel_schema, { 8 }),
                        KEEL_INIT(Clock, { 9, keel_null() }));
    keel_set_unique(from, Clock, { 5, e });
    write_world(from, NULL);
    load_world(to);
    assert_true(hash(from) == hash(to));
    assert_int_equal(keel_get(to, e, Pos)->frame, 5);
    assert_int_equal(keel_get(to, e, pos)->x, 1);
    assert_int_equal(ask("SELECT x + 10 * X_2 FROM pos"), 21);
    assert_int_equal(ask("SELECT entity_2 + 10 * rowid + 100 * frame_2 FROM Pos_2"), 543);
    assert_int_equal(ask("SELECT source + 10 * target + 100 * position FROM Pos_2"), 876);
    assert_int_equal(ask("SELECT count(*) FROM keel_schema WHERE component = 'Pos' AND field = "
                         "'position' AND \"column\" = 'position'"),
                     1);
    assert_int_equal(ask("SELECT ticks FROM Clock_2"), 5);
    keel_world_destroy(from);
    keel_world_destroy(to);
}

static void what_is_in_the_tables(void **state) {
    (void)state;
    keel_world *world = make_world();
    const keel_entity gate = keel_add_entity(world), guard = keel_add_child(world, gate);
    All v = { .mood = ANGRY, .text = "abc", .who = gate, .at = { { 1, 2 }, { 3, 4 } } };
    keel_set_name(world, gate, "gate");
    keel_set_name(world, guard, "o'neil");
    keel_add_component(world, guard, KEEL_OF(All), &v);
    keel_relate(world, guard, Guards, gate, { 3 });
    keel_relate(world, guard, Likes, guard);
    keel_relate(world, guard, Likes, gate);
    write_world(world, NULL);
    assert_int_equal(ask("SELECT count(*) FROM \"All\" JOIN keel_entity g USING (frame, entity) "
                         "JOIN keel_entity t ON t.entity = who WHERE g.name = 'o''neil' AND t.name "
                         "= 'gate' AND g.parent = t.entity AND g.position = 0 AND text = 'abc' AND "
                         "\"at[1].x\" = 3 AND g.entity_index = 1 AND g.version = 0"),
                     1);
    assert_int_equal(ask("SELECT since FROM Guards JOIN keel_entity ON target = entity WHERE name "
                         "= 'gate'"),
                     3);
    assert_int_equal(
        ask("SELECT Likes.position FROM Likes JOIN keel_entity ON target = entity WHERE "
            "name = 'gate'"),
        1);
    assert_int_equal(ask("SELECT count(*) FROM \"All\" a JOIN keel_names n ON n.\"table\" = 'All' "
                         "AND n.\"column\" = 'mood' AND n.value = a.mood WHERE n.name = 'ANGRY'"),
                     1);
    assert_int_equal(
        ask("SELECT count(*) FROM keel_schema WHERE field = 'at[1].X' AND type = 'f32'"), 1);
    keel_world_destroy(world);
}

static void frames_are_a_time_series(void **state) {
    (void)state;
    keel_world *world = make_world(), *to = make_world();
    const keel_entity e = keel_add_entity(world, KEEL_INIT(Plain, { 0 }), KEEL_INIT(Row));
    uint64_t hashes[5];
    const keel_component *only[] = { KEEL_OF(Plain), NULL };
    for (int i = 0; i < 5; ++i) {
        keel_get_mut(world, e, Row)->at.x = (float)i;
        if (i == 3) keel_add_entity(world, KEEL_INIT(Row));
        hashes[i] = hash(world);
        const keel_sqlite_write_options how = { .frame = i * 10, .append = true };
        write_world(world, &how);
    }
    assert_int_equal(ask("SELECT sum(frame * \"at.x\") FROM Row JOIN keel_entity USING (frame, "
                         "entity) WHERE entity_index = 0"),
                     10 + 40 + 90 + 160);
    for (int i = 0; i < 5; ++i) {
        const keel_sqlite_load_options how = { .frame = i * 10,
                                               .at_frame = i != 4,
                                               .error = &error };
        assert_int_equal(keel_sqlite_load(to, path, &how), KEEL_OK);
        assert_true(hash(to) == hashes[i]);
        keel_world_destroy(to);
        to = make_world();
    }
    const keel_sqlite_load_options missing = { .frame = 15, .at_frame = true, .error = &error };
    assert_int_equal(keel_sqlite_load(to, path, &missing), KEEL_ERROR_UNKNOWN);
    assert_non_null(strstr(error.message, "no frame 15"));
    const keel_sqlite_write_options again = { .frame = 30, .append = true, .error = &error };
    assert_int_equal(keel_sqlite_write(world, path, &again), KEEL_ERROR_OCCUPIED);
    assert_int_equal(ask("SELECT count(*) FROM keel_frame"), 5);
    const keel_sqlite_write_options part = { .components = only, .error = &error };
    assert_int_equal(keel_sqlite_write(world, path, &part), KEEL_OK); // replaces all
    assert_int_equal(ask("SELECT count(*) FROM keel_frame"), 1);
    assert_int_equal(ask("SELECT count(*) FROM sqlite_schema WHERE name = 'Row'"), 0);
    assert_int_equal(ask("SELECT count(*) FROM Plain"), 1);
    keel_world_destroy(to);
    keel_world_destroy(world);
}

// ------------------------------------------------------------------ writers
static keel_sqlite_writer *open_writer(bool append) {
    const keel_sqlite_write_options how = { .append = append, .error = &error };
    keel_sqlite_writer *writer = keel_sqlite_writer_open(path, &how);
    if (!writer) fail_msg("%s", error.message);
    return writer;
}
static void assert_frame(int64_t frame, uint64_t expected) {
    keel_world *to = make_world();
    const keel_sqlite_load_options how = { .frame = frame, .at_frame = true, .error = &error };
    if (keel_sqlite_load(to, path, &how) != KEEL_OK) fail_msg("%s", error.message);
    assert_true(hash(to) == expected);
    keel_world_destroy(to);
}

static void a_writer_commits_frames_together(void **state) {
    (void)state;
    keel_world *world = random_world(3);
    uint64_t hashes[10];
    const keel_entity e = keel_add_entity(world, KEEL_INIT(Plain, { 0 }), KEEL_INIT(Row));
    for (int append = 0; append < 2; ++append) {
        const int first = append * 5, before = append ? 5 : 1;
        if (!append) write_world(world, NULL); // which is replaced
        keel_sqlite_writer *writer = open_writer(append);
        for (int i = first; i < first + 5; ++i) {
            keel_get_mut(world, e, Row)->at.x = (float)i;
            hashes[i] = hash(world);
            assert_int_equal(keel_sqlite_writer_add(writer, world, i), KEEL_OK);
            const int seen = i < first + 3 ? before : first + 3;
            assert_int_equal(ask("SELECT count(*) FROM keel_frame"), seen);
            if (i == first + 2) assert_int_equal(keel_sqlite_writer_commit(writer), KEEL_OK);
        }
        assert_int_equal(ask("SELECT count(*) FROM keel_frame"), first + 3);
        assert_int_equal(keel_sqlite_writer_close(writer), KEEL_OK);
    }
    for (int i = 0; i < 10; ++i)
        assert_frame(i, hashes[i]);
    keel_world_destroy(world);
}

static void a_writer_goes_on_after_a_frame_that_fails(void **state) {
    (void)state;
    keel_world *world = random_world(4), *opaque = make_world();
    keel_add_entity(opaque, KEEL_INIT(Row), KEEL_INIT(Opaque, { 1, 2 }));
    const uint64_t expected = hash(world);
    keel_sqlite_writer *writer = open_writer(false);
    for (int i = 0; i < 3; ++i) { // the first of a transaction, and others
        assert_int_equal(keel_sqlite_writer_add(writer, opaque, 7), KEEL_ERROR_SCHEMA);
        assert_non_null(strstr(error.message, "'Opaque' does not say which bytes"));
        assert_int_equal(keel_sqlite_writer_add(writer, NULL, 7), KEEL_ERROR_ARGUMENT);
        assert_int_equal(keel_sqlite_writer_add(writer, world, i), KEEL_OK);
        assert_int_equal(keel_sqlite_writer_add(writer, world, i), KEEL_ERROR_OCCUPIED);
        if (i == 1) assert_int_equal(keel_sqlite_writer_commit(writer), KEEL_OK);
    }
    assert_int_equal(keel_sqlite_writer_close(writer), KEEL_OK);
    assert_int_equal(ask("SELECT count(*) FROM keel_frame"), 3);
    assert_int_equal(ask("SELECT count(*) FROM keel_entity WHERE frame = 7"), 0);
    for (int i = 0; i < 3; ++i)
        assert_frame(i, expected);
    keel_world_destroy(world);
    keel_world_destroy(opaque);
}

static void a_writer_without_frames_changes_nothing(void **state) {
    (void)state;
    keel_world *world = random_world(5);
    write_world(world, NULL);
    for (int append = 0; append < 2; ++append) {
        keel_sqlite_writer *writer = open_writer(append);
        assert_int_equal(keel_sqlite_writer_commit(writer), KEEL_OK);
        assert_int_equal(keel_sqlite_writer_close(writer), KEEL_OK);
        assert_frame(0, hash(world));
    }
    unlink(path);
    assert_int_equal(keel_sqlite_writer_close(open_writer(true)), KEEL_OK);
    assert_int_not_equal(access(path, F_OK), 0);
    const keel_sqlite_write_options how = { .error = &error };
    assert_null(keel_sqlite_writer_open("nowhere/a.db", &how));
    assert_int_equal(error.result, KEEL_ERROR_FILE);
    assert_null(keel_sqlite_writer_open(NULL, &how));
    assert_int_equal(error.result, KEEL_ERROR_ARGUMENT);
    assert_null(keel_sqlite_writer_open("", NULL));
    assert_int_equal(keel_sqlite_writer_add(NULL, world, 0), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_sqlite_writer_commit(NULL), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_sqlite_writer_close(NULL), KEEL_OK);
    write_world(world, NULL); // for path_end
    keel_world_destroy(world);
}

// Another program: fields are found by path, and values have to fit.
static void other_programs_load_what_fits(void **state) {
    (void)state;
    typedef struct wide {
        int64_t n;
        double f;
        uint8_t more;
    } wide;
    const keel_field narrow_fields[] = {
        { .name = "n", .type = KEEL_FIELD_I8, .count = 1 },
        { .name = "old", .type = KEEL_FIELD_I8, .offset = 1, .count = 1 },
        { .name = "f", .type = KEEL_FIELD_F32, .offset = 4, .count = 1 }
    };
    const keel_field wide_fields[] = {
        { .name = "n", .type = KEEL_FIELD_I64, .count = 1 },
        { .name = "f", .type = KEEL_FIELD_F64, .offset = 8, .count = 1 },
        { .name = "more", .type = KEEL_FIELD_U8, .offset = 16, .count = 1 }
    };
    const wide initial = { 1, 2, 77 };
    const keel_component narrow = {
        .name = "Thing", .size = 8, .align = 4, .fields = narrow_fields, .field_count = 3
    };
    const keel_component large = { .name = "Thing",
                                   .size = sizeof(wide),
                                   .align = 8,
                                   .fields = wide_fields,
                                   .field_count = 3,
                                   .initial = &initial };
    keel_world *from = keel_world_create(NULL), *to = keel_world_create(NULL),
               *back = keel_world_create(NULL);
    const keel_component *c = keel_register_component(from, &narrow),
                         *d = keel_register_component(to, &large);
    keel_register_component(back, &narrow);
    const keel_entity e = keel_add_entity(from);
    struct {
        int8_t n, old;
        float f;
    } value = { -5, 6, 0.5f };
    assert_int_equal(keel_add_component(from, e, c, &value), KEEL_OK);
    write_world(from, NULL);
    load_world(to);
    wide *found = keel_get_component_mut(to, e, d);
    assert_true(found->n == -5 && found->f == 0.5 && found->more == 77);
    const keel_sqlite_write_options append = { .frame = 1, .append = true, .error = &error };
    assert_int_equal(keel_sqlite_write(to, path, &append), KEEL_ERROR_SCHEMA); // its columns differ
    assert_non_null(strstr(error.message, "Thing"));
    found->n = 300;
    write_world(to, NULL);
    const keel_sqlite_load_options loading = { .error = &error };
    assert_int_equal(keel_sqlite_load(back, path, &loading), KEEL_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "table 'Thing', column 'n', row 1: is out of its range"));
    assert_int_equal(keel_entity_count(back), 0);
    keel_world_destroy(from);
    keel_world_destroy(to);
    keel_world_destroy(back);
}

static void renamed_components_and_fields_are_found(void **state) {
    (void)state;
    const keel_field inner_fields[] = { { .name = "n", .type = KEEL_FIELD_I32, .count = 1 } };
    const keel_type inner = {
        .name = "inner", .size = 4, .fields = inner_fields, .field_count = 1
    };
    keel_field old_fields[] = {
        { .name = "was", .type = KEEL_FIELD_STRUCT, .count = 8, .of = &inner },
        { .name = "same", .type = KEEL_FIELD_I32, .count = 1, .offset = 8 }
    };
    keel_component thing = {
        .name = "Old", .size = 12, .align = 4, .fields = old_fields, .field_count = 2
    };
    keel_world *from = keel_world_create(NULL), *to = keel_world_create(NULL);
    const int32_t value[] = { 1, 2, 3 };
    const keel_component *c = keel_register_component(from, &thing);
    const keel_entity e = keel_add_entity(from);
    assert_int_equal(keel_add_component(from, e, c, value), KEEL_OK);
    assert_int_equal(keel_enable_component(from, e, c, false), KEEL_OK);
    write_world(from, NULL);
    thing.name = "New", thing.saved_as = "Old";
    old_fields[0].name = "is", old_fields[0].was = "was";
    c = keel_register_component(to, &thing);
    load_world(to);
    assert_true(keel_is_component_disabled(to, e, c));
    assert_int_equal(keel_enable_component(to, e, c, true), KEEL_OK);
    assert_memory_equal(keel_get_component(to, e, c), value, sizeof value);
    keel_world_destroy(from);
    keel_world_destroy(to);
}

static void what_cannot_be_written(void **state) {
    (void)state;
    keel_world *world = keel_world_create(NULL), *to = make_world();
    keel_add_entity(world, KEEL_INIT(Opaque, { 1, 2 }));
    const keel_sqlite_write_options how = { .error = &error };
    const keel_sqlite_load_options loading = { .error = &error };
    unlink(path);
    assert_int_equal(keel_sqlite_write(world, path, &how), KEEL_ERROR_SCHEMA);
    assert_non_null(strstr(error.message, "'Opaque' does not say which bytes"));
    assert_int_not_equal(access(path, F_OK), 0);
    keel_clear_entities(world);
    assert_int_equal(keel_sqlite_write(world, path, &how), KEEL_OK); // nobody has it
    assert_int_equal(keel_sqlite_write(world, "nowhere/a.db", &how), KEEL_ERROR_FILE);
    assert_non_null(strstr(error.message, "nowhere/a.db"));
    assert_int_equal(keel_sqlite_write(NULL, path, &how), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_sqlite_write(world, NULL, NULL), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_sqlite_load(NULL, path, &loading), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_sqlite_load(to, "nowhere.db", &loading), KEEL_ERROR_FILE);
    char journal[64];
    (void)snprintf(journal, sizeof journal, "%s-journal", path);
    FILE *file = fopen(journal, "wb");
    fputs("cut short", file);
    fclose(file);
    assert_int_equal(keel_sqlite_write(world, path, &how), KEEL_ERROR_FILE);
    assert_non_null(strstr(error.message, "-journal"));
    unlink(journal);
    keel_add_entity(to);
    assert_true(keel_sqlite_load(to, path, &loading) < 0); // not empty
    assert_int_equal(keel_entity_count(to), 1);
    keel_world_destroy(world);
    keel_world_destroy(to);
}

// What they were made of means nothing without the templates.
static void copies_of_prefabs_come_back(void **state) {
    (void)state;
    keel_world *from = make_world(), *to = make_world();
    const keel_prefab rock = { keel_add_entity(keel_templates(from), KEEL_INIT(Plain, { 7 })) };
    const keel_entity e = keel_spawn(from, rock), f = keel_spawn(from, rock);
    keel_enable_entity(from, f, false);
    write_world(from, NULL);
    load_world(to);
    assert_int_equal(keel_get(to, e, Plain)->bits, 7);
    assert_true(keel_is_component_disabled(to, f, KEEL_OF(Plain)));
    keel_world_destroy(from);
    keel_world_destroy(to);
}

static void it_comes_into_a_living_world(void **state) {
    (void)state;
    keel_world *from = make_world(), *to = make_world();
    const keel_entity gate = keel_add_entity(from), room = keel_add_entity(to);
    keel_set_name(from, gate, "gate");
    write_world(from, NULL);
    const keel_merge_options merge = { .root = room };
    const keel_sqlite_load_options how = { .merge = &merge, .error = &error };
    assert_int_equal(keel_sqlite_load(to, path, &how), KEEL_OK);
    assert_true(keel_is_alive(to, keel_find_entity(to, room, "gate")));
    keel_world_destroy(from);
    keel_world_destroy(to);
}

// ------------------------------------------------------------------ docs/tasks/sql.md
typedef enum Task { GRAZE, FLEE } Task;
KEEL_ENUM(Task, GRAZE, FLEE);
typedef struct Place {
    float x, y;
} Place;
typedef struct Sheep {
    int32_t wool;
    Task task;
} Sheep;
KEEL_FIELDS(Place, x, y);
KEEL_FIELDS(Sheep, wool, KEEL_FIELD(task, .of = KEEL_TYPE(Task)));
KEEL_COMPONENT(Place, KEEL_HAS_FIELDS(Place));
KEEL_COMPONENT(Sheep, KEEL_HAS_FIELDS(Sheep));
KEEL_RELATION(Hunts, .exclusive = true);

static void the_questions_of_the_guide_have_answers(void **state) {
    (void)state;
    keel_world *world = keel_world_create(NULL);
    const keel_entity wolf = keel_add_entity(world, KEEL_INIT(Place, { 1, 2 }));
    const keel_entity sheep =
        keel_add_entity(world, KEEL_INIT(Place, { 5, 2 }), KEEL_INIT(Sheep, { 9, FLEE }));
    keel_set_name(world, sheep, "dolly");
    keel_relate(world, wolf, Hunts, sheep);
    write_world(world, NULL);
    keel_world_destroy(world);
    char name[4096], line[512], question[4096] = "";
    const char *folder = getenv("KEEL_DOCS");
    (void)snprintf(name, sizeof name, "%s/tasks/sql.md", folder ? folder : "docs");
    FILE *file = fopen(name, "r");
    if (!file && !folder) skip(); // run by hand, elsewhere
    assert_non_null(file);
    int questions = 0;
    for (bool is_inside = false; fgets(line, sizeof line, file);) {
        if (strcmp(line, "```sql\n") == 0) is_inside = true;
        else if (!is_inside) continue;
        else if (strcmp(line, "```\n") == 0) {
            assert_int_not_equal(ask(question), -1);
            ++questions;
            is_inside = false, question[0] = 0;
        } else strncat(question, line, sizeof question - strlen(question) - 1);
    }
    fclose(file);
    assert_int_equal(questions, 3);
}

static const struct CMUnitTest tests[] = {
    TEST(random_worlds_come_back, "random worlds come back with the same hash and order"),
    TEST(odd_values_come_back, "not a number, negative zero and large integers come back"),
    TEST(locales_change_nothing, "a locale with a decimal comma changes nothing"),
    TEST(names_do_not_collide, "names that differ by case, and SQLite's own"),
    TEST(what_is_in_the_tables, "names, places, references, relations and enums can be asked"),
    TEST(frames_are_a_time_series, "frames are a time series, and each is a world"),
    TEST(a_writer_commits_frames_together, "a writer commits frames together"),
    TEST(a_writer_goes_on_after_a_frame_that_fails, "a writer goes on after a frame that fails"),
    TEST(a_writer_without_frames_changes_nothing, "a writer without frames changes nothing"),
    TEST(other_programs_load_what_fits, "fields are found by path, and values have to fit"),
    TEST(renamed_components_and_fields_are_found, "renamed components and fields are found"),
    TEST(what_cannot_be_written, "what cannot be written or read is named"),
    TEST(the_questions_of_the_guide_have_answers,
         "the questions of docs/tasks/sql.md have answers"),
    TEST(copies_of_prefabs_come_back, "copies of prefabs come back"),
    TEST(it_comes_into_a_living_world, "a database comes into a living world"),
};
int main(void) { return cmocka_run_group_tests(tests, path_begin, path_end); }
