// SPDX-License-Identifier: MIT
// What .save writes of a value comes back by .load: lists that values own, in components, uniques
// and relations.
#include "support/api_types.h"
#include "support/saved_world.h"

#include <keel_json.h>
#include <keel_save.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Bag {
    int32_t slots; // described
    double *items; // what .save writes
    uint32_t count;
    char *label;
    keel_entity owner;
} Bag;
static int64_t live_bags;
static keel_result save_fails, load_fails;
static uint32_t loaded_version;
static int64_t reads_more; // bytes

static void bag_drop(void *value, void *data) {
    (void)data;
    live_bags -= ((Bag *)value)->items != NULL;
    free(((Bag *)value)->items);
    free(((Bag *)value)->label);
}
static char *copy_text(const char *text) {
    char *copy = text ? malloc(strlen(text) + 1) : NULL;
    return copy ? strcpy(copy, text) : NULL;
}
static bool bag_copy(void *to, const void *from, void *data) {
    (void)data;
    Bag *bag = to;
    *bag = *(const Bag *)from;
    bag->items = malloc((bag->count + 1u) * sizeof *bag->items);
    if (bag->count) memcpy(bag->items, ((const Bag *)from)->items, bag->count * sizeof *bag->items);
    bag->label = copy_text(bag->label);
    ++live_bags;
    return true;
}
static uint64_t bag_hash(const void *value, void *data) {
    (void)data;
    const Bag *bag = value;
    uint64_t hash = (uint64_t)bag->slots * 31 + bag->count;
    for (uint32_t i = 0; i < bag->count; ++i)
        hash = hash * 31 + (uint64_t)(bag->items[i] * 8);
    for (const char *at = bag->label; at && *at; ++at)
        hash = hash * 31 + (unsigned char)*at;
    return hash * 31 + (keel_is_null(bag->owner) ? 7 : keel_entity_index(bag->owner));
}
static keel_result bag_save(const void *value, keel_stream *out, void *data) {
    (void)data;
    const Bag *bag = value;
    keel_stream_write_int(out, bag->slots); // for those without fields
    keel_stream_write_int(out, bag->count);
    for (uint32_t i = 0; i < bag->count; ++i)
        keel_stream_write_float(out, bag->items[i]);
    keel_stream_write_text(out, bag->label);
    keel_stream_write_entity(out, bag->owner);
    keel_stream_write(out, "end", 3);
    return save_fails;
}
static keel_result bag_load(void *value, keel_stream *in, void *data) {
    (void)data;
    Bag *bag = value;
    char last[3];
    loaded_version = keel_stream_version(in);
    bag->slots = (int32_t)keel_stream_read_int(in);
    const uint64_t count = (uint64_t)keel_stream_read_int(in);
    if (count > keel_stream_left(in) / 8) return KEEL_ERROR_FORMAT;
    live_bags += bag->items == NULL;
    free(bag->items);
    bag->items = malloc((count + 1) * sizeof *bag->items);
    if (!bag->items) return KEEL_ERROR_MEMORY;
    for (bag->count = 0; bag->count < count; ++bag->count)
        bag->items[bag->count] = keel_stream_read_float(in);
    free(bag->label);
    bag->label = copy_text(keel_stream_read_text(in));
    bag->owner = keel_stream_read_entity(in);
    if (!keel_stream_read(in, last, 3)) return KEEL_OK; // the caller notices
    if (reads_more > 0) assert_false(keel_stream_read(in, last, 1));
    return load_fails;
}
#define BAG .drop = bag_drop, .copy = bag_copy, .hash = bag_hash, .save = bag_save, .load = bag_load
KEEL_FIELDS(Bag, slots);
KEEL_COMPONENT(Bag, KEEL_HAS_FIELDS(Bag), BAG, .version = 3);
typedef Bag Chest; // no fields
KEEL_COMPONENT(Chest, BAG, .storage = KEEL_INDEXED);
typedef Bag Crate;
KEEL_COMPONENT(Crate, BAG, .storage = KEEL_ARCHETYPE);
typedef Bag Loot;
KEEL_VALUED_RELATION(Loot, BAG, .exclusive = true);
typedef Bag Stash;
KEEL_UNIQUE(Stash, BAG);

