// SPDX-License-Identifier: MIT
// What edits of the inspector do to the world: each is the call that a program would make, and one
// that fails changes nothing.
#include "look.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

typedef enum Mood { CALM, ANGRY = 5 } Mood;
KEEL_ENUM(Mood, CALM, ANGRY);
typedef struct Vec2 {
    float x, y;
} Vec2;
KEEL_FIELDS(Vec2, x, y);
typedef struct Ship {
    int32_t points;
    int64_t big;
    uint8_t small;
    bool on;
    Mood mood;
    char name[8];
    char *owned;
    Vec2 at;
    uint16_t slots[3];
    double speed;
    keel_entity target;
} Ship;
KEEL_FIELDS(Ship, KEEL_FIELD(points, .max = 100), big, small, on,
            KEEL_FIELD(mood, .of = KEEL_TYPE(Mood)), name, owned,
            KEEL_FIELD(at, .of = KEEL_TYPE(Vec2)), slots, speed, target);
static void ship_drop(void *value, void *data) {
    (void)data;
    free(((Ship *)value)->owned);
}
static bool ship_copy(void *to, const void *from, void *data) {
    const char *text = ((const Ship *)from)->owned;
    (void)data;
    *(Ship *)to = *(const Ship *)from;
    ((Ship *)to)->owned = text ? strcpy(malloc(strlen(text) + 1), text) : NULL;
    return true;
}
KEEL_COMPONENT(Ship, KEEL_HAS_FIELDS(Ship), .drop = ship_drop, .copy = ship_copy,
               .tracking = KEEL_TRACK_ALL);
typedef struct Hull {
    int32_t plates;
} Hull;
static const Hull new_hull = { 12 };
KEEL_FIELDS(Hull, plates);
KEEL_COMPONENT(Hull, KEEL_HAS_FIELDS(Hull), .initial = &new_hull);
typedef struct Sail {
    int32_t area;
} Sail;
KEEL_FIELDS(Sail, area);
KEEL_COMPONENT(Sail, KEEL_HAS_FIELDS(Sail), .required = KEEL_LIST(Hull));
KEEL_TAG(Asleep);
KEEL_RELATION(Likes);
KEEL_RELATION(PartOf, .exclusive = true, .acyclic = true);
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
KEEL_FIELDS(Score, KEEL_FIELD(points, .min = -5, .max = 5));
KEEL_UNIQUE(Score, KEEL_HAS_FIELDS(Score));
typedef struct Unset {
    int32_t number;
} Unset;
KEEL_FIELDS(Unset, number);
KEEL_UNIQUE(Unset, KEEL_HAS_FIELDS(Unset));
typedef struct Hit {
    int32_t damage;
} Hit;
KEEL_FIELDS(Hit, damage);
KEEL_EVENT(Hit, KEEL_HAS_FIELDS(Hit));

typedef struct scene {
    look l;
    keel_entity ship, other, dead;
} scene;

static void begin(scene *s) {
    *s = (scene){ .l.world = keel_world_create(
                      &(keel_world_desc){ .log = keel_log_none, .worker_count = 1 }) };
    keel_world *world = s->l.world;
    keel_register(world, Ship, Hull, Sail, Asleep, Likes, PartOf, Dock, Grip);
    keel_set_unique(world, Score, { 2 });
    keel_set_unique(world, Unset, { 2 });
    keel_remove_unique(world, Unset);
    keel_send(world, Hit, { 1 });
    s->ship = keel_add_entity(world);
    keel_add_component(world, s->ship, KEEL_OF(Ship),
                       &(Ship){ .points = 10, .name = "mary", .at = { 1, 2 } });
    keel_set_name(world, s->ship, "ship");
    s->other = keel_add_entity(world);
    keel_set_name(world, s->other, "other");
    s->dead = keel_add_entity(world);
    keel_delete_entity(world, s->dead);
    look_begin(&s->l, &(keel_inspect_desc){ 0 });
}
static void end(scene *s) { look_end(&s->l); }

static uint64_t hash_of(scene *s) {
    uint64_t hash = 0;
    assert_int_equal(keel_world_hash(s->l.world, &hash), KEEL_OK);
    return hash;
}

