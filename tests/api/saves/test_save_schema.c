// SPDX-License-Identifier: MIT
// What a later program makes of an older save: names, numbers, arrays, texts, enums, versions.
#include "support/api_types.h"
#include "support/saved_world.h"

#include <keel_save.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int set_up(void **state) {
    (void)state;
    saved_begin();
    return 0;
}
static int tear_down(void **state) {
    (void)state;
    saved_end();
    return 0;
}
#define SAVE_TEST(function, title)                                                                 \
    { title, function, set_up, tear_down, NULL }

static keel_result load(keel_load_options how) {
    const keel_result r = keel_load_from(loaded, kept, kept_size, &how);
    if (r < 0) assert_int_equal(why.result, r);
    if (r < 0) assert_int_equal(keel_entity_count(loaded), 0);
    return r;
}
#define LOAD(...) load((keel_load_options){ .error = &why, __VA_ARGS__ })
static void expect_schema(keel_result r, const char *message) {
    assert_string_equal(why.message, message);
    assert_int_equal(r, KEEL_ERROR_SCHEMA);
    why = (keel_error){ 0 };
}

// ------------------------------------------------------------------ names
typedef struct Point {
    float x, y;
} Point;
KEEL_FIELDS(Point, x, y);
typedef struct Spot {
    float east, north;
} Spot;
KEEL_FIELDS(Spot, KEEL_FIELD(east, .was = "x"), KEEL_FIELD(north, .was = "y"));

typedef struct Life {
    int16_t hp;
    Point at;
} Life;
KEEL_FIELDS(Life, hp, KEEL_FIELD(at, .of = KEEL_TYPE(Point)));
KEEL_COMPONENT(Life, KEEL_HAS_FIELDS(Life));
typedef struct Vigour {
    int16_t points;
    Spot place;
} Vigour;
KEEL_FIELDS(Vigour, KEEL_FIELD(points, .was = "hp"),
            KEEL_FIELD(place, .was = "at", .of = KEEL_TYPE(Spot)));
KEEL_COMPONENT(Vigour, KEEL_HAS_FIELDS(Vigour), .saved_as = "Life");

static void renamed_ones_are_found(void **state) {
    (void)state;
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Life, { 7, { 1, 2 } }));
    expect_ok(save(f.world));
    assert_int_equal(keel_register(loaded, Vigour), KEEL_OK);
    expect_ok(LOAD());
    const Vigour *health = keel_get(loaded, e, Vigour);
    assert_int_equal(health->points, 7);
    assert_true(health->place.east > 0 && health->place.north > 1);
    // saved under the old name, with the new names of fields
    expect_ok(save(loaded));
    keel_clear_entities(loaded);
    expect_ok(LOAD());
    assert_int_equal(keel_get(loaded, e, Vigour)->points, 7);
    keel_clear_entities(f.world);
    expect_ok(keel_load_from(f.world, kept, kept_size, NULL));
    assert_int_equal(keel_get(f.world, e, Life)->hp, 0);
}

static void the_time_before_saved_as_counts_too(void **state) {
    (void)state;
    const keel_component plain = { .name = "Vigour",
                                   .size = sizeof(Vigour),
                                   .align = 4,
                                   .fields = KEEL_FIELDS_Vigour,
                                   .field_count = 2 };
    const Vigour value = { 9, { 3, 4 } };
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_add_component(f.world, e, &plain, &value), KEEL_OK);
    expect_ok(save(f.world));
    assert_int_equal(keel_register(loaded, Vigour), KEEL_OK);
    expect_ok(LOAD());
    assert_int_equal(keel_get(loaded, e, Vigour)->points, 9);
}

static void two_of_one_name_are_refused(void **state) {
    (void)state;
    keel_add_entity(f.world, KEEL_INIT(Life, { 7, { 1, 2 } }));
    expect_ok(save(f.world));
    assert_int_equal(keel_register(f.world, Vigour), KEEL_OK);
    assert_int_equal(keel_register(loaded, Life, Vigour), KEEL_OK);
    const char message[] =
        "'Vigour' and 'Life' are both saved as 'Life'; give one of them another .saved_as";
    expect_schema(LOAD(), message);
    expect_schema(save(f.world), message);
}

