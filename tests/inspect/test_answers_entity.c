// SPDX-License-Identifier: MIT
// What the inspector answers about one entity: every kind of field, hierarchies, prefabs,
// relations, and why systems do not match it.
#include "look.h"
#include "support/test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
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
    Vec2 at;
    int16_t counts[3];
    char label[6];
} Slot;
KEEL_FIELDS(Slot, KEEL_FIELD(at, .of = KEEL_TYPE(Vec2)), counts, label);
typedef struct All {
    bool on;
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
    Mood mood;
    uint8_t skills;
    char name[12];
    char *owned;
    Vec2 at;
    Slot slots[2];
    uint8_t many[100];
    float matrix[2][3];
    keel_entity target;
    uint32_t raw[2];
    bool raw_bool[2];
    float raw_float;
    const void *cache;
    float reload;
    double tiny;
} All;
KEEL_FIELDS(All, on, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64,
            KEEL_FIELD(mood, .of = KEEL_TYPE(Mood)), KEEL_FIELD(skills, .of = KEEL_TYPE(Skills)),
            name, owned, KEEL_FIELD(at, .of = KEEL_TYPE(Vec2)),
            KEEL_FIELD(slots, .of = KEEL_TYPE(Slot)), many, matrix, target,
            KEEL_FIELD(raw, .bytes = true), KEEL_FIELD(raw_bool, .bytes = true),
            KEEL_FIELD(raw_float, .bytes = true),
            KEEL_FIELD(cache, .transient = true, .hidden = true),
            KEEL_FIELD(reload, .unit = "s", .min = 0, .max = 9.5),
            KEEL_FIELD(tiny, .min = -0.00025, .max = 1e18));
static char *copied(const char *text) {
    char *copy = text ? malloc(strlen(text) + 1) : NULL;
    if (copy) strcpy(copy, text);
    return copy;
}
static void all_drop(void *value, void *data) {
    (void)data;
    free(((All *)value)->owned);
}
static bool all_copy(void *to, const void *from, void *data) {
    (void)data;
    *(All *)to = *(const All *)from;
    ((All *)to)->owned = copied(((const All *)from)->owned);
    return true;
}
KEEL_COMPONENT(All, KEEL_HAS_FIELDS(All), .drop = all_drop, .copy = all_copy);
typedef struct Plain {
    unsigned char bytes[80];
} Plain;
KEEL_COMPONENT(Plain, .no_padding = true);
typedef struct Place {
    float x, y;
} Place;
KEEL_FIELDS(Place, x, y);
KEEL_COMPONENT(Place, KEEL_HAS_FIELDS(Place));
KEEL_TAG(Asleep);
KEEL_RELATION(Likes);
typedef struct Holds {
    int32_t grip;
} Holds;
KEEL_FIELDS(Holds, KEEL_FIELD(grip, .unit = "N"));
KEEL_VALUED_RELATION(Holds, KEEL_HAS_FIELDS(Holds));

KEEL_SYSTEM(entity_move, KEEL_WRITE(Place, p), KEEL_WITHOUT(Asleep)) { p->x += 1; }
KEEL_SYSTEM(entity_like, KEEL_READ(Place, p), KEEL_WITH(Plain)) { (void)p; }
KEEL_SYSTEM_ONCE(entity_once, KEEL_MAY_READ(Place)) {}
KEEL_SYSTEM(entity_off, KEEL_READ(Place, p)) { (void)p; }
KEEL_SYSTEM(entity_inner, KEEL_READ(All, all)) { (void)all; }
KEEL_WORKLOAD(entity_nested, KEEL_STEP(entity_inner));
KEEL_WORKLOAD(entity_work, KEEL_STEP(entity_move), KEEL_STEP(entity_like), KEEL_STEP(entity_once),
              KEEL_STEP(entity_off, .disabled = true), KEEL_NESTED(entity_nested));

static void begin(look *l, const keel_inspect_desc *how) {
    *l = (look){ .world = keel_world_create(
                     &(keel_world_desc){ .log = keel_log_none, .worker_count = 1 }) };
    keel_register(l->world, All, Plain, Place, Asleep, Likes, Holds);
    keel_inspect_desc desc = *how;
    desc.workload = &KEEL_WORKLOAD_entity_work;
    look_begin(l, &desc);
}
static json_t *entity(look *l, keel_entity e) {
    return look_get(l, "entity/%s", program_handle(e));
}
static const json_t *component(const json_t *json, const char *name) {
    const json_t *found = find(at(json, "components"), "name", name);
    if (!found) fail_msg("no component %s", name);
    return found;
}
static const json_t *leaf(const json_t *json, const char *name, const char *path) {
    const json_t *found = find(at(component(json, name), "fields"), "path", path);
    if (!found) fail_msg("no field %s.%s", name, path);
    return found;
}

