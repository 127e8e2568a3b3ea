// SPDX-License-Identifier: MIT
// keel::json: levels whose entities are copies of prefabs, with what the text changes of them.
#include "support/api_fixture.h"

#include <keel_json.h>
#include <stdlib.h>
#include <string.h>

typedef struct Hull {
    int32_t points, plates;
} Hull;
typedef struct Turret {
    keel_entity barrel;
    float angle;
} Turret;
typedef struct Place {
    float x, y;
} Place;
KEEL_FIELDS(Hull, points, plates);
KEEL_FIELDS(Turret, barrel, angle);
KEEL_FIELDS(Place, x, y);
KEEL_COMPONENT(Hull, KEEL_HAS_FIELDS(Hull));
KEEL_COMPONENT(Turret, .storage = KEEL_INDEXED, KEEL_HAS_FIELDS(Turret));
KEEL_COMPONENT(Place, .storage = KEEL_ARCHETYPE, KEEL_HAS_FIELDS(Place));
KEEL_TAG(Hidden);
KEEL_RELATION(Guards);

static api_fixture f;
static keel_prefab tank;
static keel_entity turret;
static keel_error why;

static void make_templates(keel_world *world) {
    keel_world *templates = keel_templates(world);
    (void)keel_add_entity(templates); // so that handles differ
    tank.root = keel_add_entity(templates, KEEL_INIT(Hull, { 100, 4 }), KEEL_INIT(Hidden));
    turret = keel_add_child(templates, tank.root, KEEL_INIT(Place, { 0, 2 }));
    const keel_entity barrel = keel_add_child(templates, turret, KEEL_INIT(Place, { 1, 2 }));
    keel_add(templates, turret, Turret, { barrel, 0.5f });
    keel_relate(templates, barrel, Guards, tank.root);
    keel_set_name(templates, tank.root, "tank");
    keel_set_name(templates, turret, "turret");
    keel_disable(templates, tank.root, Hidden);
}
static int set_up(void **state) {
    (void)state;
    api_begin(&f);
    make_templates(f.world);
    assert_int_equal(keel_register(f.world, Hull, Turret, Place, Hidden, Guards), KEEL_OK);
    why = (keel_error){ 0 };
    return 0;
}
static int tear_down(void **state) {
    (void)state;
    api_end(&f);
    return 0;
}
static keel_result load(const char *text) {
    return keel_json_load_text(f.world, text, strlen(text), NULL, &why);
}
static keel_entity find(const char *path) { return keel_find_entity(f.world, keel_null(), path); }

static void a_prefab_comes_with_what_the_text_changes(void **state) {
    (void)state;
    if (load("{\"entities\": {\n"
             "  \"a\": {\"@prefab\": \"tank\", \"Hull\": {\"points\": 7}, \"Place\": {\"x\": 3, "
             "\"y\": 4}},\n"
             "  \"a/turret\": {\"Turret\": {\"angle\": 2}},\n"
             "  \"a/flag\": {\"Guards\": [\"a/turret\"]},\n"
             "  \"b\": {\"Hidden\": true, \"@prefab\": \"tank\"},\n"
             "  \"c\": {\"@prefab\": \"tank/turret\"}}}") < 0)
        fail_msg("%s", why.message);
    const keel_entity a = find("a"), its = find("a/turret"), b = find("b");
    assert_int_equal(keel_entity_count(f.world), 9);
    assert_int_equal(keel_get(f.world, a, Hull)->points, 7);
    assert_int_equal(keel_get(f.world, a, Hull)->plates, 4); // as the prefab has it
    assert_int_equal(keel_get(f.world, b, Hull)->points, 100);
    assert_true(keel_get(f.world, a, Place)->y == 4);
    assert_true(keel_is_disabled(f.world, a, Hidden));
    assert_true(keel_has(f.world, b, Hidden)); // the text says so
    assert_true(keel_get(f.world, its, Turret)->angle == 2);
    const keel_entity barrel = keel_get(f.world, its, Turret)->barrel;
    assert_same_entity(keel_parent_of(f.world, barrel), its);
    assert_true(keel_is_related(f.world, barrel, Guards, a));
    assert_true(keel_is_related(f.world, find("a/flag"), Guards, its));
    assert_same_entity(keel_prefab_of(f.world, a).root, tank.root);
    assert_same_entity(keel_prefab_of(f.world, its).root, turret);
    assert_true(keel_get(f.world, find("c"), Turret)->angle == 0.5f);
    assert_same_entity(keel_prefab_of(f.world, find("c")).root, turret);
}

static void and_into_a_living_world(void **state) {
    (void)state;
    const keel_entity room = keel_add_entity(f.world);
    (void)keel_spawn(f.world, tank);
    keel_set_name(f.world, room, "room");
    const keel_merge_options below = { .root = room };
    static const char text[] = "{\"entities\": {\"a\": {\"@prefab\": \"tank\"}}}";
    assert_int_equal(keel_json_load_text(f.world, text, strlen(text),
                                         &(keel_json_load_options){ .merge = &below }, &why),
                     KEEL_OK);
    const keel_entity a = find("room/a");
    assert_same_entity(keel_prefab_of(f.world, a).root, tank.root);
    assert_int_equal(keel_apply_prefab(f.world, a, tank), KEEL_OK); // it has its parts
    assert_int_equal(keel_child_count(f.world, a), 1);
}

typedef struct written {
    char *text;
    size_t length;
} written;
static bool take(void *context, const char *text, size_t length) {
    written *w = context;
    w->text = malloc(length + 1);
    memcpy(w->text, text, length);
    w->text[w->length = length] = '\0';
    return true;
}

