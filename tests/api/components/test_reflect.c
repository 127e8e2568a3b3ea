// SPDX-License-Identifier: MIT
// Fields by path: nested structs, enums, flags, texts; printed, parsed, hashed.
#include "support/api_types.h"
#include "support/locale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum Mood { CALM, ANGRY = 5, AFRAID = -2 } Mood;
KEEL_ENUM(Mood, CALM, ANGRY, AFRAID);
enum { SWIMS = 1, FLIES = 2, DIGS = 128 };
KEEL_FLAGS(Skills, SWIMS, FLIES, DIGS);
typedef struct Vec2 {
    float x, y;
} Vec2;
KEEL_FIELDS(Vec2, x, y);
typedef struct Slot {
    char kind;
    Vec2 at;
    int16_t count;
    char label[6];
} Slot;
KEEL_FIELDS(Slot, kind, KEEL_FIELD(at, .of = KEEL_TYPE(Vec2)), count, label);

typedef struct Opaque {
    uint8_t raw[3];
} Opaque;
typedef struct Turret {
    double angle;
    Vec2 at;
    Slot slots[4];
    Mood mood;
    uint8_t skills;
    float reload;
    const char *cache;
    float matrix[2][3];
    keel_entity target;
    Opaque opaque;
    bool on;
    int8_t i8;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    long long numbers[2];
    char name[12];
} Turret;
KEEL_FIELDS(Turret, angle, KEEL_FIELD(at, .of = KEEL_TYPE(Vec2)),
            KEEL_FIELD(slots, .of = KEEL_TYPE(Slot)), KEEL_FIELD(mood, .of = KEEL_TYPE(Mood)),
            KEEL_FIELD(skills, .of = KEEL_TYPE(Skills)),
            KEEL_FIELD(reload, .unit = "s", .min = 0, .max = 9.5),
            KEEL_FIELD(cache, .transient = true, .hidden = true), matrix, target,
            KEEL_FIELD(opaque, .bytes = true), on, i8, u16, i32, u32, i64, u64, numbers, name);
KEEL_COMPONENT(Turret, KEEL_HAS_FIELDS(Turret));

// A text that the value owns.
typedef struct Title {
    char *text;
    char *others[2];
    uint8_t rank;
} Title;
KEEL_FIELDS(Title, text, others, rank);
static char *copied(const char *text) {
    char *copy = text ? malloc(strlen(text) + 1) : NULL;
    if (copy) strcpy(copy, text);
    return copy;
}
static void title_drop(void *value, void *data) {
    Title *title = value;
    (void)data;
    free(title->text);
    free(title->others[0]);
    free(title->others[1]);
}
static bool title_copy(void *to, const void *from, void *data) {
    const Title *title = from;
    (void)data;
    *(Title *)to = (Title){ copied(title->text),
                            { copied(title->others[0]), copied(title->others[1]) },
                            title->rank };
    return true;
}
KEEL_COMPONENT(Title, KEEL_HAS_FIELDS(Title), .drop = title_drop, .copy = title_copy);

static keel_field_place place_of(const keel_component *c, const char *path) {
    keel_field_place place;
    keel_error error;
    if (keel_field_find(c, path, &place, &error) != KEEL_OK) fail_msg("%s", error.message);
    return place;
}
#define PLACE(path) place_of(KEEL_OF(Turret), path)

static const char *printed(const keel_component *c, const char *path, const void *value) {
    static char text[8][4096];
    static int next;
    char *out = text[next++ % 8];
    const keel_field_place place = place_of(c, path);
    const size_t length = keel_field_print(&place, value, out, sizeof text[0]);
    assert_true(length < sizeof text[0]);
    assert_int_equal(strlen(out), length);
    return out;
}
#define assert_printed(path, value, expected)                                                      \
    assert_string_equal(printed(KEEL_OF(Turret), path, value), expected)

static void parsed(const char *path, Turret *t, const char *text) {
    const keel_field_place place = PLACE(path);
    keel_error error;
    if (keel_field_parse(&place, t, text, &error) != KEEL_OK) fail_msg("%s", error.message);
    assert_int_equal(error.result, KEEL_OK);
}

static void assert_refused(const char *path, const char *text, const char *says) {
    Turret t, before;
    keel_error error;
    memset(&t, 0x11, sizeof t);
    memcpy(&before, &t, sizeof t);
    const keel_field_place place = PLACE(path);
    assert_int_equal(keel_field_parse(&place, &t, text, NULL), KEEL_ERROR_TEXT);
    assert_int_equal(keel_field_parse(&place, &t, text, &error), KEEL_ERROR_TEXT);
    assert_memory_equal(&t, &before, sizeof t);
    if (!strstr(error.message, says) || strncmp(error.message, "Turret.", 7) != 0)
        fail_msg("'%s' does not say '%s'", error.message, says);
}

