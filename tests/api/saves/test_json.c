// SPDX-License-Identifier: MIT
// keel::json: worlds that are written and loaded are the same, and what is wrong in a text is named
// with its line.
#define _POSIX_C_SOURCE 200809L
#include "support/api_fixture.h"
#include "support/locale.h"

#include <jansson.h>
#include <keel_json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum Mood { CALM, ANGRY } Mood;
KEEL_ENUM(Mood, CALM, ANGRY);
typedef struct Vec2 {
    float x, X;
} Vec2;
KEEL_FIELDS(Vec2, x, X);
typedef struct All {
    bool on;
    int8_t a;
    uint8_t b;
    int16_t c;
    uint16_t d;
    int32_t e;
    uint32_t f;
    int64_t g;
    uint64_t h;
    double real;
    Vec2 at[2];
    Mood mood;
    keel_entity who;
    char text[12];
    unsigned char raw[5];
} All;
KEEL_FIELDS(All, on, a, b, c, d, e, f, g, h, real, KEEL_FIELD(at, .of = KEEL_TYPE(Vec2)),
            KEEL_FIELD(mood, .of = KEEL_TYPE(Mood)), who, text, KEEL_FIELD(raw, .bytes = true));
KEEL_COMPONENT(All, KEEL_HAS_FIELDS(All));
typedef struct Row {
    Vec2 at;
} Row;
KEEL_FIELDS(Row, KEEL_FIELD(at, .of = KEEL_TYPE(Vec2)));
KEEL_COMPONENT(Row, KEEL_HAS_FIELDS(Row), .storage = KEEL_ARCHETYPE);
typedef struct Plain {
    uint32_t bits;
} Plain;
KEEL_COMPONENT(Plain, .no_padding = true, .storage = KEEL_INDEXED);
KEEL_TAG(Flag);
KEEL_RELATION(Likes);
typedef struct Guards {
    int32_t since;
} Guards;
KEEL_FIELDS(Guards, since);
KEEL_VALUED_RELATION(Guards, KEEL_HAS_FIELDS(Guards), .exclusive = true);
typedef struct Holds {
    uint32_t count;
    keel_entity from;
} Holds;
KEEL_FIELDS(Holds, count, from);
KEEL_VALUED_RELATION(Holds, KEEL_HAS_FIELDS(Holds));
typedef struct Bond {
    uint16_t strength;
    keel_entity through;
} Bond;
KEEL_FIELDS(Bond, strength, through);
KEEL_VALUED_RELATION(Bond, KEEL_HAS_FIELDS(Bond), .symmetric = true);
KEEL_RELATION(Wed, .exclusive = true, .symmetric = true);
typedef struct Clock {
    uint64_t ticks;
    keel_entity owner;
} Clock;
KEEL_FIELDS(Clock, ticks, owner);
KEEL_UNIQUE(Clock, KEEL_HAS_FIELDS(Clock));

static uint64_t seed;
static uint64_t roll(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed >> 20 ^ seed << 40;
}

static keel_world *make_world(void) {
    const keel_world_desc desc = { .on_misuse = KEEL_MISUSE_RETURN, .worker_count = 1 };
    keel_world *world = keel_world_create(&desc);
    assert_non_null(world);
    assert_int_equal(keel_register(world, All, Row, Plain, Flag, Likes, Guards, Holds, Bond, Wed),
                     KEEL_OK);
    assert_non_null(keel_register_component(world, KEEL_UNIQUE_OF(Clock)));
    return world;
}

typedef struct text {
    char *bytes;
    size_t length;
} text;
static bool keep(void *context, const char *bytes, size_t length) {
    text *t = context;
    free(t->bytes);
    t->bytes = malloc(length + 1);
    memcpy(t->bytes, bytes, length);
    t->bytes[t->length = length] = '\0';
    return true;
}
static text write_world(const keel_world *world, bool handles) {
    const keel_json_write_options how = { .handles = handles };
    text t = { NULL, 0 };
    keel_error error;
    if (keel_json_write_to(world, keep, &t, &how, &error) != KEEL_OK) fail_msg("%s", error.message);
    return t;
}
static keel_result load(keel_world *world, const char *level, keel_error *error) {
    return keel_json_load_text(world, level, strlen(level), NULL, error);
}
static uint64_t hash(keel_world *world) {
    uint64_t h = 0;
    assert_int_equal(keel_world_hash(world, &h), KEEL_OK);
    return h;
}