// ------------------------------------------------------------------ fields
static void expect(const json_t *json, const char *path, const char *type, json_t *value,
                   const void *whole) {
    char text[300];
    keel_field_place place;
    const json_t *one = leaf(json, "All", path);
    assert_int_equal(keel_field_find(KEEL_OF(All), path, &place, NULL), KEEL_OK);
    assert_true(keel_field_print(&place, whole, text, sizeof text) < 256);
    if (strcmp(text_at(one, "type"), type) != 0 || strcmp(text_at(one, "text"), text) != 0 ||
        has(one, "cut"))
        fail_msg("%s: %s %s, and not %s %s", path, text_at(one, "type"), text_at(one, "text"), type,
                 text);
    if (!json_equal(at(one, "value"), value) &&
        (!json_is_real(value) || json_real_value(value) != json_number_value(at(one, "value"))))
        fail_msg("%s: another value than %s", path, text);
    json_decref(value);
}

static const All extreme = { .on = true,
                             .i8 = INT8_MIN,
                             .u8 = UINT8_MAX,
                             .i16 = INT16_MIN,
                             .u16 = UINT16_MAX,
                             .i32 = INT32_MIN,
                             .u32 = UINT32_MAX,
                             .i64 = INT64_MIN,
                             .u64 = UINT64_MAX,
                             .f32 = FLT_MAX,
                             .f64 = DBL_MIN,
                             .mood = AFRAID,
                             .skills = SWIMS | DIGS,
                             .name = "a\"b\\\n\x01<",
                             .at = { 1.5f, -0.25f },
                             .slots = { { { 1, 2 }, { 3, 4, 5 }, "one" },
                                        { { 6, 7 }, { 8, 9, -10 }, "two\"" } },
                             .matrix = { { 1, 2, 3 }, { 4, 5, 6 } },
                             .raw = { 1, 0x01020304 },
                             .raw_bool = { true, false },
                             .raw_float = 1e10f,
                             .reload = 3,
                             .tiny = 1e-7 };

// Adds an entity with extreme values, and another one that it refers to.
static keel_entity add_extreme(look *l, keel_entity *friend) {
    const keel_entity e = keel_add_entity(l->world);
    *friend = keel_add_entity(l->world);
    keel_set_name(l->world, *friend, "friend");
    All all = extreme;
    all.owned = copied("own \xc3\xa4 \"text\"");
    all.target = *friend;
    for (int i = 0; i < 100; ++i)
        all.many[i] = (uint8_t)i;
    keel_add_component(l->world, e, KEEL_OF(All), &all);
    return e;
}

static void every_kind_of_field_has_its_value(void **state) {
    look l;
    keel_entity friend;
    (void)state;
    begin(&l, &(keel_inspect_desc){ 0 });
    const keel_entity e = add_extreme(&l, &friend);
    const void *v = keel_get(l.world, e, All);
    json_t *json = entity(&l, e);
    expect(json, "on", "bool", json_true(), v);
    expect(json, "i8", "i8", json_integer(INT8_MIN), v);
    expect(json, "u8", "u8", json_integer(UINT8_MAX), v);
    expect(json, "i16", "i16", json_integer(INT16_MIN), v);
    expect(json, "u16", "u16", json_integer(UINT16_MAX), v);
    expect(json, "i32", "i32", json_integer(INT32_MIN), v);
    expect(json, "u32", "u32", json_integer(UINT32_MAX), v);
    expect(json, "i64", "i64", json_string("-9223372036854775808"), v);
    expect(json, "u64", "u64", json_string("18446744073709551615"), v);
    assert_true((float)json_number_value(at(leaf(json, "All", "f32"), "value")) == FLT_MAX);
    expect(json, "f64", "f64", json_real(DBL_MIN), v);
    expect(json, "mood", "i32", json_string("AFRAID"), v);
    expect(json, "skills", "u8", json_string("SWIMS | DIGS"), v);
    expect(json, "name", "text", json_string("\"a\\\"b\\\\\\n\\x01<\""), v);
    expect(json, "owned", "text", json_string("\"own \xc3\xa4 \\\"text\\\"\""), v);
    expect(json, "at.x", "f32", json_real(1.5), v);
    expect(json, "at.y", "f32", json_real(-0.25), v);
    expect(json, "slots[0].at.y", "f32", json_real(2), v);
    expect(json, "slots[1].counts[2]", "i16", json_integer(-10), v);
    expect(json, "slots[1].label", "text", json_string("\"two\\\"\""), v);
    expect(json, "matrix[5]", "f32", json_real(6), v);
    expect(json, "many[63]", "u8", json_integer(63), v);
    expect(json, "raw", "bytes", json_string("0100000004030201"), v);
    expect(json, "raw_bool", "bytes", json_string("0100"), v);
    expect(json, "raw_float", "bytes", json_string("f9021550"), v);
    expect(json, "cache", "bytes", json_string("0000000000000000"), v);
    expect(json, "target", "entity", json_string(program_handle(friend)), v);
    assert_string_equal(text_at(leaf(json, "All", "target"), "reference.name"), "friend");
    assert_string_equal(text_at(leaf(json, "All", "target"), "reference.entity"),
                        program_handle(friend));
    json_decref(json);
    look_end(&l);
}

