// SPDX-License-Identifier: MIT
// Components in a save that the program does not know: an error, left out, or kept for the next
// save.
#include "support/api_types.h"
#include "support/saved_world.h"

#include <keel_save.h>
#include <stdlib.h>
#include <string.h>

typedef struct Slot {
    int32_t number;
} Slot;
KEEL_FIELDS(Slot, number);
KEEL_COMPONENT(Slot, KEEL_HAS_FIELDS(Slot));
typedef enum Kind { SMALL, LARGE } Kind;
KEEL_ENUM(Kind, SMALL, LARGE);
typedef struct Pet {
    uint8_t kind;
    char *name;
    keel_entity owner;
} Pet;
KEEL_FIELDS(Pet, KEEL_FIELD(kind, .of = KEEL_TYPE(Kind)), name, owner);
static char *new_text(const char *from) {
    char *text = malloc(strlen(from) + 1);
    assert_non_null(text);
    return strcpy(text, from);
}
static void drop_pet(void *value, void *data) {
    (void)data;
    free(((Pet *)value)->name);
}
static bool copy_pet(void *to, const void *from, void *data) {
    (void)data;
    Pet pet = *(const Pet *)from;
    if (pet.name) pet.name = new_text(pet.name);
    memcpy(to, &pet, sizeof pet);
    return true;
}
KEEL_COMPONENT(Pet, KEEL_HAS_FIELDS(Pet), .drop = drop_pet, .copy = copy_pet, .version = 4);
KEEL_TAG(Sleeps);
typedef struct Feeds {
    float often;
} Feeds;
KEEL_FIELDS(Feeds, often);
KEEL_VALUED_RELATION(Feeds, KEEL_HAS_FIELDS(Feeds), .exclusive = true);
KEEL_RELATION(Likes);
typedef struct Weather {
    char text[8];
} Weather;
KEEL_FIELDS(Weather, text);
KEEL_UNIQUE(Weather, KEEL_HAS_FIELDS(Weather));

enum { COUNT = 30 };
// `loaded` knows Slot only
static const keel_load_options keeping = { .error = &why, .unknown = KEEL_UNKNOWN_KEEP };

static void know_all(keel_world *world) {
    assert_int_equal(keel_register(world, Slot, Pet, Sleeps, Feeds, Likes), KEEL_OK);
    assert_non_null(keel_register_component(world, KEEL_UNIQUE_OF(Weather)));
}

static int set_up(void **state) {
    (void)state;
    saved_begin();
    know_all(f.world);
    assert_int_equal(keel_register(loaded, Slot), KEEL_OK);
    keel_entity all[COUNT];
    for (uint32_t i = 0; i < COUNT; ++i) {
        all[i] = keel_add_entity(f.world, KEEL_INIT(Slot, { (int32_t)i }));
        const keel_entity last = all[i ? i - 1 : 0];
        if (i % 2) keel_add(f.world, all[i], Pet, { LARGE, i % 3 ? new_text("rex") : NULL, last });
        if (i % 4 == 0) keel_add(f.world, all[i], Sleeps);
        if (i) assert_int_equal(keel_relate(f.world, all[i], Feeds, last, { 0.5F }), KEEL_OK);
        if (i) assert_int_equal(keel_relate(f.world, all[i], Likes, all[i / 2]), KEEL_OK);
    }
    assert_int_equal(keel_disable(f.world, all[3], Pet), KEEL_OK);
    keel_set_unique(f.world, Weather, { "rain" });
    expect_ok(save(f.world));
    return 0;
}
static int tear_down(void **state) {
    (void)state;
    saved_end();
    return 0;
}
#define SAVE_TEST(function, title)                                                                 \
    { title, function, set_up, tear_down, NULL }

static void an_error_that_says_what_to_do(void **state) {
    (void)state;
    assert_int_equal(keel_load_from(loaded, kept, kept_size, &(keel_load_options){ .error = &why }),
                     KEEL_ERROR_SCHEMA);
    assert_string_equal(why.message,
                        "the program does not know 'Pet', which is in the save; register it first, "
                        "or load with .unknown = KEEL_UNKNOWN_SKIP or KEEL_UNKNOWN_KEEP");
    assert_int_equal(keel_entity_count(loaded), 0);
    const keel_load_options none = { .error = &why, .unknown = (keel_unknown)7 };
    assert_int_equal(keel_load_from(loaded, kept, kept_size, &none), KEEL_ERROR_ARGUMENT);
    assert_string_equal(why.message, ".unknown is none of KEEL_UNKNOWN_*");
}

static void left_out(void **state) {
    (void)state;
    const keel_load_options skipping = { .error = &why, .unknown = KEEL_UNKNOWN_SKIP };
    expect_ok(keel_load_from(loaded, kept, kept_size, &skipping));
    assert_int_equal(keel_entity_count(loaded), COUNT);
    expect_ok(save(loaded));
    keel_clear_entities(f.world);
    assert_int_equal(keel_clear_uniques(f.world), KEEL_OK);
    expect_ok(keel_load_from(f.world, kept, kept_size, &keeping));
    assert_int_equal(keel_component_count(f.world, KEEL_OF(Pet)), 0);
}