// ------------------------------------------------------------------ finding
static void paths_lead_to_fields(void **state) {
    (void)state;
    keel_field_place p = PLACE("at.y");
    assert_int_equal(p.offset, offsetof(Turret, at) + offsetof(Vec2, y));
    assert_int_equal(p.size, 4);
    assert_int_equal(p.count, 1);
    assert_int_equal(p.field->type, KEEL_FIELD_F32);
    assert_string_equal(p.path, "Turret.at.y");
    p = PLACE("slots");
    assert_int_equal(p.count, 4);
    assert_int_equal(p.size, sizeof(Slot) * 4);
    p = PLACE("slots[3]");
    assert_int_equal(p.count, 1);
    assert_int_equal(p.size, sizeof(Slot));
    p = PLACE("slots[3].at.x");
    assert_int_equal(p.offset, offsetof(Turret, slots[3].at.x));
    p = PLACE("slots[2].count");
    assert_int_equal(p.offset, offsetof(Turret, slots[2].count));
    assert_int_equal(p.field->type, KEEL_FIELD_I16);
    p = PLACE("matrix[5]");
    assert_int_equal(p.offset, offsetof(Turret, matrix[1][2]));
    p = PLACE("opaque");
    assert_int_equal(p.size, 3);
    assert_int_equal(PLACE("name").count, 1);
}

static void wrong_paths_are_named(void **state) {
    (void)state;
    static const struct {
        const char *path, *says;
        keel_result result;
    } wrong[] = {
        { "", "Turret.: there is no field ''", KEEL_ERROR_UNKNOWN },
        { "att", "Turret.att: there is no field 'att'", KEEL_ERROR_UNKNOWN },
        { "at.z", "Turret.at.z: there is no field 'z'", KEEL_ERROR_UNKNOWN },
        { "at.", "there is no field ''", KEEL_ERROR_UNKNOWN },
        { "angle.x", "'angle' has no '.x'", KEEL_ERROR_UNKNOWN },
        { "slots.at", "'slots' has no '.at'", KEEL_ERROR_UNKNOWN },
        { "slots[4]", "'[4]' is outside of the 4 elements of 'slots'", KEEL_ERROR_ARGUMENT },
        { "slots[1", "'[1' is no index, such as [3]", KEEL_ERROR_ARGUMENT },
        { "slots[-1]", "is no index", KEEL_ERROR_ARGUMENT },
        { "slots[99999999999999999999]", "is no index", KEEL_ERROR_ARGUMENT },
        { "slots[1]x", "'slots' has no 'x'", KEEL_ERROR_UNKNOWN },
        { "name[0]", "outside of the 0 elements of 'name'", KEEL_ERROR_ARGUMENT },
    };
    keel_field_place place;
    keel_error error;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        assert_int_equal(keel_field_find(KEEL_OF(Turret), wrong[i].path, &place, &error),
                         wrong[i].result);
        if (!strstr(error.message, wrong[i].says))
            fail_msg("'%s' does not say '%s'", error.message, wrong[i].says);
        assert_int_equal(error.result, wrong[i].result);
        assert_null(place.field);
        assert_int_equal(keel_field_find(KEEL_OF(Turret), wrong[i].path, &place, NULL),
                         wrong[i].result);
    }
    Turret t = { .angle = 1 };
    assert_int_equal(keel_field_print(&place, &t, NULL, 0), 0); // nothing was found
    assert_int_equal(keel_field_parse(&place, &t, "1", &error), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_field_find(NULL, "x", &place, &error), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_field_find(KEEL_OF(Turret), NULL, &place, NULL), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_field_find(KEEL_OF(Turret), "x", NULL, NULL), KEEL_ERROR_ARGUMENT);
}