// Writes a body: %S is the ship, %O the other, %D the dead one.
static const char *body_of(const scene *s, const char *format) {
    static char body[2000];
    size_t length = 0;
    for (const char *at = format; *at && length < sizeof body - 40; ++at) {
        if (*at != '%') {
            body[length++] = *at;
            continue;
        }
        ++at;
        const char *text = program_handle(*at == 'S' ? s->ship : *at == 'O' ? s->other : s->dead);
        length += strlen(strcpy(body + length, text));
    }
    body[length] = '\0';
    return body;
}
static void does(scene *s, const char *path, const char *format) {
    look_does(&s->l, path, "%s", body_of(s, format));
}
// The edit fails, and neither a value nor the tick of a change is another one.
static void fails(scene *s, int status, const char *part, const char *path, const char *format) {
    const uint64_t hash = hash_of(s);
    const uint64_t tick = keel_change_tick(s->l.world, s->ship, Ship);
    look_fails(&s->l, status, part, path, "%s", body_of(s, format));
    if (hash_of(s) != hash) fail_msg("%s %s changed the world", path, format);
    if (keel_change_tick(s->l.world, s->ship, Ship) != tick)
        fail_msg("%s %s counts as a change", path, format);
    assert_int_equal(keel_last_error(s->l.world)->result, KEEL_OK); // the program's errors
}
static const Ship *ship_of(const scene *s) { return keel_get(s->l.world, s->ship, Ship); }

// ------------------------------------------------------------------ set
static void fields_are_set(void **state) {
    scene s;
    (void)state;
    begin(&s);
    does(&s, "set", "{\"entity\":\"%S\",\"path\":\"Ship.points\",\"value\":\"50\"}");
    assert_int_equal(ship_of(&s)->points, 50);
    does(&s, "set", "{\"entity\":\"%S\",\"path\":\"Ship.points\",\"value\":51}");
    assert_int_equal(ship_of(&s)->points, 51);
    does(&s, "set", "{\"entity\":\"%S\",\"path\":\"Ship.big\",\"value\":\"-9223372036854775808\"}");
    assert_true(ship_of(&s)->big == INT64_MIN);
    does(&s, "set", "{\"entity\":\"%S\",\"path\":\"Ship.big\",\"value\":9223372036854775807}");
    assert_true(ship_of(&s)->big == INT64_MAX);
    does(&s, "set", "{\"entity\":\"%S\",\"path\":\"Ship.on\",\"value\":true}");
    assert_true(ship_of(&s)->on);
    does(&s, "set", "{\"entity\":\"%S\",\"path\":\"Ship.mood\",\"value\":\"ANGRY\"}");
    assert_int_equal(ship_of(&s)->mood, ANGRY);
    does(&s, "set", "{\"entity\":\"%S\",\"path\":\"Ship.name\",\"value\":\"an\\\"n\"}");
    assert_string_equal(ship_of(&s)->name, "an\"n");
    does(&s, "set", "{\"entity\":\"%S\",\"path\":\"Ship.owned\",\"value\":\"a long one\"}");
    assert_string_equal(ship_of(&s)->owned, "a long one");
    does(&s, "set", "{\"entity\":\"%S\",\"path\":\"Ship.at.y\",\"value\":0.1}");
    assert_true(ship_of(&s)->at.y == 0.1f);
    does(&s, "set", "{\"entity\":\"%S\",\"path\":\"Ship.speed\",\"value\":0.1}");
    assert_true(ship_of(&s)->speed == 0.1);
    does(&s, "set", "{\"entity\":\"%S\",\"path\":\"Ship.speed\",\"value\":\"-inf\"}");
    assert_true(ship_of(&s)->speed < -1e308);
    does(&s, "set", "{\"entity\":\"%S\",\"path\":\"Ship.slots[2]\",\"value\":65535}");
    assert_int_equal(ship_of(&s)->slots[2], 65535);
    does(&s, "set", "{\"entity\":\"%S\",\"path\":\"Ship.target\",\"value\":\"%O\"}");
    assert_true(keel_is_same(ship_of(&s)->target, s.other));
    does(&s, "set", "{\"entity\":\"%S\",\"path\":\"Ship.target\",\"value\":\"null\"}");
    assert_true(keel_is_null(ship_of(&s)->target));
    does(&s, "set", "{\"path\":\"Score.points\",\"value\":-5}");
    assert_int_equal(keel_get_unique(s.l.world, Score)->points, -5);
    // The answer has the leaves as they are now, and the change is tracked.
    const uint64_t tick = keel_tick(s.l.world);
    json_t *json = look_post(
        &s.l, "set", "%s", body_of(&s, "{\"entity\":\"%S\",\"path\":\"Ship.small\",\"value\":7}"));
    assert_string_equal(text_at(json, "component"), "Ship");
    assert_int_equal(number_at(find(at(json, "fields"), "path", "small"), "value"), 7);
    assert_int_equal(number_at(find(at(json, "fields"), "path", "points"), "value"), 51);
    assert_true(keel_change_tick(s.l.world, s.ship, Ship) > tick);
    json_decref(json);
    end(&s);
}

