// SPDX-License-Identifier: MIT
// Saves: what comes back, what a later program makes of an older save, and files that are none.
#include "support/api_types.h"

#include <keel_save.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Slot {
    int16_t count;
    keel_entity what;
} Slot;
KEEL_FIELDS(Slot, count, what);
typedef struct Bag {
    bool is_open;
    char label[12];
    Slot slots[2];
    keel_entity owners[3];
    double weight;
    float bits;
    uint64_t number;
    void *cache;
} Bag;
KEEL_FIELDS(Bag, is_open, label, KEEL_FIELD(slots, .of = KEEL_TYPE(Slot)), owners, weight, bits,
            number, KEEL_FIELD(cache, .transient = true));
KEEL_COMPONENT(Bag, KEEL_HAS_FIELDS(Bag));
typedef struct Place {
    float x, y;
} Place;
KEEL_FIELDS(Place, x, y);
KEEL_COMPONENT(Place, KEEL_HAS_FIELDS(Place), .storage = KEEL_INDEXED);
typedef struct Mass {
    int32_t kg;
} Mass;
KEEL_FIELDS(Mass, kg);
KEEL_COMPONENT(Mass, KEEL_HAS_FIELDS(Mass), .storage = KEEL_ARCHETYPE);
typedef struct Speed {
    float mps;
} Speed;
KEEL_FIELDS(Speed, mps);
KEEL_COMPONENT(Speed, KEEL_HAS_FIELDS(Speed), .storage = KEEL_ARCHETYPE,
               .required = KEEL_LIST(Mass));
typedef struct Raw {
    uint32_t word[3];
} Raw;
KEEL_COMPONENT(Raw, .no_padding = true);
typedef struct Hint {
    int at;
} Hint;
KEEL_COMPONENT(Hint, .transient = true);
KEEL_TAG(Asleep);
KEEL_RELATION(Knows);
typedef struct Docked {
    int32_t berth;
} Docked;
KEEL_FIELDS(Docked, berth);
KEEL_VALUED_RELATION(Docked, KEEL_HAS_FIELDS(Docked), .exclusive = true);
typedef struct Holds {
    uint16_t count;
    keel_entity by;
} Holds;
KEEL_FIELDS(Holds, count, by);
KEEL_VALUED_RELATION(Holds, KEEL_HAS_FIELDS(Holds));
typedef struct Bond {
    uint16_t strength;
    keel_entity through;
} Bond;
KEEL_FIELDS(Bond, strength, through);
KEEL_VALUED_RELATION(Bond, KEEL_HAS_FIELDS(Bond), .symmetric = true);
KEEL_RELATION(Wed, .exclusive = true, .symmetric = true);
typedef struct Level {
    uint32_t number;
    keel_entity player;
} Level;
KEEL_FIELDS(Level, number, player);
KEEL_UNIQUE(Level, KEEL_HAS_FIELDS(Level));
KEEL_COMPONENT(Level, KEEL_HAS_FIELDS(Level)); // of the same name
typedef struct Opaque {
    char small;
    int large;
} Opaque;
KEEL_COMPONENT(Opaque);

static api_fixture f;
static keel_world *loaded;
static keel_error why;
static const keel_save_options saving = { .error = &why };
static const keel_load_options loading = { .error = &why };

typedef struct piece {
    unsigned char *bytes;
    size_t size, room;
} piece;
static piece kept;

static bool keep(void *context, const void *bytes, size_t size) {
    piece *p = context;
    if (p->size + size > p->room) return false;
    if (size) memcpy(p->bytes + p->size, bytes, size);
    p->size += size;
    return true;
}

static void know_all(keel_world *world) {
    assert_int_equal(keel_register(world, Bag, Place, Mass, Speed, Raw, Hint, Asleep, Knows, Docked,
                                   Holds, Bond, Wed, Level),
                     KEEL_OK);
    assert_non_null(keel_register_component(world, KEEL_UNIQUE_OF(Level)));
}