static void fields_have_their_options(void **state) {
    look l;
    keel_entity friend;
    (void)state;
    begin(&l, &(keel_inspect_desc){ 0 });
    json_t *json = entity(&l, add_extreme(&l, &friend));
    // The array of 100 has 64 leaves, and then how many more there are.
    const json_t *more = leaf(json, "All", "many");
    assert_int_equal(number_at(more, "more"), 36);
    assert_null(find(at(component(json, "All"), "fields"), "path", "many[64]"));
    assert_true(json_is_null(at(component(json, "All"), "bytes")));
    assert_true(bool_at(leaf(json, "All", "cache"), "hidden"));
    assert_false(has(leaf(json, "All", "on"), "hidden"));
    assert_string_equal(text_at(leaf(json, "All", "reload"), "unit"), "s");
    assert_true(json_number_value(at(leaf(json, "All", "reload"), "min")) == 0);
    assert_true(json_number_value(at(leaf(json, "All", "reload"), "max")) == 9.5);
    assert_true(json_number_value(at(leaf(json, "All", "tiny"), "min")) == -0.00025);
    assert_true(json_number_value(at(leaf(json, "All", "tiny"), "max")) == 1e18);
    assert_int_equal(count_at(leaf(json, "All", "mood"), "values"), 3);
    assert_string_equal(text_at(leaf(json, "All", "mood"), "values.1"), "ANGRY");
    assert_false(has(leaf(json, "All", "mood"), "flags"));
    assert_true(bool_at(leaf(json, "All", "skills"), "flags"));
    json_decref(json);
    look_end(&l);
}

