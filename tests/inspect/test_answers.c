// SPDX-License-Identifier: MIT
// What the inspector answers about the world and its entities, compared with the world as the test
// reads it: GET world, GET entities.
#include "look.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

typedef struct Place {
    float x, y;
} Place;
KEEL_FIELDS(Place, x, y);
KEEL_COMPONENT(Place, KEEL_HAS_FIELDS(Place));
typedef struct Fuel {
    uint32_t left;
} Fuel;
KEEL_FIELDS(Fuel, KEEL_FIELD(left, .max = 500, .unit = "l"));
KEEL_COMPONENT(Fuel, KEEL_HAS_FIELDS(Fuel), .storage = KEEL_INDEXED, .tracking = KEEL_TRACK_ALL);
typedef struct Blob {
    unsigned char bytes[100];
} Blob;
KEEL_COMPONENT(Blob, .storage = KEEL_ARCHETYPE, .no_padding = true,
               .tracking = KEEL_TRACK_DELETION);
KEEL_TAG(Asleep, .transient = true);
KEEL_RELATION(Follows, .exclusive = true);
typedef struct Score {
    int64_t points;
} Score;
KEEL_FIELDS(Score, points);
KEEL_UNIQUE(Score, KEEL_HAS_FIELDS(Score));
typedef struct Secret {
    unsigned char bytes[3];
} Secret;
KEEL_UNIQUE(Secret, .no_padding = true);
typedef struct Unset {
    int32_t number;
} Unset;
KEEL_FIELDS(Unset, number);
KEEL_UNIQUE(Unset, KEEL_HAS_FIELDS(Unset));
typedef struct Hit {
    int32_t damage;
} Hit;
KEEL_EVENT(Hit, .limit = 100);
typedef struct Noise {
    int32_t loud;
} Noise;
KEEL_EVENT(Noise);

KEEL_SYSTEM(answers_move, KEEL_WRITE(Place, p), KEEL_SEND(Hit, hits)) {
    p->x += 1;
    if (p->x < 0) keel_send(hits, Hit, { 1 });
}
KEEL_SYSTEM_ONCE(answers_hear, KEEL_RECEIVE(Hit, hits), KEEL_SEND(Noise, noises)) {
    KEEL_EACH_EVENT(hits, Hit, hit)
        keel_send(noises, Noise, { hit->damage });
}
KEEL_SYSTEM_ONCE(answers_echo, KEEL_RECEIVE(Noise, heard), KEEL_SEND(Noise, said)) {
    if (keel_event_count(heard, Noise) > 100) keel_send(said, Noise, { 1 });
}
KEEL_SYSTEM_ONCE(answers_count, KEEL_UNIQUE_WRITE(Score, score)) { ++score->points; }
KEEL_WORKLOAD(answers_work, KEEL_STEP(answers_move), KEEL_STEP(answers_hear),
              KEEL_STEP(answers_count), KEEL_STEP(answers_echo));

static void begin(look *l, const keel_inspect_desc *how) {
    *l = (look){ .world = keel_world_create(
                     &(keel_world_desc){ .log = keel_log_none, .worker_count = 1 }) };
    keel_register(l->world, Place, Fuel, Blob, Asleep, Follows);
    keel_set_unique(l->world, Score, { INT64_MAX - 10 });
    keel_set_unique(l->world, Secret, { { 0x0a, 0xff, 0x10 } });
    keel_inspect_desc desc = *how;
    desc.workload = &KEEL_WORKLOAD_answers_work;
    look_begin(l, &desc);
}

