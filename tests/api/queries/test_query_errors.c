// SPDX-License-Identifier: MIT
// keel::query: what is wrong in a text is named with its column, its cause, and the nearest name.
#define _POSIX_C_SOURCE 200809L
#include "support/query_world.h"

#include <keel_query.h>

typedef struct query_mistake {
    const char *text;
    uint32_t column;
    keel_result result;
    const char *message; // behind the column
} query_mistake;

#define WRONG KEEL_ERROR_TEXT
#define UNKNOWN KEEL_ERROR_UNKNOWN

static void check(const query_mistake *mistakes, size_t count) {
    query_world w;
    query_world_begin(&w);
    for (size_t i = 0; i < count; ++i) {
        const query_mistake *m = &mistakes[i];
        char message[400];
        keel_query_error error;
        keel_query *query = (keel_query *)&w;
        const keel_result result = keel_query_parse(w.world, m->text, &query, &error);
        (void)snprintf(message, sizeof message, "column %u: %s", (unsigned)m->column, m->message);
        const bool is_right = result == m->result && error.result == result && !query &&
                              error.column == m->column && !strcmp(error.message, message);
        if (!is_right)
            fail_msg("%s: result %d, column %u, message '%s', expected %d and '%s'", m->text,
                     (int)result, (unsigned)error.column, error.message, (int)m->result, message);
    }
    assert_no_error(w.world);
    query_world_end(&w);
}
#define CHECK(mistakes) check((mistakes), sizeof(mistakes) / sizeof *(mistakes))

#define NO_TERM "the name of a component, or another term is expected here"
#define NO_COMMA "a comma, or the end, is expected here"
#define NO_VALUE "a value is missing: a number, a word, a text in \"\", or a handle"
#define NO_ENTITY                                                                                  \
    "an entity is expected here: a handle as #17v3, or a path of names as \"port/dock 3\""
#define NO_HANDLE "this is no handle; a handle has an index and a version, as #17v3"

static void syntax_is_checked(void **state) {
    static const query_mistake mistakes[] = {
        { "", 1, WRONG, NO_TERM },
        { "   ", 4, WRONG, NO_TERM },
        { ",", 1, WRONG, NO_TERM },
        { "Position,", 10, WRONG, NO_TERM },
        { "Position,,Health", 10, WRONG, NO_TERM },
        { "Position Health", 10, WRONG, NO_COMMA },
        { "!", 2, WRONG, NO_TERM },
        { "!!Position", 2, WRONG, NO_TERM },
        { "!?Position", 2, WRONG, NO_TERM },
        { "5", 1, WRONG, NO_TERM },
        { "*", 1, WRONG, NO_TERM },
        { "Position & Health", 10, WRONG,
          "'&' is no part of a query; a name that holds it stands in \"\"" },
        { "Position\x01", 9, WRONG,
          "'?' is no part of a query; a name that holds it stands in \"\"" },
        { "Position, \"open", 11, WRONG, "the text that begins here has no end; end it with \"" },
        { "\"a\\n\"", 3, WRONG, "in a text, \\ stands before \" or another \\ only" },
        { "\"\\", 2, WRONG, "in a text, \\ stands before \" or another \\ only" },
        { "?#1v0", 1, WRONG, "? stands before the name of a component only" },
        { "Boss, ?Health.level = 1", 7, WRONG, "? stands before the name of a component only" },
        { "?Likes -> *", 1, WRONG, "? stands before the name of a component only" },
        { "?disabled", 1, WRONG, "? stands before the name of a component only" },
        { "disabled Position", 10, WRONG, NO_COMMA },
        { "Position changed inserted", 18, WRONG, NO_COMMA },
        { "#", 1, WRONG, NO_HANDLE },
        { "#1", 1, WRONG, NO_HANDLE },
        { "#1v", 1, WRONG, NO_HANDLE },
        { "#v1", 1, WRONG, NO_HANDLE },
        { "#1v0x", 1, WRONG, NO_HANDLE },
        { "#99999999999999999999999v0", 1, WRONG, NO_HANDLE },
        { "#4294967295v0", 1, WRONG, NO_HANDLE },
        { "#1v2147483647", 1, WRONG, NO_HANDLE },
        { "child of", 9, WRONG, NO_ENTITY },
        { "child of fleet", 10, WRONG, NO_ENTITY },
        { "child of 17v3", 10, WRONG, NO_ENTITY },
        { "name = ship", 8, WRONG, "a text in \"\" is expected here" },
        { "name ~ 5", 8, WRONG, "a text in \"\" is expected here" },
        { "name != \"a\"", 1, WRONG, "!name = is expected here" },
        { "Likes ->", 9, WRONG, NO_ENTITY },
        { "Likes -> fleet", 10, WRONG, NO_ENTITY },
        { "#1v0 ->", 8, WRONG, "the name of a relation is expected here" },
        { "#1v0 -> *", 9, WRONG, "the name of a relation is expected here" },
        { "any()", 5, WRONG, "the name of a component is expected here" },
        { "any(Boss", 9, WRONG, "| or ) is expected here" },
        { "any(Boss,Frozen)", 9, WRONG, "| or ) is expected here" },
        { "any(Boss|)", 10, WRONG, "the name of a component is expected here" },
        { "any(Boss|any(Frozen))", 10, UNKNOWN, "the world knows no component 'any'" },
        { "any(Boss|Boss|Boss|Boss|Boss|Boss|Boss|Boss|Boss)", 45, WRONG,
          "any() takes at most 8 components" },
    };
    (void)state;
    CHECK(mistakes);
}