// Over two saves of the program that does not know them.
static void kept_they_come_back(void **state) {
    (void)state;
    const uint64_t before = hash_of(f.world);
    for (uint32_t times = 0; times < 2; ++times) {
        expect_ok(keel_load_from(loaded, kept, kept_size, &keeping));
        expect_ok(save(loaded));
        keel_clear_entities(loaded);
    }
    keel_clear_entities(f.world);
    assert_int_equal(keel_clear_uniques(f.world), KEEL_OK);
    expect_ok(keel_load_from(f.world, kept, kept_size, &keeping));
    assert_true(hash_of(f.world) == before);
    assert_true(keel_is_disabled(f.world, keel_entity_at(f.world, 3), Pet));
    // no copy has it
    expect_ok(keel_load_from(loaded, kept, kept_size, &keeping));
    const uint64_t hash = hash_of(loaded);
    keel_world *copy = keel_world_create(NULL);
    assert_int_equal(keel_copy_world(loaded, copy), KEEL_OK);
    assert_true(hash_of(copy) == hash);
    expect_ok(save(copy));
    keel_world_destroy(copy);
    keel_clear_entities(f.world);
    assert_int_equal(keel_clear_uniques(f.world), KEEL_OK);
    expect_ok(keel_load_from(f.world, kept, kept_size, &keeping));
    assert_int_equal(keel_component_count(f.world, KEEL_OF(Pet)), 0);
}

static void the_dead_are_left_out(void **state) {
    (void)state;
    expect_ok(keel_load_from(loaded, kept, kept_size, &keeping));
    for (uint32_t i = 0; i < COUNT; i += 5) {
        assert_int_equal(keel_delete_entity(loaded, keel_entity_at(loaded, i)), KEEL_OK);
        assert_int_equal(keel_delete_entity(f.world, keel_entity_at(f.world, i)), KEEL_OK);
    }
    // somebody else at the same place
    (void)keel_add_entity(loaded, KEEL_INIT(Slot, { 77 }));
    (void)keel_add_entity(f.world, KEEL_INIT(Slot, { 77 }));
    const uint64_t hash = hash_of(f.world);
    expect_ok(save(loaded));
    keel_clear_entities(f.world);
    assert_int_equal(keel_clear_uniques(f.world), KEEL_OK);
    expect_ok(keel_load_from(f.world, kept, kept_size, &keeping));
    assert_true(hash_of(f.world) == hash);
}

static void the_next_load_takes_them_away(void **state) {
    (void)state;
    expect_ok(keel_load_from(loaded, kept, kept_size, &keeping));
    keel_clear_entities(loaded);
    const keel_load_options skipping = { .error = &why, .unknown = KEEL_UNKNOWN_SKIP };
    // damaged: what was kept stays
    assert_true(keel_load_from(loaded, kept, kept_size - 1, &skipping) < 0);
    expect_ok(keel_load_from(loaded, kept, kept_size, &skipping));
    expect_ok(save(loaded));
    keel_clear_entities(f.world);
    assert_int_equal(keel_clear_uniques(f.world), KEEL_OK);
    expect_ok(keel_load_from(f.world, kept, kept_size, &keeping));
    assert_int_equal(keel_component_count(f.world, KEEL_OF(Sleeps)), 0);
    assert_null(keel_get_unique(f.world, Weather));
}

static void what_became_known_is_an_error(void **state) {
    (void)state;
    expect_ok(keel_load_from(loaded, kept, kept_size, &keeping));
    assert_int_equal(keel_register(loaded, Sleeps), KEEL_OK);
    assert_int_equal(save(loaded), KEEL_ERROR_SCHEMA);
    assert_string_equal(why.message, "'Sleeps' was registered after a load that kept its values as "
                                     "those of an unknown component; register it before loading");
}

static void merged_they_cannot_be_kept(void **state) {
    (void)state;
    const keel_merge_options below = { .strict = false };
    keel_load_options how = keeping;
    how.merge = &below;
    assert_int_equal(keel_load_from(loaded, kept, kept_size, &how), KEEL_ERROR_ARGUMENT);
    assert_string_equal(why.message, "merging gives entities other handles, which kept components "
                                     "cannot follow; load with KEEL_UNKNOWN_SKIP");
    assert_int_equal(keel_entity_count(loaded), 0);
}

static const struct CMUnitTest tests[] = {
    SAVE_TEST(an_error_that_says_what_to_do, "an error, which says what to do"),
    SAVE_TEST(left_out, "left out"),
    SAVE_TEST(kept_they_come_back, "kept, they come back where they are known"),
    SAVE_TEST(the_dead_are_left_out, "values of those who died are left out"),
    SAVE_TEST(the_next_load_takes_them_away, "the next load takes away what was kept"),
    SAVE_TEST(what_became_known_is_an_error, "what became known since is an error"),
    SAVE_TEST(merged_they_cannot_be_kept, "merge and keep together are an error"),
};

int main(void) { return RUN(tests); }
