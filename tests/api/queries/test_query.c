// SPDX-License-Identifier: MIT
// keel::query: each kind of term finds the entities that it describes. The entities of the small
// world have the indices 0 fleet, 1 fleet/ship 1, 2 fleet/ship 2, 3 fleet/ship 2/turret, 4 port,
// 5 port/dock 3, 6 a name with signs in it, 7 without a name.
#define _POSIX_C_SOURCE 200809L
#include "support/query_world.h"

#include "support/locale.h"

#include <keel_query.h>

typedef struct query_case {
    const char *text, *found;
} query_case;

static void check(const query_case *cases, size_t count) {
    query_world w;
    query_world_begin(&w);
    for (size_t i = 0; i < count; ++i) {
        const char *found = query_world_find(&w, cases[i].text);
        if (strcmp(found, cases[i].found) != 0)
            fail_msg("%s: found '%s', expected '%s'", cases[i].text, found, cases[i].found);
    }
    assert_no_error(w.world);
    query_world_end(&w);
}
#define CHECK(cases) check((cases), sizeof(cases) / sizeof *(cases))

static void components_are_found(void **state) {
    static const query_case cases[] = {
        { "Position", "1 2 6" },
        { "Position, !Frozen", "1 6" },
        { "Position, !Frozen, ?Health", "1 6" },
        { "?Position", "0 1 2 3 4 5 6 7" },
        { "!Position", "0 3 4 5 7" },
        { "  Position\n,\t! Frozen  ", "1 6" },
        { "\"Position\",\"Boss\"", "6" },
        { "Boss", "6" },
        { "any(Boss | Frozen)", "2 6" },
        { "any(Boss|Frozen|Turret|Health)", "1 2 3 5 6 7" },
        { "any(Turret)", "3 7" },
        { "!any(Boss | Frozen)", "0 1 3 4 5 7" },
        { "any(Health|Turret), !Frozen, Position", "1" },
        { "Position, Position", "1 2 6" },
        { "Position, !Position", "" },
        { "Likes", "1 3" },
        { "keel_child", "1 2 3 5" },
        { "Note", "" },
    };
    (void)state;
    CHECK(cases);
}

static void fields_are_compared(void **state) {
    static const query_case cases[] = {
        { "Health.points < 10", "1 5" },
        { "Health.points<10", "1 5" },
        { "Health.points <= 10", "1 2 5" },
        { "Health.points >= 9.5", "1 2" },
        { "Health.points > 9.5", "2" },
        { "Health.points = 0.1", "5" },
        { "Health.points != 0.1", "1 2" },
        { "Health.points = nan", "" },
        { "Health.points != nan", "1 2 5" },
        { "Health.points < inf, Health.points > -inf", "1 2 5" },
        { "!Health.points < 10", "0 2 3 4 6 7" },
        { "Position.x = 0.1", "6" },
        { "Position.x < 0", "2" },
        { "Position.x = -1.5", "2" },
        { "Position.x = -15e-1", "2" },
        { "Position.y = 2, Health.level > 100", "1" },
        { "Turret.aim.x = 1", "3" },
        { "Turret.aim.y < -1.5", "3" },
        { "Turret.corners[0].y = 4", "3" },
        { "Turret.corners[1].y = 0", "3 7" },
        { "Turret.slots[0] = -7", "3" },
        { "Turret.slots[2] = 300", "3" },
        { "Turret.slots = \"[-7, 0, 300]\"", "3" },
        { "Turret.slots != \"[-7, 0, 300]\"", "7" },
        { "Turret.is_loaded = true", "3" },
        { "Turret.is_loaded != true", "7" },
        { "DockedAt.since > 6", "1" },
        { "DockedAt.since > 7", "" },
    };
    (void)state;
    CHECK(cases);
}