static void comparisons_are_checked(void **state) {
    static const query_mistake mistakes[] = {
        { "Health.", 8, WRONG, "a field is expected here" },
        { "Health.5", 7, WRONG, NO_COMMA },
        { "Health.points", 14, WRONG, "one of = != < <= > >= is expected here" },
        { "Health.points ~ 5", 15, WRONG, "one of = != < <= > >= is expected here" },
        { "Health.points <", 16, WRONG, NO_VALUE },
        { "Health.points < , Boss", 17, WRONG, NO_VALUE },
        { "Health.points < ten", 17, WRONG, "Health.points is compared with a number" },
        { "Health.points < 1.2.3", 17, WRONG, "Health.points is compared with a number" },
        { "Health.level < nan", 16, WRONG, "Health.level is compared with a number" },
        { "Health.level = 17v3", 16, WRONG, "Health.level is compared with a number" },
        { "Health.level = #17v3", 16, WRONG,
          "Health.level is no reference to an entity, so it is not compared with a handle" },
        { "Health .points = 1", 8, WRONG, "a path of fields has no spaces" },
        { "Health. points = 1", 9, WRONG, "a path of fields has no spaces" },
        { "Turret.slots [0] = 1", 14, WRONG, "a path of fields has no spaces" },
        { "Turret.slots[0 = 1", 16, WRONG, "] is expected here" },
        { "Turret.slots[x] = 1", 14, WRONG, "the number of an element is expected here" },
        { "Turret.is_loaded = 1", 20, WRONG, "Turret.is_loaded is compared with true or false" },
        { "Turret.is_loaded < true", 20, WRONG,
          "Turret.is_loaded has no order; it is compared by = or !=" },
        { "Turret.target > #1v0", 17, WRONG,
          "Turret.target has no order; it is compared by = or !=" },
        { "Turret.raw < \"00\"", 14, WRONG, "Turret.raw has no order; it is compared by = or !=" },
        { "Turret.target = none", 17, WRONG,
          "Turret.target is compared with null, a handle as #17v3, or a path as \"port/dock\"" },
        { "Turret.target = 5", 17, WRONG, NO_ENTITY },
        { "Turret.aim = 5", 14, WRONG,
          "Turret.aim has parts, and only one of them can be compared" },
        { "Boss.x = 1", 1, WRONG, "'Boss' has no value in its entities, so it has no field" },
        { "Likes.since = 1", 1, WRONG, "'Likes' has no value in its entities, so it has no field" },
    };
    (void)state;
    CHECK(mistakes);
}