static void odd_values_are_texts(void **state) {
    look l;
    char longer[301];
    (void)state;
    begin(&l, &(keel_inspect_desc){ 0 });
    const keel_entity e = keel_add_entity(l.world), dead = keel_add_entity(l.world);
    keel_delete_entity(l.world, dead);
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    All all = { .f32 = NAN,
                .f64 = -INFINITY,
                .mood = (Mood)77,
                .skills = 4,
                .name = "\xff\xfe",
                .owned = copied(longer),
                .at = { INFINITY, -0.0f },
                .target = dead,
                .i64 = INT64_MAX };
    keel_add_component(l.world, e, KEEL_OF(All), &all);
    const void *v = keel_get(l.world, e, All);
    json_t *json = entity(&l, e);
    assert_true(json_is_string(at(leaf(json, "All", "f32"), "value")));
    expect(json, "f64", "f64", json_string("-inf"), v);
    expect(json, "at.x", "f32", json_string("inf"), v);
    expect(json, "at.y", "f32", json_real(-0.0), v);
    expect(json, "mood", "i32", json_string("77"), v);
    expect(json, "skills", "u8", json_string("0x4"), v);
    expect(json, "i64", "i64", json_string("9223372036854775807"), v);
    assert_string_equal(text_at(leaf(json, "All", "name"), "text"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
    assert_true(bool_at(leaf(json, "All", "owned"), "cut"));
    assert_int_equal(strlen(text_at(leaf(json, "All", "owned"), "text")), 255);
    assert_same_text(text_at(leaf(json, "All", "target"), "reference.name"), NULL);
    json_decref(json);
    free(keel_get_mut(l.world, e, All)->owned);
    keel_get_mut(l.world, e, All)->owned = NULL;
    keel_get_mut(l.world, e, All)->target = keel_null();
    json = entity(&l, e);
    expect(json, "owned", "text", json_string("null"), v);
    expect(json, "target", "entity", json_string("null"), v);
    assert_true(json_is_null(at(leaf(json, "All", "target"), "reference")));
    json_decref(json);
    look_end(&l);
}

static void components_without_fields_have_bytes(void **state) {
    look l;
    (void)state;
    begin(&l, &(keel_inspect_desc){ 0 });
    Plain plain;
    char bytes[64 * 3] = "";
    for (int i = 0; i < 80; ++i)
        plain.bytes[i] = (unsigned char)(255 - i);
    for (int i = 0; i < 64; ++i)
        (void)snprintf(bytes + 3 * i, 4, i < 63 ? "%02x " : "%02x", 255 - i);
    const keel_entity e = keel_add_entity(l.world, KEEL_INIT(Place, { 1, 2 }), KEEL_INIT(Asleep));
    keel_add_component(l.world, e, KEEL_OF(Plain), &plain);
    keel_disable(l.world, e, Place);
    json_t *json = entity(&l, e);
    assert_int_equal(count_at(json, "components"), 3);
    assert_true(json_is_null(at(component(json, "Plain"), "fields")));
    assert_string_equal(text_at(component(json, "Plain"), "bytes"), bytes);
    assert_int_equal(number_at(component(json, "Plain"), "size"), 80);
    assert_true(bool_at(component(json, "Asleep"), "tag"));
    assert_true(json_is_null(at(component(json, "Asleep"), "fields")));
    assert_true(bool_at(component(json, "Place"), "disabled"));
    assert_false(bool_at(component(json, "Plain"), "disabled"));
    json_decref(json);
    look_end(&l);
}

// ------------------------------------------------------------------ hierarchies
static void names_and_paths_are_repaired(void **state) {
    look l;
    char expected[200];
    (void)state;
    begin(&l, &(keel_inspect_desc){ 0 });
    const keel_entity root = keel_add_entity(l.world), middle = keel_add_entity(l.world),
                      e = keel_add_entity(l.world);
    keel_set_name(l.world, root, "a \"fleet\"\\");
    keel_set_name(l.world, e, "x\xff\n");
    keel_attach(l.world, middle, root);
    keel_attach(l.world, e, middle);
    json_t *json = entity(&l, e);
    (void)snprintf(expected, sizeof expected, "a \"fleet\"\\/#%s/x\xef\xbf\xbd\n",
                   program_handle(middle));
    assert_string_equal(text_at(json, "path"), expected);
    assert_string_equal(text_at(json, "name"), "x\xef\xbf\xbd\n");
    assert_string_equal(text_at(json, "parent.entity"), program_handle(middle));
    assert_same_text(text_at(json, "parent.name"), NULL);
    assert_int_equal(number_at(json, "children.count"), 0);
    assert_int_equal(number_at(json, "frame"), 0);
    assert_false(bool_at(json, "past"));
    assert_true(json_is_null(at(json, "prefab")));
    json_decref(json);
    json = entity(&l, root);
    assert_true(json_is_null(at(json, "parent")));
    assert_int_equal(number_at(json, "children.count"), 1);
    assert_string_equal(text_at(json, "children.first.0.entity"), program_handle(middle));
    json_decref(json);
    look_end(&l);
}

static void deep_paths_have_their_end(void **state) {
    enum { DEEP = 200 };
    look l;
    keel_entity chain[DEEP];
    (void)state;
    begin(&l, &(keel_inspect_desc){ 0 });
    for (int i = 0; i < DEEP; ++i) {
        char name[16];
        (void)snprintf(name, sizeof name, "n%d", i);
        chain[i] = keel_add_entity(l.world);
        keel_set_name(l.world, chain[i], name);
        if (i) keel_attach(l.world, chain[i], chain[i - 1]);
    }
    json_t *json = entity(&l, chain[20]);
    assert_memory_equal(text_at(json, "path"), "n0/n1/", 6);
    json_decref(json);
    json = entity(&l, chain[DEEP - 1]); // what is left out is marked
    const char *path = text_at(json, "path"), *end = "/n198/n199";
    assert_memory_equal(path, ".../", 4);
    assert_string_equal(path + strlen(path) - strlen(end), end);
    json_decref(json);
    // Names that are longer than the path: the end is what tells the entity.
    char longer[1500];
    memset(longer, 'y', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    keel_set_name(l.world, chain[0], longer);
    json = entity(&l, chain[1]);
    path = text_at(json, "path");
    assert_string_equal(path, ".../n1");
    json_decref(json);
    json = entity(&l, chain[0]);
    assert_memory_equal(text_at(json, "path"), "...yyy", 6);
    assert_int_equal(strlen(text_at(json, "path")), 1003);
    json_decref(json);
    look_end(&l);
}

static void many_children_are_counted(void **state) {
    look l;
    (void)state;
    begin(&l, &(keel_inspect_desc){ 0 });
    const keel_entity root = keel_add_entity(l.world);
    for (int i = 0; i < 130; ++i)
        keel_attach(l.world, keel_add_entity(l.world), root);
    json_t *json = entity(&l, root);
    assert_int_equal(number_at(json, "children.count"), 130);
    assert_int_equal(count_at(json, "children.first"), 100);
    size_t i = 0;
    for (keel_entity child = keel_first_child(l.world, root); i < 100;
         child = keel_next_child(l.world, root, child), ++i)
        assert_true(keel_is_same(handle_of(at(json, "children.first.%zu.entity", i)), child));
    json_decref(json);
    look_end(&l);
}

static void copies_name_their_prefab(void **state) {
    look l;
    (void)state;
    begin(&l, &(keel_inspect_desc){ 0 });
    keel_world *templates = keel_templates(l.world);
    const keel_prefab tank = { keel_add_entity(templates, KEEL_INIT(Place, { 4, 5 })) };
    const keel_entity e = keel_spawn(l.world, tank);
    json_t *json = entity(&l, e);
    assert_true(keel_is_same(handle_of(at(json, "prefab")), tank.root));
    assert_true(json_number_value(at(leaf(json, "Place", "x"), "value")) == 4);
    json_decref(json);
    look_end(&l);
}

// ------------------------------------------------------------------ relations
static void relations_have_targets_and_sources(void **state) {
    enum { TARGETS = 120 };
    look l;
    keel_entity all[TARGETS];
    (void)state;
    begin(&l, &(keel_inspect_desc){ 0 });
    const keel_entity e = keel_add_entity(l.world);
    for (int i = 0; i < TARGETS; ++i) {
        all[i] = keel_add_entity(l.world);
        keel_relate(l.world, e, Likes, all[i]);
        if (i < 3) keel_relate(l.world, e, Holds, all[i], { i * 10 });
        if (i < 2) keel_relate(l.world, all[i], Likes, e);
    }
    keel_set_name(l.world, all[2], "held");
    json_t *json = entity(&l, e);
    const json_t *likes = find(at(json, "relations"), "name", "Likes"),
                 *holds = find(at(json, "relations"), "name", "Holds");
    assert_int_equal(count_at(json, "relations"), 2);
    assert_int_equal(number_at(likes, "target_count"), TARGETS);
    assert_int_equal(count_at(likes, "targets"), 100);
    assert_int_equal(number_at(likes, "source_count"), 2);
    assert_int_equal(count_at(likes, "sources"), 2);
    size_t i = 0;
    for (keel_entity to =
             keel_next_target_component(l.world, e, KEEL_RELATION_OF(Likes), keel_null());
         i < 100; to = keel_next_target_component(l.world, e, KEEL_RELATION_OF(Likes), to), ++i)
        assert_true(keel_is_same(handle_of(at(likes, "targets.%zu.entity", i)), to));
    assert_int_equal(count_at(holds, "targets"), 3);
    json_t *held = find(at(holds, "targets"), "name", "held");
    assert_int_equal(number_at(held, "fields.0.value"), 20);
    assert_string_equal(text_at(held, "fields.0.path"), "grip");
    assert_string_equal(text_at(held, "fields.0.unit"), "N");
    // A relation is no component, and its value no component of the entity.
    assert_int_equal(count_at(json, "components"), 0);
    json_decref(json);
    json = entity(&l, all[2]);
    holds = find(at(json, "relations"), "name", "Holds");
    assert_int_equal(number_at(holds, "target_count"), 0);
    assert_string_equal(text_at(holds, "sources.0.entity"), program_handle(e));
    json_decref(json);
    look_end(&l);
}

// ------------------------------------------------------------------ systems
static void reasons_are(look *l, keel_entity e, size_t systems) {
    json_t *json = entity(l, e);
    assert_int_equal(count_at(json, "systems"), systems);
    for (size_t i = 0; i < systems; ++i) {
        const json_t *one = at(json, "systems.%zu", i);
        keel_why why;
        const bool matches =
            keel_step_why(l->world, l->workload, (uint32_t)number_at(one, "position"), e, &why);
        assert_int_equal(bool_at(one, "matches"), matches);
        assert_string_equal(text_at(one, "reason"), why.text);
        if (why.term == KEEL_NO_TERM) assert_true(json_is_null(at(one, "term")));
        else assert_int_equal(number_at(one, "term"), why.term);
    }
    json_decref(json);
}

static void systems_have_reasons(void **state) {
    look l;
    (void)state;
    begin(&l, &(keel_inspect_desc){ 0 });
    const keel_entity place = keel_add_entity(l.world, KEEL_INIT(Place, { 0, 0 })),
                      asleep =
                          keel_add_entity(l.world, KEEL_INIT(Place, { 0, 0 }), KEEL_INIT(Asleep)),
                      plain = keel_add_entity(l.world, KEEL_INIT(Plain, { { 0 } })),
                      nothing = keel_add_entity(l.world);
    look_run(&l, 2);
    reasons_are(&l, place, 4);
    reasons_are(&l, asleep, 4);
    reasons_are(&l, plain, 4);
    reasons_are(&l, nothing, 4);
    json_t *json = entity(&l, asleep);
    const json_t *systems = at(json, "systems");
    assert_false(bool_at(find(systems, "system", "entity_move"), "matches"));
    assert_int_equal(number_at(find(systems, "system", "entity_move"), "term"), 1);
    assert_string_equal(text_at(find(systems, "system", "entity_inner"), "workload"),
                        "entity_nested");
    assert_int_equal(number_at(find(systems, "system", "entity_inner"), "position"), 4);
    assert_null(find(systems, "system", "entity_once"));
    json_decref(json);
    look_end(&l);
}

static void an_earlier_entity_is_shown(void **state) {
    look l;
    (void)state;
    begin(&l, &(keel_inspect_desc){ .past = 8 });
    const keel_entity e = keel_add_entity(l.world, KEEL_INIT(Place, { 0, 0 }));
    look_run(&l, 3);
    json_t *json = look_get(&l, "entity/%s?frame=3", program_handle(e));
    assert_true(json_number_value(at(leaf(json, "Place", "x"), "value")) == 2);
    assert_int_equal(number_at(json, "frame"), 3);
    assert_true(bool_at(json, "past"));
    assert_false(has(json, "systems"));
    json_decref(json);
    json = entity(&l, e);
    assert_true(json_number_value(at(leaf(json, "Place", "x"), "value")) == 3);
    json_decref(json);
    keel_delete_entity(l.world, e);
    char path[64];
    (void)snprintf(path, sizeof path, "entity/%s", program_handle(e));
    look_fails(&l, 404, "is not alive", path, NULL);
    json = look_get(&l, "entity/%s?frame=1", program_handle(e));
    assert_true(json_number_value(at(leaf(json, "Place", "x"), "value")) == 0);
    json_decref(json);
    look_end(&l);
}

static const struct CMUnitTest tests[] = {
    TEST(every_kind_of_field_has_its_value, "every kind of field has its value"),
    TEST(fields_have_their_options, "fields have units, limits and names, and arrays an end"),
    TEST(odd_values_are_texts, "values that JSON has no number for are texts"),
    TEST(components_without_fields_have_bytes, "components without fields have their bytes"),
    TEST(names_and_paths_are_repaired, "names and paths are sent as UTF-8"),
    TEST(deep_paths_have_their_end, "the path of a deep entity keeps its end"),
    TEST(many_children_are_counted, "many children are counted, and the first are listed"),
    TEST(copies_name_their_prefab, "a copy names its prefab"),
    TEST(relations_have_targets_and_sources,
         "relations have their targets with values, and sources"),
    TEST(systems_have_reasons, "systems have the reasons of keel_step_why"),
    TEST(an_earlier_entity_is_shown, "an entity is shown as it was in an earlier frame"),
};
int main(void) { return RUN(tests); }