static void names_that_mean_two_fields_are_refused(void **state) {
    (void)state;
    keel_field fields[] = { { .name = "a", .type = KEEL_FIELD_I32, .count = 1, .was = "b" },
                            { .name = "b", .type = KEEL_FIELD_I32, .count = 1 } };
    const keel_component c = { .name = "C", .size = 8, .fields = fields, .field_count = 2 };
    for (uint32_t i = 0; i < 3; ++i) {
        assert_null(keel_register_component(f.world, &c));
        assert_non_null(
            strstr(keel_last_error(f.world)->message,
                   "has a field 'a' that has in .was the name, or former name, of another field"));
        keel_clear_errors(f.world);
        fields[1].name = "d";
        fields[1].was = "b";
        if (i == 1) fields[0].was = fields[1].was = "a";
    }
    fields[0].was = NULL;
    fields[1].was = "b";
    assert_non_null(keel_register_component(f.world, &c));
    const keel_component empty = { .name = "E", .saved_as = "" };
    assert_null(keel_register_component(f.world, &empty));
    assert_non_null(strstr(keel_last_error(f.world)->message, "has a .saved_as that is empty"));
    keel_clear_errors(f.world);
}

static void what_became_of_another_kind_is_refused(void **state) {
    (void)state;
    const keel_component relation = { .name = "Life", .is_relation = true };
    keel_add_entity(f.world, KEEL_INIT(Life, { 7, { 1, 2 } }));
    expect_ok(save(f.world));
    assert_non_null(keel_register_component(loaded, &relation));
    expect_schema(LOAD(), "'Life' is a relation in the program and a component in the save");
}

static void a_name_may_be_too_long(void **state) {
    (void)state;
    static char name[300];
    memset(name, 'n', sizeof name - 1);
    const keel_component c = { .name = "C", .saved_as = name };
    assert_int_equal(keel_add_component(f.world, keel_add_entity(f.world), &c, NULL), KEEL_OK);
    expect_schema(save(f.world),
                  "'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn...' has too long a name");
}

// ------------------------------------------------------------------ numbers
typedef struct number_case {
    keel_field_type from;
    const char *value;
    keel_field_type to;
    bool narrow;
    const char *expected; // or how the message ends, after '!'
} number_case;
#define B KEEL_FIELD_BOOL
#define I(n) KEEL_FIELD_I##n
#define U(n) KEEL_FIELD_U##n
#define F(n) KEEL_FIELD_F##n
#define NO(from, to)                                                                               \
    "! is " from " in the save and " to                                                            \
    " in the program, which does not fit; .narrow = true converts "                                \
    "the values that fit"
#define BAD(value) "! of entity 0v0 is " value ", which does not fit"
static const number_case cases[] = {
    // always
    { B, "true", U(8), false, "1" },
    { B, "true", F(32), false, "1.0" },
    { I(8), "-128", I(64), false, "-128" },
    { U(8), "255", I(16), false, "255" },
    { U(16), "65535", U(64), false, "65535" },
    { U(32), "4294967295", I(64), false, "4294967295" },
    { I(16), "-32768", F(32), false, "-32768.0" },
    { U(16), "65535", F(32), false, "65535.0" },
    { I(32), "-2147483648", F(64), false, "-2147483648.0" },
    { U(32), "4294967295", F(64), false, "4294967295.0" },
    { F(32), "-0.0", F(64), false, "-0.0" },
    { F(32), "inf", F(64), false, "inf" },
    { F(32), "nan:7fc12345", F(32), false, "nan:7fc12345" },
    // only where asked for
    { U(8), "1", I(8), false, NO("u8", "i8") },
    { I(8), "1", U(64), false, NO("i8", "u64") },
    { I(32), "1", F(32), false, NO("i32", "f32") },
    { U(64), "1", F(64), false, NO("u64", "f64") },
    { F(64), "1", F(32), false, NO("f64", "f32") },
    { F(32), "1", I(32), false, NO("f32", "i32") },
    { U(8), "1", B, false, NO("u8", "bool") },
    // where the value fits
    { I(64), "-128", I(8), true, "-128" },
    { I(64), "-129", I(8), true, BAD("-129") },
    { I(64), "128", I(8), true, BAD("128") },
    { I(64), "-9223372036854775808", I(64), true, "-9223372036854775808" },
    { U(64), "18446744073709551615", I(64), true, BAD("18446744073709551615") },
    { U(64), "9223372036854775807", I(64), true, "9223372036854775807" },
    { I(32), "-1", U(64), true, BAD("-1") },
    { U(16), "256", U(8), true, BAD("256") },
    { U(16), "1", B, true, "true" },
    { U(16), "2", B, true, BAD("2") },
    { I(32), "16777216", F(32), true, "1.6777216e7" },
    { I(32), "16777217", F(32), true, BAD("16777217") },
    { I(64), "9223372036854775807", F(64), true, BAD("9223372036854775807") },
    { I(64), "-9223372036854775808", F(64), true, "-9.223372036854776e18" },
    { U(64), "18446744073709551615", F(32), true, BAD("18446744073709551615") },
    { F(64), "0.1", F(32), true, "0.1" },
    { F(64), "1e300", F(32), true, BAD("1e+300") },
    { F(64), "-inf", F(32), true, "-inf" },
    { F(64), "nan", F(32), true, "nan" },
    { F(64), "-7.0", I(8), true, "-7" },
    { F(64), "-0.0", U(8), true, "0" },
    { F(64), "7.5", I(32), true, BAD("7.5") },
    { F(32), "nan", I(32), true, BAD("nan") },
    { F(64), "9223372036854775808.0", I(64), true, BAD("9.22337e+18") },
    { F(64), "9223372036854775808.0", U(64), true, "9223372036854775808" },
    { F(64), "1e20", U(64), true, BAD("1e+20") },
    { F(64), "1.0", B, true, "true" },
    { F(64), "-1.0", U(32), true, BAD("-1") },
};
#undef B
#undef I
#undef U
#undef F