static keel_result load(void) {
    return keel_load_from(loaded, kept, kept_size, &(keel_load_options){ .error = &why });
}
static void know_all(keel_world *world) {
    const keel_component *const all[] = { KEEL_OF(Bag), KEEL_OF(Chest), KEEL_OF(Crate),
                                          KEEL_OF(Loot), KEEL_UNIQUE_OF(Stash) };
    for (uint32_t i = 0; i < sizeof all / sizeof *all; ++i)
        assert_non_null(keel_register_component(world, all[i]));
}

static int set_up(void **state) {
    (void)state;
    saved_begin();
    save_fails = load_fails = KEEL_OK;
    reads_more = 0;
    return 0;
}
static int tear_down(void **state) {
    (void)state;
    saved_end();
    assert_int_equal(live_bags, 0);
    return 0;
}

static Bag bag_of(uint32_t count, const char *label, keel_entity owner) {
    Bag bag = { .slots = (int32_t)count * 2, .count = count, .owner = owner };
    bag.items = malloc((count + 1u) * sizeof *bag.items);
    for (uint32_t i = 0; i < count; ++i)
        bag.items[i] = i * 0.125;
    bag.label = copy_text(label);
    ++live_bags;
    return bag;
}

static void populate(keel_world *world) {
    keel_entity first = keel_null();
    for (uint32_t i = 0; i < 9; ++i) {
        const keel_component *const kinds[] = { KEEL_OF(Bag), KEEL_OF(Chest), KEEL_OF(Crate) };
        const keel_entity e = keel_add_entity(world);
        if (!i) first = e;
        for (uint32_t k = 0; k < 3; ++k) {
            const Bag bag = bag_of(i * 3 + k, i % 4 ? "" : NULL, i % 2 ? e : keel_null());
            assert_int_equal(keel_add_component(world, e, kinds[k], &bag), KEEL_OK);
        }
        if (i % 3) keel_disable(world, e, Chest);
        const Bag loot = bag_of(i, "loot", first);
        assert_int_equal(keel_relate_component(world, e, KEEL_OF(Loot), first, &loot), KEEL_OK);
    }
    const Bag stash = bag_of(5, "stash", first);
    assert_int_equal(keel_set_unique_value(world, KEEL_UNIQUE_OF(Stash), &stash), KEEL_OK);
}

static void everything_comes_back(void **state) {
    (void)state;
    populate(f.world);
    know_all(loaded);
    if (save(f.world) < 0 || load() < 0) fail_msg("%s", why.message);
    assert_true(hash_of(f.world) == hash_of(loaded));
    assert_string_equal(keel_get_unique(loaded, Stash)->label, "stash");
    const Bag *bag = keel_get(loaded, keel_entity_at(loaded, 4), Bag);
    assert_int_equal(bag->slots, 24);
    assert_null(bag->label);
    assert_true(bag->items[11] >= 1.375 && bag->items[11] <= 1.375);
}

static void so_it_does_from_a_snapshot(void **state) {
    (void)state;
    const char *path = "save_stream.keel";
    populate(f.world);
    keel_snapshot *taken = keel_snapshot_create(f.world, NULL);
    assert_int_equal(keel_snapshot_take(taken), KEEL_OK);
    const uint64_t hash = hash_of(f.world);
    keel_clear_entities(f.world);
    assert_int_equal(keel_save_snapshot(taken, path, NULL), KEEL_OK);
    know_all(loaded);
    assert_int_equal(keel_load(loaded, path, NULL), KEEL_OK);
    assert_true(hash_of(loaded) == hash);
    remove(path);
    keel_snapshot_destroy(taken);
}

static void the_version_is_known(void **state) {
    (void)state;
    const Bag bag = bag_of(1, NULL, keel_null());
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_add_component(f.world, e, KEEL_OF(Bag), &bag), KEEL_OK);
    know_all(loaded);
    assert_int_equal(save(f.world), KEEL_OK);
    assert_int_equal(load(), KEEL_OK);
    assert_int_equal(loaded_version, 3);
}

static void an_error_of_the_functions_ends_it(void **state) {
    (void)state;
    populate(f.world);
    know_all(loaded);
    save_fails = KEEL_ERROR_FULL;
    assert_int_equal(save(f.world), KEEL_ERROR_FULL);
    assert_non_null(strstr(why.message, "'Bag': .save failed"));
    save_fails = KEEL_OK;
    assert_int_equal(save(f.world), KEEL_OK);
    load_fails = KEEL_ERROR_FORMAT;
    assert_int_equal(load(), KEEL_ERROR_FORMAT);
    assert_non_null(strstr(why.message, "'Bag' of entity 0v0: .load failed"));
    load_fails = KEEL_OK;
    reads_more = 1;
    assert_int_equal(load(), KEEL_ERROR_SCHEMA);
    assert_non_null(strstr(why.message, ".load read more than .save wrote"));
    assert_int_equal(keel_entity_count(loaded), 0);
}