// ------------------------------------------------------------------ world
static void world_is_as(look *l, const json_t *json, const keel_world *world, bool is_now) {
    const keel_statistics now = keel_world_statistics(world);
    size_t components = 0;
    assert_int_equal(number_at(json, "entities"), keel_entity_count(world));
    if (is_now) {
        assert_int_equal(number_at(json, "bytes.total"), now.memory.total);
        assert_int_equal(number_at(json, "bytes.entities"), now.memory.entities);
        assert_int_equal(number_at(json, "bytes.components"), now.memory.components);
        assert_int_equal(number_at(json, "bytes.uniques"), now.memory.uniques);
        assert_int_equal(number_at(json, "bytes.commands"), now.memory.commands);
        assert_int_equal(number_at(json, "bytes.other"), now.memory.other);
        assert_int_equal(number_at(json, "dropped_commands"), now.dropped_commands);
    }
    for (const keel_component *c = keel_next_component(world, NULL); c;
         c = keel_next_component(world, c), ++components) {
        static const char *const kinds[] = { "insertion", "modification", "deletion", "removal" };
        const json_t *one = find(at(json, "components"), "name", c->name);
        assert_non_null(one);
        assert_int_equal(number_at(one, "size"), c->size);
        assert_int_equal(number_at(one, "count"), keel_component_count(world, c));
        if (is_now) assert_int_equal(number_at(one, "bytes"), keel_component_memory(world, c));
        assert_string_equal(text_at(one, "storage"), c->storage == KEEL_ARCHETYPE ? "archetype"
                                                     : c->storage == KEEL_INDEXED ? "indexed"
                                                                                  : "sparse set");
        assert_int_equal(bool_at(one, "relation"), c->is_relation);
        assert_int_equal(bool_at(one, "exclusive"), c->exclusive);
        assert_int_equal(bool_at(one, "transient"), c->transient);
        assert_int_equal(bool_at(one, "tag"), c->size == 0);
        assert_int_equal(count_at(one, "fields"), c->field_count);
        size_t tracked = 0;
        for (int i = 0; i < 4; ++i)
            if (keel_tracked_kinds(world, c) >> i & 1)
                assert_string_equal(
                    json_string_value(json_array_get(at(one, "tracking"), tracked++)), kinds[i]);
        assert_int_equal(count_at(one, "tracking"), tracked);
    }
    assert_int_equal(count_at(json, "components"), components);
    (void)l;
}

static void the_world_is_described(void **state) {
    look l;
    (void)state;
    begin(&l, &(keel_inspect_desc){ .program = "the \"test\"\n" });
    for (int i = 0; i < 70; ++i) {
        const keel_entity e = keel_add_entity(l.world, KEEL_INIT(Place, { (float)i, 0 }));
        if (i % 3 == 0) keel_add(l.world, e, Fuel, { (uint32_t)i });
        if (i % 5 == 0) keel_add(l.world, e, Blob, { { 1 } });
        if (i % 7 == 0) keel_add(l.world, e, Asleep);
        if (i % 2) keel_relate(l.world, e, Follows, keel_next_entity(l.world, keel_null()));
    }
    keel_send(l.world, Noise, { 4 });
    keel_send(l.world, Noise, { 5 });
    look_run(&l, 3);
    json_t *json = look_get(&l, "world");
    world_is_as(&l, json, l.world, true);
    assert_string_equal(text_at(json, "program"), "the \"test\"\n");
    assert_string_equal(text_at(json, "keel"), keel_version());
    assert_int_equal(number_at(json, "frame"), 3);
    assert_true(bool_at(json, "paused"));
    assert_true(bool_at(json, "allowed.edits"));
    assert_false(bool_at(json, "allowed.changes"));
    assert_string_equal(text_at(json, "workload"), "answers_work");
    assert_int_equal(number_at(json, "past.capacity"), 0);
    assert_true(json_is_null(at(json, "past.oldest")));
    assert_int_equal(number_at(json, "inspector.budget"), 500000);
    assert_true(number_at(json, "inspector.worst") > 0);
    const json_t *fuel = find(at(json, "components"), "name", "Fuel");
    assert_string_equal(text_at(fuel, "fields.0.name"), "left");
    assert_string_equal(text_at(fuel, "fields.0.type"), "u32");
    assert_string_equal(text_at(fuel, "fields.0.unit"), "l");
    assert_int_equal(json_number_value(at(fuel, "fields.0.max")), 500);
    json_decref(json);
    look_end(&l);
}

static void uniques_have_their_values(void **state) {
    look l;
    (void)state;
    begin(&l, &(keel_inspect_desc){ 0 });
    look_run(&l, 2);
    keel_set_unique(l.world, Unset, { 7 });
    keel_remove_unique(l.world, Unset);
    json_t *json = look_get(&l, "world");
    const json_t *score = find(at(json, "uniques"), "name", "Score"),
                 *secret = find(at(json, "uniques"), "name", "Secret"),
                 *unset = find(at(json, "uniques"), "name", "Unset");
    assert_true(bool_at(score, "set"));
    assert_int_equal(number_at(score, "size"), sizeof(Score));
    assert_string_equal(text_at(score, "fields.0.value"), "9223372036854775799");
    assert_true(json_is_null(at(score, "bytes")));
    assert_true(json_is_null(at(secret, "fields")));
    assert_string_equal(text_at(secret, "bytes"), "0a ff 10");
    if (unset) {
        assert_false(bool_at(unset, "set"));
        assert_true(json_is_null(at(unset, "fields")));
    }
    json_decref(json);
    look_end(&l);
}