static void check_number(const number_case *c) {
    const keel_field field = { .name = "n", .type = c->from, .count = 1 };
    keel_field later = field;
    later.type = c->to;
    const keel_component first = {
        .name = "N", .size = 8, .align = 8, .fields = &field, .field_count = 1
    };
    keel_component second = first;
    second.fields = &later;
    keel_world *world = new_world();
    loaded = new_world();
    uint64_t value = 0;
    keel_field_place place;
    char text[64];
    assert_int_equal(keel_field_find(&first, "n", &place, NULL), KEEL_OK);
    assert_int_equal(keel_field_parse(&place, &value, c->value, NULL), KEEL_OK);
    const keel_entity e = keel_add_entity(world);
    assert_int_equal(keel_add_component(world, e, &first, &value), KEEL_OK);
    expect_ok(save(world));
    const keel_component *here = keel_register_component(loaded, &second);
    const keel_result r = LOAD(.narrow = c->narrow);
    if (c->expected[0] == '!') {
        char message[200];
        (void)snprintf(message, sizeof message, "'N.n'%s", c->expected + 1);
        expect_schema(r, message);
    } else {
        expect_ok(r);
        assert_int_equal(keel_field_find(here, "n", &place, NULL), KEEL_OK);
        keel_field_print(&place, keel_get_component(loaded, e, here), text, sizeof text);
        assert_string_equal(text, c->expected);
    }
    keel_world_destroy(world);
    keel_world_destroy(loaded);
}

static void numbers_fit_or_are_refused(void **state) {
    (void)state;
    keel_world *first = loaded;
    for (const number_case *c = cases; c < cases + sizeof cases / sizeof cases[0]; ++c)
        check_number(c);
    loaded = first;
}

// ------------------------------------------------------------------ arrays and structs
typedef struct Bag {
    int32_t slots[3];
    Point corners[2];
    Point at;
    uint16_t one, many[1];
    char label[6];
} Bag;
KEEL_FIELDS(Bag, slots, KEEL_FIELD(corners, .of = KEEL_TYPE(Point)),
            KEEL_FIELD(at, .of = KEEL_TYPE(Point)), one, many, label);
KEEL_COMPONENT(Bag, KEEL_HAS_FIELDS(Bag));
typedef struct Sack {
    int64_t slots[5];
    Point corners[3], at[2];
    uint16_t one[2], many;
    char label[9];
} Sack;
KEEL_FIELDS(Sack, slots, KEEL_FIELD(corners, .of = KEEL_TYPE(Point)),
            KEEL_FIELD(at, .of = KEEL_TYPE(Point)), one, many, label);
static const Sack full = { { 5, 5, 5, 5, 5 },
                           { { 5, 5 }, { 5, 5 }, { 5, 5 } },
                           { { 5, 5 }, { 5, 5 } },
                           { 5, 5 },
                           5,
                           "other" };