// Who was written is there in full, and is a copy of the same prefab when it is loaded.
static void what_was_a_copy_is_one_again(void **state) {
    (void)state;
    for (uint32_t handles = 0; handles < 2; ++handles) {
        written w = { NULL, 0 };
        const keel_entity a = keel_spawn(f.world, tank, KEEL_INIT(Hull, { 1, 2 }));
        keel_set_name(f.world, a, handles ? "second" : "first");
        const keel_json_write_options how = { .handles = handles };
        assert_int_equal(keel_json_write_to(f.world, take, &w, &how, &why), KEEL_OK);
        assert_non_null(strstr(w.text, "\"@copy_of\": \"tank\""));
        assert_non_null(strstr(w.text, "\"@copy_of\": \"tank/turret\""));
        assert_true(!strstr(w.text, "\"@copy_of\": \"@") == !handles); // the barrel has no name
        keel_world *again = keel_world_create(&(keel_world_desc){ .worker_count = 1 });
        make_templates(again);
        assert_int_equal(keel_register(again, Hull, Turret, Place, Hidden, Guards), KEEL_OK);
        if (keel_json_load_text(again, w.text, w.length, NULL, &why) < 0)
            fail_msg("%s", why.message);
        uint64_t before, after;
        assert_int_equal(keel_world_hash(f.world, &before), KEEL_OK);
        assert_int_equal(keel_world_hash(again, &after), KEEL_OK);
        if (handles) assert_true(before == after);
        const keel_entity its = keel_find_entity(again, keel_null(), handles ? "second" : "first");
        assert_same_entity(keel_prefab_of(again, its).root, tank.root);
        assert_int_equal(keel_entity_count(again), keel_entity_count(f.world));
        keel_world_destroy(again);
        free(w.text);
    }
}

static void the_schema_offers_prefabs(void **state) {
    (void)state;
    written w = { NULL, 0 };
    assert_int_equal(keel_json_write_schema_to(f.world, take, &w, &why), KEEL_OK);
    assert_non_null(strstr(w.text, "\"examples\": [\"tank\"]"));
    assert_non_null(strstr(w.text, "\"@prefab\""));
    free(w.text);
}

static void mistakes_are_named(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
        keel_result result;
    } cases[] = {
        { "{\"entities\": {\n\"a\": {\"@prefab\": \"tonk\"}}}",
          "json:2: no prefab 'tonk'; the nearest is 'tank'", KEEL_ERROR_UNKNOWN },
        { "{\"entities\": {\"a\": {\"@prefab\": 7}}}",
          "'@prefab': the path of a template is expected", KEEL_ERROR_TEXT },
        { "{\"entities\": {\"a\": {\"@prefab\": \"tank\", \"@prefab\": \"tank\"}}}",
          "'@prefab' is there twice", KEEL_ERROR_TEXT },
        { "{\"entities\": {\"a\": {\"@prefab\": \"tank\"}, \"a/turret\": {}, \"a/turret\": {}}}",
          "the entity 'a/turret' is there twice", KEEL_ERROR_OCCUPIED },
        { "{\"entities\": {\"a\": {\"@prefab\": \"tank\"}, \"a\": {\"@prefab\": \"tank\"}}}",
          "the entity 'a' is there twice", KEEL_ERROR_OCCUPIED },
        { "{\"entities\": {\"a\": {\"@prefab\": \"tank\"}, \"a/turrt/x\": {}}}",
          "no entity 'a/turrt' before its child", KEEL_ERROR_UNKNOWN },
        { "{\"entities\": {\"a\": {\"@prefab\": \"tank\", \"Hull\": {\"point\": 1}}}}",
          "'Hull' has no field 'point'", KEEL_ERROR_UNKNOWN },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const keel_result r = load(cases[i].text);
        if (r != cases[i].result || !strstr(why.message, cases[i].says))
            fail_msg("%s\n%d: %s", cases[i].text, (int)r, why.message);
        assert_int_equal(keel_entity_count(f.world), 0);
    }
    keel_clear_errors(f.world);
}

static void each_allocation_may_fail(void **state) {
    static const char text[] =
        "{\"entities\": {\"a\": {\"@prefab\": \"tank\"}, \"a/turret\": {\"Hull\": {}}}}";
    (void)state;
    for (uint32_t allowed = 0;; ++allowed) {
        counting_allocator_fail_after(&f.memory, allowed);
        const keel_result r = load(text);
        counting_allocator_never_fail(&f.memory);
        if (r == KEEL_OK) break;
        assert_int_equal(r, KEEL_ERROR_MEMORY);
        assert_int_equal(keel_entity_count(f.world), 0);
    }
    assert_int_equal(keel_entity_count(f.world), 3);
    keel_clear_errors(f.world);
}

#define JSON_TEST(function, title)                                                                 \
    { title, function, set_up, tear_down, NULL }
static const struct CMUnitTest tests[] = {
    JSON_TEST(a_prefab_comes_with_what_the_text_changes,
              "a prefab comes with what the text changes"),
    JSON_TEST(and_into_a_living_world, "and into a living world"),
    JSON_TEST(what_was_a_copy_is_one_again, "what was a copy is one again"),
    JSON_TEST(the_schema_offers_prefabs, "the schema offers prefabs"),
    JSON_TEST(mistakes_are_named, "mistakes are named"),
    JSON_TEST(each_allocation_may_fail, "each allocation may fail"),
};

int main(void) { return RUN(tests); }