static void wrong_values_are_not_set(void **state) {
    static const char *const values[][2] = {
        { "Ship.points", "101" },    { "Ship.points", "-1" },
        { "Ship.points", "1.5" },    { "Ship.points", "\"x\"" },
        { "Ship.points", "\"\"" },   { "Ship.points", "true" },
        { "Ship.small", "256" },     { "Ship.small", "-1" },
        { "Ship.on", "2" },          { "Ship.mood", "\"MAD\"" },
        { "Ship.target", "\"x\"" },  { "Ship.name", "\"too long\"" },
        { "Ship.slots", "1" },       { "Ship.slots[1]", "70000" },
        { "Ship.at", "\"{x: q}\"" }, { "Ship.speed", "\"fast\"" },
        { "Ship.at.z", "1" },        { "Ship.slots[3]", "1" },
        { "Score.points", "6" },     { "Hit.damage", "1" },
        { "Nothing.x", "1" },        { "Ship.big", "\"9223372036854775808\"" },
    };
    scene s;
    (void)state;
    begin(&s);
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
        char body[200];
        const uint64_t tick =
            keel_change_tick_of_component(s.l.world, keel_null(), &KEEL_UNIQUE_Score);
        (void)snprintf(body, sizeof body, "{\"entity\":\"%%S\",\"path\":\"%s\",\"value\":%s}",
                       values[i][0], values[i][1]);
        fails(&s, 400, "\"code\":\"value\"", "set", body);
        assert_int_equal(keel_change_tick_of_component(s.l.world, keel_null(), &KEEL_UNIQUE_Score),
                         tick);
    }
    fails(&s, 400, "argument", "set", "{\"entity\":\"%S\",\"path\":\"Ship.points\"}");
    fails(&s, 400, "argument", "set", "{\"entity\":\"%S\",\"value\":1}");
    fails(&s, 400, "argument", "set",
          "{\"entity\":\"%S\",\"path\":\"Ship.points\",\"value\":{\"a\":1}}");
    fails(&s, 404, "not alive", "set", "{\"entity\":\"%D\",\"path\":\"Ship.points\",\"value\":1}");
    fails(&s, 404, "has no Ship", "set",
          "{\"entity\":\"%O\",\"path\":\"Ship.points\",\"value\":1}");
    fails(&s, 404, "no value of Unset", "set", "{\"path\":\"Unset.number\",\"value\":1}");
    keel_disable(s.l.world, s.ship, Ship);
    fails(&s, 404, "has no Ship", "set",
          "{\"entity\":\"%S\",\"path\":\"Ship.points\",\"value\":1}");
    end(&s);
}

static void values_of_relations_are_set(void **state) {
    scene s;
    (void)state;
    begin(&s);
    keel_relate(s.l.world, s.ship, Dock, s.other, { 3 });
    keel_relate(s.l.world, s.ship, Grip, s.other, { 3 });
    does(&s, "set", "{\"entity\":\"%S\",\"path\":\"Dock.berth\",\"value\":8}");
    assert_int_equal(keel_get(s.l.world, s.ship, Dock)->berth, 8);
    // With several targets it is not said which value is meant.
    fails(&s, 404, "has no Grip", "set", "{\"entity\":\"%S\",\"path\":\"Grip.force\",\"value\":8}");
    end(&s);
}