static All random_all(const keel_entity *all, uint32_t count) {
    static const char *const texts[] = { "", "a \"b\"\\", "\n\t\x01", "\xc3\xa4\xe2\x82\xac",
                                         "null" };
    All v;
    memset(&v, 0, sizeof v);
    const uint64_t bits[3] = { roll() | roll() << 31, roll(), roll() };
    const uint32_t narrow[4] = { (uint32_t)roll(), 0x7fc00001u, 0x80000000u, 0xff800000u };
    v.on = roll() & 1, v.a = (int8_t)roll(), v.b = (uint8_t)roll();
    v.c = (int16_t)roll(), v.d = (uint16_t)roll(), v.e = (int32_t)roll(), v.f = (uint32_t)roll();
    v.g = (int64_t)bits[0], v.h = ~bits[0];
    memcpy(&v.real, &bits[1], sizeof v.real);
    memcpy(v.at, narrow, sizeof v.at);
    v.mood = roll() & 1 ? ANGRY : (Mood)(roll() & 7);
    v.who = roll() & 1 ? all[roll() % count] : keel_null();
    strcpy(v.text, texts[roll() % 5]);
    memcpy(v.raw, &bits[2], sizeof v.raw);
    return v;
}

enum { COUNT = 30 };
static keel_world *random_world(uint64_t from) {
    keel_world *world = make_world();
    keel_entity all[COUNT];
    char name[16];
    seed = from;
    for (int i = 0; i < COUNT; ++i)
        all[i] = keel_add_entity(world);
    for (int i = 0; i < 8; ++i) { // versions, and references to the dead
        const uint64_t which = roll() % COUNT;
        (void)keel_delete_entity(world, all[which]);
        if (roll() & 1) all[which] = keel_add_entity(world);
    }
    for (int i = 0; i < COUNT; ++i) {
        if (!keel_is_alive(world, all[i])) continue;
        snprintf(name, sizeof name, "%s%d", roll() & 1 ? "@" : "n", i);
        if (roll() & 1) keel_set_name(world, all[i], name);
        if (roll() & 1) (void)keel_attach(world, all[i], all[roll() % COUNT]);
        if (roll() & 1) {
            const All v = random_all(all, COUNT);
            (void)keel_add_component(world, all[i], KEEL_OF(All), &v);
        }
        if (roll() & 1) keel_add(world, all[i], Row, { { (float)i, -0.0f } });
        if (roll() & 1) keel_add(world, all[i], Plain, { (uint32_t)roll() });
        if (roll() & 1) keel_add(world, all[i], Flag);
        for (int j = 0; j < 2; ++j)
            if (roll() & 1) (void)keel_relate(world, all[i], Likes, all[roll() % COUNT]);
        if (roll() & 1) (void)keel_relate(world, all[i], Guards, all[roll() % COUNT], { -i });
        for (uint32_t j = 0; j < 3; ++j)
            if (roll() & 1)
                (void)keel_relate(world, all[i], Holds, all[roll() % COUNT], { j + 5, all[j] });
        if (roll() & 1) (void)keel_relate(world, all[i], Bond, all[roll() % COUNT], { 7, all[i] });
        if (roll() & 1) (void)keel_relate(world, all[i], Wed, all[roll() % COUNT]);
        if (!(roll() & 3)) (void)keel_disable(world, all[i], Row);
    }
    if (roll() & 1) keel_set_unique(world, Clock, { UINT64_MAX - 1, all[3] });
    return world;
}