// ------------------------------------------------------------------ printing and parsing
static void values_are_printed(void **state) {
    (void)state;
    Turret t = { .angle = -0.0,
                 .at = { 0.1f, 1e20f },
                 .slots = { { .kind = 'k', .count = -7, .label = "a\"b\n" } },
                 .mood = ANGRY,
                 .skills = FLIES | DIGS | 64,
                 .reload = 2.5f,
                 .matrix = { { 1, 2, 3 }, { 4, 5, 6 } },
                 .target = keel_entity_make(17, 3),
                 .opaque = { { 0, 0xab, 255 } },
                 .on = true,
                 .i8 = INT8_MIN,
                 .u64 = UINT64_MAX,
                 .i64 = INT64_MIN,
                 .name = "J\xc3\xbcrgen\x1b" };
    assert_printed("angle", &t, "-0.0");
    assert_printed("at", &t, "{x: 0.1, y: 1e20}");
    assert_printed("slots[0]", &t,
                   "{kind: \"k\", at: {x: 0.0, y: 0.0}, count: -7, label: \"a\\\"b\\n\"}");
    assert_printed("mood", &t, "ANGRY");
    assert_printed("skills", &t, "FLIES | DIGS | 0x40");
    assert_printed("reload", &t, "2.5");
    assert_printed("matrix", &t, "[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]");
    assert_printed("target", &t, "17v3");
    assert_printed("opaque", &t, "00abff");
    assert_printed("on", &t, "true");
    assert_printed("i8", &t, "-128");
    assert_printed("u64", &t, "18446744073709551615");
    assert_printed("i64", &t, "-9223372036854775808");
    assert_printed("numbers", &t, "[0, 0]");
    assert_printed("name", &t, "\"J\xc3\xbcrgen\\x1b\"");
    t.mood = (Mood)7;
    t.skills = 0;
    t.target = keel_null();
    assert_printed("mood", &t, "7");
    assert_printed("skills", &t, "0");
    assert_printed("target", &t, "null");
    char few[4];
    const keel_field_place place = PLACE("matrix");
    assert_int_equal(keel_field_print(&place, &t, few, sizeof few), 30);
    assert_string_equal(few, "[1.");
    assert_int_equal(keel_field_print(&place, &t, NULL, 0), 30);
}

static void texts_are_parsed(void **state) {
    (void)state;
    Turret t = { .slots = { { .count = 9, .at = { 3, 4 } } } };
    parsed("angle", &t, " +1.5e3 ");
    assert_true(t.angle == 1500);
    parsed("at", &t, "{ y : 2 , x:-.5 }");
    assert_true(t.at.x == -0.5f && t.at.y == 2);
    parsed("slots[0]", &t, "{at: {y: 7}, label: \"abcde\"}"); // the others stay
    assert_true(t.slots[0].count == 9 && t.slots[0].at.x == 3 && t.slots[0].at.y == 7);
    assert_string_equal(t.slots[0].label, "abcde");
    parsed("mood", &t, "AFRAID");
    assert_int_equal(t.mood, AFRAID);
    parsed("mood", &t, "12");
    assert_int_equal(t.mood, 12);
    parsed("skills", &t, "SWIMS|FLIES | 0x80");
    assert_int_equal(t.skills, 131);
    parsed("skills", &t, "0");
    assert_int_equal(t.skills, 0);
    parsed("target", &t, "4v0");
    assert_true(keel_is_same(t.target, keel_entity_make(4, 0)));
    parsed("opaque", &t, "00FFa1");
    assert_int_equal(t.opaque.raw[2], 0xa1);
    parsed("u32", &t, "0xFFFFFFFF");
    assert_true(t.u32 == UINT32_MAX);
    parsed("name", &t, "Bob the 2nd"); // needs no quotes
    assert_string_equal(t.name, "Bob the 2nd");
    parsed("name", &t, "\"a\\x41\\t\\\\\"");
    assert_string_equal(t.name, "aA\t\\");
    assert_int_equal(t.name[11], 0); // no rest of what was there
    parsed("name", &t, "");
    assert_string_equal(t.name, "");
    parsed("slots[1].kind", &t, "\"z\"");
    assert_int_equal(t.slots[1].kind, 'z');
    parsed("slots[1].kind", &t, "");
    assert_int_equal(t.slots[1].kind, 0);
    parsed("numbers", &t, "[1,-2]");
    assert_true(t.numbers[1] == -2);
    parsed("reload", &t, "9.5");
    assert_true(t.reload == 9.5f);
}