static keel_world *new_world(void) {
    keel_world *world = keel_world_create(
        &(keel_world_desc){ .log = log_to(&f.log), .on_misuse = KEEL_MISUSE_RETURN });
    assert_non_null(world);
    return world;
}

static int set_up(void **state) {
    (void)state;
    owned_begin();
    api_begin(&f);
    know_all(f.world);
    loaded = new_world();
    know_all(loaded);
    kept = (piece){ malloc(1 << 20), 0, 1 << 20 };
    why = (keel_error){ 0 };
    return 0;
}
static int tear_down(void **state) {
    (void)state;
    free(kept.bytes);
    keel_world_destroy(loaded);
    api_end(&f);
    assert_owned_end();
    return 0;
}
#define SAVE_TEST(function, title)                                                                 \
    { title, function, set_up, tear_down, NULL }

static uint64_t hash_of(keel_world *world) {
    uint64_t hash = 0;
    assert_int_equal(keel_world_hash(world, &hash), KEEL_OK);
    return hash;
}

static void save_it(void) {
    kept.size = 0;
    const keel_result r = keel_save_to(f.world, (keel_save_sink){ keep, &kept }, &saving);
    if (r < 0) fail_msg("%s", why.message);
    assert_int_equal(r, KEEL_OK);
}
static void load_it(void) {
    const keel_result r = keel_load_from(loaded, kept.bytes, kept.size, &loading);
    if (r < 0) fail_msg("%s", why.message);
    assert_int_equal(r, KEEL_OK);
}

// Entities with a bit of everything; some are deleted again.
static void fill(keel_world *world, uint32_t count) {
    keel_entity all[64];
    assert_true(count <= 64);
    for (uint32_t i = 0; i < count; ++i) {
        all[i] = keel_add_entity(world, KEEL_INIT(Mass, { (int32_t)i - 7 }));
        const keel_entity e = all[i];
        if (i % 2) keel_add(world, e, Place, { (float)i, -0.0F });
        if (i % 3 == 0) keel_add(world, e, Speed, { 0.1F * (float)i });
        if (i % 4 == 0) keel_add(world, e, Raw, { { i, UINT32_MAX - i, 3 } });
        if (i % 5 == 0) keel_add(world, e, Hint, { 3 });
        if (i % 6 == 0) keel_add(world, e, Asleep);
        if (i % 7 == 1) {
            Bag bag = { .is_open = true,
                        .label = "rope",
                        .weight = 1e300,
                        .number = UINT64_MAX - i,
                        .cache = all };
            bag.slots[1] = (Slot){ -3, all[i - 1] };
            bag.owners[2] = e;
            const uint32_t nan = 0x7FC01234;
            memcpy(&bag.bits, &nan, sizeof nan);
            assert_int_equal(keel_add_component(world, e, KEEL_OF(Bag), &bag), KEEL_OK);
        }
        if (i > 4 && i % 8) assert_int_equal(keel_attach(world, e, all[i / 3]), KEEL_OK);
        if (i > 2) assert_int_equal(keel_relate(world, e, Knows, all[i - 2]), KEEL_OK);
        if (i > 5)
            assert_int_equal(keel_relate(world, e, Docked, all[i / 2], { (int32_t)i }), KEEL_OK);
        for (uint32_t k = 0; k < i % 5; ++k)
            assert_int_equal(
                keel_relate(world, e, Holds, all[i - k], { (uint16_t)(i * k), all[k] }), KEEL_OK);
        if (i > 6)
            assert_int_equal(keel_relate(world, e, Bond, all[i - 3], { (uint16_t)i, all[i / 2] }),
                             KEEL_OK);
        if (i > 30) assert_int_equal(keel_relate(world, e, Wed, all[i - 30]), KEEL_OK);
        char name[24];
        (void)snprintf(name, sizeof name, "no %u", (unsigned)i);
        if (i % 3) assert_int_equal(keel_set_name(world, e, name), KEEL_OK);
    }
    assert_int_equal(keel_disable(world, all[9], Speed), KEEL_OK);
    assert_int_equal(keel_disable(world, all[9], Mass), KEEL_OK);
    assert_int_equal(keel_disable(world, all[13], Place), KEEL_OK);
    keel_set_unique(world, Level, { 12, all[3] });
    keel_add(world, all[2], Level, { 7, all[4] });
    for (uint32_t i = 10; i < count; i += 11)
        assert_int_equal(keel_delete_entity(world, all[i]), KEEL_OK);
}