KEEL_COMPONENT(Sack, .name = "Bag", KEEL_HAS_FIELDS(Sack), .initial = &full);
typedef struct Purse {
    int32_t slots[2];
    Point corners;
    char label[4];
} Purse;
KEEL_FIELDS(Purse, slots, KEEL_FIELD(corners, .of = KEEL_TYPE(Point)), label);
KEEL_COMPONENT(Purse, .name = "Bag", KEEL_HAS_FIELDS(Purse));

static void longer_arrays_begin_with_initial(void **state) {
    (void)state;
    const keel_entity e = keel_add_entity(
        f.world,
        KEEL_INIT(Bag, { { 1, 2, 3 }, { { 1, 2 }, { 3, 4 } }, { 6, 7 }, 8, { 9 }, "ropes!" }));
    ((Bag *)keel_get_mut(f.world, e, Bag))->label[5] = '!'; // without an end
    expect_ok(save(f.world));
    assert_int_equal(keel_register(loaded, Sack), KEEL_OK);
    expect_ok(LOAD());
    const Sack *sack = keel_get(loaded, e, Sack);
    const int64_t slots[] = { 1, 2, 3, 5, 5 };
    assert_memory_equal(sack->slots, slots, sizeof slots);
    assert_true(sack->corners[1].y > 3 && sack->corners[2].x > 4 && sack->at[0].y > 6 &&
                sack->at[1].y < 6);
    assert_int_equal(sack->one[0], 8);
    assert_int_equal(sack->one[1], 5);
    assert_int_equal(sack->many, 9);
    assert_string_equal(sack->label, "ropes!");
}

static void shorter_ones_may_only_lose_zeros(void **state) {
    (void)state;
    const keel_entity e = keel_add_entity(
        f.world, KEEL_INIT(Bag, { { 1, 2, 0 }, { { 1, 2 } }, { 6, 7 }, 8, { 9 }, "bag" }));
    expect_ok(save(f.world));
    assert_int_equal(keel_register(loaded, Purse), KEEL_OK);
    expect_ok(LOAD());
    const Purse *purse = keel_get(loaded, e, Purse);
    assert_int_equal(purse->slots[1], 2);
    assert_true(purse->corners.y > 1);
    assert_string_equal(purse->label, "bag");
    keel_clear_entities(loaded);
    Bag *bag = keel_get_mut(f.world, e, Bag);
    bag->slots[2] = 1;
    expect_ok(save(f.world));
    expect_schema(LOAD(), "'Bag.slots' of entity 0v0 has elements that are not zero and have no "
                          "place any more");
    bag->slots[2] = 0;
    bag->corners[1].y = 1;
    expect_ok(save(f.world));
    expect_schema(LOAD(), "'Bag.corners[1].y' of entity 0v0 is not zero and has no place any more");
    bag->corners[1].y = 0;
    bag->label[3] = 's';
    expect_ok(save(f.world));
    expect_schema(LOAD(), "'Bag.label' of entity 0v0 is a text that is too long");
}

typedef struct Flat {
    float at;
    uint8_t label[6];
    Point one;
} Flat;
KEEL_FIELDS(Flat, at, label, KEEL_FIELD(one, .of = KEEL_TYPE(Point)));

static void other_shapes_are_refused(void **state) {
    (void)state;
    keel_add_entity(f.world, KEEL_INIT(Bag, { .slots = { 1, 2, 0 } }));
    expect_ok(save(f.world));
    static const char *const messages[] = {
        "'Bag.at.x' has another shape in the save, which does not fit",
        "'Bag.label' is text in the save and u8 in the program, which does not fit",
        "'Bag.one' has another shape in the save, which does not fit"
    };
    for (uint32_t i = 0; i < 3; ++i) {
        const keel_component c = { .name = "Bag",
                                   .size = sizeof(Flat),
                                   .align = 4,
                                   .fields = &KEEL_FIELDS_Flat[i],
                                   .field_count = 1 };
        keel_world_destroy(loaded);
        loaded = new_world();
        assert_non_null(keel_register_component(loaded, &c));
        expect_schema(LOAD(.narrow = true), messages[i]);
    }
    const keel_component raw = { .name = "Bag", .size = 4, .no_padding = true };
    keel_world_destroy(loaded);
    loaded = new_world();
    assert_non_null(keel_register_component(loaded, &raw));
    expect_schema(LOAD(), "'Bag.slots' has another shape in the save, which does not fit");
}