static void random_worlds_come_back(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 200; ++i) {
        keel_world *from = random_world(i), *to = make_world();
        const text t = write_world(from, true);
        json_error_t wrong;
        json_t *json = json_loadb(t.bytes, t.length, JSON_REJECT_DUPLICATES, &wrong);
        if (!json) fail_msg("%llu: line %d: %s", (unsigned long long)i, wrong.line, wrong.text);
        json_decref(json);
        keel_error error;
        if (load(to, t.bytes, &error) != KEEL_OK) fail_msg("%s\n%s", error.message, t.bytes);
        if (hash(from) != hash(to)) fail_msg("world %llu differs", (unsigned long long)i);
        const text again = write_world(to, true);
        assert_string_equal(again.bytes, t.bytes);
        free(t.bytes);
        free(again.bytes);
        keel_world_destroy(from);
        keel_world_destroy(to);
    }
}

static void locales_change_nothing(void **state) {
    (void)state;
    begin_decimal_comma(); // skips before there is a world
    end_decimal_comma();
    for (uint64_t i = 0; i < 20; ++i) {
        keel_world *from = random_world(i), *to = make_world();
        const text plain = write_world(from, true);
        begin_decimal_comma();
        const text t = write_world(from, true);
        keel_error error;
        if (load(to, plain.bytes, &error) != KEEL_OK) fail_msg("%s", error.message);
        end_decimal_comma();
        assert_string_equal(t.bytes, plain.bytes);
        assert_true(hash(from) == hash(to));
        free(plain.bytes);
        free(t.bytes);
        keel_world_destroy(from);
        keel_world_destroy(to);
    }
}

static void unnamed_entities_keep_their_handles(void **state) { // flecs #1498
    (void)state;
    keel_world *from = make_world(), *to = make_world();
    const keel_entity old = keel_add_entity(from);
    keel_delete_entity(from, old);
    const keel_entity e = keel_add_entity(from, KEEL_INIT(Plain, { 7 }));
    const text t = write_world(from, false);
    assert_int_equal(load(to, t.bytes, NULL), KEEL_OK);
    assert_true(keel_is_alive(to, e) && !keel_is_alive(to, old));
    assert_int_equal(keel_get(to, e, Plain)->bits, 7); // flecs #1049: no fields, and not left out
    assert_true(load(to, t.bytes, NULL) < 0);          // not empty: no second copy
    assert_int_equal(keel_entity_count(to), 1);
    free(t.bytes);
    keel_world_destroy(from);
    keel_world_destroy(to);
}

// What they were made of means nothing without the templates.
static void copies_of_prefabs_come_back(void **state) {
    (void)state;
    keel_world *from = make_world(), *to = make_world();
    const keel_prefab rock = { keel_add_entity(keel_templates(from), KEEL_INIT(Plain, { 7 })) };
    const keel_entity e = keel_spawn(from, rock);
    const text t = write_world(from, false);
    assert_null(strstr(t.bytes, "keel_instance"));
    assert_int_equal(load(to, t.bytes, NULL), KEEL_OK);
    assert_int_equal(keel_get(to, e, Plain)->bits, 7);
    free(t.bytes);
    keel_world_destroy(from);
    keel_world_destroy(to);
}

// The same level twice, each below an entity of its own, which the game had before.
static void a_level_comes_into_a_living_world(void **state) {
    (void)state;
    keel_world *world = make_world();
    const char *level =
        "{ \"entities\": { \"gate\": {}, \"gate/guard\": { \"Guards\": { \"to\": \"gate\", "
        "\"value\": { \"since\": 3 } } } } }";
    keel_entity rooms[2], guards[2];
    for (uint32_t i = 0; i < 2; ++i) {
        rooms[i] = keel_add_entity(world, KEEL_INIT(Plain, { i }));
        const keel_merge_options merge = { .root = rooms[i] };
        const keel_json_load_options how = { .merge = &merge };
        keel_error error = { 0 };
        if (keel_json_load_text(world, level, strlen(level), &how, &error) != KEEL_OK)
            fail_msg("%s", error.message);
        guards[i] = keel_find_entity(world, rooms[i], "gate/guard");
        assert_true(keel_is_alive(world, guards[i]));
        assert_true(keel_is_same(keel_target_of(world, guards[i], Guards),
                                 keel_find_entity(world, rooms[i], "gate")));
        assert_int_equal(keel_json_load_text(world, level, strlen(level), &how, &error),
                         KEEL_ERROR_OCCUPIED);
    }
    assert_int_equal(keel_entity_count(world), 6);
    assert_false(keel_is_same(guards[0], guards[1]));
    keel_world_destroy(world);
}

