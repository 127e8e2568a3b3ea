// SPDX-License-Identifier: MIT
// Saves of format 1.0, read by a program that has changed since.
#include "support/old_saves.h"

#include <keel_save.h>

static unsigned char bytes[8192];
static size_t size;
static keel_world *world;
static keel_error why;

static void load(uint32_t i) {
    keel_error broken;
    static log_record log;
    world = keel_world_create(&(keel_world_desc){
        .log = log_to(&log), .on_misuse = KEEL_MISUSE_RETURN, .worker_count = 1 });
    assert_non_null(world);
    old_save_know(world, i);
    size = old_save_read(i, bytes, sizeof bytes);
    const keel_result r = keel_load_from(world, bytes, size, &(keel_load_options){ .error = &why });
    if (r < 0) fail_msg("%s: %s", old_saves[i], why.message);
    assert_true(keel_world_check(world, &broken));
}
static keel_entity at(uint32_t index) { return keel_entity_at(world, index); }

static int tear_down(void **state) {
    (void)state;
    keel_world_destroy(world);
    return 0;
}
#define OLD_TEST(function, title)                                                                  \
    { title, function, NULL, tear_down, NULL }

static void a_field_was_renamed(void **state) {
    (void)state;
    load(0);
    assert_int_equal(keel_get(world, at(0), Renamed)->points, -7);
    assert_int_equal(keel_get(world, at(0), Renamed)->armour, 3);
    assert_int_equal(keel_get(world, at(1), Renamed)->points, 300);
    assert_int_equal(keel_get(world, at(1), Renamed)->armour, 255);
}

static void components_were_renamed(void **state) {
    (void)state;
    load(1);
    assert_int_equal(keel_get(world, at(0), Vitality)->points, 12);
    assert_true(keel_is_disabled(world, at(1), Vitality));
    assert_int_equal(keel_enable(world, at(1), Vitality), KEEL_OK);
    assert_int_equal(keel_get(world, at(1), Vitality)->points, -1);
    assert_int_equal(keel_get_unique(world, Turns)->number, 77);
    assert_true(keel_is_related(world, at(0), Adores, at(1)));
}

static void types_became_wider(void **state) {
    (void)state;
    load(2);
    const Unit *u = keel_get(world, at(0), Unit);
    const float narrow = 0.1F; // a constant may be more exact than its type
    const double speed = (double)narrow;
    assert_int_equal(u->asleep, 1);
    assert_true(u->small == -5 && u->byte == 200);
    assert_true(u->steps > 65534 && u->steps < 65536 && u->drift < -32767 && u->drift > -32769);
    assert_true(u->speed >= speed && u->speed <= speed);
    assert_true(u->gold <= -2147483648.0 && u->gold > -2147483649.0);
    assert_true(u->seed == UINT32_MAX);
    assert_string_equal(u->name, "Orc");
    u = keel_get(world, at(1), Unit);
    assert_true(u->asleep == 0 && u->small == 127 && 1 / u->speed < 0 && u->seed == 4);
    assert_string_equal(u->name, "Eve");
}

static void fields_are_not_there_any_more(void **state) {
    (void)state;
    load(3);
    for (uint32_t i = 0; i < 100; ++i) {
        const Fighter *fighter = keel_get(world, at(i + 1), Fighter);
        assert_int_equal(fighter->points, (int32_t)i - 50);
        assert_int_equal(fighter->armour, 10 * i);
        assert_int_equal(fighter->best, i);
        assert_int_equal(fighter->title, i < 10 ? 4 : 5);
        assert_true(keel_is_same(fighter->rival, at(0)));
    }
}

static void an_enum_has_other_numbers(void **state) {
    (void)state;
    load(4);
    assert_int_equal(keel_get(world, at(0), Beast)->mood, CALM);
    assert_int_equal(keel_get(world, at(1), Beast)->mood, ANGRY);
    assert_int_equal(keel_get(world, at(2), Beast)->mood, HUNGRY);
}

static void arrays_became_longer(void **state) {
    (void)state;
    load(5);
    const Pack *p = keel_get(world, at(0), Pack);
    const int32_t slots[] = { 1, 2, -1, -1 };
    assert_memory_equal(p->slots, slots, sizeof slots);
    assert_true(p->corners[0].y > 1 && p->corners[1].x > 2 && p->corners[2].x < 0);
    assert_true(p->one[0] == 9 && p->one[1] == 65535 && p->at[0].y > 5 && p->at[1].y < 0);
    p = keel_get(world, at(1), Pack);
    assert_true(p->slots[1] == 0 && p->slots[2] == -1 && p->corners[0].y > 8);
}

static const struct CMUnitTest tests[] = {
    OLD_TEST(a_field_was_renamed, "a field was renamed"),
    OLD_TEST(components_were_renamed, "a component, a unique and a relation were renamed"),
    OLD_TEST(types_became_wider, "types became wider"),
    OLD_TEST(fields_are_not_there_any_more,
             "fields are not there any more, and migrate reads them"),
    OLD_TEST(an_enum_has_other_numbers, "an enum has other numbers, and migrate maps them"),
    OLD_TEST(arrays_became_longer, "arrays became longer"),
};

int main(void) { return RUN(tests); }