static void integers_are_exact(void **state) {
    static const query_case cases[] = {
        { "Health.level < 0", "" },
        { "Health.level >= 0", "1 2 5" },
        { "Health.level > -0.5", "1 2 5" },
        { "Health.level < -0.5", "" },
        { "Health.level > 254.5", "5" },
        { "Health.level >= 254.5", "5" },
        { "Health.level < 254.5", "1 2" },
        { "Health.level <= 200.5", "1 2" },
        { "Health.level = 200.5", "" },
        { "Health.level != 200.5", "1 2 5" },
        { "Health.level = 0xff", "5" },
        { "Health.level = 2e2", "1" },
        { "Health.level < 256", "1 2 5" },
        { "Health.level = 256", "" },
        { "Health.level != 256", "1 2 5" },
        { "Health.level < 1e300", "1 2 5" },
        { "Health.level > -1e300", "1 2 5" },
        { "Health.level < -inf", "" },
        { "Health.level < inf", "1 2 5" },
        { "Turret.wide = -9223372036854775808", "3" },
        { "Turret.wide > -9223372036854775808", "7" },
        { "Turret.wide < -9223372036854775808", "" },
        { "Turret.wide = 9223372036854775807", "7" },
        { "Turret.wide >= 9223372036854775807", "7" },
        { "Turret.wide > 9223372036854775807", "" },
        { "Turret.wide < 9223372036854775808", "3 7" },
        { "Turret.wide <= -9223372036854775809", "" },
        { "Turret.wide < 0", "3" },
        { "Turret.wide >= -0.5", "7" },
        { "Turret.mask = 18446744073709551615", "3" },
        { "Turret.mask > 18446744073709551614", "3" },
        { "Turret.mask < 18446744073709551615", "7" },
        { "Turret.mask > 18446744073709551615", "" },
        { "Turret.mask < 18446744073709551616", "3 7" },
        { "Turret.slots[0] > -7.5", "3 7" },
        { "Turret.slots[0] > -6.5", "7" },
        { "Turret.slots[0] <= -6.5", "3" },
        { "Turret.slots[0] < -7", "" },
    };
    (void)state;
    CHECK(cases);
}

static void words_texts_and_references_are_compared(void **state) {
    static const query_case cases[] = {
        { "Turret.mood = ANGRY", "3" },
        { "Turret.mood = \"ANGRY\"", "3" },
        { "Turret.mood != ANGRY", "7" },
        { "Turret.mood < CALM", "7" },
        { "Turret.mood = -3", "7" },
        { "Turret.mood = SULKING", "7" },
        { "Turret.skills = FLIES", "7" },
        { "Turret.skills = SWIMS", "" },
        { "Turret.skills >= SWIMS", "3" },
        { "Turret.skills > SWIMS", "3" },
        { "Turret.skills = \"DIGS | SWIMS\"", "3" },
        { "Turret.skills <= \"DIGS | SWIMS\"", "3" },
        { "Turret.skills < \"DIGS | SWIMS\"", "" },
        { "Turret.skills = 5", "3" },
        { "Turret.skills != 5", "7" },
        { "Turret.label = \"mk 2\"", "3" },
        { "Turret.label = \"mk\"", "" },
        { "Turret.label > \"mk\"", "3" },
        { "Turret.label < mk", "7" },
        { "Turret.label = 12345678", "7" },
        { "Turret.label != \"\"", "3 7" },
        { "Turret.raw = \"00ff\"", "3" },
        { "Turret.raw != \"00ff\"", "7" },
        { "Turret.target = null", "7" },
        { "Turret.target != null", "3" },
        { "Turret.target = \"fleet/ship 2\"", "3" },
        { "Turret.target = #2v0", "3" },
        { "Turret.target = #2v1", "" },
        { "Turret.target != #2v1", "3 7" },
    };
    (void)state;
    CHECK(cases);
}