static void a_level_by_hand(void **state) {
    (void)state;
    keel_world *world = make_world();
    const char *level = "{ \"entities\": {\n"
                        "  \"gate\": { \"Row\": { \"at\": { \"x\": 4 } } },\n"
                        "  \"gate/guard\": { \"Flag\": true, \"Guards\": { \"to\": \"gate\", "
                        "\"value\": { \"since\": 3 } } },\n"
                        "  \"bob\": { \"Likes\": [\"gate/guard\", \"gate\"], \"All\": { \"mood\": "
                        "\"ANGRY\", \"h\": 18446744073709551615 } } } }";
    keel_error error;
    if (load(world, level, &error) != KEEL_OK) fail_msg("%s", error.message);
    const keel_entity gate = keel_find_entity(world, keel_null(), "gate");
    const keel_entity guard = keel_find_entity(world, keel_null(), "gate/guard");
    const keel_entity bob = keel_find_entity(world, keel_null(), "bob");
    assert_true(keel_get(world, gate, Row)->at.x == 4);
    assert_true(keel_is_same(keel_target_of(world, guard, Guards), gate));
    assert_int_equal(keel_get(world, guard, Guards)->since, 3);
    assert_true(keel_is_same(keel_target_of(world, bob, Likes), guard));
    assert_int_equal(keel_get(world, bob, All)->mood, ANGRY);
    assert_true(keel_get(world, bob, All)->h == UINT64_MAX);
    keel_world_destroy(world);
}

static void a_byte_order_mark_is_skipped(void **state) {
    (void)state;
    keel_world *world = make_world();
    keel_error error;
    assert_int_equal(load(world, "\xEF\xBB\xBF{ \"entities\": { \"a\": {} } }", &error), KEEL_OK);
    assert_int_equal(keel_entity_count(world), 1);
    keel_world_destroy(world);
}