static keel_result read_nothing(void *value, keel_stream *in, void *data) {
    (void)value, (void)in, (void)data;
    return KEEL_OK;
}
// A program of another time: nothing is lost without a word.
static void other_programs(void **state) {
    (void)state;
    keel_component other = *KEEL_OF(Bag);
    populate(f.world);
    assert_int_equal(save(f.world), KEEL_OK);
    other.load = read_nothing;
    know_all(loaded);
    assert_non_null(keel_register_component(loaded, &other));
    assert_int_equal(load(), KEEL_ERROR_SCHEMA);
    assert_non_null(strstr(why.message, ".load read less than .save wrote"));
    other.save = NULL;
    other.load = NULL;
    assert_non_null(keel_register_component(loaded, &other));
    assert_int_equal(load(), KEEL_ERROR_SCHEMA);
    assert_non_null(strstr(why.message, "'Bag' was saved by a .save hook, and has no .load"));
}

typedef struct Plain {
    int32_t slots;
} Plain;
KEEL_FIELDS(Plain, slots);
KEEL_COMPONENT(Plain, KEEL_HAS_FIELDS(Plain), .name = "Bag");
static void a_save_from_before_there_was_a_function(void **state) {
    (void)state;
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Plain, { 6 }));
    assert_int_equal(save(f.world), KEEL_OK);
    assert_non_null(keel_register_component(loaded, KEEL_OF(Bag)));
    if (load() < 0) fail_msg("%s", why.message);
    assert_int_equal(keel_get(loaded, e, Bag)->slots, 6);
    assert_int_equal(keel_get(loaded, e, Bag)->count, 0);
}

static void both_are_needed(void **state) {
    (void)state;
    keel_component one = { .name = "One", .size = 8, .align = 8, .save = bag_save };
    assert_null(keel_register_component(f.world, &one));
    assert_non_null(strstr(f.log.last, "has only one of .save and .load"));
    one.load = bag_load;
    one.size = 0;
    assert_null(keel_register_component(f.world, &one));
}

static bool any_text(void *context, const char *text, size_t length) {
    (void)context, (void)text, (void)length;
    return true;
}
static void json_says_so(void **state) {
    (void)state;
    const Bag bag = bag_of(1, NULL, keel_null());
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_add_component(f.world, e, KEEL_OF(Bag), &bag), KEEL_OK);
    assert_int_equal(keel_json_write_to(f.world, any_text, NULL, NULL, &why), KEEL_ERROR_COPY);
    assert_non_null(strstr(why.message, ".save"));
}

// Each byte is changed, and with right hashes the lengths are, too: tests/fuzz_save.
static void damaged_ones(void **state) {
    (void)state;
    populate(f.world);
    know_all(loaded);
    assert_int_equal(save(f.world), KEEL_OK);
    for (size_t i = 0; i < kept_size; ++i) {
        kept[i] ^= 0x41;
        assert_true(load() < 0);
        kept[i] ^= 0x41;
    }
    assert_int_equal(load(), KEEL_OK);
}

#define SAVE_TEST(function, title)                                                                 \
    { title, function, set_up, tear_down, NULL }
static const struct CMUnitTest tests[] = {
    SAVE_TEST(everything_comes_back, "in components, uniques and relations"),
    SAVE_TEST(so_it_does_from_a_snapshot, "from a snapshot, too"),
    SAVE_TEST(the_version_is_known, "load knows the version that saved it"),
    SAVE_TEST(an_error_of_the_functions_ends_it, "an error of the functions ends it"),
    SAVE_TEST(other_programs, "a program with another load, or none"),
    SAVE_TEST(a_save_from_before_there_was_a_function, "a save from before there was a function"),
    SAVE_TEST(both_are_needed, "both functions are needed, and a value"),
    SAVE_TEST(json_says_so, "JSON says what it cannot write"),
    SAVE_TEST(damaged_ones, "damaged saves"),
};
int main(void) { return RUN(tests); }