static void events_have_senders_and_receivers(void **state) {
    look l;
    (void)state;
    begin(&l, &(keel_inspect_desc){ 0 });
    (void)keel_add_entity(l.world, KEEL_INIT(Place, { -10, 0 }));
    look_run(&l, 2);
    keel_send(l.world, Hit, { 3 });
    json_t *json = look_get(&l, "world");
    const json_t *hit = find(at(json, "events"), "name", "Hit"),
                 *noise = find(at(json, "events"), "name", "Noise");
    assert_int_equal(number_at(hit, "waiting"), keel_event_count_of(l.world, &KEEL_EVENT_Hit));
    assert_int_equal(number_at(noise, "waiting"), keel_event_count_of(l.world, &KEEL_EVENT_Noise));
    assert_int_equal(number_at(hit, "limit"), 100);
    assert_int_equal(number_at(noise, "limit"), 65536);
    assert_int_equal(count_at(hit, "senders"), 1);
    assert_string_equal(text_at(hit, "senders.0"), "answers_move");
    assert_int_equal(count_at(hit, "receivers"), 1);
    assert_string_equal(text_at(hit, "receivers.0"), "answers_hear");
    assert_string_equal(text_at(noise, "senders.0"), "answers_hear");
    // One that sends and receives is both.
    assert_string_equal(text_at(noise, "senders.1"), "answers_echo");
    assert_int_equal(count_at(noise, "receivers"), 1);
    assert_string_equal(text_at(noise, "receivers.0"), "answers_echo");
    json_decref(json);
    look_end(&l);
}

static void an_earlier_world_is_described(void **state) {
    look l;
    (void)state;
    begin(&l, &(keel_inspect_desc){ .past = 4 });
    const keel_entity first = keel_add_entity(l.world, KEEL_INIT(Place, { 1, 0 }));
    look_run(&l, 2); // frames 1 and 2
    for (int i = 0; i < 9; ++i)
        (void)keel_add_entity(l.world, KEEL_INIT(Fuel, { 1 }));
    keel_delete_entity(l.world, first);
    look_run(&l, 2); // frame 3 begins with them
    json_t *now = look_get(&l, "world"), *then = look_get(&l, "world?frame=2"),
           *later = look_get(&l, "world?frame=3");
    world_is_as(&l, now, l.world, true);
    assert_int_equal(number_at(now, "entities"), 9);
    assert_int_equal(number_at(now, "frame"), 4);
    assert_int_equal(number_at(now, "past.oldest"), 1);
    assert_int_equal(number_at(now, "past.newest"), 4);
    assert_int_equal(number_at(now, "past.frames"), 4);
    assert_true(number_at(now, "past.bytes") > 0);
    assert_int_equal(number_at(then, "entities"), 1);
    assert_int_equal(number_at(then, "frame"), 2);
    assert_int_equal(number_at(find(at(then, "components"), "name", "Place"), "count"), 1);
    assert_int_equal(number_at(find(at(then, "components"), "name", "Fuel"), "count"), 0);
    // The count runs once in a frame: the begin of frame 2 has the value of frame 1.
    assert_string_equal(text_at(find(at(then, "uniques"), "name", "Score"), "fields.0.value"),
                        "9223372036854775798");
    assert_int_equal(number_at(later, "entities"), 9);
    assert_int_equal(number_at(find(at(later, "components"), "name", "Fuel"), "count"), 9);
    json_decref(now);
    json_decref(then);
    json_decref(later);
    look_run(&l, 1);
    look_fails(&l, 404, "frame 1 is not kept", "world?frame=1", NULL);
    look_fails(&l, 404, "frame 99 is not kept", "world?frame=99", NULL);
    look_fails(&l, 400, "'-1' is no number", "world?frame=-1", NULL);
    look_end(&l);
}