// ------------------------------------------------------------------ components
static void components_come_and_go(void **state) {
    scene s;
    (void)state;
    begin(&s);
    does(&s, "add", "{\"entity\":\"%S\",\"component\":\"Sail\"}");
    assert_int_equal(keel_get(s.l.world, s.ship, Sail)->area, 0);
    assert_int_equal(keel_get(s.l.world, s.ship, Hull)->plates, 12); // required, with its initial
    fails(&s, 400, "Hull", "remove", "{\"entity\":\"%S\",\"component\":\"Hull\"}");
    fails(&s, 400, "requires it", "disable",
          "{\"entity\":\"%S\",\"component\":\"Hull\",\"disabled\":true}");
    does(&s, "disable", "{\"entity\":\"%S\",\"component\":\"Sail\",\"disabled\":true}");
    does(&s, "disable", "{\"entity\":\"%S\",\"component\":\"Hull\",\"disabled\":true}");
    assert_true(keel_is_disabled(s.l.world, s.ship, Hull));
    fails(&s, 400, "already", "add", "{\"entity\":\"%S\",\"component\":\"Hull\"}");
    // A disabled component is enabled and removed, if it may be enabled.
    fails(&s, 400, "enable that first", "remove", "{\"entity\":\"%S\",\"component\":\"Sail\"}");
    does(&s, "disable", "{\"entity\":\"%S\",\"component\":\"Hull\",\"disabled\":false}");
    does(&s, "remove", "{\"entity\":\"%S\",\"component\":\"Sail\"}");
    does(&s, "disable", "{\"entity\":\"%S\",\"component\":\"Hull\",\"disabled\":true}");
    assert_false(keel_has(s.l.world, s.ship, Sail) || keel_is_disabled(s.l.world, s.ship, Sail));
    does(&s, "remove", "{\"entity\":\"%S\",\"component\":\"Hull\"}"); // a disabled one
    assert_false(keel_has(s.l.world, s.ship, Hull) || keel_is_disabled(s.l.world, s.ship, Hull));
    does(&s, "add", "{\"entity\":\"%S\",\"component\":\"Asleep\"}");
    does(&s, "disable", "{\"entity\":\"%S\",\"disabled\":true}"); // the whole entity
    assert_true(keel_is_disabled(s.l.world, s.ship, Ship));
    assert_true(keel_is_disabled(s.l.world, s.ship, Asleep));
    does(&s, "disable", "{\"entity\":\"%S\",\"disabled\":false}");
    assert_true(keel_has(s.l.world, s.ship, Ship));
    does(&s, "disable", "{\"entity\":\"%S\",\"component\":\"Ship\",\"disabled\":true}");
    does(&s, "disable", "{\"entity\":\"%S\",\"component\":\"Ship\",\"disabled\":false}");
    assert_true(keel_has(s.l.world, s.ship, Ship));
    fails(&s, 400, "already", "add", "{\"entity\":\"%S\",\"component\":\"Ship\"}");
    fails(&s, 400, "no component", "add", "{\"entity\":\"%S\",\"component\":\"Nothing\"}");
    fails(&s, 400, "argument", "add", "{\"entity\":\"%S\",\"component\":\"Likes\"}");
    fails(&s, 400, "argument", "add", "{\"entity\":\"%S\",\"component\":\"Score\"}");
    fails(&s, 400, "argument", "add", "{\"entity\":\"%S\",\"component\":\"Hit\"}");
    fails(&s, 404, "not alive", "add", "{\"entity\":\"%D\",\"component\":\"Hull\"}");
    fails(&s, 404, "has no Sail", "remove", "{\"entity\":\"%S\",\"component\":\"Sail\"}");
    fails(&s, 404, "has no Sail", "disable",
          "{\"entity\":\"%S\",\"component\":\"Sail\",\"disabled\":true}");
    fails(&s, 400, "true or false", "disable", "{\"entity\":\"%S\",\"disabled\":1}");
    end(&s);
}

static void components_are_tracked(void **state) {
    scene s;
    (void)state;
    begin(&s);
    assert_int_equal(keel_tracked(s.l.world, Hull), 0);
    does(&s, "track", "{\"component\":\"Hull\"}");
    assert_int_equal(keel_tracked(s.l.world, Hull), KEEL_TRACK_ALL);
    fails(&s, 400, "argument", "track", "{\"component\":\"Score\"}");
    fails(&s, 400, "no component", "track", "{}");
    end(&s);
}

// ------------------------------------------------------------------ entities and relations
static void entities_come_and_go(void **state) {
    scene s;
    (void)state;
    begin(&s);
    json_t *json = look_post(&s.l, "spawn", "{}");
    const keel_entity plain = handle_of(at(json, "entity"));
    json_decref(json);
    assert_true(keel_is_alive(s.l.world, plain));
    assert_null(keel_name_of(s.l.world, plain));
    json = look_post(&s.l, "spawn", "%s", body_of(&s, "{\"name\":\"mast\",\"parent\":\"%S\"}"));
    const keel_entity mast = handle_of(at(json, "entity"));
    json_decref(json);
    assert_true(keel_is_same(keel_parent_of(s.l.world, mast), s.ship));
    assert_string_equal(keel_name_of(s.l.world, mast), "mast");
    fails(&s, 400, "mast", "spawn", "{\"name\":\"mast\",\"parent\":\"%S\"}"); // occupied
    fails(&s, 400, "ship", "spawn", "{\"name\":\"ship\"}");
    fails(&s, 404, "not alive", "spawn", "{\"parent\":\"%D\"}");
    fails(&s, 404, "not alive", "delete", "{\"entity\":\"%D\"}");
    does(&s, "delete", "{\"entity\":\"%O\"}");
    assert_false(keel_is_alive(s.l.world, s.other));
    end(&s);
}