static void what_is_no_value_is_refused(void **state) {
    (void)state;
    assert_refused("angle", "", "Turret.angle: '' is no number");
    assert_refused("angle", "1,5", "Turret.angle: unexpected ',5' after");
    assert_refused("angle", "1e999", "'1e999' is no number");
    assert_refused("angle", "0x10", "'0x10' is no number");
    assert_refused("angle", "1.5 apples", "'1.5 apples' is no number");
    assert_refused("angle", "nan:0", "is no number");
    assert_refused("angle", "nan:7ff0000000000000", "is no number");
    assert_refused("at.x", "nan:1ffffffff", "is no number");
    assert_refused("at", "{x: 1, y: q}", "Turret.at: 'q' is no number");
    assert_refused("at", "{x: 1, z: 1}", "'z' is no field of the struct");
    assert_refused("at", "{x: 1", "a field must end with , or }");
    assert_refused("at", "{x 1}", "a colon is missing after 'x'");
    assert_refused("at", "1", "a struct must begin with {, not with '1'");
    assert_refused("at", "{x: 1} y", "unexpected 'y' after");
    assert_refused("numbers", "[1]", "1 elements, but the array has 2");
    assert_refused("numbers", "[1, 2, 3]", "an array of 2 must end with ]");
    assert_refused("numbers", "1, 2", "an array must begin with [");
    assert_refused("reload", "9.6", "Turret.reload: '9.6' is not from 0.0 to 9.5");
    assert_refused("reload", "-1", "is not from");
    assert_refused("reload", "nan", "is not from");
    assert_refused("mood", "HUNGRY", "Turret.mood: 'HUNGRY' is no Mood: CALM, ANGRY");
    assert_refused("mood", "CALM | ANGRY", "unexpected '| ANGRY' after");
    assert_refused("skills", "SWIMS | RUNS", "'RUNS' is no Skills: SWIMS, FLIES");
    assert_refused("skills", "256", "'256' does not fit into u8");
    assert_refused("skills", "SWIMS |", "'' is no Skills");
    assert_refused("i8", "128", "'128' does not fit into i8");
    assert_refused("i8", "-129", "does not fit");
    assert_refused("u16", "-1", "'-1' does not fit into u16");
    assert_refused("u64", "18446744073709551616", "is no integer");
    assert_refused("i64", "-9223372036854775809", "does not fit");
    assert_refused("i32", "1.0", "is no integer");
    assert_refused("on", "1", "Turret.on: '1' is no bool");
    assert_refused("target", "3", "'3' is no entity, such as 17v3 or null");
    assert_refused("target", "-3v1", "is no entity");
    assert_refused("target", "99999999999v1", "is no entity");
    assert_refused("opaque", "00ff", "4 hexadecimal digits, but 3 bytes need 6");
    assert_refused("opaque", "00ffgg", "is no row of hexadecimal digits");
    assert_refused("name", "twelve chars", "the text is longer than 11 characters");
    assert_refused("name", "\"half", "a quote is missing at the end of the text");
    assert_refused("name", "\"\\q\"", "'\\q\"' is no escape sequence");
    assert_refused("name", "\"\\x00\"", "is no escape sequence");
    assert_refused("slots[0]", "{label: abc}", "a text must begin with a quote, not with 'abc}'");
    assert_refused("slots[0].kind", "ab", "longer than 1 char");
}

static void owned_texts_are_replaced(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Title, { .rank = 2 }));
    Title *title = keel_get_mut(f.world, e, Title);
    const keel_field_place text = place_of(KEEL_OF(Title), "text");
    const keel_field_place others = place_of(KEEL_OF(Title), "others");
    assert_string_equal(printed(KEEL_OF(Title), "text", title), "null");
    assert_int_equal(keel_field_parse(&text, title, "King \"K\"", NULL), KEEL_OK);
    assert_string_equal(title->text, "King \"K\"");
    assert_string_equal(printed(KEEL_OF(Title), "text", title), "\"King \\\"K\\\"\"");
    assert_int_equal(keel_field_parse(&text, title, title->text, NULL), KEEL_OK); // by itself
    assert_string_equal(title->text, "King \"K\"");
    assert_int_equal(keel_field_parse(&others, title, "[\"a\", null]", NULL), KEEL_OK);
    assert_string_equal(title->others[0], "a");
    assert_null(title->others[1]);
    keel_error error;
    assert_int_equal(keel_field_parse(&others, title, "[\"b\", c]", &error), KEEL_ERROR_TEXT);
    assert_string_equal(title->others[0], "a");
    assert_int_equal(keel_field_parse(&others, title, "[null, \"\"]", NULL), KEEL_OK);
    assert_null(title->others[0]);
    assert_string_equal(printed(KEEL_OF(Title), "others", title), "[null, \"\"]");
    assert_int_equal(keel_field_parse(&text, title, "null", NULL), KEEL_OK);
    assert_null(title->text);
    api_end(&f);
}

// ------------------------------------------------------------------ there and back
static uint64_t random_bits(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed ^ *seed >> 29;
}

// Bytes that are a value of a field: bools are 0 or 1, texts end, handles exist.
static void make_value(Turret *t, uint64_t *seed) {
    unsigned char *bytes = (unsigned char *)t;
    for (size_t i = 0; i < sizeof *t; ++i)
        bytes[i] = (unsigned char)(random_bits(seed) >> 13);
    const bool on = random_bits(seed) >> 40 & 1;
    memcpy(&t->on, &on, sizeof on);
    t->cache = NULL;
    t->reload = (float)(random_bits(seed) >> 20 & 63) / 7;
    t->target = keel_entity_make((uint32_t)random_bits(seed) & KEEL_MAX_ENTITY_INDEX & 0xFFFFFFF,
                                 (uint32_t)(random_bits(seed) >> 40) & 0xFFF);
    memset(t->name + random_bits(seed) % 12, 0, 1);
    for (int i = 0; i < 4; ++i)
        t->slots[i].label[random_bits(seed) % 6] = 0;
    const uint64_t kind = random_bits(seed) >> 33;
    if (kind % 8 == 0) t->angle = (double)(kind >> 3);
    if (kind % 8 == 1) t->angle = 1.0 / (double)(kind | 1);
    if (kind % 8 == 2) t->angle = kind & 8 ? (double)-INFINITY : -0.0;
    if (kind % 8 == 3) t->mood = kind & 8 ? ANGRY : AFRAID;
    if (kind % 8 == 4) t->at = (Vec2){ (float)(kind % 1000) / 100, 1e-45f };
}