// ------------------------------------------------------------------ what comes back
static void everything_comes_back(void **state) {
    (void)state;
    fill(f.world, 60);
    save_it();
    load_it();
    assert_true(hash_of(loaded) == hash_of(f.world));
    keel_error broken;
    assert_true(keel_world_check(loaded, &broken));
    for (uint32_t i = 0; i < 60; ++i) {
        const keel_entity e = keel_entity_at(f.world, i);
        assert_true(keel_is_same(keel_entity_at(loaded, i), e));
        const char *name = keel_name_of(f.world, e), *there = keel_name_of(loaded, e);
        assert_true(name ? there && !strcmp(name, there) : !there);
        keel_entity a = keel_first_child(f.world, e), b = keel_first_child(loaded, e);
        for (; !keel_is_null(a);
             a = keel_next_child(f.world, e, a), b = keel_next_child(loaded, e, b))
            assert_true(keel_is_same(a, b));
        assert_true(keel_is_null(b));
        assert_false(keel_has(loaded, e, Hint));
    }
    for (uint32_t i = 0; i < 20; ++i) // the free list, then fresh ones
        assert_true(keel_is_same(keel_add_entity(f.world), keel_add_entity(loaded)));
}

// An entity may have a disabled component without what that requires. Adding it adds that, too.
static void what_a_disabled_component_requires_is_not_added(void **state) {
    (void)state;
    const keel_entity without = keel_add_entity(f.world), with = keel_add_entity(f.world);
    const keel_entity other = keel_add_entity(f.world), on = keel_add_entity(f.world);
    keel_add(f.world, without, Speed, { 1 });
    assert_int_equal(keel_disable(f.world, without, Speed), KEEL_OK);
    assert_int_equal(keel_delete(f.world, without, Mass), KEEL_OK);
    keel_add(f.world, with, Speed, { 3 });
    assert_int_equal(keel_disable(f.world, with, Speed), KEEL_OK);
    keel_add(f.world, other, Mass, { 6 });
    keel_add(f.world, on, Speed, { 5 });
    save_it();
    load_it();
    assert_true(hash_of(loaded) == hash_of(f.world));
    assert_false(keel_has(loaded, without, Mass));
    assert_true(keel_is_disabled(loaded, without, Speed));
    assert_true(keel_has_all(loaded, on, Speed, Mass) && keel_has(loaded, with, Mass));
}

// What they were made of is known where the templates are.
static void copies_of_prefabs_come_back(void **state) {
    (void)state;
    const keel_prefab rock = { keel_add_entity(keel_templates(f.world), KEEL_INIT(Mass, { 5 })) };
    const keel_entity e = keel_spawn(f.world, rock);
    save_it();
    load_it();
    assert_int_equal(keel_get(loaded, e, Mass)->kg, 5);
    assert_true(keel_is_null(keel_prefab_of(loaded, e).root));
}

// Templates of a game that makes them in another order, and one of them no more.
static uint32_t told;
static char told_of[2][40];
static void tell(const keel_load_note *note, void *data) {
    (void)data;
    if (note->change != KEEL_LOAD_UNKNOWN_PREFAB) return;
    assert_string_equal(note->component, "keel_instance");
    if (told < 2)
        (void)snprintf(told_of[told], sizeof *told_of, "%s", note->field ? note->field : "?");
    ++told;
}

static keel_prefab template(keel_world *world, keel_entity parent, const char *name, int kg) {
    keel_world *templates = keel_templates(world);
    const keel_entity e = keel_add_entity(templates, KEEL_INIT(Mass, { kg }));
    if (!keel_is_null(parent)) assert_int_equal(keel_attach(templates, e, parent), KEEL_OK);
    if (name) assert_int_equal(keel_set_name(templates, e, name), KEEL_OK);
    return (keel_prefab){ e };
}