static void names_are_checked(void **state) {
    static const query_mistake mistakes[] = {
        { "Boss, Health.pints < 10", 14, UNKNOWN,
          "Health has no field 'pints'; the nearest is 'points'" },
        { "Health.Points < 10", 8, UNKNOWN,
          "Health has no field 'Points'; the nearest is 'points'" },
        { "Health.xyzzy < 10", 8, UNKNOWN, "Health has no field 'xyzzy'" },
        { "Turret.aim.z = 1", 12, UNKNOWN, "Turret.aim has no field 'z'" },
        { "Turret.corners.x = 1", 16, UNKNOWN, "Turret.corners has 2 elements; name one, as [0]" },
        { "Turret.corners[0].xx = 1", 19, UNKNOWN,
          "Turret.corners[0] has no field 'xx'; the nearest is 'x'" },
        { "Turret.corner[0].x = 1", 8, UNKNOWN,
          "Turret has no field 'corner'; the nearest is 'corners'" },
        { "Turret.corners[2].x = 1", 8, UNKNOWN,
          "Turret.corners[2].x: '[2].x' is outside of the 2 elements of 'corners'" },
        { "Turret.wide.x = 1", 13, UNKNOWN, "Turret.wide has no field 'x'" },
        { "Turret.mood = ANGY", 15, UNKNOWN,
          "Turret.mood has no value 'ANGY'; the nearest is 'ANGRY'" },
        { "Turret.skills = SWIM", 17, UNKNOWN,
          "Turret.skills has no value 'SWIM'; the nearest is 'SWIMS'" },
        { "Positon", 1, UNKNOWN,
          "the world knows no component 'Positon'; the nearest is 'Position'" },
        { "Boss,  position", 8, UNKNOWN,
          "the world knows no component 'position'; the nearest is 'Position'" },
        { "Something", 1, UNKNOWN, "the world knows no component 'Something'" },
        { "any(Boss|Frozn)", 10, UNKNOWN,
          "the world knows no component 'Frozn'; the nearest is 'Frozen'" },
        { "Boss, Like -> #1v0", 7, UNKNOWN,
          "the world knows no relation 'Like'; the nearest is 'Likes'" },
        { "Boss -> #1v0", 1, WRONG, "'Boss' is no relation" },
        { "#1v0 -> Boss", 9, WRONG, "'Boss' is no relation" },
        { "Clock", 1, WRONG, "'Clock' is a unique, which no entity has" },
        { "below \"flet\"", 7, UNKNOWN, "no entity has the path \"flet\"" },
        { "Likes -> \"nobody\"", 10, UNKNOWN, "no entity has the path \"nobody\"" },
        { "\"nobody\" -> Likes", 1, UNKNOWN, "no entity has the path \"nobody\"" },
        { "child of \"\"", 10, UNKNOWN, "no entity has the path \"\"" },
        { "\xc3\xa4\xc3\xb6, Boss", 1, UNKNOWN, "the world knows no component '\xc3\xa4\xc3\xb6'" },
        { "!\"\xc3\xa4\xc3\xb6\"", 2, UNKNOWN, "the world knows no component '\xc3\xa4\xc3\xb6'" },
        { "name = \"\xc3\xa4\xc3\xb6\", Bos", 14, UNKNOWN,
          "the world knows no component 'Bos'; the nearest is 'Boss'" },
        { "Health changed", 1, WRONG,
          "changes of 'Health' are not tracked; declare it with .tracking = KEEL_TRACK_ALL, or "
          "call keel_track" },
        { "Boss, Frozen inserted", 7, WRONG,
          "changes of 'Frozen' are not tracked; declare it with .tracking = KEEL_TRACK_ALL, or "
          "call keel_track" },
    };
    (void)state;
    CHECK(mistakes);
}