static void bytes_keep_their_size(void **state) {
    (void)state;
    const keel_component four = { .name = "Raw", .size = 4, .no_padding = true };
    const keel_component eight = { .name = "Raw", .size = 8, .no_padding = true };
    const uint32_t value = 9;
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_add_component(f.world, e, &four, &value), KEEL_OK);
    expect_ok(save(f.world));
    assert_non_null(keel_register_component(loaded, &eight));
    expect_schema(
        LOAD(),
        "'Raw.' is bytes in the save and of another size in the program, which does not fit");
}

// ------------------------------------------------------------------ enums
typedef enum Mood { CALM, ANGRY, HUNGRY } Mood;
KEEL_ENUM(Mood, CALM, ANGRY, HUNGRY);
enum { SWIMS = 1, FLIES = 2 };
KEEL_FLAGS(Skills, SWIMS, FLIES);
typedef struct Mob {
    uint8_t mood, skills;
    int16_t tamed[2];
} Mob;
KEEL_FIELDS(Mob, KEEL_FIELD(mood, .of = KEEL_TYPE(Mood)),
            KEEL_FIELD(skills, .of = KEEL_TYPE(Skills)), KEEL_FIELD(tamed, .of = KEEL_TYPE(Mood)));
KEEL_COMPONENT(Mob, KEEL_HAS_FIELDS(Mob));
static const keel_named_value later_moods[] = { { "ANGRY", 300 }, { "SLEEPY", 0 }, { "CALM", -1 } };
static const keel_type later_mood = { .name = "Mood", .values = later_moods, .value_count = 3 };
static const keel_named_value later_skills[] = { { "FLIES", 1 }, { "DIGS", 2 }, { "SWIMS", 16 } };
static const keel_type later_skill = { .values = later_skills, .value_count = 3, .is_flags = true };
static const keel_field later_fields[] = {
    { .name = "mood", .type = KEEL_FIELD_I16, .offset = 0, .count = 1, .of = &later_mood },
    { .name = "skills", .type = KEEL_FIELD_U8, .offset = 2, .count = 1, .of = &later_skill },
    { .name = "tamed", .type = KEEL_FIELD_I16, .offset = 4, .count = 2, .of = &later_mood }
};
typedef struct later_mob {
    int16_t mood;
    uint8_t skills;
    int16_t tamed[2];
} later_mob;
static const keel_component later_mobs = {
    .name = "Mob", .size = sizeof(later_mob), .align = 2, .fields = later_fields, .field_count = 3
};

static void enums_go_by_name(void **state) {
    (void)state;
    const keel_entity e =
        keel_add_entity(f.world, KEEL_INIT(Mob, { ANGRY, SWIMS | FLIES | 0x80, { 77, CALM } }));
    expect_ok(save(f.world));
    const keel_component *here = keel_register_component(loaded, &later_mobs);
    expect_ok(LOAD());
    const later_mob *mob = keel_get_component(loaded, e, here);
    assert_int_equal(mob->mood, 300);
    assert_int_equal(mob->skills, 0x80 | 16 | 1);
    assert_int_equal(mob->tamed[0], 77); // has no name
    assert_int_equal(mob->tamed[1], -1);
    keel_clear_entities(loaded);
    ((Mob *)keel_get_mut(f.world, e, Mob))->mood = HUNGRY;
    expect_ok(save(f.world));
    expect_schema(LOAD(),
                  "'Mob.mood' of entity 0v0 is 'HUNGRY', which 'Mood' does not have any more");
}

static void names_may_need_more_room(void **state) {
    (void)state;
    keel_field fields[3];
    memcpy(fields, later_fields, sizeof fields);
    fields[0].type = KEEL_FIELD_U8;
    keel_component c = later_mobs;
    c.fields = fields;
    keel_add_entity(f.world, KEEL_INIT(Mob, { ANGRY, 0, { 0, 0 } }));
    expect_ok(save(f.world));
    assert_non_null(keel_register_component(loaded, &c));
    expect_schema(LOAD(), "'Mob.mood' of entity 0v0 is 300, which does not fit");
}