static void mistakes_are_named_with_their_line(void **state) {
    (void)state;
    static const struct {
        const char *level, *message;
        keel_result result;
    } wrong[] = {
        { "{\n\"entities\": {\n\"a\": { \"Likes\": [\"gatte\"] } } }",
          "json:3: 'Likes': no entity 'gatte'", KEEL_ERROR_UNKNOWN },
        { "{ \"entities\": { \"gate\": { \"Likes\": [\"gatte\"] } } }",
          "no entity 'gatte'; the nearest name is 'gate'", KEEL_ERROR_UNKNOWN },
        { "{ \"entities\": { \"a\": {\n\"Rwo\": {} } } }",
          "json:2: no component 'Rwo'; the nearest is 'Row'", KEEL_ERROR_UNKNOWN },
        { "{ \"entities\": { \"a\": {\n\"Row\": {\"att\": 1} } } }",
          "json:2: 'Row' has no field 'att'; the nearest is 'at'", KEEL_ERROR_UNKNOWN },
        { "{ \"entities\": { \"a\": { \"Row\": {}, \"Row\": {} } } }", "'Row' is there twice",
          KEEL_ERROR_TEXT },
        { "{ \"entities\": { \"a\": {}, \"a/b\": {},\n\"a/b\": {} } }",
          "json:2: the entity 'a/b' is there twice", KEEL_ERROR_OCCUPIED },
        { "{ \"entities\": { \"a/b\": {} } }", "no entity 'a' before its child",
          KEEL_ERROR_UNKNOWN },
        { "{ \"entities\": { \"a\": { \"All\": { \"a\": 128 } } } }", "All.a", KEEL_ERROR_TEXT },
        { "{ \"entities\": { \"a\": { \"All\": { \"e\": true } } } }", "All.e", KEEL_ERROR_TEXT },
        { "{ \"entities\": { \"a\": { \"All\": { \"mood\": \"SAD\" } } } }",
          "All.mood: 'SAD' is no Mood: CALM, ANGRY", KEEL_ERROR_TEXT },
        { "{ \"entities\": { \"a\": { \"All\": { \"text\": \"123456789012345\" } } } }", "All.text",
          KEEL_ERROR_TEXT },
        { "{ \"entities\": { \"a\": { \"All\": { \"raw\": \"AAAA\" } } } }", "5 bytes as base64",
          KEEL_ERROR_TEXT },
        { "{ \"entities\": { \"@9999999v0\": {} } }", "no handle", KEEL_ERROR_TEXT },
        { "{ \"entities\": { \"a\": {}, } }",
          "json:1: another value, or no ',' before the end, is expected", KEEL_ERROR_TEXT },
        { "{ \"entities\": { \"a\": { \"Likes\": [\"a\",] } } }", "no ',' before the end",
          KEEL_ERROR_TEXT },
        { "{ \"entities\": { // all\n } }", "json:1: JSON, which has no comments, is expected",
          KEEL_ERROR_TEXT },
        { "", "json:1: a value is expected, and this is the end", KEEL_ERROR_TEXT },
        { "{ \"entities\": { \"a\": { \"Flag\": True } } }",
          "json:1: a value is expected, and this is 'True } } }'", KEEL_ERROR_TEXT },
        { "{ \"entities\": { \"a\": {}\n\"b\": {} } }",
          "json:2: ',' or '}' is expected, and this is '\"b\": {} } }'", KEEL_ERROR_TEXT },
        { "{ \"entities\": { \"a b c d e f g h i \xc3\xa4 k\" = {} } }",
          "':' is expected, and this is '= {} } }'", KEEL_ERROR_TEXT },
        { "{ \"entities\": €€€€€€€€ }", "this is '€€€€€€€'", KEEL_ERROR_TEXT },
        { "{ \"entities\": { \"a\": { \"\xff\": 1 } } }", "json:1: UTF-8 is expected",
          KEEL_ERROR_TEXT },
        { "{ \"entities\" /* all */ : {} }", "no comments", KEEL_ERROR_TEXT },
        { "{ \"entities\": { \"a\": { \"All\": { \"a\": \"one\" } } } }",
          "'All.a': a number is expected, and this is a text", KEEL_ERROR_TEXT },
        { "{ \"entities\": { \"a\": { \"All\": { \"mood\": [] } } } }",
          "'All.mood': a number, or the name of one, is expected, and this is a list",
          KEEL_ERROR_TEXT },
        { "{ \"entities\": { \"a\": { \"All\": { \"text\": null } } } }",
          "'All.text': a text is expected, and this is null", KEEL_ERROR_TEXT },
        { "{ \"entities\": { \"a\": { \"Row\": { \"at\": { \"x\": 1e300 } } } } }",
          "1e300 is too large for a float", KEEL_ERROR_TEXT },
        { "{ \"uniques\": { \"Row\": {} } }", "'Row' is a component: its place is at an entity",
          KEEL_ERROR_UNKNOWN },
        { "{ \"entities\": { \"a\": { \"Clock\": {} } } }",
          "'Clock' is a unique: its place is in \"uniques\"", KEEL_ERROR_UNKNOWN },
        { "{ \"entities\": { \"a\": { \"@prefab\": \"orc\" } } }",
          "no prefab 'orc': the world has no named templates", KEEL_ERROR_UNKNOWN },
        { "{ \"prefabs\": {} }", "no section 'prefabs'", KEEL_ERROR_UNKNOWN },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        keel_world *world = make_world();
        keel_error error;
        const keel_result r = load(world, wrong[i].level, &error);
        if (r != wrong[i].result || !strstr(error.message, wrong[i].message))
            fail_msg("%d, %s: %s", r, wrong[i].message, error.message);
        assert_int_equal(keel_entity_count(world), 0);
        keel_world_destroy(world);
    }
}