// ------------------------------------------------------------------ entities
// Asks for all pages, and compares them with a list, in order.
static void pages_are(look *l, const char *arguments, unsigned limit, const keel_world *world,
                      const keel_entity *expected, size_t count, uint64_t total) {
    char after[40] = "";
    size_t i = 0;
    for (;;) {
        json_t *page = look_get(l, "entities?limit=%u%s%s", limit, arguments, after);
        const json_t *rows = at(page, "entities");
        assert_true(json_array_size(rows) <= limit);
        assert_int_equal(number_at(page, "total"), total);
        for (size_t r = 0; r < json_array_size(rows); ++r, ++i) {
            const json_t *row = json_array_get(rows, r);
            assert_true(i < count);
            if (!keel_is_same(handle_of(at(row, "entity")), expected[i]))
                fail_msg("row %zu is %s, not %s", i, text_at(row, "entity"),
                         program_handle(expected[i]));
            assert_same_text(text_at(row, "name"), keel_name_of(world, expected[i]));
            assert_int_equal(number_at(row, "children"), keel_child_count(world, expected[i]));
            size_t names = 0;
            for (const keel_component *c = keel_next_component_of(world, expected[i], NULL); c;
                 c = keel_next_component_of(world, expected[i], c))
                assert_string_equal(
                    json_string_value(json_array_get(at(row, "components"), names++)), c->name);
            assert_int_equal(count_at(row, "components"), names);
        }
        const char *next = text_at(page, "next");
        if (next) (void)snprintf(after, sizeof after, "&after=%s", next);
        json_decref(page);
        if (!next) break;
    }
    assert_int_equal(i, count);
}

enum { MANY = 137 };
static size_t make_forest(keel_world *world, keel_entity *all) {
    size_t count = 0;
    for (int i = 0; i < MANY; ++i) {
        char name[32];
        const keel_entity e = keel_add_entity(world, KEEL_INIT(Place, { 0, 0 }));
        (void)snprintf(name, sizeof name, "%d \"<b>\\", i);
        if (i % 3 == 0) keel_set_name(world, e, name);
        if (i % 4 == 1 && count) keel_attach(world, e, all[count - 1]);
        if (i % 5 == 0) keel_add(world, e, Fuel, { 1 });
        all[count++] = e;
    }
    for (size_t i = 60; i < 64; ++i) // gaps
        keel_delete_entity(world, all[i]);
    memmove(all + 60, all + 64, (count - 64) * sizeof *all);
    return count - 4;
}

static void all_pages_have_all_entities(void **state) {
    static const unsigned limits[] = { 1, 7, 100, 133, 1000 };
    look l;
    keel_entity all[MANY], roots[MANY];
    size_t root_count = 0;
    (void)state;
    begin(&l, &(keel_inspect_desc){ .budget = 1 });
    pages_are(&l, "", 10, l.world, all, 0, 0);
    const size_t count = make_forest(l.world, all);
    for (size_t i = 0; i < count; ++i)
        if (keel_is_null(keel_parent_of(l.world, all[i]))) roots[root_count++] = all[i];
    assert_true(root_count > 50 && root_count < count);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
        pages_are(&l, "", limits[i], l.world, all, count, count);
        pages_are(&l, "&parent=none", limits[i], l.world, roots, root_count, root_count);
    }
    look_end(&l);
}

static void children_come_in_their_order(void **state) {
    look l;
    keel_entity all[40], children[30];
    char argument[40];
    (void)state;
    begin(&l, &(keel_inspect_desc){ .budget = 1 });
    for (int i = 0; i < 40; ++i)
        all[i] = keel_add_entity(l.world);
    for (int i = 0; i < 30; ++i) { // backwards, and two that move to the end
        children[i] = all[39 - i];
        keel_attach(l.world, children[i], all[2]);
    }
    (void)snprintf(argument, sizeof argument, "&parent=%s", program_handle(all[2]));
    for (unsigned limit = 1; limit < 32; limit += 4)
        pages_are(&l, argument, limit, l.world, children, 30, 30);
    (void)snprintf(argument, sizeof argument, "&parent=%s", program_handle(all[3]));
    pages_are(&l, argument, 5, l.world, children, 0, 0);
    look_end(&l);
}