static void copies_of_prefabs_go_by_path(void **state) {
    (void)state;
    keel_world *w = f.world;
    const keel_prefab rock = template(w, keel_null(), "rock", 1),
                      tank = template(w, keel_null(), "tank", 2),
                      gun = template(w, tank.root, "gun", 3),
                      gone = template(w, keel_null(), "gone", 4),
                      plain = template(w, keel_null(), NULL, 5);
    const keel_entity rocks[] = { keel_spawn(w, rock), keel_spawn(w, rock) };
    const keel_entity a_tank = keel_spawn(w, tank),
                      lost[] = { keel_spawn(w, gone), keel_spawn(w, gone) };
    const keel_entity a_plain = keel_spawn(w, plain), a_gun = keel_first_child(w, a_tank);
    assert_true(keel_is_same(keel_prefab_of(w, a_gun).root, gun.root));
    save_it();
    for (uint32_t i = 0; i < 3; ++i) // others have the handles of before
        (void)template(loaded, keel_null(), NULL, 9);
    const keel_prefab new_tank = template(loaded, keel_null(), "tank", 2);
    const keel_prefab new_gun = template(loaded, new_tank.root, "gun", 3);
    const keel_prefab new_rock = template(loaded, keel_null(), "rock", 1);
    told = 0;
    const keel_load_options how = { .error = &why, .report = tell };
    assert_int_equal(keel_load_from(loaded, kept.bytes, kept.size, &how), KEEL_OK);
    for (uint32_t i = 0; i < 2; ++i) {
        assert_true(keel_is_same(keel_prefab_of(loaded, rocks[i]).root, new_rock.root));
        assert_true(keel_is_null(keel_prefab_of(loaded, lost[i]).root));
    }
    assert_true(keel_is_same(keel_prefab_of(loaded, a_tank).root, new_tank.root));
    assert_true(keel_is_same(keel_prefab_of(loaded, a_gun).root, new_gun.root));
    // one without a name goes by its handle
    assert_true(keel_is_same(keel_prefab_of(loaded, a_plain).root, plain.root));
    assert_int_equal(told, 1);
    assert_string_equal(told_of[0], "gone");
}

static void a_save_comes_into_a_living_world(void **state) {
    (void)state;
    fill(f.world, 40);
    const uint32_t count = keel_entity_count(f.world);
    save_it();
    const keel_entity root = keel_add_entity(loaded), other = keel_add_entity(loaded);
    keel_entity handles[64];
    const keel_merge_options merge = { .root = root, .handles = handles };
    const keel_load_options how = { .error = &why, .merge = &merge };
    for (uint32_t times = 1; times < 3; ++times) {
        const keel_result result = keel_load_from(loaded, kept.bytes, kept.size, &how);
        // the names of the first are taken
        assert_int_equal(result, times == 1 ? KEEL_OK : KEEL_ERROR_OCCUPIED);
        assert_int_equal(keel_entity_count(loaded), count + 2);
    }
    keel_clear_errors(loaded);
    assert_true(keel_is_alive(loaded, other));
    assert_same_entity(keel_get_unique(loaded, Level)->player, handles[3]);
    const keel_merge_options below = { .root = other };
    const keel_load_options again = { .error = &why, .merge = &below };
    assert_int_equal(keel_load_from(loaded, kept.bytes, kept.size, &again), KEEL_OK);
    assert_int_equal(keel_entity_count(loaded), 2 * count + 2);
    // what is damaged changes nothing
    uint64_t before, after;
    assert_int_equal(keel_world_hash(loaded, &before), KEEL_OK);
    assert_true(keel_load_from(loaded, kept.bytes, kept.size - 1, &again) < 0);
    assert_int_equal(keel_world_hash(loaded, &after), KEEL_OK);
    assert_true(before == after);
}

static void an_empty_world_comes_back(void **state) {
    (void)state;
    save_it();
    load_it();
    assert_int_equal(keel_entity_count(loaded), 0);
}