static void broken_texts_change_nothing(void **state) {
    (void)state;
    keel_world *from = random_world(5), *to = make_world();
    const text t = write_world(from, true);
    const uint64_t empty = hash(to);
    for (size_t n = 0; n + 1 < t.length; ++n) { // the last byte is the end of the line
        assert_true(keel_json_load_text(to, t.bytes, n, NULL, NULL) < 0);
        assert_true(hash(to) == empty);
    }
    for (size_t i = 0; i < t.length; ++i) {
        const char byte = t.bytes[i];
        t.bytes[i] = (char)(byte ^ 1 << (roll() & 7));
        if (keel_json_load_text(to, t.bytes, t.length, NULL, NULL) < 0) {
            assert_true(hash(to) == empty);
        } else {
            assert_true(keel_world_check(to, NULL));
            keel_world_destroy(to);
            to = make_world();
        }
        t.bytes[i] = byte;
    }
    free(t.bytes);
    keel_world_destroy(from);
    keel_world_destroy(to);
}

static void memory_may_run_out(void **state) {
    (void)state;
    counting_allocator memory;
    counting_allocator_init(&memory);
    keel_world *from = random_world(9), *to = make_world();
    const keel_json_write_options write = { .handles = true, .allocator = memory.allocator };
    const keel_json_load_options read = { .allocator = memory.allocator };
    const uint64_t empty = hash(to);
    text t = { NULL, 0 };
    keel_result r = KEEL_ERROR_MEMORY;
    for (size_t n = 0; r == KEEL_ERROR_MEMORY; ++n) {
        counting_allocator_fail_after(&memory, n);
        r = keel_json_write_to(from, keep, &t, &write, NULL);
        assert_int_equal(memory.live_blocks, 0);
    }
    assert_int_equal(r, KEEL_OK);
    r = KEEL_ERROR_MEMORY;
    for (size_t n = 0; r == KEEL_ERROR_MEMORY; ++n) {
        assert_true(hash(to) == empty);
        counting_allocator_fail_after(&memory, n);
        r = keel_json_load_text(to, t.bytes, t.length, &read, NULL);
        assert_int_equal(memory.live_blocks, 0);
    }
    assert_int_equal(r, KEEL_OK);
    assert_true(hash(to) == hash(from));
    free(t.bytes);
    keel_world_destroy(from);
    keel_world_destroy(to);
}

static void files_are_written_and_read(void **state) {
    (void)state;
    char path[] = "keel_json_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    keel_world *from = random_world(3), *to = make_world();
    const keel_json_write_options how = { .handles = true };
    keel_error error;
    assert_int_equal(keel_json_write(from, path, &how, &error), KEEL_OK);
    const keel_json_load_options small = { .max_bytes = 100 };
    assert_int_equal(keel_json_load(to, path, &small, &error), KEEL_ERROR_TEXT);
    assert_int_equal(keel_json_load(to, path, NULL, &error), KEEL_OK);
    assert_true(hash(from) == hash(to));
    unlink(path);
    assert_int_equal(keel_json_load(to, path, NULL, &error), KEEL_ERROR_FILE);
    assert_non_null(strstr(error.message, path));
    assert_non_null(strstr(error.message, ": No such file or directory"));
    assert_int_equal(keel_json_load(to, "/", NULL, &error), KEEL_ERROR_FILE);
    assert_string_equal(error.message, "/: Is a directory");
    assert_int_equal(keel_json_write(from, "nowhere/level.json", NULL, &error), KEEL_ERROR_FILE);
    assert_int_equal(keel_json_load(NULL, path, NULL, &error), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_json_write(from, NULL, NULL, NULL), KEEL_ERROR_ARGUMENT);
    keel_world_destroy(from);
    keel_world_destroy(to);
}