// ------------------------------------------------------------------ owned texts
typedef struct Sign {
    char *text, *lines[2];
    int32_t height;
} Sign;
KEEL_FIELDS(Sign, text, lines, height);
static void drop_sign(void *value, void *data) {
    (void)data;
    Sign *s = value;
    free(s->text);
    free(s->lines[0]);
    free(s->lines[1]);
}
static char *new_text(const char *from) {
    char *text = malloc(strlen(from) + 1);
    assert_non_null(text);
    return strcpy(text, from);
}
static bool copy_text(char **to, const char *from) {
    *to = from ? new_text(from) : NULL;
    return *to || !from;
}
static bool copy_sign(void *to, const void *from, void *data) {
    const Sign *s = from;
    Sign copy = { .height = s->height };
    if (copy_text(&copy.text, s->text) && copy_text(&copy.lines[0], s->lines[0]) &&
        copy_text(&copy.lines[1], s->lines[1])) {
        memcpy(to, &copy, sizeof copy);
        return true;
    }
    drop_sign(&copy, data);
    return false;
}
KEEL_COMPONENT(Sign, KEEL_HAS_FIELDS(Sign), .drop = drop_sign, .copy = copy_sign);
static char keep_out[] = "keep out";
static const Sign begin_sign = { .text = keep_out, .lines = { keep_out, keep_out }, .height = 3 };
static const keel_component begun_sign = { .name = "Sign",
                                           .size = sizeof(Sign),
                                           .align = sizeof(void *),
                                           .fields = KEEL_FIELDS_Sign,
                                           .field_count = 3,
                                           .drop = drop_sign,
                                           .copy = copy_sign,
                                           .initial = &begin_sign };
typedef struct Plate {
    char text[5], lines[12];
} Plate;
KEEL_FIELDS(Plate, text);
KEEL_COMPONENT(Plate, .name = "Sign", KEEL_HAS_FIELDS(Plate));

static void owned_texts_come_back(void **state) {
    (void)state;
    keel_entity signs[40];
    for (uint32_t i = 0; i < 40; ++i) {
        char text[64];
        (void)snprintf(text, sizeof text, "%.*s", (int)i,
                       "to the mill, and over the bridge behind it");
        signs[i] = keel_add_entity(
            f.world,
            KEEL_INIT(Sign, { i % 3 ? new_text(text) : NULL, { NULL, new_text("") }, (int)i }));
    }
    expect_ok(save(f.world));
    const keel_component *here = keel_register_component(loaded, &begun_sign);
    expect_ok(LOAD());
    for (uint32_t i = 0; i < 40; ++i) {
        const Sign *a = keel_get(f.world, signs[i], Sign),
                   *b = keel_get_component(loaded, signs[i], here);
        assert_int_equal(a->height, b->height);
        assert_true(!a->text == !b->text && !b->lines[0]);
        if (a->text) assert_string_equal(a->text, b->text);
        assert_string_equal(b->lines[1], "");
    }
    uint64_t first, second;
    assert_int_equal(keel_world_hash(f.world, &first), KEEL_OK);
    assert_int_equal(keel_world_hash(loaded, &second), KEEL_OK);
    assert_true(first == second);
}

static void texts_change_who_owns_them(void **state) {
    (void)state;
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Plate, { "abcd", "" }));
    expect_ok(save(f.world));
    const keel_component *sign = keel_register_component(loaded, &begun_sign);
    expect_ok(LOAD());
    const Sign *now = keel_get_component(loaded, e, sign);
    assert_string_equal(now->text, "abcd");
    assert_string_equal(now->lines[1], "keep out");
    expect_ok(save(loaded)); // and back
    keel_world_destroy(loaded);
    loaded = new_world();
    assert_int_equal(keel_register(loaded, Plate), KEEL_OK);
    expect_ok(LOAD());
    assert_string_equal(keel_get(loaded, e, Plate)->text, "abcd");
    keel_clear_entities(f.world);
    assert_int_equal(keel_unregister_component(f.world, KEEL_OF(Plate)), KEEL_OK);
    keel_add_entity(f.world, KEEL_INIT(Sign, { new_text("abcde"), { NULL, NULL }, 0 }));
    expect_ok(save(f.world));
    keel_clear_entities(loaded);
    expect_schema(LOAD(), "'Sign.text' of entity 0v1 is a text that is too long");
}

// ------------------------------------------------------------------ versions
typedef struct Old {
    int16_t hp, scores[2];
    char rank[8];
    keel_entity foe;
    double speed;
    uint8_t mood;
    float shield;
} Old;
KEEL_FIELDS(Old, hp, scores, rank, foe, speed, KEEL_FIELD(mood, .of = KEEL_TYPE(Mood)), shield);
KEEL_COMPONENT(Old, .name = "Hero", KEEL_HAS_FIELDS(Old), .version = 1);
typedef struct Hero {
    int32_t points, best;
    uint8_t rank; // was a text
    keel_entity rival;
    bool is_angry;
    int32_t shield;
    char notes[32];
} Hero;
KEEL_FIELDS(Hero, KEEL_FIELD(points, .was = "hp"), best, rank, rival, is_angry, shield, notes);