static void pages_notice_what_dies(void **state) {
    look l;
    keel_entity all[20];
    (void)state;
    begin(&l, &(keel_inspect_desc){ .budget = 1 });
    for (int i = 0; i < 20; ++i)
        all[i] = keel_add_entity(l.world);
    for (int i = 1; i < 10; ++i)
        keel_attach(l.world, all[i], all[0]);
    char path[100];
    json_t *page = look_get(&l, "entities?limit=5");
    const keel_entity last = handle_of(at(page, "next"));
    json_decref(page);
    keel_delete_entity(l.world, last); // the page goes on behind its index
    (void)snprintf(path, sizeof path, "&after=%s", program_handle(last));
    pages_are(&l, path, 15, l.world, all + 5, 15, 19);
    // A child that is gone, or has another parent, is no place to go on from.
    (void)snprintf(path, sizeof path, "entities?parent=%s&limit=3&after=%s", program_handle(all[0]),
                   program_handle(last));
    look_fails(&l, 404, "\"gone\"", path, NULL);
    keel_detach(l.world, all[3]);
    (void)snprintf(path, sizeof path, "entities?parent=%s&limit=3&after=%s", program_handle(all[0]),
                   program_handle(all[3]));
    look_fails(&l, 404, "\"gone\"", path, NULL);
    keel_delete_entity(l.world, all[0]);
    (void)snprintf(path, sizeof path, "entities?parent=%s&limit=3&after=%s", program_handle(all[0]),
                   program_handle(all[2]));
    look_fails(&l, 404, "is not alive", path, NULL);
    look_end(&l);
}

static void few_roots_behind_many_children_take_their_time(void **state) {
    enum { CHILDREN = 60000 };
    look l;
    (void)state;
    begin(&l, &(keel_inspect_desc){ .budget = 0.0001 });
    const keel_entity root = keel_add_entity(l.world);
    for (int i = 0; i < CHILDREN; ++i)
        keel_attach(l.world, keel_add_entity(l.world), root);
    const keel_entity last = keel_add_entity(l.world), roots[] = { root, last };
    pages_are(&l, "&parent=none", 10, l.world, roots, 2, 2);
    pages_are(&l, "&parent=none", 1, l.world, roots, 2, 2);
    json_t *json = look_get(&l, "world");
    assert_true(number_at(json, "inspector.worst") < 500000000); // generous: machines pause
    json_decref(json);
    look_end(&l);
}

static void earlier_entities_are_listed(void **state) {
    look l;
    keel_entity all[MANY];
    (void)state;
    begin(&l, &(keel_inspect_desc){ .past = 8, .budget = 1 });
    const size_t count = make_forest(l.world, all);
    look_run(&l, 1);
    keel_world *copy = keel_world_create(&(keel_world_desc){ .log = keel_log_none });
    keel_snapshot *snapshot = keel_snapshot_create(l.world, "then");
    assert_int_equal(keel_snapshot_take(snapshot), KEEL_OK);
    assert_int_equal(keel_snapshot_to_world(snapshot, copy), KEEL_OK);
    for (int i = 0; i < 50; ++i)
        keel_delete_entity(l.world, all[i]);
    for (int i = 0; i < 70; ++i)
        (void)keel_add_entity(l.world);
    look_run(&l, 1);
    pages_are(&l, "&frame=1", 10, copy, all, count, count);
    look_fails(&l, 404, "is not kept", "entities?frame=7", NULL);
    keel_snapshot_destroy(snapshot);
    keel_world_destroy(copy);
    look_end(&l);
}

static const struct CMUnitTest tests[] = {
    TEST(the_world_is_described, "the world is described with its counts, bytes and tracking"),
    TEST(uniques_have_their_values, "uniques have their values, or are not set"),
    TEST(events_have_senders_and_receivers, "events have those who send and receive them"),
    TEST(an_earlier_world_is_described, "the world of an earlier frame is described"),
    TEST(all_pages_have_all_entities, "all pages of any limit have all entities once, in order"),
    TEST(children_come_in_their_order, "the pages of children have them in their order"),
    TEST(pages_notice_what_dies,
         "a page goes on behind an entity that died, or says that it is gone"),
    TEST(few_roots_behind_many_children_take_their_time,
         "a few roots among many children are found in slices"),
    TEST(earlier_entities_are_listed, "the entities of an earlier frame are listed"),
};
int main(void) { return RUN(tests); }