static void same_after_text(const char *path, const Turret *t) {
    Turret back;
    memset(&back, 0, sizeof back);
    const keel_field_place place = PLACE(path);
    const char *text = printed(KEEL_OF(Turret), path, t);
    keel_error error;
    if (keel_field_parse(&place, &back, text, &error) != KEEL_OK) fail_msg("%s", error.message);
    assert_string_equal(printed(KEEL_OF(Turret), path, &back), text);
    if (place.field->type == KEEL_FIELD_STRUCT) return; // padding differs, and rests of texts
    const char *a = (const char *)t + place.offset, *b = (const char *)&back + place.offset;
    if (place.field->type == KEEL_FIELD_TEXT) assert_int_equal(strncmp(a, b, place.size), 0);
    else assert_memory_equal(a, b, place.size);
}

static void all_come_back(uint64_t *seed, uint32_t rounds) {
    static const char *const paths[] = { "slots[2].at.x", "slots[1].at", "slots[3].count",
                                         "slots[0].label" };
    Turret t;
    for (uint32_t round = 0; round < rounds; ++round) {
        make_value(&t, seed);
        for (uint32_t i = 0; i < KEEL_OF(Turret)->field_count; ++i)
            same_after_text(KEEL_OF(Turret)->fields[i].name, &t);
        for (size_t i = 0; i < sizeof paths / sizeof paths[0]; ++i)
            same_after_text(paths[i], &t);
    }
}

static void every_kind_comes_back_bit_for_bit(void **state) {
    (void)state;
    uint64_t seed = 2024;
    all_come_back(&seed, test_rounds(5000));
}

static void every_float_comes_back(void **state) {
    (void)state;
    Turret t = { .angle = 0 }, back = t;
    const keel_field_place f32 = PLACE("at.x"), f64 = PLACE("angle");
    static const uint64_t odd[] = {
        0x7FF0000000000001u, 0xFFF8000000000000u, 0x7FFFFFFFFFFFFFFFu, 0x7F80000100000001u, 1,
        0x8000000000000000u, 0x7FEFFFFFFFFFFFFFu, 0x0010000000000000u
    };
    uint64_t seed = 7;
    const uint32_t rounds = test_rounds(100000);
    for (uint32_t i = 0; i < rounds; ++i) {
        const uint64_t bits = i < 8 ? odd[i] : random_bits(&seed) * 2654435761u;
        const uint32_t low = (uint32_t)(bits >> 32);
        char text[64];
        memcpy(&t.angle, &bits, sizeof bits);
        memcpy(&t.at.x, &low, sizeof low);
        assert_true(keel_field_print(&f64, &t, text, sizeof text) < sizeof text);
        assert_int_equal(keel_field_parse(&f64, &back, text, NULL), KEEL_OK);
        assert_memory_equal(&back.angle, &bits, sizeof bits);
        assert_true(keel_field_print(&f32, &t, text, sizeof text) < sizeof text);
        assert_int_equal(keel_field_parse(&f32, &back, text, NULL), KEEL_OK);
        assert_memory_equal(&back.at.x, &low, sizeof low);
    }
    static const struct {
        double value;
        const char *text;
    } shortest[] = { { 0.1, "0.1" },
                     { 0.3, "0.3" },
                     { 1.0 / 3, "0.3333333333333333" },
                     { 5e-324, "5e-324" },
                     { 100, "100.0" },
                     { 1e14, "100000000000000.0" },
                     { 1e15, "1e15" },
                     { 123456.5, "123456.5" },
                     { 0.00001, "0.00001" },
                     { 1e-6, "1e-6" },
                     { 1.7976931348623157e308, "1.7976931348623157e308" },
                     { -12, "-12.0" } };
    for (size_t i = 0; i < sizeof shortest / sizeof shortest[0]; ++i) {
        t.angle = shortest[i].value;
        assert_printed("angle", &t, shortest[i].text);
    }
}