static void limits_hold(void **state) {
    query_world w;
    keel_query *query;
    keel_query_error error;
    char *text = malloc(KEEL_MAX_QUERY_TEXT + 2);
    (void)state;
    query_world_begin(&w);
    text[0] = '\0';
    for (int i = 0; i < 16; ++i)
        strcat(text, i ? ",Boss" : "Boss");
    assert_int_equal(keel_query_parse(w.world, text, &query, &error), KEEL_ERROR_TEXT);
    assert_string_equal(error.message, "column 76: a query has at most 15 terms");
    assert_int_equal(error.offset, 75);
    text[74] = '\0';
    assert_string_equal(query_world_find(&w, text), "6");

    memset(text, ' ', KEEL_MAX_QUERY_TEXT + 1);
    memcpy(text, "Boss", 4);
    text[KEEL_MAX_QUERY_TEXT + 1] = '\0';
    assert_int_equal(keel_query_parse(w.world, text, &query, &error), KEEL_ERROR_TEXT);
    assert_string_equal(error.message, "a query has at most 4,096 bytes");
    assert_int_equal(error.column, 0);
    text[KEEL_MAX_QUERY_TEXT] = '\0';
    assert_string_equal(query_world_find(&w, text), "6");

    const char *const longest[] = { "Health.", "\"",        "any(",         "!",
                                    "#1v",     "name ~ \"", "Turret.slots[" };
    for (uint32_t i = 0; i < 7; ++i) { // the longest words of each kind
        memset(text, i == 4 || i == 6 ? '1' : 'x', KEEL_MAX_QUERY_TEXT);
        memcpy(text, longest[i], strlen(longest[i]));
        assert_true(keel_query_parse(w.world, text, &query, &error) < 0);
    }
    for (uint32_t i = 0; i < KEEL_MAX_QUERY_TEXT; ++i) // as many words as there can be
        text[i] = i < 7 ? "Health."[i] : i % 2 ? 'a' : '.';
    assert_true(keel_query_parse(w.world, text, &query, &error) < 0);
    assert_string_equal(error.message, "column 8: Health has no field 'a'");
    free(text);
    query_world_end(&w);
}

static void null_is_an_error(void **state) {
    query_world w;
    keel_query *query = NULL;
    keel_query_error error;
    keel_query_walk walk;
    keel_entity e;
    (void)state;
    query_world_begin(&w);
    assert_int_equal(keel_query_parse(NULL, "Boss", &query, &error), KEEL_ERROR_ARGUMENT);
    assert_string_equal(error.message,
                        "keel_query_parse needs a world, a text and a place for the query");
    assert_int_equal(keel_query_parse(w.world, NULL, &query, NULL), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_query_parse(w.world, "Boss", NULL, NULL), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_query_parse(w.world, "Bos", &query, NULL), KEEL_ERROR_UNKNOWN);
    assert_int_equal(keel_query_begin(&walk, NULL, NULL), KEEL_ERROR_ARGUMENT);
    assert_false(keel_query_next(&walk, &e));
    assert_true(keel_is_null(e));
    assert_false(keel_query_next(NULL, NULL));
    keel_query_end(&walk);
    keel_query_end(NULL);
    keel_query_destroy(NULL);
    assert_int_equal(keel_query_explain(NULL, NULL, 0), 0);
    assert_int_equal(keel_query_component_count(NULL), 0);
    assert_null(keel_query_component(NULL, 0));
    assert_ok(keel_query_parse(w.world, "Boss", &query, &error));
    assert_int_equal(error.result, KEEL_OK);
    assert_int_equal(keel_query_begin(NULL, query, NULL), KEEL_ERROR_ARGUMENT);
    keel_query_destroy(query);
    query_world_end(&w);
}

static void asking_registers_nothing(void **state) {
    query_world w;
    (void)state;
    query_world_begin(&w);
    uint32_t before = 0, after = 0;
    for (const keel_component *c = NULL; (c = keel_next_component(w.world, c)) != NULL;)
        ++before;
    (void)query_world_find(&w, "Unknown");
    (void)query_world_find(&w, "any(Boss|Unknown)");
    (void)query_world_find(&w, "Unknown -> *");
    (void)query_world_find(&w, "child of \"fleet\", name ~ \"*\", ?Boss");
    for (const keel_component *c = NULL; (c = keel_next_component(w.world, c)) != NULL;)
        ++after;
    assert_int_equal(after, before);
    query_world_end(&w);
}

static const struct CMUnitTest tests[] = {
    TEST(syntax_is_checked, "what is no query is refused at its column"),
    TEST(comparisons_are_checked, "what a field cannot be compared with is refused"),
    TEST(names_are_checked, "an unknown name is refused, and the nearest one suggested"),
    TEST(limits_hold, "a query has at most 15 terms and 4,096 bytes"),
    TEST(null_is_an_error, "NULL is an error, never a crash"),
    TEST(asking_registers_nothing, "asking for a component does not register it"),
};
int main(void) { return RUN(tests); }