static void names_and_families_are_found(void **state) {
    static const query_case cases[] = {
        { "name = \"ship 1\"", "1" },
        { "name = \"ship\"", "" },
        { "!name = \"ship 1\"", "0 2 3 4 5 6 7" },
        { "name ~ \"ship*\"", "1 2" },
        { "name ~ \"*i*\"", "1 2" },
        { "name ~ \"????\"", "4" },
        { "name ~ \"*\"", "0 1 2 3 4 5 6" },
        { "name ~ \"\"", "" },
        { "name ~ \"*t*t\"", "3" },
        { "name ~ \"ship ?\"", "1 2" },
        { "name ~ \"ship \\\\?\"", "" },
        { "name ~ \"*\\\\\\\\\"", "6" },
        { "name = \"a \\\"b\\\", <c>|changed\\\\\"", "6" },
        { "child of \"fleet\"", "1 2" },
        { "child of #0v0", "1 2" },
        { "child  of  \"fleet/ship 2\"", "3" },
        { "!child of \"fleet\"", "0 3 4 5 6 7" },
        { "below \"fleet\"", "1 2 3" },
        { "below \"fleet\", Position", "1 2" },
        { "!below #0v0", "0 4 5 6 7" },
        { "below \"fleet\", !child of \"fleet\"", "3" },
        { "#2v0", "2" },
        { "#2v1", "" },
        { "!#2v0", "0 1 3 4 5 6 7" },
        { "#2v0, Frozen", "2" },
        { "#2v0, !Frozen", "" },
    };
    (void)state;
    CHECK(cases);
}

static void relations_are_found(void **state) {
    static const query_case cases[] = {
        { "DockedAt -> \"port/dock 3\"", "1" },
        { "DockedAt->#5v0", "1" },
        { "DockedAt -> \"port\"", "" },
        { "DockedAt -> *", "1" },
        { "!DockedAt -> *", "0 2 3 4 5 6 7" },
        { "Likes -> \"fleet/ship 2\"", "1 3" },
        { "Likes -> #2v0, Position", "1" },
        { "!Likes -> #2v0", "0 2 4 5 6 7" },
        { "\"fleet/ship 1\" -> Likes", "2 6" },
        { "#1v0 -> Likes", "2 6" },
        { "#1v0 -> \"Likes\"", "2 6" },
        { "!#1v0 -> Likes", "0 1 3 4 5 7" },
        { "\"Likes\" -> \"a \\\"b\\\", <c>|changed\\\\\"", "1" },
        { "\"a \\\"b\\\", <c>|changed\\\\\" -> Likes", "" },
        { "keel_child -> \"fleet\"", "1 2" },
        { "#1v0 -> keel_child", "0" },
        { "Likes -> #2v9", "" },
    };
    (void)state;
    CHECK(cases);
}

static void names_of_components_may_hold_anything(void **state) {
    static const char *const names[] = { "changed",   "a,b",      "<x>", "q\"q",
                                         "game::Hit", "disabled", "name" };
    static const char *const texts[] = { "\"changed\"",   "\"a,b\"",   "\"<x>\"",
                                         "\"q\\\"q\"",    "game::Hit", "\"disabled\"",
                                         "\"name\", name" };
    query_world w;
    (void)state;
    query_world_begin(&w);
    for (uint32_t i = 0; i < sizeof names / sizeof *names; ++i) {
        const keel_component *c =
            keel_register_component(w.world, &(keel_component){ .name = names[i] });
        assert_non_null(c);
        assert_ok(keel_add_component(w.world, i % 2 ? w.one : w.two, c, NULL));
        assert_string_equal(query_world_find(&w, texts[i]), i % 2 ? "1" : "2");
    }
    assert_string_equal(query_world_find(&w, "\"changed\", !\"<x>\""), "");
    query_world_end(&w);
}

static void owned_texts_are_compared(void **state) {
    query_world w;
    (void)state;
    query_world_begin(&w);
    keel_add(w.world, w.one, Note, { strdup("to do") });
    keel_add(w.world, w.two, Note, { NULL });
    assert_string_equal(query_world_find(&w, "Note.text = \"to do\""), "1");
    assert_string_equal(query_world_find(&w, "Note.text != \"to do\""), "2");
    assert_string_equal(query_world_find(&w, "Note.text = null"), "2");
    assert_string_equal(query_world_find(&w, "Note.text != null"), "1");
    assert_string_equal(query_world_find(&w, "Note.text = \"null\""), "");
    assert_string_equal(query_world_find(&w, "Note.text > \"to\""), "1");
    assert_string_equal(query_world_find(&w, "Note.text < null"), "");
    query_world_end(&w);
}