static void locales_change_nothing(void **state) {
    (void)state;
    begin_decimal_comma();
    Turret t = { .angle = 1.25, .at = { 0.1f, -2.5e-9f } };
    assert_printed("angle", &t, "1.25");
    assert_printed("at", &t, "{x: 0.1, y: -2.5e-9}");
    parsed("angle", &t, "2.75");
    assert_true(t.angle == 2.75);
    assert_refused("angle", "2,75", "unexpected ',75' after");
    assert_refused("reload", "9.75", "is not from 0.0 to 9.5");
    uint64_t seed = 99;
    all_come_back(&seed, 100);
    end_decimal_comma();
}

// ------------------------------------------------------------------ worlds
static void a_world_keeps_copies_of_types(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    char names[4][8] = { "x", "inner", "ONE", "Inner" };
    keel_named_value one = { names[2], 1 };
    keel_type number = { .name = names[3], .values = &one, .value_count = 1 };
    keel_field x = { .name = names[0], .type = KEEL_FIELD_U16, .count = 2, .of = &number };
    keel_type inner = { .name = names[3], .size = 4, .fields = &x, .field_count = 1 };
    keel_field field = { .name = names[1],
                         .type = KEEL_FIELD_STRUCT,
                         .offset = 4,
                         .count = 8,
                         .of = &inner,
                         .unit = names[0] };
    const keel_component made = {
        .name = "Made", .size = 12, .align = 4, .fields = &field, .field_count = 1
    };
    const keel_component *c = keel_register_component(f.world, &made);
    assert_non_null(c);
    memset(names, '?', sizeof names);
    memset(&field, 0, sizeof field);
    memset(&x, 0, sizeof x);
    memset(&one, 0, sizeof one);
    memset(&inner, 0, sizeof inner);
    memset(&number, 0, sizeof number);
    const uint16_t value[6] = { 9, 9, 1, 2, 3, 1 };
    assert_string_equal(printed(c, "inner", value), "[{x: [ONE, 2]}, {x: [3, ONE]}]");
    assert_string_equal(printed(c, "inner[1].x[1]", value), "ONE");
    assert_string_equal(c->fields[0].unit, "x");
    c = keel_register_component(f.world, KEEL_OF(Turret));
    assert_non_null(c);
    const keel_field *mood = place_of(c, "mood").field;
    assert_string_equal(mood->of->name, "Mood");
    assert_ptr_not_equal(mood->of, KEEL_TYPE(Mood));
    assert_int_equal(place_of(c, "opaque").field->type, KEEL_FIELD_BYTES);
    assert_true(place_of(c, "cache").field->hidden);
    api_end(&f);
}

static void wrong_fields_are_named(void **state) {
    (void)state;
    static const keel_type nothing = { .name = "Nothing", .size = 4 };
    static const keel_named_value nameless = { .value = 1 };
    static const keel_type odd = { .name = "Odd", .values = &nameless, .value_count = 1 };
    static keel_field endless[1];
    static const keel_type loop = {
        .name = "Loop", .size = 4, .fields = endless, .field_count = 1
    };
    endless[0] =
        (keel_field){ .name = "again", .type = KEEL_FIELD_STRUCT, .count = 4, .of = &loop };
    static keel_field many[65];
    for (int i = 0; i < 65; ++i)
        many[i] = (keel_field){ .name = "m", .type = KEEL_FIELD_U8, .count = 1 };
    static const struct {
        keel_field field;
        const char *says;
    } wrong[] = {
        { { .name = "f", .type = KEEL_FIELD_STRUCT, .count = 4 },
          "has a field 'f' that has a type that is not described; give it .of" },
        { { .name = "f", .type = KEEL_FIELD_STRUCT, .count = 4, .of = &nothing }, "not described" },
        { { .name = "f", .type = KEEL_FIELD_STRUCT, .count = 8, .of = KEEL_TYPE(Slot) },
          "'f' that has a size that is not a multiple of" },
        { { .name = "f", .type = KEEL_FIELD_F32, .count = 1, .of = KEEL_TYPE(Mood) },
          "'f' that has .of = KEEL_TYPE(...), but is neither" },
        { { .name = "f", .type = KEEL_FIELD_I32, .count = 1, .of = KEEL_TYPE(Vec2) },
          "'f' that has .of = KEEL_TYPE(...), but is neither" },
        { { .name = "f", .type = KEEL_FIELD_U8, .count = 1, .of = &odd }, "without a name" },
        { { .name = "f", .type = KEEL_FIELD_U8, .count = 9 },
          "'f' that ends behind the end of the struct" },
        { { .name = "f", .type = KEEL_FIELD_U8 }, "'f' that has an unknown type, or no elements" },
        { { .name = "f", .type = (keel_field_type)77, .count = 1 }, "unknown type" },
        { { .name = "f", .type = KEEL_FIELD_U8, .count = 1, .min = 2, .max = 1 }, ".min above" },
        { { .name = "f", .type = KEEL_FIELD_OWNED_TEXT, .count = 1 },
          "owns the text 'f' but has no drop and copy hooks" },
        { { .name = "f", .type = KEEL_FIELD_STRUCT, .count = 4, .of = &loop }, "in each other" },
    };
    api_fixture f;
    api_begin(&f);
    keel_component c = { .name = "Wrong", .size = 8, .align = 8, .field_count = 1 };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        c.fields = &wrong[i].field;
        assert_null(keel_register_component(f.world, &c));
        assert_error(f.world, KEEL_ERROR_ARGUMENT, wrong[i].says);
        keel_field_place place;
        assert_int_equal(keel_field_find(&c, "f", &place, NULL), KEEL_ERROR_ARGUMENT);
    }
    const keel_component tag = { .name = "Tag", .field_count = 1, .fields = &wrong[9].field };
    assert_null(keel_register_component(f.world, &tag));
    assert_error(f.world, KEEL_ERROR_ARGUMENT,
                 "'f' that needs a value: declare KEEL_COMPONENT, or KEEL_VALUED_RELATION");
    c.fields = many;
    c.field_count = 65;
    assert_null(keel_register_component(f.world, &c));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "more than 64 fields");
    c = *KEEL_OF(Turret);
    c.name = "Padded";
    c.no_padding = true;
    assert_null(keel_register_component(f.world, &c));
    assert_error(f.world, KEEL_ERROR_ARGUMENT,
                 "bytes of its field 'cache' are not part of the value");
    api_end(&f);
}