typedef struct Life {
    int32_t points;
    Vec2 at;
} Life;
KEEL_FIELDS(Life, KEEL_FIELD(points, .was = "hp"),
            KEEL_FIELD(at, .was = "place", .of = KEEL_TYPE(Vec2)));
KEEL_COMPONENT(Life, KEEL_HAS_FIELDS(Life), .saved_as = "Health");
KEEL_UNIQUE(Life, KEEL_HAS_FIELDS(Life), .saved_as = "Score");

static void earlier_names_are_known(void **state) {
    (void)state;
    keel_error error;
    keel_world *world = make_world();
    assert_int_equal(keel_register(world, Life), KEEL_OK);
    assert_non_null(keel_register_component(world, KEEL_UNIQUE_OF(Life)));
    const keel_result r = load(world,
                               "{\"uniques\": {\"Score\": {\"hp\": 3}}, \"entities\": "
                               "{\"a\": {\"Health\": {\"hp\": 7, \"place\": {\"x\": 2}}, "
                               "\"@disabled\": [\"Health\"]}, \"b\": {\"Life\": {\"points\": 8}}}}",
                               &error);
    if (r < 0) print_message("%s\n", error.message);
    assert_int_equal(r, KEEL_OK);
    const keel_entity a = keel_find_entity(world, keel_null(), "a");
    assert_true(keel_is_disabled(world, a, Life));
    assert_int_equal(keel_enable(world, a, Life), KEEL_OK);
    assert_int_equal(keel_get(world, a, Life)->points, 7);
    assert_true(keel_get(world, a, Life)->at.x > 1);
    assert_int_equal(keel_get_unique(world, Life)->points, 3);
    const text now = write_world(world, false); // the names of today
    assert_non_null(strstr(now.bytes, "\"Life\": {\"points\": 7, \"at\":"));
    free(now.bytes);
    assert_int_equal(keel_clear_entities(world), KEEL_OK);
    assert_int_equal(keel_clear_uniques(world), KEEL_OK);
    static const char *const twice[][2] = {
        { "{\"entities\": {\"a\": {\"Life\": {\"hp\": 7, \"points\": 8}}}}", "'points'" },
        { "{\"entities\": {\"a\": {\"Life\": {\"points\": 7, \"hp\": 8}}}}", "'hp'" },
        { "{\"entities\": {\"a\": {\"Life\": {}, \"Health\": {}}}}", "'Health'" },
        { "{\"uniques\": {\"Score\": {}, \"Life\": {}}}", "'Life'" },
    };
    for (uint32_t i = 0; i < 4; ++i) {
        char message[64];
        snprintf(message, sizeof message, "json:1: %s is there twice", twice[i][1]);
        assert_int_equal(load(world, twice[i][0], &error), KEEL_ERROR_TEXT);
        assert_string_equal(error.message, message);
    }
    keel_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    TEST(earlier_names_are_known, "earlier names of components and fields are known"),
    TEST(random_worlds_come_back, "random worlds come back with the same hash and text"),
    TEST(locales_change_nothing, "a locale with a decimal comma changes nothing"),
    TEST(unnamed_entities_keep_their_handles, "who has no name keeps the handle, and comes once"),
    TEST(copies_of_prefabs_come_back, "copies of prefabs come back"),
    TEST(a_level_comes_into_a_living_world, "a level comes into a living world"),
    TEST(a_level_by_hand, "a level by hand"),
    TEST(a_byte_order_mark_is_skipped, "a byte order mark is skipped"),
    TEST(mistakes_are_named_with_their_line, "mistakes are named with their line"),
    TEST(broken_texts_change_nothing, "each prefix and flipped byte: an error, or a valid world"),
    TEST(files_are_written_and_read, "files are written and read, or named when they are not"),
    TEST(memory_may_run_out, "out of memory anywhere: nothing has changed"),
};
int main(void) { return RUN(tests); }