static void a_deleted_handle_stays_dead(void **state) {
    (void)state;
    const keel_entity stale = keel_add_entity(f.world);
    assert_int_equal(keel_delete_entity(f.world, stale), KEEL_OK);
    save_it();
    load_it();
    assert_true(keel_is_same(keel_next_free_entity(loaded, keel_null()),
                             keel_next_free_entity(f.world, keel_null())));
    assert_false(keel_is_same(keel_add_entity(loaded), stale));
}

static void loading_twice_does_not_double(void **state) {
    (void)state;
    fill(f.world, 20); // unnamed ones with used handles, too (flecs #1498)
    save_it();
    load_it();
    const uint32_t count = keel_entity_count(loaded);
    assert_int_equal(keel_load_from(loaded, kept.bytes, kept.size, &loading), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_entity_count(loaded), count);
    keel_clear_errors(loaded);
    assert_int_equal(keel_clear_entities(loaded), KEEL_OK);
    assert_int_equal(keel_clear_uniques(loaded), KEEL_OK);
    load_it();
    assert_true(hash_of(loaded) == hash_of(f.world));
}

static void nothing_is_left_out_silently(void **state) {
    (void)state;
    keel_add_entity(f.world, KEEL_INIT(Opaque, { 1, 2 })); // flecs #1049, Bevy #10284, #6891
    assert_int_equal(keel_save_to(f.world, (keel_save_sink){ keep, &kept }, &saving),
                     KEEL_ERROR_SCHEMA);
    assert_non_null(strstr(why.message, "'Opaque' does not say which bytes"));
}

// ------------------------------------------------------------------ files
static void a_file_is_replaced_as_a_whole(void **state) {
    (void)state;
    char path[64], beside[80];
    (void)snprintf(path, sizeof path, "slot.keel");
    (void)snprintf(beside, sizeof beside, "no_such_folder/%s", path);
    fill(f.world, 30);
    assert_int_equal(keel_save(f.world, path, &saving), KEEL_OK);
    const uint64_t hash = hash_of(f.world);
    keel_add_entity(f.world, KEEL_INIT(Opaque, { 1, 2 }));
    assert_int_equal(keel_save(f.world, path, &saving), KEEL_ERROR_SCHEMA);
    assert_int_equal(keel_load(loaded, path, &loading), KEEL_OK);
    assert_true(hash_of(loaded) == hash);
    assert_int_equal(keel_load(loaded, path, &loading), KEEL_ERROR_ARGUMENT);
    assert_non_null(strstr(why.message, "'slot.keel': cannot copy into world "));
    assert_non_null(strstr(why.message, "call keel_apply_commands and keel_clear_entities on it, "
                                        "and remove its uniques"));
    FILE *file = fopen(path, "wb"); // empty now
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(keel_load(loaded, path, &loading), KEEL_ERROR_FORMAT);
    assert_string_equal(why.message, "'slot.keel': this is no save of Keel");
    assert_int_equal(remove(path), 0);
    assert_int_equal(keel_save(loaded, beside, &saving), KEEL_ERROR_FILE);
    assert_non_null(strstr(why.message, "no_such_folder"));
    assert_int_equal(keel_load(loaded, path, &loading), KEEL_ERROR_FILE);
    assert_int_equal(keel_load(NULL, path, &loading), KEEL_ERROR_ARGUMENT);
    assert_int_equal(keel_save(f.world, NULL, NULL), KEEL_ERROR_ARGUMENT);
}

static void a_sink_that_is_full_is_an_error(void **state) {
    (void)state;
    fill(f.world, 30);
    save_it();
    for (size_t room = 0, all = kept.size; room < all; room += 1 + room / 8) {
        kept.size = 0;
        kept.room = room;
        assert_int_equal(keel_save_to(f.world, (keel_save_sink){ keep, &kept }, &saving),
                         KEEL_ERROR_FILE);
    }
}