// Files find values by the names of fields, so that one of two would be lost.
static void fields_of_one_name_are_refused(void **state) {
    (void)state;
    const keel_field twice[] = { { .name = "x", .type = KEEL_FIELD_I32, .count = 1 },
                                 { .name = "y", .type = KEEL_FIELD_I32, .offset = 4, .count = 1 },
                                 { .name = "x", .type = KEEL_FIELD_I32, .offset = 8, .count = 1 } };
    const keel_type inner = { .name = "Inner", .size = 12, .fields = twice, .field_count = 3 };
    const keel_field outer = { .name = "x", .type = KEEL_FIELD_STRUCT, .count = 12, .of = &inner };
    api_fixture f;
    api_begin(&f);
    keel_component c = {
        .name = "Twice", .size = 12, .align = 4, .fields = twice, .field_count = 3
    };
    assert_null(keel_register_component(f.world, &c));
    assert_error(f.world, KEEL_ERROR_ARGUMENT,
                 "'Twice' has a field 'x' that has the name of another field");
    keel_field_place place;
    assert_int_equal(keel_field_find(&c, "x", &place, NULL), KEEL_ERROR_ARGUMENT);
    c.fields = &outer;
    c.field_count = 1;
    assert_null(keel_register_component(f.world, &c));
    assert_error(f.world, KEEL_ERROR_ARGUMENT, "'x' that has the name of another field");
    c.fields = twice;
    c.field_count = 2;
    assert_non_null(keel_register_component(f.world, &c));
    api_end(&f);
}

static uint64_t hash_of(keel_world *world) {
    uint64_t hash = 0;
    assert_int_equal(keel_world_hash(world, &hash), KEEL_OK);
    return hash;
}

static void what_is_no_value_is_not_hashed(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Turret));
    Turret one, other;
    memset(&one, 0x00, sizeof one);
    memset(&other, 0xA5, sizeof other);
    // field by field, so that padding stays
    keel_error error;
    char text[2048];
    for (uint32_t i = 0; i < KEEL_OF(Turret)->field_count; ++i) {
        const keel_field *field = &KEEL_OF(Turret)->fields[i];
        if (field->transient) continue;
        const keel_field_place place = PLACE(field->name);
        keel_field_print(&place, &one, text, sizeof text);
        if (keel_field_parse(&place, &other, text, &error) != KEEL_OK)
            fail_msg("%s", error.message);
    }
    memset(other.name + 1, 'x', 5); // behind the end
    memset(other.slots[1].label + 1, 'x', 3);
    assert_memory_not_equal(&one, &other, sizeof one);
    memcpy(keel_get_mut(f.world, e, Turret), &one, sizeof one);
    const uint64_t hash = hash_of(f.world);
    memcpy(keel_get_mut(f.world, e, Turret), &other, sizeof other);
    assert_true(hash_of(f.world) == hash);
    keel_get_mut(f.world, e, Turret)->slots[3].at.y = 1;
    assert_true(hash_of(f.world) != hash);
    keel_get_mut(f.world, e, Turret)->slots[3].at.y = 0;
    assert_true(hash_of(f.world) == hash);
    keel_get_mut(f.world, e, Turret)->slots[2].label[0] = 'l';
    assert_true(hash_of(f.world) != hash);
    api_end(&f);
}