static void relations_are_made(void **state) {
    scene s;
    (void)state;
    begin(&s);
    does(&s, "relate", "{\"entity\":\"%S\",\"relation\":\"Likes\",\"target\":\"%O\"}");
    assert_true(keel_is_related(s.l.world, s.ship, Likes, s.other));
    does(&s, "relate", "{\"entity\":\"%S\",\"relation\":\"Dock\",\"target\":\"%O\"}");
    assert_int_equal(keel_get(s.l.world, s.ship, Dock)->berth, 0);
    does(&s, "relate", "{\"entity\":\"%S\",\"relation\":\"PartOf\",\"target\":\"%O\"}");
    fails(&s, 400, "argument", "relate",
          "{\"entity\":\"%O\",\"relation\":\"PartOf\",\"target\":\"%S\"}"); // a cycle
    fails(&s, 400, "argument", "relate",
          "{\"entity\":\"%S\",\"relation\":\"PartOf\",\"target\":\"%S\"}");
    fails(&s, 400, "no relation", "relate",
          "{\"entity\":\"%S\",\"relation\":\"Ship\",\"target\":\"%O\"}");
    fails(&s, 404, "not alive", "relate",
          "{\"entity\":\"%S\",\"relation\":\"Likes\",\"target\":\"%D\"}");
    fails(&s, 404, "not alive", "relate",
          "{\"entity\":\"%D\",\"relation\":\"Likes\",\"target\":\"%S\"}");
    fails(&s, 404, "gone", "unrelate",
          "{\"entity\":\"%O\",\"relation\":\"Likes\",\"target\":\"%S\"}");
    does(&s, "unrelate", "{\"entity\":\"%S\",\"relation\":\"Likes\",\"target\":\"%O\"}");
    assert_false(keel_is_related(s.l.world, s.ship, Likes, s.other));
    end(&s);
}

static void open_views_are_respected(void **state) {
    static const char *const edits[][2] = {
        { "set", "{\"entity\":\"%S\",\"path\":\"Ship.points\",\"value\":1}" },
        { "set", "{\"path\":\"Score.points\",\"value\":1}" },
        { "add", "{\"entity\":\"%O\",\"component\":\"Ship\"}" },
        { "remove", "{\"entity\":\"%S\",\"component\":\"Ship\"}" },
        { "disable", "{\"entity\":\"%S\",\"component\":\"Ship\",\"disabled\":true}" },
        { "disable", "{\"entity\":\"%S\",\"disabled\":true}" },
        { "delete", "{\"entity\":\"%S\"}" },
    };
    scene s;
    keel_view view;
    (void)state;
    begin(&s);
    assert_int_equal(keel_view_begin(&view, s.l.world, KEEL_TERMS(KEEL_WRITE(Ship, ship)),
                                     "the view of the test"),
                     KEEL_OK);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; ++i)
        look_fails(&s.l, 503, "\"busy: ", edits[i][0], "%s", body_of(&s, edits[i][1]));
    assert_int_equal(ship_of(&s)->points, 10);
    keel_view_end(&view);
    assert_int_equal(keel_last_error(s.l.world)->result, KEEL_OK);
    does(&s, "set", edits[0][1]);
    assert_int_equal(ship_of(&s)->points, 1);
    end(&s);
}

static const struct CMUnitTest tests[] = {
    TEST(fields_are_set, "fields of every kind are set, and the change is tracked"),
    TEST(wrong_values_are_not_set, "a wrong value is not set, and no change is tracked"),
    TEST(values_of_relations_are_set, "the value of an exclusive relation is set"),
    TEST(components_come_and_go, "components are added, removed, disabled and enabled"),
    TEST(components_are_tracked, "components are tracked from then on"),
    TEST(entities_come_and_go, "entities are spawned and deleted"),
    TEST(relations_are_made, "relations are made and taken back, and stay without cycles"),
    TEST(open_views_are_respected, "while a view is open, edits are busy"),
};
int main(void) { return RUN(tests); }