// ------------------------------------------------------------------ files that are none
static void expect_refused(const unsigned char *bytes, size_t size) {
    why = (keel_error){ 0 };
    const keel_result r = keel_load_from(loaded, bytes, size, &loading);
    assert_int_equal(r, KEEL_ERROR_FORMAT);
    assert_int_equal(why.result, r);
    assert_true(why.message[0] != 0);
    assert_int_equal(keel_entity_count(loaded), 0);
}

static void every_flipped_byte_is_found(void **state) {
    (void)state;
    fill(f.world, 20);
    save_it();
    for (size_t i = 0; i < kept.size; ++i) {
        kept.bytes[i] ^= (unsigned char)(1u << i % 8);
        expect_refused(kept.bytes, kept.size);
        kept.bytes[i] ^= (unsigned char)(1u << i % 8);
    }
    load_it();
}

static void every_prefix_is_refused(void **state) {
    (void)state;
    fill(f.world, 20);
    save_it();
    for (size_t size = 0; size < kept.size; ++size) {
        unsigned char *copy = malloc(size + 1); // so that reading behind it is noticed
        memcpy(copy, kept.bytes, size);
        expect_refused(copy, size);
        free(copy);
    }
    kept.bytes[kept.size] = 0;
    expect_refused(kept.bytes, kept.size + 1);
    load_it();
}

static void limits_hold(void **state) {
    (void)state;
    fill(f.world, 60);
    save_it();
    keel_load_options how = loading;
    how.max_entities = 59;
    assert_int_equal(keel_load_from(loaded, kept.bytes, kept.size, &how), KEEL_ERROR_FORMAT);
    assert_non_null(strstr(why.message, "max_entities"));
    how = loading;
    how.max_bytes = kept.size - 1;
    assert_int_equal(keel_load_from(loaded, kept.bytes, kept.size, &how), KEEL_ERROR_FORMAT);
    assert_int_equal(keel_entity_count(loaded), 0);
}

static void when_memory_runs_out_nothing_changes(void **state) {
    (void)state;
    fill(loaded, 20);
    kept.size = 0;
    assert_int_equal(keel_save_to(loaded, (keel_save_sink){ keep, &kept }, &saving), KEEL_OK);
    uint32_t after = 0;
    for (keel_result r = KEEL_ERROR_MEMORY; r != KEEL_OK; ++after) {
        counting_allocator_fail_after(&f.memory, after);
        r = keel_load_from(f.world, kept.bytes, kept.size, &loading);
        counting_allocator_fail_after(&f.memory, UINT32_MAX);
        if (r == KEEL_OK) break;
        assert_int_equal(r, KEEL_ERROR_MEMORY);
        assert_int_equal(keel_entity_count(f.world), 0);
        keel_clear_errors(f.world);
    }
    assert_true(after > 10);
    assert_true(hash_of(loaded) == hash_of(f.world));
}

// ------------------------------------------------------------------ another program
typedef struct Old {
    int16_t hp;
    float speed;
    uint8_t level;
    char name[4];
    int32_t removed;
} Old;
typedef struct New {
    double speed;
    int64_t hp;
    char name[8];
    int16_t level;
    int32_t armour;
} New;
KEEL_FIELDS(Old, hp, speed, level, name, removed);
KEEL_FIELDS(New, speed, hp, name, level, armour);

static keel_component unit_of(const keel_field *fields, uint32_t count, uint32_t size) {
    return (keel_component){
        .name = "Unit", .size = size, .align = 8, .fields = fields, .field_count = count
    };
}

static const keel_component *know_old(void) {
    keel_component c = unit_of(KEEL_FIELDS_Old, 5, 24);
    return keel_register_component(f.world, &c);
}

static void fields_are_found_by_name_and_may_become_wider(void **state) {
    (void)state;
    static const New begin = { .armour = 77 };
    keel_component later = unit_of(KEEL_FIELDS_New, 5, sizeof(New));
    later.initial = &begin;
    const Old old[3] = { { -5, 0.5F, 200, "Orc", 9 } }; // room for 24 bytes
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_add_component(f.world, e, know_old(), old), KEEL_OK);
    save_it();
    const keel_component *here = keel_register_component(loaded, &later);
    load_it();
    const New *now = keel_get_component(loaded, e, here);
    assert_non_null(now);
    assert_true(now->hp == -5 && now->level == 200 && now->armour == 77);
    assert_true(now->speed >= 0.5 && now->speed <= 0.5);
    assert_string_equal(now->name, "Orc");
}