static void owned_texts_are_hashed_by_their_letters(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Title, { .text = copied("king") }));
    const uint64_t king = hash_of(f.world);
    keel_add(f.world, e, Title, { .text = copied("king") });
    assert_true(hash_of(f.world) == king);
    keel_add(f.world, e, Title, { .text = copied("kin") });
    assert_true(hash_of(f.world) != king);
    keel_add(f.world, e, Title, { .text = NULL });
    const uint64_t none = hash_of(f.world);
    keel_add(f.world, e, Title, { .text = copied("") });
    assert_true(hash_of(f.world) != none);
    api_end(&f);
}

// ------------------------------------------------------------------ 64 fields
#define M8(p) p##0, p##1, p##2, p##3, p##4, p##5, p##6, p##7
typedef struct Wide {
    uint8_t M8(a), M8(b), M8(c), M8(d), M8(e), M8(f), M8(g), M8(h);
} Wide;
KEEL_FIELDS(Wide, M8(a), M8(b), M8(c), M8(d), M8(e), M8(f), M8(g), M8(h));
KEEL_COMPONENT(Wide, KEEL_HAS_FIELDS(Wide));

static void a_struct_has_64_fields(void **state) {
    (void)state;
    assert_int_equal(KEEL_OF(Wide)->field_count, 64);
    assert_int_equal(place_of(KEEL_OF(Wide), "h7").offset, 63);
    api_fixture f;
    api_begin(&f);
    assert_non_null(keel_register_component(f.world, KEEL_OF(Wide)));
    api_end(&f);
}

// ------------------------------------------------------------------ listed
typedef struct Shot {
    float power;
} Shot;
KEEL_FIELDS(Shot, power);
KEEL_EVENT(Shot, KEEL_HAS_FIELDS(Shot));
KEEL_UNIQUE(Shot, KEEL_HAS_FIELDS(Shot));
KEEL_RELATION(Follows);

static void a_world_lists_everything(void **state) {
    (void)state;
    api_fixture f;
    api_begin(&f);
    assert_null(keel_next_event_type(f.world, NULL));
    keel_register(f.world, Turret);
    keel_register_component(f.world, KEEL_EVENT_OF(Shot));
    keel_register_component(f.world, KEEL_UNIQUE_OF(Shot));
    keel_register_component(f.world, KEEL_RELATION_OF(Follows));
    const keel_component *event = keel_next_event_type(f.world, NULL);
    assert_true(event->is_event);
    assert_string_equal(event->fields[0].name, "power");
    assert_null(keel_next_event_type(f.world, event));
    const keel_component *unique = keel_next_unique(f.world, NULL);
    assert_true(unique->is_unique && !unique->is_event);
    assert_null(keel_next_unique(f.world, unique));
    uint32_t relations = 0, turrets = 0, all = 0;
    for (const keel_component *c = NULL; (c = keel_next_component(f.world, c)) != NULL; ++all) {
        relations += c->is_relation;
        turrets += strcmp(c->name, "Turret") == 0;
    }
    assert_int_equal(relations, 2); // with keel_child
    assert_int_equal(turrets, 1);
    assert_int_equal(all, 3);
    api_end(&f);
}

static const struct CMUnitTest tests[] = {
    TEST(paths_lead_to_fields, "a path leads through structs and arrays"),
    TEST(wrong_paths_are_named, "errors of paths name them"),
    TEST(values_are_printed, "every kind of field is printed"),
    TEST(texts_are_parsed, "every kind of field is parsed, as people write it"),
    TEST(what_is_no_value_is_refused, "what is no value is refused by name, and nothing changed"),
    TEST(owned_texts_are_replaced, "owned texts are replaced, and freed once"),
    TEST(every_kind_comes_back_bit_for_bit, "random values come back from their texts bit for bit"),
    TEST(every_float_comes_back, "floats come back, with payloads and signs; shortest texts"),
    TEST(locales_change_nothing, "a locale with a decimal comma changes nothing"),
    TEST(a_world_keeps_copies_of_types, "a world copies types made at run time"),
    TEST(wrong_fields_are_named, "wrong fields are refused by name"),
    TEST(fields_of_one_name_are_refused, "two fields of one name are refused, in structs, too"),
    TEST(what_is_no_value_is_not_hashed,
         "padding, ends of texts and transient fields do not count"),
    TEST(owned_texts_are_hashed_by_their_letters, "owned texts are hashed by their letters"),
    TEST(a_struct_has_64_fields, "a struct has 64 fields"),
    TEST(a_world_lists_everything, "components, relations, uniques and events are listed"),
};

int main(void) { return RUN(tests); }