static keel_result migrate_hero(const keel_old_value *old, void *value, void *data) {
    Hero *hero = value;
    uint32_t *calls = data;
    ++*calls;
    assert_int_equal(keel_old_version(old), 1);
    hero->best = (int32_t)keel_old_int(old, "scores[1]", -1);
    const char *rank = keel_old_text(old, "rank", "?");
    assert_true(strlen(rank) <= 8); // one without an end gets one
    hero->rank = !strcmp(rank, "knight");
    hero->rival = keel_old_entity(old, "foe", keel_null());
    hero->is_angry = !strcmp(keel_old_text(old, "mood", ""), "ANGRY");
    hero->shield = (int32_t)(keel_old_float(old, "shield", 0) * 10);
    (void)snprintf(hero->notes, sizeof hero->notes, "%s %d %s", rank,
                   (int)keel_old_int(old, "speed", 0), keel_old_text(old, "hp", "none"));
    // what is not there, or of another type
    assert_int_equal(keel_old_int(old, "points", 5), 5);
    assert_int_equal(keel_old_int(old, "rank", 5), 5);
    assert_int_equal(keel_old_int(old, "scores[2]", 5), 5);
    assert_int_equal(keel_old_int(old, "hp", 5), hero->points);
    assert_true(keel_is_null(keel_old_entity(old, "hp", keel_null())));
    assert_string_equal(keel_old_text(old, "", "?"), "?");
    assert_int_equal(keel_old_int(NULL, "hp", 5), 5);
    assert_int_equal(keel_old_int(old, NULL, 5), 5);
    assert_int_equal(keel_old_version(NULL), 0);
    return hero->points == 13 ? KEEL_ERROR_ARGUMENT : KEEL_OK;
}
static uint32_t calls;
KEEL_COMPONENT(Hero, KEEL_HAS_FIELDS(Hero), .version = 2, .migrate = migrate_hero,
               .hook_data = &calls);

static keel_entity add_old(int16_t hp) {
    const keel_entity e = keel_add_entity(f.world);
    const Old old = { hp, { 3, 4 }, "knight", e, 2.9, ANGRY, 0.5F };
    assert_int_equal(keel_add_component(f.world, e, KEEL_OF(Old), &old), KEEL_OK);
    return e;
}

static void migrate_makes_what_is_missing(void **state) {
    (void)state;
    calls = 0;
    const keel_entity e = add_old(7);
    Old *second = keel_get_mut(f.world, add_old(8), Old);
    memcpy(second->rank, "knightly", 8);
    expect_ok(save(f.world));
    assert_int_equal(keel_register(loaded, Hero), KEEL_OK);
    expect_ok(LOAD());
    assert_int_equal(calls, 2);
    const Hero *hero = keel_get(loaded, e, Hero);
    assert_int_equal(hero->points, 7);
    assert_int_equal(hero->best, 4);
    assert_int_equal(hero->rank, 1);
    assert_true(keel_is_same(hero->rival, e));
    assert_true(hero->is_angry);
    assert_int_equal(hero->shield, 5);
    assert_string_equal(hero->notes, "knight 2 none");
    expect_ok(save(loaded)); // of today: it is not asked
    keel_clear_entities(loaded);
    expect_ok(LOAD());
    assert_int_equal(calls, 2);
    // what it refuses
    (void)add_old(13);
    expect_ok(save(f.world));
    keel_clear_entities(loaded);
    assert_int_equal(LOAD(), KEEL_ERROR_ARGUMENT);
    assert_string_equal(why.message, "'Hero' of entity 2v0: .migrate failed: "
                                     "an argument is out of its documented range");
}

static keel_result migrate_nothing(const keel_old_value *old, void *value, void *data) {
    (void)old, (void)value, (void)data;
    return KEEL_OK;
}

