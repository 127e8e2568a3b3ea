// SPDX-License-Identifier: MIT
// What a load left out or made up, in saves, levels and databases: one word and one function.
#define _POSIX_C_SOURCE 200809L
#include "support/saved_world.h"

#include <keel_json.h>
#include <keel_save.h>
#include <keel_sqlite.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct Spot {
    int32_t x, y;
} Spot;
KEEL_FIELDS(Spot, x, y);
typedef struct Slot {
    int32_t number, gone;
    Spot at[2];
} Slot;
KEEL_FIELDS(Slot, number, gone, KEEL_FIELD(at, .of = KEEL_TYPE(Spot)));
KEEL_COMPONENT(Slot, KEEL_HAS_FIELDS(Slot));
typedef struct Later { // what Slot became
    int32_t number, fresh;
    Spot at[3];
} Later;
KEEL_FIELDS(Later, number, fresh, KEEL_FIELD(at, .of = KEEL_TYPE(Spot)));
KEEL_COMPONENT(Later, KEEL_HAS_FIELDS(Later), .saved_as = "Slot");
typedef struct Pet {
    int32_t legs;
} Pet;
KEEL_FIELDS(Pet, legs);
KEEL_COMPONENT(Pet, KEEL_HAS_FIELDS(Pet));
KEEL_RELATION(Likes);
typedef struct Friend {
    keel_entity who;
} Friend;
KEEL_FIELDS(Friend, who);
KEEL_COMPONENT(Friend, KEEL_HAS_FIELDS(Friend));
typedef struct Sky {
    int32_t clouds;
} Sky;
KEEL_FIELDS(Sky, clouds);
KEEL_UNIQUE(Sky, KEEL_HAS_FIELDS(Sky));

static char told[512];

static void tell(const keel_load_note *note, void *data) {
    static const char *const marks[] = { "-", "-", "+" };
    char *out = data;
    const size_t used = strlen(out);
    (void)snprintf(out + used, sizeof told - used, "%s%s%s%s ", marks[note->change],
                   note->component, note->field ? "." : "", note->field ? note->field : "");
}
static bool keep_text(void *context, const char *text, size_t size) {
    return keep(context, text, size);
}

static void begin(bool is_later) {
    saved_begin();
    for (int32_t i = 0; i < 3; ++i) {
        const keel_entity e =
            keel_add_entity(f.world, KEEL_INIT(Slot, { .number = i }), KEEL_INIT(Pet, { 4 }));
        assert_int_equal(keel_relate(f.world, e, Likes, e), KEEL_OK);
        if (i) assert_int_equal(keel_disable(f.world, e, Pet), KEEL_OK);
    }
    keel_set_unique(f.world, Sky, { 3 });
    assert_non_null(keel_register_component(loaded, is_later ? KEEL_OF(Later) : KEEL_OF(Slot)));
    told[0] = 0;
}
static void end(void) {
    assert_int_equal(keel_entity_count(loaded), 3);
    saved_end();
}

static void a_save(void **state) {
    (void)state;
    begin(true);
    expect_ok(save(f.world));
    const keel_load_options how = {
        .error = &why, .unknown = KEEL_UNKNOWN_SKIP, .report = tell, .report_data = told
    };
    expect_ok(keel_load_from(loaded, kept, kept_size, &how));
    static const char *const notes[] = {
        "",        "-Later.gone ", "+Later.fresh ", "-Pet ", "+Later.at[2].x ", "+Later.at[2].y ",
        "-Likes ", "-Sky "
    };
    size_t length = 0;
    for (size_t i = 1; i < sizeof notes / sizeof *notes; ++i) {
        if (!strstr(told, notes[i])) fail_msg("'%s' is not in '%s'", notes[i], told);
        length += strlen(notes[i]);
    }
    assert_int_equal(strlen(told), length); // each once, and nothing else
    end();
}

static void nothing_is_told_where_all_fits(void **state) {
    (void)state;
    begin(false);
    assert_int_equal(keel_register(loaded, Pet, Likes), KEEL_OK);
    assert_non_null(keel_register_component(loaded, KEEL_UNIQUE_OF(Sky)));
    expect_ok(save(f.world));
    const keel_load_options how = { .error = &why, .report = tell, .report_data = told };
    expect_ok(keel_load_from(loaded, kept, kept_size, &how));
    assert_string_equal(told, "");
    end();
}