static void what_would_lose_is_an_error_that_names_it(void **state) {
    (void)state;
    const keel_field narrow[] = { { .name = "hp", .type = KEEL_FIELD_I8, .count = 1 } };
    const keel_component later = unit_of(narrow, 1, 8);
    const Old old[3] = { { -5, 0.5F, 200, "Orc", 9 } };
    const keel_entity e = keel_add_entity(f.world);
    assert_int_equal(keel_add_component(f.world, e, know_old(), old), KEEL_OK);
    save_it();
    assert_non_null(keel_register_component(loaded, &later));
    assert_int_equal(keel_load_from(loaded, kept.bytes, kept.size, &loading), KEEL_ERROR_SCHEMA);
    assert_non_null(strstr(why.message, "'Unit.hp'")); // flecs #1147
    assert_int_equal(keel_entity_count(loaded), 0);
}

static void an_unknown_component_is_an_error_or_skipped(void **state) {
    (void)state;
    const Old old[3] = { { -5, 0.5F, 200, "Orc", 9 } };
    const keel_entity e = keel_add_entity(f.world, KEEL_INIT(Mass, { 4 }));
    assert_int_equal(keel_add_component(f.world, e, know_old(), old), KEEL_OK);
    save_it();
    assert_int_equal(keel_load_from(loaded, kept.bytes, kept.size, &loading), KEEL_ERROR_SCHEMA);
    assert_non_null(strstr(why.message, "'Unit'"));
    keel_load_options how = loading;
    how.unknown = KEEL_UNKNOWN_SKIP;
    assert_int_equal(keel_load_from(loaded, kept.bytes, kept.size, &how), KEEL_OK);
    assert_int_equal(keel_get(loaded, e, Mass)->kg, 4);
}

static const struct CMUnitTest tests[] = {
    SAVE_TEST(everything_comes_back, "everything comes back: handles, values, links, names, order"),
    SAVE_TEST(what_a_disabled_component_requires_is_not_added,
              "what a disabled component requires is not added"),
    SAVE_TEST(copies_of_prefabs_come_back, "copies of prefabs come back"),
    SAVE_TEST(copies_of_prefabs_go_by_path,
              "copies of prefabs go by the path of their template, and say when it is unknown"),
    SAVE_TEST(a_save_comes_into_a_living_world, "a save comes into a living world"),
    SAVE_TEST(an_empty_world_comes_back, "an empty world comes back"),
    SAVE_TEST(a_deleted_handle_stays_dead, "a handle that was deleted before stays dead"),
    SAVE_TEST(loading_twice_does_not_double, "a world that is not empty is not loaded into"),
    SAVE_TEST(nothing_is_left_out_silently, "what cannot be saved is an error that names it"),
    SAVE_TEST(a_file_is_replaced_as_a_whole, "a file is the old one or the new one"),
    SAVE_TEST(a_sink_that_is_full_is_an_error, "a sink that is full is an error, wherever"),
    SAVE_TEST(every_flipped_byte_is_found, "every flipped byte is found, and nothing changes"),
    SAVE_TEST(every_prefix_is_refused, "every prefix is refused, and nothing changes"),
    SAVE_TEST(limits_hold, "limits of bytes and entities hold"),
    SAVE_TEST(when_memory_runs_out_nothing_changes, "when memory runs out nothing changes"),
    SAVE_TEST(fields_are_found_by_name_and_may_become_wider,
              "fields are found by name, and may have become wider"),
    SAVE_TEST(what_would_lose_is_an_error_that_names_it, "what would lose something is an error"),
    SAVE_TEST(an_unknown_component_is_an_error_or_skipped,
              "an unknown component is an error, or skipped"),
};

int main(void) { return RUN(tests); }