static void what_nobody_asks_for_is_refused(void **state) {
    (void)state;
    keel_component lazy = *KEEL_OF(Hero);
    lazy.migrate = migrate_nothing;
    lazy.slot = NULL, lazy.declared = NULL;
    (void)add_old(7);
    expect_ok(save(f.world));
    assert_non_null(keel_register_component(loaded, &lazy));
    expect_schema(LOAD(), "'Hero.rank' of the save does not fit, and .migrate does not ask for it");
    keel_world_destroy(loaded);
    loaded = new_world();
    lazy.migrate = NULL;
    assert_non_null(keel_register_component(loaded, &lazy));
    expect_schema(LOAD(),
                  "'Hero.rank' is text in the save and u8 in the program, which does not fit");
}

static void a_later_version_is_refused(void **state) {
    (void)state;
    keel_add_entity(f.world, KEEL_INIT(Hero, { .points = 3 }));
    expect_ok(save(f.world));
    assert_int_equal(keel_register(loaded, Old), KEEL_OK);
    expect_schema(LOAD(), "'Hero' has version 2 in the save, and this program knows 1; a later "
                          "program wrote it");
}

// ------------------------------------------------------------------ states
typedef enum Phase { MENU, PLAYING } Phase;
KEEL_ENUM(Phase, MENU, PLAYING);
KEEL_STATE(Phase, KEEL_HAS_NAMES(Phase));
KEEL_WORKLOAD(enter_phase, KEEL_TRANSITION(Phase));

static void states_go_by_name(void **state) {
    (void)state;
    const keel_named_value values[] = { { "LOADING", 0 }, { "MENU", 1 }, { "PLAYING", 2 } };
    const keel_type type = { .name = "Phase", .values = values, .value_count = 3 };
    const keel_field field = { .name = "value", .type = KEEL_FIELD_U32, .count = 1, .of = &type };
    const keel_component later = { .type = "Phase",
                                   .size = sizeof(Phase),
                                   .align = _Alignof(Phase),
                                   .is_unique = true,
                                   .fields = &field,
                                   .field_count = 1 };
    assert_int_equal(keel_set_state(f.world, Phase, PLAYING), KEEL_OK);
    assert_int_equal(keel_run_workload(f.world, enter_phase), KEEL_OK);
    expect_ok(save(f.world));
    expect_schema(LOAD(), "the program does not know 'Phase_transition', which is in the save; "
                          "register it (KEEL_STATE_OF of its state has it, as .transition) first, "
                          "or load with .unknown = KEEL_UNKNOWN_SKIP or KEEL_UNKNOWN_KEEP");
    const keel_component *known = keel_register_component(loaded, &later);
    assert_non_null(known);
    assert_non_null(keel_register_component(loaded, KEEL_STATE_OF(Phase)->transition));
    expect_ok(LOAD());
    assert_int_equal(*(const uint32_t *)keel_get_unique_value(loaded, known), 2);
}

static const struct CMUnitTest tests[] = {
    SAVE_TEST(renamed_ones_are_found, "renamed components and fields are found"),
    SAVE_TEST(the_time_before_saved_as_counts_too, "a save of the name before .saved_as loads"),
    SAVE_TEST(two_of_one_name_are_refused, "two components of one name in files are refused"),
    SAVE_TEST(names_that_mean_two_fields_are_refused, "a .was that means two fields is refused"),
    SAVE_TEST(what_became_of_another_kind_is_refused, "what became of another kind is refused"),
    SAVE_TEST(a_name_may_be_too_long, "a name that is too long is refused"),
    SAVE_TEST(numbers_fit_or_are_refused, "numbers fit, or are refused with their place"),
    SAVE_TEST(longer_arrays_begin_with_initial, "longer arrays go on as .initial does"),
    SAVE_TEST(shorter_ones_may_only_lose_zeros, "shorter arrays and texts lose nothing"),
    SAVE_TEST(other_shapes_are_refused, "other shapes are refused"),
    SAVE_TEST(bytes_keep_their_size, "bytes of another size are refused"),
    SAVE_TEST(enums_go_by_name, "values of enums and flags go by name"),
    SAVE_TEST(states_go_by_name, "states go by name"),
    SAVE_TEST(names_may_need_more_room, "a name whose number does not fit is refused"),
    SAVE_TEST(owned_texts_come_back, "texts that values own come back"),
    SAVE_TEST(texts_change_who_owns_them, "texts of both kinds become each other"),
    SAVE_TEST(migrate_makes_what_is_missing, "migrate makes what an older version did not have"),
    SAVE_TEST(what_nobody_asks_for_is_refused, "what does not fit and nobody asks for is refused"),
    SAVE_TEST(a_later_version_is_refused, "a later version is refused"),
};

int main(void) { return RUN(tests); }