// Nobody is told: what was dead when it was saved is so afterwards.
static void references_to_the_dead(void **state) {
    (void)state;
    saved_begin();
    told[0] = 0;
    const keel_entity dead = keel_add_entity(f.world);
    const keel_entity whose[] = { dead, handle_at(5000, 2), keel_null(), keel_add_entity(f.world) };
    enum { COUNT = sizeof whose / sizeof *whose };
    keel_entity all[COUNT], made[COUNT + 1];
    for (uint32_t i = 0; i < COUNT; ++i)
        all[i] = keel_add_entity(f.world, KEEL_INIT(Friend, { whose[i] }));
    assert_int_equal(keel_delete_entity(f.world, dead), KEEL_OK);
    expect_ok(save(f.world));
    assert_int_equal(keel_register(loaded, Friend), KEEL_OK);
    keel_load_options how = { .error = &why, .report = tell, .report_data = told };
    expect_ok(keel_load_from(loaded, kept, kept_size, &how));
    for (uint32_t i = 0; i < COUNT; ++i)
        assert_same_entity(keel_get(loaded, all[i], Friend)->who, whose[i]);
    assert_false(keel_is_alive(loaded, whose[0]) || keel_is_alive(loaded, whose[1]));
    keel_merge_options into = { .handles = made, .strict = true };
    how.merge = &into;
    assert_int_equal(keel_load_from(loaded, kept, kept_size, &how), KEEL_ERROR_DEAD_ENTITY);
    assert_string_equal(why.message, "a value of 'Friend' names an entity that is not there");
    assert_int_equal(keel_entity_count(loaded), COUNT + 1);
    into.strict = false;
    expect_ok(keel_load_from(loaded, kept, kept_size, &how));
    for (uint32_t i = 0; i < COUNT; ++i) {
        const keel_entity who = keel_get(loaded, made[i + 1], Friend)->who;
        if (i < 3) assert_true(keel_is_null(who));
        else assert_same_entity(who, made[0]);
    }
    assert_string_equal(told, "");
    saved_end();
}

static void a_level(void **state) {
    (void)state;
    begin(false);
    expect_ok(keel_json_write_to(f.world, keep_text, NULL, NULL, &why));
    keel_json_load_options how = { .report = tell, .report_data = told };
    assert_int_equal(keel_json_load_text(loaded, kept, kept_size, &how, &why), KEEL_ERROR_UNKNOWN);
    how.unknown = KEEL_UNKNOWN_KEEP;
    assert_int_equal(keel_json_load_text(loaded, kept, kept_size, &how, &why), KEEL_ERROR_ARGUMENT);
    assert_string_equal(told, "");
    how.unknown = KEEL_UNKNOWN_SKIP;
    expect_ok(keel_json_load_text(loaded, kept, kept_size, &how, &why));
    if (!strstr(told, "-Pet ") || !strstr(told, "-Likes ") || !strstr(told, "-Sky "))
        fail_msg("'%s'", told);
    assert_int_equal(strlen(told), strlen("-Pet -Likes -Sky "));
    end();
}

static void what_has_its_place_elsewhere_stays_a_mistake(void **state) {
    (void)state;
    begin(false);
    const char *text = "{\"uniques\": {\"Slot\": {\"number\": 1}}}";
    const keel_json_load_options how = { .unknown = KEEL_UNKNOWN_SKIP };
    assert_int_equal(keel_json_load_text(loaded, text, strlen(text), &how, &why),
                     KEEL_ERROR_UNKNOWN);
    expect_ok(keel_copy_world(f.world, loaded));
    end();
}

static void a_database(void **state) {
    (void)state;
    begin(false);
    char path[] = "/tmp/keel_report_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    (void)close(file);
    expect_ok(keel_sqlite_write(f.world, path, &(keel_sqlite_write_options){ .error = &why }));
    keel_sqlite_load_options how = { .error = &why, .report = tell, .report_data = told };
    assert_int_equal(keel_sqlite_load(loaded, path, &how), KEEL_ERROR_SCHEMA);
    assert_non_null(strstr(why.message, ".unknown = KEEL_UNKNOWN_SKIP"));
    how.unknown = KEEL_UNKNOWN_KEEP;
    assert_int_equal(keel_sqlite_load(loaded, path, &how), KEEL_ERROR_ARGUMENT);
    how.unknown = KEEL_UNKNOWN_SKIP;
    expect_ok(keel_sqlite_load(loaded, path, &how));
    if (!strstr(told, "-Pet ") || !strstr(told, "-Likes ") || !strstr(told, "-Sky "))
        fail_msg("'%s'", told);
    assert_int_equal(strlen(told), strlen("-Pet -Likes -Sky "));
    (void)unlink(path);
    end();
}

static const struct CMUnitTest tests[] = {
    TEST(a_save, "a save tells what went and what is new, each once"),
    TEST(nothing_is_told_where_all_fits, "nothing is told where all fits"),
    TEST(references_to_the_dead, "references to the dead stay, become null or are refused"),
    TEST(a_level, "a level leaves out what is unknown, and tells it once"),
    TEST(what_has_its_place_elsewhere_stays_a_mistake,
         "a component among the uniques of a level is a mistake, also where others are skipped"),
    TEST(a_database, "a database leaves out what is unknown, and tells it"),
};
int main(void) { return RUN(tests); }