static void disabled_components_are_found(void **state) {
    query_world w;
    (void)state;
    query_world_begin(&w);
    assert_string_equal(query_world_find(&w, "disabled"), "");
    keel_disable(w.world, w.one, Health);
    keel_disable(w.world, w.bare, Turret);
    assert_string_equal(query_world_find(&w, "disabled"), "1 7");
    assert_string_equal(query_world_find(&w, "disabled, Position"), "1");
    assert_string_equal(query_world_find(&w, "!disabled, Position"), "2 6");
    assert_string_equal(query_world_find(&w, "Health"), "2 5");
    assert_string_equal(query_world_find(&w, "Turret.label != \"\""), "3");
    query_world_end(&w);
}

static uint32_t changed_for(query_world *w, const char *text, const keel_reader *reader) {
    keel_query *query;
    keel_query_walk walk;
    keel_entity e;
    uint32_t bits = 0;
    assert_ok(keel_query_parse(w->world, text, &query, NULL));
    assert_ok(keel_query_begin(&walk, query, &(keel_query_slice){ .reader = reader }));
    while (keel_query_next(&walk, &e))
        bits |= 1u << keel_entity_index(e);
    keel_query_destroy(query);
    return bits;
}

static void changes_are_those_of_the_reader_or_the_world(void **state) {
    query_world w;
    (void)state;
    query_world_begin(&w);
    keel_reader *reader = keel_reader_create(w.world, "test");
    assert_int_equal(changed_for(&w, "Position changed", NULL), 1 << 1 | 1 << 2 | 1 << 6);
    keel_clear_changes(w.world, Position, KEEL_TRACK_ALL, KEEL_NOW);
    assert_int_equal(changed_for(&w, "Position changed", NULL), 0);
    assert_int_equal(changed_for(&w, "Position changed", reader), 1 << 1 | 1 << 2 | 1 << 6);
    keel_reader_advance(reader);
    assert_int_equal(changed_for(&w, "Position changed", reader), 0);
    keel_get_mut(w.world, w.one, Position)->x = 5;
    keel_add(w.world, w.bare, Position, { 0, 0 });
    assert_int_equal(changed_for(&w, "Position changed", reader), 1 << 1 | 1 << 7);
    assert_int_equal(changed_for(&w, "Position inserted", reader), 1 << 7);
    assert_int_equal(changed_for(&w, "\"Position\" inserted", NULL), 1 << 7);
    assert_int_equal(changed_for(&w, "!Position changed, Position", reader), 1 << 2 | 1 << 6);
    keel_reader_destroy(reader);
    query_world_end(&w);
}

static void the_locale_changes_nothing(void **state) {
    (void)state;
    static const query_case cases[] = { { "Health.points = 9.5", "1" },
                                        { "Health.level > 199.5, Position", "1" } };
    begin_decimal_comma();
    CHECK(cases);
    end_decimal_comma();
}

static const struct CMUnitTest tests[] = {
    TEST(components_are_found, "components are found, left out, optional and one of several"),
    TEST(fields_are_compared, "fields of every depth are compared"),
    TEST(integers_are_exact, "integers are exact, and a number may lie outside of the type"),
    TEST(words_texts_and_references_are_compared, "enums, flags, texts, bytes, references"),
    TEST(names_and_families_are_found, "names, patterns, children, descendants, handles"),
    TEST(relations_are_found, "relations are found from both ends"),
    TEST(names_of_components_may_hold_anything, "a name in quotes may hold anything"),
    TEST(owned_texts_are_compared, "texts that a value owns are compared, also with null"),
    TEST(disabled_components_are_found, "disabled components are found by that word only"),
    TEST(changes_are_those_of_the_reader_or_the_world, "changes are those of the reader"),
    TEST(the_locale_changes_nothing, "a decimal comma of the locale changes nothing"),
};
int main(void) { return RUN(tests); }
